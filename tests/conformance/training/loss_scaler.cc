// Loss scalers: scaled losses, skipped steps, a scale that falls and grows, all on the device. Copyright 2026 the Rondo
// developers. SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "model_files/model_file.h"
#include "training/mixed_precision.h"

namespace conformance {
namespace {

class LossScalers : public OnMixedPrecision {
 protected:
  using OnMixedPrecision::states;
  using OnMixedPrecision::step;
  using OnOptimizer::states;
  using OnOptimizer::step;
};
CONFORMANCE_SUITE(LossScalers);

TEST_P(LossScalers, ScaleFallsAfterSkipsAndGrowsAgain) {
  const Tensors weights = up_all({full(RONDO_F32, {3}, 10)}), gradients = up_all({full(RONDO_F32, {3}, 0)});
  const Optimizer made = optimizer(weights, optimizer_options(RONDO_OPTIMIZER_SGD, 1));
  const LossScaler scales = scaler(scaler_options(64, 2, 4, 0.25));
  Repeated round = repeated([&] {
    step(scales, made, gradients);
    must(rondo_loss_scaler_update(scales.get()));
  });
  Real scale = 64, weight = 10, steps = 0, good = 0, skipped = 0;
  for (const bool fine : {true, true, false, true, false, false, true, true, true, true, true}) {
    Array gradient = full(RONDO_F32, {3}, scale * 0.5L);
    if (!fine) gradient.set(1, skipped == 1 ? NAN : INFINITY);
    write(gradients[0], gradient);
    round.run();
    if (fine) {
      weight -= 0.5L, steps += 1;
      if (++good == 2) good = 0, scale *= 4;
    } else {
      skipped += 1, good = 0, scale *= 0.25L;
    }
    EXPECT_EQ(figures(scales), (std::vector<Real>{scale, good, skipped}));
    EXPECT_EQ(download(weights[0])[1], weight);
    EXPECT_EQ(state(made, "optimizer.step")[0], steps);
  }
}

TEST_P(LossScalers, ScaleStaysWhereItsReciprocalIsNormal) {
  const Tensors weights = up_all({full(RONDO_F32, {3}, 0)}), gradients = up_all({full(RONDO_F32, {3}, 0)});
  const Optimizer made = optimizer(weights, optimizer_options(RONDO_OPTIMIZER_SGD, 1));
  const LossScaler scales = scaler(scaler_options(1, 1, 0x1p60, 0x1p-60));
  Repeated round = repeated([&] {
    step(scales, made, gradients);
    must(rondo_loss_scaler_update(scales.get()));
  });
  for (int i = 0; i < 4; ++i) round.run();
  EXPECT_EQ(figures(scales)[0], std::ldexp(Real(1), 126));
  write(gradients[0], full(RONDO_F32, {3}, INFINITY));
  for (int i = 0; i < 6; ++i) round.run();
  EXPECT_EQ(figures(scales)[0], std::ldexp(Real(1), -126));
  EXPECT_EQ(download(weights[0])[0], 0);
}

// A power of two times the loss changes no bit of what is divided by it again.
TEST_P(LossScalers, StepsAreThoseWithoutAScale) {
  const Array x = random_array(RONDO_F32, {5, 7}, 1, -1, 1), w = random_array(RONDO_F32, {7, 3}, 2, -1, 1);
  const Tensor image = up(x);
  const auto loss_of = [&](rondo_tensor* weight) {
    return reduce(RONDO_MEAN, make(rondo_unary, RONDO_SQUARE, make(rondo_matmul, image, weight, nullptr)), {});
  };
  const Tensors plain = up_all({w}), scaled = up_all({w});
  const Optimizer with = optimizer(scaled, optimizer_options(RONDO_OPTIMIZER_ADAM, 0.1)),
                  without = optimizer(plain, optimizer_options(RONDO_OPTIMIZER_ADAM, 0.1));
  const LossScaler scales = scaler(scaler_options(1024, 2));
  Repeated one = repeated([&] {
    const Tape tape(engine());
    tape.watch(plain[0]);
    const Tensor loss = loss_of(plain[0]);
    step(without, tape.gradients(loss, {plain[0]}));
  });
  Repeated other = repeated([&] {
    const Tape tape(engine());
    tape.watch(scaled[0]);
    const Tensor loss = loss_of(scaled[0]), more = make(rondo_loss_scaler_scale, scales.get(), loss);
    step(scales, with, tape.gradients(more, {scaled[0]}));
    must(rondo_loss_scaler_update(scales.get()));
  });
  for (int i = 0; i < 5; ++i) one.run(), other.run();
  EXPECT_EQ(figures(scales), (std::vector<Real>{4096, 1, 0}));
  expect_same_bits(download(scaled[0]), download(plain[0]), "weights");
}

TEST_P(LossScalers, EachOptimizerSkipsAlone) {
  const Tensors a = up_all({full(RONDO_F32, {2}, 1)}), b = up_all({full(RONDO_F16, {2}, 1)});
  const Tensors fine = up_all({full(RONDO_F32, {2}, 8)}), bad = up_all({full(RONDO_F16, {2}, INFINITY)});
  const Optimizer first = optimizer(a, optimizer_options(RONDO_OPTIMIZER_SGD, 1)),
                  second = optimizer(b, optimizer_options(RONDO_OPTIMIZER_SGD, 1));
  const LossScaler scales = scaler(scaler_options(8, 1));
  Repeated round = repeated([&] {
    step(scales, second, bad);
    step(scales, first, fine);
    must(rondo_loss_scaler_update(scales.get()));
  });
  round.run();
  EXPECT_EQ(download(a[0])[0], 0);
  EXPECT_EQ(download(b[0])[0], 1);
  EXPECT_EQ(figures(scales), (std::vector<Real>{4, 0, 1}));
  write(bad[0], full(RONDO_F16, {2}, 4));
  round.run();
  EXPECT_EQ(download(a[0])[0], -2);
  EXPECT_EQ(download(b[0])[0], 0);
  EXPECT_EQ(figures(scales), (std::vector<Real>{8, 0, 1}));
}

// Two optimizers that skip together, by what the scaler says of all gradients: the same as two steps of its own where
// all is finite, and a bad round where one gradient is not.
TEST_P(LossScalers, StepsOfOthersGoByItAndCount) {
  const Tensors a = up_all({full(RONDO_F32, {2}, 1)}), b = up_all({full(RONDO_F16, {2}, 1)});
  const Tensors of_a = up_all({full(RONDO_F32, {2}, 4)}), of_b = up_all({full(RONDO_F16, {2}, INFINITY)});
  const Optimizer first = optimizer(a, optimizer_options(RONDO_OPTIMIZER_SGD, 1)),
                  second = optimizer(b, optimizer_options(RONDO_OPTIMIZER_SGD, 1));
  const LossScaler scales = scaler(scaler_options(8, 1));
  Repeated round = repeated([&] {
    const Judged by = judged(scales, {of_a[0], of_b[0]});
    step(first, of_a, by.finite, by.scale);
    step(second, of_b, by.finite, by.scale);
    must(rondo_loss_scaler_update(scales.get()));
  });
  round.run();
  EXPECT_EQ(download(a[0])[0], 1);
  EXPECT_EQ(download(b[0])[0], 1);
  EXPECT_EQ(figures(scales), (std::vector<Real>{4, 0, 1}));
  write(of_b[0], full(RONDO_F16, {2}, 2));
  round.run();
  EXPECT_EQ(download(a[0])[0], 0);
  EXPECT_EQ(download(b[0])[0], 0.5L);
  EXPECT_EQ(figures(scales), (std::vector<Real>{8, 0, 1}));
}

TEST_P(LossScalers, LossOfF64KeepsItsDtype) {
  const LossScaler scales = scaler(scaler_options(256, 1));
  run([&](Results& results) {
    const Tensor loss = up(full(RONDO_F64, {2}, 0.375L));
    results.keep("scaled", make(rondo_loss_scaler_scale, scales.get(), loss),
                 [] { return Expected(full(RONDO_F64, {2}, 96)); });
  });
}

TEST_P(LossScalers, ResumesBitForBit) {
  const Array start = random_array(RONDO_F32, {100}, 1, -1, 1), fine = random_array(RONDO_F32, {100}, 2, -1, 1);
  Array bad = fine;
  bad.set(99, NAN);
  const auto go = [&](Repeated& round, const Tensors& gradients, const std::vector<const Array*>& order) {
    for (const Array* each : order) write(gradients[0], *each), round.run();
  };
  const std::string file =
      (std::filesystem::temp_directory_path() / ("rondo_loss_scaler_" + std::to_string(getpid()))).string();
  const Tensors through = up_all({start}), again = up_all({full(RONDO_F32, {100}, 0)}), gradients = up_all({fine});
  const Optimizer whole = optimizer(through, optimizer_options(RONDO_OPTIMIZER_ADAMW, 0.1)),
                  resumed = optimizer(again, optimizer_options(RONDO_OPTIMIZER_ADAMW, 0.1));
  const LossScaler one = scaler(scaler_options(1024, 3)), other = scaler(scaler_options(2, 3));
  const auto round_of = [&](const LossScaler& scales, const Optimizer& of) {
    return repeated([&] {
      step(scales, of, gradients);
      must(rondo_loss_scaler_update(scales.get()));
    });
  };
  Repeated rounds = round_of(one, whole), others = round_of(other, resumed);
  go(rounds, gradients, {&fine, &fine, &bad, &fine, &fine});
  {
    std::vector<const char*> names = {"w"};
    std::vector<rondo_tensor*> tensors = handles(through);
    const std::vector<State> all = states(whole), more = states(one);
    for (const auto* list : {&all, &more})
      for (const State& each : *list) names.push_back(each.name.c_str()), tensors.push_back(each.tensor);
    must(rondo_model_file_write(file.c_str(), names.data(), tensors.data(), names.size(), nullptr, nullptr, 0));
  }
  const std::vector<const Array*> rest = {&fine, &bad, &fine, &fine, &fine};
  go(rounds, gradients, rest);
  {
    const ModelFile model = open_model(file);
    into(again[0], rondo_model_file_load, model.get(), "w", engine(), device());
    for (const State& each : states(resumed))
      into(each.tensor, rondo_model_file_load, model.get(), each.name.c_str(), engine(), device());
    for (const State& each : states(other))
      into(each.tensor, rondo_model_file_load, model.get(), each.name.c_str(), engine(), device());
  }
  std::filesystem::remove(file);
  go(others, gradients, rest);
  expect_same(snapshot(resumed, again), snapshot(whole, through), "resumed");
  EXPECT_EQ(figures(other), figures(one));
  EXPECT_EQ(figures(one), (std::vector<Real>{1024, 0, 2}));
}

}  // namespace
}  // namespace conformance
