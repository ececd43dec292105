// Makes a collective, or a group of them, a task of the engine.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/communicator.h"
#include "ops/program/operator_task.h"
#include "ops/task/party.h"

namespace rondo::comm {

class CollectiveTask final : public ops::OperatorTask, public Party {
 public:
  CollectiveTask(const char* name, Ref<Communicator> communicator);

  // Adds an operation with its operands (null: none); addresses are asked for when it runs.
  void add(const Operation& operation, const View* input, const View* output);
  bool empty() const { return operations_.empty(); }
  // "all_reduce sum f32 1024, send f32 8 to 1": what another rank's can be compared with.
  std::string text() const;

  Status run(const TaskContext& context) override;
  bool capturable(const char** why) const override;
  Status before_launch(const TaskContext& context) override;
  void after_launch() noexcept override { communicator_->issued(messages_); }
  bool wants_before_launch() const override { return true; }
  void list_operands(std::vector<TaskOperand>* operands) const override;
  // It is run with poisoned inputs too, to say so: the other ranks would wait for it.
  PartialFailure* partial_failure() override { return &partial_failure_; }
  void failing(const Status& status) noexcept override;
  Seat seat() const override;
  Status possible() const override { return communicator_->check(); }

 private:
  Status takes_part();
  Status run_on(const TaskContext& context);

  const Ref<Communicator> communicator_;
  std::vector<Operation> operations_;
  // The operands of each operation.
  struct Places {
    View input, output;
    bool has_input, has_output;
  };
  std::vector<Places> places_;
  PartialFailure partial_failure_;
  bool messages_ = true;  // it is of sends and receives alone
  bool tried_ = false;    // it has been run, be it without success
};

}  // namespace rondo::comm
