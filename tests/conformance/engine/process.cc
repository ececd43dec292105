// What concerns the whole process: fork, traces, the log, versions, features, devices.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "harness.h"

namespace conformance {
namespace {

using namespace std::chrono_literals;

// A path for a test's file; removed at the end.
class File {
 public:
  File() {
    char name[] = "/tmp/rondo-test-XXXXXX";
    const int handle = mkstemp(name);
    if (handle < 0) throw std::runtime_error("mkstemp");
    close(handle);
    path_ = name;
  }
  ~File() { std::remove(path_.c_str()); }
  const char* path() const { return path_.c_str(); }

 private:
  std::string path_;
};

class Process : public OnEngine {};
CONFORMANCE_ENGINE_SUITE(Process);

// In the child every call says RONDO_FORKED and destroying does nothing; the parent notices nothing.
TEST_P(Process, Fork) {
  const Array x = full(RONDO_F32, {100}, 3);
  Tensor a = up(x), out;
  rondo_variable* v = nullptr;
  must(rondo_variable_create(engine(), &v));
  Tensor recorded;
  Graph graph = record(engine(), [&] { recorded = make(rondo_unary, RONDO_NEG, a); });
  rondo_engine_options other_options = options();
  rondo_engine* other = nullptr;
  must(rondo_engine_create(&other_options, &other));
  must(rondo_tensor_wait(a));
  must(rondo_record_begin(other, nullptr));  // open in both processes
  const int64_t three = 3;
  Tensor inside = make(rondo_tensor_create, other, device(), RONDO_F32, 1, &three);
  must(rondo_fill(inside, 1));

  fflush(nullptr);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);  // a call that blocks here would block for ever
    float data[100];
    uint64_t version;
    size_t length;
    rondo_memory_info memory = RONDO_MEMORY_INFO_INIT;
    rondo_tensor* made = nullptr;
    rondo_engine_mode mode;
    rondo_variable* its = nullptr;
    DLManagedTensorVersioned* managed = nullptr;
    DLManagedTensor* managed0 = nullptr;
    void* const stream = on_cuda() ? reinterpret_cast<void*>(2) : nullptr;  // CU_STREAM_PER_THREAD
    rondo_graph* ended = nullptr;
    const int64_t size = 4;
    const std::function<rondo_status()> calls[] = {
        [&] { return rondo_engine_wait_all(engine()); },
        [&] { return rondo_engine_seed(engine(), 1); },
        [&] { return rondo_tensor_wait(a); },
        [&] { return rondo_tensor_accept(a); },
        [&] { return rondo_tensor_read(a, data, sizeof data); },
        [&] { return rondo_tensor_write(a, data, sizeof data); },
        [&] { return rondo_unary(RONDO_NEG, a, &made); },
        [&] { return rondo_tensor_create(engine(), device(), RONDO_F32, 1, &size, &made); },
        [&] { return rondo_fill(a, 1); },
        [&] { return rondo_variable_wait(v); },
        [&] { return rondo_variable_version(v, &version); },
        [&] {
          return rondo_engine_push(
              engine(), [](void*, rondo_task_context*) { return RONDO_OK; }, nullptr, nullptr, &v, 1, nullptr, 0,
              nullptr);
        },
        [&] { return rondo_record_begin(engine(), nullptr); },
        [&] { return rondo_graph_launch(graph.get()); },
        [&] { return rondo_graph_report(graph.get(), nullptr, 0, &length); },
        [&] { return rondo_memory_query(engine(), device(), &memory); },
        [&] { return rondo_memory_trim(engine(), device()); },
        [&] { return rondo_trace_begin(engine()); },
        [&] { return rondo_engine_get_mode(engine(), &mode); },
        [&] { return rondo_tensor_variable(a, &its); },
        [&] { return rondo_tensor_to_dlpack(a, stream, &managed); },
        [&] { return rondo_tensor_to_dlpack_v0(a, stream, &managed0); },
        [&] { return rondo_record_end(engine(), &ended); },
        [&] { return rondo_record_abort(engine()); },
        [&] { return rondo_record_abort(other); },
    };
    int index = 1;
    for (const auto& call : calls) {
      if (call() != RONDO_FORKED) _exit(index);
      if (std::string(rondo_last_error()).find("fork") == std::string::npos) _exit(100 + index);
      ++index;
    }
    // The parent's recording is not in the way of the child's own.
    rondo_engine* mine = nullptr;
    if (rondo_engine_create(&other_options, &mine) != RONDO_OK) _exit(90);
    if (rondo_record_begin(mine, nullptr) != RONDO_OK || rondo_record_abort(mine) != RONDO_OK) _exit(91);
    rondo_tensor_destroy(a);
    rondo_tensor_destroy(inside);
    rondo_variable_destroy(v);
    rondo_graph_destroy(graph.get());
    rondo_engine_destroy(engine());
    rondo_engine_destroy(other);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "the child died of signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0) << "index of the call that did not return RONDO_FORKED (100 more: its message)";
  rondo_graph* in_parent = nullptr;
  must(rondo_record_end(other, &in_parent));
  must(rondo_graph_launch(in_parent));
  EXPECT_EQ(download(inside)[2], 1);
  rondo_graph_destroy(in_parent);
  inside.reset();
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(download(recorded)[0], -3);
  rondo_variable_destroy(v);
  rondo_engine_destroy(other);
}

// A child may make its own engine on the cpu.
TEST_P(Process, EngineInTheChild) {
  if (on_cuda()) GTEST_SKIP() << "the driver does not survive fork";
  if (thread_checked()) GTEST_SKIP() << "the thread sanitizer refuses new threads in a child";
  must(rondo_tensor_wait(up(full(RONDO_F32, {10}, 1))));
  fflush(nullptr);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    try {
      const rondo_engine_options with = options();
      rondo_engine* mine = nullptr;
      must(rondo_engine_create(&with, &mine));
      {
        const Tensor a = upload(mine, kCpu, full(RONDO_F32, {1000}, 2));
        if (download(reduce(RONDO_SUM, make(rondo_unary, RONDO_SQUARE, a), {}))[0] != 4000) _exit(2);
      }
      rondo_engine_destroy(mine);
    } catch (const std::exception& problem) {
      std::fprintf(stderr, "%s\n", problem.what());
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

// Where the system starts no thread, work fails with a status.
TEST_P(Process, NoThreadsToBeHad) {
  if (on_cuda()) GTEST_SKIP() << "the driver does not survive fork";
  if (thread_checked()) GTEST_SKIP() << "the thread sanitizer has a thread of its own";
  fflush(nullptr);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    const rlimit none = {0, 0};
    if ((geteuid() == 0 && setuid(65534) != 0) || setrlimit(RLIMIT_NPROC, &none) != 0) _exit(3);
    const rondo_engine_options with = options();
    rondo_engine* mine = nullptr;
    rondo_variable* done = nullptr;
    if (rondo_engine_create(&with, &mine) != RONDO_OK || rondo_variable_create(mine, &done) != RONDO_OK) _exit(4);
    rondo_status status = push(mine, [](rondo_task_context*) { return RONDO_OK; }, {}, {done});
    if (status == RONDO_OK) status = rondo_variable_wait(done);
    if (status != RONDO_OUT_OF_MEMORY || std::strstr(rondo_last_error(), "thread") == nullptr) _exit(5);
    rondo_variable_destroy(done);
    rondo_engine_destroy(mine);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

// What a call on a thread gives that somebody wants to cancel from before it on.
rondo_status cancelled(const std::function<rondo_status()>& call) {
  struct Part {
    const std::function<rondo_status()>& call;
    rondo_status status = RONDO_INTERNAL;
    bool beyond = false;
  } part{call};
  const auto body = [](void* argument) -> void* {
    Part& mine = *static_cast<Part*>(argument);
    pthread_cancel(pthread_self());
    mine.status = mine.call();
    pthread_testcancel();
    mine.beyond = true;
    return nullptr;
  };
  pthread_t thread;
  if (pthread_create(&thread, nullptr, body, &part) != 0) throw std::runtime_error("pthread_create");
  void* result = nullptr;
  pthread_join(thread, &result);
  EXPECT_EQ(result, PTHREAD_CANCELED) << "the request is kept until the call is over";
  EXPECT_FALSE(part.beyond);
  return part.status;
}

// In the middle of a call it would leave locks behind, and end the process where no exception may pass.
TEST_P(Process, CancelledThreadsFinishTheirCall) {
  const Variable v(engine());
  const Tensor a = up(full(RONDO_F32, {100}, 3));
  const auto slow = [](rondo_task_context*) {
    std::this_thread::sleep_for(20ms);
    return RONDO_OK;
  };
  float data[100];
  Tensor b;
  const File file;
  const char* const name = "a";
  rondo_tensor* const tensor = a;
  const std::function<rondo_status()> calls[] = {
      [&] { return push(engine(), slow, {}, {v}); },
      [&] { return rondo_variable_wait(v); },
      [&] { return push(engine(), slow, {v}, {}); },
      [&] { return rondo_engine_wait_all(engine()); },
      [&] {
        b = make(rondo_unary, RONDO_EXP, a);
        return rondo_tensor_read(b, data, sizeof data);
      },
      [&] { return rondo_trace_begin(engine()); },
      [&] { return rondo_trace_end(engine(), file.path()); },
      [&] { return rondo_model_file_write(file.path(), &name, &tensor, 1, nullptr, nullptr, 0); },
      [&] {
        const rondo_engine_options chosen = options();
        rondo_engine* other = nullptr;
        const rondo_status made = rondo_engine_create(&chosen, &other);
        if (made == RONDO_OK) must(push(other, slow, {}, {}));
        rondo_engine_destroy(other);
        return made;
      },
  };
  for (const auto& call : calls)
    EXPECT_EQ(cancelled(call), RONDO_OK) << "call " << &call - calls << ": " << rondo_last_error();
  EXPECT_FLOAT_EQ(data[7], std::exp(3.0f));
}

// Leaving the process with an engine alive and work in flight, or destroying it from a static destructor, is quiet.
TEST_P(Process, ExitWithoutDestroying) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the child starts anew instead of forking threads away
  EXPECT_EXIT(
      {
        Tensor a = up(full(RONDO_F32, {1000}, 1));
        for (int i = 0; i < 20; ++i) into(a, rondo_binary_scalar, RONDO_ADD, a, 1.0);
        a.release();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_P(Process, EngineInAStaticObject) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static Engine held = create_engine(options());
        static Tensor a = upload(held.get(), device(), full(RONDO_F32, {1000}, 1));
        static Tensor b = make(rondo_unary, RONDO_NEG, a);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_P(Process, TraceHoldsTheTasks) {
  const File file;
  const Tensor a = up(full(RONDO_F32, {1000}, 1));
  const Variable v(engine());
  must(rondo_trace_begin(engine()));
  const Tensor b = make(rondo_binary, RONDO_ADD, a, a);
  const rondo_task_options with = task_options("my \"quoted\"\ntask");
  must(push(
      engine(),
      [](rondo_task_context*) {
        std::this_thread::sleep_for(5ms);
        return RONDO_OK;
      },
      {variable_of(b)}, {v}, &with));
  must(rondo_trace_end(engine(), file.path()));
  std::ifstream stream(file.path());
  const nlohmann::json trace = nlohmann::json::parse(stream, nullptr, false);
  ASSERT_FALSE(trace.is_discarded()) << "the trace is not JSON";
  const nlohmann::json& events = trace.is_array() ? trace : trace.at("traceEvents");
  bool task = false, op = false;
  for (const nlohmann::json& event : events) {
    ASSERT_TRUE(event.contains("ph") && event.contains("pid"));
    if (event["ph"] != "X") continue;
    const std::string name = event.at("name");
    EXPECT_GE(event.at("ts").get<double>(), 0);
    EXPECT_GE(event.at("dur").get<double>(), 0);
    if (name == with.name) {
      task = true;
      EXPECT_GE(event.at("dur").get<double>(), 4000) << "microseconds of a 5 ms task";
    }
    op = op || name.find("add") != std::string::npos;
  }
  EXPECT_TRUE(task) << trace.dump().substr(0, 2000);
  EXPECT_TRUE(op) << trace.dump().substr(0, 2000);
}

// A file that may not grow as far as it would have to is a status, not the signal that ends a process by default.
TEST_P(Process, AFileBeyondTheLimitOfItsSizeIsAStatus) {
  const Tensor a = up(full(RONDO_F32, {100}, 3));
  Tensor out;
  const Graph graph = record(engine(), [&] { out = make(rondo_unary, RONDO_NEG, a); });
  must(rondo_trace_begin(engine()));
  must(rondo_graph_launch(graph.get()));
  must(rondo_engine_wait_all(engine()));
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const File file;
  const std::function<rondo_status()> calls[] = {
      [&] { return rondo_graph_dot(graph.get(), file.path()); },
      [&] { return rondo_graph_profile(graph.get(), file.path()); },
      [&] { return rondo_trace_end(engine(), file.path()); },
  };
  for (const auto& call : calls) {
    const rlimit small = {64, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const rondo_status status = call();
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(status, RONDO_IO_ERROR);
    EXPECT_NE(std::string(rondo_last_error()).find("File too large"), std::string::npos) << rondo_last_error();
  }
}

TEST_P(Process, TraceStates) {
  EXPECT_EQ(rondo_trace_end(engine(), nullptr), RONDO_INVALID_STATE) << "none is on";
  must(rondo_trace_begin(engine()));
  EXPECT_EQ(rondo_trace_begin(engine()), RONDO_INVALID_STATE) << "one is on";
  (void)download(make(rondo_unary, RONDO_NEG, up(full(RONDO_F32, {10}, 1))));
  must(rondo_trace_end(engine(), nullptr));
  must(rondo_trace_begin(engine()));
  EXPECT_EQ(rondo_trace_end(engine(), "/dev/null/nonexistent/folder/trace.json"), RONDO_IO_ERROR);
  EXPECT_NE(std::string(rondo_last_error()).find("/dev/null/nonexistent/folder/trace.json"), std::string::npos)
      << rondo_last_error();
  must(rondo_trace_begin(engine()));  // and left on: destroying the engine drops it
}

// Ending a trace, by whichever thread, takes nothing from under the tasks that others submit meanwhile.
TEST_P(Process, TraceEndsWhileOthersWork) {
  std::atomic<bool> stop{false};
  std::atomic<int> failed{0};
  std::vector<std::thread> workers;
  for (int t = 0; t < 2; ++t) {
    workers.emplace_back([&] {
      while (!stop) {
        const Tensor a = up(full(RONDO_F32, {100}, 1));
        rondo_tensor* slot = nullptr;
        failed += rondo_unary(RONDO_NEG, a, &slot) != RONDO_OK;
        const Tensor b(slot);
        failed += push(engine(),
                       [](rondo_task_context*) {
                         std::this_thread::sleep_for(1ms);
                         return RONDO_OK;
                       },
                       {variable_of(b)}, {}) != RONDO_OK;
        failed += rondo_variable_wait(variable_of(b)) != RONDO_OK;
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    must(rondo_trace_begin(engine()));
    std::this_thread::sleep_for(2ms);
    must(rondo_trace_end(engine(), nullptr));
  }
  stop = true;
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(failed, 0);
}

// A task that asks for a trace, or for its end, is answered, also while another thread is ending it.
TEST_P(Process, TraceInsideATask) {
  std::atomic<rondo_status> begun{RONDO_OK}, ended{RONDO_OK};
  must(rondo_trace_begin(engine()));
  must(push(engine(),
            [&](rondo_task_context*) {
              std::this_thread::sleep_for(20ms);
              begun = rondo_trace_begin(engine());
              ended = rondo_trace_end(engine(), nullptr);
              return RONDO_OK;
            },
            {}, {}));
  must(rondo_trace_end(engine(), nullptr));
  EXPECT_EQ(begun, RONDO_INVALID_STATE) << "one is on";
  EXPECT_EQ(ended, RONDO_INVALID_STATE) << "inside a task";
}

TEST_P(Process, TraceOfAGraph) {
  const File file;
  const Tensor a = up(full(RONDO_F32, {1000}, 1));
  Tensor out;
  rondo_record_options named = RONDO_RECORD_OPTIONS_INIT;
  named.name = "my_graph";
  const Graph graph = record(
      engine(), [&] { out = make(rondo_unary, RONDO_NEG, a); }, &named);
  must(rondo_trace_begin(engine()));
  must(rondo_graph_launch(graph.get()));
  must(rondo_trace_end(engine(), file.path()));
  std::ifstream stream(file.path());
  const std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  EXPECT_TRUE(nlohmann::json::accept(text));
  EXPECT_NE(text.find("my_graph"), std::string::npos) << text.substr(0, 2000);
}

struct Log {
  std::mutex mutex;
  std::vector<std::pair<rondo_log_level, std::string>> messages;
  std::atomic<int> destroyed{0};

  static void receive(void* arg, rondo_log_level level, const char* message) {
    Log* into = static_cast<Log*>(arg);
    const std::lock_guard lock(into->mutex);
    into->messages.emplace_back(level, message);
  }
  static void drop(void* arg) { ++static_cast<Log*>(arg)->destroyed; }
};

TEST_P(Process, LogCallback) {
  Log log;
  must(rondo_set_log(Log::receive, &log, Log::drop, RONDO_LOG_WARNING));
  {
    // Objects alive at the end of an engine are logged as a warning.
    Engine other = create_engine(options());
    const Tensor left = upload(other.get(), device(), full(RONDO_F32, {4}, 1));
    other.reset();
  }
  EXPECT_EQ(log.destroyed, 0);
  must(rondo_set_log(nullptr, nullptr, nullptr, RONDO_LOG_OFF));
  EXPECT_EQ(log.destroyed, 1);
  const size_t before = log.messages.size();
  bool warned = false;
  for (const auto& [level, message] : log.messages) {
    EXPECT_LE(level, RONDO_LOG_WARNING);
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    warned = warned || (level == RONDO_LOG_WARNING && message.find("alive") != std::string::npos);
  }
  EXPECT_TRUE(warned) << "no warning about an object that is still alive";
  {
    Engine other = create_engine(options());
    const Tensor left = upload(other.get(), device(), full(RONDO_F32, {4}, 1));
    other.reset();
  }
  EXPECT_EQ(log.messages.size(), before) << "a replaced callback is not called";
}

// What is passed to a call that fails is destroyed like what is passed to one that does not, and nothing changes.
TEST_P(Process, LogRefused) {
  Log log, refused;
  must(rondo_set_log(Log::receive, &log, Log::drop, RONDO_LOG_WARNING));
  expect_refused(rondo_set_log(Log::receive, &refused, Log::drop, static_cast<rondo_log_level>(99)),
                 RONDO_INVALID_ARGUMENT, "rondo_set_log", "level");
  EXPECT_EQ(refused.destroyed, 1);
  EXPECT_EQ(log.destroyed, 0);
  expect_refused(rondo_set_log(nullptr, nullptr, nullptr, static_cast<rondo_log_level>(-1)), RONDO_INVALID_ARGUMENT,
                 "rondo_set_log", "level");
  {
    Engine other = create_engine(options());
    const Tensor left = upload(other.get(), device(), full(RONDO_F32, {4}, 1));
    other.reset();
  }
  EXPECT_FALSE(log.messages.empty()) << "the log from before is still on";
  must(rondo_set_log(nullptr, nullptr, nullptr, RONDO_LOG_OFF));
  EXPECT_EQ(refused.destroyed, 1);
}

TEST_P(Process, VersionAndFeatures) {
  EXPECT_EQ(rondo_version(), RONDO_VERSION_MAJOR * 10000 + RONDO_VERSION_MINOR * 100 + RONDO_VERSION_PATCH);
  const std::string version = std::to_string(RONDO_VERSION_MAJOR) + "." + std::to_string(RONDO_VERSION_MINOR) + "." +
                              std::to_string(RONDO_VERSION_PATCH);
  EXPECT_EQ(std::string(rondo_version_string()).rfind(version, 0), 0u) << rondo_version_string();
  for (const char* name : {"cuda", "nvrtc", "cublaslt", "cudnn", "nccl", "blas", "onednn", "graphs", "memory_pools",
                           "conditional_nodes", "programmatic_launch"}) {
    int32_t available = -1;
    const char* reason = nullptr;
    must(rondo_feature(name, &available, &reason));
    EXPECT_TRUE(available == 0 || available == 1) << name;
    ASSERT_NE(reason, nullptr) << name;
    EXPECT_GT(std::string(reason).size(), 10u) << name << ": " << reason;
    must(rondo_feature(name, &available, nullptr));
    if (std::string(name) == "cuda") {
      EXPECT_EQ(available, cuda_devices() > 0);
    }
  }
}

TEST_P(Process, Devices) {
  int32_t count = 0;
  must(rondo_device_count(RONDO_CPU, &count));
  EXPECT_EQ(count, 1);
  rondo_device_info info = RONDO_DEVICE_INFO_INIT;
  must(rondo_device_query(device(), &info));
  EXPECT_NE(info.name[0], '\0');
  EXPECT_GT(info.total_memory, 0);
  EXPECT_GT(info.free_memory, 0);
  EXPECT_LE(info.free_memory, info.total_memory);
  EXPECT_GT(info.processors, 0);
  EXPECT_EQ(info.capability > 0, on_cuda());
  EXPECT_EQ(info.driver > 0, on_cuda());
  EXPECT_EQ(rondo_device_query({RONDO_CUDA, 1000}, &info), no_such_cuda_device());
  EXPECT_EQ(rondo_device_query({RONDO_CPU, 1}, &info), RONDO_NOT_FOUND);
  EXPECT_EQ(rondo_device_query({RONDO_CPU, -1}, &info), RONDO_NOT_FOUND);
}

TEST_P(Process, DeviceNames) {
  const struct {
    const char* text;
    rondo_device device;
  } good[] = {{"cpu", {RONDO_CPU, 0}},
              {"cpu:0", {RONDO_CPU, 0}},
              {"cuda", {RONDO_CUDA, 0}},
              {"cuda:1", {RONDO_CUDA, 1}},
              {"cuda:63", {RONDO_CUDA, 63}}};
  for (const auto& [text, expected] : good) {
    rondo_device parsed = {9, 9};
    must(rondo_device_parse(text, &parsed));
    EXPECT_EQ(parsed.kind, expected.kind) << text;
    EXPECT_EQ(parsed.index, expected.index) << text;
  }
  for (const char* text :
       {"", "gpu", "cuda:", "cuda:-1", "cuda:1x", " cpu", "cpu ", "CUDA:0", "cuda:99999999999", "cuda: 1", "cuda:+1"}) {
    rondo_device parsed = {9, 9};
    expect_refused(rondo_device_parse(text, &parsed), RONDO_INVALID_ARGUMENT, "rondo_device_parse", "text");
    EXPECT_EQ(parsed.kind, 9) << "'" << text << "' touched the result";
  }
  char buffer[16];
  must(rondo_device_format({RONDO_CUDA, 12}, buffer, sizeof buffer));
  EXPECT_STREQ(buffer, "cuda:12");
  must(rondo_device_format({RONDO_CPU, 0}, buffer, 6));
  EXPECT_EQ(std::string(buffer).rfind("cpu", 0), 0u) << buffer;
  expect_refused(rondo_device_format({RONDO_CUDA, 0}, buffer, 6), RONDO_INVALID_ARGUMENT, "rondo_device_format",
                 "capacity");
  must(rondo_device_format({RONDO_CUDA, INT32_MAX}, buffer, sizeof buffer));
  EXPECT_STREQ(buffer, "cuda:2147483647") << "16 bytes are always enough";
  for (const int32_t index : {-1, INT32_MIN})
    expect_refused(rondo_device_format({RONDO_CUDA, index}, buffer, sizeof buffer), RONDO_INVALID_ARGUMENT,
                   "rondo_device_format", "index");
}

}  // namespace
}  // namespace conformance
