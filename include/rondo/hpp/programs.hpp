// Program files. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_PROGRAMS_HPP
#define RONDO_HPP_PROGRAMS_HPP

#include <rondo/hpp/graph.hpp>
#include <rondo/hpp/models.hpp>

#include <functional>

namespace rondo {
inline namespace abi_0 {

// The functions of a program with their weights on one device; as rondo/programs.h.
class ProgramInstance : public Owner<rondo_program_instance, rondo_program_instance_destroy> {
 public:
  using Owner::Owner;
  ProgramInstance(rondo_program_instance* handle, rondo_engine* engine) : Owner(handle), engine_(engine) {}

  // A function by its name. Who calls it often keeps it.
  Graph graph(const std::string& function) const {
    rondo_graph* graph = nullptr;
    throw_on_failure(rondo_program_graph(get(), function.c_str(), &graph));
    return Graph(graph, engine_);
  }
  std::vector<Tensor> call(const std::string& function, const Tensors& inputs) const {
    return graph(function).call(inputs);
  }
  void call_into(const std::string& function, const Tensors& inputs, const Tensors& outputs) const {
    std::vector<rondo_tensor*> given = outputs.handles();
    throw_on_failure(
        rondo_program_call(get(), function.c_str(), inputs.count(), inputs.data(), outputs.count(), given.data()));
  }
  Tensor weight(const std::string& name) const {
    return Tensor::made_by(engine_,
                           [&](rondo_tensor** out) { return rondo_program_instance_weight(get(), name.c_str(), out); });
  }

 private:
  rondo_engine* engine_ = nullptr;
};

// A program file that is open.
class Program : public Owner<rondo_program, rondo_program_destroy> {
 public:
  using Owner::Owner;
  explicit Program(const std::string& path) : Owner(open(path)) {}

  rondo_program_info info() const {
    rondo_program_info info = RONDO_PROGRAM_INFO_INIT;
    throw_on_failure(rondo_program_query(get(), &info));
    return info;
  }
  struct Value {
    std::string name;
    rondo_program_tensor_info info;
  };
  struct Function {
    std::string name;
    rondo_program_function_info info;
    std::vector<Value> inputs, outputs;
  };
  // In the file's order.
  std::vector<Function> functions() const {
    std::vector<Function> all(static_cast<size_t>(info().functions));
    for (size_t i = 0; i < all.size(); ++i) {
      const char* name = nullptr;
      const int64_t function = static_cast<int64_t>(i);
      all[i].info = RONDO_PROGRAM_FUNCTION_INFO_INIT;
      throw_on_failure(rondo_program_function(get(), function, &name, &all[i].info));
      all[i].name = name;
      for (int32_t k = 0; k < all[i].info.inputs; ++k)
        all[i].inputs.push_back(value([&](const char** found, rondo_program_tensor_info* info) {
          return rondo_program_input(get(), function, k, found, info);
        }));
      for (int32_t k = 0; k < all[i].info.outputs; ++k)
        all[i].outputs.push_back(value([&](const char** found, rondo_program_tensor_info* info) {
          return rondo_program_output(get(), function, k, found, info);
        }));
    }
    return all;
  }
  int64_t find(const std::string& function) const {
    int64_t index = 0;
    throw_on_failure(rondo_program_find(get(), function.c_str(), &index));
    return index;
  }
  std::vector<Value> weights() const {
    std::vector<Value> all;
    for (int64_t i = 0, n = info().weights; i < n; ++i)
      all.push_back(value([&](const char** found, rondo_program_tensor_info* info) {
        return rondo_program_weight(get(), i, found, info);
      }));
    return all;
  }
  std::vector<std::pair<std::string, std::string>> metadata() const {
    std::vector<std::pair<std::string, std::string>> all;
    for (int64_t i = 0, n = info().metadata; i < n; ++i) {
      const char *key = nullptr, *text = nullptr;
      throw_on_failure(rondo_program_metadata(get(), i, &key, &text));
      all.emplace_back(key, text);
    }
    return all;
  }
  std::string text() const {
    return detail::text_of([&](char* buffer, size_t capacity, size_t* length) {
      return rondo_program_text(get(), buffer, capacity, length);
    });
  }
  ProgramInstance instance(const Engine& engine, rondo_device device) const {
    rondo_program_instance* made = nullptr;
    throw_on_failure(rondo_program_create_instance(get(), engine.get(), device, &made));
    return ProgramInstance(made, engine.get());
  }

 private:
  static rondo_program* open(const std::string& path) {
    rondo_program* program = nullptr;
    throw_on_failure(rondo_program_open(path.c_str(), &program));
    return program;
  }
  template <class Ask>
  static Value value(const Ask& ask) {
    Value value = {std::string(), RONDO_PROGRAM_TENSOR_INFO_INIT};
    const char* name = nullptr;
    throw_on_failure(ask(&name, &value.info));
    value.name = name;
    return value;
  }
};

// A function that is saved: a graph that is called. Names of its inputs and outputs: one each, an empty one is the
// default; none at all: "input0", "output0" and so on.
struct SavedFunction {
  std::string name;
  std::reference_wrapper<const Graph> graph;
  std::vector<std::string> inputs = {}, outputs = {};
};

namespace detail {

// The names that C gets: as many as the graph has inputs, or outputs.
inline void add_names(const SavedFunction& function, const char* what, const std::vector<std::string>& names,
                      int32_t count, std::vector<const char*>* all) {
  if (!names.empty() && names.size() != static_cast<size_t>(count))
    throw Error(RONDO_INVALID_ARGUMENT, "save_program: function '" + function.name + "' has " + std::to_string(count) +
                                            " " + what + ", not " + std::to_string(names.size()) +
                                            ": names are given for each of them, or for none");
  for (const std::string& each : names) all->push_back(each.empty() ? nullptr : each.c_str());
  if (names.empty()) all->resize(all->size() + static_cast<size_t>(count));
}

}  // namespace detail

// Saves functions with the tensors from outside that they use. `weights` gives names to some of these, the others are
// "weight0" and so on; `metadata` are texts of the author; `reader`: the oldest version of the library that shall read
// the file, such as "0.1", or this one.
inline void save_program(const std::string& path, const std::vector<SavedFunction>& functions,
                         const std::vector<std::pair<std::string, Tensor>>& weights = {},
                         const std::vector<std::pair<std::string, std::string>>& metadata = {},
                         const char* reader = nullptr) {
  std::vector<const char*> function_names, inputs, outputs, weight_names, keys, values;
  std::vector<rondo_graph*> graphs;
  std::vector<rondo_tensor*> handles;
  for (const SavedFunction& function : functions) {
    const Graph& graph = function.graph;
    const rondo_graph_info info = graph.info();
    function_names.push_back(function.name.c_str());
    graphs.push_back(graph.get());
    detail::add_names(function, "inputs", function.inputs, info.inputs, &inputs);
    detail::add_names(function, "outputs", function.outputs, info.outputs, &outputs);
  }
  for (const auto& [name, tensor] : weights) {
    weight_names.push_back(name.c_str());
    handles.push_back(tensor.get());
  }
  for (const auto& [key, value] : metadata) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  rondo_program_save_options options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
  options.inputs = inputs.data();
  options.outputs = outputs.data();
  options.n_weights = handles.size();
  options.weight_names = weight_names.data();
  options.weights = handles.data();
  options.n_metadata = keys.size();
  options.keys = keys.data();
  options.values = values.data();
  options.reader = reader;
  throw_on_failure(rondo_program_save(path.c_str(), static_cast<int32_t>(graphs.size()), function_names.data(),
                                      graphs.data(), &options));
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_PROGRAMS_HPP
