// Defines the kernel of row operators, and the operators themselves. The lanes of a row are a part of a warp (short
// rows), a block (long rows) or, where rows lie side by side in memory, lanes of different warps, so that neighbouring
// lanes are on neighbouring rows. A row that fits is read once and kept in registers; a longer one is read again for
// each step, and of the softmaxes shared by blocks where that is faster (rows_split.h).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/rows/row_values.h"

namespace rondo::device {

#if defined(__CUDACC_RTC__)
// threads: of a block; group: lanes of a row; beside: rows side by side, 0: lanes of a row are; vector: neighbours
// moved at once; items: vectors per lane, 0: the row is read again; dims: that number the rows; masked: per_row says
// where rows end; full: a row is as long as what its lanes keep; Source and Sink: where elements come from, and go to.
// Formula: of a normalisation.
template <class In, class Per, class Index, class Source, class Sink, RowKind kind, class Formula, int threads,
          int group, int beside, int vector, int items, int dims, bool masked, bool weighted, bool biased, bool full>
struct RowsKernel : RowNumbers<In> {
  using typename RowNumbers<In>::C;
  using RowNumbers<In>::exponential;
  using RowNumbers<In>::gradient;
  using RowNumbers<In>::gradient_term;
  using RowNumbers<In>::kQuick;
  using RowNumbers<In>::lowest;
  using RowNumbers<In>::share;
  using Adder = typename RowNumbers<In>::template Adder<items == 0 && !kQuick>;
  static constexpr bool kGradient = kind == RowKind::softmax_grad || kind == RowKind::log_softmax_grad;
  static constexpr bool kLabels = kind == RowKind::loss || kind == RowKind::loss_grad;
  static constexpr bool kNormalises = kind == RowKind::normalisation || kind == RowKind::normalisation_grad;
  static constexpr bool kLogarithm = kind == RowKind::log_softmax;
  static constexpr int kShared = beside > 0 ? threads : kNormalises ? 64 * kMaxRowSums : 64;
  static constexpr int kPerBlock = threads / group;
  using Other = StoredRows<In, Index, kRowOther, dims, (vector > 1)>;
  const RowsArguments& args;
  const Source source;
  const Sink sink;
  C* shared;
  // The row and elements that this lane works on.
  Index lane, row, length, end;
  bool live;

  template <class Arguments>
  RONDO_INLINE RowsKernel(const Arguments& args, C* shared) : args(args), source{args}, sink{args}, shared(shared) {
    lane = beside > 0 ? threadIdx.x / kPerBlock : threadIdx.x % group;
    const int place = beside > 0 ? threadIdx.x % kPerBlock : threadIdx.x / group;
    const Index wanted = static_cast<Index>(blockIdx.x) * kPerBlock + static_cast<Index>(place);
    live = wanted < args.count;
    row = live ? wanted : 0;  // lanes without a row go along, and write nothing
    length = static_cast<Index>(args.length);
    end = masked ? static_cast<Index>(row_end(per_row(), args.length)) : length;
  }

  RONDO_INLINE i64 per_row() const {
    return static_cast<const Per*>(args.per_row)[offset<dims>(args.rows, kRowPer, row)];
  }

  // The value of all lanes of the row, in each of them. turn: 0 and 1 alternately, so that no lane overwrites what
  // others still read.
  template <class Op>
  RONDO_INLINE C together(C value, int turn) const {
    if constexpr (beside > 0) {
      const int x = threadIdx.x % beside;
      __syncthreads();
      shared[threadIdx.x] = value;
      __syncthreads();
      value = shared[x];
#pragma unroll 4
      for (int each = 1; each < group; ++each) value = Op::of(value, shared[each * beside + x]);
    } else {
      constexpr int width = group < 32 ? group : 32;
      value = across<Op, width>(value);
      if constexpr (group > 32) {
        C* const warps = shared + turn * 32;
        if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
        __syncthreads();
        value = across<Op, group / 32>(warps[threadIdx.x % (group / 32)]);
      }
    }
    return value;
  }
  // The same of several values at once. bank: 0 and 1 by turns.
  template <class Op, int n>
  RONDO_INLINE void together(C (&values)[n], int bank) const {
    if constexpr (beside > 0 || group <= 32) {
#pragma unroll
      for (int s = 0; s < n; ++s) values[s] = together<Op>(values[s], 0);
    } else {
      C* const warps = shared + bank * 32 * kMaxRowSums;
#pragma unroll
      for (int s = 0; s < n; ++s) {
        values[s] = across<Op, 32>(values[s]);
        if (threadIdx.x % 32 == 0) warps[s * 32 + threadIdx.x / 32] = values[s];
      }
      __syncthreads();
#pragma unroll
      for (int s = 0; s < n; ++s) values[s] = across<Op, group / 32>(warps[s * 32 + threadIdx.x % (group / 32)]);
    }
  }
  // True if one of the rows that go along with this lane's says so. All lanes of a row must say the same.
  RONDO_INLINE static bool one_of_rows(bool says) {
    if constexpr (beside > 0) return __syncthreads_or(says) != 0;
    if constexpr (beside == 0 && group <= 32) return __any_sync(0xffffffffu, says) != 0;
    if (says) __syncthreads();  // what was shared is read: it may be written anew
    return says;
  }
  template <class Op, int width>
  RONDO_INLINE static C across(C value) {
#pragma unroll
    for (int delta = width / 2; delta > 0; delta /= 2)
      value = Op::of(value, __shfl_xor_sync(0xffffffffu, value, delta, width));
    return value;
  }

  // This lane's part of a row: vector j of it begins at element i. Elements that do not count are `beyond`.
  template <class From>
  struct Part {
    const From from;
    const typename From::Place place;
    Index end;
    C scale, beyond;
    C item[items > 0 ? items : 1][vector];
    RONDO_INLINE Part(const RowsKernel& kernel, const From& from, C scale, C beyond)
        : from(from), place(from.place(kernel.row)), end(kernel.end), scale(scale), beyond(beyond) {}
    RONDO_INLINE C at(Index i) const { return from.get(from.template fetch<1>(place, i), 0); }
    RONDO_INLINE C* fetch(int j, Index i) {
      C* const to = item[items > 0 ? j : 0];
      const auto fetched = from.template fetch<vector>(place, i);
#pragma unroll
      for (int v = 0; v < vector; ++v) to[v] = from.get(fetched, v) * scale;
      if constexpr (masked) {
#pragma unroll
        for (int v = 0; v < vector; ++v)
          if (i + v >= end) to[v] = beyond;
      }
      return to;
    }
    RONDO_INLINE C* again(int j, Index i) {
      if constexpr (items > 0)
        return item[j];
      else
        return fetch(j, i);
    }
  };

  // Calls f(j, i) for the vectors of this lane.
  template <class F>
  RONDO_INLINE void each(F f) const {
#pragma unroll
    for (int j = 0; items > 0 ? j < items : (lane + j * Index(group)) * vector < length; ++j) {
      const Index i = (lane + j * Index(group)) * vector;
      if (full || i < length) f(j, i);
    }
  }

  // Writes the vector at i; what does not count is `beyond`.
  RONDO_INLINE void write(Index i, C* values, C beyond) const {
    if constexpr (masked) {
#pragma unroll
      for (int v = 0; v < vector; ++v)
        if (i + v >= end) values[v] = beyond;
    }
    sink.template write<vector>(sink.place(row), i, values);
  }

  RONDO_INLINE void run() const {
    if constexpr (kGradient)
      propagate();
    else if constexpr (kNormalises)
      normalise();
    else
      forward();
  }

  RONDO_INLINE void propagate() const {
    constexpr bool logarithm = kind == RowKind::log_softmax_grad;
    Part<Source> y(*this, source, C(1), C(0));
    Part<Other> dy(*this, Other{args}, C(1), C(0));
    Adder adder;
    each([&](int j, Index i) {
      const C *result = y.fetch(j, i), *change = dy.fetch(j, i);
#pragma unroll
      for (int v = 0; v < vector; ++v) adder.add(gradient_term(logarithm, result[v], change[v]));
    });
    const C sum = together<AddRows>(adder.sum, 0), scale = static_cast<C>(args.scale);
    if (!live) return;
    each([&](int j, Index i) {
      const C *result = y.again(j, i), *change = dy.again(j, i);
      C values[vector];
#pragma unroll
      for (int v = 0; v < vector; ++v) values[v] = gradient(logarithm, result[v], change[v], sum) * scale;
      write(i, values, C(0));
    });
  }

  RONDO_INLINE C weight_at(Index i) const {
    return from_memory(static_cast<const In*>(args.weight)[i * static_cast<Index>(args.weight_step)]);
  }

  // The steps of the formula from this one on, before `last`.
  template <int step, int last>
  RONDO_INLINE void know(Part<Source>& x, Part<Other>& dy, C* known) const {
    if constexpr (step < last) {
      constexpr int sums = Formula::template sums<C, C>(step);
      Adder adders[sums];
      each([&](int j, Index i) {
        const C* const values = step == 0 ? x.fetch(j, i) : x.again(j, i);
        const C* const changes = step == Formula::kChange  ? dy.fetch(j, i)
                                 : step > Formula::kChange ? dy.again(j, i)
                                                           : values;
#pragma unroll
        for (int v = 0; v < vector; ++v) {
          C terms[kMaxRowSums];
          Formula::template add<step>(known, values[v], step < Formula::kChange ? C(0) : change_at(changes[v], i + v),
                                      terms);
#pragma unroll
          for (int s = 0; s < sums; ++s) adders[s].add(terms[s]);
        }
      });
      C all[sums];
#pragma unroll
      for (int s = 0; s < sums; ++s) all[s] = adders[s].sum;
      together<AddRows>(all, step % 2);
      Formula::template know<step>(known, all, static_cast<C>(args.length), args.scale, static_cast<f64>(x.scale));
      know<step + 1, last>(x, dy, known);
    }
  }
  RONDO_INLINE C change_at(C change, Index i) const {
    if constexpr (weighted) change *= weight_at(i);
    return change;
  }

  RONDO_INLINE void normalise() const {
    constexpr bool gradient = kind == RowKind::normalisation_grad;
    Part<Source> x(*this, source, C(1), C(0));
    Part<Other> dy(*this, Other{args}, C(1), C(0));
    C known[Formula::kKnown];
    for (;;) {
      know<0, Formula::kChange>(x, dy, known);
      const C next = next_row_scale<Formula>(x.scale, known);
      if (!one_of_rows(next != x.scale)) break;
      x.scale = next;
    }
    know<Formula::kChange, Formula::kSteps>(x, dy, known);
    if (!live) return;
    const In* bias = static_cast<const In*>(args.bias);
    each([&](int j, Index i) {
      const C* const values = x.again(j, i);
      const C* const changes = gradient ? dy.again(j, i) : values;
      C results[vector];
#pragma unroll
      for (int v = 0; v < vector; ++v) {
        results[v] = Formula::result(known, values[v], gradient ? change_at(changes[v], i + v) : C(0));
        if constexpr (gradient) results[v] *= x.scale;
        if constexpr (weighted && !gradient) results[v] *= weight_at(i + v);
        if constexpr (biased) results[v] += from_memory(bias[(i + v) * static_cast<Index>(args.bias_step)]);
      }
      write(i, results, C(0));
    });
  }

  RONDO_INLINE void forward() const {
    constexpr bool keeps = items > 0 && (kind == RowKind::softmax || kind == RowKind::loss_grad);  // the exponentials
    Part<Source> x(*this, source, kLabels ? C(1) : static_cast<C>(args.scale), lowest());
    C top = lowest();
    each([&](int j, Index i) {
      const C* values = x.fetch(j, i);
#pragma unroll
      for (int v = 0; v < vector; ++v) top = LargestOfRows::of(top, values[v]);
    });
    top = together<LargestOfRows>(top, 0);
    Adder adder;
    each([&](int j, Index i) {
      C* values = x.again(j, i);
#pragma unroll
      for (int v = 0; v < vector; ++v) {
        const C value = exponential(values[v] - top);
        if (keeps) values[v] = value;
        adder.add(value);
      }
    });
    const C sum = together<AddRows>(adder.sum, 1);
    if (!live) return;
    const i64 label = kLabels ? per_row() : 0;
    const bool counts = label >= 0 && label < args.length;
    if constexpr (kind == RowKind::loss) {
      const C value = counts ? log(sum) - (x.at(static_cast<Index>(label)) - top) : C(0);
      if (lane == 0) sink.template write<1>(sink.place(row), 0, &value);
    } else {
      const C log_sum = kLogarithm ? log(sum) : C(0), scale = static_cast<C>(args.scale), inverse = C(1) / sum;
      each([&](int j, Index i) {
        const C* values = x.again(j, i);
        C results[vector];
#pragma unroll
        for (int v = 0; v < vector; ++v) {
          if constexpr (kLogarithm) {
            results[v] = (values[v] - top) - log_sum;
          } else {
            const C value = keeps ? values[v] : exponential(values[v] - top);
            results[v] = share(value, sum, inverse);
            if (kLabels) results[v] = counts ? (results[v] - (i + v == label ? C(1) : C(0))) * scale : C(0);
          }
        }
        write(i, results, kLogarithm ? lowest() : C(0));
      });
    }
  }
};
#endif

}  // namespace rondo::device
