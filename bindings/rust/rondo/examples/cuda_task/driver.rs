//! As much of NVRTC and the CUDA driver as one kernel needs. Rondo has opened both; this looks their functions up there, so
//! that nothing is linked. A program of some size takes a crate for it.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::{c_void, CStr, CString};
use std::os::raw::{c_char, c_int, c_uint};
use std::ptr::{null, null_mut};
use std::sync::mpsc::channel;

use rondo::{BoxError, Device, Engine};

extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}
const RTLD_NOW: c_int = 2;
const RTLD_NOLOAD: c_int = 4; // only what is there already

/// A library that Rondo has opened, by one of its names.
struct Library(*mut c_void);

impl Library {
    fn opened(names: &[&str]) -> Result<Library, BoxError> {
        let found = names
            .iter()
            .filter_map(|name| CString::new(*name).ok())
            .map(|name| unsafe { dlopen(name.as_ptr(), RTLD_NOW | RTLD_NOLOAD) });
        found
            .filter(|library| !library.is_null())
            .map(Library)
            .next()
            .ok_or_else(|| format!("none of {:?} is open", names).into())
    }

    /// A function. The caller names its type.
    unsafe fn function<F: Copy>(&self, name: &str) -> Result<F, BoxError> {
        let address = unsafe { dlsym(self.0, CString::new(name)?.as_ptr()) };
        if address.is_null() {
            return Err(format!("there is no {}", name).into());
        }
        assert_eq!(std::mem::size_of::<F>(), std::mem::size_of_val(&address));
        Ok(unsafe { std::mem::transmute_copy(&address) })
    }
}

fn succeeded(code: c_int, what: &str) -> Result<(), BoxError> {
    if code == 0 {
        Ok(())
    } else {
        Err(format!("{} answers {}", what, code).into())
    }
}

type Launch = unsafe extern "C" fn(
    *mut c_void,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    *mut c_void,
    *mut *const c_void,
    *mut *mut c_void,
) -> c_int;

/// A function of a module on one device. Lives as long as the process.
pub struct Kernel {
    function: *mut c_void,
    launch: Launch,
}

// SAFETY: the driver's functions may be called by any thread, and the module is never unloaded.
unsafe impl Send for Kernel {}
unsafe impl Sync for Kernel {}

impl Kernel {
    /// Compiles the text for a device and loads it there.
    pub fn compile(engine: &Engine, device: Device, text: &str, name: &str) -> Result<Kernel, BoxError> {
        let available = rondo::feature("nvrtc")?; // opens it
        if !available.available {
            return Err(available.reason.into());
        }
        let (ptx, name) = (ptx(text, device.info()?.capability)?, CString::new(name)?);
        // A module is loaded where the device's context is current: in a task of that device.
        let (sender, loaded) = channel();
        engine.task("load").on(device).no_capture().submit(move |_| Ok(sender.send(load(&ptx, &name)?)?))?;
        engine.wait_all()?;
        Ok(loaded.recv()?)
    }

    /// Enqueues one thread for each of `count` elements, with pointers to the arguments.
    ///
    /// # Safety
    ///
    /// The arguments must be those of the kernel's signature, and the kernel must stay inside the memory they show it.
    pub unsafe fn launch(&self, stream: *mut c_void, count: i32, arguments: &[&dyn Argument]) -> Result<(), BoxError> {
        let mut arguments: Vec<*const c_void> = arguments.iter().map(|argument| argument.place()).collect();
        let blocks = (count as c_uint + 255) / 256;
        let code = unsafe {
            (self.launch)(self.function, blocks, 1, 1, 256, 1, 1, 0, stream, arguments.as_mut_ptr(), null_mut())
        };
        succeeded(code, "cuLaunchKernel")
    }
}

/// What a kernel takes by value: an address of the device, a number.
pub trait Argument {
    fn place(&self) -> *const c_void;
}

impl Argument for *mut c_void {
    fn place(&self) -> *const c_void {
        (self as *const Self).cast()
    }
}

impl Argument for i32 {
    fn place(&self) -> *const c_void {
        (self as *const Self).cast()
    }
}

fn load(ptx: &[u8], name: &CStr) -> Result<Kernel, BoxError> {
    let driver = Library::opened(&["libcuda.so.1"])?;
    let (mut module, mut function) = (null_mut(), null_mut());
    // SAFETY: the types are those of cuda.h.
    unsafe {
        let load: unsafe extern "C" fn(*mut *mut c_void, *const c_void, c_uint, *mut c_int, *mut *mut c_void) -> c_int =
            driver.function("cuModuleLoadDataEx")?;
        let find: unsafe extern "C" fn(*mut *mut c_void, *mut c_void, *const c_char) -> c_int =
            driver.function("cuModuleGetFunction")?;
        succeeded(load(&mut module, ptx.as_ptr().cast(), 0, null_mut(), null_mut()), "cuModuleLoadDataEx")?;
        succeeded(find(&mut function, module, name.as_ptr()), "cuModuleGetFunction")?;
        Ok(Kernel { function, launch: driver.function("cuLaunchKernel")? })
    }
}

fn ptx(text: &str, capability: i32) -> Result<Vec<u8>, BoxError> {
    let nvrtc = Library::opened(&["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"])?;
    let text = CString::new(text)?;
    let option = CString::new(format!("--gpu-architecture=compute_{}", capability))?;
    let standard = CString::new("--std=c++17")?;
    let mut program = null_mut();
    type List = *const *const c_char;
    // SAFETY: the types are those of nvrtc.h.
    unsafe {
        let create: unsafe extern "C" fn(*mut *mut c_void, *const c_char, *const c_char, c_int, List, List) -> c_int =
            nvrtc.function("nvrtcCreateProgram")?;
        let compile: unsafe extern "C" fn(*mut c_void, c_int, List) -> c_int = nvrtc.function("nvrtcCompileProgram")?;
        let destroy: unsafe extern "C" fn(*mut *mut c_void) -> c_int = nvrtc.function("nvrtcDestroyProgram")?;
        succeeded(create(&mut program, text.as_ptr(), null(), 0, null(), null()), "nvrtcCreateProgram")?;
        let compiled = compile(program, 2, [option.as_ptr(), standard.as_ptr()].as_ptr());
        let made = match compiled {
            0 => bytes(&nvrtc, program, "nvrtcGetPTXSize", "nvrtcGetPTX"),
            _ => bytes(&nvrtc, program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog").and_then(|log| {
                Err(format!("nvrtcCompileProgram answers {}: {}", compiled, String::from_utf8_lossy(&log)).into())
            }),
        };
        succeeded(destroy(&mut program), "nvrtcDestroyProgram")?;
        made
    }
}

/// What a pair of functions tells of a program: its length, then itself.
unsafe fn bytes(nvrtc: &Library, program: *mut c_void, size: &str, get: &str) -> Result<Vec<u8>, BoxError> {
    unsafe {
        let size_of: unsafe extern "C" fn(*mut c_void, *mut usize) -> c_int = nvrtc.function(size)?;
        let copy: unsafe extern "C" fn(*mut c_void, *mut c_char) -> c_int = nvrtc.function(get)?;
        let mut length = 0;
        succeeded(size_of(program, &mut length), size)?;
        let mut bytes = vec![0; length];
        succeeded(copy(program, bytes.as_mut_ptr().cast()), get)?;
        Ok(bytes)
    }
}
