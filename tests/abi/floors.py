#!/usr/bin/env python3
"""Every folder of src/ includes only itself and the floors below it; nothing includes a header of CUDA.

    floors.py SOURCE_ROOT

docs/design.md draws the floors. A floor with folders of its own has them in an order too: what stands in one includes itself and those
before it, and what stands in the floor's folder itself all of them. Besides: the public headers include each other and the C standard library, and the examples use what
a user has, the public headers.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import re
import sys

FLOORS = ["base", "dynlib", "device", "memory", "engine", "rtc", "ops", "tape", "graph", "comm", "models", "capi", "tools"]
WINGS = {"comm": ["rendezvous", "transport"]}  # floors whose folders are checked, from the bottom up
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


def wing(src, file):
    """How high above the bottom of its floor a file stands."""
    floor, *folders, _ = file.relative_to(src).parts
    return WINGS[floor].index(folders[0]) if folders else len(WINGS[floor])


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
    if included == floor and floor in WINGS:
        here, there = wing(src, file), wing(src, target.resolve())
        if there > here:
            return f"src/{floor}/{WINGS[floor][here]} is below src/{floor}" + (f"/{WINGS[floor][there]}" if there < len(WINGS[floor]) else "")
    return None


def main(root):
    root = pathlib.Path(root).resolve()
    src, public, examples = root / "src", root / "include" / "rondo", root / "examples"
    problems = []
    for folder in sorted(path.name for path in src.iterdir() if path.is_dir()):
        if folder not in FLOORS:
            problems.append(f'src/{folder} is no floor (known: {", ".join(FLOORS)})')
    for floor, known in WINGS.items():
        found = sorted(path.name for path in (src / floor).iterdir() if path.is_dir())
        if found != sorted(known):
            problems.append(f'src/{floor} has the folders {", ".join(found)}, and an order of {", ".join(known)}')
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
