// Keeps choices on disk, and runs the trials that they are made by.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/trial/choice_table.h"

#include "base/caught.h"
#include "base/text.h"
#include "base/threads/thread.h"
#include "base/threads/uncancelled.h"
#include "engine/tasks/making_limit.h"
#include "rtc/disk_cache.h"
#include "rtc/unkept.h"

namespace rondo::ops {

namespace {

std::atomic<int64_t> trial_count{0};

}  // namespace

const void* ChoiceEntries::find(std::string_view problem) const {
  const std::shared_lock lock(mutex_);
  const auto found = entries_.find(problem);
  return found == entries_.end() ? nullptr : found->second.choice.load(std::memory_order_acquire);
}

Status ChoiceEntries::find_or_make(std::string_view problem, const Make& make, const void** choice) {
  Entry* entry = nullptr;
  {
    const std::lock_guard lock(mutex_);
    entry = &entries_.try_emplace(std::string(problem)).first->second;
  }
  const Uncancelled uncancelled;
  const std::lock_guard one(entry->making);
  *choice = entry->choice.load(std::memory_order_acquire);
  if (*choice) return {};
  RONDO_TRY(make(choice));
  entry->choice.store(*choice, std::memory_order_release);
  return {};
}

KeptChoice::KeptChoice(const char* family, std::string_view problem, std::string_view circumstances) : family_(family) {
  rtc::KeyBuilder key;
  key.add(family);
  key.add(problem);
  key.add(circumstances);
  key_ = key.key();
}

bool KeptChoice::read(std::string* text) const {
  return rtc::DiskCache::instance().find(key_, text);
}

void KeptChoice::keep(const std::string& text) const {
  rtc::DiskCache::instance().store(key_, family_, text);
}

std::string device_circumstances(cuda::CudaDevice& device) {
  rondo_device_info info = RONDO_DEVICE_INFO_INIT;
  const Status known = device.query(&info);
  return format("%s %d %d driver %d", known.ok() ? info.name : "", device.capability(), device.multiprocessors(),
                cuda::driver().driver_version());
}

Status run_trial(cuda::CudaDevice& device, const char* what, const std::function<Status()>& body) {
  static std::mutex trying;
  const std::lock_guard lock(trying);
  const auto start = [&] {
    Status status;
    start_thread([&, unkept = rtc::Unkept::allowance(), limit = MakingLimit::current()] {
      const rtc::Unkept scope(unkept);
      const MakingLimit::Scope limited(limit);
      status = caught(
          [&] {
            const cuda::CudaDevice::Current current(device);
            return current.status().ok() ? body() : current.status();
          },
          what);
    }).join();
    return status;
  };
  return caught(start, what);  // the system may have no thread
}

bool ends_trial(const Status& status) {
  return status.code() == RONDO_DEVICE_LOST || status.code() == RONDO_TIMED_OUT ||
         (status.code() == RONDO_OUT_OF_MEMORY && !MakingLimit::check().ok());
}

void count_trial() {
  trial_count.fetch_add(1, std::memory_order_relaxed);
}
int64_t trials() {
  return trial_count.load(std::memory_order_relaxed);
}

}  // namespace rondo::ops
