// Brings the ranks of a job together: rank 0 listens and the others connect to it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <thread>

#include "base/files/trusted_file.h"
#include "base/log.h"
#include "base/machine/sha256.h"
#include "base/text.h"
#include "comm/rendezvous/handshake.h"
#include "comm/rendezvous/messages.h"
#include "comm/rendezvous/socket_session.h"

namespace rondo::comm {

namespace {

constexpr const char* kFileHead = "rondo meets at";

// The place of rank 0: addresses to try, and the key; from the meeting, or from its file.
struct Rank0Address {
  std::vector<std::pair<std::string, int>> tries;
  Key key;
};

bool by_file(const Meeting& meeting) {
  return meeting.address.rfind("file:", 0) == 0;
}

Key key_of(const Meeting& meeting) {
  return {meeting.job, meeting.secret == kNoSecret ? std::string() : meeting.secret};
}

std::string file_of(const Meeting& meeting) {
  return meeting.address.substr(5);
}

// The file's first line is kFileHead and the port, then the secret if none was given, then a line for each address.
Status write_file(const std::string& path, int port, const std::string& secret,
                  const std::vector<std::string>& addresses) {
  std::string text = std::string(kFileHead) + " " + std::to_string(port) + "\n" + secret + "\n";
  for (const std::string& each : addresses) text += each + "\n";
  const std::string draft = path + "." + hex(random_bytes(8));
  File file(open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file || !write_all(file.get(), text) || !file.close() || rename(draft.c_str(), path.c_str()) != 0) {
    const int code = errno;
    unlink(draft.c_str());
    return error(RONDO_IO_ERROR, "the file of the meeting, %s, cannot be written: %s", path.c_str(),
                 std::strerror(code));
  }
  return {};
}

// RONDO_NOT_FOUND: it is not there yet, or nothing that rank 0 of this user has written.
Status read_file(const std::string& path, Rank0Address* place, bool secret_given) {
  constexpr uint64_t kMost = uint64_t{1} << 16;
  const auto refused = [&path](const std::string& why) {
    return error(RONDO_NOT_FOUND, "the file %s is not believed: %s", path.c_str(), why.c_str());
  };
  File file;
  uint64_t bytes = 0;
  std::string text, why;
  const Opened opened = open_trusted(AT_FDCWD, path.c_str(), &file, &bytes, &why);
  if (opened == Opened::absent) return error(RONDO_NOT_FOUND, "the file %s is not there yet", path.c_str());
  if (opened == Opened::refused) return refused(why);
  if (bytes > kMost || !read_exactly(file.get(), bytes, &text)) return refused("it cannot be read to its end");
  std::string_view rest = text, head, secret, address;
  int port = 0;
  bool sound = take_part(&rest, '\n', &head) && head.rfind(kFileHead, 0) == 0 && take_part(&rest, '\n', &secret);
  if (sound) head.remove_prefix(std::strlen(kFileHead));
  sound = sound && take_number(&head, 1, 65535, &port);
  if (!sound || rest.empty()) return refused("it does not say where ranks meet");
  while (take_part(&rest, '\n', &address)) place->tries.emplace_back(address, port);
  if (!secret_given) place->key.secret = secret;
  return {};
}

std::string seconds(double value) {
  return format(value == static_cast<int>(value) ? "%.0f s" : "%.2f s", value);
}

// --- rank 0 ---

Status listen_first(const Meeting& meeting, File* listener) {
  std::string host;
  int port = 0;
  RONDO_TRY(parse_address(meeting.address, &host, &port));
  Status first;
  for (int i = 0; i < meeting.ports; ++i) {
    const Status status = listen_at(host, port + i, listener, meeting.ports == 1);
    if (status.ok()) return {};
    if (first.ok()) first = status;
  }
  return first;
}

// Tells all that have come that nothing comes of it, and why.
Status call_off(std::vector<Acceptor::Caller>& callers, Status why) {
  for (const Acceptor::Caller& each : callers) Acceptor::refuse(each, why.with_context("rank 0 called it off"));
  return why;
}

Status collect(const Meeting& meeting, const Key& key, const File& listener, const Deadline& deadline,
               std::vector<File>* sockets) {
  Acceptor acceptor(listener, key);
  std::vector<Acceptor::Caller> callers;  // answered when all are there
  std::vector<bool> here(static_cast<size_t>(meeting.size));
  while (static_cast<int>(callers.size()) + 1 < meeting.size) {
    std::vector<int> watched;
    for (const Acceptor::Caller& each : callers) watched.push_back(each.socket.get());
    Acceptor::Caller caller;
    acceptor.next(watched, deadline, &caller);
    for (const Acceptor::Caller& each : callers) {
      // No data is sent before the answer: if the socket is readable, the connection has ended.
      pollfd entry = {each.socket.get(), POLLIN, 0};
      if (poll(&entry, 1, 0) > 0)
        return call_off(callers,
                        error(RONDO_RANK_LOST, "rank %u came and was lost again before all had come", each.hello.rank));
    }
    if (caller.socket) {
      const uint32_t rank = caller.hello.rank, size = caller.hello.size;
      std::string wrong;
      if (static_cast<int>(size) != meeting.size)
        wrong =
            format("rank %u was told of %u ranks, rank 0 of %d; all must be told the same", rank, size, meeting.size);
      else if (rank == 0 || rank >= size || here[rank])
        wrong = format("rank %u is there already; each rank comes once", rank);
      if (!wrong.empty()) {
        const Status why(RONDO_INVALID_ARGUMENT, wrong);
        Acceptor::refuse(caller, why);
        return call_off(callers, why);
      }
      here[rank] = true;
      callers.push_back(std::move(caller));
      continue;
    }
    if (deadline.over()) {
      std::string missing;
      for (size_t i = 1; i < here.size(); ++i)
        if (!here[i]) missing += (missing.empty() ? "" : ", ") + std::to_string(i);
      return call_off(callers, error(RONDO_TIMED_OUT, "within %s there came none yet of the ranks %s of %d%s%s",
                                     seconds(meeting.join_s).c_str(), missing.c_str(), meeting.size,
                                     acceptor.turned_away().c_str(), advice(meeting).c_str()));
    }
  }
  sockets->resize(static_cast<size_t>(meeting.size));
  for (Acceptor::Caller& each : callers) RONDO_TRY(Acceptor::admit(each));
  for (Acceptor::Caller& each : callers) (*sockets)[each.hello.rank] = std::move(each.socket);
  return {};
}

// The file that says where rank 0 listens. Draws the secret if none was given.
Status leave_word(const Meeting& meeting, Key* key, File* listener) {
  const std::string file = file_of(meeting);
  std::vector<std::string> addresses;
  RONDO_TRY(listen_for_ranks(meets_on_one_host(meeting), listener, &addresses));
  const bool secret_given = !key->secret.empty();
  if (!secret_given) key->secret = hex(random_bytes(32));
  if (meeting.in_home && !make_folders(file.substr(0, file.rfind('/'))))
    return error(RONDO_IO_ERROR, "the folder of %s, where ranks of this user meet, cannot be made: %s%s", file.c_str(),
                 std::strerror(errno), advice(meeting).c_str());
  return write_file(file, port_of(*listener), secret_given ? std::string() : key->secret, addresses);
}

Status host_meeting(const Meeting& meeting, const Key& key, const Deadline& deadline, std::vector<File>* sockets) {
  File listener;
  if (by_file(meeting)) {
    Key drawn = key;
    const Status left = leave_word(meeting, &drawn, &listener);
    if (left.ok()) {
      const Status status = collect(meeting, drawn, listener, deadline, sockets);
      unlink(file_of(meeting).c_str());
      return status;
    }
    if (meeting.socket.empty()) return left;
  }
  RONDO_TRY(meeting.socket.empty() ? listen_first(meeting, &listener) : listen_local(meeting.socket, &listener));
  return collect(meeting, key, listener, deadline, sockets);
}

// --- the others ---

Status find_place(const Meeting& meeting, Rank0Address* place) {
  place->key = key_of(meeting);
  if (by_file(meeting)) return read_file(file_of(meeting), place, !place->key.secret.empty());
  if (!meeting.socket.empty()) return {};
  std::string host;
  int port = 0;
  RONDO_TRY(parse_address(meeting.address, &host, &port));
  for (int i = 0; i < meeting.ports; ++i) place->tries.emplace_back(host, port + i);
  return {};
}

Status come(const Meeting& meeting, const Deadline& deadline, File* socket) {
  const Hello hello = {static_cast<uint32_t>(meeting.rank), static_cast<uint32_t>(meeting.size)};
  int pause_ms = 5;
  Status last;
  do {
    Rank0Address place;
    last = find_place(meeting, &place);
    if (last.code() == RONDO_INVALID_ARGUMENT) return last;
    if (place.tries.empty() && !meeting.socket.empty()) {
      File made;
      Status status = connect_local(meeting.socket, &made);
      if (status.ok()) status = introduce(made.get(), key_of(meeting), hello, deadline);
      if (status.ok()) {
        *socket = std::move(made);
        return {};
      }
      if (status.code() != RONDO_NOT_FOUND && status.code() != RONDO_IO_ERROR) return status;
      last = last.ok() ? status : last.with_context(status.message());
    }
    for (const auto& [host, port] : place.tries) {
      File made;
      Status status = connect_to(host, port, deadline, &made);
      if (status.ok()) status = introduce(made.get(), place.key, hello, deadline);
      if (status.ok()) {
        *socket = std::move(made);
        return {};
      }
      last = status.with_context(join_address(host, port));
      const bool for_good = status.code() != RONDO_NOT_FOUND && status.code() != RONDO_IO_ERROR;
      // A file with another secret may be one that an earlier job has left.
      if (for_good && !(by_file(meeting) && status.code() == RONDO_INVALID_ARGUMENT && key_of(meeting).secret.empty()))
        return last;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(std::min(pause_ms, deadline.milliseconds())));
    pause_ms = std::min(pause_ms * 2, 200);
  } while (!deadline.over());
  const std::string where = meeting.address.empty() ? "@" + meeting.socket : meeting.address;
  return error(RONDO_TIMED_OUT, "rank 0 was not to be met at %s within %s: %s%s", where.c_str(),
               seconds(meeting.join_s).c_str(), last.message(), advice(meeting).c_str());
}

}  // namespace

Status join(const Meeting& given, int64_t time_limit_ms, std::shared_ptr<Session>* made) {
  Meeting meeting = given;
  if (meeting.size < 1 || meeting.rank < 0 || meeting.rank >= meeting.size)
    return error(RONDO_INVALID_ARGUMENT, "rank %d is none of a group of %d", meeting.rank, meeting.size);
  RONDO_TRY(check_secret(meeting).with_context(
      format("rank %d of %d (by %s)", meeting.rank, meeting.size, meeting.source.c_str())));
  if (meeting.size > 1 && meeting.rank == 0 && meeting.secret == kNoSecret)
    log(RONDO_LOG_WARNING,
        "the ranks meet without a secret (RONDO_SECRET=none): whoever knows the job's name is let in");
  keep_to_one_user(&meeting);
  const Deadline deadline(meeting.join_s);
  std::vector<File> sockets(1);
  if (meeting.size > 1) {
    const Status met = meeting.rank == 0 ? host_meeting(meeting, key_of(meeting), deadline, &sockets)
                                         : come(meeting, deadline, sockets.data());
    RONDO_TRY(met.with_context(format("rank %d of %d (by %s)", meeting.rank, meeting.size, meeting.source.c_str())));
  }
  const RendezvousLink::Terms terms = {meeting.silence_s, time_limit_ms, meets_on_one_host(meeting)};
  return session_of_all(RendezvousLink::make(meeting.rank, meeting.size, std::move(sockets), terms), made);
}

}  // namespace rondo::comm
