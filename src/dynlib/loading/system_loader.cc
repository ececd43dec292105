// Retraces the search of the system's loader, to know which files it would map for a library.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "dynlib/loading/system_loader.h"

#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <iterator>
#include <memory>
#include <set>

namespace rondo {

namespace {

constexpr char kCache[] = "/etc/ld.so.cache";

// Those that loaders of the distributions were built with; files for another processor are skipped.
const char* const kDefaultFolders[] = {
#if defined(__x86_64__)
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
    "/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
#endif
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib"};

bool is_default(const std::string& folder) {
  return std::any_of(std::begin(kDefaultFolders), std::end(kDefaultFolders),
                     [&folder](const char* each) { return folder == each; });
}

// Folders for a name that Rondo asks for. The cache of ldconfig lies between the two.
struct Folders {
  std::vector<RunFolder> first;  // run paths and LD_LIBRARY_PATH, as the loader read it when the process began
  std::vector<RunFolder> last;
};

Folders folders() {
  Folders all;
  Dl_info self;
  link_map* map = nullptr;
  if (dladdr1(reinterpret_cast<void*>(&folders), &self, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) && map) {
    Dl_serinfo size;
    if (dlinfo(map, RTLD_DI_SERINFOSIZE, &size) == 0) {
      const std::unique_ptr<char[]> memory(new char[size.dls_size]);
      auto* list = reinterpret_cast<Dl_serinfo*>(memory.get());
      if (dlinfo(map, RTLD_DI_SERINFOSIZE, list) == 0 && dlinfo(map, RTLD_DI_SERINFO, list) == 0)
        for (unsigned i = 0; i < list->dls_cnt; ++i) all.first.push_back({list->dls_serpath[i].dls_name});
    }
  }
  // The loader's default folders end that list and are not marked in it.
  const auto is_last = [&all](const std::string& folder) {
    return std::any_of(all.last.begin(), all.last.end(),
                       [&folder](const RunFolder& each) { return each.path == folder; });
  };
  while (!all.first.empty() && is_default(all.first.back().path) && !is_last(all.first.back().path)) {
    all.last.insert(all.last.begin(), all.first.back());
    all.first.pop_back();
  }
  for (const char* folder : kDefaultFolders)
    if (!is_last(folder)) all.last.push_back({folder});
  if (map) {
    ElfNeeds own;
    if (check_elf(self.dli_fname, &own).text.empty())
      all.first.insert(all.first.end(), own.runpath.begin(), own.runpath.end());
  }
  return all;
}

bool exists(const std::string& file) {
  struct stat info;
  return lstat(file.c_str(), &info) == 0;
}

// Files of that name in a folder that the loader is told to search, without the one in the folder itself: in the
// folders below it that glibc prefers for a processor (glibc-hwcaps since 2.33, nested ones named after its features
// until 2.36). Which of them this processor has is not asked: that would be another way to be wrong.
void add_variants(const std::string& folder, const std::string& name, int depth, std::vector<std::string>* found) {
  auto add = [&](const std::string& below) {
    if (const std::string file = below + "/" + name; exists(file)) found->push_back(file);
  };
  if (DIR* levels = opendir((folder + "/glibc-hwcaps").c_str())) {
    while (const dirent* entry = readdir(levels))
      if (entry->d_name[0] != '.') add(folder + "/glibc-hwcaps/" + entry->d_name);
    closedir(levels);
  }
  if (depth == 0) return;
  for (const char* feature : {"tls", "haswell", "avx512_1", "xeon_phi", "x86_64", "aarch64", "atomics"})
    if (const std::string below = folder + "/" + feature; is_folder(below)) {
      add(below);
      add_variants(below, name, depth - 1, found);
    }
}

// One place where the loader looks: the file itself, and what it might prefer to it.
struct SearchPlace {
  std::string file;
  std::vector<std::string> variants;
  bool certain = true;
};

std::vector<SearchPlace> places(const std::vector<RunFolder>& list, const std::string& name) {
  std::vector<SearchPlace> found;
  for (const RunFolder& each : list) {
    const std::string folder = each.path.empty() ? "." : each.path;
    SearchPlace place = {folder + "/" + name, {}, each.certain};
    add_variants(folder, name, 4, &place.variants);
    if (!place.variants.empty() || exists(place.file)) found.push_back(std::move(place));
  }
  return found;
}

void append(std::vector<SearchPlace>* to, const std::vector<SearchPlace>& more) {
  to->insert(to->end(), more.begin(), more.end());
}

// A library that is needed, by which file, and where the loader looks for it.
struct Wanted {
  std::string name;
  std::string needed_by;
  ElfNeeds needs;                // of the file that needs it
  std::vector<RunFolder> rpath;  // of those that needed that file
};

class Judge {
 public:
  // Says what is wrong with a library, or with one that it needs; empty if nothing is.
  std::string of_name(const std::string& name) {
    wanted_.push_back({name, {}, {}, {}});
    return objection();
  }
  std::string of_file(const std::string& file, const ElfNeeds& needs) {
    want(file, needs, {});
    return objection();
  }

 private:
  // In the loader's order, which is breadth first.
  std::string objection() {
    std::string problem;
    while (problem.empty() && !wanted_.empty()) {
      const Wanted next = wanted_.front();
      wanted_.pop_front();
      if (seen_.insert(next.name).second && loaded_files(next.name).empty()) problem = search(next);
    }
    return problem;
  }

  void want(const std::string& file, const ElfNeeds& needs, std::vector<RunFolder> rpath) {
    rpath.insert(rpath.begin(), needs.rpath.begin(), needs.rpath.end());
    for (const std::string& name : needs.libraries)
      if (!name.empty()) wanted_.push_back({name, file, needs, rpath});
  }

  std::string search(const Wanted& wanted) {
    const std::string because = wanted.needed_by.empty() ? "" : "needs " + wanted.name + ", which leads to ";
    if (wanted.name.find('/') != std::string::npos) {
      if (wanted.name[0] != '/') return because + wanted.name + " in the current folder";
      return judge(wanted.name, wanted, because, nullptr);
    }
    std::vector<SearchPlace> all;
    if (wanted.needs.runpath.empty()) append(&all, places(wanted.rpath, wanted.name));
    append(&all, places(folders_.first, wanted.name));
    append(&all, places(wanted.needs.runpath, wanted.name));
    for (const std::string& file : cached_files(kCache, wanted.name, true)) all.push_back({file, {}, true});
    if (!wanted.needs.no_default_folders) append(&all, places(folders_.last, wanted.name));
    for (const SearchPlace& place : all) {
      bool settled = false;
      for (const std::string& file : place.variants)
        if (std::string problem = judge(file, wanted, because, nullptr); !problem.empty()) return problem;
      if (std::string problem = judge(place.file, wanted, because, &settled); !problem.empty()) return problem;
      if (settled && place.certain) break;
    }
    return {};
  }

  // Judges one file that the loader may choose. *settled: the loader looks no further.
  std::string judge(const std::string& file, const Wanted& wanted, const std::string& because, bool* settled) {
    ElfNeeds needs;
    const ElfProblem problem = check_elf(file, &needs);
    if (problem.missing || problem.skipped) return {};
    if (file[0] != '/')
      return because + file + " in the current folder, by an empty or relative entry of LD_LIBRARY_PATH or a run path";
    if (!problem.text.empty()) return because + file + ", which " + problem.text;
    if (settled) *settled = true;
    want(file, needs, wanted.rpath);
    return {};
  }

  const Folders folders_ = folders();
  std::set<std::string> seen_;
  std::deque<Wanted> wanted_;
};

struct Search {
  const std::string& name;
  std::vector<std::string> found;
};

// True if a loaded library calls itself by the name.
bool has_soname(const dl_phdr_info& info, const std::string& name) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entries = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    ElfW(Addr) strings = 0;
    const ElfW(Dyn)* soname = nullptr;
    for (const ElfW(Dyn)* each = entries; each->d_tag != DT_NULL; ++each) {
      if (each->d_tag == DT_STRTAB) strings = each->d_un.d_ptr;
      if (each->d_tag == DT_SONAME) soname = each;
    }
    if (!soname || strings == 0) return false;
    // Most loaders have made an address of the offset by now.
    if (strings < info.dlpi_addr) strings += info.dlpi_addr;
    return name == reinterpret_cast<const char*>(strings + soname->d_un.d_val);
  }
  return false;
}

int compare_loaded(dl_phdr_info* info, size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  const char* slash = std::strrchr(info->dlpi_name, '/');
  // The program itself has no name, the kernel's own library no folder.
  if (slash && (search.name == slash + 1 || search.name == info->dlpi_name || has_soname(*info, search.name)))
    search.found.emplace_back(info->dlpi_name);
  return 0;
}

}  // namespace

bool is_folder(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

std::vector<std::string> loaded_files(const std::string& name) {
  Search search = {name, {}};
  dl_iterate_phdr(compare_loaded, &search);
  return search.found;
}

std::vector<std::string> system_files(const std::string& name) {
  const Folders all = folders();
  std::vector<std::string> files;
  auto add = [&files](const std::string& file) {
    if (exists(file) && std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
  };
  for (const RunFolder& folder : all.first) add((folder.path.empty() ? "." : folder.path) + "/" + name);
  for (const std::string& file : cached_files(kCache, name, false)) add(file);
  for (const RunFolder& folder : all.last) add(folder.path + "/" + name);
  return files;
}

std::string name_objection(const std::string& name) {
  return Judge().of_name(name);
}

ElfProblem check_library(const std::string& file) {
  ElfNeeds needs;
  ElfProblem problem = check_elf(file, &needs);
  if (problem.text.empty()) problem.text = Judge().of_file(file, needs);
  return problem;
}

}  // namespace rondo
