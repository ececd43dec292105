// Matrix products inside: one form for all layouts and devices, out[b] = activation(a[b] a matrix m x k, b[b] k x n,
// + bias).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/element.h"
#include "ops/ops.h"
#include "ops/prepared.h"

namespace rondo::ops {

struct Product {
  View a, b, bias, out;  // bias.storage null: none
  int64_t m = 0, n = 0, k = 0;
  Dims<3> batch;             // arrays: a, b, out
  int64_t a_step[2] = {};    // between rows (m), between columns (k)
  int64_t b_step[2] = {};    // k, n
  int64_t out_step[2] = {};  // m, n
  int64_t bias_step = 0;     // n
  rondo_activation activation = RONDO_ACTIVATION_NONE;
  bool allow_tf32 = false;

  rondo_dtype dtype() const { return out.dtype; }
  bool has_bias() const { return bias.storage != nullptr; }
  bool has_epilogue() const { return has_bias() || activation != RONDO_ACTIVATION_NONE; }
  void declare(Task& task) const;
  void list_operands(std::vector<TaskOperand>* list) const;
};

inline constexpr const char* kMatmul = "rondo_matmul";

Ref<Task> make_cpu_matmul(const Product& product);
Ref<Task> make_cuda_matmul(const Product& product);

}  // namespace rondo::ops
