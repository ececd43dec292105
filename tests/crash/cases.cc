// The report of a program of GoogleTest's: it names the case, and there are always last tasks.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "report.h"

namespace crash {
namespace {

class Running final : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& test) override { at(test.test_suite_name(), test.name()); }
  void OnTestEnd(const testing::TestInfo&) override { at(nullptr, nullptr); }
};

class Prepare final : public testing::Environment {
 public:
  Prepare() { keep_last_tasks(); }
  void SetUp() override { testing::UnitTest::GetInstance()->listeners().Append(new Running); }
};

[[maybe_unused]] const testing::Environment* const prepared = testing::AddGlobalTestEnvironment(new Prepare);

}  // namespace
}  // namespace crash
