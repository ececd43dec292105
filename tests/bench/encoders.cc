// Rows of transformers' encoders, each one graph: asked, and trained as far as the new weights. The encoder is the
// examples' (examples/c/encoder.h), in bf16 on a GPU; on a cpu small ones in f32, which show that the rows run. A
// failure inside it ends the program: its message says where.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/rondo.hpp>

#include <cstdio>
#include <memory>
#include <string>

#include "bench.h"

extern "C" {
#include "../../examples/c/encoder.h"
}

namespace bench {
namespace {

struct Case {
  int layers;
  int64_t width, heads, batch, places;
  bool trains;
};

class Encoder {
 public:
  Encoder(rondo_device device, const Case& given) : trains_(given.trains) {
    const bool large = device.kind == RONDO_CUDA;
    const int64_t width = large ? given.width : 64, heads = large ? given.heads : 4;
    encoder_ = {large ? given.layers : 1, width, heads, 4 * width, given.trains ? 0.1 : 0.0};
    model_create(&model_, engine_.get(), device);
    model_.dtype = large ? RONDO_BF16 : RONDO_F32;
    const int64_t shape[] = {large ? given.batch : 2, large ? given.places : 16, width};
    rondo_tensor* x = nullptr;
    rondo::throw_on_failure(rondo_random_normal(engine_.get(), device, model_.dtype, 3, shape, 0, 1, &x));
    x_ = rondo::Tensor(x);
    const double begin = now_us();
    model_begin(&model_);
    rondo_tensor_destroy(encoder_forward(&encoder_, &model_, x_.get()));  // makes the parameters
    if (trains_) make_optimizer();
    graph_ = engine_.record([this] { trains_ ? train() : ask(); });
    graph_.launch();
    engine_.wait_all();
    const rondo_graph_info info = graph_.info();
    std::fprintf(stderr, "  prepared in %.2f s: %d of %d segments captured, %d nodes, %d branches\n",
                 (now_us() - begin) / 1e6, info.captured, info.segments, info.nodes, info.branches);
  }
  ~Encoder() {
    rondo_optimizer_destroy(optimizer_);
    model_destroy(&model_);
  }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  // Microseconds per launch of launches one behind the other.
  double sample(int launches) const { return launch_us(engine_, graph_, launches); }

 private:
  void make_optimizer() {
    rondo_optimizer_options rule = RONDO_OPTIMIZER_OPTIONS_INIT;
    rule.kind = RONDO_OPTIMIZER_SGD;
    rule.rate = 1e-4;
    for (int i = 0; i < model_.count; ++i) values_[i] = model_.parameters[i].value;
    rondo::throw_on_failure(rondo_optimizer_create(model_.count, values_, &rule, &optimizer_));
  }
  void ask() {
    model_begin(&model_);
    out_ = rondo::Tensor(encoder_forward(&encoder_, &model_, x_.get()));
  }
  // The mean of the squares, whose gradients are each parameter's.
  void train() {
    rondo_tensor *gradients[MODEL_MOST] = {}, *squares = nullptr, *loss = nullptr;
    rondo_tape* tape = nullptr;
    rondo::throw_on_failure(rondo_tape_begin(engine_.get(), RONDO_TAPE_DEFAULT, &tape));
    for (int i = 0; i < model_.count; ++i) rondo::throw_on_failure(rondo_tape_watch(tape, values_[i]));
    model_begin(&model_);
    rondo_tensor* out = encoder_forward(&encoder_, &model_, x_.get());
    rondo::throw_on_failure(rondo_unary(RONDO_SQUARE, out, &squares));
    rondo::throw_on_failure(rondo_reduce(RONDO_MEAN, squares, 0, nullptr, 0, &loss));
    rondo::throw_on_failure(rondo_tape_gradients(tape, 1, &loss, nullptr, model_.count, values_, gradients));
    rondo_tape_destroy(tape);
    rondo::throw_on_failure(rondo_optimizer_step(optimizer_, model_.count, gradients, nullptr, nullptr));
    for (int i = 0; i < model_.count; ++i) rondo_tensor_destroy(gradients[i]);
    for (rondo_tensor* tensor : {loss, squares, out}) rondo_tensor_destroy(tensor);
  }

  const bool trains_;
  rondo::Engine engine_;
  encoder encoder_{};
  model model_{};
  rondo_tensor* values_[MODEL_MOST] = {};  // of the parameters, the model's
  rondo_optimizer* optimizer_ = nullptr;
  rondo::Tensor x_, out_;
  rondo::Graph graph_;
};

}  // namespace

void add_encoder_rows(const Options& options, std::vector<Row>& rows) {
  const bool large = options.device.kind == RONDO_CUDA;
  const auto add = [&](const std::string& id, const std::string& what, const Case& given, double goal_ms) {
    rows.push_back({id, large ? what : what + "; a small one", "none", large ? at_most(goal_ms * 1000) : Goal{},
                    [=]() -> Samplers {
                      auto encoder = std::make_shared<Encoder>(options.device, given);
                      const int launches = options.quick || !large ? 2 : given.batch > 8 ? 10 : 50;
                      return {[=] { return encoder->sample(launches); }, {}};
                    }});
  };
  add("encoder.ask.768", "encoder bf16, 12 x 768, asked, 1 x 128, one graph", {12, 768, 12, 1, 128, false}, 0.25);
  add("encoder.ask.1", "6 x 384, asked, 1 x 128", {6, 384, 12, 1, 128, false}, 0.10);
  add("encoder.ask.8", "8 x 128", {6, 384, 12, 8, 128, false}, 0.18);
  add("encoder.train.4", "4 x 1024, trained, 4 x 128, one graph", {4, 1024, 16, 4, 128, true}, 0.75);
  add("encoder.train.32", "32 x 512", {4, 1024, 16, 32, 512, true}, 12);
}

}  // namespace bench
