// The gradient of every operator by a tape, against finite differences in f64, eager and recorded.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "operators/activation_reference.h"
#include "operators/elementwise_reference.h"
#include "tape/tape.h"

namespace conformance {
namespace {

class TapeRules : public OnTape {
 protected:
  static Array values(const Shape& shape, uint32_t seed, double low = -2, double high = 2) {
    return random_array(RONDO_F64, shape, seed, low, high);
  }
};
CONFORMANCE_SUITE(TapeRules);

// A training step in small: product with bias and relu, cross-entropy, mean.
TEST_P(TapeRules, LayerAndLoss) {
  run([&](Results& results) {
    keep_gradients(results, "layer",
                   {values({4, 3}, 1), values({3, 5}, 2), values({5}, 3), array_of(RONDO_I32, {4}, {1, 0, 4, -1})},
                   [](const std::vector<Tensor>& in) {
                     rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
                     options.bias = in[2];
                     options.activation = RONDO_ACTIVATION_RELU;
                     const Tensor h = make(rondo_matmul, in[0], in[1], &options);
                     const Tensor losses = make(rondo_cross_entropy, h, in[3]);
                     return reduce(RONDO_MEAN, losses, {});
                   });
  });
}

// Adding an operand lets those without a gradient take part: theirs must be none.
Tensor plus(const Tensor& y, const Tensor& x) {
  return make(rondo_binary, RONDO_ADD, y, x);
}

TEST_P(TapeRules, Unary) {
  run([&](Results& results) {
    for (int op = 0; op < 256; ++op) {
      const auto code = static_cast<rondo_unary_op>(op);
      if (!rondo_unary_op_name(code) || (sparing() && op % 8 != 0) || code == RONDO_TRIGAMMA) continue;
      const Row row = row_of(code);
      if (row.domain == 'w' || row.boolean) continue;
      const auto f = [=](const std::vector<Tensor>& in) {
        if (row.parameters.empty()) return plus(make(rondo_unary, code, in[0]), in[0]);
        return plus(
            make(rondo_unary_with, code, in[0], static_cast<int32_t>(row.parameters.size()), row.parameters.data()),
            in[0]);
      };
      // The second of digamma is that of trigamma, which has none.
      keep_gradients(results, row.name, {values({7}, 5, row.low, row.high)}, f,
                     code == RONDO_DIGAMMA ? Orders::one : Orders::two);
    }
  });
}

// Two operands that are broadcast to each other, then each as a scalar.
TEST_P(TapeRules, Binary) {
  run([&](Results& results) {
    for (int op = 0; op < 256; ++op) {
      const auto code = static_cast<rondo_binary_op>(op);
      if (!rondo_binary_op_name(code) || (sparing() && op % 8 != 0)) continue;
      const Row row = row_of(code);
      if (row.domain == 'w' || row.boolean) continue;
      const Array a = values({3, 1}, 6, row.low, row.high), b = values({4}, 7, row.low, row.high);
      keep_gradients(results, row.name, {a, b}, [=](const std::vector<Tensor>& in) {
        return plus(plus(make(rondo_binary, code, in[0], in[1]), in[0]), in[1]);
      });
      const double number = (row.low + 2 * row.high) / 3;
      keep_gradients(results, std::string(row.name) + " by a scalar", {b}, [=](const std::vector<Tensor>& in) {
        return plus(make(rondo_binary_scalar, code, in[0], number), in[0]);
      });
      keep_gradients(results, std::string(row.name) + " of a scalar", {b}, [=](const std::vector<Tensor>& in) {
        return plus(make(rondo_scalar_binary, code, number, in[0]), in[0]);
      });
    }
  });
}

TEST_P(TapeRules, TernaryAndSums) {
  run([&](Results& results) {
    for (const auto code : {RONDO_FMA, RONDO_CLAMP, RONDO_LERP}) {
      const Row row = row_of(code);
      keep_gradients(results, row.name, {values({2, 3}, 8), values({3}, 9, -2, 0), values({2, 1}, 10, 0, 2)},
                     [=](const std::vector<Tensor>& in) { return make(rondo_ternary, code, in[0], in[1], in[2]); });
    }
    keep_gradients(results, "add_n", {values({2, 3}, 11), values({3}, 12), values({2, 3}, 13)},
                   [](const std::vector<Tensor>& in) {
                     rondo_tensor* const terms[] = {in[0], in[1], in[2], in[1]};
                     return make(rondo_add_n, 4, static_cast<rondo_tensor* const*>(terms));
                   });
    const Array choice = array_of(RONDO_BOOL, {2, 3}, {1, 0, 1, 0, 0, 1});
    keep_gradients(results, "where", {values({2, 3}, 14), values({3}, 15), choice},
                   [](const std::vector<Tensor>& in) { return make(rondo_where, in[2], in[0], in[1]); });
  });
}

// The same tensor twice, and a value that several operators use.
TEST_P(TapeRules, Shared) {
  run([&](Results& results) {
    keep_gradients(results, "x * x", {values({5}, 16)},
                   [](const std::vector<Tensor>& in) { return make(rondo_binary, RONDO_MUL, in[0], in[0]); });
    keep_gradients(results, "a diamond", {values({5}, 17, 0.5, 2)}, [](const std::vector<Tensor>& in) {
      const Tensor e = make(rondo_unary, RONDO_EXP, in[0]), l = make(rondo_unary, RONDO_LOG, in[0]);
      return make(rondo_binary, RONDO_MUL, make(rondo_binary, RONDO_DIV, e, l), e);
    });
    keep_gradients(results, "a + a + b", {values({5}, 18), values({5}, 19)},
                   [](const std::vector<Tensor>& in) { return plus(plus(in[0], in[0]), in[1]); });
  });
}

TEST_P(TapeRules, Casts) {
  run([&](Results& results) {
    keep_gradients(
        results, "cast and copy", {array_of(RONDO_F64, {4}, {1, 0.5, -2, 3})},
        [](const std::vector<Tensor>& in) {
          const Tensor single = make(rondo_cast, in[0], RONDO_F32);
          return make(rondo_binary, RONDO_MUL, make(rondo_copy, make(rondo_cast, single, RONDO_F64)), in[0]);
        },
        Orders::one);  // differences of f64 see how f32 rounds
  });
}

TEST_P(TapeRules, Matmul) {
  const std::vector<int> all = {0, 1, 2, 3};
  run([&](Results& results) {
    for (const int transposed : dealt(all)) {
      rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
      options.transpose_a = transposed & 1;
      options.transpose_b = transposed >> 1;
      const Shape a = options.transpose_a ? Shape{3, 2} : Shape{2, 3},
                  b = options.transpose_b ? Shape{4, 3} : Shape{3, 4};
      const auto with = [](const Shape& lead, const Shape& matrix) {
        Shape shape = lead;
        shape.insert(shape.end(), matrix.begin(), matrix.end());
        return shape;
      };
      const std::string label = "transposed " + std::to_string(transposed);
      const auto product = [options](const std::vector<Tensor>& in) {
        return make(rondo_matmul, in[0], in[1], &options);
      };
      keep_gradients(results, label, {values(a, 20), values(b, 21)}, product);
      keep_gradients(results, label + " batches", {values(with({2, 1}, a), 22), values(with({3}, b), 23)}, product);
      keep_gradients(results, label + " one b", {values(with({2, 2}, a), 24), values(b, 25)}, product);
      keep_gradients(results, label + " one a", {values(a, 24), values(with({2}, b), 25)}, product);
      for (const rondo_activation activation : kActivations) {
        keep_gradients(results, label + " activation " + std::to_string(activation),
                       {values(a, 26), values(b, 27), values({4}, 28, -4, 12)}, [=](const std::vector<Tensor>& in) {
                         rondo_matmul_options with_bias = options;
                         with_bias.bias = in[2];
                         with_bias.activation = activation;
                         return make(rondo_matmul, in[0], in[1], &with_bias);
                       });
      }
    }
  });
}

TEST_P(TapeRules, Reductions) {
  run([&](Results& results) {
    for (const auto op : {RONDO_SUM, RONDO_MEAN, RONDO_MAX, RONDO_MIN, RONDO_PROD}) {
      for (const auto& axes : std::vector<std::vector<int32_t>>{{}, {1}, {0, 2}, {-1}}) {
        for (const bool keep : {false, true}) {
          if (sparing() && keep != (axes.size() == 1)) continue;
          const std::string label =
              "reduction " + std::to_string(op) + " over " + std::to_string(axes.size()) + (keep ? " kept" : "");
          keep_gradients(results, label, {values({2, 3, 4}, 30, 0.5, 2)}, [=](const std::vector<Tensor>& in) {
            return make(rondo_unary, RONDO_SQUARE, reduce(op, in[0], axes, keep));
          });
        }
      }
    }
    // Products with zeros: none, one and two in a row.
    keep_gradients(results, "products of zeros", {array_of(RONDO_F64, {3, 3}, {1, 2, 3, 4, 0, 5, 0, 6, 0})},
                   [](const std::vector<Tensor>& in) { return reduce(RONDO_PROD, in[0], {1}); });
  });
}

// Equal ones share.
TEST_P(TapeRules, TiesShare) {
  run([&](Results& results) {
    const Tensor x = up(array_of(RONDO_F64, {2, 3}, {1, 3, 3, 2, 2, 2}));
    const Tape tape(engine());
    tape.watch(x);
    const Tensor y = reduce(RONDO_SUM, reduce(RONDO_MAX, x, {1}), {});
    results.keep("ties", tape.gradient(y, x), [] {
      return Expected(array_of(RONDO_F64, {2, 3}, {0, 0.5L, 0.5L, 1 / 3.0, 1 / 3.0, 1 / 3.0}));
    });
  });
}

TEST_P(TapeRules, Rows) {
  run([&](Results& results) {
    for (const int32_t axis : {0, 1, -1}) {
      const std::string label = " along " + std::to_string(axis);
      keep_gradients(results, "softmax" + label, {values({3, 4}, 31)},
                     [=](const std::vector<Tensor>& in) { return make(rondo_softmax, in[0], axis); });
      keep_gradients(results, "log_softmax" + label, {values({3, 4}, 32)},
                     [=](const std::vector<Tensor>& in) { return make(rondo_log_softmax, in[0], axis); });
      keep_gradients(results, "softmax_grad" + label, {values({3, 4}, 33, 0.1, 0.9), values({3, 4}, 34)},
                     [=](const std::vector<Tensor>& in) { return make(rondo_softmax_grad, in[0], in[1], axis); });
    }
    const Array labels = array_of(RONDO_I32, {4}, {2, 0, 3, 1});
    keep_gradients(results, "cross_entropy", {values({4, 3}, 35), labels},
                   [](const std::vector<Tensor>& in) { return make(rondo_cross_entropy, in[0], in[1]); });
    keep_gradients(results, "cross_entropy_grad", {values({4, 3}, 36), labels},
                   [](const std::vector<Tensor>& in) { return make(rondo_cross_entropy_grad, in[0], in[1], 0.5); });
  });
}

TEST_P(TapeRules, Indexing) {
  run([&](Results& results) {
    const Array indices = array_of(RONDO_I64, {2, 3}, {0, 2, -1, 2, 7, 1});
    keep_gradients(results, "gather_rows", {values({4, 2, 2}, 37), indices},
                   [](const std::vector<Tensor>& in) { return make(rondo_gather_rows, in[0], in[1]); });
    keep_gradients(results, "gather_rows of numbers", {values({4}, 38), indices},
                   [](const std::vector<Tensor>& in) { return make(rondo_gather_rows, in[0], in[1]); });
  });
}

TEST_P(TapeRules, Dropout) {
  run([&](Results& results) {
    // Random numbers differ from call to call, so the mask is what says which gradients to expect.
    must(rondo_engine_seed(engine(), 5));
    const Tensor x = up(full(RONDO_F64, {40}, 1));
    const Tape tape(engine());
    tape.watch(x);
    Tensor y, mask;
    must(rondo_dropout(x, 0.5, y.slot(), mask.slot()));
    Tensor dx = tape.gradient(y, x, up(full(RONDO_F64, {40}, 1)));
    if (!GetParam().graph) {
      const Array kept = download(mask), gradient = download(dx);
      for (size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(gradient[i], kept[i] * 2);
    }
    keep_gradients(results, "dropout_grad", {values({6}, 39), array_of(RONDO_U8, {6}, {1, 0, 1, 1, 0, 0})},
                   [](const std::vector<Tensor>& in) { return make(rondo_dropout_grad, in[0], in[1], 0.25); });
  });
}

// --- views, in every place where a view can stand ---

TEST_P(TapeRules, Views) {
  run([&](Results& results) {
    const auto square = [](const Tensor& x) { return make(rondo_unary, RONDO_SQUARE, x); };
    keep_gradients(results, "slice", {values({5, 4}, 40)},
                   [=](const std::vector<Tensor>& in) { return square(slice(in[0], 0, 1, 5, 2)); });
    keep_gradients(results, "backwards", {values({5, 4}, 41)},
                   [=](const std::vector<Tensor>& in) { return square(slice(in[0], 1, 3, INT64_MIN, -1)); });
    keep_gradients(results, "transpose", {values({2, 3, 4}, 42)}, [=](const std::vector<Tensor>& in) {
      return square(transpose(in[0], {2, 0, 1}));
    });
    keep_gradients(results, "reshape", {values({2, 6}, 43)}, [=](const std::vector<Tensor>& in) {
      return square(reshape(in[0], {3, 4}));
    });
    keep_gradients(results, "broadcast", {values({3, 1}, 44)}, [=](const std::vector<Tensor>& in) {
      return square(broadcast(in[0], {2, 3, 4}));
    });
    keep_gradients(results, "overlapping windows", {values({6}, 45)}, [=](const std::vector<Tensor>& in) {
      return make(rondo_binary, RONDO_MUL, slice(in[0], 0, 0, 4), slice(in[0], 0, 2, 6));
    });
    keep_gradients(results, "a view of a result", {values({4, 3}, 46)}, [=](const std::vector<Tensor>& in) {
      const Tensor y = square(in[0]);
      return make(rondo_matmul, y, transpose(y, {}), nullptr);
    });
    keep_gradients(results, "a broadcast sum", {values({3, 4}, 47)}, [=](const std::vector<Tensor>& in) {
      const Tensor mean = reduce(RONDO_MEAN, in[0], {1}, true);
      return square(make(rondo_binary, RONDO_SUB, in[0], mean));
    });
    keep_gradients(results, "matrices of views", {values({4, 6}, 48), values({3, 4}, 49)},
                   [=](const std::vector<Tensor>& in) {
                     return make(rondo_matmul, transpose(slice(in[0], 1, 0, 6, 2), {}), transpose(in[1], {}), nullptr);
                   });
  });
}

// --- writing where something is already ---

TEST_P(TapeRules, Writing) {
  run([&](Results& results) {
    keep_gradients(results, "in place", {values({5}, 50)}, [](const std::vector<Tensor>& in) {
      Tensor y = make(rondo_copy, in[0]);
      into(y, rondo_binary_scalar, RONDO_MUL, y, 0.5);
      into(y, rondo_binary, RONDO_ADD, y, in[0]);
      into(y, rondo_unary, RONDO_EXP, y);
      return y;
    });
    keep_gradients(results, "into parts", {values({2, 3}, 51), values({4, 3}, 52)}, [](const std::vector<Tensor>& in) {
      Tensor wide = make(rondo_copy, broadcast(slice(in[0], 0, 0, 1), {6, 3}));
      into(slice(wide, 0, 0, 2), rondo_copy, in[0]);
      into(slice(wide, 0, 2, 6), rondo_unary, RONDO_SQUARE, in[1]);
      return make(rondo_unary, RONDO_SQUARE, wide);
    });
    keep_gradients(results, "adding", {values({3}, 53), values({3}, 54)}, [](const std::vector<Tensor>& in) {
      Tensor y = make(rondo_unary, RONDO_SQUARE, in[0]);
      const Tensor adds = make(rondo_tensor_accumulator, y);
      into(adds, rondo_unary, RONDO_EXP, in[1]);
      into(adds, rondo_binary, RONDO_MUL, in[0], in[1]);
      return make(rondo_unary, RONDO_SQUARE, y);
    });
    keep_gradients(results, "overwritten in part", {values({4}, 55)}, [](const std::vector<Tensor>& in) {
      const Tensor y = make(rondo_unary, RONDO_EXP, in[0]), z = make(rondo_copy, y);
      must(rondo_fill(slice(z, 0, 1, 3), 7));
      return make(rondo_binary, RONDO_MUL, z, y);
    });
  });
}

}  // namespace
}  // namespace conformance
