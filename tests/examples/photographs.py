#!/usr/bin/env python3
"""Runs the photographs example as a user does and checks what it prints, draws and how it exits.

    photographs.py EXAMPLE DATA small DEVICE        a small network with random weights, against one written in Python
    photographs.py EXAMPLE DATA pretrained DEVICE   the real one on two photographs, against PyTorch's scores
    photographs.py EXAMPLE DATA onednn              both with oneDNN, as tests/examples/onednn.py fetched it
    photographs.py EXAMPLE DATA misuse

DATA is examples/data. The pretrained network is what its photographs.py made; where what was to be fetched is not there, the test is
skipped (77).
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import array
import base64
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import zlib

sys.dont_write_bytecode = True  # the source folder stays as it is
EXAMPLE, DATA = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
sys.path.insert(0, str(DATA))
import lite0  # noqa: E402
import lite0_reference as reference  # noqa: E402
from onednn import library as onednn_library  # noqa: E402
import photographs as fetched  # noqa: E402 (examples/data/photographs.py: this file is __main__)

CLASSES = 7


def run(folder, *arguments, status=0):
    """(stdout, stderr) of the example, which must exit with `status`."""
    done = subprocess.run([EXAMPLE, *arguments], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == status, f"{arguments} exits {done.returncode}, not {status}:\n{done.stdout}{done.stderr}"
    return done.stdout, done.stderr


def write_ppm(path, width, height, credit, rng):
    pixels = rng.randbytes(3 * width * height)
    path.write_bytes(f"P6\n# {credit}\n{width} {height}\n255\n".encode() + pixels)


def small_layers(rng):
    """Layers of the real structure with a few channels each."""
    def layer(name, *shape):
        count = 1
        for each in shape:
            count *= each
        limit = (6 / (count / shape[0])) ** 0.5
        return name, shape, array.array("f", (rng.uniform(-limit, limit) for _ in range(count))), array.array(
            "f", (rng.uniform(-0.5, 1) for _ in range(shape[0])))

    channels, block = 5, 0
    yield layer("stem", channels, 3, 3, 3)
    for (blocks, _), size, out in zip(reference.STAGES, (3, 3, 5, 3, 5, 5, 3), (4, 6, 6, 7, 5, 8, 9)):
        for _ in range(blocks):
            wide = channels
            if block > 0:
                wide = channels + 3
                yield layer(f"blocks.{block}.expand", wide, channels, 1, 1)
            yield layer(f"blocks.{block}.depthwise", wide, 1, size, size)
            yield layer(f"blocks.{block}.project", out, wide, 1, 1)
            channels, block = out, block + 1
    yield layer("head", 12, channels, 1, 1)
    yield layer("classes", CLASSES, 12)


def write_model(path, layers, names=None):
    lite0.write(path, layers, {"classes": "\n".join(names or [f"thing {i} & <more>" for i in range(CLASSES)])})


def write_scores(path, scores):
    """{name: scores} as safetensors."""
    data, entries = b"", []
    for name, values in scores.items():
        each = array.array("f", values).tobytes()
        entries.append(f'"{name}":{{"dtype":"F32","shape":[{len(values)}],"data_offsets":[{len(data)},{len(data) + len(each)}]}}')
        data += each
    header = ("{" + ",".join(entries) + "}").encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + data)


def drawn(path, expected):
    """Checks the picture: its embedded PNGs have these pixels, and as many rows of bars."""
    root = ElementTree.parse(path).getroot()
    images = [each.get("href") for each in root.iter() if each.tag.endswith("}image")]
    assert len(images) == len(expected)
    for href, (size, pixels) in zip(images, expected):
        png = base64.b64decode(href.removeprefix("data:image/png;base64,"), validate=True)
        assert png[:8] == b"\x89PNG\r\n\x1a\n"
        chunks, at = {}, 8
        while at < len(png):
            (length,) = struct.unpack(">I", png[at:at + 4])
            name, body = png[at + 4:at + 8], png[at + 8:at + 8 + length]
            assert png[at + 8 + length:at + 12 + length] == struct.pack(">I", zlib.crc32(name + body)), name
            chunks[name] = body
            at += 12 + length
        assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
        assert chunks[b"IHDR"] == struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
        raw = zlib.decompress(chunks[b"IDAT"])
        assert b"".join(raw[i * (3 * size + 1) + 1:(i + 1) * (3 * size + 1)] for i in range(size)) == pixels
    assert len([each for each in root.iter() if each.get("class") == "best"]) == len(expected)


def answers(out):
    """{picture: [(percent, class)]} of what was printed."""
    found = {}
    for line in out.splitlines():
        if line.endswith(".ppm") and not line.startswith(" "):
            found[line] = rows = []
        elif match := re.fullmatch(r" +([\d.]+) %  (.*)", line):
            rows.append((float(match[1]), match[2]))
    return found


def small(folder, device):
    rng = random.Random(15)
    layers = list(small_layers(rng))
    size = 33  # odd on the way down, so zeros stand on both sides or behind
    write_model(folder / "model.safetensors", layers)
    write_ppm(folder / "wide.ppm", 61, 40, "by somebody & <others>", rng)
    write_ppm(folder / "tall.ppm", 10, 23, "small", rng)  # smaller than what the network sees
    pixels = {name: reference.crop(*reference.read_ppm(folder / f"{name}.ppm"), size) for name in ("wide", "tall")}
    scores = {name: reference.scores(layers, each, size) for name, each in pixels.items()}
    write_scores(folder / "scores.safetensors", scores)
    command = ["--model", "model.safetensors", "--device", device, "--pixels", str(size), "--reference", "scores.safetensors",
               "wide.ppm", "tall.ppm"]
    out, err = run(folder, *command)
    assert err == "" and "eager and graph agree bit for bit" in out and "from the reference's" in out, out + err
    assert re.search(r"in 1 segment, %d captured" % (device != "cpu"), out), out
    for name, rows in answers(out).items():
        each = scores[name.removesuffix(".ppm")]
        best = max(range(CLASSES), key=lambda c: each[c])
        percents = [percent for percent, _ in rows]
        assert len(rows) == 5 and rows[0][1] == f"thing {best} & <more>" and percents == sorted(percents, reverse=True), out
    assert len(answers(out)) == 2, out
    drawn(folder / "photographs.svg", [(size, pixels["wide"]), (size, pixels["tall"])])

    scores["tall"][3] += 0.01  # what is not the same is told
    write_scores(folder / "scores.safetensors", scores)
    out, err = run(folder, *command, status=1)
    assert re.search(r"up to 0\.01 from the reference's; 0\.001 is allowed", out), out


def pretrained(folder, device):
    files = fetched.folder()
    if not files.is_dir():
        print("the pretrained network is not there: examples/data/photographs.py fetches it")
        sys.exit(77)
    out, err = run(folder, "--model", files / "efficientnet-lite0.safetensors", "--device", device, files / "china.ppm", files / "flower.ppm")
    assert err == "" and "eager and graph agree bit for bit" in out, out + err
    print(re.search(r"up to .* from the reference's.*", out)[0])  # PyTorch's
    print(re.search(r"time: .*", out)[0])
    china, flower = answers(out).values()
    print(f"china: {china[0]}, flower: {flower[0]}")
    assert china[0][1] in SEEN["china"] and flower[0][1] in SEEN["flower"], out
    assert len((folder / "photographs.svg").read_bytes()) < 1_000_000


def onednn(folder):
    """With the library, and with none of Rondo's kernels for convolutions by mistake: the example says what it found."""
    library = onednn_library()
    if not library.is_file():
        print("oneDNN is not there: tests/examples/onednn.py fetches it")
        sys.exit(77)
    os.environ["RONDO_ONEDNN"] = str(library)
    small(folder, "cpu")
    out, _ = run(folder, "--model", "model.safetensors", "--device", "cpu", "--pixels", "33", "wide.ppm")
    assert re.search(r"^  onednn   yes: 3\.", out, re.M), out
    pretrained(folder, "cpu")


SEEN = {"china": ("palace",), "flower": ("daisy",)}


def misuse(folder):
    """Wrong options end with 2, what is missing or no picture or no network with 1; each says so in one line and prints nothing else."""
    rng = random.Random(1)
    layers = list(small_layers(rng))
    write_model(folder / "good", layers)
    write_ppm(folder / "p.ppm", 20, 20, "x", rng)
    whole, picture = (folder / "good").read_bytes(), (folder / "p.ppm").read_bytes()
    (folder / "cut").write_bytes(whole[:-100])
    (folder / "text").write_text("P6 no numbers")
    (folder / "huge.ppm").write_bytes(b"P6 99999999999999999999 1 255\n")
    (folder / "deep.ppm").write_bytes(b"P6 2 2 65535\n" + bytes(24))
    (folder / "short.ppm").write_bytes(picture[:-1])
    (folder / "empty.ppm").touch()
    (folder / "none.ppm").write_bytes(b"P6\n0 4\n255\n")
    write_model(folder / "layerless", layers[:-1])
    write_model(folder / "nameless", layers, ["one"])
    write_model(folder / "flat", [(name, shape[:1] + (shape[1] * shape[2] * shape[3],) if name == "head" else shape, weight, bias)
                                  for name, shape, weight, bias in layers])
    good = ["--model", "good", "--device", "cpu", "--pixels", "32"]
    for status, part, *arguments in [
        (2, "--fast", *good, "--fast", "p.ppm"),
        (2, "--out", *good, "p.ppm", "--out"),
        (2, "--pixels", *good, "--pixels", "7", "p.ppm"),
        (2, "--pixels", *good, "--pixels", "ten", "p.ppm"),
        (2, "--device", *good, "--device", "gpu", "p.ppm"),
        (2, "--model", "p.ppm"),
        (2, "PICTURE.ppm", *good),
        (2, "at most 16", *good, *["p.ppm"] * 17),
        (1, "cuda:63", *good, "--device", "cuda:63", "p.ppm"),
        (1, "missing.ppm: No such file", *good, "missing.ppm"),
        (1, "text", *good, "text"),
        (1, "empty.ppm is no PPM", *good, "empty.ppm"),
        (1, "width and height", *good, "none.ppm"),
        (1, "width and height", *good, "huge.ppm"),
        (1, "maximum 255", *good, "deep.ppm"),
        (1, "short.ppm ends before its 20 x 20 pixels", *good, "p.ppm", "short.ppm"),
        (1, "missing", *good, "--model", "missing", "p.ppm"),
        (1, "cut", *good, "--model", "cut", "p.ppm"),
        (1, "p.ppm", *good, "--model", "p.ppm", "p.ppm"),
        (1, "'classes.weight'", *good, "--model", "layerless", "p.ppm"),
        (1, "'head.weight' has another shape", *good, "--model", "flat", "p.ppm"),
        (1, "a line for each of the 7", *good, "--model", "nameless", "p.ppm"),
    ]:
        out, err = run(folder, *arguments, status=status)
        assert out == "", f"{arguments} prints:\n{out}"
        assert err.count("\n") == 1 and err.endswith("\n") and part in err, f"{arguments} says:\n{err}"
        assert not (folder / "photographs.svg").exists(), f"{arguments} drew a picture"
    # What is found when the answers are there: they are printed, and the exit code says that something is missing.
    for part, *arguments in ("missing/x.svg", "--out", "missing/x.svg"), ("missing.st", "--reference", "missing.st"):
        out, err = run(folder, *good, "p.ppm", *arguments, status=1)
        assert err.count("\n") == 1 and part in err and out.count(" %  thing") == 5, out + err
    out, err = run(folder, "--help")
    assert err == "" and out.startswith("usage: photographs"), out + err


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        {"small": small, "pretrained": pretrained, "onednn": onednn, "misuse": misuse}[sys.argv[3]](pathlib.Path(name), *sys.argv[4:])
