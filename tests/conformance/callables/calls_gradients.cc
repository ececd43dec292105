// Graphs that are called while a tape is open: it goes back through them, with the bits of eager calls, or says why
// not. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "graphs/calls.h"
#include "tape/tape.h"

namespace conformance {
namespace {

using Body = std::function<std::vector<Tensor>(const std::vector<Tensor>& inputs)>;

class CallGradients : public OnCalls {
 protected:
  Tensor noise(const Shape& shape, uint32_t seed) const { return up(random_array(RONDO_F32, shape, seed, -1, 1)); }
  static Body layer(rondo_tensor* w, rondo_tensor* b) {
    return [w, b](const std::vector<Tensor>& x) {
      const Tensor product = make(rondo_matmul, x[0], w, nullptr);
      return list(make(rondo_unary, RONDO_TANH, make(rondo_binary, RONDO_ADD, product, b)));
    };
  }
  static std::vector<rondo_tensor*> handles(const std::vector<Tensor>& tensors) {
    return {tensors.begin(), tensors.end()};
  }
  // What the body gives of the inputs, and the gradients of output `of`, eagerly, then by calls of its graph.
  void expect_eager_bits(const Body& body, const std::vector<Tensor>& inputs, const std::vector<rondo_tensor*>& sources,
                         size_t outputs = 1, size_t of = 0) const {
    std::vector<Kind> kinds;
    for (const Tensor& each : inputs) {
      const Array shown = download(each);
      kinds.push_back({shown.dtype, shown.shape});
    }
    const Callable graph = callable(kinds, body);
    std::vector<Array> expected;
    for (int turn = 0; turn < 3; ++turn) {
      must(rondo_engine_seed(engine(), 5));
      const Tape tape(engine());
      for (rondo_tensor* each : sources) tape.watch(each);
      const std::vector<Tensor> y = turn ? call_all(graph, handles(inputs), outputs) : body(inputs);
      std::vector<Array> got;
      for (const Tensor& each : y) got.push_back(download(each));
      const Tensor dy = up(random_array(got[of].dtype, got[of].shape, 9, -1, 1));
      for (const Tensor& each : tape.gradients(y[of], sources, dy)) got.push_back(download(each));
      for (size_t i = 0; turn && i < got.size(); ++i)
        expect_same_bits(got[i], expected[i], "turn " + std::to_string(turn) + ", value " + std::to_string(i));
      if (!turn) expected = std::move(got);
    }
  }
  // A call while a tape follows x: no gradient, for reasons that have these words.
  void expect_no_gradient(const Callable& graph, rondo_tensor* x, const std::vector<std::string>& words) const {
    const Tape tape(engine());
    tape.watch(x);
    const Tensor y = call(graph, {x});
    const Tensor sum = reduce(RONDO_SUM, y, {});
    rondo_tensor *of = sum, *source = x, *out = nullptr;
    expect_refused(rondo_tape_gradients(tape, 1, &of, nullptr, 1, &source, &out), RONDO_UNSUPPORTED,
                   "rondo_tape_gradients", nullptr);
    const std::string message = rondo_last_error();
    for (const std::string& word : words) EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
  }
  // Copies its first operand to its second.
  static rondo_status copy_bytes(rondo_task_context* context) {
    void *from = nullptr, *to = nullptr;
    rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
    if (rondo_task_operand(context, 0, &from, nullptr) != RONDO_OK) return RONDO_USER_ERROR;
    if (rondo_task_operand(context, 1, &to, &info) != RONDO_OK) return RONDO_USER_ERROR;
    const auto bytes = static_cast<size_t>(info.bytes);
    if (info.device.kind == RONDO_CPU) {
      std::memcpy(to, from, bytes);
      return RONDO_OK;
    }
    std::string missing;
    return driver(&missing).copy(reinterpret_cast<uintptr_t>(to), reinterpret_cast<uintptr_t>(from), bytes,
                                 rondo_task_stream(context)) == 0
               ? RONDO_OK
               : RONDO_DEVICE_ERROR;
  }
  // A copy of x by a task of the user's.
  Tensor copied(rondo_tensor* x, const Shape& shape) const {
    Tensor y = empty(RONDO_F32, shape);
    const rondo_task_options with = task_options("my_copy", device());
    must(push_tensors(engine(), copy_bytes, {x}, {y}, &with));
    return y;
  }
  // Claims that the gradient is 100 times the incoming one.
  static rondo_status hundredfold(void*, int32_t, rondo_tensor* const* dy, int32_t, rondo_tensor** dx) {
    return rondo_binary_scalar(RONDO_MUL, dy[0], 100.0, &dx[0]);
  }
  static void custom(rondo_tensor* in, rondo_tensor* out) {
    must(rondo_tape_custom("mine", 1, &in, 1, &out, hundredfold, nullptr, nullptr));
  }
};
CONFORMANCE_ENGINE_SUITE(CallGradients);

TEST_P(CallGradients, OfInputsAndOfTensorsFromOutside) {
  const Tensor w = noise({6, 5}, 1), b = noise({5}, 2), x = noise({4, 6}, 3);
  std::vector<Tensor> inputs = list(noise({4, 6}, 3));
  rondo_tensor* const in = inputs[0];
  expect_eager_bits(layer(w, b), inputs, {in, w, b});
  expect_eager_bits(layer(w, b), inputs, {w, b});
  expect_eager_bits(layer(w, b), inputs, {in});
}

TEST_P(CallGradients, OfSeveralOutputsAndInputs) {
  const std::vector<Tensor> inputs = list(noise({3, 5}, 1), noise({5}, 2));
  const Body body = [](const std::vector<Tensor>& x) {
    const Tensor scaled = make(rondo_binary, RONDO_MUL, x[0], x[1]);
    return list(make(rondo_unary, RONDO_EXP, scaled), make(rondo_unary, RONDO_SIN, scaled));
  };
  expect_eager_bits(body, inputs, {inputs[0], inputs[1]}, 2, 0);
  expect_eager_bits(body, inputs, {inputs[0], inputs[1]}, 2, 1);
}

// What several tasks make together is one operator to a tape; passes make others of them.
TEST_P(CallGradients, OfSeveralTasksAndRandomNumbers) {
  const Tensor mean = up(full(RONDO_F32, {3}, 0)), variance = up(full(RONDO_F32, {3}, 1));
  const std::vector<Tensor> inputs = list(noise({4, 3, 2}, 1));
  expect_eager_bits(
      [&](const std::vector<Tensor>& x) {
        rondo_tensor *normal = nullptr, *dropped = nullptr, *mask = nullptr;
        must(rondo_batch_norm_training(x[0], mean, variance, 0.0, nullptr, &normal, nullptr, nullptr));
        const Tensor owned(normal);
        must(rondo_dropout(normal, 0.5, &dropped, &mask));
        const Tensor mask_owned(mask), dropped_owned(dropped);
        return list(make(rondo_unary, RONDO_GELU, dropped_owned));
      },
      inputs, {inputs[0]});
}

TEST_P(CallGradients, WriteWhatTheGraphKeepsOnce) {
  const Tensor calls = up(full(RONDO_F32, {1}, 0)), x = noise({4}, 1);
  const Callable graph = callable({{RONDO_F32, {4}}}, [&](const std::vector<Tensor>& in) {
    into(calls, rondo_binary_scalar, RONDO_ADD, calls, 1.0);
    return list(make(rondo_unary, RONDO_SQUARE, in[0]));
  });
  for (int i = 1; i < 4; ++i) {
    const Tape tape(engine());
    tape.watch(x);
    const Tensor y = call(graph, {x});
    const Tensor dx = tape.gradient(reduce(RONDO_SUM, y, {}), x);
    expect_same_bits(download(dx), download(make(rondo_binary_scalar, RONDO_MUL, x, 2.0)), "2 x");
    EXPECT_EQ(download(calls)[0], i);
  }
}

TEST_P(CallGradients, OfGradientsHaveEagerBits) {
  const Tensor w = noise({6, 5}, 1), b = noise({5}, 2), dy = noise({4, 5}, 4);
  const std::vector<Tensor> inputs = list(noise({4, 6}, 3));
  rondo_tensor* const x = inputs[0];
  const Body body = layer(w, b);
  const Callable graph = callable({{RONDO_F32, {4, 6}}}, body);
  std::vector<Array> expected;
  for (int turn = 0; turn < 3; ++turn) {
    const Tape outer(engine());
    for (rondo_tensor* each : std::vector<rondo_tensor*>{x, w, b}) outer.watch(each);
    std::vector<Tensor> first;
    {
      const Tape inner(engine());
      inner.watch(x), inner.watch(w);
      const std::vector<Tensor> y = turn ? call_all(graph, {x}, 1) : body(inputs);
      first = inner.gradients(y[0], {x, w}, dy);
    }
    const Tensor one = reduce(RONDO_SUM, make(rondo_unary, RONDO_SQUARE, first[0]), {});
    const Tensor other = reduce(RONDO_SUM, make(rondo_unary, RONDO_SQUARE, first[1]), {});
    const Tensor sum = make(rondo_binary, RONDO_ADD, one, other);
    std::vector<Array> got;
    for (const Tensor& each : outer.gradients(sum, {x, w, b})) got.push_back(download(each));
    for (size_t i = 0; turn && i < got.size(); ++i)
      expect_same_bits(got[i], expected[i], "gradient of gradients " + std::to_string(i));
    if (!turn) expected = std::move(got);
  }
}

TEST_P(CallGradients, FlowInRecordingsAndIntoGivenOutputs) {
  const Tensor w = noise({6, 5}, 1), b = noise({5}, 2), x = noise({4, 6}, 3), dy = noise({4, 5}, 4);
  const Tensor y = up(full(RONDO_F32, {4, 5}, 0));
  const Callable graph = callable({{RONDO_F32, {4, 6}}}, layer(w, b));
  const auto gradient = [&] {
    const Tape tape(engine());
    tape.watch(w);
    call_into(graph, {x}, {y});
    return tape.gradient(y, w, dy);
  };
  const Array expected = download(gradient());
  Tensor dw;
  const Graph step = record(engine(), [&] { dw = gradient(); });
  must(rondo_graph_launch(step.get()));
  expect_same_bits(download(dw), expected, "recorded");
}

TEST_P(CallGradients, AreThoseOfTasksWithAGradient) {
  std::string missing;
  if (on_cuda() && !driver(&missing).copy) GTEST_SKIP() << missing;
  const std::vector<Tensor> inputs = list(noise({4}, 1));
  const Body body = [&](const std::vector<Tensor>& x) {
    const Tensor twice = make(rondo_binary_scalar, RONDO_MUL, x[0], 2.0);
    Tensor y = copied(twice, {4});
    custom(twice, y);
    return list(make(rondo_binary_scalar, RONDO_ADD, y, 1.0));
  };
  expect_eager_bits(body, inputs, {inputs[0]});
  // Without one the task is named.
  expect_no_gradient(
      callable({{RONDO_F32, {4}}}, [&](const std::vector<Tensor>& x) { return list(copied(x[0], {4})); }), inputs[0],
      {"my_copy", "rondo_tape_custom"});
}

TEST_P(CallGradients, AreConstantWhereTheRecordingPaused) {
  const Tensor x = noise({4}, 1);
  const Callable graph = callable({{RONDO_F32, {4}}}, [&](const std::vector<Tensor>& in) {
    must(rondo_tape_pause());
    const Tensor constant = make(rondo_unary, RONDO_EXP, in[0]);
    must(rondo_tape_resume());
    return list(make(rondo_binary, RONDO_MUL, constant, in[0]));
  });
  const Tape tape(engine());
  tape.watch(x);
  const Tensor y = call(graph, {x});
  const Tensor dx = tape.gradient(reduce(RONDO_SUM, y, {}), x);
  expect_same_bits(download(dx), download(make(rondo_unary, RONDO_EXP, x)), "the constant");
}

TEST_P(CallGradients, AreRefusedByNameAndReason) {
  const Tensor x = noise({4}, 1);
  const Kind kind{RONDO_F32, {4}};
  // A task that only knows variables, and so the places of the recording.
  expect_no_gradient(callable({kind},
                              [&](const std::vector<Tensor>& in) {
                                Tensor y = make(rondo_unary, RONDO_EXP, in[0]);
                                const rondo_task_options with = task_options("my_task");
                                must(push(
                                    engine(), [](rondo_task_context*) { return RONDO_OK; }, {variable_of(y)},
                                    {variable_of(y)}, &with));
                                return list(std::move(y));
                              }),
                     x, {"'callable' has no gradient", "my_task", "rondo_engine_push_tensors", "rondo_tape_custom"});
  expect_no_gradient(callable({kind},
                              [&](const std::vector<Tensor>& in) {
                                const Tensor rate =
                                    make(rondo_record_parameter, engine(), "rate", device(), RONDO_F32, 0.5);
                                return list(make(rondo_binary, RONDO_MUL, in[0], rate));
                              }),
                     x, {"'callable' has no gradient", "parameters or sections"});
  // What goes through a tensor that the graph keeps.
  const Tensor state = noise({4}, 3);
  expect_no_gradient(callable({kind},
                              [&](const std::vector<Tensor>& in) {
                                into(state, rondo_unary, RONDO_EXP, in[0]);
                                return list(make(rondo_unary, RONDO_SIN, state));
                              }),
                     x, {"'callable' has no gradient", "tensor from outside that it writes"});
  // A graph that is launched.
  const Tensor y = noise({4}, 2);
  const Graph launched = record(engine(), [&] { into(y, rondo_unary, RONDO_EXP, x); });
  const Tape tape(engine());
  tape.watch(x);
  must(rondo_graph_launch(launched.get()));
  const Tensor sum = reduce(RONDO_SUM, y, {});
  rondo_tensor *of = sum, *source = x, *out = nullptr;
  expect_refused(rondo_tape_gradients(tape, 1, &of, nullptr, 1, &source, &out), RONDO_UNSUPPORTED,
                 "rondo_tape_gradients", "RONDO_RECORD_CALLABLE");
}

TEST_P(CallGradients, NeedWhatWasNotWrittenSince) {
  const Tensor w = noise({6, 5}, 1), b = noise({5}, 2), x = noise({4, 6}, 3), dy = noise({4, 5}, 4);
  const Callable graph = callable({{RONDO_F32, {4, 6}}}, layer(w, b));
  const Tape tape(engine());
  tape.watch(w);
  const Tensor y = call(graph, {x});
  into(x, rondo_binary_scalar, RONDO_MUL, x, 2.0);
  rondo_tensor *of = y, *given = dy, *source = w, *out = nullptr;
  expect_refused(rondo_tape_gradients(tape, 1, &of, &given, 1, &source, &out), RONDO_INVALID_STATE,
                 "rondo_tape_gradients", "callable");
}

TEST_P(CallGradients, RefuseWhatDoesNotFitAsCallsDo) {
  const Tensor w = noise({6, 5}, 1), b = noise({5}, 2), x = noise({4, 6}, 3), wide = noise({4, 7}, 3);
  const Callable graph = callable({{RONDO_F32, {4, 6}}}, layer(w, b));
  const Tape tape(engine());
  tape.watch(w), tape.watch(x);
  rondo_tensor *in = wide, *out = nullptr;
  expect_refused(rondo_graph_call(graph.get(), 1, &in, 1, &out), RONDO_INVALID_ARGUMENT, "rondo_graph_call",
                 "inputs[0]");
  in = x, out = x;
  expect_refused(rondo_graph_call(graph.get(), 1, &in, 1, &out), RONDO_INVALID_ARGUMENT, "rondo_graph_call",
                 "outputs[0]");
  EXPECT_EQ(tape.info().nodes, 0);
}

TEST_P(CallGradients, OutliveTheGraphAndComeInAnyThread) {
  const Tensor w = noise({6, 5}, 1), b = noise({5}, 2), x = noise({4, 6}, 3), dy = noise({4, 5}, 4);
  Callable graph = callable({{RONDO_F32, {4, 6}}}, layer(w, b));
  const auto gradient = [&] {
    const Tape tape(engine());
    tape.watch(x);
    const Tensor y = call(graph, {x});
    return download(tape.gradient(y, x, dy));
  };
  const Array expected = gradient();
  from_threads(4, 10, [&](int number) {
    if (number % 2) return call(graph, {x}), void();
    expect_same_bits(gradient(), expected, "gradient");
  });
  const Tape tape(engine(), RONDO_TAPE_KEEP);
  tape.watch(x);
  const Tensor y = call(graph, {x});
  graph.reset();
  expect_same_bits(download(tape.gradient(y, x, dy)), expected, "after the graph");
}

}  // namespace
}  // namespace conformance
