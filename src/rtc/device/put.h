// Puts elements where indices say, in the order of the indices sorted: of those with one target the last stays, or all
// are added in the order of their places. So neither depends on which lane is first.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/sort.h"

namespace rondo::device {

struct PutArguments {
  void* out;
  const void* values;
  const void* keys;   // of each line in order: coordinates of the axis
  const u32* places;  // where in the line of indices they stood
  Dims<3> lines;      // of indices: indices, values, out
  Dims<1> along;      // values, by place
  Dims<2> columns;    // that share an index: values, out
  i64 count, length, width;
  i64 step;  // of out along the axis
};

#if defined(__CUDACC_RTC__)
template <class M, class Key, int lines, int along, int columns, bool adds>
RONDO_INLINE void put_element(const PutArguments& args, i64 i) {
  const i64 rest = i / args.width, column = i - rest * args.width;
  const i64 line = rest / args.length;
  i64 at = rest - line * args.length;
  const Key* keys = static_cast<const Key*>(args.keys) + line * args.length;
  const u32* places = args.places + line * args.length;
  const Key key = keys[at];
  if (key == kLastKey<Key>) return;
  const M* values = static_cast<const M*>(args.values) + offset<lines>(args.lines, 1, line) +
                    offset<columns>(args.columns, 0, column);
  M* out = static_cast<M*>(args.out) + offset<lines>(args.lines, 2, line) + offset<columns>(args.columns, 1, column) +
           static_cast<i64>(key) * args.step;
  if constexpr (adds) {
    if (at > 0 && keys[at - 1] == key) return;  // the first of them adds all
    Register<M> sum = from_memory(values[offset<along>(args.along, 0, static_cast<i64>(places[at]))]);
    while (++at < args.length && keys[at] == key)
      sum = op_add<Register<M>>(sum, from_memory(values[offset<along>(args.along, 0, static_cast<i64>(places[at]))]));
    put(out, sum, true);
  } else {
    if (at + 1 < args.length && keys[at + 1] == key) return;  // the last of them stays
    *out = values[offset<along>(args.along, 0, static_cast<i64>(places[at]))];
  }
}
#endif

}  // namespace rondo::device
