// Defines fences: points in streams. A fence names a stream of the engine and a sequence number on it; it is done when
// the device has finished everything issued on that stream up to the number. No event is recorded for a fence until a
// thread waits for it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/small_vector.h"
#include "base/status.h"

namespace rondo {

inline constexpr uint32_t kNoStream = UINT32_MAX;
// In a fence: all streams there are, and all that is issued on them by the time the fence is queried.
inline constexpr uint32_t kEveryStream = UINT32_MAX - 1;

struct Fence {
  uint32_t stream = kNoStream;
  uint64_t sequence = 0;
  explicit operator bool() const { return stream != kNoStream; }
};

// At most one fence per stream: the latest. Nothing that is done to it fails: where the host has no memory for one
// fence more, the set becomes a single one of every stream, which waits for too much and for nothing too little.
class FenceSet {
 public:
  FenceSet() = default;
  FenceSet(const FenceSet& other) noexcept { add(other); }
  FenceSet(FenceSet&&) noexcept = default;
  FenceSet& operator=(FenceSet&&) noexcept = default;
  FenceSet& operator=(const FenceSet& other) noexcept {
    if (this == &other) return *this;
    clear();
    add(other);
    return *this;
  }
  // Nearly always there is one stream, so one fence.
  void add(Fence fence) noexcept {
    if (!fence) return;
    if (fences_.size() != 1 || fences_[0].stream != fence.stream) return add_other(fence);
    if (fence.sequence > fences_[0].sequence) fences_[0].sequence = fence.sequence;
  }
  void add(const FenceSet& other) noexcept {
    for (const Fence& fence : other.fences_) add(fence);
  }
  void clear() { fences_.clear(); }
  bool empty() const { return fences_.empty(); }
  // True if it names no stream but this one.
  bool only(uint32_t stream) const {
    for (const Fence& fence : fences_)
      if (fence.stream != stream) return false;
    return true;
  }
  // True if both name the same streams, each once as they do.
  bool same_streams(const FenceSet& other) const {
    if (fences_.size() != other.fences_.size()) return false;
    for (const Fence& fence : fences_) {
      bool named = false;
      for (const Fence& each : other.fences_) named |= each.stream == fence.stream;
      if (!named) return false;
    }
    return true;
  }
  const Fence* begin() const { return fences_.begin(); }
  const Fence* end() const { return fences_.end(); }

 private:
  RONDO_APART void add_other(Fence fence) noexcept {
    for (Fence& known : fences_) {
      if (known.stream == kEveryStream) return;
      if (known.stream != fence.stream) continue;
      if (fence.sequence > known.sequence) known.sequence = fence.sequence;
      return;
    }
    if (fence.stream == kEveryStream || !fences_.try_push_back(fence)) {
      fences_.clear();
      fences_.push_back({kEveryStream, 0});
    }
  }
  SmallVector<Fence, 2> fences_;
};

// Who knows about streams (the engine), as the pool sees it.
class FenceOracle {
 public:
  virtual ~FenceOracle() = default;
  // True if the fence is known to be done. May ask the device about events that are there already; never blocks.
  virtual bool fence_done(Fence fence) = 0;
  // Blocks the host until it is done.
  virtual Status fence_wait(Fence fence) = 0;
};

}  // namespace rondo
