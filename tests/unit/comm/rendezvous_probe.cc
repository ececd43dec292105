// One rank, as a process of its own, for rendezvous_processes_test.cc:
//
//   rendezvous_probe MODE SILENCE    with the RONDO_* variables of its meeting
//
// reform: as stay, then meets those that are left, and prints how many. stay: gathers until something is lost, and
// prints when and why. die, leave, freeze, garble: after one gathering its process is killed, ends in order, is
// stopped, or sends what is no message.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "comm/rendezvous/socket_session.h"

using namespace rondo;
using namespace rondo::comm;

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string mode = argv[1];
  Meeting meeting;
  Status status = meeting_from_environment(&meeting);
  meeting.silence_s = std::atof(argv[2]);
  meeting.join_s = 20;
  std::shared_ptr<Session> session;
  if (status.ok()) status = join(meeting, 20000, &session);
  std::vector<std::string> all;
  if (status.ok()) status = session->all_gather("first", std::to_string(getpid()), &all);
  if (!status.ok()) {
    std::printf("%s\n", status.message());
    return 1;
  }
  if (mode == "leave") return 0;
  if (mode == "die") raise(SIGKILL);
  if (mode == "freeze") raise(SIGSTOP);
  if (mode == "garble") {
    for (int descriptor = 3; descriptor < 64; ++descriptor)
      send(descriptor, "garbage of some length", 22, MSG_NOSIGNAL);
    std::this_thread::sleep_for(std::chrono::seconds(20));
  }
  // A gathering in which one is missing ends as soon as that is known.
  status = session->all_gather("second", {}, &all);
  std::printf("%s\n", status.message());
  if (status.code() != RONDO_RANK_LOST) return 1;
  if (mode != "reform") return 0;
  std::vector<int> members;
  std::shared_ptr<Session> left;
  status = session->reform(&members, &left);
  if (status.ok()) status = left->all_gather("third", std::to_string(members[static_cast<size_t>(left->rank())]), &all);
  if (!status.ok()) {
    std::printf("%s\n", status.message());
    return 1;
  }
  std::string text;
  for (const std::string& each : all) text += " " + each;
  std::printf("left:%s\n", text.c_str());
  return 0;
}
