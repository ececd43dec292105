//! Operators give the right numbers on every device, in every mode, through methods, traits and functions.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
mod common;

use common::everywhere;
use rondo::ops::{self, Activation, Bags, BinaryOp, Convolution, Matmul, ReduceOp, TernaryOp, UnaryOp};
use rondo::{DType, Device, Engine, ErrorKind, Tensor};

fn f32s(engine: &Engine, device: Device, data: &[f32]) -> Tensor {
    Tensor::from_slice(engine, device, data.len(), data).unwrap()
}

/// Each unary operator beside the standard library's function, where it has one.
#[test]
fn unary_operators_are_the_functions_they_name() {
    everywhere(|engine, device| {
        let data = [0.25f32, 1.0, 2.5];
        let a = f32s(engine, device, &data);
        let reference = |op| -> Option<fn(f32) -> f32> {
            Some(match op {
                UnaryOp::Neg => |x| -x,
                UnaryOp::Abs => f32::abs,
                UnaryOp::Sign => f32::signum,
                UnaryOp::Square => |x| x * x,
                UnaryOp::Relu => |x| x.max(0.0),
                UnaryOp::Floor => f32::floor,
                UnaryOp::Ceil => f32::ceil,
                UnaryOp::Round => |x| if x == 2.5 { 2.0 } else { x.round() },
                UnaryOp::Exp => f32::exp,
                UnaryOp::Log => f32::ln,
                UnaryOp::Sqrt => f32::sqrt,
                UnaryOp::Rsqrt => |x| 1.0 / x.sqrt(),
                UnaryOp::Tanh => f32::tanh,
                UnaryOp::Sigmoid => |x| 1.0 / (1.0 + (-x).exp()),
                UnaryOp::Reciprocal => f32::recip,
                UnaryOp::Sin => f32::sin,
                UnaryOp::Cos => f32::cos,
                UnaryOp::Expm1 => f32::exp_m1,
                UnaryOp::Log1p => f32::ln_1p,
                _ => return None,
            })
        };
        let mut compared = 0;
        for &op in UnaryOp::ALL {
            let result = match op {
                UnaryOp::BitNot => ops::unary(op, &a.cast(DType::I32).unwrap()).unwrap(), // not of floats
                UnaryOp::Clip => ops::unary_with(op, &a, &[0.5, 2.0]).unwrap(),           // no defaults
                _ => ops::unary(op, &a).unwrap(),
            };
            assert_eq!(result.shape().unwrap(), [3], "{:?}", op);
            if let Some(function) = reference(op) {
                compared += 1;
                for (got, x) in result.to_vec::<f32>().unwrap().into_iter().zip(data) {
                    let wanted = function(x);
                    assert!((got - wanted).abs() <= 1e-5 * wanted.abs().max(1e-3), "{:?}({}) is {}", op, x, got);
                }
            }
        }
        assert_eq!(compared, 19);
    });
}

#[test]
fn binary_operators_take_tensors_and_numbers_on_both_sides() {
    everywhere(|engine, device| {
        let a = Tensor::from_slice(engine, device, 3, &[7i32, -7, 6]).unwrap();
        let b = Tensor::from_slice(engine, device, 3, &[2i32, 2, 3]).unwrap();
        for &op in TernaryOp::ALL {
            assert_eq!(ops::ternary(op, &a, &b, &b).unwrap().shape().unwrap(), [3], "{:?}", op);
        }
        let sum = ops::add_n(&[&a, &b, &b]).unwrap();
        assert_eq!(sum.to_vec::<i32>().unwrap(), [11, -3, 12]);
        let i32s = |tensor: rondo::Result<Tensor>| tensor.unwrap().to_vec::<i32>().unwrap();
        assert_eq!(i32s(&a + &b), [9, -5, 9]);
        assert_eq!(i32s(&a - &b), [5, -9, 3]);
        assert_eq!(i32s(&a * &b), [14, -14, 18]);
        assert_eq!(i32s(&a / &b), [3, -3, 2]);
        assert_eq!(i32s(&a % &b), [1, 1, 0]);
        assert_eq!(i32s(-&a), [-7, 7, -6]);
        assert_eq!(i32s(-a.share().unwrap()), [-7, 7, -6]);
        assert_eq!(i32s(a.share().unwrap() + &b), [9, -5, 9]);
        assert_eq!(i32s(&a + 1), [8, -6, 7]);
        assert_eq!(i32s(1 - &a), [-6, 8, -5]);
        assert_eq!(i32s(1i64 + &a), [8, -6, 7]);
        assert_eq!(i32s(2.0 * &a), [14, -14, 12]);
        assert_eq!(i32s(a.maximum(0u8)), [7, 0, 6]);
        assert_eq!(i32s(a.minimum(0i8)), [0, -7, 0]);
        let bools = |tensor: rondo::Result<Tensor>| tensor.unwrap().to_vec::<bool>().unwrap();
        assert_eq!(bools(a.gt(&b)), [true, false, true]);
        assert_eq!(bools(a.eq(6)), [false, false, true]);
        assert_eq!(bools(a.gt(0).unwrap().logical_xor(true)), [false, true, false]);
        for &op in BinaryOp::ALL {
            assert_eq!(ops::binary(op, &a, &b).unwrap().shape().unwrap(), [3], "{:?}", op);
        }
    });
}

#[test]
fn outputs_that_are_given_are_written_where_they_are() {
    everywhere(|engine, device| {
        let a = f32s(engine, device, &[1.0, 2.0, 3.0, 4.0]);
        let out = Tensor::zeros(engine, device, DType::F32, 6).unwrap();
        let middle = out.slice_axis(0, 1..5).unwrap();
        ops::unary_into(UnaryOp::Square, &a, &middle).unwrap();
        assert_eq!(out.to_vec::<f32>().unwrap(), [0.0, 1.0, 4.0, 9.0, 16.0, 0.0]);
        ops::binary_into(BinaryOp::Sub, 1.0, &a, &middle.accumulator().unwrap()).unwrap();
        assert_eq!(out.to_vec::<f32>().unwrap(), [0.0, 1.0, 3.0, 7.0, 13.0, 0.0]);
        let total = Tensor::zeros(engine, device, DType::F32, 1).unwrap();
        ops::reduce_into(ReduceOp::Sum, &a, 0, true, &total).unwrap();
        assert_eq!(total.item::<f32>().unwrap(), 10.0);
        let wrong = Tensor::zeros(engine, device, DType::F32, 3).unwrap();
        assert!(ops::unary_into(UnaryOp::Square, &a, &wrong).is_err());
    });
}

#[test]
fn bags_of_rows_are_written_into_a_part() {
    everywhere(|engine, device| {
        let from = |shape: [usize; 2], data: &[f32]| Tensor::from_slice(engine, device, shape, data).unwrap();
        let (a, b) = (from([2, 2], &[1.0, 2.0, 3.0, 4.0]), from([1, 2], &[10.0, 20.0]));
        let indices = Tensor::from_slice(engine, device, [2, 2, 1], &[1i32, 0, 0, -1]).unwrap();
        let vectors = Tensor::zeros(engine, device, DType::F32, [2, 3, 2]).unwrap();
        let rows = vectors.slice_axis(1, 1..).unwrap();
        Tensor::embedding_bag_into(&[&a, &b], Bags::new(&indices), &rows).unwrap();
        let looked_up = Tensor::embedding_bag(&[&a, &b], Bags::new(&indices)).unwrap();
        assert_eq!(looked_up.to_vec::<f32>().unwrap(), [3.0, 4.0, 10.0, 20.0, 1.0, 2.0, 10.0, 20.0]);
        assert_eq!(rows.to_vec::<f32>().unwrap(), looked_up.to_vec::<f32>().unwrap());
        assert_eq!(vectors.slice_axis(1, ..1).unwrap().to_vec::<f32>().unwrap(), [0.0; 4]);

        let refused = |tables: &[&Tensor], out: &Tensor, part: &str| {
            let problem = Tensor::embedding_bag_into(tables, Bags::new(&indices), out).unwrap_err();
            assert_eq!(problem.kind(), ErrorKind::InvalidArgument);
            assert!(
                problem.message().contains("Tensor::embedding_bag") && problem.message().contains(part),
                "{}",
                problem
            );
        };
        refused(&[], &rows, "tables is empty");
        refused(&[&a, &b], &vectors, "[2, 3, 2]");
    });
}

#[test]
fn reductions_take_axes_from_both_ends() {
    everywhere(|engine, device| {
        let data: Vec<i32> = (0..24).collect();
        let a = Tensor::from_slice(engine, device, [2, 3, 4], &data).unwrap();
        assert_eq!(a.sum(..).unwrap().item::<i64>().unwrap(), 276);
        assert_eq!(a.max([0, -1]).unwrap().to_vec::<i32>().unwrap(), [15, 19, 23]);
        assert_eq!(a.argmin(1).unwrap().shape().unwrap(), [2, 4]);
        assert_eq!(ops::reduce(ReduceOp::Mean, &a, &[1, 2][..], true).unwrap().shape().unwrap(), [2, 1, 1]);
        for &op in ReduceOp::ALL {
            assert_eq!(ops::reduce(op, &a, 2, false).unwrap().shape().unwrap(), [2, 3], "{:?}", op);
        }
        for wrong in [&[3][..], &[0, 0], &[], &[0; 9]] {
            assert!(a.sum(wrong).is_err(), "{:?}", wrong);
        }
    });
}

#[test]
fn convolutions_take_every_option() {
    everywhere(|engine, device| {
        let x = Tensor::from_slice(engine, device, [1, 2, 3], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let w = Tensor::from_slice(engine, device, [2, 1, 2], &[1.0f32, 10.0, 2.0, 1.0]).unwrap();
        let (scale, bias) = (f32s(engine, device, &[1.0, 2.0]), f32s(engine, device, &[-32.0, 0.0]));
        let residual = Tensor::full(engine, device, DType::F32, [1, 2, 2], 1.0).unwrap();
        let how = Convolution::new().groups(2).scale(&scale).bias(&bias).residual(&residual);
        let how = how.activation(Activation::Relu).allow_tf32().deterministic();
        assert_eq!(x.convolution(&w, how).unwrap().to_vec::<f32>().unwrap(), [0.0, 1.0, 27.0, 33.0]);
        let wide = Convolution::new().groups(2).stride([2]).padding([1]).padding_end([2]).dilation([2]);
        let y = x.convolution(&w, wide).unwrap();
        assert_eq!(y.to_vec::<f32>().unwrap(), [20.0, 2.0, 5.0, 10.0]);
        let back = wide.transposed().padding([0]).padding_end([0]).output_padding([1]);
        assert_eq!(y.convolution(&w, back).unwrap().shape().unwrap(), [1, 2, 6]);
        let dw = x.convolution_filter_grad(&y, [2], wide).unwrap();
        assert_eq!(dw.to_vec::<f32>().unwrap(), [4.0, 40.0, 50.0, 25.0]);
        let out = Tensor::empty(engine, device, DType::F32, [1, 2, 2]).unwrap();
        x.convolution_into(&w, wide, &out).unwrap();
        assert_eq!(out.to_vec::<f32>().unwrap(), [20.0, 2.0, 5.0, 10.0]);
        assert!(x.convolution(&w, Convolution::new()).is_err());
        assert!(x.convolution_filter_grad(&y, [2, 2], wide).is_err());
    });
}

#[test]
fn products_have_transposed_operands_bias_and_activation() {
    everywhere(|engine, device| {
        let a = Tensor::from_slice(engine, device, [2, 3], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        assert_eq!(
            a.matmul_with(&a, Matmul::new().transpose_b()).unwrap().to_vec::<f32>().unwrap(),
            [14.0, 32.0, 32.0, 77.0]
        );
        let bias = f32s(engine, device, &[-20.0, 0.0, 0.0]);
        let how = Matmul::new().transpose_a().bias(&bias).activation(Activation::Relu).allow_tf32();
        let out = Tensor::empty(engine, device, DType::F32, [3, 3]).unwrap();
        a.matmul_into(&a, how, &out).unwrap();
        assert_eq!(out.to_vec::<f32>().unwrap(), [0.0, 22.0, 27.0, 2.0, 29.0, 36.0, 7.0, 36.0, 45.0]);
        a.matmul_into(&a, how.activation(Activation::Relu6), &out).unwrap();
        assert_eq!(out.to_vec::<f32>().unwrap(), [0.0, 6.0, 6.0, 2.0, 6.0, 6.0, 6.0, 6.0, 6.0]);
        a.matmul_into(&a, how.activation(Activation::Silu), &out).unwrap();
        let values = out.to_vec::<f32>().unwrap();
        assert!((values[0] + 3.0 / (1.0 + 3f32.exp())).abs() < 1e-5 && values[8] == 45.0, "{:?}", values);
        assert!(a.matmul(&a).is_err());
    });
}

#[test]
fn losses_softmax_and_indexing() {
    everywhere(|engine, device| {
        let logits = Tensor::zeros(engine, device, DType::F64, [2, 4]).unwrap();
        let labels = Tensor::from_slice(engine, device, 2, &[1i32, 3]).unwrap();
        for loss in logits.cross_entropy(&labels).unwrap().to_vec::<f64>().unwrap() {
            assert!((loss - 4.0f64.ln()).abs() < 1e-12);
        }
        let gradient = logits.cross_entropy_grad(&labels, 4.0).unwrap().to_vec::<f64>().unwrap();
        assert_eq!(gradient, [1.0, -3.0, 1.0, 1.0, 1.0, 1.0, 1.0, -3.0]);
        let y = logits.softmax(1).unwrap();
        assert_eq!(y.to_vec::<f64>().unwrap(), [0.25; 8]);
        assert_eq!(y.softmax_grad(&y, 1).unwrap().to_vec::<f64>().unwrap(), [0.0; 8]);
        let logs = logits.log_softmax(1).unwrap().to_vec::<f64>().unwrap();
        assert!(logs.iter().all(|x| (x + 4.0f64.ln()).abs() < 1e-12));
        let hot = labels.one_hot(4, DType::F64).unwrap();
        assert_eq!(
            hot.gather_rows(&labels).unwrap().to_vec::<f64>().unwrap(),
            [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]
        );
    });
}

#[test]
fn copies_casts_and_choices() {
    everywhere(|engine, device| {
        let a = f32s(engine, device, &[1.5, -2.5, f32::NAN]);
        assert_eq!(a.cast(DType::I32).unwrap().to_vec::<i32>().unwrap(), [1, -2, 0]);
        let cleaned = a.isnan().unwrap().choose(&Tensor::zeros(engine, device, DType::F32, ()).unwrap(), &a).unwrap();
        assert_eq!(cleaned.to_vec::<f32>().unwrap(), [1.5, -2.5, 0.0]);
        let host = a.copy_to(Device::CPU).unwrap();
        assert_eq!((host.device().unwrap(), host.to_vec::<f32>().unwrap()[1]), (Device::CPU, -2.5));
        let rows = Tensor::zeros(engine, Device::CPU, DType::F32, [2, 3]).unwrap();
        a.copy().unwrap().copy_to(Device::CPU).unwrap().copy_into(&rows).unwrap();
        assert_eq!(rows.to_vec::<f32>().unwrap()[3], 1.5);
        a.fill(2.0).unwrap();
        assert_eq!(a.to_vec::<f32>().unwrap(), [2.0; 3]);
        assert!(rows.cast(DType::I32).unwrap().fill(0.5).is_err());
    });
}

#[test]
fn random_numbers_follow_the_seed() {
    everywhere(|engine, device| {
        let draw = || {
            engine.seed(5).unwrap();
            let uniform = ops::random_uniform(engine, device, DType::F32, 1000, 2.0, 3.0).unwrap();
            let normal = ops::random_normal(engine, device, DType::F64, [10, 100], 1.0, 0.5).unwrap();
            let (kept, mask) = uniform.dropout(0.25).unwrap();
            let gradient = kept.dropout_grad(&mask, 0.25).unwrap();
            (
                uniform.to_vec::<f32>().unwrap(),
                normal.to_vec::<f64>().unwrap(),
                mask.to_vec::<u8>().unwrap(),
                gradient.to_vec::<f32>().unwrap(),
            )
        };
        let (first, second) = (draw(), draw());
        assert_eq!(first, second);
        assert!(first.0.iter().all(|x| (2.0..3.0).contains(x)));
        let mean = first.1.iter().sum::<f64>() / 1000.0;
        assert!((mean - 1.0).abs() < 0.1, "{}", mean);
        let kept = first.2.iter().map(|&x| i32::from(x)).sum::<i32>();
        assert!((650..850).contains(&kept), "{}", kept);
        assert!(first.3.iter().zip(&first.2).all(|(dx, &kept)| (*dx != 0.0) == (kept == 1)));
    });
}
