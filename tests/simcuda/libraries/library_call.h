// What other simulated libraries ask of the simulated driver: a piece of device work that they compute themselves, put
// in a stream like a kernel. Found with dlsym in libcuda.so.1.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "../abi.h"

struct SimcudaLibraryRange {
  std::uint64_t address, bytes;
  SimcudaAccess kind;
};

struct SimcudaLibraryCall {
  const char* name;
  void (*run)(void* argument);      // on a worker, when the stream comes to it; in a graph at each launch
  void (*destroy)(void* argument);  // when nothing can run it any more; once, also if the call fails
  void* argument;
  const SimcudaLibraryRange* ranges;  // all the device memory it touches; checked before each run
  std::size_t n_ranges;
  int microseconds;  // beyond what it needs; waited for, or told where time is
};

// Types of the two functions that libcuda.so.1 has for this: simcuda_library_call puts work in a stream (or in the
// graph it is captured into), with the driver's result; simcuda_library_report says what a correct program would not
// have done.
using SimcudaLibraryCallFn = int(void* stream, const SimcudaLibraryCall* call);
using SimcudaLibraryReportFn = void(const char* text);
