#!/usr/bin/env python3
"""The library exports what the headers declare, what the list says, and nothing else; every function is documented.

    symbols.py LIBRARY INCLUDE_FOLDER SYMBOLS_FILE

The list is symbols.txt: one `NODE name` a line, sorted. It is written by hand on purpose: a name that enters or leaves the
binary interface shows in review. Documented means: a comment stands above the declaration, or above the group of declarations
without a blank line that it belongs to, and says since which version the function exists.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import re
import subprocess
import sys

NODE = "RONDO_0"
DECLARATION = re.compile(r"^RONDO_API\b[^;{]*?\b(\w+)\s*\([^;]*;", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def exported(library):
    """{name: version node} of what the dynamic symbol table defines."""
    run = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", library], text=True,
                         capture_output=True, check=True)
    symbols = {}
    for line in run.stdout.splitlines():
        _, kind, name = line.split(maxsplit=2)
        name, _, node = name.partition("@")
        if kind != "A":  # the version node itself
            symbols[name] = node.lstrip("@")
    return symbols


def allowed(file):
    """{name: version node} of the list."""
    symbols = {}
    for line in pathlib.Path(file).read_text().splitlines():
        if line and not line.startswith("#"):
            node, name = line.split()
            symbols[name] = node
    return symbols


def declared(include):
    """{name: (place, documentation)} of the functions the headers declare. Documentation is None where there is none."""
    functions = {}
    for header in sorted(pathlib.Path(include).glob("rondo/*.h")):
        text = header.read_text()
        # Same length and lines, so that positions hold in both.
        code = COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
        comments = list(COMMENT.finditer(text))
        group_end, documentation = -1, None
        for match in DECLARATION.finditer(code):
            before = [comment for comment in comments if comment.end() <= match.start()]
            if before and not text[before[-1].end() : match.start()].strip() and before[-1].start() > group_end:
                documentation = before[-1][0]  # a comment of its own
            elif text[group_end : match.start()] != "\n":
                documentation = None  # and no group to share one with
            group_end = match.end()
            place = f"{header.name}:{text.count(chr(10), 0, match.start()) + 1}"
            functions[match[1]] = (place, documentation)
    return functions


def main(library, include, list_file):
    exports, listed, functions = exported(library), allowed(list_file), declared(include)
    problems = []
    for name in sorted(exports.keys() - listed.keys()):
        problems.append(f"{name} is exported but not in {pathlib.Path(list_file).name}")
    for name in sorted(listed.keys() - exports.keys()):
        problems.append(f"{name} is in {pathlib.Path(list_file).name} but not exported")
    for name in sorted(exports.keys() & listed.keys()):
        if exports[name] != listed[name]:
            problems.append(f"{name} is exported with version '{exports[name]}', the list says '{listed[name]}'")
    for name in sorted(exports.keys() - functions.keys()):
        problems.append(f"{name} is exported but no header declares it RONDO_API")
    for name in sorted(functions.keys() - exports.keys()):
        problems.append(f"{functions[name][0]}: {name} is declared but not exported")
    for name, (place, documentation) in functions.items():
        if documentation is None:
            problems.append(f"{place}: {name} has no comment")
        elif not re.search(r"\bSince[\s*]+\d+\.\d+", documentation):  # a line may end between the two
            problems.append(f"{place}: the comment of {name} does not say since which version it exists (Since 0.1)")
    if not functions:
        problems.append(f"no header in {include}/rondo declares a function")
    print("\n".join(problems) or f"{len(exports)} symbols, all declared, listed and documented")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
