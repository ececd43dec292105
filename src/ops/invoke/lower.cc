// Calls the operators that nodes are and takes the tasks that come of them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/invoke/lower.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "engine/engine.h"
#include "engine/tasks/making_limit.h"
#include "ops/convolution/convolution.h"
#include "ops/elementwise/form.h"
#include "ops/elementwise/transfer.h"
#include "ops/invoke/invoke.h"
#include "ops/movement/index_check.h"
#include "ops/program/overlap.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

// Takes the tasks of calls in the place of a recording.
class Collector final : public Sink {
 public:
  explicit Collector(Engine& engine) : Sink(engine, false), before_(Engine::thread_sink()) {
    takes_any = true;
    takes_steps = true;
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
  if (std::holds_alternative<CopyCall>(node.call->of) && is_transfer(views.inputs[0], views.results[0]))
    return make_transfer(views.inputs[0], views.results[0]);
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

// Calls the operator that a node is. Its results that are left out are made, in memory that is never there.
Status call_operator(Engine& engine, const ProgramNode& node, const NodeViews& views) {
  std::vector<Handle> handles(views.results.size());
  std::vector<Result> results;
  for (size_t i = 0; i < handles.size(); ++i) {
    const View& view = views.results[i];
    if (!node.call->leaves_out(i)) handles[i].tensor = make_view(Ref<Storage>::share(view.storage), view);
    results.push_back({handles[i].tensor, &view.device(), view.dtype, view.layout});
  }
  const ScopedNoTape unheard;
  const ScopedChecked checked(node.checked);
  const Status status = invoke(*node.call, {engine, node.name, views.inputs, results});
  for (size_t i = 0; i < handles.size(); ++i) handles[i].tensor = results[i].tensor;
  if (status.code() == RONDO_UNSUPPORTED) return wrong(node, "its kind is no operator");
  return status.ok() ? status : status.with_context("made anew, " + node_text(node));
}

// The one task of the operator that a node is.
Status find_task(Engine& engine, const ProgramNode& node, const NodeViews& views, Ref<OperatorTask>* task) {
  Collector collector(engine);
  RONDO_TRY(call_operator(engine, node, views));
  if (collector.count() != 1) return wrong(node, "it is not one task");
  const Call* const call = collector.call();
  if (!call || !same_attributes(*node.call, *call, node.call->unwritten)) return wrong(node, "it has other attributes");
  *task = collector.task();
  return {};
}

// The operands of a node, if they are so many tensors, inputs first, and nothing else but what is added to.
bool find_operands(const ProgramNode& node, size_t count, std::vector<TaskOperand>* operands) {
  for (const ProgramOperand& each : node.operands)
    if (each.known) operands->push_back({each.view, each.written});
  return operands->size() == count && !node.call->unwritten;
}

// True if one of two nodes writes what the other one uses.
bool depend(const ProgramNode& a, const ProgramNode& b) {
  for (const ProgramOperand& one : a.operands)
    for (const ProgramOperand& other : b.operands)
      if (one.value == other.value && (one.written || other.written) && one.begin < other.end && other.begin < one.end)
        return true;
  return false;
}

// The node that is both gradients of a convolution, on a GPU, which has one task for them; false: these are not.
bool join_gradients(Program* program, ProgramNode* image, const ProgramNode& filter) {
  const auto* const of_image = std::get_if<ConvolutionCall>(&image->call->of);
  const auto* const of_filter = std::get_if<ConvolutionFilterGradCall>(&filter.call->of);
  if (!of_image || !of_filter || of_filter->options.transposed) return false;
  if (image->device != filter.device || image->device->is_host() || image->section != filter.section) return false;
  std::vector<TaskOperand> a, b;  // dy, w, dx; x, dy, dw
  if (!find_operands(*image, 3, &a) || !find_operands(filter, 3, &b)) return false;
  const View &dy = a[0].view, &w = a[1].view, &x = b[0].view;
  const auto like = [](const View& one, const View& other) { return one.layout.same_shape(other.layout); };
  if (!identical(dy, b[1].view) || !like(x, a[2].view) || !like(w, b[2].view)) return false;
  if (x.elements() == 0 || w.elements() == 0 || depend(*image, filter)) return false;
  const ConvolutionOptions back = reversed(of_filter->options, x.layout, w.layout, dy.layout);
  if (!same_attributes(*image->call, Call{ConvolutionCall{back, false, false, false}})) return false;
  const TaskOperand operands[] = {b[0], a[1], a[0], a[2], b[2]};
  program->replace(image, "convolution_gradients", make_ref<const Call>(ConvolutionGradsCall{of_filter->options}),
                   operands);
  return true;
}

void join_gradients(Program* program) {
  std::vector<ProgramNode>& nodes = program->nodes;
  size_t count = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (count > 0 && join_gradients(program, &nodes[count - 1], nodes[i])) continue;
    if (count != i) nodes[count] = std::move(nodes[i]);
    ++count;
  }
  nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(count), nodes.end());
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

bool has_steps(const ProgramNode& node) {
  const auto& of = node.call->of;
  if (std::holds_alternative<CopyCall>(of)) return has_stages(node.operands[0].view, node.operands[1].view);
  return std::holds_alternative<RecurrentCall>(of) || std::holds_alternative<RecurrentGradCall>(of);
}

Status expand(Engine& engine, Program* program) {
  if (std::none_of(program->nodes.begin(), program->nodes.end(), has_steps)) return {};
  std::vector<ProgramNode> nodes = std::move(program->nodes);
  program->nodes.clear();
  for (ProgramNode& node : nodes) {
    if (!has_steps(node)) {
      program->nodes.push_back(std::move(node));
      continue;
    }
    RONDO_TRY(MakingLimit::check());
    Collector collector(engine);
    RONDO_TRY(call_operator(engine, node, NodeViews(node, nullptr)));
    for (const Ref<Storage>& each : collector.made) program->add(*each);
    for (size_t i = 0; i < collector.count(); ++i) {
      const Call* const what = collector.call(i);
      program->append(collector.task(i), what ? Ref<const Call>::share(what) : Ref<const Call>(), 0, node.section);
      program->nodes.back().site = node.site;
      program->nodes.back().step_of = row_of(*node.call).name;
    }
  }
  return {};
}

Status submit_node(Engine& engine, const ProgramNode& node, const Rebinding& memory) {
  return call_operator(engine, node, NodeViews(node, &memory));
}

Status lower(Engine& engine, const ProgramNode& node, Ref<OperatorTask>* task, const Rebinding* memory) {
  if (OperatorTask* const closure = node.closure()) {
    *task = memory ? closure->again(*memory) : Ref<OperatorTask>::share(closure);
    return {};
  }
  const NodeViews views(node, memory);
  *task = make_directly(node, views);
  if (!*task) RONDO_TRY(find_task(engine, node, views, task));
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
  join_gradients(program);
  tasks->reserve(program->nodes.size());
  for (const ProgramNode& node : program->nodes) {
    RONDO_TRY(MakingLimit::check());
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
