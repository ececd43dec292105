// Lets the ranks that are left meet again at a new host when rank 0 is lost.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/rendezvous/failover.h"

#include <poll.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>

#include "base/machine/sha256.h"
#include "comm/rendezvous/frame.h"

namespace rondo::comm {

namespace {

constexpr double kStepTimeout = 10;  // with a step that takes no time

bool broken(const File& socket) {
  // No data is sent before the answer: if the socket is readable, the connection has ended.
  pollfd entry = {socket.get(), POLLIN, 0};
  return poll(&entry, 1, 0) > 0;
}

// Whom `to` has met: members in their order, itself first, and this rank among them.
Status receive_met(int socket, int to, int rank, const std::vector<int>& members, std::vector<int>* met) {
  const auto wrong = [to] { return error(RONDO_INTERNAL, "rank %d does not say whom it has met as Rondo does", to); };
  uint64_t count = 0;
  RONDO_TRY(receive_all(socket, &count, sizeof count, Deadline(kStepTimeout)));
  if (count > members.size()) return wrong();
  std::string text(sizeof count * (count + 1), '\0');
  std::memcpy(text.data(), &count, sizeof count);
  RONDO_TRY(receive_all(socket, text.data() + sizeof count, text.size() - sizeof count, Deadline(kStepTimeout)));
  Reader in(text);
  *met = in.ranks(members.back() + 1);
  const bool sound = in.done() && !met->empty() && met->front() == to && std::is_sorted(met->begin(), met->end()) &&
                     std::includes(members.begin(), members.end(), met->begin(), met->end()) &&
                     std::binary_search(met->begin(), met->end(), rank);
  return sound ? Status() : wrong();
}

}  // namespace

Status Failover::make(RendezvousLink& link, std::shared_ptr<const Failover>* made) {
  auto own = std::make_shared<Failover>();
  Listening place;
  // If a rank can open no port, the others go on to the next rank.
  if (listen_for_ranks(link.terms().one_host, &own->listener_, &place.addresses).ok())
    place.port = port_of(own->listener_);
  if (link.rank() == 0) place.secret = hex(random_bytes(32));
  RendezvousLink::Group all{"failover", std::vector<int>(static_cast<size_t>(link.size()))};
  std::iota(all.members.begin(), all.members.end(), 0);
  std::vector<std::string> texts;
  RONDO_TRY(link.gather(all, 0, "where to meet without rank 0", encode(place), &texts));
  own->places_.resize(texts.size());
  for (size_t rank = 0; rank < texts.size(); ++rank) RONDO_TRY(decode(rank, texts[rank], &own->places_[rank]));
  own->secret_ = own->places_[0].secret;
  *made = std::move(own);
  return {};
}

uint64_t Failover::number(const std::string& group) const {
  const Digest digest = sha256("rondo group " + secret_ + " " + group);
  uint64_t number = 0;
  std::memcpy(&number, digest.data(), sizeof number);
  return number | 1;
}

Status Failover::meet(RendezvousLink& link, const std::vector<int>& members, const std::string& name, Met* met) const {
  std::vector<int> sorted = members, left;
  std::sort(sorted.begin(), sorted.end());
  for (const int each : sorted)
    if (each == link.rank() || link.gone(each).ok()) left.push_back(each);
  const int64_t limit_ms = link.terms().time_limit_ms;
  const double limit = limit_ms < 0 ? 1e9 : static_cast<double>(limit_ms) * 1e-3;
  const Key key = {"those left of " + name, secret_};
  Status status;
  for (size_t i = 0; i < left.size(); ++i) {
    const Deadline deadline(limit);
    if (left[i] == link.rank())
      return host(key, link.rank(), std::vector<int>(left.begin() + static_cast<std::ptrdiff_t>(i) + 1, left.end()),
                  deadline, met);
    status = come(key, link.rank(), left[i], sorted, deadline, met);
    if (status.ok()) return {};
  }
  return status;
}

Status Failover::host(const Key& key, int rank, const std::vector<int>& others, const Deadline& deadline,
                      Met* met) const {
  if (!listener_ && !others.empty())
    return error(RONDO_RANK_LOST, "rank %d has no port at which those that are left could meet", rank);
  Acceptor acceptor(listener_, key);
  std::vector<Acceptor::Caller> callers;
  while (callers.size() < others.size() && !deadline.over()) {
    std::vector<int> watched;
    for (const Acceptor::Caller& each : callers) watched.push_back(each.socket.get());
    Acceptor::Caller caller;
    acceptor.next(watched, deadline, &caller);
    std::erase_if(callers, [](const Acceptor::Caller& each) { return broken(each.socket); });
    if (!caller.socket) continue;
    const int who = static_cast<int>(caller.hello.rank);
    const bool here = std::any_of(callers.begin(), callers.end(),
                                  [&](const Acceptor::Caller& each) { return each.hello.rank == caller.hello.rank; });
    if (here || std::find(others.begin(), others.end(), who) == others.end())
      Acceptor::refuse(caller, error(RONDO_RANK_LOST, "rank %d counts as lost", who));
    else
      callers.push_back(std::move(caller));
  }
  std::sort(callers.begin(), callers.end(),
            [](const Acceptor::Caller& a, const Acceptor::Caller& b) { return a.hello.rank < b.hello.rank; });
  *met = Met();
  met->left.push_back(rank);
  met->sockets.emplace_back();
  for (const Acceptor::Caller& each : callers) met->left.push_back(static_cast<int>(each.hello.rank));
  const std::string text = Writer().ranks(met->left).take();
  for (Acceptor::Caller& each : callers) {
    RONDO_TRY(Acceptor::admit(each));
    RONDO_TRY(send_all(each.socket.get(), text.data(), text.size(), Deadline(kStepTimeout)));
    met->sockets.push_back(std::move(each.socket));
  }
  return {};
}

Status Failover::come(const Key& key, int rank, int to, const std::vector<int>& members, const Deadline& deadline,
                      Met* met) const {
  const Listening& place = places_[static_cast<size_t>(to)];
  Status status = error(RONDO_RANK_LOST, "rank %d has no port at which those that are left could meet", to);
  while (place.port != 0) {
    File socket;
    for (const std::string& host : place.addresses) {
      status = connect_to(host, place.port, deadline.within(kStepTimeout), &socket);
      if (status.ok()) break;
    }
    // The host that listened there is gone.
    if (!status.ok()) break;
    status = introduce(socket.get(), key, {static_cast<uint32_t>(rank), 0}, deadline);
    if (status.ok()) {
      *met = Met();
      RONDO_TRY(receive_met(socket.get(), to, rank, members, &met->left));
      met->sockets.push_back(std::move(socket));
      return {};
    }
    // It may not have come to it yet.
    if (deadline.over() || (status.code() != RONDO_NOT_FOUND && status.code() != RONDO_IO_ERROR)) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(std::min(20, deadline.milliseconds())));
  }
  return status;
}

}  // namespace rondo::comm
