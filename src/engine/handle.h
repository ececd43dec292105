// Memory for public handles: one slab per type, never given back, so that reading a destroyed handle's magic is always
// safe. A handle is alive exactly while its magic is the type's.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <new>
#include <vector>

namespace rondo {

template <class T, uint32_t Magic>
class HandleSlab {
 public:
  static constexpr uint32_t kMagic = Magic;

  static T* create() {
    State& state = instance();
    std::lock_guard lock(state.mutex);
    if (state.free.empty()) {
      T* chunk = static_cast<T*>(::operator new(sizeof(T) * kChunk, std::align_val_t(alignof(T))));
      for (int i = kChunk - 1; i >= 0; --i) state.free.push_back(new (chunk + i) T());
    }
    T* handle = state.free.back();
    state.free.pop_back();
    handle->magic = kMagic;
    return handle;
  }
  // The handle's fields must have been reset to what they are after construction.
  static void destroy(T* handle) {
    State& state = instance();
    std::lock_guard lock(state.mutex);
    handle->magic = 0;
    state.free.push_back(handle);
  }
  static bool alive(const T* handle) { return handle && handle->magic == kMagic; }

 private:
  static constexpr int kChunk = 64;
  struct State {
    std::mutex mutex;
    std::vector<T*> free;
  };
  static State& instance() {
    static auto* state = new State;
    return *state;
  }
};

}  // namespace rondo
