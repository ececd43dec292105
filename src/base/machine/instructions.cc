// Asks the processor and the system which vector instructions there are, and decides once which are used.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/machine/instructions.h"

#include <algorithm>

#include "base/log.h"
#include "base/settings.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace rondo {

namespace {

constexpr const char* kNames[kInstructions] = {"baseline", "avx2", "avx512"};

Instructions decide() {
  const Instructions possible = possible_instructions();
  // The setting's names are "auto", then ours, then "amx".
  const int choice = setting_choice(Setting::cpu_instructions);
  if (choice < 0)
    log(RONDO_LOG_WARNING, "setting RONDO_CPU_INSTRUCTIONS=%s is %s; using auto",
        setting(Setting::cpu_instructions).c_str(), setting_problem(Setting::cpu_instructions).c_str());
  return choice <= 0 ? possible : static_cast<Instructions>(std::min(static_cast<int>(possible), choice - 1));
}

}  // namespace

// By the processor's own instruction: the compiler's library of an older system does not know every name.
Instructions possible_instructions() {
#if defined(__x86_64__)
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return Instructions::baseline;
  constexpr unsigned kFma = 1u << 12, kSaved = 1u << 27, kAvx = 1u << 28, kF16c = 1u << 29;
  constexpr unsigned kNeeded = kFma | kSaved | kAvx | kF16c;
  if ((c & kNeeded) != kNeeded) return Instructions::baseline;
  unsigned low, high;  // registers that the system saves
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  constexpr unsigned kHalves = 0x6, kWhole = 0xe6;
  if ((low & kHalves) != kHalves || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & (1u << 5)))
    return Instructions::baseline;
  constexpr unsigned kAvx512 = (1u << 16) | (1u << 17) | (1u << 30) | (1u << 31);  // F, DQ, BW, VL
  return (b & kAvx512) == kAvx512 && (low & kWhole) == kWhole ? Instructions::avx512 : Instructions::avx2;
#else
  return Instructions::baseline;
#endif
}

bool possible_vnni() {
  static const bool there = [] {
#if defined(__x86_64__)
    unsigned a, b, c, d;
    constexpr unsigned kVnni = 1u << 11;
    return possible_instructions() == Instructions::avx512 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c & kVnni);
#else
    return false;
#endif
  }();
  return there;
}

bool uses_amx() {
  static const bool used = [] {
#if defined(__x86_64__)
    const int choice = setting_choice(Setting::cpu_instructions);
    if ((choice > 0 && choice <= kInstructions) || !possible_vnni()) return false;
    unsigned a, b, c, d, low, high;
    constexpr unsigned kTilesAndBytes = 3u << 24, kSavedTiles = 3u << 17;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & kTilesAndBytes) != kTilesAndBytes ||
        (low & kSavedTiles) != kSavedTiles)
      return false;
    constexpr long kAskForPermission = 0x1023, kTileData = 18;  // as in Linux's <asm/prctl.h> since 5.16
    const bool granted = syscall(SYS_arch_prctl, kAskForPermission, kTileData) == 0;
    if (!granted) log(RONDO_LOG_INFO, "the system refuses AMX to this process; products of 8 bits use AVX-512");
    return granted;
#else
    return false;
#endif
  }();
  return used;
}

Instructions instructions() {
  static const Instructions used = decide();
  return used;
}

const char* instructions_name(Instructions which) {
  return kNames[static_cast<int>(which)];
}

}  // namespace rondo
