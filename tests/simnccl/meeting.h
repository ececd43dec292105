// Where the ranks of a simulated communicator meet: a piece of memory that all of them map, threads of one process or
// processes alike. A rank publishes what it does and its data; who has seen all of them computes its own result.
// Lock-free. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace simnccl {

inline constexpr int kRanks = 8, kSlots = 4;
inline constexpr std::size_t kInline = 8192;

enum class Kind : std::int32_t { all_reduce, broadcast, reduce, all_gather, reduce_scatter, send, receive };
const char* kind_name(Kind kind);

// What a rank does in one step, as others can compare it.
struct Entry {
  Kind kind;
  std::int32_t dtype, op, root, captured;
  std::uint64_t count;
  std::uint64_t bytes;     // of its data: here, or in the file
  std::int32_t pid, file;  // a descriptor of that process
  unsigned char data[kInline];
};
std::string entry_text(const Entry& entry);

// One direction between two ranks, or what one shows to all.
struct Lane {
  std::atomic<std::uint64_t> published;
  Entry slots[kSlots];
};

struct Shared {
  std::atomic<std::int32_t> ranks;                   // 0: nobody has come
  std::atomic<std::int32_t> joined[kRanks];          // pid
  std::atomic<std::uint64_t> finished[kRanks];       // steps of which the rank has taken what it needs
  std::atomic<std::uint64_t> connecting[8][kRanks];  // by kind: a rank's first use has begun
  std::atomic<std::uint64_t> taken[kRanks][kRanks];  // messages from, to
  Lane steps[kRanks];
  Lane messages[kRanks][kRanks];
};

// The memory behind an id; null where its maker is gone.
std::shared_ptr<Shared> open_meeting(const char (&id)[128]);
// Makes one; it lives as long as this process or who has mapped it.
bool make_meeting(char (&id)[128]);

// The data of an entry: `store` puts them there for others to `load`. False where their owner is gone.
void store(Entry& entry, const void* data, std::size_t bytes, int* file);
bool load(const Entry& entry, void* data, std::size_t from, std::size_t bytes);

}  // namespace simnccl
