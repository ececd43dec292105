//! Kernels in CUDA C++.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::CString;
use std::fmt;
use std::ptr::{null, null_mut, NonNull};

use rondo_sys as sys;

use crate::device::c_string;
use crate::error::check;
use crate::expression::raw_arguments;
use crate::ops::Operand;
use crate::{Device, Engine, Error, ErrorKind, Result};

/// A text of CUDA C++, compiled by NVRTC for one GPU. `docs/user_code.md` has the rules.
///
/// ```no_run
/// use rondo::{Device, Engine, Launch, Module, Tensor};
///
/// let engine = Engine::new()?;
/// let gpu = Device::cuda(0);
/// let text = "template <class T> __global__ void twice(const T* x, T* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }";
/// let module = Module::new(&engine, gpu, text, "twice<float>(const float* x, float* y)")?;
/// let x = Tensor::from_slice(&engine, gpu, 3, &[1.0f32, 2.0, 3.0])?;
/// let y = Tensor::empty(&engine, gpu, rondo::DType::F32, 3)?;
/// // SAFETY: three threads, each of which uses one of the three elements. The call does not wait.
/// unsafe { module.launch("twice<float>", Launch::new().block([3, 1, 1]), &[(&x).into(), (&y).into()]) }?;
/// assert_eq!(y.to_vec::<f32>()?, [2.0, 4.0, 6.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
#[doc(alias = "rondo_module")]
pub struct Module {
    handle: NonNull<sys::rondo_module>,
    device: Device,
    kernels: String, // as they were declared
    engine: Engine,  // after the handle: it may be the last of its engine
}

// SAFETY: every function on a module is thread-safe, and it is destroyed by its one owner.
unsafe impl Send for Module {}
unsafe impl Sync for Module {}

impl Module {
    /// Compiles a text. `kernels` declares those that will be launched, separated by semicolons: a name, which may be a
    /// template's with its arguments, and the parameters. Blocks while it compiles.
    ///
    /// ```
    /// use rondo::{Device, Engine, ErrorKind, Module};
    ///
    /// let error = Module::new(&Engine::new()?, Device::CPU, "", "k()").unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Unsupported); // a processor does not run CUDA C++
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a declaration that is none, with its line;
    /// [`CompileFailed`](crate::ErrorKind::CompileFailed) with what the compiler says;
    /// [`Unsupported`](crate::ErrorKind::Unsupported) on the cpu;
    /// [`LibraryMissing`](crate::ErrorKind::LibraryMissing) without NVRTC.
    #[doc(alias = "rondo_module_create")]
    #[track_caller]
    pub fn new(engine: &Engine, device: Device, text: &str, kernels: &str) -> Result<Module> {
        Module::create(engine, device, text, kernels, None, None)
    }

    /// The same with what the text's lines are called in messages, and with options for NVRTC, separated by spaces.
    ///
    /// ```no_run
    /// # use rondo::{Device, Engine, Module};
    /// # let (engine, text) = (Engine::new()?, "");
    /// let module = Module::with_options(&engine, Device::cuda(0), text, "k()", "k.cu", "-DTILE=16")?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Module::new`].
    #[track_caller]
    pub fn with_options(
        engine: &Engine,
        device: Device,
        text: &str,
        kernels: &str,
        name: &str,
        options: &str,
    ) -> Result<Module> {
        Module::create(engine, device, text, kernels, Some(name), Some(options))
    }

    #[track_caller]
    fn create(
        engine: &Engine,
        device: Device,
        text: &str,
        kernels: &str,
        name: Option<&str>,
        options: Option<&str>,
    ) -> Result<Module> {
        let function = "Module::new";
        let declared = kernels.to_owned();
        let (text, kernels) = (c_string(function, "text", text)?, c_string(function, "kernels", kernels)?);
        let name: Option<CString> = name.map(|name| c_string(function, "name", name)).transpose()?;
        let options: Option<CString> = options.map(|options| c_string(function, "options", options)).transpose()?;
        let mut with = sys::RONDO_MODULE_OPTIONS_INIT;
        with.name = name.as_ref().map_or(null(), |name| name.as_ptr());
        with.options = options.as_ref().map_or(null(), |options| options.as_ptr());
        let mut handle = null_mut();
        // SAFETY: the texts live until the call is over.
        check(unsafe {
            sys::rondo_module_create(
                engine.as_ptr(),
                device.as_raw(),
                text.as_ptr(),
                kernels.as_ptr(),
                &with,
                &mut handle,
            )
        })?;
        Ok(Module { handle: crate::tensor::made(handle), device, kernels: declared, engine: engine.clone() })
    }

    /// Submits a launch of a kernel, by the name that it was declared with. Does not wait.
    ///
    /// # Safety
    ///
    /// A kernel gets bare addresses, which nothing bounds. With this shape and these arguments it reads and writes inside
    /// the tensors alone, writes none that is declared `const`, and leaves no element of the others unwritten that is read
    /// before something else writes it.
    ///
    /// ```no_run
    /// # use rondo::{Device, Engine, Launch, Module, Tensor};
    /// # let engine = Engine::new()?;
    /// # let module = Module::new(&engine, Device::cuda(0), "", "fill(float* y, float value, int n)")?;
    /// # let y = Tensor::zeros(&engine, Device::cuda(0), rondo::DType::F32, 1000)?;
    /// let shape = Launch::new().grid([4, 1, 1]).block([256, 1, 1]);
    /// // SAFETY: the kernel goes by `n`, the number of elements of `y`.
    /// unsafe { module.launch("fill", shape, &[(&y).into(), 0.5.into(), 1000.into()]) }?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for an unknown kernel, an argument that does not fit,
    /// and a shape beyond the limits of the device or the kernel.
    #[doc(alias = "rondo_module_launch")]
    #[track_caller]
    pub unsafe fn launch(&self, kernel: &str, shape: Launch, arguments: &[Operand<'_>]) -> Result<()> {
        let kernel = c_string("Module::launch", "kernel", kernel)?;
        let plain = raw_arguments(arguments.iter().map(|operand| (null(), *operand)));
        let n_arguments = i32::try_from(plain.len())
            .map_err(|_| Error::new(ErrorKind::InvalidArgument, "Module::launch: more arguments than there can be"))?;
        // SAFETY: the name and the arguments live until the call is over; of what the kernel does the caller has said it.
        check(unsafe {
            sys::rondo_module_launch(self.as_ptr(), kernel.as_ptr(), n_arguments, plain.as_ptr(), &shape.0)
        })
    }

    /// The engine it belongs to.
    ///
    /// ```no_run
    /// # use rondo::{Device, Engine, Module};
    /// # let module = Module::new(&Engine::new()?, Device::cuda(0), "", "k()")?;
    /// module.engine().wait_all()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The handle of the C interface, borrowed: it lives as long as this module.
    ///
    /// ```no_run
    /// # use rondo::{Device, Engine, Module};
    /// # let module = Module::new(&Engine::new()?, Device::cuda(0), "", "k()")?;
    /// assert!(!module.as_ptr().is_null());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    #[inline]
    pub fn as_ptr(&self) -> *mut sys::rondo_module {
        self.handle.as_ptr()
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: the one owner of the handle.
        unsafe { sys::rondo_module_destroy(self.as_ptr()) }
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Module({} on {})", self.kernels, self.device)
    }
}

/// How a kernel is launched: one block of one thread, unless it is said otherwise.
///
/// ```
/// let shape = rondo::Launch::new().grid([16, 1, 1]).block([256, 1, 1]).shared_bytes(1024);
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "a shape launches nothing: give it to Module::launch"]
pub struct Launch(sys::rondo_launch_options);

impl Launch {
    /// One block of one thread.
    ///
    /// ```
    /// let one = rondo::Launch::new();
    /// ```
    pub fn new() -> Launch {
        Launch(sys::RONDO_LAUNCH_OPTIONS_INIT)
    }

    /// So many blocks in x, y and z.
    ///
    /// ```
    /// let shape = rondo::Launch::new().grid([8, 8, 1]);
    /// ```
    pub fn grid(mut self, blocks: [u32; 3]) -> Launch {
        self.0.grid_x = blocks[0];
        self.0.grid_y = blocks[1];
        self.0.grid_z = blocks[2];
        self
    }

    /// So many threads of a block in x, y and z.
    ///
    /// ```
    /// let shape = rondo::Launch::new().block([32, 8, 1]);
    /// ```
    pub fn block(mut self, threads: [u32; 3]) -> Launch {
        self.0.block_x = threads[0];
        self.0.block_y = threads[1];
        self.0.block_z = threads[2];
        self
    }

    /// Bytes of dynamic shared memory.
    ///
    /// ```
    /// let shape = rondo::Launch::new().shared_bytes(4096);
    /// ```
    pub fn shared_bytes(mut self, bytes: u32) -> Launch {
        self.0.shared_bytes = bytes;
        self
    }

    /// Runs before others that are ready where it is positive, on a stream of high priority.
    ///
    /// ```
    /// let soon = rondo::Launch::new().priority(1);
    /// ```
    pub fn priority(mut self, priority: i32) -> Launch {
        self.0.priority = priority;
        self
    }

    /// On this compute stream, modulo the engine's streams.
    ///
    /// ```
    /// let second = rondo::Launch::new().stream(1);
    /// ```
    pub fn stream(mut self, stream: i32) -> Launch {
        self.0.stream = stream;
        self
    }

    /// Takes tensors that are not contiguous: the kernel knows their strides.
    ///
    /// ```
    /// let shape = rondo::Launch::new().strided();
    /// ```
    #[doc(alias = "RONDO_LAUNCH_STRIDED")]
    pub fn strided(mut self) -> Launch {
        self.0.flags |= sys::RONDO_LAUNCH_STRIDED;
        self
    }
}

impl Default for Launch {
    fn default() -> Self {
        Launch::new()
    }
}
