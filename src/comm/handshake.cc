// Proofs and the door. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/handshake.h"

#include <poll.h>
#include <sys/socket.h>

#include <cstring>
#include <vector>

#include "base/text.h"
#include "comm/sha256.h"

namespace rondo::comm {

namespace {

constexpr char kMagic[8] = {'R', 'O', 'N', 'D', 'O', 0, 0, 1};
constexpr size_t kNonce = 16;
constexpr size_t kHello = sizeof kMagic + 8 + sizeof(Digest) + kNonce;
constexpr size_t kMaxVisitors = 256;
constexpr double kPatience = 5;  // with one visitor, in seconds
constexpr uint32_t kMaxText = 4096;

enum Answer : uint32_t { kGoOn = 0x52444f31, kOtherJob = 0x52444f32, kWelcome = 0x52444f33, kRefused = 0x52444f34 };

std::string_view view(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

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
  const Deadline limit = deadline.within(kPatience);
  std::string text(kMagic, sizeof kMagic);
  append(&text, hello.rank);
  append(&text, hello.size);
  text.append(view(job_digest(key)));
  text.append(random_bytes(kNonce));
  RONDO_TRY(send_all(socket, text.data(), text.size(), limit));

  uint32_t answer = 0;
  RONDO_TRY(receive_all(socket, &answer, sizeof answer, limit));
  if (answer == kOtherJob) return error(RONDO_NOT_FOUND, "another job is there");
  if (answer != kGoOn) return error(RONDO_NOT_FOUND, "what is there is no process of Rondo, or of another version");
  char theirs[kNonce + sizeof(Digest)];
  RONDO_TRY(receive_all(socket, theirs, sizeof theirs, limit));
  const std::string_view nonce(theirs, kNonce);
  if (!equal(digest_at({theirs, sizeof theirs}, kNonce), proof(key, "door", text, nonce)))
    return error(RONDO_INVALID_ARGUMENT,
                 "the process that listens there has another secret than this one; RONDO_SECRET, or what is given "
                 "instead, must be the same for all ranks");
  const Digest mine = proof(key, "caller", text, nonce);
  RONDO_TRY(send_all(socket, mine.data(), mine.size(), limit));

  RONDO_TRY(receive_all(socket, &answer, sizeof answer, deadline));
  if (answer == kWelcome) return {};
  uint32_t code = 0, length = 0;
  if (answer != kRefused) return error(RONDO_NOT_FOUND, "what is there is no process of Rondo, or of another version");
  RONDO_TRY(receive_all(socket, &code, sizeof code, Deadline(kPatience)));
  RONDO_TRY(receive_all(socket, &length, sizeof length, Deadline(kPatience)));
  std::string why(length < kMaxText ? length : kMaxText, '\0');
  RONDO_TRY(receive_all(socket, why.data(), why.size(), Deadline(kPatience)));
  return {static_cast<rondo_status>(code), why};
}

bool Door::hear(Visitor& visitor, bool* proven, Hello* hello) {
  // Reads no further than what is expected: what follows belongs to whoever gets the socket.
  for (;;) {
    const size_t wanted = visitor.nonce.empty() ? kHello : kHello + sizeof(Digest);
    char buffer[kHello + sizeof(Digest)];
    const ssize_t got = recv(visitor.socket.get(), buffer, wanted - visitor.received.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return true;
    if (got <= 0) {
      ++(visitor.nonce.empty() ? strangers_ : other_secrets_);
      return false;
    }
    visitor.received.append(buffer, static_cast<size_t>(got));
    const size_t known = visitor.received.size() < sizeof kMagic ? visitor.received.size() : sizeof kMagic;
    if (visitor.received.compare(0, known, kMagic, known) != 0) {
      ++strangers_;
      return false;
    }
    if (visitor.received.size() < wanted) continue;
    const std::string_view said = std::string_view(visitor.received).substr(0, kHello);
    std::string answer;
    if (visitor.nonce.empty()) {
      if (!equal(digest_at(said, sizeof kMagic + 8), job_digest(key_))) {
        append(&answer, kOtherJob);
        send_now(visitor.socket.get(), answer);
        ++other_jobs_;
        return false;
      }
      visitor.nonce = random_bytes(kNonce);
      append(&answer, kGoOn);
      answer += visitor.nonce;
      answer += view(proof(key_, "door", said, visitor.nonce));
      if (!send_now(visitor.socket.get(), answer)) return false;
      continue;
    }
    if (!equal(digest_at(visitor.received, kHello), proof(key_, "caller", said, visitor.nonce))) {
      ++other_secrets_;
      return false;
    }
    hello->rank = number_at(said, sizeof kMagic);
    hello->size = number_at(said, sizeof kMagic + 4);
    *proven = true;
    return true;
  }
}

void Door::next(std::span<const int> watched, const Deadline& deadline, Caller* caller) {
  for (;;) {
    std::vector<pollfd> entries;
    entries.push_back({listener_.get(), static_cast<short>(visitors_.size() < kMaxVisitors ? POLLIN : 0), 0});
    for (const int each : watched) entries.push_back({each, POLLIN, 0});
    for (const Visitor& each : visitors_) entries.push_back({each.socket.get(), POLLIN, 0});
    const int ready = poll(entries.data(), entries.size(), deadline.milliseconds(visitors_.empty() ? 1000000 : 1000));
    if (ready < 0 && errno != EINTR) return;
    size_t at = 1 + watched.size();
    for (auto visitor = visitors_.begin(); visitor != visitors_.end(); ++at) {
      bool proven = false;
      bool stays = !visitor->deadline.over();
      if (!stays) ++strangers_;
      if (stays && entries[at].revents != 0) stays = hear(*visitor, &proven, &caller->hello);
      if (proven) caller->socket = std::move(visitor->socket);
      visitor = stays && !proven ? std::next(visitor) : visitors_.erase(visitor);
      if (proven) return;
    }
    for (size_t i = 0; i < watched.size(); ++i)
      if (entries[1 + i].revents != 0) return;
    if (entries[0].revents != 0) {
      File socket;
      accept_from(listener_, &socket);
      if (socket) visitors_.push_back({std::move(socket), Deadline(kPatience), {}, {}});
    }
    if (deadline.over()) return;
  }
}

Status Door::admit(const Caller& caller) {
  std::string answer;
  append(&answer, kWelcome);
  if (send_now(caller.socket.get(), answer)) return {};
  return error(RONDO_IO_ERROR, "rank %u has closed its connection", caller.hello.rank);
}

void Door::refuse(const Caller& caller, const Status& why) {
  const std::string text = std::string(why.message()).substr(0, kMaxText);
  std::string answer;
  append(&answer, kRefused);
  append(&answer, static_cast<uint32_t>(why.code()));
  append(&answer, static_cast<uint32_t>(text.size()));
  answer += text;
  send_now(caller.socket.get(), answer);
}

std::string Door::turned_away() const {
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
