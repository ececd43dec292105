// Optimizers, and what is measured over lists of tensors. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_OPTIMIZER_HPP
#define RONDO_HPP_OPTIMIZER_HPP

#include <rondo/optimizer.h>
#include <rondo/hpp/models.hpp>
#include <rondo/hpp/tensor.hpp>

#include <string>
#include <utility>
#include <vector>

namespace rondo {
inline namespace abi_0 {

// An optimizer of some parameters (optimizer.h).
//
//   rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
//   options.kind = RONDO_OPTIMIZER_ADAMW;
//   rondo::Optimizer optimizer({w, b}, options);
//   optimizer.step({dw, db});
class Optimizer : public Owner<rondo_optimizer, rondo_optimizer_destroy> {
 public:
  using Owner::Owner;
  explicit Optimizer(const Tensors& parameters, const rondo_optimizer_options& options = RONDO_OPTIMIZER_OPTIONS_INIT)
      : Owner(create(parameters, options)), engine_(parameters.engine()) {}
  void step(const Tensors& gradients) const { step_with(gradients, nullptr, nullptr); }
  // Where `finite` is false nothing is written.
  void step(const Tensors& gradients, const Tensor& finite) const { step_with(gradients, finite.get(), nullptr); }
  // Gradients are multiplied by `scale` first.
  void step(const Tensors& gradients, const Tensor& finite, const Tensor& scale) const {
    step_with(gradients, finite.get(), scale.get());
  }
  void set_rate(double rate) const { throw_on_failure(rondo_optimizer_set_rate(get(), rate)); }
  // The state, for saving it: names and tensors that share its memory.
  std::vector<std::pair<std::string, Tensor>> states() const {
    std::vector<std::pair<std::string, Tensor>> all;
    for (int32_t i = 0, n = info().states; i < n; ++i) {
      const char* name = nullptr;
      Tensor tensor =
          Tensor::made_by(engine_, [&](rondo_tensor** out) { return rondo_optimizer_state(get(), i, &name, out); });
      all.emplace_back(name, std::move(tensor));
    }
    return all;
  }
  // Loads the state from a file that has all of it.
  void load(const ModelFile& file, const Engine& engine) const {
    for (const auto& [name, tensor] : states()) file.load_into(name, engine, tensor);
  }
  rondo_optimizer_info info() const {
    rondo_optimizer_info info = RONDO_OPTIMIZER_INFO_INIT;
    throw_on_failure(rondo_optimizer_query(get(), &info));
    return info;
  }

 private:
  static rondo_optimizer* create(const Tensors& parameters, const rondo_optimizer_options& options) {
    rondo_optimizer* optimizer = nullptr;
    throw_on_failure(rondo_optimizer_create(parameters.count(), parameters.data(), &options, &optimizer));
    return optimizer;
  }
  void step_with(const Tensors& gradients, rondo_tensor* finite, rondo_tensor* scale) const {
    throw_on_failure(rondo_optimizer_step(get(), gradients.count(), gradients.data(), finite, scale));
  }

  rondo_engine* engine_ = nullptr;
};

namespace detail {
template <class Function, class... Rest>
Tensor of_list(Function function, const Tensors& tensors, Rest... rest) {
  return Tensor::made_by(tensors.engine(),
                         [&](rondo_tensor** out) { return function(tensors.count(), tensors.data(), rest..., out); });
}
}  // namespace detail

inline Tensor all_finite(const Tensors& tensors) {
  return detail::of_list(rondo_all_finite, tensors);
}
inline Tensor global_norm(const Tensors& tensors) {
  return detail::of_list(rondo_global_norm, tensors);
}
inline Tensor clip_global_norm(const Tensors& tensors, double max_norm) {
  return detail::of_list(rondo_clip_global_norm, tensors, max_norm);
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_OPTIMIZER_HPP
