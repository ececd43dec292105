// How handles of kinds and of sonames differ. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/handle.h"

#include <gtest/gtest.h>

#include <set>

namespace rondo {
namespace {

// A library of another soname in the process marks its handles otherwise.
TEST(HandleMagics, DifferByKindAndBySoname) {
  std::set<uint32_t> all;
  constexpr uint32_t kKinds = static_cast<uint32_t>(HandleKind::task_context) + 1, kSonames = 100;
  for (uint32_t soname = 0; soname < kSonames; ++soname)
    for (uint32_t kind = 0; kind < kKinds; ++kind) all.insert(handle_magic(static_cast<HandleKind>(kind), soname));
  EXPECT_EQ(all.size(), kKinds * kSonames);
}

}  // namespace
}  // namespace rondo
