#!/usr/bin/env python3
"""The library's sources, the command and the JNI part are compiled without warnings by the least compilers that meson.build names.

    compilers.py BUILD C_COMPILER CXX_COMPILER PART PARTS

Each source is parsed by that compiler with the options that the build has for it, but for those that no other compiler knows; loops that are to
become vectors are compiled. Some sources are compiled and linked too: what a compiler takes for two definitions of one thing no parser sees.
PART of PARTS: every PARTS-th source from there on. A compiler that is not installed skips it.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

BUILD, COMPILERS = pathlib.Path(sys.argv[1]).resolve(), {".c": sys.argv[2], ".cc": sys.argv[3]}
PART, PARTS = int(sys.argv[4]), int(sys.argv[5])
LINKED = 4  # about so many sources are linked
TAKES_A_WORD = ("-o", "-MF", "-MQ")
# The build's own compiler's, and what asks for files: headers are read as they are, not in one piece.
LEFT_OUT = ("-fvect-cost-model", "-fno-align-", "--param", "-fpch-preprocess", "-Winvalid-pch", "-MD", "-c", "-fdiagnostics-color")


def alone(compilation):
    """Compilations of single sources: a group of them has one for each, because what one of them lacks another may have."""
    path = (pathlib.Path(compilation["directory"]) / compilation["file"]).resolve()
    text = path.read_text() if path.is_relative_to(BUILD) else ""
    included = re.findall(r'^#include "(/.*)"$', text, re.M)
    return [compilation | {"file": os.path.relpath(file, compilation["directory"])} for file in included] or [compilation]


def sources():
    """The compilations of what is shipped, each source once."""
    known = {}
    for each in json.loads((BUILD / "compile_commands.json").read_text()):
        output = each["output"]
        if output.startswith(("src/librondo", "src/rondo.p/", "bindings/java/")) and pathlib.Path(each["file"]).suffix in COMPILERS:
            for one in alone(each):
                known.setdefault(one["file"], one)
    return [known[file] for file in sorted(known)]


def parse(compilation, made=None):
    """What the compiler says against a source; None: nothing. made: the object to make of it."""
    words, kept = iter(shlex.split(compilation["command"])), []
    for word in words:
        if word in TAKES_A_WORD:
            next(words)
        elif word == "-include":
            if "precompiled" not in (header := next(words)):
                kept += [word, header]
        elif word.startswith("-") and not word.startswith(LEFT_OUT):
            kept.append(word)
    file = compilation["file"]
    compiler = COMPILERS[pathlib.Path(file).suffix]
    kept += ["-Wno-int-in-bool-context"] * (compiler == "g++-11")  # as meson.build has it
    # What becomes of loops is said when they are compiled.
    kept += ["-O0", "-c", "-o", made] if made else ["-c", "-o", os.devnull] if "/ops/host/vector_" in file else ["-fsyntax-only"]
    done = subprocess.run([compiler, *kept, "-Werror", file], cwd=compilation["directory"], capture_output=True, text=True)
    return None if done.returncode == 0 else f"{file}: {compiler} says\n{done.stderr[:2000]}"


def linked(some):
    """What the linker says against a library of some sources, whatever they lack; None: nothing."""
    with tempfile.TemporaryDirectory() as folder:
        objects = [f"{folder}/{number}.o" for number in range(len(some))]
        problems = [problem for each, made in zip(some, objects) if (problem := parse(each, made))]
        if problems:
            return problems[0]
        command = [COMPILERS[".cc"], "-shared", *objects, "-o", f"{folder}/library.so"]
        done = subprocess.run(command, capture_output=True, text=True)
    return None if done.returncode == 0 else f"{' and '.join(each['file'] for each in some)} cannot be linked\n{done.stderr[:2000]}"


for compiler in COMPILERS.values():
    if not shutil.which(compiler):
        print(f"{compiler} is not installed")
        sys.exit(77)
if re.search("-fsanitize=(address|thread|undefined)", (BUILD / "compile_commands.json").read_text()):
    print("the sources are those of the build without a sanitizer")
    sys.exit(77)
mine = sources()[PART::PARTS]
if not mine:
    sys.exit("no source is compiled")
wrong = [each for each in map(parse, mine) if each]
wrong += [problem for problem in [linked([each for each in mine if each["file"].endswith(".cc")][::max(1, len(mine) // LINKED)])] if problem]
print(*wrong, f"{len(mine)} sources, {len(wrong)} with warnings or errors, by {COMPILERS['.cc']}", sep="\n")
sys.exit(bool(wrong))
