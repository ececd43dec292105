// Declares Storage: memory with one variable. Tensors and views share it. Memory comes from the engine's pool when the
// first task that uses it is issued (or from a graph's arena, or from outside through DLPack), and goes back, with the
// fences of its last uses, when the last reference is gone.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "engine/tasks/variable.h"
#include "memory/pool.h"

namespace rondo {

class Storage final : public Variable {
 public:
  // `pinned`: page-locked host memory for copies from and to `device`, a GPU.
  Storage(Engine& engine, Device& device, size_t bytes, bool pinned = false);
  // Foreign memory; `release` (Engine::make_action) is run when the last reference is gone and the device has finished
  // with it.
  Storage(Engine& engine, Device& device, size_t bytes, void* address, Ref<Task> release);
  ~Storage() override;

  Device& device() const { return device_; }
  size_t bytes() const { return bytes_; }
  bool pinned() const { return pinned_; }
  // Foreign memory that its owner forbids to write.
  bool read_only = false;
  // Indices that an operator has made for another one, which skips those outside on purpose: they are not checked.
  bool skips_outside = false;
  // Others know the address and may write without a task that says so.
  std::atomic<bool> exposed{false};
  bool has_contents() const { return written_by() || exposed.load(std::memory_order_acquire); }

  // Null until memory is there. Stable from then on.
  char* address() const { return address_.load(std::memory_order_acquire); }

  // Takes memory from the pool for use on a stream (kNoStream: the host), after its earlier uses, which are added to
  // `before`. Only the task that is about to use it first calls this, and it writes all of it.
  Status materialise(uint32_t stream, FenceSet* before = nullptr) { return take_block(stream, before, false); }
  // Takes memory for use by anybody; what is taken now is zero.
  Status materialise_zeroed() { return take_block(kNoStream, nullptr, true); }
  // Tells whether the memory may hold bytes that other tensors have left there: it is of the pool, was not zeroed, and
  // no task has written it well.
  bool stale() const {
    return block_ && !clean_.load(std::memory_order_relaxed) && version_.load(std::memory_order_relaxed) == 0;
  }
  // It is zero now; or no user sees it before Rondo has written all of it.
  void mark_clean() { clean_.store(true, std::memory_order_relaxed); }
  // Memory inside a block of another owner (a graph's arena), which must outlive every use.
  void place(char* address) { address_.store(address, std::memory_order_release); }

  // The public handle of the variable, if the user asked for it (tensor.h).
  rondo_variable* handle = nullptr;
  void (*release_handle)(rondo_variable*) = nullptr;

  // The number that tapes give it (tape/tape.h), when one first meets it, and never to another storage; 0: none yet.
  std::atomic<uint64_t> number{0};

  // User handles on it; tells a recording's outputs from its temporaries.
  std::atomic<int32_t> handles{0};

 private:
  friend class Engine;
  Device& device_;
  const size_t bytes_;
  const bool pinned_ = false;
  std::atomic<char*> address_{nullptr};
  Status take_block(uint32_t stream, FenceSet* before, bool zeroed);
  Block* block_ = nullptr;
  std::atomic<bool> clean_{false};
  std::mutex materialise_mutex_;
  Ref<Task> release_;
};

inline Storage* Variable::storage() {
  return is_storage_ ? static_cast<Storage*>(this) : nullptr;
}

}  // namespace rondo
