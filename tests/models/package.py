#!/usr/bin/env python3
"""The Python package safetensors, for tests: fetched once, into the folder RONDO_TEST_MODELS or rondo-test-models in the user's
cache folder.

    package.py             fetches it if it is not there; the last line says what there is; exit 1 if it failed
    package.py --complete  fetches nothing; exit 0 if it is there
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import importlib
import pathlib
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent))
import fetched  # noqa: E402

PACKAGE = fetched.Fetched([("safetensors", "0.8.0", ["fd6f3f93c9a0a7cc2788ee63fb763353d4bd2e89b0751bc78fcf7dda00bea774",  # x86_64
                                                     "7a46e5ff292c356d6991e60942ba7f79817682d3a2cef0702136448cb9c4d235"])])  # aarch64


def load():
    """The package, or None: the one that was fetched, else the one that Python has."""
    sys.path.insert(0, str(PACKAGE.folder()))
    try:
        package = importlib.import_module("safetensors")
    except ImportError:
        return None
    return package if hasattr(package, "TensorSpec") else None  # older ones take tensors otherwise


if __name__ == "__main__":
    sys.exit(PACKAGE.main(sys.argv[1:]))
