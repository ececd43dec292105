// Handles after their destroy, objects that outlive the engine, recordings left open.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "harness.h"

namespace conformance {
namespace {

void* const kPerThreadStream = reinterpret_cast<void*>(2);  // CU_STREAM_PER_THREAD

class MisuseLifetime : public OnEngine {
 protected:
  // Refused as no live object, or as one in no usable state.
  static void dead(rondo_status status, const char* function) {
    EXPECT_TRUE(status == RONDO_INVALID_ARGUMENT || status == RONDO_INVALID_STATE)
        << function << " returned " << rondo_status_name(status);
    EXPECT_TRUE(has_word(rondo_last_error(), function)) << rondo_last_error();
  }
};
CONFORMANCE_ENGINE_SUITE(MisuseLifetime);

TEST_P(MisuseLifetime, DestroyedTensor) {
  const Tensor b = up(full(RONDO_F32, {4}, 1));
  rondo_tensor* gone = up(full(RONDO_F32, {4}, 1)).release();
  rondo_tensor_destroy(gone);
  rondo_tensor* out = nullptr;
  float data[4];
  rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
  dead(rondo_tensor_wait(gone), "rondo_tensor_wait");
  dead(rondo_tensor_accept(gone), "rondo_tensor_accept");
  dead(rondo_tensor_read(gone, data, sizeof data), "rondo_tensor_read");
  dead(rondo_tensor_write(gone, data, sizeof data), "rondo_tensor_write");
  dead(rondo_tensor_query(gone, &info), "rondo_tensor_query");
  dead(rondo_tensor_slice(gone, 0, 0, 1, 1, &out), "rondo_tensor_slice");
  dead(rondo_unary(RONDO_NEG, gone, &out), "rondo_unary");
  dead(rondo_binary(RONDO_ADD, b, gone, &out), "rondo_binary");
  EXPECT_EQ(out, nullptr);
  out = gone;
  dead(rondo_unary(RONDO_NEG, b, &out), "rondo_unary");
  rondo_tensor_destroy(gone);  // twice: no crash, and nobody else's tensor goes
  EXPECT_TRUE(has_word(rondo_last_error(), "rondo_tensor_destroy")) << rondo_last_error();
  expect_same_bits(download(b), full(RONDO_F32, {4}, 1), "an innocent tensor");
}

TEST_P(MisuseLifetime, DestroyedVariable) {
  rondo_variable* gone = nullptr;
  must(rondo_variable_create(engine(), &gone));
  rondo_variable_destroy(gone);
  uint64_t version = 0;
  dead(rondo_variable_wait(gone), "rondo_variable_wait");
  dead(rondo_variable_version(gone, &version), "rondo_variable_version");
  dead(push(engine(), [](rondo_task_context*) { return RONDO_OK; }, {}, {gone}), "rondo_engine_push");
  rondo_variable_destroy(gone);
  EXPECT_TRUE(has_word(rondo_last_error(), "rondo_variable_destroy")) << rondo_last_error();
}

TEST_P(MisuseLifetime, VariableOfATensorIsBorrowed) {
  Tensor a = up(full(RONDO_F32, {4}, 1));
  rondo_variable* borrowed = variable_of(a);
  rondo_variable_destroy(borrowed);
  EXPECT_TRUE(has_word(rondo_last_error(), "rondo_variable_destroy")) << rondo_last_error();
  must(rondo_variable_wait(borrowed));
  expect_same_bits(download(a), full(RONDO_F32, {4}, 1), "still there");
  a.reset();
  dead(rondo_variable_wait(borrowed), "rondo_variable_wait");
}

TEST_P(MisuseLifetime, DestroyedGraph) {
  const Tensor a = up(full(RONDO_F32, {4}, 1));
  Tensor out;
  rondo_graph* gone = record(engine(), [&] { out = make(rondo_unary, RONDO_NEG, a); }).release();
  rondo_graph_destroy(gone);
  rondo_graph_info info = RONDO_GRAPH_INFO_INIT;
  size_t length = 0;
  dead(rondo_graph_launch(gone), "rondo_graph_launch");
  dead(rondo_graph_call(gone, 0, nullptr, 0, nullptr), "rondo_graph_call");
  dead(rondo_graph_set(gone, "rate", 1), "rondo_graph_set");
  dead(rondo_graph_set_i64(gone, "step", 1), "rondo_graph_set_i64");
  dead(rondo_graph_enable(gone, "part", 1), "rondo_graph_enable");
  dead(rondo_graph_query(gone, &info), "rondo_graph_query");
  dead(rondo_graph_report(gone, nullptr, 0, &length), "rondo_graph_report");
  dead(rondo_graph_dot(gone, "/tmp/never"), "rondo_graph_dot");
  dead(rondo_graph_profile(gone, nullptr), "rondo_graph_profile");
  dead(rondo_graph_profile_call(gone, nullptr, 0, nullptr, 0, nullptr), "rondo_graph_profile_call");
  rondo_graph_destroy(gone);
  EXPECT_TRUE(has_word(rondo_last_error(), "rondo_graph_destroy")) << rondo_last_error();
}

TEST_P(MisuseLifetime, DestroyedEngine) {
  rondo_engine* gone = create_engine(options()).release();
  rondo_engine_destroy(gone);
  rondo_engine_mode mode;
  rondo_tensor* out = nullptr;
  rondo_variable* variable = nullptr;
  rondo_graph* graph = nullptr;
  const int64_t size = 1;
  rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
  dead(rondo_engine_wait_all(gone), "rondo_engine_wait_all");
  dead(rondo_engine_get_mode(gone, &mode), "rondo_engine_get_mode");
  dead(rondo_engine_seed(gone, 1), "rondo_engine_seed");
  dead(rondo_tensor_create(gone, device(), RONDO_F32, 1, &size, &out), "rondo_tensor_create");
  dead(rondo_variable_create(gone, &variable), "rondo_variable_create");
  dead(rondo_record_begin(gone, nullptr), "rondo_record_begin");
  dead(rondo_record_end(gone, &graph), "rondo_record_end");
  dead(rondo_record_abort(gone), "rondo_record_abort");
  dead(rondo_memory_query(gone, device(), &info), "rondo_memory_query");
  dead(rondo_memory_trim(gone, device()), "rondo_memory_trim");
  dead(rondo_trace_begin(gone), "rondo_trace_begin");
  dead(rondo_trace_end(gone, nullptr), "rondo_trace_end");
  rondo_engine_destroy(gone);
  EXPECT_TRUE(has_word(rondo_last_error(), "rondo_engine_destroy")) << rondo_last_error();
}

// Objects that outlive their engine: which they are is told, every call says INVALID_STATE, destroying works.
TEST_P(MisuseLifetime, ObjectsAliveAtTheEnd) {
  Engine other = create_engine(options());
  Tensor a = upload(other.get(), device(), full(RONDO_F32, {4}, 1)), view = slice(a, 0, 0, 2), out;
  rondo_variable* v = nullptr;
  must(rondo_variable_create(other.get(), &v));
  rondo_record_options named = RONDO_RECORD_OPTIONS_INIT;
  named.name = "step";
  Graph graph = record(
      other.get(), [&] { out = make(rondo_unary, RONDO_NEG, a); }, &named);
  must(rondo_graph_launch(graph.get()));
  other.reset();
  const std::string message = rondo_last_error();
  EXPECT_TRUE(has_word(message, "rondo_engine_destroy")) << message;
  EXPECT_TRUE(has_word(message, "5")) << "three tensors, a variable and a graph: " << message;
  const std::string where = on_cuda() ? "cuda:0" : "cpu:0";
  for (const std::string& object :
       {"tensor f32 [4] on " + where + " made by 'copy'", "tensor f32 [2] on " + where + " made by 'copy'",
        "tensor f32 [4] on " + where + " made by 'step'", std::string("variable no task has written"),
        std::string("graph 'step'")})
    EXPECT_NE(message.find(object), std::string::npos) << object << " is not in: " << message;

  rondo_tensor* made = nullptr;
  float data[4] = {};
  void* address = nullptr;
  uint64_t version = 0;
  size_t length = 0;
  rondo_variable* its = nullptr;
  DLManagedTensorVersioned* managed = nullptr;
  DLManagedTensor* managed0 = nullptr;
  void* const stream = on_cuda() ? kPerThreadStream : nullptr;
  const Tensor mine = up(full(RONDO_F32, {4}, 1));
  const std::pair<const char*, rondo_status> calls[] = {
      {"rondo_tensor_wait", rondo_tensor_wait(a)},
      {"rondo_tensor_accept", rondo_tensor_accept(a)},
      {"rondo_tensor_read", rondo_tensor_read(a, data, sizeof data)},
      {"rondo_tensor_write", rondo_tensor_write(view, data, 8)},
      {"rondo_tensor_data", rondo_tensor_data(a, &address)},
      {"rondo_tensor_variable", rondo_tensor_variable(a, &its)},
      {"rondo_tensor_to_dlpack", rondo_tensor_to_dlpack(a, stream, &managed)},
      {"rondo_tensor_to_dlpack_v0", rondo_tensor_to_dlpack_v0(a, stream, &managed0)},
      {"rondo_tensor_slice", rondo_tensor_slice(a, 0, 0, 1, 1, &made)},
      {"rondo_unary", rondo_unary(RONDO_NEG, a, &made)},
      {"rondo_fill", rondo_fill(out, 1)},
      {"rondo_copy_to", rondo_copy_to(a, kCpu, &made)},
      {"rondo_variable_wait", rondo_variable_wait(v)},
      {"rondo_variable_version", rondo_variable_version(v, &version)},
      {"rondo_graph_launch", rondo_graph_launch(graph.get())},
      {"rondo_graph_report", rondo_graph_report(graph.get(), nullptr, 0, &length)},
  };
  for (const auto& [function, status] : calls) EXPECT_EQ(status, RONDO_INVALID_STATE) << function;
  EXPECT_NE(rondo_binary(RONDO_ADD, mine, a, &made), RONDO_OK);
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(its, nullptr);
  EXPECT_TRUE(!managed && !managed0) << "touched its output";
  rondo_variable_destroy(v);
  // The tensors and the graph go with their owners, after the engine.
}

// Many of one kind are one entry, and many kinds are cut short.
TEST_P(MisuseLifetime, ManyObjectsAliveAtTheEnd) {
  Engine other = create_engine(options());
  std::vector<Tensor> tensors;
  for (int64_t i = 1; i <= 30; ++i)
    for (int64_t n = 0; n < (i == 1 ? 7 : 1); ++n)
      tensors.push_back(make(rondo_tensor_create, other.get(), device(), RONDO_F32, 1, &i));
  other.reset();
  const std::string message = rondo_last_error();
  for (const char* part : {"36 objects", "7 times tensor f32 [1] on ", "no task has written", "and 10 more"})
    EXPECT_NE(message.find(part), std::string::npos) << part << " is not in: " << message;
}

TEST_P(MisuseLifetime, RecordingLeftOpenAtTheEnd) {
  Engine other = create_engine(options());
  Tensor a = upload(other.get(), device(), full(RONDO_F32, {4}, 1));
  must(rondo_record_begin(other.get(), nullptr));
  Tensor inside = make(rondo_unary, RONDO_NEG, a);
  other.reset();
  EXPECT_EQ(rondo_tensor_wait(inside), RONDO_INVALID_STATE);
  // The thread is free to record elsewhere.
  const Tensor mine = up(full(RONDO_F32, {4}, 2));
  Tensor out;
  Graph graph = record(engine(), [&] { out = make(rondo_unary, RONDO_NEG, mine); });
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(download(out)[0], -2);
}

// A recording that belongs to a thread which is gone, or to another thread, when the engine ends.
TEST_P(MisuseLifetime, RecordingOfAnotherThread) {
  Engine other = create_engine(options());
  Tensor a = upload(other.get(), device(), full(RONDO_F32, {4}, 1)), inside;
  std::thread([&] {
    must(rondo_record_begin(other.get(), nullptr));
    inside = make(rondo_unary, RONDO_NEG, a);
  }).join();
  must(rondo_tensor_wait(a));
  EXPECT_EQ(rondo_tensor_wait(inside), RONDO_INVALID_STATE);
  EXPECT_TRUE(has_word(rondo_last_error(), "aborted")) << rondo_last_error();
  other.reset();
  EXPECT_EQ(rondo_tensor_wait(inside), RONDO_INVALID_STATE);
}

// The thread that records is alive when another one destroys the engine: it can record on other engines, and end.
TEST_P(MisuseLifetime, RecordingOfAThreadThatGoesOn) {
  for (const bool records_again : {true, false}) {
    Engine other = create_engine(options());
    std::atomic<int> dropped{0}, step{0};
    std::string problem;
    std::thread recorder([&] {
      try {
        rondo_engine* const gone = other.get();
        must(rondo_record_begin(gone, nullptr));
        must(rondo_engine_push(
            gone, [](void*, rondo_task_context*) { return RONDO_OK; }, &dropped,
            [](void* count) { ++*static_cast<std::atomic<int>*>(count); }, nullptr, 0, nullptr, 0, nullptr));
        step = 1;
        while (step < 2) std::this_thread::yield();
        if (!records_again) return;
        rondo_graph* graph = nullptr;
        EXPECT_EQ(rondo_record_end(engine(), &graph), RONDO_INVALID_STATE);
        EXPECT_TRUE(has_word(rondo_last_error(), "rondo_record_begin")) << rondo_last_error();
        EXPECT_EQ(dropped, 1);
        Tensor out;
        const Tensor mine = up(full(RONDO_F32, {4}, 2));
        const Graph made = record(engine(), [&] { out = make(rondo_unary, RONDO_NEG, mine); });
        must(rondo_graph_launch(made.get()));
        EXPECT_EQ(download(out)[0], -2);
      } catch (const std::exception& failure) {
        problem = failure.what();
        step = 1;
      }
    });
    while (step < 1) std::this_thread::yield();
    other.reset();
    EXPECT_EQ(dropped, 0) << "the thread owns the recording";
    step = 2;
    recorder.join();
    EXPECT_EQ(problem, "");
    EXPECT_EQ(dropped, 1) << "the recorded task is released once";
  }
  // Beginning is enough, too.
  Engine other = create_engine(options());
  std::atomic<int> step{0};
  rondo_status begun = RONDO_INTERNAL;
  std::thread recorder([&] {
    (void)rondo_record_begin(other.get(), nullptr);
    step = 1;
    while (step < 2) std::this_thread::yield();
    begun = rondo_record_begin(engine(), nullptr);
    (void)rondo_record_abort(engine());
  });
  while (step < 1) std::this_thread::yield();
  other.reset();
  step = 2;
  recorder.join();
  EXPECT_EQ(begun, RONDO_OK);
}

TEST_P(MisuseLifetime, DestroyTheEngineInsideATask) {
  const Variable v(engine());
  std::string message;
  must(push(engine(),
            [&](rondo_task_context*) {
              rondo_engine_destroy(engine());
              message = rondo_last_error();
              return RONDO_OK;
            },
            {}, {v}));
  must(rondo_variable_wait(v));
  EXPECT_TRUE(has_word(message, "rondo_engine_destroy")) << message;
  expect_same_bits(download(up(full(RONDO_F32, {4}, 1))), full(RONDO_F32, {4}, 1), "the engine goes on");
}

// A handle of one kind given as another is refused, not misread.
TEST_P(MisuseLifetime, HandlesOfAnotherKind) {
  const Tensor a = up(full(RONDO_F32, {4}, 1));
  const Variable v(engine());
  dead(rondo_tensor_wait(reinterpret_cast<rondo_tensor*>(static_cast<rondo_variable*>(v))), "rondo_tensor_wait");
  dead(rondo_variable_wait(reinterpret_cast<rondo_variable*>(static_cast<rondo_tensor*>(a))), "rondo_variable_wait");
  dead(rondo_engine_wait_all(reinterpret_cast<rondo_engine*>(static_cast<rondo_tensor*>(a))), "rondo_engine_wait_all");
  dead(rondo_graph_launch(reinterpret_cast<rondo_graph*>(static_cast<rondo_tensor*>(a))), "rondo_graph_launch");

  rondo_expression* expression = nullptr;
  must(rondo_expression_create("y = -x", nullptr, &expression));
  rondo_model_file_info file = RONDO_MODEL_FILE_INFO_INIT;
  rondo_tape_info tape = RONDO_TAPE_INFO_INIT;
  dead(rondo_model_file_query(reinterpret_cast<rondo_model_file*>(expression), &file), "rondo_model_file_query");
  dead(rondo_tape_query(reinterpret_cast<rondo_tape*>(expression), &tape), "rondo_tape_query");
  rondo_expression_destroy(expression);
  if (!on_cuda()) return;  // the cpu has no modules
  rondo_module* module = nullptr;
  must(rondo_module_create(engine(), device(), "extern \"C\" __global__ void nothing() {}", "nothing()", nullptr,
                           &module));
  dead(rondo_model_file_query(reinterpret_cast<rondo_model_file*>(module), &file), "rondo_model_file_query");
  rondo_module_destroy(module);
}

}  // namespace
}  // namespace conformance
