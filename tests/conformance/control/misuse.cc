// Control flow that is asked for wrongly: what is refused, with which words, and that a recording goes on.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "control/control.h"

#include <cstring>

namespace conformance {
namespace {

rondo_status nothing(void*) {
  return RONDO_OK;
}

class ControlMisuse : public OnControl {
 protected:
  void SetUp() override {
    OnControl::SetUp();
    if (!IsSkipped()) condition_ = truth(true);
  }
  void TearDown() override {
    condition_.reset();
    OnControl::TearDown();
  }
  // Eagerly, and in a recording, which goes on.
  void refused_both_ways(const std::function<rondo_status()>& call, rondo_status expected, const char* function,
                         const char* argument) const {
    expect_refused(call(), expected, function, argument);
    const Tensor x = ones(4);
    const Graph graph = record(engine(), [&] {
      add(x, 1);
      expect_refused(call(), expected, function, argument);
      add(x, 1);
    });
    must(rondo_graph_launch(graph.get()));
    EXPECT_EQ(first(x), 3);
  }
  Tensor condition_;
};
CONFORMANCE_ENGINE_SUITE(ControlMisuse);

TEST_P(ControlMisuse, ConditionOfSeveralElementsIsRefused) {
  const Tensor many = up(full(RONDO_BOOL, {2}, 1)), none = up(full(RONDO_BOOL, {0}, 1));
  const Tensor index = up(full(RONDO_I64, {2, 2}, 1));
  const rondo_body_fn bodies[] = {nothing};
  for (const Tensor* each : {&many, &none}) {
    refused_both_ways([&] { return rondo_if(engine(), *each, nothing, nullptr, nullptr); }, RONDO_INVALID_ARGUMENT,
                      "rondo_if", "condition");
    refused_both_ways([&] { return rondo_while(engine(), *each, nothing, 3, nullptr); }, RONDO_INVALID_ARGUMENT,
                      "rondo_while", "condition");
  }
  refused_both_ways([&] { return rondo_switch(engine(), index, 1, bodies, nullptr); }, RONDO_INVALID_ARGUMENT,
                    "rondo_switch", "index");
  EXPECT_TRUE(std::strstr(rondo_last_error(), "[2, 2]")) << rondo_last_error();
}

TEST_P(ControlMisuse, ConditionOfAnotherDtypeIsRefused) {
  const rondo_body_fn bodies[] = {nothing};
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_I32, RONDO_U8}) {
    const Tensor number = up(full(dtype, {}, 1));
    refused_both_ways([&] { return rondo_if(engine(), number, nothing, nullptr, nullptr); }, RONDO_INVALID_ARGUMENT,
                      "rondo_if", "condition");
    EXPECT_TRUE(std::strstr(rondo_last_error(), "bool is needed")) << rondo_last_error();
    refused_both_ways([&] { return rondo_while(engine(), number, nothing, 3, nullptr); }, RONDO_INVALID_ARGUMENT,
                      "rondo_while", "condition");
  }
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_BOOL, RONDO_U8}) {
    const Tensor number = up(full(dtype, {}, 1));
    refused_both_ways([&] { return rondo_switch(engine(), number, 1, bodies, nullptr); }, RONDO_INVALID_ARGUMENT,
                      "rondo_switch", "index");
    EXPECT_TRUE(std::strstr(rondo_last_error(), "i32 or i64 is needed")) << rondo_last_error();
  }
}

TEST_P(ControlMisuse, ConditionOfAnotherEngineIsRefused) {
  const Engine other = create_engine(options());
  const Tensor foreign = upload(other.get(), device(), full(RONDO_BOOL, {}, 1));
  refused_both_ways([&] { return rondo_if(engine(), foreign, nothing, nullptr, nullptr); }, RONDO_INVALID_ARGUMENT,
                    "rondo_if", "condition");
}

TEST_P(ControlMisuse, UnwrittenConditionIsRefused) {
  const Tensor blank = empty(RONDO_BOOL, {});
  expect_refused(rondo_if(engine(), blank, nothing, nullptr, nullptr), RONDO_INVALID_STATE, "rondo_if", "condition");
}

TEST_P(ControlMisuse, FunctionsAndCountsAreChecked) {
  const Tensor index = up(full(RONDO_I32, {}, 0));
  const rondo_body_fn bodies[] = {nothing, nullptr};
  refused_both_ways([&] { return rondo_if(engine(), condition_, nullptr, nothing, nullptr); }, RONDO_INVALID_ARGUMENT,
                    "rondo_if", "then_body");
  refused_both_ways([&] { return rondo_while(engine(), condition_, nullptr, 0, nullptr); }, RONDO_INVALID_ARGUMENT,
                    "rondo_while", "body");
  refused_both_ways([&] { return rondo_while(engine(), condition_, nothing, -1, nullptr); }, RONDO_INVALID_ARGUMENT,
                    "rondo_while", "limit");
  refused_both_ways([&] { return rondo_switch(engine(), index, 0, bodies, nullptr); }, RONDO_INVALID_ARGUMENT,
                    "rondo_switch", "n_bodies");
  refused_both_ways([&] { return rondo_switch(engine(), index, 4097, bodies, nullptr); }, RONDO_INVALID_ARGUMENT,
                    "rondo_switch", "n_bodies");
  refused_both_ways([&] { return rondo_switch(engine(), index, 1, nullptr, nullptr); }, RONDO_INVALID_ARGUMENT,
                    "rondo_switch", "bodies");
  refused_both_ways([&] { return rondo_switch(engine(), index, 2, bodies, nullptr); }, RONDO_INVALID_ARGUMENT,
                    "rondo_switch", "bodies");
}

TEST_P(ControlMisuse, LoopThatKeepsItsConditionIsRefused) {
  const Tensor x = ones(4);
  const Graph graph = record(engine(), [&] {
    Issue body = [&] { add(x, 1); };
    expect_refused(rondo_while(engine(), condition_, call_issue, 0, &body), RONDO_INVALID_ARGUMENT, "rondo_while",
                   "condition");
    add(x, 1);
  });
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(x), 2);
}

TEST_P(ControlMisuse, BodyThatFailsLeavesNothing) {
  const Tensor x = ones(4), wrong = ones(3);
  Tensor inside;
  const Graph graph = record(engine(), [&] {
    add(x, 1);
    TwoIssues both{[&] { add(x, 1); },
                   [&] {
                     add(x, 100);
                     inside = make(rondo_unary, RONDO_NEG, x);
                     into(x, rondo_binary, RONDO_ADD, x, wrong);
                   }};
    EXPECT_EQ(rondo_if(engine(), condition_, call_yes, call_no, &both), RONDO_USER_ERROR);
    const std::string message = rondo_last_error();
    EXPECT_NE(message.find("rondo_if"), std::string::npos) << message;
    EXPECT_NE(message.find("'else'"), std::string::npos) << message;
    EXPECT_NE(message.find("rondo_binary"), std::string::npos) << "the call that failed: " << message;
    add(x, 1);
  });
  EXPECT_EQ(graph_report(graph.get()).find("'if'"), std::string::npos) << graph_report(graph.get());
  EXPECT_NE(rondo_tensor_wait(inside), RONDO_OK);
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(x), 3);
}

TEST_P(ControlMisuse, BodyThatWaitsIsRefused) {
  const Tensor x = ones(4);
  const Graph graph = record(engine(), [&] {
    if_else(condition_, [&] {
      float data[4];
      const Tensor y = make(rondo_unary, RONDO_NEG, x);
      expect_refused(rondo_tensor_read(y, data, sizeof data), RONDO_INVALID_STATE, "rondo_tensor_read", nullptr);
      expect_refused(rondo_tensor_write(x, data, sizeof data), RONDO_INVALID_STATE, "rondo_tensor_write", nullptr);
      expect_refused(rondo_tensor_wait(y), RONDO_INVALID_STATE, "rondo_tensor_wait", nullptr);
      into(x, rondo_binary, RONDO_ADD, x, y);
    });
  });
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(x), 0);
}

TEST_P(ControlMisuse, BodyCannotEndOrNameWhatIsRecorded) {
  const Tensor x = ones(4);
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.flags = RONDO_RECORD_CALLABLE;
  const Shape shape = {4};
  const Graph graph = record(
      engine(),
      [&] {
        const Tensor y = make(rondo_unary, RONDO_NEG, x);
        if_else(condition_, [&] {
          rondo_graph* none = nullptr;
          rondo_tensor* input = nullptr;
          expect_refused(rondo_record_end(engine(), &none), RONDO_INVALID_STATE, "rondo_record_end", nullptr);
          expect_refused(rondo_record_abort(engine()), RONDO_INVALID_STATE, "rondo_record_abort", nullptr);
          expect_refused(rondo_record_begin(engine(), nullptr), RONDO_INVALID_STATE, "rondo_record_begin", nullptr);
          expect_refused(rondo_record_output(engine(), y), RONDO_INVALID_STATE, "rondo_record_output", nullptr);
          expect_refused(rondo_record_input(engine(), device(), RONDO_F32, 1, shape.data(), &input),
                         RONDO_INVALID_STATE, "rondo_record_input", nullptr);
          add(y, 1);
        });
        must(rondo_record_output(engine(), y));
      },
      &options);
  rondo_tensor* output = nullptr;
  must(rondo_graph_call(graph.get(), 0, nullptr, 1, &output));
  const Tensor owned(output);
  EXPECT_EQ(first(owned), 0);
}

TEST_P(ControlMisuse, TensorsOfABodyAreNotUsedOutside) {
  const Tensor x = ones(4);
  Tensor inside;
  const Graph graph = record(engine(), [&] {
    if_else(condition_, [&] {
      inside = make(rondo_unary, RONDO_NEG, x);
      into(x, rondo_binary, RONDO_ADD, x, inside);
    });
    Tensor out;
    expect_refused(rondo_unary(RONDO_NEG, inside, out.slot()), RONDO_INVALID_STATE, "rondo_unary", nullptr);
    EXPECT_TRUE(std::strstr(rondo_last_error(), "made in a body")) << rondo_last_error();
  });
  EXPECT_EQ(rondo_tensor_wait(inside), RONDO_INVALID_STATE);
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(x), 0);
}

TEST_P(ControlMisuse, BodyMayNotWriteToAnotherEngine) {
  const Engine other = create_engine(options());
  const Tensor foreign = upload(other.get(), device(), full(RONDO_F32, {4}, 1)), x = ones(4);
  const Graph graph = record(engine(), [&] {
    Issue body = [&] { into(foreign, rondo_unary, RONDO_NEG, x); };
    EXPECT_EQ(rondo_if(engine(), condition_, call_issue, nullptr, &body), RONDO_USER_ERROR);
    EXPECT_TRUE(std::strstr(rondo_last_error(), "engine")) << rondo_last_error();
    add(x, 1);
  });
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(x), 2);
}

TEST_P(ControlMisuse, PartsThatEachBodyFillsAreContents) {
  const Tensor y = ones(6, 7), condition = truth(true);
  const auto program = [&] {
    const Tensor fresh = empty(RONDO_F32, {6});
    const auto body = [&] {
      must(rondo_fill(slice(fresh, 0, 2, 4), 3));
      into(y, rondo_unary, RONDO_NEG, fresh);
    };
    if_else(condition, body, body);
  };
  const auto expect_zeros_around = [&](const char* when) {
    const Array got = download(y);
    for (size_t i = 0; i < 6; ++i) EXPECT_EQ(got[i], i == 2 || i == 3 ? -3 : 0) << when << ", at " << i;
  };
  program();
  expect_zeros_around("eager");
  const Graph graph = record(engine(), program);
  for (const char* when : {"first launch", "second launch"}) {
    must(rondo_fill(y, 7));
    must(rondo_graph_launch(graph.get()));
    expect_zeros_around(when);
  }
}

TEST_P(ControlMisuse, WhatOneBodyWritesNeedsContents) {
  const Tensor blank = empty(RONDO_F32, {4});
  const Graph graph = record(engine(), [&] { if_else(condition_, [&] { must(rondo_fill(blank, 1)); }); });
  expect_refused(rondo_graph_launch(graph.get()), RONDO_INVALID_STATE, "rondo_graph_launch", nullptr);
  must(rondo_fill(blank, 0));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(blank), 1);
  // Made inside, it could never have any.
  rondo_graph* none = nullptr;
  must(rondo_record_begin(engine(), nullptr));
  {
    Tensor made = empty(RONDO_F32, {4});
    if_else(condition_, [&] { must(rondo_fill(made, 1)); });
    into(blank, rondo_binary, RONDO_ADD, blank, made);
    made.reset();
  }
  EXPECT_EQ(rondo_record_end(engine(), &none), RONDO_INVALID_STATE);
  EXPECT_TRUE(std::strstr(rondo_last_error(), "'if'")) << rondo_last_error();
  // What each of two bodies writes needs none.
  const Tensor both = empty(RONDO_F32, {4});
  const Graph whole = record(engine(), [&] {
    if_else(
        condition_, [&] { must(rondo_fill(both, 1)); }, [&] { must(rondo_fill(both, 2)); });
  });
  must(rondo_graph_launch(whole.get()));
  EXPECT_EQ(first(both), 1);
}

TEST_P(ControlMisuse, RecordingUnderATapeIsRefusedByName) {
  const Tensor x = ones(4);
  rondo_tape* tape = nullptr;
  must(rondo_tape_begin(engine(), 0, &tape));
  must(rondo_tape_watch(tape, x));
  const Graph graph = record(engine(), [&] {
    expect_refused(rondo_if(engine(), condition_, nothing, nullptr, nullptr), RONDO_UNSUPPORTED, "rondo_if", "tape");
    must(rondo_tape_end(tape));
    if_else(condition_, [&] { add(x, 1); });
    // A tape that a body leaves open.
    rondo_tape* left = nullptr;
    Issue body = [&] { must(rondo_tape_begin(engine(), 0, &left)); };
    expect_refused(rondo_if(engine(), condition_, call_issue, nullptr, &body), RONDO_INVALID_STATE, "rondo_if", "tape");
    rondo_tape_destroy(left);
  });
  rondo_tape_destroy(tape);
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(x), 2);
}

TEST_P(ControlMisuse, EagerCallInsideATaskIsRefused) {
  rondo_status inside = RONDO_OK;
  std::string message;
  must(push(engine(),
            [&](rondo_task_context*) {
              inside = rondo_if(engine(), condition_, nothing, nullptr, nullptr);
              message = rondo_last_error();
              return RONDO_OK;
            },
            {}, {}));
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(inside, RONDO_INVALID_STATE) << message;
  EXPECT_TRUE(has_word(message, "condition")) << message;
}

TEST_P(ControlMisuse, EagerBodyThatFailsEndsTheLoop) {
  const Tensor x = ones(4, 0), wrong = ones(3);
  int turns = 0;
  Issue body = [&] {
    add(x, 1);
    if (++turns == 3) into(x, rondo_binary, RONDO_ADD, x, wrong);
  };
  expect_refused(rondo_while(engine(), condition_, call_issue, 0, &body), RONDO_USER_ERROR, "rondo_while", "body");
  EXPECT_EQ(first(x), 3);
}

TEST_P(ControlMisuse, EngineDestroyedByABodyIsSaid) {
  Engine other = create_engine(options());
  Tensor there = upload(other.get(), device(), full(RONDO_BOOL, {}, 1));
  rondo_engine* const handle = other.get();
  must(rondo_record_begin(handle, nullptr));
  Issue body = [&] {
    there.reset();
    other.reset();
  };
  EXPECT_EQ(rondo_if(handle, there, call_issue, nullptr, &body), RONDO_INVALID_STATE);
  EXPECT_TRUE(std::strstr(rondo_last_error(), "destroyed the engine")) << rondo_last_error();
}

}  // namespace
}  // namespace conformance
