// Operators on images, [n, c, spatial...]: convolution, normalisation, pooling. Part of rondo.hpp, which says what
// holds for all of it. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_IMAGES_HPP
#define RONDO_HPP_IMAGES_HPP

#include <rondo/hpp/tensor.hpp>

namespace rondo {
inline namespace abi_0 {

inline rondo_convolution_options convolution_defaults() {
  rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
  return options;
}
inline Tensor convolution(const Tensor& x, const Tensor& w,
                          const rondo_convolution_options& options = convolution_defaults()) {
  return x.made([&](rondo_tensor** out) { return rondo_convolution(x.get(), w.get(), &options, out); });
}
inline Tensor convolution_filter_grad(const Tensor& x, const Tensor& dy, const std::vector<int64_t>& kernel,
                                      const rondo_convolution_options& options = convolution_defaults()) {
  return x.made([&](rondo_tensor** out) {
    return rondo_convolution_filter_grad(x.get(), dy.get(), detail::count(kernel.size(), "rondo: sizes"), kernel.data(),
                                         &options, out);
  });
}
inline rondo_norm_options norm_defaults() {
  rondo_norm_options options = RONDO_NORM_OPTIONS_INIT;
  return options;
}
inline Tensor batch_norm(const Tensor& a, const Tensor& mean, const Tensor& variance,
                         const rondo_norm_options& options = norm_defaults()) {
  return a.made(
      [&](rondo_tensor** out) { return rondo_batch_norm(a.get(), mean.get(), variance.get(), &options, out); });
}
struct BatchNorm {
  Tensor out, mean, inverse_deviation;
};
// The running statistics, both or neither, are updated.
inline BatchNorm batch_norm_training(const Tensor& a, const rondo_norm_options& options = norm_defaults(),
                                     const Tensor* running_mean = nullptr, const Tensor* running_variance = nullptr,
                                     double momentum = 0.1) {
  detail::Made made(3, a.engine());
  throw_on_failure(rondo_batch_norm_training(a.get(), running_mean ? running_mean->get() : nullptr,
                                             running_variance ? running_variance->get() : nullptr, momentum, &options,
                                             made.at(0), made.at(1), made.at(2)));
  return {made.take(0), made.take(1), made.take(2)};
}
inline Tensor group_norm(const Tensor& a, int64_t groups, const rondo_norm_options& options = norm_defaults()) {
  return a.made([&](rondo_tensor** out) { return rondo_group_norm(a.get(), groups, &options, out); });
}
inline Tensor instance_norm(const Tensor& a, const rondo_norm_options& options = norm_defaults()) {
  return a.made([&](rondo_tensor** out) { return rondo_instance_norm(a.get(), &options, out); });
}
inline rondo_pool_options pool_defaults() {
  rondo_pool_options options = RONDO_POOL_OPTIONS_INIT;
  return options;
}
inline Tensor max_pool(const Tensor& a, const Shape& kernel, const rondo_pool_options& options = pool_defaults()) {
  return a.made([&](rondo_tensor** out) {
    return rondo_max_pool(a.get(), detail::count(kernel.size(), "rondo: sizes"), kernel.data(), &options, out);
  });
}
inline Tensor avg_pool(const Tensor& a, const Shape& kernel, const rondo_pool_options& options = pool_defaults()) {
  return a.made([&](rondo_tensor** out) {
    return rondo_avg_pool(a.get(), detail::count(kernel.size(), "rondo: sizes"), kernel.data(), &options, out);
  });
}
inline Tensor adaptive_max_pool(const Tensor& a, const Shape& sizes) {
  return a.made([&](rondo_tensor** out) {
    return rondo_adaptive_max_pool(a.get(), detail::count(sizes.size(), "rondo: sizes"), sizes.data(), out);
  });
}
inline Tensor adaptive_avg_pool(const Tensor& a, const Shape& sizes) {
  return a.made([&](rondo_tensor** out) {
    return rondo_adaptive_avg_pool(a.get(), detail::count(sizes.size(), "rondo: sizes"), sizes.data(), out);
  });
}
inline Tensor resize(const Tensor& a, const Shape& sizes, rondo_resize_mode mode,
                     rondo_resize_origin origin = RONDO_RESIZE_HALF_PIXEL) {
  return a.made([&](rondo_tensor** out) {
    return rondo_resize(a.get(), detail::count(sizes.size(), "rondo: sizes"), sizes.data(), mode, origin, out);
  });
}
inline Tensor local_response_norm(const Tensor& a, int64_t size, double alpha, double beta, double k) {
  return a.made([&](rondo_tensor** out) { return rondo_local_response_norm(a.get(), size, alpha, beta, k, out); });
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_IMAGES_HPP
