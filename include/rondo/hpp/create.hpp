// Functions that make tensors. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_CREATE_HPP
#define RONDO_HPP_CREATE_HPP

#include <rondo/hpp/engine.hpp>

namespace rondo {
inline namespace abi_0 {

// Without contents, until something writes it.
inline Tensor empty(const Engine& engine, rondo_device device, rondo_dtype dtype, const Shape& shape) {
  return engine.empty(device, dtype, shape);
}
inline Tensor full(const Engine& engine, rondo_device device, rondo_dtype dtype, const Shape& shape, Number value) {
  return engine.full(device, dtype, shape, value);
}
inline Tensor zeros(const Engine& engine, rondo_device device, rondo_dtype dtype, const Shape& shape) {
  return engine.zeros(device, dtype, shape);
}
inline Tensor ones(const Engine& engine, rondo_device device, rondo_dtype dtype, const Shape& shape) {
  return engine.ones(device, dtype, shape);
}
// From start by step, before stop.
inline Tensor arange(const Engine& engine, rondo_device device, rondo_dtype dtype, Number start, Number stop,
                     Number step = 1) {
  return engine.arange(device, dtype, start, stop, step);
}
inline Tensor arange(const Engine& engine, rondo_device device, rondo_dtype dtype, Number stop) {
  return engine.arange(device, dtype, stop);
}
inline Tensor linspace(const Engine& engine, rondo_device device, rondo_dtype dtype, double start, double stop,
                       int64_t count, bool endpoint = true) {
  return engine.linspace(device, dtype, start, stop, count, endpoint);
}
inline Tensor eye(const Engine& engine, rondo_device device, rondo_dtype dtype, int64_t rows, int64_t columns,
                  int64_t diagonal = 0) {
  return engine.eye(device, dtype, rows, columns, diagonal);
}
inline Tensor random_uniform(const Engine& engine, rondo_device device, rondo_dtype dtype, const Shape& shape,
                             double low = 0, double high = 1) {
  return engine.uniform(device, dtype, shape, low, high);
}
inline Tensor random_normal(const Engine& engine, rondo_device device, rondo_dtype dtype, const Shape& shape,
                            double mean = 0, double deviation = 1) {
  return engine.normal(device, dtype, shape, mean, deviation);
}
inline Tensor random_permutation(const Engine& engine, rondo_device device, int64_t n, rondo_dtype dtype = RONDO_I64) {
  return engine.permutation(device, n, dtype);
}

namespace detail {

// The engine of a tensor, which a tensor of an adopted handle knows only if it was told.
inline Engine engine_of(const Tensor& a, const char* whose) {
  if (!a.engine())
    throw std::invalid_argument(std::string(whose) + ": the tensor is " + (a ? "of a handle" : "empty") +
                                "; it must have an engine: make it by one, or as rondo::Tensor(handle, engine)");
  return Engine(a.engine(), borrowed);
}

}  // namespace detail

// With the shape, dtype and device of another one.
inline Tensor empty_like(const Tensor& a) {
  const rondo_tensor_info facts = a.info();
  return detail::engine_of(a, "rondo::empty_like").empty(facts.device, facts.dtype, a.shape());
}
inline Tensor full_like(const Tensor& a, Number value) {
  const Tensor filled = empty_like(a);
  filled.fill(value);
  return filled;
}
inline Tensor zeros_like(const Tensor& a) {
  return full_like(a, 0);
}
inline Tensor ones_like(const Tensor& a) {
  return full_like(a, 1);
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_CREATE_HPP
