#!/usr/bin/env python3
"""Operators whose versions differ, each version from opset 9 on, compared with onnxruntime, and with onnx's own reference where onnxruntime has no such
opset yet: real files have old versions, of which the suite of the package onnx has only the newest.

    versions.py BUILD [OPERATOR...]

Versions are those of the package's list: one without a case here fails. Each is tried at its first opset and at its last.
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
    import onnx
    from onnx import helper, numpy_helper
except ImportError as missing:
    print(f"the Python package {missing.name} is not there: tests/onnx/package.py fetches it")
    sys.exit(1)

OLDEST = 9
DTYPES = {numpy.dtype(each): number for each, number in ((numpy.bool_, 0), (numpy.uint8, 1), (numpy.int8, 2), (numpy.int32, 3), (numpy.int64, 4), (numpy.float16, 5),
                                                         (numpy.float32, 7), (numpy.float64, 8))}
DRAW = numpy.random.default_rng(48)


def reals(*shape, dtype=numpy.float32):
    return DRAW.normal(size=shape).astype(dtype)


def whole(*numbers, dtype=numpy.int64):
    return numpy.array(numbers, dtype=dtype)


class Case:
    """A node: inputs, of which constants are marked by const(), None is left out; attributes; how many outputs are asked for."""

    def __init__(self, *inputs, outputs=1, near=1e-5, **attributes):
        self.inputs, self.outputs, self.near, self.attributes = inputs, outputs, near, attributes


class const:
    def __init__(self, array):
        self.array = numpy.asarray(array)


def ints(*numbers, dtype=numpy.int64):
    return const(whole(*numbers, dtype=dtype))


def slices(version):
    x = reals(4, 5, 6)
    if version < 10:
        return [Case(x, starts=[1, -4], ends=[3, 9999], axes=[0, 1]), Case(x, starts=[0, 1, -2], ends=[2, -1, 9999]), Case(x, starts=[-3], ends=[-1], axes=[2])]
    return [Case(x, ints(1, -4), ints(3, 9999), ints(0, 1)), Case(x, ints(0, 1, -2), ints(2, -1, 9999)),
            Case(x, ints(0, 1, dtype=numpy.int32), ints(4, 5, dtype=numpy.int32), ints(0, -1, dtype=numpy.int32), ints(2, 3, dtype=numpy.int32)),
            Case(x.astype(numpy.int64), ints(-1, 3), ints(-9999, 0), ints(2, 1), ints(-2, -1)), Case(x, ints(2), ints(1), ints(0))]


def pads(version):
    x, modes = reals(2, 3, 4), ["constant", "reflect", "edge"] + ["wrap"] * (version >= 19)
    if version < 11:
        return [Case(x, pads=[0, 1, 2, 1, 0, 3], mode=mode, **({"value": 1.5} if mode == "constant" else {})) for mode in modes if mode != "reflect"] + [
            Case(x, pads=[0, 1, 2, 1, 0, 3], mode="reflect"), Case(x, pads=[0, -1, 2, 0, 0, -1])]
    cases = [Case(x, ints(0, 1, 2, 1, 0, 3), mode=mode) for mode in modes]
    cases += [Case(x, ints(0, 1, 2, 1, 0, 3), const(numpy.float32(-2.5))), Case(x, ints(0, -1, 2, 0, 0, -1)),
              Case(x.astype(numpy.int64), ints(1, 0, 0, 0, 2, 0), const(numpy.int64(7)))]
    if version >= 18:
        cases += [Case(x, ints(1, 2, 0, 1), None, ints(2, -2)), Case(x, ints(2, 1), const(numpy.float32(3)), ints(1))]
    return cases


def clips(version):
    x = 3 * reals(3, 5)
    if version < 11:
        return [Case(x, min=-1.0, max=2.0), Case(x, min=0.5), Case(x, max=-0.25), Case(x)]
    cases = [Case(x, const(numpy.float32(-1)), const(numpy.float32(2))), Case(x, const(numpy.float32(0.5))), Case(x, None, const(numpy.float32(-0.25))), Case(x),
             Case(x, numpy.array(-0.5, numpy.float32), numpy.array(0.5, numpy.float32))]
    if version >= 12:
        cases += [Case(x.astype(numpy.int64), const(numpy.int64(-1)), const(numpy.int64(2))), Case(x.astype(numpy.int8), None, const(numpy.int8(1)))]
    return cases


def softmaxes(version):
    x = reals(2, 3, 4)
    return [Case(x), Case(x, axis=0), Case(x, axis=1), Case(x, axis=2), *([Case(x, axis=-2)] if version >= 11 else [])]


def resizes(version):
    x, scales = reals(1, 2, 5, 10), [const(numpy.array([1, 1, *each], numpy.float32)) for each in ((2, 2), (0.6, 1.5), (3, 0.5), (2.2, 1.1))]
    if version < 11:
        return [Case(each, scale, mode=mode) for scale in scales for mode in ("nearest", "linear") for each in (x, reals(1, 2, 5, 44))]
    cases = []
    none = const(numpy.array([], numpy.float32))
    for mode, more in (("nearest", {}), ("linear", {}), ("cubic", {}), ("cubic", {"cubic_coeff_a": -0.5, "exclude_outside": 1})):
        for origin in ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"):
            cases += [Case(x, none, each, mode=mode, coordinate_transformation_mode=origin, near=1e-4, **more) for each in scales]
    for rule in ("round_prefer_ceil", "floor", "ceil"):
        cases += [Case(reals(1, 2, 5, 44), none, scales[3], nearest_mode=rule, coordinate_transformation_mode="asymmetric")]  # 11 / 1.1 is whole by floats
        cases += [Case(x, none, each, nearest_mode=rule, coordinate_transformation_mode="asymmetric") for each in scales]
    cases += [Case(x, none, none, ints(1, 2, 7, 17), mode=mode, near=1e-4) for mode in ("nearest", "linear", "cubic")]
    if version >= 18:
        cases += [Case(x, None, None, ints(7, 4), axes=[2, 3], mode="linear"), Case(x, None, const(numpy.array([2, 3], numpy.float32)), axes=[3, 2], mode="nearest"),
                  Case(x, None, None, ints(3, 3), axes=[2, 3], mode="linear", antialias=1, near=1e-4)]
    return cases


def upsamples(version):
    x = reals(1, 2, 3, 4)
    scales = [[1, 1, 2, 2], [1, 1, 3, 1.5]]
    return [Case(x, const(numpy.array(each, numpy.float32)), mode=mode) for each in scales for mode in ("nearest", "linear")]


def scatters(version):
    x, places, updates = reals(3, 4), whole(*[[0, 2], [1, 0], [2, 1]]), reals(3, 2)
    cases = [Case(x, const(places), updates, axis=1), Case(x, const(whole([1, 0, 2, 1])), reals(1, 4)), Case(x, places, updates, axis=1)]
    cases += [Case(x, const(places - 2 if version >= 11 else places), updates, axis=0)]
    if version >= 16:
        cases += [Case(x, const(whole([1, 1, 3], [0, 2, 2])), reals(2, 3), axis=1, reduction=each) for each in ("add", "mul") + (("max", "min") if version >= 18 else ())]
    return cases


def scatters_nd(version):
    x, places = reals(4, 3, 2), whole([0, 2], [3, 1])
    cases = [Case(x, const(places), reals(2, 2)), Case(x, const(whole([1], [-1])), reals(2, 3, 2)), Case(x, places, reals(2, 2))]
    if version >= 16:
        cases += [Case(x, const(whole([1], [1])), reals(2, 3, 2), reduction=each) for each in ("add", "mul") + (("max", "min") if version >= 18 else ())]
    return cases


def squeezes(version):
    x = reals(1, 3, 1, 2)
    if version < 13:
        return [Case(x, axes=[0]), Case(x, axes=[0, 2]), Case(x), *([Case(x, axes=[-2])] if version >= 11 else [])]
    return [Case(x, ints(0)), Case(x, ints(0, -2)), Case(x)]


def unsqueezes(version):
    x = reals(3, 2)
    if version < 13:
        return [Case(x, axes=[0]), Case(x, axes=[1, 3]), *([Case(x, axes=[-1])] if version >= 11 else [])]
    return [Case(x, ints(0)), Case(x, ints(1, 3)), Case(x, ints(-1, 0))]


def reduces(with_input):
    """with_input: the version from which axes are an input."""
    def cases(version):
        x = numpy.abs(reals(2, 3, 4)) + 0.1
        if version < with_input:
            more = [Case(x, axes=[-1, 0])] if version >= 11 else []
            return [Case(x), Case(x, axes=[1]), Case(x, axes=[0, 2], keepdims=0), Case(x, keepdims=0), *more]
        return [Case(x), Case(x, ints(1)), Case(x, ints(0, -1), keepdims=0), Case(x, keepdims=0), Case(x, noop_with_empty_axes=1),
                Case(x, const(numpy.array([], numpy.int64)), noop_with_empty_axes=1), Case(x, const(numpy.array([], numpy.int64)), keepdims=0)]
    return cases


def norms(version):
    x, parts = reals(2, 3, 4, 5), [const(reals(3)), const(reals(3)), const(reals(3)), const(numpy.abs(reals(3)) + 0.5)]
    return [Case(x, *parts), Case(x, *parts, epsilon=0.01), Case(reals(4, 3), *parts), *([Case(x, *parts, training_mode=0)] if version >= 14 else [])]


def dropouts(version):
    x = reals(3, 4)
    if version < 12:  # which does not say what the mask is without training
        return [Case(x), Case(x, ratio=0.25)]
    return [Case(x), Case(x, const(numpy.float32(0.25))), Case(x, const(numpy.float32(0.25)), const(numpy.bool_(False)), outputs=2), Case(x, outputs=2, seed=3)]


def splits(version):
    x = reals(6, 4)
    if version < 13:
        return [Case(x, outputs=3), Case(x, split=[1, 5], outputs=2), Case(x, axis=1, split=[1, 2, 1], outputs=3), *([Case(x, axis=-1, outputs=2)] if version >= 11 else [])]
    cases = [Case(x, ints(1, 5), outputs=2), Case(x, ints(1, 2, 1), axis=1, outputs=3)]
    if version < 18:
        return [*cases, Case(x, outputs=3), Case(x, axis=-1, outputs=2)]
    return [*cases, Case(x, num_outputs=3, outputs=3), Case(x, axis=-1, num_outputs=2, outputs=2), Case(reals(7, 2), num_outputs=3, outputs=3)]


def whole_convolutions(version):
    cases = []
    for channels, filters, group, kernel, pad in ((4, 4, 1, 3, 0), (3, 6, 3, 4, 1), (6, 4, 2, 3, 1), (2, 3, 1, 2, 1)):
        for kind in (numpy.uint8, numpy.int8):
            low = numpy.iinfo(kind).min
            x = DRAW.integers(0, 256, (2, channels, 8, 7)).astype(numpy.uint8)
            w = DRAW.integers(low, low + 256, (filters, channels // group, kernel, kernel)).astype(kind)
            zero = const(kind(low + 131))
            more = dict(group=group, pads=[pad, 0, pad, pad], strides=[1, 2])
            cases += [Case(x, const(w), const(numpy.uint8(119)), zero, **more), Case(x, const(w), **more)]
    return cases


def quantised_convolutions(version):
    cases = []
    for channels, filters, group, kernel, pad in ((4, 4, 1, 3, 0), (3, 6, 3, 4, 1), (6, 4, 2, 3, 1), (2, 3, 1, 2, 1)):
        for kind, x_kind in ((numpy.uint8, numpy.uint8), (numpy.int8, numpy.uint8), (numpy.int8, numpy.int8)):
            low, x_low = numpy.iinfo(kind).min, numpy.iinfo(x_kind).min
            x = DRAW.integers(x_low, x_low + 256, (2, channels, 8, 7)).astype(x_kind)
            w = DRAW.integers(low, low + 256, (filters, channels // group, kernel, kernel)).astype(kind)
            each = kind == numpy.int8  # numbers of each filter
            scales = const(DRAW.uniform(0.01, 0.02, filters).astype(numpy.float32) if each else numpy.float32(0.015))
            zeros = const(numpy.zeros(filters, kind) if each else kind(low + 131))
            cases += [Case(x, const(numpy.float32(0.02)), const(x_kind(x_low + 119)), const(w), scales, zeros, const(numpy.float32(0.5)), const(x_kind(x_low + 140)), *bias,
                           group=group, pads=[pad, 0, pad, pad], strides=[1, 2], near=1)  # a spacing: onnxruntime multiplies by f32
                      for bias in ([], [const(DRAW.integers(-500, 500, filters).astype(numpy.int32))])]
    return cases


CASES = {"Slice": slices, "Pad": pads, "Clip": clips, "Softmax": softmaxes, "LogSoftmax": softmaxes, "Hardmax": softmaxes, "Resize": resizes, "Upsample": upsamples,
         "Scatter": scatters, "ScatterElements": scatters, "ScatterND": scatters_nd, "Squeeze": squeezes, "Unsqueeze": unsqueezes, "BatchNormalization": norms,
         "Dropout": dropouts, "Split": splits, "ConvInteger": whole_convolutions, "QLinearConv": quantised_convolutions,
         "ReduceSum": reduces(13), **{f"Reduce{each}": reduces(18) for each in ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "SumSquare")}}


def opsets_of(operator):
    """(version, first opset from OLDEST on, last opset) of each version that is in force there."""
    history = sorted((schema.since_version, schema.deprecated) for schema in onnx.defs.get_all_schemas_with_history() if schema.domain == "" and schema.name == operator)
    for (version, deprecated), (following, _) in zip(history, [*history[1:], (onnx.defs.onnx_opset_version() + 1, True)]):
        if following > OLDEST and not deprecated:
            yield version, max(version, OLDEST), following - 1


def model_of(operator, case, opset):
    inputs, constants, names = [], [], []
    for i, each in enumerate(case.inputs):
        names.append("" if each is None else f"i{i}")
        if isinstance(each, const):
            constants.append(numpy_helper.from_array(each.array, names[-1]))
        elif each is not None:
            inputs.append(helper.make_tensor_value_info(names[-1], helper.np_dtype_to_tensor_dtype(each.dtype), each.shape))
    outputs = [f"o{i}" for i in range(case.outputs)]
    node = helper.make_node(operator, names, outputs, **case.attributes)
    graph = helper.make_graph([node], "g", inputs, [onnx.ValueInfoProto(name=each) for each in outputs], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    inferred = onnx.shape_inference.infer_shapes(model)
    types = {each.name: each for each in inferred.graph.output}
    for each in graph.output:
        model.graph.output[int(each.name[1:])].CopyFrom(types[each.name])
    return model, {f"i{i}": each for i, each in enumerate(case.inputs) if isinstance(each, numpy.ndarray)}


class Judge:
    """onnxruntime, up to the newest opset that it has; after that onnx's reference."""

    def __init__(self):
        import onnxruntime
        self.runtime, self.newest = onnxruntime, OLDEST
        for opset in range(OLDEST, onnx.defs.onnx_opset_version() + 1):
            try:
                self.session(model_of("Identity", Case(reals(2)), opset)[0])
                self.newest = opset
            except Exception:  # noqa: BLE001: what it says differs between versions
                break

    def session(self, model):
        options = self.runtime.SessionOptions()
        options.log_severity_level, options.intra_op_num_threads = 4, 1
        return self.runtime.InferenceSession(model.SerializeToString(), options)

    def results(self, model, given, opset):
        if opset <= self.newest:
            return self.session(model).run(None, given)
        from onnx.reference import ReferenceEvaluator
        return ReferenceEvaluator(model).run(None, given)


def problem_of(rondo, judge, path, operator, case, opset):
    """What is wrong, in a sentence, or None."""
    model, given = model_of(operator, case, opset)
    path.write_bytes(model.SerializeToString())
    wanted = judge.results(model, given, opset)
    tensors = [(DTYPES[each.dtype], list(each.shape), numpy.ascontiguousarray(each).tobytes()) for each in given.values()]
    results = rondo.run(rondo.open(path), tensors)
    for i, (want, (dtype, shape, data)) in enumerate(zip(wanted, results)):
        want = numpy.asarray(want)
        if (dtype, tuple(shape)) != (DTYPES[want.dtype], want.shape):
            return f"output {i} is of dtype {dtype} and shape {shape}, not {want.dtype} {want.shape}"
        got = numpy.frombuffer(data, want.dtype).reshape(shape)
        near = case.near if want.dtype.kind == "f" or case.near >= 1 else 0
        worst = numpy.abs(got.astype(numpy.float64) - want.astype(numpy.float64)).max(initial=0)
        if not worst <= near * (1 if want.dtype.kind != "f" else max(1, numpy.abs(want).max(initial=0))):
            return f"output {i} differs by {worst}"
    return None if len(wanted) == len(results) else f"there are {len(results)} outputs, not {len(wanted)}"


def main(build, *operators):
    if not others.RUNTIME.folder().is_dir():
        print("onnxruntime is not there: tests/onnx/others.py fetches it")
        return 1
    sys.path.insert(1, str(others.RUNTIME.folder()))
    rondo, judge, problems, count = Rondo(build), Judge(), [], 0
    with tempfile.TemporaryDirectory() as folder:
        for operator in operators or CASES:
            versions = []
            for version, first, last in opsets_of(operator):
                versions.append(version)
                for number, case in enumerate(CASES[operator](version)):
                    # The judge changes between two opsets of one version.
                    for opset in sorted({first, last, *({judge.newest} if first <= judge.newest <= last else ())}):
                        count += 1
                        try:
                            problem = problem_of(rondo, judge, pathlib.Path(folder, "model.onnx"), operator, case, opset)
                        except Exception as failed:  # noqa: BLE001: the others are looked at too
                            problem = f"{type(failed).__name__}: {failed}"
                        if problem:
                            problems.append(f"{operator} of version {version} at opset {opset}, case {number} {case.attributes}: {problem}")
            print(f"{operator:20} versions {', '.join(map(str, versions))}", flush=True)
    rondo.close()
    print("\n".join(problems) or f"{count} nodes are as onnxruntime has them, up to opset {judge.newest}, and onnx's reference after that")
    return 1 if problems else 0


if __name__ == "__main__":
    code = main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)
