//! A tensor's elements as text, as NumPy prints arrays.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::fmt;

use crate::{DType, Result, Tensor};

const MOST: usize = 1000; // elements that are printed without leaving any out
const EDGE: usize = 3; // places of each axis that are printed at either end then

impl fmt::Display for Tensor {
    /// The elements, in brackets by axis, and what they are; of more than 1000 the first and last three of each axis. A
    /// precision (`{:.2}`) is that of floats. Waits for the elements.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 2], &[1.0f32, -2.5, 3.0, 10.0])?;
    /// assert_eq!(a.to_string(), "[[ 1.0, -2.5],\n [ 3.0, 10.0]] f32 on cpu:0");
    /// # Ok::<(), rondo::Error>(())
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match text_of(self, f.precision()) {
            Ok(text) => f.write_str(&text),
            Err(error) => write!(f, "Tensor({})", error), // what fails is said, as Debug does
        }
    }
}

fn text_of(tensor: &Tensor, precision: Option<usize>) -> Result<String> {
    let info = tensor.info()?;
    let elide = info.elements > MOST;
    // Only what is printed is copied from the device.
    let mut shown = tensor.clone();
    if elide {
        for (axis, &size) in info.shape.iter().enumerate().filter(|&(_, &size)| size > 2 * EDGE) {
            let ends = [shown.slice_axis(axis, ..EDGE)?, shown.slice_axis(axis, size - EDGE..)?];
            shown = Tensor::concat(&[&ends[0], &ends[1]], axis)?;
        }
    }
    let elements = texts(&shown, info.dtype, precision)?;
    let width = elements.iter().map(String::len).max().unwrap_or(0);
    let mut text = String::new();
    let mut rest = elements.iter();
    write_axis(&mut text, &info.shape, 0, elide, width, &mut rest);
    Ok(format!("{} {} on {}", text, info.dtype, info.device))
}

fn texts(tensor: &Tensor, dtype: DType, precision: Option<usize>) -> Result<Vec<String>> {
    fn all<T: crate::Element>(tensor: &Tensor, text: impl Fn(T) -> String) -> Result<Vec<String>> {
        Ok(tensor.to_vec::<T>()?.into_iter().map(text).collect())
    }
    let of_f64 = move |value: f64| match precision {
        Some(digits) => format!("{:.*}", digits, value),
        None => format!("{:?}", value),
    };
    match dtype {
        DType::Bool => all(tensor, |value: bool| value.to_string()),
        DType::U64 => all(tensor, |value: u64| value.to_string()),
        DType::F64 => all(tensor, of_f64),
        DType::F32 | DType::F16 | DType::Bf16 | DType::F8E4m3 | DType::F8E5m2 => {
            all(&tensor.cast(DType::F32)?, move |value: f32| match precision {
                Some(digits) => format!("{:.*}", digits, value),
                None => format!("{:?}", value),
            })
        }
        _ => all(&tensor.cast(DType::I64)?, |value: i64| value.to_string()),
    }
}

fn write_axis(
    text: &mut String,
    shape: &[usize],
    axis: usize,
    elide: bool,
    width: usize,
    elements: &mut std::slice::Iter<'_, String>,
) {
    let size = match shape.get(axis) {
        Some(&size) => size,
        None => {
            let element = elements.next().map_or("", String::as_str);
            text.push_str(&format!("{:>width$}", element, width = width));
            return;
        }
    };
    let shorten = elide && size > 2 * EDGE;
    text.push('[');
    for place in 0..if shorten { 2 * EDGE } else { size } {
        if place > 0 {
            separate(text, shape.len() - axis - 1, axis);
        }
        if shorten && place == EDGE {
            text.push_str("...");
            separate(text, shape.len() - axis - 1, axis);
        }
        write_axis(text, shape, axis + 1, elide, width, elements);
    }
    text.push(']');
}

/// Between neighbours of an axis: a blank within a row, as many new lines as axes lie within elsewhere.
fn separate(text: &mut String, axes_within: usize, axis: usize) {
    text.push(',');
    if axes_within == 0 {
        text.push(' ');
        return;
    }
    for _ in 0..axes_within {
        text.push('\n');
    }
    for _ in 0..=axis {
        text.push(' ');
    }
}
