// Says what to do about a driver that is there and does not work: it ends the error of its devices, and `rondo doctor`
// prints it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "dynlib/cuda_types.h"

namespace rondo::cuda {

struct NextStep {
  std::string text;
  std::string command;  // that does it, or shows what to do it with
};

// By what the driver answered when it was asked for devices, and by what this process sees of the system. CUDA_SUCCESS:
// it shows none.
NextStep next_step(CUresult answer);

enum class DriverNode { absent, behind_none, works };
// The device file through which the driver library speaks to the kernel. A library that runs as root makes it although
// nothing answers there.
DriverNode driver_node();

}  // namespace rondo::cuda
