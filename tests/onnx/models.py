#!/usr/bin/env python3
"""Models written here, converted and called: what is right, what is refused and how, and what hostile files do.

    models.py BUILD TEST
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from rondo_abi import Failed, Rondo  # noqa: E402
from writer import (BOOL, INT64, UINT8, attribute, external_tensor, field, function, graph, model, node, tensor, value)  # noqa: E402

INVALID_ARGUMENT, OUT_OF_MEMORY, NOT_FOUND, UNSUPPORTED, IO_ERROR = 1, 3, 4, 6, 12
F32, I64, BOOLEAN = 7, 4, 0


def reals(numbers):
    return struct.pack(f"<{len(numbers)}f", *numbers)


def as_reals(data):
    return list(struct.unpack(f"<{len(data) // 4}f", data))


class World:
    """The libraries, and a folder for files."""

    def __init__(self, build, folder):
        self.rondo = Rondo(build)
        self.command = pathlib.Path(build, "src/onnx/rondo-convert")
        self.folder = pathlib.Path(folder)
        self.program = self.folder / "program.safetensors"

    def write(self, data, name="model.onnx"):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def convert(self, data, sizes=None, **options):
        self.rondo.convert(self.write(data), self.program, sizes, **options)

    def run(self, *inputs):
        """inputs: (shape, numbers) of f32."""
        return [(shape, as_reals(data)) for _, shape, data in self.rondo.run(self.program, [(F32, shape, reals(numbers)) for shape, numbers in inputs])]

    def refused(self, data, status, *texts, sizes=None, **options):
        """The conversion fails with the status, the message has the texts, and nothing is written."""
        self.program.unlink(missing_ok=True)
        try:
            self.convert(data, sizes, **options)
        except Failed as failed:
            assert failed.status == status, failed
            for text in texts:
                assert text in failed.message, (text, failed.message)
            assert not self.program.exists(), "a file was written"
            return failed.message
        raise AssertionError("it was converted")


def classifier():
    """softmax(relu(x w + b)) of any batch, whose shape is taken apart and put together on the way."""
    nodes = [node("Gemm", ["x", "w", "b"], ["h"], "first", transB=1), node("Relu", ["h"], ["r"]),
             node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["n"], axis=0), node("Unsqueeze", ["n", "axes"], ["n1"]),
             node("Concat", ["n1", "two"], ["to"], axis=0), node("Reshape", ["r", "to"], ["m"]), node("Softmax", ["m"], ["y"], axis=-1)]
    constants = [tensor("w", [2, 3], [1, 0, -1, 0.5, 2, 1]), tensor("b", [2], [0.5, -0.5]), tensor("zero", [], [0], INT64),
                 tensor("axes", [1], [0], INT64), tensor("two", [1], [2], INT64)]
    return model(graph(nodes, [value("x", ["batch", 3])], [value("y", ["batch", 2])], constants), metadata=[("labels", "cat dog")])


def expected_classes(rows):
    result = []
    for a, b, c in rows:
        h = [max(a - c + 0.5, 0), max(0.5 * a + 2 * b + c - 0.5, 0)]
        powers = [math.exp(each - max(h)) for each in h]
        result += [each / sum(powers) for each in powers]
    return result


def close(got, want):
    assert len(got) == len(want) and all(abs(a - b) <= 1e-5 + 1e-5 * abs(b) for a, b in zip(got, want)), (got, want)


def classifies(world):
    rows = [(1, 2, 3), (0.5, -1, 0.25)]
    world.convert(classifier(), {"batch": 2})
    (shape, scores), = world.run(([2, 3], sum(map(list, rows), [])))
    assert shape == [2, 2], shape
    close(scores, expected_classes(rows))
    text = world.program.read_bytes().replace(b'\\"', b'"')
    for part in ('"labels":"cat dog"', '"name":"main","inputs":[["x","f32",[2,3]]]', '["w","f32",[2,3]]', '["y",5,"f32",[2,2]]'):
        assert part.encode() in text, (part, text)


def opens(world):
    """A model is converted and opened in one call, which leaves no file, whether it succeeds or not."""
    path, left = world.write(classifier()), world.folder / "temporary"
    before = os.environ.get("TMPDIR")
    left.mkdir()
    os.environ["TMPDIR"] = str(left)
    try:
        (_, _, scores), = world.rondo.run(world.rondo.open(path, {"batch": 1}), [(F32, [1, 3], reals([1, 2, 3]))])
        close(as_reals(scores), expected_classes([(1, 2, 3)]))
        for model_path, place, status in ((path, left, INVALID_ARGUMENT), (world.folder / "none.onnx", left, NOT_FOUND), (path, left / "none", IO_ERROR)):
            os.environ["TMPDIR"] = str(place)
            try:
                world.rondo.open(model_path)
                raise AssertionError("it was opened")
            except Failed as failed:
                assert failed.status == status and failed.message.startswith("rondo_onnx_open: "), failed
        assert list(left.iterdir()) == []
    finally:
        os.environ.pop("TMPDIR")
        if before is not None:
            os.environ["TMPDIR"] = before


def asks_for_sizes(world):
    world.refused(classifier(), INVALID_ARGUMENT, "'batch'")
    unnamed = model(graph([node("Add", ["a", "b"], ["y"])], [value("a", ["n", 2]), value("b", [None, "m"])], [value("y", [])]))
    world.refused(unnamed, INVALID_ARGUMENT, "'n'", "'b:0'", "'m'")
    world.refused(classifier(), INVALID_ARGUMENT, "'width'", sizes={"batch": 1, "width": 2})
    world.refused(classifier(), INVALID_ARGUMENT, "-1", sizes={"batch": -1})
    world.refused(classifier(), INVALID_ARGUMENT, "'x'", "bytes by its shape", "sizes that are given", sizes={"batch": 1 << 62})
    world.refused(classifier(), INVALID_ARGUMENT, "'batch' is 0", "1 or more", sizes={"batch": 0})
    world.convert(unnamed, {"n": 3, "b:0": 1, "m": 2})
    (shape, sums), = world.run(([3, 2], [1, 2, 3, 4, 5, 6]), ([1, 2], [10, 20]))
    assert (shape, sums) == ([3, 2], [11, 22, 13, 24, 15, 26])


def names_all_unsupported(world):
    nodes = [node("Fancy", ["x"], ["a"], "one"), node("Fancy", ["x"], ["b"], "two"), node("Other", ["a"], ["c"], "three", "com.example"),
             node("NonZero", ["x"], ["d"], "four"), node("Abs", ["c"], ["e"], "fine"), node("Cast", ["x"], ["t"], "five", to=8)]
    text = world.refused(model(graph(nodes, [value("x", [2])], [value("e", [])]), domains=["com.example"]), UNSUPPORTED, "5 nodes",
                         "Fancy: the operator is not there (2: 'one', 'two')", "com.example.Other", "'three'", "NonZero", "'four'", "STRING", "'five'")
    assert "Abs" not in text and "fine" not in text, text


def folds_constants(world):
    """A condition of constants chooses its branch, and a function of the model takes the place of its call."""
    def branch(kind):
        return ("graph", graph([node(kind, ["x", "one"], ["r"])], [], [value("r", [])]))
    square = function("Twice", "local", ["a"], ["b"], [node("Add", ["a", "a"], ["b"])])
    nodes = [node("Constant", [], ["one"], value=("tensor", tensor("", [], [1.5]))), node("Size", ["x"], ["n"]), node("Less", ["n", "five"], ["few"]),
             node("If", ["few"], ["z"], then_branch=branch("Mul"), else_branch=branch("Sub")), node("Twice", ["z"], ["y"], domain="local")]
    world.convert(model(graph(nodes, [value("x", ["n"])], [value("y", ["n"])], [tensor("five", [], [5], INT64)]), functions=[square], domains=["local"]), {"n": 3})
    assert world.run(([3], [1, 2, 3])) == [([3], [3, 6, 9])]
    calls_itself = function("Twice", "local", ["a"], ["b"], [node("Twice", ["a"], ["b"], domain="local")], domains=["local"])
    world.refused(model(graph(nodes, [value("x", [3])], [value("y", [3])], [tensor("five", [], [5], INT64)]), functions=[calls_itself], domains=["local"]),
                  IO_ERROR, "deep")


def chooses(world):
    """A program that computes a condition has both branches, and a loop that it ends earlier leaves its states."""
    def branch(kind, *names):
        return ("graph", graph([node(kind, names or ["x", "one"], ["r"])], [], [value("r", [])]))
    asks = [node("ReduceSum", ["x"], ["s"], keepdims=0), node("Less", ["s", "one"], ["few"])]
    one, shape = tensor("one", [], [1.5]), tensor("shape", [2], [3, 1], INT64)
    chosen = node("If", ["few"], ["z"], then_branch=branch("Mul"), else_branch=branch("Sub"))
    world.convert(model(graph([*asks, chosen], [value("x", [3])], [value("z", [3])], [one])))
    assert world.run(([3], [1, 2, 3])) == [([3], [-0.5, 0.5, 1.5])] and world.run(([3], [1, -2, 1])) == [([3], [1.5, -3, 1.5])]
    unlike = node("If", ["few"], ["z"], then_branch=branch("Mul"), else_branch=branch("Reshape", "x", "shape"))
    world.refused(model(graph([*asks, unlike], [value("x", [3])], [value("z", [])], [one, shape])), UNSUPPORTED, "If", "f32 3 and f32 3 1")
    body = graph([node("Add", ["state", "one"], ["next"]), node("Less", ["next", "limit"], ["still"])],
                 [value("turn", [], INT64), value("go", [], BOOL), value("state", [])], [value("still", [], BOOL), value("next", [])])

    def counting(turns, outputs=("last",), within=body):
        made = node("Loop", ["turns", "", "x"], list(outputs), body=("graph", within))
        return model(graph([made], [value("x", []), value("limit", [])], [value(name, []) for name in outputs], [one, tensor("turns", [], [turns], INT64)]))
    world.convert(counting(5))
    for start, limit, last in ((0, 4, 4.5), (0, 100, 7.5), (10, 4, 11.5)):
        assert world.run(([], [start]), ([], [limit])) == [([], [last])], (start, limit)
    world.refused(counting(1 << 40), UNSUPPORTED, "Loop", "4096")
    longer = graph([node("Add", ["state", "one"], ["next"]), node("Less", ["next", "limit"], ["still"]), node("Identity", ["next"], ["each"])],
                   [value("turn", [], INT64), value("go", [], BOOL), value("state", [])], [value("still", [], BOOL), value("next", []), value("each", [])])
    world.refused(counting(5, ("last", "all"), longer), UNSUPPORTED, "Loop", "size of a result")


def unrolls_loops(world):
    """A loop of constant turns and a scan are written out; one whose end the program decides is refused."""
    body = graph([node("Add", ["state", "x"], ["next"]), node("Identity", ["next"], ["each"]), node("Identity", ["go"], ["still"])],
                 [value("turn", [], INT64), value("go", [], BOOL), value("state", [2])], [value("still", [], BOOL), value("next", [2]), value("each", [2])])
    loop = node("Loop", ["turns", "", "x"], ["last", "all"], body=("graph", body))
    world.convert(model(graph([loop], [value("x", [2])], [value("last", [2]), value("all", [3, 2])], [tensor("turns", [], [3], INT64)])))
    assert world.run(([2], [1, 10])) == [([2], [4, 40]), ([3, 2], [2, 20, 3, 30, 4, 40])]
    endless = [tensor("turns", [], [1 << 40], INT64)]
    world.refused(model(graph([loop], [value("x", [2])], [value("last", [2])], endless)), UNSUPPORTED, "Loop", "turns")
    step = graph([node("Add", ["sum", "part"], ["next"]), node("Identity", ["next"], ["each"])], [value("sum", []), value("part", [])],
                 [value("next", []), value("each", [])])
    scan = node("Scan", ["start", "x"], ["total", "sums"], body=("graph", step), num_scan_inputs=1)
    world.convert(model(graph([scan], [value("x", [4])], [value("total", []), value("sums", [4])], [tensor("start", [], [0.5])])))
    assert world.run(([4], [1, 2, 3, 4])) == [([], [10.5]), ([4], [1.5, 3.5, 6.5, 10.5])]
    asks = [node("ReduceSum", ["x"], ["s"], keepdims=0), node("Cast", ["s"], ["n"], to=INT64), node("Loop", ["n", "", "x"], ["last", "all"], body=("graph", body))]
    world.refused(model(graph(asks, [value("x", [2])], [value("last", [2])])), UNSUPPORTED, "Loop", "number of turns")


def fixes_inputs(world):
    """An input may become a constant, which then decides shapes."""
    data = model(graph([node("Reshape", ["x", "to"], ["y"])], [value("x", [6]), value("to", [2], INT64)], [value("y", [])]))
    world.refused(data, UNSUPPORTED, "Reshape", "must be constants")
    world.convert(data, fixed={"to": [2, -1]})
    assert world.run(([6], [1, 2, 3, 4, 5, 6])) == [([2, 3], [1, 2, 3, 4, 5, 6])]
    world.refused(data, INVALID_ARGUMENT, "'other'", fixed={"other": [1]})
    world.refused(data, INVALID_ARGUMENT, "3 numbers", "'to'", fixed={"to": [1, 2, 3]})
    for number in (2.5, float("nan"), float("inf"), 2.0**60):
        world.refused(data, INVALID_ARGUMENT, "'to'", "whole numbers", fixed={"to": [number, -1]})


def outputs_are_copies(world):
    """An input, a constant, a view and the same value twice may be outputs."""
    nodes = [node("Identity", ["x"], ["a"]), node("Transpose", ["x"], ["b"]), node("Abs", ["x"], ["c"]), node("Identity", ["c"], ["d"])]
    outputs = [value(name, []) for name in ("a", "b", "c", "d", "k", "x")]
    world.convert(model(graph(nodes, [value("x", [2, 2])], outputs, [tensor("k", [2], [7, 8])])))
    results = world.run(([2, 2], [1, -2, 3, -4]))
    assert [numbers for _, numbers in results] == [[1, -2, 3, -4], [1, 3, -2, -4], [1, 2, 3, 4], [1, 2, 3, 4], [7, 8], [1, -2, 3, -4]], results


def external_data(world):
    def of(*arguments):
        return model(graph([node("Add", ["x", "w"], ["y"])], [value("x", [2])], [value("y", [2])], [external_tensor("w", [2], *arguments)]))
    world.write(reals([9, 1, 2]), "weights.bin")
    inner = world.folder / "inner"
    inner.mkdir()
    (inner / "weights.bin").write_bytes(reals([1, 2]))
    os.symlink(inner / "weights.bin", world.folder / "link.bin")
    world.convert(of("weights.bin", 4, 8))
    assert world.run(([2], [10, 20])) == [([2], [11, 22])]
    for location in ("../weights.bin", str(inner / "weights.bin"), "inner/weights.bin", "..", "", "inner\\weights.bin"):
        world.refused(of(location), IO_ERROR, "own folder")
    world.refused(of("link.bin"), IO_ERROR, "link")
    world.refused(of("inner"), IO_ERROR, "regular file")
    world.refused(of("missing.bin"), NOT_FOUND, "missing.bin")
    world.refused(of("weights.bin", 8, 8), IO_ERROR, "outside")
    world.refused(of("weights.bin", 1 << 62, 8), IO_ERROR, "outside")
    world.refused(of("weights.bin", -4, 8), IO_ERROR, "-4")
    world.refused(of("weights.bin", 0, 4), IO_ERROR, "takes 8")


def refuses_nonsense(world):
    def one(kind, **attributes):
        return model(graph([node(kind, ["x"], ["y"], "it", **attributes)], [value("x", [2, 3])], [value("y", [])]))
    world.refused(b"", IO_ERROR, "no graph")
    world.refused(b"GGUF" * 8, IO_ERROR)
    world.refused(model(graph([], [value("x", [2])], [value("y", [2])])), IO_ERROR, "'y'", "nothing before makes it")
    world.refused(one("Transpose", perm=[0, 5]), UNSUPPORTED, "Transpose", "'it'")
    world.refused(one("Softmax", axis=7), IO_ERROR, "axis 7", "'it'")
    world.refused(one("Softmax", axis=0.5), IO_ERROR, "'axis'")
    world.refused(model(graph([node("Abs", ["x"], ["y"]), node("Abs", ["x"], ["y"])], [value("x", [2])], [value("y", [])])), IO_ERROR, "twice")
    world.refused(model(graph([node("Abs", ["x"], ["y"])], [value("x", [1 << 40, 1 << 40])], [value("y", [])])), IO_ERROR, "bytes by its shape")
    world.refused(model(graph([node("Add", ["x", "w"], ["y"])], [value("x", [2])], [value("y", [])], [tensor("w", [3], [1, 2])])), IO_ERROR, "takes 12")
    world.refused(model(graph([node("Abs", ["x"], ["y"])], [value("x", [2])], [value("y", [])]), version=99), UNSUPPORTED, "99")
    # Quantised operators of which inputs or an attribute are missing.
    number, zero = tensor("s", [], [0.5]), tensor("z", [], [3], UINT8)
    part = ["x", "s", "z"]
    for kind, inputs, attributes, text in (
            ("QLinearConcat", ["s", "z", *part, "", "", "", *part], {"axis": 0}, "input 5 is not given"), ("QLinearConcat", ["s", "z", *part, "x", "s", ""], {"axis": 0}, "input 7 is not given"),
            ("QLinearConcat", ["s", "z", *part, "x"], {"axis": 0}, "6 inputs"), ("QLinearConcat", ["s", "z"], {"axis": 0}, "2 inputs"),
            ("QLinearConcat", ["s", "z", *part, *part], {}, "no attribute 'axis'"), ("QGemm", [*part, *part, "", "", "z"], {}, "y_scale")):
        made = graph([node(kind, inputs, ["y"], "it", "com.microsoft", **attributes)], [value("x", [2, 2], UINT8)], [value("y", [], UINT8)], [number, zero])
        world.refused(model(made, domains=["com.microsoft"]), IO_ERROR, text, "'it'")
    sizes = tensor("s", [3], [1 << 20] * 3, INT64)
    bomb = [node("ConstantOfShape", ["s"], ["b"], "bomb"), node("Abs", ["b"], ["y"])]
    world.refused(model(graph(bomb, [], [value("y", [])], [sizes])), IO_ERROR, "'bomb'", "bytes")
    small = [tensor("s", [2], [1 << 15, 1 << 15], INT64)]
    world.refused(model(graph(bomb, [], [value("y", [])], small)), OUT_OF_MEMORY, memory_limit=1 << 20)
    deep = graph([node("Abs", ["x"], ["y"])], [], [value("y", [])])
    for _ in range(40):
        deep = graph([node("If", ["c"], ["y"], then_branch=("graph", deep))], [], [value("y", [])])
    world.refused(model(deep), IO_ERROR, "deep")
    try:
        world.rondo.convert(world.folder / "none.onnx", world.program)
    except Failed as failed:
        assert failed.status == NOT_FOUND and "none.onnx" in failed.message, failed
    else:
        raise AssertionError("a file that is not there was converted")


def one_node(kind, shape, names=(), constants=(), version=17, **attributes):
    """A model of one node, whose first input is x and whose others are these."""
    return model(graph([node(kind, ["x", *names], ["y"], "it", **attributes)], [value("x", shape)], [value("y", [])], constants), version=version)


def integers(name, numbers):
    return tensor(name, [len(numbers)], numbers, INT64)


def attends_equally(world):
    """A scale of 0 is given, and makes all weights equal; so it is in attention of f32 that is one task otherwise."""
    rows = [1.0, 2.0, 3.0, 4.0, 5.0, 9.0]
    for scale, want in ((0.0, [3.0, 5.0] * 3), (-1.0, None)):
        world.convert(model(graph([node("Attention", ["x", "x", "x"], ["y"], scale=scale)], [value("x", [1, 1, 3, 2])], [value("y", [])]), version=23))
        (_, got), = world.run(([1, 1, 3, 2], rows))
        if want is None:
            want = []
            for row in (rows[:2], rows[2:4], rows[4:]):
                powers = [math.exp(-(row[0] * rows[i] + row[1] * rows[i + 1])) for i in (0, 2, 4)]
                want += [sum(power * rows[i + axis] for power, i in zip(powers, (0, 2, 4))) / sum(powers) for axis in (0, 1)]
        close(got, want)


def states_have_their_shapes(world):
    def causal(*shape):
        return model(graph([node("CausalConvWithState", ["x", "w", "", "s"], ["y", "t"], "it")], [value("x", [1, 2, 3]), value("s", list(shape))],
                           [value("y", []), value("t", [])], [tensor("w", [2, 1, 3], [1, 2, 3, 4, 5, 6])]), version=27)
    world.convert(causal(1, 2, 2))
    for shape in ((1, 2, 1), (1, 2, 5)):
        world.refused(causal(*shape), IO_ERROR, "state", "'it'")


def slices_nothing(world):
    """A value without elements is sliced along another axis on the way."""
    nodes = [node("Neg", ["x"], ["n"]), node("Slice", ["n", "zero", "zero", "zero"], ["e"]), node("Exp", ["e"], ["g"]),
             node("Slice", ["g", "three", "five", "one"], ["s"]), node("Exp", ["s"], ["h"]), node("Slice", ["n", "three", "five", "one"], ["t"]),
             node("Concat", ["h", "t"], ["y"], axis=0)]
    constants = [integers(name, [number]) for name, number in {"zero": 0, "one": 1, "three": 3, "five": 5}.items()]
    world.convert(model(graph(nodes, [value("x", [2, 5])], [value("y", [])], constants)))
    assert world.run(([2, 5], list(range(10)))) == [([2, 2], [-3, -4, -8, -9])]


def casts_keep_files_small(world):
    """Infinities of 8 bits are taken from a table, without a number for each element."""
    count = 1 << 16
    world.convert(model(graph([node("Cast", ["x"], ["f"], to=19, saturate=0), node("Cast", ["f"], ["y"], to=1)], [value("x", [count])], [value("y", [])]),
                        version=21))
    assert world.program.stat().st_size < 16384, world.program.stat().st_size
    (_, got), = world.run(([count], [1.0, 1e9, -1e9, 57344.0, -2.0, 60000.0, math.nan, 61440.0] * (count // 8)))
    want = [1.0, math.inf, -math.inf, 57344.0, -2.0, 57344.0, math.nan, math.inf]
    assert all(a == b or a != a and b != b for a, b in zip(got, want * (count // 8))), got[:8]


def bounds_numbers(world):
    """Attributes, shapes and constants of the largest numbers: products and sums of them are refused, or right, and none overflows."""
    most, least = (1 << 63) - 1, -(1 << 63)
    world.refused(one_node("DepthToSpace", [1, 4, 2, 2], blocksize=1 << 32), IO_ERROR, "block size 4294967296", "'it'")
    world.refused(one_node("SpaceToDepth", [1, 4, 0, 0], blocksize=1 << 32), IO_ERROR, "block size 4294967296")
    world.refused(one_node("DepthToSpace", [1, 0, 1 << 20, 1 << 20], blocksize=1 << 20), IO_ERROR, "bytes by its shape")
    world.refused(one_node("SpaceToDepth", [1, 1 << 40, 0, 0], blocksize=1 << 20), IO_ERROR, "bytes by its shape")
    world.refused(one_node("Abs", [1 << 62, 4, 0]), IO_ERROR, "'x'", "bytes by its shape")
    world.refused(one_node("Add", [2], ["w"], [tensor("w", [1 << 40, 1 << 40, 0], [])]), IO_ERROR, "'w'", "bytes by its shape")
    filters = tensor("w", [1, 1, 2], [1, 2])
    for size in (least, -1, most):
        world.refused(one_node("ConvTranspose", [1, 1, 4], ["w"], [filters], output_shape=[size]), IO_ERROR, f"output_shape has the number {size}")
    world.refused(one_node("ConvTranspose", [1, 1, 1 << 40], ["w"], [filters], strides=[1 << 31]), UNSUPPORTED, f"has the size {1 << 40}")
    world.refused(one_node("AffineGrid", [0, 2, 3], ["s"], [integers("s", [0, 1 << 40, 1 << 40, 1 << 40])], version=20), IO_ERROR, "bytes by its shape")
    world.refused(one_node("Resize", [1, 1, 1, 1 << 20], ["", "", "s"], [integers("s", [1 << 62, 1])], version=18, axes=[2, 3],
                           keep_aspect_ratio_policy="not_smaller"), IO_ERROR, "a scale is")
    world.refused(one_node("MatMul", [0, 3], ["w"], [tensor("w", [3, 2], [1] * 6)]), UNSUPPORTED, "no function uses the weight 'w'")
    # One block may be longer than its axis.
    world.convert(one_node("QuantizeLinear", [2, 3], ["s"], [tensor("s", [1, 3], [1, 2, 4])], version=21, axis=0, block_size=most))
    (_, shape, data), = world.rondo.run(world.program, [(F32, [2, 3], reals([1, 2, 4, 2, 4, 8]))])
    assert (shape, list(data)) == ([2, 3], [1, 1, 1, 2, 2, 2]), (shape, data)
    # Whole numbers do not pass through floating point.
    for k, kept in ((most, 0), (least, 1), (1, 0), (0, 1)):
        world.convert(one_node("Trilu", [1, 1], ["k"], [tensor("k", [], [k], INT64)], upper=1))
        assert world.run(([1, 1], [1])) == [([1, 1], [kept])], k
    for start, end, step in (((1 << 53) + 1, (1 << 53) + 4, 1), (most - 1, most, 1), (least + 1, least, -1), (most, least, -most), (5, 0, 2)):
        numbers = [tensor(name, [], [number], INT64) for name, number in (("a", start), ("b", end), ("c", step))]
        world.convert(model(graph([node("Range", ["a", "b", "c"], ["y"])], [], [value("y", [], INT64)], [*numbers, tensor("z", [], [0])])))
        (dtype, shape, data), = world.rondo.run(world.program, [])
        assert dtype == I64 and list(struct.unpack(f"<{shape[0]}q", data)) == list(range(start, end, step)), (start, end, step)
    pads = [integers("p", [1, 0]), tensor("v", [], [(1 << 53) + 1], INT64)]
    padded = graph([node("Pad", ["x", "p", "v"], ["y"])], [value("x", [2], INT64)], [value("y", [], INT64)], pads)
    world.refused(model(padded), UNSUPPORTED, "Pad", "53 bits")
    world.refused(one_node("Einsum", [2, 3], equation="01->10"), IO_ERROR, "digit")
    scales = [tensor("s", [2], [0.5, 1])]
    world.refused(one_node("QuantizeLinear", [], ["s"], scales, version=21), IO_ERROR, "scales are several")
    # Windows of an axis without elements are none: the file may have that, and no weight is used for it.
    world.convert(one_node("AveragePool", [1, 2, 0, 4], kernel_shape=[2, 2], auto_pad="SAME_UPPER"))
    assert world.run(([1, 2, 0, 4], [])) == [([1, 2, 0, 4], [])]


def bounds_memory(world):
    """What the converter itself holds is bounded by the limit too, before it is there."""
    def refused(data):
        world.refused(data, OUT_OF_MEMORY, "may be taken", memory_limit=1 << 20)
    with open(world.folder / "sparse.bin", "wb") as sparse:
        sparse.truncate(1 << 34)
    external = external_tensor("w", [1 << 34], "sparse.bin", kind=UINT8)
    refused(model(graph([node("Cast", ["w"], ["y"], to=1)], [], [value("y", [])], [external])))
    refused(model(graph([node("Constant", [], ["y"], value=("tensor", external))], [], [value("y", [])])))
    for kind in ("f", "q"):
        bounds = [tensor(name, [], [number], INT64 if kind == "q" else 1) for name, number in (("a", 0), ("b", 10**9), ("c", 1))]
        refused(model(graph([node("Range", ["a", "b", "c"], ["y"])], [], [value("y", [])], bounds)))
    refused(one_node("ReverseSequence", [1 << 20, 1], ["n"], [integers("n", [4])]))
    places = [value("x", [1 << 20, 1]), value("i", [1 << 20, 1], INT64)]
    refused(model(graph([node("GatherND", ["x", "i"], ["y"], batch_dims=1)], places, [value("y", [])])))
    wider = [value("x", [1, 1, 2048, 1]), value("v", [1, 1, 2048, 2])]  # than keys, which one task cannot have
    refused(model(graph([node("Attention", ["x", "x", "v"], ["y"], is_causal=1)], wider, [value("y", [])]), 23))
    refused(one_node("Resize", [1, 1, 1], ["", "", "s"], [integers("s", [1, 1, 1 << 20])], version=13, mode="linear"))
    refused(one_node("AffineGrid", [1, 2, 3], ["s"], [integers("s", [1, 1, 1024, 1024])], version=20))
    refused(model(graph([node("HannWindow", ["n"], ["y"])], [], [value("y", [])], [tensor("n", [], [1 << 20], INT64)])))


def bounds_turns(world):
    """A turn of a loop counts although its body has no nodes, and so do the steps of a recurrent layer."""
    names = [f"s{i}" for i in range(1000)]
    body = graph([], [value("turn", [], INT64), value("go", [], BOOL), *(value(each, []) for each in names)], [value("go", [], BOOL), *(value(each, []) for each in names)])

    def loop(turns, nodes, *more):
        looped = node("Loop", ["turns", "", *["zero"] * 1000], ["last"], "looped", body=("graph", body))
        constants = [tensor("turns", [], [turns], INT64), tensor("zero", [], [0]), tensor("w", [1, 1, 1], [1]), *more]
        return model(graph([looped, *nodes], [value("x", [1])], [value("last", []), value("y", [])], constants))
    text = world.refused(loop(4000, [node("Abs", ["x"], ["y"])]), UNSUPPORTED, "Loop: it has more than 1048576 nodes", "'looped'")
    assert "Abs" not in text, text
    layers = [node("RNN", [x, "w", "w"], [y], name) for x, y, name in (("a", "y", "first"), ("b", "z", "second"))]
    steps = model(graph(layers, [value("a", [1 << 14, 1, 1]), value("b", [1 + (1 << 14), 1, 1])], [value("y", []), value("z", [])], [tensor("w", [1, 1, 1], [1])]))
    text = world.refused(steps, UNSUPPORTED, "RNN: its recurrent layers have more than 32768 steps", "'second'")
    assert "'first'" not in text, text


def names_loops_that_fail(world):
    """Errors of Rondo outside of the nodes of a body name the loop."""
    body = graph([node("Concat", ["state", "state"], ["next"], axis=0), node("Identity", ["go"], ["still"])],
                 [value("turn", [], INT64), value("go", [], BOOL), value("state", [2])], [value("still", [], BOOL), value("next", [None]), value("next", [None])])
    loop = node("Loop", ["turns", "", "x"], ["last", "all"], "looped", body=("graph", body))
    world.refused(model(graph([loop], [value("x", [2])], [value("all", [])], [tensor("turns", [], [2], INT64)])), UNSUPPORTED, "Loop", "'looped'")
    step = graph([node("Abs", ["part"], ["each"])], [value("part", [])], [value("each", [])])
    for axis in (1 << 32, 1, -2):
        scan = node("Scan", ["x"], ["y"], "scanned", body=("graph", step), num_scan_inputs=1, scan_output_axes=[axis])
        world.refused(model(graph([scan], [value("x", [4])], [value("y", [])])), IO_ERROR, f"axis {axis}", "'scanned'")


def shows_names(world):
    """Names in messages are UTF-8 without control characters, and cut between characters; names that no program can have are refused."""
    def message(name):
        text = world.refused(model(graph([node("Fancy", ["x"], ["y"], name)], [value("x", [2])], [value("y", [])])), UNSUPPORTED)
        assert "\ufffd" not in text, text
        return text
    for name, shown in ((b"a\xff\x80", "a??"), ("a\u0085\u009fb\x7f", "a????b?"), ("Zürich \u65e5", "Zürich \u65e5"), (b"\xed\xa0\x80", "???"),
                        ("x" * 79 + "é", "x" * 79 + "..."), ("é" * 60, "é" * 40 + "..."), ("x" * 80, "x" * 80)):
        assert f"'{shown}'" in message(name), (name, message(name))

    def renamed(before, after):
        return model(graph([node("Abs", [before], [after])], [value(before, [2])], [value(after, [])]))
    for name in (b"a\0b", b"a\nb", b"a\xff", "n" * 1025):
        world.refused(renamed(name, "y"), UNSUPPORTED, "its input", "1 to 1024 bytes")
        world.refused(renamed("x", name), UNSUPPORTED, "its output", "1 to 1024 bytes")
    twice = graph([node("Abs", ["x"], ["y"])], [value("x", [2])], [value("y", []), value("y", [])])
    world.refused(model(twice), UNSUPPORTED, "its output 'y' comes twice")
    world.convert(renamed("ein", "aus \u65e5"))
    abs_of = graph([node("Abs", ["x"], ["y"])], [value("x", [2])], [value("y", [])])
    world.refused(model(abs_of, metadata=[("key", "a\0b")]), UNSUPPORTED, "'key'", "zero byte")


def checks_versions(world):
    """Functions are of versions that can be converted, and each domain is imported."""
    def calling(version=17, domains=("local",), inner=""):
        twice = function("Twice", "local", ["a"], ["b"], [node("Add", ["a", "a"], ["b"], domain=inner)], version=version)
        return model(graph([node("Twice", ["x"], ["y"], "it", "local")], [value("x", [2])], [value("y", [])]), functions=[twice], domains=domains)
    world.convert(calling())
    world.refused(calling(version=99), UNSUPPORTED, "its function 'Twice'", "99")
    world.refused(calling(version=5), UNSUPPORTED, "its function 'Twice'", "5")
    world.refused(calling(domains=()), UNSUPPORTED, "local.Twice", "nobody imports its domain")
    world.refused(calling(inner="com.example"), UNSUPPORTED, "com.example.Add", "nobody imports its domain")
    imported = model(graph([node("Gelu", ["x"], ["y"], domain="com.microsoft")], [value("x", [2])], [value("y", [])]), domains=["com.microsoft"])
    world.convert(imported)


def checks_constant_indices(world):
    """Indices that are constants lie within their axis, each coordinate for itself."""
    def at(indices, shape):
        return [tensor("i", shape, indices, INT64)]
    for index in (3, -4, 1 << 40):
        world.refused(one_node("Gather", [2, 3], ["i"], at([0, index], [2]), axis=1), IO_ERROR, f"index {index}", "size 3")
        world.refused(one_node("GatherElements", [2, 3], ["i"], at([0, index], [2, 1]), axis=1), IO_ERROR, f"index {index}", "size 3")
        world.refused(one_node("GatherND", [2, 3], ["i"], at([0, index], [1, 2])), IO_ERROR, f"index {index}", "size 3")
        updates = [tensor("u", [1], [9])]
        world.refused(one_node("ScatterND", [2, 3], ["i", "u"], at([0, index], [1, 2]) + updates, version=18), IO_ERROR, f"index {index}", "size 3")
        updates = [tensor("u", [2, 1], [9, 9])]
        world.refused(one_node("ScatterElements", [2, 3], ["i", "u"], at([0, index], [2, 1]) + updates, axis=1), IO_ERROR, f"index {index}", "size 3")
    constants = [tensor("w", [2], [1, 2]), *at([7], [1])]
    world.refused(model(graph([node("Gather", ["w", "i"], ["y"], "it")], [], [value("y", [])], constants)), IO_ERROR, "index 7", "'it'")
    world.refused(one_node("ReverseSequence", [3, 1], ["n"], [integers("n", [4])]), IO_ERROR, "a length is 4")
    world.refused(one_node("NegativeLogLikelihoodLoss", [1, 3], ["i"], at([3], [1])), IO_ERROR, "a label is 3")
    world.convert(one_node("Gather", [2, 3], ["i"], at([2, -3], [2]), axis=1))
    assert world.run(([2, 3], [1, 2, 3, 4, 5, 6])) == [([2, 2], [3, 1, 6, 4])]
    world.convert(one_node("GatherND", [2, 3], ["i"], at([-1, 0], [1, 2])))
    assert world.run(([2, 3], [1, 2, 3, 4, 5, 6])) == [([1], [4])]


def damaged(world):
    """Every prefix of a model, and models with bytes that are others: each ends with a status or a program, none with a crash."""
    whole = classifier()
    external = model(graph([node("Add", ["x", "w"], ["y"])], [value("x", [2])], [value("y", [2])], [external_tensor("w", [2], "weights.bin", 0, 8)]))
    world.write(reals([1, 2]), "weights.bin")
    statuses = set()

    def attempt(data):
        try:
            world.convert(data, {"batch": 2}, memory_limit=1 << 26)
            statuses.add(0)
        except Failed as failed:
            statuses.add(failed.status)
            assert failed.message, "a failure without a message"
    for length in range(len(whole)):
        attempt(whole[:length])
    chance = random.Random(48)
    for turn in range(1500):
        data = bytearray(whole if turn % 4 else external)
        for _ in range(chance.choice((1, 1, 2, 4))):
            data[chance.randrange(len(data))] = chance.choice((0, 1, 0x7f, 0x80, 0xff, chance.randrange(256)))
        attempt(bytes(data))
    assert {0, IO_ERROR, UNSUPPORTED} <= statuses, statuses
    assert not statuses - {0, INVALID_ARGUMENT, OUT_OF_MEMORY, NOT_FOUND, UNSUPPORTED, IO_ERROR}, statuses


def command(world):
    def run(*arguments):
        return subprocess.run([world.command, *map(str, arguments)], capture_output=True, text=True, timeout=60)
    path = world.write(classifier())
    done = run(path, "-o", world.program, "--size", "batch=2")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done
    assert world.program.exists()
    assert run(path, "-o", world.program, "--size", "batch=2", "--fewer-roundings", "--function", "classify").returncode == 0
    text = world.program.read_bytes().replace(b'\\"', b'"')
    assert b'"name":"classify"' in text and b'"fewer_roundings":true' in text, text
    missing = run(path, "-o", world.program)
    assert missing.returncode == 1 and "'batch'" in missing.stderr and missing.stdout == "", missing
    for arguments in ((), (path,), (path, "-o"), (path, "-o", "x", "--size", "batch"), (path, "-o", "x", "--size", "=3"), (path, "-o", "x", "--size", "batch=many"),
                      (path, path, "-o", "x"), (path, "-o", "x", "--memory", "-1"), (path, "-o", "x", "--swift"), (path, "-o", "x", "-o", "x"), (path, "-o", ""),
                      (path, "-o", "x", "--memory", "0", "--memory", "0"), (path, "-o", "x", "--function", "f", "--function", "f"), (path, "-o", "x", "--function", "")):
        wrong = run(*arguments)
        assert wrong.returncode == 2 and "rondo-convert: " in wrong.stderr and "--size" in wrong.stderr, wrong
    assert run("--help").returncode == 0 and "--size" in run("--help").stdout
    reshaped = world.write(model(graph([node("Reshape", ["x", "to"], ["y"])], [value("x", [6]), value("to", [2], INT64)], [value("y", [])])), "reshape.onnx")
    assert run(reshaped, "-o", world.program, "--input", "to=2,3").returncode == 0
    for given in ("to", "to=2,", "=2", "to=2;3"):
        assert run(reshaped, "-o", world.program, "--input", given).returncode == 2, given
    assert run(path, "-o", world.program, "--dim", "batch=1..8").returncode == 0
    assert b'\\"dims\\":[[\\"batch\\",1,8]]' in world.program.read_bytes()
    assert run(path, "-o", world.program, "--dim", "batch=4..8:2").returncode == 0
    assert b'\\"dims\\":[[\\"batch\\",2,4]]' in world.program.read_bytes() and b'\\"2*batch\\"' in world.program.read_bytes()
    searching = world.write(model(graph([node("NonZero", ["x"], ["y"])], [value("x", [6])], [value("y", [])])), "searching.onnx")
    assert run(searching, "-o", world.program, "--limit", "NonZero=3").returncode == 0
    assert run(searching, "-o", world.program, "--limit", "NonZero").returncode == 2
    for given in ("batch", "batch=1", "=1..2", "batch=1..", "batch=..2", "batch=a..b", "batch=1..2:", "batch=1..2:a", "batch=1:..2"):
        assert run(path, "-o", world.program, "--dim", given).returncode == 2, given
    operators = run("--operators").stdout.split()
    assert "Conv" in operators and "com.microsoft.FusedMatMul" in operators, operators


def page(world):
    """docs/onnx.md lists the operators of the table, each once, in its order."""
    operators = subprocess.run([world.command, "--operators"], capture_output=True, text=True, timeout=60).stdout.split()
    text = pathlib.Path(__file__, "../../../docs/onnx.md").resolve().read_text()
    listed = text.split("<!-- operators -->")[1].split()
    assert [each for each in listed if each != "```"] == operators, "docs/onnx.md lists other operators; rondo-convert --operators has them"


def main(build, name):
    with tempfile.TemporaryDirectory() as folder:
        world = World(build, folder)
        globals()[name](world)
        world.rondo.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
