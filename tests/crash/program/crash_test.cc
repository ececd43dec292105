// What a program leaves behind that dies in a task: the signal, the case, the thread, the stack and the last tasks; and
// that keeping these (RONDO_LAST_TASKS) never stands in a program's way. On the devices that CRASH_DEVICES names.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "folder.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

namespace {

struct Ended {
  pid_t process = -1;
  int status = 0;
  std::string said;  // on stderr
};

using Settings = std::map<std::string, std::string>;

Ended run(const std::vector<std::string>& words, const Settings& settings = {}, rlim_t longest_file = RLIM_INFINITY) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  Ended ended;
  ended.process = fork();
  if (ended.process < 0) throw std::runtime_error("no child");
  if (ended.process == 0) {
    unsetenv("RONDO_LAST_TASKS");  // of this program's own
    for (const auto& [name, value] : settings) setenv(name.c_str(), value.c_str(), 1);
    const struct rlimit file = {longest_file, RLIM_INFINITY}, no_core = {0, 0};
    setrlimit(RLIMIT_FSIZE, &file);
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    std::vector<char*> arguments = {const_cast<char*>(CRASHING)};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(CRASHING, arguments.data());
    _exit(126);
  }
  close(ends[1]);
  char buffer[4096];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    ended.said.append(buffer, static_cast<size_t>(got));
  close(ends[0]);
  waitpid(ended.process, &ended.status, 0);
  return ended;
}

std::string file_of(pid_t process) {
  return "rondo-" + std::to_string(process) + "-1-last-tasks.txt";
}

bool has(const std::string& text, const std::string& pattern) {
  return std::regex_search(text, std::regex(pattern));
}

class Crash : public testing::TestWithParam<const char*> {
 protected:
  static std::string device() { return GetParam(); }
  // It died of the signal, and its report says so and of which task.
  static void expect_report(const Ended& ended, int signal, const std::string& name) {
    // A sanitizer ends the program by its own way, behind the report; what was sent by a call it may leave alone.
    if (!kSanitized || WIFSIGNALED(ended.status)) {
      EXPECT_TRUE(WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == signal) << ended.status << ended.said;
    } else {
      EXPECT_NE(WEXITSTATUS(ended.status), 0);
      EXPECT_TRUE(has(ended.said, "(Address|Thread|UndefinedBehavior)Sanitizer")) << ended.said;
    }
    std::smatch thread;
    ASSERT_TRUE(std::regex_search(
        ended.said, thread,
        std::regex("killed by " + name + " in a program\\.that dies.* in thread ([0-9]+) \\((.*)\\) of process " +
                   std::to_string(ended.process) + "; the stack:")))
        << ended.said;
    EXPECT_TRUE(has(ended.said, "die_here")) << "no frame in " << ended.said;
    EXPECT_TRUE(
        has(ended.said, "running +[0-9]+ +" + thread[1].str() + " " + thread[2].str() + " +" + device() + " +deadly\n"))
        << ended.said;
    EXPECT_TRUE(has(ended.said, "ended +[0-9]+ +[0-9]+ .* " + device() + " +a moment ago\n")) << ended.said;
    EXPECT_EQ(kSanitized ? std::string::npos : ended.said.find("Sanitizer"), std::string::npos);
  }
};

std::vector<const char*> devices() {
  const char* named = std::getenv("CRASH_DEVICES");
  if (named && std::string(named) == "cuda") return {"cpu:0", "cuda:0"};
  return {"cpu:0"};
}
INSTANTIATE_TEST_SUITE_P(, Crash, testing::ValuesIn(devices()), [](const auto& each) {
  return std::string(each.param).substr(0, std::string(each.param).find(':'));
});

TEST_P(Crash, EachSignalIsReportedWithItsTask) {
  const struct {
    const char* how;
    int signal;
    const char* name;
  } cases[] = {{"segv", SIGSEGV, "SIGSEGV"},
               {"bus", SIGBUS, "SIGBUS"},
               {"fpe", SIGFPE, "SIGFPE"},
               {"ill", SIGILL, "SIGILL"},
               {"abort", SIGABRT, "SIGABRT"}};
  for (const auto& each : cases) {
    SCOPED_TRACE(each.how);
    const Folder folder;
    expect_report(run({device(), each.how}, {{"TMPDIR", folder.path()}}), each.signal, each.name);
    EXPECT_EQ(folder.names(), std::vector<std::string>()) << "the report has it all";
  }
}

TEST_P(Crash, InEveryModeOfTheEngine) {
  for (const char* mode : {"async", "threaded", "naive"}) {
    SCOPED_TRACE(mode);
    expect_report(run({device(), "segv"}, {{"RONDO_ENGINE", mode}}), SIGSEGV, "SIGSEGV");
  }
}

TEST_P(Crash, APartOfARecordingIsNamedBesideTheGraph) {
  const Ended ended = run({device(), "recorded"});
  expect_report(ended, SIGSEGV, "SIGSEGV");
  EXPECT_EQ(device() == "cpu:0", has(ended.said, "running .* cpu:0 +recording\n")) << "a GPU's is captured, not run";
}

TEST_P(Crash, NothingIsLeftBehindByAProgramThatEndsWell) {
  const Folder folder;
  const Ended ended = run({device(), "well"}, {{"TMPDIR", folder.path()}});
  EXPECT_EQ(ended.status, 0) << ended.said;
  EXPECT_EQ(folder.names(), std::vector<std::string>());
}

TEST_P(Crash, TheLastTasksAreInTheFolderThatIsNamed) {
  const Folder folder;
  const Ended ended =
      run({device(), "well", "x\n\x1b[31m\xc3\xbc" + std::string(200, 'y')}, {{"RONDO_LAST_TASKS", folder.path()}});
  EXPECT_EQ(ended.status, 0) << ended.said;
  ASSERT_EQ(folder.names(), std::vector<std::string>{file_of(ended.process)});
  struct stat file = {};
  ASSERT_EQ(stat((folder.path() + "/" + folder.names()[0]).c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 07777, 0600u);
  // 128 lines of 127 characters, of the last 128 tasks, all of them printable.
  const std::string text = folder.text(folder.names()[0]);
  EXPECT_EQ(text.size(), 128u * 128u);
  EXPECT_TRUE(std::regex_match(text, std::regex("([ -~]{127}\n)*"))) << text;
  EXPECT_TRUE(has(text, "ended +201 +[0-9]+ .* " + device() + " +x\\?\\?\\[31m\\?\\?y+\n")) << text;
  EXPECT_TRUE(has(text, "ended +74 ") && has(text, "ended +200 ") && !has(text, "ended +73 ")) << text;
  EXPECT_FALSE(has(text, "running")) << text;
}

TEST_P(Crash, WhatCannotBeKeptIsLogged) {
  const Folder folder;
  std::ofstream(folder.path() + "/file") << "x";
  for (const std::string& place :
       {folder.path() + "/missing/folder", folder.path() + "/file", std::string("/proc/self/nowhere"),
        std::string(100000, 'x'), std::string("\n\x1b[31m/folder")}) {
    const Ended ended = run({device(), "well"}, {{"RONDO_LAST_TASKS", place}, {"RONDO_LOG", "warning"}});
    EXPECT_EQ(ended.status, 0) << ended.said;
    EXPECT_NE(ended.said.find("RONDO_LAST_TASKS: "), std::string::npos) << ended.said;
  }
  const Ended ended = run({device(), "well"}, {{"RONDO_LAST_TASKS", folder.path()}, {"RONDO_LOG", "warning"}}, 1000);
  EXPECT_EQ(ended.status, 0) << "no file may be that long: " << ended.said;
  EXPECT_NE(ended.said.find("RONDO_LAST_TASKS: "), std::string::npos) << ended.said;
  EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
}

TEST(CrashOnCpu, AChildOfAForkHasAFileOfItsOwn) {
  const Folder folder;
  const Ended ended = run({"cpu:0", "forked"}, {{"RONDO_LAST_TASKS", folder.path()}});
  EXPECT_EQ(ended.status, 0) << ended.said;
  EXPECT_EQ(folder.names().size(), 2u);
  const size_t report = ended.said.find("killed by SIGABRT");
  ASSERT_NE(report, std::string::npos) << ended.said;
  EXPECT_TRUE(has(ended.said, "running .* cpu:0 +deadly\n")) << ended.said;
  EXPECT_FALSE(has(ended.said, "before the fork")) << ended.said;
  EXPECT_TRUE(has(folder.text(file_of(ended.process)), "ended .* cpu:0 +before the fork *\n"));
}

TEST(CrashOnCpu, AStackThatOverflowsIsReported) {
  const Folder folder;
  const Ended ended = run({"cpu:0", "overflow"}, {{"TMPDIR", folder.path()}});
  EXPECT_EQ(folder.names(), std::vector<std::string>());
  EXPECT_FALSE(WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == 0);
  EXPECT_TRUE(has(ended.said, "killed by (SIGSEGV|SIGBUS) in a program\\.that dies, at address 0x")) << ended.said;
}

}  // namespace
