// Turns exceptions into Status where only a Status may leave: at the C interface, and in threads, whose process an
// exception would end.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/status.h"

namespace rondo {

// Says which status the exception is that is being handled. `where` becomes the beginning of its text; null: nothing
// does. Ends the process for one that is not of the standard library's.
RONDO_COLD Status status_of_exception(const char* where) noexcept;

// Runs a body that returns a Status. Takes no memory of its own: the exception may mean that there is none. All
// handlers are in one place, as there are many callers.
template <class Body>
Status caught(Body&& body, const char* where = nullptr) noexcept {
  try {
    return body();
  } catch (...) {
    return status_of_exception(where);
  }
}

}  // namespace rondo
