//! Operands of tasks: slices on the cpu, addresses on devices, in recordings too; named outputs.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#![allow(clippy::unit_arg)] // bodies of tasks are one line

mod common;

use std::sync::mpsc::channel;

use common::{engines, everywhere};
use rondo::{DType, Device, Engine, EngineMode, ErrorKind, Result, Tensor, Variable};

fn numbers(engine: &Engine, device: Device, count: usize) -> Tensor {
    let data: Vec<f32> = (0..count).map(|i| i as f32).collect();
    Tensor::from_slice(engine, device, count, &data).unwrap()
}

/// Doubles on the host, which needs a copy of what is elsewhere.
fn doubled(engine: &Engine, x: &Tensor) -> Result<Tensor> {
    let from = x.copy_to(Device::CPU)?;
    let to = Tensor::empty(engine, Device::CPU, DType::F32, x.shape()?)?;
    engine.task("double").reads(&from).writes(&to).submit(|task| {
        let (from, to) = (task.input_slice::<f32>(0)?, task.output_slice::<f32>(0)?);
        Ok(to.iter_mut().zip(from).for_each(|(to, from)| *to = 2.0 * from))
    })?;
    to.copy_to(x.device()?) // `from` and `to` are dropped here: the task holds what it needs
}

#[test]
fn slices_of_tensors_that_are_dropped_eager_and_recorded() {
    everywhere(|engine, device| {
        let x = numbers(engine, device, 1001);
        let expected: Vec<f32> = (0..1001).map(|i| 2.0 * i as f32 + 1.0).collect();
        assert_eq!(doubled(engine, &x).unwrap().add(1.0).unwrap().to_vec::<f32>().unwrap(), expected);
        let (graph, y) = engine.record(|| doubled(engine, &x)?.add(1.0)).unwrap();
        for _ in 0..3 {
            graph.launch().unwrap();
        }
        assert_eq!(y.to_vec::<f32>().unwrap(), expected);
        let info = graph.info().unwrap();
        let captured = if device == Device::CPU { 0 } else { 2 }; // the host's task splits it
        assert_eq!(info.captured, captured, "{}", graph.report().unwrap());
    });
}

#[test]
fn a_device_task_has_addresses_of_the_device() {
    everywhere(|engine, device| {
        let (x, y) = (numbers(engine, device, 6), numbers(engine, device, 6));
        let part = y.slice_step(0, 4, 1, -1).unwrap();
        // SAFETY: both were written.
        let address = |tensor: &Tensor| unsafe { tensor.address() }.unwrap() as usize;
        let (expected, base) = (address(&x), address(&y));
        let (sender, seen) = channel();
        let task = engine.task("issue").on(device).reads(&x).writes(&part).no_capture();
        task.submit(move |task| {
            let (input, output) = (task.input(0)?, task.output(0)?);
            let slice = task.input_slice::<f32>(0).err().map(|error| error.to_string());
            Ok(sender.send((input.address as usize, output.address as usize, output.info, slice))?)
        })
        .unwrap();
        y.wait().unwrap();
        let (input, output, info, slice) = seen.recv().unwrap();
        assert_eq!((input, output), (expected, base + 4 * 4));
        assert_eq!((info.device, info.strides), (device, vec![-1]));
        assert_eq!(slice.is_some(), device != Device::CPU, "{:?}", slice);
        assert!(slice.iter().all(|text| text.contains("in host functions")), "{:?}", slice);
        let kept: Vec<f32> = (0..6).map(|i| i as f32).collect();
        assert_eq!(y.to_vec::<f32>().unwrap(), kept, "a part is written without touching the rest");
    });
}

/// Runs a body on some operands, and returns what it says of each of them.
fn said(
    body: fn(&rondo::TaskContext<'_>) -> Vec<rondo::Error>,
    reads: &[&Tensor],
    writes: &[&Tensor],
) -> Vec<(ErrorKind, String)> {
    let engine = reads.iter().chain(writes).next().unwrap().engine();
    let (sender, seen) = channel();
    let mut task = engine.task("ask");
    for tensor in reads {
        task = task.reads(*tensor);
    }
    for tensor in writes {
        task = task.writes(*tensor);
    }
    task.submit(move |task| Ok(sender.send(body(task))?)).unwrap();
    seen.recv().unwrap().iter().map(|error| (error.kind(), error.to_string())).collect()
}

#[test]
fn what_is_no_slice_is_refused() {
    for engine in engines() {
        let x = numbers(&engine, Device::CPU, 6);
        let y = Tensor::zeros(&engine, Device::CPU, DType::F32, 6).unwrap();
        let gaps = x.slice_step(0, 0, 6, 2).unwrap();
        let refused = said(
            |task| {
                vec![
                    task.input_slice::<f64>(0).unwrap_err(),
                    task.input_slice::<f32>(1).unwrap_err(),
                    task.input_slice::<f32>(2).unwrap_err(),
                    task.input(2).unwrap_err(),
                    task.output(1).unwrap_err(),
                    task.output(usize::MAX).unwrap_err(),
                ]
            },
            &[&x, &gaps],
            &[&y],
        );
        for ((kind, text), expected) in
            refused.iter().zip(["f32", "strides [2]", "reads 2", "reads 2", "3 operands", "3 operands"])
        {
            assert_eq!(*kind, ErrorKind::InvalidArgument);
            assert!(text.contains(expected), "{}", text);
        }
    }
}

#[test]
fn no_place_is_given_twice_where_it_may_be_written() {
    for engine in engines() {
        let x = numbers(&engine, Device::CPU, 6);
        let (left, right) = (x.slice_axis(0, 0..4).unwrap(), x.slice_axis(0, 3..6).unwrap());
        let refused = said(
            |task| {
                let (a, b) = (task.input_slice::<f32>(0).unwrap(), task.input_slice::<f32>(1).unwrap()); // both only read
                assert_eq!((a[3], b[0]), (3.0, 3.0));
                vec![task.output_slice::<f32>(0).unwrap_err()]
            },
            &[&left, &right],
            &[&right],
        );
        assert!(refused[0].0 == ErrorKind::InvalidState && refused[0].1.contains("given already"), "{:?}", refused);
        let refused = said(
            |task| {
                task.output_slice::<f32>(0).unwrap()[0] = 7.0;
                vec![task.output_slice::<f32>(0).unwrap_err(), task.input_slice::<f32>(0).unwrap_err()]
            },
            &[&left],
            &[&left],
        );
        assert!(refused.iter().all(|(kind, _)| *kind == ErrorKind::InvalidState), "{:?}", refused);
        assert_eq!(x.to_vec::<f32>().unwrap()[0], 7.0);
    }
}

#[test]
fn empty_tensors_and_bools_are_slices() {
    let engine = Engine::new().unwrap();
    let none = Tensor::zeros(&engine, Device::CPU, DType::F64, 0).unwrap();
    let flags = Tensor::empty(&engine, Device::CPU, DType::Bool, 5).unwrap();
    engine
        .task("flags")
        .reads(&none)
        .writes(&flags)
        .submit(|task| {
            assert!(task.input_slice::<f64>(0)?.is_empty());
            let flags = task.output_slice::<bool>(0)?; // whatever was in the memory
            Ok((0..5).for_each(|i| flags[i] = i % 2 == 1))
        })
        .unwrap();
    assert_eq!(flags.to_vec::<bool>().unwrap(), [false, true, false, true, false]);
}

#[test]
fn tasks_of_variables_have_no_operands() {
    for engine in engines() {
        let (x, file) = (numbers(&engine, Device::CPU, 3), Variable::new(&engine).unwrap());
        let (sender, seen) = channel();
        let task = engine.task("mixed").reads(&x).writes(&file);
        task.submit(move |task| Ok(sender.send((task.input(0).err(), task.output_slice::<f32>(0).err()))?)).unwrap();
        let (input, output) = seen.recv().unwrap();
        for error in [input.unwrap(), output.unwrap()] {
            assert_eq!(error.kind(), ErrorKind::InvalidState);
            assert!(error.message().contains("names a variable"), "{}", error);
        }
    }
}

#[test]
fn operands_that_cannot_be_are_refused() {
    for engine in engines() {
        let x = numbers(&engine, Device::CPU, 3);
        let refused = |reads: &Tensor, writes: &Tensor| {
            let error = engine.task("wrong").reads(reads).writes(writes).submit(|_| Ok(())).unwrap_err();
            (error.kind(), error.to_string())
        };
        let never = Tensor::empty(&engine, Device::CPU, DType::F32, 3).unwrap();
        assert_eq!(refused(&never, &x).0, ErrorKind::InvalidState);
        let (kind, text) = refused(&x, &x.accumulator().unwrap());
        assert!(kind == ErrorKind::InvalidArgument && text.contains("accumulator"), "{}", text);
        let (kind, text) = refused(&x, &x.broadcast([2, 3]).unwrap());
        assert!(kind == ErrorKind::InvalidArgument, "{}", text);
        let other = Engine::builder().mode(EngineMode::Naive).build().unwrap();
        let (kind, text) = refused(&x, &numbers(&other, Device::CPU, 1));
        assert!(kind == ErrorKind::InvalidArgument && text.contains("another engine"), "{}", text);
        assert_eq!(x.to_vec::<f32>().unwrap(), [0.0, 1.0, 2.0]);
    }
}

#[test]
fn only_named_outputs_are_outputs() {
    everywhere(|engine, device| {
        let x = numbers(engine, device, 3);
        assert!(!engine.is_recording().unwrap());
        let recording = engine.recording().named_outputs();
        let (graph, (held, y)) = recording
            .record(|| {
                assert!(engine.is_recording().unwrap());
                let held = x.mul(2.0)?;
                let y = held.add(1.0)?;
                engine.record_output(&y)?;
                engine.record_output(&y.reshape([3, 1])?)?; // a view of it; twice is once
                Ok::<_, rondo::Error>((held, y))
            })
            .unwrap();
        graph.launch().unwrap();
        assert_eq!(y.to_vec::<f32>().unwrap(), [1.0, 3.0, 5.0]);
        assert_eq!(held.to_vec::<f32>().unwrap_err().kind(), ErrorKind::InvalidState);
        assert_eq!(held.shape().unwrap(), [3]);

        let outside = engine.record_output(&y).unwrap_err();
        assert_eq!(outside.kind(), ErrorKind::InvalidState, "{}", outside);
        let unnamed = engine.record(|| engine.record_output(&x.exp()?)).unwrap_err();
        assert_eq!(unnamed.kind(), ErrorKind::InvalidState, "{}", unnamed);
        let other = Engine::new().unwrap();
        let foreign = numbers(&other, Device::CPU, 1);
        let error = engine.recording().named_outputs().record(|| engine.record_output(&foreign)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{}", error);
    });
}

#[test]
fn a_product_takes_in_what_follows_it_where_fewer_roundings_are_wanted() {
    everywhere(|engine, device| {
        let x = numbers(engine, device, 4).reshape([2, 2]).unwrap().cast(DType::F16).unwrap();
        let body = || x.matmul(&x)?.add(&x.slice_axis(0, 0..1)?)?.relu();
        let (all, y) = engine.record(body).unwrap();
        let (fewer, z) = engine.recording().fewer_roundings().record(body).unwrap();
        assert!(all.info().unwrap().tasks > 1, "{}", all.report().unwrap());
        assert_eq!(fewer.info().unwrap().tasks, 1, "{}", fewer.report().unwrap());
        assert!(fewer.report().unwrap().contains("roundings saved: 2"), "{}", fewer.report().unwrap());
        all.launch().unwrap();
        fewer.launch().unwrap();
        let values = |tensor: &Tensor| tensor.cast(DType::F32).unwrap().to_vec::<f32>().unwrap();
        assert_eq!(values(&y), values(&z)); // small integers, which no rounding changes
    });
}

#[test]
fn what_nobody_reads_is_left_out_unless_all_is_wanted_as_written() {
    everywhere(|engine, device| {
        let x = numbers(engine, device, 3);
        let body = || {
            x.exp()?; // nobody reads it
            x.add(1.0)
        };
        let (graph, y) = engine.record(body).unwrap();
        let (whole, z) = engine.recording().as_written().record(body).unwrap();
        assert_eq!((graph.info().unwrap().tasks, whole.info().unwrap().tasks), (1, 2), "{}", graph.report().unwrap());
        graph.launch().unwrap();
        whole.launch().unwrap();
        assert_eq!(y.to_vec::<f32>().unwrap(), z.to_vec::<f32>().unwrap());
    });
}
