// Runs the operators of a rule or a formula on temporaries, until the first that fails.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/gradient_builder.h"

#include "engine/views.h"
#include "ops/movement/shapes.h"

namespace rondo::tape {

View GradientBuilder::unary(rondo_unary_op op, const View& a) {
  return make([&](ops::Output& out) { return ops::unary(op, a, 0, nullptr, out); });
}

View GradientBuilder::binary(rondo_binary_op op, const View& a, const View& b) {
  return make([&](ops::Output& out) { return ops::binary(op, a, b, 0, nullptr, out); });
}

View GradientBuilder::whole(rondo_binary_op op, const View& a, int64_t number) {
  return make([&](ops::Output& out) { return ops::binary_scalar(op, a, ops::Scalar::of_i64(number), false, out); });
}

View GradientBuilder::scalar(rondo_binary_op op, const View& a, double number) {
  return make([&](ops::Output& out) { return ops::binary_scalar(op, a, ops::Scalar::of(number), false, out); });
}

View GradientBuilder::where(const View& condition, const View& a, const View& b) {
  return make([&](ops::Output& out) { return ops::where(condition, a, b, out); });
}
View GradientBuilder::where(const View& condition, const View& a, double b) {
  return status_.ok() ? where(condition, a, number(a.device(), a.dtype, b)) : View{};
}
View GradientBuilder::where(const View& condition, double a, const View& b) {
  return status_.ok() ? where(condition, number(b.device(), b.dtype, a), b) : View{};
}

View GradientBuilder::cast(const View& a, rondo_dtype dtype) {
  if (!status_.ok() || a.dtype == dtype) return a;
  return make([&](ops::Output& out) { return ops::cast(a, dtype, out); });
}

View GradientBuilder::copy(const View& a, rondo_dtype dtype) {
  return make([&](ops::Output& out) { return a.dtype == dtype ? ops::copy(a, out) : ops::cast(a, dtype, out); });
}

View GradientBuilder::reduce(rondo_reduce_op op, const View& a, std::span<const int32_t> axes) {
  return make(
      [&](ops::Output& out) { return ops::reduce(op, a, static_cast<int>(axes.size()), axes.data(), true, out); });
}

View GradientBuilder::cumulative(rondo_reduce_op op, const View& a, int axis, bool reverse) {
  return make([&](ops::Output& out) { return ops::cumulative(op, a, axis, reverse, out); });
}

View GradientBuilder::reshape(const View& a, const Layout& shape) {
  View view;
  then([&] { return reshape_view(a, shape.ndim, shape.shape, &view); });
  return view;
}

View GradientBuilder::number(Device& device, rondo_dtype dtype, double value) {
  rondo_tensor* const tensor = filled(device, dtype, {}, value);
  return tensor ? tensor->view : View{};
}

rondo_tensor* GradientBuilder::filled(Device& device, rondo_dtype dtype, const Layout& shape, double value) {
  if (!status_.ok()) return nullptr;
  OwnedTensor& slot = made_.emplace_back();
  slot.tensor = make_tensor(engine_, device, dtype, Layout::row_major(shape.ndim, shape.shape));
  then([&] { return ops::fill(slot.tensor->view, ops::Scalar::of(value)); });
  return status_.ok() ? slot.tensor : nullptr;
}

View GradientBuilder::places(Device& device, int64_t count) {
  return make([&](ops::Output& out) {
    using ops::Scalar;
    const ops::NewTensor line{&engine_, &device, RONDO_I64, {}};
    return ops::arange(line, Scalar::of_i64(0), Scalar::of_i64(count), Scalar::of_i64(1), out);
  });
}

}  // namespace rondo::tape
