// Products of few rows on the cpu, whose weights a graph packs once: the bits of eager calls, also after the weights
// were written, in every way there is.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "harness.h"

namespace conformance {
namespace {

class PackedWeights : public OnEngine {
 protected:
  void SetUp() override {
    OnEngine::SetUp();
    if (on_cuda()) GTEST_SKIP() << "the cpu's products alone pack weights";
  }
  Tensor random(const Shape& shape, uint64_t seed) const { return up(random_array(RONDO_F32, shape, seed, -1, 1)); }
  static Tensor product(const Tensor& a, const Tensor& w, bool turned = false) {
    rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
    options.transpose_b = turned;
    return make(rondo_matmul, a, w, &options);
  }
  static void expect_packed(const Graph& graph, int products) {
    const std::string report = graph_report(graph.get());
    const std::string said = products == 1
                                 ? "weights: 1 product reads packed copies of "
                                 : "weights: " + std::to_string(products) + " products read packed copies of ";
    EXPECT_EQ(report.find(products > 0 ? said : "weights: ") != std::string::npos, products > 0) << report;
  }
  // A launch gives what an eager call does.
  static void expect_bits(const Graph& graph, const Tensor& out, const Tensor& a, const Tensor& w, const char* when) {
    must(rondo_graph_launch(graph.get()));
    expect_same_bits(download(out), download(product(a, w)), when);
  }
};
CONFORMANCE_SUITE(PackedWeights);

TEST_P(PackedWeights, GraphsHaveTheBitsOfEagerCalls) {
  constexpr int64_t kColumns = 259, kDepth = 257;
  for (const bool turned : {false, true}) {
    const Tensor w = random(turned ? Shape{kColumns, kDepth} : Shape{kDepth, kColumns}, 1);
    for (const int64_t m : {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 65, 193, 256}) {
      const Tensor a = random({m, kDepth}, static_cast<uint64_t>(m));
      Tensor out;
      const Graph graph = record(engine(), [&] { out = product(a, w, turned); });
      expect_packed(graph, 1);
      const Array eager = download(product(a, w, turned));
      for (int i = 0; i < 2; ++i) {
        must(rondo_graph_launch(graph.get()));
        expect_same_bits(download(out), eager, std::to_string(m) + " rows");
      }
    }
  }
}

TEST_P(PackedWeights, WholeNumbersArePackedToo) {
  constexpr int64_t kColumns = 131, kDepth = 67;
  for (const rondo_dtype dtype : {RONDO_U8, RONDO_I8})
    for (const bool turned : {false, true}) {
      const double low = dtype == RONDO_U8 ? 0 : -128;
      const Tensor held = up(random_array(dtype, turned ? Shape{kColumns, kDepth} : Shape{kDepth, kColumns}, 1, low,
                                          low + 255)),
                   w = turned ? transpose(held, {1, 0}) : slice(held, 0, 0, kDepth);
      for (const int64_t m : {1, 5, 30}) {
        const Tensor a = up(random_array(RONDO_U8, {m, kDepth}, 2, 0, 255)),
                     a_zero = up(random_array(RONDO_U8, {m, 1}, 3, 0, 255)),
                     b_zero = up(random_array(dtype, {kColumns}, 4, 0, 127));
        const auto product = [&] { return make(rondo_matmul_integer, a, w, a_zero, b_zero); };
        Tensor out;
        const Graph graph = record(engine(), [&] { out = product(); });
        expect_packed(graph, 1);
        for (const char* when : {"as recorded", "again"}) {
          must(rondo_graph_launch(graph.get()));
          expect_same_bits(download(out), download(product()), when);
        }
        into(held, rondo_binary, RONDO_BIT_XOR, held, up(random_array(dtype, {1}, 5, 1, 127)));
        must(rondo_graph_launch(graph.get()));
        expect_same_bits(download(out), download(product()), "written by an operator");
      }
    }
}

TEST_P(PackedWeights, KernelsOfConvolutionsArePackedToo) {
  const Shape image = {2, 12, 11, 9};
  const Tensor bias = random({104}, 3);
  for (const int64_t groups : {1, 2}) {
    const Tensor x = random(image, 1), w = random({104, 12 / groups, 3, 3}, 2);
    const auto convolution = [&] {
      rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
      options.groups = static_cast<int32_t>(groups);
      options.padding[0] = options.padding_end[0] = 1;
      options.bias = bias;
      options.activation = RONDO_ACTIVATION_RELU;
      return make(rondo_convolution, x, w, &options);
    };
    Tensor out;
    const Graph graph = record(engine(), [&] { out = convolution(); });
    expect_packed(graph, 1);
    for (const char* when : {"as recorded", "again", "written by an operator", "and again"}) {
      must(rondo_graph_launch(graph.get()));
      expect_same_bits(download(out), download(convolution()), when);
      if (std::string(when) == "again") into(w, rondo_unary, RONDO_SQUARE, w);
    }
  }
}

// 98 and 49 kernels are cut into tiles differently with every instruction set.
TEST_P(PackedWeights, EachNumberOfGroupsHasItsOwnCopy) {
  const Tensor w = random({98, 6, 3, 3}, 1);
  std::vector<Graph> graphs;
  std::vector<Tensor> outs(2);
  std::vector<Array> eager;
  for (const int64_t groups : {1, 2}) {
    const Tensor x = random({1, 6 * groups, 7, 9}, 2);
    const auto convolution = [&] {
      rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
      options.groups = static_cast<int32_t>(groups);
      return make(rondo_convolution, x, w, &options);
    };
    graphs.push_back(record(engine(), [&] { outs[static_cast<size_t>(groups - 1)] = convolution(); }));
    expect_packed(graphs.back(), 1);
    eager.push_back(download(convolution()));
  }
  for (size_t i = 0; i < 2; ++i) {
    must(rondo_graph_launch(graphs[i].get()));
    expect_same_bits(download(outs[i]), eager[i], std::to_string(i + 1) + " groups");
  }
}

TEST_P(PackedWeights, EpiloguesHaveTheBitsOfSeparateCalls) {
  const Tensor a = random({21, 300}, 1), w = random({300, 259}, 2), bias = random({259}, 3), sum = random({21, 259}, 4);
  const Array plain = download(product(a, w));
  const auto after = [&] {
    rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
    options.bias = bias;
    options.activation = RONDO_ACTIVATION_RELU;
    return make(rondo_matmul, a, w, &options);
  };
  const Tensor apart = make(rondo_unary, RONDO_RELU, make(rondo_binary, RONDO_ADD, up(plain), bias)),
               added = make(rondo_binary, RONDO_ADD, sum, up(plain));
  expect_same_bits(download(after()), download(apart), "eager");
  Tensor out;
  const Graph graph = record(engine(), [&] {
    out = after();
    into(make(rondo_tensor_accumulator, sum), rondo_matmul, a, w, nullptr);
  });
  expect_packed(graph, 2);
  must(rondo_graph_launch(graph.get()));
  expect_same_bits(download(out), download(apart), "graph");
  expect_same_bits(download(sum), download(added), "added");
}

TEST_P(PackedWeights, WritesBetweenLaunchesAreSeen) {
  const Shape shape = {300, 272};
  const Tensor a = random({5, 300}, 1), w = random(shape, 2);
  Tensor out;
  const Graph graph = record(engine(), [&] { out = product(a, w); });
  expect_packed(graph, 1);
  expect_bits(graph, out, a, w, "as recorded");
  const std::vector<float> values(300 * 272, 0.75F);
  must(rondo_tensor_write(w, values.data(), values.size() * sizeof(float)));
  expect_bits(graph, out, a, w, "written from the host");
  into(w, rondo_unary, RONDO_EXP, w);
  expect_bits(graph, out, a, w, "written by an operator");
  const Tensor part = slice(w, 0, 7, 9);
  must(rondo_fill(part, 3.0));
  expect_bits(graph, out, a, w, "a part written");
  const Graph writer = record(engine(), [&] { into(w, rondo_unary, RONDO_SQRT, w); });
  must(rondo_graph_launch(writer.get()));
  expect_bits(graph, out, a, w, "written by a graph");
  void* address = nullptr;
  must(rondo_tensor_data(w, &address));
  must(rondo_tensor_wait(w));
  must(rondo_graph_launch(graph.get()));
  must(rondo_tensor_wait(out));
  std::memcpy(address, values.data(), values.size() * sizeof(float));
  expect_bits(graph, out, a, w, "written by its address");
}

TEST_P(PackedWeights, WeightsThatAGraphWritesAreNotPacked) {
  const Tensor a = random({4, 256}, 1), w = random({256, 256}, 2), twin = make(rondo_copy, w), one = random({1}, 3);
  Tensor out;
  const Graph graph = record(engine(), [&] {
    into(w, rondo_binary, RONDO_ADD, w, one);
    out = product(a, w);
  });
  expect_packed(graph, 0);
  for (int i = 0; i < 3; ++i) {
    into(twin, rondo_binary, RONDO_ADD, twin, one);
    must(rondo_graph_launch(graph.get()));
    expect_same_bits(download(out), download(product(a, twin)), "launch " + std::to_string(i));
  }
}

// The engine counts writes of a graph when all of it has run.
TEST_P(PackedWeights, GraphAroundThatWritesWeightsIsSeen) {
  const Tensor a = random({4, 256}, 1), w = random({256, 256}, 2), twin = make(rondo_copy, w), one = random({1}, 3);
  Tensor out;
  const Graph inner = record(engine(), [&] {
    // A task of the user's keeps it from becoming a part of the recording around.
    must(push_tensors(engine(), [](rondo_task_context*) { return RONDO_OK; }, {a}, {}));
    out = product(a, w);
  });
  expect_packed(inner, 1);
  expect_bits(inner, out, a, w, "alone");
  const Graph outer = record(engine(), [&] {
    into(w, rondo_binary, RONDO_ADD, w, one);
    must(rondo_graph_launch(inner.get()));
  });
  for (int i = 0; i < 3; ++i) {
    into(twin, rondo_binary, RONDO_ADD, twin, one);
    must(rondo_graph_launch(outer.get()));
    expect_same_bits(download(out), download(product(a, twin)), "launch " + std::to_string(i));
  }
}

TEST_P(PackedWeights, NoMemoryForACopyIsNoFailure) {
  const Tensor a = random({4, 1024}, 1), w = random({1024, 1024}, 2), eager = product(a, w);
  must(rondo_tensor_wait(eager));
  rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
  must(rondo_memory_query(engine(), kCpu, &info));
  must(rondo_memory_set_limit(engine(), kCpu, info.in_use + (int64_t{5} << 19)));
  Tensor out;
  const Graph graph = record(engine(), [&] { out = product(a, w); });
  expect_packed(graph, 0);
  EXPECT_NE(graph_report(graph.get()).find("its weights are packed in each run: "), std::string::npos);
  must(rondo_graph_launch(graph.get()));
  expect_same_bits(download(out), download(eager), "without a copy");
}

// A copy of k x n numbers has four of them in a unit, or two, a sum for each column, and the line that sums are made
// by.
TEST_P(PackedWeights, MemoryOfWholeNumbersIsAllCounted) {
  constexpr int64_t kColumns = 131, kDepth = 8192;
  const Tensor w = up(random_array(RONDO_I8, {kDepth, kColumns}, 1, -128, 127)),
               a = up(random_array(RONDO_U8, {3, kDepth}, 2, 0, 255)),
               eager = make(rondo_matmul_integer, a, w, nullptr, nullptr);
  must(rondo_tensor_wait(eager));
  const auto in_use = [this] {
    rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
    must(rondo_memory_query(engine(), kCpu, &info));
    return info.in_use;
  };
  const int64_t before = in_use();
  Tensor out;
  const Graph graph = record(engine(), [&] { out = make(rondo_matmul_integer, a, w, nullptr, nullptr); });
  expect_packed(graph, 1);
  const std::string report = graph_report(graph.get());
  const int64_t copy = std::atoll(report.c_str() + report.find("packed copies of ") + 17);
  const int64_t columns = (kColumns + 15) / 16 * 16, units = copy > 2 * kDepth * columns ? kDepth / 2 : kDepth / 4;
  EXPECT_EQ(copy, 4 * (columns * (units + 1) + units)) << report;
  EXPECT_GE(in_use() - before, copy);
  must(rondo_graph_launch(graph.get()));
  expect_same_bits(download(out), download(eager), "packed");
}

TEST_P(PackedWeights, NoMemoryForWholeNumbersIsNoFailure) {
  const Tensor w = up(random_array(RONDO_U8, {2048, 2048}, 1, 0, 255)),
               a = up(random_array(RONDO_I8, {4, 2048}, 2, -128, 127)), zero = up(full(RONDO_I8, {}, -3)),
               eager = make(rondo_matmul_integer, a, w, zero, nullptr);
  must(rondo_tensor_wait(eager));
  rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
  must(rondo_memory_query(engine(), kCpu, &info));
  must(rondo_memory_set_limit(engine(), kCpu, info.in_use + (int64_t{3} << 20)));
  Tensor out;
  const Graph graph = record(engine(), [&] { out = make(rondo_matmul_integer, a, w, zero, nullptr); });
  expect_packed(graph, 0);
  EXPECT_NE(graph_report(graph.get()).find("its weights are packed in each run: "), std::string::npos);
  must(rondo_graph_launch(graph.get()));
  expect_same_bits(download(out), download(eager), "without a copy");
}

TEST_P(PackedWeights, GraphsShareOneCopy) {
  const Tensor w = random({512, 512}, 1), a = random({3, 512}, 2), b = random({70, 512}, 3);
  const Setting most("RONDO_PACKED_WEIGHTS_MB", "1");
  Tensor out[3];
  const Graph first = record(engine(), [&] { out[0] = product(a, w); });
  const Graph second = record(engine(), [&] { out[1] = product(b, w); });
  expect_packed(first, 1);
  expect_packed(second, 1);
  const Tensor other = random({512, 512}, 4);
  const Graph third = record(engine(), [&] { out[2] = product(a, other); });
  expect_packed(third, 0);
  EXPECT_NE(graph_report(third.get()).find("RONDO_PACKED_WEIGHTS_MB"), std::string::npos);
  for (int i = 0; i < 2; ++i) {
    expect_bits(first, out[0], a, w, "first");
    expect_bits(second, out[1], b, w, "second");
    expect_bits(third, out[2], a, other, "third");
    into(w, rondo_unary, RONDO_SQUARE, w);
  }
}

}  // namespace
}  // namespace conformance
