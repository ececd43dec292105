"""Rows of recommender.cc and gates.cc with PyTorch: the same sizes and dtypes, of a GPU captured as there. Of several ways
to write a row in PyTorch the fastest counts; one that PyTorch does not take is named on standard error.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import collections
import gc
import signal
import sys
import time

from peer_operators import CALLS, captured, fastest

TABLES, WIDTH, DENSE = 26, 64, 13
BELOW, ABOVE = (DENSE, 512, 256, WIDTH), (WIDTH + (TABLES + 1) * TABLES // 2, 512, 256, 1)
RATE = 0.01
WAYS = ("together", "sparse", "dense")  # how the tables are read and trained
COMPILE_SECONDS = 15  # for one function: a compiler that takes longer is left out


class Recommender:
    """A step of training with plain descent. `dense` and `sparse` are a bag for each table, with gradients of that kind.
    `together` keeps all tables in one, with one look-up, and adds what the gradient says to the rows that were read."""

    def __init__(self, torch, device, rows, batch, way):
        functional = torch.nn.functional
        self.together = way == "together"
        kind = torch.int64 if way == "sparse" else torch.int32  # a sparse tensor has no other indices
        indices = torch.randint(0, rows, (TABLES, batch, 1), device=device)
        if self.together:
            first = torch.arange(TABLES, device=device) * rows  # of each table, in the one
            self.indices = (indices[:, :, 0].t() + first).reshape(-1, 1).to(kind)
            self.tables = [torch.empty(TABLES * rows, WIDTH, device=device).uniform_(-0.05, 0.05)]
        else:
            self.indices = indices.to(kind)
            self.bags = [torch.nn.EmbeddingBag(rows, WIDTH, mode="sum", sparse=way == "sparse", device=device) for _ in range(TABLES)]
            self.tables = [each.weight for each in self.bags]
            for each in self.tables:
                torch.nn.init.uniform_(each, -0.05, 0.05)
        self.below, self.above = (
            [torch.nn.Linear(a, b, device=device) for a, b in zip(widths, widths[1:])] for widths in (BELOW, ABOVE))
        self.parameters = [each for layer in self.below + self.above for each in layer.parameters()]
        for each in self.parameters:
            torch.nn.init.uniform_(each, -0.1, 0.1)
        self.dense = torch.rand(batch, DENSE, device=device) * 2 - 1
        self.labels = torch.randint(0, 2, (batch, 1), device=device).float()
        i, j = torch.tril_indices(TABLES + 1, TABLES + 1, -1, device=device)
        pairs = i * (TABLES + 1) + j  # row by row, as rondo_dot_interaction has them
        optimizers = [torch.optim.SGD(self.parameters, lr=RATE, fused=True)]
        if not self.together:  # a fused step takes no sparse gradients
            optimizers.append(torch.optim.SGD(self.tables, lr=RATE, fused=None if way == "sparse" else True))

        def network(layers, x, ends):
            for place, layer in enumerate(layers):
                x = layer(x)
                if not ends or place + 1 < len(layers):
                    x = functional.relu(x, inplace=True)
            return x

        def step():
            for each in optimizers:
                each.zero_grad(set_to_none=True)
            if self.together:
                with torch.no_grad():
                    rows = functional.embedding_bag(self.indices, self.tables[0], mode="sum")
                rows.requires_grad_()
                vectors = [rows.view(batch, TABLES, WIDTH)]
            else:
                vectors = [bag(self.indices[t])[:, None] for t, bag in enumerate(self.bags)]
            front = network(self.below, self.dense, False)
            every = torch.cat([front[:, None], *vectors], 1)
            products = torch.bmm(every, every.transpose(1, 2)).flatten(1).index_select(1, pairs)
            logits = network(self.above, torch.cat([front, products], 1), True)
            loss = functional.binary_cross_entropy_with_logits(logits, self.labels)
            loss.backward()
            for each in optimizers:
                each.step()
            if self.together:
                self.tables[0].index_add_(0, self.indices.view(-1), rows.grad, alpha=-RATE)
            return loss.detach()

        self.step = step


def recommenders(torch, device, wants):
    large = device.type == "cuda"
    torch.set_float32_matmul_precision("highest")  # no TF32, as there
    for batch in (256, 2048):
        row = f"dlrm.{batch}"
        if not wants(row):
            continue

        def make(way, stream):
            step = Recommender(torch, device, 20000 if large else 2000, batch, way).step
            return captured(torch, step, 1, stream) if large else step

        call = best(torch, row, [(way, lambda stream, way=way: make(way, stream)) for way in WAYS], large)
        if not large:
            yield row, call, 1
            continue

        def launches():
            for _ in range(CALLS):
                call()

        yield row, launches, CALLS


def best(torch, row, ways, large):
    """The fastest call of those (name, make) that can be made. make(stream) makes it on that stream, with its first steps:
    gradients keep to the stream of what they are of."""
    calls = []
    for name, make in ways:
        try:
            if large:
                side = torch.cuda.Stream()
                side.wait_stream(torch.cuda.current_stream())
                with torch.cuda.stream(side):
                    calls.append(make(side))
            else:
                calls.append(make(None))
        except Exception as error:  # PyTorch's compiler fails by many
            print(f"  {row}: PyTorch is measured without its way '{name}': {' '.join(str(error).split())[:200]}", file=sys.stderr)
            if large:
                torch.cuda.synchronize()
    if not calls:
        raise RuntimeError(f"no way of {row} works")
    if large:
        call = fastest(torch, calls)
    else:
        def least(call):
            times = []
            for _ in range(4):
                begin = time.perf_counter()
                call()
                times.append(time.perf_counter() - begin)
            return min(times)

        call = min(calls, key=least)
    calls.clear()
    gc.collect()  # what the others held, in cycles
    return call


class TooLong(BaseException):
    """Not an Exception, which the compiler would take for its own failure."""


def compiled(torch, function, *arguments):
    """The function by torch.compile, compiled for these arguments."""
    def stop(_signal, _frame):
        raise TooLong

    from torch._inductor import config

    config.compile_threads = 1  # no processes that stay
    result = torch.compile(function, dynamic=False)
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(COMPILE_SECONDS)
    try:
        result(*arguments)
    except TooLong:
        raise RuntimeError(f"compiling took more than {COMPILE_SECONDS} s") from None
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return result


def turns(torch, x, dtype):
    """Cosines and sines of x's places, in that dtype."""
    places, size = x.shape[1], x.shape[3]
    rates = 10000.0 ** -(torch.arange(0, size, 2, device=x.device, dtype=torch.float64) / size)
    angles = torch.outer(torch.arange(places, device=x.device, dtype=torch.float64), rates)[:, None]
    return angles.cos().to(dtype), angles.sin().to(dtype)


def rotary_ways(torch, x, interleaved):
    """(name, function, its arguments, whether it is compiled). In place, as the rows are; compiled into new memory, which moves
    as many bytes, by one kernel."""
    def halves(x):
        return (x[..., ::2], x[..., 1::2]) if interleaved else x.chunk(2, -1)

    def turn(x, cos, sin):
        a, b = halves(x)
        first = torch.addcmul(a * cos, b, sin, value=-1)
        b.copy_(torch.addcmul(b * cos, a, sin))
        a.copy_(first)

    def turned(x, cos, sin):
        a, b = halves(x)
        pair = (a * cos - b * sin, b * cos + a * sin)
        return (torch.stack(pair, -1).flatten(-2) if interleaved else torch.cat(pair, -1)).to(x.dtype)

    yield "expression", turn, (x, *turns(torch, x, x.dtype)), False
    exact = turns(torch, x, torch.float32)
    yield "compiled", turned, (x, *exact), True
    if not interleaved:
        return

    def by_complex(pairs, by):
        if pairs.dtype == torch.float32:
            torch.view_as_complex(pairs).mul_(by)
        else:
            pairs.copy_(torch.view_as_real(torch.view_as_complex(pairs.float()).mul_(by)))

    yield "complex", by_complex, (x.unflatten(-1, (-1, 2)), torch.complex(*exact)), False


def gated_ways(torch, a, gate):
    silu = torch.nn.functional.silu
    yield "expression", lambda a, gate: silu(gate).mul_(a), (a, gate), False
    yield "compiled", lambda a, gate: a * silu(gate), (a, gate), True


def gated_backward_ways(torch, a, gate, dy):
    silu = torch.nn.functional.silu
    a, gate = (each.detach().requires_grad_() for each in (a, gate))
    y = a * silu(gate)
    yield "autograd", lambda y, a, gate, dy: torch.autograd.grad(y, (a, gate), dy, retain_graph=True), (y, a, gate, dy), False

    def gradients(a, gate, dy):
        a, gate, dy = a.float(), gate.float(), dy.float()
        share = torch.sigmoid(gate)
        return (dy * gate * share).to(y.dtype), (dy * a * share * (1 + gate * (1 - share))).to(y.dtype)

    yield "compiled", gradients, (a.detach(), gate.detach(), dy), True


def gates(torch, device, wants):
    large = device.type == "cuda"
    rows, width, size = 16384 if large else 1024, 2048, 64
    dtype = torch.bfloat16 if large else torch.float32

    def made(*shape):
        return torch.randn(*shape, device=device).to(dtype)

    def queries_and_keys():
        heads = width // size
        return made(8, rows // 8, 3 * heads, size)[:, :, : 2 * heads]

    def halves():
        return made(rows, 2 * width).chunk(2, -1)

    for row, ways_of in (("rotary.halves", lambda: rotary_ways(torch, queries_and_keys(), False)),
                         ("rotary.interleaved", lambda: rotary_ways(torch, queries_and_keys(), True)),
                         ("gated.silu", lambda: gated_ways(torch, *halves())),
                         ("gated.silu.backward", lambda: gated_backward_ways(torch, *halves(), made(rows, width)))):
        if not wants(row):
            continue

        def make(place, stream):
            # Made here, so that gradients are of this stream.
            _, function, arguments, compiles = list(ways_of())[place]
            if compiles:
                function = compiled(torch, function, *arguments)
            # As there, each result of this row has memory of its own; the others' go at once.
            kept = collections.deque(maxlen=CALLS if row == "gated.silu" else 0)

            def call():
                kept.append(function(*arguments))

            return captured(torch, call, CALLS, stream) if large else call

        names = [name for name, *_ in ways_of()]
        yield row, best(torch, row, [(name, lambda stream, place=place: make(place, stream)) for place, name in enumerate(names)], large), CALLS if large else 1
