#!/usr/bin/env python3
"""What the example `onnx` says of a classifier, and of models that it cannot convert.

    onnx.py PROGRAM...      a command with its first arguments
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "onnx"))
from writer import graph, model, node, tensor, value  # noqa: E402

SAID = """labels: cat dog
takes x [2, 3]
gives y [2, 2], 0.5000 in the mean
gives h [2, 2], 3.5000 in the mean
"""


def main(*command):
    nodes = [node("Gemm", ["x", "w", "b"], ["h"], transB=1), node("Softmax", ["h"], ["y"], axis=-1)]
    constants = [tensor("w", [2, 3], [1, 1, 1, 1, 2, 1]), tensor("b", [2], [0, 0])]
    classifier = model(graph(nodes, [value("x", ["batch", 3])], [value("y", []), value("h", [])], constants), metadata=[("labels", "cat dog")])
    unknown = model(graph([node("Fancy", ["x"], ["y"])], [value("x", [1])], [value("y", [])]))
    with tempfile.TemporaryDirectory() as folder:
        for data, words, status, out, problem in ((classifier, ["batch=2"], 0, SAID, ""), (classifier, [], 1, "", "batch"), (unknown, [], 1, "", "Fancy")):
            path = pathlib.Path(folder, "model.onnx")
            path.write_bytes(data)
            done = subprocess.run([*command, path, *words], capture_output=True, text=True, timeout=120)
            assert (done.returncode, done.stdout) == (status, out) and problem in done.stderr, (words, done)


main(*sys.argv[1:])
