// Checks scalar operands against the dtype of an operator, and makes the words that kernels take.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/operators/scalar.h"

#include <cmath>
#include <cstring>

#include "base/text.h"
#include "ops/operators/element.h"

namespace rondo::ops {

namespace {

template <class T>
uint64_t word_of(T value) {
  uint64_t word = 0;
  std::memcpy(&word, &value, sizeof value);
  return word;
}

// As the exact integer it must be; false if it is none that 64 bits hold.
bool whole(const Scalar& scalar, int64_t* value) {
  *value = scalar.i;
  if (scalar.integer) return true;
  if (!(scalar.f >= -0x1p63 && scalar.f < 0x1p63) || scalar.f != std::trunc(scalar.f)) return false;
  *value = static_cast<int64_t>(scalar.f);
  return true;
}

Status refuse(const char* argument, const Scalar& scalar, rondo_dtype dtype) {
  const std::string value =
      scalar.integer ? format("%lld", static_cast<long long>(scalar.i)) : format("%.17g", scalar.f);
  const std::string range = with_element(dtype, []<class M>(M*) -> std::string {
    using T = Register<M>;
    if constexpr (device::is_floating<T>) return "";
    return format("%lld to %llu", static_cast<long long>(device::kLowest<T>),
                  static_cast<unsigned long long>(device::kHighest<T>));
  });
  return error(RONDO_INVALID_ARGUMENT, "%s is %s; %s holds whole numbers, %s: cast the tensor first (rondo_cast)",
               argument, value.c_str(), dtype_name(dtype), range.c_str());
}

// Rounds as storing as a float narrower than f32 and loading again does.
float rounded(rondo_dtype dtype, float value) {
  if (dtype == RONDO_F16) return device::round_f16(value);
  if (dtype == RONDO_BF16) return device::round_bf16(value);
  return with_f8_element(dtype, [value]<class M>(M*) { return device::from_memory(device::to_memory<M>(value)); });
}

}  // namespace

uint64_t float_word(rondo_dtype register_dtype, double value) {
  return register_dtype == RONDO_F64 ? word_of(value) : word_of(static_cast<float>(value));
}

Status scalar_word(const char* argument, Scalar scalar, rondo_dtype dtype, uint64_t* word) {
  switch (dtype) {
    case RONDO_F64: *word = word_of(scalar.integer ? static_cast<double>(scalar.i) : scalar.f); return {};
    case RONDO_F32:
      *word = word_of(scalar.integer ? static_cast<float>(scalar.i) : static_cast<float>(scalar.f));
      return {};
    case RONDO_F16:
    case RONDO_BF16:
    case RONDO_F8_E4M3:
    case RONDO_F8_E5M2:
      *word = word_of(rounded(
          dtype, scalar.integer ? device::to_odd(static_cast<device::i64>(scalar.i)) : device::to_odd(scalar.f)));
      return {};
    default: break;
  }
  if (dtype == RONDO_U64 && !scalar.integer && scalar.f >= 0x1p63 && scalar.f < 0x1p64) {
    *word = static_cast<uint64_t>(scalar.f);  // whole, as every double of that size
    return {};
  }
  int64_t value = 0;
  if (!whole(scalar, &value)) return refuse(argument, scalar, dtype);
  return with_element(dtype, [&]<class M>(M*) -> Status {
    using T = Register<M>;
    if constexpr (!device::is_floating<T>) {
      if (value < static_cast<int64_t>(device::kLowest<T>) ||
          (value > 0 && static_cast<uint64_t>(value) > static_cast<uint64_t>(device::kHighest<T>)))
        return refuse(argument, scalar, dtype);
    }
    *word = word_of(static_cast<T>(value));
    return {};
  });
}

}  // namespace rondo::ops
