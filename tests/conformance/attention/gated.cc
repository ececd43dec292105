// Gated activations against their definition: halves of one tensor, broadcasting, in place; gradients; what a graph
// makes of them and their neighbours.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/tape.h"

namespace conformance {
namespace {

constexpr rondo_unary_op kGates[] = {RONDO_SILU, RONDO_GELU, RONDO_GELU_TANH, RONDO_SIGMOID, RONDO_RELU, RONDO_ELU};

Real gate_of(rondo_unary_op op, Real x) {
  const auto sigmoid = [](Real t) { return 1 / (1 + std::exp(-t)); };
  switch (op) {
    case RONDO_SILU: return x * sigmoid(x);
    case RONDO_GELU: return x * std::erfc(-x / std::sqrt(2.0L)) / 2;
    case RONDO_GELU_TANH:
      return x * sigmoid(2 * std::sqrt(2 / 3.14159265358979323846264338L) * (x + 0.044715L * x * x * x));
    case RONDO_SIGMOID: return sigmoid(x);
    case RONDO_RELU: return std::max<Real>(x, 0);
    case RONDO_ELU: return x > 0 ? x : std::expm1(x);
    default: throw std::logic_error("no reference");
  }
}

class Gated : public OnTape {
 protected:
  static Expected expected(rondo_unary_op op, const Array& a, const Array& gate, const Shape& shape, double ulps) {
    const rondo_dtype wider = std::max(a.dtype, gate.dtype);  // the floats have their numbers in this order
    Expected made(wider, shape, ulps);
    const Array all_a = host_broadcast(a, shape), all_gate = host_broadcast(gate, shape);
    for (size_t i = 0; i < made.values.size(); ++i) made.values[i] = all_a[i] * gate_of(op, all_gate[i]);
    return made;
  }
  static Tensor gated(rondo_unary_op op, rondo_tensor* a, rondo_tensor* gate) { return make(rondo_gated, op, a, gate); }
  // [..., n] and [..., n] side by side.
  static Array pack(const Array& a, const Array& gate) {
    Shape shape = a.shape;
    const auto n = static_cast<size_t>(shape.back());
    shape.back() *= 2;
    Array both(a.dtype, shape);
    for (size_t i = 0; i < a.size(); ++i) {
      both.set(i / n * 2 * n + i % n, a[i]);
      both.set(i / n * 2 * n + n + i % n, gate[i]);
    }
    return both;
  }
  static Tensor half(rondo_tensor* packed, int64_t which) {
    const rondo_tensor_info info = query(packed);
    const int64_t n = info.shape[info.ndim - 1] / 2;
    return slice(packed, info.ndim - 1, which * n, which * n + n);
  }
};
CONFORMANCE_SUITE(Gated);

TEST_P(Gated, HalvesOfOneTensor) {
  int turn = 0;
  for (const rondo_unary_op op : dealt(std::vector<rondo_unary_op>(std::begin(kGates), std::end(kGates))))
    for (const Shape& shape : {Shape{6, 40}, Shape{2, 3, 7}}) {
      const rondo_dtype dtype = covering({RONDO_F32, RONDO_BF16, RONDO_F64, RONDO_F16}, turn++)[0];
      const Array a = random_array(dtype, shape, 5, -6, 6), gate = random_array(dtype, shape, 6, -5, 8);
      run([&](Results& results) {
        const Tensor packed = up(pack(a, gate));
        results.keep(rondo_unary_op_name(op), gated(op, half(packed, 0), half(packed, 1)),
                     [=] { return expected(op, a, gate, shape, is_half(dtype) ? 0.6 : 72); });
      });
    }
}

TEST_P(Gated, BroadcastsAndPromotes) {
  const Array a = random_array(RONDO_F16, {4, 1, 5}, 1, -6, 6), gate = random_array(RONDO_F32, {3, 1}, 2, -6, 6);
  run([&](Results& results) {
    results.keep("gated", gated(RONDO_SILU, up(a), up(gate)), [=] {
      return expected(RONDO_SILU, a, gate, {4, 3, 5}, 16);
    });
  });
}

TEST_P(Gated, InPlaceOfEither) {
  const Array a = random_array(RONDO_F32, {30}, 1, -6, 6), gate = random_array(RONDO_F32, {30}, 2, -5, 6);
  run([&](Results& results) {
    for (const bool of_gate : {false, true}) {
      Tensor x = make(rondo_copy, up(a)), g = make(rondo_copy, up(gate));
      into(of_gate ? g : x, rondo_gated, RONDO_GELU, x, g);
      results.keep("in place", of_gate ? std::move(g) : std::move(x),
                   [=] { return expected(RONDO_GELU, a, gate, {30}, 72); });
    }
  });
}

TEST_P(Gated, EmptyIsNoWork) {
  run(
      [&](Results& results) {
        results.keep("gated", gated(RONDO_SILU, up(Array(RONDO_F32, {0, 3})), up(Array(RONDO_F32, {3}))), [] {
          return Expected(RONDO_F32, {0, 3});
        });
      },
      {.nodes = 0});
}

TEST_P(Gated, Gradients) {
  const Array a = random_array(RONDO_F64, {2, 6}, 3, -3, 3), gate = random_array(RONDO_F64, {2, 6}, 4, -3, 3);
  run([&](Results& results) {
    for (const rondo_unary_op op : some(std::vector<rondo_unary_op>(std::begin(kGates), std::end(kGates)), 3)) {
      const auto f = [op](const std::vector<Tensor>& in) { return gated(op, in[0], in[1]); };
      keep_gradients(results, rondo_unary_op_name(op), {a, gate}, f, Orders::one);
    }
    // Of one tensor's halves, of what is broadcast, of the gradient.
    keep_gradients(results, "halves", {pack(a, gate)},
                   [](const std::vector<Tensor>& in) { return gated(RONDO_SILU, half(in[0], 0), half(in[0], 1)); });
    keep_gradients(
        results, "broadcast", {a, random_array(RONDO_F64, {2, 1}, 5, -3, 3)},
        [](const std::vector<Tensor>& in) { return gated(RONDO_GELU, in[0], in[1]); }, Orders::one);
    keep_gradients(
        results, "itself", {a}, [](const std::vector<Tensor>& in) { return gated(RONDO_GELU_TANH, in[0], in[0]); },
        Orders::one);
  });
}

TEST_P(Gated, GradientThatNobodyWantsIsNotMade) {
  const Array a = random_array(RONDO_F32, {8}, 3, -3, 3), gate = random_array(RONDO_F32, {8}, 4, -3, 3);
  run([&](Results& results) {
    for (const bool of_gate : {false, true}) {
      const Tensor x = up(a), g = up(gate);
      const Tape tape(engine());
      tape.watch(of_gate ? g : x);
      const Tensor out = gated(RONDO_SILU, x, g);
      results.keep("gradient", tape.gradient(out, of_gate ? g : x, up(full(RONDO_F32, {8}, 2))), [=] {
        Expected made(RONDO_F32, {8}, 16);
        for (size_t i = 0; i < 8; ++i) {
          const Real s = 1 / (1 + std::exp(-gate[i]));
          made.values[i] = 2 * (of_gate ? a[i] * s * (1 + gate[i] * (1 - s)) : gate[i] * s);
        }
        return made;
      });
    }
  });
}

// Of f32 on every device: on the host operators of 16-bit floats have faster loops by themselves.
TEST_P(Gated, IsOneKernelWithItsNeighboursInAGraph) {
  if (!GetParam().graph) return;
  const Array a = random_array(RONDO_F32, {4, 6}, 1, -2, 2), bias = random_array(RONDO_F32, {12}, 2, -2, 2);
  const Tensor packed = up(pack(a, a)), of_bias = up(bias);
  const auto compute = [&] {
    const Tensor x = make(rondo_binary, RONDO_ADD, half(packed, 0), half(of_bias, 0));
    const Tensor g = make(rondo_binary, RONDO_ADD, half(packed, 1), half(of_bias, 1));
    return make(rondo_binary_scalar, RONDO_MUL, gated(RONDO_SILU, x, g), 0.5);
  };
  const Array eager = download(compute());
  Tensor out;
  const Graph graph = record(engine(), [&] { out = compute(); });
  must(rondo_graph_launch(graph.get()));
  expect_same_bits(download(out), eager, "launched");
  const rondo_graph_info info = graph_info(graph.get());
  EXPECT_EQ(info.tasks, 1) << graph_report(graph.get());
}

TEST_P(Gated, GradientsOfBothAreOneTask) {
  if (!GetParam().graph) return;
  const Array a = random_array(RONDO_F32, {4, 6}, 1, -2, 2), gate = random_array(RONDO_F32, {4, 6}, 2, -2, 2);
  const Tensor x = up(a), g = up(gate), dy = up(full(RONDO_F32, {4, 6}, 1));
  const Tensor dx = up(full(RONDO_F32, {4, 6}, 0)), dg = up(full(RONDO_F32, {4, 6}, 0));
  const Graph graph = record(engine(), [&] {
    const Tape tape(engine());
    tape.watch(x);
    tape.watch(g);
    const Tensor out = gated(RONDO_SILU, x, g);
    rondo_tensor *outputs[] = {out}, *given[] = {dy}, *sources[] = {x, g}, *made[] = {dx, dg};
    must(rondo_tape_gradients(tape, 1, outputs, given, 2, sources, made));
  });
  EXPECT_EQ(graph_info(graph.get()).tasks, 1) << graph_report(graph.get());
  must(rondo_graph_launch(graph.get()));
  Expected of_a(RONDO_F32, {4, 6}, 16), of_gate(RONDO_F32, {4, 6}, 16);
  of_gate.absolute.assign(a.size(), 1e-6L);  // where the slope is near 0
  for (size_t i = 0; i < a.size(); ++i) {
    const Real s = 1 / (1 + std::exp(-gate[i]));
    of_a.values[i] = gate[i] * s;
    of_gate.values[i] = a[i] * s * (1 + gate[i] * (1 - s));
  }
  expect_as(download(dx), of_a, "of a");
  expect_as(download(dg), of_gate, "of the gate");
}

TEST_P(Gated, MisuseIsNamed) {
  if (GetParam().graph) return;
  const Tensor a = up(full(RONDO_F32, {2, 3}, 1)), whole = up(full(RONDO_I32, {2, 3}, 1)),
               other = up(full(RONDO_F32, {2, 4}, 1));
  const auto refuses = [&](const std::string& part, int op, rondo_tensor* x, rondo_tensor* gate) {
    rondo_tensor* out = nullptr;
    EXPECT_EQ(rondo_gated(static_cast<rondo_unary_op>(op), x, gate, &out), RONDO_INVALID_ARGUMENT) << part;
    const std::string said = rondo_last_error();
    EXPECT_NE(said.find("rondo_gated"), std::string::npos) << said;
    EXPECT_NE(said.find(part), std::string::npos) << said;
    EXPECT_EQ(out, nullptr);
  };
  refuses("op is 255, which is no rondo_unary_op", 255, a, a);
  refuses("(isnan), which gives bool; an activation is needed", RONDO_ISNAN, a, a);
  refuses("(bit_not), which is for integers and bool", RONDO_BIT_NOT, a, a);
  refuses("(clip), which has parameters without defaults", RONDO_CLIP, a, a);
  refuses("(trigamma), which has a gradient that no operator computes", RONDO_TRIGAMMA, a, a);
  refuses("a is NULL", RONDO_SILU, nullptr, a);
  refuses("gate is NULL", RONDO_SILU, a, nullptr);
  refuses("a has dtype i32; a float dtype is needed", RONDO_SILU, whole, a);
  refuses("gate has dtype i32; a float dtype is needed", RONDO_SILU, a, whole);
  refuses("gate of shape [2, 4] and a of shape [2, 3] do not broadcast", RONDO_SILU, a, other);
  EXPECT_EQ(rondo_gated(RONDO_SILU, a, a, nullptr), RONDO_INVALID_ARGUMENT);
  EXPECT_NE(std::string(rondo_last_error()).find("out is NULL"), std::string::npos) << rondo_last_error();
}

}  // namespace
}  // namespace conformance
