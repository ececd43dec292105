#!/usr/bin/env python3
"""rondo.hpp and its parts compile alone and without a warning, and what cannot compile them is told why, once.

    wrapper_headers.py SOURCE_ROOT CXX_COMPILER...

rondo.hpp is compiled as C++17, C++20 and C++23, where the compiler has them: by the compiler given and, where it is installed, by clang++,
which compiles the tests of the wrapper as well. The build compiles those by the compiler given.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import shutil
import subprocess
import sys

FLAGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror", "-fsyntax-only", "-x", "c++"]
STANDARDS = "c++17", "c++20", "c++2b"
# Flags with which it does not compile, and what the only error says then.
REFUSED = {"-std=c++14": "rondo.hpp needs C++17", "-fno-exceptions": "rondo.hpp throws"}


def compiled(compiler, include, text, *flags):
    return subprocess.run([*compiler, *FLAGS, "-I", str(include), *flags, "-"], input=text, text=True, capture_output=True)


def main(root, *given):
    root = pathlib.Path(root)
    include = root / "include"
    others = [[path] for path in [next(filter(None, map(shutil.which, ("clang++", "clang++-19", "clang++-16", "clang++-14"))), None)] if path]
    parts = sorted(path.relative_to(include).as_posix() for path in (include / "rondo/hpp").rglob("*.hpp"))
    whole = "#include <rondo/rondo.hpp>\n#include <rondo/rondo.hpp>\nint main() { return 0; }\n"
    problems = []
    for compiler in [list(given), *others]:
        standards = [f"-std={each}" for each in STANDARDS if compiled(compiler, include, "int main() {}\n", f"-std={each}").returncode == 0]
        alone = [(f"include/{part}", f"#include <{part}>\nint main() {{ return 0; }}\n", standards[:1]) for part in parts if compiler == list(given)]
        tests = [(str(path.relative_to(root)), path.read_text(), standards[-1:]) for path in sorted((root / "tests/unit/cpp").glob("*.cc"))
                 if compiler != list(given)]
        for name, text, wanted in [("include/rondo/rondo.hpp", whole, standards), *alone, *tests]:
            for standard in wanted:
                run = compiled(compiler, include, text, standard)
                if run.returncode != 0:
                    problems.append(f"{name} by {compiler[0]} {standard}:\n{run.stderr}")
        for flag, wanted in REFUSED.items():
            run = compiled(compiler, include, whole, standards[0], flag)
            errors = [line for line in run.stderr.splitlines() if "error: " in line]
            if run.returncode == 0 or len(errors) != 1 or wanted not in errors[0]:
                problems.append(f"include/rondo/rondo.hpp by {compiler[0]} {flag}: not the one error '{wanted}':\n{run.stderr}")
    print("\n".join(problems) or f"{len(parts)} parts, {1 + len(others)} compilers, no warnings")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
