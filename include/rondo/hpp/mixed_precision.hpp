// Autocast scopes and loss scalers. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_MIXED_PRECISION_HPP
#define RONDO_HPP_MIXED_PRECISION_HPP

#include <rondo/mixed_precision.h>
#include <rondo/hpp/engine.hpp>
#include <rondo/hpp/models.hpp>
#include <rondo/hpp/optimizer.hpp>

#include <string>
#include <utility>
#include <vector>

namespace rondo {
inline namespace abi_0 {

// An autocast scope of the calling thread while it lives (mixed_precision.h). Ends in its thread, the last one first.
//
//   rondo::Tensor loss;
//   {
//     rondo::Autocast scope(engine, RONDO_F16);
//     loss = rondo::reduce(RONDO_MEAN, rondo::matmul(x, w));
//   }
class Autocast {
 public:
  Autocast(const Engine& engine, rondo_dtype dtype) : engine_(engine.get()) {
    throw_on_failure(rondo_autocast_begin(engine_, dtype));
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;
  ~Autocast() { rondo_autocast_end(engine_); }
  // What it does with an operator from here on.
  void set(const std::string& operation, rondo_precision precision) const {
    throw_on_failure(rondo_autocast_set(engine_, operation.c_str(), precision));
  }

 private:
  rondo_engine* engine_;
};

// The scale of a loss, on the device (mixed_precision.h).
//
//   rondo::LossScaler scaler(engine, device);
//   std::vector<rondo::Tensor> gradients = tape.gradients(scaler.scale(loss), {w, b});
//   scaler.step(optimizer, gradients);
//   scaler.update();
class LossScaler : public Owner<rondo_loss_scaler, rondo_loss_scaler_destroy> {
 public:
  using Owner::Owner;
  LossScaler(const Engine& engine, rondo_device device,
             const rondo_loss_scaler_options& options = RONDO_LOSS_SCALER_OPTIONS_INIT)
      : Owner(create(engine, device, options)), engine_(engine.get()) {}
  Tensor scale(const Tensor& loss) const {
    return loss.made([&](rondo_tensor** out) { return rondo_loss_scaler_scale(get(), loss.get(), out); });
  }
  // A step of the optimizer, skipped if a gradient of the scaled loss is not finite.
  void step(const Optimizer& optimizer, const Tensors& gradients) const {
    throw_on_failure(rondo_loss_scaler_step(get(), optimizer.get(), gradients.count(), gradients.data()));
  }
  // What a step goes by that is not step(): rondo::embedding_bag_descend, Optimizer::step, or your own. It counts as
  // one.
  struct Judged {
    Tensor finite, scale;
  };
  Judged finite(const Tensors& gradients) const {
    detail::Made made(2, gradients.engine());
    throw_on_failure(rondo_loss_scaler_finite(get(), gradients.count(), gradients.data(), made.at(0), made.at(1)));
    return {made.take(0), made.take(1)};
  }
  void update() const { throw_on_failure(rondo_loss_scaler_update(get())); }
  // The state, for saving it: names and tensors that share its memory.
  std::vector<std::pair<std::string, Tensor>> states() const {
    std::vector<std::pair<std::string, Tensor>> all;
    for (int32_t i = 0; i < 3; ++i) {
      const char* name = nullptr;
      Tensor tensor =
          Tensor::made_by(engine_, [&](rondo_tensor** out) { return rondo_loss_scaler_state(get(), i, &name, out); });
      all.emplace_back(name, std::move(tensor));
    }
    return all;
  }
  // Loads the state from a file that has all of it.
  void load(const ModelFile& file, const Engine& engine) const {
    for (const auto& [name, tensor] : states()) file.load_into(name, engine, tensor);
  }

 private:
  static rondo_loss_scaler* create(const Engine& engine, rondo_device device,
                                   const rondo_loss_scaler_options& options) {
    rondo_loss_scaler* scaler = nullptr;
    throw_on_failure(rondo_loss_scaler_create(engine.get(), device, &options, &scaler));
    return scaler;
  }

  rondo_engine* engine_ = nullptr;
};

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_MIXED_PRECISION_HPP
