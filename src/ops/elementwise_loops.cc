// Makes the host's loops from the rows of operators.def: the same device functions that kernels are made of, in loops
// simple enough for the compiler to vectorise.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise_loops.h"

#include "ops/element.h"
#include "rtc/device/activations.h"
#include "rtc/device/special.h"

namespace rondo::ops {

namespace {

// A loop from a device function of one, two or three arguments of type T.
template <auto f, class F = decltype(f)>
struct LoopOf;
template <auto f, class R, class T>
struct LoopOf<f, R (*)(T)> {
  static void run(void* to, const void* a, const void*, const void*, int64_t n) {
    R* r = static_cast<R*>(to);
    const T* x = static_cast<const T*>(a);
    for (int64_t i = 0; i < n; ++i) r[i] = f(x[i]);
  }
};
template <auto f, class R, class T>
struct LoopOf<f, R (*)(T, T)> {
  static void run(void* to, const void* a, const void* b, const void*, int64_t n) {
    R* r = static_cast<R*>(to);
    const T* x = static_cast<const T*>(a);
    const T* y = static_cast<const T*>(b);
    for (int64_t i = 0; i < n; ++i) r[i] = f(x[i], y[i]);
  }
};
template <auto f, class R, class S, class T>
struct LoopOf<f, R (*)(S, T, T)> {
  static void run(void* to, const void* a, const void* b, const void* c, int64_t n) {
    R* r = static_cast<R*>(to);
    const S* x = static_cast<const S*>(a);
    const T* y = static_cast<const T*>(b);
    const T* z = static_cast<const T*>(c);
    for (int64_t i = 0; i < n; ++i) r[i] = f(x[i], y[i], z[i]);
  }
};

template <class T>
constexpr bool admits(Domain domain) {
  return domain == Domain::any || (domain == Domain::real) == device::is_floating<T>;
}

// Null for a dtype outside the row's domain: the checks of the operator have refused or converted it.
template <class T>
Loop loop_of(Op op) {
  switch (op) {
#define ROW(name, domain)                        \
  case Op::name:                                 \
    if constexpr (admits<T>(Domain::domain))     \
      return LoopOf<&device::op_##name<T>>::run; \
    else                                         \
      return nullptr;
#define UNARY(ID, name, domain, ...) ROW(name, domain)
#define BINARY(ID, name, domain, ...) ROW(name, domain)
#define TERNARY(ID, name, domain, ...) ROW(name, domain)
#include "ops/operators.def"
#undef UNARY
#undef BINARY
#undef TERNARY
#undef ROW
    case Op::where: return LoopOf<&device::op_where<T>>::run;
    case Op::cast:
    case Op::round_to:
    case Op::uniform:
    case Op::normal: break;
  }
  return nullptr;
}

}  // namespace

Loop find_loop(const Expression::Instruction& each, rondo_dtype from) {
  const auto dtype = static_cast<rondo_dtype>(each.dtype);
  if (each.op == Op::round_to)
    return dtype == RONDO_F16 ? LoopOf<&device::round_f16>::run : LoopOf<&device::round_bf16>::run;
  return with_element(from, [&]<class M>(M*) -> Loop {
    using T = Register<M>;
    if (each.op != Op::cast) return loop_of<T>(each.op);
    return with_element(dtype, [&]<class To>(To*) -> Loop { return LoopOf<&device::convert_to<To, T>>::run; });
  });
}

}  // namespace rondo::ops
