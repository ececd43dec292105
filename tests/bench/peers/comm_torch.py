#!/usr/bin/env python3
"""All-reduce of PyTorch's NCCL between two GPUs, twenty chained in a CUDA graph: the rows beside those of `comm`.

Two processes, one for each GPU. Says in one line why it cannot run where PyTorch or the GPUs are missing.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import os
import statistics
import sys

RANKS = 2
CHAINED = 20
SIZES = (4 << 10, 64 << 10, 1 << 20, 64 << 20)


def measure(rank, port):
    import torch
    import torch.distributed as dist

    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=RANKS)
    for size in SIZES:
        data = torch.zeros(size // 4, device="cuda")
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(3):
                dist.all_reduce(data)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(CHAINED):
                dist.all_reduce(data)
        launches = 3 if size > 1 << 20 else 20
        samples = []
        for _ in range(7):
            dist.barrier()
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            for _ in range(3):
                graph.replay()
            begin.record()
            for _ in range(launches):
                graph.replay()
            end.record()
            torch.cuda.synchronize()
            samples.append(begin.elapsed_time(end) * 1000 / launches / CHAINED)
        if rank == 0:
            version = ".".join(map(str, torch.cuda.nccl.version()))
            name = f"PyTorch {torch.__version__}, NCCL {version}"
            print(f"{size:9} bytes  {name:34} {statistics.median(samples):8.2f} us", flush=True)
        del graph
    torch.cuda.synchronize()
    os._exit(0)  # a group that was captured waits without end when it is destroyed


def start(measure):
    """measure(rank, port) in a process for each GPU; 0, or why not."""
    try:
        import torch
    except ImportError as problem:
        print(f"PyTorch's rows cannot run: {problem}")
        return 0
    if torch.cuda.device_count() < RANKS:
        print(f"PyTorch's rows cannot run: it sees {torch.cuda.device_count()} GPUs")
        return 0
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    torch.multiprocessing.start_processes(measure, args=(port,), nprocs=RANKS, start_method="spawn")
    return 0


if __name__ == "__main__":
    sys.exit(start(measure))
