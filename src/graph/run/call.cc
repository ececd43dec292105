// A segment's part of a call: what the caller gave is put in the place of what was recorded, and taken out again.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/run/call.h"

#include <cstring>
#include <utility>

namespace rondo {

namespace {

Status copy(const Device& device, const TaskContext& context, char* to, const char* from, size_t bytes) {
  if (!device.is_host())
    return context.device->streams()->copy(CopyKind::device_to_device, to, from, bytes, context.stream);
  std::memcpy(to, from, bytes);
  return {};
}

}  // namespace

// Puts the caller's memory, and what is poisoned of it, in the place of the graph's.
Status CallRun::enter(const TaskContext& context) {
  for (uint32_t i = 0; i < places_.size(); ++i) {
    const BindingUse& use = segment_.binding_uses[i];
    Storage& bound = *binding(use).storage;
    if (!binding(use).copied) bound.place(places_[i].address());
    if (partial_failure_.clean()) [[likely]]
      continue;
    if (const auto found = partial_failure_.poison.find(places_[i].storage);
        use.read && found != partial_failure_.poison.end())
      partial_failure_.mark(&bound, Status(found->second));
  }
  RONDO_TRY(limit_.check());  // mutation: limit_after_the_begin
  for (uint32_t i = 0; i < places_.size(); ++i) {
    const BindingUse& use = segment_.binding_uses[i];
    Storage& bound = *binding(use).storage;
    if (!use.fetches || !bound.bytes() || poisoned(bound)) continue;
    RONDO_TRY(copy(bound.device(), context, bound.address(), places_[i].address(), bound.bytes()));
  }
  return partial_failure_.clean() ? segment_.bind(context) : Status();
}

// The other way round.
Status CallRun::leave(const TaskContext& context, Status status) {
  const bool good = status.ok() || partial_failure_.reported;
  for (uint32_t i = 0; i < places_.size(); ++i) {
    const BindingUse& use = segment_.binding_uses[i];
    Storage& bound = *binding(use).storage;
    if (use.delivers && good && bound.bytes() && !poisoned(bound)) {
      Status copied = copy(bound.device(), context, places_[i].address(), bound.address(), bound.bytes());
      if (!copied.ok()) {
        partial_failure_.reported = false;  // all that the segment writes is poisoned
        status = std::move(copied);
      }
    }
    if (!binding(use).copied) bound.place(nullptr);
    if (!use.write || partial_failure_.poison.empty()) continue;
    if (const auto found = partial_failure_.poison.find(&bound); found != partial_failure_.poison.end())
      partial_failure_.mark(places_[i].storage, Status(found->second));
    else
      partial_failure_.poison.erase(places_[i].storage);
  }
  return status;
}

}  // namespace rondo
