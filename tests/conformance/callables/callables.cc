// Callables: recorded once per signature, found again, let go of, filled up, run eagerly where they cannot be recorded.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "callables/callables.h"

namespace conformance {
namespace {

class Callables : public OnCallables {
 protected:
  int64_t memory() const {
    must(rondo_engine_wait_all(engine()));
    rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
    must(rondo_memory_query(engine(), device(), &info));
    return info.in_use;
  }
};
CONFORMANCE_ENGINE_SUITE(Callables);

TEST_P(Callables, RecordOncePerSignature) {
  const rondo_callable_options options = named("line");
  const Called line(engine(), 1, OnCallables::line, &options);
  for (int i = 0; i < 4; ++i) {
    const Tensor x = ones(7, i), wide = up(full(RONDO_F32, {2, 3}, i));
    expect_all(line({x}), 2 * i + 1);
    expect_all(line({wide}), 2 * i + 1);
  }
  EXPECT_EQ(line.runs(), 2);
  const rondo_callable_info info = line.info();
  EXPECT_EQ(info.signatures, 2);
  EXPECT_EQ(info.calls, 8);
  EXPECT_EQ(info.recordings, 2);
  EXPECT_EQ(info.hits, 6);
  EXPECT_EQ(info.fallbacks, 0);
  EXPECT_EQ(info.evictions, 0);
  EXPECT_GT(info.bytes, 0);
  EXPECT_EQ(info.limit_bytes, 256 << 20);
  const std::string report = line.report(), place = on_cuda() ? "cuda:0" : "cpu:0";
  for (const std::string& part : {std::string("callable 'line': 2 signatures"), "f32 [7] on " + place + ": 4 calls",
                                  "f32 [2, 3] on " + place + ": 4 calls"})
    EXPECT_NE(report.find(part), std::string::npos) << part << " in " << report;
  must(rondo_callable_clear(line));
  EXPECT_EQ(line.info().signatures, 0);
  const Tensor x = ones(7, 5);
  expect_all(line({x}), 11);
  EXPECT_EQ(line.runs(), 3);
}

TEST_P(Callables, TakeAnyStridesWithEagerBits) {
  const auto body = [](const Inputs& x, Outputs* y) {
    y->push_back(reduce(RONDO_SUM, x[0], {1}));
    y->push_back(make(rondo_unary, RONDO_EXP, x[0]));
    return RONDO_OK;
  };
  const Called called(engine(), 2, body);
  const Tensor base = up(random_array(RONDO_F32, {6, 5, 8}, 3, -1, 1));
  std::vector<Tensor> given;
  given.push_back(transpose(base, {2, 0, 1}));  // all of it in another order: as it is
  given.push_back(transpose(base, {0, 2, 1}));
  given.push_back(slice(base, 2, 0, 8, 2));  // not all of it: a copy
  given.push_back(slice(base, 0, 1, 4));     // a part that may begin anywhere
  given.push_back(broadcast(slice(base, 0, 0, 1), {4, 5, 8}));
  given.push_back(up(full(RONDO_F32, {0, 3, 2}, 1)));
  for (const Tensor& x : given) {
    std::vector<Tensor> eager;
    must(body({x}, &eager));
    for (int again = 0; again < 2; ++again) {
      const std::vector<Tensor> got = called.all({x});
      for (size_t i = 0; i < 2; ++i)
        expect_same_bits(download(got[i]), download(eager[i]), "output " + std::to_string(i));
    }
  }
  EXPECT_EQ(called.runs(), static_cast<int>(given.size()));
}

TEST_P(Callables, UseOutsideTensorsAndGivenOutputs) {
  const Tensor w = ones(64, 2), counter = ones(64, 0);
  const Called called(engine(), 2, [&](const Inputs& x, Outputs* y) {
    into(counter, rondo_binary_scalar, RONDO_ADD, counter, 1.0);
    y->push_back(make(rondo_binary, RONDO_MUL, x[0], w));
    y->push_back(reshape(x[0], {8, 8}));  // a view of an input comes as a copy
    return RONDO_OK;
  });
  const Tensor x = ones(64, 3), y = ones(64, -1), z = up(full(RONDO_F32, {8, 8}, -1));
  expect_all(called({x}), 6);
  into(w, rondo_binary_scalar, RONDO_ADD, w, 1.0);
  rondo_tensor *in = x, *out[] = {y, z};
  must(rondo_callable_call(called, 1, &in, 2, out));
  EXPECT_EQ(out[0], static_cast<rondo_tensor*>(y));
  expect_all(y, 9);
  expect_all(z, 3);
  expect_all(counter, 2);
  EXPECT_EQ(called.runs(), 1);
}

TEST_P(Callables, LetGoOfWhatWasNotCalledForLongest) {
  rondo_callable_options options = named("small");
  const auto body = [](const Inputs& x, Outputs* y) {
    const Tensor t = make(rondo_unary, RONDO_EXP, reduce(RONDO_SUM, x[0], {0}, true));
    y->push_back(make(rondo_binary, RONDO_ADD, x[0], t));
    return RONDO_OK;
  };
  int64_t each = 0;
  {
    const Called once(engine(), 1, body);
    const Tensor x = ones(1000);
    once({x});
    each = once.info().bytes;
  }
  options.limit_bytes = 3 * each + each / 2;
  const Called called(engine(), 1, body, &options);
  const auto call = [&](int64_t n) {
    const Tensor x = ones(n, 0);
    return called({x});
  };
  const std::vector<int64_t> order = {1000, 1001, 1002, 1000, 1003, 1000, 1002, 1001};
  std::vector<Tensor> answers;
  for (const int64_t n : order) answers.push_back(call(n));
  // 1003 took the place of 1001, which then took that of 1003.
  EXPECT_EQ(called.info().recordings, 5) << called.report();
  EXPECT_EQ(called.info().evictions, 2) << called.report();
  EXPECT_EQ(called.info().signatures, 3);
  EXPECT_LE(called.info().bytes, options.limit_bytes);
  for (const Tensor& answer : answers) expect_all(answer, 1);
  // One that is too large by itself stays until another is called.
  options.limit_bytes = 1;
  const Called tiny(engine(), 1, body, &options);
  const Tensor x = ones(1000, 0);
  for (int i = 0; i < 3; ++i) expect_all(tiny({x}), 1);
  EXPECT_EQ(tiny.runs(), 1);
}

TEST_P(Callables, TenThousandShapesEndWithFlatMemory) {
  rondo_callable_options options = named("shapes");
  options.limit_bytes = on_cuda() ? 128 << 10 : 256 << 10;
  // Elementwise where each shape of a reduction costs a compile.
  const Called called(
      engine(), 1,
      [&](const Inputs& x, Outputs* y) {
        if (on_cuda()) return line(x, y);
        const Tensor sum = reduce(RONDO_SUM, x[0], {1}, true);
        y->push_back(make(rondo_binary, RONDO_SUB, x[0], sum));
        return RONDO_OK;
      },
      &options);
  const int shapes = on_cuda() ? 100 : naive() ? 10000 : 1000;
  std::mt19937 bits(static_cast<uint32_t>(share()) + 5);
  int64_t after_a_tenth = 0, most = 0;
  for (int i = 0; i < shapes; ++i) {
    const Shape shape = {1 + static_cast<int64_t>(bits() % 100), 1 + static_cast<int64_t>(bits() % 100)};
    const Tensor x = up(full(RONDO_F32, shape, 1));
    const Tensor y = called({x});
    if (i % 50 == 0) expect_all(y, on_cuda() ? 3 : 1 - Real(shape[1]));
    EXPECT_LE(called.info().bytes, options.limit_bytes);
    if (i == shapes / 10) after_a_tenth = memory();
    if (i > shapes / 10 && i % 20 == 0) most = std::max(most, memory());
  }
  EXPECT_LE(most, after_a_tenth + (256 << 10));
  const rondo_callable_info info = called.info();
  EXPECT_EQ(info.recordings + info.hits, shapes);
  EXPECT_EQ(info.recordings, info.evictions + info.signatures);
  EXPECT_GT(info.evictions, shapes / 2);
}

TEST_P(Callables, ThreadsRecordOnceAndMixUpNothing) {
  const Called called(engine(), 1, OnCallables::line);
  from_threads(8, [&](int t) {
    for (int i = 0; i < 40; ++i) {
      const Real value = 100 * t + i;
      const Tensor x = up(full(RONDO_F32, {32 + i % 3}, value));
      const Array got = download(called({x}));
      for (size_t k = 0; k < got.size(); ++k) EXPECT_EQ(got[k], 2 * value + 1);
    }
  });
  EXPECT_EQ(called.runs(), 3);
  EXPECT_EQ(called.info().hits, 8 * 40 - 3);
}

TEST_P(Callables, ThreadsGoOnWhileGraphsGo) {
  rondo_callable_options options = named("going");
  options.limit_bytes = 1;
  const Called called(engine(), 1, OnCallables::line, &options);
  from_threads(4, [&](int t) {
    for (int i = 0; i < 25; ++i) {
      const Real value = 100 * t + i;
      const Tensor x = up(full(RONDO_F32, {16 + (t + i) % 4}, value));
      const Array got = download(called({x}));
      for (size_t k = 0; k < got.size(); ++k) EXPECT_EQ(got[k], 2 * value + 1);
      if (i % 10 == 0) must(rondo_callable_clear(called));
    }
  });
  EXPECT_GT(called.info().evictions, 0);
}

TEST_P(Callables, AreOperatorsInARecording) {
  const Called line(engine(), 1, OnCallables::line);
  // One in the other as well.
  const Called outer(engine(), 1, [&](const Inputs& x, Outputs* y) {
    y->push_back(line({x[0]}));
    return RONDO_OK;
  });
  const Tensor x = ones(9, 1);
  Tensor y;
  const Graph graph = record(engine(), [&] { y = line({line({x})}); });
  EXPECT_EQ(line.runs(), 2);
  EXPECT_EQ(line.info().signatures, 0);
  must(rondo_graph_launch(graph.get()));
  expect_all(y, 7);
  expect_all(outer({x}), 3);
  EXPECT_EQ(line.runs(), 3);
  EXPECT_EQ(line.info().recordings, 0);
  EXPECT_EQ(outer.info().recordings, 1);
}

TEST_P(Callables, FallBackWithTheReason) {
  // It waits for what it has made, which a recording refuses.
  const auto body = [](const Inputs& x, Outputs* y) {
    Tensor sum = reduce(RONDO_SUM, x[0], {});
    if (const rondo_status status = rondo_tensor_wait(sum); status != RONDO_OK) return status;
    y->push_back(std::move(sum));
    return RONDO_OK;
  };
  const Tensor x = ones(9, 2);
  rondo_callable_options options = named("waits");
  const Called strict(engine(), 1, body, &options);
  rondo_tensor *in = x, *out = nullptr;
  expect_refused(rondo_callable_call(strict, 1, &in, 1, &out), RONDO_INVALID_STATE, "rondo_callable_call", "waits");
  EXPECT_EQ(out, nullptr);
  EXPECT_EQ(strict.info().signatures, 0);
  options.flags = RONDO_CALLABLE_FALL_BACK;
  const Called called(engine(), 1, body, &options);
  for (int i = 0; i < 3; ++i) expect_all(called({x}), 18);
  EXPECT_EQ(called.runs(), 4) << "once in a recording, three times eagerly";
  EXPECT_EQ(called.info().fallbacks, 3);
  EXPECT_EQ(called.info().recordings, 0);
  const std::string report = called.report();
  for (const char* part : {"run eagerly: the function of callable 'waits' returned RONDO_INVALID_STATE: "
                           "rondo_tensor_wait",
                           "last fallback: the function of callable 'waits'"})
    EXPECT_NE(report.find(part), std::string::npos) << part << " in " << report;
}

TEST_P(Callables, FillUpAnAxisAndCutItBack) {
  rondo_callable_options options = named("filled");
  options.pad_sizes[0] = 4, options.pad_sizes[1] = 8, options.pad_sizes[2] = 16;
  const auto body = [](const Inputs& x, Outputs* y) {
    y->push_back(make(rondo_binary, RONDO_MUL, x[0], x[1]));
    y->push_back(reduce(RONDO_SUM, x[0], {0}));
    return RONDO_OK;
  };
  const Called called(engine(), 2, body, &options);
  for (int64_t n = 1; n <= 20; ++n) {
    const Tensor x = up(random_array(RONDO_F32, {n, 3}, static_cast<uint32_t>(n), -1, 1)),
                 w = up(full(RONDO_F32, {n, 1}, 2));
    std::vector<Tensor> eager;
    must(body({x, w}, &eager));
    const std::vector<Tensor> got = called.all({x, w});
    expect_same_bits(download(got[0]), download(eager[0]), "cut back");
    if (n == 4 || n > 16) expect_same_bits(download(got[1]), download(eager[1]), "nothing was filled up");
    EXPECT_EQ(query(got[1]).shape[0], 3);
  }
  EXPECT_EQ(called.info().recordings, 3 + 4);

  // Along another axis, of one of the inputs, into what is given.
  options.pad_axis = 1;
  options.pad_inputs = 1;
  options.pad_outputs = 1;
  const Called across(
      engine(), 1,
      [](const Inputs& x, Outputs* y) {
        y->push_back(make(rondo_binary, RONDO_ADD, x[0], x[1]));
        return RONDO_OK;
      },
      &options);
  const Tensor x = up(full(RONDO_F32, {2, 3}, 1)), b = up(full(RONDO_F32, {2, 1}, 4)),
               y = up(full(RONDO_F32, {2, 3}, -1));
  rondo_tensor *in[] = {x, b}, *out = y;
  must(rondo_callable_call(across, 2, in, 1, &out));
  expect_all(y, 5);
}

TEST_P(Callables, DrawTheNumbersOfEagerCalls) {
  const auto body = [](const Inputs& x, Outputs* y) {
    Tensor mask;
    Tensor dropped;
    must(rondo_dropout(x[0], 0.5, dropped.slot(), mask.slot()));
    y->push_back(std::move(dropped));
    return RONDO_OK;
  };
  const Called called(engine(), 1, body);
  const Tensor x = ones(500);
  std::vector<Array> eager, graphs;
  must(rondo_engine_seed(engine(), 7));
  for (int i = 0; i < 3; ++i) {
    std::vector<Tensor> y;
    must(body({x}, &y));
    eager.push_back(download(y[0]));
  }
  must(rondo_engine_seed(engine(), 7));
  for (int i = 0; i < 3; ++i) graphs.push_back(download(called({x})));
  for (size_t i = 0; i < 3; ++i) expect_same_bits(graphs[i], eager[i], "call " + std::to_string(i));
}

}  // namespace
}  // namespace conformance
