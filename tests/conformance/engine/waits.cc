// What waits wait for: the contents of a tensor, every use of it, everything; with limits of time.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "harness.h"

namespace conformance {
namespace {

// A task that goes on until it is let go; submitted by a thread of its own, since in naive mode the call is the task.
class Held {
 public:
  Held(rondo_engine* engine, const char* name, const std::vector<rondo_variable*>& reads,
       const std::vector<rondo_variable*>& writes, rondo_status outcome = RONDO_OK)
      : thread_([=, this] {
          const rondo_task_options options = task_options(name);
          (void)push(
              engine,
              [this, outcome](rondo_task_context*) {
                begun_ = true;
                in_time_ = eventually([this] { return let_go_.load(); });
                ended_ = true;
                return outcome;
              },
              reads, writes, &options);
        }) {
    EXPECT_TRUE(eventually([this] { return begun_.load(); }));
  }
  ~Held() {
    end();
    EXPECT_TRUE(in_time_) << "somebody waited for the task who should not";
  }
  void end() {
    let_go_ = true;
    if (thread_.joinable()) thread_.join();
    EXPECT_TRUE(eventually([this] { return ended_.load(); }));
  }
  bool ended() const { return ended_; }

 private:
  std::atomic<bool> begun_{false}, let_go_{false}, in_time_{false}, ended_{false};
  std::thread thread_;
};

void expect_timed_out(rondo_status status, const char* function, const char* about) {
  EXPECT_EQ(status, RONDO_TIMED_OUT) << rondo_last_error();
  EXPECT_EQ(std::string(rondo_last_error()).find(std::string(function) + ": "), 0u) << rondo_last_error();
  EXPECT_NE(std::string(rondo_last_error()).find(about), std::string::npos) << rondo_last_error();
}

class Waits : public OnEngine {};
CONFORMANCE_ENGINE_SUITE(Waits);

TEST_P(Waits, ForContentsDoNotWaitForReaders) {
  const Tensor a = up(full(RONDO_F32, {4, 25}, 1));
  into(a, rondo_binary_scalar, RONDO_ADD, a, 1.0);
  const Held reader(engine(), "reader", {variable_of(a)}, {});
  must(rondo_tensor_wait(a));
  must(rondo_tensor_wait_for(a, -1));
  expect_same_bits(download(a), full(RONDO_F32, {4, 25}, 2), "read");
  expect_same_bits(download(transpose(a, {1, 0})), full(RONDO_F32, {25, 4}, 2), "a view of it");
  const std::string path = testing::TempDir() + "rondo_waits_" + std::to_string(::getpid());
  const char* name = "a";
  rondo_tensor* const tensor = a;
  must(rondo_model_file_write(path.c_str(), &name, &tensor, 1, nullptr, nullptr, 0));
  std::remove(path.c_str());
  EXPECT_FALSE(reader.ended());
}

TEST_P(Waits, ForTheVariableWaitForReaders) {
  const Tensor a = up(full(RONDO_F32, {10}, 1));
  Held reader(engine(), "reader", {variable_of(a)}, {});
  for (int i = 0; i < 100; ++i)  // each given up
    expect_timed_out(rondo_variable_wait_for(variable_of(a), 0), "rondo_variable_wait_for", "task 'reader'");
  expect_timed_out(rondo_variable_wait_for(variable_of(a), 1), "rondo_variable_wait_for", "1 ms");
  reader.end();
  must(rondo_variable_wait(variable_of(a)));
  must(rondo_variable_wait_for(variable_of(a), 0));
}

TEST_P(Waits, ForContentsWaitForTheLastWriter) {
  const Tensor a = up(full(RONDO_F32, {10}, 1));
  Held writer(engine(), "writer", {}, {variable_of(a)});
  expect_timed_out(rondo_tensor_wait_for(a, 0), "rondo_tensor_wait_for", "task 'writer'");
  expect_timed_out(rondo_variable_wait_for(variable_of(a), 0), "rondo_variable_wait_for", "task 'writer'");
  writer.end();
  must(rondo_tensor_wait_for(a, -1));
  must(rondo_tensor_wait_for(a, 0));
}

TEST_P(Waits, ReturnWithTheErrorOfTheWriter) {
  const Variable v(engine());
  Held writer(engine(), "writer", {}, {v}, RONDO_IO_ERROR);
  expect_timed_out(rondo_variable_wait_for(v, 0), "rondo_variable_wait_for", "task 'writer'");
  writer.end();
  EXPECT_EQ(rondo_variable_wait_for(v, -1), RONDO_IO_ERROR);
  EXPECT_EQ(rondo_variable_wait_for(v, 0), RONDO_IO_ERROR) << "as often as asked";
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_IO_ERROR);
}

TEST_P(Waits, ForAllWithALimit) {
  const Variable v(engine());
  must(rondo_engine_wait_all_for(engine(), 0));
  Held one(engine(), "one", {}, {v}, RONDO_IO_ERROR);
  for (int i = 0; i < 10; ++i)
    expect_timed_out(rondo_engine_wait_all_for(engine(), 0), "rondo_engine_wait_all_for", "1 tasks");
  one.end();
  EXPECT_EQ(rondo_engine_wait_all_for(engine(), -1), RONDO_IO_ERROR) << "the failure is still there to be reported";
  must(rondo_engine_wait_all_for(engine(), -1));
}

TEST_P(Waits, WithoutASensibleLimitAreRefused) {
  const Tensor a = up(full(RONDO_F32, {10}, 1));
  expect_refused(rondo_tensor_wait_for(a, -2), RONDO_INVALID_ARGUMENT, "rondo_tensor_wait_for", "milliseconds");
  expect_refused(rondo_variable_wait_for(variable_of(a), INT64_MIN), RONDO_INVALID_ARGUMENT, "rondo_variable_wait_for",
                 "milliseconds");
  expect_refused(rondo_engine_wait_all_for(engine(), -2), RONDO_INVALID_ARGUMENT, "rondo_engine_wait_all_for",
                 "milliseconds");
  must(rondo_tensor_wait_for(a, INT64_MAX));
  must(rondo_engine_wait_all_for(engine(), INT64_MAX));
}

TEST_P(Waits, WithALimitAreRefusedInsideATask) {
  const Variable v(engine());
  rondo_status seen = RONDO_OK;
  (void)push(engine(),
             [&](rondo_task_context*) {
               seen = rondo_variable_wait_for(v, 0);
               return RONDO_OK;
             },
             {}, {v});
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(seen, RONDO_INVALID_STATE);
}

}  // namespace
}  // namespace conformance
