// Keeps further streams for tasks that run work in parallel: for each compute stream, and for each branch of a capture,
// as many as a task has asked for so far. A task forks from its own stream and joins again before its run ends, so that
// the engine's fence, which counts the task's own stream, covers all. Used by one task at a time, under the lock of the
// stream that they belong to.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>

#include "device/device.h"

namespace rondo {

class Auxiliary {
 public:
  static Status make(StreamDevice& device, std::unique_ptr<Auxiliary>* auxiliary);
  ~Auxiliary();
  Auxiliary(const Auxiliary&) = delete;
  Auxiliary& operator=(const Auxiliary&) = delete;

  void* stream() const { return stream_; }
  // Work that is put into the auxiliary stream from here on comes after all that `from` holds now.
  Status fork(void* from);
  // Work that is put into `to` from here on comes after all that the auxiliary stream holds now. If that cannot be had,
  // the host has waited for it, unless the streams are captured.
  Status join(void* to, bool capturing);

 private:
  explicit Auxiliary(StreamDevice& device) : device_(device) {}

  StreamDevice& device_;
  void* stream_ = nullptr;
  void* forked_ = nullptr;
  void* joined_ = nullptr;
};

// The auxiliary streams that belong to one stream.
class Auxiliaries {
 public:
  static constexpr int kMost = 8;

  // Makes those that are missing to have so many.
  Status make(StreamDevice& device, int count);
  Auxiliary& operator[](int index) const { return *each_[static_cast<size_t>(index)]; }
  void clear() {
    for (auto& each : each_) each.reset();
  }

 private:
  std::array<std::unique_ptr<Auxiliary>, kMost> each_;
};

}  // namespace rondo
