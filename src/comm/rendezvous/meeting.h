// Says who takes part in a job and where they meet: given, or from the environment of the launcher that started this
// process.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "base/status.h"

namespace rondo::comm {

struct Meeting {
  int rank = 0;
  int size = 1;
  // The address at which rank 0 listens: "host:port", "[host]:port" for IPv6, or "file:path" of a file in a folder that
  // all share, where rank 0 writes its address. With a number of ports, rank 0 takes the first that is free.
  std::string address;
  int ports = 1;
  bool in_home = false;   // the file is in the user's home folder, where launchers that hand over no secret meet
  bool one_host = false;  // all ranks are on this machine
  std::string socket;     // where ranks of this machine and user meet if rank 0 can leave no file; empty: nowhere
  std::string job;        // tells this job from others at the same place; not a secret
  std::string secret;     // lets a process in; "none": the job's name suffices; empty: not given
  std::string hint = "for all of them";                  // how a secret reaches the ranks, for messages
  std::string source = "nobody: this process is alone";  // who said so, for messages
  double join_s = 120;                                   // until all have come
  double silence_s = 30;                                 // of a rank until it counts as lost
};

// A variable of the environment by its name; null where it is not set.
using Lookup = std::function<const char*(const char*)>;

// The secret that says that there is none.
inline constexpr const char* kNoSecret = "none";
// True if the ranks meet where only processes of this machine can come.
bool meets_on_one_host(const Meeting& meeting);
// RONDO_INVALID_ARGUMENT where other machines could come, and no secret keeps them out; says what to set.
Status check_secret(const Meeting& meeting);

// For ranks of one machine that are given no secret: they meet where only processes of this user find each other, by a
// file in the user's home folder or, where rank 0 cannot write one, by a socket that tells which user's process is at
// its other end. Others stay where they are.
void keep_to_one_user(const Lookup& lookup, Meeting* meeting);
void keep_to_one_user(Meeting* meeting);

// Says what to set if the ranks have no home folder in common; empty if they did not meet there. For messages.
std::string advice(const Meeting& meeting);

// Reads it from the environment: RONDO_* if set, else the launcher that RONDO_LAUNCHER names or that is found; else one
// process alone. RONDO_INVALID_ARGUMENT names the variable that is wrong or missing.
Status meeting_from_environment(const Lookup& lookup, Meeting* meeting);
// Reads this process's environment. Set-uid programs see nothing of it.
Status meeting_from_environment(Meeting* meeting);

// Which rank this process is among those of its host by its launcher, and how many; -1 and 0 where it does not say.
void local_place(const Lookup& lookup, int* rank, int* size);
void local_place(int* rank, int* size);

// The first host of a list in Slurm's notation: "node[007-009,12],x" is node007.
std::string first_host(const std::string& list);

}  // namespace rondo::comm
