// Makes two processes trust a connection: each proves that it knows the job's secret, by HMACs of what both have drawn,
// so that the secret is never sent and nothing overheard can be used again. The caller proves first: a process that
// does not know the secret gets nothing from the listener by which it could try secrets elsewhere. Later data on the
// connection is neither signed nor encrypted.
//
//   caller ─► hello: rank, size, digest of the job's name, random bytes
//          ◄─ random bytes
//   caller ─► proof
//          ◄─ proof, or that the secret is another one
//          ◄─ welcome, or why not
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <string>

#include "comm/rendezvous/net.h"

namespace rondo::comm {

struct Key {
  std::string job;
  std::string secret;  // empty: the job's name is all there is to know
};

struct Hello {
  uint32_t rank = 0;
  uint32_t size = 0;
};

// The caller's part. RONDO_NOT_FOUND: another program is there. RONDO_IO_ERROR: the connection broke, or the time is
// over. Anything else is for good: another secret, a rank that is there already, a meeting that was called off.
Status introduce(int socket, const Key& key, const Hello& hello, const Deadline& deadline);

// The listener's part: accepts all callers of a listening socket, and hands out those that have proven themselves. A
// caller that sends something else, or nothing, is turned away and costs the others nothing: a connection has a second
// until its first bytes, and if there are too many, of one address or of all, the oldest silent one makes room. Used by
// one thread.
class Acceptor {
 public:
  Acceptor(const File& listener, Key key) : listener_(listener), key_(std::move(key)) {}

  struct Caller {
    File socket;
    Hello hello;
  };
  // The next caller; or, with an empty socket, that one of `watched` can be read, or that the time is over. Who was let
  // out must be answered.
  void next(std::span<const int> watched, const Deadline& deadline, Caller* caller);
  static Status admit(const Caller& caller);
  static void refuse(const Caller& caller, const Status& why);
  // For messages: " (turned away: 2 with another secret, 1 that were no process of Rondo)", or nothing.
  std::string turned_away() const;

 private:
  struct PendingConnection {
    File socket;
    std::string address;
    Deadline first;     // until it says something
    Deadline deadline;  // until it has proven itself
    std::string received;
    bool over() const { return deadline.over() || (received.empty() && first.over()); }
    std::string nonce;  // once the hello was answered
  };
  // Returns whether the connection stays; *proven: and is to be handed out.
  bool hear(PendingConnection& connection, bool* proven, Hello* hello);
  void let_in();
  // Sends the oldest silent connection away, or else the oldest; of that address, or of all where it is null. False:
  // there is none.
  bool make_room(const std::string* address);

  const File& listener_;
  const Key key_;
  std::list<PendingConnection> pending_;  // in the order in which they came
  Deadline short_{0};                     // until then the system has no descriptor for another one
  int strangers_ = 0;
  int other_jobs_ = 0;
  int other_secrets_ = 0;
};

}  // namespace rondo::comm
