// Reduces elements of several ranks in loops over blocks that fit the cache.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/transport/host_reduce.h"

#include <algorithm>
#include <type_traits>

#include "ops/operators/element.h"

namespace rondo::comm {

namespace {

constexpr size_t kBlock = 512;

// The type that elements are computed in: sums of short integers wrap around when they are made short again.
template <class T>
using Computed =
    std::conditional_t<std::is_same_v<T, device::f16> || std::is_same_v<T, device::bf16>, float,
                       std::conditional_t<std::is_integral_v<T> && sizeof(T) < sizeof(int32_t), int32_t, T>>;

template <class T>
Computed<T> widened(T value) {
  if constexpr (std::is_same_v<T, device::f16> || std::is_same_v<T, device::bf16>)
    return device::to_float(value);
  else
    return value;
}

template <class T>
T narrowed(Computed<T> value) {
  if constexpr (std::is_same_v<T, device::f16>)
    return device::to_f16(value);
  else if constexpr (std::is_same_v<T, device::bf16>)
    return device::to_bf16(value);
  else
    return static_cast<T>(value);
}

// Integers wrap around, which signed ones may not in C++.
template <class A, class F>
A wrapping(A a, A b, F f) {
  if constexpr (std::is_integral_v<A>) {
    using U = std::make_unsigned_t<A>;
    return static_cast<A>(f(static_cast<U>(a), static_cast<U>(b)));
  } else {
    return f(a, b);
  }
}

// One loop for each operation and type of computing, which the types of elements share.
template <class A>
[[gnu::noinline]] void combine(rondo_reduce_op op, A* sums, const A* next, size_t n) {
  const auto each = [&](auto f) {
    for (size_t i = 0; i < n; ++i) sums[i] = f(sums[i], next[i]);
  };
  switch (op) {
    case RONDO_PROD: return each([](A a, A b) { return wrapping(a, b, [](auto x, auto y) { return x * y; }); });
    case RONDO_MIN: return each([](A a, A b) { return a < b || a != a ? a : b; });
    case RONDO_MAX: return each([](A a, A b) { return a > b || a != a ? a : b; });
    default: return each([](A a, A b) { return wrapping(a, b, [](auto x, auto y) { return x + y; }); });
  }
}

template <class T>
void widen(const T* from, size_t n, Computed<T>* to) {
  for (size_t i = 0; i < n; ++i) to[i] = widened(from[i]);
}

template <class T>
void reduce(rondo_reduce_op op, std::span<const void* const> inputs, T* output, size_t count) {
  using A = Computed<T>;
  A sums[kBlock], wide[kBlock];
  for (size_t at = 0; at < count; at += kBlock) {
    const size_t n = std::min(kBlock, count - at);
    const A* next = nullptr;
    for (size_t r = 0; r < inputs.size(); ++r) {
      const T* const from = static_cast<const T*>(inputs[r]) + at;
      if constexpr (std::is_same_v<T, A>) {
        next = from;
      } else {
        widen(from, n, r == 0 ? sums : wide);
        next = wide;
      }
      if (r > 0)
        combine(op, sums, next, n);
      else if constexpr (std::is_same_v<T, A>)
        std::copy_n(from, n, sums);
    }
    if constexpr (std::is_floating_point_v<A>)
      if (op == RONDO_MEAN)
        for (size_t i = 0; i < n; ++i) sums[i] /= static_cast<A>(inputs.size());
    for (size_t i = 0; i < n; ++i) output[at + i] = narrowed<T>(sums[i]);
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
