// The error of a call through an absent entry. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "dynlib/function.h"

#include "base/text.h"

namespace rondo {

namespace {
thread_local const Library* missing_library = nullptr;
thread_local const char* missing_name = nullptr;
thread_local int missing_since = 0;
}  // namespace

void function_detail::note_missing(const Library& library, const char* name, int since) {
  missing_library = &library;
  missing_name = name;
  missing_since = since;
}

Status missing_function_error() {
  if (!missing_library) return error(RONDO_INTERNAL, "no call went through an absent function");
  if (!missing_library->is_open()) return const_cast<Library*>(missing_library)->open();
  const std::string needed = missing_since
                                 ? format("CUDA %d.%d or newer", missing_since / 1000, missing_since % 1000 / 10)
                                 : "another build of it";
  return error(RONDO_LIBRARY_MISSING, "%s has no function %s: found version %s at %s, %s is needed",
               missing_library->spec().title, missing_name, missing_library->version().c_str(),
               missing_library->path().c_str(), needed.c_str());
}

}  // namespace rondo
