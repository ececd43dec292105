// What is set between launches: parameters and sections have in each launch what was said before it was submitted, and
// results have the bits of eager calls. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <random>
#include <thread>

#include "graphs/calls.h"

namespace conformance {
namespace {

class LaunchSettings : public OnCalls {
 protected:
  Tensor parameter(const char* name, double value, rondo_dtype dtype = RONDO_F32) const {
    return make(rondo_record_parameter, engine(), name, device(), dtype, value);
  }
  void section(const char* name, const std::function<void()>& body, bool on = true) const {
    must(rondo_record_section_begin(engine(), name, on));
    body();
    must(rondo_record_section_end(engine()));
  }
  static void set(const Graph& graph, const char* name, double value) {
    must(rondo_graph_set(graph.get(), name, value));
  }
  static void enable(const Graph& graph, const char* name, bool on) { must(rondo_graph_enable(graph.get(), name, on)); }
  static void launch(const Graph& graph) { must(rondo_graph_launch(graph.get())); }
};
CONFORMANCE_ENGINE_SUITE(LaunchSettings);

TEST_P(LaunchSettings, ParametersAreWhatWasSetLast) {
  for (const rondo_dtype dtype : covering(
           {RONDO_F32, RONDO_F64, RONDO_F16, RONDO_BF16, RONDO_I32, RONDO_I64, RONDO_U8, RONDO_BOOL, RONDO_F8_E4M3},
           0)) {
    Tensor value;
    const Graph graph = record(engine(), [&] { value = parameter("value", 1, dtype); });
    expect_captured(graph.get());
    launch(graph);
    expect_same_bits(download(value), full(dtype, {}, 1), "as recorded");
    if (dtype == RONDO_BOOL) continue;
    set(graph, "value", 3);
    expect_same_bits(download(value), full(dtype, {}, 1), "set, but not launched");
    launch(graph);
    expect_same_bits(download(value), full(dtype, {}, 3), rondo_dtype_name(dtype));
    must(rondo_graph_set_i64(graph.get(), "value", 5));
    launch(graph);
    expect_same_bits(download(value), full(dtype, {}, 5), rondo_dtype_name(dtype));
  }
}

TEST_P(LaunchSettings, IntegersAreExactBeyondDoubles) {
  Tensor value;
  const Graph graph = record(engine(), [&] { value = parameter("step", 0, RONDO_I64); });
  const int64_t large = (int64_t{1} << 62) + 1;
  must(rondo_graph_set_i64(graph.get(), "step", large));
  launch(graph);
  int64_t read = 0;
  must(rondo_tensor_read(value, &read, sizeof read));
  EXPECT_EQ(read, large);
}

// Nothing waits between them: each launch has the value that was there when it was submitted.
TEST_P(LaunchSettings, LaunchesBeforeASetHaveTheOldValue) {
  const Tensor sum = ones(1000, 0), last = ones(1000, 0);
  const Graph graph = record(engine(), [&] {
    const Tensor step = parameter("step", 0);
    into(sum, rondo_binary, RONDO_ADD, sum, step);
    into(last, rondo_copy, make(rondo_binary, RONDO_MUL, make(rondo_binary_scalar, RONDO_MUL, sum, 0.0), step));
    into(last, rondo_binary, RONDO_ADD, last, step);
  });
  expect_captured(graph.get());
  double expected = 0;
  for (int i = 1; i <= 200; ++i) {
    if (i % 3) set(graph, "step", i);
    launch(graph);
    expected += i % 3 ? i : i - 1;
  }
  EXPECT_EQ(first(sum), expected);
  EXPECT_EQ(first(last), 200);
}

// A step of a descent with momentum, through products, rows and what a pass makes one kernel of.
TEST_P(LaunchSettings, StepsHaveTheBitsOfEagerOnes) {
  const Array x = random_array(RONDO_F32, {16, 24}, 1, -1, 1), w = random_array(RONDO_F32, {24, 8}, 2, -1, 1);
  const auto step = [](rondo_tensor* x, rondo_tensor* w, rondo_tensor* rate, rondo_tensor* temperature) {
    const Tensor logits = make(rondo_matmul, x, w, nullptr);
    const Tensor cooled = make(rondo_binary, RONDO_DIV, logits, temperature);
    const Tensor rows = make(rondo_softmax, cooled, 1);
    const Tensor mean = reduce(RONDO_SUM, rows, {0}, true);
    into(w, rondo_binary, RONDO_SUB, w, make(rondo_binary, RONDO_MUL, mean, rate));
  };
  const Tensor data = up(x), eager = up(w), recorded = up(w);
  const Graph graph =
      record(engine(), [&] { step(data, recorded, parameter("rate", 0.5), parameter("temperature", 1)); });
  expect_captured(graph.get());
  for (int i = 0; i < 6; ++i) {
    const double rate = 0.5 / (1 + i), temperature = 1 + i / 3;
    step(data, eager, up(full(RONDO_F32, {}, static_cast<float>(rate))), up(full(RONDO_F32, {}, temperature)));
    set(graph, "rate", rate);
    set(graph, "temperature", temperature);
    launch(graph);
    expect_same_bits(download(recorded), download(eager), "step " + std::to_string(i));
  }
}

TEST_P(LaunchSettings, AllSegmentsHaveTheSameValue) {
  const Tensor before = ones(8, 0), after = ones(8, 0);
  const Graph graph = record(engine(), [&] {
    const Tensor value = parameter("value", 1);
    into(before, rondo_binary, RONDO_ADD, before, value);
    const rondo_task_options with = task_options("on_the_host");
    must(push(
        engine(), [](rondo_task_context*) { return RONDO_OK; }, {variable_of(before)}, {variable_of(before)}, &with));
    section("again", [&] { into(after, rondo_binary, RONDO_ADD, before, value); });
  });
  expect_captured(graph.get(), on_cuda() ? 3 : 1);
  for (int i = 1; i <= 4; ++i) {
    set(graph, "value", i);
    enable(graph, "again", i != 3);
    launch(graph);
  }
  EXPECT_EQ(first(before), 10);
  EXPECT_EQ(first(after), 14);
}

TEST_P(LaunchSettings, ThreadsSetAndLaunchAtOnce) {
  const Tensor count = ones(64, 0), wrong = ones(64, 0);
  const Graph graph = record(engine(), [&] {
    const Tensor value = parameter("value", 2);
    into(count, rondo_binary_scalar, RONDO_ADD, count, 1.0);
    const Tensor outside = make(rondo_binary, RONDO_MUL, make(rondo_binary_scalar, RONDO_SUB, value, 2.0),
                                make(rondo_binary_scalar, RONDO_SUB, value, 7.0));
    into(wrong, rondo_binary, RONDO_ADD, wrong, outside);
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        set(graph, "value", (i + t) % 2 ? 2 : 7);
        launch(graph);
      }
    });
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(first(count), 200);
  EXPECT_EQ(first(wrong), 0);
}

TEST_P(LaunchSettings, CallsHaveThemToo) {
  const Callable graph = callable({{RONDO_F32, {256}}}, [&](const std::vector<Tensor>& x) {
    Tensor y = make(rondo_binary, RONDO_MUL, x[0], parameter("scale", 2));
    section(
        "shift", [&] { into(y, rondo_binary_scalar, RONDO_ADD, y, 100.0); }, false);
    return list(std::move(y));
  });
  const Tensor x = ones(256, 3);
  std::vector<Tensor> answers;
  for (int i = 1; i <= 8; ++i) {
    set(graph, "scale", i);
    enable(graph, "shift", i % 2);
    answers.push_back(call(graph, {x}));
  }
  for (int i = 1; i <= 8; ++i) EXPECT_EQ(first(answers[static_cast<size_t>(i) - 1]), 3 * i + (i % 2 ? 100 : 0));
}

// What another graph launches has the values of when it was recorded.
TEST_P(LaunchSettings, ALaunchInARecordingKeepsItsValues) {
  const Tensor sum = ones(8, 0);
  const Graph inner = record(engine(), [&] {
    const Tensor value = parameter("value", 1);
    section("add", [&] { into(sum, rondo_binary, RONDO_ADD, sum, value); });
  });
  set(inner, "value", 5);
  const Graph outer = record(engine(), [&] { launch(inner); });
  set(inner, "value", 100);
  launch(outer);
  EXPECT_EQ(first(sum), 5);
  launch(inner);
  EXPECT_EQ(first(sum), 105);
  enable(inner, "add", false);
  launch(inner);
  EXPECT_EQ(first(sum), 105);
  launch(outer);
  EXPECT_EQ(first(sum), 110);
}

TEST_P(LaunchSettings, WritesOfASectionThatIsOffStay) {
  const Tensor x = ones(1000, 3), in_place = ones(1000, 1);
  Tensor kept, read;
  const Graph graph = record(engine(), [&] {
    Tensor inside;
    section("noise", [&] {
      inside = make(rondo_binary_scalar, RONDO_MUL, x, 2.0);
      into(in_place, rondo_binary_scalar, RONDO_ADD, in_place, 1.0);
      kept = make(rondo_unary, RONDO_NEG, inside);
    });
    // Much else in the arena, which would lie where the section's result is.
    Tensor other = make(rondo_unary, RONDO_EXP, make(rondo_cumulative, RONDO_SUM, x, 0, 0));
    other = make(rondo_cumulative, RONDO_SUM, other, 0, 0);
    read = make(rondo_binary, RONDO_ADD, inside, make(rondo_binary_scalar, RONDO_MUL, other, 0.0));
    read = make(rondo_cumulative, RONDO_SUM, inside, 0, 0);
  });
  expect_captured(graph.get());
  enable(graph, "noise", false);
  launch(graph);
  EXPECT_EQ(first(kept), 0) << "zero before it has run";
  EXPECT_EQ(first(read), 0);
  EXPECT_EQ(first(in_place), 1);
  enable(graph, "noise", true);
  launch(graph);
  EXPECT_EQ(first(kept), -6);
  EXPECT_EQ(first(read), 6);
  EXPECT_EQ(first(in_place), 2);
  enable(graph, "noise", false);
  must(rondo_fill(x, 10));
  launch(graph);
  launch(graph);
  EXPECT_EQ(first(kept), -6);
  EXPECT_EQ(first(read), 6) << "what was there is read, not what lies in its place";
  EXPECT_EQ(first(in_place), 2);
}

// What is done with it afterwards counts for the next launch, though nobody reads it in this one.
TEST_P(LaunchSettings, WhatStaysIsWhatTheLaunchBeforeLeft) {
  const Tensor x = ones(100, 3), y = ones(100, 0);
  const Graph graph = record(engine(), [&] {
    Tensor state;
    section("begin", [&] { state = make(rondo_binary_scalar, RONDO_ADD, x, 1.0); });
    into(y, rondo_copy, state);
    into(state, rondo_binary_scalar, RONDO_MUL, state, 2.0);
  });
  launch(graph);
  EXPECT_EQ(first(y), 4);
  enable(graph, "begin", false);
  launch(graph);
  EXPECT_EQ(first(y), 8);
  launch(graph);
  EXPECT_EQ(first(y), 16);
  enable(graph, "begin", true);
  launch(graph);
  EXPECT_EQ(first(y), 4);
}

// Of one part outside, one inside and one outside, each is one kernel; and what the first writes is stored, though the
// second writes over it.
TEST_P(LaunchSettings, NoKernelIsMadeAcrossTheBorders) {
  const Tensor x = up(random_array(RONDO_F32, {100}, 1, 1, 2));
  Tensor y;
  const Graph graph = record(engine(), [&] {
    const Tensor first = make(rondo_unary, RONDO_NEG, make(rondo_unary, RONDO_EXP, x));
    section("in_between", [&] { into(first, rondo_binary_scalar, RONDO_MUL, make(rondo_unary, RONDO_SQRT, x), 2.0); });
    y = make(rondo_unary, RONDO_ABS, make(rondo_binary_scalar, RONDO_ADD, first, 1.0));
  });
  expect_captured(graph.get());
  const rondo_graph_info info = graph_info(graph.get());
  EXPECT_EQ(info.tasks, 3) << graph_report(graph.get());
  EXPECT_EQ(info.nodes, on_cuda() ? 3 : 0);
  const auto expected = [&](bool on) {
    const Tensor first = on ? make(rondo_binary_scalar, RONDO_MUL, make(rondo_unary, RONDO_SQRT, x), 2.0)
                            : make(rondo_unary, RONDO_NEG, make(rondo_unary, RONDO_EXP, x));
    return download(make(rondo_unary, RONDO_ABS, make(rondo_binary_scalar, RONDO_ADD, first, 1.0)));
  };
  for (const bool on : {true, false, true}) {
    enable(graph, "in_between", on);
    launch(graph);
    expect_same_bits(download(y), expected(on), on ? "on" : "off");
  }
}

TEST_P(LaunchSettings, PartsOfOneNameAreOneSection) {
  const Tensor a = ones(8, 0), b = ones(8, 0);
  const Graph graph = record(engine(), [&] {
    section("both", [&] { into(a, rondo_binary_scalar, RONDO_ADD, a, 1.0); });
    into(b, rondo_binary_scalar, RONDO_ADD, b, 1.0);
    section("both", [&] { into(b, rondo_binary, RONDO_ADD, b, a); });
  });
  launch(graph);
  enable(graph, "both", false);
  launch(graph);
  EXPECT_EQ(first(a), 1);
  EXPECT_EQ(first(b), 3);
  EXPECT_TRUE(has_word(graph_report(graph.get()), "section 'both': off")) << graph_report(graph.get());
}

// Numbers are drawn for what is off too, so that what comes after it has its own.
TEST_P(LaunchSettings, OtherNumbersDoNotDependOnASwitch) {
  const auto draw = [&](bool on) {
    const Tensor inside = ones(64), outside = ones(64);
    const int64_t shape[] = {64};
    const auto numbers = [&](rondo_tensor* to) {
      into(to, rondo_random_uniform, engine(), device(), RONDO_F32, 1, shape, 0.0, 1.0);
    };
    const Graph graph = record(engine(), [&] {
      section("inside", [&] { numbers(inside); });
      numbers(outside);
    });
    must(rondo_engine_seed(engine(), 5));
    enable(graph, "inside", on);
    launch(graph);
    launch(graph);
    return download(outside);
  };
  expect_same_bits(draw(false), draw(true), "outside");
}

// Programs by chance, of updates in and out of sections with parameters, against the same done eagerly.
TEST_P(LaunchSettings, ProgramsByChanceAreAsEagerOnes) {
  for (uint32_t seed = 0; seed < (sparing() ? 6U : 60U); ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    struct Step {
      int section;  // -1: none
      uint32_t to, a, b, kind;
    };
    std::vector<Step> steps(4 + below(12));
    for (Step& each : steps) each = {static_cast<int>(below(4)) - 1, below(4), below(4), below(4), below(4)};
    const auto perform = [&](const Step& step, const std::vector<Tensor>& t, rondo_tensor* rate) {
      if (step.kind == 0) {
        into(t[step.to], rondo_copy, t[step.a]);
      } else if (step.kind == 1) {
        into(t[step.to], rondo_binary, RONDO_MUL, t[step.a], rate);
      } else if (step.kind == 2) {
        const Tensor sum = make(rondo_binary, RONDO_ADD, t[step.a], t[step.b]);
        into(t[step.to], rondo_unary, RONDO_TANH, sum);
      } else {
        into(t[step.to], rondo_cumulative, RONDO_MAX, t[step.a == step.to ? (step.a + 1) % 4 : step.a], 0, 0);
      }
    };
    std::vector<Tensor> eager, recorded;
    for (uint32_t i = 0; i < 4; ++i)
      for (auto* list : {&eager, &recorded}) list->push_back(up(random_array(RONDO_F32, {37}, seed * 4 + i, -1, 1)));
    static const char* const names[] = {"a", "b", "c"};
    bool there[3] = {};
    const Graph graph = record(engine(), [&] {
      const Tensor rate = parameter("rate", 1);
      for (const Step& each : steps) {
        if (each.section < 0) {
          perform(each, recorded, rate);
        } else {
          there[each.section] = true;
          section(names[each.section], [&] { perform(each, recorded, rate); });
        }
      }
    });
    expect_captured(graph.get());
    bool on[3] = {true, true, true};
    for (int run = 0; run < 5; ++run) {
      const double rate = 0.25 * static_cast<double>(1 + below(8));
      set(graph, "rate", rate);
      for (int s = 0; s < 3; ++s)
        if (there[s]) enable(graph, names[s], on[s] = run == 0 || below(2));
      launch(graph);
      const Tensor now = up(full(RONDO_F32, {}, rate));
      for (const Step& each : steps)
        if (each.section < 0 || on[each.section]) perform(each, eager, now);
    }
    for (size_t i = 0; i < 4; ++i)
      expect_same_bits(download(recorded[i]), download(eager[i]), "seed " + std::to_string(seed));
  }
}

TEST_P(LaunchSettings, FailureStaysWhereASectionIsOff) {
  Tensor a = ones(8, 1);
  const Graph graph = record(engine(), [&] { section("fill", [&] { must(rondo_fill(a, 7)); }); });
  launch(graph);
  EXPECT_EQ(first(a), 7);
  (void)push(engine(), [](rondo_task_context*) { return RONDO_IO_ERROR; }, {}, {variable_of(a)});
  enable(graph, "fill", false);
  EXPECT_EQ(rondo_graph_launch(graph.get()), naive() ? RONDO_IO_ERROR : RONDO_OK);
  EXPECT_EQ(rondo_tensor_wait(a), RONDO_IO_ERROR);
  enable(graph, "fill", true);
  must(rondo_fill(a, 0));
  launch(graph);
  EXPECT_EQ(first(a), 7);
  (void)rondo_engine_wait_all(engine());  // tells of the failure
}

// --- what is refused

TEST_P(LaunchSettings, MisuseIsRefusedByName) {
  const auto bad = RONDO_INVALID_ARGUMENT;
  rondo_tensor* out = nullptr;
  expect_refused(rondo_record_parameter(engine(), "p", device(), RONDO_F32, 1, &out), RONDO_INVALID_STATE,
                 "rondo_record_parameter", nullptr);
  expect_refused(rondo_record_section_begin(engine(), "s", 1), RONDO_INVALID_STATE, "rondo_record_section_begin",
                 nullptr);
  expect_refused(rondo_record_section_end(engine()), RONDO_INVALID_STATE, "rondo_record_section_end", nullptr);
  const auto names = [](const char* word) { EXPECT_TRUE(has_word(rondo_last_error(), word)) << rondo_last_error(); };
  const Tensor x = ones(4);
  const Graph graph = record(engine(), [&] {
    const Tensor p = parameter("rate", 1), n = parameter("step", 1, RONDO_I32);
    expect_refused(rondo_record_parameter(engine(), "", device(), RONDO_F32, 1, &out), bad, "rondo_record_parameter",
                   "name");
    expect_refused(rondo_record_parameter(engine(), nullptr, device(), RONDO_F32, 1, &out), bad,
                   "rondo_record_parameter", "name");
    expect_refused(rondo_record_parameter(engine(), "q", device(), RONDO_F32, 1, nullptr), bad,
                   "rondo_record_parameter", "parameter");
    expect_refused(rondo_record_parameter(engine(), "q", device(), RONDO_I32, 0.5, &out), bad, "rondo_record_parameter",
                   "value");
    expect_refused(rondo_record_parameter(engine(), "q", device(), static_cast<rondo_dtype>(99), 0.5, &out), bad,
                   "rondo_record_parameter", nullptr);
    expect_refused(rondo_record_parameter(engine(), "rate", device(), RONDO_F32, 1, &out), bad,
                   "rondo_record_parameter", nullptr);
    names("rate");
    EXPECT_EQ(out, nullptr);
    expect_refused(rondo_record_section_begin(engine(), "", 1), bad, "rondo_record_section_begin", "name");
    expect_refused(rondo_record_section_begin(engine(), "s", 2), bad, "rondo_record_section_begin", "on");
    must(rondo_record_section_begin(engine(), "s", 1));
    expect_refused(rondo_record_section_begin(engine(), "t", 1), RONDO_INVALID_STATE, "rondo_record_section_begin",
                   nullptr);
    names("s");
    into(x, rondo_binary, RONDO_MUL, x, p);
    must(rondo_record_section_end(engine()));
    expect_refused(rondo_record_section_begin(engine(), "s", 0), bad, "rondo_record_section_begin", "on");
    expect_refused(rondo_record_section_end(engine()), RONDO_INVALID_STATE, "rondo_record_section_end", nullptr);
  });
  expect_refused(rondo_graph_set(graph.get(), "lr", 1), RONDO_NOT_FOUND, "rondo_graph_set", nullptr);
  names("rate");
  names("step");
  expect_refused(rondo_graph_set_i64(graph.get(), "s", 1), RONDO_NOT_FOUND, "rondo_graph_set_i64", nullptr);
  expect_refused(rondo_graph_set(graph.get(), nullptr, 1), bad, "rondo_graph_set", "name");
  expect_refused(rondo_graph_set(graph.get(), "step", 0.5), bad, "rondo_graph_set", "value");
  expect_refused(rondo_graph_set_i64(graph.get(), "step", int64_t{1} << 40), bad, "rondo_graph_set_i64", "value");
  expect_refused(rondo_graph_enable(graph.get(), "rate", 1), RONDO_NOT_FOUND, "rondo_graph_enable", nullptr);
  expect_refused(rondo_graph_enable(graph.get(), "s", 2), bad, "rondo_graph_enable", "on");
  launch(graph);
  EXPECT_EQ(first(x), 1) << "nothing that was refused has changed anything";
}

TEST_P(LaunchSettings, ARecordingDoesNotEndInASection) {
  must(rondo_record_begin(engine(), nullptr));
  must(rondo_record_section_begin(engine(), "open", 1));
  rondo_graph* graph = nullptr;
  expect_refused(rondo_record_end(engine(), &graph), RONDO_INVALID_STATE, "rondo_record_end", nullptr);
  EXPECT_TRUE(has_word(rondo_last_error(), "open")) << rondo_last_error();
  EXPECT_EQ(graph, nullptr);
}

TEST_P(LaunchSettings, CallOutputIsWrittenOutsideSections) {
  const rondo_record_options options = for_calls();
  must(rondo_record_begin(engine(), &options));
  {
    const Tensor x = input({RONDO_F32, {64}});
    Tensor y;
    section("maybe", [&] { y = make(rondo_unary, RONDO_NEG, x); });
    must(rondo_record_output(engine(), y));
  }
  rondo_graph* graph = nullptr;
  expect_refused(rondo_record_end(engine(), &graph), RONDO_INVALID_STATE, "rondo_record_end", "outputs[0]");
}

}  // namespace
}  // namespace conformance
