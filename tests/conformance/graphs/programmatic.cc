// Programmatic edges: which kernels of a CUDA graph start before the one before them has ended, and that results have
// the bits of eager calls all the same. The simulated driver runs each such kernel, up to its wait, before the one that
// it follows has begun, so whatever does not wait meets memory as it was before.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "graphs/calls.h"

namespace conformance {
namespace {

// Whether there are such edges. RONDO_TEST_NO_PROGRAMMATIC: there are none, whatever driver and device say, because the
// compiler is too old.
bool has_feature() {
  if (std::getenv("RONDO_TEST_NO_PROGRAMMATIC")) return false;
  int32_t available = 0;
  must(rondo_feature("programmatic_launch", &available, nullptr));
  return available != 0;
}

class Programmatic : public OnCalls {
 protected:
  using Body = std::function<void(const std::vector<Tensor>&)>;

  // So many edges are programmatic, where there are such.
  void expect_programmatic(rondo_graph* graph, int32_t edges) const {
    const rondo_graph_info info = graph_info(graph);
    const std::string report = graph_report(graph);
    const int32_t expected = on_cuda() && has_feature() ? edges : 0;
    EXPECT_EQ(info.programmatic, expected) << report;
    EXPECT_EQ(report.find("programmatic") != std::string::npos, expected > 0) << report;
  }
  // All edges of a graph of one branch, which has a node less.
  void expect_all_programmatic(rondo_graph* graph) const {
    expect_captured(graph);
    const rondo_graph_info info = graph_info(graph);
    EXPECT_EQ(info.edges, on_cuda() ? info.nodes - 1 : 0) << graph_report(graph);
    expect_programmatic(graph, info.edges);
  }
  // The body, which changes the tensors that it is given, recorded as it is written; and launched as often, one right
  // after the other, as it is called eagerly on copies of them.
  Graph compare(const std::vector<Array>& arrays, const Body& body, uint32_t flags = RONDO_RECORD_AS_WRITTEN) const {
    constexpr int kTimes = 5;
    std::vector<Tensor> eager, recorded;
    for (const Array& each : arrays) eager.push_back(up(each)), recorded.push_back(up(each));
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = flags;
    Graph graph = record(
        engine(), [&] { body(recorded); }, &options);
    for (int i = 0; i < kTimes; ++i) body(eager);
    for (int i = 0; i < kTimes; ++i) must(rondo_graph_launch(graph.get()));
    for (size_t i = 0; i < arrays.size(); ++i)
      expect_same_bits(download(recorded[i]), download(eager[i]), "tensor " + std::to_string(i));
    return graph;
  }
  Array values(const Shape& shape, uint32_t seed) const { return random_array(RONDO_F32, shape, seed, -2, 2); }
};
CONFORMANCE_ENGINE_SUITE(Programmatic);

// Families whose kernels are our own, one after the other; sorting and summing are several kernels each.
TEST_P(Programmatic, KernelsOfAChainFollowEachOtherEarly) {
  const Graph graph = compare({values({40, 96}, 1)}, [](const std::vector<Tensor>& x) {
    const Tensor bent = make(rondo_unary, RONDO_TANH, make(rondo_cumulative, RONDO_SUM, x[0], 1, 0));
    const Tensor sorted = make(rondo_sort, make(rondo_softmax, bent, 1), 1, 1);
    const Tensor sum = reduce(RONDO_SUM, sorted, {0, 1});
    const Tensor turned = make(rondo_copy, transpose(sorted, {1, 0}));
    into(x[0], rondo_binary, RONDO_ADD, transpose(turned, {1, 0}), make(rondo_binary, RONDO_MUL, x[0], sum));
  });
  expect_captured(graph.get());
  const Graph chain = compare({values({40, 96}, 2)}, [](const std::vector<Tensor>& x) {
    const Tensor sums = make(rondo_cumulative, RONDO_SUM, x[0], 1, 0);
    const Tensor sorted = make(rondo_sort, make(rondo_softmax, make(rondo_unary, RONDO_TANH, sums), 1), 1, 1);
    into(x[0], rondo_copy, make(rondo_layer_norm, sorted, 1, nullptr, nullptr, 1e-5));
  });
  EXPECT_GE(graph_info(chain.get()).nodes, on_cuda() ? 6 : 0);
  expect_all_programmatic(chain.get());
}

// Many blocks, few blocks, one: the next kernel starts when all blocks have begun, whatever they are still about.
TEST_P(Programmatic, LargeAndSmallKernelsFollowEachOther) {
  const Graph graph = compare({values({70000}, 3)}, [](const std::vector<Tensor>& x) {
    const Tensor bent = make(rondo_binary_scalar, RONDO_MUL, x[0], 0.5);
    const Tensor sum = reduce(RONDO_MAX, bent, {0});
    into(x[0], rondo_binary, RONDO_SUB, bent, make(rondo_unary, RONDO_TANH, sum));
  });
  expect_all_programmatic(graph.get());
}

// Two arms of two kernels. The first kernel of the arm on the other branch, and the last of all, wait as ever.
TEST_P(Programmatic, ForksAndJoinsHaveFullEdges) {
  const Graph graph = compare({values({300}, 4)}, [](const std::vector<Tensor>& x) {
    const Tensor fork = make(rondo_unary, RONDO_TANH, x[0]);
    const Tensor a = make(rondo_unary, RONDO_NEG, make(rondo_binary_scalar, RONDO_ADD, fork, 1.0));
    const Tensor b = make(rondo_unary, RONDO_ABS, make(rondo_binary_scalar, RONDO_MUL, fork, 3.0));
    into(x[0], rondo_binary, RONDO_MUL, a, b);
  });
  expect_captured(graph.get());
  const rondo_graph_info info = graph_info(graph.get());
  if (on_cuda()) {
    EXPECT_EQ(info.nodes, 6);
    EXPECT_EQ(info.edges, 6);
    EXPECT_EQ(info.branches, 2);
  }
  expect_programmatic(graph.get(), 3);
}

// Eight chains side by side, which meet in the end.
TEST_P(Programmatic, EachBranchIsAChain) {
  std::vector<Array> arrays;
  for (uint32_t i = 0; i < 8; ++i) arrays.push_back(values({257}, 10 + i));
  const Graph graph = compare(arrays, [](const std::vector<Tensor>& x) {
    for (int k = 0; k < 6; ++k)
      for (const Tensor& each : x) into(each, rondo_binary_scalar, k % 2 ? RONDO_ADD : RONDO_MUL, each, 0.75);
  });
  expect_captured(graph.get());
  const rondo_graph_info info = graph_info(graph.get());
  if (on_cuda()) {
    EXPECT_EQ(info.nodes, 48);
    EXPECT_EQ(info.branches, 8);
  }
  expect_programmatic(graph.get(), 40);
}

// The third kernel writes what the first one reads, which is not the one that it follows.
TEST_P(Programmatic, WriteAfterReadOfAnEarlierKernel) {
  const Graph graph =
      compare({values({3000}, 5), values({3000}, 6), values({3000}, 7)}, [](const std::vector<Tensor>& x) {
        into(x[1], rondo_binary_scalar, RONDO_ADD, x[0], 1.0);
        into(x[2], rondo_cumulative, RONDO_SUM, x[1], 0, 0);
        into(x[0], rondo_binary_scalar, RONDO_MUL, x[2], 0.125);
        into(x[1], rondo_unary, RONDO_NEG, x[0]);
        into(x[2], rondo_unary, RONDO_TANH, x[1]);
      });
  expect_all_programmatic(graph.get());
}

// What the arena gives to one temporary after another is written by one kernel while the one before still reads it.
TEST_P(Programmatic, TemporariesShareMemory) {
  const Graph graph = compare({values({5000}, 8)}, [](const std::vector<Tensor>& x) {
    Tensor last = make(rondo_unary, RONDO_TANH, x[0]);
    for (int i = 0; i < 20; ++i) last = make(rondo_binary_scalar, i % 2 ? RONDO_ADD : RONDO_MUL, last, 0.5);
    into(x[0], rondo_copy, last);
  });
  const rondo_graph_info info = graph_info(graph.get());
  EXPECT_LT(info.arena_bytes, info.temporary_bytes) << graph_report(graph.get());
  expect_all_programmatic(graph.get());
}

// Copies and fills of user tasks are no kernels of ours, nor is what follows them launched early.
TEST_P(Programmatic, OthersWorkInBetweenHasFullEdges) {
  if (!on_cuda()) GTEST_SKIP() << "the cpu has no streams";
  std::string missing;
  const Driver& table = driver(&missing);
  if (!table.copy) GTEST_SKIP() << missing;
  rondo_task_options with = task_options("copy", device());
  const Task copy = [&table](rondo_task_context* context) {
    void *from = nullptr, *to = nullptr;
    must(rondo_task_operand(context, 0, &from, nullptr));
    must(rondo_task_operand(context, 1, &to, nullptr));
    return table.copy(reinterpret_cast<uintptr_t>(to), reinterpret_cast<uintptr_t>(from), 3000 * sizeof(float),
                      rondo_task_stream(context)) == 0
               ? RONDO_OK
               : RONDO_DEVICE_ERROR;
  };
  const Graph graph = compare({values({3000}, 9), values({3000}, 10)}, [&](const std::vector<Tensor>& x) {
    into(x[0], rondo_binary_scalar, RONDO_MUL, x[0], 0.5);
    into(x[0], rondo_binary_scalar, RONDO_ADD, x[0], 1.0);
    must(push_tensors(engine(), copy, {x[0]}, {x[1]}, &with));
    into(x[1], rondo_binary_scalar, RONDO_MUL, x[1], 3.0);
    into(x[0], rondo_binary, RONDO_SUB, x[1], x[0]);
  });
  expect_captured(graph.get());
  EXPECT_EQ(graph_info(graph.get()).nodes, 5);
  EXPECT_EQ(graph_info(graph.get()).edges, 4);
  expect_programmatic(graph.get(), 2);
}

// A kernel of the user's does not wait; so neither is it launched early, nor what follows it.
TEST_P(Programmatic, KernelsOfTheUsersHaveFullEdges) {
  if (!on_cuda()) GTEST_SKIP() << "the cpu has no modules";
  rondo_module* made = nullptr;
  must(rondo_module_create(engine(), device(),
                           "extern \"C\" __global__ void add_one(float* y, int n) {\n"
                           "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  if (i < n) y[i] += 1;\n}\n",
                           "add_one(float* y, int n)", nullptr, &made));
  const std::unique_ptr<rondo_module, decltype(&rondo_module_destroy)> module(made, rondo_module_destroy);
  const Graph graph = compare({values({1000}, 11)}, [&](const std::vector<Tensor>& x) {
    into(x[0], rondo_binary_scalar, RONDO_MUL, x[0], 0.5);
    const rondo_argument arguments[] = {RONDO_TENSOR("y", x[0]), RONDO_INTEGER("n", 1000)};
    rondo_launch_options options = RONDO_LAUNCH_OPTIONS_INIT;
    options.grid_x = 4;
    options.block_x = 256;
    must(rondo_module_launch(module.get(), "add_one", 2, arguments, &options));
    into(x[0], rondo_binary_scalar, RONDO_MUL, x[0], 3.0);
    into(x[0], rondo_unary, RONDO_TANH, x[0]);
  });
  expect_captured(graph.get());
  EXPECT_EQ(graph_info(graph.get()).nodes, 4);
  expect_programmatic(graph.get(), 1);
}

// The kernel that moves the sequence of random numbers on comes after all of the graph.
TEST_P(Programmatic, RandomNumbersMoveOnBehindAll) {
  must(rondo_engine_seed(engine(), 7));
  Tensor recorded;
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.flags = RONDO_RECORD_AS_WRITTEN;
  const int64_t n = 900;
  const auto body = [&] {
    return make(rondo_unary, RONDO_NEG, make(rondo_random_uniform, engine(), device(), RONDO_F32, 1, &n, 0.0, 1.0));
  };
  const Graph graph = record(
      engine(), [&] { recorded = body(); }, &options);
  must(rondo_engine_seed(engine(), 7));
  std::vector<Array> expected;
  for (int i = 0; i < 3; ++i) expected.push_back(download(body()));
  must(rondo_engine_seed(engine(), 7));
  for (const Array& each : expected) {
    must(rondo_graph_launch(graph.get()));
    expect_same_bits(download(recorded), each, "the sequence");
  }
  expect_programmatic(graph.get(), 1);
}

// A section that is off is no kernel to wait for, so both of its sides have full edges.
TEST_P(Programmatic, SectionsHaveFullEdges) {
  const Tensor x = up(full(RONDO_F32, {1000}, 1));
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.flags = RONDO_RECORD_AS_WRITTEN;
  const Graph graph = record(
      engine(),
      [&] {
        into(x, rondo_binary_scalar, RONDO_MUL, x, 2.0);
        must(rondo_record_section_begin(engine(), "more", 1));
        into(x, rondo_binary_scalar, RONDO_ADD, x, 100.0);
        must(rondo_record_section_end(engine()));
        into(x, rondo_binary_scalar, RONDO_ADD, x, 1.0);
        into(x, rondo_binary_scalar, RONDO_SUB, x, 0.5);
      },
      &options);
  expect_captured(graph.get());
  expect_programmatic(graph.get(), 1);
  double expected = 1;
  for (const int on : {1, 0, 0, 1, 0}) {
    must(rondo_graph_enable(graph.get(), "more", on));
    must(rondo_graph_launch(graph.get()));
    expected = expected * 2 + (on ? 100 : 0) + 0.5;
  }
  expect_same_bits(download(x), full(RONDO_F32, {1000}, expected), "switched");
}

TEST_P(Programmatic, ParametersOfEachLaunchAreItsOwn) {
  const Tensor x = up(full(RONDO_F32, {1000}, 0));
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.flags = RONDO_RECORD_AS_WRITTEN;
  const Graph graph = record(
      engine(),
      [&] {
        const Tensor step = make(rondo_record_parameter, engine(), "step", device(), RONDO_F32, 1.0);
        into(x, rondo_binary, RONDO_ADD, x, make(rondo_binary_scalar, RONDO_MUL, step, 2.0));
      },
      &options);
  expect_all_programmatic(graph.get());
  double expected = 0;
  for (int i = 1; i <= 20; ++i) {
    must(rondo_graph_set(graph.get(), "step", i));
    must(rondo_graph_launch(graph.get()));
    expected += 2 * i;
  }
  expect_same_bits(download(x), full(RONDO_F32, {1000}, expected), "the sum of all steps");
}

// Kernels at both ends of the chain are given other addresses in each call.
TEST_P(Programmatic, CallsWithOtherTensors) {
  const auto body = [](const std::vector<Tensor>& x) {
    const Tensor sums = make(rondo_cumulative, RONDO_SUM, x[0], 1, 0);
    return list(make(rondo_cumulative, RONDO_MAX, make(rondo_softmax, sums, 1), 0, 0));
  };
  const Callable graph = callable({{RONDO_F32, {6, 96}}}, body);
  expect_all_programmatic(graph.get());
  const rondo_graph_info info = graph_info(graph.get());
  EXPECT_EQ(info.call_kernels, on_cuda() ? 2 : 0) << graph_report(graph.get());
  std::vector<Tensor> given, answers;
  std::vector<std::vector<Tensor>> expected;
  for (uint32_t i = 0; i < 6; ++i) {
    given.push_back(up(values({6, 96}, 20 + i)));
    expected.push_back(body(list(slice(given.back(), 0, 0, 6))));
  }
  for (const Tensor& x : given) answers.push_back(call(graph, {x}));
  for (size_t i = 0; i < answers.size(); ++i)
    expect_same_bits(download(answers[i]), download(expected[i][0]), "call " + std::to_string(i));
}

// The last kernel of one launch and the first of the next one are of two graphs' launches: no edge joins them.
TEST_P(Programmatic, LaunchesDoNotOverlap) {
  const Tensor x = up(full(RONDO_F32, {2000}, 0)), y = up(full(RONDO_F32, {2000}, 0));
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.flags = RONDO_RECORD_AS_WRITTEN;
  const auto adding = [&](rondo_tensor* to, rondo_tensor* from) {
    return record(
        engine(),
        [&] {
          into(to, rondo_binary_scalar, RONDO_ADD, from, 1.0);
          into(to, rondo_binary_scalar, RONDO_MUL, to, 1.0);
        },
        &options);
  };
  const Graph there = adding(y, x), back = adding(x, y);
  for (int i = 0; i < 50; ++i) {
    must(rondo_graph_launch(there.get()));
    must(rondo_graph_launch(back.get()));
    if (i % 5 == 0) must(rondo_graph_launch(there.get()));
  }
  expect_same_bits(download(x), full(RONDO_F32, {2000}, 100), "there and back");
  expect_all_programmatic(there.get());
}

TEST_P(Programmatic, SettingSwitchesThemOff) {
  const Body body = [](const std::vector<Tensor>& x) {
    for (int i = 0; i < 4; ++i) into(x[0], rondo_binary_scalar, RONDO_ADD, x[0], 0.3);
  };
  const auto made = [&](const char* value) {
    const Setting edges("RONDO_GRAPH_PROGRAMMATIC", value);
    return compare({values({500}, 12)}, body);
  };
  const Graph off = made("off"), on = made("on");
  EXPECT_EQ(graph_info(off.get()).nodes, on_cuda() ? 4 : 0);
  EXPECT_EQ(graph_info(off.get()).programmatic, 0) << graph_report(off.get());
  EXPECT_EQ(graph_report(off.get()).find("programmatic"), std::string::npos) << graph_report(off.get());
  expect_programmatic(on.get(), 3);
}

// Products read their weights before they wait, unless a task before them writes these.
class EarlyProducts : public OnCalls {
 protected:
  using Body = std::function<void(const std::vector<Tensor>&)>;
  using Control = long long (*)(const char*, const char*);

  // Kernels that read before their wait, so far; -1 where that is not the simulated driver's to say.
  static long long early_readers() {
    std::string missing;
    const auto control = reinterpret_cast<Control>(driver_entry("simcuda_control", &missing));
    return control ? control("early-readers", nullptr) : -1;
  }
  // A product by weights whose columns are next to each other, or whose rows are.
  static Tensor multiplied(rondo_tensor* x, rondo_tensor* weights, bool columns = true) {
    rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
    options.transpose_b = columns;
    options.activation = RONDO_ACTIVATION_RELU;  // so that no library takes it
    return make(rondo_matmul, x, weights, &options);
  }
  Array values(const Shape& shape, uint32_t seed) const { return random_array(RONDO_F16, shape, seed, -0.25, 0.25); }

  // The body, recorded as it is written and launched as often as it is called eagerly on copies. early: the products of
  // each launch that read before their wait.
  void compare(const std::vector<Array>& arrays, const Body& body, int early) const {
    constexpr int kTimes = 3;
    std::vector<Tensor> eager, recorded;
    for (const Array& each : arrays) eager.push_back(up(each)), recorded.push_back(up(each));
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = RONDO_RECORD_AS_WRITTEN;
    Graph graph = record(
        engine(), [&] { body(recorded); }, &options);
    for (int i = 0; i < kTimes; ++i) body(eager);
    must(rondo_engine_wait_all(engine()));
    const long long before = early_readers();
    for (int i = 0; i < kTimes; ++i) must(rondo_graph_launch(graph.get()));
    for (size_t i = 0; i < arrays.size(); ++i)
      expect_same_bits(download(recorded[i]), download(eager[i]), "tensor " + std::to_string(i));
    if (on_cuda() && before >= 0 && has_feature()) {
      EXPECT_EQ(early_readers() - before, kTimes * early) << graph_report(graph.get());
    }
  }
};
CONFORMANCE_ENGINE_SUITE(EarlyProducts);

// The first product follows an addition, the second one the first.
TEST_P(EarlyProducts, WeightsAreReadBeforeTheWait) {
  for (const int64_t rows : {3, 12, 40}) {
    for (const bool columns : {true, false}) {
      SCOPED_TRACE(rows);
      compare(
          {values({rows, 96}, 1), values({96, 96}, 2), values({96, 96}, 3)},
          [columns](const std::vector<Tensor>& x) {
            into(x[0], rondo_binary_scalar, RONDO_MUL, x[0], 0.5);
            const Tensor hidden = multiplied(x[0], x[1], columns);
            into(x[0], rondo_binary, RONDO_ADD, x[0], multiplied(hidden, x[2], columns));
          },
          2);
    }
  }
}

TEST_P(EarlyProducts, WeightsWrittenBeforeAreWaitedFor) {
  for (const int64_t rows : {3, 40}) {
    SCOPED_TRACE(rows);
    compare(
        {values({rows, 96}, 4), values({96, 96}, 5), values({96, 96}, 6)},
        [](const std::vector<Tensor>& x) {
          into(x[1], rondo_binary_scalar, RONDO_MUL, x[1], 0.75);
          const Tensor hidden = multiplied(x[0], x[1]);
          into(x[0], rondo_binary, RONDO_ADD, x[0], multiplied(hidden, x[2]));
        },
        rows > 16 ? 2 : 1);  // tiles read the left side early too, which nothing has written
  }
}

// The weights are changed behind the products that read them: by the launch before, which has ended.
TEST_P(EarlyProducts, WeightsWrittenBehindAreRead) {
  compare(
      {values({40, 96}, 7), values({96, 96}, 8)},
      [](const std::vector<Tensor>& x) {
        into(x[0], rondo_binary_scalar, RONDO_MUL, x[0], 0.5);
        into(x[0], rondo_binary, RONDO_ADD, x[0], multiplied(x[0], x[1]));
        into(x[1], rondo_binary_scalar, RONDO_MUL, x[1], 0.875);
      },
      1);
}

// Two steps in one recording: the second one's weights are written by the first.
TEST_P(EarlyProducts, WeightsOfTheStepBeforeAreWaitedFor) {
  compare(
      {values({3, 96}, 9), values({96, 96}, 10)},
      [](const std::vector<Tensor>& x) {
        for (int step = 0; step < 2; ++step) {
          into(x[0], rondo_binary_scalar, RONDO_MUL, x[0], 0.5);
          into(x[0], rondo_binary, RONDO_ADD, x[0], multiplied(x[0], x[1]));
          into(x[1], rondo_binary_scalar, RONDO_MUL, x[1], 0.875);
        }
      },
      1);
}

// A call may bring other weights each time, at addresses of the caller's.
TEST_P(EarlyProducts, WeightsOfACallAreWaitedFor) {
  const auto body = [](const std::vector<Tensor>& x) {
    return list(multiplied(make(rondo_binary_scalar, RONDO_MUL, x[0], 0.5), x[1]));
  };
  const Callable graph = callable({{RONDO_F16, {3, 96}}, {RONDO_F16, {64, 96}}}, body);
  for (uint32_t i = 0; i < 3; ++i) {
    const Tensor x = up(values({3, 96}, 20 + i)), weights = up(values({64, 96}, 30 + i));
    const long long before = early_readers();
    const Tensor answer = call(graph, {x, weights});
    expect_same_bits(download(answer), download(body(list(slice(x, 0, 0, 3), slice(weights, 0, 0, 64)))[0]), "a call");
    EXPECT_EQ(early_readers(), before);
  }
}

}  // namespace
}  // namespace conformance
