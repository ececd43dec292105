//! What is written into a program file.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::CString;
use std::fmt;
use std::os::raw::c_void;
use std::path::Path;

use rondo_sys as sys;

use crate::device::c_string;
use crate::error::check;
use crate::memory::c_path;
use crate::model_file::Texts;
use crate::{failure, Error, ErrorKind, Graph, GraphInfo, Result, Tensor};

/// What goes into a program file; made by [`Program::writer`](crate::Program::writer).
#[derive(Default)]
#[must_use = "nothing is written until `write` is called"]
pub struct ProgramWriter<'a> {
    functions: Vec<Function<'a>>,
    weights: Vec<(String, &'a Tensor)>,
    metadata: Vec<(String, String)>,
    reader: Option<String>,
    weights_into: Option<String>,
    weights_from: Vec<String>,
    dims: Vec<(String, i64, i64)>,
}

struct Function<'a> {
    name: String,
    source: Source<'a>,
    names: Option<(Vec<String>, Vec<String>)>,
}

enum Source<'a> {
    Graph(&'a Graph),
    AtSizes(Record<'a>),
}

type Record<'a> = Box<dyn Fn(&[usize]) -> Result<Graph> + 'a>;

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
        self.functions.push(Function { name: name.into(), source: Source::Graph(graph), names: None });
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
        self.functions.push(Function { name: name.into(), source: Source::Graph(graph), names: Some(names) });
        self
    }

    /// A dimension that varies between two sizes. Functions of a file that has some are given by
    /// [`sized`](Self::sized) and [`sized_named`](Self::sized_named).
    ///
    /// ```
    /// let writer = rondo::Program::writer().dim("batch", 1, 64).dim("tokens", 1, 512);
    /// ```
    pub fn dim(mut self, name: impl Into<String>, least: usize, most: usize) -> Self {
        let whole = |size| i64::try_from(size).unwrap_or(i64::MAX);
        self.dims.push((name.into(), whole(least), whole(most)));
        self
    }

    /// A function whose sizes vary: the closure records it at sizes, one for each dimension, as a graph that is called. It is
    /// called several times, has the same operators each time, and uses the same tensors from outside.
    ///
    /// ```
    /// use rondo::{DType, Device, Engine, Program, Tensor};
    ///
    /// let engine = Engine::new()?;
    /// let w = Tensor::from_slice(&engine, Device::CPU, 2, &[2.0f32, 3.0])?;
    /// let path = std::env::temp_dir().join(format!("rondo-program-sized-{}.safetensors", std::process::id()));
    /// Program::writer()
    ///     .dim("batch", 1, 64)
    ///     .sized("scale", |sizes| {
    ///         let (graph, ()) = engine.recording().callable().record(|| {
    ///             let x = engine.record_input(Device::CPU, DType::F32, [sizes[0], 2])?;
    ///             engine.record_output(&x.mul(&w)?)
    ///         })?;
    ///         Ok(graph)
    ///     })
    ///     .write(&path)?;
    /// let instance = Program::open(&path)?.instance(&engine, Device::CPU)?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, [2, 2], &[1.0f32, 1.0, 10.0, 10.0])?;
    /// assert_eq!(instance.call("scale", &[&x])?[0].to_vec::<f32>()?, [2.0, 3.0, 20.0, 30.0]);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn sized(mut self, name: impl Into<String>, record: impl Fn(&[usize]) -> Result<Graph> + 'a) -> Self {
        self.functions.push(Function { name: name.into(), source: Source::AtSizes(Box::new(record)), names: None });
        self
    }

    /// The same with a name for each input and each output, which all functions have or none.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program};
    /// # let engine = Engine::new()?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-sized-named-{}.safetensors", std::process::id()));
    /// Program::writer()
    ///     .dim("n", 1, 64)
    ///     .sized_named("double", ["x"], ["y"], |sizes| {
    ///         let (graph, ()) = engine.recording().callable().record(|| {
    ///             engine.record_output(&engine.record_input(Device::CPU, DType::F32, sizes[0])?.mul(2)?)
    ///         })?;
    ///         Ok(graph)
    ///     })
    ///     .write(&path)?;
    /// assert_eq!(Program::open(&path)?.functions()?[0].inputs[0].name, "x");
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn sized_named<N: Into<String>, M: Into<String>>(
        mut self,
        name: impl Into<String>,
        inputs: impl IntoIterator<Item = N>,
        outputs: impl IntoIterator<Item = M>,
        record: impl Fn(&[usize]) -> Result<Graph> + 'a,
    ) -> Self {
        let names = (inputs.into_iter().map(Into::into).collect(), outputs.into_iter().map(Into::into).collect());
        let source = Source::AtSizes(Box::new(record));
        self.functions.push(Function { name: name.into(), source, names: Some(names) });
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

    /// The name of a safetensors file that is written with the weights, in the folder of the program's, which is JSON
    /// then, and names this one by name, size and SHA-256.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let folder = std::env::temp_dir().join(format!("rondo-program-into-{}", std::process::id()));
    /// # std::fs::create_dir(&folder).unwrap();
    /// let path = folder.join("double.rondo.json");
    /// Program::writer().function("double", &double).weights_into("double.safetensors").write(&path)?;
    /// assert!(std::fs::read_to_string(&path).unwrap().starts_with("{\"rondo.program.file\":1,"));
    /// assert_eq!(Program::open(&path)?.instance(&engine, Device::CPU)?.weight("weight0")?.to_vec::<f32>()?, [2.0]);
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn weights_into(mut self, name: impl Into<String>) -> Self {
        self.weights_into = Some(name.into());
        self
    }

    /// The name of a safetensors file that is there, in the folder of the program's, which is JSON then: its tensors with
    /// names of weights are equal to these, and it stays as it is. Several are given one by one.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, ModelFile, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let folder = std::env::temp_dir().join(format!("rondo-program-from-{}", std::process::id()));
    /// # std::fs::create_dir(&folder).unwrap();
    /// ModelFile::write(folder.join("model.safetensors"), [("two", &w)], Vec::<(String, String)>::new())?;
    /// let path = folder.join("double.rondo.json");
    /// let writer = Program::writer().function("double", &double).weight("two", &w);
    /// writer.weights_from("model.safetensors").write(&path)?;
    /// assert_eq!(Program::open(&path)?.weights()?[0].name, "two");
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn weights_from(mut self, name: impl Into<String>) -> Self {
        self.weights_from.push(name.into());
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
    /// a function has inputs or outputs, for a weight that no function uses, and for one that differs from the tensor of
    /// its name in a file of [`weights_from`](Self::weights_from) or has no file to go into;
    /// [`NotFound`](crate::ErrorKind::NotFound) for such a file that is not there;
    /// [`IoError`](crate::ErrorKind::IoError) where a file cannot be read or written. Of functions whose sizes vary:
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for what is no expression of the sizes, and what a closure returns, which
    /// panics on if it did.
    #[doc(alias = "rondo_program_save")]
    #[doc(alias = "rondo_program_save_with_dims")]
    #[track_caller]
    pub fn write(self, path: impl AsRef<Path>) -> Result<()> {
        let function = "ProgramWriter::write";
        let path = c_path(function, path.as_ref())?;
        let (mut names, mut graphs) = (Texts::default(), Vec::new());
        let (mut inputs, mut outputs) = (Texts::default(), Texts::default());
        let named = self.functions.iter().filter(|each| each.names.is_some()).count();
        for each in &self.functions {
            names.push(c_string(function, "a function's name", &each.name)?);
            match &each.source {
                Source::Graph(_) if !self.dims.is_empty() => return Err(wrong(&each.name, "is one graph", "sized")),
                Source::AtSizes(_) if self.dims.is_empty() => return Err(wrong(&each.name, "has sizes", "dim")),
                Source::Graph(graph) => {
                    each.add_names(&graph.info()?, &mut inputs, &mut outputs)?;
                    graphs.push(graph.as_ptr());
                }
                Source::AtSizes(_) if named != 0 && named != self.functions.len() => {
                    return Err(wrong(
                        &each.name,
                        "is among some that have names of inputs and some that do not",
                        "sized",
                    ))
                }
                Source::AtSizes(_) => {
                    let (of_inputs, of_outputs) = each.names.as_ref().map_or((&[][..], &[][..]), |(a, b)| (a, b));
                    for (given, all) in [(of_inputs, &mut inputs), (of_outputs, &mut outputs)] {
                        for name in given {
                            all.push(c_string(function, "a name", name)?);
                        }
                    }
                }
            }
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
        let files = WeightFiles::new(function, self.weights_into.as_deref(), &self.weights_from)?;
        let mut options = sys::RONDO_PROGRAM_SAVE_OPTIONS_INIT;
        if self.dims.is_empty() || named > 0 {
            options.inputs = inputs.as_ptr();
            options.outputs = outputs.as_ptr();
        }
        options.n_weights = tensors.len();
        options.weight_names = weight_names.as_ptr();
        options.weights = tensors.as_ptr();
        options.n_metadata = self.metadata.len();
        options.keys = keys.as_ptr();
        options.values = values.as_ptr();
        options.reader = reader.as_ref().map_or(std::ptr::null(), |version| version.as_ptr());
        files.set(&mut options);
        if !self.dims.is_empty() {
            return self.save_at_sizes(&path, &names, &options);
        }
        // SAFETY: as many of each as said, which live until the call returns.
        check(unsafe {
            sys::rondo_program_save(path.as_ptr(), graphs.len() as i32, names.as_ptr(), graphs.as_ptr(), &options)
        })
    }
}

/// Names of files of weights, as C gets them.
pub(crate) struct WeightFiles {
    into: Option<CString>,
    from: Texts,
    count: usize,
}

impl WeightFiles {
    pub(crate) fn new<T: AsRef<str>>(function: &str, into: Option<&str>, from: &[T]) -> Result<Self> {
        let what = "the name of a file of weights";
        let mut names = Texts::default();
        for each in from {
            names.push(c_string(function, what, each.as_ref())?);
        }
        let into = into.map(|name| c_string(function, what, name)).transpose()?;
        Ok(WeightFiles { into, from: names, count: from.len() })
    }

    /// The options point to these names, and are used as long as they live.
    pub(crate) fn set(&self, options: &mut sys::rondo_program_save_options) {
        options.weights_into = self.into.as_ref().map_or(std::ptr::null(), |name| name.as_ptr());
        options.n_weights_from = self.count;
        options.weights_from = self.from.as_ptr();
    }
}

impl ProgramWriter<'_> {
    #[track_caller]
    fn save_at_sizes(&self, path: &CString, names: &Texts, options: &sys::rondo_program_save_options) -> Result<()> {
        let (mut dims, mut least, mut most) = (Texts::default(), Vec::new(), Vec::new());
        for (name, from, to) in &self.dims {
            dims.push(c_string("ProgramWriter::write", "a dimension's name", name)?);
            least.push(*from);
            most.push(*to);
        }
        let functions: *const Vec<Function<'_>> = &self.functions;
        // SAFETY: as many of each as said, which live until the call returns, and so do the functions that `record` is given.
        failure::hear(|| unsafe {
            sys::rondo_program_save_with_dims(
                path.as_ptr(),
                self.functions.len() as i32,
                names.as_ptr(),
                dims.len() as i32,
                dims.as_ptr(),
                least.as_ptr(),
                most.as_ptr(),
                Some(record),
                functions as *mut c_void,
                options,
            )
        })
    }
}

unsafe extern "C" fn record(
    functions: *mut c_void,
    function: i32,
    n_dims: i32,
    dims: *const i64,
    graph: *mut *mut sys::rondo_graph,
) -> sys::rondo_status {
    // SAFETY: what `save_at_sizes` gave, and as many sizes as are said.
    let (functions, dims, slot) = unsafe {
        (&*functions.cast::<Vec<Function<'_>>>(), std::slice::from_raw_parts(dims, n_dims as usize), &mut *graph)
    };
    let made = failure::tell(|| {
        let each = &functions[function as usize];
        let sizes: Vec<usize> = dims.iter().map(|&size| size as usize).collect();
        let graph = match &each.source {
            Source::AtSizes(record) => record(&sizes)?,
            Source::Graph(_) => unreachable!("a function without sizes"),
        };
        // No more names are given than there are.
        each.add_names(&graph.info()?, &mut Texts::default(), &mut Texts::default())?;
        Ok(graph)
    });
    match made {
        Ok(made) => {
            *slot = made.into_handle();
            sys::RONDO_OK
        }
        Err(status) => status,
    }
}

impl Function<'_> {
    fn add_names(&self, info: &GraphInfo, inputs: &mut Texts, outputs: &mut Texts) -> Result<()> {
        let (of_inputs, of_outputs) = match &self.names {
            Some((inputs, outputs)) => (Some(inputs), Some(outputs)),
            None => (None, None),
        };
        add_names(&self.name, "inputs", of_inputs, info.inputs as usize, inputs)?;
        add_names(&self.name, "outputs", of_outputs, info.outputs as usize, outputs)
    }
}

fn wrong(name: &str, what: &str, method: &str) -> Error {
    let message = format!(
        "ProgramWriter::write: function '{name}' {what}; a file with dimensions (`dim`) has functions that are recorded at sizes \
         (`sized`, or `sized_named` for all of them), see `{method}`"
    );
    Error::new(ErrorKind::InvalidArgument, message)
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
