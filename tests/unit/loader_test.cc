// The search for run-time libraries. Each case is a process of its own (loader_probe) with an environment and folders
// of fake libraries made for it, and checks what was opened, what the message says and that nothing else was touched.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <rondo/base.h>

namespace {

namespace fs = std::filesystem;
using Environment = std::map<std::string, std::string>;

struct Outcome {
  int code = -1;
  std::multimap<std::string, std::string> lines;
  std::string text;
  // The last value of a key; "" if there is none.
  std::string operator[](const std::string& key) const {
    const auto end = lines.upper_bound(key);
    return lines.count(key) ? std::prev(end)->second : "";
  }
  bool ok() const { return code == 0 && (*this)["status"] == "0"; }
};

class Loader : public ::testing::Test {
 protected:
  Loader() {
    std::string name = (fs::temp_directory_path() / "rondo-loader-XXXXXX").string();
    root = fs::canonical(mkdtemp(name.data()));
    fs::permissions(root, fs::perms(0755));  // for the cases that give up rights
    fs::create_directory(root / "cwd");
  }
  ~Loader() override {
    std::error_code ignored;
    for (const fs::path& each : locked) fs::permissions(each, fs::perms(0755), ignored);
    fs::remove_all(root, ignored);
  }

  // Puts a fake library into a folder below the root under the name a loader looks for; the folder's path.
  std::string plant(const std::string& folder, const std::string& fake, const std::string& name) {
    fs::create_directories(root / folder);
    fs::copy_file(fs::path(FAKE_FOLDER) / ("fake_" + fake + ".so"), root / folder / name);
    return (root / folder).string();
  }
  void write(const fs::path& file, const std::string& bytes) {
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
  }

  // Runs the probe in the case's empty folder `cwd` with exactly this environment.
  Outcome run(Environment environment, const std::vector<std::string>& words, bool without_rights = false) {
    // Sanitizers of the outer process hold for the inner one; the rest of the environment must not matter.
    for (const char* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"})
      if (const char* value = std::getenv(name)) environment[name] = value;
    std::vector<std::string> texts;
    for (const auto& [name, value] : environment) texts.push_back(name + "=" + value);
    std::vector<char*> strings;
    for (std::string& each : texts) strings.push_back(each.data());
    strings.push_back(nullptr);
    std::vector<std::string> arguments{LOADER_PROBE};
    arguments.insert(arguments.end(), words.begin(), words.end());
    std::vector<char*> argv;
    for (std::string& each : arguments) argv.push_back(each.data());
    argv.push_back(nullptr);
    const std::string cwd = (root / "cwd").string();

    int pipe_ends[2];
    EXPECT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      dup2(pipe_ends[1], 1);
      close(pipe_ends[0]);
      close(pipe_ends[1]);
      bool ready = chdir(cwd.c_str()) == 0;
      if (without_rights && geteuid() == 0)
        ready = ready && setgroups(0, nullptr) == 0 && setgid(65534) == 0 && setuid(65534) == 0;
      if (ready) execve(LOADER_PROBE, argv.data(), strings.data());
      _exit(126);
    }
    close(pipe_ends[1]);
    Outcome outcome;
    char buffer[4096];
    for (ssize_t n; (n = read(pipe_ends[0], buffer, sizeof buffer)) > 0;)
      outcome.text.append(buffer, static_cast<size_t>(n));
    close(pipe_ends[0]);
    int state = 0;
    waitpid(child, &state, 0);
    outcome.code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    size_t begin = 0;
    for (size_t end; (end = outcome.text.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const std::string line = outcome.text.substr(begin, end - begin);
      if (const size_t tab = line.find('\t'); tab != std::string::npos)
        outcome.lines.emplace(line.substr(0, tab), line.substr(tab + 1));
    }
    return outcome;
  }

  // The library was not opened, and the message has all the parts.
  void refused(const Outcome& outcome, const std::vector<std::string>& parts) {
    EXPECT_EQ(outcome.code, 0) << outcome.text;
    EXPECT_EQ(outcome["status"], std::to_string(RONDO_LIBRARY_MISSING)) << outcome.text;
    EXPECT_EQ(outcome["path"], "") << outcome.text;
    for (const std::string& part : parts)
      EXPECT_NE(outcome["message"].find(part), std::string::npos) << "lacks: " << part << "\n" << outcome.text;
  }
  void opened(const Outcome& outcome, const std::string& path, const std::string& version) {
    EXPECT_TRUE(outcome.ok()) << outcome.text;
    EXPECT_EQ(outcome["path"], path) << outcome.text;
    EXPECT_EQ(outcome["version"], version) << outcome.text;
  }
  static bool has_probe(const Outcome& outcome, const std::string& place, const std::string& result) {
    for (auto [it, end] = outcome.lines.equal_range("probe"); it != end; ++it)
      if (it->second.find(place) != std::string::npos && it->second.find(result) != std::string::npos) return true;
    return false;
  }

  fs::path root;
  std::vector<fs::path> locked;  // folders to unlock before they can be removed
};

// --- the setting ---

TEST_F(Loader, SettingNamesAFile) {
  const std::string folder = plant("any", "cuda_12040", "renamed.so");
  opened(run({{"RONDO_CUDA_DRIVER", folder + "/renamed.so"}}, {"open", "driver"}), folder + "/renamed.so", "CUDA 12.4");
}

TEST_F(Loader, SettingNamesAFolder) {
  const std::string folder = plant("any", "cuda_13000", "libcuda.so.1");
  const Outcome outcome = run({{"RONDO_CUDA_DRIVER", folder}}, {"open", "driver"});
  opened(outcome, folder + "/libcuda.so.1", "CUDA 13.0");
  EXPECT_TRUE(has_probe(outcome, folder + "/libcuda.so.1 (setting RONDO_CUDA_DRIVER)", "ok")) << outcome.text;
}

TEST_F(Loader, NoneHidesTheLibrary) {
  // Even one that is in the process.
  const std::string folder = plant("any", "cuda_12040", "libcuda.so.1");
  refused(run({{"RONDO_CUDA_DRIVER", "none"}}, {"load", folder + "/libcuda.so.1", "open", "driver"}),
          {"the CUDA driver (libcuda.so.1)", "hidden by the setting RONDO_CUDA_DRIVER=none", "unset"});
  for (const auto& [library, name] : std::map<std::string, std::string>{
           {"nvrtc", "RONDO_NVRTC"}, {"cublaslt", "RONDO_CUBLASLT"}, {"blas", "RONDO_BLAS"}})
    refused(run({{name, "none"}}, {"open", library}), {name + "=none"});
}

TEST_F(Loader, RelativePathsAreRefused) {
  plant("cwd", "cuda_12040", "libcuda.so.1");
  for (const char* value : {"libcuda.so.1", "./libcuda.so.1", ".", "../cwd"})
    refused(run({{"RONDO_CUDA_DRIVER", value}}, {"open", "driver"}),
            {std::string(value) + " (setting RONDO_CUDA_DRIVER): not an absolute path", "set RONDO_CUDA_DRIVER"});
}

TEST_F(Loader, AFailureOfTheSettingIsFinal) {
  // A good one is to be found elsewhere, but the setting says otherwise.
  const std::string good = plant("good", "nvrtc_12_4", "libnvrtc.so.12");
  fs::create_directories(root / "empty");
  const std::string empty = (root / "empty").string();
  refused(run({{"RONDO_NVRTC", empty}, {"LD_LIBRARY_PATH", good}}, {"open", "nvrtc"}),
          {empty + " (setting RONDO_NVRTC): the folder has none of the expected files"});
  refused(run({{"RONDO_NVRTC", empty + "/libnvrtc.so.12"}, {"LD_LIBRARY_PATH", good}}, {"open", "nvrtc"}),
          {empty + "/libnvrtc.so.12", "No such file", "set RONDO_NVRTC to the file or its folder"});
}

// --- the search ---

TEST_F(Loader, NotFoundListsThePlacesAndTheWayOut) {
  const Outcome outcome = run({}, {"open", "nvrtc"});
  if (outcome.ok()) GTEST_SKIP() << "this machine has an NVRTC that cannot be hidden: " << outcome["path"];
  refused(outcome, {"NVRTC (libnvrtc) was not found; tried", "libnvrtc.so.13 (already in the process): not loaded",
                    "libnvrtc.so.12 (system loader)", "cannot open shared object file", "install CUDA's NVRTC",
                    "set RONDO_NVRTC to the file or its folder"});
  const Outcome driver = run({}, {"open", "driver"});
  if (!driver.ok()) refused(driver, {"the CUDA driver (libcuda.so.1) was not found", "install the NVIDIA driver"});
}

TEST_F(Loader, TheSystemLoaderIsAsked) {
  const std::string folder = plant("system", "cuda_12040", "libcuda.so.1");
  const Outcome outcome = run({{"LD_LIBRARY_PATH", folder}}, {"open", "driver"});
  opened(outcome, folder + "/libcuda.so.1", "CUDA 12.4");
  EXPECT_TRUE(has_probe(outcome, "libcuda.so.1 (system loader)", "ok")) << outcome.text;
}

TEST_F(Loader, WhatIsInTheProcessComesFirst) {
  const std::string loaded = plant("loaded", "cuda_12040", "libcuda.so.1");
  const std::string system = plant("system", "cuda_13000", "libcuda.so.1");
  const Outcome outcome = run({{"LD_LIBRARY_PATH", system}}, {"load", loaded + "/libcuda.so.1", "open", "driver"});
  opened(outcome, loaded + "/libcuda.so.1", "CUDA 12.4");
  EXPECT_TRUE(has_probe(outcome, "already in the process", "ok")) << outcome.text;
}

TEST_F(Loader, WheelFoldersOfTheEnvironment) {
  const std::string lib = "lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib";
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string where = std::string("env-") + variable;
    const std::string folder = plant(where + "/" + lib, "nvrtc_12_4", "libnvrtc.so.12");
    const Outcome outcome = run({{variable, (root / where).string()}}, {"open", "nvrtc"});
    opened(outcome, folder + "/libnvrtc.so.12", "CUDA 12.4");
    EXPECT_TRUE(has_probe(outcome, std::string("wheel below $") + variable, "ok")) << outcome.text;
  }
  // The layout of CUDA 13's wheels, and an environment that is preferred to the system's loader.
  const std::string folder =
      plant("env13/lib/python3.12/site-packages/nvidia/cu13/lib", "nvrtc_13_0", "libnvrtc.so.13");
  const std::string system = plant("system", "nvrtc_12_4", "libnvrtc.so.12");
  opened(run({{"VIRTUAL_ENV", (root / "env13").string()}, {"LD_LIBRARY_PATH", system}}, {"open", "nvrtc"}),
         folder + "/libnvrtc.so.13", "CUDA 13.0");
}

TEST_F(Loader, ToolkitFolders) {
  const std::string folder = plant("toolkit/lib64", "nvrtc_12_4", "libnvrtc.so.12");
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const Outcome outcome = run({{variable, (root / "toolkit").string()}}, {"open", "nvrtc"});
    if (outcome.ok() && outcome["path"].find(root.string()) != 0)
      GTEST_SKIP() << "this machine's loader finds an NVRTC first: " << outcome["path"];
    opened(outcome, folder + "/libnvrtc.so.12", "CUDA 12.4");
  }
  // The driver is never taken from a toolkit: there are only stubs.
  plant("toolkit/lib64", "cuda_12040", "libcuda.so.1");
  const Outcome driver = run({{"CUDA_HOME", (root / "toolkit").string()}}, {"open", "driver"});
  EXPECT_EQ(driver["path"].find(root.string()), std::string::npos) << driver.text;
}

TEST_F(Loader, BareNamesAreNeverOpened) {
  // Toolkits keep stubs under the bare name.
  std::string folder = plant("bare", "nvrtc_12_4", "libnvrtc.so");
  refused(run({{"RONDO_NVRTC", folder}}, {"open", "nvrtc"}), {"none of the expected files"});
  folder = plant("bare", "cuda_12040", "libcuda.so");
  refused(run({{"RONDO_CUDA_DRIVER", folder}}, {"open", "driver"}), {"none of the expected files"});
}

TEST_F(Loader, NothingIsOpenedFromTheCurrentFolder) {
  plant("cwd", "cuda_12040", "libcuda.so.1");
  plant("cwd", "nvrtc_12_4", "libnvrtc.so.12");
  plant("cwd/lib64", "nvrtc_12_4", "libnvrtc.so.12");
  plant("cwd/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib", "nvrtc_12_4", "libnvrtc.so.12");
  const std::vector<Environment> environments = {
      {},
      {{"CUDA_HOME", "."}, {"CUDA_PATH", ""}, {"VIRTUAL_ENV", "."}, {"CONDA_PREFIX", ""}},
      // What an unlucky `export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:...` leaves behind.
      {{"LD_LIBRARY_PATH", ":"}},
      {{"LD_LIBRARY_PATH", "/nowhere::/nowhere"}},
      {{"LD_LIBRARY_PATH", "."}},
  };
  for (const Environment& environment : environments)
    for (const char* library : {"driver", "nvrtc"}) {
      const Outcome outcome = run(
          environment, {"open", library, "symbol", library == std::string("driver") ? "libcuda.so.1" : "libnvrtc.so.12",
                        "fake_version_calls"});
      EXPECT_EQ(outcome["path"].find('/') == 0 && outcome["path"].find(root.string()) != 0, outcome.ok())
          << outcome.text;
      if (!outcome.ok()) {
        EXPECT_EQ(outcome["symbol"], "absent") << "it was loaded, though not used: " << outcome.text;
      }
    }
  const Outcome outcome = run({{"LD_LIBRARY_PATH", ":"}}, {"open", "driver"});
  if (!outcome.ok()) {
    refused(outcome, {"LD_LIBRARY_PATH", "current folder"});
  }
}

// --- what will not do ---

TEST_F(Loader, ADriverThatIsTooOld) {
  const std::string folder = plant("old", "cuda_11000", "libcuda.so.1");
  refused(run({{"RONDO_CUDA_DRIVER", folder}}, {"open", "driver"}),
          {folder + "/libcuda.so.1", "driver is for CUDA 11.0", "CUDA 11.2 (driver 460) or newer is needed"});
}

TEST_F(Loader, TheToolkitsStub) {
  const std::string folder = plant("stub", "cuda_stub", "libcuda.so.1");
  refused(run({{"RONDO_CUDA_DRIVER", folder}}, {"open", "driver"}),
          {"is the toolkit's stub library, not a driver", folder + "/libcuda.so.1"});
}

TEST_F(Loader, ALibraryThatIsSomethingElse) {
  const std::string folder = plant("other", "cuda_other", "libcuda.so.1");
  refused(run({{"RONDO_CUDA_DRIVER", folder}}, {"open", "driver"}), {"not a CUDA driver"});
  refused(run({{"RONDO_NVRTC", folder + "/libcuda.so.1"}}, {"open", "nvrtc"}), {"not NVRTC"});
  refused(run({{"RONDO_CUBLASLT", folder + "/libcuda.so.1"}}, {"open", "cublaslt"}), {"not cuBLASLt"});
  const std::string blas = plant("blas", "fortran_blas", "libblas.so.3");
  refused(run({{"RONDO_BLAS", blas}}, {"open", "blas"}), {"has no cblas_sgemm", "without the C interface"});
}

TEST_F(Loader, DamagedFiles) {
  write(root / "text/libcuda.so.1",
        "this is not a library, but long enough to hold the header of one, which is 64 bytes");
  refused(run({{"RONDO_CUDA_DRIVER", (root / "text").string()}}, {"open", "driver"}), {"invalid ELF header"});
  write(root / "empty/libcuda.so.1", "");
  refused(run({{"RONDO_CUDA_DRIVER", (root / "empty").string()}}, {"open", "driver"}), {"file too short"});
  // The first bytes of a real one.
  std::string bytes;
  {
    std::ifstream good(fs::path(FAKE_FOLDER) / "fake_cuda_12040.so", std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(good), {});
  }
  ASSERT_GT(bytes.size(), 1000u);
  write(root / "cut/libcuda.so.1", bytes.substr(0, 40));
  refused(run({{"RONDO_CUDA_DRIVER", (root / "cut").string()}}, {"open", "driver"}), {"file too short"});
  bytes[4] = 1;  // ELFCLASS32
  write(root / "narrow/libcuda.so.1", bytes);
  refused(run({{"RONDO_CUDA_DRIVER", (root / "narrow").string()}}, {"open", "driver"}),
          {"wrong ELF class: ELFCLASS32"});
}

TEST_F(Loader, AFolderWithoutPermission) {
  const std::string folder = plant("closed", "cuda_12040", "libcuda.so.1");
  fs::permissions(root / "closed", fs::perms::none);
  locked.push_back(root / "closed");
  const Outcome outcome = run({{"RONDO_CUDA_DRIVER", folder}}, {"open", "driver"}, true);
  if (outcome.code == 126) GTEST_SKIP() << "an ordinary user cannot run " << LOADER_PROBE;
  refused(outcome, {folder + "/libcuda.so.1", "Permission denied"});
}

TEST_F(Loader, AFileWithoutPermission) {
  const std::string folder = plant("closed", "cuda_12040", "libcuda.so.1");
  fs::permissions(root / "closed/libcuda.so.1", fs::perms::none);
  const Outcome outcome = run({{"RONDO_CUDA_DRIVER", folder}}, {"open", "driver"}, true);
  if (outcome.code == 126) GTEST_SKIP() << "an ordinary user cannot run " << LOADER_PROBE;
  refused(outcome, {folder + "/libcuda.so.1", "Permission denied"});
}

TEST_F(Loader, SetUidProgramsIgnoreTheEnvironment) {
  GTEST_SKIP() << "needs a set-uid program, which a test must not install; see environment() in base/settings.cc";
}

// --- absent functions ---

TEST_F(Loader, AnAbsentFunctionIsAnErrorOnlyWhenCalled) {
  const std::string folder = plant("any", "cuda_12040", "libcuda.so.1");
  const Outcome outcome = run({{"RONDO_CUDA_DRIVER", folder}}, {"open", "driver", "call", "cuFuncLoad"});
  EXPECT_TRUE(outcome.ok()) << "opening needs none of them: " << outcome.text;
  EXPECT_EQ(outcome["missing"], "yes");
  for (const char* part : {"the CUDA driver (libcuda.so.1)", "has no function cuFuncLoad", "found version CUDA 12.4",
                           "/libcuda.so.1", "CUDA 12.4 or newer is needed"})
    EXPECT_NE(outcome["why"].find(part), std::string::npos) << "lacks: " << part << "\n" << outcome.text;
  const std::string blas = plant("blas", "cblas", "libopenblas.so.0");
  const Outcome other = run({{"RONDO_BLAS", blas}}, {"call", "openblas_get_config"});
  EXPECT_EQ(other["missing"], "yes");
  EXPECT_NE(other["why"].find("has no function openblas_get_config"), std::string::npos) << other.text;
  EXPECT_NE(other["why"].find("another build"), std::string::npos) << other.text;
}

TEST_F(Loader, ACallWithoutTheLibrarySaysWhyThereIsNone) {
  const Outcome outcome = run({{"RONDO_CUDA_DRIVER", "none"}}, {"call", "cuLaunchKernel"});
  EXPECT_EQ(outcome["missing"], "yes");
  EXPECT_NE(outcome["why"].find("RONDO_CUDA_DRIVER=none"), std::string::npos) << outcome.text;
}

// --- versions ---

class LoaderVersions : public Loader {
 protected:
  LoaderVersions() {
    both = plant("both", "nvrtc_12_4", "libnvrtc.so.12");
    plant("both", "nvrtc_13_0", "libnvrtc.so.13");
    plant("both", "builtins_12_4", "libnvrtc-builtins.so.12.4");
    plant("both", "builtins_13_0", "libnvrtc-builtins.so.13.0");
    plant("both", "cublaslt_12", "libcublasLt.so.12");
    plant("both", "cublaslt_13", "libcublasLt.so.13");
    driver12 = plant("driver12", "cuda_12040", "libcuda.so.1");
    driver13 = plant("driver13", "cuda_13000", "libcuda.so.1");
  }
  std::string both, driver12, driver13;
};

TEST_F(LoaderVersions, TheNewestOfTwoSideBySide) {
  opened(run({{"RONDO_CUDA_DRIVER", driver13}, {"RONDO_NVRTC", both}}, {"open", "driver", "open", "nvrtc"}),
         both + "/libnvrtc.so.13", "CUDA 13.0");
}

TEST_F(LoaderVersions, NewerThanTheDriverGivesWayToTheOlderBesideIt) {
  const Outcome outcome =
      run({{"RONDO_CUDA_DRIVER", driver12}, {"RONDO_NVRTC", both}}, {"open", "driver", "open", "nvrtc"});
  opened(outcome, both + "/libnvrtc.so.12", "CUDA 12.4");
  EXPECT_TRUE(has_probe(outcome, both + "/libnvrtc.so.13", "newer than the driver's CUDA 12")) << outcome.text;
  opened(run({{"RONDO_CUDA_DRIVER", driver12}, {"RONDO_CUBLASLT", both}}, {"open", "driver", "open", "cublaslt"}),
         both + "/libcublasLt.so.12", "12.4.0");
}

TEST_F(LoaderVersions, TheDriverCountsEvenIfNobodyAskedForItYet) {
  opened(run({{"RONDO_CUDA_DRIVER", driver12}, {"RONDO_NVRTC", both}}, {"open", "nvrtc"}), both + "/libnvrtc.so.12",
         "CUDA 12.4");
  opened(run({{"RONDO_CUDA_DRIVER", driver12}, {"RONDO_CUBLASLT", both}}, {"open", "cublaslt"}),
         both + "/libcublasLt.so.12", "12.4.0");
}

TEST_F(LoaderVersions, OnlyANewerOneIsRefusedWithTheReason) {
  refused(run({{"RONDO_CUDA_DRIVER", driver12}, {"RONDO_NVRTC", both + "/libnvrtc.so.13"}},
              {"open", "driver", "open", "nvrtc"}),
          {"NVRTC is of CUDA 13.0, newer than the driver's CUDA 12", both + "/libnvrtc.so.13"});
  refused(run({{"RONDO_CUDA_DRIVER", driver12}, {"RONDO_CUBLASLT", both + "/libcublasLt.so.13"}},
              {"open", "driver", "open", "cublaslt"}),
          {"cuBLASLt 13.0.0 is newer than the driver's CUDA 12"});
}

TEST_F(LoaderVersions, BuiltinsAreLoadedFirstFromTheSameFolder) {
  for (const std::string& setting : {both, both + "/libnvrtc.so.12"}) {
    const Outcome outcome =
        run({{"RONDO_CUDA_DRIVER", driver12}, {"RONDO_NVRTC", setting}},
            {"open", "driver", "open", "nvrtc", "symbol", "libnvrtc.so.12", "fake_builtins_were_there"});
    EXPECT_TRUE(outcome.ok()) << outcome.text;
    EXPECT_EQ(outcome["symbol"], "1") << "NVRTC looks for its builtins when it is loaded: " << outcome.text;
  }
}

TEST_F(LoaderVersions, CublasLtIsTakenFromBesideNvrtc) {
  const std::string system = plant("system", "cublaslt_12", "libcublasLt.so.12");
  const Outcome outcome = run({{"RONDO_CUDA_DRIVER", driver13}, {"RONDO_NVRTC", both}, {"LD_LIBRARY_PATH", system}},
                              {"open", "driver", "open", "nvrtc", "open", "cublaslt"});
  opened(outcome, both + "/libcublasLt.so.13", "13.0.0");
  EXPECT_TRUE(has_probe(outcome, "beside a loaded library", "ok")) << outcome.text;
}

// --- manners ---

TEST_F(Loader, ManyThreadsLoadOnce) {
  const std::string folder = plant("any", "cuda_12040", "libcuda.so.1");
  for (int round = 0; round < 5; ++round) {
    const Outcome outcome = run({{"RONDO_CUDA_DRIVER", folder}},
                                {"threads", "16", "symbol", "libcuda.so.1", "fake_version_calls", "open", "driver"});
    EXPECT_EQ(outcome["opened"], "16") << outcome.text;
    EXPECT_EQ(outcome["symbol"], "1") << "asked for its version once: " << outcome.text;
    EXPECT_EQ(outcome.lines.count("probe"), 1u) << outcome.text;
  }
}

TEST_F(Loader, TheLocaleSurvivesACompile) {
  const std::string folder = plant("any", "nvrtc_12_4", "libnvrtc.so.12");
  const Outcome outcome =
      run({{"RONDO_CUDA_DRIVER", "none"}, {"RONDO_NVRTC", folder}, {"LC_ALL", "C.UTF-8"}}, {"compile"});
  EXPECT_EQ(outcome["compiled"], "compiled") << outcome.text;
  if (outcome["before"] == "C") GTEST_SKIP() << "this machine has no locale C.UTF-8";
  EXPECT_EQ(outcome["after"], outcome["before"]) << outcome.text;
}

}  // namespace
