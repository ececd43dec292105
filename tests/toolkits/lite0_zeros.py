#!/usr/bin/env python3
"""Writes a network with the layers of EfficientNet-Lite0, all zeros, and a picture for it: lite0.safetensors and picture.ppm.

    lite0_zeros.py DATA FOLDER        DATA is examples/data
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import array
import math
import pathlib
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(0, sys.argv[1])
import lite0  # noqa: E402

# Of each stage: blocks, how much wider they are within, size of the kernel, channels.
STAGES = ((1, 1, 3, 16), (2, 6, 3, 24), (2, 6, 5, 40), (3, 6, 3, 80), (3, 6, 5, 112), (4, 6, 5, 192), (1, 6, 3, 320))
CLASSES = 1000


def layer(name, *shape):
    return name, shape, array.array("f", bytes(4 * math.prod(shape))), array.array("f", bytes(4 * shape[0]))


def layers():
    channels, block = 32, 0
    yield layer("stem", channels, 3, 3, 3)
    for blocks, wider, size, out in STAGES:
        for _ in range(blocks):
            wide = channels * wider
            if block > 0:
                yield layer(f"blocks.{block}.expand", wide, channels, 1, 1)
            yield layer(f"blocks.{block}.depthwise", wide, 1, size, size)
            yield layer(f"blocks.{block}.project", out, wide, 1, 1)
            channels, block = out, block + 1
    yield layer("head", 1280, channels, 1, 1)
    yield layer("classes", CLASSES, 1280)


def main():
    folder = pathlib.Path(sys.argv[2])
    lite0.write(folder / "lite0.safetensors", layers(), {"classes": "\n".join(map(str, range(CLASSES)))})
    (folder / "picture.ppm").write_bytes(b"P6\n224 224\n255\n" + bytes(3 * 224 * 224))


if __name__ == "__main__":
    main()
