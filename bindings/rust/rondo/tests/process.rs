//! What belongs to the process: the log, the version, features.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#![allow(clippy::unit_arg)] // bodies of tasks are one line

use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};

use rondo::log::{self, LogLevel};
use rondo::{Device, Engine, Tensor};

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Makes Rondo log a warning: a failure that nobody waits for.
fn provoke() {
    let engine = Engine::builder().mode(rondo::EngineMode::Async).build().unwrap();
    let a = Tensor::zeros(&engine, Device::CPU, rondo::DType::F32, 1).unwrap();
    engine.task("fails").writes(&a).submit(|_| Err("nobody waits".into())).unwrap();
}

#[test]
fn the_log_goes_to_a_closure_until_it_is_replaced() {
    let _lock = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let (sender, messages) = channel();
    log::set(LogLevel::Warning, move |level, text| sender.send((level, text.to_owned())).unwrap()).unwrap();
    provoke();
    log::set(LogLevel::Warning, |_, _| panic!("a panic of the closure goes nowhere")).unwrap();
    provoke();
    log::to_stderr(LogLevel::Off).unwrap();
    let messages: Vec<_> = messages.iter().collect(); // ends, because the closure is gone
    assert!(
        messages.iter().any(|(level, text)| *level == LogLevel::Warning && text.contains("nobody waits")),
        "{:?}",
        messages
    );
}

#[test]
fn messages_quote_whatever_a_program_has_written() {
    let _lock = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let (sender, messages) = channel();
    log::set(LogLevel::Warning, move |_, text| sender.send(text.to_owned()).unwrap()).unwrap();
    for said in ["call rondo_binary(", "call rondo_binary(ä", "rondo_reduce(東京)"] {
        let engine = Engine::new().unwrap();
        let a = Tensor::zeros(&engine, Device::CPU, rondo::DType::F32, 1).unwrap();
        engine.task(said).writes(&a).submit(move |_| Err(said.into())).unwrap();
        let told = a.wait().unwrap_err().message().to_owned();
        let kept = said.trim_start_matches("call ").trim_start_matches("rondo_");
        assert!(told.ends_with(&format!("ops::{}", kept)), "{}", told);
        engine.task(said).writes(&a).submit(move |_| Err(said.into())).unwrap();
        // nobody waits: the log has it
    }
    log::to_stderr(LogLevel::Off).unwrap();
    assert!(messages.iter().any(|text| text.contains("ops::binary(ä")));
}

#[cfg(feature = "log")]
#[test]
fn the_log_goes_to_the_crate_log() {
    use ::log::{Level, Log, Metadata, Record};
    static SEEN: Mutex<Vec<(Level, String, String)>> = Mutex::new(Vec::new());
    struct Keep;
    impl Log for Keep {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }
        fn log(&self, record: &Record<'_>) {
            SEEN.lock().unwrap().push((record.level(), record.target().to_owned(), record.args().to_string()));
        }
        fn flush(&self) {}
    }
    let _lock = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    ::log::set_logger(&Keep).unwrap();
    ::log::set_max_level(::log::LevelFilter::Debug);
    log::to_log(LogLevel::Debug).unwrap();
    provoke();
    log::to_stderr(LogLevel::Off).unwrap();
    let seen = SEEN.lock().unwrap();
    let found = seen
        .iter()
        .any(|(level, target, text)| *level == Level::Warn && target == "rondo" && text.contains("nobody waits"));
    assert!(found, "{:?}", seen);
}

#[cfg(feature = "tracing")]
#[test]
fn the_log_goes_to_the_crate_tracing() {
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Level, Metadata, Subscriber};
    static SEEN: Mutex<Vec<(Level, String)>> = Mutex::new(Vec::new());
    struct Keep;
    impl Subscriber for Keep {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }
        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, event: &Event<'_>) {
            let metadata = event.metadata();
            SEEN.lock().unwrap().push((*metadata.level(), metadata.target().to_owned()));
        }
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }
    let _lock = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    tracing::subscriber::set_global_default(Keep).unwrap();
    log::to_tracing(LogLevel::Debug).unwrap();
    provoke();
    log::to_stderr(LogLevel::Off).unwrap();
    let seen = SEEN.lock().unwrap();
    assert!(seen.contains(&(Level::WARN, "rondo".to_owned())), "{:?}", seen);
}

#[test]
fn versions_and_features_are_told() {
    assert_eq!(rondo::version(), (0, 1, 0));
    assert!(rondo::version_text().starts_with(env!("CARGO_PKG_VERSION")));
    let names = [
        "cuda",
        "nvrtc",
        "cublaslt",
        "cudnn",
        "blas",
        "onednn",
        "graphs",
        "memory_pools",
        "conditional_nodes",
        "programmatic_launch",
    ];
    for name in names {
        assert!(!rondo::feature(name).unwrap().reason.is_empty(), "{}", name);
    }
    assert!(rondo::feature("telepathy").unwrap_err().message().contains("telepathy"));
    assert!(rondo::feature("cu\0da").is_err());
}

#[test]
fn a_program_gives_back_what_it_holds_before_a_request_fails() {
    let _lock = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let engine = Engine::builder().memory_limit(1 << 20).build().unwrap();
    let make = || Tensor::full(&engine, Device::CPU, rondo::DType::F32, 150_000, 1.0); // more than half of the limit
    let cache = std::sync::Arc::new(Mutex::new(vec![make().unwrap()]));
    engine.wait_all().unwrap();
    let held = cache.clone();
    rondo::reclaim::set(0, move |bytes, attempt| {
        assert!(bytes >= 600_000);
        held.lock().unwrap().clear();
        attempt == 0
    })
    .unwrap();
    let second = make().unwrap();
    assert_eq!(second.to_vec::<f32>().unwrap()[0], 1.0);
    assert!(cache.lock().unwrap().is_empty());
    // Nothing is left to give back.
    assert_eq!(make().and_then(|third| third.to_vec::<f32>()).unwrap_err().kind(), rondo::ErrorKind::OutOfMemory);
    rondo::reclaim::set(0, |_, _| panic!("a panic of the closure is a no")).unwrap();
    assert_eq!(make().and_then(|third| third.to_vec::<f32>()).unwrap_err().kind(), rondo::ErrorKind::OutOfMemory);
    assert_eq!(rondo::reclaim::set(-1, |_, _| true).unwrap_err().kind(), rondo::ErrorKind::InvalidArgument);
    rondo::reclaim::unset().unwrap();
}
