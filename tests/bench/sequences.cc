// Rows of what meets whole sequences, one call and its gradients, in a graph; on a cpu less of everything, in f32.
// Attention alone, in bf16: queries, keys and values as parts of one product, and their gradients as parts of its,
// 16,384 places in all and 2,048 numbers of each, so many calls one behind the other. Recurrent layers, in f16: one
// layer of 512 numbers, 64 sequences of 128.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/rondo.hpp>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench.h"

namespace bench {
namespace {

constexpr int kCalls = 10;

class Attended {
 public:
  Attended(rondo_device device, int64_t places, int64_t size, bool causal, bool backward) {
    const bool large = device.kind == RONDO_CUDA;
    const rondo_dtype dtype = large ? RONDO_BF16 : RONDO_F32;
    const int64_t batch = std::max<int64_t>((large ? 16384 : 1024) / places, 1), heads = (large ? 2048 : 256) / size;
    const auto made = [&](const std::vector<int64_t>& shape) {
      return rondo::cast(engine_.normal(device, RONDO_F32, shape), dtype);
    };
    packed_ = made({batch, places, 3, heads, size});
    for (int64_t i = 0; i < 3; ++i) in_.push_back(packed_.slice(2, i, i + 1).reshape({batch, places, heads, size}));
    rondo_attention_options options = rondo::attention_defaults();
    options.causal = causal;
    const rondo::Tensor dy = made({batch, places, heads, size});
    into_ = made({batch, places, 3, heads, size});
    rondo_record_options recording = rondo::record_defaults();
    recording.flags |= RONDO_RECORD_AS_WRITTEN;  // else one of equal calls would do
    const auto calls = [&] {
      if (!backward) {
        for (int i = 0; i < kCalls; ++i) out_.push_back(rondo::attention(in_[0], in_[1], in_[2], options));
        return;
      }
      rondo::Tape tape(engine_, {packed_}, RONDO_TAPE_KEEP);
      const rondo::Tensor y = rondo::attention(in_[0], in_[1], in_[2], options);
      for (int i = 0; i < kCalls; ++i) tape.gradients_into(y, {packed_}, {into_}, dy);
    };
    graph_ = engine_.record(calls, recording);
    graph_.launch();
    engine_.wait_all();
  }
  double sample(int launches) const { return launch_us(engine_, graph_, launches) / kCalls; }

 private:
  rondo::Engine engine_;
  rondo::Tensor packed_, into_;
  std::vector<rondo::Tensor> in_, out_;
  rondo::Graph graph_;
};

class Recurred {
 public:
  Recurred(rondo_device device, bool lstm, bool backward) {
    const bool large = device.kind == RONDO_CUDA;
    const rondo_dtype dtype = large ? RONDO_F16 : RONDO_F32;
    const int64_t steps = large ? 128 : 32, batch = large ? 64 : 8, width = large ? 512 : 128, gates = lstm ? 4 : 3;
    const auto made = [&](const std::vector<int64_t>& shape, double limit) {
      return rondo::cast(engine_.uniform(device, RONDO_F32, shape, -limit, limit), dtype);
    };
    for (const int64_t second : {width, width, int64_t{0}, int64_t{0}})
      kept_.push_back(made(second ? std::vector{gates * width, second} : std::vector{gates * width}, 0.05));
    for (int i = 0; i < 2; ++i) kept_.push_back(made({steps, batch, width}, 1));
    std::vector<rondo_tensor*> of;  // the weights, and what they are applied to
    for (const rondo::Tensor& each : kept_) of.push_back(each.get());
    rondo_tensor *dy = of.back(), *x = of[kWeights];
    of.pop_back();
    const auto layer = [&] {
      rondo_tensor* out = nullptr;
      rondo::throw_on_failure(lstm ? rondo_lstm(x, kWeights, of.data(), nullptr, &out, nullptr, nullptr)
                                   : rondo_gru(x, kWeights, of.data(), nullptr, &out, nullptr));
      return rondo::Tensor(out);
    };
    graph_ = engine_.record([&] {
      if (!backward) return kept_.push_back(layer());
      rondo_tape* tape = nullptr;
      rondo::throw_on_failure(rondo_tape_begin(engine_.get(), RONDO_TAPE_DEFAULT, &tape));
      for (rondo_tensor* each : of) rondo::throw_on_failure(rondo_tape_watch(tape, each));
      const rondo::Tensor y = layer();
      std::vector<rondo_tensor*> gradients(of.size(), nullptr);
      rondo_tensor* const ends = y.get();
      rondo::throw_on_failure(
          rondo_tape_gradients(tape, 1, &ends, &dy, static_cast<int32_t>(of.size()), of.data(), gradients.data()));
      rondo_tape_destroy(tape);
      for (rondo_tensor* each : gradients) kept_.emplace_back(each);
    });
    graph_.launch();
    engine_.wait_all();
  }
  double sample(int launches) const { return launch_us(engine_, graph_, launches); }

 private:
  static constexpr int32_t kWeights = 4;

  rondo::Engine engine_;
  std::vector<rondo::Tensor> kept_;
  rondo::Graph graph_;
};

// Projections of 12 heads, each by its part of one weight, from what they made before; ten times in a row.
class Projected {
 public:
  explicit Projected(rondo_device device) {
    const auto made = [&](const std::vector<int64_t>& shape) {
      return rondo::cast(engine_.uniform(device, RONDO_F32, shape, -0.1, 0.1), RONDO_BF16);
    };
    weight_ = made({kHeads, kWidth, kWidth / kHeads});
    for (int i = 0; i <= kTurns; ++i) results_.push_back(made({kHeads, kPlaces, kWidth / kHeads}));
    stacked_ = record(0);
    apart_ = record(RONDO_RECORD_AS_WRITTEN);
    if (stacked_.info().tasks != kTurns) throw std::runtime_error("the heads are not one product");
  }
  double sample(bool stacked, int launches) const {
    return launch_us(engine_, stacked ? stacked_ : apart_, launches) / kTurns;
  }

 private:
  static constexpr int kTurns = 10;
  static constexpr int64_t kHeads = 12, kWidth = 768, kPlaces = 128;

  rondo::Graph record(uint32_t flags) {
    rondo_record_options options = rondo::record_defaults();
    options.flags |= flags;
    return engine_.record(
        [&] {
          for (size_t turn = 0; turn < kTurns; ++turn) {
            const rondo::Tensor x = results_[turn].reshape({kPlaces, kWidth});
            for (int64_t i = 0; i < kHeads; ++i) {
              const rondo::Tensor head = results_[turn + 1].slice(0, i, i + 1).reshape({kPlaces, kWidth / kHeads});
              const rondo::Tensor by = weight_.slice(0, i, i + 1).reshape({kWidth, kWidth / kHeads});
              rondo_tensor* into = head.get();
              rondo::throw_on_failure(rondo_matmul(x.get(), by.get(), nullptr, &into));
            }
          }
        },
        options);
  }

  rondo::Engine engine_;
  rondo::Tensor weight_;
  std::vector<rondo::Tensor> results_;
  rondo::Graph stacked_, apart_;
};

}  // namespace

void add_recurrent_rows(const Options& options, std::vector<Row>& rows) {
  const bool large = options.device.kind == RONDO_CUDA;
  for (const bool lstm : {true, false})
    for (const bool backward : {false, true})
      rows.push_back({std::string(lstm ? "lstm" : "gru") + (backward ? ".train" : ".ask"),
                      std::string(lstm ? "an LSTM of " : "a GRU of ") +
                          (large ? "512, 64 sequences of 128" : "128, 8 sequences of 32") +
                          (backward ? ", with all gradients" : ""),
                      "", Goal{}, [=]() -> Samplers {
                        const auto recurred = std::make_shared<Recurred>(options.device, lstm, backward);
                        return {[=] { return recurred->sample(large && !options.quick ? 10 : 2); }, {}};
                      }});
}

void add_projection_rows(const Options& options, std::vector<Row>& rows) {
  if (options.device.kind != RONDO_CUDA) return;  // on a cpu they stay apart
  rows.push_back(
      {"heads.stacked", "projections of 12 heads, 128 x 768, bf16, as one product",
       "the same as written, a product for each head", at_most_times(0.7), [=]() -> Samplers {
         const auto projected = std::make_shared<Projected>(options.device);
         const int launches = options.quick ? 2 : 20;
         return {[=] { return projected->sample(true, launches); }, [=] { return projected->sample(false, launches); }};
       }});
}

void add_attention_rows(const Options& options, std::vector<Row>& rows) {
  const bool large = options.device.kind == RONDO_CUDA;
  for (const int64_t size : {64, 128})
    for (const int64_t places : {128, 512, 1024, 4096, 16384}) {
      if (!large && places > 1024) continue;
      for (const bool causal : {false, true})
        for (const bool backward : {false, true})
          rows.push_back({"attention." + std::to_string(size) + "." + std::to_string(places) +
                              (causal ? ".causal" : "") + (backward ? ".backward" : ""),
                          std::to_string(places) + " places, heads of " + std::to_string(size) +
                              (causal ? ", causal" : "") + (backward ? ", the three gradients" : ""),
                          "none", large ? at_most_of_peer(1) : Goal{}, [=]() -> Samplers {
                            auto attended = std::make_shared<Attended>(options.device, places, size, causal, backward);
                            return {[=] { return attended->sample(large && !options.quick ? 5 : 1); }, {}};
                          }});
    }
}

}  // namespace bench
