#!/usr/bin/env python3
"""Writes the files that tests read, with the Python package safetensors: python3 -m pip install safetensors==0.8.0; make.py

They are kept in files/. Byte i of a tensor is (7 i + 3) mod 256, of a bool tensor i mod 2.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import ctypes
import math
import pathlib

import safetensors

# The package's name of each dtype, its bits, whether Rondo has it.
DTYPES = [("bool", 8, True), ("uint8", 8, True), ("int8", 8, True), ("int16", 16, True), ("uint16", 16, True),
          ("float16", 16, True), ("bfloat16", 16, True), ("int32", 32, True), ("uint32", 32, True), ("float32", 32, True),
          ("complex64", 64, False), ("float64", 64, True), ("int64", 64, True), ("uint64", 64, True),
          ("float8_e4m3fn", 8, True), ("float8_e5m2", 8, True), ("float4_e2m1fn_x2", 4, False)]
MEMORY = []
SHAPES = [[], [5], [2, 3, 4], [3, 0]]


def tensor(dtype, bits, shape):
    size = math.prod(shape) * bits // 8
    data = ctypes.create_string_buffer(bytes(i % 2 if dtype == "bool" else (7 * i + 3) % 256 for i in range(size)), max(size, 1))
    MEMORY.append(data)  # the package knows it by its address
    stored = [*shape[:-1], shape[-1] // 2] if bits == 4 else shape  # of two elements in a byte the package counts bytes
    return safetensors.TensorSpec(dtype=dtype, shape=stored, data_ptr=ctypes.addressof(data), data_len=size)


def main():
    folder = pathlib.Path(__file__).resolve().parent / "files"
    every = {f"{dtype} {shape}": tensor(dtype, bits, shape) for dtype, bits, _ in DTYPES for shape in SHAPES
             if bits == 8 or shape and shape[-1] % 2 == 0 or bits > 8}
    every["nine dimensions"] = tensor("float32", 32, [1] * 9)
    (folder / "dtypes.safetensors").write_bytes(safetensors.serialize(every, {"format": "made by tests/models/make.py"}))
    ours = {f"{dtype}.{len(shape)}": tensor(dtype, bits, shape) for dtype, bits, have in DTYPES if have for shape in SHAPES}
    ours["w\u00f6rter \"and\" \\ \n\t\x01\x7f"] = tensor("float32", 32, [2])
    (folder / "rondo.safetensors").write_bytes(safetensors.serialize(ours, {"\u00fcber": "\b\f\r / \U0001f600"}))


if __name__ == "__main__":
    main()
