// Each case of a program has all engine modes, or by turns one of them, and the program has all of them still.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "../harness.h"

namespace conformance {
namespace {

struct Case {
  bool flavoured = false;  // eager or in a graph, as operators' cases are
  std::set<std::string> modes;
};

// The cases on cuda by their names before the mode.
std::map<std::string, Case> cases_on_cuda() {
  std::map<std::string, Case> cases;
  const testing::UnitTest& program = *testing::UnitTest::GetInstance();
  for (int i = 0; i < program.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *program.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k) {
      const std::string name = std::string(suite.name()) + "." + suite.GetTestInfo(k)->name();
      const size_t at = name.find("/cuda_");
      if (at == std::string::npos) continue;
      const size_t end = name.find('_', at + 6);
      Case& one = cases[name.substr(0, at)];
      one.modes.insert(name.substr(at + 1, end - at - 1));
      one.flavoured |= end != std::string::npos;
    }
  }
  return cases;
}

bool is(const char* name, const char* expected) {
  const char* value = std::getenv(name);
  return value && std::string(value) == expected;
}

TEST(EngineModes, CasesOf_cuda_TakeAllOrEachItsOwn) {
  const bool by_turns = is("RONDO_TEST_MODES", "by turns"), turn = std::getenv("RONDO_TEST_MODES_TURN") != nullptr;
  const std::map<std::string, Case> cases = cases_on_cuda();
  std::map<std::string, size_t> counts;
  for (const auto& [name, one] : cases) {
    EXPECT_EQ(one.modes.size(), by_turns && (share() >= 0 || (turn && one.flavoured)) ? 1u : 3u) << name;
    for (const std::string& mode : one.modes) ++counts[mode];
  }
  EXPECT_EQ(counts.size(), 3u);
  for (const auto& [mode, count] : counts) EXPECT_GE(count, cases.size() / 3) << mode;
}

}  // namespace
}  // namespace conformance
