//! A network that decides by its data which layer comes next, with layers that are graphs: callables under a tape. It is
//! trained twice, with layers called eagerly and as callables, and leaves the same bits.
//!
//!     cargo run --release --example callable -- [cpu|cuda:0]
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use rondo::{ops, Callable, DType, Device, Engine, Result, Tensor};

const WIDTH: usize = 16;
const STEPS: usize = 20;
const LAYERS: usize = 3;

struct Layer {
    w: Tensor,
    b: Tensor,
    runs: AtomicUsize, // of the function below
}

impl Layer {
    fn new(engine: &Engine, device: Device) -> Result<Self> {
        Ok(Layer {
            w: ops::random_normal(engine, device, DType::F32, [WIDTH, WIDTH], 0.0, 0.25)?,
            b: ops::random_normal(engine, device, DType::F32, WIDTH, 0.0, 0.25)?,
            runs: AtomicUsize::new(0),
        })
    }

    /// tanh(x w + b); as a callable it is called once for each size of batch.
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        self.runs.fetch_add(1, Ordering::Relaxed);
        x.matmul(&self.w)?.add(&self.b)?.tanh()
    }
}

/// One step on a new batch; which layers it goes through is for the host to see.
fn step(
    engine: &Engine,
    device: Device,
    batch: usize,
    layers: &[Arc<Layer>],
    through: &dyn Fn(usize, &Tensor) -> Result<Tensor>,
) -> Result<()> {
    let parameters: Vec<&Tensor> = layers.iter().flat_map(|layer| [&layer.w, &layer.b]).collect();
    let x = ops::random_normal(engine, device, DType::F32, [batch, WIDTH], 0.0, 1.0)?;
    let tape = engine.tape(&parameters)?;
    let mut y = through(0, &x)?;
    for _ in 0..3 {
        let positive = y.sum(..)?.item::<f32>()? > 0.0;
        y = through(if positive { 1 } else { 2 }, &y)?;
    }
    let loss = y.mul(&y)?.sum(..)?;
    let gradients = tape.gradients(&loss, &parameters)?;
    for (parameter, gradient) in parameters.iter().zip(&gradients) {
        parameter.sub_assign(&gradient.mul(0.01)?)?;
    }
    Ok(())
}

/// Trains; gives all weights' bits.
fn train(engine: &Engine, device: Device, as_graphs: bool) -> Result<Vec<u32>> {
    engine.seed(7)?;
    let layers = (0..LAYERS).map(|_| Layer::new(engine, device).map(Arc::new)).collect::<Result<Vec<_>>>()?;
    let graphs = layers
        .iter()
        .map(|layer| {
            let layer = layer.clone();
            engine.callable(1, move |x| Ok(vec![layer.run(x[0])?]))
        })
        .collect::<Result<Vec<Callable>>>()?;
    let through = |i: usize, x: &Tensor| {
        if as_graphs {
            Ok(graphs[i].call(&[x])?.remove(0))
        } else {
            layers[i].run(x)
        }
    };
    for i in 0..STEPS {
        step(engine, device, if i % 2 == 1 { 8 } else { 5 }, &layers, &through)?;
    }
    let runs: usize = layers.iter().map(|layer| layer.runs.load(Ordering::Relaxed)).sum();
    let how = if as_graphs { "as graphs" } else { "called eagerly" };
    println!("{STEPS} steps with layers {how}: their functions were called {runs} times");
    let mut bits = Vec::new();
    for layer in &layers {
        for weights in [&layer.w, &layer.b] {
            bits.extend(weights.to_vec::<f32>()?.iter().map(|each| each.to_bits()));
        }
    }
    Ok(bits)
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let device: Device = std::env::args().nth(1).unwrap_or_else(|| "cpu".into()).parse()?;
    let engine = Engine::new()?;
    let (eager, graphs) = (train(&engine, device, false)?, train(&engine, device, true)?);
    if eager != graphs {
        return Err("the weights differ".into());
    }
    println!("the weights are equal, bit for bit");
    Ok(())
}
