#!/usr/bin/env python3
"""Every folder of src/ includes only itself and the floors below it, and within a floor every wing only the wings below it; nothing
includes a header of CUDA.

    floors.py SOURCE_ROOT

docs/design.md draws the floors and wings. Wings of one storey do not include each other. Besides: the public headers include each other and the C standard library, and the examples use what
a user has, the public headers.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import re
import sys

FLOORS = ["base", "terms", "dynlib", "device", "memory", "engine", "rtc", "ops", "tape", "graph", "callable", "comm", "models", "program_files", "capi", "tools", "onnx"]
# Wings of floors, a row for each storey from the bottom up; "" is the files of the floor's own folder.
WINGS = {
    "dynlib": [["loading"], [""]],
    "engine": [["tasks"], [""]],
    "capi": [[""], ["operators"]],
    "ops": [
        ["operators"],
        ["program"],
        ["host", "task", "trial"],
        ["cudnn"],
        [""],
        ["elementwise", "autocast"],
        ["reduce", "rows", "matmul", "convolution", "attention", "batch_norm", "movement", "image", "optimizer"],
        ["recommender", "recurrent", "text"],
        ["invoke"],
    ],
    "tape": [[""], ["rules"]],
    "onnx": [["file"], ["patterns", "translate"], [""]],
    "graph": [["plan"], ["passes"], ["run"], ["compile", "tell"], [""]],
    "comm": [["rendezvous"], ["transport"], [""]],
}
C_STANDARD = {"stddef.h", "stdint.h", "stdbool.h", "limits.h"}
CUDA = re.compile(r"^(cuda\w*|nvrtc|cublas\w*|cudnn\w*|nccl|nvml|cufft\w*|curand\w*|cusparse|cusolver\w*)\.h$")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# Names of the standard library by the header that has them. Functions that are declared in several are left out.
STANDARD = {
    header: names.split() for header, names in {
        "algorithm": "any_of all_of find_if max min sort", "array": "array", "atomic": "atomic", "bit": "bit_cast countr_zero popcount", "chrono": "chrono",
        "condition_variable": "condition_variable", "deque": "deque", "exception": "exception_ptr", "filesystem": "filesystem", "functional": "function",
        "limits": "numeric_limits", "list": "list", "map": "map multimap",
        "memory": "make_shared make_unique shared_ptr unique_ptr", "mutex": "call_once lock_guard mutex scoped_lock unique_lock", "numeric": "accumulate iota",
        "optional": "nullopt optional", "random": "minstd_rand mt19937", "set": "multiset set", "shared_mutex": "shared_lock shared_mutex", "span": "span",
        "sstream": "istringstream ostringstream", "stdexcept": "runtime_error", "string": "string", "string_view": "string_view", "thread": "thread",
        "tuple": "tuple", "unordered_map": "unordered_map unordered_multimap", "unordered_set": "unordered_set", "utility": "exchange", "variant": "variant",
        "vector": "vector",
    }.items()
}
HEADER_OF = {name: header for header, names in STANDARD.items() for name in names}
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
    if floor == "onnx" and included not in (floor, "terms"):
        return "src/onnx is a library of its own over the public headers, and includes nothing else of src but terms"
    if FLOORS.index(included) > FLOORS.index(floor):
        return f"src/{floor} is below src/{included}"
    return None


def storey_of(floor, wing):
    return next((number for number, wings in enumerate(WINGS[floor]) if wing in wings), None)


def wing_problem(src, file, quote, name):
    """What is wrong with an include between wings of one floor, or None."""
    parts = file.relative_to(src).parts
    target = (src / name).resolve()
    if quote == "<" or not target.exists() or src not in target.parents:
        return None
    others = target.relative_to(src).parts
    if parts[0] not in WINGS or others[0] != parts[0]:
        return None
    mine, theirs = (each[1] if len(each) > 2 else "" for each in (parts, others))
    if mine == theirs:
        return None
    here, there = storey_of(parts[0], mine), storey_of(parts[0], theirs)
    if here is None or there is None:
        return None  # said by wing_folders
    if there > here:
        return f"the wing {parts[0]}/{mine} is below {parts[0]}/{theirs}"
    if there == here:
        return f"the wings {parts[0]}/{mine} and {parts[0]}/{theirs} stand side by side"
    return None


def wing_folders(src):
    """What is wrong with the folders that are wings."""
    for floor, storeys in WINGS.items():
        known = {wing for wings in storeys for wing in wings}
        found = {path.name for path in (src / floor).iterdir() if path.is_dir()}
        for wing in sorted(found - known):
            yield f"src/{floor}/{wing} is no wing that tests/abi/floors.py knows"
        for wing in sorted(known - found - {""}):
            yield f"src/{floor}/{wing} is a wing without a folder"
        for wing in sorted(known & found | {""}):
            about = src / floor / wing / "meson.build"
            if wing and not (about.exists() and about.read_text().startswith("# ")):
                yield f"src/{floor}/{wing}/meson.build must begin with a line that says what lives there"


def missing_headers(src, public):
    """Files of src/ that use a name whose standard header neither they include nor what they include of ours."""
    own = {}  # file -> (standard headers, files of ours)
    for file, _, quote, name in [*includes(src), *includes(public)]:
        standard, ours = own.setdefault(file, (set(), set()))
        found = [each for each in (file.parent / name, src / name, public.parent / name) if each.is_file()]
        ours.add(found[0].resolve()) if found else standard.add(name)
    for file in sorted(src.rglob("*")):
        if file.suffix not in {".cc", ".h"} or file.is_relative_to(src / "rtc/device"):
            continue
        seen, ahead, standard = set(), [file], set()
        while ahead:
            each = ahead.pop()
            if each not in seen and each in own:
                seen.add(each)
                standard |= own[each][0]
                ahead += own[each][1]
        code = re.sub(r'//[^\n]*|"(?:\\.|[^"\\\n])*"', "", file.read_text())
        for name in sorted({HEADER_OF[name] for name in re.findall(r"\bstd::(\w+)", code) if name in HEADER_OF} - standard):
            yield f"{file.relative_to(src.parent)}: uses names of <{name}>, which neither it includes nor a header of ours that it includes"


def main(root):
    root = pathlib.Path(root).resolve()
    src, public, examples = root / "src", root / "include" / "rondo", root / "examples"
    problems = []
    for folder in sorted(path.name for path in src.iterdir() if path.is_dir()):
        if folder not in FLOORS:
            problems.append(f'src/{folder} is no floor (known: {", ".join(FLOORS)})')
    problems += wing_folders(src)
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
                why = floor_problem(src, file, quote, name) or wing_problem(src, file, quote, name)
            elif top == examples and quote == '"' and not (file.parent / name).exists():
                why = "an example includes only the public headers and its own"
            if why:
                problems.append(f"{file.relative_to(root)}:{number}: includes {name}: {why}")
    problems += missing_headers(src, public)
    if count == 0:
        problems.append("found no include at all: is this the source folder?")
    print("\n".join(problems) or f"{count} includes, all downwards")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
