// Makes the tasks of a program's nodes from what the nodes are as data.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ops/program/program.h"

namespace rondo::ops {

// True for operators that are several tasks: recurrent layers, their gradients, most copies between devices.
bool has_steps(const ProgramNode& node);
// Makes nodes of the steps of such operators, in the place of each, and of the temporaries between them.
Status expand(Engine& engine, Program* program);
// Submits the operator that a node is, on other memory. It need not be one task.
Status submit_node(Engine& engine, const ProgramNode& node, const Rebinding& memory);

// Makes the task of a node, on other memory if it is given: what its kind, its attributes and its operands say, on the
// device and for the sizes that these have. An error if it is no operator, or its operands do not go together.
Status lower(Engine& engine, const ProgramNode& node, Ref<OperatorTask>* task, const Rebinding* memory = nullptr);

// The same for each node of a program, when its passes are done. Both gradients of a convolution, which are one task on
// a GPU, become one node there before. Builds that verify programs look at each task's operands: they are the node's.
Status lower(Engine& engine, Program* program, std::vector<Ref<OperatorTask>>* tasks);

// A node whose task is made without asking an operator: its name and its operands in order.
struct PassNode {
  const char* name;
  std::span<const View> inputs, results;
  bool decided = false;  // it is a node; else a pass asks whether it may be one
};
// The task of such a node, of an expression or of a kind that passes make. Null where a pass asks: it would make other
// bits than the nodes that it is to be made of, or more than one launch. (pass_kinds.cc)
Ref<OperatorTask> make_task(const Fused& form, const PassNode& node);
Ref<OperatorTask> make_task(const FusedCall& call, const PassNode& node);
Ref<OperatorTask> make_task(const GroupCall& call, const PassNode& node);
Ref<OperatorTask> make_task(const BatchedMatmulCall& call, const PassNode& node);
Ref<OperatorTask> make_task(const FusedRowsCall& call, const PassNode& node);
Ref<OperatorTask> make_task(const RecurrentProductCall& call, const PassNode& node);

// A task that a call has submitted, and what it is.
struct SubmittedTask {
  Ref<OperatorTask> task;
  Ref<const Call> call;
};
// Takes the tasks that a function submits on this thread, which records none of them, and the storages that it makes.
Status collect(Engine& engine, const std::function<Status()>& function, std::vector<SubmittedTask>* tasks,
               std::vector<Ref<Storage>>* made);

}  // namespace rondo::ops
