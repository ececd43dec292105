// Views of a view: reshape, slice, transpose, flip, split, broadcast. Pure arithmetic on layouts, of which a recording
// of the calling thread is told.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>
#include <vector>

#include "base/members.h"
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
// A view that adds to what is there. The caller knows that this is possible.
View accumulator_view(const View& view);

// --- How a view is made, as data: the arguments above. Axes count from 0.
struct ReshapeView {
  std::vector<int64_t> shape;  // one size may be -1: what is left
  RONDO_MEMBERS(shape)
};
struct SliceView {
  int axis;
  int64_t start, stop, step;  // as Python's: negative ones count from the end
  RONDO_MEMBERS(axis, start, stop, step)
};
struct TransposeView {
  std::vector<int64_t> axes;
  RONDO_MEMBERS(axes)
};
struct FlipView {
  uint32_t axes;  // bit d: axis d
  RONDO_MEMBERS(axes)
};
struct SplitView {
  int axis;
  int64_t parts, part;
  RONDO_MEMBERS(axis, parts, part)
};
struct BroadcastView {
  std::vector<int64_t> shape;
  RONDO_MEMBERS(shape)
};
struct AccumulatorView {
  RONDO_MEMBERS()
};
struct ViewForm {
  std::variant<ReshapeView, SliceView, TransposeView, FlipView, SplitView, BroadcastView, AccumulatorView> of;
};
// Makes the view that a form says; an error if there is no such view of this one.
Status apply_view(const ViewForm& form, const View& from, View* view);
// Tells the calling thread's recording, if it is one of the engine (Sink::viewed).
void note_view(const View* from, const ViewForm* form, const View& view);

// A number that is to be a dtype.
Status check_dtype(int dtype);
// Dimensions of a new tensor: count, signs, and that the bytes fit in 63 bits.
Status check_shape(int ndim, const int64_t* shape, rondo_dtype dtype, Layout* layout);
// -ndim..ndim-1 to 0..ndim-1. `name` is the argument's, `of` the tensor's.
Status check_axis(int axis, int ndim, const char* name, const char* of, int* result);

}  // namespace rondo
