// Lets host tasks end later than their function: the function takes a completion from its run and hands it to threads
// of its own. The task ends when the function has returned and the completion is completed; it holds no worker
// meanwhile.
//
// Owned by reference count: the user's handle and the task hold references. All fields are guarded by the engine's
// order lock.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/engine.h"

namespace rondo {

class Completion final : public RefCounted {
 public:
  // `name`: the task's, which lives as long as the process.
  Completion(Engine& engine, const char* name) : engine_(Ref<Engine>::share(&engine)), name_(name) {}

  Engine& engine() const { return *engine_; }
  const char* name() const { return name_; }

 private:
  friend class Engine;
  enum class State {
    running,    // the function has not returned
    awaited,    // it has, so the completion is all that is missing
    completed,  // by the code that took it
    cancelled   // by the end of the engine
  };

  const Ref<Engine> engine_;
  const char* const name_;
  State state_ = State::running;
  Task* task_ = nullptr;  // while it is awaited
  Completion *previous_ = nullptr, *next_ = nullptr;
  Status returned_;  // what the function said
  Status outcome_;   // what was said in the end
  // The operands of a cancelled task: the code that should have completed it may still be using them.
  Ref<const RefCounted> kept_;
};

}  // namespace rondo
