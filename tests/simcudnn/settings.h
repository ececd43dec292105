// Which cuDNN is simulated and how hostile it is, read once from the environment; README.md lists the settings.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace simcudnn {

// Of one engine, by its number.
struct Mood {
  bool refuses = false;     // its plans cannot be finalised
  bool loses_nan = false;   // its ReLU makes 0 of NaN whatever it is told
  bool adds_first = false;  // bias and residual to each other
  bool rounds_first = false;
  bool miscounts = false;
  bool misplaces = false;
  bool overreads = false;
  bool wavers = false;
  bool uncapturable = false;  // it allocates while it is executed
  std::int64_t workspace = -1;
  std::uint64_t fails_at = 0;  // the how-manieth execution; 0: none
  int slow_us = 0;
};

struct Settings {
  int version = 0;  // 919 for 9.19, as the library's file allows
  int cuda = 12080;
  std::uint64_t seed = 0;  // order in which heuristics propose; 0: always the same
  std::map<std::int64_t, Mood> engines;
  std::string record;  // file for the patterns that are asked for; with one, nothing is computed
  bool older() const { return version < 900; }
};

Settings& settings();
// "41=refuse,23=workspace:1048576,0=fail:2,10=slow:500,7=uncapturable,1=losesnan,0=roundsfirst,10=miscounts,23=misplaces,41=overreads";
// false when it cannot be read.
bool parse_moods(const std::string& text, std::map<std::int64_t, Mood>* moods);

// What went wrong, and its number in each major version.
enum class Problem {
  none,
  bad_param,
  null,
  not_finalized,
  attribute_type,
  descriptor_type,
  size,
  out_of_bound,
  misaligned,
  shape,
  unsupported,
  unsupported_pattern,
  execution,
  device_memory
};
int code_of(Problem problem);

}  // namespace simcudnn
