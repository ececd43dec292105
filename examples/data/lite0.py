"""EfficientNet-Lite0 of PyTorch's file as safetensors: batch normalisation folded into each convolution, layers in the order in which the
network asks for them. Read with the standard library: PyTorch is not needed.

    stem, blocks.N.expand (but for N = 0), blocks.N.depthwise, blocks.N.project, head, classes

Each has .weight, [k, c / groups, size, size] or of the classes [classes, features], and .bias. The metadata have the names of the classes,
a line each.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import array
import collections
import io
import itertools
import json
import math
import pickle
import struct
import sys

EPSILON = 1e-3  # of its batch normalisation
BLOCKS = 16
MAGIC = 0x1950A86A20F9469CFC6C  # of PyTorch's files before its version 1.6
ITEM = {"FloatStorage": "f", "LongStorage": "q"}

Lazy = collections.namedtuple("Lazy", "storage offset shape strides")  # a tensor whose elements come later in the file


class Reader(pickle.Unpickler):
    """Of a pickle only what a file of tensors needs: it can make nothing else, and call nothing."""

    def find_class(self, module, name):
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return lambda storage, offset, shape, strides, *rest: Lazy(storage, offset, shape, strides)
        if module == "torch" and name in ITEM:
            return name
        raise pickle.UnpicklingError(f"a file of tensors has no {module}.{name}")

    def persistent_load(self, pid):
        what, kind, key, *rest = pid
        if what != "storage":
            raise pickle.UnpicklingError(f"a file of tensors has no {what}")
        return kind, key


def read(data):
    """{name: (shape, elements)} of PyTorch's file."""
    stream = io.BytesIO(data)
    magic, version, machine, tensors, keys = (Reader(stream).load() for _ in range(5))
    if magic != MAGIC or version != 1001 or not machine["little_endian"]:
        raise pickle.UnpicklingError("no file of tensors as PyTorch wrote them before 1.6")
    kinds = {lazy.storage[1]: lazy.storage[0] for lazy in tensors.values()}
    storages = {}
    for key in keys:
        (count,) = struct.unpack("<q", stream.read(8))
        storages[key] = array.array(ITEM[kinds[key]])
        storages[key].frombytes(stream.read(count * storages[key].itemsize))
        if len(storages[key]) != count:
            raise pickle.UnpicklingError("the file ends within a tensor")
        if sys.byteorder == "big":
            storages[key].byteswap()
    return {name: (tuple(lazy.shape), elements(storages[lazy.storage[1]], lazy)) for name, lazy in tensors.items()}


def elements(storage, lazy):
    """A tensor's elements in row-major order, whatever its strides are."""
    axes = [(size, stride) for size, stride in zip(lazy.shape, lazy.strides) if size != 1]
    *outer, (size, stride) = axes or [(1, 1)]
    made = array.array(storage.typecode)
    for index in itertools.product(*(range(0, size * step, step) for size, step in outer)):
        begin = lazy.offset + sum(index)
        made.extend(storage[begin:begin + (size - 1) * stride + 1:stride])
    return made


def folded(tensors, convolution, norm):
    """(shape, weight, bias) of a convolution that does what both do."""
    shape, weight = tensors[convolution + ".weight"]
    gamma, beta, mean, variance = (tensors[f"{norm}.{part}"][1] for part in ("weight", "bias", "running_mean", "running_var"))
    each = len(weight) // shape[0]
    scaled, bias = array.array("f"), array.array("f")
    for k in range(shape[0]):
        scale = gamma[k] / math.sqrt(variance[k] + EPSILON)
        scaled.extend(scale * value for value in weight[k * each:(k + 1) * each])
        bias.append(beta[k] - mean[k] * scale)
    return shape, scaled, bias


def layers(tensors):
    """(name, shape, weight, bias) of each layer."""
    yield "stem", *folded(tensors, "_conv_stem", "_bn0")
    for n in range(BLOCKS):
        if n > 0:
            yield f"blocks.{n}.expand", *folded(tensors, f"_blocks.{n}._expand_conv", f"_blocks.{n}._bn0")
        yield f"blocks.{n}.depthwise", *folded(tensors, f"_blocks.{n}._depthwise_conv", f"_blocks.{n}._bn1")
        yield f"blocks.{n}.project", *folded(tensors, f"_blocks.{n}._project_conv", f"_blocks.{n}._bn2")
    yield "head", *folded(tensors, "_conv_head", "_bn1")
    shape, weight = tensors["_fc.weight"]
    yield "classes", shape, weight, tensors["_fc.bias"][1]


def write(path, named_layers, metadata):
    """Writes layers, as (name, shape, weight, bias), as safetensors."""
    header, data = {"__metadata__": metadata}, bytearray()
    for name, shape, weight, bias in named_layers:
        for part, size, values in (("weight", shape, weight), ("bias", shape[:1], bias)):
            if sys.byteorder == "big":
                values = values[:]
                values.byteswap()
            begin = len(data)
            data += values.tobytes()
            header[f"{name}.{part}"] = {"dtype": "F32", "shape": list(size), "data_offsets": [begin, len(data)]}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
