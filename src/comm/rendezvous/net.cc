// Opens sockets, listens, connects, sends and receives with a time limit, and names their addresses.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/rendezvous/net.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace rondo::comm {

namespace {

struct Resolved {
  ~Resolved() {
    if (list) freeaddrinfo(list);
  }
  addrinfo* list = nullptr;
};

Status resolve(const std::string& host, int port, Resolved* resolved) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  const int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &resolved->list);
  if (code == 0) return {};
  return error(RONDO_NOT_FOUND, "the host %s has no address: %s", host.c_str(), gai_strerror(code));
}

Status system_error(const char* what, const std::string& where) {
  return error(RONDO_IO_ERROR, "%s %s: %s", what, where.c_str(), std::strerror(errno));
}

File new_socket(int family) {
  File socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (socket) setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket;
}

bool try_listen(const sockaddr* address, socklen_t length, File* listener, bool kept = false) {
  File made = new_socket(address->sa_family);
  const int on = 1;
  if (!made) return false;
  setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (kept) setsockopt(made.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  if (bind(made.get(), address, length) != 0 || listen(made.get(), 512) != 0) return false;
  *listener = std::move(made);
  return true;
}

// In the abstract namespace, whose names begin with a zero.
socklen_t local_address(const std::string& name, sockaddr_un* address) {
  *address = {};
  address->sun_family = AF_UNIX;
  const size_t length = std::min(name.size(), sizeof address->sun_path - 1);
  std::memcpy(address->sun_path + 1, name.data(), length);
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
}

std::string text_of(const sockaddr* address, socklen_t length) {
  char text[NI_MAXHOST] = "";
  if (getnameinfo(address, length, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0) return {};
  return text;
}

Status wait_for(int socket, short events, const Deadline& deadline) {
  for (;;) {
    pollfd entry = {socket, events, 0};
    const int n = poll(&entry, 1, deadline.milliseconds());
    if (n > 0) return {};
    if (n < 0 && errno != EINTR) return system_error("polling a", "socket");
    if (deadline.over()) return error(RONDO_IO_ERROR, "the time is over");
  }
}

}  // namespace

int Deadline::milliseconds(int most) const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(at_ - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, most));
}

Deadline Deadline::within(double seconds) const {
  Deadline other(seconds);
  other.at_ = std::min(at_, other.at_);
  return other;
}

Status parse_address(const std::string& address, std::string* host, int* port) {
  const bool bracket = !address.empty() && address[0] == '[';
  const size_t colon = bracket ? address.find("]:") : address.rfind(':');
  if (colon != std::string::npos) {
    const std::string name = bracket ? address.substr(1, colon - 1) : address.substr(0, colon);
    const std::string digits = address.substr(colon + (bracket ? 2 : 1));
    const bool plain = !digits.empty() && digits.size() <= 5 && digits.find_first_not_of("0123456789") == digits.npos;
    const int number = plain ? std::atoi(digits.c_str()) : -1;
    if (!name.empty() && (bracket || name.find(':') == name.npos) && number >= 0 && number <= 65535) {
      *host = name;
      *port = number;
      return {};
    }
  }
  return error(RONDO_INVALID_ARGUMENT,
               "the address '%s' is not host:port, [host]:port for a host of IPv6, or file:path of a file in a folder "
               "that all share",
               address.c_str());
}

std::string join_address(const std::string& host, int port) {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Status listen_at(const std::string& host, int port, File* listener, bool kept) {
  if (host.empty()) {
    sockaddr_in6 both = {};
    both.sin6_family = AF_INET6;
    both.sin6_port = htons(static_cast<uint16_t>(port));
    if (try_listen(reinterpret_cast<sockaddr*>(&both), sizeof both, listener)) return {};
    sockaddr_in any = {};
    any.sin_family = AF_INET;
    any.sin_port = htons(static_cast<uint16_t>(port));
    if (try_listen(reinterpret_cast<sockaddr*>(&any), sizeof any, listener)) return {};
    return system_error("listening at port", std::to_string(port));
  }
  Resolved resolved;
  RONDO_TRY(resolve(host, port, &resolved));
  int problem = 0;
  for (const addrinfo* each = resolved.list; each; each = each->ai_next) {
    if (try_listen(each->ai_addr, each->ai_addrlen, listener)) return {};
    if (kept && errno == EADDRINUSE && try_listen(each->ai_addr, each->ai_addrlen, listener, true)) return {};
    if (problem == 0 || errno == EADDRINUSE) problem = errno;
  }
  if (problem == EADDRNOTAVAIL && !is_loopback(host)) return listen_at("", port, listener);
  errno = problem;
  return system_error("listening at", join_address(host, port));
}

int port_of(const File& listener) {
  sockaddr_storage address = {};
  socklen_t length = sizeof address;
  if (getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<sockaddr_in&>(address).sin_port);
}

std::vector<std::string> own_addresses() {
  std::vector<std::string> outside, inside;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {"127.0.0.1"};
  for (const ifaddrs* each = list; each; each = each->ifa_next) {
    if (!each->ifa_addr || !(each->ifa_flags & IFF_UP)) continue;
    const int family = each->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    const std::string text = text_of(each->ifa_addr, family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
    if (text.empty() || text.find('%') != text.npos) continue;  // of one link only
    (each->ifa_flags & IFF_LOOPBACK ? inside : outside).push_back(text);
  }
  freeifaddrs(list);
  outside.insert(outside.end(), inside.begin(), inside.end());
  return outside;
}

bool is_loopback(const std::string& host) {
  in_addr v4 = {};
  return host == "localhost" || host == "::1" ||
         (inet_pton(AF_INET, host.c_str(), &v4) == 1 && ntohl(v4.s_addr) >> 24 == IN_LOOPBACKNET);
}

Status listen_for_ranks(bool one_host, File* listener, std::vector<std::string>* addresses) {
  if (!one_host) {
    *addresses = own_addresses();
    return listen_at("", 0, listener);
  }
  // A machine may have only one of them.
  Status listens;
  for (const char* each : {"127.0.0.1", "::1"}) {
    *addresses = {each};
    listens = listen_at(each, 0, listener);
    if (listens.ok()) break;
  }
  return listens;
}

Status listen_local(const std::string& name, File* listener) {
  sockaddr_un address;
  const socklen_t length = local_address(name, &address);
  if (try_listen(reinterpret_cast<sockaddr*>(&address), length, listener)) return {};
  return system_error("listening at the socket", "@" + name);
}

Status connect_local(const std::string& name, File* socket) {
  sockaddr_un address;
  const socklen_t length = local_address(name, &address);
  File made = new_socket(AF_UNIX);
  if (!made) return system_error("making a socket to", "@" + name);
  if (connect(made.get(), reinterpret_cast<sockaddr*>(&address), length) != 0)
    return error(RONDO_NOT_FOUND, "connecting to the socket @%s: %s", name.c_str(), std::strerror(errno));
  if (!of_same_user(made.get()))
    return error(RONDO_NOT_FOUND, "a process of another user listens at the socket @%s", name.c_str());
  *socket = std::move(made);
  return {};
}

bool of_same_user(int socket) {
  int domain = AF_UNIX;
  socklen_t length = sizeof domain;
  if (getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain != AF_UNIX) return true;
  ucred peer = {};
  length = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && length == sizeof peer &&
         peer.uid == geteuid();
}

std::string peer_address(int socket) {
  sockaddr_storage address = {};
  socklen_t length = sizeof address;
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0) return {};
  const std::string text = text_of(reinterpret_cast<sockaddr*>(&address), length);
  return text.rfind("::ffff:", 0) == 0 ? text.substr(7) : text;
}

Status connect_to(const std::string& host, int port, const Deadline& deadline, File* socket) {
  Resolved resolved;
  RONDO_TRY(resolve(host, port, &resolved));
  Status last = error(RONDO_NOT_FOUND, "the host %s has no address", host.c_str());
  for (const addrinfo* each = resolved.list; each; each = each->ai_next) {
    File made = new_socket(each->ai_family);
    if (!made) {
      last = system_error("making a socket to", join_address(host, port));
      continue;
    }
    if (connect(made.get(), each->ai_addr, each->ai_addrlen) != 0 && errno != EINPROGRESS) {
      last = system_error("connecting to", join_address(host, port));
      continue;
    }
    if (const Status waited = wait_for(made.get(), POLLOUT, deadline.within(5)); !waited.ok()) {
      last = waited.with_context("connecting to " + join_address(host, port));
      continue;
    }
    int code = 0;
    socklen_t length = sizeof code;
    getsockopt(made.get(), SOL_SOCKET, SO_ERROR, &code, &length);
    if (code == 0) {
      *socket = std::move(made);
      return {};
    }
    errno = code;
    last = system_error("connecting to", join_address(host, port));
  }
  return last;
}

int accept_from(const File& listener, File* socket) {
  File made(accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!made) return errno;
  const int on = 1;
  setsockopt(made.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  *socket = std::move(made);
  return 0;
}

Status send_all(int socket, const void* data, size_t bytes, const Deadline& deadline) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t put = send(socket, from, bytes, MSG_NOSIGNAL);
    if (put >= 0) {
      from += put;
      bytes -= static_cast<size_t>(put);
    } else if (errno == EAGAIN) {
      RONDO_TRY(wait_for(socket, POLLOUT, deadline));
    } else if (errno != EINTR) {
      return error(RONDO_IO_ERROR, "the other end has closed the connection");
    }
  }
  return {};
}

Status receive_all(int socket, void* data, size_t bytes, const Deadline& deadline) {
  char* to = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t got = recv(socket, to, bytes, 0);
    if (got > 0) {
      to += got;
      bytes -= static_cast<size_t>(got);
    } else if (got < 0 && errno == EAGAIN) {
      RONDO_TRY(wait_for(socket, POLLIN, deadline));
    } else if (got == 0 || errno != EINTR) {
      return error(RONDO_IO_ERROR, "the other end has closed the connection");
    }
  }
  return {};
}

std::string random_bytes(size_t count) {
  std::string bytes(count, '\0');
  for (size_t done = 0; done < count;) {
    const ssize_t got = getrandom(bytes.data() + done, count - done, 0);
    if (got > 0) done += static_cast<size_t>(got);
  }
  return bytes;
}

std::string host_name() {
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) != 0) return "this host";
  return name;
}

}  // namespace rondo::comm
