// What memory holds that nobody has written, or that was freed: patterns that make NaNs of floats and wild indices of
// integers.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace simcuda {

// Of the host. Poison shows whole pages, so memory that shall show it comes in them.
inline constexpr std::size_t kPage = 4096;

enum class Poison : unsigned char { fresh = 0xff, freed = 0xdb };

// Fills memory. The whole pages of a large block, which must come from mmap, become private views of one file instead:
// that takes no time, and real memory only where they are written.
void poison(void* begin, std::size_t bytes, Poison pattern);

}  // namespace simcuda
