// Cuts blocks from segments, merges free ones, and finds the best one for a request.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "memory/pool.h"

#include <algorithm>

#include "base/text.h"
#include "memory/reclaim.h"

namespace rondo {

namespace {
// How many blocks of about the right size are looked at for one that needs no wait.
constexpr int kCandidates = 16;
// Beyond any memory; sizes up to it can be rounded and compared without overflow.
constexpr size_t kMostBytes = size_t{1} << 60;
size_t round_up(size_t value, size_t unit) {
  return (value + unit - 1) / unit * unit;
}
}  // namespace

Pool::Pool(std::string name, SegmentSource& source, FenceOracle& oracle, size_t alignment, size_t segment_bytes)
    : name_(std::move(name)), source_(source), oracle_(oracle), alignment_(alignment), segment_bytes_(segment_bytes) {}

Pool::~Pool() {
  // Blocks still handed out are owned by objects that outlive the pool only if the engine is misused; their memory is
  // left.
  {
    std::unique_lock lock(mutex_);
    wait_for_free_blocks(lock);
    release_segments();
  }
  for (FreeList& list : free_)
    for (Block* block : list) delete block;
}

std::unique_ptr<Block> Pool::make_block() {
  auto made = std::make_unique<Block>();
  FreeList alone;
  alone.insert(made.get());
  made->node = alone.extract(alone.begin());
  return made;
}

void Pool::put_in(Block* block) {
  free_[block->large].insert(std::move(block->node));
}

void Pool::take_out(Block* block) {
  block->node = free_[block->large].extract(block);
}

bool Pool::usable(const Block& block, uint32_t stream) {
  for (const Fence& fence : block.fences)
    if (fence.stream != stream && !oracle_.fence_done(fence)) return false;  // mutation: host_takes_busy_memory
  return true;
}

bool Pool::idle(const Block& block) {
  for (const Fence& fence : block.fences)
    if (!oracle_.fence_done(fence)) return false;
  return true;
}

// The smallest free block that fits. Blocks that need no wait come first; with any_stream, one that needs a device-side
// wait will do, but never for host use (kNoStream), which cannot wait on the device.
Block* Pool::find(size_t bytes, bool large, uint32_t stream, bool any_stream, bool any_size) {
  FreeList& list = free_[large];
  Block key;
  key.bytes = bytes;
  // A small request must not pin down a block that is much larger than it: large blocks are cut only when half is used,
  // or when there is nothing else.
  const size_t most = large && !any_size ? bytes * 2 : SIZE_MAX;
  Block* waiting = nullptr;
  int looked = 0;
  for (auto it = list.lower_bound(&key); it != list.end() && (*it)->bytes <= most && looked < kCandidates;
       ++it, ++looked) {
    if (usable(**it, stream)) return *it;
    if (!waiting) waiting = *it;
  }
  // Among small ones that are in flight, what is left of a segment.
  if (!large && !list.empty() && (*list.rbegin())->bytes >= bytes && usable(**list.rbegin(), stream))
    return *list.rbegin();
  if (!any_stream || stream == kNoStream) return nullptr;
  if (waiting) ++info_.cross_stream_reuses;
  return waiting;
}

Block* Pool::take(Block* block, size_t bytes, uint32_t stream) {
  const size_t rest = block->bytes - bytes;
  const bool cut = rest >= (block->large ? segment_bytes_ : alignment_);
  Block* tail = cut ? make_block().release() : nullptr;  // before anything has changed: there may be no memory for it
  take_out(block);
  if (tail) {
    tail->address = block->address + bytes;
    tail->bytes = rest;
    tail->free = true;
    tail->large = block->large;
    tail->fences = block->fences;
    tail->lower = block;
    tail->upper = block->upper;
    if (tail->upper) tail->upper->lower = tail;
    block->upper = tail;
    block->bytes = bytes;
    put_in(tail);
  }
  block->free = false;
  info_.cached -= static_cast<int64_t>(block->bytes);
  info_.in_use += static_cast<int64_t>(block->bytes);
  if (info_.in_use > info_.peak_in_use) info_.peak_in_use = info_.in_use;
  // The stream's own fences stay: the block may come back unused, or be used by another stream first.
  FenceSet open;
  for (const Fence& fence : block->fences)
    if (fence.stream == stream || !oracle_.fence_done(fence)) open.add(fence);
  block->fences = std::move(open);
  return block;
}

Status Pool::grow(size_t bytes, bool large, Block** block) {
  size_t segment = large ? round_up(bytes, segment_bytes_) : segment_bytes_;
  if (info_.limit) {
    const int64_t room = info_.limit - info_.in_use - info_.cached;
    if (room < static_cast<int64_t>(bytes))
      return error(RONDO_OUT_OF_MEMORY, "the limit is reached; raise it with rondo_memory_set_limit");
    segment = std::min(segment, static_cast<size_t>(room) / alignment_ * alignment_);
  }
  std::unique_ptr<Block> made = make_block();
  void* address = nullptr;
  RONDO_TRY(source_.allocate(segment, &address));
  ++info_.system_allocations;
  made->address = static_cast<char*>(address);
  made->bytes = segment;
  made->free = true;
  made->large = large;
  info_.cached += static_cast<int64_t>(segment);
  *block = made.release();
  put_in(*block);
  return {};
}

Status Pool::allocate(size_t bytes, uint32_t stream, Block** block) {
  std::unique_lock lock(mutex_);
  ++info_.allocations;
  if (bytes > kMostBytes) return exhausted(bytes, error(RONDO_OUT_OF_MEMORY, "no memory is that large"));
  bytes = round_up(bytes ? bytes : 1, alignment_);
  const bool large = bytes > segment_bytes_ / 2;
  // Small blocks are taken from any stream only when the pool cannot grow: a wait costs more than a segment.
  Block* found = find(bytes, large, stream, large, false);
  if (!found) {
    merge_idle();
    found = find(bytes, large, stream, large, false);
  }
  Status cause;
  if (!found) cause = grow(bytes, large, &found);
  if (!found) found = find(bytes, large, stream, true, false);
  for (int attempt = 0; !found && cause.code() == RONDO_OUT_OF_MEMORY; ++attempt) {
    if (attempt >= 2 && !ask_the_program(lock, bytes, attempt - 2)) break;
    ++info_.retries;
    if (attempt >= 1) wait_for_free_blocks(lock);
    release_segments();
    found = find(bytes, large, stream, true, false);
    if (!found) cause = grow(bytes, large, &found);
    if (!found) found = find(bytes, large, stream, true, true);
  }
  if (!found) return cause.code() == RONDO_OUT_OF_MEMORY ? exhausted(bytes, cause) : cause;
  *block = take(found, bytes, stream);
  return {};
}

// Neither is among the free ones.
void Pool::merge(Block* lower, Block* upper) {
  lower->bytes += upper->bytes;
  lower->fences.add(upper->fences);
  lower->upper = upper->upper;
  if (lower->upper) lower->upper->lower = lower;
  delete upper;
}

// Joins neighbours that stayed apart while one of them was in flight.
void Pool::merge_idle() {
  for (FreeList& list : free_)
    for (auto it = list.begin(); it != list.end();) {
      Block* const block = *it;
      Block seen;  // up to which place of the list: blocks move on in it as they grow
      seen.bytes = block->bytes;
      seen.address = block->address;
      for (Block* upper = block->upper; upper && upper->free && idle(*block) && idle(*upper); upper = block->upper) {
        take_out(block);
        take_out(upper);
        merge(block, upper);
        block->fences.clear();
        put_in(block);
      }
      it = list.upper_bound(&seen);
    }
}

void Pool::free(Block* block, const FenceSet& fences) {
  std::lock_guard lock(mutex_);
  info_.in_use -= static_cast<int64_t>(block->bytes);
  info_.cached += static_cast<int64_t>(block->bytes);
  block->free = true;
  // The fences that the block waited for when it was handed out are done once its own uses are: those came after.
  if (!fences.empty()) block->fences.clear();
  block->fences.add(fences);
  // Joined to a block in flight an idle one is in flight too, so a small block would take its segment along.
  const auto joins = [block](const Block* other) {
    return other && other->free && (block->large || block->fences.same_streams(other->fences));
  };
  if (Block* upper = block->upper; joins(upper)) {
    take_out(upper);
    merge(block, upper);
  }
  if (Block* lower = block->lower; joins(lower)) {
    take_out(lower);
    merge(lower, block);
    block = lower;
  }
  put_in(block);
}

// Blocks the host until the device is done with everything that is free now. The lock is open meanwhile: a thread that
// issues on these streams may be about to give a block back.
void Pool::wait_for_free_blocks(std::unique_lock<std::mutex>& lock) {
  FenceSet fences;
  for (const FreeList& list : free_)
    for (const Block* block : list) fences.add(block->fences);
  lock.unlock();
  for (const Fence& fence : fences) (void)oracle_.fence_wait(fence);
  lock.lock();
}

// The lock is open while the program looks for what it does not need.
bool Pool::ask_the_program(std::unique_lock<std::mutex>& lock, size_t bytes, int attempt) {
  if (info_.limit && static_cast<int64_t>(bytes) > info_.limit) return false;
  lock.unlock();
  const bool again = reclaim(bytes, attempt);
  lock.lock();
  return again;
}

// Returns whole free segments that are no longer used to the source.
void Pool::release_segments() {
  merge_idle();
  for (FreeList& list : free_) {
    for (auto it = list.begin(); it != list.end();) {
      Block* block = *it;
      if (block->lower || block->upper || !idle(*block)) {
        ++it;
        continue;
      }
      it = list.erase(it);
      info_.cached -= static_cast<int64_t>(block->bytes);
      source_.release(block->address);
      delete block;
    }
  }
}

void Pool::trim() {
  std::lock_guard lock(mutex_);
  release_segments();
}

void Pool::set_limit(int64_t bytes) {
  std::lock_guard lock(mutex_);
  info_.limit = bytes;
}

rondo_memory_info Pool::query() const {
  std::lock_guard lock(mutex_);
  return info_;
}

Status Pool::exhausted(size_t bytes, const Status& cause) const {
  size_t largest = 0;
  for (const FreeList& list : free_)
    if (!list.empty()) largest = std::max(largest, (*list.rbegin())->bytes);
  const auto text = [](auto count) { return bytes_text(static_cast<double>(count)); };
  return error(RONDO_OUT_OF_MEMORY,
               "out of memory on %s: asked %s, in use %s, cached %s, largest free block %s, limit %s; %s",
               name_.c_str(), text(bytes).c_str(), text(info_.in_use).c_str(), text(info_.cached).c_str(),
               text(largest).c_str(), info_.limit ? text(info_.limit).c_str() : "none", cause.message());
}

}  // namespace rondo
