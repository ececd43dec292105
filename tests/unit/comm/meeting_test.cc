// Who takes part, by the environments of launchers; proofs of secrets.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/rendezvous/meeting.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "comm/rendezvous/net.h"

namespace rondo::comm {
namespace {

using Environment = std::map<std::string, std::string>;

Status read(const Environment& environment, Meeting* meeting) {
  return meeting_from_environment(
      [&](const char* name) -> const char* {
        const auto found = environment.find(name);
        return found == environment.end() ? nullptr : found->second.c_str();
      },
      meeting);
}

Meeting sound(const Environment& environment) {
  Meeting meeting;
  const Status status = read(environment, &meeting);
  EXPECT_TRUE(status.ok()) << status.message();
  return meeting;
}

std::string refusal(const Environment& environment) {
  Meeting meeting;
  const Status status = read(environment, &meeting);
  EXPECT_EQ(status.code(), RONDO_INVALID_ARGUMENT);
  return status.message();
}

const Environment kOpenMpi = {{"OMPI_COMM_WORLD_RANK", "1"},       {"OMPI_COMM_WORLD_SIZE", "2"},
                              {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                              {"PMIX_NAMESPACE", "prterun-7@1"},   {"PMIX_RANK", "1"}};
const Environment kSlurm = {{"SLURM_PROCID", "3"},        {"SLURM_NTASKS", "8"},
                            {"SLURM_LOCALID", "1"},       {"SLURM_JOB_ID", "4711"},
                            {"SLURM_STEP_ID", "0"},       {"SLURM_STEP_NODELIST", "gpu[03-04,9],x"},
                            {"SLURM_STEP_NUM_TASKS", "4"}};

Environment with(Environment base, const Environment& more) {
  for (const auto& [name, value] : more) base[name] = value;
  return base;
}

TEST(Meeting, NothingMeansAlone) {
  const Meeting meeting = sound({});
  EXPECT_EQ(meeting.rank, 0);
  EXPECT_EQ(meeting.size, 1);
}

TEST(Meeting, OwnVariablesComeFirst) {
  const Meeting meeting = sound(with(
      kOpenMpi,
      {{"RONDO_RANK", "2"}, {"RONDO_SIZE", "3"}, {"RONDO_ADDRESS", "h:1"}, {"RONDO_JOB", "j"}, {"RONDO_SECRET", "s"}}));
  EXPECT_EQ(meeting.rank, 2);
  EXPECT_EQ(meeting.size, 3);
  EXPECT_EQ(meeting.address, "h:1");
  EXPECT_EQ(meeting.ports, 1);
  EXPECT_EQ(meeting.job, "j");
  EXPECT_EQ(meeting.secret, "s");
}

TEST(Meeting, OwnVariablesMustFit) {
  EXPECT_NE(refusal({{"RONDO_RANK", "0"}}).find("lacks RONDO_SIZE"), std::string::npos);
  EXPECT_NE(refusal({{"RONDO_SIZE", "2"}}).find("lacks RONDO_RANK"), std::string::npos);
  EXPECT_NE(refusal({{"RONDO_RANK", "two"}, {"RONDO_SIZE", "2"}}).find("RONDO_RANK=two is not a whole number"),
            std::string::npos);
  EXPECT_NE(refusal({{"RONDO_RANK", "2"}, {"RONDO_SIZE", "2"}}).find("RONDO_RANK=2 is not below RONDO_SIZE=2"),
            std::string::npos);
  EXPECT_NE(refusal({{"RONDO_RANK", "0"}, {"RONDO_SIZE", "2"}}).find("lacks RONDO_ADDRESS"), std::string::npos);
  EXPECT_NE(refusal({{"RONDO_LAUNCHER", "rondo"}}).find("RONDO_RANK"), std::string::npos);
  EXPECT_NE(refusal({{"RONDO_LAUNCHER", "bash"}}).find("none of auto, none, rondo"), std::string::npos);
}

TEST(Meeting, TorchrunsOwnPortIsTaken) {
  const Environment torch = {{"RANK", "1"},           {"WORLD_SIZE", "4"},      {"LOCAL_RANK", "1"},
                             {"MASTER_ADDR", "node"}, {"MASTER_PORT", "29500"}, {"TORCHELASTIC_RUN_ID", "r"}};
  const Meeting meeting = sound(torch);
  EXPECT_EQ(meeting.source, "torchrun");
  EXPECT_EQ(meeting.address, "node:29501");
  EXPECT_GT(meeting.ports, 1);
  EXPECT_EQ(sound(with(torch, {{"MASTER_PORT", "65535"}})).address, "node:65504");
  // All on one machine: nobody else can come.
  EXPECT_EQ(sound(with(torch, {{"LOCAL_WORLD_SIZE", "2"}})).address, "node:29501");
  EXPECT_EQ(sound(with(torch, {{"LOCAL_WORLD_SIZE", "4"}})).address, "127.0.0.1:29501");
  // RANK alone is somebody else's.
  EXPECT_EQ(sound({{"RANK", "1"}}).size, 1);
  EXPECT_NE(refusal(with(torch, {{"MASTER_PORT", ""}})).find("MASTER_PORT"), std::string::npos);
}

TEST(Meeting, MpirunInsideSlurmIsMpirun) {
  const Meeting meeting = sound(with(kSlurm, kOpenMpi));
  EXPECT_EQ(meeting.source, "Open MPI");
  EXPECT_EQ(meeting.rank, 1);
  EXPECT_EQ(meeting.size, 2);
  EXPECT_EQ(meeting.address.substr(0, 10), "127.0.0.1:");
  EXPECT_EQ(sound(with(with(kSlurm, kOpenMpi), {{"RONDO_LAUNCHER", "slurm"}})).size, 4);
  EXPECT_EQ(sound(with(kSlurm, {{"RONDO_LAUNCHER", "none"}})).size, 1);
}

TEST(Meeting, OpenMpiOnSeveralHosts) {
  const Environment two = with(kOpenMpi, {{"OMPI_COMM_WORLD_LOCAL_SIZE", "1"}});
  EXPECT_NE(refusal(two).find("RONDO_ADDRESS=host:port"), std::string::npos);
  const Meeting old = sound(with(two, {{"OMPI_MCA_orte_hnp_uri", "3912.0;tcp://10.1.2.3,192.168.0.1:4242"}}));
  EXPECT_EQ(old.address.substr(0, 9), "10.1.2.3:");
  EXPECT_EQ(sound(with(two, {{"RONDO_ADDRESS", "file:/shared/x"}})).address, "file:/shared/x");
}

// What Open MPI draws for each job and gives to its processes alone.
TEST(Meeting, OpenMpiHandsOverASecret) {
  const Environment two = with(kOpenMpi, {{"OMPI_COMM_WORLD_LOCAL_SIZE", "1"},
                                          {"OMPI_MCA_orte_hnp_uri", "3912.0;tcp://10.1.2.3:4242"},
                                          {"OMPI_MCA_orte_precondition_transports", "e9a02caf-8a440a3e"}});
  EXPECT_EQ(sound(two).secret, "e9a02caf-8a440a3e");
  EXPECT_TRUE(check_secret(sound(two)).ok());
  EXPECT_EQ(sound(with(two, {{"RONDO_SECRET", "mine"}})).secret, "mine");
}

TEST(Meeting, RefusalSaysHowToHandOverASecret) {
  const Environment cases[] = {
      kSlurm,
      with(kOpenMpi, {{"OMPI_COMM_WORLD_LOCAL_SIZE", "1"}, {"OMPI_MCA_orte_hnp_uri", "3912.0;tcp://10.1.2.3:4242"}}),
      {{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "node"}, {"MASTER_PORT", "29500"}},
      {{"RONDO_RANK", "0"}, {"RONDO_SIZE", "2"}, {"RONDO_ADDRESS", "node:7"}}};
  const char* const hints[] = {"in the environment of srun", "by -x RONDO_SECRET",
                               "in the environment of torchrun on every", "for all of them"};
  for (size_t i = 0; i < std::size(hints); ++i) {
    const Status refused = check_secret(sound(cases[i]));
    EXPECT_EQ(refused.code(), RONDO_INVALID_ARGUMENT);
    EXPECT_NE(std::string(refused.message()).find(hints[i]), std::string::npos) << refused.message();
    EXPECT_TRUE(check_secret(sound(with(cases[i], {{"RONDO_SECRET", "none"}}))).ok());
    EXPECT_TRUE(check_secret(sound(with(cases[i], {{"RONDO_SECRET", "s"}}))).ok());
  }
  // A step on one machine.
  const Meeting one = sound(with(kSlurm, {{"SLURM_STEP_NODELIST", "gpu03"}}));
  EXPECT_EQ(one.address.substr(0, 10), "127.0.0.1:");
  EXPECT_TRUE(check_secret(one).ok());
}

// Rank 0 leaves a secret, and where it is, in the user's home folder, by a name that is the job's alone.
TEST(Meeting, WhereThereIsAHomeASecretIsHandedOverThere) {
  const Environment home = {{"HOME", "/home/ada"}};
  const Environment mpich = {
      {"PMI_RANK", "0"}, {"PMI_SIZE", "3"}, {"MPI_LOCALRANKID", "0"}, {"MPI_LOCALNRANKS", "1"}, {"PMI_PORT", "n1:7"}};
  const Environment cases[] = {
      kSlurm, mpich, {{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "node"}, {"MASTER_PORT", "29500"}}};
  std::set<std::string> places;
  for (const Environment& each : cases) {
    const Meeting meeting = sound(with(each, home));
    EXPECT_EQ(meeting.address.substr(0, 46),
              "file:/home/ada/.local/state/rondo/meetings/" + meeting.address.substr(43, 3));
    EXPECT_TRUE(meeting.in_home);
    EXPECT_TRUE(check_secret(meeting).ok());
    EXPECT_NE(advice(meeting).find("RONDO_SECRET=$(openssl rand -hex 16)"), std::string::npos);
    places.insert(meeting.address);
    EXPECT_EQ(sound(with(with(each, home), {{"XDG_STATE_HOME", "/state"}})).address.substr(0, 27),
              "file:/state/rondo/meetings/");
    const Meeting given = sound(with(with(each, home), {{"RONDO_ADDRESS", "node:7"}, {"RONDO_SECRET", "s"}}));
    EXPECT_EQ(given.address, "node:7");
    EXPECT_TRUE(advice(given).empty());
  }
  EXPECT_EQ(places.size(), std::size(cases));
  // With a secret, where rank 0 is known: there.
  EXPECT_EQ(sound(with(with(kSlurm, home), {{"RONDO_SECRET", "s"}})).address.substr(0, 6), "gpu03:");
  EXPECT_EQ(sound(with(with(kSlurm, home), {{"RONDO_SECRET", "none"}})).address.substr(0, 6), "gpu03:");
  // One machine needs neither.
  EXPECT_FALSE(sound(with(with(kSlurm, home), {{"SLURM_STEP_NODELIST", "gpu03"}})).in_home);
}

TEST(Meeting, MpichAndMvapich) {
  const Environment mpich = {{"PMI_RANK", "0"}, {"PMI_SIZE", "3"}, {"MPI_LOCALRANKID", "0"}, {"MPI_LOCALNRANKS", "3"}};
  EXPECT_EQ(sound(mpich).source, "MPICH");
  EXPECT_EQ(sound(mpich).size, 3);
  EXPECT_FALSE(sound(mpich).job.empty());
  const Environment mvapich = {{"MV2_COMM_WORLD_RANK", "1"},
                               {"MV2_COMM_WORLD_SIZE", "2"},
                               {"MV2_COMM_WORLD_LOCAL_RANK", "1"},
                               {"MV2_COMM_WORLD_LOCAL_SIZE", "2"}};
  EXPECT_EQ(sound(with(mpich, mvapich)).source, "MVAPICH2");
}

TEST(Meeting, SlurmOnlyInAStep) {
  const Meeting meeting = sound(kSlurm);
  EXPECT_EQ(meeting.source, "Slurm");
  EXPECT_EQ(meeting.rank, 3);
  EXPECT_EQ(meeting.size, 4);  // the step's, not the allocation's
  EXPECT_EQ(meeting.address.substr(0, 6), "gpu03:");
  // The batch script has a rank and a size as well, and is one process.
  EXPECT_EQ(sound({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_JOB_ID", "1"}}).size, 1);
}

TEST(Meeting, JobsHavePortsOfTheirOwn) {
  const std::string one = sound(kSlurm).address, other = sound(with(kSlurm, {{"SLURM_STEP_ID", "1"}})).address;
  EXPECT_NE(one, other);
  EXPECT_EQ(one, sound(with(kSlurm, {{"SLURM_PROCID", "0"}})).address);
}

TEST(Meeting, FirstHost) {
  const std::pair<const char*, const char*> cases[] = {
      {"node1", "node1"}, {"a,b", "a"}, {"n[001-004,007]", "n001"}, {"r[2,5]n[10-12]-ib,x", "r2n10-ib"}, {"n[1", ""}};
  for (const auto& [list, first] : cases) EXPECT_EQ(first_host(list), first) << list;
}

TEST(Meeting, LocalPlace) {
  int rank = 0, size = 0;
  local_place([](const char*) -> const char* { return nullptr; }, &rank, &size);
  EXPECT_EQ(rank, -1);
  EXPECT_EQ(size, 0);
  local_place(
      [](const char* name) -> const char* {
        const auto found = kOpenMpi.find(name);
        return found == kOpenMpi.end() ? nullptr : found->second.c_str();
      },
      &rank, &size);
  EXPECT_EQ(rank, 1);
  EXPECT_EQ(size, 2);
}

TEST(Meeting, Addresses) {
  std::string host;
  int port = 0;
  ASSERT_TRUE(parse_address("h:80", &host, &port).ok());
  EXPECT_EQ(host, "h");
  EXPECT_EQ(port, 80);
  ASSERT_TRUE(parse_address("[::1]:7", &host, &port).ok());
  EXPECT_EQ(host, "::1");
  EXPECT_EQ(join_address(host, port), "[::1]:7");
  for (const char* wrong : {"", "h", "h:", ":1", "h:x", "h:70000", "h:-1", "::1", "[::1]", "a:b:1"})
    EXPECT_EQ(parse_address(wrong, &host, &port).code(), RONDO_INVALID_ARGUMENT) << wrong;
}

}  // namespace
}  // namespace rondo::comm
