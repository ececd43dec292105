// What was never written has no contents to read, and what counts as written; contents accepted as they are.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "graphs/recording.h"

namespace conformance {
namespace {

class Unwritten : public OnRecording {
 protected:
  Tensor fresh() const { return empty(RONDO_F32, {3, 4}); }
  // Refused at the call in every mode: nothing was submitted, so nothing is poisoned.
  void refused(rondo_status status, const char* function, const char* argument) const {
    expect_refused(status, RONDO_INVALID_STATE, function, argument);
    const std::string message = rondo_last_error();
    for (const char* part : {"f32 [3, 4]", "never written", "rondo_tensor_accept"})
      EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_OK);
  }
  // A task that fails, whose message is the cause.
  rondo_status spoil(rondo_tensor* tensor) const {
    const rondo_task_options with = task_options("spoiler");
    return push(
        engine(), [](rondo_task_context*) { return RONDO_USER_ERROR; }, {}, {variable_of(tensor)}, &with);
  }
  void expect_spoilt(rondo_status status) const {
    EXPECT_EQ(status, RONDO_USER_ERROR);
    EXPECT_NE(std::string(rondo_last_error()).find("spoiler"), std::string::npos) << rondo_last_error();
  }
};
CONFORMANCE_ENGINE_SUITE(Unwritten);

TEST_P(Unwritten, IsNotRead) {
  const Tensor a = fresh(), b = up(full(RONDO_F32, {3, 4}, 1));
  float data[12];
  refused(rondo_tensor_read(a, data, sizeof data), "rondo_tensor_read", "tensor");
  DLManagedTensorVersioned* managed = nullptr;
  refused(rondo_tensor_to_dlpack(a, nullptr, &managed), "rondo_tensor_to_dlpack", "tensor");
  DLManagedTensor* managed0 = nullptr;
  refused(rondo_tensor_to_dlpack_v0(a, nullptr, &managed0), "rondo_tensor_to_dlpack_v0", "tensor");
  EXPECT_TRUE(!managed && !managed0) << "touched its output";
  EXPECT_EQ(rondo_tensor_wait(a), RONDO_OK) << "there is nothing to wait for";
}

TEST_P(Unwritten, IsNoInput) {
  const Tensor a = fresh(), b = up(full(RONDO_F32, {3, 4}, 1));
  Tensor out;
  refused(rondo_unary(RONDO_NEG, a, out.slot()), "rondo_unary", "a");
  refused(rondo_binary(RONDO_ADD, b, a, out.slot()), "rondo_binary", "b");
  refused(rondo_where(b, b, a, out.slot()), "rondo_where", "b");
  refused(rondo_copy(a, out.slot()), "rondo_copy", "a");
  refused(rondo_copy_to(a, kCpu, out.slot()), "rondo_copy_to", "a");
  refused(rondo_reduce(RONDO_SUM, a, 0, nullptr, 0, out.slot()), "rondo_reduce", "a");
  refused(rondo_softmax(a, 0, out.slot()), "rondo_softmax", "a");
  // In place it is read, and what adds to it reads it too.
  rondo_tensor* slot = a;
  refused(rondo_binary_scalar(RONDO_ADD, a, 1, &slot), "rondo_binary_scalar", "a");
  const Tensor sum = make(rondo_tensor_accumulator, a);
  slot = sum;
  refused(rondo_unary(RONDO_NEG, b, &slot), "rondo_unary", "out");
  EXPECT_EQ(static_cast<rondo_tensor*>(out), nullptr);
}

TEST_P(Unwritten, IsNoInputOfAnyFamily) {
  const Tensor image = empty(RONDO_F32, {1, 2, 3, 4}), known = up(full(RONDO_F32, {1, 2, 3, 4}, 1)), line = fresh(),
               index = empty(RONDO_I64, {2}), good = up(full(RONDO_F32, {3, 4}, 1)), channels = empty(RONDO_F32, {2});
  Tensor out, more;
  const auto expect = [&](rondo_status status, const char* function, const char* argument) {
    expect_refused(status, RONDO_INVALID_STATE, function, argument);
    EXPECT_NE(std::string(rondo_last_error()).find("never written"), std::string::npos) << rondo_last_error();
    EXPECT_EQ(static_cast<rondo_tensor*>(out), nullptr) << function;
  };
  const int64_t two[] = {2, 2}, filter[] = {2, 2, 1, 1};
  const Tensor w = make(rondo_tensor_create, engine(), device(), RONDO_F32, 4, filter);
  expect(rondo_convolution(known, w, nullptr, out.slot()), "rondo_convolution", "w");
  rondo_norm_options norm = RONDO_NORM_OPTIONS_INIT;
  norm.weight = channels;
  expect(rondo_instance_norm(known, &norm, out.slot()), "rondo_instance_norm", "weight");
  expect(rondo_batch_norm(known, channels, channels, nullptr, out.slot()), "rondo_batch_norm", "mean");
  expect(rondo_max_pool(image, 2, two, nullptr, out.slot()), "rondo_max_pool", "a");
  expect(rondo_resize(image, 2, two, RONDO_RESIZE_NEAREST, RONDO_RESIZE_HALF_PIXEL, out.slot()), "rondo_resize", "a");
  expect(rondo_layer_norm(line, -1, nullptr, nullptr, 1e-5, out.slot()), "rondo_layer_norm", "a");
  expect(rondo_cumulative(RONDO_SUM, line, 0, 0, out.slot()), "rondo_cumulative", "a");
  expect(rondo_sort(line, 0, 0, out.slot()), "rondo_sort", "a");
  expect(rondo_topk(line, 1, 0, 1, out.slot(), more.slot()), "rondo_topk", "a");
  rondo_tensor* const both[] = {good, line};
  expect(rondo_concat(2, both, 0, out.slot()), "rondo_concat", "tensors");
  expect(rondo_add_n(2, both, out.slot()), "rondo_add_n", "tensors");
  expect(rondo_take(good, index, 0, out.slot()), "rondo_take", "indices");
  expect(rondo_put(good, index, up(full(RONDO_F32, {2, 4}, 1)), 0), "rondo_put", "indices");
  rondo_expression* made = nullptr;
  must(rondo_expression_create("y = a + 1", nullptr, &made));
  const std::unique_ptr<rondo_expression, void (*)(rondo_expression*)> text(made, rondo_expression_destroy);
  const rondo_argument arguments[] = {RONDO_TENSOR("a", line)};
  expect(rondo_expression_run(made, 1, arguments, 1, out.slot()), "rondo_expression_run", "a");
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_OK);
}

TEST_P(Unwritten, WithoutElementsThereIsNothingToRead) {
  const Tensor a = empty(RONDO_F32, {0, 4});
  must(rondo_tensor_read(a, nullptr, 0));
  EXPECT_EQ(query(make(rondo_unary, RONDO_NEG, a)).elements, 0);
}

// Bytes that nobody writes, beside a part or behind a task that does nothing, are zero (stale.cc).
TEST_P(Unwritten, EveryWriteCounts) {
  const Array value = full(RONDO_F32, {3, 4}, 2);
  const Tensor from = up(value);
  const auto expect_written = [&](const char* how, const std::function<void(const Tensor&)>& write) {
    const Tensor a = fresh();
    write(a);
    Tensor out;
    EXPECT_EQ(rondo_unary(RONDO_NEG, a, out.slot()), RONDO_OK) << how << ": " << rondo_last_error();
    float data[12];
    EXPECT_EQ(rondo_tensor_read(a, data, sizeof data), RONDO_OK) << how << ": " << rondo_last_error();
  };
  expect_written("from the host",
                 [&](const Tensor& a) { must(rondo_tensor_write(a, value.bytes.data(), value.bytes.size())); });
  expect_written("filled", [&](const Tensor& a) { must(rondo_fill(a, 1)); });
  expect_written("by an operator", [&](const Tensor& a) { into(a, rondo_copy, from); });
  expect_written("by a graph", [&](const Tensor& a) {
    const Graph graph = record(engine(), [&] { must(rondo_fill(a, 1)); });
    must(rondo_graph_launch(graph.get()));
  });
  expect_written("a part of it", [&](const Tensor& a) { must(rondo_fill(slice(a, 1, 1, 2), 1)); });
  expect_written("a part of it from the host", [&](const Tensor& a) {
    const float row[4] = {};
    must(rondo_tensor_write(slice(a, 0, 1, 2), row, sizeof row));
  });
  const auto nothing = [](rondo_task_context*) { return RONDO_OK; };
  expect_written("by a user task", [&](const Tensor& a) { must(push(engine(), nothing, {}, {variable_of(a)})); });
  expect_written("by a user task that names it twice",
                 [&](const Tensor& a) { must(push(engine(), nothing, {variable_of(a)}, {variable_of(a)})); });
  expect_written("by whoever has its address", [&](const Tensor& a) {
    void* address = nullptr;
    must(rondo_tensor_data(a, &address));
  });
  expect_written("accepted", [&](const Tensor& a) { must(rondo_tensor_accept(a)); });
  expect_written("a view of it", [&](const Tensor& a) { must(rondo_tensor_accept(slice(a, 0, 0, 1))); });
}

// A user's task that names the variable among its reads does so for the order.
TEST_P(Unwritten, UserTasksRun) {
  const Tensor a = fresh();
  bool ran = false;
  must(push(engine(),
            [&](rondo_task_context*) {
              ran = true;
              return RONDO_OK;
            },
            {variable_of(a)}, {}));
  must(rondo_variable_wait(variable_of(a)));
  EXPECT_TRUE(ran);
  float data[12];
  refused(rondo_tensor_read(a, data, sizeof data), "rondo_tensor_read", "tensor");
}

// A write that failed is what is told, not that there was none.
TEST_P(Unwritten, AFailedWriteIsTheCause) {
  const Tensor a = fresh();
  (void)spoil(a);
  float data[12];
  expect_spoilt(rondo_tensor_read(a, data, sizeof data));
  Tensor out;
  const rondo_status used = rondo_unary(RONDO_NEG, a, out.slot());
  EXPECT_EQ(used, naive() ? RONDO_USER_ERROR : RONDO_OK);
  must(rondo_tensor_accept(a));
  must(rondo_tensor_wait(a));
  expect_spoilt(rondo_engine_wait_all(engine()));
}

TEST_P(Unwritten, OutputsOfAGraphThatWasNeverLaunched) {
  const Tensor a = up(full(RONDO_F32, {3, 4}, 1));
  Tensor out;
  const Graph graph = record(engine(), [&] { out = make(rondo_unary, RONDO_NEG, a); });
  float data[12];
  refused(rondo_tensor_read(out, data, sizeof data), "rondo_tensor_read", "tensor");
  refused(rondo_unary(RONDO_NEG, out, Tensor().slot()), "rondo_unary", "a");
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(out), -1);
}

// An input may be written after the recording, but it must be before the launch.
TEST_P(Unwritten, InputsOfAGraph) {
  const Tensor a = fresh(), state = fresh();
  Tensor out;
  const Graph graph = record(engine(), [&] {
    out = make(rondo_unary, RONDO_NEG, a);
    into(state, rondo_binary, RONDO_ADD, state, out);
  });
  const Graph outer = record(engine(), [&] { must(rondo_graph_launch(graph.get())); });
  const auto refused_launch = [&](const Graph& which, const char* task) {
    const int64_t launches = graph_info(which.get()).launches;
    expect_refused(rondo_graph_launch(which.get()), RONDO_INVALID_STATE, "rondo_graph_launch", task);
    EXPECT_NE(std::string(rondo_last_error()).find("never written"), std::string::npos) << rondo_last_error();
    EXPECT_EQ(graph_info(which.get()).launches, launches);
  };
  refused_launch(graph, "neg");
  must(rondo_fill(a, 2));
  refused_launch(graph, "add");
  refused_launch(outer, "graph");
  must(rondo_fill(state, 1));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(state), -1);
  must(rondo_graph_launch(outer.get()));
  EXPECT_EQ(first(state), -3);
}

// What a graph only writes, in whole or in part, and what it writes before it reads it, needs no contents.
TEST_P(Unwritten, WhatAGraphWritesFirst) {
  const Tensor whole = fresh(), part = fresh(), later = fresh();
  const Graph graph = record(engine(), [&] {
    must(rondo_fill(whole, 1));
    must(rondo_fill(slice(part, 0, 0, 1), 2));
    must(rondo_fill(later, 3));
    into(later, rondo_binary_scalar, RONDO_MUL, later, 2.0);
  });
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(whole), 1);
  EXPECT_EQ(first(slice(part, 0, 0, 1)), 2);
  EXPECT_EQ(first(later), 6);
}

// Nobody could ever write a temporary between two launches.
TEST_P(Unwritten, TemporariesOfARecording) {
  must(rondo_record_begin(engine(), nullptr));
  Tensor out = make(rondo_unary, RONDO_NEG, fresh());
  rondo_graph* graph = nullptr;
  expect_refused(rondo_record_end(engine(), &graph), RONDO_INVALID_STATE, "rondo_record_end", "neg");
  EXPECT_NE(std::string(rondo_last_error()).find("never written"), std::string::npos) << rondo_last_error();
  EXPECT_EQ(graph, nullptr);
}

// --- accepting
// --------------------------------------------------------------------------------------------------------------

TEST_P(Unwritten, AcceptKeepsTheContents) {
  const Tensor a = up(full(RONDO_F32, {3, 4}, 1));
  into(a, rondo_binary_scalar, RONDO_ADD, a, 1.0);
  (void)spoil(a);
  expect_spoilt(rondo_tensor_wait(a));
  must(rondo_tensor_accept(a));
  must(rondo_tensor_wait(a));
  into(a, rondo_binary_scalar, RONDO_ADD, a, 1.0);
  expect_same_bits(download(a), full(RONDO_F32, {3, 4}, 3), "salvaged");
  expect_spoilt(rondo_engine_wait_all(engine()));
}

// It stands in the order like a write: what was submitted before is skipped, what comes after runs.
TEST_P(Unwritten, AcceptIsOrdered) {
  const Tensor a = up(full(RONDO_F32, {3, 4}, 1)), before = fresh(), after = fresh();
  Gate gate;
  must(push(engine(), waiting(gate), {variable_of(a)}, {variable_of(a)}));
  (void)spoil(a);
  rondo_tensor* slot = before;
  (void)rondo_unary(RONDO_NEG, a, &slot);
  must(rondo_tensor_accept(a));
  into(after, rondo_unary, RONDO_NEG, a);
  gate.open = true;
  expect_spoilt(rondo_tensor_wait(before));
  expect_same_bits(download(after), full(RONDO_F32, {3, 4}, -1), "after");
  expect_spoilt(rondo_engine_wait_all(engine()));
}

// Recorded, it is part of every launch: a graph that begins with it runs on what a failure left.
TEST_P(Unwritten, AcceptInARecording) {
  const Tensor a = up(full(RONDO_F32, {3, 4}, 1));
  const Graph graph = record(engine(), [&] {
    must(rondo_tensor_accept(a));
    into(a, rondo_binary_scalar, RONDO_ADD, a, 1.0);
  });
  EXPECT_EQ(graph_info(graph.get()).segments, 1);
  for (const Real expected : {2, 3}) {
    (void)spoil(a);
    must(rondo_graph_launch(graph.get()));
    EXPECT_EQ(first(a), expected);
  }
  expect_spoilt(rondo_engine_wait_all(engine()));
  const Graph alone = record(engine(), [&] { must(rondo_tensor_accept(a)); });
  (void)spoil(a);
  must(rondo_graph_launch(alone.get()));
  EXPECT_EQ(first(a), 3);
  expect_spoilt(rondo_engine_wait_all(engine()));
}

// A recording that was aborted leaves its tensors in error until they are written, or accepted.
TEST_P(Unwritten, AcceptAfterAnAbort) {
  const Tensor a = up(full(RONDO_F32, {3, 4}, 1));
  must(rondo_record_begin(engine(), nullptr));
  Tensor inside = make(rondo_unary, RONDO_NEG, a);
  expect_refused(rondo_tensor_wait(inside), RONDO_INVALID_STATE, "rondo_tensor_wait", nullptr);
  must(rondo_record_abort(engine()));
  expect_refused(rondo_tensor_wait(inside), RONDO_INVALID_STATE, "rondo_tensor_wait", "aborted");
  must(rondo_tensor_accept(inside));
  must(rondo_tensor_wait(inside));
}

}  // namespace
}  // namespace conformance
