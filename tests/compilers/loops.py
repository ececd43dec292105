#!/usr/bin/env python3
"""What the cpu's loops cost in a library that another compiler has built, beside GCC's.

    loops.py SOURCE_ROOT LIBRARY OTHER_LIBRARY [ROUNDS]

Runs the same program (loops.c) with each library by turns, and prints the median of the rounds: nanoseconds of processor time an element, and
their ratio. Nothing of the machine is to be idle: it is the processors' time, not the clock's.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import datetime
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT, LIBRARIES = pathlib.Path(sys.argv[1]), [pathlib.Path(path).resolve() for path in sys.argv[2:4]]
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 5


def compiler_of(library):
    comment = subprocess.run(["readelf", "-p", ".comment", library], capture_output=True, text=True, check=True).stdout
    made = re.findall(r"\]\s+(.+)", comment)
    return next((each for each in made if "clang" in each), made[0]).strip()


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


with tempfile.TemporaryDirectory() as folder:
    program = f"{folder}/loops"
    subprocess.run(["cc", "-O2", f"-I{ROOT}/include", ROOT / "tests/compilers/loops.c", LIBRARIES[0], "-o", program], check=True)
    times = [{}, {}]
    for _ in range(ROUNDS):
        for which, library in enumerate(LIBRARIES):
            if not pathlib.Path(folder, f"{which}").is_dir():
                os.mkdir(f"{folder}/{which}")
                os.symlink(library, f"{folder}/{which}/librondo.so.0")
            out = subprocess.run([program], env={**os.environ, "LD_LIBRARY_PATH": f"{folder}/{which}", "RONDO_CUDA_DRIVER": "none"},
                                 capture_output=True, text=True, check=True).stdout
            for line in out.splitlines():
                name, elements, taken = line.split("\t")
                times[which].setdefault((name, int(elements)), []).append(float(taken))

print(f"{datetime.date.today()}, {processor()}, one thread, f32 where nothing else is said, rows of 512; the median of {ROUNDS} runs by turns")
print("nanoseconds of processor time an element")
for which, library in enumerate(LIBRARIES):
    print(f"  {'AB'[which]}: {compiler_of(library)}")
print(f"{'':22}{'elements':>10}{'A':>10}{'B':>10}{'B / A':>8}")
ratios = []
for key, taken in times[0].items():
    one, other = statistics.median(taken), statistics.median(times[1][key])
    ratios.append(other / one)
    print(f"{key[0]:22}{key[1]:>10}{one:>10.4f}{other:>10.4f}{other / one:>8.2f}")
print(f"{'geometric mean':22}{'':30}{math.exp(statistics.mean(map(math.log, ratios))):>8.2f}")
