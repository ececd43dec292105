#!/usr/bin/env python3
"""Networks on the cpu beside onnxruntime: with oneDNN, without it, and without BLAS too, on one processor and on two.

    onnx_networks.py BUILD [--only TEXT,...] [--processors 1,2] [--ways onnxruntime,onednn,blas,own] [--seconds S] [--rounds N] [--busy]

Networks are those of tests/onnx/networks.py, which fetches them. Each way is a process of its own that has so many processors and answers questions: all
ways of a network are there at once, and take turns. In its turn a way waits until the processors rest, runs for S seconds that do not count, and then for
S that do. A row has the median of N turns: milliseconds of a run by the clock and of processors, those of the first run from the opened file on, and what
packed weights take.

A turn during which other processes took more than 2 % of a processor is refused and repeated, up to N times more; a row without a turn left says
"refused". The system counts in ticks of 10 ms, of which two are let pass besides. --busy refuses none: its rows are times of processors.

Processors are those that this process may use, and the other threads of their cores: what others do elsewhere is not counted. So several of these may
run at once on a machine of many cores, each under taskset with two cores of its own. Rows named like u8i8 are a product of 128x384 and 384x1536 integers.
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
sys.path.insert(0, str(TESTS / "onnx"))
sys.path.append(str(TESTS / "bench/peers"))
sys.path.append(str(TESTS / "examples"))  # last, as it has an onnx.py of its own
import onednn  # noqa: E402
import onnx_gpu  # noqa: E402
import others  # noqa: E402
import package  # noqa: E402

OTHERS_MOST = 0.02  # of a processor, which other processes may take during a turn
REST, REST_MOST = 0.1, 3.0  # seconds
TICK = 1 / os.sysconf("SC_CLK_TCK")
WAYS = {"onnxruntime": None, "onednn": {"RONDO_ONEDNN": str(onednn.library())}, "blas": {"RONDO_ONEDNN": "none"},
        "own": {"RONDO_ONEDNN": "none", "RONDO_BLAS": "none"}}
MANY = 8  # images of a batch: rows like resnet50.8
# Sizes of a network that has other ones than tests/onnx/networks.py gives it, by the name of the row.
SIZES = {
    "minilm.1x16": ("minilm", {"batch_size": 1, "sequence_length": 16}),
    "minilm.1x128": ("minilm", {"batch_size": 1, "sequence_length": 128}),
    "minilm.8x128": ("minilm", {"batch_size": 8, "sequence_length": 128}),
    "ocr_det": ("ocr_det", {"DynamicDimension.0": 1, "DynamicDimension.1": 320, "DynamicDimension.2": 320}),
    "ocr_rec": ("ocr_rec", {"DynamicDimension.0": 1, "DynamicDimension.1": 320}),
    "orientation": ("orientation", {"DynamicDimension.0": 1}),
}
# Products of integers, by the dtypes of their operands, the second of which is a constant: numbers of ONNX and Rondo.
INTEGERS = {"u8": (2, 1, "uint8"), "i8": (3, 2, "int8")}
PRODUCTS = {f"{one}{other}": (one, other) for one, other in (("u8", "i8"), ("u8", "u8"), ("i8", "i8"))}
ONE = ["smart_turn", *PRODUCTS, "nsfw", "silero", "shufflenet", "squeezenet", "resnet50", "inception_v1", "inception_v2", "densenet121", "vgg19", "ocr_cls",
       "magika", "silero_ifless", "bvlc_alexnet", "zfnet512"]
ROWS = [*SIZES, *ONE, *(f"{name}.{MANY}" for name in onnx_gpu.SIZES if name != "minilm")]


class Network:
    """A model's file, its program, and what both are given."""

    def __init__(self, name, folder):
        import networks
        import onnx
        self.name, sizes = SIZES.get(name, (name.removesuffix(f".{MANY}"), {}))
        many = self.name != name and name not in SIZES
        if many and onnx_gpu.SIZES[self.name]:
            sizes = onnx_gpu.SIZES[self.name][MANY]
        self.program = pathlib.Path(folder, "program.safetensors")
        if name in PRODUCTS:
            self.path, self.sizes, self.fixed = pathlib.Path(folder, "network.onnx"), {}, {}
            model, self.arrays, self.tensors = integer_product(*PRODUCTS[name])
            onnx.save(model, self.path)
            return
        if self.name in networks.FILES:
            self.path, fixed = networks.file_of(self.name), networks.FILES[self.name][3]
            sizes = networks.FILES[self.name][2] | sizes
            model = onnx.load(self.path)
        else:
            self.path, fixed, model = pathlib.Path(folder, "network.onnx"), {}, networks.drawn(self.name)
            if many:
                model = onnx_gpu.with_batch(model, MANY)
            onnx.save(model, self.path)
        self.sizes, self.fixed = sizes, fixed
        self.arrays, self.tensors = networks.inputs_of(model, sizes, fixed, 1)


def integer_product(one, other):
    """A model of MatMulInteger, what it is given, and the same as tensors of Rondo."""
    import numpy
    from onnx import helper, numpy_helper
    draw = numpy.random.default_rng(5)
    values = [draw.integers(numpy.iinfo(kind).min, numpy.iinfo(kind).max + 1, shape).astype(kind)
              for kind, shape in ((INTEGERS[one][2], (128, 384)), (INTEGERS[other][2], (384, 1536)))]
    graph = helper.make_graph([helper.make_node("MatMulInteger", ["a", "b"], ["c"])], "product",
                              [helper.make_tensor_value_info("a", INTEGERS[one][0], (128, 384))], [helper.make_tensor_value_info("c", 6, (128, 1536))],
                              [numpy_helper.from_array(values[1], "b")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return model, {"a": values[0]}, [(INTEGERS[one][1], (128, 384), values[0].tobytes())]


class Onnxruntime:
    def __init__(self, path, processors, arrays):
        sys.path.insert(1, str(others.RUNTIME.folder()))
        import onnxruntime
        self.runtime, self.path, self.processors, self.arrays = onnxruntime, path, processors, arrays

    def begin(self):
        options = self.runtime.SessionOptions()
        options.log_severity_level, options.intra_op_num_threads = 4, self.processors
        self.session = self.runtime.InferenceSession(self.path, options, providers=["CPUExecutionProvider"])

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
    counted = with_siblings(os.sched_getaffinity(0))
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:processors])
    subject = Onnxruntime(path, processors, arrays) if way == "onnxruntime" else Program(build, program, tensors)
    begin = time.perf_counter()
    subject.begin()
    subject.run()
    print(json.dumps({"first": 1000 * (time.perf_counter() - begin), "packed": subject.packed()}), flush=True)
    for line in sys.stdin:
        runs, begin, used, before = 0, time.perf_counter(), time.process_time(), busy_of(counted)
        while runs == 0 or time.perf_counter() - begin < float(line):
            subject.run()
            runs += 1
        clock, own = time.perf_counter() - begin, time.process_time() - used
        print(json.dumps({"clock": 1000 * clock / runs, "own": 1000 * own / runs, "others": (busy_of(counted) - before - own) / clock,
                          "tick": 2 * TICK / clock}), flush=True)


def with_siblings(processors):
    """These processors and the other threads of their cores."""
    found = set(processors)
    for each in processors:
        path = pathlib.Path(f"/sys/devices/system/cpu/cpu{each}/topology/thread_siblings_list")
        for part in path.read_text().strip().split(",") if path.is_file() else []:
            first, _, last = part.partition("-")
            found.update(range(int(first), int(last or first) + 1))
    return found


def busy_of(processors):
    """Seconds that these processors were busy, or taken by others that share the machine."""
    sum = 0
    for line in pathlib.Path("/proc/stat").read_text().splitlines():
        name, *numbers = line.split()
        if name.removeprefix("cpu").isdigit() and int(name[3:]) in processors:
            user, nice, system, _, _, interrupts, soft, stolen = map(int, numbers[:8])
            sum += user + nice + system + interrupts + soft + stolen
    return TICK * sum


def rest(busy):
    """Until the processors do: threads of onnxruntime spin for a while after a run."""
    counted, begin = with_siblings(os.sched_getaffinity(0)), time.perf_counter()
    while time.perf_counter() - begin < REST_MOST:
        before = busy_of(counted)
        time.sleep(REST)
        if busy or busy_of(counted) - before < 2.5 * TICK:
            return


class Way:
    def __init__(self, way, build, name, folder, processors):
        environment = {**os.environ, "RONDO_CUDA_DRIVER": "none", **(WAYS[way] or {})}
        command = [sys.executable, __file__, "--answer", way, str(build), name, str(folder), str(processors)]
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.first = self.read()
        self.turns, self.refused = [], []

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
        rest(busy)
        self.run(seconds)
        turn = self.run(seconds)
        # Seconds that processors were busy are counted in ticks, so a short turn cannot tell 2 %.
        (self.turns if busy or turn["others"] <= OTHERS_MOST + turn["tick"] else self.refused).append(turn)

    def end(self):
        self.process.stdin.close()
        self.process.wait()

    def row(self):
        row = {"first_ms": round(self.first["first"], 1), "packed_bytes": self.first["packed"]}
        if not self.turns:
            return row | {"refused": min(each["others"] for each in self.refused)}
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
        if "refused" in row:
            line += f" | {way} refused: others took {100 * row['refused']:.0f} %"
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
    sets = [name for name, flag in (("AVX-512", "avx512f"), ("VNNI", "avx512_vnni"), ("AMX", "amx_int8")) if flag in text]
    return ", ".join([found.group(1) if found else "unknown", f"{len(os.sched_getaffinity(0))} of {os.cpu_count()} processors", *sets])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--answer"]:
        package.use()
        answer(*sys.argv[2:6], int(sys.argv[6]))
    else:
        main()
    sys.stdout.flush()
    os._exit(0)
