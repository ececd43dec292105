// Running programs. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace toolkits {

std::string Outcome::operator[](const std::string& key) const {
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    if (text.compare(begin, key.size() + 1, key + "\t") == 0)
      return text.substr(begin + key.size() + 1, end - begin - key.size() - 1);
  return {};
}

Outcome run(const std::vector<std::string>& command, const Environment& environment) {
  Outcome outcome;
  std::vector<std::string> variables;
  for (char** each = environ; *each; ++each) {
    const std::string variable = *each, name = variable.substr(0, variable.find('='));
    bool left = environment.count(name) > 0;
    for (const char* prefix : {"RONDO_", "SIMCUDA_", "GTEST_"}) left = left || name.rfind(prefix, 0) == 0;
    if (!left) variables.push_back(variable);
  }
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  std::vector<char*> argv, envp;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  for (std::string& variable : variables) envp.push_back(variable.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    outcome.text = std::strerror(errno);
    return outcome;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  pid_t child = 0;
  const int failed = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failed != 0) {
    outcome.text = command[0] + ": " + std::strerror(failed);
  } else {
    char buffer[4096];
    for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR);)
      if (got > 0) outcome.text.append(buffer, static_cast<size_t>(got));
    int state = 0;
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
    }
    outcome.code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
  }
  close(ends[0]);
  return outcome;
}

std::filesystem::path fetched_root() {
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);
    return std::string(text ? text : "");
  };
  if (const std::string chosen = value("RONDO_TEST_TOOLKITS"); !chosen.empty())
    return std::filesystem::absolute(chosen);
  const std::string cache = value("XDG_CACHE_HOME");
  return (cache.empty() ? std::filesystem::path(value("HOME")) / ".cache" : std::filesystem::path(cache)) /
         "rondo-test-toolkits";
}

}  // namespace toolkits
