// Declares products of matrices of whole numbers of 8 bits, less their zero points: exact sums in i32, modulo 2^32.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "ops/elementwise/row_side.h"
#include "ops/operators/element.h"
#include "ops/ops.h"
#include "ops/program/operator_task.h"
#include "ops/task/output.h"

namespace rondo::ops {

// Numbers of a row that are multiplied at once: a thread's memory has a line of them.
inline constexpr int64_t kMostNumbers = 1 << 14;

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
  // Null, or what results are made by, which are of another dtype then, over the rows of all batches; the last input of
  // its expression is the sum in i32.
  std::shared_ptr<const RowSide> after;

  void move_to(const Rebinding& memory) {
    memory.move_all(a, b, a_zero, b_zero, out);
    if (after) after = std::make_shared<RowSide>(memory.moved(*after));
  }
  void declare(Task& task) const;
  void list_operands(std::vector<TaskOperand>* list) const;
};

// An expression of the sums that a product of the host gives: the bits are those of both one by one.
struct IntegerEnd {
  const Fused& form;
  uint32_t sums;                 // a bit for each of its inputs: it is the sum
  std::span<const View> others;  // its other inputs, under the result's shape
  bool decided;                  // they are one task; else there is none if that were slower
};
// inputs: those of the product. Null: it is no task of that kind.
Ref<OperatorTask> finished_matmul_integer(const MatmulIntegerCall& call, std::span<const View> inputs, const View& out,
                                          const IntegerEnd& end);

Ref<OperatorTask> make_cpu_matmul_integer(const IntegerProduct& product);
Ref<OperatorTask> make_cuda_matmul_integer(const IntegerProduct& product);

}  // namespace rondo::ops
