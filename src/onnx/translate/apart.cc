// Hands one function at a time to a thread that waits for it, and brings back what the function throws.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "onnx/translate/apart.h"

#include <utility>

namespace rondo_onnx {

Apart::Apart() : thread_([this] { serve(); }) {}

Apart::~Apart() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Apart::run(const std::function<void()>& work) {
  if (here()) return work();
  std::unique_lock<std::mutex> lock(mutex_);
  work_ = &work;
  changed_.notify_all();
  changed_.wait(lock, [this] { return work_ == nullptr; });
  if (const std::exception_ptr thrown = std::exchange(thrown_, nullptr)) std::rethrow_exception(thrown);
}

void Apart::serve() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return work_ != nullptr || ends_; });
    if (work_ == nullptr) return;
    try {
      (*work_)();
    } catch (...) {
      thrown_ = std::current_exception();
    }
    work_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace rondo_onnx
