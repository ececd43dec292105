// One fault, one run of the program: what the user must be told, what must stand, what may be left behind.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "entries.h"
#include "program.h"
#include "simulator.h"

namespace faults {

inline constexpr int kCompilation = 6;  // NVRTC's code for a text that does not compile

inline const rondo_engine_mode kModes[] = {RONDO_ENGINE_ASYNC, RONDO_ENGINE_THREADED, RONDO_ENGINE_NAIVE};
const char* mode_name(rondo_engine_mode mode);
bool of_nvrtc(const std::string& entry);

// What a suite runs for: each entry of a kind in each engine mode.
struct Case {
  const Entry* entry;
  rondo_engine_mode mode;
  friend void PrintTo(const Case& each, std::ostream* out) { *out << each.entry->name << " " << mode_name(each.mode); }
};
// Those whose failure shows in one of these ways; in any way, if none is named.
std::vector<Case> cases(When when, std::initializer_list<Shows> shows = {});
// Those of the driver: NVRTC has no code that takes a device with it. None of a library that does not answer at all: no
// device is known then.
std::vector<Case> sticky_cases(When when);
std::string case_name(const testing::TestParamInfo<Case>& info);

// Throws with the message if it fails.
rondo_engine* create(rondo_engine_mode mode);

struct Fault {
  const Entry* entry;
  long long call;
  int code;

  bool sticky() const;
  rondo_status status() const;  // that it must give
  bool healed() const;          // Rondo has a second way that works
  std::string text() const;
};
Fault parse(const std::string& text);  // entry:call:code

// The first call, a middle one, the last.
std::set<long long> some_calls(long long count);
std::vector<int> passing_codes(const std::string& entry);
// The first call with every code, the others with one each.
std::vector<Fault> passing_faults(const Entry& entry, long long calls);
// The library that an entry needs: an older driver.
Environment settings_for(const Entry& entry);

struct Reference {
  std::map<std::string, std::string> values;
  std::map<std::string, long long> calls;
  Live live;  // when the engine is gone
};
Reference run_without_faults(Child& child, rondo_engine_mode mode);

// A fault that passes: the engine goes on. Whether the user was told. `reference` may have no values: then those of the
// run after the fault are taken. `cause` is another fault that leads to this one's call, or null.
bool run_passing(Child& child, const Fault& fault, rondo_engine_mode mode, const Reference& reference, Live before,
                 const Fault* cause = nullptr);
// A fault that takes the device with it: the engine is lost, and only destroying works. `cause` as above: what it shows
// before the device is lost is its own.
void run_sticky(Child& child, const Fault& fault, rondo_engine_mode mode, const Fault* cause = nullptr);

// A failure must be the fault's and say so: the function, the device, the entry point, its code.
void check_attribution(Child& child, const Fault& fault, const Failure& failure);
void check_values(Child& child, const Program& program, const std::map<std::string, std::string>& reference, bool all);
// Nothing but what failed releases explain may be left.
void check_left(Child& child, const Live& expected);
// Calls of all kinds on a lost engine: the same status and the same cause from each.
void check_lost(Child& child, rondo_engine* engine, const Program& program, int code);

bool has(const std::string& text, const std::string& part);

}  // namespace faults
