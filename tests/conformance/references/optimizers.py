#!/usr/bin/env python3
"""Writes optimizers.json: what optimizers make of two small tensors in a few steps, computed in f64 by the formulas that PyTorch's
documentation and the LAMB paper (You et al. 2020, algorithm 2) print.

    python3 optimizers.py            needs nothing but Python
    python3 optimizers.py --compare  with PyTorch's own results too, where torch is installed

tests/conformance/training/optimizer.cc runs the same cases.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import math
import pathlib
import sys

STEPS = 5
SIZES = [3, 5]


def values(seed, count, scale):
    """Numbers that f32 holds."""
    made = []
    for _ in range(count):
        seed = (seed * 1103515245 + 12345) % 2**31
        made.append(round((seed / 2**31 - 0.5) * scale * 2**16) / 2**16)
    return made


WEIGHTS = [values(7 + i, size, 2) for i, size in enumerate(SIZES)]
GRADIENTS = [[values(100 * step + i, size, 4) for i, size in enumerate(SIZES)] for step in range(1, STEPS + 1)]

DEFAULTS = {"rate": 0.001, "momentum": 0, "dampening": 0, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "weight_decay": 0,
            "max_norm": 0, "rate_decay": 0, "schedule": "constant", "warmup_steps": 0, "decay_steps": 1, "nesterov": 0, "amsgrad": 0}
CASES = {
    "sgd": {"kind": "sgd", "rate": 0.1},
    "sgd_decay": {"kind": "sgd", "rate": 0.1, "weight_decay": 0.05},
    "sgd_momentum": {"kind": "sgd", "rate": 0.1, "momentum": 0.9},
    "sgd_dampening": {"kind": "sgd", "rate": 0.1, "momentum": 0.8, "dampening": 0.3, "weight_decay": 0.01},
    "sgd_nesterov": {"kind": "sgd", "rate": 0.1, "momentum": 0.9, "nesterov": 1, "weight_decay": 0.01},
    "adam": {"kind": "adam", "rate": 0.02},
    "adam_decay": {"kind": "adam", "rate": 0.02, "weight_decay": 0.1, "beta1": 0.8, "beta2": 0.95, "epsilon": 1e-3},
    "adam_amsgrad": {"kind": "adam", "rate": 0.02, "amsgrad": 1, "beta2": 0.5},
    "adamw": {"kind": "adamw", "rate": 0.02, "weight_decay": 0.1},
    "adamw_amsgrad": {"kind": "adamw", "rate": 0.02, "weight_decay": 0.1, "amsgrad": 1, "beta2": 0.5},
    "lamb": {"kind": "lamb", "rate": 0.02, "weight_decay": 0.1, "epsilon": 1e-6},
    "adamw_clipped": {"kind": "adamw", "rate": 0.02, "weight_decay": 0.1, "max_norm": 1.5},
    "sgd_clipped": {"kind": "sgd", "rate": 0.1, "max_norm": 0.5},
    "lamb_clipped": {"kind": "lamb", "rate": 0.02, "max_norm": 2, "epsilon": 1e-6},
    "warmup": {"kind": "sgd", "rate": 0.1, "warmup_steps": 3},
    "linear": {"kind": "adamw", "rate": 0.1, "schedule": "linear", "warmup_steps": 1, "decay_steps": 3, "rate_decay": 0.1},
    "cosine": {"kind": "sgd", "rate": 0.1, "schedule": "cosine", "warmup_steps": 1, "decay_steps": 6, "rate_decay": 0.2},
    "step": {"kind": "sgd", "rate": 0.1, "schedule": "step", "decay_steps": 2, "rate_decay": 0.5},
}


def rate_of(o, step):
    """Of the step with this number, the first being 0."""
    if step < o["warmup_steps"]:
        return o["rate"] * (step + 1) / o["warmup_steps"]
    behind = step - o["warmup_steps"]
    if o["schedule"] == "step":
        return o["rate"] * o["rate_decay"] ** (behind // o["decay_steps"])
    if o["schedule"] == "constant":
        return o["rate"]
    share = min(behind / o["decay_steps"], 1)
    height = 1 - share if o["schedule"] == "linear" else (1 + math.cos(math.pi * share)) / 2
    return o["rate"] * (o["rate_decay"] + (1 - o["rate_decay"]) * height)


def norm(numbers):
    return math.sqrt(math.fsum(each * each for each in numbers))


def train(o):
    o = {**DEFAULTS, **o}
    weights = [list(each) for each in WEIGHTS]
    first, second, largest = ([[0.0] * size for size in SIZES] for _ in range(3))
    kind = o["kind"]
    for step, gradients in enumerate(GRADIENTS):
        rate = rate_of(o, step)
        factor = min(1, o["max_norm"] / (norm(sum(gradients, [])) + 1e-6)) if o["max_norm"] else 1
        for w, gs, m, v, x in zip(weights, gradients, first, second, largest):
            direction = []
            for i in range(len(w)):
                g = gs[i] * factor
                if kind in ("sgd", "adam"):
                    g += o["weight_decay"] * w[i]
                if kind == "sgd":
                    if o["momentum"]:
                        m[i] = g if step == 0 else o["momentum"] * m[i] + (1 - o["dampening"]) * g
                        g = g + o["momentum"] * m[i] if o["nesterov"] else m[i]
                    direction.append(g)
                    continue
                if kind == "adamw":
                    w[i] -= rate * o["weight_decay"] * w[i]
                m[i] = o["beta1"] * m[i] + (1 - o["beta1"]) * g
                v[i] = o["beta2"] * v[i] + (1 - o["beta2"]) * g * g
                x[i] = max(x[i], v[i])
                mean = m[i] / (1 - o["beta1"] ** (step + 1))
                spread = (x if o["amsgrad"] else v)[i] / (1 - o["beta2"] ** (step + 1))
                direction.append(mean / (math.sqrt(spread) + o["epsilon"]))
                if kind == "lamb":
                    direction[i] += o["weight_decay"] * w[i]
            ratio = 1
            if kind == "lamb" and norm(w) > 0 and norm(direction) > 0:
                ratio = norm(w) / norm(direction)
            for i in range(len(w)):
                w[i] -= rate * ratio * direction[i]
    return weights


def compare(results):
    import torch
    for name, o in CASES.items():
        o = {**DEFAULTS, **o}
        if o["kind"] == "lamb":
            continue  # PyTorch has none
        weights = [torch.tensor(each, dtype=torch.float64, requires_grad=True) for each in WEIGHTS]
        common = {"lr": o["rate"], "weight_decay": o["weight_decay"]}
        if o["kind"] == "sgd":
            own = torch.optim.SGD(weights, momentum=o["momentum"], dampening=o["dampening"], nesterov=bool(o["nesterov"]), **common)
        else:
            own = (torch.optim.Adam if o["kind"] == "adam" else torch.optim.AdamW)(
                weights, betas=(o["beta1"], o["beta2"]), eps=o["epsilon"], amsgrad=bool(o["amsgrad"]), **common)
        for step, gradients in enumerate(GRADIENTS):
            for weight, gradient in zip(weights, gradients):
                weight.grad = torch.tensor(gradient, dtype=torch.float64)
            if o["max_norm"]:
                torch.nn.utils.clip_grad_norm_(weights, o["max_norm"])
            own.param_groups[0]["lr"] = rate_of(o, step)
            own.step()
        for mine, theirs in zip(results[name], weights):
            assert torch.allclose(torch.tensor(mine, dtype=torch.float64), theirs.detach(), rtol=1e-12, atol=1e-14), name
        print(name, "agrees")


def main():
    results = {name: train(o) for name, o in CASES.items()}
    if "--compare" in sys.argv:
        compare(results)
    kept = {"weights": WEIGHTS, "gradients": GRADIENTS,
            "cases": {name: {"options": o, "result": results[name]} for name, o in CASES.items()}}
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
