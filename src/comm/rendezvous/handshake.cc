// Proves knowledge of the secret on both ends of a connection, and accepts callers that have proven it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/rendezvous/handshake.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include "base/machine/sha256.h"
#include "comm/rendezvous/messages.h"

namespace rondo::comm {

namespace {

constexpr char kMagic[8] = {'R', 'O', 'N', 'D', 'O', 0, 0, 2};
constexpr size_t kNonce = 16;
constexpr size_t kHello = sizeof kMagic + 8 + sizeof(Digest) + kNonce;
constexpr size_t kMaxPending = 256;
constexpr size_t kMaxOfAddress = 128;
constexpr double kHandshakeTimeout = 5;  // with one connection, in seconds
constexpr double kFirstBytes = 1;        // with one that says nothing
constexpr double kShortage = 0.1;        // before descriptors are asked for again
constexpr uint32_t kMaxReason = 4096;

enum Answer : uint32_t {
  kGoOn = 0x52444f31,
  kOtherJob = 0x52444f32,
  kWelcome = 0x52444f33,
  kRefused = 0x52444f34,
  kProven = 0x52444f35,
  kOtherSecret = 0x52444f36
};

Digest job_digest(const Key& key) {
  return sha256("rondo job " + key.job);
}

Digest proof(const Key& key, const char* who, std::string_view hello, std::string_view nonce) {
  return hmac_sha256(key.secret.empty() ? "rondo " + key.job : key.secret,
                     std::string(who) + std::string(hello) + std::string(nonce));
}

void append(std::string* text, uint32_t number) {
  text->append(reinterpret_cast<const char*>(&number), sizeof number);
}

uint32_t number_at(std::string_view text, size_t at) {
  uint32_t number;
  std::memcpy(&number, text.data() + at, sizeof number);
  return number;
}

Digest digest_at(std::string_view text, size_t at) {
  Digest digest;
  std::memcpy(digest.data(), text.data() + at, digest.size());
  return digest;
}

// Short enough for any socket's buffer.
bool send_now(int socket, std::string_view text) {
  return send(socket, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

}  // namespace

Status introduce(int socket, const Key& key, const Hello& hello, const Deadline& deadline) {
  const Deadline limit = deadline.within(kHandshakeTimeout);
  std::string text(kMagic, sizeof kMagic);
  append(&text, hello.rank);
  append(&text, hello.size);
  text.append(bytes_of(job_digest(key)));
  text.append(random_bytes(kNonce));
  RONDO_TRY(send_all(socket, text.data(), text.size(), limit));

  uint32_t answer = 0;
  RONDO_TRY(receive_all(socket, &answer, sizeof answer, limit));
  if (answer == kOtherJob) return error(RONDO_NOT_FOUND, "another job is there");
  if (answer != kGoOn) return error(RONDO_NOT_FOUND, "what is there is no process of Rondo, or of another version");
  char theirs[kNonce];
  RONDO_TRY(receive_all(socket, theirs, sizeof theirs, limit));
  const std::string_view nonce(theirs, kNonce);
  const Digest mine = proof(key, "caller", text, nonce);
  RONDO_TRY(send_all(socket, mine.data(), mine.size(), limit));

  RONDO_TRY(receive_all(socket, &answer, sizeof answer, limit));
  Digest proven = {};
  if (answer == kProven) RONDO_TRY(receive_all(socket, proven.data(), proven.size(), limit));
  if (answer == kOtherSecret || (answer == kProven && !equal(proven, proof(key, "acceptor", text, nonce))))
    return error(RONDO_INVALID_ARGUMENT,
                 "the process that listens there has another secret than this one; RONDO_SECRET, or what is given "
                 "instead, must be the same for all ranks");
  if (answer != kProven) return error(RONDO_NOT_FOUND, "what is there is no process of Rondo, or of another version");

  RONDO_TRY(receive_all(socket, &answer, sizeof answer, deadline));
  if (answer == kWelcome) return {};
  uint32_t code = 0, length = 0;
  if (answer != kRefused) return error(RONDO_NOT_FOUND, "what is there is no process of Rondo, or of another version");
  RONDO_TRY(receive_all(socket, &code, sizeof code, Deadline(kHandshakeTimeout)));
  RONDO_TRY(receive_all(socket, &length, sizeof length, Deadline(kHandshakeTimeout)));
  std::string why(length < kMaxReason ? length : kMaxReason, '\0');
  RONDO_TRY(receive_all(socket, why.data(), why.size(), Deadline(kHandshakeTimeout)));
  return failure_of(code, why);
}

bool Acceptor::hear(PendingConnection& connection, bool* proven, Hello* hello) {
  // Reads no further than what is expected: the bytes that follow belong to the next owner of the socket.
  for (;;) {
    const size_t wanted = connection.nonce.empty() ? kHello : kHello + sizeof(Digest);
    char buffer[kHello + sizeof(Digest)];
    const ssize_t got = recv(connection.socket.get(), buffer, wanted - connection.received.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return true;
    if (got <= 0) {
      ++(connection.nonce.empty() ? strangers_ : other_secrets_);
      return false;
    }
    connection.received.append(buffer, static_cast<size_t>(got));
    const size_t known = connection.received.size() < sizeof kMagic ? connection.received.size() : sizeof kMagic;
    if (connection.received.compare(0, known, kMagic, known) != 0) {
      ++strangers_;
      return false;
    }
    if (connection.received.size() < wanted) continue;
    const std::string_view said = std::string_view(connection.received).substr(0, kHello);
    std::string answer;
    if (connection.nonce.empty()) {
      if (!equal(digest_at(said, sizeof kMagic + 8), job_digest(key_))) {
        append(&answer, kOtherJob);
        send_now(connection.socket.get(), answer);
        ++other_jobs_;
        return false;
      }
      connection.nonce = random_bytes(kNonce);
      append(&answer, kGoOn);
      answer += connection.nonce;
      if (!send_now(connection.socket.get(), answer)) return false;
      continue;
    }
    if (!equal(digest_at(connection.received, kHello), proof(key_, "caller", said, connection.nonce))) {
      append(&answer, kOtherSecret);
      send_now(connection.socket.get(), answer);
      ++other_secrets_;
      return false;
    }
    append(&answer, kProven);
    answer += bytes_of(proof(key_, "acceptor", said, connection.nonce));
    if (!send_now(connection.socket.get(), answer)) return false;
    hello->rank = number_at(said, sizeof kMagic);
    hello->size = number_at(said, sizeof kMagic + 4);
    *proven = true;
    return true;
  }
}

bool Acceptor::make_room(const std::string* address) {
  auto worst = pending_.end();
  for (auto each = pending_.begin(); each != pending_.end(); ++each) {
    if (address && each->address != *address) continue;
    if (worst == pending_.end() || (each->received.empty() && !worst->received.empty())) worst = each;
  }
  if (worst == pending_.end()) return false;
  pending_.erase(worst);
  ++strangers_;
  return true;
}

void Acceptor::let_in() {
  File socket;
  const int problem = accept_from(listener_, &socket);
  if (!socket) {
    const bool shortage = problem == EMFILE || problem == ENFILE || problem == ENOBUFS || problem == ENOMEM;
    if (shortage && !make_room(nullptr)) short_ = Deadline(kShortage);
    return;
  }
  if (!of_same_user(socket.get())) {
    ++strangers_;
    return;
  }
  std::string address = peer_address(socket.get());
  const auto same = std::count_if(pending_.begin(), pending_.end(),
                                  [&](const PendingConnection& each) { return each.address == address; });
  if (static_cast<size_t>(same) >= kMaxOfAddress)
    make_room(&address);
  else if (pending_.size() >= kMaxPending)
    make_room(nullptr);
  pending_.push_back(
      {std::move(socket), std::move(address), Deadline(kFirstBytes), Deadline(kHandshakeTimeout), {}, {}});
}

void Acceptor::next(std::span<const int> watched, const Deadline& deadline, Caller* caller) {
  for (;;) {
    std::vector<pollfd> entries;
    const bool open = short_.over();
    entries.push_back({listener_.get(), static_cast<short>(open ? POLLIN : 0), 0});
    for (const int each : watched) entries.push_back({each, POLLIN, 0});
    for (const PendingConnection& each : pending_) entries.push_back({each.socket.get(), POLLIN, 0});
    const int most = !open ? short_.milliseconds() : pending_.empty() ? 1000000 : 250;
    const int ready = poll(entries.data(), entries.size(), deadline.milliseconds(most));
    if (ready < 0 && errno != EINTR) {
      std::this_thread::sleep_for(std::chrono::milliseconds(deadline.milliseconds(100)));
      return;
    }
    size_t at = 1 + watched.size();
    for (auto connection = pending_.begin(); connection != pending_.end(); ++at) {
      bool proven = false;
      bool stays = true;
      if (ready > 0 && entries[at].revents != 0) {
        stays = hear(*connection, &proven, &caller->hello);
      } else if (connection->over()) {
        stays = false;
        ++strangers_;
      }
      if (proven) caller->socket = std::move(connection->socket);
      connection = stays && !proven ? std::next(connection) : pending_.erase(connection);
      if (proven) return;
    }
    for (size_t i = 0; i < watched.size(); ++i)
      if (ready > 0 && entries[1 + i].revents != 0) return;
    if (ready > 0 && entries[0].revents != 0) let_in();
    if (deadline.over()) return;
  }
}

Status Acceptor::admit(const Caller& caller) {
  std::string answer;
  append(&answer, kWelcome);
  if (send_now(caller.socket.get(), answer)) return {};
  return error(RONDO_IO_ERROR, "rank %u has closed its connection", caller.hello.rank);
}

void Acceptor::refuse(const Caller& caller, const Status& why) {
  const std::string text = std::string(why.message()).substr(0, kMaxReason);
  std::string answer;
  append(&answer, kRefused);
  append(&answer, static_cast<uint32_t>(why.code()));
  append(&answer, static_cast<uint32_t>(text.size()));
  answer += text;
  send_now(caller.socket.get(), answer);
}

std::string Acceptor::turned_away() const {
  std::string text;
  const auto add = [&text](int count, const char* what) {
    if (count > 0) text += (text.empty() ? " (turned away: " : ", ") + std::to_string(count) + what;
  };
  add(other_secrets_, " with another secret");
  add(other_jobs_, " of another job");
  add(strangers_, " that said nothing Rondo says");
  return text.empty() ? text : text + ")";
}

}  // namespace rondo::comm
