#!/usr/bin/env python3
"""oneDNN for tests, of the Python package onednn-cpu-gomp: fetched once, into the folder RONDO_TEST_ONEDNN or rondo-test-onednn in the
user's cache folder.

    onednn.py             fetches it if it is not there; the last line says what there is; exit 1 if it failed
    onednn.py --complete  fetches nothing; exit 0 if it is there
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

VERSION = "2023.2.0"
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
        run = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--no-cache-dir",
                              "--progress-bar=off", "--retries=2", "--dest", scratch, f"onednn-cpu-gomp=={VERSION}"],
                             capture_output=True, text=True)
        if run.returncode != 0:
            errors = [line for line in run.stderr.splitlines() if line.startswith("ERROR:")] or run.stderr.splitlines()
            return f"pip could not download onednn-cpu-gomp {VERSION}: {errors[-1] if errors else 'it does not say why'}"
        new = scratch / "new"
        new.mkdir()
        with zipfile.ZipFile(next(scratch.glob("*.whl"))) as wheel:
            member = next(each for each in wheel.namelist() if each.endswith("/" + SONAME))
            (new / SONAME).write_bytes(wheel.read(member))
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
