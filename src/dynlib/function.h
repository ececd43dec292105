// Function<R(A...)>: one entry of a library's table. Looked up by its exact exported name on first call; a name that
// the library does not have is an error only when called, and the error names the function, the version found and the
// version needed.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "dynlib/library.h"

namespace rondo {

// What a call through an absent entry returns; no library uses this number.
inline constexpr int kMissingFunction = -77001;

// The calling thread's last call through an absent entry, as an error.
Status missing_function_error();

namespace function_detail {
void note_missing(const Library& library, const char* name, int since);
}

template <class Signature>
class Function;

template <class R, class... A>
class Function<R(A...)> {
 public:
  Function(Library& library, const char* name, int since) : library_(library), name_(name), since_(since) {}

  R operator()(A... arguments) const {
    Pointer function = function_.load(std::memory_order_acquire);
    if (!function) [[unlikely]] {
      function = resolve();
      if (!function) {
        if constexpr (std::is_void_v<R>)
          return;
        else if constexpr (std::is_pointer_v<R>)
          return nullptr;
        else
          return static_cast<R>(kMissingFunction);
      }
    }
    return function(arguments...);
  }
  // Whether the library is open and has the function.
  explicit operator bool() const {
    return function_.load(std::memory_order_acquire) || (library_.is_open() && library_.symbol(name_));
  }
  const char* name() const { return name_; }
  int since() const { return since_; }

 private:
  using Pointer = R (*)(A...);
  Pointer resolve() const {
    void* address = library_.open().ok() ? library_.symbol(name_) : nullptr;
    if (!address) {
      function_detail::note_missing(library_, name_, since_);
      return nullptr;
    }
    Pointer function = reinterpret_cast<Pointer>(address);
    function_.store(function, std::memory_order_release);
    return function;
  }

  Library& library_;
  const char* name_;
  int since_;
  mutable std::atomic<Pointer> function_{nullptr};
};

}  // namespace rondo
