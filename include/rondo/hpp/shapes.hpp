// Operators that move elements. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_SHAPES_HPP
#define RONDO_HPP_SHAPES_HPP

#include <rondo/hpp/tensor.hpp>

namespace rondo {
inline namespace abi_0 {

inline Tensor concat(Tensors tensors, int32_t axis = 0) {
  const std::vector<rondo_tensor*> handles = handles_of(tensors);
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_concat(static_cast<int32_t>(handles.size()), handles.data(), axis, out);
  });
}
inline Tensor stack(Tensors tensors, int32_t axis = 0) {
  const std::vector<rondo_tensor*> handles = handles_of(tensors);
  return Tensor::made(
      [&](rondo_tensor** out) { return rondo_stack(static_cast<int32_t>(handles.size()), handles.data(), axis, out); });
}
// widths: how many before and how many after the elements of each dimension.
inline Tensor pad(const Tensor& a, rondo_pad_mode mode, const std::vector<int64_t>& widths, double value = 0) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_pad(a.get(), mode, static_cast<int32_t>(widths.size()), widths.data(), value, out);
  });
}
inline Tensor tile(const Tensor& a, const std::vector<int64_t>& counts) {
  return Tensor::made(
      [&](rondo_tensor** out) { return rondo_tile(a.get(), static_cast<int32_t>(counts.size()), counts.data(), out); });
}
inline Tensor repeat(const Tensor& a, int64_t count, int32_t axis) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_repeat(a.get(), count, axis, out); });
}
// shifts: one of each dimension.
inline Tensor roll(const Tensor& a, const std::vector<int64_t>& shifts) {
  return Tensor::made(
      [&](rondo_tensor** out) { return rondo_roll(a.get(), static_cast<int32_t>(shifts.size()), shifts.data(), out); });
}
inline Tensor tril(const Tensor& a, int64_t diagonal = 0) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_tril(a.get(), diagonal, out); });
}
inline Tensor triu(const Tensor& a, int64_t diagonal = 0) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_triu(a.get(), diagonal, out); });
}
inline Tensor take(const Tensor& a, const Tensor& indices, int32_t axis) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_take(a.get(), indices.get(), axis, out); });
}
inline Tensor take_along_axis(const Tensor& a, const Tensor& indices, int32_t axis) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_take_along_axis(a.get(), indices.get(), axis, out); });
}

// Into a tensor that is there; a view that accumulates is added to.
inline void put(const Tensor& tensor, const Tensor& indices, const Tensor& values, int32_t axis) {
  check(rondo_put(tensor.get(), indices.get(), values.get(), axis));
}
inline void put_along_axis(const Tensor& tensor, const Tensor& indices, const Tensor& values, int32_t axis) {
  check(rondo_put_along_axis(tensor.get(), indices.get(), values.get(), axis));
}
inline Tensor sort(const Tensor& a, int32_t axis = -1, bool descending = false) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_sort(a.get(), axis, descending, out); });
}
inline Tensor argsort(const Tensor& a, int32_t axis = -1, bool descending = false) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_argsort(a.get(), axis, descending, out); });
}
struct TopK {
  Tensor values, indices;
};
inline TopK topk(const Tensor& a, int64_t k, int32_t axis = -1, bool largest = true) {
  rondo_tensor *values = nullptr, *indices = nullptr;
  check(rondo_topk(a.get(), k, axis, largest, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

// What contents choose, as much as there is: these wait.
inline Tensor nonzero(const Tensor& a) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_nonzero(a.get(), out); });
}
inline Tensor select(const Tensor& a, const Tensor& mask) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_select(a.get(), mask.get(), out); });
}
// Up to a limit, filled in where there is less, and how much there is: without a wait.
struct Chosen {
  Tensor chosen, count;
};
inline Chosen nonzero_limit(const Tensor& a, int64_t limit, int64_t fill = 0) {
  rondo_tensor *places = nullptr, *count = nullptr;
  check(rondo_nonzero_limit(a.get(), limit, fill, &places, &count));
  return {Tensor(places), Tensor(count)};
}
inline Chosen select_limit(const Tensor& a, const Tensor& mask, int64_t limit, double fill = 0) {
  rondo_tensor *parts = nullptr, *count = nullptr;
  check(rondo_select_limit(a.get(), mask.get(), limit, fill, &parts, &count));
  return {Tensor(parts), Tensor(count)};
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_SHAPES_HPP
