// Running a collective. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/collective_task.h"

#include "base/caught.h"
#include "base/text.h"
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
    : Task(name, communicator->device()), communicator_(std::move(communicator)) {
  lane = Lane::communicate;
  writes(*communicator_->chain_->order);
}

void CollectiveTask::add(const Operation& operation, const View* input, const View* output) {
  operations_.push_back(operation);
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
  if (parts_.clean()) return {};
  Status cause = parts_.cause();
  communicator_->missed(name(), cause);
  return cause;
}

Status CollectiveTask::run(const TaskContext& context) {
  const Status status = caught([&] { return run_on(context); });
  // Without memory it has not come as far as to the others, who would wait for it. What the transport itself says they
  // hear of where they are: of a host's in the same exchange.
  if (status.code() == RONDO_OUT_OF_MEMORY && !context.capturing) communicator_->fail(status, true);
  return status;
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
  if (context.capturing)
    RONDO_TRY(communicator_->check());
  else
    RONDO_TRY(communicator_->begin(name(), context.stream));
  const Status status = communicator_->transport().run(operations_, context);
  // The others would wait for it. On a host they are in the same exchange, and hear of it there.
  if (!status.ok() && context.stream && !context.capturing) communicator_->fail(status, true);
  return status;
}

bool CollectiveTask::capturable(const char** why) const {
  return Task::capturable(why) && communicator_->transport().capturable(why);
}

Status CollectiveTask::launching(const TaskContext& context) {
  RONDO_TRY(takes_part());
  return communicator_->begin(name(), context.stream);
}

void CollectiveTask::list_operands(std::vector<TaskOperand>* operands) const {
  for (const Places& each : places_)
    if (each.has_input) operands->push_back({each.input, false});
  for (const Places& each : places_)
    if (each.has_output) operands->push_back({each.output, true});
}

}  // namespace rondo::comm
