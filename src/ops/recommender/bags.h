// Declares the internals of bags of rows: the plan that the tasks of both devices are made from (rtc/device/bags.h).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/recommender.h>

#include <optional>
#include <span>
#include <vector>

#include "ops/program/kinds.h"
#include "ops/program/operator_task.h"
#include "ops/task/output.h"
#include "rtc/device/bags.h"

namespace rondo::ops {

enum class BagTask : uint8_t { sum, gradient, descend };

struct BagPlan {
  BagTask what = BagTask::sum;
  // Rows to read, to make steps, or for their gradients; in the last case without storage if not wanted.
  std::vector<View> tables;
  std::vector<int64_t> rows;  // of each
  View indices;               // [tables, batch, length], with offsets [length]
  View sums;                  // [batch, tables, width], or the gradient of that
  std::optional<View> offsets, rate, finite, scale;
  Ref<Variable> checked;  // of a check of the indices; null: there was none
  bool mean = false;

  const char* name() const;
  Engine& engine() const { return sums.engine(); }
  Device& device() const { return sums.device(); }
  // All but addresses, and but for what a launch does of it.
  device::BagFacts facts() const;
  int64_t places() const { return indices.elements(); }
  int64_t first_row(size_t table) const;
  void move_to(const Rebinding& memory) { memory.move_all(tables, indices, sums, offsets, rate, finite, scale); }
  void list_operands(std::vector<TaskOperand>* list) const;
  void declare(Task& task) const;
};

// The arguments of all functions of bags.
struct Bags {
  std::span<const View> tables;
  const View* indices;
  const View* offsets;  // null: bags of one length
  rondo_bag_mode mode;
};

Status embedding_bag(const Bags& bags, Output& out);
// The gradients of tables of so many rows, those that have a place for it, which must be empty.
Status embedding_bag_grad(const View& indices, const View* offsets, const View& dy, const EmbeddingBagGradCall& call,
                          std::span<rondo_tensor** const> gradients);
// The numbers that a step depends on, of one element each; null: there is none.
struct BagStep {
  const View *rate, *finite, *scale;
};
Status embedding_bag_descend(const Bags& bags, const View& gradient, const BagStep& step);

// Indices that stand outside, and offsets that decrease or lie outside, are an error on an engine that checks indices.
Status check_bags(BagPlan* plan);

Ref<OperatorTask> make_cpu_bags(BagPlan plan);
Ref<OperatorTask> make_cuda_bags(BagPlan plan);

}  // namespace rondo::ops
