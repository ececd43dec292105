//! Everything that is made and dropped gives its memory back: the process stays as large as it was.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#![allow(clippy::unit_arg)] // bodies of tasks are one line

mod common;

use rondo::{DType, Device, Engine, Error, Tensor, Variable};

/// Bytes of the process that are in memory.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1024
}

/// Threads of the process.
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

/// Cycles leak less than 8 bytes each, on average: the smallest object here has dozens. Work in flight is waited for now
/// and then, so that how much of it there is does not count.
fn stays_flat(engine: &Engine, what: &str, cycles: usize, mut cycle: impl FnMut()) {
    let mut run = |cycles: usize| {
        for number in 0..cycles {
            cycle();
            if number % 64 == 0 {
                engine.wait_all().unwrap_or(()); // some of them fail on purpose
            }
        }
        engine.wait_all().unwrap_or(());
    };
    run(cycles / 5);
    // The allocator takes another arena now and then, once; what leaks grows every time.
    let mut grown = Vec::new();
    for _ in 0..3 {
        let before = resident();
        run(cycles);
        grown.push(resident().saturating_sub(before));
        if grown[grown.len() - 1] < 256 * 1024 + 8 * cycles {
            return;
        }
    }
    panic!("{}: {:?} bytes more, each time after {} cycles", what, grown, cycles);
}

fn cycles(whole: usize) -> usize {
    if std::env::var_os("RONDO_TEST_QUICK").is_some() {
        whole / 20
    } else {
        whole
    }
}

// The one test of this program: another would grow the process meanwhile.
#[test]
fn create_and_drop_cycles_stay_flat() {
    let engine = Engine::builder().workers(1).build().unwrap();
    let source = Tensor::zeros(&engine, Device::CPU, DType::F32, 64).unwrap();
    stays_flat(&engine, "tensors", cycles(100_000), || {
        drop(Tensor::empty(&engine, Device::CPU, DType::F32, 64).unwrap());
    });
    stays_flat(&engine, "views", cycles(100_000), || drop(source.slice_axis(0, 1..3).unwrap()));
    stays_flat(&engine, "variables", cycles(100_000), || drop(Variable::new(&engine).unwrap()));
    stays_flat(&engine, "errors", cycles(100_000), || drop(source.reshape([5]).unwrap_err()));
    stays_flat(&engine, "operators", cycles(20_000), || drop(source.add(1.0).unwrap()));
    stays_flat(&engine, "tasks", cycles(20_000), || {
        let text = "captured".repeat(10);
        engine
            .task("held")
            .reads(&source)
            .submit(move |task| Ok(assert_eq!((text.len(), task.input_slice::<f32>(0)?.len()), (80, 64))))
            .unwrap();
    });
    stays_flat(&engine, "failures", cycles(20_000), || {
        let variable = Variable::new(&engine).unwrap();
        engine.task("fails").writes(&variable).submit(|_| Err("x".repeat(100).into())).unwrap();
        variable.wait().unwrap_err();
    });
    stays_flat(&engine, "futures", cycles(20_000), || common::block_on(source.wait_async().unwrap()).unwrap());
    let wide = Engine::builder().workers(1).max_tasks(20_000).build().unwrap();
    common::block_on(Variable::new(&wide).unwrap().wait_async().unwrap()).unwrap(); // its threads start
    let started = threads();
    stays_flat(&wide, "failing futures", 5, || {
        let variable = Variable::new(&wide).unwrap();
        let (go, gate) = std::sync::mpsc::channel::<()>();
        wide.task("load").writes(&variable).submit(move |_| Ok(gate.recv()?)).unwrap();
        wide.task("fails").writes(&variable).submit(|_| Err("disk gone".into())).unwrap();
        let futures: Vec<_> = (0..10_000).map(|_| variable.wait_async().unwrap()).collect();
        go.send(()).unwrap();
        for future in futures {
            assert!(common::block_on(future).unwrap_err().message().ends_with("disk gone"));
        }
        assert!(threads() <= started + 1, "{} threads, {} before", threads(), started);
    });
    assert!(common::eventually(|| threads() == started), "{} threads, {} before", threads(), started);
    stays_flat(&engine, "dlpack", cycles(20_000), || drop(source.to_dlpack().unwrap()));
    stays_flat(&engine, "graphs", cycles(4_000), || {
        let (graph, y) = engine.record(|| source.exp()).unwrap();
        graph.launch().unwrap();
        drop((graph, y));
    });
    stays_flat(&engine, "recordings that fail", cycles(4_000), || {
        let failed: Result<_, Error> = engine.record(|| {
            let _kept = source.exp()?;
            source.reshape([5])
        });
        drop(failed.unwrap_err());
    });
    stays_flat(&engine, "engines", cycles(2_000), || {
        let engine = Engine::builder().workers(1).build().unwrap();
        drop(Tensor::zeros(&engine, Device::CPU, DType::F32, 64).unwrap());
    });
}
