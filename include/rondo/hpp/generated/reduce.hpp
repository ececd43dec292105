// Reductions over axes, or over all of them, as functions. Written by bindings/cpp/generate.py.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_GENERATED_REDUCE_HPP
#define RONDO_HPP_GENERATED_REDUCE_HPP

#include <rondo/hpp/elementwise.hpp>

namespace rondo {
inline namespace abi_0 {

// The sum.
inline Tensor sum(const Tensor& a, const Axes& axes = {}, bool keep = false) {
  return reduce(RONDO_SUM, a, axes, keep);
}
// The arithmetic mean.
inline Tensor mean(const Tensor& a, const Axes& axes = {}, bool keep = false) {
  return reduce(RONDO_MEAN, a, axes, keep);
}
// The largest; NaN if any is NaN.
inline Tensor max(const Tensor& a, const Axes& axes = {}, bool keep = false) {
  return reduce(RONDO_MAX, a, axes, keep);
}
// The smallest; NaN if any is NaN.
inline Tensor min(const Tensor& a, const Axes& axes = {}, bool keep = false) {
  return reduce(RONDO_MIN, a, axes, keep);
}
// Where the first of the largest is, counted over the reduced axes in row-major order; the first NaN wins.
inline Tensor argmax(const Tensor& a, const Axes& axes = {}, bool keep = false) {
  return reduce(RONDO_ARGMAX, a, axes, keep);
}
// Where the first of the smallest is, as argmax.
inline Tensor argmin(const Tensor& a, const Axes& axes = {}, bool keep = false) {
  return reduce(RONDO_ARGMIN, a, axes, keep);
}
// The product; its gradient is NaN if any is infinite.
inline Tensor prod(const Tensor& a, const Axes& axes = {}, bool keep = false) {
  return reduce(RONDO_PROD, a, axes, keep);
}
// Whether no element is 0.
inline Tensor all(const Tensor& a, const Axes& axes = {}, bool keep = false) {
  return reduce(RONDO_ALL, a, axes, keep);
}
// Whether any element is not 0.
inline Tensor any(const Tensor& a, const Axes& axes = {}, bool keep = false) {
  return reduce(RONDO_ANY, a, axes, keep);
}
// The sum of |x|.
inline Tensor l1_norm(const Tensor& a, const Axes& axes = {}, bool keep = false) {
  return reduce(RONDO_L1_NORM, a, axes, keep);
}
// The root of the sum of squares.
inline Tensor l2_norm(const Tensor& a, const Axes& axes = {}, bool keep = false) {
  return reduce(RONDO_L2_NORM, a, axes, keep);
}
// The p-th root of the sum of |x| to the p, for finite p above 0.
inline Tensor lp_norm(const Tensor& a, const Axes& axes = {}, bool keep = false, double p = 2) {
  return reduce_with(RONDO_LP_NORM, a, {p}, axes, keep);
}
// The variance: squared distances from the mean, divided by their number less correction.
inline Tensor var(const Tensor& a, const Axes& axes = {}, bool keep = false, double correction = 0) {
  return reduce_with(RONDO_VAR, a, {correction}, axes, keep);
}
// The standard deviation: the root of var.
inline Tensor std(const Tensor& a, const Axes& axes = {}, bool keep = false, double correction = 0) {
  return reduce_with(RONDO_STD, a, {correction}, axes, keep);
}
// The logarithm of the sum of exp(x), without overflow between.
inline Tensor logsumexp(const Tensor& a, const Axes& axes = {}, bool keep = false) {
  return reduce(RONDO_LOGSUMEXP, a, axes, keep);
}
// The sum of what is not NaN.
inline Tensor nansum(const Tensor& a, const Axes& axes = {}, bool keep = false) {
  return reduce(RONDO_NANSUM, a, axes, keep);
}
// The product of what is not NaN.
inline Tensor nanprod(const Tensor& a, const Axes& axes = {}, bool keep = false) {
  return reduce(RONDO_NANPROD, a, axes, keep);
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_GENERATED_REDUCE_HPP
