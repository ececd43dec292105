//! Many threads on one engine, and waits as futures.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#![allow(clippy::unit_arg)] // bodies of tasks are one line

mod common;

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread;

use common::{block_on, devices, engines, eventually, everywhere};
use rondo::{Callable, DType, Device, Engine, ErrorKind, Tensor, Variable};

const THREADS: usize = 32;

#[test]
fn handles_cross_threads() {
    fn crosses<T: Send + Sync + 'static>() {}
    crosses::<Engine>();
    crosses::<rondo::EngineBuilder>();
    crosses::<Tensor>();
    crosses::<rondo::Comm>();
    crosses::<rondo::Expression>();
    crosses::<rondo::Module>();
    crosses::<rondo::ModelFile>();
    crosses::<Variable>();
    crosses::<rondo::Graph>();
    crosses::<rondo::Trace>();
    crosses::<rondo::Error>();
    crosses::<rondo::WaitFuture>();
    crosses::<rondo::dlpack::Given<rondo::dlpack::DLManagedTensorVersioned>>();
}

/// Compiles only where the type is not of the trait: else which `item` is meant would be ambiguous.
macro_rules! is_not {
    ($type:ty: $trait:ident) => {{
        trait Item<A> {
            fn item() {}
        }
        impl<T: ?Sized> Item<()> for T {}
        #[allow(dead_code)]
        struct OfTrait;
        impl<T: ?Sized + $trait> Item<OfTrait> for T {}
        <$type as Item<_>>::item();
    }};
}

#[test]
fn what_belongs_to_a_thread_stays_there() {
    is_not!(rondo::Tape: Send);
    is_not!(rondo::Tape: Sync);
    is_not!(rondo::TaskContext<'static>: Send);
    is_not!(rondo::TaskContext<'static>: Sync);
    is_not!(rondo::Buckets: Sync);
}

#[test]
fn many_threads_share_one_engine() {
    everywhere(|engine, device| {
        let shared = Tensor::full(engine, device, DType::F32, 64, 1.0).unwrap();
        let sum = Tensor::zeros(engine, device, DType::F32, 64).unwrap();
        thread::scope(|scope| {
            for number in 0..THREADS {
                let (shared, sum) = (&shared, &sum);
                scope.spawn(move || {
                    let own = (shared * number as f64).unwrap();
                    let (graph, doubled) = engine.record(|| own.add(&own)).unwrap();
                    for _ in 0..3 {
                        graph.launch().unwrap();
                        let _ = (&own - shared).unwrap().exp().unwrap();
                    }
                    assert_eq!(doubled.to_vec::<f32>().unwrap(), [2.0 * number as f32; 64]);
                    own.add_into(0.0, &sum.accumulator().unwrap()).unwrap();
                });
            }
        });
        assert_eq!(sum.to_vec::<f32>().unwrap(), [(THREADS * (THREADS - 1) / 2) as f32; 64]);
    });
}

#[test]
fn one_graph_is_launched_by_many_threads() {
    everywhere(|engine, device| {
        let n = Tensor::zeros(engine, device, DType::I32, ()).unwrap();
        let (graph, ()) = engine.record(|| n.add_into(1, &n)).unwrap();
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| (0..10).for_each(|_| graph.launch().unwrap()));
            }
        });
        assert_eq!(n.item::<i32>().unwrap(), 10 * THREADS as i32);
    });
}

#[test]
fn waits_are_futures() {
    everywhere(|engine, device| {
        let a = Tensor::full(engine, device, DType::F32, 1000, 2.0).unwrap();
        let variable = Variable::new(engine).unwrap();
        let _ = engine.task("write").writes(&variable).submit(|_| Ok(()));
        block_on(async {
            let b = a.square().unwrap();
            b.wait_async().unwrap().await.unwrap();
            variable.wait_async().unwrap().await.unwrap();
            engine.wait_all_async().unwrap().await.unwrap();
            assert_eq!(b.to_vec::<f32>().unwrap(), [4.0; 1000]);
        });
        let _ = engine.task("load").writes(&a).submit(|_| Err("disk gone".into()));
        block_on(async {
            let future = a.wait_async();
            let error = match future {
                Ok(future) => future.await.unwrap_err(),
                Err(error) => error, // in naive mode the task that would watch fails at the call
            };
            assert_eq!((error.kind(), error.operator()), (ErrorKind::UserError, Some("load")), "{}", error);
            assert!(engine.wait_all_async().unwrap().await.is_err());
        });
    });
}

struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn a_future_wakes_the_last_who_asked_and_may_be_dropped() {
    let engine = Engine::builder().workers(1).build().unwrap();
    let variable = Variable::new(&engine).unwrap();
    let (go, gate) = channel::<()>();
    engine.task("gate").writes(&variable).submit(move |_| Ok(gate.recv()?)).unwrap();
    let (mut future, dropped) = (variable.wait_async().unwrap(), variable.wait_async().unwrap());
    let (first, second) = (Arc::new(Count(AtomicUsize::new(0))), Arc::new(Count(AtomicUsize::new(0))));
    for count in [&first, &second] {
        let waker = Arc::clone(count).into();
        assert!(Pin::new(&mut future).poll(&mut Context::from_waker(&waker)).is_pending());
    }
    drop(dropped);
    go.send(()).unwrap();
    block_on(async { variable.wait_async().unwrap().await.unwrap() });
    engine.wait_all().unwrap();
    assert_eq!((first.0.load(Ordering::SeqCst), second.0.load(Ordering::SeqCst)), (0, 1));
    let waker = first.into();
    for _ in 0..2 {
        let polled = Pin::new(&mut future).poll(&mut Context::from_waker(&waker));
        assert!(matches!(polled, Poll::Ready(Ok(()))));
    }
}

struct Loud;

impl Wake for Loud {
    fn wake(self: Arc<Self>) {
        panic!("a waker panics");
    }
}

#[test]
fn a_waker_that_panics_harms_nobody_else() {
    let engine = Engine::builder().workers(1).build().unwrap();
    let is_ready = |future: &mut rondo::WaitFuture, waker: Arc<Count>| {
        Pin::new(future).poll(&mut Context::from_waker(&waker.into())).is_ready()
    };
    for round in 0..2 {
        for fails in [true, false] {
            let variable = Variable::new(&engine).unwrap();
            let (go, gate) = channel::<()>();
            let body = move |_: &rondo::TaskContext<'_>| {
                gate.recv()?;
                (!fails).then_some(()).ok_or_else(|| "disk gone".into())
            };
            engine.task("load").writes(&variable).submit(body).unwrap();
            let (mut loud, mut quiet) = (variable.wait_async().unwrap(), variable.wait_async().unwrap());
            let count = Arc::new(Count(AtomicUsize::new(0)));
            assert!(Pin::new(&mut loud).poll(&mut Context::from_waker(&Arc::new(Loud).into())).is_pending());
            assert!(!is_ready(&mut quiet, Arc::clone(&count)));
            go.send(()).unwrap();
            assert!(eventually(|| count.0.load(Ordering::SeqCst) == 1), "round {}, fails {}", round, fails);
            assert!(is_ready(&mut quiet, Arc::clone(&count)) && is_ready(&mut loud, count));
            assert_eq!(
                engine.wait_all().map_err(|error| error.operator() == Some("load")),
                if fails { Err(true) } else { Ok(()) }
            );
        }
    }
}

/// The end of a wait may have the last handle of an engine that has much to do, and other waits end meanwhile.
#[test]
fn the_end_of_an_engine_keeps_no_cause_from_others() {
    let fails = |engine: &Engine, gate: Receiver<()>| {
        let variable = Variable::new(engine).unwrap();
        let body = move |_: &rondo::TaskContext<'_>| {
            gate.recv()?;
            Err("disk gone".into())
        };
        engine.task("fails").writes(&variable).submit(body).unwrap();
        variable.wait_async().unwrap()
    };
    let busy = Engine::builder().workers(2).build().unwrap();
    let (end, goes_on) = channel::<()>();
    busy.task("long").writes(&Variable::new(&busy).unwrap()).submit(move |_| Ok(goes_on.recv()?)).unwrap();
    let (go, gate) = channel::<()>();
    let first = fails(&busy, gate);
    drop(busy);
    go.send(()).unwrap();
    assert!(block_on(first).is_err());

    let other = Engine::builder().workers(1).build().unwrap();
    let (go, gate) = channel::<()>();
    let mut second = fails(&other, gate);
    go.send(()).unwrap();
    let count: std::task::Waker = Arc::new(Count(AtomicUsize::new(0))).into();
    assert!(eventually(|| Pin::new(&mut second).poll(&mut Context::from_waker(&count)).is_ready()));
    end.send(()).unwrap();
}

/// The future holds the tensor's memory and the engine; the handles may go.
#[test]
fn a_future_outlives_the_handles() {
    for device in devices() {
        for engine in engines() {
            let a = Tensor::full(&engine, device, DType::F32, 1000, 2.0).unwrap().exp().unwrap();
            let future = a.wait_async().unwrap();
            drop((a, engine));
            block_on(future).unwrap();
        }
    }
    assert_eq!(Device::CPU.index, 0);
}

/// Calls Rondo when its thread ends, and sends what came of it.
struct Late {
    x: Tensor,
    call: Callable,
    sender: Sender<Vec<rondo::Result<f32>>>,
}

impl Drop for Late {
    fn drop(&mut self) {
        let (engine, x) = (self.x.engine(), &self.x);
        let first = |y: Tensor| Ok(y.to_vec::<f32>()?[0]);
        let recorded = || {
            let (graph, y) = engine.record(|| x.add(2.0))?;
            graph.launch()?;
            first(y)
        };
        let told = || {
            engine.task("look").reads(x).submit(|_| Err("told".into()))?;
            engine.wait_all().map(|()| 0.0)
        };
        let gradient = || first(engine.tape(&[x]).and_then(|tape| tape.gradient(&x.square()?.sum(..)?, x))?);
        let of_call = self.call.call(&[x]).and_then(|y| first(y[0].clone()));
        let failed = self.call.call(&[&Tensor::zeros(engine, Device::CPU, DType::I32, 1).unwrap()]).map(|_| 0.0);
        let awaited = block_on(x.wait_async().unwrap()).map(|()| 0.0);
        let came = vec![x.add(1.0).and_then(first), recorded(), gradient(), of_call, awaited, failed, told()];
        self.sender.send(came).unwrap();
    }
}

#[test]
fn calls_are_possible_while_a_thread_ends() {
    thread_local! {
        static LATE: RefCell<Option<Late>> = const { RefCell::new(None) };
    }
    for engine in engines() {
        let (sender, came) = channel();
        let used = thread::spawn(move || {
            LATE.with(|late| assert!(late.borrow().is_none())); // before whatever Rondo registers for the thread's end
            let x = Tensor::ones(&engine, Device::CPU, DType::F32, 4).unwrap();
            let call = engine
                .callable(1, |x| match x[0].dtype()? {
                    DType::F32 => Ok(vec![x[0].add(5)?]),
                    _ => Err(rondo::Error::new(ErrorKind::IoError, "disk gone")),
                })
                .unwrap();
            call.call(&[&x]).unwrap();
            engine.task("look").reads(&x).submit(|_| Ok(())).unwrap();
            engine.wait_all().unwrap();
            LATE.with(|late| *late.borrow_mut() = Some(Late { x, call, sender }));
        });
        used.join().unwrap();
        let mut came = came.recv().unwrap();
        assert!(came.pop().unwrap().unwrap_err().message().ends_with("told"));
        assert_eq!(came.pop().unwrap().unwrap_err().message(), "disk gone");
        assert_eq!(came.into_iter().collect::<rondo::Result<Vec<_>>>().unwrap(), [2.0, 3.0, 2.0, 6.0, 0.0]);
    }
}
