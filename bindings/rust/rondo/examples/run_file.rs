//! Calls functions of any program file, one after the other, on tensors of a safetensors file, and writes what the last
//! one gives. States are the instance's, so a step of training that is named three times is three steps.
//! usage: run_file DEVICE PROGRAM INPUTS OUTPUTS FUNCTION...
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use rondo::{Engine, ModelFile, Program, Tensor};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [device, program, inputs, outputs, functions @ ..] = &words[..] else {
        eprintln!("usage: run_file DEVICE PROGRAM INPUTS OUTPUTS FUNCTION...");
        std::process::exit(2);
    };
    let (engine, device) = (Engine::new()?, device.parse()?);
    let program = Program::open(program)?;
    let instance = program.instance(&engine, device)?;
    let (given, all) = (ModelFile::open(inputs)?, program.functions()?);
    let mut last = Vec::new();
    for name in functions {
        let function = &all[program.find(name)?];
        let inputs = function.inputs.iter().map(|each| given.load(&each.name, &engine, device));
        let inputs = inputs.collect::<rondo::Result<Vec<Tensor>>>()?;
        let made = instance.call(name, &inputs.iter().collect::<Vec<_>>())?;
        last = function.outputs.iter().map(|each| each.name.to_string()).zip(made).collect();
    }
    let named = last.iter().map(|(name, tensor)| (name, tensor));
    ModelFile::write(outputs, named, Vec::<(String, String)>::new())?;
    Ok(())
}
