//! Program files: functions are saved with their names and called on another engine; what a file says; what is refused.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
mod common;

use std::path::PathBuf;
use std::time::Duration;
use std::{env, fs, process, thread};

use common::everywhere;
use rondo::{DType, Device, Engine, ErrorKind, Graph, Program, ProgramInstanceOptions, ProgramWriter, Result, Tensor};

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
fn memory_and_time_are_limited() {
    everywhere(|engine, device| {
        let file = File::new("limits");
        Saved::new(engine, device).writer().write(&file.0).unwrap();
        let program = Program::open(&file.0).unwrap();
        let memory = program.memory(engine, device, &[]).unwrap();
        assert_eq!((memory.weight_bytes, memory.state_bytes), (8, 8));
        let all = (memory.weight_bytes + memory.state_bytes + memory.graph_bytes) as i64;
        let limited = |bytes| program.instance_with(engine, device, &ProgramInstanceOptions::new().most_bytes(bytes));
        let refused = limited(all - 1).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::OutOfMemory);
        assert!(refused.message().contains("most_bytes is"), "{}", refused);
        let instance = limited(all).unwrap();
        let (x, y) = (vector(engine, device, [1.0, 10.0]), vector(engine, device, [5.0, 5.0]));
        let sum = instance.call_within(Duration::from_secs(60), "scale", &[&x, &y]).unwrap();
        assert_eq!(sum[0].to_vec::<f32>().unwrap(), [7.0, 35.0]);
        let refused = instance.call_within(Duration::ZERO, "scale", &[&x, &y]).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
        assert_eq!(instance.call_within(Duration::MAX, "none", &[&x]).unwrap_err().kind(), ErrorKind::NotFound);
    });
}

#[test]
fn making_has_a_limit_of_host_memory() {
    everywhere(|engine, device| {
        let file = File::new("host");
        let negative = callable(engine, device, 1, |given| given[0].neg());
        Program::writer().function("negative", &negative).write(&file.0).unwrap();
        let program = Program::open(&file.0).unwrap();
        program.limit_host_memory(1).unwrap();
        let refused = program.instance(engine, device).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::OutOfMemory);
        assert!(refused.message().contains("than 1 bytes"), "{}", refused);
        let wrong = program.limit_host_memory(-1).unwrap_err();
        assert_eq!(wrong.kind(), ErrorKind::InvalidArgument);
        assert!(wrong.message().contains("most_bytes is -1"), "{}", wrong);
        program.limit_host_memory(64 << 20).unwrap();
        program.instance(engine, device).unwrap();
        program.limit_host_memory(None).unwrap();
        let x = vector(engine, device, [1.0, 10.0]);
        let y = program.instance(engine, device).unwrap().call("negative", &[&x]).unwrap();
        assert_eq!(y[0].to_vec::<f32>().unwrap(), [-1.0, -10.0]);
    });
}

#[test]
fn making_ends_with_its_time() {
    everywhere(|engine, device| {
        let file = File::new("making");
        let long = callable(engine, device, 1, |given| {
            let mut x = given[0].neg()?;
            for _ in 0..3000 {
                x = x.neg()?;
            }
            Ok(x)
        });
        Program::writer().function("long", &long).write(&file.0).unwrap();
        let program = Program::open(&file.0).unwrap();
        program.limit_making(Duration::from_nanos(1)).unwrap(); // a millisecond
        let refused = program.instance(engine, device).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::TimedOut);
        assert!(refused.message().contains("1 ms"), "{}", refused);
        program.limit_making(Duration::MAX).unwrap();
        program.instance(engine, device).unwrap();
        program.limit_making(None).unwrap();
        let x = vector(engine, device, [1.0, 10.0]);
        let y = program.instance(engine, device).unwrap().call("long", &[&x]).unwrap();
        assert_eq!(y[0].to_vec::<f32>().unwrap(), [-1.0, -10.0]);
    });
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
fn bytes_and_names_stand_for_file_and_order() {
    let file = File::new("bytes");
    everywhere(|engine, device| {
        Saved::new(engine, device).writer().write(&file.0).unwrap();
        let mut bytes = fs::read(&file.0).unwrap();
        let program = Program::from_bytes(&bytes).unwrap();
        assert_eq!(program.text().unwrap(), Program::open(&file.0).unwrap().text().unwrap());
        bytes.fill(b'?'); // the program has a copy
        let instance = program.instance(engine, device).unwrap();
        let (x, y) = (vector(engine, device, [1.0, 10.0]), vector(engine, device, [5.0, 5.0]));
        for limit in [None, Some(Duration::from_secs(60))] {
            let sum = instance.call_named("scale", &[("y", &y), ("x", &x)], &["sum"], limit).unwrap();
            assert_eq!(sum[0].to_vec::<f32>().unwrap(), [7.0, 35.0]);
        }
        assert!(instance.call_named("scale", &[("y", &y), ("x", &x)], &[], None).unwrap().is_empty());
        let refused = |inputs: &[(&str, &Tensor)], outputs: &[&str], limit, kind, why: &str| {
            let error = instance.call_named("scale", inputs, outputs, limit).unwrap_err();
            assert_eq!(error.kind(), kind);
            assert!(error.message().contains(why), "{}", error);
        };
        let given = [("x", &x), ("y", &y)];
        refused(&given[..1], &["sum"], None, ErrorKind::InvalidArgument, "the function has 2");
        refused(&[given[0], given[0]], &["sum"], None, ErrorKind::InvalidArgument, "'x' once more");
        refused(&given, &["none"], None, ErrorKind::NotFound, "'none'");
        refused(&given, &["su\0m"], None, ErrorKind::InvalidArgument, "an output's name");
        refused(&given, &["sum"], Some(Duration::ZERO), ErrorKind::InvalidArgument, "limit is 0");
    });
    assert_eq!(Program::from_bytes(&[]).unwrap_err().kind(), ErrorKind::IoError);
    let json = b"{\"rondo.program.file\":1,\"metadata\":{},\"files\":[[\"w\",1,\"0\"]],\"program\":\n{}}\n";
    assert_eq!(Program::from_bytes(json).unwrap_err().kind(), ErrorKind::IoError);
    // no SHA-256
}

#[test]
fn json_beside_its_weights_is_the_same_program() {
    let folder = env::temp_dir().join(format!("rondo-rust-beside-{}", process::id()));
    fs::create_dir(&folder).unwrap();
    let (one, json) = (folder.join("one.safetensors"), folder.join("p.rondo.json"));
    let engine = Engine::new().unwrap();
    let saved = Saved::new(&engine, Device::CPU);
    saved.writer().write(&one).unwrap();
    saved.writer().weights_into("w.safetensors").write(&json).unwrap();
    let program = Program::open(&json).unwrap();
    assert_eq!(program.text().unwrap(), Program::open(&one).unwrap().text().unwrap());
    assert_eq!(program.metadata().unwrap(), [("labels".to_string(), "cat\ndog".to_string())]);
    let instance = program.instance(&engine, Device::CPU).unwrap();
    let x = vector(&engine, Device::CPU, [1.0, 10.0]);
    assert_eq!(instance.call("count", &[&x]).unwrap()[0].to_vec::<f32>().unwrap(), [2.0, 31.0]);
    instance.save(&one).unwrap();
    let again = Program::open(&one).unwrap().instance(&engine, Device::CPU).unwrap();
    assert_eq!(again.weight("total").unwrap().to_vec::<f32>().unwrap(), [2.0, 31.0]); // states as they are now
    let refused = instance.save_as_json(&json, None, &["w.safetensors"]).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
    assert!(refused.to_string().contains("shape or contents"), "{}", refused);
    let before = fs::read(&json).unwrap();
    let refused = instance.save_as_json(&json, None, &[]).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
    assert!(refused.to_string().contains("into is None and from is empty"), "{}", refused);
    assert_eq!(fs::read(&json).unwrap(), before);
    saved.writer().weights_from("w.safetensors").write(&json).unwrap(); // which has what is saved
    let refused = saved.writer().weights_from("none.safetensors").write(&json).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound);
    let mut bytes = fs::read(folder.join("w.safetensors")).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(folder.join("w.safetensors"), bytes).unwrap();
    let refused = Program::open(&json).unwrap().instance(&engine, Device::CPU).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::IoError);
    assert!(refused.to_string().contains("its SHA-256 is"), "{}", refused);
    fs::remove_dir_all(&folder).unwrap();
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

/// Rows times a weight, for any number of them.
fn rows(engine: &Engine, device: Device, w: &Tensor, sizes: &[usize]) -> Result<Graph> {
    let (graph, ()) = engine.recording().callable().record(|| {
        let x = engine.record_input(device, DType::F32, [sizes[0], 2])?;
        engine.record_output(&x.mul(w)?.reshape(2 * sizes[0])?)
    })?;
    Ok(graph)
}

#[test]
fn functions_whose_sizes_vary() {
    everywhere(|engine, device| {
        let file = File::new("sizes");
        let w = vector(engine, device, [2.0, 3.0]);
        Program::writer()
            .dim("n", 1, 100)
            .sized_named("rows", ["x"], ["y"], |sizes| rows(engine, device, &w, sizes))
            .weight("w", &w)
            .write(&file.0)
            .unwrap();
        let program = Program::open(&file.0).unwrap();
        assert!(program.functions().unwrap()[0].varies);
        let given = vector(engine, device, [1.0, 2.0]);
        let options = ProgramInstanceOptions::new().weight("w", &given).limit_bytes(1 << 20);
        let (plain, other) =
            (program.instance(engine, device).unwrap(), program.instance_with(engine, device, &options).unwrap());
        for n in [1usize, 3, 100] {
            let values: Vec<f32> = (0..2 * n).map(|i| i as f32).collect();
            let x = Tensor::from_slice(engine, device, [n, 2], &values).unwrap();
            let expected = rows(engine, device, &w, &[n]).unwrap().call(&[&x]).unwrap()[0].to_vec::<f32>().unwrap();
            assert_eq!(plain.call("rows", &[&x]).unwrap()[0].to_vec::<f32>().unwrap(), expected);
            assert_eq!(other.call("rows", &[&x]).unwrap()[0].to_vec::<f32>().unwrap()[0], values[0]);
        }
        assert_eq!(plain.callable("rows").unwrap().info().unwrap().recordings, 3);
        let long = Tensor::zeros(engine, device, DType::F32, [101, 2]).unwrap();
        let refused = plain.call("rows", &[&long]).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
        assert!(refused.to_string().contains("'n' is 101"), "{}", refused);
        assert_eq!(plain.graph("rows").unwrap_err().kind(), ErrorKind::Unsupported);
    });
}

#[test]
fn failures_of_closures_come_to_who_writes() {
    let engine = Engine::new().unwrap();
    let file = File::new("sizes-failing");
    let w = vector(&engine, Device::CPU, [2.0, 3.0]);
    let fails = |_: &[usize]| -> Result<Graph> { Err(rondo::Error::new(ErrorKind::NotFound, "no such layer")) };
    let writer = Program::writer().dim("n", 1, 9).sized("f", fails);
    let error = writer.write(&file.0).unwrap_err();
    assert_eq!((error.kind(), error.to_string().contains("no such layer")), (ErrorKind::NotFound, true));
    let recorded = rows(&engine, Device::CPU, &w, &[2]).unwrap();
    let at = |sizes: &[usize]| rows(&engine, Device::CPU, &w, sizes);
    for (writer, what) in [
        (Program::writer().dim("n", 1, 9).function("f", &recorded), "one graph"),
        (Program::writer().sized("f", at), "has sizes"),
        (Program::writer().dim("n", 1, 9).sized_named("f", ["x", "more"], ["y"], at), "has 1 inputs, not 2"),
        (Program::writer().dim("n", 1, 9).sized("f", at).sized_named("g", ["x"], ["y"], at), "names of inputs"),
    ] {
        let error = writer.write(&file.0).unwrap_err();
        assert!(error.kind() == ErrorKind::InvalidArgument && error.to_string().contains(what), "{}", error);
    }
}
