#!/usr/bin/env python3
"""Every folder of src/ includes only itself and the floors below it; nothing includes a header of CUDA.

    floors.py SOURCE_ROOT

docs/design.md draws the floors. Besides: the public headers include each other and the C standard library, and the examples use what
a user has, the public headers.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import re
import sys

FLOORS = ["base", "dynlib", "device", "memory", "engine", "rtc", "ops", "tape", "graph", "comm", "models", "capi", "tools"]
C_STANDARD = {"stddef.h", "stdint.h", "stdbool.h", "limits.h"}
CUDA = re.compile(r"^(cuda\w*|nvrtc|cublas\w*|cudnn\w*|nccl|nvml|cufft\w*|curand\w*|cusparse|cusolver\w*)\.h$")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SUFFIXES = {".c", ".cc", ".h", ".cu", ".cuh", ".def", ".inc"}


def includes(folder):
    """(file, line number, '<' or '"', included name) of every include below the folder."""
    for file in sorted(folder.rglob("*")):
        if file.suffix in SUFFIXES:
            for number, line in enumerate(file.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                if match:
                    yield file, number, match[1], match[2]


def floor_problem(src, file, quote, name):
    """What is wrong with an include in src/, or None."""
    floor = file.relative_to(src).parts[0]
    if quote == "<":
        return None
    target = file.parent / name if (file.parent / name).exists() else src / name
    if not target.exists():
        return None  # neither here nor there: generated into the build folder, or an error the compiler reports
    included = target.resolve().relative_to(src).parts[0]
    if included not in FLOORS:
        return f'src/{included} is no floor (known: {", ".join(FLOORS)})'
    if FLOORS.index(included) > FLOORS.index(floor):
        return f"src/{floor} is below src/{included}"
    return None


def main(root):
    root = pathlib.Path(root).resolve()
    src, public, examples = root / "src", root / "include" / "rondo", root / "examples"
    problems = []
    for folder in sorted(path.name for path in src.iterdir() if path.is_dir()):
        if folder not in FLOORS:
            problems.append(f'src/{folder} is no floor (known: {", ".join(FLOORS)})')
    count = 0
    for top in (public, src, examples):
        for file, number, quote, name in includes(top):
            count += 1
            why = None
            ours = (file.parent / name).exists() or (src / name).exists()
            if CUDA.match(pathlib.PurePath(name).name) and not ours:
                why = "a header of CUDA is needed to compile it"
            elif top == public and not name.startswith("rondo/") and name not in C_STANDARD:
                why = "a public header includes only <rondo/...> and " + ", ".join(f"<{h}>" for h in sorted(C_STANDARD))
            elif top == src and file.relative_to(src).parts[0] in FLOORS:
                why = floor_problem(src, file, quote, name)
            elif top == examples and quote == '"' and not (file.parent / name).exists():
                why = "an example includes only the public headers and its own"
            if why:
                problems.append(f"{file.relative_to(root)}:{number}: includes {name}: {why}")
    if count == 0:
        problems.append("found no include at all: is this the source folder?")
    print("\n".join(problems) or f"{count} includes, all downwards")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
