// Applies rotary positions, for every device: two channels of a row are a point, which is rotated by an angle that
// grows with the row's position (J. Su et al., "RoFormer", arXiv 2104.09864). Pair i of n turns by base^(-i / n)
// radians a position.
//
// Angles are counted in quarter turns, in f64: what is left of one is exact, however far the position, and a short
// polynomial of it gives cosine and sine, by arithmetic alone, so that the host and kernels have the same bits. Far out
// a speed of f64 has too few digits: there it has twice as many, in two numbers.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/strided.h"

namespace rondo::device {

// The arrays that rows are walked in; `counted` is no memory, but how far a step goes in positions.
enum { kRotaryX, kRotaryOut, kRotaryPositions, kRotaryCounted, kRotaryArrays };

constexpr int kRotaryPowers = 32;
struct RotaryArguments {
  const void* x;
  void* out;
  const void* positions;  // of a row, i32 or i64, added to what is counted
  Dims<kRotaryArrays> rows;
  // Rows that share their position, the innermost that do: how many, how far apart, and how many of them a thread
  // turns.
  i64 shared, shared_step[2], chunk;
  i64 step[2];   // from channel to channel, in x and out
  i64 channels;  // that turn
  i64 turning;   // packs of them in a row
  i64 packs;     // in a row, those behind them, which are copied, as well
  i64 count;     // packs in all, of one row of those that share a position
  // Quarter turns a position of pair 0; by the k-th number pair i turns slower for bit k of i.
  f64 first, power[kRotaryPowers];
  f64 first_low, power_low[kRotaryPowers];  // what those lack of their exact values
};

constexpr i64 kRotaryNear = 1 << 24;  // positions up to which a speed of f64 is enough

// The sum of two numbers, the second below half a unit of the first.
struct TwoNumbers {
  f64 high, low;
};
RONDO_INLINE TwoNumbers exact_product(f64 a, f64 b) {
  const f64 product = a * b;
  return {product, fma(a, b, -product)};
}
RONDO_INLINE TwoNumbers product_of(TwoNumbers a, TwoNumbers b) {
  const TwoNumbers high = exact_product(a.high, b.high);
  const f64 rest = high.low + (a.high * b.low + a.low * b.high), sum = high.high + rest;
  return {sum, rest - (sum - high.high)};
}

RONDO_INLINE f64 rotary_speed(const RotaryArguments& args, i64 pair) {
  f64 speed = args.first;
  for (int k = 0; pair >> k != 0; ++k)
    if ((pair >> k & 1) != 0) speed *= args.power[k];
  return speed;
}

// Less whole turns, exactly.
RONDO_INLINE f64 less_turns(f64 quarters) {
  return quarters - 4 * rint(quarters / 4);
}
// The quarter turns of a position that is far out, less whole turns.
RONDO_INLINE f64 rotary_far(const RotaryArguments& args, i64 pair, i64 position) {
  TwoNumbers speed = {args.first, args.first_low};
  for (int k = 0; pair >> k != 0; ++k)
    if ((pair >> k & 1) != 0) speed = product_of(speed, {args.power[k], args.power_low[k]});
  const f64 many = static_cast<f64>(position >> 32) * 4294967296.0, few = static_cast<f64>(position & 0xffffffffll);
  const TwoNumbers of_many = exact_product(many, speed.high), of_few = exact_product(few, speed.high);
  const f64 rest = of_many.low + of_few.low + many * speed.low + few * speed.low;
  return less_turns(of_many.high) + less_turns(of_few.high) + less_turns(rest);
}

template <class C>
struct Turn {
  C cosine, sine;
};
// cos and sin of r quarter turns, -0.5 <= r <= 0.5: interpolated where Chebyshev's polynomials of r r are zero.
RONDO_INLINE Turn<f32> turn_of(f32 r) {
  const f32 u = r * r;
  f32 c = 0.0009036280663802505f, s = -0.004602149212814176f;
  c = c * u - 0.02086006950026408f;
  c = c * u + 0.2536692036551135f;
  c = c * u - 1.2337005406331623f;
  c = c * u + 0.9999999999524894f;
  s = s * u + 0.07968021764775542f;
  s = s * u - 0.6459634776648118f;
  s = s * u + 1.5707963219532366f;
  return {c, s * r};
}
RONDO_INLINE Turn<f64> turn_of(f64 r) {
  const f64 u = r * r;
  f64 c = 6.506654235424698e-11, s = 6.0178831240409115e-12;
  c = c * u - 6.386325463386356e-09;
  c = c * u + 4.7108740775364384e-07;
  c = c * u - 2.5202042362733303e-05;
  c = c * u + 0.0009192602748385331;
  c = c * u - 0.020863480763352916;
  c = c * u + 0.25366950790104803;
  c = c * u - 1.2337005501361697;
  c = c * u + 1.0;
  s = s * u - 6.687805467512212e-10;
  s = s * u + 5.692172341843132e-08;
  s = s * u - 3.5988432343577428e-06;
  s = s * u + 0.00016044118478728591;
  s = s * u - 0.004681754135318685;
  s = s * u + 0.07969262624616705;
  s = s * u - 0.6459640975062463;
  s = s * u + 1.5707963267948966;
  return {c, s * r};
}
// The rotation of a pair of a row at this position; speed: of the pair.
template <class C>
RONDO_INLINE Turn<C> rotary_turn(const RotaryArguments& args, i64 pair, f64 speed, i64 position) {
  const bool far = position > kRotaryNear || position < -kRotaryNear;
  const f64 angle = far ? rotary_far(args, pair, position) : static_cast<f64>(position) * speed;
  const f64 whole = rint(angle);
  const Turn<C> rest = turn_of(static_cast<C>(angle - whole));
  switch (static_cast<i64>(whole) & 3) {
    case 0: return rest;
    case 1: return {-rest.sine, rest.cosine};
    case 2: return {-rest.cosine, -rest.sine};
    default: return {rest.sine, -rest.cosine};
  }
}
template <class C>
RONDO_INLINE void rotary_apply(const Turn<C>& by, C& a, C& b) {
  const C turned = a * by.cosine - b * by.sine;
  b = b * by.cosine + a * by.sine;
  a = turned;
}

#if defined(__CUDACC_RTC__)
// `pairs` pairs of channels: the first of each, and the second, which stand side by side or so many channels apart.
template <class M, int pairs, bool apart, bool packed>
struct RotaryPairs {
  M a[pairs], b[pairs];

  RONDO_INLINE void load(const M* from, i64 step, i64 distance) {
    if constexpr (packed && apart) {
      const Pack<M, pairs> first = load_pack<M, pairs>(from), second = load_pack<M, pairs>(from + distance);
#pragma unroll
      for (int v = 0; v < pairs; ++v) a[v] = first.v[v], b[v] = second.v[v];
    } else if constexpr (packed) {
      const Pack<M, 2 * pairs> both = load_pack<M, 2 * pairs>(from);
#pragma unroll
      for (int v = 0; v < pairs; ++v) a[v] = both.v[2 * v], b[v] = both.v[2 * v + 1];
    } else {
      a[0] = *from, b[0] = from[distance * step];
    }
  }
  RONDO_INLINE void store(M* to, i64 step, i64 distance) const {
    if constexpr (packed && apart) {
      Pack<M, pairs> first, second;
#pragma unroll
      for (int v = 0; v < pairs; ++v) first.v[v] = a[v], second.v[v] = b[v];
      store_pack<M, pairs>(to, first);
      store_pack<M, pairs>(to + distance, second);
    } else if constexpr (packed) {
      Pack<M, 2 * pairs> both;
#pragma unroll
      for (int v = 0; v < pairs; ++v) both.v[2 * v] = a[v], both.v[2 * v + 1] = b[v];
      store_pack<M, 2 * pairs>(to, both);
    } else {
      *to = a[0], to[distance * step] = b[0];
    }
  }
};

// Not packed: one pair.
template <class M, class Position, class Index, int dims, int pairs, bool apart, bool packed, bool given, bool adds>
RONDO_INLINE void rotary(const RotaryArguments& args, Index i) {
  using C = Register<M>;
  using Pairs = RotaryPairs<M, pairs, apart, packed>;
  const Index packs = static_cast<Index>(args.packs), row = i / packs, pack = i - row * packs;
  const i64 begin = blockIdx.y * args.chunk;
  const i64 end = begin + args.chunk < args.shared ? begin + args.chunk : args.shared;
  const bool turns = pack < static_cast<Index>(args.turning);
  // Copied packs follow one another, their second channels next to the first ones; not packed, they are one channel.
  i64 channel = static_cast<i64>(pack) * (2 * pairs), distance = apart ? pairs : 1;
  if (turns && apart)
    channel = static_cast<i64>(pack) * pairs, distance = args.channels / 2;
  else if (!turns && !packed)
    channel = args.channels + static_cast<i64>(pack) - args.turning, distance = 0;
  const M* from = static_cast<const M*>(args.x) + offset<dims>(args.rows, kRotaryX, row) +
                  begin * args.shared_step[kRotaryX] + channel * args.step[kRotaryX];
  M* to = static_cast<M*>(args.out) + offset<dims>(args.rows, kRotaryOut, row) + begin * args.shared_step[kRotaryOut] +
          channel * args.step[kRotaryOut];
  Turn<C> by[pairs];
  if (turns) {
    i64 position = offset<dims>(args.rows, kRotaryCounted, row);
    if constexpr (given)
      position += static_cast<const Position*>(args.positions)[offset<dims>(args.rows, kRotaryPositions, row)];
#pragma unroll
    for (int v = 0; v < pairs; ++v) {
      const i64 pair = static_cast<i64>(pack) * pairs + v;
      by[v] = rotary_turn<C>(args, pair, rotary_speed(args, pair), position);
    }
  }
  for (i64 r = begin; r < end; ++r) {
    Pairs both, there;
    both.load(from, args.step[kRotaryX], distance);
    if constexpr (adds) there.load(to, args.step[kRotaryOut], distance);
#pragma unroll
    for (int v = 0; v < pairs; ++v) {
      C a = from_memory(both.a[v]), b = from_memory(both.b[v]);
      if (turns) rotary_apply(by[v], a, b);
      if constexpr (adds) a += from_memory(there.a[v]), b += from_memory(there.b[v]);
      both.a[v] = to_memory<M>(a), both.b[v] = to_memory<M>(b);
    }
    both.store(to, args.step[kRotaryOut], distance);
    from += args.shared_step[kRotaryX];
    to += args.shared_step[kRotaryOut];
  }
}
#endif

}  // namespace rondo::device
