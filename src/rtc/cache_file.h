// Carries compiled kernels from one folder to another in one file: a head, then entries as they are in the folder, one
// after the other: so none can overlap, and excess or missing bytes show. Nothing in such a file is trusted.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "rtc/disk_cache.h"

namespace rondo::rtc {

struct CacheFilter {
  int32_t architecture = 0;   // 0: any
  std::string nvrtc;          // "12.8"; empty: any
  int32_t rondo = 0;          // version that kept it; 0: any
  int64_t used_before_s = 0;  // seconds since 1970; 0: any
  int64_t used_since_s = 0;   // the same
  bool takes(const KeptFile& file) const;
};

// Entries of a file: kernels for GPUs, and choices, which are texts of operators.
struct CarriedCount {
  int64_t kernels = 0;
  int64_t choices = 0;
  void add(const CacheEntry& entry) { ++(entry.origin.architecture > 0 ? kernels : choices); }
};

// Kept kernels and choices that the filter takes; *count of them. Statuses: rondo_cache_export.
Status export_kernels(DiskCache& cache, const CacheFilter& filter, const std::string& path, CarriedCount* count);
// *count: of those that were not there before; *all (may be null): of the file. Statuses: rondo_cache_import.
Status import_kernels(DiskCache& cache, const std::string& path, CarriedCount* count, CarriedCount* all);

// Reads the entries of `text` if it is such a file, whole.
Status read_cache_file(std::string_view text, std::vector<CacheEntry>* entries);

}  // namespace rondo::rtc
