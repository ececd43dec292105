// Rows of a convolution's two gradients, seven shapes of ResNet-50 with 32 images in f16: ten pairs one behind the
// other in a graph. RONDO_BACKWARD_STREAMS=never measures them one by one, to compare with what was chosen.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/rondo.hpp>

#include <memory>
#include <string>

#include "bench.h"

namespace bench {
namespace {

constexpr int kPairs = 10;

struct Shape {
  int64_t in, out, side, kernel;
};
constexpr Shape kShapes[] = {{64, 64, 56, 3},  {128, 128, 28, 3}, {256, 256, 14, 3}, {512, 512, 7, 3},
                             {256, 64, 56, 1}, {512, 128, 28, 1}, {1024, 256, 14, 1}};

class Pairs {
 public:
  Pairs(rondo_device device, const Shape& shape, int64_t batch) {
    const rondo_dtype dtype = device.kind == RONDO_CUDA ? RONDO_F16 : RONDO_F32;
    const auto image = [&](int64_t n, int64_t channels, int64_t side) {
      return rondo::cast(engine_.normal(device, RONDO_F32, {n, side, side, channels}), dtype).transpose({0, 3, 1, 2});
    };
    const rondo::Tensor x = image(batch, shape.in, shape.side), w = image(shape.out, shape.in, shape.kernel);
    rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
    options.padding[0] = options.padding[1] = shape.kernel / 2;
    const rondo::Tensor dy = image(batch, shape.out, shape.side);
    // Written by each pair, which keeps them in order.
    dx_ = image(batch, shape.in, shape.side);
    dw_ = image(shape.out, shape.in, shape.kernel);
    graph_ = engine_.record([&] {
      rondo::Tape tape(engine_, {x, w}, RONDO_TAPE_KEEP);
      const rondo::Tensor y = rondo::convolution(x, w, options);
      for (int i = 0; i < kPairs; ++i) tape.gradients_into(y, {x, w}, {dx_, dw_}, dy);
    });
    graph_.launch();
    engine_.wait_all();
  }
  double sample(int launches) const { return launch_us(engine_, graph_, launches) / kPairs; }

 private:
  rondo::Engine engine_;
  rondo::Tensor dx_, dw_;
  rondo::Graph graph_;
};

}  // namespace

void add_backward_rows(const Options& options, std::vector<Row>& rows) {
  const bool large = options.device.kind == RONDO_CUDA;
  for (const Shape& shape : kShapes) {
    const std::string side = std::to_string(shape.side), kernel = std::to_string(shape.kernel);
    rows.push_back({"backward." + std::to_string(shape.in) + "." + side,
                    "both gradients, " + std::to_string(shape.in) + " to " + std::to_string(shape.out) + " channels, " +
                        side + " x " + side + ", " + kernel + " x " + kernel,
                    "none", Goal{}, [=]() -> Samplers {
                      auto pairs = std::make_shared<Pairs>(options.device, shape, large ? 32 : 1);
                      return {[=] { return pairs->sample(large && !options.quick ? 20 : 1); }, {}};
                    }});
  }
}

}  // namespace bench
