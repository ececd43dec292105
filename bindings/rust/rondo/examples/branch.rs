//! A training step with a branch in it, as one graph: which of two layers a batch goes through is known on the device
//! only. The same function is called eagerly and recorded: to the same bits, and in less time.
//!
//!     cargo run --release --example branch -- [cpu|cuda:0]
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::cell::Cell;
use std::time::Instant;

use rondo::{ops, DType, Device, Engine, Result, Tensor};

const BATCH: usize = 8;
const WIDTH: usize = 16;
const STEPS: usize = 200;

struct Network {
    engine: Engine,
    device: Device,
    x: Tensor,          // a batch, of which tanh(x) is to come
    loss: Tensor,       // how far off it was
    w: [Tensor; 3],     // of the first layer, and of the two that follow it by turns
    calls: Cell<usize>, // of the closures that issue bodies
}

impl Network {
    fn new(device: Device) -> Result<Self> {
        let engine = Engine::new()?;
        let weights = || Tensor::zeros(&engine, device, DType::F32, [WIDTH, WIDTH]);
        Ok(Network {
            x: Tensor::zeros(&engine, device, DType::F32, [BATCH, WIDTH])?,
            loss: Tensor::zeros(&engine, device, DType::F32, ())?,
            w: [weights()?, weights()?, weights()?],
            calls: Cell::new(0),
            engine,
            device,
        })
    }

    fn begin(&self) -> Result<()> {
        self.engine.seed(7)?;
        self.calls.set(0);
        for each in &self.w {
            let drawn = ops::random_normal(&self.engine, self.device, DType::F32, [WIDTH, WIDTH], 0.0, 0.25)?;
            drawn.copy_into(each)?;
        }
        Ok(())
    }

    fn next_batch(&self) -> Result<()> {
        let drawn = ops::random_normal(&self.engine, self.device, DType::F32, [BATCH, WIDTH], 0.0, 1.0)?;
        drawn.copy_into(&self.x)
    }

    /// A body: forwards through the first layer and the one given, and back.
    fn train(&self, second: &Tensor) -> Result<()> {
        self.calls.set(self.calls.get() + 1);
        let layers = [&self.w[0], second];
        let tape = self.engine.tape(&layers)?;
        let off = self.x.matmul(layers[0])?.matmul(second)?.squared_difference(&self.x.tanh()?)?;
        let loss = off.mean(..)?;
        let gradients = tape.gradients(&loss, &layers)?;
        for (layer, gradient) in layers.iter().zip(&gradients) {
            layer.sub_assign(&gradient.mul(0.2)?)?;
        }
        loss.copy_into(&self.loss) // made before the branch, so that it outlives it
    }

    fn step(&self) -> Result<()> {
        let positive = self.x.sum(..)?.gt(0.0)?;
        self.engine.if_else(&positive, || self.train(&self.w[1]), || self.train(&self.w[2]))
    }

    /// Trains; gives all weights' bits.
    fn run(&self, how: &str, step: &dyn Fn() -> Result<()>) -> Result<Vec<u32>> {
        self.begin()?;
        let (mut first, mut begin) = (0.0, Instant::now());
        for i in 0..STEPS {
            self.next_batch()?;
            step()?;
            if i == 0 {
                first = self.loss.item::<f32>()?;
                begin = Instant::now();
            }
        }
        let last = self.loss.item::<f32>()?; // waits
        let spent = begin.elapsed().as_secs_f64() * 1e6 / STEPS as f64;
        println!(
            "{}: loss {:.3} at first, {:.3} at last; {:.0} us a step; functions of bodies were called {} times",
            how,
            first,
            last,
            spent,
            self.calls.get()
        );
        let mut bits = Vec::new();
        for each in &self.w {
            bits.extend(each.to_vec::<f32>()?.iter().map(|weight| weight.to_bits()));
        }
        Ok(bits)
    }
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let device: Device = std::env::args().nth(1).unwrap_or_else(|| "cpu".into()).parse()?;
    let network = Network::new(device)?;
    network.begin()?;
    network.next_batch()?;
    let (graph, ()) = network.engine.record(|| network.step())?; // nothing runs; both bodies are kept

    // Eagerly it waits for the number, and calls one of the two closures; the graph decides without this thread.
    let eager = network.run("called eagerly", &|| network.step())?;
    let launched = network.run("launched", &|| graph.launch())?;
    println!("{} decided", if graph.info()?.conditional_nodes > 0 { "the CUDA graph" } else { "the host" });
    if eager != launched {
        return Err("the weights differ".into());
    }
    println!("the weights are equal, bit for bit");
    Ok(())
}
