// Attention against references in higher precision: layouts, masks, lengths, windows, shared heads, dropout, rows that
// see nothing; gradients against finite differences; memory that grows with the rows and not with their product.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "attention/attention.h"

namespace conformance {
namespace {

using Inputs = std::vector<Tensor>;

template <class... T>
Inputs together(T... tensors) {
  Inputs all;
  (all.push_back(std::move(tensors)), ...);
  return all;
}

class Attention : public OnTape {
 protected:
  // Tensors of the options, which live as long as they are used.
  struct Options {
    Tensor mask, query_lengths, key_lengths;
    rondo_attention_options options = RONDO_ATTENTION_OPTIONS_INIT;
  };
  Options options_of(const Problem& p, const Operands& of, rondo_device where) const {
    Options made;
    const auto put = [&](const std::optional<Array>& array, Tensor* tensor, rondo_tensor** member) {
      if (!array) return;
      *tensor = upload(engine(), where, *array);
      *member = *tensor;
    };
    put(of.mask, &made.mask, &made.options.mask);
    put(of.query_lengths, &made.query_lengths, &made.options.query_lengths);
    put(of.key_lengths, &made.key_lengths, &made.options.key_lengths);
    made.options.causal = p.causal, made.options.aligned_last = p.last;
    made.options.before = p.before, made.options.after = p.after;
    made.options.scale = p.scale, made.options.soft_cap = p.cap;
    return made;
  }
  // [batch, places, heads, size], as it lies in memory.
  Tensor placed(const Array& a, Place place) const {
    switch (place) {
      case Place::heads_first: return transpose(up(host_transpose(a, {0, 2, 1, 3})), {0, 2, 1, 3});
      case Place::gaps: {
        const Shape& shape = a.shape;
        Array wide(a.dtype, {shape[0], shape[1], shape[2], 2 * shape[3]});
        for (size_t i = 0; i < a.size(); ++i) wide.set(2 * i, a[i]), wide.set(2 * i + 1, 1e4L);
        return slice(up(wide), 3, 0, 2 * shape[3], 2);
      }
      default: return up(a);
    }
  }
  // Three views of one tensor [batch, places, 3, heads, size].
  static Inputs parts(const Tensor& packed, const Problem& p) {
    Inputs views;
    for (int64_t i = 0; i < 3; ++i)
      views.push_back(reshape(slice(packed, 2, i, i + 1), {p.batch, p.queries, p.heads, p.size}));
    return views;
  }
  static Array pack(const Problem& p, const Operands& of) {
    Array packed(of.q.dtype, {p.batch, p.queries, 3, p.heads, p.size});
    const auto row = static_cast<size_t>(p.heads * p.size);
    const Array* const all[] = {&of.q, &of.k, &of.v};
    for (size_t i = 0; i < packed.size(); ++i) packed.set(i, (*all[i / row % 3])[i / row / 3 * row + i % row]);
    return packed;
  }
  static Tensor attend(const Inputs& in, const rondo_attention_options& options, Tensor* lse = nullptr) {
    Tensor out;
    must(rondo_attention(in[0], in[1], in[2], &options, out.slot(), lse ? lse->slot() : nullptr));
    return out;
  }
  void check(rondo_dtype dtype, const Problem& p, uint32_t seed) {
    const Operands of(dtype, p, seed);
    run(
        [&](Results& results) {
          const Options made = options_of(p, of, device());
          Inputs in;
          if (p.place == Place::packed)
            in = parts(up(pack(p, of)), p);
          else
            for (const Array* each : {&of.q, &of.k, &of.v}) in.push_back(placed(*each, p.place));
          Tensor lse, out = attend(in, made.options, &lse);
          results.keep("result", std::move(out), [=, this] {
            Expected expected(dtype, p.of_q(), is_half(dtype) ? 1 : 64);
            expected.values = Exact(p, of).out;
            expected.absolute.assign(expected.values.size(),
                                     256 * unit(dtype) * Real(p.size) + rounded_weights(dtype, on_cuda(), 2));
            return expected;
          });
          results.keep("logarithms", std::move(lse), [=] {
            Expected expected(computed(dtype), {p.batch, p.heads, p.queries}, 64);
            expected.values = Exact(p, of).lse;
            expected.absolute.assign(expected.values.size(), 256 * unit(dtype) * Real(p.size));
            return expected;
          });
        },
        {.nodes = count(p.of_q()) == 0 ? 0 : 1});
  }
  // Against the gradient in f64 on a cpu, where dropout leaves out the same parts.
  void check_gradients(rondo_dtype dtype, const Problem& p, double dropout) {
    const Operands of(dtype, p, 40);
    const Array dy = random_array(dtype, p.of_q(), 50, -1, 1);
    const auto gradients = [&](rondo_dtype in, rondo_device where) {
      const auto put = [&](const Array& a) { return make(rondo_cast, upload(engine(), where, a), in); };
      const Inputs all = together(put(of.q), put(of.k), put(of.v));
      Options made = options_of(p, of, where);
      Tensor mask;
      if (p.added) made.options.mask = mask = put(*of.mask);
      made.options.dropout = dropout;
      if (dropout > 0) must(rondo_engine_seed(engine(), 5));
      const Tape tape(engine());
      for (const Tensor& each : all) tape.watch(each);
      return tape.gradients(attend(all, made.options), {all[0], all[1], all[2]}, put(dy));
    };
    // A seed is not a part of a graph.
    if (dropout > 0 && GetParam().graph) return;
    run([&](Results& results) {
      std::vector<Tensor> got = gradients(dtype, device());
      for (size_t i = 0; i < got.size(); ++i)
        results.keep("gradient " + std::to_string(i), std::move(got[i]), [&, i] {
          const Array exact = download(gradients(RONDO_F64, kCpu)[i]);
          Expected expected(dtype, exact.shape, 2);
          Real size = 0;
          for (size_t x = 0; x < exact.size(); ++x) size = std::max(size, std::fabs(exact[x]));
          // What the result is rounded to is in the gradient's sums.
          const Real share = is_half(dtype) ? std::ldexp(Real(on_cuda() ? 4 : 1), -mantissa_bits(dtype)) : 2e-5L;
          expected.absolute.assign(exact.size(), size * share);
          for (size_t x = 0; x < exact.size(); ++x) expected.values[x] = exact[x];
          return expected;
        });
    });
  }
};
CONFORMANCE_SUITE(Attention);

TEST_P(Attention, Options) {
  std::vector<Problem> problems = {
      {},
      {.queries = 70, .keys = 150, .size = 17, .place = Place::heads_first},
      {.queries = 33, .keys = 33, .size = 8, .place = Place::packed, .causal = true},
      {.queries = 9, .keys = 20, .size = 3, .place = Place::gaps, .causal = true, .last = true},
      {.queries = 66, .keys = 40, .heads = 6, .key_heads = 2, .size = 5, .before = 7, .after = 3},
      {.queries = 20, .keys = 66, .heads = 4, .key_heads = 1, .causal = true, .last = true, .before = 9},
      {.queries = 11, .keys = 13, .cap = 1.5, .mask = Shape{13}},
      {.queries = 11, .keys = 13, .scale = -0.3, .mask = Shape{2, 1, 11, 1}, .added = true},
      {.queries = 68, .keys = 130, .size = 1, .mask = Shape{1, 2, 68, 130}},
      {.batch = 4, .queries = 65, .keys = 70, .query_lengths = true, .key_lengths = true},
      {.batch = 5, .queries = 9, .keys = 8, .causal = true, .last = true, .query_lengths = true, .key_lengths = true},
      {.batch = 1, .queries = 3, .keys = 40, .heads = 1, .key_heads = 1, .size = 256},
      {.batch = 1, .queries = 40, .keys = 3, .heads = 2, .key_heads = 1, .size = 130, .cap = 4},
      {.queries = 0},
      {.keys = 0},
      {.batch = 0},
  };
  int turn = 0;
  for (const Problem& each : dealt(problems)) {
    SCOPED_TRACE("problem " + std::to_string(turn));
    check(covering({RONDO_F32, RONDO_F16, RONDO_F64, RONDO_BF16}, turn)[0], each, 100 + static_cast<uint32_t>(turn));
    ++turn;
  }
}

TEST_P(Attention, ByChance) {
  std::mt19937 bits(7);
  const auto below = [&](int64_t n) { return static_cast<int64_t>(bits() % static_cast<uint64_t>(n)); };
  const int64_t sizes[] = {1, 3, 8, 16, 20, 33, 64, 100};
  for (int turn = 0; turn < (on_cuda() ? 4 : 24); ++turn) {
    Problem p;
    p.batch = 1 + below(3), p.queries = 1 + below(on_cuda() ? 40 : 140), p.keys = 1 + below(on_cuda() ? 40 : 140);
    p.key_heads = 1 + below(3), p.heads = p.key_heads * (1 + below(3)), p.size = sizes[below(on_cuda() ? 4 : 8)];
    p.place = static_cast<Place>(below(4));
    if (p.place == Place::packed) p.keys = p.queries, p.key_heads = p.heads;
    p.causal = below(3) == 0, p.last = below(2) == 0;
    if (below(3) == 0) p.before = below(30);
    if (below(3) == 0) p.after = below(30);
    if (below(4) == 0) p.cap = 2;
    if (below(3) == 0) {
      Shape mask = {p.batch, p.heads, p.queries, p.keys};
      for (int64_t& each : mask)
        if (below(2) == 0) each = 1;
      p.mask = mask, p.added = below(2) == 0;
    }
    p.query_lengths = below(4) == 0, p.key_lengths = below(4) == 0;
    const rondo_dtype dtype = kFloatDtypes[below(4)];
    SCOPED_TRACE("problem " + std::to_string(turn));
    check(dtype, p, 1000 + static_cast<uint32_t>(turn));
  }
}

TEST_P(Attention, RowsThatSeeNothingAreZero) {
  const Problem p = {.batch = 2, .queries = 3, .keys = 4};
  Operands of(RONDO_F32, p, 5);
  of.mask = full(RONDO_BOOL, {3, 1}, 1);
  of.mask->set(1, 0);
  of.key_lengths = array_of(RONDO_I32, {2}, {4, 2});
  // What is behind the keys may be anything.
  for (size_t i = 0; i < of.k.size() / 4; ++i)
    for (Array* each : {&of.k, &of.v}) each->set(3 * of.k.size() / 4 + i, NAN);
  const Options made = options_of(p, of, device());
  const Inputs in = together(up(of.q), up(of.k), up(of.v));
  const Tape tape(engine());
  for (const Tensor& each : in) tape.watch(each);
  Tensor lse, out = attend(in, made.options, &lse);
  const std::vector<Tensor> gradients = tape.gradients(out, {in[0], in[1], in[2]}, up(full(RONDO_F32, p.of_q(), 1)));
  const Array results = download(out), logarithms = download(lse), dq = download(gradients[0]);
  for (size_t i = 0; i < results.size(); ++i) {
    const bool none = i / 8 % 3 == 1;
    EXPECT_TRUE(std::isfinite(results[i])) << i;
    EXPECT_EQ(none, results[i] == 0) << i;
    EXPECT_TRUE(std::isfinite(dq[i])) << i;
    EXPECT_TRUE(!none || dq[i] == 0) << i;
  }
  for (size_t i = 0; i < logarithms.size(); ++i) EXPECT_EQ(i % 3 == 1, std::isinf(logarithms[i])) << i;
  for (const size_t of_k : {1, 2}) {
    const Array change = download(gradients[of_k]);
    for (size_t i = 0; i < change.size(); ++i) {
      EXPECT_TRUE(std::isfinite(change[i])) << i;
      EXPECT_TRUE(i < 3 * change.size() / 4 || change[i] == 0) << i;
    }
  }
}

TEST_P(Attention, AddsToAnAccumulator) {
  const Problem p;
  const Operands of(RONDO_F64, p, 3);
  run([&](Results& results) {
    const Inputs in = together(up(of.q), up(of.k), up(of.v));
    Tensor sum = make(rondo_copy, up(full(RONDO_F64, p.of_q(), 2))), adding;
    must(rondo_tensor_accumulator(sum, adding.slot()));
    must(rondo_attention(in[0], in[1], in[2], nullptr, adding.slot(), nullptr));
    results.keep("sum", std::move(sum), [=] {
      Expected expected(RONDO_F64, p.of_q(), 64);
      expected.values = Exact(p, of).out;
      for (Real& each : expected.values) each += 2;
      return expected;
    });
  });
}

TEST_P(Attention, Gradients) {
  const std::vector<Problem> problems = {
      {.queries = 3, .keys = 5, .size = 3},
      {.queries = 4, .keys = 4, .heads = 4, .key_heads = 2, .size = 2, .causal = true, .cap = 1},
      {.queries = 3, .keys = 6, .last = true, .before = 2, .after = 1, .query_lengths = true, .key_lengths = true},
      {.queries = 2, .keys = 3, .scale = 0.7, .mask = Shape{2, 3}, .added = true},
      {.batch = 1, .queries = 67, .keys = 2, .heads = 1, .key_heads = 1, .size = 1, .mask = Shape{67, 2}},
  };
  run([&](Results& results) {
    for (size_t i = 0; i < problems.size(); i += sparing() ? 2 : 1) {
      const Problem& p = problems[i];
      const Operands of(RONDO_F64, p, 20);
      keep_gradients(results, "problem " + std::to_string(i), {of.q, of.k, of.v}, [=, this](const Inputs& in) {
        const bool home = query(in[0]).device.kind == RONDO_CPU;
        const Options made = options_of(p, of, home ? kCpu : device());
        Tensor lse;
        const Tensor out = attend(in, made.options, &lse);
        // Where a query sees nothing, -infinity.
        const Tensor finite = make(rondo_unary, RONDO_EXP, lse);
        Tensor both = make(rondo_binary, RONDO_MUL, out,
                           reshape(make(rondo_copy, transpose(finite, {0, 2, 1})), {p.batch, p.queries, p.heads, 1}));
        return both;
      });
    }
  });
}

TEST_P(Attention, GradientsOfPartsOfOneTensor) {
  const Problem p = {.queries = 3, .keys = 3, .size = 2};
  run([&](Results& results) {
    keep_gradients(results, "packed", {pack(p, Operands(RONDO_F64, p, 30))}, [=](const Inputs& in) {
      rondo_attention_options options = RONDO_ATTENTION_OPTIONS_INIT;
      options.causal = 1;
      return attend(parts(in[0], p), options);
    });
  });
}

// With blocks that do not come out even.
TEST_P(Attention, GradientsInOtherDtypes) {
  const std::vector<Problem> problems = {
      {.queries = 70, .keys = 90, .heads = 4, .key_heads = 2, .size = 20, .last = true, .before = 30},
      {.queries = 40, .keys = 33, .size = 64, .causal = true}};
  int turn = 0;
  for (const Problem& p : some(problems, 2))
    check_gradients(covering({RONDO_BF16, RONDO_F32, RONDO_F16}, turn++)[0], p, 0);
}

// What tensor cores compute, where there are some: each option, and several parts of each kind.
TEST_P(Attention, SixteenBits) {
  const std::vector<Problem> problems = {
      {.queries = 66, .keys = 68, .size = 8, .place = Place::heads_first, .query_lengths = true, .key_lengths = true},
      {.queries = 37, .keys = 70, .heads = 4, .size = 16, .causal = true, .last = true, .mask = Shape{37, 70}},
      {.queries = 70,
       .keys = 36,
       .heads = 2,
       .key_heads = 1,
       .size = 24,
       .cap = 2,
       .mask = Shape{2, 1, 1, 36},
       .added = true},
      {.batch = 1,
       .queries = 130,
       .keys = 130,
       .heads = 1,
       .key_heads = 1,
       .size = 64,
       .place = Place::packed,
       .before = 70},
      {.batch = 1, .queries = 5, .keys = 130, .heads = 1, .key_heads = 1, .size = 8, .before = 9, .after = 3},
      {.batch = 1, .queries = 65, .keys = 67, .heads = 2, .key_heads = 1, .size = 128, .cap = 30},
  };
  int turn = 0;
  for (const Problem& p : dealt(problems)) {
    SCOPED_TRACE("problem " + std::to_string(turn));
    const rondo_dtype dtype = turn % 2 == 0 ? RONDO_F16 : RONDO_BF16;
    check(dtype, p, 200 + static_cast<uint32_t>(turn));
    check_gradients(dtype, p, turn % 2 == 0 ? 0.2 : 0);
    check_gradients(dtype, p, turn % 2 == 0 ? 0 : 0.2);
    ++turn;
  }
}

// So many rows that a warp of a GPU makes more of them at once.
TEST_P(Attention, ManyRows) {
  const std::vector<Problem> problems = {
      {.batch = 2, .queries = 260, .keys = 35, .heads = 22, .key_heads = 2, .size = 24, .causal = true, .last = true},
      {.batch = 11, .queries = 390, .keys = 21, .heads = 3, .key_heads = 1, .size = 8, .cap = 3, .key_lengths = true},
      {.batch = 22, .queries = 258, .keys = 66, .heads = 2, .key_heads = 2, .size = 16, .before = 40},
  };
  for (const Problem& p : dealt(problems)) {
    check(RONDO_F16, p, 300);
    check_gradients(RONDO_BF16, p, 0.2);
  }
}

// So many rows that a warp of a GPU makes more of them at once without tensor cores, too.
TEST_P(Attention, ManyWideRows) {
  const std::vector<Problem> problems = {
      {.batch = 66, .queries = 32, .keys = 9, .heads = 16, .key_heads = 4, .size = 12, .mask = Shape{66, 1, 1, 9}},
      {.batch = 33, .queries = 40, .keys = 37, .heads = 16, .key_heads = 2, .size = 18, .causal = true, .last = true},
      {.batch = 66, .queries = 31, .keys = 5, .heads = 16, .key_heads = 16, .size = 64, .key_lengths = true},
      {.batch = 2, .queries = 9, .keys = 150, .heads = 3, .key_heads = 1, .size = 160, .before = 60},
  };
  int turn = 0;
  for (const Problem& p : dealt(problems)) check(turn++ % 2 == 0 ? RONDO_F32 : RONDO_F64, p, 400);
}

// With values that are the unit matrix, results are what dropout leaves of the shares.
TEST_P(Attention, DropoutLeavesOutTheSameParts) {
  const Problem p = {.batch = 2, .queries = 30, .keys = 16, .heads = 2, .key_heads = 1, .size = 16};
  Operands of(RONDO_F64, p, 60);
  for (size_t i = 0; i < of.v.size(); ++i) of.v.set(i, i / 16 % 16 == i % 16 ? 1 : 0);
  const std::vector<Real> whole = Exact(p, of).out;
  rondo_attention_options options = RONDO_ATTENTION_OPTIONS_INIT;
  options.dropout = 0.25;
  const Inputs in = together(up(of.q), up(of.k), up(of.v));
  must(rondo_engine_seed(engine(), 11));
  const Array first = download(attend(in, options)), second = download(attend(in, options));
  size_t kept = 0, differ = 0;
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(first[i]), static_cast<double>(first[i] != 0 ? whole[i] / 0.75L : 0), 1e-12) << i;
    kept += first[i] != 0;
    differ += (first[i] != 0) != (second[i] != 0);
  }
  EXPECT_NEAR(static_cast<double>(kept) / static_cast<double>(first.size()), 0.75, 0.05);
  EXPECT_GT(differ, first.size() / 5);
  // The cpu, and a graph's first launch, draw the same.
  must(rondo_engine_seed(engine(), 11));
  const Inputs home =
      together(upload(engine(), kCpu, of.q), upload(engine(), kCpu, of.k), upload(engine(), kCpu, of.v));
  const Array there = download(attend(home, options));
  for (size_t i = 0; i < first.size(); ++i) EXPECT_EQ(there[i] != 0, first[i] != 0) << i;
  Tensor out = up(full(RONDO_F64, p.of_q(), 0));
  const Graph graph =
      record(engine(), [&] { must(rondo_attention(in[0], in[1], in[2], &options, out.slot(), nullptr)); });
  must(rondo_engine_seed(engine(), 11));
  must(rondo_graph_launch(graph.get()));
  expect_same_bits(download(out), first, "launched");
  must(rondo_graph_launch(graph.get()));
  expect_same_bits(download(out), second, "launched again");
  // Outside of a CUDA graph too, where the host says where a launch begins.
  must(rondo_engine_seed(engine(), 11));
  must(rondo_graph_launch(graph.get()));
  must(rondo_graph_profile(graph.get(), nullptr));
  expect_same_bits(download(out), second, "profiled");
}

TEST_P(Attention, GradientsOfDropout) {
  if (GetParam().graph) return;
  const Problem p = {.queries = 3, .keys = 5, .size = 3};
  const Operands of(RONDO_F64, p, 70);
  run([&](Results& results) {
    keep_gradients(results, "dropout", {of.q, of.k, of.v}, [this](const Inputs& in) {
      rondo_attention_options options = RONDO_ATTENTION_OPTIONS_INIT;
      options.dropout = 0.4;
      must(rondo_engine_seed(engine(), 3));
      return attend(in, options);
    });
  });
}

TEST_P(Attention, MemoryGrowsWithRowsNotWithTheirProduct) {
  if (GetParam().graph) return;
  const int64_t n = on_cuda() ? 1024 : 4096;
  const Problem p = {.batch = 1, .queries = n, .keys = n, .heads = 1, .key_heads = 1, .size = 2};
  const Operands of(RONDO_F32, p, 80);
  rondo_attention_options options = RONDO_ATTENTION_OPTIONS_INIT;
  options.before = options.after = 40;  // for time: memory does not depend on it
  const Inputs in = together(up(of.q), up(of.k), up(of.v));
  const Tape tape(engine());
  for (const Tensor& each : in) tape.watch(each);
  const Tensor out = attend(in, options);
  const std::vector<Tensor> gradients = tape.gradients(out, {in[0], in[1], in[2]}, up(full(RONDO_F32, p.of_q(), 1)));
  must(rondo_tensor_wait(gradients[0]));
  rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
  must(rondo_memory_query(engine(), device(), &info));
  EXPECT_LT(info.peak_in_use, n * n * 4 / 4) << "a quarter of the scores";
}

// The slopes of six heads' scores are more than a library may keep at once, those of three are not.
TEST_P(Attention, GradientsOfManyPlacesAreMadeInParts) {
  if (!on_cuda() || quick() || collects()) GTEST_SKIP() << "thousands of places by thousands are for a GPU";
  const int64_t n = 6000;
  for (const bool causal : {false, true}) {
    const Problem p = {
        .batch = 2, .queries = n, .keys = n, .heads = 3, .key_heads = 3, .size = causal ? 128 : 16, .causal = causal};
    check_gradients(RONDO_BF16, p, 0);
    if (!GetParam().graph) continue;
    const Operands of(RONDO_BF16, p, 60);
    const Inputs in = together(up(of.q), up(of.k), up(of.v), up(of.q));
    rondo_attention_options options = RONDO_ATTENTION_OPTIONS_INIT;
    options.causal = causal;
    std::vector<Tensor> gradients;
    const Graph graph = record(engine(), [&] {
      const Tape tape(engine());
      for (size_t i = 0; i < 3; ++i) tape.watch(in[i]);
      gradients = tape.gradients(attend(in, options), {in[0], in[1], in[2]}, in[3]);
    });
    const std::string report = graph_report(graph.get());
    EXPECT_TRUE(report.find("by cuDNN, in 2 parts") != std::string::npos ||
                report.find("by Rondo's kernels") != std::string::npos)
        << report;
  }
}

TEST_P(Attention, MisuseIsNamed) {
  if (GetParam().graph) return;
  const auto tensor = [&](rondo_dtype dtype, const Shape& shape) { return up(full(dtype, shape, 1)); };
  const Tensor q = tensor(RONDO_F32, {2, 3, 4, 8}), k = tensor(RONDO_F32, {2, 5, 2, 8});
  const auto refuses = [&](const std::string& part, rondo_tensor* a, rondo_tensor* b, rondo_tensor* c,
                           const rondo_attention_options* options) {
    rondo_tensor* out = nullptr;
    EXPECT_EQ(rondo_attention(a, b, c, options, &out, nullptr), RONDO_INVALID_ARGUMENT) << part;
    const std::string said = rondo_last_error();
    EXPECT_NE(said.find("rondo_attention"), std::string::npos) << said;
    EXPECT_NE(said.find(part), std::string::npos) << said;
    EXPECT_EQ(out, nullptr);
  };
  refuses("q has dtype i32; a float dtype is needed", tensor(RONDO_I32, {2, 3, 4, 8}), k, k, nullptr);
  refuses("k has dtype f16 but q has f32", q, tensor(RONDO_F16, {2, 5, 2, 8}), k, nullptr);
  refuses("q has shape [3, 4, 8]; [batch, queries, heads, size]", tensor(RONDO_F32, {3, 4, 8}), k, k, nullptr);
  refuses("heads of size 257; 1 to 256", tensor(RONDO_F32, {1, 1, 1, 257}), k, k, nullptr);
  refuses("[2, keys, heads, 8] is needed", q, tensor(RONDO_F32, {1, 5, 2, 8}), k, nullptr);
  refuses("q has 4 heads and k has 3", q, tensor(RONDO_F32, {2, 5, 3, 8}), k, nullptr);
  refuses("v has shape [2, 6, 2, 8]; that of k is needed", q, k, tensor(RONDO_F32, {2, 6, 2, 8}), nullptr);
  refuses("v is NULL", q, k, nullptr, nullptr);
  const auto with = [&](const std::string& part, const std::function<void(rondo_attention_options&)>& change) {
    rondo_attention_options options = RONDO_ATTENTION_OPTIONS_INIT;
    change(options);
    refuses(part, q, k, k, &options);
  };
  const Tensor wrong = tensor(RONDO_I32, {3, 5}), shape = tensor(RONDO_BOOL, {3, 4}), three = tensor(RONDO_I32, {3}),
               longer = tensor(RONDO_I64, {2});
  with("options->mask has dtype i32; bool is possible", [&](auto& o) { o.mask = wrong; });
  with("options->mask has shape [3, 4]", [&](auto& o) { o.mask = shape; });
  with("options->key_lengths has shape [3]; [2] is needed", [&](auto& o) { o.key_lengths = three; });
  with("options->query_lengths has dtype i64; i32 is needed", [&](auto& o) { o.query_lengths = longer; });
  with("options->scale is inf", [&](auto& o) { o.scale = INFINITY; });
  with("options->soft_cap is -1", [&](auto& o) { o.soft_cap = -1; });
  with("options->dropout is 1", [&](auto& o) { o.dropout = 1; });
  with("options->before is -2", [&](auto& o) { o.before = -2; });
  rondo_tensor* both = nullptr;
  EXPECT_EQ(rondo_attention(q, k, k, nullptr, &both, &both), RONDO_INVALID_ARGUMENT);
  EXPECT_NE(std::string(rondo_last_error()).find("out and lse are one pointer"), std::string::npos);
  rondo_tensor* given = q;
  EXPECT_EQ(rondo_attention(q, k, k, nullptr, &given, nullptr), RONDO_INVALID_ARGUMENT);
  EXPECT_NE(std::string(rondo_last_error()).find("out shares"), std::string::npos) << rondo_last_error();
}

}  // namespace
}  // namespace conformance
