#!/usr/bin/env python3
"""Writes special.json: what mpmath gives, with 60 digits, where elementwise operators are hard: near the poles of digamma and
trigamma, in far tails, where what is between overflows and the result does not, at quotients that are nearly whole.

    python3 -m venv env && env/bin/pip install mpmath==1.3.0 numpy==2.4.6 && env/bin/python special.py

tests/conformance/operators/special.cc runs the same cases, on all devices. A case has an operator's name, a dtype, its operands, the
parameters if it has any, exact results, and for each the largest of the terms that cancel in it, where some do: errors are
counted in units of that.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import pathlib
import re

import numpy as np
from mpmath import mp, mpf

mp.dps = 60
TYPES = {"f32": np.float32, "f64": np.float64}


def in_dtype(dtype, values):
    """Different numbers of the dtype, in order."""
    return sorted({float(TYPES[dtype](each)) for each in values})


def around(dtype, pole):
    """On both sides of a pole, from next to it to half way to the next one."""
    kind, digits = TYPES[dtype], np.finfo(TYPES[dtype]).nmant
    points = []
    for power in range(1, (100 if pole == 0 else digits) + 1, 2 if dtype == "f32" else 5):
        for part in (1.0, 1.3, 1.75):
            points += [pole + part * 2.0**-power, pole - part * 2.0**-power]
    return [each for each in in_dtype(dtype, points) if kind(each) != pole]


def near_poles(dtype):
    return [x for pole in (0, -1, -2, -3, -7, -30, -1000) for x in around(dtype, pole)]


def reflected(x):
    """The larger of the two terms that digamma is the difference of."""
    return max(1, abs(mp.digamma(1 - x)), abs(mp.pi * mp.cot(mp.pi * x))) if x < 0 else max(1, abs(1 / x))


def unary(name, function, dtype, points, cancels=None, parameters=None):
    points = [each for each in points if each != 0 or name not in ("digamma", "trigamma")]
    case = {"operator": name, "dtype": dtype, "a": points, "results": [function(mpf(each)) for each in points]}
    if cancels:
        case["terms"] = [cancels(mpf(each)) for each in points]
    if parameters:
        case["parameters"] = parameters
    return case


def binary(name, function, dtype, pairs):
    pairs = [tuple(float(TYPES[dtype](each)) for each in pair) for pair in pairs]
    return {"operator": name, "dtype": dtype, "a": [a for a, _ in pairs], "b": [b for _, b in pairs],
            "results": [function(mpf(a), mpf(b)) for a, b in pairs]}


def softplus(x, beta):
    argument = x * beta
    return (max(argument, mpf(0)) + mp.log1p(mp.exp(-abs(argument)))) / beta


def floor_div(a, b):
    if mp.isinf(b):
        return mpf(0) if a == 0 or (a < 0) == (b < 0) else mpf(-1)
    return mp.floor(a / b)


def quotients(dtype):
    most = 2.0 ** (np.finfo(TYPES[dtype]).nmant + 1)
    random = np.random.default_rng(3)
    pairs = [(a, b) for a in (-1.5, 1.5, -7, 3e8) for b in (np.inf, -np.inf)]
    pairs += [(2.0**31, -129), (1, 0.1), (-1, 0.1), (6, 0.3), (-6, -0.3), (1e-30, -1e30), (-1e-38, 1e10)]
    for _ in range(150):  # just below, at and just above a whole quotient
        b = TYPES[dtype](random.uniform(0.01, 300) * random.choice([-1, 1]))
        a = TYPES[dtype](np.floor(np.exp2(random.uniform(0, np.log2(most) - 1))) * b)
        pairs += [(each, b) for each in (a, np.nextafter(a, TYPES[dtype](0)), np.nextafter(a, TYPES[dtype](1e30)))]
    return [(a, b) for a, b in pairs if np.isinf(b) or abs(a / b) < most]


def scaled(dtype):
    powers = (-140, -126, -100, 0, 100, 126) if dtype == "f32" else (-1060, -1022, -500, 0, 500, 1022)
    reach = 277 if dtype == "f32" else 2098
    pairs = [(1e-30, 200), (0.0, 221), (0.0, -221)] if dtype == "f32" else [(1e-300, 1990), (0.0, 1500)]
    least, most = np.finfo(TYPES[dtype]).tiny, np.finfo(TYPES[dtype]).max
    for power in powers:
        for by in np.concatenate([np.linspace(-reach, reach, 21), np.round(np.linspace(-reach, reach, 20))]):
            a, b = TYPES[dtype](1.3 * 2.0**power), TYPES[dtype](by)
            if least < mpf(float(a)) * mp.power(2, float(b)) < most:
                pairs.append((a, b))
    return pairs


def cases():
    made = []
    for dtype in TYPES:
        far, tiny = (13.2, 1e-37) if dtype == "f32" else (37.4, 1e-306)
        poles = near_poles(dtype)
        finite = [x for x in poles if mp.psi(1, x) < (3e38 if dtype == "f32" else 1e308)]
        made.append(unary("digamma", mp.digamma, dtype, poles, reflected))
        made.append(unary("trigamma", lambda x: mp.psi(1, x), dtype, finite))
        tail = in_dtype(dtype, np.linspace(-far, -3, 120))
        gelu = lambda x: x * mp.erfc(-x / mp.sqrt(2)) / 2
        made.append(unary("gelu", gelu, dtype, [x for x in tail if abs(gelu(mpf(x))) > tiny]))
        edge = [1 - m * 2.0**-k for k in range(1, np.finfo(TYPES[dtype]).nmant + 2) for m in (1, 1.25, 1.5)]
        made.append(unary("erfinv", mp.erfinv, dtype, [x for x in in_dtype(dtype, edge) if 0 < x < 1]))
        whole = [2.0**k + d for k in range(20, 60, 2 if dtype == "f64" else 1) for d in (0, 1, -1)]
        made.append(unary("log1p", mp.log1p, dtype, in_dtype(dtype, whole)))
        top = 2.86e38 if dtype == "f32" else 1.7e308
        arguments = in_dtype(dtype, [top, -top, top / 2, top / 4, 50, 5, 0.5, 1e-5, -1e-5, -5, -40])
        made.append(unary("softplus", lambda x: softplus(x, 2), dtype, arguments, parameters=[2]))
        made.append(binary("floor_div", floor_div, dtype, quotients(dtype)))
        made.append(binary("ldexp", lambda a, b: a * mp.power(2, b), dtype, scaled(dtype)))
        losses = [(a, b) for a in (-50, -3, 0, 2, 129, 1e10, 1e20) for b in (0, 0.25, 1 - 2.0**-20, 1)]
        made.append(binary("bce_with_logits", lambda a, b: mp.log1p(mp.exp(-abs(a))) + (a * (1 - b) if a > 0 else -a * b),
                           dtype, [(a, b) for a, b in losses if not (b == 1 and a > 80)]))
    return made


def written(case):
    """Operands to the bit, results with more digits than a double has."""
    for name in ("a", "b"):
        if name in case:
            case[name] = [re.sub(r"\.?0*p", "p", each.hex()) for each in case[name]]
    for name in ("results", "terms"):
        if name in case:
            case[name] = [mp.nstr(each, 21) for each in case[name]]
    return case


def main():
    text = ",\n".join(json.dumps(written(each)) for each in cases())
    pathlib.Path(__file__).with_name("special.json").write_text(f'{{"cases": [\n{text}\n]}}\n')


if __name__ == "__main__":
    main()
