#!/usr/bin/env python3
"""What the example `program` saves in one language it calls in another, and both write the same bytes.

    program.py DEVICE PROGRAM... -- PROGRAM...      two commands, each with its first arguments
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import subprocess
import sys
import tempfile

CALLED = """classify: pixels [rows, 3] -> scores [rows, 2]
labels: cat dog
0.852 0.148
0.095 0.905
"""


PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/tutorial.md"


def run(command, *arguments):
    return subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def main(device, *words):
    assert f"```text\n{CALLED}```" in PAGE.read_text(), "docs/tutorial.md does not show what the programs print"
    split = words.index("--")
    commands = words[:split], words[split + 1:]
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder, name) for name in ("one", "other")]
        for command, file in zip(commands, files):
            done = run(command, "save", file)
            assert done.returncode == 0 and done.stdout == "", (command, done)
        assert files[0].read_bytes() == files[1].read_bytes(), f"{commands} write different files"
        for command, file in zip(commands, reversed(files)):
            done = run(command, "call", file, device)
            assert done.returncode == 0 and done.stdout == CALLED, f"{command} ended with {done.returncode}\n{done.stderr}it printed\n{done.stdout}"
            lacks = run(command, "call", pathlib.Path(folder, "missing"))
            assert lacks.returncode == 1 and "missing" in lacks.stderr, (command, lacks)
            assert run(command, "open", file).returncode == 2, command
            file.write_bytes(file.read_bytes()[:-1])
            cut = run(command, "call", file)
            assert cut.returncode == 1 and cut.stdout == "" and cut.stderr, (command, cut)


main(*sys.argv[1:])
