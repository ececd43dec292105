"""The parts of the crate `rondo` that are lists: enums of the C headers, and a method for each operator in them.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import re
import textwrap

# Its headings are the subjects by which the methods are divided into files.
OPERATORS = pathlib.Path(__file__).resolve().parent.parent.parent / "src/ops/operators/operators.def"
NORMALISATIONS = OPERATORS.parent / "normalisations.def"
LICENCE = "Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0"
# enum of the headers: name here, what its constants begin with, its sentence, constants that are left out
ENUMS = {
    "rondo_status": ("ErrorKind", "RONDO_", "What kind of failure an [`Error`](crate::Error) is.", {"RONDO_OK"}),
    "rondo_dtype": ("DType", "RONDO_", "The type of a tensor's elements.", set()),
    "rondo_device_kind": ("DeviceKind", "RONDO_", "The kind of a device.", set()),
    "rondo_engine_mode": ("EngineMode", "RONDO_ENGINE_", "How an engine issues work.", set()),
    "rondo_log_level": ("LogLevel", "RONDO_LOG_", "How much is logged: a level and the ones above it.", set()),
    "rondo_unary_op": ("UnaryOp", "RONDO_", "An elementwise operator of one operand.", set()),
    "rondo_binary_op": ("BinaryOp", "RONDO_", "An elementwise operator of two operands.", set()),
    "rondo_ternary_op": ("TernaryOp", "RONDO_", "An elementwise operator of three operands.", set()),
    "rondo_reduce_op": ("ReduceOp", "RONDO_", "An operator that reduces axes.", set()),
    "rondo_pad_mode": ("PadMode", "RONDO_PAD_", "What padding shows.", set()),
    "rondo_softmax_op": ("SoftmaxOp", "RONDO_", "A softmax.", set()),
    "rondo_comm_state": ("CommState", "RONDO_COMM_", "Whether a group of devices works.", set()),
    "rondo_resize_mode": ("ResizeMode", "RONDO_RESIZE_", "How an element of a resized image is made.", set()),
    "rondo_resize_origin": ("ResizeOrigin", "RONDO_RESIZE_", "Where an element of a resized image lies in the image.", set()),
    "rondo_optimizer_kind": ("OptimizerKind", "RONDO_OPTIMIZER_", "The rule by which an [`Optimizer`](crate::Optimizer) steps.", set()),
    "rondo_rate_schedule": ("RateSchedule", "RONDO_RATE_", "What a learning rate is multiplied by, step after step.", set()),
    "rondo_precision": ("Precision", "RONDO_PRECISION_", "In what an operator computes in an [autocast scope](crate::Engine::autocast).", set()),
    "rondo_activation": ("Activation", "RONDO_ACTIVATION_", "What is applied to a matrix product or a convolution last.", set()),
}
NOT_LISTS = {  # flags and the mode of bags: methods of builders; the kind of an argument: variants of Operand
    "rondo_task_flags", "rondo_record_flags", "rondo_tape_flags", "rondo_argument_kind",
    "rondo_launch_flags", "rondo_callable_flags", "rondo_bag_mode",
}

IN_PLACE = {"add", "sub", "mul", "div", "mod", "pow", "maximum", "minimum"}  # what has `_into` and `_assign` too
METHODS = {"mod": "modulo"}  # words that Rust keeps for itself

# (operands, result) of each operator's example; others show the shape alone
UNARY = {
    "neg": ("[1.0f32, -2.0]", "f32", "[-1.0, 2.0]"), "abs": ("[1.0f32, -2.0]", "f32", "[1.0, 2.0]"),
    "sign": ("[3.0f32, -2.0, 0.0]", "f32", "[1.0, -1.0, 0.0]"), "square": ("[3i32, -2]", "i32", "[9, 4]"),
    "logical_not": ("[0i32, 7]", "bool", "[true, false]"), "isnan": ("[0.0, f32::NAN]", "bool", "[false, true]"),
    "relu": ("[3.0f32, -2.0]", "f32", "[3.0, 0.0]"), "floor": ("[1.5f32, -1.5]", "f32", "[1.0, -2.0]"),
    "ceil": ("[1.5f32, -1.5]", "f32", "[2.0, -1.0]"), "round": ("[0.5f32, 1.5]", "f32", "[0.0, 2.0]"),
    "exp": ("[0.0f64]", "f64", "[1.0]"), "log": ("[1.0f64]", "f64", "[0.0]"), "sqrt": ("[4i32, 9]", "f32", "[2.0, 3.0]"),
    "rsqrt": ("[4.0f32]", "f32", "[0.5]"), "tanh": ("[0.0f32]", "f32", "[0.0]"), "sigmoid": ("[0.0f32]", "f32", "[0.5]"),
    "reciprocal": ("[4.0f32]", "f32", "[0.25]"), "sin": ("[0.0f32]", "f32", "[0.0]"), "cos": ("[0.0f32]", "f32", "[1.0]"),
    "bit_not": ("[0i32, -1]", "i32", "[-1, 0]"), "trunc": ("[1.5f32, -1.5]", "f32", "[1.0, -1.0]"),
    "clip": ("[1.0f32, 9.0]", "f32", "[2.0, 3.0]"), "leaky_relu": ("[4.0f32, -1.0]", "f32", "[4.0, -0.5]"),
    "hard_tanh": ("[0.5f32, 5.0]", "f32", "[2.0, 3.0]"),
    "erf": ("[0.0f32]", "f32", "[0.0]"), "expm1": ("[0.0f32]", "f32", "[0.0]"), "log1p": ("[0.0f32]", "f32", "[0.0]"),
}
BINARY = {
    "add": ("5", "i32", "[12, 8]"), "sub": ("5", "i32", "[2, -2]"), "mul": ("5", "i32", "[35, 15]"),
    "div": ("2", "i32", "[3, 1]"), "pow": ("2", "i32", "[49, 9]"), "maximum": ("5", "i32", "[7, 5]"),
    "minimum": ("5", "i32", "[5, 3]"), "mod": ("4", "i32", "[3, 3]"), "eq": ("3", "bool", "[false, true]"),
    "ne": ("3", "bool", "[true, false]"), "lt": ("5", "bool", "[false, true]"), "le": ("3", "bool", "[false, true]"),
    "gt": ("5", "bool", "[true, false]"), "ge": ("7", "bool", "[true, false]"),
    "logical_and": ("0", "bool", "[false, false]"), "logical_or": ("0", "bool", "[true, true]"),
    "logical_xor": ("1", "bool", "[false, false]"),
}
REDUCE = {
    "sum": ("i64", "[6, 15]"), "mean": ("f32", "[2.0, 5.0]"), "max": ("i32", "[3, 6]"), "min": ("i32", "[1, 4]"),
    "argmax": ("i64", "[2, 2]"), "argmin": ("i64", "[0, 0]"), "prod": ("i64", "[6, 120]"), "all": ("bool", "[true, true]"),
    "any": ("bool", "[true, true]"), "l1_norm": ("f32", "[6.0, 15.0]"), "nansum": ("i64", "[6, 15]"),
    "nanprod": ("i64", "[6, 120]"),
}


def enums_of(description):
    """{enum: [(constant, number, note)]} of the headers."""
    return {enum["name"]: [(value["name"], value["value"], value["text"] or "") for value in enum["values"]]
            for enum in description["enums"]}


def camel(words):
    return "".join(word.capitalize() for word in words.lower().split("_"))


def sentence(note):
    """A note of the header as Markdown: text of C is not a link."""
    note = note.replace("the following give ", "gives ")
    note = re.sub(r"\b(RONDO_\w+|rondo_\w+)", r"`\1`", note).replace("[", "\\[").replace("<", "\\<")
    return note[:1].upper() + note[1:] + ("" if note.endswith(".") else ".") if note else ""


def enum_text(name, values):
    rust, prefix, about, left_out = ENUMS[name]
    rows = []
    for constant, number, note in values:
        if constant not in left_out:
            text = sentence(note) or f"`{constant}`."
            rows.append(f"/// {text}\n#[doc(alias = \"{constant}\")]\n{camel(constant[len(prefix):])} = {number},")
    return f"c_enum! {{\n/// {about} `{name}` of the C interface.\n#[doc(alias = \"{name}\")]\npub enum {rust}: {name} {{\n" + "\n".join(rows) + "\n}\n}\n"


def methods(values):
    for constant, _, note in values:
        name = constant[len("RONDO_"):].lower()
        yield name, METHODS.get(name, name), camel(name), sentence(note), parameters_of(note)


def parameters_of(note):
    """(names of parameters, whether they have defaults), from `parameters low, high, default -1, 1`."""
    found = re.search(r"\bparameters? (\w+(?:, (?!default)\w+)*)(, default)?", note)
    return (found[1].split(", "), bool(found[2])) if found else ([], True)


# What the examples give parameters; others get 1.
ARGUMENTS = {"low": "2.0", "high": "3.0", "slope": "0.5"}


def arguments_of(parameters):
    """(arguments as declared, as passed on, as the example has them)."""
    return ("".join(f", {name}: f64" for name in parameters), f"&[{', '.join(parameters)}]",
            ", ".join(ARGUMENTS.get(name, "1.0") for name in parameters))


# What each kind of method refuses. Links are of rustdoc.
REFUSED = "[`InvalidArgument`](crate::ErrorKind::InvalidArgument) where"
ERRORS = {
    "unary": f"{REFUSED} the operator does not take the dtype",
    "binary": f"{REFUSED} the operator does not take the dtypes or the shapes do not broadcast",
    "reduce": f"{REFUSED} there is no such axis, the operator does not take the dtype, or has no value for no elements",
}
ERRORS["ternary"] = ERRORS["binary"]


def example(lines, family, more=""):
    """An example and what the method refuses, with which its documentation ends."""
    text = f"{ERRORS[family]}{more}; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written."
    return "".join(f"/// {line}\n" for line in [
        "", "```", "# use rondo::{Device, Engine, Tensor};", "# let engine = Engine::new()?;", *lines,
        "# Ok::<(), rondo::Error>(())", "```", "", "# Errors", "", *textwrap.wrap(text, 110, break_long_words=False, break_on_hyphens=False)])


# What programmers of Rust expect of an operator, beside what it does.
BESIDE_RUST = {
    "div": "Rust's `/` rounds so too, and panics for a division by zero.",
    "mod": "Rust's `%` has the sign of the dividend, as [`Tensor::fmod`] has.",
    "fmod": "This is Rust's `%`, which panics for a division by zero.",
}


def head(name, note):
    return f"/// Elementwise `{name}`. {note}\n" + (f"/// {BESIDE_RUST[name]}\n" if name in BESIDE_RUST else "")


def unary_text(name, method, op, note, parameters):
    data, kind, result = UNARY.get(name, ("[1.0f32]", "f32", None))
    size = data.count(",") + 1

    def written(method, declared, call, given, result):
        check = f"assert_eq!(a.{method}({given})?.to_vec::<{kind}>()?, {result});" if result else \
            f"assert_eq!(a.{method}({given})?.shape()?, [{size}]);"
        return head(name, note) + example([f"let a = Tensor::from_slice(&engine, Device::CPU, {size}, &{data})?;", check], "unary") + \
            f"#[track_caller]\npub fn {method}(&self{declared}) -> Result<Tensor> {{ {call} }}\n"

    names, has_defaults = parameters
    declared, passed, given = arguments_of(names)
    plain = written(method, "", f"ops::unary(UnaryOp::{op}, self)", "", None if names else result)
    if not names:
        return plain
    with_them = f"ops::unary_with(UnaryOp::{op}, self, {passed})"
    if not has_defaults:
        return written(method, declared, with_them, given, result)
    return plain + written(f"{method}_with", declared, with_them, given, result)


def binary_text(name, method, op, note, parameters):
    scalar, kind, result = BINARY.get(name, ("5", "i32", None))
    check = f"assert_eq!(a.{method}({scalar})?.to_vec::<{kind}>()?, {result});" if result else \
        f"assert_eq!(a.{method}({scalar})?.shape()?, [2]);"
    names, has_defaults = parameters
    assert has_defaults, f"{name} has parameters without defaults"
    declared, passed, given = arguments_of(names)
    more = names and head(name, note) + example(
        ["let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;",
         f"assert_eq!(a.{method}_with(&a, {given})?.shape()?, [2]);"], "binary") + \
        f"#[track_caller]\npub fn {method}_with(&self, other: &Tensor{declared}) -> Result<Tensor> " + \
        f"{{ ops::binary_with(BinaryOp::{op}, self, other, {passed}) }}\n"
    text = (more or "") + head(name, note) + "/// The other operand is a tensor or a number.\n" + example(
        ["let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;", check,
         f"assert_eq!(a.{method}(&a)?.shape()?, [2]);"], "binary") + \
        f"#[track_caller]\npub fn {method}<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> " + \
        f"{{ ops::binary(BinaryOp::{op}, self, other) }}\n"
    kind = kind if result else "f32"
    value = result or "[7.0, 3.0]"
    if name in IN_PLACE:
        text += head(name, note) + "/// The result is written into `out`.\n" + example(
            [f"let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;",
             "let out = a.zeros_like()?;", f"a.{method}_into({scalar}, &out)?;", f"assert_eq!(out.to_vec::<{kind}>()?, {value});"],
            "binary", ", or `out` does not fit") + \
            f"#[track_caller]\npub fn {method}_into<'a>(&'a self, other: impl Into<Operand<'a>>, out: &Tensor) -> Result<()> " + \
            f"{{ ops::binary_into(BinaryOp::{op}, self, other, out) }}\n"
        text += head(name, note) + "/// The result takes this tensor's place.\n" + example(
            ["let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;", f"a.{method}_assign({scalar})?;",
             f"assert_eq!(a.to_vec::<{kind}>()?, {value});"], "binary", ", or the result has another shape or dtype than this tensor") + \
            f"#[track_caller]\npub fn {method}_assign<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<()> " + \
            f"{{ ops::binary_into(BinaryOp::{op}, self, other, self) }}\n"
    return text


def ternary_text(name, method, op, note, parameters):
    assert not parameters[0], f"{name} has parameters"
    result = {"fma": "[2.0, 2.0]"}.get(name, "[1.0, 1.0]")
    return head(name, note) + "/// The other operands are tensors or numbers.\n" + example(
        ["let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 1.0])?;",
         f"assert_eq!(a.{method}(&a, &a)?.shape()?, [2]);", f"assert_eq!(a.{method}(1.0, 1.0)?.to_vec::<f32>()?, {result});"], "ternary") + \
        f"#[track_caller]\npub fn {method}<'a>(&'a self, b: impl Into<Operand<'a>>, c: impl Into<Operand<'a>>) -> Result<Tensor> " + \
        f"{{ ops::ternary(TernaryOp::{op}, self, b, c) }}\n"


def reduce_text(name, method, op, note, parameters):
    kind, result = REDUCE.get(name, ("i32", None))
    names, has_defaults = parameters
    assert has_defaults, f"{name} has parameters without defaults"
    declared, passed, given = arguments_of(names)
    of_axes = f"/// The `{name}` over some axes, or over all with `..`. {note}\n"
    tensor = "let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;"
    check = f"assert_eq!(a.{method}(1)?.to_vec::<{kind}>()?, {result});" if result else f"assert_eq!(a.{method}(1)?.shape()?, [2]);"
    text = of_axes + example([tensor, check, f"assert_eq!(a.{method}(..)?.shape()?, []);"], "reduce") + \
        f"#[track_caller]\npub fn {method}(&self, axes: impl Into<Axes>) -> Result<Tensor> {{ ops::reduce(ReduceOp::{op}, self, axes, false) }}\n"
    if names:
        text += of_axes + example([tensor, f"assert_eq!(a.{method}_with(1, {given})?.shape()?, [2]);"], "reduce") + \
            f"#[track_caller]\npub fn {method}_with(&self, axes: impl Into<Axes>{declared}) -> Result<Tensor> " + \
            f"{{ ops::reduce_with(ReduceOp::{op}, self, axes, false, {passed}) }}\n"
    return text


FAMILIES = (
    ("unary", unary_text, "UnaryOp", "Elementwise operators of one operand."),
    ("binary", binary_text, "BinaryOp", "Elementwise operators of two operands, broadcast."),
    ("ternary", ternary_text, "TernaryOp", "Elementwise operators of three operands, broadcast."),
    ("reduce", reduce_text, "ReduceOp", "Reductions."),
)
# What the methods of a family name besides their enum.
NAMES = {"unary": "self", "binary": "self, Operand", "ternary": "self, Operand", "reduce": "self, Axes"}


def subjects(family):
    """{subject: constants} of a family's operators as operators.def has them; none for the reductions, which are elsewhere."""
    found, subject = {}, None
    for line in OPERATORS.read_text().splitlines():
        heading = re.match(r"// --- (?:\w+ operands: )?(.*)", line)
        row = re.match(rf"{family.upper()}\((\w+),", line)
        subject = heading[1] if heading else subject
        if row:
            found.setdefault(subject, set()).add(f"RONDO_{row[1]}")
    return found


def divided(family, about, values):
    """(module, sentence about it, constants) of a family's files: one for each subject where there are several."""
    by_subject = subjects(family)
    if len(by_subject) < 2:
        return [(family, about, values)]
    assert {value[0] for value in values} == set().union(*by_subject.values()), f"{OPERATORS} has other {family} operators than ops.h"
    return [(f"{family}_{re.match('[a-z]+', subject)[0]}", f"{about[:-1]}: {subject}.", [value for value in values if value[0] in constants])
            for subject, constants in by_subject.items()]


def head_of(about):
    return f"//! {about} Written by generate.py.\n//!\n//! {LICENCE}\n"


def normalisation(function):
    """The function of a normalisation of rows: (a, axis, weight, [bias,] epsilon, out)."""
    name = function["name"].removeprefix("rondo_")
    given = [p["name"] for p in function["parameters"]][2:-2]
    assert [p["name"] for p in function["parameters"]] == ["a", "axis", *given, "epsilon", "out"], function["name"]
    text = " ".join(function["text"].split()).replace("NULL", "`None`").replace("[", "\\[").replace("]", "\\]")
    parameters = "".join(f"{each}: Option<&Tensor>, " for each in given)
    addresses = "".join(f"let {each} = {each}.map_or(null_mut(), Tensor::as_ptr);\n            " for each in given)
    return textwrap.dedent(f"""\
        /// {text}
        ///
        /// ```
        /// # use rondo::{{ops, DType, Device, Engine, Tensor}};
        /// # let engine = Engine::new()?;
        /// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 3])?;
        /// assert_eq!(ops::{name}(&a, -1, {"None, " * len(given)}1e-5)?.shape()?, [2, 3]);
        /// # Ok::<(), rondo::Error>(())
        /// ```
        ///
        /// # Errors
        ///
        /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, a dtype is no float, or
        /// {" or ".join(given)} does not fit.
        #[doc(alias = "{function["name"]}")]
        #[track_caller]
        pub fn {name}(a: &Tensor, axis: impl Into<Axis>, {parameters}epsilon: f64) -> Result<Tensor> {{
            let axis = axis.into().0;
            {addresses}new(a.engine(), |out| unsafe {{ sys::{function["name"]}(a.as_ptr(), axis, {", ".join(given)}, epsilon, out) }})
        }}
        """)


def normalisation_names():
    return re.findall(r"^NORMALISATION\((\w+),", NORMALISATIONS.read_text(), re.MULTILINE)


def normalisations(description):
    functions = {function["name"]: function for function in description["functions"]}
    return head_of("Normalisations of rows.") + "use std::ptr::null_mut;\n\nuse rondo_sys as sys;\n\n" \
        "use crate::arguments::Axis;\nuse crate::ops::new;\nuse crate::{Result, Tensor};\n\n" + \
        "\n".join(normalisation(functions["rondo_" + name]) for name in normalisation_names())


def generated_texts(description):
    """{file: text} of the folder rondo/src/generated, not yet laid out."""
    enums = enums_of(description)
    unknown = enums.keys() - ENUMS.keys() - NOT_LISTS
    if unknown:
        raise SystemExit(f"operators.py does not know the enums {', '.join(sorted(unknown))}: add them to ENUMS or NOT_LISTS")
    parts = [(module, writer, op, NAMES[family], sentence, values) for family, writer, op, about in FAMILIES
             for module, sentence, values in divided(family, about, enums[f"rondo_{family}_op"])]
    modules = "\n".join(("pub(crate) " if name == "normalisations" else "") + f"mod {name};" for name in sorted(["enums", "normalisations", "names", *(module for module, *_ in parts)]))
    files = {"mod.rs": head_of("What is made from the C headers: enums, and a method for each operator.") + modules +
             "\n\npub use self::enums::*;\npub(crate) use self::names::*;\n",
             "enums.rs": head_of("Enums of the C headers.") + "use crate::enums::c_enum;\nuse rondo_sys::*;\n\n" +
             "\n".join(enum_text(name, enums[name]) for name in ENUMS)}
    files["normalisations.rs"] = normalisations(description)
    for module, writer, op, names, about, values in parts:
        rows = [writer(*row) for row in methods(values)]
        files[f"{module}.rs"] = head_of(about) + f"use super::{op};\nuse crate::ops::{{{names}}};\nuse crate::{{Result, Tensor}};\n\n" + \
            f"/// {about}\nimpl Tensor {{\n" + "\n".join(rows) + "}\n"
    return files
