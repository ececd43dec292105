//! Trains a small network to tell exclusive or: ten steps as they are called, then the same step as a graph. The weights go
//! to the file xor.safetensors. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use rondo::ops;
use rondo::{DType, Device, Engine, ModelFile, Optimizer, OptimizerKind, Result, Tensor};

struct Network {
    x: Tensor,
    labels: Tensor,
    hidden: Tensor,
    last: Tensor,
    optimizer: Optimizer,
}

impl Network {
    fn new(engine: &Engine, device: Device) -> Result<Network> {
        let inputs = [[0f32, 0., 1.], [0., 1., 1.], [1., 0., 1.], [1., 1., 1.]]; // two bits, and 1 for the bias
        let hidden = ops::random_normal(engine, device, DType::F32, [3, 8], 0.0, 1.0)?;
        let last = ops::random_normal(engine, device, DType::F32, [8, 2], 0.0, 1.0)?;
        Ok(Network {
            x: Tensor::new(engine, device, inputs)?,
            labels: Tensor::new(engine, device, [0i64, 1, 1, 0])?,
            optimizer: Optimizer::builder(OptimizerKind::Adam, 0.05).build(&[&hidden, &last])?,
            hidden,
            last,
        })
    }

    /// One step: forward, gradients, update. Gives the loss.
    fn step(&self) -> Result<Tensor> {
        let tape = self.x.engine().tape(&[&self.hidden, &self.last])?;
        let logits = self.x.matmul(&self.hidden)?.tanh()?.matmul(&self.last)?;
        let loss = logits.cross_entropy(&self.labels)?.mean(..)?;
        let gradients = tape.gradients(&loss, &[&self.hidden, &self.last])?;
        self.optimizer.step(&[&gradients[0], &gradients[1]])?;
        Ok(loss)
    }
}

fn main() -> Result<()> {
    let (engine, device) = (Engine::new()?, Device::CPU); // Device::cuda(0): the first GPU
    engine.seed(1)?;
    let net = Network::new(&engine, device)?;
    for _ in 0..9 {
        net.step()?; // returns before the work is done
    }
    println!("after 10 steps the loss is {:.4}", net.step()?.item::<f32>()?); // waits for the step

    let (graph, loss) = engine.record(|| net.step())?; // kept, not run
    for _ in 0..190 {
        graph.launch()?;
    }
    println!("after 190 launches of the graph it is {:.4}", loss.item::<f32>()?);
    ModelFile::write("xor.safetensors", [("hidden", &net.hidden), ("last", &net.last)], [("", ""); 0])
}
