//! Trains an encoder as BERT was (Devlin et al., 2019): of each stretch of a text some bytes are hidden, and the network says
//! which they were, by what stands on either side. A step, from the choice of its stretches to the new weights, is one graph,
//! launched again and again; asking is another one. Both do what the C example of the same name does: losses and weights
//! agree bit for bit.
//!
//!     cargo run --release --example bert -- --device auto
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#[path = "../common/mod.rs"]
mod common;
mod encoder;
mod text;
mod work;

use std::error::Error;
use std::path::PathBuf;

use common::{choose_device, print_device};
use rondo::{Device, Engine, Graph};
use text::{Batches, BATCH, HIDDEN, PLACES};
use work::Work;

const USAGE: &str = "usage: bert [options]
  --device cpu|cuda:0|auto  where to train (auto: the first CUDA device that works, else cpu)
  --text FILE               what is read, ASCII (/usr/share/common-licenses/GPL-3, which every Debian machine has)
  --steps N                 of training (600)
  --tests N                 batches that are asked for afterwards (16)
  --seed N                  of weights and of what is hidden (1)
  --eager yes|no            each operator by itself, in the place of graphs (no)
  --parameters FILE         writes the trained weights there, as safetensors
  --help                    this text";

const EVERY: usize = 50; // steps between two lines that say how it goes

struct Options {
    device: String,
    text: String,
    steps: usize,
    tests: usize,
    seed: u64,
    eager: bool,
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
        text: "/usr/share/common-licenses/GPL-3".into(),
        steps: 600,
        tests: 16,
        seed: 1,
        eager: false,
        parameters: None,
    };
    while let Some(option) = arguments.next() {
        if option == "--help" {
            return Ok(None);
        }
        if !["--device", "--text", "--steps", "--tests", "--seed", "--eager", "--parameters"].contains(&&*option) {
            return Err(format!("unknown option '{}' (--help lists them)", option));
        }
        let value = arguments.next().ok_or_else(|| format!("{} needs a value", option))?;
        match &*option {
            "--device" if value != "auto" && value.parse::<Device>().is_err() => {
                return Err(format!("--device must be cpu, cuda:0 or auto, not '{}'", value));
            }
            "--device" => o.device = value,
            "--text" => o.text = value,
            "--steps" => o.steps = number(&option, &value, 1, 100_000)? as usize,
            "--tests" => o.tests = number(&option, &value, 1, 1000)? as usize,
            "--seed" => o.seed = number(&option, &value, 0, i64::MAX as u64)?,
            "--eager" => {
                o.eager = match &*value {
                    "yes" => true,
                    "no" => false,
                    _ => return Err(format!("--eager must be yes or no, not '{}'", value)),
                }
            }
            _ => o.parameters = Some(value.into()),
        }
    }
    Ok(Some(o))
}

/// Records what `body` does, or nothing where it is to be called each time.
fn record(
    engine: &Engine,
    name: &str,
    eager: bool,
    body: impl FnOnce() -> rondo::Result<()>,
) -> rondo::Result<Option<Graph>> {
    if eager {
        return Ok(None);
    }
    let (graph, ()) = engine.recording().name(name).record(body)?;
    let info = graph.info()?;
    let (tasks, segments, captured) = (info.tasks, info.segments, info.captured);
    let plural = if segments == 1 { "" } else { "s" };
    println!(
        "graph     {name}: {tasks} tasks in {segments} segment{plural}, {captured} captured, {} nodes",
        info.nodes
    );
    Ok(Some(graph))
}

fn launch(graph: &Option<Graph>, times: usize, body: impl Fn() -> rondo::Result<()>) -> rondo::Result<()> {
    (0..times).try_for_each(|_| graph.as_ref().map_or_else(&body, Graph::launch))
}

/// Returns whether the loss is no smaller in the end than at the beginning.
fn learn(engine: &Engine, work: &Work<'_>, o: &Options) -> rondo::Result<bool> {
    let graph = record(engine, "step", o.eager, || work.train())?;
    let (mut first, mut mean, mut done) = (0.0, 0.0, 0);
    while done < o.steps {
        let steps = EVERY.min(o.steps - done);
        launch(&graph, steps, || work.train())?;
        mean = work.take_loss()? / steps as f64;
        if done == 0 {
            first = mean;
        }
        done += steps;
        println!("step {:5}   loss {:.5}", done, mean);
    }
    let fell = mean < first; // not so where one is NaN
    Ok(o.steps >= 2 * EVERY && !fell)
}

fn run(o: &Options) -> Result<bool, Box<dyn Error>> {
    let text = text::read(&o.text)?;
    let device = choose_device(&o.device)?;
    let kept = text.len() - text.len() / 10; // the end is for the test
    let batches = Batches::choose(&text, 0..kept, o.steps, o.seed);
    let tests = Batches::choose(&text, kept..text.len(), o.tests, o.seed + 1);
    let engine = Engine::new()?;
    engine.seed(o.seed)?;
    print_device(&engine, device)?;
    let mut work = Work::new(&engine, device, &batches)?;
    let (layers, width) = (encoder::LAYERS, encoder::WIDTH);
    let size = work.size()?;
    println!("network   {layers} layers of width {width}, {size} weights, {BATCH} x {PLACES} bytes a step");

    let bad = learn(&engine, &work, o)?;
    if bad {
        eprintln!("bert: the loss did not fall");
    }
    work.take_up(&tests)?;
    let graph = record(&engine, "ask", o.eager, || work.ask())?;
    launch(&graph, o.tests, || work.ask())?;
    let (right, all) = (work.right()?, o.tests * BATCH * HIDDEN);
    println!("asked     {right} of {all} hidden bytes found in text that it never saw");
    if let Some(path) = &o.parameters {
        work.write(path)?;
    }
    Ok(!bad)
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
                eprintln!("bert: {}", problem);
                1
            }
        },
        Err(problem) => {
            eprintln!("bert: {}", problem);
            2
        }
    };
    std::process::exit(code);
}
