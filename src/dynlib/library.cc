// The search for a library. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "dynlib/library.h"

#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/log.h"
#include "base/text.h"
#include "dynlib/elf_check.h"

namespace rondo {

namespace {

bool is_folder(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// Paths in a folder whose names start with prefix, newest version first ("python3.12" before "python3.9").
std::vector<std::string> entries(const std::string& folder, const std::string& prefix) {
  std::vector<std::string> found;
  if (DIR* dir = opendir(folder.c_str())) {
    while (const dirent* entry = readdir(dir)) {
      const std::string name = entry->d_name;
      if (name.compare(0, prefix.size(), prefix) == 0) found.push_back(folder + "/" + name);
    }
    closedir(dir);
  }
  std::sort(found.begin(), found.end(),
            [](const std::string& a, const std::string& b) { return strverscmp(a.c_str(), b.c_str()) > 0; });
  return found;
}

// A path from the environment: absolute ones only, so that nothing is opened relative to the current folder.
std::string environment_path(const char* name) {
  if (getauxval(AT_SECURE)) return {};
  const char* value = std::getenv(name);
  return value && value[0] == '/' ? value : "";
}

// Files of that name in a folder that the system loader is told to search: there, and in the folders below it that
// glibc prefers for a processor (glibc-hwcaps since 2.33, nested ones named after its features until 2.36). Which of
// them this processor has is not asked: that would be another way to be wrong.
void add_candidates(const std::string& folder, const std::string& soname, int depth, std::vector<std::string>* found) {
  const std::string file = folder + "/" + soname;
  if (access(file.c_str(), F_OK) == 0) found->push_back(file);
  for (const std::string& level : entries(folder + "/glibc-hwcaps", ""))
    if (access((level + "/" + soname).c_str(), F_OK) == 0) found->push_back(level + "/" + soname);
  if (depth == 0) return;
  for (const char* name : {"tls", "haswell", "avx512_1", "xeon_phi", "x86_64", "aarch64", "atomics"})
    if (const std::string below = folder + "/" + name; is_folder(below))
      add_candidates(below, soname, depth - 1, found);
}

// Why the system loader is not asked for that name; empty if it may be. LD_LIBRARY_PATH can lead it to a file in the
// current folder (by an entry that is empty or relative), or to one that would take the process down.
std::string loader_objection(const std::string& soname) {
  const char* value = std::getenv("LD_LIBRARY_PATH");
  // Set but empty, it is ignored by glibc.
  if (!value || !*value || getauxval(AT_SECURE)) return {};
  std::string harmful;
  bool settled = false;  // a good one comes before what follows
  for (const char* begin = value;;) {
    const size_t length = std::strcspn(begin, ":;");
    const std::string entry(begin, length);
    const bool relative = entry.empty() || entry[0] != '/';
    std::vector<std::string> candidates;
    add_candidates(entry.empty() ? "." : entry, soname, 4, &candidates);
    if (relative && !candidates.empty())
      return "refused: LD_LIBRARY_PATH has an empty or relative entry, so that " + candidates[0] +
             " in the current folder could be opened";
    for (const std::string& file : candidates) {
      const ElfProblem problem = check_elf(file);
      if (problem.harmful && !settled && harmful.empty())
        harmful = "refused: LD_LIBRARY_PATH leads to " + file + ", which " + problem.text;
      settled = settled || (problem.text.empty() && file == entry + "/" + soname);
    }
    if (!begin[length]) return harmful;
    begin += length + 1;
  }
}

std::string loaded_path(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name) return map->l_name;
  return {};
}

}  // namespace

Status Library::open() {
  if (state_.load(std::memory_order_acquire) == State::open) return {};
  std::lock_guard lock(mutex_);
  if (state_.load() == State::closed) {
    failure_ = open_locked();
    if (failure_.ok()) log(RONDO_LOG_INFO, "%s: %s (%s)", spec_.title, path_.c_str(), version_.c_str());
    state_.store(failure_.ok() ? State::open : State::failed, std::memory_order_release);
  }
  return failure_;
}

std::vector<Probe> Library::probes() const {
  std::lock_guard lock(mutex_);
  return probes_;
}

void* Library::symbol(const char* name) const {
  void* handle = handle_.load(std::memory_order_acquire);
  return handle ? dlsym(handle, name) : nullptr;
}

bool Library::try_open(const std::string& place, const std::string& how, bool no_load) {
  const std::string where = place + " (" + how + ")";
  if (place[0] == '/')
    if (const ElfProblem problem = check_elf(place); !problem.text.empty()) {
      probes_.push_back({where, problem.text, !problem.missing});
      return false;
    }
  dlerror();
  void* handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL | (no_load ? RTLD_NOLOAD : 0));
  if (!handle) {
    if (no_load) {
      probes_.push_back({where, "not loaded"});
      return false;
    }
    const char* reason = dlerror();
    const std::string text = reason ? reason : "no reason given";
    // Of a library that it needs and does not find, the loader says the same with the other one's name.
    const bool missing = text.rfind(place + ": cannot open shared object file: No such file", 0) == 0;
    probes_.push_back({where, text, !missing});
    return false;
  }
  handle_.store(handle, std::memory_order_release);
  path_ = loaded_path(handle);
  if (path_.empty()) path_ = place;
  if (Status verdict = accept(); !verdict.ok()) {
    // Which file a bare name led to is half of the finding.
    const std::string file = path_ == place ? where : place + " => " + path_ + " (" + how + ")";
    probes_.push_back({file, verdict.message(), true});
    handle_.store(nullptr);
    path_.clear();
    return false;
  }
  probes_.push_back({where, "ok"});
  return true;
}

bool Library::try_folder(const std::string& folder, const std::string& how) {
  if (!is_folder(folder)) return false;
  for (const std::string& soname : spec_.sonames) {
    const std::string file = folder + "/" + soname;
    struct stat info;
    if (stat(file.c_str(), &info) != 0) {
      // A folder without the library is no finding worth a line; one that may not be looked into is.
      if (errno != ENOENT && errno != ENOTDIR) probes_.push_back({file + " (" + how + ")", format("%m"), true});
      continue;
    }
    preload(folder);
    if (try_open(file, how, false)) return true;
  }
  return false;
}

Status Library::open_locked() {
  const std::string chosen = setting(spec_.setting);
  const char* setting_name = settings()[static_cast<size_t>(spec_.setting)].name;
  if (chosen == "none") {
    probes_.push_back({std::string(setting_name) + "=none", "hidden by the setting"});
    return error(RONDO_LIBRARY_MISSING, "%s is hidden by the setting %s=none; unset it to use the library", spec_.title,
                 setting_name);
  }
  if (!chosen.empty()) {
    const std::string how = std::string("setting ") + setting_name;
    if (chosen[0] != '/') {
      probes_.push_back({chosen + " (" + how + ")", "not an absolute path"});
    } else if (is_folder(chosen)) {
      if (try_folder(chosen, how)) return {};
      if (probes_.empty()) probes_.push_back({chosen + " (" + how + ")", "the folder has none of the expected files"});
    } else {
      preload(chosen.substr(0, chosen.rfind('/')));
      if (try_open(chosen, how, false)) return {};
    }
    return missing();
  }
  for (const std::string& soname : spec_.sonames)
    if (try_open(soname, "already in the process", true)) return {};
  if (const std::string folder = sibling_folder(); !folder.empty() && try_folder(folder, "beside a loaded library"))
    return {};
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string root = environment_path(variable);
    if (root.empty()) continue;
    for (const std::string& python : entries(root + "/lib", "python"))
      for (const std::string& sub : spec_.wheel_folders)
        if (try_folder(python + "/site-packages/" + sub, std::string("wheel below $") + variable)) return {};
    if (spec_.toolkit && try_folder(root + "/lib", std::string("$") + variable)) return {};
  }
  for (const std::string& soname : spec_.sonames) {
    if (const std::string objection = loader_objection(soname); !objection.empty()) {
      probes_.push_back({soname + " (system loader)", objection, true});
      continue;
    }
    if (try_open(soname, "system loader", false)) return {};
  }
  if (spec_.toolkit) {
    std::vector<std::string> roots;
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
      if (const std::string root = environment_path(variable); !root.empty()) roots.push_back(root);
    roots.emplace_back("/usr/local/cuda");  // the version the administrator chose
    for (const std::string& root : entries("/usr/local", "cuda-")) roots.push_back(root);
    for (const std::string& root : roots)
      for (const char* sub : {"/lib64", "/targets/x86_64-linux/lib", "/targets/sbsa-linux/lib", "/lib"})
        if (try_folder(root + sub, "CUDA toolkit")) return {};
  }
  return missing();
}

Status Library::missing() const {
  std::string text = format("%s was not found; tried", spec_.title);
  for (const Probe& probe : probes_) text += " " + probe.place + ": " + probe.result + ";";
  text += format(" %s, or set %s to the file or its folder", spec_.hint,
                 settings()[static_cast<size_t>(spec_.setting)].name);
  return {RONDO_LIBRARY_MISSING, text};
}

}  // namespace rondo
