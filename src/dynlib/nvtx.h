// Names ranges for profilers, by NVTX. There is no library to find: a profiler names one of its own in an environment
// variable of NVTX, and that library puts functions into tables that the program shows it. Without a profiler there are
// no ranges.
//
// Any thread. One process-wide instance, never destroyed.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynlib/loading/library.h"

namespace rondo {

class Nvtx final : public Library {
 public:
  // Null: no profiler asks, or its library cannot be had, as the log says.
  static Nvtx* of_process() noexcept;

  // A range of the calling thread, inside those that it has open. A call that the profiler did not take does nothing.
  void push(const char* name) const noexcept;
  void pop() const noexcept;

 protected:
  std::string chosen() const override;
  Status accept(std::string* reservation) override;

 private:
  Nvtx();
};

}  // namespace rondo
