// Compiles texts of kernels with NVRTC, for an architecture that the library and the driver know.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "rtc/compiler.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <clocale>
#include <mutex>

#include "base/file.h"
#include "base/settings.h"
#include "base/text.h"
#include "dynlib/cuda_libraries.h"
#include "rtc/cache_entry.h"
#include "rtc/device_text.h"

namespace rondo::rtc {

using namespace cuda;

namespace {

Status check(nvrtcResult result, const char* function) {
  if (result == NVRTC_SUCCESS) return {};
  if (is_missing_function(result)) return missing_function_error(result);
  const char* text = nvrtc().nvrtcGetErrorString(result);
  return error(result == NVRTC_ERROR_OUT_OF_MEMORY ? RONDO_OUT_OF_MEMORY : RONDO_DEVICE_ERROR, "%s failed with %d (%s)",
               function, result, text ? text : "no text");
}

// NVRTC before CUDA 12.6 changes the process's locale while it compiles. Compiles may run side by side, so the first to
// begin keeps the locale and the last to end puts it back.
class KeepLocale {
 public:
  KeepLocale() {
    std::lock_guard lock(mutex());
    if (running()++ == 0) before() = std::setlocale(LC_ALL, nullptr);
  }
  ~KeepLocale() {
    std::lock_guard lock(mutex());
    if (--running() == 0 && before() != std::setlocale(LC_ALL, nullptr)) std::setlocale(LC_ALL, before().c_str());
  }
  KeepLocale(const KeepLocale&) = delete;
  KeepLocale& operator=(const KeepLocale&) = delete;

 private:
  // Never destroyed: threads may compile while the process exits.
  static std::mutex& mutex() {
    static auto* instance = new std::mutex;
    return *instance;
  }
  static std::string& before() {
    static auto* instance = new std::string;
    return *instance;
  }
  static int& running() {
    static int count = 0;
    return count;
  }
};

struct Program {
  nvrtcProgram handle = nullptr;
  ~Program() {
    if (handle) nvrtc().nvrtcDestroyProgram(&handle);
  }
};

std::string log_of(nvrtcProgram program) {
  size_t bytes = 0;
  if (nvrtc().nvrtcGetProgramLogSize(program, &bytes) != NVRTC_SUCCESS || bytes <= 1) return "no log";
  std::string log(bytes, '\0');
  if (nvrtc().nvrtcGetProgramLog(program, log.data()) != NVRTC_SUCCESS) return "no log";
  log.resize(bytes - 1);  // the terminating zero
  while (!log.empty() && log.back() == '\n') log.pop_back();
  return log;
}

// NVRTC opens a second library when it first compiles.
Status builtins_error(const char* name, const std::string& log) {
  const std::string& path = nvrtc().path();
  const std::string file = format("libnvrtc-builtins.so.%d.%d", nvrtc().major(), nvrtc().minor());
  return error(RONDO_LIBRARY_MISSING,
               "%s: NVRTC %s (%s) cannot open its builtins: %s was looked for in %s and by the system's loader; %s, "
               "where both libraries lie side by side, or set %s to such a folder (NVRTC says: %s)",
               name, nvrtc().version().c_str(), path.c_str(), file.c_str(), path.substr(0, path.rfind('/')).c_str(),
               nvrtc().remedy().text.c_str(), settings()[static_cast<size_t>(Setting::nvrtc_path)].name, log.c_str());
}

std::string capability_text(int capability) {
  return format("%d.%d", capability / 10, capability % 10);
}

// Identifies the build of the NVRTC that was opened from a file: an update under the same path and version is another
// build. Its length and what stands at its two ends, where the linker has its tables, differ from build to build;
// reading all of it would take longer than compiling.
uint64_t build_of(const std::string& path) {
  constexpr off_t kEnd = 4096;
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status;
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  KeyBuilder builder;
  char buffer[kEnd];
  for (const off_t at : {off_t{0}, std::max<off_t>(status.st_size - kEnd, 0)}) {
    const ssize_t got = pread(file.get(), buffer, sizeof buffer, at);
    if (got < 0) return 0;
    builder.add({buffer, static_cast<size_t>(got)});
  }
  builder.add(std::to_string(status.st_size));
  return builder.key().words[0];
}

// No architecture that NVRTC knows is one that the device can run.
Status architecture_error(int capability, const std::vector<int>& known) {
  const Release* release = release_for(driver().driver_version() / 1000, capability);
  const std::string advice =
      !release
          ? "no CUDA that this driver and Rondo can use compiles for it"
          : format("what compiles for it is NVRTC of CUDA %d: %s, or set %s to the file or its folder", release->major,
                   nvrtc().remedy().text.c_str(), settings()[static_cast<size_t>(Setting::nvrtc_path)].name);
  const std::string range = known.empty() ? "none"
                                          : capability_text(*std::min_element(known.begin(), known.end())) + " to " +
                                                capability_text(*std::max_element(known.begin(), known.end()));
  return error(RONDO_UNSUPPORTED,
               "NVRTC of %s (%s) compiles for no architecture that the device (compute capability %s) can run, only "
               "for %s; %s",
               nvrtc().version().c_str(), nvrtc().path().c_str(), capability_text(capability).c_str(), range.c_str(),
               advice.c_str());
}

}  // namespace

const std::vector<std::string>& common_options() {
  // Products and sums are rounded one by one, as on the cpu and as unfused operators do.
  static const auto* const options = new std::vector<std::string>{"-std=c++17", "--fmad=false"};
  return *options;
}

Status choose_target(int capability, bool portable, Target* target) {
  RONDO_TRY(nvrtc().open());
  int count = 0;
  RONDO_TRY(check(nvrtc().nvrtcGetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs"));
  std::vector<int> known(static_cast<size_t>(std::max(count, 0)));
  if (!known.empty()) RONDO_TRY(check(nvrtc().nvrtcGetSupportedArchs(known.data()), "nvrtcGetSupportedArchs"));
  int newest = 0;
  for (const int each : known)
    if (each <= capability) newest = std::max(newest, each);
  if (newest == 0) return architecture_error(capability, known);
  *target = {};
  target->architecture = newest;
  target->binary = newest == capability && !portable;
  target->nvrtc_major = nvrtc().major();
  target->nvrtc_minor = nvrtc().minor();
  target->nvrtc_build = build_of(nvrtc().path());
  target->options = {format("--gpu-architecture=%s_%d", target->binary ? "sm" : "compute", newest)};
  target->options.insert(target->options.end(), common_options().begin(), common_options().end());
  const int version = target->nvrtc_major * 100 + target->nvrtc_minor;
  if (version >= 1204) target->options.emplace_back("--minimal");
  return {};
}

namespace {

Status compile_program(const Program& program, const std::vector<std::string>& options, const char* name) {
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());
  nvrtcResult result = NVRTC_SUCCESS;
  {
    KeepLocale keep;
    result = nvrtc().nvrtcCompileProgram(program.handle, static_cast<int>(words.size()), words.data());
  }
  if (result == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE) return builtins_error(name, log_of(program.handle));
  if (result == NVRTC_ERROR_COMPILATION || result == NVRTC_ERROR_INVALID_OPTION ||
      result == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID)
    return error(RONDO_COMPILE_FAILED, "%s: NVRTC %s (%s) could not compile the kernel for %s: %s", name,
                 nvrtc().version().c_str(), nvrtc().path().c_str(), options[0].c_str(), log_of(program.handle).c_str());
  return check(result, "nvrtcCompileProgram").with_context(name);
}

Status take_image(const Program& program, bool binary, const char* name, std::string* image) {
  size_t bytes = 0;
  if (binary) {
    RONDO_TRY(check(nvrtc().nvrtcGetCUBINSize(program.handle, &bytes), "nvrtcGetCUBINSize").with_context(name));
    image->resize(bytes);
    return check(nvrtc().nvrtcGetCUBIN(program.handle, image->data()), "nvrtcGetCUBIN").with_context(name);
  }
  RONDO_TRY(check(nvrtc().nvrtcGetPTXSize(program.handle, &bytes), "nvrtcGetPTXSize").with_context(name));
  image->resize(bytes);
  return check(nvrtc().nvrtcGetPTX(program.handle, image->data()), "nvrtcGetPTX").with_context(name);
}

}  // namespace

Status compile(const Target& target, const char* name, const std::string& text, std::string* image) {
  const std::string source = text_of(kPreludeText) + "using namespace rondo::device;\n" + text;
  Program program;
  RONDO_TRY(check(nvrtc().nvrtcCreateProgram(&program.handle, source.c_str(), name, 0, nullptr, nullptr),
                  "nvrtcCreateProgram")
                .with_context(name));
  RONDO_TRY(compile_program(program, target.options, name));
  return take_image(program, target.binary, name, image);
}

Status compile_user(const Target& target, const UserSource& source, std::string* image,
                    std::vector<std::string>* lowered) {
  const char* const name = source.file.c_str();
  Program program;
  RONDO_TRY(check(nvrtc().nvrtcCreateProgram(&program.handle, source.text.c_str(), name, 0, nullptr, nullptr),
                  "nvrtcCreateProgram")
                .with_context(name));
  for (const std::string& each : source.expressions)
    RONDO_TRY(check(nvrtc().nvrtcAddNameExpression(program.handle, each.c_str()), "nvrtcAddNameExpression")
                  .with_context(name));
  std::vector<std::string> options = {target.options[0]};
  bool standard = false;
  for (const std::string& each : source.options) standard |= each.rfind("-std", 0) == 0 || each.rfind("--std", 0) == 0;
  if (!standard) options.emplace_back("-std=c++17");
  options.insert(options.end(), source.options.begin(), source.options.end());
  RONDO_TRY(compile_program(program, options, name));
  lowered->clear();
  for (const std::string& each : source.expressions) {
    const char* found = nullptr;  // lives as long as the program
    RONDO_TRY(check(nvrtc().nvrtcGetLoweredName(program.handle, each.c_str(), &found), "nvrtcGetLoweredName")
                  .with_context(name));
    lowered->emplace_back(found);
  }
  return take_image(program, target.binary, name, image);
}

}  // namespace rondo::rtc
