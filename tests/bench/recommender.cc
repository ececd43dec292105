// Rows of a recommender of the kind of DLRM: 26 tables of 20,000 rows of 64, a network of 13, 512, 256, 64 below the
// products and of 415, 512, 256, 1 above them, a whole step with updates as one graph. On a cpu tables have 2,000 rows,
// and the goal is PyTorch's time (peers/peer_recommender.py), which stands beside the rows on a GPU too.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/rondo.hpp>

#include <memory>
#include <vector>

#include "bench.h"

namespace bench {
namespace {

class Recommender {
 public:
  Recommender(rondo_device device, int64_t batch) : device_(device), batch_(batch) {
    const int64_t rows = device.kind == RONDO_CUDA ? 20000 : 2000;
    for (int i = 0; i < kTables; ++i) tables_.push_back(uniform({rows, kWidth}, 0.05));
    const std::vector<std::vector<int64_t>> networks = {{13, 512, 256, kWidth}, {kWidth + kPairs, 512, 256, 1}};
    for (const std::vector<int64_t>& widths : networks)
      for (size_t i = 0; i + 1 < widths.size(); ++i) {
        parameters_.push_back(uniform({widths[i], widths[i + 1]}, 0.1));
        parameters_.push_back(uniform({widths[i + 1]}, 0.1));
      }
    dense_ = uniform({batch, 13}, 1);
    labels_ = rondo::cast(rondo::binary(RONDO_GT, uniform({batch, 1}, 1), 0.0), RONDO_F32);
    const rondo::Tensor chosen = engine_.uniform(device, RONDO_F32, {kTables, batch, 1}, 0, static_cast<double>(rows));
    indices_ = rondo::cast(chosen, RONDO_I32);
    rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
    options.rate = 0.01;
    optimizer_ = std::make_unique<rondo::Optimizer>(parameters_, options);
    rate_ = engine_.from_host<double>(device, {1}, {0.01});
    graph_ = engine_.record([this] { step(); });
  }
  double sample(int steps) {
    graph_.launch();
    engine_.wait_all();
    return launch_us(engine_, graph_, steps);
  }

 private:
  static constexpr int kTables = 26;
  static constexpr int64_t kWidth = 64, kPairs = 27 * 26 / 2;

  rondo::Tensor uniform(const std::vector<int64_t>& shape, double limit) {
    return engine_.uniform(device_, RONDO_F32, shape, -limit, limit);
  }
  // Layers `first` to `last`; the result of the last one into `out`, if that is given.
  rondo::Tensor layers(const rondo::Tensor& x, size_t first, size_t last, bool ends, rondo_tensor* out) {
    rondo::Tensor a;
    for (size_t i = first; i <= last; ++i) {
      rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
      options.bias = parameters_[2 * i + 1].get();
      options.activation = ends && i == last ? RONDO_ACTIVATION_NONE : RONDO_ACTIVATION_RELU;
      rondo_tensor* made = i == last ? out : nullptr;
      rondo::throw_on_failure(rondo_matmul((i == first ? x : a).get(), parameters_[2 * i].get(), &options, &made));
      a = made == out && out ? rondo::Tensor() : rondo::Tensor(made);
    }
    return a;
  }
  void step() {
    const rondo::Tensor all = engine_.tensor(device_, RONDO_F32, {batch_, kTables + 1, kWidth});
    const rondo::Tensor rows = all.slice(1, 1, kTables + 1), front = all.slice(1, 0, 1).reshape({batch_, kWidth});
    std::vector<rondo_tensor*> tables;
    for (const rondo::Tensor& each : tables_) tables.push_back(each.get());
    rondo_tensor* into = rows.get();
    rondo::throw_on_failure(rondo_embedding_bag(kTables, tables.data(), indices_.get(), nullptr, RONDO_BAG_SUM, &into));
    std::vector<rondo_tensor*> sources;
    for (const rondo::Tensor& each : parameters_) sources.push_back(each.get());
    sources.push_back(rows.get());
    rondo_tape* tape = nullptr;
    rondo::throw_on_failure(rondo_tape_begin(engine_.get(), RONDO_TAPE_DEFAULT, &tape));
    for (rondo_tensor* each : sources) rondo::throw_on_failure(rondo_tape_watch(tape, each));
    layers(dense_, 0, 2, false, front.get());
    const rondo::Tensor logits = layers(rondo::dot_interaction(all, true), 3, 5, true, nullptr);
    const rondo::Tensor loss = rondo::reduce(RONDO_MEAN, rondo::binary(RONDO_BCE_WITH_LOGITS, logits, labels_));
    std::vector<rondo_tensor*> gradients(sources.size(), nullptr);
    rondo_tensor* const of = loss.get();
    rondo::throw_on_failure(rondo_tape_gradients(tape, 1, &of, nullptr, static_cast<int32_t>(sources.size()),
                                                 sources.data(), gradients.data()));
    rondo_tape_destroy(tape);
    std::vector<rondo::Tensor> owned;
    for (rondo_tensor* each : gradients) owned.emplace_back(each);
    rondo::throw_on_failure(rondo_optimizer_step(optimizer_->get(), static_cast<int32_t>(parameters_.size()),
                                                 gradients.data(), nullptr, nullptr));
    rondo::throw_on_failure(rondo_embedding_bag_descend(kTables, tables.data(), indices_.get(), nullptr, RONDO_BAG_SUM,
                                                        gradients.back(), rate_.get(), nullptr));
  }

  rondo::Engine engine_;
  rondo_device device_;
  int64_t batch_;
  std::vector<rondo::Tensor> tables_, parameters_;
  rondo::Tensor dense_, labels_, indices_, rate_;
  std::unique_ptr<rondo::Optimizer> optimizer_;
  rondo::Graph graph_;
};

}  // namespace

void add_recommender_rows(const Options& options, std::vector<Row>& rows) {
  const bool large = options.device.kind == RONDO_CUDA;
  for (const int64_t batch : {256, 2048}) {
    const Goal goal = large ? at_most(batch == 256 ? 250 : 600) : at_most_of_peer(1);
    rows.push_back({"dlrm." + std::to_string(batch),
                    "a step of a recommender, 26 tables, batch " + std::to_string(batch) + ", one graph", "", goal,
                    [=]() -> Samplers {
                      const auto recommender = std::make_shared<Recommender>(options.device, batch);
                      const int steps = large ? 100 : 5;
                      return {[=] { return recommender->sample(steps); }, {}};
                    }});
  }
}

}  // namespace bench
