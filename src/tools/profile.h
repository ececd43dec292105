// Reads the file of a profile, as rondo_graph_profile writes it, with distrust, and shows it as text and as a picture.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::tools {

// A place in a profile's texts.
struct Text {
  uint32_t at = 0, bytes = 0;
};

struct ProfiledTask {
  int64_t task = 0;  // its number in the graph or body
  Text name, operators, operands, site;
  uint32_t device = 0, body = 0;  // of the profile's names; body 0: it is the graph's own
  bool critical = false;
  int64_t segment = 0, branch = 0, runs = 0;
  double us = 0, begin_us = 0;     // begins there if only what it needs came before it
  int64_t kernels = 0, bytes = 0;  // 0: not known
};

struct ProfiledSegment {
  Text device, kind;
  int64_t tasks = 0;
  double us = -1;  // of one that was run as a whole; else negative
};

// The memory for a file's contents is less than three times as large as the file, whatever it contains.
struct Profile {
  std::string graph;
  double total_us = 0, critical_us = 0;
  std::deque<ProfiledSegment> segments;
  std::deque<ProfiledTask> tasks;  // a task comes after all that it waits for
  std::string texts;
  std::deque<std::string> names;  // each once; the first is empty

  std::string_view text(Text of) const { return std::string_view(texts).substr(of.at, of.bytes); }
};

// Says what is wrong with the text; empty: nothing, and *profile is what it says.
std::string read_profile(const std::string& text, Profile* profile);
void print_profile(const Profile& profile, std::FILE* to);
// Tasks as bars over an axis in microseconds, each where it could begin if only what it needs came before it; those of
// a body from the beginning of its task on.
std::string profile_svg(const Profile& profile);

// The text as a terminal may show it: other characters become '?'.
std::string harmless(std::string_view text);

}  // namespace rondo::tools
