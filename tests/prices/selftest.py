#!/usr/bin/env python3
"""Tests of what tests/run decides and adds up: cells of plan.py, processor time of tests (measure.sh, cases.py), budgets (prices.py)."""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import cases
import plan
import prices


class Cells(unittest.TestCase):
    def test_each_of_the_plan_is_one(self):
        for flavour, pattern, row in plan.rows():
            for scope, cell in row.items():
                self.assertIsNotNone(plan.cells(cell), f"{flavour} {pattern} {scope}: {cell}")

    def test_forms(self):
        self.assertEqual(plan.cells("-")[1], 0)
        self.assertGreater(plan.cells("all")[1], 10000)
        self.assertEqual(plan.cells("3"), (0, 3, 1))
        self.assertEqual(plan.cells("2/5"), (0, 2, 5))
        self.assertEqual(plan.cells("12+3"), (12, 3, 1))
        for wrong in ("", "half", "1shared", "1/2/3", "3+", "+3", "-1"):
            self.assertIsNone(plan.cells(wrong), wrong)

    def chosen(self, cell, names, turn="a"):
        tests = [{"name": name, "suite": ["rondo:some"], "depends": []} for name in names]
        before = plan.information, plan.PLAN, plan.of_changed_files
        plan.information = lambda build, what: tests
        plan.PLAN = f"normal some/* {cell} {cell} all"
        plan.of_changed_files = lambda names: {name for name in names if "changed" in name}
        try:
            return plan.chosen("", "normal", "ci", turn)
        finally:
            plan.information, plan.PLAN, plan.of_changed_files = before

    def test_number_is_of_each_series(self):
        names = [f"{series}_{seed}" for series in "abcd" for seed in range(1, 21)]
        self.assertEqual(sorted(name[0] for name in self.chosen("2", names)), list("aabbccdd"))
        self.assertEqual(len(self.chosen("2/4", names)), 2)
        self.assertEqual(self.chosen("all", names), set(names))
        self.assertEqual(self.chosen("-", names), set())

    def test_turn_decides(self):
        names = [f"a_{seed}" for seed in range(1, 21)]
        self.assertEqual(self.chosen("3", names, "x"), self.chosen("3", names, "x"))
        self.assertGreater(len({frozenset(self.chosen("3", names, str(turn))) for turn in range(9)}), 1)

    def test_changed_come_first_and_have_a_cap(self):
        few = ["changed_a", "changed_b", *(f"other_{name}" for name in "abcdefgh")]
        self.assertLessEqual({"changed_a", "changed_b"}, self.chosen("4+3", few))
        self.assertEqual(len(self.chosen("4+3", few)), 5)
        many = [f"changed_{name}" for name in "abcdefghijkl"]
        self.assertEqual(len(self.chosen("4+0", many)), 4)


class ProcessorTime(unittest.TestCase):
    def run_measured(self, command):
        run = subprocess.run([HERE / "measure.sh", "sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        record = {"stdout": run.stdout}
        return run.returncode, cases.take_processor_time(record), record["stdout"]

    def test_is_told_and_taken_out_of_the_output(self):
        code, spent, output = self.run_measured("i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; echo missing; exit 77")
        self.assertEqual((code, output.strip()), (77, "missing"))
        self.assertGreater(spent, 0.01)

    def test_death_by_a_signal_is_a_failure(self):
        self.assertEqual(self.run_measured("kill -SEGV $$")[0], 128 + 11)

    def test_of_an_ended_test_is_nothing(self):
        self.assertEqual(cases.take_processor_time({"stdout": "text"}), 0)


class Prices(unittest.TestCase):
    TIMES = [("normal", "build", 6000), ("normal", "tests", 9000), ("thread", "build ahead", 1000), ("thread", "build", 200)]
    SUITES = [("normal", "unit", 400), ("normal", "unit", 500), ("thread", "stress", 300)]

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.table = pathlib.Path(self.folder.name) / "prices.txt"
        self.table.write_text("# head\n")
        self.addCleanup(self.folder.cleanup)
        self.now = prices.prices(self.TIMES, self.SUITES, [290, 310])

    def test_are_in_references_by_build_and_part(self):
        expected = {("normal", "build"): 20, ("thread", "build"): 4, ("normal", "unit"): 3, ("thread", "stress"): 1}
        self.assertEqual({key: round(price, 6) for key, price in self.now.items()}, expected)

    def test_a_run_without_kept_prices_passes_and_says_so(self):
        self.assertEqual(prices.judge(self.table, "ci/thread", self.now)[0], True)
        self.assertIn("--prices", prices.judge(self.table, "ci/thread", self.now)[1])

    def test_a_dearer_run_fails_and_names_what_grew(self):
        prices.renew(self.table, "ci/thread", self.now)
        self.assertTrue(prices.judge(self.table, "ci/thread", self.now)[0])
        kept, words = prices.judge(self.table, "ci/thread", self.now | {("normal", "unit"): 12})
        self.assertFalse(kept)
        self.assertIn("grown most: unit (normal) 3.0 to 12.0", words)

    def test_renewing_leaves_other_runs(self):
        prices.renew(self.table, "run", {("normal", "build"): 7})
        prices.renew(self.table, "ci/thread", self.now)
        prices.renew(self.table, "ci/thread", self.now)
        self.assertEqual(prices.kept(self.table, "run"), {("normal", "build"): 7})
        self.assertEqual(len(self.table.read_text().splitlines()), 1 + 1 + 4)

    def test_kinds_of_runs(self):
        self.assertEqual(prices.kind("run", ["normal"]), "run")
        self.assertEqual(prices.kind("ci", ["normal", "address,undefined"]), "ci/address,undefined")


if __name__ == "__main__":
    unittest.main()
