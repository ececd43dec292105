#!/usr/bin/env python3
"""The whole networks of the examples in C, written as program files, have the bits of C++ in Java, which calls them with the library's jars.

    networks.py SOURCE_ROOT BUILD_ROOT
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is
from jars import jars  # noqa: E402
from maven import SHORT  # noqa: E402


def main(root, build):
    if not shutil.which("mvn") or not shutil.which("javac"):
        print("Maven or a JDK is not installed")
        return 77
    library, natives = jars(root, build, "networks")
    return subprocess.run([sys.executable, f"{root}/tests/examples/networks.py", "--whole", "cpu", build, "java", *SHORT, "-cp", f"{library}:{natives}",
                           f"{root}/examples/java/RunFile.java"]).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
