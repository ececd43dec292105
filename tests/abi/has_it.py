#!/usr/bin/env python3
"""docs/has-it.md names every operator and every function, in C, C++, Rust and Java.

    has_it.py SOURCE_ROOT ABI_JSON            checks
    has_it.py SOURCE_ROOT ABI_JSON --write    writes the tables of the page

Rows are those of the tables of operators and reductions (operators.py), of kinds.def (kinds.py) and of the description of the C interface,
and what languages add to tensors (parts/additions.py). Names in Rust are those of the crate's list, in Java those that its generator gives, in C++ those of the functions that call the C ones.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import kinds
import operators
from parts import additions, cpp_names, made

PAGE = "docs/has-it.md"
BEGIN, END = "<!-- Made by tests/abi/has_it.py. -->\n", "<!-- The end of what is made. -->\n"
HEAD = ["| | C | C++ | Rust | Java | dtypes | gradient |", "|---|---|---|---|---|---|---|"]
DTYPES = {"any": "all but f8", "real": "all but f8", "whole": "integers, bool"}
# Headers in the order of the page, with what they are about.
HEADERS = {"ops": "Products, softmax, random numbers and more", "shapes": "Moving elements", "convolution": "Convolution",
           "normalisation": "Normalisation of images", "pooling": "Pooling and resizing", "attention": "Attention", "recurrent": "Recurrent layers",
           "recommender": "Recommenders", "optimizer": "Optimizers", "mixed_precision": "Mixed precision", "tape": "Gradients",
           "control": "Control flow", "graph": "Recordings and graphs", "callable": "Callables", "user": "Your own operators", "models": "Model files", "programs": "Program files",
           "tensor": "Tensors and views", "engine": "Engines, tasks and variables", "device": "Devices", "comm": "Communicators",
           "data_parallel": "Data-parallel training", "launch": "Ranks", "hooks": "Communicators over your own transport", "cache": "Compiled kernels",
           "reclaim": "Memory given back", "status": "Status, version, log", "trace": "Timeline"}
# dtypes of functions that are no row of a table: tests/abi/dtypes.py asks the library.
MOVED = ("where cast fill fill_i64 copy copy_to concat stack pad tile repeat roll tril triu eye take take_along_axis put put_along_axis gather_rows "
         "select select_limit").split()
COUNTED = ("unary unary_with binary binary_with binary_scalar binary_scalar_i64 scalar_binary scalar_binary_i64 ternary add_n reduce reduce_with cumulative "
           "one_hot nonzero nonzero_limit arange arange_i64 linspace sort argsort topk").split()
INDICES = ["random_permutation"]
BYTES = ["matmul_integer"]
# Functions that submit operators and are no operator of their own.
NO_OPERATORS = {"comm", "control", "engine", "graph", "user", "mixed_precision", "optimizer"}
# What rows say where the header has one comment for several functions.
OWN_WORDS = {"rondo_log_softmax": "out = the logarithm of softmax(a) over one axis", "rondo_variable_destroy": "Destroys a variable",
             "rondo_random_uniform": "out = uniform in [low, high)", "rondo_random_normal": "out = normal(mean, deviation)",
             "rondo_dropout": "out = a with elements dropped at random and the others divided by their share, and the mask"}
NOT_IN_JAVA = {"rondo_tensor_variable"}  # named in messages by what Java has instead
WITH_PARAMETERS = {"RONDO_CLIP"}  # that have no defaults
WHOLE_RESULTS = {"argsort", "random_permutation"}  # of kinds that have gradients


def rust_names(root):
    text = (root / "bindings/rust/rondo/src/generated/names.rs").read_text()
    names = dict(re.findall(r'\("((?:rondo|RONDO)_\w+)", "([\w:]+)"\)', text))
    methods = dict(re.findall(r'\("([a-z]\w*)", "([a-z]\w*)"\)', text.partition("const METHODS")[2]))
    return names, methods


def java_names(root, abi):
    sys.path.insert(0, str(root / "bindings/java/generate"))
    import api
    import names
    sys.path.pop(0)
    found = {function["name"]: names.java_name(function["name"], api.Operator.is_one(function)) for function in abi["functions"]}
    # A constant is named in full, or it would read as the name of a test.
    return {c: f"dev.rondo.{java}" if java and java.split(".")[-1].isupper() else java for c, java in found.items()}, names.camel


def code(text):
    return f"`{text}`" if text else ""


def operator_rows(root, cpp, methods, camel):
    """Tables of elementwise operators and reductions, by section."""
    found = {}
    arguments = {"unary": "a", "binary": "a, b", "ternary": "a, b, c", "reduce": "a"}
    for section, kind, name, domain, _, _, _, gradients, sentence in operators.rows(root):
        gradient = "no" if all(each in ("NONE", "UNKNOWN") for each in gradients) else "yes"
        found.setdefault(section[:1].upper() + section[1:], []).append((kind, name, DTYPES[domain], gradient, sentence))
    for name, _, _, _, gradient, sentence in operators.reductions(root):
        found.setdefault("Reductions", []).append(("reduce", name, "all but f8", "no" if gradient == "NONE" else "yes", sentence))
    for section, rows in found.items():
        yield f"## {section}"
        yield from ["", *HEAD]
        for kind, name, dtypes, gradient, sentence in rows:
            word = name.removeprefix("RONDO_").lower()
            own = cpp.get(name) or f"{kind}({name}, {arguments[kind]})"
            cells = [sentence.replace("|", "\\|"), code(f"rondo_{kind}{'_with' * (name in WITH_PARAMETERS)}({name}, ...)"), code(own), code(f"Tensor::{methods.get(word, word)}"),
                     code(f"Tensor.{camel(word)}"), dtypes, gradient]
            yield "| " + " | ".join(cells) + " |"
        yield ""


def dtypes_of(name, computes):
    return "all" if name in MOVED else "all but f8" if name in COUNTED else "i32, i64" if name in INDICES else "u8, i8" if name in BYTES else "f16 to f64" if computes else ""


def first_sentence(text):
    """What a function's comment begins with, on one line."""
    flat = " ".join(text.split())
    end = re.search(r"\.(?= [A-Z`*]|$)|;", flat)
    return (flat[:end.start()] if end else flat).replace("|", "\\|").replace("<", "\\<")


def function_rows(root, abi, cpp, rust, java):
    gradients = {}
    for _, gradient, _, functions in kinds.kinds(root):
        for each in functions.split():
            gradients[each] = gradients.get(each, False) or gradient == "rule"
    by_header = {}
    for function in abi["functions"]:
        by_header.setdefault(pathlib.PurePath(function["header"]).stem, []).append(function)
    for header, title in HEADERS.items():
        yield f"## {title}"
        yield from ["", *HEAD]
        for function in by_header.pop(header):
            name = function["name"]
            short = name.removeprefix("rondo_")
            computes = short in gradients and header not in NO_OPERATORS and function["returns"]["base"] == "rondo_status"
            gradient = ("yes" if gradients[short] and short not in WHOLE_RESULTS else "no") if computes else ""
            in_java = None if name in NOT_IN_JAVA else java.get(name)
            cells = [OWN_WORDS.get(name) or first_sentence(function["text"]), code(name), code(cpp.get(name)), code(rust.get(name)), code(in_java),
                     dtypes_of(short, computes), gradient]
            yield "| " + " | ".join(cells) + " |"
        yield ""
    if by_header:
        sys.exit(f"has_it.py: HEADERS lacks {', '.join(sorted(by_header))}")


def added_rows(root, abi):
    """What languages add to tensors under a name that is none of C's."""
    known = {function["name"].removeprefix("rondo_").removeprefix("tensor_") for function in abi["functions"]}
    known |= {each.removeprefix("RONDO_").lower() for row in operators.rows(root) for each in row[2:3]}
    known |= {row[0].removeprefix("RONDO_").lower() for row in operators.reductions(root)}
    yield from ["## What a language adds to tensors", "", "| | C++ | Rust | Java |", "|---|---|---|---|"]
    for name, said, *of in additions.by_name(root):
        if name in known:
            continue
        if not said:
            sys.exit(f"has_it.py: no language says what {name} does; OWN_WORDS of parts/additions.py may")
        yield "| " + " | ".join([said.replace("|", "\\|").replace("<", "\\<"), *map(code, of)]) + " |"
    yield ""


def tables(root, abi):
    cpp = cpp_names.names(root)
    rust, methods = rust_names(root)
    java, camel = java_names(root, abi)
    return "\n".join([*operator_rows(root, cpp, methods, camel), *function_rows(root, abi, cpp, rust, java), *added_rows(root, abi)])


def main(root, description, *options):
    root = pathlib.Path(root).resolve()
    text = tables(root, json.loads(pathlib.Path(description).read_text(encoding="utf-8")))
    before, _, rest = (root / PAGE).read_text().partition(BEGIN)
    wanted = before + BEGIN + "\n" + text + END + rest.partition(END)[2]
    return made.outcome(root, PAGE, wanted, options, "tests/abi/has_it.py --write makes of the tables",
                        f"{text.count(chr(10) + '| ')} rows, as the tables have them", by_line=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
