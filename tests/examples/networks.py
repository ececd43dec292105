#!/usr/bin/env python3
"""The networks of the examples in C, each written as a program file by its example on a cpu, give the same bits wherever they are called.

    networks.py DEVICE BUILD PROGRAM...      the example run_file of another language: a command with its first arguments; DEVICE calls

Networks are small, with weights that are drawn here or by the example. The reference is run_file in C++.
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
STAGES = [(1, False), (2, True), (2, True), (3, True), (3, True), (4, True), (1, True)]  # of the photographs' network: blocks, whether they widen


def run(command, *arguments):
    done = subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{command} {arguments} exits {done.returncode}:\n{done.stdout}{done.stderr}"


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


def functions(path):
    with path.open("rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    return json.loads(header["__metadata__"]["rondo.program"])["functions"]


def drawn(rng, *shape, limit=0.3):
    return "f32", list(shape), [rng.uniform(-limit, limit) for _ in range(math.prod(shape))]


def lite0(folder, rng):
    """A network of the photographs' kind with a few channels each, and a picture."""
    tensors, channels, block = {}, 4, 0

    def layer(name, *shape):
        tensors[name + ".weight"], tensors[name + ".bias"] = drawn(rng, *shape), drawn(rng, shape[0])

    layer("stem", channels, 3, 3, 3)
    for blocks, widens in STAGES:
        for _ in range(blocks):
            wide = 2 * channels if widens else channels
            if widens:
                layer(f"blocks.{block}.expand", wide, channels, 1, 1)
            layer(f"blocks.{block}.depthwise", wide, 1, 3, 3)
            layer(f"blocks.{block}.project", channels, wide, 1, 1)
            block += 1
    layer("head", 8, channels, 1, 1)
    layer("classes", 5, 8)
    picture = folder / "picture.ppm"
    picture.write_bytes(b"P6\n32 32\n255\n" + rng.randbytes(3 * 32 * 32))
    return write(folder / "lite0", tensors, classes="\n".join("abcde")), picture


def minilm(folder, rng):
    """A network of the sentences' kind, its words, and a sentence to look for."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"the cat sat where ?".split()]
    width, inner, tensors = 32, 48, {}

    def norm(name):
        tensors[name + ".weight"], tensors[name + ".bias"] = drawn(rng, width, limit=1), drawn(rng, width)

    def dense(name, rows, columns):
        tensors[name + ".weight"], tensors[name + ".bias"] = drawn(rng, rows, columns), drawn(rng, rows)

    for name, rows in ("word", len(words)), ("position", 256), ("token_type", 2):
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


def commands(folder, rng):
    """{example: arguments but for --program}."""
    model, picture = lite0(folder, rng)
    network, vocabulary, lines = minilm(folder, rng)
    none = write(folder / "none", {"nothing": drawn(rng, 1)})
    return {
        "digits": ["--device", "cpu", "--epochs", 2, "--batch", 32, "--out", folder / "digits.svg"],
        "resnet50": ["--device", "cpu", "--size", 32, "--blocks", "1,1,1,1", "--classes", 10, "--batch", 2, "--width", 4, "--steps", 0],
        "photographs": ["--device", "cpu", "--model", model, "--pixels", 32, "--reference", none, "--out", folder / "p.svg", picture],
        "bert": ["--device", "cpu", "--text", DATA.parents[1] / "LICENSE", "--steps", 2, "--tests", 4],
        "sentences": ["--device", "cpu", "--model", network, "--vocabulary", vocabulary, "--sentences", lines, "--reference", none, "where the cat ?"],
        "dlrm": ["cpu", 8, 32],
    }


def inputs_of(file, rng):
    """Of all functions: numbers that each of them takes."""
    tensors = {}
    for function in functions(file):
        for name, dtype, shape in function["inputs"]:
            count = math.prod(shape)
            tensors[name] = dtype, shape, ([9] * count if name == "lengths" else [rng.randrange(4) for _ in range(count)] if dtype != "f32"
                                           else [rng.uniform(-1, 1) for _ in range(count)])
    return tensors or {"nothing": drawn(rng, 1)}


def main(device, build, *program):
    examples, rng = pathlib.Path(build, "examples"), random.Random(47)
    seen = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for example, arguments in commands(folder, rng).items():
            command = examples / "c" / example
            if example == "sentences" and not command.exists():
                continue  # built where ICU is
            file, given = folder / "program.safetensors", folder / "in.safetensors"
            run([command], "--program", file, *arguments)
            write(given, inputs_of(file, rng))
            names = [each["name"] for each in functions(file)]
            if "step" in names:
                names = ["step", "step", "ask"] if device == "cpu" else ["ask"]  # a simulated device takes its time
            results = []
            for language, runs in ("cpp", [examples / "cpp/run_file_cpp"]), ("other", list(program)):
                run(runs, device, file, given, folder / language, *names)
                results.append((folder / language).read_bytes())
            assert len(results[0]) > 8 and results[0] == results[1], f"{example}: {names} have other bits by {program}"
            seen.append(f"{example}.{'+'.join(names)}")
    print(f"{len(seen)} calls have the same bits on {device}: {', '.join(seen)}")


if __name__ == "__main__":
    os.environ.setdefault("RONDO_EXAMPLE_DATA", str(DATA))
    main(*sys.argv[1:])
