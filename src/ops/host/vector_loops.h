// Defines the loops themselves, for the .cc file of each instruction set: it says the set's name (RONDO_VECTOR_SET) and
// the attributes of a loop (RONDO_VECTOR) and the size of its vectors (RONDO_VECTOR_BYTES). Operators are the same
// device functions that kernels are made of, in loops simple enough for the compiler to make vectors of them.
//
// Only a loop is compiled for its instruction set, and all that it calls becomes part of it. Code that other files may
// share with this one, inline functions and templates of headers, must stay runnable on every processor.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(RONDO_VECTOR_F16C)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "ops/host/vector_forms.h"
// After the functions of F32, which those of the device are to find.
#include "ops/host/vector_sets.h"
#include "ops/operators/element.h"
#include "rtc/device/activations.h"
#include "rtc/device/special.h"

// Before a loop whose arrays are the same or have nothing in common: it needs no scalar twin for others.
#if defined(__clang__)
#define RONDO_APART _Pragma("clang loop vectorize(assume_safety)")
// It would say of each loop that stays scalar that it does: those that divide integers or call the C library, as GCC's.
#pragma clang diagnostic ignored "-Wpass-failed"
#else
#define RONDO_APART _Pragma("GCC ivdep")
#endif

#include "ops/host/vector_folds.h"
#include "ops/host/vector_halves.h"
#include "ops/host/vector_steps.h"
#include "ops/host/vector_sums.h"
#include "ops/host/vector_windows.h"

namespace rondo::ops::RONDO_VECTOR_SET {

namespace {

// --- operators
// What a function of real numbers computes f32 in.
template <class T, Domain domain>
using Computed = std::conditional_t<domain == Domain::real && std::is_same_v<T, float>, F32, T>;

// Which operand's bits a NaN that arithmetic makes has depends on the instruction and on which operand comes first in
// it, which a compiler chooses anew for vectors and for what is left of them: so all NaNs are made the same one.
template <bool computes, class R>
inline R settled(R value) {
  if constexpr (computes && device::is_floating<R>) {
    const R nan = R(std::numeric_limits<double>::quiet_NaN());
    return value == value ? value : nan;  // NOLINT(misc-redundant-expression)
  } else {
    return value;
  }
}
// Operators that say something of the sign alone, so that of NaN too.
constexpr bool keeps_nan(Op op) {
  return op == Op::neg || op == Op::abs || op == Op::copysign;
}

// A loop from a device function of one, two or three arguments.
template <auto f, bool computes = false, class F = decltype(f)>
struct LoopOf;
template <auto f, bool computes, class R, class T>
struct LoopOf<f, computes, R (*)(T)> {
  RONDO_VECTOR static void run(void* to, const void* a, const void*, const void*, int64_t n) {
    R* r = static_cast<R*>(to);
    const T* x = static_cast<const T*>(a);
    RONDO_APART
    for (int64_t i = 0; i < n; ++i) r[i] = settled<computes>(f(x[i]));
  }
};
template <auto f, bool computes, class R, class T>
struct LoopOf<f, computes, R (*)(T, T)> {
  RONDO_VECTOR static void run(void* to, const void* a, const void* b, const void*, int64_t n) {
    R* r = static_cast<R*>(to);
    const T* x = static_cast<const T*>(a);
    const T* y = static_cast<const T*>(b);
    RONDO_APART
    for (int64_t i = 0; i < n; ++i) r[i] = settled<computes>(f(x[i], y[i]));
  }
};
template <auto f, bool computes, class R, class S, class T>
struct LoopOf<f, computes, R (*)(S, T, T)> {
  RONDO_VECTOR static void run(void* to, const void* a, const void* b, const void* c, int64_t n) {
    R* r = static_cast<R*>(to);
    const S* x = static_cast<const S*>(a);
    const T* y = static_cast<const T*>(b);
    const T* z = static_cast<const T*>(c);
    RONDO_APART
    for (int64_t i = 0; i < n; ++i) r[i] = settled<computes>(f(x[i], y[i], z[i]));
  }
};

// Takes few angles at a time, so that one that is far from 0 slows down its neighbours only.
template <auto near_one, auto any>
RONDO_VECTOR void angles(void* to, const void* a, const void*, const void*, int64_t n) {
  constexpr int64_t kFew = 64;
  F32* r = static_cast<F32*>(to);
  const F32* x = static_cast<const F32*>(a);
  for (int64_t begin = 0; begin < n; begin += kFew) {
    const int64_t end = std::min(begin + kFew, n);
    int far = 0;
    for (int64_t i = begin; i < end; ++i) far |= !near(x[i]);
    if (far)
      for (int64_t i = begin; i < end; ++i) r[i] = settled<true>(any(x[i]));
    else
      for (int64_t i = begin; i < end; ++i) r[i] = settled<true>(near_one(x[i]));
  }
}

template <class T>
constexpr bool admits(Domain domain) {
  return domain == Domain::any || (domain == Domain::real) == device::is_floating<T>;
}

// Operators that make the same bits of unsigned integers as of signed ones.
constexpr bool ignores_sign(Op op) {
  switch (op) {
    case Op::neg:
    case Op::square:
    case Op::logical_not:
    case Op::isnan:
    case Op::floor:
    case Op::ceil:
    case Op::round:
    case Op::trunc:
    case Op::isinf:
    case Op::round_away:
    case Op::isposinf:
    case Op::isneginf:
    case Op::isfinite:
    case Op::bit_not:
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::squared_difference:
    case Op::eq:
    case Op::ne:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_xor:
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::shift_left:
    case Op::fma: return true;
    default: return false;
  }
}
template <class T>
struct SignedOf {
  using type = T;
};
template <class T>
requires(std::is_unsigned_v<T> && !std::is_same_v<T, bool>) struct SignedOf<T> {
  using type = std::make_signed_t<T>;
};
// The type of the same bits whose loop is shared: a loop less in the library for each.
template <class T, bool shared = true>
using Shared = typename std::conditional_t<shared, SignedOf<T>, std::type_identity<T>>::type;

// Null for a dtype outside the row's domain: the checks of the operator have refused or converted it. Half: of
// such 16-bit floats in memory, computed in T, where memory takes longer than what is computed.
template <class T, class Half = void>
Loop loop_of(Op op) {
  constexpr bool halves = !std::is_void_v<Half>;
  if (std::is_same_v<T, float> && !halves) {
    if (op == Op::sin) return angles<&near_sin, static_cast<F32 (*)(F32)>(&sin)>;
    if (op == Op::cos) return angles<&near_cos, static_cast<F32 (*)(F32)>(&cos)>;
    if (op == Op::tan) return angles<&near_tan, static_cast<F32 (*)(F32)>(&tan)>;
  }
  switch (op) {
#define ROW(name, domain)                                                                            \
  case Op::name:                                                                                     \
    if constexpr (!admits<T>(Domain::domain) || (halves && Domain::domain != Domain::any))           \
      return nullptr;                                                                                \
    else if constexpr (halves)                                                                       \
      return HalvesOf<&device::op_##name<T>, Half>::loop;                                            \
    else                                                                                             \
      return LoopOf<&device::op_##name<Computed<Shared<T, ignores_sign(Op::name)>, Domain::domain>>, \
                    !keeps_nan(Op::name)>::run;
#define UNARY(ID, name, domain, ...) ROW(name, domain)
#define BINARY(ID, name, domain, ...) ROW(name, domain)
#define TERNARY(ID, name, domain, ...) ROW(name, domain)
#include "ops/operators/operators.def"
#undef UNARY
#undef BINARY
#undef TERNARY
#undef ROW
    case Op::where: return halves ? nullptr : LoopOf<&device::op_where<Shared<T>>>::run;
    case Op::cast:
    case Op::round_to:
    case Op::uniform:
    case Op::normal:
    case Op::from_bits:
    case Op::to_bits: break;
  }
  return nullptr;
}

#if defined(RONDO_VECTOR_F16C)
Loop find_halves(Op op, rondo_dtype dtype) {
  return with_half_element(dtype, [op]<class M>(M*) { return loop_of<float, M>(op); });
}
#else
constexpr Loop (*find_halves)(Op op, rondo_dtype dtype) = nullptr;
#endif

// To 16-bit floats and back, a piece at a time.
template <class Half>
RONDO_VECTOR void round_row(void* to, const void* a, const void*, const void*, int64_t n) {
  float* r = static_cast<float*>(to);
  const float* x = static_cast<const float*>(a);
  Half made[256];
  for (int64_t i = 0, count; i < n; i += count) {
    count = std::min<int64_t>(n - i, std::size(made));
    convert_row(made, x + i, count);
    convert_row(r + i, made, count);
  }
}

// Between 16-bit floats, held as their bits, and f32.
template <class To, class From>
RONDO_VECTOR void convert_block(void* to, const void* a, const void*, const void*, int64_t n) {
  convert_row(static_cast<To*>(to), static_cast<const From*>(a), n);
}

Loop find(const Expression::Instruction& each, rondo_dtype from) {
  const auto dtype = static_cast<rondo_dtype>(each.dtype);
  if (each.op == Op::from_bits || each.op == Op::to_bits)
    return with_half_element(dtype, [&each]<class Half>(Half*) -> Loop {
      return each.op == Op::from_bits ? convert_block<float, Half> : convert_block<Half, float>;
    });
  if (each.op == Op::round_to) return dtype == RONDO_F16 ? round_row<device::f16> : round_row<device::bf16>;
  return with_element(from, [&]<class M>(M*) -> Loop {
    using T = Register<M>;
    if (each.op != Op::cast) return loop_of<T>(each.op);
    // On the way to an 8-bit float as on that to a 16-bit one: it is rounded once, where it is stored.
    return with_element(is_f8(dtype) ? RONDO_BF16 : dtype, [&]<class To>(To*) -> Loop {
      // From one integer to another no wider, the bits alone count.
      constexpr bool cut = std::is_integral_v<To> && std::is_integral_v<T> && sizeof(To) <= sizeof(T);
      return LoopOf<&device::convert_to<Shared<To, std::is_integral_v<T>>, Shared<T, cut>>>::run;
    });
  });
}

template <class M, class R>
RONDO_VECTOR void quantise_block(void* to, const void* a, const void* b, const void* c, int64_t n) {
  R* r = static_cast<R*>(to);
  const float *x = static_cast<const float*>(a), *scale = static_cast<const float*>(b),
              *zero = static_cast<const float*>(c);
  constexpr float low = device::kLowest<M>, high = device::kHighest<M>;
  RONDO_APART
  for (int64_t i = 0; i < n; ++i) {
    const float y = device::op_round<float>(x[i] / scale[i]) + zero[i], at_least = y > low ? y : low;
    const float within = at_least < high ? at_least : high;  // of NaN the lowest
    const float number = low < 0 && y != y ? 0 : within;     // NOLINT(misc-redundant-expression)
    if constexpr (std::is_same_v<R, float>)
      r[i] = device::op_trunc<float>(number) + 0.0F;  // not -0
    else
      r[i] = static_cast<R>(static_cast<int32_t>(number));
  }
}
Loop quantise(rondo_dtype dtype, bool as_float) {
  if (dtype == RONDO_U8) return as_float ? quantise_block<uint8_t, float> : quantise_block<uint8_t, uint8_t>;
  return as_float ? quantise_block<int8_t, float> : quantise_block<int8_t, int8_t>;
}

// --- between memory and registers
template <class M>
RONDO_VECTOR void load_row(void* to, const char* from, int64_t stride, int64_t n) {
  Register<M>* r = static_cast<Register<M>*>(to);
  const M* m = reinterpret_cast<const M*>(from);
  if (stride == 1) {
    if constexpr (std::is_same_v<M, device::f16>) return convert_row(r, m, n);
    RONDO_APART
    for (int64_t i = 0; i < n; ++i) r[i] = device::from_memory(m[i]);
  } else if (stride == 0) {
    const Register<M> value = device::from_memory(*m);
    for (int64_t i = 0; i < n; ++i) r[i] = value;
  } else {
    RONDO_APART
    for (int64_t i = 0; i < n; ++i) r[i] = device::from_memory(m[i * stride]);
  }
}

template <class M, bool accumulate>
RONDO_VECTOR void store_row(char* to, int64_t stride, const void* from, int64_t n) {
  M* m = reinterpret_cast<M*>(to);
  const Register<M>* r = static_cast<const Register<M>*>(from);
  if (stride == 1) {
    if constexpr (std::is_same_v<M, device::f16> && !accumulate) return convert_row(m, r, n);
    RONDO_APART
    for (int64_t i = 0; i < n; ++i) put(m + i, r[i], accumulate);
  } else {
    for (int64_t i = 0; i < n; ++i) put(m + i * stride, r[i], accumulate);
  }
}

template <class M>
RONDO_VECTOR void load_tile(void* to, const char* from, int64_t stride, int64_t rows, int64_t columns) {
  Register<M>* r = static_cast<Register<M>*>(to);
  const M* m = reinterpret_cast<const M*>(from);
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t i = 0; i < rows; ++i) r[i * columns + c] = device::from_memory(m[c * stride + i]);
}

template <class M>
Moves moves_of(bool accumulate) {
  return {load_row<M>, load_tile<M>, accumulate ? store_row<M, true> : store_row<M, false>};
}
Moves moves(rondo_dtype dtype, bool accumulate) {
  if (is_f8(dtype))
    return with_f8_element(dtype, []<class M>(M*) -> Moves {
      return {load_row<M>, load_tile<M>, store_row<M, false>};
    });
  return with_element(dtype, [&]<class M>(M*) { return moves_of<Shared<M>>(accumulate); });
}
Moves bytes(size_t size) {
  switch (size) {
    case 1: return moves_of<device::i8>(false);
    case 2: return moves_of<device::i16>(false);
    case 4: return moves_of<device::i32>(false);
    default: return moves_of<device::i64>(false);
  }
}

// --- what follows a sum
struct LineToFinish {
  const float *sums, *residual;
  float* to;
  float scale, bias, low, high;
};

// So many elements from element i on. op_hard_swish of less than -4 is that of -4, of minus infinity too.
template <bool hard_swish, int bytes>
RONDO_VECTOR inline void finish_vector(typename Limits<float, bytes>::Vector& value, const LineToFinish& line,
                                       int64_t i) {
  using Limit = Limits<float, bytes>;
  typename Limit::Vector low = {}, high = {}, least = {}, nan = {}, residual;
  low += hard_swish ? 0.0F : line.low;
  high += hard_swish ? 1.0F : line.high;
  least -= 4.0F;
  nan += std::numeric_limits<float>::quiet_NaN();
  std::memcpy(&value, line.sums + i, sizeof value);
  std::memcpy(&residual, line.residual + i, sizeof residual);
  value = value * line.scale + line.bias + residual;
  if constexpr (hard_swish) {
    typename Limit::Vector part = value * 0.16666666666666666667F + 0.5F;
    Limit::template apply<true>(part, low);
    Limit::template apply<false>(part, high);
    Limit::template apply<true>(value, least);
    value *= part;
  } else {
    Limit::template apply<true>(value, low);
    Limit::template apply<false>(value, high);
  }
  value = value == value ? value : nan;
}
// A line of at least a vector. The last vector goes over some elements again, and so it is made before any is written:
// the line may be where sums or the residual are.
template <bool hard_swish, int bytes>
RONDO_VECTOR inline void finish_by(const LineToFinish& given, int64_t n) {
  const LineToFinish line = given;  // in registers
  typename Limits<float, bytes>::Vector value, last;
  constexpr int64_t kLanes = bytes / static_cast<int64_t>(sizeof(float));
  finish_vector<hard_swish, bytes>(last, line, n - kLanes);
  for (int64_t i = 0; i + kLanes < n; i += kLanes) {
    finish_vector<hard_swish, bytes>(value, line, i);
    std::memcpy(line.to + i, &value, sizeof value);
  }
  std::memcpy(line.to + n - kLanes, &last, sizeof last);
}

// Up to three elements.
template <bool hard_swish>
RONDO_VECTOR [[gnu::noinline]] void finish_few(const LineToFinish& line, int64_t n) {
  constexpr int kMost = 4;
  float sums[kMost] = {}, residual[kMost] = {}, made[kMost];
  for (int k = 0; k + 1 < kMost; ++k)
    if (k < n) sums[k] = line.sums[k], residual[k] = line.residual[k];
  finish_by<hard_swish, sizeof sums>({sums, residual, made, line.scale, line.bias, line.low, line.high}, kMost);
  for (int k = 0; k + 1 < kMost; ++k)
    if (k < n) line.to[k] = made[k];
}
template <bool hard_swish>
RONDO_VECTOR void finish_lines(const SumsToFinish& of) {
  constexpr int64_t kLanes = RONDO_VECTOR_BYTES / static_cast<int64_t>(sizeof(float)), kFewLanes = 4;
  for (int64_t number = 0; number < of.lines; ++number) {
    const LineToFinish line = {of.sums + number * of.sums_apart,
                               of.residual + number * of.residual_apart,
                               of.to + number * of.to_apart,
                               of.scale[number * of.scale_apart],
                               of.bias[number * of.bias_apart],
                               of.low,
                               of.high};
    if (of.n >= kLanes)
      finish_by<hard_swish, RONDO_VECTOR_BYTES>(line, of.n);
    else if (of.n >= kFewLanes)
      finish_by<hard_swish, 16>(line, of.n);
    else
      finish_few<hard_swish>(line, of.n);
  }
}
RONDO_VECTOR void finish(const SumsToFinish& of) {
  of.hard_swish ? finish_lines<true>(of) : finish_lines<false>(of);
}

// --- softmax
RONDO_VECTOR float largest(const float* values, int64_t n) {
  constexpr int kLanes = 64;
  float lanes[kLanes];
  for (float& lane : lanes) lane = -std::numeric_limits<float>::infinity();
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int l = 0; l < kLanes; ++l) lanes[l] = values[i + l] > lanes[l] ? values[i + l] : lanes[l];
  for (int l = 0; i + l < n; ++l) lanes[l] = values[i + l] > lanes[l] ? values[i + l] : lanes[l];
  for (int width = kLanes / 2; width > 0; width /= 2)
    for (int l = 0; l < width; ++l) lanes[l] = lanes[l + width] > lanes[l] ? lanes[l + width] : lanes[l];
  return lanes[0];
}
RONDO_VECTOR void exponentials(float* to, const float* from, float top, int64_t n) {
  RONDO_APART
  for (int64_t i = 0; i < n; ++i) to[i] = exp(F32::of(from[i] - top)).v;
}
RONDO_VECTOR void divide(float* values, float by, int64_t n) {
  for (int64_t i = 0; i < n; ++i) values[i] /= by;
}

// --- past the caches
#if defined(RONDO_VECTOR_F16C)
RONDO_VECTOR void stream(char* to, const void* from, int64_t bytes) {
  constexpr int64_t kLine = 64;
  const char* at = static_cast<const char*>(from);
  const int64_t before = std::min(static_cast<int64_t>(-reinterpret_cast<uintptr_t>(to) % kLine), bytes);
  if (before) std::memcpy(to, at, static_cast<size_t>(before));
  for (to += before, at += before, bytes -= before; bytes >= kLine; to += kLine, at += kLine, bytes -= kLine) {
#if defined(RONDO_VECTOR_AVX512)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(at));
#else
    const auto* line = reinterpret_cast<const __m256i*>(at);
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to), _mm256_loadu_si256(line));
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to) + 1, _mm256_loadu_si256(line + 1));
#endif
  }
  if (bytes) std::memcpy(to, at, static_cast<size_t>(bytes));
}
#else
constexpr void (*stream)(char* to, const void* from, int64_t bytes) = nullptr;
#endif

}  // namespace

const Loops kLoops = {find, find_halves, quantise,     moves,  bytes,  adders, finish,
                      fold, largest,     exponentials, divide, stream, step,   &kWindowTables};

}  // namespace rondo::ops::RONDO_VECTOR_SET
