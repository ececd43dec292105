// Declares the stream-aware caching pool of one engine and one device (or of its pinned host memory).
//
// Blocks are cut from segments of the system's or driver's memory and merged again when free. A freed block carries the
// fences of its last uses: its next user must wait for them, on the device, unless they are of its own stream. Memory
// that only the host uses next (pinned staging) is asked for with kNoStream and is handed out only when its fences are
// done. On exhaustion: return free segments to the system, wait for blocks in flight, retry, ask the program
// (memory/reclaim.h), then RONDO_OUT_OF_MEMORY with figures.
//
// Giving a block back cannot fail: a block's place among the free ones is made with the block.
//
// Thread-safe. The oracle is asked under the pool's lock whether fences are done, which never blocks; it waits for
// fences with the pool unlocked.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/engine.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "memory/fence.h"

namespace rondo {

// The source of segments.
class SegmentSource {
 public:
  virtual ~SegmentSource() = default;
  virtual Status allocate(size_t bytes, void** address) = 0;
  virtual void release(void* address) = 0;
};

struct Block;
struct BlockBySize {
  bool operator()(const Block* a, const Block* b) const;
};
using FreeBlocks = std::set<Block*, BlockBySize>;

struct Block {
  char* address = nullptr;
  size_t bytes = 0;
  bool free = false;
  bool large = false;      // lives in a segment of its own size
  Block* lower = nullptr;  // neighbours in the same segment
  Block* upper = nullptr;
  FenceSet fences;             // what the next user must wait for
  FreeBlocks::node_type node;  // its place among the free ones; empty while it is there
};

inline bool BlockBySize::operator()(const Block* a, const Block* b) const {
  return a->bytes != b->bytes ? a->bytes < b->bytes : a->address < b->address;
}

class Pool {
 public:
  Pool(std::string name, SegmentSource& source, FenceOracle& oracle, size_t alignment, size_t segment_bytes);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // A block of at least `bytes` for use on a stream. block->fences holds what its next user must wait for first: on
  // that stream its own fences need no wait, and for kNoStream there are none.
  Status allocate(size_t bytes, uint32_t stream, Block** block);
  // Gives a block back; `fences` are its last uses. Never blocks.
  void free(Block* block, const FenceSet& fences);

  void set_limit(int64_t bytes);
  // Returns segments that are no longer used to the source.
  void trim();
  rondo_memory_info query() const;

 private:
  using FreeList = FreeBlocks;

  static std::unique_ptr<Block> make_block();
  void put_in(Block* block);  // among the free ones
  void take_out(Block* block);
  Block* find(size_t bytes, bool large, uint32_t stream, bool any_stream, bool any_size);
  Block* take(Block* block, size_t bytes, uint32_t stream);
  Status grow(size_t bytes, bool large, Block** block);
  void merge(Block* lower, Block* upper);
  void merge_idle();
  void wait_for_free_blocks(std::unique_lock<std::mutex>& lock);
  bool ask_the_program(std::unique_lock<std::mutex>& lock, size_t bytes, int attempt);
  void release_segments();
  bool usable(const Block& block, uint32_t stream);
  bool idle(const Block& block);
  Status exhausted(size_t bytes, const Status& cause) const;

  const std::string name_;
  SegmentSource& source_;
  FenceOracle& oracle_;
  const size_t alignment_;
  const size_t segment_bytes_;

  mutable std::mutex mutex_;
  FreeList free_[2];  // small, large
  rondo_memory_info info_ = RONDO_MEMORY_INFO_INIT;
};

}  // namespace rondo
