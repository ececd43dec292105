// The timeline of an engine, kept while a trace is on, and its Chrome trace JSON.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <vector>

#include "base/ref.h"
#include "device/device.h"
#include "memory/fence.h"

namespace rondo {

class Stream;

class Trace final : public RefCounted {
 public:
  Trace();
  ~Trace() override;

  static double now_us();
  // A task that ran on a host thread.
  void host(const char* name, double submitted, double begin, double end);
  // A device task: two timed events around it, recorded under the stream's lock. Where the device fails to give them,
  // the trace lacks the task's times on the device, and the task is none the worse.
  void device_begin(Stream& stream, void** event);
  void device_end(const char* name, Stream& stream, double submitted, double issue_begin, void* begin_event);
  // Writes everything; all work must be done.
  Status write(const char* path);

 private:
  struct HostSpan {
    const char* name;
    int thread;
    double submitted, begin, end;
  };
  struct DeviceSpan {
    const char* name;
    StreamDevice* device;
    uint32_t stream;
    double submitted, issue_begin, issue_end;
    void *begin, *end;  // both null: its times on the device are not known
  };
  struct Anchor {  // ties a stream's event clock to the host's
    uint32_t stream;
    StreamDevice* device;
    void* event;
    double at;
  };
  Status anchor(Stream& stream);
  static Status timed_event(Stream& stream, void** event);

  std::mutex mutex_;
  std::vector<HostSpan> host_;
  std::vector<DeviceSpan> device_;
  std::vector<Anchor> anchors_;
  double start_;
};

}  // namespace rondo
