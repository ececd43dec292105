// What the host's reductions compute with: of a row of reductions.def, the values that elements are read as. There are
// fewer of them than dtypes, so that a row's loops are compiled a few times only.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/reductions.h"
#include "ops/values.h"

namespace rondo::ops {

template <class Parts, bool on_device, class M>
class ReductionValue {
  template <class T>
  using Whole = typename Parts::template Of<on_device, T>;
  using R = Register<M>;
  using OfInteger = typename Whole<device::i64>::Computed;
  // The host keeps a sum of f32 in f64, and rounds it once.
  static constexpr bool wide = std::is_same_v<typename Whole<float>::Inner, device::Sum<float, false>>;
  using Integer = std::conditional_t<(sizeof(R) < 4), device::i32, R>;
  using Float = std::conditional_t<wide, double, R>;

 public:
  using type = std::conditional_t<device::is_floating<R>, Float,
                                  std::conditional_t<device::is_floating<OfInteger>, double, Integer>>;
};

// Calls f with a null pointer of the type of the values that elements of `dtype` are read as.
template <class Parts, bool on_device, class F>
auto with_reduction_value(rondo_dtype dtype, F&& f) {
  return with_element(
      dtype, [&]<class M>(M*) { return f(static_cast<typename ReductionValue<Parts, on_device, M>::type*>(nullptr)); });
}

}  // namespace rondo::ops
