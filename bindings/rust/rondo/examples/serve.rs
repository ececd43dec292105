//! Answers requests of many threads with one model on one engine: the model is recorded once, as a graph that is called,
//! and each thread calls it with tensors of its own. Nothing is locked.
//!
//!     cargo run --release --example serve -- [cpu|cuda:0 [requests of each client]]
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use rondo::ops::{self, Activation, Matmul};
use rondo::{DType, Device, Engine, Graph, Result, Tensor};

const INPUTS: usize = 64;
const HIDDEN: usize = 128;
const CLASSES: usize = 10;
const CLIENTS: usize = 32;

struct Model {
    first: Tensor,
    second: Tensor,
}

impl Model {
    fn new(engine: &Engine, device: Device) -> Result<Self> {
        let weights = |shape| ops::random_uniform(engine, device, DType::F32, shape, -0.3, 0.3);
        Ok(Model { first: weights([INPUTS, HIDDEN])?, second: weights([HIDDEN, CLASSES])? })
    }

    fn probabilities(&self, input: &Tensor) -> Result<Tensor> {
        let hidden = input.matmul_with(&self.first, Matmul::new().activation(Activation::Relu))?;
        hidden.matmul(&self.second)?.softmax(-1)
    }
}

fn record(engine: &Engine, device: Device, model: &Model) -> Result<Graph> {
    let (graph, ()) = engine.recording().name("serve").callable().sites().record(|| {
        let input = engine.record_input(device, DType::F32, [1, INPUTS])?;
        engine.record_output(&model.probabilities(&input)?)
    })?;
    Ok(graph)
}

fn pixels(client: usize, number: usize) -> Vec<f32> {
    (0..INPUTS).map(|i| ((i * 7 + client * 31 + number * 13) % 17) as f32 / 17.0).collect()
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let device: Device = std::env::args().nth(1).unwrap_or_else(|| "cpu".into()).parse()?;
    let each: usize = std::env::args().nth(2).unwrap_or_else(|| "50".into()).parse()?;
    let engine = Engine::builder().seed(1).build()?;
    let model = Model::new(&engine, device)?;
    let graph = record(&engine, device, &model)?;
    let wrong = AtomicUsize::new(0);

    let begin = Instant::now();
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (graph, wrong, model, engine) = (&graph, &wrong, &model, &engine);
            scope.spawn(move || {
                let serve = |number| -> Result<bool> {
                    let input = Tensor::from_slice(engine, device, [1, INPUTS], &pixels(client, number))?;
                    let answer = graph.call(&[&input])?[0].to_vec::<f32>()?;
                    // What one operator after the other gives, on the same weights.
                    Ok(answer == model.probabilities(&input)?.to_vec::<f32>()?)
                };
                for number in 0..each {
                    let right = serve(number).expect("an answer");
                    wrong.fetch_add(usize::from(!right), Ordering::Relaxed);
                }
            });
        }
    });

    let input = Tensor::from_slice(&engine, device, [1, INPUTS], &pixels(0, 0))?;
    graph.profile_call(&[&input])?; // one call more, whose tasks are timed one by one
    println!("{}", graph.report()?);

    let wrong = wrong.into_inner();
    let total = CLIENTS * each;
    println!("{} answers on {} in {:?}, {} of them wrong", total, device, begin.elapsed(), wrong);
    std::process::exit(i32::from(wrong != 0));
}
