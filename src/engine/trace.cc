// Collecting spans and writing them as Chrome trace JSON.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/trace.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "engine/stream.h"

namespace rondo {

namespace {

int thread_id() {
  return static_cast<int>(syscall(SYS_gettid));
}

void tell_missing(const char* name, const Status& why) {
  log(RONDO_LOG_WARNING, "the trace lacks the times of '%s' on its device: %s", name, why.message());
}

std::string escaped(const char* text) {
  std::string out;
  for (const char* c = text; *c; ++c) {
    if (*c == '"' || *c == '\\') out += '\\';
    if (static_cast<unsigned char>(*c) < 0x20)
      out += format("\\u%04x", *c);
    else
      out += *c;
  }
  return out;
}

}  // namespace

Trace::Trace() : start_(now_us()) {}

Trace::~Trace() {
  for (DeviceSpan& span : device_) {
    if (!span.begin) continue;
    span.device->event_destroy(span.begin);
    span.device->event_destroy(span.end);
  }
  for (Anchor& anchor : anchors_) anchor.device->event_destroy(anchor.event);
}

double Trace::now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Trace::host(const char* name, double submitted, double begin, double end) {
  std::lock_guard lock(mutex_);
  host_.push_back({name, thread_id(), submitted, begin, end});
}

// The first span of a stream waits once for an event, so that event times can be laid on the host's clock.
Status Trace::anchor(Stream& stream) {
  {
    std::lock_guard lock(mutex_);
    for (const Anchor& known : anchors_)
      if (known.stream == stream.id) return {};
  }
  Anchor made{stream.id, &stream.device, nullptr, 0};
  RONDO_TRY(timed_event(stream, &made.event));
  if (Status status = stream.device.event_synchronize(made.event); !status.ok()) {
    stream.device.event_destroy(made.event);
    return status;
  }
  made.at = now_us();
  std::lock_guard lock(mutex_);
  anchors_.push_back(made);
  return {};
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

void Trace::device_begin(Stream& stream, void** event) {
  Status status = anchor(stream);
  if (status.ok()) status = timed_event(stream, event);
  if (!status.ok()) tell_missing("a task", status);
}

void Trace::device_end(const char* name, Stream& stream, double submitted, double issue_begin, void* begin_event) {
  void* end_event = nullptr;
  if (begin_event) {
    if (Status status = timed_event(stream, &end_event); !status.ok()) {
      tell_missing(name, status);
      stream.device.event_destroy(std::exchange(begin_event, nullptr));
    }
  }
  std::lock_guard lock(mutex_);
  device_.push_back({name, &stream.device, stream.id, submitted, issue_begin, now_us(), begin_event, end_event});
}

Status Trace::write(const char* path) {
  std::FILE* file = std::fopen(path, "w");
  if (!file) return error(RONDO_IO_ERROR, "the trace file '%s' cannot be opened for writing: %m", path);
  std::lock_guard lock(mutex_);
  const char* separator = "";
  std::fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", file);
  auto span = [&](const char* name, const char* category, int process, uint32_t thread, double begin, double end,
                  double submitted) {
    std::fprintf(file,
                 "%s\n{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":%d,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f,"
                 "\"args\":{\"submitted_us\":%.3f}}",
                 separator, escaped(name).c_str(), category, process, thread, begin - start_, end - begin,
                 submitted - start_);
    separator = ",";
  };
  auto process_name = [&](int process, const char* name) {
    std::fprintf(file, "%s\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"args\":{\"name\":\"%s\"}}", separator,
                 process, name);
    separator = ",";
  };
  process_name(0, "host");
  for (const HostSpan& each : host_)
    span(each.name, "host", 0, static_cast<uint32_t>(each.thread), each.begin, each.end, each.submitted);
  std::vector<int> named;
  for (const DeviceSpan& each : device_) {
    span(each.name, "issue", 0, 0, each.issue_begin, each.issue_end, each.submitted);
    const Anchor* anchor = nullptr;
    for (const Anchor& known : anchors_)
      if (known.stream == each.stream) anchor = &known;
    if (!anchor || !each.begin) continue;
    float begin_ms = 0;
    float length_ms = 0;
    Status timed = each.device->event_elapsed(anchor->event, each.begin, &begin_ms);
    if (timed.ok()) timed = each.device->event_elapsed(each.begin, each.end, &length_ms);
    if (!timed.ok()) {
      tell_missing(each.name, timed);
      continue;
    }
    const int process = 1 + each.device->id().index;
    bool known = false;
    for (const int id : named) known |= id == process;
    if (!known) {
      named.push_back(process);
      process_name(process, device_name(each.device->id()).c_str());
    }
    const double begin = anchor->at + begin_ms * 1000.0;
    span(each.name, "device", process, each.stream, begin, begin + length_ms * 1000.0, each.submitted);
  }
  std::fputs("\n]}\n", file);
  const bool failed = std::ferror(file) != 0;
  if (std::fclose(file) != 0 || failed) return error(RONDO_IO_ERROR, "writing the trace file '%s' failed: %m", path);
  return {};
}

}  // namespace rondo
