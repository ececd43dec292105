// What pooling, resizing and local response normalisation refuse. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "harness.h"

namespace conformance {
namespace {

using Sizes = std::vector<int64_t>;

class PoolingMisuse : public OnEngine {};
CONFORMANCE_SUITE(PoolingMisuse);

TEST_P(PoolingMisuse, IsRefused) {
  if (GetParam().graph) return;
  const Tensor a = up(full(RONDO_F32, {1, 2, 4, 4}, 1)), integers = up(full(RONDO_I32, {1, 2, 4, 4}, 1)),
               nothing = up(full(RONDO_F32, {1, 2, 0, 4}, 1)), none = up(full(RONDO_F32, {0, 2, 4, 4}, 1));
  rondo_tensor* out = nullptr;
  const auto refused = [&](const char* function, const char* argument, rondo_status status) {
    expect_refused(status, RONDO_INVALID_ARGUMENT, function, argument);
    EXPECT_EQ(out, nullptr);
  };
  const Sizes two = {2, 2}, zero = {2, 0}, five = {5, 5};
  const auto pool = [&](const char* argument, rondo_tensor* x, int32_t n, const int64_t* kernel,
                        const rondo_pool_options* options = nullptr) {
    refused("rondo_max_pool", argument, rondo_max_pool(x, n, kernel, options, &out));
    refused("rondo_avg_pool", argument, rondo_avg_pool(x, n, kernel, options, &out));
  };
  pool("a", nullptr, 2, two.data());
  pool("a", integers, 2, two.data());
  pool("a", nothing, 2, two.data());
  pool("n", a, 1, two.data());
  pool("n", a, 0, two.data());
  pool("kernel", a, 2, nullptr);
  pool("kernel", a, 2, zero.data());
  pool("kernel", a, 2, five.data());
  for (const auto& [name, set] : std::vector<std::pair<const char*, std::function<void(rondo_pool_options&)>>>{
           {"stride", [](rondo_pool_options& o) { o.stride[1] = -1; }},
           {"padding", [](rondo_pool_options& o) { o.padding[0] = 2; }},
           {"padding", [](rondo_pool_options& o) { o.padding[0] = -1; }},
           {"padding_end", [](rondo_pool_options& o) { o.padding_end[1] = -2; }},
           {"dilation", [](rondo_pool_options& o) { o.dilation[0] = 0; }},
           {"size", [](rondo_pool_options& o) { o.size = 8; }}}) {
    rondo_pool_options options = RONDO_POOL_OPTIONS_INIT;
    set(options);
    pool(name, a, 2, two.data(), &options);
  }
  rondo_pool_options dilated = RONDO_POOL_OPTIONS_INIT;
  dilated.dilation[0] = 2;
  refused("rondo_avg_pool", "dilation", rondo_avg_pool(a, 2, two.data(), &dilated, &out));
  refused("rondo_max_pool", "out", rondo_max_pool(a, 2, two.data(), nullptr, nullptr));
  refused("rondo_adaptive_max_pool", "sizes", rondo_adaptive_max_pool(a, 2, zero.data(), &out));
  refused("rondo_adaptive_avg_pool", "sizes", rondo_adaptive_avg_pool(a, 2, nullptr, &out));
  refused("rondo_adaptive_avg_pool", "a", rondo_adaptive_avg_pool(nothing, 2, two.data(), &out));
  const auto resize = [&](const char* argument, rondo_tensor* x, const int64_t* sizes, int mode, int origin) {
    refused("rondo_resize", argument,
            rondo_resize(x, 2, sizes, static_cast<rondo_resize_mode>(mode), static_cast<rondo_resize_origin>(origin),
                         &out));
  };
  resize("sizes", a, zero.data(), 0, 0);
  resize("sizes", a, nullptr, 0, 0);
  resize("a", integers, two.data(), 0, 0);
  resize("mode", a, two.data(), 3, 0);
  resize("mode", a, two.data(), -1, 0);
  resize("origin", a, two.data(), 1, 3);
  refused("rondo_local_response_norm", "a", rondo_local_response_norm(integers, 3, 1, 1, 1, &out));
  refused("rondo_local_response_norm", "size", rondo_local_response_norm(a, 0, 1, 1, 1, &out));
  refused("rondo_local_response_norm", "beta", rondo_local_response_norm(a, 3, 1, NAN, 1, &out));
  EXPECT_EQ(download(make(rondo_max_pool, none, 2, two.data(), nullptr)).shape, (Shape{0, 2, 2, 2}));
  EXPECT_EQ(download(make(rondo_local_response_norm, none, 3, 1.0, 1.0, 1.0)).shape, (Shape{0, 2, 4, 4}));
}

}  // namespace
}  // namespace conformance
