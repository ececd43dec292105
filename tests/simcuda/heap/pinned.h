// Pinned host memory. What is freed stays for a while, filled with a pattern that no program writes, so that a copy
// still in flight is told by its address and not by luck. Not thread-safe: the driver's lock protects it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace simcuda {

class Pinned {
 public:
  void* allocate(std::size_t bytes);  // null when the host has none
  bool release(void* memory);         // false when it is no pinned allocation
  std::size_t live() const { return live_.size(); }
  // All bytes inside one allocation?
  bool inside(std::uint64_t address, std::size_t bytes) const;
  // "pinned memory that was freed, at byte 12 of a block of 400 bytes" for the first such byte of a range, or nothing.
  std::string freed(std::uint64_t address, std::size_t bytes) const;

 private:
  std::map<std::uint64_t, std::size_t> live_, freed_;  // size by address
  std::deque<std::uint64_t> order_;                    // of the freed ones, the oldest first
  std::size_t freed_bytes_ = 0;
};

}  // namespace simcuda
