// Turns recorded nodes into those of a program: storages become values, views the steps that lead to them, and tensors
// from outside the weights.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "program_files/save.h"

#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "models/json.h"
#include "program_files/attributes.h"
#include "program_files/check.h"
#include "program_files/program_text.h"
#include "program_files/version.h"
#include "program_files/views.h"

namespace rondo::program_files {

namespace {

using ops::Call;

// Everything that cannot be saved, for one message.
class Refusals {
 public:
  RONDO_COLD void add(const std::string& function, const std::string& what) {
    constexpr size_t kShown = 20;
    if (count_++ < kShown) text_ += "\n  function '" + models::shown(function) + "', " + what;
  }
  Status status() const {
    if (count_ == 0) return {};
    return error(RONDO_UNSUPPORTED, "%zu operator%s cannot be saved:%s", count_, count_ == 1 ? "" : "s", text_.c_str());
  }

 private:
  size_t count_ = 0;
  std::string text_;
};

// The tensors from outside of all functions.
class Weights {
 public:
  explicit Weights(const std::vector<models::NamedTensor>& named) {
    for (const models::NamedTensor& each : named) names_.emplace(each.view.storage, &each);
  }
  Status check(const std::vector<models::NamedTensor>& named) const {
    std::unordered_set<std::string_view> taken;
    for (const models::NamedTensor& each : named) {
      RONDO_TRY(check_name("weight", each.name));
      if (!taken.insert(each.name).second)
        return error(RONDO_INVALID_ARGUMENT, "two weights have the name '%s'", models::shown(each.name).c_str());
      if (!is_whole(each.view))
        return error(RONDO_INVALID_ARGUMENT, "the weight '%s' is a part of a tensor, or not row-major; name the tensor",
                     models::shown(each.name).c_str());
    }
    if (names_.size() != named.size()) return error(RONDO_INVALID_ARGUMENT, "a weight has two names");
    return {};
  }
  // The number of the one on this storage, which `used` shows.
  uint32_t number(Storage& storage, const View& used) {
    const auto [found, fresh] = numbers_.try_emplace(&storage, static_cast<uint32_t>(tensors.size()));
    if (!fresh) return found->second;
    const auto named = names_.find(&storage);
    models::NamedTensor tensor;
    tensor.view = named != names_.end() ? named->second->view : used;
    if (!is_whole(tensor.view)) {
      const auto item = static_cast<int64_t>(dtype_size(used.dtype));
      const int64_t all = static_cast<int64_t>(storage.bytes()) / item;
      tensor.view = {&storage, used.dtype, false, Layout::row_major(1, &all), 0};
    }
    if (named != names_.end()) tensor.name = named->second->name;
    tensors.push_back(std::move(tensor));
    written.push_back(false);
    return found->second;
  }
  // Names for those that have none.
  void name_others() {
    std::unordered_set<std::string> taken;
    for (const auto& [storage, each] : names_) taken.insert(each->name);
    size_t next = 0;
    for (models::NamedTensor& each : tensors)
      while (each.name.empty())
        if (const std::string name = format("weight%zu", next++); !taken.count(name)) each.name = name;
  }
  static bool is_whole(const View& view) {
    return !view.accumulate && view.offset == 0 && view.layout.contiguous() && view.bytes() == view.storage->bytes();
  }

  std::vector<models::NamedTensor> tensors;
  std::vector<bool> written;  // by a function

 private:
  std::unordered_map<const Storage*, const models::NamedTensor*> names_;
  std::unordered_map<const Storage*, uint32_t> numbers_;
};

// Writes down one graph.
class FunctionMaker {
 public:
  FunctionMaker(const SavedFunction& saved, Weights* weights, Refusals* refusals, Function* function)
      : saved_(saved), graph_(*saved.graph), weights_(*weights), refusals_(*refusals), function_(*function) {}

  Status make() {
    function_.name = saved_.name;
    RONDO_TRY(check_name("function", function_.name));
    const RecordedProgram* const recorded = graph_.recorded();
    if (!graph_.facts().callable || !recorded)
      return error(RONDO_UNSUPPORTED,
                   "graph '%s' is launched; a function is a graph that is called: record it with RONDO_RECORD_CALLABLE",
                   graph_.name());
    function_.fewer_roundings = recorded->fewer_roundings();
    for (const Ref<Storage>& each : recorded->storages()) made_.insert(each.get());
    RONDO_TRY(declare_inputs());
    declare_weights(*recorded);
    declare_settings();
    for (size_t i = 0; i < recorded->nodes().size(); ++i) add(recorded->nodes()[i], i);
    return declare_outputs();
  }

 private:
  struct Value {
    uint32_t number;
    View base;
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
                     models::shown(function_.name).c_str(), what, models::shown(each).c_str());
    return {};
  }
  Status declare_inputs() {
    const Bindings& bindings = graph_.bindings();
    std::vector<std::string> names;
    RONDO_TRY(names_of("input", saved_.inputs, bindings.inputs(), &names));
    for (uint32_t i = 0; i < bindings.inputs(); ++i) {
      const Binding& each = bindings[i];
      function_.inputs.push_back({names[i], each.dtype, each.layout});
      View view;
      view.storage = each.storage.get();
      view.dtype = each.dtype;
      view.layout = each.layout;
      define(view);
    }
    return {};
  }
  // In the order in which nodes use them first.
  void declare_weights(const RecordedProgram& recorded) {
    std::vector<TaskOperand> operands;
    for (const RecordedProgram::Node& node : recorded.nodes()) {
      operands.clear();
      node.task->list_operands(&operands);
      for (const TaskOperand& each : operands) {
        Storage& storage = *each.view.storage;
        if (made_.count(&storage) || values_.count(&storage)) continue;
        const uint32_t weight = weights_.number(storage, each.view);
        function_.weights.push_back(weight);
        weight_of_.emplace(&storage, weight);
        define(weights_.tensors[weight].view);
      }
    }
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
  Status declare_outputs() {
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
      if (!value_of(view, &value))
        refusals_.add(function_.name, format("output %u: it is seen in another way than it was written", i));
      function_.outputs.push_back({names[i], value, each.dtype, each.layout});
    }
    return {};
  }

  uint32_t define(const View& view) {
    const uint32_t number = next_++;
    values_[view.storage] = {number, view};
    return number;
  }
  // The value that a view of a known storage is; steps that lead to it become nodes.
  bool value_of(const View& view, uint32_t* value) {
    const Value& known = values_.at(view.storage);
    std::vector<ViewStep> steps;
    if (!find_view_steps(known.base, view, &steps)) return false;
    *value = known.number;
    for (const ViewStep& step : steps) {
      std::vector<int64_t> key = {*value, static_cast<int64_t>(step.kind)};
      key.insert(key.end(), step.numbers, step.numbers + step.count);
      const auto [found, fresh] = views_.try_emplace(std::move(key), next_);
      if (fresh) {
        Node& node = function_.nodes.emplace_back();
        node.role = Node::Role::view;
        node.view = step;
        node.inputs = {*value};
        node.outputs.emplace_back().value = next_++;
      }
      *value = found->second;
    }
    return true;
  }

  // Why a node cannot be saved; empty: it can.
  std::string why_not(const RecordedProgram::Node& node, const std::vector<TaskOperand>& operands) {
    std::string json;
    if (!node.call) return "is a task of yours that says nothing of what it does";
    if (node.call->unwritten) return "leaves out results";
    if (std::holds_alternative<ops::ControlCall>(node.call->of)) return "is control flow, which files do not have yet";
    if (std::holds_alternative<ops::PartCall>(node.call->of))
      return "is a step of an operator of several tasks, which files do not have yet";
    if (!write_attributes(*node.call, &json) || !is_checked(*node.call))
      return format("is a node of the kind %s", row_of(*node.call).name);
    size_t inputs = 0;
    for (const TaskOperand& each : operands) {
      inputs += each.written ? 0 : 1;
      if (&each.view.device() != &operands[0].view.device()) return "works on two devices";
    }
    if (device_ && !operands.empty() && device_ != &operands[0].view.device()) return "works on a second device";
    std::vector<std::string_view> names;
    if (!name_operands(*node.call, inputs, operands.size() - inputs, &names)) return "has operands that have no names";
    for (const Access& access : node.task->accesses()) {
      const Storage* const storage = access.variable->storage();
      if (!storage || std::none_of(operands.begin(), operands.end(),
                                   [storage](const TaskOperand& each) { return each.view.storage == storage; }))
        return "uses what it does not name";
    }
    if (node.random_offset != drawn_ && node.task->random_count()) return "draws numbers after some that nothing reads";
    return "";
  }

  void add(const RecordedProgram::Node& node, size_t number) {
    if (node.call && std::holds_alternative<ops::IndexCheckCall>(node.call->of)) return;  // the engine's affair
    std::vector<TaskOperand> operands;
    node.task->list_operands(&operands);
    std::string why = why_not(node, operands);
    if (why.empty()) {
      if (!operands.empty()) device_ = &operands[0].view.device();
      drawn_ += node.task->random_count();
      if (!add_operation(node, operands)) why = "has an operand that is seen in a way that no views lead to";
    }
    if (why.empty()) return;
    refusals_.add(function_.name, format("node %zu: '%s'%s%s %s", number, node.task->name(),
                                         node.site.empty() ? "" : " at ", node.site.c_str(), why.c_str()));
    // Its results are there for the others, so that each is told for a reason of its own.
    for (const TaskOperand& each : operands)
      if (each.written && !values_.count(each.view.storage)) define(whole(each.view));
  }
  static View whole(const View& view) {
    if (Weights::is_whole(view)) return view;
    const int64_t all = static_cast<int64_t>(view.storage->bytes() / dtype_size(view.dtype));
    return {view.storage, view.dtype, false, Layout::row_major(1, &all), 0};
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
    const View all = whole(view);
    Node& empty = function_.nodes.emplace_back();
    empty.role = Node::Role::empty;
    empty.outputs.push_back({next_, true, all.dtype, all.layout});
    define(all);
  }

  bool add_operation(const RecordedProgram::Node& recorded, const std::vector<TaskOperand>& operands) {
    Node node;
    node.call = recorded.call;
    if (const auto* parameter = std::get_if<ops::ParameterCall>(&node.call->of))
      node.call = make_ref<const Call>(ops::ParameterCall{setting_[parameter->number]});
    if (recorded.section != ops::kAlways) node.section = setting_[recorded.section];
    // A switched node writes what is there before it.
    const auto makes = [&](const View& view) { return covers(view) && node.section == kNoSection; };
    std::unordered_set<const Storage*> written_before;
    for (const TaskOperand& each : operands) {
      if (values_.count(each.view.storage)) continue;
      if (!each.written || !makes(each.view) || !written_before.insert(each.view.storage).second) add_empty(each.view);
    }
    // Views come before the node, and what it makes after them.
    for (const TaskOperand& each : operands) {
      if (!each.written) {
        if (!value_of(each.view, &node.inputs.emplace_back())) return false;
        continue;
      }
      Written& written = node.outputs.emplace_back();
      if (!values_.count(each.view.storage)) continue;
      if (!value_of(each.view, &written.value)) return false;
      if (const auto weight = weight_of_.find(each.view.storage); weight != weight_of_.end())
        weights_.written[weight->second] = true;
    }
    size_t next = 0;
    for (const TaskOperand& each : operands) {
      if (!each.written) continue;
      Written& written = node.outputs[next++];
      if (values_.count(each.view.storage)) continue;
      written = {0, true, each.view.dtype, each.view.layout};
      written.value = define(each.view);
    }
    function_.nodes.push_back(std::move(node));
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
  std::map<std::vector<int64_t>, uint32_t> views_;  // by what they are views of, and how
  std::vector<uint32_t> setting_;                   // by the recording's number: among parameters or sections
  const Device* device_ = nullptr;
  uint64_t drawn_ = 0;
  uint32_t next_ = 0;
};

}  // namespace

Status save_program(const char* path, const std::vector<SavedFunction>& functions, const SaveOptions& options) {
  Program program;
  Refusals refusals;
  Weights weights(options.weights);
  RONDO_TRY(weights.check(options.weights));
  std::unordered_set<std::string_view> names;
  program.functions.resize(functions.size());
  for (size_t i = 0; i < functions.size(); ++i) {
    if (!names.insert(functions[i].name).second)
      return error(RONDO_INVALID_ARGUMENT, "two functions have the name '%s'",
                   models::shown(functions[i].name).c_str());
    RONDO_TRY(FunctionMaker(functions[i], &weights, &refusals, &program.functions[i]).make());
  }
  RONDO_TRY(refusals.status());
  for (const models::NamedTensor& each : options.weights)
    if (std::none_of(weights.tensors.begin(), weights.tensors.end(),
                     [&](const models::NamedTensor& used) { return used.view.storage == each.view.storage; }))
      return error(RONDO_INVALID_ARGUMENT, "no function uses the weight '%s'", models::shown(each.name).c_str());
  weights.name_others();
  for (size_t i = 0; i < weights.tensors.size(); ++i) {
    const models::NamedTensor& each = weights.tensors[i];
    program.weights.push_back({each.name, each.view.dtype, each.view.layout, weights.written[i]});
  }
  program.made_by = format("%d.%d.%d", RONDO_VERSION_MAJOR, RONDO_VERSION_MINOR, RONDO_VERSION_PATCH);
  program.needs = needed_version(program);
  models::Metadata metadata = options.metadata;
  metadata.emplace_back(kProgramKey, write_program(program));
  return models::save(path, weights.tensors, metadata);
}

}  // namespace rondo::program_files
