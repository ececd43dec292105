// Searches for a run-time library, opens it, and says which places were tried if there is none.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "dynlib/loading/library.h"

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
#include "base/settings.h"
#include "base/text.h"
#include "base/threads/thread.h"
#include "dynlib/loading/system_loader.h"

namespace rondo {

namespace {

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

std::string folder_of(const std::string& file) {
  return file.substr(0, file.rfind('/'));
}

std::string loaded_path(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name) return map->l_name;
  return {};
}

}  // namespace

std::string Library::name_of(int since) const {
  return format("CUDA %d.%d", since / 1000, since % 1000 / 10);
}

Status Library::open() {
  if (state_.load(std::memory_order_acquire) == State::open) return {};
  std::lock_guard lock(mutex_);
  if (state_.load() == State::closed) {
    const SignalsBlocked blocked;  // libraries start threads when they are opened
    probes_.clear();
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

// There was something, and it will not do.
bool Library::turn_down(const std::string& place, const std::string& reason) {
  log(RONDO_LOG_DEBUG, "%s: %s is passed over: %s", spec_.title, place.c_str(), reason.c_str());
  probes_.push_back({place, reason, true});
  return false;
}

bool Library::try_open(const Candidate& candidate, From from) {
  const std::string& place = candidate.place;
  const bool is_file = place[0] == '/' && from == From::disk;
  if (is_file)
    if (const ElfProblem problem = check_library(place); !problem.text.empty()) {
      if (!problem.missing) return turn_down(candidate.where(), problem.text);
      probes_.push_back({candidate.where(), problem.text});
      return false;
    }
  std::vector<void*> handles;
  if (is_file) handles = preload(folder_of(place));
  dlerror();
  void* handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL | (from == From::process ? RTLD_NOLOAD : 0));
  if (!handle) {
    const char* reason = dlerror();
    const std::string text = reason ? reason : "no reason given";
    for (void* each : handles) dlclose(each);
    // If the missing file is a library that this one needs, the loader says the same with the other one's name.
    const bool absent = text.rfind(place + ": cannot open shared object file: No such file", 0) == 0;
    // Memory that is short says nothing of the library, so it is not to be remembered. The loader may call that absent.
    if (text.find(": Cannot allocate memory") != std::string::npos || text.find("out of memory") != std::string::npos ||
        (absent && place[0] == '/' && access(place.c_str(), F_OK) == 0))
      throw std::bad_alloc();
    if (!absent) return turn_down(candidate.where(), text);
    probes_.push_back({candidate.where(), text});
    return false;
  }
  handles.push_back(handle);
  path_ = loaded_path(handle);
  if (path_.empty()) path_ = place;
  if (!is_file && path_[0] == '/')
    for (void* each : preload(folder_of(path_))) handles.push_back(each);
  handle_.store(handle, std::memory_order_release);
  in_process_ = from == From::process;
  std::string reservation;
  const Status verdict = accept(&reservation);
  if (verdict.ok() && (reservation.empty() || take_second_best_)) {
    probes_.push_back({candidate.where(), "ok"});
    return true;
  }
  // Which file a name led to is half of the finding.
  const std::string found = path_ == place ? place : place + " => " + path_;
  if (verdict.ok() && second_best_.place.empty()) second_best_ = {path_, candidate.how};
  handle_.store(nullptr);
  path_.clear();
  for (void* each : handles) dlclose(each);
  return turn_down(found + " (" + candidate.how + ")", verdict.ok() ? reservation : verdict.message());
}

bool Library::try_folder(const std::string& folder, const std::string& how) {
  if (!is_folder(folder)) return false;
  for (const std::string& soname : spec_.sonames) {
    const Candidate candidate = {folder + "/" + soname, how};
    struct stat info;
    if (stat(candidate.place.c_str(), &info) == 0) {
      if (try_open(candidate, From::disk)) return true;
    } else if (errno != ENOENT && errno != ENOTDIR) {
      // A folder without the library is no finding worth a line; one that may not be looked into is.
      turn_down(candidate.where(), format("%m"));
    }
  }
  return false;
}

// File by file, where the system's loader looks for the name. It would take the first and open it unseen.
bool Library::search_system(const std::string& soname) {
  const std::string how = "system loader";
  const std::vector<std::string> files = system_files(soname);
  for (const std::string& file : files) {
    if (file[0] == '/') {
      if (try_open({file, how}, From::disk)) return true;
    } else {
      turn_down(soname + " (" + how + ")", "refused: LD_LIBRARY_PATH has an empty or relative entry, so that " + file +
                                               " in the current folder could be opened");
    }
  }
  if (!files.empty()) return false;
  // There may be one in a folder for this processor, or in a place that only the loader knows of.
  if (const std::string objection = name_objection(soname); !objection.empty())
    return turn_down(soname + " (" + how + ")", "refused: it leads to " + objection);
  return try_open({soname, how}, From::disk);
}

bool Library::search() {
  for (const std::string& soname : spec_.sonames) {
    const Candidate candidate = {soname, "already in the process"};
    const std::vector<std::string> files = loaded_files(soname);
    if (files.empty()) probes_.push_back({candidate.where(), "not loaded"});
    for (const std::string& file : files)
      if (try_open({file, candidate.how}, From::process)) return true;
  }
  if (const std::string folder = sibling_folder(); !folder.empty() && try_folder(folder, "beside a loaded library"))
    return true;
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string root = environment_path(variable);
    if (root.empty()) continue;
    for (const std::string& python : entries(root + "/lib", "python"))
      for (const std::string& sub : spec_.wheel_folders)
        if (try_folder(python + "/site-packages/" + sub, std::string("wheel below $") + variable)) return true;
    if (spec_.toolkit && try_folder(root + "/lib", std::string("$") + variable)) return true;
  }
  for (const std::string& soname : spec_.sonames)
    if (search_system(soname)) return true;
  if (!spec_.toolkit) return false;
  std::vector<std::string> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string root = environment_path(variable); !root.empty()) roots.push_back(root);
  roots.emplace_back("/usr/local/cuda");  // the version the administrator chose
  for (const std::string& root : entries("/usr/local", "cuda-")) roots.push_back(root);
  for (const std::string& root : roots)
    for (const char* sub : {"/lib64", "/targets/x86_64-linux/lib", "/targets/sbsa-linux/lib", "/lib"})
      if (try_folder(root + sub, "CUDA toolkit")) return true;
  return false;
}

// True if the program has no loader: the C library's dlopen would then map a second C library in addition to the one
// inside.
static bool whole_program_is_static() {
  bool loader = false;
  dl_iterate_phdr(
      [](dl_phdr_info* program, size_t, void* found) {
        for (int i = 0; i < program->dlpi_phnum; ++i)
          if (program->dlpi_phdr[i].p_type == PT_INTERP) *static_cast<bool*>(found) = true;
        return 1;  // the first is the program itself
      },
      &loader);
  return !loader;
}

Status Library::open_locked() {
  const std::string chosen = this->chosen();
  const std::string setting_name = settings()[static_cast<size_t>(spec_.setting)].name;
  if (chosen == "none") {
    probes_.push_back({setting_name + "=none", "hidden by the setting"});
    return error(RONDO_LIBRARY_MISSING, "%s is hidden by the setting %s=none; unset it to use the library", spec_.title,
                 setting_name.c_str());
  }
  if (whole_program_is_static()) {
    probes_.push_back({"the program", "is linked statically as a whole", true});
    return error(
        RONDO_LIBRARY_MISSING,
        "%s cannot be opened: the program is linked statically as a whole (-static); link Rondo statically and "
        "the C library dynamically",
        spec_.title);
  }
  const Candidate set = {chosen, "setting " + setting_name};
  bool found = false;
  if (chosen.empty()) {
    found = search();
  } else if (chosen[0] != '/') {
    turn_down(set.where(), "not an absolute path");
  } else if (is_folder(chosen)) {
    found = try_folder(chosen, set.how);
    if (probes_.empty()) probes_.push_back({set.where(), "the folder has none of the expected files"});
  } else {
    found = try_open(set, From::disk);
  }
  if (!found && !second_best_.place.empty()) {
    take_second_best_ = true;
    found = try_open(second_best_, From::disk);
  }
  return found ? Status() : missing();
}

// "NVRTC (libnvrtc) was not found".
std::string Library::chosen() const {
  return setting(spec_.setting);
}

std::string Library::failing() const {
  const bool rejected = std::any_of(probes_.begin(), probes_.end(), [](const Probe& each) { return each.rejected; });
  return std::string(spec_.title) + " " +
         (!failing_.empty() ? failing_
          : rejected        ? "cannot be used"
                            : "was not found");
}

// "install the NVIDIA driver, or set RONDO_CUDA_DRIVER to the file or its folder".
std::string Library::advice() const {
  return format("%s, or set %s to the file or its folder", remedy().text.c_str(),
                settings()[static_cast<size_t>(spec_.setting)].name);
}

std::string Library::why_not() const {
  if (is_open()) return {};
  std::lock_guard lock(mutex_);
  const std::string set = chosen();
  if (set == "none") return failure_.message();
  std::string text = failing();
  const char* between = ": ";
  for (const Probe& probe : probes_)
    if (probe.rejected || !set.empty()) {
      text += between + probe.place + ": " + probe.result;
      between = "; ";
    }
  return text + "; " + advice();
}

Status Library::missing() const {
  std::string text = failing() + "; tried";
  for (const Probe& probe : probes_) text += " " + probe.place + ": " + probe.result + ";";
  text += " " + advice();
  return {RONDO_LIBRARY_MISSING, text};
}

}  // namespace rondo
