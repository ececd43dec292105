#!/usr/bin/env python3
"""examples/run says what the programs say of their options, at once: run_help.py SOURCE_ROOT PROGRAM..."""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import subprocess
import sys


def help_of(*command):
    return subprocess.run([*command, "--help"], capture_output=True, text=True, check=True, timeout=50).stdout


def main(root, *programs):
    run = f"{root}/examples/run"
    expected = {pathlib.Path(program).name: help_of(program) for program in programs}
    for name, text in expected.items():
        expected[name] = text.replace(f"usage: {name}", f"usage: examples/run {name}", 1)
        assert len(text.splitlines()) > 5 and help_of(run, name) == expected[name], help_of(run, name)
    assert help_of(run) == "".join(expected.values()), help_of(run)


main(*sys.argv[1:])
