// Streams, events, memory and modules of a GPU.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda_device.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "base/text.h"

namespace rondo::cuda {

namespace {

CUstream native_stream(void* stream) {
  return static_cast<CUstream>(stream);
}
CUevent native_event(void* event) {
  return static_cast<CUevent>(event);
}
CUdeviceptr address_of(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

// After these the context is unusable: nothing on it will ever work again.
bool is_fatal(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED: return true;
    default: return false;
  }
}

}  // namespace

Status check(CUresult result, const char* function) {
  if (result == CUDA_SUCCESS) return {};
  if (result == kMissingFunction) return missing_function_error();
  const char* name = nullptr;
  const char* text = nullptr;
  driver().cuGetErrorName(result, &name);
  driver().cuGetErrorString(result, &text);
  const rondo_status code = is_fatal(result)                     ? RONDO_DEVICE_LOST
                            : result == CUDA_ERROR_OUT_OF_MEMORY ? RONDO_OUT_OF_MEMORY
                                                                 : RONDO_DEVICE_ERROR;
  return error(code, "%s failed with %d %s (%s)", function, result, name ? name : "unknown", text ? text : "no text");
}

CudaDevice::CudaDevice(int index, CUdevice handle, CUcontext context)
    : StreamDevice({RONDO_CUDA, index}), handle_(handle), context_(context) {
  int major = 0;
  int minor = 0;
  driver().cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, handle);
  driver().cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, handle);
  capability_ = major * 10 + minor;
  driver().cuDeviceGetAttribute(&multiprocessors_, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, handle);
  driver().cuDeviceGetAttribute(&max_shared_bytes_, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, handle);
}

Status CudaDevice::query(rondo_device_info* info) {
  Current current(*this);
  RONDO_CU(cuDeviceGetName(info->name, sizeof info->name, handle_), "cuDeviceGetName");
  size_t free_bytes = 0;
  size_t total = 0;
  RONDO_CU(cuMemGetInfo_v2(&free_bytes, &total), "cuMemGetInfo");
  info->total_memory = static_cast<int64_t>(total);
  info->free_memory = static_cast<int64_t>(free_bytes);
  info->capability = capability_;
  info->processors = multiprocessors_;
  info->driver = driver().driver_version();
  return {};
}

Status CudaDevice::launch(CUfunction function, const Launch& shape, void* stream, const void* arguments) {
  Current current(*this);
  void* parameters[] = {const_cast<void*>(arguments)};
  RONDO_CU(cuLaunchKernel(function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1],
                          shape.block[2], shape.shared_bytes, native_stream(stream), parameters, nullptr),
           "cuLaunchKernel");
  return {};
}

Status CudaDevice::module_load(const void* image, CUmodule* module) {
  Current current(*this);
  Relaxed relaxed(*this);
  RONDO_CU(cuModuleLoadDataEx(module, image, 0, nullptr, nullptr), "cuModuleLoadDataEx");
  return {};
}

void CudaDevice::module_unload(CUmodule module) {
  Current current(*this);
  Relaxed relaxed(*this);
  driver().cuModuleUnload(module);
}

Status CudaDevice::module_function(CUmodule module, const char* name, CUfunction* function) {
  Current current(*this);
  RONDO_CU(cuModuleGetFunction(function, module, name), "cuModuleGetFunction");
  // Load the code now: with lazy loading the first launch would, which a capture forbids.
  Relaxed relaxed(*this);
  if (driver().cuFuncLoad) {
    driver().cuFuncLoad(*function);
  } else {
    int registers = 0;
    driver().cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, *function);
  }
  return {};
}

Status CudaDevice::allocate(size_t bytes, void** address) {
  Current current(*this);
  Relaxed relaxed(*this);
  CUdeviceptr pointer = 0;
  RONDO_CU(cuMemAlloc_v2(&pointer, bytes), "cuMemAlloc");
  *address = reinterpret_cast<void*>(pointer);
  return {};
}

void CudaDevice::release(void* address) {
  Current current(*this);
  Relaxed relaxed(*this);
  driver().cuMemFree_v2(address_of(address));
}

Status CudaDevice::allocate_pinned(size_t bytes, void** address) {
  Current current(*this);
  Relaxed relaxed(*this);
  RONDO_CU(cuMemHostAlloc(address, bytes, CU_MEMHOSTALLOC_PORTABLE), "cuMemHostAlloc");
  return {};
}

void CudaDevice::release_pinned(void* address) {
  Current current(*this);
  Relaxed relaxed(*this);
  driver().cuMemFreeHost(address);
}

Status CudaDevice::stream_create(bool high_priority, void** stream) {
  Current current(*this);
  int least = 0;
  int greatest = 0;
  RONDO_CU(cuCtxGetStreamPriorityRange(&least, &greatest), "cuCtxGetStreamPriorityRange");
  CUstream made = nullptr;
  RONDO_CU(cuStreamCreateWithPriority(&made, CU_STREAM_NON_BLOCKING, high_priority ? greatest : 0),
           "cuStreamCreateWithPriority");
  *stream = made;
  return {};
}

void CudaDevice::stream_destroy(void* stream) {
  Current current(*this);
  driver().cuStreamDestroy_v2(native_stream(stream));
}

Status CudaDevice::stream_synchronize(void* stream) {
  Current current(*this);
  RONDO_CU(cuStreamSynchronize(native_stream(stream)), "cuStreamSynchronize");
  return {};
}

Status CudaDevice::stream_wait(void* stream, void* event) {
  Current current(*this);
  RONDO_CU(cuStreamWaitEvent(native_stream(stream), native_event(event), 0), "cuStreamWaitEvent");
  return {};
}

Status CudaDevice::event_create(bool timing, void** event) {
  Current current(*this);
  CUevent made = nullptr;
  RONDO_CU(cuEventCreate(&made, timing ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING), "cuEventCreate");
  *event = made;
  return {};
}

void CudaDevice::event_destroy(void* event) {
  Current current(*this);
  driver().cuEventDestroy_v2(native_event(event));
}

Status CudaDevice::event_record(void* event, void* stream) {
  Current current(*this);
  RONDO_CU(cuEventRecord(native_event(event), native_stream(stream)), "cuEventRecord");
  return {};
}

Status CudaDevice::event_query(void* event, bool* done) {
  Current current(*this);
  const CUresult result = driver().cuEventQuery(native_event(event));
  *done = result == CUDA_SUCCESS;
  return result == CUDA_ERROR_NOT_READY ? Status() : check(result, "cuEventQuery");
}

Status CudaDevice::event_synchronize(void* event) {
  Current current(*this);
  RONDO_CU(cuEventSynchronize(native_event(event)), "cuEventSynchronize");
  return {};
}

Status CudaDevice::event_elapsed(void* start, void* end, float* milliseconds) {
  Current current(*this);
  RONDO_CU(cuEventElapsedTime(milliseconds, native_event(start), native_event(end)), "cuEventElapsedTime");
  return {};
}

Status CudaDevice::copy(CopyKind kind, void* to, const void* from, size_t bytes, void* stream) {
  Current current(*this);
  switch (kind) {
    case CopyKind::host_to_device:
      RONDO_CU(cuMemcpyHtoDAsync_v2(address_of(to), from, bytes, native_stream(stream)), "cuMemcpyHtoDAsync");
      break;
    case CopyKind::device_to_host:
      RONDO_CU(cuMemcpyDtoHAsync_v2(to, address_of(from), bytes, native_stream(stream)), "cuMemcpyDtoHAsync");
      break;
    case CopyKind::device_to_device:
      RONDO_CU(cuMemcpyDtoDAsync_v2(address_of(to), address_of(from), bytes, native_stream(stream)),
               "cuMemcpyDtoDAsync");
      break;
  }
  return {};
}

Status CudaDevice::copy_peer(void* to, StreamDevice& from_device, const void* from, size_t bytes, void* stream) {
  Current current(*this);
  auto& source = static_cast<CudaDevice&>(from_device);
  RONDO_CU(cuMemcpyPeerAsync(address_of(to), context_, address_of(from), source.context_, bytes, native_stream(stream)),
           "cuMemcpyPeerAsync");
  return {};
}

Status CudaDevice::fill_bytes(void* to, unsigned char value, size_t bytes, void* stream) {
  Current current(*this);
  RONDO_CU(cuMemsetD8Async(address_of(to), value, bytes, native_stream(stream)), "cuMemsetD8Async");
  return {};
}

// --- the table of devices ---

namespace {

constexpr int kMaxDevices = 64;

struct Devices {
  std::once_flag counted;
  int count = 0;
  std::string reason;
  Status failure;
  std::mutex mutex;  // opening contexts
  std::atomic<CudaDevice*> opened[kMaxDevices] = {};
};

Devices& devices() {
  static auto* instance = new Devices;
  std::call_once(instance->counted, [] {
    Devices& all = *instance;
    all.failure = driver().open();
    if (all.failure.ok()) {
      const CUresult result = driver().cuInit(0);
      if (result == CUDA_ERROR_NO_DEVICE)
        all.failure = error(RONDO_NOT_FOUND, "the CUDA driver %s shows no device", driver().path().c_str());
      else
        all.failure = check(result, "cuInit");
    }
    if (all.failure.ok()) all.failure = check(driver().cuDeviceGetCount(&all.count), "cuDeviceGetCount");
    if (!all.failure.ok()) all.count = 0;
    if (all.count > kMaxDevices) all.count = kMaxDevices;
    all.reason = all.failure.ok() ? format("%d device(s), driver %s for %s", all.count, driver().path().c_str(),
                                           driver().version().c_str())
                                  : all.failure.message();
  });
  return *instance;
}

}  // namespace

int device_count(std::string* reason) {
  Devices& all = devices();
  if (reason) *reason = all.reason;
  return all.count;
}

Status get_device(int index, Device** device) {
  Devices& all = devices();
  if (!all.failure.ok())
    return error(all.failure.code(), "device cuda:%d does not exist: %s", index, all.failure.message());
  if (index < 0 || index >= all.count)
    return error(RONDO_NOT_FOUND, "device cuda:%d does not exist: the driver shows %d", index, all.count);
  CudaDevice* opened = all.opened[index].load(std::memory_order_acquire);
  if (!opened) {
    std::lock_guard lock(all.mutex);
    opened = all.opened[index].load();
    if (!opened) {
      CUdevice handle = 0;
      CUcontext context = nullptr;
      RONDO_CU(cuDeviceGet(&handle, index), "cuDeviceGet");
      RONDO_CU(cuDevicePrimaryCtxRetain(&context, handle), "cuDevicePrimaryCtxRetain");
      opened = new CudaDevice(index, handle, context);
      all.opened[index].store(opened, std::memory_order_release);
    }
  }
  *device = opened;
  return {};
}

}  // namespace rondo::cuda
