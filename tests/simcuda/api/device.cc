// Entry points: the driver itself, devices, contexts.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstring>

#include "capture.h"

namespace simcuda {

namespace {

struct ErrorText {
  CUresult code;
  const char *name, *text;
};
const ErrorText kErrors[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {4, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    {34, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"},
    {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "peer access is not supported between these two devices"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX was compiled with an unsupported toolchain."},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {401, "CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed in the present state"},
    {402, "CUDA_ERROR_LOSSY_QUERY", "attempted introspection would be semantically lossy"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
    {705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access has not been enabled"},
    {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {710, "CUDA_ERROR_ASSERT", "device-side assert triggered"},
    {714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "hardware stack error"},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "operation not supported on global/shared address space"},
    {718, "CUDA_ERROR_INVALID_PC", "invalid program counter"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {800, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture"},
    {902, "CUDA_ERROR_STREAM_CAPTURE_MERGE", "operation would result in a merge of separate capture sequences"},
    {903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "capture was not ended in the same stream as it began"},
    {904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "capturing stream has unjoined work"},
    {905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "dependency created on uncaptured work in another stream"},
    {906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {907, "CUDA_ERROR_CAPTURED_EVENT", "operation not permitted on an event last recorded in a capturing stream"},
    {908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD",
     "attempt to terminate a thread-local capture sequence from another thread"},
    {910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE",
     "the graph update was not performed because it included changes which violated constraints specific to "
     "instantiated graph update"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

const ErrorText* find_error(CUresult code) {
  for (const ErrorText& error : kErrors)
    if (error.code == code) return &error;
  return nullptr;
}

Device* device_by_ordinal(CUdevice ordinal) {
  Driver& d = driver();
  if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= d.devices.size()) return nullptr;
  return d.devices[static_cast<std::size_t>(ordinal)].get();
}

}  // namespace

int shared_bytes_on_request(int arch) {
  // From 8.0 on, the system keeps one KiB of a multiprocessor's for each block.
  return arch < 80 ? shared_bytes_per_multiprocessor(arch) : shared_bytes_per_multiprocessor(arch) - 1024;
}

int shared_bytes_per_multiprocessor(int arch) {
  if (arch < 70) return kSharedBytes;
  if (arch < 75) return 96 << 10;
  if (arch < 80) return 64 << 10;
  if (arch == 80 || arch == 87) return 164 << 10;
  if (arch < 90 || arch >= 120) return 100 << 10;
  return 228 << 10;
}

extern "C" {

CUresult cuDriverGetVersion(int* version) {
  SIM_ENTER_IF(cuDriverGetVersion, Need::Nothing);
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = kDriverVersion;
  return CUDA_SUCCESS;
}

// Private tables of NVIDIA's libraries, by number. It has none, and says so as the real one does of a number that it
// does not know; NVRTC asks since 12.9, and does without the cache it would keep there.
CUresult cuGetExportTable(const void** table, const CUuuid* id) {
  SIM_ENTER_IF(cuGetExportTable, Need::Nothing);
  if (table == nullptr || id == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *table = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuInit(unsigned flags) {
  SIM_ENTER_IF(cuInit, Need::Nothing);
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  Driver& d = driver();
  Lock lock(d.mutex);
  if (d.devices.empty()) return CUDA_ERROR_NO_DEVICE;
  d.initialised = true;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** text) {
  SIM_ENTER_IF(cuGetErrorName, Need::Nothing);
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ErrorText* found = find_error(error);
  *text = found == nullptr ? nullptr : found->name;
  return found == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  SIM_ENTER_IF(cuGetErrorString, Need::Nothing);
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ErrorText* found = find_error(error);
  *text = found == nullptr ? nullptr : found->text;
  return found == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  SIM_ENTER_IF(cuDeviceGetCount, Need::Init);
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *count = static_cast<int>(driver().devices.size());
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  SIM_ENTER_IF(cuDeviceGet, Need::Init);
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (device_by_ordinal(ordinal) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  SIM_ENTER_IF(cuDeviceGetName, Need::Init);
  if (name == nullptr || length <= 0) return CUDA_ERROR_INVALID_VALUE;
  if (device_by_ordinal(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  std::snprintf(name, static_cast<std::size_t>(length), "Simulated device (sm_%d)", settings().arch);
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  SIM_ENTER_IF(cuDeviceTotalMem_v2, Need::Init);
  if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Device* found = device_by_ordinal(device);
  if (found == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  *bytes = found->heap.total();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  SIM_ENTER_IF(cuDeviceGetAttribute, Need::Init);
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (device_by_ordinal(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  // NOLINTBEGIN(bugprone-branch-clone): a table, a row for each attribute
  switch (attribute) {
    case 1: *value = 1024; break;        // threads per block
    case 2: *value = 1024; break;        // block x
    case 3: *value = 1024; break;        // block y
    case 4: *value = 64; break;          // block z
    case 5: *value = 0x7fffffff; break;  // grid x
    case 6:
    case 7: *value = 65535; break;  // grid y, z
    case 8: *value = kSharedBytes; break;
    case 9: *value = 64 << 10; break;  // constant memory
    case 10: *value = 32; break;       // warp size
    case 12: *value = 65536; break;    // registers per block
    case 13: *value = 1500000; break;  // clock, kHz
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 8; break;
    case 18: *value = 0; break;           // integrated
    case 19: *value = 1; break;           // can map host memory
    case 20: *value = 0; break;           // compute mode: default
    case 31: *value = 1; break;           // concurrent kernels
    case 33: *value = 1 + device; break;  // PCI bus
    case 34: *value = 0; break;           // PCI device
    case 38: *value = 4 << 20; break;     // L2 bytes
    case 39: *value = 2048; break;        // threads per multiprocessor
    case 40: *value = 2; break;           // copy engines
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING: *value = 1; break;
    case 50: *value = 0; break;  // PCI domain
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = settings().arch / 10; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = settings().arch % 10; break;
    case 78: *value = 1; break;  // stream priorities
    case 81: *value = shared_bytes_per_multiprocessor(settings().arch); break;
    case 82: *value = 65536; break;  // registers per multiprocessor
    case 83: *value = 0; break;      // managed memory
    case 95: *value = 0; break;      // cooperative launch
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = shared_bytes_on_request(settings().arch);
      break;
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED: *value = kDriverVersion >= 11020; break;
    default: return attribute > 0 && attribute < 144 ? (*value = 0, CUDA_SUCCESS) : CUDA_ERROR_INVALID_VALUE;
  }
  // NOLINTEND(bugprone-branch-clone)
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  SIM_ENTER_IF(cuDeviceCanAccessPeer, Need::Init);
  if (can == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (device_by_ordinal(device) == nullptr || device_by_ordinal(peer) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  *can = device != peer;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  SIM_ENTER_IF(cuDevicePrimaryCtxRetain, Need::Init);
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Device* found = device_by_ordinal(device);
  if (found == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  Lock lock(driver().mutex);
  // Who holds the context of a lost device may hold it once more; only a new one is refused.
  if (found->retained == 0 && found->error != 0) return found->error;
  ++found->retained;
  found->ever_retained = true;
  *context = found->context();
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  SIM_ENTER_IF(cuDevicePrimaryCtxRelease_v2, Need::Init);
  Device* found = device_by_ordinal(device);
  if (found == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  Driver& d = driver();
  Lock lock(d.mutex);
  if (found->retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (--found->retained > 0) return CUDA_SUCCESS;
  // The last release destroys the context with all its memory. A lost device stays lost for this process.
  d.scheduler.wait_idle(lock);
  found->heap.release_all();
  found->peers.clear();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  SIM_ENTER_IF(cuCtxGetCurrent, Need::Init);
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *context = current_device() == nullptr ? nullptr : current_device()->context();
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  SIM_ENTER_IF(cuCtxSetCurrent, Need::Init);
  Device* device = context == nullptr ? nullptr : device_of_context(context);
  if (context != nullptr && (device == nullptr || !device->ever_retained)) return CUDA_ERROR_INVALID_CONTEXT;
  set_current_device(device);
  return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  SIM_ENTER(cuCtxEnablePeerAccess);
  Device* other = device_of_context(peer);
  if (other == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  if (other == current_device()) return 217;  // CUDA_ERROR_PEER_ACCESS_UNSUPPORTED
  return current_device()->peers.insert(other->ordinal).second ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  SIM_ENTER(cuCtxGetStreamPriorityRange);
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return CUDA_SUCCESS;
}

}  // extern "C"
}  // namespace simcuda
