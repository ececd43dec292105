#!/usr/bin/env python3
"""An example that is there in several languages: it prints what the C example prints of its training and writes the same parameters,
bit for bit, and says what is wrong with its arguments.

    same_training.py dlrm DEVICE C_PROGRAM COMMAND...    the recommender
    same_training.py bert DEVICE C_PROGRAM COMMAND...    the encoder
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import re
import subprocess
import sys
import tempfile

TEXT = pathlib.Path(__file__).resolve().parents[2] / "LICENSE"


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
    for half in ([], ["--half"]):
        for size in sizes:
            compare(c_program, command, [*half, device, *size], [], r"^(?:a step|\d+ steps|to step|unseen).*$", 11)
    refuses(command, {
        ("cpu", "0"): (2, "STEPS is '0'; 1 to 16384 is needed"),
        ("--half", "cpu", "0"): (2, "STEPS is '0'; 1 to 16384 is needed"),
        ("cpu", "8", "many"): (2, "BATCH is 'many'; 1 to 16384 is needed"),
        ("tpu",): (1, "'tpu'"),
        ("cpu", "1", "1", "/dev/null/nowhere/file"): (1, "/dev/null/nowhere/file"),
        ("--help",): (0, "[--half] [DEVICE [STEPS [BATCH [FILE]]]]"),
    })


def bert(device, c_program, *command):
    options = ["--device", device, "--text", str(TEXT), "--steps", "60", "--tests", "2", "--seed", "3"]
    compare(c_program, command, options, ["--parameters"], r"^(?:network|graph|step|asked) .*$", 5)
    refuses(command, {
        ("--steps", "0"): (2, "--steps must be a whole number from 1 to 100000, not '0'"),
        ("--device", "tpu"): (2, "--device must be cpu, cuda:0 or auto, not 'tpu'"),
        ("--eager", "maybe"): (2, "--eager must be yes or no, not 'maybe'"),
        ("--depth", "3"): (2, "unknown option '--depth'"),
        ("--seed",): (2, "--seed needs a value"),
        ("--device", "cpu", "--text", "/dev/null/nowhere/text"): (1, "cannot open '/dev/null/nowhere/text'"),
        ("--device", "cpu", "--text", c_program): (1, "is not ASCII"),
        ("--help",): (0, "--steps N"),
    })


{"dlrm": dlrm, "bert": bert}[sys.argv[1]](*sys.argv[2:])
