"""Rows of recommender.cc and gates.cc with PyTorch: the same sizes and dtypes, of a GPU captured as there, in several ways.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import collections

from peer_ways import CALLS, Ways, captured

TABLES, WIDTH, DENSE = 26, 64, 13
BELOW, ABOVE = (DENSE, 512, 256, WIDTH), (WIDTH + (TABLES + 1) * TABLES // 2, 512, 256, 1)
RATE = 0.01
WAYS = ("together", "sparse", "dense")  # how the tables are read and trained


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

        def loss_of(vectors):
            front = network(self.below, self.dense, False)
            every = torch.cat([front[:, None], *vectors], 1)
            products = torch.bmm(every, every.transpose(1, 2)).flatten(1).index_select(1, pairs)
            logits = network(self.above, torch.cat([front, products], 1), True)
            return functional.binary_cross_entropy_with_logits(logits, self.labels)

        self.loss_of = loss_of  # which may be compiled

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
            loss = self.loss_of(vectors)
            loss.backward()
            for each in optimizers:
                each.step()
            if self.together:
                self.tables[0].index_add_(0, self.indices.view(-1), rows.grad, alpha=-RATE)
            return loss.detach()

        self.step = step


def recommenders(torch, device, wants, compiles):
    large = device.type == "cuda"
    torch.set_float32_matmul_precision("highest")  # no TF32, as there
    for batch in (256, 2048):
        row = f"dlrm.{batch}"
        if not wants(row):
            continue
        ways = Ways(torch, row, device, compiles)

        def make(way, stream, compiled):
            made = Recommender(torch, device, 20000 if large else 2000, batch, way)
            if compiled:
                def first(loss_of):
                    made.loss_of = loss_of
                    made.step()

                ways.compiled(made.loss_of, first)
            return captured(torch, made.step, 1, stream) if large else made.step

        for way in WAYS:
            ways.add(way, lambda stream: make(way, stream, False))
            if compiles and way != "sparse":  # whose look-up is most of it
                ways.add(f"{way} compiled", lambda stream: make(way, stream, True))
        yield ways, 1


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


def gates(torch, device, wants, compiles):
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

        ways = Ways(torch, row, device, compiles)

        def make(place, stream):
            # Made here, so that gradients are of this stream.
            _, function, arguments, by_compiler = list(ways_of())[place]
            if by_compiler:
                function = ways.compiled(function, lambda of: of(*arguments))
            # As there, each result of this row has memory of its own; the others' go at once.
            kept = collections.deque(maxlen=CALLS if row == "gated.silu" else 0)

            def call():
                kept.append(function(*arguments))

            return captured(torch, call, CALLS, stream) if large else call

        for place, (name, _, _, by_compiler) in enumerate(ways_of()):
            if compiles or not by_compiler:
                ways.add(name, lambda stream: make(place, stream))
        yield ways, CALLS if large else 1
