// Entry points: stream-ordered allocation, and what a context offers besides.
//
// An allocation has its address at once, but its bytes exist only when its task
// has run in the stream; a free takes them away when its task runs. Another
// stream that uses them without waiting meets memory that is not there. The
// pool keeps nothing back: bytes freed are free, the hardest case for a program
// that counts on their staying. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "capture.h"

namespace simcuda {
namespace {

struct HeapWork : Work {
  std::uint64_t address = 0;
  bool release = false;

  CUgraphNodeType type() const override { return release ? 11 : 10; }
  std::string name() const override { return release ? "free" : "allocation"; }
  void run(Device&) const override {
    Lock lock(driver().mutex);
    Heap& heap = driver().device_of(address)->heap;
    if (!release)
      heap.appear(address);
    else if (!heap.release(address))
      report("cuMemFreeAsync of an address that is no allocation: " + heap.describe(address));
  }
};

CUresult pool_allocate(CUdeviceptr* address, size_t bytes, CUmemoryPool pool_handle, CUstream stream_handle) {
  Driver& d = driver();
  if (address == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(d.mutex);
  std::shared_ptr<Stream> stream;
  if (CUresult error = usable_stream(stream_handle, &stream)) return error;
  if (stream->capture != nullptr) {  // allocation nodes are not simulated
    invalidate(*stream->capture);
    return 801;
  }
  Device* device = stream->device;
  if (pool_handle != nullptr) {
    std::shared_ptr<MemoryPool> pool = d.pools.find(pool_handle);
    if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
    device = pool->device;
  }
  std::uint64_t made = device->heap.allocate(bytes, /*appears=*/false);
  if (made == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  auto work = std::make_shared<HeapWork>();
  work->address = made;
  *address = made;
  return enqueue(stream, std::move(work));
}

CUresult pool_free(CUdeviceptr address, CUstream stream_handle) {
  Lock lock(driver().mutex);
  std::shared_ptr<Stream> stream;
  if (CUresult error = usable_stream(stream_handle, &stream)) return error;
  if (stream->capture != nullptr) {
    invalidate(*stream->capture);
    return 801;
  }
  if (driver().device_of(address) == nullptr) return CUDA_ERROR_INVALID_VALUE;
  auto work = std::make_shared<HeapWork>();
  work->address = address;
  work->release = true;
  return enqueue(stream, std::move(work));
}

CUresult device_pool(CUmemoryPool* pool, CUdevice ordinal) {
  Driver& d = driver();
  if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= d.devices.size()) return CUDA_ERROR_INVALID_DEVICE;
  Lock lock(d.mutex);
  Device& device = *d.devices[static_cast<std::size_t>(ordinal)];
  if (device.default_pool == nullptr) {
    auto made = std::make_shared<MemoryPool>();
    made->device = &device;
    device.default_pool = d.pools.add(std::move(made));
  }
  *pool = device.default_pool;
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream stream) {
  SIM_ENTER(cuMemAllocAsync);
  return pool_allocate(address, bytes, nullptr, stream);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t bytes, CUmemoryPool pool, CUstream stream) {
  SIM_ENTER(cuMemAllocFromPoolAsync);
  if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return pool_allocate(address, bytes, pool, stream);
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  SIM_ENTER(cuMemFreeAsync);
  return pool_free(address, stream);
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  SIM_ENTER_IF(cuDeviceGetDefaultMemPool, Need::Init);
  return device_pool(pool, device);
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  SIM_ENTER_IF(cuDeviceGetMemPool, Need::Init);
  return device_pool(pool, device);
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* p) {
  SIM_ENTER_IF(cuMemPoolCreate, Need::Init);
  Driver& d = driver();
  if (pool == nullptr || p == nullptr || p->allocType != 1 || p->location.type != 1) return CUDA_ERROR_INVALID_VALUE;
  if (p->location.id < 0 || static_cast<std::size_t>(p->location.id) >= d.devices.size())
    return CUDA_ERROR_INVALID_DEVICE;
  Lock lock(d.mutex);
  auto made = std::make_shared<MemoryPool>();
  made->device = d.devices[static_cast<std::size_t>(p->location.id)].get();
  *pool = d.pools.add(std::move(made));
  return CUDA_SUCCESS;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  SIM_ENTER_IF(cuMemPoolDestroy, Need::Init);
  Lock lock(driver().mutex);
  for (const auto& device : driver().devices)
    if (device->default_pool == pool) return CUDA_ERROR_INVALID_VALUE;
  return driver().pools.remove(pool) == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, void* value) {
  SIM_ENTER_IF(cuMemPoolSetAttribute, Need::Init);
  Lock lock(driver().mutex);
  std::shared_ptr<MemoryPool> pool = driver().pools.find(handle);
  if (pool == nullptr || value == nullptr || attribute < 1 || attribute > CU_MEMPOOL_ATTR_USED_MEM_HIGH)
    return CUDA_ERROR_INVALID_VALUE;
  if (attribute == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) pool->release_threshold = *static_cast<std::uint64_t*>(value);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, void* value) {
  SIM_ENTER_IF(cuMemPoolGetAttribute, Need::Init);
  Lock lock(driver().mutex);
  std::shared_ptr<MemoryPool> pool = driver().pools.find(handle);
  if (pool == nullptr || value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
    case 1:
    case 2:
    case 3: *static_cast<int*>(value) = 1; break;  // reuse policies
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: *static_cast<std::uint64_t*>(value) = pool->release_threshold; break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: *static_cast<std::uint64_t*>(value) = pool->device->heap.used(); break;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t) {
  SIM_ENTER_IF(cuMemPoolTrimTo, Need::Init);
  Lock lock(driver().mutex);
  return driver().pools.find(pool) == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  SIM_ENTER(cuCtxSynchronize);
  Driver& d = driver();
  Lock lock(d.mutex);
  if (CUresult refused = check_unsafe()) return refused;
  d.scheduler.wait_idle(lock);
  return current_device()->error;
}

CUresult cuCtxGetDevice(CUdevice* device) {
  SIM_ENTER(cuCtxGetDevice);
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *device = current_device()->ordinal;
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  SIM_ENTER(cuStreamCreate);
  return cuStreamCreateWithPriority(stream, flags, 0);
}

}  // extern "C"
}  // namespace simcuda
