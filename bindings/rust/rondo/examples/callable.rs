//! A network that decides by its data which layer comes next, with layers that are graphs: callables under a tape. It is
//! trained twice, with layers called eagerly and as callables: to the same bits. What a step takes is printed.
//!
//!     cargo run --release --example callable -- [cpu|cuda:0]
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Instant;

use rondo::{ops, Callable, DType, Device, Engine, Result, Tensor};

const WIDTH: usize = 16;
const STEPS: usize = 200;
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

    /// x + silu(rms_norm(x) w + b); as a callable it is called once for each size of batch.
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        self.runs.fetch_add(1, Ordering::Relaxed);
        x.add(&ops::rms_norm(x, -1, None, 1e-5)?.matmul(&self.w)?.add(&self.b)?.silu()?)
    }
}

/// The loss of a step: sin(x) is to come of a new batch x. Which layers it goes through is for the host to see.
fn step(
    engine: &Engine,
    device: Device,
    batch: usize,
    layers: &[Arc<Layer>],
    through: &dyn Fn(usize, &Tensor) -> Result<Tensor>,
) -> Result<f32> {
    let parameters: Vec<&Tensor> = layers.iter().flat_map(|layer| [&layer.w, &layer.b]).collect();
    let x = ops::random_normal(engine, device, DType::F32, [batch, WIDTH], 0.0, 1.0)?;
    let tape = engine.tape(&parameters)?;
    let mut y = through(0, &x)?;
    for _ in 0..3 {
        let positive = y.sum(..)?.item::<f32>()? > 0.0;
        y = through(if positive { 1 } else { 2 }, &y)?;
    }
    let loss = y.squared_difference(&x.sin()?)?.mean(..)?;
    let gradients = tape.gradients(&loss, &parameters)?;
    for (parameter, gradient) in parameters.iter().zip(&gradients) {
        parameter.sub_assign(&gradient.mul(0.3)?)?;
    }
    loss.item::<f32>()
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
    let (mut loss, mut begin) = ([0.0; 2], Instant::now());
    for i in 0..STEPS {
        let now = step(engine, device, if i % 2 == 1 { 8 } else { 5 }, &layers, &through)?;
        loss[2 * i / STEPS] += now / (STEPS / 2) as f32;
        if i == STEPS / 2 - 1 {
            begin = Instant::now(); // all is recorded and compiled
        }
    }
    let spent = begin.elapsed().as_secs_f64() * 1e6 / (STEPS / 2) as f64;
    let runs: usize = layers.iter().map(|layer| layer.runs.load(Ordering::Relaxed)).sum();
    let how = if as_graphs { "as graphs" } else { "called eagerly" };
    println!(
        "layers {}: loss {:.3}, then {:.3}; {:.0} us a step; their functions were called {} times",
        how, loss[0], loss[1], spent, runs
    );
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
