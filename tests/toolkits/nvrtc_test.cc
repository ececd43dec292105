// Real NVRTC, and no GPU: every kernel of the conformance suite compiles with each version that fetch.py brought, for
// each architecture; its library is found by its path, its builtins are beside it or missed clearly, and the locale
// survives. README.md says how.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "folder.h"
#include "nvrtc_collect.h"
#include "nvrtc_kernels.h"
#include "program.h"

namespace toolkits {
namespace {

namespace fs = std::filesystem;

// NVRTC of the newest fetched version of a major of CUDA; empty if there is none.
fs::path nvrtc_of(int major) {
  const std::string prefix = std::to_string(major) + ".";
  int newest = -1;
  fs::path found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(fetched_root(), ignored)) {
    const std::string name = entry.path().filename();
    if (name.compare(0, prefix.size(), prefix) != 0) continue;
    const int minor = std::atoi(name.c_str() + prefix.size());
    for (const fs::directory_entry& file : fs::directory_iterator(entry.path() / "lib", ignored))
      if (file.path().filename().string().rfind("libnvrtc.so.", 0) == 0 && minor > newest) {
        newest = minor;
        found = file.path();
      }
  }
  return found;
}

int number(const std::string& text) {
  return text.empty() ? -1 : std::stoi(text);
}

class Nvrtc : public testing::Test {
 protected:
  // Sets a case up; without a library, it is skipped.
  void use(int major) {
    library_ = nvrtc_of(major);
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

// --- every kernel, every architecture ---

struct Pair {
  int major, architecture;
};

constexpr int kMajors[] = {11, 12, 13};

std::vector<Pair> pairs() {
  std::vector<Pair> all;
  for (const int major : kMajors)
    for (const int architecture : kArchitectures) all.push_back({major, architecture});
  return all;
}

class NvrtcKernels : public Nvrtc, public testing::WithParamInterface<Pair> {
 protected:
  void SetUp() override { use(GetParam().major); }
};

TEST_P(NvrtcKernels, Compile) {
  const auto [major, architecture] = GetParam();
  const Collection& kernels = collection();
  ASSERT_EQ(kernels.failure, "");
  const char* wish = std::getenv("RONDO_TEST_NVRTC");
  const std::string extent = wish && *wish ? wish : "new";
  ASSERT_TRUE(extent == "new" || extent == "share" || extent == "all")
      << "RONDO_TEST_NVRTC is `new`, `share` or `all`, not " << wish;
  const std::string turn =
      std::to_string(std::find(kMajors, std::end(kMajors), major) - kMajors) + "/" + std::to_string(std::size(kMajors));
  const std::string which = extent == "new" ? turn : extent == "share" ? "share:" + turn : extent;
  const std::string list = extent == "new" ? COMPILED_LIST : "";
  const std::string sm = "sm_" + std::to_string(architecture);
  const std::string stamps = kernels.folder + "-good." + std::to_string(major) + "." + sm;
  const Outcome outcome =
      probe(folder(), {"architecture", std::to_string(architecture), stamps, list, kernels.folder, which});
  ASSERT_EQ(outcome["path"], library().string()) << outcome.text;
  if (outcome["known"] == "no") {
    ASSERT_TRUE(architecture > 90 && major < 13) << sm << " is known to every NVRTC of CUDA " << major;
    GTEST_SKIP() << sm << ": NVRTC of " << outcome["nvrtc"] << " does not know it";
  }
  EXPECT_EQ(outcome["failed"], "0") << outcome.text;
  const int chosen = number(outcome["chosen"]);
  EXPECT_GT(chosen, 100) << outcome.text;
  EXPECT_EQ(number(outcome["compiled"]) + number(outcome["good before"]), chosen) << outcome.text;
  if (extent == "new" && outcome["compiled"] != "0")
    std::printf("%s kernels are not in the list; tests/toolkits/compiled.py adds them\n", outcome["compiled"].c_str());
  std::printf("%s, %s: %d of %s kernels%s; %s compiled now, %s known to be good\n", outcome["nvrtc"].c_str(),
              sm.c_str(), chosen, outcome["kernels"].c_str(),
              extent == "all" ? "" : " (others have another turn; RONDO_TEST_NVRTC=all compiles all for each)",
              outcome["compiled"].c_str(), outcome["good before"].c_str());
}
INSTANTIATE_TEST_SUITE_P(Real, NvrtcKernels, testing::ValuesIn(pairs()), [](const auto& each) {
  return "cuda" + std::to_string(each.param.major) + "_sm_" + std::to_string(each.param.architecture);
});

// --- the library ---

class NvrtcLibrary : public Nvrtc, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override { use(GetParam()); }
};

TEST_P(NvrtcLibrary, ByItsPathAndTheLocaleSurvives) {
  const Collection& kernels = collection();
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
  int failed = 0;
  std::string failure;
  for (const int architecture : kArchitectures) {
    const std::string stamps = kernels.path() + "/good." + std::to_string(architecture);
    const Outcome outcome =
        probe(folder(), {"architecture", std::to_string(architecture), stamps, "", kernels.path(), "0/1"});
    if (outcome["known"] != "yes") continue;
    failed += number(outcome["failed"]);
    failure += outcome["failure"];
    EXPECT_EQ(number(outcome["compiled"]) + number(outcome["failed"]), number(outcome["chosen"])) << outcome.text;
    const Outcome again =
        probe(folder(), {"architecture", std::to_string(architecture), stamps, "", kernels.path(), "0/1"});
    EXPECT_EQ(again["compiled"], "0") << again.text;
    EXPECT_EQ(again["good before"], outcome["compiled"]) << again.text;
    EXPECT_EQ(again["failed"], outcome["failed"]) << "a failure is never taken for known: " << again.text;
  }
  EXPECT_EQ(failed, 1) << failure;
  for (const char* part : {"of good: ", "could not compile the kernel", "sm_"})
    EXPECT_NE(failure.find(part), std::string::npos) << failure;
}

TEST_P(NvrtcLibrary, LeavesOutWhatTheListHas) {
  const Folder place;
  const std::string kernels = place.path() + "/kernels", stamps = kernels + "-good.sm_90",
                    list = place.path() + "/list";
  fs::create_directory(kernels);
  const auto add = [&kernels](const char* body) {
    return write_kernel(kernels, "some",
                        std::string("extern \"C\" __global__ void rondo_kernel(int* p) { ") + body + " }\n");
  };
  const auto compile = [&](const std::string& known) {
    fs::remove(stamps);
    return probe(folder(), {"architecture", "90", stamps, known, kernels, "all"});
  };
  ASSERT_TRUE(add("*p = 1;") && add("*p = 2;"));
  EXPECT_EQ(compile("")["compiled"], "2");
  const Outcome made = run({PYTHON, COMPILED_SCRIPT, kernels, list}, {});
  ASSERT_EQ(made.code, 0) << made.text;
  EXPECT_EQ(compile(list)["good before"], "2");
  ASSERT_TRUE(add("*p = no_such;"));  // a text that the list has not
  const Outcome changed = compile(list);
  EXPECT_EQ(changed["good before"], "2") << changed.text;
  EXPECT_EQ(changed["failed"], "1") << changed.text;
  std::ifstream file(list);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  ASSERT_NE(text.find("sm_90"), std::string::npos) << text;
  text.replace(text.find("sm_90"), 5, "sm_89");  // made under other circumstances
  std::ofstream(list) << text;
  EXPECT_EQ(compile(list)["compiled"], "2") << text;
}

INSTANTIATE_TEST_SUITE_P(Real, NvrtcLibrary, testing::Values(11, 12, 13),
                         [](const auto& each) { return "cuda" + std::to_string(each.param); });

}  // namespace
}  // namespace toolkits
