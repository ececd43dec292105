// Moves elements by a map of coordinates: each element of a result shows one of a source, or a fill. Joining, padding,
// tiling, repeating, rolling, triangular masks and picking by an index tensor are this one map with other numbers.
// Nothing is computed, so the kernels know an element's size and not its dtype, unless the result is added.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/strided.h"

namespace rondo::device {

// The elements that a coordinate beyond the source shows.
enum : i32 { kRemapFill, kRemapEdge, kRemapReflect, kRemapSymmetric, kRemapWrap };

// The parts that a map has besides plain strides; a kernel is compiled for those it needs.
enum : i32 {
  kRemapShifts = 1,    // some dimension is not the source's as it is
  kRemapJoins = 2,     // several sources along one axis
  kRemapIndexes = 4,   // the coordinate of one axis is read from a tensor
  kRemapBand = 8,      // outside a band of diagonals is the fill
  kRemapConstant = 16  // there is no source, but one value
};

// A dimension of the result. Its coordinate o shows coordinate (o + shift) / repeat of `extent` in the source.
struct RemapDim {
  i64 size, out_stride;
  i64 shift, extent, repeat;
  i64 index_stride;
  i32 outside;
  i32 band;  // o times this is added up over the dimensions
};
struct RemapSource {
  const void* from;
  i64 stride[8];  // by the result's dimensions
  i64 start;      // of several: where it begins on the axis
};
constexpr int kRemapSources = 16;
template <int sources>
struct RemapArguments {
  void* out;
  const void* index;
  RemapDim dim[8];
  RemapSource source[sources];
  i64 count;                     // of the result, in vectors
  i64 index_extent, index_step;  // the axis that the index names a coordinate of: its size and stride in the source
  i64 low, high;                 // what the band's sum may be
  u64 fill, value;               // bits of an element
  i32 used;                      // sources
};

// The source's coordinate, of which there is none if inside becomes false.
template <class Index>
RONDO_INLINE Index source_coordinate(const RemapDim& dim, Index o, bool& inside) {
  const Index extent = static_cast<Index>(dim.extent);
  o += static_cast<Index>(dim.shift);
  if (dim.repeat > 1) o /= static_cast<Index>(dim.repeat);
  if (o >= 0 && o < extent) return o;
  switch (dim.outside) {
    case kRemapEdge: return o < 0 ? 0 : extent - 1;
    case kRemapReflect: {
      if (extent == 1) return 0;
      const Index period = 2 * (extent - 1);
      o = (o < 0 ? -o : o) % period;
      return o < extent ? o : period - o;
    }
    case kRemapSymmetric: {
      const Index period = 2 * extent;
      o %= period;
      if (o < 0) o += period;
      return o < extent ? o : period - 1 - o;
    }
    case kRemapWrap: o %= extent; return o < 0 ? o + extent : o;
    case kRemapFill:
    default: inside = false; return 0;  // the fill is what shows no element
  }
}

// The axis' coordinate that an index names; negative ones count from the end.
RONDO_INLINE i64 indexed_coordinate(i64 index, i64 extent, bool& inside) {
  if (index < 0) index += extent;
  if (index < 0 || index >= extent) inside = false;
  return index;
}

// Bits of an element of type M.
template <class M>
RONDO_INLINE M element_of(u64 bits) {
  if constexpr (sizeof(M) == 8)
    return bits_as<M>(bits);
  else if constexpr (sizeof(M) == 4)
    return bits_as<M>(static_cast<u32>(bits));
  else if constexpr (sizeof(M) == 2)
    return bits_as<M>(static_cast<u16>(bits));
  else
    return bits_as<M>(static_cast<u8>(bits));
}

#if defined(__CUDACC_RTC__)
// Element i of the result, or `vector` neighbours of the innermost dimension, whose size counts vectors then. apart:
// those are anywhere in the source, each by the shifts of that dimension.
template <class M, class In, class Index, int features, int dims, int axis, int vector, bool apart, bool adds,
          int sources>
RONDO_INLINE void remap(const RemapArguments<sources>& args, Index i) {
  Index o[dims > 0 ? dims : 1];
  o[0] = i;
#pragma unroll
  for (int d = dims - 1; d > 0; --d) {
    const Index size = static_cast<Index>(args.dim[d].size), rest = o[0] / size;
    o[d] = o[0] - rest * size;
    o[0] = rest;
  }
  if constexpr (dims > 0) o[dims - 1] *= vector;
  int s = 0;
  if constexpr ((features & kRemapJoins) != 0) {
    while (s + 1 < args.used && o[axis] >= static_cast<Index>(args.source[s + 1].start)) ++s;
  }
  const RemapSource& source = args.source[s];
  Index to = 0, from = 0, index = 0, band = 0;
  bool inside = true;
#pragma unroll
  for (int d = 0; d < (apart ? dims - 1 : dims); ++d) {
    const RemapDim& dim = args.dim[d];
    to += o[d] * static_cast<Index>(dim.out_stride);
    if constexpr ((features & kRemapIndexes) != 0) index += o[d] * static_cast<Index>(dim.index_stride);
    if constexpr ((features & kRemapBand) != 0) band += o[d] * static_cast<Index>(dim.band);
    if constexpr ((features & kRemapConstant) == 0) {
      Index c = o[d];
      if constexpr ((features & kRemapShifts) != 0) c = source_coordinate(dim, c, inside);
      if constexpr ((features & kRemapJoins) != 0) {
        if (d == axis) c -= static_cast<Index>(source.start);
      }
      from += c * static_cast<Index>(source.stride[d]);
    }
  }
  if constexpr ((features & kRemapIndexes) != 0) {
    const i64 c = indexed_coordinate(static_cast<const In*>(args.index)[index], args.index_extent, inside);
    if (inside) from += static_cast<Index>(c * args.index_step);
  }
  if constexpr ((features & kRemapBand) != 0) {
    if (band < args.low || band > args.high) inside = false;
  }
  M* const out = static_cast<M*>(args.out) + to + (apart ? o[dims - 1] : Index(0));
  Pack<M, vector> pack;
  if constexpr (apart) {
    const RemapDim& dim = args.dim[dims - 1];
#pragma unroll
    for (int v = 0; v < vector; ++v) {
      bool here = inside;
      const Index c = source_coordinate(dim, o[dims - 1] + v, here);
      pack.v[v] = here ? static_cast<const M*>(source.from)[from + c * static_cast<Index>(source.stride[dims - 1])]
                       : element_of<M>(args.fill);
    }
  } else if ((features & kRemapConstant) == 0 && inside) {
    pack = load_pack<M, vector>(static_cast<const M*>(source.from) + from);
  } else {
    const M fill = element_of<M>(inside ? args.value : args.fill);
#pragma unroll
    for (int v = 0; v < vector; ++v) pack.v[v] = fill;
  }
  if constexpr (adds)
    put(out, from_memory(pack.v[0]), true);
  else
    store_pack<M, vector>(out, pack);
}
#endif

}  // namespace rondo::device
