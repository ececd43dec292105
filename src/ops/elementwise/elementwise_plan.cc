// Plans an elementwise task: its key, its space, and where random numbers come from.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/elementwise_plan.h"

#include <algorithm>
#include <cstdlib>

#include "base/sort_few.h"
#include "rtc/device/philox.h"

namespace rondo::ops {

namespace {

struct Dimension {
  int64_t size;
  int64_t strides[kMaxOperands];
};

// True if all operands are dense, of the task's very shape: the usual case, which needs no planning.
bool all_dense(const Layout& shape, const View* const* views, int operands) {
  for (int k = 0; k < operands; ++k)
    if (!views[k]->layout.same_shape(shape) || !views[k]->layout.contiguous()) return false;
  return true;
}

// Dimensions of size > 1 with the strides of all operands, outermost first.
int spread(const Layout& shape, const View* const* views, int operands, Dimension* dimensions) {
  int count = 0;
  for (int i = 0; i < shape.ndim; ++i) {
    if (shape.shape[i] == 1) continue;
    Dimension& dimension = dimensions[count++];
    dimension.size = shape.shape[i];
    for (int k = 0; k < operands; ++k) {
      const Layout& layout = views[k]->layout;
      const int own = i - (shape.ndim - layout.ndim);
      dimension.strides[k] = own >= 0 && layout.shape[own] != 1 ? layout.strides[own] : 0;
    }
  }
  return count;
}

// Joins a dimension with the one inside it where one step outside is a whole row inside, for every operand.
int collapse(Dimension* dimensions, int count, int operands) {
  int kept = 0;
  for (int i = 1; i < count; ++i) {
    Dimension& outer = dimensions[kept];
    const Dimension& inner = dimensions[i];
    bool joins = true;
    for (int k = 0; k < operands && joins; ++k) joins = outer.strides[k] == inner.strides[k] * inner.size;
    if (joins) {
      const int64_t size = outer.size * inner.size;
      outer = inner;
      outer.size = size;
    } else {
      dimensions[++kept] = inner;
    }
  }
  return count == 0 ? 0 : kept + 1;
}

}  // namespace

uint64_t random_counters(rondo_dtype dtype, int64_t elements) {
  const uint64_t per_block = dtype == RONDO_F64 ? device::kDrawsPerBlock<double> : device::kDrawsPerBlock<float>;
  return (static_cast<uint64_t>(elements) + per_block - 1) / per_block;
}

PlanKey::PlanKey(const Device& device, const Expression& expression, const Layout& shape, const View* const* views)
    : PlanKey(device, 0) {
  uint8_t packed[Expression::kMaxPacked];
  const int bytes = expression.pack(packed);
  for (int at = 0; at < bytes; at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, packed + at, static_cast<size_t>(std::min(bytes - at, 8)));
    put(word);
  }
  put_shape(shape);
  for (int k = 0; k < expression.operands(); ++k) put(*views[k]);
}

ElementwisePlan::ElementwisePlan(Device& device, const PlanKey& key, const Expression& expression, const Layout& shape,
                                 const View* const* views)
    : device_(device),
      expression_(expression),
      computed_(expression.moving_bits()),
      shape_(Layout::row_major(shape.ndim, shape.shape)) {
  key_.assign(key.words(), key.size());
  for (int k = 0; k < expression.operands(); ++k) {
    const Layout seen = broadcast_layout(views[k]->layout, shape);
    for (int d = 0; d < seen.ndim; ++d) strides_.push_back(seen.strides[d]);
  }
  space_.elements = shape.elements();
  for (int i = 0; i < expression.generators(); ++i)
    random_count_ += random_counters(expression.generator_dtype(i), space_.elements);
  if (space_.elements == 0) return;
  plan_space(views);
  if (!device.is_host()) plan_cuda(views);
}

Layout ElementwisePlan::layout(int i) const {
  Layout layout = shape_;
  std::copy_n(strides(static_cast<size_t>(i)), shape_.ndim, layout.strides);
  return layout;
}

void ElementwisePlan::plan_space(const View* const* views) {
  const Layout& shape = shape_;
  Space* const space = &space_;
  const int inputs = expression_.inputs(), operands = expression_.operands();
  if (all_dense(shape, views, operands)) {
    space->ndim = 1;
    space->flat = true;
    space->dims.push_back(space->elements);
    for (int k = 0; k < operands; ++k) space->dims.push_back(1);
    space->wide = space->elements > INT32_MAX;
    return;
  }
  Dimension dimensions[kMaxDims];
  int count = spread(shape, views, operands, dimensions);
  // By the strides of the first output, so that writes are dense where they can be. Random numbers go by the element's
  // number.
  if (expression_.generators() == 0)
    sort_few(dimensions, count, [inputs](const Dimension& a, const Dimension& b) {
      return std::abs(a.strides[inputs]) > std::abs(b.strides[inputs]);
    });
  count = collapse(dimensions, count, operands);
  if (count == 0) {
    dimensions[0].size = 1;
    for (int k = 0; k < operands; ++k) dimensions[0].strides[k] = k < inputs ? 0 : 1;
    count = 1;
  }
  space->ndim = count;
  space->flat = count == 1;
  space->wide = space->elements > INT32_MAX;
  for (int d = 0; d < count; ++d) space->dims.push_back(dimensions[d].size);
  for (int k = 0; k < operands; ++k) {
    int64_t reach = 0;
    for (int d = 0; d < count; ++d) {
      const int64_t stride = dimensions[d].strides[k];
      space->dims.push_back(stride);
      reach += (dimensions[d].size - 1) * std::abs(stride);
      if (stride != 0 && stride != 1) space->flat = false;
    }
    if (reach > INT32_MAX) space->wide = true;
  }
}

}  // namespace rondo::ops
