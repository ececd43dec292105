//! A classifier that is saved as a program file, and called where nothing but the file is: by this program, or by those of
//! the same name in C, C++ and Java. They write the same bytes.
//! usage: program save FILE | call FILE [DEVICE]   "cpu" (without an argument) or "cuda:0"
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use rondo::ops::Matmul;
use rondo::{DType, Device, Engine, Program, ProgramAxis, ProgramDim, ProgramValue, Result, Tensor};

fn save(path: &str) -> Result<()> {
    let (engine, device) = (Engine::new()?, Device::CPU);
    let w = Tensor::new(&engine, device, [[1f32, 0.0], [0.0, 1.0], [0.5, 0.5]])?;
    let b = Tensor::new(&engine, device, [0f32, 0.25])?;
    // It is called for a few numbers of rows, and the file takes any other.
    let record = |sizes: &[usize]| {
        let (graph, ()) = engine.recording().callable().record(|| {
            let x = engine.record_input(device, DType::F32, (sizes[0], 3))?;
            engine.record_output(&x.matmul_with(&w, Matmul::new().bias(&b))?.softmax(1)?)
        })?;
        Ok(graph)
    };
    Program::writer()
        .dim("rows", 1, 64)
        .sized_named("classify", ["pixels"], ["scores"], record)
        .weight("w", &w)
        .weight("b", &b)
        .metadata("labels", "cat dog")
        .write(path)
}

/// `pixels [rows, 3]`
fn text(dims: &[ProgramDim], value: &ProgramValue) -> String {
    let size = |(axis, size): (&ProgramAxis, &usize)| match axis {
        ProgramAxis::Dim(dim) => dims[*dim].name.clone(),
        _ => size.to_string(),
    };
    let sizes: Vec<String> = value.axes.iter().zip(&value.shape).map(size).collect();
    format!("{} [{}]", value.name, sizes.join(", "))
}

fn call(path: &str, device: Device) -> Result<()> {
    let engine = Engine::new()?;
    let program = Program::open(path)?; // says what is in it before any weight is read
    let function = &program.functions()?[0];
    let dims = program.dims()?;
    println!("{}: {} -> {}", function.name, text(&dims, &function.inputs[0]), text(&dims, &function.outputs[0]));
    for (key, value) in program.metadata()? {
        println!("{key}: {value}");
    }

    let instance = program.instance(&engine, device)?;
    let x = Tensor::new(&engine, device, [[2f32, 0.0, 1.0], [0.0, 2.0, 1.0]])?;
    let scores = instance.call(&function.name, &[&x])?[0].to_vec::<f32>()?;
    for row in scores.chunks(2) {
        println!("{:.3} {:.3}", row[0], row[1]);
    }
    Ok(())
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["save", path] => save(path)?,
        ["call", path] => call(path, Device::CPU)?,
        ["call", path, device] => call(path, device.parse()?)?,
        _ => {
            eprintln!("usage: program save FILE | call FILE [DEVICE]");
            std::process::exit(2);
        }
    }
    Ok(())
}
