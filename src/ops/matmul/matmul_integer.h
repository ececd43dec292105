// Declares products of matrices of whole numbers of 8 bits, less their zero points: exact sums in i32, modulo 2^32.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/operators/element.h"
#include "ops/ops.h"
#include "ops/program/operator_task.h"
#include "ops/task/output.h"

namespace rondo::ops {

// The arrays of a batch, in the order of its strides.
enum IntegerArray : int { kIntegerA, kIntegerB, kIntegerAZero, kIntegerBZero, kIntegerOut, kIntegerArrays };

struct IntegerProduct {
  View a, b, a_zero, b_zero, out;  // a zero point without storage: none
  int64_t m = 0, n = 0, k = 0;
  Dims<kIntegerArrays> batch;
  int64_t a_step[2] = {};    // between rows (m), between columns (k)
  int64_t b_step[2] = {};    // k, n
  int64_t out_step[2] = {};  // m, n
  int64_t a_zero_step = 0;   // m
  int64_t b_zero_step = 0;   // n

  void move_to(const Rebinding& memory) { memory.move_all(a, b, a_zero, b_zero, out); }
  void declare(Task& task) const;
  void list_operands(std::vector<TaskOperand>* list) const;
};

Ref<OperatorTask> make_cpu_matmul_integer(const IntegerProduct& product);
Ref<OperatorTask> make_cuda_matmul_integer(const IntegerProduct& product);

}  // namespace rondo::ops
