// Program files. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_PROGRAMS_HPP
#define RONDO_HPP_PROGRAMS_HPP

#include <rondo/hpp/callable.hpp>
#include <rondo/hpp/graph.hpp>
#include <rondo/hpp/models.hpp>

#include <functional>
#include <map>

namespace rondo {
inline namespace abi_0 {

// Safetensors files in the folder of a program's that have its weights, by their names; the program is JSON alone then.
// Without any, the program and its weights are one file.
struct ProgramWeightFiles {
  std::string into = {};               // written with the weights that are in none of `from`; empty: none is
  std::vector<std::string> from = {};  // are there, and stay as they are

  // Lets the options point to the names. The caller keeps the list that is returned, and this, as long as the options
  // are used.
  [[nodiscard]] std::vector<const char*> set(rondo_program_save_options* options) const {
    std::vector<const char*> names;
    for (const std::string& each : from) names.push_back(each.c_str());
    options->weights_into = into.empty() ? nullptr : into.c_str();
    options->n_weights_from = names.size();
    options->weights_from = names.data();
    return names;
  }
};

// The functions of a program with their weights on one device; as rondo/programs.h.
class ProgramInstance : public Owner<rondo_program_instance, rondo_program_instance_destroy> {
 public:
  using Owner::Owner;
  // outputs: how many each function has.
  ProgramInstance(rondo_program_instance* handle, rondo_engine* engine, std::map<std::string, int32_t> outputs = {})
      : Owner(handle), engine_(engine), outputs_(std::move(outputs)) {}

  // A function of one size by its name. Who calls it often keeps it.
  Graph graph(const std::string& function) const {
    rondo_graph* graph = nullptr;
    throw_on_failure(rondo_program_graph(get(), function.c_str(), &graph));
    return Graph(graph, engine_);
  }
  // A function whose sizes vary: for figures and the report of its graphs.
  Callable callable(const std::string& function) const {
    rondo_callable* callable = nullptr;
    throw_on_failure(rondo_program_callable(get(), function.c_str(), &callable));
    const auto known = outputs_.find(function);
    return Callable(callable, known == outputs_.end() ? 0 : known->second);
  }
  std::vector<Tensor> call(const std::string& function, const Tensors& inputs) const {
    const auto known = outputs_.find(function);
    if (known == outputs_.end()) return graph(function).call(inputs);  // which says why, if there is none
    detail::Made made(static_cast<size_t>(known->second), engine_);
    throw_on_failure(
        rondo_program_call(get(), function.c_str(), inputs.count(), inputs.data(), made.count(), made.data()));
    return made.take_all();
  }
  // With a time limit: when it is over, nothing of the call begins any more (rondo_program_call_within).
  std::vector<Tensor> call_within(int64_t timeout_ms, const std::string& function, const Tensors& inputs) const {
    const auto known = outputs_.find(function);
    detail::Made made(static_cast<size_t>(known == outputs_.end() ? 0 : known->second), engine_);
    throw_on_failure(rondo_program_call_within(get(), function.c_str(), timeout_ms, inputs.count(), inputs.data(),
                                               made.count(), made.data()));
    return made.take_all();
  }
  // By names: all inputs, in any order, and the outputs that are wanted, in the order of `outputs`. timeout_ms: 0, or a
  // time limit as of call_within.
  std::vector<Tensor> call_named(const std::string& function, const std::vector<std::pair<std::string, Tensor>>& inputs,
                                 const std::vector<std::string>& outputs, int64_t timeout_ms = 0) const {
    std::vector<const char*> input_names, output_names;
    std::vector<rondo_tensor*> given;
    for (const auto& [name, tensor] : inputs) {
      input_names.push_back(name.c_str());
      given.push_back(tensor.get());
    }
    for (const std::string& each : outputs) output_names.push_back(each.c_str());
    detail::Made made(outputs.size(), engine_);
    throw_on_failure(rondo_program_call_named(get(), function.c_str(), timeout_ms, static_cast<int32_t>(given.size()),
                                              input_names.data(), given.data(), made.count(), output_names.data(),
                                              made.data()));
    return made.take_all();
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
  // Writes the program with its weights and states as they are now.
  void save(const std::string& path, const ProgramWeightFiles& files = {}) const {
    rondo_program_save_options options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
    const std::vector<const char*> from = files.set(&options);
    throw_on_failure(rondo_program_instance_save(get(), path.c_str(), &options));
  }

 private:
  rondo_engine* engine_ = nullptr;
  std::map<std::string, int32_t> outputs_;
};

// What an instance has otherwise than the file says.
struct ProgramInstanceOptions {
  rondo_callable_options callables = RONDO_CALLABLE_OPTIONS_INIT;  // of functions whose sizes vary
  std::vector<std::pair<std::string, Tensor>> weights = {};        // in place of those of the file
  int64_t most_turns = 0;                                          // of each loop; 0: as the file says
  std::vector<std::pair<std::string, int64_t>> extra = {};  // functions and values, which are outputs behind their own
  int64_t most_bytes = 0;                                   // of weights and graphs together; 0: any
};

// A size that varies and has a name.
struct ProgramDim {
  std::string name;
  int64_t least = 0, most = 0;
};

// A program file that is open.
class Program : public Owner<rondo_program, rondo_program_destroy> {
 public:
  using Owner::Owner;
  explicit Program(const std::string& path) : Owner(open(path)) {}

  // The program whose file would have these bytes, which are copied: a pointer, or a std::span, a vector or a string of
  // bytes.
  static Program from_bytes(const void* data, size_t bytes) {
    rondo_program* program = nullptr;
    throw_on_failure(rondo_program_open_bytes(data ? data : "", bytes, &program));
    return Program(program);
  }
  template <class Bytes>
  static Program from_bytes(const Bytes& bytes) {
    static_assert(sizeof(*bytes.data()) == 1, "bytes are needed: char, unsigned char, std::byte");
    return from_bytes(bytes.data(), bytes.size());
  }

  // Its kernels and choices are kept for other processes from now on (rondo_program_trust).
  void trust() const { throw_on_failure(rondo_program_trust(get())); }
  // Making something of it may take so many milliseconds each time, from now on; 0: any (rondo_program_limit_making).
  void limit_making(int64_t most_ms) const { throw_on_failure(rondo_program_limit_making(get(), most_ms)); }
  // It may take so many bytes of the host's memory each time, from now on; 0: as RONDO_PROGRAM_HOST_MB says
  // (rondo_program_limit_host_memory).
  void limit_host_memory(int64_t most_bytes) const {
    throw_on_failure(rondo_program_limit_host_memory(get(), most_bytes));
  }

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
  // Its dimensions that vary, in order.
  std::vector<ProgramDim> dims() const {
    std::vector<ProgramDim> all(static_cast<size_t>(info().dims));
    for (size_t i = 0; i < all.size(); ++i) {
      const char* name = nullptr;
      throw_on_failure(rondo_program_dim(get(), static_cast<int64_t>(i), &name, &all[i].least, &all[i].most));
      all[i].name = name;
    }
    return all;
  }
  // The program at these sizes of its dimensions, and no others.
  Program bind(const std::vector<int64_t>& sizes) const {
    rondo_program* bound = nullptr;
    throw_on_failure(rondo_program_bind(get(), static_cast<int32_t>(sizes.size()), sizes.data(), &bound));
    return Program(bound);
  }
  // What an instance takes on a device, at these sizes of its dimensions.
  rondo_program_memory_info memory(const Engine& engine, rondo_device device,
                                   const std::vector<int64_t>& sizes = {}) const {
    rondo_program_memory_info info = RONDO_PROGRAM_MEMORY_INFO_INIT;
    throw_on_failure(
        rondo_program_memory(get(), engine.get(), device, static_cast<int32_t>(sizes.size()), sizes.data(), &info));
    return info;
  }
  // Runs its self-check; throws if an output is another one. 0: no limit.
  rondo_program_check_info check(const Engine& engine, rondo_device device, int64_t most_bytes = 0,
                                 int64_t timeout_ms = 0) const {
    rondo_program_check_info info = RONDO_PROGRAM_CHECK_INFO_INIT;
    throw_on_failure(rondo_program_check(get(), engine.get(), device, most_bytes, timeout_ms, &info));
    return info;
  }
  // The kernels that an instance needs on a device, at these sizes of its dimensions, and how many are kept.
  rondo_program_kernels_info kernels(const Engine& engine, rondo_device device,
                                     const std::vector<int64_t>& sizes = {}) const {
    rondo_program_kernels_info info = RONDO_PROGRAM_KERNELS_INFO_INIT;
    throw_on_failure(
        rondo_program_kernels(get(), engine.get(), device, static_cast<int32_t>(sizes.size()), sizes.data(), &info));
    return info;
  }
  // Those that are missing, a line each.
  std::string missing_kernels(const Engine& engine, rondo_device device, const std::vector<int64_t>& sizes = {}) const {
    return detail::text_of([&](char* buffer, size_t capacity, size_t* length) {
      return rondo_program_missing_kernels(get(), engine.get(), device, static_cast<int32_t>(sizes.size()),
                                           sizes.data(), buffer, capacity, length);
    });
  }
  ProgramInstance instance(const Engine& engine, rondo_device device) const {
    rondo_program_instance* made = nullptr;
    throw_on_failure(rondo_program_create_instance(get(), engine.get(), device, &made));
    return adopt(made, engine, {});
  }
  ProgramInstance instance(const Engine& engine, rondo_device device, const ProgramInstanceOptions& options) const {
    std::vector<const char*> names, functions;
    std::vector<rondo_tensor*> weights;
    std::vector<int64_t> values;
    for (const auto& [name, tensor] : options.weights) {
      names.push_back(name.c_str());
      weights.push_back(tensor.get());
    }
    for (const auto& [function, value] : options.extra) {
      functions.push_back(function.c_str());
      values.push_back(value);
    }
    rondo_program_instance_options given = RONDO_PROGRAM_INSTANCE_OPTIONS_INIT;
    given.callables = &options.callables;
    given.n_weights = weights.size();
    given.weight_names = names.data();
    given.weights = weights.data();
    given.most_turns = options.most_turns;
    given.n_extra = values.size();
    given.extra_functions = functions.data();
    given.extra_values = values.data();
    given.most_bytes = options.most_bytes;
    rondo_program_instance* made = nullptr;
    throw_on_failure(rondo_program_create_instance_with(get(), engine.get(), device, &given, &made));
    return adopt(made, engine, options.extra);
  }

 private:
  ProgramInstance adopt(rondo_program_instance* made, const Engine& engine,
                        const std::vector<std::pair<std::string, int64_t>>& extra) const {
    ProgramInstance instance(made, engine.get());
    std::map<std::string, int32_t> outputs;
    for (int64_t i = 0, n = info().functions; i < n; ++i) {
      const char* name = nullptr;
      rondo_program_function_info function = RONDO_PROGRAM_FUNCTION_INFO_INIT;
      throw_on_failure(rondo_program_function(get(), i, &name, &function));
      outputs[name] = function.outputs;
    }
    for (const auto& each : extra) ++outputs[each.first];
    return ProgramInstance(instance.release(), engine.get(), std::move(outputs));
  }
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

// Calls each function of a program file once for each choice of sizes of its dimensions, and writes the file anew with
// what came of it. Where no size varies each choice is empty.
inline void add_program_check(const std::string& path, const Engine& engine, rondo_device device,
                              const std::vector<std::vector<int64_t>>& sizes = {{}}) {
  std::vector<int64_t> all;
  const size_t dims = sizes.empty() ? 0 : sizes[0].size();
  for (const std::vector<int64_t>& each : sizes) {
    if (each.size() != dims)
      throw Error(RONDO_INVALID_ARGUMENT, "add_program_check: each choice of sizes has one for each dimension");
    all.insert(all.end(), each.begin(), each.end());
  }
  throw_on_failure(rondo_program_add_check(path.c_str(), engine.get(), device, static_cast<int32_t>(sizes.size()),
                                           static_cast<int32_t>(all.size()), all.data()));
}

// A function that is saved: a graph that is called. Names of its inputs and outputs: one each, an empty one is the
// default; none at all: "input0", "output0" and so on.
struct SavedFunction {
  std::string name;
  std::reference_wrapper<const Graph> graph;
  std::vector<std::string> inputs = {}, outputs = {};
};

// A function whose sizes vary: it is recorded at sizes, one for each dimension, as a graph that is called. To fail,
// throw. Names of all inputs and outputs are given for all functions, or for none.
struct SizedFunction {
  std::string name;
  std::function<Graph(const std::vector<int64_t>& sizes)> record;
  std::vector<std::string> inputs = {}, outputs = {};
};

namespace detail {

// The names that C gets: as many as the graph has inputs, or outputs.
inline void add_names(const std::string& function, const char* what, const std::vector<std::string>& names,
                      int32_t count, std::vector<const char*>* all) {
  if (!names.empty() && names.size() != static_cast<size_t>(count))
    throw Error(RONDO_INVALID_ARGUMENT, "save_program: function '" + function + "' has " + std::to_string(count) + " " +
                                            what + ", not " + std::to_string(names.size()) +
                                            ": names are given for each of them, or for none");
  for (const std::string& each : names) all->push_back(each.empty() ? nullptr : each.c_str());
  if (names.empty()) all->resize(all->size() + static_cast<size_t>(count));
}

// Names of weights and texts, as C gets them.
struct Kept {
  Kept(const std::vector<std::pair<std::string, Tensor>>& weights,
       const std::vector<std::pair<std::string, std::string>>& metadata) {
    for (const auto& [name, tensor] : weights) {
      weight_names.push_back(name.c_str());
      handles.push_back(tensor.get());
    }
    for (const auto& [key, value] : metadata) {
      keys.push_back(key.c_str());
      values.push_back(value.c_str());
    }
  }
  rondo_program_save_options options() const {
    rondo_program_save_options options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
    options.n_weights = handles.size();
    options.weight_names = weight_names.data();
    options.weights = handles.data();
    options.n_metadata = keys.size();
    options.keys = keys.data();
    options.values = values.data();
    return options;
  }
  std::vector<const char*> weight_names, keys, values;
  std::vector<rondo_tensor*> handles;
};

}  // namespace detail

// Saves functions with the tensors from outside that they use. `weights` gives names to some of these, the others are
// "weight0" and so on; `metadata` are texts of the author; `reader`: the oldest version of the library that shall read
// the file, such as "0.1", or this one; `files`: those of the weights, if they are not in the program's.
inline void save_program(const std::string& path, const std::vector<SavedFunction>& functions,
                         const std::vector<std::pair<std::string, Tensor>>& weights = {},
                         const std::vector<std::pair<std::string, std::string>>& metadata = {},
                         const char* reader = nullptr, const ProgramWeightFiles& files = {}) {
  std::vector<const char*> function_names, inputs, outputs;
  std::vector<rondo_graph*> graphs;
  for (const SavedFunction& function : functions) {
    const Graph& graph = function.graph;
    const rondo_graph_info info = graph.info();
    function_names.push_back(function.name.c_str());
    graphs.push_back(graph.get());
    detail::add_names(function.name, "inputs", function.inputs, info.inputs, &inputs);
    detail::add_names(function.name, "outputs", function.outputs, info.outputs, &outputs);
  }
  const detail::Kept kept(weights, metadata);
  rondo_program_save_options options = kept.options();
  options.inputs = inputs.data();
  options.outputs = outputs.data();
  options.reader = reader;
  const std::vector<const char*> from = files.set(&options);
  throw_on_failure(rondo_program_save(path.c_str(), static_cast<int32_t>(graphs.size()), function_names.data(),
                                      graphs.data(), &options));
}

// The same of functions whose sizes vary: each is recorded at several sizes between the bounds of the dimensions, by
// which the numbers that differ become expressions. As rondo_program_save_with_dims.
inline void save_program_with_dims(const std::string& path, const std::vector<ProgramDim>& dims,
                                   const std::vector<SizedFunction>& functions,
                                   const std::vector<std::pair<std::string, Tensor>>& weights = {},
                                   const std::vector<std::pair<std::string, std::string>>& metadata = {},
                                   const char* reader = nullptr, const ProgramWeightFiles& files = {}) {
  std::vector<const char*> function_names, dim_names, inputs, outputs;
  std::vector<int64_t> least, most;
  bool all = true, none = true;
  for (const SizedFunction& function : functions) {
    function_names.push_back(function.name.c_str());
    const bool named = !function.inputs.empty() || !function.outputs.empty();
    all = all && named;
    none = none && !named;
    for (const std::string& each : function.inputs) inputs.push_back(each.empty() ? nullptr : each.c_str());
    for (const std::string& each : function.outputs) outputs.push_back(each.empty() ? nullptr : each.c_str());
  }
  if (!all && !none)
    throw Error(RONDO_INVALID_ARGUMENT,
                "save_program_with_dims: names of inputs and outputs are given for all functions, or for none");
  for (const ProgramDim& each : dims) {
    dim_names.push_back(each.name.c_str());
    least.push_back(each.least);
    most.push_back(each.most);
  }
  const detail::Kept kept(weights, metadata);
  rondo_program_save_options options = kept.options();
  options.reader = reader;
  const std::vector<const char*> from = files.set(&options);
  if (!none) {
    options.inputs = inputs.data();
    options.outputs = outputs.data();
  }
  struct Recording {
    const std::vector<SizedFunction>& functions;
    bool named;
  } recording = {functions, !none};
  const auto record = [](void* arg, int32_t function, int32_t n_dims, const int64_t* sizes,
                         rondo_graph** graph) noexcept {
    return detail::caught([&] {
      const Recording& of = *static_cast<const Recording*>(arg);
      const SizedFunction& each = of.functions[static_cast<size_t>(function)];
      Graph made = each.record(std::vector<int64_t>(sizes, sizes + n_dims));
      const rondo_graph_info info = made.info();
      std::vector<const char*> unused;
      if (of.named) {
        detail::add_names(each.name, "inputs", each.inputs, info.inputs, &unused);
        detail::add_names(each.name, "outputs", each.outputs, info.outputs, &unused);
      }
      *graph = made.release();
    });
  };
  detail::carry([&] {
    return rondo_program_save_with_dims(path.c_str(), static_cast<int32_t>(functions.size()), function_names.data(),
                                        static_cast<int32_t>(dims.size()), dim_names.data(), least.data(), most.data(),
                                        record, &recording, &options);
  });
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_PROGRAMS_HPP
