// Every entry point that each run of the program calls, made to fail at its first, a middle and its last call, in each
// engine mode: with codes that pass, and with codes that take the device with them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "checks.h"

namespace faults {
namespace {

class EachRun : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Faults, EachRun, testing::ValuesIn(cases(When::each_run)), case_name);

TEST_P(EachRun, Passes) {
  const Entry& entry = *GetParam().entry;
  const rondo_engine_mode mode = GetParam().mode;
  expect_well(in_child(
      [&](Child& child) {
        const Reference reference = run_without_faults(child, mode);
        bool told = false;
        for (const Fault& fault : passing_faults(entry, reference.calls.at(entry.name)))
          told |= run_passing(child, fault, mode, reference, live());
        child.in("");
        child.expect(told || entry.shows == Shows::nothing, "nobody was ever told");
      },
      settings_for(entry)));
}

TEST_P(EachRun, IsSticky) {
  const Entry& entry = *GetParam().entry;
  const rondo_engine_mode mode = GetParam().mode;
  const Ending counted =
      in_child([&](Child& child) { child.fact("calls", run_without_faults(child, mode).calls.at(entry.name)); },
               settings_for(entry));
  expect_well(counted);
  ASSERT_TRUE(counted.facts.count("calls"));
  int codes[] = {719, 700, 214}, *code = codes;
  for (const long long call : some_calls(counted.facts.at("calls"))) {
    const Fault fault{&entry, call, *code++};
    expect_well(in_child([&](Child& child) { run_sticky(child, fault, mode); }, settings_for(entry)));
  }
}

}  // namespace
}  // namespace faults
