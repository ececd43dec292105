#!/usr/bin/env python3
"""Compares model files (safetensors) of trained parameters, f32 each.

    parameters.py TOLERANCE FILE FILE...

Fails where a file differs from the first one by more than the tolerance anywhere; 0 asks for the same bits.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import array
import pathlib
import sys


def values_of(path):
    """The numbers of all tensors, as they lie in the file; the header says which these are."""
    file = pathlib.Path(path).read_bytes()
    return array.array("f", file[8 + int.from_bytes(file[:8], "little"):])


def main(tolerance, first, *others):
    reference = values_of(first)
    assert reference, f"{first} is empty"
    wrong = 0
    for other in others:
        values = values_of(other)
        assert len(values) == len(reference), f"{first} has {len(reference)} numbers, {other} {len(values)}"
        apart = max(abs(a - b) for a, b in zip(reference, values))
        # `not <=`, because of NaN. Bits are compared as bits: -0.0 is not 0.0.
        bad = values.tobytes() != reference.tobytes() if float(tolerance) == 0 else not apart <= float(tolerance)
        print(f"{pathlib.Path(other).name} is {apart:.3g} from {pathlib.Path(first).name}{': TOO FAR' if bad else ''}")
        wrong += bad
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
