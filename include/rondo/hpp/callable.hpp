// Callables. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_CALLABLE_HPP
#define RONDO_HPP_CALLABLE_HPP

#include <rondo/hpp/engine.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rondo {
inline namespace abi_0 {

// A function that is recorded once per signature of its inputs, and called as a graph. As rondo_callable_create and
// rondo_callable_call. Since 0.1.
//
//   rondo::Callable layer(engine, 1, [&](const std::vector<rondo::Tensor>& in) {
//     std::vector<rondo::Tensor> out;
//     out.push_back(rondo::unary(RONDO_RELU, rondo::matmul(in[0], w)));
//     return out;
//   });
//   rondo::Tensor y = layer(x);
class Callable : public Owner<rondo_callable, rondo_callable_destroy> {
 public:
  // The inputs are borrowed for the call. To fail, throw: it is thrown on by the call.
  using Function = std::function<std::vector<Tensor>(const std::vector<Tensor>& inputs)>;
  Callable(const Engine& engine, int32_t outputs, Function function, const rondo_callable_options* options = nullptr)
      : Owner(create(engine, outputs, std::move(function), options)), outputs_(outputs) {}

  std::vector<Tensor> call(Tensors inputs) const {
    std::vector<rondo_tensor*> made(static_cast<size_t>(outputs_));
    std::exception_ptr& thrown = thrown_here();
    thrown = nullptr;
    const std::vector<rondo_tensor*> given = handles_of(inputs);
    const rondo_status status =
        rondo_callable_call(get(), static_cast<int32_t>(given.size()), given.data(), outputs_, made.data());
    const std::exception_ptr failure = std::exchange(thrown, nullptr);
    if (status != RONDO_OK && failure) std::rethrow_exception(failure);
    check(status);
    std::vector<Tensor> owned;
    for (rondo_tensor* each : made) owned.emplace_back(each);
    return owned;
  }
  // The first of its outputs.
  template <class... Inputs>
  Tensor operator()(const Inputs&... inputs) const {
    return std::move(call({inputs...}).front());
  }
  void clear() { check(rondo_callable_clear(get())); }
  rondo_callable_info info() const {
    rondo_callable_info info = RONDO_CALLABLE_INFO_INIT;
    check(rondo_callable_query(get(), &info));
    return info;
  }
  std::string report() const {
    return text_of([&](char* buffer, size_t capacity, size_t* length) {
      return rondo_callable_report(get(), buffer, capacity, length);
    });
  }

 private:
  struct Borrowed {
    Borrowed(rondo_tensor* const* begin, rondo_tensor* const* end) : tensors(begin, end) {}
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    ~Borrowed() {
      for (Tensor& each : tensors) each.release();
    }
    std::vector<Tensor> tensors;
  };
  static std::exception_ptr& thrown_here() {
    thread_local std::exception_ptr thrown;
    return thrown;
  }
  static rondo_callable* create(const Engine& engine, int32_t outputs, Function function,
                                const rondo_callable_options* options) {
    auto owned = std::make_unique<Function>(std::move(function));
    const rondo_callable_fn given = *owned ? run : nullptr;
    rondo_callable* callable = nullptr;
    check(rondo_callable_create(
        engine.get(), outputs, options, given, owned.release(), [](void* arg) { delete static_cast<Function*>(arg); },
        &callable));
    return callable;
  }
  static rondo_status run(void* arg, int32_t n_inputs, rondo_tensor* const* inputs, int32_t n_outputs,
                          rondo_tensor** outputs) {
    try {
      const Borrowed borrowed(inputs, inputs + n_inputs);
      std::vector<Tensor> made = (*static_cast<Function*>(arg))(borrowed.tensors);
      if (made.size() != static_cast<size_t>(n_outputs))
        throw std::length_error("rondo::Callable: the function has returned " + std::to_string(made.size()) +
                                " tensors; the callable was made with " + std::to_string(n_outputs));
      for (size_t i = 0; i < made.size(); ++i) outputs[i] = made[i].release();
      return RONDO_OK;
    } catch (const Error& error) {
      thrown_here() = std::current_exception();
      return error.status();
    } catch (...) {
      thrown_here() = std::current_exception();
      return RONDO_USER_ERROR;
    }
  }

  int32_t outputs_;
};

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_CALLABLE_HPP
