// What the timeline and the DOT picture tell of tasks: one style of names, dtypes and shapes, threads and streams, and
// the operators inside a graph. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "flow.h"
#include "graphs/recording.h"

namespace conformance {
namespace {

using nlohmann::json;

class Pictures : public OnRecording {
 protected:
  json trace_of(const std::function<void()>& body) const {
    must(rondo_trace_begin(engine()));
    body();
    const std::string text = written([&](const char* path) { return rondo_trace_end(engine(), path); });
    return json::parse(text).at("traceEvents");
  }
  // The spans of a name in a category ("host", "issue", "device").
  static std::vector<json> spans(const json& events, const std::string& name, const std::string& category) {
    std::vector<json> found;
    for (const json& event : events)
      if (event.at("ph") == "X" && event.at("name") == name && event.at("cat") == category) found.push_back(event);
    return found;
  }
  // The name given to a thread or stream.
  static std::string row(const json& events, const json& span) {
    for (const json& event : events)
      if (event.at("ph") == "M" && event.at("name") == "thread_name" && event.at("pid") == span.at("pid") &&
          event.at("tid") == span.at("tid"))
        return event.at("args").at("name");
    return "";
  }
  std::string dot_of(const std::function<void()>& body, const rondo_record_options* options = nullptr) const {
    const Graph graph = record(engine(), body, options);
    return written([&](const char* path) { return rondo_graph_dot(graph.get(), path); });
  }
  static testing::AssertionResult has(const std::string& dot, const std::string& piece) {
    if (dot.find(piece) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "no " << piece << " in:\n" << dot;
  }
};
CONFORMANCE_ENGINE_SUITE(Pictures);

TEST_P(Pictures, TraceHasShapesThreadsAndStreams) {
  const Tensor a = up(full(RONDO_F32, {6, 4}, 1)), b = up(full(RONDO_F32, {4}, 1)), half = slice(a, 0, 0, 3);
  const Variable v(engine());
  const json events = trace_of([&] {
    (void)make(rondo_binary, RONDO_ADD, half, b);
    const rondo_task_options with = task_options("host_part");
    must(push_tensors(
        engine(), [](rondo_task_context*) { return RONDO_OK; }, {b}, {a}, &with));
  });
  const std::vector<json> adds = spans(events, "add", on_cuda() ? "device" : "host");
  ASSERT_EQ(adds.size(), 1u) << events.dump(1);
  EXPECT_EQ(adds[0].at("args").at("operands"), "f32 [3, 4], f32 [4] -> f32 [3, 4]");
  const std::vector<json> parts = spans(events, "host_part", "host");
  ASSERT_EQ(parts.size(), 1u) << events.dump(1);
  EXPECT_EQ(parts[0].at("args").at("operands"), "f32 [4] -> f32 [6, 4]");
  char own[32] = "";
  pthread_getname_np(pthread_self(), own, sizeof own);
  EXPECT_EQ(row(events, parts[0]), naive() ? own : "rondo-worker");
  if (!on_cuda()) return;
  EXPECT_EQ(row(events, adds[0]), "compute 0");
  const std::vector<json> issued = spans(events, "add", "issue");
  ASSERT_EQ(issued.size(), 1u) << events.dump(1);
  EXPECT_EQ(row(events, issued[0]), GetParam().mode == RONDO_ENGINE_THREADED ? "rondo-issue" : own);
}

// Each span says when its task was submitted, also that of a read, which the calling thread runs itself; not those of
// tasks that were submitted before the trace began.
TEST_P(Pictures, TraceSaysWhenTasksWereSubmitted) {
  const Tensor a = up(full(RONDO_F32, {6}, 1));
  const Variable v(engine());
  must(rondo_engine_wait_all(engine()));
  Gate gate;
  if (!naive()) {
    const rondo_task_options early = task_options("early");
    must(push(engine(), waiting(gate), {}, {v}));
    while (!gate.entered) std::this_thread::yield();
    must(push(
        engine(), [](rondo_task_context*) { return RONDO_OK; }, {}, {v}, &early));
  }
  const json events = trace_of([&] {
    gate.open = true;
    (void)download(make(rondo_unary, RONDO_NEG, a));
  });
  int seen = 0;
  for (const json& event : events) {
    if (event.at("ph") != "X") continue;
    const json& arguments = event.at("args");
    const bool earlier = event.at("name") == "early";
    EXPECT_EQ(arguments.contains("submitted_us"), !earlier) << event.dump();
    if (earlier) continue;
    ++seen;
    EXPECT_GE(arguments.at("submitted_us").get<double>(), 0) << event.dump();
    if (event.at("cat") != "device") {  // the device's clock may be off by a little
      EXPECT_LE(arguments.at("submitted_us").get<double>(), event.at("ts").get<double>()) << event.dump();
    }
  }
  EXPECT_GE(seen, 2) << "the operator and the read: " << events.dump(1);
  EXPECT_EQ(spans(events, "early", "host").size(), naive() ? 0U : 1U) << events.dump(1);
}

TEST_P(Pictures, TraceNamesEveryStream) {
  if (!on_cuda()) GTEST_SKIP() << "a cpu has no streams";
  const std::vector<char> data(size_t{2} << 20, 1);  // large enough for the copy streams
  const Tensor large = empty(RONDO_U8, {static_cast<int64_t>(data.size())});
  const json events = trace_of([&] {
    must(rondo_tensor_write(large, data.data(), data.size()));
    std::vector<char> back(data.size());
    must(rondo_tensor_read(large, back.data(), back.size()));
    rondo_task_options urgent = task_options("urgent", device());
    urgent.priority = 1;
    must(push(
        engine(), [](rondo_task_context*) { return RONDO_OK; }, {}, {variable_of(large)}, &urgent));
  });
  std::set<std::string> rows;
  for (const json& event : events)
    if (event.at("ph") == "X" && event.at("cat") == "device") rows.insert(row(events, event));
  EXPECT_EQ(rows, (std::set<std::string>{"copy in", "copy out", "high priority"})) << events.dump(1);
}

// What expectations of graphs are made of: tasks that follow each other, in one piece, and how many do not.
TEST(Flow, TasksAsFarFromTheBeginningMayRunSideBySide) {
  const std::vector<Piece> pieces = pieces_of(
      "digraph \"g\" {\n"
      "  subgraph cluster_0 {\n    label=\"segment 0 on cuda:0: CUDA graph\"; color=\"#8899aa\";\n"
      "    t0 [label=\"a\"];\n    t1 [label=\"b\"];\n    t2 [label=\"c\"];\n    t3 [label=\"d\"];\n  }\n"
      "  subgraph cluster_1 {\n    label=\"segment 1 on cpu:0: host tasks\"; color=\"#8899aa\";\n"
      "    t4 [label=\"e\"];\n    t5 [label=\"f\"];\n  }\n"
      "  i0 [shape=ellipse, label=\"input\"];\n  i0 -> t0;\n"
      "  t0 -> t1 [label=\"f32 [4]\"];\n  t0 -> t2 [label=\"f32 [4]\"];\n  t2 -> t3 [style=dashed];\n"
      "  t1 -> t4 [label=\"f32 [4]\"];\n  t4 -> t5 [label=\"f32 [4]\"];\n"
      "  o0 [shape=ellipse, label=\"output\\nf32 [3, 0]\"];\n  t3 -> o0;\n"
      "  o1 [shape=ellipse, label=\"output\\nf32 [10]\"];\n  t5 -> o1;\n}\n");
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_TRUE(pieces[0].captured);
  EXPECT_EQ(pieces[0].tasks, 4);
  EXPECT_EQ(pieces[0].abreast, 2);
  EXPECT_EQ(pieces[0].idle, 1) << "its result has no elements";
  EXPECT_FALSE(pieces[1].captured);
  EXPECT_EQ(pieces[1].tasks, 2);
  EXPECT_EQ(pieces[1].idle, 0);
  EXPECT_EQ(pieces[1].abreast, 1) << "one after the other";
}

// What a device span tells is when the device was at work, not when it was given the work: it is as long as that took,
// and spans of one stream stand one behind the other, as their tasks ran.
TEST_P(Pictures, TraceTimesTheDeviceNotTheLaunch) {
  if (!on_cuda()) GTEST_SKIP() << "a cpu has no streams";
  std::string missing;
  const Driver& table = driver(&missing);
  if (!table.launch_host) GTEST_SKIP() << missing;
  using Clock = std::chrono::steady_clock;
  static std::vector<double> worked;  // microseconds, by the device's own doing
  worked.clear();
  const auto slow = [&table](rondo_task_context* context) {
    const auto body = [](void*) {
      const auto begin = Clock::now();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      worked.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    };
    return table.launch_host(rondo_task_stream(context), body, nullptr) == 0 ? RONDO_OK : RONDO_DEVICE_ERROR;
  };
  const Tensor a = up(full(RONDO_F32, {1000}, 1));
  const rondo_task_options with = task_options("slow", device());
  const auto chain = [&] {
    into(a, rondo_binary_scalar, RONDO_ADD, a, 1.0);
    must(push(engine(), slow, {}, {variable_of(a)}, &with));
    into(a, rondo_binary_scalar, RONDO_MUL, a, 2.0);
  };
  rondo_record_options named = RONDO_RECORD_OPTIONS_INIT;
  named.name = "my_graph";
  const Graph graph = record(engine(), chain, &named);
  const json events = trace_of([&] {
    chain();
    must(rondo_graph_launch(graph.get()));
  });
  ASSERT_EQ(worked.size(), 2u) << "once by itself, once in the graph";
  std::vector<json> all;
  for (const char* name : {"add", "slow", "mul", "my_graph"}) {
    const std::vector<json> found = spans(events, name, "device");
    ASSERT_EQ(found.size(), 1u) << name << ": " << events.dump(1);
    EXPECT_GT(found[0].at("dur").get<double>(), 0) << name;
    all.push_back(found[0]);
  }
  constexpr double kClock = 1;  // a device's clock ticks in steps, and times are floats
  EXPECT_GE(all[1].at("dur").get<double>(), worked[0] - kClock) << events.dump(1);
  EXPECT_GE(all[3].at("dur").get<double>(), worked[1] - kClock) << events.dump(1);
  for (size_t i = 1; i < all.size(); ++i)
    EXPECT_GE(all[i].at("ts").get<double>(),
              all[i - 1].at("ts").get<double>() + all[i - 1].at("dur").get<double>() - kClock)
        << all[i].at("name") << " before " << all[i - 1].at("name") << " is done: " << events.dump(1);
}

// A graph on the cpu is one task to the engine; the timeline shows what it is made of, within it.
TEST_P(Pictures, TraceShowsTheOperatorsOfACpuGraph) {
  const Tensor a = upload(engine(), kCpu, full(RONDO_F32, {5, 3}, 1));
  Tensor out;
  rondo_record_options named = RONDO_RECORD_OPTIONS_INIT;
  named.name = "my_graph";
  const Graph graph = record(
      engine(), [&] { out = reduce(RONDO_MEAN, make(rondo_unary, RONDO_EXP, a), {1}); }, &named);
  const json events = trace_of([&] {
    for (int i = 0; i < 2; ++i) must(rondo_graph_launch(graph.get()));
  });
  const std::vector<json> launches = spans(events, "my_graph", "host"), exps = spans(events, "exp", "host"),
                          means = spans(events, "mean", "host");
  ASSERT_EQ(launches.size(), 2u) << events.dump(1);
  ASSERT_EQ(exps.size(), 2u) << events.dump(1);
  ASSERT_EQ(means.size(), 2u) << events.dump(1);
  EXPECT_EQ(exps[0].at("args").at("operands"), "f32 [5, 3] -> f32 [5, 3]");
  EXPECT_EQ(means[0].at("args").at("operands"), "f32 [5, 3] -> f32 [5]");
  const auto begin = [](const json& span) { return span.at("ts").get<double>(); };
  const auto end = [](const json& span) { return span.at("ts").get<double>() + span.at("dur").get<double>(); };
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(exps[i].at("tid"), means[i].at("tid"));
    EXPECT_LE(end(exps[i]), begin(means[i]) + 0.002) << "one after the other";
    int around = 0;
    for (const json& launch : launches)
      around += launch.at("tid") == exps[i].at("tid") && begin(launch) <= begin(exps[i]) + 0.002 &&
                end(launch) >= end(means[i]) - 0.002;
    EXPECT_EQ(around, 1) << events.dump(1);
  }
}

TEST_P(Pictures, DotHasTensors) {
  const Tensor a = up(full(RONDO_F32, {6, 4}, 1)), weights = up(full(RONDO_F32, {4, 2}, 1)),
               count = up(full(RONDO_I64, {2}, 0));
  Tensor out;
  const std::string dot = dot_of([&] {
    const Tensor product = make(rondo_matmul, a, weights, nullptr);
    out = reduce(RONDO_ARGMAX, product, {0});
    into(count, rondo_binary, RONDO_ADD, count, out);
  });
  // Tasks, in the order they were recorded, by the operation's own name.
  EXPECT_TRUE(has(dot, "t0 [label=\"matmul\"]"));
  EXPECT_TRUE(has(dot, "t1 [label=\"argmax\"]"));
  EXPECT_TRUE(has(dot, "t2 [label=\"add\"]"));
  // What comes from outside, what goes between, what is left.
  EXPECT_TRUE(has(dot, "label=\"input\\nf32 [6, 4]\""));
  EXPECT_TRUE(has(dot, "label=\"input\\nf32 [4, 2]\""));
  EXPECT_TRUE(has(dot, "t0 -> t1 [label=\"f32 [6, 2]\"]"));
  EXPECT_TRUE(has(dot, "t1 -> t2 [label=\"i64 [2]\"]"));
  EXPECT_TRUE(has(dot, "label=\"output\\ni64 [2]\""));
  EXPECT_TRUE(has(dot, "label=\"parameter\\ni64 [2]\""));
  EXPECT_EQ(dot.find("rondo_"), std::string::npos) << dot;
  EXPECT_EQ(dot.find("dashed"), std::string::npos) << "every edge carries a tensor: " << dot;
}

// A write after a read is order without data; another view of an input is told apart.
TEST_P(Pictures, DotTellsOrderFromData) {
  const Tensor a = up(full(RONDO_F32, {8}, 1)), front = slice(a, 0, 0, 3);
  Tensor out, part;
  const std::string dot = dot_of([&] {
    out = make(rondo_unary, RONDO_NEG, a);
    part = make(rondo_unary, RONDO_ABS, front);
    must(rondo_fill(a, 2));
  });
  EXPECT_TRUE(has(dot, "i0 -> t0;"));
  EXPECT_TRUE(has(dot, "i0 -> t1 [label=\"f32 [3]\"];"));
  EXPECT_TRUE(has(dot, "t0 -> t2 [style=dashed];"));
  EXPECT_TRUE(has(dot, "t1 -> t2 [style=dashed];"));
  EXPECT_TRUE(has(dot, "label=\"parameter\\nf32 [8]\""));
}

// Operands have their own shapes, whatever they are repeated to.
TEST_P(Pictures, DotHasOwnShapesOfWhatIsRepeated) {
  const Tensor image = up(full(RONDO_F32, {2, 3, 4, 5}, 1)), weight = up(full(RONDO_F64, {3}, 1)),
               row = up(full(RONDO_F32, {3, 1, 5}, 1)), number = up(full(RONDO_F32, {}, 1));
  std::vector<Tensor> kept;
  const std::string dot = dot_of([&] {
    kept.push_back(make(rondo_binary, RONDO_ADD, image, row));
    kept.push_back(make(rondo_binary, RONDO_MUL, image, number));
    kept.push_back(make(rondo_binary, RONDO_ADD, broadcast(weight, {4, 3}), number));
  });
  EXPECT_TRUE(has(dot, "label=\"input\\nf32 [2, 3, 4, 5]\""));
  EXPECT_TRUE(has(dot, "label=\"input\\nf32 [3, 1, 5]\""));
  EXPECT_TRUE(has(dot, "label=\"input\\nf32 []\""));
  EXPECT_TRUE(has(dot, "label=\"input\\nf64 [3]\""));
  EXPECT_TRUE(has(dot, "label=\"output\\nf64 [4, 3]\""));
}

TEST_P(Pictures, DotHasOperandsOfUserTasks) {
  const Tensor a = up(full(RONDO_F32, {8}, 1));
  const Variable v(engine());
  const std::string dot = dot_of([&] {
    const Tensor temporary = empty(RONDO_U8, {2, 2});
    const rondo_task_options make_it = task_options("my \"first\""), use_it = task_options("second");
    const auto nothing = [](rondo_task_context*) { return RONDO_OK; };
    must(push_tensors(engine(), nothing, {a}, {temporary}, &make_it));
    must(push(engine(), nothing, {variable_of(temporary)}, {v}, &use_it));
  });
  EXPECT_TRUE(has(dot, "label=\"my \\\"first\\\"\""));
  EXPECT_TRUE(has(dot, "label=\"input\\nf32 [8]\""));
  EXPECT_TRUE(has(dot, "t0 -> t1 [label=\"4 bytes\"]"));
}

// The names that pictures, reports and messages have for tasks are the operations' own, of one style.
TEST_P(Pictures, NamesAreOfOneStyle) {
  const Tensor x = up(full(RONDO_F32, {4, 4}, 1)), index = up(full(RONDO_I64, {4}, 1));
  std::vector<Tensor> kept;
  const std::string dot = dot_of([&] {
    kept.push_back(make(rondo_matmul, x, x, nullptr));
    kept.push_back(make(rondo_softmax, x, 1));
    kept.push_back(make(rondo_log_softmax, x, 1));
    kept.push_back(make(rondo_softmax_grad, x, x, 1));
    kept.push_back(make(rondo_cross_entropy, x, index));
    kept.push_back(make(rondo_cross_entropy_grad, x, index, 1.0));
    kept.push_back(make(rondo_one_hot, index, int64_t{3}, RONDO_F32));
    kept.push_back(make(rondo_gather_rows, x, index));
    kept.push_back(make(rondo_cast, x, RONDO_F64));
    kept.push_back(make(rondo_copy, x));
    kept.push_back(make(rondo_dropout_grad, x, up(full(RONDO_U8, {4, 4}, 1)), 0.5));
    for (const rondo_reduce_op op :
         {RONDO_SUM, RONDO_PROD, RONDO_MEAN, RONDO_MAX, RONDO_MIN, RONDO_ARGMAX, RONDO_ARGMIN, RONDO_ALL, RONDO_ANY})
      kept.push_back(reduce(op, x, {1}));
  });
  int task = 0;
  for (const char* name :
       {"matmul",  "softmax",     "log_softmax", "softmax_grad", "cross_entropy", "cross_entropy_grad",
        "one_hot", "gather_rows", "cast",        "copy",         "dropout_grad",  "sum",
        "prod",    "mean",        "max",         "min",          "argmax",        "argmin",
        "all",     "any"})
    EXPECT_TRUE(has(dot, "t" + std::to_string(task++) + " [label=\"" + name + "\"]"));
}

}  // namespace
}  // namespace conformance
