// Makes sessions of groups on one process's link to the rendezvous, and forwards their calls to it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/rendezvous/socket_session.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "comm/rendezvous/mesh.h"

namespace rondo::comm {

SocketSession::SocketSession(std::shared_ptr<Hold> hold, RendezvousLink::Group group)
    : hold_(std::move(hold)), link_(hold_->link), group_(std::move(group)) {
  const auto& members = group_.members;
  rank_ = static_cast<int>(std::find(members.begin(), members.end(), link_->rank()) - members.begin());
}

SocketSession::~SocketSession() {
  link_->leave(group_);
}

Status SocketSession::all_gather(std::string_view label, std::string_view mine, std::vector<std::string>* all) {
  return link_->gather(group_, gathered_++, label, mine, all);
}

Status SocketSession::subgroup(const std::vector<int>& members, std::string_view name, std::shared_ptr<Session>* made) {
  RendezvousLink::Group group{group_.name + "/" + std::string(name), {}};
  if (group.name.size() > kMaxName)
    return error(RONDO_INVALID_ARGUMENT, "a group of a group, %zu bytes deep; %zu are the most", group.name.size(),
                 kMaxName);
  for (const int each : members) {
    if (each < 0 || each >= size())
      return error(RONDO_INVALID_ARGUMENT, "a group of %d ranks has no rank %d", size(), each);
    group.members.push_back(group_.members[static_cast<size_t>(each)]);
  }
  if (std::find(members.begin(), members.end(), rank_) == members.end())
    return error(RONDO_INVALID_ARGUMENT, "rank %d is no member of the group it would make", rank_);
  *made = std::shared_ptr<Session>(new SocketSession(hold_, std::move(group)));
  return {};
}

Status SocketSession::reform(std::vector<int>* members, std::shared_ptr<Session>* made) {
  const uint64_t time = reformed_++;
  std::vector<int> left;
  const Status formed = link_->gone(0).ok() ? link_->reform(group_, time, &left) : link_->gone(0);
  if (!formed.ok() && link_->rank() != 0 && !link_->gone(0).ok()) return reform_elsewhere(members, made);
  RONDO_TRY(formed);
  members->clear();
  for (const int each : left)
    members->push_back(
        static_cast<int>(std::find(group_.members.begin(), group_.members.end(), each) - group_.members.begin()));
  return subgroup(*members, "left" + std::to_string(time), made);
}

Status SocketSession::reform_elsewhere(std::vector<int>* members, std::shared_ptr<Session>* made) {
  Failover::Met met;
  RONDO_TRY(hold_->failover->meet(*link_, group_.members, group_.name, &met).with_context("without rank 0"));
  members->clear();
  for (const int each : met.left)
    members->push_back(
        static_cast<int>(std::find(group_.members.begin(), group_.members.end(), each) - group_.members.begin()));
  const auto own = std::find(met.left.begin(), met.left.end(), link_->rank()) - met.left.begin();
  return session_of_all(RendezvousLink::make(static_cast<int>(own), static_cast<int>(met.left.size()),
                                             std::move(met.sockets), link_->terms()),
                        made);
}

Status session_of_all(std::shared_ptr<RendezvousLink> given, std::shared_ptr<Session>* made) {
  struct Unheld {
    std::shared_ptr<RendezvousLink> link;
    ~Unheld() {
      if (link) link->release();
    }
  } unheld{std::move(given)};
  const std::shared_ptr<RendezvousLink>& link = unheld.link;
  RendezvousLink::Group all{"all", std::vector<int>(static_cast<size_t>(link->size()))};
  std::iota(all.members.begin(), all.members.end(), 0);
  std::shared_ptr<const Failover> failover;
  RONDO_TRY(Failover::make(*link, &failover));
  *made = std::make_shared<SocketSession>(link, std::move(failover), std::move(all));
  unheld.link = nullptr;
  return {};
}

Status SocketSession::open_exchange(const std::function<Status()>& lost, std::unique_ptr<Exchange>* made) {
  return open_mesh(*this, link_->terms().time_limit_ms, link_->terms().one_host, lost, made);
}

}  // namespace rondo::comm
