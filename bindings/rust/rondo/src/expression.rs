//! Elementwise expressions written as text.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::c_char;
use std::ptr::{null, null_mut, NonNull};

use rondo_sys as sys;

use crate::device::c_string;
use crate::error::check;
use crate::ops::Operand;
use crate::{Error, ErrorKind, Result, Tensor};

/// An elementwise expression written as text: one kernel on a GPU, no compiler on a cpu.
///
/// Names that are read before they are assigned are its operands, assigned ones its results. It belongs to no engine,
/// and any number of threads may run it at once. `docs/user_code.md` has the language.
///
/// ```
/// use rondo::{Device, Engine, Expression, Tensor};
///
/// let engine = Engine::new()?;
/// let x = Tensor::from_slice(&engine, Device::CPU, 3, &[1.0f32, 2.0, 3.0])?;
/// let text = Expression::new("let t = a * x; y = t > 2 ? t : 0; s = sum(t)")?;
/// let results = text.run(&[("a", 2.into()), ("x", (&x).into())])?;
/// assert_eq!(results[0].to_vec::<f32>()?, [0.0, 4.0, 6.0]);
/// assert_eq!(results[1].item::<f32>()?, 12.0);
/// // A softmax, and what is before and behind it.
/// let halves = Expression::new("p = softmax(x * a) * 1.5")?.run(&[("a", 0.into()), ("x", (&x).into())])?;
/// assert!(halves[0].to_vec::<f32>()?.iter().all(|p| (p - 0.5).abs() < 1e-6));
/// # Ok::<(), rondo::Error>(())
/// ```
#[doc(alias = "rondo_expression")]
pub struct Expression {
    handle: NonNull<sys::rondo_expression>,
}

// SAFETY: every function on an expression is thread-safe, and it is destroyed by its one owner.
unsafe impl Send for Expression {}
unsafe impl Sync for Expression {}

impl Expression {
    /// Parses a text. What is wrong is told with line and column.
    ///
    /// ```
    /// let error = rondo::Expression::new("y = a +* b").unwrap_err();
    /// assert!(error.message().contains("1:8: expected a value, found '*'"), "{}", error);
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the text is no expression; the message shows the
    /// place.
    #[doc(alias = "rondo_expression_create")]
    #[track_caller]
    pub fn new(text: &str) -> Result<Expression> {
        Expression::create(text, None)
    }

    /// The same with a name, for errors, traces and reports.
    ///
    /// ```
    /// let expression = rondo::Expression::named("axpy", "y = a * x + y")?;
    /// assert_eq!(expression.operands(), ["a", "x", "y"]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Expression::new`].
    #[track_caller]
    pub fn named(name: &str, text: &str) -> Result<Expression> {
        Expression::create(text, Some(name))
    }

    #[track_caller]
    fn create(text: &str, name: Option<&str>) -> Result<Expression> {
        let text = c_string("Expression::new", "text", text)?;
        let name: Option<CString> = name.map(|name| c_string("Expression::named", "name", name)).transpose()?;
        let mut handle = null_mut();
        let name = name.as_ref().map_or(null(), |name| name.as_ptr());
        // SAFETY: both texts live until the call is over.
        check(unsafe { sys::rondo_expression_create(text.as_ptr(), name, &mut handle) })?;
        Ok(Expression { handle: crate::tensor::made(handle) })
    }

    /// Names that are read before they are assigned, in the order of the text.
    ///
    /// ```
    /// assert_eq!(rondo::Expression::new("y = b - a")?.operands(), ["b", "a"]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    #[doc(alias = "rondo_expression_operand")]
    pub fn operands(&self) -> Vec<&str> {
        // SAFETY: a live expression; any index is allowed.
        self.names(|this, index| unsafe { sys::rondo_expression_operand(this, index) })
    }

    /// Names that are assigned, in the order of the text.
    ///
    /// ```
    /// assert_eq!(rondo::Expression::new("let t = a * a; y = t; z = -t")?.results(), ["y", "z"]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    #[doc(alias = "rondo_expression_result")]
    pub fn results(&self) -> Vec<&str> {
        // SAFETY: a live expression; any index is allowed.
        self.names(|this, index| unsafe { sys::rondo_expression_result(this, index) })
    }

    fn names(&self, name: impl Fn(*mut sys::rondo_expression, i32) -> *const c_char) -> Vec<&str> {
        (0..)
            .map(|index| name(self.as_ptr(), index))
            .take_while(|text| !text.is_null())
            // SAFETY: the name lives as long as the expression.
            .map(|text| unsafe { CStr::from_ptr(text) })
            .map(|name| name.to_str().unwrap_or_default()) // names are ASCII
            .collect()
    }

    /// Computes the results into new tensors. One argument per operand, in any order.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Expression, Tensor};
    /// # let engine = Engine::new()?;
    /// # let x = Tensor::from_slice(&engine, Device::CPU, 2, &[1i64, 2])?;
    /// let sums = Expression::new("y = x + n")?.run(&[("x", (&x).into()), ("n", 40i64.into())])?;
    /// assert_eq!(sums[0].to_vec::<i64>()?, [41, 42]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where an operand is missing, unknown or does not fit,
    /// with its place in the text; [`Unsupported`](crate::ErrorKind::Unsupported) for more than one kernel takes.
    #[doc(alias = "rondo_expression_run")]
    #[track_caller]
    pub fn run(&self, arguments: &[(&str, Operand<'_>)]) -> Result<Vec<Tensor>> {
        let mut out = vec![null_mut(); self.results().len()];
        self.call(arguments, &mut out)?;
        let tensor = arguments.iter().find_map(|(_, operand)| match operand {
            Operand::Tensor(tensor) => Some(*tensor),
            _ => None,
        });
        let engine = tensor.expect("a call without a tensor is refused").engine();
        out.into_iter()
            .map(|made| {
                Tensor::create(engine, |slot| {
                    // SAFETY: the slot is there to be written.
                    unsafe { *slot = made };
                    sys::RONDO_OK
                })
            })
            .collect()
    }

    /// Computes the results into tensors that are there, one per result. One may be an operand, element for element.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Expression, Tensor};
    /// # let engine = Engine::new()?;
    /// # let x = Tensor::from_slice(&engine, Device::CPU, 2, &[1i64, 2])?;
    /// Expression::new("x *= 3")?.run_into(&[("x", (&x).into())], &[&x])?;
    /// assert_eq!(x.to_vec::<i64>()?, [3, 6]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Expression::run`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where an `out` does not
    /// fit.
    #[track_caller]
    pub fn run_into(&self, arguments: &[(&str, Operand<'_>)], out: &[&Tensor]) -> Result<()> {
        let mut out: Vec<_> = out.iter().map(|tensor| tensor.as_ptr()).collect();
        self.call(arguments, &mut out)
    }

    /// What [`run_into`](Expression::run_into) does for each of the sets of arguments and results, as one task. What a
    /// set writes, no other may read or write.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Expression, Tensor};
    /// # let engine = Engine::new()?;
    /// # let weight = Tensor::from_slice(&engine, Device::CPU, 2, &[1f32, 2.0])?;
    /// # let bias = Tensor::from_slice(&engine, Device::CPU, 1, &[3f32])?;
    /// Expression::new("p = p - rate * p")?.run_each_into(&[
    ///     (&[("p", (&weight).into()), ("rate", 0.5.into())], &[&weight]),
    ///     (&[("p", (&bias).into()), ("rate", 0.5.into())], &[&bias]),
    /// ])?;
    /// assert_eq!(weight.to_vec::<f32>()?, [0.5, 1.0]);
    /// assert_eq!(bias.to_vec::<f32>()?, [1.5]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Expression::run_into`], with the number of the set.
    #[doc(alias = "rondo_expression_run_each")]
    #[allow(clippy::type_complexity)]
    #[track_caller]
    pub fn run_each_into(&self, sets: &[(&[(&str, Operand<'_>)], &[&Tensor])]) -> Result<()> {
        let refuse = |what| Error::new(ErrorKind::InvalidArgument, what);
        let (n_arguments, n_out) = (sets.first().map_or(0, |set| set.0.len()), self.results().len());
        if sets.iter().any(|set| set.0.len() != n_arguments || set.1.len() != n_out) {
            return Err(refuse(
                "Expression::run_each_into: each set needs as many arguments as the first, and all results",
            ));
        }
        let count =
            |of: usize| i32::try_from(of).map_err(|_| refuse("Expression::run_each_into: more than there can be"));
        let arguments = || sets.iter().flat_map(|set| set.0);
        let names = arguments()
            .map(|(name, _)| c_string("Expression::run_each_into", "arguments", name))
            .collect::<Result<Vec<CString>>>()?;
        let plain = raw_arguments(names.iter().zip(arguments()).map(|(name, (_, operand))| (name.as_ptr(), *operand)));
        let mut out: Vec<_> = sets.iter().flat_map(|set| set.1).map(|tensor| tensor.as_ptr()).collect();
        let (sets, n_arguments, n_out) = (count(sets.len())?, count(n_arguments)?, count(n_out)?);
        // SAFETY: the arguments and their names live until the call is over; both have as many entries as they are told.
        check(unsafe {
            sys::rondo_expression_run_each(self.as_ptr(), sets, n_arguments, plain.as_ptr(), n_out, out.as_mut_ptr())
        })
    }

    #[track_caller]
    fn call(&self, arguments: &[(&str, Operand<'_>)], out: &mut [*mut sys::rondo_tensor]) -> Result<()> {
        let names = arguments
            .iter()
            .map(|(name, _)| c_string("Expression::run", "arguments", name))
            .collect::<Result<Vec<CString>>>()?;
        let plain = raw_arguments(names.iter().zip(arguments).map(|(name, (_, operand))| (name.as_ptr(), *operand)));
        let too_many = |_| Error::new(ErrorKind::InvalidArgument, "Expression::run: more arguments than there can be");
        let (n_arguments, n_out) =
            (i32::try_from(plain.len()).map_err(too_many)?, i32::try_from(out.len()).map_err(too_many)?);
        // SAFETY: the arguments and their names live until the call is over; `out` has as many entries as it is told.
        check(unsafe { sys::rondo_expression_run(self.as_ptr(), n_arguments, plain.as_ptr(), n_out, out.as_mut_ptr()) })
    }

    /// The handle of the C interface, borrowed: it lives as long as this expression.
    ///
    /// ```
    /// assert!(!rondo::Expression::new("y = -x")?.as_ptr().is_null());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    #[inline]
    pub fn as_ptr(&self) -> *mut sys::rondo_expression {
        self.handle.as_ptr()
    }
}

impl Drop for Expression {
    fn drop(&mut self) {
        // SAFETY: the one owner of the handle.
        unsafe { sys::rondo_expression_destroy(self.as_ptr()) }
    }
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expression({} -> {})", self.operands().join(", "), self.results().join(", "))
    }
}

/// Arguments as the C interface takes them. The names must live as long.
pub(crate) fn raw_arguments<'a>(
    arguments: impl Iterator<Item = (*const c_char, Operand<'a>)>,
) -> Vec<sys::rondo_argument> {
    arguments
        .map(|(name, operand)| {
            let (kind, tensor, scalar, integer) = match operand {
                Operand::Tensor(tensor) => (sys::RONDO_ARGUMENT_TENSOR, tensor.as_ptr(), 0.0, 0),
                Operand::F64(number) => (sys::RONDO_ARGUMENT_SCALAR, null_mut(), number, 0),
                Operand::I64(number) => (sys::RONDO_ARGUMENT_INTEGER, null_mut(), 0.0, number),
            };
            sys::rondo_argument { name, kind, tensor, scalar, integer }
        })
        .collect()
}
