// What tests of meetings share: ranks as threads, and ears.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <netdb.h>
#include <sys/socket.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "comm/rendezvous/socket_session.h"

namespace rondo::comm {

inline int free_port() {
  File listener;
  EXPECT_TRUE(listen_at("127.0.0.1", 0, &listener).ok());
  return port_of(listener);
}

inline Meeting meeting_of(int rank, int size, const std::string& address) {
  Meeting meeting;
  meeting.rank = rank;
  meeting.size = size;
  meeting.address = address;
  meeting.job = "test";
  meeting.secret = "open sesame";
  meeting.join_s = 20;
  return meeting;
}

// Runs `body` for each rank on a thread of its own.
inline void on_threads(int ranks, const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) threads.emplace_back([&body, rank] { body(rank); });
  for (std::thread& each : threads) each.join();
}

struct Party {
  explicit Party(int size, int64_t limit_ms = 20000, double silence_s = 30) : sessions(static_cast<size_t>(size)) {
    const std::string address = "127.0.0.1:" + std::to_string(free_port());
    on_threads(size, [&](int rank) {
      Meeting meeting = meeting_of(rank, size, address);
      meeting.silence_s = silence_s;
      const Status status = join(meeting, limit_ms, &sessions[static_cast<size_t>(rank)]);
      EXPECT_TRUE(status.ok()) << status.message();
    });
  }
  Session& operator[](int rank) { return *sessions[static_cast<size_t>(rank)]; }
  std::vector<std::shared_ptr<Session>> sessions;
};

struct Ear final : Session::Listener {
  void received(int rank, std::string text) override { note(std::to_string(rank) + " says " + text); }
  void left(int rank) noexcept override { note(std::to_string(rank) + " left"); }
  void lost(int rank, const Status& cause) noexcept override {
    note(std::to_string(rank) + " lost: " + cause.message());
  }
  void note(const std::string& text) {
    const std::lock_guard lock(mutex);
    heard.push_back(text);
    more.notify_all();
  }
  std::vector<std::string> wait(size_t count) {
    std::unique_lock lock(mutex);
    more.wait_for(lock, std::chrono::seconds(20), [&] { return heard.size() >= count; });
    return heard;
  }
  std::mutex mutex;
  std::condition_variable more;
  std::vector<std::string> heard;
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline Status join_alone(const Meeting& meeting) {
  std::shared_ptr<Session> session;
  return join(meeting, 1000, &session);
}

// Addresses at which this process listens, by what the system says of its descriptors.
inline std::vector<std::string> listening() {
  std::vector<std::string> found;
  for (int descriptor = 0; descriptor < 1024; ++descriptor) {
    int listens = 0;
    socklen_t length = sizeof listens;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) != 0 || !listens) continue;
    sockaddr_storage address = {};
    length = sizeof address;
    char text[NI_MAXHOST] = "";
    if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length) == 0 &&
        getnameinfo(reinterpret_cast<sockaddr*>(&address), length, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0)
      found.emplace_back(text);
  }
  return found;
}

}  // namespace rondo::comm
