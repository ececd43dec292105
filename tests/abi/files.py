#!/usr/bin/env python3
"""House rules for the files of the source tree: size, how many a folder has, opening comment, licence line, nothing that does not
belong here.

    files.py SOURCE_ROOT
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import collections
import os
import pathlib
import re
import subprocess
import sys

MAX_LINES = 600  # beyond that a file has more than one subject
MOST_FILES = 30  # of a folder: what a reader takes in at a glance
ABOUT = {"meson.build", "README.md"}  # tell about the folder they are in
# Folders that may have any number, with the reason why they are one folder.
WHOLE = {
    "bindings/java/src/main/java/dev/rondo": "a package of Java is a folder, and what is private to it is shared in it",
    "bindings/java/src/test/java/dev/rondo": "the same package",
    "bindings/rust/rondo/src": "the modules of a crate that has one level of them",
    "docs": "a page for each subject, which others link to by this address",
    "examples/c": "programs of a file or two, each read by itself",
    "include/rondo": "programs include headers by these names",
}
# Folders that had more before this was asked. They get no more files; one that gets fewer gets a smaller number here.
OWED = {
    "src/base": 40,
    "src/capi": 35,
    "src/dynlib": 31,
    "src/engine": 48,
    "src/rtc/device": 38,
    "tests/bench": 42,
}
OPENING_LINES = 40  # the licence line stands in the comment at the top
LICENCE = re.compile(r"Copyright \d{4} the Rondo developers\. SPDX-License-Identifier: Apache-2\.0")
SOURCES = {".c", ".cc", ".h", ".hpp", ".cu", ".cuh", ".def", ".inc", ".py", ".sh", ".rs", ".java", ".map"}
SOURCE_NAMES = {"meson.build", "meson_options.txt", "meson.options", ".clang-tidy"}
NOT_OURS = {".git", ".cache", ".venv", "__pycache__", "out"}  # as .gitignore says
GENERATED = re.compile(r"bindings/.*/(bindings|generated/\w+)\.rs$")
LOCKS = {"bindings/rust/Cargo.lock", "examples/rust/Cargo.lock"}  # written by a tool, with the places that it found things at

# Joined here, so that this file does not hold what it forbids.
REGISTRY_HOSTS = [".".join(parts) for parts in (
    ("pypi", "org"), ("files", "pythonhosted", "org"), ("crates", "io"), ("repo1", "maven", "org"),
    ("repo", "maven", "apache", "org"), ("deb", "debian", "org"), ("registry", "npmjs", "org"), ("proxy", "golang", "org"))]
PATHS = ["/" + path for path in ("work/", "root/", "farm/", "tmp/bash_jobs")]
FORBIDDEN = [
    (re.compile("|".join(rf"\b{re.escape(host)}\b" for host in REGISTRY_HOSTS)), "names the host of a package registry"),
    (re.compile("|".join(rf"(?<![\w./$}}])(?:{re.escape(path)})" for path in PATHS)), "holds a path of one machine"),
]
# What a test counts on not to be there may be there: /dev/null/... is not, on any machine.
MAY_BE_THERE = re.compile("|".join(rf"(?<![\w./-])/{name}\b" for name in ("no" + "where", "non" + "existent", "no-" + "such")))
OPEN_ENDS = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME)\b")


def files_of(root):
    """Files of the tree, relative: what git tracks or would add; without git everything but build folders."""
    try:
        run = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                             capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        walk = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
        return sorted(path.as_posix() for path in walk
                      if not path.parts[0].startswith("build") and not NOT_OURS.intersection(path.parts))
    names = [os.fsdecode(name) for name in run.stdout.split(b"\0") if name]
    return sorted({name for name in names if (root / name).is_file()})


def is_source(name, text):
    path = pathlib.PurePath(name)
    return path.suffix in SOURCES or path.name in SOURCE_NAMES or text.startswith("#!")


def source_problems(name, text):
    lines = text.splitlines()
    if len(lines) > MAX_LINES and not GENERATED.match(name):
        yield len(lines), f"{len(lines)} lines, more than {MAX_LINES}: is there a seam?"
    first = 1 if lines and lines[0].startswith("#!") else 0
    if len(lines) <= first or not lines[first].startswith(("//", "/*", "#", '"""', "{ #")):
        yield first + 1, "does not start with a comment that says what lives in the file"
    # A licence line may be wrapped by the comment it stands in.
    opening = re.sub(r"\s+(?://|\*|#)?\s*", " ", "\n".join(lines[:OPENING_LINES]))
    if not LICENCE.search(opening):
        yield 1, "has no line `Copyright YEAR the Rondo developers. SPDX-License-Identifier: Apache-2.0` at the top"
    for number, line in enumerate(lines, 1):
        if OPEN_ENDS.search(line):
            yield number, "leaves something open; finish it or drop it"


def folder_problems(names, whole, owed):
    files = collections.Counter(pathlib.PurePosixPath(name).parent.as_posix() for name in names
                                if pathlib.PurePosixPath(name).name not in ABOUT)
    for folder, count in sorted(files.items()):
        most = owed.get(folder, MOST_FILES)
        if count > most and folder not in whole:
            yield f"{folder}: {count} files, more than {most}: which of them make a folder of their own?"
    for folder, most in owed.items():
        if files[folder] <= MOST_FILES:
            yield f"{folder}: {files[folder]} files, as any folder may have; take it out of OWED in tests/abi/files.py"
        elif files[folder] < most:
            yield f"{folder}: {files[folder]} files, fewer than before; put that number into OWED in tests/abi/files.py"
    for folder in whole:
        if not files[folder]:
            yield f"{folder}: has no files; take it out of WHOLE in tests/abi/files.py"


def main(root):
    root = pathlib.Path(root).resolve()
    problems, sources = [], 0
    names = files_of(root)
    problems += folder_problems(names, WHOLE, OWED)
    for name in names:
        data = (root / name).read_bytes()
        if b"\0" in data:
            continue  # not text
        text = data.decode("utf-8", errors="replace")
        if "\ufffd" in text:
            problems.append(f"{name}: is not UTF-8")
        if is_source(name, text):
            sources += 1
            problems += [f"{name}:{number}: {why}" for number, why in source_problems(name, text)]
        for number, line in enumerate(text.splitlines() if name not in LOCKS else [], 1):
            problems += [f"{name}:{number}: {why}: {line.strip()[:100]}" for wrong, why in FORBIDDEN if wrong.search(line)]
            if name.startswith("tests/") and "/no" in line and MAY_BE_THERE.search(line):
                problems.append(f"{name}:{number}: a file that may be there; /dev/null/... is not: {line.strip()[:100]}")
    if sources == 0:
        problems.append("found no source at all: is this the source folder?")
    print("\n".join(problems) or f"{len(names)} files, {sources} of them sources")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
