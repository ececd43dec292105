// Calls the operator that a node is and takes the task that comes of it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/invoke/lower.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "engine/engine.h"
#include "ops/elementwise/form.h"
#include "ops/invoke/invoke.h"
#include "ops/movement/index_check.h"
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
  Ref<OperatorTask> task(size_t i = 0) { return as_operator(std::move(taken_[i].task)); }
  const Call* call(size_t i = 0) const { return static_cast<const Call*>(taken_[i].what.get()); }
  std::vector<Ref<Storage>> made;

 private:
  Sink* const before_;
};

// Names a node in messages, and the place where it was recorded, if that was noted.
std::string node_text(const ProgramNode& node) {
  return format("%s '%s'", row_of(*node.call).name, node.name) +
         (node.site.empty() ? "" : ", recorded at " + node.site);
}

Status wrong(const ProgramNode& node, const char* why) {
  return error(RONDO_INTERNAL, "a node has no task: %s: %s", why, node_text(node).c_str());
}

// The operands of a node that its kind names, on the memory where its task is to work.
struct NodeViews {
  NodeViews(const ProgramNode& node, const Rebinding* memory) {
    inputs.reserve(node.operands.size());
    for (const ProgramOperand& each : node.operands) {
      if (!each.known) continue;
      View& view = (each.written ? results : inputs).emplace_back(each.view);
      if (memory) memory->move(&view);
    }
    // Results that the node leaves out, which its task does without in the end.
    auto left_out = node.call->left_out.begin();
    for (uint32_t k = 0; left_out != node.call->left_out.end(); ++k)
      if (node.call->leaves_out(k)) {
        View view = results[0];
        view.dtype = left_out->dtype;
        view.layout = left_out->layout;
        view.accumulate = false;
        ++left_out;
        results.insert(results.begin() + k, view);
      }
  }
  std::vector<View> inputs, results;
};

// The task of an elementwise node, or of one of a kind that passes make: what it depends on was checked when the node
// was made, and is no more than its operands. Null: it is another kind.
Ref<OperatorTask> make_directly(const ProgramNode& node, const NodeViews& views) {
  const PassNode of{node.name, views.inputs, views.results, true};
  Ref<OperatorTask> made = std::visit(
      [&of](const auto& attributes) -> Ref<OperatorTask> {
        if constexpr (requires { make_task(attributes, of); })
          return make_task(attributes, of);
        else
          return {};
      },
      node.call->of);
  if (made || node.call->unwritten) return made;
  if (const std::optional<Fused> form = elementwise_form(node)) made = make_task(*form, of);
  return made;
}

// The task of the operator that a node is. Its results that are left out are made, in memory that is never there.
Status call_operator(Engine& engine, const ProgramNode& node, const NodeViews& views, Ref<OperatorTask>* task) {
  std::vector<Handle> handles(views.results.size());
  std::vector<Result> results;
  for (size_t i = 0; i < handles.size(); ++i) {
    const View& view = views.results[i];
    if (!node.call->leaves_out(i)) handles[i].tensor = make_view(Ref<Storage>::share(view.storage), view);
    results.push_back({handles[i].tensor, &view.device(), view.dtype, view.layout});
  }
  const ScopedNoTape unheard;
  const ScopedChecked checked(node.checked);
  Collector collector(engine);
  const Status status = invoke(*node.call, {engine, node.name, views.inputs, results});
  for (size_t i = 0; i < handles.size(); ++i) handles[i].tensor = results[i].tensor;
  if (status.code() == RONDO_UNSUPPORTED) return wrong(node, "its kind is no operator");
  if (!status.ok()) return status.with_context("made anew, " + node_text(node));
  if (collector.count() != 1) return wrong(node, "it is not one task");
  const Call* const call = collector.call();
  if (!call || !same_attributes(*node.call, *call, node.call->unwritten)) return wrong(node, "it has other attributes");
  *task = collector.task();
  return {};
}

#ifdef RONDO_VERIFY_PROGRAMS
bool same(const ProgramOperand& a, const ProgramOperand& b) {
  return a.value == b.value && a.begin == b.begin && a.end == b.end && a.written == b.written && a.covers == b.covers &&
         a.known == b.known &&
         (!a.known || (a.view.dtype == b.view.dtype && a.view.accumulate == b.view.accumulate &&
                       a.view.layout.same_as(b.view.layout)));
}

// Storages that are used as a whole come last, in any order.
bool same(const std::vector<ProgramOperand>& a, const std::vector<ProgramOperand>& b) {
  const auto is_known = [](const ProgramOperand& each) { return each.known; };
  const auto of_a = std::find_if_not(a.begin(), a.end(), is_known),
             of_b = std::find_if_not(b.begin(), b.end(), is_known);
  const auto equal = [](const ProgramOperand& one, const ProgramOperand& other) { return same(one, other); };
  return std::equal(a.begin(), of_a, b.begin(), of_b, equal) &&
         std::is_permutation(of_a, a.end(), of_b, b.end(), equal);
}

// The task works on what the node does: else something that decides a result is no attribute.
Status check_task(Program* program, const ProgramNode& node, const Ref<OperatorTask>& task) {
  const ProgramNode anew = program->make_node(task, node.call, node.random_offset, node.section);
  if (!same(anew.operands, node.operands))
    return error(RONDO_INTERNAL, "a task works on other operands than its node: %s; not %s",
                 program->text(anew).c_str(), program->text(node).c_str());
  return {};
}
#endif

}  // namespace

Status lower(Engine& engine, const ProgramNode& node, Ref<OperatorTask>* task, const Rebinding* memory) {
  if (OperatorTask* const closure = node.closure()) {
    *task = memory ? closure->again(*memory) : Ref<OperatorTask>::share(closure);
    return {};
  }
  const NodeViews views(node, memory);
  *task = make_directly(node, views);
  if (!*task) RONDO_TRY(call_operator(engine, node, views, task));
  if (node.call->unwritten) {
    *task = (*task)->without(node.call->unwritten);
    if (!*task) return wrong(node, "it makes all of its results");
  }
  if ((*task)->random_count() != node.random_count) return wrong(node, "it draws other random numbers");
  (*task)->set_name(node.name);
  (*task)->fold();
  return {};
}

Status lower(Engine& engine, Program* program, std::vector<Ref<OperatorTask>>* tasks) {
  tasks->reserve(program->nodes.size());
  for (const ProgramNode& node : program->nodes) {
    RONDO_TRY(lower(engine, node, &tasks->emplace_back()));
#ifdef RONDO_VERIFY_PROGRAMS
    RONDO_TRY(check_task(program, node, tasks->back()));
#endif
  }
  return {};
}

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

}  // namespace rondo::ops
