// Gradients. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_TAPE_HPP
#define RONDO_HPP_TAPE_HPP

#include <rondo/hpp/engine.hpp>

namespace rondo {
inline namespace abi_0 {

// Notes the operators of this thread from here on, as far as they depend on what it watches.
//
//   rondo::Tape tape(engine, {w});
//   rondo::Tensor loss = rondo::reduce(RONDO_MEAN, rondo::matmul(x, w));
//   rondo::Tensor dw = tape.gradient(loss, w);
class Tape : public Owner<rondo_tape, rondo_tape_destroy> {
 public:
  using Owner::Owner;
  explicit Tape(const Engine& engine, const Tensors& watched = {}, uint32_t flags = RONDO_TAPE_DEFAULT)
      : Owner(begin(engine, flags)) {
    watch(watched);
  }
  void watch(const Tensor& tensor) const { throw_on_failure(rondo_tape_watch(get(), tensor.get())); }
  void watch(const Tensors& tensors) const {
    for (rondo_tensor* each : tensors.handles()) throw_on_failure(rondo_tape_watch(get(), each));
  }
  void end() const { throw_on_failure(rondo_tape_end(get())); }
  rondo_tape_info info() const {
    rondo_tape_info info = RONDO_TAPE_INFO_INIT;
    throw_on_failure(rondo_tape_query(get(), &info));
    return info;
  }
  // Of an output of one element, or of any with its gradient.
  std::vector<Tensor> gradients(const Tensor& output, const Tensors& sources,
                                const Tensor& output_gradient = Tensor()) const {
    detail::Made made(sources.size(), output.engine());
    run(output, sources, output_gradient, made.data());
    return made.take_all();
  }
  Tensor gradient(const Tensor& output, const Tensor& source, const Tensor& output_gradient = Tensor()) const {
    return std::move(gradients(output, {source}, output_gradient).front());
  }
  // Into tensors that are there, one per source; an accumulator is added to.
  void gradients_into(const Tensor& output, const Tensors& sources, const Tensors& into,
                      const Tensor& output_gradient = Tensor()) const {
    if (sources.size() != into.size())
      throw std::invalid_argument("rondo::Tape::gradients_into: " + std::to_string(into.size()) + " tensors for " +
                                  std::to_string(sources.size()) + " sources");
    std::vector<rondo_tensor*> given = into.handles();
    run(output, sources, output_gradient, given.data());
  }

  // Says to the open tapes of this thread how outputs depend on inputs: by a function of the outputs' gradients, which
  // are borrowed for the call, that gives those of the inputs, an empty Tensor for zero. It takes them as tensors
  // (const std::vector<Tensor>&), or as handles of the C interface (const std::vector<rondo_tensor*>&). To fail, it
  // throws, and gradients() throws that on.
  using Handles = std::vector<rondo_tensor*>;
  template <class Gradient>
  static void custom(const std::string& name, const Tensors& inputs, const Tensors& outputs, Gradient gradient) {
    if constexpr (std::is_invocable_v<Gradient&, const std::vector<Tensor>&>)
      note(name, inputs, outputs,
           [gradient = std::move(gradient), engine = outputs.engine()](const Handles& handles) mutable {
             std::vector<Tensor> given;
             given.reserve(handles.size());
             for (rondo_tensor* each : handles) given.emplace_back(each, borrowed, engine);
             return gradient(std::as_const(given));
           });
    else
      note(name, inputs, outputs, std::move(gradient));
  }

 private:
  using GradientOfHandles = std::function<std::vector<Tensor>(const Handles& output_gradients)>;
  static void note(const std::string& name, const Tensors& inputs, const Tensors& outputs, GradientOfHandles gradient) {
    auto owned = std::make_unique<GradientOfHandles>(std::move(gradient));
    throw_on_failure(rondo_tape_custom(name.c_str(), inputs.count(), inputs.data(), outputs.count(), outputs.data(),
                                       run_custom, owned.release(),
                                       [](void* arg) { delete static_cast<GradientOfHandles*>(arg); }));
  }
  static rondo_tape* begin(const Engine& engine, uint32_t flags) {
    rondo_tape* tape = nullptr;
    throw_on_failure(rondo_tape_begin(engine.get(), flags, &tape));
    return tape;
  }
  void run(const Tensor& output, const Tensors& sources, const Tensor& output_gradient,
           rondo_tensor** gradients) const {
    rondo_tensor* const outputs[] = {output.get()};
    rondo_tensor* const given[] = {output_gradient.get()};
    detail::carry(
        [&] { return rondo_tape_gradients(get(), 1, outputs, given, sources.count(), sources.data(), gradients); });
  }
  static rondo_status run_custom(void* arg, int32_t n_outputs, rondo_tensor* const* output_gradients, int32_t n_inputs,
                                 rondo_tensor** input_gradients) {
    return detail::caught([&] {
      std::vector<Tensor> made =
          (*static_cast<GradientOfHandles*>(arg))(Handles(output_gradients, output_gradients + n_outputs));
      if (made.size() > static_cast<size_t>(n_inputs))
        throw std::length_error("rondo::Tape::custom: the function has returned " + std::to_string(made.size()) +
                                " gradients for " + std::to_string(n_inputs) + " inputs");
      for (size_t i = 0; i < made.size(); ++i) input_gradients[i] = made[i].release();
    });
  }
};

// While it lives, no tape of this thread notes operators.
class NoGradients {
 public:
  NoGradients() { throw_on_failure(rondo_tape_pause()); }
  ~NoGradients() { rondo_tape_resume(); }
  NoGradients(const NoGradients&) = delete;
  NoGradients& operator=(const NoGradients&) = delete;
};

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_TAPE_HPP
