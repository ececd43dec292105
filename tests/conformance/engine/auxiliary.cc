// Auxiliary streams of user tasks: what is put there comes after what was before the task, and before what is behind
// it. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "graphs/recording.h"

namespace conformance {
namespace {

constexpr int64_t kPart = 2000;  // elements that one stream copies

unsigned long long place(rondo_task_context* context, size_t operand, int64_t part) {
  void* address = nullptr;
  EXPECT_EQ(rondo_task_operand(context, operand, &address, nullptr), RONDO_OK) << rondo_last_error();
  return reinterpret_cast<uintptr_t>(address) + static_cast<uintptr_t>(part * kPart) * sizeof(float);
}

class Auxiliaries : public OnRecording {
 protected:
  void SetUp() override {
    OnRecording::SetUp();
    if (IsSkipped() || !on_cuda()) return;
    std::string missing;
    table_ = driver(&missing);
    if (!table_.copy) GTEST_SKIP() << missing;
  }

  rondo_task_options asking(int32_t streams) const {
    rondo_task_options with = task_options("side by side", device());
    with.auxiliary_streams = streams;
    return with;
  }
  // Copies each of `parts` parts on another stream.
  Task copies(int parts, rondo_status returned = RONDO_OK) const {
    return [this, parts, returned](rondo_task_context* context) {
      for (int i = parts - 1; i >= 0; --i) {
        void* stream = i == 0 ? rondo_task_stream(context) : rondo_task_auxiliary_stream(context, i - 1);
        if (!stream) return RONDO_INTERNAL;
        if (table_.copy(place(context, 1, i), place(context, 0, i), kPart * sizeof(float), stream) != 0)
          return RONDO_DEVICE_ERROR;
      }
      return returned;
    };
  }

  Driver table_;
};
CONFORMANCE_ENGINE_SUITE(Auxiliaries);

TEST_P(Auxiliaries, KeepTheOrderOfWhatIsAroundThem) {
  if (!on_cuda()) GTEST_SKIP() << "the cpu has no streams";
  for (const int parts : {2, 4, 9}) {
    const rondo_task_options with = asking(parts - 1);
    const Tensor x = up(full(RONDO_F32, {parts * kPart}, 0)), y = empty(RONDO_F32, {parts * kPart});
    for (int round = 1; round <= 5; ++round) {
      into(x, rondo_binary_scalar, RONDO_ADD, x, 1.0);
      must(push_tensors(engine(), copies(parts), {x}, {y}, &with));
      const Tensor z = make(rondo_binary_scalar, RONDO_MUL, y, 2.0);
      into(x, rondo_binary_scalar, RONDO_ADD, x, 0.0);
      expect_same_bits(download(z), full(RONDO_F32, {parts * kPart}, 2 * round), "copied side by side");
    }
  }
}

TEST_P(Auxiliaries, AreBranchesOfAGraph) {
  if (!on_cuda()) GTEST_SKIP() << "the cpu has no streams";
  for (const uint32_t flags : {RONDO_TASK_DEFAULT, RONDO_TASK_NO_CAPTURE}) {
    rondo_task_options with = asking(2);
    with.flags = flags;
    const Tensor x = up(full(RONDO_F32, {3 * kPart}, 0)), y = empty(RONDO_F32, {3 * kPart});
    Tensor z;
    const Graph graph = record(engine(), [&] {
      into(x, rondo_binary_scalar, RONDO_ADD, x, 1.0);
      must(push_tensors(engine(), copies(3), {x}, {y}, &with));
      z = make(rondo_binary_scalar, RONDO_MUL, y, 2.0);
    });
    const rondo_graph_info info = graph_info(graph.get());
    if (flags == RONDO_TASK_DEFAULT) {
      expect_captured(graph.get());
      EXPECT_EQ(info.nodes, 5) << graph_report(graph.get());
      EXPECT_EQ(info.edges, 6) << "three copies, each behind the first kernel and before the last: "
                               << graph_report(graph.get());
    } else {
      EXPECT_EQ(info.segments, 3) << graph_report(graph.get());
      EXPECT_EQ(info.captured, 2) << graph_report(graph.get());
    }
    must(rondo_graph_launch(graph.get()));
    must(rondo_graph_launch(graph.get()));
    expect_same_bits(download(z), full(RONDO_F32, {3 * kPart}, 4), "two launches");
  }
}

// What a function that fails has begun is over before others have the memory.
TEST_P(Auxiliaries, OfAFunctionThatFailedAreWaitedFor) {
  if (!on_cuda()) GTEST_SKIP() << "the cpu has no streams";
  const rondo_task_options with = asking(3);
  for (int round = 0; round < 5; ++round) {
    const Tensor x = up(full(RONDO_F32, {4 * kPart}, 1)), y = empty(RONDO_F32, {4 * kPart});
    EXPECT_EQ(push_tensors(engine(), copies(4, RONDO_IO_ERROR), {x}, {y}, &with), naive() ? RONDO_IO_ERROR : RONDO_OK);
    must(rondo_fill(y, 7));
    expect_same_bits(download(y), full(RONDO_F32, {4 * kPart}, 7), "written after the task that failed");
    EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_IO_ERROR);
  }
}

TEST_P(Auxiliaries, AreAsManyAsWereAskedFor) {
  if (!on_cuda()) GTEST_SKIP() << "the cpu has no streams";
  for (const int32_t asked : {3, 0, 8, 1}) {
    const rondo_task_options with = asking(asked);
    std::vector<void*> streams;
    must(push(
        engine(),
        [&](rondo_task_context* context) {
          streams = {rondo_task_stream(context)};
          for (int32_t i = 0; i < asked; ++i) streams.push_back(rondo_task_auxiliary_stream(context, i));
          for (const int32_t none : {-1, asked, INT32_MAX, INT32_MIN})
            EXPECT_EQ(rondo_task_auxiliary_stream(context, none), nullptr) << none;
          return RONDO_OK;
        },
        {}, {}, &with));
    must(rondo_engine_wait_all(engine()));
    std::sort(streams.begin(), streams.end());
    EXPECT_NE(streams.front(), nullptr);
    EXPECT_EQ(std::adjacent_find(streams.begin(), streams.end()), streams.end()) << "each is another one";
  }
}

TEST_P(Auxiliaries, ThatCannotBeAreRefused) {
  const Task nothing = [](rondo_task_context* context) {
    EXPECT_EQ(rondo_task_auxiliary_stream(context, 0), nullptr);
    return RONDO_OK;
  };
  EXPECT_EQ(rondo_task_auxiliary_stream(nullptr, 0), nullptr);
  for (const int32_t number : {-1, 9, INT32_MAX}) {
    const rondo_task_options with = asking(number);
    expect_refused(push(engine(), nothing, {}, {}, &with), RONDO_INVALID_ARGUMENT, "rondo_engine_push",
                   "auxiliary_streams");
  }
  rondo_task_options with = asking(0);
  must(push(engine(), nothing, {}, {}, &with));
  with.reserved = 1;
  expect_refused(push(engine(), nothing, {}, {}, &with), RONDO_INVALID_ARGUMENT, "rondo_engine_push", "reserved");
  if (on_cuda()) return;
  const rondo_task_options some = asking(1);
  expect_refused(push(engine(), nothing, {}, {}, &some), RONDO_INVALID_ARGUMENT, "rondo_engine_push",
                 "auxiliary_streams");
}

}  // namespace
}  // namespace conformance
