//! The recommender: numbers go through two layers, categories are looked up in tables, and the products of all pairs of
//! these vectors go through two layers more. Everything a training needs lives on the device, so that one step is nothing
//! but operators: it can run eagerly or be recorded once and launched.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::path::Path;

use rondo::ops::{self, Activation, Bags, Matmul, ReduceOp};
use rondo::{DType, Device, Engine, Error, ErrorKind, LossScaler, ModelFile, Optimizer, OptimizerKind, Result, Tensor};

use crate::clicks::{Clicks, BAG, DENSE, ROWS, TABLES};

const WIDTH: usize = 16; // of all vectors that are multiplied
const VECTORS: usize = 1 + TABLES;
const PAIRS: usize = VECTORS * (VECTORS - 1) / 2;
const LAYERS: [(usize, usize); 4] = [(DENSE, 64), (64, WIDTH), (WIDTH + PAIRS, 64), (64, 1)];
const RATE: f64 = 0.4;

/// Samples on the device.
pub struct Samples {
    dense: Tensor,   // [n, DENSE]
    indices: Tensor, // [n, TABLES * BAG]
    labels: Tensor,  // [n, 1]
}

impl Samples {
    pub fn new(engine: &Engine, device: Device, clicks: &Clicks) -> Result<Self> {
        let n = clicks.len();
        Ok(Samples {
            dense: Tensor::from_slice(engine, device, [n, DENSE], &clicks.dense)?,
            indices: Tensor::from_slice(engine, device, [n, TABLES * BAG], &clicks.indices)?,
            labels: Tensor::from_slice(engine, device, [n, 1], &clicks.labels)?,
        })
    }

    fn gather(&self, positions: &Tensor) -> Result<Samples> {
        Ok(Samples {
            dense: self.dense.gather_rows(positions)?,
            indices: self.indices.gather_rows(positions)?,
            labels: self.labels.gather_rows(positions)?,
        })
    }
}

/// A sample's vectors lie side by side in one tensor, and who makes one writes it there: nothing is joined by copies.
struct Vectors {
    all: Tensor,     // [n, VECTORS, WIDTH]
    dense: Tensor,   // a view of it, [n, WIDTH]
    rows: Tensor,    // likewise, [n, TABLES, WIDTH]
    indices: Tensor, // [TABLES, n, BAG]: a view of those of samples
}

pub struct Model {
    batch: usize,
    training: Samples,
    count: usize,               // of samples to train on
    positions: Tensor,          // i32 [batch]: which of them are next; every step moves it on
    tables: Vec<Tensor>,        // [rows, WIDTH]
    parameters: Vec<Tensor>,    // of each layer the weight and the bias
    optimizer: Optimizer,       // of these
    rate: Tensor,               // the optimizer's: tables go by it too
    scaler: Option<LossScaler>, // of a half model
    loss: Tensor,               // sum of the batches' mean losses
    add_to_loss: Tensor,
}

impl Model {
    /// Puts data and freshly drawn tables and parameters on the device. The upper network of a half model computes in f16,
    /// and its loss is scaled; what is trained stays f32.
    pub fn new(engine: &Engine, device: Device, batch: usize, half: bool, clicks: &Clicks) -> Result<Self> {
        let uniform =
            |shape: [usize; 2], limit: f64| ops::random_uniform(engine, device, DType::F32, shape, -limit, limit);
        engine.seed(1)?;
        let tables = ROWS.iter().map(|&rows| uniform([rows, WIDTH], 0.1)).collect::<Result<Vec<_>>>()?;
        let mut parameters = Vec::new();
        for (inputs, outputs) in LAYERS {
            parameters.push(uniform([inputs, outputs], (6.0 / (inputs + outputs) as f64).sqrt())?);
            parameters.push(Tensor::zeros(engine, device, DType::F32, outputs)?);
        }
        let optimizer = Optimizer::builder(OptimizerKind::Sgd, RATE).build(&parameters.iter().collect::<Vec<_>>())?;
        let rate = optimizer.states()?.into_iter().find(|(name, _)| name == "optimizer.rate");
        let none = || Error::new(ErrorKind::NotFound, "the optimizer has no state 'optimizer.rate'");
        let scaler = if half { Some(LossScaler::builder(engine, device).build()?) } else { None };
        let loss = Tensor::zeros(engine, device, DType::F32, ())?;
        Ok(Model {
            batch,
            training: Samples::new(engine, device, clicks)?,
            count: clicks.len(),
            positions: Tensor::arange(engine, device, DType::I32, 0.0, batch as f64, 1.0)?,
            tables,
            parameters,
            optimizer,
            rate: rate.ok_or_else(none)?.1,
            scaler,
            add_to_loss: loss.accumulator()?,
            loss,
        })
    }

    fn layer(&self, number: usize, activation: Activation) -> (&Tensor, Matmul<'_>) {
        let how = Matmul::new().bias(&self.parameters[2 * number + 1]).activation(activation);
        (&self.parameters[2 * number], how)
    }

    fn look_up(&self, samples: &Samples) -> Result<Vectors> {
        let n = samples.dense.shape()?[0];
        let all = Tensor::empty(self.loss.engine(), self.loss.device()?, DType::F32, [n, VECTORS, WIDTH])?;
        let rows = all.slice_axis(1, 1..)?;
        let dense = all.slice_axis(1, ..1)?.reshape([n, WIDTH])?;
        let indices = samples.indices.reshape([n, TABLES, BAG])?.permute([1, 0, 2])?;
        Tensor::embedding_bag_into(&self.tables.iter().collect::<Vec<_>>(), Bags::new(&indices), &rows)?;
        Ok(Vectors { all, dense, rows, indices })
    }

    /// The mean loss of samples whose rows are looked up, written into a tensor. In a half model what is above the vectors
    /// computes in f16; what is written into a view of them does not.
    fn forward(&self, samples: &Samples, vectors: &Vectors, loss: &Tensor) -> Result<()> {
        let (weight, how) = self.layer(0, Activation::Relu);
        let hidden = samples.dense.matmul_with(weight, how)?;
        let (weight, how) = self.layer(1, Activation::Relu);
        hidden.matmul_into(weight, how, &vectors.dense)?;
        match self.scaler {
            Some(_) => self.loss.engine().autocast(DType::F16, || self.above(samples, vectors, loss)),
            None => self.above(samples, vectors, loss),
        }
    }

    fn above(&self, samples: &Samples, vectors: &Vectors, loss: &Tensor) -> Result<()> {
        let pairs = vectors.all.dot_interaction(true)?;
        let (weight, how) = self.layer(2, Activation::Relu);
        let above = pairs.matmul_with(weight, how)?;
        let (weight, how) = self.layer(3, Activation::None);
        let losses = above.matmul_with(weight, how)?.bce_with_logits(&samples.labels)?;
        ops::reduce_into(ReduceOp::Mean, &losses, .., false, loss)
    }

    /// The next batch forward and back, and all updates. Only operators, nothing that waits: call it to run it, or inside
    /// a recording to keep it. With a scaled loss layers and tables are updated if all gradients are finite, and otherwise
    /// neither: the device decides.
    pub fn step(&self) -> Result<()> {
        let batch = self.training.gather(&self.positions)?;
        self.positions.add_into(self.batch, &self.positions)?;
        self.positions.modulo_into(self.count, &self.positions)?;

        // The tape begins behind the look-up: it gives the gradient of what was looked up, from which the rows get theirs.
        let vectors = self.look_up(&batch)?;
        let mut sources: Vec<&Tensor> = self.parameters.iter().collect();
        sources.push(&vectors.rows);
        let tape = self.loss.engine().tape(&sources)?;
        self.forward(&batch, &vectors, &self.add_to_loss)?;
        let scaled = self.scaler.as_ref().map(|scaler| scaler.scale(&self.loss)).transpose()?;
        let gradients = tape.gradients(scaled.as_ref().unwrap_or(&self.loss), &sources)?;
        let gradients: Vec<&Tensor> = gradients.iter().collect();
        let (finite, scale) = match &self.scaler {
            Some(scaler) => scaler.finite(&gradients).map(|(finite, scale)| (Some(finite), Some(scale)))?,
            None => (None, None),
        };
        let (of_rows, of_parameters) = gradients.split_last().expect("one gradient for each source");
        self.optimizer.step_with(of_parameters, finite.as_ref(), scale.as_ref())?;
        let (tables, bags) = (self.tables.iter().collect::<Vec<_>>(), Bags::new(&vectors.indices));
        Tensor::embedding_bag_descend_with(&tables, bags, of_rows, &self.rate, finite.as_ref(), scale.as_ref())?;
        self.scaler.as_ref().map_or(Ok(()), LossScaler::update)
    }

    /// Sum of the training losses since the last call. Waits for the steps submitted before.
    pub fn take_loss(&self) -> Result<f64> {
        let sum = self.loss.item::<f32>()?;
        self.loss.fill(0.0)?;
        Ok(sum.into())
    }

    /// The mean loss of samples that it is not trained on.
    pub fn test(&self, samples: &Samples) -> Result<f64> {
        let loss = Tensor::empty(self.loss.engine(), self.loss.device()?, DType::F32, ())?;
        self.forward(samples, &self.look_up(samples)?, &loss)?;
        Ok(loss.item::<f32>()?.into())
    }

    /// All tables and parameters, by name.
    fn named(&self) -> impl Iterator<Item = (String, &Tensor)> {
        let tables = self.tables.iter().enumerate().map(|(i, table)| (format!("tables.{}", i), table));
        let parameters = self.parameters.iter().enumerate().map(|(i, parameter)| {
            let part = if i % 2 == 0 { "weight" } else { "bias" };
            (format!("layers.{}.{}", i / 2, part), parameter)
        });
        tables.chain(parameters)
    }

    /// The bits of all of them, so that NaN equals itself.
    pub fn bits(&self) -> Result<Vec<u32>> {
        let mut bits = Vec::new();
        for (_, tensor) in self.named() {
            bits.extend(tensor.to_vec::<f32>()?.into_iter().map(f32::to_bits));
        }
        Ok(bits)
    }

    /// Writes tables.0, tables.1 ... and of each layer layers.0.weight, layers.0.bias ... as a safetensors file.
    pub fn write(&self, path: &Path) -> Result<()> {
        ModelFile::write(path, self.named(), std::iter::empty::<(&str, &str)>())
    }
}
