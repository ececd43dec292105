// Makes optimizers, checks their options and gradients, and submits their steps as one task.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/optimizer/optimizer.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "ops/ops.h"
#include "ops/program/infer.h"
#include "ops/program/overlap.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

using device::StepRule;

constexpr int64_t kAlign = 256;  // bytes from which each parameter's part of a block starts

struct Number {
  const char* name;
  double value, below;  // it is to be at least 0 and less than that
};

Status check_numbers(std::initializer_list<Number> numbers) {
  for (const Number& each : numbers) {
    if (each.value >= 0 && each.value < each.below) continue;
    if (std::isinf(each.below))
      return error(RONDO_INVALID_ARGUMENT, "options->%s is %g; 0 or a positive number is needed", each.name,
                   each.value);
    return error(RONDO_INVALID_ARGUMENT, "options->%s is %g; a number from 0 to below %g is needed", each.name,
                 each.value, each.below);
  }
  return {};
}

Status check_switch(const char* name, int32_t value) {
  if (value == 0 || value == 1) return {};
  return error(RONDO_INVALID_ARGUMENT, "options->%s is %d; 0 and 1 are possible", name, value);
}

Status check_options(const rondo_optimizer_options& o) {
  if (o.kind < RONDO_OPTIMIZER_SGD || o.kind > RONDO_OPTIMIZER_LAMB)
    return error(RONDO_INVALID_ARGUMENT, "options->kind is %d; a rondo_optimizer_kind is needed", o.kind);
  if (o.schedule < RONDO_RATE_CONSTANT || o.schedule > RONDO_RATE_STEP)
    return error(RONDO_INVALID_ARGUMENT, "options->schedule is %d; a rondo_rate_schedule is needed", o.schedule);
  RONDO_TRY(check_numbers({{"rate", o.rate, INFINITY},
                           {"momentum", o.momentum, INFINITY},
                           {"beta1", o.beta1, 1},
                           {"beta2", o.beta2, 1},
                           {"epsilon", o.epsilon, INFINITY},
                           {"weight_decay", o.weight_decay, INFINITY},
                           {"max_norm", o.max_norm, INFINITY},
                           {"rate_decay", o.rate_decay, INFINITY}}));
  if (!std::isfinite(o.dampening))
    return error(RONDO_INVALID_ARGUMENT, "options->dampening is %g; a finite number is needed", o.dampening);
  RONDO_TRY(check_switch("nesterov", o.nesterov));
  RONDO_TRY(check_switch("amsgrad", o.amsgrad));
  RONDO_TRY(check_switch("master_weights", o.master_weights));
  if (o.warmup_steps < 0)
    return error(RONDO_INVALID_ARGUMENT, "options->warmup_steps is %lld; 0 or more is needed",
                 static_cast<long long>(o.warmup_steps));
  if (o.schedule != RONDO_RATE_CONSTANT && o.decay_steps < 1)
    return error(RONDO_INVALID_ARGUMENT,
                 "options->decay_steps is %lld; a schedule that is not constant needs 1 or more",
                 static_cast<long long>(o.decay_steps));
  const bool descends = o.kind == RONDO_OPTIMIZER_SGD;
  if (!descends && (o.momentum != 0 || o.dampening != 0 || o.nesterov))
    return error(RONDO_INVALID_ARGUMENT,
                 "options->%s is of RONDO_OPTIMIZER_SGD; with another kind it must be 0 (beta1 is their momentum)",
                 o.momentum != 0 ? "momentum"
                 : o.nesterov    ? "nesterov"
                                 : "dampening");
  if (descends && o.momentum == 0 && (o.nesterov || o.dampening != 0))
    return error(RONDO_INVALID_ARGUMENT, "options->%s needs a momentum, which is 0",
                 o.nesterov ? "nesterov" : "dampening");
  if (o.nesterov && o.dampening != 0)
    return error(RONDO_INVALID_ARGUMENT, "options->dampening is %g; with nesterov it must be 0", o.dampening);
  if (o.amsgrad && o.kind != RONDO_OPTIMIZER_ADAM && o.kind != RONDO_OPTIMIZER_ADAMW)
    return error(
        RONDO_INVALID_ARGUMENT,
        "options->amsgrad is of RONDO_OPTIMIZER_ADAM and RONDO_OPTIMIZER_ADAMW; with another kind it must be 0");
  return {};
}

StepRule rule_of(const rondo_optimizer_options& o) {
  if (o.kind == RONDO_OPTIMIZER_LAMB) return StepRule::lamb;
  if (o.kind != RONDO_OPTIMIZER_SGD) return o.amsgrad ? StepRule::amsgrad : StepRule::adam;
  if (o.momentum == 0) return StepRule::descent;
  return o.nesterov ? StepRule::nesterov : StepRule::momentum;
}

device::StepFacts facts_of(const rondo_optimizer_options& o) {
  const bool adam = o.kind != RONDO_OPTIMIZER_SGD;
  device::StepFacts facts = {};
  facts.keep = adam ? o.beta1 : o.momentum;
  facts.take = 1 - (adam ? o.beta1 : o.dampening);
  facts.keep2 = o.beta2;
  facts.take2 = 1 - o.beta2;
  facts.epsilon = o.epsilon;
  facts.decay = o.weight_decay;
  facts.max_norm = o.max_norm;
  facts.rate_decay = o.rate_decay;
  facts.warmup_steps = o.warmup_steps;
  facts.decay_steps = o.decay_steps;
  facts.schedule = o.schedule;
  facts.adam = adam;
  facts.shrinks = o.kind == RONDO_OPTIMIZER_ADAMW;
  facts.beside = o.kind == RONDO_OPTIMIZER_LAMB;
  return facts;
}

OptimizerStepCall call_of(const rondo_optimizer_options& o) {
  OptimizerStepCall call = {};
  call.kind = o.kind;
  call.schedule = o.schedule;
  call.momentum = o.momentum;
  call.dampening = o.dampening;
  call.beta1 = o.beta1;
  call.beta2 = o.beta2;
  call.epsilon = o.epsilon;
  call.weight_decay = o.weight_decay;
  call.max_norm = o.max_norm;
  call.rate_decay = o.rate_decay;
  call.warmup_steps = o.warmup_steps;
  call.decay_steps = o.decay_steps;
  call.nesterov = o.nesterov != 0;
  call.amsgrad = o.amsgrad != 0;
  return call;
}

rondo_optimizer_options options_of(const OptimizerStepCall& call) {
  rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
  options.kind = call.kind;
  options.schedule = call.schedule;
  options.momentum = call.momentum;
  options.dampening = call.dampening;
  options.beta1 = call.beta1;
  options.beta2 = call.beta2;
  options.epsilon = call.epsilon;
  options.weight_decay = call.weight_decay;
  options.max_norm = call.max_norm;
  options.rate_decay = call.rate_decay;
  options.warmup_steps = call.warmup_steps;
  options.decay_steps = call.decay_steps;
  options.nesterov = call.nesterov;
  options.amsgrad = call.amsgrad;
  options.master_weights = call.master;
  return options;
}

// The states that an optimizer of weights has, a block of memory for each. halves: some weights have 16 bits.
struct StatesOf {
  bool has[StepWork::kStates];
  const char* name[StepWork::kStates];
};
StatesOf states_of(const rondo_optimizer_options& o, bool halves) {
  const bool descends = o.kind == RONDO_OPTIMIZER_SGD;
  return {{!descends || o.momentum != 0, !descends, o.amsgrad == 1, o.master_weights == 1 && halves},
          {descends ? "momentum_buffer" : "exp_avg", "exp_avg_sq", "max_exp_avg_sq", "master_weights"}};
}

rondo_dtype state_dtype(const View& parameter) {
  return parameter.dtype == RONDO_F64 ? RONDO_F64 : RONDO_F32;
}
// The bytes of a block of state that are one parameter's.
int64_t state_bytes(const View& parameter) {
  const int64_t own = parameter.elements() * static_cast<int64_t>(dtype_size(state_dtype(parameter)));
  return (own + kAlign - 1) / kAlign * kAlign;
}

}  // namespace

Status Optimizer::create(std::span<const View> parameters, const rondo_optimizer_options& options,
                         std::unique_ptr<Optimizer>* made) {
  RONDO_TRY(check_options(options));
  if (Engine::thread_sink())
    return error(RONDO_INVALID_STATE, "the thread records; make the optimizer before the recording, and step it in it");
  RONDO_TRY(check_list("parameters", parameters));
  RONDO_TRY(check_apart("parameters", parameters));
  std::unique_ptr<Optimizer> optimizer(new Optimizer());
  for (size_t i = 0; i < parameters.size(); ++i) {
    RONDO_TRY(check_writable(format("parameters[%zu]", i).c_str(), parameters[i]));
    optimizer->parameters_.push_back(parameters[i]);
    optimizer->kept_.push_back(Ref<Storage>::share(parameters[i].storage));
  }
  optimizer->work_.rule = rule_of(options);
  optimizer->work_.facts = facts_of(options);
  optimizer->call_ = call_of(options);
  optimizer->call_.tensors = static_cast<int64_t>(parameters.size());
  const ScopedNoTape unheard;
  RONDO_TRY(optimizer->make_state(options));
  *made = std::move(optimizer);
  return {};
}

View Optimizer::make_block(rondo_dtype dtype, const Layout& layout) {
  Ref<Storage> storage;
  const View view = make_temporary(parameters_[0].engine(), parameters_[0].device(), dtype, layout, &storage);
  kept_.push_back(std::move(storage));
  bytes_ += static_cast<int64_t>(view.bytes());
  return view;
}

Status Optimizer::make_state(const rondo_optimizer_options& options) {
  work_.step = make_block(RONDO_I64, Layout());
  RONDO_TRY(fill(work_.step, Scalar::of(int64_t{0})));
  work_.rate = make_block(RONDO_F64, Layout());
  RONDO_TRY(fill(work_.rate, Scalar::of(options.rate)));
  named_.push_back({"optimizer.step", work_.step});
  named_.push_back({"optimizer.rate", work_.rate});

  int64_t bytes = 0;
  bool halves = false;
  for (const View& each : parameters_) {
    work_.tensors.push_back({each, each, bytes});
    bytes += state_bytes(each);
    halves |= is_half(each.dtype);
  }
  const auto [has, names] = states_of(options, halves);
  call_.first = has[device::kStateFirst];
  call_.second = has[device::kStateSecond];
  call_.largest = has[device::kStateLargest];
  call_.master = has[device::kStateMaster];
  for (int s = 0; s < StepWork::kStates; ++s) {
    if (!has[s]) continue;
    work_.states[s] = make_block(RONDO_U8, Layout::row_major(1, &bytes));
    RONDO_TRY(fill(*work_.states[s], Scalar::of(int64_t{0})));
  }
  for (size_t i = 0; i < parameters_.size(); ++i)
    for (int s = 0; s < StepWork::kStates; ++s) {
      const bool master = s == device::kStateMaster;
      if (!has[s] || (master && !work_.has_master(parameters_[i]))) continue;
      View view = *work_.states[s];
      view.dtype = state_dtype(parameters_[i]);
      view.layout = parameters_[i].layout;
      view.offset = work_.tensors[i].state;
      if (master) RONDO_TRY(copy_elements(parameters_[i], view));
      named_.push_back({format("optimizer.%zu.%s", i, names[s]), view});
    }
  return {};
}

Status Optimizer::check(std::span<const View> gradients) const {
  RONDO_TRY(engine().usable());
  if (gradients.size() != parameters_.size())
    return error(RONDO_INVALID_ARGUMENT, "n_gradients is %zu; there are %zu parameters", gradients.size(),
                 parameters_.size());
  RONDO_TRY(check_list("gradients", gradients));
  for (size_t i = 0; i < gradients.size(); ++i) {
    const View &each = gradients[i], &parameter = parameters_[i];
    if (&each.engine() != &parameter.engine() || &each.device() != &parameter.device())
      return error(RONDO_INVALID_ARGUMENT, "gradients[%zu] is not on the parameters' engine and device, %s", i,
                   device_name(parameter.device().id()).c_str());
    if (!each.layout.same_shape(parameter.layout))
      return error(RONDO_INVALID_ARGUMENT, "gradients[%zu] is %s; its parameter is %s", i, operand_text(each).c_str(),
                   operand_text(parameter).c_str());
    if (!lies_alike(each.layout, parameter.layout))
      return error(
          RONDO_INVALID_ARGUMENT,
          "gradients[%zu] has its axes in another order in memory than its parameter; a copy (rondo_copy) into "
          "a tensor that lies as the parameter does is needed",
          i);
    if (overlap(each, parameter))
      return error(RONDO_INVALID_ARGUMENT, "gradients[%zu] shares memory with its parameter", i);
  }
  return {};
}

Status infer(const OptimizerStepCall& call, InputTypes inputs, ResultTypes results) {
  const rondo_optimizer_options options = options_of(call);
  RONDO_TRY(check_options(options));
  const auto count = static_cast<size_t>(call.tensors);
  if (count < 1) return error(RONDO_INVALID_ARGUMENT, "tensors is 0; at least one is needed");
  int64_t bytes = 0;
  bool halves = false;
  for (size_t i = 0; i < count; ++i) {
    const View &weights = *inputs[i], &gradient = *inputs[count + i];
    RONDO_TRY(check_listed("weights", i, weights));
    RONDO_TRY(check_listed("gradients", i, gradient));
    if (!lies_alike(gradient.layout, weights.layout))
      return error(RONDO_INVALID_ARGUMENT, "gradients[%zu] is %s, or lies otherwise in memory than its weights, %s", i,
                   operand_text(gradient).c_str(), operand_text(weights).c_str());
    if (__builtin_add_overflow(bytes, state_bytes(weights), &bytes))
      return error(RONDO_INVALID_ARGUMENT, "the states of the weights take more than 2^63 bytes");
    halves |= is_half(weights.dtype);
    results[i].set(weights.dtype, weights.layout);
  }
  const StatesOf needed = states_of(options, halves);
  const bool has[] = {call.first, call.second, call.largest, call.master};
  size_t in = 2 * count, out = count;
  for (int s = 0; s < StepWork::kStates; ++s) {
    if (has[s] != needed.has[s])
      return error(RONDO_INVALID_ARGUMENT, "the state '%s' is %s; such a step has %s", needed.name[s],
                   has[s] ? "there" : "missing", has[s] ? "none" : "one");
    if (!has[s]) continue;
    const View& block = *inputs[in++];
    RONDO_TRY(check_type(needed.name[s], block, RONDO_U8, Layout::row_major(1, &bytes)));
    if (!block.layout.contiguous() || block.offset % kAlign != 0)
      return error(RONDO_INVALID_ARGUMENT, "the state '%s' is part of a tensor; a whole one is needed", needed.name[s]);
    results[out++].set(block.dtype, block.layout);
  }
  RONDO_TRY(check_type("step", *inputs[in++], RONDO_I64, {}));
  results[out].set(RONDO_I64, {});
  RONDO_TRY(check_type("rate", *inputs[in++], RONDO_F64, {}));
  RONDO_TRY(check_one("finite", call.finite ? inputs[in++] : nullptr, RONDO_BOOL));
  return check_one("scale", call.scale ? inputs[in++] : nullptr, RONDO_F32);
}

Status step_once(const OptimizerStepCall& call, std::span<const View> operands) {
  const rondo_optimizer_options options = options_of(call);
  std::vector<const View*> inputs;
  for (const View& each : operands) inputs.push_back(&each);
  std::vector<ResultType> made(operands.size());
  RONDO_TRY(infer(call, inputs, made));
  StepWork work;
  work.rule = rule_of(options);
  work.facts = facts_of(options);
  size_t next = 0;
  const auto count = static_cast<size_t>(call.tensors);
  int64_t bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    const View& weights = operands[next++];
    work.tensors.push_back({weights, weights, bytes});
    bytes += state_bytes(weights);
  }
  for (size_t i = 0; i < count; ++i) work.tensors[i].gradient = operands[next++];
  const bool has[StepWork::kStates] = {call.first, call.second, call.largest, call.master};
  for (int s = 0; s < StepWork::kStates; ++s)
    if (has[s]) work.states[s] = operands[next++];
  work.step = operands[next++];
  work.rate = operands[next++];
  if (call.finite) work.finite = operands[next++];
  if (call.scale) work.scale = operands[next++];
  Engine& engine = work.engine();
  Ref<OperatorTask> task = work.device().is_host() ? make_cpu_step(std::move(work)) : make_cuda_step(std::move(work));
  return submit_prepared(engine, std::move(task), {}, [&] { return Call{call}; });
}

Status Optimizer::step(std::span<const View> gradients, const View* finite, const View* scale) {
  RONDO_TRY(check(gradients));
  RONDO_TRY(check_given("finite", finite, RONDO_BOOL, "parameters", parameters_[0]));
  RONDO_TRY(check_given("scale", scale, RONDO_F32, "parameters", parameters_[0]));
  StepWork work = work_;
  for (size_t i = 0; i < gradients.size(); ++i) work.tensors[i].gradient = gradients[i];
  if (finite) work.finite = *finite;
  if (scale) work.scale = *scale;
  Engine& of = engine();
  Ref<OperatorTask> task = work.device().is_host() ? make_cpu_step(std::move(work)) : make_cuda_step(std::move(work));
  return submit_prepared(of, std::move(task), {}, [&] {
    OptimizerStepCall call = call_;
    call.finite = finite != nullptr;
    call.scale = scale != nullptr;
    return Call{call};
  });
}

Status Optimizer::set_rate(double rate) {
  RONDO_TRY(engine().usable());
  if (!(rate >= 0) || std::isinf(rate))
    return error(RONDO_INVALID_ARGUMENT, "rate is %g; 0 or a positive number is needed", rate);
  const ScopedNoTape unheard;
  return fill(work_.rate, Scalar::of(rate));
}

rondo_tensor* Optimizer::state(size_t index) const {
  const View& view = named_[index].view;
  return make_view(Ref<Storage>::share(view.storage), view);
}

void Optimizer::describe(rondo_optimizer_info* info) const {
  info->parameters = static_cast<int32_t>(parameters_.size());
  info->states = static_cast<int32_t>(named_.size());
  info->bytes = bytes_;
}

}  // namespace rondo::ops
