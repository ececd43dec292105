#!/usr/bin/env python3
"""Every public struct that begins with its size can grow: it has its row in structs.def and its _INIT macro.

    structs.py INCLUDE_FOLDER STRUCTS_DEF

The rows bring the tests of older and newer callers (tests/unit/structs_test.cc); this finds a struct without a row. Structs named
_options or _info must begin with `size_t size;`.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import re
import sys

STRUCT = re.compile(r"typedef struct (rondo_\w+) \{(.*?)\n\} \1;", re.S)
ROW = re.compile(r"^RONDO_(OPTIONS|INFO)\((\w+), (\w+)\)$", re.M)
FUNCTION = re.compile(r"^typedef [^;{]*\(\*rondo_\w+\)\(([^;]*)\);", re.M)
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def problems(headers, rows):
    found = {}
    # What Rondo fills and a caller's function is given: no caller makes one.
    handed_over = {name for text in headers.values() for types in FUNCTION.findall(text) for name in re.findall(r"rondo_\w+", types)}
    for header, text in headers.items():
        for name, body in STRUCT.findall(text):
            members = re.findall(r"(\w+)(?:\[\w+\]|\)\([^()]*\))?;", COMMENT.sub("", body))
            grows = re.match(r"\s*size_t size;", COMMENT.sub("", body)) is not None
            if name.endswith(("_options", "_info")) and not grows:
                yield f"{header}: {name} does not begin with size_t size"
            if not grows or name in handed_over:
                continue
            found[name] = members
            macro = name.upper() + "_INIT"
            if not re.search(rf"^#define {macro} *\\?\n?[^#]*sizeof\({name}\)", text, re.M):
                yield f"{header}: {name} has no macro {macro} that sets its size"
            if name not in rows:
                yield f"{header}: {name} has no row in structs.def"
    for name, member in rows.items():
        if name not in found:
            yield f"structs.def: {name} is no public struct that begins with its size"
        elif member not in found[name]:
            yield f"structs.def: {name} has no member {member}"


def main(include, definitions):
    headers = {path.name: path.read_text() for path in sorted(pathlib.Path(include).glob("rondo/*.h"))}
    rows = {name: member for _, name, member in ROW.findall(pathlib.Path(definitions).read_text())}
    wrong = list(problems(headers, rows))
    if not rows:
        wrong.append("found no row: is this structs.def?")
    print("\n".join(wrong) or f"{len(rows)} structs can grow")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
