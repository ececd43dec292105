// Defines the loops that sums are made of, for the .cc file of each instruction set, as those of vector_loops.h.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <utility>

#include "ops/host/vector_halves.h"

namespace rondo::ops::RONDO_VECTOR_SET {

namespace {

template <Summand summand, class T = double>
inline T summand_of(float given) {
  const T value = given;
  switch (summand) {
    case Summand::itself: return value;
    case Summand::magnitude: return std::fabs(value);
    case Summand::square: return value * value;
    case Summand::not_nan: return value == value ? value : T(0);
  }
  __builtin_unreachable();  // the compiler warns of an enumerator without a case
}
template <Summand summand, int... rows>
RONDO_VECTOR inline void add_together(double* sums, const float* from, int64_t stride, int64_t columns,
                                      std::integer_sequence<int, rows...>) {
  RONDO_APART
  for (int64_t c = 0; c < columns; ++c) {
    double sum = sums[c];
    ((sum += summand_of<summand>(from[rows * stride + c])), ...);
    sums[c] = sum;
  }
}
template <Summand summand>
RONDO_VECTOR void add(double* sums, const float* from, int64_t stride, int64_t rows, int64_t columns) {
  // Sums of many columns go through the cache once for several rows; few stay near, and rows are read as they lie.
  constexpr int kRows = 8;
  constexpr int64_t kFew = 128;
  for (; rows >= kRows && columns > kFew; rows -= kRows, from += kRows * stride)
    add_together<summand>(sums, from, stride, columns, std::make_integer_sequence<int, kRows>());
  for (; rows > 0; --rows, from += stride)
    add_together<summand>(sums, from, stride, columns, std::make_integer_sequence<int, 1>());
}
// With f16, rows are added in f32 four at a time, with an error below 2^-23 of their magnitudes; squares are exact
// there.
template <Summand summand, size_t rows, size_t width>
inline double sum_of(const float (&x)[rows][width], int64_t i) {
  static_assert(rows == 1 || rows == 4);
  if constexpr (rows == 1)
    return summand_of<summand, float>(x[0][i]);
  else
    return (summand_of<summand, float>(x[0][i]) + summand_of<summand, float>(x[1][i])) +
           (summand_of<summand, float>(x[2][i]) + summand_of<summand, float>(x[3][i]));
}
template <Summand summand, int... r>
[[gnu::noinline]] void add_halves_slowly(double* sums, const device::f16* from, int64_t stride, int64_t columns) {
  for (int64_t c = 0; c < columns; ++c) {
    float x[sizeof...(r)][1];
    (convert_one(x[r], from[r * stride + c]), ...);
    sums[c] += sum_of<summand>(x, 0);
  }
}
template <Summand summand, int... r>
RONDO_VECTOR inline void add_halves_together(double* sums, const device::f16* from, int64_t stride, int64_t columns,
                                             std::integer_sequence<int, r...>) {
  int64_t c = 0;
#if defined(RONDO_VECTOR_F16C)
  for (; c + kHalves <= columns; c += kHalves) {
    float x[sizeof...(r)][kHalves];
    if ((convert(x[r], from + c + r * stride) | ...))
      add_halves_slowly<summand, r...>(sums + c, from + c, stride, kHalves);
    else
      for (int64_t i = 0; i < kHalves; ++i) sums[c + i] += sum_of<summand>(x, i);
  }
#endif
  if (c < columns) add_halves_slowly<summand, r...>(sums + c, from + c, stride, columns - c);
}
template <Summand summand>
RONDO_VECTOR void add_halves(double* sums, const device::f16* from, int64_t stride, int64_t rows, int64_t columns) {
  constexpr int kRows = 4;
  for (; rows >= kRows; rows -= kRows, from += kRows * stride)
    add_halves_together<summand>(sums, from, stride, columns, std::make_integer_sequence<int, kRows>());
  for (; rows > 0; --rows, from += stride)
    add_halves_together<summand>(sums, from, stride, columns, std::make_integer_sequence<int, 1>());
}
Adders adders(Summand summand) {
  switch (summand) {
    case Summand::itself: return {add<Summand::itself>, add_halves<Summand::itself>};
    case Summand::magnitude: return {add<Summand::magnitude>, add_halves<Summand::magnitude>};
    case Summand::square: return {add<Summand::square>, add_halves<Summand::square>};
    case Summand::not_nan: return {add<Summand::not_nan>, add_halves<Summand::not_nan>};
  }
  __builtin_unreachable();  // the compiler warns of an enumerator without a case
}

}  // namespace

}  // namespace rondo::ops::RONDO_VECTOR_SET
