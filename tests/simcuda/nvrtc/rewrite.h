// Turns preprocessed CUDA C++ into what the host compiler accepts: finds the kernels, gives dynamic shared memory an
// address. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace simcuda {

struct KernelName {
  std::string name;
  std::string max_threads = "0";  // an expression: the first argument of __launch_bounds__
};

struct Rewritten {
  std::string text;
  std::vector<KernelName> kernels;
  std::string error;  // not empty: what the stand-in refuses
};

Rewritten rewrite(const std::string& preprocessed);

}  // namespace simcuda
