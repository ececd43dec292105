//! Model files: named tensors with metadata, in the format safetensors.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::c_char;
use std::path::Path;
use std::ptr::{null, null_mut, NonNull};

use rondo_sys as sys;

use crate::device::c_string;
use crate::error::check;
use crate::memory::c_path;
use crate::tensor::made;
use crate::{DType, Device, Engine, Error, ErrorKind, Result, Tensor};

/// A safetensors file that is open for reading. Belongs to no engine; any number of threads may load from it.
///
/// Opening checks the header; nothing of a file is trusted. The data are read when a tensor is loaded, by the engine's
/// workers. `docs/models.md` of the C library says what is refused.
///
/// ```
/// use rondo::{Device, Engine, ModelFile, Tensor};
///
/// let engine = Engine::new()?;
/// let w = Tensor::from_slice(&engine, Device::CPU, [2, 2], &[1.0f32, 2.0, 3.0, 4.0])?;
/// let b = Tensor::from_slice(&engine, Device::CPU, 2, &[0.5f32, -0.5])?;
/// let path = std::env::temp_dir().join(format!("rondo-model-{}.safetensors", std::process::id()));
/// ModelFile::write(&path, [("w1", &w), ("b1", &b)], [("format", "rondo")])?;
///
/// let file = ModelFile::open(&path)?;
/// assert_eq!(file.load("w1", &engine, Device::CPU)?.to_vec::<f32>()?, [1.0, 2.0, 3.0, 4.0]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), rondo::Error>(())
/// ```
#[doc(alias = "rondo_model_file")]
pub struct ModelFile {
    handle: NonNull<sys::rondo_model_file>,
}

// SAFETY: a file does not change, every function on it is thread-safe, and it is destroyed by its one owner.
unsafe impl Send for ModelFile {}
unsafe impl Sync for ModelFile {}

impl ModelFile {
    /// Opens a file and checks its header. [`ErrorKind::NotFound`] if there is none, [`ErrorKind::IoError`] if it cannot
    /// be read or is not valid.
    ///
    /// ```
    /// let missing = rondo::ModelFile::open("missing.safetensors").unwrap_err();
    /// assert_eq!(missing.kind(), rondo::ErrorKind::NotFound);
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound) where there is no such file; [`IoError`](crate::ErrorKind::IoError)
    /// where it cannot be read or is not valid, with the place; [`Unsupported`](crate::ErrorKind::Unsupported) where
    /// a name has a zero character.
    #[doc(alias = "rondo_model_file_open")]
    pub fn open(path: impl AsRef<Path>) -> Result<ModelFile> {
        let path = c_path("ModelFile::open", path.as_ref())?;
        let mut handle = null_mut();
        check(unsafe { sys::rondo_model_file_open(path.as_ptr(), &mut handle) })?;
        Ok(ModelFile { handle: made(handle) })
    }

    /// Writes tensors under their names, and metadata. Waits for the tensors, which may be views and on any devices. The
    /// file takes the place of a former one when it is complete and on the disk. Equal contents give equal bytes.
    ///
    /// ```
    /// # use rondo::{Device, Engine, ModelFile, Tensor};
    /// # let engine = Engine::new()?;
    /// # let path = std::env::temp_dir().join(format!("rondo-model-write-{}.safetensors", std::process::id()));
    /// let layers = [Tensor::from_slice(&engine, Device::CPU, 1, &[1u8])?, Tensor::from_slice(&engine, Device::CPU, 1, &[2u8])?];
    /// let named = layers.iter().enumerate().map(|(i, tensor)| (format!("w{}", i + 1), tensor));
    /// ModelFile::write(&path, named, Vec::<(String, String)>::new())?;
    /// assert_eq!(ModelFile::open(&path)?.tensors()?.len(), 2);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a name or a key that comes twice;
    /// [`IoError`](crate::ErrorKind::IoError) where the file cannot be written; the failure of a tensor, and
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for one that nothing has written, in a task, and inside a
    /// recording.
    #[doc(alias = "rondo_model_file_write")]
    pub fn write<'a, N, K, V>(
        path: impl AsRef<Path>,
        tensors: impl IntoIterator<Item = (N, &'a Tensor)>,
        metadata: impl IntoIterator<Item = (K, V)>,
    ) -> Result<()>
    where
        N: AsRef<str>,
        K: AsRef<str>,
        V: AsRef<str>,
    {
        let function = "ModelFile::write";
        let path = c_path(function, path.as_ref())?;
        let (mut names, mut handles, mut keys, mut values) =
            (Texts::default(), Vec::new(), Texts::default(), Texts::default());
        for (name, tensor) in tensors {
            names.push(c_string(function, "a name", name.as_ref())?);
            handles.push(tensor.as_ptr());
        }
        for (key, value) in metadata {
            keys.push(c_string(function, "a key", key.as_ref())?);
            values.push(c_string(function, "a value", value.as_ref())?);
        }
        // SAFETY: as many of each as said, which live until the call returns.
        check(unsafe {
            sys::rondo_model_file_write(
                path.as_ptr(),
                names.as_ptr(),
                handles.as_ptr(),
                handles.len(),
                keys.as_ptr(),
                values.as_ptr(),
                keys.texts.len(),
            )
        })
    }

    /// All tensors, in the order of their data: loaded in this order, the file is read from its beginning to its end.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, ModelFile, Tensor};
    /// # let engine = Engine::new()?;
    /// # let path = std::env::temp_dir().join(format!("rondo-model-tensors-{}.safetensors", std::process::id()));
    /// # let w = Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 3])?;
    /// # ModelFile::write(&path, [("w1", &w)], Vec::<(String, String)>::new())?;
    /// let tensors = ModelFile::open(&path)?.tensors()?;
    /// assert_eq!((&*tensors[0].name, tensors[0].dtype), ("w1", Some(DType::F32)));
    /// assert_eq!((&*tensors[0].shape, tensors[0].bytes), (&[2, 3][..], 24));
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for a dtype that this version does not know.
    #[doc(alias = "rondo_model_file_query")]
    #[doc(alias = "rondo_model_file_tensor")]
    pub fn tensors(&self) -> Result<Vec<ModelTensor>> {
        (0..self.info()?.tensors).map(|index| self.entry(index)).collect()
    }

    /// One tensor by its name. [`ErrorKind::NotFound`] if there is none.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, ModelFile, Tensor};
    /// # let engine = Engine::new()?;
    /// # let path = std::env::temp_dir().join(format!("rondo-model-tensor-{}.safetensors", std::process::id()));
    /// # let w = Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 3])?;
    /// # ModelFile::write(&path, [("w1", &w)], Vec::<(String, String)>::new())?;
    /// let file = ModelFile::open(&path)?;
    /// assert_eq!(file.tensor("w1")?.format_dtype, "F32");
    /// assert!(file.tensor("w2").is_err());
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound) where there is no such tensor.
    #[doc(alias = "rondo_model_file_find")]
    pub fn tensor(&self, name: &str) -> Result<ModelTensor> {
        let name = c_string("ModelFile::tensor", "name", name)?;
        let mut index = 0;
        check(unsafe { sys::rondo_model_file_find(self.as_ptr(), name.as_ptr(), &mut index) })?;
        self.entry(index)
    }

    /// Keys and values of the metadata, in the file's order.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, ModelFile, Tensor};
    /// # let engine = Engine::new()?;
    /// # let path = std::env::temp_dir().join(format!("rondo-model-metadata-{}.safetensors", std::process::id()));
    /// # let w = Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 3])?;
    /// ModelFile::write(&path, [("w1", &w)], [("format", "rondo")])?;
    /// assert_eq!(ModelFile::open(&path)?.metadata()?, [("format".to_string(), "rondo".to_string())]);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the file is open.
    #[doc(alias = "rondo_model_file_metadata")]
    pub fn metadata(&self) -> Result<Vec<(String, String)>> {
        (0..self.info()?.metadata)
            .map(|index| {
                let (mut key, mut value) = (null(), null());
                // SAFETY: what is stored there lives as long as the file.
                unsafe {
                    check(sys::rondo_model_file_metadata(self.as_ptr(), index, &mut key, &mut value))?;
                    Ok((text_of(key), text_of(value)))
                }
            })
            .collect()
    }

    /// Loads a tensor to a device. Asynchronous: what goes wrong when the file is read is an error of the tensor.
    /// [`ErrorKind::Unsupported`] if Rondo does not have its dtype.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, ModelFile, Tensor};
    /// # let engine = Engine::new()?;
    /// # let path = std::env::temp_dir().join(format!("rondo-model-load-{}.safetensors", std::process::id()));
    /// # let w = Tensor::full(&engine, Device::CPU, DType::I64, 2, 7.0)?;
    /// # ModelFile::write(&path, [("w1", &w)], Vec::<(String, String)>::new())?;
    /// let w = ModelFile::open(&path)?.load("w1", &engine, Device::CPU)?; // the file may be dropped
    /// assert_eq!(w.to_vec::<i64>()?, [7, 7]);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound) where there is no such tensor,
    /// [`Unsupported`](crate::ErrorKind::Unsupported) where its dtype is none of these;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) inside a recording. What fails while the file is read is told
    /// by waits on the result.
    #[doc(alias = "rondo_model_file_load")]
    pub fn load(&self, name: &str, engine: &Engine, device: Device) -> Result<Tensor> {
        let name = c_string("ModelFile::load", "name", name)?;
        Tensor::create(engine, |out| unsafe {
            sys::rondo_model_file_load(self.as_ptr(), name.as_ptr(), engine.as_ptr(), device.as_raw(), out)
        })
    }

    /// Loads a tensor into one that is there, of the same shape and dtype; it may be a view.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, ModelFile, Tensor};
    /// # let engine = Engine::new()?;
    /// # let path = std::env::temp_dir().join(format!("rondo-model-into-{}.safetensors", std::process::id()));
    /// # let w = Tensor::full(&engine, Device::CPU, DType::F32, 2, 7.0)?;
    /// # ModelFile::write(&path, [("w1", &w)], Vec::<(String, String)>::new())?;
    /// let weights = Tensor::zeros(&engine, Device::CPU, DType::F32, 2)?;
    /// ModelFile::open(&path)?.load_into("w1", &weights)?;
    /// assert_eq!(weights.to_vec::<f32>()?, [7.0, 7.0]);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ModelFile::load`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where `out` has another
    /// shape or dtype.
    pub fn load_into(&self, name: &str, out: &Tensor) -> Result<()> {
        let name = c_string("ModelFile::load_into", "name", name)?;
        let device = out.device()?.as_raw();
        let mut given = out.as_ptr();
        check(unsafe {
            sys::rondo_model_file_load(self.as_ptr(), name.as_ptr(), out.engine().as_ptr(), device, &mut given)
        })
    }

    /// The handle of the C interface, borrowed: it lives as long as this file.
    ///
    /// ```
    /// # use rondo::ModelFile;
    /// # let path = std::env::temp_dir().join(format!("rondo-model-ptr-{}.safetensors", std::process::id()));
    /// # ModelFile::write(&path, Vec::<(String, &rondo::Tensor)>::new(), Vec::<(String, String)>::new())?;
    /// assert!(!ModelFile::open(&path)?.as_ptr().is_null());
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn as_ptr(&self) -> *mut sys::rondo_model_file {
        self.handle.as_ptr()
    }

    fn info(&self) -> Result<sys::rondo_model_file_info> {
        let mut info = sys::RONDO_MODEL_FILE_INFO_INIT;
        check(unsafe { sys::rondo_model_file_query(self.as_ptr(), &mut info) })?;
        Ok(info)
    }

    fn entry(&self, index: i64) -> Result<ModelTensor> {
        let (mut name, mut info) = (null(), sys::RONDO_MODEL_TENSOR_INFO_INIT);
        // SAFETY: what is stored there lives as long as the file; the dtype's text ends inside its array.
        unsafe {
            check(sys::rondo_model_file_tensor(self.as_ptr(), index, &mut name, &mut info))?;
            let dimensions = (info.ndim as usize).min(info.shape.len());
            let dtype = match info.loadable {
                0 => None,
                _ => Some(DType::from_raw(info.dtype).ok_or_else(|| {
                    Error::new(ErrorKind::Unsupported, format!("this version knows no dtype {}", info.dtype))
                })?),
            };
            Ok(ModelTensor {
                name: text_of(name),
                dtype,
                format_dtype: text_of(info.format_dtype.as_ptr()),
                shape: info.shape[..dimensions].iter().map(|&size| size as usize).collect(),
                dimensions: info.ndim as usize,
                bytes: info.bytes as usize,
            })
        }
    }
}

impl Drop for ModelFile {
    fn drop(&mut self) {
        // SAFETY: the one owner of the handle. Loads in flight go on.
        unsafe { sys::rondo_model_file_destroy(self.as_ptr()) }
    }
}

impl fmt::Debug for ModelFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.info() {
            Ok(info) => write!(f, "ModelFile({} tensors, {} bytes)", info.tensors, info.bytes),
            Err(error) => write!(f, "ModelFile({})", error),
        }
    }
}

/// What a [`ModelFile`] says of one tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelTensor {
    /// Its name.
    pub name: String,
    /// Its dtype; none if Rondo cannot load it, for its dtype or its number of dimensions.
    pub dtype: Option<DType>,
    /// Its dtype as the file spells it, such as `F32` or `F8_E4M3`.
    pub format_dtype: String,
    /// Its sizes; of more dimensions than Rondo's tensors have, the first ones.
    pub shape: Vec<usize>,
    /// How many dimensions it has.
    pub dimensions: usize,
    /// How many bytes it has in the file.
    pub bytes: usize,
}

/// Texts of C, and their addresses as an array; null where C has a text of its own.
#[derive(Default)]
pub(crate) struct Texts {
    texts: Vec<CString>,
    addresses: Vec<*const c_char>,
}

impl Texts {
    pub(crate) fn push(&mut self, text: CString) {
        self.addresses.push(text.as_ptr()); // of its own memory, which does not move with it
        self.texts.push(text);
    }

    pub(crate) fn push_none(&mut self) {
        self.addresses.push(std::ptr::null());
    }

    pub(crate) fn len(&self) -> usize {
        self.addresses.len()
    }

    pub(crate) fn as_ptr(&self) -> *const *const c_char {
        self.addresses.as_ptr()
    }
}

/// # Safety
///
/// A text of C that lives during the call.
pub(crate) unsafe fn text_of(text: *const c_char) -> String {
    // SAFETY: as the caller says.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
