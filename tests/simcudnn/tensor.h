// Tensors of the simulated cuDNN, and the numbers in them. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "object.h"

namespace simcudnn {

struct Tensor {
  std::int64_t id = 0;
  int dtype = 0;
  std::int64_t alignment = 0;
  bool is_virtual = false, by_value = false;
  std::vector<std::int64_t> dims, strides;
};
Tensor read_tensor(const Object& object);
Tensor tensor_behind(const Object& operation, int attribute);

double load(const void* base, std::int64_t at, int dtype);
void store(void* base, std::int64_t at, int dtype, double value);
// As an element of the type has it.
double rounded(double value, int dtype);

}  // namespace simcudnn
