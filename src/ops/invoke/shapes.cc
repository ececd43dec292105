// Calls operators that move elements or make them of nothing, by their attributes.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/movement/shapes.h"

#include "ops/invoke/invoke.h"

namespace rondo::ops {

Status invoke(const SequenceCall& call, const Invocation& with) {
  Output out = with.out();
  return sequence(with.name, with.fresh(), call, out);
}

Status invoke(const EyeCall& call, const Invocation& with) {
  Output out = with.out();
  return eye(with.fresh(), call.diagonal, out);
}

Status invoke(const ConcatCall& call, const Invocation& with) {
  const auto tensors = with.all();
  if (tensors.size() == 0) return error(RONDO_INVALID_ARGUMENT, "n is 0; at least one tensor is needed");
  Output out = with.out();
  return concat({tensors.begin(), tensors.size()}, call.axis, out);
}

Status invoke(const PadCall& call, const Invocation& with) {
  Output out = with.out();
  return pad_with(with.in(0), call.mode, 2 * with.in(0).layout.ndim, call.widths, call.fill, out);
}

Status invoke(const TileCall& call, const Invocation& with) {
  Output out = with.out();
  return tile(with.in(0), call.n, call.counts, out);
}

Status invoke(const RepeatCall& call, const Invocation& with) {
  Output out = with.out();
  return repeat(with.in(0), call.count, call.axis, out);
}

Status invoke(const RollCall& call, const Invocation& with) {
  Output out = with.out();
  return roll(with.in(0), with.in(0).layout.ndim, call.shifts, out);
}

Status invoke(const TriangleCall& call, const Invocation& with) {
  Output out = with.out();
  return triangle(call.upper, with.in(0), call.diagonal, out);
}

Status invoke(const TakeCall& call, const Invocation& with) {
  Output out = with.out();
  return take(with.in(0), with.in(1), call.axis, out);
}

Status invoke(const TakeAlongAxisCall& call, const Invocation& with) {
  Output out = with.out();
  return take_along_axis(with.in(0), with.in(1), call.axis, out);
}

// Elements that are replaced are those of the tensor that is written.
Status invoke(const PutCall& call, const Invocation& with) {
  rondo_tensor* const to = with.results[0].tensor;
  if (!to || to->view.accumulate == call.replaces)
    return error(RONDO_INVALID_ARGUMENT, "elements are put into %s; a tensor%s is needed",
                 to ? "such a view" : "nothing", call.replaces ? "" : " that is added to (rondo_tensor_accumulator)");
  return call.along ? put_along_axis(to, with.in(0), with.in(1), call.axis)
                    : put(to, with.in(0), with.in(1), call.axis);
}

Status invoke(const SortCall& call, const Invocation& with) {
  const View& a = with.in(0);
  Output first = with.out();
  if (!call.values) return argsort(a, call.axis, call.descending, first);
  if (!call.indices) return sort(a, call.axis, call.descending, first);
  if (call.axis < 0 || call.axis >= with.results[0].shape.ndim)
    return error(RONDO_INVALID_ARGUMENT, "axis is %d; the result has %d dimensions", call.axis,
                 with.results[0].shape.ndim);
  Output second = with.out(1);
  return topk(a, with.results[0].shape.shape[call.axis], call.axis, call.descending, first, second);
}

Status invoke(const OneHotCall& call, const Invocation& with) {
  Output out = with.out();
  return one_hot(with.in(0), call.depth, with.results[0].dtype, out);
}

Status invoke(const NonzeroCall& call, const Invocation& with) {
  Output places = with.out(), count = with.out(1);
  return with.results[0].shape.ndim == 1 ? nonzero_numbers(with.in(0), call.limit, call.fill, places, count)
                                         : nonzero(with.in(0), call.limit, call.fill, places, count);
}

}  // namespace rondo::ops
