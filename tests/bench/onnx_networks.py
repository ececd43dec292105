#!/usr/bin/env python3
"""Networks on the cpu beside onnxruntime: with oneDNN, without it, and without BLAS too, on one processor and on two.

    onnx_networks.py BUILD [--only TEXT,...] [--processors 1,2] [--ways onnxruntime,onednn,blas,own] [--seconds S] [--rounds N] [--busy]

Networks are those of tests/onnx/networks.py, which fetches them. Each way is a process of its own that has so many processors and answers questions: all
ways of a network are there at once, and take turns. In its turn a way rests, runs for S seconds that do not count, and then for S that do. A row has the
median of N turns: milliseconds of a run by the clock and of processors, those of the first run from the opened file on, and what packed weights take.

A turn during which other processes took more than 2 % of a processor is refused and repeated, up to N times more; a row without a turn left says
"refused". The system counts in ticks of 10 ms, of which two are let pass besides. --busy refuses none: its rows are times of processors.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import argparse
import ctypes
import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "onnx"), str(TESTS / "examples")]
import onednn  # noqa: E402
import others  # noqa: E402
import package  # noqa: E402

OTHERS_MOST = 0.02  # of a processor, which other processes may take during a turn
REST = 0.05  # seconds
TICK = 1 / os.sysconf("SC_CLK_TCK")
WAYS = {"onnxruntime": None, "onednn": {"RONDO_ONEDNN": str(onednn.library())}, "blas": {"RONDO_ONEDNN": "none"},
        "own": {"RONDO_ONEDNN": "none", "RONDO_BLAS": "none"}}
# Sizes of a network that has other ones than tests/onnx/networks.py gives it, by the name of the row.
SIZES = {
    "minilm.1x16": ("minilm", {"batch_size": 1, "sequence_length": 16}),
    "minilm.1x128": ("minilm", {"batch_size": 1, "sequence_length": 128}),
    "minilm.8x128": ("minilm", {"batch_size": 8, "sequence_length": 128}),
    "ocr_det": ("ocr_det", {"DynamicDimension.0": 1, "DynamicDimension.1": 320, "DynamicDimension.2": 320}),
    "ocr_rec": ("ocr_rec", {"DynamicDimension.0": 1, "DynamicDimension.1": 320}),
    "orientation": ("orientation", {"DynamicDimension.0": 1}),
}
ROWS = [*SIZES, "nsfw", "silero", "shufflenet", "squeezenet", "resnet50", "inception_v1", "inception_v2", "densenet121", "vgg19"]


class Network:
    """A model's file, its program, and what both are given."""

    def __init__(self, name, folder):
        import networks
        import onnx
        self.name, sizes = SIZES.get(name, (name, {}))
        if self.name in networks.FILES:
            self.path, fixed = networks.file_of(self.name), networks.FILES[self.name][3]
            sizes = networks.FILES[self.name][2] | sizes
            model = onnx.load(self.path)
        else:
            self.path, fixed, model = pathlib.Path(folder, "network.onnx"), {}, networks.drawn(self.name)
            onnx.save(model, self.path)
        self.program, self.sizes, self.fixed = pathlib.Path(folder, "program.safetensors"), sizes, fixed
        self.arrays, self.tensors = networks.inputs_of(model, sizes, fixed, 1)


class Onnxruntime:
    def __init__(self, path, processors, arrays):
        sys.path.insert(1, str(others.RUNTIME.folder()))
        import onnxruntime
        self.runtime, self.path, self.processors, self.arrays = onnxruntime, path, processors, arrays

    def begin(self):
        options = self.runtime.SessionOptions()
        options.log_severity_level, options.intra_op_num_threads = 4, self.processors
        self.session = self.runtime.InferenceSession(self.path, options)

    def run(self):
        return self.session.run(None, self.arrays)

    def packed(self):
        return None


class Program:
    def __init__(self, build, program, tensors):
        from rondo_abi import Device, Rondo
        self.rondo, self.path, self.tensors, self.cpu = Rondo(build), program, tensors, Device(0, 0)

    def begin(self):
        from rondo_abi import FunctionInfo
        rondo, handle, name = self.rondo, ctypes.c_void_p(), ctypes.c_char_p()
        self.instance, self.info = ctypes.c_void_p(), FunctionInfo(ctypes.sizeof(FunctionInfo))
        rondo.check(rondo.core.rondo_program_open(os.fsencode(self.path), ctypes.byref(handle)))
        rondo.check(rondo.core.rondo_program_function(handle, ctypes.c_int64(0), ctypes.byref(name), ctypes.byref(self.info)))
        rondo.check(rondo.core.rondo_program_create_instance(handle, rondo.engine, self.cpu, ctypes.byref(self.instance)))
        given = []
        for dtype, shape, data in self.tensors:
            given.append(ctypes.c_void_p())
            rondo.check(rondo.core.rondo_tensor_from_host(rondo.engine, self.cpu, dtype, len(shape), (ctypes.c_int64 * len(shape))(*shape), data,
                                                          ctypes.byref(given[-1])))
        self.given = (ctypes.c_void_p * max(len(given), 1))(*given)
        self.results = (ctypes.c_void_p * self.info.outputs)()

    def run(self):
        core = self.rondo.core
        self.rondo.check(core.rondo_program_call(self.instance, b"main", len(self.tensors), self.given, self.info.outputs, self.results))
        for each in self.results:
            self.rondo.check(core.rondo_tensor_wait(ctypes.c_void_p(each)))

    def report(self):
        core, graph, length = self.rondo.core, ctypes.c_void_p(), ctypes.c_size_t()
        self.rondo.check(core.rondo_program_graph(self.instance, b"main", ctypes.byref(graph)))
        self.rondo.check(core.rondo_graph_report(graph, None, ctypes.c_size_t(0), ctypes.byref(length)))
        text = ctypes.create_string_buffer(length.value + 1)
        self.rondo.check(core.rondo_graph_report(graph, text, ctypes.c_size_t(len(text)), ctypes.byref(length)))
        core.rondo_graph_destroy(graph)
        return text.value.decode()

    def packed(self):
        found = re.search(r"packed[^\n]*?(\d+) bytes", self.report())
        return int(found.group(1)) if found else 0


def answer(way, build, name, folder, processors):
    """What a way's process does: it says what the first run took, and then of each line, a number of seconds, what a run took in that time."""
    import pickle
    path, program, arrays, tensors = pickle.loads(pathlib.Path(folder, "network").read_bytes())
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:processors])
    subject = Onnxruntime(path, processors, arrays) if way == "onnxruntime" else Program(build, program, tensors)
    begin = time.perf_counter()
    subject.begin()
    subject.run()
    print(json.dumps({"first": 1000 * (time.perf_counter() - begin), "packed": subject.packed()}), flush=True)
    for line in sys.stdin:
        runs, begin, used, before = 0, time.perf_counter(), time.process_time(), all_busy()
        while time.perf_counter() - begin < float(line):
            subject.run()
            runs += 1
        clock, own = time.perf_counter() - begin, time.process_time() - used
        print(json.dumps({"clock": 1000 * clock / runs, "own": 1000 * own / runs, "others": (all_busy() - before - own) / clock,
                          "tick": 2 * TICK / clock}), flush=True)


def all_busy():
    """Seconds that processors of the machine were busy, or taken by others that share it."""
    numbers = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    user, nice, system, _, _, interrupts, soft, stolen = map(int, numbers)
    return TICK * (user + nice + system + interrupts + soft + stolen)


class Way:
    def __init__(self, way, build, name, folder, processors):
        environment = {**os.environ, "RONDO_CUDA_DRIVER": "none", **(WAYS[way] or {})}
        command = [sys.executable, __file__, "--answer", way, str(build), name, str(folder), str(processors)]
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.first = self.read()
        self.turns = []

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the process ended")
        return json.loads(line)

    def run(self, seconds):
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        return self.read()

    def turn(self, seconds, busy):
        time.sleep(REST)
        self.run(seconds)
        turn = self.run(seconds)
        # Seconds that processors were busy are counted in ticks, so a short turn cannot tell 2 %.
        if busy or turn["others"] <= OTHERS_MOST + turn["tick"]:
            self.turns.append(turn)

    def end(self):
        self.process.stdin.close()
        self.process.wait()

    def row(self):
        row = {"first_ms": round(self.first["first"], 1), "packed_bytes": self.first["packed"]}
        if not self.turns:
            return row | {"refused": True}
        return row | {f"{key}_ms": round(statistics.median(each[key] for each in self.turns), 3) for key in ("clock", "own")}


def measure(network, options, processors):
    """Rows of a network by way."""
    ways = {way: Way(way, options.build, network.name, network.program.parent, processors) for way in options.ways}
    try:
        for _ in range(2 * options.rounds):
            for way in ways.values():
                if len(way.turns) < options.rounds:
                    way.turn(options.seconds, options.busy)
    finally:
        for way in ways.values():
            way.end()
    return {name: way.row() for name, way in ways.items()}


def tell(name, processors, rows, busy):
    key, peer = "own_ms" if busy else "clock_ms", rows.get("onnxruntime", {})
    line = f"{name:14}{processors:3}"
    for way, row in rows.items():
        if row.get("refused"):
            line += f" {way}: refused"
            continue
        of_peer = f" ({row[key] / peer[key]:.2f})" if way != "onnxruntime" and key in peer else ""
        packed = f" {row['packed_bytes'] / 2**20:.0f} MiB" if row["packed_bytes"] else ""
        line += f" | {way} {row[key]:.2f}{of_peer}, first {row['first_ms']:.0f}{packed}"
    print(line, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", default="", help="texts of which a row's name has one")
    parser.add_argument("--processors", default="1,2", type=lambda text: [int(each) for each in text.split(",")])
    parser.add_argument("--ways", default=list(WAYS), type=lambda text: text.split(","))
    parser.add_argument("--seconds", default=0.5, type=float)
    parser.add_argument("--rounds", default=3, type=int)
    parser.add_argument("--busy", action="store_true")
    options = parser.parse_args()
    package.use()
    sys.path.insert(1, str(others.RUNTIME.folder()))
    import networks
    import pickle
    from rondo_abi import Rondo
    converter = Rondo(options.build)
    print(f"{datetime.date.today()}, {machine()}, load {os.getloadavg()[0]:.0f}; milliseconds {'of processors' if options.busy else 'by the clock'}, "
          f"medians of {options.rounds} turns of {options.seconds} s; (times onnxruntime's), the first run, packed weights", flush=True)
    for name in ROWS:
        if not any(text in name for text in options.only.split(",")):
            continue
        with tempfile.TemporaryDirectory(dir=networks.fast()) as folder:
            network = Network(name, folder)
            converter.convert(network.path, network.program, network.sizes, fixed=network.fixed)
            pathlib.Path(folder, "network").write_bytes(pickle.dumps((str(network.path), str(network.program), network.arrays, network.tensors)))
            for processors in options.processors:
                tell(name, processors, measure(network, options, processors), options.busy)


def machine():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    found = re.search(r"model name\s*: (.*)", text)
    return f"{found.group(1) if found else 'unknown'}, {os.cpu_count()} processors" + (", AVX-512" if "avx512f" in text else "")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--answer"]:
        package.use()
        answer(*sys.argv[2:6], int(sys.argv[6]))
    else:
        main()
    sys.stdout.flush()
    os._exit(0)
