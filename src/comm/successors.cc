// Meeting again. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/successors.h"

#include <poll.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <thread>

#include "base/text.h"

namespace rondo::comm {

namespace {

constexpr double kPatience = 10;  // with a step that takes no time
constexpr uint32_t kMostRanks = 1 << 20;

bool broken(const File& socket) {
  // Nobody says anything before the answer: what can be read is the end.
  pollfd entry = {socket.get(), POLLIN, 0};
  return poll(&entry, 1, 0) > 0;
}

}  // namespace

Status Successors::make(Wires& wires, std::shared_ptr<const Successors>* made) {
  auto own = std::make_shared<Successors>();
  std::string place;
  // Where no port can be had the others go on to the next.
  if (listen_at("", 0, &own->listener_).ok()) {
    place = std::to_string(port_of(own->listener_));
    for (const std::string& each : own_addresses()) place += " " + each;
  }
  Wires::Group all{"successors", std::vector<int>(static_cast<size_t>(wires.size()))};
  std::iota(all.members.begin(), all.members.end(), 0);
  const std::string drawn = wires.rank() == 0 ? hex(random_bytes(32)) : std::string();
  std::vector<std::string> texts;
  RONDO_TRY(wires.gather(all, 0, "where to meet without rank 0", Writer().text(drawn).text(place).take(), &texts));
  for (size_t rank = 0; rank < texts.size(); ++rank) {
    Reader reader(texts[rank]);
    const std::string secret = reader.text();
    if (rank == 0) own->secret_ = secret;
    own->places_.push_back(reader.text());
  }
  *made = std::move(own);
  return {};
}

Status Successors::meet(Wires& wires, const std::vector<int>& members, const std::string& name, Met* met) const {
  std::vector<int> left;
  for (const int each : members)
    if (each == wires.rank() || wires.gone(each).ok()) left.push_back(each);
  std::sort(left.begin(), left.end());
  const double limit = wires.time_limit_ms() < 0 ? 1e9 : static_cast<double>(wires.time_limit_ms()) * 1e-3;
  const Key key = {"those left of " + name, secret_};
  Status status;
  for (size_t i = 0; i < left.size(); ++i) {
    const Deadline deadline(limit);
    if (left[i] == wires.rank())
      return host(key, wires.rank(), std::vector<int>(left.begin() + static_cast<std::ptrdiff_t>(i) + 1, left.end()),
                  deadline, met);
    status = come(key, wires.rank(), left[i], deadline, met);
    if (status.ok()) return {};
  }
  return status;
}

Status Successors::host(const Key& key, int rank, const std::vector<int>& others, const Deadline& deadline,
                        Met* met) const {
  if (!listener_ && !others.empty())
    return error(RONDO_RANK_LOST, "rank %d has no port at which those that are left could meet", rank);
  Door door(listener_, key);
  std::vector<Door::Caller> callers;
  while (callers.size() < others.size() && !deadline.over()) {
    std::vector<int> watched;
    for (const Door::Caller& each : callers) watched.push_back(each.socket.get());
    Door::Caller caller;
    door.next(watched, deadline, &caller);
    std::erase_if(callers, [](const Door::Caller& each) { return broken(each.socket); });
    if (!caller.socket) continue;
    const int who = static_cast<int>(caller.hello.rank);
    const bool here = std::any_of(callers.begin(), callers.end(),
                                  [&](const Door::Caller& each) { return each.hello.rank == caller.hello.rank; });
    if (here || std::find(others.begin(), others.end(), who) == others.end())
      Door::refuse(caller, error(RONDO_RANK_LOST, "rank %d counts as lost", who));
    else
      callers.push_back(std::move(caller));
  }
  std::sort(callers.begin(), callers.end(),
            [](const Door::Caller& a, const Door::Caller& b) { return a.hello.rank < b.hello.rank; });
  *met = Met();
  met->left.push_back(rank);
  met->sockets.emplace_back();
  for (const Door::Caller& each : callers) met->left.push_back(static_cast<int>(each.hello.rank));
  const std::string text = Writer().numbers(met->left).take();
  for (Door::Caller& each : callers) {
    RONDO_TRY(Door::admit(each));
    RONDO_TRY(send_all(each.socket.get(), text.data(), text.size(), Deadline(kPatience)));
    met->sockets.push_back(std::move(each.socket));
  }
  return {};
}

Status Successors::come(const Key& key, int rank, int to, const Deadline& deadline, Met* met) const {
  std::string_view place = places_[static_cast<size_t>(to)], each;
  const int port = take_word(&place, &each) ? std::atoi(std::string(each).c_str()) : 0;
  std::vector<std::string> hosts;
  while (take_word(&place, &each)) hosts.emplace_back(each);
  Status status = error(RONDO_RANK_LOST, "rank %d has no port at which those that are left could meet", to);
  while (!hosts.empty()) {
    File socket;
    for (const std::string& host : hosts) {
      status = connect_to(host, port, deadline.within(kPatience), &socket);
      if (status.ok()) break;
    }
    // Nobody listens there any more.
    if (!status.ok()) break;
    status = introduce(socket.get(), key, {static_cast<uint32_t>(rank), 0}, deadline);
    if (status.ok()) {
      uint64_t count = 0;
      RONDO_TRY(receive_all(socket.get(), &count, sizeof count, Deadline(kPatience)));
      if (count > kMostRanks)
        return error(RONDO_INTERNAL, "rank %d says that %llu ranks are left", to,
                     static_cast<unsigned long long>(count));
      std::vector<uint64_t> left(count);
      RONDO_TRY(receive_all(socket.get(), left.data(), left.size() * sizeof count, Deadline(kPatience)));
      *met = Met();
      for (const uint64_t each : left) met->left.push_back(static_cast<int>(each));
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
