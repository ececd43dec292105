#!/usr/bin/env python3
"""Converted models on a GPU: real networks and those with drawn weights beside onnxruntime on the cpu, and the backend suite of the package onnx, whose
cases run once with all passes and once as they were recorded, with the same bits.

    on_gpu.py BUILD [--device cuda:0] [--parts networks,sized,suite] [--only TEXT,...] [--processes N] [--seconds S] [--passing FILE] [--json FILE]

Processes take one network or case after the other. One that ends, or takes more than two minutes for one, costs that one alone. When S seconds are over,
nothing new begins, and what was left is counted. Networks may differ from onnxruntime as far as on the cpu (networks.py), or by 1e-4 of the largest
number where that is more. Cases are wrong by the suite's own tolerances. With --passing, a case of that list that does not pass fails the run.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import argparse
import collections
import json
import os
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import others  # noqa: E402
import package  # noqa: E402
from rondo_abi import Rondo  # noqa: E402

BOUND = 1e-4
LIMIT = 120  # seconds of one network or case
START = 120  # until a process has begun
GRACE = 10  # for what has begun when the time is over
UNTIMED = {"RONDO_TRIAL_TOTAL_MS": "0"}  # the first engine that works: what it computes is looked at here, not its time


class Twice(Rondo):
    """Runs each program once more as it was recorded, and looks whether it is graphs of the device in all."""

    def __init__(self, build, device):
        super().__init__(build, device)
        self.again, self.same, self.captured = False, True, True

    def called(self, instance):
        if self.again:
            info = self.graph_info(instance)
            self.captured &= info.captured == info.segments

    def run(self, program, inputs):
        results = super().run(program, inputs)
        if self.again:
            os.environ["RONDO_GRAPH_PASSES"] = "none"
            try:
                self.same &= super().run(program, inputs) == results
            finally:
                del os.environ["RONDO_GRAPH_PASSES"]
        return results


class Work:
    """What a process does: answers "network NAME", "sized NAME" and "case NUMBER"."""

    def __init__(self, build, device):
        sys.path.insert(1, str(others.RUNTIME.folder()))
        self.rondo, self.cases = Twice(build, device), None

    def network(self, name, folder):
        import networks
        sizes, fixed, bound, expected = {}, {}, 2e-5, None
        if name in networks.FILES:
            path, (_, _, sizes, fixed, bound, expected) = networks.file_of(name), networks.FILES[name]
            model = networks.onnx.load(path)
        else:
            path, model, expected = folder / "network.onnx", networks.drawn(name), networks.DRAWN[name]
            networks.onnx.save(model, path)
        worst, apart = networks.compare(self.rondo, folder, path, model, sizes, fixed, expected)
        bound = max(bound, BOUND)
        told = f"differs by {worst:.1e} of the largest, {bound:.0e} allowed; two inputs by {apart:.1e}"
        return ("passed" if worst <= bound and (apart >= 1e-3 or name not in networks.DRAWN) else "wrong"), told

    def sized(self, name, folder):
        import networks
        worst, count = networks.differs_when_sized(self.rondo, folder, name)
        bound = max(networks.SIZED[name][2], BOUND)
        return ("passed" if worst <= bound else "wrong"), f"differs by {worst:.1e} of the largest, {bound:.0e} allowed, at {count} sizes"

    def case(self, number, folder):
        import backend
        if self.cases is None:
            self.cases = list(backend.cases())
        name, model, sets, rtol, atol = self.cases[number]
        self.rondo.again, self.rondo.same, self.rondo.captured = True, True, True
        try:
            outcome, text = backend.run_case(self.rondo, folder, model, sets, rtol, atol)
        finally:
            self.rondo.again = False
        if outcome == "passed" and not self.rondo.same:
            outcome, text = "other bits", "as it was recorded it gives other bits"
        if outcome == "passed" and not self.rondo.captured:
            text = f"not captured {text}".strip()
        return outcome, text, name

    def answer(self):
        for line in sys.stdin:
            kind, what = json.loads(line)
            with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
                try:
                    reply = getattr(self, kind)(what, pathlib.Path(folder))
                except Exception as problem:  # noqa: BLE001: told by the starter
                    reply = "failed", f"{type(problem).__name__}: {problem}"[:600]
            print(json.dumps(reply), flush=True)


class Process:
    """A process that works; it is started again when it has ended."""

    def __init__(self, options):
        self.command, self.process = [sys.executable, __file__, "--work", str(options.build), options.device], None
        self.environment = {**UNTIMED, **os.environ}

    def ask(self, kind, what, seconds):
        limit = LIMIT
        if self.process is None:
            limit += START
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self.environment)
        timer = threading.Timer(min(limit, seconds), self.process.kill)
        timer.start()
        try:
            self.process.stdin.write(json.dumps([kind, what]) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except OSError:
            line = ""
        finally:
            timer.cancel()
        if line:
            return json.loads(line)
        status, self.process = self.process.wait(), None
        return "failed", f"its process ended with status {status}"

    def end(self):
        if self.process:
            self.process.stdin.close()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()


def jobs_of(options):
    import networks
    chosen = {"networks": [("network", each) for each in ["vgg19", *networks.FILES, *(each for each in networks.DRAWN if each != "vgg19")]],
              "sized": [("sized", each) for each in networks.SIZED]}
    found = [(kind, what, what) for part in ("networks", "sized") if part in options.parts for kind, what in chosen[part]]
    if "suite" in options.parts:
        import backend
        found += [("case", number, each[0]) for number, each in enumerate(backend.cases())]
    return [each for each in found if any(text in each[2] for text in options.only)]


def work_off(options, jobs):
    """[(kind, name, outcome, text)], and how many were left when the time was over."""
    waiting, done, end = queue.SimpleQueue(), [], time.monotonic() + options.seconds
    for each in jobs:
        waiting.put(each)

    def serve():
        process = Process(options)
        while time.monotonic() < end:
            try:
                kind, what, name = waiting.get_nowait()
            except queue.Empty:
                break
            begin = time.monotonic()
            outcome, text, *_ = process.ask(kind, what, end + GRACE - begin)
            if outcome == "failed" and time.monotonic() > end + GRACE - 1:
                break  # it was ended, as the time is over
            done.append((kind, name, outcome, text))
            if kind != "case":
                print(f"{kind:8} {name:18} {outcome}: {text} ({time.monotonic() - begin:.0f} s)", flush=True)
        process.end()
    threads = [threading.Thread(target=serve) for _ in range(min(options.processes, len(jobs)))]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return done, len(jobs) - len(done)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--parts", default="networks,sized,suite", type=lambda text: text.split(","))
    parser.add_argument("--only", default=[""], type=lambda text: text.split(","))
    parser.add_argument("--processes", default=max(1, (os.cpu_count() or 2) - 1), type=int)
    parser.add_argument("--seconds", default=3600, type=float)
    parser.add_argument("--passing", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    if not others.RUNTIME.folder().is_dir():
        print("onnxruntime is not there: tests/onnx/others.py fetches it")
        return 1
    begin = time.monotonic()
    jobs = jobs_of(options)
    if not jobs:
        sys.exit(f"nothing of {options.parts} has a name with {options.only}")
    done, left = work_off(options, jobs)
    problems = []
    for what, kinds in (("networks", ("network", "sized")), ("cases", ("case",))):
        rows = [each for each in done if each[0] in kinds]
        counts = collections.Counter(outcome for _, _, outcome, _ in rows)
        uncaptured = sum(text.startswith("not captured") for _, _, outcome, text in rows if outcome == "passed")
        if rows:
            told = ", ".join(f"{counts[each]} {each}" for each in ("passed", "unsupported", "wrong", "other bits", "failed") if counts[each] or each == "passed")
            print(f"{len(rows)} {what}: {told}" + (f"; of those that passed {uncaptured} are not captured in all" if uncaptured else ""))
    excused = set()
    if options.passing:
        import backend
        passing, excused = backend.read_list(options.passing)
        problems += [f"{name} no longer passes: {outcome}: {text}" for kind, name, outcome, text in done
                     if kind == "case" and name in passing and outcome not in ("passed", "wrong", "other bits", "failed")]
    problems += [f"{name}: {outcome}: {text}" for _, name, outcome, text in sorted(done) if outcome in ("wrong", "other bits", "failed") and name not in excused]
    if options.json:
        options.json.write_text(json.dumps({"device": options.device, "left": left, "results": sorted(done)}, indent=0) + "\n")
    print(f"{left} were left; {time.monotonic() - begin:.0f} s")
    print("\n".join(problems))
    return 1 if problems or left else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        package.use()
        Work(*sys.argv[2:4]).answer()
        code = 0
    else:
        code = main()
    sys.stdout.flush()
    os._exit(code)
