// Sockets with a time limit: listening, connecting, sending and receiving all of something. Every descriptor is
// non-blocking and closed on exec; who waits, polls.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/status.h"

namespace rondo::comm {

using Clock = std::chrono::steady_clock;

// A moment until which a thread waits.
class Deadline {
 public:
  explicit Deadline(double seconds)
      : at_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(seconds < kMost ? seconds : kMost))) {}
  bool over() const { return Clock::now() >= at_; }
  // For poll(), at most `most`; rounded up, so that 0 means it is over.
  int milliseconds(int most = 1000000) const;
  // The earlier one.
  Deadline within(double seconds) const;

 private:
  static constexpr double kMost = 1e9;  // more than anybody waits, and what the clock counts
  Clock::time_point at_;
};

// "host:port", "[host]:port"; a host of IPv6 needs its brackets. RONDO_INVALID_ARGUMENT for what is neither.
Status parse_address(const std::string& address, std::string* host, int* port);
std::string join_address(const std::string& host, int port);

// Listens at a port of the host's, which is this machine by one of its names; 0: any that is free. If the name is not
// one of this machine's own addresses (an address translation stands between), at all of them.
// `kept`: a process of this user may hold the port for this one (`rondo launch`).
Status listen_at(const std::string& host, int port, File* listener, bool kept = false);
int port_of(const File& listener);
// The addresses at which other machines may find this one, the loopback last.
std::vector<std::string> own_addresses();
// True if that is a name of this machine for itself, which no other can mean by it.
bool is_loopback(const std::string& host);
// Listens at a free port, for ranks of this machine (`one_host`) or of any, and says where they find it.
Status listen_for_ranks(bool one_host, File* listener, std::vector<std::string>* addresses);
// Within this machine alone, by a name that needs no file.
Status listen_local(const std::string& name, File* listener);
// RONDO_NOT_FOUND: no process listens there, or one of another user.
Status connect_local(const std::string& name, File* socket);
// True if the other end of a connection within the machine is a process of this user, and for all other connections.
bool of_same_user(int socket);
// The address of the other end.
std::string peer_address(int socket);

Status connect_to(const std::string& host, int port, const Deadline& deadline, File* socket);
// The next that has come; where there is none *socket stays empty, and the system's error says why.
int accept_from(const File& listener, File* socket);

// RONDO_IO_ERROR where the other end has closed or the time is over.
Status send_all(int socket, const void* data, size_t bytes, const Deadline& deadline);
Status receive_all(int socket, void* data, size_t bytes, const Deadline& deadline);

// Unpredictable bytes.
std::string random_bytes(size_t count);
std::string host_name();

}  // namespace rondo::comm
