// Connects a device's pools with their sources of memory: the device itself, and its pinned memory.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/tasks/device_state.h"

namespace rondo {

namespace {

class DeviceSource final : public SegmentSource {
 public:
  explicit DeviceSource(Device& device) : device_(device) {}
  Status allocate(size_t bytes, void** address) override { return device_.allocate(bytes, address); }
  void release(void* address) override { device_.release(address); }

 private:
  Device& device_;
};

class PinnedSource final : public SegmentSource {
 public:
  explicit PinnedSource(StreamDevice& device) : device_(device) {}
  Status allocate(size_t bytes, void** address) override { return device_.allocate_pinned(bytes, address); }
  void release(void* address) override { device_.release_pinned(address); }

 private:
  StreamDevice& device_;
};

}  // namespace

DeviceState::DeviceState(Device& device, FenceOracle& oracle)
    : device(device),
      source(std::make_unique<DeviceSource>(device)),
      pool(device_name(device.id()), *source, oracle, device.alignment(), device.segment_bytes()) {
  if (StreamDevice* streams = device.streams()) {
    pinned_source = std::make_unique<PinnedSource>(*streams);
    pinned = std::make_unique<Pool>("pinned memory for " + device_name(device.id()), *pinned_source, oracle,
                                    device.alignment(), device.segment_bytes());
  }
}

}  // namespace rondo
