// Compiling, keeping and loading images. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "rtc/image.h"

#include <atomic>
#include <chrono>
#include <mutex>

#include "base/log.h"

namespace rondo::rtc {

using namespace cuda;

namespace {

constexpr int kMaxDevices = 64;

std::atomic<int64_t> disk_hits{0};
std::atomic<int64_t> compiled{0};
std::atomic<int64_t> compile_us{0};

// What to compile for, chosen once per device. Two of them: the second for drivers that refuse the first's images.
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

Key key_of(const Target& target, const ImageRequest& request) {
  KeyBuilder builder;
  request.describe(builder);
  for (const std::string& option : target.options) builder.add(option);
  const int version[3] = {target.nvrtc_major, target.nvrtc_minor, target.binary};
  builder.add({reinterpret_cast<const char*>(version), sizeof version});
  return builder.key();
}

Status make_image(const Target& target, const ImageRequest& request, std::string* image) {
  if (!request.describe) return request.compile(target, image);
  DiskCache& disk = DiskCache::instance();
  const Key key = key_of(target, request);
  if (disk.find(key, image)) {
    disk_hits.fetch_add(1, std::memory_order_relaxed);
    return {};
  }
  const auto begin = std::chrono::steady_clock::now();
  RONDO_TRY(request.compile(target, image));
  const auto spent = std::chrono::steady_clock::now() - begin;
  compile_us.fetch_add(std::chrono::duration_cast<std::chrono::microseconds>(spent).count(), std::memory_order_relaxed);
  compiled.fetch_add(1, std::memory_order_relaxed);
  log(RONDO_LOG_DEBUG, "compiled %s in %.1f ms", request.name,
      std::chrono::duration<double, std::milli>(spent).count());
  disk.store(key, request.name, *image);
  return {};
}

// Whether PTX, translated by the driver itself, may do where a cubin did not.
bool refused(CUresult result) {
  return result == CUDA_ERROR_INVALID_IMAGE || result == CUDA_ERROR_NO_BINARY_FOR_GPU ||
         result == CUDA_ERROR_INVALID_PTX || result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
}

}  // namespace

Status load_image(CudaDevice& device, const ImageRequest& request, std::string* image, CUmodule* module) {
  std::string own;
  std::string& bytes = image ? *image : own;
  for (const bool portable : {false, true}) {
    const Target* target = nullptr;
    RONDO_TRY(target_of(device, portable, &target).with_context(request.name));
    RONDO_TRY(make_image(*target, request, &bytes));
    CUresult result;
    {
      CudaDevice::Current current(device);
      RONDO_TRY(current.status().with_context(request.name));
      StreamDevice::Relaxed relaxed(device);
      result = driver().cuModuleLoadDataEx(module, bytes.data(), 0, nullptr, nullptr);
    }
    if (result == CUDA_SUCCESS || portable || !refused(result))
      return device.check(result, "cuModuleLoadDataEx").with_context(request.name);
  }
  return {};
}

ImageStatistics image_statistics() {
  return {disk_hits.load(std::memory_order_relaxed), compiled.load(std::memory_order_relaxed),
          static_cast<double>(compile_us.load(std::memory_order_relaxed)) / 1000};
}

}  // namespace rondo::rtc
