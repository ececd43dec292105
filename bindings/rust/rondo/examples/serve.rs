//! Answers requests of many threads with one model on one engine. Writing an input, launching and reading the output are
//! three steps, so no two threads may share a graph's input: here each server thread has a graph of its own, and all of
//! them share the weights.
//!
//!     cargo run --release --example serve -- [cpu|cuda:0 [requests of each client]]
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use rondo::ops::{self, Activation, Matmul};
use rondo::{DType, Device, Engine, Graph, Result, Tensor};

const INPUTS: usize = 64;
const HIDDEN: usize = 128;
const CLASSES: usize = 10;
const SERVERS: usize = 4;
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

struct Request {
    pixels: Vec<f32>,
    reply: Sender<Result<Vec<f32>>>,
}

/// A thread that serves: what it launches reads its own input and writes its own output.
struct Server {
    input: Tensor,
    output: Tensor,
    graph: Graph,
}

impl Server {
    fn new(engine: &Engine, device: Device, model: &Model) -> Result<Self> {
        let input = Tensor::zeros(engine, device, DType::F32, [1, INPUTS])?;
        let (graph, output) = engine.recording().name("serve").record(|| model.probabilities(&input))?;
        Ok(Server { input, output, graph })
    }

    fn answer(&self, pixels: &[f32]) -> Result<Vec<f32>> {
        self.input.write(pixels)?;
        self.graph.launch()?;
        self.output.to_vec()
    }

    fn run(&self, requests: &Mutex<Receiver<Request>>) {
        loop {
            let request = requests.lock().unwrap().recv();
            match request {
                Ok(request) => drop(request.reply.send(self.answer(&request.pixels))), // the client may have gone
                Err(_) => return,                                                      // all of them have
            }
        }
    }
}

fn pixels(client: usize, number: usize) -> Vec<f32> {
    (0..INPUTS).map(|i| ((i * 7 + client * 31 + number * 13) % 17) as f32 / 17.0).collect()
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let device: Device = std::env::args().nth(1).unwrap_or_else(|| "cpu".into()).parse()?;
    let each: usize = std::env::args().nth(2).unwrap_or_else(|| "50".into()).parse()?;
    let engine = Engine::builder().seed(1).build()?;
    let model = Model::new(&engine, device)?;
    let servers = (0..SERVERS).map(|_| Server::new(&engine, device, &model)).collect::<Result<Vec<_>>>()?;
    let (queue, requests) = channel::<Request>();
    let requests = Mutex::new(requests);
    let wrong = Arc::new(Mutex::new(0));

    let begin = Instant::now();
    thread::scope(|scope| {
        for server in &servers {
            let requests = &requests;
            scope.spawn(move || server.run(requests));
        }
        for client in 0..CLIENTS {
            let (queue, wrong, model, engine) = (queue.clone(), Arc::clone(&wrong), &model, &engine);
            scope.spawn(move || {
                for number in 0..each {
                    let (reply, answer) = channel();
                    queue.send(Request { pixels: pixels(client, number), reply }).expect("the servers run");
                    let answer = answer.recv().expect("every request is answered").expect("an answer");
                    // What one operator after the other gives, on the same weights.
                    let input = Tensor::from_slice(engine, device, [1, INPUTS], &pixels(client, number)).unwrap();
                    let expected = model.probabilities(&input).and_then(|y| y.to_vec::<f32>()).unwrap();
                    *wrong.lock().unwrap() += usize::from(answer != expected);
                }
            });
        }
        drop(queue); // the servers end when the last client's clone is gone
    });

    let wrong = *wrong.lock().unwrap();
    let total = CLIENTS * each;
    println!("{} answers on {} in {:?}, {} of them wrong", total, device, begin.elapsed(), wrong);
    std::process::exit(i32::from(wrong != 0));
}
