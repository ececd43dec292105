// Compiles with the NVRTC that the settings name, as Rondo does, and prints what happened, one `key<tab>value` a line.
// nvrtc_test starts it, because a process can open only one NVRTC.
//
// - `architecture N STAMPS FOLDER LIST TOGETHER` compiles the kernels of the folder whose ids the file LIST has, one a
//   line, for sm_N, if NVRTC knows that;
// - `locale FOLDER` compiles one kernel and tells the locale before and after;
// - `operator` runs an operator on cuda:0 through the public interface.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
//
// TOGETHER says how many kernels become one program, at most: a program costs 0.1 s where NVRTC is old, and its headers
// are read once. Kernels whose program does not compile are compiled one by one, as Rondo does. What has compiled is
// kept in the file STAMPS and not compiled again with the same library and prelude.
#include <rondo/rondo.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"
#include "dynlib/cuda_libraries.h"
#include "nvrtc_kernels.h"
#include "rtc/compiler.h"
#include "rtc/device_text.h"
#include "rtc/disk_cache.h"

namespace {

using namespace rondo;
using toolkits::Kernel;

constexpr int kThreads = 2;
constexpr int kFailuresShown = 5;

void print(const char* key, const std::string& value) {
  std::printf("%s\t%s\n", key, value.c_str());
}

[[noreturn]] void stop(const std::string& why) {
  print("stopped", why);
  std::exit(1);
}

bool knows(int architecture) {
  rtc::Target target;
  if (const Status status = rtc::choose_target(architecture, false, &target); !status.ok()) stop(status.message());
  return target.binary;
}

// Kernels that become one program; all have the same headers.
using Unit = std::vector<const Kernel*>;

std::vector<Unit> units_of(const std::vector<Kernel>& kernels, size_t together) {
  std::map<std::string, std::vector<const Kernel*>> by_headers;
  for (const Kernel& kernel : kernels) by_headers[toolkits::headers_of(kernel)].push_back(&kernel);
  std::vector<Unit> units;
  for (const auto& [headers, of_these] : by_headers)
    for (size_t i = 0; i < of_these.size(); ++i) {
      if (i % together == 0) units.emplace_back();
      units.back().push_back(of_these[i]);
    }
  return units;
}

// The kernels whose ids a file has.
std::vector<Kernel> listed(const std::string& folder, const std::string& list) {
  std::vector<Kernel> kernels;
  std::ifstream file(list);
  if (!file) stop("cannot read " + list);
  for (std::string id; std::getline(file, id);) {
    kernels.push_back(toolkits::read_kernel(folder, id));
    if (kernels.back().text.empty()) stop("no kernel " + id + " in " + folder);
  }
  return kernels;
}

// Ids of kernels that are known to compile, in a file whose first line says with what.
class Stamps {
 public:
  Stamps(const std::string& path, const std::string& with) {
    std::ifstream old(path);
    std::string line;
    const bool same = std::getline(old, line) && line == with;
    while (same && std::getline(old, line)) good_.insert(line);
    file_.open(path, same ? std::ios::app : std::ios::trunc);
    if (!same) file_ << with << '\n';
    if (!file_) stop("cannot write " + path);
  }
  bool has(const Kernel& kernel) const { return good_.count(kernel.id) > 0; }
  // From any thread; at once, so that a run which is cut short was not for nothing.
  void add(const Kernel& kernel) {
    std::lock_guard lock(mutex_);
    file_ << kernel.id << std::endl;
  }

 private:
  std::set<std::string> good_;
  std::ofstream file_;
  std::mutex mutex_;
};

// All that decides whether a kernel compiles, besides its own text.
std::string circumstances(const rtc::Target& target) {
  struct stat file = {};
  if (stat(cuda::nvrtc().path().c_str(), &file) != 0) stop("cannot look at " + cuda::nvrtc().path());
  rtc::KeyBuilder prelude;
  prelude.add(rtc::text_of(rtc::kPreludeText));
  prelude.add(toolkits::kBeforeText);
  std::string text =
      format("NVRTC of %s, %lld bytes, prelude %016llx;", cuda::nvrtc().version().c_str(),
             static_cast<long long>(file.st_size), static_cast<unsigned long long>(prelude.key().words[0]));
  for (const std::string& option : target.options) text += " " + option;
  return text;
}

Status compile(const rtc::Target& target, const char* name, const std::string& text) {
  std::string image;
  RONDO_TRY(rtc::compile(target, name, text, &image));
  if (image.empty()) return error(RONDO_INTERNAL, "%s: an empty image", name);
  return {};
}

// After the headers, each in a namespace of its own, and the function, whose name no namespace changes, with a number.
std::string together(const Unit& unit) {
  std::string text = toolkits::headers_of(*unit[0]);
  for (size_t i = 0; i < unit.size(); ++i)
    text += format("#define rondo_kernel rondo_kernel_%zu\nnamespace kernel_%zu {\n", i, i) +
            toolkits::body_of(*unit[i]) + "}\n#undef rondo_kernel\n";
  return text;
}

// Compiles units on two threads and counts.
class Compiler {
 public:
  Compiler(const rtc::Target& target, Stamps& stamps) : target_(target), stamps_(stamps) {}

  void run(const std::vector<Unit>& units) {
    std::atomic<size_t> next{0};
    const auto work = [&] {
      for (size_t i = 0; (i = next++) < units.size();) take(units[i]);
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
  }
  void report() const {
    print("chosen", std::to_string(known_good_ + compiled_ + failed_));
    print("compiled", std::to_string(compiled_));
    print("good before", std::to_string(known_good_));
    print("failed", std::to_string(failed_));
    print("taken apart", std::to_string(taken_apart_));
  }

 private:
  void take(Unit unit) {
    const auto known = std::remove_if(unit.begin(), unit.end(), [this](const Kernel* k) { return stamps_.has(*k); });
    known_good_ += static_cast<int>(unit.end() - known);
    unit.erase(known, unit.end());
    const bool all_good = unit.size() > 1 && compile(target_, "several", together(unit)).ok();
    taken_apart_ += unit.size() > 1 && !all_good;
    for (const Kernel* kernel : unit) {
      const Status status = all_good ? Status() : compile(target_, kernel->name.c_str(), kernel->text);
      if (status.ok()) {
        ++compiled_;
        stamps_.add(*kernel);
      } else if (failed_++ < kFailuresShown) {
        std::printf("failure\t%s of %s: %s\n", kernel->id.c_str(), kernel->name.c_str(), status.message());
      }
    }
  }

  const rtc::Target& target_;
  Stamps& stamps_;
  std::atomic<int> compiled_{0}, known_good_{0}, failed_{0}, taken_apart_{0};
};

void compile_for(int architecture, const std::string& stamps_path, const std::string& folder, const std::string& list,
                 size_t several) {
  if (const Status status = cuda::nvrtc().open(); !status.ok()) stop(status.message());
  print("nvrtc", cuda::nvrtc().version());
  print("path", cuda::nvrtc().path());
  const bool known = knows(architecture);
  print("known", known ? "yes" : "no");
  if (!known) return;
  rtc::Target target;
  if (const Status status = rtc::choose_target(architecture, false, &target); !status.ok()) stop(status.message());
  const std::vector<Kernel> kernels = listed(folder, list);
  Stamps stamps(stamps_path, circumstances(target));
  Compiler compiler(target, stamps);
  compiler.run(units_of(kernels, several));
  compiler.report();
}

void compile_one(const std::string& folder) {
  print("set", std::setlocale(LC_ALL, "") ? "yes" : "no");
  print("before", std::setlocale(LC_ALL, nullptr));
  const std::vector<Kernel> kernels = toolkits::read_kernels(folder);
  if (kernels.empty()) stop("no kernels in " + folder);
  rtc::Target target;
  if (const Status status = rtc::choose_target(90, false, &target); !status.ok()) stop(status.message());
  print("nvrtc", cuda::nvrtc().version());
  print("path", cuda::nvrtc().path());
  const Status status = compile(target, kernels.front().name.c_str(), kernels.front().text);
  print("compiled", status.ok() ? "yes" : status.message());
  print("after", std::setlocale(LC_ALL, nullptr));
}

void run_operator() {
  rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
  rondo_engine* engine = nullptr;
  rondo_tensor *in = nullptr, *out = nullptr;
  const int64_t shape[1] = {4};
  const float values[4] = {1, 2, 3, 4};
  if (rondo_engine_create(&options, &engine) != RONDO_OK ||
      rondo_tensor_from_host(engine, {RONDO_CUDA, 0}, RONDO_F32, 1, shape, values, &in) != RONDO_OK)
    stop(rondo_last_error());
  const rondo_status status = rondo_unary(RONDO_NEG, in, &out);
  print("status", rondo_status_name(status));
  print("message", status == RONDO_OK ? "" : rondo_last_error());
  rondo_tensor_destroy(out);
  rondo_tensor_destroy(in);
  rondo_engine_destroy(engine);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 6 && words[0] == "architecture")
    compile_for(std::stoi(words[1]), words[2], words[3], words[4], std::stoul(words[5]));
  else if (words.size() == 2 && words[0] == "locale")
    compile_one(words[1]);
  else if (words.size() == 1 && words[0] == "operator")
    run_operator();
  else
    stop("unknown words");
  return 0;
}
