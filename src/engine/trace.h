// Keeps the timeline of an engine while a trace is on, and writes it as Chrome trace JSON.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/ref.h"
#include "device/device.h"
#include "memory/fence.h"

namespace rondo {

struct TaskOperand;
class Stream;
class Task;

class Trace final : public RefCounted {
 public:
  Trace();
  ~Trace() override;

  static double now_us();
  // A task that ran on the calling thread, or one that a launch ran as a part of itself.
  void host(const Task& task, double submitted, double begin, double end) noexcept;
  // A device task: two timed events around it, recorded under the stream's lock. If the device fails to give them, the
  // trace lacks the task's times on the device, and the task is not affected. If the host has no memory to note a task,
  // the trace lacks the task.
  void device_begin(Stream& stream, void** event) noexcept;
  void device_end(const Task& task, Stream& stream, double submitted, double issue_begin, void* begin_event) noexcept;
  // Writes everything; all work must be done.
  Status write(const char* path);

 private:
  void write(std::FILE* file);
  struct HostSpan {
    const char* name;
    std::vector<TaskOperand> operands;
    int thread;
    double submitted, begin, end;
  };
  struct DeviceSpan {
    HostSpan issue;  // on the thread that issued it
    Stream* stream;
    void *begin, *end;  // both null: its times on the device are not known
  };
  struct Anchor {  // ties a stream's event clock to the host's
    Stream* stream;
    void* event;
    double at;
  };
  HostSpan here(const Task& task, double submitted, double begin, double end);
  Status anchor(Stream& stream);
  static Status timed_event(Stream& stream, void** event);

  std::mutex mutex_;
  std::vector<HostSpan> host_;
  std::vector<DeviceSpan> device_;
  std::vector<Anchor> anchors_;
  std::map<int, std::string> threads_;  // names of those that ran something
  double start_;
};

}  // namespace rondo
