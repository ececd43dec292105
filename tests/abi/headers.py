#!/usr/bin/env python3
"""Each public header compiles alone, twice included, as C99, C11 and C++17, pedantic, with warnings as errors.

    headers.py INCLUDE_FOLDER C_COMPILER... -- CXX_COMPILER...
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import subprocess
import sys

FLAGS = ["-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]


def main(include, *compilers):
    split = compilers.index("--")
    c, cxx = list(compilers[:split]), list(compilers[split + 1 :])
    languages = [(c, "c", "c99"), (c, "c", "c11"), (cxx, "c++", "c++17")]
    headers = sorted(path.relative_to(include).as_posix() for path in pathlib.Path(include).glob("rondo/*.h"))
    if not headers:
        sys.exit(f"no header in {include}/rondo")
    failed = 0
    for header in headers:
        source = f"#include <{header}>\n#include <{header}>\nint main(void) {{ return 0; }}\n"
        for compiler, language, standard in languages:
            command = [*compiler, *FLAGS, "-x", language, f"-std={standard}", "-I", include, "-"]
            run = subprocess.run(command, input=source, text=True, capture_output=True)
            if run.returncode != 0:
                failed += 1
                print(f"{header} does not compile as {standard}:\n{run.stderr}")
    print(f"{len(headers)} headers, {len(languages)} standards, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
