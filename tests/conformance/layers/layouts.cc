// Pooling, resizing and normalisation of images that lie in memory in every way (placement.h), with their gradients:
// as of the same image in row-major order, which other tests compare with references.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "placement.h"
#include "tape/tape.h"

namespace conformance {
namespace {

class LayerLayouts : public OnEngine {
 protected:
  using Layer = std::function<Tensor(rondo_tensor* image)>;

  // Up to roundings: sums may be made in another order.
  static Expected near(const Array& array, Real scale) {
    Expected expected(array);
    expected.ulps = 2;
    const Real epsilon = std::ldexp(Real(1), array.dtype == RONDO_F64 ? -48 : array.dtype == RONDO_F32 ? -19 : -9);
    expected.absolute.assign(expected.values.size(), epsilon * scale);
    return expected;
  }

  // The layer and its gradient, of the image and a result's gradient in such places.
  void keep(Results& results, const std::string& label, const Layer& layer, rondo_dtype dtype, const Shape& shape,
            std::mt19937& bits) {
    const auto outcome = [this, layer, dtype, shape](const Placement* image_at, const Placement* change_at) {
      const auto placed = [this, dtype](const Array& array, const Placement* at) {
        if (!at) return up(array);
        Placed made(engine(), device(), dtype, array.shape, *at);
        into(made.view, rondo_copy, up(array));
        return std::move(made.view);
      };
      const Tensor image = placed(random_array(dtype, shape, 5, -2, 2), image_at);
      const Tape tape(engine());
      tape.watch(image);
      Tensor result = layer(image);
      const rondo_tensor_info info = query(result);
      const Tensor change = placed(random_array(dtype, Shape(info.shape, info.shape + info.ndim), 6, -1, 1), change_at);
      Tensor gradient = tape.gradient(result, image, change);
      return std::pair(std::move(result), std::move(gradient));
    };
    const Placement image_at = somewhere(bits, shape.size()), change_at = somewhere(bits, shape.size());
    auto [result, gradient] = outcome(&image_at, &change_at);
    const std::string name =
        label + " " + rondo_dtype_name(dtype) + " of " + image_at.name() + ", gradient " + change_at.name();
    // The reference is made when it is wanted, not in a recording.
    const auto plain = [=] {
      auto [y, dx] = outcome(nullptr, nullptr);
      return std::pair(download(y), download(dx));
    };
    results.keep(name, std::move(result), [=] { return near(plain().first, 4); });
    results.keep(name + ": gradient", std::move(gradient), [=] { return near(plain().second, 8); });
  }
};
CONFORMANCE_SUITE(LayerLayouts);

TEST_P(LayerLayouts, ByChance) {
  static constexpr int64_t kWindow[] = {3, 2}, kParts[] = {2, 3}, kLarger[] = {9, 8};
  rondo_pool_options pool = RONDO_POOL_OPTIONS_INIT;
  pool.stride[0] = 2, pool.stride[1] = 1, pool.padding[0] = pool.padding[1] = 1;
  const std::vector<std::pair<std::string, Layer>> layers = {
      {"max_pool", [=](auto* x) { return make(rondo_max_pool, x, 2, kWindow, &pool); }},
      {"avg_pool", [=](auto* x) { return make(rondo_avg_pool, x, 2, kWindow, &pool); }},
      {"adaptive_max_pool", [](auto* x) { return make(rondo_adaptive_max_pool, x, 2, kParts); }},
      {"adaptive_avg_pool", [](auto* x) { return make(rondo_adaptive_avg_pool, x, 2, kParts); }},
      {"resize",
       [](auto* x) { return make(rondo_resize, x, 2, kLarger, RONDO_RESIZE_LINEAR, RONDO_RESIZE_HALF_PIXEL); }},
      {"batch_norm_training",
       [](auto* x) {
         Tensor out;
         must(rondo_batch_norm_training(x, nullptr, nullptr, 0.1, nullptr, out.slot(), nullptr, nullptr));
         return out;
       }},
      {"group_norm", [](auto* x) { return make(rondo_group_norm, x, 1, nullptr); }},
      {"instance_norm", [](auto* x) { return make(rondo_instance_norm, x, nullptr); }},
      {"local_response_norm", [](auto* x) { return make(rondo_local_response_norm, x, 3, 0.1, 0.75, 1.0); }},
  };
  std::mt19937 bits(static_cast<uint32_t>(share() + 3));
  for (int round = 0; round < (sparing() ? 1 : on_cuda() ? 3 : 12); ++round) {
    Shape shape = {2, 4, 6, 5};
    for (int64_t& size : shape)
      if (bits() % 6 == 0) size = std::max<int64_t>(size / 4, 1);
    if (shape[2] * shape[3] < 2) shape[2] = 6;  // a normalisation of one element has no gradient to compare
    const rondo_dtype dtype = kFloatDtypes[bits() % 4];
    run([&](Results& results) {
      std::mt19937 own(static_cast<uint32_t>(round));
      for (const auto& [name, layer] : layers) keep(results, name, layer, dtype, shape, own);
    });
  }
}

}  // namespace
}  // namespace conformance
