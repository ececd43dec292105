// What the tests of the loader share: each case is a process of its own (loader_probe) with an environment and folders
// of fake libraries made for it, and checks what was opened, what the message says and that nothing else was touched.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grp.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <rondo/base.h>

namespace rondo_test {

namespace fs = std::filesystem;
using Environment = std::map<std::string, std::string>;

struct Outcome {
  int code = -1;
  std::multimap<std::string, std::string> lines;
  std::string text;
  // The last value of a key; "" if there is none.
  std::string operator[](const std::string& key) const {
    const auto end = lines.upper_bound(key);
    return lines.count(key) ? std::prev(end)->second : "";
  }
  bool ok() const { return code == 0 && (*this)["status"] == "0"; }
};

// Where the last part of a library that is loaded ends in its file.
inline size_t end_of_segments(const std::string& bytes) {
  ElfW(Ehdr) header;
  std::memcpy(&header, bytes.data(), sizeof header);
  size_t end = 0;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    std::memcpy(&segment, bytes.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type == PT_LOAD) end = std::max<size_t>(end, segment.p_offset + segment.p_filesz);
  }
  return end;
}

class Loader : public ::testing::Test {
 protected:
  Loader() {
    std::string name = (fs::temp_directory_path() / "rondo-loader-XXXXXX").string();
    root = fs::canonical(mkdtemp(name.data()));
    fs::permissions(root, fs::perms(0755));  // for the cases that give up rights
    fs::create_directory(root / "cwd");
  }
  ~Loader() override {
    std::error_code ignored;
    for (const fs::path& each : locked) fs::permissions(each, fs::perms(0755), ignored);
    fs::remove_all(root, ignored);
  }

  // Puts a fake library into a folder below the root under the name a loader looks for; the folder's path.
  std::string plant(const std::string& folder, const std::string& fake, const std::string& name) {
    fs::create_directories(root / folder);
    fs::copy_file(fs::path(FAKE_FOLDER) / ("fake_" + fake + ".so"), root / folder / name);
    return (root / folder).string();
  }
  void write(const fs::path& file, const std::string& bytes) {
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
  }

  // The bytes of a fake library.
  static std::string bytes_of(const std::string& fake) {
    std::ifstream file(fs::path(FAKE_FOLDER) / ("fake_" + fake + ".so"), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // Runs the probe in the case's empty folder `cwd` with exactly this environment.
  Outcome run(Environment environment, const std::vector<std::string>& words, bool without_rights = false,
              const std::string& program = LOADER_PROBE) {
    // Sanitizers of the outer process hold for the inner one; the rest of the environment must not matter.
    for (const char* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"})
      if (const char* value = std::getenv(name)) environment[name] = value;
    std::vector<std::string> texts;
    for (const auto& [name, value] : environment) texts.push_back(name + "=" + value);
    std::vector<char*> strings;
    for (std::string& each : texts) strings.push_back(each.data());
    strings.push_back(nullptr);
    std::vector<std::string> arguments{program};
    arguments.insert(arguments.end(), words.begin(), words.end());
    std::vector<char*> argv;
    for (std::string& each : arguments) argv.push_back(each.data());
    argv.push_back(nullptr);
    const std::string cwd = (root / "cwd").string();

    int pipe_ends[2];
    EXPECT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      dup2(pipe_ends[1], 1);
      dup2(pipe_ends[1], 2);  // the log
      close(pipe_ends[0]);
      close(pipe_ends[1]);
      alarm(60);  // a search that waits for ever ends as one that failed
      bool ready = chdir(cwd.c_str()) == 0;
      if (!jail.empty())
        ready = (chroot(jail.c_str()) == 0 || (unshare(CLONE_NEWUSER) == 0 && chroot(jail.c_str()) == 0)) &&
                chdir("/") == 0;
      if (without_rights && geteuid() == 0)
        ready = ready && setgroups(0, nullptr) == 0 && setgid(65534) == 0 && setuid(65534) == 0;
      if (ready) execve(program.c_str(), argv.data(), strings.data());
      _exit(126);
    }
    close(pipe_ends[1]);
    Outcome outcome;
    char buffer[4096];
    for (ssize_t n; (n = read(pipe_ends[0], buffer, sizeof buffer)) > 0;)
      outcome.text.append(buffer, static_cast<size_t>(n));
    close(pipe_ends[0]);
    int state = 0;
    waitpid(child, &state, 0);
    outcome.code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    size_t begin = 0;
    for (size_t end; (end = outcome.text.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const std::string line = outcome.text.substr(begin, end - begin);
      if (const size_t tab = line.find('\t'); tab != std::string::npos)
        outcome.lines.emplace(line.substr(0, tab), line.substr(tab + 1));
    }
    return outcome;
  }

  // The library was not opened, and the message has all the parts.
  void refused(const Outcome& outcome, const std::vector<std::string>& parts) {
    EXPECT_EQ(outcome.code, 0) << outcome.text;
    EXPECT_EQ(outcome["status"], std::to_string(RONDO_LIBRARY_MISSING)) << outcome.text;
    EXPECT_EQ(outcome["path"], "") << outcome.text;
    for (const std::string& part : parts)
      EXPECT_NE(outcome["message"].find(part), std::string::npos) << "lacks: " << part << "\n" << outcome.text;
  }
  void opened(const Outcome& outcome, const std::string& path, const std::string& version) {
    EXPECT_TRUE(outcome.ok()) << outcome.text;
    EXPECT_EQ(outcome["path"], path) << outcome.text;
    EXPECT_EQ(outcome["version"], version) << outcome.text;
  }
  static bool has_probe(const Outcome& outcome, const std::string& place, const std::string& result) {
    for (auto [it, end] = outcome.lines.equal_range("probe"); it != end; ++it)
      if (it->second.find(place) != std::string::npos && it->second.find(result) != std::string::npos) return true;
    return false;
  }

  fs::path root;
  fs::path jail;                 // the probe's root folder, if not empty
  std::vector<fs::path> locked;  // folders to unlock before they can be removed
};

}  // namespace rondo_test
