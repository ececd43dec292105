// Groups on wires. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/socket_session.h"

#include <algorithm>

#include "base/text.h"
#include "comm/mesh.h"

namespace rondo::comm {

SocketSession::SocketSession(std::shared_ptr<Hold> hold, Wires::Group group)
    : hold_(std::move(hold)), wires_(hold_->wires), group_(std::move(group)) {
  const auto& members = group_.members;
  rank_ = static_cast<int>(std::find(members.begin(), members.end(), wires_->rank()) - members.begin());
}

SocketSession::~SocketSession() {
  wires_->leave(group_);
}

Status SocketSession::all_gather(std::string_view label, std::string_view mine, std::vector<std::string>* all) {
  return wires_->gather(group_, gathered_++, label, mine, all);
}

Status SocketSession::subgroup(const std::vector<int>& members, std::string_view name, std::shared_ptr<Session>* made) {
  Wires::Group group{group_.name + "/" + std::string(name), {}};
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
  if (const Status gone = wires_->gone(0); !gone.ok() && wires_->rank() != 0)
    return gone.with_context(
        "a group can be formed of those left only while the rank that holds the connections is there");
  const uint64_t time = reformed_++;
  std::vector<int> left;
  RONDO_TRY(wires_->reform(group_, time, &left));
  members->clear();
  for (const int each : left)
    members->push_back(
        static_cast<int>(std::find(group_.members.begin(), group_.members.end(), each) - group_.members.begin()));
  return subgroup(*members, "left" + std::to_string(time), made);
}

Status SocketSession::open_exchange(std::unique_ptr<Exchange>* made) {
  return open_mesh(*this, wires_->time_limit_ms(), made);
}

}  // namespace rondo::comm
