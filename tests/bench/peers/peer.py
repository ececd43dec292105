#!/usr/bin/env python3
"""Measures rows of the benchmark table with PyTorch, CuPy, NumPy and onnxruntime, where this Python has them.

`bench` starts it and reads its lines: `version NAME TEXT`, `absent NAME WHY`, `row NAME ID MICROSECONDS`. With --json it
prints one JSON object instead, for people. A row is measured as bench does it: the same sizes, bursts and medians.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import argparse
import gc
import itertools
import json
import statistics
import sys
import time

ELEMENTS = 1024
BURST = 64
LAUNCHES = 8
STEPS = {"step.small": (64, 64, 64, 10), "step.large": (640, 4096, 2048, 1024)}  # rows, inputs, hidden, outputs


class Sizes:
    def __init__(self, quick, rows):
        self.quick = quick
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
    """Rows of one library; `work` names its calls. Yields (row, microseconds)."""
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
        launch = work.training_step(*sides)
        if launch:
            yield row, median(sizes, lambda: total_us(sizes.steps, launch, False, wait) / sizes.steps)


def measure_networks(sizes, work):
    """Rows of networks.cc and encoders.cc: the same sizes, captured."""
    if not isinstance(work, Torch):
        return
    import peer_encoders
    import peer_networks

    large = work.has_graphs
    for make, cases in ((peer_networks.Network, peer_networks.CASES), (peer_encoders.Encoder, peer_encoders.CASES)):
        for row, case in cases.items():
            if not sizes.wants(row):
                continue
            network = make(work.torch, work.a.device, large, *case)
            launches = 2 if sizes.quick else network.launches
            yield row, median(sizes, lambda: total_us(launches, network.launch, False, work.wait) / launches)
            del network
            gc.collect()
            if large:
                work.torch.cuda.empty_cache()


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
        if sizes.wants(row):
            yield row, median(sizes, lambda: total_us(count, call, False, work.wait) / count)
    if isinstance(work, Torch):
        torch, device = work.torch, work.a.device
        makers = (("backward.", backward), ("attention.", attention), ("lstm.", recurrent), ("gru.", recurrent), ("adamw.", adamw))
        rows = [make(torch, device) for make in dict.fromkeys(make for name, make in makers if sizes.wants_any(name))]
        for row, call, pairs in itertools.chain(*rows, gates(torch, device, sizes.wants), recommenders(torch, device, sizes.wants)):
            if not sizes.wants(row):
                continue
            yield row, median(sizes, lambda: total_us(count, call, False, work.wait) / count / pairs)


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

    def training_step(self, n, inputs, hidden, outputs):
        """The step of train.cc, captured as its article does."""
        torch, nn = self.torch, self.torch.nn
        torch.backends.cuda.matmul.allow_tf32 = True
        model = nn.Sequential(nn.Linear(inputs, hidden), nn.Dropout(0.2), nn.Linear(hidden, outputs), nn.Dropout(0.1)).to(self.a.device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x, target = torch.randn(n, inputs, device=self.a.device), torch.randn(n, outputs, device=self.a.device)

        def step():
            optimizer.zero_grad(set_to_none=True)
            nn.functional.mse_loss(model(x), target).backward()
            optimizer.step()

        side = torch.cuda.Stream()  # backward keeps to the stream of forward, so the first steps run where the capture will
        with torch.cuda.stream(side):
            for _ in range(3):
                step()
        self.wait()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=side):
            step()
        return graph.replay


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

    def training_step(self, *sides):
        return None  # it has no gradients


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
    options = parser.parse_args()
    sizes = Sizes(options.quick, options.rows.split(",") if options.rows else None)
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
            for row, value in rows_of(sizes, work):
                gathered[name].setdefault("rows", {})[row] = value
                if not options.json:
                    print("row", name, row, f"{value:.4f}", flush=True)
        except Exception as error:
            say("absent", name, "after the rows shown: " + " ".join(str(error).split()))
    if options.json:
        json.dump(gathered, sys.stdout, indent=2)
        print()


if __name__ == "__main__":
    main()
