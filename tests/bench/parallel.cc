// A data-parallel training step on two or more GPUs, each rank a process of its own: eight square linear layers with
// ReLU, mean squared error, gradients in buckets that are reduced beside the way back, plain descent; one graph.
//
//   rondo launch -n 2 parallel [--trace FILE]
//
// A row is the microseconds of a step, launches one behind the other, as the slowest rank sees it. --trace: rank 0
// writes what two eager steps did. peers/parallel_torch.py measures the same with PyTorch.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/rondo.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bench.h"
#include "stats.h"

namespace {

constexpr int kLayers = 8;
constexpr int64_t kRows = 256;
constexpr double kRate = 1e-3;

class Step {
 public:
  Step(rondo::Engine& engine, const rondo::Comm& comm, int64_t width, int64_t bucket_bytes) : engine_(engine) {
    const rondo_device device = comm.info().device;
    input_ = engine.normal(device, RONDO_F32, {kRows, width});
    target_ = engine.normal(device, RONDO_F32, {kRows, width});
    const double limit = std::sqrt(6.0 / static_cast<double>(width));
    for (int i = 0; i < kLayers; ++i)
      for (const std::vector<int64_t>& shape : {std::vector<int64_t>{width, width}, std::vector<int64_t>{width}}) {
        parameters_.push_back(engine.uniform(device, RONDO_F32, shape, -limit, limit));
        comm.broadcast(parameters_.back(), 0);
        additions_.push_back(parameters_.back().accumulator());
      }
    rondo_buckets_options options = RONDO_BUCKETS_OPTIONS_INIT;
    options.bucket_bytes = bucket_bytes;
    buckets_ = std::make_unique<rondo::Buckets>(comm, parameters_, options);
    graph_ = engine.record([this] { run(); });
    graph_.launch();
    engine.wait_all();
  }

  double sample(int steps) const { return bench::launch_us(engine_, graph_, steps); }
  rondo_graph_info graph() const { return graph_.info(); }
  int buckets() const { return buckets_->info().buckets; }
  void run() const {
    rondo::Tape tape(engine_);
    for (const rondo::Tensor& each : parameters_) tape.watch(each);
    std::vector<rondo::Tensor> values;
    for (int i = 0; i < kLayers; ++i) {
      rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
      options.bias = parameters_[2 * i + 1].get();
      options.activation = i + 1 < kLayers ? RONDO_ACTIVATION_RELU : RONDO_ACTIVATION_NONE;
      options.allow_tf32 = 1;
      values.push_back(rondo::matmul(i == 0 ? input_ : values.back(), parameters_[2 * i], options));
    }
    const rondo::Tensor loss =
        rondo::reduce(RONDO_MEAN, rondo::binary(RONDO_SQUARED_DIFFERENCE, values.back(), target_));
    buckets_->reduce(tape, loss);
    for (size_t i = 0; i < parameters_.size(); ++i) {
      const rondo::Tensor gradient = buckets_->gradient(static_cast<int32_t>(i));
      rondo_tensor* sum = additions_[i].get();
      rondo::throw_on_failure(rondo_binary_scalar(RONDO_MUL, gradient.get(), -kRate, &sum));
    }
  }

 private:
  rondo::Engine& engine_;
  rondo::Tensor input_, target_;
  std::vector<rondo::Tensor> parameters_, additions_;
  std::unique_ptr<rondo::Buckets> buckets_;
  rondo::Graph graph_;
};

// The slowest rank's.
double slowest(rondo::Engine& engine, const rondo::Comm& comm, double mine) {
  rondo::Tensor given = engine.tensor(comm.info().device, RONDO_F64, {1});
  given.fill(mine);
  return comm.all_reduce(given, RONDO_MAX).read<double>().front();
}

int measure(const char* trace) {
  rondo_ranks_info ranks = RONDO_RANKS_INFO_INIT;
  rondo::throw_on_failure(rondo_ranks_query(&ranks));
  rondo::Engine engine;
  const rondo::Comm comm =
      rondo::Comm::create(engine, rondo_device{RONDO_CUDA, ranks.local_rank >= 0 ? ranks.local_rank : ranks.rank});
  const bool first = comm.rank() == 0;
  for (const int64_t width : {int64_t{256}, int64_t{1024}})
    for (const int64_t bucket_bytes : {int64_t{1} << 20, int64_t{4} << 20, int64_t{8} << 20, int64_t{25} << 20}) {
      const Step step(engine, comm, width, bucket_bytes);
      std::vector<double> samples;
      for (int i = -2; i < 9; ++i) {
        comm.barrier();
        comm.wait();
        const double mine = slowest(engine, comm, step.sample(50));
        if (i >= 0) samples.push_back(mine);
      }
      const rondo_graph_info info = step.graph();
      if (first)
        std::printf(
            "8 x %-5lld %d buckets of at most %2lld MiB  %8.1f us a step  %d nodes, %d branches, %d of %d captured\n",
            static_cast<long long>(width), step.buckets(), static_cast<long long>(bucket_bytes >> 20),
            bench::quantile(samples, 0.5), info.nodes, info.branches, info.captured, info.segments);
      std::fflush(stdout);
    }
  if (trace != nullptr) {
    const Step step(engine, comm, 1024, 4 << 20);
    if (first) engine.begin_trace();
    step.run();
    step.run();
    if (first) engine.end_trace(trace);
    engine.wait_all();
  }
  comm.wait();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return measure(argc == 3 && std::strcmp(argv[1], "--trace") == 0 ? argv[2] : nullptr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "parallel: %s\n", error.what());
    return 1;
  }
}
