#!/usr/bin/env python3
"""What the example `sequences` saves in C++ it calls with the same results as a program of another language.

    sequences.py DEVICE SEQUENCES [PROGRAM...]      the example in C++, and a command with its first arguments
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import subprocess
import sys
import tempfile

CALLED = """0.142 0.008 -0.142 -0.225
0.237 0.017 -0.263 -0.351
0.290 0.025 -0.324 -0.419
0.322 0.030 -0.352 -0.452
0.344 0.034 -0.366 -0.469
0 3 5 5 1 0 0 0
5 1 1 0 5 2 0 0
"""


def run(command, *arguments):
    return subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def main(device, example, *program):
    with tempfile.TemporaryDirectory() as folder:
        file, again = pathlib.Path(folder, "sequences.safetensors"), pathlib.Path(folder, "again.safetensors")
        for path in file, again:
            done = run([example], "save", path)
            assert done.returncode == 0 and done.stdout == "", done
        assert file.read_bytes() == again.read_bytes(), "equal programs are different files"
        command = program or [example]
        done = run(command, "call", file, device)
        assert done.returncode == 0 and done.stdout == CALLED, f"{command} ended with {done.returncode}\n{done.stderr}it printed\n{done.stdout}"
        lacks = run(command, "call", pathlib.Path(folder, "missing"))
        assert lacks.returncode == 1 and "missing" in lacks.stderr, (command, lacks)
        assert run(command, "open", file).returncode == 2, command


main(*sys.argv[1:])
