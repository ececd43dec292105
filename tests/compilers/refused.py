#!/usr/bin/env python3
"""`meson setup` refuses compilers older than the least ones, and says which these are.

    refused.py SOURCE_ROOT

Older ones are played by a compiler that is installed, with another version in what it says of itself.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1]).resolve()
OLD = {  # who plays it; what it says of its version; in its macros; what is said of it
    "g++": ("g++ (GCC) 10.2.1\nCopyright (C) 2020 Free Software Foundation, Inc.", r"s/(__GNUC__) [0-9]+/\1 10/", "Rondo needs gcc 11 or later; this is 10."),
    "clang++-14": ("clang version 13.0.1\nTarget: x86_64-pc-linux-gnu", r"s/(__clang_major__) [0-9]+/\1 13/", "Rondo needs clang 14 or later; this is 13.0.1"),
}
SCRIPT = """#!/bin/sh
case " $* " in
  *" --version "*) printf '%s\\n' '{version}' ;;
  *" -dM "*) {real} "$@" | sed -E '{macros}' ;;
  *) exec {real} "$@" ;;
esac
"""


def refusal(real, version, macros, folder):
    compiler = folder / "c++"
    compiler.write_text(SCRIPT.format(real=real, version=version, macros=macros))
    compiler.chmod(0o755)
    environment = {**os.environ, "CXX": str(compiler), "CC": "cc"}
    done = subprocess.run(["meson", "setup", folder / "build", ROOT, "-Dtests=false"], capture_output=True, text=True, env=environment)
    return done.returncode, done.stdout + done.stderr


tried = [real for real in OLD if shutil.which(real)]
for real in tried:
    version, macros, said = OLD[real]
    with tempfile.TemporaryDirectory() as name:
        status, out = refusal(real, version, macros, pathlib.Path(name))
    if status == 0 or f"ERROR: Problem encountered: {said}" not in out:
        sys.exit(f"{real}, which says it is {version.splitlines()[0]}, is not refused with '{said}':\n{out}")
if not tried:
    print(f"none of {', '.join(OLD)} is installed")
    sys.exit(77)
print(*(f"{OLD[real][2]}..." for real in tried), sep="\n")
