// What an exception becomes where only a status may leave, and that a graph whose tasks throw while it is prepared is a
// failure like any other. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/caught.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "engine_fixture.h"
#include "graph/recording.h"
#include "graph/run/graph.h"
#include "ops/program/operator_task.h"

namespace rondo {
namespace {

TEST(Caught, EachExceptionIsAStatus) {
  EXPECT_TRUE(caught([] { return Status(); }).ok());
  const Status own = caught([] { return Status(RONDO_UNSUPPORTED, "its own"); }, "where");
  EXPECT_EQ(own.code(), RONDO_UNSUPPORTED);
  EXPECT_STREQ(own.message(), "its own");

  const Status memory = caught([]() -> Status { throw std::bad_alloc(); }, "where");
  EXPECT_EQ(memory.code(), RONDO_OUT_OF_MEMORY);
  EXPECT_EQ(std::string(memory.message()).find("where"), 0u) << memory.message();
  const Status thread = caught([]() -> Status { throw std::system_error(EAGAIN, std::generic_category(), "thread"); });
  EXPECT_EQ(thread.code(), RONDO_OUT_OF_MEMORY) << "as an engine whose thread is not started";
  EXPECT_NE(std::string(thread.message()).find("starts no thread"), std::string::npos) << thread.message();
  EXPECT_EQ(caught([]() -> Status { throw std::system_error(EDEADLK, std::generic_category()); }).code(),
            RONDO_INTERNAL);
  const Status other = caught([]() -> Status { throw std::runtime_error("planned"); });
  EXPECT_EQ(other.code(), RONDO_INTERNAL);
  EXPECT_STREQ(other.message(), "planned");
}

// Takes long enough to prepare that threads help, and throws.
class Thrower final : public ops::OperatorTask {
 public:
  using OperatorTask::OperatorTask;
  Status prepare() override {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    throw std::bad_alloc();
  }
  Status run(const TaskContext&) override { return {}; }
};

TEST(Caught, AGraphWhoseTasksThrowIsNotMade) {
  testing::EngineOverFake over;
  ASSERT_TRUE(begin_recording(*over.engine, RONDO_RECORD_OPTIONS_INIT).ok());
  const Ref<Variable> written = over.variable();
  for (int i = 0; i < 16; ++i) {
    Ref<Thrower> task = make_ref<Thrower>("thrower", over.device);
    task->writes(*written);
    ASSERT_TRUE(over.engine->submit(std::move(task)).ok());
  }
  Ref<Graph> graph;
  const Status made = end_recording(*over.engine, &graph);
  EXPECT_EQ(made.code(), RONDO_OUT_OF_MEMORY) << made.message();
  EXPECT_NE(std::string(made.message()).find("thrower"), std::string::npos) << made.message();
  EXPECT_FALSE(graph);
}

}  // namespace
}  // namespace rondo
