// The library of a profiler that takes ranges: named by its variable or by the setting, hidden, not one, unwilling.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "fixture.h"

namespace rondo_test {
namespace {

constexpr const char* kVariable = sizeof(void*) == 8 ? "NVTX_INJECTION64_PATH" : "NVTX_INJECTION32_PATH";

class LoaderNvtx : public Loader {
 protected:
  Outcome ranges(Environment environment) {
    environment["RONDO_LOG"] = "warning";
    return run(std::move(environment), {"ranges"});
  }
  std::string library(const std::string& fake) { return plant(fake, fake, "libprofiler.so") + "/libprofiler.so"; }
};

TEST_F(LoaderNvtx, ProfilersVariableOrTheSettingNamesIt) {
  const std::string named = library("nvtx");
  for (const char* variable : {kVariable, "RONDO_NVTX"}) {
    const Outcome outcome = ranges({{variable, named}});
    EXPECT_EQ(outcome["ranges"], "yes") << outcome.text;
    EXPECT_EQ(outcome["version"], "NVTX 3") << outcome.text;
    EXPECT_EQ(outcome["said"], "push outer, push inner, pop, pop") << outcome.text;
  }
}

TEST_F(LoaderNvtx, NobodyAsksOrTheSettingHidesIt) {
  const std::string named = library("nvtx");
  const std::vector<Environment> all = {{}, {{kVariable, ""}}, {{kVariable, named}, {"RONDO_NVTX", "none"}}};
  for (const Environment& each : all) {
    const Outcome outcome = ranges(each);
    EXPECT_EQ(outcome["ranges"], "no") << outcome.text;
    EXPECT_EQ(outcome.text.find("profiler"), std::string::npos) << "that is no finding: " << outcome.text;
  }
}

TEST_F(LoaderNvtx, ProfilerThatTakesNoneOfThemIsNoHarm) {
  const Outcome outcome = ranges({{kVariable, library("nvtx_idle")}});
  EXPECT_EQ(outcome["ranges"], "yes") << outcome.text;
  EXPECT_EQ(outcome["said"], "") << outcome.text;
}

TEST_F(LoaderNvtx, WhatWillNotDoIsALineInTheLog) {
  const std::string bytes = bytes_of("nvtx");
  write(root / "cut.so", bytes.substr(0, end_of_segments(bytes) - 1));
  const std::vector<std::pair<std::string, std::string>> all = {
      {library("nvtx_stub"), "has no InitializeInjectionNvtx2"},
      {library("nvtx_failing"), "InitializeInjectionNvtx2 says 0"},
      {(root / "cut.so").string(), "cut.so"},
      {(root / "absent.so").string(), "absent.so"},
      {"libprofiler.so", "not an absolute path"}};
  for (const auto& [file, reason] : all) {
    const Outcome outcome = ranges({{kVariable, file}});
    EXPECT_EQ(outcome.code, 0) << outcome.text;
    EXPECT_EQ(outcome["ranges"], "no") << outcome.text;
    EXPECT_NE(outcome.text.find("there are no ranges for a profiler: "), std::string::npos) << outcome.text;
    EXPECT_NE(outcome.text.find(reason), std::string::npos) << "lacks: " << reason << "\n" << outcome.text;
  }
}

}  // namespace
}  // namespace rondo_test
