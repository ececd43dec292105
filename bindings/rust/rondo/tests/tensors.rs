//! Tensors and views: made, read, written, shared; and what is refused.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
mod common;

use common::{devices, everywhere};
use rondo::{DType, Device, DeviceKind, Element, Engine, EngineMode, ErrorKind, F8E4m3, F8E5m2, Tensor};

fn round_trip<T: Element + PartialEq + std::fmt::Debug>(engine: &Engine, device: Device, data: &[T]) {
    let tensor = Tensor::from_slice(engine, device, data.len(), data).unwrap();
    assert_eq!(tensor.to_vec::<T>().unwrap(), data);
    let info = tensor.info().unwrap();
    assert_eq!((info.dtype, info.device, info.elements), (T::DTYPE, device, data.len()));
    assert_eq!((info.bytes, info.contiguous), (std::mem::size_of_val(data), true));
    assert_eq!(T::DTYPE.size(), std::mem::size_of::<T>());
    let twice: Vec<T> = data.iter().rev().copied().collect();
    tensor.write(&twice).unwrap();
    let mut read = vec![T::default(); data.len()];
    tensor.read(&mut read).unwrap();
    assert_eq!(read, twice);
}

#[test]
fn every_element_type_goes_there_and_back() {
    everywhere(|engine, device| {
        round_trip(engine, device, &[true, false, true]);
        round_trip(engine, device, &[0u8, 255]);
        round_trip(engine, device, &[-128i8, 127]);
        round_trip(engine, device, &[i16::MIN, i16::MAX]);
        round_trip(engine, device, &[0, u16::MAX]);
        round_trip(engine, device, &[0, u32::MAX]);
        round_trip(engine, device, &[0, u64::MAX]);
        round_trip(engine, device, &[i32::MIN, i32::MAX]);
        round_trip(engine, device, &[i64::MIN, i64::MAX]);
        round_trip(engine, device, &[1.5f32, -0.0]);
        round_trip(engine, device, &[f64::MIN_POSITIVE, f64::MAX]);
        round_trip(engine, device, &[F8E4m3(0), F8E4m3(0xff)]);
        round_trip(engine, device, &[F8E5m2(0x7c), F8E5m2(0xff)]);
        #[cfg(feature = "half")]
        {
            round_trip(engine, device, &[half::f16::from_f32(1.5), half::f16::MAX]);
            round_trip(engine, device, &[half::bf16::from_f32(1.5), half::bf16::MIN]);
        }
        round_trip::<f32>(engine, device, &[]);
    });
}

#[test]
fn eight_bit_floats_are_cast_and_not_computed_with() {
    everywhere(|engine, device| {
        let wide = Tensor::from_slice(engine, device, 5, &[1.0f32, 1.0625, -500.0, f32::INFINITY, f32::NAN]).unwrap();
        let e4m3 = wide.cast(DType::F8E4m3).unwrap();
        assert_eq!(e4m3.to_vec::<F8E4m3>().unwrap(), [0x38, 0x38, 0xfe, 0x7e, 0x7f].map(F8E4m3));
        let e5m2 = wide.cast(DType::F8E5m2).unwrap();
        assert_eq!(e5m2.to_vec::<F8E5m2>().unwrap(), [0x3c, 0x3c, 0xe0, 0x7b, 0x7f].map(F8E5m2));
        assert_eq!(e5m2.cast(DType::F64).unwrap().to_vec::<f64>().unwrap()[..4], [1.0, 1.0, -512.0, 57344.0]);
        assert_eq!(DType::F8E4m3.to_string(), "f8_e4m3");
        let refused = (&e4m3 + &e4m3).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
        for part in ["Tensor::add", "f8_e4m3", "Tensor::cast"] {
            assert!(refused.to_string().contains(part), "{}", refused);
        }
    });
}

#[test]
fn the_wrong_dtype_and_the_wrong_size_are_refused_by_name() {
    everywhere(|engine, device| {
        let a = Tensor::zeros(engine, device, DType::F32, [2, 3]).unwrap();
        let refusals = [
            (a.to_vec::<f64>().unwrap_err(), "cast the tensor first"),
            (a.write(&[0i32; 6]).unwrap_err(), "cast the tensor first"),
            (a.write(&[0f32; 5]).unwrap_err(), "bytes is 20; the tensor has 24"),
            (a.read(&mut [0f32; 7]).unwrap_err(), "bytes is 28"),
            (a.item::<f32>().unwrap_err(), "has 6 elements"),
            (
                Tensor::from_slice(engine, device, [2, 2], &[0f32; 5]).unwrap_err(),
                "data has 5 elements; the shape has 4",
            ),
            (Tensor::from_slice(engine, device, [usize::MAX, 2], &[0f32; 5]).unwrap_err(), "Tensor::from_slice"),
            (Tensor::from_slice(engine, device, [1; 9], &[0f32]).unwrap_err(), "ndim is 9"),
            (Tensor::empty(engine, device, DType::F32, &[2usize; 12][..]).unwrap_err(), "ndim is 9"),
        ];
        for (error, part) in refusals {
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{}", error);
            assert!(error.message().contains(part), "{} does not say {}", error, part);
            assert_eq!(error.to_string(), error.message());
            assert!(format!("{:?}", error).starts_with("InvalidArgument: "));
            assert!(error.operator().is_none() && std::error::Error::source(&error).is_none());
        }
    });
}

#[test]
fn views_share_memory_and_hold_it() {
    everywhere(|engine, device| {
        let data: Vec<i64> = (0..12).collect();
        let a = Tensor::from_slice(engine, device, [3, 4], &data).unwrap();
        let column = a.slice_axis(1, 1..=1).unwrap();
        let rows = a.slice_step(0, -1, i64::MIN, -2).unwrap();
        assert_eq!(rows.to_vec::<i64>().unwrap(), [8, 9, 10, 11, 0, 1, 2, 3]);
        assert_eq!(a.slice_axis(0, ..).unwrap().shape().unwrap(), [3, 4]);
        let last = -1; // as a literal it would be an empty range to clippy
        assert_eq!(a.slice_axis(0, 1..=last).unwrap().shape().unwrap(), [2, 4]);
        assert_eq!(a.slice_axis(0, ..=1).unwrap().shape().unwrap(), [2, 4]);
        let after = (std::ops::Bound::Excluded(0), std::ops::Bound::Unbounded);
        assert_eq!(a.slice_axis(0, after).unwrap().shape().unwrap(), [2, 4]);
        assert!(a.slice_axis(0, ..=i64::MAX).is_err());
        assert_eq!(a.permute([1, 0]).unwrap().info().unwrap().strides, [1, 4]);
        assert!(a.permute([0, 0]).is_err());
        assert_eq!(a.reshape([2, -1]).unwrap().shape().unwrap(), [2, 6]);
        assert!(a.transpose().unwrap().view([12]).is_err());
        let shared = a.share().unwrap();
        let scalar = Tensor::full(engine, device, DType::I64, (), 5.0).unwrap();
        assert_eq!(scalar.share().unwrap().item::<i64>().unwrap(), 5);
        assert_eq!(scalar.broadcast([2, 2]).unwrap().to_vec::<i64>().unwrap(), [5; 4]);
        assert!(scalar.broadcast([1; 9]).is_err());
        drop(a);
        column.fill(-1.0).unwrap();
        assert_eq!(shared.to_vec::<i64>().unwrap(), [0, -1, 2, 3, 4, -1, 6, 7, 8, -1, 10, 11]);
    });
}

#[test]
fn sizes_that_no_memory_has_are_refused() {
    let engine = Engine::new().unwrap();
    let x = Tensor::zeros(&engine, Device::CPU, DType::F32, 1).unwrap();
    let (vast, empty) = (x.broadcast(1i64 << 45).unwrap(), x.i(..0).unwrap());
    assert_eq!(vast.to_vec::<f32>().unwrap_err().kind(), ErrorKind::OutOfMemory);
    assert_eq!(Vec::<f32>::try_from(&vast).unwrap_err().kind(), ErrorKind::OutOfMemory);
    assert!(vast.to_vec::<f32>().unwrap_err().message().starts_with("Tensor::to_vec: there is no memory"));
    assert!(format!("{}", vast).starts_with("[0.0, 0.0, 0.0, ..., 0.0"), "{}", vast);
    for (parts, of) in [(i64::MAX, &empty), (2, &empty), (2, &x), (0, &x), (i64::MAX, &vast)] {
        let error = of.split(parts, 0).unwrap_err();
        assert!(
            error.kind() == ErrorKind::InvalidArgument && error.message().starts_with("Tensor::split: parts is"),
            "{}",
            error
        );
    }
    assert_eq!(vast.split(1i64 << 45, 0).unwrap_err().kind(), ErrorKind::OutOfMemory);
    let rows = x.broadcast([1i64 << 45, 1]).unwrap().i((.., ..0)).unwrap();
    assert_eq!(rows.to_vec2::<f32>().unwrap_err().kind(), ErrorKind::OutOfMemory);
    assert_eq!((empty.split(1, 0).unwrap().len(), x.split(1, 0).unwrap().len()), (1, 1));
}

#[test]
fn bool_elements_are_valid_whatever_the_memory_holds() {
    let engine = Engine::new().unwrap();
    let a = Tensor::zeros(&engine, Device::CPU, DType::Bool, 4).unwrap();
    a.wait().unwrap();
    // SAFETY: four bytes of the cpu that no task uses.
    unsafe { std::ptr::copy_nonoverlapping([0u8, 1, 2, 255].as_ptr(), a.address().unwrap().cast(), 4) };
    assert_eq!(a.to_vec::<bool>().unwrap(), [false, true, true, true]);
}

#[test]
fn tensors_keep_their_engine() {
    for device in devices() {
        let engine = Engine::builder().mode(EngineMode::Threaded).build().unwrap();
        let a = Tensor::full(&engine, device, DType::F32, 1000, 2.0).unwrap();
        drop(engine);
        let b = a.square().unwrap();
        drop(a);
        assert_eq!(b.engine().mode().unwrap(), EngineMode::Threaded);
        assert_eq!(b.to_vec::<f32>().unwrap(), [4.0; 1000]);
    }
}

#[test]
fn tensors_of_two_engines_do_not_meet() {
    everywhere(|engine, device| {
        let other = Engine::new().unwrap();
        let a = Tensor::zeros(engine, device, DType::F32, 2).unwrap();
        let b = Tensor::zeros(&other, device, DType::F32, 2).unwrap();
        for error in [a.add(&b).unwrap_err(), a.copy_into(&b).unwrap_err()] {
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{}", error);
            assert!(error.message().contains("engine"), "{}", error);
        }
        let error = engine.task("meet").reads(&a).writes(&b).submit(|_| Ok(())).unwrap_err();
        assert!(error.message().contains("engine"), "{}", error);
    });
}

#[test]
fn devices_are_named_counted_and_described() {
    assert_eq!(Device::count(DeviceKind::Cpu).unwrap(), 1);
    for device in devices() {
        assert_eq!(device.to_string().parse::<Device>().unwrap(), device);
        assert!(!device.info().unwrap().name.is_empty());
    }
    assert_eq!("cpu".parse::<Device>().unwrap(), Device::CPU);
    for wrong in ["gpu", "cuda:-1", "", "cpu:0\0"] {
        assert_eq!(wrong.parse::<Device>().unwrap_err().kind(), ErrorKind::InvalidArgument, "{:?}", wrong);
    }
    assert_eq!(Device::cuda(-1).to_string(), "Cuda:-1");
    assert_eq!(format!("{:>8}|", Device::CPU), "   cpu:0|");
    let engine = Engine::new().unwrap();
    let error = Tensor::zeros(&engine, Device::cuda(63), DType::F32, 1).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NotFound | ErrorKind::LibraryMissing), "{}", error);
}

#[test]
fn memory_is_limited_counted_and_returned() {
    everywhere(|engine, device| {
        engine.set_memory_limit(device, 1 << 20).unwrap();
        let a = Tensor::zeros(engine, device, DType::F32, 1000).unwrap();
        a.wait().unwrap();
        let info = engine.memory(device).unwrap();
        assert!(info.in_use >= 4000 && info.limit == 1 << 20 && info.allocations >= 1, "{:?}", info);
        let large = Tensor::zeros(engine, device, DType::F32, 1 << 20);
        let error = large.and_then(|tensor| tensor.wait()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfMemory, "{}", error);
        assert_eq!(a.to_vec::<f32>().unwrap(), [0.0; 1000]);
        drop(a);
        let _ = engine.wait_all();
        engine.trim_memory(device).unwrap();
        assert_eq!(engine.memory(device).unwrap().cached, 0);
    });
}

#[cfg(feature = "ndarray")]
#[test]
fn arrays_come_and_go_in_any_layout() {
    use ndarray::{arr0, Array3, Ix3};
    everywhere(|engine, device| {
        let array = Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (100 * i + 10 * j + k) as i32);
        let reversed = array.t();
        let tensor = Tensor::from_array(engine, device, &reversed).unwrap();
        assert_eq!(tensor.shape().unwrap(), [4, 3, 2]);
        assert_eq!(tensor.to_array::<i32>().unwrap().into_dimensionality::<Ix3>().unwrap(), reversed);
        assert_eq!(tensor.transpose().unwrap().to_array::<i32>().unwrap(), array.into_dyn());
        let scalar = Tensor::from_array(engine, device, &arr0(5.0f64)).unwrap();
        assert_eq!(scalar.to_array::<f64>().unwrap(), arr0(5.0).into_dyn());
        assert!(scalar.to_array::<f32>().is_err());
    });
}

#[test]
fn debug_texts_say_what_things_are() {
    let engine = Engine::new().unwrap();
    let a = Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 3]).unwrap();
    assert_eq!(format!("{:?}", a), "Tensor(f32 [2, 3] on cpu:0)");
    assert_eq!(format!("{:?}", a.shape().unwrap()), "[2, 3]");
    assert!(format!("{:?}", engine).starts_with("Engine(Async at 0x"));
    let variable = rondo::Variable::new(&engine).unwrap();
    assert_eq!(format!("{:?}", variable), "Variable(version 0)");
    let task = format!("{:?}", engine.task("load").reads(&a).writes(&variable));
    assert!(task.contains("name: \"load\"") && task.contains("reads: [Tensor(f32 [2, 3] on cpu:0)]"), "{}", task);
    let (graph, ()) = engine.record(|| a.fill(1.0)).unwrap();
    assert_eq!(format!("{:?}", graph), "Graph(1 task in 1 segment)");
}

#[test]
fn messages_recommend_what_a_rust_program_calls() {
    everywhere(|engine, device| {
        let (a, b) = (Tensor::zeros(engine, device, DType::F32, 3), Tensor::zeros(engine, device, DType::I8, 2));
        let (a, b) = (a.unwrap(), b.unwrap());
        let unwritten = Tensor::empty(engine, device, DType::F32, 3).unwrap();
        let (graph, _kept) = engine.record(|| unwritten.exp()).unwrap();
        let out = Tensor::empty(engine, device, DType::F32, 9).unwrap();
        let refusals = [
            (graph.launch().unwrap_err(), "Graph::launch", "Tensor::accept"),
            (a.logical_not().and_then(|c| c.softmax(0)).unwrap_err(), "Tensor::softmax", "Tensor::cast"),
            (
                (&b / &Tensor::zeros(engine, device, DType::F8E4m3, 2).unwrap()).unwrap_err(),
                "Tensor::div",
                "Tensor::cast",
            ),
            (a.exp().and_then(|c| c.add_into(1.0, &out)).unwrap_err(), "Tensor::add", "give none"),
            (engine.record(|| a.to_vec::<f32>()).unwrap_err(), "Tensor::read", "before the recording"),
            (engine.record_output(&a).unwrap_err(), "Engine::record_output", "Engine::record first"),
        ];
        for (error, called, recommended) in refusals {
            assert!(error.message().starts_with(called), "{}", error);
            assert!(error.message().contains(recommended), "{}", error);
            assert!(!error.message().contains("rondo_"), "{}", error);
        }
    });
}

#[test]
fn calls_from_threads_are_not_mixed_up() {
    everywhere(|engine, device| {
        let (model, ()) = engine
            .recording()
            .callable()
            .record(|| {
                let x = engine.record_input(device, DType::F32, 64)?;
                engine.record_output(&x.add(1)?.mul(2)?)?;
                engine.record_output(&x.neg()?)
            })
            .unwrap();
        assert_eq!((model.info().unwrap().inputs, model.info().unwrap().outputs), (1, 2));
        std::thread::scope(|threads| {
            for t in 0..4 {
                let model = &model;
                threads.spawn(move || {
                    for i in 20 * t..20 * t + 20 {
                        let x = Tensor::from_slice(engine, device, 64, &[i as f32; 64]).unwrap();
                        let answers = model.call(&[&x]).unwrap();
                        drop(x); // the call holds it
                        assert_eq!(answers[0].to_vec::<f32>().unwrap(), [2.0 * (i as f32 + 1.0); 64]);
                        assert_eq!(answers[1].to_vec::<f32>().unwrap(), [-(i as f32); 64]);
                    }
                });
            }
        });
        let x = Tensor::from_slice(engine, device, 64, &[1.0f32; 64]).unwrap();
        let y = Tensor::zeros(engine, device, DType::F32, 64).unwrap();
        let z = Tensor::zeros(engine, device, DType::F32, 64).unwrap();
        model.call_into(&[&x], &[&y, &z]).unwrap();
        assert_eq!(y.to_vec::<f32>().unwrap(), [4.0; 64]);
        let refusals = [
            (model.call(&[]).unwrap_err(), ErrorKind::InvalidArgument, "n_inputs"),
            (model.call_into(&[&x], &[&x, &z]).unwrap_err(), ErrorKind::InvalidArgument, "outputs[0]"),
            (model.launch().unwrap_err(), ErrorKind::InvalidState, "Graph::call"),
            (engine.record_input(device, DType::F32, 1).unwrap_err(), ErrorKind::InvalidState, "recording"),
        ];
        for (error, kind, word) in refusals {
            assert_eq!(error.kind(), kind, "{}", error);
            assert!(error.message().contains(word), "{}", error);
        }
    });
}
