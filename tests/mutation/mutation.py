"""Defines a mutation: one defect, and the test that must find it.

The sources of the library have its name at the statement that goes (places.py); where only a `part` of the statement changes, that is a pattern
which must match once. `breaks` says what is promised, and broken then. `cases` of `program` must find it out on the simulated driver, under one of the orders
`seeds`, whatever the machine does meanwhile. `endings` are the ways in which the program may end: `failed` is a result that a test
finds wrong, `reported` a report of the simulated driver; `crashed` and `hung` only where the defect is of a kind that does that.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import dataclasses

PROGRAMS = {  # in the build folder
    "stress": "tests/stress/stress",
    "models": "tests/conformance/conformance_models",
    "engine": "tests/conformance/conformance_engine",
    "recording": "tests/conformance/conformance_recording",
    "tensors": "tests/conformance/conformance_tensors",
    "files": "tests/conformance/conformance_files",
}


@dataclasses.dataclass(frozen=True)
class Mutation:
    name: str
    breaks: str
    cases: str
    part: str | None = None  # a pattern; without it the whole statement goes
    instead: str = ""
    program: str = "stress"
    seeds: tuple = tuple(range(1, 11))
    endings: tuple = ("failed", "reported")
