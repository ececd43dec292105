// Computes SHA-256 and HMAC-SHA-256 (FIPS 180-4, RFC 2104), so that processes prove that they know a secret without
// sending it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace rondo::comm {

using Digest = std::array<uint8_t, 32>;

Digest sha256(std::string_view text);
Digest hmac_sha256(std::string_view key, std::string_view text);
// Takes as long whatever differs.
bool equal(const Digest& a, const Digest& b);

}  // namespace rondo::comm
