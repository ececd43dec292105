// The file of a profile, as rondo_graph_profile writes it: read with distrust, shown as text and as a picture.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::tools {

struct ProfiledTask {
  int64_t task = 0;  // its number in the graph or body
  std::string name, operators, device, body, operands, site;
  int64_t segment = 0, branch = 0, runs = 0;
  double start_us = 0, us = 0;
  int64_t kernels = 0, bytes = 0;  // 0: not known
  std::vector<size_t> after;       // indices into the profile's tasks
  bool critical = false;
};

struct ProfiledSegment {
  std::string device, kind;
  int64_t tasks = 0;
  double us = -1;  // of one that was run as a whole; else negative
};

struct Profile {
  std::string graph;
  double total_us = 0, critical_us = 0;
  std::vector<ProfiledSegment> segments;
  std::vector<ProfiledTask> tasks;  // those of a body follow each other; a task comes after all that it waits for
};

// What is wrong with the text; empty: nothing, and *profile is what it says.
std::string read_profile(const std::string& text, Profile* profile);
std::string profile_text(const Profile& profile);
// Tasks as bars, each where it could begin if only what it needs came before it.
std::string profile_svg(const Profile& profile);

// What a terminal shows as it is: other characters become '?'.
std::string harmless(const std::string& text);

}  // namespace rondo::tools
