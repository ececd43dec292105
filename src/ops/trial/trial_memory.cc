// Takes memory for a trial, and times what it captures.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/trial/trial_memory.h"

#include "base/caught.h"
#include "base/room.h"

namespace rondo::ops {

TrialMemory::~TrialMemory() {
  for (void* address : taken_) device_.release(address);
  if (workspace_) device_.release(workspace_);
  for (void* event : {begin_, end_})
    if (event) device_.event_destroy(event);
  if (stream_) device_.stream_destroy(stream_);
}

Status TrialMemory::open() {
  RONDO_TRY(device_.stream_create(false, &stream_));
  RONDO_TRY(device_.event_create(true, &begin_));
  return device_.event_create(true, &end_);
}

Status TrialMemory::take_filled(unsigned char byte, size_t bytes, size_t margin, void** address) {
  bytes = (bytes + 3) / 4 * 4;  // filled in words
  void* memory = nullptr;
  make_room(&taken_);
  RONDO_TRY(device_.allocate(margin + bytes + margin, &memory));
  taken_.push_back(memory);
  *address = static_cast<char*>(memory) + margin;
  return device_.fill_bytes(memory, byte, margin + bytes + margin, stream_);
}

Status TrialMemory::take_workspace(size_t bytes) {
  if (bytes <= workspace_bytes_) return {};
  if (workspace_) device_.release(workspace_);
  workspace_ = nullptr;
  workspace_bytes_ = 0;
  RONDO_TRY(device_.allocate(bytes, &workspace_));
  workspace_bytes_ = bytes;
  return {};
}

Status TrialMemory::capture(const Body& body, NativeGraph* graph) {
  RONDO_TRY(device_.capture_begin(stream_));
  const Status enqueued = caught([&] { return body(stream_); });
  const Status sound = enqueued.ok() ? device_.capture_check(stream_) : enqueued;
  const Status ended = device_.capture_end(stream_, sound.ok(), graph);
  if (!sound.ok()) return sound;
  RONDO_TRY(ended);
  const Status made = device_.graph_instantiate(graph, stream_);
  if (!made.ok()) device_.graph_destroy(graph);
  return made;
}

Status TrialMemory::time(const NativeGraph& graph, int launches, float* microseconds) {
  float milliseconds = 0;
  Status status = device_.event_record(begin_, stream_);
  for (int i = 0; i < launches && status.ok(); ++i) status = device_.graph_launch(graph, stream_);
  if (status.ok()) status = device_.event_record(end_, stream_);
  const Status done = device_.stream_synchronize(stream_);
  if (status.ok()) status = done;
  if (status.ok()) status = device_.event_elapsed(begin_, end_, &milliseconds);
  *microseconds = milliseconds * 1000;
  return status;
}

Status TrialMemory::time_graph(const Body& body, float* microseconds) {
  NativeGraph graph;
  RONDO_TRY(capture(body, &graph));
  Status status = device_.graph_launch(graph, stream_);
  if (status.ok())
    status = time(graph, 1, microseconds);
  else
    (void)synchronize();
  device_.graph_destroy(&graph);
  return status;
}

}  // namespace rondo::ops
