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
//     return std::vector{relu(matmul(in[0], w))};
//   });
//   rondo::Tensor y = layer(x);
class Callable : public Owner<rondo_callable, rondo_callable_destroy> {
 public:
  // The inputs are borrowed for the call. To fail, throw: it is thrown on by the call.
  using Function = std::function<std::vector<Tensor>(const std::vector<Tensor>& inputs)>;
  Callable() = default;
  Callable(const Engine& engine, int32_t outputs, Function function, const rondo_callable_options* options = nullptr)
      : Owner(create(engine, outputs, std::move(function), options)), outputs_(outputs), engine_(engine.get()) {}
  // Of a handle, adopted or borrowed, that was made with so many outputs.
  Callable(rondo_callable* handle, int32_t outputs) : Owner(handle), outputs_(outputs) {}
  Callable(rondo_callable* handle, Borrowed, int32_t outputs) : Owner(handle, borrowed), outputs_(outputs) {}

  std::vector<Tensor> call(const Tensors& inputs) const {
    detail::Made made(static_cast<size_t>(outputs_), engine_ ? engine_ : inputs.engine());
    detail::carry([&] { return rondo_callable_call(get(), inputs.count(), inputs.data(), outputs_, made.data()); });
    return made.take_all();
  }
  // The first of its outputs.
  template <class... Inputs>
  Tensor operator()(const Inputs&... inputs) const {
    return std::move(call({inputs...}).front());
  }
  void clear() const { throw_on_failure(rondo_callable_clear(get())); }
  rondo_callable_info info() const {
    rondo_callable_info info = RONDO_CALLABLE_INFO_INIT;
    throw_on_failure(rondo_callable_query(get(), &info));
    return info;
  }
  std::string report() const {
    return detail::text_of([&](char* buffer, size_t capacity, size_t* length) {
      return rondo_callable_report(get(), buffer, capacity, length);
    });
  }

 private:
  struct Body {
    Function function;
    rondo_engine* engine;
  };
  static rondo_callable* create(const Engine& engine, int32_t outputs, Function function,
                                const rondo_callable_options* options) {
    auto owned = std::make_unique<Body>(Body{std::move(function), engine.get()});
    const rondo_callable_fn given = owned->function ? run : nullptr;
    rondo_callable* callable = nullptr;
    throw_on_failure(rondo_callable_create(
        engine.get(), outputs, options, given, owned.release(), [](void* arg) { delete static_cast<Body*>(arg); },
        &callable));
    return callable;
  }
  static rondo_status run(void* arg, int32_t n_inputs, rondo_tensor* const* inputs, int32_t n_outputs,
                          rondo_tensor** outputs) {
    return detail::caught([&] {
      const Body& body = *static_cast<const Body*>(arg);
      std::vector<Tensor> given;
      given.reserve(static_cast<size_t>(n_inputs));
      for (int32_t i = 0; i < n_inputs; ++i) given.emplace_back(inputs[i], borrowed, body.engine);
      std::vector<Tensor> made = body.function(given);
      if (made.size() != static_cast<size_t>(n_outputs))
        throw std::length_error("rondo::Callable: the function has returned " + std::to_string(made.size()) +
                                " tensors; the callable was made with " + std::to_string(n_outputs));
      for (size_t i = 0; i < made.size(); ++i) outputs[i] = made[i].release();
    });
  }

  int32_t outputs_ = 0;
  rondo_engine* engine_ = nullptr;
};

template <class Function>
Callable Engine::callable(int32_t outputs, Function function, const rondo_callable_options* options) const {
  using Given = const std::vector<Tensor>&;
  if constexpr (std::is_same_v<std::decay_t<std::invoke_result_t<Function&, Given>>, Tensor>)
    return Callable(
        *this, outputs,
        [function = std::move(function)](Given inputs) mutable { return std::vector<Tensor>{function(inputs)}; },
        options);
  else
    return Callable(*this, outputs, std::move(function), options);
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_CALLABLE_HPP
