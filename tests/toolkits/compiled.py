#!/usr/bin/env python3
"""Renews compiled.txt, the list of kernels that real NVRTC has compiled, which shorter runs of the tests therefore leave out.

    tests/run NvrtcKernels && tests/toolkits/compiled.py
    compiled.py FOLDER LIST      the same for another folder of kernels than the build's, and another list

Beside FOLDER, with the kernels, lie the files FOLDER-good.*: a line that says with what they compiled, and their ids. The list has these lines
with a letter each, then a line per kernel: the first half of its id and the letters. What the list had stays in it while the
kernel is still made and its circumstances (library, prelude, options) are the same.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import collections
import pathlib
import string
import sys

HERE = pathlib.Path(__file__).resolve().parent
HEADING = "# Kernels that real NVRTC has compiled; tests/toolkits/compiled.py renews the list, README.md says what for.\n"
DIGITS = 16  # of an id; nvrtc_probe.cc has the same


def read_list(path):
    """{circumstances: ids}"""
    letters, known = {}, collections.defaultdict(set)
    for line in path.read_text().splitlines() if path.exists() else ():
        word, _, rest = line.partition(" ")
        if len(word) == 1 and word != "#":
            letters[word] = rest
        elif word != "#":
            for letter in rest:
                known[letters[letter]].add(word)
    return known


def main(arguments):
    if len(arguments) not in (0, 2):
        sys.exit(__doc__)
    default = (HERE.parent.parent / "build/tests/toolkits/nvrtc-kernels", HERE / "compiled.txt")
    folder, path = map(pathlib.Path, arguments or default)
    made = {file.stem[:DIGITS] for file in folder.glob("*.cu")}
    old, new = read_list(path), {}
    for stamps in sorted(folder.parent.glob(folder.name + "-good.*")):
        circumstances, *ids = stamps.read_text().splitlines()
        new[circumstances] = ({each[:DIGITS] for each in ids} | old.get(circumstances, set())) & made
    if not new:
        sys.exit(f"nothing was compiled yet: {folder}-good.* is not there")
    letters = dict(zip(new, string.ascii_letters))
    rows = ("".join(letters[each] for each in new if kernel in new[each]) for kernel in sorted(made))
    lines = [f"{letter} {circumstances}\n" for circumstances, letter in letters.items()]
    lines += [f"{kernel} {row}\n" for kernel, row in zip(sorted(made), rows) if row]
    path.write_text(HEADING + "".join(lines))
    print(f"{len(lines) - len(letters)} kernels of {len(made)}, {sum(map(len, new.values()))} compilations, in {path}")


if __name__ == "__main__":
    main(sys.argv[1:])
