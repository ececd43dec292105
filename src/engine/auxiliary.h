// A second stream for tasks that put work side by side: one beside each compute stream, and beside each branch of a
// capture. A task forks from its own stream and joins again before its run ends, so that the engine's fence, which
// counts the task's own stream, covers both.
//
// Used by one task at a time, under the lock of the stream it stands beside.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

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
  // What is put into the auxiliary stream from here on comes after what `from` holds now.
  Status fork(void* from);
  // What is put into `to` from here on comes after what the auxiliary stream holds now. If that cannot be had, the host
  // has waited for it, unless the streams are captured.
  Status join(void* to, bool capturing);

 private:
  explicit Auxiliary(StreamDevice& device) : device_(device) {}

  StreamDevice& device_;
  void* stream_ = nullptr;
  void* forked_ = nullptr;
  void* joined_ = nullptr;
};

}  // namespace rondo
