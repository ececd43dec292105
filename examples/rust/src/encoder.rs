//! MiniLM as a sentence encoder, on Rondo: what examples/c/minilm.c does.
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use rondo::ops::{self, Attention, Matmul};
use rondo::{DType, Device, Engine, ModelFile, Result, Tensor};

const LAYERS: usize = 6;
const HEAD: usize = 32;
const EPSILON: f64 = 1e-12; // of its layer normalisation

/// Weights, [out, in], and biases, [out].
struct Dense {
    weight: Tensor,
    bias: Tensor,
}

impl Dense {
    /// `parts` of the file one below the other, each [rows, columns].
    fn load(file: &ModelFile, parts: &[String], place: (&Engine, Device)) -> Result<Self> {
        let shape = file.tensor(&format!("{}.weight", parts[0]))?.shape;
        let (rows, columns) = (shape[0], shape.get(1).copied().unwrap_or(1));
        let weight = Tensor::zeros(place.0, place.1, DType::F32, [parts.len() * rows, columns])?;
        let bias = Tensor::zeros(place.0, place.1, DType::F32, parts.len() * rows)?;
        for (i, part) in parts.iter().enumerate() {
            let range = i * rows..(i + 1) * rows;
            file.load_into(&format!("{part}.weight"), &weight.slice_axis(0, range.clone())?)?;
            file.load_into(&format!("{part}.bias"), &bias.slice_axis(0, range)?)?;
        }
        Ok(Dense { weight, bias })
    }

    fn of(&self, x: &Tensor) -> Result<Tensor> {
        x.matmul_with(&self.weight, Matmul::new().transpose_b().bias(&self.bias))
    }
}

struct Norm {
    weight: Tensor,
    bias: Tensor,
}

impl Norm {
    fn load(file: &ModelFile, name: &str, place: (&Engine, Device)) -> Result<Self> {
        let load = |part| file.load(&format!("{name}.{part}"), place.0, place.1);
        Ok(Norm { weight: load("weight")?, bias: load("bias")? })
    }

    /// Of the sum.
    fn of(&self, x: &Tensor, y: &Tensor) -> Result<Tensor> {
        ops::layer_norm(&(x + y)?, -1, Some(&self.weight), Some(&self.bias), EPSILON)
    }
}

struct Layer {
    qkv: Dense,
    out: Dense,
    attended: Norm,
    wide: Dense,
    narrow: Dense,
    end: Norm,
}

impl Layer {
    fn load(file: &ModelFile, number: usize, place: (&Engine, Device)) -> Result<Self> {
        let name = |part: &str| format!("encoder.layer.{number}.{part}");
        let qkv = ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
        Ok(Layer {
            qkv: Dense::load(file, &qkv, place)?,
            out: Dense::load(file, &[name("attention.output.dense")], place)?,
            attended: Norm::load(file, &name("attention.output.LayerNorm"), place)?,
            wide: Dense::load(file, &[name("intermediate.dense")], place)?,
            narrow: Dense::load(file, &[name("output.dense")], place)?,
            end: Norm::load(file, &name("output.LayerNorm"), place)?,
        })
    }

    fn of(&self, x: &Tensor, lengths: &Tensor) -> Result<Tensor> {
        let shape = x.shape()?;
        let (n, places, width) = (shape[0], shape[1], shape[2]);
        let packed = self.qkv.of(x)?.reshape([n, places, 3, width / HEAD, HEAD])?;
        let part = |i: usize| packed.slice_axis(2, i..i + 1)?.reshape([n, places, width / HEAD, HEAD]);
        let how = Attention::new().query_lengths(lengths).key_lengths(lengths);
        let heads = part(0)?.attention(&part(1)?, &part(2)?, how)?.reshape([n, places, width])?;
        let seen = self.attended.of(x, &self.out.of(&heads)?)?;
        let narrow = self.narrow.of(&self.wide.of(&seen)?.gelu()?)?;
        self.end.of(&seen, &narrow)
    }
}

pub struct Encoder {
    word: Tensor,
    place: Tensor, // with the type that all pieces of one sentence have
    norm: Norm,
    layers: Vec<Layer>,
}

impl Encoder {
    pub fn load(file: &ModelFile, engine: &Engine, device: Device) -> Result<Self> {
        let load = |part: &str| file.load(&format!("embeddings.{part}_embeddings.weight"), engine, device);
        let kind = load("token_type")?.slice_axis(0, 0..1)?;
        Ok(Encoder {
            word: load("word")?,
            place: (load("position")? + kind)?,
            norm: Norm::load(file, "embeddings.LayerNorm", (engine, device))?,
            layers: (0..LAYERS).map(|number| Layer::load(file, number, (engine, device))).collect::<Result<_>>()?,
        })
    }

    /// Vectors of length 1, [n, width], of the numbers of pieces, i32 [n, places], and how many each sentence has, i32
    /// [n]; what is behind them does not matter. Only operators, so it can be recorded.
    pub fn vectors(&self, ids: &Tensor, lengths: &Tensor) -> Result<Tensor> {
        let shape = ids.shape()?;
        let (n, places) = (shape[0], shape[1]);
        let mut x = self.norm.of(&self.word.gather_rows(ids)?, &self.place.slice_axis(0, 0..places)?)?;
        for layer in &self.layers {
            x = layer.of(&x, lengths)?;
        }
        let numbers = Tensor::arange(ids.engine(), ids.device()?, DType::I32, 0.0, places as f64, 1.0)?;
        let present = numbers.lt(&lengths.reshape([n, 1])?)?.cast(DType::F32)?.reshape([n, places, 1])?;
        let sum = (x * present)?.sum(1)?; // of length 1 the sum is what the mean is
        let length = sum.l2_norm(1)?.reshape([n, 1])?;
        sum / length
    }
}
