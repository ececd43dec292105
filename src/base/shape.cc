// Computes strides, extents and texts of shapes, and broadcasts shapes and layouts to each other.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/shape.h"

#include <algorithm>
#include <cstdlib>

namespace rondo {

Layout Layout::row_major(int ndim, const int64_t* shape) {
  Layout layout;
  layout.ndim = ndim;
  int64_t stride = 1;
  for (int i = ndim - 1; i >= 0; --i) {
    layout.shape[i] = shape[i];
    layout.strides[i] = stride;
    // Wraps for shapes that no tensor can have; the code that makes a tensor of one checks it first.
    (void)__builtin_mul_overflow(stride, std::max<int64_t>(shape[i], 1), &stride);
  }
  return layout;
}

bool Layout::contiguous() const {
  if (elements() == 0) return true;
  int64_t expected = 1;
  for (int i = ndim - 1; i >= 0; --i) {
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

bool Layout::same_shape(const Layout& other) const {
  return ndim == other.ndim && std::equal(shape, shape + ndim, other.shape);
}

bool Layout::same_as(const Layout& other) const {
  if (!same_shape(other)) return false;
  for (int d = 0; d < ndim; ++d)
    if (shape[d] > 1 && strides[d] != other.strides[d]) return false;
  return true;
}

bool Layout::repeats() const {
  if (elements() == 0) return false;
  // Axes by the length of their steps: from the inside out they usually are in order already.
  int order[kMaxDims];
  int count = 0;
  for (int i = ndim - 1; i >= 0; --i) {
    if (shape[i] == 1) continue;
    int at = count++;
    for (; at > 0 && std::abs(strides[order[at - 1]]) > std::abs(strides[i]); --at) order[at] = order[at - 1];
    order[at] = i;
  }
  int64_t reach = 0;  // how far apart two elements of the axes so far can be
  for (int i = 0; i < count; ++i) {
    const int64_t step = std::abs(strides[order[i]]);
    if (step <= reach) return true;
    reach += (shape[order[i]] - 1) * step;
  }
  return false;
}

bool Layout::extent_fits(int64_t item) const {
  if (elements() == 0) return true;
  int64_t low = 0;
  int64_t high = 1;
  for (int i = 0; i < ndim; ++i) {
    int64_t reach = 0;
    int64_t& end = strides[i] < 0 ? low : high;
    if (__builtin_mul_overflow(shape[i], strides[i], &reach) || __builtin_add_overflow(end, reach, &end)) return false;
  }
  int64_t bytes = 0;
  return !__builtin_sub_overflow(high, low, &bytes) && !__builtin_mul_overflow(bytes, item, &bytes);
}

void Layout::extent(int64_t* low, int64_t* high) const {
  *low = *high = 0;
  if (elements() == 0) return;
  *high = 1;
  for (int i = 0; i < ndim; ++i) (strides[i] < 0 ? *low : *high) += (shape[i] - 1) * strides[i];
}

std::string shape_text(int ndim, const int64_t* shape) {
  std::string text = "[";
  for (int i = 0; i < ndim; ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

bool broadcast_shapes(const Layout& a, const Layout& b, Layout* result) {
  int64_t shape[kMaxDims];
  const int ndim = std::max(a.ndim, b.ndim);
  for (int i = 1; i <= ndim; ++i) {
    const int64_t from_a = i <= a.ndim ? a.shape[a.ndim - i] : 1;
    const int64_t from_b = i <= b.ndim ? b.shape[b.ndim - i] : 1;
    if (from_a != from_b && from_a != 1 && from_b != 1) return false;
    shape[ndim - i] = from_a == 1 ? from_b : from_a;
  }
  *result = Layout::row_major(ndim, shape);
  return true;
}

Layout broadcast_layout(const Layout& layout, const Layout& shape) {
  Layout result;
  result.ndim = shape.ndim;
  const int added = shape.ndim - layout.ndim;
  for (int i = 0; i < shape.ndim; ++i) {
    result.shape[i] = shape.shape[i];
    const bool own = i >= added && layout.shape[i - added] == shape.shape[i];
    result.strides[i] = own ? layout.strides[i - added] : 0;
  }
  return result;
}

}  // namespace rondo
