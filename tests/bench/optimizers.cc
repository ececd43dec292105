// Rows of optimizers: a step of AdamW over the 199 tensors of BERT-base, on a cpu over those of 2 of its 12 layers with
// a small vocabulary, eagerly and as a graph. The floor copies as many bytes as the step reads and writes.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/rondo.hpp>

#include <memory>
#include <vector>

#include "bench.h"
#include "floor/floor.h"

namespace bench {
namespace {

class Stepped {
 public:
  Stepped(rondo_device device, rondo_dtype dtype, int layers, int64_t words) {
    constexpr int64_t kWidth = 768;
    for (const int64_t rows : {words, int64_t{512}, int64_t{2}}) add(device, dtype, {rows, kWidth});
    add_pair(device, dtype, {kWidth});
    for (int layer = 0; layer < layers; ++layer) {
      for (int i = 0; i < 4; ++i) add_pair(device, dtype, {kWidth, kWidth});
      add_pair(device, dtype, {kWidth});
      add_pair(device, dtype, {4 * kWidth, kWidth});
      add_pair(device, dtype, {kWidth, 4 * kWidth});
      add_pair(device, dtype, {kWidth});
    }
    add_pair(device, dtype, {kWidth, kWidth});
    rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
    options.kind = RONDO_OPTIMIZER_ADAMW;
    options.weight_decay = 0.01;
    options.master_weights = 1;
    optimizer_ = std::make_unique<rondo::Optimizer>(parameters_, options);
    graph_ = engine_.record([this] { optimizer_->step(gradients_); });
    // Of each element: weight, gradient and two means read, all but the gradient written; f32 weights behind 16-bit
    // ones.
    const int64_t size = static_cast<int64_t>(rondo_dtype_size(dtype));
    bytes_ = elements_ * (3 * size + 4 * 4 + (size == 2 ? 2 * 4 - size : 0));
  }
  size_t bytes() const { return static_cast<size_t>(bytes_); }
  double sample(bool graph, int steps) const {
    run(graph);
    engine_.wait_all();
    const double begin = now_us();
    for (int i = 0; i < steps; ++i) run(graph);
    engine_.wait_all();
    return (now_us() - begin) / steps;
  }

 private:
  void run(bool graph) const {
    if (graph)
      graph_.launch();
    else
      optimizer_->step(gradients_);
  }
  void add(rondo_device device, rondo_dtype dtype, const std::vector<int64_t>& shape) {
    int64_t elements = 1;
    for (const int64_t each : shape) elements *= each;
    elements_ += elements;
    parameters_.push_back(engine_.uniform(device, dtype, shape, -1, 1));
    gradients_.push_back(engine_.uniform(device, dtype, shape, -1, 1));
  }
  void add_pair(rondo_device device, rondo_dtype dtype, const std::vector<int64_t>& shape) {
    add(device, dtype, shape);
    add(device, dtype, {shape[0]});
  }

  rondo::Engine engine_;
  std::vector<rondo::Tensor> parameters_, gradients_;
  std::unique_ptr<rondo::Optimizer> optimizer_;
  rondo::Graph graph_;
  int64_t elements_ = 0, bytes_ = 0;
};

}  // namespace

void add_optimizer_rows(const Options& options, std::vector<Row>& rows) {
  const bool large = options.device.kind == RONDO_CUDA;
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_BF16}) {
    const std::string name = rondo_dtype_name(dtype);
    const auto shared = std::make_shared<std::unique_ptr<Stepped>>();  // made by the first row that runs
    for (const bool graph : {false, true}) {
      const Goal goal = large ? at_most_times(1.05) : dtype == RONDO_F32 ? at_most_of_peer(1) : Goal{};
      const std::string what = std::string("AdamW over ") + (large ? "BERT-base, " : "2 layers of BERT-base, ") + name +
                               (graph ? ", one graph" : ", eager");
      rows.push_back({"adamw." + name + (graph ? ".graph" : ""), what,
                      "a copy inside the device that moves as many bytes", goal, [=]() -> Samplers {
                        if (!*shared)
                          *shared =
                              std::make_unique<Stepped>(options.device, dtype, large ? 12 : 2, large ? 30522 : 1000);
                        const Stepped* const stepped = shared->get();
                        std::shared_ptr<Floor> floor = make_floor(options.device);
                        const int count = large ? 10 : 3;
                        return {[=] { return stepped->sample(graph, count); },
                                [=, held = shared] {
                                  floor->wait();
                                  const double begin = now_us();
                                  for (int i = 0; i < count; ++i) floor->copy(stepped->bytes() / 2);
                                  floor->wait();
                                  return (now_us() - begin) / count;
                                }};
                      }});
    }
  }
}

}  // namespace bench
