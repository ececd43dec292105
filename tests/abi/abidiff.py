#!/usr/bin/env python3
"""The binary interface of the library holds what the last release promised.

    abidiff.py LIBRARY INCLUDE_FOLDER BASELINE_FOLDER           compares with the newest rondo-<version>.abi there
    abidiff.py --write VERSION LIBRARY INCLUDE_FOLDER FOLDER    writes that file: a step of making a release

New functions, new enumerators and new members at the end of option and info structs (they begin with their size) are no
change of the interface; everything else is. Needs abidiff and abidw and a library with debug information. Without a baseline there is
nothing to hold yet: exit code 77, skipped.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import re
import shutil
import subprocess
import sys

SKIP = 77
SUPPRESSIONS = pathlib.Path(__file__).with_name("abidiff.suppr")
CHANGED = 4 | 8  # bits of abidiff's exit code: interface changed, changed incompatibly


def skip(why):
    print(why)
    return SKIP


def version_of(path):
    return tuple(int(number) for number in re.findall(r"\d+", path.stem))


def write(version, library, include, folder):
    target = pathlib.Path(folder) / f"rondo-{version}.abi"
    subprocess.run(["abidw", "--headers-dir", include, "--no-corpus-path", "--no-comp-dir-path", "--out-file", str(target),
                    library], check=True)
    print(f"wrote {target}")
    return 0


def compare(library, include, folder):
    baselines = sorted(pathlib.Path(folder).glob("rondo-*.abi"), key=version_of)
    if not baselines:
        return skip("no ABI baseline: there is no release yet")
    if not shutil.which("abidiff"):
        return skip("abidiff (Debian package abigail-tools) is not installed")
    command = ["abidiff", "--headers-dir2", include, "--no-added-syms", "--suppressions", str(SUPPRESSIONS),
               str(baselines[-1]), library]
    run = subprocess.run(command, text=True, capture_output=True)
    print(f"against {baselines[-1].name}:\n{run.stdout}{run.stderr}")
    if run.returncode & ~CHANGED:
        print(f"abidiff failed with exit code {run.returncode}")
    return 1 if run.returncode else 0


def main(*arguments):
    return write(*arguments[1:]) if arguments[0] == "--write" else compare(*arguments)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
