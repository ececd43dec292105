// Tells names of status codes, the last error, the version and the features, sets the log, and ends engines.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <new>
#include <string_view>

#include "base/log.h"
#include "base/text.h"
#include "base/threads/thread_owned.h"
#include "capi/capi.h"
#include "device/features.h"
#include "engine/handle.h"

using Engines = rondo::HandleSlab<rondo_engine, rondo::HandleKind::engine>;

bool rondo::alive(const rondo_engine* engine) {
  return Engines::alive(engine);
}

namespace rondo::capi {

namespace {

// One buffer per thread, made at its first failure: the pointer handed out stays valid while the thread lives, only the
// text changes.
struct LastError {
  char text[size_t{16} << 10] = "";
  Origin origin;
};
constinit const ThreadOwned<LastError> last_error;
// True if the thread's last failure has no text because there was no memory, until it fails again.
thread_local bool without_memory = false;

LastError* buffer() noexcept {
  try {
    return &last_error.get();
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace

rondo_status fail(Call call, const Status& status) {
  LastError* const last = buffer();
  without_memory = !last;
  if (!last) return status.code();
  last->origin = status.origin();
  const char* operation = call.name ? call.name(call.operation) : nullptr;
  std::snprintf(last->text, sizeof last->text, operation ? "%s(%s): %s" : "%s%s: %s", call.function,
                operation ? operation : "", status.message());
  Cause::sweep();
  return status.code();
}

void forget_last_error() {
  without_memory = false;
  if (LastError* last = last_error.find()) {
    last->text[0] = '\0';
    last->origin = {};
  }
}

Status failure_of_callback(const char* which, rondo_status status) {
  const LastError* const last = last_error.find();
  const bool said = last && last->text[0];
  if (status < RONDO_OK || status > RONDO_TIMED_OUT)
    return error(RONDO_USER_ERROR, "%s returned %d, which is no status", which, static_cast<int>(status));
  if (!said) return error(status, "%s returned %s", which, rondo_status_name(status));
  // The prefix of functions that call each other is written once, or the reason would not fit after it.
  const std::string here = format("%s returned %s: ", which, rondo_status_name(status));
  const std::string_view text = last->text;
  const size_t same = text.rfind(here);
  const Status failure =
      same == text.npos ? error(status, "%s%s", here.c_str(), last->text) : error(status, "%s", last->text + same);
  return failure.with_origin(last->origin);
}

Status hand_out(const std::string& text, char* buffer, size_t capacity, size_t* length) {
  if (capacity) {
    const size_t copied = std::min(capacity - 1, text.size());
    std::memcpy(buffer, text.data(), copied);
    buffer[copied] = '\0';
  }
  *length = text.size();
  return {};
}

rondo_engine* make_engine(Ref<Engine> engine) {
  return Engines::create([&engine](rondo_engine& handle) { handle.engine = std::move(engine); });
}
EngineEnd::EngineEnd(rondo_engine* handle) : handle_(handle) {
  const bool alive = Engines::look(handle, [this](rondo_engine& each) {
    if (!std::exchange(each.ends, true)) engine_ = each.engine;
  });
  if (!alive)
    status_ = dead_handle("engine", "engine", handle);
  else if (!engine_)
    status_ = error(RONDO_INVALID_STATE, "another thread is destroying the engine; destroy it once");
}
// If it was not destroyed, another call can destroy it.
EngineEnd::~EngineEnd() {
  if (engine_) Engines::look(handle_, [](rondo_engine& each) { each.ends = false; });
}
void EngineEnd::destroy() {
  (void)Engines::destroy(std::exchange(handle_, nullptr), [](rondo_engine& each) {
    each.ends = false;
    each.engine = nullptr;
  });
}

Status dead_handle(const char* name, const char* kind, const void* handle) {
  if (!handle) return error(RONDO_INVALID_ARGUMENT, "%s is NULL; a live %s is needed", name, kind);
  return error(RONDO_INVALID_ARGUMENT,
               "%s is not a live %s: it was destroyed, was never initialised, or is a handle of another kind", name,
               kind);
}

Status take_cause(void* object, Cause::Destroy destroy, Ref<const Cause>* cause) {
  *cause = Ref<const Cause>::adopt(new (std::nothrow) Cause(object, destroy));
  if (*cause) return {};
  if (destroy) destroy(object);
  return error(RONDO_OUT_OF_MEMORY, "the host has no memory left");
}

Status check_limit(int64_t milliseconds) {
  if (milliseconds >= -1) return {};
  return error(RONDO_INVALID_ARGUMENT, "milliseconds is %" PRId64 "; 0 (ask only) or more, or -1 (no limit), is needed",
               milliseconds);
}

Status null_argument(const char* name) {
  return error(RONDO_INVALID_ARGUMENT, "%s is NULL; a pointer is needed", name);
}

}  // namespace rondo::capi

using namespace rondo;
using capi::guard;

extern "C" {

const char* rondo_status_name(rondo_status status) {
  static const char* const names[] = {
      "RONDO_OK",           "RONDO_INVALID_ARGUMENT", "RONDO_INVALID_STATE", "RONDO_OUT_OF_MEMORY",
      "RONDO_NOT_FOUND",    "RONDO_LIBRARY_MISSING",  "RONDO_UNSUPPORTED",   "RONDO_COMPILE_FAILED",
      "RONDO_DEVICE_ERROR", "RONDO_DEVICE_LOST",      "RONDO_FORKED",        "RONDO_USER_ERROR",
      "RONDO_IO_ERROR",     "RONDO_INTERNAL",         "RONDO_RANK_LOST",     "RONDO_TIMED_OUT"};
  const auto index = static_cast<unsigned>(status);
  return index < sizeof names / sizeof names[0] ? names[index] : "RONDO_UNKNOWN";
}

const char* rondo_last_error(void) {
  if (capi::without_memory)
    return "the host has no memory or no thread key left, not even for the text that says what failed";
  const capi::LastError* last = capi::last_error.find();
  return last ? last->text : "";
}

const char* rondo_last_error_operator(rondo_device* device) {
  const capi::LastError* last = capi::without_memory ? nullptr : capi::last_error.find();
  if (!last || !last->origin.task) return nullptr;
  if (device) *device = last->origin.device;
  return last->origin.task;
}

void* rondo_last_error_cause(void (*destroy)(void* cause)) {
  const capi::LastError* last = capi::without_memory ? nullptr : capi::last_error.find();
  const Cause* cause = last ? last->origin.cause.get() : nullptr;
  return cause && cause->destroy == destroy ? cause->object : nullptr;
}

int32_t rondo_version(void) {
  return RONDO_VERSION_MAJOR * 10000 + RONDO_VERSION_MINOR * 100 + RONDO_VERSION_PATCH;
}

const char* rondo_version_string(void) {
#define RONDO_TEXT2(x) #x
#define RONDO_TEXT(x) RONDO_TEXT2(x)
  return RONDO_TEXT(RONDO_VERSION_MAJOR) "." RONDO_TEXT(RONDO_VERSION_MINOR) "." RONDO_TEXT(RONDO_VERSION_PATCH);
}

rondo_status rondo_feature(const char* name, int32_t* available, const char** reason) {
  return guard("rondo_feature", [&]() -> Status {
    RONDO_NOT_NULL(name);
    RONDO_NOT_NULL(available);
    Feature feature;
    RONDO_TRY(find_feature(name, &feature));
    *available = feature.available;
    if (reason) *reason = feature.reason;
    return {};
  });
}

rondo_status rondo_set_log(rondo_log_fn fn, void* arg, void (*destroy)(void* arg), rondo_log_level level) {
  bool owned = false;  // whether the log calls destroy
  const rondo_status result = guard("rondo_set_log", [&]() -> Status {
    if (level < RONDO_LOG_OFF || level > RONDO_LOG_DEBUG)
      return error(RONDO_INVALID_ARGUMENT, "level is %d; RONDO_LOG_OFF (0) to RONDO_LOG_DEBUG (4) are possible", level);
    owned = true;
    set_log(fn, arg, destroy, level);
    return {};
  });
  if (!owned && destroy) destroy(arg);
  return result;
}

}  // extern "C"
