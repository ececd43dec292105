#!/usr/bin/env python3
"""The Python package safetensors, for tests: fetched once, into the folder RONDO_TEST_MODELS or rondo-test-models in the user's
cache folder.

    package.py             fetches it if it is not there; the last line says what there is; exit 1 if it failed
    package.py --complete  fetches nothing; exit 0 if it is there
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import importlib
import os
import pathlib
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent.parent / "packaging"))
import wheels  # noqa: E402

VERSION = "0.8.0"
SUMS = ["fd6f3f93c9a0a7cc2788ee63fb763353d4bd2e89b0751bc78fcf7dda00bea774",  # x86_64
        "7a46e5ff292c356d6991e60942ba7f79817682d3a2cef0702136448cb9c4d235"]  # aarch64


def folder():
    chosen = os.environ.get("RONDO_TEST_MODELS")
    root = pathlib.Path(chosen).absolute() if chosen else (
        pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "rondo-test-models")
    return root / f"safetensors-{VERSION}"


def load():
    """The package, or None: the one that was fetched, else the one that Python has."""
    sys.path.insert(0, str(folder()))
    try:
        package = importlib.import_module("safetensors")
    except ImportError:
        return None
    return package if hasattr(package, "TensorSpec") else None  # older ones take tensors otherwise


def fetch():
    """Makes the folder, or says in one sentence why not."""
    parent = folder().parent
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=parent, prefix=".fetch-") as scratch:
        try:
            wheel = wheels.download("safetensors", VERSION, SUMS, scratch)
        except wheels.Problem as problem:
            return str(problem)
        new = pathlib.Path(scratch, "new")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(new)
        try:
            new.rename(folder())
        except OSError:
            if not folder().is_dir():  # else another run was faster
                raise
    return None


def main(arguments):
    if arguments == ["--complete"]:
        return 0 if folder().is_dir() else 1
    problem = None if folder().is_dir() else fetch()
    print(problem or f"the Python package safetensors {VERSION} in {folder().parent}", flush=True)
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
