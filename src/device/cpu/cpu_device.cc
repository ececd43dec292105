// Allocates memory for the cpu device and tells the facts about it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "device/cpu/cpu_device.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/file.h"
#include "base/machine/processors.h"
#include "base/text.h"

namespace rondo {

namespace {

constexpr size_t kAlignment = 64;  // a cache line, and enough for any vector instruction
// Large blocks ask the system for pages of 2 MiB, which many systems give only then: elements that are gone through
// once would take as long to find and to zero page by page as to compute.
constexpr size_t kLarge = size_t{4} << 20, kLargePage = size_t{2} << 20;
constexpr size_t kSegment = size_t{1} << 20;  // one system allocation serves many small tensors

class CpuDevice final : public Device {
 public:
  CpuDevice() : Device({RONDO_CPU, 0}) {}

  Status query(rondo_device_info* info) override {
    std::string name = "cpu";
    std::string first;  // what it says of the first processor
    read_text("/proc/cpuinfo", 4096, &first);
    std::string_view lines = first;
    for (std::string_view line; take_part(&lines, '\n', &line);) {
      if (line.compare(0, 10, "model name") != 0) continue;
      if (const size_t colon = line.find(": "); colon != std::string::npos) name = line.substr(colon + 2);
      break;
    }
    std::snprintf(info->name, sizeof info->name, "%s", name.c_str());
    const int64_t page = sysconf(_SC_PAGESIZE);
    info->total_memory = usable_memory();
    info->free_memory = sysconf(_SC_AVPHYS_PAGES) * page;
    info->capability = 0;
    info->processors = usable_processors();
    info->driver = 0;
    return {};
  }
  Status allocate(size_t bytes, void** address) override {
    const size_t alignment = bytes < kLarge ? kAlignment : kLargePage;
    void* block = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (!block) {
      const double all = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
      return error(RONDO_OUT_OF_MEMORY, "the system gives no %s; it has %s in all",
                   bytes_text(static_cast<double>(bytes)).c_str(), bytes_text(all).c_str());
    }
    // Whole pages only, so that no more memory is used; where it is refused, nothing is lost.
    if (bytes >= kLarge) madvise(block, bytes / kLargePage * kLargePage, MADV_HUGEPAGE);
    *address = block;
    return {};
  }
  void release(void* address) override { std::free(address); }
  Status zero(std::span<const Bytes> memory) override {
    for (const Bytes& each : memory) std::memset(each.address, 0, each.count);
    return {};
  }
  size_t alignment() const override { return kAlignment; }
  size_t segment_bytes() const override { return kSegment; }
};

}  // namespace

Device& cpu_device() {
  static auto* instance = new CpuDevice;
  return *instance;
}

}  // namespace rondo
