// Compiles an image or finds it on disk, and loads it as a module of a device.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "rtc/image.h"

#include <atomic>
#include <chrono>
#include <mutex>

#include "base/log.h"
#include "base/text.h"
#include "engine/tasks/making_limit.h"
#include "rtc/progress.h"
#include "rtc/unkept.h"

namespace rondo::rtc {

using namespace cuda;

namespace {

constexpr int kMaxDevices = 64;

std::atomic<int64_t> disk_hits{0};
std::atomic<int64_t> without_compiler{0};
std::atomic<int64_t> compiled{0};
std::atomic<int64_t> compile_us{0};

// The targets to compile for, chosen once per device. Two of them: the second for drivers that refuse the first's
// images.
struct Targets {
  std::mutex mutex;
  bool chosen[2] = {};
  Target targets[2];
};

// Never destroyed: threads may compile while the process exits.
Status target_of(const CudaDevice& device, bool portable, const Target** target) {
  static auto* const all = new Targets[kMaxDevices];
  Targets& own = all[device.id().index];
  std::lock_guard lock(own.mutex);
  if (!own.chosen[portable]) {
    RONDO_TRY(choose_target(device.capability(), portable, &own.targets[portable]));
    own.chosen[portable] = true;
  }
  *target = &own.targets[portable];
  return {};
}

Origin origin_of(const Target& target) {
  return {target.architecture, target.binary, target.nvrtc_major, target.nvrtc_minor, target.nvrtc_build};
}

Status make_image(const Target& target, const ImageRequest& request, std::string* image) {
  if (!request.describe) {
    const Progress::Compiling compiling(Progress::instance(), request.name);
    return request.compile(target, image);
  }
  DiskCache& disk = DiskCache::instance();
  const Key key = key_of(request);
  const Origin origin = origin_of(target);
  if (disk.find(key, origin, image)) {
    disk_hits.fetch_add(1, std::memory_order_relaxed);
    return {};
  }
  RONDO_TRY(MakingLimit::check());
  if (Unkept::Allowance* const allowance = Unkept::allowance()) RONDO_TRY(allowance->take());
  const auto begin = std::chrono::steady_clock::now();
  {
    const Progress::Compiling compiling(Progress::instance(), request.name);
    RONDO_TRY(request.compile(target, image));
  }
  const auto spent = std::chrono::steady_clock::now() - begin;
  compile_us.fetch_add(std::chrono::duration_cast<std::chrono::microseconds>(spent).count(), std::memory_order_relaxed);
  compiled.fetch_add(1, std::memory_order_relaxed);
  log(RONDO_LOG_DEBUG, "compiled %s in %.1f ms", request.name,
      std::chrono::duration<double, std::milli>(spent).count());
  disk.store(key, origin, request.name, *image);
  return MakingLimit::take(2 * static_cast<int64_t>(image->size()));  // its module has them as well
}

// True if PTX, translated by the driver itself, may succeed where a cubin did not.
bool refused(CUresult result) {
  return result == CUDA_ERROR_INVALID_IMAGE || result == CUDA_ERROR_NO_BINARY_FOR_GPU ||
         result == CUDA_ERROR_INVALID_PTX || result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
}

Status load(CudaDevice& device, const ImageRequest& request, const std::string& image, CUmodule* module,
            CUresult* result) {
  const CudaDevice::Current current(device);
  RONDO_TRY(current.status().with_context(request.name));
  const StreamDevice::Relaxed relaxed(device);
  *result = driver().cuModuleLoadDataEx(module, image.data(), 0, nullptr, nullptr);
  return {};
}

// True if another process's image may help: no compiler is here, or none for this device.
bool lacks_compiler(const Status& status) {
  return status.code() == RONDO_LIBRARY_MISSING || status.code() == RONDO_UNSUPPORTED;
}

// The first of the images that were kept for such a device which the driver takes. `why`: what keeps this process from
// compiling one.
Status load_kept(CudaDevice& device, const ImageRequest& request, const Status& why, std::string* image,
                 CUmodule* module, int* architecture) {
  const std::string capability = format("%d.%d", device.capability() / 10, device.capability() % 10);
  if (!request.describe)
    return error(why.code(), "%s; a kernel that takes in files is never kept, so there is no image of it either",
                 why.message());
  DiskCache& disk = DiskCache::instance();
  for (CacheEntry& entry : disk.suitable(key_of(request), device.capability())) {
    CUresult result = CUDA_SUCCESS;
    RONDO_TRY(load(device, request, entry.image, module, &result));
    if (refused(result)) continue;
    RONDO_TRY(device.check(result, "cuModuleLoadDataEx").with_context(request.name));
    disk_hits.fetch_add(1, std::memory_order_relaxed);
    if (without_compiler.fetch_add(1, std::memory_order_relaxed) == 0)
      log(RONDO_LOG_INFO, "kernels that were kept in %s are used, since none can be compiled: %s",
          disk.folder().c_str(), why.message());
    *image = std::move(entry.image);
    *architecture = entry.origin.architecture;
    return {};
  }
  if (disk.folder().empty())
    return error(why.code(), "%s; compiled kernels are not kept either: %s", why.message(), disk.why_off().c_str());
  return error(why.code(),
               "%s; %s has no image of '%s' that a device of compute capability %s takes: run the program once "
               "where NVRTC is, then `rondo cache export` there and `rondo cache import` here",
               why.message(), disk.folder().c_str(), request.name, capability.c_str());
}

}  // namespace

Status load_image(CudaDevice& device, const ImageRequest& request, std::string* image, CUmodule* module,
                  int* architecture) {
  std::string own;
  std::string& bytes = image ? *image : own;
  int unused = 0;
  if (!architecture) architecture = &unused;
  for (const bool portable : {false, true}) {
    const Target* target = nullptr;
    Status made = target_of(device, portable, &target).with_context(request.name);
    if (made.ok()) made = make_image(*target, request, &bytes);
    if (lacks_compiler(made)) return load_kept(device, request, made, &bytes, module, architecture);
    RONDO_TRY(made);
    *architecture = target->architecture;
    CUresult result = CUDA_SUCCESS;
    RONDO_TRY(load(device, request, bytes, module, &result));
    if (result == CUDA_SUCCESS || portable || !refused(result))
      return device.check(result, "cuModuleLoadDataEx").with_context(request.name);
  }
  return {};
}

Key key_of(const ImageRequest& request) {
  KeyBuilder builder;
  request.describe(builder);
  for (const std::string& option : common_options()) builder.add(option);
  return builder.key();
}

Status find_kept(const CudaDevice& device, const char* name, const Key& key, bool* kept) {
  const Target* target = nullptr;
  const Status chosen = target_of(device, false, &target);
  if (!chosen.ok() && !lacks_compiler(chosen)) return chosen.with_context(name);
  const Origin origin = chosen.ok() ? origin_of(*target) : Origin();
  *kept = DiskCache::instance().keeps(key, chosen.ok() ? &origin : nullptr, device.capability());
  return {};
}

ImageStatistics image_statistics() {
  return {disk_hits.load(std::memory_order_relaxed), without_compiler.load(std::memory_order_relaxed),
          compiled.load(std::memory_order_relaxed),
          static_cast<double>(compile_us.load(std::memory_order_relaxed)) / 1000};
}

}  // namespace rondo::rtc
