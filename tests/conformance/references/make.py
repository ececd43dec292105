#!/usr/bin/env python3
"""Writes results.json: what PyTorch and NumPy compute for the operators that they and Rondo have, gradients too.

    python3 -m venv env && env/bin/pip install torch==2.11.0 numpy==2.5.2 && env/bin/python make.py

tests/conformance/layers/references.cc runs the same cases, which it knows by name. A case here has its inputs, in f32, and for
PyTorch the gradient of each with respect to the sum of weights * result.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import pathlib

import numpy as np
import torch
import torch.nn.functional as F

torch.set_num_threads(1)


def values(seed, *shape, low=-2.0, high=2.0):
    return np.random.default_rng(seed).uniform(low, high, shape).astype(np.float32)


IMAGE, LINE, OTHER = values(1, 2, 4, 3, 5), values(2, 4, low=0.5), values(3, 4)
WIDE = values(4, 1, 2, 7, 6)
TABLE = values(5, 3, 5)


def batch(x, w, b):
    return F.batch_norm(x, None, None, w, b, training=True, eps=1e-3)


def given(x, m, v, w, b):
    """PyTorch's own has no gradients of mean and variance, so its result is compared here."""
    m, v, w, b = (each.view(1, -1, 1, 1) for each in (m, v, w, b))
    result = (x - m) / torch.sqrt(v + 1e-3) * w + b
    flat = [each.detach().flatten() for each in (m, v, w, b)]
    assert torch.allclose(result, F.batch_norm(x, *flat, training=False, eps=1e-3))
    return result


STEPS, LENGTHS = 4, [4, 1, 3]


def recurrent(kind, **options):
    """All results one behind the other, of sequences with lengths; inputs: x, first states, weights."""
    module = kind(3, 2, **options).double()
    names, parameters = zip(*module.named_parameters())
    cells = kind is torch.nn.LSTM

    def function(x, *rest):
        first, weights = rest[:1 + cells], rest[1 + cells:]
        how = {"batch_first": module.batch_first}
        packed = torch.nn.utils.rnn.pack_padded_sequence(x, torch.tensor(LENGTHS), enforce_sorted=False, **how)
        out, last = torch.func.functional_call(module, dict(zip(names, weights)), (packed, first if cells else first[0]))
        out, _ = torch.nn.utils.rnn.pad_packed_sequence(out, total_length=STEPS, **how)
        return torch.cat([each.flatten() for each in (out, *(last if cells else [last]))])

    lines = module.num_layers * (2 if module.bidirectional else 1)
    x = values(20, len(LENGTHS), STEPS, 3) if module.batch_first else values(20, STEPS, len(LENGTHS), 3)
    states = [values(21 + i, lines, len(LENGTHS), 2, low=-1.0, high=1.0) for i in range(1 + cells)]
    weights = [values(30 + i, *each.shape, low=-1.0, high=1.0) for i, each in enumerate(parameters)]
    return function, [x, *states, *weights]


# name: (function, inputs)
TORCH = {
    "batch_norm_training": (batch, [IMAGE, LINE, OTHER]),
    "batch_norm": (given, [IMAGE, OTHER, LINE, LINE, OTHER]),
    "group_norm": (lambda x, w, b: F.group_norm(x, 2, w, b, eps=1e-3), [IMAGE, LINE, OTHER]),
    "instance_norm": (lambda x, w, b: F.instance_norm(x, weight=w, bias=b, eps=1e-3), [IMAGE, LINE, OTHER]),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, [5], w, b, eps=1e-3), [TABLE, values(6, 5), values(7, 5)]),
    "rms_norm": (lambda x, w: F.rms_norm(x, [5], w, eps=1e-3), [TABLE, values(6, 5)]),
    "local_response_norm": (lambda x: F.local_response_norm(x, 3, 0.5, 0.75, 2.0), [IMAGE]),
    "max_pool": (lambda x: F.max_pool2d(x, (3, 2), (2, 1), (1, 0), (1, 2)), [WIDE]),
    "max_pool_ceil": (lambda x: F.max_pool2d(x, 2, 2, 0, 1, True), [WIDE]),
    "avg_pool": (lambda x: F.avg_pool2d(x, (3, 2), (2, 2), (1, 1)), [WIDE]),
    "avg_pool_exclude": (lambda x: F.avg_pool2d(x, 3, 2, 1, True, False), [WIDE]),
    "adaptive_avg_pool": (lambda x: F.adaptive_avg_pool2d(x, (3, 4)), [WIDE]),
    "adaptive_max_pool": (lambda x: F.adaptive_max_pool2d(x, (3, 4)), [WIDE]),
    "resize_nearest": (lambda x: F.interpolate(x, (5, 9), mode="nearest"), [WIDE]),
    "resize_nearest_exact": (lambda x: F.interpolate(x, (5, 9), mode="nearest-exact"), [WIDE]),
    "resize_linear": (lambda x: F.interpolate(x, (5, 9), mode="bilinear", align_corners=False), [WIDE]),
    "resize_corners": (lambda x: F.interpolate(x, (5, 9), mode="bilinear", align_corners=True), [WIDE]),
    "softmax": (lambda x: F.softmax(x, 1), [TABLE]),
    "log_softmax": (lambda x: F.log_softmax(x, 0), [TABLE]),
    "gelu": (F.gelu, [TABLE]),
    "gelu_tanh": (lambda x: F.gelu(x, approximate="tanh"), [TABLE]),
    "silu": (F.silu, [TABLE]),
    "mish": (F.mish, [TABLE]),
    "softplus": (F.softplus, [TABLE]),
    "elu": (F.elu, [TABLE]),
    "selu": (F.selu, [TABLE]),
    "logsumexp": (lambda x: torch.logsumexp(x, 1), [TABLE]),
    "var": (lambda x: torch.var(x, 0, correction=1), [TABLE]),
    "prod": (lambda x: torch.prod(x, 1), [TABLE]),
    "cumulative_sum": (lambda x: torch.cumsum(x, 1), [TABLE]),
    "cumulative_prod": (lambda x: torch.cumprod(x, 1), [TABLE]),
    "cumulative_max": (lambda x: torch.cummax(x, 1).values, [TABLE]),
    "cumulative_logsumexp": (lambda x: torch.logcumsumexp(x, 1), [TABLE]),
    "sort": (lambda x: torch.sort(x, 1).values, [TABLE]),
    "lstm": recurrent(torch.nn.LSTM, num_layers=2, bidirectional=True),
    "gru": recurrent(torch.nn.GRU, bidirectional=True, batch_first=True),
    "rnn": recurrent(torch.nn.RNN, num_layers=2, nonlinearity="relu", bias=False),
}
NUMPY = {
    "pad_reflect": (lambda x: np.pad(x, ((1, 2), (2, 1)), "reflect"), [TABLE]),
    "roll": (lambda x: np.roll(x, (1, -2), (0, 1)), [TABLE]),
    "tile": (lambda x: np.tile(x, (2, 1)), [TABLE]),
    "repeat": (lambda x: np.repeat(x, 2, 1), [TABLE]),
    "tril": (lambda x: np.tril(x, 1), [TABLE]),
    "std": (lambda x: np.std(x.astype(np.float64), 1), [TABLE]),
    "hypot": (np.hypot, [TABLE, values(8, 3, 5)]),
    "arctan2": (np.arctan2, [TABLE, values(8, 3, 5)]),
    "logaddexp": (np.logaddexp, [TABLE, values(8, 3, 5)]),
    "remainder": (np.remainder, [TABLE, values(8, 3, 5)]),
    "floor_divide": (np.floor_divide, [TABLE, values(8, 3, 5)]),
    "copysign": (np.copysign, [TABLE, values(8, 3, 5)]),
}


def written(array):
    array = np.asarray(array, np.float32)
    return {"shape": list(array.shape), "values": [float(f"{each:.9g}") for each in array.ravel()]}


def main():
    cases = []
    for name, (function, inputs) in TORCH.items():
        tensors = [torch.tensor(each, dtype=torch.float64, requires_grad=True) for each in inputs]
        result = function(*tensors)
        weights = values(99, *result.shape, low=0.5)
        (result * torch.tensor(weights)).sum().backward()
        cases.append({"name": name, "inputs": [written(each) for each in inputs], "result": written(result.detach()),
                      "weights": written(weights), "gradients": [written(each.grad) for each in tensors]})
    for name, (function, inputs) in NUMPY.items():
        cases.append({"name": name, "inputs": [written(each) for each in inputs], "result": written(function(*inputs))})
    text = ",\n".join(json.dumps(each) for each in cases)
    versions = json.dumps({"torch": torch.__version__, "numpy": np.__version__})
    file = pathlib.Path(__file__).with_name("results.json")
    file.write_text(f'{{"made with": {versions}, "cases": [\n{text}\n]}}\n')


if __name__ == "__main__":
    main()
