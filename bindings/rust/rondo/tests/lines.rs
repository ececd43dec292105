//! Lines as programs of candle, tch, burn and ndarray have them: adapted by engine and device alone, they hold here.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#![allow(
    clippy::op_ref,
    clippy::needless_borrows_for_generic_args,
    clippy::ptr_arg,
    clippy::useless_vec,
    clippy::unit_arg
)] // as programs have it

mod common;

use common::everywhere;
use rondo::{Axis, DType, Device, Engine, ErrorKind, Result, Tensor};

/// What there is: `x` is [[1, 2, 3], [4, 5, 6]], `row` [1, 2, 3], `ids` [1, 0], and `v` the numbers from 1 to 6.
macro_rules! lines {
    ($($peer:ident($e:ident, $d:ident, $x:ident, $row:ident, $ids:ident, $v:ident) { $($line:expr;)* })*) => {
        $(
            #[test]
            fn $peer() {
                #[allow(unused_variables)]
                fn holds($e: &Engine, $d: Device, $x: &Tensor, $row: &Tensor, $ids: &Tensor, $v: &Vec<f32>) -> Result<()> {
                    $(assert!($line, "{}", stringify!($line));)*
                    Ok(())
                }
                everywhere(|engine, device| {
                    let x = Tensor::new(engine, device, [[1f32, 2., 3.], [4., 5., 6.]]).unwrap();
                    let (row, ids) = (x.i(0).unwrap().copy().unwrap(), Tensor::new(engine, device, [1i64, 0]).unwrap());
                    holds(engine, device, &x, &row, &ids, &(1..7).map(|i| i as f32).collect()).unwrap();
                });
            }
        )*
    };
}

lines! {
    candle(e, d, x, row, ids, v) {
        Tensor::new(e,d,&[[1f32,2.],[3.,4.]])?.to_vec::<f32>()? == [1.,2.,3.,4.];
        Tensor::new(e,d,vec![1f32,2.])?.to_vec::<f32>()? == [1.,2.];
        Tensor::new(e,d,&v[..])?.to_vec::<f32>()? == *v;
        Tensor::from_vec(e,d,(2,3),v.clone())?.dims()? == [2,3];
        Tensor::randn(e,d,DType::F32,(2,3))?.to_vec::<f32>()?.len() == 6;
        x.zeros_like()?.to_vec::<f32>()? == [0.;6];
        x.to_dtype(DType::F64)?.to_vec::<f64>()?[0] == 1.;
        (x + x)?.to_vec::<f32>()?[1] == 4.;
        (x.exp()? + x.exp()?)?.dims()? == [2,3];
        { let c = (1.0 - x)?; c.to_vec::<f32>()?[1] == -1. };
        ((x * 2.)? + 1.)?.to_vec::<f32>()?[0] == 3.;
        x.t()?.dims()? == [3,2];
        x.broadcast_add(row)?.dims()? == [2,3];
        x.sum_keepdim(1)?.dims()? == [2,1];
        x.mean_all()?.to_scalar::<f32>()? == 3.5;
        x.i((..,1))?.to_vec::<f32>()? == [2.,5.];
        x.i((0,1..3))?.to_vec::<f32>()? == [2.,3.];
        x.to_vec2::<f32>()? == vec![vec![1.,2.,3.],vec![4.,5.,6.]];
        { let (r,c) = x.dims2()?; (r,c) == (2,3) };
        x.reshape((3,()))?.dims()? == [3,2];
        x.unsqueeze(0)?.squeeze(0)?.dims()? == [2,3];
        Tensor::cat(&[x,x],0)?.dims()? == [4,3];
        x.narrow(1,0,2)?.dims()? == [2,2];
        x.chunk(3,1)?.len() == 3;
        x.gt(2.)?.where_cond(x,x)?.dims()? == [2,3];
        x.index_select(ids,0)?.dims()? == [2,3];
        format!("{x:.1}").contains("4.0");
        { let y: Tensor = x.clone(); y.dims()? == [2,3] };
        "f16".parse::<DType>().is_ok();
    }
    tch(e, d, x, row, ids, v) {
        x.size()? == [2,3];
        x.view([-1,2])?.dims()? == [3,2];
        f64::try_from(&x.sum(..)?).is_ok();
        (x + 1)?.to_vec::<f32>()?[0] == 2.;
        { let mut y = x.copy()?; y -= (x * 0.5)?; y.to_vec::<f32>()?[1] == 1. };
        rondo::no_grad(|| x.exp())?.dims()? == [2,3];
        x.topk(2,-1,true)?.0.to_vec::<f32>()? == [3.,2.,6.,5.];
        x.max_dim(1,false)?.0.to_vec::<f32>()? == [3.,6.];
    }
    burn(e, d, x, row, ids, v) {
        x.slice([0..1,1..3])?.dims()? == [1,2];
        x.powf_scalar(2.)?.to_vec::<f32>()?[1] == 4.;
        x.swap_dims(0,1)?.dims()? == [3,2];
        x.clamp(2.,4.)?.to_vec::<f32>()?[0] == 2.;
        x.mask_fill(&x.gt(2.)?,0.)?.to_vec::<f32>()? == [1.,2.,0.,0.,0.,0.];
    }
    ndarray(e, d, x, row, ids, v) {
        (x * 2.0 + x)?.to_vec::<f32>()?[0] == 3.;
        x.sum(Axis::from(0))?.dims()? == [3];
    }
}

#[test]
fn assigning_operators_write_in_place() {
    everywhere(|engine, device| {
        let x = Tensor::new(engine, device, [1f32, 2., 4.]).unwrap();
        let mut y = x.clone();
        y += &x;
        y -= 1;
        y *= x.add(1.0); // a result
        y /= 2.0;
        y %= &Tensor::new(engine, device, [4f32]).unwrap();
        assert_eq!(x.to_vec::<f32>().unwrap(), [1.0, 2.0, 0.0]); // the same memory
        let (graph, ()) = engine.record(|| Ok::<_, rondo::Error>(y += 1.0)).unwrap();
        graph.launch().unwrap();
        assert_eq!(x.to_vec::<f32>().unwrap(), [2.0, 3.0, 1.0]);
    });
}

#[test]
fn what_an_assigning_operator_refuses_is_told_by_the_next_wait() {
    everywhere(|engine, device| {
        let x = Tensor::ones(engine, device, DType::F32, [2, 3]).unwrap();
        let short = Tensor::ones(engine, device, DType::F32, 2).unwrap();
        let mut y = x.copy().unwrap();
        y -= &short;
        for error in [y.wait().unwrap_err(), y.exp().and_then(|z| z.to_vec::<f32>()).unwrap_err()] {
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            assert_eq!(error.operator(), Some("sub_assign"));
            assert!(error.message().contains("Tensor::sub: "), "{}", error);
        }
        y.fill(1.0).unwrap();
        y += x.reshape(7); // a result that is an error
        assert!(y.wait().unwrap_err().message().contains("Tensor::reshape"));
        y.fill(1.0).unwrap();
        let mut wide = y.broadcast([2, 2, 3]).unwrap(); // read-only
        wide *= 2.0;
        assert_eq!(y.wait().unwrap_err().kind(), ErrorKind::InvalidArgument);
        let mut z = x.copy().unwrap();
        let (graph, ()) = engine.record(|| Ok::<_, rondo::Error>(z -= &short)).unwrap();
        z.wait().unwrap();
        let _ = graph.launch(); // a naive engine tells of it at once
        assert!(z.wait().unwrap_err().message().contains("Tensor::sub: "));
    });
}

#[test]
fn a_reshape_copies_where_a_view_is_refused() {
    everywhere(|engine, device| {
        let x = Tensor::new(engine, device, [[1f32, 2., 3.], [4., 5., 6.]]).unwrap();
        let t = x.t().unwrap();
        let refused = t.view(-1).unwrap_err();
        assert!(
            refused.kind() == ErrorKind::InvalidArgument && refused.message().starts_with("Tensor::view: "),
            "{}",
            refused
        );
        let flat = t.reshape(-1).unwrap();
        assert_eq!(flat.to_vec::<f32>().unwrap(), [1., 4., 2., 5., 3., 6.]);
        assert_eq!(t.flatten().unwrap().shape().unwrap(), [6]);
        flat.fill(0.0).unwrap();
        assert_eq!(x.to_vec::<f32>().unwrap(), [1., 2., 3., 4., 5., 6.]);
        // Where no copy is needed there is none, and axes of size 1 never need one.
        x.reshape((3, 2)).unwrap().i((2, 1)).unwrap().fill(7.0).unwrap();
        t.unsqueeze(1).unwrap().squeeze(1).unwrap().i((0, 1)).unwrap().fill(8.0).unwrap();
        assert_eq!(x.to_vec::<f32>().unwrap(), [1., 2., 3., 8., 5., 7.]);
        for shape in [vec![5], vec![-1, 4], vec![-1, -1], vec![-2, -3], vec![i64::MAX, 3]] {
            let error = t.reshape(&shape).unwrap_err();
            assert!(error.message().starts_with("Tensor::reshape: "), "{:?}: {}", shape, error);
        }
        let tape = engine.tape(&[&x]).unwrap();
        let weights = Tensor::new(engine, device, [0f32, 1., 2., 3., 4., 5.]).unwrap();
        let loss = x.t().unwrap().reshape(6).unwrap().mul(&weights).unwrap().sum(..).unwrap();
        assert_eq!(tape.gradient(&loss, &x).unwrap().to_vec::<f32>().unwrap(), [0., 2., 4., 1., 3., 5.]);
        let (graph, y) = engine.record(|| x.t()?.reshape((2, 3))?.mul(&x)).unwrap();
        for _ in 0..2 {
            graph.launch().unwrap();
            assert_eq!(y.to_vec::<f32>().unwrap(), [1., 16., 6., 40., 15., 49.]);
        }
    });
}

#[test]
fn conversions_take_any_dtype() {
    everywhere(|engine, device| {
        let x = Tensor::new(engine, device, 2.5f32).unwrap();
        assert_eq!(
            (f64::try_from(&x).unwrap(), i64::try_from(&x).unwrap(), bool::try_from(&x).unwrap()),
            (2.5, 2, true)
        );
        let sum = Tensor::new(engine, device, [[1i64, 2], [3, 4]]).unwrap().sum(..).unwrap();
        assert_eq!((f64::try_from(&sum).unwrap(), f32::try_from(sum).unwrap()), (10.0, 10.0));
        let half = Tensor::new(engine, device, [0.5f32, 1.5]).unwrap().cast(DType::Bf16).unwrap();
        assert_eq!(Vec::<f64>::try_from(&half).unwrap(), [0.5, 1.5]);
        let error = f64::try_from(&half).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument); // two elements
        let tape = engine.tape(&[&x]).unwrap();
        f64::try_from(&x).unwrap();
        assert_eq!(tape.info().unwrap().nodes, 0);
    });
}

#[test]
fn nested_lists_need_one_length_at_each_depth() {
    everywhere(|engine, device| {
        let shape = |made: Result<Tensor>| made.unwrap().shape().unwrap().to_vec();
        assert_eq!(shape(Tensor::new(engine, device, vec![vec![[1i32, 2]; 3]; 4])), [4, 3, 2]);
        assert_eq!(shape(Tensor::new(engine, device, &[&[1u8, 2][..], &[3, 4]])), [2, 2]);
        assert_eq!(shape(Tensor::new(engine, device, Vec::<[f32; 3]>::new())), [0, 3]);
        assert_eq!(shape(Tensor::new(engine, device, Vec::<Vec<f32>>::new())), [0, 0]);
        assert_eq!(shape(Tensor::new(engine, device, 1f64)), []);
        for ragged in [vec![vec![1f32], vec![]], vec![vec![], vec![1.]], vec![vec![1., 2.], vec![1.]]] {
            let error = Tensor::new(engine, device, ragged).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            assert!(error.message().starts_with("Tensor::new: data has a list of"), "{}", error);
        }
    });
}

#[test]
fn limits_are_numbers_tensors_or_both() {
    everywhere(|engine, device| {
        let x = Tensor::new(engine, device, [1i64, 5, i64::MAX]).unwrap();
        let low = Tensor::new(engine, device, [2i64, 2, 2]).unwrap();
        assert_eq!(x.clamp(2, 4).unwrap().to_vec::<i64>().unwrap(), [2, 4, 4]);
        assert_eq!(x.clamp(&low, i64::MAX - 1).unwrap().to_vec::<i64>().unwrap(), [2, 5, i64::MAX - 1]);
        assert_eq!(x.clamp(i64::MIN, i64::MAX - 1).unwrap().to_vec::<i64>().unwrap(), [1, 5, i64::MAX - 1]);
        assert_eq!(x.clamp(&low, &low).unwrap().to_vec::<i64>().unwrap(), [2, 2, 2]);
        let y = Tensor::new(engine, device, [1f32, 3.]).unwrap();
        assert_eq!(y.lerp(5.0, 0.5).unwrap().to_vec::<f32>().unwrap(), [3., 4.]);
    });
}

#[test]
fn results_are_left_operands_too() {
    everywhere(|engine, device| {
        let x = Tensor::new(engine, device, [1f32, 2.]).unwrap();
        assert_eq!((&x * 2.0 + &x - x.clone()).unwrap().to_vec::<f32>().unwrap(), [2., 4.]);
        assert_eq!((-&x * &x / &x).unwrap().to_vec::<f32>().unwrap(), [-1., -2.]);
        assert!((x.reshape(3) + &x).unwrap_err().message().starts_with("Tensor::reshape"));
    });
}
