#!/usr/bin/env python3
"""The Python package onnx, whose backend suite judges the converter, with the packages that it imports: fetched once, into the folder
RONDO_TEST_MODELS or rondo-test-models in the user's cache folder.

    package.py             fetches it if it is not there; the last line says what there is; exit 1 if it failed
    package.py --complete  fetches nothing; exit 0 if it is there
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent))
import fetched  # noqa: E402

VERSION = "1.23.2"
# Versions of the package and of what it imports, with the SHA-256 of the wheels for CPython 3.11 on x86-64.
PACKAGE = fetched.Fetched([
    ("onnx", VERSION, ["c03ecf6b835d136108eeaeeafbd0026fc7b3cf98661409fbc6b63d5a29361348"]),
    ("numpy", "2.4.6", ["89cd468399cfd2504718f0ba50e410dca55a170b61a02ad92bb18c8a65186e93"]),
    ("ml_dtypes", "0.6.0", ["6c8e39b53e90afda8ce52859c93de4dba3e02b76d85dcf091cc469f9184c6dae"]),
    ("protobuf", "7.36.2", ["89f23aa53c24553a2416fd4fd1ec06f74fa42b14b546d8883128813f775bbfd2"]),
    ("typing_extensions", "4.16.0", ["481caa481374e813c1b176ada14e97f1f67a4539ce9cfeb3f350d78d6370c2e8"]),
])


def use():
    """Makes Python find what was fetched, before what it has itself."""
    if PACKAGE.folder().is_dir():
        sys.path.insert(0, str(PACKAGE.folder()))


if __name__ == "__main__":
    sys.exit(PACKAGE.main(sys.argv[1:]))
