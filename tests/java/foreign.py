#!/usr/bin/env python3
"""Runs Foreign.java with the newest JDK of this machine.

    foreign.py FOREIGN_JAVA ABI_JSON LIBRARY

Skipped (77) where no JDK is of version 22 or later, the first one with the foreign-function interface.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import subprocess
import sys

import maven


def main(program, description, library):
    version, home = max(maven.jdks().items(), default=(0, None))
    if version < 22:
        print(f"the newest JDK is of version {version}; 22 is needed")
        return 77
    return subprocess.run([home / "bin/java", "--enable-native-access=ALL-UNNAMED", program, description, library]).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
