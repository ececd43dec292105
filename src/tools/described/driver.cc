// Stands in for libcuda where kernels are compiled for a GPU that is not there: it has one device, whose facts come
// from a description. Kernels are taken and never run; whatever would need a GPU is refused (absent.cc).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdint>
#include <cstdio>

#include "dynlib/cuda_types.h"
#include "tools/described/facts.h"

namespace rondo::cuda {

namespace {

described::DeviceFacts facts = {};
thread_local CUcontext current = nullptr;

// Gives a handle that is never read.
template <class Handle>
CUresult give(Handle* handle) {
  static std::atomic<uintptr_t> next{0x1000};
  *handle = reinterpret_cast<Handle>(next.fetch_add(16));
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

#pragma GCC visibility push(default)

void rondo_describe_device(const described::DeviceFacts* of) {
  facts = *of;
}

CUresult cuDriverGetVersion(int* version) {
  *version = facts.driver;
  return CUDA_SUCCESS;
}
CUresult cuInit(unsigned) {
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult, const char** text) {
  *text = "CUDA_ERROR_NOT_SUPPORTED";
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char** text) {
  *text = "the device is only described";
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = 0;
  return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  std::snprintf(name, static_cast<size_t>(length), "%s", facts.name);
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice) {
  *bytes = static_cast<size_t>(facts.memory);
  return CUDA_SUCCESS;
}
CUresult cuMemGetInfo_v2(size_t* free_bytes, size_t* total) {
  *free_bytes = *total = static_cast<size_t>(facts.memory);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = facts.capability / 10; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = facts.capability % 10; break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = facts.processors; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = facts.shared_memory; break;
    default: *value = 0;
  }
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  return give(context);
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = current;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  current = context;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return CUDA_SUCCESS;
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode*) {
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void*, unsigned, CUjit_option*, void**) {
  return give(module);
}
CUresult cuModuleUnload(CUmodule) {
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char*) {
  return give(function);
}
CUresult cuFuncLoad(CUfunction) {
  return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction) {
  *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 32;
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
  return CUDA_SUCCESS;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int, size_t) {
  *blocks = 1;
  return CUDA_SUCCESS;
}

#pragma GCC visibility pop

}  // extern "C"

}  // namespace rondo::cuda
