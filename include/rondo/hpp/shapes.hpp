// Operators that move elements. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_SHAPES_HPP
#define RONDO_HPP_SHAPES_HPP

#include <rondo/hpp/tensor.hpp>

namespace rondo {
inline namespace abi_0 {

// What methods of the same names give.
inline Tensor reshape(const Tensor& a, const Shape& shape) {
  return a.reshape(shape);
}
inline Tensor flatten(const Tensor& a) {
  return a.flatten();
}
inline Tensor squeeze(const Tensor& a) {
  return a.squeeze();
}
inline Tensor squeeze(const Tensor& a, int64_t axis) {
  return a.squeeze(axis);
}
inline Tensor unsqueeze(const Tensor& a, int64_t axis) {
  return a.unsqueeze(axis);
}
inline Tensor transpose(const Tensor& a, const Axes& axes = {}) {
  return a.transpose(axes);
}
inline Tensor broadcast(const Tensor& a, const Shape& shape) {
  return a.broadcast(shape);
}

inline Tensor concat(const Tensors& tensors, int32_t axis = 0) {
  return Tensor::made_by(tensors.engine(),
                         [&](rondo_tensor** out) { return rondo_concat(tensors.count(), tensors.data(), axis, out); });
}
inline Tensor stack(const Tensors& tensors, int32_t axis = 0) {
  return Tensor::made_by(tensors.engine(),
                         [&](rondo_tensor** out) { return rondo_stack(tensors.count(), tensors.data(), axis, out); });
}
// widths: how many before and how many after the elements of each dimension.
inline Tensor pad(const Tensor& a, rondo_pad_mode mode, const std::vector<int64_t>& widths, double value = 0) {
  return a.made([&](rondo_tensor** out) {
    return rondo_pad(a.get(), mode, detail::count(widths.size(), "rondo: widths"), widths.data(), value, out);
  });
}
inline Tensor tile(const Tensor& a, const std::vector<int64_t>& counts) {
  return a.made([&](rondo_tensor** out) {
    return rondo_tile(a.get(), detail::count(counts.size(), "rondo: counts"), counts.data(), out);
  });
}
inline Tensor repeat(const Tensor& a, int64_t count, int32_t axis) {
  return a.made([&](rondo_tensor** out) { return rondo_repeat(a.get(), count, axis, out); });
}
// shifts: one of each dimension.
inline Tensor roll(const Tensor& a, const std::vector<int64_t>& shifts) {
  return a.made([&](rondo_tensor** out) {
    return rondo_roll(a.get(), detail::count(shifts.size(), "rondo: shifts"), shifts.data(), out);
  });
}
inline Tensor tril(const Tensor& a, int64_t diagonal = 0) {
  return a.made([&](rondo_tensor** out) { return rondo_tril(a.get(), diagonal, out); });
}
inline Tensor triu(const Tensor& a, int64_t diagonal = 0) {
  return a.made([&](rondo_tensor** out) { return rondo_triu(a.get(), diagonal, out); });
}
inline Tensor take(const Tensor& a, const Tensor& indices, int32_t axis) {
  return a.made([&](rondo_tensor** out) { return rondo_take(a.get(), indices.get(), axis, out); });
}
inline Tensor take_along_axis(const Tensor& a, const Tensor& indices, int32_t axis) {
  return a.made([&](rondo_tensor** out) { return rondo_take_along_axis(a.get(), indices.get(), axis, out); });
}

// Into a tensor that is there; a view that accumulates is added to.
inline void put(const Tensor& tensor, const Tensor& indices, const Tensor& values, int32_t axis) {
  throw_on_failure(rondo_put(tensor.get(), indices.get(), values.get(), axis));
}
inline void put_along_axis(const Tensor& tensor, const Tensor& indices, const Tensor& values, int32_t axis) {
  throw_on_failure(rondo_put_along_axis(tensor.get(), indices.get(), values.get(), axis));
}
inline Tensor sort(const Tensor& a, int32_t axis = -1, bool descending = false) {
  return a.made([&](rondo_tensor** out) { return rondo_sort(a.get(), axis, descending, out); });
}
inline Tensor argsort(const Tensor& a, int32_t axis = -1, bool descending = false) {
  return a.made([&](rondo_tensor** out) { return rondo_argsort(a.get(), axis, descending, out); });
}
struct TopK {
  Tensor values, indices;
};
inline TopK topk(const Tensor& a, int64_t k, int32_t axis = -1, bool largest = true) {
  detail::Made made(2, a.engine());
  throw_on_failure(rondo_topk(a.get(), k, axis, largest, made.at(0), made.at(1)));
  return {made.take(0), made.take(1)};
}

// What contents choose, as much as there is: these wait.
inline Tensor nonzero(const Tensor& a) {
  return a.made([&](rondo_tensor** out) { return rondo_nonzero(a.get(), out); });
}
inline Tensor select(const Tensor& a, const Tensor& mask) {
  return a.made([&](rondo_tensor** out) { return rondo_select(a.get(), mask.get(), out); });
}
// Up to a limit, filled in where there is less, and how much there is: without a wait.
struct Chosen {
  Tensor chosen, count;
};
inline Chosen nonzero_limit(const Tensor& a, int64_t limit, int64_t fill = 0) {
  detail::Made made(2, a.engine());
  throw_on_failure(rondo_nonzero_limit(a.get(), limit, fill, made.at(0), made.at(1)));
  return {made.take(0), made.take(1)};
}
inline Chosen select_limit(const Tensor& a, const Tensor& mask, int64_t limit, double fill = 0) {
  detail::Made made(2, a.engine());
  throw_on_failure(rondo_select_limit(a.get(), mask.get(), limit, fill, made.at(0), made.at(1)));
  return {made.take(0), made.take(1)};
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_SHAPES_HPP
