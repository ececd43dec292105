#!/usr/bin/env python3
"""The test suite of the Python package `onnx`, each case converted to a program file, loaded and called on the cpu.

    backend.py BUILD PASSING            fails if a case of the list PASSING does not pass, or one that can be converted is wrong
    backend.py BUILD PASSING --write    writes the list anew
    backend.py BUILD PASSING --only TEXT... --verbose    cases whose names contain a text, with what each says

The package comes from package.py, or is one that Python has. The suite gives sizes, axes and the like as inputs, which real models have as constants. Where
the converter asks for constants, inputs that hold such numbers are given as those (rondo-convert --input), and the rest of the case is run. Where it asks
for a limit, it gets one above what the case expects (--limit): results have zeros after that, and a further output says how many elements there are.

The list has the names of cases that pass, which may only become more, and after them those that are wrong by the suite's own tolerance,
each with the reason.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import collections
import os
import pathlib
import sys
import tempfile
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import package  # noqa: E402
from rondo_abi import UNSUPPORTED, Failed, Rondo  # noqa: E402

package.use()
try:
    import numpy
    import onnx
    from onnx import numpy_helper
except ImportError as missing:
    print(f"the Python package {missing.name} is not there: tests/onnx/package.py fetches it")
    sys.exit(1)

DTYPES = {1: 7, 2: 1, 3: 2, 4: 10, 5: 9, 6: 3, 7: 4, 9: 0, 10: 5, 11: 8, 12: 11, 13: 12, 16: 6, 17: 13, 19: 14,
          21: 1, 22: 2, 25: 1, 26: 2}  # ONNX's number: Rondo's


def cases():
    """(name, model bytes or path, list of (inputs, outputs), rtol, atol) of the whole suite."""
    from onnx.backend.test import loader
    from onnx.backend.test.case.node import collect_testcases
    warnings.simplefilter("ignore")
    numpy.seterr(all="ignore")
    for case in sorted(collect_testcases(None), key=lambda each: each.name):
        yield case.name, case.model, case.data_sets, case.rtol, case.atol
    for kind in ("simple", "pytorch-converted", "pytorch-operator"):
        for case in loader.load_model_tests(kind=kind):
            folder = pathlib.Path(case.model_dir)
            model = onnx.load(folder / "model.onnx")
            sets = []
            for data in sorted(folder.glob("test_data_set_*")):
                sets.append(tuple([read_value(data / f"{which}_{i}.pb", infos[i]) for i in range(len(list(data.glob(f"{which}_*.pb"))))]
                                  for which, infos in (("input", model.graph.input), ("output", model.graph.output))))
            yield case.name, model, sets, case.rtol, case.atol


def read_value(path, info):
    if info.type.WhichOneof("value") != "tensor_type":
        return path.read_bytes()  # compared with nothing: such models cannot be converted
    return numpy_helper.to_array(onnx.TensorProto.FromString(path.read_bytes()))


def as_array(value):
    return numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value


def as_bytes(value, elem_type):
    """Integers of 4 and 2 bits as the bytes that a program has them as."""
    return numpy.asarray(value).astype({21: numpy.uint8, 22: numpy.int8, 25: numpy.uint8, 26: numpy.int8}[elem_type]) if elem_type in (21, 22, 25, 26) else value


def as_tensor(value, elem_type):
    value = as_bytes(value, elem_type)
    value = numpy.ascontiguousarray(value).reshape(numpy.shape(value))
    return DTYPES[elem_type], list(value.shape), value.tobytes()


def sizes_of(model, inputs):
    """Sizes for the dimensions that the model names, from the inputs it is to be called with."""
    sizes = {}
    for info, value in zip(model.graph.input, inputs):
        if info.type.WhichOneof("value") != "tensor_type":
            continue
        for axis, dim in enumerate(info.type.tensor_type.shape.dim):
            if dim.WhichOneof("value") != "dim_value" or dim.dim_value < 0:
                sizes[dim.dim_param or f"{info.name}:{axis}"] = numpy.shape(value)[axis]
    return sizes


def compare(expected, got, info, rtol, atol):
    """What is wrong with a result, or None."""
    elem_type = info.type.tensor_type.elem_type
    dtype, shape, data = got
    if dtype != DTYPES.get(elem_type):
        return f"the dtype is Rondo's {dtype}, not {DTYPES.get(elem_type)}"
    if list(numpy.shape(expected)) != shape:
        return f"the shape is {shape}, not {list(numpy.shape(expected))}"
    expected = numpy.asarray(as_bytes(expected, elem_type))
    values = numpy.frombuffer(data, dtype=expected.dtype).reshape(shape)
    if expected.dtype.kind in "biu":
        return None if numpy.array_equal(expected, values) else f"{int((expected != values).sum())} of {values.size} elements differ"
    wide, other = expected.astype(numpy.float64), values.astype(numpy.float64)
    if numpy.allclose(other, wide, rtol=rtol, atol=atol, equal_nan=True):
        return None
    with numpy.errstate(all="ignore"):
        return f"it differs by {numpy.nanmax(numpy.abs(other - wide))}"


FLOAT_CONSTANTS = {"scales", "roi", "start", "limit", "delta", "ratio", "constant_value", "value", "depth", "r", "iou_threshold", "score_threshold"}


def constants_of(inputs, values):
    """Numbers of the inputs that hold sizes, axes, counts, conditions or scales, by their names."""
    fixed = {}
    for info, value in zip(inputs, values):
        array = numpy.asarray(value)
        if array.ndim <= 1 and array.size <= 256 and (array.dtype.kind in "iub" or (array.dtype.kind in "fV" and info.name in FLOAT_CONSTANTS)):
            fixed[info.name] = [float(number) for number in array.reshape(-1)]
    return fixed


def without_rest(want, got):
    """A result up to what is expected, if all after it is zero; else the result."""
    dtype, shape, data = got
    if list(numpy.shape(want)) == shape or len(shape) != numpy.ndim(want):
        return got
    values = numpy.frombuffer(data, dtype=numpy.uint8).reshape(*shape, -1)
    part = tuple(slice(0, size) for size in numpy.shape(want))
    kept = numpy.ascontiguousarray(values[part])
    return (dtype, list(kept.shape[:-1]), kept.tobytes()) if numpy.count_nonzero(values) == numpy.count_nonzero(kept) else got


def limits_of(model, expected):
    """More than the largest size that is expected, for each operator."""
    largest = max([1, *(size for each in expected for size in numpy.shape(each))])
    return {node.op_type: largest + 2 for node in model.graph.node if node.op_type in ("NonZero", "Compress", "Unique", "NonMaxSuppression", "Loop")}


def run_case(rondo, folder, model, sets, rtol, atol):
    """("passed" or "unsupported" or "wrong" or "failed", what there is to say)."""
    inputs = [info for info in model.graph.input if info.name not in {each.name for each in model.graph.initializer}]
    path, program = folder / "model.onnx", folder / "program.safetensors"
    try:
        path.write_bytes(model.SerializeToString())
        sizes, fixed, limits = sizes_of(model, sets[0][0] if sets else []), {}, {}
        while True:
            try:
                rondo.convert(path, program, sizes, fixed=fixed, limits=limits)
                break
            except Failed as failed:
                if "an option may give a limit" in failed.message and not limits:
                    limits = limits_of(model, list(map(as_array, sets[0][1])))
                elif "computed by the program" in failed.message and len(sets) == 1 and not fixed:
                    fixed = constants_of(inputs, list(map(as_array, sets[0][0])))
                else:
                    raise
        for given, expected in sets:
            given, expected = list(map(as_array, given)), list(map(as_array, expected))
            tensors = [as_tensor(value, info.type.tensor_type.elem_type) for value, info in zip(given, inputs) if info.name not in fixed]
            results = rondo.run(program, tensors)
            if limits:
                sizes_there = {size for each in expected for size in numpy.shape(each)}
                *results, count = results
                if int.from_bytes(count[2], "little") not in sizes_there:
                    return "wrong", f"the count is {int.from_bytes(count[2], 'little')}, and sizes are {sizes_there}"
                results = [without_rest(want, got) for want, got in zip(expected, results)]
            if len(results) != len(expected):
                return "wrong", f"{len(results)} outputs, not {len(expected)}"
            for want, got, info in zip(expected, results, model.graph.output):
                if isinstance(want, (list, dict, type(None))):
                    return "wrong", "an output is no tensor"
                if problem := compare(want, got, info, rtol, atol):
                    return "wrong", f"output {info.name}: {problem}"
        return "passed", " ".join(["with constants"] * bool(fixed) + ["with a limit"] * bool(limits))
    except Failed as failed:
        nothing = "it must be 1 or more" in failed.message  # a dimension of the case is 0
        return ("unsupported" if failed.status == UNSUPPORTED or nothing else "failed"), str(failed)


def read_list(path):
    """Names that pass, and names that may be wrong with their reasons."""
    passing, excused = set(), {}
    for line in path.read_text().splitlines() if path.exists() else []:
        if line and not line.startswith("#"):
            name, _, reason = line.partition(" ")
            if reason:
                excused[name] = reason
            else:
                passing.add(name)
    return passing, excused


def write_list(path, passing, excused):
    lines = ["# Cases of the package onnx's backend suite that pass as program files (backend.py --write). Only more may be added.",
             "# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0", *sorted(passing),
             *(f"{name} {reason}" for name, reason in sorted(excused.items()) if name not in passing)]
    path.write_text("\n".join(lines) + "\n")


def main(build, list_file, *words):
    only = list(words[words.index("--only") + 1:]) if "--only" in words else []
    only = [word for word in only if not word.startswith("--")]
    verbose = "--verbose" in words
    passing, excused = read_list(pathlib.Path(list_file))
    rondo = Rondo(build)
    outcomes = collections.defaultdict(dict)
    with tempfile.TemporaryDirectory() as folder:
        for name, model, sets, rtol, atol in cases():
            if only and not any(word in name for word in only):
                continue
            outcome, text = run_case(rondo, pathlib.Path(folder), model, sets, rtol, atol)
            outcomes[outcome][name] = text
            if verbose:
                print(f"{outcome:12} {name} {text}", flush=True)
    rondo.close()
    counts = ", ".join(f"{len(outcomes[outcome])} {outcome}" for outcome in ("passed", "unsupported", "wrong", "failed"))
    constants = sum("constants" in text for text in outcomes["passed"].values())
    print(f"{sum(map(len, outcomes.values()))} cases: {counts}; of those that passed {constants} with inputs as constants")
    if "--write" in words:
        write_list(pathlib.Path(list_file), outcomes["passed"], excused)
        return 0
    problems = [f"{name} no longer passes: {outcome}: {text}" for outcome in ("unsupported", "wrong", "failed")
                for name, text in outcomes[outcome].items() if name in passing]
    problems += [f"{name} is wrong: {text}" for name, text in outcomes["wrong"].items() if name not in excused and name not in passing]
    problems += [f"{name} fails: {text}" for name, text in outcomes["failed"].items() if name not in passing and name not in excused]
    if not only:
        problems += [f"{name} is in the list, and the suite does not have it" for name in passing - set().union(*outcomes.values())]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    code = main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)
