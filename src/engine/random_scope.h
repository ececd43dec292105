// Sequences of random numbers that the tasks of a thread draw from in place of the devices' own: those of a body of
// control flow. Each begins where one number of the device's was drawn, so that what comes later does not depend on
// what the body draws.
//
// Lives on the stack of its thread; read by that thread under the order lock.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/engine.h"

namespace rondo {

// The beginning of a device's sequence in a turn of a body whose call has drawn `drawn`.
RandomState random_of_body(const RandomState& drawn, uint64_t turn, rondo_device device);

class RandomScope {
 public:
  RandomScope(const Engine& engine, const RandomState& drawn, uint64_t turn);
  ~RandomScope() { thread_.random = outer_; }
  RandomScope(const RandomScope&) = delete;
  RandomScope& operator=(const RandomScope&) = delete;

  // The sequence of a device that the calling thread's tasks of an engine draw from: `own`, or a scope's in its place.
  static RandomState& of(const Engine& engine, rondo_device device, RandomState& own) {
    RandomScope* const scope = this_thread().random;
    if (!scope || &scope->engine_ != &engine) return own;
    return scope->states_[device.kind == RONDO_CPU ? 0 : 1 + device.index];
  }

 private:
  static constexpr int kDevices = 65;  // cpu, then GPUs
  const Engine& engine_;
  ThreadState& thread_;
  RandomScope* const outer_;
  RandomState states_[kDevices];
};

}  // namespace rondo
