// Starts threads. None of Rondo's takes a signal that was sent to the process: a host's handler would run on it, or
// sigwait in the host would miss it. Each has a stack for whatever runs on it, also where the host's default is small.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <csignal>
#include <memory>
#include <system_error>
#include <type_traits>
#include <utility>

namespace rondo {

// While it lives the calling thread, and each thread started meanwhile, takes no signal but those that its own
// instructions raise: a thread inherits what is blocked.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT}) sigdelset(&all, own);
    blocked_ = pthread_sigmask(SIG_BLOCK, &all, &before_) == 0;
  }
  ~SignalsBlocked() {
    if (blocked_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
  bool blocked_;
};

// A thread that was started, until it is joined or detached.
class Thread {
 public:
  // The least that a thread of Rondo's has; the system's default (`ulimit -s`) where that is more.
  static constexpr size_t kStack = 1 << 20;

  void join() { pthread_join(thread_, nullptr); }
  void detach() { pthread_detach(thread_); }

 private:
  template <class Function>
  friend Thread start_thread(Function&& function);
  pthread_t thread_;
};

// As std::thread's constructor: throws where the system starts no more, or there is no memory.
template <class Function>
Thread start_thread(Function&& function) {
  using Body = std::decay_t<Function>;
  auto body = std::make_unique<Body>(std::forward<Function>(function));
  const auto run = [](void* given) -> void* {
    const std::unique_ptr<Body> mine(static_cast<Body*>(given));
    (*mine)();
    return nullptr;
  };
  pthread_attr_t attributes;
  int failure = pthread_attr_init(&attributes);
  Thread started;
  if (failure == 0) {
    size_t stack = 0;
    pthread_attr_getstacksize(&attributes, &stack);
    if (stack < Thread::kStack) pthread_attr_setstacksize(&attributes, Thread::kStack);
    const SignalsBlocked blocked;
    failure = pthread_create(&started.thread_, &attributes, run, body.get());
    pthread_attr_destroy(&attributes);
  }
  if (failure != 0) throw std::system_error(failure, std::generic_category());
  (void)body.release();
  return started;
}

}  // namespace rondo
