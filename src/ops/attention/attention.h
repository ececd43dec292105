// Declares the internals of attention: one plan for the operator and for its gradient, on all devices. The arithmetic
// of a key and a query is in rtc/device/attention.h.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "ops/operators/element.h"
#include "ops/ops.h"
#include "ops/program/kinds.h"
#include "ops/program/operator_task.h"
#include "rtc/device/attention/attention.h"

namespace rondo::ops {

// The operands that there may be besides queries, keys and values.
struct AttentionExtras {
  const View *mask = nullptr, *query_lengths = nullptr, *key_lengths = nullptr;
};

// As for rondo_attention. lse: where the logarithms go, or null.
Status attention(const View& q, const View& k, const View& v, const AttentionNumbers& numbers,
                 const AttentionExtras& extras, Output& out, Output* lse);

// The results that the operator left for its gradient.
struct AttentionLeft {
  View out, lse;
  const View* draw = nullptr;  // of dropout: where its numbers began
};
// The gradients of q, k and v by that of out and, unless it is null, of lse.
// The operator with all that it leaves, which are tensors to write.
Status attention_leaving(const View& q, const View& k, const View& v, const AttentionNumbers& numbers,
                         const AttentionExtras& extras, const AttentionLeft& left);
Status attention_grad(const View& q, const View& k, const View& v, const AttentionNumbers& numbers,
                      const AttentionExtras& extras, const AttentionLeft& left, const View& dy, const View* dlse,
                      Output& dq, Output& dk, Output& dv);

// Writes the factor that dropout gave each part of the result, [batch, heads, queries, keys]: 0, or 1 divided by the
// share it left; in the dtype that q is computed in. draw: where its numbers began.
Status attention_kept(const AttentionKeptCall& call, const View& draw, rondo_dtype dtype, const Layout& shape,
                      Output& out);

struct AttentionPlan {
  const char* name = nullptr;
  std::optional<View> view[device::kAttentionArrays];  // delta is scratch memory
  AttentionNumbers numbers = {};
  bool gradient = false;
  bool kept = false;  // what attention_kept makes; q and k are only shapes, shown by its memory

  const View& q() const { return *view[device::kAttentionQ]; }
  bool has(int array) const { return view[array].has_value(); }
  bool drops() const { return numbers.dropped > 0; }
  int64_t batch() const { return q().layout.shape[0]; }
  int64_t queries() const { return q().layout.shape[1]; }
  int64_t heads() const { return q().layout.shape[2]; }
  int64_t size() const { return q().layout.shape[3]; }
  int64_t keys() const { return view[device::kAttentionK]->layout.shape[1]; }
  int64_t key_heads() const { return view[device::kAttentionK]->layout.shape[2]; }
  bool uses(int array) const {
    return view[array] && (!kept || array == device::kAttentionDraw || array == device::kAttentionOut);
  }
  bool writes(int array) const {
    if (kept) return array == device::kAttentionOut;
    return gradient
               ? array >= device::kAttentionDq
               : array == device::kAttentionOut || array == device::kAttentionLse || array == device::kAttentionDraw;
  }
  // Counters of random numbers that the operator draws.
  uint64_t draws() const;
  size_t delta_bytes() const;
  // Without addresses.
  device::AttentionArguments arguments() const;
  device::AttentionMask mask() const {
    if (!has(device::kAttentionMask)) return device::AttentionMask::none;
    return view[device::kAttentionMask]->dtype == RONDO_BOOL ? device::AttentionMask::chosen
                                                             : device::AttentionMask::added;
  }
  void move_to(const Rebinding& memory) {
    for (std::optional<View>& each : view) memory.move(&each);
  }
  void declare(Task& task) const;
  void list_operands(std::vector<TaskOperand>* list) const;
};

Ref<OperatorTask> make_cpu_attention(const AttentionPlan& plan);
Ref<OperatorTask> make_cuda_attention(const AttentionPlan& plan);

}  // namespace rondo::ops
