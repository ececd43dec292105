//! What operators and arguments take and refuse: numbers, shapes, axes and indices as programs have them.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#![allow(clippy::op_ref, clippy::needless_borrows_for_generic_args)] // as programs have it

mod common;

use std::sync::{Arc, Mutex};

use common::everywhere;
use rondo::{DType, Device, Engine, ErrorKind, Result, Tensor};

fn matrix(engine: &Engine, device: Device) -> Tensor {
    Tensor::new(engine, device, [[1f32, 2.0, 3.0], [4.0, 5.0, 6.0]]).unwrap()
}

fn f32s(tensor: &Tensor) -> Vec<f32> {
    tensor.to_vec::<f32>().unwrap()
}

#[test]
fn numbers_stand_on_either_side() {
    everywhere(|engine, device| {
        let a = Tensor::new(engine, device, [1f32, 2.0]).unwrap();
        let test = || -> Result<()> {
            let c = (1.0 - &a)?; // the type of the literal is known
            assert_eq!(c.to_vec::<f32>()?, [0.0, -1.0]);
            assert_eq!(format!("{:?}", (1.0 - &a)?), format!("{:?}", c));
            assert_eq!((2 * &a)?.square()?.to_vec::<f32>()?, [4.0, 16.0]);
            assert_eq!((&a - 1.0)?.to_vec::<f32>()?, [0.0, 1.0]);
            assert_eq!((&a * 3)?.to_vec::<f32>()?, [3.0, 6.0]);
            assert_eq!((1.0 / a.clone())?.to_vec::<f32>()?, [1.0, 0.5]);
            let n = 2usize;
            assert_eq!((&a / n)?.to_vec::<f32>()?, [0.5, 1.0]);
            let x = 0.5f32;
            assert_eq!((&a * x)?.to_vec::<f32>()?, [0.5, 1.0]);
            assert_eq!(a.mul(n)?.to_vec::<f32>()?, [2.0, 4.0]);
            Ok(())
        };
        test().unwrap();
    });
}

#[test]
fn operands_are_owned_borrowed_or_results() {
    everywhere(|engine, device| {
        let a = Tensor::new(engine, device, [1f32, 2.0]).unwrap();
        let b = Tensor::new(engine, device, [10f32, 20.0]).unwrap();
        assert_eq!(f32s(&(&a + b.clone()).unwrap()), [11.0, 22.0]);
        assert_eq!(f32s(&(a.clone() + b.clone()).unwrap()), [11.0, 22.0]);
        assert_eq!(f32s(&(a.clone() + &b).unwrap()), [11.0, 22.0]);
        assert_eq!(f32s(&(&a + &b * 2.0).unwrap()), [21.0, 42.0]);
        assert_eq!(f32s(&(&a + (&b - &a)).unwrap()), [10.0, 20.0]);
        let wrong = Tensor::zeros(engine, device, DType::F32, 3).unwrap();
        assert_eq!((&a + (&b - &wrong)).unwrap_err().kind(), ErrorKind::InvalidArgument);
    });
}

#[test]
fn integers_divide_and_leave_remainders_as_documented() {
    everywhere(|engine, device| {
        let a = Tensor::new(engine, device, [7i32, -7]).unwrap();
        assert_eq!((&a / 2).unwrap().to_vec::<i32>().unwrap(), [7 / 2, -7 / 2]);
        assert_eq!((&a / 0).unwrap().to_vec::<i32>().unwrap(), [0, 0]); // Rust would panic
        assert_eq!((&a % 4).unwrap().to_vec::<i32>().unwrap(), [3, 1]); // of the divisor's sign
        assert_eq!((&a % 0).unwrap().to_vec::<i32>().unwrap(), [0, 0]); // Rust would panic
        assert_eq!(a.fmod(4).unwrap().to_vec::<i32>().unwrap(), [7 % 4, -7 % 4]);
        assert_eq!(a.floor_div(2).unwrap().to_vec::<i32>().unwrap(), [3, (-7i32).div_euclid(2)]);
        let least = Tensor::new(engine, device, [i32::MIN]).unwrap();
        assert_eq!((&least / -1).unwrap().to_vec::<i32>().unwrap(), [i32::MIN.wrapping_div(-1)]);
        assert_eq!((&least - 1).unwrap().to_vec::<i32>().unwrap(), [i32::MIN.wrapping_sub(1)]);
    });
}

#[test]
fn shapes_are_arrays_tuples_and_vectors_of_any_whole_numbers() {
    everywhere(|engine, device| {
        let a = matrix(engine, device);
        let test = || -> Result<()> {
            assert_eq!(a.reshape((3, 2))?.shape()?, [3, 2]);
            assert_eq!(a.reshape([3usize, 2])?.shape()?, [3, 2]);
            assert_eq!(a.reshape(&[3i64, -1])?.shape()?, [3, 2]);
            assert_eq!(a.reshape([-1])?.shape()?, [6]);
            assert_eq!(a.reshape((2, (), 1))?.shape()?, [2, 3, 1]);
            assert_eq!(a.reshape(vec![6usize])?.shape()?, [6]);
            assert_eq!(a.reshape(a.shape()?)?.shape()?, [2, 3]);
            assert_eq!(a.flatten()?.shape()?, [6]);
            let (rows, columns) = (4usize, 2usize);
            assert_eq!(Tensor::zeros(engine, device, DType::F32, (rows, columns))?.shape()?, [4, 2]);
            assert_eq!(Tensor::zeros(engine, device, DType::F32, vec![rows, columns])?.shape()?, [4, 2]);
            assert_eq!(Tensor::zeros(engine, device, DType::F32, [4i64, 2])?.shape()?, [4, 2]);
            assert_eq!(a.broadcast((4, 2, 3))?.shape()?, [4, 2, 3]);
            assert_eq!(a.shape()?, vec![2usize, 3]);
            let [rows, columns] = a.dims()?;
            assert_eq!((rows, columns), (2, 3));
            assert_eq!(a.dims::<3>().unwrap_err().kind(), ErrorKind::InvalidArgument);
            assert_eq!(a.reshape([-2, 3]).unwrap_err().kind(), ErrorKind::InvalidArgument);
            assert_eq!(Tensor::zeros(engine, device, DType::F32, [-1]).unwrap_err().kind(), ErrorKind::InvalidArgument);
            Ok(())
        };
        test().unwrap();
    });
}

#[test]
fn axes_are_any_whole_numbers() {
    everywhere(|engine, device| {
        let a = matrix(engine, device);
        let test = || -> Result<()> {
            let last = 1usize;
            assert_eq!(a.sum(last)?.to_vec::<f32>()?, [6.0, 15.0]);
            assert_eq!(a.sum((0, 1))?.item::<f32>()?, 21.0);
            assert_eq!(a.sum(vec![0usize, 1])?.item::<f32>()?, 21.0);
            assert_eq!(a.mean([-1])?.to_vec::<f32>()?, [2.0, 5.0]);
            assert_eq!(a.softmax(last)?.shape()?, [2, 3]);
            assert_eq!(a.permute((1, 0))?.shape()?, [3, 2]);
            assert_eq!(a.swap_axes(0, 1)?.shape()?, [3, 2]);
            assert_eq!(a.unsqueeze(1)?.squeeze(1usize)?.shape()?, [2, 3]);
            assert_eq!(a.argmax(-1)?.to_vec::<i64>()?, [2, 2]);
            assert_eq!(a.sum(2usize).unwrap_err().kind(), ErrorKind::InvalidArgument);
            assert_eq!(a.sum(usize::MAX).unwrap_err().kind(), ErrorKind::InvalidArgument);
            assert_eq!(a.squeeze(9).unwrap_err().kind(), ErrorKind::InvalidArgument);
            assert_eq!(a.swap_axes(0, i32::MIN).unwrap_err().kind(), ErrorKind::InvalidArgument);
            Ok(())
        };
        test().unwrap();
    });
}

#[test]
fn parts_are_taken_by_index() {
    everywhere(|engine, device| {
        let a = matrix(engine, device);
        let test = || -> Result<()> {
            assert_eq!(a.i(1)?.to_vec::<f32>()?, [4.0, 5.0, 6.0]);
            assert_eq!(a.i((.., 1))?.to_vec::<f32>()?, [2.0, 5.0]);
            assert_eq!(a.i((.., 1..))?.to_vec::<f32>()?, [2.0, 3.0, 5.0, 6.0]);
            assert_eq!(a.i((0..1, ..=1))?.shape()?, [1, 2]);
            assert_eq!(a.i((-1, -1))?.item::<f32>()?, 6.0);
            assert_eq!(a.i([0..1, 1..3])?.to_vec::<f32>()?, [2.0, 3.0]);
            let places = Tensor::new(engine, device, [2i64, 0, 2])?;
            assert_eq!(a.i((.., &places))?.to_vec::<f32>()?, [3.0, 1.0, 3.0, 6.0, 4.0, 6.0]);
            let n = 2usize;
            assert_eq!(a.slice_axis(1, ..n)?.shape()?, [2, 2]);
            assert_eq!(a.narrow(1, 1, n)?.to_vec::<f32>()?, [2.0, 3.0, 5.0, 6.0]);
            a.i((.., 0))?.fill(0.0)?; // a view: what is written there is seen through the whole
            assert_eq!(a.to_vec::<f32>()?, [0.0, 2.0, 3.0, 0.0, 5.0, 6.0]);
            for wrong in [a.i((0, 0, 0)), a.i(2), a.i((.., -4)), a.narrow(1, 2, n), a.narrow(1, usize::MAX, n)] {
                assert_eq!(wrong.unwrap_err().kind(), ErrorKind::InvalidArgument);
            }
            Ok(())
        };
        test().unwrap();
    });
}

#[test]
fn tensors_are_made_in_a_few_words() {
    everywhere(|engine, device| {
        let test = || -> Result<()> {
            assert_eq!(Tensor::new(engine, device, 7i64)?.item::<i64>()?, 7);
            assert_eq!(Tensor::new(engine, device, &[[[true], [false]]])?.shape()?, [1, 2, 1]);
            assert_eq!(Tensor::ones(engine, device, DType::F32, 2)?.to_vec::<f32>()?, [1.0, 1.0]);
            assert_eq!(Tensor::randn(engine, device, DType::F32, (2, 3))?.zeros_like()?.to_vec::<f32>()?, [0.0; 6]);
            assert!(Tensor::rand(engine, device, DType::F64, 9)?
                .to_vec::<f64>()?
                .iter()
                .all(|x| (0.0..1.0).contains(x)));
            assert_eq!(Tensor::full(engine, device, DType::U8, 2, 3.0)?.ones_like()?.to_vec::<u8>()?, [1, 1]);
            assert_eq!("f16".parse::<DType>()?, DType::F16);
            assert!("half".parse::<DType>().unwrap_err().message().contains("bf16"));
            Ok(())
        };
        test().unwrap();
    });
}

#[test]
fn operators_write_in_place() {
    everywhere(|engine, device| {
        let a = Tensor::new(engine, device, [1f32, 2.0]).unwrap();
        let test = || -> Result<()> {
            a.add_assign(1.0)?;
            a.mul_assign(&a)?;
            a.sub_assign(1)?;
            a.div_assign(2.0)?;
            assert_eq!(a.to_vec::<f32>()?, [1.5, 4.0]);
            let out = a.zeros_like()?;
            a.sub_into(0.5, &out)?;
            a.mul_into(&out, &out)?;
            assert_eq!(out.to_vec::<f32>()?, [1.5, 14.0]);
            Ok(())
        };
        test().unwrap();
    });
}

#[test]
fn clones_share_a_handle() {
    everywhere(|engine, device| {
        let a = Tensor::new(engine, device, [1f32, 2.0]).unwrap();
        let b = a.clone();
        assert_eq!(a.as_ptr(), b.as_ptr());
        b.fill(3.0).unwrap();
        drop(b);
        assert_eq!(f32s(&a), [3.0, 3.0]);
        let all: Vec<Tensor> = vec![a; 3];
        assert_eq!(f32s(&ops_sum(&all)), [9.0, 9.0]);
    });
}

fn ops_sum(tensors: &[Tensor]) -> Tensor {
    rondo::ops::add_n(&tensors.iter().collect::<Vec<_>>()).unwrap()
}

#[test]
fn a_gradient_of_ones_own_may_keep_and_return_clones() {
    everywhere(|engine, device| {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let x = Tensor::new(engine, device, [2f32, 3.0]).unwrap();
        let tape = engine.tape(&[&x]).unwrap();
        let keeps = Arc::clone(&kept);
        let y = rondo::no_gradients(|| x.mul(1.0)).unwrap();
        rondo::custom_gradient("twice", &[&x], &[&y], move |given| {
            keeps.lock().unwrap().push(given[0].clone());
            let made = given[0].mul(2.0)?;
            keeps.lock().unwrap().push(made.clone());
            Ok(vec![Some(made)])
        })
        .unwrap();
        let loss = y.sum(..).unwrap();
        let gradients = tape.gradients(&loss, &[&x]).unwrap();
        assert_eq!(f32s(&gradients[0]), [2.0, 2.0]);
        drop((tape, loss, y));
        let kept = kept.lock().unwrap();
        assert_eq!((f32s(&kept[0]), f32s(&kept[1])), (vec![1.0, 1.0], vec![2.0, 2.0]));
    });
}

#[test]
fn elements_are_printed_as_numpy_prints_them() {
    everywhere(|engine, device| {
        let name = device.to_string();
        let text = |tensor: &Tensor| tensor.to_string().replace(&name, "here");
        assert_eq!(text(&matrix(engine, device)), "[[1.0, 2.0, 3.0],\n [4.0, 5.0, 6.0]] f32 on here");
        assert_eq!(
            format!("{:.2}", matrix(engine, device).i(0).unwrap()).replace(&name, "here"),
            "[1.00, 2.00, 3.00] f32 on here"
        );
        assert_eq!(text(&Tensor::new(engine, device, 5i32).unwrap()), "5 i32 on here");
        assert_eq!(text(&Tensor::new(engine, device, [true, false]).unwrap()), "[ true, false] bool on here");
        assert_eq!(
            text(&Tensor::new(engine, device, [[[1u8], [20]], [[3], [4]]]).unwrap()),
            "[[[ 1],\n  [20]],\n\n [[ 3],\n  [ 4]]] u8 on here"
        );
        assert_eq!(text(&Tensor::zeros(engine, device, DType::F32, 0).unwrap()), "[] f32 on here");
        let long = Tensor::arange_i64(engine, device, DType::I64, 0, 2000, 1).unwrap();
        assert_eq!(text(&long), "[   0,    1,    2, ..., 1997, 1998, 1999] i64 on here");
        let wide = long.reshape((2, ())).unwrap();
        assert_eq!(
            text(&wide),
            "[[   0,    1,    2, ...,  997,  998,  999],\n [1000, 1001, 1002, ..., 1997, 1998, 1999]] i64 on here"
        );
        let unwritten = Tensor::empty(engine, device, DType::F32, 1).unwrap();
        assert!(text(&unwritten).starts_with("Tensor("), "{}", unwritten);
    });
}

/// A function that is made of others says its own name, not theirs.
#[test]
fn messages_name_the_function_that_was_called() {
    let engine = Engine::new().unwrap();
    let (absent, dtype, shape) = (Device::cuda(99), DType::F32, [2, 3]);
    let x = Tensor::new(&engine, Device::CPU, [[1i8, 2], [3, 4]]).unwrap();
    let floats = Tensor::new(&engine, Device::CPU, [[1f32, 2.0], [3.0, 4.0]]).unwrap();
    for (function, error) in [
        ("Tensor::empty", Tensor::empty(&engine, absent, dtype, shape).unwrap_err()),
        ("Tensor::zeros", Tensor::zeros(&engine, absent, dtype, shape).unwrap_err()),
        ("Tensor::ones", Tensor::ones(&engine, absent, dtype, shape).unwrap_err()),
        ("Tensor::full", Tensor::full(&engine, absent, dtype, shape, 2.0).unwrap_err()),
        ("Tensor::full", Tensor::full(&engine, Device::CPU, DType::I8, shape, 1000.0).unwrap_err()),
        ("Tensor::full_like", x.full_like(1000.0).unwrap_err()),
        ("Tensor::rand", Tensor::rand(&engine, absent, dtype, shape).unwrap_err()),
        ("Tensor::randn", Tensor::randn(&engine, absent, dtype, shape).unwrap_err()),
        ("Tensor::new", Tensor::new(&engine, absent, [1f32, 2.0]).unwrap_err()),
        ("Tensor::from_slice", Tensor::from_slice(&engine, absent, 1, &[1f32]).unwrap_err()),
        ("Tensor::from_vec", Tensor::from_vec(&engine, absent, 1, vec![1f32]).unwrap_err()),
        ("Tensor::item", floats.item::<f32>().unwrap_err()),
        ("Tensor::item", x.item::<f32>().unwrap_err()),
        ("Tensor::to_vec", x.to_vec::<f32>().unwrap_err()),
    ] {
        assert!(error.message().starts_with(&format!("{}: ", function)), "{}: {}", function, error);
    }
    let error = floats.item::<f32>().unwrap_err();
    assert_eq!(error.message(), "Tensor::item: the tensor has 4 elements; it must have one");
}
