// Allocation and quarantine of pinned host memory.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "heap/pinned.h"

#include <sys/mman.h>

#include <algorithm>

#include "heap/poison.h"

namespace simcuda {
namespace {

constexpr std::size_t kPinnedQuarantine = std::size_t{64} << 20;

// Whole pages of the process's own, so that they can show poison.
std::size_t whole_pages(std::size_t bytes) {
  return std::max<std::size_t>((bytes + kPage - 1) / kPage, 1) * kPage;
}

}  // namespace

void* Pinned::allocate(std::size_t bytes) {
  if (bytes > SIZE_MAX - kPage) return nullptr;
  void* memory = mmap(nullptr, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  poison(memory, bytes, Poison::fresh);
  live_[reinterpret_cast<std::uint64_t>(memory)] = bytes;
  return memory;
}

bool Pinned::release(void* memory) {
  auto block = live_.find(reinterpret_cast<std::uint64_t>(memory));
  if (block == live_.end()) return false;
  poison(memory, block->second, Poison::freed);
  freed_bytes_ += block->second;
  order_.push_back(block->first);
  freed_.insert(live_.extract(block));
  // The newest stays however large it is.
  while (freed_bytes_ > kPinnedQuarantine && order_.size() > 1) {
    auto oldest = freed_.find(order_.front());
    order_.pop_front();
    freed_bytes_ -= oldest->second;
    munmap(reinterpret_cast<void*>(oldest->first), whole_pages(oldest->second));
    freed_.erase(oldest);
  }
  return true;
}

bool Pinned::inside(std::uint64_t address, std::size_t bytes) const {
  auto block = live_.upper_bound(address);
  if (block == live_.begin()) return false;
  --block;
  return address - block->first <= block->second && bytes <= block->second - (address - block->first);
}

std::string Pinned::freed(std::uint64_t address, std::size_t bytes) const {
  auto block = freed_.upper_bound(address);
  // The block the range begins in, or else the first one it reaches.
  if (block != freed_.begin() && address - std::prev(block)->first < std::prev(block)->second) --block;
  if (block == freed_.end() || block->first >= address + bytes) return {};
  return "pinned memory that was freed, at byte " + std::to_string(std::max(address, block->first) - block->first) +
         " of a block of " + std::to_string(block->second) + " bytes";
}

}  // namespace simcuda
