//! The device that an example runs on.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use rondo::{DType, Device, DeviceKind, Engine, Result, Tensor};

/// Whether CUDA really works here: an operator that was compiled and ran, on an engine of its own.
fn cuda_works() -> Result<()> {
    let engine = Engine::new()?;
    let two = Tensor::full(&engine, Device::cuda(0), DType::F32, 1, 1.0)?.add(1.0)?;
    two.item::<f32>().map(|two| assert_eq!(two, 2.0))
}

/// The device of this name; of "auto" the first CUDA device if it works, else the cpu, and why is printed.
pub fn choose_device(text: &str) -> Result<Device> {
    if text != "auto" {
        return text.parse();
    }
    if Device::count(DeviceKind::Cuda)? > 0 {
        match cuda_works() {
            Ok(()) => return Ok(Device::cuda(0)),
            Err(why) => println!("cpu instead of CUDA: {}", why),
        }
    }
    Ok(Device::CPU)
}

/// Prints what the work runs on.
pub fn print_device(engine: &Engine, device: Device) -> Result<()> {
    println!("rondo {}, {:?} engine, {}: {}", rondo::version_text(), engine.mode()?, device, device.info()?.name);
    Ok(())
}
