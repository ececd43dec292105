#!/usr/bin/env python3
"""A program refuses its arguments: refused.py PROGRAM ARGUMENT... It ends with 2, having named the first argument and
shown its usage, and has printed nothing else."""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import subprocess
import sys


def main():
    run = subprocess.run(sys.argv[1:], capture_output=True, text=True, timeout=60)
    if run.returncode != 2 or run.stdout or sys.argv[2] not in run.stderr.split("\n")[0] or "usage:" not in run.stderr:
        sys.exit(f"{sys.argv[1:]} ended with {run.returncode}\n{run.stderr}{run.stdout}")


main()
