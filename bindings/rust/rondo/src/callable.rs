//! Callables: functions that are recorded once for each signature of their inputs, and called as graphs.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::c_void;
use std::fmt;
use std::ptr::{null, null_mut, NonNull};

use rondo_sys as sys;

use crate::callback;
use crate::device::c_string;
use crate::error::check;
use crate::ops::length;
use crate::tape::handles;
use crate::tensor::Owned;
use crate::{failure, sites, Engine, Error, ErrorKind, Result, Tensor};

/// A function of tensors that is recorded once for each signature of its inputs (devices, dtypes, shapes, order of axes)
/// and then called as a graph. Made by [`Engine::callable`].
///
/// Under a [tape](crate::Tape) a call is one operator with a gradient: what goes forwards and what goes back are graphs of their
/// own. Tensors from outside that the closure uses are those of its recording.
///
/// ```
/// use rondo::{Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let w = Tensor::from_slice(&engine, Device::CPU, [2, 2], &[0.0f32, 1.0, 1.0, 0.0])?;
/// let weights = w.clone();
/// let layer = engine.callable(1, move |x| Ok(vec![x[0].matmul(&weights)?.square()?]))?;
/// let x = Tensor::from_slice(&engine, Device::CPU, [1, 2], &[3.0f32, 2.0])?;
/// for _ in 0..3 {
///     let tape = engine.tape(&[&w])?;
///     let y = layer.call(&[&x])?;
///     assert_eq!(y[0].to_vec::<f32>()?, [4.0, 9.0]);
///     let dw = tape.gradient(&y[0].sum(..)?, &w)?;
///     assert_eq!(dw.to_vec::<f32>()?, [12.0, 18.0, 8.0, 12.0]);
/// }
/// assert_eq!(layer.info()?.recordings, 1);
/// # Ok::<(), rondo::Error>(())
/// ```
#[doc(alias = "rondo_callable")]
pub struct Callable {
    handle: NonNull<sys::rondo_callable>,
    outputs: usize,
    engine: Engine, // after the handle: it may be the last of its engine
}

// SAFETY: every function on a callable is thread-safe, its closure too, and it is destroyed by its one owner.
unsafe impl Send for Callable {}
unsafe impl Sync for Callable {}

/// Options of a callable; made by [`Engine::callable_builder`].
#[derive(Clone, Copy, Debug)]
#[must_use = "build() makes the callable"]
pub struct CallableBuilder<'a> {
    engine: &'a Engine,
    name: Option<&'a str>,
    options: sys::rondo_callable_options,
}

/// Figures of a callable.
#[doc(alias = "rondo_callable_info")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallableInfo {
    /// Signatures that there are now.
    pub signatures: i64,
    /// Memory of their graphs, gradients' included, on devices and about that of the host.
    pub bytes: i64,
    /// What they may take; the graph called last stays even if it alone takes more.
    pub limit_bytes: i64,
    /// Calls so far, failed ones and those in recordings too.
    pub calls: i64,
    /// Calls that found a graph.
    pub hits: i64,
    /// Calls that recorded one.
    pub recordings: i64,
    /// Calls that ran eagerly for want of one.
    pub fallbacks: i64,
    /// Signatures that have gone for want of room.
    pub evictions: i64,
}

impl Engine {
    /// Makes a callable of a closure that gives as many tensors as `outputs` says. The closure must not wait for what it
    /// makes, nor write its inputs.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let double = engine.callable(1, |x| Ok(vec![x[0].mul(2.0)?]))?;
    /// for n in 1..5 {
    ///     let x = Tensor::from_slice(&engine, Device::CPU, n, &vec![1.5f32; n])?;
    ///     assert_eq!(double.call(&[&x])?[0].to_vec::<f32>()?, vec![3.0; n]);
    /// }
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) without outputs.
    #[track_caller]
    pub fn callable<F>(&self, outputs: usize, function: F) -> Result<Callable>
    where
        F: Fn(&[&Tensor]) -> Result<Vec<Tensor>> + Send + Sync + 'static,
    {
        self.callable_builder().build(outputs, function)
    }

    /// A callable with options.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let double = engine.callable_builder().name("double").pad(0, &[4, 8]).build(1, |x| Ok(vec![x[0].mul(2.0)?]))?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 3, &[1.0f32, 2.0, 3.0])?;
    /// assert_eq!(double.call(&[&x])?[0].to_vec::<f32>()?, [2.0, 4.0, 6.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn callable_builder(&self) -> CallableBuilder<'_> {
        CallableBuilder { engine: self, name: None, options: sys::RONDO_CALLABLE_OPTIONS_INIT }
    }
}

impl<'a> CallableBuilder<'a> {
    /// For messages, reports and traces.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let builder = engine.callable_builder().name("step");
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn name(mut self, name: &'a str) -> Self {
        self.name = Some(name);
        self
    }

    /// Memory that its graphs may take together, temporaries included; those that were not called for longest go. 256 MiB
    /// unless it is said.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let builder = engine.callable_builder().limit_bytes(64 << 20);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn limit_bytes(mut self, bytes: i64) -> Self {
        self.options.limit_bytes = bytes;
        self
    }

    /// How many calls of one signature may overlap, as of [`RecordingBuilder::arenas`](crate::RecordingBuilder::arenas).
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let builder = engine.callable_builder().arenas(2);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn arenas(mut self, arenas: i32) -> Self {
        self.options.arenas = arenas;
        self
    }

    /// What cannot be recorded runs eagerly, with the same results; [`Callable::report`] says why.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let builder = engine.callable_builder().fall_back();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn fall_back(mut self) -> Self {
        self.options.flags |= sys::RONDO_CALLABLE_FALL_BACK;
        self
    }

    /// Graphs keep all that was recorded as it was: no pass changes it.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let builder = engine.callable_builder().as_written();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn as_written(mut self) -> Self {
        self.options.flags |= sys::RONDO_CALLABLE_AS_WRITTEN;
        self
    }

    /// Graphs are recorded with [`RecordingBuilder::fewer_roundings`](crate::RecordingBuilder::fewer_roundings).
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let builder = engine.callable_builder().fewer_roundings();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    #[doc(alias = "RONDO_CALLABLE_FEWER_ROUNDINGS")]
    pub fn fewer_roundings(mut self) -> Self {
        self.options.flags |= sys::RONDO_CALLABLE_FEWER_ROUNDINGS;
        self
    }

    /// Inputs are filled up with zeros along an axis to the next of these sizes, at most 16 that ascend, and outputs are cut back.
    /// What is longer stays as it is.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let builder = engine.callable_builder().pad(0, &[8, 16, 32]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn pad(mut self, axis: i32, sizes: &[i64]) -> Self {
        set_padding(&mut self.options, axis, sizes);
        self
    }

    /// Which inputs and outputs have the axis that is filled up, as masks; 0: inputs of so many axes, and outputs in which it
    /// comes out with the size that was filled up to.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let builder = engine.callable_builder().pad(1, &[8, 16]).padded(0b01, 0);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn padded(mut self, inputs: u64, outputs: u64) -> Self {
        self.options.pad_inputs = inputs;
        self.options.pad_outputs = outputs;
        self
    }

    /// Makes the callable, of a closure that gives as many tensors as `outputs` says.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let square = engine.callable_builder().name("square").build(1, |x| Ok(vec![x[0].square()?]))?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for options that are not possible, and without outputs.
    #[doc(alias = "rondo_callable_create")]
    #[track_caller]
    pub fn build<F>(self, outputs: usize, function: F) -> Result<Callable>
    where
        F: Fn(&[&Tensor]) -> Result<Vec<Tensor>> + Send + Sync + 'static,
    {
        let name = self.name.map(|name| c_string("callable", "name", name)).transpose()?;
        let mut options = self.options;
        options.name = name.as_ref().map_or(null(), |name| name.as_ptr());
        let count = i32::try_from(outputs).unwrap_or(-1);
        let body = Box::into_raw(Box::new(Body { function, engine: self.engine.clone() }));
        let mut handle = null_mut();
        // SAFETY: `call` and `destroy` are those of this type of closure, which the library gives back once.
        check(unsafe {
            sys::rondo_callable_create(
                self.engine.as_ptr(),
                count,
                &options,
                Some(call::<F>),
                body.cast(),
                Some(destroy::<F>),
                &mut handle,
            )
        })?;
        Ok(Callable { handle: crate::tensor::made(handle), outputs, engine: self.engine.clone() })
    }
}

impl Callable {
    pub(crate) fn adopt(handle: *mut sys::rondo_callable, outputs: usize, engine: &Engine) -> Callable {
        Callable { handle: crate::tensor::made(handle), outputs, engine: engine.clone() }
    }

    /// Calls it; its results are new tensors. Does not wait for devices. The first call of a signature records and
    /// compiles; in a recording the closure is called, and its operators are recorded as any others.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let both = engine.callable(2, |x| Ok(vec![x[0].add(x[1])?, x[0].sub(x[1])?]))?;
    /// let (a, b) = (Tensor::from_slice(&engine, Device::CPU, 1, &[5i64])?, Tensor::from_slice(&engine, Device::CPU, 1, &[3i64])?);
    /// let made = both.call(&[&a, &b])?;
    /// assert_eq!((made[0].item::<i64>()?, made[1].item::<i64>()?), (8, 2));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What the closure returns, which panics on if it did;
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for tensors that do not fit;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) in a task for what was not recorded yet, for inputs that were never
    /// written, and for closures that cannot be recorded.
    #[doc(alias = "rondo_callable_call")]
    #[track_caller]
    pub fn call(&self, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
        let mut made = vec![null_mut(); self.outputs];
        self.call_raw(inputs, &mut made)?;
        Ok(made.into_iter().map(|each| Tensor::adopt(each, &self.engine)).collect())
    }

    /// The same into tensors that are there, which share no memory with the inputs or with each other.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let double = engine.callable(1, |x| Ok(vec![x[0].mul(2.0)?]))?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// let y = Tensor::zeros(&engine, Device::CPU, DType::F32, 2)?;
    /// double.call_into(&[&x], &[&y])?;
    /// assert_eq!(y.to_vec::<f32>()?, [2.0, 4.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Callable::call`].
    #[track_caller]
    pub fn call_into(&self, inputs: &[&Tensor], outputs: &[&Tensor]) -> Result<()> {
        self.call_raw(inputs, &mut handles(outputs))
    }

    #[track_caller]
    fn call_raw(&self, inputs: &[&Tensor], outputs: &mut [*mut sys::rondo_tensor]) -> Result<()> {
        let (given, n, made) = (handles(inputs), length(inputs), length(outputs));
        // SAFETY: as many handles as the lengths say.
        failure::hear(|| unsafe {
            sys::rondo_callable_call(self.as_ptr(), n, given.as_ptr(), made, outputs.as_mut_ptr())
        })
    }

    /// Lets go of all graphs; calls in flight and tapes keep what they need. Later calls record anew.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// # let double = engine.callable(1, |x| Ok(vec![x[0].mul(2.0)?]))?;
    /// double.clear()?;
    /// assert_eq!(double.info()?.signatures, 0);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the callable lives.
    #[doc(alias = "rondo_callable_clear")]
    #[track_caller]
    pub fn clear(&self) -> Result<()> {
        check(unsafe { sys::rondo_callable_clear(self.as_ptr()) })
    }

    /// Figures of the callable.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// # let double = engine.callable(1, |x| Ok(vec![x[0].mul(2.0)?]))?;
    /// assert_eq!(double.info()?.calls, 0);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the callable lives.
    #[doc(alias = "rondo_callable_query")]
    #[track_caller]
    pub fn info(&self) -> Result<CallableInfo> {
        let mut info = sys::RONDO_CALLABLE_INFO_INIT;
        check(unsafe { sys::rondo_callable_query(self.as_ptr(), &mut info) })?;
        Ok(CallableInfo {
            signatures: info.signatures,
            bytes: info.bytes,
            limit_bytes: info.limit_bytes,
            calls: info.calls,
            hits: info.hits,
            recordings: info.recordings,
            fallbacks: info.fallbacks,
            evictions: info.evictions,
        })
    }

    /// A report for people: the figures, each signature, and why what runs eagerly was not recorded.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// # let double = engine.callable_builder().name("double").build(1, |x| Ok(vec![x[0].mul(2.0)?]))?;
    /// assert!(double.report()?.contains("callable 'double': 0 signatures"));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the callable lives.
    #[doc(alias = "rondo_callable_report")]
    #[track_caller]
    pub fn report(&self) -> Result<String> {
        // SAFETY: writes at most as many bytes as there are.
        crate::graph::read_report(|text, capacity, length| unsafe {
            sys::rondo_callable_report(self.as_ptr(), text, capacity, length)
        })
    }

    /// The engine it belongs to.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// # let double = engine.callable(1, |x| Ok(vec![x[0].mul(2.0)?]))?;
    /// double.engine().wait_all()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The handle of the C interface, borrowed: it lives as long as this callable.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// # let double = engine.callable(1, |x| Ok(vec![x[0].mul(2.0)?]))?;
    /// assert!(!double.as_ptr().is_null());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    #[inline]
    pub fn as_ptr(&self) -> *mut sys::rondo_callable {
        self.handle.as_ptr()
    }
}

impl Drop for Callable {
    fn drop(&mut self) {
        // SAFETY: the one owner of the handle.
        unsafe { sys::rondo_callable_destroy(self.as_ptr()) }
    }
}

impl fmt::Debug for Callable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.info() {
            Ok(info) => write!(f, "Callable({} signatures, {} calls)", info.signatures, info.calls),
            Err(error) => write!(f, "Callable({})", error),
        }
    }
}

struct Body<F> {
    function: F,
    engine: Engine,
}

pub(crate) fn set_padding(options: &mut sys::rondo_callable_options, axis: i32, sizes: &[i64]) {
    options.pad_axis = axis;
    // One too many is refused: it would not be larger than the one before.
    let room = options.pad_sizes.len();
    for (slot, size) in options.pad_sizes.iter_mut().zip(sizes) {
        *slot = *size;
    }
    if sizes.len() > room {
        options.pad_sizes[room - 1] = -1;
    }
}

unsafe extern "C" fn call<F>(
    body: *mut c_void,
    n_inputs: i32,
    inputs: *const *mut sys::rondo_tensor,
    n_outputs: i32,
    outputs: *mut *mut sys::rondo_tensor,
) -> sys::rondo_status
where
    F: Fn(&[&Tensor]) -> Result<Vec<Tensor>>,
{
    // SAFETY: what `build` gave, which lives until `destroy`, and as many handles as are said; a slice of none has no
    // address.
    let (body, given, slots) = unsafe {
        (
            &*body.cast::<Body<F>>(),
            if n_inputs == 0 { &[] } else { std::slice::from_raw_parts(inputs, n_inputs as usize) },
            std::slice::from_raw_parts_mut(outputs, n_outputs as usize),
        )
    };
    let made = failure::tell(|| {
        sites::begun();
        // Handles of their own: the closure may keep clones of what it is given, and the library destroys its own.
        let given = given.iter().map(|&handle| Tensor::share_of(handle, &body.engine)).collect::<Result<Vec<_>>>()?;
        let tensors: Vec<&Tensor> = given.iter().collect();
        let made = (body.function)(&tensors)?;
        if made.len() != slots.len() {
            let text = format!("the closure gives {} tensors; the callable was made with {}", made.len(), slots.len());
            return Err(Error::new(ErrorKind::UserError, text));
        }
        // What the closure gives of its inputs is a clone, and gets a handle of its own.
        drop(tensors);
        made.into_iter().map(Owned::new).collect::<Result<Vec<_>>>()
    });
    match made {
        Ok(made) => {
            for (slot, tensor) in slots.iter_mut().zip(made) {
                *slot = tensor.into_handle();
            }
            sys::RONDO_OK
        }
        Err(status) => status,
    }
}

unsafe extern "C" fn destroy<F>(body: *mut c_void) {
    // SAFETY: what `build` gave, given back once. A panic of the closure's own drop goes no further.
    let _ = callback::guard(|| drop(unsafe { Box::from_raw(body.cast::<Body<F>>()) }));
}
