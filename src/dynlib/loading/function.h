// Defines Function<R(A...)>, one entry of a library's table. It is looked up by its exact exported name on first call;
// a name that the library does not have is an error only when called, and the error names the function, the version
// found and the version needed.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "dynlib/loading/library.h"

namespace rondo {

// True if a result is that of a call through an absent entry: each entry has a number of its own, which no library
// uses.
bool is_missing_function(int result);
// That result as an error.
Status missing_function_error(int result);

namespace function_detail {
int number_of(Library& library, const char* name, int since);
}

template <class Signature>
class Function;

template <class R, class... A>
class Function<R(A...)> {
 public:
  Function(Library& library, const char* name, int since)
      : library_(library), name_(name), missing_(function_detail::number_of(library, name, since)) {}

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
          return static_cast<R>(missing_);
      }
    }
    return function(arguments...);
  }
  // True if the library is open and has the function.
  explicit operator bool() const {
    return function_.load(std::memory_order_acquire) || (library_.is_open() && library_.symbol(name_));
  }
  // The result of a call when the library lacks the function, as far as its type can tell.
  int missing() const { return missing_; }

 private:
  using Pointer = R (*)(A...);
  Pointer resolve() const {
    void* address = library_.open().ok() ? library_.symbol(name_) : nullptr;
    if (!address) return nullptr;
    Pointer function = reinterpret_cast<Pointer>(address);
    function_.store(function, std::memory_order_release);
    return function;
  }

  Library& library_;
  const char* name_;
  int missing_;
  mutable std::atomic<Pointer> function_{nullptr};
};

}  // namespace rondo
