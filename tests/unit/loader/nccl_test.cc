// Finding NCCL: absent, too old, not NCCL, damaged, made for another machine; functions that a version lacks.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "fixture.h"

namespace rondo_test {
namespace {

class LoaderNccl : public Loader {
 protected:
  LoaderNccl() { driver = plant("driver", "cuda_12040", "libcuda.so.1"); }
  Outcome open(const std::string& folder, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"open", "nccl"};
    words.insert(words.end(), more.begin(), more.end());
    return run({{"RONDO_CUDA_DRIVER", driver}, {"RONDO_NVRTC", "none"}, {"RONDO_NCCL", folder}}, words);
  }
  std::string driver;
};

TEST_F(LoaderNccl, NewAndOldEnough) {
  const std::string now = plant("new", "nccl_22809", "libnccl.so.2"),
                    oldest = plant("old", "nccl_20906", "libnccl.so.2");
  opened(open(now), now + "/libnccl.so.2", "2.28.9");
  opened(open(oldest), oldest + "/libnccl.so.2", "2.9.6");
  opened(open(now + "/libnccl.so.2"), now + "/libnccl.so.2", "2.28.9");
}

TEST_F(LoaderNccl, WhereWheelsHaveIt) {
  const std::string site = "env/lib/python3.11/site-packages/nvidia/";
  const std::string nccl = plant(site + "nccl/lib", "nccl_22809", "libnccl.so.2");
  opened(run({{"RONDO_CUDA_DRIVER", driver}, {"RONDO_NVRTC", "none"}, {"VIRTUAL_ENV", (root / "env").string()}},
             {"open", "nccl"}),
         nccl + "/libnccl.so.2", "2.28.9");
}

TEST_F(LoaderNccl, Absent) {
  fs::create_directories(root / "empty");
  refused(open((root / "empty").string()), {"NCCL (libnccl) was not found", "install NCCL", "nvidia-nccl-cu12"});
  refused(open("none"), {"NCCL (libnccl)", "RONDO_NCCL"});
  driver = plant("driver13", "cuda_13000", "libcuda.so.1");
  refused(open((root / "empty").string()), {"nvidia-nccl-cu13"});
}

TEST_F(LoaderNccl, TooOld) {
  // Up to 2.8 versions were counted otherwise.
  for (const auto& [fake, version] : {std::pair{"nccl_2804", "2.8.4"}, {"nccl_20905", "2.9.5"}}) {
    const std::string folder = plant(fake, fake, "libnccl.so.2");
    refused(open(folder),
            {std::string("is NCCL ") + version + "; 2.9.6 or newer is needed", "update NCCL to 2.9.6 or newer"});
  }
}

TEST_F(LoaderNccl, NoNccl) {
  refused(open(plant("stub", "nccl_stub", "libnccl.so.2")), {"has no ncclGetVersion: not NCCL"});
  refused(open(plant("failing", "nccl_failing", "libnccl.so.2")), {"does not answer: ncclGetVersion failed with 3"});
}

TEST_F(LoaderNccl, DamagedOrForAnotherMachine) {
  const std::string bytes = bytes_of("nccl_22809");
  write(root / "cut/libnccl.so.2", bytes.substr(0, end_of_segments(bytes) - 1));
  write(root / "text/libnccl.so.2", "not a library");
  std::string foreign = bytes;
  foreign[offsetof(ElfW(Ehdr), e_machine)] = static_cast<char>(EM_S390);
  write(root / "foreign/libnccl.so.2", foreign);
  for (const char* folder : {"cut", "text", "foreign"})
    refused(open((root / folder).string()), {"NCCL (libnccl) cannot be used", "libnccl.so.2"});
}

// One that says 2.9 has no configured making, and what else it lacks is told when it is called.
TEST_F(LoaderNccl, AFunctionThatIsMissing) {
  const std::string folder = plant("old", "nccl_20906", "libnccl.so.2");
  const Outcome outcome = open(folder, {"call", "ncclCommInitRankConfig", "call", "ncclAllReduce"});
  EXPECT_TRUE(outcome.ok()) << outcome.text;
  EXPECT_EQ(outcome.lines.count("missing"), 2u);
  EXPECT_EQ(outcome.text.find("missing\tno"), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("ncclCommInitRankConfig"), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("2.14.3"), std::string::npos) << outcome.text;
}

}  // namespace
}  // namespace rondo_test
