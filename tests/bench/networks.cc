// Rows of whole networks, each one graph: ResNet-50 asked and trained, alone and as the trunk of a feature pyramid.
// They are the examples' (examples/c/resnet.h), in f16 with channels last on a GPU, one of them cast by autocast; on a
// cpu small ones in f32, which show that the rows run. A failure inside an example's network ends the program: its
// message says where.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/rondo.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "bench.h"

extern "C" {
#include "../../examples/c/resnet_work.h"
}

namespace bench {
namespace {

struct Case {
  int64_t batch, height, width;
  bool trains, pyramid;
  bool mixed = false;  // trained in f32, its layers in f16 by autocast, with a loss scaler
};

// A network with its graph.
class Network {
 public:
  Network(rondo_device device, const Case& given) {
    const bool large = device.kind == RONDO_CUDA;
    options_.device = device;
    options_.net = large ? resnet RESNET_50 : resnet{8, 10, {1, 1, 1, 1}};
    options_.pyramid = given.pyramid;
    model_create(&model_, engine_.get(), device);
    model_.dtype = large && !given.mixed ? RONDO_F16 : RONDO_F32;
    if (given.mixed) model_.autocast = RONDO_F16;
    model_.channels_last = 1;
    const int64_t batch = large ? given.batch : std::min<int64_t>(given.batch, 2);
    const int64_t shape[] = {batch, RESNET_CHANNELS, large ? given.height : 32, large ? given.width : 32};
    images_ = rondo::Tensor(model_tensor(&model_, model_.dtype, 4, shape));
    rondo_tensor* images = images_.get();
    rondo::throw_on_failure(rondo_random_normal(engine_.get(), device, model_.dtype, 4, shape, 0, 1, &images));
    labels_ = rondo::cast(engine_.uniform(device, RONDO_F32, {batch}, 0, 10), RONDO_I32);
    work_ = {&options_, images_.get(), labels_.get()};
    const double begin = now_us();
    if (given.trains)
      train();
    else
      ask();
    graph_.launch();
    engine_.wait_all();
    const rondo_graph_info info = graph_.info();
    std::fprintf(stderr, "  prepared in %.2f s: %d of %d segments captured, %d nodes, %d branches\n",
                 (now_us() - begin) / 1e6, info.captured, info.segments, info.nodes, info.branches);
  }
  ~Network() {
    if (trains_) descent_destroy(&descent_);
    model_destroy(&model_);
  }
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // Microseconds per launch of launches one behind the other.
  double sample(int launches) const { return launch_us(engine_, graph_, launches); }

 private:
  void train() {
    descent_create(&descent_, &model_, resnet_loss, &work_, 1e-4, 0.9, 1e-4);
    trains_ = true;
    loss_ = engine_.tensor(model_.device, RONDO_F32, {});
    graph_ = engine_.record([this] { descent_step(&descent_, &model_, resnet_loss, &work_, loss_.get()); });
  }
  void ask() {
    rondo_tensor* outputs[RESNET_LEVELS];
    model_.pass = MODEL_NORMALISES;
    const int count = resnet_outputs(&work_, &model_, outputs);  // makes the parameters
    for (int i = 0; i < count; ++i) rondo_tensor_destroy(outputs[i]);
    model_fold(&model_);
    model_.pass = MODEL_FOLDED;
    graph_ = engine_.record([&] {
      resnet_outputs(&work_, &model_, outputs);
      for (int i = 0; i < count; ++i) outputs_[i] = rondo::Tensor(outputs[i]);
    });
  }

  rondo::Engine engine_;
  resnet_options options_{};
  resnet_work work_{};
  model model_{};
  descent descent_{};
  bool trains_ = false;
  rondo::Tensor images_, labels_, loss_, outputs_[RESNET_LEVELS];
  rondo::Graph graph_;
};

}  // namespace

void add_network_rows(const Options& options, std::vector<Row>& rows) {
  const bool large = options.device.kind == RONDO_CUDA;
  const auto add = [&](const std::string& id, const std::string& what, const Case& given, double goal_ms) {
    rows.push_back({id, large ? what : what + "; a small one", "none", large ? at_most(goal_ms * 1000) : Goal{},
                    [=]() -> Samplers {
                      auto network = std::make_shared<Network>(options.device, given);
                      const int launches = options.quick || !large ? 2 : given.batch > 8 ? 10 : 50;
                      return {[=] { return network->sample(launches); }, {}};
                    }});
  };
  add("resnet.ask.1", "ResNet-50 f16 asked, batch 1, one graph", {1, 224, 224, false, false}, 0.50);
  add("resnet.ask.8", "batch 8", {8, 224, 224, false, false}, 0.80);
  add("resnet.ask.128", "batch 128", {128, 224, 224, false, false}, 6.0);
  add("resnet.train.32", "ResNet-50 f16 trained, batch 32, one graph", {32, 224, 224, true, false}, 7.5);
  add("resnet.train.256", "batch 256", {256, 224, 224, true, false}, 44);
  add("resnet.mixed.32", "ResNet-50 f32 trained under autocast to f16 with a loss scaler, batch 32, one graph",
      {32, 224, 224, true, false, true}, 9.0);
  add("fpn.ask.1", "with a feature pyramid, 800 x 1344, asked, batch 1", {1, 800, 1344, false, true}, 1.9);
  add("fpn.ask.2", "batch 2", {2, 800, 1344, false, true}, 3.4);
  add("fpn.train.1", "trained, batch 1", {1, 800, 1344, true, true}, 5.5);
  add("fpn.train.2", "batch 2", {2, 800, 1344, true, true}, 9.5);
}

}  // namespace bench
