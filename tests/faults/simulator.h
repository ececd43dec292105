// The simulated driver's controls, found with dlsym in the libraries that Rondo is told to open, and what is alive in
// them. tests/simcuda/README.md lists the commands.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace faults {

// To libcuda, or to libnvrtc for the names that begin with nvrtc. Throws if the driver set is no simulated one.
long long control(const char* command, const std::string& argument = {});
long long nvrtc_control(const char* command, const std::string& argument = {});

long long calls(const std::string& entry);
// The how-manieth call from now fails, and how. Faults add up until they are cleared.
void arm(const std::string& entry, long long call, int code);
void clear_faults();

// What the driver holds for the process.
struct Live {
  long long allocations = 0, bytes = 0, pinned = 0, streams = 0, events = 0;
  long long modules = 0;  // kernels are the process's and stay
  long long graphs = 0, execs = 0, captures = 0, programs = 0;
  bool operator==(const Live&) const = default;
};
Live live();
Live only_modules(long long modules);
std::string text(const Live& live);

// What the simulated driver complains of: a use after free, a read of memory never written. Empty if nothing.
std::string reports();

}  // namespace faults
