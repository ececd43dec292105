// Turns exceptions into Status where only a Status may leave: at the C interface, and in threads, whose process an
// exception would end.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <new>
#include <system_error>

#include "base/status.h"

namespace rondo {

// Runs a body that returns a Status. `where` becomes the beginning of the text of an exception; null: nothing does.
// Takes no memory of its own: the exception may mean that there is none.
template <class Body>
Status caught(Body&& body, const char* where = nullptr) noexcept {
  Status status;
  try {
    return body();
  } catch (const std::bad_alloc&) {
    status = Status::no_memory();
  } catch (const std::system_error& problem) {
    status = problem.code() == std::errc::resource_unavailable_try_again
                 ? error(RONDO_OUT_OF_MEMORY, "the system starts no thread: %s", problem.what())
                 : error(RONDO_INTERNAL, "%s", problem.what());
  } catch (const std::exception& exception) {
    status = error(RONDO_INTERNAL, "%s", exception.what());
  }
  return where ? status.with_context(where) : status;
}

}  // namespace rondo
