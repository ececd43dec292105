//! A network, and what its steps work on. Everything is on the device, so that a step is nothing but operators: it can run
//! eagerly or be recorded once and launched.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::path::Path;

use rondo::ops::{self, ReduceOp};
use rondo::{DType, Device, Engine, ModelFile, Optimizer, OptimizerKind, Result, Tensor};

use crate::encoder::{Draw, Network};
use crate::text::{Batches, BATCH, HIDDEN, PLACES};

const RATE: f64 = 1e-3;
const DECAY: f64 = 0.01;
const NORM: f64 = 1.0;

pub struct Work<'a> {
    engine: &'a Engine,
    device: Device,
    network: Network,
    optimizer: Optimizer,
    bytes: Tensor, // of all batches
    places: Tensor,
    labels: Tensor,
    turn: Tensor, // [1], i32: which of them is next
    loss: Tensor, // the sum of the losses so far, []
    add_to_loss: Tensor,
    right: Tensor, // how many hidden bytes were found, [], i64
    add_to_right: Tensor,
}

fn tables(engine: &Engine, device: Device, batches: &Batches) -> Result<[Tensor; 3]> {
    let table = |columns: usize, numbers: &[i32]| Tensor::from_slice(engine, device, [batches.n, columns], numbers);
    let (bytes, hidden) = (BATCH * PLACES, BATCH * HIDDEN);
    Ok([table(bytes, &batches.bytes)?, table(hidden, &batches.places)?, table(hidden, &batches.labels)?])
}

impl<'a> Work<'a> {
    /// Draws the weights, which the engine's seed decides.
    pub fn new(engine: &'a Engine, device: Device, batches: &Batches) -> Result<Self> {
        let network = Network::new(&Draw { engine, device })?;
        let rule = Optimizer::builder(OptimizerKind::Adamw, RATE).weight_decay(DECAY).max_norm(NORM);
        let optimizer = rule.build(&network.weights())?;
        let [bytes, places, labels] = tables(engine, device, batches)?;
        let loss = Tensor::zeros(engine, device, DType::F32, ())?;
        let right = Tensor::zeros(engine, device, DType::I64, ())?;
        Ok(Work {
            engine,
            device,
            network,
            optimizer,
            bytes,
            places,
            labels,
            turn: Tensor::zeros(engine, device, DType::I32, 1)?,
            add_to_loss: loss.accumulator()?,
            loss,
            add_to_right: right.accumulator()?,
            right,
        })
    }

    /// Work on other batches, from the first one on.
    pub fn take_up(&mut self, batches: &Batches) -> Result<()> {
        let [bytes, places, labels] = tables(self.engine, self.device, batches)?;
        self.bytes = bytes;
        self.places = places;
        self.labels = labels;
        self.turn.fill(0.0)
    }

    /// What the network thinks of the hidden bytes of the next batch, and what they are.
    fn forward(&self) -> Result<(Tensor, Tensor)> {
        let labels = self.labels.gather_rows(&self.turn)?.reshape([-1])?;
        let bytes = self.bytes.gather_rows(&self.turn)?.reshape([BATCH, PLACES])?;
        let hidden = self.places.gather_rows(&self.turn)?.reshape([-1])?;
        Ok((self.network.of(&bytes, &hidden)?, labels))
    }

    /// Learns from the next batch.
    pub fn train(&self) -> Result<()> {
        let sources = self.network.weights();
        let tape = self.engine.tape(&sources)?;
        let (logits, labels) = self.forward()?;
        let loss = logits.cross_entropy(&labels)?.mean(..)?;
        let gradients = tape.gradients(&loss, &sources)?;
        self.optimizer.step(&gradients.iter().collect::<Vec<_>>())?;
        loss.copy_into(&self.add_to_loss)?;
        self.turn.add_into(1, &self.turn)
    }

    /// Counts the hidden bytes of the next batch that it finds.
    pub fn ask(&self) -> Result<()> {
        let (logits, labels) = self.forward()?;
        let same = logits.argmax(1)?.cast(DType::I32)?.eq(&labels)?;
        ops::reduce_into(ReduceOp::Sum, &same, .., false, &self.add_to_right)?;
        self.turn.add_into(1, &self.turn)
    }

    /// Sum of the losses since the last call. Waits for the steps submitted before.
    pub fn take_loss(&self) -> Result<f64> {
        let sum = self.loss.item::<f32>()?;
        self.loss.fill(0.0)?;
        Ok(sum.into())
    }

    pub fn right(&self) -> Result<i64> {
        self.right.item()
    }

    /// How many numbers are trained.
    pub fn size(&self) -> Result<usize> {
        self.network.weights().iter().map(|weight| Ok(weight.info()?.elements)).sum()
    }

    /// Writes weights.000, weights.001 ... as a safetensors file.
    pub fn write(&self, path: &Path) -> Result<()> {
        let weights = self.network.weights().into_iter().enumerate();
        let named = weights.map(|(i, weight)| (format!("weights.{:03}", i), weight));
        ModelFile::write(path, named, std::iter::empty::<(&str, &str)>())
    }
}
