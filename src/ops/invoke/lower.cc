// Calls the operator of each node once more and takes the task that comes of it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/invoke/lower.h"

#include "engine/engine.h"
#include "ops/invoke/invoke.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

// Takes the tasks of calls in the place of a recording.
class Collector final : public Sink {
 public:
  explicit Collector(Engine& engine) : Sink(engine, false), before_(Engine::thread_sink()) {
    takes_any = true;
    Engine::set_thread_sink(this);
  }
  ~Collector() override { Engine::set_thread_sink(before_); }
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;
  void created(Storage& storage) override { made.push_back(Ref<Storage>::share(&storage)); }
  void note_site() noexcept override {}
  size_t count() const { return taken_.size(); }
  Ref<Task> task(size_t i = 0) { return std::move(taken_[i].task); }
  const Call* call(size_t i = 0) const { return static_cast<const Call*>(taken_[i].what.get()); }
  std::vector<Ref<Storage>> made;

 private:
  Sink* const before_;
};

Status wrong(const Program& program, const ProgramNode& node, const char* why) {
  return error(RONDO_INTERNAL, "made anew, %s: %s", why, program.text(node).c_str());
}

bool same(const ProgramOperand& a, const ProgramOperand& b) {
  return a.value == b.value && a.begin == b.begin && a.end == b.end && a.written == b.written && a.covers == b.covers &&
         a.known == b.known &&
         (!a.known || (a.view.dtype == b.view.dtype && a.view.accumulate == b.view.accumulate &&
                       a.view.layout.same_as(b.view.layout)));
}

Status lower_node(Program* program, ProgramNode* node) {
  std::vector<View> inputs;
  std::vector<Handle> handles(node->operands.size());
  std::vector<Result> results;
  for (size_t i = 0; i < node->operands.size(); ++i) {
    const ProgramOperand& each = node->operands[i];
    if (!each.known) continue;
    if (!each.written) {
      inputs.push_back(each.view);
      continue;
    }
    handles[i].tensor = make_view(Ref<Storage>::share(each.view.storage), each.view);
    results.push_back({handles[i].tensor, &each.view.device(), each.view.dtype, each.view.layout});
  }
  Engine& engine = program->values[node->operands[0].value].storage->engine();
  const ScopedNoTape unheard;
  Collector collector(engine);
  if (Status status = invoke(*node->call, {engine, node->task->name(), inputs, results}); !status.ok())
    return status.code() == RONDO_UNSUPPORTED ? Status() : status.with_context(program->text(*node));
  if (collector.count() != 1) return wrong(*program, *node, "it is not one task");
  if (!collector.call() || !same_attributes(*node->call, *collector.call()))
    return wrong(*program, *node, "it has other attributes");
  ProgramNode anew = program->make_node(collector.task(), node->call, node->random_offset, node->section);
  anew.task->set_name(node->task->name());
  if (anew.task->random_count() != node->task->random_count())
    return wrong(*program, *node, "it draws other random numbers");
  if (!std::equal(anew.operands.begin(), anew.operands.end(), node->operands.begin(), node->operands.end(), same))
    return wrong(*program, anew, "it has other operands");
  node->task = std::move(anew.task);
  return {};
}

}  // namespace

Status collect(Engine& engine, const std::function<Status()>& function, std::vector<SubmittedTask>* tasks,
               std::vector<Ref<Storage>>* made) {
  const ScopedNoTape unheard;
  Collector collector(engine);
  RONDO_TRY(function());
  for (size_t i = 0; i < collector.count(); ++i) {
    const Call* const call = collector.call(i);
    tasks->push_back({collector.task(i), call ? Ref<const Call>::share(call) : Ref<const Call>()});
  }
  *made = std::move(collector.made);
  return {};
}

Status lower_again(Program* program) {
  for (ProgramNode& node : program->nodes) {
    if (!node.removable() || node.call->unwritten || node.operands.empty()) continue;
    Words words;
    if (!append_words(*node.call, &words)) continue;
    if (program->values[node.operands[0].value].storage->engine().checks_indices()) continue;  // checks are nodes too
    RONDO_TRY(lower_node(program, &node));
  }
  return {};
}

}  // namespace rondo::ops
