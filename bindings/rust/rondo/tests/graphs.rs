//! Recordings and graphs: what is replayed equals what runs eagerly; what fails leaves nothing behind.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#![allow(clippy::unit_arg)] // bodies of tasks are one line

mod common;

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use common::{eventually, everywhere};
use rondo::ops::Matmul;
use rondo::{DType, Device, Engine, EngineMode, Error, ErrorKind, Expression, Graph, Result, Tensor};

fn step(x: &Tensor, w: &Tensor, sum: &Tensor) -> Result<Tensor> {
    let y = x.matmul_with(w, Matmul::new().transpose_b())?.tanh()?;
    y.sum(..)?.add_into(sum, sum)?;
    y.dropout(0.5)?.0.softmax(-1)
}

#[test]
fn a_graph_does_what_its_recording_did() {
    everywhere(|engine, device| {
        let data: Vec<f32> = (0..12).map(|i| i as f32 / 12.0).collect();
        let x = Tensor::from_slice(engine, device, [3, 4], &data).unwrap();
        let w = Tensor::from_slice(engine, device, [2, 4], &data[..8]).unwrap();
        let run = |replay: bool| -> (Vec<f32>, f32) {
            engine.seed(1).unwrap();
            let sum = Tensor::zeros(engine, device, DType::F32, ()).unwrap();
            let mut last = None;
            if replay {
                let recording = engine.recording().name("step").max_branches(2);
                let (graph, y) = recording.record(|| step(&x, &w, &sum)).unwrap();
                let info = graph.info().unwrap();
                assert_eq!((info.segments, info.launches), (1, 0), "{}", graph.report().unwrap());
                assert_eq!(info.captured, i32::from(device != Device::CPU), "{}", graph.report().unwrap());
                for _ in 0..3 {
                    graph.launch().unwrap();
                }
                assert_eq!(graph.info().unwrap().launches, 3);
                last = Some(y);
            } else {
                for _ in 0..3 {
                    last = Some(step(&x, &w, &sum).unwrap());
                }
            }
            (last.unwrap().to_vec().unwrap(), sum.item().unwrap())
        };
        assert_eq!(run(false), run(true));
    });
}

#[test]
fn what_cannot_be_captured_falls_back() {
    everywhere(|engine, device| {
        let x = Tensor::new(engine, device, [1f32, 2.]).unwrap();
        let record = |falls_back: bool| {
            let recording = engine.recording();
            let recording = if falls_back { recording.fall_back() } else { recording };
            recording.record(|| {
                let y = x.mul(3)?;
                engine.task("refuses").on(device).writes(&y).submit(|task| match task.is_capturing() {
                    true => Err("not in a capture".into()),
                    false => Ok(()),
                })?;
                y.add(1)
            })
        };
        let (graph, y) = record(true).unwrap();
        graph.launch().unwrap();
        assert_eq!(y.to_vec::<f32>().unwrap(), [4., 7.]);
        if device != Device::CPU {
            assert_eq!(graph.info().unwrap().captured, 0);
            assert!(
                graph.report().unwrap().contains("not captured: operator 'refuses'"),
                "{}",
                graph.report().unwrap()
            );
            assert!(record(false).unwrap_err().message().contains("not in a capture"));
        }
    });
}

#[test]
fn launches_have_what_was_set_before_them() {
    everywhere(|engine, device| {
        let x = Tensor::from_slice(engine, device, [2], &[1.0f32, 2.0]).unwrap();
        let (graph, step) = engine
            .record(|| {
                let rate = engine.record_parameter("rate", device, DType::F32, 1.0)?;
                x.add_into(&rate, &x)?;
                engine.record_section("double", false, || x.add_into(&x, &x))?;
                engine.record_parameter("step", device, DType::I64, 0.0)
            })
            .unwrap();
        graph.launch().unwrap();
        graph.set("rate", 0.5).unwrap();
        graph.set_i64("step", i64::MAX).unwrap();
        graph.enable("double", true).unwrap();
        graph.launch().unwrap();
        assert_eq!(x.to_vec::<f32>().unwrap(), [5.0, 7.0]);
        assert_eq!(step.item::<i64>().unwrap(), i64::MAX);
        assert_eq!(graph.set("lr", 1.0).unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(graph.enable("half", true).unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(graph.set("a\0b", 1.0).unwrap_err().kind(), ErrorKind::InvalidArgument);
        // A section ends with its closure, however that ends.
        let (_, failed) = engine
            .record(|| {
                let failed: Result<()> = engine.record_section("part", true, || graph.set("lr", 1.0));
                engine.record_section("other", true, || x.add_into(1, &x))?;
                Ok::<_, Error>(failed)
            })
            .unwrap();
        assert_eq!(failed.unwrap_err().kind(), ErrorKind::NotFound);
    });
}

#[test]
fn a_text_with_a_product_is_recorded() {
    let text = Expression::new("y = relu(matmul(relu(a) * mask, b - 1) * s + bias)").unwrap();
    everywhere(|engine, device| {
        let tensor = |shape: &[usize], data: &[f32]| Tensor::from_slice(engine, device, shape, data).unwrap();
        let (a, b) = (tensor(&[2, 2], &[1.0, -1.0, 2.0, 0.5]), tensor(&[2, 2], &[1.0, 2.0, 3.0, 4.0]));
        let (mask, bias) = (tensor(&[2], &[1.0, 2.0]), tensor(&[2], &[-1.0, 1.0]));
        let run = || {
            let operands = [("a", (&a).into()), ("mask", (&mask).into()), ("b", (&b).into()), ("bias", (&bias).into())];
            text.run(&[&operands[..], &[("s", 2.into())]].concat())
        };
        let exact = [0.0, 3.0, 3.0, 11.0];
        assert_eq!(run().unwrap()[0].to_vec::<f32>().unwrap(), exact);
        let (graph, made) = engine.record(run).unwrap();
        assert_eq!(graph.info().unwrap().tasks, 2, "{}", graph.report().unwrap());
        for _ in 0..2 {
            graph.launch().unwrap();
        }
        assert_eq!(made[0].to_vec::<f32>().unwrap(), exact);
    });
}

#[test]
fn a_recording_that_fails_or_panics_is_over() {
    everywhere(|engine, device| {
        let x = Tensor::zeros(engine, device, DType::F32, 2).unwrap();
        let mut made = None;
        let error = engine
            .record(|| -> Result<()> {
                made = Some(x.exp()?);
                x.matmul(&x)?;
                Ok(())
            })
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(made.take().unwrap().wait().unwrap_err().message().contains("record"));

        let panic = catch_unwind(AssertUnwindSafe(|| engine.record(|| -> Result<()> { panic!("inside") })));
        assert!(panic.is_err());

        let own: std::result::Result<(Graph, ()), Box<dyn std::error::Error>> = engine.record(|| Err("mine".into()));
        assert_eq!(own.unwrap_err().to_string(), "mine");
        assert!(engine.recording().name("a\0b").record(|| Ok::<_, Error>(())).is_err());
        assert!(engine.recording().max_branches(33).record(|| Ok::<_, Error>(())).is_err());
        assert!(engine.recording().callable().arenas(65).record(|| Ok::<_, Error>(())).is_err());
        let error = engine.recording().arenas(2).record(|| Ok::<_, Error>(())).unwrap_err();
        assert!(error.message().contains("arenas") && error.message().contains("allable"));

        assert_eq!(x.exp().unwrap().to_vec::<f32>().unwrap(), [1.0, 1.0]); // runs, is not kept
    });
}

#[test]
fn calls_overlap_where_there_are_arenas() {
    everywhere(|engine, device| {
        let w = Tensor::full(engine, device, DType::F32, 2, 3.0).unwrap();
        let (model, ()) = engine
            .recording()
            .callable()
            .arenas(3)
            .record(|| {
                let x = engine.record_input(device, DType::F32, 2)?;
                engine.record_output(&x.add(1)?.mul(&w)?)
            })
            .unwrap();
        assert_eq!(model.info().unwrap().arenas, 3);
        std::thread::scope(|scope| {
            for thread in 0..3u8 {
                let (engine, model) = (&engine, &model);
                scope.spawn(move || {
                    for i in 0..10u8 {
                        let number = f32::from(thread * 10 + i);
                        let x = Tensor::from_slice(engine, device, 2, &[number, 0.0]).unwrap();
                        let y = model.call(&[&x]).unwrap();
                        assert_eq!(y[0].to_vec::<f32>().unwrap(), [3.0 * (number + 1.0), 3.0]);
                    }
                });
            }
        });
        let (writes, ()) = engine
            .recording()
            .callable()
            .arenas(2)
            .record(|| {
                let x = engine.record_input(device, DType::F32, 2)?;
                w.add_into(&x, &w)?;
                engine.record_output(&w.mul(2)?)
            })
            .unwrap();
        assert_eq!(writes.info().unwrap().arenas, 1);
        assert!(writes.report().unwrap().contains("writes a tensor from outside"));
    });
}

#[test]
fn what_cannot_be_recorded_is_refused_and_the_recording_goes_on() {
    everywhere(|engine, device| {
        let x = Tensor::full(engine, device, DType::F32, 2, 2.0).unwrap();
        let (graph, y) = engine
            .record(|| {
                let y = x.square()?;
                for error in [
                    y.wait().unwrap_err(),
                    y.to_vec::<f32>().unwrap_err(),
                    y.write(&[0f32; 2]).unwrap_err(),
                    y.wait_async().unwrap_err(),
                    engine.wait_all_async().unwrap_err(),
                    engine.record(|| Ok::<_, Error>(())).unwrap_err(),
                ] {
                    assert_eq!(error.kind(), ErrorKind::InvalidState, "{}", error);
                }
                y.add(1.0)
            })
            .unwrap();
        graph.launch().unwrap();
        assert_eq!(y.to_vec::<f32>().unwrap(), [5.0, 5.0]);
    });
}

#[test]
fn recordings_belong_to_their_threads() {
    everywhere(|engine, device| {
        let x = Tensor::full(engine, device, DType::F32, 2, 2.0).unwrap();
        let (graph, y) = engine
            .record(|| {
                let y = x.square()?;
                std::thread::scope(|scope| {
                    let other = scope.spawn(|| x.add(1.0)?.to_vec::<f32>()); // not recorded
                    assert_eq!(other.join().unwrap().unwrap(), [3.0, 3.0]);
                });
                Ok::<_, Error>(y)
            })
            .unwrap();
        assert_eq!(graph.info().unwrap().tasks, 1);
        std::thread::scope(|scope| scope.spawn(|| graph.launch().unwrap()).join().unwrap());
        assert_eq!(y.to_vec::<f32>().unwrap(), [4.0, 4.0]);
    });
}

#[test]
fn graphs_keep_what_they_need() {
    everywhere(|engine, device| {
        let n = Tensor::zeros(engine, device, DType::I64, ()).unwrap();
        let seen = Arc::new(Mutex::new(0));
        let count = Arc::clone(&seen);
        let (graph, ()) = engine
            .record(|| {
                let temporary = n.add(1)?;
                temporary.copy_into(&n)?;
                engine.task("count").reads(&n).submit(move |_| Ok(*count.lock().unwrap() += 1))
            })
            .unwrap();
        // The sum and its copy are one.
        assert!(graph.info().unwrap().segments >= 1 && graph.info().unwrap().tasks == 2);
        assert!(graph.engine().mode().is_ok());
        for _ in 0..50 {
            graph.launch().unwrap();
        }
        drop(graph); // in flight
        assert_eq!(n.item::<i64>().unwrap(), 50);
        n.engine().wait_all().unwrap();
        assert_eq!(*seen.lock().unwrap(), 50);
    });
}

#[test]
fn sites_are_files_and_lines_of_the_calls() {
    everywhere(|engine, device| {
        let x = Tensor::zeros(engine, device, DType::F32, [2, 2]).unwrap();
        let mut lines = Vec::new();
        let (graph, _kept) = engine
            .recording()
            .sites()
            .as_written()
            .record(|| {
                lines.push(line!() + 1);
                let a = x.add(1.0)?;
                lines.push(line!() + 1);
                let b = a.matmul(&x)?;
                lines.push(line!() + 1);
                let c = (&a + &b * 2.0)?;
                lines.push(line!() + 1);
                x.mul_into(2.0, &x)?;
                lines.push(line!() + 1);
                engine.task("mine").writes(&x).submit(|_| Err("disk gone".into()))?;
                Ok::<_, rondo::Error>((b, c))
            })
            .unwrap();
        graph.launch().unwrap_or(()); // naive mode tells here
        let message = x.wait().unwrap_err().to_string();
        assert!(message.contains(&format!("recorded at {}:{})", file!(), lines[4])), "{}", message);
        let _ = engine.wait_all();
        let path =
            std::env::temp_dir().join(format!("rondo-sites-{}-{:?}", std::process::id(), std::thread::current().id()));
        graph.dot(&path).unwrap();
        let picture = std::fs::read_to_string(&path).unwrap();
        for line in lines {
            assert!(picture.contains(&format!("{}:{}\"", file!(), line)), "line {} in {}", line, picture);
        }
        std::fs::remove_file(&path).unwrap();
        let (graph, _y) = engine.record(|| x.exp()).unwrap();
        graph.dot(&path).unwrap();
        assert!(!std::fs::read_to_string(&path).unwrap().contains("graphs.rs"), "nobody asked");
        std::fs::remove_file(&path).unwrap();
    });
}

#[test]
fn calls_are_profiled() {
    everywhere(|engine, device| {
        let (double, ()) = engine
            .recording()
            .callable()
            .record(|| {
                let x = engine.record_input(device, DType::F32, 2)?;
                engine.record_output(&x.mul(2)?)
            })
            .unwrap();
        let x = Tensor::from_slice(engine, device, 2, &[1.0f32, 2.0]).unwrap();
        assert_eq!(double.profile_call(&[&x]).unwrap()[0].to_vec::<f32>().unwrap(), [2.0, 4.0]);
        assert!(double.report().unwrap().contains("critical path"));
        let kind = |result: rondo::Result<Vec<Tensor>>| result.map(|_| ()).unwrap_err().kind();
        assert_eq!(kind(double.profile_call(&[])), ErrorKind::InvalidArgument);
        assert_eq!(kind(double.profile_call_to(&[&x], "/no/such/folder/p.json")), ErrorKind::IoError);
        assert_eq!(double.profile().unwrap_err().kind(), ErrorKind::InvalidState);
        let (launched, _y) = engine.record(|| x.exp()).unwrap();
        assert_eq!(kind(launched.profile_call(&[&x])), ErrorKind::InvalidState);
    });
}

#[test]
fn reports_pictures_and_traces_are_written() {
    everywhere(|engine, device| {
        let folder = std::env::temp_dir();
        let path = |name: &str| {
            folder.join(format!("rondo-{}-{:?}-{}", std::process::id(), std::thread::current().id(), name))
        };
        let x = Tensor::zeros(engine, device, DType::F32, 2).unwrap();
        let trace = engine.trace().unwrap();
        assert_eq!(engine.trace().unwrap_err().kind(), ErrorKind::InvalidState);
        let (graph, _y) = engine.recording().name("forward").record(|| x.exp()).unwrap();
        graph.launch().unwrap();
        graph.dot(path("dot")).unwrap();
        trace.write(path("json")).unwrap();
        graph.profile().unwrap();
        assert!(graph.report().unwrap().contains("critical path"));
        graph.profile_to(path("profile")).unwrap();
        assert!(std::fs::read_to_string(path("profile")).unwrap().contains("\"name\":\"exp\""));
        assert_eq!(graph.info().unwrap().launches, 3);
        assert_eq!(graph.profile_to("/no/such/folder/p.json").unwrap_err().kind(), ErrorKind::IoError);
        assert_eq!(graph.profile_to("zero\0byte").unwrap_err().kind(), ErrorKind::InvalidArgument);
        let refused = engine.record(|| graph.profile()).map(|_| ()).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidState, "{}", refused);
        std::fs::remove_file(path("profile")).unwrap();
        assert!(graph.report().unwrap().contains("forward"));
        assert!(std::fs::read_to_string(path("dot")).unwrap().starts_with("digraph"));
        assert!(std::fs::read_to_string(path("json")).unwrap().contains("forward"));
        assert_eq!(graph.dot("/no/such/folder/graph.dot").unwrap_err().kind(), ErrorKind::IoError);
        assert_eq!(graph.dot("zero\0byte").unwrap_err().kind(), ErrorKind::InvalidArgument);
        std::fs::remove_file(path("dot")).unwrap();
        std::fs::remove_file(path("json")).unwrap();
        drop(engine.trace().unwrap());
        engine.trace().unwrap().write("/no/such/folder/trace.json").unwrap_err();
        drop(engine.trace().unwrap());
    });
}

/// In naive mode a task runs inside the launch: the body would meet itself.
#[test]
fn a_graph_that_launches_itself_is_an_error_and_no_deadlock() {
    let engine = Engine::builder().mode(EngineMode::Naive).build().unwrap();
    let (slot, calls) = (Arc::new(Mutex::new(None::<Arc<Graph>>)), Arc::new(AtomicUsize::new(0)));
    let (inside, counted) = (Arc::clone(&slot), Arc::clone(&calls));
    let (graph, ()) = engine
        .record(|| {
            engine.task("again").submit(move |_| {
                counted.fetch_add(1, Ordering::SeqCst);
                let graph = inside.lock().unwrap().clone().unwrap();
                Ok(graph.launch()?)
            })
        })
        .unwrap();
    *slot.lock().unwrap() = Some(Arc::new(graph));
    let graph = slot.lock().unwrap().clone().unwrap();
    let error = graph.launch().and_then(|()| engine.wait_all()).unwrap_err();
    assert_eq!(calls.load(Ordering::SeqCst), 1, "{}", error);
    *slot.lock().unwrap() = None; // it held itself
}

/// On every device: what is dropped goes back to its pool, in flight or not.
#[test]
fn pools_get_everything_back() {
    everywhere(|engine, device| {
        let source = Tensor::full(engine, device, DType::F32, 1000, 1.0).unwrap();
        source.wait().unwrap();
        let before = engine.memory(device).unwrap().in_use;
        for _ in 0..50 {
            let (graph, y) = engine.record(|| source.exp()?.add(&source)).unwrap();
            graph.launch().unwrap();
            let future = y.wait_async();
            drop((graph, y.square(), y, future));
        }
        engine.wait_all().unwrap();
        let left = || engine.memory(device).unwrap().in_use - before;
        assert!(eventually(|| left() == 0), "{} bytes are still in use", left());
    });
}
