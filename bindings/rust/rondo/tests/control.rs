//! Control flow from closures: called at once and recorded, with the same results; errors and panics come through.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#![allow(clippy::unit_arg)] // bodies are one line

mod common;

use std::panic::{catch_unwind, AssertUnwindSafe};

use common::everywhere;
use rondo::ops::BinaryOp;
use rondo::{DType, Device, Engine, Error, ErrorKind, Result, Tensor};

/// Halves what is large, counts how often, and adds what the number of turns chooses.
fn program(engine: &Engine, x: &Tensor, turns: &Tensor) -> Result<()> {
    let going = x.max(..)?.gt(10.0)?;
    engine.while_true(&going, None, || {
        x.mul_assign(0.5)?;
        turns.add_assign(1)?;
        rondo::ops::binary_into(BinaryOp::Gt, &x.max(..)?, 10.0, &going)
    })?;
    engine.switch_to(turns, &mut [&mut || x.add_assign(100.0), &mut || x.add_assign(200.0)])?;
    engine.if_else(&x.sum(..)?.gt(0.0)?, || x.add_assign(1.0), || x.sub_assign(1.0))
}

#[test]
fn launches_decide_as_eager_calls_do() {
    everywhere(|engine, device| {
        let run = |start: f32, replay: bool| -> (Vec<f32>, i64) {
            let x = Tensor::from_slice(engine, device, 2, &[start, 1.0]).unwrap();
            let turns = Tensor::zeros(engine, device, DType::I64, ()).unwrap();
            if replay {
                let (graph, ()) = engine.record(|| program(engine, &x, &turns)).unwrap();
                graph.launch().unwrap();
            } else {
                program(engine, &x, &turns).unwrap();
            }
            (x.to_vec().unwrap(), turns.item().unwrap())
        };
        for (start, turns) in [(8.0, 0), (16.0, 1), (64.0, 3), (-500.0, 0)] {
            let eager = run(start, false);
            assert_eq!(eager.1, turns);
            assert_eq!(run(start, true), eager);
        }
    });
}

#[test]
fn errors_and_panics_of_closures_come_through() {
    let engine = Engine::new().unwrap();
    let yes = Tensor::from_slice(&engine, Device::CPU, 1, &[true]).unwrap();
    let x = Tensor::zeros(&engine, Device::CPU, DType::F32, 2).unwrap();
    let fails = || Err(Error::new(ErrorKind::IoError, "disk gone"));
    for replay in [false, true] {
        let body = || -> Result<()> {
            let error = engine.if_true(&yes, fails).unwrap_err();
            assert_eq!((error.kind(), error.message()), (ErrorKind::IoError, "disk gone"));
            let panic =
                catch_unwind(AssertUnwindSafe(|| engine.while_true(&yes, 3, || -> Result<()> { panic!("no") })));
            assert_eq!(panic.unwrap_err().downcast_ref::<&str>(), Some(&"no"));
            engine.if_true(&yes, || x.add_assign(1.0))
        };
        if replay {
            engine.record(body).unwrap().0.launch().unwrap();
        } else {
            body().unwrap();
        }
    }
    assert_eq!(x.to_vec::<f32>().unwrap(), [2.0, 2.0]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let engine = Engine::new().unwrap();
    let (many, none) = (Tensor::from_slice(&engine, Device::CPU, 2, &[true, true]).unwrap(), &mut [][..]);
    let error = engine.if_true(&many, || Ok::<_, Error>(())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.message().starts_with("Engine::if_else: condition"), "{error}");
    let index = Tensor::from_slice(&engine, Device::CPU, 1, &[0i32]).unwrap();
    assert_eq!(engine.switch_to::<Error>(&index, none).unwrap_err().kind(), ErrorKind::InvalidArgument);
    let yes = Tensor::from_slice(&engine, Device::CPU, 1, &[true]).unwrap();
    assert!(engine.while_true::<Error>(&yes, 0, || unreachable!()).is_ok(), "no turn");
}
