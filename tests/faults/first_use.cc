// Entry points that only the first use of a library, a device or a kernel calls: each fault meets a new process. And
// the table of entry points itself: it has every one, and those that it says nobody calls are not called.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "checks.h"

namespace faults {
namespace {

// What a process without faults calls and keeps: the modules of the program's kernels, which are the process's.
Ending measure(const std::string& entry, rondo_engine_mode mode) {
  return in_child([&](Child& child) {
    const long long before = calls(entry);
    const Reference reference = run_without_faults(child, mode);
    child.fact("calls", calls(entry) - before);
    child.fact("modules", reference.live.modules);
  });
}

// A device that is lost before it was opened: every call that names it says so, in each engine. An engine has nothing
// there to lose, and so goes on without it.
void run_lost_before_opened(Child& child, const Fault& fault, rondo_engine_mode mode) {
  child.in(fault.text());
  arm(fault.entry->name, fault.call, fault.code);
  for (const char* turn : {"the engine", "another engine"}) {
    rondo_engine* engine = create(mode);
    {
      Program program(engine, [&](const std::string& step) { child.at(fault.text() + ", " + turn + ", " + step); });
      program.run();
      child.expect(!program.failures().empty(), std::string("nobody is told by ") + turn);
      for (const Failure& failure : program.failures()) {
        child.expect(failure.status == RONDO_DEVICE_LOST,
                     "'" + failure.step + "' gave " + rondo_status_name(failure.status) + ": " + failure.text);
        child.expect(failure.text.rfind("rondo_", 0) == 0 && has(failure.text, "cuda:0") &&
                         has(failure.text, " " + std::to_string(fault.code) + " "),
                     "'" + failure.step + "' does not tell function, device and code: " + failure.text);
      }
      for (const char* name : {"a", "sum", "filled"})
        child.expect(!program.tensor(name), std::string("there is a tensor on the lost device for ") + turn);
      child.expect(program.values().count("host") == 1, std::string("the cpu does not go on for ") + turn);
      child.expect(rondo_engine_wait_all(engine) == RONDO_OK, std::string("wait_all of ") + turn + " fails");
    }
    rondo_engine_destroy(engine);
  }
  clear_faults();
  check_left(child, only_modules(0));
}

class FirstUse : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Faults, FirstUse, testing::ValuesIn(cases(When::first_use, {Shows::reported, Shows::nothing})),
                         case_name);

class FirstUseSticky : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Faults, FirstUseSticky, testing::ValuesIn(sticky_cases(When::first_use)), case_name);

TEST_P(FirstUseSticky, LosesTheDevice) {
  const Entry& entry = *GetParam().entry;
  const rondo_engine_mode mode = GetParam().mode;
  const Ending measured = measure(entry.name, mode);
  expect_well(measured);
  ASSERT_TRUE(measured.facts.count("calls"));
  int codes[] = {719, 700, 214}, *code = codes;
  for (const long long call : some_calls(measured.facts.at("calls"))) {
    const Fault fault{&entry, call, *code++};
    expect_well(in_child([&](Child& child) {
      if (entry.opens)
        run_lost_before_opened(child, fault, mode);
      else
        run_sticky(child, fault, mode);
    }));
  }
}

TEST_P(FirstUse, Passes) {
  const Entry& entry = *GetParam().entry;
  const rondo_engine_mode mode = GetParam().mode;
  const Ending measured = measure(entry.name, mode);
  expect_well(measured);
  ASSERT_TRUE(measured.facts.count("calls"));
  ASSERT_GT(measured.facts.at("calls"), 0) << "nothing calls it";
  const Live left = only_modules(measured.facts.at("modules"));
  size_t turn = 0;
  for (const long long call : some_calls(measured.facts.at("calls"))) {
    std::vector<int> codes = passing_codes(entry.name);
    if (std::string(entry.name) == "nvrtcCompileProgram") std::erase(codes, kCompilation);  // stays: see below
    const Fault fault{&entry, call, codes[turn++ % codes.size()]};
    expect_well(in_child([&](Child& child) {
      run_passing(child, fault, mode, {}, left);
      child.in(fault.text() + ", afterwards");
      run_without_faults(child, mode);
    }));
  }
}

class After : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Faults, After, testing::ValuesIn(cases(When::after, {Shows::reported, Shows::nothing})),
                         case_name);

TEST_P(After, Passes) {
  const Entry& entry = *GetParam().entry;
  const rondo_engine_mode mode = GetParam().mode;
  const Fault cause = parse(entry.needs);
  const Ending measured = measure(entry.name, mode);
  expect_well(measured);
  ASSERT_TRUE(measured.facts.count("calls"));
  EXPECT_EQ(measured.facts.at("calls"), 0) << "called without another failure: it belongs to the first group";
  for (const int code : passing_codes(entry.name))
    expect_well(in_child([&](Child& child) {
      run_passing(child, {&entry, 1, code}, mode, {}, only_modules(measured.facts.at("modules")), &cause);
    }));
}

class AfterSticky : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Faults, AfterSticky, testing::ValuesIn(sticky_cases(When::after)), case_name);

TEST_P(AfterSticky, LosesTheDevice) {
  const Entry& entry = *GetParam().entry;
  const Fault cause = parse(entry.needs);
  for (const int code : {719, 700, 214})
    expect_well(in_child([&](Child& child) { run_sticky(child, {&entry, 1, code}, GetParam().mode, &cause); }));
}

// A library or a driver that does not answer at all: no GPU in this process, but the cpu.
class Missing : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Faults, Missing, testing::ValuesIn(cases(When::first_use, {Shows::missing})), case_name);

TEST_P(Missing, TheCpuGoesOn) {
  const Entry& entry = *GetParam().entry;
  const rondo_engine_mode mode = GetParam().mode;
  for (const int code : passing_codes(entry.name))
    expect_well(in_child([&](Child& child) {
      const Fault fault{&entry, 1, code};
      child.in(fault.text());
      arm(entry.name, 1, code);
      rondo_engine* engine = create(mode);
      for (const char* turn : {"first", "second"}) {
        Program program(engine, [&](const std::string& step) { child.at(fault.text() + ", " + turn + ", " + step); });
        program.run();
        child.expect(!program.failures().empty(), std::string("nobody is told in the ") + turn + " run");
        for (const Failure& failure : program.failures()) check_attribution(child, fault, failure);
        child.expect(program.values().count("host") == 1, "the cpu does not go on");
      }
      rondo_engine_destroy(engine);
      check_left(child, only_modules(0));
    }));
}

class Kernel : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Faults, Kernel, testing::ValuesIn(cases(When::after, {Shows::stays})), case_name);

// With its log, and where the log cannot be had.
TEST_P(Kernel, ThatDoesNotCompileStaysSo) {
  const Entry& entry = *GetParam().entry;
  const rondo_engine_mode mode = GetParam().mode;
  const Fault fault = parse(entry.needs);
  for (const int log : {0, 11})
    expect_well(in_child([&](Child& child) {
      child.in(fault.text());
      arm(fault.entry->name, fault.call, fault.code);
      if (log) arm(entry.name, 1, log);
      rondo_engine* engine = create(mode);
      long long modules = 0;
      for (const char* turn : {"first", "second"}) {
        Program program(engine, [&](const std::string& step) { child.at(fault.text() + ", " + turn + ", " + step); });
        program.run();
        child.expect(!program.failures().empty(), std::string("nobody is told in the ") + turn + " run");
        for (const Failure& failure : program.failures()) {
          check_attribution(child, fault, failure);
          child.expect(has(failure.text, log ? "no log" : "error: made to fail"), "not the log: " + failure.text);
        }
        child.expect(program.values().count("softmax") == 1, "other kernels do not go on");
        if (modules) child.expect(live().modules == modules, "kernels are loaded again");
        modules = live().modules;
      }
      child.expect(calls(entry.name) == 1, "it is compiled again");
      rondo_engine_destroy(engine);
      check_left(child, only_modules(modules));
    }));
}

// Memory that is really used up, and not for one call only.
TEST(Memory, UsedUp) {
  for (const rondo_engine_mode mode : kModes)
    expect_well(in_child([&](Child& child) {
      const Reference reference = run_without_faults(child, mode);
      child.in(std::string("every cuMemAlloc fails, ") + mode_name(mode));
      for (long long call = 1; call <= 200; ++call) arm("cuMemAlloc_v2", call, 2);
      rondo_engine* engine = create(mode);
      {
        Program program(engine, [&](const std::string& step) { child.at(step); });
        program.run();
        child.expect(!program.failures().empty(), "nobody is told");
        for (const Failure& failure : program.failures()) {
          check_attribution(child, parse("cuMemAlloc_v2:1:2"), failure);
          for (const char* figure : {"asked ", "in use ", "cached ", "limit "})
            child.expect(has(failure.text, figure), "no figures: " + failure.text);
        }
        clear_faults();
        (void)rondo_engine_wait_all(engine);
        Program again(engine, [&](const std::string& step) { child.at("again, " + step); });
        again.run();
        for (const Failure& failure : again.failures()) child.complain("the engine does not go on: " + failure.text);
        check_values(child, again, reference.values, true);
      }
      rondo_engine_destroy(engine);
      check_left(child, reference.live);
    }));
}

TEST(Table, HasEveryEntryPoint) {
  std::vector<std::string> known;
  for (const Entry& entry : entries()) known.emplace_back(entry.name);
  std::vector<std::string> product = entries_of_the_product();
  std::sort(known.begin(), known.end());
  std::sort(product.begin(), product.end());
  EXPECT_EQ(known, product);
}

TEST(Table, WhatItSaysNobodyCallsIsNotCalled) {
  for (const rondo_engine_mode mode : kModes)
    expect_well(in_child([&](Child& child) {
      run_without_faults(child, mode);
      for (const Entry& entry : entries())
        if (entry.when == When::never)
          child.expect(calls(entry.name) == 0, std::string(entry.name) + " is called, though: " + entry.why);
    }));
}

TEST(Program, ComputesWhatItShould) {
  for (const rondo_engine_mode mode : kModes)
    expect_well(in_child([&](Child& child) {
      int compared = 0;
      for (const auto& [name, bytes] : run_without_faults(child, mode).values) {
        const std::string value = expected(name);
        if (value.empty()) continue;
        ++compared;
        child.expect(value == bytes, "'" + name + "' is not what arithmetic says");
      }
      child.expect(compared >= 10, "only " + std::to_string(compared) + " values were compared");
    }));
}

}  // namespace
}  // namespace faults
