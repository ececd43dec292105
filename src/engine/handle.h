// Gives memory to public handles: one slab per kind, never given back, so that reading a destroyed handle's magic is
// always safe. A handle is alive exactly while its magic is the kind's. The magic is the first field of each handle.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/base.h>

#include <cstdint>
#include <mutex>
#include <new>
#include <vector>

namespace rondo {

// All kinds there are, so that no two have the same magic: a handle of another kind is refused by it. A task's context
// is no slab's, but tells itself apart in the same way.
enum class HandleKind : uint32_t {
  engine,
  tensor,
  variable,
  graph,
  tape,
  expression,
  module,
  model_file,
  communicator,
  buckets,
  optimizer,
  completion,
  callable,
  loss_scaler,
  program,
  program_instance,
  task_context
};

// It differs between libraries of different sonames as well, so that one refuses the handles of another in the process.
constexpr uint32_t handle_magic(HandleKind kind, uint32_t soname = RONDO_VERSION_MAJOR) {
  return (0x524e4400 + static_cast<uint32_t>(kind)) ^ (soname * 0x9e3779b1u);
}

template <class T, HandleKind kind>
class HandleSlab {
 public:
  // `fill` sets the fields of the new handle. It and its like below run under the table's lock and call nothing that
  // makes, destroys or looks at handles of this kind.
  template <class Fill>
  static T* create(Fill&& fill) {
    State& state = instance();
    std::lock_guard lock(state.mutex);
    if (state.free.empty()) add_chunk(state);
    T* handle = state.free.back();
    state.free.pop_back();
    fill(*handle);
    mark(handle, handle_magic(kind));
    return handle;
  }
  // `empty` moves out what the handle holds, so that its fields are what they are after construction. False, and
  // nothing is done, if the handle is not alive: another thread may have destroyed it since it was checked.
  template <class Empty>
  [[nodiscard]] static bool destroy(T* handle, Empty&& empty) {
    State& state = instance();
    std::lock_guard lock(state.mutex);
    if (!alive(handle)) return false;
    mark(handle, 0);
    empty(*handle);
    state.free.push_back(handle);
    return true;
  }
  static bool alive(const T* handle) {
    return handle && __atomic_load_n(&handle->magic, __ATOMIC_RELAXED) == handle_magic(kind);
  }
  // Shows a handle that stays alive meanwhile; false if it is not alive.
  template <class Visit>
  static bool look(T* handle, Visit&& visit) {
    std::lock_guard lock(instance().mutex);
    if (!alive(handle)) return false;
    visit(*handle);
    return true;
  }
  // Shows all that are alive.
  template <class Visit>
  static void for_each(Visit&& visit) {
    State& state = instance();
    std::lock_guard lock(state.mutex);
    for (const T* chunk : state.chunks)
      for (int i = 0; i < kChunk; ++i)
        if (alive(chunk + i)) visit(chunk[i]);
  }

 private:
  static constexpr int kChunk = 64;
  static void mark(T* handle, uint32_t magic) { __atomic_store_n(&handle->magic, magic, __ATOMIC_RELAXED); }
  struct State {
    std::mutex mutex;
    std::vector<T*> chunks;
    std::vector<T*> free;
  };
  static void add_chunk(State& state) {
    // Room for every handle there is, so that destroying one cannot fail.
    const size_t all = (state.chunks.size() + 1) * kChunk;
    if (state.free.capacity() < all) state.free.reserve(2 * all);
    if (state.chunks.size() == state.chunks.capacity()) state.chunks.reserve(2 * state.chunks.size() + 1);
    T* chunk = static_cast<T*>(::operator new(sizeof(T) * kChunk, std::align_val_t(alignof(T))));
    state.chunks.push_back(chunk);
    for (int i = kChunk - 1; i >= 0; --i) state.free.push_back(new (chunk + i) T());
  }
  static State& instance() {
    static auto* state = new State;
    return *state;
  }
};

}  // namespace rondo
