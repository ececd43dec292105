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
  // The nodes of a formula that no process has had before, of the value `input`; *next is the first number that is
  // free.
  static std::string formula(int input, const std::string& dtype, const std::string& shape, int* next) {
    static std::mt19937 random{std::random_device()()};
    static const char* const rows[] = {"add", "sub", "mul", "maximum", "minimum", "atan2"};
    std::string nodes;
    for (int i = 0, last = input; i < 24; ++i) {
      const std::string operands = std::to_string(last) + "," + std::to_string(input);
      last = (*next)++;
      nodes += std::string(i ? ",\n" : "") + R"({"kind":"Elementwise","with":{"row":")" + rows[random() % 6] +
               R"(","computed":")" + dtype + R"("},"in":{"operands":[)" + operands + R"(]},"out":{"out":[)" +
               std::to_string(last) + ",\"" + dtype + "\"," + shape + "]}}";
    }
    return nodes;
  }
  Program with_function(const std::string& dims, const std::string& inputs, const std::string& nodes,
                        const std::string& outputs) const {
    return open(put_text(R"({"rondo_program":1,"needs":"0.1","made_by":"0.1.0",)" + dims +
                         "\"weights\":[],\"functions\":[\n{\"name\":\"f\",\"inputs\":[" + inputs +
                         "],\"weights\":[],\"nodes\":[\n" + nodes + "],\n\"outputs\":[" + outputs + "]}]}"));
  }
  // Of an input whose size varies or not. Nobody recorded it on this device.
  Program strange(bool sized) const {
    const std::string shape = sized ? R"(["B"])" : "[7]";
    int next = 1;
    const std::string nodes = formula(0, "f32", shape, &next);
    return with_function(sized ? R"("dims":[["B",2,64]],)" : "", R"(["x","f32",)" + shape + "]", nodes,
                         R"(["y",)" + std::to_string(next - 1) + ",\"f32\"," + shape + "]");
  }
  // Formulas of four dtypes, so four kernels, which threads share.
  Program several() const {
    const std::vector<std::string> dtypes = {"f32", "f64", "f16", "bf16"};
    std::string inputs, nodes, outputs;
    int next = static_cast<int>(dtypes.size());
    for (int i = 0; i < 4; ++i) {
      const std::string &dtype = dtypes[static_cast<size_t>(i)], between = i ? "," : "",
                        kind = ",\"" + dtype + "\",[7]]";
      inputs += between + "[\"x" + std::to_string(i) + "\"" + kind;
      nodes += between + formula(i, dtype, "[7]", &next);
      outputs += between + "[\"y" + std::to_string(i) + "\"," + std::to_string(next - 1) + kind;
    }
    return with_function("", inputs, nodes, outputs);
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

TEST_P(ProgramTrust, HelpersKeepNothing) {
  keeps_nothing([&] {
    const int64_t before = compiled();
    (void)instance(several());
    EXPECT_GE(compiled(), before + 4) << "there is not enough to share";
  });
}

TEST_P(ProgramTrust, ChecksOfStrangersAreNotKept) {
  if (collects()) GTEST_SKIP() << "nothing is computed where kernels are collected";
  keeps_nothing([&] {
    const Program program = strange(false);
    must(rondo_program_add_check(path("edited").c_str(), engine(), device(), 1, 0, nullptr));
    rondo_program_check_info info = RONDO_PROGRAM_CHECK_INFO_INIT;
    must(rondo_program_check(open(path("edited")).get(), engine(), device(), 0, 0, &info));
  });
  // The thread is as it was before.
  const int64_t before = files();
  const Program trusted = strange(false);
  must(rondo_program_trust(trusted.get()));
  (void)instance(trusted);
  EXPECT_GT(files(), before);
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

TEST_P(ProgramTrust, MoreKernelsThanAllowedAreRefused) {
  for (const char* most : {"0", "3"}) {
    const Setting allowed("RONDO_PROGRAM_KERNELS", most);
    const Program program = several();
    rondo_program_instance* made = nullptr;
    EXPECT_EQ(rondo_program_create_instance(program.get(), engine(), device(), &made), RONDO_UNSUPPORTED);
    EXPECT_EQ(made, nullptr);
    EXPECT_NE(std::string(rondo_last_error()).find("RONDO_PROGRAM_KERNELS"), std::string::npos) << rondo_last_error();
    must(rondo_program_trust(program.get()));
    (void)instance(program);
  }
  const Setting allowed("RONDO_PROGRAM_KERNELS", "4");
  (void)instance(several());
}

}  // namespace
}  // namespace conformance
