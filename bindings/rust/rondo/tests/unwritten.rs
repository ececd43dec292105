//! Memory that nothing has written is not readable from safe code.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#![allow(clippy::unit_arg)] // bodies of tasks are one line

mod common;

use std::sync::mpsc::channel;

use common::{engines, everywhere};
use rondo::{DType, Device, Engine, EngineMode, ErrorKind, Tensor};

/// Leaves something in the memory that the engine takes next for a tensor of so many bytes.
fn leave(engine: &Engine, bytes: usize) {
    Tensor::full(engine, Device::CPU, DType::U8, bytes, 115.0).unwrap().wait().unwrap();
    engine.wait_all().unwrap();
}

#[test]
fn slices_of_tensors_that_nothing_wrote_are_zeros() {
    for engine in engines() {
        leave(&engine, 400);
        let (x, (sender, seen)) = (Tensor::empty(&engine, Device::CPU, DType::I32, 100).unwrap(), channel());
        let task = engine.task("look").writes(&x);
        task.submit(move |task| Ok(sender.send(task.output_slice::<i32>(0)?.to_vec())?)).unwrap();
        assert_eq!(seen.recv().unwrap(), [0; 100]);
        assert_eq!(x.to_vec::<i32>().unwrap(), [0; 100]);
    }
}

#[test]
fn slices_that_a_completion_lends_are_zeros() {
    for mode in [EngineMode::Async, EngineMode::Threaded] {
        let engine = Engine::builder().mode(mode).build().unwrap();
        leave(&engine, 100);
        let (flags, (sender, open)) = (Tensor::empty(&engine, Device::CPU, DType::Bool, 100).unwrap(), channel());
        engine.task("later").writes(&flags).submit(move |task| Ok(sender.send(task.defer()?).unwrap())).unwrap();
        let done = open.recv().unwrap();
        assert_eq!(done.output_slice::<bool>(0).unwrap(), [false; 100]);
        done.complete().unwrap();
        assert_eq!(flags.to_vec::<bool>().unwrap(), [false; 100]);
    }
}

#[test]
fn slices_of_a_graphs_temporaries_are_zeros_in_each_launch() {
    for engine in engines() {
        leave(&engine, 400);
        let count = || -> rondo::Result<Tensor> {
            let x = Tensor::empty(&engine, Device::CPU, DType::I32, 100)?;
            engine.task("count").writes(&x).submit(|task| {
                task.output_slice::<i32>(0)?.iter_mut().for_each(|each| *each += 1);
                Ok(())
            })?;
            x.sum(..)
        };
        let (graph, y) = engine.record(count).unwrap();
        for _ in 0..3 {
            graph.launch().unwrap();
            assert_eq!(y.item::<i64>().or_else(|_| y.item::<i32>().map(i64::from)).unwrap(), 100);
        }
    }
}

#[test]
fn slices_of_tensors_that_the_task_reads_too_are_what_they_were() {
    for engine in engines() {
        let x = Tensor::arange(&engine, Device::CPU, DType::F32, 0.0, 6.0, 1.0).unwrap();
        let (all, backwards, part) = (x.share().unwrap(), x.flip(0).unwrap(), x.slice_axis(0, 2..5).unwrap());
        for read in [&all, &backwards, &part] {
            engine
                .task("grow")
                .reads(read)
                .writes(&part)
                .submit(|task| Ok(task.output_slice::<f32>(0)?.iter_mut().for_each(|each| *each += 1.0)))
                .unwrap();
        }
        assert_eq!(x.to_vec::<f32>().unwrap(), [0.0, 1.0, 5.0, 6.0, 7.0, 5.0]);
        // What lies beside the part that is read is another place.
        let beside = x.slice_axis(0, 0..2).unwrap();
        let task = engine.task("beside").reads(&part).writes(&beside);
        task.submit(|task| task.output_slice::<f32>(0).map(drop).map_err(Into::into)).unwrap();
        assert_eq!(x.to_vec::<f32>().unwrap(), [0.0, 0.0, 5.0, 6.0, 7.0, 5.0]);
    }
}

#[test]
fn memory_that_is_accepted_or_asked_for_is_zero() {
    everywhere(|engine, device| {
        let left = Tensor::full(engine, device, DType::U8, 4096, 115.0).unwrap();
        left.wait().unwrap();
        drop(left);
        let x = Tensor::empty(engine, device, DType::U8, 4096).unwrap();
        // SAFETY: nothing has written there.
        unsafe { x.accept() }.unwrap();
        assert_eq!(x.to_vec::<u8>().unwrap(), [0; 4096]);
        let y = Tensor::empty(engine, device, DType::U8, 4096).unwrap();
        // SAFETY: nothing is written there.
        unsafe { y.address() }.unwrap();
        assert_eq!(y.to_vec::<u8>().unwrap(), [0; 4096]);
    });
}

#[test]
fn reads_of_what_nothing_wrote_are_refused() {
    everywhere(|engine, device| {
        let x = Tensor::empty(engine, device, DType::F32, 4).unwrap();
        for refused in [
            x.to_vec::<f32>().map(drop),
            x.add(1.0).map(drop),
            x.to_dlpack().map(drop),
            Tensor::ones(engine, device, DType::F32, 4).unwrap().add_into(1.0, &x.accumulator().unwrap()),
            engine.task("look").reads(&x).submit(|_| Ok(())),
            engine.task("grow").reads(&x).writes(&x).submit(|_| Ok(())),
        ] {
            let error = refused.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidState, "{}", error);
        }
        let (graph, _y) = engine.record(|| x.add(1.0)).unwrap();
        assert_eq!(graph.launch().unwrap_err().kind(), ErrorKind::InvalidState);
        let inside = engine.record(|| Tensor::empty(engine, device, DType::F32, 4)?.add(1.0));
        let refused = inside.and_then(|(graph, y)| graph.launch().and_then(|()| y.to_vec::<f32>()));
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::InvalidState);
    });
}
