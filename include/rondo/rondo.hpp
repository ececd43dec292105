// C++17 over the C interface: owning handles, exceptions, callables as tasks. Header only, nothing but the C library.
//
// A handle moves and does not copy; its destructor destroys the object, which is safe with work in flight. A call that
// fails throws rondo::Error with the status and the message of rondo_last_error(). What blocks, which threads may call
// and what is allowed when: as the C function of the same name says. Since 0.1.
//
//   rondo::Engine engine;
//   rondo::Tensor a = engine.from_host<float>({RONDO_CPU, 0}, {4}, {1, 2, 3, 4});
//   rondo::Tensor b = a * 2.0 + a;
//   rondo::Graph graph = engine.record([&] { rondo::binary_into(RONDO_ADD, a, b, a); });
//   graph.launch();
//   std::vector<float> values = a.read<float>();
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_RONDO_HPP
#define RONDO_RONDO_HPP

#include <rondo/rondo.h>

#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rondo {

class Error : public std::runtime_error {
 public:
  explicit Error(rondo_status status)
      : std::runtime_error(std::string(rondo_status_name(status)) + ": " + rondo_last_error()), status_(status) {}
  rondo_status status() const noexcept { return status_; }

 private:
  rondo_status status_;
};

inline void check(rondo_status status) {
  if (status != RONDO_OK) throw Error(status);
}

using Shape = std::vector<int64_t>;

// The dtype of a C++ type.
template <class T>
constexpr rondo_dtype dtype_of() {
  if constexpr (std::is_same_v<T, bool>)
    return RONDO_BOOL;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return RONDO_U8;
  else if constexpr (std::is_same_v<T, int8_t>)
    return RONDO_I8;
  else if constexpr (std::is_same_v<T, int32_t>)
    return RONDO_I32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return RONDO_I64;
  else if constexpr (std::is_same_v<T, float>)
    return RONDO_F32;
  else {
    static_assert(std::is_same_v<T, double>, "no dtype for this type; f16 and bf16 are read and written as bytes");
    return RONDO_F64;
  }
}

// The texts that the C interface writes into a buffer.
template <class Write>
std::string text_of(const Write& write) {
  size_t length = 0;
  check(write(nullptr, 0, &length));
  std::string text(length + 1, '\0');
  check(write(text.data(), text.size(), &length));
  text.resize(length);
  return text;
}

template <class Handle, void (*destroy)(Handle*)>
class Owner {
 public:
  Owner() = default;
  explicit Owner(Handle* handle) : handle_(handle) {}
  Handle* get() const noexcept { return handle_.get(); }
  Handle* release() noexcept { return handle_.release(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  void reset() noexcept { handle_.reset(); }

 private:
  struct Destroy {
    void operator()(Handle* handle) const noexcept { destroy(handle); }
  };
  std::unique_ptr<Handle, Destroy> handle_;
};

class Variable : public Owner<rondo_variable, rondo_variable_destroy> {
 public:
  using Owner::Owner;
  void wait() const { check(rondo_variable_wait(get())); }
  uint64_t version() const {
    uint64_t version = 0;
    check(rondo_variable_version(get(), &version));
    return version;
  }
};

class Tensor : public Owner<rondo_tensor, rondo_tensor_destroy> {
 public:
  using Owner::Owner;

  rondo_tensor_info info() const {
    rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
    check(rondo_tensor_query(get(), &info));
    return info;
  }
  Shape shape() const {
    const rondo_tensor_info facts = info();
    return Shape(facts.shape, facts.shape + facts.ndim);
  }
  void wait() const { check(rondo_tensor_wait(get())); }
  // What is in the memory counts as written, whatever it is.
  void accept() { check(rondo_tensor_accept(get())); }
  void write(const void* data, size_t bytes) { check(rondo_tensor_write(get(), data, bytes)); }
  void read(void* data, size_t bytes) const { check(rondo_tensor_read(get(), data, bytes)); }
  // All elements in row-major order; T must be the tensor's dtype.
  template <class T>
  std::vector<T> read() const {
    static_assert(!std::is_same_v<T, bool>, "read bool tensors as uint8_t");
    const rondo_tensor_info facts = info();
    const rondo_dtype asked = facts.dtype == RONDO_BOOL && std::is_same_v<T, uint8_t> ? RONDO_BOOL : dtype_of<T>();
    if (facts.dtype != asked)
      throw std::invalid_argument(std::string("rondo::Tensor::read: the tensor is ") + rondo_dtype_name(facts.dtype) +
                                  ", read as " + rondo_dtype_name(asked));
    std::vector<T> values(static_cast<size_t>(facts.elements));
    read(values.data(), values.size() * sizeof(T));
    return values;
  }
  void fill(double value) { check(rondo_fill(get(), value)); }
  void fill_i64(int64_t value) { check(rondo_fill_i64(get(), value)); }
  void* data() const {
    void* address = nullptr;
    check(rondo_tensor_data(get(), &address));
    return address;
  }
  // Borrowed: lives as long as the tensor.
  rondo_variable* variable() const {
    rondo_variable* variable = nullptr;
    check(rondo_tensor_variable(get(), &variable));
    return variable;
  }

  // --- views of the same memory
  Tensor reshape(const Shape& shape) const {
    return made([&](rondo_tensor** view) { return rondo_tensor_reshape(get(), ndim(shape), shape.data(), view); });
  }
  Tensor slice(int32_t axis, int64_t start, int64_t stop, int64_t step = 1) const {
    return made([&](rondo_tensor** view) { return rondo_tensor_slice(get(), axis, start, stop, step, view); });
  }
  // Without axes: reversed.
  Tensor transpose(const std::vector<int32_t>& axes = {}) const {
    return made(
        [&](rondo_tensor** view) { return rondo_tensor_transpose(get(), axes.empty() ? nullptr : axes.data(), view); });
  }
  // Without axes: of all of them.
  Tensor flip(const std::vector<int32_t>& axes = {}) const {
    return made([&](rondo_tensor** view) {
      return rondo_tensor_flip(get(), static_cast<int32_t>(axes.size()), axes.empty() ? nullptr : axes.data(), view);
    });
  }
  std::vector<Tensor> split(int64_t parts, int32_t axis = 0) const {
    std::vector<Tensor> views;
    for (int64_t part = 0; part < parts || part == 0; ++part)
      views.push_back(made([&](rondo_tensor** view) { return rondo_tensor_split(get(), axis, parts, part, view); }));
    return views;
  }
  Tensor broadcast(const Shape& shape) const {
    return made([&](rondo_tensor** view) { return rondo_tensor_broadcast(get(), ndim(shape), shape.data(), view); });
  }
  Tensor accumulator() const {
    return made([&](rondo_tensor** view) { return rondo_tensor_accumulator(get(), view); });
  }

  // --- DLPack: the consumer calls the deleter
  struct DLManagedTensorVersioned* to_dlpack(void* stream = nullptr) const {
    struct DLManagedTensorVersioned* managed = nullptr;
    check(rondo_tensor_to_dlpack(get(), stream, &managed));
    return managed;
  }
  struct DLManagedTensor* to_dlpack_v0(void* stream = nullptr) const {
    struct DLManagedTensor* managed = nullptr;
    check(rondo_tensor_to_dlpack_v0(get(), stream, &managed));
    return managed;
  }

  // The tensor that `call` stores through its argument.
  template <class Call>
  static Tensor made(const Call& call) {
    rondo_tensor* out = nullptr;
    check(call(&out));
    return Tensor(out);
  }
  static int32_t ndim(const Shape& shape) { return static_cast<int32_t>(shape.size()); }
};

using Tensors = std::initializer_list<std::reference_wrapper<const Tensor>>;

class Graph : public Owner<rondo_graph, rondo_graph_destroy> {
 public:
  using Owner::Owner;
  void launch() const { check(rondo_graph_launch(get())); }
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
};

class Engine;

// One rank's end of a group of devices, of this process or of many (comm.h).
//
//   std::vector<rondo::Comm> ends = rondo::Comm::create_all(engine, {{RONDO_CUDA, 0}, {RONDO_CUDA, 1}});
//   rondo::Tensor sum = ends[0].all_reduce(mine, RONDO_SUM);
class Comm : public Owner<rondo_comm, rondo_comm_destroy> {
 public:
  using Owner::Owner;
  using Ends = std::vector<Comm>;
  static Ends create_all(const Engine& engine, const std::vector<rondo_device>& devices,
                         const rondo_comm_options& options = RONDO_COMM_OPTIONS_INIT);
  // This process's end of a group of processes; which rank it is, the environment says unless the options do.
  static Comm create(const Engine& engine, rondo_device device,
                     const rondo_comm_options& options = RONDO_COMM_OPTIONS_INIT);
  // A rank's colour and key for each of the ends; ends that join no group are empty.
  static Ends split(const Ends& ends, const std::vector<int32_t>& colours, const std::vector<int32_t>& keys = {}) {
    if (colours.size() != ends.size() || (!keys.empty() && keys.size() != ends.size()))
      throw std::invalid_argument("rondo::Comm::split: each end needs one colour and, if any, one key");
    return made(ends.size(), [&](rondo_comm** out) {
      return rondo_comm_split(handles(ends).data(), static_cast<int32_t>(ends.size()), colours.data(),
                              keys.empty() ? nullptr : keys.data(), out);
    });
  }
  static Ends reform(const Ends& ends) {
    return made(ends.size(), [&](rondo_comm** out) {
      return rondo_comm_reform(handles(ends).data(), static_cast<int32_t>(ends.size()), out);
    });
  }

  rondo_comm_info info() const {
    rondo_comm_info info = RONDO_COMM_INFO_INIT;
    check(rondo_comm_query(get(), &info));
    return info;
  }
  int32_t rank() const { return info().rank; }
  int32_t ranks() const { return info().ranks; }
  // Throws the cause if the group has failed.
  void check_working() const { check(rondo_comm_check(get())); }
  void wait() const { check(rondo_comm_wait(get())); }
  void abort(const std::string& reason) const { check(rondo_comm_abort(get(), reason.c_str())); }

  Tensor all_reduce(const Tensor& input, rondo_reduce_op reduction) const {
    return Tensor::made([&](rondo_tensor** out) { return rondo_comm_all_reduce(get(), input.get(), reduction, out); });
  }
  void all_reduce_into(const Tensor& input, rondo_reduce_op reduction, const Tensor& to) const {
    rondo_tensor* out = to.get();
    check(rondo_comm_all_reduce(get(), input.get(), reduction, &out));
  }
  Tensor all_gather(const Tensor& input) const {
    return Tensor::made([&](rondo_tensor** out) { return rondo_comm_all_gather(get(), input.get(), out); });
  }
  Tensor reduce_scatter(const Tensor& input, rondo_reduce_op reduction) const {
    return Tensor::made(
        [&](rondo_tensor** out) { return rondo_comm_reduce_scatter(get(), input.get(), reduction, out); });
  }
  void broadcast(const Tensor& tensor, int32_t root) const { check(rondo_comm_broadcast(get(), tensor.get(), root)); }
  // Empty on ranks other than the root.
  Tensor reduce(const Tensor& input, rondo_reduce_op reduction, int32_t root) const {
    return Tensor::made(
        [&](rondo_tensor** out) { return rondo_comm_reduce(get(), input.get(), reduction, root, out); });
  }
  Tensor all_to_all(const Tensor& input) const {
    return Tensor::made([&](rondo_tensor** out) { return rondo_comm_all_to_all(get(), input.get(), out); });
  }
  void send(const Tensor& tensor, int32_t peer) const { check(rondo_comm_send(get(), tensor.get(), peer)); }
  void receive(const Tensor& tensor, int32_t peer) const { check(rondo_comm_receive(get(), tensor.get(), peer)); }
  void barrier() const { check(rondo_comm_barrier(get())); }
  // What `calls` submits on this end is one group.
  void group(const std::function<void()>& calls) const {
    check(rondo_comm_group_begin(get()));
    try {
      calls();
    } catch (...) {
      (void)rondo_comm_group_end(get());
      throw;
    }
    check(rondo_comm_group_end(get()));
  }

 private:
  static std::vector<rondo_comm*> handles(const Ends& ends) {
    std::vector<rondo_comm*> handles;
    for (const Comm& each : ends) handles.push_back(each.get());
    return handles;
  }
  template <class Make>
  static Ends made(size_t count, const Make& make) {
    std::vector<rondo_comm*> handles(count);
    check(make(handles.data()));
    Ends ends;
    for (rondo_comm* each : handles) ends.emplace_back(each);
    return ends;
  }
};

// What a task may ask about its run.
class TaskContext {
 public:
  explicit TaskContext(rondo_task_context* context) : context_(context) {}
  void* stream() const { return rondo_task_stream(context_); }
  rondo_device device() const { return rondo_task_device(context_); }
  bool capturing() const { return rondo_task_is_capturing(context_) != 0; }
  rondo_task_context* get() const { return context_; }

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
    const std::vector<rondo_tensor*> in = handles(reads), out = handles(writes);
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
  // Names an output of a recording that was begun with RONDO_RECORD_NAMED_OUTPUTS.
  void record_output(const Tensor& tensor) const { check(rondo_record_output(get(), tensor.get())); }
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
  static std::vector<rondo_tensor*> handles(Tensors tensors) {
    std::vector<rondo_tensor*> handles;
    for (const Tensor& each : tensors) handles.push_back(each.get());
    return handles;
  }
  static void destroy_task(void* task) { delete static_cast<Task*>(task); }
};

// --- gradients

// Notes the operators of this thread from here on, as far as they depend on what it watches.
//
//   rondo::Tape tape(engine, {w});
//   rondo::Tensor loss = rondo::reduce(RONDO_MEAN, rondo::matmul(x, w));
//   rondo::Tensor dw = tape.gradient(loss, w);
class Tape : public Owner<rondo_tape, rondo_tape_destroy> {
 public:
  explicit Tape(const Engine& engine, Tensors watched = {}, uint32_t flags = RONDO_TAPE_DEFAULT)
      : Owner(begin(engine, flags)) {
    for (const Tensor& each : watched) watch(each);
  }
  void watch(const Tensor& tensor) { check(rondo_tape_watch(get(), tensor.get())); }
  void end() { check(rondo_tape_end(get())); }
  rondo_tape_info info() const {
    rondo_tape_info info = RONDO_TAPE_INFO_INIT;
    check(rondo_tape_query(get(), &info));
    return info;
  }
  // Of an output of one element, or of any with its gradient.
  std::vector<Tensor> gradients(const Tensor& output, Tensors sources, const Tensor& output_gradient = Tensor()) {
    std::vector<rondo_tensor*> made(sources.size());
    run(output, sources, output_gradient, made);
    std::vector<Tensor> owned;
    for (rondo_tensor* each : made) owned.emplace_back(each);
    return owned;
  }
  Tensor gradient(const Tensor& output, const Tensor& source, const Tensor& output_gradient = Tensor()) {
    return std::move(gradients(output, {source}, output_gradient).front());
  }
  // Into tensors that are there, one per source; an accumulator is added to.
  void gradients_into(const Tensor& output, Tensors sources, Tensors into, const Tensor& output_gradient = Tensor()) {
    if (sources.size() != into.size())
      throw std::invalid_argument("rondo::Tape::gradients_into: " + std::to_string(into.size()) + " tensors for " +
                                  std::to_string(sources.size()) + " sources");
    std::vector<rondo_tensor*> given = handles(into);
    run(output, sources, output_gradient, given);
  }

  // The gradients of the inputs of a function, by those of its outputs, which are borrowed for the call; an empty
  // Tensor for zero. To fail, throw.
  using Gradient = std::function<std::vector<Tensor>(const std::vector<rondo_tensor*>& output_gradients)>;
  // Says to the open tapes of this thread how outputs depend on inputs.
  static void custom(const std::string& name, Tensors inputs, Tensors outputs, Gradient gradient) {
    const std::vector<rondo_tensor*> from = handles(inputs), to = handles(outputs);
    check(rondo_tape_custom(name.c_str(), static_cast<int32_t>(from.size()), from.data(),
                            static_cast<int32_t>(to.size()), to.data(), run_custom, new Gradient(std::move(gradient)),
                            [](void* arg) { delete static_cast<Gradient*>(arg); }));
  }

 private:
  static rondo_tape* begin(const Engine& engine, uint32_t flags) {
    rondo_tape* tape = nullptr;
    check(rondo_tape_begin(engine.get(), flags, &tape));
    return tape;
  }
  static std::vector<rondo_tensor*> handles(Tensors tensors) {
    std::vector<rondo_tensor*> handles;
    for (const Tensor& each : tensors) handles.push_back(each.get());
    return handles;
  }
  void run(const Tensor& output, Tensors sources, const Tensor& output_gradient,
           std::vector<rondo_tensor*>& gradients) {
    rondo_tensor* const outputs[] = {output.get()};
    rondo_tensor* const given[] = {output_gradient.get()};
    check(rondo_tape_gradients(get(), 1, outputs, given, static_cast<int32_t>(sources.size()), handles(sources).data(),
                               gradients.data()));
  }
  static rondo_status run_custom(void* arg, int32_t n_outputs, rondo_tensor* const* output_gradients, int32_t n_inputs,
                                 rondo_tensor** input_gradients) {
    try {
      std::vector<Tensor> made =
          (*static_cast<Gradient*>(arg))(std::vector<rondo_tensor*>(output_gradients, output_gradients + n_outputs));
      for (size_t i = 0; i < made.size() && i < static_cast<size_t>(n_inputs); ++i)
        input_gradients[i] = made[i].release();
      return RONDO_OK;
    } catch (const Error& error) {
      return error.status();
    } catch (...) {
      return RONDO_USER_ERROR;
    }
  }
};

// Gradients of a model in buckets, each reduced over all ranks as soon as the tape has filled it (data_parallel.h).
//
//   rondo::Buckets buckets(comm, {w, b});
//   buckets.reduce(tape, loss);
//   rondo::Tensor dw = buckets.gradient(0);
class Buckets : public Owner<rondo_buckets, rondo_buckets_destroy> {
 public:
  Buckets(const Comm& comm, const std::vector<Tensor>& parameters,
          const rondo_buckets_options& options = RONDO_BUCKETS_OPTIONS_INIT)
      : Owner(create(comm, parameters, options)) {}
  void reduce(const Tape& tape, const Tensor& output) const {
    rondo_tensor* outputs[] = {output.get()};
    check(rondo_buckets_reduce(get(), tape.get(), 1, outputs, nullptr));
  }
  Tensor gradient(int32_t index) const {
    return Tensor::made([&](rondo_tensor** out) { return rondo_buckets_gradient(get(), index, out); });
  }
  rondo_buckets_info info() const {
    rondo_buckets_info info = RONDO_BUCKETS_INFO_INIT;
    check(rondo_buckets_query(get(), &info));
    return info;
  }

 private:
  static rondo_buckets* create(const Comm& comm, const std::vector<Tensor>& parameters,
                               const rondo_buckets_options& options) {
    std::vector<rondo_tensor*> handles;
    for (const Tensor& each : parameters) handles.push_back(each.get());
    rondo_buckets* buckets = nullptr;
    check(rondo_buckets_create(comm.get(), static_cast<int32_t>(handles.size()), handles.data(), &options, &buckets));
    return buckets;
  }
};

// While it lives, no tape of this thread notes operators.
class NoGradients {
 public:
  NoGradients() { check(rondo_tape_pause()); }
  ~NoGradients() { rondo_tape_resume(); }
  NoGradients(const NoGradients&) = delete;
  NoGradients& operator=(const NoGradients&) = delete;
};

// Calls with an output that is there.
template <class Call>
void into(const Tensor& out, const Call& call) {
  rondo_tensor* given = out.get();
  check(call(&given));
}

// --- model files
class ModelFile : public Owner<rondo_model_file, rondo_model_file_destroy> {
 public:
  explicit ModelFile(const std::string& path) : Owner(open(path)) {}

  rondo_model_file_info info() const {
    rondo_model_file_info info = RONDO_MODEL_FILE_INFO_INIT;
    check(rondo_model_file_query(get(), &info));
    return info;
  }
  struct Entry {
    std::string name;
    rondo_model_tensor_info info;
  };
  Entry entry(int64_t index) const {
    Entry entry = {std::string(), RONDO_MODEL_TENSOR_INFO_INIT};
    const char* name = nullptr;
    check(rondo_model_file_tensor(get(), index, &name, &entry.info));
    entry.name = name;
    return entry;
  }
  // In the order of their data.
  std::vector<Entry> entries() const {
    std::vector<Entry> all;
    for (int64_t i = 0, n = info().tensors; i < n; ++i) all.push_back(entry(i));
    return all;
  }
  int64_t find(const std::string& name) const {
    int64_t index = 0;
    check(rondo_model_file_find(get(), name.c_str(), &index));
    return index;
  }
  std::vector<std::pair<std::string, std::string>> metadata() const {
    std::vector<std::pair<std::string, std::string>> all;
    for (int64_t i = 0, n = info().metadata; i < n; ++i) {
      const char *key = nullptr, *value = nullptr;
      check(rondo_model_file_metadata(get(), i, &key, &value));
      all.emplace_back(key, value);
    }
    return all;
  }
  Tensor load(const std::string& name, const Engine& engine, rondo_device device) const {
    return Tensor::made(
        [&](rondo_tensor** out) { return rondo_model_file_load(get(), name.c_str(), engine.get(), device, out); });
  }
  void load_into(const std::string& name, const Engine& engine, const Tensor& out) const {
    const rondo_device device = out.info().device;
    into(out,
         [&](rondo_tensor** given) { return rondo_model_file_load(get(), name.c_str(), engine.get(), device, given); });
  }

 private:
  static rondo_model_file* open(const std::string& path) {
    rondo_model_file* file = nullptr;
    check(rondo_model_file_open(path.c_str(), &file));
    return file;
  }
};

inline void write_model_file(const std::string& path,
                             const std::vector<std::pair<std::string, std::reference_wrapper<const Tensor>>>& tensors,
                             const std::vector<std::pair<std::string, std::string>>& metadata = {}) {
  std::vector<const char*> names, keys, values;
  std::vector<rondo_tensor*> handles;
  for (const auto& [name, tensor] : tensors) {
    names.push_back(name.c_str());
    handles.push_back(tensor.get().get());
  }
  for (const auto& [key, value] : metadata) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  check(rondo_model_file_write(path.c_str(), names.data(), handles.data(), handles.size(), keys.data(), values.data(),
                               keys.size()));
}

// --- operators. `*_into` writes into a tensor that is there.

inline Tensor unary(rondo_unary_op op, const Tensor& a) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_unary(op, a.get(), out); });
}
inline Tensor unary(rondo_unary_op op, const Tensor& a, const std::vector<double>& parameters) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_unary_with(op, a.get(), static_cast<int32_t>(parameters.size()), parameters.data(), out);
  });
}
inline void unary_into(rondo_unary_op op, const Tensor& a, const Tensor& out) {
  into(out, [&](rondo_tensor** given) { return rondo_unary(op, a.get(), given); });
}
inline Tensor binary(rondo_binary_op op, const Tensor& a, const Tensor& b) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_binary(op, a.get(), b.get(), out); });
}
inline Tensor binary(rondo_binary_op op, const Tensor& a, const Tensor& b, const std::vector<double>& parameters) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_binary_with(op, a.get(), b.get(), static_cast<int32_t>(parameters.size()), parameters.data(), out);
  });
}
inline void binary_into(rondo_binary_op op, const Tensor& a, const Tensor& b, const Tensor& out) {
  into(out, [&](rondo_tensor** given) { return rondo_binary(op, a.get(), b.get(), given); });
}
inline Tensor binary(rondo_binary_op op, const Tensor& a, double b) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_binary_scalar(op, a.get(), b, out); });
}
inline Tensor binary(rondo_binary_op op, double a, const Tensor& b) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_scalar_binary(op, a, b.get(), out); });
}
inline Tensor binary_i64(rondo_binary_op op, const Tensor& a, int64_t b) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_binary_scalar_i64(op, a.get(), b, out); });
}
inline Tensor binary_i64(rondo_binary_op op, int64_t a, const Tensor& b) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_scalar_binary_i64(op, a, b.get(), out); });
}
inline Tensor ternary(rondo_ternary_op op, const Tensor& a, const Tensor& b, const Tensor& c) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_ternary(op, a.get(), b.get(), c.get(), out); });
}
using Tensors = std::initializer_list<std::reference_wrapper<const Tensor>>;
inline std::vector<rondo_tensor*> handles_of(Tensors tensors) {
  std::vector<rondo_tensor*> handles;
  for (const Tensor& each : tensors) handles.push_back(each.get());
  return handles;
}
inline Tensor add_n(Tensors tensors) {
  const std::vector<rondo_tensor*> handles = handles_of(tensors);
  return Tensor::made(
      [&](rondo_tensor** out) { return rondo_add_n(static_cast<int32_t>(handles.size()), handles.data(), out); });
}
#define RONDO_HPP_OPERATOR(symbol, op)                              \
  inline Tensor operator symbol(const Tensor& a, const Tensor& b) { \
    return binary(op, a, b);                                        \
  }                                                                 \
  inline Tensor operator symbol(const Tensor& a, double b) {        \
    return binary(op, a, b);                                        \
  }                                                                 \
  inline Tensor operator symbol(double a, const Tensor& b) {        \
    return binary(op, a, b);                                        \
  }
RONDO_HPP_OPERATOR(+, RONDO_ADD)
RONDO_HPP_OPERATOR(-, RONDO_SUB)
RONDO_HPP_OPERATOR(*, RONDO_MUL)
RONDO_HPP_OPERATOR(/, RONDO_DIV)
#undef RONDO_HPP_OPERATOR
inline Tensor operator-(const Tensor& a) {
  return unary(RONDO_NEG, a);
}

inline Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_where(condition.get(), a.get(), b.get(), out); });
}
inline Tensor cast(const Tensor& a, rondo_dtype dtype) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_cast(a.get(), dtype, out); });
}
inline Tensor copy(const Tensor& a) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_copy(a.get(), out); });
}
inline void copy_into(const Tensor& a, const Tensor& out) {
  into(out, [&](rondo_tensor** given) { return rondo_copy(a.get(), given); });
}
inline Tensor copy_to(const Tensor& a, rondo_device device) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_copy_to(a.get(), device, out); });
}
// Without axes: over all of them.
inline Tensor reduce(rondo_reduce_op op, const Tensor& a, const std::vector<int32_t>& axes = {}, bool keep = false) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_reduce(op, a.get(), static_cast<int32_t>(axes.size()), axes.empty() ? nullptr : axes.data(), keep,
                        out);
  });
}
inline Tensor reduce_with(rondo_reduce_op op, const Tensor& a, const std::vector<double>& parameters,
                          const std::vector<int32_t>& axes = {}, bool keep = false) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_reduce_with(op, a.get(), static_cast<int32_t>(axes.size()), axes.empty() ? nullptr : axes.data(), keep,
                             static_cast<int32_t>(parameters.size()), parameters.data(), out);
  });
}
inline Tensor cumulative(rondo_reduce_op op, const Tensor& a, int32_t axis, bool reverse = false) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_cumulative(op, a.get(), axis, reverse, out); });
}
inline rondo_matmul_options matmul_defaults() {
  rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
  return options;
}
inline Tensor matmul(const Tensor& a, const Tensor& b, const rondo_matmul_options& options = matmul_defaults()) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_matmul(a.get(), b.get(), &options, out); });
}
inline rondo_convolution_options convolution_defaults() {
  rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
  return options;
}
inline Tensor convolution(const Tensor& x, const Tensor& w,
                          const rondo_convolution_options& options = convolution_defaults()) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_convolution(x.get(), w.get(), &options, out); });
}
inline Tensor convolution_filter_grad(const Tensor& x, const Tensor& dy, const std::vector<int64_t>& kernel,
                                      const rondo_convolution_options& options = convolution_defaults()) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_convolution_filter_grad(x.get(), dy.get(), static_cast<int32_t>(kernel.size()), kernel.data(),
                                         &options, out);
  });
}
inline Tensor softmax(const Tensor& a, int32_t axis = -1) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_softmax(a.get(), axis, out); });
}
inline Tensor log_softmax(const Tensor& a, int32_t axis = -1) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_log_softmax(a.get(), axis, out); });
}
inline Tensor softmax_grad(const Tensor& y, const Tensor& dy, int32_t axis = -1) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_softmax_grad(y.get(), dy.get(), axis, out); });
}
// lengths: how many elements of each row count; without it, all.
inline Tensor softmax_with(rondo_softmax_op op, const Tensor& a, int32_t axis, double temperature,
                           const Tensor* lengths = nullptr) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_softmax_with(op, a.get(), axis, temperature, lengths ? lengths->get() : nullptr, out);
  });
}
inline Tensor softmax_grad_with(rondo_softmax_op op, const Tensor& y, const Tensor& dy, int32_t axis,
                                double temperature, const Tensor* lengths = nullptr) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_softmax_grad_with(op, y.get(), dy.get(), axis, temperature, lengths ? lengths->get() : nullptr, out);
  });
}
// weight and bias: null, or one element per place of the axis.
inline Tensor layer_norm(const Tensor& a, int32_t axis = -1, const Tensor* weight = nullptr,
                         const Tensor* bias = nullptr, double epsilon = 1e-5) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_layer_norm(a.get(), axis, weight ? weight->get() : nullptr, bias ? bias->get() : nullptr, epsilon,
                            out);
  });
}
inline Tensor rms_norm(const Tensor& a, int32_t axis = -1, const Tensor* weight = nullptr, double epsilon = 1e-5) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_rms_norm(a.get(), axis, weight ? weight->get() : nullptr, epsilon, out);
  });
}
inline Tensor cross_entropy(const Tensor& logits, const Tensor& labels) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_cross_entropy(logits.get(), labels.get(), out); });
}
inline Tensor cross_entropy_grad(const Tensor& logits, const Tensor& labels, double scale) {
  return Tensor::made(
      [&](rondo_tensor** out) { return rondo_cross_entropy_grad(logits.get(), labels.get(), scale, out); });
}
struct Dropout {
  Tensor out, mask;
};
inline Dropout dropout(const Tensor& a, double p) {
  rondo_tensor *out = nullptr, *mask = nullptr;
  check(rondo_dropout(a.get(), p, &out, &mask));
  return {Tensor(out), Tensor(mask)};
}
inline Tensor dropout_grad(const Tensor& dy, const Tensor& mask, double p) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_dropout_grad(dy.get(), mask.get(), p, out); });
}
inline Tensor one_hot(const Tensor& indices, int64_t depth, rondo_dtype dtype) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_one_hot(indices.get(), depth, dtype, out); });
}
inline Tensor gather_rows(const Tensor& table, const Tensor& indices) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_gather_rows(table.get(), indices.get(), out); });
}

// --- user code
// One argument: {"x", tensor}, {"scale", 0.5}, {"n", 3}.
class Argument {
 public:
  Argument(const char* name, const Tensor& tensor) : argument_(RONDO_TENSOR(name, tensor.get())) {}
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Argument(const char* name, T value) : argument_(number(name, value)) {}
  const rondo_argument& get() const noexcept { return argument_; }

 private:
  template <class T>
  static rondo_argument number(const char* name, T value) {
    if constexpr (std::is_integral_v<T>) return RONDO_INTEGER(name, static_cast<int64_t>(value));
    return RONDO_SCALAR(name, static_cast<double>(value));
  }
  rondo_argument argument_;
};

class Expression : public Owner<rondo_expression, rondo_expression_destroy> {
 public:
  explicit Expression(const std::string& text, const char* name = nullptr) : Owner(create(text, name)) {}

  // Names in the order of the text.
  std::vector<std::string> operands() const { return names(rondo_expression_operand); }
  std::vector<std::string> results() const { return names(rondo_expression_result); }
  // New tensors, one per result; of an expression with one result that one.
  std::vector<Tensor> run(std::initializer_list<Argument> arguments) const {
    std::vector<rondo_tensor*> out(results().size());
    run(arguments, out);
    std::vector<Tensor> tensors;
    for (rondo_tensor* each : out) tensors.emplace_back(each);
    return tensors;
  }
  Tensor operator()(std::initializer_list<Argument> arguments) const {
    std::vector<rondo_tensor*> out(1);
    run(arguments, out);
    return Tensor(out[0]);
  }
  // Into tensors that are there.
  void run_into(std::initializer_list<Argument> arguments,
                std::initializer_list<std::reference_wrapper<const Tensor>> results) const {
    std::vector<rondo_tensor*> out;
    for (const Tensor& each : results) out.push_back(each.get());
    run(arguments, out);
  }

 private:
  static rondo_expression* create(const std::string& text, const char* name) {
    rondo_expression* expression = nullptr;
    check(rondo_expression_create(text.c_str(), name, &expression));
    return expression;
  }
  std::vector<std::string> names(const char* (*name)(rondo_expression*, int32_t)) const {
    std::vector<std::string> all;
    for (int32_t i = 0; const char* each = name(get(), i); ++i) all.emplace_back(each);
    return all;
  }
  void run(std::initializer_list<Argument> arguments, std::vector<rondo_tensor*>& out) const {
    std::vector<rondo_argument> plain;
    for (const Argument& each : arguments) plain.push_back(each.get());
    check(rondo_expression_run(get(), static_cast<int32_t>(plain.size()), plain.data(),
                               static_cast<int32_t>(out.size()), out.data()));
  }
};

inline rondo_module_options module_defaults(const char* name = nullptr) {
  rondo_module_options options = RONDO_MODULE_OPTIONS_INIT;
  options.name = name;
  return options;
}
// So many blocks of so many threads.
inline rondo_launch_options launch_shape(uint32_t blocks, uint32_t threads, uint32_t shared_bytes = 0) {
  rondo_launch_options options = RONDO_LAUNCH_OPTIONS_INIT;
  options.grid_x = blocks;
  options.block_x = threads;
  options.shared_bytes = shared_bytes;
  return options;
}

// Kernels in CUDA C++: Module module(engine, device, text, "scale<float>(const float* x, float* y, int n)").
class Module : public Owner<rondo_module, rondo_module_destroy> {
 public:
  Module(const Engine& engine, rondo_device device, const std::string& text, const std::string& kernels,
         const rondo_module_options& options = module_defaults())
      : Owner(create(engine, device, text, kernels, options)) {}
  void launch(const std::string& kernel, std::initializer_list<Argument> arguments,
              const rondo_launch_options& options) const {
    std::vector<rondo_argument> plain;
    for (const Argument& each : arguments) plain.push_back(each.get());
    check(rondo_module_launch(get(), kernel.c_str(), static_cast<int32_t>(plain.size()), plain.data(), &options));
  }

 private:
  static rondo_module* create(const Engine& engine, rondo_device device, const std::string& text,
                              const std::string& kernels, const rondo_module_options& options) {
    rondo_module* module = nullptr;
    check(rondo_module_create(engine.get(), device, text.c_str(), kernels.c_str(), &options, &module));
    return module;
  }
};

// --- moving elements
inline Tensor concat(Tensors tensors, int32_t axis = 0) {
  const std::vector<rondo_tensor*> handles = handles_of(tensors);
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_concat(static_cast<int32_t>(handles.size()), handles.data(), axis, out);
  });
}
inline Tensor stack(Tensors tensors, int32_t axis = 0) {
  const std::vector<rondo_tensor*> handles = handles_of(tensors);
  return Tensor::made(
      [&](rondo_tensor** out) { return rondo_stack(static_cast<int32_t>(handles.size()), handles.data(), axis, out); });
}
// widths: how many before and how many after the elements of each dimension.
inline Tensor pad(const Tensor& a, rondo_pad_mode mode, const std::vector<int64_t>& widths, double value = 0) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_pad(a.get(), mode, static_cast<int32_t>(widths.size()), widths.data(), value, out);
  });
}
inline Tensor tile(const Tensor& a, const std::vector<int64_t>& counts) {
  return Tensor::made(
      [&](rondo_tensor** out) { return rondo_tile(a.get(), static_cast<int32_t>(counts.size()), counts.data(), out); });
}
inline Tensor repeat(const Tensor& a, int64_t count, int32_t axis) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_repeat(a.get(), count, axis, out); });
}
// shifts: one of each dimension.
inline Tensor roll(const Tensor& a, const std::vector<int64_t>& shifts) {
  return Tensor::made(
      [&](rondo_tensor** out) { return rondo_roll(a.get(), static_cast<int32_t>(shifts.size()), shifts.data(), out); });
}
inline Tensor tril(const Tensor& a, int64_t diagonal = 0) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_tril(a.get(), diagonal, out); });
}
inline Tensor triu(const Tensor& a, int64_t diagonal = 0) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_triu(a.get(), diagonal, out); });
}
inline Tensor take(const Tensor& a, const Tensor& indices, int32_t axis) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_take(a.get(), indices.get(), axis, out); });
}
inline Tensor take_along_axis(const Tensor& a, const Tensor& indices, int32_t axis) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_take_along_axis(a.get(), indices.get(), axis, out); });
}

// Into a tensor that is there; a view that accumulates is added to.
inline void put(const Tensor& tensor, const Tensor& indices, const Tensor& values, int32_t axis) {
  check(rondo_put(tensor.get(), indices.get(), values.get(), axis));
}
inline void put_along_axis(const Tensor& tensor, const Tensor& indices, const Tensor& values, int32_t axis) {
  check(rondo_put_along_axis(tensor.get(), indices.get(), values.get(), axis));
}
inline Tensor sort(const Tensor& a, int32_t axis = -1, bool descending = false) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_sort(a.get(), axis, descending, out); });
}
inline Tensor argsort(const Tensor& a, int32_t axis = -1, bool descending = false) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_argsort(a.get(), axis, descending, out); });
}
struct TopK {
  Tensor values, indices;
};
inline TopK topk(const Tensor& a, int64_t k, int32_t axis = -1, bool largest = true) {
  rondo_tensor *values = nullptr, *indices = nullptr;
  check(rondo_topk(a.get(), k, axis, largest, &values, &indices));
  return {Tensor(values), Tensor(indices)};
}

// --- images: [n, c, spatial...]
inline rondo_norm_options norm_defaults() {
  rondo_norm_options options = RONDO_NORM_OPTIONS_INIT;
  return options;
}
inline Tensor batch_norm(const Tensor& a, const Tensor& mean, const Tensor& variance,
                         const rondo_norm_options& options = norm_defaults()) {
  return Tensor::made(
      [&](rondo_tensor** out) { return rondo_batch_norm(a.get(), mean.get(), variance.get(), &options, out); });
}
struct BatchNorm {
  Tensor out, mean, inverse_deviation;
};
// The running statistics, both or neither, are updated.
inline BatchNorm batch_norm_training(const Tensor& a, const rondo_norm_options& options = norm_defaults(),
                                     const Tensor* running_mean = nullptr, const Tensor* running_variance = nullptr,
                                     double momentum = 0.1) {
  rondo_tensor *out = nullptr, *mean = nullptr, *inverse = nullptr;
  check(rondo_batch_norm_training(a.get(), running_mean ? running_mean->get() : nullptr,
                                  running_variance ? running_variance->get() : nullptr, momentum, &options, &out, &mean,
                                  &inverse));
  return {Tensor(out), Tensor(mean), Tensor(inverse)};
}
inline Tensor group_norm(const Tensor& a, int64_t groups, const rondo_norm_options& options = norm_defaults()) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_group_norm(a.get(), groups, &options, out); });
}
inline Tensor instance_norm(const Tensor& a, const rondo_norm_options& options = norm_defaults()) {
  return Tensor::made([&](rondo_tensor** out) { return rondo_instance_norm(a.get(), &options, out); });
}
inline rondo_pool_options pool_defaults() {
  rondo_pool_options options = RONDO_POOL_OPTIONS_INIT;
  return options;
}
inline Tensor max_pool(const Tensor& a, const Shape& kernel, const rondo_pool_options& options = pool_defaults()) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_max_pool(a.get(), static_cast<int32_t>(kernel.size()), kernel.data(), &options, out);
  });
}
inline Tensor avg_pool(const Tensor& a, const Shape& kernel, const rondo_pool_options& options = pool_defaults()) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_avg_pool(a.get(), static_cast<int32_t>(kernel.size()), kernel.data(), &options, out);
  });
}
inline Tensor adaptive_max_pool(const Tensor& a, const Shape& sizes) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_adaptive_max_pool(a.get(), static_cast<int32_t>(sizes.size()), sizes.data(), out);
  });
}
inline Tensor adaptive_avg_pool(const Tensor& a, const Shape& sizes) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_adaptive_avg_pool(a.get(), static_cast<int32_t>(sizes.size()), sizes.data(), out);
  });
}
inline Tensor resize(const Tensor& a, const Shape& sizes, rondo_resize_mode mode,
                     rondo_resize_origin origin = RONDO_RESIZE_HALF_PIXEL) {
  return Tensor::made([&](rondo_tensor** out) {
    return rondo_resize(a.get(), static_cast<int32_t>(sizes.size()), sizes.data(), mode, origin, out);
  });
}
inline Tensor local_response_norm(const Tensor& a, int64_t size, double alpha, double beta, double k) {
  return Tensor::made(
      [&](rondo_tensor** out) { return rondo_local_response_norm(a.get(), size, alpha, beta, k, out); });
}

// --- devices and features
inline int32_t device_count(rondo_device_kind kind) {
  int32_t count = 0;
  check(rondo_device_count(kind, &count));
  return count;
}
inline Comm::Ends Comm::create_all(const Engine& engine, const std::vector<rondo_device>& devices,
                                   const rondo_comm_options& options) {
  return made(devices.size(), [&](rondo_comm** out) {
    return rondo_comm_create_all(engine.get(), devices.data(), static_cast<int32_t>(devices.size()), &options, out);
  });
}

inline Comm Comm::create(const Engine& engine, rondo_device device, const rondo_comm_options& options) {
  rondo_comm* end = nullptr;
  check(rondo_comm_create(engine.get(), device, &options, &end));
  return Comm(end);
}
// Which rank this process is, by its environment.
inline rondo_ranks_info ranks() {
  rondo_ranks_info info = RONDO_RANKS_INFO_INIT;
  check(rondo_ranks_query(&info));
  return info;
}

inline rondo_device_info device_info(rondo_device device) {
  rondo_device_info info = RONDO_DEVICE_INFO_INIT;
  check(rondo_device_query(device, &info));
  return info;
}
inline rondo_device parse_device(const std::string& text) {
  rondo_device device = {RONDO_CPU, 0};
  check(rondo_device_parse(text.c_str(), &device));
  return device;
}
inline std::string to_string(rondo_device device) {
  char text[16];
  check(rondo_device_format(device, text, sizeof text));
  return text;
}
struct Feature {
  bool available;
  std::string reason;
};
inline Feature feature(const std::string& name) {
  int32_t available = 0;
  const char* reason = nullptr;
  check(rondo_feature(name.c_str(), &available, &reason));
  return {available != 0, reason};
}

}  // namespace rondo

#endif  // RONDO_RONDO_HPP
