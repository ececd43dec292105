#!/usr/bin/env python3
"""What runs when: the one table that decides which tests a run takes, in which builds.

    plan.py builds SCOPE TURN                         the builds that a run of this scope makes, in order
    plan.py choose BUILD FLAVOUR SCOPE TURN FILE      names of the tests to run; a line to FILE for each that is left out
    plan.py targets BUILD FLAVOUR SCOPE TURN          what ninja has to make for these tests
    plan.py changed FOLDER                            its files that changed lately; none where there is no history

BUILD is a configured build folder, FLAVOUR a name of the table's first column, SCOPE one of the last three (run is
`tests/run`, ci is `.ci/run`, thorough is `tests/run --thorough`). TURN is any text: it decides whose turn it is where only
some of many tests run, so that the same text chooses the same tests.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import collections
import fnmatch
import hashlib
import json
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is

SCOPES = ("run", "ci", "thorough")

# The first row of a build that matches `suite/test` decides about a test. A new suite is a new row, in each build that
# should run it; a test without a row is an error, so that none is forgotten. docs/testing.md has the grammar of cells:
#
#   all     every test
#   -       none
#   2       two of each series, by turns: tests that differ in the number at their end, as under twenty seeds
#   1/4     one of each series, but only of a quarter of the series, by turns
#   12+3    those that belong to source files changed lately, twelve at most, and three of the others, by turns
PLAN = """
# build            suite/test                 run        ci         thorough
normal             simulated/*_whole          -          -          all
normal             simulated/digits_*         -          1          1
normal             simulated/*_tape_*         -          1/2        2
normal             simulated/*_recording_*    -          1/2        3
normal             simulated/*                1/4        1/5        2
normal             mutation/*places           all        all        all
normal             mutation/*                 -          12+3       all
normal             abi/mutations_of_checks    all        1/2        all
normal             abi/wrapper_headers        all        1/2        all
normal             abi/*                      all        all        all
normal             conformance/large          -          -          all
normal             conformance/*_layers       -          all        all
normal             conformance/*_models_*     1          all        all
normal             conformance/*_operators_*  1          all        all
normal             conformance/*              all        all        all
normal             compilers/*                -          1/3        all
normal             crash/*                    all        all        all
normal             examples/*                 all        all        all
normal             faults/*                   -          1/2        all
normal             hosts/*                    all        all        all
normal             memory/*                   -          1/3        all
normal             models/*                   all        all        all
normal             onnx/*_whole               -          -          all
normal             onnx/*                     all        all        all
normal             packaging/*                all        all        all
normal             shipped/*                  -          -          all
normal             recipes/*_whole            -          -          all
normal             recipes/*                  all        all        all
normal             rust/*simulated            -          1/2        all
normal             rust/*_carried             all        1/2        all
normal             rust/*_documents           all        1/2        all
normal             rust/*_examples            all        1/2        all
normal             rust/*_library             all        1/2        all
normal             rust/*_lints               all        1/2        all
normal             rust/*_whole               -          -          all
normal             rust/*                     all        all        all
normal             simcuda/*                  all        all        all
normal             stress/*_whole             -          -          all
normal             stress/*                   all        all        all
normal             java/java_service          -          1/3        all
normal             java/java_newer            all        1/3        all
normal             java/*_whole               -          -          all
normal             java/*simulated            -          1/3        all
normal             java/*                     all        all        all
normal             toolkits/cudnn             -          -          all
normal             toolkits/nvrtc             -          all        all
normal             toolkits/*                 all        all        all
normal             mpi/*                      all        all        all
normal             rounding/*                 -          1/3        all
normal             tools/*                    all        all        all
normal             unit/*_whole               -          -          all
normal             unit/*                     all        all        all

address,undefined  abi/*                      -          -          -
address,undefined  recipes/*                  -          -          -
address,undefined  rust/*                     -          all        all
address,undefined  mpi/*                      -          -          -
address,undefined  rounding/*                 -          -          -
address,undefined  simcuda/simcuda            -          -          all
address,undefined  tools/*                    -          1/2        all
address,undefined  simulated/*_whole          -          -          -
address,undefined  simulated/*_engine_*       -          1          1
address,undefined  simulated/*_recording_*    -          1          1
address,undefined  simulated/*_stress_*       -          1          1
address,undefined  simulated/digits_*         -          -          1/3
address,undefined  simulated/*_lost_*         -          1          1
address,undefined  simulated/*                -          1/6        1/2
address,undefined  faults/*                   -          -          all
address,undefined  conformance/large          -          -          -
address,undefined  conformance/comm_*         -          1/4        all
address,undefined  conformance/*_models_*     -          1/4        all
address,undefined  conformance/*_operators_*  -          1/4        all
address,undefined  conformance/*              -          1/4        1/2
address,undefined  examples/bert_*            -          -          all
address,undefined  examples/*                 -          1/2        all
address,undefined  java/java_newer            -          -          all
address,undefined  onnx/*_whole               -          -          all
address,undefined  unit/*_whole               -          -          all
address,undefined  stress/*_whole             -          -          -
address,undefined  unit/rendezvous_fuzz       -          all        all
address,undefined  unit/program_fuzz          -          all        all
address,undefined  unit/*                     -          1/2        all
address,undefined  */*                        -          all        all

thread             abi/*                      -          -          -
thread             rust/*                     -          -          -
thread             mpi/*                      -          -          -
thread             rounding/*                 -          -          -
thread             onnx/*_whole               -          -          -
thread             unit/*_whole               -          -          -
thread             unit/rendezvous_fuzz       -          all        all
thread             unit/cpu_instructions      -          -          all
thread             unit/program_*             -          -          all
thread             unit/streaming             -          -          all
thread             unit/*                     -          1/2        all
thread             simulated/*_whole          -          -          -
thread             conformance/large          -          -          -
thread             crash/*                    -          all        all
thread             stress/*_whole             -          -          -
thread             stress/*                   -          all        all
thread             conformance/*_engine       -          all        all
thread             conformance/*_recording    -          all        all
thread             simulated/*_engine_*       -          1          1
thread             simulated/*_recording_*    -          1/2        1
thread             simulated/*_stress_*       -          1          1
thread             simulated/*                -          -          1/2
thread             */*                        -          -          all
"""

# Of these builds a run takes one, by turns: to compile all is twice as long as to test them.
ONE_OF = {"ci": ("address,undefined", "thread")}

LATELY = 10  # commits whose files count as changed, besides what is not committed


def rows():
    for line in PLAN.splitlines():
        words = line.split()
        if words and words[0] != "#":
            flavour, pattern, *cells = words
            yield flavour, pattern, dict(zip(SCOPES, cells, strict=True))


def builds(scope, turn):
    among = ONE_OF.get(scope, ())
    left = set(among) - set(by_turns(among, 1, turn))
    return list(dict.fromkeys(flavour for flavour, _, cells in rows() if cells[scope] != "-" and flavour not in left))


def suite(test):
    return test["suite"][0].rpartition(":")[2]  # meson says `project:suite`


def cell_of(test, flavour, scope):
    name = f"{suite(test)}/{test['name']}"
    flavours = {each for each, _, _ in rows()}
    # A sanitizer alone that the table does not have takes what address,undefined takes.
    flavour = flavour if flavour in flavours else "address,undefined"
    for each, pattern, cells in rows():
        if each == flavour and fnmatch.fnmatchcase(name, pattern):
            return cells[scope]
    sys.exit(f"tests/plan.py has no row of the build '{flavour}' that matches {name}: add one")


def by_turns(names, count, turn):
    """As many of the names as wished, others for another turn; which ones does not depend on the order of the names."""
    return sorted(names, key=lambda name: hashlib.sha256(f"{turn} {name}".encode()).hexdigest())[:count]


def series(name):
    """`simulated_engine_7` and `simulated_engine_12` are of one series."""
    return name.rstrip("0123456789")


def changed_files():
    """Of the newest commits and of the working tree; where there is no history, all: more tests, never fewer."""
    commands = (["git", "log", f"-{LATELY}", "--format=", "--name-only"], ["git", "diff", "--name-only", "HEAD"])
    runs = [subprocess.run(command, capture_output=True, text=True) for command in commands]
    return {line for run in runs for line in run.stdout.splitlines()} if all(run.returncode == 0 for run in runs) else None


def of_changed_files(names):
    """Names of mutation tests whose source file changed lately."""
    sys.path.insert(0, str(pathlib.Path(__file__).parent / "mutation"))
    import places

    changed = changed_files()
    files = {f"mutation_{name}": file for name, file in places.marks(pathlib.Path(__file__).parent.parent)}
    return {name for name in names if changed is None or files.get(name) in changed}


def information(build, what):
    return json.loads((pathlib.Path(build) / "meson-info" / f"intro-{what}.json").read_text())


def cells(text):
    """What a cell says: (how many of the changed, how many of each series, of one in how many series); None where it is no cell."""
    if text in ("all", "-"):
        return 0, sys.maxsize if text == "all" else 0, 1
    found = re.fullmatch(r"(?:(\d+)\+)?(\d+)|(\d+)/(\d+)", text)
    return found and (int(found[1] or 0), int(found[2] or found[3]), int(found[4] or 1))


def chosen(build, flavour, scope, turn):
    """Names of the tests that run."""
    groups = collections.defaultdict(lambda: collections.defaultdict(list))  # by cell and suite the series of tests
    for test in information(build, "tests"):
        cell = cell_of(test, flavour, scope)
        # Where changed files choose, a suite is one series.
        groups[cell, suite(test)][suite(test) if "+" in cell else series(test["name"])].append(test["name"])
    names = set()
    for (cell, _), by_series in groups.items():
        of_changed, count, part = cells(cell)
        for one in by_turns(by_series, -(-len(by_series) // part), turn):
            group = set(by_series[one])
            changed = set(by_turns(of_changed_files(group), of_changed, turn)) if of_changed else set()
            names |= changed | set(by_turns(group - changed, count, turn))
    return names


def choose(build, flavour, scope, turn, file):
    tests = information(build, "tests")
    names = chosen(build, flavour, scope, turn)
    with open(file, "a") as out:
        for test in tests:
            if test["name"] in names:
                print(test["name"])
            # What the longest run leaves out as well is not missed.
            elif cell_of(test, flavour, "thorough") != "-":
                out.write(f"left\t{flavour}\t{test['name']}\t{suite(test)}\n")


def targets(build, flavour, scope, turn):
    tests = information(build, "tests")
    names = chosen(build, flavour, scope, turn)
    wanted = {target for test in tests if test["name"] in names for target in test["depends"]}
    root = pathlib.Path(build).resolve()
    for target in information(build, "targets"):
        if target["id"] in wanted:
            for file in target["filename"]:
                print(pathlib.Path(file).resolve().relative_to(root))


def main(arguments):
    commands = {"builds": lambda scope, turn: print(*builds(scope, turn), sep="\n"), "choose": choose, "targets": targets}
    commands["changed"] = lambda folder: print(*sorted(file for file in changed_files() or () if file.startswith(folder + "/")), sep="\n")
    if not arguments or arguments[0] not in commands:
        sys.exit(__doc__)
    commands[arguments[0]](*arguments[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
