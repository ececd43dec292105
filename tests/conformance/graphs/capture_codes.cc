// Whatever breaks a capture: each of the driver's codes for it, provoked by a task that is captured. The recording
// fails with the task's name, or falls back where it is to; the engine, other captures and other threads go on.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "graphs/recording.h"

namespace conformance {
namespace {

// The driver's functions that break captures.
struct DriverCalls {
  int (*event_create)(void** event, unsigned flags);
  int (*event_destroy)(void* event);
  int (*event_record)(void* event, void* stream);
  int (*event_query)(void* event);
  int (*stream_create)(void** stream, unsigned flags, int priority);
  int (*stream_destroy)(void* stream);
  int (*stream_wait)(void* stream, void* event, unsigned flags);
  int (*begin)(void* stream, int mode);
  int (*end)(void* stream, void** graph);
  int (*set_context)(void* context);
};

class CaptureCodes : public OnRecording {
 protected:
  void SetUp() override {
    OnRecording::SetUp();
    if (IsSkipped() || HasFatalFailure() || !on_cuda()) return;
    table_ = &driver(&missing_);
    const auto take = [this](auto& slot, const char* name) {
      slot = reinterpret_cast<std::remove_reference_t<decltype(slot)>>(driver_entry(name, &missing_));
    };
    take(cu_.event_create, "cuEventCreate");
    take(cu_.event_destroy, "cuEventDestroy_v2");
    take(cu_.event_record, "cuEventRecord");
    take(cu_.event_query, "cuEventQuery");
    take(cu_.stream_create, "cuStreamCreateWithPriority");
    take(cu_.stream_destroy, "cuStreamDestroy_v2");
    take(cu_.stream_wait, "cuStreamWaitEvent");
    take(cu_.begin, "cuStreamBeginCapture_v2");
    take(cu_.end, "cuStreamEndCapture");
    take(cu_.set_context, "cuCtxSetCurrent");
    EXPECT_EQ(missing_, "");
  }

  // What a task has made; it goes when nothing captures any more.
  struct Made {
    const DriverCalls& cu;
    std::vector<void*> events, streams;
    void* event() {
      EXPECT_EQ(cu.event_create(&events.emplace_back(), 2), 0);  // without time
      return events.back();
    }
    void* stream(bool blocking = false) {
      EXPECT_EQ(cu.stream_create(&streams.emplace_back(), blocking ? 0 : 1, 0), 0);
      return streams.back();
    }
    // A stream that has joined the capture of another.
    void* forked(void* from, bool blocking = false) {
      void* const made = stream(blocking);
      void* const at = event();
      EXPECT_EQ(cu.event_record(at, from), 0);
      EXPECT_EQ(cu.stream_wait(made, at, 0), 0);
      return made;
    }
    ~Made() {
      for (void* each : events) EXPECT_EQ(cu.event_destroy(each), 0);
      for (void* each : streams) EXPECT_EQ(cu.stream_destroy(each), 0);
    }
  };
  // What is called while `stream` captures, and returns the code of the call that it is about.
  using Provocation = std::function<int(Made& made, void* stream, unsigned long long address)>;

  // `alone`: nothing is beside the task, so that its stream is the one in which the capture began.
  void expect(int code, const char* task, const Provocation& provoke, bool alone = false) {
    if (!on_cuda()) return;
    for (const bool tells : {false, true}) {
      for (const bool falls_back : {false, true}) {
        SCOPED_TRACE(std::to_string(code) + (tells ? ", told" : ", not told") + (falls_back ? ", falls back" : ""));
        const Tensor a = ones(100, 3), bytes = up(full(RONDO_U8, {256}, 1));
        must(rondo_tensor_wait(bytes));
        Tensor left, right;
        Made made{cu_, {}, {}};
        int seen = -1;
        const auto body = [&](rondo_task_context* context) {
          void* address = nullptr;
          if (rondo_task_operand(context, 0, &address, nullptr) != RONDO_OK) return RONDO_USER_ERROR;
          const auto at = reinterpret_cast<unsigned long long>(address);
          void* const stream = rondo_task_stream(context);
          if (!rondo_task_is_capturing(context))
            return table_->memset8(at, 7, 256, stream) == 0 ? RONDO_OK : RONDO_DEVICE_ERROR;
          seen = provoke(made, stream, at);
          if (!tells || seen == 0) return RONDO_OK;
          rondo_task_fail(context, "the driver refused");
          return RONDO_DEVICE_ERROR;
        };
        const rondo_task_options with = task_options(task, device());
        rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
        options.flags = falls_back ? RONDO_RECORD_FALL_BACK : 0;
        must(rondo_record_begin(engine(), &options));
        if (!alone) left = reduce(RONDO_SUM, a, {});  // a branch of its own
        must(push_tensors(engine(), body, {}, {bytes}, &with));
        right = make(rondo_binary_scalar, RONDO_ADD, bytes, 1.0);
        if (alone) left = make(rondo_binary_scalar, RONDO_ADD, make(rondo_cast, right, RONDO_F32), 292.0);
        rondo_graph* ended = nullptr;
        const rondo_status status = rondo_record_end(engine(), &ended);
        const std::string message = rondo_last_error();
        const Graph graph(ended);
        EXPECT_EQ(seen, code);
        if (falls_back) {
          EXPECT_EQ(status, RONDO_OK) << message;
          expect_runs_as_tasks(graph.get(), left, right);
        } else {
          EXPECT_EQ(status, RONDO_DEVICE_ERROR) << message;
          EXPECT_EQ(graph, nullptr);
          EXPECT_TRUE(has_word(message, code ? task : "904")) << message;
          EXPECT_NE(rondo_tensor_wait(left), RONDO_OK) << "what was made in it has the error";
        }
        expect_goes_on();
      }
    }
  }

 private:
  void expect_runs_as_tasks(rondo_graph* graph, rondo_tensor* left, rondo_tensor* right) const {
    if (!graph) return;
    const std::string report = graph_report(graph);
    EXPECT_EQ(graph_info(graph).captured, 0) << report;
    EXPECT_EQ(graph_info(graph).nodes, 0) << report;
    EXPECT_NE(report.find("; not captured: "), std::string::npos) << report;
    for (int i = 0; i < 3; ++i) must(rondo_graph_launch(graph));
    EXPECT_EQ(first(left), 300);
    EXPECT_EQ(first(right), 8);
  }
  // Eagerly, as a graph, and in another thread.
  void expect_goes_on() const {
    const auto works = [this] {
      try {
        const Tensor a = ones(100, 2);
        EXPECT_EQ(first(make(rondo_unary, RONDO_NEG, a)), -2);
        Tensor out;
        const Graph graph = record(engine(), [&] { out = make(rondo_unary, RONDO_SQUARE, a); });
        expect_captured(graph.get());
        must(rondo_graph_launch(graph.get()));
        EXPECT_EQ(first(out), 4);
      } catch (const std::exception& problem) {
        ADD_FAILURE() << problem.what();
      }
    };
    works();
    std::thread(works).join();
  }

 protected:
  std::string missing_;
  const Driver* table_ = nullptr;
  DriverCalls cu_ = {};
};
CONFORMANCE_ENGINE_SUITE(CaptureCodes);

TEST_P(CaptureCodes, Code900OfACallThatIsForbidden) {
  expect(900, "waits", [this](Made&, void* stream, auto) { return table_->synchronize(stream); });
}

TEST_P(CaptureCodes, Code901OfACallBehindIt) {
  expect(901, "goes_on", [this](Made&, void* stream, auto address) {
    EXPECT_EQ(table_->synchronize(stream), 900);
    return table_->memset8(address, 7, 256, stream);
  });
}

TEST_P(CaptureCodes, Code902OfTwoCapturesThatMeet) {
  expect(902, "merges", [this](Made& made, void* stream, auto) {
    void* const other = made.stream();
    void* const at = made.event();
    void* graph = nullptr;
    EXPECT_EQ(cu_.begin(other, 1), 0);  // of this thread alone
    EXPECT_EQ(cu_.event_record(at, other), 0);
    const int code = cu_.stream_wait(stream, at, 0);
    EXPECT_EQ(cu_.end(other, &graph), 901);
    return code;
  });
}

TEST_P(CaptureCodes, Code903OfAnotherStreamThatEndsIt) {
  expect(903, "ends_elsewhere", [this](Made& made, void* stream, auto) {
    void* graph = nullptr;
    return cu_.end(made.forked(stream), &graph);
  });
}

// Only the end of the capture tells: no call of the task's fails.
TEST_P(CaptureCodes, Code904OfAStreamThatIsNotJoined) {
  expect(0, "does_not_join", [this](Made& made, void* stream, auto address) {
    return table_->memset8(address, 7, 256, made.forked(stream));
  });
}

TEST_P(CaptureCodes, Code905OfAWaitForWhatIsNotCaptured) {
  expect(905, "waits_outside", [this](Made& made, void* stream, auto) {
    void* const at = made.event();
    EXPECT_EQ(cu_.event_record(at, made.stream()), 0);
    return cu_.stream_wait(stream, at, 0);
  });
}

TEST_P(CaptureCodes, Code906OfTheLegacyStream) {
  expect(906, "blocks", [this](Made& made, void* stream, auto address) {
    made.forked(stream, true);
    return table_->memset8(address, 7, 256, nullptr);
  });
}

TEST_P(CaptureCodes, Code907OfACapturedEventThatIsAsked) {
  expect(907, "asks", [this](Made& made, void* stream, auto) {
    void* const at = made.event();
    EXPECT_EQ(cu_.event_record(at, stream), 0);
    return cu_.event_query(at);
  });
}

TEST_P(CaptureCodes, Code908OfAnotherThreadThatEndsIt) {
  expect(
      908, "ends_in_a_thread",
      [this](Made&, void* stream, auto) {
        void* context = nullptr;
        EXPECT_EQ(table_->current_context(&context), 0);
        int code = -1;
        std::thread([&] {
          void* graph = nullptr;
          EXPECT_EQ(cu_.set_context(context), 0);
          code = cu_.end(stream, &graph);
        }).join();
        return code;
      },
      true);
}

// What launches are given, and the numbers that they draw, are the same in a segment that has fallen back.
TEST_P(CaptureCodes, FallenBackSegmentsTakeSettings) {
  const int64_t size = 100;
  const Tensor bytes = up(full(RONDO_U8, {256}, 1));
  const rondo_task_options with = task_options("breaks", device());
  const auto outcome = [&](bool breaks) {
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = RONDO_RECORD_CALLABLE | RONDO_RECORD_FALL_BACK;
    const auto fills = [this, breaks](rondo_task_context* context) {
      if (!on_cuda()) return RONDO_OK;
      if (breaks && rondo_task_is_capturing(context)) return RONDO_USER_ERROR;
      void* address = nullptr;
      if (rondo_task_operand(context, 0, &address, nullptr) != RONDO_OK) return RONDO_USER_ERROR;
      const auto at = reinterpret_cast<unsigned long long>(address);
      return table_->memset8(at, 7, 256, rondo_task_stream(context)) == 0 ? RONDO_OK : RONDO_DEVICE_ERROR;
    };
    const Graph graph = record(
        engine(),
        [&] {
          const Tensor x = make(rondo_record_input, engine(), device(), RONDO_F32, 1, &size);
          const Tensor two = make(rondo_record_parameter, engine(), "two", device(), RONDO_F32, 2.0);
          const Tensor noise = make(rondo_random_uniform, engine(), device(), RONDO_F32, 1, &size, 0.0, 1.0);
          must(push_tensors(engine(), fills, {}, {bytes}, &with));
          Tensor y = make(rondo_binary, RONDO_ADD, make(rondo_binary, RONDO_MUL, x, two), noise);
          must(rondo_record_section_begin(engine(), "more", 1));
          into(y, rondo_binary_scalar, RONDO_ADD, y, 1.0);
          must(rondo_record_section_end(engine()));
          must(rondo_record_output(engine(), y));
        },
        &options);
    const rondo_graph_info info = graph_info(graph.get());
    EXPECT_EQ(info.captured, on_cuda() && !breaks ? 1 : 0) << graph_report(graph.get());
    if (breaks) {
      EXPECT_EQ(info.call_kernels, 0);
    }
    must(rondo_engine_seed(engine(), 11));
    std::vector<Array> answers;
    for (int i = 0; i < 6; ++i) {
      must(rondo_graph_set(graph.get(), "two", i / 2 + 0.5));
      must(rondo_graph_enable(graph.get(), "more", i % 3 != 0));
      const Tensor x = ones(size, i);
      rondo_tensor *in = x, *out = nullptr;
      must(rondo_graph_call(graph.get(), 1, &in, 1, &out));
      answers.push_back(download(Tensor(out)));
      answers.push_back(download(make(rondo_random_uniform, engine(), device(), RONDO_F32, 1, &size, 0.0, 1.0)));
    }
    return answers;
  };
  const std::vector<Array> captured = outcome(false), fallen_back = outcome(true);
  for (size_t i = 0; i < captured.size(); ++i)
    expect_same_bits(fallen_back[i], captured[i], "answer " + std::to_string(i));
}

}  // namespace
}  // namespace conformance
