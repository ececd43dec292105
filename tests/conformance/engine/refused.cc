// What is refused is no task: after a wait, a read, a write or a copy from the host that was refused, waiting for
// everything tells of nothing, on every device and in every mode. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "harness.h"

namespace conformance {
namespace {

struct Refusal {
  const char* what;
  std::function<rondo_status()> call;
};

class Refused : public OnEngine {
 protected:
  void expect_no_task(const std::vector<Refusal>& all) const {
    for (const Refusal& each : all) {
      EXPECT_NE(each.call(), RONDO_OK) << each.what;
      EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_OK) << "after " << each.what << ": " << rondo_last_error();
    }
  }
};
CONFORMANCE_ENGINE_SUITE(Refused);

rondo_status read_of(const Tensor& tensor) {
  std::vector<char> bytes(static_cast<size_t>(query(tensor).bytes));
  return rondo_tensor_read(tensor, bytes.data(), bytes.size());
}

// Tensors of a recording that was aborted hold nothing.
TEST_P(Refused, ReadsAndWaitsOfAnAbortedRecordingsTensor) {
  const Tensor a = up(full(RONDO_F32, {3, 4}, 1));
  must(rondo_record_begin(engine(), nullptr));
  const Tensor inside = make(rondo_unary, RONDO_NEG, a);
  const Tensor condition = make(rondo_reduce, RONDO_ANY, inside, 0, nullptr, 0);
  must(rondo_record_abort(engine()));
  const Tensor turned = transpose(inside, {}), part = slice(inside, 0, 1, 2), nothing = slice(inside, 0, 1, 1);
  const std::string path = testing::TempDir() + "/rondo-refused.safetensors";
  const char* const name = "a";
  rondo_tensor* const tensor = inside;
  const auto body = [](void*) { return RONDO_OK; };
  expect_no_task({
      {"a read", [&] { return read_of(inside); }},
      {"a read of what does not lie side by side", [&] { return read_of(turned); }},
      {"a read of a part", [&] { return read_of(part); }},
      {"a read of no elements", [&] { return read_of(nothing); }},
      {"a wait", [&] { return rondo_tensor_wait(inside); }},
      {"a wait with a limit", [&] { return rondo_tensor_wait_for(inside, 1000); }},
      {"a condition", [&] { return rondo_if(engine(), condition, body, nullptr, nullptr); }},
      {"a model file", [&] { return rondo_model_file_write(path.c_str(), &name, &tensor, 1, nullptr, nullptr, 0); }},
  });
  std::remove(path.c_str());
}

// Nothing of the host's can be a part of a graph.
TEST_P(Refused, WhatTheHostDoesWithinARecording) {
  const Tensor a = up(full(RONDO_F32, {3, 4}, 1));
  float numbers[12] = {};
  rondo_tensor* made = nullptr;
  const int64_t shape[] = {3, 4};
  const auto within = [&](const std::function<rondo_status()>& call) {
    return [&, call] {
      must(rondo_record_begin(engine(), nullptr));
      const Tensor inside = make(rondo_unary, RONDO_NEG, a);
      const rondo_status status = call ? call() : rondo_tensor_wait(inside);
      must(rondo_record_abort(engine()));
      return status;
    };
  };
  expect_no_task({
      {"a read", within([&] { return rondo_tensor_read(a, numbers, sizeof numbers); })},
      {"a write", within([&] { return rondo_tensor_write(a, numbers, sizeof numbers); })},
      {"a copy of nothing from the host",
       within([&] { return rondo_tensor_from_host(engine(), device(), RONDO_F32, 2, shape, nullptr, &made); })},
      {"a wait for what is recorded", within({})},
  });
  EXPECT_EQ(made, nullptr);
}

// Shapes, sizes and views that cannot be written.
TEST_P(Refused, WritesThatDoNotFit) {
  const Tensor a = up(full(RONDO_F32, {3, 4}, 1)), wide = broadcast(a, {2, 3, 4});
  const Tensor adds = make(rondo_tensor_accumulator, a);
  float numbers[24] = {};
  expect_no_task({
      {"a write of too few bytes", [&] { return rondo_tensor_write(a, numbers, 4); }},
      {"a write of nothing", [&] { return rondo_tensor_write(a, nullptr, sizeof(float) * 12); }},
      {"a write into a broadcast view", [&] { return rondo_tensor_write(wide, numbers, sizeof numbers); }},
      {"a write into an accumulator", [&] { return rondo_tensor_write(adds, numbers, sizeof(float) * 12); }},
      {"a read of too few bytes", [&] { return rondo_tensor_read(a, numbers, 4); }},
  });
}

// A read of what a task failed to make tells its cause, and the failure is told once by who waits for everything.
TEST_P(Refused, ReadsOfWhatATaskFailedToMake) {
  const Tensor a = up(full(RONDO_F32, {3, 4}, 1)), turned = transpose(a, {});
  (void)push_tensors(engine(), [](rondo_task_context*) { return RONDO_USER_ERROR; }, {}, {a});
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_USER_ERROR);
  expect_no_task({
      {"a read", [&] { return read_of(a); }},
      {"a read of what does not lie side by side", [&] { return read_of(turned); }},
  });
}

}  // namespace
}  // namespace conformance
