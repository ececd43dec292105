// Looking. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/watch.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "comm/communicator.h"

namespace rondo::comm {

namespace {

constexpr auto kRound = std::chrono::milliseconds(20);

// Never destroyed, like its thread; a child of fork() makes its own.
struct Watch {
  const pid_t process = getpid();
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Communicator*> all;
  Communicator* looked_at = nullptr;
  bool running = false;
  bool woken = false;

  // Until there is nobody left.
  void run() {
    std::unique_lock lock(mutex);
    while (!all.empty()) {
      const std::vector<Communicator*> round = all;
      for (Communicator* each : round) {
        if (std::find(all.begin(), all.end(), each) == all.end()) continue;
        looked_at = each;
        lock.unlock();
        each->look();
        lock.lock();
        looked_at = nullptr;
        changed.notify_all();
      }
      changed.wait_for(lock, kRound, [this] { return woken || all.empty(); });
      woken = false;
    }
    running = false;
  }
};

Watch& instance() {
  static std::mutex mutex;
  static Watch* watch = nullptr;
  std::lock_guard lock(mutex);
  if (!watch || watch->process != getpid()) watch = new Watch;
  return *watch;
}

}  // namespace

void watch(Communicator& communicator) {
  Watch& watch = instance();
  std::lock_guard lock(watch.mutex);
  watch.all.push_back(&communicator);
  if (std::exchange(watch.running, true)) return;
  std::thread([&watch] { watch.run(); }).detach();
}

void wake_watch() {
  Watch& watch = instance();
  std::lock_guard lock(watch.mutex);
  watch.woken = true;
  watch.changed.notify_all();
}

void unwatch(Communicator& communicator) {
  Watch& watch = instance();
  std::unique_lock lock(watch.mutex);
  std::erase(watch.all, &communicator);
  watch.changed.notify_all();
  watch.changed.wait(lock, [&] { return watch.looked_at != &communicator; });
}

}  // namespace rondo::comm
