// Forking, listening, and the watchdog. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "child.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

// There under AddressSanitizer only.
extern "C" __attribute__((weak)) int __lsan_do_recoverable_leak_check();

namespace faults {

namespace {

constexpr std::chrono::seconds kCaseTimeout{60};  // a case takes milliseconds, under a sanitizer some seconds

[[noreturn]] void child_main(Child child, const std::function<void(Child&)>& body, const Environment& settings) {
  for (const auto& [name, value] : settings) setenv(name.c_str(), value.c_str(), 1);
  try {
    body(child);
  } catch (const std::exception& exception) {
    child.complain(std::string("an exception: ") + exception.what());
  }
  if (__lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check())
    child.complain("host memory leaked; the sanitizer's report is above");
  std::fflush(nullptr);
  _exit(0);  // the parent's state is not the child's to tear down
}

void note(Ending& ending, const std::string& line) {
  const size_t tab = line.find('\t');
  const std::string kind = line.substr(0, tab), what = line.substr(tab + 1);
  if (kind == "complaint") {
    ending.complaints.push_back(what);
  } else {
    const size_t equals = what.rfind('=');
    ending.facts[what.substr(0, equals)] = std::stoll(what.substr(equals + 1));
  }
}

}  // namespace

void Child::say(const std::string& kind, const std::string& what) {
  std::string line = kind + "\t" + what;
  for (char& c : line)
    if (c == '\n') c = ' ';
  line += '\n';
  for (size_t done = 0; done < line.size();) {
    const ssize_t put = write(pipe_, line.data() + done, line.size() - done);
    if (put < 0) _exit(3);
    done += static_cast<size_t>(put);
  }
}

Ending in_child(const std::function<void(Child&)>& body, const Environment& settings) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  void* shared = mmap(nullptr, Child::kPlaceBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::runtime_error("no shared memory");
  char* place = static_cast<char*>(shared);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no child");
  if (child == 0) {
    close(ends[0]);
    child_main(Child(ends[1], place), body, settings);
  }
  close(ends[1]);

  Ending ending;
  std::string heard;
  bool hangs = false;
  const auto deadline = std::chrono::steady_clock::now() + kCaseTimeout;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    pollfd end{ends[0], POLLIN, 0};
    hangs = left <= 0 || poll(&end, 1, static_cast<int>(left)) == 0;
    if (hangs) break;
    char buffer[4096];
    const ssize_t got = read(ends[0], buffer, sizeof buffer);
    if (got <= 0) break;
    heard.append(buffer, static_cast<size_t>(got));
    for (size_t end_of_line; (end_of_line = heard.find('\n')) != std::string::npos; heard.erase(0, end_of_line + 1))
      note(ending, heard.substr(0, end_of_line));
  }
  close(ends[0]);
  if (hangs) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  if (hangs)
    ending.complaints.push_back(std::string("hangs at ") + place);
  else if (WIFSIGNALED(status))
    ending.complaints.push_back(std::string("crashes (") + strsignal(WTERMSIG(status)) + ") at " + place);
  else if (WEXITSTATUS(status) != 0)
    ending.complaints.push_back("exits with " + std::to_string(WEXITSTATUS(status)) + " at " + place);
  munmap(shared, Child::kPlaceBytes);
  return ending;
}

void expect_well(const Ending& ending) {
  for (const std::string& complaint : ending.complaints) ADD_FAILURE() << complaint;
}

}  // namespace faults
