// Makes loss scalers, scales losses by them, and updates the scale after each step.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/optimizer/loss_scaler.h"

#include "base/text.h"
#include "ops/elementwise/elementwise_task.h"
#include "ops/ops.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

// Within these, a scale and its reciprocal are normal numbers of f32.
constexpr double kLeast = 0x1p-126, kMost = 0x1p126;

Status check_options(const rondo_loss_scaler_options& o) {
  if (!(o.initial_scale >= kLeast && o.initial_scale <= kMost))
    return error(RONDO_INVALID_ARGUMENT,
                 "options->initial_scale is %g; a number from 2 to the -126 to 2 to the 126 is needed",
                 o.initial_scale);
  if (!(o.growth_factor >= 1 && o.growth_factor <= kMost))
    return error(RONDO_INVALID_ARGUMENT, "options->growth_factor is %g; a number from 1 to 2 to the 126 is needed",
                 o.growth_factor);
  if (!(o.backoff_factor >= kLeast && o.backoff_factor <= 1))
    return error(RONDO_INVALID_ARGUMENT, "options->backoff_factor is %g; a number from 2 to the -126 to 1 is needed",
                 o.backoff_factor);
  if (o.growth_interval < 1)
    return error(RONDO_INVALID_ARGUMENT, "options->growth_interval is %lld; 1 or more is needed",
                 static_cast<long long>(o.growth_interval));
  return {};
}

// An expression over tensors of one element, with its numbers.
class OneElement {
 public:
  Value number(rondo_dtype dtype, Scalar value) {
    if (failure_.ok()) failure_ = scalar_word("number", value, dtype, &words_[expression.scalars()]);
    return expression.scalar(dtype);
  }
  Value of(const View& view) {
    inputs_.push_back(&view);
    return expression.input(view.dtype);
  }
  void write(const View& view, Value value) {
    outputs_.push_back(&view);
    expression.output(value, view.dtype, false);
  }
  Status submit(const char* name) {
    RONDO_TRY(failure_);
    inputs_.insert(inputs_.end(), outputs_.begin(), outputs_.end());
    const View& first = *inputs_[0];
    return submit_prepared(
        first.engine(), make_ref<ElementwiseTask>(name, first.device(), expression, Layout(), inputs_.data(), words_),
        {}, [&] { return fused_call(expression, words_); });
  }
  Expression expression;

 private:
  std::vector<const View*> inputs_, outputs_;
  uint64_t words_[Expression::kMaxScalars] = {};
  Status failure_;
};

}  // namespace

Status LossScaler::create(Engine& engine, Device& device, const rondo_loss_scaler_options& options,
                          std::unique_ptr<LossScaler>* made) {
  RONDO_TRY(engine.usable());
  RONDO_TRY(check_options(options));
  if (Engine::thread_sink())
    return error(RONDO_INVALID_STATE,
                 "the thread records; make the loss scaler before the recording, and use it in it");
  std::unique_ptr<LossScaler> scaler(new LossScaler(options));
  const ScopedNoTape unheard;
  constexpr rondo_dtype dtypes[kTensors] = {RONDO_F32, RONDO_I64, RONDO_I64, RONDO_BOOL};
  const Scalar initial[kTensors] = {Scalar::of(options.initial_scale), Scalar::of_i64(0), Scalar::of_i64(0),
                                    Scalar::of_i64(1)};
  for (int i = 0; i < kTensors; ++i) {
    scaler->state_[i] = make_temporary(engine, device, dtypes[i], Layout(), &scaler->kept_[i]);
    RONDO_TRY(fill(scaler->state_[i], initial[i]));
  }
  *made = std::move(scaler);
  return {};
}

Status LossScaler::scale(const View& loss, Output& out) const {
  const View& scale = state_[kScale];
  if (&loss.engine() != &scale.engine() || &loss.device() != &scale.device())
    return error(RONDO_INVALID_ARGUMENT, "loss is not on the loss scaler's engine and device, %s",
                 device_name(scale.device().id()).c_str());
  if (loss.dtype != RONDO_F32 && loss.dtype != RONDO_F64)
    return error(RONDO_INVALID_ARGUMENT, "loss is %s; f32 or f64 is needed (rondo_cast): the scale is its gradient",
                 operand_text(loss).c_str());
  return binary(RONDO_MUL, loss, scale, 0, nullptr, out);
}

// Asks whether gradients are finite, and has the round go by that.
Status LossScaler::judge(const char* name, std::span<const View> gradients, Handle* finite, Handle* inverse) {
  {
    Output out(&finite->tensor);
    RONDO_TRY(all_finite(gradients, out));
  }
  inverse->tensor = make_tensor(engine(), state_[kScale].device(), RONDO_F32, Layout());
  OneElement numbers;
  Expression& e = numbers.expression;
  const Value scale = numbers.of(state_[kScale]), taken = numbers.of(state_[kTaken]),
              now = numbers.of(finite->tensor->view);
  numbers.write(inverse->tensor->view, e.apply(Op::reciprocal, scale));
  numbers.write(state_[kTaken], e.apply(Op::logical_and, taken, now));
  return numbers.submit(name);
}

Status LossScaler::step(Optimizer& optimizer, std::span<const View> gradients) {
  Device& device = state_[kScale].device();
  if (&optimizer.engine() != &engine() || &optimizer.device() != &device)
    return error(RONDO_INVALID_ARGUMENT,
                 "optimizer has parameters that are not on the loss scaler's engine and device, %s",
                 device_name(device.id()).c_str());
  RONDO_TRY(optimizer.check(gradients));
  Handle finite, inverse;
  RONDO_TRY(judge("loss_scaler_step", gradients, &finite, &inverse));
  RONDO_TRY(optimizer.step(gradients, &finite.tensor->view, &inverse.tensor->view));
  stepped_ = true;
  return {};
}

Status LossScaler::finite(std::span<const View> gradients, rondo_tensor** finite, rondo_tensor** inverse) {
  RONDO_TRY(engine().usable());
  Device& device = state_[kScale].device();
  if (&gradients[0].engine() != &engine() || &gradients[0].device() != &device)
    return error(RONDO_INVALID_ARGUMENT, "gradients[0] is not on the loss scaler's engine and device, %s",
                 device_name(device.id()).c_str());
  RONDO_TRY(check_list("gradients", gradients));
  Handle now, divided;
  RONDO_TRY(judge("loss_scaler_finite", gradients, &now, &divided));
  *finite = std::exchange(now.tensor, nullptr);
  *inverse = std::exchange(divided.tensor, nullptr);
  stepped_ = true;
  return {};
}

Status LossScaler::update() {
  RONDO_TRY(engine().usable());
  if (!stepped_)
    return error(RONDO_INVALID_STATE,
                 "no step was asked for since the last update, so nothing says whether the scale was right; call "
                 "rondo_loss_scaler_step or rondo_loss_scaler_finite first");
  OneElement numbers;
  Expression& e = numbers.expression;
  const auto f32 = [&](double value) { return numbers.number(RONDO_F32, Scalar::of(value)); };
  const auto i64 = [&](int64_t value) { return numbers.number(RONDO_I64, Scalar::of_i64(value)); };
  const Value scale = numbers.of(state_[kScale]), good = numbers.of(state_[kGood]),
              skipped = numbers.of(state_[kSkipped]), taken = numbers.of(state_[kTaken]);
  const Value one = i64(1), zero = i64(0), next = e.apply(Op::add, good, one);
  const Value full = e.apply(Op::ge, next, i64(options_.growth_interval));
  const Value larger = e.apply(Op::minimum, e.apply(Op::mul, scale, f32(options_.growth_factor)), f32(kMost));
  const Value smaller = e.apply(Op::maximum, e.apply(Op::mul, scale, f32(options_.backoff_factor)), f32(kLeast));
  numbers.write(state_[kScale], e.where(taken, e.where(full, larger, scale), smaller));
  numbers.write(state_[kGood], e.where(taken, e.where(full, zero, next), zero));
  numbers.write(state_[kSkipped], e.where(taken, skipped, e.apply(Op::add, skipped, one)));
  numbers.write(state_[kTaken], numbers.number(RONDO_BOOL, Scalar::of_i64(1)));
  RONDO_TRY(numbers.submit("loss_scaler_update"));
  stepped_ = false;
  return {};
}

const char* LossScaler::state_name(int index) {
  static const char* const names[kStates] = {"loss_scaler.scale", "loss_scaler.good_steps",
                                             "loss_scaler.skipped_steps"};
  return names[index];
}

rondo_tensor* LossScaler::state(int index) const {
  return make_view(kept_[index], state_[index]);
}

}  // namespace rondo::ops
