// Chooses numbers that tell whether a library adds to a sum of 16-bit products before or after it rounds that to 16
// bits. With all factors equal to `element` the sum lies well above a 16-bit number, and the addend is minus that
// number: rounding first leaves nothing, adding first leaves `rest`.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "base/dtype.h"
#include "device/cuda/cuda_device.h"

namespace rondo::ops {

struct RoundingWitness {
  uint16_t element = 0, addend = 0;
  float rest = 0;
};

inline float float_of_half(rondo_dtype dtype, uint16_t bits) {
  return dtype == RONDO_F16 ? half_to_float(bits) : bf16_to_float(bits);
}

inline uint16_t half_of_float(rondo_dtype dtype, float value) {
  return dtype == RONDO_F16 ? float_to_half(value) : float_to_bf16(value);
}

// Chooses them for factors of one dtype, sums of another, and so many products.
inline RoundingWitness rounding_witness(rondo_dtype dtype, rondo_dtype out_dtype, int64_t products) {
  RoundingWitness best;
  for (int i = 0; i < 64; ++i) {
    const double wanted = std::sqrt((1.0 + i / 32.0) / static_cast<double>(products));
    const uint16_t element = half_of_float(dtype, static_cast<float>(wanted));
    const double value = float_of_half(dtype, element);
    const double sum = static_cast<double>(products) * value * value;
    const uint16_t rounded = half_of_float(out_dtype, static_cast<float>(sum));
    const auto rest = static_cast<float>(sum - float_of_half(out_dtype, rounded));
    if (rest > best.rest) best = {element, static_cast<uint16_t>(rounded ^ 0x8000u), rest};
  }
  return best;
}

// Fills memory, and up to the next multiple of 4 bytes.
inline Status fill_with_halves(void* to, uint16_t value, size_t bytes, void* stream) {
  using namespace cuda;
  RONDO_CU(cuMemsetD32Async(reinterpret_cast<CUdeviceptr>(to), value * 0x10001u, (bytes + 3) / 4,
                            static_cast<CUstream>(stream)),
           "cuMemsetD32Async");
  return {};
}

}  // namespace rondo::ops
