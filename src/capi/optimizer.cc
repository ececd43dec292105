// Makes optimizers and loss scalers, runs their steps, and measures lists of tensors, after checking handles.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/optimizer/optimizer.h"

#include "capi/operators.h"
#include "capi/structs.h"
#include "capi/tape.h"
#include "engine/handle.h"
#include "ops/optimizer/loss_scaler.h"

struct rondo_optimizer {
  uint32_t magic = 0;
  std::unique_ptr<rondo::ops::Optimizer> optimizer;
};

struct rondo_loss_scaler {
  uint32_t magic = 0;
  std::unique_ptr<rondo::ops::LossScaler> scaler;
};

using namespace rondo;
using capi::check_tensor;
using capi::guard;

namespace {

using AllOptimizers = HandleSlab<rondo_optimizer, HandleKind::optimizer>;
using AllLossScalers = HandleSlab<rondo_loss_scaler, HandleKind::loss_scaler>;
constexpr int32_t kMost = 1 << 20;  // tensors

Status check_optimizer(const rondo_optimizer* optimizer) {
  if (!AllOptimizers::alive(optimizer)) return capi::dead_handle("optimizer", "optimizer", optimizer);
  return capi::check_present(optimizer->optimizer->engine());
}

Status check_scaler(const rondo_loss_scaler* scaler) {
  if (!AllLossScalers::alive(scaler)) return capi::dead_handle("scaler", "loss scaler", scaler);
  return capi::check_present(scaler->scaler->engine());
}

Status check_tensors(int32_t n, rondo_tensor* const* tensors) {
  RONDO_TRY(capi::check_count("n", n, kMost));
  RONDO_TRY(capi::check_list("tensors", tensors, n));
  return tensors[0]->view.engine().usable();
}

}  // namespace

void capi::list_live_optimizers(const Engine& engine, std::vector<std::string>* objects) {
  AllOptimizers::for_each([&](const rondo_optimizer& each) {
    if (&each.optimizer->engine() == &engine) objects->emplace_back("optimizer");
  });
  AllLossScalers::for_each([&](const rondo_loss_scaler& each) {
    if (&each.scaler->engine() == &engine) objects->emplace_back("loss scaler");
  });
}

extern "C" {

rondo_status rondo_optimizer_create(int32_t n_parameters, rondo_tensor* const* parameters,
                                    const rondo_optimizer_options* options, rondo_optimizer** optimizer) {
  return guard("rondo_optimizer_create", [&]() -> Status {
    RONDO_TRY(capi::check_count("n_parameters", n_parameters, kMost));
    RONDO_TRY(capi::check_list("parameters", parameters, n_parameters));
    RONDO_NOT_NULL(optimizer);
    rondo_optimizer_options known = RONDO_OPTIMIZER_OPTIONS_INIT;
    RONDO_TRY(capi::read_options("options", options, &known));
    RONDO_TRY(parameters[0]->view.engine().usable());
    std::unique_ptr<ops::Optimizer> made;
    RONDO_TRY(ops::Optimizer::create(capi::views_of(parameters, n_parameters), known, &made));
    *optimizer = AllOptimizers::create([&made](rondo_optimizer& handle) { handle.optimizer = std::move(made); });
    return {};
  });
}

void rondo_optimizer_destroy(rondo_optimizer* optimizer) {
  if (!optimizer) return;
  guard("rondo_optimizer_destroy", [&]() -> Status {
    std::unique_ptr<ops::Optimizer> last;
    return capi::destroy<AllOptimizers>(optimizer, "optimizer", "optimizer",
                                        [&last](rondo_optimizer& each) { last = std::move(each.optimizer); });
  });
}

rondo_status rondo_optimizer_step(rondo_optimizer* optimizer, int32_t n_gradients, rondo_tensor* const* gradients,
                                  rondo_tensor* finite, rondo_tensor* scale) {
  return guard("rondo_optimizer_step", [&]() -> Status {
    RONDO_TRY(check_optimizer(optimizer));
    RONDO_TRY(capi::check_count("n_gradients", n_gradients, kMost));
    RONDO_TRY(capi::check_list("gradients", gradients, n_gradients));
    if (finite) RONDO_TRY(check_tensor(finite, "finite"));
    if (scale) RONDO_TRY(check_tensor(scale, "scale"));
    return optimizer->optimizer->step(capi::views_of(gradients, n_gradients), finite ? &finite->view : nullptr,
                                      scale ? &scale->view : nullptr);
  });
}

rondo_status rondo_optimizer_set_rate(rondo_optimizer* optimizer, double rate) {
  return guard("rondo_optimizer_set_rate", [&]() -> Status {
    RONDO_TRY(check_optimizer(optimizer));
    return optimizer->optimizer->set_rate(rate);
  });
}

rondo_status rondo_optimizer_state(rondo_optimizer* optimizer, int32_t index, const char** name,
                                   rondo_tensor** tensor) {
  return guard("rondo_optimizer_state", [&]() -> Status {
    RONDO_TRY(check_optimizer(optimizer));
    RONDO_NOT_NULL(name);
    RONDO_NOT_NULL(tensor);
    const ops::Optimizer& inner = *optimizer->optimizer;
    const auto count = static_cast<int32_t>(inner.states());
    if (index < 0 || index >= count)
      return error(RONDO_INVALID_ARGUMENT, "index is %d; there are %d tensors of state", index, count);
    RONDO_TRY(inner.engine().usable());
    *tensor = inner.state(static_cast<size_t>(index));
    *name = inner.state_name(static_cast<size_t>(index));
    return {};
  });
}

rondo_status rondo_optimizer_query(rondo_optimizer* optimizer, rondo_optimizer_info* info) {
  return guard("rondo_optimizer_query", [&]() -> Status {
    RONDO_TRY(check_optimizer(optimizer));
    rondo_optimizer_info facts = RONDO_OPTIMIZER_INFO_INIT;
    optimizer->optimizer->describe(&facts);
    return capi::write_info("info", info, facts);
  });
}

rondo_status rondo_loss_scaler_create(rondo_engine* engine, rondo_device device,
                                      const rondo_loss_scaler_options* options, rondo_loss_scaler** scaler) {
  return guard("rondo_loss_scaler_create", [&]() -> Status {
    RONDO_TRY(capi::check_engine(engine, "engine"));
    RONDO_NOT_NULL(scaler);
    rondo_loss_scaler_options known = RONDO_LOSS_SCALER_OPTIONS_INIT;
    RONDO_TRY(capi::read_options("options", options, &known));
    Device* found = nullptr;
    RONDO_TRY(get_device(device, &found));
    std::unique_ptr<ops::LossScaler> made;
    RONDO_TRY(ops::LossScaler::create(*engine->engine, *found, known, &made));
    *scaler = AllLossScalers::create([&made](rondo_loss_scaler& handle) { handle.scaler = std::move(made); });
    return {};
  });
}

void rondo_loss_scaler_destroy(rondo_loss_scaler* scaler) {
  if (!scaler) return;
  guard("rondo_loss_scaler_destroy", [&]() -> Status {
    std::unique_ptr<ops::LossScaler> last;
    return capi::destroy<AllLossScalers>(scaler, "scaler", "loss scaler",
                                         [&last](rondo_loss_scaler& each) { last = std::move(each.scaler); });
  });
}

rondo_status rondo_loss_scaler_scale(rondo_loss_scaler* scaler, rondo_tensor* loss, rondo_tensor** out) {
  return capi::operator1("rondo_loss_scaler_scale", loss, "loss", out, [&](ops::Output& output) -> Status {
    RONDO_TRY(check_scaler(scaler));
    return scaler->scaler->scale(loss->view, output);
  });
}

rondo_status rondo_loss_scaler_step(rondo_loss_scaler* scaler, rondo_optimizer* optimizer, int32_t n_gradients,
                                    rondo_tensor* const* gradients) {
  return guard("rondo_loss_scaler_step", [&]() -> Status {
    RONDO_TRY(check_scaler(scaler));
    RONDO_TRY(check_optimizer(optimizer));
    RONDO_TRY(capi::check_count("n_gradients", n_gradients, kMost));
    RONDO_TRY(capi::check_list("gradients", gradients, n_gradients));
    return scaler->scaler->step(*optimizer->optimizer, capi::views_of(gradients, n_gradients));
  });
}

rondo_status rondo_loss_scaler_finite(rondo_loss_scaler* scaler, int32_t n_gradients, rondo_tensor* const* gradients,
                                      rondo_tensor** finite, rondo_tensor** scale) {
  return guard("rondo_loss_scaler_finite", [&]() -> Status {
    RONDO_TRY(check_scaler(scaler));
    RONDO_TRY(capi::check_count("n_gradients", n_gradients, kMost));
    RONDO_TRY(capi::check_list("gradients", gradients, n_gradients));
    RONDO_NOT_NULL(finite);
    RONDO_NOT_NULL(scale);
    return scaler->scaler->finite(capi::views_of(gradients, n_gradients), finite, scale);
  });
}

rondo_status rondo_loss_scaler_update(rondo_loss_scaler* scaler) {
  return guard("rondo_loss_scaler_update", [&]() -> Status {
    RONDO_TRY(check_scaler(scaler));
    return scaler->scaler->update();
  });
}

rondo_status rondo_loss_scaler_state(rondo_loss_scaler* scaler, int32_t index, const char** name,
                                     rondo_tensor** tensor) {
  return guard("rondo_loss_scaler_state", [&]() -> Status {
    RONDO_TRY(check_scaler(scaler));
    RONDO_NOT_NULL(name);
    RONDO_NOT_NULL(tensor);
    const ops::LossScaler& inner = *scaler->scaler;
    if (index < 0 || index >= ops::LossScaler::kStates)
      return error(RONDO_INVALID_ARGUMENT, "index is %d; there are %d tensors of state", index,
                   ops::LossScaler::kStates);
    RONDO_TRY(inner.engine().usable());
    *tensor = inner.state(index);
    *name = ops::LossScaler::state_name(index);
    return {};
  });
}

rondo_status rondo_all_finite(int32_t n, rondo_tensor* const* tensors, rondo_tensor** out) {
  return guard("rondo_all_finite", [&]() -> Status {
    RONDO_TRY(check_tensors(n, tensors));
    RONDO_TRY(capi::check_out(out));
    ops::Output output(out);
    return ops::all_finite(capi::views_of(tensors, n), output);
  });
}

rondo_status rondo_global_norm(int32_t n, rondo_tensor* const* tensors, rondo_tensor** out) {
  return guard("rondo_global_norm", [&]() -> Status {
    RONDO_TRY(check_tensors(n, tensors));
    RONDO_TRY(capi::check_out(out));
    ops::Output output(out);
    return ops::global_norm(capi::views_of(tensors, n), output);
  });
}

rondo_status rondo_clip_global_norm(int32_t n, rondo_tensor* const* tensors, double max_norm, rondo_tensor** out) {
  return guard("rondo_clip_global_norm", [&]() -> Status {
    RONDO_TRY(check_tensors(n, tensors));
    RONDO_TRY(capi::check_out(out));
    ops::Output output(out);
    return ops::clip_global_norm(capi::views_of(tensors, n), max_norm, output);
  });
}

}  // extern "C"
