// Holds an engine's state for one device: pools, streams, the issuing worker (threaded mode) and the random sequence.
// Made on the device's first use, lives as long as the engine's streams.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/tasks/stream.h"
#include "engine/tasks/task.h"
#include "engine/tasks/workers.h"
#include "memory/pool.h"

namespace rondo {

inline constexpr int kMaxComputeStreams = 16;

struct DeviceState {
  DeviceState(Device& device, FenceOracle& oracle);

  Device& device;
  std::unique_ptr<SegmentSource> source;
  std::unique_ptr<SegmentSource> pinned_source;  // GPUs only
  Pool pool;
  std::unique_ptr<Pool> pinned;  // staging memory of copies; GPUs only
  RandomState random;            // under the engine's order lock

  std::mutex mutex;  // making streams and the worker
  std::atomic<Stream*> compute[kMaxComputeStreams] = {};
  std::atomic<Stream*> high{nullptr};
  std::atomic<Stream*> copy_in{nullptr};
  std::atomic<Stream*> copy_out{nullptr};
  std::atomic<Stream*> communicate{nullptr};
  std::unique_ptr<Workers> issuer;  // threaded mode
};

}  // namespace rondo
