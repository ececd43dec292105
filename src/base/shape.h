// Shapes and strides of up to RONDO_MAX_DIMS dimensions, in elements; row-major helpers.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/tensor.h>

#include <string>

namespace rondo {

inline constexpr int kMaxDims = RONDO_MAX_DIMS;

struct Layout {
  int ndim = 0;
  int64_t shape[kMaxDims] = {};
  int64_t strides[kMaxDims] = {};

  int64_t elements() const {
    int64_t count = 1;
    for (int i = 0; i < ndim; ++i) count *= shape[i];
    return count;
  }
  bool contiguous() const;
  bool same_shape(const Layout& other) const;
  // The same shape, and the same steps on the axes that have several elements.
  bool same_as(const Layout& other) const;
  // Some element may be reached by two indices: not every axis steps over all that the axes of smaller steps reach.
  bool repeats() const;
  // Lowest and one past the highest element offset reached, relative to the first element. Both 0 if there are none.
  void extent(int64_t* low, int64_t* high) const;
  // True if the extent and one step more on each axis, times `item` bytes, are within 63 bits, as arithmetic on views
  // needs. Only foreign strides may be too large.
  bool extent_fits(int64_t item) const;

  static Layout row_major(int ndim, const int64_t* shape);
};

std::string shape_text(int ndim, const int64_t* shape);
inline std::string shape_text(const Layout& layout) {
  return shape_text(layout.ndim, layout.shape);
}

// NumPy's rule. False if the shapes do not fit. `result` has row-major strides.
bool broadcast_shapes(const Layout& a, const Layout& b, Layout* result);
// `layout` seen under the larger `shape`: strides of 0 where it repeats. The shapes must fit.
Layout broadcast_layout(const Layout& layout, const Layout& shape);

}  // namespace rondo
