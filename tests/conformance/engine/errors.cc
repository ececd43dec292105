// Failures of tasks: poison, the first cause as often as asked, clearing, skipping. Copyright 2026 the Rondo
// developers. SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "harness.h"

namespace conformance {
namespace {

class Errors : public OnEngine {
 protected:
  // Submits a task that fails. In naive mode the call itself reports it.
  void fail(const char* name, const char* message, const std::vector<rondo_variable*>& reads,
            const std::vector<rondo_variable*>& writes) {
    const rondo_task_options with = task_options(name);
    const rondo_status status = push(
        engine(),
        [message](rondo_task_context* context) {
          if (message) rondo_task_fail(context, message);
          return RONDO_USER_ERROR;
        },
        reads, writes, &with);
    EXPECT_EQ(status, naive() ? RONDO_USER_ERROR : RONDO_OK);
  }
  // A call that submits work which will be skipped: succeeds, or in naive mode tells the cause.
  void skipped(rondo_status status) { EXPECT_EQ(status, naive() ? RONDO_USER_ERROR : RONDO_OK) << rondo_last_error(); }
  static void expect_cause(rondo_status status, const char* name, const char* message) {
    EXPECT_EQ(status, RONDO_USER_ERROR) << rondo_status_name(status);
    const std::string text = rondo_last_error();
    EXPECT_NE(text.find(name), std::string::npos) << "'" << text << "' does not name the task " << name;
    EXPECT_NE(text.find(message), std::string::npos) << "'" << text << "' lost the message " << message;
  }
  void TearDown() override {
    if (engine()) (void)rondo_engine_wait_all(engine());  // the failures that a test provoked
    OnEngine::TearDown();
  }
};
CONFORMANCE_ENGINE_SUITE(Errors);

TEST_P(Errors, FirstCauseAsOftenAsAsked) {
  const Variable v(engine());
  fail("the_culprit", "it broke at line 5", {}, {v});
  for (int i = 0; i < 3; ++i) expect_cause(rondo_variable_wait(v), "the_culprit", "it broke at line 5");
  expect_cause(rondo_engine_wait_all(engine()), "the_culprit", "it broke at line 5");
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_OK) << "wait_all reports failures since the last that reported one";
  expect_cause(rondo_variable_wait(v), "the_culprit", "it broke at line 5");
}

TEST_P(Errors, WithoutAMessage) {
  const Variable v(engine());
  fail("silent_one", nullptr, {}, {v});
  EXPECT_EQ(rondo_variable_wait(v), RONDO_USER_ERROR);
  EXPECT_NE(std::string(rondo_last_error()).find("silent_one"), std::string::npos) << rondo_last_error();
}

// What a task returns and no status is, or none of its own, is a user's error with the number in the message.
TEST_P(Errors, StatusesThatATaskCannotHave) {
  for (const int code : {-7, 99, 999, static_cast<int>(RONDO_DEVICE_LOST)}) {
    const Variable v(engine());
    const rondo_task_options with = task_options("odd_one");
    (void)push(
        engine(),
        [code](rondo_task_context* context) {
          if (code > 0) rondo_task_fail(context, "in its own words");
          return static_cast<rondo_status>(code);
        },
        {}, {v}, &with);
    expect_cause(rondo_variable_wait(v), "odd_one", code > 0 ? "in its own words" : "without a message");
    EXPECT_TRUE(has_word(rondo_last_error(), std::to_string(std::abs(code)))) << rondo_last_error();
  }
}

TEST_P(Errors, AllOutputsOfATaskAreEqual) {
  const Variable v(engine()), w(engine()), x(engine());
  fail("two_outputs", "gone", {x}, {v, w});
  expect_cause(rondo_variable_wait(v), "two_outputs", "gone");
  expect_cause(rondo_variable_wait(w), "two_outputs", "gone");
  EXPECT_EQ(rondo_variable_wait(x), RONDO_OK) << "what it only read is intact";
}

TEST_P(Errors, SkipChain) {
  const Variable a(engine()), b(engine()), c(engine()), other(engine());
  std::atomic<int> ran{0};
  const auto count = [&](rondo_task_context*) {
    ++ran;
    return RONDO_OK;
  };
  fail("origin", "first cause", {}, {a});
  skipped(push(engine(), count, {a}, {b}));
  skipped(push(engine(), count, {b, other}, {c}));
  skipped(push(engine(), count, {a}, {a}));  // reads what it writes: cannot clear it
  must(push(engine(), count, {other}, {other}));
  must(rondo_variable_wait(other));
  expect_cause(rondo_variable_wait(c), "origin", "first cause");
  expect_cause(rondo_variable_wait(b), "origin", "first cause");
  expect_cause(rondo_variable_wait(a), "origin", "first cause");
  EXPECT_EQ(ran, 1) << "only the task that depends on nothing poisoned ran";
}

TEST_P(Errors, FirstOfSeveralCauses) {
  const Variable a(engine()), b(engine()), c(engine());
  fail("first_failure", "one", {}, {a});
  expect_cause(rondo_variable_wait(a), "first_failure", "one");
  fail("second_failure", "two", {a}, {b});  // skipped: its own failure never happens
  fail("third_failure", "three", {}, {c});
  expect_cause(rondo_variable_wait(b), "first_failure", "one");
  expect_cause(rondo_variable_wait(c), "third_failure", "three");
  expect_cause(rondo_engine_wait_all(engine()), "first_failure", "one");
}

TEST_P(Errors, OverwriteClears) {
  const Variable v(engine());
  int value = 0;
  fail("culprit", "bad", {}, {v});
  must(push(engine(),
            [&](rondo_task_context*) {
              value = 5;
              return RONDO_OK;
            },
            {}, {v}));
  EXPECT_EQ(rondo_variable_wait(v), RONDO_OK) << rondo_last_error();
  EXPECT_EQ(value, 5);
  expect_cause(rondo_engine_wait_all(engine()), "culprit", "bad");
}

TEST_P(Errors, OperatorsOnPoisonedTensors) {
  const Tensor a = up(full(RONDO_F32, {10}, 1)), clean = up(full(RONDO_F32, {10}, 2));
  fail("spoiler", "no data", {}, {variable_of(a)});
  Tensor b, c;
  skipped(rondo_unary(RONDO_NEG, a, b.slot()));
  if (!naive()) {
    skipped(rondo_binary(RONDO_ADD, b, clean, c.slot()));
    expect_cause(rondo_tensor_wait(c), "spoiler", "no data");
    float data[10];
    expect_cause(rondo_tensor_read(c, data, sizeof data), "spoiler", "no data");
    expect_cause(rondo_tensor_wait(b), "spoiler", "no data");
  } else {
    EXPECT_EQ(static_cast<rondo_tensor*>(b), nullptr) << "on error *out is untouched";
  }
  expect_same_bits(download(clean), full(RONDO_F32, {10}, 2), "clean");
  // Written whole, by an operator or from the host, it is well again.
  must(rondo_fill(a, 3));
  expect_same_bits(download(a), full(RONDO_F32, {10}, 3), "filled");
  fail("spoiler", "no data", {}, {variable_of(a)});
  const Array fresh = full(RONDO_F32, {10}, 4);
  must(rondo_tensor_write(a, fresh.bytes.data(), fresh.bytes.size()));
  expect_same_bits(download(a), fresh, "written");
}

// In place, accumulated, or through a view that is a part: the old contents count, so the error stays.
TEST_P(Errors, PartialWritesDoNotClear) {
  const Tensor a = up(full(RONDO_F32, {10}, 1)), b = up(full(RONDO_F32, {10}, 1)), part = slice(a, 0, 0, 5),
               source = slice(b, 0, 0, 5);
  fail("spoiler", "no data", {}, {variable_of(a)});
  rondo_tensor* slot = a;
  skipped(rondo_binary_scalar(RONDO_ADD, a, 1, &slot));
  const Tensor sum = make(rondo_tensor_accumulator, a);
  slot = sum;
  skipped(rondo_unary(RONDO_NEG, b, &slot));
  slot = part;
  skipped(rondo_unary(RONDO_NEG, source, &slot));
  expect_cause(rondo_tensor_wait(a), "spoiler", "no data");
}

TEST_P(Errors, DeviceTasks) {
  const rondo_task_options with = task_options("on_device", device());
  const Variable v(engine());
  const rondo_status status = push(
      engine(),
      [](rondo_task_context* context) {
        rondo_task_fail(context, "could not enqueue");
        return RONDO_USER_ERROR;
      },
      {}, {v}, &with);
  EXPECT_EQ(status, naive() ? RONDO_USER_ERROR : RONDO_OK);
  expect_cause(rondo_variable_wait(v), "on_device", "could not enqueue");
  EXPECT_NE(std::string(rondo_last_error()).find(on_cuda() ? "cuda:0" : "cpu"), std::string::npos)
      << rondo_last_error();
}

TEST_P(Errors, WaitersInOtherThreads) {
  const Variable v(engine());
  fail("culprit", "for everyone", {}, {v});
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) {
        right += rondo_variable_wait(v) == RONDO_USER_ERROR &&
                 std::string(rondo_last_error()).find("for everyone") != std::string::npos;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 40);
}

// The last error is the thread's own, and success leaves it.
TEST_P(Errors, LastErrorBelongsToTheThread) {
  EXPECT_NE(rondo_engine_wait_all(nullptr), RONDO_OK);
  const std::string mine = rondo_last_error();
  std::string before = "unset", after;
  std::thread([&] {
    before = rondo_last_error();
    (void)rondo_variable_wait(nullptr);
    after = rondo_last_error();
  }).join();
  EXPECT_EQ(before, "");
  EXPECT_NE(after.find("rondo_variable_wait"), std::string::npos) << after;
  EXPECT_EQ(rondo_last_error(), mine);
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(rondo_last_error(), mine) << "a call that succeeds leaves it as it is";
}

TEST_P(Errors, StatusNames) {
  const char* const names[] = {
      "RONDO_OK",           "RONDO_INVALID_ARGUMENT", "RONDO_INVALID_STATE", "RONDO_OUT_OF_MEMORY",
      "RONDO_NOT_FOUND",    "RONDO_LIBRARY_MISSING",  "RONDO_UNSUPPORTED",   "RONDO_COMPILE_FAILED",
      "RONDO_DEVICE_ERROR", "RONDO_DEVICE_LOST",      "RONDO_FORKED",        "RONDO_USER_ERROR",
      "RONDO_IO_ERROR",     "RONDO_INTERNAL",         "RONDO_RANK_LOST",     "RONDO_TIMED_OUT"};
  for (int i = 0; i < 16; ++i) EXPECT_STREQ(rondo_status_name(static_cast<rondo_status>(i)), names[i]);
  EXPECT_STREQ(rondo_status_name(static_cast<rondo_status>(16)), "RONDO_UNKNOWN");
  EXPECT_STREQ(rondo_status_name(static_cast<rondo_status>(-1)), "RONDO_UNKNOWN");
}

// A C++ task that throws, which it must not, is a task that fails, and finishes once.
TEST_P(Errors, ThrowingTask) {
  const Variable v(engine());
  const rondo_task_options with = task_options("thrower");
  const rondo_status status = push(
      engine(), [](rondo_task_context*) -> rondo_status { throw std::runtime_error("out of luck"); }, {}, {v}, &with);
  EXPECT_EQ(status, naive() ? RONDO_USER_ERROR : RONDO_OK);
  expect_cause(rondo_variable_wait(v), "thrower", "out of luck");
}

// A failing task in a long queue stops nothing else, and its body ran once.
TEST_P(Errors, OthersGoOn) {
  const Variable good(engine()), bad(engine());
  std::atomic<int> ran{0};
  for (int i = 0; i < 50; ++i) {
    if (i == 25) fail("middle", "only me", {}, {bad});
    must(push(engine(),
              [&](rondo_task_context*) {
                ++ran;
                return RONDO_OK;
              },
              {}, {good}));
  }
  EXPECT_EQ(rondo_variable_wait(good), RONDO_OK);
  EXPECT_EQ(ran, 50);
  expect_cause(rondo_engine_wait_all(engine()), "middle", "only me");
}

// Destroying a poisoned object, or an engine with failures nobody asked for, is quiet.
TEST_P(Errors, NobodyAsks) {
  const Engine other = create_engine(options());
  const Variable v(other.get());
  (void)push(other.get(), [](rondo_task_context*) { return RONDO_USER_ERROR; }, {}, {v});
}

}  // namespace
}  // namespace conformance
