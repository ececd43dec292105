// Caches the loaded kernels of each device in memory, and makes those that are missing.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
//
// One open-addressing table of atomic pointers per device. A hit probes it without any lock. Entries are only ever
// added, under a mutex; a full table is copied into a bigger one, which is then published. Old tables stay, because
// readers may be in them: together they are smaller than the last. Compiling happens with no lock held but the entry's
// own state.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "base/caught.h"
#include "base/log.h"
#include "base/threads/uncancelled.h"
#include "rtc/compiler.h"
#include "rtc/device_text.h"
#include "rtc/disk_cache.h"
#include "rtc/image.h"
#include "rtc/kernel.h"
#include "rtc/kernel_census.h"
#include "rtc/kernel_text.h"

namespace rondo::rtc {

using namespace cuda;

namespace {

constexpr int kMaxDevices = 64;
constexpr size_t kFirstCapacity = 1024;

struct CachedKernel {
  CachedKernel(const Signature& signature, uint64_t hash) : hash(hash), signature(signature) {}
  const uint64_t hash;
  const Signature signature;
  std::atomic<bool> ready{false};
  Kernel kernel;  // valid once ready

  std::mutex mutex;
  std::condition_variable changed;
  bool compiling = false;
  Status failure;  // of the last attempt
};

struct Table {
  explicit Table(size_t capacity) : mask(capacity - 1), slots(new std::atomic<CachedKernel*>[capacity]()) {}
  CachedKernel* find(const Signature& signature, uint64_t hash) const {
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
      CachedKernel* entry = slots[i].load(std::memory_order_acquire);
      if (!entry || (entry->hash == hash && entry->signature == signature)) return entry;
    }
  }
  void insert(CachedKernel* entry) {
    size_t i = entry->hash & mask;
    while (slots[i].load(std::memory_order_relaxed)) i = (i + 1) & mask;
    slots[i].store(entry, std::memory_order_release);
  }
  const size_t mask;
  const std::unique_ptr<std::atomic<CachedKernel*>[]> slots;
};

struct Cache {
  std::atomic<Table*> table{new Table(kFirstCapacity)};
  std::mutex mutex;  // adding entries and growing
  std::vector<CachedKernel*> entries;
  std::vector<std::unique_ptr<Table>> outgrown;

  CachedKernel* add(const Signature& signature, uint64_t hash) {
    std::lock_guard lock(mutex);
    Table* now = table.load(std::memory_order_relaxed);
    if (CachedKernel* entry = now->find(signature, hash)) return entry;
    if (entries.size() * 2 > now->mask) {
      auto bigger = std::make_unique<Table>((now->mask + 1) * 2);
      for (CachedKernel* entry : entries) bigger->insert(entry);
      outgrown.emplace_back(now);
      now = bigger.release();
      table.store(now, std::memory_order_release);
    }
    entries.push_back(new CachedKernel(signature, hash));
    now->insert(entries.back());
    return entries.back();
  }
};

std::atomic<Cache*> caches[kMaxDevices] = {};

Cache& cache_of(const CudaDevice& device) {
  std::atomic<Cache*>& slot = caches[device.id().index];
  Cache* cache = slot.load(std::memory_order_acquire);
  if (cache) return *cache;
  auto* made = new Cache;
  if (slot.compare_exchange_strong(cache, made, std::memory_order_acq_rel)) return *made;
  delete made->table.load();
  delete made;
  return *cache;
}

Status load_kernel(CudaDevice& device, const char* name, const std::string& generated, Kernel* kernel) {
  const std::string text = with_beginning(generated);
  CUmodule module = nullptr;
  int architecture = 0;
  RONDO_TRY(load_image(device, request_for(name, text), nullptr, &module, &architecture));
  // The instruction is dropped silently for older architectures.
  kernel->waits = architecture >= kProgrammaticCapability;
  Status status = device.module_function(module, "rondo_kernel", &kernel->function);
  if (status.ok()) {
    const CudaDevice::Current current(device);
    status = current.status();
    if (status.ok())
      status = device.check(
          driver().cuFuncGetAttribute(&kernel->max_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel->function),
          "cuFuncGetAttribute");
  }
  if (!status.ok()) device.module_unload(module);
  return status.with_context(name);
}

// Waits for another thread's compile, or does it. A kernel whose text is wrong stays wrong; what failed for another
// reason (memory, a library that is missing now) is tried again by the next caller.
Status make_ready(CudaDevice& device, CachedKernel& entry, const char* name, const Generator& generate) {
  const Uncancelled uncancelled;
  std::unique_lock lock(entry.mutex);
  while (entry.compiling) {
    entry.changed.wait(lock, [&entry] { return !entry.compiling; });
    if (entry.ready.load(std::memory_order_relaxed)) return {};
    // The limits of a stranger's program, which have ended its compile, are not those of others who want the kernel.
    const rondo_status code = entry.failure.code();
    if (code != RONDO_TIMED_OUT && code != RONDO_UNSUPPORTED && code != RONDO_OUT_OF_MEMORY) return entry.failure;
  }
  if (entry.ready.load(std::memory_order_relaxed)) return {};
  if (entry.failure.code() == RONDO_COMPILE_FAILED) return entry.failure;
  entry.compiling = true;
  lock.unlock();

  // Whatever it is: those who wait for this compile must hear of its end.
  const Status status = caught([&] { return load_kernel(device, name, generate(), &entry.kernel); }, name);

  lock.lock();
  entry.compiling = false;
  entry.failure = status;
  if (status.ok()) entry.ready.store(true, std::memory_order_release);
  entry.changed.notify_all();
  return status;
}

}  // namespace

Status find_kernel(CudaDevice& device, const Signature& signature, const char* name, const Generator& generate,
                   const Kernel** kernel) {
  if (signature.overflow())
    return error(RONDO_UNSUPPORTED, "%s: the kernel has more parts than a signature of %u bytes can tell apart", name,
                 Signature::kCapacity);
  // mutation: counted_kernels_are_made
  if (KernelCensus* const census = KernelCensus::here()) [[unlikely]]
    return census->note(device, name, generate, kernel);
  Cache& cache = cache_of(device);
  const uint64_t hash = signature.hash();
  CachedKernel* entry = cache.table.load(std::memory_order_acquire)->find(signature, hash);
  if (!entry) entry = cache.add(signature, hash);
  if (entry->ready.load(std::memory_order_acquire)) [[likely]] {
    entry->kernel.count_hit();
  } else {
    RONDO_TRY(make_ready(device, *entry, name, generate));
  }
  *kernel = &entry->kernel;
  return {};
}

Status try_kernel(CudaDevice& device) {
  CUmodule module = nullptr;
  const std::string text = "extern \"C\" __global__ void rondo_kernel(int* at) { *at = 1; }\n";
  ImageRequest request = request_for("a trial kernel", text);
  request.describe = nullptr;  // past the disk, which might have it
  RONDO_TRY(load_image(device, request, nullptr, &module));
  CUfunction function = nullptr;
  const Status found = device.module_function(module, "rondo_kernel", &function);
  device.module_unload(module);
  return found;
}

int64_t kernel_memory_hits() {
  int64_t hits = 0;
  for (std::atomic<Cache*>& slot : caches) {
    Cache* cache = slot.load(std::memory_order_acquire);
    if (!cache) continue;
    std::lock_guard lock(cache->mutex);
    for (const CachedKernel* entry : cache->entries) hits += entry->kernel.hits.load(std::memory_order_relaxed);
  }
  return hits;
}

}  // namespace rondo::rtc
