// Collecting convolutions: programs run on the simulated driver with the simulated cuDNN, which writes down what it is
// asked for, and with kernels that do nothing. So they come by all their convolutions in seconds, compute nothing and
// fail; what they ask for does not depend on results.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "cudnn_collect.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "nvrtc_collect.h"
#include "program.h"

namespace toolkits {

namespace fs = std::filesystem;

namespace {

struct Program {
  std::vector<std::string> command;
  const char* last;  // what it says when it has done all that it does
};

std::string tail(const std::string& text) {
  return text.substr(text.size() - std::min<size_t>(text.size(), 600));
}

// Why not all is there that a program asks for; empty if it is.
std::string collect_from(const Program& program, const std::string& folder, const std::string& file) {
  const Outcome outcome = run(program.command, {{"RONDO_CUDA_DRIVER", SIMULATED_DRIVER},
                                                {"RONDO_NVRTC", NVRTC_RECORDER},
                                                {"RONDO_CUBLASLT", "none"},
                                                {"RONDO_CUDNN", SIMULATED_CUDNN},
                                                {"RONDO_TRIAL_MS", "0"},
                                                {"RONDO_CACHE", "off"},
                                                {"RONDO_TEST_KERNELS", folder + "/kernels"},
                                                {"SIMCUDA_CACHE", folder + "/kernels"},
                                                {"SIMCUDA_REPORT", "quiet"},
                                                {"SIMCUDNN_RECORD", file}});
  if (outcome.code != 0 && outcome.code != 1)
    return program.command[0] + " ended with " + std::to_string(outcome.code) + ": " + tail(outcome.text);
  if (outcome.text.find(program.last) == std::string::npos)
    return program.command[0] + " did not come to its end: " + tail(outcome.text);
  if (const std::string early = early_end(outcome.text); !early.empty())
    return "a case of " + program.command[0] + " ended early, and convolutions may be missed (use EXPECT_): " + early;
  return {};
}

// ResNet-50 under a feature pyramid, trained and asked, and EfficientNet-Lite0.
std::vector<Program> networks(const std::string& folder) {
  std::vector<Program> programs;
  for (const char* dtype : {"f16", "bf16", "f32"})
    for (const char* layout : {"nhwc", "nchw"})
      programs.push_back({{RESNET50, "--device", "cuda:0", "--size", "224", "--batch", "2", "--steps", "1", "--dtype",
                           dtype, "--layout", layout, "--pyramid"},
                          "folded normalisation"});
  programs.push_back({{PHOTOGRAPHS, "--model", folder + "/lite0.safetensors", "--device", "cuda:0", "--out",
                       folder + "/out.svg", folder + "/picture.ppm"},
                      "eager and graph"});
  return programs;
}

Asked collect() {
  Asked made;
  const std::string folder = CUDNN_PROBLEMS;
  made.suite = folder + "/suite";
  made.networks = folder + "/networks";
  fs::remove_all(folder);
  fs::create_directories(folder + "/kernels");
  // Layouts are no matter of the library's, which is given packed operands: hundreds of small shapes more.
  const Program suite{
      {CONFORMANCE_CONVOLUTION, "--gtest_filter=-*cpu_*:*cuda_threaded*:*cuda_naive*:*ConvolutionLayouts*"},
      "Global test environment tear-down"};
  made.failure = collect_from(suite, folder, made.suite);
  const Outcome model = run({PYTHON, LITE0_SCRIPT, EXAMPLE_DATA, folder}, {});
  if (made.failure.empty() && model.code != 0) made.failure = model.text;
  for (const Program& each : networks(folder))
    if (made.failure.empty()) made.failure = collect_from(each, folder, made.networks);
  return made;
}

}  // namespace

const Asked& asked() {
  static const Asked made = collect();
  return made;
}

}  // namespace toolkits
