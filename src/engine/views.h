// Views of a view: reshape, slice, transpose, flip, split, broadcast. Pure arithmetic on layouts.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor.h"

namespace rondo {

Status reshape_view(const View& view, int ndim, const int64_t* shape, View* result);
Status slice_view(const View& view, int axis, int64_t start, int64_t stop, int64_t step, View* result);
// axes null: reversed.
Status transpose_view(const View& view, const int32_t* axes, View* result);
// n_axes 0: all.
Status flip_view(const View& view, int n_axes, const int32_t* axes, View* result);
// The part-th of so many parts of an axis; the first parts take one more each of what is left over.
Status split_view(const View& view, int axis, int64_t parts, int64_t part, View* result);
Status broadcast_view(const View& view, int ndim, const int64_t* shape, View* result);

// A number that is to be a dtype.
Status check_dtype(int dtype);
// Dimensions of a new tensor: count, signs, and that the bytes fit in 63 bits.
Status check_shape(int ndim, const int64_t* shape, rondo_dtype dtype, Layout* layout);
// -ndim..ndim-1 to 0..ndim-1. `name` is the argument's, `of` the tensor's.
Status check_axis(int axis, int ndim, const char* name, const char* of, int* result);

}  // namespace rondo
