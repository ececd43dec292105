// Reductions over axes, or over all of them, as methods. Written by bindings/cpp/generate.py.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_GENERATED_REDUCE_METHODS_HPP
#define RONDO_HPP_GENERATED_REDUCE_METHODS_HPP

#include <rondo/ops.h>
#include <rondo/hpp/arguments.hpp>

namespace rondo {
inline namespace abi_0 {
namespace detail {

template <class T>
class ReduceMethods {
 public:
  T sum(const Axes& axes = {}, bool keep = false) const { return reduce(RONDO_SUM, self(), axes, keep); }
  T mean(const Axes& axes = {}, bool keep = false) const { return reduce(RONDO_MEAN, self(), axes, keep); }
  T max(const Axes& axes = {}, bool keep = false) const { return reduce(RONDO_MAX, self(), axes, keep); }
  T min(const Axes& axes = {}, bool keep = false) const { return reduce(RONDO_MIN, self(), axes, keep); }
  T argmax(const Axes& axes = {}, bool keep = false) const { return reduce(RONDO_ARGMAX, self(), axes, keep); }
  T argmin(const Axes& axes = {}, bool keep = false) const { return reduce(RONDO_ARGMIN, self(), axes, keep); }
  T prod(const Axes& axes = {}, bool keep = false) const { return reduce(RONDO_PROD, self(), axes, keep); }
  T all(const Axes& axes = {}, bool keep = false) const { return reduce(RONDO_ALL, self(), axes, keep); }
  T any(const Axes& axes = {}, bool keep = false) const { return reduce(RONDO_ANY, self(), axes, keep); }
  T l1_norm(const Axes& axes = {}, bool keep = false) const { return reduce(RONDO_L1_NORM, self(), axes, keep); }
  T l2_norm(const Axes& axes = {}, bool keep = false) const { return reduce(RONDO_L2_NORM, self(), axes, keep); }
  T lp_norm(const Axes& axes = {}, bool keep = false, double p = 2) const {
    return reduce_with(RONDO_LP_NORM, self(), {p}, axes, keep);
  }
  T var(const Axes& axes = {}, bool keep = false, double correction = 0) const {
    return reduce_with(RONDO_VAR, self(), {correction}, axes, keep);
  }
  T std(const Axes& axes = {}, bool keep = false, double correction = 0) const {
    return reduce_with(RONDO_STD, self(), {correction}, axes, keep);
  }
  T logsumexp(const Axes& axes = {}, bool keep = false) const { return reduce(RONDO_LOGSUMEXP, self(), axes, keep); }
  T nansum(const Axes& axes = {}, bool keep = false) const { return reduce(RONDO_NANSUM, self(), axes, keep); }
  T nanprod(const Axes& axes = {}, bool keep = false) const { return reduce(RONDO_NANPROD, self(), axes, keep); }

 private:
  const T& self() const noexcept { return static_cast<const T&>(*this); }
};

}  // namespace detail

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_GENERATED_REDUCE_METHODS_HPP
