//! A recommender of the kind of DLRM learns who clicks. A whole step, in which only the rows that were read are updated, is
//! recorded once as a graph and launched for every batch; the first steps, run operator by operator beside it, leave the
//! same bits. So does the C example of the same name: losses, tables and parameters agree bit for bit.
//!
//!     cargo run --release --example dlrm -- auto
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
mod clicks;
#[path = "../common/mod.rs"]
mod common;
mod model;

use std::error::Error;
use std::path::Path;

use clicks::Clicks;
use common::{choose_device, print_device};
use model::{Model, Samples};
use rondo::{DeviceKind, Engine, Graph};

const USAGE: &str = "usage: dlrm [--half] [DEVICE [STEPS [BATCH [FILE]]]]
  --half  the upper network computes in f16, and the loss is scaled; what is trained stays f32
  DEVICE  cpu (without an argument), cuda:0 or auto
  STEPS   of training (1024)
  BATCH   samples of a step (128)
  FILE    gets the trained tables and parameters, as safetensors";

const TRAINING: usize = 16384;
const TESTS: usize = 4096;
const COMPARED: usize = 3; // steps, eager and launched
const PARTS: usize = 8; // of the training, each of which says how it went

/// The graph of a step, which nothing may split: what was recorded is one piece, on a GPU one CUDA graph.
fn record(engine: &Engine, model: &Model, kind: DeviceKind) -> Result<Graph, Box<dyn Error>> {
    let (graph, ()) = engine.record(|| model.step())?;
    let info = graph.info()?;
    if info.segments != 1 || info.captured != i32::from(kind == DeviceKind::Cuda) {
        let pieces = (info.segments, info.captured);
        return Err(format!(
            "the step is not one graph, but {} pieces, of which {} are CUDA graphs",
            pieces.0, pieces.1
        )
        .into());
    }
    println!("a step is one graph of {} tasks", info.tasks);
    Ok(graph)
}

fn run(half: bool, device: &str, steps: usize, batch: usize, file: Option<&String>) -> Result<(), Box<dyn Error>> {
    let device = choose_device(device)?;
    let (clicks, unseen) = (Clicks::new(TRAINING, 1), Clicks::new(TESTS, 2));
    let engine = Engine::new()?;
    print_device(&engine, device)?;
    let model = Model::new(&engine, device, batch, half, &clicks)?;
    let eager = Model::new(&engine, device, batch, half, &clicks)?;
    let tests = Samples::new(&engine, device, &unseen)?;
    let before = model.test(&tests)?;

    let graph = record(&engine, &model, device.kind)?;
    for _ in 0..COMPARED {
        graph.launch()?;
        eager.step()?;
    }
    if model.bits()? != eager.bits()? {
        return Err("a step that was launched left other bits than the same one operator by operator".into());
    }
    println!("{} steps launched leave the bits of {} operator by operator", COMPARED, COMPARED);
    model.take_loss()?;

    let (mut first, mut last) = (0.0, 0.0);
    for part in 0..PARTS {
        let (begin, end) = (part * steps / PARTS, (part + 1) * steps / PARTS);
        for _ in begin..end {
            graph.launch()?;
        }
        last = model.take_loss()? / (end - begin).max(1) as f64;
        if part == 0 {
            first = last;
        }
        println!("to step {:4}: loss {:.4}", end, last);
    }
    let after = model.test(&tests)?;
    println!(
        "unseen: loss {:.4}, before {:.4}; {:.4} by the share of clicks alone, {:.4} by the model that made them",
        after, before, unseen.blind, unseen.best
    );
    if let Some(file) = file {
        model.write(Path::new(file))?;
    }
    let (fell, learnt) = (last < first, after < unseen.blind - 0.02); // not so where one is NaN
    if steps >= PARTS && !fell {
        return Err(format!("the loss did not fall: {} at first, {} at last", first, last).into());
    }
    if steps >= 512 && !learnt {
        let known = unseen.blind;
        return Err(
            format!("nothing was learnt: {} of unseen samples, {} by the share of clicks alone", after, known).into()
        );
    }
    Ok(())
}

fn positive(what: &str, text: Option<&String>, fallback: usize) -> Result<usize, String> {
    let number = text.map_or(Some(fallback), |text| text.parse().ok());
    let good = number.filter(|number| (1..=TRAINING).contains(number));
    good.ok_or_else(|| format!("{} is '{}'; 1 to {} is needed", what, text.map_or("", |text| text), TRAINING))
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help") {
        println!("{}", USAGE);
        return;
    }
    let half = arguments.first().map(String::as_str) == Some("--half");
    arguments.drain(..usize::from(half));
    let device = arguments.first().map_or("cpu", |device| device);
    let numbers = positive("STEPS", arguments.get(1), 1024)
        .and_then(|steps| Ok((steps, positive("BATCH", arguments.get(2), 128)?)));
    let code = match numbers {
        Ok((steps, batch)) => match run(half, device, steps, batch, arguments.get(3)) {
            Ok(()) => 0,
            Err(problem) => {
                eprintln!("dlrm: {}", problem);
                1
            }
        },
        Err(problem) => {
            eprintln!("dlrm: {}", problem);
            2
        }
    };
    std::process::exit(code);
}
