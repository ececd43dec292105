// Bags of rows, and products of pairs. Part of rondo.hpp, which says what holds for all of it. Copyright 2026 the Rondo
// developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_RECOMMENDER_HPP
#define RONDO_HPP_RECOMMENDER_HPP

#include <rondo/hpp/tensor.hpp>

namespace rondo {
inline namespace abi_0 {

// offsets: an empty tensor for bags of one length.
inline Tensor embedding_bag(const Tensors& tables, const Tensor& indices, const Tensor& offsets = Tensor(),
                            rondo_bag_mode mode = RONDO_BAG_SUM) {
  return indices.made([&](rondo_tensor** out) {
    return rondo_embedding_bag(tables.count(), tables.data(), indices.get(), offsets.get(), mode, out);
  });
}
inline rondo_descend_options descend_defaults() {
  rondo_descend_options options = RONDO_DESCEND_OPTIONS_INIT;
  return options;
}
inline void embedding_bag_descend(const Tensors& tables, const Tensor& indices, const Tensor& offsets,
                                  rondo_bag_mode mode, const Tensor& gradient, const Tensor& rate,
                                  const rondo_descend_options& options = descend_defaults()) {
  throw_on_failure(rondo_embedding_bag_descend(tables.count(), tables.data(), indices.get(), offsets.get(), mode,
                                               gradient.get(), rate.get(), &options));
}
inline Tensor dot_interaction(const Tensor& x, bool keep_first = false) {
  return x.made([&](rondo_tensor** out) { return rondo_dot_interaction(x.get(), keep_first, out); });
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_RECOMMENDER_HPP
