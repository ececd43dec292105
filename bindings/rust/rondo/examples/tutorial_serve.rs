//! Asks the network that tutorial_train.rs has trained, from four threads at once: a callable is a graph that any thread calls with
//! tensors of its own. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::thread;

use rondo::{Device, Engine, ModelFile, Result, Tensor};

fn main() -> Result<()> {
    let (engine, device) = (Engine::new()?, Device::CPU); // Device::cuda(0): the first GPU
    let file = ModelFile::open("xor.safetensors")?;
    let (hidden, last) = (file.load("hidden", &engine, device)?, file.load("last", &engine, device)?);

    // What the network makes of bits. It is recorded at the first call of a shape.
    let network = engine.callable(1, move |x| Ok(vec![x[0].matmul(&hidden)?.tanh()?.matmul(&last)?.argmax(1)?]))?;

    let ask = |a: f32, b: f32| -> Result<i64> {
        let x = Tensor::new(&engine, device, [[a, b, 1.]])?; // 1 for the bias
        network.call(&[&x])?[0].item::<i64>() // waits for this answer alone
    };
    thread::scope(|scope| {
        let threads = [(0., 0.), (0., 1.), (1., 0.), (1., 1.)].map(|(a, b)| (a, b, scope.spawn(move || ask(a, b))));
        for (a, b, answer) in threads {
            println!("{a} xor {b} = {}", answer.join().expect("no panic")?);
        }
        Ok(())
    })
}
