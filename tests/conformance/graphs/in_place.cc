// Results that take over the memory of an operand nobody needs any more: less memory, the bits of eager calls.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graphs/recording.h"

namespace conformance {
namespace {

constexpr int64_t kSide = 96;
constexpr int64_t kBlock = kSide * kSide * 4;

class InPlace : public OnRecording {
 protected:
  // Each operator is a task of its own.
  Graph record_apart(const std::function<void()>& body) const {
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = RONDO_RECORD_AS_WRITTEN;
    return record(engine(), body, &options);
  }
  Tensor random(uint64_t seed) const { return up(random_array(RONDO_F32, {kSide, kSide}, seed, -1, 1)); }
  static Tensor sum(const Tensor& x) { return make(rondo_cumulative, RONDO_SUM, x, 0, 0); }
  static Tensor tanh(const Tensor& x) { return make(rondo_unary, RONDO_TANH, x); }
  void expect_in_place(const Graph& graph, int results) const {
    const std::string report = graph_report(graph.get());
    EXPECT_NE(report.find(", " + std::to_string(results) + " of them in an operand's place"), std::string::npos)
        << report;
  }
  // Launches it three times, and compares.
  void expect_bits(const Graph& graph, const Tensor& out, const Tensor& eager) const {
    for (int i = 0; i < 3; ++i) must(rondo_graph_launch(graph.get()));
    expect_same_bits(download(out), download(eager), "out");
  }
};
CONFORMANCE_ENGINE_SUITE(InPlace);

TEST_P(InPlace, ChainOfTemporariesTakesOneBlock) {
  const Tensor x = random(1);
  const auto body = [&] { return sum(tanh(tanh(tanh(sum(x))))); };
  const Tensor eager = body();
  Tensor out;
  const Graph graph = record_apart([&] { out = body(); });
  expect_captured(graph.get());
  expect_in_place(graph, 3);
  const rondo_graph_info info = graph_info(graph.get());
  EXPECT_GE(info.temporary_bytes, 4 * kBlock);
  EXPECT_LT(info.arena_bytes, 2 * kBlock);
  expect_bits(graph, out, eager);
}

TEST_P(InPlace, OperandThatIsReadLaterIsKept) {
  const Tensor x = random(2);
  const auto body = [&] {
    const Tensor a = sum(x), b = tanh(a);
    return sum(make(rondo_binary, RONDO_SUB, a, sum(b)));
  };
  const Tensor eager = body();
  Tensor out;
  const Graph graph = record_apart([&] { out = body(); });
  expect_in_place(graph, 1);  // the difference; b not
  expect_bits(graph, out, eager);
}

TEST_P(InPlace, OperandThatAnotherBranchReadsIsKept) {
  const Tensor x = random(3);
  const auto body = [&] {
    const Tensor a = sum(x), beside = sum(a);
    Tensor chain = tanh(a);
    for (int i = 0; i < 3; ++i) chain = sum(chain);
    return sum(make(rondo_binary, RONDO_ADD, beside, chain));
  };
  const Tensor eager = body();
  Tensor out;
  const Graph graph = record_apart([&] { out = body(); });
  expect_captured(graph.get());
  if (on_cuda()) expect_in_place(graph, 1);  // the sum
  expect_bits(graph, out, eager);
}

TEST_P(InPlace, OperandThatLiesOtherwiseIsKept) {
  const Tensor x = random(4);
  const auto body = [&] {
    const Tensor a = sum(x);
    return sum(make(rondo_binary, RONDO_ADD, a, transpose(a, {1, 0})));
  };
  const Tensor eager = body();
  Tensor out;
  const Graph graph = record_apart([&] { out = body(); });
  expect_in_place(graph, 0);
  expect_bits(graph, out, eager);
}

TEST_P(InPlace, OperandOfAnotherSizeIsKept) {
  const Tensor x = random(5);
  const auto body = [&] {
    const Tensor a = sum(x);
    return sum(make(rondo_cast, make(rondo_cast, a, RONDO_F64), RONDO_F32));
  };
  const Tensor eager = body();
  Tensor out;
  const Graph graph = record_apart([&] { out = body(); });
  expect_in_place(graph, 0);
  expect_bits(graph, out, eager);
}

TEST_P(InPlace, InputsAndOutputsAreKept) {
  const Tensor x = random(6), before = make(rondo_copy, x);
  Tensor a, b;
  const Graph graph = record_apart([&] {
    a = tanh(x);
    b = tanh(a);
  });
  expect_in_place(graph, 0);
  for (int i = 0; i < 2; ++i) must(rondo_graph_launch(graph.get()));
  expect_same_bits(download(x), download(before), "input");
  expect_same_bits(download(a), download(tanh(x)), "first output");
  expect_same_bits(download(b), download(tanh(tanh(x))), "second output");
}

}  // namespace
}  // namespace conformance
