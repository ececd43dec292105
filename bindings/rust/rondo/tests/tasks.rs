//! Tasks of the program's own, and what their failures become.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#![allow(clippy::unit_arg)] // bodies of tasks are one line

mod common;

use std::error::Error as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use common::{devices, engines, eventually, everywhere};
use rondo::{DType, Device, Engine, EngineMode, Error, ErrorKind, Tensor, Variable};

#[test]
fn tasks_run_in_the_order_of_their_variables() {
    for engine in engines() {
        let (variable, order) = (Variable::new(&engine).unwrap(), Arc::new(Mutex::new(Vec::new())));
        for step in 0..100 {
            let order = Arc::clone(&order);
            let task = engine.task("step").reads(&variable).writes(&variable).priority(step % 2);
            task.submit(move |_| Ok(order.lock().unwrap().push(step))).unwrap();
        }
        variable.wait().unwrap();
        assert_eq!(*order.lock().unwrap(), (0..100).collect::<Vec<_>>());
        assert_eq!(variable.version().unwrap(), 100);
    }
}

#[test]
fn host_tasks_see_what_operators_wrote() {
    everywhere(|engine, device| {
        let a = Tensor::full(engine, device, DType::F32, 100, 3.0).unwrap();
        let host = a.square().unwrap().copy_to(Device::CPU).unwrap();
        let (sender, seen) = channel();
        // SAFETY: an operator writes it.
        let address = unsafe { host.address() }.unwrap() as usize;
        engine
            .task("look")
            .reads(&host)
            .submit(move |task| {
                assert!(task.stream().is_null() && task.device() == Device::CPU && !task.is_capturing());
                // SAFETY: 100 floats of the cpu, which the task reads.
                let values = unsafe { std::slice::from_raw_parts(address as *const f32, 100) };
                Ok(sender.send(values.iter().sum::<f32>())?)
            })
            .unwrap();
        host.wait().unwrap();
        assert_eq!(seen.recv().unwrap(), 900.0);
    });
}

#[test]
fn device_tasks_are_given_a_stream() {
    for engine in engines() {
        for device in devices().into_iter().filter(|&device| device != Device::CPU) {
            let a = Tensor::zeros(&engine, device, DType::F32, 2).unwrap();
            let (sender, seen) = channel();
            let task = engine.task("issue").on(device).writes(&a).stream(0).no_capture();
            task.submit(move |task| Ok(sender.send((task.stream() as usize, task.device()))?)).unwrap();
            a.wait().unwrap();
            let (stream, on) = seen.recv().unwrap();
            assert!(stream != 0 && on == device);
        }
    }
}

#[derive(Debug, PartialEq)]
struct DiskGone(u32);

impl std::fmt::Display for DiskGone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "disk {} gone", self.0)
    }
}

impl std::error::Error for DiskGone {}

#[test]
fn a_failure_reaches_whoever_waits_with_its_cause() {
    everywhere(|engine, device| {
        let a = Tensor::full(engine, device, DType::F32, 2, 1.0).unwrap();
        let submitted = engine.task("load").writes(&a).submit(|_| Err(DiskGone(7).into()));
        assert_eq!(submitted.is_err(), engine.mode().unwrap() == EngineMode::Naive);
        let b = a.exp().unwrap_or_else(|_| a.share().unwrap());
        for error in [b.wait().unwrap_err(), b.wait().unwrap_err(), a.to_vec::<f32>().unwrap_err()] {
            assert_eq!((error.kind(), error.operator()), (ErrorKind::UserError, Some("load")), "{}", error);
            assert!(error.message().ends_with("disk 7 gone"), "{}", error);
            assert_eq!(error.source().unwrap().downcast_ref::<DiskGone>(), Some(&DiskGone(7)));
        }
        assert!(engine.wait_all().is_err());
        engine.wait_all().unwrap();
        a.fill(0.0).unwrap(); // writes without reading: the error is over
        assert_eq!(a.to_vec::<f32>().unwrap(), [0.0, 0.0]);
    });
}

#[test]
fn an_error_of_rondo_keeps_its_kind_and_a_panic_is_an_error() {
    for engine in engines() {
        let fails = |body: fn() -> Result<(), rondo::BoxError>| {
            let variable = Variable::new(&engine).unwrap();
            let _ = engine.task("fails").writes(&variable).submit(move |_| body());
            variable.wait().unwrap_err()
        };
        let error = fails(|| Err(Error::new(ErrorKind::IoError, "no such file").into()));
        assert_eq!(error.kind(), ErrorKind::IoError);
        let error = fails(|| Err(Error::new(ErrorKind::DeviceLost, "I say so").into()));
        assert_eq!(error.kind(), ErrorKind::UserError); // only a device can say that
        let error = fails(|| panic!("out of {}", "luck"));
        assert_eq!(error.kind(), ErrorKind::UserError);
        assert!(error.message().ends_with("the task's body panicked: out of luck"), "{}", error);
        assert!(fails(|| std::panic::panic_any(5)).message().ends_with("a panic without a message"));
        struct Loud;
        impl Drop for Loud {
            fn drop(&mut self) {
                panic!("while dropped");
            }
        }
        assert!(fails(|| std::panic::panic_any(Loud)).message().ends_with("a panic without a message"));
        assert!(fails(|| Err("".into())).message().ends_with("an error without a text"));
        assert!(fails(|| Err("zero \0 byte".into())).message().contains("zero \u{fffd} byte"));
        let loud = Loud;
        engine
            .task("held")
            .submit(move |_| {
                let _ = &loud;
                Ok(())
            })
            .unwrap();
        let _ = engine.wait_all(); // the panic of its drop goes nowhere
        assert!(engine.task("bad\0name").submit(|_| Ok(())).is_err());
    }
}

#[test]
fn waiting_inside_a_task_is_an_error() {
    for engine in engines() {
        let (a, variable) =
            (Tensor::zeros(&engine, Device::CPU, DType::F32, 2).unwrap(), Variable::new(&engine).unwrap());
        let inside = a.share().unwrap();
        let submitted = engine.task("waits").writes(&variable).submit(move |_| {
            assert_eq!(inside.engine().wait_all().unwrap_err().kind(), ErrorKind::InvalidState);
            Ok(inside.wait()?)
        });
        let error = submitted.and_then(|()| variable.wait()).unwrap_err();
        assert_eq!((error.kind(), error.operator()), (ErrorKind::InvalidState, Some("waits")), "{}", error);
    }
}

#[test]
fn a_body_is_dropped_once_whatever_becomes_of_its_task() {
    struct Count(Arc<AtomicUsize>);
    impl Count {
        fn hold(&self) {}
    }
    impl Drop for Count {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    for engine in engines() {
        let dropped = Arc::new(AtomicUsize::new(0));
        let count = || Count(Arc::clone(&dropped));
        let other = Variable::new(&Engine::new().unwrap()).unwrap();
        let (run, refused, skipped, kept) = (count(), count(), count(), count());
        engine.task("run").submit(move |_| Ok(run.hold())).unwrap();
        assert!(engine.task("refused").reads(&other).submit(move |_| Ok(refused.hold())).is_err());
        let poisoned = Variable::new(&engine).unwrap();
        let _ = engine.task("fails").writes(&poisoned).submit(|_| Err("no".into()));
        let _ = engine.task("skipped").reads(&poisoned).submit(move |_| Ok(skipped.hold()));
        let _ = engine.wait_all();
        assert!(eventually(|| dropped.load(Ordering::SeqCst) == 3));
        let (graph, ()) = engine.record(|| engine.task("kept").submit(move |_| Ok(kept.hold()))).unwrap();
        graph.launch().unwrap();
        graph.launch().unwrap();
        engine.wait_all().unwrap();
        assert_eq!(dropped.load(Ordering::SeqCst), 3);
        drop(graph);
        engine.wait_all().unwrap();
        assert!(eventually(|| dropped.load(Ordering::SeqCst) == 4));
    }
}

/// The last handle of an engine may be in a task of that very engine.
#[test]
fn an_engine_may_end_inside_its_own_task() {
    for engine in engines() {
        let (sender, ended) = channel();
        struct Tell(Tensor, std::sync::mpsc::Sender<()>);
        impl Tell {
            fn hold(&self) -> bool {
                self.0.info().is_ok()
            }
        }
        impl Drop for Tell {
            fn drop(&mut self) {
                let _ = self.1.send(());
            }
        }
        let tell = Tell(Tensor::zeros(&engine, Device::CPU, DType::F32, 2).unwrap(), sender);
        let task = engine.clone();
        drop(engine);
        task.task("last").submit(move |_| Ok(assert!(tell.hold()))).unwrap();
        drop(task);
        ended.recv().expect("the body is dropped");
    }
}

#[test]
fn tasks_may_submit_tasks() {
    for engine in engines() {
        let a = Tensor::zeros(&engine, Device::CPU, DType::I64, 2).unwrap();
        let (inner, done) = (a.share().unwrap(), Variable::new(&engine).unwrap());
        engine.task("outer").writes(&done).submit(move |_| Ok(inner.add_into(5, &inner)?)).unwrap();
        done.wait().unwrap();
        assert_eq!(a.to_vec::<i64>().unwrap(), [5, 5]);
    }
}

#[test]
fn each_failure_has_its_own_source_however_many_there_are() {
    #[derive(Debug)]
    struct Numbered(usize);
    impl std::fmt::Display for Numbered {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("the same text")
        }
    }
    impl std::error::Error for Numbered {}
    everywhere(|engine, device| {
        let tensors: Vec<Tensor> = (0..40)
            .map(|number| {
                let tensor = Tensor::zeros(engine, device, DType::F32, 1).unwrap();
                let _ = engine.task("numbered").writes(&tensor).submit(move |_| Err(Numbered(number).into()));
                tensor
            })
            .collect();
        for (number, tensor) in tensors.iter().enumerate() {
            for _ in 0..2 {
                let error = tensor.wait().unwrap_err();
                let source = std::error::Error::source(&error).expect("the error that the body returned");
                assert_eq!(source.downcast_ref::<Numbered>().expect("its type").0, number);
                assert_eq!(error.operator(), Some("numbered"));
            }
        }
    });
}

#[test]
fn a_wait_with_a_limit_ends_while_the_task_goes_on() {
    let engine = Engine::new().unwrap();
    let (release, wait) = std::sync::mpsc::channel::<()>();
    let variable = rondo::Variable::new(&engine).unwrap();
    engine.task("slow").writes(&variable).submit(move |_| wait.recv().map_err(Into::into)).unwrap();
    let limit = std::time::Duration::from_millis(5);
    for error in [variable.wait_for(limit), engine.wait_all_for(limit), variable.wait_for(std::time::Duration::ZERO)] {
        assert_eq!(error.unwrap_err().kind(), ErrorKind::TimedOut);
    }
    release.send(()).unwrap();
    variable.wait_for(std::time::Duration::from_secs(60)).unwrap();
}
