//! The memory of a task's operands as slices, of which no two overlap where one may be written.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::cell::RefCell;
use std::ops::Range;
use std::ptr::NonNull;

use crate::{Device, Element, Error, ErrorKind, Operand, Result};

/// Those that were given. Belongs to a run of a task, and lives no longer than the memory is the task's.
#[derive(Debug, Default)]
pub(crate) struct Slices(RefCell<Vec<Given>>);

/// A slice that the body has: from where to where, and whether it may be written.
#[derive(Debug)]
struct Given {
    bytes: Range<usize>,
    writable: bool,
}

impl Slices {
    /// Whether some were given.
    pub(crate) fn any(&self) -> bool {
        !self.0.borrow().is_empty()
    }

    /// The elements of an operand that the task reads, its input `index`.
    pub(crate) fn read<T: Element>(
        &self,
        function: &str,
        device: Device,
        operand: &Operand,
        index: usize,
    ) -> Result<&[T]> {
        let (first, count) = self.give::<T>(function, device, operand, false)?;
        // SAFETY: `give` has looked at all that; nobody writes what a running task reads.
        let bytes = unsafe { std::slice::from_raw_parts(first.cast::<u8>(), count * std::mem::size_of::<T>()) };
        if !T::valid(bytes) {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!("{}: input {} has bytes that are no {}", function, index, T::DTYPE),
            ));
        }
        // SAFETY: the same bytes, each value of which is one of the type.
        Ok(unsafe { std::slice::from_raw_parts(first, count) })
    }

    /// The elements of an operand that the task writes: as they were where the task reads them too, else zeros, because
    /// nothing may have written them before.
    #[allow(clippy::mut_from_ref)] // `give` refuses to give the same place twice
    pub(crate) fn write<T: Element>(
        &self,
        function: &str,
        device: Device,
        operand: &Operand,
        reads: &[Operand],
    ) -> Result<&mut [T]> {
        let (first, count) = self.give::<T>(function, device, operand, true)?;
        let place = operand.bytes();
        let kept = reads.iter().map(Operand::bytes).any(|read| read.start < place.end && place.start < read.end);
        // SAFETY: `give` has looked at all that; nobody else uses what a running task writes. Zeros are values of every type
        // of element, and what was there is made valid.
        unsafe {
            if kept {
                T::normalise(std::slice::from_raw_parts_mut(first.cast::<u8>(), count * std::mem::size_of::<T>()));
            } else {
                first.write_bytes(0, count);
            }
            Ok(std::slice::from_raw_parts_mut(first, count))
        }
    }

    /// First element and number of elements of an operand that may be a slice, noted as given to the body.
    fn give<T: Element>(
        &self,
        function: &str,
        device: Device,
        operand: &Operand,
        writable: bool,
    ) -> Result<(*mut T, usize)> {
        let info = &operand.info;
        let refuse = |kind, why: String| Err(Error::new(kind, format!("{}: {}", function, why)));
        if device != Device::CPU || info.device != Device::CPU {
            let why = "slices are of tensors on cpu:0 in host functions; elsewhere there are addresses";
            return refuse(
                ErrorKind::InvalidArgument,
                format!("the task is on {}, the tensor on {}: {}", device, info.device, why),
            );
        }
        if info.dtype != T::DTYPE {
            return refuse(
                ErrorKind::InvalidArgument,
                format!("the tensor is {} and the elements are {}", info.dtype, T::DTYPE),
            );
        }
        if !info.contiguous {
            let why = format!("the tensor has strides {:?}; a slice has no gaps: go by the address", info.strides);
            return refuse(ErrorKind::InvalidArgument, why);
        }
        if info.elements == 0 {
            return Ok((NonNull::dangling().as_ptr(), 0));
        }
        let start = operand.address as usize;
        if start % std::mem::align_of::<T>() != 0 {
            return refuse(
                ErrorKind::InvalidArgument,
                format!("the tensor is at {:#x}, which is not aligned for {}", start, T::DTYPE),
            );
        }
        let bytes = start..start + info.bytes;
        let mut given = self.0.borrow_mut();
        let overlaps = |other: &Given| other.bytes.start < bytes.end && bytes.start < other.bytes.end;
        if given.iter().any(|other| overlaps(other) && (writable || other.writable)) {
            return refuse(
                ErrorKind::InvalidState,
                "a slice of the same memory was given already, and one of both may be written".into(),
            );
        }
        given.push(Given { bytes, writable });
        Ok((operand.address.cast(), info.elements))
    }
}
