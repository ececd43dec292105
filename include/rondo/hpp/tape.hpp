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
    std::vector<rondo_tensor*> given = handles_of(into);
    run(output, sources, output_gradient, given);
  }

  // The gradients of the inputs of a function, by those of its outputs, which are borrowed for the call; an empty
  // Tensor for zero. To fail, throw.
  using Gradient = std::function<std::vector<Tensor>(const std::vector<rondo_tensor*>& output_gradients)>;
  // Says to the open tapes of this thread how outputs depend on inputs.
  static void custom(const std::string& name, Tensors inputs, Tensors outputs, Gradient gradient) {
    const std::vector<rondo_tensor*> from = handles_of(inputs), to = handles_of(outputs);
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
  void run(const Tensor& output, Tensors sources, const Tensor& output_gradient,
           std::vector<rondo_tensor*>& gradients) {
    rondo_tensor* const outputs[] = {output.get()};
    rondo_tensor* const given[] = {output_gradient.get()};
    check(rondo_tape_gradients(get(), 1, outputs, given, static_cast<int32_t>(sources.size()),
                               handles_of(sources).data(), gradients.data()));
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

// While it lives, no tape of this thread notes operators.
class NoGradients {
 public:
  NoGradients() { check(rondo_tape_pause()); }
  ~NoGradients() { rondo_tape_resume(); }
  NoGradients(const NoGradients&) = delete;
  NoGradients& operator=(const NoGradients&) = delete;
};

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_TAPE_HPP
