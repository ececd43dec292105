// Reduces elements of several ranks in loops over blocks that fit the cache.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/transport/host_reduce.h"

#include <algorithm>
#include <type_traits>

#include "ops/operators/element.h"

namespace rondo::comm {

namespace {

constexpr size_t kBlock = 512;

// The type that elements are computed in.
template <class T>
auto widened(T value) {
  if constexpr (std::is_same_v<T, device::f16> || std::is_same_v<T, device::bf16>)
    return device::to_float(value);
  else
    return value;
}

template <class T, class A>
T narrowed(A value) {
  if constexpr (std::is_same_v<T, device::f16>)
    return device::to_f16(value);
  else if constexpr (std::is_same_v<T, device::bf16>)
    return device::to_bf16(value);
  else
    return value;
}

// Integers wrap around, which signed ones may not in C++.
template <class A, class F>
A wrapping(A a, A b, F f) {
  if constexpr (std::is_integral_v<A>) {
    using U = std::conditional_t<sizeof(A) < 4, unsigned, std::make_unsigned_t<A>>;
    return static_cast<A>(f(static_cast<U>(a), static_cast<U>(b)));
  } else {
    return f(a, b);
  }
}

template <class T, class Combine>
void fold(std::span<const void* const> inputs, T* output, size_t count, bool mean, const Combine& combine) {
  using A = decltype(widened(T{}));
  A sums[kBlock];
  for (size_t at = 0; at < count; at += kBlock) {
    const size_t n = std::min(kBlock, count - at);
    const T* first = static_cast<const T*>(inputs[0]) + at;
    for (size_t i = 0; i < n; ++i) sums[i] = widened(first[i]);
    for (size_t r = 1; r < inputs.size(); ++r) {
      const T* next = static_cast<const T*>(inputs[r]) + at;
      for (size_t i = 0; i < n; ++i) sums[i] = combine(sums[i], widened(next[i]));
    }
    if constexpr (std::is_floating_point_v<A>)
      if (mean)
        for (size_t i = 0; i < n; ++i) sums[i] /= static_cast<A>(inputs.size());
    for (size_t i = 0; i < n; ++i) output[at + i] = narrowed<T>(sums[i]);
  }
}

template <class T>
void reduce(rondo_reduce_op op, std::span<const void* const> inputs, T* output, size_t count) {
  using A = decltype(widened(T{}));
  switch (op) {
    case RONDO_PROD:
      return fold(inputs, output, count, false,
                  [](A a, A b) { return wrapping(a, b, [](auto x, auto y) { return x * y; }); });
    case RONDO_MIN: return fold(inputs, output, count, false, [](A a, A b) { return a < b || a != a ? a : b; });
    case RONDO_MAX: return fold(inputs, output, count, false, [](A a, A b) { return a > b || a != a ? a : b; });
    default:
      return fold(inputs, output, count, op == RONDO_MEAN,
                  [](A a, A b) { return wrapping(a, b, [](auto x, auto y) { return x + y; }); });
  }
}

}  // namespace

void reduce_on_host(rondo_dtype dtype, rondo_reduce_op op, std::span<const void* const> inputs, void* output,
                    size_t count) {
  if (dtype == RONDO_BOOL) return;  // not reduced
  ops::with_element(dtype, [&]<class T>(T*) {
    if constexpr (!std::is_same_v<T, device::b8>) reduce<T>(op, inputs, static_cast<T*>(output), count);
  });
}

}  // namespace rondo::comm
