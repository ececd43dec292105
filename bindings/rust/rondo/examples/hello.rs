//! The smallest whole program: two tensors, an addition, the same addition recorded and launched twice.
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use rondo::{Device, Engine, Tensor};

fn main() -> rondo::Result<()> {
    let (engine, device) = (Engine::new()?, Device::CPU); // Device::cuda(0): the first GPU; nothing else changes
    let a = Tensor::new(&engine, device, [1f32; 4])?;
    let b = Tensor::new(&engine, device, [0f32, 1.0, 2.0, 3.0])?;
    let c = (&a + &b)?; // returns before the work is done

    let (graph, ()) = engine.record(|| c.add_assign(&b))?; // kept, not run: c += b
    graph.launch()?; // ordered after the first addition, because it reads and writes c
    graph.launch()?;

    println!("{c}"); // waits for whatever writes c: 1 + 3 b
    Ok(())
}
