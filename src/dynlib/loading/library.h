// Finds and opens a run-time library, once, and remembers every place that was tried.
//
// Order: the library's setting (a failure there is final) -> already in the process -> the folder of a sibling that is
// already loaded -> wheel folders of $VIRTUAL_ENV and $CONDA_PREFIX -> where the system's loader looks -> $CUDA_HOME,
// $CUDA_PATH -> /usr/local/cuda*. Always by soname, never a bare .so (toolkits keep stub libraries under that name),
// never from the current folder. Each file is judged before it is opened (system_loader.h), and opened by its path, so
// that one which will not do never hides the next; it is closed again. The handle of the one chosen never is. A library
// is opened on first need; the outcome is latched. All members are thread-safe.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"

namespace rondo {

enum class Setting;  // base/settings.h

// The advice for a missing library.
struct Remedy {
  std::string text;         // for messages: "install NCCL (Debian, Ubuntu: libnccl2; PyPI: nvidia-nccl-cu13)"
  std::string wheel = {};   // what pip installs, where that is found afterwards
  std::string debian = {};  // what apt-get installs
};

struct LibrarySpec {
  const char* title;                       // for messages: "the CUDA driver"
  Setting setting;                         // file or folder; "none" hides the library
  std::vector<std::string> sonames;        // best first
  std::vector<std::string> wheel_folders;  // below site-packages
  bool toolkit;                            // look in CUDA toolkit folders too
  Remedy remedy;
};

struct Probe {
  std::string place;      // path or soname that was tried, and how it was found
  std::string result;     // "ok" or the reason
  bool rejected = false;  // there was something, and it would not do
};

class Library {
 public:
  explicit Library(LibrarySpec spec) : spec_(std::move(spec)) {}
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  virtual ~Library() = default;

  // Opens on the first call. The error lists the places and says how to set the path.
  Status open();
  bool is_open() const { return state_.load(std::memory_order_acquire) == State::open; }
  // Address of an exported name, or null. The library must be open.
  void* symbol(const char* name) const;
  // File the library came from; empty before it is open.
  const std::string& path() const { return path_; }
  std::vector<Probe> probes() const;
  const LibrarySpec& spec() const { return spec_; }
  virtual Remedy remedy() const { return spec_.remedy; }
  // Why it is not open, and what to do: with what was found and would not do, but not with every place that has
  // nothing, as the error of open() has it. Empty if it is open.
  std::string why_not() const;
  // Names a version as its table writes it: "CUDA 11.4" for 11040.
  virtual std::string name_of(int since) const;
  // Text of the version found, for messages; set by accept().
  const std::string& version() const { return version_; }

 protected:
  // The setting's value, if this library heeds it.
  virtual std::string chosen() const;
  // Runs around dlopen of a candidate, to load what it needs from its folder. Returns handles, which are closed again
  // if the candidate will not do.
  virtual std::vector<void*> preload(const std::string& folder) {
    (void)folder;
    return {};
  }
  // Succeeds if the candidate just opened is acceptable (symbol() works). An error sends the search on, except for a
  // path from the setting. So does a reservation, but the candidate is taken if nothing without one is found.
  virtual Status accept(std::string* reservation) {
    (void)reservation;
    return {};
  }
  // Folder of a loaded library that this one is usually installed next to; empty if none.
  virtual std::string sibling_folder() { return {}; }

  std::string version_;
  bool in_process_ = false;  // the candidate was in the process before, for the code that loaded it
  std::string failing_;      // what the error says instead of "was not found"; set by accept()

 private:
  enum class State { closed, open, failed };
  enum class From { disk, process };
  struct Candidate {
    std::string place, how;
    std::string where() const { return place + " (" + how + ")"; }
  };
  Status open_locked();
  bool search();
  bool search_system(const std::string& soname);
  bool try_open(const Candidate& candidate, From from);
  bool try_folder(const std::string& folder, const std::string& how);
  bool turn_down(const std::string& place, const std::string& reason);
  std::string failing() const;
  std::string advice() const;
  Status missing() const;

  LibrarySpec spec_;
  mutable std::mutex mutex_;
  std::atomic<State> state_{State::closed};
  std::atomic<void*> handle_{nullptr};
  std::string path_;
  std::vector<Probe> probes_;
  Candidate second_best_;          // with a reservation
  bool take_second_best_ = false;  // reservations do not count any more
  Status failure_;
};

}  // namespace rondo
