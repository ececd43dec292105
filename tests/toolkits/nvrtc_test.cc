// Real NVRTC, and no GPU: kernels of the conformance suite compile with the versions that fetch.py brought, for each
// architecture; its library is found by its path, its builtins are beside it or missed clearly, and the locale
// survives. README.md says how.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "folder.h"
#include "nvrtc_collect.h"
#include "nvrtc_kernels.h"
#include "nvrtc_sample.h"
#include "program.h"

namespace toolkits {
namespace {

namespace fs = std::filesystem;

// NVRTC of the newest fetched version of a major of CUDA, and the minor; without a path if there is none.
struct Library {
  fs::path path;
  int minor = -1;
};

Library nvrtc_of(int major) {
  const std::string prefix = std::to_string(major) + ".";
  Library found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(fetched_root(), ignored)) {
    const std::string name = entry.path().filename();
    if (name.compare(0, prefix.size(), prefix) != 0) continue;
    const int minor = std::atoi(name.c_str() + prefix.size());
    for (const fs::directory_entry& file : fs::directory_iterator(entry.path() / "lib", ignored))
      if (file.path().filename().string().rfind("libnvrtc.so.", 0) == 0 && minor > found.minor)
        found = {file.path(), minor};
  }
  return found;
}

constexpr char kTogether[] = "16";  // kernels of one program

int number(const std::string& text) {
  return text.empty() ? -1 : std::stoi(text);
}

class Nvrtc : public testing::Test {
 protected:
  // Sets a case up; without a library, it is skipped.
  void use(int major) {
    library_ = nvrtc_of(major).path;
    if (library_.empty())
      GTEST_SKIP() << "no NVRTC of CUDA " << major << " in " << fetched_root().string()
                   << "; tests/toolkits/fetch.py fetches it";
  }
  // The probe with this NVRTC, and without a driver unless the environment names one. NVRTC since 12.9 looks for
  // libcuda.so.1 by itself, and would find the simulated one where the loader's path leads there.
  Outcome probe(const fs::path& nvrtc, const std::vector<std::string>& words, Environment environment = {}) {
    environment.insert({{"RONDO_NVRTC", nvrtc.string()},
                        {"RONDO_CUDA_DRIVER", "none"},
                        {"CUDA_CACHE_DISABLE", "1"},
                        {"LD_LIBRARY_PATH", ""}});
    std::vector<std::string> command{NVRTC_PROBE};
    command.insert(command.end(), words.begin(), words.end());
    Outcome outcome = run(command, environment);
    EXPECT_EQ(outcome.code, 0) << outcome.text;
    return outcome;
  }
  const fs::path& library() const { return library_; }
  fs::path folder() const { return library_.parent_path(); }

 private:
  fs::path library_;
};

// --- every architecture ---

struct Case {
  int major, architecture;
};

constexpr int kMajors[] = {11, 12, 13};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const int major : kMajors)
    for (const int architecture : kArchitectures) all.push_back({major, architecture});
  return all;
}

bool knows(int major, int architecture) {
  return architecture <= 90 || major > 11;
}

std::string setting(const char* name, const char* otherwise) {
  const char* text = std::getenv(name);
  return text && *text ? text : otherwise;
}

// What is compiled, by the settings that tests/run makes.
Wish wish_of_settings() {
  const std::string extent = setting("RONDO_TEST_NVRTC", "sample");
  Wish wish;
  wish.extent = extent == "all" ? Wish::all : extent == "each" ? Wish::each : Wish::sample;
  wish.turn = setting("RONDO_TEST_TURN", "");
  std::istringstream files(setting("RONDO_TEST_CHANGED", ""));
  for (std::string name; files >> name;) {
    if (name.rfind("src/rtc/device/", 0) != 0) continue;
    std::ifstream file(fs::path(SOURCE_ROOT) / name);
    wish.changed.push_back(embedded({std::istreambuf_iterator<char>(file), {}}));
  }
  return wish;
}

const Collection& kernels_of_settings() {
  return collection(wants_whole_suite(wish_of_settings()) ? Suite::whole : Suite::quick);
}

// Which kernels each case compiles, chosen once for all of them.
struct Choice {
  size_t kernels = 0;
  std::vector<Pair> pairs;
  std::vector<std::vector<std::string>> ids;
};

const Choice& choice() {
  static const Choice made = [] {
    Choice all;
    const std::vector<Kernel> kernels = read_kernels(kernels_of_settings().folder);
    all.kernels = kernels.size();
    for (const Case& each : cases())
      if (const int minor = nvrtc_of(each.major).minor; minor >= 0 && knows(each.major, each.architecture))
        all.pairs.push_back({each.major, minor, each.architecture});
    for (const std::vector<size_t>& places : choose(wish_of_settings(), kernels, all.pairs)) {
      all.ids.emplace_back();
      for (const size_t place : places) all.ids.back().push_back(kernels[place].id);
    }
    return all;
  }();
  return made;
}

void write_list(const fs::path& path, const std::vector<std::string>& ids) {
  std::ofstream file(path);
  for (const std::string& id : ids) file << id << '\n';
}

class NvrtcKernels : public Nvrtc, public testing::WithParamInterface<Case> {
 protected:
  void SetUp() override { use(GetParam().major); }
};

TEST_P(NvrtcKernels, Compile) {
  const auto [major, architecture] = GetParam();
  const Collection& kernels = kernels_of_settings();
  ASSERT_EQ(kernels.failure, "");
  const std::string extent = setting("RONDO_TEST_NVRTC", "sample");
  ASSERT_TRUE(extent == "sample" || extent == "each" || extent == "all")
      << "RONDO_TEST_NVRTC is `sample`, `each` or `all`, not " << extent;
  const std::string sm = "sm_" + std::to_string(architecture);
  const std::string stamps = kernels.folder + "-good." + std::to_string(major) + "." + sm, list = stamps + ".chosen";
  std::vector<std::string> ids;
  for (size_t i = 0; i < choice().pairs.size(); ++i)
    if (choice().pairs[i].major == major && choice().pairs[i].architecture == architecture) ids = choice().ids[i];
  write_list(list, ids);
  const Outcome outcome = probe(folder(), {"architecture", std::to_string(architecture), stamps, kernels.folder, list,
                                           extent == "all" ? "1" : kTogether});
  ASSERT_EQ(outcome["path"], library().string()) << outcome.text;
  if (outcome["known"] == "no") {
    ASSERT_FALSE(knows(major, architecture)) << sm << " is known to every NVRTC of CUDA " << major;
    GTEST_SKIP() << sm << ": NVRTC of " << outcome["nvrtc"] << " does not know it";
  }
  EXPECT_EQ(outcome["failed"], "0") << outcome.text;
  const int chosen = number(outcome["chosen"]);
  EXPECT_GT(chosen, 25) << outcome.text;
  EXPECT_EQ(number(outcome["compiled"]) + number(outcome["good before"]), chosen) << outcome.text;
  std::printf("%s, %s: %d of %zu kernels; %s compiled now, %s known to be good\n", outcome["nvrtc"].c_str(), sm.c_str(),
              chosen, choice().kernels, outcome["compiled"].c_str(), outcome["good before"].c_str());
}
// Says once what the cases above do not compile.
TEST_F(Nvrtc, WhatIsLeftIsSaid) {
  if (choice().pairs.empty()) GTEST_SKIP() << "no NVRTC in " << fetched_root().string();
  std::set<std::string> compiled;
  for (const std::vector<std::string>& ids : choice().ids) compiled.insert(ids.begin(), ids.end());
  ASSERT_LE(compiled.size(), choice().kernels);
  if (compiled.size() < choice().kernels)
    std::printf("left to other turns: %zu of %zu kernels\n", choice().kernels - compiled.size(), choice().kernels);
}
INSTANTIATE_TEST_SUITE_P(Real, NvrtcKernels, testing::ValuesIn(cases()), [](const auto& each) {
  return "cuda" + std::to_string(each.param.major) + "_sm_" + std::to_string(each.param.architecture);
});

// --- the sample ---

constexpr char kHeader[] = "namespace rondo::device {\nint some;\n}  // namespace rondo::device\n";
constexpr char kOther[] = "namespace rondo::device {\nint other;\n}  // namespace rondo::device\n";

class NvrtcSample : public testing::Test {
 protected:
  // A kernel of a header and its own text; its id says which it is.
  void add(const std::string& header, const std::string& name, const std::string& body) {
    kernels_.push_back({std::to_string(kernels_.size()), name, header + body});
  }
  std::vector<std::vector<size_t>> chosen(const std::string& turn, const std::vector<std::string>& changed = {},
                                          Wish::Extent extent = Wish::sample) const {
    return choose({extent, turn, changed}, kernels_, kPairs);
  }
  static size_t count(const std::vector<std::vector<size_t>>& lists) {
    size_t sum = 0;
    for (const std::vector<size_t>& list : lists) sum += list.size();
    return sum;
  }
  const std::vector<Kernel>& kernels() const { return kernels_; }
  // Kernels of one header, of which few have a line that most have not.
  void add_lines() {
    for (int i = 0; i < 400; ++i) add(kHeader, "copy", "Copy<" + std::to_string(i) + ">\nmore;\n");
    for (int i = 0; i < 3; ++i) add(kHeader, "copy", "Copy<" + std::to_string(i) + ">\nrare;");
  }
  // Whether a kernel with this text is chosen for the architecture.
  bool has(const std::vector<std::vector<size_t>>& lists, int architecture, const std::string& wanted) const {
    for (size_t pair = 0; pair < kPairs.size(); ++pair)
      for (const size_t at : lists[pair])
        if (kPairs[pair].architecture == architecture && kernels_[at].text.find(wanted) != std::string::npos)
          return true;
    return false;
  }

  inline static const std::vector<Pair> kPairs = {{11, 8, 75}, {11, 8, 90}, {12, 9, 75}, {12, 9, 90}, {13, 0, 90}};

 private:
  std::vector<Kernel> kernels_;
};

TEST_F(NvrtcSample, EveryThirdTurnHasTheWholeSuite) {
  int whole = 0;
  for (int turn = 0; turn < 300; ++turn) whole += wants_whole_suite({Wish::sample, std::to_string(turn), {}});
  EXPECT_NEAR(whole, 100, 30);
  for (const Wish::Extent extent : {Wish::each, Wish::all}) EXPECT_TRUE(wants_whole_suite({extent, "1", {}}));
  EXPECT_TRUE(wants_whole_suite({Wish::sample, "", {}})) << "by hand";
}

TEST_F(NvrtcSample, NumbersAreNoPartOfAPattern) {
  EXPECT_EQ(pattern_of("Copy<f32, 4> x12(1.5f, 0x10);", false), pattern_of("Copy<bf16, 32> x7(2.f, 7);", false));
  EXPECT_NE(pattern_of("Copy<f32, 4> x12;", true), pattern_of("Copy<bf16, 4> x12;", true));
  EXPECT_EQ(pattern_of("Copy<f32, 4> x12;", true), pattern_of("Copy<f32, 8> x1;", true));
  EXPECT_NE(pattern_of("Copy<f32, 4> x;", false), pattern_of("Move<f32, 4> x;", false));
  EXPECT_NE(pattern_of("constexpr int kKind = 1;", true), pattern_of("constexpr int kKind = 2;", true));
}

TEST_F(NvrtcSample, EachLineMeetsArchitecturesByTurns) {
  add_lines();
  std::map<int, int> turns_of;
  for (int turn = 0; turn < 40; ++turn) {
    const auto lists = chosen(std::to_string(turn));
    EXPECT_LT(count(lists), 60u);
    const int before = turns_of[75] + turns_of[90];
    for (const int architecture : {75, 90})
      turns_of[architecture] += has(lists, architecture, "more") && has(lists, architecture, "rare");
    EXPECT_GT(turns_of[75] + turns_of[90], before) << "in the turn " << turn;
  }
  for (const int architecture : {75, 90}) EXPECT_GT(turns_of[architecture], 8) << "sm_" << architecture;
}

TEST_F(NvrtcSample, LinesOfAChangeAreForEachArchitecture) {
  add_lines();
  for (const char* turn : {"a", "b", "c", "d", "e"})
    for (const char* wanted : {"more", "rare"})
      for (const int architecture : {75, 90})
        EXPECT_TRUE(has(chosen(turn, {kHeader}), architecture, wanted))
            << wanted << " for sm_" << architecture << " in the turn " << turn;
}

TEST_F(NvrtcSample, EachTypeConstantAndOperatorIsCompiled) {
  for (int i = 0; i < 400; ++i) add(kHeader, "copy", "using In = f32;\nconstexpr int kKind = 1;\n");
  add(kHeader, "copy", "using In = f16;\nconstexpr int kKind = 1;\n");
  add(kHeader, "copy", "using In = f32;\nconstexpr int kKind = 2;\n");
  add(kHeader, "move", "using In = f32;\nconstexpr int kKind = 1;\n");
  add(kOther, "copy", "using In = f32;\nconstexpr int kKind = 1;\n");
  std::set<size_t> places;
  for (const std::vector<size_t>& list : chosen("a")) places.insert(list.begin(), list.end());
  for (size_t i = 400; i < kernels().size(); ++i) EXPECT_EQ(places.count(i), 1u) << kernels()[i].text;
}

TEST_F(NvrtcSample, KernelsOfAChangedHeaderAreMore) {
  for (const char* header : {kHeader, kOther})
    for (int i = 0; i < 400; ++i) add(header, "copy", "Copy<" + std::to_string(i) + ">");
  const std::string header = std::string("// Says.\n#pragma once\n\n#include \"a.h\"\n") + kOther;
  EXPECT_EQ(embedded(header), kOther);
  const size_t before = count(chosen("a")), after = count(chosen("a", {embedded(header)}));
  EXPECT_GT(after, before + 15);
  EXPECT_LT(after, before + 80);
}

TEST_F(NvrtcSample, TurnsTogetherHaveAll) {
  for (int i = 0; i < 100; ++i) add(kHeader, "copy", "Copy<" + std::to_string(i) + ">");
  std::set<size_t> places;
  for (int turn = 0; turn < 400; ++turn)
    for (const std::vector<size_t>& list : chosen(std::to_string(turn))) places.insert(list.begin(), list.end());
  EXPECT_EQ(places.size(), 100u);
  EXPECT_EQ(chosen("a"), chosen("a"));
}

TEST_F(NvrtcSample, WhatAPairCannotCompileIsNotAskedOfIt) {
  for (int i = 0; i < 20; ++i) add(kHeader, "product", "ldmatrix " + std::to_string(i));
  for (int i = 0; i < 20; ++i) add("", "chooser", "choose " + std::to_string(i));
  for (const Wish::Extent extent : {Wish::sample, Wish::each, Wish::all}) {
    const auto lists = chosen("a", {}, extent);
    for (size_t pair = 0; pair < kPairs.size(); ++pair)
      for (const size_t at : lists[pair]) {
        EXPECT_FALSE(at < 20 && kPairs[pair].architecture < 80);
        EXPECT_FALSE(at >= 20 && kPairs[pair].major < 12);
      }
    if (extent != Wish::sample) {
      EXPECT_EQ(count(lists), extent == Wish::each ? 40u : 20 * 3 + 20 * 3);
    }
  }
}

// --- the library ---

class NvrtcLibrary : public Nvrtc, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override { use(GetParam()); }
};

TEST_P(NvrtcLibrary, ByItsPathAndTheLocaleSurvives) {
  const Collection& kernels = kernels_of_settings();
  ASSERT_EQ(kernels.failure, "");
  const Outcome outcome = probe(library(), {"locale", kernels.folder}, {{"LC_ALL", "C.UTF-8"}});
  EXPECT_EQ(outcome["path"], library().string()) << outcome.text;
  EXPECT_EQ(outcome["compiled"], "yes") << outcome.text;
  EXPECT_EQ(outcome["before"], outcome["after"]) << outcome.text;
  if (outcome["set"] != "yes") GTEST_SKIP() << "this machine has no locale C.UTF-8";
  EXPECT_EQ(outcome["after"], "C.UTF-8") << outcome.text;
}

TEST_P(NvrtcLibrary, WithoutItsBuiltins) {
  const Folder place;
  const std::string& name = place.path();
  fs::create_symlink(library(), fs::path(name) / library().filename());
  const Outcome outcome = probe(name, {"operator"}, {{"RONDO_CUDA_DRIVER", SIMULATED_DRIVER}, {"RONDO_CACHE", "off"}});
  EXPECT_EQ(outcome["status"], "RONDO_LIBRARY_MISSING") << outcome.text;
  const std::string version = library().parent_path().parent_path().filename();
  for (const std::string& part :
       {std::string("rondo_unary(neg): "), std::string("neg: NVRTC CUDA "), "libnvrtc-builtins.so." + version,
        "looked for in " + name, name + "/" + library().filename().string(), std::string("set RONDO_NVRTC"),
        std::string("nvidia-cuda-nvrtc")})
    EXPECT_NE(outcome["message"].find(part), std::string::npos) << "lacks: " << part << "\n" << outcome.text;
}

// Since 12.9 it asks the driver in the process for a private table when it compiles. What it makes is no image for the
// simulated driver, which refuses it.
TEST_P(NvrtcLibrary, CompilesBesideTheSimulatedDriver) {
  const Outcome outcome =
      probe(library(), {"operator"}, {{"RONDO_CUDA_DRIVER", SIMULATED_DRIVER}, {"RONDO_CACHE", "off"}});
  EXPECT_EQ(outcome["status"], "RONDO_DEVICE_ERROR") << outcome.text;
  EXPECT_NE(outcome["message"].find("cuModuleLoadDataEx"), std::string::npos) << outcome.text;
}

// The same way as with the kernels of the suite, where none is bad.
TEST_P(NvrtcLibrary, NamesAKernelThatDoesNotCompile) {
  const Folder kernels;
  for (int i = 0; i < 24; ++i)
    ASSERT_TRUE(
        write_kernel(kernels.path(), "good",
                     "extern \"C\" __global__ void rondo_kernel(int* p) { *p = " + std::to_string(i) + "; }\n"));
  ASSERT_TRUE(
      write_kernel(kernels.path(), "good", "extern \"C\" __global__ void rondo_kernel(int* p) { *p = no_such; }\n"));
  std::vector<std::string> ids;
  for (const Kernel& kernel : read_kernels(kernels.path())) ids.push_back(kernel.id);
  const std::string stamps = kernels.path() + "/good", list = kernels.path() + "/chosen";
  write_list(list, ids);
  const std::vector<std::string> words{"architecture", "90", stamps, kernels.path(), list, kTogether};
  const Outcome outcome = probe(folder(), words);
  EXPECT_EQ(outcome["failed"], "1") << outcome.text;
  EXPECT_EQ(outcome["taken apart"], "1") << outcome.text;
  EXPECT_EQ(outcome["compiled"], "24") << outcome.text;
  for (const char* part : {"of good: ", "could not compile the kernel", "sm_90"})
    EXPECT_NE(outcome["failure"].find(part), std::string::npos) << outcome.text;
  const Outcome again = probe(folder(), words);
  EXPECT_EQ(again["compiled"], "0") << again.text;
  EXPECT_EQ(again["good before"], "24") << again.text;
  EXPECT_EQ(again["failed"], "1") << "a failure is never taken for known: " << again.text;
}

INSTANTIATE_TEST_SUITE_P(Real, NvrtcLibrary, testing::Values(11, 12, 13),
                         [](const auto& each) { return "cuda" + std::to_string(each.param); });

}  // namespace
}  // namespace toolkits
