// Computes the layouts of views, and checks the arguments that users give for them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/views.h"

#include <algorithm>
#include <cinttypes>

#include "base/text.h"

namespace rondo {

namespace {

Status too_large(int ndim, const int64_t* shape, rondo_dtype dtype) {
  double bytes = static_cast<double>(dtype_size(dtype));
  for (int i = 0; i < ndim; ++i)
    if (shape[i] > 0) bytes *= static_cast<double>(shape[i]);  // sizes of 0 and the open one aside
  return error(RONDO_INVALID_ARGUMENT, "shape %s of %s would take %s; 63 bits count to 8 EiB",
               shape_text(ndim, shape).c_str(), dtype_name(dtype), bytes_text(bytes).c_str());
}

Status check_ndim(int ndim, const int64_t* shape) {
  if (ndim < 0 || ndim > kMaxDims)
    return error(RONDO_INVALID_ARGUMENT, "ndim is %d; 0 to %d dimensions are possible", ndim, kMaxDims);
  if (ndim && !shape) return error(RONDO_INVALID_ARGUMENT, "shape is NULL; %d dimensions are needed", ndim);
  return {};
}

// The recording that is told of a view; null: none.
Sink* sink_of(const View& view) {
  Sink* const sink = view.storage ? this_thread().sink : nullptr;
  return sink && &sink->engine == &view.engine() ? sink : nullptr;
}

// Hands over a view that was made, of which `form` makes the data. It may take the place of the one it was made of.
template <class Form>
Status made(const View& from, const View& view, View* result, const Form& form) {
  if (Sink* const sink = sink_of(view)) [[unlikely]] {
    const ViewForm how{form()};
    sink->viewed(&from, &how, view);
  }
  *result = view;
  return {};
}

template <class Number>
std::vector<int64_t> listed(int count, const Number* numbers) {
  return {numbers, numbers + count};
}

Status reshaped(const View& view, int ndim, const int64_t* shape, View* result) {
  RONDO_TRY(check_ndim(ndim, shape));
  int64_t wanted[kMaxDims] = {};
  int64_t known = 1;
  int64_t bytes = static_cast<int64_t>(dtype_size(view.dtype));  // sizes of 0 aside, as in check_shape
  int open = -1;
  for (int i = 0; i < ndim; ++i) {
    wanted[i] = shape[i];
    if (shape[i] == -1 && open < 0) {
      open = i;
      continue;
    }
    if (shape[i] < 0)
      return error(RONDO_INVALID_ARGUMENT, "shape[%d] is %" PRId64 "; 0 or more is needed, or -1 once", i, shape[i]);
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(shape[i], 1), &bytes))
      return too_large(ndim, shape, view.dtype);
    known *= shape[i];
  }
  const int64_t elements = view.elements();
  if (open >= 0) {
    if (known == 0 || elements % known != 0)
      return error(RONDO_INVALID_ARGUMENT, "shape %s cannot hold %" PRId64 " elements whatever its -1 is",
                   shape_text(ndim, shape).c_str(), elements);
    wanted[open] = elements / known;
  } else if (known != elements) {
    return error(RONDO_INVALID_ARGUMENT, "shape %s holds %" PRId64 " elements; tensor has %" PRId64,
                 shape_text(ndim, shape).c_str(), known, elements);
  }
  *result = view;
  result->layout = Layout::row_major(ndim, wanted);
  if (elements == 0 || view.layout.contiguous()) return {};
  // Walk both shapes from the inside: each run of old dimensions must be evenly strided to be cut anew.
  const Layout& old = view.layout;
  int from = old.ndim - 1;
  int to = ndim - 1;
  while (from >= 0 && to >= 0) {
    if (old.shape[from] == 1) {
      --from;
      continue;
    }
    if (wanted[to] == 1) {
      result->layout.strides[to--] = 0;
      continue;
    }
    int64_t run = old.shape[from];
    const int64_t stride = old.strides[from];
    int64_t reached = stride * run;
    int64_t need = wanted[to];
    int first = to;
    --from;
    while (need != run) {
      if (need < run) {
        if (first == 0) break;
        need *= wanted[--first];
      } else {
        while (from >= 0 && old.shape[from] == 1) --from;
        if (from < 0 || old.strides[from] != reached) break;
        run *= old.shape[from];
        reached = old.strides[from] * old.shape[from];
        --from;
      }
    }
    if (need != run)
      return error(RONDO_INVALID_ARGUMENT,
                   "a view of shape %s with these strides cannot become %s without a copy; use rondo_copy first",
                   shape_text(old).c_str(), shape_text(ndim, wanted).c_str());
    int64_t step = stride;
    for (; to >= first; --to) {
      result->layout.strides[to] = step;
      step *= wanted[to];
    }
  }
  return {};
}

Status sliced(const View& view, int a, int64_t start, int64_t stop, int64_t step, View* result) {
  if (step == 0) return error(RONDO_INVALID_ARGUMENT, "step is 0; any other is possible but INT64_MIN");
  if (step == INT64_MIN)
    return error(RONDO_INVALID_ARGUMENT,
                 "step is INT64_MIN, the one number whose size has no int64_t; use -INT64_MAX, which steps as far");
  const int64_t size = view.layout.shape[a];
  // Python's rules: negative counts from the end, then clamp; going down the ends are -1 and size - 1.
  auto resolve = [size, step](int64_t index) {
    if (index < 0) index = index < -size ? INT64_MIN : index + size;
    return step > 0 ? std::clamp<int64_t>(index, 0, size) : std::clamp<int64_t>(index, -1, size - 1);
  };
  const int64_t first = resolve(start);
  const int64_t last = step < 0 && stop == INT64_MIN ? -1 : resolve(stop);
  int64_t count = 0;
  if (step > 0 && last > first) count = (last - first - 1) / step + 1;
  if (step < 0 && first > last) count = (first - last - 1) / -step + 1;
  *result = view;
  result->layout.shape[a] = count;
  if (count > 0) {
    // A place in a tensor without elements lies past its memory.
    if (view.elements() > 0)
      result->offset += first * view.layout.strides[a] * static_cast<int64_t>(dtype_size(view.dtype));
    result->layout.strides[a] = count > 1 ? view.layout.strides[a] * step : view.layout.strides[a];
  }
  return {};
}

// order: of the axes of the view, those of the result.
Status transposed(const View& view, const int32_t* axes, View* result, int64_t* order) {
  const int ndim = view.layout.ndim;
  *result = view;
  bool seen[kMaxDims] = {};
  for (int i = 0; i < ndim; ++i) {
    int from = ndim - 1 - i;
    if (axes) RONDO_TRY(check_axis(axes[i], ndim, "axes", "tensor", &from));
    if (seen[from]) return error(RONDO_INVALID_ARGUMENT, "axes names axis %d twice; each is needed once", from);
    seen[from] = true;
    order[i] = from;
    result->layout.shape[i] = view.layout.shape[from];
    result->layout.strides[i] = view.layout.strides[from];
  }
  return {};
}

Status flipped(const View& view, int n_axes, const int32_t* axes, View* result, uint32_t* which) {
  const Layout& layout = view.layout;
  uint32_t flips = 0;
  for (int i = 0; i < (n_axes ? n_axes : layout.ndim); ++i) {
    int axis = i;
    if (n_axes) RONDO_TRY(check_axis(axes[i], layout.ndim, "axes", "tensor", &axis));
    if (flips >> axis & 1)
      return error(RONDO_INVALID_ARGUMENT, "axes names axis %d twice; each is possible once", axis);
    flips |= 1u << axis;
  }
  *which = flips;
  *result = view;
  if (view.elements() == 0) return {};
  for (int d = 0; d < layout.ndim; ++d) {
    if (!(flips >> d & 1)) continue;
    result->offset += (layout.shape[d] - 1) * layout.strides[d] * static_cast<int64_t>(dtype_size(view.dtype));
    if (layout.shape[d] > 1) result->layout.strides[d] = -layout.strides[d];
  }
  return {};
}

Status part_of(const View& view, int axis, int64_t parts, int64_t part, View* result) {
  if (parts < 1) return error(RONDO_INVALID_ARGUMENT, "parts is %" PRId64 "; 1 or more is needed", parts);
  if (part < 0 || part >= parts)
    return error(RONDO_INVALID_ARGUMENT, "part is %" PRId64 "; 0 to %" PRId64 " are possible", part, parts - 1);
  const int64_t each = view.layout.shape[axis] / parts;
  const int64_t longer = view.layout.shape[axis] % parts;
  const int64_t start = part * each + std::min(part, longer);
  return sliced(view, axis, start, start + each + (part < longer ? 1 : 0), 1, result);
}

Status broadcasted(const View& view, int ndim, const int64_t* shape, View* result) {
  Layout wanted;
  RONDO_TRY(check_shape(ndim, shape, view.dtype, &wanted));
  Layout common;
  if (!broadcast_shapes(view.layout, wanted, &common) || !common.same_shape(wanted))
    return error(RONDO_INVALID_ARGUMENT,
                 "shape %s cannot be broadcast to %s; from the last axis on, sizes must be equal or 1",
                 shape_text(view.layout).c_str(), shape_text(wanted).c_str());
  *result = view;
  result->layout = broadcast_layout(view.layout, wanted);
  return {};
}

}  // namespace

Status reshape_view(const View& view, int ndim, const int64_t* shape, View* result) {
  View to;
  RONDO_TRY(reshaped(view, ndim, shape, &to));
  return made(view, to, result, [&] { return ReshapeView{listed(ndim, shape)}; });
}

Status slice_view(const View& view, int axis, int64_t start, int64_t stop, int64_t step, View* result) {
  View to;
  RONDO_TRY(check_axis(axis, view.layout.ndim, "axis", "tensor", &axis));
  RONDO_TRY(sliced(view, axis, start, stop, step, &to));
  return made(view, to, result, [&] { return SliceView{axis, start, stop, step}; });
}

Status transpose_view(const View& view, const int32_t* axes, View* result) {
  View to;
  int64_t order[kMaxDims] = {};
  RONDO_TRY(transposed(view, axes, &to, order));
  return made(view, to, result, [&] { return TransposeView{listed(view.layout.ndim, order)}; });
}

Status flip_view(const View& view, int n_axes, const int32_t* axes, View* result) {
  View to;
  uint32_t which = 0;
  RONDO_TRY(flipped(view, n_axes, axes, &to, &which));
  return made(view, to, result, [&] { return FlipView{which}; });
}

Status split_view(const View& view, int axis, int64_t parts, int64_t part, View* result) {
  View to;
  RONDO_TRY(check_axis(axis, view.layout.ndim, "axis", "tensor", &axis));
  RONDO_TRY(part_of(view, axis, parts, part, &to));
  return made(view, to, result, [&] { return SplitView{axis, parts, part}; });
}

Status broadcast_view(const View& view, int ndim, const int64_t* shape, View* result) {
  View to;
  RONDO_TRY(broadcasted(view, ndim, shape, &to));
  return made(view, to, result, [&] { return BroadcastView{listed(ndim, shape)}; });
}

View accumulator_view(const View& view) {
  View adds = view;
  adds.accumulate = true;
  (void)made(view, adds, &adds, [] { return AccumulatorView{}; });
  return adds;
}

namespace {

template <class Numbers>
int count_of(const Numbers& numbers) {
  return static_cast<int>(numbers.size());
}
Status apply(const ReshapeView& how, const View& from, View* view) {
  return reshape_view(from, count_of(how.shape), how.shape.data(), view);
}
Status apply(const SliceView& how, const View& from, View* view) {
  return slice_view(from, how.axis, how.start, how.stop, how.step, view);
}
Status apply(const TransposeView& how, const View& from, View* view) {
  if (count_of(how.axes) != from.layout.ndim)
    return error(RONDO_INVALID_ARGUMENT, "axes has %d entries; the tensor has %d dimensions", count_of(how.axes),
                 from.layout.ndim);
  int32_t axes[kMaxDims] = {};
  for (int i = 0; i < from.layout.ndim; ++i)
    axes[i] = static_cast<int32_t>(std::clamp<int64_t>(how.axes[static_cast<size_t>(i)], INT32_MIN, INT32_MAX));
  return transpose_view(from, axes, view);
}
Status apply(const FlipView& how, const View& from, View* view) {
  SmallVector<int32_t, kMaxDims> axes;
  for (int d = 0; d < 32; ++d)
    if (how.axes >> d & 1) axes.push_back(d);
  if (axes.size() > 0) return flip_view(from, count_of(axes), axes.begin(), view);
  return made(from, from, view, [&] { return how; });
}
Status apply(const SplitView& how, const View& from, View* view) {
  return split_view(from, how.axis, how.parts, how.part, view);
}
Status apply(const BroadcastView& how, const View& from, View* view) {
  return broadcast_view(from, count_of(how.shape), how.shape.data(), view);
}
Status apply(const AccumulatorView&, const View& from, View* view) {
  *view = accumulator_view(from);
  return {};
}

}  // namespace

Status apply_view(const ViewForm& form, const View& from, View* view) {
  return std::visit([&](const auto& how) { return apply(how, from, view); }, form.of);
}

void note_view(const View* from, const ViewForm* form, const View& view) {
  if (Sink* const sink = sink_of(view)) [[unlikely]]
    sink->viewed(from, form, view);
}

Status check_dtype(int dtype) {
  if (is_dtype(dtype)) [[likely]]
    return {};
  return error(RONDO_INVALID_ARGUMENT, "dtype is %d; RONDO_BOOL (%d) to RONDO_F8_E5M2 (%d) are possible", dtype,
               RONDO_BOOL, RONDO_F8_E5M2);
}

Status check_shape(int ndim, const int64_t* shape, rondo_dtype dtype, Layout* layout) {
  RONDO_TRY(check_dtype(dtype));
  RONDO_TRY(check_ndim(ndim, shape));
  int64_t bytes = static_cast<int64_t>(dtype_size(dtype));
  for (int i = 0; i < ndim; ++i) {
    if (shape[i] < 0)
      return error(RONDO_INVALID_ARGUMENT, "shape[%d] is %" PRId64 "; 0 or more is needed", i, shape[i]);
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(shape[i], 1), &bytes)) return too_large(ndim, shape, dtype);
  }
  *layout = Layout::row_major(ndim, shape);
  return {};
}

Status check_axis(int axis, int ndim, const char* name, const char* of, int* result) {
  if (ndim == 0) return error(RONDO_INVALID_ARGUMENT, "%s is %d; %s has 0 dimensions, and so no axis", name, axis, of);
  if (axis < -ndim || axis >= ndim)
    return error(RONDO_INVALID_ARGUMENT, "%s is %d; %s has %d dimension%s, so %d to %d are possible", name, axis, of,
                 ndim, ndim == 1 ? "" : "s", -ndim, ndim - 1);
  *result = axis < 0 ? axis + ndim : axis;
  return {};
}

}  // namespace rondo
