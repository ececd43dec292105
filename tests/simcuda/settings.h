// Settings of the simulated driver, read once from the environment: what is simulated and how hostile it is. README.md
// lists them. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace simcuda {

struct Settings {
  int devices = 1;
  std::size_t memory_bytes = std::size_t{1} << 30;  // of each device
  int arch = 90;
  int workers = 3;
  std::uint64_t seed = 0;   // 0: no delays, first come first served
  bool check = true;        // every access of every kernel
  bool loads_wait = false;  // loading a module waits for the device and holds its context
  bool frees_wait = false;  // freeing waits for the device, or for all if the memory is the host's, and lets no call in
  bool told_time = false;   // events tell the time that libraries say their work takes, not that of the machine
  std::string faults;
  enum class Report { Stderr, Abort, Quiet } report = Report::Stderr;
};

// The settings of this process. `seed` may be changed by simcuda_control; everything else is fixed after the first use.
Settings& settings();

// A small generator (splitmix64): the hostile choices need speed and a seed, not quality.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::uint64_t below(std::uint64_t n) { return n == 0 ? 0 : next() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace simcuda
