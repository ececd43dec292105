// Serves the connections of a process; the gatherings that rank 0 collects are in rendezvous_root.cc.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/rendezvous/rendezvous_link.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <thread>

#include "base/caught.h"
#include "base/threads/thread.h"

namespace rondo::comm {

namespace {

constexpr int kReadsAtOnce = 16;   // of one peer: the others have their turn too, whatever it sends
constexpr int kReadsAtEnd = 1024;  // more than a connection holds
// The limit of bytes that a rank may have kept here for groups that no session has opened, and the overhead of each
// piece.
constexpr size_t kMostKept = size_t{4} << 20;
constexpr size_t kPiece = 256;

Status contradiction(const char* what) {
  return error(RONDO_INTERNAL, "%s contradicts what is known", what);
}

}  // namespace

RendezvousLink::RendezvousLink(int rank, std::vector<File> sockets, const Terms& terms)
    : rank_(rank),
      terms_(terms),
      silence_(terms.silence_s),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      beat_(Clock::now()) {
  for (File& each : sockets) {
    peers_.emplace_back();
    peers_.back().socket = std::move(each);
    peers_.back().heard = Clock::now();
  }
}

std::shared_ptr<RendezvousLink> RendezvousLink::make(int rank, int size, std::vector<File> sockets,
                                                     const Terms& terms) {
  sockets.resize(static_cast<size_t>(size));
  std::shared_ptr<RendezvousLink> made(new RendezvousLink(rank, std::move(sockets), terms));
  start_thread([made] { serve(made); }).detach();
  return made;
}

RendezvousLink::~RendezvousLink() = default;

void RendezvousLink::wake() {
  const uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
}

// --- what sessions ask ---

Status RendezvousLink::gather(const Group& group, uint64_t sequence, std::string_view label, std::string_view mine,
                              std::vector<std::string>* all) {
  if (mine.size() > kMaxText || label.size() > kMaxLabel)
    return error(RONDO_INVALID_ARGUMENT, "a rank gives %zu bytes for '%.40s'; %zu are the most", mine.size(),
                 std::string(label).c_str(), kMaxText);
  Gather gather;
  gather.key = group.name + "#" + std::to_string(sequence);
  gather.label = label;
  gather.text = mine;
  Gathered answer;
  Lock lock(mutex_);
  RONDO_TRY(broken_);
  RONDO_TRY(first_gone(group));
  RONDO_TRY(ask(lock, group, std::move(gather), &answer));
  *all = std::move(answer.texts);
  return {};
}

Status RendezvousLink::reform(const Group& group, uint64_t sequence, std::vector<int>* left) {
  Gather gather;
  gather.key = group.name + "#left" + std::to_string(sequence);
  gather.reform = true;
  Gathered answer;
  Lock lock(mutex_);
  RONDO_TRY(broken_);
  RONDO_TRY(ask(lock, group, std::move(gather), &answer));
  *left = std::move(answer.ranks);
  return {};
}

// Sends this rank's part and waits for the outcome.
Status RendezvousLink::ask(Lock& lock, const Group& group, Gather gather, Gathered* answer) {
  const std::string key = gather.key;
  gather.group = group.name;
  gather.members = group.members;
  gather.limit_ms = terms_.time_limit_ms;
  asked_[key] = {group.members, gather.reform, false, {}};
  struct Asking {
    RendezvousLink& link;
    const std::string& key;
    ~Asking() { link.asked_.erase(key); }
  } const asking{*this, key};
  or_fail([&] {
    if (rank_ == 0)
      on_gather(0, std::move(gather));
    else
      post(0, std::move(gather));
  });
  wake();
  // Rank 0 looks at the time; this is for when it does not.
  const double limit_s = terms_.time_limit_ms < 0 ? 1e9 : static_cast<double>(terms_.time_limit_ms) * 1e-3 + 5;
  const Deadline limit(limit_s);
  Status status;
  for (;;) {
    if (Asked& asked = asked_.at(key); asked.done) {
      status = asked.answer.status;
      *answer = std::move(asked.answer);
      break;
    }
    if (!broken_.ok()) return broken_;
    if (!peers_[0].gone.ok()) {
      status = first_gone(group);
      if (status.ok()) status = peers_[0].gone;
      break;
    }
    if (limit.over()) {
      status = error(RONDO_TIMED_OUT, "rank 0 has not answered within %.1f s", limit_s);
      break;
    }
    answered_.wait_for(lock, std::chrono::milliseconds(limit.milliseconds(1000)));
  }
  return status;
}

void RendezvousLink::tell(const Group& group, std::string_view text) noexcept {
  const std::lock_guard lock(mutex_);
  or_fail([&] {
    Tell tell{group.name, group.members, rank_, std::string(text.substr(0, kMaxText))};
    if (rank_ == 0)
      relay(group.members, rank_, tell);
    else
      post(0, std::move(tell));
  });
  wake();
}

void RendezvousLink::leave(const Group& group) noexcept {
  const std::lock_guard lock(mutex_);
  or_fail([&] {
    Leave leave{group.name, group.members, rank_};
    if (rank_ == 0)
      (void)on_leave(std::move(leave)).ok();  // no other rank contradicts this rank's own
    else
      post(0, std::move(leave));
    if (rank_ != 0) note_left(group.name, group.members, rank_);
  });
  if (const auto known = subscriptions_.find(group.name); known != subscriptions_.end()) {
    forget(known->second);
    subscriptions_.erase(known);
  }
  wake();
}

void RendezvousLink::fail(const Status& cause) noexcept {
  const std::lock_guard lock(mutex_);
  break_off(cause);
  wake();
}

void RendezvousLink::break_off(const Status& cause) noexcept {
  if (!broken_.ok()) return;
  broken_ = cause;
  for (Peer& peer : peers_) {
    if (peer.socket) shutdown(peer.socket.get(), SHUT_RDWR);
    peer.socket = File();
  }
  answered_.notify_all();
}

Status RendezvousLink::gone(int rank) {
  const std::lock_guard lock(mutex_);
  return peers_[static_cast<size_t>(rank)].gone;
}

void RendezvousLink::listen(const Group& group, Session::Listener* listener) {
  const std::lock_guard calling(calling_);
  {
    const std::lock_guard lock(mutex_);
    auto known = subscriptions_.find(group.name);
    if (!listener) {
      if (known != subscriptions_.end()) known->second.listener = nullptr;
      return;
    }
    // Texts told to a group of this name with other members were told to no group that exists.
    if (known != subscriptions_.end()) forget(known->second);
    if (known == subscriptions_.end() || known->second.members != group.members)
      known = subscriptions_.insert_or_assign(group.name, make_subscription(group.members)).first;
    known->second.listener = listener;
    known->second.opened = true;
  }
  tell_broken();
  wake();
}

void RendezvousLink::release() noexcept {
  const std::lock_guard lock(mutex_);
  released_ = true;
  // Rank 0 stays for the others; it says farewell by closing when they are gone.
  if (rank_ != 0)
    or_fail([&] {
      post(0, Bye());
      peers_[0].farewell = true;
      flush(peers_[0]);  // at once: the process may end before the thread comes to it
    });
  wake();
}

// --- the thread ---

void RendezvousLink::serve(const std::shared_ptr<RendezvousLink>& self) {
  pthread_setname_np(pthread_self(), "rondo-meet");
  for (bool goes_on = true; goes_on;) {
    const Status served = caught([&]() -> Status {
      goes_on = self->serve_once();
      return {};
    });
    if (!served.ok()) self->fail(served);
  }
}

bool RendezvousLink::serve_once() {
  std::vector<pollfd> entries;
  std::vector<int> ranks;
  const auto pause = std::chrono::duration_cast<std::chrono::milliseconds>(silence_ / 8);
  {
    Lock lock(mutex_);
    if (!broken_.ok()) {
      lock.unlock();
      const std::lock_guard calling(calling_);
      tell_broken();
      return false;
    }
    if (idle()) return false;
    entries.push_back({wake_.get(), POLLIN, 0});
    for (size_t i = 0; i < peers_.size(); ++i)
      if (peers_[i].socket) {
        const bool writes = !peers_[i].out.empty();
        entries.push_back({peers_[i].socket.get(), static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN), 0});
        ranks.push_back(static_cast<int>(i));
      }
  }
  poll(entries.data(), entries.size(), static_cast<int>(std::clamp<int64_t>(pause.count(), 5, 1000)));
  {
    const std::lock_guard lock(mutex_);
    uint64_t count = 0;
    (void)!::read(wake_.get(), &count, sizeof count);
    const Clock::time_point now = Clock::now();
    if (now - beat_ >= silence_ / 4) {
      beat_ = now;
      for (const int each : ranks) post(each, Alive());
    }
    for (size_t i = 0; i < ranks.size(); ++i) {
      const int rank = ranks[i];
      Peer& peer = peers_[static_cast<size_t>(rank)];
      if (peer.socket && entries[i + 1].revents != 0) read(rank, kReadsAtOnce);
      if (peer.socket && !flush(peer)) {
        // It may have left before this came to it: what it said until then counts, its farewell above all.
        read(rank, kReadsAtEnd);
        if (peer.socket) close(rank, error(RONDO_RANK_LOST, "rank %d is lost: its connection broke", rank));
      }
      if (peer.socket && now - peer.heard > silence_)
        close(rank, error(RONDO_RANK_LOST, "rank %d is lost: nothing was heard of it for %.1f s", rank,
                          std::chrono::duration<double>(now - peer.heard).count()));
    }
    if (rank_ == 0) finish_all();
  }
  deliver();
  return true;
}

bool RendezvousLink::idle() const {
  if (!released_) return false;
  return std::none_of(peers_.begin(), peers_.end(),
                      [](const Peer& peer) { return peer.socket && !(peer.farewell && peer.out.empty()); });
}

void RendezvousLink::post(int to, const std::string& bytes) {
  Peer& peer = peers_[static_cast<size_t>(to)];
  if (peer.socket) peer.out += bytes;
}

// For messages that the others must get even if this process ends with its next step. The thread finds out whether it
// could be sent.
void RendezvousLink::post_now(int to, const std::string& bytes) {
  post(to, bytes);
  flush(peers_[static_cast<size_t>(to)]);
}

bool RendezvousLink::flush(Peer& peer) {
  while (peer.socket && !peer.out.empty()) {
    const ssize_t put = send(peer.socket.get(), peer.out.data(), peer.out.size(), MSG_NOSIGNAL);
    if (put > 0) {
      peer.out.erase(0, static_cast<size_t>(put));
    } else if (errno == EAGAIN) {
      return true;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

void RendezvousLink::read(int from, int turns) {
  Peer& peer = peers_[static_cast<size_t>(from)];
  const Ends ends = {from, rank_, size()};
  char buffer[65536];
  for (int turn = 0; turn < turns; ++turn) {
    const ssize_t got = recv(peer.socket.get(), buffer, sizeof buffer, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) break;
    if (got <= 0)
      return close(from,
                   error(RONDO_RANK_LOST, "rank %d is lost: its process has ended or closed the connection", from));
    peer.heard = Clock::now();
    peer.in.append(buffer, static_cast<size_t>(got));
    size_t at = 0;
    FrameHead head;
    while (peer.in.size() - at >= sizeof head) {
      std::memcpy(&head, peer.in.data() + at, sizeof head);
      Status sound = check_head(head);
      if (sound.ok() && peer.in.size() - at - sizeof head < head.bytes) break;
      Frame frame;
      if (sound.ok())
        sound = decode(ends, head.verb, std::string_view(peer.in).substr(at + sizeof head, head.bytes), &frame);
      at += sizeof head + head.bytes;
      if (sound.ok()) sound = hear(from, std::move(frame));
      if (!sound.ok()) close(from, error(RONDO_RANK_LOST, "rank %d is lost: %s", from, sound.message()));
      if (!peer.socket) return;
    }
    peer.in.erase(0, at);
  }
}

void RendezvousLink::close(int rank, const Status& cause) {
  Peer& peer = peers_[static_cast<size_t>(rank)];
  if (peer.socket) shutdown(peer.socket.get(), SHUT_RDWR);
  peer.socket = File();
  peer.in.clear();
  peer.out.clear();
  if (!peer.gone.ok()) return;
  peer.gone = cause;
  departures_.push_back({{}, rank, cause});
  for (auto& [group, subscription] : subscriptions_)
    if (contains(subscription.members, rank) && left_.count({group, rank}) == 0)
      subscription.waiting.push_back({rank, What::lost, {}, cause});
  // The others learn that rank 0 is lost by its answers, or by the end of their connection.
  if (rank_ == 0 && rank != 0) {
    const std::string lost = encode(Lost{rank, cause.message()});
    for (size_t i = 1; i < peers_.size(); ++i) post_now(static_cast<int>(i), lost);
  }
  answered_.notify_all();
}

Status RendezvousLink::hear(int from, Frame frame) {
  if (auto* gather = std::get_if<Gather>(&frame)) on_gather(from, std::move(*gather));
  if (auto* gathered = std::get_if<Gathered>(&frame)) return on_gathered(std::move(*gathered));
  if (auto* tell = std::get_if<Tell>(&frame)) return on_tell(std::move(*tell));
  if (auto* leave = std::get_if<Leave>(&frame)) return on_leave(std::move(*leave));
  if (const auto* lost = std::get_if<Lost>(&frame)) close(lost->who, Status(RONDO_RANK_LOST, lost->cause));
  if (std::holds_alternative<Bye>(frame)) close(from, error(RONDO_RANK_LOST, "rank %d has left", from));
  return {};
}

Status RendezvousLink::on_gathered(Gathered part) {
  const auto found = asked_.find(part.key);
  if (found == asked_.end()) return {};  // its time limit was over
  Asked& asked = found->second;
  if (asked.done) return contradiction("a second answer");
  if (part.status.ok()) {
    const bool follows =
        part.first == asked.answer.texts.size() && (part.first == 0 || part.ranks == asked.answer.ranks);
    const bool fits = asked.reform ? std::all_of(part.ranks.begin(), part.ranks.end(),
                                                 [&](int each) { return contains(asked.members, each); })
                                   : part.ranks == asked.members && !part.texts.empty();
    if (!follows || !fits || (asked.reform && !part.texts.empty())) return contradiction("an answer");
    std::vector<std::string> texts = std::move(asked.answer.texts);
    texts.insert(texts.end(), std::make_move_iterator(part.texts.begin()), std::make_move_iterator(part.texts.end()));
    part.texts = std::move(texts);
  }
  asked.answer = std::move(part);
  asked.done = !asked.answer.status.ok() || asked.reform || asked.answer.texts.size() == asked.answer.ranks.size();
  if (asked.done) answered_.notify_all();
  return {};
}

void RendezvousLink::relay(const std::vector<int>& members, int who, const Frame& frame) {
  if (rank_ != 0) return;
  const std::string bytes = encode(frame);
  for (const int each : members)
    if (each != 0 && each != who) post_now(each, bytes);
}

Status RendezvousLink::on_tell(Tell tell) {
  RONDO_TRY(check_members(tell.group, tell.members));
  relay(tell.members, tell.who, tell);
  note(tell.group, tell.members, {tell.who, What::received, std::move(tell.text), {}, 0});
  return {};
}

Status RendezvousLink::on_leave(Leave leave) {
  RONDO_TRY(check_members(leave.group, leave.members));
  relay(leave.members, leave.who, leave);
  if (left_.count({leave.group, leave.who}) > 0) return {};
  departures_.push_back({leave.group, leave.who, error(RONDO_RANK_LOST, "rank %d has left the group", leave.who)});
  note(leave.group, leave.members, {leave.who, What::left, {}, {}, 0});
  note_left(leave.group, leave.members, leave.who);
  return {};
}

void RendezvousLink::note_left(const std::string& group, const std::vector<int>& members, int who) {
  const auto cost = [&](int rank) { return rank == rank_ ? 0 : group.size() + kPiece; };
  if (!left_.insert({group, who}).second || !keep(who, cost(who), group)) return;
  for (const int each : members)
    if (gone_from(group, each).ok()) return;
  std::erase_if(departures_, [&](const Departure& each) { return each.group == group; });
  for (const int each : members)
    if (left_.erase({group, each}) > 0) drop(each, cost(each));
}

// --- who is gone ---

Status RendezvousLink::gone_from(const std::string& group, int rank) const {
  if (!peers_[static_cast<size_t>(rank)].gone.ok()) return peers_[static_cast<size_t>(rank)].gone;
  if (left_.count({group, rank}) > 0) return error(RONDO_RANK_LOST, "rank %d has left the group", rank);
  return {};
}

Status RendezvousLink::first_gone(const Group& group) const {
  for (const Departure& each : departures_)
    if ((each.group.empty() || each.group == group.name) && contains(group.members, each.rank)) return each.cause;
  return {};
}

// --- who listens ---

RendezvousLink::Subscription RendezvousLink::make_subscription(const std::vector<int>& members) const {
  Subscription made;
  made.members = members;
  // Who was lost before.
  for (const int each : members)
    if (const Status& gone = peers_[static_cast<size_t>(each)].gone; !gone.ok() && each != rank_)
      made.waiting.push_back({each, What::lost, {}, gone});
  return made;
}

// Rank 0 knows who has said it; to the others it passes on what it cannot check, which is no fault of its own.
Status RendezvousLink::check_members(const std::string& group, const std::vector<int>& members) const {
  const auto known = subscriptions_.find(group);
  if (rank_ != 0 || known == subscriptions_.end() || known->second.members == members) return {};
  return contradiction("who the members of a group are");
}

// Notes the event for the listener of the group, or for one that comes later.
void RendezvousLink::note(const std::string& group, const std::vector<int>& members, Event event) {
  if (event.rank == rank_ || !contains(members, rank_) || left_.count({group, rank_}) > 0) return;
  if (const auto known = subscriptions_.find(group); known == subscriptions_.end() || !known->second.opened) {
    if (!peers_[static_cast<size_t>(event.rank)].gone.ok()) return;
    event.kept = kPiece + event.text.size();
    if (known == subscriptions_.end()) event.kept += kPiece + group.size() + members.size() * sizeof(int);
    if (!keep(event.rank, event.kept, group)) return;
  }
  const auto [found, made] = subscriptions_.try_emplace(group);
  if (made) found->second = make_subscription(members);
  if (found->second.members == members)
    found->second.waiting.push_back(std::move(event));
  else
    drop(event.rank, event.kept);
}

bool RendezvousLink::keep(int rank, size_t bytes, const std::string& group) {
  size_t& kept = peers_[static_cast<size_t>(rank)].kept;
  kept += bytes;
  if (rank == rank_ || kept <= kMostKept) return true;
  close(rank,
        error(RONDO_RANK_LOST,
              "rank %d is lost: what it has sent to groups that no other rank has opened, '%.60s' the last, is more "
              "than the %zu MiB that are kept of it",
              rank, group.c_str(), kMostKept >> 20));
  return false;
}

void RendezvousLink::drop(int rank, size_t bytes) {
  size_t& kept = peers_[static_cast<size_t>(rank)].kept;
  kept -= std::min(kept, bytes);
}

void RendezvousLink::forget(Subscription& subscription) {
  for (Event& each : subscription.waiting) drop(each.rank, std::exchange(each.kept, 0));
}

// Those that listen and have not heard it. While calling_ is held.
void RendezvousLink::tell_broken() noexcept {
  for (;;) {
    Session::Listener* listener = nullptr;
    int own = 0;
    Status cause;
    {
      const std::lock_guard lock(mutex_);
      if (broken_.ok()) return;
      for (auto& [group, subscription] : subscriptions_) {
        if (!subscription.listener || subscription.heard_broken) continue;
        subscription.heard_broken = true;
        listener = subscription.listener;
        const auto& members = subscription.members;
        own = static_cast<int>(std::find(members.begin(), members.end(), rank_) - members.begin());
        break;
      }
      cause = broken_;
    }
    if (!listener) return;
    listener->lost(own, cause);
  }
}

void RendezvousLink::deliver() {
  const std::lock_guard calling(calling_);
  for (;;) {
    Session::Listener* listener = nullptr;
    Event event;
    std::vector<int> members;
    {
      const std::lock_guard lock(mutex_);
      for (auto& [group, subscription] : subscriptions_) {
        if (!subscription.listener || subscription.waiting.empty()) continue;
        listener = subscription.listener;
        event = std::move(subscription.waiting.front());
        members = subscription.members;
        subscription.waiting.pop_front();
        break;
      }
    }
    if (!listener) return;
    const auto at = std::find(members.begin(), members.end(), event.rank) - members.begin();
    const int rank = static_cast<int>(at);
    switch (event.what) {
      case What::received: listener->received(rank, std::move(event.text)); break;
      case What::left: listener->left(rank); break;
      case What::lost: listener->lost(rank, event.cause); break;
    }
  }
}

}  // namespace rondo::comm
