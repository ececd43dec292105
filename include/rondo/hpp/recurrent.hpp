// Recurrent layers. Part of rondo.hpp, which says what holds for all of it. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_RECURRENT_HPP
#define RONDO_HPP_RECURRENT_HPP

#include <rondo/hpp/tensor.hpp>

namespace rondo {
inline namespace abi_0 {

inline rondo_recurrent_options recurrent_defaults() {
  rondo_recurrent_options options = RONDO_RECURRENT_OPTIONS_INIT;
  return options;
}
// Results, and the last states and cells; only an LSTM has those.
struct Recurrent {
  Tensor out, last_h, last_c;
};
namespace detail {
template <class Run>
Recurrent recurrent(const Tensor& x, const Tensors& weights, const Run& run) {
  Made made(3, x.engine());
  throw_on_failure(run(weights.count(), weights.data(), made.at(0), made.at(1), made.at(2)));
  return {made.take(0), made.take(1), made.take(2)};
}
}  // namespace detail

inline Recurrent lstm(const Tensor& x, const Tensors& weights,
                      const rondo_recurrent_options& options = recurrent_defaults()) {
  return detail::recurrent(
      x, weights,
      [&](int32_t n, rondo_tensor* const* handles, rondo_tensor** out, rondo_tensor** last_h, rondo_tensor** last_c) {
        return rondo_lstm(x.get(), n, handles, &options, out, last_h, last_c);
      });
}
inline Recurrent gru(const Tensor& x, const Tensors& weights,
                     const rondo_recurrent_options& options = recurrent_defaults()) {
  return detail::recurrent(x, weights,
                           [&](int32_t n, rondo_tensor* const* handles, rondo_tensor** out, rondo_tensor** last_h,
                               rondo_tensor**) { return rondo_gru(x.get(), n, handles, &options, out, last_h); });
}
inline Recurrent rnn(const Tensor& x, const Tensors& weights,
                     const rondo_recurrent_options& options = recurrent_defaults()) {
  return detail::recurrent(x, weights,
                           [&](int32_t n, rondo_tensor* const* handles, rondo_tensor** out, rondo_tensor** last_h,
                               rondo_tensor**) { return rondo_rnn(x.get(), n, handles, &options, out, last_h); });
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_RECURRENT_HPP
