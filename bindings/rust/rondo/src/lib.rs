// The crate's front page. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

//! Rondo is a GPU runtime: record work once, replay it for almost nothing.
//!
//! An [`Engine`] orders tasks by what they read and write and issues them asynchronously. Operators on [`Tensor`]s are
//! compiled for the device when they are first used. What a thread records becomes a [`Graph`], on CUDA devices a CUDA
//! graph. The same program runs on `cpu:0` and `cuda:0`; CUDA is opened at run time and need not be there.
//!
//! ```
//! use rondo::{Device, Engine, Tensor};
//!
//! let engine = Engine::new()?;
//! let device = Device::CPU; // Device::cuda(0): the first GPU; nothing else changes
//! let a = Tensor::new(&engine, device, [1f32; 4])?;
//! let b = Tensor::new(&engine, device, [0f32, 1.0, 2.0, 3.0])?;
//! let c = (&a + &b)?; // returns before the work is done
//!
//! let (step, ()) = engine.record(|| c.add_assign(&b))?; // kept, not run: c += b
//! step.launch()?;
//! step.launch()?; // ordered after the first, because it reads and writes c
//!
//! assert_eq!(c.to_vec::<f32>()?, [1.0, 4.0, 7.0, 10.0]); // waits for whatever writes c
//! # Ok::<(), rondo::Error>(())
//! ```
//!
//! # What belongs to whom
//!
//! Tensors, variables and graphs hold their engine: it ends when the last of them and the last clone of [`Engine`] are
//! gone. Dropping what is still in use is safe and does not wait; only the end of the engine waits for its work.
//!
//! # Errors
//!
//! Every call that can fail returns a [`Result`]. What fails while a task runs is kept by what the task writes and
//! returned by every wait on it, with the first cause; see [`Error`]. Panics in the bodies of tasks become such errors.
//!
//! # Threads
//!
//! Engines, tensors, variables and graphs may be used by any number of threads at once. A recording belongs to the
//! thread that runs its closure. Waits exist as calls that block and as [futures](WaitFuture) that any executor drives.
//!
//! # Features
//!
//! | feature | |
//! |---|---|
//! | `half` | `f16` and `bf16` of the crate `half` as elements |
//! | `log`, `tracing` | Rondo's log as records or events of that crate |
//! | `ndarray` | tensors from and to arrays of that crate, which is `rondo::ndarray` |
//! | `onnx` | [ONNX models](onnx::Model), converted and opened in one call |
//! | `serde` | dtypes by name, in files of any format |
//! | `static`, `vendored` | how the C library is linked: see [`rondo_sys`] |
//!
//! Rust 1.63, the one of Debian 12, is enough without optional features.
#![warn(missing_docs, missing_debug_implementations, rust_2018_idioms, unreachable_pub, clippy::missing_errors_doc)]
#![deny(unsafe_op_in_unsafe_fn)]

mod arguments;
#[cfg(feature = "ndarray")]
mod array;
mod attention;
mod buckets;
pub mod cache;
mod callable;
mod callback;
mod collectives;
mod comm;
mod completion;
mod context;
mod control;
mod convert;
mod convolution;
mod create;
mod device;
mod dims;
mod display;
pub mod dlpack;
mod element;
mod engine;
mod enums;
mod error;
mod exchange;
mod expression;
mod failure;
mod feature;
mod future;
mod generated;
mod graph;
mod index;
mod info;
mod launch;
pub mod log;
mod matmul;
mod memory;
mod methods;
mod mixed_precision;
mod model_file;
mod module;
mod names;
mod normalisation;
#[cfg(feature = "onnx")]
pub mod onnx;
mod operand;
mod operands;
pub mod ops;
mod optimizer;
mod pooling;
mod program;
mod program_check;
mod program_facts;
mod program_instance;
mod program_instance_options;
mod program_memory;
mod program_writer;
mod random;
pub mod reclaim;
mod recommender;
mod recording;
mod recurrent;
mod rotary;
mod rows;
mod shapes;
mod sites;
mod slices;
mod synonyms;
mod tape;
mod task;
mod tensor;
mod trace;
mod variable;
mod views;

#[cfg(feature = "ndarray")]
pub use ndarray;
pub use rondo_sys;

pub use crate::arguments::{Axis, AxisList, NewShape, Size, Span, WholeNumber};
pub use crate::buckets::{Buckets, BucketsBuilder, BucketsInfo};
pub use crate::callable::{Callable, CallableBuilder, CallableInfo};
pub use crate::comm::{Comm, CommInfo, CommState};
pub use crate::completion::Completion;
pub use crate::context::{Operand, TaskContext};
pub use crate::create::Nested;
pub use crate::device::{Device, DeviceInfo, DeviceKind};
pub use crate::dims::{Dims, Shape};
pub use crate::element::{DType, Element, F8E4m3, F8E5m2};
pub use crate::engine::{Engine, EngineBuilder, EngineMode};
pub use crate::error::{Error, ErrorKind, Result};
pub use crate::exchange::{Message, Step};
pub use crate::expression::Expression;
pub use crate::feature::{feature, version, version_text, Feature};
pub use crate::future::WaitFuture;
pub use crate::graph::{Graph, GraphInfo};
pub use crate::index::{At, Index};
pub use crate::info::TensorInfo;
pub use crate::launch::{ranks, CommBuilder, RanksInfo};
pub use crate::memory::MemoryInfo;
pub use crate::mixed_precision::{Autocast, LossScaler, LossScalerBuilder, Precision};
pub use crate::model_file::{ModelFile, ModelTensor};
pub use crate::module::{Launch, Module};
pub use crate::operands::RightOperand;
pub use crate::optimizer::{Optimizer, OptimizerBuilder, OptimizerInfo, OptimizerKind, RateSchedule};
pub use crate::program::Program;
pub use crate::program_check::ProgramChecked;
pub use crate::program_facts::{ProgramAxis, ProgramDim, ProgramFunction, ProgramInfo, ProgramValue};
pub use crate::program_instance::ProgramInstance;
pub use crate::program_instance_options::ProgramInstanceOptions;
pub use crate::program_memory::{ProgramKernels, ProgramMemory};
pub use crate::program_writer::ProgramWriter;
pub use crate::recording::RecordingBuilder;
pub use crate::tape::{custom_gradient, no_gradients, no_gradients as no_grad, Tape, TapeInfo};
pub use crate::task::{BoxError, Task};
pub use crate::tensor::Tensor;
pub use crate::trace::Trace;
pub use crate::variable::{Ordered, Variable};
