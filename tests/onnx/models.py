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
from writer import (BOOL, INT64, attribute, external_tensor, field, function, graph, model, node, tensor, value)  # noqa: E402

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


def asks_for_sizes(world):
    world.refused(classifier(), INVALID_ARGUMENT, "'batch'")
    unnamed = model(graph([node("Add", ["a", "b"], ["y"])], [value("a", ["n", 2]), value("b", [None, "m"])], [value("y", [])]))
    world.refused(unnamed, INVALID_ARGUMENT, "'n'", "'b:0'", "'m'")
    world.refused(classifier(), INVALID_ARGUMENT, "'width'", sizes={"batch": 1, "width": 2})
    world.refused(classifier(), INVALID_ARGUMENT, "-1", sizes={"batch": -1})
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
    asks = [node("ReduceSum", ["x"], ["s"], keepdims=0), node("Cast", ["s"], ["few"], to=BOOL), nodes[0], nodes[3]]
    world.refused(model(graph(asks, [value("x", [3])], [value("z", [3])])), UNSUPPORTED, "If", "condition")


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
    world.refused(model(graph(asks, [value("x", [2])], [value("last", [2])])), UNSUPPORTED, "Loop", "control flow")


def fixes_inputs(world):
    """An input may become a constant, which then decides shapes."""
    data = model(graph([node("Reshape", ["x", "to"], ["y"])], [value("x", [6]), value("to", [2], INT64)], [value("y", [])]))
    world.refused(data, UNSUPPORTED, "Reshape", "must be constants")
    world.convert(data, fixed={"to": [2, -1]})
    assert world.run(([6], [1, 2, 3, 4, 5, 6])) == [([2, 3], [1, 2, 3, 4, 5, 6])]
    world.refused(data, INVALID_ARGUMENT, "'other'", fixed={"other": [1]})
    world.refused(data, INVALID_ARGUMENT, "3 numbers", "'to'", fixed={"to": [1, 2, 3]})


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
                      (path, path, "-o", "x"), (path, "-o", "x", "--memory", "-1"), (path, "-o", "x", "--swift")):
        wrong = run(*arguments)
        assert wrong.returncode == 2 and "rondo-convert: " in wrong.stderr and "--size" in wrong.stderr, wrong
    assert run("--help").returncode == 0 and "--size" in run("--help").stdout
    reshaped = world.write(model(graph([node("Reshape", ["x", "to"], ["y"])], [value("x", [6]), value("to", [2], INT64)], [value("y", [])])), "reshape.onnx")
    assert run(reshaped, "-o", world.program, "--input", "to=2,3").returncode == 0
    for given in ("to", "to=2,", "=2", "to=2;3"):
        assert run(reshaped, "-o", world.program, "--input", given).returncode == 2, given
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


main(*sys.argv[1:])
