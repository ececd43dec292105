// Gradients of functions, as functions. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_GRAD_HPP
#define RONDO_HPP_GRAD_HPP

#include <rondo/hpp/create.hpp>
#include <rondo/hpp/tape.hpp>

#include <utility>
#include <vector>

namespace rondo {
inline namespace abi_0 {

// What a function of a tensor, or of a vector of tensors, makes of it, one element, and the gradient by that tensor, or
// by each of the vector. The functions that this gives have gradients too.
//
//   auto [loss, dw] = rondo::value_and_grad([&](const rondo::Tensor& w) { return mean(square(matmul(x, w))); })(w);
template <class Function>
auto value_and_grad(Function function) {
  return [function = std::move(function)](const auto& x) {
    if constexpr (std::is_convertible_v<decltype(x), const Tensor&>) {
      const Tape tape(detail::engine_of(x, "rondo::value_and_grad"), {x});
      Tensor value = function(x);
      Tensor gradient = tape.gradient(value, x);
      return std::pair<Tensor, Tensor>(std::move(value), std::move(gradient));
    } else {
      const Tensors sources(x);
      const Tensor first = sources.size() == 0 ? Tensor() : Tensor(sources.data()[0], borrowed, sources.engine());
      const Tape tape(detail::engine_of(first, "rondo::value_and_grad"), sources);
      Tensor value = function(x);
      std::vector<Tensor> gradients = tape.gradients(value, sources);
      return std::pair<Tensor, std::vector<Tensor>>(std::move(value), std::move(gradients));
    }
  };
}
// The gradient alone: grad(f)(x).
template <class Function>
auto grad(Function function) {
  return [both = value_and_grad(std::move(function))](const auto& x) { return both(x).second; };
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_GRAD_HPP
