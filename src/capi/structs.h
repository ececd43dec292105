// Structs that can grow: copied in and out by the size that their caller knows.
//
// An older caller's struct is shorter than this library's: the missing members have their defaults, and nothing after
// it is read or written. A newer caller's is longer: members that this library does not know must be zero in options,
// and become zero in an info. Shorter than the first release is a mistake, and so is a size that no struct will ever
// have.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/rondo.h>

#include <cstddef>
#include <cstring>

#include "base/status.h"

namespace rondo::capi {

// The facts about one struct that are known at run time.
struct StructFacts {
  const char* type;
  size_t first;  // bytes of its first release
  size_t now;    // bytes of this one
};

template <class T>
inline constexpr StructFacts kFacts = T::is_missing_in_structs_def;  // a struct needs its row

#define RONDO_INFO(type, last) \
  template <>                  \
  inline constexpr StructFacts kFacts<type>{#type, offsetof(type, last) + sizeof(type::last), sizeof(type)};
// A member added where an older caller's struct is padded would read what happens to be there.
#define RONDO_OPTIONS(type, last)                        \
  RONDO_INFO(type, last)                                 \
  static_assert(kFacts<type>.first % alignof(type) == 0, \
                "the first release of " #type " ends in padding: fill it with a member named reserved");
#include "capi/structs.def"
#undef RONDO_OPTIONS
#undef RONDO_INFO

// Handles a struct of another size than this library's: refuses it, or copies as much as both know.
RONDO_COLD Status read_other(const char* argument, const StructFacts& facts, const void* given, size_t size,
                             void* known);
RONDO_COLD Status refuse_reserved(const char* argument, const StructFacts& facts, int64_t value);
RONDO_COLD Status check_size(const char* argument, const StructFacts& facts, size_t size);

// Options: *known has the defaults and takes over what the caller gives. NULL is allowed. A member named reserved is 0,
// so that a later release can give it a meaning.
template <class T>
Status read_options(const char* argument, const T* given, T* known) {
  if (!given) return {};
  if (given->size != sizeof(T)) [[unlikely]]
    RONDO_TRY(read_other(argument, kFacts<T>, given, given->size, known));
  else
    *known = *given;
  if constexpr (requires { known->reserved; })
    if (known->reserved) [[unlikely]]
      return refuse_reserved(argument, kFacts<T>, known->reserved);
  return {};
}

// Info: hands the facts out, as the last step of a query. On failure the caller's struct is as it was.
template <class T>
Status write_info(const char* argument, T* given, const T& facts) {
  if (!given) return error(RONDO_INVALID_ARGUMENT, "%s is NULL; a %s is needed", argument, kFacts<T>.type);
  const size_t size = given->size;
  if (size != sizeof(T)) RONDO_TRY(check_size(argument, kFacts<T>, size));
  const size_t common = size < sizeof(T) ? size : sizeof(T);
  char* bytes = reinterpret_cast<char*>(given);
  std::memcpy(bytes, &facts, common);
  std::memset(bytes + common, 0, size - common);
  given->size = size;
  return {};
}

}  // namespace rondo::capi
