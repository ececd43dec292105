// Reads from the launchers' environments who takes part and where the ranks meet, and checks it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/rendezvous/meeting.h"

#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "base/machine/sha256.h"
#include "base/settings.h"
#include "base/text.h"
#include "comm/rendezvous/net.h"

namespace rondo::comm {

namespace {

constexpr int kPorts = 16;
constexpr const char* kLoopback = "127.0.0.1";

// Which variables a launcher sets. It is recognised by all in `needs`.
struct Launcher {
  const char* choice;  // in RONDO_LAUNCHER
  const char* title;
  std::vector<const char*> needs;
  const char* rank;
  std::vector<const char*> size;  // the first that is set
  const char* local_rank;
  const char* local_size;
  std::vector<const char*> job;  // all that are set, together
  const char* secret;            // random bits that the launcher hands to this job's processes alone; null: none
  const char* hint;              // how a secret of the user's reaches them
};

// In this order: mpirun inside an allocation of Slurm sets both, and a batch script of Slurm, which is one process and
// no rank, has all but the step's variables.
const std::vector<Launcher>& launchers() {
  static const auto* table = new std::vector<Launcher>{
      {"torchrun",
       "torchrun",
       {"RANK", "WORLD_SIZE", "MASTER_ADDR"},
       "RANK",
       {"WORLD_SIZE"},
       "LOCAL_RANK",
       "LOCAL_WORLD_SIZE",
       {"TORCHELASTIC_RUN_ID", "MASTER_ADDR", "MASTER_PORT"},
       nullptr,
       "in the environment of torchrun on every host"},
      {"openmpi",
       "Open MPI",
       {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
       "OMPI_COMM_WORLD_RANK",
       {"OMPI_COMM_WORLD_SIZE"},
       "OMPI_COMM_WORLD_LOCAL_RANK",
       "OMPI_COMM_WORLD_LOCAL_SIZE",
       {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_hnp_uri"},
       "OMPI_MCA_orte_precondition_transports",
       "in the environment of mpirun, and pass it on by -x RONDO_SECRET"},
      {"mvapich",
       "MVAPICH2",
       {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
       "MV2_COMM_WORLD_RANK",
       {"MV2_COMM_WORLD_SIZE"},
       "MV2_COMM_WORLD_LOCAL_RANK",
       "MV2_COMM_WORLD_LOCAL_SIZE",
       {"PMI_PORT"},
       nullptr,
       "in the environment of mpirun, which hands it to all ranks"},
      {"mpich",
       "MPICH",
       {"PMI_RANK", "PMI_SIZE"},
       "PMI_RANK",
       {"PMI_SIZE"},
       "MPI_LOCALRANKID",
       "MPI_LOCALNRANKS",
       {"PMI_PORT"},
       nullptr,
       "in the environment of mpirun, which hands it to all ranks"},
      {"slurm",
       "Slurm",
       {"SLURM_PROCID", "SLURM_STEP_ID", "SLURM_STEP_NODELIST"},
       "SLURM_PROCID",
       {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
       "SLURM_LOCALID",
       nullptr,
       {"SLURM_JOB_ID", "SLURM_STEP_ID"},
       nullptr,
       "in the environment of srun, which hands it to all tasks"},
  };
  return *table;
}

const char* get(const Lookup& lookup, const char* name) {
  const char* value = name ? lookup(name) : nullptr;
  return value && *value ? value : nullptr;
}

Status number(const Lookup& lookup, const char* name, int low, int* value) {
  const char* text = get(lookup, name);
  if (!text) return error(RONDO_INVALID_ARGUMENT, "the environment lacks %s", name);
  char* end = nullptr;
  const long parsed = std::strtol(text, &end, 10);
  if (*end != '\0' || parsed < low || parsed > 1000000)
    return error(RONDO_INVALID_ARGUMENT, "%s=%s is not a whole number from %d", name, text, low);
  *value = static_cast<int>(parsed);
  return {};
}

Status check_rank(const char* rank_name, const char* size_name, const Meeting& meeting) {
  if (meeting.rank < meeting.size) return {};
  return error(RONDO_INVALID_ARGUMENT, "%s=%d is not below %s=%d", rank_name, meeting.rank, size_name, meeting.size);
}

const Launcher* find(const Lookup& lookup, const std::string& choice) {
  for (const Launcher& each : launchers()) {
    if (choice != "auto" && choice != each.choice) continue;
    bool all = true;
    for (const char* name : each.needs) all &= get(lookup, name) != nullptr;
    if (all || choice == each.choice) return &each;
  }
  return nullptr;
}

// Ports above those that systems hand out by themselves, by what only this job's processes know.
std::string derived_port(const std::string& job) {
  const Digest digest = sha256(job);
  return std::to_string(61440 + (digest[0] << 8 | digest[1]) % (4096 - kPorts));
}

// The host of rank 0, for processes that Open MPI started on several hosts: the launcher's host, if it says so.
std::string launcher_host(const Lookup& lookup) {
  const char* uri = get(lookup, "OMPI_MCA_orte_hnp_uri");
  const std::string text = uri ? uri : "";
  const size_t begin = text.find("tcp://");
  if (begin == std::string::npos) return {};
  return text.substr(begin + 6, text.find_first_of(",:", begin + 6) - begin - 6);
}

// The file in which rank 0 leaves its address, and a secret, for the others of its user: homes are shared by the hosts
// of a cluster. Empty where there is no home.
std::string home_address(const Lookup& lookup, const std::string& job) {
  std::string base;
  if (const char* state = get(lookup, "XDG_STATE_HOME"); state && state[0] == '/')
    base = state;
  else if (const char* home = get(lookup, "HOME"); home && home[0] == '/')
    base = std::string(home) + "/.local/state";
  if (base.empty()) return {};
  const Digest digest = sha256(job);
  return "file:" + base + "/rondo/meetings/" + hex(bytes_of(digest).substr(0, 16));
}

Status find_address(const Launcher& launcher, const Lookup& lookup, Meeting* meeting) {
  const std::string choice = launcher.choice;
  meeting->ports = kPorts;
  std::string host;
  int local_rank = -1, local_size = 0;
  local_place(lookup, &local_rank, &local_size);
  const bool one_host = local_size == meeting->size;
  if (choice == "torchrun") {
    // Its own store listens at MASTER_PORT.
    int port = 0;
    RONDO_TRY(number(lookup, "MASTER_PORT", 1, &port));
    if (port > 65535 - kPorts) port -= 2 * kPorts;
    host = one_host ? kLoopback : get(lookup, "MASTER_ADDR");
    meeting->address = join_address(host, port + 1);
  }
  if (choice == "slurm") {
    const std::string list = get(lookup, "SLURM_STEP_NODELIST");
    host = list.find_first_of(",[") == std::string::npos ? kLoopback : first_host(list);
  } else if (one_host) {
    host = kLoopback;
  } else if (choice == "openmpi") {
    host = launcher_host(lookup);
  }
  if (meeting->address.empty() && !host.empty()) meeting->address = host + ":" + derived_port(meeting->job);
  // If no secret is handed over, or the host of rank 0 is not given, rank 0 leaves word for the others.
  if (meeting->address.empty() || !check_secret(*meeting).ok()) {
    const std::string home = home_address(lookup, meeting->job);
    meeting->in_home = !home.empty();
    if (meeting->in_home) meeting->address = home;
  }
  if (meeting->address.empty())
    return error(RONDO_INVALID_ARGUMENT,
                 "%s does not tell its processes where rank 0 is, and there is no home folder where it could leave "
                 "word: set RONDO_ADDRESS=host:port, with the host of rank 0 and a port that is free there, for all of "
                 "them",
                 launcher.title);
  return {};
}

}  // namespace

std::string first_host(const std::string& list) {
  std::string name;
  for (size_t i = 0; i < list.size() && list[i] != ','; ++i) {
    if (list[i] != '[') {
      name += list[i];
      continue;
    }
    const size_t end = list.find(']', i);
    if (end == std::string::npos) return {};
    name += list.substr(i + 1, list.find_first_of(",-]", i + 1) - i - 1);
    i = end;
  }
  return name;
}

bool meets_on_one_host(const Meeting& meeting) {
  std::string host;
  int port = 0;
  return meeting.size == 1 || meeting.one_host ||
         (parse_address(meeting.address, &host, &port).ok() && is_loopback(host));
}

Status check_secret(const Meeting& meeting) {
  // A meeting by a file has the secret that rank 0 writes there.
  if (!meeting.secret.empty() || meets_on_one_host(meeting) || meeting.address.rfind("file:", 0) == 0) return {};
  return error(RONDO_INVALID_ARGUMENT,
               "the ranks meet at %s, where other machines can come, and have no secret that keeps strangers out: set "
               "RONDO_SECRET=$(openssl rand -hex 16) %s; RONDO_SECRET=none lets in whoever knows the job's name",
               meeting.address.c_str(), meeting.hint.c_str());
}

void keep_to_one_user(const Lookup& lookup, Meeting* meeting) {
  if (meeting->size == 1 || !meeting->secret.empty() || !meets_on_one_host(*meeting)) return;
  // The loopback is the machine's, or a container's; the home may be that of several.
  char network[64] = "";
  (void)!readlink("/proc/self/ns/net", network, sizeof network - 1);
  const std::string name = meeting->job + "\n" + meeting->address + "\n" + host_name() + "\n" + network;
  const Digest digest = sha256("rondo user " + std::to_string(geteuid()) + "\n" + name);
  meeting->socket = "rondo-" + hex(bytes_of(digest).substr(0, 16));
  meeting->address = home_address(lookup, name);
  meeting->in_home = !meeting->address.empty();
  meeting->one_host = true;
}

std::string advice(const Meeting& meeting) {
  if (meeting.one_host && !meeting.socket.empty())
    return "; ranks without a secret find each other where they are of one user and have the same home folder: else "
           "set RONDO_SECRET=$(openssl rand -hex 16) " +
           meeting.hint;
  if (!meeting.in_home) return {};
  return "; where the hosts have no home folder in common, set RONDO_ADDRESS=host:port, with the host of rank 0, and "
         "RONDO_SECRET=$(openssl rand -hex 16) " +
         meeting.hint;
}

void local_place(const Lookup& lookup, int* rank, int* size) {
  *rank = -1;
  *size = 0;
  const auto read = [&](const char* name, int low, int* value) {
    int parsed = 0;
    if (name && get(lookup, name) && number(lookup, name, low, &parsed).ok()) *value = parsed;
  };
  if (get(lookup, "RONDO_RANK")) {
    read("RONDO_LOCAL_RANK", 0, rank);
    read("RONDO_LOCAL_SIZE", 1, size);
  } else if (const Launcher* launcher = find(lookup, "auto")) {
    read(launcher->local_rank, 0, rank);
    read(launcher->local_size, 1, size);
  }
}

Status meeting_from_environment(const Lookup& lookup, Meeting* meeting) {
  Meeting made;
  if (const char* address = get(lookup, "RONDO_ADDRESS")) made.address = address;
  if (const char* secret = get(lookup, "RONDO_SECRET")) made.secret = secret;
  const char* job = get(lookup, "RONDO_JOB");
  const char* chosen = get(lookup, "RONDO_LAUNCHER");
  const std::string choice = chosen ? chosen : "auto";
  const bool own = get(lookup, "RONDO_RANK") || get(lookup, "RONDO_SIZE");
  if (choice == "none") {
    *meeting = made;
    return {};
  }
  if (own && (choice == "auto" || choice == "rondo")) {
    RONDO_TRY(number(lookup, "RONDO_SIZE", 1, &made.size));
    RONDO_TRY(number(lookup, "RONDO_RANK", 0, &made.rank));
    RONDO_TRY(check_rank("RONDO_RANK", "RONDO_SIZE", made));
    made.job = job ? job : "";
    made.source = "RONDO_RANK and RONDO_SIZE";
    if (made.size > 1 && made.address.empty())
      return error(RONDO_INVALID_ARGUMENT,
                   "the environment lacks RONDO_ADDRESS: host:port where rank 0 listens, or file:path in a folder that "
                   "all share");
    *meeting = made;
    return {};
  }
  if (choice == "rondo")
    return error(RONDO_INVALID_ARGUMENT, "RONDO_LAUNCHER=rondo, but the environment lacks RONDO_RANK and RONDO_SIZE");
  const Launcher* launcher = find(lookup, choice);
  if (!launcher && choice != "auto")
    return error(RONDO_INVALID_ARGUMENT,
                 "RONDO_LAUNCHER=%s is none of auto, none, rondo, torchrun, openmpi, mvapich, mpich, slurm",
                 choice.c_str());
  if (!launcher) {
    *meeting = made;
    return {};
  }
  const char* size_name = launcher->size.front();
  for (const char* name : launcher->size)
    if (!get(lookup, size_name)) size_name = name;
  RONDO_TRY(number(lookup, size_name, 1, &made.size).with_context(launcher->title));
  RONDO_TRY(number(lookup, launcher->rank, 0, &made.rank).with_context(launcher->title));
  RONDO_TRY(check_rank(launcher->rank, size_name, made));
  made.source = launcher->title;
  made.hint = launcher->hint;
  if (const char* secret = get(lookup, launcher->secret); secret && made.secret.empty()) made.secret = secret;
  if (job) {
    made.job = job;
  } else {
    made.job = launcher->choice;
    for (const char* name : launcher->job)
      if (const char* value = get(lookup, name)) made.job += std::string(" ") + value;
    // MPICH's processes of one host have the same parent, and nothing else that other jobs do not have as well.
    if (made.job == launcher->choice) made.job += " " + std::to_string(getppid());
  }
  if (made.size > 1 && made.address.empty()) RONDO_TRY(find_address(*launcher, lookup, &made));
  *meeting = made;
  return {};
}

Status meeting_from_environment(Meeting* meeting) {
  return meeting_from_environment(secure_getenv, meeting);
}

void keep_to_one_user(Meeting* meeting) {
  keep_to_one_user(secure_getenv, meeting);
}

void local_place(int* rank, int* size) {
  local_place(secure_getenv, rank, size);
}

}  // namespace rondo::comm
