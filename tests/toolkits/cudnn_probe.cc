// Has the cuDNN that the settings name make plans for a GPU that is not there, through Rondo's own way from a problem
// to plans, and prints what came of it, one `key<tab>value` a line. cudnn_test starts it: a process opens one cuDNN,
// and cuDNN ends the process where something is missing.
//
//   cudnn_probe ARCHITECTURE LIBCUDA LIBCUBLASLT PROBLEMS...
//
// The two libraries are those of that name that cuDNN wants in the process. PROBLEMS has lines of problems
// (cudnn_problems.h): each is `asking`, and what follows is `plans`, or `refused` where the library has no way of it,
// or `failure`.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "cudnn_devices.h"
#include "cudnn_problems.h"
#include "dynlib/cudnn.h"

namespace {

using namespace rondo;
using namespace rondo::ops::dnn;
using toolkits::Gpu;

void print(const char* key, const std::string& value) {
  std::printf("%s\t%s\n", key, value.c_str());
}

[[noreturn]] void stop(const std::string& why) {
  print("stopped", why);
  std::exit(1);
}

void must(const Status& status, const char* doing) {
  if (!status.ok()) stop(std::string(doing) + ": " + status.message());
}

std::string json_of(const Gpu& gpu, int cuda_major) {
  std::string text = "{";
  const auto add = [&text](const char* key, long long value) {
    text += format("%s\"%s\": %lld", text.size() > 1 ? ", " : "", key, value);
  };
  text += format("\"deviceName\": \"%s\"", gpu.name);
  text += ", \"maxBlockSize\": [1024, 1024, 64], \"maxGridSize\": [2147483647, 65535, 65535]";
  add("cudaDeviceId", 0);
  add("pciDeviceId", 0);
  add("deviceVer", gpu.architecture * 10);
  add("smVersion", gpu.architecture * 10);
  add("driverVer", cuda_major * 1000);
  add("isTccDriver", 0);
  add("supportCoopLaunch", 1);
  add("warpSize", 32);
  add("multiProcessorCount", gpu.multiprocessors);
  add("smCountOrigin", 0);  // all of them
  add("totalGlobalMem", static_cast<long long>(gpu.memory_mb) << 20);
  add("l2CacheSize", static_cast<long long>(gpu.l2_kb) << 10);
  add("maxCtasPerSM", gpu.blocks);
  add("maxThreadsPerSM", gpu.threads);
  add("maxThreadsPerBlock", 1024);
  add("maxRegistersPerSM", 65536);
  add("regsPerBlock", 65536);
  add("maxSharedMemoryPerBlock", gpu.shared_kb << 10);
  add("maxSharedMemoryPerBlockOptin", gpu.shared_most_kb << 10);
  add("reservedSharedMemoryPerBlock", gpu.reserved_bytes);
  add("oversizedSharedMemoryPerBlock", 0);
  add("smClockRateKHz", gpu.clock_mhz * 1000LL);
  add("memClockRateKHz", gpu.memory_clock_mhz * 1000LL);
  add("memoryBusWidth", gpu.bus_bits);
  return text + "}";
}

// What stands for the device.
void make_handles(const Gpu& gpu, Handles* handles) {
  const std::string json = json_of(gpu, static_cast<int>(cuda::cudnn().cudnnGetCudartVersion() / 1000));
  must(handles->properties.create(cuda::CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR), "a device's properties");
  must(handles->properties.set(cuda::CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, cuda::CUDNN_TYPE_CHAR,
                               static_cast<int64_t>(json.size()), json.c_str()),
       "a device's properties");
  must(handles->properties.finalize(), "a device's properties");
}

struct Counts {
  int problems = 0, planned = 0, plans = 0;
};

// Makes every plan that Rondo would try.
void ask(Handles& handles, const Question& question, const std::string& text, Counts* counts) {
  ++counts->problems;
  print("asking", text);
  std::shared_ptr<const OperationGraph> graph;
  std::vector<Recipe> recipes;
  Status status = describe(handles, question, &graph);
  if (status.ok()) status = graph->propose(&recipes);
  if (!status.ok()) {
    print(status.code() == RONDO_UNSUPPORTED ? "refused" : "failure", status.message());
    return;
  }
  int made = 0;
  size_t least = SIZE_MAX;
  for (const Recipe& recipe : recipes) {
    std::unique_ptr<Plan> plan;
    status = Plan::make(graph, recipe, &plan);
    if (status.ok() && plan->workspace_bytes() <= question.workspace_limit()) {
      ++made;
      least = std::min(least, plan->workspace_bytes());
    } else if (!status.ok()) {
      print(status.code() == RONDO_UNSUPPORTED ? "passed over" : "failure",
            "engine " + text_of(recipe) + ": " + status.message());
    }
  }
  counts->plans += made;
  counts->planned += made > 0;
  if (made == 0) return print("refused", recipes.empty() ? "no proposal" : "no plan");
  print("plans", format("%d of %zu, from %zu bytes of workspace", made, recipes.size(), least));
}

// A problem with whatever else Rondo may be asked for with it, and of a larger batch.
void ask_variants(Handles& handles, Problem problem, Counts* counts) {
  for (const int more : {1, 16}) {
    for (int64_t* batch : {&problem.image.size[0], &problem.result.size[0]}) *batch *= more;
    for (problem.deterministic = 0; problem.deterministic < 2; ++problem.deterministic)
      for (problem.tf32 = 0; problem.tf32 <= (problem.dtype == RONDO_F32); ++problem.tf32)
        ask(handles, ConvolutionQuestion(problem), toolkits::text_of(problem), counts);
  }
}

void read_problems(const char* path, std::set<std::string>* lines) {
  std::ifstream file(path);
  if (!file) stop(std::string("cannot read ") + path);
  for (std::string line; std::getline(file, line);) lines->insert(line);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) stop("usage: cudnn_probe ARCHITECTURE LIBCUDA LIBCUBLASLT PROBLEMS...");
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // should cuDNN end the process, the last line is what was asked
  const auto* gpu = std::find_if(std::begin(toolkits::kGpus), std::end(toolkits::kGpus),
                                 [&](const Gpu& each) { return each.architecture == std::atoi(argv[1]); });
  if (gpu == std::end(toolkits::kGpus)) stop("no such architecture");
  for (const char* library : {argv[2], argv[3]})
    if (!dlopen(library, RTLD_NOW | RTLD_LOCAL)) stop(dlerror());
  must(cuda::cudnn().open(), "cuDNN");
  print("cudnn", cuda::cudnn().version());
  print("path", cuda::cudnn().path());
  Handles handles;
  make_handles(*gpu, &handles);
  std::set<std::string> lines;
  for (int i = 4; i < argc; ++i) read_problems(argv[i], &lines);
  Counts counts;
  for (const std::string& line : lines) {
    Problem problem;
    Sdpa attention;
    if (toolkits::read_attention(line, &attention)) {
      ask(handles, SdpaQuestion(attention), text_of(attention), &counts);
      continue;
    }
    if (!toolkits::read_problem(line, &problem)) stop("cannot read the problem: " + line);
    ask_variants(handles, problem, &counts);
  }
  print("problems", std::to_string(counts.problems));
  print("planned", std::to_string(counts.planned));
  print("made", std::to_string(counts.plans));
  std::_Exit(0);  // without the library's own end
}
