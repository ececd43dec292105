// Attention and rotary positions. Part of rondo.hpp, which says what holds for all of it. Copyright 2026 the Rondo
// developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_ATTENTION_HPP
#define RONDO_HPP_ATTENTION_HPP

#include <rondo/hpp/tensor.hpp>

namespace rondo {
inline namespace abi_0 {

inline rondo_attention_options attention_defaults() {
  rondo_attention_options options = RONDO_ATTENTION_OPTIONS_INIT;
  return options;
}
inline Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v,
                        const rondo_attention_options& options = attention_defaults()) {
  return q.made([&](rondo_tensor** out) { return rondo_attention(q.get(), k.get(), v.get(), &options, out, nullptr); });
}
struct Attention {
  Tensor out, lse;
};
// With the logarithms of the sums of exp(scores).
inline Attention attention_with_lse(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const rondo_attention_options& options = attention_defaults()) {
  detail::Made made(2, q.engine());
  throw_on_failure(rondo_attention(q.get(), k.get(), v.get(), &options, made.at(0), made.at(1)));
  return {made.take(0), made.take(1)};
}

inline rondo_rotary_options rotary_defaults() {
  rondo_rotary_options options = RONDO_ROTARY_OPTIONS_INIT;
  return options;
}
inline Tensor rotary(const Tensor& x, const rondo_rotary_options& options = rotary_defaults()) {
  return x.made([&](rondo_tensor** out) { return rondo_rotary(x.get(), &options, out); });
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_ATTENTION_HPP
