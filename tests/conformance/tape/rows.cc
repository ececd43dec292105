// Gradients along rows: running values, normalisations, what was put; first and second, against finite differences in
// f64, eager and recorded.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "operators/normalisations.h"
#include "tape/tape.h"

namespace conformance {
namespace {

using Inputs = std::vector<Tensor>;

class TapeRows : public OnTape {
 protected:
  static Array values(const Shape& shape, uint32_t seed, double low = -2, double high = 2) {
    return random_array(RONDO_F64, shape, seed, low, high);
  }
  // The gradient of the sum of f squared with respect to the first of its inputs, as a function again.
  Function gradient_of(const Function& f) const {
    return [this, f](const Inputs& in) {
      const Tape inner(engine());
      inner.watch(in[0]);
      const Tensor y = f(in);
      return inner.gradient(reduce(RONDO_SUM, make(rondo_unary, RONDO_SQUARE, y), {}), in[0]);
    };
  }
};
CONFORMANCE_SUITE(TapeRows);

const std::vector<rondo_reduce_op> kRunning = {RONDO_SUM,     RONDO_PROD,      RONDO_MAX,    RONDO_MIN,
                                               RONDO_L1_NORM, RONDO_LOGSUMEXP, RONDO_NANSUM, RONDO_NANPROD};

TEST_P(TapeRows, Running) {
  run([&](Results& results) {
    for (const rondo_reduce_op op : some(kRunning, 2)) {
      for (const bool back : {false, true}) {
        const std::string label = rondo_reduce_op_name(op) + std::string(back ? " back" : "");
        keep_gradients(results, label, {values({2, 4, 2}, 1)},
                       [=](const Inputs& in) { return make(rondo_cumulative, op, in[0], 1, back); });
      }
      keep_gradients(results, rondo_reduce_op_name(op) + std::string(" of a transposed one"), {values({4, 2}, 2)},
                     [=](const Inputs& in) {
                       return make(rondo_cumulative, op, transpose(in[0], {1, 0}), 1, 0);
                     });
    }
  });
}

// Zeros in products, missing numbers, equal elements: where differences say nothing or formulas divide by zero.
TEST_P(TapeRows, RunningSpecialValues) {
  run([&](Results& results) {
    const auto gradient = [&](rondo_reduce_op op, const std::vector<Real>& x, const std::vector<Real>& expected) {
      const Array a = array_of(RONDO_F64, {static_cast<int64_t>(x.size())}, x);
      const Tensor in = up(a), dy = up(array_of(RONDO_F64, a.shape, {1, 10, 100, 1000}));
      const Tape tape(engine());
      tape.watch(in);
      const Tensor y = make(rondo_cumulative, op, in, 0, 0);
      results.keep(rondo_reduce_op_name(op), tape.gradient(y, in, dy), [=] {
        Expected exact(RONDO_F64, a.shape);
        exact.values = expected;
        exact.absolute.assign(4, 1e-9L);
        return exact;
      });
    };
    // y = x0, x0 x1, ...
    gradient(RONDO_PROD, {2, 0, 3, 5}, {1, 2 * (10 + 300 + 15000), 0, 0});
    gradient(RONDO_PROD, {2, 0, 0, 5}, {1, 20, 0, 0});
    gradient(RONDO_PROD, {0, 2, 3, 4}, {1 + 20 + 600 + 24000, 0, 0, 0});
    gradient(RONDO_NANPROD, {2, NAN, 3, 5}, {1 + 10 + 300 + 15000, 0, 200 + 10000, 6000});
    gradient(RONDO_NANSUM, {2, NAN, 3, NAN}, {1111, 0, 1100, 0});
    gradient(RONDO_MAX, {1, 1, 0, 2}, {1, 110, 0, 1000});
    gradient(RONDO_MIN, {1, 0, 0, 2}, {1, 10, 1100, 0});
    gradient(RONDO_L1_NORM, {0, -1, 2, -3}, {0, -1110, 1100, -1000});
    gradient(RONDO_LOGSUMEXP, {800, -INFINITY, -800, 800}, {1 + 10 + 100 + 500, 0, 0, 500});
  });
}

TEST_P(TapeRows, Normalised) {
  const std::vector<std::pair<Shape, int32_t>> cases = {{{3, 7}, 1}, {{3, 7}, 0}, {{2, 5, 3}, 1}, {{2, 1100}, -1}};
  run([&](Results& results) {
    for (const auto& [shape, axis] : some(cases, 4)) {
      const int64_t n = shape[static_cast<size_t>(axis < 0 ? 1 : axis)];
      if (n > 100 && !on_cuda()) continue;  // differences of so many take long
      const std::string label = "case " + std::to_string(n);
      std::vector<Array> inputs = {values(shape, 1), values({n}, 2, 0.5, 2), values({n}, 3)};
      if (n > 100) inputs[0] = full(RONDO_F64, shape, 1);  // its gradient is 0
      for (const NormalisationCase& each : normalisations()) {
        if (n > 100 && each.name != "layer_norm") continue;
        const std::vector<Array> own(inputs.begin(), inputs.begin() + (each.takes_bias ? 3 : 2));
        keep_gradients(results, label + " " + each.name, own, [&each, axis = axis](const Inputs& in) {
          return each(in[0], axis, in[1], each.takes_bias ? static_cast<rondo_tensor*>(in[2]) : nullptr, 1e-3);
        });
      }
      if (n > 100) continue;
      keep_gradients(results, label + " plain", {inputs[0]}, [axis = axis](const Inputs& in) {
        const Tensor y = make(rondo_layer_norm, in[0], axis, nullptr, nullptr, 1e-3);
        return make(rondo_binary, RONDO_MUL, y, make(rondo_rms_norm, in[0], axis, nullptr, 1e-3));
      });
      keep_gradients(results, label + " bias alone", {inputs[0], inputs[2]}, [axis = axis](const Inputs& in) {
        return make(rondo_layer_norm, in[0], axis, nullptr, in[1], 1e-3);
      });
    }
  });
}

// In 16 and 32 bits against the gradient in f64.
TEST_P(TapeRows, NormalisedInOtherDtypes) {
  for (const rondo_dtype dtype : covering({RONDO_F32, RONDO_F16, RONDO_BF16}, 1)) {
    run([&](Results& results) {
      const Array x = random_array(dtype, {5, 33}, 4, -2, 2), w = random_array(dtype, {33}, 5, 0.5, 2),
                  dy = random_array(dtype, {5, 33}, 6, -1, 1);
      const auto gradients = [=, this](rondo_dtype in, rondo_device where) {
        const auto cast = [&](const Array& a) { return make(rondo_cast, upload(engine(), where, a), in); };
        const Tensor a = cast(x), weight = cast(w), change = cast(dy);
        const Tape tape(engine());
        tape.watch(a), tape.watch(weight);
        return tape.gradients(make(rondo_layer_norm, a, 1, weight, nullptr, 1e-3), {a, weight}, change);
      };
      std::vector<Tensor> got = gradients(dtype, device());
      for (size_t i = 0; i < got.size(); ++i)
        results.keep("gradient " + std::to_string(i), std::move(got[i]), [=] {
          const Array exact = download(gradients(RONDO_F64, kCpu)[i]);
          Expected expected(dtype, exact.shape, 2);
          expected.absolute.resize(exact.size());
          for (size_t k = 0; k < exact.size(); ++k)
            expected.values[k] = exact[k], expected.absolute[k] = 1024 * unit(dtype);
          return expected;
        });
    });
  }
}

// What replaces: the last of those with one index counts, and what was there before counts where nothing was put.
TEST_P(TapeRows, Put) {
  const Array flat = array_of(RONDO_I64, {5}, {0, 2, -1, 0, 7}),
              lines = array_of(RONDO_I32, {2, 4}, {0, 0, -1, 9, 2, 1, 1, 1}),
              line = array_of(RONDO_I32, {1, 2}, {2, 0});
  const auto put = [](const Inputs& in, int axis, bool along) {
    Tensor to = make(rondo_unary, RONDO_SQUARE, in[0]);
    must(along ? rondo_put_along_axis(to, in[2], in[1], axis) : rondo_put(to, in[2], in[1], axis));
    return make(rondo_binary, RONDO_MUL, to, to);
  };
  run([&](Results& results) {
    keep_gradients(results, "rows", {values({3, 2}, 1), values({5, 2}, 2), flat},
                   [=](const Inputs& in) { return put(in, 0, false); });
    keep_gradients(results, "rows, one value for all", {values({3, 2}, 1), values({2}, 2), flat},
                   [=](const Inputs& in) { return put(in, 0, false); });
    keep_gradients(results, "in the middle", {values({2, 3, 2}, 3), values({2, 2, 4, 2}, 4), lines},
                   [=](const Inputs& in) { return put(in, 1, false); });
    keep_gradients(results, "along", {values({2, 3}, 5), values({2, 4}, 6), lines},
                   [=](const Inputs& in) { return put(in, 1, true); });
    keep_gradients(results, "along, shared indices", {values({2, 3}, 7), values({2, 1}, 8), line},
                   [=](const Inputs& in) { return put(in, 1, true); });
  });
}

TEST_P(TapeRows, SecondOrder) {
  std::vector<std::pair<std::string, Function>> cases = {
      {"max", [](const Inputs& in) { return reduce(RONDO_MAX, in[0], {1}); }},
      {"prod", [](const Inputs& in) { return reduce(RONDO_PROD, in[0], {1}); }},
      {"l2_norm", [](const Inputs& in) { return reduce(RONDO_L2_NORM, in[0], {0}, true); }},
      {"lp_norm",
       [](const Inputs& in) {
         const double p = 3;
         const int32_t axis = 1;
         return make(rondo_reduce_with, RONDO_LP_NORM, in[0], 1, &axis, 0, 1, &p);
       }},
      {"var", [](const Inputs& in) { return reduce(RONDO_VAR, in[0], {1}); }},
      {"std", [](const Inputs& in) { return reduce(RONDO_STD, in[0], {}); }},
      {"logsumexp", [](const Inputs& in) { return reduce(RONDO_LOGSUMEXP, in[0], {1}); }},
      {"cumulative sum", [](const Inputs& in) { return make(rondo_cumulative, RONDO_SUM, in[0], 1, 0); }},
      {"cumulative prod", [](const Inputs& in) { return make(rondo_cumulative, RONDO_PROD, in[0], 1, 0); }},
      {"cumulative max", [](const Inputs& in) { return make(rondo_cumulative, RONDO_MAX, in[0], 1, 1); }},
      {"cumulative logsumexp", [](const Inputs& in) { return make(rondo_cumulative, RONDO_LOGSUMEXP, in[0], 1, 0); }},
      {"put",
       [](const Inputs& in) {
         Tensor to = make(rondo_unary, RONDO_SQUARE, in[0]);
         must(rondo_put(to, in[2], make(rondo_unary, RONDO_EXP, in[1]), 1));
         return to;
       }},
  };
  for (const NormalisationCase& each : normalisations())
    cases.push_back({each.name, [&each](const Inputs& in) { return each(in[0], 1, in[1], nullptr, 1e-2); }});
  const Array places = array_of(RONDO_I64, {4}, {2, 0, 2, 3});
  run([&](Results& results) {
    for (const auto& [name, f] : some(cases, 4))
      keep_gradients(
          results, name, {values({2, 4}, 9, 0.5, 2), values({4}, 10, 0.5, 2), places},
          [g = gradient_of(f)](const Inputs& in) {
            // Added, so that what an operator does not use has a gradient of 0.
            return make(rondo_binary, RONDO_ADD, g(in), make(rondo_binary, RONDO_MUL, in[1], in[1]));
          },
          of_gradients());
    // Two zeros beside numbers: nothing is divided by them.
    const Array with_zeros = array_of(RONDO_F64, {2, 3}, {0, 2, 3, 1, 2, 3});
    keep_gradients(results, "prod with a zero", {with_zeros},
                   gradient_of([](const Inputs& in) { return reduce(RONDO_PROD, in[0], {1}); }), of_gradients());
  });
}

}  // namespace
}  // namespace conformance
