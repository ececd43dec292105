// Prepares for the case that rank 0 is lost, and with it the connections of a meeting: every rank listens at a port of
// its own, and all know where. Those that are left meet at the first of them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/rendezvous/handshake.h"
#include "comm/rendezvous/rendezvous_link.h"

namespace rondo::comm {

class Failover {
 public:
  // Every rank calls it, as the first thing on its link.
  static Status make(RendezvousLink& link, std::shared_ptr<const Failover>* made);

  // The number of a group of that name on this link; other links have others.
  uint64_t number(const std::string& group) const;

  struct Met {
    std::vector<int> left;      // of the old ranks, in their order
    std::vector<File> sockets;  // as RendezvousLink::make wants them
  };
  // Those of the members that are left call it with the same name. A rank that has not come at the end of the link's
  // time limit counts as lost. Not of use to rank 0.
  Status meet(RendezvousLink& link, const std::vector<int>& members, const std::string& name, Met* met) const;

 private:
  Status host(const Key& key, int rank, const std::vector<int>& others, const Deadline& deadline, Met* met) const;
  // `to` is one of the group's members, which are in order.
  Status come(const Key& key, int rank, int to, const std::vector<int>& members, const Deadline& deadline,
              Met* met) const;

  File listener_;
  std::string secret_;             // drawn by rank 0
  std::vector<Listening> places_;  // by rank
};

}  // namespace rondo::comm
