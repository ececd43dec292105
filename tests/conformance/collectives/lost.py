#!/usr/bin/env python3
"""Kills one of three ranks in its n-th call of the simulated NCCL: all others must end in time, told, and go on without it.

    lost.py RANK_PROGRAM FIRST LAST

For each n from FIRST to LAST. The environment says which simulated libraries are used.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import subprocess
import sys
import tempfile
import time

PROGRAM, FIRST, LAST = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
RANKS = 3
LIMIT = 60  # seconds; the ranks' own limit is 20


def kill_at(call, folder):
    victim = call % RANKS
    common = {**os.environ, "RONDO_SIZE": str(RANKS), "RONDO_ADDRESS": f"file:{folder}/meeting-{call}", "RONDO_SECRET": "s"}
    ranks = []
    for rank in range(RANKS):
        fate = {"SIMNCCL_LAST_CALL": str(call)} if rank == victim else {}
        ranks.append(subprocess.Popen([PROGRAM, "cuda"], env={**common, "RONDO_RANK": str(rank), **fate}, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True))
    begin = time.monotonic()
    failures, texts = [], []
    for rank, process in enumerate(ranks):
        try:
            text = process.communicate(timeout=max(1, LIMIT - (time.monotonic() - begin)))[0]
        except subprocess.TimeoutExpired:
            process.kill()
            text = process.communicate()[0] + "\n[hung]"
        texts.append(f"rank {rank} ended with {process.returncode}:\n{text}")
        right = process.returncode == (-9 if rank == victim else 0)
        if not right:
            failures.append(rank)
    again = sum("again " in text for text in texts)
    if failures:
        print(f"rank {victim} was killed in call {call}; wrong: {failures}\n" + "\n".join(texts), flush=True)
    return not failures, again, time.monotonic() - begin


def main():
    wrong, longest, formed = 0, 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        for call in range(FIRST, LAST + 1):
            right, again, seconds = kill_at(call, pathlib.Path(folder))
            wrong += not right
            formed += again == RANKS - 1
            longest = max(longest, seconds)
    print(f"calls {FIRST} to {LAST}: {wrong} wrong, {formed} times a group of those left; at most {longest:.1f} s")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
