//! Tensors handed out and taken in by DLPack.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
mod common;

use std::os::raw::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use common::everywhere;
use rondo::dlpack::{DLDataType, DLDevice, DLManagedTensorVersioned, DLPackVersion, DLTensor};
use rondo::{DType, Device, DeviceKind, Engine, Tensor};

#[test]
fn what_is_handed_out_comes_back_on_the_same_memory() {
    everywhere(|engine, device| {
        let a = Tensor::from_slice(engine, device, [2, 3], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let given = a.transpose().unwrap().to_dlpack().unwrap();
        let tensor = given.tensor();
        assert_eq!((given.shape(), tensor.ndim), (&[3i64, 2][..], 2));
        assert_eq!(tensor.dtype, DLDataType { code: 2, bits: 32, lanes: 1 });
        let kind = if device.kind == DeviceKind::Cpu { 1 } else { 2 };
        assert_eq!(tensor.device, DLDevice { device_type: kind, device_id: 0 });
        // SAFETY: made by Rondo; a and b are ordered by waits.
        let b = unsafe { Tensor::from_dlpack(engine, given.into_raw()) }.unwrap();
        b.fill(7.0).unwrap();
        b.wait().unwrap();
        assert_eq!(a.to_vec::<f32>().unwrap(), [7.0; 6]);
        let given = a.to_dlpack_v0().unwrap();
        assert_eq!(given.shape(), [2, 3]);
        assert!(format!("{:?}", given).contains("DLTensor"));
        drop((a, b));
        // SAFETY: made by Rondo, and the only one on its memory now.
        let c = unsafe { Tensor::from_dlpack_v0(engine, given.into_raw(), null_mut()) }.unwrap();
        assert_eq!(c.to_vec::<f32>().unwrap(), [7.0; 6]);
        let scalar = Tensor::zeros(engine, device, DType::Bool, ()).unwrap();
        assert_eq!(scalar.to_dlpack().unwrap().shape(), []);
        assert!(scalar.broadcast(3).unwrap().to_dlpack_v0().is_err());
    });
}

#[test]
fn a_description_without_sizes_has_no_shape() {
    let mut tensor = DLTensor {
        data: null_mut(),
        device: DLDevice { device_type: 1, device_id: 0 },
        ndim: 4,
        dtype: DLDataType { code: 2, bits: 32, lanes: 1 },
        shape: null_mut(),
        strides: null_mut(),
        byte_offset: 0,
    };
    let mut sizes = [3i64, 2];
    // SAFETY: null, or as many sizes as are said.
    unsafe {
        assert_eq!(tensor.shape(), []);
        tensor.shape = sizes.as_mut_ptr();
        for (ndim, shape) in [(2, &[3i64, 2][..]), (1, &[3]), (0, &[]), (-1, &[]), (i32::MIN, &[])] {
            tensor.ndim = ndim;
            assert_eq!(tensor.shape(), shape);
        }
    }
}

/// Memory of somebody else, with a count of its deletions.
struct Foreign {
    managed: DLManagedTensorVersioned,
    shape: [i64; 1],
    data: Vec<f32>,
    deleted: Arc<AtomicUsize>,
}

unsafe extern "C" fn delete(managed: *mut DLManagedTensorVersioned) {
    // SAFETY: made by `foreign`, given back once.
    let foreign = unsafe { Box::from_raw((*managed).manager_ctx.cast::<Foreign>()) };
    foreign.deleted.fetch_add(1, Ordering::SeqCst);
}

fn foreign(deleted: &Arc<AtomicUsize>, major: u32) -> *mut DLManagedTensorVersioned {
    let mut foreign = Box::new(Foreign {
        managed: DLManagedTensorVersioned {
            version: DLPackVersion { major, minor: 0 },
            manager_ctx: null_mut(),
            deleter: Some(delete),
            flags: 0,
            dl_tensor: DLTensor {
                data: null_mut(),
                device: DLDevice { device_type: 1, device_id: 0 },
                ndim: 1,
                dtype: DLDataType { code: 2, bits: 32, lanes: 1 },
                shape: null_mut(),
                strides: null_mut(),
                byte_offset: 0,
            },
        },
        shape: [3],
        data: vec![1.0, 2.0, 3.0],
        deleted: Arc::clone(deleted),
    });
    foreign.managed.dl_tensor.data = foreign.data.as_mut_ptr().cast::<c_void>();
    foreign.managed.dl_tensor.shape = foreign.shape.as_mut_ptr();
    let foreign = Box::into_raw(foreign);
    // SAFETY: just made.
    unsafe {
        (*foreign).managed.manager_ctx = foreign.cast();
        &mut (*foreign).managed
    }
}

#[test]
fn foreign_memory_is_used_and_deleted_once() {
    let deleted = Arc::new(AtomicUsize::new(0));
    let engine = Engine::new().unwrap();
    // SAFETY: `foreign` keeps its memory until it is deleted, and nobody else uses it.
    let a = unsafe { Tensor::from_dlpack(&engine, foreign(&deleted, 1)) }.unwrap();
    assert_eq!((a.device().unwrap(), a.to_vec::<f32>().unwrap()), (Device::CPU, vec![1.0, 2.0, 3.0]));
    let b = a.square().unwrap();
    drop(a);
    assert_eq!(b.to_vec::<f32>().unwrap(), [1.0, 4.0, 9.0]);
    engine.wait_all().unwrap();
    drop((b, engine));
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
}

#[test]
fn what_is_refused_stays_with_the_caller() {
    let deleted = Arc::new(AtomicUsize::new(0));
    let engine = Engine::new().unwrap();
    let managed = foreign(&deleted, 9);
    // SAFETY: as above.
    let error = unsafe { Tensor::from_dlpack(&engine, managed) }.unwrap_err();
    assert!(error.message().contains("version"), "{}", error);
    assert_eq!(deleted.load(Ordering::SeqCst), 0);
    // SAFETY: it is still ours.
    unsafe { delete(managed) };
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
}
