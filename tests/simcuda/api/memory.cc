// Entry points: memory and copies.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "capture.h"

namespace simcuda {
namespace {

std::uint64_t address_of(const void* p) {
  return reinterpret_cast<std::uint64_t>(p);
}

// A device pointer argument must lie, with all its bytes, in one live allocation or in a module's global.
bool device_range(std::uint64_t address, std::size_t bytes) {
  Device* owner = driver().device_of(address);
  return owner != nullptr ? owner->heap.promised(address, bytes)
                          : is_module_memory(address, bytes) || driver().pinned.inside(address, bytes);
}

CUresult copy(CUstream handle, std::uint64_t to, std::uint64_t from, std::size_t bytes, bool to_device,
              bool from_device) {
  Driver& d = driver();
  Lock lock(d.mutex);
  std::shared_ptr<Stream> stream;
  if (CUresult error = usable_stream(handle, &stream)) return error;
  if (bytes == 0) return CUDA_SUCCESS;
  if (to == 0 || from == 0) return CUDA_ERROR_INVALID_VALUE;
  if (to_device && !device_range(to, bytes)) return CUDA_ERROR_INVALID_VALUE;
  if (from_device && !device_range(from, bytes)) return CUDA_ERROR_INVALID_VALUE;
  auto work = std::make_shared<CopyWork>();
  work->to = to;
  work->from = from;
  work->bytes = bytes;
  bool capturing = stream->capture != nullptr;
  // Pageable host memory: the source is read before the call returns, the target is complete when it returns. Pinned
  // memory is read and written when the copy runs, as late as the scheduler likes.
  if (!from_device && !d.pinned.inside(from, bytes) && !capturing) {
    report_freed(to, from, bytes, /*writes=*/false);
    auto* source = reinterpret_cast<const unsigned char*>(from);
    work->staged = std::make_shared<std::vector<unsigned char>>(source, source + bytes);
  }
  if (CUresult error = enqueue(stream, work)) return error;
  if (!to_device && !d.pinned.inside(to, bytes) && !capturing) {
    d.scheduler.wait(lock, stream->tail);
    return stream->device->error;
  }
  return CUDA_SUCCESS;
}

CUresult fill(CUstream handle, std::uint64_t to, unsigned value, unsigned width, std::size_t count) {
  Lock lock(driver().mutex);
  std::shared_ptr<Stream> stream;
  if (CUresult error = usable_stream(handle, &stream)) return error;
  if (to % width != 0) return CUDA_ERROR_INVALID_VALUE;
  if (count == 0) return CUDA_SUCCESS;
  if (!device_range(to, count * width)) return CUDA_ERROR_INVALID_VALUE;
  auto work = std::make_shared<FillWork>();
  work->to = to;
  work->value = value;
  work->width = width;
  work->count = count;
  return enqueue(stream, work);
}

}  // namespace

extern "C" {

CUresult cuMemGetInfo_v2(size_t* free_bytes, size_t* total) {
  SIM_ENTER(cuMemGetInfo_v2);
  Lock lock(driver().mutex);
  const Heap& heap = current_device()->heap;
  if (free_bytes != nullptr) *free_bytes = heap.total() - heap.used();
  if (total != nullptr) *total = heap.total();
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  SIM_ENTER(cuMemAlloc_v2);
  if (address == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  if (CUresult refused = check_unsafe()) return refused;
  std::uint64_t made = current_device()->heap.allocate(bytes);
  if (made == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  *address = made;
  return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  SIM_ENTER_IF(cuMemFree_v2, Need::Init);
  if (address == 0) return CUDA_SUCCESS;
  Driver& d = driver();
  Lock lock(d.mutex);
  if (CUresult refused = check_unsafe()) return refused;
  // The real driver often waits for the device here. Nothing promises that, so this one does not unless it is told to:
  // work still in flight meets freed memory and is reported.
  Device* owner = d.device_of(address);
  if (settings().frees_wait && owner != nullptr) d.wait_for(owner, lock);
  if (owner == nullptr || !owner->heap.release(address)) {
    report("cuMemFree of an address that is no allocation" +
           (owner == nullptr ? std::string() : ": " + owner->heap.describe(address)));
    return CUDA_ERROR_INVALID_VALUE;
  }
  return owner->error;
}

CUresult cuMemHostAlloc(void** address, size_t bytes, unsigned flags) {
  SIM_ENTER(cuMemHostAlloc);
  if (address == nullptr || bytes == 0 || flags > 7) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  if (CUresult refused = check_unsafe()) return refused;
  void* memory = driver().pinned.allocate(bytes);
  if (memory == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *address = memory;
  return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void* address) {
  SIM_ENTER_IF(cuMemFreeHost, Need::Init);
  Lock lock(driver().mutex);
  if (address == nullptr) return CUDA_SUCCESS;
  if (CUresult refused = check_unsafe()) return refused;
  // As with device memory, copies still in flight meet freed memory and are reported, except that a copy which a lost
  // device is in the middle of is waited for.
  if (current_device() != nullptr && current_device()->error != 0) driver().scheduler.wait_running(lock);
  if (settings().frees_wait) driver().wait_for(nullptr, lock);
  if (!driver().pinned.release(address)) {
    report("cuMemFreeHost of an address that is no pinned allocation");
    return CUDA_ERROR_INVALID_VALUE;
  }
  return current_device() == nullptr ? CUDA_SUCCESS : current_device()->error.load();
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  SIM_ENTER(cuMemcpyHtoDAsync_v2);
  return copy(stream, to, address_of(from), bytes, true, false);
}

CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  SIM_ENTER(cuMemcpyDtoHAsync_v2);
  return copy(stream, address_of(to), from, bytes, false, true);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  SIM_ENTER(cuMemcpyDtoDAsync_v2);
  return copy(stream, to, from, bytes, true, true);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  SIM_ENTER(cuMemcpyAsync);
  return copy(stream, to, from, bytes, driver().device_of(to) != nullptr, driver().device_of(from) != nullptr);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes,
                           CUstream stream) {
  SIM_ENTER(cuMemcpyPeerAsync);
  Device *target = device_of_context(to_context), *source = device_of_context(from_context);
  if (target == nullptr || source == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  // Whether they are the addresses' own is not asked by the driver either: an address says whose it is.
  return copy(stream, to, from, bytes, true, true);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  SIM_ENTER(cuMemsetD8Async);
  return fill(stream, to, value, 1, count);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  SIM_ENTER(cuMemsetD32Async);
  return fill(stream, to, value, 4, count);
}

CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr address) {
  SIM_ENTER(cuPointerGetAttribute);
  if (value == nullptr || attribute != CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  const Device* owner = driver().device_of(address);
  if (owner == nullptr || !owner->heap.inside(address, 1)) return CUDA_ERROR_INVALID_VALUE;
  *static_cast<int*>(value) = 1;
  return CUDA_SUCCESS;
}

// Memory of a simulated device is its process's own.
CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr address) {
  SIM_ENTER(cuIpcGetMemHandle);
  return handle == nullptr || address == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* address, CUipcMemHandle, unsigned) {
  SIM_ENTER(cuIpcOpenMemHandle_v2);
  return address == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuIpcCloseMemHandle(CUdeviceptr) {
  SIM_ENTER(cuIpcCloseMemHandle);
  return CUDA_ERROR_NOT_SUPPORTED;
}

}  // extern "C"
}  // namespace simcuda
