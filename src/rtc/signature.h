// Defines signatures, which tell one generated kernel from another: a few words of plain data, so that the hot path
// makes and compares them without building a string.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/folded_product.h"

namespace rondo::rtc {

class Signature {
 public:
  static constexpr uint32_t kCapacity = 496;

  explicit Signature(uint8_t family) { put(family); }
  // Appends a scalar. Nothing may be left uninitialised: signatures are compared byte by byte.
  template <class T>
  void put(T value) {
    static_assert(std::is_integral_v<T> || std::is_enum_v<T>);
    put_bytes(&value, sizeof value);
  }
  void put_bytes(const void* data, uint32_t bytes) {
    if (size_ + bytes > kCapacity) {
      overflow_ = true;
      return;
    }
    std::memcpy(bytes_ + size_, data, bytes);
    size_ += bytes;
  }
  // More than fits: the kernel cannot be named; the caller reports it.
  bool overflow() const { return overflow_; }
  const unsigned char* data() const { return bytes_; }
  uint32_t size() const { return size_; }
  bool operator==(const Signature& other) const {
    return size_ == other.size_ && std::memcmp(bytes_, other.bytes_, size_) == 0;
  }
  uint64_t hash() const {
    uint64_t hash = 0x9e3779b97f4a7c15u ^ size_;
    uint32_t i = 0;
    for (; i + 8 <= size_; i += 8) {
      uint64_t word;
      std::memcpy(&word, bytes_ + i, 8);
      hash = mix(hash ^ word);
    }
    uint64_t word = 0;
    if (i < size_) std::memcpy(&word, bytes_ + i, size_ - i);
    return mix(hash ^ word);
  }

 private:
  static uint64_t mix(uint64_t value) { return folded_product(value, 0xd6e8feb86659fd93u); }
  unsigned char bytes_[kCapacity];
  uint32_t size_ = 0;
  bool overflow_ = false;
};

// One number per kernel generator.
enum Family : uint8_t {
  kElementwise = 1,
  kReduce,
  kSoftmax,
  kCrossEntropy,
  kMatmul,
  kIndexing,
  kRandomAdvance,
  kRemap,
  kSort,
  kSequence,
  kPut,
  kCumulate,
  kConvolution,
  kNorm,
  kWindow,
  kPeer,
  kElementwiseGroup,
  kLists,
  kAttention,
  kChooser,
  kRotary,
  kBags,
  kInteraction,
  kNumbers,
  kMatmulInteger,
  kProductTrial,
};

}  // namespace rondo::rtc
