// Makes the auxiliary streams of a stream or a branch, and forks to them and joins them by events.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/tasks/auxiliary.h"

namespace rondo {

Status Auxiliary::make(StreamDevice& device, std::unique_ptr<Auxiliary>* auxiliary) {
  std::unique_ptr<Auxiliary> made(new Auxiliary(device));
  RONDO_TRY(device.stream_create(false, &made->stream_));
  RONDO_TRY(device.event_create(false, &made->forked_));
  RONDO_TRY(device.event_create(false, &made->joined_));
  *auxiliary = std::move(made);
  return {};
}

Status Auxiliaries::make(StreamDevice& device, int count) {
  for (int i = 0; i < count; ++i)
    if (auto& each = each_[static_cast<size_t>(i)]; !each) RONDO_TRY(Auxiliary::make(device, &each));
  return {};
}

Auxiliary::~Auxiliary() {
  for (void* event : {forked_, joined_})
    if (event) device_.event_destroy(event);
  if (stream_) device_.stream_destroy(stream_);
}

Status Auxiliary::fork(void* from) {
  RONDO_TRY(device_.event_record(forked_, from));
  return device_.stream_wait(stream_, forked_);
}

Status Auxiliary::join(void* to, bool capturing) {
  Status status = device_.event_record(joined_, stream_);
  if (status.ok()) status = device_.stream_wait(to, joined_);
  if (status.ok() || capturing) return status;
  const Status waited = device_.stream_synchronize(stream_);
  return waited.ok() ? status : waited;
}

}  // namespace rondo
