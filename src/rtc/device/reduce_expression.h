// A pass of a reduction over elements that are nowhere in memory: an expression makes each of them, where the pass
// would load it. What each lane has combined lies in shared memory then, where the pass of reduce.h joins it as it
// joins the partial results of blocks, so how lanes and blocks come together is written once.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/reduce.h"

namespace rondo::device {

#if defined(__CUDACC_RTC__)
// Arguments: `reduce`, without `in`; `operands` of the expression, and how they lie over results and what is reduced,
// `kept` and `reduced`. element(operands, offsets) is the expression. columns: which way of ReducePass joins.
template <class Op, class Arguments, class Index, bool final, bool columns, int group, int kept, int reduced, int count>
struct ReduceExpressionPass {
  using Acc = typename Op::Acc;
  using Joining = ReducePass<Op, Index, true, final, 1, group, kept, 1>;
  static constexpr int kLanes = columns ? 256 / group : group;  // of a result
  static constexpr int kOwn = 256 * static_cast<int>(sizeof(Acc));
  static constexpr int kMemory = kOwn + (columns ? Joining::kColumnsMemory : Joining::kRowsMemory);
  const Arguments& args;
  unsigned char* memory;  // shared

  // What one lane makes of a result.
  RONDO_INLINE Acc combined(Index output, int lane) const {
    const Joining part{args.reduce, memory};  // for where it begins and ends
    Index first[count];
#pragma unroll
    for (int k = 0; k < count; ++k) first[k] = offset<kept>(args.kept, k, output);
    Acc acc = Op::identity();
    const Index end = part.end();
#pragma unroll 4
    for (Index i = part.begin() + lane; i < end; i += kLanes) {
      Index at[count];
#pragma unroll
      for (int k = 0; k < count; ++k) at[k] = first[k] + offset<reduced>(args.reduced, k, i);
      Op::take(acc, element(args.operands, at), i, args.reduce.facts);
    }
    return acc;
  }

  RONDO_INLINE void run() const {
    const int inner = threadIdx.x % group, outer = threadIdx.x / group;
    const Index output = static_cast<Index>(blockIdx.x) * (columns ? group : 256 / group) + (columns ? inner : outer);
    Acc* own = reinterpret_cast<Acc*>(memory);
    own[threadIdx.x] = output < args.reduce.outputs ? combined(output, columns ? outer : inner) : Op::identity();
    __syncthreads();
    // A range of as many partial results as there are lanes, this block's part of it in `own`.
    constexpr i64 step = columns ? group : 1;
    ReduceArguments joined = args.reduce;
#pragma unroll
    for (int d = 0; d < kept; ++d) joined.kept.stride[0][d] = 0;
    joined.reduced.stride[0][0] = step;
    joined.length = static_cast<i64>(gridDim.y) * kLanes;
    joined.chunk = kLanes;
    joined.in = own + (columns ? inner : outer * group) - static_cast<i64>(blockIdx.y) * kLanes * step;
    const Joining pass{joined, memory + kOwn};
    if constexpr (columns)
      pass.columns();
    else
      pass.rows();
  }
};
#endif

}  // namespace rondo::device
