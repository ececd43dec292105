// Bits of NaN in texts: a result that is one of its operands has all of its bits, in every dtype, whatever else the
// text computes of them. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <string>

#include "odd_bits.h"
#include "user/user.h"

namespace conformance {
namespace {

class BitsOfTexts : public OnEngine {
 protected:
  // What a text gives for a mask m and tensors a and b, in the order of its results.
  using Wanted = std::function<std::vector<Tensor>(const Tensor& m, const Tensor& a, const Tensor& b)>;

  static void expect_results(const std::string& text, const std::vector<Tensor>& given, const std::vector<Tensor>& want,
                             const std::string& how) {
    for (size_t k = 0; k < want.size(); ++k)
      if (want[k]) expect_bits(given[k], download(want[k]), text + how + ", result " + std::to_string(k));
  }
  void expect_text(const std::string& source, const std::vector<rondo_argument>& arguments,
                   const std::vector<Tensor>& want) const {
    const Expression text(source.c_str());
    const auto issue = [&](std::vector<Tensor>* results) {
      std::vector<rondo_tensor*> made(want.size(), nullptr);
      must(rondo_expression_run(text, static_cast<int32_t>(arguments.size()), arguments.data(),
                                static_cast<int32_t>(made.size()), made.data()));
      results->clear();
      for (rondo_tensor* each : made) results->emplace_back(each);
    };
    std::vector<Tensor> eager, replayed;
    issue(&eager);
    expect_results(source, eager, want, "");
    const Graph graph = record(engine(), [&] { issue(&replayed); });
    must(rondo_graph_launch(graph.get()));
    expect_results(source, replayed, want, " in a graph");
  }
  template <class... More>
  static std::vector<Tensor> list(Tensor first, More... more) {
    std::vector<Tensor> all;
    all.push_back(std::move(first));
    (all.push_back(std::move(more)), ...);
    return all;
  }
  static Array mask_of(int64_t n) {
    Array mask(RONDO_BOOL, {n});
    for (size_t i = 0; i < mask.size(); ++i) mask.set(i, i % 3 == 0);
    return mask;
  }
};
CONFORMANCE_ENGINE_SUITE(BitsOfTexts);

TEST_P(BitsOfTexts, ChosenOperandsKeepThem) {
  if (collects()) GTEST_SKIP() << "nothing is computed where kernels are collected";
  const auto chosen = [](const Tensor& m, const Tensor& a, const Tensor& b) { return make(rondo_where, m, a, b); };
  const std::vector<std::pair<std::string, Wanted>> texts = {
      {"y = m ? a : b", [&](auto& m, auto& a, auto& b) { return list(chosen(m, a, b)); }},
      {"y = m ? a : (m ? a : b); z = a; t = m ? b : a",
       [&](auto& m, auto& a, auto& b) { return list(chosen(m, a, b), make(rondo_copy, a), chosen(m, b, a)); }},
      {"let c = m ? a : b; y = c; z = c + b",
       [&](auto& m, auto& a, auto& b) { return list(chosen(m, a, b), Tensor()); }},
      {"y = a < b ? a : b",
       [&](auto&, auto& a, auto& b) { return list(chosen(make(rondo_binary, RONDO_LT, a, b), a, b)); }},
      {"y = m ? a : b + b",
       [&](auto& m, auto& a, auto& b) { return list(chosen(m, a, make(rondo_binary, RONDO_ADD, b, b))); }},
      {"y = m ? 1 : a",
       [&](auto& m, auto& a, auto&) { return list(chosen(m, up(full(query(a).dtype, {query(a).shape[0]}, 1)), a)); }},
  };
  int turn = 0;
  for (const auto& [source, wanted] : dealt(texts))
    for (const rondo_dtype dtype :
         covering({RONDO_BOOL, RONDO_U8, RONDO_I8, RONDO_U16, RONDO_I16, RONDO_F16, RONDO_BF16, RONDO_I32, RONDO_U32,
                   RONDO_I64, RONDO_U64, RONDO_F32, RONDO_F64},
                  turn++)) {
      for (int64_t n = 1; n <= 40; ++n) {
        const Tensor m = up(mask_of(n)), a = up(odd(dtype, n, 0)), b = up(odd(dtype, n, 3));
        std::vector<rondo_argument> arguments;
        for (const auto& [name, each] : {std::pair{"m", &m}, {"a", &a}, {"b", &b}})
          if (source.find(name) != std::string::npos) arguments.push_back(tensor(name, *each));
        expect_text(source, arguments, wanted(m, a, b));
      }
    }
}

TEST_P(BitsOfTexts, ViewsAndBroadcastsKeepThem) {
  if (collects()) GTEST_SKIP() << "nothing is computed where kernels are collected";
  constexpr int64_t rows = 37, columns = 21;
  for (const rondo_dtype dtype : {RONDO_F16, RONDO_BF16}) {
    const Tensor a = transpose(reshape(up(odd(dtype, rows * columns, 0)), {columns, rows}), {1, 0});
    const Tensor b = reshape(up(odd(dtype, columns, 5)), {1, columns}), m = reshape(up(mask_of(rows)), {rows, 1});
    expect_text(
        "y = m ? a : b; z = a * 2 > b ? b : a", {tensor("m", m), tensor("a", a), tensor("b", b)},
        list(make(rondo_where, m, a, b),
             make(rondo_where, make(rondo_binary, RONDO_GT, make(rondo_binary_scalar, RONDO_MUL, a, 2.0), b), b, a)));
  }
}

TEST_P(BitsOfTexts, ChoicesInPlaceAndInSetsKeepThem) {
  if (collects()) GTEST_SKIP() << "nothing is computed where kernels are collected";
  const Expression text("a = m ? b : a");
  for (const rondo_dtype dtype : {RONDO_F16, RONDO_BF16})
    for (const int64_t n : {1, 15, 32, 1000}) {
      const Tensor m = up(mask_of(n)), a = up(odd(dtype, n, 0)), b = up(odd(dtype, n, 3)), c = up(odd(dtype, n, 6));
      const Array first = download(make(rondo_where, m, b, a)), second = download(make(rondo_where, m, b, c));
      const rondo_argument arguments[] = {tensor("m", m), tensor("a", a), tensor("b", b),
                                          tensor("m", m), tensor("a", c), tensor("b", b)};
      rondo_tensor* out[] = {a, c};
      must(rondo_expression_run_each(text, 2, 3, arguments, 1, out));
      expect_bits(a, first, "the first set");
      expect_bits(c, second, "the second set");
    }
}

}  // namespace
}  // namespace conformance
