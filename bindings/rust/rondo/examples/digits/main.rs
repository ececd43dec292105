//! Trains a two-layer network on real handwritten digits twice from the same seed: eagerly, one operator after the
//! other, and replayed, as one recorded graph launched once per step. Both do the same arithmetic, and so does the C
//! example of the same name: parameters agree bit for bit.
//!
//!     cargo run --release --example digits -- --device auto
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#[path = "../common/mod.rs"]
mod common;
mod data;
mod net;

use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use common::{choose_device, print_device};
use data::Digits;
use net::Net;
use rondo::{DType, Device, Engine, EngineMode};

const USAGE: &str = "usage: digits [options]
  --device cpu|cuda:0|auto         where to train (auto: the first CUDA device that works, else cpu)
  --engine async|threaded|naive    how the engine issues work (async)
  --epochs N                       passes over the training images (40)
  --batch N                        images per step (64)
  --seed N                         of initial parameters, dropout and order of images (1)
  --precision f32|f16|bf16         of the layers; parameters are f32 (f32)
  --data FILE                      the images (digits.bin in $RONDO_EXAMPLE_DATA or the source tree)
  --parameters FILE                writes the trained parameters there, as safetensors: w1, b1, w2, b2
  --help                           this text";

struct Options {
    device: String,
    mode: EngineMode,
    epochs: usize,
    batch: usize,
    seed: u64,
    precision: DType,
    data: Option<PathBuf>,
    parameters: Option<PathBuf>,
}

fn number(option: &str, text: &str, low: u64, high: u64) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| (low..=high).contains(number));
    number.ok_or_else(|| format!("{} must be a whole number from {} to {}, not '{}'", option, low, high, text))
}

/// None when the help was asked for.
fn options(mut arguments: impl Iterator<Item = String>) -> Result<Option<Options>, String> {
    let mut o = Options {
        device: "auto".into(),
        mode: EngineMode::Async,
        epochs: 40,
        batch: 64,
        seed: 1,
        precision: DType::F32,
        data: None,
        parameters: None,
    };
    while let Some(option) = arguments.next() {
        if option == "--help" {
            return Ok(None);
        }
        let known = ["--device", "--engine", "--epochs", "--batch", "--seed", "--precision", "--data", "--parameters"];
        if !known.contains(&&*option) {
            return Err(format!("unknown option '{}' (--help lists them)", option));
        }
        let value = arguments.next().ok_or_else(|| format!("{} needs a value", option))?;
        match &*option {
            "--device" => o.device = value,
            "--engine" => {
                o.mode = match &*value {
                    "async" => EngineMode::Async,
                    "threaded" => EngineMode::Threaded,
                    "naive" => EngineMode::Naive,
                    _ => return Err(format!("--engine must be async, threaded or naive, not '{}'", value)),
                }
            }
            "--epochs" => o.epochs = number(&option, &value, 1, 1000)? as usize,
            "--batch" => o.batch = number(&option, &value, 1, 1024)? as usize,
            "--seed" => o.seed = number(&option, &value, 0, i64::MAX as u64)?,
            "--precision" => {
                o.precision = match &*value {
                    "f32" => DType::F32,
                    "f16" => DType::F16,
                    "bf16" => DType::Bf16,
                    _ => return Err(format!("--precision must be f32, f16 or bf16, not '{}'", value)),
                }
            }
            "--data" => o.data = Some(value.into()),
            _ => o.parameters = Some(value.into()),
        }
    }
    Ok(Some(o))
}

/// One training from the seed; returns the net and the share of test images that are right.
fn train(
    engine: &Engine,
    device: Device,
    o: &Options,
    digits: &Digits,
    order: &[i32],
    replay: bool,
) -> Result<(Net, f64), rondo::Error> {
    let steps = digits.train_labels.len() / o.batch;
    println!("\n{} training", if replay { "replayed" } else { "eager" });
    engine.seed(o.seed)?;
    let net = Net::new(engine, device, digits, o.batch, order, o.precision)?;
    let graph = if replay { Some(engine.recording().name("step").record(|| net.step())?.0) } else { None };
    if let Some(graph) = &graph {
        let info = graph.info()?;
        println!(
            "  graph: {} tasks in {} segments, {} captured as CUDA graph: {} nodes, {} edges, {} branches",
            info.tasks, info.segments, info.captured, info.nodes, info.edges, info.branches
        );
    }
    let (mut accuracy, mut timed) = (0.0, Duration::default());
    for epoch in 0..o.epochs {
        engine.wait_all()?;
        let begin = Instant::now();
        for _ in 0..steps {
            match &graph {
                Some(graph) => graph.launch()?,
                None => net.step()?,
            }
        }
        engine.wait_all()?;
        if epoch > 0 || o.epochs == 1 {
            timed += begin.elapsed(); // the first epoch compiles and loads what it meets
        }
        let loss = net.take_loss()? / (steps * o.batch) as f64;
        accuracy = net.test(digits)?;
        println!("  epoch {:3}   loss {:.4}   test accuracy {:.4}", epoch + 1, loss, accuracy);
    }
    println!("  {:.1} us per step", 1e6 * timed.as_secs_f64() / (steps * (o.epochs - 1).max(1)) as f64);
    Ok((net, accuracy))
}

fn run(o: &Options) -> Result<bool, Box<dyn Error>> {
    let device = choose_device(&o.device)?;
    let digits = Digits::load(o.data.clone())?;
    if digits.train_labels.len() < o.batch {
        return Err(format!("--batch {} is more than the training images", o.batch).into());
    }
    let engine = Engine::builder().mode(o.mode).build()?;
    print_device(&engine, device)?;

    let order = data::training_order(o.seed, o.epochs, o.batch, digits.train_labels.len());
    let (eager_net, eager_accuracy) = train(&engine, device, o, &digits, &order, false)?;
    let (replayed_net, replayed_accuracy) = train(&engine, device, o, &digits, &order, true)?;

    println!("\ntest accuracy   eager {:.4}   replayed {:.4}", eager_accuracy, replayed_accuracy);
    let (eager, replayed) = (eager_net.parameters()?, replayed_net.parameters()?);
    // Bits, not values: NaN equals itself here.
    let different = eager.iter().zip(&replayed).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
    match different {
        0 => println!("parameters      all {} agree bit for bit", eager.len()),
        _ => println!("parameters      {} of {} differ", different, eager.len()),
    }
    if let Some(path) = &o.parameters {
        replayed_net.write(path)?;
    }
    let learned = eager_accuracy >= 0.9 && replayed_accuracy >= 0.9;
    if !learned {
        println!("an accuracy below 0.9: something is wrong");
    }
    Ok(different == 0 && learned)
}

fn main() {
    let code = match options(std::env::args().skip(1)) {
        Ok(None) => {
            println!("{}", USAGE);
            0
        }
        Ok(Some(o)) => match run(&o) {
            Ok(good) => i32::from(!good),
            Err(problem) => {
                eprintln!("digits: {}", problem);
                1
            }
        },
        Err(problem) => {
            eprintln!("digits: {}", problem);
            2
        }
    };
    std::process::exit(code);
}
