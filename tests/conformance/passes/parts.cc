// Parts of tensors in a graph: writes to parts without a common element are independent, and whatever order that
// leaves, results and failures are those of eager calls.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <random>

#include "passes/passes.h"

namespace conformance {
namespace {

class Parts : public OnProgramsByPasses {
 protected:
  static constexpr int64_t kElements = 60;
  static constexpr int kFails = 7;  // among eight kinds of steps, so that most do not
  // Elements begin, begin + step, and so on of a tensor.
  struct Range {
    size_t tensor;
    int64_t begin, step;
    bool meets(const Range& other, int64_t count) const {
      if (tensor != other.tensor) return false;
      for (int64_t i = 0; i < count; ++i)
        for (int64_t k = 0; k < count; ++k)
          if (begin + i * step == other.begin + k * other.step) return true;
      return false;
    }
    Tensor of(const std::vector<Tensor>& x, int64_t count) const {
      return slice(x[tensor], 0, begin, begin + (count - 1) * step + 1, step);
    }
  };
  struct Step {
    int kind;
    int64_t count;
    Range from, to;
  };
  static Range range(std::mt19937& random, size_t tensors, int64_t count) {
    const auto step = static_cast<int64_t>(1 + random() % 3);
    const int64_t most = kElements - (count - 1) * step;
    return {random() % tensors, static_cast<int64_t>(random()) % most, step};
  }
  static std::vector<Step> steps(unsigned seed, size_t tensors, int kinds) {
    std::mt19937 random(seed);
    std::vector<Step> all;
    while (all.size() < 24) {
      const auto count = static_cast<int64_t>(1 + random() % 16);
      const Step each = {static_cast<int>(random() % static_cast<unsigned>(kinds)), count,
                         range(random, tensors, count), range(random, tensors, count)};
      if (!each.from.meets(each.to, count)) all.push_back(each);
    }
    return all;
  }
  static rondo_status fail(void*, rondo_task_context* context) {
    rondo_task_fail(context, "it fails");
    return RONDO_USER_ERROR;
  }
  void run(const Step& step, const std::vector<Tensor>& x) const {
    const Tensor from = step.from.of(x, step.count), to = step.to.of(x, step.count);
    rondo_tensor* const target = to;
    switch (step.kind == kFails ? 3 : step.kind % 3) {
      case 0: into(target, rondo_unary, RONDO_TANH, from); break;
      case 1: into(target, rondo_cumulative, RONDO_SUM, from, 0, 0); break;
      case 2: into(target, rondo_binary_scalar, RONDO_MUL, from, 0.5); break;
      default: {
        rondo_tensor* const reads[] = {from};
        rondo_task_options options = task_options("fails", device());
        must(rondo_engine_push_tensors(engine(), fail, nullptr, nullptr, reads, 1, &target, 1, &options));
      }
    }
  }
  std::vector<Array> arrays(unsigned seed, size_t tensors) const {
    std::vector<Array> all;
    for (size_t i = 0; i < tensors; ++i)
      all.push_back(random_array(RONDO_F32, {kElements}, static_cast<uint32_t>(seed * 7 + i), -1, 1));
    return all;
  }
};
CONFORMANCE_ENGINE_SUITE(Parts);

TEST_P(Parts, HalvesAreFilledOnBranchesOfTheirOwn) {
  const Setting branches("RONDO_GRAPH_BRANCHES", "all");
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.flags = RONDO_RECORD_AS_WRITTEN;
  const Graph graph = compare(
      {random_array(RONDO_F32, {1000}, 1, -1, 1), random_array(RONDO_F32, {2000}, 2, -1, 1)},
      [](const auto& x) {
        into(slice(x[1], 0, 0, 1000), rondo_unary, RONDO_TANH, x[0]);
        into(slice(x[1], 0, 1000, 2000), rondo_unary, RONDO_EXP, x[0]);
        into(x[1], rondo_unary, RONDO_NEG, x[1]);
        return list();
      },
      "halves", &options);
  expect_tasks(graph.get(), 3);
  if (!on_cuda()) return;
  EXPECT_EQ(graph_info(graph.get()).branches, 2) << graph_report(graph.get());
}

// New memory, of an element more, is zeroed before the first of them, which comes late: the other one is written at
// once.
TEST_P(Parts, HalvesOfNewMemoryKeepWhatIsWritten) {
  const Setting branches("RONDO_GRAPH_BRANCHES", "all");
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.flags = RONDO_RECORD_AS_WRITTEN;
  const Graph graph = compare(
      {random_array(RONDO_F32, {1000}, 3, -1, 1)},
      [this](const auto& x) {
        Tensor late = make(rondo_unary, RONDO_TANH, x[0]);
        for (int i = 0; i < 8; ++i) late = make(rondo_unary, RONDO_TANH, late);
        const Tensor wide = empty(RONDO_F32, {2001});
        into(slice(wide, 0, 0, 1000), rondo_unary, RONDO_EXP, late);
        into(slice(wide, 0, 1000, 2000), rondo_unary, RONDO_NEG, x[0]);
        return list(make(rondo_unary, RONDO_NEG, wide));
      },
      "halves of new memory", &options);
  const rondo_graph_info info = graph_info(graph.get());
  EXPECT_EQ(info.tasks, 12);
  if (!on_cuda()) return;
  EXPECT_EQ(info.nodes, 13) << graph_report(graph.get());
  EXPECT_EQ(info.branches, 2);
}

TEST_P(Parts, RandomProgramsOverThemAreThoseOfEagerCalls) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    if (seed % 3 == 2) options.flags = RONDO_RECORD_AS_WRITTEN;
    const std::vector<Step> all = steps(seed, 3, 3);
    compare(
        arrays(seed, 3),
        [&](const auto& x) {
          for (const Step& each : all) run(each, x);
          return list();
        },
        "seed " + std::to_string(seed), &options);
    if (HasFailure()) return;
  }
}

TEST_P(Parts, FailuresReachWhatTheyReachInEagerCalls) {
  if (on_cuda()) GTEST_SKIP() << "only a host's task can fail by itself in a graph";
  if (GetParam().mode == RONDO_ENGINE_NAIVE) GTEST_SKIP() << "naive mode reports at the call";
  for (unsigned seed = 0; seed < 12; ++seed) {
    const std::vector<Step> all = steps(seed + 100, 4, 8);
    std::vector<Tensor> eager = copies(arrays(seed, 4)), recorded = copies(arrays(seed, 4));
    const auto run_all = [&](const std::vector<Tensor>& x) {
      for (const Step& each : all) run(each, x);
    };
    run_all(eager);
    const Graph graph = record(engine(), [&] { run_all(recorded); });
    (void)rondo_graph_launch(graph.get());
    for (size_t i = 0; i < eager.size(); ++i) {
      const rondo_status status = rondo_tensor_wait(eager[i]);
      EXPECT_EQ(rondo_tensor_wait(recorded[i]), status) << "seed " << seed << ", tensor " << i;
      if (status == RONDO_OK)
        expect_same_bits(download(recorded[i]), download(eager[i]), "seed " + std::to_string(seed));
    }
    EXPECT_NE(rondo_engine_wait_all(engine()), RONDO_OK) << "seed " << seed << ": no task has failed";
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace conformance
