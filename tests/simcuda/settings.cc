// Reading SIMCUDA_* from the environment.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace simcuda {
namespace {

std::uint64_t number(const char* name, std::uint64_t fallback, std::uint64_t low, std::uint64_t high) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == 0) return fallback;
  char* end = nullptr;
  std::uint64_t value = std::strtoull(text, &end, 10);
  if (*end != 0 || value < low || value > high) {
    std::fprintf(stderr, "simcuda: %s=%s is not a number from %llu to %llu\n", name, text,
                 static_cast<unsigned long long>(low), static_cast<unsigned long long>(high));
    std::exit(2);
  }
  return value;
}

Settings read() {
  Settings s;
  s.devices = static_cast<int>(number("SIMCUDA_DEVICES", 1, 0, 8));
  s.memory_bytes = number("SIMCUDA_MEMORY", 1024, 1, 65536) << 20;
  s.arch = static_cast<int>(number("SIMCUDA_ARCH", 90, 50, 121));
  s.workers = static_cast<int>(number("SIMCUDA_WORKERS", 3, 1, 64));
  s.seed = number("SIMCUDA_SEED", 0, 0, ~std::uint64_t{0});
  s.check = number("SIMCUDA_CHECK", 1, 0, 1) != 0;
  s.loads_wait = number("SIMCUDA_LOADS_WAIT", 0, 0, 1) != 0;
  s.frees_wait = number("SIMCUDA_FREES_WAIT", 0, 0, 1) != 0;
  s.told_time = number("SIMCUDA_TOLD_TIME", 0, 0, 1) != 0;
  if (const char* faults = std::getenv("SIMCUDA_FAULT")) s.faults = faults;
  if (const char* report = std::getenv("SIMCUDA_REPORT")) {
    if (std::strcmp(report, "abort") == 0)
      s.report = Settings::Report::Abort;
    else if (std::strcmp(report, "quiet") == 0)
      s.report = Settings::Report::Quiet;
    else if (std::strcmp(report, "stderr") != 0) {
      std::fprintf(stderr, "simcuda: SIMCUDA_REPORT=%s is none of stderr, abort, quiet\n", report);
      std::exit(2);
    }
  }
  return s;
}

}  // namespace

Settings& settings() {
  static auto* settings = new Settings(read());  // never destroyed: simulator threads outlive main
  return *settings;
}

std::uint64_t Random::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

}  // namespace simcuda
