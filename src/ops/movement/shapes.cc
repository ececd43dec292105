// Defines joining, padding, repeating, rolling and triangles, each as a map of coordinates (remap.h).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/movement/shapes.h"

#include <cinttypes>

#include "base/text.h"
#include "engine/views.h"
#include "ops/movement/remap.h"
#include "ops/operators/scalar.h"
#include "ops/program/infer.h"

namespace rondo::ops {

namespace {

using device::RemapDim;

Status too_large(int axis) {
  return error(RONDO_INVALID_ARGUMENT, "out would have more than 2^63 elements along axis %d", axis);
}

// A view and, of a tensor that had to be cast first, its memory.
struct Joined {
  View view;
  Ref<Storage> temporary;
};

// Promotes; a tensor of another dtype is cast by a task of its own.
Status in_common_dtype(rondo_dtype common, const View& view, Joined* joined) {
  joined->view = view;
  if (view.dtype == common) return {};
  joined->view = make_temporary(view.engine(), view.device(), common,
                                Layout::row_major(view.layout.ndim, view.layout.shape), &joined->temporary);
  return copy_elements(view, joined->view);
}

// A tensor with one more axis, of one element.
View with_axis(View view, int axis) {
  Layout& layout = view.layout;
  std::copy_backward(layout.shape + axis, layout.shape + layout.ndim, layout.shape + layout.ndim + 1);
  std::copy_backward(layout.strides + axis, layout.strides + layout.ndim, layout.strides + layout.ndim + 1);
  layout.shape[axis] = 1;
  layout.strides[axis] = 0;
  ++layout.ndim;
  return view;
}

Status join(const char* name, std::span<const View* const> tensors, int axis, bool stacks, Output& out) {
  std::vector<NamedView> named;
  for (const View* tensor : tensors) named.push_back({"tensors", tensor});
  RONDO_TRY(check_moved(named));
  const Layout& first = tensors[0]->layout;
  if (stacks && first.ndim == kMaxDims)
    return error(RONDO_INVALID_ARGUMENT,
                 "tensors have %d dimensions; the result would have one more, and %d are the most", kMaxDims, kMaxDims);
  int a = 0;
  RONDO_TRY(check_axis(axis, first.ndim + stacks, "axis", stacks ? "the result" : "tensors[0]", &a));
  std::vector<View> seen;
  std::vector<const View*> all;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (stacks && !tensors[i]->layout.same_shape(first))
      return error(RONDO_INVALID_ARGUMENT, "tensors[%zu] has shape %s but tensors[0] has %s; all must have the same", i,
                   shape_text(tensors[i]->layout).c_str(), shape_text(first).c_str());
    seen.push_back(stacks ? with_axis(*tensors[i], a) : *tensors[i]);
  }
  for (const View& each : seen) all.push_back(&each);
  const ConcatCall concat{a};
  ResultType made;
  RONDO_TRY(infer_one(concat, all, &made));
  View to;
  // A stack has another axis, and no channels.
  if (stacks)
    RONDO_TRY(out.resolve(tensors[0]->engine(), tensors[0]->device(), made.dtype, made.shape, tensors, false, &to));
  else
    RONDO_TRY(out.resolve_as(*tensors[0], made.dtype, made.shape, tensors, false, &to));
  const auto call = [&] { return Call{concat}; };
  // As many at a time as one kernel takes, each into its part of the result.
  int64_t start = 0;
  for (size_t i = 0; i < seen.size();) {
    std::vector<Joined> parts;
    std::vector<View> sources;
    std::vector<int64_t> starts;
    int64_t size = 0;
    for (; i < seen.size() && sources.size() < static_cast<size_t>(device::kRemapSources); ++i) {
      Joined part;
      RONDO_TRY(in_common_dtype(made.dtype, seen[i], &part));
      const int64_t own = part.view.layout.shape[a];
      if (seen[i].elements() == 0) {  // a part without elements
        View nowhere;
        RONDO_TRY(slice_view(to, a, start, start + own, 1, &nowhere));
        RONDO_TRY(submit_remap(RemapPlan(name, nowhere, {part.view}), {}, call));
        if (to.elements() == 0) start += own;
        continue;
      }
      starts.push_back(size);
      size += own;
      sources.push_back(part.view);
      parts.push_back(std::move(part));
    }
    if (sources.empty()) break;
    View target;
    RONDO_TRY(slice_view(to, a, start, start + size, 1, &target));
    RemapPlan plan(name, target, sources);
    for (size_t s = 0; s < sources.size(); ++s) plan.arguments.source[s].start = starts[s];
    for (const int d : plan.axes()) {
      int64_t strides[device::kRemapSources] = {};
      for (size_t s = 0; s < sources.size(); ++s) strides[s] = sources[s].layout.strides[d];
      plan.push(plain_dim(target.layout.shape[d], target.layout.strides[d]), strides, d == a && sources.size() > 1);
    }
    RONDO_TRY(submit_remap(plan, {}, call));
    start += size;
  }
  out.commit();
  return {};
}

Status bits_of(rondo_dtype dtype, double value, uint64_t* bits) {
  uint64_t word = 0;
  RONDO_TRY(scalar_word("value", Scalar::of(value), dtype, &word));
  *bits = element_bits(dtype, word);
  return {};
}

}  // namespace

// A tensor that is stacked has an axis of one element there.
Status infer(const ConcatCall& call, InputTypes inputs, ResultTypes results) {
  if (inputs.empty()) return error(RONDO_INVALID_ARGUMENT, "n is 0; at least one tensor is needed");
  RONDO_TRY(check_axis_attribute(call.axis, *inputs[0]));
  const Layout& first = inputs[0]->layout;
  Layout shape = first;
  rondo_dtype common = inputs[0]->dtype;
  for (size_t i = 1; i < inputs.size(); ++i) {
    const Layout& each = inputs[i]->layout;
    bool fits = each.ndim == first.ndim;
    for (int d = 0; fits && d < first.ndim; ++d) fits = each.shape[d] == first.shape[d] || d == call.axis;
    if (!fits)
      return error(RONDO_INVALID_ARGUMENT,
                   "tensors[%zu] has shape %s but tensors[0] has %s; all but axis %d must be the same", i,
                   shape_text(each).c_str(), shape_text(first).c_str(), call.axis);
    if (__builtin_add_overflow(shape.shape[call.axis], each.shape[call.axis], &shape.shape[call.axis]))
      return too_large(call.axis);
    if (!promotes(common, inputs[i]->dtype))
      return without_common_dtype("a tensor before", common, format("tensors[%zu]", i).c_str(), inputs[i]->dtype);
    common = promote(common, inputs[i]->dtype);
  }
  results[0].set(common, shape);
  return {};
}

Status concat(std::span<const View* const> tensors, int axis, Output& out) {
  return join("concat", tensors, axis, false, out);
}

Status stack(std::span<const View* const> tensors, int axis, Output& out) {
  return join("stack", tensors, axis, true, out);
}

Status pad(const View& a, rondo_pad_mode mode, int n, const int64_t* widths, double value, Output& out) {
  uint64_t fill = 0;
  if (mode == RONDO_PAD_CONSTANT) RONDO_TRY(bits_of(a.dtype, value, &fill));
  return pad_with(a, mode, n, widths, fill, out);
}

Status infer(const PadCall& call, InputTypes inputs, ResultTypes results) {
  const View& a = *inputs[0];
  const auto& [mode, widths, fill] = call;
  if (mode < RONDO_PAD_CONSTANT || mode > RONDO_PAD_WRAP)
    return error(RONDO_INVALID_ARGUMENT, "mode is %d; RONDO_PAD_CONSTANT (0) to RONDO_PAD_WRAP (4) are possible", mode);
  Layout shape = a.layout;
  for (int i = 0; i < 2 * a.layout.ndim; ++i) {
    if (widths[i] < 0)
      return error(RONDO_INVALID_ARGUMENT,
                   "widths[%d] is %" PRId64 "; 0 or more is needed (rondo_tensor_slice takes away)", i, widths[i]);
    if (__builtin_add_overflow(shape.shape[i / 2], widths[i], &shape.shape[i / 2])) return too_large(i / 2);
  }
  for (int d = 0; d < a.layout.ndim; ++d)
    if (mode != RONDO_PAD_CONSTANT && a.layout.shape[d] == 0 && shape.shape[d] > 0)
      return error(RONDO_INVALID_ARGUMENT,
                   "a has size 0 along axis %d, so nothing that padding could show; RONDO_PAD_CONSTANT needs nothing",
                   d);
  results[0].set(a.dtype, shape);
  return {};
}

Status pad_with(const View& a, rondo_pad_mode mode, int n, const int64_t* widths, uint64_t fill, Output& out) {
  RONDO_TRY(check_moved({{"a", &a}}));
  static constexpr int32_t outside[] = {device::kRemapFill, device::kRemapEdge, device::kRemapReflect,
                                        device::kRemapSymmetric, device::kRemapWrap};
  const int ndim = a.layout.ndim;
  if (n != 2 * ndim)
    return error(RONDO_INVALID_ARGUMENT, "n is %d; a has %d dimension%s, and two widths of each are needed", n, ndim,
                 ndim == 1 ? "" : "s");
  PadCall call{mode, {}, fill};
  std::copy(widths, widths + n, call.widths);
  ResultType made;
  RONDO_TRY(infer_one(call, {&a}, &made));
  const Layout& shape = made.shape;
  const View* const inputs[] = {&a};
  View to;
  RONDO_TRY(out.resolve_as(a, shape, inputs, &to));
  RemapPlan plan("pad", to, {a});
  plan.arguments.fill = fill;
  for (const int d : plan.axes()) {
    RemapDim dim = plain_dim(shape.shape[d], to.layout.strides[d]);
    dim.shift = -widths[2 * d];
    dim.extent = a.layout.shape[d];
    if (dim.extent != dim.size) dim.outside = outside[mode];
    plan.push(dim, a.layout.strides[d]);
  }
  return submit_remap(plan, {&out}, [&] { return Call{call}; });
}

Status infer(const TileCall& call, InputTypes inputs, ResultTypes results) {
  const View& a = *inputs[0];
  const auto& [n, counts] = call;
  if (n < 0 || n > kMaxDims) return error(RONDO_INVALID_ARGUMENT, "n is %d; 0 to %d are possible", n, kMaxDims);
  const int ndim = std::max(n, a.layout.ndim);
  int64_t shape[kMaxDims];
  for (int d = 0; d < ndim; ++d) {
    const int own = d - (ndim - a.layout.ndim), count = d - (ndim - n);
    const int64_t times = count < 0 ? 1 : counts[count], size = own < 0 ? 1 : a.layout.shape[own];
    if (times < 0) return error(RONDO_INVALID_ARGUMENT, "counts[%d] is %" PRId64 "; 0 or more is needed", count, times);
    if (__builtin_mul_overflow(times, size, &shape[d])) return too_large(d);
  }
  results[0].set(a.dtype, Layout::row_major(ndim, shape));
  return {};
}

Status tile(const View& a, int n, const int64_t* counts, Output& out) {
  RONDO_TRY(check_moved({{"a", &a}}));
  if (n < 0 || n > kMaxDims) return error(RONDO_INVALID_ARGUMENT, "n is %d; 0 to %d are possible", n, kMaxDims);
  TileCall call{n, {}};
  std::copy(counts, counts + n, call.counts);
  ResultType made;
  RONDO_TRY(infer_one(call, {&a}, &made));
  const int ndim = made.shape.ndim;
  const int64_t* const shape = made.shape.shape;
  View to;
  RONDO_TRY(out.resolve(a.engine(), a.device(), made.dtype, made.shape, {&a}, false, &to));
  RemapPlan plan("tile", to, {a});
  for (const int d : plan.axes()) {
    const int own = d - (ndim - a.layout.ndim);
    RemapDim dim = plain_dim(shape[d], to.layout.strides[d]);
    dim.extent = own < 0 ? 1 : a.layout.shape[own];
    if (dim.extent != dim.size) dim.outside = device::kRemapWrap;
    plan.push(dim, own < 0 ? 0 : a.layout.strides[own]);
  }
  return submit_remap(plan, {&out}, [&] { return Call{call}; });
}

Status infer(const RepeatCall& call, InputTypes inputs, ResultTypes results) {
  const View& a = *inputs[0];
  RONDO_TRY(check_axis_attribute(call.axis, a));
  if (call.count < 0) return error(RONDO_INVALID_ARGUMENT, "count is %" PRId64 "; 0 or more is needed", call.count);
  Layout shape = a.layout;
  int64_t& size = shape.shape[call.axis];
  if (__builtin_mul_overflow(size, call.count, &size)) return too_large(call.axis);
  results[0].set(a.dtype, shape);
  return {};
}

Status repeat(const View& a, int64_t count, int axis, Output& out) {
  RONDO_TRY(check_moved({{"a", &a}}));
  int along = 0;
  RONDO_TRY(check_axis(axis, a.layout.ndim, "axis", "a", &along));
  const RepeatCall call{count, along};
  ResultType made;
  RONDO_TRY(infer_one(call, {&a}, &made));
  const Layout& shape = made.shape;
  View to;
  RONDO_TRY(out.resolve(a.engine(), a.device(), made.dtype, shape, {&a}, false, &to));
  RemapPlan plan("repeat", to, {a});
  for (const int d : plan.axes()) {
    RemapDim dim = plain_dim(shape.shape[d], to.layout.strides[d]);
    dim.extent = a.layout.shape[d];
    if (d == along) dim.repeat = count;
    plan.push(dim, a.layout.strides[d]);
  }
  return submit_remap(plan, {&out}, [&] { return Call{call}; });
}

Status infer(const RollCall& call, InputTypes inputs, ResultTypes results) {
  const View& a = *inputs[0];
  for (int d = 0; d < a.layout.ndim; ++d) {
    const int64_t shift = call.shifts[d], size = std::max<int64_t>(a.layout.shape[d], 1);
    if (shift <= -size || shift >= size)
      return error(RONDO_INVALID_ARGUMENT,
                   "shifts[%d] is %" PRId64 "; less than the size of the axis, %" PRId64 ", is needed", d, shift,
                   a.layout.shape[d]);
  }
  results[0].set(a.dtype, a.layout);
  return {};
}

Status roll(const View& a, int n, const int64_t* shifts, Output& out) {
  RONDO_TRY(check_moved({{"a", &a}}));
  const Layout& shape = a.layout;
  if (n != shape.ndim)
    return error(RONDO_INVALID_ARGUMENT, "n is %d; a has %d dimension%s, and a shift of each is needed (0: none)", n,
                 shape.ndim, shape.ndim == 1 ? "" : "s");
  RollCall call{};
  for (int d = 0; d < n; ++d) call.shifts[d] = shape.shape[d] > 0 ? shifts[d] % shape.shape[d] : 0;
  ResultType made;
  RONDO_TRY(infer_one(call, {&a}, &made));
  View to;
  RONDO_TRY(out.resolve(a.engine(), a.device(), made.dtype, made.shape, {&a}, false, &to));
  RemapPlan plan("roll", to, {a});
  for (const int d : plan.axes()) {
    RemapDim dim = plain_dim(shape.shape[d], to.layout.strides[d]);
    dim.shift = -call.shifts[d];
    if (dim.shift) dim.outside = device::kRemapWrap;
    plan.push(dim, shape.strides[d]);
  }
  return submit_remap(plan, {&out}, [&] { return Call{call}; });
}

Status infer(const TriangleCall&, InputTypes inputs, ResultTypes results) {
  const View& a = *inputs[0];
  const int ndim = a.layout.ndim;
  if (ndim < 2)
    return error(RONDO_INVALID_ARGUMENT, "a has %d dimension%s; a matrix has 2, or more in front", ndim,
                 ndim == 1 ? "" : "s");
  results[0].set(a.dtype, a.layout);
  return {};
}

Status triangle(bool upper, const View& a, int64_t diagonal, Output& out) {
  RONDO_TRY(check_moved({{"a", &a}}));
  const int ndim = a.layout.ndim;
  const TriangleCall call{upper, diagonal};
  ResultType made;
  RONDO_TRY(infer_one(call, {&a}, &made));
  View to;
  RONDO_TRY(out.resolve(a.engine(), a.device(), made.dtype, made.shape, {&a}, true, &to));
  RemapPlan plan(upper ? "triu" : "tril", to, {a});
  for (int d = 0; d < ndim; ++d) {
    RemapDim dim = plain_dim(a.layout.shape[d], to.layout.strides[d]);
    dim.band = d == ndim - 1 ? 1 : d == ndim - 2 ? -1 : 0;
    plan.push(dim, a.layout.strides[d]);
  }
  plan.band(upper ? diagonal : INT64_MIN, upper ? INT64_MAX : diagonal);
  return submit_remap(plan, {&out}, [&] { return Call{call}; });
}

Status eye(const NewTensor& made, int64_t diagonal, Output& out) {
  if (made.shape.ndim != 2)
    return error(RONDO_INVALID_ARGUMENT, "out has %d dimensions; the result has 2: give none for a new tensor",
                 made.shape.ndim);
  View to;
  RONDO_TRY(out.resolve(*made.engine, *made.device, made.dtype, made.shape, {}, false, &to));
  RemapPlan plan("eye", to, {});
  uint64_t one = 0;
  RONDO_TRY(bits_of(made.dtype, 1, &one));
  plan.constant(one);
  for (int d = 0; d < 2; ++d) {
    RemapDim dim = plain_dim(to.layout.shape[d], to.layout.strides[d]);
    dim.band = d == 0 ? -1 : 1;
    plan.push(dim, nullptr);
  }
  plan.band(diagonal, diagonal);
  return submit_remap(plan, {&out}, [&] { return Call{EyeCall{diagonal}}; });
}

}  // namespace rondo::ops
