#!/usr/bin/env python3
"""What a call costs in Rust over C: runs benches/calls.rs (Criterion) on this machine and prints both.

    run.py BUILD_FOLDER [ROUNDS]

The build is made by Meson, with optimisation. Of each call the fastest of all samples counts, in C as in Rust, so that what else the machine does
counts for neither; the rounds (3) take turns for the same reason.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 30  # nanoseconds that an operator may cost over C


def main(build, rounds=3):
    build = pathlib.Path(build).resolve()
    target = build / "rust"
    environment = {**os.environ, "RONDO_LIB_DIR": str(build / "src"), "LD_LIBRARY_PATH": str(build / "src"), "CARGO_TARGET_DIR": str(target)}
    fastest = {}
    for _ in range(int(rounds)):
        subprocess.run(["cargo", "bench", "--locked", "--quiet", "-p", "rondo-bench", "--", "--noplot", "--warm-up-time", "0.5", "--measurement-time",
                        "2"], cwd=HERE.parent, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for file in (target / "criterion").glob("*/*/new/sample.json"):
            sample = json.loads(file.read_text())
            took = min(time / count for time, count in zip(sample["times"], sample["iters"]))
            call, language = file.parts[-4], file.parts[-3]
            fastest[call, language] = min(took, fastest.get((call, language), took))
    print(f"{'call':<20}{'C ns':>10}{'Rust ns':>10}{'over C':>10}")
    for call in sorted({call for call, _ in fastest}):
        c, rust = fastest[call, "c"], fastest[call, "rust"]
        print(f"{call:<20}{c:>10.1f}{rust:>10.1f}{rust - c:>10.1f}{f'  more than {LIMIT}' if rust - c > LIMIT else ''}")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
