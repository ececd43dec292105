#!/usr/bin/env python3
"""Measures rows of the benchmark table with PyTorch, CuPy, NumPy and onnxruntime, where this Python has them.

`bench` starts it and reads its lines: `version NAME TEXT`, `absent NAME WHY`, `row NAME ID MICROSECONDS`, of which the least counts;
of a row that is measured in several ways (peer_ways.py) also `way NAME ID MICROSECONDS SECONDS WAY`, with how long it compiled for, and
`left NAME ID WAY: WHY`. With --json it prints one JSON object instead, for people. A row is measured as bench does it: the same sizes,
bursts and medians.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import argparse
import gc
import itertools
import json
import os
import statistics
import sys
import tempfile
import time

import peer_ways
from peer_ways import Told, Ways, captured

ELEMENTS = 1024
BURST = 64
LAUNCHES = 8
STEPS = {"step.small": (64, 64, 64, 10), "step.large": (640, 4096, 2048, 1024)}  # rows, inputs, hidden, outputs


class Sizes:
    def __init__(self, quick, rows, compiles=False):
        self.quick = quick
        self.compiles = compiles  # whether PyTorch's compiler is measured too
        self.rows = rows  # that are asked for, or None: all
        self.repetitions = 9 if quick else 15
        self.bursts = 8 if quick else 40
        self.trips = 50 if quick else 300
        self.launches = 10 if quick else 40
        self.repeats = 3 if quick else 10
        self.steps = 5 if quick else 50

    def wants(self, row):
        return self.rows is None or row in self.rows

    def wants_any(self, prefix):
        return self.rows is None or any(row.startswith(prefix) for row in self.rows)


clock_ns = time.perf_counter_ns  # or of the processors, as bench was told


def burst_us(bursts, size, submit, wait):
    """Host time of one submit: the median of bursts that each start on an idle device."""
    each = []
    for _ in range(bursts):
        begin = clock_ns()
        for _ in range(size):
            submit()
        each.append((clock_ns() - begin) / 1000 / size)
        wait()
    return statistics.median(each)


def total_us(count, work, wait_each, wait):
    begin = clock_ns()
    for _ in range(count):
        work()
        if wait_each:
            wait()
    wait()
    return (clock_ns() - begin) / 1000


def median(sizes, sample):
    for _ in range(2):
        sample()
    return statistics.median(sample() for _ in range(sizes.repetitions))


def measure(sizes, work):
    """Rows of one library; `work` names its calls. Yields (row, microseconds), or what is Told of a row of several ways. What a
    call or a launch takes the host has one way: of many small kernels a compiler would make one."""
    if hasattr(work, "session"):  # of onnxruntime, layers alone
        return
    wait = work.wait
    yield "add.async", median(sizes, lambda: burst_us(sizes.bursts, BURST, work.add, wait))
    yield "add.new", median(sizes, lambda: burst_us(sizes.bursts, BURST, work.add_new, wait))
    yield "wait.async", median(sizes, lambda: total_us(sizes.trips, work.add, True, wait) / sizes.trips)
    if not work.has_graphs:
        return
    for nodes in (100, 1000, 2000):
        launch = work.capture(nodes, 1)
        yield f"launch.{nodes}", median(sizes, lambda: burst_us(sizes.launches, LAUNCHES, launch, wait))
        yield f"launch.{nodes}.first", median(sizes, lambda: burst_us(sizes.launches, 1, launch, wait))
    for row, chains in (("device.linear", 1), ("device.branches", 8)):
        launch = work.capture(1000, chains)
        yield row, median(sizes, lambda: total_us(sizes.repeats, launch, False, wait) / (sizes.repeats * 1000))
    for nodes in (100, 1000):
        yield f"record.{nodes}", median(sizes, lambda: work.capture_us(nodes))
    for row, sides in STEPS.items():
        if isinstance(work, Torch) and sizes.wants(row):
            yield work.training_step(row, sizes.compiles, *sides).measured(
                lambda launch: median(sizes, lambda: total_us(sizes.steps, launch, False, wait) / sizes.steps))


def cases():
    """{row: (what makes it, its case, ways by the compiler, how many rows compile side by side)} of networks.cc and encoders.cc.
    cuDNN tries its engines while a convolution runs for the first time, so those have the card for themselves."""
    import peer_encoders
    import peer_networks

    both, side_by_side = tuple(peer_ways.MODES), max(1, min(5, (os.cpu_count() or 1) // 3))
    made = {row: (peer_networks.Network, case, both if row.startswith("resnet.") else both[:1], 1) for row, case in peer_networks.CASES.items()}
    made.update({row: (peer_encoders.Encoder, case, both, side_by_side) for row, case in peer_encoders.CASES.items()})
    return made


def network_us(sizes, network, work):
    network.capture()
    launches = 2 if sizes.quick else network.launches
    return median(sizes, lambda: total_us(launches, network.launch, False, work.wait) / launches)


def measure_networks(sizes, work):
    """Rows of networks.cc and encoders.cc: the same sizes, captured, and in processes of their own compiled and captured."""
    if not isinstance(work, Torch):
        return
    large, wanted = work.has_graphs, {row: case for row, case in cases().items() if sizes.wants(row)}
    for row, (make, case, _, _) in wanted.items():
        way = "captured" if large else "as written"
        try:
            network = make(work.torch, work.a.device, large, *case)
            network.first()
            yield Told(row, {way: network_us(sizes, network, work)})
        except Exception as error:
            yield Told(row, {}, {}, {way: error})
        network = None
        gc.collect()
        if large:
            work.torch.cuda.empty_cache()
    if not sizes.compiles:
        return
    with tempfile.NamedTemporaryFile() as turns:
        for way in peer_ways.MODES:
            for at_once in sorted({each[3] for each in wanted.values()}):
                threads = max(1, (os.cpu_count() or 1) // at_once)
                alone = ["--way", way, "--turns", turns.name, "--threads", str(threads), "--device", work.a.device.type, "--index", str(work.a.device.index or 0)]
                jobs = [(row, way, [sys.executable, __file__, "--networks", "--rows", row, *alone, *(["--quick"] if sizes.quick else [])])
                        for row, (_, _, ways, together) in wanted.items() if way in ways and together == at_once]
                for row, _, value, seconds, why in peer_ways.in_processes(jobs, at_once):
                    yield Told(row, {}, {}, {way: why}) if value is None else Told(row, {way: value}, {way: seconds})


def measure_one_way(sizes, kind, index, row, way, turns):
    """What a process of measure_networks does; see peer_ways.in_processes."""
    say = peer_ways.say_to_starter()
    work = Torch(kind, index)
    torch = work.torch
    peer_ways.take_turns(turns)
    make, case, _, _ = cases()[row]
    network = make(torch, work.a.device, work.has_graphs, *case,
                   compiled=lambda function: torch.compile(function, dynamic=False, mode=peer_ways.MODES[way]))
    say("begin")
    begin = time.perf_counter()
    network.first()
    seconds = time.perf_counter() - begin
    gc.collect()
    if work.has_graphs:
        torch.cuda.empty_cache()
    say("ready", f"{seconds:.1f}")
    if sys.stdin.readline():
        say("time", f"{network_us(sizes, network, work):.4f}")


def measure_operators(sizes, work):
    """Rows of operators.cc and of the files beside it: the same sizes."""
    if isinstance(work, CuPy) or hasattr(work, "session"):
        return
    from peer_operators import adamw, attention, backward, operators, recurrent
    from peer_recommender import gates, recommenders

    large = not isinstance(work, NumPy) and work.a.device.type == "cuda"
    side = (4096 if sizes.quick else 16384) if large else 1024 if sizes.quick else 4096
    count = 10 if large else 2
    for row, call in operators(getattr(work, "torch", None), getattr(work, "numpy", None), work.a, side):
        if not sizes.wants(row):
            continue
        if not isinstance(work, Torch):
            yield row, median(sizes, lambda: total_us(count, call, False, work.wait) / count)
            continue
        # One call takes another part of its operand each time, which the compiler would take for constants.
        ways = Ways(work.torch, row, work.a.device, sizes.compiles and not row.startswith("sum.strided."))
        ways.add_function(call, count)
        yield ways.measured(lambda run: median(sizes, lambda: total_us(1, run, False, work.wait) / count))
    if isinstance(work, Torch):
        for make in backward, attention, recurrent, adamw, gates, recommenders:
            for ways, units in make(work.torch, work.a.device, sizes.wants, sizes.compiles):
                yield ways.measured(lambda run: median(sizes, lambda: total_us(count, run, False, work.wait) / count / units))


def measure_layers(sizes, work):
    """Rows of layers.cc."""
    if not hasattr(work, "session"):  # of onnxruntime
        return
    from peer_layers import layers

    times = 2 if sizes.quick else 20
    for row, call in layers(work):
        yield row, median(sizes, lambda: total_us(times, call, False, work.wait) / times)


class Torch:
    def __init__(self, kind, index):
        import torch

        self.torch = torch
        self.version = torch.__version__
        self.has_graphs = kind == "cuda"
        if kind == "cuda":
            if not torch.cuda.is_available():
                raise RuntimeError("it sees no CUDA device")
            torch.cuda.set_device(index)
            self.side = torch.cuda.Stream()
        device = f"cuda:{index}" if kind == "cuda" else "cpu"
        self.a = torch.ones(ELEMENTS, device=device)
        self.b = torch.ones(ELEMENTS, device=device)
        self.c = torch.zeros(ELEMENTS, device=device)
        self.chains = [torch.zeros(ELEMENTS, device=device) for _ in range(8)]
        self.wait = torch.cuda.synchronize if kind == "cuda" else lambda: None

    def add(self):
        self.torch.add(self.a, self.b, out=self.c)

    def add_new(self):
        self.torch.add(self.a, self.b)

    def _capture(self, nodes, chains):
        graph = self.torch.cuda.CUDAGraph()
        begin = clock_ns()
        with self.torch.cuda.stream(self.side):
            graph.capture_begin(capture_error_mode="thread_local")
            for i in range(nodes):
                self.chains[i % chains].add_(self.b)
            graph.capture_end()
        return graph, (clock_ns() - begin) / 1000

    def capture(self, nodes, chains):
        return self._capture(nodes, chains)[0].replay

    def capture_us(self, nodes):
        self.wait()
        return self._capture(nodes, 1)[1]

    def training_step(self, row, compiles, n, inputs, hidden, outputs):
        """The step of train.cc, captured as its article does, and compiled."""
        torch, nn = self.torch, self.torch.nn
        torch.backends.cuda.matmul.allow_tf32 = True
        model = nn.Sequential(nn.Linear(inputs, hidden), nn.Dropout(0.2), nn.Linear(hidden, outputs), nn.Dropout(0.1)).to(self.a.device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x, target = torch.randn(n, inputs, device=self.a.device), torch.randn(n, outputs, device=self.a.device)
        ways = Ways(torch, row, self.a.device, compiles)

        def loss_of(x, target):
            return nn.functional.mse_loss(model(x), target)

        def step(loss_of):
            optimizer.zero_grad(set_to_none=True)
            loss_of(x, target).backward()
            optimizer.step()

        ways.add("captured", lambda stream: captured(torch, lambda: step(loss_of), 1, stream))

        def make(stream):
            made = ways.compiled(loss_of, step)
            return captured(torch, lambda: step(made), 1, stream)

        if compiles:
            ways.add("compiled", make)
        return ways


class CuPy:
    has_graphs = True

    def __init__(self, kind, index):
        if kind != "cuda":
            raise RuntimeError("it has no cpu device")
        import cupy

        self.cupy = cupy
        self.version = cupy.__version__
        if cupy.cuda.runtime.getDeviceCount() <= index:
            raise RuntimeError("it sees no such CUDA device")
        cupy.cuda.Device(index).use()
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.stream.use()
        self.a = cupy.ones(ELEMENTS, dtype=cupy.float32)
        self.b = cupy.ones(ELEMENTS, dtype=cupy.float32)
        self.c = cupy.zeros(ELEMENTS, dtype=cupy.float32)
        self.chains = [cupy.zeros(ELEMENTS, dtype=cupy.float32) for _ in range(8)]
        self.wait = self.stream.synchronize
        self.add()
        cupy.add(self.c, self.b, out=self.c)
        self.wait()  # compiled and loaded before any capture

    def add(self):
        self.cupy.add(self.a, self.b, out=self.c)

    def add_new(self):
        self.cupy.add(self.a, self.b)

    def _capture(self, nodes, chains):
        begin = clock_ns()
        self.stream.begin_capture()
        for i in range(nodes):
            chain = self.chains[i % chains]
            self.cupy.add(chain, self.b, out=chain)
        graph = self.stream.end_capture()
        return graph, (clock_ns() - begin) / 1000

    def capture(self, nodes, chains):
        graph = self._capture(nodes, chains)[0]
        return lambda: graph.launch(self.stream)

    def capture_us(self, nodes):
        self.wait()
        return self._capture(nodes, 1)[1]


class NumPy:
    """One thread, and nothing to wait for."""

    has_graphs = False

    def __init__(self, kind, index):
        if kind != "cpu":
            raise RuntimeError("it has no CUDA device")
        import numpy

        self.numpy = numpy
        self.version = numpy.__version__
        self.a, self.b, self.c = (numpy.ones(ELEMENTS, dtype=numpy.float32) for _ in range(3))

    def wait(self):
        pass

    def add(self):
        self.numpy.add(self.a, self.b, out=self.c)

    def add_new(self):
        self.numpy.add(self.a, self.b)


def keep(row, told):
    """Adds what is told of a row to what was told before."""
    for key, values in ("ways", told.times), ("compile_seconds", told.seconds), ("left_out", told.failed):
        row.setdefault(key, {}).update({name: value for name, value in values.items() if name})
    times = [each for each in (row.get("median_us"), told.fastest()) if each is not None]
    if times:
        row["median_us"] = min(times)


def onnxruntime(kind, index):
    from peer_layers import OnnxRuntime  # which NumPy is needed for

    return OnnxRuntime(kind, index)


def main():
    parser = argparse.ArgumentParser(description="Rows of the benchmark table with PyTorch and CuPy.")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda")
    parser.add_argument("--index", type=int, default=0)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--operators", action="store_true", help="single operators instead of the other rows")
    parser.add_argument("--layers", action="store_true", help="layers on a cpu instead of the other rows")
    parser.add_argument("--networks", action="store_true", help="whole networks instead of the other rows")
    parser.add_argument("--rows", help="only these of operators and networks, with commas between them")
    parser.add_argument("--processor-time", action="store_true", help="time of the processors instead of the clock's")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    parser.add_argument("--compile-seconds", type=int, help="limit of PyTorch's compiler for a row in one way (120 on a GPU; 0, as on a cpu: without it)")
    parser.add_argument("--way", choices=tuple(peer_ways.MODES), help="of one network alone, for the process that waits for it")
    parser.add_argument("--turns", help="with --way, the file whose lock is held while the compiler times what it made")
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch's compiler")
    options = parser.parse_args()
    seconds = options.compile_seconds if options.compile_seconds is not None else peer_ways.COMPILE_SECONDS if options.device == "cuda" else 0
    peer_ways.COMPILE_SECONDS = seconds
    sizes = Sizes(options.quick, options.rows.split(",") if options.rows else None, seconds > 0)
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = str(options.threads)
    if options.way:
        return measure_one_way(sizes, options.device, options.index, options.rows, options.way, options.turns)
    with tempfile.TemporaryDirectory() as kept:  # so that compiling takes what it takes the first time
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = kept
        measure_libraries(options, sizes)


def measure_libraries(options, sizes):
    if options.processor_time:
        global clock_ns
        clock_ns = time.process_time_ns
    gathered = {}

    def say(kind, name, text):
        gathered.setdefault(name, {})[kind] = text
        if not options.json:
            print(kind, name, text, flush=True)

    gc.disable()
    rows_of = measure_networks if options.networks else measure_layers if options.layers else measure_operators if options.operators else measure
    for name, library in (("torch", Torch), ("cupy", CuPy), ("numpy", NumPy), ("onnxruntime", onnxruntime)):
        try:
            work = library(options.device, options.index)
        except Exception as error:  # whatever keeps a peer from working makes it absent, not us fail
            say("absent", name, " ".join(str(error).split()) or type(error).__name__)
            continue
        say("version", name, work.version)
        try:
            for told in rows_of(sizes, work):
                told = told if isinstance(told, Told) else Told(told[0], {"": told[1]})
                keep(gathered[name].setdefault("rows", {}).setdefault(told.row, {}), told)
                for line in told.lines(name):
                    if not options.json:
                        print(line, flush=True)
        except Exception as error:
            say("absent", name, "after the rows shown: " + " ".join(str(error).split()))
    if options.json:
        json.dump(gathered, sys.stdout, indent=2)
        print()


if __name__ == "__main__":
    main()
