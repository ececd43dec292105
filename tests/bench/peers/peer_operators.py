"""Operators of operators.cc with PyTorch or NumPy, on square matrices of which each has the given side.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import itertools

from peer_ways import CALLS, Ways, captured


def operators(torch, numpy, like, side):
    """(row, call) of one of the libraries; `like` is an array where the operands shall be."""
    return of_torch(torch, like.device, side) if torch else of_numpy(numpy, side)


# Channels in and out, side, kernel: those of backward.cc.
SHAPES = ((64, 64, 56, 3), (128, 128, 28, 3), (256, 256, 14, 3), (512, 512, 7, 3), (256, 64, 56, 1), (512, 128, 28, 1), (1024, 256, 14, 1))
PAIRS = 10


def backward(torch, device, wants, compiles):
    """Both gradients of a convolution; of a GPU so many pairs captured, as there. Yields (ways, units of each call)."""
    torch.backends.cudnn.benchmark = True
    large = device.type == "cuda"
    for inputs, outputs, side, kernel in SHAPES:
        row = f"backward.{inputs}.{side}"
        if not wants(row):
            continue

        def image(*shape):
            made = torch.randn(*shape, device=device, dtype=torch.float16 if large else torch.float32)
            return made.to(memory_format=torch.channels_last)

        batch = 32 if large else 1
        x, w, dy = image(batch, inputs, side, side), image(outputs, inputs, kernel, kernel), image(batch, outputs, side, side)
        pad = [kernel // 2] * 2

        def pair(dy, x, w):
            return torch.ops.aten.convolution_backward(dy, x, w, None, [1, 1], pad, [1, 1], False, [0, 0], 1, [True, True, False])

        count = PAIRS if large else 1
        ways = Ways(torch, row, device, compiles)
        ways.add_function(pair, count, (dy, x, w))
        yield ways, count


@contextlib.contextmanager
def deterministic(torch, on):
    """With the same bits in every run, as Rondo has them; new memory is not filled, which would be measured too."""
    torch.utils.deterministic.fill_uninitialized_memory = False
    torch.use_deterministic_algorithms(on)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


def attention(torch, device, wants, _compiles):
    """The rows of attention of sequences.cc, by each of PyTorch's backends that takes them; of a GPU so many captured, as there. The
    gradients also with the same bits in every run: the backends' usual way adds by atomic operations. The compiler has no kernel
    of its own for these calls, so it is not asked."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    attend = torch.nn.functional.scaled_dot_product_attention
    large = device.type == "cuda"
    dtype = torch.bfloat16 if large else torch.float32
    backends = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION, "efficient": SDPBackend.EFFICIENT_ATTENTION}
    for size, places, causal, backward in itertools.product((64, 128), (128, 512, 1024, 4096, 16384), (False, True), (False, True)):
        if not large and places > 1024:
            continue
        row = f"attention.{size}.{places}" + (".causal" if causal else "") + (".backward" if backward else "")
        if not wants(row):
            continue
        batch, heads = max((16384 if large else 1024) // places, 1), (2048 if large else 256) // size
        packed = torch.randn(batch, places, 3, heads, size, device=device).to(dtype)
        q, k, v = (packed[:, :, i].transpose(1, 2).detach().requires_grad_(backward) for i in range(3))
        dy = torch.randn(batch, places, heads, size, device=device).to(dtype).transpose(1, 2)

        def call_of(backend, same, stream):
            with deterministic(torch, same):
                with sdpa_kernel(backend):
                    y = attend(q, k, v, is_causal=causal) if backward else None

                def call():
                    if backward:
                        return torch.autograd.grad(y, (q, k, v), dy, retain_graph=True)
                    with sdpa_kernel(backend):
                        return attend(q, k, v, is_causal=causal)

                call()
                return captured(torch, call, CALLS, stream) if large else call

        ways = Ways(torch, row, device, False)
        for name, backend in backends.items() if large else [("flash", SDPBackend.FLASH_ATTENTION)]:
            ways.add(name, lambda stream: call_of(backend, False, stream))
            if backward and large:
                ways.add(f"{name} deterministic", lambda stream: call_of(backend, True, stream))
        yield ways, CALLS if large else 1


def recurrent(torch, device, wants, compiles):
    """The rows of recurrent layers of sequences.cc, on a GPU captured too."""
    large = device.type == "cuda"
    dtype = torch.float16 if large else torch.float32
    steps, batch, width = (128, 64, 512) if large else (32, 8, 128)
    for name, layer, backward in (("lstm", torch.nn.LSTM, False), ("lstm", torch.nn.LSTM, True), ("gru", torch.nn.GRU, False), ("gru", torch.nn.GRU, True)):
        row = f"{name}." + ("train" if backward else "ask")
        if not wants(row):
            continue
        made = layer(width, width, device=device, dtype=dtype)
        x, dy = (torch.rand(steps, batch, width, device=device).to(dtype) for _ in range(2))
        x.requires_grad_(backward)
        ways = Ways(torch, row, device, compiles)

        def make(stream, compiled):
            def forward(x):
                return made(x)[0]

            def asked(x):
                with torch.no_grad():
                    return made(x)[0]

            def once(of):
                return torch.autograd.grad(of(x), (x, *made.parameters()), dy) if backward else of(x)

            of = forward if backward else asked
            if compiled:
                of = ways.compiled(of, once)

            def call():
                return once(of)

            return captured(torch, call, 1, stream) if large else call

        ways.add("captured" if large else "as written", lambda stream: make(stream, False))
        if compiles:
            ways.add("compiled", lambda stream: make(stream, True))
        yield ways, 1


def adamw(torch, device, wants, compiles):
    """A step of AdamW over the tensors of optimizers.cc, the fused one and the compiler's, on a GPU captured too."""
    large = device.type == "cuda"
    width = 768
    shapes = [(30522 if large else 1000, width), (512, width), (2, width), (width,), (width,)]
    for _ in range(12 if large else 2):
        for rows, columns in ((width, width),) * 4 + ((width, 0), (4 * width, width), (width, 4 * width), (width, 0)):
            shapes += [(rows, columns) if columns else (rows,), (rows,)]
    shapes += [(width, width), (width,)]
    parameters = [torch.rand(shape, device=device, requires_grad=True) for shape in shapes]
    for each in parameters:
        each.grad = torch.rand_like(each)
    fused = torch.optim.AdamW(parameters, fused=True, capturable=large)
    if wants("adamw.f32"):
        ways = Ways(torch, "adamw.f32", device, False)
        ways.add("as written", lambda _: fused.step)
        yield ways, 1
    if not large or not wants("adamw.f32.graph"):
        return
    ways = Ways(torch, "adamw.f32.graph", device, compiles)
    ways.add("captured", lambda stream: captured(torch, fused.step, 1, stream))

    def make(stream):
        plain = torch.optim.AdamW(parameters, foreach=True, capturable=True)
        return captured(torch, ways.compiled(lambda: plain.step(), lambda step: step()), 1, stream)

    if compiles:
        ways.add("compiled", make)
    yield ways, 1


def of_torch(torch, device, side):
    cpu = device.type == "cpu"
    narrow = ((torch.bfloat16, "bf16"),) if cpu else ()
    for dtype, name in ((torch.float32, "f32"), (torch.float16, "f16"), (torch.int32, "i32"), *narrow):
        whole = name == "i32"

        def made(*shape):
            return (torch.rand(shape, device=device) * (2000 if whole else 4) - (1000 if whole else 2)).to(dtype)

        a, b, c, row, column = made(side, side), made(side, side), made(side, side), made(side), made(side, 1)
        yield f"add.{name}", lambda: torch.add(a, b, out=c)
        if name in ("i32", "bf16"):
            continue
        yield f"exp.{name}", lambda: torch.exp(a, out=c)
        yield f"tanh.{name}", lambda: torch.tanh(a, out=c)
        yield f"add.row.{name}", lambda: torch.add(a, row, out=c)
        yield f"add.transposed.{name}", lambda: torch.add(a, b.t(), out=c)
        yield f"sum.{name}", lambda: torch.sum(a)
        yield f"sum.0.{name}", lambda: torch.sum(a, 0)
        yield f"softmax.{name}", lambda: torch.softmax(a, -1)
        left, right, bias = made(side // 4, side // 4), made(side // 4, side // 4), made(side // 4)
        yield f"matmul.gelu.{name}", lambda: torch.nn.functional.gelu(torch.addmm(bias, left, right))
        if cpu:
            if name == "f32":
                small = made(1024, 1024)
                yield "matmul.f32", lambda: torch.matmul(small, small)
            continue
        packed = made(32, 128, 3, 16, 64)
        queries, keys = packed[:, :, 0].permute(0, 2, 1, 3), packed[:, :, 1].permute(0, 2, 3, 1)
        yield f"matmul.heads.{name}", lambda: torch.matmul(queries, keys)
        yield f"add.column.{name}", lambda: torch.add(a, column, out=c)
        yield f"copy.transposed.{name}", lambda: c.copy_(b.t())
        yield f"sum.1.{name}", lambda: torch.sum(a, 1)
        yield f"softmax.0.{name}", lambda: torch.softmax(a, 0)
        yield f"softmax.long.{name}", lambda: torch.softmax(a.view(-1), 0)
        yield f"add.misaligned.{name}", lambda: torch.add(a.view(-1)[1:], b.view(-1)[1:], out=c.view(-1)[1:])
        yield f"normal.{name}", lambda: c.normal_()
        turns = itertools.cycle(range(0, side, side // 16))

        def strided():
            first = next(turns)
            return torch.sum(a[:, first : first + side * 1000 // 16384], 1)

        yield f"sum.strided.{name}", strided
        yield f"gelu.{name}", lambda: torch.nn.functional.gelu(a, approximate="tanh")


def of_numpy(np, side):
    generator = np.random.default_rng(1)
    # Of u8 nothing but zeros, as there.
    for dtype, name, low, high in ((np.float32, "f32", -2, 2), (np.float16, "f16", -2, 2), (np.int32, "i32", -1000, 1000), (np.uint8, "u8", 0, 1)):
        def made(*shape):
            return (generator.random(shape, dtype=np.float32) * (high - low) + low).astype(dtype)

        a, b, c, row = made(side, side), made(side, side), made(side, side), made(side)
        yield f"add.{name}", lambda: np.add(a, b, out=c)
        yield f"max.{name}", lambda: a.max()
        if name == "u8":
            yield "any.u8", lambda: a.any()
        if name in ("i32", "u8"):
            continue
        yield f"max.0.{name}", lambda: a.max(0)
        yield f"argmax.1.{name}", lambda: a.argmax(1)
        yield f"exp.{name}", lambda: np.exp(a, out=c)
        yield f"add.row.{name}", lambda: np.add(a, row, out=c)
        yield f"add.transposed.{name}", lambda: np.add(a, b.T, out=c)
        yield f"sum.{name}", lambda: a.sum()
        yield f"sum.0.{name}", lambda: a.sum(0)

        def softmax():
            np.subtract(a, a.max(1, keepdims=True), out=c)
            np.exp(c, out=c)
            np.divide(c, c.sum(1, keepdims=True), out=c)

        yield f"softmax.{name}", softmax
        yield f"tanh.{name}", lambda: np.tanh(a, out=c)
        if name == "f32":
            small = made(1024, 1024)
            yield "matmul.f32", lambda: np.matmul(small, small)
            yield "cumsum.1.f32", lambda: np.cumsum(a, 1)
