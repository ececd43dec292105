//! A kernel of one's own in a task of the engine: compiled by NVRTC, launched on the task's stream with the addresses of
//! its operands, eagerly and in a graph that was captured. On the cpu the same task is a function on slices.
//!
//!     cargo run --release --example cuda_task -- [cpu|cuda:0]
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
mod driver;

use std::sync::Arc;

use driver::Kernel;
use rondo::{BoxError, DType, Device, DeviceKind, Engine, Tensor};

const COUNT: usize = 1000;
const LAUNCHES: usize = 5;

/// y = x / (1 + |x|) + y / 2: three operators of Rondo's, one kernel of ours.
const TEXT: &str = r#"
extern "C" __global__ void fold(const float* x, float* y, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = x[i] / (1.0f + fabsf(x[i])) + 0.5f * y[i];
}
"#;

fn on_host(x: &[f32], y: &mut [f32]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y = x / (1.0 + x.abs()) + 0.5 * *y);
}

/// Submits the task: y becomes what the kernel makes of x and y.
fn fold(engine: &Engine, kernel: &Option<Arc<Kernel>>, x: &Tensor, y: &Tensor) -> rondo::Result<()> {
    let task = engine.task("fold").reads(x).reads(y).writes(y);
    match kernel.clone() {
        Some(kernel) => task.on(x.device()?).submit(move |task| {
            let (x, y) = (task.input(0)?, task.output(0)?);
            let count = y.info.elements as i32;
            // SAFETY: the arguments are those of the kernel's signature, and it stays inside both tensors.
            unsafe { kernel.launch(task.stream(), count, &[&x.address, &y.address, &count])? };
            Ok(())
        }),
        None => task.submit(|task| {
            on_host(task.input_slice(0)?, task.output_slice(0)?);
            Ok(())
        }),
    }
}

fn main() -> Result<(), BoxError> {
    let device: Device = std::env::args().nth(1).unwrap_or_else(|| "cpu".into()).parse()?;
    let engine = Engine::new()?;
    let kernel = match device.kind {
        DeviceKind::Cuda => Some(Arc::new(Kernel::compile(&engine, device, TEXT, "fold")?)),
        _ => None,
    };
    let data: Vec<f32> = (0..COUNT).map(|i| (i as f32 - 500.0) / 100.0).collect();
    let x = Tensor::from_slice(&engine, device, COUNT, &data)?;
    let (eager, replayed) =
        (Tensor::zeros(&engine, device, DType::F32, COUNT)?, Tensor::zeros(&engine, device, DType::F32, COUNT)?);

    let (graph, ()) = engine.recording().name("folding").record(|| fold(&engine, &kernel, &x.mul(2.0)?, &replayed))?;
    let mut expected = vec![0.0; COUNT];
    for _ in 0..LAUNCHES {
        fold(&engine, &kernel, &x.mul(2.0)?, &eager)?; // the doubled x is dropped at once; the task holds it
        graph.launch()?;
        on_host(&data.iter().map(|x| 2.0 * x).collect::<Vec<_>>(), &mut expected);
    }
    let (eager, replayed) = (eager.to_vec::<f32>()?, replayed.to_vec::<f32>()?);
    let furthest = eager.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    let info = graph.info()?;
    println!("{} launches on {}; {} of {} segments captured", LAUNCHES, device, info.captured, info.segments);
    println!(
        "furthest from the host's numbers: {:e}; eager and replayed {}",
        furthest,
        if eager == replayed { "agree bit for bit" } else { "differ" }
    );
    let captured = info.captured == i32::from(device != Device::CPU);
    std::process::exit(i32::from(!(captured && eager == replayed && furthest < 1e-5)));
}
