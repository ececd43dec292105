// Variables: what tasks read and write. A variable carries order, version and error, no data (Storage adds memory).
//
// Owned by reference count: user handles, tasks and graphs hold references. Every field below the line is guarded by
// the engine's order lock, except as said.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory/fence.h"

namespace rondo {

class Engine;
class Sink;
class Task;
struct Access;
class Storage;

class Variable : public RefCounted {
 public:
  explicit Variable(Engine& engine) : Variable(engine, false) {}
  ~Variable() override;

  Engine& engine() const { return *engine_; }
  // This variable as a storage, or null.
  Storage* storage();

 private:
  friend class Engine;
  friend class Storage;
  Variable(Engine& engine, bool is_storage);

  const bool is_storage_;
  Ref<Engine> engine_;
  // ------------------------------------------------------------------------------------------------
  Task* writer_ = nullptr;     // last pending task that writes
  Access* readers_ = nullptr;  // pending tasks that read and come after it
  Fence write_fence_;          // device work of the last write that was issued
  FenceSet read_fences_;       // device work of reads since
  Status error_;               // poison
  std::atomic<uint64_t> version_{0};
  // The open recording that owns the variable; such a variable may be used in that recording only.
  std::atomic<Sink*> owner_{nullptr};
};

}  // namespace rondo
