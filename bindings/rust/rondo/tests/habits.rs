//! One-line habits of programs that come from candle, tch, burn and ndarray. Each test shows the line as it is there, and below
//! the one that does the same here; docs/rust.md lists what has no counterpart, with the reasons.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#![allow(clippy::op_ref, clippy::needless_borrows_for_generic_args)] // as programs have it

mod common;

use common::everywhere;
use rondo::{DType, Device, Engine, Result, Tensor};

/// A test for each habit, of what is on `engine` and `device`: `a` is [[1, 2, 3], [4, 5, 6]] and `b` its double.
macro_rules! habits {
    ($(#[$origin:meta] $name:ident($engine:ident, $device:ident, $a:ident, $b:ident) $body:block)*) => {
        $(#[$origin]
        #[test]
        fn $name() {
            fn habit($engine: &Engine, $device: Device, $a: Tensor, $b: Tensor) -> Result<()> {
                $body
                Ok(())
            }
            everywhere(|engine, device| {
                let a = Tensor::new(engine, device, [[1f32, 2., 3.], [4., 5., 6.]]).unwrap();
                let b = a.mul(2).unwrap();
                habit(engine, device, a, b).unwrap();
            });
        })*
    };
}

fn f32s(tensor: &Tensor) -> Vec<f32> {
    tensor.to_vec().unwrap()
}

mod candle {
    use super::*;

    habits! {
        /// `Tensor::new(&[[1f32, 2.], [3., 4.]], &device)?`
        nested_arrays(engine, device, _a, _b) {
            let c = Tensor::new(engine, device, &[[1f32, 2.], [3., 4.]])?;
            assert_eq!((c.shape()?.to_vec(), f32s(&c)), (vec![2, 2], vec![1., 2., 3., 4.]));
        }
        /// `Tensor::zeros((2, 3), DType::F32, &device)?`
        zeros_of_a_tuple(engine, device, _a, _b) {
            assert_eq!(f32s(&Tensor::zeros(engine, device, DType::F32, (2, 3))?), [0.0; 6]);
        }
        /// `(&a + &b)?`
        sums_of_borrowed(_engine, _device, a, b) {
            assert_eq!(f32s(&(&a + &b)?), [3., 6., 9., 12., 15., 18.]);
        }
        /// `((a * 2.)? + 1.)?`
        numbers_on_the_right_of_owned(_engine, _device, a, _b) {
            assert_eq!(f32s(&((a * 2.)? + 1.)?), [3., 5., 7., 9., 11., 13.]);
        }
        /// `a.broadcast_add(&row)?`
        broadcast(_engine, _device, a, b) {
            let row = b.i(0)?;
            assert_eq!(f32s(&(&a + &row)?), [3., 6., 9., 6., 9., 12.]);
        }
        /// `a.matmul(&b.t()?)?`
        products_with_the_transposed(_engine, _device, a, b) {
            assert_eq!(f32s(&a.matmul(&b.transpose()?)?), [28., 64., 64., 154.]);
        }
        /// `a.i((.., 1))?`, `a.i(1)?`, `a.i((1, ..2))?`
        indices(_engine, _device, a, _b) {
            assert_eq!((f32s(&a.i((.., 1))?), f32s(&a.i(1)?)), (vec![2., 5.], vec![4., 5., 6.]));
            assert_eq!(f32s(&a.i((1, ..2))?), [4., 5.]);
        }
        /// `a.narrow(1, 1, 2)?`
        narrow(_engine, _device, a, _b) {
            assert_eq!(f32s(&a.narrow(1, 1, 2)?), [2., 3., 5., 6.]);
        }
        /// `a.reshape((3, ()))?`
        reshape_with_a_hole(_engine, _device, a, _b) {
            assert_eq!(a.reshape((3, ()))?.shape()?, [3, 2]);
        }
        /// `let (rows, columns) = a.dims2()?;`
        sizes_by_pattern(_engine, _device, a, _b) {
            let [rows, columns] = a.dims()?;
            assert_eq!(rows * columns, 6);
        }
        /// `a.argmax(D::Minus1)?`
        the_last_axis(_engine, _device, a, _b) {
            assert_eq!(a.argmax(-1)?.to_vec::<i64>()?, [2, 2]);
        }
        /// `a.unsqueeze(0)?.squeeze(0)?`
        axes_come_and_go(_engine, _device, a, _b) {
            assert_eq!(a.unsqueeze(0)?.squeeze(0)?.shape()?, [2, 3]);
        }
        /// `Tensor::cat(&[&a, &b], 0)?`
        concatenation(_engine, _device, a, b) {
            assert_eq!(Tensor::concat(&[&a, &b], 0)?.shape()?, [4, 3]);
        }
        /// `a.to_dtype(DType::F64)?.to_scalar::<f64>()?`
        casts(_engine, _device, a, _b) {
            assert_eq!(a.sum(..)?.cast(DType::F64)?.item::<f64>()?, 21.0);
        }
        /// `a.to_device(&Device::Cpu)?.to_vec1::<f32>()?`
        copies_between_devices(_engine, _device, a, _b) {
            assert_eq!(f32s(&a.copy_to(Device::CPU)?), [1., 2., 3., 4., 5., 6.]);
        }
        /// `println!("{a}")`
        contents_are_printed(_engine, _device, a, _b) {
            assert!(format!("{a}").starts_with("[[1.0, 2.0, 3.0],\n [4.0, 5.0, 6.0]]"), "{a}");
        }
    }
}

mod tch {
    use super::*;

    habits! {
        /// `Tensor::from_slice(&[1f32, 2.])`
        from_a_slice(engine, device, _a, _b) {
            assert_eq!(f32s(&Tensor::new(engine, device, &[1f32, 2.])?), [1., 2.]);
        }
        /// `Tensor::randn([2, 3], (Kind::Float, device))`
        normal_numbers(engine, device, _a, _b) {
            let x = Tensor::randn(engine, device, DType::F32, [2, 3])?;
            assert!(f32s(&x).iter().all(|x| x.abs() < 9.0) && x.shape()? == [2, 3]);
        }
        /// `a.view([-1, 2])`
        view_of_the_rest(_engine, _device, a, _b) {
            assert_eq!(a.reshape([-1, 2])?.shape()?, [3, 2]);
        }
        /// `a.sum_dim_intlist([0i64, 1].as_slice(), false, Kind::Float)`
        lists_of_axes(_engine, _device, a, _b) {
            assert_eq!(a.sum([0i64, 1].as_slice())?.item::<f32>()?, 21.0);
        }
        /// `1.0 - &a`
        numbers_on_the_left(_engine, _device, a, _b) {
            assert_eq!(f32s(&(1.0 - &a)?), [0., -1., -2., -3., -4., -5.]);
        }
        /// `a.softmax(-1, Kind::Float)`
        softmax(_engine, _device, a, _b) {
            let rows = a.softmax(-1)?.sum(-1)?;
            assert!(f32s(&rows).iter().all(|row| (row - 1.0).abs() < 1e-6));
        }
        /// `Vec::<f32>::try_from(&a)?`, `f64::try_from(&loss)?`
        conversions_by_the_standard_traits(_engine, _device, a, _b) {
            assert_eq!(Vec::<f32>::try_from(&a)?, [1., 2., 3., 4., 5., 6.]);
            assert_eq!(f32::try_from(&a.mean(..)?)?, 3.5);
        }
        /// `no_grad(|| &a * 2)`
        without_gradients(engine, _device, a, b) {
            let tape = engine.tape(&[&a])?;
            let constant = rondo::no_gradients(|| &a * 2)?;
            let loss = (&b + &constant * &a)?.sum(..)?;
            assert_eq!(f32s(&tape.gradient(&loss, &a)?), f32s(&constant));
        }
        /// `a.copy_(&b)`, `a.zero_()`
        writing_in_place(_engine, _device, a, b) {
            b.copy_into(&a)?;
            b.fill(0.0)?;
            assert_eq!((f32s(&a)[5], f32s(&b)[5]), (12.0, 0.0));
        }
        /// `a.gt(3)`, `a.clamp(2, 4)`
        comparisons_with_numbers(_engine, _device, a, _b) {
            assert_eq!(a.gt(3)?.to_vec::<bool>()?, [false, false, false, true, true, true]);
            assert_eq!(f32s(&a.clip(2.0, 4.0)?), [2., 2., 3., 4., 4., 4.]);
        }
    }
}

mod burn {
    use super::*;

    habits! {
        /// `Tensor::<B, 2>::from_data([[1., 2.], [3., 4.]], &device)`
        from_data(engine, device, _a, _b) {
            assert_eq!(Tensor::new(engine, device, [[1., 2.], [3., 4.]])?.dtype()?, DType::F64);
        }
        /// `a.clone() + b`
        sums_of_owned(_engine, _device, a, b) {
            assert_eq!(f32s(&(a.clone() + b)?), [3., 6., 9., 12., 15., 18.]);
        }
        /// `a.clone().slice([0..1, 1..3])`
        slices_by_arrays_of_ranges(_engine, _device, a, _b) {
            assert_eq!(f32s(&a.i([0..1, 1..3])?), [2., 3.]);
        }
        /// `a.mean_dim(1)`
        means(_engine, _device, a, _b) {
            assert_eq!(f32s(&a.mean(1)?), [2., 5.]);
        }
        /// `a.swap_dims(0, 1)`
        swapped_axes(_engine, _device, a, _b) {
            assert_eq!(f32s(&a.swap_axes(0, 1)?), [1., 4., 2., 5., 3., 6.]);
        }
        /// `Tensor::stack::<3>(vec![a, b], 0)`
        stacks(_engine, _device, a, b) {
            assert_eq!(Tensor::stack(&[&a, &b], 0)?.shape()?, [2, 2, 3]);
        }
        /// `a.clone().mask_where(a.lower_elem(3), b)`
        masks(_engine, _device, a, b) {
            assert_eq!(f32s(&a.lt(3)?.choose(&b, &a)?), [2., 4., 3., 4., 5., 6.]);
        }
        /// `a.zeros_like()`, `a.ones_like()`
        likes(_engine, _device, a, _b) {
            assert_eq!((f32s(&a.zeros_like()?), f32s(&a.ones_like()?)), (vec![0.; 6], vec![1.; 6]));
        }
        /// `a.powf_scalar(2.0)`
        powers(_engine, _device, a, _b) {
            assert_eq!(f32s(&a.pow(2.0)?), [1., 4., 9., 16., 25., 36.]);
        }
        /// `a.select(1, indices)`
        selection(engine, device, a, _b) {
            let indices = Tensor::new(engine, device, [2i64, 0])?;
            assert_eq!(f32s(&a.take(&indices, 1)?), [3., 1., 6., 4.]);
        }
    }
}

mod ndarray {
    use super::*;

    habits! {
        /// `&a + &b * 2.0`
        expressions_without_question_marks_between(_engine, _device, a, b) {
            assert_eq!(f32s(&(&a + &b * 2.0)?), [5., 10., 15., 20., 25., 30.]);
        }
        /// `a.shape() == [2, 3]`
        shapes_compare_with_arrays(_engine, _device, a, _b) {
            assert!(a.shape()? == [2, 3]);
        }
        /// `a.sum_axis(Axis(0))`, `a.sum()`
        sums(_engine, _device, a, _b) {
            assert_eq!((f32s(&a.sum(0)?), a.sum(..)?.item::<f32>()?), (vec![5., 7., 9.], 21.0));
        }
        /// `a.slice(s![.., ..;2])`, `a.slice(s![..;-1, ..])`
        steps(_engine, _device, a, _b) {
            assert_eq!(f32s(&a.slice_step(1, 0, 3, 2)?), [1., 3., 4., 6.]);
            assert_eq!(f32s(&a.flip(0)?), [4., 5., 6., 1., 2., 3.]);
        }
        /// `a.mapv(f32::sqrt)`
        elementwise_functions(_engine, _device, a, _b) {
            assert_eq!(f32s(&a.sqrt()?)[3], 2.0);
        }
        /// `a.slice_mut(s![.., 0]).assign(&b.column(1))`
        parts_are_assigned(_engine, _device, a, b) {
            b.i((.., 1))?.copy_into(&a.i((.., 0))?)?;
            assert_eq!(f32s(&a), [4., 2., 3., 10., 5., 6.]);
        }
        /// `Array::linspace(0., 1., 5)`, `Array::eye(2)`
        ranges_and_identities(engine, device, _a, _b) {
            assert_eq!(f32s(&Tensor::linspace(engine, device, DType::F32, (0., 1.), 5, true)?), [0., 0.25, 0.5, 0.75, 1.]);
            assert_eq!(f32s(&Tensor::eye(engine, device, DType::F32, [2, 2], 0)?), [1., 0., 0., 1.]);
        }
        /// `let [first, second] = [a.row(0), a.row(1)];`
        rows(_engine, _device, a, _b) {
            let [first, second] = [a.i(0)?, a.i(1)?];
            assert_eq!(f32s(&(&second - &first)?), [3., 3., 3.]);
        }
        /// `a.clone() * a`: a clone is no copy that could fail
        clones(_engine, _device, a, _b) {
            assert_eq!(f32s(&(a.clone() * a)?), [1., 4., 9., 16., 25., 36.]);
        }
    }

    /// `array![[1., 2.], [3., 4.]].t()`: arrays come and go, in any layout
    #[cfg(feature = "ndarray")]
    #[test]
    fn arrays_come_and_go() {
        use rondo::ndarray::array;
        everywhere(|engine, device| {
            let given = array![[1., 2.], [3., 4.]];
            let c = Tensor::from_array(engine, device, &given.t()).unwrap();
            assert_eq!(c.to_array::<f64>().unwrap(), given.t().into_dyn());
        });
    }
}
