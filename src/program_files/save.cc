// Turns recorded nodes into those of a program: storages become values, the views that were noted nodes, and tensors
// from outside the weights. Bodies of control flow see the values and views around them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "program_files/save.h"

#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "models/json.h"
#include "ops/program/views.h"
#include "program_files/attributes.h"
#include "program_files/check.h"
#include "program_files/collected.h"
#include "program_files/known_words.h"
#include "program_files/program_text.h"
#include "program_files/recorded_scope.h"
#include "program_files/views.h"

namespace rondo::program_files {

namespace {

using ops::Call;

// Writes down one graph.
class FunctionMaker {
 public:
  FunctionMaker(const SavedFunction& saved, Weights* weights, Refusals* refusals, int64_t* steps, Function* function)
      : saved_(saved),
        graph_(*saved.graph),
        weights_(*weights),
        refusals_(*refusals),
        function_(*function),
        steps_(steps) {}

  Status make() {
    function_.name = saved_.name;
    RONDO_TRY(check_name("function", function_.name));
    const RecordedProgram* const recorded = graph_.recorded();
    if (!graph_.facts().callable || !recorded)
      return error(RONDO_UNSUPPORTED,
                   "graph '%s' is launched; a function is a graph that is called: record it with RONDO_RECORD_CALLABLE",
                   graph_.name());
    function_.fewer_roundings = recorded->fewer_roundings();
    Scope scope(recorded->program(), nullptr);
    RONDO_TRY(declare_inputs());
    declare_weights(recorded->program());
    declare_settings();
    add_all(&scope, &function_.nodes);
    nodes_ = &function_.nodes;
    return declare_outputs(&scope);
  }

 private:
  static constexpr uint32_t kNone = ops::OperandViews::kNone;
  struct Value {
    uint32_t number;
    View base;
  };
  using Scope = RecordedScope;
  // A node of the file is made of this.
  struct Operation {
    Ref<const Call> call;
    uint32_t section;
    struct Operand {
      View view;
      uint32_t of;  // of the scope's views
      bool written;
    };
    std::vector<Operand> operands;
  };

  Status names_of(const char* what, const std::vector<std::string>& given, size_t count,
                  std::vector<std::string>* names) {
    std::unordered_set<std::string_view> taken;
    for (size_t i = 0; i < count; ++i) {
      names->push_back(i < given.size() && !given[i].empty() ? given[i] : format("%s%zu", what, i));
      RONDO_TRY(check_name(what, names->back()));
    }
    for (const std::string& each : *names)
      if (!taken.insert(each).second)
        return error(RONDO_INVALID_ARGUMENT, "function '%s' has two %ss with the name '%s'",
                     models::excerpt(function_.name).c_str(), what, models::excerpt(each).c_str());
    return {};
  }
  Status declare_inputs() {
    const Bindings& bindings = graph_.bindings();
    std::vector<std::string> names;
    RONDO_TRY(names_of("input", saved_.inputs, bindings.inputs(), &names));
    for (uint32_t i = 0; i < bindings.inputs(); ++i) {
      const Binding& each = bindings[i];
      function_.inputs.push_back({names[i], each.dtype, each.layout, false, {}});
      View view;
      view.storage = each.storage.get();
      view.dtype = each.dtype;
      view.layout = each.layout;
      define(view);
    }
    return {};
  }
  // In the order in which nodes use them first.
  void declare_weights(const ops::Program& program) {
    for (const ops::ProgramValue& each : program.values)
      if (!each.from_outside()) made_.insert(each.storage.get());
    for (size_t i = 0; i < program.nodes.size(); ++i) {
      const ops::ProgramNode& node = program.nodes[i];
      if (const auto* control = Control::of(node)) {
        declare_weight(control->number());
        for (const rondo::Body& body : control->bodies()) {
          if (!body.recorded) continue;
          declare_weights(*body.recorded);
        }
      }
      for (const ops::ProgramOperand& each : node.operands)
        if (each.known) declare_weight(each.view);
    }
  }
  void declare_weight(const View& used) {
    Storage& storage = *used.storage;
    if (made_.count(&storage) || values_.count(&storage)) return;
    const uint32_t weight = weights_.number(storage, used);
    function_.weights.push_back(weight);
    weight_of_.emplace(&storage, weight);
    define(weights_.tensors[weight].view);
  }
  void declare_settings() {
    const LaunchSettings& settings = graph_.settings();
    for (uint32_t i = 0; i < settings.size(); ++i) {
      if (settings.kind(i) == LaunchSettings::Kind::parameter) {
        setting_.push_back(static_cast<uint32_t>(function_.parameters.size()));
        function_.parameters.push_back({settings.name(i), settings.dtype(i), settings.word(i)});
      } else {
        setting_.push_back(static_cast<uint32_t>(function_.sections.size()));
        function_.sections.push_back({settings.name(i), settings.word(i) != 0});
      }
    }
  }
  Status declare_outputs(Scope* scope) {
    const Bindings& bindings = graph_.bindings();
    const uint32_t count = bindings.size() - bindings.inputs();
    std::vector<std::string> names;
    RONDO_TRY(names_of("output", saved_.outputs, count, &names));
    for (uint32_t i = 0; i < count; ++i) {
      const Binding& each = bindings[bindings.inputs() + i];
      View view;
      view.storage = each.storage.get();
      view.dtype = each.dtype;
      view.layout = each.layout;
      uint32_t value = 0;
      if (!values_.count(view.storage)) add_empty(view);
      if (!value_of(*scope, view, &value))
        refusals_.add(function_.name, format("output %u: it is seen in another way than it was written", i));
      function_.outputs.push_back({names[i], value, each.dtype, each.layout, {}});
    }
    return {};
  }

  uint32_t define(const View& view) {
    const uint32_t number = next_++;
    values_[view.storage] = {number, view};
    return number;
  }
  // The value that a view of a known storage is; false if there is no way to it.
  bool value_of(Scope& scope, const View& view, uint32_t* value) {
    const uint32_t of = scope.views.of(view);
    *value = of == kNone ? lead_to(view) : value_of(scope, of);
    return *value != kNone;
  }
  uint32_t value_of(Scope& scope, uint32_t of) {
    if (scope.numbers.size() <= of) scope.numbers.resize(scope.views.nodes().size(), kNone);
    if (scope.numbers[of] != kNone) return scope.numbers[of];
    const ops::OperandViews::Node node = scope.views.nodes()[of];
    uint32_t number = kNone;
    if (is_base(node.view)) {
      number = values_.at(node.view.storage).number;
    } else if (node.call) {
      number = value_of(scope, node.from);
      if (number != kNone) number = add_view(node.call, number);
    } else if (scope.around && scope.program.values[node.value].given()) {
      (void)value_of(*scope.around, node.view, &number);
    } else {
      number = lead_to(node.view);
    }
    scope.numbers[of] = number;
    return number;
  }
  bool is_base(const View& view) const {
    const View& base = values_.at(view.storage).base;
    return !view.accumulate && view.dtype == base.dtype && view.offset == base.offset &&
           view.layout.same_as(base.layout);
  }
  // By views that were noted nowhere.
  uint32_t lead_to(const View& view) {
    const Value& known = values_.at(view.storage);
    if (is_base(view)) return known.number;
    std::vector<Ref<const Call>> views;
    if (!find_views(known.base, view, &views)) return kNone;
    uint32_t number = known.number;
    for (Ref<const Call>& each : views) number = add_view(std::move(each), number);
    return number;
  }
  uint32_t add_view(Ref<const Call> call, uint32_t from) {
    Node& node = nodes_->emplace_back();
    node.site = site_;
    node.role = Node::Role::view;
    node.call = std::move(call);
    node.inputs = {from};
    node.outputs.emplace_back().value = next_;
    return next_++;
  }

  // Why a node cannot be saved; empty: it can.
  std::string why_not(Scope& scope, const ops::ProgramNode& node, std::span<const ops::ProgramOperand> operands) {
    std::string json;
    if (std::holds_alternative<ops::OpaqueCall>(node.call->of))
      return "is a task of yours that says nothing of what it does";
    if (node.call->unwritten) return "leaves out results";
    const bool control = std::holds_alternative<ops::ControlCall>(node.call->of);
    if (!control && (!write_attributes(*node.call, &json) || !is_checked(*node.call)))
      return format("is a node of the kind %s", row_of(*node.call).name);
    size_t inputs = 0;
    for (const ops::ProgramOperand& each : operands) {
      inputs += each.written ? 0 : 1;
      if (&each.view.device() != &operands[0].view.device()) return "works on two devices";
    }
    if (device_ && !operands.empty() && device_ != &operands[0].view.device()) return "works on a second device";
    std::vector<std::string_view> names;
    if (!control && !name_operands(*node.call, inputs, operands.size() - inputs, &names))
      return "has operands that have no names";
    for (const ops::ProgramOperand& other : node.operands)
      if (!control && !other.known &&
          std::none_of(operands.begin(), operands.end(),
                       [&](const ops::ProgramOperand& each) { return each.value == other.value; }))
        return "uses what it does not name";
    if (node.random_count && node.random_offset != scope.drawn[node.device])
      return "draws numbers after some that nothing reads";
    if (!add_steps(count_steps(*node.call, operands.empty() ? nullptr : &operands[0].view)))
      return format("is of recurrent layers with more than %lld steps, which all functions may have together",
                    printable(kMostSteps));
    return "";
  }

  void add_all(Scope* scope, std::vector<Node>* nodes) {
    std::vector<Node>* const around = std::exchange(nodes_, nodes);
    for (size_t i = 0; i < scope->program.nodes.size(); ++i) add(*scope, i);
    nodes_ = around;
  }
  void add(Scope& scope, size_t number) {
    const ops::ProgramNode& node = scope.program.nodes[number];
    if (std::holds_alternative<ops::IndexCheckCall>(node.call->of)) return;  // the engine's affair
    size_t known = 0;
    while (known < node.operands.size() && node.operands[known].known) ++known;
    const std::span<const ops::ProgramOperand> operands(node.operands.data(), known);
    site_ = node.site;
    std::string why = why_not(scope, node, operands);
    if (why.empty()) {
      if (!operands.empty()) device_ = &operands[0].view.device();
      scope.drawn[node.device] += node.random_count;
      const auto* const control = Control::of(node);
      if (!(control ? add_choice(scope, number, *control)
                    : add_operation(scope, operation_of(scope, number, operands))))
        why = kNoViews;
    }
    if (why.empty()) return;
    refuse(node, number, why);
    // Its results are there for the others, so that each is told for a reason of its own.
    for (const ops::ProgramOperand& each : operands)
      if (each.written && !values_.count(each.view.storage)) define(ops::whole_of(each.view));
  }
  static constexpr const char* kNoViews = "has an operand that is seen in a way that no views lead to";
  void refuse(const ops::ProgramNode& node, size_t number, const std::string& why) {
    refusals_.add(function_.name, format("node %zu: '%s'%s%s %s", number, node.name, node.site.empty() ? "" : " at ",
                                         node.site.c_str(), why.c_str()));
  }
  static Operation operation_of(const Scope& scope, size_t number, std::span<const ops::ProgramOperand> operands) {
    const ops::ProgramNode& node = scope.program.nodes[number];
    Operation made = {node.call, node.section, {}};
    for (size_t i = 0; i < operands.size(); ++i)
      made.operands.push_back({operands[i].view, scope.views.of(number, i), operands[i].written});
    leave_out_left(scope, number, &made);
    return made;
  }

  bool add_steps(int64_t more) {
    if (more < 0 || more > kMostSteps - *steps_) return false;
    *steps_ += more;
    return true;
  }
  // Recurrent layers leave values for their gradient, which are no results where there is none.
  static void leave_out_left(const Scope& scope, size_t number, Operation* operation) {
    const auto* const call = std::get_if<ops::RecurrentCall>(&operation->call->of);
    if (!call) return;
    auto& operands = operation->operands;
    const auto left = std::find_if(operands.begin(), operands.end(), [](const auto& each) { return each.written; }) +
                      1 + (call->last_h ? 1 : 0) + (call->last_c ? 1 : 0);
    if (std::none_of(left, operands.end(),
                     [&](const auto& each) { return scope.used_besides(*each.view.storage, number); }))
      operands.erase(left, operands.end());
  }
  // True if a view shows each byte of its storage once, from the first on.
  static bool covers(const View& view) {
    int64_t low = 0, high = 0;
    view.layout.extent(&low, &high);
    return !view.accumulate && view.offset == 0 && low == 0 && view.bytes() == view.storage->bytes() &&
           !view.layout.repeats();
  }

  // Makes a node for a tensor that nothing has written, which is zero.
  void add_empty(const View& view) {
    const View all = ops::whole_of(view);
    Node& empty = nodes_->emplace_back();
    empty.site = site_;
    empty.role = Node::Role::empty;
    empty.outputs.push_back({next_, true, all.dtype, all.layout});
    define(all);
  }
  // The same for what an operand is a view of.
  void add_empty(const Scope& scope, uint32_t of) {
    while (scope.views.nodes()[of].from != kNone) of = scope.views.nodes()[of].from;
    add_empty(scope.views.nodes()[of].view);
  }
  void note_written(const View& view) {
    if (const auto weight = weight_of_.find(view.storage); weight != weight_of_.end())
      weights_.written[weight->second] = true;
  }

  bool add_operation(Scope& scope, const Operation& recorded) {
    const std::vector<Operation::Operand>& operands = recorded.operands;
    Node node;
    node.site = site_;
    node.call = recorded.call;
    // A parameter has its value whether its section is on or not.
    if (const auto* parameter = std::get_if<ops::ParameterCall>(&node.call->of))
      node.call = make_ref<const Call>(ops::ParameterCall{setting_[parameter->number]});
    else if (recorded.section != ops::kAlways)
      node.section = setting_[recorded.section];
    // A switched node writes what is there before it.
    const auto makes = [&](const View& view) { return covers(view) && node.section == kNoSection; };
    std::unordered_set<const Storage*> written_before;
    for (size_t i = 0; i < operands.size(); ++i) {
      const View& view = operands[i].view;
      if (values_.count(view.storage)) continue;
      if (!operands[i].written || !makes(view) || !written_before.insert(view.storage).second)
        add_empty(scope, operands[i].of);
    }
    // Views come before the node, and what it makes after them.
    for (size_t i = 0; i < operands.size(); ++i) {
      const View& view = operands[i].view;
      if (operands[i].written) {
        node.outputs.emplace_back().made = !values_.count(view.storage);
        if (node.outputs.back().made) continue;
        note_written(view);
      }
      const uint32_t value = value_of(scope, operands[i].of);
      if (value == kNone) return false;
      if (operands[i].written)
        node.outputs.back().value = value;
      else
        node.inputs.push_back(value);
    }
    size_t next = 0;
    for (const Operation::Operand& each : operands) {
      if (!each.written) continue;
      Written& written = node.outputs[next++];
      if (written.made) written = {define(each.view), true, each.view.dtype, each.view.layout};
    }
    nodes_->push_back(std::move(node));
    return true;
  }
  // All that bodies see of what is around them is there before them.
  bool add_choice(Scope& scope, size_t number, const Control& control) {
    const ops::ProgramNode& recorded = scope.program.nodes[number];
    Node node;
    node.site = recorded.site;
    node.role = Node::Role::control;
    node.choice = std::make_unique<Choice>();
    node.choice->kind = control.form().kind;
    node.choice->limit = control.form().limit;
    if (recorded.section != ops::kAlways) node.section = setting_[recorded.section];
    const auto see = [&](const View& view, uint32_t* value) {
      if (!values_.count(view.storage)) add_empty(scope, scope.views.of(view));
      return value_of(scope, view, value);
    };
    if (!see(control.number(), &node.inputs.emplace_back())) return false;
    const std::vector<std::unique_ptr<Scope>>& bodies = scope.bodies.at(number);
    for (const auto& each : bodies) {
      if (!each) continue;
      uint32_t seen = 0;
      for (const View& view : each->from_around())
        if (!see(view, &seen)) return false;
    }
    for (const auto& each : bodies) {
      Choice::Body& body = node.choice->bodies.emplace_back();
      body.there = each != nullptr;
      if (!each) continue;
      const uint32_t before = next_;
      add_all(each.get(), &body.nodes);
      next_ = before;
    }
    nodes_->push_back(std::move(node));
    return true;
  }

  const SavedFunction& saved_;
  const Graph& graph_;
  Weights& weights_;
  Refusals& refusals_;
  Function& function_;
  std::unordered_set<const Storage*> made_;
  std::unordered_map<const Storage*, Value> values_;
  std::unordered_map<const Storage*, uint32_t> weight_of_;
  std::vector<uint32_t> setting_;       // by the recording's number: among parameters or sections
  std::vector<Node>* nodes_ = nullptr;  // of what is written down now
  const Device* device_ = nullptr;
  uint32_t next_ = 0;
  int64_t* const steps_;  // of recurrent layers, in all functions
  std::string site_;      // of what is written down now
};

}  // namespace

Status make_saved(const SavedFunction& saved, Weights* weights, Refusals* refusals, int64_t* steps,
                  Function* function) {
  return FunctionMaker(saved, weights, refusals, steps, function).make();
}

Status check_functions(const std::vector<SavedFunction>& functions) {
  std::unordered_set<std::string_view> names;
  for (const SavedFunction& each : functions)
    if (!names.insert(each.name).second)
      return error(RONDO_INVALID_ARGUMENT, "two functions have the name '%s'", models::excerpt(each.name).c_str());
  return {};
}

KnownWords words_of(const SaveOptions& options) {
  KnownWords words = known_words();
  if (options.reader) words.version = *options.reader;
  return words;
}

Status complete(const SaveOptions& options, const KnownWords& words, Weights* weights, Program* program) {
  for (const models::NamedTensor& each : options.weights)
    if (std::none_of(weights->tensors.begin(), weights->tensors.end(),
                     [&](const models::NamedTensor& used) { return used.view.storage == each.view.storage; }))
      return error(RONDO_INVALID_ARGUMENT, "no function uses the weight '%s'", models::excerpt(each.name).c_str());
  weights->name_others();
  for (size_t i = 0; i < weights->tensors.size(); ++i) {
    const models::NamedTensor& each = weights->tensors[i];
    program->weights.push_back({each.name, each.view.dtype, each.view.layout, weights->written[i], {}});
  }
  program->made_by = format("%d.%d.%d", RONDO_VERSION_MAJOR, RONDO_VERSION_MINOR, RONDO_VERSION_PATCH);
  RONDO_TRY(check_version(*program, words));
  program->needs = needed_version(*program, words);
  return {};
}

Status save_text(const char* path, const models::ExternalWeights& external, std::vector<models::NamedTensor> weights,
                 const models::Metadata& metadata, std::string text) {
  if (external.any()) return models::save_external(path, external, std::move(weights), {metadata, {}, std::move(text)});
  models::Metadata all = metadata;
  all.emplace_back(kProgramKey, std::move(text));
  return models::save(path, std::move(weights), all);
}

Status save_program(const char* path, const std::vector<SavedFunction>& functions, const SaveOptions& options) {
  Program program;
  Refusals refusals;
  Weights weights(options.weights);
  RONDO_TRY(weights.check(options.weights));
  RONDO_TRY(check_functions(functions));
  program.functions.resize(functions.size());
  int64_t steps = 0;
  for (size_t i = 0; i < functions.size(); ++i)
    RONDO_TRY(make_saved(functions[i], &weights, &refusals, &steps, &program.functions[i]));
  RONDO_TRY(refusals.status());  // mutation: refusals_not_told
  const KnownWords words = words_of(options);
  RONDO_TRY(complete(options, words, &weights, &program));
  return save_text(path, options.external, std::move(weights.tensors), options.metadata, write_program(program, words));
}

}  // namespace rondo::program_files
