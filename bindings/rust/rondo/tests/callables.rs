//! Callables from closures: recorded once per shape, trained through, refused and failing with what the closure says.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
mod common;

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use common::everywhere;
use rondo::{DType, Device, Engine, Error, ErrorKind, Result, Tensor};

/// A layer: what it does, its weights, and how often its function ran.
struct Layer {
    w: Tensor,
    b: Tensor,
}

impl Layer {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        x.matmul(&self.w)?.add(&self.b)?.tanh()
    }
}

/// Steps through layers of which the data chooses; gives the weights that they end with.
fn train(engine: &Engine, device: Device, graphs: bool) -> Vec<Vec<f32>> {
    let noise = |n: usize, seed: usize| -> Vec<f32> {
        (0..n).map(|i| ((i * 7919 + seed * 104_729) % 1000) as f32 / 500.0 - 1.0).collect()
    };
    let runs = Arc::new(AtomicUsize::new(0));
    let layers: Vec<Arc<Layer>> = (0..3)
        .map(|i| {
            Arc::new(Layer {
                w: Tensor::from_slice(engine, device, [8, 8], &noise(64, i)).unwrap(),
                b: Tensor::from_slice(engine, device, 8, &noise(8, 10 + i)).unwrap(),
            })
        })
        .collect();
    let callables: Vec<_> = layers
        .iter()
        .map(|layer| {
            let (layer, runs) = (layer.clone(), runs.clone());
            engine
                .callable(1, move |x| {
                    runs.fetch_add(1, Ordering::Relaxed);
                    Ok(vec![layer.run(x[0])?])
                })
                .unwrap()
        })
        .collect();
    let through = |i: usize, x: &Tensor| -> Tensor {
        if graphs {
            callables[i].call(&[x]).unwrap().pop().unwrap()
        } else {
            layers[i].run(x).unwrap()
        }
    };
    let parameters: Vec<&Tensor> = layers.iter().flat_map(|layer| [&layer.w, &layer.b]).collect();
    let mut ways = [0; 2];
    for step in 0..6 {
        let x = Tensor::from_slice(engine, device, [4, 8], &noise(32, 100 + step)).unwrap();
        let tape = engine.tape(&parameters).unwrap();
        let mut y = through(0, &x);
        for _ in 0..3 {
            let way = usize::from(y.sum(..).unwrap().item::<f32>().unwrap() > 0.0);
            ways[way] += 1;
            y = through(1 + way, &y);
        }
        let loss = y.square().unwrap().sum(..).unwrap();
        let gradients = tape.gradients(&loss, &parameters).unwrap();
        for (parameter, gradient) in parameters.iter().zip(&gradients) {
            parameter.sub_assign(&gradient.mul(0.01).unwrap()).unwrap();
        }
    }
    assert!(ways[0] > 0 && ways[1] > 0, "{ways:?}");
    assert_eq!(runs.load(Ordering::Relaxed), if graphs { 3 } else { 0 });
    parameters.iter().map(|each| each.to_vec().unwrap()).collect()
}

#[test]
fn networks_that_decide_train_as_eager_ones() {
    everywhere(|engine, device| {
        let (eager, graphs) = (train(engine, device, false), train(engine, device, true));
        let bits = |all: &[Vec<f32>]| all.iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&eager), bits(&graphs));
    });
}

/// The gradient of x in sum(gradient of x in sum(f(x)) squared).
fn second(engine: &Engine, x: &Tensor, f: &dyn Fn(&Tensor) -> Tensor) -> Vec<f32> {
    let outer = engine.tape(&[x]).unwrap();
    let inner = engine.tape(&[x]).unwrap();
    let dx = inner.gradient(&f(x).sum(..).unwrap(), x).unwrap();
    outer.gradient(&dx.square().unwrap().sum(..).unwrap(), x).unwrap().to_vec().unwrap()
}

#[test]
fn calls_of_graphs_and_gradients_of_gradients_have_eager_bits() {
    everywhere(|engine, device| {
        let layer = Layer {
            w: Tensor::from_slice(engine, device, [2, 2], &[0.5f32, -1.0, 2.0, 0.25]).unwrap(),
            b: Tensor::from_slice(engine, device, 2, &[0.5f32, -0.5]).unwrap(),
        };
        let x = Tensor::from_slice(engine, device, [1, 2], &[0.75f32, -0.5]).unwrap();
        let (graph, ()) = engine
            .recording()
            .callable()
            .record(|| {
                let given = engine.record_input(device, DType::F32, [1, 2])?;
                engine.record_output(&layer.run(&given)?)
            })
            .unwrap();
        let first = |f: &dyn Fn(&Tensor) -> Tensor| -> Vec<Vec<f32>> {
            let tape = engine.tape(&[&x, &layer.w]).unwrap();
            let y = f(&x);
            let gradients = tape.gradients(&y.sum(..).unwrap(), &[&x, &layer.w]).unwrap();
            gradients.iter().map(|each| each.to_vec().unwrap()).collect()
        };
        let eager = |x: &Tensor| layer.run(x).unwrap();
        let called = |x: &Tensor| graph.call(&[x]).unwrap().pop().unwrap();
        assert_eq!(first(&called), first(&eager));
        assert_eq!(second(engine, &x, &called), second(engine, &x, &eager));
        let sine = engine.callable(1, |x| Ok(vec![x[0].sin()?])).unwrap();
        let (eager, called) = (|x: &Tensor| x.sin().unwrap(), |x: &Tensor| sine.call(&[x]).unwrap().pop().unwrap());
        assert_eq!(second(engine, &x, &called), second(engine, &x, &eager));
    });
}

#[test]
fn a_custom_gradient_counts_in_callables_and_graphs() {
    let engine = Engine::new().unwrap();
    let x = Tensor::from_slice(&engine, Device::CPU, 2, &[0.4f32, 1.6]).unwrap();
    let straight = |x: &Tensor| -> Result<Tensor> {
        let y = x.round()?;
        rondo::custom_gradient("straight_through", &[x], &[&y], |dy| Ok(vec![Some(dy[0].mul(3.0)?)]))?;
        Ok(y)
    };
    let callable = engine.callable(1, move |x| Ok(vec![straight(x[0])?])).unwrap();
    let (graph, ()) = engine
        .recording()
        .callable()
        .record(|| {
            let given = engine.record_input(Device::CPU, DType::F32, 2)?;
            engine.record_output(&straight(&given)?)
        })
        .unwrap();
    for call in [&(|x: &Tensor| callable.call(&[x])) as &dyn Fn(&Tensor) -> Result<Vec<Tensor>>, &|x| graph.call(&[x])]
    {
        let tape = engine.tape(&[&x]).unwrap();
        let y = call(&x).unwrap().pop().unwrap();
        let dx = tape.gradient(&y.mul(2.0).unwrap().sum(..).unwrap(), &x).unwrap();
        assert_eq!(dx.to_vec::<f32>().unwrap(), [6.0, 6.0]);
    }
}

#[test]
fn each_shape_is_recorded_once_by_any_thread() {
    let engine = Engine::new().unwrap();
    let double = engine.callable_builder().name("double").build(1, |x| Ok(vec![x[0].mul(2.0)?])).unwrap();
    std::thread::scope(|threads| {
        for t in 0..4 {
            let (engine, double) = (&engine, &double);
            threads.spawn(move || {
                for n in 1..6 {
                    let x = Tensor::from_slice(engine, Device::CPU, n, &vec![t as f32; n]).unwrap();
                    assert_eq!(double.call(&[&x]).unwrap()[0].to_vec::<f32>().unwrap(), vec![2.0 * t as f32; n]);
                }
            });
        }
    });
    let info = double.info().unwrap();
    assert_eq!((info.recordings, info.hits, info.signatures), (5, 15, 5));
    assert!(double.report().unwrap().contains("callable 'double': 5 signatures"));
    double.clear().unwrap();
    assert_eq!(double.info().unwrap().signatures, 0);
}

#[test]
fn options_are_heard() {
    let engine = Engine::new().unwrap();
    let x = Tensor::from_slice(&engine, Device::CPU, 3, &[1.0f32, 2.0, 3.0]).unwrap();
    let padded =
        engine.callable_builder().pad(0, &[4, 8]).limit_bytes(1).build(1, |x| Ok(vec![x[0].add(1.0)?])).unwrap();
    assert_eq!(padded.call(&[&x]).unwrap()[0].to_vec::<f32>().unwrap(), [2.0, 3.0, 4.0]);
    assert_eq!(padded.info().unwrap().limit_bytes, 1);
    let waits = |x: &[&Tensor]| -> Result<Vec<Tensor>> {
        let sum = x[0].sum(..)?;
        sum.wait()?;
        Ok(vec![sum])
    };
    let strict = engine.callable(1, waits).unwrap();
    assert_eq!(strict.call(&[&x]).unwrap_err().kind(), ErrorKind::InvalidState);
    let eager = engine.callable_builder().fall_back().build(1, waits).unwrap();
    assert_eq!(eager.call(&[&x]).unwrap()[0].item::<f32>().unwrap(), 6.0);
    assert_eq!(eager.info().unwrap().fallbacks, 1);
    assert!(eager.report().unwrap().contains("last fallback:"));
}

#[test]
fn errors_and_panics_of_closures_come_through() {
    let engine = Engine::new().unwrap();
    let x = Tensor::zeros(&engine, Device::CPU, DType::F32, 2).unwrap();
    let fails = engine.callable(1, |_| Err(Error::new(ErrorKind::IoError, "disk gone"))).unwrap();
    let error = fails.call(&[&x]).unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::IoError, "disk gone"));
    let panics = engine.callable(1, |_| panic!("no")).unwrap();
    let panic = catch_unwind(AssertUnwindSafe(|| panics.call(&[&x]))).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"no"));
    let two = engine.callable(1, |x| Ok(vec![x[0].add(1.0)?, x[0].add(2.0)?])).unwrap();
    let error = two.call(&[&x]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UserError);
    assert!(error.message().contains("gives 2 tensors; the callable was made with 1"), "{error}");
    // Clones of inputs are outputs like others, and the thread is as before.
    let same = engine.callable(1, |x| Ok(vec![x[0].clone()])).unwrap();
    assert_eq!(same.call(&[&x]).unwrap()[0].to_vec::<f32>().unwrap(), [0.0, 0.0]);
    assert!(!engine.is_recording().unwrap());
}

#[test]
fn what_does_not_fit_is_refused() {
    let engine = Engine::new().unwrap();
    let same = |x: &[&Tensor]| Ok(vec![x[0].add(0.0)?]);
    let error = engine.callable(0, same).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.message().contains("n_outputs is 0"), "{error}");
    for sizes in [&[4i64, 4][..], &[8, 4], &[-1], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]] {
        assert_eq!(
            engine.callable_builder().pad(0, sizes).build(1, same).unwrap_err().kind(),
            ErrorKind::InvalidArgument,
            "{sizes:?}"
        );
    }
    let (other, callable) = (Engine::new().unwrap(), engine.callable(1, same).unwrap());
    let foreign = Tensor::zeros(&other, Device::CPU, DType::F32, 2).unwrap();
    let error = callable.call(&[&foreign]).unwrap_err();
    assert!(error.message().starts_with("Callable::call: inputs[0] belongs to another engine"), "{error}");
}

#[test]
fn what_a_gradients_closure_fails_with_comes_through() {
    everywhere(|engine, device| {
        let x = Tensor::full(engine, device, DType::F32, (), 3.0).unwrap();
        let fail = |how: &'static str| -> Result<Tensor> {
            let tape = engine.tape(&[&x])?;
            let y = x.round()?;
            rondo::custom_gradient("mine", &[&x], &[&y], move |_| match how {
                "error" => Err(Error::new(ErrorKind::IoError, "disk gone")),
                "panic" => panic!("out of luck"),
                _ => Ok(vec![]),
            })?;
            tape.gradient(&y, &x)
        };
        let error = fail("error").unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::IoError, "disk gone"));
        let error = fail("count").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UserError);
        assert!(error.message().starts_with("custom_gradient 'mine': the closure gives 0 gradients"), "{}", error);
        let panic = catch_unwind(AssertUnwindSafe(|| fail("panic"))).unwrap_err();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"out of luck"));
        // What has been told is told once.
        let other = engine.tape(&[&x]).unwrap().gradient(&Tensor::zeros_like(&x).unwrap(), &x).unwrap_err();
        assert_eq!(other.kind(), ErrorKind::InvalidArgument);
        let buckets =
            rondo::Comm::all(engine, &[device]).and_then(|ends| rondo::Buckets::new(&ends[0], &[&x])).unwrap();
        let tape = engine.tape(&[&x]).unwrap();
        let y = x.round().unwrap();
        rondo::custom_gradient("mine", &[&x], &[&y], |_| Err(Error::new(ErrorKind::IoError, "disk gone"))).unwrap();
        assert_eq!(buckets.reduce(&tape, &y).unwrap_err().kind(), ErrorKind::IoError);
    });
}

#[test]
fn a_callables_closure_cannot_await_what_it_is_recorded_with() {
    everywhere(|engine, device| {
        let x = Tensor::ones(engine, device, DType::F32, 4).unwrap();
        let variable = rondo::Variable::new(engine).unwrap();
        let (weights, own) = (x.clone(), engine.clone());
        let call = engine
            .callable(1, move |x| {
                for refused in [x[0].wait_async(), weights.wait_async(), variable.wait_async(), own.wait_all_async()] {
                    assert_eq!(refused.map(drop).unwrap_err().kind(), ErrorKind::InvalidState);
                }
                Ok(vec![x[0].add(&weights)?])
            })
            .unwrap();
        assert_eq!(call.call(&[&x]).unwrap()[0].to_vec::<f32>().unwrap(), [2.0; 4]);
        assert_eq!(call.info().unwrap().recordings, 1);
    });
}
