// Declares the internals of matrix products: one form for all layouts and devices, out[b] = activation(a[b] a matrix m
// x k, b[b] k x n, + bias), or what an expression makes of the elements of a[b] b[b].
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "ops/elementwise/row_side.h"
#include "ops/operators/element.h"
#include "ops/ops.h"
#include "ops/program/operator_task.h"
#include "ops/task/submit.h"

namespace rondo::ops {

// How far the operands of two products lie apart, in elements. `out` is 0 if the results lie in memory of their own.
struct BatchStrides {
  int64_t a = 0, b = 0, out = 0;
  bool operator==(const BatchStrides&) const = default;
};

struct Product {
  // The library's choice depends on which powers of two, up to this one, divide the addresses of its operands.
  static constexpr int64_t kAligned = 256;

  View a, b, bias, out;  // bias.storage null: none
  int64_t m = 0, n = 0, k = 0;
  Dims<3> batch;             // arrays: a, b, out
  int64_t a_step[2] = {};    // between rows (m), between columns (k)
  int64_t b_step[2] = {};    // k, n
  int64_t out_step[2] = {};  // m, n
  int64_t bias_step = 0;     // n
  rondo_activation activation = RONDO_ACTIVATION_NONE;
  bool allow_tf32 = false;
  Dims<1> rows;  // of the result, of all batches: row i of batch g is number g * m + i
  // Null, or what the results are made by, over those rows; the last input of its expression is the product's element,
  // which is in the compute dtype then, and in no memory.
  std::shared_ptr<const RowSide> after;

  rondo_dtype dtype() const { return a.dtype; }
  bool has_bias() const { return bias.storage != nullptr; }
  bool has_epilogue() const { return has_bias() || activation != RONDO_ACTIVATION_NONE || after; }
  void move_to(const Rebinding& memory) {
    memory.move_all(a, b, bias, out);
    if (after) after = std::make_shared<RowSide>(memory.moved(*after));
  }
  // Each of a batch has the bits that it has as a product of its own.
  bool as_alone = false;
  // How much further the operands of another product are that is otherwise the same, if it is.
  std::optional<BatchStrides> apart(const Product& other) const;
  // So many of those, one after the other.
  Product stacked(int64_t count, const BatchStrides& apart) const;
  void declare(Task& task) const;
  void list_operands(std::vector<TaskOperand>* list) const;
};

inline constexpr const char* kMatmul = "rondo_matmul";

// For messages.
struct MatmulNames {
  const char* a = "a";
  const char* b = "b";
};
// Checks dtypes and shapes of the operands, which may be in no memory yet, and finds the result's shape.
Status matmul_shape(const MatmulNames& names, const View& a, const View& b, const MatmulOptions& options,
                    Layout* shape);
// A product, of whose elements an expression makes results of this dtype, if there is one; a tape knows no gradient of
// that.
// `after`: its inputs lie over the result's shape; where they lie over rows is found here.
Status multiply(const MatmulNames& names, const View& a, const View& b, const MatmulOptions& options,
                std::shared_ptr<RowSide> after, rondo_dtype dtype, Output& out);

// A product within a recurrent layer, of operands that go together, into a view. It may be f32 where they have 16
// bits, with a bias of that dtype (no activation).
Status multiply_into(const View& a, const View& b, const MatmulOptions& options, const View& to);

Ref<OperatorTask> make_cpu_matmul(const Product& product);
Ref<OperatorTask> make_cuda_matmul(const Product& product);

// The products of a node's operands.
Product product_of(const MatmulCall& call, std::span<const View> inputs, const View& out);
Product product_of(const RecurrentProductCall& call, std::span<const View> inputs, const View& out);
Product batch_of(const BatchedMatmulCall& call, std::span<const View> inputs, const View& out);
// True if such a batch is one launch on a GPU, with the bits that it is to have.
bool is_one_launch(const Product& batch);

}  // namespace rondo::ops
