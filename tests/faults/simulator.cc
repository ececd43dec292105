// Commands to the simulated driver. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "simulator.h"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>

namespace faults {

namespace {

using Control = long long (*)(const char*, const char*);

void* symbol(const char* setting, const char* name) {
  const char* path = std::getenv(setting);
  void* library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  void* found = library ? dlsym(library, name) : nullptr;
  if (!found) throw std::runtime_error(std::string(setting) + " is no simulated library: there is no " + name);
  return found;
}

bool counted_by_nvrtc(const std::string& entry) {
  return entry.rfind("nvrtc", 0) == 0;
}

}  // namespace

long long control(const char* command, const std::string& argument) {
  static const auto function = reinterpret_cast<Control>(symbol("RONDO_CUDA_DRIVER", "simcuda_control"));
  return function(command, argument.c_str());
}

long long nvrtc_control(const char* command, const std::string& argument) {
  static const auto function = reinterpret_cast<Control>(symbol("RONDO_NVRTC", "simnvrtc_control"));
  return function(command, argument.c_str());
}

long long calls(const std::string& entry) {
  const long long count = counted_by_nvrtc(entry) ? nvrtc_control("calls", entry) : control("calls", entry);
  if (count < 0) throw std::runtime_error("the simulated libraries know no " + entry);
  return count;
}

void arm(const std::string& entry, long long call, int code) {
  const std::string fault = entry + ":" + std::to_string(call) + ":" + std::to_string(code);
  if ((counted_by_nvrtc(entry) ? nvrtc_control("fault", fault) : control("fault", fault)) != 0)
    throw std::runtime_error("the simulated libraries do not take the fault " + fault);
}

void clear_faults() {
  control("clear-faults");
  nvrtc_control("clear-faults");
}

Live live() {
  const auto count = [](const char* kind) { return control("live", kind); };
  return {count("allocations"), count("bytes"),  count("pinned"), count("streams"),  count("events"),
          count("modules"),     count("graphs"), count("execs"),  count("captures"), nvrtc_control("live")};
}

Live only_modules(long long modules) {
  Live live;
  live.modules = modules;
  return live;
}

std::string text(const Live& live) {
  const auto part = [](const char* name, long long count) { return std::string(name) + " " + std::to_string(count); };
  return part("allocations", live.allocations) + part(" bytes", live.bytes) + part(" pinned", live.pinned) +
         part(" streams", live.streams) + part(" events", live.events) + part(" modules", live.modules) +
         part(" graphs", live.graphs) + part(" execs", live.execs) + part(" captures", live.captures) +
         part(" programs", live.programs);
}

std::string reports() {
  using Report = const char* (*)(long long);
  static const auto report = reinterpret_cast<Report>(symbol("RONDO_CUDA_DRIVER", "simcuda_report"));
  std::string all;
  for (long long i = 0; const char* each = report(i); ++i) all += std::string(i ? "; " : "") + each;
  return all;
}

}  // namespace faults
