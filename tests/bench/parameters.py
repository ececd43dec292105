#!/usr/bin/env python3
"""Compares files of trained parameters, f32 each.

    parameters.py TOLERANCE FILE FILE...

Fails where a file differs from the first one by more than the tolerance anywhere; 0 asks for the same bits.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import array
import pathlib
import sys


def main(tolerance, first, *others):
    reference = array.array("f", pathlib.Path(first).read_bytes())
    assert reference, f"{first} is empty"
    wrong = 0
    for other in others:
        values = array.array("f", pathlib.Path(other).read_bytes())
        assert len(values) == len(reference), f"{first} has {len(reference)} numbers, {other} {len(values)}"
        apart = max(abs(a - b) for a, b in zip(reference, values))
        # `not <=`, because of NaN. Bits are compared as bits: -0.0 is not 0.0.
        bad = values.tobytes() != reference.tobytes() if float(tolerance) == 0 else not apart <= float(tolerance)
        print(f"{pathlib.Path(other).name} is {apart:.3g} from {pathlib.Path(first).name}{': TOO FAR' if bad else ''}")
        wrong += bad
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
