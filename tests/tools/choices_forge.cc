// Gives the kept choices among products of a folder another text, as if it had been kept: choices_forge FOLDER TEXT.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>
#include <vector>

#include "rtc/disk_cache.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  rondo::rtc::DiskCache cache(argv[1], int64_t{1} << 30);
  std::vector<rondo::rtc::CacheEntry> choices;
  cache.visit(true, [&](const rondo::rtc::KeptFile& file) {
    if (file.problem.empty() && file.entry.name == "product") choices.push_back(file.entry);
  });
  for (rondo::rtc::CacheEntry& each : choices) {
    each.image = argv[2];
    std::string why;
    if (!cache.put(each, &why)) {
      std::fprintf(stderr, "%s\n", why.c_str());
      return 1;
    }
  }
  return choices.empty() ? 1 : 0;
}
