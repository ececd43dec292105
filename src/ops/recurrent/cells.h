// Computes the part of a recurrent step after its product, and the part of its gradient before the product: one
// expression each, over [batch, hidden].
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <utility>

#include "ops/ops.h"
#include "ops/program/kinds.h"

namespace rondo::ops {

// A part of a view along its first axis, without that axis; along its last one.
View at(const View& view, int64_t place);
View columns(const View& view, int64_t first, int64_t count);

// An owned tensor for intermediate values.
struct Scratch {
  Handle handle;
  View view;
  Scratch() = default;
  Scratch(const View& like, rondo_dtype dtype, std::initializer_list<int64_t> shape);
  Scratch(Scratch&& other) noexcept : view(other.view) { std::swap(handle.tensor, other.handle.tensor); }
  Scratch& operator=(Scratch&& other) noexcept {
    std::swap(handle.tensor, other.handle.tensor);
    view = other.view;
    return *this;
  }
};

struct CellPlaces {
  int64_t step = 0;               // in the order of time, as lengths count
  const View* lengths = nullptr;  // or null
};

// A step: gates are the inputs' sums, and become what the gates are; `product` is that of the states.
struct CellStep : CellPlaces {
  View gates, product;  // [batch, gates * hidden], as computed
  View before, behind;  // states: in x's dtype, or of a GRU as computed
  View rounded;         // of a GRU in 16 bits: the states after the step, in x's dtype
  View cells_before, cells_behind, inner;
  const View* inner_bias = nullptr;  // of a GRU: [hidden]
  View out;                          // zeros after the lengths
};
Status run_cell(const RecurrentForm& form, const CellStep& step);

// Its gradient. state: the gradient that comes in through the states after the step, and then the one that goes on to
// those before without the product; of the cells: the same.
struct CellGradient : CellPlaces {
  View gates, before, behind, cells_before, cells_behind, inner;
  View dy, state, cell;
  View change, state_change;  // of the sums, [batch, gates * hidden]; of a GRU's states' product
};
Status run_cell_gradient(const RecurrentForm& form, const CellGradient& step);
// True if a gradient goes on to the states before without the product.
inline bool passes_by(const RecurrentForm& form, bool lengths) {
  return lengths || form.kind == RecurrentKind::gru;
}

// first + second, as computed; of n >= columns, the second is left out.
Status add_biases(const View& first, const View& second, int64_t count, const View& to);

}  // namespace rondo::ops
