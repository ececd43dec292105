// Attention with lengths: what stands behind the last query and the last key may be anything, NaN or infinity, and
// changes neither results nor gradients nor gradients of those. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "attention/attention.h"

namespace conformance {
namespace {

constexpr int64_t kBatch = 3, kQueries = 70, kKeys = 90, kHeads = 2, kSize = 8;
constexpr int64_t kQueryLengths[] = {1, 66, 0}, kKeyLengths[] = {2, 70, 33};

enum class Mask { none, chosen, added };

struct Shown {
  double cap, dropout;
  Mask mask;
  bool causal;
};

// With `beyond` where the lengths end: at places of queries, of keys, or of both.
struct Fed {
  Array q, k, v, dy, dlse;
  std::optional<Array> mask;

  Fed(rondo_dtype dtype, Mask kind, Real beyond)
      : q(random_array(dtype, {kBatch, kQueries, kHeads, kSize}, 1, -2, 2)),
        k(random_array(dtype, {kBatch, kKeys, kHeads, kSize}, 2, -2, 2)),
        v(random_array(dtype, {kBatch, kKeys, kHeads, kSize}, 3, -2, 2)),
        dy(random_array(dtype, {kBatch, kQueries, kHeads, kSize}, 4, -1, 1)),
        dlse(random_array(computed(dtype), {kBatch, kHeads, kQueries}, 5, -1, 1)) {
    for (Array* each : {&q, &dy}) hide_rows(each, kQueryLengths, beyond);
    for (Array* each : {&k, &v}) hide_rows(each, kKeyLengths, beyond);
    for (size_t i = 0; i < dlse.size(); ++i)
      if (static_cast<int64_t>(i) % kQueries >= kQueryLengths[i / (kHeads * kQueries)]) dlse.set(i, beyond);
    if (kind == Mask::none) return;
    mask = random_array(kind == Mask::added ? dtype : RONDO_BOOL, {kBatch, 1, kQueries, kKeys}, 6, -1, 1);
    if (kind == Mask::added)
      for (size_t i = 0; i < mask->size(); ++i) {
        const size_t key = i % kKeys, query = i / kKeys % kQueries, b = i / (kKeys * kQueries);
        if (static_cast<int64_t>(key) >= kKeyLengths[b] || static_cast<int64_t>(query) >= kQueryLengths[b])
          mask->set(i, beyond);
      }
  }
  static void hide_rows(Array* array, const int64_t (&lengths)[kBatch], Real beyond) {
    const auto row = static_cast<size_t>(kHeads * kSize), places = static_cast<size_t>(array->shape[1]);
    for (size_t i = 0; i < array->size(); ++i)
      if (static_cast<int64_t>(i / row % places) >= lengths[i / row / places]) array->set(i, beyond);
  }
};

class AttentionLengths : public OnTape {
 protected:
  // The result, the logarithms, and the gradients of queries, keys and values.
  std::vector<Array> made(const Fed& fed, const Shown& shown) const {
    const Tensor q = up(fed.q), k = up(fed.k), v = up(fed.v), mask = fed.mask ? up(*fed.mask) : Tensor();
    const Tensor queries = up(array_of(RONDO_I32, {kBatch}, {1, 66, 0})),
                 keys = up(array_of(RONDO_I32, {kBatch}, {2, 70, 33}));
    rondo_attention_options options = RONDO_ATTENTION_OPTIONS_INIT;
    options.mask = mask;
    options.query_lengths = queries;
    options.key_lengths = keys;
    options.soft_cap = shown.cap;
    options.dropout = shown.dropout;
    options.causal = shown.causal;
    must(rondo_engine_seed(engine(), 5));
    const Tensor dy = up(fed.dy), dlse = up(fed.dlse);
    const Tape outer(engine());
    for (const Tensor* each : {&q, &k, &v}) outer.watch(*each);
    Tensor out, lse;
    rondo_tensor *coming[] = {dy, dlse}, *sources[] = {q, k, v}, *gradients[3] = {}, *second[3] = {};
    {
      const Tape tape(engine());
      for (const Tensor* each : {&q, &k, &v}) tape.watch(*each);
      must(rondo_attention(q, k, v, &options, out.slot(), lse.slot()));
      rondo_tensor* const outputs[] = {out, lse};
      must(rondo_tape_gradients(tape, 2, outputs, coming, 3, sources, gradients));
    }
    const Tensor of_q(gradients[0]), of_k(gradients[1]), of_v(gradients[2]);
    std::vector<Array> all = {download(out), download(lse), download(of_q), download(of_k), download(of_v)};
    const Tensor ones[] = {up(full(fed.q.dtype, fed.q.shape, 1)), up(full(fed.k.dtype, fed.k.shape, 1)),
                           up(full(fed.v.dtype, fed.v.shape, 1))};
    rondo_tensor* const seeds[] = {ones[0], ones[1], ones[2]};
    must(rondo_tape_gradients(outer, 3, gradients, seeds, 3, sources, second));
    for (rondo_tensor* each : second) all.push_back(download(Tensor(each)));
    return all;
  }
  void check(rondo_dtype dtype, const Shown& shown) {
    const std::vector<Array> expected = made(Fed(dtype, shown.mask, 0), shown);
    for (size_t i = 2; i < expected.size() && !collects(); ++i)
      for (size_t x = 0; x < expected[i].size(); ++x) ASSERT_TRUE(std::isfinite(expected[i][x])) << i << ", " << x;
    for (const Real beyond : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()}) {
      const std::vector<Array> got = made(Fed(dtype, shown.mask, beyond), shown);
      const char* const names[] = {"result",    "logarithms",        "of queries",     "of keys",
                                   "of values", "second of queries", "second of keys", "second of values"};
      for (size_t i = 0; i < got.size(); ++i)
        expect_same_bits(got[i], expected[i],
                         std::string(names[i]) + ", cap " + std::to_string(shown.cap) + ", dropout " +
                             std::to_string(shown.dropout) + ", mask " + std::to_string(static_cast<int>(shown.mask)));
    }
  }
};
CONFORMANCE_SUITE(AttentionLengths);

// What is left out has no score and no gradient, though its score's slope be NaN.
TEST_P(AttentionLengths, NothingBehindThemIsRead) {
  if (GetParam().graph) GTEST_SKIP() << "eager only: the seed is not a part of a graph";
  std::vector<Shown> all;
  for (const double cap : {0.0, 1.0})
    for (const Mask mask : {Mask::none, Mask::chosen, Mask::added})
      for (const double dropout : {0.0, 0.5}) all.push_back({cap, dropout, mask, cap > 0 && mask == Mask::none});
  int turn = 0;
  for (const Shown& shown : dealt(all))
    for (const rondo_dtype dtype : covering({RONDO_F16, RONDO_BF16, RONDO_F32, RONDO_F64}, turn++)) check(dtype, shown);
}

// One query that is there and one that is not.
TEST_P(AttentionLengths, CappedGradientBehindThemIsZero) {
  const Array q = array_of(RONDO_F32, {1, 2, 1, 1}, {1, std::numeric_limits<Real>::quiet_NaN()});
  run([&](Results& results) {
    const Tensor x = up(q), k = up(full(RONDO_F32, {1, 2, 1, 1}, 1)), one = up(array_of(RONDO_I32, {1}, {1}));
    rondo_attention_options options = RONDO_ATTENTION_OPTIONS_INIT;
    options.query_lengths = one;
    options.soft_cap = 1;
    const Tape tape(engine());
    tape.watch(x);
    Tensor out;
    must(rondo_attention(x, k, k, &options, out.slot(), nullptr));
    results.keep("gradient", tape.gradient(out, x, up(full(RONDO_F32, {1, 2, 1, 1}, 1))), [] {
      return Expected(full(RONDO_F32, {1, 2, 1, 1}, 0));
    });
  });
}

}  // namespace
}  // namespace conformance
