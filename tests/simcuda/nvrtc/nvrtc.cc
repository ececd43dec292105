// The NVRTC stand-in: options, programs, logs, "cubins" and "PTX" around the host compiler.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>

#include "../../../src/dynlib/cuda_types.h"
#include "nvrtc/compiler.h"

namespace simcuda {

using namespace rondo::cuda;

#define RONDO_FN(result, name, parameters, since) \
  extern "C" __attribute__((visibility("default"))) result name parameters;
#include "../../../src/dynlib/nvrtc.def"
#undef RONDO_FN

namespace {

enum class Entry : unsigned {
#define RONDO_FN(result, name, parameters, since) name,
#include "../../../src/dynlib/nvrtc.def"
#undef RONDO_FN
  count
};
const char* const kNames[] = {
#define RONDO_FN(result, name, parameters, since) #name,
#include "../../../src/dynlib/nvrtc.def"
#undef RONDO_FN
};

// Taking every address makes the linker insist that each entry of the table is defined.
[[gnu::used]] const void* const kDefinitions[] = {
#define RONDO_FN(result, name, parameters, since) reinterpret_cast<const void*>(&::simcuda::name),
#include "../../../src/dynlib/nvrtc.def"
#undef RONDO_FN
};

enum : nvrtcResult {
  NVRTC_ERROR_OUT_OF_MEMORY = 1,
  NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
  NVRTC_ERROR_INVALID_INPUT = 3,
  NVRTC_ERROR_INVALID_PROGRAM = 4,
  NVRTC_ERROR_INTERNAL_ERROR = 11,
};

struct Program {
  CompileRequest request;
  CompileResult result;
  std::string ptx;
  std::map<std::string, std::string> lowered;  // names that were asked for
  bool compiled = false, ptx_only = false;
};

struct Fault {
  std::uint64_t call;
  nvrtcResult code;
};

struct State {
  std::mutex mutex;
  std::map<std::uint64_t, std::shared_ptr<Program>> programs;
  std::uint64_t next = 0x5200000000000000ull;
  std::uint64_t calls[static_cast<unsigned>(Entry::count)] = {};
  std::map<unsigned, std::vector<Fault>> faults;
  int version = 12080;
};

// "entry:call:code,...", as in libcuda's control interface.
bool parse_faults(State& s, const std::string& text) {
  std::stringstream list(text);
  std::string item;
  while (std::getline(list, item, ',')) {
    std::size_t first = item.find(':'), second = item.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) return false;
    auto name = std::find(std::begin(kNames), std::end(kNames), item.substr(0, first));
    unsigned long long call = std::strtoull(item.c_str() + first + 1, nullptr, 10);
    int code = std::atoi(item.c_str() + second + 1);
    if (name == std::end(kNames) || call == 0 || code <= 0) return false;
    s.faults[static_cast<unsigned>(name - std::begin(kNames))].push_back({call, code});
  }
  return true;
}

State& state() {
  static State* instance = [] {
    auto* made = new State;
    int major = 0, minor = 0;
    const char* version = std::getenv("SIMCUDA_NVRTC");
    if (version != nullptr && *version != 0) {
      if (std::sscanf(version, "%d.%d", &major, &minor) != 2 || major < 11 || major > 13 || minor < 0 || minor > 9) {
        std::fprintf(stderr, "simcuda: SIMCUDA_NVRTC=%s is not a version from 11.0 to 13.9\n", version);
        std::exit(2);
      }
      made->version = major * 1000 + minor * 10;
    }
    const char* faults = std::getenv("SIMCUDA_NVRTC_FAULT");
    if (faults != nullptr && !parse_faults(*made, faults)) {
      std::fprintf(stderr, "simcuda: SIMCUDA_NVRTC_FAULT=%s is not entry:call:code,...\n", faults);
      std::exit(2);
    }
    return made;
  }();
  return *instance;
}

nvrtcResult enter(Entry entry) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  auto index = static_cast<unsigned>(entry);
  ++s.calls[index];
  if (auto faults = s.faults.find(index); faults != s.faults.end())
    for (Fault& fault : faults->second)
      if (fault.call != 0 && --fault.call == 0) return fault.code;
  return NVRTC_SUCCESS;
}
#define NVRTC_ENTER(name) \
  if (nvrtcResult refused = enter(Entry::name)) return refused

std::shared_ptr<Program> find(nvrtcProgram handle) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  auto it = s.programs.find(reinterpret_cast<std::uint64_t>(handle));
  return it == s.programs.end() ? nullptr : it->second;
}

std::vector<int> supported_archs(int version) {
  if (version < 11010) return {35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80};
  if (version < 11080) return {35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86};
  if (version < 12000) return {35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};
  if (version < 12080) return {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};
  if (version < 13000) return {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 120};
  return {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
}

// Options are what the real one takes: one word, or two for those with a value. Sets the request; false and a message
// if unknown.
class Options {
 public:
  Options(Program& program, int n, const char* const* words) : program_(program) {
    for (int i = 0; i < n; ++i) words_.push_back(words[i]);
  }
  bool parse(std::string* message) {
    int version = state().version;
    program_.request.arch = version < 13000 ? 52 : 75;
    for (at_ = 0; at_ < words_.size(); ++at_) {
      std::string value;
      if (take({"--gpu-architecture", "-arch"}, &value)) {
        if (!architecture(value)) return fail(message, "nvrtc: error: invalid value for --gpu-architecture (-arch)");
      } else if (take({"--std", "-std"}, &value)) {
        if (value != "c++11" && value != "c++14" && value != "c++17" && !(value == "c++20" && version >= 12000) &&
            value != "c++03")
          return fail(message, "nvrtc: error: invalid value for --std (-std)");
        program_.request.standard = value;
      } else if (take({"--define-macro", "-D"}, &value)) {
        program_.request.defines.push_back(value);
      } else if (take({"--include-path", "-I"}, &value)) {
        program_.request.include_folders.push_back(value);
      } else if (take({"--fmad", "-fmad", "--maxrregcount", "-maxrregcount", "--ftz", "-ftz", "--prec-div", "-prec-div",
                       "--prec-sqrt", "-prec-sqrt", "--restrict", "--device-debug", "--diag-suppress", "-diag-suppress",
                       "--diag-error", "--diag-warn"},
                      &value)) {
        continue;  // no meaning here; nothing is ever contracted to an fma
      } else if (!flag(words_[at_], version)) {
        return fail(message, "nvrtc: error: unrecognized option " + words_[at_] + " found");
      }
    }
    return true;
  }

 private:
  static bool fail(std::string* message, const std::string& text) {
    *message = text + "\n";
    return false;
  }
  // "-I value", "-Ivalue", "--name=value", "--name value", "-name=value".
  bool take(const std::vector<std::string>& names, std::string* value) {
    const std::string& word = words_[at_];
    for (const std::string& name : names) {
      if (word.rfind(name + "=", 0) == 0) return *value = word.substr(name.size() + 1), true;
      if (name.size() == 2 && word.rfind(name, 0) == 0 && word.size() > 2) return *value = word.substr(2), true;
      if (word == name && at_ + 1 < words_.size() && name != "--restrict" && name != "--device-debug")
        return *value = words_[++at_], true;
    }
    return false;
  }
  bool architecture(const std::string& value) {
    std::size_t digits = value.rfind("sm_", 0) == 0 ? 3 : value.rfind("compute_", 0) == 0 ? 8 : 0;
    if (digits == 0) return false;
    char* end = nullptr;
    program_.request.arch = static_cast<int>(std::strtol(value.c_str() + digits, &end, 10));
    program_.ptx_only = digits == 8;
    if (*end != 0 && !(program_.request.arch >= 90 && (*end == 'a' || *end == 'f') && end[1] == 0)) return false;
    std::vector<int> known = supported_archs(state().version);
    return std::find(known.begin(), known.end(), program_.request.arch) != known.end();
  }
  static bool flag(const std::string& word, int version) {
    struct Flag {
      const char* name;
      int since;
    };
    static const Flag kFlags[] = {{"--use_fast_math", 0},
                                  {"-use_fast_math", 0},
                                  {"-default-device", 0},
                                  {"--device-as-default-execution-space", 0},
                                  {"-rdc=true", 0},
                                  {"-rdc=false", 0},
                                  {"--relocatable-device-code=true", 0},
                                  {"--relocatable-device-code=false", 0},
                                  {"-lineinfo", 0},
                                  {"--generate-line-info", 0},
                                  {"-G", 0},
                                  {"--device-debug", 0},
                                  {"-w", 0},
                                  {"--disable-warnings", 0},
                                  {"--restrict", 0},
                                  {"-restrict", 0},
                                  {"--extra-device-vectorization", 0},
                                  {"-extra-device-vectorization", 0},
                                  {"--device-int128", 11080},
                                  {"--minimal", 12040},
                                  {"-minimal", 12040},
                                  {"--brief-diagnostics=true", 12040},
                                  {"--no-cache", 12090}};
    for (const Flag& known : kFlags)
      if (word == known.name && version >= known.since) return true;
    return false;
  }

  Program& program_;
  std::vector<std::string> words_;
  std::size_t at_ = 0;
};

std::string make_ptx(const Program& program) {
  int version = program.request.nvrtc_version;
  char head[160];
  std::snprintf(head, sizeof head,
                "//\n// Simulated PTX: the payload is host code\n//\n.version %d.%d\n.target sm_%d\n.address_size "
                "64\n// payload ",
                version / 1000 - 4, version % 1000 / 10, program.request.arch);
  std::string text = head;
  static const char kDigits[] = "0123456789abcdef";
  for (unsigned char byte : program.result.image) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text + "\n";
}

}  // namespace

extern "C" {

nvrtcResult nvrtcVersion(int* major, int* minor) {
  NVRTC_ENTER(nvrtcVersion);
  if (major == nullptr || minor == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *major = state().version / 1000;
  *minor = state().version % 1000 / 10;
  return NVRTC_SUCCESS;
}

const char* nvrtcGetErrorString(nvrtcResult result) {
  static const char* const kTexts[] = {"NVRTC_SUCCESS",
                                       "NVRTC_ERROR_OUT_OF_MEMORY",
                                       "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                       "NVRTC_ERROR_INVALID_INPUT",
                                       "NVRTC_ERROR_INVALID_PROGRAM",
                                       "NVRTC_ERROR_INVALID_OPTION",
                                       "NVRTC_ERROR_COMPILATION",
                                       "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                       "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                       "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                       "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                       "NVRTC_ERROR_INTERNAL_ERROR"};
  return result >= 0 && result < static_cast<nvrtcResult>(std::size(kTexts)) ? kTexts[result] : "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  NVRTC_ENTER(nvrtcGetNumSupportedArchs);
  if (count == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *count = static_cast<int>(supported_archs(state().version).size());
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int* archs) {
  NVRTC_ENTER(nvrtcGetSupportedArchs);
  if (archs == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  std::vector<int> known = supported_archs(state().version);
  std::copy(known.begin(), known.end(), archs);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char* name, int n_headers,
                               const char* const* headers, const char* const* header_names) {
  NVRTC_ENTER(nvrtcCreateProgram);
  if (program == nullptr || source == nullptr || n_headers < 0) return NVRTC_ERROR_INVALID_INPUT;
  auto made = std::make_shared<Program>();
  made->request.source = source;
  made->request.name = name == nullptr || *name == 0 ? "default_program" : name;
  for (int i = 0; i < n_headers; ++i) made->request.headers.emplace_back(header_names[i], headers[i]);
  State& s = state();
  std::lock_guard lock(s.mutex);
  s.programs[s.next += 16] = std::move(made);
  *program = reinterpret_cast<nvrtcProgram>(s.next);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  NVRTC_ENTER(nvrtcDestroyProgram);
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  State& s = state();
  std::lock_guard lock(s.mutex);
  if (s.programs.erase(reinterpret_cast<std::uint64_t>(*program)) == 0) return NVRTC_ERROR_INVALID_PROGRAM;
  *program = nullptr;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram handle, const char* expression) {
  NVRTC_ENTER(nvrtcAddNameExpression);
  std::shared_ptr<Program> program = find(handle);
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (expression == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  if (program->compiled) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  program->request.expressions.emplace_back(expression);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram handle, const char* expression, const char** lowered) {
  NVRTC_ENTER(nvrtcGetLoweredName);
  std::shared_ptr<Program> program = find(handle);
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (expression == nullptr || lowered == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  if (!program->compiled) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  const auto& known = program->request.expressions;
  const auto at = std::find(known.begin(), known.end(), expression);
  if (at == known.end()) return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  auto& [key, name] = *program->lowered.try_emplace(expression, lowered_name(*at)).first;
  *lowered = name.c_str();
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram handle, int n_options, const char* const* options) {
  nvrtcResult refused = enter(Entry::nvrtcCompileProgram);
  std::shared_ptr<Program> program = find(handle);
  if (refused != NVRTC_SUCCESS) {
    // A text that does not compile leaves a log, also when a fault says so.
    if (program != nullptr && refused == NVRTC_ERROR_COMPILATION)
      program->result.log = program->request.name + ": error: made to fail\n";
    return refused;
  }
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  program->compiled = false;
  program->request.defines.clear();
  program->request.include_folders.clear();
  program->request.standard.clear();
  program->request.nvrtc_version = state().version;
  program->result = {};
  if (!Options(*program, n_options, options).parse(&program->result.log)) return NVRTC_ERROR_INVALID_OPTION;
  // NVRTC before 12 reads C++03 without it; we hold kernels to that everywhere.
  if (program->request.standard.empty() || program->request.standard == "c++03") {
    program->result.log =
        program->request.name + ": error: this source needs C++11 or later, and no --std option says so\n";
    return NVRTC_ERROR_COMPILATION;
  }
  program->result = compile(program->request);
  if (program->result.internal) return NVRTC_ERROR_INTERNAL_ERROR;
  if (!program->result.good) return NVRTC_ERROR_COMPILATION;
  program->ptx = make_ptx(*program);
  if (program->ptx_only) program->result.image.clear();
  program->compiled = true;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram handle, size_t* bytes) {
  NVRTC_ENTER(nvrtcGetPTXSize);
  std::shared_ptr<Program> program = find(handle);
  if (program == nullptr || !program->compiled) return NVRTC_ERROR_INVALID_PROGRAM;
  if (bytes == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *bytes = program->ptx.size() + 1;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTX(nvrtcProgram handle, char* ptx) {
  NVRTC_ENTER(nvrtcGetPTX);
  std::shared_ptr<Program> program = find(handle);
  if (program == nullptr || !program->compiled) return NVRTC_ERROR_INVALID_PROGRAM;
  if (ptx == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  std::memcpy(ptx, program->ptx.c_str(), program->ptx.size() + 1);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram handle, size_t* bytes) {
  NVRTC_ENTER(nvrtcGetCUBINSize);
  std::shared_ptr<Program> program = find(handle);
  if (program == nullptr || !program->compiled) return NVRTC_ERROR_INVALID_PROGRAM;
  if (bytes == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *bytes = program->result.image.size();
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram handle, char* cubin) {
  NVRTC_ENTER(nvrtcGetCUBIN);
  std::shared_ptr<Program> program = find(handle);
  if (program == nullptr || !program->compiled || program->result.image.empty()) return NVRTC_ERROR_INVALID_PROGRAM;
  if (cubin == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  std::memcpy(cubin, program->result.image.data(), program->result.image.size());
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram handle, size_t* bytes) {
  NVRTC_ENTER(nvrtcGetProgramLogSize);
  std::shared_ptr<Program> program = find(handle);
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (bytes == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *bytes = program->result.log.size() + 1;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram handle, char* log) {
  NVRTC_ENTER(nvrtcGetProgramLog);
  std::shared_ptr<Program> program = find(handle);
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (log == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  std::memcpy(log, program->result.log.c_str(), program->result.log.size() + 1);
  return NVRTC_SUCCESS;
}

// "fault" (entry:call:code), "clear-faults", "calls" (entry), "live" (programs). -1 to what it does not understand.
__attribute__((visibility("default"))) long long simnvrtc_control(const char* command_text, const char* argument_text) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  std::string command = command_text, argument = argument_text == nullptr ? "" : argument_text;
  if (command == "fault") return parse_faults(s, argument) ? 0 : -1;
  if (command == "clear-faults") return s.faults.clear(), 0;
  if (command == "live") return static_cast<long long>(s.programs.size());
  if (command == "calls") {
    auto name = std::find(std::begin(kNames), std::end(kNames), argument);
    return name == std::end(kNames) ? -1 : static_cast<long long>(s.calls[name - std::begin(kNames)]);
  }
  return -1;
}

}  // extern "C"
}  // namespace simcuda
