// Nobody sees what other tensors have left in the memory of the pool, or other temporaries in a graph's arena: a byte
// that nothing has written is zero. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "control/control.h"

namespace conformance {
namespace {

constexpr int64_t kSize = 64 << 10;
constexpr int64_t kBegin = 1000, kEnd = 3000;  // what a test writes
constexpr Real kLeft = 115, kWritten = 7;

rondo_status do_nothing(void*, rondo_task_context*) {
  return RONDO_OK;
}

class Stale : public OnControl {
 protected:
  // Leaves bytes in the pool, in blocks of this size.
  void dirty(int64_t size = kSize) const {
    std::vector<Tensor> all;
    for (int i = 0; i < 4; ++i) all.push_back(up(full(RONDO_U8, {size}, kLeft)));
    for (const Tensor& each : all) must(rondo_tensor_wait(each));
  }
  // Takes one of them when it is used.
  Tensor fresh() const {
    dirty();
    return empty(RONDO_U8, {kSize});
  }
  // Of bytes that are all the same, made by an operator.
  Tensor bytes(Real value) const { return up(full(RONDO_U8, {kSize}, value)); }
  static void write_part(rondo_tensor* tensor) { must(rondo_fill(slice(tensor, 0, kBegin, kEnd), kWritten)); }
  static Tensor copied(rondo_tensor* tensor) { return make(rondo_copy, tensor); }
  void push_nothing(rondo_tensor* tensor, rondo_device on) const {
    const rondo_task_options with = task_options("nothing", on);
    must(push_tensors(
        engine(), [](rondo_task_context*) { return RONDO_OK; }, {}, {tensor}, &with));
  }
  void push_nothing(rondo_tensor* tensor) const { push_nothing(tensor, device()); }
  static void expect_part(rondo_tensor* tensor, const char* what) {
    const Array got = download(tensor);
    for (int64_t i = 0; i < kSize; ++i)
      EXPECT_EQ(got[static_cast<size_t>(i)], i >= kBegin && i < kEnd ? kWritten : 0) << what << ", at " << i;
  }
  static void expect_zero(rondo_tensor* tensor, const char* what) {
    expect_same_bits(download(tensor), full(RONDO_U8, {query(tensor).bytes}, 0), what);
  }
  // A graph with a temporary that `write` writes first. When it is dead another one is put where it lay.
  Graph graph_of(const std::function<void(rondo_tensor*)>& write, Tensor* out) const {
    dirty();
    const Tensor a = bytes(kLeft);
    return record(engine(), [&] {
      const Tensor part = empty(RONDO_U8, {kSize});
      write(part);
      *out = copied(part);
      const Tensor after = make(rondo_binary, RONDO_MAXIMUM, *out, a);
      const rondo_task_options with = task_options("reader", device());
      must(push_tensors(
          engine(), [](rondo_task_context*) { return RONDO_OK; }, {after}, {}, &with));
    });
  }
  void expect_in_graph(const std::function<void(rondo_tensor*)>& write, const char* what, bool part) const {
    Tensor out;
    const Graph graph = graph_of(write, &out);
    for (int i = 0; i < 2; ++i) {
      must(rondo_graph_launch(graph.get()));
      part ? expect_part(out, what) : expect_zero(out, what);
    }
  }
};
CONFORMANCE_ENGINE_SUITE(Stale);

TEST_P(Stale, PartsOfATensorAreZero) {
  const Tensor filled = fresh();
  write_part(filled);
  expect_part(filled, "filled");
  const Tensor put = fresh();
  const Array some = full(RONDO_U8, {kEnd - kBegin}, kWritten);
  must(rondo_tensor_write(slice(put, 0, kBegin, kEnd), some.bytes.data(), some.bytes.size()));
  expect_part(put, "from the host");
}

TEST_P(Stale, WhatAUserTaskLeavesUnwrittenIsZero) {
  const Tensor given = fresh();
  push_nothing(given);
  expect_zero(given, "an operand");
  const Tensor plain = fresh();
  rondo_tensor* written[] = {plain};
  const rondo_task_options with = task_options("plain", device());
  must(rondo_engine_push_tensors(engine(), do_nothing, nullptr, nullptr, nullptr, 0, written, 1, &with));
  expect_zero(plain, "of a function without an argument");
  const Tensor named = fresh();
  must(push(engine(), [](rondo_task_context*) { return RONDO_OK; }, {}, {variable_of(named)}));
  expect_zero(named, "a variable");
  const Tensor read = fresh();
  must(push(engine(), [](rondo_task_context*) { return RONDO_OK; }, {variable_of(read)}, {}));
  must(rondo_tensor_accept(read));
  expect_zero(read, "named for its order");
}

// By a task of the other device, too.
TEST_P(Stale, GapsOfTasksOnAnotherDeviceAreZero) {
  const Tensor by_host = fresh();
  push_nothing(by_host, kCpu);
  expect_zero(by_host, "by a task of the host");
  if (!on_cuda()) return;
  must(rondo_tensor_wait(upload(engine(), kCpu, full(RONDO_U8, {kSize}, kLeft))));
  const Tensor of_host = make(rondo_tensor_create, engine(), kCpu, RONDO_U8, 1, &kSize);
  push_nothing(of_host, device());
  expect_zero(of_host, "memory of the host");
}

TEST_P(Stale, AcceptedMemoryIsZero) {
  const Tensor a = fresh();
  must(rondo_tensor_accept(a));
  expect_zero(a, "accepted");
}

TEST_P(Stale, MemoryWhoseAddressIsAskedForIsZero) {
  const Tensor a = fresh();
  void* address = nullptr;
  must(rondo_tensor_data(a, &address));
  expect_zero(a, "asked for its address");
  const Tensor part = fresh();
  write_part(part);
  must(rondo_tensor_data(part, &address));
  expect_part(part, "written before");
}

// One of its results has memory when it finds that there is none for the other.
TEST_P(Stale, WhatAFailedTaskTookIsZero) {
  constexpr int64_t kElements = 1 << 20, kMiB = 1 << 20;
  dirty(4 * kElements);
  const Tensor a = up(full(RONDO_F32, {kElements}, 1));
  must(rondo_tensor_wait(a));
  const Tensor values = empty(RONDO_F32, {kElements}), indices = empty(RONDO_I64, {kElements});
  must(rondo_memory_set_limit(engine(), device(), 11 * kMiB));
  rondo_tensor *to_values = values, *to_indices = indices;
  const rondo_status status = rondo_topk(a, kElements, 0, 1, &to_values, &to_indices);
  EXPECT_EQ(status, naive() ? RONDO_OUT_OF_MEMORY : RONDO_OK);
  EXPECT_EQ(rondo_tensor_wait(values), RONDO_OUT_OF_MEMORY);
  must(rondo_memory_set_limit(engine(), device(), 0));
  must(rondo_tensor_accept(values));
  expect_same_bits(download(values), full(RONDO_F32, {kElements}, 0), "accepted after the failure");
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_OUT_OF_MEMORY);
}

// What was written before a failure stays.
TEST_P(Stale, AFailureDoesNotTakeWhatIsThere) {
  const Tensor a = fresh();
  write_part(a);
  const rondo_task_options with = task_options("spoiler");
  (void)push(
      engine(), [](rondo_task_context*) { return RONDO_USER_ERROR; }, {}, {variable_of(a)}, &with);
  EXPECT_EQ(rondo_tensor_wait(a), RONDO_USER_ERROR);
  must(rondo_tensor_accept(a));
  expect_part(a, "salvaged");
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_USER_ERROR);
}

// --- graphs

TEST_P(Stale, PartsOfTemporariesAreZero) {
  expect_in_graph(write_part, "filled", true);
  expect_in_graph([this](rondo_tensor* t) { push_nothing(t); }, "by a user task", false);
  expect_in_graph([](rondo_tensor* t) { must(rondo_tensor_accept(t)); }, "accepted", false);
  if (on_cuda()) expect_in_graph([this](rondo_tensor* t) { push_nothing(t, kCpu); }, "by a task of the host", false);
}

TEST_P(Stale, PartsOfTemporariesOfBodiesAreZero) {
  const Tensor yes = truth(true);
  const auto within = [&](rondo_tensor* t) {
    const auto body = [&] {
      const Tensor inside = empty(RONDO_U8, {kSize});
      write_part(inside);
      into(t, rondo_copy, inside);
    };
    if_else(yes, body, body);
  };
  expect_in_graph(within, "inside of a body", true);
  expect_in_graph(
      [&](rondo_tensor* t) {
        if_else(
            yes, [&] { write_part(t); }, [&] { write_part(t); });
      },
      "written in part by each body", true);
  expect_in_graph(
      [&](rondo_tensor* t) {
        if_else(
            yes, [&] { push_nothing(t); }, [&] { push_nothing(t); });
      },
      "left unwritten by each body", false);
}

// Whatever a former launch has left there: another body writes another part.
TEST_P(Stale, PartsOfBodiesChangeWithEachLaunch) {
  const Tensor second = truth(false);
  const auto half = [](rondo_tensor* of, int which, Real value) {
    must(rondo_fill(slice(of, 0, which * kSize / 2, (which + 1) * kSize / 2), value));
  };
  for (const bool by_host : {false, true}) {
    Tensor out;
    const auto program = [&] {
      const Tensor part = empty(RONDO_U8, {kSize});
      if_else(
          second, [&] { half(part, 1, 2); }, [&] { half(part, 0, 1); });
      out = copied(part);
    };
    const Graph graph = by_host ? record_for_host(program) : record(engine(), program);
    for (const int which : {0, 1, 1, 0}) {
      must(rondo_fill_i64(second, which));
      must(rondo_graph_launch(graph.get()));
      Array expected = full(RONDO_U8, {kSize}, 0);
      for (int64_t i = 0; i < kSize / 2; ++i) expected.set(static_cast<size_t>(which * kSize / 2 + i), which + 1);
      expect_same_bits(download(out), expected, std::string(by_host ? "host, " : "") + std::to_string(which));
    }
  }
}

// A user's task of the host too may leave another part each time.
TEST_P(Stale, PartsOfHostTasksChangeWithEachLaunch) {
  if (!on_cuda()) return;
  static int writes;
  writes = 0;
  Tensor out;
  const Graph graph = record(engine(), [&] {
    const Tensor on_host = make(rondo_tensor_create, engine(), kCpu, RONDO_U8, 1, &kSize);
    const rondo_task_options with = task_options("a byte", kCpu);
    must(push_tensors(
        engine(),
        [](rondo_task_context* context) {
          void* at = nullptr;
          const rondo_status status = rondo_task_operand(context, 0, &at, nullptr);
          if (status == RONDO_OK) static_cast<unsigned char*>(at)[writes++] = 9;
          return status;
        },
        {}, {on_host}, &with));
    out = make(rondo_copy_to, on_host, device());
  });
  for (int i = 0; i < 3; ++i) {
    must(rondo_graph_launch(graph.get()));
    Array expected = full(RONDO_U8, {kSize}, 0);
    expected.set(static_cast<size_t>(i), 9);
    expect_same_bits(download(out), expected, std::to_string(i));
  }
}

// What is zeroed first takes a node more.
TEST_P(Stale, WhatSeveralTasksFillIsNotZeroedFirst) {
  const auto part = [](rondo_tensor* of, int64_t begin, int64_t end, int64_t step) {
    must(rondo_fill(slice(of, 0, begin, end, step), kWritten));
  };
  const auto check = [&](bool filled, const char* what, const std::function<void(rondo_tensor*)>& write) {
    Tensor out;
    dirty();
    const Graph graph = record(engine(), [&] {
      const Tensor parts = empty(RONDO_U8, {kSize});
      write(parts);
      out = make(rondo_cumulative, RONDO_MAX, parts, 0, false);
    });
    must(rondo_graph_launch(graph.get()));
    const Tensor parts = up(full(RONDO_U8, {kSize}, 0));
    write(parts);
    expect_same_bits(download(out), download(make(rondo_cumulative, RONDO_MAX, parts, 0, false)), what);
    const rondo_graph_info info = graph_info(graph.get());
    EXPECT_EQ(info.nodes, on_cuda() ? info.tasks + (filled ? 0 : 1) : 0) << what;
  };
  check(true, "halves", [&](rondo_tensor* t) { part(t, 0, 100, 1), part(t, 100, kSize, 1); });
  check(true, "in turn", [&](rondo_tensor* t) { part(t, 1, kSize, 2), part(t, 0, kSize, 2); });
  check(false, "twice the same half", [&](rondo_tensor* t) { part(t, 0, kSize / 2, 1), part(t, 0, kSize / 2, 1); });
  check(false, "all but one", [&](rondo_tensor* t) { part(t, 0, 100, 1), part(t, 101, kSize, 1); });
  check(false, "read in place", [&](rondo_tensor* t) {
    part(t, 0, 100, 1);
    into(t, rondo_binary_scalar, RONDO_ADD, t, 1.0);
  });
  check(false, "read between", [&](rondo_tensor* t) {
    part(t, 0, 100, 1);
    const Tensor early = make(rondo_cumulative, RONDO_MAX, t, 0, false);
    into(slice(t, 0, 100, kSize), rondo_copy, slice(early, 0, 0, kSize - 100));
  });
}

TEST_P(Stale, OutputsOfGraphsBeginAsZeros) {
  dirty();
  Tensor part, never;
  const Graph graph = record(engine(), [&] {
    part = empty(RONDO_U8, {kSize});
    write_part(part);
    never = copied(part);
  });
  must(rondo_tensor_accept(never));
  expect_zero(never, "accepted before the first launch");
  must(rondo_graph_launch(graph.get()));
  expect_part(part, "launched");
  expect_part(never, "launched");
}

TEST_P(Stale, PartsOfWhatACallGivesAreZero) {
  const auto expect = [&](const std::function<void(rondo_tensor*)>& write, bool part, const char* what) {
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = RONDO_RECORD_CALLABLE;
    const Graph graph = record(
        engine(),
        [&] {
          const Tensor out = empty(RONDO_U8, {kSize});
          write(out);
          must(rondo_record_output(engine(), out));
        },
        &options);
    for (int i = 0; i < 3; ++i) {
      Tensor out = i < 2 ? Tensor() : bytes(kLeft);
      dirty();
      must(rondo_graph_call(graph.get(), 0, nullptr, 1, out.slot()));
      part ? expect_part(out, what) : expect_zero(out, what);
    }
  };
  expect(write_part, true, "filled");
  expect([this](rondo_tensor* t) { push_nothing(t); }, false, "by a user task");
}

}  // namespace
}  // namespace conformance
