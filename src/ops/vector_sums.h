// The loops that sums are made of, for the .cc file of each instruction set, as those of vector_loops.h.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <utility>

#include "ops/vector_halves.h"

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
// Of f16, rows are added in f32 four at a time, with an error below 2^-23 of their magnitudes; squares are exact there.
template <Summand summand>
inline double sum_of(float a, float b, float c, float d) {
  return (summand_of<summand, float>(a) + summand_of<summand, float>(b)) +
         (summand_of<summand, float>(c) + summand_of<summand, float>(d));
}
template <Summand summand>
[[gnu::noinline]] void add_four_slowly(double* sums, const device::f16* from, int64_t stride, int64_t columns) {
  for (int64_t c = 0; c < columns; ++c) {
    float x[4];
    for (int r = 0; r < 4; ++r) convert_one(x + r, from[r * stride + c]);
    sums[c] += sum_of<summand>(x[0], x[1], x[2], x[3]);
  }
}
template <Summand summand>
RONDO_VECTOR inline void add_four(double* sums, const device::f16* from, int64_t stride, int64_t columns) {
  int64_t c = 0;
#if defined(RONDO_VECTOR_F16C)
  for (; c + kHalves <= columns; c += kHalves) {
    const device::f16* const at = from + c;
    float x[4][kHalves];
    if (convert(x[0], at) | convert(x[1], at + stride) | convert(x[2], at + 2 * stride) |
        convert(x[3], at + 3 * stride))
      add_four_slowly<summand>(sums + c, at, stride, kHalves);
    else
      for (int64_t i = 0; i < kHalves; ++i) sums[c + i] += sum_of<summand>(x[0][i], x[1][i], x[2][i], x[3][i]);
  }
#endif
  if (c < columns) add_four_slowly<summand>(sums + c, from + c, stride, columns - c);
}
template <Summand summand>
RONDO_VECTOR void add_halves(double* sums, const device::f16* from, int64_t stride, int64_t rows, int64_t columns) {
  for (; rows >= 4; rows -= 4, from += 4 * stride) add_four<summand>(sums, from, stride, columns);
  for (; rows > 0; --rows, from += stride)
    for (int64_t c = 0; c < columns; ++c) {
      float x;
      convert_one(&x, from[c]);
      sums[c] += summand_of<summand>(x);
    }
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
