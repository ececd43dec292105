// The codes that the driver has for captures and their graphs, 900 to 910, given one after the other by what captures
// and launches call: whoever asked is told, and the engine goes on.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "checks.h"

namespace faults {
namespace {

const char* const kCalled[] = {"cuStreamBeginCapture_v2", "cuStreamIsCapturing", "cuStreamGetCaptureInfo_v2",
                               "cuStreamEndCapture",      "cuLaunchKernel",      "cuLaunchKernelEx",
                               "cuEventRecord",           "cuStreamWaitEvent",   "cuGraphInstantiateWithFlags",
                               "cuGraphUpload",           "cuGraphLaunch",       "cuGraphExecKernelNodeSetParams"};

std::vector<Case> of_captures() {
  std::vector<Case> all = cases(When::each_run);
  std::erase_if(all, [](const Case& each) {
    return std::none_of(std::begin(kCalled), std::end(kCalled),
                        [&](const char* name) { return std::string(name) == each.entry->name; });
  });
  return all;
}

class CaptureCode : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Faults, CaptureCode, testing::ValuesIn(of_captures()), case_name);

// Each mode takes a third of the codes.
TEST_P(CaptureCode, Passes) {
  const Entry& entry = *GetParam().entry;
  const rondo_engine_mode mode = GetParam().mode;
  expect_well(in_child(
      [&](Child& child) {
        const Reference reference = run_without_faults(child, mode);
        const std::set<long long> calls = some_calls(reference.calls.at(entry.name));
        auto call = calls.begin();
        bool told = false;
        for (int code = 900; code <= 910; ++code) {
          if ((code + static_cast<int>(mode)) % 3 != 0) continue;
          told |= run_passing(child, {&entry, *call, code}, mode, reference, live());
          if (++call == calls.end()) call = calls.begin();
        }
        child.in("");
        child.expect(told || entry.shows == Shows::nothing, "nobody was ever told");
      },
      settings_for(entry)));
}

TEST(CaptureCodes, AreGivenByEveryEntryPointOfTheList) {
  EXPECT_EQ(of_captures().size(), 3 * std::size(kCalled));
}

}  // namespace
}  // namespace faults
