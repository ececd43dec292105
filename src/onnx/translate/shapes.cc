// Translates operators that move elements without choosing them by indices. Views stay views where Rondo has one.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "onnx/file/contents.h"
#include "onnx/file/failure.h"
#include "onnx/translate/operators.h"

namespace rondo_onnx {

namespace {

// The axes of Squeeze and Unsqueeze: an attribute before version 13, an input from there on; sorted.
std::vector<int64_t> axes_of(const Call& call, int64_t ndim) {
  std::vector<int64_t> axes = call.opset() < 13 ? call.integers("axes")
                              : call.has(1)     ? call.whole_numbers(1, "its axes")
                                                : std::vector<int64_t>();
  for (int64_t& each : axes) each = axis_of(each, ndim);
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end()) malformed("an axis comes twice");
  return axes;
}

constexpr int64_t kMostBlock = int64_t{1} << 20;  // whose square does not overflow

std::vector<int64_t> all_axes(int64_t ndim) {
  std::vector<int64_t> axes(static_cast<size_t>(ndim));
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
  return axes;
}

}  // namespace

void concat_node(Call& call) {
  const int64_t axis = call.axis("axis", 1, call.ndim(0));
  if (call.inputs() == 1) return call.forward(0, 0);
  call.out(0, rondo::concat(call.all(), static_cast<int32_t>(axis)));
}

void center_crop_pad(Call& call) {
  Shape s = call.shape(0);
  std::vector<int64_t> axes = call.integers("axes");
  if (axes.empty()) axes = all_axes(static_cast<int64_t>(s.size()));
  const std::vector<int64_t> sizes = call.whole_numbers(1, "its sizes");
  if (sizes.size() != axes.size()) malformed("its sizes are not of the number of its axes");
  Tensor x = call.in(0);
  std::vector<int64_t> widths(2 * s.size(), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axis_of(axes[i], static_cast<int64_t>(s.size())));
    if (sizes[i] < 0 || sizes[i] > (int64_t{1} << 47)) malformed("a size is " + std::to_string(sizes[i]));
    const int64_t more = sizes[i] - s[axis];
    if (more < 0) x = x.slice(static_cast<int32_t>(axis), -more / 2, -more / 2 + sizes[i]);
    widths[2 * axis] = std::max<int64_t>(more, 0) / 2;
    widths[2 * axis + 1] = std::max<int64_t>(more, 0) - widths[2 * axis];
    s[axis] = sizes[i];
  }
  count_elements(s, rondo_dtype_size(call.dtype(0)), "its result");
  const bool any = std::any_of(widths.begin(), widths.end(), [](int64_t width) { return width > 0; });
  call.out(0, any ? rondo::pad(x, RONDO_PAD_CONSTANT, widths) : x);
}

void depth_to_space(Call& call) {
  const Shape s = call.shape(0);
  const int64_t b = call.integer("blocksize", 0);
  if (s.size() != 4 || b < 1 || b > kMostBlock || s[1] % (b * b) != 0)
    malformed("its channels cannot be taken apart by its block size " + std::to_string(b));
  const int64_t c = s[1] / (b * b);
  count_elements({s[0], std::max<int64_t>(c, 1), b, b, s[2], s[3]}, rondo_dtype_size(call.dtype(0)), "its result");
  const Tensor x = call.in(0);
  const Tensor apart = call.text("mode", "DCR") == "CRD"
                           ? x.reshape({s[0], c, b, b, s[2], s[3]}).transpose({0, 1, 4, 2, 5, 3})
                           : x.reshape({s[0], b, b, c, s[2], s[3]}).transpose({0, 3, 4, 1, 5, 2});
  call.out(0, apart.reshape({s[0], c, s[2] * b, s[3] * b}));
}

void space_to_depth(Call& call) {
  const Shape s = call.shape(0);
  const int64_t b = call.integer("blocksize", 0);
  if (s.size() != 4 || b < 1 || b > kMostBlock || s[2] % b != 0 || s[3] % b != 0)
    malformed("its image cannot be divided by its block size " + std::to_string(b));
  count_elements({s[0], s[1], b, b, std::max<int64_t>(s[2] / b, 1), std::max<int64_t>(s[3] / b, 1)},
                 rondo_dtype_size(call.dtype(0)), "its result");
  const Tensor apart = call.in(0).reshape({s[0], s[1], s[2] / b, b, s[3] / b, b});
  const bool crd = call.text("mode", "DCR") == "CRD";
  call.out(0, apart.transpose(crd ? rondo::Axes{0, 1, 3, 5, 2, 4} : rondo::Axes{0, 3, 5, 1, 2, 4})
                  .reshape({s[0], s[1] * b * b, s[2] / b, s[3] / b}));
}

void expand_node(Call& call) {
  const Shape target = broadcast_shape(call.shape(0), call.whole_numbers(1, "its sizes"));
  count_elements(target, rondo_dtype_size(call.dtype(0)), "its result");
  if (target == call.shape(0)) return call.forward(0, 0);
  call.out(0, call.in(0).broadcast(target));
}

void flatten_node(Call& call) {
  const Shape s = call.shape(0);
  const auto ndim = static_cast<int64_t>(s.size());
  int64_t axis = call.integer("axis", 1);
  if (axis < -ndim || axis > ndim) malformed("the axis " + std::to_string(axis) + " is none of its input");
  if (axis < 0) axis += ndim;
  const auto place = static_cast<size_t>(axis);
  call.out(0, call.in(0).reshape({product(s, 0, place), product(s, place, s.size())}));
}

void pad_node(Call& call) {
  const Shape s = call.shape(0);
  const auto ndim = static_cast<int64_t>(s.size());
  std::vector<int64_t> pads = call.opset() < 11 ? call.integers("pads") : call.whole_numbers(1, "its widths");
  std::vector<int64_t> axes = all_axes(ndim);
  if (call.has(3)) axes = call.whole_numbers(3, "its axes");
  if (pads.size() != 2 * axes.size())
    malformed("it has " + std::to_string(pads.size()) + " widths for " + std::to_string(axes.size()) + " axes");
  const std::string mode = call.text("mode", "constant");
  const rondo_pad_mode pad_mode = mode == "constant"  ? RONDO_PAD_CONSTANT
                                  : mode == "edge"    ? RONDO_PAD_EDGE
                                  : mode == "reflect" ? RONDO_PAD_REFLECT
                                  : mode == "wrap"    ? RONDO_PAD_WRAP
                                                      : throw Failure(RONDO_IO_ERROR, "its mode is " + excerpt(mode));
  double value = call.opset() < 11 ? call.real("value", 0) : 0;
  if (call.opset() >= 11 && call.has(2) && !call.scalar(2, &value)) refuse("its value is computed by the program");
  constexpr double kExact = 9007199254740992.0;  // 2^53: whole numbers up to there are exact as the value of a pad
  if (!is_float(call.dtype(0)) && !(std::fabs(value) < kExact))
    refuse("its value is a whole number of more than 53 bits");
  std::vector<int64_t> widths(2 * s.size(), 0);
  Tensor x = call.in(0);
  bool any = false;
  Shape target = s;
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axis_of(axes[i], ndim));
    const int64_t before = pads[i], after = pads[i + axes.size()];
    constexpr int64_t kMost = int64_t{1} << 47;
    if (before > kMost || after > kMost || before < -kMost || after < -kMost) malformed("a width is out of all bounds");
    if (before < 0 || after < 0)
      x = x.slice(static_cast<int32_t>(axis), std::max<int64_t>(-before, 0),
                  std::max<int64_t>(s[axis] - std::max<int64_t>(-after, 0), 0));
    widths[2 * axis] = std::max<int64_t>(before, 0);
    widths[2 * axis + 1] = std::max<int64_t>(after, 0);
    target[axis] = std::max<int64_t>(s[axis] + before + after, 0);
    any = any || before > 0 || after > 0;
  }
  count_elements(target, rondo_dtype_size(call.dtype(0)), "its result");
  if (any) x = rondo::pad(x, pad_mode, widths, value);
  call.out(0, x);
}

void reshape_node(Call& call) {
  const Shape s = call.shape(0);
  Shape target = call.whole_numbers(1, "its sizes");
  const bool zeros = call.integer("allowzero", 0) != 0;
  for (size_t i = 0; i < target.size(); ++i) {
    if (target[i] < -1) malformed("a size is " + std::to_string(target[i]));
    if (target[i] != 0 || zeros) continue;
    if (i >= s.size()) malformed("it takes over size " + std::to_string(i) + ", which its input does not have");
    target[i] = s[i];
  }
  // Rondo infers a size from the others, which must not be empty for that.
  const auto open = std::find(target.begin(), target.end(), -1);
  if (open != target.end()) {
    *open = 1;
    if (std::find(target.begin(), target.end(), -1) != target.end()) malformed("two sizes are -1");
    const int64_t others = count_elements(target, 1, "its result");
    const int64_t elements = product(s);
    if (others == 0 ? elements != 0 : elements % others != 0)
      malformed("its sizes do not go with its input's elements");
    *open = others == 0 ? 0 : elements / others;
  }
  count_elements(target, rondo_dtype_size(call.dtype(0)), "its result");
  if (target == s) return call.forward(0, 0);
  call.out(0, call.in(0).reshape(target));
}

namespace {

// A part of a constant whose bounds vary with sizes. A part that is the whole would have no node for a slice,
// and a program has the same nodes at all sizes: places are chosen by numbers instead.
Tensor chosen(const Call& call, const Tensor& x, int32_t axis, int64_t start, int64_t end, int64_t step) {
  constexpr int64_t kAll = std::numeric_limits<int32_t>::max();
  if (start == 0 && end >= kAll && step == 1) return x;
  const int64_t size = x.shape()[static_cast<size_t>(axis)];
  const auto place = [&](int64_t at) {
    return std::clamp(at < 0 ? at + size : at, step < 0 ? int64_t{-1} : int64_t{0}, step < 0 ? size - 1 : size);
  };
  const int64_t first = place(start), last = end < -size ? (step < 0 ? -1 : 0) : place(end);
  // A step beyond the size makes one number.
  const int64_t by = std::clamp(step, -size - 1, size + 1);
  const int64_t count = by > 0 ? (last - first + by - 1) / by : (first - last - by - 1) / -by;
  return rondo::take(
      x, call.engine().arange_i64(call.device(), RONDO_I64, first, first + std::max<int64_t>(count, 0) * by, by), axis);
}

}  // namespace

void slice_node(Call& call) {
  const Shape s = call.shape(0);
  const auto ndim = static_cast<int64_t>(s.size());
  const bool inputs = call.opset() >= 10;
  const std::vector<int64_t> starts = inputs ? call.whole_numbers(1, "its starts") : call.integers("starts");
  const std::vector<int64_t> ends = inputs ? call.whole_numbers(2, "its ends") : call.integers("ends");
  std::vector<int64_t> axes = inputs && call.has(3) ? call.whole_numbers(3, "its axes") : call.integers("axes");
  std::vector<int64_t> steps = inputs && call.has(4) ? call.whole_numbers(4, "its steps") : std::vector<int64_t>();
  if (axes.empty()) axes = all_axes(static_cast<int64_t>(starts.size()));
  if (steps.empty()) steps.assign(starts.size(), 1);
  if (starts.size() != ends.size() || starts.size() != axes.size() || starts.size() != steps.size())
    malformed("its starts, ends, axes and steps are not of the same number");
  Tensor x = call.in(0);
  for (size_t i = 0; i < starts.size(); ++i) {
    const auto axis = static_cast<int32_t>(axis_of(axes[i], ndim));
    if (steps[i] == 0) malformed("a step is 0");
    const int64_t step = std::max(steps[i], -std::numeric_limits<int64_t>::max());
    x = call.constant(0) && !call.folding() ? chosen(call, x, axis, starts[i], ends[i], step)
                                            : x.slice(axis, starts[i], ends[i], step);
  }
  call.out(0, x);
}

void split_node(Call& call) {
  const Shape s = call.shape(0);
  const int64_t axis = call.axis("axis", 0, static_cast<int64_t>(s.size()));
  const int64_t size = s[static_cast<size_t>(axis)];
  std::vector<int64_t> parts = call.opset() < 13 ? call.integers("split")
                               : call.has(1)     ? call.whole_numbers(1, "the sizes of its parts")
                                                 : std::vector<int64_t>();
  if (parts.empty()) {
    const auto count = static_cast<int64_t>(call.outputs());
    if (count == 0 || call.integer("num_outputs", count) != count)
      malformed("its number of parts is not that of its outputs");
    const int64_t each = (size + count - 1) / count;
    for (int64_t i = 0, left = size; i < count; ++i, left -= parts.back()) parts.push_back(std::min(each, left));
  }
  if (parts.size() != call.outputs()) malformed("its number of parts is not that of its outputs");
  int64_t start = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] < 0 || parts[i] > size - start) malformed("the sizes of its parts are not that of its axis");
    call.out(i, call.in(0).slice(static_cast<int32_t>(axis), start, start + parts[i]));
    start += parts[i];
  }
  if (start != size) malformed("the sizes of its parts are not that of its axis");
}

void squeeze_node(Call& call) {
  const Shape s = call.shape(0);
  const std::vector<int64_t> axes = axes_of(call, static_cast<int64_t>(s.size()));
  const bool all = axes.empty();
  Shape target;
  for (size_t i = 0; i < s.size(); ++i) {
    const bool named = all ? s[i] == 1 : std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(i));
    if (named && s[i] != 1)
      malformed("the axis " + std::to_string(i) + " has the size " + std::to_string(s[i]) + ", not 1");
    if (!named) target.push_back(s[i]);
  }
  call.out(0, call.in(0).reshape(target));
}

void tile_node(Call& call) {
  const Shape s = call.shape(0);
  const std::vector<int64_t> counts = call.whole_numbers(1, "its repeats");
  if (counts.size() != s.size())
    malformed("it has " + std::to_string(counts.size()) + " repeats for " + std::to_string(s.size()) + " axes");
  Shape target = s;
  for (size_t i = 0; i < s.size(); ++i) {
    if (counts[i] < 0 || (s[i] > 0 && counts[i] > (int64_t{1} << 47) / s[i]))
      malformed("a repeat is out of all bounds");
    target[i] = s[i] * counts[i];
  }
  count_elements(target, rondo_dtype_size(call.dtype(0)), "its result");
  call.out(0, rondo::tile(call.in(0), counts));
}

void transpose_node(Call& call) {
  const std::vector<int64_t> order = call.integers("perm");
  call.out(0, order.empty() ? call.in(0).transpose() : call.in(0).transpose(rondo::Axes(order)));
}

void trilu(Call& call) {
  int64_t k = 0;
  if (call.has(1)) {
    const std::vector<int64_t> given = call.whole_numbers(1, "its diagonals");
    if (given.size() != 1) malformed("its diagonals are " + std::to_string(given.size()) + " numbers, not one");
    constexpr int64_t kMost = int64_t{1} << 47;  // beyond the corners of every tensor
    k = std::clamp(given[0], -kMost, kMost);
  }
  call.out(0, call.integer("upper", 1) != 0 ? rondo::triu(call.in(0), k) : rondo::tril(call.in(0), k));
}

void unsqueeze_node(Call& call) {
  const Shape s = call.shape(0);
  const size_t added = call.opset() < 13 ? call.integers("axes").size() : call.whole_numbers(1, "its axes").size();
  const std::vector<int64_t> axes = axes_of(call, static_cast<int64_t>(s.size() + added));
  Shape target;
  for (size_t i = 0, next = 0; i < s.size() + added; ++i)
    target.push_back(std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(i)) ? 1 : s[next++]);
  call.out(0, call.in(0).reshape(target));
}

}  // namespace rondo_onnx
