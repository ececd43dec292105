#!/usr/bin/env python3
"""Trains the network of examples/c/bert.c with PyTorch, from the weights and batches that the example wrote, and prints the
mean loss of each 50 steps as JSON: what tests/examples/bert_losses.json keeps.

    bert --device cpu --steps 600 --reference FILE
    bert_reference.py FILE [DEVICE] > tests/examples/bert_losses.json
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import sys

import torch
from torch.nn import functional

LAYERS, WIDTH, HEADS, PLACES, HIDDEN, BATCH, EVERY = 2, 64, 4, 16, 2, 64, 50
DTYPES = {"F32": torch.float32, "I32": torch.int32}


def load(path, device):
    with open(path, "rb") as file:
        data = file.read()
    length = int.from_bytes(data[:8], "little")
    tensors = {}
    for name, entry in json.loads(data[8 : 8 + length]).items():
        if name == "__metadata__":
            continue
        begin, end = (8 + length + each for each in entry["data_offsets"])
        tensor = torch.frombuffer(bytearray(data[begin:end]), dtype=DTYPES[entry["dtype"]])
        tensors[name] = tensor.reshape(entry["shape"]).to(device)
    return tensors


def norm(x, weight, bias):
    return functional.layer_norm(x, (x.shape[-1],), weight, bias, 1e-5)


def forward(weights, ids, hidden):
    """The order of the weights is that in which the example asks for them."""
    take = iter(weights)
    table = next(take)
    x = norm(table[ids] + next(take), next(take), next(take))
    for _ in range(LAYERS):
        qkv = functional.linear(x, next(take), next(take)).reshape(BATCH, PLACES, 3, HEADS, WIDTH // HEADS)
        q, k, v = (each.transpose(1, 2) for each in qkv.unbind(2))
        y = functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(BATCH, PLACES, WIDTH)
        x = norm(x + functional.linear(y, next(take), next(take)), next(take), next(take))
        y = functional.gelu(functional.linear(x, next(take), next(take)))
        x = norm(x + functional.linear(y, next(take), next(take)), next(take), next(take))
    rows = x.reshape(BATCH * PLACES, WIDTH)[hidden]
    y = norm(functional.gelu(functional.linear(rows, next(take), next(take))), next(take), next(take))
    logits = functional.linear(y, table, next(take))
    assert next(take, None) is None
    return logits


def main():
    device = sys.argv[2] if len(sys.argv) > 2 else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = False
    tensors = load(sys.argv[1], device)
    weights = [tensors[name].requires_grad_() for name in sorted(tensors) if name.startswith("weights.")]
    ids, hidden, labels = (tensors[name].long() for name in ("bytes", "places", "labels"))
    optimizer = torch.optim.AdamW(weights, lr=1e-3, weight_decay=0.01)
    losses, sums = [], 0.0
    for step in range(ids.shape[0]):
        optimizer.zero_grad()
        loss = functional.cross_entropy(forward(weights, ids[step].reshape(BATCH, PLACES), hidden[step]), labels[step])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        sums += loss.item()
        if (step + 1) % EVERY == 0:
            losses.append(round(sums / EVERY, 5))
            sums = 0.0
    print(json.dumps({"torch": torch.__version__, "losses": losses}))


if __name__ == "__main__":
    main()
