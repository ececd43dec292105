// Rows of training steps, each one graph. The parameters' update alone, of 160 tensors as ResNet-50 has them: as one
// task, and as one for each. And whole steps: two linear layers with dropout, mean squared error and plain descent,
// the step of the article "Accelerating PyTorch with CUDA Graphs" (pytorch.org, 2021). Gradients come from a tape,
// which adds them, times the step's length, to the parameters they belong to (docs/tape.md).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/rondo.hpp>

#include <cmath>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bench.h"

namespace bench {
namespace {

constexpr double kRate = 0.1;

class Step {
 public:
  Step(rondo_device device, int64_t n, int64_t inputs, int64_t hidden, int64_t outputs) {
    rate_ = engine_.uniform(device, RONDO_F32, {}, 0, 1);
    rate_.fill(-kRate);
    input_ = engine_.normal(device, RONDO_F32, {n, inputs});
    target_ = engine_.normal(device, RONDO_F32, {n, outputs});
    add_layer(device, inputs, hidden);
    add_layer(device, hidden, outputs);
    graph_ = engine_.record([this] { run(); });
    graph_.launch();
    engine_.wait_all();
  }

  // Microseconds per step of launches one behind the other.
  double sample(int steps) const { return launch_us(engine_, graph_, steps); }

 private:
  void add_layer(rondo_device device, int64_t inputs, int64_t outputs) {
    const double limit = 1 / std::sqrt(static_cast<double>(inputs));
    for (const std::vector<int64_t>& shape : {std::vector<int64_t>{outputs, inputs}, std::vector<int64_t>{outputs}}) {
      parameters_.push_back(engine_.uniform(device, RONDO_F32, shape, -limit, limit));
      additions_.push_back(parameters_.back().accumulator());
    }
  }

  rondo::Tensor layer(const rondo::Tensor& a, size_t first, double p) const {
    rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
    options.bias = parameters_[first + 1].get();
    options.transpose_b = 1;  // weights are outputs x inputs, as the peer's
    options.allow_tf32 = 1;
    return rondo::dropout(rondo::matmul(a, parameters_[first], options), p).out;
  }

  void run() const {
    rondo::Tape tape(engine_);
    for (const rondo::Tensor& each : parameters_) tape.watch(each);
    const rondo::Tensor hidden = layer(input_, 0, 0.2), predicted = layer(hidden, 2, 0.1);
    const rondo::Tensor loss = rondo::reduce(RONDO_MEAN, rondo::binary(RONDO_SQUARED_DIFFERENCE, predicted, target_));
    tape.gradients_into(loss, {parameters_[0], parameters_[1], parameters_[2], parameters_[3]},
                        {additions_[0], additions_[1], additions_[2], additions_[3]}, rate_);
  }

  rondo::Engine engine_;
  rondo::Tensor rate_, input_, target_;                // the rate is negative
  std::vector<rondo::Tensor> parameters_, additions_;  // weight, bias, weight, bias; views that add
  rondo::Graph graph_;
};

// What a step of training ends with, descent with momentum of a network's parameters, recorded in three ways: as one
// call of an expression, as a call for each parameter that stays a kernel, and as operators, of which passes make few
// launches.
enum class Written { together, apart, operators };
class Update {
 public:
  Update(rondo_device device, int64_t width) {
    const int blocks[] = {3, 4, 6, 3};
    add_layer(device, 49 * 3, width);
    int64_t from = width;
    for (int stage = 0; stage < 4; ++stage) {
      const int64_t inner = width << stage;
      for (int block = 0; block < blocks[stage]; ++block, from = 4 * inner) {
        add_layer(device, from, inner);
        add_layer(device, 9 * inner, inner);
        add_layer(device, inner, 4 * inner);
      }
    }
    add_layer(device, from, 10 * width);
    graphs_[0] = engine_.record([this] { update_.run_each_into(sets_); });
    rondo_record_options as_written = RONDO_RECORD_OPTIONS_INIT;
    as_written.flags = RONDO_RECORD_AS_WRITTEN;
    graphs_[1] = engine_.record(
        [this] {
          for (const rondo::Expression::Set& set : sets_) update_.run_each_into({set});
        },
        as_written);
    graphs_[2] = engine_.record([this] {
      for (size_t i = 0; i < kept_.size(); i += 3) descend(kept_[i], kept_[i + 1], kept_[i + 2]);
    });
  }
  double sample(Written written, int launches) const {
    const rondo::Graph& graph = graphs_[static_cast<size_t>(written)];
    graph.launch();
    engine_.wait_all();
    return launch_us(engine_, graph, launches);
  }

 private:
  // A filter, and the two numbers of each channel of its normalisation.
  void add_layer(rondo_device device, int64_t inputs, int64_t outputs) {
    for (const std::vector<int64_t>& shape : {std::vector<int64_t>{inputs, outputs}, {outputs}, {outputs}}) {
      const auto made = [&]() -> const rondo::Tensor& {
        return kept_.emplace_back(engine_.uniform(device, RONDO_F32, shape, -1, 1));
      };
      const rondo::Tensor &p = made(), &v = made(), &g = made();
      sets_.push_back({{{"p", p}, {"v", v}, {"g", g}, {"m", 0.9}, {"r", 1e-3}}, {v, p}});
    }
  }

  rondo::Engine engine_;
  static void descend(const rondo::Tensor& p, const rondo::Tensor& v, const rondo::Tensor& g) {
    rondo::binary_into(RONDO_ADD, rondo::binary(RONDO_MUL, v, 0.9), g, v);
    rondo::binary_into(RONDO_SUB, p, rondo::binary(RONDO_MUL, v, 1e-3), p);
  }

  rondo::Expression update_{"v = m * v + g; p = p - r * v", "descent"};
  std::deque<rondo::Tensor> kept_;  // where they stay
  std::vector<rondo::Expression::Set> sets_;
  rondo::Graph graphs_[3];
};

}  // namespace

void add_training_rows(const Options& options, std::vector<Row>& rows) {
  const bool large = options.device.kind == RONDO_CUDA;
  rows.push_back({"update.each", large ? "update of ResNet-50's parameters, one task" : "the same of small ones",
                  "the same as a task for each parameter", large ? at_most_times(0.6) : Goal{}, [=]() -> Samplers {
                    auto update = std::make_shared<Update>(options.device, large ? 64 : 4);
                    const int launches = options.quick ? 5 : 50;
                    return {[=] { return update->sample(Written::together, launches); },
                            [=] { return update->sample(Written::apart, launches); }};
                  }});
  rows.push_back({"update.recorded", "the same written with operators and recorded",
                  "the same as one expression's task", large ? at_most_times(1.1) : Goal{}, [=]() -> Samplers {
                    auto update = std::make_shared<Update>(options.device, large ? 64 : 4);
                    const int launches = options.quick ? 5 : 50;
                    return {[=] { return update->sample(Written::operators, launches); },
                            [=] { return update->sample(Written::together, launches); }};
                  }});
  const auto add = [&](const std::string& id, const std::string& what, int64_t n, int64_t inputs, int64_t hidden,
                       int64_t outputs) {
    rows.push_back({id, what, "none", Goal{}, [=]() -> Samplers {
                      auto step = std::make_shared<Step>(options.device, n, inputs, hidden, outputs);
                      const int steps = options.quick ? 5 : 50;
                      return {[=] { return step->sample(steps); }, {}};
                    }});
  };
  add("step.small", "training step 64 x 64 x 64 x 10, one graph", 64, 64, 64, 10);
  // Thirty billion multiplications: seconds on a cpu.
  if (options.device.kind == RONDO_CUDA)
    add("step.large", "the same, 640 x 4096 x 2048 x 1024, TF32", 640, 4096, 2048, 1024);
}

}  // namespace bench
