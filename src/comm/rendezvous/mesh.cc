// Connects each process with each other one, and moves the messages of collectives between them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/rendezvous/mesh.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "base/machine/sha256.h"
#include "base/text.h"
#include "comm/rendezvous/handshake.h"
#include "comm/rendezvous/messages.h"

namespace rondo::comm {

namespace {

constexpr double kBetweenLooks = 0.05;  // seconds, after who is lost

struct MessageHead {
  uint64_t what;
  uint64_t bytes;
};

class Mesh final : public Exchange {
 public:
  Mesh(int rank, std::vector<File> sockets, std::function<Status()> lost)
      : rank_(rank),
        sockets_(std::move(sockets)),
        lost_(std::move(lost)),
        wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

  Status run(std::span<const Message> sends, std::span<const Message> receives, uint64_t what,
             const Deadline& deadline) override;
  void abort(const Status& cause) override {
    const std::lock_guard lock(mutex_);
    if (!aborted_.ok()) return;
    aborted_ = cause;
    const uint64_t one = 1;
    (void)!::write(wake_.get(), &one, sizeof one);
  }

 private:
  // One direction of one connection in a step: the messages left, and how far the first has come.
  struct Lane {
    std::vector<Message> messages;
    size_t next = 0;
    size_t done = 0;  // bytes of the first, its head counted
    MessageHead head = {};
    bool open() const { return next < messages.size(); }
  };
  Status aborted() {
    const std::lock_guard lock(mutex_);
    return aborted_;
  }
  // Moves what can be moved now.
  Status push(int rank, Lane& lane, uint64_t what);
  Status pull(int rank, Lane& lane, uint64_t what);
  Status ended(int rank);
  static std::string waited_for(const std::vector<Lane>& lanes);

  const int rank_;
  const std::vector<File> sockets_;  // by rank; empty at its own
  const std::function<Status()> lost_;
  const File wake_;
  std::mutex mutex_;
  Status aborted_;
};

// A connection that ends: who watches the ranks knows better why, and is given a moment to say so.
Status Mesh::ended(int rank) {
  for (const Deadline moment(1); !moment.over();) {
    RONDO_TRY(aborted());
    RONDO_TRY(lost_());
    pollfd entry = {wake_.get(), POLLIN, 0};
    poll(&entry, 1, 5);
  }
  return error(RONDO_RANK_LOST, "rank %d has closed the connection that its data come by", rank);
}

Status Mesh::push(int rank, Lane& lane, uint64_t what) {
  while (lane.open()) {
    const Message& message = lane.messages[lane.next];
    lane.head = {what, message.bytes};
    const bool in_head = lane.done < sizeof(MessageHead);
    const char* from = in_head ? reinterpret_cast<const char*>(&lane.head) + lane.done
                               : static_cast<const char*>(message.data) + (lane.done - sizeof(MessageHead));
    const size_t left = (in_head ? sizeof(MessageHead) : sizeof(MessageHead) + message.bytes) - lane.done;
    if (left > 0) {
      const ssize_t put = send(sockets_[static_cast<size_t>(rank)].get(), from, left, MSG_NOSIGNAL);
      if (put < 0 && errno == EINTR) continue;
      if (put < 0 && errno == EAGAIN) return {};
      if (put < 0) return ended(rank);
      lane.done += static_cast<size_t>(put);
    }
    if (lane.done == sizeof(MessageHead) + message.bytes) {
      lane.done = 0;
      ++lane.next;
    }
  }
  return {};
}

Status Mesh::pull(int rank, Lane& lane, uint64_t what) {
  while (lane.open()) {
    const Message& message = lane.messages[lane.next];
    const bool in_head = lane.done < sizeof(MessageHead);
    char* to = in_head ? reinterpret_cast<char*>(&lane.head) + lane.done
                       : static_cast<char*>(message.data) + (lane.done - sizeof(MessageHead));
    const size_t left = (in_head ? sizeof(MessageHead) : sizeof(MessageHead) + message.bytes) - lane.done;
    if (left > 0) {
      const ssize_t got = recv(sockets_[static_cast<size_t>(rank)].get(), to, left, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return {};
      if (got <= 0) return ended(rank);
      lane.done += static_cast<size_t>(got);
    }
    if (in_head && lane.done == sizeof(MessageHead)) {
      if (lane.head.what != what) return another_step(rank, lane.head.what, rank_, what);
      if (lane.head.bytes != message.bytes)
        return error(RONDO_INVALID_STATE, "rank %d sends %llu bytes where rank %d expects %zu", rank,
                     static_cast<unsigned long long>(lane.head.bytes), rank_, message.bytes);
    }
    if (lane.done == sizeof(MessageHead) + message.bytes) {
      lane.done = 0;
      ++lane.next;
    }
  }
  return {};
}

std::string Mesh::waited_for(const std::vector<Lane>& lanes) {
  std::string ranks;
  for (size_t i = 0; i < lanes.size(); ++i)
    if (lanes[i].open()) ranks += (ranks.empty() ? "" : ", ") + std::to_string(i);
  return ranks;
}

Status Mesh::run(std::span<const Message> sends, std::span<const Message> receives, uint64_t what,
                 const Deadline& deadline) {
  std::vector<Lane> out(sockets_.size()), in(sockets_.size());
  for (const Message& each : sends) out[static_cast<size_t>(each.rank)].messages.push_back(each);
  for (const Message& each : receives) in[static_cast<size_t>(each.rank)].messages.push_back(each);
  Lane &to_itself = out[static_cast<size_t>(rank_)], &from_itself = in[static_cast<size_t>(rank_)];
  if (to_itself.messages.size() != from_itself.messages.size())
    return error(RONDO_INVALID_STATE, "rank %d sends itself %zu messages and receives %zu", rank_,
                 to_itself.messages.size(), from_itself.messages.size());
  for (size_t i = 0; i < to_itself.messages.size(); ++i) {
    if (to_itself.messages[i].bytes != from_itself.messages[i].bytes)
      return error(RONDO_INVALID_STATE, "rank %d sends itself %zu bytes where it expects %zu", rank_,
                   to_itself.messages[i].bytes, from_itself.messages[i].bytes);
    if (to_itself.messages[i].bytes > 0)
      std::memmove(from_itself.messages[i].data, to_itself.messages[i].data, to_itself.messages[i].bytes);
  }
  to_itself = from_itself = {};

  std::vector<pollfd> entries;
  std::vector<int> ranks;
  for (;;) {
    RONDO_TRY(aborted());
    entries.assign(1, {wake_.get(), POLLIN, 0});
    ranks.clear();
    for (size_t i = 0; i < sockets_.size(); ++i) {
      if (out[i].open()) RONDO_TRY(push(static_cast<int>(i), out[i], what));
      if (in[i].open()) RONDO_TRY(pull(static_cast<int>(i), in[i], what));
      const int events = (out[i].open() ? POLLOUT : 0) | (in[i].open() ? POLLIN : 0);
      if (events == 0) continue;
      entries.push_back({sockets_[i].get(), static_cast<short>(events), 0});
      ranks.push_back(static_cast<int>(i));
    }
    if (ranks.empty()) return {};
    if (deadline.over()) {
      const std::string silent = waited_for(in);
      return error(RONDO_TIMED_OUT, "the time limit is over, and nothing came of the ranks %s",
                   (silent.empty() ? waited_for(out) : silent).c_str());
    }
    poll(entries.data(), entries.size(), deadline.milliseconds());
  }
}

Status call(const Listening& where, const Key& key, const Hello& hello, const Deadline& deadline, File* socket) {
  std::vector<std::string> hosts = where.addresses;
  if (where.host == host_name()) hosts.insert(hosts.begin(), "127.0.0.1");
  Status last = error(RONDO_NOT_FOUND, "it has no address");
  for (const std::string& host : hosts) {
    File made;
    Status status = connect_to(host, where.port, deadline, &made);
    if (status.ok()) status = introduce(made.get(), key, hello, deadline);
    if (status.ok()) {
      *socket = std::move(made);
      return {};
    }
    last = status.with_context(join_address(host, where.port));
  }
  return last;
}

}  // namespace

Status open_mesh(Session& session, int64_t time_limit_ms, bool one_host, const std::function<Status()>& lost,
                 std::unique_ptr<Exchange>* made) {
  const int rank = session.rank(), size = session.size();
  const Deadline deadline(time_limit_ms < 0 ? 1e9 : static_cast<double>(time_limit_ms) * 1e-3);
  File listener;
  Listening mine;
  RONDO_TRY(listen_for_ranks(one_host, &listener, &mine.addresses));
  mine.host = host_name();
  mine.port = port_of(listener);
  // A secret of this mesh alone, drawn by rank 0.
  if (rank == 0) mine.secret = hex(random_bytes(32));
  std::vector<std::string> texts;
  RONDO_TRY(session.all_gather("connecting", encode(mine), &texts));
  std::vector<Listening> all(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) RONDO_TRY(decode(i, texts[i], &all[i]));
  const Key key = {"mesh", all[0].secret};
  // The ends are the same on all ranks: each calls those below it and takes those above.
  std::vector<File> sockets(static_cast<size_t>(size));
  for (int i = 0; i < rank; ++i) {
    const Status called =
        call(all[static_cast<size_t>(i)], key, {static_cast<uint32_t>(rank), static_cast<uint32_t>(size)}, deadline,
             &sockets[static_cast<size_t>(i)]);
    // Who watches the ranks knows better why, and is given a moment to say so.
    for (const Deadline moment(1); !called.ok() && !moment.over();) {
      RONDO_TRY(lost());
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    RONDO_TRY(called.with_context(format("rank %d connects to rank %d", rank, i)));
  }
  Acceptor acceptor(listener, key);
  for (int missing = size - 1 - rank; missing > 0;) {
    Acceptor::Caller caller;
    acceptor.next({}, deadline.within(kBetweenLooks), &caller);
    if (!caller.socket) RONDO_TRY(lost());
    if (!caller.socket && !deadline.over()) continue;
    if (!caller.socket)
      return error(RONDO_TIMED_OUT, "%d of the ranks above %d have not connected to it in time%s", missing, rank,
                   acceptor.turned_away().c_str());
    const uint32_t who = caller.hello.rank;
    if (who <= static_cast<uint32_t>(rank) || who >= static_cast<uint32_t>(size) || sockets[who]) {
      Acceptor::refuse(caller, error(RONDO_INVALID_ARGUMENT, "rank %u is there already", who));
      continue;
    }
    RONDO_TRY(Acceptor::admit(caller));
    sockets[who] = std::move(caller.socket);
    --missing;
  }
  *made = std::make_unique<Mesh>(rank, std::move(sockets), lost);
  return {};
}

}  // namespace rondo::comm
