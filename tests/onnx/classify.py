#!/usr/bin/env python3
"""The example classify on pictures that are drawn here: it gives onnxruntime's numbers, with the labels of the model or those that it is
told, and a GPU that is not there is an error.

    classify.py PROGRAM
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import networks  # noqa: E402
import others  # noqa: E402
import pictures  # noqa: E402

numpy = networks.numpy
LINES = ["Which way up is this page?", "Its letters say so, line by line,", "and a network has learned to see it", "in documents of many kinds."]


def drawn():
    """A page, turned by each quarter, and a picture of no text."""
    page = pictures.page(700, 500, [(words, 34, (350, 90 + 100 * i), 0) for i, words in enumerate(LINES)])
    draw = numpy.random.default_rng(5)
    rough = numpy.kron(draw.integers(0, 256, (9, 11, 3)), numpy.ones((30, 30, 1))).astype(numpy.uint8)
    return [*(numpy.rot90(page, turns) for turns in range(4)), rough]


def seen(pixels, size=224):
    """The square in the middle, each of its pixels the mean of what it covers, rounded."""
    height, width = pixels.shape[:2]
    side = min(height, width) * 7 // 8
    top, left, edges = (height - side) // 2, (width - side) // 2, numpy.arange(size + 1) * side / size
    covered = numpy.clip(numpy.minimum(edges[1:, None], numpy.arange(1, side + 1)) - numpy.maximum(edges[:-1, None], numpy.arange(side)), 0, None) * size / side
    square = pixels[top:top + side, left:left + side].astype(float)
    return numpy.floor(numpy.einsum("yv,vuc,xu->yxc", covered, square, covered, optimize=True) + 0.5)


def main(program):
    sys.path.insert(1, str(others.RUNTIME.folder()))
    import onnxruntime
    squares = numpy.stack([seen(each) for each in drawn()])

    def run(*words):
        return subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=120)

    def expected(model, numbers):
        session = onnxruntime.InferenceSession(model, networks.runtime_options())
        return session.run(None, {session.get_inputs()[0].name: numbers.astype(numpy.float32)})[0]

    def check(done, paths, labels, want):
        assert done.returncode == 0, done
        blocks = done.stdout.split(str(paths[0].parent) + "/")[1:]
        assert [block.split("\n")[0] for block in blocks] == [path.name for path in paths], done.stdout
        for block, row in zip(blocks, want):
            got = [line.split(maxsplit=1) for line in block.splitlines()[1:]]
            order = numpy.argsort(-row)[:5]
            assert [label for _, label in got] == [labels[place] for place in order], (block, row)
            assert max(abs(float(number) - row[place]) for (number, _), place in zip(got, order)) < 1e-3, (block, row)
        assert numpy.abs(want[0] - want[1]).max() > 1e-3, "two pictures are alike"

    with tempfile.TemporaryDirectory() as name:
        paths = [pathlib.Path(name, f"{i}.ppm") for i in range(len(squares))]
        for path, pixels in zip(paths, drawn()):
            pictures.write(path, pixels)
        orientation, nsfw = networks.file_of("orientation"), networks.file_of("nsfw")
        turns = expected(orientation, ((squares / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]).transpose(0, 3, 1, 2))
        assert list(turns[:4].argmax(1)) == [0, 3, 2, 1], f"onnxruntime does not tell the quarters apart: {turns}"
        check(run(orientation, *paths, "--batch", "DynamicDimension.0"), paths, ["0", "90", "180", "270"], turns)
        scores = expected(nsfw, squares[..., ::-1] - [104, 117, 123])
        caffe = ("--batch", "batch", "--bgr", "--mean", "123,117,104", "--deviation", "1,1,1")
        check(run(nsfw, *paths, *caffe, "--labels", "safe,not safe"), paths, ["safe", "not safe"], scores)
        check(run(nsfw, *paths, *caffe), paths, ["class 0", "class 1"], scores)

        damaged = pathlib.Path(name, "damaged.ppm")
        damaged.write_bytes(paths[0].read_bytes()[:-1])
        one = (orientation, paths[0])
        for status, words, part in (
                (1, (*one, "--batch", "DynamicDimension.0", "--device", "cuda:0"), "cuda:0"), (1, one, "DynamicDimension.0"),
                (1, (networks.file_of("silero_openvino"), paths[0]), "more than one input"), (1, (*one, "--batch", "n"), "DynamicDimension.0"), (1, ("missing.onnx", paths[0]), "missing.onnx"),
                (1, (orientation, damaged, "--batch", "DynamicDimension.0"), "damaged.ppm ends before"),
                (2, (*one, "--batch", "DynamicDimension.0", "--labels", "a,b"), "as many parts"), (2, (), "MODEL.onnx"), (2, (orientation,), "PICTURE.ppm"),
                (2, (*one, "--mean", "1,2"), "--mean"), (2, (*one, "--deviation", "1,0,1"), "--deviation"), (2, (*one, "--fast"), "--fast"),
                (2, (*one, "--batch"), "--batch"), (2, (*one, "--device", "gpu"), "--device")):
            done = run(*words)
            assert (done.returncode, done.stdout) == (status, "") and part in done.stderr, (words, done)
    print(f"{len(squares)} pictures, {[float(round(row.max(), 3)) for row in turns]} of the likeliest turns")


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)
