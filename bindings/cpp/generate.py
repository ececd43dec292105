#!/usr/bin/env python3
"""Writes the operators of rondo.hpp, methods and functions, from the tables of operators in src/ops/operators.

    generate.py           writes the folder include/rondo/hpp/generated
    generate.py --check   compares instead; exits 77 with a sentence where clang-format-14 is not there
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/abi"))
import operators  # noqa: E402  reads the tables

FOLDER = ROOT / "include/rondo/hpp/generated"
SKIPPED = 77
# Operators of the language. % is the dividend's remainder in C++ and mod the divisor's, == and < would look as if they compared
# whole tensors, and << writes to streams: those have names alone.
SYMBOLS = {"RONDO_ADD": "+", "RONDO_SUB": "-", "RONDO_MUL": "*", "RONDO_DIV": "/", "RONDO_BIT_AND": "&", "RONDO_BIT_OR": "|",
           "RONDO_BIT_XOR": "^", "RONDO_NEG": "-", "RONDO_BIT_NOT": "~"}
NOTE = re.compile(r"\b(RONDO_\w+) = \d+,? +/\* (.*?) \*/", re.DOTALL)


def parameter_names():
    """{enumerator: names of its parameters}, as ops.h has them: "parameters low, high, default -1, 1"."""
    found = {}
    for name, note in NOTE.findall((ROOT / "include/rondo/ops.h").read_text()):
        match = re.search(r"\bparameters? (\w+(?:, (?!default)\w+)*)", note)
        found[name] = match[1].split(", ") if match else []
    return found


class Operator:
    def __init__(self, kind, enumerator, parameters, result, sentence, names):
        self.kind, self.op, self.result = kind, enumerator, result
        self.name = enumerator.removeprefix("RONDO_").lower()
        self.about = (sentence[:1].upper() if re.match(r"[a-z]{2,} ", sentence) else sentence[:1]) + sentence[1:] + "."
        self.symbol = SYMBOLS.get(enumerator)
        self.names = [self.name] + ([f"operator{self.symbol}"] if self.symbol else [])
        defaults = [each.strip() for each in parameters.split(",") if each.strip()]
        self.parameters = list(zip(names.get(enumerator, []), defaults))
        if len(self.parameters) != len(defaults):
            raise SystemExit(f"include/rondo/ops.h: the comment of {enumerator} names not the parameters that its row has")

    @property
    def declared(self):
        """Parameters at the end of a list of others."""
        return "".join(f", double {name}" + ("" if value == "REQUIRED" else f" = {value}") for name, value in self.parameters)

    @property
    def passed(self):
        return ", {" + ", ".join(name for name, _ in self.parameters) + "}" if self.parameters else ""


def unary_functions(op):
    yield f"// {op.about}"
    for name in op.names:
        yield f"inline Tensor {name}(const Tensor& a{op.declared}) {{ return unary({op.op}, a{op.passed}); }}"


def unary_methods(op):
    yield f"T {op.name}({op.declared[2:]}) const {{ return unary({op.op}, self(){op.passed}); }}"
    if op.result == "same":
        yield f"const T& {op.name}_({op.declared[2:]}) const {{ return unary_into({op.op}, self(){op.passed}, self()); }}"


def binary_functions(op):
    yield f"// {op.about}"
    for name in op.names:
        yield f"inline Tensor {name}(const Tensor& a, const Tensor& b{op.declared}) {{ return binary({op.op}, a, b{op.passed}); }}"
        if not op.parameters:
            yield f"inline Tensor {name}(const Tensor& a, Number b) {{ return binary({op.op}, a, b); }}"
            yield f"inline Tensor {name}(Number a, const Tensor& b) {{ return binary({op.op}, a, b); }}"


def binary_methods(op):
    yield f"T {op.name}(const T& b{op.declared}) const {{ return binary({op.op}, self(), b{op.passed}); }}"
    if op.parameters:
        return
    yield f"T {op.name}(Number b) const {{ return binary({op.op}, self(), b); }}"
    if op.result == "same":
        yield f"const T& {op.name}_(const T& b) const {{ return binary_into({op.op}, self(), b, self()); }}"
        yield f"const T& {op.name}_(Number b) const {{ return binary_into({op.op}, self(), b, self()); }}"
    for b in ("const T& b", "Number b") if op.symbol else ():
        yield f"T& operator{op.symbol}=({b}) {{ return {op.name}_(b), static_cast<T&>(*this); }}"


def ternary_functions(op):
    yield f"// {op.about}\ninline Tensor {op.name}(const Tensor& a, const Tensor& b, const Tensor& c) {{ return ternary({op.op}, a, b, c); }}"


def reduce_call(op, tensor):
    if op.parameters:
        return f"reduce_with({op.op}, {tensor}{op.passed}, axes, keep)"
    return f"reduce({op.op}, {tensor}, axes, keep)"


def reduce_functions(op):
    yield f"// {op.about}\ninline Tensor {op.name}(const Tensor& a, const Axes& axes = {{}}, bool keep = false{op.declared}) {{ return {reduce_call(op, 'a')}; }}"


def reduce_methods(op):
    yield f"T {op.name}(const Axes& axes = {{}}, bool keep = false{op.declared}) const {{ return {reduce_call(op, 'self()')}; }}"


LICENCE = "Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0"
FILE = """// {about} Written by bindings/cpp/generate.py.
// {licence}
#ifndef RONDO_HPP_GENERATED_{guard}_HPP
#define RONDO_HPP_GENERATED_{guard}_HPP

{includes}

namespace rondo {{
inline namespace abi_0 {{
{body}
}}  // namespace abi_0
}}  // namespace rondo

#endif  // RONDO_HPP_GENERATED_{guard}_HPP
"""
METHODS = """namespace detail {{

template <class T>
class {name} {{
 public:
{methods}

 private:
  const T& self() const noexcept {{ return static_cast<const T&>(*this); }}
}};

}}  // namespace detail
"""


def text_of(name, about, body, *included):
    return FILE.format(about=about, licence=LICENCE, guard=name.upper(), includes="\n".join(f"#include <rondo/{each}>" for each in included), body=body)


def generated():
    """{file: text}, not yet laid out."""
    names = parameter_names()
    families = {"unary": [], "binary": [], "ternary": [], "reduce": []}
    for _, kind, enumerator, _, result, parameters, _, _, sentence in operators.rows(ROOT):
        families[kind].append(Operator(kind, enumerator, parameters, result, sentence, names))
    for enumerator, _, parameter, _, _, sentence in operators.reductions(ROOT):
        families["reduce"].append(Operator("reduce", enumerator, parameter, "", sentence, names))
    about = {"unary": "Operators of one operand, element by element", "binary": "Operators of two operands, broadcast",
             "ternary": "Operators of three operands, broadcast", "reduce": "Reductions over axes, or over all of them"}
    files = {}
    for family, methods in ("unary", unary_methods), ("binary", binary_methods), ("reduce", reduce_methods):
        body = METHODS.format(name=f"{family.capitalize()}Methods", methods="\n".join(line for op in families[family] for line in methods(op)))
        files[f"{family}_methods.hpp"] = text_of(f"{family}_methods", about[family] + ", as methods.", body, "hpp/arguments.hpp", "ops.h")
    for family, functions in ("unary", unary_functions), ("binary", binary_functions), ("ternary", ternary_functions), ("reduce", reduce_functions):
        body = "\n".join(line for op in families[family] for line in functions(op)) + "\n"
        files[f"{family}.hpp"] = text_of(family, about[family] + ", as functions.", "\n" + body, "hpp/elementwise.hpp")
    return files


def laid_out(name, text):
    formatter = shutil.which("clang-format-14")
    if not formatter:
        return None
    return subprocess.run([formatter, f"--assume-filename={FOLDER / name}"], input=text, capture_output=True, text=True, check=True).stdout


def main(arguments):
    files = {name: laid_out(name, text) for name, text in generated().items()}
    if None in files.values():
        print("clang-format-14 is needed and not there")
        return SKIPPED if "--check" in arguments else 1
    if "--check" not in arguments:
        FOLDER.mkdir(exist_ok=True)
        for name, text in files.items():
            (FOLDER / name).write_text(text)
        return 0
    there = {path.name: path.read_text() for path in FOLDER.glob("*")}
    wrong = [f"include/rondo/hpp/generated/{name}: differs from what bindings/cpp/generate.py writes: run it"
             for name in sorted(files.keys() | there.keys()) if files.get(name) != there.get(name)]
    print("\n".join(wrong) or f"{len(files)} files are as the tables of operators say")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
