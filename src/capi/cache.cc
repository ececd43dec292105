// Answers questions about the cache of compiled kernels, exports and imports it, and sets who hears of progress.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "capi/capi.h"
#include "capi/structs.h"
#include "ops/trial/choice_table.h"
#include "rtc/cache_file.h"
#include "rtc/image.h"
#include "rtc/kernel.h"
#include "rtc/progress.h"

using namespace rondo;
using capi::guard_whole;

extern "C" {

rondo_status rondo_cache_query(rondo_cache_info* info) {
  return guard_whole("rondo_cache_query", [&]() -> Status {
    rtc::DiskCache& disk = rtc::DiskCache::instance();
    const rtc::ImageStatistics images = rtc::image_statistics();
    const rtc::DiskStatistics counts = disk.statistics();
    rondo_cache_info facts = RONDO_CACHE_INFO_INIT;
    disk.visit(false, [&facts](const rtc::KeptFile& file) {
      ++facts.files;
      facts.bytes += file.bytes;
    });
    facts.limit = disk.limit_bytes();
    facts.memory_hits = rtc::kernel_memory_hits();
    facts.disk_hits = images.disk_hits;
    facts.without_compiler = images.without_compiler;
    facts.compiled = images.compiled;
    facts.compile_ms = images.compile_ms;
    facts.damaged = counts.damaged;
    facts.refused = counts.refused;
    facts.failed_writes = counts.failed_writes;
    facts.evicted = counts.evicted;
    facts.trials = ops::trials();
    return capi::write_info("info", info, facts);
  });
}

rondo_status rondo_cache_export(const char* path, int32_t capability, int64_t* kernels) {
  return guard_whole("rondo_cache_export", [&]() -> Status {
    RONDO_NOT_NULL(path);
    if (capability < 0)
      return error(RONDO_INVALID_ARGUMENT, "capability is %d; 0 for all, or one like 90 for 9.0", capability);
    rtc::CacheFilter filter;
    filter.architecture = capability;
    rtc::CarriedCount count;
    RONDO_TRY(rtc::export_kernels(rtc::DiskCache::instance(), filter, path, &count));
    if (kernels) *kernels = count.kernels;
    return {};
  });
}

rondo_status rondo_cache_import(const char* path, int64_t* kernels) {
  return guard_whole("rondo_cache_import", [&]() -> Status {
    RONDO_NOT_NULL(path);
    rtc::CarriedCount count;
    RONDO_TRY(rtc::import_kernels(rtc::DiskCache::instance(), path, &count, nullptr));
    if (kernels) *kernels = count.kernels;
    return {};
  });
}

rondo_status rondo_set_compile_progress(rondo_compile_progress_fn fn, void* arg, void (*destroy)(void* arg)) {
  return guard_whole("rondo_set_compile_progress", [&]() -> Status {
    rtc::Progress::instance().set(fn, arg, destroy);
    return {};
  });
}

}  // extern "C"
