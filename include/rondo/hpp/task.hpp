// Tasks of a program's own. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_TASK_HPP
#define RONDO_HPP_TASK_HPP

#include <rondo/hpp/tensor.hpp>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rondo {
inline namespace abi_0 {

// The end of a task that was left to somebody else. Destroyed without having been completed, the task fails.
class Completion : public Owner<rondo_completion, rondo_completion_destroy> {
 public:
  using Owner::Owner;
  void complete() const { throw_on_failure(rondo_completion_complete(get(), RONDO_OK, nullptr)); }
  void fail(const std::string& message, rondo_status status = RONDO_USER_ERROR) const {
    throw_on_failure(rondo_completion_complete(get(), status, message.c_str()));
  }
};

// Elements side by side, as std::span has them.
template <class T>
class Span {
 public:
  Span(T* data, size_t size) noexcept : data_(data), size_(size) {}
  T* data() const noexcept { return data_; }
  size_t size() const noexcept { return size_; }
  T* begin() const noexcept { return data_; }
  T* end() const noexcept { return data_ + size_; }
  T& operator[](size_t i) const noexcept { return data_[i]; }

 private:
  T* data_;
  size_t size_;
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
    throw_on_failure(rondo_task_defer(context_, &completion));
    return Completion(completion);
  }

  // Of a task that names tensors alone: reads first, then writes, in the order given. Valid during the call.
  struct Operand {
    void* address;
    rondo_tensor_info info;
  };
  Operand operand(size_t index) const {
    Operand operand = {nullptr, RONDO_TENSOR_INFO_INIT};
    throw_on_failure(rondo_task_operand(context_, index, &operand.address, &operand.info));
    return operand;
  }
  // The elements of an operand on the cpu, in row-major order; T must be its dtype, uint8_t for bool. It must have no
  // gaps. Those of one that is read must not be changed.
  template <class T>
  Span<T> values(size_t index) const {
    const Operand found = operand(index);
    const rondo_dtype wanted =
        std::is_same_v<T, uint8_t> && found.info.dtype == RONDO_BOOL ? RONDO_BOOL : dtype_of<std::remove_const_t<T>>();
    const std::string whose = "rondo::TaskContext::values: operand " + std::to_string(index);
    if (found.info.dtype != wanted)
      throw std::invalid_argument(whose + " is " + to_string(found.info.dtype) + ", asked for as " + to_string(wanted));
    if (found.info.device.kind != RONDO_CPU)
      throw std::invalid_argument(whose + " is on " + to_string(found.info.device) +
                                  "; operand() has its address for kernels");
    if (found.info.contiguous == 0)
      throw std::invalid_argument(whose + " has gaps between its elements; operand() has its strides");
    return Span<T>(static_cast<T*>(found.address), static_cast<size_t>(found.info.elements));
  }

 private:
  rondo_task_context* context_;
};

// A task's body. To fail, throw: the message goes with the task's error, and a rondo::Error's status as well.
using Task = std::function<void(TaskContext&)>;

inline rondo_task_options task_defaults(const char* name = nullptr, rondo_device device = {RONDO_CPU, 0}) {
  rondo_task_options options = RONDO_TASK_OPTIONS_INIT;
  options.name = name;
  options.device = device;
  return options;
}

namespace detail {

inline rondo_status run_task(void* task, rondo_task_context* context) {
  TaskContext with(context);
  try {
    (*static_cast<Task*>(task))(with);
    return RONDO_OK;
  } catch (const Error& error) {
    rondo_task_fail(context, error.message());
    return error.status();
  } catch (const std::exception& error) {
    rondo_task_fail(context, error.what());
  } catch (...) {
    rondo_task_fail(context, "the task threw something that is not a std::exception");
  }
  return RONDO_USER_ERROR;
}
inline void destroy_task(void* task) {
  delete static_cast<Task*>(task);
}

}  // namespace detail

// A task that is being described: engine.task("x").reads(a).writes(b).submit(body). Where all that it names are
// tensors, the task holds them, and its body asks for them; with a Variable among them it is ordered by all of them,
// and has none.
class TaskBuilder {
 public:
  TaskBuilder(rondo_engine* engine, std::string name) : engine_(engine), name_(std::move(name)) {}
  template <class... What>
  TaskBuilder& reads(const What&... what) {
    (reads_.add(what), ...);
    return *this;
  }
  template <class... What>
  TaskBuilder& writes(const What&... what) {
    (writes_.add(what), ...);
    return *this;
  }
  // A CUDA device on whose stream the body issues work; without one it is a host function.
  TaskBuilder& on(rondo_device device) {
    options_.device = device;
    return *this;
  }
  TaskBuilder& priority(int32_t priority) {
    options_.priority = priority;
    return *this;
  }
  TaskBuilder& stream(int32_t stream) {
    options_.stream = stream;
    return *this;
  }
  TaskBuilder& auxiliary_streams(int32_t streams) {
    options_.auxiliary_streams = streams;
    return *this;
  }
  TaskBuilder& no_capture() {
    options_.flags |= RONDO_TASK_NO_CAPTURE;
    return *this;
  }
  void submit(Task body) {
    options_.name = name_.c_str();
    auto task = std::make_unique<Task>(std::move(body));
    if (reads_.variables.empty() && writes_.variables.empty()) {
      const Tensors in(reads_.tensors), out(writes_.tensors);
      throw_on_failure(rondo_engine_push_tensors(engine_, detail::run_task, task.release(), detail::destroy_task,
                                                 in.data(), in.size(), out.data(), out.size(), &options_));
    } else {
      const std::vector<rondo_variable*> in = reads_.all(), out = writes_.all();
      throw_on_failure(rondo_engine_push(engine_, detail::run_task, task.release(), detail::destroy_task, in.data(),
                                         in.size(), out.data(), out.size(), &options_));
    }
  }

 private:
  struct Named {
    std::vector<Tensor> tensors;
    std::vector<rondo_variable*> variables;
    void add(const Tensor& tensor) { tensors.push_back(tensor); }
    void add(const Variable& variable) { variables.push_back(variable.get()); }
    template <class Range>
    void add(const Range& range) {
      for (const auto& each : range) add(each);
    }
    std::vector<rondo_variable*> all() const {
      std::vector<rondo_variable*> found = variables;
      found.reserve(found.size() + tensors.size());
      for (const Tensor& each : tensors) found.push_back(each.variable());
      return found;
    }
  };
  rondo_engine* engine_;
  std::string name_;
  rondo_task_options options_ = RONDO_TASK_OPTIONS_INIT;
  Named reads_, writes_;
};

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_TASK_HPP
