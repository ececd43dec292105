#!/usr/bin/env python3
"""Times of a program file on the cpu: from the start of `rondo run` to its end, and of loading beside that of a model file.

    programs.py RONDO LIBRARY PROGRAM RUNS

PROGRAM is all-MiniLM-L6-v2, as rondo-convert makes it of ONNX with the dimensions batch_size and sequence_length; it is called with numbers of words. Files
are in the system's memory, since each is read before. Build for release: a build of tests/run checks each program that it records.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import ctypes
import datetime
import json
import os
import pathlib
import platform
import resource
import statistics
import struct
import subprocess
import sys
import tempfile
import time


def write_words(path, count):
    header, data = {}, b""
    for name, numbers in (("input_ids", [101, *range(2000, 1998 + count), 102]), ("attention_mask", [1] * count), ("token_type_ids", [0] * count)):
        more = struct.pack(f"<{count}q", *numbers)
        header[name] = {"dtype": "I64", "shape": [1, count], "data_offsets": [len(data), len(data) + len(more)]}
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
            write_words(words, count)
            command = [rondo, "run", program, "--inputs", words, "--outputs", out, "--device", "cpu:0"]
            tell(f"rondo run, {count} numbers of words", *measured(runs, resource.RUSAGE_CHILDREN, lambda: subprocess.run(command, env=environment, check=True)))


class Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("index", ctypes.c_int32)]


def loads(library, program, runs):
    rondo = ctypes.CDLL(str(library))
    rondo.rondo_last_error.restype = ctypes.c_char_p
    content = pathlib.Path(program)
    with content.open("rb") as file:
        names = [name for name in json.loads(file.read(int.from_bytes(file.read(8), "little"))) if name != "__metadata__"]
    cpu, engine = Device(0, 0), ctypes.c_void_p()

    def call(function, *arguments):
        if getattr(rondo, function)(*arguments) != 0:
            sys.exit(rondo.rondo_last_error().decode())

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


def main(rondo, library, program, runs):
    model = next((line.partition(":")[2].strip() for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("model name")), platform.machine())
    print(f"{datetime.date.today()}, {model}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.0f}; {pathlib.Path(program).stat().st_size} bytes, {runs} runs; milliseconds")
    print(f"{'':44}{'least':>10}{'median':>10}{'processor':>10}{'median':>10}")
    os.environ["RONDO_CUDA_DRIVER"] = "none"
    starts(rondo, program, library, int(runs))
    loads(library, program, int(runs))


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
