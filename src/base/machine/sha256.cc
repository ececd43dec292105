// Computes SHA-256 and HMAC-SHA-256, by the processor's own instructions where it has them, and compares digests in
// constant time.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/machine/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "base/machine/instructions.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace rondo {

namespace {

// The first 32 bits of the fractions of the cube roots of the first 64 primes.
alignas(16) constexpr uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t load_word(const char* from) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(from);
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

void take_portably(Sha256::State& state, const char* blocks, size_t count) {
  for (; count > 0; --count, blocks += Sha256::kBlock) {
    uint32_t w[64];
    for (int i = 0; i < 16; ++i) w[i] = load_word(blocks + 4 * i);
    for (int i = 16; i < 64; ++i) {
      const uint32_t a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
             (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    Sha256::State v = state;
    for (int i = 0; i < 64; ++i) {
      const uint32_t s1 = std::rotr(v[4], 6) ^ std::rotr(v[4], 11) ^ std::rotr(v[4], 25);
      const uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + kRound[i] + w[i];
      const uint32_t s0 = std::rotr(v[0], 2) ^ std::rotr(v[0], 13) ^ std::rotr(v[0], 22);
      const uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
      for (size_t k = 7; k > 0; --k) v[k] = v[k - 1];
      v[4] += t1;
      v[0] = t1 + t2;
    }
    for (size_t i = 0; i < state.size(); ++i) state[i] += v[i];
  }
}

#if defined(__x86_64__)
// The instructions have the eight words of the state in two registers, by the letters of the standard: A, B, E, F and
// C, D, G, H, the first one in the highest place. One instruction makes two rounds.
__attribute__((target("sha,ssse3,sse4.1"))) void take_by_processor(Sha256::State& state, const char* blocks,
                                                                   size_t count) {
  const auto lanes = [&state](size_t a, size_t b, size_t c, size_t d) __attribute__((target("sha,ssse3,sse4.1"))) {
    const auto word = [&state](size_t i) { return static_cast<int>(state[i]); };
    return _mm_set_epi32(word(a), word(b), word(c), word(d));
  };
  const __m128i swap = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);  // the bytes of each word
  __m128i abef = lanes(0, 1, 4, 5), cdgh = lanes(2, 3, 6, 7);
  for (; count > 0; --count, blocks += Sha256::kBlock) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];  // the last 16 words
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
      __m128i& now = w[i % 4];
      if (i < 4)
        now = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(blocks) + i), swap);
      else
        now = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(now, w[(i + 1) % 4]),
                                                 _mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4)),
                                   w[(i + 3) % 4]);
      const __m128i sum = _mm_add_epi32(now, _mm_load_si128(reinterpret_cast<const __m128i*>(kRound) + i));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  uint32_t of_abef[4], of_cdgh[4];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(of_abef), abef);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(of_cdgh), cdgh);
  state = {of_abef[3], of_abef[2], of_cdgh[3], of_cdgh[2], of_abef[1], of_abef[0], of_cdgh[1], of_cdgh[0]};
}

// Tells whether the processor has them: leaf 7 of its own description, and leaf 1 the shuffles that go with them.
bool has_instructions() {
  unsigned a, b, c, d;
  constexpr unsigned kShuffles = 1u << 9 | 1u << 19, kSha = 1u << 29;  // SSSE3 and SSE4.1
  return __get_cpuid(1, &a, &b, &c, &d) && (c & kShuffles) == kShuffles && __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
         (b & kSha);
}
#endif

Sha256Step choose_step() {
  const Sha256Step fast = fast_sha256_step();
  return fast ? fast : take_portably;
}

}  // namespace

Sha256Step portable_sha256_step() {
  return take_portably;
}

Sha256Step fast_sha256_step() {
#if defined(__x86_64__)
  if (instructions() != Instructions::baseline && has_instructions()) return take_by_processor;
#endif
  return nullptr;
}

Sha256::Sha256()
    : state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

void Sha256::add(std::string_view blocks) {
  static const Sha256Step step = choose_step();
  step(state_, blocks.data(), blocks.size() / kBlock);
  bytes_ += blocks.size();
}

Digest Sha256::end(std::string_view rest) const {
  Sha256 all = *this;
  const size_t whole = rest.size() / kBlock * kBlock;
  all.add(rest.substr(0, whole));
  rest.remove_prefix(whole);
  const uint64_t bits = 8 * (all.bytes_ + rest.size());
  char last[2 * kBlock] = {};
  std::copy(rest.begin(), rest.end(), last);
  last[rest.size()] = static_cast<char>(0x80);
  const size_t end = rest.size() < kBlock - 8 ? kBlock : 2 * kBlock;
  for (int i = 0; i < 8; ++i) last[end - 1 - static_cast<size_t>(i)] = static_cast<char>(bits >> (8 * i));
  all.add({last, end});
  Digest digest;
  for (size_t i = 0; i < digest.size(); ++i) digest[i] = static_cast<uint8_t>(all.state_[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

Digest sha256(std::string_view text) {
  return Sha256().end(text);
}

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

Digest hmac_sha256(std::string_view key, std::string_view text) {
  std::string inner(Sha256::kBlock, '\0');
  if (key.size() > Sha256::kBlock) {
    const Digest shorter = sha256(key);
    std::memcpy(inner.data(), shorter.data(), shorter.size());
  } else {
    std::memcpy(inner.data(), key.data(), key.size());
  }
  std::string outer = inner;
  for (char& each : inner) each = static_cast<char>(each ^ 0x36);
  for (char& each : outer) each = static_cast<char>(each ^ 0x5c);
  const Digest first = sha256(inner.append(text));
  return sha256(outer.append(reinterpret_cast<const char*>(first.data()), first.size()));
}

bool equal(const Digest& a, const Digest& b) {
  unsigned different = 0;
  for (size_t i = 0; i < a.size(); ++i) different |= a[i] ^ b[i];
  return different == 0;
}

}  // namespace rondo
