// Says of an exception which status it is: no memory, no thread, or a defect.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/caught.h"

#include <exception>
#include <new>
#include <system_error>

namespace rondo {

Status status_of_exception(const char* where) noexcept {
  Status status;
  try {
    throw;
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
