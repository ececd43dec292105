// Modules of the user's: a text of CUDA C++, compiled once and loaded, with the kernels that were asked for by name.
// They stay loaded until the process ends, as Rondo's own kernels do: the same text with the same kernels and options
// on one device is one module, its variables too. Any thread may call; several modules compile side by side.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "device/cuda/cuda_device.h"
#include "rtc/compiler.h"

namespace rondo::rtc {

struct UserKernel {
  cuda::CUfunction function = nullptr;
  int max_threads = 1024;      // per block, as compiled
  int max_dynamic_shared = 0;  // bytes that a launch may ask for
};

struct UserModule {
  std::vector<UserKernel> kernels;  // one per expression of the source
};

// Blocks while it compiles. *module stays valid.
Status find_user_module(cuda::CudaDevice& device, const UserSource& source, const UserModule** module);

}  // namespace rondo::rtc
