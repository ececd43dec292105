// What the suites about autocast scopes and loss scalers share. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tape/tape.h"
#include "training/optimizer.h"

namespace conformance {

// An autocast scope while it lives.
class Autocast {
 public:
  Autocast(rondo_engine* engine, rondo_dtype dtype) : engine_(engine) { must(rondo_autocast_begin(engine, dtype)); }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;
  ~Autocast() { EXPECT_EQ(rondo_autocast_end(engine_), RONDO_OK) << rondo_last_error(); }
  void set(const char* operation, rondo_precision precision) const {
    must(rondo_autocast_set(engine_, operation, precision));
  }

 private:
  rondo_engine* engine_;
};

struct LossScalerDeleter {
  void operator()(rondo_loss_scaler* scaler) const { rondo_loss_scaler_destroy(scaler); }
};
using LossScaler = std::unique_ptr<rondo_loss_scaler, LossScalerDeleter>;

class OnMixedPrecision : public OnOptimizer {
 protected:
  LossScaler scaler(const rondo_loss_scaler_options& options) const {
    rondo_loss_scaler* made = nullptr;
    must(rondo_loss_scaler_create(engine(), device(), &options, &made));
    return LossScaler(made);
  }
  static rondo_loss_scaler_options scaler_options(double scale, int64_t interval, double growth = 2,
                                                  double backoff = 0.5) {
    rondo_loss_scaler_options options = RONDO_LOSS_SCALER_OPTIONS_INIT;
    options.initial_scale = scale, options.growth_interval = interval;
    options.growth_factor = growth, options.backoff_factor = backoff;
    return options;
  }
  static void step(const LossScaler& scaler, const Optimizer& of, const Tensors& gradients) {
    std::vector<rondo_tensor*> list = handles(gradients);
    must(rondo_loss_scaler_step(scaler.get(), of.get(), static_cast<int32_t>(list.size()), list.data()));
  }
  // What a step of another kind goes by.
  struct Judged {
    Tensor finite, scale;
  };
  static Judged judged(const LossScaler& by, const std::vector<rondo_tensor*>& gradients) {
    Judged made;
    must(rondo_loss_scaler_finite(by.get(), static_cast<int32_t>(gradients.size()), gradients.data(),
                                  made.finite.slot(), made.scale.slot()));
    return made;
  }
  static std::vector<State> states(const LossScaler& of) {
    std::vector<State> all;
    for (int32_t i = 0; i < 3; ++i) {
      const char* name = nullptr;
      Tensor tensor;
      must(rondo_loss_scaler_state(of.get(), i, &name, tensor.slot()));
      all.push_back({name, std::move(tensor)});
    }
    return all;
  }
  // Scale, good steps, skipped steps.
  static std::vector<Real> figures(const LossScaler& of) {
    std::vector<Real> all;
    for (const State& each : states(of)) all.push_back(download(each.tensor)[0]);
    return all;
  }
};

}  // namespace conformance
