// Computes the product that hashes are made of: 128 bits folded to 64, in which every bit of a factor counts.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace rondo {

inline uint64_t folded_product(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// A hash with one word more.
inline uint64_t mixed(uint64_t hash, uint64_t word) {
  return folded_product(hash ^ word, 0x9e3779b97f4a7c15u) + 1;
}

}  // namespace rondo
