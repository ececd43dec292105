// Declares one rank's end of a group whose ranks know each other: they exchange small texts, and hear when one is lost.
// A communicator is made over it, checks its order by it, and learns of deaths from it. Data of tensors do not go here.
//
// Made by groups in one process, by sockets, by a user's functions (hooks). All members are thread-safe.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "comm/rendezvous/exchange.h"

namespace rondo::comm {

class Session {
 public:
  virtual ~Session() = default;  // leaves: the others hear that this rank has left
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // The same for those ends of the group that are in this process, and for no other group's; 0: not known.
  virtual uint64_t number() const { return 0; }

  // Gathers the text of every rank, by rank. Blocks until all have come, at most the session's time limit:
  // RONDO_TIMED_OUT names who has not, RONDO_RANK_LOST who is gone. `label` says what for: where ranks' labels differ,
  // the error names both.
  virtual Status all_gather(std::string_view label, std::string_view mine, std::vector<std::string>* all) = 0;
  // A session of some of the ranks, in the order given (ranks of this one); each of them calls it with the same list
  // and name. The other ranks need not. It lives on the same connections.
  virtual Status subgroup(const std::vector<int>& members, std::string_view name, std::shared_ptr<Session>* made) = 0;

  // To every other rank, in order, without waiting for them; lost ranks are left out.
  virtual void tell(std::string_view text) = 0;  // who has no memory for it gives up
  struct Listener {
    virtual ~Listener() = default;
    // On a thread of the session's; must not call it but for tell().
    virtual void received(int rank, std::string text) = 0;
    // It gave up its end in order: what is in flight is not touched by that.
    virtual void left(int rank) noexcept = 0;
    // Once for each; also for those lost before listen(). This rank itself: it cannot go on.
    virtual void lost(int rank, const Status& cause) noexcept = 0;
  };
  // One at a time; null takes it away and returns when it is not being called any more.
  virtual void listen(Listener* listener) = 0;

  // This rank cannot go on here: the others count it as lost, and its own listener hears the cause. For good.
  virtual void give_up(const Status& cause) noexcept = 0;

  // A session of the ranks that are left, in their order; all of them call it. A rank that does not within the time
  // limit counts as lost. *members: their ranks in this session.
  virtual Status reform(std::vector<int>* members, std::shared_ptr<Session>* made) = 0;

  // Opens the way for data between the hosts of all ranks, which all of them do. This implementation is for ranks of
  // one process. `lost`, asked now and then, also by the exchange's run(): why one of them will not come, or has gone.
  virtual Status open_exchange(const std::function<Status()>& lost, std::unique_ptr<Exchange>* made);
};

}  // namespace rondo::comm
