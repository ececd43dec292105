// Programs in files that the caller does not trust: what is compiled for them is kept in no folder, whichever way they
// are called, and what the caller trusts is.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <random>

#include "model_files/programs.h"
#include "tape/tape.h"

namespace conformance {
namespace {

class ProgramTrust : public ProgramFiles {
 protected:
  void SetUp() override {
    ProgramFiles::SetUp();
    if (IsSkipped()) return;
    if (!on_cuda()) GTEST_SKIP() << "a cpu has no kernels";
    if (files() == 0) (void)download(make(rondo_unary, RONDO_EXP, up(numbers({3}))));
    if (files() == 0) GTEST_SKIP() << "no kernels are kept here (RONDO_CACHE)";
  }
  static int64_t files() {
    rondo_cache_info info = RONDO_CACHE_INFO_INIT;
    must(rondo_cache_query(&info));
    return info.files;
  }
  static int64_t compiled() {
    rondo_cache_info info = RONDO_CACHE_INFO_INIT;
    must(rondo_cache_query(&info));
    return info.compiled;
  }
  // A formula that no process has had before, of an input whose size varies or not. Nobody recorded it on this device.
  Program strange(bool sized) const {
    static std::mt19937 random{std::random_device()()};
    static const char* const rows[] = {"add", "sub", "mul", "maximum", "minimum", "atan2"};
    const std::string shape = sized ? R"(["B"])" : "[7]";
    std::string nodes;
    int last = 0;
    for (; last < 24; ++last) {
      const std::string operands = last ? std::to_string(last) + ",0" : "0,0", result = std::to_string(last + 1);
      nodes += std::string(last ? ",\n" : "") + R"({"kind":"Elementwise","with":{"row":")" + rows[random() % 6] +
               R"(","computed":"f32"},"in":{"operands":[)" + operands + R"(]},"out":{"out":[)" + result + R"(,"f32",)" +
               shape + "]}}";
    }
    return open(put_text(R"({"rondo_program":1,"needs":"0.1","made_by":"0.1.0",)" +
                         std::string(sized ? R"("dims":[["B",2,64]],)" : "") +
                         "\"weights\":[],\"functions\":[\n{\"name\":\"f\",\"inputs\":[[\"x\",\"f32\"," + shape +
                         "]],\"weights\":[],\"nodes\":[\n" + nodes + "],\n\"outputs\":[[\"y\"," + std::to_string(last) +
                         ",\"f32\"," + shape + "]]}]}"));
  }
  // Compiles, and keeps nothing. Another process may keep something at the same time, but not again and again.
  static void keeps_nothing(const std::function<void()>& compile) {
    int64_t before = 0, after = 1;
    for (int attempt = 0; attempt < 5 && before != after; ++attempt) {
      const int64_t already = compiled();
      before = files();
      compile();
      after = files();
      EXPECT_GT(compiled(), already) << "nothing was compiled";
    }
    EXPECT_EQ(after, before) << "a stranger's kernels were kept";
  }
};
CONFORMANCE_ENGINE_SUITE(ProgramTrust);

TEST_P(ProgramTrust, StrangersKernelsAreNotKept) {
  const Tensor x = up(numbers({7}));
  keeps_nothing([&] {
    const Program program = strange(false);
    rondo_program_memory_info info = RONDO_PROGRAM_MEMORY_INFO_INIT;
    must(rondo_program_memory(program.get(), engine(), device(), 0, nullptr, &info));
    (void)download(call(instance(program), "f", {x}, 1)[0]);
  });
  keeps_nothing([&] { (void)download(call(instance(strange(true)), "f", {x}, 1)[0]); });
}

TEST_P(ProgramTrust, TrustedKernelsAreKept) {
  const Tensor x = up(numbers({7}));
  for (const bool sized : {false, true}) {
    const Program program = strange(sized);
    must(rondo_program_trust(program.get()));
    const int64_t before = files();
    (void)download(call(instance(program), "f", {x}, 1)[0]);
    EXPECT_GT(files(), before) << sized;
  }
}

TEST_P(ProgramTrust, RecordingsThatTakeThemInAreNotKept) {
  const Tensor x = up(numbers({7}));
  for (const bool sized : {false, true})
    keeps_nothing([&] {
      const Instance made = instance(strange(sized));
      const Graph graph = callable({{RONDO_F32, {7}}}, [&](const std::vector<Tensor>& in) {
        return call(made, "f", {make(rondo_unary, RONDO_NEG, in[0])}, 1);
      });
      (void)download(call_all(graph, {x}, 1)[0]);
    });
  keeps_nothing([&] {
    const Instance made = instance(strange(false));
    std::vector<Tensor> y;
    const Graph graph = record(engine(), [&] { y = call(made, "f", {make(rondo_unary, RONDO_NEG, x)}, 1); });
    must(rondo_graph_launch(graph.get()));
    (void)download(y[0]);
  });
}

TEST_P(ProgramTrust, GradientsThroughThemAreNotKept) {
  const Tensor x = up(numbers({7}));
  for (const bool sized : {false, true})
    keeps_nothing([&] {
      const Instance made = instance(strange(sized));
      Tape tape(engine());
      tape.watch(x);
      const std::vector<Tensor> y = call(made, "f", {x}, 1);
      (void)download(tape.gradient(y[0], x, up(full(RONDO_F32, {7}, 1))));
    });
}

}  // namespace
}  // namespace conformance
