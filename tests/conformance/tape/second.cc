// Gradients of gradients where they are more than the rule of one operator: what is added up, written in parts, the
// same twice, zeros in products; and that a tape changes nothing of what is computed. Those of each operator are kept
// beside its first (keep_gradients). Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "tape/tape.h"

namespace conformance {
namespace {

using Inputs = std::vector<Tensor>;

class TapeSecond : public OnTape {
 protected:
  static Array values(const Shape& shape, uint32_t seed, double low = -2, double high = 2) {
    return random_array(RONDO_F64, shape, seed, low, high);
  }
  static Tensor unary(rondo_unary_op op, rondo_tensor* a) { return make(rondo_unary, op, a); }
  static Tensor binary(rondo_binary_op op, rondo_tensor* a, rondo_tensor* b) { return make(rondo_binary, op, a, b); }
  // What a graph of body has: tasks, and bytes of temporaries and outputs.
  std::vector<int64_t> recorded(const std::function<void()>& body) const {
    const Graph graph = record(engine(), body);
    rondo_graph_info info = RONDO_GRAPH_INFO_INIT;
    must(rondo_graph_query(graph.get(), &info));
    return {info.tasks, info.temporary_bytes, info.output_bytes};
  }
};
CONFORMANCE_SUITE(TapeSecond);

// A gradient to which others are added is a value that the outer tape keeps.
TEST_P(TapeSecond, AddedUp) {
  run([&](Results& results) {
    keep_gradients(results, "(x + sin 2x) squared", {values({5}, 1)}, [](const Inputs& in) {
      const Tensor turned = unary(RONDO_SIN, make(rondo_binary_scalar, RONDO_MUL, in[0], 2.0));
      return unary(RONDO_SQUARE, binary(RONDO_ADD, in[0], turned));
    });
    keep_gradients(results, "residuals", {values({2, 3}, 2), values({3, 3}, 3, -1, 1)}, [](const Inputs& in) {
      Tensor y = make(rondo_copy, in[0]);
      for (int i = 0; i < 3; ++i) y = binary(RONDO_ADD, y, unary(RONDO_TANH, make(rondo_matmul, y, in[1], nullptr)));
      return y;
    });
    keep_gradients(results, "broadcast", {values({3, 1}, 4), values({4}, 5)}, [](const Inputs& in) {
      const Tensor product = binary(RONDO_MUL, in[0], in[1]), sum = binary(RONDO_ADD, product, in[0]);
      return binary(RONDO_MUL, unary(RONDO_EXP, sum), binary(RONDO_SUB, in[1], product));
    });
    keep_gradients(results, "into an accumulator", {values({4}, 6), values({4}, 7)}, [](const Inputs& in) {
      Tensor sum = unary(RONDO_SQUARE, in[0]);
      const Tensor adds = make(rondo_tensor_accumulator, sum);
      into(adds, rondo_unary, RONDO_SIN, in[1]);
      into(adds, rondo_unary, RONDO_EXP, in[0]);
      return binary(RONDO_MUL, sum, in[1]);
    });
  });
}

// Values that are kept are overwritten only where something is written.
TEST_P(TapeSecond, WrittenInParts) {
  run([&](Results& results) {
    for (const int times : {1, 2})
      keep_gradients(results, "in halves, " + std::to_string(times), {values({4}, 1), values({4}, 2)},
                     [times](const Inputs& in) {
                       const Tensor y = make(rondo_copy, in[1]);
                       for (int i = 0; i < times; ++i) {
                         into(slice(y, 0, 0, 2), rondo_unary, RONDO_EXP, slice(in[0], 0, i, 2 + i));
                         into(slice(y, 0, 2, 4), rondo_unary, RONDO_SIGMOID, slice(in[0], 0, 2 - i, 4 - i));
                       }
                       return binary(RONDO_MUL, unary(RONDO_SQUARE, y), in[1]);
                     });
    // More parts than are looked through one by one, whose elements lie between each other's; some twice, some read.
    keep_gradients(results, "column by column", {values({2, 20}, 4)}, [](const Inputs& in) {
      const Tensor y = make(rondo_copy, in[0]);
      for (int64_t i = 0; i < 20; ++i)
        into(slice(y, 1, i, i + 1), rondo_unary, RONDO_SIN, slice(in[0], 1, (i * 7) % 20, (i * 7) % 20 + 1));
      into(slice(y, 0, 1, 2), rondo_binary_scalar, RONDO_MUL, slice(y, 0, 0, 1), 3.0);
      for (int64_t i = 0; i < 20; i += 3)
        into(slice(y, 1, i, std::min<int64_t>(i + 2, 20)), rondo_binary_scalar, RONDO_MUL,
             slice(y, 1, 0, std::min<int64_t>(2, 20 - i)), -2.0);
      into(slice(y, 1, 1, 20, 4), rondo_unary, RONDO_NEG, slice(y, 1, 0, 20, 4));
      return unary(RONDO_SQUARE, y);
    });
    keep_gradients(results, "row by row", {values({3}, 3)}, [](const Inputs& in) {
      const Tensor rows = make(rondo_copy, broadcast(in[0], {4, 3}));
      for (int64_t i = 1; i < 4; ++i) into(slice(rows, 0, i, i + 1), rondo_unary, RONDO_TANH, slice(rows, 0, i - 1, i));
      return unary(RONDO_SQUARE, rows);
    });
  });
}

TEST_P(TapeSecond, SoftmaxesWithLengths) {
  const Array lengths = array_of(RONDO_I32, {3}, {2, 0, 4});
  run([&](Results& results) {
    for (const auto op : {RONDO_SOFTMAX, RONDO_LOG_SOFTMAX, RONDO_SOFTMIN})
      for (const int32_t axis : {0, 1}) {
        const Shape shape = axis ? Shape{3, 4} : Shape{4, 3};
        keep_gradients(results, std::to_string(op) + " along " + std::to_string(axis), {values(shape, 1), lengths},
                       [=](const Inputs& in) { return make(rondo_softmax_with, op, in[0], axis, 1.5, in[1]); });
      }
  });
}

// The same memory as two operands, as parts that overlap, and one number for many.
TEST_P(TapeSecond, OperandsThatShareMemory) {
  run([&](Results& results) {
    keep_gradients(results, "twice", {values({2, 3}, 1, 0.1, 0.9)},
                   [](const Inputs& in) { return make(rondo_softmax_grad, in[0], in[0], 1); });
    keep_gradients(results, "overlapping", {values({4, 3}, 2, 0.1, 0.9)}, [](const Inputs& in) {
      return make(rondo_softmax_grad, slice(in[0], 0, 0, 3), slice(in[0], 0, 1, 4), 1);
    });
    keep_gradients(results, "broadcast", {values({1, 3}, 3, 0.1, 0.9), values({2, 1}, 4)}, [](const Inputs& in) {
      return make(rondo_softmax_grad, broadcast(in[0], {2, 3}), broadcast(in[1], {2, 3}), 1);
    });
  });
}

TEST_P(TapeSecond, ProductsOfZeros) {
  const Array zeros = array_of(RONDO_F64, {3, 3}, {1, 2, 3, 4, 0, 5, 0, 6, 0}),
              gaps = array_of(RONDO_F64, {3, 3}, {1, NAN, 3, NAN, 0, 5, 0, NAN, 0});
  run([&](Results& results) {
    for (const auto op : {RONDO_PROD, RONDO_NANPROD}) {
      const Array& x = op == RONDO_PROD ? zeros : gaps;
      const std::string name = rondo_reduce_op_name(op);
      keep_gradients(results, name, {x}, [=](const Inputs& in) { return reduce(op, in[0], {1}); });
      keep_gradients(
          results, name + " of all",
          {op == RONDO_PROD ? array_of(RONDO_F64, {2, 2}, {2, 0, 3, 4}) : array_of(RONDO_F64, {2, 2}, {2, 0, NAN, 4})},
          [=](const Inputs& in) { return reduce(op, in[0], {}); });
      for (const bool back : {false, true})
        keep_gradients(results, name + " running" + (back ? " back" : ""), {x},
                       [=](const Inputs& in) { return make(rondo_cumulative, op, in[0], 1, back); });
    }
  });
}

TEST_P(TapeSecond, WhatHasNoneIsNamed) {
  if (GetParam().graph) return;
  const Tensor x = up(values({3}, 1, 2, 3));
  const auto refused = [&](rondo_unary_op op, bool second) {
    const Tape outer(engine());
    outer.watch(x);
    std::optional<Tape> inner;
    if (second) inner.emplace(engine()).watch(x);
    Tensor y = reduce(RONDO_SUM, unary(op, x), {});
    if (second) y = reduce(RONDO_SUM, inner->gradient(y, x), {});
    rondo_tensor *output = y, *source = x, *gradient = nullptr;
    EXPECT_EQ(rondo_tape_gradients(outer, 1, &output, nullptr, 1, &source, &gradient), RONDO_UNSUPPORTED);
    EXPECT_NE(std::string(rondo_last_error()).find("'trigamma' has no gradient"), std::string::npos)
        << rondo_last_error();
  };
  refused(RONDO_TRIGAMMA, false);
  refused(RONDO_DIGAMMA, true);
}

// A pause is the user's: what a gradient is made of is noted all the same where a rule asks for it.
TEST_P(TapeSecond, IsAskedForInAPause) {
  run([&](Results& results) {
    const Array data = values({2, 3}, 1);
    const Tensor x = up(data);
    const Tape outer(engine());
    outer.watch(x);
    const Tape inner(engine());
    inner.watch(x);
    const Tensor y = reduce(RONDO_SUM, unary(RONDO_EXP, unary(RONDO_SIN, x)), {});
    const Tensor first = reduce(RONDO_SUM, inner.gradient(y, x), {});
    must(rondo_tape_pause());
    Tensor second = outer.gradient(first, x);
    must(rondo_tape_resume());
    results.keep("second", std::move(second), [=] {
      Expected expected(RONDO_F64, data.shape);
      expected.absolute.assign(data.size(), 1e-12L);
      for (size_t i = 0; i < data.size(); ++i) {
        const Real s = std::sin(data[i]), c = std::cos(data[i]);
        expected.values[i] = std::exp(s) * (c * c - s);
      }
      return expected;
    });
  });
}

// The same tasks, whether or not another tape is open.
TEST_P(TapeSecond, ComputesTheSameUnderAnotherTape) {
  if (!GetParam().graph) return;
  const auto numbers = [&](const Shape& shape) { return up(random_array(RONDO_F32, shape, 1, 0.5, 2)); };
  const Tensor rows = numbers({4, 6}), line = numbers({6}), image = numbers({2, 3, 6, 6}),
               filter = numbers({4, 3, 3, 3}), channels = numbers({3}),
               labels = up(array_of(RONDO_I32, {4}, {0, 5, 2, 1}));
  const std::vector<std::pair<const char*, std::function<Tensor()>>> cases = {
      {"gelu", [&] { return unary(RONDO_GELU, rows); }},
      {"std", [&] { return reduce(RONDO_STD, rows, {1}); }},
      {"prod", [&] { return reduce(RONDO_PROD, rows, {1}); }},
      {"softmax", [&] { return make(rondo_softmax, rows, 1); }},
      {"cross_entropy", [&] { return make(rondo_cross_entropy, rows, labels); }},
      {"layer_norm", [&] { return make(rondo_layer_norm, rows, 1, line, line, 1e-3); }},
      {"cumulative", [&] { return make(rondo_cumulative, RONDO_PROD, rows, 1, 0); }},
      {"batch_norm",
       [&] {
         rondo_norm_options options = RONDO_NORM_OPTIONS_INIT;
         options.weight = options.bias = channels;
         options.activation = RONDO_ACTIVATION_RELU;
         Tensor out;
         must(rondo_batch_norm_training(image, nullptr, nullptr, 0, &options, out.slot(), nullptr, nullptr));
         return out;
       }},
      {"max_pool",
       [&] {
         const Shape two = {2, 2};
         return make(rondo_max_pool, image, 2, two.data(), nullptr);
       }},
      {"convolution",
       [&] {
         rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
         options.activation = RONDO_ACTIVATION_RELU;
         return make(rondo_convolution, image, filter, &options);
       }},
  };
  const std::vector<rondo_tensor*> sources = {rows, line, image, filter, channels};
  for (const auto& [name, f] : cases) {
    const auto forward = [&, &f = f](int tapes) {
      return recorded([&] {
        std::vector<Tape> open;
        for (int i = 0; i < tapes; ++i) {
          open.emplace_back(engine());
          for (rondo_tensor* each : sources) open.back().watch(each);
        }
        f();
      });
    };
    EXPECT_EQ(forward(0), forward(1)) << name;
    const auto gradients = [&, &f = f](int tapes) {
      return recorded([&] {
        std::vector<Tape> open;
        for (int i = 0; i < tapes; ++i) {
          open.emplace_back(engine());
          for (rondo_tensor* each : sources) open.back().watch(each);
        }
        const Tensor y = f();
        open.back().gradients(y, sources, make(rondo_copy, y));
      });
    };
    EXPECT_EQ(gradients(1)[0], gradients(2)[0]) << name;
  }
}

}  // namespace
}  // namespace conformance
