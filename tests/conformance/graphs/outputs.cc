// Which tensors of a recording are its outputs: those held at its end, or those that were named.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "graphs/recording.h"

namespace conformance {
namespace {

class RecordingOutputs : public OnRecording {
 protected:
  static rondo_record_options named() {
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.name = "named";
    options.flags = RONDO_RECORD_NAMED_OUTPUTS;
    return options;
  }
  int32_t is_open() const {
    int32_t open = -7;
    must(rondo_record_is_open(engine(), &open));
    return open;
  }
};
CONFORMANCE_ENGINE_SUITE(RecordingOutputs);

TEST_P(RecordingOutputs, OnlyWhatWasNamed) {
  const Tensor a = ones(1000);
  Tensor held, out, unused;
  const rondo_record_options options = named();
  const Graph graph = record(
      engine(),
      [&] {
        held = make(rondo_cumulative, RONDO_MAX, make(rondo_binary_scalar, RONDO_ADD, a, 1.0), 0, 0);
        unused = empty(RONDO_F32, {5});
        out = make(rondo_binary_scalar, RONDO_MUL, held, 3.0);
        const Tensor view = reshape(out, {10, 100});  // any view names the storage
        must(rondo_record_output(engine(), view));
        must(rondo_record_output(engine(), out));
        must(rondo_record_output(engine(), a)) /* keeps its contents anyway */;
      },
      &options);
  expect_captured(graph.get());
  const rondo_graph_info info = graph_info(graph.get());
  EXPECT_EQ(info.output_bytes, 4000);
  EXPECT_GE(info.temporary_bytes, 4000);
  must(rondo_graph_launch(graph.get()));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(out), 6);
  EXPECT_EQ(first(a), 1);

  // Still held, but the graph's: it can be asked about, and everything that would use its contents is refused.
  EXPECT_EQ(query(held).elements, 1000);
  for (rondo_tensor* temporary : {static_cast<rondo_tensor*>(held), static_cast<rondo_tensor*>(unused)}) {
    std::vector<float> data(static_cast<size_t>(query(temporary).elements));
    const size_t bytes = data.size() * sizeof(float);
    void* address = nullptr;
    Tensor result;
    rondo_tensor* slot = temporary;
    expect_refused(rondo_tensor_read(temporary, data.data(), bytes), RONDO_INVALID_STATE, "rondo_tensor_read", nullptr);
    EXPECT_TRUE(has_word(rondo_last_error(), "rondo_record_output")) << rondo_last_error();
    expect_refused(rondo_tensor_write(temporary, data.data(), bytes), RONDO_INVALID_STATE, "rondo_tensor_write",
                   nullptr);
    expect_refused(rondo_tensor_wait(temporary), RONDO_INVALID_STATE, "rondo_tensor_wait", nullptr);
    expect_refused(rondo_tensor_data(temporary, &address), RONDO_INVALID_STATE, "rondo_tensor_data", nullptr);
    expect_refused(rondo_unary(RONDO_NEG, temporary, result.slot()), RONDO_INVALID_STATE, "rondo_unary", nullptr);
    expect_refused(rondo_fill(temporary, 1), RONDO_INVALID_STATE, "rondo_fill", nullptr);
    expect_refused(rondo_binary_scalar(RONDO_ADD, temporary, 1.0, &slot), RONDO_INVALID_STATE, "rondo_binary_scalar",
                   nullptr);
    expect_refused(push_tensors(engine(), [](rondo_task_context*) { return RONDO_OK; }, {temporary}, {}),
                   RONDO_INVALID_STATE, "rondo_engine_push_tensors", nullptr);
    expect_refused(push(engine(), [](rondo_task_context*) { return RONDO_OK; }, {}, {variable_of(temporary)}),
                   RONDO_INVALID_STATE, "rondo_engine_push", nullptr);
    const Tensor view = slice(temporary, 0, 0, 1);
    expect_refused(rondo_tensor_wait(view), RONDO_INVALID_STATE, "rondo_tensor_wait", nullptr);
    must(rondo_record_begin(engine(), nullptr));  // in another recording too
    EXPECT_EQ(rondo_unary(RONDO_NEG, temporary, result.slot()), RONDO_INVALID_STATE);
    must(rondo_record_abort(engine()));
  }
}

TEST_P(RecordingOutputs, TemporariesOutliveTheGraph) {
  const Tensor a = ones(10);
  Tensor held;
  const rondo_record_options options = named();
  Graph graph = record(
      engine(), [&] { held = make(rondo_unary, RONDO_NEG, a); }, &options);
  must(rondo_graph_launch(graph.get()));
  graph.reset();
  expect_refused(rondo_tensor_wait(held), RONDO_INVALID_STATE, "rondo_tensor_wait", nullptr);
  held.reset();
}

// An output whose handles are all gone when the recording ends, as a garbage collector may have it.
TEST_P(RecordingOutputs, NamedAndDestroyed) {
  const Tensor a = ones(10);
  Tensor out;
  const rondo_record_options options = named();
  const Graph graph = record(
      engine(),
      [&] {
        Tensor gone = make(rondo_unary, RONDO_NEG, a);
        must(rondo_record_output(engine(), gone));
        out = make(rondo_binary_scalar, RONDO_MUL, gone, 2.0);
        must(rondo_record_output(engine(), out));
      },
      &options);
  EXPECT_EQ(graph_info(graph.get()).output_bytes, 80);
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(out), -2);
}

TEST_P(RecordingOutputs, AbortedRecordingFreesItsTensors) {
  const Tensor a = ones(10);
  Tensor inside;
  const rondo_record_options options = named();
  must(rondo_record_begin(engine(), &options));
  inside = make(rondo_unary, RONDO_NEG, a);
  must(rondo_record_abort(engine()));
  EXPECT_NE(rondo_tensor_wait(inside), RONDO_OK);
  must(rondo_fill(inside, 2));
  EXPECT_EQ(first(inside), 2);
}

TEST_P(RecordingOutputs, WhoRecords) {
  const Engine other = create_engine(options());
  EXPECT_EQ(is_open(), 0);
  must(rondo_record_begin(engine(), nullptr));
  EXPECT_EQ(is_open(), 1);
  int32_t open = -7;
  must(rondo_record_is_open(other.get(), &open));
  EXPECT_EQ(open, 0) << "of another engine";
  std::thread([&] { EXPECT_EQ(is_open(), 0) << "of another thread"; }).join();
  must(rondo_record_abort(engine()));
  EXPECT_EQ(is_open(), 0);
  const Graph graph = record(engine(), [&] { EXPECT_EQ(is_open(), 1); });
  EXPECT_EQ(is_open(), 0);
}

TEST_P(RecordingOutputs, Misuse) {
  const Tensor a = ones(4);
  const Engine other = create_engine(options());
  const Tensor foreign = upload(other.get(), device(), full(RONDO_F32, {4}, 1));
  Tensor inside;
  int32_t open = -7;
  const char* const function = "rondo_record_output";
  expect_refused(rondo_record_output(nullptr, a), RONDO_INVALID_ARGUMENT, function, "engine");
  expect_refused(rondo_record_output(engine(), nullptr), RONDO_INVALID_ARGUMENT, function, "tensor");
  expect_refused(rondo_record_output(engine(), a), RONDO_INVALID_STATE, function, "recording");
  expect_refused(rondo_record_is_open(nullptr, &open), RONDO_INVALID_ARGUMENT, "rondo_record_is_open", "engine");
  expect_refused(rondo_record_is_open(engine(), nullptr), RONDO_INVALID_ARGUMENT, "rondo_record_is_open", "open");
  EXPECT_EQ(open, -7);
  rondo_record_options options = named();
  options.flags = 256;
  expect_refused(rondo_record_begin(engine(), &options), RONDO_INVALID_ARGUMENT, "rondo_record_begin", "flags");

  must(rondo_record_begin(engine(), nullptr));
  inside = make(rondo_unary, RONDO_NEG, a);
  expect_refused(rondo_record_output(engine(), inside), RONDO_INVALID_STATE, function, "RONDO_RECORD_NAMED_OUTPUTS");
  expect_refused(rondo_record_output(other.get(), foreign), RONDO_INVALID_STATE, function, "engine");
  std::thread([&] {
    const rondo_record_options with = named();
    must(rondo_record_begin(engine(), &with));
    expect_refused(rondo_record_output(engine(), inside), RONDO_INVALID_STATE, function, "recording");
    expect_refused(rondo_record_output(engine(), foreign), RONDO_INVALID_ARGUMENT, function, "tensor");
    must(rondo_record_abort(engine()));
  }).join();
  must(rondo_record_abort(engine()));
}

}  // namespace
}  // namespace conformance
