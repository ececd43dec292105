// Runs a collective, or a group of them, on the transport of its communicator, as a task.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/collective_task.h"

#include "base/caught.h"
#include "base/text.h"
#include "ops/operators/reductions.h"
#include "ops/ops.h"

namespace rondo::comm {

namespace {

bool reduces(Kind kind) {
  return kind == Kind::all_reduce || kind == Kind::reduce_scatter || kind == Kind::reduce;
}

}  // namespace

const char* kind_name(Kind kind) {
  static const char* const names[] = {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce",
                                      "all_to_all", "send",       "receive",        "barrier"};
  return names[static_cast<size_t>(kind)];
}

CollectiveTask::CollectiveTask(const char* name, Ref<Communicator> communicator)
    : ops::OperatorTask(name, communicator->device()), communicator_(std::move(communicator)) {
  lane = Lane::communicate;
  leaves_gaps_ = !device().is_host();  // it may be given up while the device is at it
  writes(*communicator_->chain_->order);
}

void CollectiveTask::add(const Operation& operation, const View* input, const View* output) {
  operations_.push_back(operation);
  messages_ &= operation.kind == Kind::send || operation.kind == Kind::receive;
  places_.push_back({input ? *input : View(), output ? *output : View(), input != nullptr, output != nullptr});
  if (input) reads(*input->storage);
  if (output) declare_output(*this, *output);
}

std::string CollectiveTask::text() const {
  std::string text;
  for (const Operation& each : operations_) {
    if (!text.empty()) text += ", ";
    // The two ends of a message differ in nothing else.
    const bool message = each.kind == Kind::send || each.kind == Kind::receive;
    text += message ? "message" : kind_name(each.kind);
    if (message) continue;
    if (reduces(each.kind)) text += format(" %s", ops::reduce_name(each.reduction));
    if (each.kind != Kind::barrier) text += format(" %s %zu", dtype_name(each.dtype), each.count);
    if (each.kind == Kind::broadcast || each.kind == Kind::reduce) text += format(" root %d", each.peer);
  }
  return text;
}

Status CollectiveTask::takes_part() {
  if (partial_failure_.clean()) return {};
  Status cause = partial_failure_.cause();
  communicator_->missed(name(), cause);
  return cause;
}

Status CollectiveTask::run(const TaskContext& context) {
  Status status = caught([&] { return run_on(context); });
  if (status.ok() || context.capturing) return status;
  // The others would wait for this rank, or go on with what it does not have. Tasks of a host run on threads that hold
  // no lock, so that the others have been told when this rank's wait returns.
  const bool first = communicator_->check().ok();
  if (first && !context.stream && status.code() == RONDO_TIMED_OUT)
    (void)caught([&]() -> Status {  // without memory for the words the others are told all the same
      status = status.with_context(format("%s of communicator '%s' is not done on rank %d", name(),
                                          communicator_->name(), communicator_->rank()));
      return {};
    });
  communicator_->fail(status, true);
  if (!context.stream) communicator_->tell_the_others();
  return status;
}

Party::Seat CollectiveTask::seat() const {
  return {communicator_->group(), communicator_->rank(), communicator_.get()};
}

void CollectiveTask::failing(const Status& status) noexcept {
  if (!tried_) communicator_->missed(name(), status);
}

Status CollectiveTask::run_on(const TaskContext& context) {
  tried_ = true;
  RONDO_TRY(takes_part());
  for (size_t i = 0; i < operations_.size(); ++i) {
    const Places& places = places_[i];
    if (places.has_input) operations_[i].input = places.input.address();
    if (places.has_output) operations_[i].output = places.output.address();
  }
  if (context.capturing) {
    RONDO_TRY(communicator_->check());
    return communicator_->transport().run(operations_, context);
  }
  RONDO_TRY(communicator_->begin(name(), context.stream, messages_));
  Status status = communicator_->transport().run(operations_, context);
  communicator_->issued(messages_);
  return status;
}

bool CollectiveTask::capturable(const char** why) const {
  return ops::OperatorTask::capturable(why) && communicator_->transport().capturable(why);
}

Status CollectiveTask::before_launch(const TaskContext& context) {
  RONDO_TRY(takes_part());
  const Status begun = communicator_->begin(name(), context.stream, messages_);
  if (!begun.ok()) communicator_->fail(begun, true);
  return begun;
}

void CollectiveTask::list_operands(std::vector<TaskOperand>* operands) const {
  for (const Places& each : places_)
    if (each.has_input) operands->push_back({each.input, false});
  for (const Places& each : places_)
    if (each.has_output) operands->push_back({each.output, true});
}

}  // namespace rondo::comm
