//! Tapes: gradients of what operators computed.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ptr::{null, null_mut, NonNull};

use rondo_sys as sys;

use crate::device::c_string;
use crate::error::check;
use crate::ops::length;

use crate::tensor::{made, Owned};
use crate::{callback, failure, Engine, Error, ErrorKind, Result, Tensor};

/// Notes the operators of this thread, as far as they depend on tensors it watches, and gives gradients: operators again,
/// which are run, or kept where a [recording](Engine::record) is open. So forward, gradients and update can be one graph.
///
/// A tape notes from [`Engine::tape`] until its gradients are asked for, unless it [keeps](Engine::keeping_tape), or until
/// [`Tape::end`]. It stays on its thread. Tapes nest: an outer one also notes the operators of an inner one's gradients,
/// which gives gradients of gradients.
///
/// ```
/// use rondo::{Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let w = Tensor::from_slice(&engine, Device::CPU, 3, &[1.0f32, 2.0, 3.0])?;
/// let tape = engine.tape(&[&w])?;
/// let loss = w.square()?.sum(..)?;
/// let gradients = tape.gradients(&loss, &[&w])?;
/// assert_eq!(gradients[0].to_vec::<f32>()?, [2.0, 4.0, 6.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
#[doc(alias = "rondo_tape")]
#[must_use = "dropping it ends the noting"]
pub struct Tape {
    handle: NonNull<sys::rondo_tape>,
    engine: Engine,                 // after the handle: it may be the last of its engine
    thread: PhantomData<*const ()>, // neither Send nor Sync
}

impl Engine {
    /// Begins a tape on this thread that watches these tensors.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f64, 2.0])?;
    /// let tape = engine.tape(&[&x])?;
    /// let dx = tape.gradient(&x.exp()?.sum(..)?, &x)?;
    /// assert_eq!(dx.to_vec::<f64>()?, x.exp()?.to_vec::<f64>()?);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a tensor that is no float or of another engine.
    #[doc(alias = "rondo_tape_begin")]
    #[track_caller]
    pub fn tape(&self, watched: &[&Tensor]) -> Result<Tape> {
        self.begin_tape(sys::RONDO_TAPE_DEFAULT, watched)
    }

    /// The same, but what was noted stays, so that gradients may be asked for more than once.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, (), &[3.0f64])?;
    /// let tape = engine.keeping_tape(&[&x])?;
    /// let (y, z) = (x.square()?, x.mul(5.0)?);
    /// assert_eq!(tape.gradient(&y, &x)?.item::<f64>()?, 6.0);
    /// assert_eq!(tape.gradient(&z, &x)?.item::<f64>()?, 5.0);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Engine::tape`].
    #[doc(alias = "RONDO_TAPE_KEEP")]
    #[track_caller]
    pub fn keeping_tape(&self, watched: &[&Tensor]) -> Result<Tape> {
        self.begin_tape(sys::RONDO_TAPE_KEEP, watched)
    }

    #[track_caller]
    fn begin_tape(&self, flags: u32, watched: &[&Tensor]) -> Result<Tape> {
        let mut handle = null_mut();
        check(unsafe { sys::rondo_tape_begin(self.as_ptr(), flags, &mut handle) })?;
        let tape = Tape { handle: made(handle), engine: self.clone(), thread: PhantomData };
        watched.iter().try_for_each(|tensor| tape.watch(tensor))?;
        Ok(tape)
    }
}

pub(crate) fn handles(tensors: &[&Tensor]) -> Vec<*mut sys::rondo_tensor> {
    tensors.iter().map(|tensor| tensor.as_ptr()).collect()
}

impl Tape {
    /// Gradients may be asked for with respect to this tensor: to what it holds now.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, (), &[3.0f64])?;
    /// let tape = engine.tape(&[&x])?;
    /// let y = x.square()?;
    /// tape.watch(&y)?;
    /// assert_eq!(tape.gradient(&y.square()?, &y)?.item::<f64>()?, 18.0);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a tensor that is no float or of another engine;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) once the tape has ended.
    #[doc(alias = "rondo_tape_watch")]
    #[track_caller]
    pub fn watch(&self, tensor: &Tensor) -> Result<()> {
        check(unsafe { sys::rondo_tape_watch(self.as_ptr(), tensor.as_ptr()) })
    }

    /// Ends the noting; gradients may still be asked for.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let x = Tensor::from_slice(&engine, Device::CPU, (), &[3.0f64])?;
    /// let tape = engine.tape(&[&x])?;
    /// let y = x.square()?;
    /// tape.end()?;
    /// let _unseen = y.exp()?;
    /// assert_eq!(tape.info()?.nodes, 1);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the tape lives.
    #[doc(alias = "rondo_tape_end")]
    #[track_caller]
    pub fn end(&self) -> Result<()> {
        check(unsafe { sys::rondo_tape_end(self.as_ptr()) })
    }

    /// The gradient of an output of one element with respect to one source.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, -1.0])?;
    /// let tape = engine.tape(&[&x])?;
    /// assert_eq!(tape.gradient(&x.relu()?.sum(..)?, &x)?.to_vec::<f32>()?, [1.0, 0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the source is not watched, or the output depends
    /// on nothing that is; [`InvalidState`](crate::ErrorKind::InvalidState) where a value that is needed was written
    /// since, or for a second time without [`Engine::keeping_tape`]; [`Unsupported`](crate::ErrorKind::Unsupported)
    /// where something between them has no gradient.
    #[doc(alias = "backward")]
    #[track_caller]
    pub fn gradient(&self, output: &Tensor, source: &Tensor) -> Result<Tensor> {
        Ok(self.gradients(output, &[source])?.remove(0))
    }

    /// The gradients of an output of one element with respect to watched tensors, or views of them.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, (), &[3.0f32])?;
    /// let b = Tensor::from_slice(&engine, Device::CPU, (), &[4.0f32])?;
    /// let tape = engine.tape(&[&a, &b])?;
    /// let gradients = tape.gradients(&a.mul(&b)?, &[&a, &b])?;
    /// assert_eq!((gradients[0].item::<f32>()?, gradients[1].item::<f32>()?), (4.0, 3.0));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tape::gradient`].
    #[doc(alias = "rondo_tape_gradients")]
    #[track_caller]
    pub fn gradients(&self, output: &Tensor, sources: &[&Tensor]) -> Result<Vec<Tensor>> {
        self.new_gradients(&[output], None, sources)
    }

    /// The sum of several outputs' gradients, each output with a gradient of its own.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// let weights = Tensor::from_slice(&engine, Device::CPU, 2, &[10.0f32, 100.0])?;
    /// let tape = engine.tape(&[&x])?;
    /// let dx = tape.gradients_of(&[(&x.square()?, &weights)], &[&x])?;
    /// assert_eq!(dx[0].to_vec::<f32>()?, [20.0, 400.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tape::gradient`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where a gradient has not its
    /// output's shape and dtype.
    #[track_caller]
    pub fn gradients_of(&self, outputs: &[(&Tensor, &Tensor)], sources: &[&Tensor]) -> Result<Vec<Tensor>> {
        let (outputs, given): (Vec<_>, Vec<_>) = outputs.iter().copied().unzip();
        self.new_gradients(&outputs, Some(&given), sources)
    }

    /// The same as [`gradients`](Tape::gradients) into tensors that are there, one per source: written, or added to where
    /// it is an [accumulator](Tensor::accumulator).
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// let sum = Tensor::from_slice(&engine, Device::CPU, 2, &[100.0f32, 100.0])?;
    /// let tape = engine.tape(&[&x])?;
    /// tape.gradients_into(&x.square()?.sum(..)?, &[&x], &[&sum.accumulator()?])?;
    /// assert_eq!(sum.to_vec::<f32>()?, [102.0, 104.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tape::gradient`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where a tensor that is to be
    /// written does not fit.
    #[track_caller]
    pub fn gradients_into(&self, output: &Tensor, sources: &[&Tensor], into: &[&Tensor]) -> Result<()> {
        if sources.len() != into.len() {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!("Tape::gradients_into: into has {} tensors for {} sources", into.len(), sources.len()),
            ));
        }
        self.call(&[output], None, sources, &mut handles(into))
    }

    #[track_caller]
    fn new_gradients(
        &self,
        outputs: &[&Tensor],
        given: Option<&[&Tensor]>,
        sources: &[&Tensor],
    ) -> Result<Vec<Tensor>> {
        let mut gradients = vec![null_mut(); sources.len()];
        self.call(outputs, given, sources, &mut gradients)?;
        Ok(gradients.into_iter().map(|handle| Tensor::adopt(handle, &self.engine)).collect())
    }

    #[track_caller]
    fn call(
        &self,
        outputs: &[&Tensor],
        given: Option<&[&Tensor]>,
        sources: &[&Tensor],
        gradients: &mut [*mut sys::rondo_tensor],
    ) -> Result<()> {
        let given = given.map(handles);
        // SAFETY: as many handles as the lengths say.
        failure::hear(|| unsafe {
            sys::rondo_tape_gradients(
                self.as_ptr(),
                length(outputs),
                handles(outputs).as_ptr(),
                given.as_ref().map_or(null(), |list| list.as_ptr()),
                length(sources),
                handles(sources).as_ptr(),
                gradients.as_mut_ptr(),
            )
        })
    }

    /// Figures of the tape.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::zeros(&engine, Device::CPU, rondo::DType::F32, 1000)?;
    /// let tape = engine.tape(&[&x])?;
    /// let _y = x.add(1.0)?.tanh()?; // the gradient of tanh needs its result, that of a sum nothing
    /// let info = tape.info()?;
    /// assert_eq!((info.open, info.nodes, info.kept_bytes), (true, 2, 4000));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the tape lives.
    #[doc(alias = "rondo_tape_query")]
    #[track_caller]
    pub fn info(&self) -> Result<TapeInfo> {
        let mut info = sys::RONDO_TAPE_INFO_INIT;
        check(unsafe { sys::rondo_tape_query(self.as_ptr(), &mut info) })?;
        Ok(TapeInfo { open: info.open != 0, nodes: info.nodes, kept_bytes: info.kept_bytes })
    }

    /// The handle of the C interface, borrowed: it lives as long as this tape.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// assert!(!engine.tape(&[])?.as_ptr().is_null());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn as_ptr(&self) -> *mut sys::rondo_tape {
        self.handle.as_ptr()
    }
}

impl Drop for Tape {
    fn drop(&mut self) {
        // SAFETY: the one owner of the handle.
        unsafe { sys::rondo_tape_destroy(self.as_ptr()) }
    }
}

impl fmt::Debug for Tape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.info() {
            Ok(info) => write!(f, "Tape({} operators, {} bytes kept)", info.nodes, info.kept_bytes),
            Err(error) => write!(f, "Tape({})", error),
        }
    }
}

/// What [`Tape::info`] tells.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TapeInfo {
    /// Whether it notes operators.
    pub open: bool,
    /// Operators noted and not yet gone back over.
    pub nodes: i32,
    /// Memory whose contents it keeps for them.
    pub kept_bytes: i64,
}

/// Runs a closure whose operators no tape of this thread notes: their results are constants.
///
/// ```
/// use rondo::{no_gradients, Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let x = Tensor::from_slice(&engine, Device::CPU, (), &[3.0f32])?;
/// let tape = engine.tape(&[&x])?;
/// let constant = no_gradients(|| x.square())?;
/// assert_eq!(tape.gradient(&x.mul(&constant)?, &x)?.item::<f32>()?, 9.0);
/// # Ok::<(), rondo::Error>(())
/// ```
#[doc(alias = "rondo_tape_pause")]
#[doc(alias = "rondo_tape_resume")]
pub fn no_gradients<R>(body: impl FnOnce() -> R) -> R {
    struct Paused;
    impl Drop for Paused {
        fn drop(&mut self) {
            // SAFETY: on the thread that paused.
            unsafe { sys::rondo_tape_resume() };
        }
    }
    // SAFETY: never fails.
    unsafe { sys::rondo_tape_pause() };
    let _paused = Paused;
    body()
}

/// Says to the open tapes of this thread that the outputs were computed from the inputs, and what the gradient of that is:
/// the closure gets the gradients of the outputs and gives those of the inputs, `None` for zero. What was noted of how the
/// outputs were computed counts no more.
///
/// ```
/// use rondo::{custom_gradient, Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let x = Tensor::from_slice(&engine, Device::CPU, (), &[-3.0f32])?;
/// let tape = engine.tape(&[&x])?;
/// let y = x.round()?; // has no gradient: take that of the identity
/// custom_gradient("straight_through", &[&x], &[&y], |dy| Ok(vec![Some(dy[0].add(0.0)?)]))?;
/// assert_eq!(tape.gradient(&y.mul(2.0)?, &x)?.item::<f32>()?, 2.0);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// In a [callable](Engine::callable) any thread that asks for its gradients calls the closure, and any may let go of it:
///
/// ```compile_fail
/// # let (engine, scale) = (rondo::Engine::new()?, std::rc::Rc::new(3.0));
/// # let x = rondo::Tensor::ones(&engine, rondo::Device::CPU, rondo::DType::F32, 1)?;
/// # let y = x.round()?;
/// rondo::custom_gradient("scaled", &[&x], &[&y], move |dy| Ok(vec![Some(dy[0].mul(*scale)?)]))?; // an Rc stays on its thread
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) without inputs or outputs, for more than 31, and for those
/// of several engines. What the closure fails with, an error or a panic, is what asking for the gradients fails with.
#[doc(alias = "rondo_tape_custom")]
#[track_caller]
pub fn custom_gradient<F>(name: &str, inputs: &[&Tensor], outputs: &[&Tensor], gradient: F) -> Result<()>
where
    F: Fn(&[&Tensor]) -> Result<Vec<Option<Tensor>>> + Send + Sync + 'static,
{
    let c_name = c_string("custom_gradient", "name", name)?;
    let engine = match inputs.first() {
        Some(tensor) => tensor.engine().clone(),
        None => {
            return Err(Error::new(ErrorKind::InvalidArgument, "custom_gradient: inputs is empty; give at least one"))
        }
    };
    let body = Box::into_raw(Box::new(Body { name: name.to_owned(), gradient, engine }));
    // SAFETY: `call` and `destroy` are those of this type of body, which the library gives back once.
    check(unsafe {
        sys::rondo_tape_custom(
            c_name.as_ptr(),
            length(inputs),
            handles(inputs).as_ptr(),
            length(outputs),
            handles(outputs).as_ptr(),
            Some(call::<F>),
            body.cast(),
            Some(destroy::<F>),
        )
    })
}

struct Body<F> {
    name: String,
    gradient: F,
    engine: Engine,
}

unsafe extern "C" fn call<F>(
    body: *mut c_void,
    n_outputs: i32,
    output_gradients: *const *mut sys::rondo_tensor,
    n_inputs: i32,
    input_gradients: *mut *mut sys::rondo_tensor,
) -> sys::rondo_status
where
    F: Fn(&[&Tensor]) -> Result<Vec<Option<Tensor>>>,
{
    // SAFETY: what `custom_gradient` gave, which lives until `destroy`, and as many handles as are said.
    let (body, given, slots) = unsafe {
        (
            &*body.cast::<Body<F>>(),
            std::slice::from_raw_parts(output_gradients, n_outputs as usize),
            std::slice::from_raw_parts_mut(input_gradients, n_inputs as usize),
        )
    };
    let made = failure::tell(|| {
        // Handles of their own: the closure may keep clones of what it is given, and the library destroys its own.
        let given = given.iter().map(|&handle| Tensor::share_of(handle, &body.engine)).collect::<Result<Vec<_>>>()?;
        let tensors: Vec<&Tensor> = given.iter().collect();
        let made = (body.gradient)(&tensors)?;
        if made.len() != slots.len() {
            let text = format!(
                "custom_gradient '{}': the closure gives {} gradients; there are {} inputs, None being zero",
                body.name,
                made.len(),
                slots.len()
            );
            return Err(Error::new(ErrorKind::UserError, text));
        }
        made.into_iter().map(|tensor| tensor.map(Owned::new).transpose()).collect::<Result<Vec<_>>>()
    });
    match made {
        Ok(made) => {
            for (slot, tensor) in slots.iter_mut().zip(made) {
                *slot = tensor.map_or(null_mut(), Owned::into_handle);
            }
            sys::RONDO_OK
        }
        Err(status) => status,
    }
}

unsafe extern "C" fn destroy<F>(body: *mut c_void) {
    // SAFETY: what `custom_gradient` gave, given back once. A panic of the closure's own drop goes no further.
    let _ = callback::guard(|| drop(unsafe { Box::from_raw(body.cast::<Body<F>>()) }));
}
