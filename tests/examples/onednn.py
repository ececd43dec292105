#!/usr/bin/env python3
"""oneDNN for tests, of the Python package onednn-cpu-gomp: fetched once, into the folder RONDO_TEST_ONEDNN or rondo-test-onednn in the
user's cache folder.

    onednn.py             fetches it if it is not there; the last line says what there is; exit 1 if it failed
    onednn.py --complete  fetches nothing; exit 0 if it is there
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent.parent / "packaging"))
import wheels  # noqa: E402

VERSION = "2023.2.0"
SUMS = ["2f22a54d6a890ed14bfa185d42a4be65d8b5b1df85dc1f0f3a9abe31620416fb"]
SONAME = "libdnnl.so.3"


def library():
    """Where it is, or will be."""
    chosen = os.environ.get("RONDO_TEST_ONEDNN")
    root = pathlib.Path(chosen).absolute() if chosen else (
        pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "rondo-test-onednn")
    return root / VERSION / SONAME


def fetch():
    """Makes the folder, or says in one sentence why not."""
    folder = library().parent
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".fetch-") as name:
        scratch = pathlib.Path(name)
        try:
            wheel = wheels.download("onednn-cpu-gomp", VERSION, SUMS, scratch)
        except wheels.Problem as problem:
            return str(problem)
        new = scratch / "new"
        new.mkdir()
        with zipfile.ZipFile(wheel) as archive:
            member = next(each for each in archive.namelist() if each.endswith("/" + SONAME))
            (new / SONAME).write_bytes(archive.read(member))
        try:
            new.rename(folder)
        except OSError:
            if not library().is_file():  # else another run was faster
                raise
    return None


def main(arguments):
    if arguments == ["--complete"]:
        return 0 if library().is_file() else 1
    problem = None if library().is_file() else fetch()
    print(problem or f"oneDNN of the Python package onednn-cpu-gomp {VERSION} in {library().parent.parent}", flush=True)
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
