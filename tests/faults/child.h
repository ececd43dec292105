// Each case runs in a forked child. The parent never touches Rondo or the driver, so that every child starts with a
// process in which nothing was loaded; a sticky fault, a crash or a hang costs that child only.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace faults {

// The child's line to its parent.
class Child {
 public:
  static constexpr size_t kPlaceBytes = 256;
  // `place` is memory that both see.
  Child(int pipe, char* place) : pipe_(pipe), where_(place) {}
  // Where the child is: what the parent tells of one that hangs or crashes.
  void at(const std::string& place) { where_[place.copy(where_, kPlaceBytes - 1)] = '\0'; }
  void complain(const std::string& complaint) { say("complaint", place_ + complaint); }
  void expect(bool holds, const std::string& complaint) {
    if (!holds) complain(complaint);
  }
  void fact(const std::string& name, long long value) { say("fact", name + "=" + std::to_string(value)); }
  // Stands before every complaint from now on.
  void in(const std::string& place) {
    place_ = place.empty() ? "" : place + ": ";
    at(place);
  }

 private:
  void say(const std::string& kind, const std::string& what);
  int pipe_;
  char* where_;
  std::string place_;
};

struct Ending {
  std::vector<std::string> complaints;  // one for a crash or a hang too
  std::map<std::string, long long> facts;
};

using Environment = std::map<std::string, std::string>;
// Runs the body in a child, with these settings besides the process's own, and waits for its end.
Ending in_child(const std::function<void(Child&)>& body, const Environment& settings = {});
// Fails the test with each complaint.
void expect_well(const Ending& ending);

}  // namespace faults
