// Ranges for a profiler, whose library is a fake one: operators, launches and sections, on the thread that is at them.
// A program of its own, because a process looks for the library once.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <sstream>

#include "graphs/recording.h"

namespace conformance {
namespace {

class Ranges : public OnRecording {
 protected:
  void SetUp() override {
    OnRecording::SetUp();
    if (!std::getenv("NVTX_INJECTION64_PATH")) GTEST_SKIP() << "NVTX_INJECTION64_PATH names no library for ranges";
  }
  // What was opened since the last time, each as the names it lies in, "step/decay/add". Fails if they do not nest.
  std::vector<std::string> take() const {
    must(rondo_engine_wait_all(engine()));
    const char* const path = std::getenv("NVTX_INJECTION64_PATH");
    void* const library = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
    EXPECT_NE(library, nullptr) << "the engine has not opened " << (path ? path : "NVTX_INJECTION64_PATH, not set");
    if (!library) return {};
    const auto take = reinterpret_cast<void (*)(char*, size_t)>(dlsym(library, "fake_nvtx_take"));
    std::string text(1 << 20, '\0');
    take(text.data(), text.size());
    std::istringstream lines(text.c_str());
    std::map<long, std::vector<std::string>> open;
    std::vector<std::string> all;
    long thread = 0;
    for (std::string word; lines >> thread >> word;) {
      std::vector<std::string>& mine = open[thread];
      if (word == "pop") {
        EXPECT_FALSE(mine.empty()) << text;
        if (!mine.empty()) mine.pop_back();
        continue;
      }
      std::string name;
      std::getline(lines >> std::ws, name);
      mine.push_back(name);
      std::string whole;
      for (const std::string& each : mine) whole += (whole.empty() ? "" : "/") + each;
      all.push_back(whole);
    }
    for (const auto& [number, left] : open) EXPECT_TRUE(left.empty()) << "a range is left open: " << text;
    return all;
  }
  static size_t count(const std::vector<std::string>& all, const std::string& name) {
    return static_cast<size_t>(std::count(all.begin(), all.end(), name));
  }
  static std::string shown(const std::vector<std::string>& all) {
    std::string text;
    for (const std::string& each : all) text += each + "\n";
    return text;
  }
};
CONFORMANCE_ENGINE_SUITE(Ranges);

TEST_P(Ranges, OperatorsAreRanges) {
  const Tensor x = ones(4), y = ones(4);
  (void)take();
  for (int i = 0; i < 3; ++i) into(y, rondo_unary, RONDO_NEG, x);
  const rondo_task_options with = task_options("mine");
  must(push_tensors(
      engine(), [](rondo_task_context*) { return RONDO_OK; }, {x}, {y}, &with));
  const std::vector<std::string> all = take();
  EXPECT_EQ(count(all, "neg"), 3u) << shown(all);
  EXPECT_EQ(count(all, "mine"), 1u) << shown(all);
}

TEST_P(Ranges, FailedTaskEndsItsRange) {
  const Tensor x = ones(4), y = ones(4);
  (void)take();
  const rondo_task_options with = task_options("moody");
  (void)push_tensors(
      engine(), [](rondo_task_context*) { return RONDO_IO_ERROR; }, {x}, {y}, &with);
  EXPECT_EQ(rondo_tensor_wait(y), RONDO_IO_ERROR);
  (void)rondo_engine_wait_all(engine());
  const std::vector<std::string> all = take();
  EXPECT_EQ(count(all, "moody"), 1u) << shown(all);
}

TEST_P(Ranges, LaunchesAndSectionsAreRanges) {
  const Tensor x = ones(4), y = ones(4), z = ones(4);
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.name = "step";
  options.flags = RONDO_RECORD_AS_WRITTEN;
  (void)take();
  const Graph graph = record(
      engine(),
      [&] {
        into(y, rondo_unary, RONDO_NEG, x);
        must(rondo_record_section_begin(engine(), "decay", 1));
        into(y, rondo_unary, RONDO_EXP, x);
        into(z, rondo_unary, RONDO_TANH, y);
        must(rondo_record_section_end(engine()));
        into(y, rondo_unary, RONDO_NEG, z);
      },
      &options);
  const std::vector<std::string> recorded = take();
  for (int i = 0; i < 2; ++i) must(rondo_graph_launch(graph.get()));
  const std::vector<std::string> launched = take();
  EXPECT_EQ(count(launched, "step"), 2u) << shown(launched);
  // Whoever runs the tasks one by one shows them: a capture once, the cpu in each launch.
  const std::vector<std::string>& all = on_cuda() ? recorded : launched;
  const std::string within = on_cuda() ? "" : "step/";
  const size_t times = on_cuda() ? 1 : 2;
  EXPECT_EQ(count(all, within + "neg"), 2 * times) << shown(all);
  EXPECT_EQ(count(all, within + "decay"), times) << shown(all);
  EXPECT_EQ(count(all, within + "decay/exp"), times) << shown(all);
  EXPECT_EQ(count(all, within + "decay/tanh"), times) << shown(all);
  EXPECT_EQ(all.size(), times * (on_cuda() ? 5 : 6)) << shown(all);
  if (on_cuda()) {
    EXPECT_EQ(launched.size(), 2u) << shown(launched);
  }
  must(rondo_graph_enable(graph.get(), "decay", 0));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(count(take(), "step/decay"), 0u) << "what does not run has none";
}

}  // namespace
}  // namespace conformance
