// Wrong arguments of autocast scopes and loss scalers: each is refused by name. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "training/mixed_precision.h"

namespace conformance {
namespace {

class MixedPrecisionMisuse : public OnMixedPrecision {
 protected:
  static void says(rondo_status status, const char* function, const std::vector<std::string>& parts,
                   rondo_status expected = RONDO_INVALID_ARGUMENT) {
    EXPECT_EQ(status, expected) << function;
    const std::string message = rondo_last_error();
    EXPECT_EQ(message.rfind(std::string(function) + ": ", 0), 0u) << message;
    EXPECT_EQ(message.find(function, 1), std::string::npos) << "the function comes twice: " << message;
    for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << message;
  }
};
CONFORMANCE_ENGINE_SUITE(MixedPrecisionMisuse);

TEST_P(MixedPrecisionMisuse, ScopesThatCannotBe) {
  says(rondo_autocast_begin(nullptr, RONDO_F16), "rondo_autocast_begin", {"engine is NULL"});
  says(rondo_autocast_begin(engine(), RONDO_F64), "rondo_autocast_begin", {"dtype is f64", "f16 and bf16"});
  says(rondo_autocast_begin(engine(), RONDO_I32), "rondo_autocast_begin", {"dtype is i32"});
  says(rondo_autocast_begin(engine(), static_cast<rondo_dtype>(99)), "rondo_autocast_begin", {"dtype is 99"});
  says(rondo_autocast_end(engine()), "rondo_autocast_end", {"no autocast scope", "rondo_autocast_begin"},
       RONDO_INVALID_STATE);
  says(rondo_autocast_end(nullptr), "rondo_autocast_end", {"engine is NULL"});
  says(rondo_autocast_set(engine(), "exp", RONDO_PRECISION_HALF), "rondo_autocast_set", {"no autocast scope"},
       RONDO_INVALID_STATE);
  rondo_status inside = RONDO_OK;
  std::string message;
  must(push(engine(),
            [&](rondo_task_context*) {
              inside = rondo_autocast_begin(engine(), RONDO_F16);
              message = rondo_last_error();
              return RONDO_OK;
            },
            {}, {}));
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(inside, RONDO_INVALID_STATE);
  EXPECT_NE(message.find("inside a task"), std::string::npos) << message;
}

TEST_P(MixedPrecisionMisuse, OverridesThatSayNothing) {
  const Autocast scope(engine(), RONDO_F16);
  says(rondo_autocast_set(nullptr, "exp", RONDO_PRECISION_HALF), "rondo_autocast_set", {"engine is NULL"});
  says(rondo_autocast_set(engine(), nullptr, RONDO_PRECISION_HALF), "rondo_autocast_set", {"operation is NULL"});
  for (const char* name : {"expp", "", "rondo_matmul", "copy", "exp log"})
    says(rondo_autocast_set(engine(), name, RONDO_PRECISION_HALF), "rondo_autocast_set",
         {"operation is '" + std::string(name) + "'", "matmul"});
  // A text's name counts as long as there is such a text.
  rondo_expression* text = nullptr;
  must(rondo_expression_create("y = 2 * x", "my_text", &text));
  must(rondo_autocast_set(engine(), "my_text", RONDO_PRECISION_HALF));
  rondo_expression_destroy(text);
  says(rondo_autocast_set(engine(), "my_text", RONDO_PRECISION_HALF), "rondo_autocast_set",
       {"operation is 'my_text'", "live expression"});
  says(rondo_autocast_set(engine(), "exp", static_cast<rondo_precision>(3)), "rondo_autocast_set",
       {"precision is 3", "rondo_precision"});
  says(rondo_autocast_set(engine(), "exp", static_cast<rondo_precision>(-1)), "rondo_autocast_set",
       {"precision is -1"});
}

// What an operator refuses it refuses in a scope, and the scope goes on.
TEST_P(MixedPrecisionMisuse, OperandsThatCannotBeCast) {
  const Autocast scope(engine(), RONDO_F16);
  const Tensor fresh = empty(RONDO_F32, {2, 2}), good = up(full(RONDO_F32, {2, 2}, 1)),
               whole = up(full(RONDO_I32, {2, 2}, 1));
  rondo_tensor* out = nullptr;
  EXPECT_EQ(rondo_matmul(good, fresh, nullptr, &out), RONDO_INVALID_STATE);
  EXPECT_NE(std::string(rondo_last_error()).find("never written"), std::string::npos) << rondo_last_error();
  EXPECT_EQ(rondo_matmul(good, whole, nullptr, &out), RONDO_INVALID_ARGUMENT);
  EXPECT_NE(std::string(rondo_last_error()).find("b has dtype i32"), std::string::npos) << rondo_last_error();
  EXPECT_EQ(out, nullptr);
  EXPECT_EQ(download(make(rondo_matmul, good, good, nullptr))[0], 2);
}

TEST_P(MixedPrecisionMisuse, ScalersThatCannotBe) {
  const char* const function = "rondo_loss_scaler_create";
  rondo_loss_scaler* made = nullptr;
  const auto create = [&](const rondo_loss_scaler_options& options) {
    return rondo_loss_scaler_create(engine(), device(), &options, &made);
  };
  says(create(scaler_options(0, 1)), function, {"options->initial_scale is 0"});
  says(create(scaler_options(-2, 1)), function, {"options->initial_scale is -2"});
  says(create(scaler_options(NAN, 1)), function, {"options->initial_scale is nan"});
  says(create(scaler_options(INFINITY, 1)), function, {"options->initial_scale is inf"});
  says(create(scaler_options(1, 0)), function, {"options->growth_interval is 0", "1 or more"});
  says(create(scaler_options(1, 1, 0.5)), function, {"options->growth_factor is 0.5"});
  says(create(scaler_options(1, 1, 2, 0)), function, {"options->backoff_factor is 0"});
  says(create(scaler_options(1, 1, 2, 1.5)), function, {"options->backoff_factor is 1.5"});
  says(rondo_loss_scaler_create(nullptr, device(), nullptr, &made), function, {"engine is NULL"});
  says(rondo_loss_scaler_create(engine(), device(), nullptr, nullptr), function, {"scaler is NULL"});
  must(rondo_record_begin(engine(), nullptr));
  says(rondo_loss_scaler_create(engine(), device(), nullptr, &made), function, {"the thread records"},
       RONDO_INVALID_STATE);
  rondo_record_abort(engine());
  EXPECT_EQ(made, nullptr);
}

TEST_P(MixedPrecisionMisuse, LossesAndStepsThatDoNotFit) {
  const LossScaler scales = scaler(scaler_options(8, 1));
  const Tensors weights = up_all({full(RONDO_F32, {3}, 1)});
  const Optimizer made = optimizer(weights, optimizer_options(RONDO_OPTIMIZER_SGD, 1));
  const Tensor half = up(full(RONDO_F16, {}, 1)), loss = up(full(RONDO_F32, {}, 1)),
               gradient = up(full(RONDO_F32, {3}, 1)), other = up(full(RONDO_F32, {4}, 1));
  rondo_tensor* out = nullptr;
  says(rondo_loss_scaler_scale(scales.get(), half, &out), "rondo_loss_scaler_scale", {"loss is f16", "f32 or f64"});
  says(rondo_loss_scaler_scale(nullptr, loss, &out), "rondo_loss_scaler_scale", {"scaler is NULL"});
  says(rondo_loss_scaler_scale(scales.get(), nullptr, &out), "rondo_loss_scaler_scale", {"loss is NULL"});
  says(rondo_loss_scaler_scale(scales.get(), loss, nullptr), "rondo_loss_scaler_scale", {"out is NULL"});
  if (on_cuda()) {
    const Tensor host = upload(engine(), kCpu, full(RONDO_F32, {}, 1));
    says(rondo_loss_scaler_scale(scales.get(), host, &out), "rondo_loss_scaler_scale", {"loss is not on", "cuda:0"});
    rondo_loss_scaler* far = nullptr;
    must(rondo_loss_scaler_create(engine(), kCpu, nullptr, &far));
    const LossScaler keep(far);
    rondo_tensor* const list[] = {gradient};
    says(rondo_loss_scaler_step(far, made.get(), 1, list), "rondo_loss_scaler_step",
         {"optimizer has parameters", "cpu:0"});
  }
  const auto take = [&](std::vector<rondo_tensor*> list) {
    return rondo_loss_scaler_step(scales.get(), made.get(), static_cast<int32_t>(list.size()), list.data());
  };
  rondo_tensor* const list[] = {gradient};
  says(rondo_loss_scaler_update(scales.get()), "rondo_loss_scaler_update", {"no step", "rondo_loss_scaler_step"},
       RONDO_INVALID_STATE);
  says(rondo_loss_scaler_step(nullptr, made.get(), 1, list), "rondo_loss_scaler_step", {"scaler is NULL"});
  says(rondo_loss_scaler_step(scales.get(), nullptr, 1, list), "rondo_loss_scaler_step", {"optimizer is NULL"});
  says(rondo_loss_scaler_step(scales.get(), made.get(), 1, nullptr), "rondo_loss_scaler_step", {"gradients is NULL"});
  says(rondo_loss_scaler_step(scales.get(), made.get(), 0, list), "rondo_loss_scaler_step", {"n_gradients is 0"});
  says(take({gradient, gradient}), "rondo_loss_scaler_step", {"n_gradients is 2", "1 parameters"});
  says(take({other}), "rondo_loss_scaler_step", {"gradients[0] is f32 [4]", "f32 [3]"});
  says(take({nullptr}), "rondo_loss_scaler_step", {"gradients[0] is NULL"});
  const char* const judge = "rondo_loss_scaler_finite";
  rondo_tensor *finite = nullptr, *scale = nullptr;
  const auto ask = [&](std::vector<rondo_tensor*> of) {
    return rondo_loss_scaler_finite(scales.get(), static_cast<int32_t>(of.size()), of.data(), &finite, &scale);
  };
  says(rondo_loss_scaler_finite(nullptr, 1, list, &finite, &scale), judge, {"scaler is NULL"});
  says(rondo_loss_scaler_finite(scales.get(), 0, list, &finite, &scale), judge, {"n_gradients is 0"});
  says(rondo_loss_scaler_finite(scales.get(), 1, nullptr, &finite, &scale), judge, {"gradients is NULL"});
  says(rondo_loss_scaler_finite(scales.get(), 1, list, nullptr, &scale), judge, {"finite is NULL"});
  says(rondo_loss_scaler_finite(scales.get(), 1, list, &finite, nullptr), judge, {"scale is NULL"});
  says(ask({gradient, nullptr}), judge, {"gradients[1] is NULL"});
  says(ask({gradient, up(full(RONDO_I32, {3}, 1))}), judge, {"gradients[1] is i32 [3]", "f32"});
  says(ask({empty(RONDO_F32, {3})}), judge, {"gradients[0]", "never written"}, RONDO_INVALID_STATE);
  const Engine foreign = create_engine(options());
  says(ask({upload(foreign.get(), device(), full(RONDO_F32, {3}, 1))}), judge,
       {"gradients[0] is not on the loss scaler's engine and device"});
  if (on_cuda())
    says(ask({upload(engine(), kCpu, full(RONDO_F32, {3}, 1))}), judge, {"gradients[0] is not on", "cuda:0"});
  EXPECT_EQ(finite, nullptr);
  EXPECT_EQ(scale, nullptr);
  says(rondo_loss_scaler_update(scales.get()), "rondo_loss_scaler_update", {"no step", "rondo_loss_scaler_finite"},
       RONDO_INVALID_STATE);
  says(rondo_loss_scaler_update(nullptr), "rondo_loss_scaler_update", {"scaler is NULL"});
  const char* name = nullptr;
  Tensor tensor;
  const char* const state_of = "rondo_loss_scaler_state";
  says(rondo_loss_scaler_state(scales.get(), 3, &name, tensor.slot()), state_of, {"index is 3", "3 tensors"});
  says(rondo_loss_scaler_state(scales.get(), -1, &name, tensor.slot()), state_of, {"index is -1"});
  says(rondo_loss_scaler_state(scales.get(), 0, nullptr, tensor.slot()), state_of, {"name is NULL"});
  says(rondo_loss_scaler_state(scales.get(), 0, &name, nullptr), state_of, {"tensor is NULL"});
  says(rondo_loss_scaler_state(nullptr, 0, &name, tensor.slot()), state_of, {"scaler is NULL"});
  EXPECT_EQ(figures(scales), (std::vector<Real>{8, 0, 0}));
  EXPECT_EQ(download(weights[0])[0], 1);
}

TEST_P(MixedPrecisionMisuse, HandlesThatAreGone) {
  LossScaler scales = scaler(scaler_options(8, 1));
  rondo_loss_scaler* const gone = scales.get();
  scales.reset();
  says(rondo_loss_scaler_update(gone), "rondo_loss_scaler_update", {"scaler is not a live loss scaler"});
  rondo_loss_scaler_destroy(gone);  // says so, and does nothing
  rondo_loss_scaler_destroy(nullptr);
}

}  // namespace
}  // namespace conformance
