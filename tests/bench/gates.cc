// Rows of what transformers have beside products and attention: rotary positions of the queries and keys of one packed
// product, in place, and gated activations of its halves, both ways. Of 16,384 rows of 2,048 numbers, in bf16; on a cpu
// of less, in f32, where the goal is PyTorch's time (peers/peer_recommender.py). The floor copies as many bytes as are
// read and written.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/rondo.hpp>

#include <memory>
#include <string>
#include <vector>

#include "bench.h"
#include "floor/floor.h"

namespace bench {
namespace {

constexpr int kCalls = 10;

class Gates {
 public:
  enum Kind { kHalves, kNeighbours, kGated, kGatedBackward };
  Gates(rondo_device device, Kind kind) : rows_(device.kind == RONDO_CUDA ? 16384 : 1024) {
    const rondo_dtype dtype = device.kind == RONDO_CUDA ? RONDO_BF16 : RONDO_F32;
    const auto made = [&](const std::vector<int64_t>& shape) {
      return rondo::cast(engine_.normal(device, RONDO_F32, shape), dtype);
    };
    const auto size = static_cast<int64_t>(rondo_dtype_size(dtype));
    if (kind == kHalves || kind == kNeighbours) {
      const int64_t places = rows_ / 8;
      kept_.push_back(made({8, places, 3, kWidth / 64, 64}));
      // Queries and keys of the product's three parts.
      kept_.push_back(kept_[0].reshape({8, places, 3 * kWidth / 64, 64}).slice(2, 0, 2 * kWidth / 64));
      rondo_rotary_options options = rondo::rotary_defaults();
      options.interleaved = kind == kNeighbours;
      graph_ = engine_.record([&] {
        rondo_tensor* same = kept_[1].get();
        for (int i = 0; i < kCalls; ++i) rondo::throw_on_failure(rondo_rotary(kept_[1].get(), &options, &same));
      });
      bytes_ = 2 * rows_ * 2 * kWidth * size;
    } else {
      kept_.push_back(made({rows_, 2 * kWidth}));
      for (int i = 0; i < 3; ++i) kept_.push_back(made({rows_, kWidth}));
      const rondo::Tensor a = kept_[0].slice(1, 0, kWidth), gate = kept_[0].slice(1, kWidth, 2 * kWidth);
      graph_ = engine_.record([&] {
        if (kind == kGated) {
          // Kept, so that none is left out.
          for (int i = 0; i < kCalls; ++i) out_.push_back(rondo::gated(RONDO_SILU, a, gate));
          return;
        }
        rondo::Tape tape(engine_, {a, gate}, RONDO_TAPE_KEEP);
        const rondo::Tensor y = rondo::gated(RONDO_SILU, a, gate);
        for (int i = 0; i < kCalls; ++i) tape.gradients_into(y, {a, gate}, {kept_[1], kept_[2]}, kept_[3]);
      });
      bytes_ = (kind == kGated ? 3 : 5) * rows_ * kWidth * size;
    }
    graph_.launch();
    engine_.wait_all();
  }
  size_t bytes() const { return static_cast<size_t>(bytes_); }
  double sample(int launches) const { return launch_us(engine_, graph_, launches) / kCalls; }

 private:
  static constexpr int64_t kWidth = 2048;
  rondo::Engine engine_;
  std::vector<rondo::Tensor> kept_, out_;
  rondo::Graph graph_;
  int64_t rows_, bytes_ = 0;
};

}  // namespace

void add_gate_rows(const Options& options, std::vector<Row>& rows) {
  const bool large = options.device.kind == RONDO_CUDA;
  const struct {
    Gates::Kind kind;
    const char *id, *what;
  } all[] = {{Gates::kHalves, "rotary.halves", "rotary positions in place, pairs in halves"},
             {Gates::kNeighbours, "rotary.interleaved", "rotary positions in place, pairs of neighbours"},
             {Gates::kGated, "gated.silu", "SwiGLU of a product's halves"},
             {Gates::kGatedBackward, "gated.silu.backward", "SwiGLU's two gradients"}};
  for (const auto& each : all)
    rows.push_back({each.id, each.what, "a copy inside the device that moves as many bytes",
                    large ? at_most_times(1.2) : at_most_of_peer(1), [=]() -> Samplers {
                      auto gates = std::make_shared<Gates>(options.device, each.kind);
                      std::shared_ptr<Floor> floor = make_floor(options.device);
                      const int count = large && !options.quick ? 5 : 1;
                      return {[=] { return gates->sample(count); },
                              [=] {
                                floor->wait();
                                const double begin = now_us();
                                for (int i = 0; i < count * kCalls; ++i) floor->copy(gates->bytes() / 2);
                                floor->wait();
                                return (now_us() - begin) / count / kCalls;
                              }};
                    }});
}

}  // namespace bench
