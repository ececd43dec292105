// Does what every function of the C API does first and last: it checks handles, keeps exceptions inside, and keeps the
// thread's last error and its arithmetic mode.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/rondo.h>

#include <string>
#include <utility>

#include "base/caught.h"
#include "base/machine/arithmetic.h"
#include "base/threads/uncancelled.h"
#include "engine/tensor.h"

struct rondo_engine {
  uint32_t magic = 0;
  bool ends = false;  // a thread is destroying it
  rondo::Ref<rondo::Engine> engine;
};

namespace rondo {
bool alive(const rondo_engine* engine);
bool alive(const rondo_completion* completion);
bool alive(const rondo_task_context* context);
}  // namespace rondo

namespace rondo::capi {

// Who is called: the function, and of a function for several operations the one that was asked for.
// Passed by value: so nothing of it is in memory before there is a failure.
struct Call {
  Call(const char* function) : function(function) {}
  template <class Operation>
  Call(const char* function, const char* (*name)(int), Operation operation)
      : function(function), name(name), operation(static_cast<int>(operation)) {}
  const char* function;
  const char* (*name)(int) = nullptr;  // of an operation, null for a number that is none; asked on failure only
  int operation = 0;
};

// Stores the message, with the call in front ("rondo_binary(add): ..."), and returns the code.
RONDO_COLD rondo_status fail(Call call, const Status& status);

// Before a function of the user's is called that makes calls of its own.
void forget_last_error();
// That function, `which`, has returned a status: the call that failed last in it goes with that.
Status failure_of_callback(const char* which, rondo_status status);

rondo_engine* make_engine(Ref<Engine> engine);
// Destroys an engine, which one thread at a time may do. It keeps the engine while it lives.
class EngineEnd {
 public:
  explicit EngineEnd(rondo_engine* handle);
  ~EngineEnd();
  EngineEnd(const EngineEnd&) = delete;
  EngineEnd& operator=(const EngineEnd&) = delete;
  // Why there is no engine to destroy.
  const Status& status() const { return status_; }
  Engine& engine() const { return *engine_; }
  // The handle is gone.
  void destroy();

 private:
  rondo_engine* handle_;  // null: destroyed
  Ref<Engine> engine_;
  Status status_;
};

// The graphs of an engine that users hold, a line on each (engine/tensor.h has the other kinds).
void list_live_graphs(const Engine& engine, std::vector<std::string>* objects);
// Likewise its modules.
void list_live_modules(const Engine& engine, std::vector<std::string>* objects);
void list_live_callables(const Engine& engine, std::vector<std::string>* objects);
void list_live_tapes(const Engine& engine, std::vector<std::string>* objects);
// True if a live expression has the name.
bool is_expression_name(const char* name);
void list_live_communicators(const Engine& engine, std::vector<std::string>* objects);
void list_live_buckets(const Engine& engine, std::vector<std::string>* objects);
void list_live_optimizers(const Engine& engine, std::vector<std::string>* objects);

Status dead_handle(const char* name, const char* kind, const void* handle);

template <class T>
Status check(const T* handle, const char* name, const char* kind) {
  if (handle && alive(handle)) [[likely]]
    return {};
  return dead_handle(name, kind, handle);
}
// Destroys a handle by its slab; an error, and nothing is done, if it is not alive.
template <class Slab, class Handle, class Empty>
Status destroy(Handle* handle, const char* name, const char* kind, Empty&& empty) {
  if (Slab::destroy(handle, empty)) [[likely]]
    return {};
  return dead_handle(name, kind, handle);
}
inline Status check_tensor(const rondo_tensor* tensor, const char* name) {
  return check(tensor, name, "tensor");
}
inline Status check_engine(const rondo_engine* engine, const char* name) {
  return check(engine, name, "engine");
}
inline Status check_variable(const rondo_variable* variable, const char* name) {
  return check(variable, name, "variable");
}
Status null_argument(const char* name);
// An object of the user's to go with an error; destroyed where there is no memory for that.
Status take_cause(void* object, Cause::Destroy destroy, Ref<const Cause>* cause);
// Checks the time limit of a wait: milliseconds, or -1 for none.
Status check_limit(int64_t milliseconds);
#define RONDO_NOT_NULL(pointer) \
  if (!(pointer)) return ::rondo::capi::null_argument(#pointer)

// A text into a buffer of the caller's, as far as there is room.
Status hand_out(const std::string& text, char* buffer, size_t capacity, size_t* length);

// The facts that rondo_tensor_query tells about a view.
rondo_tensor_info describe(const View& view);

template <class Body>
rondo_status guard(Call call, Body&& body) noexcept {
  const DefaultArithmetic arithmetic;
  const Status status = caught(std::forward<Body>(body));
  if (status.ok()) [[likely]]
    return RONDO_OK;
  return fail(call, status);
}

// The same for what opens files, waits for threads or other processes: the calling thread is not cancelled meanwhile.
template <class Body>
rondo_status guard_whole(Call call, Body&& body) noexcept {
  const Uncancelled uncancelled;
  return guard(call, std::forward<Body>(body));
}

}  // namespace rondo::capi
