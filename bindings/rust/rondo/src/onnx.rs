//! ONNX models as programs (feature `onnx`).
//!
//! The library `librondo_onnx.so.0` converts them. It is opened when a model is first converted, so that a program
//! starts without it; Rondo's Debian packages, its archive and its build have it. `docs/onnx.md` of the C library has the
//! operators.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::{CStr, CString};
use std::fs::{self, DirBuilder};
use std::mem::{size_of, transmute_copy};
use std::os::raw::{c_char, c_int};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::ptr::null;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, process};

use rondo_sys as sys;

use crate::device::c_string;
use crate::memory::c_path;
use crate::{Error, ErrorKind, Program, Result};

const LIBRARY: &str = "librondo_onnx.so.0";

/// An ONNX model in a file, and what is said of it before it becomes a program.
///
/// ```no_run
/// use rondo::onnx::Model;
/// use rondo::{Device, Engine, Tensor};
///
/// let program = Model::new("classifier.onnx").size("batch", 1).open()?;
/// let engine = Engine::new()?;
/// let model = program.instance(&engine, Device::CPU)?;
/// let image = Tensor::zeros(&engine, Device::CPU, rondo::DType::F32, [1, 3, 224, 224])?;
/// let scores = model.call("main", &[&image])?[0].to_vec::<f32>()?;
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is converted until `open` or `convert` is called"]
pub struct Model {
    path: PathBuf,
    sizes: Vec<(String, usize)>,
    dims: Vec<(String, usize, usize, usize)>,
    limits: Vec<(String, usize)>,
    inputs: Vec<(String, Vec<f64>)>,
    function: Option<String>,
    memory_limit: u64,
    fewer_roundings: bool,
    no_patterns: bool,
    library: PathBuf,
}

impl Model {
    /// A model in this file, which is read when it is converted.
    ///
    /// ```
    /// let missing = rondo::onnx::Model::new("missing.onnx").open().unwrap_err();
    /// assert!(matches!(missing.kind(), rondo::ErrorKind::NotFound | rondo::ErrorKind::LibraryMissing));
    /// ```
    pub fn new(path: impl Into<PathBuf>) -> Model {
        Model {
            path: path.into(),
            sizes: Vec::new(),
            dims: Vec::new(),
            limits: Vec::new(),
            inputs: Vec::new(),
            function: None,
            memory_limit: 0,
            fewer_roundings: false,
            no_patterns: false,
            library: PathBuf::from(LIBRARY),
        }
    }

    /// The size of a dimension that the model names; `input:axis` is the name of one that has none.
    ///
    /// ```
    /// let model = rondo::onnx::Model::new("model.onnx").size("batch", 8).size("image:2", 224);
    /// assert!(format!("{:?}", model).contains("image:2"));
    /// ```
    pub fn size(mut self, name: impl Into<String>, size: usize) -> Self {
        self.sizes.push((name.into(), size));
        self
    }

    /// A dimension that the program may be called with in any size from `least` to `most`; it is named as for
    /// [`size`](Model::size). Several names with `=` between them are of one size.
    ///
    /// ```
    /// let model = rondo::onnx::Model::new("model.onnx").dim("batch", 1, 64).dim("input:1=state:1", 1, 512);
    /// assert!(format!("{:?}", model).contains("512"));
    /// ```
    pub fn dim(self, name: impl Into<String>, least: usize, most: usize) -> Self {
        self.dim_of_steps(name, least, most, 1)
    }

    /// A dimension whose sizes are the multiples of `step` from `least` to `most`, which are multiples too, for networks
    /// that take others only. The program's dimension counts the steps.
    ///
    /// ```
    /// let model = rondo::onnx::Model::new("detector.onnx").dim_of_steps("height", 32, 640, 32);
    /// assert!(format!("{:?}", model).contains("640"));
    /// ```
    pub fn dim_of_steps(mut self, name: impl Into<String>, least: usize, most: usize, step: usize) -> Self {
        self.dims.push((name.into(), least, most, step));
        self
    }

    /// The most elements of a result whose number the program computes, as that of `NonZero`, and of turns of such a
    /// loop. `name` is the node's first result, or the operator for all its nodes. How many there are is a further
    /// output of the program, the result's name with `.count`.
    ///
    /// ```
    /// let model = rondo::onnx::Model::new("model.onnx").limit("NonZero", 100);
    /// assert!(format!("{:?}", model).contains("NonZero"));
    /// ```
    pub fn limit(mut self, name: impl Into<String>, most: usize) -> Self {
        self.limits.push((name.into(), most));
        self
    }

    /// An input that becomes a constant, such as a sampling rate or a list of sizes; the program does not have it then.
    ///
    /// ```
    /// let model = rondo::onnx::Model::new("speech.onnx").input("sr", [16000.0]);
    /// assert!(format!("{:?}", model).contains("16000"));
    /// ```
    pub fn input(mut self, name: impl Into<String>, numbers: impl IntoIterator<Item = f64>) -> Self {
        self.inputs.push((name.into(), numbers.into_iter().collect()));
        self
    }

    /// The name of the function in the program; `main` without it.
    ///
    /// ```
    /// let model = rondo::onnx::Model::new("model.onnx").function("encode");
    /// assert!(format!("{:?}", model).contains("encode"));
    /// ```
    pub fn function(mut self, name: impl Into<String>) -> Self {
        self.function = Some(name.into());
        self
    }

    /// The most bytes that weights and constants may take while the model is converted, for models of strangers.
    ///
    /// ```
    /// let model = rondo::onnx::Model::new("model.onnx").memory_limit(1 << 30);
    /// assert!(format!("{:?}", model).contains("1073741824"));
    /// ```
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.memory_limit = bytes;
        self
    }

    /// Lets the program leave out roundings between operators that become one.
    ///
    /// ```
    /// let model = rondo::onnx::Model::new("model.onnx").fewer_roundings();
    /// assert!(format!("{:?}", model).contains("fewer_roundings: true"));
    /// ```
    pub fn fewer_roundings(mut self) -> Self {
        self.fewer_roundings = true;
        self
    }

    /// Leaves each node to itself: those that are one operator together, such as a layer normalisation's, do not become it.
    ///
    /// ```
    /// let model = rondo::onnx::Model::new("model.onnx").no_patterns();
    /// assert!(format!("{:?}", model).contains("no_patterns: true"));
    /// ```
    pub fn no_patterns(mut self) -> Self {
        self.no_patterns = true;
        self
    }

    /// The file of `librondo_onnx`, where the system's loader does not find it by its name.
    ///
    /// ```
    /// // SAFETY: there is no such file.
    /// let model = unsafe { rondo::onnx::Model::new("model.onnx").library("/nowhere/librondo_onnx.so.0") };
    /// assert_eq!(model.open().unwrap_err().kind(), rondo::ErrorKind::LibraryMissing);
    /// ```
    ///
    /// # Safety
    ///
    /// Where there is such a file, it is the `librondo_onnx` of a version of Rondo with this soname, or it is no library.
    /// What another library does when it is loaded and called is not known.
    pub unsafe fn library(mut self, path: impl Into<PathBuf>) -> Self {
        self.library = path.into();
        self
    }

    /// Converts the model and opens what it becomes. No file is left: the program's lies in the folder for temporary
    /// files ([`std::env::temp_dir`]) without a name, and its room is given back with the program and its instances.
    ///
    /// ```
    /// let missing = rondo::onnx::Model::new("missing.onnx").open().unwrap_err();
    /// assert!(missing.message().contains("onnx"), "{}", missing);
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`convert`](Model::convert) and [`Program::open`].
    #[doc(alias = "rondo_onnx_open")]
    pub fn open(&self) -> Result<Program> {
        let folder = Folder::new()?;
        let file = folder.0.join("program.safetensors");
        self.convert_as("onnx::Model::open", &file)?;
        Program::open(&file)
    }

    /// Converts the model to a program file, which appears under its name when it is complete.
    ///
    /// ```
    /// let missing = rondo::onnx::Model::new("missing.onnx").convert("program.safetensors").unwrap_err();
    /// assert!(matches!(missing.kind(), rondo::ErrorKind::NotFound | rondo::ErrorKind::LibraryMissing));
    /// ```
    ///
    /// # Errors
    ///
    /// [`LibraryMissing`](ErrorKind::LibraryMissing) where `librondo_onnx` is not found;
    /// [`Unsupported`](ErrorKind::Unsupported) with all nodes that cannot be converted;
    /// [`InvalidArgument`](ErrorKind::InvalidArgument) for sizes that are missing or wrong;
    /// [`NotFound`](ErrorKind::NotFound) and [`IoError`](ErrorKind::IoError) where the file is missing or no such model.
    #[doc(alias = "rondo_onnx_convert")]
    pub fn convert(&self, path: impl AsRef<Path>) -> Result<()> {
        self.convert_as("onnx::Model::convert", path.as_ref())
    }

    fn convert_as(&self, function: &str, out: &Path) -> Result<()> {
        let names = |all: &mut dyn Iterator<Item = &String>, what| {
            all.map(|name| c_string(function, what, name)).collect::<Result<Vec<CString>>>()
        };
        let pointers = |all: &[CString]| all.iter().map(|name| name.as_ptr()).collect::<Vec<_>>();
        let size_names = names(&mut self.sizes.iter().map(|(name, _)| name), "the name of a size")?;
        let input_names = names(&mut self.inputs.iter().map(|(name, _)| name), "the name of an input")?;
        let dim_names = names(&mut self.dims.iter().map(|(name, ..)| name), "the name of a dimension")?;
        let (size_pointers, input_pointers) = (pointers(&size_names), pointers(&input_names));
        let limit_names = names(&mut self.limits.iter().map(|(name, _)| name), "the name of a limit")?;
        let (dim_pointers, limit_pointers) = (pointers(&dim_names), pointers(&limit_names));
        let whole = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
        let sizes: Vec<i64> = self.sizes.iter().map(|(_, size)| whole(*size)).collect();
        let limits: Vec<i64> = self.limits.iter().map(|(_, most)| whole(*most)).collect();
        let least: Vec<i64> = self.dims.iter().map(|(_, least, ..)| whole(*least)).collect();
        let most: Vec<i64> = self.dims.iter().map(|(_, _, most, _)| whole(*most)).collect();
        let steps: Vec<i64> = self.dims.iter().map(|(.., step)| whole(*step)).collect();
        let counts: Vec<usize> = self.inputs.iter().map(|(_, numbers)| numbers.len()).collect();
        let numbers: Vec<f64> = self.inputs.iter().flat_map(|(_, numbers)| numbers.iter().copied()).collect();
        let name = self.function.as_ref().map(|name| c_string(function, "function", name)).transpose()?;
        let options = Options {
            size: size_of::<Options>(),
            n_sizes: sizes.len(),
            size_names: size_pointers.as_ptr(),
            sizes: sizes.as_ptr(),
            n_fixed: counts.len(),
            fixed_names: input_pointers.as_ptr(),
            fixed_counts: counts.as_ptr(),
            fixed_numbers: numbers.as_ptr(),
            function: name.as_ref().map_or(null(), |name| name.as_ptr()),
            memory_limit: i64::try_from(self.memory_limit).unwrap_or(i64::MAX),
            fewer_roundings: self.fewer_roundings.into(),
            no_patterns: self.no_patterns.into(),
            n_dims: least.len(),
            dim_names: dim_pointers.as_ptr(),
            least: least.as_ptr(),
            most: most.as_ptr(),
            n_limits: limits.len(),
            limit_names: limit_pointers.as_ptr(),
            limits: limits.as_ptr(),
            steps: steps.as_ptr(),
        };
        let (path, out) = (c_path(function, &self.path)?, c_path(function, out)?);
        let library = Library::open(function, &self.library)?;
        // SAFETY: the functions have these types, and what they are given lives until they return.
        unsafe {
            let status = (library.convert)(path.as_ptr(), out.as_ptr(), &options);
            if status == sys::RONDO_OK {
                return Ok(());
            }
            let message = CStr::from_ptr((library.last_error)()).to_string_lossy();
            let told = message.strip_prefix("rondo_onnx_convert").map(|rest| format!("{}{}", function, rest));
            Err(Error::new(
                ErrorKind::from_raw(status).unwrap_or(ErrorKind::Internal),
                told.unwrap_or_else(|| message.into_owned()),
            ))
        }
    }
}

/// `rondo_onnx_convert_options`.
#[repr(C)]
struct Options {
    size: usize,
    n_sizes: usize,
    size_names: *const *const c_char,
    sizes: *const i64,
    n_fixed: usize,
    fixed_names: *const *const c_char,
    fixed_counts: *const usize,
    fixed_numbers: *const f64,
    function: *const c_char,
    memory_limit: i64,
    fewer_roundings: i32,
    no_patterns: i32,
    n_dims: usize,
    dim_names: *const *const c_char,
    least: *const i64,
    most: *const i64,
    n_limits: usize,
    limit_names: *const *const c_char,
    limits: *const i64,
    steps: *const i64,
}

type Convert = unsafe extern "C" fn(*const c_char, *const c_char, *const Options) -> sys::rondo_status;
type LastError = unsafe extern "C" fn() -> *const c_char;

/// What is called of `librondo_onnx`, which stays open: threads and what belongs to threads may outlive a call.
struct Library {
    convert: Convert,
    last_error: LastError,
}

const RTLD_NOW: c_int = 2;

impl Library {
    fn open(function: &str, path: &Path) -> Result<Library> {
        let missing = |why: String| {
            let what = format!(
                "{}: {} cannot be used: {}; install Rondo's package for ONNX models, or name the file by Model::library",
                function,
                path.display(),
                why
            );
            Error::new(ErrorKind::LibraryMissing, what)
        };
        let name = c_path(function, path)?;
        // SAFETY: texts that end with a zero; a library of Rondo, as the caller of Model::library has promised, whose
        // beginning does nothing.
        let library = unsafe { sys::loader::dlopen(name.as_ptr(), RTLD_NOW) };
        if library.is_null() {
            // SAFETY: what the loader says of its last failure on this thread, a text that ends with a zero, or NULL.
            let text = unsafe { sys::loader::dlerror() };
            if text.is_null() {
                return Err(missing(String::new()));
            }
            // SAFETY: the same text, until the loader fails again on this thread.
            return Err(missing(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()));
        }
        let symbol = |name: &'static [u8]| {
            // SAFETY: the name ends with a zero, and the library stays open.
            let found = unsafe { sys::loader::dlsym(library, name.as_ptr().cast()) };
            let told = String::from_utf8_lossy(&name[..name.len() - 1]);
            if found.is_null() {
                Err(missing(format!("it has no function {}", told)))
            } else {
                Ok(found)
            }
        };
        let (convert, last_error) = (symbol(b"rondo_onnx_convert\0")?, symbol(b"rondo_onnx_last_error\0")?);
        // SAFETY: functions of these types, as rondo_onnx.h declares them.
        unsafe { Ok(Library { convert: transmute_copy(&convert), last_error: transmute_copy(&last_error) }) }
    }
}

/// A new folder that this user alone may read, gone with what is in it when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let place = env::temp_dir();
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = place.join(format!("rondo-onnx-{}-{}", process::id(), count));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Folder(path)),
                Err(problem) if problem.kind() == std::io::ErrorKind::AlreadyExists => continue,
                Err(problem) => {
                    return Err(Error::new(
                        ErrorKind::IoError,
                        format!("onnx::Model::open: {} cannot be made: {}", path.display(), problem),
                    ))
                }
            }
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
