// A session between processes: a group of ranks on one process's wires.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "comm/meeting.h"
#include "comm/session.h"
#include "comm/successors.h"
#include "comm/wires.h"

namespace rondo::comm {

// Meets the other ranks; blocks until all have come. time_limit_ms: of what the session does later; -1: none.
Status join(const Meeting& meeting, int64_t time_limit_ms, std::shared_ptr<Session>* made);
// The session of all ranks of these wires; every rank makes it.
Status session_of_all(std::shared_ptr<Wires> wires, std::shared_ptr<Session>* made);

class SocketSession final : public Session {
 public:
  SocketSession(std::shared_ptr<Wires> wires, std::shared_ptr<const Successors> successors, Wires::Group group)
      : SocketSession(std::make_shared<Hold>(std::move(wires), std::move(successors)), std::move(group)) {}
  ~SocketSession() override;

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(group_.members.size()); }
  Status all_gather(std::string_view label, std::string_view mine, std::vector<std::string>* all) override;
  Status subgroup(const std::vector<int>& members, std::string_view name, std::shared_ptr<Session>* made) override;
  void tell(std::string_view text) override { wires_->tell(group_, text); }
  void listen(Listener* listener) override { wires_->listen(group_, listener); }
  Status reform(std::vector<int>* members, std::shared_ptr<Session>* made) override;
  Status open_exchange(std::unique_ptr<Exchange>* made) override;

 private:
  // The wires end with the last session on them.
  struct Hold {
    Hold(std::shared_ptr<Wires> wires, std::shared_ptr<const Successors> successors)
        : wires(std::move(wires)), successors(std::move(successors)) {}
    ~Hold() { wires->release(); }
    const std::shared_ptr<Wires> wires;
    const std::shared_ptr<const Successors> successors;
  };
  SocketSession(std::shared_ptr<Hold> hold, Wires::Group group);
  // Without rank 0 and what it held.
  Status reform_elsewhere(std::vector<int>* members, std::shared_ptr<Session>* made);

  const std::shared_ptr<Hold> hold_;
  const std::shared_ptr<Wires> wires_;
  const Wires::Group group_;
  int rank_ = 0;
  std::atomic<uint64_t> gathered_{0};
  std::atomic<uint64_t> reformed_{0};
};

}  // namespace rondo::comm
