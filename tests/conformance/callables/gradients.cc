// Callables under tapes: forwards and backwards are graphs, and gradients have the bits of eager ones.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "callables/callables.h"
#include "training/mixed_precision.h"

namespace conformance {
namespace {

class CallableGradients : public OnCallables {
 protected:
  // gelu(x w + b), of which the gradients of x, w and b need values of many kinds.
  Called::Body layer(rondo_tensor* w, rondo_tensor* b) const {
    return [w, b](const Inputs& x, Outputs* y) {
      const Tensor product = make(rondo_matmul, x[0], w, nullptr);
      const Tensor sum = make(rondo_binary, RONDO_ADD, product, b);
      y->push_back(make(rondo_unary, RONDO_TANH, sum));
      return RONDO_OK;
    };
  }
  Tensor noise(const Shape& shape, uint32_t seed) const { return up(random_array(RONDO_F32, shape, seed, -1, 1)); }
  static Tensor run(const Called::Body& body, Inputs inputs) {
    std::vector<Tensor> made;
    must(body(inputs, &made));
    return std::move(made[0]);
  }
  // All that a function gives, and its gradients, eagerly and as a callable, twice.
  void expect_eager_bits(int32_t outputs, const Called::Body& body, const Inputs& inputs, const Inputs& sources,
                         size_t of_output = 0) const {
    const Called called(engine(), outputs, body);
    std::vector<Array> expected;
    for (int turn = 0; turn < 3; ++turn) {
      const Tape tape(engine());
      for (rondo_tensor* each : sources) tape.watch(each);
      std::vector<Tensor> y;
      if (turn)
        y = called.all(inputs);
      else
        must(body(inputs, &y));
      const Array shown = download(y[of_output]);
      const Tensor dy = up(random_array(shown.dtype, shown.shape, 9, -1, 1));
      std::vector<Array> got;
      for (const Tensor& each : y) got.push_back(download(each));
      for (const Tensor& each : tape.gradients(y[of_output], sources, dy)) got.push_back(download(each));
      for (size_t i = 0; turn && i < got.size(); ++i)
        expect_same_bits(got[i], expected[i], "turn " + std::to_string(turn) + ", value " + std::to_string(i));
      if (!turn) expected = std::move(got);
    }
    EXPECT_EQ(called.runs(), 1);
    EXPECT_EQ(called.info().hits, 1);
  }
};
CONFORMANCE_ENGINE_SUITE(CallableGradients);

TEST_P(CallableGradients, OfInputsAndOfTensorsFromOutside) {
  const Tensor w = noise({6, 5}, 1), b = noise({5}, 2), x = noise({4, 6}, 3);
  expect_eager_bits(1, layer(w, b), {x}, {x, w, b});
  expect_eager_bits(1, layer(w, b), {x}, {w, b});
  expect_eager_bits(1, layer(w, b), {x}, {x});
  // Handed in instead.
  expect_eager_bits(1,
                    [](const Inputs& in, Outputs* y) {
                      y->push_back(make(rondo_unary, RONDO_TANH, make(rondo_matmul, in[0], in[1], nullptr)));
                      return RONDO_OK;
                    },
                    {x, w}, {x, w});
}

TEST_P(CallableGradients, OfInputsThatAreNotUsedAreZeros) {
  const Tensor w = noise({6, 5}, 1), b = noise({5}, 2), x = noise({4, 6}, 3), unused = noise({7}, 4);
  const auto body = layer(w, b);
  expect_eager_bits(1, [&](const Inputs& in, Outputs* y) { return body({in[0]}, y); }, {x, unused}, {unused, x});
  const Called called(engine(), 1, [&](const Inputs& in, Outputs* y) { return body({in[0]}, y); });
  const Tape tape(engine());
  tape.watch(x), tape.watch(unused);
  const Tensor y = called({x, unused});
  const Tensor dy = noise({4, 5}, 5);
  expect_all(tape.gradient(y, unused, dy), 0);
}

TEST_P(CallableGradients, OfOutputsViewsAndPartsOfWeights) {
  const Tensor both = noise({2, 5}, 4), x = noise({3, 5}, 5);
  const Called::Body body = [&](const Inputs& in, Outputs* y) {
    const Tensor scale = slice(both, 0, 0, 1), shift = slice(both, 0, 1, 2);
    const Tensor scaled = make(rondo_binary, RONDO_MUL, in[0], scale);
    y->push_back(make(rondo_binary, RONDO_ADD, make(rondo_unary, RONDO_EXP, scaled), shift));
    y->push_back(transpose(make(rondo_unary, RONDO_SIN, scaled), {1, 0}));
    y->push_back(reduce(RONDO_ARGMAX, in[0], {1}));
    return RONDO_OK;
  };
  expect_eager_bits(3, body, {x}, {x, both}, 0);
  expect_eager_bits(3, body, {x}, {x, both}, 1);
  // In another order of axes.
  const Tensor turned = transpose(noise({5, 3}, 6), {1, 0});
  expect_eager_bits(3, body, {turned}, {turned, both}, 0);
}

TEST_P(CallableGradients, TrainThroughControlFlow) {
  // Which layer comes next, and how often, the host decides by values; both have the bits of the eager program.
  std::vector<std::vector<Array>> weights;
  for (const bool graphs : {false, true}) {
    std::vector<Tensor> w, b;
    for (uint32_t i = 0; i < 3; ++i) w.push_back(noise({8, 8}, 10 + i)), b.push_back(noise({8}, 20 + i));
    std::vector<Called::Body> bodies;
    std::vector<std::unique_ptr<Called>> called;
    for (size_t i = 0; i < 3; ++i) {
      bodies.push_back(layer(w[i], b[i]));
      called.push_back(std::make_unique<Called>(engine(), 1, bodies[i]));
    }
    const auto apply = [&](size_t i, rondo_tensor* x) { return graphs ? (*called[i])({x}) : run(bodies[i], {x}); };
    const Tensor rate = up(full(RONDO_F32, {}, -0.125));
    const Tensor labels = up(range(RONDO_I64, {4}));
    int second = 0, third = 0;
    for (uint32_t step = 0; step < 8; ++step) {
      const Tensor x = noise({4, 8}, 100 + step);
      const Tape tape(engine());
      Inputs sources;
      for (size_t i = 0; i < 3; ++i) {
        tape.watch(w[i]), tape.watch(b[i]);
        sources.push_back(w[i]), sources.push_back(b[i]);
      }
      Tensor y = apply(0, x);
      while (download(reduce(RONDO_SUM, y, {}))[0] > -2 && second + third < 100) {
        const bool large = download(reduce(RONDO_MAX, y, {}))[0] > Real(0.9);
        y = apply(large ? 1 : 2, y);
        ++(large ? second : third);
        if ((second + third) % 4 == 0) break;
      }
      const Tensor losses = make(rondo_cross_entropy, y, labels);
      const Tensor loss = reduce(RONDO_MEAN, losses, {});
      const std::vector<Tensor> gradients = tape.gradients(loss, sources);
      for (size_t i = 0; i < sources.size(); ++i) {
        const Tensor change = make(rondo_binary, RONDO_MUL, gradients[i], rate);
        into(sources[i], rondo_binary, RONDO_ADD, sources[i], change);
      }
    }
    EXPECT_GT(second, 0);
    EXPECT_GT(third, 0);
    std::vector<Array>& held = weights.emplace_back();
    for (const Tensor& each : w) held.push_back(download(each));
    for (const Tensor& each : b) held.push_back(download(each));
    for (const auto& each : called) EXPECT_LE(each->runs(), graphs ? 2 : 0) << each->report();
  }
  for (size_t i = 0; i < weights[0].size(); ++i)
    expect_same_bits(weights[1][i], weights[0][i], "weights " + std::to_string(i));
}

TEST_P(CallableGradients, NeedWhatWasNotWrittenSince) {
  const Tensor w = noise({6, 5}, 1), b = noise({5}, 2), x = noise({4, 6}, 3);
  const rondo_callable_options options = named("layer");
  const Called called(engine(), 1, layer(w, b), &options);
  const Tape tape(engine());
  tape.watch(w);
  Tensor y = called({x});
  into(x, rondo_binary_scalar, RONDO_MUL, x, 2.0);
  const Tensor dy = noise({4, 5}, 4);
  rondo_tensor *of = y, *given = dy, *source = w, *out = nullptr;
  expect_refused(rondo_tape_gradients(tape, 1, &of, &given, 1, &source, &out), RONDO_INVALID_STATE,
                 "rondo_tape_gradients", "layer");
}

// A gradient's graph counts as soon as it is there, of whatever order it is, not at the next call.
TEST_P(CallableGradients, CountWithTheirCallableAtOnce) {
  const auto body = [](const Inputs& x, Outputs* y) {
    const Tensor sum = reduce(RONDO_SUM, make(rondo_unary, RONDO_EXP, x[0]), {0}, true);
    y->push_back(make(rondo_unary, RONDO_TANH, make(rondo_binary, RONDO_MUL, x[0], sum)));
    return RONDO_OK;
  };
  // Of so many signatures, called before the first gradient is asked for.
  const auto info_after = [&](int64_t limit, bool second, int signatures) {
    rondo_callable_options options = named("counted");
    options.limit_bytes = limit;
    const Called called(engine(), 1, body, &options);
    std::vector<Tensor> inputs, results;
    const Tape outer(engine());
    const Tape inner(engine());
    for (int i = 0; i < signatures; ++i) {
      inputs.push_back(noise({100 + i}, 1));
      outer.watch(inputs.back()), inner.watch(inputs.back());
      results.push_back(called({inputs.back()}));
    }
    EXPECT_EQ(called.info().signatures, signatures) << called.report();
    const Tensor dy = noise({99 + signatures}, 2);
    const Tensor first = inner.gradient(results.back(), inputs.back(), dy);
    if (second) (void)outer.gradient(reduce(RONDO_SUM, first, {}), inputs.back());
    return called.info();
  };
  const int64_t without = 2 * info_after(0, false, 1).bytes;  // more than two signatures of which one has a gradient
  for (const bool second : {false, true}) {
    const int64_t all = info_after(0, second, 2).bytes;
    const rondo_callable_info info = info_after(all - 1, second, 2);
    EXPECT_EQ(info.evictions, 1) << "order " << (second ? 2 : 1);
    EXPECT_EQ(info.signatures, 1);
    EXPECT_LE(info.bytes, all - 1);
  }
  EXPECT_EQ(info_after(without, false, 2).evictions, 0);
}

TEST_P(CallableGradients, AreGivenAgainWhereTheTapeKeeps) {
  const Tensor w = noise({6, 5}, 1), b = noise({5}, 2), x = noise({4, 6}, 3), dy = noise({4, 5}, 4);
  const Called called(engine(), 1, layer(w, b));
  const Tape tape(engine(), RONDO_TAPE_KEEP);
  tape.watch(x);
  const Tensor y = called({x});
  EXPECT_GT(tape.info().kept_bytes, 0);
  const Array once = download(tape.gradient(y, x, dy));
  must(rondo_callable_clear(called));  // the tape has what it needs
  expect_same_bits(download(tape.gradient(y, x, dy)), once, "again");
}

TEST_P(CallableGradients, AreNotedOnlyWhereATapeFollows) {
  const Tensor w = noise({6, 5}, 1), b = noise({5}, 2), x = noise({4, 6}, 3), other = noise({3}, 5);
  const Called called(engine(), 1, layer(w, b));
  const Tensor plain = called({x});
  {
    const Tape tape(engine());
    tape.watch(other);
    called({x});
    must(rondo_tape_pause());
    called({x});
    must(rondo_tape_resume());
    EXPECT_EQ(tape.info().nodes, 0);
  }
  EXPECT_EQ(called.runs(), 1);
  {
    // Weights that a tape follows make another graph, which is found again.
    const Tensor dy = noise({4, 5}, 4);
    for (int i = 0; i < 3; ++i) {
      const Tape tape(engine());
      tape.watch(w);
      const Tensor y = called({x});
      expect_same_bits(download(y), download(plain), "with a tape");
      tape.gradient(y, w, dy);
    }
  }
  EXPECT_EQ(called.runs(), 2);
  EXPECT_EQ(called.info().signatures, 2);
  expect_same_bits(download(called({x})), download(plain), "after it");
  EXPECT_EQ(called.runs(), 2);
}

TEST_P(CallableGradients, RunEagerlyAndInRecordings) {
  const Tensor w = noise({6, 5}, 1), b = noise({5}, 2), x = noise({4, 6}, 3), dy = noise({4, 5}, 4);
  const Called::Body body = layer(w, b);
  const auto gradient = [&](const std::function<Tensor()>& f) {
    const Tape tape(engine());
    tape.watch(w);
    const Tensor y = f();
    return tape.gradient(y, w, dy);
  };
  const Array expected = download(gradient([&] { return run(body, {x}); }));
  rondo_callable_options options = named("waits", RONDO_CALLABLE_FALL_BACK);
  const Called eager(
      engine(), 1,
      [&](const Inputs& in, Outputs* y) {
        y->push_back(run(body, in));
        return rondo_tensor_wait((*y)[0]);
      },
      &options);
  expect_same_bits(download(gradient([&] { return eager({x}); })), expected, "eager");
  EXPECT_EQ(eager.info().fallbacks, 1);
  const Called called(engine(), 1, body);
  Tensor dw;
  const Graph graph = record(engine(), [&] { dw = gradient([&] { return called({x}); }); });
  must(rondo_graph_launch(graph.get()));
  expect_same_bits(download(dw), expected, "recorded");
}

TEST_P(CallableGradients, OfGradientsHaveEagerBits) {
  const Tensor w = noise({6, 5}, 1), b = noise({5}, 2), x = noise({4, 6}, 3), dy = noise({4, 5}, 4);
  const Called::Body body = layer(w, b);
  const Called called(engine(), 1, body);
  std::vector<Array> expected;
  for (int turn = 0; turn < 4; ++turn) {
    const Tape outer(engine());
    for (rondo_tensor* each : Inputs{x, w, b, dy}) outer.watch(each);
    std::vector<Tensor> first;
    {
      const Tape inner(engine());
      inner.watch(x), inner.watch(w);
      first = inner.gradients(turn ? called({x}) : run(body, {x}), {x, w}, dy);
    }
    if (turn == 2) must(rondo_callable_clear(called));  // the tape has what it needs
    const Tensor one = reduce(RONDO_SUM, make(rondo_unary, RONDO_SQUARE, first[0]), {});
    const Tensor other = reduce(RONDO_SUM, make(rondo_unary, RONDO_SIN, first[1]), {});
    const Tensor sum = make(rondo_binary, RONDO_ADD, one, other);
    std::vector<Array> got;
    for (const Tensor& each : first) got.push_back(download(each));
    for (const Tensor& each : outer.gradients(sum, {x, w, b, dy})) got.push_back(download(each));
    for (size_t i = 0; turn && i < got.size(); ++i)
      expect_same_bits(got[i], expected[i], "turn " + std::to_string(turn) + ", value " + std::to_string(i));
    if (!turn) expected = std::move(got);
  }
  EXPECT_EQ(called.runs(), 2);
}

TEST_P(CallableGradients, OfThirdOrderHaveEagerBits) {
  const Tensor x = noise({5}, 3);
  const Called::Body body = [](const Inputs& in, Outputs* y) {
    y->push_back(make(rondo_unary, RONDO_SIN, make(rondo_unary, RONDO_EXP, in[0])));
    return RONDO_OK;
  };
  const Called called(engine(), 1, body);
  // Of the sum of f, of that gradient's, and so on.
  const std::function<Tensor(bool, int)> derivative = [&](bool graphs, int order) -> Tensor {
    if (!order) return graphs ? called({x}) : run(body, {x});
    const Tape tape(engine());
    tape.watch(x);
    const Tensor y = derivative(graphs, order - 1), ones = up(full(RONDO_F32, {5}, 1));
    return tape.gradient(y, x, ones);
  };
  for (int order = 1; order <= 3; ++order) {
    const Array expected = download(derivative(false, order));
    for (int turn = 0; turn < 2; ++turn)
      expect_same_bits(download(derivative(true, order)), expected, "order " + std::to_string(order));
  }
}

TEST_P(CallableGradients, OfGradientsFlowInRecordings) {
  const Tensor w = noise({6, 5}, 1), b = noise({5}, 2), x = noise({4, 6}, 3), dy = noise({4, 5}, 4);
  const Called called(engine(), 1, layer(w, b));
  const auto second = [&] {
    const Tape outer(engine());
    outer.watch(x);
    Tensor dw;
    {
      const Tape inner(engine());
      inner.watch(w);
      dw = inner.gradient(called({x}), w, dy);
    }
    return outer.gradient(reduce(RONDO_SUM, make(rondo_unary, RONDO_SQUARE, dw), {}), x);
  };
  const Array expected = download(second());
  Tensor made;
  const Graph graph = record(engine(), [&] { made = second(); });
  must(rondo_graph_launch(graph.get()));
  expect_same_bits(download(made), expected, "recorded");
  // The call before the recording, its gradient in it.
  const Tape tape(engine());
  tape.watch(w);
  const Tensor y = called({x});
  const Array eager = [&] {
    const Tape again(engine());
    again.watch(w);
    return download(again.gradient(run(layer(w, b), {x}), w, dy));
  }();
  Tensor dw;
  const Graph later = record(engine(), [&] { dw = tape.gradient(y, w, dy); });
  must(rondo_graph_launch(later.get()));
  expect_same_bits(download(dw), eager, "recorded later");
}

// Tasks of the user's with a gradient of their own; one of a gradient has none, and is named.
TEST_P(CallableGradients, AreThoseOfTasksWithAGradient) {
  const auto task = [&](rondo_tensor* from, rondo_tensor* to) {
    const rondo_task_options with = task_options("my_task", device());
    must(push_tensors(
        engine(), [](rondo_task_context*) { return RONDO_OK; }, {from}, {to}, &with));
  };
  struct Of {
    rondo_engine* engine;
    rondo_device device;
    bool by_task;
  };
  for (const bool by_task : {false, true}) {
    Of of{engine(), device(), by_task};
    const Called::Body body = [&](const Inputs& in, Outputs* y) {
      Tensor made = make(rondo_unary, RONDO_EXP, in[0]);
      task(in[0], made);
      rondo_tensor *from = in[0], *to = made;
      must(rondo_tape_custom(
          "mine", 1, &from, 1, &to,
          [](void* arg, int32_t, rondo_tensor* const* dy, int32_t, rondo_tensor** dx) {
            const rondo_status status = rondo_binary_scalar(RONDO_MUL, dy[0], 100.0, &dx[0]);
            const Of* const asked = static_cast<Of*>(arg);
            if (status != RONDO_OK || !asked->by_task) return status;
            const rondo_task_options with = task_options("my_gradient", asked->device);
            return push_tensors(
                asked->engine, [](rondo_task_context*) { return RONDO_OK; }, {dy[0]}, {dx[0]}, &with);
          },
          &of, nullptr));
      y->push_back(std::move(made));
      return RONDO_OK;
    };
    const Tensor x = noise({4}, 1), dy = noise({4}, 2);
    expect_eager_bits(1, body, {x}, {x});
    const Called called(engine(), 1, body);
    const Tape outer(engine());
    outer.watch(dy);
    Tensor dx;
    {
      const Tape inner(engine());
      inner.watch(x);
      dx = inner.gradient(called({x}), x, dy);
    }
    const Tensor sum = reduce(RONDO_SUM, dx, {});
    if (!by_task) {
      expect_same_bits(download(outer.gradient(sum, dy)), full(RONDO_F32, {4}, 100), "of the gradient");
      continue;
    }
    rondo_tensor *output = sum, *source = dy, *out = nullptr;
    expect_refused(rondo_tape_gradients(outer, 1, &output, nullptr, 1, &source, &out), RONDO_UNSUPPORTED,
                   "rondo_tape_gradients", "my_gradient");
  }
}

// What a function of a gradient keeps of the function's own tensors has no contents in the recording of the gradient.
TEST_P(CallableGradients, RefuseKeptTensorsOfTheRecording) {
  const Tensor x = noise({4}, 1), dy = noise({4}, 2);
  Tensor kept;
  const Called called(engine(), 1, [&](const Inputs& in, Outputs* y) {
    Tensor made = make(rondo_unary, RONDO_EXP, in[0]);
    kept = make(rondo_unary, RONDO_SIN, made);
    rondo_tensor *from = in[0], *to = made;
    must(rondo_tape_custom(
        "mine", 1, &from, 1, &to,
        [](void* arg, int32_t, rondo_tensor* const* incoming, int32_t, rondo_tensor** dx) {
          return rondo_binary(RONDO_MUL, incoming[0], *static_cast<Tensor*>(arg), &dx[0]);
        },
        &kept, nullptr));
    y->push_back(std::move(made));
    return RONDO_OK;
  });
  const Tape tape(engine());
  tape.watch(x);
  const Tensor y = called({x});
  rondo_tensor *of = y, *given = dy, *source = x, *out = nullptr;
  expect_refused(rondo_tape_gradients(tape, 1, &of, &given, 1, &source, &out), RONDO_INVALID_STATE,
                 "rondo_tape_gradients", "mine");
}

TEST_P(CallableGradients, FlowThroughManyOperands) {
  std::vector<Tensor> weights;
  Inputs sources;
  for (uint32_t i = 0; i < 40; ++i) weights.push_back(noise({4}, 50 + i));
  for (const Tensor& each : weights) sources.push_back(each);
  const Tensor x = noise({4}, 1);
  expect_eager_bits(
      1,
      [&](const Inputs& in, Outputs* y) {
        Tensor value = make(rondo_unary, RONDO_SIN, in[0]);
        for (const Tensor& each : weights)
          value = make(rondo_unary, RONDO_SIN, make(rondo_binary, RONDO_MUL, value, each));
        y->push_back(std::move(value));
        return RONDO_OK;
      },
      {x}, sources);
}

TEST_P(CallableGradients, TakeTheAutocastScopeOfTheirCall) {
  const Tensor w = noise({6, 5}, 1), b = noise({5}, 2), x = noise({4, 6}, 3);
  const Inputs sources = {x, w, b};
  const Called called(engine(), 1, layer(w, b));
  // What a call in a scope leaves: its result, and the gradients.
  const auto all = [&](bool graph, rondo_dtype dtype, const char* wide) {
    std::vector<Array> got;
    const Tape tape(engine());
    for (rondo_tensor* each : sources) tape.watch(each);
    std::unique_ptr<Autocast> scope;
    if (dtype != RONDO_F64) scope = std::make_unique<Autocast>(engine(), dtype);
    if (wide) scope->set(wide, RONDO_PRECISION_SINGLE);
    const Tensor y = graph ? called({x}) : run(layer(w, b), {x});
    scope.reset();
    got.push_back(download(y));
    const Tensor dy = up(random_array(got[0].dtype, got[0].shape, 9, -1, 1));
    for (const Tensor& each : tape.gradients(y, sources, dy)) got.push_back(download(each));
    return got;
  };
  const struct {
    rondo_dtype dtype;  // f64: no scope
    const char* wide;
  } scopes[] = {
      {RONDO_F64, nullptr}, {RONDO_F16, nullptr}, {RONDO_F16, "matmul"}, {RONDO_BF16, nullptr}, {RONDO_F32, nullptr}};
  std::vector<Array> products;
  for (int turn = 0; turn < 2; ++turn)
    for (const auto& scope : scopes) {
      const std::vector<Array> expected = all(false, scope.dtype, scope.wide);
      const std::vector<Array> got = all(true, scope.dtype, scope.wide);
      if (!turn) products.push_back(got[0]);
      for (size_t i = 0; i < expected.size(); ++i)
        expect_same_bits(got[i], expected[i],
                         "value " + std::to_string(i) + " in a scope of " + rondo_dtype_name(scope.dtype));
    }
  // One for each scope that casts otherwise; that of f32 is none.
  EXPECT_EQ(called.runs(), 4) << called.report();
  EXPECT_NE(products[0].bytes, products[1].bytes) << "the scope has cast nothing";
  EXPECT_NE(products[1].bytes, products[3].bytes);
  EXPECT_EQ(products[0].bytes, products[2].bytes);
  EXPECT_NE(called.report().find("in an autocast scope of f16, matmul 1"), std::string::npos) << called.report();
}

TEST_P(CallableGradients, ComeInAnyThread) {
  const Tensor w = noise({6, 5}, 1), b = noise({5}, 2), x = noise({4, 6}, 3), dy = noise({4, 5}, 4);
  const Called called(engine(), 1, layer(w, b));
  Array expected;
  {
    const Tape tape(engine());
    tape.watch(x);
    const Tensor y = run(layer(w, b), {x});
    expected = download(tape.gradient(y, x, dy));
  }
  from_threads(4, [&](int) {
    for (int i = 0; i < 10; ++i) {
      const Tape tape(engine());
      tape.watch(x);
      const Tensor y = called({x});
      expect_same_bits(download(tape.gradient(y, x, dy)), expected, "gradient");
    }
  });
  EXPECT_EQ(called.runs(), 1);
}

}  // namespace
}  // namespace conformance
