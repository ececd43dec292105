//! The network of the digits example: 64 -> 128 relu -> dropout -> 10, softmax cross-entropy, SGD with momentum.
//! Everything a training needs lives on the device, so that one step is nothing but operators: it can run eagerly or be
//! recorded once and launched.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::path::Path;

use rondo::ops::{self, Activation, Matmul, ReduceOp};
use rondo::{DType, Device, Engine, LossScaler, ModelFile, Optimizer, OptimizerKind, RateSchedule, Result, Tensor};

use crate::data::{Digits, CLASSES, PIXELS};

const HIDDEN: usize = 128;
const DROPOUT: f64 = 0.2;
const FIRST_RATE: f64 = 0.3; // learning rate of the first step; it shrinks by the same factor every step, down to
const LAST_RATE: f64 = 0.05; // that of the last
const MOMENTUM: f64 = 0.9;

/// Weights start uniform with the deviation that keeps activations of relu layers in scale, biases at zero.
fn parameter(engine: &Engine, device: Device, shape: &[usize]) -> Result<Tensor> {
    match *shape {
        [inputs, _] => {
            let limit = (6.0 / inputs as f64).sqrt();
            ops::random_uniform(engine, device, DType::F32, shape, -limit, limit)
        }
        _ => Tensor::zeros(engine, device, DType::F32, shape),
    }
}

struct Layer {
    weight: Tensor,
    bias: Tensor,
}

impl Layer {
    fn new(engine: &Engine, device: Device, inputs: usize, outputs: usize) -> Result<Self> {
        let weight = parameter(engine, device, &[inputs, outputs])?;
        Ok(Layer { weight, bias: parameter(engine, device, &[outputs])? })
    }

    fn forward(&self, a: &Tensor, activation: Activation) -> Result<Tensor> {
        a.matmul_with(&self.weight, Matmul::new().bias(&self.bias).activation(activation))
    }
}

fn all(layers: &[Layer; 2]) -> Vec<&Tensor> {
    layers.iter().flat_map(|layer| [&layer.weight, &layer.bias]).collect()
}

pub struct Net {
    batch: usize,
    layers: [Layer; 2],
    train_images: Tensor,
    train_labels: Tensor,
    test_images: Tensor,
    order: Tensor,     // training images in the order the whole training sees them
    positions: Tensor, // where in `order` the next batch is; every step moves it on
    optimizer: Optimizer,
    precision: DType,           // of the layers: F32, or 16 bits with parameters in F32
    scaler: Option<LossScaler>, // where they compute in 16 bits
    loss: Tensor,               // sum of the steps' mean losses since take_loss
    add_to_loss: Tensor,
}

impl Net {
    /// Puts data and freshly drawn parameters on the device. `order` lasts order.len() / batch steps.
    pub fn new(
        engine: &Engine,
        device: Device,
        digits: &Digits,
        batch: usize,
        order: &[i32],
        precision: DType,
    ) -> Result<Self> {
        let images = |data: &[f32]| Tensor::from_slice(engine, device, [data.len() / PIXELS, PIXELS], data);
        let numbers = |data: &[i32]| Tensor::from_slice(engine, device, data.len(), data);
        let first: Vec<i32> = (0..batch as i32).collect();
        let loss = Tensor::zeros(engine, device, DType::F32, ())?;
        let (steps, order) = ((order.len() / batch) as f64, numbers(order)?);
        let layers = [Layer::new(engine, device, PIXELS, HIDDEN)?, Layer::new(engine, device, HIDDEN, CLASSES)?];
        let optimizer = Optimizer::builder(OptimizerKind::Sgd, FIRST_RATE)
            .momentum(MOMENTUM)
            .schedule(RateSchedule::Step, 1, (LAST_RATE / FIRST_RATE).powf(1.0 / steps))
            .build(&all(&layers))?;
        Ok(Net {
            batch,
            train_images: images(&digits.train_images)?,
            train_labels: numbers(&digits.train_labels)?,
            test_images: images(&digits.test_images)?,
            positions: numbers(&first)?,
            order,
            layers,
            optimizer,
            precision,
            scaler: match precision {
                DType::F32 => None,
                _ => Some(LossScaler::builder(engine, device).build()?),
            },
            add_to_loss: loss.accumulator()?,
            loss,
        })
    }

    /// One training step: forward, backward and update of the next batch. Only operators, nothing that waits: call it to
    /// run it, or inside a recording to keep it.
    pub fn step(&self) -> Result<()> {
        let [first, second] = &self.layers;

        // The batch: order[positions], then on to the next positions.
        let chosen = self.order.gather_rows(&self.positions)?;
        self.positions.add_into(self.batch as i64, &self.positions)?;
        let images = self.train_images.gather_rows(&chosen)?;
        let labels = self.train_labels.gather_rows(&chosen)?;

        // Forward: a tape notes how the loss depends on the parameters.
        let sources = all(&self.layers);
        let engine = self.loss.engine();
        let tape = engine.tape(&sources)?;
        // In a scope of f32 nothing is cast.
        engine.autocast(self.precision, || {
            let hidden = first.forward(&images, Activation::Relu)?;
            let (kept, _mask) = hidden.dropout(DROPOUT)?;
            let logits = second.forward(&kept, Activation::None)?;
            ops::reduce_into(ReduceOp::Mean, &logits.cross_entropy(&labels)?, .., false, &self.add_to_loss)
        })?;

        // Backward, and the update: one task for all parameters. Its learning rate and the number of steps so far are on the
        // device, so that the rate can shrink in a graph that is launched unchanged. So is the scale of the loss, which
        // gradients in 16 bits need, and whether they were all finite.
        if let Some(scaler) = &self.scaler {
            let gradients = tape.gradients(&scaler.scale(&self.loss)?, &sources)?;
            scaler.step(&self.optimizer, &gradients.iter().collect::<Vec<_>>())?;
            return scaler.update();
        }
        let gradients = tape.gradients(&self.loss, &sources)?;
        self.optimizer.step(&gradients.iter().collect::<Vec<_>>())
    }

    /// Sum of the training losses since the last call. Waits for the steps submitted before.
    pub fn take_loss(&self) -> Result<f64> {
        let sum = self.loss.item::<f32>()?;
        self.loss.fill(0.0)?;
        Ok(f64::from(sum) * self.batch as f64)
    }

    /// The share of test images whose class is right.
    pub fn test(&self, digits: &Digits) -> Result<f64> {
        let [first, second] = &self.layers;
        let scores = self.loss.engine().autocast(self.precision, || {
            let hidden = first.forward(&self.test_images, Activation::Relu)?; // no dropout when it counts
            second.forward(&hidden, Activation::None)
        })?;
        let best = scores.argmax(1)?.to_vec::<i64>()?;
        let right = best.iter().zip(&digits.test_labels).filter(|(&best, &label)| best == label.into()).count();
        Ok(right as f64 / best.len() as f64)
    }

    /// All parameters, one after the other.
    pub fn parameters(&self) -> Result<Vec<f32>> {
        let mut values = Vec::new();
        for parameter in all(&self.layers) {
            values.extend(parameter.to_vec::<f32>()?);
        }
        Ok(values)
    }

    /// Writes the parameters as a safetensors file: f32 w1 [64, 128], b1 [128], w2 [128, 10], b2 [10].
    pub fn write(&self, path: &Path) -> Result<()> {
        let named = ["w1", "b1", "w2", "b2"].into_iter().zip(all(&self.layers));
        ModelFile::write(path, named, [("network", "relu(x w1 + b1) w2 + b2")])
    }
}
