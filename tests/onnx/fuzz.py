#!/usr/bin/env python3
"""Writes a few models with all that the reader knows, and runs onnx_fuzz on them.

    fuzz.py PROGRAM RUNS [SEED]
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from writer import BOOL, FLOAT16, INT64, UINT8, external_tensor, function, graph, model, node, tensor, value  # noqa: E402


def models():
    branch = graph([node("Constant", [], ["c"], value=("tensor", tensor("", [2], [1, 2]))), node("Add", ["x", "c"], ["b"])], [], [value("b", [2])])
    twice = function("Twice", "local", ["a"], ["b"], [node("Add", ["a", "a"], ["b"])])
    chooses = [node("If", ["p"], ["y"], "it", then_branch=("graph", branch), else_branch=("graph", branch)), node("Twice", ["y"], ["z"], domain="local")]
    yield model(graph(chooses, [value("x", [2]), value("p", [], BOOL)], [value("z", [2])]), functions=[twice], domains=["local"], metadata=[("labels", "cat dog")])
    norm = [node("ReduceMean", ["x"], ["m"], axes=[-1]), node("Sub", ["x", "m"], ["d"]), node("Pow", ["d", "two"], ["q"]), node("ReduceMean", ["q"], ["v"], axes=[-1]),
            node("Add", ["v", "e"], ["w"]), node("Sqrt", ["w"], ["s"]), node("Div", ["d", "s"], ["n"]), node("Mul", ["n", "g"], ["h"]), node("Add", ["h", "o"], ["y"])]
    constants = [tensor("two", [], [2]), tensor("e", [], [1e-5]), tensor("g", [4], [1, 2, 3, 4]), tensor("o", [4], [1, 2, 3, 4])]
    yield model(graph(norm, [value("x", ["batch", 4])], [value("y", ["batch", 4])], constants))
    products = [node("MatMul", ["x", "w"], ["a"]), node("Add", ["a", "b"], ["c"]), node("Relu", ["c"], ["d"]), node("Conv", ["i", "f"], ["j"], kernel_shape=[1, 1], alpha=0.5, auto_pad="VALID")]
    constants = [tensor("w", [2, 3], [1] * 6), tensor("b", [3], [1, 2, 3]), tensor("f", [1, 1, 1, 1], [2], FLOAT16), tensor("k", [3], [1, 2, 3], INT64),
                 external_tensor("u", [8], "weights.bin", 0, 8, UINT8)]
    yield model(graph(products, [value("x", [None, 2]), value("i", [1, 1, 4, "width"])], [value("d", []), value("j", [])], constants))


def main(program, runs, seed="1"):
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for i, data in enumerate(models()):
            paths.append(pathlib.Path(folder, f"{i}.onnx"))
            paths[-1].write_bytes(data)
        return subprocess.run([program, runs, seed, *paths]).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
