#!/usr/bin/env python3
"""docs/has-it.md says of functions which dtypes they take, and the library takes these and no others.

    dtypes.py SOURCE_ROOT LIBRARY

Asked are the functions that can be called with tensors of one dtype alone; of others the headers say it.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import ctypes
import pathlib
import re
import sys
from ctypes import c_double as real, c_int64 as whole, c_void_p as handle

DTYPES = ["bool", "u8", "i8", "i32", "i64", "f16", "bf16", "f32", "f64", "i16", "u16", "u32", "u64", "f8_e4m3", "f8_e5m2"]  # by number
F8 = {"f8_e4m3", "f8_e5m2"}
MEANT = {"all": set(DTYPES), "all but f8": set(DTYPES) - F8, "f16 to f64": {"f16", "bf16", "f32", "f64"}, "i32, i64": {"i32", "i64"},
         "u8, i8": {"u8", "i8"}}
F32, I64, BOOL, SILU, CPU = 7, 4, 0, 69, ctypes.c_int64(0)  # {RONDO_CPU, 0} is passed as eight bytes


def sizes(*numbers):
    return (whole * len(numbers))(*numbers)


class Library:
    """The library on one engine; what it gives is kept to the end."""

    def __init__(self, path):
        self.c, self.kept, self.engine = ctypes.CDLL(path), [], handle()
        self.c.rondo_fill.argtypes = [handle, real]
        assert self.c.rondo_engine_create(None, ctypes.byref(self.engine)) == 0

    def out(self):
        self.kept.append(handle())
        return ctypes.byref(self.kept[-1])

    def tensor(self, dtype, *shape):
        made = self.out()
        assert self.c.rondo_tensor_create(self.engine, CPU, dtype, len(shape), sizes(*shape), made) == 0
        assert self.c.rondo_fill(self.kept[-1], 1) == 0
        return self.kept[-1]


def calls(library, dtype):
    """(function, its arguments) with operands of a dtype."""
    out = library.out

    def of(*shape):
        return library.tensor(dtype, *shape)

    def pair():
        return (handle * 2)(of(2, 3), of(2, 3))

    new = library.engine, CPU, dtype
    labels, statistics = library.tensor(I64, 2), [library.tensor(dtype if DTYPES[dtype] == "f64" else F32, 2) for _ in range(2)]
    image, window = of(1, 2, 4, 4), sizes(2, 2)
    yield "add_n", 2, pair(), out()
    yield "where", library.tensor(BOOL, 2, 3), of(2, 3), of(2, 3), out()
    yield "cast", of(2, 3), F32, out()
    yield "copy", of(2, 3), out()
    yield "gated", SILU, of(2, 3), of(2, 3), out()
    yield "cumulative", 0, of(2, 3), 0, 0, out()
    yield "matmul", of(2, 3), of(3, 3), None, out()
    yield "matmul_integer", of(2, 3), of(3, 3), None, None, out()
    for name in "softmax", "log_softmax":
        yield name, of(2, 3), -1, out()
    yield "softmax_grad", of(2, 3), of(2, 3), -1, out()
    yield "layer_norm", of(2, 3), -1, None, None, real(1e-5), out()
    yield "rms_norm", of(2, 3), -1, None, real(1e-5), out()
    yield "cross_entropy", of(2, 3), labels, out()
    for name in "random_uniform", "random_normal":
        yield name, *new, 1, sizes(3), real(0), real(1), out()
    yield "random_permutation", *new, whole(3), out()
    yield "dropout", of(2, 3), real(0.5), out(), out()
    yield "one_hot", labels, whole(4), dtype, out()
    yield "gather_rows", of(2, 3), labels, out()
    yield "concat", 2, pair(), 0, out()
    yield "stack", 2, pair(), 0, out()
    yield "pad", of(2, 3), 0, 4, sizes(1, 1, 1, 1), real(0), out()
    yield "tile", of(2, 3), 2, sizes(2, 2), out()
    yield "repeat", of(2, 3), whole(2), 0, out()
    yield "roll", of(2, 3), 2, sizes(1, 1), out()
    for name in "tril", "triu":
        yield name, of(2, 3), whole(0), out()
    yield "eye", *new, whole(2), whole(2), whole(0), out()
    yield "arange", *new, real(0), real(2), real(1), out()
    yield "linspace", *new, real(0), real(1), whole(2), 1, out()
    yield "take", of(2, 3), labels, 0, out()
    yield "take_along_axis", of(2, 3), library.tensor(I64, 2, 3), 0, out()
    yield "put", of(2, 3), library.tensor(I64, 1), of(1, 3), 0
    yield "nonzero", of(2, 3), out()
    yield "select", of(2, 3), library.tensor(BOOL, 2), out()
    for name in "sort", "argsort":
        yield name, of(2, 3), -1, 0, out()
    yield "topk", of(2, 3), whole(2), -1, 1, out(), out()
    for name in "max_pool", "avg_pool":
        yield name, image, 2, window, None, out()
    for name in "adaptive_max_pool", "adaptive_avg_pool":
        yield name, image, 2, window, out()
    yield "resize", image, 2, sizes(8, 8), 0, 0, out()
    yield "local_response_norm", image, whole(3), real(1e-4), real(0.75), real(1), out()
    yield "convolution", image, of(2, 2, 1, 1), None, out()
    yield "batch_norm", image, *statistics, None, out()
    yield "group_norm", image, whole(1), None, out()
    yield "instance_norm", image, None, out()
    yield "attention", *(of(1, 2, 1, 4) for _ in range(3)), None, out(), out()
    yield "dot_interaction", of(1, 3, 4), 0, out()


def main(root, library):
    page = (pathlib.Path(root) / "docs/has-it.md").read_text()
    told = dict(re.findall(r"^\|.*\| `rondo_(\w+)` \|.*\| ([\w, ]+) \| \w+ \|$", page, re.MULTILINE))
    asked = Library(library)
    takes = {}
    for number, dtype in enumerate(DTYPES):
        for name, *arguments in calls(asked, number):
            if getattr(asked.c, f"rondo_{name}")(*arguments) == 0:
                takes.setdefault(name, set()).add(dtype)
            else:
                takes.setdefault(name, set())
    problems = []
    for name, found in takes.items():
        meant = MEANT.get(told.get(name))
        if meant != found:
            differ = ", ".join(sorted(found ^ (meant or set())))
            problems.append(f"docs/has-it.md: rondo_{name} takes '{told.get(name)}' there; the library differs for {differ}")
    print("\n".join(problems) or f"{len(takes)} functions take what the page says")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
