//! An encoder of a transformer as BERT has it (Devlin et al., 2019), between a table of bytes and what the network thinks of
//! hidden ones: layers in which each place gathers from all others and is then taken through a network of its own, each
//! behind a residual sum that is normalised.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use rondo::ops::{self, Attention, Matmul};
use rondo::{DType, Device, Engine, Result, Tensor};

use crate::text::{BATCH, PLACES, WORDS};

pub const LAYERS: usize = 2;
pub const WIDTH: usize = 64;
const HEADS: usize = 4;
const INNER: usize = 4 * WIDTH;
const EPSILON: f64 = 1e-5; // of normalisation

/// Draws what an engine's seed says, one tensor after the other; those whose elements begin as one number too, as the C
/// example does, so that what follows them is the same.
pub struct Draw<'a> {
    pub engine: &'a Engine,
    pub device: Device,
}

impl Draw<'_> {
    /// Uniform around 0 with the variance.
    fn matrix(&self, rows: usize, columns: usize, variance: f64) -> Result<Tensor> {
        let limit = (3.0 * variance).sqrt();
        ops::random_uniform(self.engine, self.device, DType::F32, [rows, columns], -limit, limit)
    }

    fn constant(&self, size: usize, value: f64) -> Result<Tensor> {
        ops::random_uniform(self.engine, self.device, DType::F32, size, value, value)
    }
}

struct Dense {
    weight: Tensor, // [out, in]
    bias: Tensor,
}

impl Dense {
    fn new(draw: &Draw<'_>, inputs: usize, outputs: usize) -> Result<Self> {
        let weight = draw.matrix(outputs, inputs, 1.0 / inputs as f64)?;
        Ok(Dense { weight, bias: draw.constant(outputs, 0.0)? })
    }

    fn of(&self, x: &Tensor) -> Result<Tensor> {
        x.matmul_with(&self.weight, Matmul::new().transpose_b().bias(&self.bias))
    }

    fn weights(&self) -> [&Tensor; 2] {
        [&self.weight, &self.bias]
    }
}

struct Norm {
    weight: Tensor,
    bias: Tensor,
}

impl Norm {
    fn new(draw: &Draw<'_>) -> Result<Self> {
        Ok(Norm { weight: draw.constant(WIDTH, 1.0)?, bias: draw.constant(WIDTH, 0.0)? })
    }

    /// Along the last axis.
    fn of(&self, x: &Tensor) -> Result<Tensor> {
        ops::layer_norm(x, -1, Some(&self.weight), Some(&self.bias), EPSILON)
    }

    fn weights(&self) -> [&Tensor; 2] {
        [&self.weight, &self.bias]
    }
}

struct Layer {
    packed: Dense,
    seen: Dense,
    attended: Norm,
    wide: Dense,
    narrow: Dense,
    end: Norm,
}

impl Layer {
    fn new(draw: &Draw<'_>) -> Result<Self> {
        Ok(Layer {
            packed: Dense::new(draw, WIDTH, 3 * WIDTH)?,
            seen: Dense::new(draw, WIDTH, WIDTH)?,
            attended: Norm::new(draw)?,
            wide: Dense::new(draw, WIDTH, INNER)?,
            narrow: Dense::new(draw, INNER, WIDTH)?,
            end: Norm::new(draw)?,
        })
    }

    /// Each place gathers from all of its stretch. Queries, keys and values are parts of one product: nothing is copied.
    fn attention(&self, x: &Tensor) -> Result<Tensor> {
        let packed = self.packed.of(x)?.reshape([BATCH, PLACES, 3, HEADS, WIDTH / HEADS])?;
        let part = |i: usize| packed.slice_axis(2, i..i + 1)?.reshape([BATCH, PLACES, HEADS, WIDTH / HEADS]);
        let seen = part(0)?.attention(&part(1)?, &part(2)?, Attention::new())?;
        self.seen.of(&seen.reshape([BATCH, PLACES, WIDTH])?)
    }

    fn of(&self, x: &Tensor) -> Result<Tensor> {
        let seen = self.attended.of(&x.add(&self.attention(x)?)?)?;
        let narrow = self.narrow.of(&self.wide.of(&seen)?.gelu()?)?;
        self.end.of(&seen.add(&narrow)?)
    }

    fn weights(&self) -> impl Iterator<Item = &Tensor> {
        let (packed, seen, attended) = (self.packed.weights(), self.seen.weights(), self.attended.weights());
        [packed, seen, attended, self.wide.weights(), self.narrow.weights(), self.end.weights()].into_iter().flatten()
    }
}

pub struct Network {
    bytes: Tensor,  // [WORDS, WIDTH]: where places come from, and what they are compared with
    places: Tensor, // [PLACES, WIDTH]
    begin: Norm,
    layers: Vec<Layer>,
    dense: Dense,
    end: Norm,
    bias: Tensor, // of each byte
}

impl Network {
    pub fn new(draw: &Draw<'_>) -> Result<Self> {
        Ok(Network {
            bytes: draw.matrix(WORDS, WIDTH, 1.0 / WIDTH as f64)?,
            places: draw.matrix(PLACES, WIDTH, 1.0 / WIDTH as f64)?,
            begin: Norm::new(draw)?,
            layers: (0..LAYERS).map(|_| Layer::new(draw)).collect::<Result<_>>()?,
            dense: Dense::new(draw, WIDTH, WIDTH)?,
            end: Norm::new(draw)?,
            bias: draw.constant(WORDS, 0.0)?,
        })
    }

    /// What it thinks of each hidden byte of a batch, [n, WORDS]: `bytes` is [BATCH, PLACES], `hidden`, [n], says where
    /// they are, counted through the batch.
    pub fn of(&self, bytes: &Tensor, hidden: &Tensor) -> Result<Tensor> {
        let mut x = self.begin.of(&self.bytes.gather_rows(bytes)?.add(&self.places)?)?;
        for layer in &self.layers {
            x = layer.of(&x)?;
        }
        // Only what is asked for goes on. The table says which byte a place looks like.
        let asked = x.reshape([BATCH * PLACES, WIDTH])?.gather_rows(hidden)?;
        let active = self.dense.of(&asked)?.gelu()?;
        self.end.of(&active)?.matmul_with(&self.bytes, Matmul::new().transpose_b().bias(&self.bias))
    }

    /// All of them, in the order in which the C example asks for them.
    pub fn weights(&self) -> Vec<&Tensor> {
        let mut all = vec![&self.bytes, &self.places];
        all.extend(self.begin.weights());
        all.extend(self.layers.iter().flat_map(Layer::weights));
        all.extend(self.dense.weights());
        all.extend(self.end.weights());
        all.push(&self.bias);
        all
    }
}
