// Serving the connections; what rank 0 collects is in wires_root.cc. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "comm/wires.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <thread>

namespace rondo::comm {

Wires::Wires(int rank, std::vector<File> sockets, double silence_s, int64_t time_limit_ms)
    : rank_(rank),
      silence_(silence_s),
      time_limit_ms_(time_limit_ms),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      beat_(Clock::now()) {
  for (File& each : sockets) {
    peers_.emplace_back();
    peers_.back().socket = std::move(each);
    peers_.back().heard = Clock::now();
  }
}

std::shared_ptr<Wires> Wires::make(int rank, int size, std::vector<File> sockets, double silence_s,
                                   int64_t time_limit_ms) {
  sockets.resize(static_cast<size_t>(size));
  std::shared_ptr<Wires> made(new Wires(rank, std::move(sockets), silence_s, time_limit_ms));
  std::thread([made] { serve(made); }).detach();
  return made;
}

Wires::~Wires() = default;

void Wires::wake() {
  const uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
}

// --- what sessions ask ---

Status Wires::gather(const Group& group, uint64_t sequence, std::string_view label, std::string_view mine,
                     std::vector<std::string>* all) {
  const std::string key = group.name + "#" + std::to_string(sequence);
  const std::string text = Writer()
                               .text(key)
                               .text(group.name)
                               .numbers(group.members)
                               .number(static_cast<uint64_t>(time_limit_ms_))
                               .text(label)
                               .text(mine)
                               .take();
  Lock lock(mutex_);
  RONDO_TRY(first_gone(group));
  asked_.insert(key);
  if (rank_ == 0)
    gather_at_root(0, text, false);
  else
    post(0, Verb::gather, text);
  return wait_for(lock, group, key, all);
}

Status Wires::reform(const Group& group, uint64_t sequence, std::vector<int>* left) {
  const std::string key = group.name + "#left" + std::to_string(sequence);
  const std::string text = Writer()
                               .text(key)
                               .text(group.name)
                               .numbers(group.members)
                               .number(static_cast<uint64_t>(time_limit_ms_))
                               .text("")
                               .text("")
                               .take();
  std::vector<std::string> texts;
  {
    Lock lock(mutex_);
    asked_.insert(key);
    if (rank_ == 0)
      gather_at_root(0, text, true);
    else
      post(0, Verb::reform, text);
    RONDO_TRY(wait_for(lock, group, key, &texts));
  }
  left->clear();
  for (const std::string& each : texts) left->push_back(std::stoi(each));
  return {};
}

Status Wires::wait_for(Lock& lock, const Group& group, const std::string& key, std::vector<std::string>* texts) {
  wake();
  // Rank 0 looks at the time; this is for when it does not.
  const Deadline limit(time_limit_ms_ < 0 ? 1e9 : static_cast<double>(time_limit_ms_) * 1e-3 + 5);
  Status status;
  for (;;) {
    if (const auto found = answers_.find(key); found != answers_.end()) {
      status = found->second.status;
      *texts = std::move(found->second.texts);
      break;
    }
    if (!peers_[0].gone.ok()) {
      status = first_gone(group);
      if (status.ok()) status = peers_[0].gone;
      break;
    }
    if (limit.over()) {
      status = error(RONDO_TIMED_OUT, "rank 0 has not answered within %.1f s",
                     static_cast<double>(time_limit_ms_) * 1e-3 + 5);
      break;
    }
    answered_.wait_for(lock, std::chrono::milliseconds(limit.milliseconds(1000)));
  }
  answers_.erase(key);
  asked_.erase(key);
  return status;
}

void Wires::tell(const Group& group, std::string_view text) {
  const std::lock_guard lock(mutex_);
  const std::string message =
      Writer().text(group.name).numbers(group.members).number(static_cast<uint64_t>(rank_)).text(text).take();
  if (rank_ == 0)
    hear(0, Verb::tell, message);
  else
    post(0, Verb::tell, message);
  wake();
}

void Wires::leave(const Group& group) {
  const std::lock_guard lock(mutex_);
  const std::string message =
      Writer().text(group.name).numbers(group.members).number(static_cast<uint64_t>(rank_)).take();
  if (rank_ == 0)
    hear(0, Verb::leave, message);
  else
    post(0, Verb::leave, message);
  audiences_.erase(group.name);
  wake();
}

Status Wires::gone(int rank) {
  const std::lock_guard lock(mutex_);
  return peers_[static_cast<size_t>(rank)].gone;
}

void Wires::listen(const Group& group, Session::Listener* listener) {
  const std::lock_guard calling(calling_);
  const std::lock_guard lock(mutex_);
  audience_of(group.name, group.members).listener = listener;
  wake();
}

void Wires::release() {
  const std::lock_guard lock(mutex_);
  released_ = true;
  // Rank 0 stays for the others; it says farewell by closing when they are gone.
  if (rank_ != 0) {
    post(0, Verb::bye, {});
    flush(peers_[0]);  // at once: the process may end before the thread comes to it
  }
  wake();
}

// --- the thread ---

void Wires::serve(const std::shared_ptr<Wires>& self) {
  pthread_setname_np(pthread_self(), "rondo-meet");
  while (self->serve_once()) {
  }
}

bool Wires::serve_once() {
  std::vector<pollfd> entries;
  std::vector<int> ranks;
  const auto pause = std::chrono::duration_cast<std::chrono::milliseconds>(silence_ / 8);
  {
    const std::lock_guard lock(mutex_);
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
      for (const int each : ranks) post(each, Verb::alive, {});
    }
    for (size_t i = 0; i < ranks.size(); ++i) {
      const int rank = ranks[i];
      Peer& peer = peers_[static_cast<size_t>(rank)];
      if (entries[i + 1].revents != 0) read(rank);
      if (peer.socket && !flush(peer))
        close(rank, error(RONDO_RANK_LOST, "rank %d is lost: its connection broke", rank));
      if (peer.socket && now - peer.heard > silence_)
        close(rank, error(RONDO_RANK_LOST, "rank %d is lost: nothing was heard of it for %.1f s", rank,
                          std::chrono::duration<double>(now - peer.heard).count()));
    }
    if (rank_ == 0) settle_all();
  }
  deliver();
  return true;
}

bool Wires::idle() const {
  if (!released_) return false;
  return std::none_of(peers_.begin(), peers_.end(),
                      [](const Peer& peer) { return peer.socket && !(peer.farewell && peer.out.empty()); });
}

void Wires::post(int to, Verb verb, std::string text) {
  Peer& peer = peers_[static_cast<size_t>(to)];
  if (!peer.socket) return;
  const FrameHead head = {static_cast<uint32_t>(verb), 0, text.size()};
  peer.out.append(reinterpret_cast<const char*>(&head), sizeof head);
  peer.out += text;
  if (verb == Verb::bye) peer.farewell = true;
}

// What others must know even if this process ends with its next step. The thread finds out whether it could be sent.
void Wires::post_now(int to, Verb verb, std::string text) {
  post(to, verb, std::move(text));
  flush(peers_[static_cast<size_t>(to)]);
}

bool Wires::flush(Peer& peer) {
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

void Wires::read(int from) {
  Peer& peer = peers_[static_cast<size_t>(from)];
  char buffer[65536];
  for (;;) {
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
      if (head.bytes > kMaxFrame || head.verb > static_cast<uint32_t>(Verb::bye))
        return close(from, error(RONDO_RANK_LOST, "rank %d is lost: what it sends is no message of Rondo's", from));
      if (peer.in.size() - at - sizeof head < head.bytes) break;
      const std::string text = peer.in.substr(at + sizeof head, head.bytes);
      at += sizeof head + head.bytes;
      hear(from, static_cast<Verb>(head.verb), text);
      if (!peer.socket) return;
    }
    peer.in.erase(0, at);
  }
}

void Wires::close(int rank, const Status& cause) {
  Peer& peer = peers_[static_cast<size_t>(rank)];
  if (peer.socket) shutdown(peer.socket.get(), SHUT_RDWR);
  peer.socket = File();
  peer.in.clear();
  peer.out.clear();
  if (!peer.gone.ok()) return;
  peer.gone = cause;
  departures_.push_back({{}, rank, cause});
  for (auto& [group, audience] : audiences_)
    if (std::find(audience.members.begin(), audience.members.end(), rank) != audience.members.end() &&
        left_.count({group, rank}) == 0)
      audience.waiting.push_back({rank, What::lost, {}, cause});
  if (rank_ == 0)
    for (size_t i = 1; i < peers_.size(); ++i)
      post_now(static_cast<int>(i), Verb::lost,
               Writer().number(static_cast<uint64_t>(rank)).text(cause.message()).take());
  answered_.notify_all();
}

void Wires::hear(int from, Verb verb, const std::string& text) {
  Reader reader(text);
  switch (verb) {
    case Verb::alive: break;
    case Verb::gather:
    case Verb::reform:
      if (rank_ == 0) gather_at_root(from, text, verb == Verb::reform);
      break;
    case Verb::gathered: {
      const std::string key = reader.text();
      const auto code = static_cast<rondo_status>(reader.number());
      const std::string message = reader.text();
      std::vector<std::string> texts = reader.texts();
      if (asked_.count(key) == 0) break;
      answers_[key] = {code == RONDO_OK ? Status() : Status(code, message), std::move(texts)};
      answered_.notify_all();
      break;
    }
    case Verb::tell:
    case Verb::leave: {
      const std::string group = reader.text();
      const std::vector<int> members = reader.numbers();
      const int who = static_cast<int>(reader.number());
      if (!reader.good() || (rank_ == 0 && who != from)) break;
      if (rank_ == 0)
        for (const int each : members)
          if (each > 0 && each < size() && each != who) post_now(each, verb, text);
      if (verb == Verb::leave) {
        left_.insert({group, who});
        departures_.push_back({group, who, error(RONDO_RANK_LOST, "rank %d has left the group", who)});
      }
      if (who == rank_ || std::find(members.begin(), members.end(), rank_) == members.end()) break;
      if (verb == Verb::leave)
        audience_of(group, members).waiting.push_back({who, What::left, {}, {}});
      else
        audience_of(group, members).waiting.push_back({who, What::told, reader.text(), {}});
      break;
    }
    case Verb::lost: {
      const int who = static_cast<int>(reader.number());
      if (rank_ != 0 && who > 0 && who < size()) close(who, Status(RONDO_RANK_LOST, reader.text()));
      break;
    }
    case Verb::bye: close(from, error(RONDO_RANK_LOST, "rank %d has left", from)); break;
  }
}

// --- who is gone ---

Status Wires::gone_from(const std::string& group, int rank) const {
  if (!peers_[static_cast<size_t>(rank)].gone.ok()) return peers_[static_cast<size_t>(rank)].gone;
  if (left_.count({group, rank}) > 0) return error(RONDO_RANK_LOST, "rank %d has left the group", rank);
  return {};
}

Status Wires::first_gone(const Group& group) const {
  for (const Departure& each : departures_)
    if ((each.group.empty() || each.group == group.name) &&
        std::find(group.members.begin(), group.members.end(), each.rank) != group.members.end())
      return each.cause;
  return {};
}

// --- who listens ---

Wires::Audience& Wires::audience_of(const std::string& group, const std::vector<int>& members) {
  const auto [found, made] = audiences_.try_emplace(group);
  if (made) {
    found->second.members = members;
    // Who was lost before.
    for (const int each : members)
      if (const Status& gone = peers_[static_cast<size_t>(each)].gone; !gone.ok() && each != rank_)
        found->second.waiting.push_back({each, What::lost, {}, gone});
  }
  return found->second;
}

void Wires::deliver() {
  const std::lock_guard calling(calling_);
  for (;;) {
    Session::Listener* listener = nullptr;
    Event event;
    std::vector<int> members;
    {
      const std::lock_guard lock(mutex_);
      for (auto& [group, audience] : audiences_) {
        if (!audience.listener || audience.waiting.empty()) continue;
        listener = audience.listener;
        event = std::move(audience.waiting.front());
        members = audience.members;
        audience.waiting.pop_front();
        break;
      }
    }
    if (!listener) return;
    const auto at = std::find(members.begin(), members.end(), event.rank) - members.begin();
    const int rank = static_cast<int>(at);
    switch (event.what) {
      case What::told: listener->told(rank, std::move(event.text)); break;
      case What::left: listener->left(rank); break;
      case What::lost: listener->lost(rank, event.cause); break;
    }
  }
}

}  // namespace rondo::comm
