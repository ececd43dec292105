// Attention of 16 bits with operands and results that lie in memory in every way: axes in any order, gaps, one place,
// odd numbers of them, shared heads, bands. Libraries are believed here only as far as their results go. Copyright 2026
// the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "attention/attention.h"
#include "placement.h"

namespace conformance {
namespace {

class AttentionLayouts : public OnTape {
 protected:
  // Rows side by side at multiples of 16 bytes more often than not, as libraries want them.
  static Placement rows(std::mt19937& bits) {
    const auto one_of = [&](uint32_t many) { return bits() % many == 0; };
    if (one_of(6)) return somewhere(bits, 4);
    Placement at({0, 1, 2, 3});
    if (!one_of(3)) std::shuffle(at.order.begin(), at.order.end() - 1, bits);
    for (size_t axis = 0; axis < 3; ++axis)
      if (one_of(4)) at.step[axis] = one_of(6) ? -1 : 2;
    for (size_t axis = 0; axis < 3; ++axis)
      if (one_of(4)) at.margin[axis] = 1 + static_cast<int64_t>(bits() % 3);
    if (one_of(4)) at.margin[3] = 8;  // of which one is in front
    at.offset = at.margin[3] ? 7 : one_of(4) ? 8 : 0;
    return at;
  }
  size_t seed() const {
    const auto flavour = static_cast<size_t>(GetParam().mode) * 2 + (GetParam().graph ? 1 : 0);
    return flavour * 97 + static_cast<size_t>(share() + 1) * 389;
  }
  Problem problem(std::mt19937& bits) const {
    const auto below = [&](int64_t n) { return static_cast<int64_t>(bits() % static_cast<uint64_t>(n)); };
    const int64_t most = sparing() ? 24 : on_cuda() ? 300 : 80;
    Problem p;
    p.batch = 1 + below(3), p.queries = below(5) ? 1 + below(most) : 1, p.keys = below(6) ? 1 + below(most) : 1;
    p.key_heads = 1 + below(3), p.heads = p.key_heads * (1 + below(3)), p.size = 8 * (1 + below(sparing() ? 3 : 16));
    if (!sparing() && below(8) == 0) p.size = 256;
    if (!sparing() && on_cuda() && below(4) == 0) p.batch += 8 + below(12), p.keys = 1 + below(20);
    if (below(3) == 0) p.keys = p.queries;
    // Whole tiles of as many heads on either side, which libraries have more ways of.
    if (!sparing() && on_cuda() && below(3) == 0)
      p.heads = p.key_heads, p.size = 64 * (1 + below(2)), p.queries = p.keys = 64 * (1 + below(4));
    p.causal = below(3) == 0, p.last = below(2) == 0;
    if (below(4) == 0) p.before = below(30);
    if (below(4) == 0) p.after = below(30);
    if (below(4) == 0) p.scale = 0.1 * static_cast<double>(1 + below(5));
    return p;
  }
  static rondo_attention_options options_of(const Problem& p) {
    rondo_attention_options options = RONDO_ATTENTION_OPTIONS_INIT;
    options.causal = p.causal, options.aligned_last = p.last;
    options.before = p.before, options.after = p.after, options.scale = p.scale;
    return options;
  }
  Placed place(const Array& values, const Placement& at) const {
    Placed placed(engine(), device(), values.dtype, values.shape, at);
    must(rondo_copy(up(values), placed.view.slot()));
    return placed;
  }
};
CONFORMANCE_SUITE(AttentionLayouts);

TEST_P(AttentionLayouts, ByChance) {
  std::mt19937 bits(static_cast<uint32_t>(1 + seed()));
  const auto begin = std::chrono::steady_clock::now();
  const uint32_t rounds = sparing() ? 3 : on_cuda() ? 20 : 6;
  size_t taken = 0;
  for (uint32_t round = 0; seconds() > 0 ? !elapsed(begin, 0.5) : round < rounds; ++round, ++taken) {
    const Problem p = problem(bits);
    const rondo_dtype dtype = bits() % 2 ? RONDO_F16 : RONDO_BF16;
    const Operands of(dtype, p, bits());
    const Placement q = rows(bits), k = rows(bits), v = rows(bits), out = rows(bits);
    SCOPED_TRACE(q.name() + " " + k.name() + " " + v.name() + " to " + out.name() + ", round " + std::to_string(round));
    run([&](Results& results) {
      const Placed of_q = place(of.q, q), of_k = place(of.k, k), of_v = place(of.v, v);
      Placed to(engine(), device(), dtype, p.of_q(), out);
      const rondo_attention_options options = options_of(p);
      rondo_tensor* view = to.view;
      Tensor lse;
      must(rondo_attention(of_q.view, of_k.view, of_v.view, &options, &view, lse.slot()));
      Expected expected(dtype, p.of_q(), 1), logarithms(RONDO_F32, {p.batch, p.heads, p.queries}, 64);
      const Exact exact(p, of);
      expected.values = exact.out;
      expected.absolute.assign(expected.values.size(), 1e-4L + rounded_weights(dtype, on_cuda(), 2));
      logarithms.values = exact.lse;
      logarithms.absolute.assign(logarithms.values.size(), 1e-4L);
      auto around = to.expect(expected);
      results.keep("result", std::move(to.base), std::move(around));
      results.keep("logarithms", std::move(lse), [=] { return logarithms; });
    });
  }
  if (seconds() > 0) std::printf("%zu by chance\n", taken);
}

// Against the gradient in f64 on a cpu.
TEST_P(AttentionLayouts, GradientsByChance) {
  std::mt19937 bits(static_cast<uint32_t>(101 + seed()));
  const auto begin = std::chrono::steady_clock::now();
  const uint32_t rounds = sparing() ? 2 : on_cuda() ? 12 : 4;
  size_t taken = 0;
  for (uint32_t round = 0; seconds() > 0 ? !elapsed(begin, 0.5) : round < rounds; ++round, ++taken) {
    const Problem p = problem(bits);
    const rondo_dtype dtype = bits() % 2 ? RONDO_F16 : RONDO_BF16;
    const Operands of(dtype, p, bits());
    const Array dy = random_array(dtype, p.of_q(), bits(), -1, 1);
    const Placement q = rows(bits), k = rows(bits), v = rows(bits), of_dy = rows(bits);
    SCOPED_TRACE(q.name() + " " + k.name() + " " + v.name() + " by " + of_dy.name() + ", round " +
                 std::to_string(round));
    const rondo_attention_options options = options_of(p);
    const auto gradients = [&](const std::vector<Tensor>& in, const Tensor& by) {
      const Tape tape(engine());
      for (const Tensor& each : in) tape.watch(each);
      Tensor out;
      must(rondo_attention(in[0], in[1], in[2], &options, out.slot(), nullptr));
      return tape.gradients(out, {in[0], in[1], in[2]}, by);
    };
    std::vector<Tensor> home;
    for (const Array* each : {&of.q, &of.k, &of.v})
      home.push_back(make(rondo_cast, upload(engine(), kCpu, *each), RONDO_F64));
    std::vector<Array> exact;
    for (const Tensor& each : gradients(home, make(rondo_cast, upload(engine(), kCpu, dy), RONDO_F64)))
      exact.push_back(download(each));
    run([&](Results& results) {
      std::vector<Tensor> in;
      Placed of_q = place(of.q, q), of_k = place(of.k, k), of_v = place(of.v, v), by = place(dy, of_dy);
      for (Placed* each : {&of_q, &of_k, &of_v}) in.push_back(std::move(each->view));
      std::vector<Tensor> got = gradients(in, by.view);
      for (size_t i = 0; i < got.size(); ++i)
        results.keep("gradient " + std::to_string(i), std::move(got[i]), [&, i] {
          Expected expected(dtype, exact[i].shape, 2);
          Real largest = 0;
          for (size_t x = 0; x < exact[i].size(); ++x) largest = std::max(largest, std::fabs(exact[i][x]));
          // Weights, their gradients and the result are rounded to 16 bits on the way. What the result is rounded by is
          // in each row's sum of result times its gradient, which is taken from all of the row's; where the row sees
          // few keys little else is left.
          const Real rounding = std::ldexp(Real(1), -mantissa_bits(dtype)), size = Real(p.size),
                     scale = p.scale != 0 ? std::fabs(Real(p.scale)) : 1 / std::sqrt(size),
                     rows = i == 0   ? 1
                            : i == 1 ? Real(p.queries * p.heads / p.key_heads)
                                     : 0;
          expected.absolute.assign(exact[i].size(), rounding * (4 * largest + scale * std::sqrt(size * rows)) + 1e-4L);
          for (size_t x = 0; x < exact[i].size(); ++x) expected.values[x] = exact[i][x];
          return expected;
        });
    });
  }
  if (seconds() > 0) std::printf("%zu by chance\n", taken);
}

}  // namespace
}  // namespace conformance
