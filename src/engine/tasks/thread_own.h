// Something that a thread has for as long as a scope lives: a limit of what it makes or runs, a mark. Around it the
// thread may have another one, which it gets back at the end. The stricter of two holds.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace rondo {

// T::stricter(outer, inner) says which of two holds; neither is null.
template <class T>
class ThreadOwn {
 public:
  // The calling thread's; null: it has none.
  static T* now() { return now_; }
  class Scope {
   public:
    // given: null leaves the thread what it has.
    explicit Scope(T* given) : before_(std::exchange(now_, !given ? now_ : now_ ? T::stricter(now_, given) : given)) {}
    ~Scope() { now_ = before_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    T* const before_;
  };

 private:
  static inline constinit thread_local T* now_ = nullptr;
};

}  // namespace rondo
