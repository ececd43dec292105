// Submits operators that have no element to write. Nothing of them is run; tapes are told all the same: what such an
// operator would have read may depend on what they watch, and then so does its result.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ops/task/submit.h"

namespace rondo::ops {

// Commits the outputs. list: as OperatorTask::list_operands.
template <class List>
Status submit_nothing(const char* name, const List& list, std::initializer_list<Output*> outputs,
                      const Describe& describe = {}) {
  if (Observer* const tapes = this_thread().tapes) [[unlikely]] {
    std::vector<TaskOperand> operands;
    list(&operands);
    tapes->done(name, describe(), operands);
  }
  for (Output* output : outputs) output->commit();
  return {};
}
// Takes a plan that lists its operands.
template <class Plan>
requires requires(const Plan& plan, std::vector<TaskOperand>* list) {
  plan.list_operands(list);
}
Status submit_nothing(const char* name, const Plan& plan, std::initializer_list<Output*> outputs,
                      const Describe& describe = {}) {
  const auto list = [&plan](std::vector<TaskOperand>* operands) { plan.list_operands(operands); };
  return submit_nothing(name, list, outputs, describe);
}

}  // namespace rondo::ops
