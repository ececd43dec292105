// What a call does not take: each binding that does not fit is refused, with the function, the argument and what would
// be right. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graphs/calls.h"

namespace conformance {
namespace {

class MisuseCalls : public OnCalls {
 protected:
  static constexpr int64_t kSize = 1024;
  // Of two inputs of [1024] that gives their difference; it reads `read` and writes `written` too.
  Callable graph_with(rondo_tensor* read, rondo_tensor* written) const {
    return callable({{RONDO_F32, {kSize}}, {RONDO_F32, {kSize}}}, [&](const std::vector<Tensor>& x) {
      into(written, rondo_binary_scalar, RONDO_ADD, written, 1.0);
      const Tensor sum = make(rondo_binary, RONDO_ADD, x[0], read);
      return list(make(rondo_binary, RONDO_SUB, sum, x[1]), make(rondo_unary, RONDO_NEG, sum));
    });
  }
  static rondo_status call_with(rondo_graph* graph, std::vector<rondo_tensor*> inputs,
                                std::vector<rondo_tensor*> outputs) {
    const std::vector<rondo_tensor*> given = outputs;
    const rondo_status status = rondo_graph_call(graph, static_cast<int32_t>(inputs.size()), inputs.data(),
                                                 static_cast<int32_t>(outputs.size()), outputs.data());
    EXPECT_EQ(outputs, given) << "a refused call changes no slot";
    return status;
  }
  // A refusal says these words as well.
  static void refused(rondo_status actual, rondo_status expected, const char* argument,
                      const std::vector<std::string>& words) {
    expect_refused(actual, expected, "rondo_graph_call", nullptr);
    const std::string message = rondo_last_error();
    EXPECT_NE(message.find(argument), std::string::npos) << message;
    for (const std::string& word : words) EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
  }
};
CONFORMANCE_ENGINE_SUITE(MisuseCalls);

TEST_P(MisuseCalls, BindingsThatDoNotFit) {
  const Tensor w = ones(kSize, 2), counter = ones(kSize, 0);
  const Callable graph = graph_with(w, counter);
  rondo_graph* g = graph.get();
  const Tensor a = ones(kSize), b = ones(kSize), y = ones(kSize), z = ones(kSize);
  rondo_tensor* none = nullptr;
  const auto bad = RONDO_INVALID_ARGUMENT;

  refused(rondo_graph_call(g, 1, nullptr, 2, nullptr), bad, "n_inputs", {"1", "2"});
  refused(rondo_graph_call(g, -1, nullptr, 2, nullptr), bad, "n_inputs", {"-1"});
  rondo_tensor* inputs[] = {a, b};
  refused(rondo_graph_call(g, 2, inputs, 3, nullptr), bad, "n_outputs", {"3", "2"});
  refused(rondo_graph_call(g, 2, nullptr, 2, nullptr), bad, "inputs", {"NULL"});
  refused(rondo_graph_call(g, 2, inputs, 2, nullptr), bad, "outputs", {"NULL"});
  refused(call_with(g, {a, none}, {none, none}), bad, "inputs[1]", {});
  rondo_tensor* const gone = ones(kSize).release();
  rondo_tensor_destroy(gone);
  refused(call_with(g, {gone, a}, {none, none}), bad, "inputs[0]", {"live"});
  refused(call_with(g, {a, b}, {none, gone}), bad, "outputs[1]", {"live"});

  const Tensor other_type = up(full(RONDO_F64, {kSize}, 1)), other_shape = up(full(RONDO_F32, {2, kSize / 2}, 1));
  refused(call_with(g, {other_type, b}, {none, none}), bad, "inputs[0]", {"f64", "f32", "rondo_cast"});
  refused(call_with(g, {a, b}, {other_type, none}), bad, "outputs[0]", {"f64", "f32"});
  refused(call_with(g, {a, other_shape}, {none, none}), bad, "inputs[1]", {"[2, 512]", "[1024]"});
  refused(call_with(g, {a, b}, {none, other_shape}), bad, "outputs[1]", {"[2, 512]", "[1024]"});

  const Tensor wide = up(full(RONDO_F32, {2 * kSize}, 1));
  const Tensor strided = slice(wide, 0, 0, 2 * kSize, 2), one = ones(1);
  const Tensor repeated = broadcast(one, {kSize});
  refused(call_with(g, {a, strided}, {none, none}), bad, "inputs[1]", {"strides", "rondo_copy"});
  refused(call_with(g, {repeated, b}, {none, none}), bad, "inputs[0]", {"strides", "rondo_copy"});
  refused(call_with(g, {a, b}, {strided, none}), bad, "outputs[0]", {"strides", "rondo_copy"});
  const Tensor odd = slice(wide, 0, 1, kSize + 1);
  const std::string multiple = on_cuda() ? "256" : "16";
  refused(call_with(g, {odd, b}, {none, none}), bad, "inputs[0]", {"begins 4 bytes", multiple, "rondo_copy"});
  refused(call_with(g, {a, b}, {none, odd}), bad, "outputs[1]", {"begins 4 bytes", multiple});
  const Tensor adds = make(rondo_tensor_accumulator, a);
  refused(call_with(g, {adds, b}, {none, none}), bad, "inputs[0]", {"accumulator"});

  const Engine foreign = create_engine(options());
  const Tensor theirs = upload(foreign.get(), device(), full(RONDO_F32, {kSize}, 1));
  refused(call_with(g, {theirs, b}, {none, none}), bad, "inputs[0]", {"another engine"});
  refused(call_with(g, {a, b}, {none, theirs}), bad, "outputs[1]", {"another engine"});
  if (on_cuda()) {
    const Tensor on_host = upload(engine(), kCpu, full(RONDO_F32, {kSize}, 1));
    refused(call_with(g, {on_host, b}, {none, none}), bad, "inputs[0]", {"cpu:0", "cuda:0", "rondo_copy_to"});
    refused(call_with(g, {a, b}, {on_host, none}), bad, "outputs[0]", {"cpu:0", "cuda:0"});
  }

  refused(call_with(g, {a, b}, {a, none}), bad, "outputs[0]", {"inputs[0]"});
  refused(call_with(g, {a, b}, {y, y}), bad, "outputs[1]", {"outputs[0]"});
  refused(call_with(g, {a, b}, {w, none}), bad, "outputs[0]", {"reads", "rondo_copy"});
  refused(call_with(g, {a, b}, {counter, none}), bad, "outputs[0]", {"writes"});
  refused(call_with(g, {a, counter}, {none, none}), bad, "inputs[1]", {"writes"});

  const Tensor blank = empty(RONDO_F32, {kSize});
  refused(call_with(g, {a, blank}, {none, none}), RONDO_INVALID_STATE, "inputs[1]", {"never written"});

  // Nothing of it has run, and what fits still does: what the graph reads may be given too.
  EXPECT_EQ(first(counter), 0);
  call_into(graph, {w, w}, {y, z});
  expect_all(y, 2);
  expect_all(z, -4);
  EXPECT_EQ(first(counter), 1);
}

TEST_P(MisuseCalls, LaunchAndCallNeedTheirKindOfGraph) {
  const Tensor a = ones(kSize), counter = ones(kSize, 0);
  const Callable called = graph_with(a, counter);
  EXPECT_EQ(rondo_graph_launch(called.get()), RONDO_INVALID_STATE);
  EXPECT_TRUE(has_word(rondo_last_error(), "rondo_graph_call")) << rondo_last_error();
  Tensor y;
  const Graph launched = record(engine(), [&] { y = make(rondo_unary, RONDO_NEG, a); });
  refused(rondo_graph_call(launched.get(), 0, nullptr, 0, nullptr), RONDO_INVALID_STATE, "RONDO_RECORD_CALLABLE",
          {"rondo_graph_launch"});
}

TEST_P(MisuseCalls, InputsOfARecording) {
  const int64_t shape[] = {4, -4};
  Tensor made;
  const auto refused_here = [&](rondo_status actual, rondo_status expected, const char* argument) {
    expect_refused(actual, expected, "rondo_record_input", argument);
  };
  const auto ask = [&](int32_t ndim, const int64_t* sizes, int dtype = RONDO_F32) {
    return rondo_record_input(engine(), device(), static_cast<rondo_dtype>(dtype), ndim, sizes, made.slot());
  };
  refused_here(ask(1, shape), RONDO_INVALID_STATE, nullptr);
  must(rondo_record_begin(engine(), nullptr));
  refused_here(ask(1, shape), RONDO_INVALID_STATE, nullptr);
  EXPECT_TRUE(has_word(rondo_last_error(), "RONDO_RECORD_CALLABLE")) << rondo_last_error();
  must(rondo_record_abort(engine()));

  const rondo_record_options options = for_calls();
  must(rondo_record_begin(engine(), &options));
  refused_here(rondo_record_input(nullptr, device(), RONDO_F32, 1, shape, made.slot()), RONDO_INVALID_ARGUMENT,
               "engine");
  refused_here(rondo_record_input(engine(), device(), RONDO_F32, 1, shape, nullptr), RONDO_INVALID_ARGUMENT, "input");
  refused_here(ask(2, shape), RONDO_INVALID_ARGUMENT, "shape");
  refused_here(ask(1, nullptr), RONDO_INVALID_ARGUMENT, "shape");
  refused_here(ask(99, shape), RONDO_INVALID_ARGUMENT, "ndim");
  refused_here(ask(1, shape, 99), RONDO_INVALID_ARGUMENT, "dtype");
  EXPECT_EQ(made, nullptr);
  must(rondo_record_abort(engine()));
}

TEST_P(MisuseCalls, OutputsOfARecording) {
  const Tensor a = ones(kSize);
  const rondo_record_options options = for_calls();
  must(rondo_record_begin(engine(), &options));
  const Tensor x = input({RONDO_F32, {kSize}});
  const Tensor y = make(rondo_unary, RONDO_NEG, x);
  const Tensor half = slice(y, 0, 0, kSize / 2), turned = transpose(reshape(y, {32, 32}), {1, 0});
  const auto no = [&](rondo_tensor* tensor, const std::string& why) {
    EXPECT_EQ(rondo_record_output(engine(), tensor), RONDO_INVALID_ARGUMENT);
    EXPECT_NE(std::string(rondo_last_error()).find(why), std::string::npos) << rondo_last_error();
  };
  no(a, "not made in the recording");
  no(x, "input 0");
  no(half, "part of a tensor");
  no(turned, "row-major");
  const Tensor seen = reshape(y, {32, 32});
  must(rondo_record_output(engine(), seen));
  no(y, "output 0");
  rondo_graph* made = nullptr;
  must(rondo_record_end(engine(), &made));
  const Callable graph(made);
  EXPECT_EQ(query(call(graph, {a})).ndim, 2);
  // They stand for what is given, and have no contents of their own.
  for (rondo_tensor* bound : {static_cast<rondo_tensor*>(x), static_cast<rondo_tensor*>(y)}) {
    EXPECT_EQ(query(bound).elements, kSize);
    Tensor result;
    void* address = nullptr;
    expect_refused(rondo_tensor_wait(bound), RONDO_INVALID_STATE, "rondo_tensor_wait", nullptr);
    EXPECT_TRUE(has_word(rondo_last_error(), "rondo_graph_call")) << rondo_last_error();
    expect_refused(rondo_tensor_data(bound, &address), RONDO_INVALID_STATE, "rondo_tensor_data", nullptr);
    expect_refused(rondo_unary(RONDO_NEG, bound, result.slot()), RONDO_INVALID_STATE, "rondo_unary", nullptr);
    refused(call_with(graph.get(), {bound}, {nullptr}), RONDO_INVALID_STATE, "inputs[0]", {"rondo_graph_call"});
  }
}

TEST_P(MisuseCalls, RecordingsThatCannotBeCalled) {
  const auto end = [&](const std::function<void(rondo_tensor*)>& body) {
    const rondo_record_options options = for_calls();
    must(rondo_record_begin(engine(), &options));
    {
      const Tensor x = input({RONDO_F32, {kSize}});
      body(x);
    }
    rondo_graph* made = nullptr;
    const rondo_status status = rondo_record_end(engine(), &made);
    EXPECT_EQ(made, nullptr);
    return status;
  };
  EXPECT_EQ(end([&](rondo_tensor* x) { into(x, rondo_unary, RONDO_NEG, x); }), RONDO_INVALID_STATE);
  std::string message = rondo_last_error();
  for (const char* word : {"neg", "inputs[0]", "rondo_copy"})
    EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
  EXPECT_EQ(end([&](rondo_tensor*) {
              const Tensor y = empty(RONDO_F32, {3});
              must(rondo_record_output(engine(), y));
            }),
            RONDO_INVALID_STATE);
  message = rondo_last_error();
  EXPECT_NE(message.find("outputs[0]"), std::string::npos) << message;
}

// A tensor of another thread's recording, and of one that was dropped.
TEST_P(MisuseCalls, TensorsOfARecording) {
  const Tensor w = ones(kSize), counter = ones(kSize, 0);
  const Callable graph = graph_with(w, counter);
  must(rondo_record_begin(engine(), nullptr));
  const Tensor inside = make(rondo_unary, RONDO_NEG, w);
  std::thread([&] {
    refused(call_with(graph.get(), {inside, w}, {nullptr, nullptr}), RONDO_INVALID_STATE, "inputs[0]", {"recording"});
    refused(call_with(graph.get(), {w, w}, {inside, nullptr}), RONDO_INVALID_STATE, "outputs[0]", {"recording"});
  }).join();
  must(rondo_record_abort(engine()));
  // It carries the error, which goes on with the call.
  rondo_tensor* inputs[] = {inside, w};
  rondo_tensor* outputs[] = {nullptr, nullptr};
  const rondo_status status = rondo_graph_call(graph.get(), 2, inputs, 2, outputs);
  const Tensor one(outputs[0]), other(outputs[1]);
  if (naive()) {
    EXPECT_EQ(status, RONDO_INVALID_STATE);
  } else {
    must(status);
    EXPECT_EQ(rondo_tensor_wait(one), RONDO_INVALID_STATE);
  }
  EXPECT_TRUE(has_word(rondo_last_error(), "aborted")) << rondo_last_error();
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_INVALID_STATE);
}

}  // namespace
}  // namespace conformance
