// Whole training steps on several ranks: a layer of an encoder with optimizers, clipping, f32 weights behind 16-bit
// ones and loss scaling over buckets, eager and recorded; a rank whose gradients are not finite; state that is saved on
// one rank and loaded on all. What one process computes that has all parts, and adds their gradients in the order of
// ranks, is the reference. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "collectives/data_parallel_training.h"

#include <cstdlib>
#include <filesystem>

#include "model_files/model_file.h"

namespace conformance {
namespace {

// What is trained, and how.
struct Recipe {
  std::string name;
  rondo_optimizer_options options;
  rondo_dtype dtype;
  bool scaled;       // by a loss scaler
  int64_t per_each;  // bytes of state for each weight
};

Recipe adamw() {
  rondo_optimizer_options options = optimizer_options(RONDO_OPTIMIZER_ADAMW, 0.02);
  options.weight_decay = 0.01, options.epsilon = 1e-3, options.max_norm = 0.05;
  options.schedule = RONDO_RATE_COSINE, options.warmup_steps = 2, options.decay_steps = 20;
  return {"AdamW", options, RONDO_F32, false, 8};
}
Recipe lamb() {
  Recipe made = adamw();
  made.name = "LAMB", made.options.kind = RONDO_OPTIMIZER_LAMB;
  return made;
}
Recipe halves() {
  Recipe made = adamw();
  made.name = "AdamW of f16", made.options.master_weights = 1;
  made.dtype = RONDO_F16, made.scaled = true, made.per_each = 12;
  return made;
}

// A layer: attention of two heads, a network with GELU, and layer normalisation behind each.
constexpr int64_t kBatch = 2, kPlaces = 3, kWidth = 8, kHeads = 2, kInner = 16;
constexpr double kEpsilon = 1e-5, kLossScale = 1024;  // of normalisation; of the loss, at first
enum Parameter { kPacked, kOut, kScale1, kShift1, kInto, kBias, kBack, kScale2, kShift2, kParameters };

std::vector<Array> starts(rondo_dtype dtype) {
  const Shape shapes[kParameters] = {
      {kWidth, 3 * kWidth}, {kWidth, kWidth}, {kWidth}, {kWidth}, {kWidth, kInner}, {kInner},
      {kInner, kWidth},     {kWidth},         {kWidth}};
  std::vector<Array> all;
  for (int i = 0; i < kParameters; ++i) {
    const bool scale = i == kScale1 || i == kScale2;
    all.push_back(random_array(dtype, shapes[i], static_cast<uint32_t>(i + 1), scale ? 0.8 : -0.4, scale ? 1.2 : 0.4));
  }
  return all;
}
std::vector<Array> zeros(rondo_dtype dtype) {
  std::vector<Array> all;
  for (const Array& each : starts(dtype)) all.push_back(full(dtype, each.shape, 0));
  return all;
}

Tensor layer(const Tensors& p, rondo_tensor* x) {
  const Tensor parts =
      reshape(make(rondo_matmul, x, p[kPacked], nullptr), {kBatch, kPlaces, 3, kHeads, kWidth / kHeads});
  Tensors qkv;
  for (int64_t i = 0; i < 3; ++i)
    qkv.push_back(reshape(slice(parts, 2, i, i + 1), {kBatch, kPlaces, kHeads, kWidth / kHeads}));
  Tensor seen;
  must(rondo_attention(qkv[0], qkv[1], qkv[2], nullptr, seen.slot(), nullptr));
  const Tensor joined = make(rondo_matmul, reshape(seen, {kBatch, kPlaces, kWidth}), p[kOut], nullptr);
  const Tensor added = make(rondo_binary, RONDO_ADD, x, joined);
  const Tensor middle = make(rondo_layer_norm, added, -1, p[kScale1], p[kShift1], kEpsilon);
  rondo_matmul_options with_bias = RONDO_MATMUL_OPTIONS_INIT;
  with_bias.bias = p[kBias];
  const Tensor inner = make(rondo_unary, RONDO_GELU, make(rondo_matmul, middle, p[kInto], &with_bias));
  const Tensor back = make(rondo_matmul, inner, p[kBack], nullptr);
  return make(rondo_layer_norm, make(rondo_binary, RONDO_ADD, middle, back), -1, p[kScale2], p[kShift2], kEpsilon);
}

// A rank with its part of each batch, or one process with the parts of all.
struct Trainee {
  Tensors x, target;  // of each part
  Tensor loss, norm;  // of the first part, and of all gradients before they are clipped; after each step
  Tensors parameters;
  Optimizer optimizer;
  LossScaler scaler;
  Buckets buckets;  // of a rank
  Graph graph;      // of a rank that is recorded
};
using Trainees = std::vector<Trainee>;

class ParallelTraining : public OnParallelTraining {
 protected:
  // Nothing is made while something is recorded.
  void SetUp() override {
    OnGroup::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) (void)comms();
  }
  // Where kernels cost a compile, each run has one of them.
  std::vector<Recipe> dealt(std::vector<Recipe> all) const {
    if (!on_cuda() || share() < 0) return all;
    return {all[static_cast<size_t>(share()) % all.size()]};
  }

  Trainee trainee(int32_t rank, int32_t parts, const Recipe& recipe, const std::vector<Array>& start) const {
    Trainee made;
    for (int32_t i = 0; i < parts; ++i) {
      made.x.push_back(up(rank, full(recipe.dtype, {kBatch, kPlaces, kWidth}, 0)));
      made.target.push_back(up(rank, full(RONDO_F32, {kBatch, kPlaces, kWidth}, 0)));
    }
    made.loss = up(rank, full(RONDO_F32, {}, 0));
    made.norm = up(rank, full(RONDO_F32, {}, 0));
    for (const Array& each : start) made.parameters.push_back(up(rank, each));
    made.optimizer = Shared::optimizer(made.parameters, recipe.options);
    if (recipe.scaled) {
      const rondo_loss_scaler_options options = Shared::scaler_options(kLossScale, 2);
      rondo_loss_scaler* scaler = nullptr;
      must(rondo_loss_scaler_create(engine(), device(rank), &options, &scaler));
      made.scaler.reset(scaler);
    }
    return made;
  }
  Trainee alone(const Recipe& recipe) const { return trainee(own(), ranks(), recipe, starts(recipe.dtype)); }
  // The ranks that are here; nothing for the others.
  Trainees all_ranks(const Recipe& recipe, const std::vector<Array>& start) const {
    Trainees all(static_cast<size_t>(ranks()));
    for (int32_t rank = 0; rank < ranks(); ++rank) {
      if (!here(rank)) continue;
      Trainee& each = all[static_cast<size_t>(rank)] = trainee(rank, 1, recipe, start);
      each.buckets = buckets(rank, each.parameters, 1024);
    }
    return all;
  }

  // The batch of a step, in which the part of a rank that is `bad` has an infinity.
  static void feed(const Trainee& to, int32_t first, int number, int32_t bad) {
    for (size_t i = 0; i < to.x.size(); ++i) {
      const int32_t rank = first + static_cast<int32_t>(i);
      const auto seed = static_cast<uint32_t>(1000 + 10 * number + rank);
      Array x = random_array(query(to.x[i]).dtype, {kBatch, kPlaces, kWidth}, seed, -1, 1);
      if (rank == bad) x.set(5, INFINITY);
      Shared::write(to.x[i], x);
      Shared::write(to.target[i], random_array(RONDO_F32, {kBatch, kPlaces, kWidth}, seed + 500, -1, 1));
    }
  }
  void step(const Trainee& of) const {
    std::vector<Tensors> parts;
    for (size_t part = 0; part < of.x.size(); ++part) {
      const Tape tape(engine());
      for (const Tensor& each : of.parameters) tape.watch(each);
      const Tensor y = make(rondo_cast, layer(of.parameters, of.x[part]), RONDO_F32);
      const Tensor error = make(rondo_binary, RONDO_SUB, y, of.target[part]);
      const Tensor loss = reduce(RONDO_MEAN, make(rondo_unary, RONDO_SQUARE, error), {});
      if (part == 0) into(of.loss, rondo_copy, loss);
      const Tensor scaled = of.scaler ? make(rondo_loss_scaler_scale, of.scaler.get(), loss) : Tensor();
      rondo_tensor* output = of.scaler ? scaled : loss;
      if (of.buckets)
        must(rondo_buckets_reduce(of.buckets.get(), tape, 1, &output, nullptr));
      else
        parts.push_back(tape.gradients(output, handles(of.parameters)));
    }
    const Tensors gradients = of.buckets ? gradients_of(of.buckets) : mean(parts);
    std::vector<rondo_tensor*> list = handles(gradients);
    into(of.norm, rondo_global_norm, kParameters, list.data());
    if (!of.scaler) return Shared::step(of.optimizer, gradients);
    Shared::step(of.scaler, of.optimizer, gradients);
    must(rondo_loss_scaler_update(of.scaler.get()));
  }

  // Steps `first` to before `last` on all ranks, each of which has one graph if it is recorded.
  void train(Trainees& all, int first, int last, int32_t bad = -1) const {
    for (int32_t rank = 0; rank < ranks(); ++rank) {
      Trainee& each = all[static_cast<size_t>(rank)];
      if (here(rank) && GetParam().graph && !each.graph) each.graph = recorded([&] { step(each); }, each.buckets);
    }
    each_rank([&](int32_t rank) {
      const Trainee& own = all[static_cast<size_t>(rank)];
      for (int number = first; number < last; ++number) {
        feed(own, rank, number, bad);
        if (own.graph)
          must(rondo_graph_launch(own.graph.get()));
        else
          step(own);
      }
    });
  }
  void train(const Trainee& one, int first, int last, int32_t bad = -1) const {
    for (int number = first; number < last; ++number) feed(one, 0, number, bad), step(one);
  }

  // All that goes on from step to step, under the names it is saved by.
  static std::vector<std::pair<std::string, Tensor>> tensors(const Trainee& of) {
    std::vector<std::pair<std::string, Tensor>> all;
    for (size_t i = 0; i < of.parameters.size(); ++i)
      all.emplace_back("weights." + std::to_string(i), slice(of.parameters[i], 0, 0, INT64_MAX));
    for (auto& each : Shared::states(of.optimizer)) all.emplace_back(each.name, std::move(each.tensor));
    if (of.scaler)
      for (auto& each : Shared::states(of.scaler)) all.emplace_back(each.name, std::move(each.tensor));
    return all;
  }
  static Values values(const Trainee& of) {
    Values all;
    for (const auto& [name, tensor] : tensors(of)) all.emplace_back(name, download(tensor));
    return all;
  }
  static std::vector<Values> values(const Trainees& of) {
    std::vector<Values> all(of.size());
    for (size_t rank = 0; rank < of.size(); ++rank)
      if (here(static_cast<int32_t>(rank))) all[rank] = values(of[rank]);
    return all;
  }
  static std::vector<Array> weights(const Trainee& of) {
    std::vector<Array> all;
    for (const Tensor& each : of.parameters) all.push_back(download(each));
    return all;
  }
  static Real number(const Tensor& tensor) { return download(tensor)[0]; }
  static Real bound(const Recipe& recipe) { return recipe.dtype == RONDO_F32 ? 1e-4L : 2e-2L; }
};
INSTANTIATE_TEST_SUITE_P(Conformance, ParallelTraining, testing::ValuesIn(groups()), group_name);

TEST_P(ParallelTraining, EveryRankEndsAsOneProcess) {
  for (const Recipe& recipe : dealt({adamw(), halves(), lamb()})) {
    const Trainee one = alone(recipe);
    Trainees all = all_ranks(recipe, starts(recipe.dtype));
    train(one, 0, 1);
    train(all, 0, 1);
    expect_all(values(all), values(one), bound(recipe), recipe.name + ", a step");
    const Real scale = recipe.scaled ? kLossScale : 1;
    EXPECT_GT(number(one.norm), scale * recipe.options.max_norm) << recipe.name << ": nothing is clipped";
    train(one, 1, 6);
    train(all, 1, 6);
    expect_all(values(all), values(one), bound(recipe), recipe.name + ", six steps");
    EXPECT_EQ(Shared::state(all[static_cast<size_t>(own())].optimizer, "optimizer.step")[0], 6);
    // The same batch again: it has been learnt from.
    const Trainee& own_rank = all[static_cast<size_t>(own())];
    const Real before = number(own_rank.loss);
    train(all, 5, 6);
    EXPECT_LT(number(own_rank.loss), before) << recipe.name;
  }
}

// Sums take infinities and NaN of one rank to all, so all find the same, and nobody needs to ask the others.
TEST_P(ParallelTraining, ARankWithoutFiniteOnesSkipsAll) {
  const Recipe recipe = halves();
  const Trainee one = alone(recipe);
  Trainees all = all_ranks(recipe, starts(recipe.dtype));
  Real scale = kLossScale, taken = 0, good = 0, skipped = 0;
  int number = 0;
  for (const int32_t bad : {-1, 0, -1, ranks() - 1, -1, -1}) {
    const auto first = static_cast<size_t>(own());
    const std::vector<Array> before = weights(all[first]);
    train(one, number, number + 1, bad);
    train(all, number, number + 1, bad);
    ++number;
    if (bad < 0) {
      taken += 1;
      if (++good == 2) good = 0, scale *= 2;
    } else {
      skipped += 1, good = 0, scale /= 2;
    }
    const std::string label = "step " + std::to_string(number);
    for (int32_t rank = 0; rank < ranks(); ++rank) {
      if (!here(rank)) continue;
      const Trainee& each = all[static_cast<size_t>(rank)];
      EXPECT_EQ(Shared::figures(each.scaler), (std::vector<Real>{scale, good, skipped})) << label << ", rank " << rank;
      EXPECT_EQ(Shared::state(each.optimizer, "optimizer.step")[0], taken) << label << ", rank " << rank;
      const std::vector<Array> after = weights(each);
      for (size_t i = 0; i < after.size(); ++i)
        EXPECT_EQ(after[i].bytes == before[i].bytes, bad >= 0) << label << ", rank " << rank << ", weights " << i;
    }
    expect_all(values(all), values(one), bound(recipe), label);
  }
}

// State is whole on every rank; what rank 0 has saved takes all of them up where they were.
TEST_P(ParallelTraining, ResumesFromWhatRankZeroSaved) {
  for (const Recipe& recipe : dealt({halves(), lamb()})) {
    Trainees through = all_ranks(recipe, starts(recipe.dtype));
    train(through, 0, 3);
    for (const Trainee& each : through) {
      int64_t bytes = 0, weights = 0;
      for (const Tensor& parameter : each.parameters) weights += query(parameter).elements;
      for (const auto& [name, tensor] : Shared::states(each.optimizer))
        bytes += query(tensor).elements * static_cast<int64_t>(rondo_dtype_size(query(tensor).dtype));
      EXPECT_EQ(bytes, recipe.per_each * weights + 16) << recipe.name;  // the step and the rate
    }
    std::string folder = (std::filesystem::temp_directory_path() / "rondo_ranks_XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    const std::string file = folder + "/state.safetensors";
    {
      const auto saved = tensors(through[0]);
      std::vector<const char*> names;
      std::vector<rondo_tensor*> list;
      for (const auto& [name, tensor] : saved) names.push_back(name.c_str()), list.push_back(tensor);
      must(rondo_model_file_write(file.c_str(), names.data(), list.data(), list.size(), nullptr, nullptr, 0));
    }
    train(through, 3, 6);

    Trainees again = all_ranks(recipe, zeros(recipe.dtype));
    each_rank([&](int32_t rank) {
      const ModelFile model = open_model(file);
      for (const auto& [name, tensor] : tensors(again[static_cast<size_t>(rank)]))
        into(tensor, rondo_model_file_load, model.get(), name.c_str(), engine(), device(rank));
    });
    std::filesystem::remove_all(folder);
    train(again, 3, 6);
    for (size_t rank = 0; rank < again.size(); ++rank)
      expect_same(values(again[rank]), values(through[0]), recipe.name + ", resumed on rank " + std::to_string(rank));
  }
}

}  // namespace
}  // namespace conformance
