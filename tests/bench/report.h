// What was measured, as a table for people and as JSON for machines.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench.h"
#include "stats.h"

namespace bench {

// One of several ways in which a peer does a row, or why it was left out.
struct Way {
  double median = 0, compile_seconds = 0;
  std::string left_out;  // empty: it was measured
};

struct Result {
  Row row;
  std::string cannot;  // why the row could not run; empty if it did
  Summary rondo;
  std::optional<Summary> floor;
  std::map<std::string, double> peers;                     // name to median microseconds, of the fastest way
  std::map<std::string, std::map<std::string, Way>> ways;  // of a peer that has several
};

enum class Verdict { kNone, kMet, kMissed };
Verdict judge(const Result& result);

// Everything the figures depend on.
struct Setting {
  std::string date, rondo, device, host;
  int32_t capability = 0, driver = 0;
  int repetitions = 0;
  bool quick = false;
  std::map<std::string, std::string> peers;   // name to version
  std::map<std::string, std::string> absent;  // name to why it was not measured
};
Setting describe(const Options& options, int repetitions);

void print_table(const Setting& setting, const std::vector<Result>& results);
// Returns false if the file could not be written.
bool write_json(const std::string& path, const Setting& setting, const std::vector<Result>& results);

}  // namespace bench
