// Records a function of a program file: each node calls the operator that it names, whose own checks decide whether
// attributes, shapes and dtypes go together. The recorded task must be the one of the file.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/caught.h"
#include "base/settings.h"
#include "base/text.h"
#include "engine/tasks/making_limit.h"
#include "graph/control.h"
#include "graph/recording.h"
#include "models/json.h"
#include "ops/invoke/invoke.h"
#include "ops/program/views.h"
#include "program_files/check.h"
#include "program_files/load.h"
#include "tape/tape.h"

namespace rondo::program_files {

namespace {

// Calls the function of an operator of a kind that files have: no code of the other kinds' comes along.
template <class OneKind>
Status invoke_kind(const ops::Call& call, const ops::Invocation& with) {
  return ops::invoke(*std::get_if<OneKind>(&call.of), with);
}
using InvokeKind = Status (*)(const ops::Call&, const ops::Invocation&);
template <class OneKind>
constexpr InvokeKind invoke_of() {
  if constexpr (kInFiles<OneKind> && !std::is_same_v<OneKind, ops::ParameterCall>)
    return invoke_kind<OneKind>;
  else
    return nullptr;  // check_operation has refused it, and a parameter is no operator
}
constexpr InvokeKind kInvokes[] = {
#define RONDO_KIND(Name, ...) invoke_of<ops::Name##Call>(),
#include "ops/program/kinds.def"
#undef RONDO_KIND
};

Status wrong(const std::string& what) {
  return error(RONDO_IO_ERROR, "%s", what.c_str());
}

// A node's random numbers begin in its device's sequence at a sum of 64 bits, which no file may let overflow: all nodes
// of a function draw in so many steps of the generator at most.
constexpr uint64_t kMostDraws = uint64_t{1} << 48;

// Those of a step of a recurrent layer, at most.
constexpr size_t kStepOperands = 8;

// Records the nodes of one function. Its thread records.
class FunctionRecorder {
 public:
  explicit FunctionRecorder(const FunctionSource& source)
      : source_(source),
        program_(source.program),
        function_(source.function),
        engine_(source.engine),
        device_(source.device),
        recording_(*recording_of(source.engine)),
        share_(recording_.share ? recording_.share : std::make_shared<Budget::Share>(source.budget)) {}

  Status record() {
    for (const Declared& each : function_.inputs) {
      rondo_tensor* made = nullptr;
      RONDO_TRY(make_input(engine_, device_, each.dtype, each.shape, &made));
      put(TensorHandle(made));
      inputs_.insert(made->view.storage);
    }
    RONDO_TRY(put_weights());
    RONDO_TRY(add_all(function_.nodes));
    RONDO_TRY(switch_to(kNoSection));
    for (const Function::Output& each : function_.outputs) {
      Status status = check_output(each);
      if (status.ok()) status = name_output(engine_, view(each.value));
      if (!status.ok()) return status.with_context("output '" + models::excerpt(each.name) + "'");
    }
    for (const uint32_t each : source_.extra) {
      RONDO_TRY(check_extra(each));
      RONDO_TRY(copy_of(*values_[each]));  // after all values
      RONDO_TRY(name_output(engine_, values_.back()->view));
    }
    return {};
  }
  // The same on tensors that are there, without settings of its own: parameters and sections are as the file has them.
  Status issue(std::span<rondo_tensor* const> inputs, rondo_tensor** outputs) {
    issues_ = true;
    for (const rondo_tensor* each : inputs) {
      RONDO_TRY(put_input(*each));
      inputs_.insert(values_.back()->view.storage);
    }
    RONDO_TRY(put_weights());
    RONDO_TRY(add_all(function_.nodes));
    for (const Function::Output& each : function_.outputs) {
      const Status status = check_output(each);
      if (!status.ok()) return status.with_context("output '" + models::excerpt(each.name) + "'");
    }
    std::vector<TensorHandle> given;
    for (const Function::Output& each : function_.outputs) RONDO_TRY(give(each.value, &given));
    for (const uint32_t each : source_.extra) {
      RONDO_TRY(check_extra(each));
      RONDO_TRY(give(each, &given));
    }
    for (TensorHandle& each : given) *outputs++ = each.release();
    return {};
  }

 private:
  const View& view(uint32_t value) const { return values_[value]->view; }
  void put(TensorHandle tensor) { values_.push_back(std::move(tensor)); }
  Status put_weights() {
    RONDO_TRY(MakingLimit::take(node_bytes(function_.inputs.size() + function_.weights.size())));
    for (const uint32_t weight : function_.weights) {
      const rondo_tensor& tensor = *source_.weights[weight];
      put(TensorHandle(make_view(tensor.storage, tensor.view)));
      weights_.emplace(tensor.view.storage, weight);
    }
    return {};
  }
  // Nodes count on axes in their order.
  Status put_input(const rondo_tensor& given) {
    const Layout& layout = given.view.layout;
    if (layout.contiguous()) {
      put(TensorHandle(make_view(given.storage, given.view)));
      return {};
    }
    return copy_of(given);
  }
  // Puts a row-major one.
  Status copy_of(const rondo_tensor& given) {
    const Layout& layout = given.view.layout;
    Ref<Storage> storage;
    const View copy =
        make_temporary(engine_, device_, given.view.dtype, Layout::row_major(layout.ndim, layout.shape), &storage);
    RONDO_TRY(ops::copy_elements(given.view, copy));
    put(TensorHandle(make_view(storage, copy)));
    return {};
  }
  // A result of the function. It has memory of its own: a copy of inputs and weights.
  Status give(uint32_t value, std::vector<TensorHandle>* given) {
    if (inputs_.count(view(value).storage) || weights_.count(view(value).storage)) {
      RONDO_TRY(copy_of(*values_[value]));
      value = static_cast<uint32_t>(values_.size() - 1);
    }
    given->emplace_back(make_view(values_[value]->storage, view(value)));
    return {};
  }
  Status check_extra(uint32_t value) const {
    return view(value).accumulate ? error(RONDO_UNSUPPORTED, "value %u is a view that is added to", value) : Status();
  }
  Status check_output(const Function::Output& output) const {
    const View& made = view(output.value);
    return made.dtype == output.dtype && made.layout.same_shape(output.shape)
               ? Status()
               : wrong("it is of another dtype or shape than its value");
  }
  // A tensor that nothing has written is zero, as all memory of graphs is.
  Status make(const Written& written) {
    const Layout& layout = written.layout;
    View made;
    Ref<Storage> storage;
    made = make_temporary(engine_, device_, written.dtype, Layout::row_major(layout.ndim, layout.shape), &storage);
    made.layout = layout;
    int64_t bytes = 0;
    if (__builtin_add_overflow(bytes_, static_cast<int64_t>(storage->bytes()), &bytes) || bytes > INT64_MAX / 2)
      return wrong("its tensors take more memory than can be counted");
    bytes_ = bytes;
    put(TensorHandle(make_view(storage, made)));
    return {};
  }

  Status add_all(const std::vector<Node>& nodes) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      const Node& node = nodes[i];
      RONDO_TRY(MakingLimit::check());
      if (const Status taken = take_bytes(node); !taken.ok()) return taken.with_context(node_name(node, i));
      const Status status = node.role == Node::Role::view      ? add_view(node)
                            : node.role == Node::Role::empty   ? make(node.outputs[0])
                            : node.role == Node::Role::control ? add_choice(node)
                                                               : add_operation(node);
      if (recording_.notes_sites)
        (void)say_site((node_name(node, i) + " of function '" + models::excerpt(function_.name) + "'").c_str());
      if (!status.ok()) return status.with_context(node_name(node, i));
    }
    return {};
  }
  // The host's memory, before something is made. A list of attributes is kept by the node and by its task.
  static Status take_bytes(const Node& node) {
    return MakingLimit::take(node_bytes(node.inputs.size() + node.outputs.size()) + node.attribute_bytes);
  }
  Status add_view(const Node& node) {
    View made;
    RONDO_TRY(ops::apply_view(*node.call, view(node.inputs[0]), &made));
    put(TensorHandle(make_view(values_[node.inputs[0]]->storage, made)));
    return {};
  }
  // A body keeps for itself the values that it makes.
  Status add_choice(const Node& node) {
    if (is_off(node)) return {};
    RONDO_TRY(switch_to(node.section));
    const Choice& choice = *node.choice;
    std::vector<BodySource> bodies;
    for (const Choice::Body& each : choice.bodies) {
      BodySource& body = bodies.emplace_back();
      body.name = body_name(choice.kind, bodies.size() - 1);
      if (!each.there) continue;
      body.issue = [this, &each] {
        const size_t before = values_.size();
        ++depth_;
        const Status status = add_all(each.nodes);
        --depth_;
        values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(before), values_.end());
        return status;
      };
    }
    int64_t limit = choice.limit;
    if (choice.kind == ControlForm::Kind::loop && source_.most_turns)
      limit = limit ? std::min(limit, source_.most_turns) : source_.most_turns;
    return control(engine_, form_of(choice.kind, limit), view(node.inputs[0]), bodies);
  }
  Status add_operation(const Node& node) {
    if (is_off(node)) {
      for (const Written& each : node.outputs)
        if (each.made) RONDO_TRY(make(each));
      return {};
    }
    RONDO_TRY(switch_to(node.section));
    if (const auto* parameter = std::get_if<ops::ParameterCall>(&node.call->of)) return add_parameter(node, *parameter);
    std::vector<View> inputs, written;
    for (const uint32_t each : node.inputs) inputs.push_back(view(each));
    std::vector<ops::Result> results;
    for (const Written& each : node.outputs) {
      if (each.made) RONDO_TRY(make(each));
      const TensorHandle& tensor = values_[each.value];
      written.push_back(tensor->view);
      results.push_back({tensor.get(), &device_, tensor->view.dtype, tensor->view.layout});
      if (each.made) continue;
      if (inputs_.count(tensor->view.storage)) return wrong("it writes an input");
      const auto weight = weights_.find(tensor->view.storage);
      if (weight != weights_.end() && !program_.weights[weight->second].state)
        return wrong("it writes the weight '" + models::excerpt(program_.weights[weight->second].name) +
                     "', which is not a state");
    }
    const int64_t steps = count_steps(*node.call, inputs.empty() ? nullptr : inputs.data());
    if (steps < 0 || !share_->take_steps(steps))
      return wrong(format("the recurrent layers of all functions have more than %lld steps", printable(kMostSteps)));
    RONDO_TRY(MakingLimit::take(steps * node_bytes(kStepOperands)));
    RONDO_TRY(check_operation(*node.call, inputs, written));
    const size_t before = recording_.taken();
    Status status = kInvokes[node.call->of.index()](
        *node.call, {engine_, Engine::intern(row_of(*node.call).name), inputs, results});
    if (!status.ok()) return status;
    for (size_t i = before; i < recording_.taken(); ++i) draws_ += recording_.task(i).random_count();
    if (draws_ > kMostDraws)  // mutation: random_numbers_not_counted
      return wrong(format("it and the nodes before it draw random numbers in %llu steps; %llu are the most",
                          static_cast<unsigned long long>(draws_), static_cast<unsigned long long>(kMostDraws)));
    return check_recorded(*node.call, before, inputs, written);
  }
  // One task, which is what the file says; checks of indices aside.
  Status check_recorded(const ops::Call& call, size_t before, std::span<const View> inputs,
                        std::span<const View> written) {
    const auto is_empty = [](const View& each) { return each.elements() == 0; };
    if (std::any_of(inputs.begin(), inputs.end(), is_empty) || std::any_of(written.begin(), written.end(), is_empty))
      return check_recorded_of_nothing(before, inputs, written);
    const ops::Call* found = nullptr;
    size_t at = 0;
    for (size_t i = before; i < recording_.taken(); ++i) {
      const ops::Call* const each = recording_.call(i);
      if (each && std::holds_alternative<ops::IndexCheckCall>(each->of)) continue;
      if (!each || found)
        return error(RONDO_UNSUPPORTED,
                     "on this device the operator is several tasks, of which files have no node yet");
      found = each;
      at = i;
    }
    if (!found || !same_attributes(*found, call))
      return wrong("its attributes are not those of its operator and operands");
    // An operator may repeat an operand or lay it out in another way, and uses no other tensor.
    std::vector<TaskOperand> operands;
    recording_.task(at).list_operands(&operands);
    // A file need not name the values that recurrent layers leave.
    const size_t count = inputs.size() + written.size();
    if (std::holds_alternative<ops::RecurrentCall>(call.of) && count < operands.size()) operands.resize(count);
    return check_operands(operands, inputs, written);
  }
  static Status check_operands(std::span<const TaskOperand> operands, std::span<const View> inputs,
                               std::span<const View> written) {
    const auto same = [&](const TaskOperand& each, const View& given, bool out) {
      return each.written == out && each.view.storage == given.storage;
    };
    bool all = operands.size() == inputs.size() + written.size();
    for (size_t i = 0; all && i < operands.size(); ++i)
      all =
          i < inputs.size() ? same(operands[i], inputs[i], false) : same(operands[i], written[i - inputs.size()], true);
    return all ? Status() : wrong("its operands are not those that its operator uses");
  }
  // Operators make no task of tensors without elements, or another one.
  Status check_recorded_of_nothing(size_t before, std::span<const View> inputs, std::span<const View> written) {
    const auto among = [](std::span<const View> views, const Storage* storage) {
      return std::any_of(views.begin(), views.end(), [&](const View& each) { return each.storage == storage; });
    };
    std::vector<TaskOperand> operands;
    for (size_t i = before; i < recording_.taken(); ++i) {
      operands.clear();
      recording_.task(i).list_operands(&operands);
      for (const TaskOperand& each : operands)
        if (!among(written, each.view.storage) && (each.written || !among(inputs, each.view.storage)))
          return wrong("its operands are not those that its operator uses");
    }
    return {};
  }
  Status add_parameter(const Node& node, const ops::ParameterCall& call) {
    if (depth_ > 0) return wrong("a parameter in a body");
    if (call.number >= function_.parameters.size()) return wrong("it is a parameter that the function does not have");
    const Function::Parameter& parameter = function_.parameters[call.number];
    const Written& written = node.outputs[0];
    if (!written.made || written.dtype != parameter.dtype || written.layout.ndim != 0)
      return wrong("a parameter makes a tensor of its dtype without axes");
    if (issues_) {
      RONDO_TRY(make(written));
      const TensorHandle& tensor = values_.back();
      ops::Result result = {tensor.get(), &device_, tensor->view.dtype, tensor->view.layout};
      return ops::invoke(ops::FillCall{parameter.word}, {engine_, "Fill", {}, {&result, 1}});
    }
    rondo_tensor* made = nullptr;
    RONDO_TRY(record_parameter(engine_, parameter.name.c_str(), device_, parameter.dtype,
                               ops::scalar_of_word(parameter.word, compute_dtype(parameter.dtype)), &made));
    put(TensorHandle(made));
    return {};
  }

  // A node of a section writes what is there before it.
  bool is_off(const Node& node) const {
    return issues_ && node.section != kNoSection && !function_.sections[node.section].on;
  }
  Status switch_to(uint32_t section) {
    if (section == section_ || issues_) return {};
    if (section_ != kNoSection) RONDO_TRY(end_section(engine_));
    section_ = section;
    if (section == kNoSection) return {};
    const Function::Section& each = function_.sections[section];
    return begin_section(engine_, each.name.c_str(), each.on);
  }

  const FunctionSource& source_;
  const Program& program_;
  const Function& function_;
  Engine& engine_;
  Device& device_;
  const Recording& recording_;
  const std::shared_ptr<Budget::Share> share_;  // of steps
  std::vector<TensorHandle> values_;
  std::unordered_map<const Storage*, uint32_t> weights_;
  std::unordered_set<const Storage*> inputs_;
  uint32_t section_ = kNoSection;
  int64_t bytes_ = 0;
  uint64_t draws_ = 0;
  int depth_ = 0;        // bodies around
  bool issues_ = false;  // into a recording that is not the function's own
};

}  // namespace

Status make_function(const FunctionSource& source, Ref<Graph>* graph, int64_t* measured) {
  const tape::Aside aside;
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.name = source.function.name.c_str();
  options.flags = RONDO_RECORD_CALLABLE;
  options.arenas = source.arenas;
  if (source.function.fewer_roundings) options.flags |= RONDO_RECORD_FEWER_ROUNDINGS;
  if (source.host_decides) options.flags |= RONDO_RECORD_HOST_DECIDES;
  if (setting_choice(Setting::check_numbers) == 1) options.flags |= RONDO_RECORD_SITES;  // nodes of the file
  RONDO_TRY(begin_recording(source.engine, options, true));
  const auto share = std::make_shared<Budget::Share>(source.budget);
  recording_of(source.engine)->share = share;
  Status status = caught([&] { return FunctionRecorder(source).record(); });
  if (status.ok()) {
    status = end_recording(source.engine, graph);
    if (!measured || !share->measured()) return status;
    *measured = share->bytes();
    return {};
  }
  RONDO_TRY(abort_recording(source.engine));
  return status.code() == RONDO_INVALID_ARGUMENT ? error(RONDO_IO_ERROR, "%s", status.message()) : status;
}

Status issue_function(const FunctionSource& source, std::span<rondo_tensor* const> inputs, rondo_tensor** outputs) {
  if (!recording_of(source.engine))
    return error(RONDO_INVALID_STATE, "a function of a program is called in recordings only");
  if (source.host_decides) let_host_decide(source.engine);
  const Status status = FunctionRecorder(source).issue(inputs, outputs);
  return status.code() == RONDO_INVALID_ARGUMENT ? error(RONDO_IO_ERROR, "%s", status.message()) : status;
}

}  // namespace rondo::program_files
