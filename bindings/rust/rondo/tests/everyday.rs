//! The lines in Rust of the table of docs/coming-from.md that has PyTorch's everyday ones, as they stand there: tests/abi/docs.py compares them.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#![allow(clippy::needless_borrows_for_generic_args)] // as programs have it

mod common;

use common::everywhere;
use rondo::{DType, Device, DeviceKind, Engine, Optimizer, OptimizerKind, Result, Tensor};

fn lines(engine: &Engine, device: Device) -> Result<()> {
    let engine = engine.clone();
    assert_eq!(Tensor::zeros(&engine, device, DType::F32, (2, 3))?.to_vec::<f32>()?, [0.0; 6]);
    let data = [[1f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let mut a = Tensor::new(&engine, device, data)?;
    let b = a.copy()?;
    assert_eq!(Tensor::arange(&engine, device, DType::I64, 0.0, 4.0, 1.0)?.to_vec::<i64>()?, [0, 1, 2, 3]);
    assert_eq!(Tensor::randn(&engine, device, DType::F32, (2, 3))?.shape()?, [2, 3]);
    engine.seed(7)?;
    assert_eq!((&a + &b)?.to_vec::<f32>()?, [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]);
    assert_eq!((&a * 2.0)?.to_vec::<f32>()?, (&a + &b)?.to_vec::<f32>()?);
    assert_eq!((1.0 - &a)?.i((0, 2))?.item::<f32>()?, -2.0);
    a += &b;
    a.add_assign(&b)?;
    assert_eq!(a.to_vec::<f32>()?, [3.0, 6.0, 9.0, 12.0, 15.0, 18.0]);
    assert!(a.exp()?.tanh()?.to_vec::<f32>()? == [1.0; 6] && a.tanh()?.shape()? == [2, 3]);
    a.copy_(&b)?;
    assert_eq!(a.sum_keepdim(1)?.to_vec::<f32>()?, [6.0, 15.0]);
    assert_eq!(a.mean(..)?.item::<f32>()?, 3.5);
    assert_eq!(a.reshape((1, ()))?.shape()?, [1, 6]);
    assert_eq!(a.t()?.shape()?, [3, 2]);
    assert_eq!(a.i(0)?.to_vec::<f32>()?, [1.0, 2.0, 3.0]);
    assert_eq!(a.i((.., 1..3))?.to_vec::<f32>()?, [2.0, 3.0, 5.0, 6.0]);
    assert_eq!(Tensor::cat(&[&a, &b], 0)?.shape()?, [4, 3]);
    let m = a.gt(2.0)?;
    assert_eq!(m.where_cond(&a, &b)?.to_vec::<f32>()?, a.to_vec::<f32>()?);
    assert_eq!(a.cast(DType::F16)?.dtype()?, DType::F16);
    if Device::count(DeviceKind::Cuda)? > 0 {
        assert_eq!(a.to_device(Device::cuda(0))?.device()?, Device::cuda(0));
    }
    assert_eq!(a.to_device(&device)?.device()?, device);
    assert_eq!(a.shape()?, [2, 3]);
    assert_eq!(a.dtype()?, DType::F32);
    let w = Tensor::new(&engine, device, [[1f32], [1.0], [1.0]])?;
    let optimizer = Optimizer::builder(OptimizerKind::Sgd, 1.0).build(&[&w])?;
    let tape = engine.tape(&[&w])?;
    rondo::no_grad(|| a.exp())?;
    let b = Tensor::clone(&w);
    let loss = a.matmul(&b)?.sum(..)?;
    let gradients = [&tape.gradient(&loss, &w)?];
    optimizer.step(&gradients)?;
    engine.wait_all()?;
    assert_eq!(w.to_vec::<f32>()?, [-4.0, -6.0, -8.0]);
    let (a, b) = (loss, w);
    assert_eq!(a.item::<f32>()?, 21.0);
    assert_eq!(a.reshape((1, 1))?.matmul(&b.i(0..1)?)?.shape()?, [1, 1]);
    Ok(())
}

#[test]
fn everyday_lines_are_as_the_page_has_them() {
    everywhere(|engine, device| lines(engine, device).unwrap());
}
