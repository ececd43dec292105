// Products of all pairs of vectors against a reference in higher precision; gradients against finite differences.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/tape.h"

namespace conformance {
namespace {

struct Problem {
  int64_t batch = 3, vectors = 5, width = 7;
  bool keep = false, turned = false;
  int64_t columns() const { return vectors * (vectors - 1) / 2 + (keep ? width : 0); }
};

Expected products_of(const Problem& p, const Array& x) {
  Expected out(x.dtype, {p.batch, p.columns()}, is_half(x.dtype) ? 1 : 0);
  const auto vectors = static_cast<size_t>(p.vectors), width = static_cast<size_t>(p.width);
  size_t at = 0;
  for (size_t b = 0; b < static_cast<size_t>(p.batch); ++b) {
    const auto element = [&](size_t v, size_t c) { return x[(b * vectors + v) * width + c]; };
    for (size_t c = 0; p.keep && c < width; ++c) out.values[at++] = element(0, c);
    for (size_t i = 0; i < vectors; ++i)
      for (size_t j = 0; j < i; ++j, ++at)
        for (size_t c = 0; c < width; ++c) out.values[at] += element(i, c) * element(j, c);
  }
  out.absolute.assign(out.values.size(), static_cast<Real>(p.width * p.width + 2) * unit(x.dtype));
  return out;
}

class Interaction : public OnTape {
 protected:
  // The last two axes change places in memory.
  Tensor placed(const Array& a, bool turned) const {
    return turned ? transpose(up(host_transpose(a, {0, 2, 1})), {0, 2, 1}) : up(a);
  }
  std::vector<Problem> problems() const {
    return {{},
            {.keep = true},
            {.batch = 2, .vectors = 27, .width = 64, .keep = true},
            {.batch = 5, .vectors = 28, .width = 33},
            {.batch = 2, .vectors = 29, .width = 34, .keep = true},
            {.vectors = 1},
            {.vectors = 1, .keep = true},
            {.vectors = 2, .width = 1, .turned = true},
            {.batch = 2, .vectors = 66, .width = 33},
            {.batch = 1, .vectors = 65, .width = 3, .keep = true, .turned = true},
            {.width = 0},
            {.batch = 0},
            {.batch = 300, .vectors = 4, .width = 40, .keep = true}};
  }
  // Against the gradient in f64.
  void gradient_in(rondo_dtype dtype, const Problem& p) {
    const Array x = random_array(dtype, {p.batch, p.vectors, p.width}, 3, -1, 1),
                dy = random_array(dtype, {p.batch, p.columns()}, 4, -1, 1);
    const auto gradient = [&](rondo_dtype in, rondo_device where) {
      const auto put = [&](const Array& a) { return make(rondo_cast, upload(engine(), where, a), in); };
      const Tensor vectors = put(x);
      const Tape tape(engine());
      tape.watch(vectors);
      return tape.gradient(make(rondo_dot_interaction, vectors, static_cast<int32_t>(p.keep)), vectors, put(dy));
    };
    run([&](Results& results) {
      results.keep("gradient", gradient(dtype, device()), [&] {
        Expected expected(download(gradient(RONDO_F64, kCpu)));
        expected.dtype = dtype;
        expected.ulps = is_half(dtype) ? 1 : 0;
        expected.absolute.assign(expected.values.size(), 1000 * unit(dtype));
        return expected;
      });
    });
  }
};
CONFORMANCE_SUITE(Interaction);

TEST_P(Interaction, ProductsAreThoseOfAllPairs) {
  int turn = 0;
  for (const Problem& p : dealt(problems())) {
    SCOPED_TRACE("problem " + std::to_string(turn));
    for (const rondo_dtype dtype : covering({RONDO_F32, RONDO_F16, RONDO_F64, RONDO_BF16}, turn)) {
      const Array x = random_array(dtype, {p.batch, p.vectors, p.width}, 3, -1, 1);
      const Tensor vectors = placed(x, p.turned);
      run(
          [&](Results& results) {
            results.keep("products", make(rondo_dot_interaction, vectors, static_cast<int32_t>(p.keep)),
                         [&] { return products_of(p, x); });
          },
          {.nodes = p.batch > 0 && p.columns() > 0 ? 1 : 0});
    }
    ++turn;
  }
}

TEST_P(Interaction, WritesIntoAViewAndAdds) {
  const Problem p = {.keep = true};
  const Array x = random_array(RONDO_F64, {p.batch, p.vectors, p.width}, 3, -1, 1);
  const Tensor vectors = up(x);
  run([&](Results& results) {
    Tensor wide = make(rondo_copy, up(full(RONDO_F64, {p.batch, p.columns() + 2}, 5)));
    const Tensor part = slice(wide, 1, 1, p.columns() + 1), adding = make(rondo_tensor_accumulator, part);
    into(part, rondo_dot_interaction, vectors, 1);
    into(adding, rondo_dot_interaction, vectors, 1);
    results.keep("wide", std::move(wide), [&] {
      const Expected once = products_of(p, x);
      Expected expected(full(RONDO_F64, {p.batch, p.columns() + 2}, 5));
      expected.absolute.assign(expected.values.size(), 2 * once.absolute[0]);
      const auto columns = static_cast<size_t>(p.columns());
      for (size_t i = 0; i < once.values.size(); ++i)
        expected.values[i / columns * (columns + 2) + 1 + i % columns] = 2 * once.values[i];
      return expected;
    });
  });
}

TEST_P(Interaction, GradientsAreThoseOfDifferences) {
  const std::vector<Problem> all = {{.batch = 2, .vectors = 4, .width = 3, .keep = true},
                                    {.batch = 1, .vectors = 3, .width = 2},
                                    {.batch = 2, .vectors = 1, .width = 2, .keep = true}};
  run([&](Results& results) {
    for (const Problem& p : some(all, 2)) {
      const std::vector<Array> inputs = {random_array(RONDO_F64, {p.batch, p.vectors, p.width}, 5, -1, 1)};
      keep_gradients(results, "vectors " + std::to_string(p.vectors), inputs, [=](const std::vector<Tensor>& in) {
        return make(rondo_dot_interaction, in[0], static_cast<int32_t>(p.keep));
      });
    }
  });
}

TEST_P(Interaction, GradientsInOtherDtypes) {
  const std::vector<Problem> all = {{.batch = 6, .vectors = 27, .width = 16, .keep = true},
                                    {.batch = 3, .vectors = 9, .width = 70, .keep = true},
                                    {.batch = 2, .vectors = 64, .width = 33},
                                    {.batch = 2, .vectors = 66, .width = 5, .keep = true}};
  for (size_t i = 0; i < all.size(); ++i)
    for (const rondo_dtype dtype : covering({RONDO_F32, RONDO_BF16, RONDO_F16}, i)) gradient_in(dtype, all[i]);
}

TEST_P(Interaction, MisuseIsNamed) {
  if (GetParam().graph) return;
  const auto refuses = [&](const std::string& part, rondo_tensor* x, rondo_tensor** out) {
    EXPECT_EQ(rondo_dot_interaction(x, 0, out), RONDO_INVALID_ARGUMENT) << part;
    const std::string text = rondo_last_error();
    EXPECT_NE(text.find("rondo_dot_interaction"), std::string::npos) << text;
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const auto tensor = [&](rondo_dtype dtype, const Shape& shape) { return up(full(dtype, shape, 0)); };
  const Tensor x = tensor(RONDO_F32, {2, 3, 4});
  rondo_tensor* out = nullptr;
  refuses("x is NULL", nullptr, &out);
  refuses("out is NULL", x, nullptr);
  refuses("x is i32 [2, 3, 4]; f16, bf16, f32 or f64 is needed", tensor(RONDO_I32, {2, 3, 4}), &out);
  refuses("x has shape [2, 3]; [batch, vectors, width] is needed", tensor(RONDO_F32, {2, 3}), &out);
  refuses("x has shape [2, 0, 3]; [batch, vectors, width] is needed, at least one vector", tensor(RONDO_F32, {2, 0, 3}),
          &out);
  EXPECT_EQ(out, nullptr);
  rondo_tensor* wrong = x;
  refuses("out", x, &wrong);
}

}  // namespace
}  // namespace conformance
