// Allocation, quarantine and the two bit maps of a simulated device's memory.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "heap/heap.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "heap/poison.h"

namespace simcuda {
namespace {

constexpr std::size_t kAlign = 512, kGuard = 512;
constexpr std::size_t kQuarantine = std::size_t{128} << 20;

void* reserve(std::size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) {
    std::fprintf(stderr, "simcuda: cannot reserve %zu bytes of address space\n", bytes);
    std::abort();
  }
  return p;
}

std::size_t round_up(std::size_t n) {
  return (n + kAlign - 1) / kAlign * kAlign;
}

// Clearing much gives the pages back instead of writing them.
void fill_bytes(unsigned char* begin, std::size_t n, bool value) {
  if (!value && n >= (std::size_t{1} << 20)) {
    unsigned char* page = begin + (kPage - reinterpret_cast<std::uintptr_t>(begin) % kPage) % kPage;
    std::size_t whole = static_cast<std::size_t>(begin + n - page) / kPage * kPage;
    std::memset(begin, 0, static_cast<std::size_t>(page - begin));
    madvise(page, whole, MADV_DONTNEED);
    n -= static_cast<std::size_t>(page - begin) + whole;
    begin = page + whole;
  }
  std::memset(begin, value ? 0xff : 0, n);
}

// Sets or clears one bit per byte. Only the bytes at the ends of the range can be shared with another thread's range.
void set_bits(unsigned char* map, std::size_t from, std::size_t n, bool value) {
  auto edge = [&](std::size_t at, unsigned mask) {
    if (value)
      __atomic_fetch_or(map + at, static_cast<unsigned char>(mask), __ATOMIC_RELAXED);
    else
      __atomic_fetch_and(map + at, static_cast<unsigned char>(~mask), __ATOMIC_RELAXED);
  };
  std::size_t end = from + n, first = from / 8, last = end / 8;
  unsigned head = 0xffu << (from % 8) & 0xffu, tail = (1u << (end % 8)) - 1u;
  if (first == last) {
    edge(first, head & tail);
    return;
  }
  if (head != 0xffu) edge(first++, head);
  fill_bytes(map + first, last - first, value);
  if (tail != 0) edge(last, tail);
}

// The first byte of the range whose bit is not set.
std::size_t first_clear(const unsigned char* map, std::size_t from, std::size_t n) {
  for (std::size_t i = 0; i < n;) {
    std::size_t at = from + i;
    unsigned char bits = __atomic_load_n(map + at / 8, __ATOMIC_RELAXED);
    if (at % 8 == 0 && n - i >= 8 && bits == 0xff) {
      i += 8;
      continue;
    }
    if ((bits >> (at % 8) & 1) == 0) return i;
    ++i;
  }
  return n;
}

}  // namespace

Heap::Heap(std::size_t total) : total_(total) {
  // Twice the memory plus the quarantine: addresses run out long after the accounted bytes do.
  reserved_ = 2 * total + 4 * kQuarantine;
  base_ = reinterpret_cast<std::uint64_t>(reserve(reserved_));
  valid_ = static_cast<unsigned char*>(reserve(reserved_ / 8));
  written_ = static_cast<unsigned char*>(reserve(reserved_ / 8));
  gaps_[base_] = reserved_;
}

std::uint64_t Heap::allocate(std::size_t bytes, bool appears) {
  std::size_t accounted = round_up(bytes), needed = accounted + kGuard;
  if (accounted < bytes || accounted > total_ - used_) return 0;
  for (;;) {
    auto gap = std::find_if(gaps_.begin(), gaps_.end(), [&](const auto& g) { return g.second >= needed; });
    if (gap == gaps_.end()) {
      if (quarantine_.empty()) return 0;
      forget(quarantine_.front());
      quarantine_.pop_front();
      continue;
    }
    std::uint64_t address = gap->first;
    std::size_t left = gap->second - needed;
    gaps_.erase(gap);
    if (left > 0) gaps_[address + needed] = left;
    blocks_[address] = {bytes, ++allocations_, false, false};
    used_ += accounted;
    ++live_;
    if (appears) appear(address);
    return address;
  }
}

void Heap::appear(std::uint64_t address) {
  auto block = blocks_.find(address);
  if (block == blocks_.end() || block->second.freed) return;
  std::size_t bytes = block->second.bytes;
  block->second.appeared = true;
  set_bits(valid_, address - base_, bytes, true);
  set_bits(written_, address - base_, bytes, false);
  poison(reinterpret_cast<void*>(address), bytes, Poison::fresh);
}

bool Heap::release(std::uint64_t address) {
  auto block = blocks_.find(address);
  if (block == blocks_.end() || block->second.freed) return false;
  std::size_t bytes = block->second.bytes;
  block->second.freed = true;
  used_ -= round_up(bytes);
  --live_;
  set_bits(valid_, address - base_, bytes, false);
  poison(reinterpret_cast<void*>(address), bytes, Poison::freed);
  quarantine_.push_back(address);
  quarantined_ += round_up(bytes) + kGuard;
  while (quarantined_ > kQuarantine && quarantine_.size() > 1) {
    forget(quarantine_.front());
    quarantine_.pop_front();
  }
  return true;
}

void Heap::release_all() {
  std::deque<std::uint64_t> live;
  for (const auto& [address, block] : blocks_)
    if (!block.freed) live.push_back(address);
  for (std::uint64_t address : live) release(address);
}

// Gives a quarantined block's addresses back and joins them with the gaps beside.
void Heap::forget(std::uint64_t address) {
  auto block = blocks_.find(address);
  std::size_t bytes = round_up(block->second.bytes) + kGuard;
  madvise(reinterpret_cast<void*>((address + 4095) & ~std::uint64_t{4095}), bytes > 8192 ? bytes - 8192 : 0,
          MADV_DONTNEED);
  blocks_.erase(block);
  quarantined_ -= bytes;
  auto next = gaps_.lower_bound(address);
  if (next != gaps_.end() && next->first == address + bytes) {
    bytes += next->second;
    next = gaps_.erase(next);
  }
  if (next != gaps_.begin()) {
    auto previous = std::prev(next);
    if (previous->first + previous->second == address) {
      previous->second += bytes;
      return;
    }
  }
  gaps_[address] = bytes;
}

bool Heap::inside(std::uint64_t address, std::size_t bytes) const {
  if (!contains(address) || bytes > reserved_ - (address - base_)) return false;
  return first_clear(valid_, address - base_, bytes) == bytes;
}

bool Heap::promised(std::uint64_t address, std::size_t bytes) const {
  std::size_t size = 0;
  std::uint64_t begin = find(address, &size);
  return begin != 0 && bytes <= size - (address - begin);
}

std::size_t Heap::first_unwritten(std::uint64_t address, std::size_t bytes) const {
  return first_clear(written_, address - base_, bytes);
}

void Heap::mark_written(std::uint64_t address, std::size_t bytes) {
  set_bits(written_, address - base_, bytes, true);
}

void Heap::copy_written(std::uint64_t to, const Heap& source, std::uint64_t from, std::size_t bytes) {
  if (source.first_unwritten(from, bytes) == bytes) return mark_written(to, bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    set_bits(written_, to - base_ + i, 1, first_clear(source.written_, from - source.base_ + i, 1) == 1);
}

std::uint64_t Heap::find(std::uint64_t address, std::size_t* bytes) const {
  auto block = blocks_.upper_bound(address);
  if (block == blocks_.begin()) return 0;
  --block;
  if (block->second.freed || address >= block->first + std::max<std::size_t>(block->second.bytes, 1)) return 0;
  *bytes = block->second.bytes;
  return block->first;
}

std::string Heap::describe(std::uint64_t address) const {
  auto block = blocks_.upper_bound(address);
  if (block == blocks_.begin()) return "before the first allocation";
  --block;
  const Block& b = block->second;
  std::size_t offset = address - block->first;
  std::string name = "allocation #" + std::to_string(b.number) + " (" + std::to_string(b.bytes) + " bytes)";
  if (offset >= b.bytes)
    return std::to_string(offset - b.bytes) + " bytes past the end of " + name + (b.freed ? ", which was freed" : "");
  return "at byte " + std::to_string(offset) + " of " + name +
         (b.freed      ? ", which was freed"
          : b.appeared ? ""
                       : ", which its stream has not reached yet");
}

}  // namespace simcuda
