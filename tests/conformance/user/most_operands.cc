// Generated kernels with as many operands as there may be, of every dtype: their names must not hide those of types.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <string>
#include <vector>

#include "user/user.h"

namespace conformance {
namespace {

constexpr int kMost = 16;  // tensors that one kernel reads

// Terms of one dtype and their sum, exact in every dtype: 0 to 2, of bool 0 or 1.
struct Terms {
  std::deque<std::string> names;
  std::vector<Tensor> tensors;
  std::vector<rondo_tensor*> handles;
  std::string text;  // "a0 + a1 + ..."

  std::vector<rondo_argument> arguments() const {
    std::vector<rondo_argument> all;
    for (size_t i = 0; i < handles.size(); ++i) all.push_back(tensor(names[i].c_str(), handles[i]));
    return all;
  }
};

class MostOperands : public OnEngine {
 protected:
  static Array term(rondo_dtype dtype, const Shape& shape, int number) {
    Array array(dtype, shape);
    const size_t values = dtype == RONDO_BOOL ? 2 : 3;
    for (size_t i = 0; i < array.size(); ++i) array.set(i, Real((i + static_cast<size_t>(number)) % values));
    return array;
  }
  static Expected sum_of(rondo_dtype dtype, const Shape& shape, int terms) {
    Expected sum(dtype, shape, 0);
    for (int k = 0; k < terms; ++k) {
      const Array each = term(dtype, shape, k);
      for (size_t i = 0; i < each.size(); ++i)
        sum.values[i] = dtype == RONDO_BOOL ? std::max(sum.values[i], each[i]) : sum.values[i] + each[i];
    }
    return sum;
  }
  Terms terms(rondo_dtype dtype, const Shape& shape, int count = kMost) const {
    Terms made;
    for (int k = 0; k < count; ++k) {
      made.names.push_back("a" + std::to_string(k));
      made.text += (k ? " + " : "") + made.names.back();
      made.tensors.push_back(up(term(dtype, shape, k)));
      made.handles.push_back(made.tensors.back());
    }
    return made;
  }
  // Each dtype has kernels of its own; where they are dear, the shortest name of a type and another one's.
  std::vector<rondo_dtype> dtypes() const {
    if (!sparing()) return {std::begin(kAllDtypes), std::end(kAllDtypes)};
    if (integer_of_share() == RONDO_I8) return {RONDO_I8};
    return {RONDO_I8, integer_of_share()};
  }
};
CONFORMANCE_SUITE(MostOperands);

TEST_P(MostOperands, AreAddedInEveryDtype) {
  for (const rondo_dtype dtype : dtypes()) {
    const Terms flat = terms(dtype, {3, 5}), square = terms(dtype, {40, 33});
    // One lies turned, which a kernel with tiles reads; one is a row for all.
    const Tensor turned = transpose(up(term(dtype, {33, 40}, 0)), {1, 0}), row = up(term(dtype, {1, 33}, 0));
    std::vector<rondo_tensor*> tiled = square.handles, strided = square.handles;
    tiled[9] = turned;
    strided[9] = row;
    run([&](Results& results) {
      const std::string name = rondo_dtype_name(dtype);
      results.keep(name, make(rondo_add_n, kMost, flat.handles.data()), [&] { return sum_of(dtype, {3, 5}, kMost); });
      if (sparing()) return;
      const auto with = [&](const Array& other) {  // in the place of term 9
        Expected sum = sum_of(dtype, {40, 33}, kMost);
        if (dtype == RONDO_BOOL) return sum;
        const Array before = term(dtype, {40, 33}, 9);
        for (size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += other[i % other.size()] - before[i];
        return sum;
      };
      results.keep(name + ", one turned", make(rondo_add_n, kMost, tiled.data()),
                   [&, with] { return with(download(turned)); });
      results.keep(name + ", one a row", make(rondo_add_n, kMost, strided.data()),
                   [&, with] { return with(download(row)); });
    });
  }
}

TEST_P(MostOperands, AreReducedInEveryDtype) {
  for (const rondo_dtype dtype : dtypes()) {
    const Terms all = terms(dtype, {4, 6});
    const Expression text(("y = max(" + all.text + ", axis = 1)").c_str());
    const std::vector<rondo_argument> arguments = all.arguments();
    run([&](Results& results) {
      rondo_tensor* made = nullptr;
      must(rondo_expression_run(text, kMost, arguments.data(), 1, &made));
      results.keep(rondo_dtype_name(dtype), Tensor(made), [&] {
        const Expected sum = sum_of(dtype, {4, 6}, kMost);
        Expected out(dtype, {4}, 0);
        for (size_t i = 0; i < 4; ++i)
          out.values[i] = *std::max_element(sum.values.begin() + static_cast<std::ptrdiff_t>(i * 6),
                                            sum.values.begin() + static_cast<std::ptrdiff_t>(i * 6 + 6));
        return out;
      });
    });
  }
}

TEST_P(MostOperands, OfSetsAreAddedInEveryDtype) {
  for (const rondo_dtype dtype : dtypes()) {
    const Terms one = terms(dtype, {7}), two = terms(dtype, {5});
    const Expression text(("y = " + one.text).c_str());
    std::vector<rondo_argument> arguments = one.arguments();
    for (const rondo_argument& each : two.arguments()) arguments.push_back(each);
    run([&](Results& results) {
      rondo_tensor* made[2] = {};
      must(rondo_expression_run_each(text, 2, kMost, arguments.data(), 1, made));
      results.keep(rondo_dtype_name(dtype), Tensor(made[0]), [&] { return sum_of(dtype, {7}, kMost); });
      results.keep(rondo_dtype_name(dtype), Tensor(made[1]), [&] { return sum_of(dtype, {5}, kMost); });
    });
  }
}

}  // namespace
}  // namespace conformance
