// SHA-256 by known answers, in pieces, and by the processor's instructions as by the portable way.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "base/machine/instructions.h"
#include "base/machine/sha256.h"

namespace rondo {
namespace {

std::string digits(const Digest& digest) {
  return hex(bytes_of(digest));
}

std::string random_text(size_t bytes) {
  std::minstd_rand random(7);
  std::string text(bytes, '\0');
  for (char& each : text) each = static_cast<char>(random());
  return text;
}

// The examples of FIPS 180-4 and RFC 4231.
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(digits(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digits(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digits(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digits(sha256(std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(digits(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(digits(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

// The digest of a text that is padded here, by the one way or the other.
Digest digest_by(Sha256Step step, std::string text) {
  const uint64_t bits = 8 * text.size();
  text += '\x80';
  while (text.size() % Sha256::kBlock != Sha256::kBlock - 8) text += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) text += static_cast<char>(bits >> shift);
  Sha256::State state = Sha256().state();
  step(state, text.data(), text.size() / Sha256::kBlock);
  Digest digest;
  for (size_t i = 0; i < digest.size(); ++i) digest[i] = static_cast<uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

// By Python's hashlib, where the length of the last block decides how it is filled up.
TEST(Sha256, LengthsAroundTheEndOfABlock) {
  const struct {
    size_t bytes;
    const char* digest;
  } known[] = {
      {0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {55, "0e1fd909ef91754af38bceea27478ef6ca3427023f13bf590b34b205e5e1c0fb"},
      {56, "d914564b0890ba0507547d978021457d00970416582fcfae4746bd6f15e1dbbe"},
      {57, "9426554132d853a57ab49378df07702f566a61ce25ed5d17f035459883467f33"},
      {63, "cf0c1d27f3afc26f75784d0eb19c153f67106833b6e4d38ed5a02cf3826f7fab"},
      {64, "a70bbf04e9d6b13f21dae6ee3119e2fefb8bbad9c34a142738f09089ae07bdef"},
      {65, "f368e8174761b102b4175797f967faffa0783bc72d5d32513b5c5dd895d0ea57"},
      {119, "5c413bb5eb7ba9c71811382fea17a008dcbc6ea2ad9401698d552e201d148bb8"},
      {120, "06e55c382ffed163d9d1c9daf4eaf73a17fb299140d535c48f87b1c4b65f61c1"},
      {1000, "67a8f5c74b034d617fec2807aa1d5591a50459cd923b577614ad725226c4b092"},
  };
  for (const auto& each : known) {
    std::string text;
    for (size_t i = 0; i < each.bytes; ++i) text += static_cast<char>((7 * i + 1) % 251);
    EXPECT_EQ(digits(sha256(text)), each.digest) << each.bytes;
    EXPECT_EQ(digits(digest_by(portable_sha256_step(), text)), each.digest) << each.bytes << ", the portable way";
    const Sha256Step fast = fast_sha256_step();
    if (fast) {
      EXPECT_EQ(digits(digest_by(fast, text)), each.digest) << each.bytes << ", by the processor";
    }
  }
}

TEST(Sha256, TheProcessorsStatesAreThePortableOnes) {
  const Sha256Step fast = fast_sha256_step();
  if (!fast) GTEST_SKIP() << "without instructions for SHA-256";
  const std::string text = random_text(64 * 100);
  for (const size_t blocks : {0, 1, 2, 3, 7, 64, 99})
    for (size_t odd = 0; odd < 64; odd += 21) {  // blocks begin anywhere in memory
      Sha256::State a = Sha256().state(), b = a;
      portable_sha256_step()(a, text.data() + odd, blocks);
      fast(b, text.data() + odd, blocks);
      EXPECT_EQ(a, b) << blocks << " blocks from byte " << odd;
    }
}

TEST(Sha256, PiecesHaveTheDigestOfTheWhole) {
  const std::string text = random_text(64 * 9 + 40);
  for (size_t bytes = 0; bytes <= text.size(); bytes += 13) {
    const std::string_view whole = std::string_view(text).substr(0, bytes);
    const size_t half = bytes / 128 * 64;
    Sha256 first;
    first.add(whole.substr(0, half));
    EXPECT_EQ(first.end(whole.substr(half)), sha256(whole)) << bytes;
    EXPECT_EQ(Sha256(first.state(), half).end(whole.substr(half)), sha256(whole)) << bytes;
  }
}

}  // namespace
}  // namespace rondo
