// Decides when results are written past the caches, by the size of the largest cache.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/host/streaming.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/file.h"

namespace rondo::ops {

namespace {

// The largest cache of one processor, as the system tells it; the C library adds up those of several.
int64_t largest_cache() {
  int64_t largest = 0;
  for (int level = 0; level < 8; ++level) {
    std::string text;  // "32768K"
    if (!read_text("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(level) + "/size", 32, &text)) break;
    char* unit = text.data();
    const int64_t size = std::strtoll(text.c_str(), &unit, 10);
    largest = std::max(largest, *unit == 'K' ? size << 10 : *unit == 'M' ? size << 20 : size);
  }
  return largest > 0 ? largest : int64_t{32} << 20;
}

}  // namespace

bool worth_streaming(int64_t bytes) {
  static const int64_t cache = largest_cache();
  return bytes > cache;
}

void end_streaming() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
}

}  // namespace rondo::ops
