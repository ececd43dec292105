//! Trains the network of the digits example on several ranks: each computes the gradients of its slice of every batch, and
//! all-reduces in buckets, beside the way back, make them the gradients of the whole batch. Start it by one of
//!
//!     rondo launch -n 2 digits_parallel
//!     mpirun -n 2 digits_parallel
//!     srun -n 2 digits_parallel
//!
//! It trains with 1, 2, 4 ... of the ranks, prints what a step took, and draws that to digits_parallel.svg. A rank alone then
//! trains with the same slices one after the other: on cpu devices, and with two ranks on any, its parameters are the same bit
//! for bit, and those of the C example of the same name.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#[path = "../digits/data.rs"]
mod data;
mod scaling;
mod slices;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use data::Digits;
use rondo::{Comm, Device, DeviceKind, Engine, OptimizerKind, RanksInfo};
use scaling::Run;
use slices::{Net, Training};

const USAGE: &str = "usage: digits_parallel [options]
  --device cpu|cuda|auto   where to train; of cuda devices the one of the rank's number on its machine (auto)
  --epochs N               passes over the training images (10)
  --batch N                images per step, on all ranks together; a multiple of the number of ranks (64)
  --optimizer sgd|adamw    SGD with momentum, or AdamW with gradients clipped (sgd)
  --seed N                 of initial parameters and order of images (1)
  --data FILE              the images (digits.bin in $RONDO_EXAMPLE_DATA or the source tree)
  --out FILE               the picture to write (digits_parallel.svg)
  --parameters FILE        writes what all ranks have trained there, as safetensors: w1, b1, w2, b2
  --help                   this text";

struct Options {
    device: String,
    epochs: usize,
    batch: usize,
    seed: u64,
    optimizer: OptimizerKind,
    data: Option<PathBuf>,
    out: PathBuf,
    parameters: Option<PathBuf>,
}

fn number(option: &str, text: &str, low: u64, high: u64) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| (low..=high).contains(number));
    number.ok_or_else(|| format!("{} must be a whole number from {} to {}, not '{}'", option, low, high, text))
}

/// None when the help was asked for.
fn options(mut arguments: impl Iterator<Item = String>) -> Result<Option<Options>, String> {
    let (device, out) = ("auto".to_owned(), "digits_parallel.svg".into());
    let optimizer = OptimizerKind::Sgd;
    let mut o = Options { device, epochs: 10, batch: 64, seed: 1, optimizer, data: None, out, parameters: None };
    while let Some(option) = arguments.next() {
        if option == "--help" {
            return Ok(None);
        }
        if !USAGE.contains(&format!("  {} ", option)) {
            return Err(format!("unknown option '{}' (--help lists them)", option));
        }
        let value = arguments.next().ok_or_else(|| format!("{} needs a value", option))?;
        match &*option {
            "--device" => o.device = value,
            "--epochs" => o.epochs = number(&option, &value, 1, 1000)? as usize,
            "--batch" => o.batch = number(&option, &value, 1, 1024)? as usize,
            "--optimizer" => {
                o.optimizer = match &*value {
                    "sgd" => OptimizerKind::Sgd,
                    "adamw" => OptimizerKind::Adamw,
                    _ => return Err(format!("--optimizer must be sgd or adamw, not '{}'", value)),
                }
            }
            "--seed" => o.seed = number(&option, &value, 0, i64::MAX as u64)?,
            "--data" => o.data = Some(value.into()),
            "--out" => o.out = value.into(),
            _ => o.parameters = Some(value.into()),
        }
    }
    if !["cpu", "cuda", "auto"].contains(&&*o.device) {
        return Err(format!("--device must be cpu, cuda or auto, not '{}'", o.device));
    }
    Ok(Some(o))
}

/// The CUDA device of this rank's number on its machine, or the cpu. A launcher may show each rank one device only.
fn choose_device(text: &str, ranks: &RanksInfo) -> Result<Device, Box<dyn Error>> {
    if text == "cpu" {
        return Ok(Device::CPU);
    }
    match Device::count(DeviceKind::Cuda)? {
        0 if text == "cuda" => Err("--device cuda, but there is no cuda device".into()),
        0 => Ok(Device::CPU),
        count => Ok(Device::cuda(ranks.local_rank.unwrap_or(ranks.rank) % count)),
    }
}

struct Program {
    options: Options,
    engine: Engine,
    device: Device,
    digits: Digits,
    order: Vec<i32>, // of the training images, for all epochs
    world: Comm,
    ranks: RanksInfo,
}

impl Program {
    /// One training. `comm`: the ranks that take part, each with a slice of every batch; `None`: this one alone, with so many
    /// slices one after the other. Returns what it took, and the net.
    fn train(&self, comm: Option<&Comm>, slices: usize) -> rondo::Result<(Run, Net)> {
        let (epochs, batch) = (self.options.epochs, self.options.batch);
        let steps = self.digits.train_labels.len() / batch;
        self.engine.seed(self.options.seed)?;
        let training = Training { digits: &self.digits, batch, order: &self.order, kind: self.options.optimizer };
        let net = Net::new(&self.engine, self.device, &training, comm, slices)?;
        let (graph, ()) = self.engine.recording().name("step").record(|| net.step())?;
        let mut timed = Duration::default();
        for epoch in 0..epochs {
            self.engine.wait_all()?;
            let begin = Instant::now();
            for _ in 0..steps {
                graph.launch()?;
            }
            self.engine.wait_all()?;
            if epoch > 0 || epochs == 1 {
                timed += begin.elapsed(); // the first epoch compiles and loads what it meets
            }
        }
        let step_us = 1e6 * timed.as_secs_f64() / (steps * (epochs - 1).max(1)) as f64;
        let images_per_s = 1e6 * batch as f64 / step_us;
        Ok((Run { ranks: slices, step_us, images_per_s, accuracy: net.test(&self.digits)? }, net))
    }

    /// Trains with the first `count` ranks, and on rank 0 with as many slices alone, and prints a line there. Returns whether the
    /// same came out.
    fn train_with(&self, count: usize, whole: &[f32], runs: &mut Vec<Run>) -> Result<bool, Box<dyn Error>> {
        let takes_part = (self.ranks.rank as usize) < count;
        let some = Comm::split(&[&self.world], &[if takes_part { 0 } else { -1 }], &[0])?.remove(0);
        let trained = some.as_ref().map(|some| self.train(Some(some), count)).transpose()?;
        let (run, net) = match trained {
            Some((run, net)) if self.ranks.rank == 0 => (run, net),
            _ => return Ok(true),
        };
        if let (Some(path), true) = (&self.options.parameters, count == self.ranks.ranks as usize) {
            net.write(path)?;
        }
        let (parallel, alone) = (net.parameters()?, self.train(None, count)?.1.parameters()?);
        // Bits, not values: NaN equals itself here.
        let different = parallel.iter().zip(&alone).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
        let (distance, far) = (distance(&parallel, &alone), distance(&parallel, whole));
        runs.push(run);
        let (run, speed_up) = (&runs[runs.len() - 1], runs[0].step_us / runs[runs.len() - 1].step_us);
        print!("  {:5}   {:11.1} us   {:8.0}   ", run.ranks, run.step_us, run.images_per_s);
        print!("{:8.2}     {:.4}   ", speed_up, run.accuracy);
        match different {
            0 => println!("all {} agree bit for bit; {:.1e} from the whole batch at once", alone.len(), far),
            _ => println!("{} of {} differ, by up to {:.1e}", different, alone.len(), distance),
        }
        // NCCL adds up in an order of its own from three ranks on.
        Ok(different == 0 || (self.device != Device::CPU && count > 2 && distance < 1e-3))
    }

    fn run(&self) -> Result<bool, Box<dyn Error>> {
        let (o, ranks, n) = (&self.options, self.ranks.ranks as usize, self.digits.train_labels.len());
        let (mut runs, mut whole, mut good) = (Vec::new(), Vec::new(), true);
        if self.ranks.rank == 0 {
            print!("{} images to train on, {} to test on; ", n, self.digits.test_labels.len());
            print!("{} epochs of {} steps of {} images, seed {}; ", o.epochs, n / o.batch, o.batch, o.seed);
            println!("{} ranks on {} devices", ranks, if self.device == Device::CPU { "cpu" } else { "cuda" });
            print!("  ranks   time of a step   images/s   speed-up   accuracy   ");
            println!("parameters against one rank with the same slices");
            whole = self.train(None, 1)?.1.parameters()?;
        }
        let mut count = 1;
        while count <= ranks {
            good &= self.train_with(count, &whole, &mut runs)?;
            count = if count < ranks && 2 * count > ranks { ranks } else { 2 * count };
        }
        // The others wait until rank 0 is done with its last training alone.
        self.world.barrier()?;
        self.world.wait()?;
        if let Some(last) = runs.last() {
            if last.accuracy < 0.85 || last.accuracy.is_nan() {
                println!("an accuracy below 0.85: something is wrong");
                good = false;
            }
            write(&o.out, &scaling::picture(&runs))?;
            println!("picture   {}", o.out.display());
        }
        Ok(good)
    }
}

/// The largest distance of two sets of parameters.
fn distance(a: &[f32], b: &[f32]) -> f64 {
    let between = a.iter().zip(b).map(|(&a, &b)| (f64::from(a) - f64::from(b)).abs());
    between.fold(0.0, |most, each| if each <= most { most } else { each })
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|problem| format!("cannot write {}: {}", path.display(), problem))
}

/// What does not fit the options or the number of ranks; other failures end the program with 1.
fn prepare(options: Options) -> Result<Result<Program, String>, Box<dyn Error>> {
    let ranks = rondo::ranks()?;
    if options.batch % ranks.ranks as usize != 0 {
        return Ok(Err(format!("--batch {} is not a multiple of the {} ranks", options.batch, ranks.ranks)));
    }
    let digits = Digits::load(options.data.clone())?;
    let n = digits.train_labels.len();
    if n < options.batch {
        return Ok(Err(format!("--batch {} is more than the {} training images", options.batch, n)));
    }
    let device = choose_device(&options.device, &ranks)?;
    let engine = Engine::new()?;
    let world = Comm::from_launcher(&engine, device)?;
    let order = data::training_order(options.seed, options.epochs, options.batch, n);
    Ok(Ok(Program { options, engine, device, digits, order, world, ranks }))
}

fn main() {
    let status = match options(std::env::args().skip(1)) {
        Ok(None) => {
            println!("{}", USAGE);
            Ok(0)
        }
        Ok(Some(o)) => match prepare(o) {
            Ok(Ok(program)) => program.run().map(|good| i32::from(!good)).map_err(|problem| {
                let _ = program.world.abort(&problem.to_string()); // else the others wait for this rank
                problem
            }),
            Ok(Err(wrong)) => {
                eprintln!("digits_parallel: {}", wrong);
                Ok(2)
            }
            Err(problem) => Err(problem),
        },
        Err(wrong) => {
            eprintln!("digits_parallel: {}", wrong);
            Ok(2)
        }
    };
    std::process::exit(status.unwrap_or_else(|problem| {
        eprintln!("digits_parallel: {}", problem);
        1
    }));
}
