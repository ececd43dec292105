// Copies structs whose size differs from this library's, after checking that their callers mean it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "capi/structs.h"

#include <algorithm>
#include <cinttypes>

namespace rondo::capi {

namespace {

// No struct comes near it: a larger size is memory that was never initialised, and the bytes after the struct must not
// be read.
constexpr size_t kLargest = 4096;

}  // namespace

Status check_size(const char* argument, const StructFacts& facts, size_t size) {
  if (size >= facts.first && size <= kLargest) return {};
  return error(RONDO_INVALID_ARGUMENT,
               "%s->size is %zu; a %s has %zu bytes, at least %zu are needed and at most %zu possible: initialise the "
               "struct with its _INIT macro",
               argument, size, facts.type, facts.now, facts.first, kLargest);
}

Status refuse_reserved(const char* argument, const StructFacts& facts, int64_t value) {
  return error(RONDO_INVALID_ARGUMENT,
               "%s->reserved is %" PRId64 "; 0 is needed: initialise the %s with its _INIT macro", argument, value,
               facts.type);
}

Status read_other(const char* argument, const StructFacts& facts, const void* given, size_t size, void* known) {
  RONDO_TRY(check_size(argument, facts, size));
  const char* bytes = static_cast<const char*>(given);
  for (size_t i = facts.now; i < size; ++i)
    if (bytes[i])
      return error(RONDO_INVALID_ARGUMENT,
                   "%s is a %s of %zu bytes, of which rondo %d.%d.%d knows %zu, and its byte at offset %zu is not 0: "
                   "leave the newer field at its default, or load the newer library",
                   argument, facts.type, size, RONDO_VERSION_MAJOR, RONDO_VERSION_MINOR, RONDO_VERSION_PATCH, facts.now,
                   i);
  std::memcpy(known, given, std::min(size, facts.now));
  std::memcpy(known, &facts.now, sizeof facts.now);  // every struct begins with its size
  return {};
}

}  // namespace rondo::capi
