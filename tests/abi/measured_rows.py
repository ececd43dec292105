#!/usr/bin/env python3
"""measured.py tells of each row that is behind a peer, and of each goal that is missed, whatever the goal compares with.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import unittest

import measured


def row(name, goal, met, mine, floor=None, **peers):
    made = {"id": name, "goal": goal, "met": met, "rondo": {"median_us": mine}}
    made.update({peer: {"median_us": time} for peer, time in peers.items()})
    if floor:
        made.update(floor={"median_us": floor}, times_floor=mine / floor)
    if peers:
        made["times_fastest_peer"] = mine / min(peers.values())
    return made


class Missed(unittest.TestCase):
    def told(self, *arguments, **peers):
        return list(measured.missed([row(*arguments, **peers)]))

    def test_a_goal_that_is_met_is_not_told(self):
        self.assertEqual(self.told("a", "<= 1.50 p", True, 14, onnxruntime=10), [])

    def test_a_goal_of_a_peer_that_takes_less_time_is_told(self):
        self.assertEqual(self.told("a", "<= 1.50 p", False, 16, onnxruntime=10), ["a 1.60 (1.50)"])
        self.assertEqual(self.told("a", "<= 1.00 p", False, 12, torch=10), ["a 1.20 (1.00)"])

    def test_a_goal_of_a_peer_that_takes_more_time_is_told(self):
        self.assertEqual(self.told("a", "<= 0.67 p", False, 9, numpy=10), ["a 0.90 (0.67)"])

    def test_of_several_peers_the_one_counts_that_allows_least(self):
        self.assertEqual(self.told("a", "<= 0.67 p", False, 30, numpy=900, torch=20), ["a 1.50 (1.00)"])
        self.assertEqual(self.told("a", "<= 0.67 p", False, 8, numpy=10, torch=9), ["a 0.80 (0.67)"])

    def test_goals_of_the_floor_and_of_the_clock_are_told(self):
        self.assertEqual(self.told("a", "<= 1.10 x", False, 12, 10), ["a 1.20 (1.10)"])
        self.assertEqual(self.told("a", "<= +1.0 us", False, 12, 10), ["a +2.0 us (+1.0 us)"])
        self.assertEqual(self.told("a", "<= 10 us", False, 12), ["a 12 us (10 us)"])


class Ahead(unittest.TestCase):
    def test_peers_that_take_less_time_are_told_the_worst_first(self):
        rows = [row("a", "<= 1.50 p", True, 12, torch=10), row("b", "<= 1.50 p", False, 20, torch=10), row("c", "<= 1.50 p", True, 10.04, torch=10)]
        self.assertEqual(measured.ahead(rows), ["b 2.00", "a 1.20"])


class Ways(unittest.TestCase):
    def test_the_fastest_way_by_the_compiler_counts(self):
        ways = {"captured": {"median_us": 20}, "compiled": {"median_us": 12}, "max-autotune": {"median_us": 11}}
        self.assertEqual(measured.of_ways({"rondo": {"median_us": 10}, "torch": {"median_us": 11, "ways": ways}}), (10, 20, 11))

    def test_a_way_that_was_left_out_does_not_count(self):
        ways = {"captured": {"median_us": 20}, "compiled": {"median_us": 12}, "max-autotune": {"left_out": "compiling took more than 120 s"}}
        self.assertEqual(measured.of_ways({"rondo": {"median_us": 10}, "torch": {"ways": ways}}), (10, 20, 12))

    def test_a_row_without_the_compiler_has_no_such_times(self):
        self.assertIsNone(measured.of_ways(row("a", "<= 1.50 p", True, 14, torch=10)))
        self.assertIsNone(measured.of_ways({"rondo": {"median_us": 10}, "torch": {"ways": {"captured": {"median_us": 20}}}}))


if __name__ == "__main__":
    unittest.main()
