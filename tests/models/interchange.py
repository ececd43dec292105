#!/usr/bin/env python3
"""Model files between Rondo and the Python package safetensors: what either writes the other reads, and both write the same bytes.

    interchange.py LIBRONDO

Skipped (77) where the package is not there: tests/models/package.py fetches it.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import ctypes
import math
import pathlib
import random
import sys
import tempfile

sys.dont_write_bytecode = True  # the source folder stays as it is
import package

# Rondo's dtypes in the order of their numbers: how the package spells them in Python and in a file, bytes.
DTYPES = [("bool", "BOOL", 1), ("uint8", "U8", 1), ("int8", "I8", 1), ("int32", "I32", 4), ("int64", "I64", 8), ("float16", "F16", 2),
          ("bfloat16", "BF16", 2), ("float32", "F32", 4), ("float64", "F64", 8), ("int16", "I16", 2), ("uint16", "U16", 2),
          ("uint32", "U32", 4), ("uint64", "U64", 8), ("float8_e4m3fn", "F8_E4M3", 1), ("float8_e5m2", "F8_E5M2", 1)]
NAMES = ["w", "w.1", "layers.0.weight", "\u00fc", "\U0001f600", " ", "", "\"", "\\", "/", "\t\n\r\b\f", "\x01\x1f\x7f", "a" * 300,
         "0", "A", "~", "\u2028", "__metadata", "dtype"]


class Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("index", ctypes.c_int32)]


class Rondo:
    """The few functions that are needed, on the cpu."""

    def __init__(self, library):
        self.functions = ctypes.CDLL(library)
        self.functions.rondo_last_error.restype = ctypes.c_char_p
        self.engine = ctypes.c_void_p()
        self.call("engine_create", None, ctypes.byref(self.engine))

    def call(self, name, *arguments):
        status = getattr(self.functions, "rondo_" + name)(*arguments)
        assert status == 0, self.functions.rondo_last_error().decode()

    def tensor(self, dtype, shape, data):
        made = ctypes.c_void_p()
        self.call("tensor_from_host", self.engine, Device(0, 0), dtype, len(shape), (ctypes.c_int64 * len(shape))(*shape), data,
                  ctypes.byref(made))
        return made

    def write(self, path, tensors, metadata):
        def texts(values):
            return (ctypes.c_char_p * len(values))(*(value.encode() for value in values))
        made = {name: self.tensor(*each) for name, each in tensors.items()}
        self.call("model_file_write", str(path).encode(), texts(list(made)), (ctypes.c_void_p * len(made))(*made.values()),
                  ctypes.c_size_t(len(made)), texts(list(metadata)), texts(list(metadata.values())), ctypes.c_size_t(len(metadata)))
        for each in made.values():
            self.functions.rondo_tensor_destroy(each)

    def read(self, path, tensors):
        """The bytes of these tensors of a file."""
        file, found = ctypes.c_void_p(), {}
        self.call("model_file_open", str(path).encode(), ctypes.byref(file))
        for name, (_, _, data) in tensors.items():
            out, read = ctypes.c_void_p(), ctypes.create_string_buffer(max(len(data), 1))
            self.call("model_file_load", file, name.encode(), self.engine, Device(0, 0), ctypes.byref(out))
            self.call("tensor_read", out, read, ctypes.c_size_t(len(data)))
            found[name] = read.raw[:len(data)]
            self.functions.rondo_tensor_destroy(out)
        self.functions.rondo_model_file_destroy(file)
        return found


def serialized(safetensors, tensors, metadata):
    """The package's file of the same tensors."""
    memory = {name: ctypes.create_string_buffer(data, max(len(data), 1)) for name, (_, _, data) in tensors.items()}
    return safetensors.serialize({
        name: safetensors.TensorSpec(dtype=DTYPES[dtype][0], shape=shape, data_ptr=ctypes.addressof(memory[name]), data_len=len(data))
        for name, (dtype, shape, data) in tensors.items()}, metadata or None)


def some_tensors(choose):
    tensors = {}
    for name in choose.sample(NAMES, choose.randrange(len(NAMES) + 1)):
        dtype = choose.randrange(len(DTYPES))
        shape = [choose.choice([0, 1, 2, 3, 7]) for _ in range(choose.randrange(5))]
        size = math.prod(shape) * DTYPES[dtype][2]
        tensors[name] = (dtype, shape, bytes(choose.randrange(2) for _ in range(size)) if dtype == 0 else choose.randbytes(size))
    return tensors


def main(library):
    safetensors = package.load()
    if not safetensors:
        print("the Python package safetensors is not there: tests/models/package.py fetches it")
        return 77
    rondo, choose = Rondo(library), random.Random(7)
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name, "model.safetensors")
        for _ in range(100):
            tensors = some_tensors(choose)
            key, value = choose.sample(NAMES, 2)
            metadata = choose.choice([{}, {key: value}])  # of several pairs the package's order is random
            rondo.write(path, tensors, metadata)
            ours, theirs = path.read_bytes(), serialized(safetensors, tensors, metadata)
            assert ours == theirs, f"other bytes than the package's:\n{ours}\n{theirs}"
            read = {each: (entry["dtype"], entry["shape"], bytes(entry["data"])) for each, entry in safetensors.deserialize(ours)}
            assert read == {each: (DTYPES[dtype][1], shape, data) for each, (dtype, shape, data) in tensors.items()}, read
            path.write_bytes(theirs)
            assert rondo.read(path, tensors) == {each: data for each, (_, _, data) in tensors.items()}
    print(f"safetensors {safetensors.__version__}: 100 files of the same bytes, read by both")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
