// Opens a GPU and calls the driver for its streams, events, memory, modules and launches.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda_device.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "base/threads/thread.h"
#include "device/cuda/next_step.h"

namespace rondo::cuda {

namespace {

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

Status failure(CUresult result, const char* function, const Device* device) {
  if (is_missing_function(result)) return missing_function_error(result);
  const char* name = nullptr;
  const char* text = nullptr;
  driver().cuGetErrorName(result, &name);
  driver().cuGetErrorString(result, &text);
  const rondo_status code = is_fatal(result)                     ? RONDO_DEVICE_LOST
                            : result == CUDA_ERROR_OUT_OF_MEMORY ? RONDO_OUT_OF_MEMORY
                                                                 : RONDO_DEVICE_ERROR;
  return error(code, "%s%s failed with %d %s (%s)", function,
               device ? (" on " + device_name(device->id())).c_str() : "", result, name ? name : "unknown",
               text ? text : "no text");
}

void CudaDevice::report(CUresult result, const char* function) const {
  const Status status = check(result, function);
  // A lost device is reported by the calls whose status reaches the caller.
  if (!status.ok() && status.code() != RONDO_DEVICE_LOST) log(RONDO_LOG_WARNING, "%s", status.message());
}

Status CudaDevice::open(int index, CudaDevice** device) {
  CUdevice handle = 0;
  RONDO_CU(cuDeviceGet(&handle, index), "cuDeviceGet");
  std::unique_ptr<CudaDevice> made(new CudaDevice(index, handle));
  int major = 0;
  int minor = 0;
  const std::pair<CUdevice_attribute, int*> attributes[] = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &made->multiprocessors_},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &made->max_shared_bytes_}};
  for (const auto& [attribute, value] : attributes)
    RONDO_CU(cuDeviceGetAttribute(value, attribute, handle), "cuDeviceGetAttribute");
  made->capability_ = major * 10 + minor;
  driver().note_device(made->capability_);
  // Last: what fails before leaves nothing open.
  RONDO_CU(cuDevicePrimaryCtxRetain(&made->context_, handle), "cuDevicePrimaryCtxRetain");
  *device = made.release();
  return {};
}

Status CudaDevice::query(rondo_device_info* info) {
  Current current(*this);
  RONDO_TRY(current.status());
  RONDO_ON(cuDeviceGetName(info->name, sizeof info->name, handle_), "cuDeviceGetName");
  size_t free_bytes = 0;
  size_t total = 0;
  RONDO_ON(cuMemGetInfo_v2(&free_bytes, &total), "cuMemGetInfo");
  info->total_memory = static_cast<int64_t>(total);
  info->free_memory = static_cast<int64_t>(free_bytes);
  info->capability = capability_;
  info->processors = multiprocessors_;
  info->driver = driver().driver_version();
  return {};
}

Status CudaDevice::launch(CUfunction function, const Launch& shape, void* stream, const void* arguments) {
  Current current(*this);
  RONDO_TRY(current.status());
  void* parameters[] = {const_cast<void*>(arguments)};
  RONDO_ON(cuLaunchKernel(function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1],
                          shape.block[2], shape.shared_bytes, native_stream(stream), parameters, nullptr),
           "cuLaunchKernel");
  return {};
}

Status CudaDevice::launch_with(CUfunction function, const Launch& shape, void* stream, void** parameters) {
  Current current(*this);
  RONDO_TRY(current.status());
  RONDO_ON(cuLaunchKernel(function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1],
                          shape.block[2], shape.shared_bytes, native_stream(stream), parameters, nullptr),
           "cuLaunchKernel");
  return {};
}

bool CudaDevice::programmatic_edges() const {
  const auto& calls = driver();
  return capability_ >= kProgrammaticCapability && calls.driver_version() >= kProgrammaticDriver &&
         calls.cuLaunchKernelEx && calls.cuGraphGetEdges_v2;
}

Status CudaDevice::launch_early(CUfunction function, const Launch& shape, void* stream, void** parameters) {
  Current current(*this);
  RONDO_TRY(current.status());
  CUlaunchAttribute early = {};
  early.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  early.value.programmaticStreamSerializationAllowed = 1;
  const CUlaunchConfig config = {
      shape.grid[0],  shape.grid[1],      shape.grid[2],         shape.block[0], shape.block[1],
      shape.block[2], shape.shared_bytes, native_stream(stream), &early,         1};
  RONDO_ON(cuLaunchKernelEx(&config, function, parameters, nullptr), "cuLaunchKernelEx");
  return {};
}

void CudaDevice::module_unload(CUmodule module) {
  free_apart(module, [](const CudaDevice& on, void* what) {
    on.report(driver().cuModuleUnload(static_cast<CUmodule>(what)), "cuModuleUnload");
  });
}

Status CudaDevice::module_function(CUmodule module, const char* name, CUfunction* function) {
  Current current(*this);
  RONDO_TRY(current.status());
  RONDO_ON(cuModuleGetFunction(function, module, name), "cuModuleGetFunction");
  // Load the code now: with lazy loading the first launch would, which a capture forbids.
  Relaxed relaxed(*this);
  if (driver().cuFuncLoad) {
    RONDO_ON(cuFuncLoad(*function), "cuFuncLoad");
  } else {
    int registers = 0;
    RONDO_ON(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, *function), "cuFuncGetAttribute");
  }
  return {};
}

Status CudaDevice::allocate(size_t bytes, void** address) {
  Current current(*this);
  RONDO_TRY(current.status());
  Relaxed relaxed(*this);
  CUdeviceptr pointer = 0;
  Status status = check(driver().cuMemAlloc_v2(&pointer, bytes), "cuMemAlloc");
  if (status.code() == RONDO_OUT_OF_MEMORY) {
    const bool freed = frees_are_put_off() && !release_late();
    if (collect_graphs() > 0 || freed) status = check(driver().cuMemAlloc_v2(&pointer, bytes), "cuMemAlloc");
  }
  if (status.code() == RONDO_OUT_OF_MEMORY) {
    size_t left = 0;
    size_t all = 0;
    if (driver().cuMemGetInfo_v2(&left, &all) == CUDA_SUCCESS)
      return error(RONDO_OUT_OF_MEMORY, "%s; the device has %s in all, of which %s are free", status.message(),
                   bytes_text(static_cast<double>(all)).c_str(), bytes_text(static_cast<double>(left)).c_str());
  }
  RONDO_TRY(std::move(status));
  *address = reinterpret_cast<void*>(pointer);
  return {};
}

void CudaDevice::release(void* address) {
  free_apart(address,
             [](const CudaDevice& on, void* what) { on.report(driver().cuMemFree_v2(address_of(what)), "cuMemFree"); });
}

Status CudaDevice::allocate_pinned(size_t bytes, void** address) {
  Current current(*this);
  RONDO_TRY(current.status());
  Relaxed relaxed(*this);
  RONDO_ON(cuMemHostAlloc(address, bytes, CU_MEMHOSTALLOC_PORTABLE), "cuMemHostAlloc");
  return {};
}

void CudaDevice::release_pinned(void* address) {
  free_apart(address,
             [](const CudaDevice& on, void* what) { on.report(driver().cuMemFreeHost(what), "cuMemFreeHost"); });
}

Status CudaDevice::stream_create(bool high_priority, void** stream) {
  Current current(*this);
  RONDO_TRY(current.status());
  int least = 0;
  int greatest = 0;
  RONDO_ON(cuCtxGetStreamPriorityRange(&least, &greatest), "cuCtxGetStreamPriorityRange");
  CUstream made = nullptr;
  RONDO_ON(cuStreamCreateWithPriority(&made, CU_STREAM_NON_BLOCKING, high_priority ? greatest : 0),
           "cuStreamCreateWithPriority");
  *stream = made;
  return {};
}

void CudaDevice::stream_destroy(void* stream) {
  Current current(*this);
  collect_graphs(stream);
  report(driver().cuStreamDestroy_v2(native_stream(stream)), "cuStreamDestroy");
}

Status CudaDevice::stream_synchronize(void* stream) {
  Current current(*this);
  RONDO_TRY(current.status());
  RONDO_ON(cuStreamSynchronize(native_stream(stream)), "cuStreamSynchronize");
  return {};
}

Status CudaDevice::stream_wait(void* stream, void* event) {
  Current current(*this);
  RONDO_TRY(current.status());
  RONDO_ON(cuStreamWaitEvent(native_stream(stream), native_event(event), 0), "cuStreamWaitEvent");
  return {};
}

Status CudaDevice::event_create(bool timing, void** event) {
  Current current(*this);
  RONDO_TRY(current.status());
  CUevent made = nullptr;
  RONDO_ON(cuEventCreate(&made, timing ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING), "cuEventCreate");
  *event = made;
  return {};
}

void CudaDevice::event_destroy(void* event) {
  Current current(*this);
  report(driver().cuEventDestroy_v2(native_event(event)), "cuEventDestroy");
}

Status CudaDevice::event_record(void* event, void* stream) {
  Current current(*this);
  RONDO_TRY(current.status());
  RONDO_ON(cuEventRecord(native_event(event), native_stream(stream)), "cuEventRecord");
  return {};
}

Status CudaDevice::event_query(void* event, bool* done) {
  Current current(*this);
  RONDO_TRY(current.status());
  const CUresult result = driver().cuEventQuery(native_event(event));
  *done = result == CUDA_SUCCESS;
  return result == CUDA_ERROR_NOT_READY ? Status() : check(result, "cuEventQuery");
}

Status CudaDevice::event_synchronize(void* event) {
  Current current(*this);
  RONDO_TRY(current.status());
  RONDO_ON(cuEventSynchronize(native_event(event)), "cuEventSynchronize");
  return {};
}

Status CudaDevice::event_elapsed(void* start, void* end, float* milliseconds) {
  Current current(*this);
  RONDO_TRY(current.status());
  RONDO_ON(cuEventElapsedTime(milliseconds, native_event(start), native_event(end)), "cuEventElapsedTime");
  return {};
}

Status CudaDevice::copy(CopyKind kind, void* to, const void* from, size_t bytes, void* stream) {
  Current current(*this);
  RONDO_TRY(current.status());
  switch (kind) {
    case CopyKind::host_to_device:
      RONDO_ON(cuMemcpyHtoDAsync_v2(address_of(to), from, bytes, native_stream(stream)), "cuMemcpyHtoDAsync");
      break;
    case CopyKind::device_to_host:
      RONDO_ON(cuMemcpyDtoHAsync_v2(to, address_of(from), bytes, native_stream(stream)), "cuMemcpyDtoHAsync");
      break;
    case CopyKind::device_to_device:
      RONDO_ON(cuMemcpyDtoDAsync_v2(address_of(to), address_of(from), bytes, native_stream(stream)),
               "cuMemcpyDtoDAsync");
      break;
  }
  return {};
}

Status CudaDevice::copy_peer(void* to, StreamDevice& from_device, const void* from, size_t bytes, void* stream) {
  Current current(*this);
  RONDO_TRY(current.status());
  auto& source = static_cast<CudaDevice&>(from_device);
  RONDO_ON(cuMemcpyPeerAsync(address_of(to), context_, address_of(from), source.context_, bytes, native_stream(stream)),
           "cuMemcpyPeerAsync");
  return {};
}

Status CudaDevice::fill_bytes(void* to, unsigned char value, size_t bytes, void* stream) {
  Current current(*this);
  RONDO_TRY(current.status());
  RONDO_ON(cuMemsetD8Async(address_of(to), value, bytes, native_stream(stream)), "cuMemsetD8Async");
  return {};
}

// --- the table of devices ---

namespace {

constexpr int kMaxDevices = 64;

struct Devices {
  std::once_flag counted;
  int count = 0;
  CUresult answer = CUDA_SUCCESS;
  std::string reason;
  Status failure;
  std::mutex mutex;  // opening contexts
  std::atomic<CudaDevice*> opened[kMaxDevices] = {};
};

Devices& devices() {
  static auto* instance = new Devices;
  std::call_once(instance->counted, [] {
    Devices& all = *instance;
    const SignalsBlocked blocked;  // the driver starts threads
    all.failure = driver().open();
    if (all.failure.ok()) {
      all.answer = driver().cuInit(0);
      if (all.answer == CUDA_ERROR_NO_DEVICE)
        all.failure = error(RONDO_NOT_FOUND, "the CUDA driver %s shows no device", driver().path().c_str());
      else
        all.failure = check(all.answer, "cuInit");
    }
    if (all.failure.ok()) {
      all.answer = driver().cuDeviceGetCount(&all.count);
      all.failure = check(all.answer, "cuDeviceGetCount");
    }
    if (!all.failure.ok()) all.count = 0;
    if (all.count > kMaxDevices) all.count = kMaxDevices;
    std::string next;
    if (driver().is_open() && all.count == 0) next = ". Next: " + next_step(all.answer).text;
    if (!all.failure.ok())
      all.failure =
          error(all.failure.code(), "%s%s", all.failure.message(), next.c_str()).with_origin(all.failure.origin());
    all.reason = all.failure.ok() ? format("%d device(s), driver %s for %s%s", all.count, driver().path().c_str(),
                                           driver().version().c_str(), next.c_str())
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

CUresult first_answer() {
  return devices().answer;
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
      RONDO_TRY(CudaDevice::open(index, &opened).with_context(format("device cuda:%d cannot be opened", index)));
      all.opened[index].store(opened, std::memory_order_release);
    }
  }
  *device = opened;
  return {};
}

}  // namespace rondo::cuda
