// Records a function of a program file: each node calls the operator that it names, whose own checks decide whether
// attributes, shapes and dtypes go together. The recorded task must be the one of the file.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "base/caught.h"
#include "base/settings.h"
#include "base/text.h"
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

// Records the nodes of one function. Its thread records.
class FunctionRecorder {
 public:
  FunctionRecorder(const Program& program, const Function& function, Engine& engine, Device& device)
      : program_(program), function_(function), engine_(engine), device_(device), recording_(*recording_of(engine)) {}

  Status record(const std::vector<TensorHandle>& weights) {
    for (const Declared& each : function_.inputs) {
      rondo_tensor* made = nullptr;
      RONDO_TRY(make_input(engine_, device_, each.dtype, each.shape, &made));
      put(TensorHandle(made));
    }
    for (const uint32_t weight : function_.weights) {
      const rondo_tensor& tensor = *weights[weight];
      put(TensorHandle(make_view(tensor.storage, tensor.view)));
      weights_.emplace(tensor.view.storage, weight);
    }
    RONDO_TRY(add_all(function_.nodes));
    RONDO_TRY(switch_to(kNoSection));
    for (const Function::Output& each : function_.outputs) {
      const View& made = view(each.value);
      Status status = made.dtype == each.dtype && made.layout.same_shape(each.shape)
                          ? name_output(engine_, made)
                          : wrong("it is of another dtype or shape than its value");
      if (!status.ok()) return status.with_context("output '" + models::shown(each.name) + "'");
    }
    return {};
  }

 private:
  const View& view(uint32_t value) const { return values_[value]->view; }
  void put(TensorHandle tensor) { values_.push_back(std::move(tensor)); }
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
      const Status status = node.role == Node::Role::view      ? add_view(node)
                            : node.role == Node::Role::empty   ? make(node.outputs[0])
                            : node.role == Node::Role::control ? add_choice(node)
                                                               : add_operation(node);
      if (recording_.notes_sites)
        (void)say_site((node_name(node, i) + " of function '" + models::shown(function_.name) + "'").c_str());
      if (!status.ok()) return status.with_context(node_name(node, i));
    }
    return {};
  }
  Status add_view(const Node& node) {
    View made;
    RONDO_TRY(ops::apply_view(*node.call, view(node.inputs[0]), &made));
    put(TensorHandle(make_view(values_[node.inputs[0]]->storage, made)));
    return {};
  }
  // A body keeps for itself the values that it makes.
  Status add_choice(const Node& node) {
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
    return control(engine_, form_of(choice.kind, choice.limit), view(node.inputs[0]), bodies);
  }
  Status add_operation(const Node& node) {
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
      const auto weight = weights_.find(tensor->view.storage);
      if (weight != weights_.end() && !program_.weights[weight->second].state)
        return wrong("it writes the weight '" + models::shown(program_.weights[weight->second].name) +
                     "', which is not a state");
    }
    if (!count_steps(*node.call, inputs.empty() ? nullptr : inputs.data(), &steps_))
      return wrong(format("the recurrent layers of the function have more than %lld steps", printable(kMostSteps)));
    RONDO_TRY(check_operation(*node.call, inputs, written));
    const size_t before = recording_.taken();
    Status status = kInvokes[node.call->of.index()](
        *node.call, {engine_, Engine::intern(row_of(*node.call).name), inputs, results});
    if (!status.ok()) return status;
    return check_recorded(*node.call, before, inputs, written);
  }
  // One task, which is what the file says; checks of indices aside.
  Status check_recorded(const ops::Call& call, size_t before, std::span<const View> inputs,
                        std::span<const View> written) {
    const ops::Call* found = nullptr;
    size_t at = 0;
    for (size_t i = before; i < recording_.taken(); ++i) {
      const ops::Call* const each = recording_.call(i);
      if (each && std::holds_alternative<ops::IndexCheckCall>(each->of)) continue;
      if (!each || found) {
        if (const auto* const whole = recording_.whole(before)) return check_whole(call, *whole, inputs, written);
        return error(RONDO_UNSUPPORTED,
                     "on this device the operator is several tasks, of which files have no node yet");
      }
      found = each;
      at = i;
    }
    if (!found || !same_attributes(*found, call))
      return wrong("its attributes are not those of its operator and operands");
    // An operator may repeat an operand or lay it out in another way, and uses no other tensor.
    std::vector<TaskOperand> operands;
    recording_.task(at).list_operands(&operands);
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
  // The same of steps. A file need not name the values that recurrent layers leave.
  static Status check_whole(const ops::Call& call, const ops::ProgramGroup::Whole& whole, std::span<const View> inputs,
                            std::span<const View> written) {
    if (!whole.call || !same_attributes(*whole.call, call))
      return wrong("its attributes are not those of its operator and operands");
    std::span<const TaskOperand> operands = whole.operands;
    const size_t count = inputs.size() + written.size();
    if (std::holds_alternative<ops::RecurrentCall>(call.of) && count < operands.size())
      operands = operands.first(count);
    return check_operands(operands, inputs, written);
  }
  Status add_parameter(const Node& node, const ops::ParameterCall& call) {
    if (depth_ > 0) return wrong("a parameter in a body");
    if (call.number >= function_.parameters.size()) return wrong("it is a parameter that the function does not have");
    const Function::Parameter& parameter = function_.parameters[call.number];
    const Written& written = node.outputs[0];
    if (!written.made || written.dtype != parameter.dtype || written.layout.ndim != 0)
      return wrong("a parameter makes a tensor of its dtype without axes");
    rondo_tensor* made = nullptr;
    RONDO_TRY(record_parameter(engine_, parameter.name.c_str(), device_, parameter.dtype,
                               ops::scalar_of_word(parameter.word, compute_dtype(parameter.dtype)), &made));
    put(TensorHandle(made));
    return {};
  }

  Status switch_to(uint32_t section) {
    if (section == section_) return {};
    if (section_ != kNoSection) RONDO_TRY(end_section(engine_));
    section_ = section;
    if (section == kNoSection) return {};
    const Function::Section& each = function_.sections[section];
    return begin_section(engine_, each.name.c_str(), each.on);
  }

  const Program& program_;
  const Function& function_;
  Engine& engine_;
  Device& device_;
  const Recording& recording_;
  std::vector<TensorHandle> values_;
  std::unordered_map<const Storage*, uint32_t> weights_;
  uint32_t section_ = kNoSection;
  int64_t bytes_ = 0, steps_ = 0;
  int depth_ = 0;  // bodies around
};

}  // namespace

Status make_function(const Program& program, const Function& function, Engine& engine, Device& device,
                     const std::vector<TensorHandle>& weights, Ref<Graph>* graph) {
  const tape::Aside aside;
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.name = function.name.c_str();
  options.flags = RONDO_RECORD_CALLABLE;
  if (function.fewer_roundings) options.flags |= RONDO_RECORD_FEWER_ROUNDINGS;
  if (setting_choice(Setting::check_numbers) == 1) options.flags |= RONDO_RECORD_SITES;  // nodes of the file
  RONDO_TRY(begin_recording(engine, options, true));
  Status status = caught([&] { return FunctionRecorder(program, function, engine, device).record(weights); });
  if (status.ok()) return end_recording(engine, graph);
  RONDO_TRY(abort_recording(engine));
  return status.code() == RONDO_INVALID_ARGUMENT ? error(RONDO_IO_ERROR, "%s", status.message()) : status;
}

}  // namespace rondo::program_files
