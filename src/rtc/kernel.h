// Kernels compiled at run time: signature to loaded function, through a memory cache (lock-free hits), a disk cache of
// cubins, and NVRTC. Kernels belong to the process's device, are shared by all engines and are never unloaded.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "device/cuda/cuda_device.h"
#include "rtc/signature.h"

namespace rondo::rtc {

struct Kernel {
  cuda::CUfunction function = nullptr;
  int max_threads = 1024;  // per block, as compiled
  bool waits = false;      // it begins with a wait for the kernels before it, so that it may be launched early
  // Uses since it was loaded. Who keeps the kernel instead of asking for it again counts that here. A plain increment:
  // the count may miss one when two threads meet, which is cheaper than a locked one on every launch.
  void count_hit() const { hits.store(hits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  mutable std::atomic<int64_t> hits{0};
};

// Text of a kernel: CUDA C++ in the common subset (rtc/device/), without the prelude, which the compiler adds. The one
// `extern "C" __global__` function is called "rondo_kernel", takes one struct by value, and is the last thing that is
// called so. The prelude's begin_kernel() is put at its beginning, unless the text calls it.
using Generator = std::function<std::string()>;

// Finds the kernel, compiling it if this is the first request; threads that ask for a kernel being compiled wait for
// it, others go on. `name` is for messages and for people who look into the disk cache. `generate` is called only on a
// miss. *kernel stays valid.
Status find_kernel(cuda::CudaDevice& device, const Signature& signature, const char* name, const Generator& generate,
                   const Kernel** kernel);

// Compiles a small kernel for the device and loads it, past the caches: whether find_kernel can do its work.
Status try_kernel(cuda::CudaDevice& device);

// Uses of kernels that were loaded already, since the process began.
int64_t kernel_memory_hits();

}  // namespace rondo::rtc
