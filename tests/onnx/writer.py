"""Writes ONNX models for tests: as much of protobuf and of ONNX's messages as these need."""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import struct

FLOAT, UINT8, INT8, INT32, INT64, BOOL, FLOAT16, DOUBLE, BFLOAT16 = 1, 2, 3, 6, 7, 9, 10, 11, 16


def varint(number):
    number &= (1 << 64) - 1
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    return bytes([*data, number])


def field(tag, value):
    """A field of a message, by the type of its value: a number, a real number, a text or bytes."""
    if isinstance(value, int):
        return varint(tag << 3) + varint(value)
    if isinstance(value, float):
        return varint(tag << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(tag << 3 | 2) + varint(len(data)) + data


def fields(tag, values):
    return b"".join(field(tag, value) for value in values)


def entry(key, value):
    return field(1, key) + field(2, value)


def tensor(name, dims, values, kind=FLOAT):
    """A tensor with its elements as raw bytes."""
    if kind == BFLOAT16:  # the upper half of f32, rounded
        values = [struct.unpack("<I", struct.pack("<f", each))[0] + 0x8000 >> 16 for each in values]
    code = {FLOAT: "f", UINT8: "B", INT8: "b", INT32: "i", INT64: "q", BOOL: "?", FLOAT16: "e", DOUBLE: "d", BFLOAT16: "H"}[kind]
    return fields(1, dims) + field(2, kind) + field(8, name) + field(9, struct.pack(f"<{len(values)}{code}", *values))


def external_tensor(name, dims, location, offset=None, length=None, kind=FLOAT):
    entries = [entry("location", location)]
    entries += [entry(key, str(value)) for key, value in (("offset", offset), ("length", length)) if value is not None]
    return fields(1, dims) + field(2, kind) + field(8, name) + fields(13, entries) + field(14, 1)


def value(name, dims, kind=FLOAT):
    """An input or output: sizes are numbers, or names."""
    shape = b"".join(field(1, field(1, dim) if isinstance(dim, int) else field(2, dim) if dim else b"") for dim in dims)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def attribute(name, given):
    if isinstance(given, int):
        return field(1, name) + field(3, given) + field(20, 2)
    if isinstance(given, float):
        return field(1, name) + field(2, given) + field(20, 1)
    if isinstance(given, str):
        return field(1, name) + field(4, given) + field(20, 3)
    if isinstance(given, list):
        return field(1, name) + fields(8, given) + field(20, 7)
    if given[0] == "tensor":
        return field(1, name) + field(5, given[1]) + field(20, 4)
    return field(1, name) + field(6, given[1]) + field(20, 5)


def node(kind, inputs, outputs, name="", domain="", **attributes):
    return (fields(1, inputs) + fields(2, outputs) + field(3, name) + field(4, kind) + field(7, domain) +
            fields(5, [attribute(key, given) for key, given in attributes.items()]))


def graph(nodes, inputs, outputs, initializers=()):
    return fields(1, nodes) + field(2, "graph") + fields(5, initializers) + fields(11, inputs) + fields(12, outputs)


def opset(version, domain=""):
    return field(1, domain) + field(2, version)


def model(body, version=17, functions=(), metadata=(), domains=()):
    return (field(1, 8) + field(7, body) + field(8, opset(version)) + fields(8, [opset(1, domain) for domain in domains]) +
            fields(14, [entry(*each) for each in metadata]) + fields(25, functions))


def function(name, domain, inputs, outputs, nodes, version=17, domains=()):
    return (field(1, name) + fields(4, inputs) + fields(5, outputs) + fields(7, nodes) + field(9, opset(version)) +
            fields(9, [opset(1, each) for each in domains]) + field(10, domain))
