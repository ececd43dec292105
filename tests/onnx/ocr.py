#!/usr/bin/env python3
"""The example ocr on a page that is drawn here, some lines of which lean or stand on their head: their words come out. Where it finds lines, and
what the models say of them, is compared with onnxruntime's answers for the same pictures. A GPU that is not there is an error.

    ocr.py PROGRAM
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import networks  # noqa: E402
import others  # noqa: E402
import pictures  # noqa: E402

numpy = networks.numpy
SIDE, HEIGHT = 960, 48
# Words, their size, the middle of the line, how many degrees it is turned.
TEXTS = [("Quarterly report of the harbour", 44, (600, 90), 0), ("Ships arrived: 1,284", 36, (300, 190), 0), ("Departed: 1,279", 36, (880, 190), 0),
         ("This line leans a little", 40, (420, 330), 8), ("and this one the other way", 40, (420, 500), -6),
         ("Received 3 May", 38, (560, 640), 180), ("along the edge", 40, (1120, 500), -90), ("Berth 7", 30, (150, 740), 0)]
PLACES = re.compile(r" *((?:-?[\d.]+,-?[\d.]+ ){4}) line ([\d.]+), on its head ([\d.]+)")


def sampled(pixels, corners, width, height, turned=False):
    """What the rectangle of these corners shows, upright: [3, height, width] of blue, green and red from -1 to 1. A pixel is the mean of bilinear
    samples."""
    (top_left, top_right, _, bottom_left), size = corners, pixels.shape[:2]
    along, down = top_right - top_left, bottom_left - top_left
    n = max(1, int(numpy.ceil(max(numpy.hypot(*along) / width, numpy.hypot(*down) / height) - 1e-9)))
    u, v = (numpy.arange(width * n) + 0.5) / (width * n), (numpy.arange(height * n) + 0.5) / (height * n)
    if turned:
        u, v = 1 - u, 1 - v
    places = top_left + u[None, :, None] * along + v[:, None, None] * down - 0.5
    x, y = (numpy.clip(places[..., axis], 0, size[1 - axis] - 1) for axis in (0, 1))
    left, top = numpy.floor(x).astype(int), numpy.floor(y).astype(int)
    right, bottom = numpy.minimum(left + 1, size[1] - 1), numpy.minimum(top + 1, size[0] - 1)
    x, y, colours = (x - left)[..., None], (y - top)[..., None], pixels.astype(float)
    mixed = (colours[top, left] * (1 - x) + colours[top, right] * x) * (1 - y) + (colours[bottom, left] * (1 - x) + colours[bottom, right] * x) * y
    mean = mixed.reshape(height, n, width, n, 3).mean((1, 3))
    return (mean[..., ::-1] / 127.5 - 1).transpose(2, 0, 1)


def inside(corners, width, height):
    """Which pixels of a map have their middle in the rectangle."""
    along, down = corners[1] - corners[0], corners[3] - corners[0]
    y, x = numpy.mgrid[:height, :width] + 0.5
    u = ((x - corners[0][0]) * along[0] + (y - corners[0][1]) * along[1]) / (along @ along)
    v = ((x - corners[0][0]) * down[0] + (y - corners[0][1]) * down[1]) / (down @ down)
    return (u >= 0) & (u <= 1) & (v >= 0) & (v <= 1)


class Judge:
    """onnxruntime with the three models."""

    def __init__(self):
        import onnxruntime
        self.sessions = {name: onnxruntime.InferenceSession(networks.file_of(name), networks.runtime_options()) for name in ("ocr_det", "ocr_cls", "ocr_rec")}
        self.letters = self.sessions["ocr_rec"].get_modelmeta().custom_metadata_map["character"].split("\n") + [" "]

    def ask(self, name, planes):
        return self.sessions[name].run(None, {"x": planes[None].astype(numpy.float32)})[0][0]

    def map(self, pixels):
        """What the detector says of the picture's pixels; the picture's size in it."""
        height, width = pixels.shape[:2]
        scale = SIDE / max(width, height)
        size = int(width * scale + 0.5), int(height * scale + 0.5)
        planes, corners = numpy.zeros((3, SIDE, SIDE)), numpy.array([[0, 0], [width, 0], [width, height], [0, height]], float)
        planes[:, :size[1], :size[0]] = sampled(pixels, corners, *size)
        return self.ask("ocr_det", planes)[0], scale

    def line(self, pixels, corners, batch_width):
        """The probability of standing on its head, the text, and how sure it is."""
        ratio = numpy.hypot(*(corners[1] - corners[0])) / numpy.hypot(*(corners[3] - corners[0]))

        def strip(turned, most, row):
            width = min(int(numpy.ceil(HEIGHT * ratio)), most)
            planes = numpy.zeros((3, HEIGHT, row))
            planes[:, :, :width] = sampled(pixels, corners, width, HEIGHT, turned)
            return planes
        turned = self.ask("ocr_cls", strip(False, 192, 192))[1]
        steps = self.ask("ocr_rec", strip(turned > 0.9, 1600, batch_width))
        best = steps.argmax(1)
        kept = [i for i, letter in enumerate(best) if letter != 0 and (i == 0 or letter != best[i - 1])]
        return turned, "".join(self.letters[best[i] - 1] for i in kept), steps.max(1)[kept].mean()


def widths(all_corners):
    """How wide the batch is in which each line is read: eight of about the same length."""
    ratios = [numpy.hypot(*(corners[1] - corners[0])) / numpy.hypot(*(corners[3] - corners[0])) for corners in all_corners]
    order, found = sorted(range(len(ratios)), key=lambda i: ratios[i]), {}
    for at in range(0, len(order), 8):
        found |= {i: min(max(int(numpy.ceil(HEIGHT * max(ratios[k] for k in order[at:at + 8]))), 48), 1600) for i in order[at:at + 8]}
    return found


def check(output, pixels):
    rows = output.splitlines()[1:]
    lines = [re.fullmatch(r"  ([\d.]+)  (.*)", row) for row in rows[::2]]
    places = [PLACES.fullmatch(row) for row in rows[1::2]]
    assert len(lines) == len(places) and all(lines) and all(places), output
    assert sorted(line[2] for line in lines) == sorted(text for text, *_ in TEXTS), output
    order = [line[2] for line in lines]
    assert order[:3] == [text for text, *_ in TEXTS[:3]] and order[-1] == TEXTS[-1][0], order
    all_corners = [numpy.array([[float(number) for number in corner.split(",")] for corner in place[1].split()]) for place in places]
    judge = Judge()
    told, scale = judge.map(pixels)
    letters, covered = told > 0.3, numpy.zeros_like(told, dtype=bool)
    for corners, place in zip(all_corners, places):
        mask = inside(corners * scale, SIDE, SIDE)
        covered |= mask
        # Rectangles are larger than what the detector marks, so its mean lies between what is marked, alone and in all of the rectangle.
        assert told[mask].mean() < float(place[2]) < told[mask & letters].mean() + 0.01, (place[0], told[mask].mean(), told[mask & letters].mean())
    assert (letters & ~covered).sum() == 0, "the detector marks pixels that are in no line"
    batch = widths(all_corners)
    for i, (corners, line, place) in enumerate(zip(all_corners, lines, places)):
        turned, text, sure = judge.line(pixels, corners, batch[i])
        assert line[2] == text and abs(float(line[1]) - sure) < 2e-3 and abs(float(place[3]) - turned) < 2e-3, (line[0], text, sure, turned, place[0])
    heads = {line[2]: float(place[3]) for line, place in zip(lines, places)}
    assert [text for text, sure in heads.items() if sure > 0.9] == [TEXTS[5][0]], heads


def main(program):
    sys.path.insert(1, str(others.RUNTIME.folder()))
    models, pixels = [networks.file_of(name) for name in ("ocr_det", "ocr_cls", "ocr_rec")], pictures.page(1200, 800, TEXTS)

    def run(*words):
        return subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=300)

    with tempfile.TemporaryDirectory() as name:
        path, blank = pathlib.Path(name, "page.ppm"), pathlib.Path(name, "blank.ppm")
        pictures.write(path, pixels)
        pictures.write(blank, numpy.full((40, 200, 3), 255, numpy.uint8))
        done = run(*models, path, "--places")
        assert done.returncode == 0, done
        check(done.stdout, pixels)
        two = run(*models, path, blank)
        assert two.returncode == 0, two
        assert two.stdout == "".join(done.stdout.splitlines(True)[:1] + done.stdout.splitlines(True)[1::2]) + f"{blank}\n", (two.stdout, done.stdout)
        damaged = pathlib.Path(name, "damaged.ppm")
        damaged.write_bytes(path.read_bytes()[:-1])
        for words, part in (((*models, path, "--device", "cuda:0"), "cuda:0"), (models, "usage"), ((*models, path, "--fast"), "usage"),
                            ((*models, path, "--device"), "usage"), ((*models, path, "--device", "gpu"), "gpu"), ((*models, damaged), "damaged.ppm"),
                            ((*models[:2], models[1], path), "x"), ((*models[:2], "missing.onnx", path), "missing.onnx")):
            done = run(*words)
            assert done.returncode == 1 and part in done.stderr and done.stdout in ("", f"{path}\n"), (words, done)
    print(f"{len(TEXTS)} lines, all as onnxruntime reads them")


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)
