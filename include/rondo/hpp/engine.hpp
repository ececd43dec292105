// Engines. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_ENGINE_HPP
#define RONDO_HPP_ENGINE_HPP

#include <rondo/hpp/graph.hpp>
#include <rondo/hpp/task.hpp>
#include <rondo/hpp/tensor.hpp>

#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace rondo {
inline namespace abi_0 {

class Callable;

// Options with their defaults, to be changed and passed.
inline rondo_engine_options engine_defaults() {
  rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
  return options;
}

class Engine : public Owner<rondo_engine, rondo_engine_destroy> {
 public:
  using Owner::Owner;
  explicit Engine(const rondo_engine_options& options = engine_defaults()) : Owner(create(options)) {}

  rondo_engine_mode mode() const {
    rondo_engine_mode mode = RONDO_ENGINE_DEFAULT;
    throw_on_failure(rondo_engine_get_mode(get(), &mode));
    return mode;
  }
  void wait_all() const { throw_on_failure(rondo_engine_wait_all(get())); }
  bool wait_all_for(int64_t milliseconds) const {
    return detail::in_time(rondo_engine_wait_all_for(get(), milliseconds));
  }
  // wait_all without a thread that waits.
  void notify(Done done) const {
    detail::notify(std::move(done), [&](rondo_done_fn fn, void* arg) { return rondo_engine_notify(get(), fn, arg); });
  }
  void seed(uint64_t seed) const { throw_on_failure(rondo_engine_seed(get(), seed)); }

  // --- tensors
  // Without contents, until something writes it.
  Tensor tensor(rondo_device device, rondo_dtype dtype, const Shape& shape) const {
    return made([&](rondo_tensor** out) {
      return rondo_tensor_create(get(), device, dtype, detail::dims(shape), shape.data(), out);
    });
  }
  Tensor empty(rondo_device device, rondo_dtype dtype, const Shape& shape) const {
    return tensor(device, dtype, shape);
  }
  Tensor full(rondo_device device, rondo_dtype dtype, const Shape& shape, Number value) const {
    Tensor filled = tensor(device, dtype, shape);
    filled.fill(value);
    return filled;
  }
  Tensor zeros(rondo_device device, rondo_dtype dtype, const Shape& shape) const {
    return full(device, dtype, shape, 0);
  }
  Tensor ones(rondo_device device, rondo_dtype dtype, const Shape& shape) const {
    return full(device, dtype, shape, 1);
  }
  // Of a number, a list, a list of lists, {{1, 2}, {3, 4}}, or a vector.
  template <class T>
  Tensor from_host(rondo_device device, const Nested<T>& values) const {
    return from_host(device, dtype_of<T>(), values.shape(), values.data());
  }
  template <class Vector, class T = typename Vector::value_type>
  Tensor from_host(rondo_device device, const Vector& values) const {
    return from_host(device, Nested<T>(std::vector<T>(std::begin(values), std::end(values))));
  }
  template <class T>
  Tensor from_host(rondo_device device, const Shape& shape, const std::vector<T>& values) const {
    static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no addresses: give a list of lists, or uint8_t");
    size_t elements = 1;
    for (const int64_t size : shape) elements *= static_cast<size_t>(size);
    if (values.size() != elements)
      throw std::invalid_argument("rondo::Engine::from_host: " + std::to_string(values.size()) +
                                  " values for a shape of " + std::to_string(elements));
    return from_host(device, dtype_of<T>(), shape, values.data());
  }
  Tensor from_host(rondo_device device, rondo_dtype dtype, const Shape& shape, const void* data) const {
    return made([&](rondo_tensor** out) {
      return rondo_tensor_from_host(get(), device, dtype, detail::dims(shape), shape.data(), data, out);
    });
  }
  // Ownership of *managed passes to Rondo, unless the call throws.
  Tensor from_dlpack(struct DLManagedTensorVersioned* managed, void* stream = nullptr) const {
    return made([&](rondo_tensor** out) { return rondo_tensor_from_dlpack(get(), managed, stream, out); });
  }
  Tensor from_dlpack_v0(struct DLManagedTensor* managed, void* stream = nullptr) const {
    return made([&](rondo_tensor** out) { return rondo_tensor_from_dlpack_v0(get(), managed, stream, out); });
  }
  Tensor uniform(rondo_device device, rondo_dtype dtype, const Shape& shape, double low = 0, double high = 1) const {
    return made([&](rondo_tensor** out) {
      return rondo_random_uniform(get(), device, dtype, detail::dims(shape), shape.data(), low, high, out);
    });
  }
  Tensor normal(rondo_device device, rondo_dtype dtype, const Shape& shape, double mean = 0,
                double deviation = 1) const {
    return made([&](rondo_tensor** out) {
      return rondo_random_normal(get(), device, dtype, detail::dims(shape), shape.data(), mean, deviation, out);
    });
  }
  // 0 to n - 1 in a random order.
  Tensor permutation(rondo_device device, int64_t n, rondo_dtype dtype = RONDO_I64) const {
    return made([&](rondo_tensor** out) { return rondo_random_permutation(get(), device, dtype, n, out); });
  }
  // From start by step, before stop.
  Tensor arange(rondo_device device, rondo_dtype dtype, Number start, Number stop, Number step = 1) const {
    if (start.whole() && stop.whole() && step.whole())
      return arange_i64(device, dtype, start.i64(), stop.i64(), step.i64());
    return made([&](rondo_tensor** out) {
      return rondo_arange(get(), device, dtype, start.f64(), stop.f64(), step.f64(), out);
    });
  }
  Tensor arange(rondo_device device, rondo_dtype dtype, Number stop) const { return arange(device, dtype, 0, stop); }
  Tensor arange_i64(rondo_device device, rondo_dtype dtype, int64_t start, int64_t stop, int64_t step = 1) const {
    return made([&](rondo_tensor** out) { return rondo_arange_i64(get(), device, dtype, start, stop, step, out); });
  }
  Tensor linspace(rondo_device device, rondo_dtype dtype, double start, double stop, int64_t count,
                  bool endpoint = true) const {
    return made([&](rondo_tensor** out) {
      return rondo_linspace(get(), device, dtype, start, stop, count, endpoint ? 1 : 0, out);
    });
  }
  // 1 on a diagonal, 0 elsewhere.
  Tensor eye(rondo_device device, rondo_dtype dtype, int64_t rows, int64_t columns, int64_t diagonal = 0) const {
    return made([&](rondo_tensor** out) { return rondo_eye(get(), device, dtype, rows, columns, diagonal, out); });
  }
  Variable variable() const {
    rondo_variable* variable = nullptr;
    throw_on_failure(rondo_variable_create(get(), &variable));
    return Variable(variable);
  }

  // --- tasks
  // A task of the program's own: task("x").reads(a).writes(b).submit([](TaskContext& context) { ... }).
  TaskBuilder task(const std::string& name) const { return TaskBuilder(get(), name); }
  void push(Task task, const std::vector<rondo_variable*>& reads, const std::vector<rondo_variable*>& writes,
            const rondo_task_options& options = task_defaults()) const {
    throw_on_failure(rondo_engine_push(get(), detail::run_task, new Task(std::move(task)), detail::destroy_task,
                                       reads.data(), reads.size(), writes.data(), writes.size(), &options));
  }
  // With tensors: the task holds them, and asks its context for their addresses.
  void push_tensors(Task task, const Tensors& reads, const Tensors& writes,
                    const rondo_task_options& options = task_defaults()) const {
    throw_on_failure(rondo_engine_push_tensors(get(), detail::run_task, new Task(std::move(task)), detail::destroy_task,
                                               reads.data(), reads.size(), writes.data(), writes.size(), &options));
  }
  // A function of tensors that is recorded once per signature of its inputs and called as a graph: it takes
  // const std::vector<Tensor>&, or what that becomes by itself, as std::span does, and gives so many outputs in a
  // vector, or its only output.
  template <class Function>
  Callable callable(int32_t outputs, Function function, const rondo_callable_options* options = nullptr) const;

  // --- graphs
  // Whether this thread records on this engine.
  bool recording() const {
    int32_t open = 0;
    throw_on_failure(rondo_record_is_open(get(), &open));
    return open != 0;
  }
  // Makes an input of a recording that was begun with RONDO_RECORD_CALLABLE.
  Tensor record_input(rondo_device device, rondo_dtype dtype, const Shape& shape) const {
    return made([&](rondo_tensor** out) {
      return rondo_record_input(get(), device, dtype, detail::dims(shape), shape.data(), out);
    });
  }
  // Where what this thread recorded since the last call of this comes from, in a recording that notes it
  // (RONDO_RECORD_SITES); whether it does.
  bool record_site(const std::string& site) const {
    int32_t notes = 0;
    throw_on_failure(rondo_record_site(site.c_str(), &notes));
    return notes != 0;
  }
  // Names an output of a recording that was begun with RONDO_RECORD_NAMED_OUTPUTS or RONDO_RECORD_CALLABLE.
  void record_output(const Tensor& tensor) const { throw_on_failure(rondo_record_output(get(), tensor.get())); }
  // A number that each launch is given, as Graph::set said last: a tensor without axes.
  Tensor record_parameter(const std::string& name, rondo_device device, rondo_dtype dtype, double value) const {
    return made(
        [&](rondo_tensor** out) { return rondo_record_parameter(get(), name.c_str(), device, dtype, value, out); });
  }
  // What `body` records is a section, which Graph::enable switches.
  template <class Body>
  void record_section(const std::string& name, Body&& body, bool on = true) const {
    throw_on_failure(rondo_record_section_begin(get(), name.c_str(), on ? 1 : 0));
    try {
      body();
    } catch (...) {
      rondo_record_section_end(get());
      throw;
    }
    throw_on_failure(rondo_record_section_end(get()));
  }
  // Records what `body` submits on this thread. Should it throw, the recording is dropped and the exception goes on.
  template <class Body>
  Graph record(Body&& body, const rondo_record_options& options = record_defaults()) const {
    throw_on_failure(rondo_record_begin(get(), &options));
    try {
      body();
    } catch (...) {
      rondo_record_abort(get());
      throw;
    }
    rondo_graph* graph = nullptr;
    throw_on_failure(rondo_record_end(get(), &graph));
    return Graph(graph, get());
  }

  // --- memory, traces
  rondo_memory_info memory(rondo_device device) const {
    rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
    throw_on_failure(rondo_memory_query(get(), device, &info));
    return info;
  }
  void set_memory_limit(rondo_device device, int64_t bytes) const {
    throw_on_failure(rondo_memory_set_limit(get(), device, bytes));
  }
  void trim_memory(rondo_device device) const { throw_on_failure(rondo_memory_trim(get(), device)); }
  void begin_trace() const { throw_on_failure(rondo_trace_begin(get())); }
  void end_trace(const std::string& path) const { throw_on_failure(rondo_trace_end(get(), path.c_str())); }

 private:
  template <class Call>
  Tensor made(const Call& call) const {
    return Tensor::made_by(get(), call);
  }
  static rondo_engine* create(const rondo_engine_options& options) {
    rondo_engine* engine = nullptr;
    throw_on_failure(rondo_engine_create(&options, &engine));
    return engine;
  }
};

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_ENGINE_HPP
