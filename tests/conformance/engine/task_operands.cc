// User tasks pushed with tensors: what their functions are told of the operands, and that the task holds them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstring>
#include <thread>

#include "harness.h"

namespace conformance {
namespace {

struct Operand {
  void* address = nullptr;
  rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
};
Operand operand(rondo_task_context* context, size_t index) {
  Operand found;
  EXPECT_EQ(rondo_task_operand(context, index, &found.address, &found.info), RONDO_OK) << rondo_last_error();
  return found;
}
unsigned long long number(const void* address) {
  return reinterpret_cast<uintptr_t>(address);
}

// Sets every byte of operand 0, wherever it is. Contiguous operands only.
rondo_status set_bytes(rondo_task_context* context, unsigned char value) {
  const Operand to = operand(context, 0);
  const auto bytes = static_cast<size_t>(to.info.bytes);
  if (to.info.device.kind == RONDO_CPU) {
    std::memset(to.address, value, bytes);
    return RONDO_OK;
  }
  std::string missing;
  return driver(&missing).memset8(number(to.address), value, bytes, rondo_task_stream(context)) == 0
             ? RONDO_OK
             : RONDO_DEVICE_ERROR;
}
// Copies operand 0 to operand 1.
rondo_status copy_bytes(rondo_task_context* context) {
  const Operand from = operand(context, 0), to = operand(context, 1);
  const auto bytes = static_cast<size_t>(to.info.bytes);
  if (to.info.device.kind == RONDO_CPU) {
    std::memcpy(to.address, from.address, bytes);
    return RONDO_OK;
  }
  std::string missing;
  return driver(&missing).copy(number(to.address), number(from.address), bytes, rondo_task_stream(context)) == 0
             ? RONDO_OK
             : RONDO_DEVICE_ERROR;
}

class TaskOperands : public OnEngine {
 protected:
  void SetUp() override {
    OnEngine::SetUp();
    if (IsSkipped() || !on_cuda()) return;
    std::string missing;
    const Driver& table = driver(&missing);
    if (!table.memset8 || !table.copy || !table.current_context) GTEST_SKIP() << missing;
  }
  // A task on the device of the test.
  void must_push(const char* name, Task task, const std::vector<rondo_tensor*>& reads,
                 const std::vector<rondo_tensor*>& writes) const {
    const rondo_task_options with = task_options(name, device());
    must(push_tensors(engine(), std::move(task), reads, writes, &with));
  }
  // Runs the body once: eagerly, or recorded and launched.
  Graph once(const std::function<void()>& body) const {
    if (!GetParam().graph) {
      body();
      return nullptr;
    }
    Graph graph = record(engine(), body);
    must(rondo_graph_launch(graph.get()));
    return graph;
  }
};
CONFORMANCE_SUITE(TaskOperands);

TEST_P(TaskOperands, AreWhatWasGiven) {
  const Tensor a = up(range(RONDO_F32, {4, 6})), b = empty(RONDO_I64, {3}),
               turned = transpose(slice(a, 1, 1, 6, 2), {1, 0}), wide = broadcast(b, {2, 3});
  void* start = nullptr;
  must(rondo_tensor_data(turned, &start));
  must(rondo_fill(b, 3));
  std::vector<Operand> seen;
  const Graph graph = once([&] {
    must_push("look",
              [&](rondo_task_context* context) {
                seen.clear();
                for (size_t i = 0; i < 3; ++i) seen.push_back(operand(context, i));
                void* untouched = &seen;
                expect_refused(rondo_task_operand(context, 3, &untouched, nullptr), RONDO_INVALID_ARGUMENT,
                               "rondo_task_operand", "index");
                EXPECT_EQ(untouched, &seen);
                return RONDO_OK;
              },
              {turned, wide}, {b});
  });
  must(rondo_engine_wait_all(engine()));
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0].address, start);
  EXPECT_EQ(seen[1].address, seen[2].address);
  const rondo_tensor* const given[] = {turned, wide, b};
  for (size_t i = 0; i < 3; ++i) {
    const rondo_tensor_info expected = query(const_cast<rondo_tensor*>(given[i])), &info = seen[i].info;
    EXPECT_EQ(info.size, sizeof info);
    EXPECT_EQ(info.dtype, expected.dtype) << i;
    EXPECT_EQ(info.device.kind, device().kind) << i;
    EXPECT_EQ(info.ndim, expected.ndim) << i;
    EXPECT_EQ(info.contiguous, expected.contiguous) << i;
    EXPECT_EQ(info.elements, expected.elements) << i;
    EXPECT_EQ(info.bytes, expected.bytes) << i;
    for (int d = 0; d < RONDO_MAX_DIMS; ++d) {
      EXPECT_EQ(info.shape[d], expected.shape[d]) << i << ", axis " << d;
      EXPECT_EQ(info.strides[d], expected.strides[d]) << i << ", axis " << d;
    }
  }
}

// A fresh tensor gets its memory before the function runs, in a recording too, where no handle is left when it does.
TEST_P(TaskOperands, TemporariesHaveAnAddress) {
  run([&](Results& results) {
    Tensor filled = empty(RONDO_U8, {300}), copied = empty(RONDO_U8, {300});
    must_push("set", [](rondo_task_context* context) { return set_bytes(context, 7); }, {}, {filled});
    must_push("copy", copy_bytes, {filled}, {copied});
    filled.reset();
    Tensor out = make(rondo_binary_scalar, RONDO_ADD, copied, 1.0);
    copied.reset();
    results.keep("7 + 1", std::move(out), [] { return Expected{full(RONDO_U8, {300}, 8)}; });
  });
}

// The owner destroys the handle at once, and another tensor gets it. The task must not notice.
TEST_P(TaskOperands, DestroyedHandleIsReused) {
  const Tensor kept = up(full(RONDO_U8, {64}, 1));
  Gate gate;
  const Variable order(engine());
  const Graph graph = once([&] {
    rondo_tensor* view = reshape(kept, {64}).release();
    // Holds the task back until the handle has another owner.
    must(push(engine(), waiting(gate), {}, {variable_of(kept)}));
    must_push("set", [](rondo_task_context* context) { return set_bytes(context, 7); }, {}, {view});
    rondo_tensor_destroy(view);
  });
  Tensor other = up(full(RONDO_U8, {64}, 2)), another = up(full(RONDO_U8, {64}, 2));
  gate.open = true;
  expect_same_bits(download(kept), full(RONDO_U8, {64}, 7), "the operand");
  expect_same_bits(download(other), full(RONDO_U8, {64}, 2), "a tensor that may have its handle");
  expect_same_bits(download(another), full(RONDO_U8, {64}, 2), "another");
}

// The last handle goes: the memory stays until the task is done.
TEST_P(TaskOperands, TheTaskHoldsTheMemory) {
  const Tensor out = up(full(RONDO_U8, {4096}, 0));
  Gate gate;
  const Graph graph = once([&] {
    rondo_tensor* input = GetParam().graph ? nullptr : up(full(RONDO_U8, {4096}, 5)).release();
    if (!input) {
      input = empty(RONDO_U8, {4096}).release();
      must(rondo_fill(input, 5));
    }
    must(push(engine(), waiting(gate), {}, {variable_of(out)}));
    must_push("copy", copy_bytes, {input}, {out});
    rondo_tensor* const old = input;
    rondo_tensor_destroy(input);
    const Tensor thief = empty(RONDO_U8, {4096});
    EXPECT_EQ(static_cast<rondo_tensor*>(thief), old) << "the handle was meant to be reused";
    must(rondo_fill(thief, 9));
  });
  gate.open = true;
  expect_same_bits(download(out), full(RONDO_U8, {4096}, 5), "the copy");
}

// A part of a tensor is written: the rest stays, and so does an error of what was there. All of it clears the error.
TEST_P(TaskOperands, WritingAPartKeepsTheRest) {
  const Tensor a = up(full(RONDO_U8, {10}, 1)), part = slice(a, 0, 2, 5);
  const auto set = [](rondo_task_context* context) { return set_bytes(context, 7); };
  const Graph graph = once([&] { must_push("set", set, {}, {part}); });
  Array expected = full(RONDO_U8, {10}, 1);
  for (size_t i = 2; i < 5; ++i) expected.bytes[i] = 7;
  expect_same_bits(download(a), expected, "a part");

  (void)push(engine(), [](rondo_task_context*) { return RONDO_USER_ERROR; }, {}, {variable_of(a)});
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_USER_ERROR);
  const rondo_task_options with = task_options("set", device());
  (void)push_tensors(engine(), set, {}, {part}, &with);
  EXPECT_EQ(rondo_tensor_wait(a), RONDO_USER_ERROR) << "the rest is still bad";
  must(push_tensors(engine(), set, {}, {a}, &with));
  expect_same_bits(download(a), full(RONDO_U8, {10}, 7), "all of it");
  (void)rondo_engine_wait_all(engine());
}

TEST_P(TaskOperands, AFailurePoisonsWhatIsWritten) {
  const Tensor a = up(full(RONDO_U8, {8}, 1)), b = empty(RONDO_U8, {8});
  Graph graph;
  const auto body = [&] {
    const rondo_task_options with = task_options("bad_one");
    EXPECT_EQ(push_tensors(
                  engine(),
                  [](rondo_task_context* context) {
                    rondo_task_fail(context, "no luck");
                    return RONDO_USER_ERROR;
                  },
                  {a}, {b}, &with),
              naive() && !GetParam().graph ? RONDO_USER_ERROR : RONDO_OK);
  };
  if (GetParam().graph) {
    graph = record(engine(), body);
    EXPECT_EQ(rondo_graph_launch(graph.get()), naive() ? RONDO_USER_ERROR : RONDO_OK);
  } else {
    body();
  }
  EXPECT_EQ(rondo_tensor_wait(b), RONDO_USER_ERROR);
  EXPECT_NE(std::string(rondo_last_error()).find("no luck"), std::string::npos) << rondo_last_error();
  expect_same_bits(download(a), full(RONDO_U8, {8}, 1), "what it only read");
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_USER_ERROR);
}

TEST_P(TaskOperands, TheSameTensorMoreThanOnce) {
  const Tensor a = up(full(RONDO_U8, {8}, 1));
  bool same = false;
  const Graph graph = once([&] {
    must_push("alias",
              [&](rondo_task_context* context) {
                void* first = operand(context, 0).address;
                same = first && first == operand(context, 1).address && first == operand(context, 2).address &&
                       first == operand(context, 3).address;
                return RONDO_OK;
              },
              {a, a}, {a, a});
  });
  must(rondo_engine_wait_all(engine()));
  EXPECT_TRUE(same);
}

// A host function that is told where device memory is, in a graph that has nothing else on that device.
TEST_P(TaskOperands, OfAnotherDeviceThanTheTask) {
  Operand seen;
  rondo_device ran_on = kCuda;
  const Graph graph = once([&] {
    const Tensor elsewhere = empty(RONDO_F32, {100});
    must(push_tensors(engine(),
                      [&](rondo_task_context* context) {
                        seen = operand(context, 0);
                        ran_on = rondo_task_device(context);
                        return RONDO_OK;
                      },
                      {}, {elsewhere}));
  });
  must(rondo_engine_wait_all(engine()));
  EXPECT_NE(seen.address, nullptr);
  EXPECT_EQ(seen.info.device.kind, device().kind);
  EXPECT_EQ(ran_on.kind, RONDO_CPU);
}

// Whatever thread runs the function of a device task, with either kind of push: the device's context is current.
TEST_P(TaskOperands, TheContextIsCurrent) {
  if (!on_cuda()) GTEST_SKIP() << "a cpu has no context";
  std::string missing;
  const Driver& table = driver(&missing);
  std::atomic<int> ran{0};
  std::atomic<void*> before{nullptr};
  const auto look = [&](rondo_task_context* context) {
    void* current = nullptr;
    EXPECT_EQ(table.current_context(&current), 0);
    EXPECT_NE(current, nullptr);
    void* expected = nullptr;
    if (!before.compare_exchange_strong(expected, current)) {
      EXPECT_EQ(current, expected);
    }
    ++ran;
    return set_bytes(context, 3);
  };
  const Tensor a = up(full(RONDO_U8, {64}, 1));
  const Variable v(engine());
  const auto only_look = [&](rondo_task_context*) {
    void* current = nullptr;
    EXPECT_EQ(table.current_context(&current), 0);
    EXPECT_NE(current, nullptr);
    ++ran;
    return RONDO_OK;
  };
  Graph graph;
  const auto submit = [&](bool captured) {
    rondo_task_options with = task_options("look", device());
    if (!captured) with.flags = RONDO_TASK_NO_CAPTURE;
    must(push_tensors(engine(), look, {}, {a}, &with));
    must(push(engine(), only_look, {}, {v}, &with));
  };
  // Threads that have not called the driver yet; the second one launches, and does nothing else.
  const auto on_new_thread = [](const std::function<void()>& body) {
    std::thread([&] {
      try {
        body();
      } catch (const std::exception& problem) {
        ADD_FAILURE() << problem.what();
      }
    }).join();
  };
  int expected = 2;
  if (GetParam().graph) {
    on_new_thread([&] {
      graph = record(engine(), [&] {
        submit(true);
        submit(false);
      });
    });
    EXPECT_EQ(ran, 2) << "captured";
    on_new_thread([&] { must(rondo_graph_launch(graph.get())); });
    expected = 4;
  } else {
    on_new_thread([&] { submit(true); });
  }
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(ran, expected);
  expect_same_bits(download(a), full(RONDO_U8, {64}, 3), "the operand");
}

// --- what is refused
class MisuseOperands : public OnEngine {
 protected:
  // Refused, and the argument destroyed.
  void refused(rondo_status expected, const char* argument, rondo_engine* where,
               const std::vector<rondo_tensor*>& reads, const std::vector<rondo_tensor*>& writes) const {
    int destroyed = 0;
    expect_refused(rondo_engine_push_tensors(
                       where, [](void*, rondo_task_context*) { return RONDO_OK; }, &destroyed,
                       [](void* arg) { ++*static_cast<int*>(arg); }, reads.data(), reads.size(), writes.data(),
                       writes.size(), nullptr),
                   expected, "rondo_engine_push_tensors", argument);
    EXPECT_EQ(destroyed, 1);
  }
};
CONFORMANCE_ENGINE_SUITE(MisuseOperands);

TEST_P(MisuseOperands, Lists) {
  const Tensor a = up(full(RONDO_F32, {4}, 1)), accumulator = make(rondo_tensor_accumulator, a),
               wide = broadcast(a, {3, 4});
  rondo_tensor* gone = up(full(RONDO_F32, {4}, 1)).release();
  rondo_tensor_destroy(gone);
  const Engine other = create_engine(options());
  const Tensor foreign = upload(other.get(), device(), full(RONDO_F32, {4}, 1));
  refused(RONDO_INVALID_ARGUMENT, "engine", nullptr, {a}, {});
  for (rondo_tensor* bad : {static_cast<rondo_tensor*>(nullptr), gone, static_cast<rondo_tensor*>(foreign),
                            static_cast<rondo_tensor*>(accumulator)}) {
    refused(RONDO_INVALID_ARGUMENT, "reads", engine(), {a, bad}, {});
    refused(RONDO_INVALID_ARGUMENT, "writes", engine(), {a}, {bad});
  }
  refused(RONDO_INVALID_ARGUMENT, "writes", engine(), {wide}, {a, wide});
  const rondo_task_fn body = [](void*, rondo_task_context*) { return RONDO_OK; };
  const char* const function = "rondo_engine_push_tensors";
  expect_refused(rondo_engine_push_tensors(engine(), body, nullptr, nullptr, nullptr, 1, nullptr, 0, nullptr),
                 RONDO_INVALID_ARGUMENT, function, "reads");
  expect_refused(rondo_engine_push_tensors(engine(), body, nullptr, nullptr, nullptr, 0, nullptr, 1, nullptr),
                 RONDO_INVALID_ARGUMENT, function, "writes");
  expect_refused(rondo_engine_push_tensors(engine(), nullptr, nullptr, nullptr, nullptr, 0, nullptr, 0, nullptr),
                 RONDO_INVALID_ARGUMENT, function, "fn");
  rondo_task_options with = RONDO_TASK_OPTIONS_INIT;
  with.flags = 64;
  expect_refused(push_tensors(
                     engine(), [](rondo_task_context*) { return RONDO_OK; }, {a}, {}, &with),
                 RONDO_INVALID_ARGUMENT, function, "flags");
  with = RONDO_TASK_OPTIONS_INIT;
  with.stream = -2;
  expect_refused(push_tensors(
                     engine(), [](rondo_task_context*) { return RONDO_OK; }, {a}, {}, &with),
                 RONDO_INVALID_ARGUMENT, function, "stream");
  must(push_tensors(engine(), [](rondo_task_context*) { return RONDO_OK; }, {}, {}));
  must(rondo_engine_wait_all(engine()));
}

TEST_P(MisuseOperands, TensorsOfAnOpenRecording) {
  const Tensor a = up(full(RONDO_F32, {4}, 1));
  Tensor inside;
  const Graph graph = record(engine(), [&] {
    inside = make(rondo_unary, RONDO_NEG, a);
    std::thread([&] {
      refused(RONDO_INVALID_STATE, "recording", engine(), {inside}, {});
      refused(RONDO_INVALID_STATE, "recording", engine(), {}, {inside});
    }).join();
    must(push_tensors(engine(), [](rondo_task_context*) { return RONDO_OK; }, {inside}, {}));
  });
  must(rondo_graph_launch(graph.get()));
  must(rondo_tensor_wait(inside));
}

TEST_P(MisuseOperands, Questions) {
  const Tensor a = up(full(RONDO_F32, {4}, 1));
  void* address = nullptr;
  expect_refused(rondo_task_operand(nullptr, 0, &address, nullptr), RONDO_INVALID_ARGUMENT, "rondo_task_operand",
                 "context");
  int asked = 0;
  must(push_tensors(
      engine(),
      [&](rondo_task_context* context) {
        const char* const function = "rondo_task_operand";
        expect_refused(rondo_task_operand(context, 0, nullptr, nullptr), RONDO_INVALID_ARGUMENT, function, "address");
        expect_refused(rondo_task_operand(context, 1, &address, nullptr), RONDO_INVALID_ARGUMENT, function, "index");
        expect_refused(rondo_task_operand(context, SIZE_MAX, &address, nullptr), RONDO_INVALID_ARGUMENT, function,
                       "index");
        rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
        info.size = 3;
        expect_refused(rondo_task_operand(context, 0, &address, &info), RONDO_INVALID_ARGUMENT, function, "size");
        EXPECT_EQ(address, nullptr);
        EXPECT_EQ(rondo_task_operand(context, 0, &address, nullptr), RONDO_OK);
        EXPECT_NE(address, nullptr);
        ++asked;
        return RONDO_OK;
      },
      {a}, {}));
  must(push(engine(),
            [&](rondo_task_context* context) {
              expect_refused(rondo_task_operand(context, 0, &address, nullptr), RONDO_INVALID_ARGUMENT,
                             "rondo_task_operand", "index");
              EXPECT_TRUE(has_word(rondo_last_error(), "tensors")) << rondo_last_error();
              ++asked;
              return RONDO_OK;
            },
            {variable_of(a)}, {variable_of(a)}));
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace conformance
