// Rules of the operators that move elements: what was shown once is moved back, what was shown several times is added
// up where it came from, in a fixed order (ops/movement/put.h).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <deque>

#include "engine/views.h"
#include "ops/movement/shapes.h"
#include "tape/gradient_builder.h"
#include "tape/rules/kinds.h"

namespace rondo::tape {

namespace {

template <class MakeIt>
Status make(OwnedTensor* slot, const MakeIt& make_it) {
  ops::Output out(&slot->tensor);
  return make_it(out);
}

// Zeros of a shape, to which `add` adds through a view.
template <class Add>
Status add_into_zeros(const Backward& backward, const View& like, const Layout& shape, OwnedTensor* sum,
                      const Add& add) {
  sum->tensor = make_tensor(backward.engine(), like.device(), like.dtype, Layout::row_major(shape.ndim, shape.shape));
  RONDO_TRY(ops::fill(sum->tensor->view, ops::Scalar::of(0)));
  OwnedTensor target;
  target.tensor = make_view(sum->tensor->storage, accumulator_view(sum->tensor->view));
  return add(target.tensor);
}

// The gradient of what shows elements of each dimension by a map of its own. `along(d, numbers, out)`: the map as the
// operator gives it, applied to 0, 1, ... along dimension d of the input; false: the dimension is shown as it is.
// shape: the input's, with ones in front as far as the result has more dimensions.
template <class Shows, class Along>
Status run_map(Backward& backward, const Layout& shape, const Shows& shows, const Along& along) {
  View dy;
  RONDO_TRY(backward.incoming_view(&dy));
  std::deque<OwnedTensor> made;
  for (int d = 0; d < shape.ndim; ++d) {
    if (!shows(d)) continue;
    OwnedTensor &numbers = made.emplace_back(), &map = made.emplace_back(), &sum = made.emplace_back();
    const ops::NewTensor line{&backward.engine(), &dy.device(), RONDO_I64, {}};
    RONDO_TRY(make(&numbers, [&](ops::Output& out) {
      using ops::Scalar;
      return ops::arange(line, Scalar::of_i64(0), Scalar::of_i64(shape.shape[d]), Scalar::of_i64(1), out);
    }));
    RONDO_TRY(make(&map, [&](ops::Output& out) { return along(d, numbers.tensor->view, out); }));
    Layout next = dy.layout;
    next.shape[d] = shape.shape[d];
    RONDO_TRY(add_into_zeros(backward, dy, next, &sum,
                             [&](rondo_tensor* to) { return ops::put(to, map.tensor->view, dy, d); }));
    dy = sum.tensor->view;
  }
  const Layout& input = backward.node().inputs[0].view.layout;
  RONDO_TRY(reshape_view(dy, input.ndim, input.shape, &dy));  // ones in front
  return backward.pass(0, input, Value::of(dy));
}

}  // namespace

Status run(const ops::ConcatCall& call, Backward& backward) {
  const Value& incoming = backward.incoming();
  int64_t start = 0;
  for (size_t i = 0; i < backward.node().inputs.size(); ++i) {
    const Layout& shape = backward.node().inputs[i].view.layout;
    const int64_t stop = start + shape.shape[call.axis];
    if (backward.wants(i)) {
      Value part = incoming;
      if (!incoming.uniform) RONDO_TRY(slice_view(incoming.view, call.axis, start, stop, 1, &part.view));
      RONDO_TRY(backward.pass(i, shape, part));
    }
    start = stop;
  }
  return {};
}

Status run(const ops::PadCall& call, Backward& backward) {
  const Layout& shape = backward.node().inputs[0].view.layout;
  if (call.mode == RONDO_PAD_CONSTANT) {
    Value inside = backward.incoming();
    for (int d = 0; d < shape.ndim && !inside.uniform; ++d) {
      const int64_t start = call.widths[2 * d];
      RONDO_TRY(slice_view(inside.view, d, start, start + shape.shape[d], 1, &inside.view));
    }
    return backward.pass(0, shape, inside);
  }
  return run_map(
      backward, shape, [&](int d) { return call.widths[2 * d] || call.widths[2 * d + 1]; },
      [&](int d, const View& numbers, ops::Output& out) {
        return ops::pad(numbers, call.mode, 2, call.widths + 2 * d, 0, out);
      });
}

Status run(const ops::TileCall& call, Backward& backward) {
  Layout shape = backward.node().inputs[0].view.layout;
  int64_t counts[kMaxDims];
  const int ndim = std::max(call.n, shape.ndim);
  for (int d = ndim - 1; d >= 0; --d) {
    const int own = d - (ndim - shape.ndim), count = d - (ndim - call.n);
    counts[d] = count < 0 ? 1 : call.counts[count];
    shape.shape[d] = own < 0 ? 1 : shape.shape[own];
  }
  shape.ndim = ndim;
  return run_map(
      backward, shape, [&](int d) { return counts[d] != 1; },
      [&](int d, const View& numbers, ops::Output& out) { return ops::tile(numbers, 1, counts + d, out); });
}

Status run(const ops::RepeatCall& call, Backward& backward) {
  return run_map(
      backward, backward.node().inputs[0].view.layout, [&](int d) { return d == call.axis; },
      [&](int, const View& numbers, ops::Output& out) { return ops::repeat(numbers, call.count, 0, out); });
}

Status run(const ops::RollCall& call, Backward& backward) {
  View dy;
  RONDO_TRY(backward.incoming_view(&dy));
  int64_t back[kMaxDims];
  std::transform(call.shifts, call.shifts + kMaxDims, back, [](int64_t shift) { return -shift; });
  return backward.give(0, dy.layout, [&](ops::Output& out) { return ops::roll(dy, dy.layout.ndim, back, out); });
}

Status run(const ops::TriangleCall& call, Backward& backward) {
  View dy;
  RONDO_TRY(backward.incoming_view(&dy));
  return backward.give(0, dy.layout,
                       [&](ops::Output& out) { return ops::triangle(call.upper, dy, call.diagonal, out); });
}

Status run(const ops::TakeCall& call, Backward& backward) {
  const Layout& shape = backward.node().inputs[0].view.layout;
  View dy;
  OwnedTensor sum;
  RONDO_TRY(backward.incoming_view(&dy));
  RONDO_TRY(add_into_zeros(backward, dy, shape, &sum,
                           [&](rondo_tensor* to) { return ops::put(to, backward.input(1), dy, call.axis); }));
  return backward.pass(0, shape, Value::of(sum.tensor->view));
}

// If a was broadcast, the gradient is of the shape it was broadcast to.
Status run(const ops::TakeAlongAxisCall& call, Backward& backward) {
  Layout shape = backward.node().outputs[0].view.layout;
  shape.shape[call.axis] = backward.node().inputs[0].view.layout.shape[call.axis];
  View dy;
  OwnedTensor sum;
  RONDO_TRY(backward.incoming_view(&dy));
  RONDO_TRY(add_into_zeros(backward, dy, shape, &sum, [&](rondo_tensor* to) {
    return ops::put_along_axis(to, backward.input(1), dy, call.axis);
  }));
  return backward.pass(0, shape, Value::of(sum.tensor->view));
}

// The gradient of values that are added.
Status taken(const ops::PutCall& call, Backward& backward, const View& dy) {
  const View& indices = backward.input(0);
  return backward.give(1, backward.node().inputs[1].view.layout, [&](ops::Output& out) {
    return call.along ? ops::take_along_axis(dy, indices, call.axis, out) : ops::take(dy, indices, call.axis, out);
  });
}

// The gradient of values that replace: where an index comes again, the last one counts, which putting the values'
// places the same way tells.
Status taken_by_last(const ops::PutCall& call, Backward& backward, const View& dy) {
  const View& indices = backward.input(0);
  const Layout& values = backward.node().inputs[1].view.layout;
  const int axis = call.axis;
  GradientBuilder steps(backward.engine());
  View wins, parts;
  if (call.along) {
    Layout line = values;
    for (int d = 0; d < line.ndim; ++d) line.shape[d] = d == axis ? values.shape[axis] : 1;
    const View places = steps.reshape(steps.places(dy.device(), values.shape[axis]), line);
    rondo_tensor* const last = steps.filled(dy.device(), RONDO_I64, dy.layout, 0);
    steps.then([&] { return ops::put_along_axis(last, indices, places, axis); });
    const View winner =
        steps.make([&](ops::Output& out) { return ops::take_along_axis(last->view, indices, axis, out); });
    parts = steps.make([&](ops::Output& out) { return ops::take_along_axis(dy, indices, axis, out); });
    wins = steps.binary(RONDO_EQ, winner, places);
  } else {
    const View places = steps.reshape(steps.places(dy.device(), indices.elements()), indices.layout);
    Layout line;
    line.ndim = 1;
    line.shape[0] = dy.layout.shape[axis];
    rondo_tensor* const last = steps.filled(dy.device(), RONDO_I64, line, 0);
    steps.then([&] { return ops::put(last, indices, places, 0); });
    const View winner = steps.make([&](ops::Output& out) { return ops::take(last->view, indices, 0, out); });
    parts = steps.make([&](ops::Output& out) { return ops::take(dy, indices, axis, out); });
    Layout under = indices.layout;  // then an axis of size 1 for each after `axis`
    for (int d = axis + 1; d < dy.layout.ndim; ++d) under.shape[under.ndim++] = 1;
    wins = steps.reshape(steps.binary(RONDO_EQ, winner, places), under);
  }
  const View won = steps.where(wins, parts, 0.0);
  RONDO_TRY(steps.status());
  return backward.pass(1, values, Value::of(won));
}

Status run(const ops::PutCall& call, Backward& backward) {
  View dy;
  RONDO_TRY(backward.incoming_view(&dy));
  if (backward.wants(1)) RONDO_TRY(call.replaces ? taken_by_last(call, backward, dy) : taken(call, backward, dy));
  if (!call.replaces || !backward.wants(2)) return {};
  // Elements that were there before count where nothing was put.
  const View& indices = backward.input(0);
  GradientBuilder steps(backward.engine());
  rondo_tensor* const rest = steps.tensor_of([&](ops::Output& out) { return ops::copy(dy, out); });
  const View zero = steps.number(dy.device(), dy.dtype, 0);
  steps.then([&] {
    return call.along ? ops::put_along_axis(rest, indices, zero, call.axis) : ops::put(rest, indices, zero, call.axis);
  });
  RONDO_TRY(steps.status());
  return backward.pass(2, dy.layout, Value::of(rest->view));
}

Status run(const ops::SortCall& call, Backward& backward) {
  const Layout& shape = backward.node().inputs[0].view.layout;
  View dy;
  OwnedTensor places, sum;
  RONDO_TRY(backward.incoming_view(&dy));
  if (!call.indices)
    RONDO_TRY(make(&places,
                   [&](ops::Output& out) { return ops::argsort(backward.input(0), call.axis, call.descending, out); }));
  RONDO_TRY(add_into_zeros(backward, dy, shape, &sum, [&](rondo_tensor* to) {
    return ops::put_along_axis(to, call.indices ? backward.output(1) : places.tensor->view, dy, call.axis);
  }));
  return backward.pass(0, shape, Value::of(sum.tensor->view));
}

}  // namespace rondo::tape
