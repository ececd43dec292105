// Notices: a function is told that what was submitted before is done, and how it ended. What comes later neither delays
// a notice nor changes it. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "harness.h"

namespace conformance {
namespace {

// What a notice told, and that it told once.
struct Told {
  std::atomic<int> times{0};
  rondo_status status = RONDO_INTERNAL;
  std::string error, operation;
  rondo_status waited = RONDO_OK;
  rondo_variable* waits_for = nullptr;  // inside the call
};

void tell(void* arg, rondo_status status) {
  auto& told = *static_cast<Told*>(arg);
  told.status = status;
  if (status != RONDO_OK) {
    told.error = rondo_last_error();
    const char* operation = rondo_last_error_operator(nullptr);
    told.operation = operation ? operation : "";
  }
  if (told.waits_for) told.waited = rondo_variable_wait(told.waits_for);
  ++told.times;
}

class Notices : public OnEngine {
 protected:
  // A task on the variables that ends when the gate is open; in naive mode at once.
  void gated(Gate& gate, const char* name, const std::vector<rondo_variable*>& reads,
             const std::vector<rondo_variable*>& writes, rondo_status outcome = RONDO_OK) {
    const rondo_task_options options = task_options(name);
    const Task wait = waiting(gate);
    (void)push(
        engine(),
        [wait, outcome](rondo_task_context* context) {
          const rondo_status status = wait(context);
          return status == RONDO_OK ? outcome : status;
        },
        reads, writes, &options);
  }
  static void expect_told(const Told& told, rondo_status status) {
    EXPECT_TRUE(eventually([&] { return told.times > 0; }));
    EXPECT_EQ(told.status, status) << told.error;
    EXPECT_EQ(told.times, 1);
  }
};
CONFORMANCE_ENGINE_SUITE(Notices);

TEST_P(Notices, ComeAtOnceWhereNothingIsToBeDone) {
  const Variable v(engine());
  Told variable, all;
  must(rondo_variable_notify(v, 0, tell, &variable));
  must(rondo_engine_notify(engine(), tell, &all));
  expect_told(variable, RONDO_OK);
  expect_told(all, RONDO_OK);
}

TEST_P(Notices, ComeAfterEarlierTasksAndNotAfterLaterOnes) {
  const Variable v(engine());
  Gate first, second;
  Told before, between, after;
  gated(first, "first", {}, {v});
  must(rondo_variable_notify(v, 0, tell, &before));
  if (!naive()) {
    EXPECT_EQ(before.times, 0);
  }
  first.open = true;
  expect_told(before, RONDO_OK);
  must(rondo_variable_notify(v, 0, tell, &between));
  gated(second, "second", {}, {v}, RONDO_IO_ERROR);
  expect_told(between, RONDO_OK);
  must(rondo_variable_notify(v, 0, tell, &after));
  second.open = true;
  expect_told(after, RONDO_IO_ERROR);
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_IO_ERROR);
}

TEST_P(Notices, OfContentsDoNotComeAfterReaders) {
  const Variable v(engine());
  Gate reader;
  Told contents, uses;
  gated(reader, "reader", {v}, {});
  must(rondo_variable_notify(v, 1, tell, &contents));
  must(rondo_variable_notify(v, 0, tell, &uses));
  expect_told(contents, RONDO_OK);
  if (!naive()) {
    EXPECT_EQ(uses.times, 0);
  }
  reader.open = true;
  expect_told(uses, RONDO_OK);
}

TEST_P(Notices, SayWhatFailed) {
  const Variable v(engine());
  Gate gate;
  Told told, again, all, rest;
  gated(gate, "breaks", {}, {v}, RONDO_IO_ERROR);
  must(rondo_variable_notify(v, 0, tell, &told));
  must(rondo_engine_notify(engine(), tell, &all));
  gate.open = true;
  for (Told* each : {&told, &all}) {
    expect_told(*each, RONDO_IO_ERROR);
    EXPECT_NE(each->error.find("task 'breaks'"), std::string::npos) << each->error;
    EXPECT_EQ(each->operation, "breaks");
  }
  EXPECT_EQ(told.error.find("rondo_variable_notify: "), 0u) << told.error;
  must(rondo_variable_notify(v, 0, tell, &again));
  expect_told(again, RONDO_IO_ERROR);
  must(rondo_engine_notify(engine(), tell, &rest));
  expect_told(rest, RONDO_OK);
}

TEST_P(Notices, OfTensorsComeWhenTheDeviceIsDone) {
  const Tensor a = up(full(RONDO_F32, {1000}, 1));
  std::vector<std::unique_ptr<Told>> told;
  for (int i = 0; i < 50; ++i) {
    into(a, rondo_binary_scalar, RONDO_ADD, a, 1.0);
    told.push_back(std::make_unique<Told>());
    must(rondo_variable_notify(variable_of(a), i % 2, tell, told.back().get()));
  }
  Told all;
  must(rondo_engine_notify(engine(), tell, &all));
  for (const auto& each : told) expect_told(*each, RONDO_OK);
  expect_told(all, RONDO_OK);
  expect_same_bits(download(a), full(RONDO_F32, {1000}, 51), "after the notices");
}

TEST_P(Notices, DoNotCountAmongTasksInFlight) {
  rondo_engine_options few = options();
  few.max_tasks = 4;
  restart(few);
  const Variable v(engine());
  Gate gate;
  std::vector<std::unique_ptr<Told>> told;
  gated(gate, "holds", {}, {v});
  for (int i = 0; i < 500; ++i) {
    for (int each = 0; each < 2; ++each) told.push_back(std::make_unique<Told>());
    must(rondo_variable_notify(v, 0, tell, told[told.size() - 2].get()));
    must(rondo_engine_notify(engine(), tell, told.back().get()));
  }
  gate.open = true;
  for (const auto& each : told) expect_told(*each, RONDO_OK);
}

TEST_P(Notices, MayNotWait) {
  const Variable v(engine());
  Told told;
  told.waits_for = v;
  must(rondo_variable_notify(v, 0, tell, &told));
  expect_told(told, RONDO_OK);
  EXPECT_EQ(told.waited, RONDO_INVALID_STATE);
}

TEST_P(Notices, ComeBeforeTheEngineIsDestroyed) {
  rondo_engine_options other_options = options();
  rondo_engine* other = nullptr;
  must(rondo_engine_create(&other_options, &other));
  std::vector<std::unique_ptr<Told>> told;
  {
    const Variable v(other);
    for (int i = 0; i < 20; ++i) {
      (void)push(
          other, [](rondo_task_context*) { return RONDO_OK; }, {}, {v}, nullptr);
      for (int each = 0; each < 2; ++each) told.push_back(std::make_unique<Told>());
      must(rondo_variable_notify(v, 0, tell, told[told.size() - 2].get()));
      must(rondo_engine_notify(other, tell, told.back().get()));
    }
  }
  rondo_engine_destroy(other);
  for (const auto& each : told) expect_told(*each, RONDO_OK);
}

TEST_P(Notices, RefusedWithoutFunctionOrEngine) {
  rondo_engine_options other_options = options();
  rondo_engine* other = nullptr;
  Told told;
  must(rondo_engine_create(&other_options, &other));
  const Variable v(other);
  expect_refused(rondo_variable_notify(v, 0, nullptr, nullptr), RONDO_INVALID_ARGUMENT, "rondo_variable_notify", "fn");
  expect_refused(rondo_engine_notify(other, nullptr, nullptr), RONDO_INVALID_ARGUMENT, "rondo_engine_notify", "fn");
  rondo_engine_destroy(other);
  EXPECT_EQ(rondo_variable_notify(v, 0, tell, &told), RONDO_INVALID_STATE);
  EXPECT_EQ(told.times, 0);
}

}  // namespace
}  // namespace conformance
