// What every function of the C API does first and last: check handles, keep exceptions inside, keep the thread's last
// error.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/rondo.h>

#include <exception>
#include <new>

#include "engine/tensor.h"

struct rondo_engine {
  uint32_t magic = 0;
  rondo::Ref<rondo::Engine> engine;
};

namespace rondo {
bool alive(const rondo_engine* engine);
}

namespace rondo::capi {

// Stores the message, with the function's name in front unless it is there already, and returns the code.
RONDO_COLD rondo_status fail(const char* function, const Status& status);

rondo_engine* make_engine(Ref<Engine> engine);
void destroy_engine(rondo_engine* engine);

Status dead_handle(const char* name, const char* kind, const void* handle);

template <class T>
Status check(const T* handle, const char* name, const char* kind) {
  if (handle && alive(handle)) [[likely]]
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
#define RONDO_NOT_NULL(pointer) \
  if (!(pointer)) return ::rondo::capi::null_argument(#pointer)

// The `size` of a struct that the caller fills or receives: at least its first release's. Newer callers' extra fields
// are left alone.
Status check_size(const char* name, size_t given, size_t known);

template <class Body>
rondo_status guard(const char* function, Body&& body) noexcept {
  try {
    const Status status = body();
    if (status.ok()) [[likely]]
      return RONDO_OK;
    return fail(function, status);
  } catch (const std::bad_alloc&) {
    return fail(function, Status(RONDO_OUT_OF_MEMORY, "the host has no memory left"));
  } catch (const std::exception& exception) {
    return fail(function, Status(RONDO_INTERNAL, exception.what()));
  }
}

}  // namespace rondo::capi
