// Elements whose bits no arithmetic leaves as they are, and how results are compared with them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "harness.h"

namespace conformance {

// Signs and payloads of NaN, -0, and what is next to them. `seed`: others from the first on.
inline Array odd(rondo_dtype dtype, int64_t n, uint64_t seed) {
  Array a(dtype, {n});
  const size_t size = rondo_dtype_size(dtype);
  const std::vector<uint64_t> f16 = {0xfe01, 0xffff, 0x7e55, 0x8000, 0x7d01, 0xfc00, 0x8001, 0x3c00};
  const std::vector<uint64_t> bf16 = {0xffc1, 0xffff, 0x7fd5, 0x8000, 0x7f81, 0xff80, 0x8001, 0x3f80};
  const std::vector<uint64_t> f32 = {0xffc00001, 0xffffffff, 0x7fd55555, 0x80000000,
                                     0x7f800001, 0xff800000, 0x80000001, 1};
  const std::vector<uint64_t> f64 = {0xfff8000000000001, 0xffffffffffffffff, 0x7ffd555555555555, 0x8000000000000000,
                                     0x7ff0000000000001, 0xfff0000000000000, 0x8000000000000001, 1};
  for (int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<size_t>((static_cast<uint64_t>(i) + seed) % 8);
    uint64_t bits = (static_cast<uint64_t>(i) + seed) * 0x9e3779b97f4a7c15;
    if (dtype == RONDO_F16) bits = f16[k];
    if (dtype == RONDO_BF16) bits = bf16[k];
    if (dtype == RONDO_F32) bits = f32[k];
    if (dtype == RONDO_F64) bits = f64[k];
    if (dtype == RONDO_BOOL) bits &= 1;
    std::memcpy(a.bytes.data() + static_cast<size_t>(i) * size, &bits, size);
  }
  return a;
}

inline void expect_bits(rondo_tensor* tensor, const Array& expected, const std::string& what) {
  const Array got = download(tensor);
  ASSERT_EQ(got.bytes.size(), expected.bytes.size()) << what;
  EXPECT_EQ(got.bytes, expected.bytes) << what << " of " << rondo_dtype_name(expected.dtype);
}

}  // namespace conformance
