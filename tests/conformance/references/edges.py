#!/usr/bin/env python3
"""Writes edges.json: what mpmath gives for every row of operators.def and reductions.def at 0, -0, infinities, NaN, the largest and
the smallest numbers and equal operands: the value and the gradient with respect to each operand.

    python3 -m venv env && env/bin/pip install mpmath==1.3.0 && env/bin/python edges.py

A gradient at an edge is the limit of slopes: the operand comes near from both sides, an infinite one grows beyond all numbers, and
infinite operands grow together, some faster than others. "differ" stands where no such limit is: there the row's column of edges says
what the gradient is. tests/conformance/tape/edges.cc runs the cases, on all devices.

A row that this file has no function for ends it with its name.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import itertools
import json
import math
import multiprocessing
import pathlib
import struct
import sys

from mpmath import mp, mpf

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/abi"))
import operators as tables  # noqa: E402

def f32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


TYPES = {"f32": f32, "f64": float}
LIMITS = {"f32": ((2 - 2.0**-23) * 2.0**127, 2.0**-126, 2.0**-149), "f64": (sys.float_info.max, 2.0**-1022, 2.0**-1074)}
INF, NAN = math.inf, math.nan
FAR, NEAR = 400, -400  # powers of ten beyond what an operand can be
BESIDE = -400  # relative to an operand; ALGEBRAIC functions are looked at from nearer, as their slopes may be as steep as operands large
DIFFER = "differ"
ANY = "any"  # not compared: an operand less 1 is rounded to another whole number


# --- functions of mpf; a complex result, or none, is NaN. They meet finite numbers only

def exactly(f):
    """With few digits, where nothing cancels."""
    def function(*operands):
        with mp.workdps(80):
            return +real(f(*operands))
    return function


def real(value):
    return mp.nan if value is None or isinstance(value, mp.mpc) else mpf(value)


def sigmoid(x):
    return 1 / (1 + mp.exp(-x)) if x >= 0 else mp.exp(x) / (1 + mp.exp(x))


def erfc(x):
    return mp.exp(-x * x) / (x * mp.sqrt(mp.pi)) if x > 1000 else 2 - erfc(-x) if x < -1000 else mp.erfc(x)


def soft_plus(x):
    return (x if x > 0 else mpf(0)) + mp.log1p(mp.exp(-abs(x)))


def clamp(x, low, high):
    return min(max(x, low), high)


def huber(d, beta):
    d = abs(d)
    return d * d / (2 * beta) if d < beta else d - beta / 2


def erfinv(x):
    with mp.workdps(60):
        return mp.erfinv(x) if abs(x) < 1 else mp.sign(x) * mp.inf if abs(x) == 1 else mp.nan


def psi(order):
    def function(x):
        with mp.workdps(100):
            return mp.psi(order, x)
    return function


def signed_cbrt(x):
    return mp.sign(x) * mp.cbrt(abs(x))


SELU = (mpf("1.0507009873554804934"), mpf("1.7580993408473768600"))
UNARY = {
    "neg": lambda x: -x, "abs": abs, "sign": mp.sign, "square": lambda x: x * x, "relu": lambda x: max(x, mpf(0)),
    "floor": mp.floor, "ceil": mp.ceil, "round": mp.nint, "trunc": lambda x: mp.sign(x) * mp.floor(abs(x)),
    "round_away": lambda x: mp.sign(x) * mp.floor(abs(x) + mpf(0.5)), "clip": clamp,
    "exp": mp.exp, "exp2": lambda x: mp.power(2, x), "expm1": mp.expm1, "log": mp.log, "log2": lambda x: mp.log(x, 2),
    "log10": mp.log10, "log1p": lambda x: mp.log1p(x), "sqrt": mp.sqrt, "rsqrt": lambda x: 1 / mp.sqrt(x), "cbrt": signed_cbrt,
    "rcbrt": lambda x: 1 / signed_cbrt(x), "reciprocal": lambda x: 1 / x,
    "sin": mp.sin, "cos": mp.cos, "tan": mp.tan, "asin": mp.asin, "acos": mp.acos, "atan": mp.atan, "sinh": mp.sinh, "cosh": mp.cosh,
    "tanh": mp.tanh, "asinh": lambda x: mp.sign(x) * mp.asinh(abs(x)), "acosh": lambda x: mp.acosh(x) if x >= 1 else mp.nan,
    "atanh": lambda x: mp.atanh(x) if abs(x) < 1 else mp.sign(x) * mp.inf if abs(x) == 1 else mp.nan,
    "degrees": mp.degrees, "radians": mp.radians,
    "erf": lambda x: 1 - erfc(x) if x > 3 else erfc(-x) - 1 if x < -3 else mp.erf(x), "erfc": erfc, "erfinv": erfinv, "gamma": lambda x: exactly(mp.gamma)(x), "lgamma": lambda x: exactly(lambda x: mp.re(mp.loggamma(x)))(x),
    "digamma": psi(0), "trigamma": psi(1),
    "sigmoid": sigmoid, "log_sigmoid": lambda x: -soft_plus(-x), "softplus": lambda x, beta: soft_plus(x * beta) / beta,
    "softsign": lambda x: x / (1 + abs(x)), "gelu": lambda x: x * erfc(-x / mp.sqrt(2)) / 2,
    "gelu_tanh": lambda x: x * sigmoid(2 * mp.sqrt(2 / mp.pi) * (x + mpf("0.044715") * x**3)), "silu": lambda x: x * sigmoid(x),
    "mish": lambda x: x * mp.tanh(soft_plus(x)), "elu": lambda x, alpha: x if x > 0 else alpha * mp.expm1(x),
    "selu": lambda x: x * SELU[0] if x > 0 else mp.expm1(x) * SELU[1],
    "celu": lambda x, alpha: x if x > 0 else alpha * mp.expm1(x / alpha), "leaky_relu": lambda x, slope: x if x > 0 else x * slope,
    "hard_tanh": clamp, "hard_sigmoid": lambda x, alpha, beta: clamp(x * alpha + beta, mpf(0), mpf(1)),
    "hard_swish": lambda x: x * clamp(x / 6 + mpf(0.5), mpf(0), mpf(1)),
    "smooth_l1_sigma": lambda x, sigma: huber(x * sigma * sigma, mpf(1)) / (sigma * sigma),
}


def mod(a, b):
    return a - b * mp.floor(a / b)


def fmod(a, b):
    return mp.sign(a) * mod(abs(a), abs(b))


def power(a, b):
    if a == 0:
        return mpf(1) if b == 0 else mpf(0) if b > 0 else mp.inf
    if a < 0:
        return mp.exp(b * mp.log(-a)) * (-1 if mod(b, 2) == 1 else 1) if mp.floor(b) == b else mp.nan
    return mp.exp(b * mp.log(a))


BINARY = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b, "pow": lambda a, b: exactly(power)(a, b),
    "maximum": max, "minimum": min, "mod": mod, "fmod": fmod, "floor_div": lambda a, b: mp.floor(a / b),
    "true_div": lambda a, b: a / b, "fmax": max, "fmin": min, "hypot": lambda a, b: mp.sqrt(a * a + b * b), "atan2": mp.atan2,
    "copysign": lambda a, b: abs(a) * (1 if b > 0 else -1 if b < 0 else None), "ldexp": lambda a, b: a * mp.power(2, b),
    "logaddexp": lambda a, b: max(a, b) + mp.log1p(mp.exp(-abs(a - b))),
    "xlogy": lambda a, b: mpf(0) if a == 0 else a * mp.log(b), "prelu": lambda a, b: a if a > 0 else a * b,
    "squared_difference": lambda a, b: (a - b) ** 2, "smooth_l1": lambda a, b, beta: huber(a - b, beta),
    "bce_with_logits": lambda a, b: (a * (1 - b) if a > 0 else -a * b) + mp.log1p(mp.exp(-abs(a))),
}
TERNARY = {
    "fma": lambda a, b, c: a * b + c, "clamp": clamp, "lerp": lambda a, b, c: a * (1 - c) + b * c,
}


def lp(values, p):
    return mp.power(sum(abs(x) ** p if x else mpf(0) for x in values), 1 / p)


def variance(values, correction):
    mean = sum(values) / len(values)
    return sum((x - mean) ** 2 for x in values) / (len(values) - correction)


def logsumexp(values):
    top = max(values)
    return top + mp.log(sum(mp.exp(x - top) for x in values))


REDUCE = {
    "sum": sum, "mean": lambda v: sum(v) / len(v), "max": max, "min": min, "prod": mp.fprod, "l1_norm": lambda v: sum(map(abs, v)),
    "l2_norm": lambda v: mp.sqrt(sum(x * x for x in v)), "lp_norm": lp, "var": variance,
    "std": lambda v, correction: mp.sqrt(variance(v, correction)), "logsumexp": logsumexp, "nansum": sum, "nanprod": mp.fprod,
}
# Rows that only say something of each number, also of NaN and infinities, and rows of integers.
WORDS = {"logical_not", "isnan", "isinf", "isposinf", "isneginf", "isfinite", "signbit", "eq", "ne", "lt", "le", "gt", "ge", "logical_and",
         "logical_or", "logical_xor", "argmax", "argmin", "all", "any"}
# A zero that an infinite operand is multiplied by is NaN, as IEEE 754 has it, but not in these.
# Sums of numbers of very different sizes, which cost little.
ALGEBRAIC = {"add", "sub", "mul", "div", "true_div", "squared_difference", "smooth_l1", "fma", "lerp", "clamp", "maximum", "minimum",
             "fmax", "fmin", "mod", "fmod", "floor_div", "prelu", "sum", "mean", "l1_norm", "nansum", "prod", "nanprod", "max", "min",
             "var", "std", "l2_norm", "hypot", "softsign"}
KEEP_ZEROS = {"lerp", "clamp", "xlogy", "maximum", "minimum", "fmax", "fmin"}


# --- limits

def called(f, at):
    try:
        return real(f(*at))
    except (ZeroDivisionError, ValueError, OverflowError, TypeError):
        return mp.nan


SPEEDS = (1, 1.5, 2)


def settled(values):
    """Of a function at t, t^1.5 and t^2: where it goes to; None where nowhere."""
    first, second, third = values
    if any(mp.isnan(each) for each in values):
        return mp.nan if all(mp.isnan(each) for each in values) else None
    if mp.isinf(third):
        return third if third == second else None
    if third == second or (third != 0 and abs(second / third - 1) < mpf(10) ** -25):
        return third
    if first == 0 or second == 0:
        return mpf(0) if third == 0 else None
    once, again = abs(second / first), abs(third / second)
    if once > 1.2 and again > 1.2:
        return mp.sign(third) * mp.inf if mp.sign(second) == mp.sign(third) else None
    return mpf(0) if once < 0.9 and again < 0.9 else None


def seen(value):
    """As every dtype has it."""
    return mpf(0) if abs(value) < mpf(10) ** -340 else mp.sign(value) * mp.inf if abs(value) > mpf(10) ** 320 else value


def joined(limits):
    """One limit of several: of those ways on which there is a function."""
    known = [each if each is None else seen(each) for each in limits if each is None or not mp.isnan(each)]
    if not known:
        return mp.nan
    if None in known:
        return None
    first = known[0]
    for each in known:
        if each != first and (mp.isinf(each) or mp.isinf(first) or abs(each - first) > mpf(10) ** -15 * max(abs(each), abs(first))):
            return None
    return first


def approaches(point, moved=None, zeros=False):
    """Ways to a point: each a function of the speed that gives operands. `moved`: the operand that comes near from both sides; `zeros`:
    zeros come near from the side of their sign."""
    infinite = [i for i, x in enumerate(point) if math.isinf(x)]
    going = [i for i, x in enumerate(point) if math.isinf(x) or (zeros and x == 0)]
    orders = [{}] if len(going) < 2 else [{}] + [{i: by} for i in going for by in (1.5, 1.25)]
    beside = moved is not None and moved not in infinite
    for order in orders:
        for side in (1, -1) if beside else (1,):
            def way(speed, order=order, side=side):
                at = [mpf(x) if math.isfinite(x) else x for x in point]
                for i, x in enumerate(point):
                    if i in infinite:
                        at[i] = mp.sign(x) * mpf(10) ** int(FAR * speed * order.get(i, 1))
                    elif zeros and x == 0:
                        at[i] = math.copysign(1, x) * mpf(10) ** int(NEAR * speed * order.get(i, 1))
                if beside:
                    at[moved] += side * (abs(at[moved]) * mpf(10) ** BESIDE if at[moved] else mpf(10) ** int(NEAR * speed))
                return at
            yield way


def slope(f, at, i):
    """Between two operands that are closer to each other than to anything that matters."""
    step = abs(at[i]) * mpf(10) ** (-140 if abs(at[i]) < mpf(10) ** -350 or abs(at[i]) > mpf(10) ** 350 else BESIDE - 80)
    above, below = list(at), list(at)
    above[i] += step
    below[i] -= step
    return (called(f, above) - called(f, below)) / (2 * step)


def value_of(f, point, zeros):
    if all(map(math.isfinite, point)):
        exact = called(f, [mpf(x) for x in point])
        if not mp.isnan(exact) and not mp.isinf(exact):
            return exact
        return joined([settled([called(f, way(speed)) for speed in SPEEDS]) for way in approaches(point, zeros=True)])
    return joined([settled([called(f, way(speed)) for speed in SPEEDS]) for way in approaches(point, zeros=zeros)])


def gradient_of(f, point, i, known=None):
    """known: the slope, where numbers of so many digits are too slow."""
    at_point = (lambda at: called(known, at)) if known else (lambda at: slope(f, at, i))
    if all(map(math.isfinite, point)) and point[i] != 0:
        beside = joined([at_point(way(1)) for way in approaches(point, i)])
        if beside is None or not mp.isnan(beside):
            return beside
    limit = joined([settled([at_point(way(speed)) for speed in SPEEDS]) for way in approaches(point, i)])
    if limit is not None and mp.isnan(limit):  # a zero beside it may be a pole, on the side that its sign says
        limit = joined([settled([at_point(way(speed)) for speed in SPEEDS]) for way in approaches(point, i, zeros=True)])
    return limit


def normal(x):
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def mish_slope(x):
    t = mp.tanh(soft_plus(x))
    return t + x * (1 - t * t) * sigmoid(x)


def tanh_argument(x):
    return 2 * mp.sqrt(2 / mp.pi) * (x + mpf("0.044715") * x**3)


def gelu_tanh_slope(x):
    s, slope_of = sigmoid(tanh_argument(x)), 2 * mp.sqrt(2 / mp.pi) * (1 + 3 * mpf("0.044715") * x * x)
    return s + x * s * sigmoid(-tanh_argument(x)) * slope_of


# Known slopes, where numbers of so many digits take too long.
SLOPES = {
    "erf": exactly(lambda x: 2 / mp.sqrt(mp.pi) * mp.exp(-x * x)), "erfc": exactly(lambda x: -2 / mp.sqrt(mp.pi) * mp.exp(-x * x)),
    "gelu": exactly(lambda x: erfc(-x / mp.sqrt(2)) / 2 + x * normal(x)), "gelu_tanh": exactly(gelu_tanh_slope),
    "silu": exactly(lambda x: sigmoid(x) + x * sigmoid(x) * sigmoid(-x)), "mish": exactly(mish_slope),
    "logaddexp": [exactly(lambda a, b: sigmoid(a - b)), exactly(lambda a, b: sigmoid(b - a))],
    "bce_with_logits": [exactly(lambda a, b: sigmoid(a) - b), lambda a, b: -a],
    "logsumexp": [exactly(lambda a, b: sigmoid(a - b)), exactly(lambda a, b: sigmoid(b - a))],
    "gamma": exactly(lambda x: mp.gamma(x) * mp.psi(0, x)), "lgamma": exactly(lambda x: mp.psi(0, x)),
    "digamma": exactly(lambda x: mp.psi(1, x)),
    "ldexp": [exactly(lambda a, b: mp.power(2, b)), exactly(lambda a, b: a * mp.power(2, b) * mp.log(2))],
    "atan2": [exactly(lambda a, b: b / (a * a + b * b)), exactly(lambda a, b: -a / (a * a + b * b))],
    "lerp": [lambda a, b, c: 1 - c, lambda a, b, c: c, lambda a, b, c: b - a],
    "pow": [exactly(lambda a, b: b * power(a, b - 1) if b else mpf(0)), exactly(lambda a, b: power(a, b) * mp.log(a))],
    "erfinv": exactly(lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(mp.erfinv(x) ** 2) if abs(x) < 1 else mp.nan),
}


# --- points

def limits_of(dtype):
    return LIMITS[dtype]


def line(dtype):
    most, tiny, least = limits_of(dtype)
    sizes = [0.0, INF, most, tiny, least, 1, 0.5, 3, 100, 1e20, 1e-20]
    return [float(TYPES[dtype](sign * size)) for size in sizes for sign in (1, -1)] + [NAN]


def pairs(dtype):
    most, tiny, least = limits_of(dtype)
    grid = [0.0, -0.0, INF, -INF, NAN, most, -most, least, -tiny, 1, -2]
    more = [(1e25, 1e25), (1e-25, 1e-25), (-1e-25, 1e-25), (3, 3), (1e20, 1), (1, 1e20), (0.5, 1), (2, INF), (0.5, -INF), (2, -INF)]
    return [tuple(float(TYPES[dtype](x)) for x in pair) for pair in [*itertools.product(grid, grid), *more]]


def triples(dtype):
    most = limits_of(dtype)[0]
    more = [(1e20, 1, 1), (1, 1e20, 1), (1e20, 1, 0), (most, -most, 0.5), (-most, most, 0.25), (3, 3, 0.7), (2, 2, 2), (0.3, 0.3, 0.3)]
    return [tuple(float(TYPES[dtype](x)) for x in triple)
            for triple in [*itertools.product([0.0, INF, -INF, NAN, most, -1.5, 1], repeat=3), *more]]


def groups(dtype):
    most, _, least = limits_of(dtype)
    grid = [0.0, -0.0, INF, -INF, NAN, most, -most, least, 1, -2]
    return [tuple(float(TYPES[dtype](x)) for x in pair) for pair in [*itertools.product(grid, grid), (1e20, 3e20), (1e-20, -3e-20)]]


# --- rows

def among(f, point, i, known=None):
    """The gradient where some operands are NaN: what it is whatever number stands there."""
    numbers = [-7.25, -0.375, 0.0, 0.625, 2.5, 100.75]
    unknown = [k for k, x in enumerate(point) if math.isnan(x)]
    found = set()
    for values in itertools.product(numbers, repeat=len(unknown)):
        at = list(point)
        for k, x in zip(unknown, values):
            at[k] = x
        each = gradient_of(f, at, i, known)
        if each is None or mp.isnan(each):
            return mp.nan
        found.add(mp.nstr(each, 15) if mp.isfinite(each) else str(each))
        if len(found) > 1:
            return mp.nan
    return each


def special_value(name, point):
    """What IEEE 754 and C say, where no limit tells it; None elsewhere."""
    a, b = (*point, 0.0)[:2]
    if name in ("fmax", "fmin") and math.isnan(a) != math.isnan(b):
        return b if math.isnan(a) else a
    if name == "pow" and (a == 1 or b == 0):
        return 1.0
    if name == "hypot" and math.inf in (abs(a), abs(b)):
        return INF
    if name == "nansum" or name == "nanprod":
        kept = [x for x in point if not math.isnan(x)]
        if len(kept) < len(point):
            return sum(kept) if name == "nansum" else math.prod(kept)
    if name == "copysign" and not math.isnan(a):
        return math.copysign(a, b)
    if name == "prelu" and a > 0:
        return a
    if any(map(math.isnan, point)):
        return NAN
    if name == "fma":
        product = a * b if math.isinf(a) or math.isinf(b) else 0.0
        if math.isinf(point[2]) and product == 0:
            return point[2]
        return NAN if math.isnan(product) or math.isnan(product + point[2]) else None
    if name == "pow" and (math.isinf(a) or math.isinf(b)):
        return math.pow(a, b)
    if name == "prelu" and a == 0 and math.isinf(b):
        return NAN
    if name == "xlogy" and a != 0 and b == 0:
        return -INF * a
    if name == "xlogy" and math.isinf(a) and b == 1:
        return NAN
    if name == "bce_with_logits" and (a, b) == (-INF, 0):
        return 0.0
    if name in ("var", "std") and any(map(math.isinf, point)):
        return NAN
    if name in ("log", "log2", "log10") and a == 0:
        return -INF
    if name == "rsqrt" and a == 0:
        return math.copysign(INF, a)
    if name in ("gamma", "lgamma", "digamma", "trigamma") and a == -INF:
        return INF if name == "lgamma" else NAN
    if name in ("gamma", "lgamma", "digamma", "trigamma") and a <= 0 and math.isfinite(a) and a == math.floor(a):
        if name in ("lgamma", "trigamma"):
            return INF
        return NAN if a else math.copysign(INF, a if name == "gamma" else -a)
    if name == "atan2":
        return math.atan2(a, b)
    if name in ("fmod", "mod") and math.isinf(b) and math.isfinite(a):
        return a if name == "fmod" or a == 0 or (a > 0) == (b > 0) else b
    if name in ("sin", "cos", "tan", "mod", "fmod") and math.isinf(a):
        return NAN
    if name in ("mod", "fmod", "floor_div") and b == 0 and name != "floor_div":
        return NAN
    if name == "floor_div":
        if math.isinf(a):
            return NAN if b != 0 else a / math.copysign(1, b)
        if b == 0:
            return NAN if a == 0 else math.copysign(INF, a) * math.copysign(1, b)
        if math.isinf(b):
            return 0.0 if a == 0 or (a < 0) == (b < 0) else -1.0
    if name == "pow" and a == -1 and math.isinf(b):
        return 1.0
    if name == "pow" and a == 0 and b < 0 and math.isfinite(b):
        return math.copysign(INF, a) if b % 2 == 1 else INF
    if name == "xlogy" and a == 0:
        return 0.0
    if name == "ldexp" and ((a == 0 and b == INF) or (math.isinf(a) and b == -INF)):
        return NAN
    return None


def special_gradient(name, point, i):
    """Where no limit tells it."""
    a, b = (*point, 0.0)[:2]
    if name in ("gamma", "digamma", "lgamma") and a < 0 and math.isfinite(a) and a == math.floor(a):
        return mp.nan if name == "lgamma" else mp.inf
    if name in ("erfinv", "asin", "acosh") and abs(a) == 1:
        return mp.inf if name != "acosh" or a == 1 else mp.nan
    if name == "acos" and abs(a) == 1:
        return -mp.inf
    if name == "copysign" and i == 0 and math.isnan(b):
        return DIFFER if a == 0 else mp.nan if math.isnan(a) else mp.sign(a)
    if name == "hard_sigmoid" and abs(a) == 3:
        return DIFFER
    if name == "xlogy" and b == 0 and not math.isnan(a):
        return DIFFER if a == 0 and i == 0 else mpf(0) if a == 0 else -mp.inf if i == 0 else mp.sign(a) * mp.inf
    if name == "pow" and a == 0 and b == 0 and i == 1:
        return DIFFER
    if name in ("fmax", "fmin") and math.isnan(a) and math.isnan(b):
        return DIFFER
    if name in ("mod", "fmod") and i == 0 and (b == 0 or any(map(math.isnan, point))):
        return DIFFER
    if name == "xlogy" and b == 0 and i == 0 and math.isnan(a):
        return -mp.inf
    if name == "pow" and (0 < abs(b) < 1e-16 or (a < 0 and math.isfinite(b) and abs(b) > 2.0**24)):
        return ANY
    if name == "copysign" and a == 0 and i == 0:
        return DIFFER
    if name in ("fmax", "fmin") and math.isnan(a) != math.isnan(b):
        return mpf(1 if math.isnan(point[1 - i]) else 0)
    if name in ("nansum", "nanprod") and any(map(math.isnan, point)):
        if math.isnan(point[i]):
            return mpf(0)
        return mpf(1) if name == "nansum" or math.isnan(point[1 - i]) else mpf(point[1 - i])
    if name in ("gamma", "digamma", "lgamma", "trigamma") and a == -INF:
        return mp.nan
    if name in ("sin", "cos", "tan") and math.isinf(a):
        return mp.nan
    return None


def text(value, digits):
    if value is None or value in (DIFFER, ANY):
        return DIFFER if value is None else value
    value = mpf(value) if not isinstance(value, float) or math.isfinite(value) else value
    if mp.isnan(value):
        return "nan"
    if mp.isinf(value):
        return "inf" if value > 0 else "-inf"
    if value != 0 and abs(value) > mpf(10) ** 320:
        return "inf" if value > 0 else "-inf"
    if abs(value) < mpf(10) ** -340:
        return "0"
    return mp.nstr(value, digits, strip_zeros=True).removesuffix(".0")


def written(x):
    if math.isnan(x) or math.isinf(x) or x == int(x) and abs(x) < 1000:
        return "-0" if x == 0 and math.copysign(1, x) < 0 else f"{x:g}"
    return x.hex().replace("0x1.0000000000000p", "0x1p")


def case(name, dtype, points, f, n_gradients, parameters=()):
    digits = 12 if dtype == "f32" else 19
    values, gradients = [], [[] for _ in range(n_gradients)]
    known = SLOPES.get(name)
    if name == "lp_norm":
        p = mpf(parameters[0])
        known = [exactly(lambda *v, i=i: mp.sign(v[i]) * mp.power(abs(v[i]) / lp(v, p), p - 1)) for i in range(2)]
    global BESIDE
    mp.dps = 80 if known and name != "lerp" else 3000 if name in ALGEBRAIC else 1000
    BESIDE = -700 if mp.dps == 3000 else -400
    g = (lambda *operands: f(list(operands), *map(mpf, parameters))) if name in REDUCE else (
        lambda *operands: f(*operands, *map(mpf, parameters)))
    for point in points:
        value = special_value(name, point)
        values.append(text(value_of(g, point, name not in KEEP_ZEROS) if value is None else value, digits))
        if values[-1] == DIFFER:
            values[-1] = "nan"
        for i in range(n_gradients):
            gradient = special_gradient(name, point, i)
            if gradient is None:
                gradient = (among if any(map(math.isnan, point)) else gradient_of)(g, point, i, known[i] if isinstance(known, list) else known)
            gradients[i].append(text(gradient, digits))
            # A function that is nowhere around a point has no slope there; what the row says is all there is.
            if gradients[i][-1] == "nan" and values[-1] != "nan":
                gradients[i][-1] = DIFFER
    made = {"row": name, "dtype": dtype, "operands": [" ".join(written(x) for x in line) for line in zip(*points)],
            "values": " ".join(values), "gradients": [" ".join(each) for each in gradients]}
    if parameters:
        made["parameters"] = list(parameters)
    return made


def parameters_of(text):
    """As the tests choose them: the defaults, 1 and 3 where there are none."""
    given = [each.strip() for each in text.split(",") if each.strip()]
    return tuple(float(each) if each != "REQUIRED" else (1.0, 3.0)[k] for k, each in enumerate(given))


def jobs():
    for _, kind, enumerator, domain, result, parameters, _, gradients, _ in tables.rows(ROOT):
        name = enumerator.removeprefix("RONDO_").lower()
        if domain == "whole" or name in WORDS:
            continue
        functions, points = {"unary": (UNARY, lambda d: [(x,) for x in line(d)]), "binary": (BINARY, pairs), "ternary": (TERNARY, triples)}[kind]
        if name not in functions:
            sys.exit(f"edges.py has no function for the operator {name}")
        count = 0 if all(each in ("NONE", "UNKNOWN") for each in gradients[: {"unary": 1, "binary": 2, "ternary": 3}[kind]]) else len(points("f32")[0])
        for dtype in TYPES:
            yield name, dtype, points(dtype), functions[name], count, parameters_of(parameters)
    for enumerator, _, parameter, _, gradient, _ in tables.reductions(ROOT):
        name = enumerator.removeprefix("RONDO_").lower()
        if name in WORDS:
            continue
        if name not in REDUCE:
            sys.exit(f"edges.py has no function for the reduction {name}")
        for dtype in TYPES:
            for given in {"lp_norm": [(2.0,), (0.5,), (1.0,), (3.0,)], "var": [(0.0,), (1.0,)], "std": [(0.0,), (1.0,)]}.get(name, [()]):
                yield name, dtype, groups(dtype), REDUCE[name], 2, given


def named_case(*key):
    """Functions do not travel between processes."""
    return case(*next(job for job in jobs() if (job[0], job[1], job[5]) == key))


def main():
    names = sys.argv[1:]
    chosen = [job for job in jobs() if not names or job[0] in names]
    with multiprocessing.get_context("fork").Pool() as pool:
        made = pool.starmap(named_case, [(job[0], job[1], job[5]) for job in chosen], 1)
    lines = ",\n".join(json.dumps(each) for each in made)
    out = pathlib.Path(__file__).with_name("edges.json") if not names else pathlib.Path("/dev/stdout")
    out.write_text(f'{{"cases": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
