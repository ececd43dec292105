// Declares the loops that windows over images are made of on the host, in f32 or f64, each compiled for several
// instruction sets (vector_windows.h).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

namespace rondo::ops {

// A place in a window, in as many bits as a number has.
template <class C>
using PlaceOf = std::conditional_t<sizeof(C) == 4, int32_t, int64_t>;

// n results at a time. A tap is where the element of the first result lies; that of the next lies a step on. `more`:
// what is in `to` came first, otherwise the first tap does.
template <class C>
struct WindowLoops {
  // The largest of the taps, the first of equals, or the first NaN; places null, or the name of its tap.
  void (*largest)(C* to, PlaceOf<C>* places, const C* from, const int64_t* taps, const PlaceOf<C>* names, int64_t count,
                  int64_t step, int64_t n, bool more);
  // The sum from 0 on, each with its weight; weights null: 1.
  void (*sum)(C* to, const C* from, const int64_t* taps, const C* weights, int64_t count, int64_t step, int64_t n,
              bool more);
  void (*divide)(C* values, C divisor, int64_t n);
  // to[i] = low[i] * (weight * lower[i]) + high[i] * (weight * upper[i]), from 0 on or what is there.
  void (*blend)(C* to, const C* low, const C* high, const C* lower, const C* upper, C weight, int64_t n, bool more);
  // to[2 i] = to[2 i + 1] = from[i] + 0, and the same in `also`, which may be `to`.
  void (*twice)(C* to, C* also, const C* from, int64_t n);
  // For gradients: to[i] += from[i * step] * weight / divisor; the same without weights where places[i * place_step] is
  // the name, of one byte or four; to[i * step] += from[i].
  void (*share)(C* to, const C* from, int64_t step, C weight, C divisor, int64_t n);
  void (*chosen)(C* to, const C* from, int64_t step, const void* places, int64_t place_step, bool bytes,
                 PlaceOf<C> name, int64_t n);
  void (*spread)(C* to, int64_t step, const C* from, int64_t n);
};

struct WindowTables {
  WindowLoops<float> narrow;
  WindowLoops<double> wide;
  // Copies elements 0, 2, 4, ... of each line of n to one place, and 1, 3, 5, ... to another.
  void (*part)(const float* from, int64_t apart, int64_t lines, int64_t n, float* even, float* odd, int64_t to_apart);
  const WindowLoops<float>& of(const float*) const { return narrow; }
  const WindowLoops<double>& of(const double*) const { return wide; }
};

}  // namespace rondo::ops
