// Does what NVTX's own headers do in a program that is compiled with them: the library that the profiler names is
// opened, and its one entry is given a function that shows it the tables of functions, by module and number. It writes
// those that it takes. All numbers are NVTX 3's, which are those of NVTX 2.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "dynlib/nvtx.h"

#include <sys/auxv.h>

#include <array>
#include <cstdlib>

#include "base/caught.h"
#include "base/log.h"
#include "base/settings.h"

namespace rondo {

namespace {

constexpr const char* kVariable = sizeof(void*) == 8 ? "NVTX_INJECTION64_PATH" : "NVTX_INJECTION32_PATH";
constexpr uint32_t kVersion = 3;

using RangeFunction = void (*)();
// By module, from 1: core, CUDA, OpenCL, CUDA runtime, domains, synchronisation; how many numbers each has, 0 included.
constexpr unsigned kSizes[] = {0, 16, 9, 15, 7, 16, 7};
constexpr unsigned kModules = sizeof kSizes / sizeof kSizes[0], kMost = 16;
constexpr unsigned kCore = 1, kPush = 9, kPop = 11;

RangeFunction entries[kModules][kMost];  // written by the profiler's library, perhaps while ranges are opened
// The tables of a module that the profiler sees: where the entry of each number is; none for 0, none after the last.
std::array<std::array<RangeFunction*, kMost + 1>, kModules> tables;

struct Callbacks {
  size_t size;
  int (*table_of)(int module, RangeFunction*** table, unsigned* size);
};
struct VersionInfo {
  size_t size;
  uint32_t version, reserved;
  void (*profiler_has)(uint32_t version);
};

int table_of(int module, RangeFunction*** table, unsigned* size) {
  if (module < 1 || module >= static_cast<int>(kModules)) return 0;
  if (size) *size = kSizes[module];
  if (table) *table = tables[static_cast<size_t>(module)].data();
  return 1;
}

// Both live as long as the process: the library may look again.
constexpr Callbacks kCallbacks = {sizeof(Callbacks), table_of};
constexpr VersionInfo kVersionInfo = {sizeof(VersionInfo), kVersion, 0, [](uint32_t) {}};

const void* exported(uint32_t number) {
  return number == 1 ? static_cast<const void*>(&kCallbacks) : number == 3 ? &kVersionInfo : nullptr;
}

template <class F>
F entry(unsigned number) {
  return reinterpret_cast<F>(__atomic_load_n(&entries[kCore][number], __ATOMIC_RELAXED));
}

std::string named() {
  if (setting_is_set(Setting::nvtx)) return setting(Setting::nvtx);
  const char* value = getauxval(AT_SECURE) ? nullptr : std::getenv(kVariable);
  return value ? value : "";
}

}  // namespace

Nvtx::Nvtx()
    : Library({"the profiler's library for NVTX",
               Setting::nvtx,
               {},
               {},
               false,
               {std::string("start the program by a profiler that sets ") + kVariable}}) {}

std::string Nvtx::chosen() const {
  return named();
}

Status Nvtx::accept(std::string*) {
  const auto initialize = reinterpret_cast<int (*)(const void* (*)(uint32_t))>(symbol("InitializeInjectionNvtx2"));
  if (!initialize) return error(RONDO_LIBRARY_MISSING, "has no InitializeInjectionNvtx2: it takes no ranges");
  for (unsigned module = 1; module < kModules; ++module)
    for (unsigned number = 1; number < kSizes[module]; ++number) tables[module][number] = &entries[module][number];
  if (!initialize(exported))
    return error(RONDO_LIBRARY_MISSING, "does not want to be used: InitializeInjectionNvtx2 says 0");
  version_ = "NVTX 3";
  return {};
}

Nvtx* Nvtx::of_process() noexcept {
  static Nvtx* const instance = []() -> Nvtx* {
    Nvtx* made = nullptr;
    const Status status = caught([&]() -> Status {
      if (const std::string library = named(); library.empty() || library == "none") return {};
      static auto* const known = new Nvtx;
      RONDO_TRY(known->open());
      made = known;
      return {};
    });
    if (!status.ok()) log(RONDO_LOG_WARNING, "there are no ranges for a profiler: %s", status.message());
    return made;
  }();
  return instance;
}

void Nvtx::push(const char* name) const noexcept {
  if (const auto open = entry<int (*)(const char*)>(kPush)) open(name);
}

void Nvtx::pop() const noexcept {
  if (const auto close = entry<int (*)()>(kPop)) close();
}

}  // namespace rondo
