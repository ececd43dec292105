#!/usr/bin/env python3
"""Calls without end of converted networks at many sizes, from thirty threads that end and are replaced: on the cpu of silero-vad and PP-OCR's direction
of a line, on a GPU of MiniLM. Each answer has the bits of the first call with its inputs, which is compared with onnxruntime; in the end there is no more
memory, no file and no thread than after a quarter of the calls.

    calls.py BUILD [CALLS [DEVICE [SECONDS]]]     a million on the cpu without a number; the memory after each twentieth is printed

When so many seconds are over, it ends with the calls so far, and fails if they are fewer than half of CALLS.
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

numpy = networks.numpy
THREADS, CALLS_OF_A_THREAD, RARE = 30, 50, 16  # one of so many calls is of the larger network
ON_CPU = [("silero", [{"input:0": rows, "state:1": rows} for rows in (1, 2, 3, 5, 8, 13, 30)]), ("ocr_cls", [{"x:0": rows} for rows in (1, 2, 3)])]
ON_GPU = [("minilm", [{"batch_size": rows, "sequence_length": words} for rows, words in ((1, 5), (1, 16), (2, 9), (3, 17), (1, 40), (4, 12), (1, 64), (8, 16))])]
ARENAS = 4  # calls of one size on a GPU that may overlap


class CallableOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("limit_bytes", ctypes.c_int64), ("flags", ctypes.c_uint32), ("pad_axis", ctypes.c_int32),
                ("pad_sizes", ctypes.c_int64 * 16), ("pad_inputs", ctypes.c_uint64), ("pad_outputs", ctypes.c_uint64), ("arenas", ctypes.c_int32),
                ("reserved", ctypes.c_int32)]


class InstanceOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("callables", ctypes.POINTER(CallableOptions)), ("n_weights", ctypes.c_size_t), ("weight_names", ctypes.c_void_p),
                ("weights", ctypes.c_void_p), ("most_turns", ctypes.c_int64), ("n_extra", ctypes.c_size_t), ("extra_functions", ctypes.c_void_p),
                ("extra_values", ctypes.c_void_p), ("most_bytes", ctypes.c_int64)]


class MemoryInfo(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t)] + [(name, ctypes.c_int64) for name in (
        "in_use", "cached", "peak_in_use", "limit", "allocations", "system_allocations", "cross_stream_reuses", "retries")]


class Heap(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")]


class Network:
    """An instance that all threads call, and requests with the answers of their first calls."""

    def __init__(self, rondo, folder, name, all_sizes):
        import onnxruntime
        path, (dims, _, bound), (_, _, sizes, fixed, *_) = networks.file_of(name), networks.SIZED[name], networks.FILES[name]
        bound = max(bound, 1e-4) if rondo.device.kind else bound
        self.core, self.name, self.check, self.engine, self.device = rondo.core, name, rondo.check, rondo.engine, rondo.device
        self.handle, self.instance, self.requests = ctypes.c_void_p(), ctypes.c_void_p(), []
        rondo.convert(path, folder / name, {key: size for key, size in sizes.items() if key not in all_sizes[0]}, dims=dims, fixed=fixed)
        self.check(self.core.rondo_program_open(str(folder / name).encode(), ctypes.byref(self.handle)))
        callables = CallableOptions(ctypes.sizeof(CallableOptions), limit_bytes=4 << 30, arenas=ARENAS if rondo.device.kind else 1)
        options = InstanceOptions(ctypes.sizeof(InstanceOptions), ctypes.pointer(callables))
        self.check(self.core.rondo_program_create_instance_with(self.handle, self.engine, self.device, ctypes.byref(options), ctypes.byref(self.instance)))
        session, model = onnxruntime.InferenceSession(path, networks.runtime_options()), networks.onnx.load(path)
        self.outputs = len(model.graph.output)
        for seed in range(2 * len(all_sizes)):
            arrays, tensors = networks.inputs_of(model, sizes | all_sizes[seed % len(all_sizes)], fixed, seed)
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
                self.check(core.rondo_tensor_from_host(self.engine, self.device, dtype, len(shape), (ctypes.c_int64 * len(shape))(*shape), data, ctypes.byref(tensor)))
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
    rondo.check(rondo.core.rondo_memory_trim(rondo.engine, rondo.device))
    rondo.check(rondo.core.rondo_memory_query(rondo.engine, rondo.device, ctypes.byref(info)))
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
                network = networks_[draw.randrange(RARE) == 0 and len(networks_) > 1]
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


def main(build, calls="1000000", device="cpu", seconds="inf"):
    sys.path.insert(1, str(others.RUNTIME.folder()))
    rondo, part, begin, curve = networks.Rondo(build, device), max(int(calls) // 20, THREADS * CALLS_OF_A_THREAD), time.monotonic(), []
    with tempfile.TemporaryDirectory() as folder:
        called = [Network(rondo, pathlib.Path(folder), *each) for each in (ON_GPU if rondo.device.kind else ON_CPU)]
        for i in range(20):
            run(called, part, i * part)
            curve.append(held(rondo))
            print(f"{(i + 1) * part} calls, {time.monotonic() - begin:.0f} s: tensors {curve[-1][0]}, heap {curve[-1][1]}, resident {curve[-1][2]}", flush=True)
            if time.monotonic() - begin > float(seconds):
                print(f"the time is over after {(i + 1) * part} calls", flush=True)
                break
        for each in called:
            each.close()
        assert len(curve) >= 10, "too few calls to tell"
        early, late = curve[4], curve[-1]
        assert late[0] == early[0] and late[3:] == early[3:], (early, late)
        assert late[1] <= early[1] + (512 << 10) and late[2] <= early[2] + (16 << 20), (early, late)
    print(f"{len(curve) * part} calls: all answers right, memory, threads and files as after {5 * part}")
    rondo.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)
