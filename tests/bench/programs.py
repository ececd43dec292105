#!/usr/bin/env python3
"""Times of a program file: from the start of `rondo run` to its end, and on a cpu of loading beside that of a model file. On a GPU, beside a bare program; what
looking for the first NaN costs, and whether a pack of its kernels and choices is all that a second process needs.

    programs.py RONDO LIBRARY PROGRAM RUNS [DEVICE BARE]

PROGRAM is all-MiniLM-L6-v2, as rondo-convert makes it of ONNX with the dimensions batch_size and sequence_length, or another one with such dimensions; it is called with
numbers of words. Of one with a single dimension, as of images, the pack alone is looked at. BARE is tests/bench/peers/bare, which makes a context, opens the libraries that `rondo run` has opened, and runs one product. Files
are in the system's memory, since each is read before. Build for release: a build of tests/run checks each program that it records.
On a GPU it fails if `rondo run` takes over 250 ms more than the bare program, if looking for NaN takes over 1.5 times as long, or if anything is compiled or tried again.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import ctypes
import datetime
import json
import math
import os
import pathlib
import platform
import re
import resource
import statistics
import struct
import subprocess
import sys
import tempfile
import time

BATCH, PIECES, CALLS = 32, 64, 20  # of the encoder whose numbers are checked, and calls that are timed together
CODES = {"u8": ("U8", "B", 1), "i32": ("I32", "i", 3), "i64": ("I64", "q", 4), "f32": ("F32", "f", 7)}  # dtypes: in a file, in Python, in C


def function_of(program):
    """Names of the dimensions, the first function's name, and its inputs."""
    with open(program, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    text = json.loads(header["__metadata__"]["rondo.program"])
    return [name for name, _, _ in text["dims"]], text["functions"][0]["name"], text["functions"][0]["inputs"]


def words_of(program, *sizes):
    """Inputs at sizes of the dimensions: (name, dtype, shape, numbers). Pixels are all 1."""
    dims, _, inputs = function_of(program)
    at = dict(zip(dims, sizes))
    for name, dtype, shape in inputs:
        shape = [at.get(size, size) for size in shape]
        if len(dims) == 1:
            yield name, dtype, shape, [1] * math.prod(shape)
            continue
        count = sizes[1]
        row = {"lengths": [count], "attention_mask": [1] * count, "token_type_ids": [0] * count}.get(name, [101, *range(2000, 1998 + count), 102])
        yield name, dtype, shape, row * sizes[0]


def write_words(path, program, *sizes):
    header, data = {}, b""
    for name, dtype, shape, numbers in words_of(program, *sizes):
        more = struct.pack(f"<{len(numbers)}{CODES[dtype][1]}", *numbers)
        header[name] = {"dtype": CODES[dtype][0], "shape": shape, "data_offsets": [len(data), len(data) + len(more)]}
        data += more
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def of_processors(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def measured(runs, who, *whats):
    """Milliseconds of the clock and of processors, those of each run in order, for each that is called: by turns, as a machine is not always
    as busy."""
    times = [[] for _ in whats]
    for _ in range(runs + 1):  # the first one reads the files from the disk
        for what, seen in zip(whats, times):
            used, begin = of_processors(who), time.perf_counter()
            what()
            seen.append((time.perf_counter() - begin, of_processors(who) - used))
    return [[sorted(1000 * each for each in column) for column in zip(*seen[1:])] for seen in times]


def tell(what, times):
    print(f"{what:44}" + "".join(f"{number:10.1f}" for column in times for number in (column[0], statistics.median(column))))


def starts(rondo, program, library, runs):
    environment = {**os.environ, "RONDO_CUDA_DRIVER": "none", "LD_PRELOAD": str(library)}
    with tempfile.TemporaryDirectory() as folder:
        words, out = pathlib.Path(folder, "words"), pathlib.Path(folder, "out")
        for count in (16, 128):
            write_words(words, program, 1, count)
            command = [rondo, "run", program, "--inputs", words, "--outputs", out, "--device", "cpu:0"]
            tell(f"rondo run, {count} numbers of words", *measured(runs, resource.RUSAGE_CHILDREN, lambda: subprocess.run(command, env=environment, check=True)))


class Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("index", ctypes.c_int32)]


class CacheInfo(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), *((name, ctypes.c_int64) for name in ("files", "bytes", "limit", "memory_hits", "disk_hits", "without_compiler", "compiled")),
                ("compile_ms", ctypes.c_double), *((name, ctypes.c_int64) for name in ("damaged", "refused", "failed_writes", "evicted", "trials"))]


def caller(library):
    """Calls functions of the library; their failure ends the program."""
    rondo = ctypes.CDLL(str(library))
    rondo.rondo_last_error.restype = ctypes.c_char_p

    def call(function, *arguments):
        if getattr(rondo, function)(*arguments) != 0:
            sys.exit(f"{function}: {rondo.rondo_last_error().decode()}")
    return rondo, call


class Bound:
    """The first function of a program at one choice of sizes, on a device, and inputs for it."""

    def __init__(self, call, program, device, sizes):
        self.call, self.made, self.inputs = call, ctypes.c_void_p(), []
        self.engine, opened, bound = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        call("rondo_engine_create", None, ctypes.byref(self.engine))
        call("rondo_program_open", os.fsencode(program), ctypes.byref(opened))
        call("rondo_program_trust", opened)
        call("rondo_program_bind", opened, len(sizes), (ctypes.c_int64 * len(sizes))(*sizes), ctypes.byref(bound))
        instance = ctypes.c_void_p()
        call("rondo_program_create_instance", bound, self.engine, device, ctypes.byref(instance))
        self.instance, self.name = instance, function_of(program)[1].encode()
        for _, dtype, shape, numbers in words_of(program, *sizes):
            values = struct.pack(f"<{len(numbers)}{CODES[dtype][1]}", *numbers)
            self.inputs.append(ctypes.c_void_p())
            call("rondo_tensor_from_host", self.engine, device, CODES[dtype][2], len(shape), (ctypes.c_int64 * len(shape))(*shape), values,
                 ctypes.byref(self.inputs[-1]))

    def run(self, rondo, times=1):
        for _ in range(times):
            rondo.rondo_tensor_destroy(self.made)
            self.made = ctypes.c_void_p()
            self.call("rondo_program_call", self.instance, self.name, len(self.inputs), (ctypes.c_void_p * len(self.inputs))(*self.inputs), 1, ctypes.byref(self.made))
        self.call("rondo_tensor_wait", self.made)


def counted(library, program, device, sizes):
    """Prints what making and calling it compiles and tries."""
    rondo, call = caller(library)
    Bound(call, program, Device(1, int(device.partition(":")[2])), list(map(int, sizes.split(",")))).run(rondo)
    info = CacheInfo(size=ctypes.sizeof(CacheInfo))
    call("rondo_cache_query", ctypes.byref(info))
    print(json.dumps({name: getattr(info, name) for name in ("compiled", "trials", "disk_hits", "failed_writes")}))


def opened_libraries(command, environment):
    """Of the driver and the toolkit, in the order in which a command opens them."""
    done = subprocess.run(command, env={**environment, "LD_DEBUG": "files"}, stderr=subprocess.PIPE, text=True, errors="replace", check=True)
    found = re.findall(r"calling init: (\S*/lib(?:cuda|nvidia|nv|cu)[^/\s]*)", done.stderr)
    return [path for path in dict.fromkeys(found) if "librondo" not in path]


def started(rondo, library, program, runs, device, bare):
    """A second start of the command, beside the bare program."""
    with tempfile.TemporaryDirectory() as folder:
        words, out = pathlib.Path(folder, "words"), pathlib.Path(folder, "out")
        environment = {**os.environ, "LD_PRELOAD": str(library), "RONDO_CACHE": f"{folder}/kept"}
        write_words(words, program, 1, 16)
        command = [rondo, "run", program, "--inputs", words, "--outputs", out, "--device", device, "--trust"]
        begin = time.perf_counter()
        subprocess.run(command, env=environment, check=True)
        print(f"rondo run on {device}, with no kernels kept: {1000 * (time.perf_counter() - begin):.0f} ms")
        libraries = opened_libraries(command, environment)
        driver = next(path for path in libraries if "/libcuda.so" in path)
        products = next((path for path in libraries if "cublasLt" in path), "none")
        others = [path for path in libraries if path not in (driver, products)]
        print(f"the bare program opens {' '.join(pathlib.Path(path).name for path in libraries)}")
        by_rondo, by_bare = measured(runs, resource.RUSAGE_CHILDREN, lambda: subprocess.run(command, env=environment, check=True),
                                     lambda: subprocess.run([bare, driver, products, *others], check=True))
    tell("rondo run, 16 numbers of words, kernels kept", by_rondo)
    tell("the bare program", by_bare)
    more = statistics.median(by_rondo[0]) - statistics.median(by_bare[0])
    print(f"rondo run takes {more:.0f} ms more than the bare program; 250 are allowed")
    return [] if more <= 250 else ["start"]


def packed(rondo, library, program, device):
    """What a process compiles and tries, without anything kept and with what a pack of the program has."""
    dims = function_of(program)[0]
    sizes = (3, 16)[:len(dims)]
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        def run(cache, *command):
            done = subprocess.run(command, env={**os.environ, "RONDO_CACHE": f"{folder}/{cache}"}, capture_output=True, text=True)
            return done.stdout.strip() if done.returncode == 0 else sys.exit(done.stderr)

        text = ",".join(f"{name}={size}" for name, size in zip(dims, sizes))
        print(run("from", rondo, "cache", "export", f"{folder}/pack", "--program", program, "--sizes", text).replace(folder, "..."))
        print(run("there", rondo, "cache", "import", f"{folder}/pack").replace(folder, "..."))
        for cache in "none", "there":
            said = run(cache, sys.executable, __file__, "--count", library, program, device, ",".join(map(str, sizes)))
            print(f"{pathlib.Path(program).name}, with {'the pack' if cache == 'there' else 'nothing kept'}: {said}")
            found[cache] = json.loads(said)
    good = found["none"]["compiled"] > 0 and found["there"]["compiled"] == 0 and found["there"]["trials"] == 0
    return [] if good else ["pack"]


def looked_at(library, program, runs, device):
    """What looking for the first NaN costs an encoder."""
    at = Device(1, int(device.partition(":")[2]))
    rondo, call = caller(library)
    made = []
    for looks in "off", "on":
        os.environ["RONDO_CHECK_NUMBERS"] = looks  # when an instance is made
        made.append(Bound(call, program, at, (BATCH, PIECES)))
    times = measured(runs, resource.RUSAGE_SELF, lambda: made[0].run(rondo, CALLS), lambda: made[1].run(rondo, CALLS))
    tell(f"{CALLS} calls, {BATCH} x {PIECES}", times[0])
    tell("the same, looking for the first NaN", times[1])
    ratio = statistics.median(times[1][0]) / statistics.median(times[0][0])
    print(f"looking for the first NaN takes {ratio:.2f} of the time; 1.5 is allowed")
    return [] if ratio <= 1.5 else ["numbers"]


def on_gpu(rondo, library, program, runs, device, bare):
    """What is over its limit."""
    wrong = packed(rondo, library, program, device)
    if len(function_of(program)[0]) == 2:
        wrong += started(rondo, library, program, runs, device, bare) + looked_at(library, program, runs, device)
    return wrong


def loads(library, program, runs):
    rondo, call = caller(library)
    content = pathlib.Path(program)
    with content.open("rb") as file:
        names = [name for name in json.loads(file.read(int.from_bytes(file.read(8), "little"))) if name != "__metadata__"]
    cpu, engine = Device(0, 0), ctypes.c_void_p()

    def finish(tensors):
        for each in tensors:
            call("rondo_tensor_wait", each)
        for each in tensors:
            rondo.rondo_tensor_destroy(each)

    def opened(create):
        handle = ctypes.c_void_p()
        call(create, os.fsencode(program), ctypes.byref(handle))
        return handle

    def load_file():
        file, tensors = opened("rondo_model_file_open"), [ctypes.c_void_p() for _ in names]
        for name, tensor in zip(names, tensors):
            call("rondo_model_file_load", file, name.encode(), engine, cpu, ctypes.byref(tensor))
        finish(tensors)
        rondo.rondo_model_file_destroy(file)

    def load_program():
        file, instance, tensors = opened("rondo_program_open"), ctypes.c_void_p(), [ctypes.c_void_p() for _ in names]
        call("rondo_program_create_instance", file, engine, cpu, ctypes.byref(instance))
        for name, tensor in zip(names, tensors):
            call("rondo_program_instance_weight", instance, name.encode(), ctypes.byref(tensor))
        finish(tensors)
        rondo.rondo_program_instance_destroy(instance)
        rondo.rondo_program_destroy(file)
    call("rondo_engine_create", None, ctypes.byref(engine))
    by_file, by_program = measured(runs, resource.RUSAGE_SELF, load_file, load_program)
    tell("loading its tensors as a model file", by_file)
    tell("loading it as a program, with an instance", by_program)
    rondo.rondo_engine_destroy(engine)


def main(rondo, library, program, runs, device="cpu", bare=""):
    model = next((line.partition(":")[2].strip() for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("model name")), platform.machine())
    print(f"{datetime.date.today()}, {model}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.0f}; {pathlib.Path(program).stat().st_size} bytes, {runs} runs; milliseconds")
    print(f"{'':44}{'least':>10}{'median':>10}{'processor':>10}{'median':>10}")
    if device != "cpu":
        return "; ".join(on_gpu(rondo, pathlib.Path(library).resolve(), program, int(runs), device, bare))
    os.environ["RONDO_CUDA_DRIVER"] = "none"
    starts(rondo, program, library, int(runs))
    loads(library, program, int(runs))
    return ""


if __name__ == "__main__":
    if sys.argv[1:2] == ["--count"]:
        counted(*sys.argv[2:])
    elif len(sys.argv) not in (5, 7):
        sys.exit(__doc__)
    elif found := main(*sys.argv[1:]):
        sys.exit(f"over its limit: {found}")
