#!/usr/bin/env python3
"""examples/run shows each example before it fetches and builds the next one: run_order.py SOURCE_ROOT

In a copy of the script, with stand-ins for the tools that it calls, which write down that they were called.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TOOLS = {
    "meson": 'case $1 in --version) echo 1.2.0 ;; setup) mkdir -p build-release && touch build-release/build.ninja ;; esac',
    "ninja": 'case $1 in --version) echo 1.11 ;; *) name=${@: -1} && mkdir -p build-release/examples/c && '
             'printf \'#!/bin/sh\\necho "$0" | sed "s|.*/|shown |" >> "$LOG"\\n\' > "build-release/$name" && '
             'chmod +x "build-release/$name" && echo "built ${name##*/}" >> "$LOG" ;; esac',
    "python3": 'case "$*" in *--complete*) ;; *"/$ABSENT.py") exit 1 ;; *data/*) echo "fetched $(basename "$1" .py)" >> "$LOG" && echo /dev/null ;; esac',
    "pkg-config": "",
}
# What is refused before anything is installed or built, and what is said.
WRONG = [
    (["--epoch", "3"], "digits takes no '--epoch' (examples/run digits --help lists its options)"),
    (["--ep.chs", "3"], "digits takes no '--ep.chs' (examples/run digits --help lists its options)"),
    (["digits", "3"], "digits takes no '3' (examples/run digits --help lists its options)"),
    (["digits", "--epochs"], "--epochs of digits needs a value"),
    (["photos"], "there is no example 'photos': digits, photographs and sentences are there"),
    (["sentences", "--tokens", "a?", "--words", "b"], "sentences takes no '--words' (examples/run sentences --help lists its options)"),
]


def called(root, words, absent="none"):
    """What was called in order, and the exit status."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in ("examples/run", "packaging/setup.sh", *(f"examples/c/{each}.c" for each in ("digits", "photographs", "sentences"))):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(pathlib.Path(root) / path, folder / path)
        (folder / "bin").mkdir()
        for tool, script in TOOLS.items():
            (folder / "bin" / tool).write_text(f"#!/bin/bash\n{script}\n")
            (folder / "bin" / tool).chmod(0o755)
        environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "LOG": f"{folder}/log", "ABSENT": absent}
        done = subprocess.run([folder / "examples/run", *words], env=environment, cwd=folder, capture_output=True, text=True, timeout=50)
        (folder / "log").touch()
        return (folder / "log").read_text().splitlines(), done.returncode, done.stdout + done.stderr


def main(root):
    calls, status, said = called(root, [])
    assert status == 0 and calls == ["built digits", "shown digits", "fetched photographs", "built photographs", "shown photographs",
                                     "fetched sentences", "built sentences", "shown sentences"], (calls, said)
    calls, status, said = called(root, [], absent="photographs")
    assert status == 0 and "going on without photographs" in said and calls[-1] == "shown sentences" and "built photographs" not in calls, said
    calls, status, said = called(root, ["sentences"])
    assert status == 0 and calls == ["fetched sentences", "built sentences", "shown sentences"], (calls, said)
    calls, status, said = called(root, ["photographs"], absent="photographs")
    assert status == 1 and not calls and "photographs is not there" in said, (calls, said)
    calls, status, said = called(root, ["digits"])
    assert status == 0 and calls == ["built digits", "shown digits"], (calls, said)
    assert said.splitlines()[0].startswith("examples/run: digits;") and "done: digits;" in said.splitlines()[-1], said
    for words, text in WRONG:
        calls, status, said = called(root, words)
        assert status == 2 and not calls and said == f"examples/run: {text}\n", (words, calls, said)


main(*sys.argv[1:])
