// Declares variables, which tasks read and write. A variable carries order, version and error, no data (Storage adds
// memory).
//
// Owned by reference count: user handles, tasks and graphs hold references. Every field below the line is guarded by
// the engine's order lock, except as said.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory/fence.h"

namespace rondo {

class Engine;
class Task;
struct Access;
class Storage;

// Who keeps a variable to itself; everybody else who uses it is refused.
struct Owner {
  const char* refusal;  // "the tensor is ..."
};

class Variable : public RefCounted {
 public:
  explicit Variable(Engine& engine) : Variable(engine, false) {}
  ~Variable() override;

  Engine& engine() const { return *engine_; }
  // This variable as a storage, or null.
  Storage* storage();
  // The name of the first task that was submitted to write it, which lives as long as the process; null: none was.
  const char* written_by() const { return written_by_.load(std::memory_order_relaxed); }
  void mark_written(const char* by) {
    if (!written_by()) [[unlikely]]
      written_by_.store(by, std::memory_order_relaxed);
  }

 private:
  friend class Engine;
  friend class Storage;
  Variable(Engine& engine, bool is_storage);

  const bool is_storage_;
  Ref<Engine> engine_;
  // ------------------------------------------------------------------------------------------------
  Task* writer_ = nullptr;  // last pending task that writes
  uint64_t retired_ = 0;    // order number of the last task that has written: not pending any more
  std::atomic<const char*> written_by_{nullptr};
  Access* readers_ = nullptr;  // pending tasks that read and come after it
  Fence write_fence_;          // device work of the last write that was issued
  FenceSet read_fences_;       // device work of reads since
  Status error_;               // poison
  // To a task that was cancelled: every task that comes after that one is skipped as a whole.
  bool given_away_ = false;
  std::atomic<uint64_t> version_{0};
  // The open recording that the variable was made in, which alone may use it, or kTemporary.
  std::atomic<const Owner*> owner_{nullptr};
};

}  // namespace rondo
