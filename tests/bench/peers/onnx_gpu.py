#!/usr/bin/env python3
"""Converted networks on a GPU beside PyTorch: each launched as one graph, as PyTorch's twin is that was captured, and compiled and captured.

    onnx_gpu.py BUILD [--device cuda:0] [--only TEXT,...] [--types f32,f16] [--ways ...] [--seconds S] [--at-once N] [--turns N] [--json FILE] [--text FILE]

Networks are those of tests/onnx/networks.py. A type of a network is a process of its own, which makes the graphs of its rows ("resnet50 8 f16"), all or
those that have a TEXT. So many processes do that at once, but cuDNN's engines are timed by one at a time, while no other computes. Then processes measure
one after the other: in each turn all ways of a row take so many launches, with one wait, as take 20 ms. A row has the median of the turns in microseconds.
What is not made when two thirds of the S seconds are over, or all but 90 of them, is left out. Of the importer's column, which is of an H100, tests/bench/results/h100-2026-11-28-importer.txt says more.

f16 is the model with its weights, constants and inputs made f16 (tests/onnx/half.py). TF32 is off. Ways: rondo, fewer (with fewer roundings), first and
last (PyTorch captured with channels first and last), compiled.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import argparse
import contextlib
import ctypes
import datetime
import fcntl
import json
import os
import pathlib
import queue
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
BENCH = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(BENCH / "peers"), str(BENCH.parent / "onnx")]
import others  # noqa: E402
import package  # noqa: E402

IMPORTER = BENCH / "results/h100-2026-11-28-importer.txt"
WAYS = ("rondo", "fewer", "first", "last", "compiled")
TURN = 0.02  # seconds of a way in a turn
MEASURED = 90  # seconds that are kept for measuring, or a third of all
WORDS = [(1, 16), (1, 128), (8, 128), (32, 128)]
CLASSIC = ["densenet121", "inception_v2", "inception_v1", "resnet50", "vgg19", "shufflenet", "bvlc_alexnet", "zfnet512", "squeezenet"]
# Sizes of rows by network, f16 too or not; the nine and MiniLM have twins. The slowest to make come first.
SIZES = {
    "densenet121": None, "minilm": {f"{b}x{s}": {"batch_size": b, "sequence_length": s} for b, s in WORDS},
    "inception_v2": None, "inception_v1": None, "resnet50": None, "vgg19": None, "shufflenet": None,
    "ocr_det": {b: {"DynamicDimension.0": b, "DynamicDimension.1": 320, "DynamicDimension.2": 320} for b in (1, 8)},
    "ocr_rec": {b: {"DynamicDimension.0": b, "DynamicDimension.1": 320} for b in (1, 8)},
    "bvlc_alexnet": None, "zfnet512": None, "squeezenet": None,
    "nsfw": {b: {"batch": b} for b in (1, 8)},
    "ocr_cls": {b: {"x:0": b, "x:2": 48, "x:3": 192} for b in (1, 8)},
    "orientation": {b: {"DynamicDimension.0": b} for b in (1, 8)},
    "smart_turn": {b: {"s6": b} for b in (1, 8)},
    "magika": {b: {"unk__214": b} for b in (1, 8)},
    "silero": {b: {"input:0": b, "input:1": 576, "state:1": b} for b in (1, 8)},
    "silero_ifless": {b: {"batch": b, "sequence": 576} for b in (1, 8)},
}
SINGLE = {"magika", "smart_turn", "silero_ifless"}  # f32 alone


def sizes_of(network, dtype, only=("",)):
    """{the row's sizes as a text: sizes of the conversion, or the batch}"""
    return {str(key): value for key, value in (SIZES[network] or {1: 1, 8: 8}).items() if any(text in f"{network} {key} {dtype}" for text in only)}


def with_batch(model, batch):
    """A network of the package onnx, which is for one image, for several."""
    import networks
    shapes = {node.input[1] for node in model.graph.node if node.op_type == "Reshape"}
    weights = {node.input[1] for node in model.graph.node if node.op_type == "Reshape" and node.input[0] in {each.name for each in model.graph.initializer}}
    for each in model.graph.initializer:
        if each.name in shapes - weights:
            numbers = networks.numpy_helper.to_array(each).copy()
            assert numbers[0] == 1, numbers
            numbers[0] = batch
            each.CopyFrom(networks.numpy_helper.from_array(numbers, each.name))
    for each in model.graph.input:
        each.type.tensor_type.shape.dim[0].dim_value = batch
    for each in model.graph.output:
        each.type.tensor_type.ClearField("shape")
    return model


class Call:
    """A program on the device, called with the same tensors each time."""

    def __init__(self, rondo, path, tensors):
        from rondo_abi import FunctionInfo
        core, self.rondo, self.keep = rondo.core, rondo, []
        program, name, self.instance = ctypes.c_void_p(), ctypes.c_char_p(), ctypes.c_void_p()
        info = FunctionInfo(ctypes.sizeof(FunctionInfo))
        rondo.check(core.rondo_program_open(os.fsencode(path), ctypes.byref(program)))
        rondo.check(core.rondo_program_function(program, ctypes.c_int64(0), ctypes.byref(name), ctypes.byref(info)))
        rondo.check(core.rondo_program_create_instance(program, rondo.engine, rondo.device, ctypes.byref(self.instance)))
        given = []
        for dtype, shape, data in tensors:
            given.append(ctypes.c_void_p())
            rondo.check(core.rondo_tensor_from_host(rondo.engine, rondo.device, dtype, len(shape), (ctypes.c_int64 * len(shape))(*shape), data,
                                                    ctypes.byref(given[-1])))
        self.given, self.results = (ctypes.c_void_p * max(len(given), 1))(*given), (ctypes.c_void_p * info.outputs)()
        self.arguments = (self.instance, b"main", len(given), self.given, info.outputs, self.results)
        self.call = core.rondo_program_call
        self()
        self.wait()
        self.info = rondo.graph_info(self.instance)

    def __call__(self):
        self.rondo.check(self.call(*self.arguments))

    def wait(self):
        self.rondo.check(self.rondo.core.rondo_engine_wait_all(self.rondo.engine))

    def outputs(self):
        return [self.rondo.read(each) for each in self.results]


class Unit:
    """A type of a network in this process: the ways of all its rows."""

    def __init__(self, options):
        self.build, self.device, self.network, self.dtype = options["build"], options["device"], options["network"], options["dtype"]
        self.ways, self.lock, self.until = options["ways"], options["lock"], options["until"]
        self.sizes = sizes_of(self.network, self.dtype, options["only"])
        self.rows, self.folder = {}, tempfile.mkdtemp(dir=options["folder"])

    @contextlib.contextmanager
    def alone(self, patience=0.01):
        """While no other process times engines; who has more patience comes later."""
        with open(self.lock, "w") as file:
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if self.left() < 0:
                        raise TimeoutError("other processes timed engines until no time was left") from None
                    time.sleep(patience)
            yield

    def left(self):
        return int(self.until - time.time())

    def model_of(self, sizes):
        import half
        import networks
        if self.network in CLASSIC:
            model = with_batch(self.drawn(), sizes)
        else:
            model = networks.onnx.load(networks.file_of(self.network))
        return half.convert(model) if self.dtype == "f16" else model

    def drawn(self):
        import copy
        import networks
        if not hasattr(self, "kept"):
            self.kept = networks.drawn(self.network)
        return copy.deepcopy(self.kept)

    def prepare_rondo(self):
        import networks
        from rondo_abi import Rondo
        self.rondo, programs = Rondo(self.build, self.device), {}
        for row, sizes in self.sizes.items():
            ways = self.rows[row] = {"ways": {}, "left_out": {}}
            try:
                model, fixed = self.model_of(sizes), networks.FILES[self.network][3] if self.network in networks.FILES else {}
                path = pathlib.Path(self.folder, "model.onnx")
                networks.onnx.save(model, path)
                named = {} if self.network in CLASSIC else {**networks.FILES[self.network][2], **sizes}
                ways["arrays"], ways["tensors"] = networks.inputs_of(model, named, fixed, 1)
                programs[row] = []
                for way in ("rondo", "fewer"):
                    if way in self.ways:
                        program = pathlib.Path(self.folder, f"{way}-{row}.safetensors")
                        self.rondo.convert(path, program, named, fixed=fixed, fewer_roundings=way == "fewer")
                        programs[row].append((way, program))
            except Exception as problem:  # noqa: BLE001: told, and the other rows go on
                ways["left_out"]["rondo"] = f"{type(problem).__name__}: {problem}"[:300]
        self.compile_kernels([str(program) for each in programs.values() for _, program in each])
        for row, made in programs.items():
            for way, program in made:
                self.attempt(row, way, lambda row=row, program=program: self.called(row, program))
                pathlib.Path(program).unlink(missing_ok=True)
        pathlib.Path(self.folder, "model.onnx").unlink(missing_ok=True)

    def called(self, row, program):
        with self.alone():
            call = Call(self.rondo, program, self.rows[row]["tensors"])
        self.rows[row].setdefault("info", {"tasks": call.info.tasks, "nodes": call.info.nodes, "captured": call.info.captured == call.info.segments})
        return call

    def compile_kernels(self, programs):
        """Into the cache by another process, which times no engines, so that this one has the device for itself but shortly."""
        if not self.device.startswith("cpu") and programs:
            with contextlib.suppress(subprocess.TimeoutExpired):
                subprocess.run([sys.executable, __file__, "--compile", str(self.build), self.device, *programs], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**os.environ, "RONDO_TRIAL_TOTAL_MS": "0"}, timeout=max(10, self.left()), check=False)

    def attempt(self, row, way, make):
        """Makes a way of a row, or says why it is left out."""
        try:
            if self.left() < 5:
                raise TimeoutError("no time was left")
            self.rows[row]["ways"][way] = make()
        except Exception as problem:  # noqa: BLE001: told, and the other rows go on
            self.rows[row]["left_out"][way] = f"{type(problem).__name__}: {problem}"[:300]

    def prepare_torch(self):
        import peer_onnx
        import peer_ways
        import torch
        large = not self.device.startswith("cpu")
        torch.backends.cudnn.benchmark, torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32 = True, False, False
        torch.manual_seed(1)
        device, dtype = torch.device(self.device), torch.float16 if self.dtype == "f16" else torch.float32
        self.torch_wait, self.torch_keep = (torch.cuda.synchronize if large else lambda: None), []
        nets = {}
        for row, sizes in self.sizes.items():
            arrays = self.rows[row].get("arrays")
            if arrays is None:
                continue
            if self.network in CLASSIC:
                made = peer_onnx.Twin(with_batch(self.drawn(), sizes))
            else:
                made = nets.get("minilm") or peer_onnx.Sentences()
                nets["minilm"] = made
            net = made.eval().to(device, dtype)
            inputs = [torch.from_numpy(each.copy()).to(device) for each in arrays.values()]
            inputs = [each.to(dtype) if each.is_floating_point() else each for each in inputs]
            for way in ("first", "last"):
                if way in self.ways and not (way == "last" and self.network == "minilm"):
                    net, inputs = self.laid_out(torch, way, net, inputs)
                    self.attempt(row, way, lambda net=net, inputs=inputs: self.captured(torch, net, inputs, large))
            quick = {way: self.microseconds(way, call, 5) for way, call in self.rows[row]["ways"].items() if way in ("first", "last")}
            if len(quick) == 2 and quick["first"] < quick["last"]:
                net, inputs = self.laid_out(torch, "first", net, inputs)
            nets[row] = (net, inputs)
            if self.network in CLASSIC and "first" in quick and "rondo" in self.rows[row]["ways"]:
                self.rows[row]["differs"] = self.differs(torch, row, net, inputs)
        if "compiled" in self.ways:
            from torch._inductor import config
            config.compile_threads = 1
            if large:
                peer_ways.take_turns(f"{self.lock}.compiler")
            for row, (net, inputs) in ((row, each) for row, each in nets.items() if row != "minilm"):
                self.attempt(row, "compiled", lambda row=row, net=net, inputs=inputs: self.compiled(torch, row, net, inputs, large))

    def compiled(self, torch, row, net, inputs, large):
        import peer_ways
        torch._dynamo.reset()
        torch.backends.cudnn.benchmark = False  # other processes compute meanwhile
        begin, made = time.perf_counter(), torch.compile(net, dynamic=False)
        with peer_ways.limited(max(1, self.left())), torch.no_grad():
            made(*inputs)
        self.rows[row]["compile_s"] = round(time.perf_counter() - begin, 1)
        torch.backends.cudnn.benchmark = True
        return self.captured(torch, made, inputs, large)

    @staticmethod
    def laid_out(torch, way, net, inputs):
        """The same with channels first or last; a graph keeps to what it was captured with."""
        order = torch.channels_last if way == "last" else torch.contiguous_format
        return net.to(memory_format=order), [each.contiguous(memory_format=order) if each.dim() == 4 else each for each in inputs]

    def captured(self, torch, net, inputs, large):
        """Launches of it."""
        if not large:
            def run():
                with torch.no_grad():
                    net(*inputs)
            run()
            return run
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with self.alone(0.1), torch.no_grad():
            with torch.cuda.stream(side):
                for _ in range(3):
                    net(*inputs)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=side):
                outputs = net(*inputs)
            graph.replay()
            torch.cuda.synchronize()
        self.torch_keep.append((net, inputs, outputs, [each.data for each in net.parameters()], [each.data for each in net.buffers()]))
        return graph.replay

    def differs(self, torch, row, net, inputs):
        """How far the twin is from Rondo, relative to the largest number; infinity if either has numbers that are not finite."""
        import numpy
        with torch.no_grad():
            answers = [each.float().cpu().numpy() for each in net(*inputs)]
        worst = 0.0
        for (_, shape, data), want in zip(self.rows[row]["ways"]["rondo"].outputs(), answers):
            got = numpy.frombuffer(data, numpy.float16 if self.dtype == "f16" else numpy.float32).reshape(shape).astype(numpy.float64)
            if not (numpy.isfinite(got).all() and numpy.isfinite(want).all()):
                return float("inf")
            worst = max(worst, float(numpy.abs(got - want).max() / max(numpy.abs(want).max(), 1e-30)))
        return worst

    def prepare(self):
        twin = set(self.ways) & {"first", "last", "compiled"} and (self.network in CLASSIC or self.network == "minilm")
        if twin:
            with contextlib.suppress(ImportError):  # told below
                import torch  # noqa: F401: its libraries are Rondo's too
        self.prepare_rondo()
        if twin:
            try:
                self.prepare_torch()
            except Exception as problem:  # noqa: BLE001: Rondo's rows are told without it
                for row in self.rows.values():
                    row["left_out"]["torch"] = f"{type(problem).__name__}: {problem}"[:300]

    def measure(self, turns):
        """Rows: microseconds of each way, the median of the turns."""
        told = {}
        for name, row in self.rows.items():
            times = {way: [] for way in row["ways"]}
            try:
                counts = {way: self.count(way, call) for way, call in row["ways"].items()}
                for _ in range(turns):
                    for way, call in row["ways"].items():
                        times[way].append(self.microseconds(way, call, counts[way]))
            except Exception as problem:  # noqa: BLE001
                row["left_out"]["measure"] = f"{type(problem).__name__}: {problem}"[:300]
            told[name] = {"us": {way: round(statistics.median(each), 2) for way, each in times.items() if each},
                          "least_us": {way: round(min(each), 2) for way, each in times.items() if each},
                          **{key: row[key] for key in ("left_out", "info", "differs", "compile_s") if row.get(key) not in (None, {})}}
        return told

    def count(self, way, call):
        one = self.microseconds(way, call, 3)
        return max(3, min(2000, int(TURN * 1e6 / max(self.microseconds(way, call, max(1, min(100, int(5000 / max(one, 1))))), 0.1))))

    def microseconds(self, way, call, count):
        wait = call.wait if isinstance(call, Call) else self.torch_wait
        begin = time.perf_counter()
        for _ in range(count):
            call()
        wait()
        return (time.perf_counter() - begin) * 1e6 / count


def work(text):
    """What a process does: makes, says that it is ready, and measures when it is told to."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    options = json.loads(text)
    unit = Unit(options)
    begin = time.monotonic()
    unit.prepare()
    print(json.dumps({"prepared_s": round(time.monotonic() - begin, 1)}), file=out, flush=True)
    if sys.stdin.readline():
        print(json.dumps(unit.measure(options["turns"])), file=out, flush=True)


def compile_only(build, device, *programs):
    from rondo_abi import Rondo
    rondo = Rondo(build, device)
    for path in programs:
        program, instance = ctypes.c_void_p(), ctypes.c_void_p()
        rondo.check(rondo.core.rondo_program_open(os.fsencode(path), ctypes.byref(program)))
        rondo.core.rondo_program_create_instance(program, rondo.engine, rondo.device, ctypes.byref(instance))
        rondo.core.rondo_program_instance_destroy(instance)


class Process:
    def __init__(self, name, options):
        self.name = name
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen([sys.executable, __file__, "--work", json.dumps(options)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True)

    def line(self, seconds):
        """What it says, or why it says nothing."""
        timer = threading.Timer(max(1, seconds), self.process.kill)
        timer.start()
        begin = time.monotonic()
        try:
            text = self.process.stdout.readline()
        finally:
            timer.cancel()
        if text:
            return json.loads(text), None
        status = self.process.wait()
        self.errors.seek(0)
        last = [each for each in self.errors.read().decode(errors="replace").splitlines() if each.strip()][-1:]
        return None, f"it took more than {seconds:.0f} s" if time.monotonic() - begin >= seconds else f"its process ended with status {status}: {' '.join(last)[:300]}"

    def go(self):
        with contextlib.suppress(OSError):
            self.process.stdin.write("go\n")
            self.process.stdin.flush()

    def end(self):
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.kill()
        self.process.wait()


def run(options, folder):
    """{(network, type): {sizes: row}} and {(network, type): why not}."""
    begin, found, failed, ready = time.monotonic(), {}, {}, []
    until = begin + max(options.seconds * 2 / 3, options.seconds - MEASURED)
    waiting, places = queue.SimpleQueue(), []
    for network in SIZES:
        for dtype in options.types:
            if sizes_of(network, dtype, options.only) and not (dtype == "f16" and network in SINGLE):
                waiting.put((network, dtype))

    def make():
        while True:
            try:
                unit = waiting.get_nowait()
            except queue.Empty:
                return
            if time.monotonic() > until - 10:
                failed[unit] = "no time was left to make it"
                continue
            process = Process(unit, {"build": str(options.build), "device": options.device, "network": unit[0], "dtype": unit[1], "ways": options.ways, "only": options.only,
                                     "folder": folder, "lock": f"{folder}/lock", "until": time.time() + until - time.monotonic(), "turns": options.turns})
            told, why = process.line(until + 20 - time.monotonic())
            if told is None:
                failed[unit] = why
                process.end()
            else:
                print(f"{' '.join(unit):18} made in {told['prepared_s']:.0f} s, after {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
                ready.append(process)
    places = [threading.Thread(target=make) for _ in range(options.at_once)]
    for each in places:
        each.start()
    for each in places:
        each.join()
    for process in sorted(ready, key=lambda each: (each.name[1] != "f32", list(SIZES).index(each.name[0]))):
        if time.monotonic() < begin + options.seconds - 2:
            process.go()
            told, why = process.line(min(60, begin + options.seconds - time.monotonic()))
        else:
            told, why = None, "no time was left to measure it"
        if told is None:
            failed[process.name] = why
        else:
            found[process.name] = told
        process.end()
    return found, failed


def importer():
    rows = {}
    for line in IMPORTER.read_text().splitlines():
        if not line.startswith("#"):
            network, sizes, dtype, *numbers = line.split()
            rows[network, sizes, dtype] = [None if each == "-" else float(each) for each in numbers]
    return rows


def remarks(row, dtype):
    differs = row.get("differs", 0)
    told = "" if row.get("info", {}).get("captured", True) else " not captured in all"
    if differs == float("inf"):
        return told + " not finite"
    return told + (f" differs by {differs:.0e}" if differs > (0.05 if dtype == "f16" else 1e-3) else "")


def table(found, failed):
    """Lines for people."""
    outside = importer()
    lines = [f"{'network':22}{'type':4} {'tasks/nodes':>11} {'rondo':>8} {'fewer':>8} {'first':>8} {'last':>8} {'compiled':>8} {'to best':>7}   H100's importer (rondo to it)"]
    for network in SIZES:
        for (name, dtype), rows in found.items():
            for sizes, row in rows.items() if name == network else ():
                us, info = row["us"], row.get("info", {})
                torch = [us[way] for way in ("first", "last", "compiled") if way in us]
                ratio = f"{us['rondo'] / min(torch):7.2f}" if torch and "rondo" in us else f"{'':7}"
                known = outside.get((network, sizes, dtype))
                other = f"{known[0]:8.0f} ({us['rondo'] / known[0]:.2f})" if known and "rondo" in us else ""
                numbers = " ".join(f"{us[way]:8.1f}" if way in us else f"{'':8}" for way in WAYS)
                lines.append(f"{network + ' ' + sizes:22}{dtype:4} {info.get('tasks', 0):5}/{info.get('nodes', 0):<5} {numbers} {ratio} {other}{remarks(row, dtype)}")
    return lines + left_out(found, failed)


def left_out(found, failed):
    lines = [f"  {name} {sizes} {dtype} {way}: {why}"[:220] for (name, dtype), rows in found.items() for sizes, row in rows.items()
             for way, why in row.get("left_out", {}).items()]
    return lines + [f"  {' '.join(unit)}: {why}"[:220] for unit, why in sorted(failed.items())]


def short_table(found, types):
    """A line for each network and sizes: of each type Rondo's time, the best of PyTorch's with its way, the ratio, and that to the importer."""
    outside = importer()
    lines = ["of each type: rondo, PyTorch's best (f channels first, l last, c compiled), rondo to it, rondo to the importer on an H100"]
    for network in SIZES:
        for sizes in sizes_of(network, ""):
            line, some = f"{network + ' ' + sizes:16}", False
            for dtype in types:
                row = found.get((network, dtype), {}).get(sizes, {"us": {}})
                us, known = row["us"], outside.get((network, sizes, dtype))
                best = min(((us[way], way[0]) for way in ("first", "last", "compiled") if way in us), default=None)
                some |= "rondo" in us
                line += f" |{us['rondo']:8.1f}" if "rondo" in us else f" |{'':8}"
                line += f"{best[0]:8.1f}{best[1]}" if best else f"{'':9}"
                line += f"{us['rondo'] / best[0]:6.2f}" if best and "rondo" in us else f"{'':6}"
                line += f"{us['rondo'] / known[0]:6.2f}" if known and "rondo" in us else f"{'':6}"
                line += remarks(row, dtype)
            if some:
                lines.append(line)
    return lines


def card(device):
    if device.startswith("cpu"):
        return "a cpu"
    try:
        asked = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader", "-i", device.partition(":")[2] or "0"]
        return subprocess.run(asked, capture_output=True, text=True, timeout=20, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return "a card that nvidia-smi does not name"


def torch_version():
    try:
        from importlib import metadata
        return f"PyTorch {metadata.version('torch')}"
    except metadata.PackageNotFoundError:
        return "without PyTorch, whose columns are not there"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--only", default=[""], type=lambda text: text.split(","), help="texts of which a row's name has one")
    parser.add_argument("--types", default=["f32", "f16"], type=lambda text: text.split(","))
    parser.add_argument("--ways", default=list(WAYS), type=lambda text: text.split(","))
    parser.add_argument("--seconds", default=900, type=float)
    parser.add_argument("--at-once", default=2 * (os.cpu_count() or 1), type=int)
    parser.add_argument("--turns", default=7, type=int)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--text", type=pathlib.Path)
    options = parser.parse_args()
    torch = torch_version()
    if torch.startswith("without"):
        options.ways = [way for way in options.ways if way in ("rondo", "fewer")]
    setting = f"{datetime.date.today()}, {card(options.device)}, {torch}; microseconds of a launch, medians of {options.turns} turns"
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        found, failed = run(options, folder)
    lines, missing = [setting, *table(found, failed)], left_out(found, failed)
    print("\n".join([setting, *short_table(found, options.types), *missing[:10]]), flush=True)
    if len(missing) > 10:
        print(f"  and {len(missing) - 10} more were left out")
    if options.text:
        options.text.write_text("\n".join(lines) + "\n")
    if options.json:
        rows = [{"network": network, "sizes": sizes, "type": dtype, **row} for (network, dtype), each in found.items() for sizes, row in each.items()]
        options.json.write_text(json.dumps({"setting": setting, "rows": rows, "left_out": {" ".join(unit): why for unit, why in failed.items()}}, indent=1) + "\n")
    return 0 if found else 1


if __name__ == "__main__":
    package.use()
    if others.RUNTIME.folder().is_dir():
        sys.path.insert(1, str(others.RUNTIME.folder()))
    code = 0
    if sys.argv[1:2] == ["--work"]:
        work(sys.argv[2])
    elif sys.argv[1:2] == ["--compile"]:
        compile_only(*sys.argv[2:])
    else:
        code = main()
    sys.stdout.flush()
    os._exit(code)
