#!/usr/bin/env python3
"""Calls without end of two converted networks, silero-vad and PP-OCR's direction of a line, at many sizes, from thirty threads that end and are
replaced. Each answer has the bits of the first call with its inputs, which is compared with onnxruntime; in the end there is no more memory,
no file and no thread than after a quarter of the calls.

    calls.py BUILD [CALLS]     a million without a number; the memory after each twentieth is printed
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import ctypes
import os
import pathlib
import random
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import networks  # noqa: E402
import others  # noqa: E402
from rondo_abi import Device  # noqa: E402

numpy = networks.numpy
THREADS, CALLS_OF_A_THREAD, RARE = 30, 50, 16  # one of so many calls is of the larger network
CPU = Device(0, 0)


class MemoryInfo(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t)] + [(name, ctypes.c_int64) for name in (
        "in_use", "cached", "peak_in_use", "limit", "allocations", "system_allocations", "cross_stream_reuses", "retries")]


class Heap(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")]


class Network:
    """An instance that all threads call, and requests with the answers of their first calls."""

    def __init__(self, rondo, folder, name, rows, batch):
        import onnxruntime
        path, (dims, _, bound), (_, _, sizes, fixed, *_) = networks.file_of(name), networks.SIZED[name], networks.FILES[name]
        self.core, self.name, self.check, self.engine = rondo.core, name, rondo.check, rondo.engine
        self.handle, self.instance, self.requests = ctypes.c_void_p(), ctypes.c_void_p(), []
        rondo.convert(path, folder / name, {key: size for key, size in sizes.items() if key not in batch}, dims=dims, fixed=fixed)
        self.check(self.core.rondo_program_open(str(folder / name).encode(), ctypes.byref(self.handle)))
        self.check(self.core.rondo_program_create_instance(self.handle, self.engine, CPU, ctypes.byref(self.instance)))
        session, model = onnxruntime.InferenceSession(path, networks.runtime_options()), networks.onnx.load(path)
        self.outputs = len(model.graph.output)
        for seed in range(2 * len(rows)):
            arrays, tensors = networks.inputs_of(model, sizes | dict.fromkeys(batch, rows[seed % len(rows)]), fixed, seed)
            answer = self.call(tensors, rondo.read)
            for want, (_, shape, data) in zip(session.run(None, arrays), answer):
                got = numpy.frombuffer(data, want.dtype).reshape(shape)
                assert numpy.abs(got - want).max() <= bound * numpy.abs(want).max(), f"{name}: the first answers differ from onnxruntime's"
            self.requests.append((tensors, [data for _, _, data in answer]))
        assert len({tuple(answer) for _, answer in self.requests}) == len(self.requests), f"{name}: answers are alike"

    def call(self, tensors, read):
        core, inputs, results = self.core, (ctypes.c_void_p * len(tensors))(), (ctypes.c_void_p * self.outputs)()
        try:
            for i, (dtype, shape, data) in enumerate(tensors):
                tensor = ctypes.c_void_p()
                self.check(core.rondo_tensor_from_host(self.engine, CPU, dtype, len(shape), (ctypes.c_int64 * len(shape))(*shape), data, ctypes.byref(tensor)))
                inputs[i] = tensor.value
            self.check(core.rondo_program_call(self.instance, b"main", len(tensors), inputs, self.outputs, results))
            return [read(each) for each in results]
        finally:
            for each in [*inputs, *results]:
                core.rondo_tensor_destroy(ctypes.c_void_p(each))

    def close(self):
        self.core.rondo_program_instance_destroy(self.instance)
        self.core.rondo_program_destroy(self.handle)


def held(rondo):
    """What there is when nothing is under way: bytes of tensors, of the heap and of the process; threads and files."""
    heap, info, libc = ctypes.CDLL(None).mallinfo2, MemoryInfo(ctypes.sizeof(MemoryInfo)), ctypes.CDLL(None)
    heap.restype = Heap
    rondo.check(rondo.core.rondo_engine_wait_all(rondo.engine))
    rondo.check(rondo.core.rondo_memory_trim(rondo.engine, CPU))
    rondo.check(rondo.core.rondo_memory_query(rondo.engine, CPU, ctypes.byref(info)))
    libc.malloc_trim(0)
    now, pages = heap(), int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    threads = min((time.sleep(0.05), len(os.listdir("/proc/self/task")))[1] for _ in range(10))  # one that was joined may still be on its way out
    return info.in_use, now.uordblks + now.hblkhd, pages * os.sysconf("SC_PAGESIZE"), threads, len(os.listdir("/proc/self/fd"))


def run(networks_, calls, first):
    """Makes calls, the oldest thread being awaited and replaced; says what went wrong."""
    problems, threads = [], [None] * THREADS

    def work(number):
        try:
            draw = random.Random(number)
            for _ in range(CALLS_OF_A_THREAD):
                network = networks_[draw.randrange(RARE) == 0]
                tensors, want = draw.choice(network.requests)
                sizes = iter(map(len, want))

                def read(tensor):
                    data = ctypes.create_string_buffer(size := next(sizes))
                    network.check(network.core.rondo_tensor_read(ctypes.c_void_p(tensor), data, ctypes.c_size_t(size)))
                    return data.raw
                if network.call(tensors, read) != want:
                    problems.append(f"thread {number}: {network.name} gives another answer for {tensors[0][1]}")
        except Exception as problem:  # noqa: BLE001: told by the caller
            problems.append(f"thread {number}: {type(problem).__name__}: {problem}")
    for number in range(first, first + calls // CALLS_OF_A_THREAD):
        place = number % THREADS
        if threads[place]:
            threads[place].join()
        if problems:
            break
        threads[place] = threading.Thread(target=work, args=(number,))
        threads[place].start()
    for each in filter(None, threads):
        each.join()
    assert not problems, "\n".join(problems[:10])


def main(build, calls="1000000"):
    sys.path.insert(1, str(others.RUNTIME.folder()))
    rondo, part, begin, curve = networks.Rondo(build), max(int(calls) // 20, THREADS * CALLS_OF_A_THREAD), time.monotonic(), []
    with tempfile.TemporaryDirectory() as folder:
        both = [Network(rondo, pathlib.Path(folder), "silero", (1, 2, 3, 5, 8, 13, 30), ("input:0", "state:1")),
                Network(rondo, pathlib.Path(folder), "ocr_cls", (1, 2, 3), ("x:0",))]
        for i in range(20):
            run(both, part, i * part)
            curve.append(held(rondo))
            print(f"{(i + 1) * part} calls, {time.monotonic() - begin:.0f} s: tensors {curve[-1][0]}, heap {curve[-1][1]}, resident {curve[-1][2]}", flush=True)
        for each in both:
            each.close()
        early, late = curve[4], curve[-1]
        assert late[0] == early[0] and late[3:] == early[3:], (early, late)
        assert late[1] <= early[1] + (512 << 10) and late[2] <= early[2] + (16 << 20), (early, late)
    rondo.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)
