// Computes SHA-256 and HMAC-SHA-256 (FIPS 180-4, RFC 2104): of files, to tell whether they are the ones that are meant,
// and for processes that prove that they know a secret without sending it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace rondo {

using Digest = std::array<uint8_t, 32>;

// A digest in the making, of bytes that come in pieces. Who has the state before a piece and the one after it can
// check that piece alone.
class Sha256 {
 public:
  static constexpr size_t kBlock = 64;
  using State = std::array<uint32_t, 8>;

  Sha256();
  // After `bytes` bytes, whole blocks, which have led to the state.
  Sha256(const State& state, uint64_t bytes) : state_(state), bytes_(bytes) {}

  // Takes whole blocks.
  void add(std::string_view blocks);
  // The digest of what was taken and then `rest`, of any length.
  Digest end(std::string_view rest) const;
  const State& state() const { return state_; }

 private:
  State state_;
  uint64_t bytes_ = 0;
};

// How blocks are taken into a state. The portable way and the processor's give the same.
using Sha256Step = void (*)(Sha256::State& state, const char* blocks, size_t count);
Sha256Step portable_sha256_step();
// Null where the processor has no instructions for it, or RONDO_CPU_INSTRUCTIONS leaves them out.
Sha256Step fast_sha256_step();

Digest sha256(std::string_view text);
Digest hmac_sha256(std::string_view key, std::string_view text);
// Hexadecimal digits, small letters.
std::string hex(std::string_view bytes);
inline std::string_view bytes_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}
// Takes as long whatever differs.
bool equal(const Digest& a, const Digest& b);

}  // namespace rondo
