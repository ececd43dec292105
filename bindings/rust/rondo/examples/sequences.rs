//! Calls what the example of the same name in C++ has saved: a layer of LSTM, and a loop that makes words one by one, with
//! keys and values of those before in a cache, which is a state of the instance.
//! usage: sequences call FILE [DEVICE]   "cpu" (without an argument) or "cuda:0"
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use rondo::{Device, Engine, Program, Result, Tensor};

fn call(path: &str, device: Device) -> Result<()> {
    let engine = Engine::new()?;
    let instance = Program::open(path)?.instance(&engine, device)?;
    let x = Tensor::from_slice(&engine, device, (5, 1, 3), &[0.5f32; 15])?;
    for row in instance.call("layer", &[&x])?[0].to_vec::<f32>()?.chunks(4) {
        println!("{:.3} {:.3} {:.3} {:.3}", row[0], row[1], row[2], row[3]);
    }
    let count = Tensor::new(&engine, device, [6i64])?;
    for first in [1i64, 4] {
        let first = Tensor::new(&engine, device, [first])?;
        let words = instance.call("generate", &[&first, &count])?[0].to_vec::<i64>()?;
        println!("{}", words.iter().map(i64::to_string).collect::<Vec<_>>().join(" "));
    }
    Ok(())
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["call", path] => call(path, Device::CPU)?,
        ["call", path, device] => call(path, device.parse()?)?,
        _ => {
            eprintln!("usage: sequences call FILE [DEVICE]");
            std::process::exit(2);
        }
    }
    Ok(())
}
