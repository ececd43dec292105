// What callers limit of programs in files: memory of an instance, recurrent steps of a whole file, the time of a call.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

#include "model_files/program_sizes.h"
#include "tape/tape.h"

namespace conformance {
namespace {

using std::chrono::milliseconds;

class ProgramLimits : public ProgramSizes {
 protected:
  rondo_status create(const Program& program, int64_t most_bytes, Instance* made) const {
    rondo_program_instance_options options = RONDO_PROGRAM_INSTANCE_OPTIONS_INIT;
    options.most_bytes = most_bytes;
    rondo_program_instance* handle = nullptr;
    const rondo_status status =
        rondo_program_create_instance_with(program.get(), engine(), device(), &options, &handle);
    made->reset(handle);
    return status;
  }
  int64_t bytes_at(const Program& program, const Dims& dims, int64_t weights) const {
    rondo_program_memory_info info = RONDO_PROGRAM_MEMORY_INFO_INIT;
    must(
        rondo_program_memory(program.get(), engine(), device(), static_cast<int32_t>(dims.size()), dims.data(), &info));
    EXPECT_EQ(info.weight_bytes, weights);
    EXPECT_EQ(info.state_bytes, 0);
    return info.weight_bytes + info.graph_bytes;
  }
  int64_t in_use() const {
    must(rondo_engine_wait_all(engine()));
    rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
    must(rondo_memory_query(engine(), device(), &info));
    return info.in_use;
  }
  // Two temporaries of one size, so that there is an arena.
  static std::vector<Tensor> far(const Tensor& x, const Tensor& w) {
    const Tensor wide = make(rondo_matmul, x, w, nullptr), rows = make(rondo_softmax, wide, 1);
    return list(reduce(RONDO_SUM, make(rondo_matmul, rows, transpose(wide, {1, 0}), nullptr), {0}));
  }
  rondo_status call_within(const Instance& instance, int64_t limit, const Tensor& x, Tensor* y) const {
    rondo_tensor* input = x;
    return rondo_program_call_within(instance.get(), "f", limit, 1, &input, 1, y->slot());
  }
};
CONFORMANCE_ENGINE_SUITE(ProgramLimits);

// As `rondo program compile` does, of a program that was recorded where its device is not.
TEST_P(ProgramLimits, MeasuringMakesTheKernels) {
  if (!on_cuda()) GTEST_SKIP() << "a cpu has no kernels";
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.flags = RONDO_RECORD_CALLABLE;
  const rondo_device cpu = {RONDO_CPU, 0};
  const Graph graph = record(
      engine(),
      [&] {
        const Shape shape = {2, 3};
        const Tensor x = make(rondo_record_input, engine(), cpu, RONDO_F32, 2, shape.data());
        const Tensor y = make(rondo_unary, RONDO_TANH, make(rondo_unary, RONDO_EXP, make(rondo_unary, RONDO_NEG, x)));
        must(rondo_record_output(engine(), reduce(RONDO_MAX, make(rondo_binary, RONDO_ATAN2, y, x), {1})));
      },
      &options);
  must(save(path(), graph.get()));
  const Program program = open(path());
  const auto compiled = [] { return cache().compiled + cache().disk_hits; };
  (void)bytes_at(program, {}, 0);
  const int64_t after = compiled();
  const Instance made = instance(program);
  (void)call(made, "f", {up(numbers({2, 3}))}, 1);
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(compiled(), after);
}

// Of a program with a loop and random numbers, for which capturing needs kernels of its own.
TEST_P(ProgramLimits, KernelsAreCountedBeforeAnyIsMade) {
  const Graph graph = callable({{RONDO_F32, {2, 3}}}, [&](const std::vector<Tensor>& in) {
    const Tensor x = make(rondo_unary, RONDO_ERF, make(rondo_binary_scalar, RONDO_ATAN2, in[0], 2.0));
    Tensor kept, mask;
    must(rondo_dropout(x, 0.25, kept.slot(), mask.slot()));
    return list(make(rondo_binary, RONDO_HYPOT, kept, make(rondo_copy, x)));
  });
  must(save(path(), graph.get()));
  const Program program = open(path());
  must(rondo_program_trust(program.get()));  // or nothing is kept
  if (!on_cuda()) {
    EXPECT_EQ(kernels(program).needed, 0);
    return;
  }
  const int64_t before = cache().compiled + cache().disk_hits;
  const rondo_program_kernels_info counted = kernels(program);
  EXPECT_GE(counted.needed, 2);
  EXPECT_EQ(cache().compiled + cache().disk_hits, before) << "counting made a kernel";
  char text[4096] = "";
  size_t length = 0;
  must(rondo_program_missing_kernels(program.get(), engine(), device(), 0, nullptr, text, sizeof text, &length));
  EXPECT_EQ(std::strlen(text), length);
  EXPECT_EQ(std::count(text, text + length, '\n') + (length > 0), counted.missing) << text;
  (void)bytes_at(program, {}, 0);
  const rondo_program_kernels_info after = kernels(program);
  EXPECT_EQ(after.needed, counted.needed);
  EXPECT_EQ(after.missing, cache().files > 0 ? 0 : counted.needed);
  (void)call(instance(program), "f", {up(numbers({2, 3}))}, 1);
}

TEST_P(ProgramLimits, MemoryIsToldAndLimited) {
  const Tensor w = up(numbers({8, 512}));
  const Graph graph = callable({{RONDO_F32, {64, 8}}}, [&](const std::vector<Tensor>& in) { return far(in[0], w); });
  must(save(path(), graph.get()));
  const Program program = open(path());
  const int64_t before = in_use(), needed = bytes_at(program, {}, 8 * 512 * 4);
  EXPECT_EQ(in_use(), before) << "measuring left something behind";
  EXPECT_GE(needed, 8 * 512 * 4 + 64 * 512 * 4);
  Instance made;
  expect_refused(create(program, 8 * 512 * 4 - 1, &made), RONDO_OUT_OF_MEMORY, "rondo_program_create_instance_with",
                 "weights needs 16384 bytes");
  expect_refused(create(program, needed - 1, &made), RONDO_OUT_OF_MEMORY, "rondo_program_create_instance_with",
                 ("most_bytes is " + std::to_string(needed - 1)).c_str());
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(in_use(), before) << "what was refused left something behind";
  must(create(program, needed, &made));
  EXPECT_LE(in_use() - before, needed);
  const Tensor x = up(numbers({64, 8}));
  expect_same_bits(download(call(made, "f", {x}, 1)[0]), download(call_all(graph, {x}, 1)[0]), "limited");
  expect_refused(create(program, -1, &made), RONDO_INVALID_ARGUMENT, "rondo_program_create_instance_with",
                 "options->most_bytes is -1");
}

TEST_P(ProgramLimits, OtherSizesMakeRoom) {
  const Tensor w = up(numbers({8, 128}));
  must(save_sized({[](const Dims& dims) {
                     return std::vector<Kind>{{RONDO_F32, {dims[0], 8}}};
                   },
                   [&](const std::vector<Tensor>& in, const Dims&) { return far(in[0], w); }},
                  {{"B", 2, 64}}));
  const Program program = open(path());
  const int64_t weights = 8 * 128 * 4, needed = bytes_at(program, {40}, weights);
  EXPECT_LT(bytes_at(program, {2}, weights), needed);
  Instance made;
  must(create(program, needed, &made));
  const Instance free = instance(program);
  for (int turn = 0; turn < 2; ++turn)
    for (const int64_t size : {40, 39, 2, 38}) {
      const Tensor x = up(numbers({size, 8}));
      expect_same_bits(download(call(made, "f", {x}, 1)[0]), download(call(free, "f", {x}, 1)[0]),
                       std::to_string(size));
    }
  const Tensor large = up(numbers({64, 8}));
  rondo_tensor *input = large, *output = nullptr;
  expect_refused(rondo_program_call(made.get(), "f", 1, &input, 1, &output), RONDO_OUT_OF_MEMORY, "rondo_program_call",
                 ("most_bytes is " + std::to_string(needed)).c_str());
  EXPECT_EQ(output, nullptr);
  const Tensor again = up(numbers({40, 8}));
  (void)call(made, "f", {again}, 1);
}

TEST_P(ProgramLimits, RoomIsWaitedForNoLongerThanTheLimit) {
  if (naive()) GTEST_SKIP() << "a call is done when it returns";
  const Tensor w = up(numbers({8, 128}));
  must(save_sized({[](const Dims& dims) {
                     return std::vector<Kind>{{RONDO_F32, {dims[0], 8}}};
                   },
                   [&](const std::vector<Tensor>& in, const Dims&) { return far(in[0], w); }},
                  {{"B", 2, 64}}));
  const Program program = open(path());
  Instance made;
  must(create(program, bytes_at(program, {40}, 8 * 128 * 4), &made));
  const Tensor x = up(numbers({40, 8})), other = up(numbers({39, 8}));
  Gate gate;
  must(push(engine(), waiting(gate), {}, {variable_of(x)}));
  const std::vector<Tensor> running = call(made, "f", {x}, 1);
  std::thread opens([&] {
    std::this_thread::sleep_for(milliseconds(2000));
    gate.open = true;
  });
  Tensor y;
  expect_refused(call_within(made, 20, other, &y), RONDO_TIMED_OUT, "rondo_program_call_within", "20 ms");
  EXPECT_FALSE(gate.open) << "it has waited for the call before";
  opens.join();
  must(rondo_tensor_wait(running[0]));
  must(call_within(made, 60000, other, &y));
}

TEST_P(ProgramLimits, RecordingsDoNotRepeatRefusedCalls) {
  if (on_cuda() || !naive() || quick()) GTEST_SKIP() << "so many steps are recorded that it takes long";
  constexpr int64_t kHalf = (1 << 14) + 8;  // of what all graphs may have together
  must(save_sized({[](const Dims& dims) {
                     return std::vector<Kind>{{RONDO_F32, {dims[0], 1, 1}}, {RONDO_F32, {1, 1}}};
                   },
                   [](const std::vector<Tensor>& in, const Dims&) {
                     rondo_tensor* const weights[] = {in[1], in[1]};
                     const rondo_recurrent_options options = RONDO_RECURRENT_OPTIONS_INIT;
                     Tensor out;
                     must(rondo_rnn(in[0], 2, weights, &options, out.slot(), nullptr));
                     return list(std::move(out));
                   }},
                  {{"T", 1, 40}}));
  std::string larger = text(open(path()));
  const std::string bounds = "[[\"T\",1,40]]";
  const size_t at = larger.find(bounds);
  ASSERT_NE(at, std::string::npos) << larger;
  larger.replace(at, bounds.size(), "[[\"T\",1," + std::to_string(kHalf) + "]]");
  const Instance made = instance(open(put_text(larger)));
  const Tensor x = up(numbers({kHalf, 1, 1})), other = up(numbers({kHalf - 1, 1, 1})), w = up(numbers({1, 1}));
  (void)call(made, "f", {x, w}, 1);
  rondo_tensor *inputs[] = {other, w}, *output = nullptr;
  must(rondo_record_begin(engine(), nullptr));
  expect_refused(rondo_program_call(made.get(), "f", 2, inputs, 1, &output), RONDO_IO_ERROR, "rondo_program_call",
                 "steps");
  EXPECT_EQ(output, nullptr);
  must(rondo_record_abort(engine()));
}

TEST_P(ProgramLimits, SizesBeyondABoundAreToldAsFilledUp) {
  must(save_sized(
      {[](const Dims& dims) {
         return std::vector<Kind>{{RONDO_F32, {dims[0], 2}}};
       },
       [&](const std::vector<Tensor>& in, const Dims&) { return list(make(rondo_unary, RONDO_EXP, in[0])); }},
      {{"B", 1, 10}}));
  const Program program = open(path());
  rondo_callable_options callables = RONDO_CALLABLE_OPTIONS_INIT;
  callables.pad_sizes[0] = 4;
  callables.pad_sizes[1] = 16;
  rondo_program_instance_options options = RONDO_PROGRAM_INSTANCE_OPTIONS_INIT;
  options.callables = &callables;
  rondo_program_instance* handle = nullptr;
  must(rondo_program_create_instance_with(program.get(), engine(), device(), &options, &handle));
  const Instance made(handle);
  const Tensor few = up(numbers({3, 2})), many = up(numbers({5, 2}));
  expect_same_bits(download(call(made, "f", {few}, 1)[0]), download(make(rondo_unary, RONDO_EXP, few)), "filled up");
  rondo_tensor *input = many, *output = nullptr;
  expect_refused(rondo_program_call(made.get(), "f", 1, &input, 1, &output), RONDO_INVALID_ARGUMENT,
                 "rondo_program_call", "filled up to a size of options->callables->pad_sizes");
  EXPECT_TRUE(has_word(rondo_last_error(), "the size 'B' is 16")) << rondo_last_error();
}

// Nodes of which none is like the one before it.
std::string chain(int length) {
  std::string nodes;
  for (int i = 0; i < length; ++i)
    nodes += std::string(i ? ",\n" : "") + R"({"kind":"Elementwise","with":{"row":")" + (i % 2 ? "neg" : "exp") +
             R"(","computed":"f32"},"in":{"operands":[)" + std::to_string(i) + R"(]},"out":{"out":[)" +
             std::to_string(i + 1) + R"(,"f32",["B"]]}})";
  return R"({"rondo_program":1,"needs":"0.1","made_by":"0.1.0","dims":[["B",1,8]],"weights":[],"functions":[
{"name":"f","inputs":[["x","f32",["B"]]],"weights":[],"nodes":[
)" + nodes +
         R"(],
"outputs":[["y",)" +
         std::to_string(length) + R"(,"f32",["B"]]]}]})";
}

TEST_P(ProgramLimits, MakingEndsWithItsTime) {
  const Program program = open(put_text(chain(3000)));
  const Instance before = instance(program);
  must(rondo_program_limit_making(program.get(), 1));
  const char* const word = "rondo_program_limit_making";
  rondo_program_instance* made = nullptr;
  expect_refused(rondo_program_create_instance(program.get(), engine(), device(), &made), RONDO_TIMED_OUT,
                 "rondo_program_create_instance", word);
  EXPECT_EQ(made, nullptr);
  const int64_t size = 3;
  rondo_program_memory_info memory = RONDO_PROGRAM_MEMORY_INFO_INIT;
  expect_refused(rondo_program_memory(program.get(), engine(), device(), 1, &size, &memory), RONDO_TIMED_OUT,
                 "rondo_program_memory", word);
  rondo_program_kernels_info kernels = RONDO_PROGRAM_KERNELS_INFO_INIT;
  expect_refused(rondo_program_kernels(program.get(), engine(), device(), 1, &size, &kernels), RONDO_TIMED_OUT,
                 "rondo_program_kernels", word);
  rondo_program* bound = nullptr;
  expect_refused(rondo_program_bind(program.get(), 1, &size, &bound), RONDO_TIMED_OUT, "rondo_program_bind", word);
  EXPECT_EQ(bound, nullptr);
  const Tensor x = up(full(RONDO_F32, {3}, -0.5));
  rondo_tensor *input = x, *output = nullptr;
  expect_refused(rondo_program_call(before.get(), "f", 1, &input, 1, &output), RONDO_TIMED_OUT, "rondo_program_call",
                 word);
  EXPECT_EQ(output, nullptr);
  expect_refused(rondo_program_limit_making(program.get(), -1), RONDO_INVALID_ARGUMENT, "rondo_program_limit_making",
                 "most_ms is -1");
  must(rondo_program_limit_making(program.get(), 600000));
  const Tensor y = std::move(call(before, "f", {x}, 1)[0]);
  must(rondo_program_limit_making(program.get(), 1));
  expect_same_bits(download(call(before, "f", {x}, 1)[0]), download(y), "a size that is there needs no time");
  must(rondo_program_limit_making(program.get(), 0));
  expect_same_bits(download(call(instance(program), "f", {x}, 1)[0]), download(y), "no limit");
}

TEST_P(ProgramLimits, HostMemoryOfMakingIsLimited) {
  const Program program = open(put_text(chain(200)));
  const Instance before = instance(program);
  constexpr int64_t kMost = 300000;
  const char* const word = "more of the host's memory than 300000 bytes";
  must(rondo_program_limit_host_memory(program.get(), kMost));
  rondo_program_instance* made = nullptr;
  expect_refused(rondo_program_create_instance(program.get(), engine(), device(), &made), RONDO_OUT_OF_MEMORY,
                 "rondo_program_create_instance", word);
  EXPECT_EQ(made, nullptr);
  const int64_t size = 3;
  rondo_program_memory_info memory = RONDO_PROGRAM_MEMORY_INFO_INIT;
  expect_refused(rondo_program_memory(program.get(), engine(), device(), 1, &size, &memory), RONDO_OUT_OF_MEMORY,
                 "rondo_program_memory", word);
  rondo_program_kernels_info kernels = RONDO_PROGRAM_KERNELS_INFO_INIT;
  expect_refused(rondo_program_kernels(program.get(), engine(), device(), 1, &size, &kernels), RONDO_OUT_OF_MEMORY,
                 "rondo_program_kernels", word);
  const Tensor x = up(full(RONDO_F32, {3}, -0.5));
  rondo_tensor *input = x, *output = nullptr;
  expect_refused(rondo_program_call(before.get(), "f", 1, &input, 1, &output), RONDO_OUT_OF_MEMORY,
                 "rondo_program_call", word);
  EXPECT_EQ(output, nullptr);
  must(rondo_program_limit_host_memory(program.get(), 1000));
  rondo_program* bound = nullptr;
  expect_refused(rondo_program_bind(program.get(), 1, &size, &bound), RONDO_OUT_OF_MEMORY, "rondo_program_bind",
                 "than 1000 bytes");
  EXPECT_EQ(bound, nullptr);
  expect_refused(rondo_program_limit_host_memory(program.get(), -1), RONDO_INVALID_ARGUMENT,
                 "rondo_program_limit_host_memory", "most_bytes is -1");
  must(rondo_program_limit_host_memory(program.get(), 64 << 20));
  const Tensor y = std::move(call(before, "f", {x}, 1)[0]);
  must(rondo_program_limit_host_memory(program.get(), 0));
  expect_same_bits(download(call(instance(program), "f", {x}, 1)[0]), download(y), "no limit");
}

// Of a function whose sizes are fixed the nodes come into a recording when that, or the body that the call is in, ends.
TEST_P(ProgramLimits, FixedSizesInRecordingsAreLimitedToo) {
  std::string fixed = chain(100);
  for (const auto& [from, to] : {std::pair("\"dims\":[[\"B\",1,8]],", ""), std::pair("\"B\"", "3")})
    for (size_t at = fixed.find(from); at != std::string::npos; at = fixed.find(from))
      fixed.replace(at, std::strlen(from), to);
  const Program program = open(put_text(fixed));
  const Instance made = instance(program);
  const Tensor x = up(full(RONDO_F32, {3}, -0.5));
  const auto issue = [&](Tensor* y) {
    rondo_tensor* input = x;
    return rondo_program_call(made.get(), "f", 1, &input, 1, y->slot());
  };
  Tensor direct;
  must(issue(&direct));
  must(rondo_program_limit_host_memory(program.get(), 1000));
  const char* const word = "more of the host's memory than 1000 bytes";
  {
    Tensor y;
    must(rondo_record_begin(engine(), nullptr));
    must(issue(&y));
    rondo_graph* graph = nullptr;
    expect_refused(rondo_record_end(engine(), &graph), RONDO_OUT_OF_MEMORY, "rondo_record_end", word);
    EXPECT_EQ(graph, nullptr);
  }
  {
    const Tensor on = up(full(RONDO_BOOL, {}, 1)), into = up(full(RONDO_F32, {3}, 0));
    must(rondo_record_begin(engine(), nullptr));
    const std::function<rondo_status()> body = [&] {
      Tensor y;
      must(issue(&y));
      rondo_tensor* slot = into;
      return rondo_copy(y, &slot);
    };
    const auto run = [](void* arg) { return (*static_cast<const std::function<rondo_status()>*>(arg))(); };
    const auto call_if = [&] {
      return rondo_if(engine(), on, run, nullptr, const_cast<std::function<rondo_status()>*>(&body));
    };
    expect_refused(call_if(), RONDO_OUT_OF_MEMORY, "rondo_if", word);
    must(rondo_program_limit_host_memory(program.get(), 0));
    must(call_if());
    rondo_graph* graph = nullptr;
    must(rondo_record_end(engine(), &graph));
    const Graph keep(graph);
    must(rondo_graph_launch(graph));
    expect_same_bits(download(into), download(direct), "after a body that failed");
  }
  Tensor y;
  const Graph graph = record(engine(), [&] { must(issue(&y)); });
  must(rondo_graph_launch(graph.get()));
  expect_same_bits(download(y), download(direct), "in a recording");
}

// Dropout of 2^45 elements, again and again, as far as no position in a device's sequence overflows.
TEST_P(ProgramLimits, RandomNumbersAreBounded) {
  const auto text = [](int times) {
    std::string nodes = R"({"view":"Broadcast","with":{"shape":[35184372088832]},"in":0,"out":1},
{"empty":[2,"f32",[35184372088832]]},
{"empty":[3,"u8",[35184372088832]]})";
    for (int i = 0; i < times; ++i)
      nodes += R"(,
{"kind":"Dropout","with":{"p":"0x1p-2"},"in":{"a":1},"out":{"out":2,"mask":3}})";
    return R"({"rondo_program":1,"needs":"0.1","made_by":"0.1.0","weights":[],"functions":[
{"name":"f","inputs":[["x","f32",[1]]],"weights":[],"nodes":[
)" + nodes +
           R"(],
"outputs":[["y",0,"f32",[1]]]}]})";
  };
  const std::string said = refusal(text(33));
  EXPECT_TRUE(has_word(said, "281474976710656 are the most")) << said;
}

TEST_P(ProgramLimits, FunctionsShareOneCountOfSteps) {
  const auto text = [](const std::vector<int>& steps) {
    std::string list;
    for (size_t i = 0; i < steps.size(); ++i) {
      const std::string all = std::to_string(steps[i]);
      list += std::string(i ? "," : "") + "\n{\"name\":\"f" + std::to_string(i) + "\",\"inputs\":[[\"x\",\"f32\",[" +
              all +
              ",1,1]],[\"w\",\"f32\",[1,1]],[\"r\",\"f32\",[1,1]]],\"weights\":[],\"nodes\":[\n"
              "{\"kind\":\"Recurrent\",\"with\":{\"form\":{\"kind\":\"rnn\",\"layers\":1}},\"in\":{\"x\":0,\"weights\":"
              "[1,2]},"
              "\"out\":{\"out\":[3,\"f32\",[" +
              all + ",1,1]]}}],\n\"outputs\":[[\"y\",3,\"f32\",[" + all + ",1,1]]]}";
    }
    return "{\"rondo_program\":1,\"needs\":\"0.1\",\"made_by\":\"0.1.0\",\"weights\":[],\"functions\":[" + list + "]}";
  };
  EXPECT_EQ(refusal(text({4, 4})), "");
  const std::string said = refusal(text({1, 1 << 15}));  // one of which alone would do
  EXPECT_TRUE(has_word(said, "function 'f1'")) << said;
  EXPECT_TRUE(has_word(said, "of all functions have more than 32768 steps")) << said;
}

TEST_P(ProgramLimits, LateCallsAreNotBegun) {
  const Tensor w = up(full(RONDO_F32, {2}, 3));
  const Graph graph = callable(
      {{RONDO_F32, {2}}}, [&](const std::vector<Tensor>& in) { return list(make(rondo_binary, RONDO_MUL, in[0], w)); });
  must(save(path(), graph.get()));
  const Instance made = instance(open(path()));
  const Tensor x = up(full(RONDO_F32, {2}, 2));
  Tensor y;
  must(call_within(made, 60000, x, &y));
  EXPECT_EQ(first(y), 6);
  Gate gate;
  must(push(engine(), waiting(gate), {}, {variable_of(x)}));
  Tensor late;
  const rondo_status submitted = call_within(made, 20, x, &late);
  if (!naive()) std::this_thread::sleep_for(milliseconds(40));
  gate.open = true;
  must(submitted);
  if (!naive()) {
    EXPECT_EQ(rondo_tensor_wait(late), RONDO_TIMED_OUT);
    EXPECT_TRUE(has_word(rondo_last_error(), "20 ms")) << rondo_last_error();
  }
  (void)rondo_engine_wait_all(engine());  // which has the failure
  Tensor again;
  must(call_within(made, 60000, x, &again));
  EXPECT_EQ(first(again), 6);
}

TEST_P(ProgramLimits, CallsToBeProfiledHaveLimitsToo) {
  if (naive()) GTEST_SKIP() << "a call is done when it returns";
  const Setting profiles("RONDO_GRAPH_PROFILE", folder());
  const Graph graph = callable(
      {{RONDO_F32, {2}}}, [&](const std::vector<Tensor>& in) { return list(make(rondo_unary, RONDO_EXP, in[0])); });
  must(save(path(), graph.get()));
  const Instance made = instance(open(path()));
  const Tensor x = up(full(RONDO_F32, {2}, 2));
  must(rondo_tensor_wait(call(made, "f", {x}, 1)[0]));  // the next one is measured
  Gate gate;
  must(push(engine(), waiting(gate), {}, {variable_of(x)}));
  Tensor late;
  const rondo_status submitted = call_within(made, 20, x, &late);
  std::this_thread::sleep_for(milliseconds(40));
  gate.open = true;
  must(submitted);
  EXPECT_EQ(rondo_tensor_wait(late), RONDO_TIMED_OUT);
  (void)rondo_engine_wait_all(engine());  // which has the failure
}

TEST_P(ProgramLimits, LoopsEndWithTheirTime) {
  if (on_cuda()) GTEST_SKIP() << "a loop in a CUDA graph turns on the device, which cannot be stopped";
  const Graph graph = callable({{RONDO_F32, {2}}}, [&](const std::vector<Tensor>& in) {
    Tensor sum = make(rondo_copy, in[0]);
    const Tensor go = make(rondo_binary_scalar, RONDO_GE, reduce(RONDO_SUM, sum, {}), 0.0);
    while_true(go, [&] {
      into(sum, rondo_unary, RONDO_ABS, sum);
      into(go, rondo_binary_scalar, RONDO_GE, reduce(RONDO_SUM, sum, {}), 0.0);
    });
    return list(std::move(sum));
  });
  must(save(path(), graph.get()));
  const Instance made = instance(open(path()));
  const Tensor x = up(full(RONDO_F32, {2}, 1));
  Tensor y;
  const auto begun = std::chrono::steady_clock::now();
  const rondo_status status = call_within(made, 50, x, &y);
  if (!naive()) must(status);
  EXPECT_EQ(naive() ? status : rondo_tensor_wait(y), RONDO_TIMED_OUT);
  EXPECT_GE(std::chrono::steady_clock::now() - begun, milliseconds(50));
  (void)rondo_engine_wait_all(engine());
  const Tensor none = up(full(RONDO_F32, {2}, std::nan("")));
  Tensor ends;
  must(call_within(made, 60000, none, &ends));
  must(rondo_tensor_wait(ends));
}

// The stack does not grow with the number of nodes, also where handles are dropped.
TEST_P(ProgramLimits, LongChainsNeedLittleStack) {
  if (on_cuda() || naive()) GTEST_SKIP() << "one device and one mode show it";
  constexpr int kNodes = 12000;
  std::string nodes;
  for (int i = 0; i < kNodes; ++i)
    nodes += std::string(i ? ",\n" : "") + R"({"kind":"Elementwise","with":{"row":")" + (i % 2 ? "tanh" : "neg") +
             R"(","computed":"f32"},"in":{"operands":[)" + std::to_string(i) + R"(]},"out":{"out":[)" +
             std::to_string(i + 1) + R"(,"f32",[2]]}})";
  put_text(R"({"rondo_program":1,"needs":"0.1","made_by":"0.1.0","weights":[],"functions":[
{"name":"f","inputs":[["x","f32",[2]]],"weights":[],"nodes":[
)" + nodes +
           "],\n\"outputs\":[[\"y\"," + std::to_string(kNodes) + ",\"f32\",[2]]]}]}");
  std::function<void()> work = [&] {
    const Tensor x = up(full(RONDO_F32, {2}, 0.5));
    const Tape tape(engine());
    tape.watch(x);
    const std::vector<Tensor> y = call(instance(open(path("edited"))), "f", {x}, 1);
    const Tensor dx = tape.gradient(y[0], x, up(full(RONDO_F32, {2}, 1)));
    EXPECT_TRUE(std::isfinite(first(dx)) && std::isfinite(first(y[0])));
  };
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 1 << 20), 0);
  const auto body = [](void* arg) -> void* {
    (*static_cast<std::function<void()>*>(arg))();
    return nullptr;
  };
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, body, &work), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

TEST_P(ProgramLimits, TimeIsRefusedWhereItMeansNothing) {
  const Graph graph = callable(
      {{RONDO_F32, {2}}}, [&](const std::vector<Tensor>& in) { return list(make(rondo_unary, RONDO_EXP, in[0])); });
  must(save(path(), graph.get()));
  const Instance made = instance(open(path()));
  const Tensor x = up(full(RONDO_F32, {2}, 2));
  Tensor y;
  const char* const name = "rondo_program_call_within";
  expect_refused(call_within(made, 0, x, &y), RONDO_INVALID_ARGUMENT, name, "timeout_ms is 0");
  must(rondo_record_begin(engine(), nullptr));
  expect_refused(call_within(made, 9, x, &y), RONDO_INVALID_STATE, name, "cannot be recorded");
  must(rondo_record_abort(engine()));
  rondo_tensor* input = x;
  expect_refused(rondo_program_call_within(made.get(), "g", 9, 1, &input, 1, y.slot()), RONDO_NOT_FOUND, name,
                 "no function 'g'");
  EXPECT_EQ(static_cast<rondo_tensor*>(y), nullptr);
}

}  // namespace
}  // namespace conformance
