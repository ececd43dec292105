// Starts the ranks of a program, prefixes and prints their output, and ends them together.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tools/launch.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/machine/decimal.h"
#include "base/machine/sha256.h"
#include "comm/rendezvous/net.h"

namespace rondo::tools {

namespace {

constexpr int kMaxRanks = 1024;
constexpr int kPassedOn[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

int bad_launch(const std::string& what) {
  std::fprintf(stderr, "rondo: launch: %s; `rondo --help` lists the commands\n", what.c_str());
  return 2;
}

struct LaunchOptions {
  int ranks = 0;
  bool prefix = false;
  double grace_s = 5;  // between asking a process to end and ending it
  char** program = nullptr;
};

// Text as a number from low to high, all of it; false: it is none.
bool parse(const char* text, double low, double high, double* value) {
  const char* end = nullptr;
  *value = read_decimal(text, &end);
  return end != text && *end == '\0' && *value >= low && *value <= high;
}

int read_arguments(int count, char** arguments, LaunchOptions* wish) {
  int i = 0;
  for (; i < count && arguments[i][0] == '-'; ++i) {
    const std::string option = arguments[i];
    if (option == "--") {
      ++i;
      break;
    }
    if (option == "--prefix") {
      wish->prefix = true;
      continue;
    }
    if (option != "-n" && option != "--grace") return bad_launch("'" + option + "' is no option of it");
    const char* text = i + 1 < count ? arguments[++i] : "";
    double value = 0;
    if (option == "-n") {
      if (!parse(text, 1, kMaxRanks, &value) || value != static_cast<int>(value))
        return bad_launch("-n needs a number of processes from 1 to 1024, not '" + std::string(text) + "'");
      wish->ranks = static_cast<int>(value);
    } else if (!parse(text, 0, 86400, &wish->grace_s)) {
      return bad_launch("--grace needs seconds from 0 to 86400, not '" + std::string(text) + "'");
    }
  }
  if (wish->ranks == 0) return bad_launch("-n N says how many processes to start");
  if (i == count) return bad_launch("a program is needed");
  wish->program = arguments + i;
  return 0;
}

// A port of the loopback that is kept for rank 0: bound here, but not listened at. Only processes of this user, which
// ask for it in the same way, may listen there.
File reserve_port(int* port) {
  File held(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (!held) return held;
  setsockopt(held.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  if (bind(held.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return {};
  *port = comm::port_of(held);
  return held;
}

// Lines of one rank's output, with its number in front.
class Lines {
 public:
  Lines(int rank, File source, FILE* to) : rank_(rank), source_(std::move(source)), to_(to) {}
  int descriptor() const { return source_.get(); }
  // False at the end of it.
  bool pass_on() {
    char buffer[65536];
    const ssize_t got = read(source_.get(), buffer, sizeof buffer);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    for (ssize_t i = 0; i < got; ++i) {
      line_ += buffer[i];
      if (buffer[i] == '\n') print();
    }
    if (got > 0) return true;
    if (!line_.empty()) {
      line_ += '\n';
      print();
    }
    return false;
  }

 private:
  void print() {
    std::fprintf(to_, "[%d] ", rank_);
    std::fwrite(line_.data(), 1, line_.size(), to_);
    std::fflush(to_);
    line_.clear();
  }

  int rank_;
  File source_;
  FILE* to_;
  std::string line_;
};

class LaunchCommand {
 public:
  explicit LaunchCommand(const LaunchOptions& wish) : wish_(wish) {}

  int run() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    for (const int each : kPassedOn) sigaddset(&signals, each);
    sigprocmask(SIG_BLOCK, &signals, &before_);
    signals_ = File(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
    int port = 0;
    const File held = reserve_port(&port);
    if (!signals_ || !held) {
      std::fprintf(stderr, "rondo: launch: the system refuses a port of the loopback: %s\n", std::strerror(errno));
      return 1;
    }
    setenv("RONDO_ADDRESS", ("127.0.0.1:" + std::to_string(port)).c_str(), 1);
    setenv("RONDO_JOB", hex(comm::random_bytes(8)).c_str(), 1);
    setenv("RONDO_SECRET", hex(comm::random_bytes(32)).c_str(), 1);
    setenv("RONDO_SIZE", std::to_string(wish_.ranks).c_str(), 1);
    setenv("RONDO_LOCAL_SIZE", std::to_string(wish_.ranks).c_str(), 1);
    setenv("RONDO_LAUNCHER", "rondo", 1);
    for (int rank = 0; rank < wish_.ranks && result_ == 0; ++rank) start(rank);
    while (running() || !lines_.empty()) serve();
    return result_;
  }

 private:
  struct Rank {
    pid_t process = 0;
    bool running = false;
  };

  bool running() const {
    for (const Rank& each : ranks_)
      if (each.running) return true;
    return false;
  }

  void start(int rank) {
    int out[2] = {-1, -1}, err[2] = {-1, -1}, failed[2] = {-1, -1};
    const bool piped = !wish_.prefix || (pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0);
    const pid_t process = piped && pipe2(failed, O_CLOEXEC) == 0 ? fork() : -1;
    if (process == 0) become(rank, out[1], err[1], failed[1]);
    const int code = errno;
    for (const int each : {out[1], err[1], failed[1]})
      if (each >= 0) ::close(each);
    const File report(failed[0]);
    if (wish_.prefix && out[0] >= 0 && err[0] >= 0) {
      lines_.emplace_back(rank, File(out[0]), stdout);
      lines_.emplace_back(rank, File(err[0]), stderr);
    }
    if (process < 0) {
      std::fprintf(stderr, "rondo: launch: the process of rank %d cannot be made: %s\n", rank, std::strerror(code));
      return fail(1);
    }
    ranks_.push_back({process, true});
    setpgid(process, process);  // as the child does itself: the first one counts
    int problem = 0;
    if (read(report.get(), &problem, sizeof problem) != sizeof problem) return;
    std::fprintf(stderr, "rondo: launch: '%s' cannot be started: %s\n", wish_.program[0], std::strerror(problem));
    fail(problem == ENOENT ? 127 : 126);
  }

  [[noreturn]] void become(int rank, int out, int err, int failed) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // where the launcher itself is ended
    setenv("RONDO_RANK", std::to_string(rank).c_str(), 1);
    setenv("RONDO_LOCAL_RANK", std::to_string(rank).c_str(), 1);
    if (out >= 0) dup2(out, STDOUT_FILENO);
    if (err >= 0) dup2(err, STDERR_FILENO);
    // Rank 0 may read what is piped in; a terminal would stop a process that is not in front of it.
    if (rank > 0 || isatty(STDIN_FILENO)) {
      const int nothing = open("/dev/null", O_RDONLY);
      if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    }
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    execvp(wish_.program[0], wish_.program);
    const int problem = errno;
    (void)!write(failed, &problem, sizeof problem);
    _exit(127);
  }

  // The first failure decides; the others are asked to end, and later ended.
  void fail(int status) {
    if (result_ == 0) result_ = status;
    end_all(SIGTERM);
  }

  void end_all(int signal) {
    for (const Rank& each : ranks_)
      if (each.running) kill(-each.process, signal);
    if (!ending_) until_ = comm::Deadline(wish_.grace_s);
    ending_ = true;
  }

  void serve() {
    std::vector<pollfd> entries = {{signals_.get(), POLLIN, 0}};
    for (const Lines& each : lines_) entries.push_back({each.descriptor(), POLLIN, 0});
    poll(entries.data(), entries.size(), ending_ ? until_.milliseconds(1000) : 1000);
    for (size_t i = lines_.size(); i-- > 0;)
      if (entries[i + 1].revents != 0 && !lines_[i].pass_on()) lines_.erase(lines_.begin() + static_cast<ptrdiff_t>(i));
    signalfd_siginfo about;
    while (read(signals_.get(), &about, sizeof about) == sizeof about) {
      const int number = static_cast<int>(about.ssi_signo);
      if (number == SIGCHLD) continue;
      for (const Rank& each : ranks_)
        if (each.running) kill(-each.process, number);
      if (number == SIGUSR1 || number == SIGUSR2) continue;
      // Who ends by it does as it is told, which no message needs; but the launcher's status says so.
      if (result_ == 0) result_ = 128 + number;
      if (!ending_) until_ = comm::Deadline(wish_.grace_s);
      ending_ = true;
    }
    reap();
    if (ending_ && until_.over()) {
      for (const Rank& each : ranks_)
        if (each.running) kill(-each.process, SIGKILL);
      // Output that a process started by them still holds open is no longer read.
      if (!running()) lines_.clear();
      until_ = comm::Deadline(1);
    }
  }

  void reap() {
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      siginfo_t about = {};
      Rank& each = ranks_[rank];
      if (!each.running || waitid(P_PID, static_cast<id_t>(each.process), &about, WEXITED | WNOHANG | WNOWAIT) != 0 ||
          about.si_pid == 0)
        continue;
      const bool signalled = about.si_code != CLD_EXITED;
      const int code = signalled ? 128 + about.si_status : about.si_status;
      // The processes that it has started end with it; they are signalled while the number is still the group's.
      if (code != 0) kill(-each.process, SIGTERM);
      waitpid(each.process, nullptr, 0);
      each.running = false;
      if (code == 0) continue;
      if (result_ == 0) {
        const std::string how = signalled ? "was ended by signal " + std::to_string(about.si_status) + " (" +
                                                strsignal(about.si_status) + ")"
                                          : "exited with status " + std::to_string(code);
        std::fprintf(stderr, "rondo: launch: rank %zu (process %d) %s%s\n", rank, static_cast<int>(each.process),
                     how.c_str(), running() ? "; ending the others" : "");
      }
      fail(code);
    }
    // All have ended; what still holds their output open is given the same time.
    if (!running() && !ending_) {
      ending_ = true;
      until_ = comm::Deadline(wish_.grace_s);
    }
  }

  const LaunchOptions wish_;
  sigset_t before_ = {};
  File signals_;
  std::vector<Rank> ranks_;
  std::vector<Lines> lines_;
  bool ending_ = false;
  comm::Deadline until_{0};
  int result_ = 0;
};

}  // namespace

int launch(int count, char** arguments) {
  LaunchOptions wish;
  if (const int wrong = read_arguments(count, arguments, &wish); wrong != 0) return wrong;
  std::fflush(nullptr);
  return LaunchCommand(wish).run();
}

}  // namespace rondo::tools
