// Collects the spans of host and device tasks and writes them as Chrome trace JSON.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/trace.h"

#include <pthread.h>

#include <chrono>
#include <cstdio>
#include <set>
#include <string>
#include <utility>

#include "base/caught.h"
#include "base/files/written_file.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/text.h"
#include "base/threads/thread_id.h"
#include "engine/operand_text.h"
#include "engine/tasks/stream.h"
#include "engine/tensor.h"

namespace rondo {

namespace {

void tell_missing(const char* name, const Status& why) {
  log(RONDO_LOG_WARNING, "the trace lacks the times of '%s' on its device: %s", name, why.message());
}

}  // namespace

Trace::Trace() : start_(now_us()) {}

Trace::~Trace() {
  for (DeviceSpan& span : device_) {
    if (!span.begin) continue;
    span.stream->device.event_destroy(span.begin);
    span.stream->device.event_destroy(span.end);
  }
  for (Anchor& anchor : anchors_) anchor.stream->device.event_destroy(anchor.event);
}

double Trace::now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A span of the calling thread, which it makes known.
Trace::HostSpan Trace::here(const Task& task, double submitted, double begin, double end) {
  HostSpan span{task.name(), {}, thread_id(), submitted, begin, end};
  task.list_operands(&span.operands);
  char name[32] = "";
  const bool known = [&] {
    std::lock_guard lock(mutex_);
    return threads_.count(span.thread) != 0;
  }();
  if (!known && pthread_getname_np(pthread_self(), name, sizeof name) == 0) {
    std::lock_guard lock(mutex_);
    threads_.emplace(span.thread, name);
  }
  return span;
}

void Trace::host(const Task& task, double submitted, double begin, double end) noexcept {
  const Status noted = caught([&]() -> Status {
    HostSpan span = here(task, submitted, begin, end);
    std::lock_guard lock(mutex_);
    host_.push_back(std::move(span));
    return {};
  });
  if (!noted.ok()) log(RONDO_LOG_WARNING, "the trace lacks '%s': %s", task.name(), noted.message());
}

// The first span of a stream waits once for an event, so that event times can be laid on the host's clock.
Status Trace::anchor(Stream& stream) {
  {
    std::lock_guard lock(mutex_);
    for (const Anchor& known : anchors_)
      if (known.stream == &stream) return {};
  }
  Anchor made{&stream, nullptr, 0};
  RONDO_TRY(timed_event(stream, &made.event));
  if (Status status = stream.device.event_synchronize(made.event); !status.ok()) {
    stream.device.event_destroy(made.event);
    return status;
  }
  made.at = now_us();
  std::lock_guard lock(mutex_);
  const Status noted = caught([&]() -> Status {
    anchors_.push_back(made);
    return {};
  });
  if (!noted.ok()) stream.device.event_destroy(made.event);
  return noted;
}

Status Trace::timed_event(Stream& stream, void** event) {
  void* made = nullptr;
  RONDO_TRY(stream.device.event_create(true, &made));
  if (Status status = stream.device.event_record(made, stream.native); !status.ok()) {
    stream.device.event_destroy(made);
    return status;
  }
  *event = made;
  return {};
}

void Trace::device_begin(Stream& stream, void** event) noexcept {
  Status status = anchor(stream);
  if (status.ok()) status = timed_event(stream, event);
  if (!status.ok()) tell_missing("a task", status);
}

void Trace::device_end(const Task& task, Stream& stream, double submitted, double issue_begin,
                       void* begin_event) noexcept {
  void* end_event = nullptr;
  if (begin_event) {
    if (Status status = timed_event(stream, &end_event); !status.ok()) {
      tell_missing(task.name(), status);
      stream.device.event_destroy(std::exchange(begin_event, nullptr));
    }
  }
  const Status noted = caught([&]() -> Status {
    HostSpan issue = here(task, submitted, issue_begin, now_us());
    std::lock_guard lock(mutex_);
    device_.push_back({std::move(issue), &stream, begin_event, end_event});
    return {};
  });
  if (noted.ok()) return;
  log(RONDO_LOG_WARNING, "the trace lacks '%s': %s", task.name(), noted.message());
  if (!begin_event) return;
  stream.device.event_destroy(begin_event);
  stream.device.event_destroy(end_event);
}

namespace {

// The events of a trace, one a line. Processes are 0, the host, and one per device; their threads are the host's
// threads and the devices' streams.
class Events {
 public:
  Events(std::FILE* file, double start) : file_(file), start_(start) {}

  void span(const char* name, const char* category, int process, int thread, double begin, double end, double submitted,
            const std::vector<TaskOperand>& operands) {
    begin_event();
    std::string text =
        format("{\"name\":%s,\"cat\":\"%s\",\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"args\":{",
               json_text(name).c_str(), category, process, thread, begin - start_, end - begin);
    const bool known = submitted >= start_;  // else it was before the trace began
    if (known) text += format("\"submitted_us\":%.3f", submitted - start_);
    if (!operands.empty()) text += format("%s\"operands\":\"%s\"", known ? "," : "", operands_text(operands).c_str());
    text += "}}";
    std::fputs(text.c_str(), file_);
  }
  void process(int process, const char* name) { named("process_name", process, 0, name); }
  void thread(int process, int thread, const char* name) { named("thread_name", process, thread, name); }

 private:
  void begin_event() { std::fputs(std::exchange(first_, false) ? "\n" : ",\n", file_); }
  void named(const char* what, int process, int thread, const char* name) {
    begin_event();
    std::fprintf(file_, "{\"name\":\"%s\",\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":%s}}", what, process,
                 thread, json_text(name).c_str());
  }

  std::FILE* file_;
  const double start_;
  bool first_ = true;
};

int process_of(const Stream& stream) {
  return 1 + stream.device.id().index;
}

}  // namespace

Status Trace::write(const char* path) {
  return write_file("the trace file", path, [this](std::FILE* file) { write(file); });
}

void Trace::write(std::FILE* file) {
  std::lock_guard lock(mutex_);
  std::fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", file);
  Events events(file, start_);
  events.process(0, "host");
  for (const auto& [thread, name] : threads_) events.thread(0, thread, name.c_str());
  std::set<int> devices;
  for (const Anchor& each : anchors_) {
    if (devices.insert(process_of(*each.stream)).second)
      events.process(process_of(*each.stream), device_name(each.stream->device.id()).c_str());
    events.thread(process_of(*each.stream), static_cast<int>(each.stream->id), each.stream->name.c_str());
  }
  auto host_span = [&](const HostSpan& each, const char* category) {
    events.span(each.name, category, 0, each.thread, each.begin, each.end, each.submitted, each.operands);
  };
  for (const HostSpan& each : host_) host_span(each, "host");
  for (const DeviceSpan& each : device_) {
    host_span(each.issue, "issue");
    const Anchor* anchor = nullptr;
    for (const Anchor& known : anchors_)
      if (known.stream == each.stream) anchor = &known;
    if (!anchor || !each.begin) continue;
    StreamDevice& device = each.stream->device;
    float begin_ms = 0;
    float length_ms = 0;
    Status timed = device.event_elapsed(anchor->event, each.begin, &begin_ms);
    if (timed.ok()) timed = device.event_elapsed(each.begin, each.end, &length_ms);
    if (!timed.ok()) {
      tell_missing(each.issue.name, timed);
      continue;
    }
    const double begin = anchor->at + begin_ms * 1000.0;
    events.span(each.issue.name, "device", process_of(*each.stream), static_cast<int>(each.stream->id), begin,
                begin + length_ms * 1000.0, each.issue.submitted, each.issue.operands);
  }
  std::fputs("\n]}\n", file);
}

}  // namespace rondo
