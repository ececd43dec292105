// Walks a tape back from the outputs to the sources, and delivers their gradients on the way.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/backward.h"

#include <algorithm>

#include "base/text.h"
#include "engine/tasks/thread_state.h"
#include "ops/ops.h"
#include "tape/rules.h"

namespace rondo::tape {

namespace {

Status write(const Value& value, const View& to) {
  return value.uniform ? ops::fill(to, ops::Scalar::of(value.number)) : ops::copy_elements(value.view, to);
}

// Opens a tape again, if one is given, however the gradients end.
class Reopen {
 public:
  explicit Reopen(Tape* tape) : tape_(tape) {}
  Reopen(const Reopen&) = delete;
  Reopen& operator=(const Reopen&) = delete;
  ~Reopen() {
    if (!tape_) return;
    try {
      open_tape(*tape_);
    } catch (const std::bad_alloc&) {
      tape_->miss("what follows its gradients");
    }
  }

 private:
  Tape* const tape_;
};

Status other_engine(const char* list, size_t i) {
  return error(RONDO_INVALID_ARGUMENT, "%s[%zu] belongs to another engine than tape", list, i);
}

}  // namespace

Status Tape::gradients(std::span<const View> outputs, std::span<const View* const> given, std::span<const View> sources,
                       std::span<rondo_tensor*> gradients, const Finished& finished) {
  if (spent_)
    return error(RONDO_INVALID_STATE,
                 "tape has given its gradients already; begin it with RONDO_TAPE_KEEP to ask more than once");
  if (!missed_.ok()) return missed_;
  return Backward(*this, finished).run(outputs, given, sources, gradients);
}

Adjoint& Backward::adjoint_of(const Operand& operand) {
  return adjoints_.try_emplace(operand.number, engine(), *operand.device, operand.view.dtype, operand.bytes)
      .first->second;
}

Status Backward::check_sources(std::span<const View> sources) const {
  for (size_t i = 0; i < sources.size(); ++i) {
    const View& view = sources[i];
    if (&view.engine() != &engine()) return other_engine("sources", i);
    const auto known = tape_.known_.find(number_of(view));
    if (known == tape_.known_.end() || known->second.watched == Tape::kNotWatched)
      return error(RONDO_INVALID_ARGUMENT,
                   "sources[%zu], %s, is not watched by tape; call rondo_tape_watch before operators use it", i,
                   operand_text(view).c_str());
    if (view.layout.repeats())
      return error(RONDO_INVALID_ARGUMENT,
                   "sources[%zu] shows an element twice (a broadcast view, or strides that overlap); ask for the "
                   "gradient of the tensor itself",
                   i);
  }
  return {};
}

Status Backward::seed(std::span<const View> outputs, std::span<const View* const> given) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const View& view = outputs[i];
    if (&view.engine() != &engine()) return other_engine("outputs", i);
    if (!tape_.depends(view))
      return error(RONDO_INVALID_ARGUMENT,
                   "outputs[%zu], %s, does not depend on a watched tensor as far as tape has noted", i,
                   operand_text(view).c_str());
    if (view.layout.repeats())
      return error(RONDO_INVALID_ARGUMENT, "outputs[%zu] shows an element twice; give the tensor itself", i);
    const View* dy = given.empty() ? nullptr : given[i];
    if (!dy && view.elements() != 1)
      return error(RONDO_INVALID_ARGUMENT,
                   "outputs[%zu] has shape %s; without output_gradients[%zu], one element is needed", i,
                   shape_text(view.layout).c_str(), i);
    if (dy) {
      RONDO_TRY(ops::check_inputs({{"outputs", &view}, {"output_gradients", dy}}));
      if (dy->dtype != view.dtype || !dy->layout.same_shape(view.layout))
        return error(RONDO_INVALID_ARGUMENT, "output_gradients[%zu] is %s; outputs[%zu] is %s", i,
                     operand_text(*dy).c_str(), i, operand_text(view).c_str());
    }
    Operand operand = tape_.operand_of(view);
    const Value value = dy ? Value::of(*dy) : Value::of(1.0);
    if (dy) pinned_.push_back(value.memory);
    RONDO_TRY(adjoint_of(operand).add(place(view), value));
  }
  return {};
}

// Forwards: a source is one from the moment on when it was watched, until something else is written there.
void Backward::find_wanted(std::span<const View> sources) {
  ways_.assign(tape_.nodes_.size(), {});
  std::vector<std::pair<size_t, const View*>> watched;
  for (const View& source : sources) watched.emplace_back(tape_.known_.at(number_of(source)).watched, &source);
  std::sort(watched.begin(), watched.end());
  auto next = watched.begin();
  Elements leading;
  for (size_t i = 0; i < tape_.nodes_.size(); ++i) {
    for (; next != watched.end() && next->first == i; ++next) leading.add(tape_.operand_of(*next->second));
    const Node& node = tape_.nodes_[i];
    unsigned wanted = 0;
    for (size_t k = 0; node.flows && k < node.inputs.size(); ++k)
      if (node.inputs[k].active && leading.meet(node.inputs[k])) wanted |= bit(k);
    if (wanted) wanted = flowing(node, wanted);
    ways_[i].wanted = wanted;
    for (const Operand& each : node.outputs) {
      if (!each.active) continue;
      if (wanted)
        leading.add(each);
      else if (!each.view.accumulate)
        leading.remove(each);
    }
  }
}

// Backwards: gradients come to outputs, and from a node that they pass to its inputs. They go no further than the node
// that overwrote an element.
void Backward::find_met(std::span<const View> outputs) {
  Elements coming;
  for (const View& view : outputs) coming.add(tape_.operand_of(view));
  for (size_t i = tape_.nodes_.size(); i-- > 0;) {
    const Node& node = tape_.nodes_[i];
    NodeMasks& way = ways_[i];
    for (size_t k = 0; k < node.outputs.size(); ++k)
      if (node.outputs[k].active && coming.meet(node.outputs[k])) way.met |= bit(k);
    for (const Operand& each : node.outputs)
      if (each.active && !each.view.accumulate) coming.remove(each);
    for (size_t k = 0; way.passed() && k < node.inputs.size(); ++k)
      if (node.inputs[k].active && (way.wanted & bit(k))) coming.add(node.inputs[k]);
  }
}

// Every value that will be needed is still what it was. Said before anything is submitted.
Status Backward::check_values() const {
  for (size_t i = tape_.nodes_.size(); i-- > 0;) {
    const Node& node = tape_.nodes_[i];
    if (!ways_[i].passed()) continue;
    if (!has_gradient(node))
      return error(RONDO_UNSUPPORTED,
                   "'%s' has no gradient%s%s%s, and outputs depend on sources through it; define one with "
                   "rondo_tape_custom, or leave it out with rondo_tape_pause",
                   node.name, node.why_none ? " (" : "", node.why_none ? node.why_none : "", node.why_none ? ")" : "");
    for (const std::vector<Operand>* list : {&node.inputs, &node.outputs}) {
      for (const Operand& each : *list) {
        if (!each.overwritten_by) continue;
        return error(RONDO_INVALID_STATE,
                     "the gradient of '%s' needs its %s %s as it was, but '%s' has written it; write to another "
                     "tensor, or give '%s' a copy (rondo_copy)",
                     node.name, list == &node.inputs ? "operand" : "result", operand_text(each.view).c_str(),
                     each.overwritten_by, node.name);
      }
    }
  }
  return {};
}

Status Backward::run(std::span<const View> outputs, std::span<const View* const> given, std::span<const View> sources,
                     std::span<rondo_tensor*> gradients) {
  RONDO_TRY(engine().usable());
  RONDO_TRY(check_sources(sources));
  for (size_t i = 0; i < sources.size(); ++i) {
    if (!gradients[i]) continue;
    const View& to = gradients[i]->view;
    const View& source = sources[i];
    if (&to.engine() != &engine()) return other_engine("gradients", i);
    if (to.dtype != source.dtype || !to.layout.same_shape(source.layout) || &to.device() != &source.device())
      return error(RONDO_INVALID_ARGUMENT,
                   "gradients[%zu] is %s on %s; sources[%zu] is %s on %s: give none for a new tensor", i,
                   operand_text(to).c_str(), device_name(to.device().id()).c_str(), i, operand_text(source).c_str(),
                   device_name(source.device().id()).c_str());
    RONDO_TRY(ops::check_writable("gradients", to));
    if (to.accumulate) RONDO_TRY(ops::check_written("gradients", to));
  }
  find_wanted(sources);
  find_met(outputs);
  RONDO_TRY(check_values());
  RONDO_TRY(seed(outputs, given));
  find_direct(sources, gradients);
  find_last(sources, gradients);
  find_watched(sources);

  // A tape does not note its own gradients; others that are open do.
  const Ref<Tape> keep = Ref<Tape>::share(&tape_);
  const Reopen reopen(tape_.open() && tape_.keeps_ ? &tape_ : nullptr);
  if (tape_.open()) close_tape(tape_);
  tape_.spent_ = !tape_.keeps_;
  captured_.resize(sources.size());
  nothing_came_.resize(sources.size());
  const bool observed = this_thread().tapes != nullptr;
  for (const View& view : outputs)
    if (view.elements() == 0) nothings_.insert(number_of(view));
  results_.resize(sources.size());
  Status status;
  for (size_t i = tape_.nodes_.size(); status.ok() && i-- > 0;) {
    status = capture(i + 1, sources);
    if (status.ok() && observed) follow_nothing(i);
    if (status.ok()) status = visit(i);
    if (status.ok()) status = finish(i, sources, gradients);
    // The values that it kept go as soon as nothing needs them any more.
    if (!tape_.keeps_) tape_.nodes_.pop_back();
  }
  if (status.ok()) status = capture(0, sources);
  if (status.ok()) status = deliver(sources, gradients);
  if (status.ok() && observed) tell_of_nothing(outputs, given, sources, gradients);
  // A gradient that was written over values of the tape is noted, for those who ask again.
  for (size_t i = 0; i < sources.size(); ++i)
    if (gradients[i] && tape_.keeps_ && tape_.known_.count(number_of(gradients[i]->view)))
      tape_.overwrite(tape_.operand_of(gradients[i]->view), "rondo_tape_gradients");
  if (!tape_.keeps_) tape_.nodes_.clear();
  return status;
}

// Delivers what the node was the last to add to.
Status Backward::finish(size_t node, std::span<const View> sources, std::span<rondo_tensor*> gradients) {
  for (; finishes_ < last_.size() && last_[finishes_].node >= node; ++finishes_) {
    // One that was watched after all nodes is complete at the end.
    if (last_[finishes_].node > node) continue;
    const size_t i = last_[finishes_].source;
    Adjoint& adjoint = adjoint_of(tape_.operand_of(sources[i]));
    nothing_came_[i] = adjoint.none();
    if (adjoint.writes_directly()) {
      RONDO_TRY(adjoint.finish_direct());
    } else {
      Value value = Value::of(0.0);
      if (!adjoint.none()) RONDO_TRY(adjoint.read(place(sources[i]), &value));
      RONDO_TRY(write(value, gradients[i]->view));
    }
    captured_[i] = delivered_[i] = true;
    RONDO_TRY(finished_(i));
  }
  return {};
}

// Takes the gradients of sources that were watched when there were so many nodes.
Status Backward::capture(size_t nodes, std::span<const View> sources) {
  for (; captures_ < watched_.size() && watched_[captures_].node >= nodes; ++captures_) {
    const size_t i = watched_[captures_].source;
    if (captured_[i]) continue;
    captured_[i] = true;
    Adjoint& adjoint = adjoint_of(tape_.operand_of(sources[i]));
    nothing_came_[i] = adjoint.none();
    if (adjoint.writes_directly()) continue;
    if (adjoint.none())
      results_[i] = Value::of(0.0);
    else
      RONDO_TRY(adjoint.read(place(sources[i]), &results_[i]));
  }
  return {};
}

Status Backward::visit(size_t number) {
  const Node& node = tape_.nodes_[number];
  const NodeMasks& way = ways_[number];
  if (!way.met) return {};
  node_ = &node;
  wanted_ = way.wanted;

  incoming_.assign(node.outputs.size(), {});
  has_incoming_.assign(node.outputs.size(), false);
  bool any = false;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const Operand& each = node.outputs[i];
    const auto found = adjoints_.find(each.number);
    if (!(way.met & bit(i)) || !each.active || found == adjoints_.end() || found->second.none()) continue;
    Adjoint& adjoint = found->second;
    const StorageRegion at = place(each.view);
    has_incoming_[i] = wanted_ != 0;
    any |= has_incoming_[i];
    // A node that adds keeps what was there, and its gradient.
    if (each.view.accumulate)
      RONDO_TRY(wanted_ ? adjoint.read(at, &incoming_[i]) : Status());
    else
      RONDO_TRY(wanted_ ? adjoint.take(at, &incoming_[i]) : adjoint.clear(at));
  }
  if (any) {
    const Status status = node.custom ? node.custom->run(*this) : run_rule(*this);
    if (!status.ok()) return status.with_context(format("gradient of '%s'", node.name));
  }
  incoming_.clear();
  node_ = nullptr;
  return {};
}

Status Backward::deliver(std::span<const View> sources, std::span<rondo_tensor*> gradients) {
  for (size_t i = 0; i < sources.size(); ++i) {
    Adjoint& adjoint = adjoint_of(tape_.operand_of(sources[i]));
    if (adjoint.writes_directly() && !delivered_[i]) RONDO_TRY(adjoint.finish_direct());
  }
  std::vector<OwnedTensor> made(sources.size());
  std::vector<bool> direct(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) direct[i] = adjoint_of(tape_.operand_of(sources[i])).writes_directly();
  adjoints_.clear();  // so that memory that only results show is theirs
  for (size_t i = 0; i < sources.size(); ++i) {
    if (direct[i] || delivered_[i]) continue;
    const View& source = sources[i];
    const Value& value = results_[i];
    if (gradients[i]) {
      RONDO_TRY(write(value, gradients[i]->view));
      continue;
    }
    OwnedTensor& slot = made[i];
    const bool own = !value.uniform && value.memory.use_count() == 1 && value.view.layout.contiguous() &&
                     value.view.bytes() == (*value.memory)->bytes();
    if (own) {
      slot.tensor = make_view(*value.memory, value.view);
      continue;
    }
    slot.tensor = make_tensor(engine(), source.device(), source.dtype, source.layout);
    RONDO_TRY(write(value, slot.tensor->view));
  }
  for (size_t i = 0; i < sources.size(); ++i)
    if (!direct[i] && !gradients[i]) gradients[i] = std::exchange(made[i].tensor, nullptr);
  for (size_t i = 0; i < sources.size() && finished_; ++i)
    if (!delivered_[i]) RONDO_TRY(finished_(i));
  return {};
}

}  // namespace rondo::tape
