// A program that dies says on stderr in which case and where: it may have run among fifty others, on a machine that is
// gone since. Sanitizers say that themselves.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <execinfo.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

namespace conformance {
namespace {

constexpr struct {
  int number;
  const char* name;
} kDeadly[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGABRT, "SIGABRT"}};

const testing::TestInfo* volatile running = nullptr;

void say(const char* text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
}

// Only what a signal handler may do, but for what backtrace() loads when it is first called.
void tell(int number) {
  const testing::TestInfo* const test = running;
  say("\nkilled by ");
  for (const auto& signal : kDeadly)
    if (signal.number == number) say(signal.name);
  say(" in ");
  say(test ? test->test_suite_name() : "no case");
  say(".");
  say(test ? test->name() : "");
  say("; the stack:\n");
  void* frames[64];
  backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
  raise(number);  // once this has returned
}

class Running final : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& test) override { running = &test; }
  void OnTestEnd(const testing::TestInfo&) override { running = nullptr; }
};

class Prepare final : public testing::Environment {
  void SetUp() override {
    testing::UnitTest::GetInstance()->listeners().Append(new Running);
    void* frames[1];
    backtrace(frames, 1);  // loads what the handler uses
    struct sigaction action = {};
    action.sa_handler = tell;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (const auto& signal : kDeadly) {
      struct sigaction before = {};
      sigaction(signal.number, nullptr, &before);
      if (before.sa_handler == SIG_DFL) sigaction(signal.number, &action, nullptr);  // else it is a sanitizer's
    }
  }
};

[[maybe_unused]] const testing::Environment* const prepared = testing::AddGlobalTestEnvironment(new Prepare);

}  // namespace
}  // namespace conformance
