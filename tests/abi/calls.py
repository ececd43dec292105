#!/usr/bin/env python3
"""What pages say of the C interface is in its headers: each name exists, and each call has as many arguments as its declaration.

    calls.py SOURCE_ROOT

docs/has-it.md is made from the headers. A call with `...` in it is cut short, and one with a text alone says what is asked: rondo_feature("cudnn").
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import re
import sys

NAME = re.compile(r"(?<![\w/.:-])(?:rondo|RONDO)_\w*[A-Za-z0-9](?![\w*.])")
DECLARATION = re.compile(r"\b(rondo_\w+)\(((?:[^()]|\([^()]*\))*)\);")
CALL = re.compile(r"\b(rondo_\w+)(?=\()")
TEXT = re.compile(r'^"[^"]*"$')
# Where names stand that are no part of the interface: environment variables.
VARIABLES = "src/base/settings.def", "bindings/rust/rondo-sys/build.rs"
OF_TESTS = "RONDO_TEST_"


def arguments(text, start):
    """What stands between the parenthesis at start and the one that closes it, and its number of arguments."""
    depth, count = 0, 1
    for place in range(start, len(text)):
        if text[place] in "([{":
            depth += 1
        elif text[place] in ")]}":
            depth -= 1
            if depth == 0:
                inside = text[start + 1:place]
                return inside, count if inside.strip() else 0
        elif text[place] == "," and depth == 1:
            count += 1
    return None, 0


def problems_of(page, text, names, declared):
    for name in sorted(set(NAME.findall(text)) - names):
        if not name.startswith(OF_TESTS):
            yield f"{page}: {name} is in no header and no setting"
    for match in CALL.finditer(text):
        inside, count = arguments(text, match.end())
        if inside is None or match[1] not in declared or "..." in inside or TEXT.match(inside):
            continue
        if count != declared[match[1]]:
            yield f"{page}: {match[1]}({' '.join(inside.split())}) has {count} arguments; it takes {declared[match[1]]}"


def main(root):
    root = pathlib.Path(root).resolve()
    headers = "\n".join(path.read_text() for path in sorted((root / "include").rglob("*.h*")))
    variables = "\n".join((root / name).read_text() for name in VARIABLES)
    names = set(re.findall(r"\b(?:rondo|RONDO)_\w+", headers + variables))
    declared = {name: 0 if inside.strip() in ("", "void") else inside.count(",") + 1 for name, inside in DECLARATION.findall(headers)}
    pages = [root / "README.md", *sorted(path for path in (root / "docs").glob("*.md") if path.name != "has-it.md")]
    problems = [problem for page in pages for problem in problems_of(page.relative_to(root), page.read_text(), names, declared)]
    print("\n".join(problems) or f"{len(pages)} pages name {len(names)} things that exist")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
