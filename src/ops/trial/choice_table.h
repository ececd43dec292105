// Decisions that are made once for each problem and then hold for the process, so that a problem gives the same bits
// however and whenever it is run. A decision by a trial is kept in the folder of compiled kernels, as a text, for
// the next process.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "device/cuda/cuda_device.h"
#include "rtc/cache_entry.h"

namespace rondo::ops {

// Choices of any kind, each under the bytes of its problem.
class ChoiceEntries {
 public:
  // Sets what is left null where there is none.
  using Make = std::function<Status(const void** made)>;

  const void* find(std::string_view problem) const;
  Status find_or_make(std::string_view problem, const Make& make, const void** choice);

 private:
  struct Entry {
    std::atomic<const void*> choice{nullptr};
    std::mutex making;
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, Entry, Hash, std::equal_to<>> entries_;
};

// The choices of a family of problems. They are never destroyed, nor is a table. All functions are thread-safe.
template <class Choice>
class ChoiceTable {
 public:
  // Null: none is made yet.
  const Choice* find(std::string_view problem) const { return static_cast<const Choice*>(entries_.find(problem)); }
  // Has `make` make it where there is none, while others who want it wait. If it is left null the next one makes it.
  template <class Make>
  Status find_or_make(std::string_view problem, const Make& make, const Choice** choice) {
    const void* found = nullptr;
    const Status status = entries_.find_or_make(
        problem,
        [&make](const void** result) {
          std::unique_ptr<Choice> made;
          RONDO_TRY(make(&made));
          *result = made.release();
          return Status();
        },
        &found);
    *choice = static_cast<const Choice*>(found);
    return status;
  }

 private:
  ChoiceEntries entries_;
};

// A choice on disk: "cudnn convolution" or the like, the bytes of the problem, and whatever else it depends on.
class KeptChoice {
 public:
  KeptChoice(const char* family, std::string_view problem, std::string_view circumstances);
  // False: there is none.
  bool read(std::string* text) const;
  // Does nothing for a program that is not trusted.
  void keep(const std::string& text) const;

 private:
  const char* const family_;
  rtc::Key key_;
};

// The device and its driver, which choices depend on besides the problem.
std::string device_circumstances(cuda::CudaDevice& device);

// Runs a trial, one at a time on the whole: two that are timed side by side would say nothing of either. It has a
// thread of its own: the caller's may be capturing, and a trial's captures must be judged as strictly as any.
Status run_trial(cuda::CudaDevice& device, const char* what, const std::function<Status()>& body);

// True for a failure that says nothing of the candidate that met it: the device is lost, or the caller's time or host's
// memory is at its end (MakingLimit).
bool ends_trial(const Status& status);

// Counts choices that were made by a trial, as none was kept: for rondo_cache_query.
void count_trial();
int64_t trials();

}  // namespace rondo::ops
