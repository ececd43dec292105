//! The network of the parallel digits example: 64 -> 128 relu -> 10, softmax cross-entropy, trained on slices of each batch by
//! SGD with momentum, or by AdamW with clipping.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::path::Path;

use rondo::ops::{self, Activation, BinaryOp, Matmul};
use rondo::{Buckets, Comm, DType, Device, Engine, ModelFile, Optimizer, OptimizerKind, Result, Tensor};

use crate::data::{Digits, CLASSES, PIXELS};

const HIDDEN: usize = 128;

fn parameter(engine: &Engine, device: Device, comm: Option<&Comm>, shape: &[usize]) -> Result<Tensor> {
    let limit = if shape.len() == 2 { (6.0 / shape[0] as f64).sqrt() } else { 0.0 };
    let value = ops::random_uniform(engine, device, DType::F32, shape, -limit, limit)?;
    if let Some(comm) = comm {
        comm.broadcast(&value, 0)?; // whatever the ranks' seeds are
    }
    Ok(value)
}

fn optimizer(kind: OptimizerKind, values: &[&Tensor]) -> Result<Optimizer> {
    match kind {
        OptimizerKind::Sgd => Optimizer::builder(kind, 0.1).momentum(0.9).build(values),
        // Clipped by the norm of all gradients together, those of the whole batch.
        _ => Optimizer::builder(kind, 0.003).weight_decay(0.01).max_norm(1.0).build(values),
    }
}

/// What is trained on, and how. `order` lasts order.len() / batch steps.
pub struct Training<'a> {
    pub digits: &'a Digits,
    pub batch: usize,
    pub order: &'a [i32],
    pub kind: OptimizerKind,
}

pub struct Net {
    engine: Engine,
    batch: usize,
    buckets: Option<Buckets>, // where other ranks have the other slices
    parameters: [Tensor; 4],  // weight and bias of the first layer, then of the second
    optimizer: Optimizer,     // the same on every rank: its state is not divided
    train_images: Tensor,
    train_labels: Tensor,
    test_images: Tensor,
    order: Tensor,          // training images in the order the whole training sees them
    positions: Vec<Tensor>, // by slice of this rank: where in `order` its images of the next batch are
}

impl Net {
    /// `comm`: each of its ranks has one of the slices, as many as there are ranks. `None`: this one has all. Parameters are
    /// rank 0's.
    pub fn new(
        engine: &Engine,
        device: Device,
        training: &Training,
        comm: Option<&Comm>,
        slices: usize,
    ) -> Result<Self> {
        let Training { digits, batch, order, kind } = *training;
        let images = |data: &[f32]| Tensor::from_slice(engine, device, [data.len() / PIXELS, PIXELS], data);
        let numbers = |data: &[i32]| Tensor::from_slice(engine, device, data.len(), data);
        let rows = (batch / slices) as i32;
        let own = match comm {
            Some(comm) => comm.info()?.rank..comm.info()?.rank + 1,
            None => 0..slices as i32,
        };
        let positions = own.map(|slice| numbers(&(slice * rows..(slice + 1) * rows).collect::<Vec<_>>()));
        let positions = positions.collect::<Result<Vec<_>>>()?;
        let parameter = |shape: &[usize]| parameter(engine, device, comm, shape);
        let parameters = [
            parameter(&[PIXELS, HIDDEN])?,
            parameter(&[HIDDEN])?,
            parameter(&[HIDDEN, CLASSES])?,
            parameter(&[CLASSES])?,
        ];
        // The second layer's gradients are ready first: a bucket of its own lets their way begin while the first layer's are
        // computed.
        let values: Vec<_> = parameters.iter().collect();
        let buckets = comm.map(|comm| Buckets::builder(comm).bucket_bytes(16384).build(&values)).transpose()?;
        Ok(Net {
            engine: engine.clone(),
            batch,
            buckets,
            optimizer: optimizer(kind, &values)?,
            train_images: images(&digits.train_images)?,
            train_labels: numbers(&digits.train_labels)?,
            test_images: images(&digits.test_images)?,
            order: numbers(order)?,
            positions,
            parameters,
        })
    }

    fn layer(&self, a: &Tensor, weight: usize, activation: Activation) -> Result<Tensor> {
        let [weight, bias] = [&self.parameters[weight], &self.parameters[weight + 1]];
        a.matmul_with(weight, Matmul::new().bias(bias).activation(activation))
    }

    /// Forward and backward of one slice: its gradients in new tensors, or in the buckets, and from there those of all ranks.
    fn gradients(&self, positions: &Tensor) -> Result<Vec<Tensor>> {
        let chosen = self.order.gather_rows(positions)?;
        positions.add_into(self.batch as i64, positions)?;
        let images = self.train_images.gather_rows(&chosen)?;
        let labels = self.train_labels.gather_rows(&chosen)?;
        let values: Vec<_> = self.parameters.iter().collect();
        let tape = self.engine.tape(&values)?;
        let hidden = self.layer(&images, 0, Activation::Relu)?;
        let loss = self.layer(&hidden, 2, Activation::None)?.cross_entropy(&labels)?.mean(..)?;
        match &self.buckets {
            Some(buckets) => buckets.reduce(&tape, &loss).and_then(|()| buckets.gradients()),
            None => tape.gradients(&loss, &values),
        }
    }

    /// One training step. Only operators and collectives: call it to run it, or inside a recording to keep it.
    pub fn step(&self) -> Result<()> {
        let sums = self.gradients(&self.positions[0])?;
        for positions in &self.positions[1..] {
            for (sum, gradient) in sums.iter().zip(self.gradients(positions)?) {
                sum.add_into(&gradient, sum)?;
            }
        }
        let own = self.positions.len();
        if own > 1 {
            for sum in &sums {
                ops::binary_into(BinaryOp::Div, sum, own as f64, sum)?;
            }
        }
        self.optimizer.step(&sums.iter().collect::<Vec<_>>())
    }

    /// The share of test images whose class is right.
    pub fn test(&self, digits: &Digits) -> Result<f64> {
        let hidden = self.layer(&self.test_images, 0, Activation::Relu)?;
        let best = self.layer(&hidden, 2, Activation::None)?.argmax(1)?.to_vec::<i64>()?;
        let right = best.iter().zip(&digits.test_labels).filter(|(&best, &label)| best == label.into()).count();
        Ok(right as f64 / best.len() as f64)
    }

    /// All parameters, one after the other.
    pub fn parameters(&self) -> Result<Vec<f32>> {
        let mut values = Vec::new();
        for parameter in &self.parameters {
            values.extend(parameter.to_vec::<f32>()?);
        }
        Ok(values)
    }

    /// Writes the parameters as a safetensors file: f32 w1 [64, 128], b1 [128], w2 [128, 10], b2 [10].
    pub fn write(&self, path: &Path) -> Result<()> {
        let named = ["w1", "b1", "w2", "b2"].into_iter().zip(&self.parameters);
        ModelFile::write(path, named, [("network", "relu(x w1 + b1) w2 + b2")])
    }
}
