// The search for run-time libraries: settings, places, versions, absent functions. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include <sys/prctl.h>
#include <sys/statvfs.h>

#include "fixture.h"

namespace rondo_test {
namespace {

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
  for (const auto& [library, name] : std::map<std::string, std::string>{{"nvrtc", "RONDO_NVRTC"},
                                                                        {"cublaslt", "RONDO_CUBLASLT"},
                                                                        {"cudnn", "RONDO_CUDNN"},
                                                                        {"blas", "RONDO_BLAS"},
                                                                        {"onednn", "RONDO_ONEDNN"}})
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
                    "libnvrtc.so.12 (system loader)", "cannot open shared object file", "install NVRTC of CUDA",
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
      {{"LD_LIBRARY_PATH", "/dev/null/nowhere::/dev/null/nowhere"}},
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
  // Set but empty, the system's loader ignores it, and so does the search.
  const Outcome empty = run({{"LD_LIBRARY_PATH", ""}}, {"open", "driver"});
  EXPECT_EQ(empty.text.find("current folder"), std::string::npos) << empty.text;
}

TEST_F(Loader, FoldersOfLesserProcessorsAreLeftOut) {
  // Below each folder it searches, the system's loader prefers these; which of them depends on its age and the
  // processor.
  for (const char* below : {"glibc-hwcaps/x86-64-v2", "glibc-hwcaps/x86-64-v3", "glibc-hwcaps/x86-64-v4", "tls",
                            "x86_64", "haswell", "tls/haswell/x86_64", "tls/x86_64/x86_64"}) {
    plant(std::string("cwd/") + below, "cuda_12040", "libcuda.so.1");
    plant(std::string("cwd/sub/") + below, "cuda_12040", "libcuda.so.1");
    for (const char* path : {":", ".", "sub", "./sub:/dev/null/nowhere"}) {
      const Outcome outcome =
          run({{"LD_LIBRARY_PATH", path}}, {"open", "driver", "symbol", "libcuda.so.1", "fake_version_calls"});
      EXPECT_EQ(outcome["path"].find("cwd"), std::string::npos) << outcome.text;
      EXPECT_EQ(outcome["symbol"], "absent") << "it was loaded, though not used: " << outcome.text;
    }
    fs::remove_all(root / "cwd");
    fs::create_directory(root / "cwd");
  }
}

// --- what will not do ---

TEST_F(Loader, ADriverThatIsTooOld) {
  const std::string folder = plant("old", "cuda_11000", "libcuda.so.1");
  refused(run({{"RONDO_CUDA_DRIVER", folder}}, {"open", "driver"}),
          {"the CUDA driver (libcuda.so.1) is too old; tried", folder + "/libcuda.so.1", "driver is for CUDA 11.0",
           "CUDA 11.2 (driver 460) or newer is needed", "update the NVIDIA driver"});
}

TEST_F(Loader, TheToolkitsStub) {
  const std::string folder = plant("stub", "cuda_stub", "libcuda.so.1");
  refused(run({{"RONDO_CUDA_DRIVER", folder}}, {"open", "driver"}),
          {"is the toolkit's stub library, not a driver", folder + "/libcuda.so.1"});
  // Found where the system's loader looks, it is named by its file.
  const Outcome outcome = run({{"LD_LIBRARY_PATH", folder}}, {"open", "driver"});
  EXPECT_TRUE(has_probe(outcome, folder + "/libcuda.so.1 (system loader)", "is the toolkit's stub library"))
      << outcome.text;
}

TEST_F(Loader, ALibraryThatIsSomethingElse) {
  const std::string folder = plant("other", "cuda_other", "libcuda.so.1");
  refused(run({{"RONDO_CUDA_DRIVER", folder}}, {"open", "driver"}), {"not a CUDA driver"});
  refused(run({{"RONDO_NVRTC", folder + "/libcuda.so.1"}}, {"open", "nvrtc"}), {"not NVRTC"});
  refused(run({{"RONDO_CUBLASLT", folder + "/libcuda.so.1"}}, {"open", "cublaslt"}), {"not cuBLASLt"});
  const std::string blas = plant("blas", "fortran_blas", "libblas.so.3");
  refused(run({{"RONDO_BLAS", blas}}, {"open", "blas"}), {"has no cblas_sgemm", "without the C interface"});
}

TEST_F(Loader, SetUidProgramsIgnoreTheEnvironment) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the leak sanitizer may not look into a set-uid program";
#endif
  if (geteuid() != 0) GTEST_SKIP() << "only root can make a set-uid program of another user";
  struct statvfs mount;
  ASSERT_EQ(statvfs(root.c_str(), &mount), 0);
  if (mount.f_flag & ST_NOSUID) GTEST_SKIP() << root << " is on a file system mounted with nosuid";
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) GTEST_SKIP() << "this process may not start set-uid programs";
  const std::string program = (root / "probe").string();
  fs::copy_file(LOADER_PROBE, program);
  if (chown(program.c_str(), 65534, 65534) != 0) GTEST_SKIP() << "no file can be given to user 65534 here";
  ASSERT_EQ(chmod(program.c_str(), 04755), 0);
  const std::string driver = plant("any", "cuda_12040", "libcuda.so.1");
  const std::string nvrtc = plant("home/lib64", "nvrtc_12_4", "libnvrtc.so.12");
  const Outcome plain = run({{"RONDO_CUDA_DRIVER", driver}}, {"secure", "open", "driver"});
  EXPECT_EQ(plain["secure"], "no");
  opened(plain, driver + "/libcuda.so.1", "CUDA 12.4");
  for (const std::string& value : {driver, std::string("none")}) {
    const Outcome outcome =
        run({{"RONDO_CUDA_DRIVER", value}, {"LD_LIBRARY_PATH", driver}}, {"secure", "open", "driver"}, false, program);
    if (outcome.code == 126) GTEST_SKIP() << "no program can be run from " << root;
    EXPECT_EQ(outcome["secure"], "yes") << outcome.text;
    EXPECT_EQ(outcome.text.find(root.string()), std::string::npos) << outcome.text;
    EXPECT_EQ(outcome.text.find("hidden by the setting"), std::string::npos) << outcome.text;
  }
  const Outcome toolkit = run({{"RONDO_NVRTC", nvrtc}, {"CUDA_HOME", (root / "home").string()}},
                              {"secure", "open", "nvrtc"}, false, program);
  EXPECT_EQ(toolkit.text.find(root.string()), std::string::npos) << toolkit.text;
}

// --- OpenBLAS's kernels and threads ---

TEST_F(Loader, OpenBlasIsToldOfAnUnknownProcessor) {
  const std::string has = run({}, {"instructions"})["instructions"];
  const std::string known = has == "avx512" ? "SkylakeX" : has == "avx2" ? "Haswell" : "Prescott";
  const std::string old = plant("old", "openblas_old", "libopenblas.so.0"), file = old + "/libopenblas.so.0";
  const Outcome outcome = run({{"RONDO_BLAS", old}}, {"open", "blas", "environment", "OPENBLAS_CORETYPE"});
  opened(outcome, file, known + ", 1 threads");
  EXPECT_EQ(outcome["environment"], "absent");
  // What it knows by itself, or was told by the user, stays.
  const std::string zen = plant("zen", "openblas_zen", "libopenblas.so.0");
  opened(run({{"RONDO_BLAS", zen}}, {"open", "blas"}), zen + "/libopenblas.so.0", "Zen, 1 threads");
  opened(run({{"RONDO_BLAS", old}, {"OPENBLAS_CORETYPE", "Core2"}}, {"open", "blas"}), file, "Core2, 1 threads");
}

TEST_F(Loader, OpenBlasOfTheProgramStaysAsItIs) {
  const std::string old = plant("old", "openblas_old", "libopenblas.so.0"), file = old + "/libopenblas.so.0";
  opened(run({}, {"load", file, "open", "blas"}), file, "Prescott, 8 threads");
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

TEST_F(LoaderVersions, NewerThanTheDriverYieldsToOlder) {
  const Outcome outcome =
      run({{"RONDO_CUDA_DRIVER", driver12}, {"RONDO_NVRTC", both}}, {"open", "driver", "open", "nvrtc"});
  opened(outcome, both + "/libnvrtc.so.12", "CUDA 12.4");
  EXPECT_TRUE(has_probe(outcome, both + "/libnvrtc.so.13", "newer than the driver's CUDA 12")) << outcome.text;
  opened(run({{"RONDO_CUDA_DRIVER", driver12}, {"RONDO_CUBLASLT", both}}, {"open", "driver", "open", "cublaslt"}),
         both + "/libcublasLt.so.12", "12.4.0");
}

TEST_F(LoaderVersions, DriverCountsThoughNotYetOpened) {
  opened(run({{"RONDO_CUDA_DRIVER", driver12}, {"RONDO_NVRTC", both}}, {"open", "nvrtc"}), both + "/libnvrtc.so.12",
         "CUDA 12.4");
  opened(run({{"RONDO_CUDA_DRIVER", driver12}, {"RONDO_CUBLASLT", both}}, {"open", "cublaslt"}),
         both + "/libcublasLt.so.12", "12.4.0");
}

TEST_F(LoaderVersions, UnfitForADeviceYieldsToWhatFits) {
  const std::string old_gpu = plant("old_gpu", "cuda_13000_sm70", "libcuda.so.1");
  const Outcome outcome = run({{"RONDO_CUDA_DRIVER", old_gpu}, {"RONDO_NVRTC", both}, {"RONDO_CUBLASLT", both}},
                              {"device", "open", "nvrtc", "open", "cublaslt"});
  EXPECT_TRUE(has_probe(outcome, both + "/libnvrtc.so.13", "CUDA 13, which serves no device of compute capability 7.0"))
      << outcome.text;
  EXPECT_TRUE(has_probe(outcome, both + "/libnvrtc.so.12", "ok")) << outcome.text;
  EXPECT_TRUE(has_probe(outcome, both + "/libcublasLt.so.13", "serves no device")) << outcome.text;
  opened(outcome, both + "/libcublasLt.so.12", "12.4.0");
  // Where there is nothing better it is taken: it may serve another device, and its refusal says what would do.
  opened(run({{"RONDO_CUDA_DRIVER", old_gpu}, {"RONDO_NVRTC", both + "/libnvrtc.so.13"}}, {"device", "open", "nvrtc"}),
         both + "/libnvrtc.so.13", "CUDA 13.0");
}

TEST_F(LoaderVersions, AdviceNamesTheVersionThatFits) {
  const std::string empty = (root / "empty").string();
  fs::create_directories(empty);
  const std::string driver11 = plant("driver11", "cuda_11040", "libcuda.so.1");
  const std::string old_gpu = plant("old_gpu", "cuda_13000_sm70", "libcuda.so.1");
  struct Case {
    std::string driver, major, nvrtc, cublas;
  };
  for (const Case& each : {Case{driver11, "11", "nvidia-cuda-nvrtc-cu11", "nvidia-cublas-cu11"},
                           {driver12, "12", "nvidia-cuda-nvrtc-cu12", "nvidia-cublas-cu12"},
                           {driver13, "13", "nvidia-cuda-nvrtc, version 13", "nvidia-cublas, version 13"},
                           {old_gpu, "12", "nvidia-cuda-nvrtc-cu12", "nvidia-cublas-cu12"},
                           {"none", "13", "nvidia-cuda-nvrtc, version 13", "nvidia-cublas, version 13"}}) {
    const Environment environment = {
        {"RONDO_CUDA_DRIVER", each.driver}, {"RONDO_NVRTC", empty}, {"RONDO_CUBLASLT", empty}};
    refused(run(environment, {"device", "open", "nvrtc"}),
            {"install NVRTC of CUDA " + each.major + " (PyPI: " + each.nvrtc + ")"});
    refused(run(environment, {"device", "open", "cublaslt"}),
            {"install cuBLAS of CUDA " + each.major + " (PyPI: " + each.cublas + ")"});
  }
}

TEST_F(LoaderVersions, LoneNewerOneIsRefused) {
  refused(run({{"RONDO_CUDA_DRIVER", driver12}, {"RONDO_NVRTC", both + "/libnvrtc.so.13"}},
              {"open", "driver", "open", "nvrtc"}),
          {"NVRTC is of CUDA 13.0, newer than the driver's CUDA 12", both + "/libnvrtc.so.13"});
  refused(run({{"RONDO_CUDA_DRIVER", driver12}, {"RONDO_CUBLASLT", both + "/libcublasLt.so.13"}},
              {"open", "driver", "open", "cublaslt"}),
          {"cuBLASLt 13.0.0 is newer than the driver's CUDA 12"});
}

TEST_F(LoaderVersions, BuiltinsAreLoadedFirst) {
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
}  // namespace rondo_test
