// Owns cuDNN's objects, descriptors and handles, and tells the meaning of its results.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/status.h"
#include "device/cuda/cuda_device.h"
#include "dynlib/cudnn.h"

namespace rondo::ops::dnn {

// A result as a Status, with what the library says of the calling thread's last failure: RONDO_UNSUPPORTED where it has
// no way of it, RONDO_OUT_OF_MEMORY, otherwise RONDO_DEVICE_ERROR.
Status failure(cuda::cudnnStatus_t result, const char* function);
inline Status check(cuda::cudnnStatus_t result, const char* function) {
  return result == cuda::CUDNN_STATUS_SUCCESS ? Status() : failure(result, function);
}

// A descriptor of the backend interface. The descriptors that it is made of must live as long as it does: cuDNN
// promises no copies.
class Descriptor {
 public:
  Descriptor() = default;
  Descriptor(Descriptor&& other) noexcept : native_(std::exchange(other.native_, nullptr)) {}
  Descriptor& operator=(Descriptor other) noexcept {
    std::swap(native_, other.native_);
    return *this;
  }
  ~Descriptor() {
    if (native_) cuda::cudnn().cudnnBackendDestroyDescriptor(native_);
  }

  Status create(cuda::cudnnBackendDescriptorType_t type);
  Status finalize();
  cuda::cudnnBackendDescriptor_t native() const { return native_; }

  Status set(cuda::cudnnBackendAttributeName_t name, cuda::cudnnBackendAttributeType_t type, int64_t count,
             const void* values);
  Status set_int64(cuda::cudnnBackendAttributeName_t name, int64_t value);
  Status set_int64s(cuda::cudnnBackendAttributeName_t name, std::span<const int64_t> values);
  // Sets an attribute that is an enumeration, which is an int.
  Status set_enum(cuda::cudnnBackendAttributeName_t name, cuda::cudnnBackendAttributeType_t type, int value);
  Status set_descriptor(cuda::cudnnBackendAttributeName_t name, const Descriptor& value);
  Status set_handle(cuda::cudnnBackendAttributeName_t name, cuda::cudnnHandle_t handle);
  // *count: how many there are or, where fewer were asked for, were given.
  Status get(cuda::cudnnBackendAttributeName_t name, cuda::cudnnBackendAttributeType_t type, int64_t requested,
             int64_t* count, void* values) const;

 private:
  cuda::cudnnBackendDescriptor_t native_ = nullptr;
};

// A device's handles, made on first use and never destroyed, which would wait for the device. Only one thread may use
// the library's handles of a device at a time: it holds `mutex`. Without a handle there are the properties of a device
// that need not be there, as from version 9.8 on: graphs and plans are made for it, and cannot be run.
struct Handles {
  std::mutex mutex;
  cuda::cudnnHandle_t maker = nullptr;  // that graphs and plans are made with
  Descriptor properties;
  std::vector<cuda::cudnnHandle_t> unused;  // of threads that have ended; with room for all
  size_t made = 0;                          // of threads, in all

  // Says to a descriptor what it is made for, in the attribute that it has for that.
  Status give(Descriptor& descriptor, std::optional<cuda::cudnnBackendAttributeName_t> for_handle,
              std::optional<cuda::cudnnBackendAttributeName_t> for_properties) const;
};
Status handles_of(cuda::CudaDevice& device, Handles** handles);
// The calling thread's own handle of the device, to run plans with; its thread gives it back at its end. A handle
// remembers an event of the stream it was set to: were it another thread's as well, which sets it to a stream while
// this one's is captured, the driver would take that event from a capture that another thread is about to end, and
// frees it twice (seen with driver 580 and cuDNN 9.19). The caller holds `mutex`.
Status own_handle(cuda::CudaDevice& device, Handles& handles, cuda::cudnnHandle_t* handle);

}  // namespace rondo::ops::dnn
