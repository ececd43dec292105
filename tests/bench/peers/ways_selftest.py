#!/usr/bin/env python3
"""Ways of a peer are measured one after the other after compiling side by side; one that fails or takes too long says so and ends no other.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import os
import pathlib
import sys
import tempfile
import time
import types
import unittest

sys.dont_write_bytecode = True
import peer
import peer_ways

# A process of in_processes: compiles for SECONDS, and notes in FILE when it was compiled and when it measured.
PROCESS = """
import sys, time
seconds, log = float(sys.argv[1]), sys.argv[2]
def note(what):
    with open(log, "a") as file:
        file.write(what + "\\n")
print("begin", flush=True)
time.sleep(seconds)
note("compiled")
print("ready", seconds, flush=True)
assert sys.stdin.readline() == "go\\n"
note("began")
time.sleep(0.05)
note("ended")
print("time", 12.5, flush=True)
"""


class InProcesses(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.log = os.path.join(self.folder.name, "log")

    def job(self, row, seconds, text=PROCESS):
        return row, "compiled", [sys.executable, "-c", text, str(seconds), self.log]

    def notes(self):
        return pathlib.Path(self.log).read_text().split()

    def test_all_of_a_batch_compile_before_one_is_measured(self):
        told = list(peer_ways.in_processes([self.job("a", 0.3), self.job("b", 0.0), self.job("c", 0.1)], 3, 30))
        self.assertEqual([(row, value, why) for row, _, value, _, why in told], [("a", 12.5, ""), ("b", 12.5, ""), ("c", 12.5, "")])
        self.assertEqual([seconds for *_, seconds, _ in told], [0.3, 0.0, 0.1])
        self.assertEqual(self.notes(), ["compiled"] * 3 + ["began", "ended"] * 3)

    def test_a_second_batch_starts_when_the_first_is_measured(self):
        list(peer_ways.in_processes([self.job("a", 0.0), self.job("b", 0.0)], 1, 30))
        self.assertEqual(self.notes(), ["compiled", "began", "ended"] * 2)

    def test_compiling_too_long_is_said_and_ends_no_other(self):
        told = {row: (value, why) for row, _, value, _, why in peer_ways.in_processes([self.job("slow", 60), self.job("fast", 0)], 2, 1)}
        self.assertEqual(told, {"slow": (None, "compiling took more than 1 s"), "fast": (12.5, "")})

    def test_a_failure_is_said_with_its_last_line(self):
        broken = 'print("begin", flush=True)\nraise RuntimeError("no such kernel")'
        told = {row: (value, why) for row, _, value, _, why in peer_ways.in_processes([self.job("a", 0, broken), self.job("b", 0)], 2, 30)}
        self.assertEqual(told, {"a": (None, "RuntimeError: no such kernel"), "b": (12.5, "")})

    def test_a_failure_while_measuring_is_said(self):
        broken = 'import sys\nprint("begin\\nready 1.0", flush=True)\nsys.stdin.readline()\nsys.exit("capture failed")'
        told = list(peer_ways.in_processes([self.job("a", 0, broken)], 1, 30))
        self.assertEqual(told, [("a", "compiled", None, 1.0, "capture failed")])


class InThisProcess(unittest.TestCase):
    def ways(self, compiles=True):
        """Of a PyTorch whose compiler gives back what it gets."""
        inductor = types.ModuleType("torch._inductor")
        inductor.config = types.SimpleNamespace()
        modules = {"torch": types.ModuleType("torch"), "torch._inductor": inductor}
        before = {name: sys.modules.get(name) for name in modules}
        sys.modules.update(modules)
        self.addCleanup(lambda: [sys.modules.pop(name) if old is None else sys.modules.update({name: old}) for name, old in before.items()])
        torch = types.SimpleNamespace(_dynamo=types.SimpleNamespace(reset=lambda: None), compile=lambda function, **_: function)
        return peer_ways.Ways(torch, "row", types.SimpleNamespace(type="cpu"), compiles)

    def test_each_way_runs_the_calls_and_is_named(self):
        ways, calls = self.ways(), []
        ways.add_function(calls.append, 3, (7,))
        told = ways.measured(lambda run: run() or len(calls))
        self.assertEqual(list(told.times), ["as written", "compiled"])
        self.assertEqual(calls, [7] * 7)  # once to compile
        self.assertGreater(told.seconds["compiled"], 0)

    def test_without_the_compiler_it_is_not_asked(self):
        ways = self.ways(False)
        ways.add_function(lambda: None, 1)
        self.assertEqual(list(ways.measured(lambda run: 1).times), ["as written"])

    def test_a_way_that_fails_is_told_and_the_fastest_of_the_others_counts(self):
        def fails(_):
            raise RuntimeError("no\nbackend")

        ways = self.ways()
        ways.add("a", lambda _: 2)
        ways.add("b", fails)
        ways.add("c", lambda _: 1)
        self.assertEqual(list(ways.measured(lambda call: call * 10.0).lines("torch")), [
            "way torch row 20.0000 0.0 a", "way torch row 10.0000 0.0 c", "left torch row b: no backend", "row torch row 10.0000"])

    def test_compiling_too_long_is_a_failure_of_that_way(self):
        with self.assertRaisesRegex(RuntimeError, "compiling took more than 1 s"), peer_ways.limited(1):
            while True:
                with contextlib.suppress(Exception):  # as a compiler that takes every failure for its own
                    time.sleep(0.01)

    def test_what_is_told_of_a_row_later_is_added(self):
        row = {}
        peer.keep(row, peer_ways.Told("row", {"captured": 20.0}))
        peer.keep(row, peer_ways.Told("row", {}, {}, {"max-autotune": "too long"}))
        peer.keep(row, peer_ways.Told("row", {"compiled": 10.0}, {"compiled": 30.0}))
        self.assertEqual(row, {"median_us": 10.0, "ways": {"captured": 20.0, "compiled": 10.0}, "compile_seconds": {"compiled": 30.0},
                               "left_out": {"max-autotune": "too long"}})


if __name__ == "__main__":
    unittest.main()
