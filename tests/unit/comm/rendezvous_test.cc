// Meeting, gathering, telling and losing, between threads that stand for processes; and hostile visitors.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <thread>

#include "comm/rendezvous/handshake.h"
#include "comm/rendezvous/rendezvous_link.h"
#include "rendezvous_parts.h"

namespace rondo::comm {
namespace {

TEST(Rendezvous, AllGather) {
  Party party(4);
  on_threads(4, [&](int rank) {
    for (int turn = 0; turn < 20; ++turn) {
      std::vector<std::string> all;
      const std::string mine = std::string(static_cast<size_t>(turn * rank * 5000), 'x') + std::to_string(rank);
      const Status status = party[rank].all_gather("turn " + std::to_string(turn), mine, &all);
      ASSERT_TRUE(status.ok()) << status.message();
      ASSERT_EQ(all.size(), 4u);
      for (int each = 0; each < 4; ++each)
        EXPECT_EQ(all[static_cast<size_t>(each)],
                  std::string(static_cast<size_t>(turn * each * 5000), 'x') + std::to_string(each));
    }
  });
}

TEST(Rendezvous, OneRankNeedsNobody) {
  std::shared_ptr<Session> session;
  ASSERT_TRUE(join(Meeting(), 1000, &session).ok());
  std::vector<std::string> all;
  ASSERT_TRUE(session->all_gather("x", "y", &all).ok());
  EXPECT_EQ(all, std::vector<std::string>{"y"});
}

TEST(Rendezvous, DifferentLabelsAreNamed) {
  Party party(2);
  on_threads(2, [&](int rank) {
    std::vector<std::string> all;
    const Status status = party[rank].all_gather(rank == 0 ? "this" : "that", "", &all);
    EXPECT_EQ(status.code(), RONDO_INVALID_STATE);
    EXPECT_TRUE(contains(status.message(), "rank 0 is at 'this', rank 1 at 'that'")) << status.message();
  });
}

TEST(Rendezvous, WhoDoesNotComeToAGatheringIsNamed) {
  Party party(3, 2000);
  on_threads(2, [&](int rank) {
    std::vector<std::string> all;
    const Status status = party[rank].all_gather("x", "", &all);
    EXPECT_EQ(status.code(), RONDO_TIMED_OUT);
    EXPECT_TRUE(contains(status.message(), "none yet of: 2")) << status.message();
  });
}

TEST(Rendezvous, SubgroupsDoNotMix) {
  Party party(4);
  on_threads(4, [&](int rank) {
    const std::vector<int> members = rank % 2 == 0 ? std::vector<int>{2, 0} : std::vector<int>{1, 3};
    std::shared_ptr<Session> half;
    ASSERT_TRUE(party[rank].subgroup(members, rank % 2 == 0 ? "even" : "odd", &half).ok());
    EXPECT_EQ(half->size(), 2);
    EXPECT_EQ(members[static_cast<size_t>(half->rank())], rank);
    std::vector<std::string> all;
    ASSERT_TRUE(half->all_gather("x", std::to_string(rank), &all).ok());
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(all[i], std::to_string(members[i]));
    ASSERT_TRUE(party[rank].all_gather("end", "", &all).ok());
  });
  std::shared_ptr<Session> wrong;
  EXPECT_EQ(party[0].subgroup({1, 2}, "x", &wrong).code(), RONDO_INVALID_ARGUMENT);
  EXPECT_EQ(party[0].subgroup({0, 7}, "x", &wrong).code(), RONDO_INVALID_ARGUMENT);
}

TEST(Rendezvous, TellReachesAllOthersInOrder) {
  Party party(3);
  Ear ears[3];
  for (int i = 0; i < 50; ++i) party[1].tell(std::to_string(i));  // also before anybody listens
  for (int rank = 0; rank < 3; ++rank) party[rank].listen(&ears[rank]);
  for (const int rank : {0, 2}) {
    const std::vector<std::string> heard = ears[rank].wait(50);
    ASSERT_EQ(heard.size(), 50u);
    for (int i = 0; i < 50; ++i) EXPECT_EQ(heard[static_cast<size_t>(i)], "1 says " + std::to_string(i));
  }
  for (int rank = 0; rank < 3; ++rank) party[rank].listen(nullptr);
  EXPECT_TRUE(ears[1].heard.empty());
}

TEST(Rendezvous, LeavingIsNoLoss) {
  Party party(3);
  Ear ears[2];
  for (int rank = 0; rank < 2; ++rank) party[rank].listen(&ears[rank]);
  party.sessions[2].reset();
  for (Ear& ear : ears) EXPECT_EQ(ear.wait(1), std::vector<std::string>{"2 left"});
  std::vector<std::string> all;
  const Status status = party[0].all_gather("x", "", &all);
  EXPECT_EQ(status.code(), RONDO_RANK_LOST);
  EXPECT_TRUE(contains(status.message(), "rank 2 has left")) << status.message();
  for (int rank = 0; rank < 2; ++rank) party[rank].listen(nullptr);
}

// --- what nobody has asked for ---

constexpr size_t kPieces = 40, kPieceBytes = size_t{500} << 10;  // more than is kept of a rank

// Of what a rank tells to groups that nobody opens, or gives to gatherings to which nobody comes.
TEST(Rendezvous, MessagesToUnopenedGroupsAreLimited) {
  const std::string piece(kPieceBytes, 'x');
  for (const bool gathers : {false, true})
    for (const int sender : {1, 2}) {
      Party party(3);
      Ear ear;
      party[0].listen(&ear);
      std::vector<std::shared_ptr<Session>> groups(kPieces);
      std::vector<std::thread> threads;
      for (size_t i = 0; i < kPieces; ++i) {
        ASSERT_TRUE(party[sender].subgroup({0, sender}, "silent" + std::to_string(i), &groups[i]).ok());
        if (!gathers) groups[i]->tell(piece);
        if (gathers)
          threads.emplace_back([&, i] {
            std::vector<std::string> all;
            EXPECT_EQ(groups[i]->all_gather("x", piece, &all).code(), RONDO_RANK_LOST);
          });
      }
      const std::vector<std::string> heard = ear.wait(1);
      ASSERT_EQ(heard.size(), 1u);
      EXPECT_TRUE(contains(heard[0], std::to_string(sender) + " lost: rank " + std::to_string(sender))) << heard[0];
      EXPECT_TRUE(contains(heard[0], "more than the 4 MiB that are kept of it")) << heard[0];
      for (std::thread& each : threads) each.join();
      party[0].listen(nullptr);
    }
}

// A rank that is not rank 0 keeps no more either.
TEST(Rendezvous, WhatAnotherRankKeepsHasTheSameLimit) {
  Party party(3);
  Ear ear;
  party[2].listen(&ear);
  std::shared_ptr<Session> group;
  ASSERT_TRUE(party[1].subgroup({1, 2}, "silent", &group).ok());
  for (size_t i = 0; i < kPieces; ++i) group->tell(std::string(kPieceBytes, 'x'));
  const std::vector<std::string> heard = ear.wait(1);
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_TRUE(contains(heard[0], "1 lost: rank 1 is lost: what it has sent")) << heard[0];
  party[2].listen(nullptr);
}

// What is opened later is heard whole, and counts no more; nor do groups that all have left.
TEST(Rendezvous, WhatIsHeardDoesNotCount) {
  Party party(2);
  const std::string piece(kPieceBytes, 'x');
  for (int round = 0; round < 8; ++round) {
    std::shared_ptr<Session> groups[2];
    const std::string name = "later" + std::to_string(round);
    for (int rank = 0; rank < 2; ++rank) ASSERT_TRUE(party[rank].subgroup({0, 1}, name, &groups[rank]).ok());
    for (int i = 0; i < 6; ++i) groups[1]->tell(piece);
    Ear ear;
    groups[0]->listen(&ear);
    const std::vector<std::string> heard = ear.wait(6);
    ASSERT_EQ(heard.size(), 6u);
    for (const std::string& each : heard) EXPECT_EQ(each.size(), piece.size() + 7) << each.substr(0, 200);
    groups[0]->listen(nullptr);
  }
  // Some 5 MiB of names.
  const std::string long_name(8000, 'n');
  for (int i = 0; i < 600; ++i) {
    std::shared_ptr<Session> groups[2];
    for (int rank = 0; rank < 2; ++rank)
      ASSERT_TRUE(party[rank].subgroup({0, 1}, long_name + std::to_string(i), &groups[rank]).ok());
  }
  on_threads(2, [&](int rank) {
    std::vector<std::string> all;
    const Status status = party[rank].all_gather("x", "", &all);
    EXPECT_TRUE(status.ok()) << status.message();
  });
}

// It is sent something in the moment in which it closes: what it said before counts, not that this cannot be sent.
TEST(Rendezvous, FarewellCountsThoughMoreIsOnItsWay) {
  const RendezvousLink::Group group{"g", {0, 1}};
  const std::string farewell = encode(Leave{group.name, group.members, 1}) + encode(Bye());
  for (int round = 0; round < 300; ++round) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    std::vector<File> sockets(2);
    sockets[1] = File(ends[0]);
    const std::shared_ptr<RendezvousLink> link = RendezvousLink::make(0, 2, std::move(sockets), {});
    std::atomic<bool> told{false};
    std::thread leaver([&] {
      File socket(ends[1]);
      while (!told) std::this_thread::yield();
      EXPECT_EQ(send(socket.get(), farewell.data(), farewell.size(), MSG_NOSIGNAL), ssize_t(farewell.size()));
    });
    Status gone;
    while ((gone = link->gone(1)).ok()) {
      link->tell(group, "more");
      told = true;
    }
    leaver.join();
    EXPECT_STREQ(gone.message(), "rank 1 has left") << "round " << round;
    link->release();
  }
}

TEST(Rendezvous, Rank0MayLeaveFirst) {
  Party party(3);
  std::shared_ptr<Session> pair[3];
  for (int rank = 1; rank < 3; ++rank) ASSERT_TRUE(party[rank].subgroup({1, 2}, "pair", &pair[rank]).ok());
  party.sessions[0].reset();
  on_threads(2, [&](int i) {
    std::vector<std::string> all;
    const Status status = pair[i + 1]->all_gather("x", "y", &all);
    EXPECT_TRUE(status.ok()) << status.message();
  });
}

TEST(Rendezvous, ReformLeavesOutWhoLeft) {
  Party party(4);
  party.sessions[1].reset();
  on_threads(4, [&](int rank) {
    if (rank == 1) return;
    std::vector<int> members;
    std::shared_ptr<Session> left;
    const Status status = party[rank].reform(&members, &left);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(members, (std::vector<int>{0, 2, 3}));
    std::vector<std::string> all;
    ASSERT_TRUE(left->all_gather("x", std::to_string(rank), &all).ok());
    EXPECT_EQ(all, (std::vector<std::string>{"0", "2", "3"}));
  });
}

TEST(Rendezvous, ReformWithoutWhoDoesNotCome) {
  Party party(3, 2000);
  Ear ear;
  party[2].listen(&ear);
  on_threads(2, [&](int rank) {
    std::vector<int> members;
    std::shared_ptr<Session> left;
    const Status status = party[rank].reform(&members, &left);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(members, (std::vector<int>{0, 1}));
  });
  EXPECT_TRUE(contains(ear.wait(1).at(0), "0 lost"));  // it was shut out
  party[2].listen(nullptr);
}

// --- meeting ---

TEST(Rendezvous, WhoDoesNotComeIsNamed) {
  const std::string address = "127.0.0.1:" + std::to_string(free_port());
  on_threads(2, [&](int rank) {
    Meeting meeting = meeting_of(rank, 4, address);
    meeting.join_s = rank == 0 ? 2 : 20;
    const Status status = join_alone(meeting);
    EXPECT_EQ(status.code(), RONDO_TIMED_OUT) << status.message();
    EXPECT_TRUE(contains(status.message(), "none yet of the ranks 2, 3 of 4")) << status.message();
  });
}

TEST(Rendezvous, Rank0DoesNotCome) {
  Meeting meeting = meeting_of(1, 2, "127.0.0.1:" + std::to_string(free_port()));
  meeting.join_s = 0.2;
  const Status status = join_alone(meeting);
  EXPECT_EQ(status.code(), RONDO_TIMED_OUT);
  EXPECT_TRUE(contains(status.message(), "rank 0 was not to be met at 127.0.0.1:")) << status.message();
  EXPECT_TRUE(contains(status.message(), "Connection refused")) << status.message();
}

TEST(Rendezvous, AnotherSecretIsToldAtOnce) {
  const std::string address = "127.0.0.1:" + std::to_string(free_port());
  on_threads(2, [&](int rank) {
    Meeting meeting = meeting_of(rank, 2, address);
    meeting.join_s = rank == 0 ? 2 : 20;
    if (rank == 1) meeting.secret = "open barley";
    const Status status = join_alone(meeting);
    EXPECT_EQ(status.code(), rank == 0 ? RONDO_TIMED_OUT : RONDO_INVALID_ARGUMENT) << status.message();
    EXPECT_TRUE(contains(status.message(), "another secret")) << status.message();
  });
}

TEST(Rendezvous, ARankComesOnce) {
  const std::string address = "127.0.0.1:" + std::to_string(free_port());
  on_threads(3, [&](int i) {
    const Status status = join_alone(meeting_of(i == 0 ? 0 : 1, 3, address));
    EXPECT_EQ(status.code(), RONDO_INVALID_ARGUMENT) << status.message();
    EXPECT_TRUE(contains(status.message(), "rank 1 is there already")) << status.message();
  });
}

TEST(Rendezvous, AllAreToldTheSameSize) {
  const std::string address = "127.0.0.1:" + std::to_string(free_port());
  on_threads(2, [&](int rank) {
    const Status status = join_alone(meeting_of(rank, rank == 0 ? 2 : 3, address));
    EXPECT_EQ(status.code(), RONDO_INVALID_ARGUMENT) << status.message();
    EXPECT_TRUE(contains(status.message(), "rank 1 was told of 3 ranks, rank 0 of 2")) << status.message();
  });
}

TEST(Rendezvous, ARankIsOneOfTheGroup) {
  EXPECT_EQ(join_alone(meeting_of(2, 2, "127.0.0.1:1")).code(), RONDO_INVALID_ARGUMENT);
  EXPECT_EQ(join_alone(meeting_of(-1, 2, "127.0.0.1:1")).code(), RONDO_INVALID_ARGUMENT);
  EXPECT_EQ(join_alone(meeting_of(1, 2, "nowhere")).code(), RONDO_INVALID_ARGUMENT);
  EXPECT_EQ(join_alone(meeting_of(0, 2, "nowhere")).code(), RONDO_INVALID_ARGUMENT);
}

TEST(Rendezvous, AnotherJobAtThePortIsPassedOver) {
  File other;
  ASSERT_TRUE(listen_at("127.0.0.1", 0, &other).ok());
  const int port = port_of(other);
  // A meeting of another job holds the first port until this one is over.
  Meeting theirs = meeting_of(0, 2, "127.0.0.1:" + std::to_string(port));
  theirs.job = "another";
  theirs.join_s = 1.5;
  other = File();
  std::thread stranger([&] { EXPECT_EQ(join_alone(theirs).code(), RONDO_TIMED_OUT); });
  File probe;
  while (!connect_to("127.0.0.1", port, Deadline(1), &probe).ok()) std::this_thread::yield();
  on_threads(2, [&](int rank) {
    Meeting meeting = meeting_of(rank, 2, "127.0.0.1:" + std::to_string(port));
    meeting.ports = 8;
    const Status status = join_alone(meeting);
    EXPECT_TRUE(status.ok()) << status.message();
  });
  stranger.join();
}

TEST(Rendezvous, VisitorsWithoutManners) {
  const int port = free_port();
  const std::string address = "127.0.0.1:" + std::to_string(port);
  std::shared_ptr<Session> sessions[2];
  std::thread first([&] {
    const Status status = join(meeting_of(0, 2, address), 1000, &sessions[0]);
    EXPECT_TRUE(status.ok()) << status.message();
  });
  std::vector<File> visitors;
  const std::string sayings[] = {"GET / HTTP/1.1\r\n\r\n", "", std::string(5000, '\xff'), "RONDO",
                                 std::string("RONDO\0\0\2", 8) + std::string(60, 'x')};
  for (int i = 0; i < 100; ++i) {
    File visitor;
    while (!connect_to("127.0.0.1", port, Deadline(5), &visitor).ok()) std::this_thread::yield();
    const std::string& saying = sayings[i % 5];
    (void)!send(visitor.get(), saying.data(), saying.size(), MSG_NOSIGNAL);
    if (i % 3 != 0) visitors.push_back(std::move(visitor));
  }
  const Status status = join(meeting_of(1, 2, address), 1000, &sessions[1]);
  EXPECT_TRUE(status.ok()) << status.message();
  first.join();
}

TEST(Rendezvous, WhatWasOverheardIsOfNoUse) {
  // Somebody who does not know the secret answers a caller with the caller's own bytes.
  File listener;
  ASSERT_TRUE(listen_at("127.0.0.1", 0, &listener).ok());
  std::thread echo([&] {
    File socket;
    while (!socket) accept_from(listener, &socket);
    const auto hear = [&](size_t bytes) {
      std::string text(bytes, '\0');
      EXPECT_TRUE(receive_all(socket.get(), text.data(), bytes, Deadline(5)).ok());
      return text;
    };
    const auto say = [&](uint32_t word, const std::string& text) {
      const std::string all = std::string(reinterpret_cast<const char*>(&word), sizeof word) + text;
      EXPECT_TRUE(send_all(socket.get(), all.data(), all.size(), Deadline(5)).ok());
    };
    const std::string hello = hear(64);
    say(0x52444f31, hello.substr(48));
    say(0x52444f35, hear(32));
  });
  File socket;
  ASSERT_TRUE(connect_to("127.0.0.1", port_of(listener), Deadline(5), &socket).ok());
  const Status status = introduce(socket.get(), {"job", "secret"}, {1, 2}, Deadline(5));
  echo.join();
  EXPECT_EQ(status.code(), RONDO_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(status.message(), "another secret")) << status.message();
}

// --- who may come ---

TEST(Rendezvous, OtherMachinesNeedASecret) {
  Meeting meeting = meeting_of(1, 2, "192.0.2.1:7");
  meeting.secret.clear();
  const Status refused = join_alone(meeting);
  EXPECT_EQ(refused.code(), RONDO_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(refused.message(), "RONDO_SECRET=$(openssl rand -hex 16)")) << refused.message();
  EXPECT_TRUE(contains(refused.message(), "RONDO_SECRET=none")) << refused.message();
  EXPECT_TRUE(check_secret(meeting_of(1, 2, "192.0.2.1:7")).ok());
  meeting.secret = "none";
  EXPECT_TRUE(check_secret(meeting).ok());
  // One machine, and a meeting by a file, whose secret stands there.
  for (const char* address : {"127.0.0.1:7", "127.0.1.1:7", "localhost:7", "[::1]:7", "file:/shared/x"}) {
    meeting = meeting_of(1, 2, address);
    meeting.secret.clear();
    EXPECT_TRUE(check_secret(meeting).ok()) << address;
  }
  for (const char* address : {"128.0.0.1:7", "0.0.0.0:7", "node:7", "[::]:7", "127.0.0.1.example.org:7"}) {
    meeting = meeting_of(1, 2, address);
    meeting.secret.clear();
    EXPECT_FALSE(check_secret(meeting).ok()) << address;
  }
}

TEST(Rendezvous, NoSecretIsAlsoOne) {
  const std::string address = "127.0.0.1:" + std::to_string(free_port());
  on_threads(2, [&](int rank) {
    Meeting meeting = meeting_of(rank, 2, address);
    meeting.secret = "none";
    const Status status = join_alone(meeting);
    EXPECT_TRUE(status.ok()) << status.message();
  });
}

TEST(Rendezvous, RanksOfOneMachineListenAtLoopback) {
  Party party(2);
  std::shared_ptr<Session> alone;
  ASSERT_TRUE(join(Meeting(), 1000, &alone).ok());
  const std::vector<std::string> found = listening();
  EXPECT_EQ(found.size(), 3u);  // a port of each rank, for the case that rank 0 is lost
  for (const std::string& each : found) EXPECT_TRUE(is_loopback(each)) << each;
  // While data are connected, each has one more.
  std::vector<std::string> meanwhile;
  std::unique_ptr<Exchange> exchange;
  std::thread waits([&] { EXPECT_TRUE(party[0].open_exchange([] { return Status(); }, &exchange).ok()); });
  for (const Deadline limit(20); meanwhile.size() < 4 && !limit.over();) meanwhile = listening();
  std::unique_ptr<Exchange> other;
  EXPECT_TRUE(party[1].open_exchange([] { return Status(); }, &other).ok());
  waits.join();
  EXPECT_EQ(meanwhile.size(), 4u);
  for (const std::string& each : meanwhile) EXPECT_TRUE(is_loopback(each)) << each;
}

// --- by file ---

class ByFile : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/rondo-meeting-XXXXXX";
    folder_ = mkdtemp(name);
    path_ = folder_ + "/place";
  }
  void TearDown() override {
    unlink(path_.c_str());
    EXPECT_EQ(rmdir(folder_.c_str()), 0) << "something was left in " << folder_;
  }
  void meet(const std::string& secret) {
    on_threads(3, [&](int rank) {
      Meeting meeting = meeting_of(rank, 3, "file:" + path_);
      meeting.secret = secret;
      const Status status = join_alone(meeting);
      EXPECT_TRUE(status.ok()) << status.message();
    });
  }
  std::string folder_, path_;
};

TEST_F(ByFile, Meet) {
  meet("open sesame");
  meet("");  // then one is drawn, and stands in the file
}

TEST_F(ByFile, AnOldFileIsPassedOver) {
  std::ofstream(path_) << "rondo meets at " << free_port() << "\nold\n127.0.0.1\n";
  meet("");
  std::ofstream(path_) << "something else";
  meet("open sesame");
}

TEST_F(ByFile, NobodyElseMayReadIt) {
  Meeting meeting = meeting_of(0, 2, "file:" + path_);
  meeting.secret.clear();
  meeting.join_s = 0.3;
  std::thread first([&] { EXPECT_EQ(join_alone(meeting).code(), RONDO_TIMED_OUT); });
  struct stat about = {};
  while (stat(path_.c_str(), &about) != 0) std::this_thread::yield();
  EXPECT_EQ(about.st_mode & 0777, 0600u);
  first.join();
}

// What stands in a file of somebody else's is no address, and does not keep a rank beyond its limit.
TEST_F(ByFile, WhatOthersCanWriteIsNotBelieved) {
  const std::string text = "rondo meets at " + std::to_string(free_port()) + "\nsecret\n127.0.0.1\n";
  const std::string elsewhere = folder_ + "/elsewhere";
  const std::pair<const char*, std::function<void()>> cases[] = {
      {"others can write to it", [&] { std::ofstream(path_) << text, chmod(path_.c_str(), 0622); }},
      {"it is a link", [&] { std::ofstream(elsewhere) << text, (void)!symlink(elsewhere.c_str(), path_.c_str()); }},
      {"it is not a regular file", [&] { mkfifo(path_.c_str(), 0600); }},
      {"it does not say where ranks meet", [&] { std::ofstream(path_) << "rondo meets at 99999\n\n127.0.0.1\n"; }}};
  for (const auto& [why, make] : cases) {
    make();
    Meeting meeting = meeting_of(1, 2, "file:" + path_);
    meeting.secret.clear();
    meeting.join_s = 0.2;
    const Status status = join_alone(meeting);
    EXPECT_EQ(status.code(), RONDO_TIMED_OUT) << why;
    EXPECT_TRUE(contains(status.message(), why)) << status.message();
    // Rank 0 puts its own in that place.
    meet("");
    unlink(path_.c_str());
    unlink(elsewhere.c_str());
  }
}

// Folders in a home are made; who does not come is told what helps where homes are not shared.
TEST_F(ByFile, InAHomeTheFolderIsMade) {
  const std::string state = folder_ + "/state", meetings = state + "/meetings";
  const auto in_home = [&](int rank) {
    Meeting meeting = meeting_of(rank, 2, "file:" + meetings + "/job");
    meeting.secret.clear();
    meeting.in_home = true;
    return meeting;
  };
  on_threads(2, [&](int rank) {
    const Status status = join_alone(in_home(rank));
    EXPECT_TRUE(status.ok()) << status.message();
  });
  struct stat about = {};
  EXPECT_EQ(stat(meetings.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700u);
  for (const int rank : {0, 1}) {
    Meeting alone = in_home(rank);
    alone.join_s = 0.2;
    const Status status = join_alone(alone);
    EXPECT_EQ(status.code(), RONDO_TIMED_OUT);
    EXPECT_TRUE(contains(status.message(), "no home folder in common, set RONDO_ADDRESS")) << status.message();
  }
  EXPECT_EQ(rmdir(meetings.c_str()), 0);
  std::ofstream{meetings} << "no folder";
  const Status status = join_alone(in_home(0));
  EXPECT_EQ(status.code(), RONDO_IO_ERROR);
  unlink(meetings.c_str());
  rmdir(state.c_str());
}

TEST_F(ByFile, AFolderThatIsNotThere) {
  EXPECT_EQ(join_alone(meeting_of(0, 2, "file:" + folder_ + "/no/place")).code(), RONDO_IO_ERROR);
}

}  // namespace
}  // namespace rondo::comm
