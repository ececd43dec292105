// Makes a session between processes: a group of ranks on one process's link.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "comm/rendezvous/failover.h"
#include "comm/rendezvous/meeting.h"
#include "comm/rendezvous/rendezvous_link.h"
#include "comm/rendezvous/session.h"

namespace rondo::comm {

// Meets the other ranks; blocks until all have come. time_limit_ms: of what the session does later; -1: none.
Status join(const Meeting& meeting, int64_t time_limit_ms, std::shared_ptr<Session>* made);
// The session of all ranks of a link; every rank makes it.
Status session_of_all(std::shared_ptr<RendezvousLink> link, std::shared_ptr<Session>* made);

class SocketSession final : public Session {
 public:
  SocketSession(std::shared_ptr<RendezvousLink> link, std::shared_ptr<const Failover> failover,
                RendezvousLink::Group group)
      : SocketSession(std::make_shared<Hold>(std::move(link), std::move(failover)), std::move(group)) {}
  ~SocketSession() override;

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(group_.members.size()); }
  uint64_t number() const override { return hold_->failover->number(group_.name); }
  Status all_gather(std::string_view label, std::string_view mine, std::vector<std::string>* all) override;
  Status subgroup(const std::vector<int>& members, std::string_view name, std::shared_ptr<Session>* made) override;
  void tell(std::string_view text) override { link_->tell(group_, text); }
  void listen(Listener* listener) override { link_->listen(group_, listener); }
  void give_up(const Status& cause) noexcept override { link_->fail(cause); }
  Status reform(std::vector<int>* members, std::shared_ptr<Session>* made) override;
  Status open_exchange(const std::function<Status()>& lost, std::unique_ptr<Exchange>* made) override;

 private:
  // The link ends with the last session on it.
  struct Hold {
    Hold(std::shared_ptr<RendezvousLink> link, std::shared_ptr<const Failover> failover)
        : link(std::move(link)), failover(std::move(failover)) {}
    ~Hold() { link->release(); }
    const std::shared_ptr<RendezvousLink> link;
    const std::shared_ptr<const Failover> failover;
  };
  SocketSession(std::shared_ptr<Hold> hold, RendezvousLink::Group group);
  // Without rank 0 and what it held.
  Status reform_elsewhere(std::vector<int>* members, std::shared_ptr<Session>* made);

  const std::shared_ptr<Hold> hold_;
  const std::shared_ptr<RendezvousLink> link_;
  const RendezvousLink::Group group_;
  int rank_ = 0;
  std::atomic<uint64_t> gathered_{0};
  std::atomic<uint64_t> reformed_{0};
};

}  // namespace rondo::comm
