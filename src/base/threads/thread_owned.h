// Makes an object for each thread, which is destroyed with the thread. `thread_local` of the compiler ends the process
// where there is no memory to note down the destructor; this throws std::bad_alloc instead.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <memory>
#include <new>
#include <stdexcept>

namespace rondo {

// As a static object, never destroyed. The main thread's object stays when the process ends.
template <class T>
class ThreadOwned {
 public:
  // The calling thread's; null: it has none yet, or no thread can have one.
  T* find() const noexcept {
    try {
      return static_cast<T*>(pthread_getspecific(key()));
    } catch (const std::exception&) {
      return nullptr;
    }
  }
  // Made when the thread first asks.
  T& get() const {
    if (T* known = static_cast<T*>(pthread_getspecific(key()))) return *known;
    auto made = std::make_unique<T>();
    if (pthread_setspecific(key(), made.get()) != 0) throw std::bad_alloc();
    return *made.release();
  }

 private:
  static pthread_key_t key() {
    static const pthread_key_t made = [] {
      pthread_key_t fresh;
      if (pthread_key_create(&fresh, [](void* object) { delete static_cast<T*>(object); }) != 0)
        throw std::runtime_error("the process has no key left for what belongs to a thread");
      return fresh;
    }();
    return made;
  }
};

}  // namespace rondo
