// Recommenders with a scaled loss: layers and tables step or skip together, by what the scaler says of all gradients,
// and all of it is one graph. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "training/mixed_precision.h"

namespace conformance {
namespace {

constexpr int64_t kBatch = 6, kTables = 2, kLength = 3, kWidth = 8;
constexpr double kRate = 0.25;

// Rows of two tables go through a layer, and are to be told from each other.
struct Learner {
  Tensors tables, weights;
  Optimizer optimizer;
  Tensor rate;
};

class ScaledBags : public OnMixedPrecision {
 protected:
  using OnOptimizer::step;
  void SetUp() override {
    OnMixedPrecision::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    Array places(RONDO_I32, {kTables, kBatch, kLength});
    std::mt19937 random(5);
    for (size_t i = 0; i < places.size(); ++i) places.set(i, random() % 7);
    indices_ = up(places);
    target_ = up(random_array(RONDO_F32, {kBatch, 1}, 6, -1, 1));
  }
  void TearDown() override {
    indices_ = Tensor(), target_ = Tensor();
    OnMixedPrecision::TearDown();
  }
  Learner learner() const {
    Learner made;
    made.tables =
        up_all({random_array(RONDO_F32, {9, kWidth}, 1, -1, 1), random_array(RONDO_F32, {7, kWidth}, 2, -1, 1)});
    made.weights = up_all({random_array(RONDO_F32, {kTables * kWidth, 1}, 3, -1, 1)});
    made.optimizer = optimizer(made.weights, optimizer_options(RONDO_OPTIMIZER_SGD, kRate));
    made.rate = up(full(RONDO_F64, {}, kRate));
    return made;
  }
  Tensor look_up(const Learner& of) const {
    std::vector<rondo_tensor*> list = handles(of.tables);
    return make(rondo_embedding_bag, int32_t{kTables}, list.data(), indices_, nullptr, RONDO_BAG_MEAN);
  }
  Tensor loss_of(const Learner& of, rondo_tensor* rows) const {
    const Tensor out = make(rondo_matmul, reshape(rows, {kBatch, kTables * kWidth}), of.weights[0], nullptr);
    const Tensor error = make(rondo_binary, RONDO_SUB, out, target_);
    return reduce(RONDO_MEAN, make(rondo_unary, RONDO_SQUARE, error), {});
  }
  // Of the loss, or of that times the scale: gradients of the layer and of what was looked up.
  Tensors gradients(const Learner& of, const LossScaler* scales, rondo_dtype dtype) const {
    const Tensor rows = look_up(of);
    const Tape tape(engine());
    tape.watch(of.weights[0]), tape.watch(rows);
    Tensor loss;
    {
      const Autocast scope(engine(), dtype);
      loss = loss_of(of, rows);
    }
    if (scales) loss = make(rondo_loss_scaler_scale, scales->get(), loss);
    return tape.gradients(loss, {of.weights[0], rows});
  }
  void train(const Learner& of, const LossScaler* scales, rondo_dtype dtype = RONDO_F32) const {
    const Tensors made = gradients(of, scales, dtype);
    const Judged by = scales ? judged(*scales, handles(made)) : Judged();
    rondo_descend_options options = RONDO_DESCEND_OPTIONS_INIT;
    options.finite = by.finite, options.scale = by.scale;
    std::vector<rondo_tensor*> list = handles(of.tables);
    rondo_tensor* const first = made[0];
    must(rondo_optimizer_step(of.optimizer.get(), 1, &first, by.finite, by.scale));
    must(rondo_embedding_bag_descend(kTables, list.data(), indices_, nullptr, RONDO_BAG_MEAN, made[1], of.rate,
                                     scales ? &options : nullptr));
    if (scales) must(rondo_loss_scaler_update(scales->get()));
  }
  static std::vector<Array> all_of(const Learner& of) {
    std::vector<Array> all;
    for (const Tensors* list : {&of.tables, &of.weights})
      for (const Tensor& each : *list) all.push_back(download(each));
    return all;
  }
  Tensor indices_, target_;
};
CONFORMANCE_SUITE(ScaledBags);

// A power of two times the loss changes no bit of what is divided by it again.
TEST_P(ScaledBags, StepsAreThoseWithoutAScale) {
  const Learner plain = learner(), scaled = learner();
  const LossScaler scales = scaler(scaler_options(1024, 2));
  Repeated one = repeated([&] { train(plain, nullptr); }), other = repeated([&] { train(scaled, &scales); });
  const std::vector<Array> before = all_of(plain);
  for (int i = 0; i < 5; ++i) one.run(), other.run();
  EXPECT_EQ(figures(scales), (std::vector<Real>{4096, 1, 0}));
  expect_same(all_of(scaled), all_of(plain), "after five steps");
  for (size_t i = 0; i < before.size(); ++i)
    EXPECT_NE(all_of(plain)[i].bytes, before[i].bytes) << i << " has not moved";
}

// A scale that f16 does not hold falls, while nothing moves, until it does; then the loss falls.
TEST_P(ScaledBags, NothingMovesUntilGradientsAreFinite) {
  const Learner of = learner();
  const LossScaler scales = scaler(scaler_options(0x1p30, 1000));
  const auto loss = [&] { return download(loss_of(of, look_up(of)))[0]; };
  const auto body = [&] { train(of, &scales, RONDO_F16); };
  Graph graph;
  if (GetParam().graph) {
    graph = record(engine(), body);
    const rondo_graph_info info = graph_info(graph.get());
    EXPECT_EQ(info.segments, 1) << "nothing of a step with a scaled loss is left to the host";
    EXPECT_EQ(info.captured, on_cuda() ? 1 : 0);
  }
  const auto round = [&] { graph ? must(rondo_graph_launch(graph.get())) : body(); };
  const std::vector<Array> before = all_of(of);
  const Real first = loss();
  int skipped = 0;
  for (bool moved = false; !moved && skipped < 40; skipped += moved ? 0 : 1) {
    round();
    moved = figures(scales)[1] > 0;
    if (!moved) expect_same(all_of(of), before, "after a round that is skipped");
  }
  EXPECT_GT(skipped, 5);
  EXPECT_LT(skipped, 40);
  EXPECT_EQ(figures(scales), (std::vector<Real>{std::ldexp(Real(1), 30 - skipped), 1, Real(skipped)}));
  for (int i = 0; i < 20; ++i) round();
  EXPECT_LT(loss(), first / 2);
  const std::vector<Array> after = all_of(of);
  for (size_t i = 0; i < before.size(); ++i) EXPECT_NE(after[i].bytes, before[i].bytes) << i << " has not moved";
}

// What was looked up decides for the layer too, and the scaler hears of it.
TEST_P(ScaledBags, GradientsOfRowsAloneMakeTheRoundBad) {
  const Learner of = learner();
  const LossScaler scales = scaler(scaler_options(8, 1));
  const Tensors given =
      up_all({full(RONDO_F32, {kTables * kWidth, 1}, 1), full(RONDO_F32, {kBatch, kTables, kWidth}, 1)});
  Array broken = full(RONDO_F32, {kBatch, kTables, kWidth}, 1);
  broken.set(broken.size() - 1, NAN);
  std::vector<rondo_tensor*> list = handles(of.tables);
  rondo_tensor* const first = given[0];
  Repeated round = repeated([&] {
    const Judged by = judged(scales, handles(given));
    rondo_descend_options options = RONDO_DESCEND_OPTIONS_INIT;
    options.finite = by.finite, options.scale = by.scale;
    must(rondo_optimizer_step(of.optimizer.get(), 1, &first, by.finite, by.scale));
    must(rondo_embedding_bag_descend(kTables, list.data(), indices_, nullptr, RONDO_BAG_MEAN, given[1], of.rate,
                                     &options));
    must(rondo_loss_scaler_update(scales.get()));
  });
  const std::vector<Array> before = all_of(of);
  write(given[1], broken);
  round.run();
  expect_same(all_of(of), before, "skipped");
  EXPECT_EQ(figures(scales), (std::vector<Real>{4, 0, 1}));
  write(given[1], full(RONDO_F32, {kBatch, kTables, kWidth}, 1));
  round.run();
  const std::vector<Array> after = all_of(of);
  for (size_t i = 0; i < before.size(); ++i) EXPECT_NE(after[i].bytes, before[i].bytes) << i << " has not moved";
  EXPECT_EQ(static_cast<float>(after.back()[0]), static_cast<float>(before.back()[0]) - static_cast<float>(kRate) / 4)
      << "by the scale of that round";
  EXPECT_EQ(figures(scales), (std::vector<Real>{8, 0, 1}));
}

}  // namespace
}  // namespace conformance
