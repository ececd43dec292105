// Notes kernels, and asks the disk for each of them once.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "rtc/kernel_census.h"

#include "rtc/image.h"
#include "rtc/kernel.h"
#include "rtc/kernel_text.h"

namespace rondo::rtc {

namespace {

constinit thread_local KernelCensus* census_of_thread = nullptr;

}  // namespace

std::atomic<int> KernelCensus::all_{0};

KernelCensus::KernelCensus() {
  census_of_thread = this;
  all_.fetch_add(1, std::memory_order_relaxed);
}

KernelCensus::~KernelCensus() {
  all_.fetch_sub(1, std::memory_order_relaxed);
  census_of_thread = nullptr;
}

KernelCensus* KernelCensus::of_thread() {
  return census_of_thread;
}

Status KernelCensus::note(cuda::CudaDevice& device, const char* name, const Generator& generate,
                          const Kernel** kernel) {
  static const Kernel in_place_of_it;
  *kernel = &in_place_of_it;
  const std::string text = with_beginning(generate());
  const Key key = key_of(request_for(name, text));
  if (!seen_.emplace(key.words[0], key.words[1]).second) return {};
  bool kept = false;
  RONDO_TRY(find_kept(device, name, key, &kept));
  if (kept) return {};
  ++missing_;
  missing_text_ += (missing_text_.empty() ? "" : "\n") + std::string(name) + " " + key_text(key).insert(2, "/");
  return {};
}

}  // namespace rondo::rtc
