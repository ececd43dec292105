// Reducing. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "../../src/dynlib/nccl_types.h"

namespace simnccl {

using namespace rondo::cuda;

namespace {

// A float of 16 bits with so many of mantissa, rounded to nearest even.
template <int kMantissa>
std::uint16_t narrow(double value) {
  constexpr int kExponent = 15 - kMantissa, kBias = (1 << (kExponent - 1)) - 1;
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const auto infinite = static_cast<std::uint16_t>(((1 << kExponent) - 1) << kMantissa);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | infinite | (1 << (kMantissa - 1)));
  double size = std::fabs(value);
  if (std::isinf(size)) return sign | infinite;
  if (size == 0) return sign;
  int exponent = 0;
  std::frexp(size, &exponent);
  exponent = std::max(exponent - 1, 1 - kBias);
  const double units = std::nearbyint(std::ldexp(size, kMantissa - exponent));
  auto bits = static_cast<std::uint32_t>(units);
  // The first bit of a normal number's mantissa is not stored and carries into the exponent.
  if (bits >= (1u << kMantissa)) bits += static_cast<std::uint32_t>(exponent + kBias - 1) << kMantissa;
  return bits >= infinite ? static_cast<std::uint16_t>(sign | infinite) : static_cast<std::uint16_t>(sign | bits);
}

template <int kMantissa>
double widen(std::uint16_t bits) {
  constexpr int kExponent = 15 - kMantissa, kBias = (1 << (kExponent - 1)) - 1;
  const int exponent = (bits >> kMantissa) & ((1 << kExponent) - 1);
  const int mantissa = bits & ((1 << kMantissa) - 1);
  double size = 0;
  if (exponent == (1 << kExponent) - 1)
    size = mantissa != 0 ? NAN : INFINITY;
  else if (exponent == 0)
    size = std::ldexp(mantissa, 1 - kBias - kMantissa);
  else
    size = std::ldexp(mantissa + (1 << kMantissa), exponent - kBias - kMantissa);
  return (bits & 0x8000) != 0 ? -size : size;
}

template <class Stored, class Wide, Wide (*load)(Stored), Stored (*round)(Wide)>
void fold(int op, const std::vector<const void*>& inputs, void* output, std::size_t count) {
  const auto ranks = static_cast<Wide>(inputs.size());
  for (std::size_t i = 0; i < count; ++i) {
    Wide total{};
    for (std::size_t r = 0; r < inputs.size(); ++r) {
      Stored stored;
      std::memcpy(&stored, static_cast<const char*>(inputs[r]) + i * sizeof stored, sizeof stored);
      Wide value = load(stored);
      if constexpr (std::is_floating_point_v<Wide>) {
        if (op == ncclAvg) value = load(round(value * load(round(1 / ranks))));
      }
      if (r == 0) {
        total = value;
        continue;
      }
      switch (op) {
        case ncclProd: total = total * value; break;
        // What a comparison with NaN decides is the library's business: NaN stays here.
        case ncclMax: total = value > total || value != value ? value : total; break;
        case ncclMin: total = value < total || value != value ? value : total; break;
        default: total = total + value;
      }
    }
    if constexpr (!std::is_floating_point_v<Wide>) {
      if (op == ncclAvg) total = total / ranks;
    }
    const Stored result = round(total);
    std::memcpy(static_cast<char*>(output) + i * sizeof result, &result, sizeof result);
  }
}

template <class To, class From>
To as(From value) {
  return static_cast<To>(value);
}

// Sums and products wrap around, which signed numbers of C++ must not.
template <class Stored>
void fold_integers(int op, const std::vector<const void*>& inputs, void* output, std::size_t count) {
  if (op == ncclSum || op == ncclProd || std::is_same_v<Stored, std::uint64_t>)
    fold<Stored, std::uint64_t, as, as>(op, inputs, output, count);
  else
    fold<Stored, std::int64_t, as, as>(op, inputs, output, count);
}

}  // namespace

std::size_t element_bytes(int dtype) {
  switch (dtype) {
    case ncclInt8:
    case ncclUint8: return 1;
    case ncclFloat16:
    case ncclBfloat16: return 2;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32: return 4;
    case ncclInt64:
    case ncclUint64:
    case ncclFloat64: return 8;
    default: return 0;
  }
}

void reduce(int dtype, int op, const std::vector<const void*>& inputs, void* output, std::size_t count) {
  switch (dtype) {
    case ncclInt8: return fold_integers<std::int8_t>(op, inputs, output, count);
    case ncclUint8: return fold_integers<std::uint8_t>(op, inputs, output, count);
    case ncclInt32: return fold_integers<std::int32_t>(op, inputs, output, count);
    case ncclUint32: return fold_integers<std::uint32_t>(op, inputs, output, count);
    case ncclInt64: return fold_integers<std::int64_t>(op, inputs, output, count);
    case ncclUint64: return fold_integers<std::uint64_t>(op, inputs, output, count);
    case ncclFloat16: return fold<std::uint16_t, double, widen<10>, narrow<10>>(op, inputs, output, count);
    case ncclBfloat16: return fold<std::uint16_t, double, widen<7>, narrow<7>>(op, inputs, output, count);
    case ncclFloat32: return fold<float, double, as, as>(op, inputs, output, count);
    default: return fold<double, double, as, as>(op, inputs, output, count);
  }
}

}  // namespace simnccl
