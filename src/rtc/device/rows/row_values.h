// Defines what kernels of row operators share, whether a row is a block's or many blocks': which operator, the
// arguments, and the computation.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/rows/normalisations.h"

namespace rondo::device {

enum class RowKind : i32 {
  softmax,
  log_softmax,
  softmax_grad,
  log_softmax_grad,
  loss,
  loss_grad,
  normalisation,  // by a formula (normalisations.h)
  normalisation_grad
};

// The arrays of `rows`; one element of `per_row` belongs to each: the label, or how many elements count.
enum { kRowX, kRowOther, kRowOut, kRowPer, kRowArrays };

struct RowsArguments {
  const void* x;      // gradients: the result
  const void* other;  // gradients: the incoming one
  void* out;
  const void* per_row;
  Dims<kRowArrays> rows;
  i64 count, length;
  i64 step[3];  // along a row
  // Normalisations: what an element is multiplied by, and what is added then, by its place in the row.
  const void* weight;
  const void* bias;
  i64 weight_step, bias_step;
  // Normalisations: epsilon; softmaxes: of what goes in, and of their gradients; loss_grad: of what comes out.
  f64 scale;
  i32 accumulate, unused;
  // Rows that are cut into parts (rows_split.h).
  void* states;  // what is known of each part of each row: [parts, rows]
  i64 packs;     // of a row in a part
};

// The end of a row's elements, beyond which they do not count.
RONDO_INLINE i64 row_end(i64 given, i64 length) {
  return given < 0 ? 0 : given > length ? length : given;
}

#if defined(__CUDACC_RTC__)
struct AddRows {
  template <class C>
  RONDO_INLINE static C of(C a, C b) {
    return a + b;
  }
};
struct LargestOfRows {
  template <class C>
  RONDO_INLINE static C of(C a, C b) {
    return a < b ? b : a;
  }
};

// A source of the elements of rows: memory. place() is where a row is, fetch() loads n neighbours from its element i
// on, get() is what one of them is. dense: the elements of a row lie side by side.
template <class In, class Index, int number, int dims, bool dense>
struct StoredRows {
  template <int n>
  using Fetched = Pack<In, n>;
  struct Place {
    const In* from;
  };
  const RowsArguments& args;

  RONDO_INLINE Place place(Index row) const {
    return Place{static_cast<const In*>(number == kRowX ? args.x : args.other) + offset<dims>(args.rows, number, row)};
  }
  template <int n>
  RONDO_INLINE Pack<In, n> fetch(const Place& place, Index i) const {
    return load_pack<In, n>(place.from + (dense ? i : i * static_cast<Index>(args.step[number])));
  }
  template <int n>
  RONDO_INLINE Register<In> get(const Pack<In, n>& fetched, int v) const {
    return from_memory(fetched.v[v]);
  }
};

// Stores them into memory, n neighbours at once.
template <class Out, class Index, int dims, bool dense>
struct RowsToMemory {
  struct Place {
    Out* to;
  };
  const RowsArguments& args;

  RONDO_INLINE Place place(Index row) const {
    return Place{static_cast<Out*>(args.out) + offset<dims>(args.rows, kRowOut, row)};
  }
  template <int n>
  RONDO_INLINE void write(const Place& place, Index i, const Register<Out>* values) const {
    Out* const to = place.to + (dense ? i : i * static_cast<Index>(args.step[kRowOut]));
    if (args.accumulate) {
#pragma unroll
      for (int v = 0; v < n; ++v) put(to + v, values[v], true);
    } else {
      Pack<Out, n> pack;
#pragma unroll
      for (int v = 0; v < n; ++v) pack.v[v] = to_memory<Out>(values[v]);
      store_pack<Out, n>(to, pack);
    }
  }
};

// The numbers that rows are computed with, by one block or by many.
template <class In>
struct RowNumbers {
  using C = Register<In>;
  // Rounding to 16 bits hides what the quick forms lose.
  static constexpr bool kQuick = sizeof(In) == 2;

  RONDO_INLINE static C lowest() { return static_cast<C>(bits_as<f32>(0xff800000u)); }
  RONDO_INLINE static C exponential(C x) {
    if constexpr (kQuick)
      return __expf(x);
    else
      return exp(x);
  }

  // A sum of what one lane adds. If there may be many terms, the rest that rounding loses is carried along.
  template <bool carries>
  struct Adder {
    C sum = 0, lost = 0;
    RONDO_INLINE void add(C value) {
      if constexpr (!carries) {
        sum += value;
      } else {
        const C corrected = value - lost;
        const C next = sum + corrected;
        lost = (next - sum) - corrected;
        sum = next;
      }
    }
  };

  // The term of an element in the sum of its row in the gradient of a softmax, and its value with that sum.
  RONDO_INLINE static C gradient_term(bool logarithm, C result, C change) {
    return logarithm ? change : result * change;
  }
  RONDO_INLINE static C gradient(bool logarithm, C result, C change, C sum) {
    return logarithm ? change - exponential(result) * sum : result * (change - sum);
  }
  // A softmax of an element, of which this is the exponential; inverse: 1 / sum.
  RONDO_INLINE static C share(C value, C sum, C inverse) { return kQuick ? value * inverse : value / sum; }
};
#endif

}  // namespace rondo::device
