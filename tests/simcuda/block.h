// Runs one block of a simulated kernel: its lanes as fibers on the calling thread.
//
// A kernel that never synchronises costs a plain loop: one fiber runs lane after lane. Only when a lane has to wait
// does it keep that fiber, and a new one carries on with the lanes not yet begun. Lanes begin in a seeded order, so a
// missing
// __syncthreads shows. This file and block.cc are built without sanitizers: their stacks are not the thread's own.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "abi.h"

namespace simcuda {

struct BlockLaunch {
  const SimcudaKernel* kernel;
  void** arguments;
  SimcudaLane lane;                         // template of every lane: dimensions, block index, heap, ranges
  std::uint64_t heap_bytes_after_wait = 0;  // a programmatic launch starts with lane.heap_bytes 0
  bool gated = false;                       // the kernels before it may not have ended: its wait is one
  std::uint64_t order = 0;                  // 0: lanes begin in ascending order
  void* user = nullptr;                     // for the driver's callbacks
};

struct BlockResult {
  int error = 0;  // CUDA error code that ended the block
  std::string text;
  bool waited = false;  // some lane waited for the kernels before it
};

// What the driver answers when a kernel calls back. Called on a fiber's stack: each must return before another lane
// runs.
struct BlockCallbacks {
  // 0 when the access is allowed, else the error that ends the kernel, with its text.
  int (*access)(const BlockLaunch&, const SimcudaLane&, std::uint64_t address, std::uint64_t bytes, int kind,
                std::string* text);
  void (*set_conditional)(const BlockLaunch&, std::uint64_t handle, unsigned value);
  // Every lane of the block that has not ended waits for the kernels before it. Called on the worker's stack; returns
  // when those have ended, and the launch is gated no longer.
  void (*grid_wait)(const BlockLaunch&);
};

BlockResult run_block(const BlockLaunch& launch, const BlockCallbacks& callbacks);

}  // namespace simcuda
