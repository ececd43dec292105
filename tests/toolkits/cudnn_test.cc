// Real cuDNN, and no GPU: it makes plans, for each architecture, of every convolution that Rondo asks it for in the
// conformance suite and in the networks of the examples. README.md says how.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "cudnn_collect.h"
#include "cudnn_devices.h"
#include "program.h"

namespace toolkits {
namespace {

namespace fs = std::filesystem;

struct Version {
  const char* name;
  const char* cublaslt;  // the one of its CUDA
  const char* cuda;      // whose NVRTC it compiles with
};
void PrintTo(const Version& version, std::ostream* out) {
  *out << version.name;
}
constexpr Version kVersions[] = {{"9.8", STUB_CUBLASLT_12, "12.9"}, {"9.28", STUB_CUBLASLT_13, "13.5"}};

// What the probe says of each problem that it asks for.
struct Answer {
  std::string problem, what, why;  // what: plans, refused or failure
};

std::vector<Answer> answers_of(const std::string& text) {
  std::vector<Answer> answers;
  std::istringstream lines(text);
  std::string problem;
  for (std::string line; std::getline(lines, line);) {
    const size_t tab = line.find('\t');
    if (tab == std::string::npos) continue;
    const std::string key = line.substr(0, tab), value = line.substr(tab + 1);
    if (key == "asking") problem = value;
    if (key == "plans" || key == "refused" || key == "failure") answers.push_back({problem, key, value});
  }
  return answers;
}

class Cudnn : public testing::Test {
 protected:
  void use(const Version& version) {
    version_ = version;
    library_ = fetched_root() / (std::string("cudnn-") + version.name) / "lib" / "libcudnn.so.9";
    std::error_code ignored;
    if (!fs::exists(library_, ignored))
      GTEST_SKIP() << "no cuDNN " << version.name << " in " << fetched_root().string()
                   << "; tests/toolkits/fetch.py --thorough fetches it";
  }
  Outcome probe(int architecture, const std::vector<std::string>& files, const std::string& nvrtc = "none") {
    std::vector<std::string> command{CUDNN_PROBE, std::to_string(architecture), STUB_DRIVER, version_.cublaslt};
    command.insert(command.end(), files.begin(), files.end());
    return run(command, {{"RONDO_CUDNN", library_.string()},
                         {"RONDO_CUDA_DRIVER", "none"},
                         {"RONDO_NVRTC", nvrtc},
                         {"RONDO_CUBLASLT", "none"},
                         {"LD_LIBRARY_PATH", ""}});
  }
  const Version& version() const { return version_; }
  std::string path() const { return library_.string(); }

 private:
  Version version_ = {};
  fs::path library_;
};

struct Pair {
  Version version;
  Gpu gpu;
};

void PrintTo(const Pair& pair, std::ostream* out) {
  *out << "cuDNN " << pair.version.name << ", sm_" << pair.gpu.architecture;
}

std::vector<Pair> pairs() {
  std::vector<Pair> all;
  for (const Version& version : kVersions)
    for (const Gpu& gpu : kGpus) all.push_back({version, gpu});
  return all;
}

class CudnnPlans : public Cudnn, public testing::WithParamInterface<Pair> {
 protected:
  void SetUp() override { use(GetParam().version); }
};

// Rondo's own kernels do these.
bool may_be_refused(const Answer& answer, const Gpu& gpu) {
  return gpu.architecture < 80 && answer.problem.find(" bf16 ") != std::string::npos;  // no such numbers in hardware
}

TEST_P(CudnnPlans, OfEveryConvolution) {
  const Gpu& gpu = GetParam().gpu;
  const std::string sm = "sm_" + std::to_string(gpu.architecture);
  if (gpu.architecture == 100 && std::string(version().name) == "9.8")
    GTEST_SKIP() << "cuDNN 9.8 ends the process where its engines for sm_100 are made without a handle";
  ASSERT_EQ(asked().failure, "");
  const Outcome outcome = probe(gpu.architecture, {asked().suite, asked().networks});
  const std::vector<Answer> answers = answers_of(outcome.text);
  ASSERT_EQ(outcome.code, 0) << sm << ", cuDNN " << version().name << ": "
                             << outcome.text.substr(outcome.text.rfind("\nasking\t") + 1);
  EXPECT_EQ(outcome["path"], path()) << outcome.text.substr(0, 600);
  size_t planned = 0, refused = 0;
  for (const Answer& each : answers) {
    if (each.what == "plans")
      ++planned;
    else if (each.what == "refused" && may_be_refused(each, gpu))
      ++refused;
    else
      ADD_FAILURE() << sm << ", cuDNN " << version().name << ", " << each.problem << ": " << each.what << ": "
                    << each.why;
  }
  EXPECT_GT(planned, 2000U);
  EXPECT_EQ(std::to_string(planned), outcome["planned"]);
  EXPECT_EQ(std::to_string(planned + refused), outcome["problems"]);
  std::printf("cuDNN %s, %s (%s): %zu problems have plans, %s of them in all; %zu are refused, as is known\n",
              outcome["cudnn"].c_str(), sm.c_str(), gpu.name, planned, outcome["made"].c_str(), refused);
}
INSTANTIATE_TEST_SUITE_P(Real, CudnnPlans, testing::ValuesIn(pairs()), [](const auto& each) {
  std::string name =
      std::string("cudnn_") + each.param.version.name + "_sm_" + std::to_string(each.param.gpu.architecture);
  for (char& c : name) c = c == '.' ? '_' : c;
  return name;
});

class CudnnRefusals : public Cudnn, public testing::WithParamInterface<Version> {
 protected:
  void SetUp() override { use(GetParam()); }
};

// A residual without a bias, for which Rondo finds another way, is no pattern that is compiled ahead; shapes that do
// not fit are an error.
TEST_P(CudnnRefusals, AreNamed) {
  const std::string file = testing::TempDir() + "rondo-refusals-" + version().name;
  const std::string convolution = "10 2 4 1 8 6 6 288 1 48 8 8 8 3 3 72 1 24 8 ", behind = " 1 1 1 1 1 1 1 1 0 0 0\n";
  std::ofstream(file) << convolution + "1 8 6 6 288 1 48 8 288 1 48 8" + behind
                      << convolution + "1 8 7 6 336 1 48 8 0 0 0 0" + behind;
  const Outcome outcome = probe(90, {file});
  fs::remove(file);
  ASSERT_EQ(outcome.code, 0) << outcome.text;
  const std::vector<Answer> answers = answers_of(outcome.text);
  ASSERT_FALSE(answers.empty()) << outcome.text;
  for (const Answer& each : answers) {
    const bool fits = each.problem.find("result 1x8x6x6") != std::string::npos ||
                      each.problem.find("result 16x8x6x6") != std::string::npos;
    EXPECT_EQ(each.what, fits ? "refused" : "failure") << each.problem << ": " << each.why;
    if (fits)
      EXPECT_EQ(each.why, "no proposal");
    else
      EXPECT_NE(each.why.find("CUDNN_STATUS_BAD_PARAM"), std::string::npos) << each.why;
  }
}
INSTANTIATE_TEST_SUITE_P(Real, CudnnRefusals, testing::ValuesIn(kVersions), [](const auto& each) {
  return std::string(each.param.name) == "9.8" ? "cudnn_9_8" : "cudnn_9_28";
});

// Attention as BERT, and decoders, have it, each way, plain and in bands, with heads that share keys, of parts of one
// product, with odd numbers of places. From 9.21 on all of it has plans, on GPUs with tensor cores of bf16; cuDNN 9.8
// has no such operations, but graphs of several that are the same. Newer ones are not asked for those: of one query
// 9.28 ends the process by them.
TEST_P(CudnnPlans, OfAttention) {
  const Gpu& gpu = GetParam().gpu;
  const bool old = std::string(version().name) == "9.8";
  const std::string file = testing::TempDir() + "rondo-attention-" + version().name + std::to_string(gpu.architecture);
  const fs::path nvrtc = fetched_root() / version().cuda / "lib";
  std::error_code ignored;
  if (!fs::exists(nvrtc, ignored)) GTEST_SKIP() << "no NVRTC of CUDA " << version().cuda << " in " << fetched_root();
  std::ofstream lines(file);
  bool half = false;
  for (const char* shape :
       {"4 16 16 128 128 64 0 -1 -1 2", "1 12 12 128 128 64 0 -1 -1 2", "2 8 2 300 511 128 0 -1 -1 1",
        "2 8 8 1024 1024 128 0 -1 0 0", "1 4 4 100 333 64 233 -1 0 1", "1 4 1 333 333 32 0 100 20 1",
        "1 2 2 7 9 8 0 -1 -1 0", "1 1 1 1 77 40 76 -1 0 0"}) {
    half = !half;
    std::istringstream numbers(shape);
    int batch = 0, heads = 0, key_heads = 0, queries = 0;
    numbers >> batch >> heads >> key_heads >> queries;
    for (const char* way : {"0 0", "1 0", "0 1", "1 1"}) {
      const bool gradient = way[0] == '1', composed = way[2] == '1';
      if (composed && (!old || queries == 1 || (gradient && heads != key_heads))) continue;
      lines << "attention " << way << (half ? " 2 " : " 9 ") << shape << "\n";
    }
  }
  lines.close();
  const Outcome outcome = probe(gpu.architecture, {file}, nvrtc.string());
  fs::remove(file);
  ASSERT_EQ(outcome.code, 0) << outcome.text;
  const std::vector<Answer> answers = answers_of(outcome.text);
  EXPECT_EQ(outcome["problems"], old ? "28" : "16") << outcome.text;
  size_t planned = 0;
  for (const Answer& each : answers) {
    const bool composed = each.problem.find("composed") == 0;
    if ((old && !composed) || gpu.architecture < 80)
      EXPECT_EQ(each.what, "refused") << each.problem << ": " << each.why;
    else
      EXPECT_EQ(each.what, "plans") << each.problem << ": " << each.why;
    planned += each.what == "plans";
  }
  std::printf("cuDNN %s, sm_%d: %zu attentions have plans, %s in all\n", outcome["cudnn"].c_str(), gpu.architecture,
              planned, outcome["made"].c_str());
}

}  // namespace
}  // namespace toolkits
