#!/usr/bin/env python3
"""Runs the digits example as a user does and checks what it prints, writes and how it exits.

    digits.py DIGITS learns DEVICE ENGINE EPOCHS BATCH   a training on that device in that engine mode
    digits.py DIGITS misuse                              wrong options, missing files
    digits.py DIGITS help

The environment says which libraries are used: a test on cuda:0 runs on the simulated driver, where any report of the
driver ends the program.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

DIGITS = pathlib.Path(sys.argv[1]).resolve()
ACCURACY = {1: 0.85, 2: 0.9, 8: 0.93}  # by epochs, some images below what is seen; guessing gives 0.1
GUESSED = 2.303  # the loss of guessing among ten digits
DEVICES = {"cpu": "cpu:0", "cuda:0": "cuda:0"}  # as the example prints them


def run(folder, *arguments, status):
    """(stdout, stderr) of the example, which must exit with `status`."""
    done = subprocess.run([DIGITS, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == status, f"{arguments} exits {done.returncode}, not {status}:\n{done.stdout}{done.stderr}"
    return done.stdout, done.stderr


def one(pattern, text):
    found = re.findall(pattern, text, re.M)
    assert len(found) == 1, f"'{pattern}' is {len(found)} times, not once, in:\n{text}"
    return found[0]


def learns(folder, device, engine, epochs, batch):
    out, err = run(folder, "--device", device, "--engine", engine, "--epochs", epochs, "--batch", batch,
                   "--parameters", "digits.safetensors", status=0)
    assert err == "", f"unexpected on stderr:\n{err}"
    one(f"^rondo .*, {engine} engine, {DEVICES[device]}: ", out)

    tasks, segments, captured, nodes, edges = map(int, one(
        r"graph: (\d+) tasks in (\d+) segments?, (\d+) captured as CUDA graph: (\d+) nodes, (\d+) edges", out))
    assert tasks > 10 and segments == 1, out
    if device == "cpu":
        assert (captured, nodes) == (0, 0), out
    else:  # at least a node for each task, joined by edges
        assert captured == 1 and nodes >= tasks and edges >= nodes - 1, out

    assert len(re.findall(r"^  epoch ", out, re.M)) == 2 * int(epochs), out
    eager, replayed = map(float, one(r"^test accuracy +eager ([\d.]+) +replayed ([\d.]+)$", out))
    assert eager == replayed and eager >= ACCURACY[int(epochs)], out
    losses = [float(loss) for loss in re.findall(r"loss ([\d.]+)", out)]
    half = len(losses) // 2
    assert losses[:half] == losses[half:] and losses[half - 1] < GUESSED / 2 / int(epochs), out
    assert int(one(r"^parameters +all (\d+) agree bit for bit$", out)) == 64 * 128 + 128 + 128 * 10 + 10

    file = (folder / "digits.safetensors").read_bytes()
    end = 8 + int.from_bytes(file[:8], "little")
    shapes = {name: (each["dtype"], each["shape"]) for name, each in json.loads(file[8:end]).items() if name != "__metadata__"}
    assert shapes == {"w1": ("F32", [64, 128]), "b1": ("F32", [128]), "w2": ("F32", [128, 10]), "b2": ("F32", [10])}, shapes
    assert len(file) - end == 4 * (64 * 128 + 128 + 128 * 10 + 10)

    picture = ElementTree.parse(folder / "digits.svg").getroot()
    assert picture.tag.endswith("svg") and len(list(picture.iter())) > 50, "the picture is empty"
    print(f"accuracy {eager} after {epochs} epochs, {nodes} nodes captured")


def misuse(folder):
    """Wrong options end with 2, what is missing with 1; each says so in one line that names it, and prints nothing else."""
    for status, name, *arguments in [
        (2, "--fast", "--fast"),
        (2, "extra", "extra"),
        (2, "-h", "-h"),
        (2, "--seed", "--seed"),
        (2, "--epochs", "--epochs", "0"),
        (2, "--epochs", "--epochs", "1001"),
        (2, "--epochs", "--epochs", "ten"),
        (2, "--epochs", "--epochs", "1e2"),
        (2, "--epochs", "--epochs", ""),
        (2, "--batch", "--batch", "-1"),
        (2, "--batch", "--batch", "1025"),
        (2, "--batch", "--batch", "99999999999999999999"),
        (2, "--seed", "--seed", "-1"),
        (2, "--engine", "--engine", "eager"),
        (2, "--engine", "--engine", "ASYNC"),
        (2, "--precision", "--precision", "f64"),
        (2, "--device", "--device", "gpu"),
        (2, "--device", "--device", "cuda:-1"),
        (2, "--bogus", "--epochs", "2", "--bogus"),
        (1, "cuda:63", "--device", "cuda:63"),
        (1, "missing.bin", "--device", "cpu", "--data", "missing.bin"),
        (1, "empty.bin", "--device", "cpu", "--data", "empty.bin"),
    ]:
        (folder / "empty.bin").touch()
        out, err = run(folder, *arguments, status=status)
        assert out == "", f"{arguments} prints:\n{out}"
        assert err.count("\n") == 1 and err.endswith("\n") and name in err, f"{arguments} says:\n{err}"
        assert not (folder / "digits.svg").exists(), f"{arguments} wrote a picture"
    # The training is over when this is found: it is printed, and the exit code says that something is missing.
    out, err = run(folder, "--device", "cpu", "--epochs", "2", "--batch", "32", "--out", "missing/digits.svg", status=1)
    assert err.count("\n") == 1 and "missing/digits.svg" in err and "agree bit for bit" in out, out + err
    out, err = run(folder, "--device", "cpu", "--epochs", "2", "--batch", "32", "--parameters", "missing/parameters", status=1)
    assert err.count("\n") == 1 and "missing/parameters" in err and "agree bit for bit" in out, out + err


def shows_help(folder):
    out, err = run(folder, "--help", status=0)
    assert err == "" and out.startswith("usage: digits"), out + err
    for option in ("--device", "--engine", "--epochs", "--batch", "--seed", "--data", "--out", "--parameters", "--precision", "--help"):
        assert re.search(rf"^  {option}\b", out, re.M), f"{option} is not in:\n{out}"


if __name__ == "__main__":
    cases = {"learns": learns, "misuse": misuse, "help": shows_help}
    with tempfile.TemporaryDirectory() as name:
        cases[sys.argv[2]](pathlib.Path(name), *sys.argv[3:])
