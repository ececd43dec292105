#!/usr/bin/env python3
"""Runs one mutation: a copy of librondo.so with one defect in one file must make a test fail on the simulated driver.

    run.py NAME --source SOURCE --build BUILD -- COMPILER...

NAME is one of mutations.py, `control` or `places`. The mutated copy of the file is compiled as the build compiles the file itself and linked
with the library's other objects; the programs of the build are then run with that library in place of theirs, under one
order of the simulated driver after the other, until a test fails. It is a failure of this script when none does, when a
program ends in a way that the table does not name, and when the place to change is not in the sources exactly once.
`control` does the same with a file that is not changed, and every test that a mutation relies on must pass. `places` changes nothing:
every mutation must have its place and every place its mutation.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is
import mutations
import places
from mutation import PROGRAMS
from places import Wrong

OBJECTS = ("src/librondo.a.p/", "src/librondo_loops.a.p/", "src/librondo_lean.a.p/")  # where the build keeps the library's objects
SECONDS = 60  # for one run of a program: many times what the slowest takes


def mutated(source, mutation):
    """(file, its text with the defect)."""
    file = places.file_of(source, mutation.name)
    return file, places.changed((source / file).read_text(), mutation.name, mutation.part, mutation.instead)


def check_places(source):
    """Every mutation finds its place, and every place its mutation."""
    for mutation in mutations.MUTATIONS:
        mutated(source, mutation)
    strange = {name for name, _ in places.marks(source)} - {mutation.name for mutation in mutations.MUTATIONS}
    if strange:
        raise Wrong(f"src has marks of mutations that mutations.py lacks: {', '.join(sorted(strange))}")
    return f"{len(mutations.MUTATIONS)} mutations have their places"


def call(command, folder):
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if run.returncode != 0:
        raise Wrong(f"{shlex.join(command)} failed:\n{run.stdout}{run.stderr}")


def compiles(command, file, build):
    """True where this command of the build compiles the file, alone or in a group of sources."""
    path = (build / command["file"]).resolve()
    return path == file or (path.is_relative_to(build) and f'#include "{file}"' in path.read_text().splitlines())


def build_library(source, build, name, file, text, compiler):
    """Path of a librondo.so whose `file` has this text; made anew when the text or any object has changed."""
    commands = json.loads((build / "compile_commands.json").read_text())
    # Without the precompiled header, which is compiled like a file and linked to nothing.
    commands = [each for each in commands if each["output"].startswith(OBJECTS) and each["output"].endswith(".o")]
    original = [each for each in commands if compiles(each, source / file, build)]
    if len(original) != 1:
        raise Wrong(f"the build compiles {file} {len(original)} times for the library")
    folder = build / "tests" / "mutation" / name
    copy, object_file, library = folder / pathlib.Path(file).name, folder / "mutated.o", folder / "librondo.so.0"
    compiled, group = copy, (build / original[0]["file"]).resolve()
    objects = [build / each["output"] for each in commands]
    newest = max(each.stat().st_mtime for each in objects)
    if library.exists() and library.stat().st_mtime > newest and copy.read_text() == text:
        return library
    folder.mkdir(parents=True, exist_ok=True)
    library.unlink(missing_ok=True)  # no old one is left to be taken for a new one when this fails
    copy.write_text(text)
    if group != source / file:  # compiled in a group, so in a copy of that, with the copy in place of the file
        compiled = folder / "group.cc"
        compiled.write_text(group.read_text().replace(f'#include "{source / file}"', f'#include "{copy}"'))
    words = shlex.split(original[0]["command"])
    for option, value in (("-o", object_file), ("-c", compiled), ("-MF", folder / "mutated.d"), ("-MQ", object_file)):
        words[words.index(option) + 1] = str(value)
    # Warnings belong to the unchanged file; less optimisation, because it is compiled to run for seconds. What is made for size stays so,
    # because its precompiled header is.
    call(words + ["-w", "-g0"] + ([] if "-Os" in words else ["-O1"]), build)
    others = [str(each) for each in objects if each != build / original[0]["output"]]
    call(
        compiler
        + ["-shared", "-pthread", "-Wl,-soname,librondo.so.0", f"-Wl,--version-script,{source / 'src' / 'rondo.map'}"]
        + ["-o", str(library), str(object_file), *others, "-ldl"],
        build,
    )
    return library


def environment(library, seed):
    # The loader takes a preloaded library for any other of its soname.
    return os.environ | {"LD_PRELOAD": str(library), "SIMCUDA_SEED": str(seed), "SIMCUDA_REPORT": "quiet"}


def check_loading(program, library):
    """The program must load this library and no other librondo."""
    loaded = subprocess.run(
        [program], env=environment(library, 0) | {"LD_TRACE_LOADED_OBJECTS": "1"}, capture_output=True, text=True
    ).stdout
    found = [line.strip() for line in loaded.splitlines() if "librondo" in line]
    if len(found) != 1 or str(library) not in found[0]:
        raise Wrong(f"{program} does not load {library}, but: {'; '.join(found) or 'no librondo'}")


def run_tests(program, cases, library, seed):
    """(how it ended, its first words about that): passed, failed, reported, crashed or hung."""
    command = [program, f"--gtest_filter={cases}", "--gtest_fail_fast", "--gtest_color=no"]
    try:
        run = subprocess.run(
            command,
            env=environment(library, seed),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            text=True,
            errors="replace",
        )
    except subprocess.TimeoutExpired as late:
        output = (late.stdout or b"").decode(errors="replace")
        begun = re.findall(r"^\[ RUN      \] (\S+)", output, re.M)
        return "hung", begun[-1] if begun else "before the first test"
    begun = re.findall(r"^\[ RUN      \] (\S+)", run.stdout, re.M)
    if run.returncode < 0:
        return "crashed", f"{begun[-1] if begun else 'before the first test'}: signal {-run.returncode}"
    ran = len(re.findall(r"^\[       OK \]", run.stdout, re.M))
    if run.returncode == 0 and ran > 0:
        return "passed", f"{ran} tests"
    failed = re.search(r"^\[  FAILED  \] (\S+?),? ", run.stdout, re.M)
    if run.returncode != 1 or not failed:
        raise Wrong(f"{program} with the filter {cases} ran no test (exit code {run.returncode}):\n{run.stdout[-2000:]}")
    why = re.search(r"Failure\n(?:Failed\n)?(.*(?:\n(?!\[).*){0,3})", run.stdout)
    text = " ".join(why[1].split())[:200] if why else "no text"
    return "reported" if text.startswith("the simulated driver reports") else "failed", f"{failed[1]}: {text}"


def kill(mutation, library, build):
    """Runs until the mutant is found out; returns the line that says how."""
    program = str(build / PROGRAMS[mutation.program])
    check_loading(program, library)
    for seed in mutation.seeds:
        ending, words = run_tests(program, mutation.cases, library, seed)
        if ending == "passed":
            continue
        if ending not in mutation.endings:
            raise Wrong(f"seed {seed}: the program {ending} ({words}); the table allows: {', '.join(mutation.endings)}")
        return f"seed {seed}: {ending} in {words}"
    raise Wrong(f"it survives {mutation.program} {mutation.cases} with the seeds {list(mutation.seeds)}")


def control(library, build):
    """Every test that some mutation relies on, with nothing changed."""
    count = 0
    for name, cases, seed in sorted({(m.program, m.cases, m.seeds[0]) for m in mutations.MUTATIONS}):
        program = str(build / PROGRAMS[name])
        check_loading(program, library)
        ending, words = run_tests(program, cases, library, seed)
        if ending != "passed":
            raise Wrong(f"with nothing changed, {name} {cases}, seed {seed}: {ending} in {words}")
        count += 1
    return f"{count} selections of tests pass"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("compiler", nargs="+")
    options = parser.parse_args(arguments)
    source, build = options.source.resolve(), options.build.resolve()
    try:
        if options.name == "places":
            print(check_places(source))
            return 0
        if options.name == "control":
            file = places.file_of(source, mutations.MUTATIONS[0].name)
            text = (source / file).read_text()
            print(control(build_library(source, build, "control", file, text, options.compiler), build))
            return 0
        mutation = next(each for each in mutations.MUTATIONS if each.name == options.name)
        file, text = mutated(source, mutation)
        library = build_library(source, build, mutation.name, file, text, options.compiler)
        print(f"{mutation.name}: {mutation.breaks}\n{kill(mutation, library, build)}")
        return 0
    except Wrong as wrong:
        print(f"{options.name}: {wrong}")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
