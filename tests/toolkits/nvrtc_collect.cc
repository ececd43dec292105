// Collecting kernels: the conformance suite for cuda, all of it or its quick selection, runs on the simulated driver
// with the recorder as NVRTC and without a cache of compiled kernels. Its cases fail, since nothing is computed; what
// must not happen is that one ends early, for then kernels would be missed.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "nvrtc_collect.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <vector>

#include "program.h"

namespace toolkits {

namespace fs = std::filesystem;

namespace {

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> split(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> parts;
  for (std::string part; std::getline(stream, part, ':');) parts.push_back(part);
  return parts;
}

// How much of the suite, and size and time of every file that kernels are made of.
std::string sources(Suite suite) {
  std::vector<std::string> files = split(CONFORMANCE_PROGRAMS);
  files.insert(files.end(), {RONDO_LIBRARY, NVRTC_RECORDER, SIMULATED_DRIVER, SIMULATED_NVRTC});
  std::string text = suite == Suite::quick ? "quick\n" : "whole\n";
  for (const std::string& file : files) {
    struct stat info = {};
    const bool there = stat(file.c_str(), &info) == 0;
    text += file + " " + (there ? std::to_string(info.st_size) : "missing") + " " +
            std::to_string(info.st_mtim.tv_sec) + "." + std::to_string(info.st_mtim.tv_nsec) + "\n";
  }
  return text;
}

// Whether the statement that ends at a line of a file, or begins there, may be an assertion, which ends its case.
bool may_be_assertion(const fs::path& file, size_t line) {
  std::ifstream source(file);
  if (!source) return true;  // nothing can be told
  std::string statement;
  for (std::string text; line > 0 && std::getline(source, text); --line) {
    const size_t end = statement.find_last_not_of(" \t");
    if (end == std::string::npos || std::string(";{}:").find(statement[end]) != std::string::npos) statement.clear();
    statement += text;
  }
  return statement.find("ASSERT_") != std::string::npos;
}

// Why the kernels of a program are not all there; empty if they are.
std::string collect_from(const std::string& program, const std::string& folder, Suite suite) {
  // One mode: what a kernel is does not depend on how tasks are run. No programs by chance, which have thousands, and
  // no control flow: what computes nothing does not end a loop.
  const Outcome outcome =
      run({program, "--gtest_filter=-*cpu_*:*cuda_threaded*:*cuda_naive*:*ProgramsByChance*:*Control*:*Bodies*:*Loop*"},
          {{"RONDO_CUDA_DRIVER", SIMULATED_DRIVER},
           {"RONDO_NVRTC", NVRTC_RECORDER},
           {"RONDO_CUBLASLT", "none"},
           {"RONDO_CUDNN", "none"},
           {"RONDO_CACHE", "off"},
           {"RONDO_TEST_KERNELS", folder},
           {"RONDO_TEST_QUICK", suite == Suite::quick ? "1" : "0"},
           {"SIMCUDA_CACHE", folder + "/simulated"},
           {"SIMCUDA_REPORT", "quiet"}});
  const std::string log = folder + "/" + fs::path(program).filename().string() + ".log";
  std::ofstream(log) << outcome.text;
  if (outcome.code != 0 && outcome.code != 1)
    return program + " ended with " + std::to_string(outcome.code) + ": " +
           outcome.text.substr(outcome.text.size() - std::min<size_t>(outcome.text.size(), 600));
  if (outcome.text.find("Global test environment tear-down") == std::string::npos)
    return program + " did not run its cases: " + outcome.text.substr(0, 600);
  if (const std::string early = early_end(outcome.text); !early.empty())
    return "a case of " + program + " ended early, and kernels may be missed (use EXPECT_): " + early;
  return {};
}

Collection collect(Suite suite) {
  Collection made;
  made.folder = NVRTC_KERNELS;
  const std::string stamp = made.folder + "/made-of", wanted = sources(suite);
  if (read_file(stamp) == wanted) return made;
  const std::string fresh = made.folder + ".new";
  fs::remove_all(fresh);
  fs::create_directories(fresh + "/simulated");
  for (const std::string& program : split(CONFORMANCE_PROGRAMS)) {
    made.failure = collect_from(program, fresh, suite);
    if (!made.failure.empty()) return made;
  }
  std::ofstream(fresh + "/made-of") << wanted;
  fs::remove_all(made.folder);
  fs::rename(fresh, made.folder);
  return made;
}

}  // namespace

std::string early_end(const std::string& text) {
  std::istringstream lines(text);
  std::set<std::string> seen;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("C++ exception", 0) == 0) return line;
    const size_t mark = line.find(": Failure"), colon = mark == std::string::npos ? mark : line.rfind(':', mark - 1);
    if (colon == std::string::npos || !seen.insert(line).second) continue;
    const fs::path file = fs::path(BUILD_ROOT) / line.substr(0, colon);  // as the compiler was given it
    if (may_be_assertion(file, std::strtoul(line.c_str() + colon + 1, nullptr, 10))) return line;
  }
  return {};
}

const Collection& collection(Suite suite) {
  static const Collection made = collect(suite);
  return made;
}

}  // namespace toolkits
