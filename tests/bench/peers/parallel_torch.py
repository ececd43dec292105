#!/usr/bin/env python3
"""The step of `parallel` with PyTorch: DistributedDataParallel on two GPUs, captured as one CUDA graph and eager.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import os
import statistics
import sys
import time

from comm_torch import RANKS, start

LAYERS, ROWS, RATE = 8, 256, 1e-3


def make_step(torch, width, rank):
    layers = []
    for i in range(LAYERS):
        layers.append(torch.nn.Linear(width, width))
        if i + 1 < LAYERS:
            layers.append(torch.nn.ReLU())
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        net = torch.nn.parallel.DistributedDataParallel(
            torch.nn.Sequential(*layers).cuda(), device_ids=[rank], gradient_as_bucket_view=True, static_graph=True
        )
    x, target = torch.randn(ROWS, width, device="cuda"), torch.randn(ROWS, width, device="cuda")
    optimizer = torch.optim.SGD(net.parameters(), lr=RATE)

    def step():
        optimizer.zero_grad(set_to_none=True)
        torch.nn.functional.mse_loss(net(x), target).backward()
        optimizer.step()

    return stream, step


def sample(torch, dist, launch):
    samples = []
    for _ in range(9):
        dist.barrier()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(50):
            launch()
        torch.cuda.synchronize()
        samples.append((time.perf_counter() - begin) / 50 * 1e6)
    return statistics.median(samples)


def measure(rank, port):
    os.environ["TORCH_NCCL_ASYNC_ERROR_HANDLING"] = "0"  # a capture needs it
    import torch
    import torch.distributed as dist

    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.cuda.set_device(rank)
    torch.backends.cuda.matmul.allow_tf32 = True
    dist.init_process_group("nccl", rank=rank, world_size=RANKS)
    for width in (256, 1024):
        stream, step = make_step(torch, width, rank)
        with torch.cuda.stream(stream):
            for _ in range(11):  # DistributedDataParallel looks for so many steps how it goes
                step()
            eager = sample(torch, dist, step)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            step()
        captured = sample(torch, dist, graph.replay)
        if rank == 0:
            print(f"8 x {width:<5} PyTorch {torch.__version__}: captured {captured:8.1f} us a step, eager {eager:8.1f}", flush=True)
        del graph
    torch.cuda.synchronize()
    os._exit(0)  # a group that was captured waits without end when it is destroyed


if __name__ == "__main__":
    sys.exit(start(measure))
