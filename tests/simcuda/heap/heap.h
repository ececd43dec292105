// Memory of one simulated device: host memory behind addresses of its own, with a guard zone after every allocation,
// and two bits per byte: is it inside an allocation, has it been written. Freed memory is filled with a pattern and
// stays unused for a while. Not thread-safe except for mark_written and the queries on bits: the driver's lock protects
// the rest. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace simcuda {

class Heap {
 public:
  struct Block {
    std::size_t bytes;
    std::uint64_t number;  // the how-manieth allocation of this device
    bool freed = false, appeared = false;
  };

  explicit Heap(std::size_t total);

  std::uint64_t base() const { return base_; }
  std::size_t reserved() const { return reserved_; }
  std::size_t total() const { return total_; }
  std::size_t used() const { return used_; }
  std::size_t live() const { return live_; }
  unsigned char* valid() const { return valid_; }
  unsigned char* written() const { return written_; }

  // 0 when full. An allocation that does not appear yet has its address; `appear` gives it its bytes.
  std::uint64_t allocate(std::size_t bytes, bool appears = true);
  void appear(std::uint64_t address);
  bool release(std::uint64_t address);  // false when it is no allocation
  void release_all();

  bool contains(std::uint64_t address) const { return address - base_ < reserved_; }
  // Inside an allocation that is not freed, though its stream may not have reached it yet?
  bool promised(std::uint64_t address, std::size_t bytes) const;
  // All bytes inside one live allocation?
  bool inside(std::uint64_t address, std::size_t bytes) const;
  // First byte of the range that was never written, or `bytes` when all were.
  std::size_t first_unwritten(std::uint64_t address, std::size_t bytes) const;
  void mark_written(std::uint64_t address, std::size_t bytes);
  void copy_written(std::uint64_t to, const Heap& source, std::uint64_t from, std::size_t bytes);
  // "12 bytes past the end of allocation #7 (400 bytes)", "in allocation #7 (400 bytes), which was freed" ...
  std::string describe(std::uint64_t address) const;
  // The live allocation an address lies in: its start and size, or 0.
  std::uint64_t find(std::uint64_t address, std::size_t* bytes) const;

 private:
  void forget(std::uint64_t address);

  std::size_t total_, reserved_, used_ = 0, live_ = 0, quarantined_ = 0;
  std::uint64_t base_ = 0, allocations_ = 0;
  unsigned char *valid_ = nullptr, *written_ = nullptr;
  std::map<std::uint64_t, Block> blocks_;      // live and quarantined, by address
  std::map<std::uint64_t, std::size_t> gaps_;  // unused addresses
  std::deque<std::uint64_t> quarantine_;
};

}  // namespace simcuda
