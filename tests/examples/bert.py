#!/usr/bin/env python3
"""The example bert: that it learns what PyTorch learns from the same weights, that a recorded training is the eager one, and that each
of its graphs is one piece.

    bert.py PROGRAM losses                PyTorch's losses, which bert_reference.py made, within 1 %
    bert.py PROGRAM graphs DEVICE STEPS   eagerly and recorded
    bert.py PROGRAM misuse
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import pathlib
import re
import subprocess
import sys

PROGRAM, CASE, *REST = sys.argv[1:]
TEXT = "/usr/share/common-licenses/GPL-3"
SKIPPED = 77


def run(*options, code=0):
    done = subprocess.run([PROGRAM, *options], capture_output=True, text=True)
    assert done.returncode == code, f"{options} exits {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout if code == 0 else done.stderr


def results(output):
    return re.findall(r"^(?:step|asked) .*$", output, re.M)


def losses():
    kept = json.loads((pathlib.Path(__file__).parent / "bert_losses.json").read_text())
    output = run("--device", "cpu", "--steps", str(50 * len(kept["losses"])))
    print(output, kept["losses"])
    got = [float(each) for each in re.findall(r"loss ([\d.]+)", output)]
    assert len(got) == len(kept["losses"])
    for here, there in zip(got, kept["losses"]):
        assert abs(here - there) <= 0.01 * there, f"{here}, PyTorch {kept['torch']} {there}"
    assert got[-1] < 0.75 * got[0], "it learns little"


def graphs(device, steps):
    options = ["--device", device, "--steps", steps, "--tests", "1"]
    recorded, eager = run(*options), run(*options, "--eager", "yes")
    print(recorded)
    assert len(results(recorded)) > 1 and results(recorded) == results(eager), f"eagerly:\n{eager}"
    for name in ("step", "ask"):
        graph = re.search(rf"^graph +{name}: \d+ tasks in 1 segment, (\d+) captured, (\d+) nodes", recorded, re.M)
        assert graph, f"{name} is not one piece"
        assert device == "cpu" or int(graph[1]) == 1 and int(graph[2]) > 10, f"{name} is not captured"


def misuse():
    for options, said in {
        ("--steps", "0"): "--steps must be a whole number from 1 to 100000, not '0'",
        ("--device", "tpu"): "--device must be cpu, cuda:0 or auto, not 'tpu'",
        ("--eager", "maybe"): "--eager must be yes or no, not 'maybe'",
        ("--depth", "3"): "unknown option '--depth'",
        ("--seed",): "--seed needs a value",
    }.items():
        assert said in run(*options, code=2), options
    for path, said in {"/dev/null/nowhere/text": "cannot open '/dev/null/nowhere/text'", PROGRAM: "is not ASCII", __file__ + "/..": "--text"}.items():
        assert said in run("--device", "cpu", "--text", path, code=1), path


if CASE != "misuse" and not pathlib.Path(TEXT).exists():
    print(f"skipped: {TEXT}, which the package base-files of Debian has, is not there")
    sys.exit(SKIPPED)
{"losses": losses, "graphs": graphs, "misuse": misuse}[CASE](*REST)
