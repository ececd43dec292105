// Defines the messages between rank 0 and the others, as values, and the one place where received ones are checked: no
// code after decode() meets a rank that does not exist, a status that is none, or a text without end.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"

namespace rondo::comm {

inline bool contains(const std::vector<int>& ranks, int rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

// A whole message, and its parts.
inline constexpr size_t kMaxFrame = size_t{1} << 20;
inline constexpr size_t kMaxText = size_t{1} << 19;   // what a rank gives or tells
inline constexpr size_t kMaxName = size_t{1} << 14;   // of a group
inline constexpr size_t kMaxLabel = size_t{1} << 10;  // what a gathering is for
inline constexpr size_t kMaxCause = size_t{1} << 14;  // the message of a status

// Nothing but that the sender is alive.
struct Alive {};
// To rank 0: one rank's part of a gathering. `reform`: of those of the members who are left.
struct Gather {
  std::string key, group;
  std::vector<int> members;
  int64_t limit_ms = -1;  // below 0: none
  bool reform = false;
  std::string label, text;
};
// From rank 0, to all who gave something: the outcome; of those in `ranks`, in their order. Texts that are too much for
// one message come in several, each of which says with which text it begins.
struct Gathered {
  std::string key;
  Status status;
  std::vector<int> ranks;
  size_t first = 0;
  std::vector<std::string> texts;  // none of a reform
};
// To rank 0, and from it to the other members.
struct Tell {
  std::string group;
  std::vector<int> members;
  int who = 0;
  std::string text;
};
// The same: a member has left the group.
struct Leave {
  std::string group;
  std::vector<int> members;
  int who = 0;
};
// From rank 0.
struct Lost {
  int who = 0;
  std::string cause;
};
// The process has left.
struct Bye {};

using Frame = std::variant<Alive, Gather, Gathered, Tell, Leave, Lost, Bye>;

// The bytes that precede a message on the wire.
struct FrameHead {
  uint32_t verb;      // which of the variant's
  uint32_t reserved;  // 0
  uint64_t bytes;
};

// Head and text.
std::string encode(const Frame& frame);

// Both ends of a connection, one of which is rank 0.
struct Ends {
  int from;
  int own;
  int size;  // of the rendezvous
};
// Succeeds if such a message may follow; RONDO_INTERNAL says what is wrong with it.
Status check_head(const FrameHead& head);
// RONDO_INTERNAL: it is no message, or none that this end may get from that one.
Status decode(const Ends& ends, uint32_t verb, std::string_view text, Frame* frame);

// The next word of what a peer has written, as a whole number from low to high; false: it is none.
bool take_number(std::string_view* rest, int low, int high, int* value);
// The status for a failure that a peer reports. A code that is none, or that of success, becomes RONDO_INTERNAL.
Status failure_of(uint64_t code, std::string_view message);

// The address at which a rank listens, as it tells the others.
struct Listening {
  std::string host;  // its machine's name
  int port = 0;      // 0: nowhere
  std::vector<std::string> addresses;
  std::string secret;  // drawn by rank 0 for what follows; of the others empty
};
std::string encode(const Listening& listening);
// RONDO_INTERNAL names the rank.
Status decode(size_t rank, std::string_view text, Listening* listening);

}  // namespace rondo::comm
