// Draws random numbers for tasks: from the devices' sequences, or from those of bodies of control flow.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/random_scope.h"

namespace rondo {

namespace {

// A bijection that changes half of the bits for each bit that differs (the finaliser of SplitMix64).
uint64_t spread(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

RandomState random_of_body(const RandomState& drawn, uint64_t turn, rondo_device device) {
  const auto where = static_cast<uint64_t>(device.kind == RONDO_CPU ? 0 : 1 + device.index);
  return {spread(spread(spread(spread(drawn.seed) ^ drawn.offset) ^ turn) ^ where), 0};
}

RandomScope::RandomScope(const Engine& engine, const RandomState& drawn, uint64_t turn)
    : engine_(engine), thread_(this_thread()), outer_(thread_.random) {
  for (int i = 0; i < kDevices; ++i)
    states_[i] = random_of_body(drawn, turn, i ? rondo_device{RONDO_CUDA, i - 1} : rondo_device{RONDO_CPU, 0});
  thread_.random = this;
}

Status Engine::draw(Device& device, RandomState* drawn) {
  DeviceState* state = nullptr;
  RONDO_TRY(device_state(device, &state));
  std::lock_guard lock(order_mutex_);
  RandomState& random = RandomScope::of(*this, device.id(), state->random);
  *drawn = random;
  ++random.offset;
  return {};
}

}  // namespace rondo
