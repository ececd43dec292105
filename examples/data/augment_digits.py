#!/usr/bin/env python3
"""Makes of the handwritten digits what people draw: moved, larger and smaller, wider and narrower, leaning, with thin and thick pens.

    examples/data/augment_digits.py FILE    writes them in the format of digits.bin

Every image to train on becomes COPIES others. Some of what is added is no digit, so that the network learns to say that it is not sure: noise, blots,
even paper, rows in disorder and two digits one over the other, labelled by chance. The last images of digits.bin, one of KEPT, are left out: on
them is measured what the network has not seen. The same file every time.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import math
import pathlib
import random
import struct
import sys

SIDE, MOST = 8, 16
ORIGINALS, COPIES, NO_DIGITS, KEPT = 3, 16, 900, 5
DIGITS = pathlib.Path(__file__).resolve().parent / "digits.bin"


def read():
    data = DIGITS.read_bytes()
    size = SIDE * SIDE + 1
    images = [data[at:at + size] for at in range(16, len(data), size)]
    return [([pixel / MOST for pixel in image[:-1]], image[-1]) for image in images]


def between(chance, low, high):
    return low + (high - low) * chance.random()


def sample(image, x, y):
    """Between the middles of pixels; paper outside."""
    left, top = math.floor(x), math.floor(y)
    right, down = x - left, y - top
    value = 0.0
    for row, share_y in ((top, 1 - down), (top + 1, down)):
        for column, share_x in ((left, 1 - right), (left + 1, right)):
            if 0 <= row < SIDE and 0 <= column < SIDE:
                value += share_x * share_y * image[SIDE * row + column]
    return value


def redrawn(image, chance):
    """As another hand draws it elsewhere, with another pen."""
    wide, tall = between(chance, 0.8, 1.25), between(chance, 0.78, 1.1)
    lean, turn = between(chance, -0.15, 0.15), between(chance, -0.1, 0.1)
    right, down = between(chance, -0.7, 0.7), between(chance, -0.7, 0.7)
    pen, width, ink = between(chance, 0.9, 1.7), between(chance, -0.15, 0.15), between(chance, 0.55, 1)
    middle = (SIDE - 1) / 2
    out = []
    for row in range(SIDE):
        for column in range(SIDE):
            x, y = column - middle - right, row - middle - down
            x, y = x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn)
            value = sample(image, middle + (x + lean * y) / wide, middle + y / tall)
            out.append(ink * min(max((value - 0.5) * pen + 0.5 + width, 0.0), 1.0) if value > 0.05 else 0.0)
    return out


def no_digit(images, chance):
    kind = chance.random()
    first, second = (redrawn(images[int(chance.random() * len(images))][0], chance) for _ in range(2))
    if kind < 0.4:
        ink, share = chance.random(), chance.random()
        if kind < 0.15:  # noise
            return [ink * chance.random() for _ in range(SIDE * SIDE)]
        return [ink if kind < 0.2 or chance.random() < share else 0.0 for _ in range(SIDE * SIDE)]  # even paper, blots
    if kind < 0.7:
        return [max(pair) for pair in zip(first, second[::-1])]
    order = list(range(SIDE))
    for i in range(SIDE - 1, 0, -1):
        j = int(chance.random() * (i + 1))
        order[i], order[j] = order[j], order[i]
    return [first[SIDE * order[i // SIDE] + i % SIDE] for i in range(SIDE * SIDE)]


def main(path):
    chance = random.Random(1)
    images = read()
    images = images[:len(images) - len(images) // KEPT]
    made = ORIGINALS * images
    made += [(redrawn(image, chance), label) for image, label in images for _ in range(COPIES)]
    made += [(no_digit(images, chance), int(10 * chance.random())) for _ in range(NO_DIGITS)]
    with open(path, "wb") as file:
        file.write(b"RDIGITS1" + struct.pack("<II", len(made), SIDE * SIDE))
        for image, label in made:
            file.write(bytes(math.floor(MOST * pixel + 0.5) for pixel in image) + bytes([label]))


if __name__ == "__main__":
    main(sys.argv[1])
