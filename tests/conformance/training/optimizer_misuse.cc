// Wrong arguments of optimizers and of what is measured over lists: each is refused by name, and nothing is written.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "training/optimizer.h"

namespace conformance {
namespace {

class OptimizerMisuse : public OnOptimizer {
 protected:
  // A message with all of these parts.
  static void says(rondo_status status, const char* function, const std::vector<std::string>& parts,
                   rondo_status expected = RONDO_INVALID_ARGUMENT) {
    EXPECT_EQ(status, expected) << function;
    const std::string message = rondo_last_error();
    EXPECT_EQ(message.rfind(std::string(function) + ": ", 0), 0u) << message;
    EXPECT_EQ(message.find(function, 1), std::string::npos) << "the function comes twice: " << message;
    for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  void refused(const rondo_optimizer_options& options, const std::vector<std::string>& parts) const {
    const Tensor weight = up(full(RONDO_F32, {3}, 1));
    rondo_tensor* const list[] = {weight};
    rondo_optimizer* made = nullptr;
    says(rondo_optimizer_create(1, list, &options, &made), "rondo_optimizer_create", parts);
    EXPECT_EQ(made, nullptr);
  }
  rondo_optimizer_options of(rondo_optimizer_kind kind) const { return optimizer_options(kind, 0.1); }
};
CONFORMANCE_ENGINE_SUITE(OptimizerMisuse);

TEST_P(OptimizerMisuse, OptionsThatDoNotGoTogether) {
  const auto with = [&](rondo_optimizer_kind kind, auto change) {
    rondo_optimizer_options options = of(kind);
    change(options);
    return options;
  };
  using O = rondo_optimizer_options;
  const auto sgd = RONDO_OPTIMIZER_SGD, adam = RONDO_OPTIMIZER_ADAM, lamb = RONDO_OPTIMIZER_LAMB;
  refused(with(static_cast<rondo_optimizer_kind>(9), [](O&) {}), {"options->kind is 9", "rondo_optimizer_kind"});
  refused(with(sgd, [](O& o) { o.schedule = static_cast<rondo_rate_schedule>(-1); }), {"options->schedule is -1"});
  refused(with(sgd, [](O& o) { o.rate = -1; }), {"options->rate is -1", "positive"});
  refused(with(sgd, [](O& o) { o.rate = NAN; }), {"options->rate is nan"});
  refused(with(sgd, [](O& o) { o.momentum = INFINITY; }), {"options->momentum is inf"});
  refused(with(adam, [](O& o) { o.beta1 = 1; }), {"options->beta1 is 1", "below 1"});
  refused(with(adam, [](O& o) { o.beta2 = -0.5; }), {"options->beta2 is -0.5"});
  refused(with(adam, [](O& o) { o.epsilon = -1; }), {"options->epsilon is -1"});
  refused(with(adam, [](O& o) { o.weight_decay = -1; }), {"options->weight_decay is -1"});
  refused(with(adam, [](O& o) { o.max_norm = -1; }), {"options->max_norm is -1"});
  refused(with(adam, [](O& o) { o.rate_decay = -1; }), {"options->rate_decay is -1"});
  refused(with(sgd, [](O& o) { o.momentum = 0.5, o.dampening = NAN; }), {"options->dampening is nan"});
  refused(with(sgd, [](O& o) { o.nesterov = 2; }), {"options->nesterov is 2", "0 and 1"});
  refused(with(adam, [](O& o) { o.amsgrad = -1; }), {"options->amsgrad is -1"});
  refused(with(adam, [](O& o) { o.master_weights = 3; }), {"options->master_weights is 3"});
  refused(with(adam, [](O& o) { o.warmup_steps = -1; }), {"options->warmup_steps is -1"});
  refused(with(adam, [](O& o) { o.schedule = RONDO_RATE_COSINE, o.decay_steps = 0; }), {"options->decay_steps is 0"});
  refused(with(adam, [](O& o) { o.momentum = 0.9; }), {"options->momentum", "RONDO_OPTIMIZER_SGD", "beta1"});
  refused(with(lamb, [](O& o) { o.nesterov = 1; }), {"options->nesterov", "RONDO_OPTIMIZER_SGD"});
  refused(with(lamb, [](O& o) { o.dampening = 1; }), {"options->dampening", "RONDO_OPTIMIZER_SGD"});
  refused(with(lamb, [](O& o) { o.amsgrad = 1; }), {"options->amsgrad", "RONDO_OPTIMIZER_ADAMW"});
  refused(with(sgd, [](O& o) { o.amsgrad = 1; }), {"options->amsgrad"});
  refused(with(sgd, [](O& o) { o.nesterov = 1; }), {"options->nesterov needs a momentum"});
  refused(with(sgd, [](O& o) { o.dampening = 0.5; }), {"options->dampening needs a momentum"});
  refused(with(sgd, [](O& o) { o.momentum = 0.5, o.nesterov = 1, o.dampening = 0.5; }),
          {"options->dampening is 0.5", "nesterov"});
}

TEST_P(OptimizerMisuse, ParametersThatNoOptimizerTakes) {
  const char* const function = "rondo_optimizer_create";
  const Tensor a = up(full(RONDO_F32, {8}, 1)), whole = up(full(RONDO_I32, {8}, 1)), part = slice(a, 0, 4, 8);
  const Tensor sparse = slice(a, 0, 0, 8, 2), fresh = empty(RONDO_F32, {2});
  const Tensor accumulator = make(rondo_tensor_accumulator, a);
  const Tensor repeated = broadcast(slice(a, 0, 0, 1), {4});
  rondo_optimizer* made = nullptr;
  const auto create = [&](std::vector<rondo_tensor*> list) {
    return rondo_optimizer_create(static_cast<int32_t>(list.size()), list.data(), nullptr, &made);
  };
  says(rondo_optimizer_create(0, nullptr, nullptr, &made), function, {"n_parameters is 0"});
  says(rondo_optimizer_create(1, nullptr, nullptr, &made), function, {"parameters is NULL"});
  rondo_tensor* const one[] = {a};
  says(rondo_optimizer_create(1, one, nullptr, nullptr), function, {"optimizer is NULL"});
  says(create({a, nullptr}), function, {"parameters[1] is NULL"});
  says(create({a, whole}), function, {"parameters[1] is i32 [8]", "f32"});
  says(create({a, a}), function, {"parameters[0] and parameters[1] share memory"});
  says(create({part, a}), function, {"parameters[0] and parameters[1] share memory"});
  says(create({sparse}), function, {"parameters[0]", "together", "rondo_copy"});
  says(create({repeated}), function, {"parameters[0]"});
  says(create({accumulator}), function, {"parameters[0] is an accumulator"});
  says(create({fresh}), function, {"parameters[0]", "never written"}, RONDO_INVALID_STATE);
  if (on_cuda()) {
    const Tensor host = upload(engine(), kCpu, full(RONDO_F32, {8}, 1));
    says(create({a, host}), function, {"parameters[1] is on cpu:0", "one device"});
  }
  must(rondo_record_begin(engine(), nullptr));
  says(create({a}), function, {"the thread records"}, RONDO_INVALID_STATE);
  rondo_record_abort(engine());
  EXPECT_EQ(made, nullptr);
}

TEST_P(OptimizerMisuse, GradientsThatAreNotTheParameters) {
  const char* const function = "rondo_optimizer_step";
  const Tensor square = up(full(RONDO_F32, {3, 3}, 1)), line = up(full(RONDO_F32, {4}, 1));
  Tensors parameters;
  parameters.push_back(reshape(square, {3, 3}));
  parameters.push_back(reshape(line, {4}));
  const Optimizer made = optimizer(parameters, of(RONDO_OPTIMIZER_SGD));
  const Tensor good = up(full(RONDO_F32, {3, 3}, 1)), other = up(full(RONDO_F32, {4}, 1));
  const Tensor turned = transpose(good, {1, 0}), whole = up(full(RONDO_I64, {4}, 1)), fresh = empty(RONDO_F32, {4});
  const Tensor number = up(full(RONDO_F32, {}, 1)), flag = up(full(RONDO_BOOL, {}, 1)),
               two = up(full(RONDO_BOOL, {2}, 1));
  const auto take = [&](std::vector<rondo_tensor*> list, rondo_tensor* finite = nullptr,
                        rondo_tensor* scale = nullptr) {
    return rondo_optimizer_step(made.get(), static_cast<int32_t>(list.size()), list.data(), finite, scale);
  };
  rondo_tensor* const one[] = {good};
  says(rondo_optimizer_step(nullptr, 1, one, nullptr, nullptr), function, {"optimizer is NULL"});
  says(rondo_optimizer_step(made.get(), 2, nullptr, nullptr, nullptr), function, {"gradients is NULL"});
  says(take({good}), function, {"n_gradients is 1", "2 parameters"});
  says(take({good, nullptr}), function, {"gradients[1] is NULL"});
  says(take({other, other}), function, {"gradients[0] is f32 [4]", "f32 [3, 3]"});
  says(take({turned, other}), function, {"gradients[0]", "another order", "rondo_copy"});
  says(take({good, whole}), function, {"gradients[1] is i64 [4]"});
  says(take({good, fresh}), function, {"gradients[1]", "never written"}, RONDO_INVALID_STATE);
  says(take({good, parameters[1]}), function, {"gradients[1] shares memory"});
  says(take({good, other}, number), function, {"finite is f32", "bool"});
  says(take({good, other}, two), function, {"finite is bool [2]", "one element"});
  says(take({good, other}, flag, flag), function, {"scale is bool", "f32"});
  if (on_cuda()) {
    const Tensor host = upload(engine(), kCpu, full(RONDO_F32, {4}, 1));
    const Tensor host_flag = upload(engine(), kCpu, full(RONDO_BOOL, {}, 1));
    says(take({good, host}), function, {"gradients[1] is on cpu:0"});
    says(take({good, other}, host_flag), function, {"finite is not on", "cuda:0"});
  }
  says(rondo_optimizer_set_rate(made.get(), -1), "rondo_optimizer_set_rate", {"rate is -1", "positive"});
  says(rondo_optimizer_set_rate(made.get(), NAN), "rondo_optimizer_set_rate", {"rate is nan"});
  says(rondo_optimizer_set_rate(nullptr, 1), "rondo_optimizer_set_rate", {"optimizer is NULL"});
  const char* name = nullptr;
  Tensor tensor;
  says(rondo_optimizer_state(made.get(), 2, &name, tensor.slot()), "rondo_optimizer_state",
       {"index is 2", "2 tensors"});
  says(rondo_optimizer_state(made.get(), -1, &name, tensor.slot()), "rondo_optimizer_state", {"index is -1"});
  says(rondo_optimizer_state(made.get(), 0, nullptr, tensor.slot()), "rondo_optimizer_state", {"name is NULL"});
  says(rondo_optimizer_state(made.get(), 0, &name, nullptr), "rondo_optimizer_state", {"tensor is NULL"});
  says(rondo_optimizer_query(made.get(), nullptr), "rondo_optimizer_query", {"info is NULL"});
  EXPECT_EQ(state(made, "optimizer.step")[0], 0);
  EXPECT_EQ(download(line)[0], 1);
}

TEST_P(OptimizerMisuse, HandlesThatAreGone) {
  Tensors parameters;
  parameters.push_back(up(full(RONDO_F32, {3}, 1)));
  Optimizer made = optimizer(parameters, of(RONDO_OPTIMIZER_SGD));
  rondo_optimizer* const gone = made.get();
  made.reset();
  says(rondo_optimizer_set_rate(gone, 1), "rondo_optimizer_set_rate", {"optimizer is not a live optimizer"});
  rondo_optimizer_destroy(gone);  // says so, and does nothing
  rondo_optimizer_destroy(nullptr);
}

TEST_P(OptimizerMisuse, ListsThatCannotBeMeasured) {
  const Tensor a = up(full(RONDO_F32, {8}, 1)), whole = up(full(RONDO_I32, {8}, 1)), sparse = slice(a, 0, 0, 8, 2);
  const Tensor part = slice(a, 0, 2, 4), number = up(full(RONDO_F32, {}, 0)), flag = up(full(RONDO_BOOL, {}, 0));
  rondo_tensor *const one[] = {a}, *const bad[] = {a, whole}, *const apart[] = {sparse}, *const twice[] = {a, part},
                      *const none[] = {a, nullptr};
  rondo_tensor* out = nullptr;
  const struct {
    const char* function;
    decltype(&rondo_all_finite) call;
    rondo_tensor* wrong;
  } both[] = {{"rondo_all_finite", rondo_all_finite, number}, {"rondo_global_norm", rondo_global_norm, flag}};
  for (const auto& [function, call, wrong] : both) {
    says(call(0, one, &out), function, {"n is 0"});
    says(call(1, nullptr, &out), function, {"tensors is NULL"});
    says(call(2, none, &out), function, {"tensors[1] is NULL"});
    says(call(1, one, nullptr), function, {"out is NULL"});
    says(call(2, bad, &out), function, {"tensors[1] is i32 [8]"});
    says(call(1, apart, &out), function, {"tensors[0]", "together"});
    rondo_tensor* given = wrong;
    expect_refused(call(1, one, &given), RONDO_INVALID_ARGUMENT, function, "out");
  }
  const char* const clip = "rondo_clip_global_norm";
  says(rondo_clip_global_norm(1, one, 0, &out), clip, {"max_norm is 0", "positive"});
  says(rondo_clip_global_norm(1, one, NAN, &out), clip, {"max_norm is nan"});
  says(rondo_clip_global_norm(2, twice, 1, &out), clip, {"tensors[0] and tensors[1] share memory"});
  says(rondo_clip_global_norm(1, one, 1, nullptr), clip, {"out is NULL"});
  says(rondo_clip_global_norm(1, nullptr, 1, &out), clip, {"tensors is NULL"});
  EXPECT_EQ(out, nullptr);
  EXPECT_EQ(download(a)[0], 1);
}

}  // namespace
}  // namespace conformance
