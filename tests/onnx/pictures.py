"""Pictures for the examples that take some: drawn by Pillow with the font that it brings, so that they are the same everywhere."""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import sys

import networks
import others

numpy = networks.numpy
sys.path.insert(1, str(others.DRAWING.folder()))
import PIL.Image  # noqa: E402
import PIL.ImageDraw  # noqa: E402
import PIL.ImageFont  # noqa: E402


def text(words, size):
    """Black on white, no larger than the words."""
    font = PIL.ImageFont.load_default(size)
    left, top, right, bottom = font.getbbox(words)
    picture = PIL.Image.new("RGB", (int(right - left) + size, int(bottom - top) + size // 2), "white")
    PIL.ImageDraw.Draw(picture).text((size // 2 - left, size // 4 - top), words, "black", font)
    return picture


def page(width, height, texts):
    """Texts with their sizes, the places of their middles, and the degrees by which they are turned, against the clock."""
    picture = PIL.Image.new("RGB", (width, height), "white")
    for words, size, (x, y), degrees in texts:
        turned = text(words, size).rotate(degrees, PIL.Image.Resampling.BICUBIC, expand=True, fillcolor="white")
        picture.paste(turned, (x - turned.width // 2, y - turned.height // 2))
    return numpy.array(picture)


def write(path, pixels):
    """As PPM (P6); pixels: u8 [height, width, 3]."""
    path.write_bytes(b"P6\n%d %d\n255\n" % (pixels.shape[1], pixels.shape[0]) + numpy.ascontiguousarray(pixels).tobytes())
