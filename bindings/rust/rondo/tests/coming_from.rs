//! The programs in Rust that docs/coming-from.md shows beside PyTorch's and MXNet's.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use common::everywhere;
use rondo::ops::ReduceOp;
use rondo::{Comm, DType, Device, Engine, Graph, LossScaler, Optimizer, OptimizerKind, Result, Tensor, Variable};

struct Network {
    x: Tensor,
    labels: Tensor,
    w: Tensor,
    optimizer: Optimizer,
    scaler: LossScaler,
    ranks: Vec<Comm>,
}

impl Network {
    fn new(engine: &Engine, device: Device) -> Result<Network> {
        let values: Vec<f32> = (0..12).map(|i| ((i * 7) % 5) as f32 / 4.0 - 0.5).collect();
        let w = Tensor::from_slice(engine, device, [3, 4], &values)?;
        Ok(Network {
            x: Tensor::zeros(engine, device, DType::F32, [2, 3])?,
            labels: Tensor::from_slice(engine, device, 2, &[0i64, 2])?,
            optimizer: Optimizer::builder(OptimizerKind::Adamw, 0.01).build(&[&w])?,
            scaler: LossScaler::builder(engine, device).build()?,
            ranks: Comm::all(engine, &[device])?,
            w,
        })
    }

    fn train(&self) -> Result<Tensor> {
        let tape = self.x.engine().tape(&[&self.w])?;
        let loss = self.x.matmul(&self.w)?.cross_entropy(&self.labels)?.mean(..)?;
        self.optimizer.step(&[&tape.gradient(&loss, &self.w)?])?;
        Ok(loss)
    }

    fn train_on_ranks(&self) -> Result<Tensor> {
        let tape = self.x.engine().tape(&[&self.w])?;
        let loss = self.x.matmul(&self.w)?.cross_entropy(&self.labels)?.mean(..)?;
        let gradient = tape.gradient(&loss, &self.w)?;
        self.ranks[0].all_reduce_into(&gradient, ReduceOp::Mean, &gradient)?;
        self.optimizer.step(&[&gradient])?;
        Ok(loss)
    }

    fn train_in_half(&self) -> Result<Tensor> {
        let engine = self.x.engine();
        let tape = engine.tape(&[&self.w])?;
        let loss = engine.autocast(DType::F16, || self.x.matmul(&self.w)?.cross_entropy(&self.labels)?.mean(..))?;
        let gradient = tape.gradient(&self.scaler.scale(&loss)?, &self.w)?;
        self.scaler.step(&self.optimizer, &[&gradient])?;
        self.scaler.update()?;
        Ok(loss)
    }
}

const BATCHES: [[f32; 6]; 3] = [[1., -1., 0.5, 0., 2., 1.], [0.25, 1., 1., -2., 0., 0.5], [3., 1., -1., 0., 0., 1.]];

fn losses_of_launches(net: &Network, step: fn(&Network) -> Result<Tensor>) -> Result<Vec<f32>> {
    let (graph, loss) = net.x.engine().record(|| step(net))?;
    let mut losses = Vec::new();
    for batch in &BATCHES {
        net.x.write(batch)?;
        graph.launch()?;
        losses.push(loss.item::<f32>()?);
    }
    Ok(losses)
}

/// Trains eagerly and from a graph; both end with the same weights.
fn compare(engine: &Engine, device: Device, step: fn(&Network) -> Result<Tensor>) -> Result<()> {
    let eager = Network::new(engine, device)?;
    let mut losses = Vec::new();
    for batch in &BATCHES {
        eager.x.write(batch)?;
        losses.push(step(&eager)?.item::<f32>()?);
    }
    let net = Network::new(engine, device)?;
    assert_eq!(losses_of_launches(&net, step)?, losses);
    assert_eq!(net.w.to_vec::<f32>()?, eager.w.to_vec::<f32>()?);
    Ok(())
}

#[test]
fn whole_steps() {
    everywhere(|engine, device| compare(engine, device, Network::train).unwrap());
}

#[test]
fn mixed_precision_inside() {
    everywhere(|engine, device| compare(engine, device, Network::train_in_half).unwrap());
}

#[test]
fn collectives_inside() {
    everywhere(|engine, device| compare(engine, device, Network::train_on_ranks).unwrap());
}

fn gradient_of_parts(engine: &Engine, x: &Tensor, w: &Arc<Tensor>) -> Result<Tensor> {
    let weights = Arc::clone(w);
    let part = engine.callable(1, move |x| Ok(vec![x[0].matmul(&weights)?.tanh()?]))?;
    let tape = engine.tape(&[w])?;
    let y = &part.call(&[x])?[0];
    tape.gradient(&y.sum(..)?, w)
}

#[test]
fn graphed_parts() {
    everywhere(|engine, device| {
        let x = Tensor::new(engine, device, [[1f32, 2.], [-1., 0.5]]).unwrap();
        let w = Arc::new(Tensor::new(engine, device, [[0.5f32, 0.25], [-0.5, 1.]]).unwrap());
        let tape = engine.tape(&[&w]).unwrap();
        let y = x.matmul(&w).unwrap().tanh().unwrap();
        let eager = tape.gradient(&y.sum(..).unwrap(), &w).unwrap();
        let graphed = gradient_of_parts(engine, &x, &w).unwrap();
        assert_eq!(graphed.to_vec::<f32>().unwrap(), eager.to_vec::<f32>().unwrap());
    });
}

fn for_batches_of(batch: i64, net: &Network) -> Result<Graph> {
    let (engine, device) = (net.x.engine(), net.x.device()?);
    let (graph, ()) = engine.recording().callable().arena("batches").record(|| {
        let x = engine.record_input(device, DType::F32, [batch, 3])?;
        engine.record_output(&x.matmul(&net.w)?.softmax(-1)?)
    })?;
    Ok(graph)
}

fn shared_memory(net: &Network, batches: &[Tensor]) -> Result<Vec<Tensor>> {
    let graphs = [for_batches_of(32, net)?, for_batches_of(16, net)?, for_batches_of(8, net)?]; // the largest first
    let mut results = Vec::new();
    for (graph, x) in graphs.iter().zip(batches) {
        results.push(graph.call(&[x])?.remove(0)); // the caller's; no later call overwrites it
    }
    Ok(results)
}

#[test]
fn graphs_share_memory() {
    everywhere(|engine, device| {
        let net = Network::new(engine, device).unwrap();
        let batches = [32, 16, 8].map(|rows| Tensor::ones(engine, device, DType::F32, [rows, 3]).unwrap());
        let results = shared_memory(&net, &batches).unwrap();
        for (y, x) in results.iter().zip(&batches) {
            let eager = x.matmul(&net.w).unwrap().softmax(-1).unwrap();
            assert_eq!(y.to_vec::<f32>().unwrap(), eager.to_vec::<f32>().unwrap());
        }
    });
}

fn engine_calls(engine: &Engine, x: &Tensor) -> Result<usize> {
    let counted = Arc::new(AtomicUsize::new(0));
    let written = Variable::new(engine)?;
    for _ in 0..10 {
        let counter = Arc::clone(&counted);
        engine.task("count").reads(x).writes(&written).submit(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })?;
    }
    written.wait()?;
    Ok(counted.load(Ordering::Relaxed))
}

#[test]
fn tasks_of_ones_own() {
    everywhere(|engine, device| {
        let x = Tensor::ones(engine, device, DType::F32, 4).unwrap();
        assert_eq!(engine_calls(engine, &x).unwrap(), 10);
    });
}
