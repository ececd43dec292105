#!/usr/bin/env python3
"""An example that is there in several languages: it prints what the C example prints of its training and writes the same parameters,
bit for bit, and says what is wrong with its arguments.

    same_training.py dlrm DEVICE C_PROGRAM COMMAND...    the recommender
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import re
import subprocess
import sys
import tempfile


def run(command, options, code=0):
    done = subprocess.run([*command, *options], capture_output=True, text=True)
    assert done.returncode == code, f"{command} {options} exits {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout if code == 0 else done.stderr


def compare(c_program, command, options, file, results, lines):
    """Trains with both, and compares the lines that tell of it and the file."""
    with tempfile.TemporaryDirectory() as folder:
        told, written = [], []
        for name, program in (("c", [c_program]), ("other", command)):
            path = pathlib.Path(folder, name)
            told.append(re.findall(results, run(program, [*options, *file, str(path)]), re.M))
            written.append(path.read_bytes())
    print("\n".join(told[0]))
    assert len(told[0]) >= lines, "the C example tells less than it should"
    assert told[0] == told[1], f"{command} {options} tells:\n" + "\n".join(told[1])
    assert len(written[0]) > 100_000 and written[0] == written[1], f"{command} {options} has other parameters than C"


def refuses(command, cases):
    for options, (code, said) in cases.items():
        shown = run(command, options, code)
        assert said in shown, f"{options}: {shown}"


def dlrm(device, c_program, *command):
    sizes = [("64", "128"), ("7", "3")] if device == "cpu" else [("8", "32")]  # a simulated device takes its time
    for size in sizes:
        compare(c_program, command, [device, *size], [], r"^(?:a step|\d+ steps|to step|unseen).*$", 11)
    refuses(command, {
        ("cpu", "0"): (2, "STEPS is '0'; 1 to 16384 is needed"),
        ("cpu", "8", "many"): (2, "BATCH is 'many'; 1 to 16384 is needed"),
        ("tpu",): (1, "'tpu'"),
        ("cpu", "1", "1", "/nowhere/file"): (1, "/nowhere/file"),
        ("--help",): (0, "[DEVICE [STEPS [BATCH [FILE]]]]"),
    })


{"dlrm": dlrm}[sys.argv[1]](*sys.argv[2:])
