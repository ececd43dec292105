// Marks work that a device will never really do: a collective whose peers are gone ends without its result, and work
// that was issued after it computes from that. Fences tell which work it is, so nothing is noted while all goes well.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/threads/within.h"
#include "engine/engine.h"

namespace rondo {

FenceSet Engine::fences(const Variable& variable) {
  std::lock_guard lock(order_mutex_);
  FenceSet fences = variable.read_fences_;
  fences.add(variable.write_fence_);
  return fences;
}

std::vector<Fence> Engine::positions() const {
  std::vector<Fence> positions;
  const uint32_t count = n_streams_.load(std::memory_order_acquire);
  positions.reserve(count);
  for (uint32_t i = 0; i < count; ++i) positions.push_back({i, stream(i)->issued()});
  return positions;
}

void Engine::write_off(Stream& origin, const std::vector<Fence>& since, const Status& cause) {
  auto after = [&since](uint32_t stream) { return stream < since.size() ? since[stream].sequence : 0; };
  const uint32_t count = n_streams_.load(std::memory_order_acquire);
  using Concerned = std::vector<bool>;
  // Each stream that waited for one concerned is concerned itself, until no more are found. Their locks are needed, and
  // one may be held by a thread whose driver waits for the work that is written off: then all streams are concerned.
  // So they are where there is no memory to find out.
  const auto reached = [engine = Ref<Engine>::share(this), since, count, first = origin.id] {
    Concerned concerned(count, false);
    concerned[first] = true;
    for (bool grown = true; grown;) {
      grown = false;
      for (uint32_t i = 0; i < count; ++i)
        for (uint32_t on = 0; on < count && !concerned[i]; ++on)
          if (concerned[on] && engine->stream(i)->already_waits({on, (on < since.size() ? since[on].sequence : 0) + 1}))
            concerned[i] = grown = true;
    }
    return concerned;
  };
  const std::optional<Concerned> concerned = within<Concerned>(std::chrono::milliseconds(500), reached);
  std::lock_guard lock(order_mutex_);
  written_off_.reserve(written_off_.size() + count);  // all or nothing
  for (uint32_t i = 0; i < count; ++i)
    if (!concerned || (*concerned)[i]) written_off_.push_back({i, after(i), stream(i)->issued(), cause});
  if (first_failure_.ok()) first_failure_ = cause;
}

void Engine::expect_write_off() {
  constexpr size_t kOnce = 64;  // streams
  std::lock_guard lock(order_mutex_);
  written_off_.reserve(written_off_.size() + kOnce);
}

const Status* Engine::written_off(const Variable& variable) const {
  const Fence& fence = variable.write_fence_;
  for (const WrittenOff& each : written_off_)
    if (fence.stream == each.stream && fence.sequence > each.after && fence.sequence <= each.up_to) return &each.cause;
  return nullptr;
}

Status Engine::written_off(Task& task) const {
  for (const Access& access : task.accesses_)
    if (const Status* cause = access.read ? written_off(*access.variable) : nullptr) return *cause;
  return {};
}

// A task that was on its way to the device when what it reads was written off.
void Engine::retire_with_written_off(Task& task, const Status& status, Fence fence) {
  const Status outcome = status.ok() ? written_off(task) : status;
  if (outcome.ok())
    retire(task, fence);
  else
    retire_failed(task, outcome, fence);
}

}  // namespace rondo
