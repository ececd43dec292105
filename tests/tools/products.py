#!/usr/bin/env python3
"""Products of f16 on a GPU as the trial of each measures them: in chains of a graph, by turns with a small kernel of Rondo's.

    products.py LIBRARY [DEVICE]

Weights lie contiguous along k. Each row has the microseconds of a product and of the small kernel after it, for each kernel that was tried: cuBLASLt, which
takes another launch where GELU follows, and one launch of Rondo's small, middle and large tiles. "-": its estimate was far from the best one. Results are
compared with products in f64.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import ctypes
import os
import re
import subprocess
import sys
import tempfile

ROWS, WIDTHS, F16, GELU_TANH = (32, 64, 128, 256, 512, 1024, 2048), (64, 128, 256, 384, 768, 1024), 5, 2
TRIED = re.compile(r"rondo_matmul: (\d+) x (\d+) x (\d+): (.*)")
KERNELS = {"cuBLASLt": 0, "cuBLASLt and a kernel that finishes it": 0, "Rondo's small tiles": 1, "Rondo's tiles": 2, "Rondo's large tiles": 3}


class Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("index", ctypes.c_int32)]


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("transpose_a", ctypes.c_int32), ("transpose_b", ctypes.c_int32), ("bias", ctypes.c_void_p),
                ("activation", ctypes.c_int), ("allow_tf32", ctypes.c_int32)]


def problems():
    """(m, k, n, ends with GELU): of layers of those widths."""
    for m in ROWS:
        for width in WIDTHS:
            yield from ((m, width, width, False), (m, width, 3 * width, False), (m, width, 4 * width, True), (m, 4 * width, width, False))


def multiply(library, index):
    """Multiplies all, and says how far the results are from those of f64."""
    import numpy
    rondo, draw, worst = ctypes.CDLL(library), numpy.random.default_rng(1), 0
    rondo.rondo_last_error.restype = ctypes.c_char_p
    rondo.rondo_tensor_destroy.restype = None
    engine, device = ctypes.c_void_p(), Device(1, index)

    def check(status):
        if status:
            sys.exit(rondo.rondo_last_error().decode())

    def tensor(array):
        made = ctypes.c_void_p()
        check(rondo.rondo_tensor_from_host(engine, device, F16, array.ndim, (ctypes.c_int64 * array.ndim)(*array.shape), array.ctypes.data_as(ctypes.c_void_p),
                                           ctypes.byref(made)))
        return made
    check(rondo.rondo_engine_create(None, ctypes.byref(engine)))
    for m, k, n, gelu in problems():
        a, b, bias = (draw.standard_normal(shape).astype(numpy.float16) for shape in ((m, k), (n, k), (n,)))
        given, made = [tensor(each) for each in (a, b, bias)], ctypes.c_void_p()
        options = Options(ctypes.sizeof(Options), 0, 1, given[2].value, GELU_TANH if gelu else 0, 0)
        check(rondo.rondo_matmul(given[0], given[1], ctypes.byref(options), ctypes.byref(made)))
        found = numpy.empty((m, n), numpy.float16)
        check(rondo.rondo_tensor_read(made, found.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(found.nbytes)))
        if m <= 128:
            wanted = a.astype(numpy.float64) @ b.T.astype(numpy.float64) + bias
            if gelu:
                wanted /= 1 + numpy.exp(-numpy.sqrt(8 / numpy.pi) * (wanted + 0.044715 * wanted**3))
            worst = max(worst, float(numpy.abs(found - wanted).max() / numpy.abs(wanted).max()))
        for each in (*given, made):
            rondo.rondo_tensor_destroy(each)
    print(f"no result of up to 128 rows is further from that of f64 than {worst:.1e} of the largest one")
    sys.stdout.flush()
    os._exit(0)


def row_of(line):
    m, n, k, tried = TRIED.search(line).groups()
    tried = tried.replace(" us in a chain", "").replace(", ", " ", 1).split(", ")
    times = ["-"] * 4
    for each in tried:
        name, _, time = each.rpartition(" ")
        if name in KERNELS:
            times[KERNELS[name]] = time
    return [m, k, n, *times, tried[0].rpartition(" ")[2]]


def main(library, device="cuda:0"):
    index = device.rpartition(":")[2]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "RONDO_LOG": "debug", "RONDO_CACHE": folder, "RONDO_TRIAL_TOTAL_MS": "600000"}
        done = subprocess.run([sys.executable, __file__, "--multiply", library, index], env=environment, capture_output=True, text=True)
    if done.returncode:
        return done.stderr
    print(" ".join(f"{word:>7}" for word in ("m", "k", "n", "library", "small", "middle", "large", "chosen")))
    for line in done.stderr.splitlines():
        if TRIED.search(line):
            print(" ".join(f"{word:>7}" for word in row_of(line)))
    print(done.stdout, end="")
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--multiply"]:
        multiply(sys.argv[2], int(sys.argv[3]))
    elif len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
