#!/usr/bin/env python3
"""The networks of the examples in C, each written as a program file by its example, give the same bits wherever they are called.

    networks.py [--whole] [--only NAME] [--keep FOLDER] DEVICE BUILD [PROGRAM...] [-- PROGRAM...]...

PROGRAM is the example run_file of another language: a command with its first arguments, on DEVICE. The reference is run_file in C++; `rondo run` has its
bits too. Weights are drawn here or by the example. Networks are small and written on a cpu; with --whole they are as large as they are elsewhere, are written on
DEVICE, called at several sizes, and on a GPU compared with a cpu. FOLDER has the files in the end. The examples themselves compare each file with operators that are called one by one.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import array
import json
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parents[2] / "examples/data"
DTYPES = {"f32": ("F32", "f"), "i32": ("I32", "i"), "u8": ("U8", "B")}
# Of the photographs' network: blocks, whether they widen; and as it is elsewhere, channels and the filters' sizes.
STAGES = [(1, False, 16, 3), (2, True, 24, 3), (2, True, 40, 5), (3, True, 80, 3), (3, True, 112, 5), (4, True, 192, 5), (1, True, 320, 3)]
NEAR = 2**-10  # how far a GPU's results may be from a cpu's, in parts of the largest element


def run(command, *arguments):
    done = subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{command} {arguments} exits {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


def write(path, tensors, **metadata):
    """A safetensors file: name -> (dtype, shape, numbers)."""
    header, data = {"__metadata__": metadata} if metadata else {}, b""
    for name, (dtype, shape, numbers) in tensors.items():
        word, code = DTYPES[dtype]
        more = array.array(code, numbers).tobytes()
        header[name] = {"dtype": word, "shape": shape, "data_offsets": [len(data), len(data) + len(more)]}
        data += more
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def header_of(content):
    size, = struct.unpack("<Q", content[:8])
    return json.loads(content[8:8 + size]), content[8 + size:]


def functions(path):
    return json.loads(header_of(path.read_bytes())[0]["__metadata__"]["rondo.program"])["functions"]


def tensors_of(content):
    """name -> numbers"""
    header, data = header_of(content)
    codes = {"F32": "f", "I32": "i", "I64": "q"}
    return {name: array.array(codes[each["dtype"]], data[slice(*each["data_offsets"])]) for name, each in header.items() if name != "__metadata__"}


def far(one, other):
    """The largest difference between two results, in parts of the largest element."""
    worst = 0
    one, other = tensors_of(one), tensors_of(other)
    assert one.keys() == other.keys() and one, (one.keys(), other.keys())
    for name, numbers in one.items():
        largest = max(map(abs, other[name]))
        assert len(numbers) == len(other[name]) and math.isfinite(largest), (name, largest)
        worst = max(worst, max(abs(a - b) for a, b in zip(numbers, other[name])) / (largest or 1))
    return worst


def drawn(rng, *shape, limit=0.3):
    """Many numbers are the first ones again."""
    count = math.prod(shape)
    some = [rng.uniform(-limit, limit) for _ in range(min(count, 9973))]
    return "f32", list(shape), (some * (count // len(some) + 1))[:count]


def lite0(folder, rng, whole):
    """A network of the photographs' kind, with a few channels each if it is not whole, and a picture."""
    tensors, channels, block, side = {}, 32 if whole else 4, 0, 224 if whole else 32

    def layer(name, *shape):
        limit = math.sqrt(6 / math.prod(shape[1:])) if whole else 0.3
        tensors[name + ".weight"], tensors[name + ".bias"] = drawn(rng, *shape, limit=limit), drawn(rng, shape[0])

    layer("stem", channels, 3, 3, 3)
    for blocks, widens, outputs, filters in STAGES:
        for _ in range(blocks):
            wide = (6 if whole else 2) * channels if widens else channels
            if widens:
                layer(f"blocks.{block}.expand", wide, channels, 1, 1)
            layer(f"blocks.{block}.depthwise", wide, 1, *[filters if whole else 3] * 2)
            channels = outputs if whole else channels
            layer(f"blocks.{block}.project", channels, wide, 1, 1)
            block += 1
    classes = 1000 if whole else 5
    layer("head", 1280 if whole else 8, channels, 1, 1)
    layer("classes", classes, 1280 if whole else 8)
    picture = folder / "picture.ppm"
    picture.write_bytes(b"P6\n%d %d\n255\n" % (side, side) + rng.randbytes(3 * side * side))
    return write(folder / "lite0", tensors, classes="\n".join(map(str, range(classes)))), picture, side


def minilm(folder, rng, whole):
    """A network of the sentences' kind, its words, and a sentence to look for."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"the cat sat where ?".split()]
    width, inner, tensors = (384, 1536, {}) if whole else (32, 48, {})
    words += [f"word{i}" for i in range(len(words), 30522)] if whole else []

    def norm(name):
        tensors[name + ".weight"], tensors[name + ".bias"] = drawn(rng, width, limit=1), drawn(rng, width)

    def dense(name, rows, columns):
        tensors[name + ".weight"], tensors[name + ".bias"] = drawn(rng, rows, columns, limit=0.1 if whole else 0.3), drawn(rng, rows)

    for name, rows in ("word", len(words)), ("position", 512 if whole else 256), ("token_type", 2):
        tensors[f"embeddings.{name}_embeddings.weight"] = drawn(rng, rows, width, limit=1)
    norm("embeddings.LayerNorm")
    for i in range(6):
        layer = f"encoder.layer.{i}."
        for part in "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense":
            dense(layer + part, width, width)
        dense(layer + "intermediate.dense", inner, width)
        dense(layer + "output.dense", width, inner)
        norm(layer + "attention.output.LayerNorm")
        norm(layer + "output.LayerNorm")
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    (folder / "lines.txt").write_text("the cat sat\n", encoding="utf-8")
    return write(folder / "minilm", tensors), folder / "vocab.txt", folder / "lines.txt"


def commands(folder, rng, whole, device):
    """{example: arguments but for --program}."""
    model, picture, side = lite0(folder, rng, whole)
    network, vocabulary, lines = minilm(folder, rng, whole)
    none = write(folder / "none", {"nothing": drawn(rng, 1)})
    size = 224 if whole and device != "cpu" else 96 if whole else 32
    resnet = [] if whole else ["--blocks", "1,1,1,1", "--classes", 10, "--width", 4]
    on = ["--device", device]
    return {
        "digits": [*on, "--epochs", 2, "--batch", 32, "--out", folder / "digits.svg"],
        "resnet50": [*on, "--size", size, "--batch", 2, "--steps", 0, *resnet],
        "photographs": [*on, "--model", model, "--pixels", side, "--reference", none, "--out", folder / "p.svg", picture],
        "bert": [*on, "--text", DATA.parents[1] / "LICENSE", "--steps", 2, "--tests", 4],
        "sentences": [*on, "--model", network, "--vocabulary", vocabulary, "--sentences", lines, "--reference", none, "where the cat ?"],
        "dlrm": [device, 8, 32],
    }


def inputs_of(file, rng, sizes):
    """Of all functions: numbers that each of them takes, at sizes of its dimensions."""
    tensors = {}
    for function in functions(file):
        for name, dtype, shape in function["inputs"]:
            shape = [sizes.get(size, size) for size in shape]
            count = math.prod(shape)
            numbers = [sizes["pieces"]] * count if name == "lengths" else [rng.randrange(4) for _ in range(count)]
            tensors[name] = drawn(rng, *shape, limit=1) if dtype == "f32" else (dtype, shape, numbers)
    return tensors or {"nothing": drawn(rng, 1)}


def calls_of(file, device, whole):
    """Lists of functions that are called one after the other."""
    names = [each["name"] for each in functions(file)]
    if "step" not in names:
        return [names]
    return [["step", "step"], ["step", "step", "ask"]] if device == "cpu" or whole else [["ask"]]  # a simulated device takes its time


def compare(file, given, names, device, build, programs, whole):
    """Calls functions in each language; how far a cpu's results are."""
    folder, results = file.parent, {}
    for i, program in enumerate([[build / "examples/cpp/run_file_cpp"], *programs]):
        run(program, device, file, given, folder / f"out{i}", *names)
        results[" ".join(map(str, program))] = (folder / f"out{i}").read_bytes()
    tool = build / "src/rondo"
    if len(names) == 1 and tool.exists():  # it is built where nlohmann-json is
        inputs = ["--inputs", given] if functions(file)[0]["inputs"] else []
        run([tool], "run", file, "--function", names[0], *inputs, "--outputs", folder / "out", "--device", "cpu:0" if device == "cpu" else device)
        results["rondo run"] = (folder / "out").read_bytes()
    first, *others = results.values()
    for program, other in zip(list(results)[1:], others):
        assert len(first) > 8 and first == other, f"{file.stem}: {names} have other bits by {program}"
    if not whole or device == "cpu":
        return 0
    run([build / "examples/cpp/run_file_cpp"], "cpu", file, given, folder / "cpu", *names)
    return far(first, (folder / "cpu").read_bytes())


def main(device, build, *words, whole=False, only="", keep=""):
    build, rng, seen = pathlib.Path(build), random.Random(47), []
    programs = [[]]
    for word in words:
        programs[-1:] = [programs[-1], []] if word == "--" else [[*programs[-1], word]]
    programs = [each for each in programs if each]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(keep or name)
        folder.mkdir(parents=True, exist_ok=True)
        for example, arguments in commands(folder, rng, whole, device if whole else "cpu").items():
            command = build / "examples/c" / example
            if only not in example or example == "sentences" and not command.exists():
                continue  # built where ICU is
            file, given = folder / f"{example}.safetensors", folder / "in.safetensors"
            said = run([command], "--program", file, *arguments)
            assert example == "bert" or "program   has the bits of its operators at" in said, said
            for batch, pieces in [(3, 9)] if not whole else [(1, 64), (3, 9), (64, 1)] if example != "bert" else [(1, 1)]:
                write(given, inputs_of(file, rng, {"batch": batch, "pieces": pieces}))
                for names in calls_of(file, device, whole):
                    # Of a hundred bytes that an encoder guesses a near tie decides about some.
                    near, allowed = compare(file, given, names, device, build, programs, whole), 0.05 if names[-1] == "ask" else NEAR
                    assert near <= allowed, f"{example} x {batch}: {names} on {device} are {near:.3g} from a cpu's, {allowed} is allowed"
                    seen.append(f"{example} x {batch} {'+'.join(names)}" + (f" ({near:.2g} from a cpu's)" if whole and device != "cpu" else ""))
    assert seen, f"there is no example '{only}'"
    print(f"{len(seen)} calls have the same bits on {device}: {', '.join(seen)}")


if __name__ == "__main__":
    os.environ.setdefault("RONDO_EXAMPLE_DATA", str(DATA))
    options = {"whole": False, "only": "", "keep": ""}
    arguments = sys.argv[1:]
    while arguments[0].startswith("--"):
        option = arguments.pop(0)
        options[option[2:]] = True if option == "--whole" else arguments.pop(0)
    main(*arguments, **options)
