// Recordings whose launches and calls look for NaN and infinities: the failure names the operator that was recorded, in
// fused kernels, bodies and captured graphs, with its operands, its site and the place of the element; infinities that
// came in are nobody's. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "control/control.h"

namespace conformance {
namespace {

class Numbers : public OnControl {
 protected:
  static rondo_record_options checking(uint32_t flags = RONDO_RECORD_NAMED_OUTPUTS) {
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.name = "step";
    options.flags = flags | RONDO_RECORD_CHECK_NUMBERS | RONDO_RECORD_SITES;
    return options;
  }
  static void say(const char* site) { must(rondo_record_site(site, nullptr)); }
  Tensor one(rondo_unary_op op, rondo_tensor* x) const { return make(rondo_unary, op, x); }
  void name(rondo_tensor* output) const { must(rondo_record_output(engine(), output)); }
  // What a launch says of an output; "": it is good.
  std::string failure(const Graph& graph, rondo_tensor* output) const {
    (void)rondo_graph_launch(graph.get());
    const rondo_status status = rondo_tensor_wait(output);
    const std::string message = status == RONDO_OK ? "" : rondo_last_error();
    EXPECT_TRUE(status == RONDO_OK || status == RONDO_INVALID_ARGUMENT) << message;
    (void)rondo_engine_wait_all(engine());
    return message;
  }
  static void expect_says(const std::string& message, const std::vector<std::string>& parts) {
    for (const std::string& each : parts) EXPECT_NE(message.find(each), std::string::npos) << each << ": " << message;
  }
};
CONFORMANCE_ENGINE_SUITE(Numbers);

TEST_P(Numbers, FirstNanInAFusedKernelIsNamed) {
  const Tensor x = up(array_of(RONDO_F32, {2, 3}, {1, 2, 3, 4, -5, 6}));
  Tensor y;
  const rondo_record_options options = checking();
  const Graph graph = record(
      engine(),
      [&] {
        say("model.txt:0");
        const Tensor doubled = make(rondo_binary_scalar, RONDO_MUL, x, 2.0);
        say("model.txt:1");
        const Tensor logs = one(RONDO_LOG, doubled);
        say("model.txt:2");
        y = make(rondo_binary_scalar, RONDO_ADD, logs, 1.0);
        say("model.txt:3");
        name(y);
      },
      &options);
  expect_says(failure(graph, y), {"operator 'log' (node 1)", "at model.txt:2 made the first NaN of graph 'step'",
                                  "element [1, 1] of its result f32 [2, 3], from f32 [2, 3]"});
  // The next launch begins anew.
  must(rondo_fill(x, 1));
  EXPECT_EQ(failure(graph, y), "");
  EXPECT_NEAR(first(y), std::log(2) + 1, 1e-6);
}

TEST_P(Numbers, GoodNumbersHaveTheBitsOfPlainLaunches) {
  const Tensor x = up(random_array(RONDO_F32, {5, 7}, 3, -2, 2)), w = up(random_array(RONDO_F32, {7, 4}, 4, -1, 1));
  const auto program = [&](Tensor* out) {
    return [&, out] {
      const Tensor product = make(rondo_matmul, x, w, nullptr);
      const Tensor half = make(rondo_binary_scalar, RONDO_MUL, product, 0.3);
      const Tensor rows = make(rondo_softmax, one(RONDO_TANH, half), 1);
      *out = reduce(RONDO_SUM, make(rondo_binary, RONDO_MUL, rows, half), {0});
      name(*out);
    };
  };
  Tensor plain, checked;
  rondo_record_options options = checking();
  const Graph second = record(engine(), program(&checked), &options);
  options.flags = RONDO_RECORD_NAMED_OUTPUTS;
  const Graph first = record(engine(), program(&plain), &options);
  EXPECT_EQ(failure(first, plain), "");
  EXPECT_EQ(failure(second, checked), "");
  expect_same_bits(download(checked), download(plain), "checked");
}

TEST_P(Numbers, OverwrittenResultIsLookedAtBefore) {
  const Tensor x = up(array_of(RONDO_F32, {3}, {1, -2, 3}));
  Tensor y;
  const rondo_record_options options = checking(RONDO_RECORD_NAMED_OUTPUTS | RONDO_RECORD_AS_WRITTEN);
  const Graph graph = record(
      engine(),
      [&] {
        const Tensor root = one(RONDO_SQRT, x), twice = make(rondo_binary_scalar, RONDO_MUL, root, 2.0);
        must(rondo_fill(root, 1));
        y = make(rondo_binary, RONDO_ADD, root, twice);
        name(y);
      },
      &options);
  expect_says(failure(graph, y), {"operator 'sqrt' (node 0)", "element [1]"});
}

// More results than one check looks at, of several forms.
TEST_P(Numbers, LastOfManyResultsIsNamed) {
  const Tensor x = up(full(RONDO_F32, {2, 3}, 20)), h = up(full(RONDO_F16, {2, 3}, 1));
  Tensor y;
  const rondo_record_options options = checking(RONDO_RECORD_NAMED_OUTPUTS | RONDO_RECORD_AS_WRITTEN);
  const Graph graph = record(
      engine(),
      [&] {
        std::vector<Tensor> all;
        all.push_back(make(rondo_copy, x));
        for (int i = 0; i < 20; ++i) {
          const Tensor turned = transpose(all.back(), {1, 0});
          Tensor next = empty(RONDO_F32, {2, 3});
          into(transpose(next, {1, 0}), rondo_binary_scalar, RONDO_SUB, turned, 1.0);
          all.push_back(std::move(next));
          all.push_back(make(rondo_cast, make(rondo_cast, all.back(), RONDO_F16), RONDO_F32));
        }
        y = make(rondo_binary, RONDO_ADD, make(rondo_cast, h, RONDO_F32), one(RONDO_RECIPROCAL, all.back()));
        name(y);
      },
      &options);
  expect_says(failure(graph, y), {"operator 'reciprocal'", "made the first infinity", "element [0, 0]"});
}

// Of each dtype; strided results; the first element in row-major order.
TEST_P(Numbers, FirstInfinityOfEachDtype) {
  for (const rondo_dtype dtype : {RONDO_F16, RONDO_BF16, RONDO_F32, RONDO_F64}) {
    const Tensor x = up(full(dtype, {3, 4}, 2));
    const Tensor zeros = up(array_of(dtype, {4, 3}, {1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0}));
    Tensor y;
    const rondo_record_options options = checking();
    const Graph graph = record(
        engine(),
        [&] {
          Tensor all = empty(dtype, {4, 3});
          const Tensor turned = transpose(all, {1, 0});
          into(turned, rondo_binary, RONDO_DIV, x, transpose(zeros, {1, 0}));
          y = reduce(RONDO_SUM, all, {});
          name(y);
        },
        &options);
    expect_says(failure(graph, y), {"operator 'div' (node 0)", "made the first infinity", "element [1, 2] of"});
  }
}

TEST_P(Numbers, InfinitiesOfMasksAreNobodys) {
  const Real inf = std::numeric_limits<double>::infinity();
  const Tensor x = up(random_array(RONDO_F32, {2, 3}, 3, -2, 2)),
               mask = up(array_of(RONDO_F32, {2, 3}, {0, -inf, 0, 0, 0, -inf})),
               keep = up(array_of(RONDO_BOOL, {2, 3}, {1, 0, 1, 1, 1, 0}));
  Tensor y, bad;
  const rondo_record_options options = checking();
  const Graph good = record(
      engine(),
      [&] {
        const Tensor none = empty(RONDO_F32, {});
        must(rondo_fill(none, -static_cast<double>(inf)));
        const Tensor chosen = make(rondo_where, keep, x, none);
        const Tensor masked = make(rondo_binary, RONDO_ADD, chosen, mask);
        y = make(rondo_softmax, masked, 1);
        name(y);
      },
      &options);
  EXPECT_EQ(failure(good, y), "");
  // So are those of a text.
  rondo_expression* text = nullptr;
  must(rondo_expression_create("y = m ? a : -inf", "masked", &text));
  const Graph written = record(
      engine(),
      [&] {
        rondo_argument arguments[] = {RONDO_TENSOR("m", keep), RONDO_TENSOR("a", x)};
        rondo_tensor* made = nullptr;
        must(rondo_expression_run(text, 2, arguments, 1, &made));
        y = Tensor(made);
        name(y);
      },
      &options);
  EXPECT_EQ(failure(written, y), "");
  rondo_expression_destroy(text);
  // What makes NaN of them is named.
  const Graph wrong = record(
      engine(),
      [&] {
        const Tensor difference = make(rondo_binary, RONDO_SUB, mask, mask);
        bad = one(RONDO_EXP, difference);
        name(bad);
      },
      &options);
  expect_says(failure(wrong, bad), {"operator 'sub' (node 0)", "made the first NaN", "element [0, 1]"});
}

TEST_P(Numbers, NanThatCameInIsTold) {
  const Tensor x = up(array_of(RONDO_F32, {3}, {1, std::nan(""), 3}));
  Tensor y;
  const rondo_record_options options = checking();
  const Graph graph = record(
      engine(),
      [&] {
        y = one(RONDO_EXP, x);
        name(y);
      },
      &options);
  expect_says(failure(graph, y),
              {"graph 'step' was given a NaN: element [1] of a tensor from outside, f32 [3], which operator 'exp'"});
}

TEST_P(Numbers, CallsNameTheirInputs) {
  const auto call = [&](const Graph& graph, rondo_tensor* x, std::string* said) {
    rondo_tensor* out = nullptr;
    rondo_status status = rondo_graph_call(graph.get(), 1, &x, 1, &out);
    EXPECT_TRUE(status == RONDO_OK || naive()) << rondo_last_error();
    if (status == RONDO_OK) status = rondo_tensor_wait(out);
    *said = status == RONDO_OK ? "" : rondo_last_error();
    Tensor made(out);
    (void)rondo_engine_wait_all(engine());
    return made;
  };
  const rondo_record_options options = checking(RONDO_RECORD_CALLABLE);
  const Graph graph = record(
      engine(),
      [&] {
        const Shape shape = {2};
        const Tensor in = make(rondo_record_input, engine(), device(), RONDO_F32, 1, shape.data());
        const Tensor root = one(RONDO_SQRT, in);
        name(make(rondo_binary_scalar, RONDO_ADD, root, 1.0));
      },
      &options);
  std::string said;
  call(graph, up(array_of(RONDO_F32, {2}, {1, -1})), &said);
  expect_says(said, {"operator 'sqrt' (node 0)", "element [1]"});
  call(graph, up(array_of(RONDO_F32, {2}, {std::nan(""), 1})), &said);
  expect_says(said, {"element [0] of input 0"});
  const Tensor good = call(graph, up(array_of(RONDO_F32, {2}, {4, 9})), &said);
  EXPECT_EQ(said, "");
  EXPECT_EQ(first(good), 3);
}

// The second turn's operator is before the first turn's in the program, and after it in time.
TEST_P(Numbers, FirstTurnOfALoopIsNamed) {
  for (const bool host : {false, true}) {
    const Tensor x = up(full(RONDO_F32, {2}, 2)), count = up(full(RONDO_F32, {1}, 3));
    Tensor y;
    rondo_record_options options = checking();
    if (host) options.flags |= RONDO_RECORD_HOST_DECIDES;
    const Graph graph = record(
        engine(),
        [&] {
          const Tensor going = positive(count), state = make(rondo_copy, x);
          while_true(going, [&] {
            const Tensor twice = make(rondo_binary_scalar, RONDO_MUL, state, 2.0);
            const Tensor less = make(rondo_binary_scalar, RONDO_SUB, twice, 5.0);  // -1, then -7
            into(state, rondo_unary, RONDO_SQRT, less);
            add(count, -1);
            into(going, rondo_binary_scalar, RONDO_GT, reduce(RONDO_SUM, count, {}), 0.0);
          });
          y = make(rondo_binary_scalar, RONDO_ADD, state, 1.0);
          name(y);
        },
        &options);
    expect_says(failure(graph, y), {"operator 'sqrt'", "made the first NaN", "element [0] of its result f32 [2]"});
  }
}

TEST_P(Numbers, BodyThatIsChosenIsLookedAt) {
  const Tensor x = up(full(RONDO_F32, {2}, -4)), yes = truth(true);
  Tensor y;
  const rondo_record_options options = checking();
  const Graph graph = record(
      engine(),
      [&] {
        y = make(rondo_copy, x);
        if_else(
            yes, [&] { into(y, rondo_unary, RONDO_LOG, x); }, [&] { into(y, rondo_unary, RONDO_NEG, x); });
        name(y);
      },
      &options);
  expect_says(failure(graph, y), {"operator 'log'", "made the first NaN"});
  must(rondo_fill(yes, 0));
  EXPECT_EQ(failure(graph, y), "");
}

TEST_P(Numbers, SectionThatIsOffIsNotLookedAt) {
  const Tensor x = up(full(RONDO_F32, {2}, -4));
  Tensor y;
  const rondo_record_options options = checking();
  const Graph graph = record(
      engine(),
      [&] {
        y = make(rondo_copy, x);
        must(rondo_record_section_begin(engine(), "roots", 0));
        into(y, rondo_unary, RONDO_SQRT, x);
        must(rondo_record_section_end(engine()));
        name(y);
      },
      &options);
  EXPECT_EQ(failure(graph, y), "");
  must(rondo_graph_enable(graph.get(), "roots", 1));
  expect_says(failure(graph, y), {"operator 'sqrt'"});
}

// Steps of an operator are the operator's.
TEST_P(Numbers, StepsAreTheirOperators) {
  const Tensor x = up(random_array(RONDO_F32, {2, 1, 3}, 5, -1, 1)), w = up(full(RONDO_F32, {8, 3}, 1e38)),
               v = up(full(RONDO_F32, {8, 2}, 1));
  must(rondo_fill(x, 100));
  rondo_record_options options = checking(RONDO_RECORD_CALLABLE);
  const Graph graph = record(
      engine(),
      [&] {
        const Shape shape = {2, 1, 3};
        const Tensor in = make(rondo_record_input, engine(), device(), RONDO_F32, 3, shape.data());
        rondo_tensor* const weights[] = {w, v};
        rondo_tensor* out = nullptr;
        must(rondo_lstm(in, 2, weights, nullptr, &out, nullptr, nullptr));
        name(Tensor(out));
      },
      &options);
  rondo_tensor *given = x, *out = nullptr;
  rondo_status status = rondo_graph_call(graph.get(), 1, &given, 1, &out);
  EXPECT_TRUE(status == RONDO_OK || naive()) << rondo_last_error();
  const Tensor owned(out);
  if (status == RONDO_OK) status = rondo_tensor_wait(out);
  EXPECT_EQ(status, RONDO_INVALID_ARGUMENT);
  expect_says(rondo_last_error(), {"of the kind Recurrent", "made the first infinity"});
  (void)rondo_engine_wait_all(engine());
}

TEST_P(Numbers, SettingChecksAllRecordings) {
  const Setting on("RONDO_CHECK_NUMBERS", "on");
  const Tensor x = up(full(RONDO_F32, {2}, -4));
  Tensor y;
  const Graph graph = record(engine(), [&] { y = one(RONDO_LOG, x); });
  expect_says(failure(graph, y), {"operator 'log'", "made the first NaN"});
}

// A launch inside a recording stays one, whose report is its own.
TEST_P(Numbers, LaunchInARecordingStaysOne) {
  const Tensor x = up(full(RONDO_F32, {2}, -4)), z = up(full(RONDO_F32, {2}, 0));
  Tensor y;
  const rondo_record_options options = checking();
  const Graph inner = record(
      engine(), [&] { into(z, rondo_unary, RONDO_LOG, x); }, &options);
  const Graph outer = record(engine(), [&] {
    must(rondo_graph_launch(inner.get()));
    y = make(rondo_copy, z);
  });
  expect_says(failure(outer, y), {"operator 'log'", "of graph 'step'"});
}

}  // namespace
}  // namespace conformance
