// Compiles with the NVRTC that the settings name, as Rondo does, and prints what happened, one `key<tab>value` a line.
// nvrtc_test starts it, because a process can open only one NVRTC.
//
// - `architecture N STAMPS LIST FOLDER all|I/M|share:I/M` compiles kernels of the folder for sm_N, if NVRTC knows that;
// - `locale FOLDER` compiles one kernel and tells the locale before and after;
// - `operator` runs an operator on cuda:0 through the public interface.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
//
// `all` compiles each kernel as Rondo does, one to a program. With `I/M` this is the I-th of M NVRTCs, and a kernel is
// compiled with that one alone, for that architecture alone, whose turn its id says; several to a program, for a
// program costs 0.1 s where NVRTC is old, and one by one if such a program does not compile. `share:I/M` is for a
// machine of two processors and no list: those that are the first of their operator or the first with their set of
// types are compiled with every NVRTC, for the architecture whose turn it is, one to a program; of the others one in
// two, as with `I/M`, which ones RONDO_TEST_TURN says, any text. What has compiled is kept in the file STAMPS and not
// compiled again with the same library and prelude; neither is what LIST has, which compiled.py made of such files and
// is in the tree. Without a name there is no list.
#include <rondo/rondo.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <fstream>
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
constexpr size_t kTogether = 8;
constexpr size_t kOneIn = 2;  // of a share's kernels that are no first ones
constexpr int kFailuresShown = 5;
constexpr size_t kListedDigits = 16;  // of an id in the list; compiled.py has the same

void print(const char* key, const std::string& value) {
  std::printf("%s\t%s\n", key, value.c_str());
}

[[noreturn]] void stop(const std::string& why) {
  print("stopped", why);
  std::exit(1);
}

// Which of the element types a text has, as bits.
unsigned types_in(const std::string& text) {
  static const std::vector<std::string> names = {"b8",   "u8",  "i8",  "i32", "i64",   "f16",
                                                 "bf16", "f32", "f64", "i16", "f8e4m3"};
  const auto inside = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  unsigned found = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    size_t end = i;
    while (end < text.size() && inside(text[end])) ++end;
    if (end == i) continue;
    const auto name = std::find(names.begin(), names.end(), text.substr(i, end - i));
    if (name != names.end()) found |= 1u << (name - names.begin());
    i = end;
  }
  return found;
}

bool knows(int architecture) {
  rtc::Target target;
  if (const Status status = rtc::choose_target(architecture, false, &target); !status.ok()) stop(status.message());
  return target.binary;
}

// Kernels that become one program.
using Unit = std::vector<const Kernel*>;

std::vector<Unit> one_by_one(const std::vector<Kernel>& kernels) {
  std::vector<Unit> units;
  for (const Kernel& kernel : kernels) units.push_back({&kernel});
  return units;
}

std::vector<int> known_architectures() {
  std::vector<int> known;
  for (const int each : toolkits::kArchitectures)
    if (knows(each)) known.push_back(each);
  return known;
}

size_t turn_of(const Kernel& kernel) {
  return std::stoul(kernel.id.substr(0, 8), nullptr, 16);
}

std::vector<Unit> several_by_several(const Unit& kernels) {
  std::vector<Unit> units;
  for (size_t i = 0; i < kernels.size(); i += kTogether)
    units.emplace_back(kernels.begin() + static_cast<ptrdiff_t>(i),
                       kernels.begin() + static_cast<ptrdiff_t>(std::min(kernels.size(), i + kTogether)));
  return units;
}

// Those of the I-th of M NVRTCs whose architecture's turn it is.
Unit of_this_turn(int architecture, size_t library, size_t libraries, const Unit& kernels) {
  const std::vector<int> known = known_architectures();
  Unit chosen;
  for (const Kernel* kernel : kernels) {
    const size_t turn = turn_of(*kernel);
    if (turn % libraries == library && known[turn / libraries % known.size()] == architecture) chosen.push_back(kernel);
  }
  return chosen;
}

std::vector<Unit> turn_of_one(int architecture, size_t library, size_t libraries, const std::vector<Kernel>& kernels) {
  Unit all;
  for (const Kernel& kernel : kernels) all.push_back(&kernel);
  return several_by_several(of_this_turn(architecture, library, libraries, all));
}

std::vector<Unit> share_of(int architecture, size_t library, size_t libraries, const std::vector<Kernel>& kernels) {
  const std::vector<int> known = known_architectures();
  const char* run = std::getenv("RONDO_TEST_TURN");
  const size_t turn_of_run = std::hash<std::string>()(run ? run : "") % kOneIn;
  std::set<std::string> operators;
  std::set<unsigned> types;
  std::vector<Unit> units;
  Unit rest;
  for (const Kernel& kernel : kernels) {
    const bool fused = kernel.name.find('+') != std::string::npos;  // of several operators, by chance
    const bool first = !fused && operators.insert(kernel.name).second;
    const bool mixed = types.insert(types_in(kernel.text)).second;
    const size_t turn = turn_of(kernel);
    if (first || mixed) {
      if (known[turn % known.size()] == architecture) units.push_back({&kernel});
    } else if (turn / libraries / known.size() % kOneIn == turn_of_run) {
      rest.push_back(&kernel);
    }
  }
  const std::vector<Unit> others = several_by_several(of_this_turn(architecture, library, libraries, rest));
  units.insert(units.end(), others.begin(), others.end());
  return units;
}

std::vector<Unit> choose(const std::string& extent, int architecture, const std::vector<Kernel>& kernels) {
  if (extent == "all") return one_by_one(kernels);
  const bool share = extent.compare(0, 6, "share:") == 0;
  size_t library = 0, libraries = 0;
  if (std::sscanf(extent.c_str() + (share ? 6 : 0), "%zu/%zu", &library, &libraries) != 2 || library >= libraries)
    stop("which kernels is `all`, `I/M` or `share:I/M`, not " + extent);
  return (share ? share_of : turn_of_one)(architecture, library, libraries, kernels);
}

// Ids of kernels that are known to compile, in a file whose first line says with what; and those of a list in the tree.
class Stamps {
 public:
  Stamps(const std::string& path, const std::string& list, const std::string& with) {
    read_list(list, with);
    std::ifstream old(path);
    std::string line;
    const bool same = std::getline(old, line) && line == with;
    while (same && std::getline(old, line)) good_.insert(line);
    file_.open(path, same ? std::ios::app : std::ios::trunc);
    if (!same) file_ << with << '\n';
    if (!file_) stop("cannot write " + path);
  }
  bool has(const Kernel& kernel) const {
    return good_.count(kernel.id) > 0 || listed_.count(kernel.id.substr(0, kListedDigits)) > 0;
  }
  // From any thread; at once, so that a run which is cut short was not for nothing.
  void add(const Kernel& kernel) {
    std::lock_guard lock(mutex_);
    file_ << kernel.id << std::endl;
  }

 private:
  // Lines `LETTER circumstances`, then lines `ID LETTERS`.
  void read_list(const std::string& path, const std::string& with) {
    if (path.empty()) return;
    std::ifstream file(path);
    if (!file) stop("cannot read " + path);
    std::string ours;
    for (std::string line; std::getline(file, line);) {
      const std::string word = line.substr(0, line.find(' ')),
                        rest = line.substr(std::min(line.size(), word.size() + 1));
      if (word.size() == 1 && rest == with) ours = word;
      if (word.size() == kListedDigits && !ours.empty() && rest.find(ours) != std::string::npos) listed_.insert(word);
    }
  }

  std::set<std::string> good_, listed_;
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

// Each in a namespace of its own, and the function, whose name no namespace changes, with a number.
std::string together(const Unit& unit) {
  std::string text;
  for (size_t i = 0; i < unit.size(); ++i)
    text += format("#define rondo_kernel rondo_kernel_%zu\nnamespace kernel_%zu {\n", i, i) + unit[i]->text +
            "}\n#undef rondo_kernel\n";
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
  }

 private:
  void take(Unit unit) {
    const auto known = std::remove_if(unit.begin(), unit.end(), [this](const Kernel* k) { return stamps_.has(*k); });
    known_good_ += static_cast<int>(unit.end() - known);
    unit.erase(known, unit.end());
    const bool all_good = unit.size() > 1 && compile(target_, "several", together(unit)).ok();
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
  std::atomic<int> compiled_{0}, known_good_{0}, failed_{0};
};

void compile_for(int architecture, const std::string& stamps_path, const std::string& list, const std::string& folder,
                 const std::string& extent) {
  if (const Status status = cuda::nvrtc().open(); !status.ok()) stop(status.message());
  print("nvrtc", cuda::nvrtc().version());
  print("path", cuda::nvrtc().path());
  const bool known = knows(architecture);
  print("known", known ? "yes" : "no");
  if (!known) return;
  rtc::Target target;
  if (const Status status = rtc::choose_target(architecture, false, &target); !status.ok()) stop(status.message());
  std::vector<Kernel> kernels = toolkits::read_kernels(folder);
  // It calls a function of the driver's that the compiler has to know; where it does not, the host decides.
  if (cuda::nvrtc().version() < "CUDA 12.3")
    std::erase_if(kernels, [](const Kernel& k) { return k.name == "chooser"; });
  // Tensor cores are asked for from 8.0 on.
  if (architecture < 80)
    std::erase_if(kernels, [](const Kernel& k) { return k.text.find("ldmatrix") != std::string::npos; });
  print("kernels", std::to_string(kernels.size()));
  Stamps stamps(stamps_path, list, circumstances(target));
  Compiler compiler(target, stamps);
  compiler.run(choose(extent, architecture, kernels));
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
    compile_for(std::stoi(words[1]), words[2], words[3], words[4], words[5]);
  else if (words.size() == 2 && words[0] == "locale")
    compile_one(words[1]);
  else if (words.size() == 1 && words[0] == "operator")
    run_operator();
  else
    stop("unknown words");
  return 0;
}
