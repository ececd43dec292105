//! What an operator call costs in Rust beside the same call in C, on one engine with the smallest tensors. The goal is
//! 30 ns more at most.
//!
//! Calls are counted in batches with a wait behind each, outside the time, so that neither side meets the bound on tasks
//! in flight. What the engine's own threads do meanwhile is the same for both.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ptr::null_mut;
use std::time::{Duration, Instant};

use criterion::{criterion_group, criterion_main, Criterion};
use rondo::rondo_sys as sys;
use rondo::{Device, Engine, Graph, Tensor};

const BATCH: u64 = 1000;

/// Times `iterations` calls.
fn batches(engine: &Engine, iterations: u64, mut call: impl FnMut()) -> Duration {
    let (mut total, mut left) = (Duration::default(), iterations);
    while left > 0 {
        let batch = left.min(BATCH);
        let begin = Instant::now();
        (0..batch).for_each(|_| call());
        total += begin.elapsed();
        engine.wait_all().unwrap();
        left -= batch;
    }
    total
}

fn calls(c: &mut Criterion) {
    let device: Device = std::env::var("RONDO_BENCH_DEVICE").unwrap_or_else(|_| "cpu".into()).parse().unwrap();
    let engine = Engine::builder().workers(1).build().unwrap();
    let a = Tensor::from_slice(&engine, device, 1, &[1.0f32]).unwrap();
    let b = Tensor::from_slice(&engine, device, 1, &[0.0f32]).unwrap();
    let (graph, ()): (Graph, ()) = engine.record(|| a.add_into(&b, &a)).unwrap();
    let check = |status| assert_eq!(status, sys::RONDO_OK);

    let mut group = c.benchmark_group("add, output made");
    group.bench_function("c", |bencher| {
        bencher.iter_custom(|n| {
            batches(&engine, n, || unsafe {
                let mut out = null_mut();
                check(sys::rondo_binary(sys::RONDO_ADD, a.as_ptr(), b.as_ptr(), &mut out));
                sys::rondo_tensor_destroy(out);
            })
        })
    });
    group.bench_function("rust", |bencher| bencher.iter_custom(|n| batches(&engine, n, || drop(a.add(&b).unwrap()))));
    group.finish();

    let mut group = c.benchmark_group("add, output given");
    group.bench_function("c", |bencher| {
        bencher.iter_custom(|n| {
            batches(&engine, n, || unsafe {
                let mut out = a.as_ptr();
                check(sys::rondo_binary(sys::RONDO_ADD, a.as_ptr(), b.as_ptr(), &mut out));
            })
        })
    });
    group
        .bench_function("rust", |bencher| bencher.iter_custom(|n| batches(&engine, n, || a.add_into(&b, &a).unwrap())));
    group.finish();

    let mut group = c.benchmark_group("launch");
    group.bench_function("c", |bencher| {
        bencher.iter_custom(|n| batches(&engine, n, || unsafe { check(sys::rondo_graph_launch(graph.as_ptr())) }))
    });
    group.bench_function("rust", |bencher| bencher.iter_custom(|n| batches(&engine, n, || graph.launch().unwrap())));
    group.finish();
}

criterion_group!(benches, calls);
criterion_main!(benches);
