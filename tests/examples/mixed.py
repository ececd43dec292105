#!/usr/bin/env python3
"""An example trained in mixed precision, f16 and bf16, against the same training in f32: the loss falls as far, but for what roundings
move it.

    mixed.py PROGRAM digits ARGUMENT...
    mixed.py PROGRAM resnet50 ARGUMENT...
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM, NAME, *ARGUMENTS = sys.argv[1:]
PROGRAM = str(pathlib.Path(PROGRAM).resolve())
OPTION = {"digits": "--precision", "resnet50": "--autocast"}[NAME]


def train(folder, precision):
    """(the first loss, the last, what is right of the test images or None)."""
    chosen = [] if precision == "f32" else [OPTION, precision]
    done = subprocess.run([PROGRAM, *ARGUMENTS, *chosen], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{precision} exits {done.returncode}:\n{done.stdout}{done.stderr}"
    if NAME == "resnet50":
        first, last = re.search(r"^loss ([\d.]+), after \d+ steps ([\d.]+)", done.stdout, re.M).groups()
        return float(first), float(last), None
    losses = re.findall(r"loss ([\d.]+)", done.stdout)
    return float(losses[0]), float(losses[-1]), float(re.search(r"^test accuracy +eager ([\d.]+)", done.stdout, re.M)[1])


def main():
    with tempfile.TemporaryDirectory() as folder:
        first, last, accuracy = train(folder, "f32")
        assert last < first, f"f32 does not learn: {first}, then {last}"
        for precision in ("f16", "bf16"):
            begun, ended, right = train(folder, precision)
            print(f"{precision}: loss {begun} to {ended}, f32 {first} to {last}; right {right}, f32 {accuracy}")
            assert abs(ended - last) < 0.25 * (first - last), f"{precision} ends at {ended}, f32 at {last}"
            assert right is None or abs(right - accuracy) <= 0.03, f"{precision} has {right} right, f32 {accuracy}"
            assert (begun, ended) != (first, last), f"{precision} is f32"


main()
