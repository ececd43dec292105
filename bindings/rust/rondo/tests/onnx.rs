//! ONNX models: converted and opened in one call, as a file, with sizes and constants; what is refused.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#![cfg(feature = "onnx")]

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{env, fs, process};

use rondo::onnx::Model;
use rondo::{Device, Engine, ErrorKind, Program, Tensor};

/// A field of a message of protobuf: bytes, with their length before them.
fn bytes(tag: u8, content: &[u8]) -> Vec<u8> {
    assert!(content.len() < 128);
    [&[tag << 3 | 2, content.len() as u8], content].concat()
}

fn number(tag: u8, value: u8) -> Vec<u8> {
    vec![tag << 3, value]
}

fn text(tag: u8, content: &str) -> Vec<u8> {
    bytes(tag, content.as_bytes())
}

/// A value of the graph, f32, of one dimension.
fn value(name: &str, dimension: Vec<u8>) -> Vec<u8> {
    let shape = bytes(2, &bytes(1, &dimension));
    [text(1, name), bytes(2, &bytes(1, &[number(1, 1), shape].concat()))].concat()
}

/// A file with a model of one node, `y = operator(x, by)`, whose inputs have `n` elements and 1.
struct File(PathBuf);

impl File {
    fn new(name: &str, operator: &str) -> File {
        let node = [text(1, "x"), text(1, "by"), text(2, "y"), text(4, operator)].concat();
        let inputs = [bytes(11, &value("x", text(2, "n"))), bytes(11, &value("by", number(1, 1)))].concat();
        let graph = [bytes(1, &node), text(2, "graph"), inputs, bytes(12, &value("y", text(2, "n")))].concat();
        let mut model = number(1, 8);
        model.extend([58, graph.len() as u8 & 127 | 128, (graph.len() >> 7) as u8]);
        model.extend(graph);
        model.extend(bytes(8, &number(2, 17)));
        let path = env::temp_dir().join(format!("rondo-rust-onnx-{}-{}.onnx", name, process::id()));
        fs::write(&path, model).unwrap();
        File(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// One test at a time converts: one of them looks for files that conversions leave.
fn alone() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

fn doubled(program: &Program, function: &str) -> Vec<f32> {
    let engine = Engine::new().unwrap();
    let instance = program.instance(&engine, Device::CPU).unwrap();
    let x = Tensor::new(&engine, Device::CPU, [1f32, 2.0, 4.0]).unwrap();
    instance.call(function, &[&x]).unwrap()[0].to_vec().unwrap()
}

#[test]
fn a_model_is_opened_and_leaves_no_file() {
    let _alone = alone();
    let file = File::new("opened", "Mul");
    let left = || {
        let name = format!("rondo-onnx-{}-", process::id());
        let entries = fs::read_dir(env::temp_dir()).unwrap().flatten();
        entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&name)).count()
    };
    let program = Model::new(&file.0).size("n", 3).input("by", [2.0]).function("double").open().unwrap();
    assert_eq!(left(), 0);
    assert_eq!(doubled(&program, "double"), [2.0, 4.0, 8.0]);
}

#[test]
fn a_model_becomes_a_file() {
    let _alone = alone();
    let file = File::new("file", "Mul");
    let out = file.0.with_extension("safetensors");
    let model =
        Model::new(&file.0).size("n", 3).input("by", [0.5]).fewer_roundings().no_patterns().memory_limit(1 << 20);
    model.convert(&out).unwrap();
    let program = Program::open(&out).unwrap();
    fs::remove_file(&out).unwrap();
    assert_eq!(doubled(&program, "main"), [0.5, 1.0, 2.0]);
}

#[test]
fn a_model_of_varying_sizes_is_called_at_any() {
    let _alone = alone();
    let file = File::new("dims", "Mul");
    let program = Model::new(&file.0).dim("n", 1, 100).input("by", [2.0]).open().unwrap();
    let engine = Engine::new().unwrap();
    let instance = program.instance(&engine, Device::CPU).unwrap();
    for n in [1usize, 3, 77] {
        let x = Tensor::full(&engine, Device::CPU, rondo::DType::F32, [n], n as f64).unwrap();
        assert_eq!(instance.call("main", &[&x]).unwrap()[0].to_vec::<f32>().unwrap(), vec![2.0 * n as f32; n]);
    }
    let error = Model::new(&file.0).size("n", 3).limit("NonZero", 4).open().unwrap_err();
    assert!(error.kind() == ErrorKind::InvalidArgument && error.message().contains("'NonZero'"), "{}", error);
    let error = Model::new(&file.0).dim("n", 3, 3).open().unwrap_err();
    assert!(error.kind() == ErrorKind::InvalidArgument && error.message().contains("from 3 to 3"), "{}", error);
}

#[test]
fn sizes_may_be_multiples_of_a_step() {
    let _alone = alone();
    let file = File::new("steps", "Mul");
    let program = Model::new(&file.0).dim_of_steps("n", 4, 100, 4).input("by", [2.0]).open().unwrap();
    let engine = Engine::new().unwrap();
    let instance = program.instance(&engine, Device::CPU).unwrap();
    let call = |n: usize| {
        let x = Tensor::full(&engine, Device::CPU, rondo::DType::F32, [n], n as f64)?;
        instance.call("main", &[&x])?[0].to_vec::<f32>()
    };
    for n in [4usize, 12, 100] {
        assert_eq!(call(n).unwrap(), vec![2.0 * n as f32; n]);
    }
    for (n, text) in [(6, "a multiple of 4 is needed"), (104, "the size 'n' is 26")] {
        let error = call(n).unwrap_err();
        assert!(error.kind() == ErrorKind::InvalidArgument && error.message().contains(text), "{}", error);
    }
    let error = Model::new(&file.0).dim_of_steps("n", 4, 10, 4).open().unwrap_err();
    assert!(
        error.kind() == ErrorKind::InvalidArgument && error.message().contains("the step of 'n' is 4"),
        "{}",
        error
    );
}

#[test]
fn what_is_wrong_is_told_in_the_names_of_the_crate() {
    let _alone = alone();
    let file = File::new("wrong", "Mul");
    let error = Model::new(&file.0).open().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.message().starts_with("onnx::Model::open: ") && error.message().contains("'n'"), "{}", error);
    let error = Model::new(&file.0).size("n", 0).open().unwrap_err();
    assert!(error.kind() == ErrorKind::InvalidArgument && error.message().contains("'n' is 0"), "{}", error);
    let error = Model::new(&file.0).size("n\0", 1).open().unwrap_err();
    assert!(error.kind() == ErrorKind::InvalidArgument && error.message().contains("zero byte"), "{}", error);
    let error = Model::new("missing.onnx").convert("out").unwrap_err();
    assert!(error.kind() == ErrorKind::NotFound && error.message().starts_with("onnx::Model::convert: "), "{}", error);
    let error = Model::new(&file.0).size("n", 3).memory_limit(1).open().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory, "{}", error);
    let unknown = File::new("unknown", "Fancy");
    let error = Model::new(&unknown.0).size("n", 3).open().unwrap_err();
    assert!(error.kind() == ErrorKind::Unsupported && error.message().contains("Fancy"), "{}", error);
}

#[test]
fn a_library_that_is_missing_or_another_is_named() {
    let _alone = alone();
    let file = File::new("library", "Mul");
    // SAFETY: there is no such file.
    let error = unsafe { Model::new(&file.0).library("/nowhere/librondo_onnx.so.0") }.open().unwrap_err();
    assert!(error.kind() == ErrorKind::LibraryMissing && error.message().contains("/nowhere/"), "{}", error);
    // SAFETY: the mathematics of C, which does nothing when it is loaded, and has none of the functions that are called.
    let error = unsafe { Model::new(&file.0).library("libm.so.6") }.open().unwrap_err();
    assert!(error.kind() == ErrorKind::LibraryMissing && error.message().contains("rondo_onnx_convert"), "{}", error);
}
