// Computes softmaxes and their gradients whose rows are long, where one block for a row leaves most of a device idle,
// and where rows are interleaved in memory. A row is cut into parts, a block each, and there are two kernels: one
// leaves what a part knows of its row, the other joins that for a block's rows, in a fixed order, and writes the
// block's part.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/rows/row_values.h"

namespace rondo::device {

#if defined(__CUDACC_RTC__)
// vector: neighbours in memory, moved at once as a pack; ahead: packs that a lane has on the way; columns: rows that
// a pack has elements of: one, or side by side all; across: lanes side by side, on other rows. The others follow each
// other along the rows. Source and Sink: where elements come from, and go to.
template <class In, class Per, class Index, class Source, class Sink, RowKind kind, int vector, int ahead, int columns,
          int across, int dims, bool masked>
struct RowsSplit : RowNumbers<In> {
  using typename RowNumbers<In>::C;
  using RowNumbers<In>::exponential;
  using RowNumbers<In>::gradient;
  using RowNumbers<In>::gradient_term;
  using RowNumbers<In>::lowest;
  using RowNumbers<In>::share;
  static constexpr int kThreads = 256;
  static constexpr int kLanes = kThreads / across;
  static constexpr int kShared = kThreads * columns;
  static constexpr int kAlong = vector / columns;  // elements that a pack has of a row
  static constexpr bool kGradient = kind == RowKind::softmax_grad || kind == RowKind::log_softmax_grad;
  static constexpr bool kLogarithm = kind == RowKind::log_softmax || kind == RowKind::log_softmax_grad;

  // The partial result of a row: the largest element and the sum of the exponentials relative to it. For a gradient: a
  // sum, relative to 0.
  struct State {
    C top, sum;
  };
  struct Joined {
    C top = kGradient ? C(0) : lowest();
    typename RowNumbers<In>::template Adder<!RowNumbers<In>::kQuick> sum;
    // The value that exponentials are relative to. Nothing is left of elements that are -infinity, also before others
    // come.
    RONDO_INLINE C base() const { return top == lowest() ? C(0) : top; }
    RONDO_INLINE void raise(C to) {
      if (!(top < to)) return;
      const C factor = exponential(top - to);
      sum.sum *= factor;
      sum.lost *= factor;
      top = to;
    }
    RONDO_INLINE void join(const State& other) {
      raise(other.top);
      sum.add(other.sum * exponential(other.top - base()));
    }
  };

  using Other = StoredRows<In, Index, kRowOther, dims, (kAlong > 1)>;
  const RowsArguments& args;
  const Source source;
  const Sink sink;
  C* shared;
  Index lane, row, begin, stop;  // row: the first of `columns`; begin, stop: packs
  Index end[columns];            // elements
  bool live;

  template <class Arguments>
  RONDO_INLINE RowsSplit(const Arguments& args, C* shared) : args(args), source{args}, sink{args}, shared(shared) {
    lane = threadIdx.x / across;
    const Index wanted =
        (static_cast<Index>(blockIdx.x) * across + static_cast<Index>(threadIdx.x % across)) * Index(columns);
    live = wanted < args.count;
    row = live ? wanted : 0;  // lanes without rows go along, and write nothing
    const Index packs = static_cast<Index>(args.length / kAlong), part = static_cast<Index>(args.packs);
    begin = static_cast<Index>(blockIdx.y) * part;
    stop = packs - begin < part ? packs : begin + part;
    if constexpr (masked) {
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        const i64 given = static_cast<const Per*>(args.per_row)[offset<dims>(args.rows, kRowPer, row + Index(c))];
        end[c] = static_cast<Index>(row_end(given, args.length));
      }
    }
  }

  // Elements v of packs k from `first` on. Elements that do not count are `beyond`.
  struct Elements {
    C item[ahead][vector];
  };
  // Which of the rows element v is of, and whether it counts there.
  RONDO_INLINE static constexpr int column(int v) {
    return columns == 1 ? 0 : v;
  }
  RONDO_INLINE bool counts(Index pack, int v) const {
    if constexpr (masked)
      return pack * kAlong + (columns == 1 ? v : 0) < end[column(v)];
    else
      return true;
  }
  template <class From>
  RONDO_INLINE void fetch(Elements& to, const From& from, Index first, C scale, C beyond) const {
    const typename From::Place place = from.place(row);
    typename From::template Fetched<vector> packs[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      const Index pack = first + Index(k) * kLanes;
      if (pack < stop) packs[k] = from.template fetch<vector>(place, pack * kAlong);
    }
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      const Index pack = first + Index(k) * kLanes;
#pragma unroll
      for (int v = 0; v < vector; ++v)
        to.item[k][v] = pack < stop && counts(pack, v) ? from.get(packs[k], v) * scale : beyond;
    }
  }
  RONDO_INLINE void fetch(Elements& elements, Elements& changes, Index first) const {
    if constexpr (kGradient) {
      fetch(elements, source, first, C(1), C(0));
      fetch(changes, Other{args}, first, C(1), C(0));
    } else {
      fetch(elements, source, first, static_cast<C>(args.scale), lowest());
    }
  }

  // Combines the values of all lanes of the rows, in each of them.
  template <class Op>
  RONDO_INLINE void together(C (&values)[columns]) const {
    C* const own = shared + threadIdx.x;
#pragma unroll
    for (int c = 0; c < columns; ++c) own[c * kThreads] = values[c];
    for (int half = kLanes / 2; half > 0; half /= 2) {
      __syncthreads();
      if (lane >= half) continue;
#pragma unroll
      for (int c = 0; c < columns; ++c)
        own[c * kThreads] = Op::of(own[c * kThreads], own[c * kThreads + half * across]);
    }
    __syncthreads();
#pragma unroll
    for (int c = 0; c < columns; ++c) values[c] = shared[c * kThreads + threadIdx.x % across];
    __syncthreads();
  }
  RONDO_INLINE void together(Joined (&own)[columns], State (&all)[columns]) const {
    C tops[columns], sums[columns];
#pragma unroll
    for (int c = 0; c < columns; ++c) tops[c] = own[c].top;
    together<LargestOfRows>(tops);
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      own[c].raise(tops[c]);
      sums[c] = own[c].sum.sum;
    }
    together<AddRows>(sums);
#pragma unroll
    for (int c = 0; c < columns; ++c) all[c] = State{tops[c], sums[c]};
  }

  // Adds elements to what is known of their rows: few at once as they come, what these make with all that rounding
  // loses.
  RONDO_INLINE void take(Joined (&rows)[columns], const Elements& elements, const Elements& changes) const {
    if constexpr (!kGradient) {
      C tops[columns];
#pragma unroll
      for (int c = 0; c < columns; ++c) tops[c] = lowest();
#pragma unroll
      for (int k = 0; k < ahead; ++k)
#pragma unroll
        for (int v = 0; v < vector; ++v) tops[column(v)] = LargestOfRows::of(tops[column(v)], elements.item[k][v]);
#pragma unroll
      for (int c = 0; c < columns; ++c) rows[c].raise(tops[c]);
    }
    C sums[columns] = {};
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
#pragma unroll
      for (int v = 0; v < vector; ++v) {
        if constexpr (kGradient)
          sums[column(v)] += gradient_term(kLogarithm, elements.item[k][v], changes.item[k][v]);
        else
          sums[column(v)] += exponential(elements.item[k][v] - rows[column(v)].base());
      }
    }
#pragma unroll
    for (int c = 0; c < columns; ++c) rows[c].sum.add(sums[c]);
  }

  // The first kernel: what this part knows of its rows.
  RONDO_INLINE void know() const {
    Joined own[columns];
    for (Index first = begin + lane; first < stop; first += ahead * kLanes) {
      Elements elements, changes;
      fetch(elements, changes, first);
      take(own, elements, changes);
    }
    State all[columns];
    together(own, all);
    if (!live || lane != 0) return;
    State* const to = static_cast<State*>(args.states) + static_cast<Index>(blockIdx.y) * Index(args.count) + row;
#pragma unroll
    for (int c = 0; c < columns; ++c) to[c] = all[c];
  }

  // The second: what all parts know, and with that what this part's elements are.
  RONDO_INLINE void write() const {
    Joined own[columns];
    const State* const states = static_cast<const State*>(args.states) + row;
    for (Index part = lane; part < Index(gridDim.y); part += kLanes) {
#pragma unroll
      for (int c = 0; c < columns; ++c) own[c].join(states[part * Index(args.count) + c]);
    }
    State all[columns];
    together(own, all);
    if (!live) return;
    C logs[columns], inverse[columns];
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      logs[c] = kLogarithm && !kGradient ? log(all[c].sum) : C(0);
      inverse[c] = C(1) / all[c].sum;
    }
    const C scale = static_cast<C>(args.scale);
    const typename Sink::Place to = sink.place(row);
    for (Index first = begin + lane; first < stop; first += ahead * kLanes) {
      Elements elements, changes;
      fetch(elements, changes, first);
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        const Index pack = first + Index(k) * kLanes;
        if (pack >= stop) break;
        C values[vector];
#pragma unroll
        for (int v = 0; v < vector; ++v) {
          const int c = column(v);
          const C value = elements.item[k][v];
          if (!counts(pack, v))
            values[v] = kLogarithm && !kGradient ? lowest() : C(0);
          else if constexpr (kGradient)
            values[v] = gradient(kLogarithm, value, changes.item[k][v], all[c].sum) * scale;
          else if constexpr (kLogarithm)
            values[v] = (value - all[c].top) - logs[c];
          else
            values[v] = share(exponential(value - all[c].top), all[c].sum, inverse[c]);
        }
        sink.template write<vector>(to, pack * kAlong, values);
      }
    }
  }
};
#endif

}  // namespace rondo::device
