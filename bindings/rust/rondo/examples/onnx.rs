//! An ONNX model that is converted and called: it says what the model takes and gives, and what it gives for inputs of ones.
//! usage: onnx MODEL.onnx [NAME=SIZE]...   sizes of dimensions that the model names
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use rondo::onnx::Model;
use rondo::{DType, Device, Engine, ProgramValue, Tensor};

/// `pixels [2, 3]`
fn text(value: &ProgramValue) -> String {
    format!("{} {:?}", value.name, value.shape)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (path, sizes) = words.split_first().ok_or("usage: onnx MODEL.onnx [NAME=SIZE]...")?;
    let mut model = Model::new(path);
    for word in sizes {
        let (name, size) = word.rsplit_once('=').ok_or("a size is NAME=SIZE")?;
        model = model.size(name, size.parse()?);
    }
    let engine = Engine::new()?;
    let program = model.open()?;
    let function = &program.functions()?[program.find("main")?];
    for (key, value) in program.metadata()? {
        println!("{key}: {value}");
    }
    let instance = program.instance(&engine, Device::CPU)?;
    let mut ones = Vec::new();
    for input in &function.inputs {
        println!("takes {}", text(input));
        ones.push(Tensor::full(&engine, Device::CPU, input.dtype, input.shape.clone(), 1.0)?);
    }
    let results = instance.call("main", &ones.iter().collect::<Vec<_>>())?;
    for (output, result) in function.outputs.iter().zip(&results) {
        println!("gives {}, {:.4} in the mean", text(output), result.cast(DType::F32)?.mean(..)?.item::<f32>()?);
    }
    Ok(())
}
