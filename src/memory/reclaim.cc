// Keeps the program's function that gives memory back, and calls it when a pool or the host has none.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "memory/reclaim.h"

#include <atomic>
#include <memory>
#include <mutex>

#include "base/machine/arithmetic.h"
#include "base/threads/uncancelled.h"

namespace rondo {

namespace {

struct Function {
  Function(rondo_reclaim_fn given, void* with, void (*after)(void*)) : fn(given), arg(with), destroy(after) {}
  ~Function() {
    if (destroy) destroy(arg);
  }
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;
  const rondo_reclaim_fn fn;
  void* const arg;
  void (*const destroy)(void*);
};

// Never destroyed: threads of the program may ask while the process ends.
struct State {
  std::mutex mutex;
  std::shared_ptr<const Function> function;  // calls under way keep theirs
  std::atomic<int64_t> host_limit{0};
};

State& state() {
  static auto* all = new State;
  return *all;
}

}  // namespace

void set_reclaim(rondo_reclaim_fn fn, void* arg, void (*destroy)(void*), int64_t host_limit) {
  std::shared_ptr<const Function> function;
  if (fn) function = std::make_shared<const Function>(fn, arg, destroy);
  std::lock_guard lock(state().mutex);
  state().function.swap(function);  // the lock is open again when the former one goes
  state().host_limit = host_limit;
}

bool reclaim(size_t bytes, int attempt) {
  std::shared_ptr<const Function> function;
  {
    std::lock_guard lock(state().mutex);
    function = state().function;
  }
  if (!function) return false;
  const Uncancelled uncancelled;
  const KeptArithmetic arithmetic;
  return function->fn(function->arg, static_cast<int64_t>(bytes), attempt) != 0;
}

int64_t reclaim_host_limit() {
  return state().host_limit;
}

}  // namespace rondo
