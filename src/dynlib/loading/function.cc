// Makes the error of a call through an entry that the library does not have.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "dynlib/loading/function.h"

#include <mutex>
#include <vector>

#include "base/text.h"

namespace rondo {

namespace {

constexpr int kFirst = -77001;  // and downwards

struct NamedFunction {
  Library& from;
  const char* name;
  int since;
};

// Tables are made at any time, by any thread.
struct Entries {
  std::mutex mutex;
  std::vector<NamedFunction> list;
};

Entries& entries() {
  static auto* instance = new Entries;
  return *instance;
}

}  // namespace

int function_detail::number_of(Library& library, const char* name, int since) {
  Entries& all = entries();
  std::lock_guard lock(all.mutex);
  all.list.push_back({library, name, since});
  return kFirst - static_cast<int>(all.list.size() - 1);
}

bool is_missing_function(int result) {
  if (result > kFirst) [[likely]]
    return false;
  Entries& all = entries();
  std::lock_guard lock(all.mutex);
  return kFirst - result < static_cast<int>(all.list.size());
}

Status missing_function_error(int result) {
  if (!is_missing_function(result)) return error(RONDO_INTERNAL, "%d is not the result of an absent function", result);
  Entries& all = entries();
  std::unique_lock lock(all.mutex);
  const NamedFunction entry = all.list[static_cast<size_t>(kFirst - result)];
  lock.unlock();
  RONDO_TRY(entry.from.open());
  const std::string needed = entry.since ? entry.from.name_of(entry.since) + " or newer" : "another build of it";
  return error(RONDO_LIBRARY_MISSING, "%s has no function %s: found version %s at %s, %s is needed",
               entry.from.spec().title, entry.name, entry.from.version().c_str(), entry.from.path().c_str(),
               needed.c_str());
}

}  // namespace rondo
