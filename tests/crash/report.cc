// The handler of deadly signals. It does only what a handler may do, but for what backtrace() loads when it is first
// called, which is before. Whoever handled a signal before, as a sanitizer does, comes after.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <dirent.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace crash {
namespace {

constexpr struct {
  int number;
  const char* name;
} kDeadly[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGABRT, "SIGABRT"}};
constexpr size_t kSignals = sizeof kDeadly / sizeof kDeadly[0];

struct sigaction before[kSignals];
std::atomic<const char*> at_what{nullptr}, at_part{nullptr};
// What RONDO_LAST_TASKS names, and the process that has made it, if that is one of ours.
char folder[4096];
pid_t owner = 0;

// As much of a text as there is room for, without memory of its own.
class Text {
 public:
  Text& operator<<(const char* text) {
    while (*text && end_ < kRoom - 1) text_[end_++] = *text++;
    text_[end_] = '\0';
    return *this;
  }
  Text& operator<<(uint64_t number) { return in(number, 10); }
  Text& hex(uint64_t number) { return (*this << "0x").in(number, 16); }
  const char* get() const { return text_; }
  void say() const { [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text_, end_); }

 private:
  Text& in(uint64_t number, uint64_t base) {
    char digits[24];
    char* first = digits + sizeof digits;
    *--first = '\0';
    do *--first = "0123456789abcdef"[number % base];
    while (number /= base);
    return *this << first;
  }

  static constexpr size_t kRoom = 4400;
  char text_[kRoom] = "";
  size_t end_ = 0;
};

uint64_t thread() {
  return static_cast<uint64_t>(syscall(SYS_gettid));
}

// The lines of src/engine/tasks/last_tasks.cc, which are of one length and begin with a word and a number, by that
// number.
void say_last_tasks() {
  constexpr size_t kLine = 128, kMost = 1024;
  static char lines[kLine * kMost];
  static struct {
    uint64_t number;
    const char* text;
  } all[kMost];
  if (!*folder) return (Text() << "the last tasks: RONDO_LAST_TASKS is not set\n").say();
  Text path;
  path << folder << "/rondo-" << static_cast<uint64_t>(getpid()) << "-1-last-tasks.txt";
  const int file = open(path.get(), O_RDONLY | O_CLOEXEC);
  if (owner == getpid()) {
    unlink(path.get());
    rmdir(folder);
  }
  if (file < 0) return (Text() << "the last tasks: no engine was made\n").say();
  const ssize_t got = read(file, lines, sizeof lines);
  close(file);
  size_t count = 0;
  for (const char* line = lines; got > 0 && line + kLine <= lines + got; line += kLine) {
    uint64_t number = 0;
    for (const char* c = line + 8; c < line + 18; ++c)
      if (*c >= '0' && *c <= '9') number = number * 10 + static_cast<uint64_t>(*c - '0');
    if (number) all[count++] = {number, line};
  }
  // Nearly in order: it is a ring.
  for (size_t i = 1; i < count; ++i)
    for (size_t k = i; k > 0 && all[k - 1].number > all[k].number; --k) std::swap(all[k - 1], all[k]);
  (Text() << "the last tasks (state, number, thread, its name, device, task):\n").say();
  for (size_t i = 0; i < count; ++i) {
    size_t length = kLine - 1;
    while (length > 0 && all[i].text[length - 1] == ' ') --length;
    char line[kLine + 1];
    std::memcpy(line, all[i].text, length);
    line[length] = '\n';
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, length + 1);
  }
}

void say_all(int number, const siginfo_t* info) {
  Text text;
  text << "\nkilled by ";
  for (const auto& signal : kDeadly)
    if (signal.number == number) text << signal.name;
  if (const char* what = at_what) {
    text << " in " << what;
    if (const char* part = at_part) text << "." << part;
  }
  if (info->si_code > 0 && number != SIGABRT) text << ", at address ";
  if (info->si_code > 0 && number != SIGABRT) text.hex(reinterpret_cast<uint64_t>(info->si_addr));
  char name[16] = "";
  prctl(PR_GET_NAME, name);
  text << ", in thread " << thread() << " (" << name << ") of process " << static_cast<uint64_t>(getpid())
       << "; the stack:\n";
  text.say();
  void* frames[64];
  backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
  say_last_tasks();
}

// The signal goes to whoever had it before: what the processor met is met again when this returns, another is sent
// again.
void pass_on(int number, const siginfo_t* info) {
  for (size_t i = 0; i < kSignals; ++i)
    if (kDeadly[i].number == number) sigaction(number, &before[i], nullptr);
  if (info->si_code <= 0) raise(number);
}

void tell(int number, siginfo_t* info, void*) {
  static std::atomic<uint64_t> telling{0};  // the thread that does
  uint64_t nobody = 0;
  if (telling.compare_exchange_strong(nobody, thread()))
    say_all(number, info);
  else if (nobody != thread())
    for (;;) pause();  // the other one ends the process
  pass_on(number, info);
}

[[gnu::constructor]] void install() {
  void* frames[1];
  backtrace(frames, 1);  // loads what the handler uses
  if (const char* named = std::getenv("RONDO_LAST_TASKS")) std::strncpy(folder, named, sizeof folder - 1);
  // A stack that has overflown has no room for this; a thread of a sanitizer's has one already.
  alignas(16) static char room[64 * 1024];
  stack_t other = {};
  if (sigaltstack(nullptr, &other) == 0 && (other.ss_flags & SS_DISABLE)) {
    other = {};
    other.ss_sp = room;
    other.ss_size = sizeof room;
    sigaltstack(&other, nullptr);
  }
  struct sigaction action = {};
  action.sa_sigaction = tell;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (size_t i = 0; i < kSignals; ++i) sigaction(kDeadly[i].number, &action, &before[i]);
}

}  // namespace

void keep_last_tasks() {
  const char* wanted = std::getenv("RONDO_TEST_LAST_TASKS");
  if (*folder || (wanted && std::strcmp(wanted, "off") == 0)) return;
  const char* base = std::getenv("TMPDIR");
  std::snprintf(folder, sizeof folder, "%s/rondo-last-tasks-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(folder)) {
    *folder = '\0';
    return;
  }
  setenv("RONDO_LAST_TASKS", folder, 1);
  owner = getpid();
  std::atexit([] {
    if (getpid() != owner) return;
    DIR* all = opendir(folder);
    while (const dirent* each = all ? readdir(all) : nullptr)
      unlinkat(dirfd(all), each->d_name, 0);  // of the program's children, too
    if (all) closedir(all);
    rmdir(folder);
  });
}

void at(const char* what, const char* part) {
  at_part = nullptr;
  at_what = what;
  at_part = part;
}

}  // namespace crash
