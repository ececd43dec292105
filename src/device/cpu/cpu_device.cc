// cpu memory and facts. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "device/cpu/cpu_device.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "base/text.h"

namespace rondo {

namespace {

constexpr size_t kAlignment = 64;             // a cache line, and enough for any vector instruction
constexpr size_t kSegment = size_t{1} << 20;  // one system allocation serves many small tensors

class CpuDevice final : public Device {
 public:
  CpuDevice() : Device({RONDO_CPU, 0}) {}

  Status query(rondo_device_info* info) override {
    std::string name = "cpu";
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
      if (line.compare(0, 10, "model name") != 0) continue;
      if (const size_t colon = line.find(": "); colon != std::string::npos) name = line.substr(colon + 2);
      break;
    }
    std::snprintf(info->name, sizeof info->name, "%s", name.c_str());
    const int64_t page = sysconf(_SC_PAGESIZE);
    info->total_memory = sysconf(_SC_PHYS_PAGES) * page;
    info->free_memory = sysconf(_SC_AVPHYS_PAGES) * page;
    info->capability = 0;
    info->processors = static_cast<int32_t>(std::thread::hardware_concurrency());
    info->driver = 0;
    return {};
  }
  Status allocate(size_t bytes, void** address) override {
    void* block = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
    if (!block) {
      const double all = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
      return error(RONDO_OUT_OF_MEMORY, "the system gives no %s; it has %s in all",
                   bytes_text(static_cast<double>(bytes)).c_str(), bytes_text(all).c_str());
    }
    *address = block;
    return {};
  }
  void release(void* address) override { std::free(address); }
  size_t alignment() const override { return kAlignment; }
  size_t segment_bytes() const override { return kSegment; }
};

}  // namespace

Device& cpu_device() {
  static auto* instance = new CpuDevice;
  return *instance;
}

}  // namespace rondo
