// Engines, the tasks of a program's own, and graphs. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_ENGINE_HPP
#define RONDO_HPP_ENGINE_HPP

#include <rondo/hpp/tensor.hpp>

#include <utility>

namespace rondo {
inline namespace abi_0 {

class Graph : public Owner<rondo_graph, rondo_graph_destroy> {
 public:
  using Owner::Owner;
  void launch() const { check(rondo_graph_launch(get())); }
  // A run of a graph that was recorded with RONDO_RECORD_CALLABLE: on these inputs, with new outputs, or into given
  // ones.
  std::vector<Tensor> call(Tensors inputs) const {
    std::vector<rondo_tensor*> made(static_cast<size_t>(info().outputs), nullptr);
    call(inputs, &made);
    std::vector<Tensor> outputs;
    for (rondo_tensor* each : made) outputs.emplace_back(each);
    return outputs;
  }
  void call_into(Tensors inputs, Tensors outputs) const {
    std::vector<rondo_tensor*> given = handles_of(outputs);
    call(inputs, &given);
  }
  // The value of a parameter, or whether a section runs, in what is submitted from now on.
  void set(const std::string& name, double value) const { check(rondo_graph_set(get(), name.c_str(), value)); }
  void set_i64(const std::string& name, int64_t value) const { check(rondo_graph_set_i64(get(), name.c_str(), value)); }
  void enable(const std::string& name, bool on = true) const { check(rondo_graph_enable(get(), name.c_str(), on)); }
  rondo_graph_info info() const {
    rondo_graph_info info = RONDO_GRAPH_INFO_INIT;
    check(rondo_graph_query(get(), &info));
    return info;
  }
  std::string report() const {
    return text_of([&](char* buffer, size_t capacity, size_t* length) {
      return rondo_graph_report(get(), buffer, capacity, length);
    });
  }
  void dot(const std::string& path) const { check(rondo_graph_dot(get(), path.c_str())); }
  // A launch whose tasks are measured, and waited for: report() tells of it, and the file, if one is named.
  void profile() const { check(rondo_graph_profile(get(), nullptr)); }
  void profile(const std::string& path) const { check(rondo_graph_profile(get(), path.c_str())); }
  // The same of a call.
  std::vector<Tensor> profile_call(Tensors inputs, const std::string& path = "") const {
    std::vector<rondo_tensor*> made(static_cast<size_t>(info().outputs));
    const std::vector<rondo_tensor*> in = handles_of(inputs);
    check(rondo_graph_profile_call(get(), path.empty() ? nullptr : path.c_str(), static_cast<int32_t>(in.size()),
                                   in.data(), static_cast<int32_t>(made.size()), made.data()));
    std::vector<Tensor> outputs;
    for (rondo_tensor* each : made) outputs.emplace_back(each);
    return outputs;
  }

 private:
  void call(Tensors inputs, std::vector<rondo_tensor*>* outputs) const {
    const std::vector<rondo_tensor*> in = handles_of(inputs);
    check(rondo_graph_call(get(), static_cast<int32_t>(in.size()), in.data(), static_cast<int32_t>(outputs->size()),
                           outputs->data()));
  }
};

// The end of a task that was left to somebody else. Destroyed without having been completed, the task fails.
class Completion : public Owner<rondo_completion, rondo_completion_destroy> {
 public:
  using Owner::Owner;
  void complete() const { check(rondo_completion_complete(get(), RONDO_OK, nullptr)); }
  void fail(const std::string& message, rondo_status status = RONDO_USER_ERROR) const {
    check(rondo_completion_complete(get(), status, message.c_str()));
  }
};

// What a task may ask about its run.
class TaskContext {
 public:
  explicit TaskContext(rondo_task_context* context) : context_(context) {}
  void* stream() const { return rondo_task_stream(context_); }
  // One of those that the options asked for.
  void* auxiliary_stream(int32_t index) const { return rondo_task_auxiliary_stream(context_, index); }
  rondo_device device() const { return rondo_task_device(context_); }
  bool capturing() const { return rondo_task_is_capturing(context_) != 0; }
  rondo_task_context* get() const { return context_; }
  // The task ends when that is completed, by any thread, not when its body returns.
  Completion defer() const {
    rondo_completion* completion = nullptr;
    check(rondo_task_defer(context_, &completion));
    return Completion(completion);
  }

  // Of a task pushed with tensors: reads first, then writes, in the order given. Valid during the call.
  struct Operand {
    void* address;
    rondo_tensor_info info;
  };
  Operand operand(size_t index) const {
    Operand operand = {nullptr, RONDO_TENSOR_INFO_INIT};
    check(rondo_task_operand(context_, index, &operand.address, &operand.info));
    return operand;
  }

 private:
  rondo_task_context* context_;
};

// A task's body. To fail, throw: the message goes with the task's error, and a rondo::Error's status as well.
using Task = std::function<void(TaskContext&)>;

// Options with their defaults, to be changed and passed.
inline rondo_engine_options engine_defaults() {
  rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
  return options;
}
inline rondo_task_options task_defaults(const char* name = nullptr, rondo_device device = {RONDO_CPU, 0}) {
  rondo_task_options options = RONDO_TASK_OPTIONS_INIT;
  options.name = name;
  options.device = device;
  return options;
}
inline rondo_record_options record_defaults(const char* name = nullptr) {
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.name = name;
  return options;
}

class Engine : public Owner<rondo_engine, rondo_engine_destroy> {
 public:
  explicit Engine(const rondo_engine_options& options = engine_defaults()) : Owner(create(options)) {}

  rondo_engine_mode mode() const {
    rondo_engine_mode mode = RONDO_ENGINE_DEFAULT;
    check(rondo_engine_get_mode(get(), &mode));
    return mode;
  }
  void wait_all() const { check(rondo_engine_wait_all(get())); }
  bool wait_all_for(int64_t milliseconds) const { return in_time(rondo_engine_wait_all_for(get(), milliseconds)); }
  // wait_all without a thread that waits.
  void notify(Done done) const {
    detail::notify(std::move(done), [&](rondo_done_fn fn, void* arg) { return rondo_engine_notify(get(), fn, arg); });
  }
  void seed(uint64_t seed) { check(rondo_engine_seed(get(), seed)); }

  // --- tensors
  Tensor tensor(rondo_device device, rondo_dtype dtype, const Shape& shape) const {
    return Tensor::made([&](rondo_tensor** out) {
      return rondo_tensor_create(get(), device, dtype, Tensor::ndim(shape), shape.data(), out);
    });
  }
  template <class T>
  Tensor from_host(rondo_device device, const Shape& shape, const std::vector<T>& values) const {
    size_t elements = 1;
    for (const int64_t size : shape) elements *= static_cast<size_t>(size);
    if (values.size() != elements)
      throw std::invalid_argument("rondo::Engine::from_host: " + std::to_string(values.size()) +
                                  " values for a shape of " + std::to_string(elements));
    return from_host(device, dtype_of<T>(), shape, values.data());
  }
  Tensor from_host(rondo_device device, rondo_dtype dtype, const Shape& shape, const void* data) const {
    return Tensor::made([&](rondo_tensor** out) {
      return rondo_tensor_from_host(get(), device, dtype, Tensor::ndim(shape), shape.data(), data, out);
    });
  }
  // Ownership of *managed passes to Rondo, unless the call throws.
  Tensor from_dlpack(struct DLManagedTensorVersioned* managed, void* stream = nullptr) const {
    return Tensor::made([&](rondo_tensor** out) { return rondo_tensor_from_dlpack(get(), managed, stream, out); });
  }
  Tensor from_dlpack_v0(struct DLManagedTensor* managed, void* stream = nullptr) const {
    return Tensor::made([&](rondo_tensor** out) { return rondo_tensor_from_dlpack_v0(get(), managed, stream, out); });
  }
  Tensor uniform(rondo_device device, rondo_dtype dtype, const Shape& shape, double low = 0, double high = 1) const {
    return Tensor::made([&](rondo_tensor** out) {
      return rondo_random_uniform(get(), device, dtype, Tensor::ndim(shape), shape.data(), low, high, out);
    });
  }
  Tensor normal(rondo_device device, rondo_dtype dtype, const Shape& shape, double mean = 0,
                double deviation = 1) const {
    return Tensor::made([&](rondo_tensor** out) {
      return rondo_random_normal(get(), device, dtype, Tensor::ndim(shape), shape.data(), mean, deviation, out);
    });
  }
  // 0 to n - 1 in a random order.
  Tensor permutation(rondo_device device, int64_t n, rondo_dtype dtype = RONDO_I64) const {
    return Tensor::made([&](rondo_tensor** out) { return rondo_random_permutation(get(), device, dtype, n, out); });
  }
  // From start by step, before stop.
  Tensor arange(rondo_device device, rondo_dtype dtype, double start, double stop, double step = 1) const {
    return Tensor::made([&](rondo_tensor** out) { return rondo_arange(get(), device, dtype, start, stop, step, out); });
  }
  Tensor arange_i64(rondo_device device, rondo_dtype dtype, int64_t start, int64_t stop, int64_t step = 1) const {
    return Tensor::made(
        [&](rondo_tensor** out) { return rondo_arange_i64(get(), device, dtype, start, stop, step, out); });
  }
  Tensor linspace(rondo_device device, rondo_dtype dtype, double start, double stop, int64_t count,
                  bool endpoint = true) const {
    return Tensor::made(
        [&](rondo_tensor** out) { return rondo_linspace(get(), device, dtype, start, stop, count, endpoint, out); });
  }
  // 1 on a diagonal, 0 elsewhere.
  Tensor eye(rondo_device device, rondo_dtype dtype, int64_t rows, int64_t columns, int64_t diagonal = 0) const {
    return Tensor::made(
        [&](rondo_tensor** out) { return rondo_eye(get(), device, dtype, rows, columns, diagonal, out); });
  }
  Variable variable() const {
    rondo_variable* variable = nullptr;
    check(rondo_variable_create(get(), &variable));
    return Variable(variable);
  }

  // --- tasks
  void push(Task task, const std::vector<rondo_variable*>& reads, const std::vector<rondo_variable*>& writes,
            const rondo_task_options& options = task_defaults()) const {
    check(rondo_engine_push(get(), run_task, new Task(std::move(task)), destroy_task, reads.data(), reads.size(),
                            writes.data(), writes.size(), &options));
  }

  // With tensors: the task holds them, and asks its context for their addresses.
  void push_tensors(Task task, Tensors reads, Tensors writes,
                    const rondo_task_options& options = task_defaults()) const {
    const std::vector<rondo_tensor*> in = handles_of(reads), out = handles_of(writes);
    check(rondo_engine_push_tensors(get(), run_task, new Task(std::move(task)), destroy_task, in.data(), in.size(),
                                    out.data(), out.size(), &options));
  }

  // --- graphs
  // Whether this thread records on this engine.
  bool recording() const {
    int32_t open = 0;
    check(rondo_record_is_open(get(), &open));
    return open != 0;
  }
  // Makes an input of a recording that was begun with RONDO_RECORD_CALLABLE.
  Tensor record_input(rondo_device device, rondo_dtype dtype, const Shape& shape) const {
    return Tensor::made([&](rondo_tensor** out) {
      return rondo_record_input(get(), device, dtype, Tensor::ndim(shape), shape.data(), out);
    });
  }
  // Where what this thread recorded since the last call of this comes from, in a recording that notes it
  // (RONDO_RECORD_SITES); whether it does.
  bool record_site(const std::string& site) const {
    int32_t notes = 0;
    check(rondo_record_site(site.c_str(), &notes));
    return notes != 0;
  }
  // Names an output of a recording that was begun with RONDO_RECORD_NAMED_OUTPUTS or RONDO_RECORD_CALLABLE.
  void record_output(const Tensor& tensor) const { check(rondo_record_output(get(), tensor.get())); }
  // A number that each launch is given, as Graph::set said last: a tensor without axes.
  Tensor record_parameter(const std::string& name, rondo_device device, rondo_dtype dtype, double value) const {
    return Tensor::made(
        [&](rondo_tensor** out) { return rondo_record_parameter(get(), name.c_str(), device, dtype, value, out); });
  }
  // What `body` records is a section, which Graph::enable switches.
  template <class Body>
  void record_section(const std::string& name, Body&& body, bool on = true) const {
    check(rondo_record_section_begin(get(), name.c_str(), on));
    try {
      body();
    } catch (...) {
      rondo_record_section_end(get());
      throw;
    }
    check(rondo_record_section_end(get()));
  }
  // Records what `body` submits on this thread. Should it throw, the recording is dropped and the exception goes on.
  template <class Body>
  Graph record(Body&& body, const rondo_record_options& options = record_defaults()) const {
    check(rondo_record_begin(get(), &options));
    try {
      body();
    } catch (...) {
      rondo_record_abort(get());
      throw;
    }
    rondo_graph* graph = nullptr;
    check(rondo_record_end(get(), &graph));
    return Graph(graph);
  }

  // --- memory, traces
  rondo_memory_info memory(rondo_device device) const {
    rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
    check(rondo_memory_query(get(), device, &info));
    return info;
  }
  void set_memory_limit(rondo_device device, int64_t bytes) { check(rondo_memory_set_limit(get(), device, bytes)); }
  void trim_memory(rondo_device device) { check(rondo_memory_trim(get(), device)); }
  void begin_trace() { check(rondo_trace_begin(get())); }
  void end_trace(const std::string& path) { check(rondo_trace_end(get(), path.c_str())); }

 private:
  static rondo_engine* create(const rondo_engine_options& options) {
    rondo_engine* engine = nullptr;
    check(rondo_engine_create(&options, &engine));
    return engine;
  }
  static rondo_status run_task(void* task, rondo_task_context* context) {
    TaskContext with(context);
    try {
      (*static_cast<Task*>(task))(with);
      return RONDO_OK;
    } catch (const Error& error) {
      rondo_task_fail(context, error.what());
      return error.status();
    } catch (const std::exception& error) {
      rondo_task_fail(context, error.what());
    } catch (...) {
      rondo_task_fail(context, "the task threw something that is not a std::exception");
    }
    return RONDO_USER_ERROR;
  }
  static void destroy_task(void* task) { delete static_cast<Task*>(task); }
};

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_ENGINE_HPP
