//! Tasks that end when a thread of the program's completes them.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#![allow(clippy::unit_arg)] // bodies of tasks are one line

mod common;

use std::sync::mpsc::channel;
use std::thread;

use common::engines;
use rondo::{Completion, DType, Device, Engine, EngineMode, ErrorKind, Tensor, Variable};

#[test]
fn a_task_ends_with_what_another_thread_wrote() {
    for engine in engines() {
        let x = Tensor::from_slice(&engine, Device::CPU, 3, &[1.0f32, 2.0, 3.0]).unwrap();
        let y = Tensor::empty(&engine, Device::CPU, DType::F32, 3).unwrap();
        let task = engine.task("tenfold").reads(&x).writes(&y);
        task.submit(|task| {
            let done = task.defer()?;
            thread::spawn(move || {
                let (x, y) = (done.input_slice::<f32>(0)?, done.output_slice::<f32>(0)?);
                y.iter_mut().zip(x).for_each(|(y, x)| *y = 10.0 * x);
                done.complete()
            });
            Ok(())
        })
        .unwrap();
        assert_eq!((&y + 1.0).unwrap().to_vec::<f32>().unwrap(), [11.0, 21.0, 31.0]);
    }
}

#[test]
fn open_completions_hold_no_worker() {
    let engine = Engine::builder().mode(EngineMode::Async).workers(1).build().unwrap();
    let (sender, open) = channel::<Completion>();
    for _ in 0..10 {
        let sender = sender.clone();
        engine.task("open").submit(move |task| Ok(sender.send(task.defer()?).map_err(|_| "nobody listens")?)).unwrap();
    }
    let variable = Variable::new(&engine).unwrap();
    engine.task("other").writes(&variable).submit(|_| Ok(())).unwrap();
    variable.wait().unwrap();
    for each in open.iter().take(10) {
        each.complete().unwrap();
    }
    engine.wait_all().unwrap();
}

#[test]
fn a_dropped_completion_fails_the_task_by_name() {
    for engine in engines() {
        let variable = Variable::new(&engine).unwrap();
        let _ = engine.task("dropped").writes(&variable).submit(|task| Ok(drop(task.defer()?)));
        let error = variable.wait().unwrap_err();
        assert_eq!((error.kind(), error.operator()), (ErrorKind::UserError, Some("dropped")));
        assert!(error.message().contains("completion was destroyed"), "{}", error);
    }
}

#[test]
fn slices_are_the_bodys_or_the_completions() {
    let engine = Engine::new().unwrap();
    let x = Tensor::zeros(&engine, Device::CPU, DType::F32, 3).unwrap();
    let task = engine.task("both").reads(&x).writes(&x);
    task.submit(|task| {
        let done = task.defer()?;
        assert_eq!(task.output_slice::<f32>(0).unwrap_err().kind(), ErrorKind::InvalidState);
        assert_eq!(task.input_slice::<f32>(0).unwrap_err().kind(), ErrorKind::InvalidState);
        assert_eq!(done.output_slice::<f32>(1).unwrap_err().kind(), ErrorKind::InvalidArgument);
        assert_eq!(done.input_slice::<f32>(1).unwrap_err().kind(), ErrorKind::InvalidArgument);
        done.output_slice::<f32>(0)?[0] = 1.0;
        assert!(done.input_slice::<f32>(0).is_err(), "it may be written");
        Ok(done.complete()?)
    })
    .unwrap();
    assert_eq!(x.to_vec::<f32>().unwrap(), [1.0, 0.0, 0.0]);
    let task = engine.task("taken").writes(&x);
    task.submit(|task| {
        task.output_slice::<f32>(0)?[0] = 2.0;
        assert_eq!(task.defer().unwrap_err().kind(), ErrorKind::InvalidState);
        Ok(())
    })
    .unwrap();
    assert_eq!(x.to_vec::<f32>().unwrap(), [2.0, 0.0, 0.0]);
}

#[test]
fn an_engine_that_ends_leaves_the_memory_to_the_completion() {
    let engine = Engine::builder().mode(EngineMode::Async).build().unwrap();
    let (sender, open) = channel::<Completion>();
    let x = Tensor::zeros(&engine, Device::CPU, DType::F32, 1000).unwrap();
    let task = engine.task("open").writes(&x);
    task.submit(move |task| Ok(sender.send(task.defer()?).map_err(|_| "nobody listens")?)).unwrap();
    let done = open.recv().unwrap();
    drop(x);
    drop(engine);
    done.output_slice::<f32>(0).unwrap().fill(1.0);
    assert_eq!(done.complete().unwrap_err().kind(), ErrorKind::InvalidState);
}
