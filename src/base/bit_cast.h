// Reads the bits of a value as another type of the same size, as std::bit_cast does from C++20 on.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <type_traits>

namespace rondo {

// The standard library has it since GCC 11's; the portable build uses an older one.
template <class To, class From>
To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  static_assert(std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>);
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

}  // namespace rondo
