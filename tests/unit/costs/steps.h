// Steps of the library's own files that go over nodes: each block of instructions is one, and so are 64 bytes that are
// copied (meson.build compiles those files a second time for that). What a cost is made of does not depend on the
// machine, and a loop over all nodes for each node shows at once.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace costs {

// Of the calling thread, since it began.
std::uint64_t steps();
template <class DoIt>
std::uint64_t steps_of(const DoIt& do_it) {
  const std::uint64_t before = steps();
  do_it();
  return steps() - before;
}

// What the parts of something cost that is made of so many nodes, by name.
using Costs = std::vector<std::pair<std::string, std::uint64_t>>;
// Ten times as many nodes may take twelve times as many steps in each part: what is linear takes ten, what is sorted a
// little more.
void expect_linear(const std::string& what, const std::function<Costs(int count)>& costs, int count = 500);

}  // namespace costs
