// A rank that dies, hangs, leaves or babbles: what the others hear, and how soon. Each rank is a process.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "comm/rendezvous/net.h"

extern char** environ;

namespace rondo::comm {
namespace {

struct Rank {
  pid_t process = 0;  // 0: it has not started, or has been waited for
  File output;
  std::string text;
  int status = 0;
};

Rank start(int rank, int size, int port, const std::string& mode, const std::string& silence,
           const char* program = RENDEZVOUS_PROBE) {
  std::vector<std::string> texts = {"RONDO_RANK=" + std::to_string(rank), "RONDO_SIZE=" + std::to_string(size),
                                    "RONDO_ADDRESS=127.0.0.1:" + std::to_string(port), "RONDO_SECRET=s"};
  std::vector<char*> environment, arguments;
  for (std::string& each : texts) environment.push_back(each.data());
  for (char** each = environ; *each; ++each)
    if (std::string(*each).rfind("RONDO_", 0) != 0) environment.push_back(*each);
  environment.push_back(nullptr);
  std::vector<std::string> words = {program, mode, silence};
  for (std::string& each : words) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  Rank made;
  pid_t process = 0;  // of a failure it says nothing
  const int failed = posix_spawn(&process, program, &actions, nullptr, arguments.data(), environment.data());
  if (failed)
    ADD_FAILURE() << "rank " << rank << " does not start: " << program << ": " << std::strerror(failed);
  else
    made.process = process;
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  made.output = File(ends[0]);
  return made;
}

// Its end, which may have to be brought about. A rank that has not started has none: no process is number 0, which
// would mean this one and its group.
void wait_for(Rank& rank, bool end) {
  if (rank.process <= 0) return;
  if (end) kill(rank.process, SIGKILL);
  waitpid(rank.process, &rank.status, 0);
  rank.process = 0;
}

bool stays(const std::string& mode) {
  return mode == "stay" || mode == "reform";
}

// Ranks in these modes; returns what each printed, once those that stay have ended; seconds from start to there.
double run(const std::vector<std::string>& modes, const std::string& silence, std::vector<Rank>* ranks) {
  File listener;
  EXPECT_TRUE(listen_at("127.0.0.1", 0, &listener).ok());
  const int port = port_of(listener);
  listener = File();
  const auto begin = Clock::now();
  for (size_t i = 0; i < modes.size(); ++i)
    ranks->push_back(start(static_cast<int>(i), static_cast<int>(modes.size()), port, modes[i], silence));
  for (size_t i = 0; i < modes.size(); ++i) {
    if (!stays(modes[i])) continue;
    Rank& rank = (*ranks)[i];
    char buffer[4096];
    for (ssize_t n; (n = read(rank.output.get(), buffer, sizeof buffer)) > 0;)
      rank.text.append(buffer, static_cast<size_t>(n));
    wait_for(rank, false);
  }
  const double took = std::chrono::duration<double>(Clock::now() - begin).count();
  for (size_t i = 0; i < modes.size(); ++i) {
    if (!stays(modes[i])) wait_for((*ranks)[i], true);
  }
  return took;
}

void expect_heard(const std::vector<Rank>& ranks, const std::vector<std::string>& modes, const std::string& part) {
  for (size_t i = 0; i < modes.size(); ++i) {
    if (!stays(modes[i])) continue;
    EXPECT_TRUE(WIFEXITED(ranks[i].status) && WEXITSTATUS(ranks[i].status) == 0) << "rank " << i;
    EXPECT_NE(ranks[i].text.find(part), std::string::npos) << "rank " << i << ": " << ranks[i].text;
  }
}

TEST(RendezvousProcesses, RankThatDoesNotStartFails) {
  Rank rank;
  EXPECT_NONFATAL_FAILURE(rank = start(0, 2, 1, "stay", "60", "/dev/null/nowhere/rendezvous_probe"), "does not start");
  EXPECT_EQ(rank.process, 0);
  wait_for(rank, true);  // the test is still there
}

TEST(RendezvousProcesses, ARankThatDiesIsNamed) {
  for (const size_t dead : {0u, 1u, 3u}) {
    std::vector<std::string> modes(4, "stay");
    modes[dead] = "die";
    std::vector<Rank> ranks;
    EXPECT_LT(run(modes, "60", &ranks), 45);
    expect_heard(ranks, modes, "rank " + std::to_string(dead) + " is lost: its process has ended");
  }
}

TEST(RendezvousProcesses, HangingRankIsLostAfterSilence) {
  for (const size_t frozen : {0u, 2u}) {
    std::vector<std::string> modes(3, "stay");
    modes[frozen] = "freeze";
    std::vector<Rank> ranks;
    EXPECT_LT(run(modes, "2", &ranks), 45);
    expect_heard(ranks, modes, "rank " + std::to_string(frozen) + " is lost: nothing was heard of it for");
  }
}

TEST(RendezvousProcesses, LeavingRankIsMissedNotLost) {
  const std::vector<std::string> modes = {"stay", "leave", "stay"};
  std::vector<Rank> ranks;
  EXPECT_LT(run(modes, "60", &ranks), 45);
  expect_heard(ranks, modes, "rank 1 has left");
}

TEST(RendezvousProcesses, ARankThatBabblesIsShutOut) {
  const std::vector<std::string> modes = {"stay", "garble", "stay"};
  std::vector<Rank> ranks;
  EXPECT_LT(run(modes, "60", &ranks), 45);
  expect_heard(ranks, modes, "rank 1 is lost: what it sends is no message");
}

// Also where those are lost that held the connections, or would hold them next.
TEST(RendezvousProcesses, ThoseLeftFormAGroup) {
  const struct {
    std::vector<std::string> modes;
    const char* left;
  } cases[] = {{{"die", "reform", "reform", "reform"}, "left: 1 2 3\n"},
               {{"reform", "die", "reform", "reform"}, "left: 0 2 3\n"},
               {{"die", "die", "reform", "reform"}, "left: 2 3\n"},
               {{"die", "die", "reform"}, "left: 2\n"}};
  for (const auto& each : cases) {
    std::vector<Rank> ranks;
    EXPECT_LT(run(each.modes, "60", &ranks), 45);
    expect_heard(ranks, each.modes, each.left);
  }
}

}  // namespace
}  // namespace rondo::comm
