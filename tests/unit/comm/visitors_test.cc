// Who comes to a port at which ranks are waited for: what a stranger learns there, and whom it can keep out.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <list>
#include <thread>

#include "base/machine/sha256.h"
#include "comm/rendezvous/handshake.h"

namespace {
std::atomic<int> g_accepts{0};
}

// The library's calls come here, in place of the system's function.
extern "C" int accept4(int socket, sockaddr* address, socklen_t* length, int flags) {
  ++g_accepts;
  return static_cast<int>(syscall(SYS_accept4, socket, address, length, flags));
}

namespace rondo::comm {
namespace {

const Key kKey = {"job", "secret"};

// What a rank says first, which needs no secret.
std::string hello(uint32_t rank) {
  const uint32_t numbers[] = {rank, 2};
  const Digest job = sha256("rondo job " + kKey.job);
  return std::string("RONDO\0\0\2", 8) + std::string(reinterpret_cast<const char*>(numbers), sizeof numbers) +
         std::string(reinterpret_cast<const char*>(job.data()), job.size()) + random_bytes(16);
}

// From 127.0.0.`last`, since a machine has all of these addresses.
File visit(int port, uint32_t last) {
  File made(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_in from = {}, to = {};
  from.sin_family = to.sin_family = AF_INET;
  from.sin_addr.s_addr = htonl(0x7f000000 | last);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(static_cast<uint16_t>(port));
  EXPECT_EQ(bind(made.get(), reinterpret_cast<sockaddr*>(&from), sizeof from), 0);
  (void)connect(made.get(), reinterpret_cast<sockaddr*>(&to), sizeof to);
  return made;
}

// All that comes until the other end closes, or so many bytes.
std::string hear(const File& socket, size_t most) {
  std::string text;
  char buffer[4096];
  for (const Deadline limit(20); text.size() < most && !limit.over();) {
    pollfd entry = {socket.get(), POLLIN, 0};
    poll(&entry, 1, 100);
    const ssize_t got = recv(socket.get(), buffer, std::min(sizeof buffer, most - text.size()), 0);
    if (got == 0 || (got < 0 && errno != EAGAIN)) break;
    if (got > 0) text.append(buffer, static_cast<size_t>(got));
  }
  return text;
}

bool gone(const File& socket) {
  pollfd entry = {socket.get(), POLLIN, 0};
  char byte;
  return poll(&entry, 1, 0) > 0 && recv(socket.get(), &byte, 1, MSG_PEEK) <= 0;
}

// A port at which rank 1 is waited for, on a thread of its own.
class Visitors : public ::testing::Test {
 protected:
  void SetUp() override {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit most = before_;
    most.rlim_cur = std::min<rlim_t>(before_.rlim_max, 4096);
    setrlimit(RLIMIT_NOFILE, &most);
    if (most.rlim_cur < 2500) GTEST_SKIP() << "this process may open " << most.rlim_cur << " files only";
    ASSERT_TRUE(listen_at("127.0.0.1", 0, &listener_).ok());
    port_ = port_of(listener_);
  }
  void TearDown() override {
    if (waits_.joinable()) waits_.join();
    setrlimit(RLIMIT_NOFILE, &before_);
  }
  void wait_for_rank(double limit_s = 20) {
    waits_ = std::thread([this, limit_s] {
      Acceptor acceptor(listener_, kKey);
      acceptor.next({}, Deadline(limit_s), &caller_);
      if (caller_.socket) (void)Acceptor::admit(caller_).ok();
    });
  }
  // As a rank does it: again and again until the time is over.
  Status come() {
    Status status;
    for (const Deadline limit(20); !limit.over();) {
      File socket;
      status = connect_to("127.0.0.1", port_, limit, &socket);
      if (status.ok()) status = introduce(socket.get(), kKey, {1, 2}, limit);
      if (status.ok()) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return status;
  }

  rlimit before_ = {};
  File listener_;
  int port_ = 0;
  std::thread waits_;
  Acceptor::Caller caller_;
};

TEST_F(Visitors, SecretIsKeptUntilTheCallerHasProven) {
  wait_for_rank();
  const File stranger = visit(port_, 1);
  const std::string said = hello(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ASSERT_EQ(send(stranger.get(), said.data(), said.size(), MSG_NOSIGNAL), static_cast<ssize_t>(said.size()));
  const std::string nonce = hear(stranger, 20);  // a word and 16 random bytes
  ASSERT_EQ(nonce.size(), 20u);
  const std::string guess(32, 'x');
  ASSERT_EQ(send(stranger.get(), guess.data(), guess.size(), MSG_NOSIGNAL), 32);
  EXPECT_EQ(hear(stranger, 1000).size(), 4u) << "more than that the secret is another one";
  EXPECT_TRUE(come().ok());
}

TEST_F(Visitors, IdleOnesKeepNoRankOut) {
  wait_for_rank();
  std::atomic<bool> over{false};
  std::thread idle([&] {
    std::list<File> sockets;
    while (!over) {
      std::erase_if(sockets, [](const File& each) { return gone(each); });
      for (uint32_t i = 0; sockets.size() < 800 && !over; ++i) sockets.push_back(visit(port_, 2 + i % 10));
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const Status met = come();
  EXPECT_TRUE(met.ok()) << met.message();
  over = true;
  idle.join();
}

TEST_F(Visitors, ThoseOfOneAddressDoNotDisplaceAnother) {
  wait_for_rank();
  const File one = visit(port_, 2);
  const std::string said = hello(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ASSERT_EQ(send(one.get(), said.data(), said.size(), MSG_NOSIGNAL), static_cast<ssize_t>(said.size()));
  ASSERT_EQ(hear(one, 20).size(), 20u);
  // Ten times as many as there is room for, of an address of their own, that begin well too.
  std::list<File> others;
  for (int i = 0; i < 1000; ++i) {
    others.push_back(visit(port_, 3));
    pollfd entry = {others.back().get(), POLLOUT, 0};
    poll(&entry, 1, 1000);
    (void)!send(others.back().get(), said.data(), said.size(), MSG_NOSIGNAL);
  }
  EXPECT_EQ(hear(others.back(), 20).size(), 20u);
  EXPECT_FALSE(gone(one));
  EXPECT_TRUE(come().ok());
}

TEST_F(Visitors, ASilentOneGoesBeforeOneThatHasBegun) {
  wait_for_rank();
  const File silent = visit(port_, 2), begun = visit(port_, 3);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ASSERT_EQ(send(begun.get(), "R", 1, MSG_NOSIGNAL), 1);
  EXPECT_EQ(hear(silent, 1).size(), 0u);
  EXPECT_TRUE(gone(silent));
  EXPECT_FALSE(gone(begun));
  EXPECT_TRUE(come().ok());
}

TEST_F(Visitors, WithoutDescriptorsOneWaitsQuietly) {
  const File stranger = visit(port_, 2);
  // No further descriptor than those that are open.
  const File probe(dup(0));
  rlimit none = before_;
  none.rlim_cur = static_cast<rlim_t>(probe.get());
  setrlimit(RLIMIT_NOFILE, &none);
  g_accepts = 0;
  wait_for_rank(1);
  waits_.join();
  EXPECT_GE(g_accepts, 1);
  EXPECT_LE(g_accepts, 20) << "tries in a second";
  rlimit most = before_;
  most.rlim_cur = std::min<rlim_t>(before_.rlim_max, 4096);
  setrlimit(RLIMIT_NOFILE, &most);
  wait_for_rank();
  EXPECT_TRUE(come().ok());
}

// --- what the one that is called may say ---

TEST(Refusals, ACodeOfSuccessIsAFailure) {
  for (const uint32_t code : {0u, 16u, 4711u, 0xffffffffu}) {
    File listener, socket;
    ASSERT_TRUE(listen_at("127.0.0.1", 0, &listener).ok());
    std::thread refuses([&] {
      Acceptor acceptor(listener, kKey);
      Acceptor::Caller caller;
      acceptor.next({}, Deadline(20), &caller);
      const uint32_t answer[] = {0x52444f34, code, 3};
      (void)!send(caller.socket.get(), answer, sizeof answer, MSG_NOSIGNAL);
      (void)!send(caller.socket.get(), "why", 3, MSG_NOSIGNAL);
    });
    ASSERT_TRUE(connect_to("127.0.0.1", port_of(listener), Deadline(5), &socket).ok());
    const Status status = introduce(socket.get(), kKey, {1, 2}, Deadline(20));
    refuses.join();
    EXPECT_EQ(status.code(), RONDO_INTERNAL);
    EXPECT_NE(std::string(status.message()).find("why (with the status "), std::string::npos) << status.message();
  }
}

}  // namespace
}  // namespace rondo::comm
