#!/usr/bin/env python3
"""Models whose sizes vary, and recurrent layers: each converted, called at several sizes and compared with numbers computed here.

    layers.py BUILD TEST
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import math
import random
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
from models import BOOLEAN, F32, I64, INVALID_ARGUMENT, IO_ERROR, UNSUPPORTED, World, as_reals, classifier, close, expected_classes, reals  # noqa: E402
from rondo_abi import Failed  # noqa: E402
from writer import BFLOAT16, BOOL, FLOAT, FLOAT16, INT8, INT32, INT64, UINT8, graph, model, node, tensor, value  # noqa: E402


def varies(world):
    """One program for all sizes between bounds: constants that vary with them are computed by it, others are one weight."""
    rows = [(1, 2, 3), (0.5, -1, 0.25), (3, 2, 1), (0, 0, 1), (-1, -2, 0.5)]
    world.convert(classifier(), dims={"batch": (1, 1000)})
    for count in (1, 2, 5, 1000):
        given = (rows * 200)[:count]
        (shape, scores), = world.run(([count, 3], sum(map(list, given), [])))
        assert shape == [count, 2], shape
        close(scores, expected_classes(given))
    for count in (0, 1001):
        try:
            world.run(([count, 3], [1, 2, 3] * count))
            raise AssertionError(f"{count} rows were taken")
        except Failed as failed:
            assert failed.status == INVALID_ARGUMENT and "batch" in failed.message, failed
    # The shape itself, numbers up to a size, zeros of a shape, parts of a constant, and sizes of two inputs that are one.
    nodes = [node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["n"], axis=0), node("Range", ["zero", "n", "one"], ["r"]),
             node("Cast", ["r"], ["places"], to=1), node("ConstantOfShape", ["s"], ["zeros"]), node("Unsqueeze", ["n", "first"], ["end"]),
             node("Slice", ["table", "first", "end"], ["part"]), node("Add", ["places", "part"], ["t"]), node("Add", ["x", "t"], ["y1"]),
             node("Add", ["y1", "zeros"], ["y2"]), node("Add", ["y2", "z"], ["y"]), node("Identity", ["s"], ["sizes"])]
    constants = [tensor("zero", [], [0], INT64), tensor("one", [], [1], INT64), tensor("first", [1], [0], INT64), tensor("table", [9], [10 * i for i in range(9)])]
    world.convert(model(graph(nodes, [value("x", ["n"]), value("z", ["m"])], [value("y", []), value("sizes", [], INT64)], constants)), dims={"n=m": (1, 9)})
    for count in (1, 4, 6, 9):
        (_, shape, data), (_, _, sizes) = world.rondo.run(world.program, [(F32, [count], reals([0.5] * count)), (F32, [count], reals([1] * count))])
        assert shape == [count] and as_reals(data) == [1.5 + 11 * i for i in range(count)], (count, as_reals(data))
        assert sizes == struct.pack("<q", count), (count, sizes)
    text = world.program.read_bytes().replace(b'\\"', b'"')
    assert b'"dims":[["n",1,9]]' in text, text
    # What is no expression of the sizes, and names that nobody has.
    squares = [node("Shape", ["x"], ["s"]), node("Cast", ["s"], ["f"], to=1), node("Exp", ["f"], ["e"]), node("Add", ["x", "e"], ["y"])]
    world.convert(model(graph(squares, [value("x", ["n"])], [value("y", [])])), dims={"n": (1, 20)})
    (shape, sums), = world.run(([3], [1, 2, 3]))
    close(sums, [math.exp(3) + i for i in (1, 2, 3)])
    loop = graph([node("Add", ["state", "state"], ["next"]), node("Identity", ["go"], ["still"])],
                 [value("turn", [], INT64), value("go", [], BOOL), value("state", [None])], [value("still", [], BOOL), value("next", [None])])
    nodes = [node("Shape", ["x"], ["s"]), node("Loop", ["s", "", "x"], ["y"], "looped", body=("graph", loop))]
    world.refused(model(graph(nodes, [value("x", ["n"])], [value("y", [])])), UNSUPPORTED, "n = ", dims={"n": (1, 20)})
    world.refused(classifier(), INVALID_ARGUMENT, "'width'", dims={"batch": (1, 4), "width": (1, 2)})


def varies_refused(world):
    """What a program cannot make at all sizes is refused: tables that look alike at some, other shapes than constants have, long ways."""
    def refused(nodes, inputs, outputs, *texts, constants=(), dims, **more):
        made = model(graph(nodes, inputs, [value(each, []) for each in outputs], constants))
        return world.refused(made, UNSUPPORTED, *texts, dims={"n": dims}, **more)
    # The extents are [n, 4]: the same number at 4 alone, which is one of the sizes that are looked at.
    gather = node("GatherND", ["x", "i"], ["y"])
    for least in range(1, 8):
        refused([gather], [value("x", ["n", 4]), value("i", [3, 2], INT64)], ["y"], "GatherND: it needs a table of numbers", dims=(least, 40))
    # As many places as there are sizes, of constants; as many as the limit says where the program looks for them.
    nodes = [node("Shape", ["x"], ["s"]), node("ConstantOfShape", ["s"], ["ones"], value=("tensor", tensor("", [1], [1]))), node("NonZero", ["ones"], ["p"]),
             node("Cast", ["p"], ["f"], to=1), node("Add", ["f", "x"], ["y"]), node("NonZero", ["x"], ["q"])]
    refused(nodes, [value("x", ["n"])], ["y", "q"], "another shape", dims=(3, 40), limits={"NonZero": 100})
    # A way of many nodes does not end the process.
    for count in (300, 20000):
        names = ["s", *(f"s{i}" for i in range(count))]
        way = [node("Add", [names[i], "s"], [names[i + 1]]) for i in range(count)]
        refused([node("Shape", ["x"], ["s"]), *way], [value("x", ["n"])], [names[-1]], "through more than 256 nodes", "output", names[-1], dims=(3, 40))
        end = node("ConstantOfShape", ["zero"], ["y"]), node("Slice", ["x", "zero", names[-1]], ["z"])
        world.convert(model(graph([node("Shape", ["x"], ["s"]), *way, *end], [value("x", ["n"])], [value("z", []), value("y", [])], [tensor("zero", [1], [0], INT64)])),
                      dims={"n": (3, 40)})


def varies_by_steps(world):
    """Networks that take multiples alone: a step says that; without one the refusal names the node, and the step that would do."""
    halve = {"kernel_shape": [2, 2], "strides": [2, 2]}

    def detector(**rules):
        nodes = [node("MaxPool", ["x"], ["half"], **halve), node("MaxPool", ["half"], ["quarter"], **halve),
                 node("Resize", ["quarter", "", "four"], ["wide"], "widen", **rules), node("Add", ["x", "wide"], ["y"], "joined")]
        return model(graph(nodes, [value("x", [1, 2, "h", "w"])], [value("y", [])], [tensor("four", [4], [1, 1, 4, 4])]))
    draw = random.Random(4)
    for rules in ({"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}, {}):
        world.convert(detector(**rules), dims={"h": (8, 40, 4), "w": (4, 64, 4)})
        for h, w in ((8, 4), (12, 64), (40, 20), (36, 36)):
            x = [round(draw.uniform(-1, 1), 3) for _ in range(2 * h * w)]
            (shape, got), = world.run(([1, 2, h, w], x))
            largest = {}
            for i, number in enumerate(x):
                place = i // (h * w), i // w % h // 4, i % w // 4
                largest[place] = max(largest.get(place, -1), number)
            assert shape == [1, 2, h, w]
            close(got, [number + largest[i // (h * w), i // w % h // 4, i % w // 4] for i, number in enumerate(x)])
        for h, w, text in ((10, 8, "a multiple of 4 is needed"), (44, 8, "the size 'h' is 11"), (8, 68, "4*w")):
            try:
                world.run(([1, 2, h, w], [0] * 2 * h * w))
                raise AssertionError(f"{h} x {w} was taken")
            except Failed as failed:
                assert failed.status == INVALID_ARGUMENT and text in failed.message, failed
    world.refused(detector(), UNSUPPORTED, "Add", "'joined'", "at 'h' = ", "at multiples of 4, which a step says", dims={"h": (8, 40), "w": (4, 64)})
    # Steps are named if the program can be made with them: not of what no size in the bounds fits, what two sizes alone tell, nor what no size mends.
    flat = graph([node("Reshape", ["x", "one"], ["y"])], [value("x", ["n"])], [value("y", [])], [tensor("one", [1], [1], INT64)])
    corners = node("Resize", ["x", "", "three"], ["y"], coordinate_transformation_mode="align_corners")
    wide = graph([corners], [value("x", [1, 1, 1, "n"])], [value("y", [])], [tensor("three", [4], [1, 1, 1, 3])])
    odd = graph([node("Odd", ["x"], ["y"])], [value("x", ["n"])], [value("y", [])])
    for made, dims, text in ((flat, (1, 7), "Reshape"), (flat, (1, 40), "Reshape"), (wide, (1, 40), "a table of numbers"), (odd, (1, 40), "the operator is not there")):
        message = world.refused(model(made), UNSUPPORTED, text, dims={"n": dims})
        assert "multiples" not in message, message
    for h, w, text in (((8, 40), (4, 7), None), ((8, 40), (8, 64, 8), "at multiples of 8, which"), ((9, 23), (5, 15), "at multiples of 4, which"), ((9, 23), (6, 11), None)):
        message = world.refused(detector(), UNSUPPORTED, "'joined'", dims={"h": h, "w": w})
        assert text in message if text else "multiples" not in message, message
    world.refused(detector(mode="linear"), UNSUPPORTED, "Resize: it needs", "'widen'", dims={"h": (8, 40, 4), "w": (4, 64, 4)})
    for least, most, step in ((9, 40, 4), (8, 41, 4), (8, 40, 0), (8, 40, -4)):
        world.refused(detector(), INVALID_ARGUMENT, f"the step of 'h' is {step}", "multiples", dims={"h": (least, most, step), "w": (4, 64, 4)})


def recurrent_reference(kind, x, w, r, b, h, c, lengths, backwards):
    """Results, last state and last cell of one direction: lists of numbers, x of [step][batch][input]."""
    hidden, gates = len(r[0]), len(r) // len(r[0])
    def sigmoid(a):
        return 1 / (1 + math.exp(-a))
    def product(rows, vector, bias):
        return [sum(p * q for p, q in zip(row, vector)) + more for row, more in zip(rows, bias)]
    out = [[[0.0] * hidden for _ in h] for _ in x]
    h, c = [list(each) for each in h], [list(each) for each in c]
    for n in range(len(h)):
        for t in (reversed if backwards else list)(range(lengths[n] if lengths else len(x))):
            a, q = product(w, x[t][n], b[:gates * hidden]), product(r, h[n], b[gates * hidden:])
            part = [lambda k, i=i: a[i * hidden + k] + q[i * hidden + k] for i in range(gates)]
            for k, before in enumerate(list(h[n])):
                if kind == "LSTM":
                    c[n][k] = sigmoid(part[2](k)) * c[n][k] + sigmoid(part[0](k)) * math.tanh(part[3](k))
                    h[n][k] = sigmoid(part[1](k)) * math.tanh(c[n][k])
                elif kind == "GRU":
                    z = sigmoid(part[0](k))
                    h[n][k] = (1 - z) * math.tanh(a[2 * hidden + k] + sigmoid(part[1](k)) * q[2 * hidden + k]) + z * before
                else:
                    h[n][k] = math.tanh(part[0](k))
            out[t][n] = list(h[n])
    return out, h, c


def recurs(world):
    """Recurrent layers are one node of the program where the library has the variant, in both directions, with lengths and states; others are written out."""
    draw = random.Random(5)
    steps, batch, inputs, hidden = 4, 2, 3, 2
    def numbers(count):
        return [round(draw.uniform(-1, 1), 3) for _ in range(count)]
    def parts(all_numbers, *sizes):
        if len(sizes) == 1:
            return list(all_numbers)
        each = len(all_numbers) // sizes[0]
        return [parts(all_numbers[i * each:(i + 1) * each], *sizes[1:]) for i in range(sizes[0])]
    for kind, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        for direction, count in (("forward", 1), ("reverse", 1), ("bidirectional", 2)):
            for lengths in (None, [4, 2]):
                for layout in (0, 1):
                    rows = gates * hidden
                    w, r, b = numbers(count * rows * inputs), numbers(count * rows * hidden), numbers(count * 2 * rows)
                    x, h = numbers(steps * batch * inputs), numbers(count * batch * hidden)
                    constants = [tensor("w", [count, rows, inputs], w), tensor("r", [count, rows, hidden], r), tensor("b", [count, 2 * rows], b)]
                    if lengths:
                        constants.append(tensor("lengths", [batch], lengths, INT32))
                    x_shape, h_shape = ([batch, steps, inputs], [batch, count, hidden]) if layout else ([steps, batch, inputs], [count, batch, hidden])
                    more = {"linear_before_reset": 1} if kind == "GRU" else {}
                    layer = node(kind, ["x", "w", "r", "b", "lengths" if lengths else "", "h"], ["y", "last"], direction=direction, hidden_size=hidden, layout=layout, **more)
                    world.convert(model(graph([layer], [value("x", x_shape), value("h", h_shape)], [value("y", []), value("last", [])], constants)))
                    (_, got), (_, got_last) = world.run((x_shape, x), (h_shape, h))
                    words = world.program.read_bytes().count(b'{\\"kind\\":\\"Recurrent\\"')
                    assert words == (0 if direction == "reverse" and lengths else 1), (kind, direction, lengths, layout, words)
                    xs = parts(x, batch, steps, inputs) if layout else parts(x, steps, batch, inputs)
                    xs = [[xs[n][t] for n in range(batch)] for t in range(steps)] if layout else xs
                    hs = parts(h, *h_shape)
                    want, want_last = [0.0] * len(got), [0.0] * len(got_last)
                    for d in range(count):
                        first = [hs[n][d] for n in range(batch)] if layout else hs[d]
                        out, last, _ = recurrent_reference(kind, xs, parts(w, count, rows, inputs)[d], parts(r, count, rows, hidden)[d], parts(b, count, 2 * rows)[d], first,
                                                           [[0.0] * hidden] * batch, lengths, direction == "reverse" or d == 1)
                        for n in range(batch):
                            at = ((n * count + d) if layout else (d * batch + n)) * hidden
                            want_last[at:at + hidden] = last[n]
                            for t in range(steps):
                                at = (((n * steps + t) * count + d) if layout else ((t * count + d) * batch + n)) * hidden
                                want[at:at + hidden] = out[t][n]
                    close(got, want)
                    close(got_last, want_last)
    # Any number of steps, as a dimension.
    layer = node("LSTM", ["x", "w", "r"], ["y"], hidden_size=hidden)
    w, r = numbers(4 * hidden * inputs), numbers(4 * hidden * hidden)
    constants = [tensor("w", [1, 4 * hidden, inputs], w), tensor("r", [1, 4 * hidden, hidden], r)]
    world.convert(model(graph([layer], [value("x", ["steps", 1, inputs])], [value("y", [])], constants)), dims={"steps": (1, 40)})
    for steps in (1, 7, 40):
        x = numbers(steps * inputs)
        (shape, got), = world.run(([steps, 1, inputs], x))
        out, _, _ = recurrent_reference("LSTM", parts(x, steps, 1, inputs), parts(w, 4 * hidden, inputs), parts(r, 4 * hidden, hidden), [0.0] * 8 * hidden, [[0.0] * hidden],
                                        [[0.0] * hidden], None, False)
        assert shape == [steps, 1, 1, hidden], shape
        close(got, [one for step in out for one in step[0]])


class Window:
    """A convolution of two axes: sizes, and where its windows lie."""

    def __init__(self, batch=1, channels=4, image=(5, 6), filters=4, kernel=(3, 2), group=1, strides=(1, 1), dilations=(1, 1), pads=(0, 0, 0, 0)):
        self.x_shape, self.w_shape, self.group = [batch, channels, *image], [filters, channels // group, *kernel], group
        self.attributes = {"strides": list(strides), "dilations": list(dilations), "pads": list(pads), "group": group}
        self.strides, self.dilations, self.pads = strides, dilations, pads
        reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
        self.places = [(n + pads[i] + pads[i + 2] - reach[i]) // strides[i] + 1 for i, n in enumerate(image)]

    def sums(self, x, w, x_zero, w_zeros):
        """The convolution of whole numbers less their zero points, of which there is one for each filter; a pad is the image's zero point."""
        (batch, channels, *image), (filters, of_group, *kernel), out = self.x_shape, self.w_shape, []
        for n in range(batch):
            for m in range(filters):
                first = m // (filters // self.group) * of_group
                for top in range(self.places[0]):
                    for left in range(self.places[1]):
                        total = 0
                        for c in range(of_group):
                            for i in range(kernel[0]):
                                for j in range(kernel[1]):
                                    y = top * self.strides[0] + i * self.dilations[0] - self.pads[0]
                                    z = left * self.strides[1] + j * self.dilations[1] - self.pads[1]
                                    if 0 <= y < image[0] and 0 <= z < image[1]:
                                        total += ((x[((n * channels + first + c) * image[0] + y) * image[1] + z] - x_zero) *
                                                  (w[((m * of_group + c) * kernel[0] + i) * kernel[1] + j] - w_zeros[m]))
                        out.append(total)
        return out


WINDOWS = {
    "deep": Window(),
    "just deep enough": Window(channels=1, kernel=(4, 4)),
    "not deep enough": Window(channels=5, kernel=(3, 1)),
    "padded": Window(pads=(1, 0, 2, 1)),
    "strides and dilations": Window(batch=2, image=(9, 8), strides=(2, 1), dilations=(1, 2), pads=(0, 2, 1, 0)),
    "groups": Window(channels=6, filters=4, kernel=(3, 3), group=2, pads=(1, 1, 1, 1)),
    "a channel each": Window(channels=3, filters=6, group=3, kernel=(4, 4), pads=(2, 1, 1, 2)),
}
BYTES = {UINT8: ("B", 1, 0, 255), INT8: ("b", 2, -128, 127)}  # of ONNX's type: a code of struct, Rondo's dtype, bounds


def whole_convolutions(world):
    """ConvInteger and QLinearConv are exact: deep and shallow, with pads that are the zero point, groups, zeros and scales of each filter."""
    draw = random.Random(48)

    def shaped(data, code):
        return list(struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data))
    for which, ((name, window), x_type, w_type) in enumerate((each, x_type, w_type) for each in WINDOWS.items() for x_type in BYTES for w_type in BYTES):
        code, dtype, low, high = BYTES[x_type]
        _, _, w_low, w_high = BYTES[w_type]
        filters = window.w_shape[0]
        x, w = ([draw.randint(*bounds) for _ in range(math.prod(shape))] for shape, bounds in ((window.x_shape, (low, high)), (window.w_shape, (w_low, w_high))))
        x_zero = draw.choice((low, high, 7))
        for of_each in (False, True):
            w_zeros = [draw.randint(w_low, w_high) for _ in range(filters if of_each else 1)]
            sums = window.sums(x, w, x_zero, w_zeros * (1 if of_each else filters))
            zeros = [tensor("xz", [], [x_zero], x_type), tensor("wz", [filters] if of_each else [], w_zeros, w_type)]
            constants, given = [tensor("w", window.w_shape, w, w_type), *zeros], [(dtype, window.x_shape, struct.pack(f"<{len(x)}{code}", *x))]
            convolution = node("ConvInteger", ["x", "w", "xz", "wz"], ["y"], **window.attributes)
            world.convert(model(graph([convolution], [value("x", window.x_shape, x_type)], [value("y", [], INT32)], constants)))
            (_, shape, data), = world.rondo.run(world.program, given)
            assert shape == [window.x_shape[0], filters, *window.places] and shaped(data, "i") == sums, (name, x_type, w_type, of_each)
            # A filter's sums differ a hundredfold from the next one's; halves are rounded to even, and all is limited.
            bias = [draw.randint(-3000, 3000) for _ in range(filters)]
            scales = [2.0 ** -(m % 3) for m in range(filters)] if of_each else [0.5]
            y_code, y_dtype, y_low, y_high = BYTES[x_type]
            y_zero, each = draw.randint(y_low, y_high), math.prod(window.places)
            want = [max(y_low, min(y_high, round((total + bias[i // each % filters]) * scales[i // each % filters * of_each] / 512) + y_zero)) for i, total in enumerate(sums)]
            constants += [tensor("xs", [], [0.25]), tensor("ws", [filters] if of_each else [], scales), tensor("ys", [], [128.0]),
                          tensor("yz", [], [y_zero], x_type), tensor("b", [filters], bias, INT32)]
            convolution = node("QLinearConv", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"], ["y"], **window.attributes)
            world.convert(model(graph([convolution], [value("x", window.x_shape, x_type)], [value("y", [], x_type)], constants)))
            (got_dtype, _, data), = world.rondo.run(world.program, given)
            assert got_dtype == y_dtype and shaped(data, y_code) == want, (name, x_type, w_type, of_each)
    # Without zero points; and as many of them as there are no filters, or several of x, all of them 0 or not.
    window = WINDOWS["groups"]
    x, w = ([draw.randint(0, 255) for _ in range(math.prod(shape))] for shape in (window.x_shape, window.w_shape))
    weights, inputs = tensor("w", window.w_shape, w, UINT8), [value("x", window.x_shape, UINT8)]
    world.convert(model(graph([node("ConvInteger", ["x", "w"], ["y"], **window.attributes)], inputs, [value("y", [], INT32)], [weights])))
    (_, _, data), = world.rondo.run(world.program, [(1, window.x_shape, bytes(x))])
    assert shaped(data, "i") == window.sums(x, w, 0, [0] * 4)
    for count in (3, 8):
        zeros = [tensor("xz", [], [1], UINT8), tensor("wz", [count], [1] * count, UINT8)]
        wrong = node("ConvInteger", ["x", "w", "xz", "wz"], ["y"], "wrong", **window.attributes)
        world.refused(model(graph([wrong], inputs, [value("y", [], INT32)], [weights, *zeros])), IO_ERROR, f"w_zero_point has {count} numbers", "'wrong'")
    for number in (0, 1):
        zeros = tensor("xz", [4], [number] * 4, UINT8)
        wrong = node("ConvInteger", ["x", "w", "xz"], ["y"], "wrong", **window.attributes)
        world.refused(model(graph([wrong], inputs, [value("y", [], INT32)], [weights, zeros])), IO_ERROR, "x_zero_point has 4 numbers; 1 is needed", "'wrong'")


def half_filters(world):
    """Filters of 16 bits lie in the file with channels last, those of few channels with eight, once where two nodes read them; those of one channel or
    element each, and those of f32, as the model has them. Sums are exact."""
    draw, shapes = random.Random(49), {"one element": Window(kernel=(1, 1)), **{name: WINDOWS[name] for name in ("padded", "strides and dilations", "groups", "a channel each")}}
    for kind, dtype, code in ((FLOAT16, 5, "e"), (BFLOAT16, 6, "H"), (FLOAT, F32, "f")):
        for name, window in shapes.items():
            x, w = ([draw.randint(-3, 3) for _ in range(math.prod(shape))] for shape in (window.x_shape, window.w_shape))
            given = [struct.unpack("<I", struct.pack("<f", each))[0] >> 16 for each in x] if kind == BFLOAT16 else x
            nodes = [node("Conv", ["x", "w"], ["y"], **window.attributes), node("Neg", ["x"], ["z"]), node("Conv", ["z", "w"], ["v"], **window.attributes)]
            world.convert(model(graph(nodes, [value("x", window.x_shape, kind)], [value("y", [], kind), value("v", [], kind)], [tensor("w", window.w_shape, w, kind)])))
            sums = window.sums(x, w, 0, [0] * window.w_shape[0])
            for sign, (got, shape, data) in zip((1, -1), world.rondo.run(world.program, [(dtype, window.x_shape, struct.pack(f"<{len(x)}{code}", *given))])):
                assert got == dtype and shape == [window.x_shape[0], window.w_shape[0], *window.places], (name, got, shape)
                found = struct.unpack(f"<{len(sums)}{code}", data)
                if kind == BFLOAT16:
                    found = [struct.unpack("<f", struct.pack("<I", each << 16))[0] for each in found]
                assert list(found) == [sign * each for each in sums], (name, kind)
            content = world.program.read_bytes()
            header = json.loads(content[8:8 + int.from_bytes(content[:8], "little")])
            filters, of_group, *kernel = window.w_shape
            turned, few = kind != FLOAT and of_group > 1 and math.prod(kernel) > 1, of_group < 8 and of_group == window.x_shape[1]
            weights = {key: each["shape"] for key, each in header.items() if key != "__metadata__"}
            lying = {"w.more_channels_last": [filters, *kernel, 8]} if few else {"w.channels_last": [filters, *kernel, of_group]}
            assert weights == (lying if turned else {"w": window.w_shape}), (name, weights)


def limits(world):
    """Results whose size the program computes have a limit's size, zeros after what there is, and a count; of constants they have their own size."""
    def whole(result):
        _, shape, data = result
        return shape, list(struct.unpack(f"<{len(data) // 8}q", data))
    def run(nodes, inputs, outputs, constants, given, limits, **more):
        world.convert(model(graph(nodes, inputs, [value(each, []) for each in outputs], constants)), limits=limits, **more)
        return world.rondo.run(world.program, given)
    x = (F32, [2, 3], reals([0, 5, 0, 7, 0, 9]))
    places, count = run([node("NonZero", ["x"], ["y"])], [value("x", [2, 3])], ["y"], [], [x], {"y": 4})
    assert whole(places) == ([2, 4], [0, 1, 1, 0, 1, 0, 2, 0]) and whole(count) == ([], [3]), (whole(places), whole(count))
    places, count = run([node("NonZero", ["x"], ["y"])], [value("x", [2, 3])], ["y"], [], [x], {"NonZero": 2})
    assert whole(places) == ([2, 2], [0, 1, 1, 0]) and whole(count) == ([], [3]), (whole(places), whole(count))
    chosen = (BOOLEAN, [2], bytes([0, 1]))
    for axis, shape, want in ((1, [2, 2], [5, 0, 0, 0]), (0, [2, 3], [7, 0, 9, 0, 0, 0]), (None, [2], [5, 0])):
        compressed = node("Compress", ["x", "c"], ["y"], **({} if axis is None else {"axis": axis}))
        (_, got, data), count = run([compressed], [value("x", [2, 3]), value("c", [2], BOOL)], ["y"], [], [x, chosen], {"y": 2})
        assert (got, as_reals(data)) == (shape, want) and whole(count) == ([], [1]), (axis, got, as_reals(data))
    numbers = (F32, [6], reals([2, 1, 1, 3, 4, 3]))
    for in_order, want in ((1, ([1, 2, 3, 4, 0], [1, 0, 3, 4, 0], [1, 0, 0, 2, 3, 2], [2, 1, 2, 1, 0])), (0, ([2, 1, 3, 4, 0], [0, 1, 3, 4, 0], [0, 1, 1, 2, 3, 2], [1, 2, 2, 1, 0]))):
        unique = node("Unique", ["x"], ["y", "i", "r", "n"], sorted=in_order)
        *results, count = run([unique], [value("x", [6])], ["y", "i", "r", "n"], [], [numbers], {"y": 5})
        assert (as_reals(results[0][2]), *(whole(each)[1] for each in results[1:])) == want and whole(count) == ([], [4]), (in_order, results)
    rows = (F32, [3, 2], reals([1, 0, 0, 5, 1, 0]))
    *results, count = run([node("Unique", ["x"], ["y"], axis=0)], [value("x", [3, 2])], ["y"], [], [rows], {"Unique": 3})
    assert as_reals(results[0][2]) == [0, 5, 1, 0, 0, 0] and whole(count) == ([], [2]), results
    # The second box covers most of the first, the fourth has too small a score.
    boxes = (F32, [1, 4, 4], reals([0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, 10, 1, 11, 5, 5, 6, 6]))
    scores = (F32, [1, 2, 4], reals([0.9, 0.75, 0.6, 0.1, 0.2, 0.8, 0.1, 0.7]))
    constants = [tensor("most", [], [3], INT64), tensor("overlap", [], [0.5]), tensor("least", [], [0.3])]
    suppress = node("NonMaxSuppression", ["b", "s", "most", "overlap", "least"], ["y"])
    found, count = run([suppress], [value("b", [1, 4, 4]), value("s", [1, 2, 4])], ["y"], constants, [boxes, scores], {"y": 6})
    assert whole(found) == ([6, 3], [0, 0, 0, 0, 0, 2, 0, 1, 1, 0, 1, 3] + 6 * [0]) and whole(count) == ([], [4]), whole(found)
    # A loop makes as many turns as the program says; turns after these give zeros.
    body = graph([node("Add", ["state", "one"], ["next"]), node("Identity", ["next"], ["each"]), node("Identity", ["go"], ["still"])],
                 [value("turn", [], INT64), value("go", [], BOOL), value("state", [1])], [value("still", [], BOOL), value("next", [1]), value("each", [1])])
    loop, inputs = node("Loop", ["turns", "", "x"], ["last", "all"], "looped", body=("graph", body)), [value("turns", [], INT64), value("x", [1])]
    for turns, last, every, happened in ((3, 13, [11, 12, 13, 0], 3), (0, 10, [0] * 4, 0), (9, 14, [11, 12, 13, 14], 4)):
        (_, _, state), (_, shape, data), count = run([loop], inputs, ["last", "all"], [tensor("one", [1], [1])],
                                                     [(I64, [], struct.pack("<q", turns)), (F32, [1], reals([10]))], {"last": 4})
        assert as_reals(state) == [last] and (shape, as_reals(data)) == ([4, 1], every) and whole(count) == ([], [happened]), (turns, as_reals(state), as_reals(data), whole(count))
    # A loop of a known number of turns makes them all, whatever limit there is for others; a limit cuts where the program decides.
    constants = [tensor("one", [1], [1]), tensor("turns", [], [7], INT64), tensor("yes", [], [1], BOOL)]
    for go in ("yes", ""):
        loops = [node("Loop", ["turns", go, "x"], ["last", "all"], body=("graph", body)), node("Loop", ["n", "yes", "x"], ["less", "few"], body=("graph", body))]
        (_, _, state), (_, shape, data), (_, _, less), (_, few, _), count = run(loops, [value("n", [], INT64), value("x", [1])], ["last", "all", "less", "few"], constants,
                                                                                [(I64, [], struct.pack("<q", 9)), (F32, [1], reals([10]))], {"Loop": 4})
        assert as_reals(state) == [17] and (shape, as_reals(data)) == ([7, 1], [11 + i for i in range(7)]), (go, as_reals(state), shape)
        assert as_reals(less) == [14] and few == [4, 1] and whole(count) == ([], [4]), (go, as_reals(less), few, whole(count))
    # Of constants there is no limit; without one it is refused, and so is one that nothing asks for.
    constant = [node("NonZero", ["c"], ["p"]), node("Identity", ["x"], ["y"])]
    places, _ = run(constant, [value("x", [1])], ["p", "y"], [tensor("c", [3], [0, 1, 1])], [(F32, [1], reals([1]))], {})
    assert whole(places) == ([1, 2], [1, 2]), whole(places)
    searching = model(graph([node("NonZero", ["x"], ["y"], "find")], [value("x", [2])], [value("y", [])]))
    world.refused(searching, UNSUPPORTED, "NonZero", "limit", "'find'")
    world.refused(searching, INVALID_ARGUMENT, "'other'", limits={"y": 1, "other": 2})
    for limit in (0, (1 << 40) + 1, (1 << 63) - 1):
        world.refused(searching, INVALID_ARGUMENT, "the limit of 'y'", "from 1 to 1099511627776", limits={"y": limit})


def main(build, name):
    with tempfile.TemporaryDirectory() as folder:
        world = World(build, folder)
        globals()[name](world)
        world.rondo.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
