// GPUs that need not be there: what a real cuDNN wants to know of one to make plans for it. Numbers are those of public
// data sheets and of NVIDIA's table of compute capabilities.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace toolkits {

struct Gpu {
  int architecture;  // compute capability times ten
  const char* name;
  int multiprocessors;
  int64_t memory_mb;
  int l2_kb;
  int blocks, threads;            // of a multiprocessor at once
  int shared_kb, shared_most_kb;  // of a block: without asking for more, and with
  int reserved_bytes;             // of it, for the system
  int clock_mhz, memory_clock_mhz, bus_bits;
};

inline constexpr Gpu kGpus[] = {
    {75, "Tesla T4", 40, 15360, 4096, 16, 1024, 48, 64, 0, 1590, 5001, 256},
    {80, "NVIDIA A100-SXM4-40GB", 108, 40960, 40960, 32, 2048, 48, 163, 1024, 1410, 1215, 5120},
    {86, "NVIDIA GeForce RTX 3090", 82, 24576, 6144, 16, 1536, 48, 99, 1024, 1695, 9751, 384},
    {89, "NVIDIA GeForce RTX 4090", 128, 24576, 73728, 24, 1536, 48, 99, 1024, 2520, 10501, 384},
    {90, "NVIDIA H100 80GB HBM3", 132, 81920, 51200, 32, 2048, 48, 227, 1024, 1980, 2619, 5120},
    {100, "NVIDIA B200", 148, 183296, 129024, 32, 2048, 48, 227, 1024, 1965, 3996, 8192},
    {120, "NVIDIA GeForce RTX 5090", 170, 32768, 98304, 24, 1536, 48, 99, 1024, 2407, 14001, 512},
};

}  // namespace toolkits
