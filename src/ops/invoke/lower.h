// Makes the tasks of a program's nodes anew, from what the nodes are as data.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "ops/program/program.h"

namespace rondo::ops {

// Gives each operator of a program the task that its kind, its attributes and its operands say. An error if that is
// another operator than the node, or works on something else: then something that decides a result is no attribute.
Status lower_again(Program* program);

// A task that a call has submitted, and what it is.
struct SubmittedTask {
  Ref<Task> task;
  Ref<const Call> call;
};
// Takes the tasks that a function submits on this thread, which records none of them, and the storages that it makes.
Status collect(Engine& engine, const std::function<Status()>& function, std::vector<SubmittedTask>* tasks,
               std::vector<Ref<Storage>>* made);

}  // namespace rondo::ops
