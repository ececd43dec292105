//! What is written into a program file.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::fmt;
use std::path::Path;

use rondo_sys as sys;

use crate::device::c_string;
use crate::error::check;
use crate::memory::c_path;
use crate::model_file::Texts;
use crate::{Error, ErrorKind, Graph, Result, Tensor};

/// What goes into a program file; made by [`Program::writer`](crate::Program::writer).
#[derive(Default)]
#[must_use = "nothing is written until `write` is called"]
pub struct ProgramWriter<'a> {
    functions: Vec<Function<'a>>,
    weights: Vec<(String, &'a Tensor)>,
    metadata: Vec<(String, String)>,
    reader: Option<String>,
}

struct Function<'a> {
    name: String,
    graph: &'a Graph,
    names: Option<(Vec<String>, Vec<String>)>,
}

impl<'a> ProgramWriter<'a> {
    /// A graph that is called ([`RecordingBuilder::callable`](crate::RecordingBuilder::callable)), as the function of this
    /// name. Its inputs are named `input0` and so on, its outputs `output0`.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-writer0-{}.safetensors", std::process::id()));
    /// let writer = Program::writer().function("double", &double);
    /// assert_eq!(format!("{:?}", writer), "ProgramWriter(1 functions, 0 named weights)");
    /// # let _ = (w, path);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn function(mut self, name: impl Into<String>, graph: &'a Graph) -> Self {
        self.functions.push(Function { name: name.into(), graph, names: None });
        self
    }

    /// The same with a name for each input and each output.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-writer1-{}.safetensors", std::process::id()));
    /// Program::writer().function_named("double", &double, ["x"], ["y"]).write(&path)?;
    /// let function = &Program::open(&path)?.functions()?[0];
    /// assert_eq!((&*function.inputs[0].name, &*function.outputs[0].name), ("x", "y"));
    /// # std::fs::remove_file(&path).unwrap();
    /// # let _ = w;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn function_named<N: Into<String>, M: Into<String>>(
        mut self,
        name: impl Into<String>,
        graph: &'a Graph,
        inputs: impl IntoIterator<Item = N>,
        outputs: impl IntoIterator<Item = M>,
    ) -> Self {
        let names = (inputs.into_iter().map(Into::into).collect(), outputs.into_iter().map(Into::into).collect());
        self.functions.push(Function { name: name.into(), graph, names: Some(names) });
        self
    }

    /// A name for a tensor from outside that a function uses; others are `weight0` and so on.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-writer2-{}.safetensors", std::process::id()));
    /// Program::writer().function("double", &double).weight("two", &w).write(&path)?;
    /// assert_eq!(Program::open(&path)?.weights()?[0].name, "two");
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn weight(mut self, name: impl Into<String>, tensor: &'a Tensor) -> Self {
        self.weights.push((name.into(), tensor));
        self
    }

    /// A text of the author, such as the labels of a classifier.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-writer3-{}.safetensors", std::process::id()));
    /// Program::writer().function("double", &double).metadata("labels", "cat,dog").write(&path)?;
    /// assert_eq!(Program::open(&path)?.metadata()?, [("labels".to_string(), "cat,dog".to_string())]);
    /// # std::fs::remove_file(&path).unwrap();
    /// # let _ = w;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.metadata.push((key.into(), value.into()));
        self
    }

    /// The oldest version of the library that shall read the file; without it, this one.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-writer5-{}.safetensors", std::process::id()));
    /// Program::writer().function("double", &double).reader("0.1").write(&path)?;
    /// let refused = Program::writer().function("double", &double).reader("9.0").write(&path);
    /// assert_eq!(refused.unwrap_err().kind(), rondo::ErrorKind::InvalidArgument); // this one cannot know that version
    /// # std::fs::remove_file(&path).unwrap();
    /// # let _ = w;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn reader(mut self, version: impl Into<String>) -> Self {
        self.reader = Some(version.into());
        self
    }

    /// Writes the file, which takes the place of a former one when it is complete. Tensors that a function writes are
    /// states, and are saved with what is in them now; waits for them.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-writer4-{}.safetensors", std::process::id()));
    /// let refused = Program::writer().function("double", &double).weight("other", &w.copy()?).write(&path);
    /// assert_eq!(refused.unwrap_err().kind(), rondo::ErrorKind::InvalidArgument); // no function uses it
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Unsupported`](crate::ErrorKind::Unsupported) where something cannot be in a file, which names all of it;
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a name that comes twice, for more or fewer names than
    /// a function has inputs or outputs, and for a weight that no function uses;
    /// [`IoError`](crate::ErrorKind::IoError) where the file cannot be written.
    #[doc(alias = "rondo_program_save")]
    pub fn write(self, path: impl AsRef<Path>) -> Result<()> {
        let function = "ProgramWriter::write";
        let path = c_path(function, path.as_ref())?;
        let (mut names, mut graphs) = (Texts::default(), Vec::new());
        let (mut inputs, mut outputs) = (Texts::default(), Texts::default());
        for each in &self.functions {
            let info = each.graph.info()?;
            names.push(c_string(function, "a function's name", &each.name)?);
            graphs.push(each.graph.as_ptr());
            let (of_inputs, of_outputs) = match &each.names {
                Some((inputs, outputs)) => (Some(inputs), Some(outputs)),
                None => (None, None),
            };
            add_names(&each.name, "inputs", of_inputs, info.inputs as usize, &mut inputs)?;
            add_names(&each.name, "outputs", of_outputs, info.outputs as usize, &mut outputs)?;
        }
        let (mut weight_names, mut tensors) = (Texts::default(), Vec::new());
        for (name, tensor) in &self.weights {
            weight_names.push(c_string(function, "a weight's name", name)?);
            tensors.push(tensor.as_ptr());
        }
        let (mut keys, mut values) = (Texts::default(), Texts::default());
        for (key, value) in &self.metadata {
            keys.push(c_string(function, "a key", key)?);
            values.push(c_string(function, "a value", value)?);
        }
        let reader = self.reader.as_ref().map(|version| c_string(function, "the reader", version)).transpose()?;
        let mut options = sys::RONDO_PROGRAM_SAVE_OPTIONS_INIT;
        options.inputs = inputs.as_ptr();
        options.outputs = outputs.as_ptr();
        options.n_weights = tensors.len();
        options.weight_names = weight_names.as_ptr();
        options.weights = tensors.as_ptr();
        options.n_metadata = self.metadata.len();
        options.keys = keys.as_ptr();
        options.values = values.as_ptr();
        options.reader = reader.as_ref().map_or(std::ptr::null(), |version| version.as_ptr());
        // SAFETY: as many of each as said, which live until the call returns.
        check(unsafe {
            sys::rondo_program_save(path.as_ptr(), graphs.len() as i32, names.as_ptr(), graphs.as_ptr(), &options)
        })
    }
}

impl fmt::Debug for ProgramWriter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProgramWriter({} functions, {} named weights)", self.functions.len(), self.weights.len())
    }
}

/// As many names as the graph has inputs, or outputs.
fn add_names(name: &str, what: &str, names: Option<&Vec<String>>, count: usize, all: &mut Texts) -> Result<()> {
    let function = "ProgramWriter::write";
    match names {
        Some(names) if names.len() != count => {
            let given = names.len();
            let message = format!("{function}: function '{name}' has {count} {what}, not {given}: each needs a name");
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        Some(names) => {
            for each in names {
                all.push(c_string(function, "a name", each)?);
            }
        }
        None => (0..count).for_each(|_| all.push_none()),
    }
    Ok(())
}
