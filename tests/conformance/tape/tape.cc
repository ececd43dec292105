// What a tape promises besides right gradients: what it keeps, where it writes, what it refuses, and that a step with
// it is one graph. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/tape.h"

#include <thread>

namespace conformance {
namespace {

class Tapes : public OnTape {
 protected:
  Tensor ones(const Shape& shape, rondo_dtype dtype = RONDO_F32) const { return up(full(dtype, shape, 1)); }
  static Tensor square(rondo_tensor* x) { return make(rondo_unary, RONDO_SQUARE, x); }
  static Tensor total(rondo_tensor* x) { return reduce(RONDO_SUM, x, {}); }
  // Runs body eagerly, or as a graph that is launched once.
  void once(const std::function<void()>& body) {
    if (!GetParam().graph) return body();
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = RONDO_RECORD_AS_WRITTEN;  // what is asked of a tape is mostly not read
    const Graph graph = record(engine(), body, &options);
    const rondo_graph_info info = graph_info(graph.get());
    EXPECT_EQ(info.segments, 1) << graph_report(graph.get());
    EXPECT_EQ(info.captured, on_cuda() ? 1 : 0) << graph_report(graph.get());
    must(rondo_graph_launch(graph.get()));
  }
  static void expect_refusal(rondo_status actual, rondo_status expected, const std::vector<std::string>& words) {
    const std::string text = rondo_last_error();
    EXPECT_EQ(actual, expected) << text;
    for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
    EXPECT_EQ(text.find(": rondo_"), std::string::npos) << "the function twice: " << text;
  }
  rondo_status ask(const Tape& tape, rondo_tensor* output, rondo_tensor* source, rondo_tensor** gradient) const {
    return rondo_tape_gradients(tape, 1, &output, nullptr, 1, &source, gradient);
  }
};
CONFORMANCE_SUITE(Tapes);

// Given tensors are written, accumulators added to, several sources at once.
TEST_P(Tapes, WritesWhereItIsTold) {
  const Tensor x = ones({3}), w = up(array_of(RONDO_F32, {3}, {1, 2, 3}));
  const Tensor dx = up(full(RONDO_F32, {3}, 50)), dw = up(full(RONDO_F32, {3}, 100));
  once([&] {
    const Tape tape(engine());
    tape.watch(x);
    tape.watch(w);
    const Tensor y = total(make(rondo_binary, RONDO_MUL, square(w), x));
    const Tensor adds = make(rondo_tensor_accumulator, dw);
    rondo_tensor *outputs[] = {y}, *sources[] = {x, w}, *gradients[] = {dx, adds};
    must(rondo_tape_gradients(tape, 1, outputs, nullptr, 2, sources, gradients));
    EXPECT_EQ(gradients[0], dx.operator rondo_tensor*());
    EXPECT_EQ(gradients[1], adds.operator rondo_tensor*());
  });
  expect_same_bits(download(dx), array_of(RONDO_F32, {3}, {1, 4, 9}), "written");
  expect_same_bits(download(dw), array_of(RONDO_F32, {3}, {102, 104, 106}), "added to");
}

// What was an 8-bit float on its way is a constant, as what was an integer.
TEST_P(Tapes, NothingPassesEightBitFloats) {
  const Tensor x = up(array_of(RONDO_F32, {3}, {1, 1.0625, -500})), dx = up(full(RONDO_F32, {3}, 50)),
               f8 = up(full(RONDO_F8_E5M2, {3}, 1));
  once([&] {
    const Tape tape(engine());
    expect_refusal(rondo_tape_watch(tape, f8), RONDO_INVALID_ARGUMENT, {"rondo_tape_watch", "f8_e5m2"});
    tape.watch(x);
    const Tensor stored = make(rondo_cast, make(rondo_cast, x, RONDO_F8_E4M3), RONDO_F32);
    const Tensor y = total(make(rondo_binary, RONDO_MUL, stored, x));
    rondo_tensor* gradient = dx;
    must(ask(tape, y, x, &gradient));
  });
  expect_same_bits(download(dx), array_of(RONDO_F32, {3}, {1, 1, -448}), "the stored values");
}

// A gradient may go where its source is: to the source itself, which backward still reads.
TEST_P(Tapes, AddsToItsSource) {
  const Tensor w = up(array_of(RONDO_F32, {2}, {1, 2}));
  once([&] {
    const Tape tape(engine());
    tape.watch(w);
    const Tensor y = total(make(rondo_binary, RONDO_MUL, square(w), w));
    const Tensor adds = make(rondo_tensor_accumulator, w);
    rondo_tensor *output = y, *source = w, *gradient = adds;
    must(rondo_tape_gradients(tape, 1, &output, nullptr, 1, &source, &gradient));
  });
  expect_same_bits(download(w), array_of(RONDO_F32, {2}, {4, 14}), "w + 3 w w");
}

TEST_P(Tapes, SourcesThatDoNotMatterHaveZeros) {
  const Tensor x = ones({2}), z = ones({2, 2}), given = ones({2, 2}), kept = ones({2, 2});
  Tensor dz;
  once([&] {
    const Tape tape(engine());
    tape.watch(x);
    tape.watch(z);
    const Tensor y = total(square(x)), adds = make(rondo_tensor_accumulator, kept);
    rondo_tensor *outputs[] = {y}, *sources[] = {z, z, z}, *gradients[] = {nullptr, given, adds};
    must(rondo_tape_gradients(tape, 1, outputs, nullptr, 3, sources, gradients));
    dz = Tensor(gradients[0]);
  });
  expect_same_bits(download(dz), full(RONDO_F32, {2, 2}, 0), "zeros");
  expect_same_bits(download(given), full(RONDO_F32, {2, 2}, 0), "given zeros");
  expect_same_bits(download(kept), full(RONDO_F32, {2, 2}, 1), "nothing added");
}

// Several outputs, some with gradients of their own; views of a source; a result that was watched when it was there.
TEST_P(Tapes, OutputsAndSourcesOfAllKinds) {
  const Tensor x = up(array_of(RONDO_F32, {4}, {1, 2, 3, 4})), dy = up(array_of(RONDO_F32, {4}, {1, 10, 100, 1000}));
  std::vector<Tensor> got;
  once([&] {
    const Tape tape(engine());
    tape.watch(x);
    const Tensor y = square(x);
    tape.watch(y);
    const Tensor z = make(rondo_binary_scalar, RONDO_MUL, y, 3.0), s = total(y), part = slice(x, 0, 1, 3);
    rondo_tensor *outputs[] = {z, s}, *given[] = {dy, nullptr}, *sources[] = {x, part, y},
                 *gradients[] = {nullptr, nullptr, nullptr};
    must(rondo_tape_gradients(tape, 2, outputs, given, 3, sources, gradients));
    for (rondo_tensor* each : gradients) got.emplace_back(each);
  });
  expect_same_bits(download(got[0]), array_of(RONDO_F32, {4}, {8, 124, 1806, 24008}), "x");
  expect_same_bits(download(got[1]), array_of(RONDO_F32, {2}, {124, 1806}), "a part of x");
  expect_same_bits(download(got[2]), array_of(RONDO_F32, {4}, {4, 31, 301, 3001}), "y");
}

// x^3: gradients of gradients, by a tape around a tape.
TEST_P(Tapes, SecondOrder) {
  const Tensor x = up(array_of(RONDO_F64, {3}, {1, 2, -3}));
  Tensor first, second, third;
  once([&] {
    const Tape outer(engine());
    outer.watch(x);
    {
      const Tape middle(engine());
      middle.watch(x);
      {
        const Tape inner(engine());
        inner.watch(x);
        const Tensor y = total(make(rondo_binary, RONDO_MUL, square(x), x));
        first = inner.gradient(y, x);
      }
      second = middle.gradient(total(first), x);
    }
    third = outer.gradient(total(second), x);
  });
  expect_same_bits(download(first), array_of(RONDO_F64, {3}, {3, 12, 27}), "3 x x");
  expect_same_bits(download(second), array_of(RONDO_F64, {3}, {6, 12, -18}), "6 x");
  expect_same_bits(download(third), array_of(RONDO_F64, {3}, {6, 6, 6}), "6");
}

// The gradient of what a tape computed, against differences.
TEST_P(Tapes, SecondOrderOfOperators) {
  const auto inner_gradient = [](rondo_engine* engine, const std::function<Tensor(rondo_tensor*)>& f, const Tensor& x) {
    const Tape tape(engine);
    tape.watch(x);
    const Tensor y = f(x);
    return tape.gradient(reduce(RONDO_SUM, make(rondo_unary, RONDO_SQUARE, y), {}), x);
  };
  const Array x = random_array(RONDO_F64, {3, 4}, 60, 0.5, 1.5);
  const std::vector<std::pair<std::string, std::function<Tensor(rondo_tensor*)>>> cases = {
      {"sigmoid", [](rondo_tensor* a) { return make(rondo_unary, RONDO_SIGMOID, a); }},
      {"log", [](rondo_tensor* a) { return make(rondo_unary, RONDO_LOG, a); }},
      {"pow", [](rondo_tensor* a) { return make(rondo_binary, RONDO_POW, a, a); }},
      {"softmax", [](rondo_tensor* a) { return make(rondo_softmax, a, 1); }},
      {"log_softmax", [](rondo_tensor* a) { return make(rondo_log_softmax, a, 0); }},
      {"mean", [](rondo_tensor* a) { return reduce(RONDO_MEAN, a, {0}); }},
      {"products", [](rondo_tensor* a) { return make(rondo_matmul, a, transpose(a, {}), nullptr); }},
  };
  run([&](Results& results) {
    for (const auto& [name, f] : cases)
      keep_gradients(
          results, name, {x},
          [this, &inner_gradient, f = f](const std::vector<Tensor>& in) { return inner_gradient(engine(), f, in[0]); },
          of_gradients());
  });
}

// What is kept is what gradients need: nothing of sums, one operand of a product with a constant, the result of exp.
TEST_P(Tapes, KeepsWhatItNeeds) {
  constexpr int64_t bytes = 1000 * sizeof(float);
  const Tensor x = ones({1000}), c = ones({1000});
  const auto kept = [&](const std::function<Tensor()>& f) {
    int64_t found = -1;
    once([&] {
      const Tape tape(engine());
      tape.watch(x);
      const Tensor y = f();
      found = tape.info().kept_bytes;
      EXPECT_EQ(tape.info().open, 1);
    });
    return found;
  };
  EXPECT_EQ(kept([&] { return make(rondo_binary, RONDO_ADD, x, c); }), 0);
  EXPECT_EQ(kept([&] { return reduce(RONDO_MEAN, x, {}); }), 0);
  EXPECT_EQ(kept([&] { return make(rondo_binary, RONDO_MUL, x, c); }), bytes) << "c, not x";
  EXPECT_EQ(kept([&] { return make(rondo_unary, RONDO_EXP, x); }), bytes) << "the result";
  EXPECT_EQ(kept([&] {
              const Tensor a = make(rondo_binary, RONDO_ADD, x, c), b = make(rondo_unary, RONDO_EXP, a);
              return make(rondo_binary_scalar, RONDO_MUL, b, 2.0);
            }),
            bytes)
      << "of a chain, exp's result";
  EXPECT_EQ(kept([&] { return make(rondo_unary, RONDO_EXP, c); }), 0) << "what depends on nothing watched";
}

// Memory goes when nobody needs it: of intermediates at once, of kept values when the tape goes back over them.
TEST_P(Tapes, MemoryGoes) {
  if (GetParam().graph) GTEST_SKIP() << "in a graph it is the arena's";
  const auto in_use = [&] {
    must(rondo_engine_wait_all(engine()));
    rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
    must(rondo_memory_query(engine(), device(), &info));
    return info.in_use;
  };
  const Tensor x = ones({4096});
  const int64_t before = in_use();
  const Tape tape(engine());
  tape.watch(x);
  Tensor y = make(rondo_binary_scalar, RONDO_ADD, x, 1.0);
  for (int i = 0; i < 8; ++i) y = make(rondo_binary_scalar, RONDO_MUL, y, 1.5);
  EXPECT_EQ(in_use() - before, 4096 * 4) << "only y";
  for (int i = 0; i < 4; ++i) y = make(rondo_unary, RONDO_TANH, y);
  EXPECT_EQ(in_use() - before, 4 * 4096 * 4) << "the four results of tanh";
  const Tensor s = total(y);
  y.reset();
  const int64_t scalar = in_use() - before - 4 * 4096 * 4;
  const Tensor dx = tape.gradient(s, x);
  EXPECT_EQ(in_use() - before, 4096 * 4 + scalar) << "the gradient and s";
  EXPECT_EQ(tape.info().nodes, 0);
  EXPECT_EQ(tape.info().open, 0);
}

TEST_P(Tapes, KeepingTapesAnswerAgain) {
  const Tensor x = ones({3}, RONDO_F64);
  std::vector<Tensor> got;
  once([&] {
    const Tape tape(engine(), RONDO_TAPE_KEEP);
    tape.watch(x);
    const Tensor y = total(square(x)), z = total(make(rondo_unary, RONDO_NEG, x));
    got.push_back(tape.gradient(y, x));
    got.push_back(tape.gradient(z, x));
    got.push_back(tape.gradient(make(rondo_binary, RONDO_ADD, y, z), x));
    EXPECT_EQ(tape.info().open, 1);
    must(rondo_tape_end(tape));
    EXPECT_EQ(tape.info().open, 0);
    got.push_back(tape.gradient(y, x));
  });
  const double expected[] = {2, -1, 1, 2};
  for (size_t i = 0; i < got.size(); ++i)
    expect_same_bits(download(got[i]), full(RONDO_F64, {3}, expected[i]), std::to_string(i));
}

TEST_P(Tapes, PausedTapesNoteNothing) {
  const Tensor x = ones({3});
  const Tape tape(engine());
  tape.watch(x);
  must(rondo_tape_pause());
  must(rondo_tape_pause());
  const Tensor constant = square(x);
  must(rondo_tape_resume());
  const Tensor still = square(x);
  must(rondo_tape_resume());
  EXPECT_EQ(tape.info().nodes, 0);
  const Tensor y = total(make(rondo_binary, RONDO_MUL, constant, x));
  EXPECT_EQ(tape.info().nodes, 2);
  expect_same_bits(download(tape.gradient(y, x)), full(RONDO_F32, {3}, 1), "constant");
  expect_refusal(rondo_tape_resume(), RONDO_INVALID_STATE, {"rondo_tape_resume", "rondo_tape_pause"});
}

// Other threads, other engines, and what was before and after.
TEST_P(Tapes, NotesItsThreadAndEngine) {
  const Tensor x = ones({3});
  const Engine other = create_engine(options());
  const Tensor foreign = upload(other.get(), device(), full(RONDO_F32, {3}, 1));
  const Tape tape(engine());
  tape.watch(x);
  std::thread([&] {
    const Tensor y = square(x);
    rondo_tape_info info = RONDO_TAPE_INFO_INIT;
    expect_refusal(rondo_tape_query(tape, &info), RONDO_INVALID_STATE, {"another thread"});
    must(rondo_tensor_wait(y));
  }).join();
  const Tensor there = square(foreign);
  EXPECT_EQ(tape.info().nodes, 0);
  EXPECT_EQ(rondo_tape_watch(tape, foreign), RONDO_INVALID_ARGUMENT);
}

// --- what the user defines ---

struct Doubler {
  std::atomic<int>* destroyed;
  static void destroy(void* arg) {
    ++*static_cast<Doubler*>(arg)->destroyed;
    delete static_cast<Doubler*>(arg);
  }
  // Claims that the gradient is 100 times the incoming one.
  static rondo_status gradient(void*, int32_t, rondo_tensor* const* output_gradients, int32_t,
                               rondo_tensor** input_gradients) {
    return rondo_binary_scalar(RONDO_MUL, output_gradients[0], 100.0, &input_gradients[0]);
  }
};

TEST_P(Tapes, CustomGradients) {
  const Tensor x = ones({3});
  std::atomic<int> destroyed{0};
  Tensor dx;
  once([&] {
    const Tape tape(engine());
    tape.watch(x);
    const Tensor y = square(x);
    rondo_tensor *in[] = {x}, *out[] = {y};
    must(rondo_tape_custom("my_square", 1, in, 1, out, Doubler::gradient, new Doubler{&destroyed}, Doubler::destroy));
    const Tensor z = total(make(rondo_binary_scalar, RONDO_MUL, y, 2.0));
    dx = tape.gradient(z, x);
  });
  EXPECT_EQ(destroyed, 1);
  expect_same_bits(download(dx), full(RONDO_F32, {3}, 200), "100 * 2, and not 2 * 2 * x");
}

TEST_P(Tapes, CustomGradientsThatFail) {
  const Tensor x = ones({3});
  std::atomic<int> destroyed{0};
  const auto with = [&](rondo_gradient_fn fn) {
    const Tape tape(engine());
    tape.watch(x);
    const Tensor y = square(x);
    rondo_tensor *in[] = {x}, *out[] = {y};
    must(rondo_tape_custom("my_square", 1, in, 1, out, fn, new Doubler{&destroyed}, Doubler::destroy));
    const Tensor s = total(y);
    rondo_tensor* gradient = nullptr;
    const rondo_status status = ask(tape, s, x, &gradient);
    EXPECT_EQ(gradient, nullptr);
    return status;
  };
  expect_refusal(with([](void*, int32_t, rondo_tensor* const*, int32_t, rondo_tensor**) { return RONDO_IO_ERROR; }),
                 RONDO_IO_ERROR, {"my_square"});
  expect_refusal(with([](void*, int32_t, rondo_tensor* const* dy, int32_t, rondo_tensor** dx) {
                   return rondo_reduce(RONDO_SUM, dy[0], 0, nullptr, 0, &dx[0]);
                 }),
                 RONDO_USER_ERROR, {"my_square", "input_gradients[0]", "f32 []", "f32 [3]"});
  EXPECT_EQ(destroyed, 2);
}

// --- what is refused, and how it is said ---

TEST_P(Tapes, OverwrittenValuesAreNamed) {
  const Tensor x = ones({3});
  const auto refused = [&](const std::function<void(const Tensor&)>& spoil, const std::vector<std::string>& words) {
    const auto body = [&] {
      const Tape tape(engine());
      tape.watch(x);
      const Tensor a = make(rondo_binary_scalar, RONDO_MUL, x, 2.0), y = make(rondo_unary, RONDO_LOG, a);
      spoil(a);
      rondo_tensor* gradient = nullptr;
      expect_refusal(ask(tape, total(y), x, &gradient), RONDO_INVALID_STATE, words);
    };
    once(body);
  };
  refused([](const Tensor& a) { must(rondo_fill(a, 3)); }, {"'log'", "'fill'", "operand f32 [3]", "rondo_copy"});
  refused([](const Tensor& a) { into(a, rondo_unary, RONDO_EXP, a); }, {"'log'", "'exp'"});
  const rondo_task_options there = task_options("user", device());
  refused(
      [&](const Tensor& a) {
        must(push_tensors(
            engine(), [](rondo_task_context*) { return RONDO_OK; }, {}, {a}, &there));
      },
      {"'log'", "'user'"});
}

TEST_P(Tapes, WhatHasNoGradientIsNamed) {
  const Tensor x = ones({3});
  const Tape tape(engine());
  tape.watch(x);
  const Tensor y = ones({3});
  const rondo_task_options with = task_options("my_kernel", kCpu);
  must(push_tensors(
      engine(), [](rondo_task_context*) { return RONDO_OK; }, {x}, {y}, &with));
  must(rondo_engine_wait_all(engine()));
  const Tensor s = total(y);
  rondo_tensor* gradient = nullptr;
  expect_refusal(ask(tape, s, x, &gradient), RONDO_UNSUPPORTED, {"my_kernel", "rondo_tape_custom"});
}

// A thread that ends with a tape open, and a tape that another thread destroys.
TEST_P(Tapes, OutliveTheirThreads) {
  const Tensor x = ones({3});
  rondo_tape* tape = nullptr;
  std::thread([&] {
    must(rondo_tape_begin(engine(), RONDO_TAPE_DEFAULT, &tape));
    must(rondo_tape_watch(tape, x));
  }).join();
  rondo_tape_info info = RONDO_TAPE_INFO_INIT;
  must(rondo_tape_query(tape, &info));
  EXPECT_EQ(info.open, 0);
  rondo_tape_destroy(tape);
  const Tape mine(engine());
  mine.watch(x);
  Tape open(engine());
  open.watch(x);
  std::thread([&] { const Tape gone = std::move(open); }).join();
  const Tensor y = total(square(x));
  expect_same_bits(download(mine.gradient(y, x)), full(RONDO_F32, {3}, 2), "the tape that is left");
}

}  // namespace
}  // namespace conformance
