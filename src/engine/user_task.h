// Tasks whose body is a user's function.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/engine.h>

#include <string>

#include "engine/task.h"

// What a user's function sees of its run.
struct rondo_task_context {
  const rondo::TaskContext* run;
  std::string message;
};

namespace rondo {

class UserTask final : public Task {
 public:
  UserTask(const char* name, Device& device, rondo_task_fn fn, void* arg, void (*destroy)(void*), bool capturable);
  ~UserTask() override;
  Status run(const TaskContext& context) override;
  bool capturable(const char** why) const override;

 private:
  rondo_task_fn fn_;
  void* arg_;
  void (*destroy_)(void*);
  bool capturable_;
};

}  // namespace rondo
