//! Program files: functions are saved with their names and called on another engine; what a file says; what is refused.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
mod common;

use std::path::PathBuf;
use std::{env, fs, process, thread};

use common::everywhere;
use rondo::{DType, Device, Engine, ErrorKind, Graph, Program, ProgramWriter, Result, Tensor};

struct File(PathBuf);

impl File {
    fn new(name: &str) -> File {
        File(env::temp_dir().join(format!("rondo-rust-program-{}-{}.safetensors", name, process::id())))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A function of vectors of two numbers.
fn callable(engine: &Engine, device: Device, inputs: usize, body: impl Fn(&[Tensor]) -> Result<Tensor>) -> Graph {
    let recorded = engine.recording().callable().record(|| {
        let given = (0..inputs).map(|_| engine.record_input(device, DType::F32, 2)).collect::<Result<Vec<_>>>()?;
        engine.record_output(&body(&given)?)
    });
    recorded.unwrap().0
}

fn vector(engine: &Engine, device: Device, values: [f32; 2]) -> Tensor {
    Tensor::from_slice(engine, device, 2, &values).unwrap()
}

/// Two functions that share a weight; one counts in a state.
struct Saved {
    w: Tensor,
    total: Tensor,
    scale: Graph,
    count: Graph,
}

impl Saved {
    fn new(engine: &Engine, device: Device) -> Saved {
        let (w, total) = (vector(engine, device, [2.0, 3.0]), vector(engine, device, [0.0, 1.0]));
        let scale = callable(engine, device, 2, |given| given[0].mul(&w)?.add(&given[1]));
        let count = callable(engine, device, 1, |given| {
            total.add_assign(&given[0].mul(&w)?)?;
            total.mul(1)
        });
        Saved { w, total, scale, count }
    }

    fn writer(&self) -> ProgramWriter<'_> {
        Program::writer()
            .function_named("scale", &self.scale, ["x", "y"], ["sum"])
            .function("count", &self.count)
            .weight("w", &self.w)
            .weight("total", &self.total)
            .metadata("labels", "cat\ndog")
    }
}

#[test]
fn saved_functions_are_called_on_another_engine() {
    let file = File::new("called");
    everywhere(|engine, device| {
        let saved = Saved::new(engine, device);
        saved.writer().write(&file.0).unwrap();

        let other = Engine::new().unwrap();
        let (x, y) = (vector(&other, device, [1.0, 10.0]), vector(&other, device, [5.0, 5.0]));
        let instance = Program::open(&file.0).unwrap().instance(&other, device).unwrap(); // keeps the file open
        assert_eq!(instance.call("scale", &[&x, &y]).unwrap()[0].to_vec::<f32>().unwrap(), [7.0, 35.0]);
        assert_eq!(instance.call("count", &[&x]).unwrap()[0].to_vec::<f32>().unwrap(), [2.0, 31.0]);
        let out = vector(&other, device, [0.0, 0.0]);
        instance.call_into("count", &[&x], &[&out]).unwrap();
        assert_eq!(out.to_vec::<f32>().unwrap(), [4.0, 61.0]);
        assert_eq!(instance.weight("total").unwrap().to_vec::<f32>().unwrap(), [4.0, 61.0]);
        assert_eq!(saved.total.to_vec::<f32>().unwrap(), [0.0, 1.0]); // each instance has its own state
        let graph = instance.graph("scale").unwrap();
        drop(instance);
        assert_eq!(graph.call(&[&y, &x]).unwrap()[0].to_vec::<f32>().unwrap(), [11.0, 25.0]);
    });
}

#[test]
fn threads_call_one_instance() {
    let file = File::new("threads");
    let engine = Engine::new().unwrap();
    Saved::new(&engine, Device::CPU).writer().write(&file.0).unwrap();
    let instance = Program::open(&file.0).unwrap().instance(&engine, Device::CPU).unwrap();
    thread::scope(|scope| {
        for number in 0..4u8 {
            let (instance, engine) = (&instance, &engine);
            scope.spawn(move || {
                let number = f32::from(number);
                let (x, y) = (vector(engine, Device::CPU, [number, 1.0]), vector(engine, Device::CPU, [1.0, 1.0]));
                for _ in 0..50 {
                    let sum = instance.call("scale", &[&x, &y]).unwrap()[0].to_vec::<f32>().unwrap();
                    assert_eq!(sum, [2.0 * number + 1.0, 4.0]);
                }
            });
        }
    });
}

#[test]
fn a_file_says_what_is_in_it() {
    let file = File::new("says");
    let engine = Engine::new().unwrap();
    let saved = Saved::new(&engine, Device::CPU);
    saved.writer().write(&file.0).unwrap();
    let program = Program::open(&file.0).unwrap();
    assert_eq!(format!("{:?}", program), "Program(2 functions, 2 weights)");
    let info = program.info().unwrap();
    assert_eq!((info.functions, info.weights, info.weight_bytes, info.state_bytes, &*info.needs), (2, 2, 8, 8, "0.1"));
    let functions = program.functions().unwrap();
    let names: Vec<_> = functions.iter().map(|each| &*each.name).collect();
    assert_eq!(names, ["scale", "count"]);
    let inputs: Vec<_> = functions[0].inputs.iter().map(|each| &*each.name).collect();
    assert_eq!((inputs, &*functions[0].outputs[0].name), (vec!["x", "y"], "sum"));
    assert_eq!((functions[0].inputs[0].dtype, &*functions[0].inputs[0].shape), (DType::F32, &[2][..]));
    assert_eq!((&*functions[1].inputs[0].name, &*functions[1].outputs[0].name), ("input0", "output0"));
    assert_eq!(program.find("count").unwrap(), 1);
    let states: Vec<_> = program.weights().unwrap().into_iter().map(|each| (each.name, each.state)).collect();
    assert_eq!(states.len(), 2);
    assert!(states.iter().all(|(name, state)| *state == (name == "total")), "{:?}", states);
    assert_eq!(program.metadata().unwrap(), [("labels".to_string(), "cat\ndog".to_string())]);
    assert!(program.text().unwrap().starts_with("{\"rondo_program\":1"));
}

#[test]
fn what_is_wrong_is_refused() {
    let file = File::new("wrong");
    let engine = Engine::new().unwrap();
    let saved = Saved::new(&engine, Device::CPU);
    let few = Program::writer().function_named("scale", &saved.scale, ["x"], ["sum"]).write(&file.0).unwrap_err();
    assert_eq!(few.kind(), ErrorKind::InvalidArgument);
    assert!(few.to_string().contains("function 'scale' has 2 inputs, not 1"), "{}", few);
    let zero = Program::writer().function("a\0b", &saved.scale).write(&file.0).unwrap_err();
    assert!(zero.to_string().contains("a function's name contains a zero byte"), "{}", zero);
    let unused = saved.w.copy().unwrap();
    let unused = Program::writer().function("scale", &saved.scale).weight("unused", &unused).write(&file.0);
    assert_eq!(unused.unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(Program::open(&file.0).unwrap_err().kind(), ErrorKind::NotFound, "nothing was written");
    let (launched, ()) = engine.record(|| saved.w.add_into(1, &saved.w)).unwrap();
    assert!(Program::writer().function("launched", &launched).write(&file.0).is_err());

    saved.writer().write(&file.0).unwrap();
    let program = Program::open(&file.0).unwrap();
    let missing = program.find("none").unwrap_err();
    assert!(missing.kind() == ErrorKind::NotFound && missing.to_string().contains("'scale', 'count'"), "{}", missing);
    let instance = program.instance(&engine, Device::CPU).unwrap();
    assert_eq!(instance.call("none", &[]).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(instance.weight("none").unwrap_err().kind(), ErrorKind::NotFound);
    let few = instance.call_into("scale", &[&saved.w], &[]).unwrap_err();
    assert!(few.kind() == ErrorKind::InvalidArgument && few.to_string().contains("ProgramInstance"), "{}", few);
    fs::write(&file.0, b"no header").unwrap();
    assert_eq!(Program::open(&file.0).unwrap_err().kind(), ErrorKind::IoError);
}
