#!/usr/bin/env python3
"""The library is linked with nothing that it is meant to open at run time, and carries the right soname.

    needed.py LIBRARY
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import re
import subprocess
import sys

SONAME = "librondo.so.0"
# What any C++ program on this system is linked with. A library that is not here is opened by name or not used.
ALLOWED = re.compile(r"(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|ld-linux[-\w]*)\.so\.\d+$")


def main(library):
    run = subprocess.run(["readelf", "--dynamic", "--wide", library], text=True, capture_output=True, check=True)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run.stdout)
    soname = re.findall(r"\(SONAME\).*\[(.*)\]", run.stdout)
    problems = [f"linked with {name}" for name in needed if not ALLOWED.match(name)]
    if soname != [SONAME]:
        problems.append(f"the soname is {soname}, it must be {SONAME}")
    problems += [f"carries a search path: {path}" for path in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", run.stdout)]
    print("\n".join(problems) or f"{SONAME}, linked with {', '.join(needed)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
