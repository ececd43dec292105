// Makes and owns cuDNN's descriptors and handles, and turns its results into Status.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/cudnn/descriptor.h"

#include <memory>
#include <unordered_map>

#include "base/room.h"
#include "base/text.h"
#include "base/threads/thread_owned.h"

namespace rondo::ops::dnn {

using namespace cuda;

Status failure(cudnnStatus_t result, const char* function) {
  if (is_missing_function(result)) return missing_function_error(result);
  // Small numbers up to version 8, thousands by kind from 9 on.
  const bool old = result < 1000;
  const bool unsupported = old ? result == 9 || result == 6 : result / 1000 == 3;
  const bool memory = old ? result == 2 : result == 4003 || result == 4004;
  char reason[512] = "";
  if (cudnn().cudnnGetLastErrorString) cudnn().cudnnGetLastErrorString(reason, sizeof reason);
  const char* name = cudnn().cudnnGetErrorString(result);
  return error(unsupported ? RONDO_UNSUPPORTED
               : memory    ? RONDO_OUT_OF_MEMORY
                           : RONDO_DEVICE_ERROR,
               "%s of cuDNN failed with %d %s%s%s", function, result, name ? name : "", reason[0] ? ": " : "", reason);
}

Status Descriptor::create(cudnnBackendDescriptorType_t type) {
  return check(cudnn().cudnnBackendCreateDescriptor(type, &native_), "cudnnBackendCreateDescriptor");
}

Status Descriptor::finalize() {
  return check(cudnn().cudnnBackendFinalize(native_), "cudnnBackendFinalize");
}

Status Descriptor::set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
                       const void* values) {
  const cudnnStatus_t result = cudnn().cudnnBackendSetAttribute(native_, name, type, count, values);
  if (result == CUDNN_STATUS_SUCCESS) return {};
  return failure(result, format("cudnnBackendSetAttribute(%d)", name).c_str());
}

Status Descriptor::set_int64(cudnnBackendAttributeName_t name, int64_t value) {
  return set(name, CUDNN_TYPE_INT64, 1, &value);
}

Status Descriptor::set_int64s(cudnnBackendAttributeName_t name, std::span<const int64_t> values) {
  return set(name, CUDNN_TYPE_INT64, static_cast<int64_t>(values.size()), values.data());
}

Status Descriptor::set_enum(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int value) {
  return set(name, type, 1, &value);
}

Status Descriptor::set_descriptor(cudnnBackendAttributeName_t name, const Descriptor& value) {
  return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value.native_);
}

Status Descriptor::set_handle(cudnnBackendAttributeName_t name, cudnnHandle_t handle) {
  return set(name, CUDNN_TYPE_HANDLE, 1, &handle);
}

Status Descriptor::get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t requested,
                       int64_t* count, void* values) const {
  const cudnnStatus_t result = cudnn().cudnnBackendGetAttribute(native_, name, type, requested, count, values);
  if (result == CUDNN_STATUS_SUCCESS) return {};
  return failure(result, format("cudnnBackendGetAttribute(%d)", name).c_str());
}

Status Handles::give(Descriptor& descriptor, std::optional<cudnnBackendAttributeName_t> for_handle,
                     std::optional<cudnnBackendAttributeName_t> for_properties) const {
  if (maker) return for_handle ? descriptor.set_handle(*for_handle, maker) : Status();
  return for_properties ? descriptor.set_descriptor(*for_properties, properties) : Status();
}

namespace {

// The handles that a thread has, each of one device.
class Owned {
 public:
  Owned() = default;
  ~Owned() {
    for (const auto& [of, handle] : each_) {
      const std::lock_guard lock(of->mutex);
      of->unused.push_back(handle);
    }
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  Status find(CudaDevice& device, Handles& of, cudnnHandle_t* handle) {
    for (const auto& [known, native] : each_)
      if (known == &of) {
        *handle = native;
        return {};
      }
    make_room(&each_);  // before there is anything to lose
    if (of.unused.empty()) {
      of.unused.reserve(++of.made);
      const StreamDevice::Relaxed relaxed(device);  // it takes memory
      RONDO_TRY(check(cudnn().cudnnCreate(handle), "cudnnCreate"));
    } else {
      *handle = of.unused.back();
      of.unused.pop_back();
    }
    each_.emplace_back(&of, *handle);
    return {};
  }

 private:
  std::vector<std::pair<Handles*, cudnnHandle_t>> each_;
};

}  // namespace

Status own_handle(CudaDevice& device, Handles& handles, cudnnHandle_t* handle) {
  static constinit const ThreadOwned<Owned> owned;
  return owned.get().find(device, handles, handle);
}

Status handles_of(CudaDevice& device, Handles** handles) {
  static std::mutex mutex;
  static auto* all = new std::unordered_map<int, std::unique_ptr<Handles>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<Handles>& kept = (*all)[device.id().index];
  if (!kept) {
    RONDO_TRY(cudnn().open());
    const CudaDevice::Current current(device);
    RONDO_TRY(current.status());
    auto made = std::make_unique<Handles>();
    RONDO_TRY(check(cudnn().cudnnCreate(&made->maker), "cudnnCreate"));
    kept = std::move(made);
  }
  *handles = kept.get();
  return {};
}

}  // namespace rondo::ops::dnn
