// Tests what the time limit of a call leaves alone, and whom a budget tells that it has refused something.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/run/run_limit.h"

#include <thread>

#include "capi/graph.h"
#include "graph/program_fixture.h"

namespace rondo {
namespace {

using std::chrono::milliseconds;

using RunLimits = OnPrograms;

rondo_status take_long(void*, rondo_task_context*) {
  std::this_thread::sleep_for(milliseconds(600));
  return RONDO_OK;
}

// The results of a call with a limit that is over when the second of three tasks is done; the third is in a section.
rondo_status waited_with_section(rondo_engine* engine, bool on) {
  const auto must = [](rondo_status status) { ASSERT_EQ(status, RONDO_OK) << rondo_last_error(); };
  const int64_t n = 2;
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.flags = RONDO_RECORD_CALLABLE;
  must(rondo_record_begin(engine, &options));
  Result in, out;
  must(rondo_record_input(engine, {RONDO_CPU, 0}, RONDO_F32, 1, &n, in.slot()));
  must(rondo_unary(RONDO_NEG, in, out.slot()));
  rondo_tensor* const written[] = {out};
  must(rondo_engine_push_tensors(engine, take_long, nullptr, nullptr, nullptr, 0, written, 1, nullptr));
  must(rondo_record_section_begin(engine, "again", on ? 1 : 0));
  must(rondo_unary(RONDO_NEG, out, out.slot()));
  must(rondo_record_section_end(engine));
  must(rondo_record_output(engine, out));
  rondo_graph* graph = nullptr;
  must(rondo_record_end(engine, &graph));
  Result x, y;
  must(rondo_tensor_create(engine, {RONDO_CPU, 0}, RONDO_F32, 1, &n, x.slot()));
  must(rondo_fill(x, 1));
  rondo_tensor* const inputs[] = {x};
  const RunLimit limit(300);
  const Status called = graph->graph->call(inputs, y.slot(), &limit);
  EXPECT_TRUE(called.ok()) << called.message();
  const rondo_status waited = rondo_tensor_wait(y);
  (void)rondo_engine_wait_all(engine);  // which has the failure
  rondo_graph_destroy(graph);
  return waited;
}

TEST_F(RunLimits, TasksThatAreOffAreNotLate) {
  EXPECT_EQ(waited_with_section(engine_, true), RONDO_TIMED_OUT);
  EXPECT_EQ(waited_with_section(engine_, false), RONDO_OK) << rondo_last_error();
}

TEST(RunLimitScopes, EarlierOfTwoHolds) {
  const RunLimit hour(3600000), minute(60000);
  {
    const RunLimit::Scope outside(&hour);
    {
      const RunLimit::Scope within(&minute);
      EXPECT_EQ(RunLimit::current(), &minute);
      const RunLimit::Scope later(&hour), none(nullptr);
      EXPECT_EQ(RunLimit::current(), &minute);
    }
    EXPECT_EQ(RunLimit::current(), &hour);
  }
  EXPECT_EQ(RunLimit::current(), nullptr);
}

TEST(Budgets, TellRefusalsToTheThreadTheyRefuse) {
  const auto budget = std::make_shared<Budget>(8, 8), other = std::make_shared<Budget>(8, 8);
  const Budget::Refusals here(*budget), elsewhere(*other);
  std::thread([&] {
    const Budget::Refusals there(*budget);
    EXPECT_FALSE(Budget::Share(budget).take_steps(9));
    EXPECT_TRUE(there.any());
  }).join();
  EXPECT_FALSE(here.any()) << "another thread was refused";
  EXPECT_EQ(Budget::Share(budget).take_bytes(9, "it").code(), RONDO_OUT_OF_MEMORY);
  EXPECT_TRUE(here.any());
  EXPECT_FALSE(elsewhere.any()) << "another budget refused it";
}

}  // namespace
}  // namespace rondo
