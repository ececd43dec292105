// Ranks of one machine that are given no secret: processes of another user stay out.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "rendezvous_parts.h"

namespace rondo::comm {
namespace {

// Where ranks of this user leave word; rank 0 can only where it is a folder.
class OneUser : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/rondo-state-XXXXXX";
    folder_ = mkdtemp(name);
    if (const char* before = getenv("XDG_STATE_HOME")) before_ = before;
    setenv("XDG_STATE_HOME", folder_.c_str(), 1);
    port_ = free_port();
  }
  void TearDown() override {
    before_.empty() ? unsetenv("XDG_STATE_HOME") : setenv("XDG_STATE_HOME", before_.c_str(), 1);
    for (const char* each : {"/rondo/meetings", "/rondo", ""}) rmdir((folder_ + each).c_str());
    EXPECT_NE(access(folder_.c_str(), F_OK), 0) << "something was left in " << folder_;
  }
  Meeting meeting(int rank, double limit_s = 20) const {
    Meeting made = meeting_of(rank, 2, "127.0.0.1:" + std::to_string(port_));
    made.secret.clear();
    made.join_s = limit_s;
    return made;
  }
  void meet() const {
    on_threads(2, [&](int rank) {
      const Status status = join_alone(meeting(rank));
      EXPECT_TRUE(status.ok()) << status.message();
    });
  }
  // No folder can be made there, whoever asks.
  static void forbid_files() { setenv("XDG_STATE_HOME", "/proc/self/status/none", 1); }
  // A rank of another user's, who knows all that is no secret.
  void expect_stranger_stays_out() const {
    if (geteuid() != 0) GTEST_SKIP() << "needs root, to be another user";
    fflush(nullptr);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      if (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0) _exit(9);
      Meeting theirs = meeting(1, 1);
      if (join_alone(theirs).code() != RONDO_TIMED_OUT) _exit(1);
      // Nor where rank 0 would be if there were a secret, nor at the name of the other user's socket.
      File socket;
      if (connect_to("127.0.0.1", port_, Deadline(1), &socket).ok()) _exit(2);
      keep_to_one_user(&theirs);
      if (connect_local(theirs.socket, &socket).ok()) _exit(3);
      _exit(0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << status;
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  std::string folder_, before_;
  int port_ = 0;
};

TEST_F(OneUser, TheSecretIsInTheHomeFolder) {
  std::thread first([&] { EXPECT_TRUE(join_alone(meeting(0)).ok()); });
  struct stat about = {};
  while (stat((folder_ + "/rondo/meetings").c_str(), &about) != 0) std::this_thread::yield();
  EXPECT_EQ(about.st_mode & 0777, 0700u);
  EXPECT_EQ(listening(), std::vector<std::string>{"127.0.0.1"});
  File socket;
  EXPECT_FALSE(connect_to("127.0.0.1", port_, Deadline(1), &socket).ok());
  EXPECT_TRUE(join_alone(meeting(1)).ok());
  first.join();
}

TEST_F(OneUser, WithoutAHomeASocketTellsWhoseProcessComes) {
  forbid_files();
  meet();
  meet();  // again at the same place
}

TEST_F(OneUser, AnotherUserStaysOut) {
  for (const bool files : {true, false}) {
    if (!files) forbid_files();
    Status met;
    std::thread first([&] { met = join_alone(meeting(0, 3)); });
    expect_stranger_stays_out();
    first.join();
    EXPECT_EQ(met.code(), RONDO_TIMED_OUT) << met.message();
    EXPECT_TRUE(contains(met.message(), "of one user")) << met.message();
  }
}

// The name is in nobody's hands: who listens there first is looked at, too.
TEST_F(OneUser, ASocketOfAnotherUserIsPassedOver) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to be another user";
  forbid_files();
  Meeting mine = meeting(1, 0.5);
  keep_to_one_user(&mine);
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  fflush(nullptr);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    File listener;
    if (setresuid(65534, 65534, 65534) != 0 || !listen_local(mine.socket, &listener).ok()) _exit(1);
    (void)!write(ready[1], "x", 1);
    alarm(60);
    for (;;) pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const Status status = join_alone(meeting(1, 0.5));
  EXPECT_EQ(status.code(), RONDO_TIMED_OUT) << status.message();
  EXPECT_TRUE(contains(status.message(), "a process of another user listens at the socket")) << status.message();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
}

// Jobs in other containers of one machine may have its home, and its names of hosts and ports.
TEST_F(OneUser, PlacesDifferByJobAndAddress) {
  Meeting one = meeting(0), job = meeting(0), address = meeting(0), secret = meeting(0), far = meeting(0);
  job.job = "another";
  address.address = "127.0.0.1:1";
  secret.secret = "s";
  far.address = "192.0.2.1:7";
  for (Meeting* each : {&one, &job, &address, &secret, &far}) keep_to_one_user(each);
  EXPECT_NE(one.address, job.address);
  EXPECT_NE(one.address, address.address);
  EXPECT_NE(one.socket, job.socket);
  EXPECT_NE(one.socket, address.socket);
  EXPECT_EQ(secret.address, meeting(0).address);
  EXPECT_EQ(far.address, "192.0.2.1:7");
  EXPECT_TRUE(one.in_home && one.one_host && !far.one_host);
}

}  // namespace
}  // namespace rondo::comm
