// Files that the system's loader would die of, wait for or stop at: none reaches it, wherever it lies, and none hides a
// good one. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <cstdio>

#include "fixture.h"

namespace rondo_test {
namespace {

class LoaderFiles : public Loader {
 protected:
  // The first page of a fake library: its header promises more.
  std::string plant_cut(const std::string& folder, const std::string& fake, const std::string& name) {
    write(root / folder / name, bytes_of(fake).substr(0, 4096));
    return (root / folder / name).string();
  }
  std::string plant_pipe(const std::string& folder, const std::string& name) {
    fs::create_directories(root / folder);
    EXPECT_EQ(mkfifo((root / folder / name).c_str(), 0644), 0);
    return (root / folder / name).string();
  }
  std::string at(const std::string& folder) { return (root / folder).string(); }
};

// What is refused is all there is.
class LoaderFilesAlone : public LoaderFiles {
 protected:
  void SetUp() override {
    const std::string own = run({}, {"open", "driver"})["path"];
    if (!own.empty()) GTEST_SKIP() << "this machine's loader finds a driver whatever the environment says: " << own;
  }
};

TEST_F(LoaderFiles, DamagedFiles) {
  write(root / "text/libcuda.so.1",
        "this is not a library, but long enough to hold the header of one, which is 64 bytes");
  refused(run({{"RONDO_CUDA_DRIVER", (root / "text").string()}}, {"open", "driver"}),
          {"libcuda.so.1", "is no library: it has no ELF header"});
  write(root / "empty/libcuda.so.1", "");
  refused(run({{"RONDO_CUDA_DRIVER", (root / "empty").string()}}, {"open", "driver"}),
          {"libcuda.so.1", "is an empty file"});
}

TEST_F(LoaderFiles, AFileThatWasCut) {
  // The system's loader maps what the header says and dies of what is not there (SIGBUS).
  const std::string bytes = bytes_of("cuda_12040");
  const size_t end = end_of_segments(bytes);
  ASSERT_GT(end, 8192u);
  for (const size_t kept :
       {size_t{5}, size_t{40}, size_t{100}, size_t{1000}, size_t{4096}, size_t{8192}, end * 9 / 10, end - 1}) {
    const std::string folder = (root / std::to_string(kept)).string();
    write(folder + "/libcuda.so.1", bytes.substr(0, kept));
    const std::string message = folder + "/libcuda.so.1 (setting RONDO_CUDA_DRIVER): is damaged: shorter than";
    for (const std::string& setting : {folder, folder + "/libcuda.so.1"})
      refused(run({{"RONDO_CUDA_DRIVER", setting}}, {"open", "driver"}), {message});
    const Outcome system = run({{"LD_LIBRARY_PATH", folder}}, {"open", "driver"});
    EXPECT_EQ(system.code, 0) << kept << " bytes: " << system.text;
    EXPECT_EQ(system["path"].find(root.string()), std::string::npos) << system.text;
  }
  // What the segments do not need may be missing.
  write(root / "enough/libcuda.so.1", bytes.substr(0, end));
  opened(run({{"RONDO_CUDA_DRIVER", (root / "enough").string()}}, {"open", "driver"}),
         (root / "enough/libcuda.so.1").string(), "CUDA 12.4");
}

TEST_F(LoaderFiles, ADamagedFileBehindAGoodOneIsNoMatter) {
  const std::string good = plant("good", "cuda_12040", "libcuda.so.1");
  write(root / "cut/libcuda.so.1", bytes_of("cuda_12040").substr(0, 4096));
  opened(run({{"LD_LIBRARY_PATH", good + ":" + (root / "cut").string()}}, {"open", "driver"}), good + "/libcuda.so.1",
         "CUDA 12.4");
}

TEST_F(LoaderFiles, BuiltinsThatWereCut) {
  const std::string folder = plant("rtc", "nvrtc_12_4", "libnvrtc.so.12");
  const std::string builtins = folder + "/libnvrtc-builtins.so.12.4";
  write(builtins, bytes_of("builtins_12_4").substr(0, 8192));
  for (const std::string& setting : {folder, folder + "/libnvrtc.so.12"})
    refused(run({{"RONDO_CUDA_DRIVER", "none"}, {"RONDO_NVRTC", setting}}, {"open", "nvrtc"}),
            {folder + "/libnvrtc.so.12", "its builtins cannot be used", builtins + " is damaged"});
  const Outcome system = run({{"RONDO_CUDA_DRIVER", "none"}, {"LD_LIBRARY_PATH", folder}}, {"open", "nvrtc"});
  if (system.ok() && system["path"].find(root.string()) != 0)
    GTEST_SKIP() << "this machine's loader finds an NVRTC first: " << system["path"];
  refused(system, {folder + "/libnvrtc.so.12 (system loader)", builtins + " is damaged"});
}

TEST_F(LoaderFiles, AFileForAnotherMachine) {
  std::string bytes = bytes_of("cuda_12040");
  bytes[4] = 1;  // ELFCLASS32
  write(root / "narrow/libcuda.so.1", bytes);
  refused(run({{"RONDO_CUDA_DRIVER", (root / "narrow").string()}}, {"open", "driver"}),
          {"libcuda.so.1", "is for another processor: a 32-bit library"});
  bytes = bytes_of("cuda_12040");
  bytes[18] = bytes[18] == 62 ? static_cast<char>(183) : 62;  // x86-64 and AArch64
  write(root / "foreign/libcuda.so.1", bytes);
  refused(run({{"RONDO_CUDA_DRIVER", (root / "foreign").string()}}, {"open", "driver"}),
          {"libcuda.so.1", "is for another processor: ELF machine"});
  bytes = bytes_of("cuda_12040");
  bytes[5] = 2;  // the other byte order
  write(root / "order/libcuda.so.1", bytes);
  refused(run({{"RONDO_CUDA_DRIVER", (root / "order").string()}}, {"open", "driver"}), {"is for another processor"});
}

TEST_F(LoaderFiles, WhatIsNoFile) {
  fs::create_directories(root / "pipe");
  ASSERT_EQ(mkfifo((root / "pipe/libcuda.so.1").c_str(), 0644), 0);
  // To open it would wait for a writer.
  for (const std::string& setting : {(root / "pipe").string(), (root / "pipe/libcuda.so.1").string()})
    refused(run({{"RONDO_CUDA_DRIVER", setting}}, {"open", "driver"}), {"pipe/libcuda.so.1", "is not a file"});
  fs::create_directories(root / "folder/libcuda.so.1");
  refused(run({{"RONDO_CUDA_DRIVER", (root / "folder").string()}}, {"open", "driver"}), {"is not a file"});
}

TEST_F(LoaderFiles, AFolderWithoutPermission) {
  const std::string folder = plant("closed", "cuda_12040", "libcuda.so.1");
  fs::permissions(root / "closed", fs::perms::none);
  locked.push_back(root / "closed");
  const Outcome outcome = run({{"RONDO_CUDA_DRIVER", folder}}, {"open", "driver"}, true);
  if (outcome.code == 126) GTEST_SKIP() << "an ordinary user cannot run " << LOADER_PROBE;
  refused(outcome, {folder + "/libcuda.so.1", "Permission denied"});
}

TEST_F(LoaderFiles, AFileWithoutPermission) {
  const std::string folder = plant("closed", "cuda_12040", "libcuda.so.1");
  fs::permissions(root / "closed/libcuda.so.1", fs::perms::none);
  const Outcome outcome = run({{"RONDO_CUDA_DRIVER", folder}}, {"open", "driver"}, true);
  if (outcome.code == 126) GTEST_SKIP() << "an ordinary user cannot run " << LOADER_PROBE;
  refused(outcome, {folder + "/libcuda.so.1", "Permission denied"});
}

// --- where the system's loader looks ---

const char* const kVariants[] = {"glibc-hwcaps/x86-64-v2", "glibc-hwcaps/x86-64-v3", "glibc-hwcaps/power10", "tls",
                                 "haswell/x86_64"};

TEST_F(LoaderFilesAlone, CutInAFolderForAProcessor) {
  for (const std::string variant : kVariants) {
    const std::string cut = plant_cut("path/" + variant, "cuda_12040", "libcuda.so.1");
    const Environment environment = {{"LD_LIBRARY_PATH", at("path")}};
    refused(run(environment, {"open", "driver"}), {"refused: it leads to " + cut + ", which is damaged"});
    // The system's loader would prefer it to the good one beside it.
    plant("path", "cuda_12040", "libcuda.so.1");
    opened(run(environment, {"open", "driver"}), at("path") + "/libcuda.so.1", "CUDA 12.4");
    fs::remove_all(root / "path");
  }
}

TEST_F(LoaderFiles, CutWhereALibraryIsNeeded) {
  struct Case {
    std::string fake, folder;  // who needs it, and where the loader looks for it
    bool path;                 // which only LD_LIBRARY_PATH says
  };
  for (const Case& each : {Case{"cuda_needing", "deps", true},
                           {"cuda_needing_runpath", "main/below", false},
                           {"cuda_needing_rpath", "main/below", false}}) {
    const std::string main = plant("main", each.fake, "libcuda.so.1");
    Environment environment = {{"RONDO_CUDA_DRIVER", main}};
    if (each.path) environment["LD_LIBRARY_PATH"] = at("deps");
    plant(each.folder, "needed", "libneeded.so.1");
    opened(run(environment, {"open", "driver"}), main + "/libcuda.so.1", "CUDA 12.4");
    for (const std::string variant : kVariants) {
      const std::string cut = plant_cut(each.folder + "/" + variant, "needed", "libneeded.so.1");
      refused(run(environment, {"open", "driver"}), {"needs libneeded.so.1, which leads to " + cut, "damaged"});
      fs::remove(cut);
    }
    fs::remove(root / each.folder / "libneeded.so.1");
    refused(run(environment, {"open", "driver"}), {"libneeded.so.1: cannot open shared object file"});
    const std::string cut = plant_cut(each.folder, "needed", "libneeded.so.1");
    refused(run(environment, {"open", "driver"}), {"needs libneeded.so.1, which leads to " + cut, "damaged"});
    // One that is in the process is not looked for.
    const std::string good = plant("good", "needed", "libneeded.so.1");
    opened(run(environment, {"load", good + "/libneeded.so.1", "open", "driver"}), main + "/libcuda.so.1", "CUDA 12.4");
    for (const char* folder : {"main", "deps", "good"}) fs::remove_all(root / folder);
  }
}

// What $LIB and $PLATFORM are, only the loader knows: a good file where it may look does not speak for another one.
TEST_F(LoaderFiles, CutWhereTheLoaderExpandsARunPath) {
  const std::map<std::string, std::vector<std::string>> expanded = {
      {"cuda_needing_lib", {"main/lib/x86_64-linux-gnu", "main/lib64", "main/lib"}},
      {"cuda_needing_platform", {"main/x86_64/last", "main/haswell/last", "main/xeon_phi/last"}}};
  for (const auto& [fake, folders] : expanded) {
    const std::string main = plant("main", fake, "libcuda.so.1");
    for (const std::string& folder : folders) plant(folder, "needed", "libneeded.so.1");
    const Environment environment = {{"RONDO_CUDA_DRIVER", main}};
    opened(run(environment, {"open", "driver"}), main + "/libcuda.so.1", "CUDA 12.4");
    for (const std::string& folder : folders) {
      const std::string cut = plant_cut(folder, "needed", "libneeded.so.1");
      refused(run(environment, {"open", "driver"}), {"needs libneeded.so.1, which leads to " + cut, "damaged"});
      fs::remove(cut);
      plant(folder, "needed", "libneeded.so.1");
    }
    fs::remove_all(root / "main");
  }
}

// What the program itself was linked with, as DT_RUNPATH and as DT_RPATH.
TEST_F(LoaderFiles, RunPathsOfTheProgram) {
  for (const std::string kind : {"enable", "disable"}) {
    fs::create_directories(root / "app");
    const std::string program = (root / "app/probe").string();
    fs::copy_file(std::string(LOADER_PROBE "_") + kind, program);
    const std::string file = at("app/below") + "/libcuda.so.1";
    const auto open_driver = [&] { return run({}, {"open", "driver"}, false, program); };
    plant_cut("app/below", "cuda_12040", "libcuda.so.1");
    const Outcome first = open_driver();
    if (first.code == 126) GTEST_SKIP() << "no program can be run from " << root;
    EXPECT_EQ(first.code, 0) << first.text;
    EXPECT_TRUE(has_probe(first, file + " (system loader)", "is damaged")) << kind << ": " << first.text;
    fs::remove(file);
    plant_pipe("app/below", "libcuda.so.1");
    EXPECT_TRUE(has_probe(open_driver(), file + " (system loader)", "is not a file")) << kind;
    fs::remove(file);
    const std::string cut = plant_cut("app/below/glibc-hwcaps/x86-64-v2", "cuda_13000", "libcuda.so.1");
    plant("app/below", "cuda_12040", "libcuda.so.1");
    opened(open_driver(), file, "CUDA 12.4");
    fs::remove(cut);
    opened(open_driver(), file, "CUDA 12.4");
    fs::remove_all(root / "app");
  }
}

TEST_F(LoaderFilesAlone, CutBehindTwoOthers) {
  const std::string path = plant("path", "cuda_needing_middle", "libcuda.so.1");
  plant("path", "middle", "libmiddle.so.1");
  const Environment environment = {{"LD_LIBRARY_PATH", path}};
  const std::string cut = plant_cut("path", "needed", "libneeded.so.1");
  refused(run(environment, {"open", "driver"}),
          {path + "/libcuda.so.1 (system loader): needs libneeded.so.1, which leads to " + cut + ", which is damaged"});
  fs::remove(cut);
  plant("path", "needed", "libneeded.so.1");
  opened(run(environment, {"open", "driver"}), path + "/libcuda.so.1", "CUDA 12.4");
}

TEST_F(LoaderFiles, NeededLibraryInTheCurrentFolder) {
  const std::string main = plant("main", "cuda_needing", "libcuda.so.1");
  plant("cwd", "needed", "libneeded.so.1");
  for (const char* path : {":", ".", "/dev/null/nowhere::"}) {
    const Outcome outcome = run({{"RONDO_CUDA_DRIVER", main}, {"LD_LIBRARY_PATH", path}},
                                {"open", "driver", "symbol", "libneeded.so.1", "fake_needed"});
    refused(outcome, {"needs libneeded.so.1, which leads to ./libneeded.so.1 in the current folder"});
    EXPECT_EQ(outcome["symbol"], "absent") << "it was loaded, though not used: " << outcome.text;
  }
}

TEST_F(LoaderFilesAlone, NamedPipesAreNotWaitedFor) {
  const std::string pipe = plant_pipe("pipe", "libcuda.so.1");
  refused(run({{"LD_LIBRARY_PATH", at("pipe")}}, {"open", "driver"}), {pipe + " (system loader): is not a file"});
  const std::string good = plant("good", "cuda_12040", "libcuda.so.1");
  opened(run({{"LD_LIBRARY_PATH", at("pipe") + ":" + good}}, {"open", "driver"}), good + "/libcuda.so.1", "CUDA 12.4");
  // By an empty entry, in the current folder.
  plant_pipe("cwd", "libcuda.so.1");
  for (const std::string path : {":", "."})
    refused(run({{"LD_LIBRARY_PATH", path}}, {"open", "driver"}), {"in the current folder could be opened"});
  opened(run({{"LD_LIBRARY_PATH", ":" + good}}, {"open", "driver"}), good + "/libcuda.so.1", "CUDA 12.4");
  // As the dependency, and as a file for a processor.
  const std::string main = plant("main", "cuda_needing", "libcuda.so.1");
  const std::string needed = plant_pipe("deps", "libneeded.so.1");
  refused(run({{"RONDO_CUDA_DRIVER", main}, {"LD_LIBRARY_PATH", at("deps")}}, {"open", "driver"}),
          {"needs libneeded.so.1, which leads to " + needed + ", which is not a file"});
  const std::string variant = plant_pipe("hwcaps/glibc-hwcaps/x86-64-v2", "libcuda.so.1");
  refused(run({{"LD_LIBRARY_PATH", at("hwcaps")}}, {"open", "driver"}), {"refused: it leads to " + variant});
}

// --- what is passed over ---

TEST_F(LoaderFiles, WhatWillNotDoHidesNothing) {
  const std::string good = plant("good", "cuda_12040", "libcuda.so.1");
  plant("stub", "cuda_stub", "libcuda.so.1");
  plant("old", "cuda_11000", "libcuda.so.1");
  plant("other", "cuda_other", "libcuda.so.1");
  write(root / "empty/libcuda.so.1", "");
  write(root / "text/libcuda.so.1", "no library");
  plant_cut("cut", "cuda_13000", "libcuda.so.1");
  plant("needing", "cuda_needing", "libcuda.so.1");
  for (const std::string bad : {"stub", "old", "other", "empty", "text", "cut", "needing"}) {
    const std::string bad_file = at(bad) + "/libcuda.so.1";
    const Outcome outcome = run({{"LD_LIBRARY_PATH", at(bad) + ":" + good}, {"RONDO_LOG", "debug"}},
                                {"open", "driver", "symbol", "libcuda.so.1", "fake_version_calls", "loaded", bad_file});
    opened(outcome, good + "/libcuda.so.1", "CUDA 12.4");
    EXPECT_EQ(outcome["symbol"], "1") << "the name means the good one now: " << outcome.text;
    EXPECT_EQ(outcome["loaded"], "no") << "it stayed in the process: " << outcome.text;
    EXPECT_NE(outcome.text.find("the CUDA driver (libcuda.so.1): " + bad_file + " (system loader) is passed over: "),
              std::string::npos)
        << "the log at debug says so: " << outcome.text;
    // Even one that the program has loaded itself.
    if (bad == "stub" || bad == "old" || bad == "other") {
      opened(run({{"LD_LIBRARY_PATH", good}}, {"load", bad_file, "open", "driver"}), good + "/libcuda.so.1",
             "CUDA 12.4");
    }
  }
}

// --- a system of its own ---

// A root folder with the probe and what it needs, whose system folders and cache a case can fill.
class LoaderSystem : public LoaderFiles {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizers need /proc";
#endif
    copy(LOADER_PROBE, "/probe");
    std::FILE* list = popen("LD_TRACE_LOADED_OBJECTS=1 " LOADER_PROBE, "r");
    ASSERT_NE(list, nullptr);
    for (char line[4096]; std::fgets(line, sizeof line, list);) {
      const char* path = std::strchr(line, '/');
      if (path) copy(std::string(path, std::strcspn(path, " ")), std::string(path, std::strcspn(path, " ")));
    }
    pclose(list);
    jail = root;
    if (run({}, {}, false, "/probe").code == 126)
      GTEST_SKIP() << "no process of this user can have another root folder";
  }
  void copy(const std::string& from, const std::string& to) {
    fs::create_directories((root / to.substr(1)).parent_path());
    fs::copy_file(from, root / to.substr(1), fs::copy_options::overwrite_existing);
  }
  Outcome open_driver() {
    return run({}, {"open", "driver"}, false, "/probe");
  }
  // Those that this system's loader searches last, whatever it was built with.
  static std::vector<std::string> system_folders() {
    void* const program = dlopen(nullptr, RTLD_LAZY);
    Dl_serinfo size;
    EXPECT_EQ(dlinfo(program, RTLD_DI_SERINFOSIZE, &size), 0) << dlerror();
    std::vector<Dl_serinfo> memory(size.dls_size / sizeof(Dl_serinfo) + 1);
    memory[0] = size;
    EXPECT_EQ(dlinfo(program, RTLD_DI_SERINFO, memory.data()), 0) << dlerror();
    std::vector<std::string> found;
    for (unsigned i = 0; i < size.dls_cnt; ++i) {
      const std::string folder = memory[0].dls_serpath[i].dls_name;
      if (folder.rfind("/lib", 0) == 0 || folder.rfind("/usr/lib", 0) == 0) found.push_back(folder);
    }
    EXPECT_GE(found.size(), 2u);
    dlclose(program);
    return found;
  }
};

TEST_F(LoaderSystem, CutInASystemFolder) {
  for (const std::string& folder : system_folders()) {
    const std::string below = folder.substr(1);
    plant_cut(below, "cuda_12040", "libcuda.so.1");
    refused(open_driver(), {folder + "/libcuda.so.1 (system loader): is damaged"});
    fs::remove(root / below / "libcuda.so.1");
    plant_cut(below + "/glibc-hwcaps/x86-64-v2", "cuda_12040", "libcuda.so.1");
    refused(open_driver(),
            {"refused: it leads to " + folder + "/glibc-hwcaps/x86-64-v2/libcuda.so.1, which is damaged"});
    plant(below, "cuda_needing", "libcuda.so.1");
    plant_cut(below, "needed", "libneeded.so.1");
    refused(open_driver(), {"needs libneeded.so.1, which leads to " + folder + "/libneeded.so.1, which is damaged"});
    fs::remove(root / below / "libneeded.so.1");
    plant(below, "needed", "libneeded.so.1");
    opened(open_driver(), folder + "/libcuda.so.1", "CUDA 12.4");
    fs::remove_all(root / below / "glibc-hwcaps");
    for (const char* name : {"libcuda.so.1", "libneeded.so.1"}) fs::remove(root / below / name);
  }
}

TEST_F(LoaderSystem, CutInAFolderOfTheCache) {
  write(root / "etc/ld.so.conf", "/opt/cuda\n");
  plant("opt/cuda", "cuda_needing", "libcuda.so.1");
  plant("opt/cuda", "needed", "libneeded.so.1");
  plant("opt/cuda/glibc-hwcaps/x86-64-v2", "cuda_13000", "libcuda.so.1");
  const std::string make = "PATH=$PATH:/sbin:/usr/sbin ldconfig -X -r '" + root.string() + "' >/dev/null 2>&1";
  if (std::system(make.c_str()) != 0) GTEST_SKIP() << "there is no ldconfig that can make a cache here";
  // Not the one for a certain processor, but the one for all.
  opened(open_driver(), "/opt/cuda/libcuda.so.1", "CUDA 12.4");
  // The cache comes before the system's folders.
  plant("usr/lib", "cuda_13000", "libcuda.so.1");
  opened(open_driver(), "/opt/cuda/libcuda.so.1", "CUDA 12.4");
  fs::remove(root / "usr/lib/libcuda.so.1");
  plant_cut("opt/cuda", "needed", "libneeded.so.1");
  refused(open_driver(), {"needs libneeded.so.1, which leads to /opt/cuda/libneeded.so.1, which is damaged"});
  plant_cut("opt/cuda", "cuda_needing", "libcuda.so.1");
  refused(open_driver(), {"/opt/cuda/libcuda.so.1 (system loader): is damaged"});
  fs::remove(root / "opt/cuda/libcuda.so.1");
  plant_cut("opt/cuda/glibc-hwcaps/x86-64-v2", "cuda_13000", "libcuda.so.1");
  refused(open_driver(), {"refused: it leads to /opt/cuda/glibc-hwcaps/x86-64-v2/libcuda.so.1, which is damaged"});
}

TEST_F(LoaderSystem, ACacheThatIsDamaged) {
  plant("usr/lib", "cuda_12040", "libcuda.so.1");
  for (const std::string& bytes :
       {std::string(), std::string("glibc-ld.so.cache1.1"), std::string("ld.so-1.7.0\0\xff\xff\xff\xff", 16),
        "glibc-ld.so.cache1.1" + std::string("\xff\xff\xff\xff", 4) + std::string(64, '\xff')}) {
    write(root / "etc/ld.so.cache", bytes);
    opened(run({}, {"open", "driver"}, false, "/probe"), "/usr/lib/libcuda.so.1", "CUDA 12.4");
  }
}

}  // namespace
}  // namespace rondo_test
