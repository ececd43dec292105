// Runs the two threads that look at every communicator in rounds, and wakes them when work begins.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/watchdog.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "base/threads/thread.h"
#include "comm/communicator.h"
#include "device/cuda/collective_gate.h"

namespace rondo::comm {

namespace {

constexpr auto kRound = std::chrono::milliseconds(20);

// A thread that has its turn with each communicator, again and again.
struct Rounds {
  void (Communicator::*turn)() noexcept;
  bool frees = false;  // memory that was kept
  Communicator* at = nullptr;
  bool running = false;
  bool woken = false;
};

// Never destroyed, like its threads; a child of fork() makes its own.
struct Watchdog {
  const pid_t process = getpid();
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Communicator*> all;
  // The driver may keep the one that asks the device waiting, and the other one must go on.
  Rounds looking{&Communicator::look};
  Rounds asking{&Communicator::ask, true};

  // Runs rounds until no communicator is left.
  void run(Rounds& rounds) {
    std::unique_lock lock(mutex);
    bool left = false;  // something to be freed
    while (!all.empty() || left) {
      // Whom a communicator that goes meanwhile moves down has its turn in the next round.
      for (size_t i = 0; i < all.size(); ++i) {
        Communicator* const each = rounds.at = all[i];
        lock.unlock();
        (each->*rounds.turn)();
        lock.lock();
        rounds.at = nullptr;
        changed.notify_all();
      }
      if (rounds.frees) {  // what could not be freed during collectives
        lock.unlock();
        left = cuda::release_late();
        lock.lock();
      }
      changed.wait_for(lock, kRound, [&] { return rounds.woken || (all.empty() && !left); });
      rounds.woken = false;
    }
    rounds.running = false;
  }

  void start(Rounds& rounds) {
    if (rounds.running) return;
    start_thread([this, &rounds] { run(rounds); }).detach();  // it waits for the lock that is held here
    rounds.running = true;
  }
};

// Null: nothing was ever watched in this process.
Watchdog* known(bool make = false) {
  static constinit std::mutex mutex;
  static Watchdog* watch = nullptr;
  std::lock_guard lock(mutex);
  if (watch && watch->process == getpid()) return watch;
  return make ? watch = new Watchdog : nullptr;
}

}  // namespace

void watch(Communicator& communicator) {
  Watchdog& watch = *known(true);
  std::lock_guard lock(watch.mutex);
  watch.all.push_back(&communicator);
  watch.start(watch.looking);
  watch.start(watch.asking);
}

void wake_watch() {
  Watchdog* watch = known();
  if (!watch) return;
  std::lock_guard lock(watch->mutex);
  watch->looking.woken = true;
  watch->changed.notify_all();
}

void unwatch(Communicator& communicator) {
  Watchdog* watch = known();
  if (!watch) return;
  std::unique_lock lock(watch->mutex);
  std::erase(watch->all, &communicator);
  watch->changed.notify_all();
  watch->changed.wait(lock, [&] { return watch->looking.at != &communicator && watch->asking.at != &communicator; });
}

}  // namespace rondo::comm
