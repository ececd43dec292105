// Counts the kernels that tasks ask for, and which of them are kept on disk, in place of making them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "base/status.h"

namespace rondo::cuda {
class CudaDevice;
}

namespace rondo::rtc {

struct Kernel;

// While it is there, kernels that its thread asks for are noted, and neither compiled nor loaded: what was given in
// place of one must not be launched. Kernels of one text are one. The thread's, one at a time.
class KernelCensus {
 public:
  KernelCensus();
  ~KernelCensus();
  KernelCensus(const KernelCensus&) = delete;
  KernelCensus& operator=(const KernelCensus&) = delete;

  // The calling thread's; null: it makes kernels.
  static KernelCensus* here() {
    return all_.load(std::memory_order_relaxed) == 0 ? nullptr : of_thread();  // a thread sees its own
  }
  // As find_kernel().
  Status note(cuda::CudaDevice& device, const char* name, const std::function<std::string()>& generate,
              const Kernel** kernel);

  int64_t needed() const { return static_cast<int64_t>(seen_.size()); }
  int64_t missing() const { return missing_; }
  // Those that are missing, a line each: the name, and what the name of a kept file would begin with.
  const std::string& missing_text() const { return missing_text_; }

 private:
  static KernelCensus* of_thread();
  static std::atomic<int> all_;

  std::set<std::pair<uint64_t, uint64_t>> seen_;  // keys
  int64_t missing_ = 0;
  std::string missing_text_;
};

}  // namespace rondo::rtc
