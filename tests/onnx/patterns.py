#!/usr/bin/env python3
"""Nodes that are one operator become that, in each spelling, with the results of the nodes one by one; others stay.

    patterns.py BUILD TEST
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import math
import random
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
from models import IO_ERROR, World  # noqa: E402
from writer import BFLOAT16, BOOL, DOUBLE, FLOAT16, INT32, INT64, INT8, UINT8, function, graph, model, node, tensor, value  # noqa: E402


def numbers(count, low=-1.0, high=1.0, seed=1):
    draw = random.Random(seed)
    return [draw.uniform(low, high) for _ in range(count)]


def constants(**each):
    return [tensor(name, [], [number]) for name, number in each.items()]


def unread(path):
    """Operators of a program file none of whose results are read, though they have elements."""
    data = path.read_bytes()
    main_function = json.loads(json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])["__metadata__"]["rondo.program"])["functions"][0]
    read = {each[1] for each in main_function["outputs"]}
    made = []  # of each operator, and what is written into, its results
    for each in main_function["nodes"]:
        operands, results = each.get("in", []), each.get("out", [])
        if "view" in each:
            read.add(operands)
            continue
        for operand in operands.values() if operands else ():
            read.update(operand if isinstance(operand, list) else [operand])
        made.append((each, [result[0] for result in results.values() if isinstance(result, list) and 0 not in result[2]] if results else []))
    return [each for each, results in made if results and not read.intersection(results)]


class Case:
    """A graph of inputs by name, (shape), whose outputs are compared with and without patterns."""

    def __init__(self, world):
        self.world = world

    def check(self, nodes, inputs, outputs, initializers, expected, version=17, tolerance=2e-6, functions=()):
        data = model(graph(nodes, [value(name, shape) for name, shape in inputs.items()], [value(name, []) for name in outputs], initializers), version, functions)
        results = []
        for patterns in (True, False):
            self.world.convert(data, patterns=patterns)
            found = self.world.rondo.patterns()
            assert found == (expected if patterns else {}), (found, expected)
            assert not patterns or not unread(self.world.program), unread(self.world.program)
            given = [(shape, numbers(size(shape), seed=len(name) + size(shape))) for name, shape in inputs.items()]
            results.append(self.world.run(*given))
        for (shape, fused), (other, plain) in zip(*results):
            assert shape == other and max(map(abs, plain)) > 0.01, (shape, other)
            for a, b in zip(fused, plain):
                assert abs(a - b) <= tolerance * (1 + abs(b)), (a, b)


def size(shape):
    count = 1
    for each in shape:
        count *= each
    return count


def layer_norm(square, last, version=17):
    axes = {"axes": [-1]} if version < 18 else {}
    more = [] if version < 18 else ["axes"]
    squares = {"pow": node("Pow", ["c", "two"], ["q"]), "mul": node("Mul", ["c", "c"], ["q"])}[square]
    ends = {"div": [node("Div", ["c", "d"], ["n"])], "reciprocal": [node("Reciprocal", ["d"], ["r"]), node("Mul", ["r", "c"], ["n"])],
            "one": [node("Div", ["one", "d"], ["r"]), node("Mul", ["c", "r"], ["n"])]}[last]
    return [node("ReduceMean", ["x", *more], ["m"], **axes), node("Sub", ["x", "m"], ["c"]), squares, node("ReduceMean", ["q", *more], ["v"], **axes),
            node("Add", ["v", "e"], ["s"]), node("Sqrt", ["s"], ["d"]), *ends, node("Mul", ["w", "n"], ["p"]), node("Add", ["p", "b"], ["y"])]


SCALARS = constants(one=1, two=2, three=3, half=0.5, e=1e-5)
ROWS = [tensor("w", [6], numbers(6, seed=2)), tensor("b", [6], numbers(6, seed=3)), tensor("axes", [1], [-1], INT64), *SCALARS]


def norms(world):
    case = Case(world)
    for square in ("pow", "mul"):
        for last in ("div", "reciprocal", "one"):
            for version in (11, 18):
                case.check(layer_norm(square, last, version), {"x": [2, 3, 6]}, ["y"], ROWS, {"layer normalisation": 1}, version)
    rms = [node("Mul", ["x", "x"], ["q"]), node("ReduceMean", ["q"], ["v"], axes=[-1]), node("Add", ["e", "v"], ["s"]), node("Sqrt", ["s"], ["d"]),
           node("Div", ["x", "d"], ["n"]), node("Mul", ["n", "w"], ["y"])]
    case.check(rms, {"x": [4, 6]}, ["y"], ROWS, {"RMS normalisation": 1})


def what_is_read_elsewhere_stays(world):
    """A value on the way is an output, is read by another node or by a body, or the axis is another one."""
    case = Case(world)
    nodes = layer_norm("pow", "div")
    case.check(nodes, {"x": [2, 6]}, ["y", "d"], ROWS, {})
    case.check([*nodes, node("Exp", ["n"], ["z"])], {"x": [2, 6]}, ["y", "z"], ROWS, {})
    body = ("graph", graph([node("Neg", ["n"], ["r"])], [], [value("r", [])]))
    case.check([*nodes, node("If", ["yes"], ["z"], then_branch=body, else_branch=body)], {"x": [2, 6]}, ["y", "z"],
               [*ROWS, tensor("yes", [], [True], BOOL)], {})
    other = [node("ReduceMean", ["x"], ["m"], axes=[0]), *nodes[1:]]
    case.check(other, {"x": [3, 6]}, ["y"], ROWS, {"RMS normalisation": 1})  # of what is centred otherwise
    two = [node("ReduceMean", ["x"], ["m0"], axes=[0]), node("Sub", ["x", "m0"], ["c0"]), node("ReduceMean", ["x"], ["m"], axes=[-1]), node("Sub", ["x", "m"], ["c"]),
           node("Mul", ["c", "c"], ["q"]), node("ReduceMean", ["q"], ["v"], axes=[-1]), node("Add", ["v", "e"], ["s"]), node("Sqrt", ["s"], ["d"]),
           node("Div", ["c0", "d"], ["n"]), node("Mul", ["w", "n"], ["p"]), node("Add", ["p", "b"], ["y"])]
    case.check(two, {"x": [4, 6]}, ["y"], ROWS, {})
    flat = [node("ReduceMean", ["x"], ["m0"], axes=[-1], keepdims=0), *two[1:]]
    case.check(flat, {"x": [6, 6]}, ["y"], ROWS, {})
    mean = [*nodes[:-1], node("Add", ["p", "m"], ["y"])]  # what is added is made on the way
    case.check(mean, {"x": [2, 6]}, ["y"], ROWS, {"RMS normalisation": 1})
    given = [tensor("w", [6], numbers(6)), tensor("b", [6], numbers(6)), *constants(two=2)]
    case.check(nodes, {"x": [2, 6], "e": [1]}, ["y"], given, {}, tolerance=1e-4)


def old_versions_and_functions_stay(world):
    """Version 6 broadcasts by an axis, and a function of the model may have the name of one of ONNX's operators."""
    case = Case(world)
    weights = [tensor("w", [6, 4], numbers(24)), tensor("b", [4], numbers(4, seed=2))]
    nodes = [node("MatMul", ["x", "w"], ["p"]), node("Add", ["p", "b"], ["y"], broadcast=1, axis=0)]
    case.check(nodes, {"x": [4, 6]}, ["y"], weights, {}, version=6)
    nodes = [node("MatMul", ["x", "w"], ["p"]), node("Add", ["p", "b"], ["y"])]
    other = function("Add", "", ["a", "b"], ["c"], [node("Sub", ["a", "b"], ["c"])])
    case.check(nodes, {"x": [4, 6]}, ["y"], weights, {}, functions=[other])
    case.check(nodes, {"x": [4, 6]}, ["y"], weights, {"product and bias": 1}, functions=[function("Add", "own", ["a"], ["c"], [node("Neg", ["a"], ["c"])])])


def types(world):
    """Numbers of f64 models keep their digits, and constants of f16 and bf16 are read."""
    case = Case(world)

    def cast(nodes, kind):
        return [node("Cast", ["x"], ["t0"], to=kind), *nodes, node("Cast", ["t1"], ["y"], to=1)]

    def of(kind, **each):
        return [tensor(name, [], [number], kind) for name, number in each.items()]
    erf = [node("Div", ["t0", "root"], ["t"]), node("Erf", ["t"], ["h"]), node("Add", ["one", "h"], ["f"]), node("Mul", ["t0", "f"], ["g"]),
           node("Mul", ["g", "half"], ["t1"])]
    case.check(cast(erf, FLOAT16), {"x": [2, 6]}, ["y"], of(FLOAT16, one=1, half=0.5, root=2 ** 0.5), {"GELU": 1}, tolerance=2e-3)
    case.check(cast(erf, BFLOAT16), {"x": [2, 6]}, ["y"], of(BFLOAT16, one=1, half=0.5, root=2 ** 0.5), {"GELU": 1}, tolerance=2e-2)
    case.check(cast(erf, DOUBLE), {"x": [2, 6]}, ["y"], of(DOUBLE, one=1, half=0.5, root=2 ** 0.5), {"GELU": 1})
    case.check(cast(erf, FLOAT16), {"x": [2, 6]}, ["y"], of(FLOAT16, one=1, half=0.5, root=1.416), {}, tolerance=2e-3)
    case.check(cast(erf, DOUBLE), {"x": [2, 6]}, ["y"], of(DOUBLE, one=1, half=0.5, root=1.41425), {})
    # A sum with a billionth of the result: the difference to the nodes one by one is that of the numbers alone.
    wide = [node("Transpose", ["t0"], ["k"], perm=[0, 2, 1, 3]), node("Transpose", ["k"], ["kt"], perm=[0, 2, 3, 1]), node("MatMul", ["t0", "kt"], ["p"]),
            node("Mul", ["p", "scale"], ["s"]), node("Softmax", ["s"], ["w"], axis=-1), node("MatMul", ["w", "t0"], ["o"]), node("Sub", ["o", "x0"], ["t1"])]
    weights = [tensor("scale", [], [0.1], DOUBLE), tensor("many", [], [1e10], DOUBLE)]
    exact = softmax_rows(numbers(8, seed=1 + 8), 0.1)
    weights.append(tensor("x0", [1, 1, 4, 2], exact, DOUBLE))
    world.convert(model(graph([node("Cast", ["x"], ["t0"], to=DOUBLE), *wide, node("Mul", ["t1", "many"], ["t2"]), node("Cast", ["t2"], ["y"], to=1)],
                              [value("x", [1, 1, 4, 2])], [value("y", [])], weights)))
    assert world.rondo.patterns() == {"attention": 1}, world.rondo.patterns()
    (_, far), = world.run(([1, 1, 4, 2], [struct.unpack("f", struct.pack("f", each))[0] for each in numbers(8, seed=1 + 8)]))
    assert max(map(abs, far)) < 0.01, far


def softmax_rows(flat, scale):
    """Attention of rows of two numbers, as f32 has them, to themselves."""
    rows = [[struct.unpack("f", struct.pack("f", each))[0] for each in flat[i:i + 2]] for i in range(0, len(flat), 2)]
    result = []
    for row in rows:
        powers = [math.exp(scale * sum(a * b for a, b in zip(row, other))) for other in rows]
        result += [sum(power * other[i] for power, other in zip(powers, rows)) / sum(powers) for i in range(2)]
    return result


def gelu(world):
    case = Case(world)
    inner = {"div": node("Div", ["x", "root"], ["t"]), "mul": node("Mul", ["over", "x"], ["t"])}
    scalars = [*SCALARS, *constants(root=1.4142135381698608, over=0.7071067690849304, cubic=0.044715, pi=0.7978845608, third=0.33)]
    cubes = {"pow": [node("Pow", ["x", "three"], ["k"])], "mul": [node("Mul", ["x", "x"], ["k2"]), node("Mul", ["x", "k2"], ["k"])]}
    ends = ([node("Mul", ["x", "f"], ["g"]), node("Mul", ["g", "half"], ["y"])], [node("Mul", ["half", "f"], ["g"]), node("Mul", ["g", "x"], ["y"])],
            [node("Mul", ["x", "half"], ["g"]), node("Mul", ["f", "g"], ["y"])])
    for last in ends:
        for first in inner.values():
            case.check([first, node("Erf", ["t"], ["h"]), node("Add", ["one", "h"], ["f"]), *last], {"x": [2, 6]}, ["y"], scalars, {"GELU": 1})
        for cube in cubes.values():
            tanh = [*cube, node("Mul", ["cubic", "k"], ["a"]), node("Add", ["x", "a"], ["s"]), node("Mul", ["s", "pi"], ["t"]), node("Tanh", ["t"], ["h"]),
                    node("Add", ["h", "one"], ["f"]), *last]
            case.check(tanh, {"x": [2, 6]}, ["y"], scalars, {"GELU by tanh": 1})
    case.check([node("Mul", ["x", "third"], ["t"]), node("Erf", ["t"], ["h"]), node("Add", ["one", "h"], ["f"]), *ends[0]], {"x": [2, 6]}, ["y"], scalars, {})


def attention_nodes(scale, mask, perm=(0, 2, 3, 1)):
    scaled = {"div": [node("Div", ["p", "root"], ["s"])], "mul": [node("Mul", ["over", "p"], ["s"])], "": [node("Identity", ["p"], ["s"])]}[scale]
    masked = [node("Add", ["s", "mask"], ["a"])] if mask else [node("Identity", ["s"], ["a"])]
    nodes = [node("Transpose", ["k"], ["t"], perm=list(perm)), node("MatMul", ["q", "t"], ["p"]), *scaled, *masked, node("Softmax", ["a"], ["w"], axis=-1),
             node("MatMul", ["w", "v"], ["y"])]
    return nodes


def attention(world):
    """With a scale and a mask or without, keys with places or with heads first; of values that are wider it is made of products."""
    case = Case(world)
    scalars = constants(root=1.7, over=0.6)
    for scale in ("div", "mul"):
        for mask in ([1, 1, 1, 5], [2, 1, 4, 5]):
            for width in (3, 4):
                case.check(attention_nodes(scale, True), {"q": [2, 2, 4, 3], "k": [2, 5, 2, 3], "v": [2, 2, 5, width], "mask": mask}, ["y"], scalars,
                           {"attention": 1})
    case.check(attention_nodes("mul", True, (0, 1, 3, 2)), {"q": [2, 2, 4, 3], "k": [2, 2, 5, 3], "v": [2, 2, 5, 3], "mask": [5]}, ["y"], scalars,
               {"attention": 1})
    # Shapes that are broadcast: a mask of one key, a larger batch by the mask, one batch or one head of keys, queries without a batch.
    for q, k, v, mask in (([2, 2, 4, 3], [2, 5, 2, 3], [2, 2, 5, 3], [1]), ([2, 2, 4, 3], [2, 5, 2, 3], [2, 2, 5, 3], [2, 1, 4, 1]),
                          ([1, 2, 4, 3], [1, 5, 2, 3], [1, 2, 5, 3], [3, 1, 4, 5]), ([2, 2, 4, 3], [1, 5, 2, 3], [1, 2, 5, 3], [5]),
                          ([2, 2, 4, 3], [2, 5, 1, 3], [2, 1, 5, 3], [5]), ([2, 1, 4, 3], [2, 5, 2, 3], [2, 2, 5, 3], [4, 5]),
                          ([2, 4, 3], [1, 5, 2, 3], [1, 2, 5, 3], [4, 5])):
        case.check(attention_nodes("mul", True), {"q": q, "k": k, "v": v, "mask": mask}, ["y"], scalars, {"attention": 1})
    three = [node("Transpose", ["k"], ["t"], perm=[0, 2, 1]), node("MatMul", ["q", "t"], ["s"]), node("Softmax", ["s"], ["w"], axis=-1),
             node("MatMul", ["w", "v"], ["y"])]
    case.check(three, {"q": [2, 4, 3], "k": [2, 5, 3], "v": [2, 5, 3]}, ["y"], [], {})
    plain = [node("Transpose", ["k"], ["t"], perm=[0, 1, 3, 2]), node("MatMul", ["q", "t"], ["s"]), node("Softmax", ["s"], ["w"], axis=3),
             node("MatMul", ["w", "v"], ["y"])]
    case.check(plain, {"q": [2, 1, 4, 3], "k": [2, 1, 5, 3], "v": [2, 1, 5, 3]}, ["y"], [], {"attention": 1})
    # Axis 3 of five is not the last one, and before version 13 it is that and all that follow.
    for version in (11, 17):
        case.check(plain, {"q": [2, 1, 1, 4, 3], "k": [2, 1, 5, 3], "v": [2, 1, 5, 3]}, ["y"], [], {"attention": 1}, version)
    # A mask that the queries make on the way.
    own = [node("Transpose", ["k"], ["t"], perm=[0, 1, 3, 2]), node("MatMul", ["q", "t"], ["p"]), node("Mul", ["p", "over"], ["s"]), node("Add", ["s", "p"], ["a"]),
           node("Softmax", ["a"], ["w"], axis=-1), node("MatMul", ["w", "v"], ["y"])]
    case.check(own, {"q": [2, 1, 4, 3], "k": [2, 1, 5, 3], "v": [2, 1, 5, 3]}, ["y"], scalars, {})


def rotary_nodes(half, axis=-1, end=2**63 - 1, low=None):
    """x * c + concat(-x[half:], x[:half]) * s, as exporters write it; and the constants that it has."""
    numbers_of = {"from": half, "end": end, "zero": 0, "to": half if low is None else low, "axis": axis, "one": 1}
    nodes = [node("Slice", ["x", "zero", "to", "axis", "one"], ["a"]), node("Slice", ["x", "from", "end", "axis", "one"], ["b"]), node("Neg", ["b"], ["n"]),
             node("Concat", ["n", "a"], ["t"], axis=axis), node("Mul", ["x", "c"], ["p"]), node("Mul", ["t", "s"], ["q"]), node("Add", ["p", "q"], ["y"])]
    return nodes, [tensor(name, [1], [number], INT64) for name, number in numbers_of.items()]


def rotary(world):
    """By tables of the whole width that are broadcast, of any half, along any axis; where they are larger, and of other slices, by the nodes."""
    case = Case(world)
    for shape in ([2, 3, 4, 6], [3, 6], [5, 1, 6]):
        for table in ([shape[-1]], [1] * (len(shape) - 1) + [shape[-1]], shape, [1]):
            for half in (3, 2, 6, 7):
                nodes, constants_of = rotary_nodes(half)
                case.check(nodes, {"x": shape, "c": table, "s": table}, ["y"], constants_of, {"rotary embedding": 1}, tolerance=0)
    # Of another size than that of the conversion.
    nodes, constants_of = rotary_nodes(3)
    data = model(graph(nodes, [value("x", ["n", 4, 6]), value("c", [4, 6]), value("s", [4, 6])], [value("y", [])], constants_of), 17)
    results = []
    for patterns in (True, False):
        world.convert(data, patterns=patterns, dims={"n": (1, 9)})
        results.append([world.run(*(([*shape], numbers(size(shape))) for shape in ([n, 4, 6], [4, 6], [4, 6]))) for n in (2, 5)])
    assert results[0] == results[1]
    # A half of an axis whose size varies, also where it is the whole of it.
    for table in (["n"], [1], [2, 1]):
        for half, least in ((1, 1), (3, 4)):
            nodes, constants_of = rotary_nodes(half)
            data = model(graph(nodes, [value("x", [2, "n"]), value("c", table), value("s", table)], [value("y", [])], constants_of), 17)
            results = []
            for patterns in (True, False):
                world.convert(data, patterns=patterns, dims={"n": (least, 9)})
                given = [[[n if each == "n" else each for each in shape] for shape in ([2, "n"], table, table)] for n in (least, 5, 9)]
                results.append([world.run(*((shape, numbers(size(shape))) for shape in shapes)) for shapes in given])
            assert results[0] == results[1], (table, half)
    swapped = [node("Mul", ["c", "x"], ["p"]) if each == node("Mul", ["x", "c"], ["p"]) else each for each in nodes]
    assert swapped != nodes
    case.check(swapped, {"x": [3, 6], "c": [6], "s": [6]}, ["y"], constants_of, {"rotary embedding": 1}, tolerance=0)
    # Tables that have more elements at other sizes.
    for shape, table in ((["n", 1, 6], ["n", 6]), ([1, "n", 6], ["n", 1, 6]), ([1, 6], ["n", 6])):
        data = model(graph(nodes, [value("x", shape), value("c", table), value("s", table)], [value("y", [])], constants_of), 17)
        results = []
        for patterns in (True, False):
            world.convert(data, patterns=patterns, dims={"n": (1, 9)})
            given = [[[n if each == "n" else each for each in of] for of in (shape, table, table)] for n in (1, 5)]
            results.append([world.run(*((of, numbers(size(of))) for of in shapes)) for shapes in given])
        assert results[0] == results[1], (shape, table)
    nodes, constants_of = rotary_nodes(2, axis=1)
    case.check(nodes, {"x": [3, 4, 2], "c": [4, 2], "s": [1, 4, 1]}, ["y"], constants_of, {"rotary embedding": 1}, tolerance=0)
    nodes, constants_of = rotary_nodes(3)
    case.check(nodes, {"x": [1, 6], "c": [4, 6], "s": [6]}, ["y"], constants_of, {"rotary embedding": 1}, tolerance=0)
    for nodes, constants_of in (rotary_nodes(3, end=6), rotary_nodes(-3)):
        case.check(nodes, {"x": [2, 6], "c": [1], "s": [1]}, ["y"], constants_of, {})


def products(world):
    """A bias and an activation belong to their product; products of one value that are taken apart by heads are one."""
    case = Case(world)
    weights = [tensor(name, [6, 4], numbers(24, seed=i)) for i, name in enumerate(("a", "c"))]
    biases = [tensor(name, [4], numbers(4, seed=i + 9)) for i, name in enumerate(("f", "g"))]
    shape = tensor("shape", [4], [2, 3, 2, 2], INT64)
    case.check([node("MatMul", ["x", "a"], ["p"]), node("Add", ["f", "p"], ["y"])], {"x": [2, 3, 6]}, ["y"], [*weights, *biases], {"product and bias": 1})
    case.check([node("MatMul", ["x", "a"], ["p"]), node("Add", ["f", "p"], ["s"]), node("Relu", ["s"], ["y"])], {"x": [2, 3, 6]}, ["y"], [*weights, *biases],
               {"product and bias": 1, "product and activation": 1})
    first = [node("MatMul", ["x", "a"], ["p"]), node("Add", ["f", "p"], ["s"])]
    erf = [*first, node("Div", ["s", "root"], ["t"]), node("Erf", ["t"], ["h"])]
    by_tanh = [*first, node("Pow", ["s", "three"], ["k"]), node("Mul", ["cubic", "k"], ["c3"]), node("Add", ["s", "c3"], ["m"]), node("Mul", ["m", "pi"], ["t"]),
               node("Tanh", ["t"], ["h"])]
    for nodes, name in ((erf, "GELU"), (by_tanh, "GELU by tanh")):
        nodes = [*nodes, node("Add", ["h", "one"], ["v"]), node("Mul", ["s", "v"], ["u"]), node("Mul", ["u", "half"], ["y"])]
        case.check(nodes, {"x": [2, 3, 6]}, ["y"], [*weights, *biases, *SCALARS, *constants(root=1.4142135381698608, cubic=0.044715, pi=0.7978845608)],
                   {"product and bias": 1, name: 1, "product and activation": 1})
    case.check([node("MatMul", ["x", "a"], ["p"]), node("Add", ["wide", "p"], ["y"])], {"x": [3, 6]}, ["y"],
               [*weights, tensor("wide", [3, 4], numbers(12))], {})
    both = [node("MatMul", ["x", "a"], ["p"]), node("MatMul", ["x", "c"], ["o"]), node("Add", ["p", "f"], ["p1"]), node("Add", ["o", "g"], ["o1"]),
            node("Reshape", ["p1", "shape"], ["y"]), node("Reshape", ["o1", "shape"], ["z"])]
    case.check(both, {"x": [2, 3, 6]}, ["y", "z"], [*weights, *biases, shape], {"product and bias": 2, "products of one value": 1})
    active = [*both[:4], node("Relu", ["p1"], ["p2"]), node("Relu", ["o1"], ["o2"]), node("Reshape", ["p2", "shape"], ["y"]), node("Reshape", ["o2", "shape"], ["z"])]
    case.check(active, {"x": [2, 3, 6]}, ["y", "z"], [*weights, *biases, shape], {"product and bias": 2, "product and activation": 2})
    case.check([*both, node("Exp", ["p1"], ["u"])], {"x": [2, 3, 6]}, ["y", "z", "u"], [*weights, *biases, shape], {"product and bias": 2})


def quantised(world):
    """A product of dequantised numbers is one of these; with scales by rows or of blocks, or numbers of 4 bits, each is dequantised."""
    case = Case(world)
    scales = [tensor("s", [], [0.02]), tensor("t", [1], [0.03]), tensor("columns", [5], [0.01, 0.02, 0.03, 0.04, 0.05]), tensor("rows", [7], numbers(7, 0.01, 0.1))]
    for kind, low in ((UINT8, 0), (INT8, -128)):
        draw = random.Random(low)
        some = [tensor("z", [], [low + 117], kind), tensor("y0", [1], [low + 9], kind), tensor("none", [5], [0] * 5, kind),
                tensor("zeros", [5], [low + 3 * i for i in range(5)], kind), tensor("lines", [7], [low + i for i in range(7)], kind),
                tensor("w", [7, 5], [draw.randrange(low, low + 256) for _ in range(35)], kind)]
        all_constants = [*scales, *some]
        quantised_x = [node("QuantizeLinear", ["x", "s", "z"], ["q"]), node("DequantizeLinear", ["q", "s", "z"], ["d"])]
        for scale, zero in (("columns", "zeros"), ("columns", "none"), ("t", "y0"), ("s", "z")):
            for shape in ([7], [3, 7], [2, 3, 7]):
                product = [*quantised_x, node("DequantizeLinear", ["w", scale, zero], ["v"], axis=-1), node("MatMul", ["d", "v"], ["y"])]
                case.check(product, {"x": shape}, ["y"], all_constants, {"product of whole numbers": 1}, 13, tolerance=1e-5)
        # Of two values of the program, with more of quantising after it.
        both = [*quantised_x, node("QuantizeLinear", ["u", "t", "y0"], ["p"]), node("DequantizeLinear", ["p", "t", "y0"], ["v"]), node("MatMul", ["d", "v"], ["m"]),
                node("Softmax", ["m"], ["o"], axis=-1), node("QuantizeLinear", ["o", "s", "z"], ["r"]), node("DequantizeLinear", ["r", "s", "z"], ["y"])]
        case.check(both, {"x": [2, 4, 7], "u": [2, 7, 3]}, ["y"], all_constants, {"product of whole numbers": 1}, 13, tolerance=0.021)
        by_rows = [*quantised_x, node("DequantizeLinear", ["w", "rows", "lines"], ["v"], axis=0), node("MatMul", ["d", "v"], ["y"])]
        case.check(by_rows, {"x": [3, 7]}, ["y"], all_constants, {}, 13)
        given = [*quantised_x, node("DequantizeLinear", ["w", "given", "z"], ["v"]), node("MatMul", ["d", "v"], ["y"])]
        case.check(given, {"x": [3, 7], "given": []}, ["y"], all_constants, {}, 13)
    # Convolutions by constant filters, with one scale or one for each filter, with a bias or without; but not by scales of channels, nor what does not become a product of whole numbers: sums
    # of few numbers, of so many that 32 bits do not hold them, and filters of many places.
    of_filters = [tensor("filters", [4], [0.01, 0.02, 0.03, 0.04]), tensor("s", [], [0.02]), tensor("b", [4], numbers(4))]
    for kind, low in ((UINT8, 0), (INT8, -128)):
        draw = random.Random(low + 1)
        some = [tensor("z", [], [low + 117], kind), tensor("middle", [], [0], INT8), tensor("middles", [4], [0, 1, -2, 3], INT8),
                *(tensor(name, shape, [draw.randrange(-128, 128) for _ in range(math.prod(shape))], INT8)
                  for name, shape in (("w", [4, 4, 3, 2]), ("grouped", [4, 8, 2, 2]), ("line", [4, 6, 3]), ("few", [4, 3, 1, 5]), ("places", [4, 1, 16, 8]), ("many", [4, 1, 11, 12]),
                                      ("deep", [4, 33026, 1]), ("wide", [4, 2, 12, 11])))]
        before = [node("QuantizeLinear", ["x", "s", "z"], ["q"]), node("DequantizeLinear", ["q", "s", "z"], ["d"])]
        for filters, shape, window in (("w", [2, 4, 9, 8], {"pads": [1, 0, 2, 1], "strides": [2, 1]}), ("grouped", [1, 16, 5, 5], {"group": 2, "dilations": [1, 2]}),
                                       ("line", [1, 6, 30], {"pads": [1, 1], "strides": [2]}), ("few", [1, 3, 4, 7], {}), ("places", [1, 1, 17, 9], {}), ("many", [1, 1, 12, 13], {}), ("deep", [1, 33026, 2], {}),
                                       ("wide", [1, 2, 12, 11], {})):
            for scale, zero, axis in (("s", "middle", {}), ("filters", "middles", {"axis": 0}), ("filters", "middles", {"axis": -len(shape)}), ("filters", "middles", {})):
                if scale == "filters" and not axis and filters != "w":
                    continue  # the second axis has other sizes
                for bias in ([], ["b"]):
                    convolution = [*before, node("DequantizeLinear", [filters, scale, zero], ["v"], **axis), node("Conv", ["d", "v", *bias], ["y"], **window)]
                    gains = filters not in ("few", "many", "deep", "wide") and (axis or scale == "s")
                    case.check(convolution, {"x": shape}, ["y"], [*of_filters, *some], {"product of whole numbers": 1} if gains else {}, 13, tolerance=1e-5)
    # Sums beyond 32 bits, half of whose numbers are 255; in f32 so many terms lose digits.
    long = [node("QuantizeLinear", ["x", "little", "no"], ["q"]), node("DequantizeLinear", ["q", "little", "no"], ["d"]),
            node("DequantizeLinear", ["w", "s", "no"], ["v"]), node("MatMul", ["d", "v"], ["y"])]
    all_constants = [*scales, tensor("little", [], [1e-6]), tensor("no", [], [0], UINT8), tensor("w", [100000, 1], [255] * 100000, UINT8)]
    case.check(long, {"x": [1, 100000]}, ["y"], all_constants, {"product of whole numbers": 1}, 13, tolerance=1e-3)
    wide = [node("QuantizeLinear", ["x", "s", "z"], ["q"]), node("DequantizeLinear", ["q", "s", "z"], ["d"]), node("DequantizeLinear", ["w", "s", "no"], ["v"]),
            node("MatMul", ["d", "v"], ["y"])]
    case.check(wide, {"x": [3, 7]}, ["y"], [*scales, tensor("z", [], [3], UINT8), tensor("no", [], [0], INT32), tensor("w", [7, 5], list(range(35)), INT32)], {}, 13)


def convolutions(world):
    case = Case(world)
    statistics = [tensor("s", [4], numbers(4, 0.5, 2)), tensor("b", [4], numbers(4, seed=5)), tensor("m", [4], numbers(4, seed=6)), tensor("v", [4], numbers(4, 0.5, 2, 7))]
    filters = [tensor("w", [4, 3, 3, 3], numbers(108, seed=8)), tensor("c", [4], numbers(4, seed=9))]
    for inputs in (["x", "w"], ["x", "w", "c"]):
        nodes = [node("Conv", inputs, ["h"], pads=[1, 1, 1, 1], strides=[2, 2]), node("BatchNormalization", ["h", "s", "b", "m", "v"], ["y"], epsilon=0.01)]
        case.check(nodes, {"x": [2, 3, 8, 7]}, ["y"], [*filters, *statistics], {"batch normalisation in a convolution": 1}, tolerance=1e-5)
        case.check(nodes, {"x": [2, 3, 8, 7]}, ["y", "h"], [*filters, *statistics], {}, tolerance=1e-5)
        convolution, limited = node("Conv", inputs, ["h"], pads=[1, 1, 1, 1], strides=[2, 2]), {"convolution and activation": 1}
        channels(case, convolution, filters, statistics, limited if len(inputs) == 3 else {})
        normalised = [*nodes[:1], node("BatchNormalization", ["h", "s", "b", "m", "v"], ["n"], epsilon=0.01), node("Relu", ["n"], ["y"])]
        case.check(normalised, {"x": [2, 3, 8, 7]}, ["y"], [*filters, *statistics], {"batch normalisation in a convolution": 1, **limited}, tolerance=1e-5)
    # A ReLU of a convolution with a bias, which is the same without the pattern; not of one without, nor where the sums are read or an output.
    biased, given = node("Conv", ["x", "w", "c"], ["h"], pads=[1, 1, 1, 1]), {"x": [2, 3, 5, 6]}
    case.check([biased, node("Relu", ["h"], ["y"])], given, ["y"], filters, limited, tolerance=0)
    case.check([biased, node("Relu", ["h"], ["i"]), node("Relu", ["i"], ["y"])], given, ["y"], filters, limited, tolerance=0)
    case.check([node("Conv", ["x", "w"], ["h"]), node("Relu", ["h"], ["y"])], given, ["y"], filters, {})
    case.check([biased, node("Relu", ["h"], ["y"])], given, ["y", "h"], filters, {})
    case.check([biased, node("Relu", ["h"], ["i"]), node("Add", ["i", "h"], ["y"])], given, ["y"], filters, {})


def channels(case, convolution, filters, statistics, limited):
    """Constants of channels that follow a convolution, where channels are the second axis and where a transpose makes them another one."""
    name = "constants of channels in a convolution"
    shaped = [tensor(f"{each}{axis}", [4 if at == axis else 1 for at in range(axis, 4)], numbers(4, 0.5, 2, seed)) for axis in (1, 2, 3) for seed, each in enumerate("efg")]
    others = [tensor("one", [], [0.7]), tensor("flat", [4], numbers(4, 0.5, 2)), tensor("turn", [2, 2, 4], numbers(16)), tensor("axes", [2], [1, 2], INT64)]
    all_constants, given = [*filters, *statistics, *shaped, *others], {"x": [2, 3, 8, 7]}
    chain = [node("Add", ["h", "e1"], ["i"]), node("Sub", ["i", "f1"], ["j"]), node("Mul", ["g1", "j"], ["k"]), node("Div", ["k", "one"], ["l"]), node("Relu", ["l"], ["y"])]
    case.check([convolution, *chain], given, ["y"], all_constants, {name: 1, "convolution and activation": 1}, tolerance=1e-5)
    case.check([convolution, *chain], given, ["y", "h"], all_constants, {}, tolerance=1e-5)
    case.check([convolution, *chain], given, ["y", "i"], all_constants, {name: 1}, tolerance=1e-5)
    turned = [node("Transpose", ["h"], ["t"], perm=[0, 2, 3, 1]), node("Cast", ["t"], ["u"], to=1), node("Add", ["u", "e3"], ["i"]), node("Mul", ["i", "flat"], ["j"])]
    case.check([convolution, *turned, node("Relu", ["j"], ["y"])], given, ["y"], all_constants, {name: 1}, tolerance=1e-5)
    back = [*turned, node("Transpose", ["j"], ["k"], perm=[0, 3, 2, 1]), node("Sub", ["k", "f1"], ["y"])]
    case.check([convolution, *back], given, ["y"], all_constants, {name: 1}, tolerance=1e-5)
    swapped = [node("Transpose", ["h"], ["t"], perm=[0, 2, 1, 3]), node("Mul", ["t", "e2"], ["y"])]
    case.check([convolution, *swapped], given, ["y"], all_constants, {name: 1}, tolerance=1e-5)
    normalised = [node("BatchNormalization", ["h", "s", "b", "m", "v"], ["n"], epsilon=0.01), node("Unsqueeze", ["flat", "axes"], ["r"]), node("Mul", ["n", "r"], ["o"]),
                  node("Add", ["o", "e1"], ["y"])]
    case.check([convolution, *normalised], given, ["y"], all_constants, {"batch normalisation in a convolution": 1, name: 1}, tolerance=1e-5)
    # Another axis has constants, both sides are read, a constant stands on the left, or a shape grows.
    for stays in ([node("Add", ["h", "flat"], ["y"])], [node("Add", ["h", "h"], ["y"])], [node("Sub", ["e1", "h"], ["y"])], [node("Div", ["e1", "h"], ["y"])],
                  [node("Transpose", ["h"], ["t"], perm=[0, 2, 3, 1]), node("Add", ["t", "e1"], ["y"])]):
        case.check([convolution, *stays], given, ["y"], all_constants, {}, tolerance=1e-5)
    case.check([convolution, node("Relu", ["h"], ["i"]), node("Add", ["i", "e1"], ["y"])], given, ["y"], all_constants, limited, tolerance=1e-5)
    # A filter times such numbers could be none of f32.
    for type_of in ("Mul", "Div"):
        for number in (0.0, 1e30, 1e-30, math.inf, math.nan):
            extreme = tensor("extreme", [4, 1, 1], [1.0, number, 2.0, 3.0])
            nodes = [convolution, node(type_of, ["h", "extreme"], ["y"])]
            case.world.convert(model(graph(nodes, [value("x", given["x"])], [value("y", [])], [*all_constants, extreme]), 17))
            assert case.world.rondo.patterns() == {}, (type_of, number)
    # Names that two nodes make, in a circle or not, are refused as without patterns.
    for nodes in ([convolution, node("Mul", ["h", "e1"], ["h"]), node("Relu", ["x"], ["y"])],
                  [convolution, node("Mul", ["h", "e1"], ["k"]), node("Transpose", ["k"], ["h"], perm=[0, 1, 2, 3]), node("Relu", ["x"], ["y"])],
                  [convolution, convolution, node("Mul", ["h", "e1"], ["y"])]):
        case.world.refused(model(graph(nodes, [value("x", given["x"])], [value("y", [])], all_constants), 17), IO_ERROR)
    # A constant that a later node makes again.
    again = [convolution, node("Mul", ["h", "e1"], ["y"]), node("Conv", ["x", "w"], ["e1"])]
    case.world.refused(model(graph(again, [value("x", given["x"])], [value("y", [])], all_constants), 17), IO_ERROR)


def main(build, name):
    with tempfile.TemporaryDirectory() as folder:
        world = World(build, folder)
        globals()[name](world)
        world.rondo.close()


main(*sys.argv[1:])
