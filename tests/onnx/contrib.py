#!/usr/bin/env python3
"""Operators of com.microsoft that models of onnxruntime have, each compared with it.

    contrib.py BUILD
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import others  # noqa: E402
import package  # noqa: E402
from rondo_abi import Rondo  # noqa: E402

package.use()
try:
    import numpy
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"the Python package {missing.name} is not there: tests/onnx/package.py fetches it")
    sys.exit(1)

KINDS = {numpy.dtype(numpy.float32): (TensorProto.FLOAT, 7), numpy.dtype(numpy.int32): (TensorProto.INT32, 3), numpy.dtype(numpy.uint8): (TensorProto.UINT8, 1),
         numpy.dtype(numpy.int8): (TensorProto.INT8, 2)}


def group_query(draw, batch, places, past, lengths, heads=4, groups=2, size=16, packed=False, rotary=None, **more):
    """Inputs of GroupQueryAttention, in its order; None: not given. lengths: keys of each sample, with the new ones."""
    def numbers(*shape):
        return draw.normal(size=shape).astype(numpy.float32)
    angles = numpy.arange(64)[:, None] / 10 ** numpy.arange(size // 2)[None, :]
    tables = [numpy.cos(angles).astype(numpy.float32), numpy.sin(angles).astype(numpy.float32)] if rotary is not None else [None, None]
    caches = [numbers(batch, groups, past, size), numbers(batch, groups, past, size)] if past else [None, None]
    new = [numbers(batch, places, (heads + 2 * groups) * size), None, None] if packed else [
        numbers(batch, places, heads * size), numbers(batch, places, groups * size), numbers(batch, places, groups * size)]
    attributes = {"num_heads": heads, "kv_num_heads": groups, "do_rotary": int(rotary is not None), "rotary_interleaved": int(rotary or 0), **more}
    return [*new, *caches, numpy.array(lengths, dtype=numpy.int32) - 1, numpy.array(max(lengths), dtype=numpy.int32), *tables], attributes


CASES = {
    "prompt": dict(batch=2, places=5, past=0, lengths=[5, 5]),
    "prompt of other lengths": dict(batch=2, places=5, past=0, lengths=[5, 3]),
    "next place": dict(batch=1, places=1, past=6, lengths=[7]),
    "next place of several": dict(batch=2, places=1, past=6, lengths=[7, 7]),
    "cache with room": dict(batch=2, places=1, past=16, lengths=[7, 4]),
    "prompt into a cache with room": dict(batch=2, places=5, past=16, lengths=[5, 3]),
    "window of a prompt into a cache with room": dict(batch=2, places=5, past=16, lengths=[5, 3], local_window_size=2),
    "prompt into a cache with room, rotary": dict(batch=2, places=4, past=9, lengths=[2, 4], rotary=0),
    "several places after a cache": dict(batch=1, places=3, past=16, lengths=[8]),
    "packed": dict(batch=1, places=4, past=0, lengths=[4], packed=True),
    "rotary": dict(batch=2, places=1, past=6, lengths=[7, 7], rotary=0),
    "rotary of neighbours": dict(batch=1, places=4, past=0, lengths=[4], rotary=1),
    "window": dict(batch=1, places=6, past=0, lengths=[6], local_window_size=3),
    "capped": dict(batch=1, places=3, past=0, lengths=[3], softcap=2.0, scale=0.7),
}


def quantised(kind):
    """(operator, inputs, attributes) of operators whose inputs are whole numbers of 8 bits, each with a scale and a zero point."""
    draw, low = numpy.random.default_rng(6), numpy.iinfo(kind).min

    def part(*shape, scale=0.02, zero=100):
        numbers = [draw.integers(low, low + 256, shape).astype(kind)] if shape else []
        return [*numbers, numpy.array(scale, numpy.float32), numpy.array(low + zero, kind)]
    out = part(scale=0.05, zero=120)
    yield "QLinearAdd", [*part(3, 4), *part(4, scale=0.03, zero=7), *out], {}
    yield "QLinearAdd", [*part(3, 4), *part(3, 1, scale=0.03), *out], {}
    yield "QLinearMul", [*part(3, 4), *part(3, 4, scale=0.03), *out], {}
    yield "QLinearSigmoid", [*part(3, 4), *part(scale=1 / 256, zero=0)], {}
    yield "QLinearLeakyRelu", [*part(3, 4), *part(scale=0.02, zero=30)], {"alpha": 0.2}
    yield "QLinearLeakyRelu", [*part(3, 4), *part(scale=0.02, zero=30)], {}
    yield "QLinearConcat", [*out, *part(2, 3), *part(2, 1, scale=0.07, zero=3), *part(2, 2)], {"axis": 1}
    yield "QLinearGlobalAveragePool", [*part(2, 3, 4, 5), *part(scale=0.01, zero=90)], {}
    yield "QLinearGlobalAveragePool", [*part(2, 4, 5, 3), *part(scale=0.01, zero=90)], {"channels_last": 1}
    yield "QGemm", [*part(3, 8), *part(8, 5), draw.integers(-900, 900, 5).astype(numpy.int32), *part(scale=0.5, zero=110)], {}
    yield "QGemm", [*part(8, 3), *part(5, 8), None, *part(scale=0.5, zero=110)], {"transA": 1, "transB": 1, "alpha": 0.5}
    yield "QGemm", [*part(3, 8), *part(8, 5), draw.integers(-900, 900, (3, 5)).astype(numpy.int32)], {}
    yield "QGemm", [*part(3, 8), *part(8, 5), None, numpy.array(0.5, numpy.float32)], {}  # a scale without a zero point: f32, which it divides
    if kind == numpy.int8:
        each = [draw.uniform(0.01, 0.03, 5).astype(numpy.float32), draw.integers(-9, 9, 5).astype(kind)]
        yield "QGemm", [*part(3, 8), part(8, 5)[0], *each, None, *part(scale=0.5, zero=110)], {}


def quantised_problems(rondo, session_of, path):
    """What is wrong with these operators, and how many cases there are. Numbers are all inputs' but for scales and zero points, which are constants."""
    problems, count = [], 0
    for kind in (numpy.uint8, numpy.int8):
        for operator, inputs, attributes in quantised(kind):
            count += 1
            names = [f"i{i}" if each is not None else "" for i, each in enumerate(inputs)]
            given = {key: each for key, each in zip(names, inputs) if each is not None and each.ndim > 1}
            constants = [numpy_helper.from_array(each, key) for key, each in zip(names, inputs) if each is not None and key not in given]
            real = operator == "QGemm" and len(inputs) < 9
            output = helper.make_tensor_value_info("y", TensorProto.FLOAT if real else KINDS[numpy.dtype(kind)][0], None)
            node = helper.make_node(operator, names, ["y"], domain="com.microsoft", **attributes)
            graph = helper.make_graph([node], "g", [helper.make_tensor_value_info(key, KINDS[each.dtype][0], each.shape) for key, each in given.items()], [output], constants)
            path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8).SerializeToString())
            want, = session_of(path).run(None, given)
            (_, shape, data), = rondo.run(rondo.open(path), [(KINDS[each.dtype][1], list(each.shape), each.tobytes()) for each in given.values()])
            got = numpy.frombuffer(data, want.dtype).reshape(shape)
            worst = numpy.abs(got.astype(numpy.float64) - want).max() if got.shape == want.shape else numpy.inf
            apart = numpy.abs(want.astype(numpy.float64) - want.reshape(-1)[0]).max()
            if not worst <= (1e-5 * numpy.abs(want).max() if real else 1) or apart < 5:  # halves may go the other way
                problems.append(f"{operator} of {want.dtype} {attributes} differs by {worst}; its numbers by {apart}")
    return problems, count


def main(build):
    if not others.RUNTIME.folder().is_dir():
        print("onnxruntime is not there: tests/onnx/others.py fetches it")
        return 1
    sys.path.insert(1, str(others.RUNTIME.folder()))
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    rondo, failed = Rondo(build), []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model.onnx")
        for name, case in CASES.items():
            inputs, attributes = group_query(numpy.random.default_rng(5), **case)
            names = [f"i{i}" if each is not None else "" for i, each in enumerate(inputs)]
            node = helper.make_node("GroupQueryAttention", names, ["y", "keys", "values"], domain="com.microsoft", **attributes)
            given = {key: value for key, value in zip(names, inputs) if value is not None}
            infos = [helper.make_tensor_value_info(key, KINDS[value.dtype][0], value.shape) for key, value in given.items()]
            outputs = [helper.make_tensor_value_info(key, TensorProto.FLOAT, None) for key in ("y", "keys", "values")]
            model = helper.make_model(helper.make_graph([node], "g", infos, outputs), opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)],
                                      ir_version=8)
            path.write_bytes(model.SerializeToString())
            wanted = onnxruntime.InferenceSession(path, options).run(None, given)
            # How many keys there are is a size of the result, so that it is a constant.
            tensors = [(KINDS[value.dtype][1], list(value.shape), value.tobytes()) for key, value in given.items() if key != "i6"]
            got = rondo.run(rondo.open(path, fixed={"i6": [max(case["lengths"])]}), tensors)
            for what, want, (_, shape, data) in zip(("y", "keys", "values"), wanted, got):
                values = numpy.frombuffer(data, numpy.float32).reshape(shape)
                if values.shape != want.shape:
                    failed.append(f"{name}: {what} has the shape {values.shape}, not {want.shape}")
                    continue
                for sample, length in enumerate(case["lengths"]):  # what lies after the last key is anything
                    some = [each[sample] for each in (values, want)]
                    some = [each[:length] if what == "y" else each[:, :length] for each in some]
                    worst = numpy.abs(some[0] - some[1]).max()
                    if not worst <= 2e-6 * (1 + numpy.abs(some[1]).max()):
                        failed.append(f"{name}: {what} of sample {sample} differs by {worst}")
        problems, count = quantised_problems(rondo, lambda path: onnxruntime.InferenceSession(path, options), path)
        failed += problems
    rondo.close()
    print("\n".join(failed) or f"{len(CASES)} cases of GroupQueryAttention and {count} of quantised operators are as onnxruntime has them")
    return 1 if failed else 0


if __name__ == "__main__":
    code = main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)
