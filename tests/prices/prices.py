#!/usr/bin/env python3
"""What a run costs, and what it may cost.

    prices.py reference COMPILER...    hundredths of a second of processor time that reference.cc takes

A price is processor time, told in compilations of that file, which each run makes itself: a slow machine, or one that does other things,
gives the same prices. prices.txt keeps those of one run of each kind, by build and part: building, each suite of tests. A run without a
filter whose prices add up to more than these and a quarter fails, and says which parts have grown; `tests/run --prices` writes its own
in their place. What was compiled before, or comes from a compiler cache, costs nothing: a run from nothing pays most.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import collections
import pathlib
import resource
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE / "prices.txt"
REFERENCE = HERE / "reference.cc"
MARGIN = 1.25  # what a turn that chooses dearer tests, or another kind of processor, may cost more


def reference(compiler):
    subprocess.run([*compiler, "-std=c++20", "-O1", "-c", REFERENCE, "-o", "/dev/null"], check=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round((used.ru_utime + used.ru_stime) * 100)


def prices(times, suites, references):
    """{(build, part): price}; times and suites are (build, part or suite, hundredths of a second of processor time)."""
    unit = statistics.mean(references)
    sums = collections.Counter()
    for build, part, hundredths in times:
        if part.startswith("build"):
            sums[build, "build"] += hundredths / unit
        elif part != "tests":  # those are told by suite
            sums[build, part.replace(" ", "-")] += hundredths / unit
    for build, suite, hundredths in suites:
        sums[build, suite] += hundredths / unit
    return dict(sums)


def kind(scope, builds):
    """The name of a run in the table: `run`, or `ci/thread`."""
    return "/".join([scope, *(build for build in builds if build != "normal")])


def kept(table, name):
    rows = (line.split() for line in table.read_text().splitlines() if line.strip() and not line.startswith("#"))
    return {(build, part): float(price) for run, build, part, price in rows if run == name}


def judge(table, name, now):
    """(whether the run keeps to its budget, a sentence about it)."""
    before = kept(table, name)
    total, budget = sum(now.values()), sum(before.values()) * MARGIN
    if not before:
        return True, f"{name} cost {total:.0f} reference compilations; {table.name} has no prices of it, --prices writes them"
    words = f"{name} cost {total:.0f} reference compilations, its budget is {budget:.0f}"
    if total <= budget:
        return True, words
    grown = sorted(now, key=lambda each: before.get(each, 0) - now[each])[:4]
    told = ", ".join(f"{part} ({build}) {before.get((build, part), 0):.1f} to {now[build, part]:.1f}" for build, part in grown)
    return False, f"{words}; grown most: {told}"


def renew(table, name, now):
    """Writes a run's prices into the table, in place of the older ones of its kind."""
    lines = [line for line in table.read_text().splitlines() if line.startswith("#") or line.split()[:1] not in ([name], [])]
    rows = sorted(now.items(), key=lambda row: (row[0][0] != "normal", row[0][0], -row[1]))
    lines += [f"{name:<22} {build:<18} {part:<24} {price:>7.1f}" for (build, part), price in rows if price >= 0.05]
    table.write_text("\n".join(lines) + "\n")


def main(arguments):
    if len(arguments) < 2 or arguments[0] != "reference":
        sys.exit(__doc__)
    print(reference(arguments[1:]))


if __name__ == "__main__":
    main(sys.argv[1:])
