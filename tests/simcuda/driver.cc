// The driver's state: entering a call, faults on demand, reports, lost devices.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "driver.h"

#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "control.h"

namespace simcuda {
namespace {

thread_local Device* t_device = nullptr;
std::atomic<bool> g_forked{false};

const char* const kNames[] = {
#define RONDO_FN(result, name, parameters, since) #name,
#include "../../src/dynlib/driver.def"
#include "extra.def"
#undef RONDO_FN
};

// Taking every address makes the linker insist that each entry of the table is defined.
[[gnu::used]] const void* const kDefinitions[] = {
#define RONDO_FN(result, name, parameters, since) reinterpret_cast<const void*>(&::simcuda::name),
#include "../../src/dynlib/driver.def"
#include "extra.def"
#undef RONDO_FN
};

}  // namespace

std::uint64_t next_handle() {
  static std::uint64_t next = 0x5100000000000000ull;  // under the driver's lock
  return next += 16;
}

Driver& driver() {
  static Driver* instance = [] {
    auto* made = new Driver;
    for (int i = 0; i < settings().devices; ++i)
      made->devices.push_back(std::make_unique<Device>(i, settings().memory_bytes));
    // A forked child has no simulator threads: like the real driver, it refuses every call.
    pthread_atfork(nullptr, nullptr, [] { g_forked = true; });
    if (!parse_faults(*made, settings().faults)) {
      std::fprintf(stderr, "simcuda: SIMCUDA_FAULT=%s is not entry:call:code,...\n", settings().faults.c_str());
      std::exit(2);
    }
    return made;
  }();
  return *instance;
}

int entry_by_name(const std::string& name) {
  for (unsigned i = 0; i < static_cast<unsigned>(Entry::count); ++i)
    if (name == kNames[i]) return static_cast<int>(i);
  return -1;
}

const char* entry_name(unsigned entry) {
  return kNames[entry];
}

Device* current_device() {
  return t_device;
}
void set_current_device(Device* device) {
  t_device = device;
}

Device* device_of_context(CUcontext context) {
  for (const auto& device : driver().devices)
    if (device->context() == context) return device.get();
  return nullptr;
}

Device* Driver::device_of(std::uint64_t address) {
  for (const auto& device : devices)
    if (device->heap.contains(address)) return device.get();
  return nullptr;
}

void Driver::wait_for(Device* device, Lock& lock) {
  std::vector<TaskRef> given;
  for (const auto& [handle, stream] : streams)
    if ((device == nullptr || stream->device == device) && stream->tail != nullptr) given.push_back(stream->tail);
  for (const auto& each : devices)
    if (device == nullptr || each.get() == device) ++each->loading;
  for (const TaskRef& task : given)
    if (!task->done) scheduler.wait(lock, task);
  for (const auto& each : devices)
    if (device == nullptr || each.get() == device) --each->loading;
  loaded.notify_all();
}

bool is_sticky(CUresult code) {
  switch (code) {
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

void report(std::string text) {
  if (settings().report == Settings::Report::Stderr || settings().report == Settings::Report::Abort)
    std::fprintf(stderr, "simcuda: %s\n", text.c_str());
  if (settings().report == Settings::Report::Abort) std::abort();
  driver().reports.push_back(std::move(text));
}

void lose_device(Device& device, CUresult code, const std::string& text) {
  int none = 0;
  if (!device.error.compare_exchange_strong(none, code))
    return;  // the first cause stays; what follows is not the program's
  if (!text.empty()) report(text);
  driver().scheduler.let_go();
}

CUresult enter(Entry entry, Need need) {
  if (g_forked) return CUDA_ERROR_NOT_INITIALIZED;
  Driver& d = driver();
  auto index = static_cast<unsigned>(entry);
  ++d.calls[index];
  Lock lock(d.mutex);
  if (Scheduler::in_host_function() && need != Need::Nothing) {
    report(std::string(kNames[index]) + " called from a host function");
    return 800;  // CUDA_ERROR_NOT_PERMITTED
  }
  if (need != Need::Nothing && !d.initialised) return CUDA_ERROR_NOT_INITIALIZED;
  if (auto faults = d.faults.find(index); faults != d.faults.end()) {
    CUresult code = CUDA_SUCCESS;  // every fault counts every call
    for (Fault& fault : faults->second)
      if (fault.call != 0 && --fault.call == 0 && code == CUDA_SUCCESS) code = fault.code;
    if (is_sticky(code) && !d.devices.empty()) lose_device(t_device != nullptr ? *t_device : *d.devices[0], code, "");
    if (code != CUDA_SUCCESS) return code;
  }
  if (need < Need::Handles) return CUDA_SUCCESS;
  // Older drivers may want a current context all the same; here they do.
  if (t_device == nullptr)
    return need == Need::Handles && kDriverVersion >= 13000 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
  d.loaded.wait(lock, [] { return t_device->loading == 0; });
  if (t_device->retained == 0) return 709;  // CUDA_ERROR_CONTEXT_IS_DESTROYED
  return t_device->error;
}

std::shared_ptr<Stream> find_stream(CUstream handle) {
  const bool legacy = handle == nullptr || handle == reinterpret_cast<CUstream>(1);  // CU_STREAM_LEGACY
  if (!legacy) return driver().streams.find(handle);
  Device* device = current_device();
  if (device == nullptr) return nullptr;
  if (device->legacy_stream == nullptr) {
    device->legacy_stream = std::make_shared<Stream>();
    device->legacy_stream->device = device;
    device->legacy_stream->id = driver().next_id++;
  }
  return device->legacy_stream;
}

CUresult usable_stream(CUstream handle, std::shared_ptr<Stream>* stream) {
  *stream = find_stream(handle);
  return *stream == nullptr ? CUDA_ERROR_INVALID_HANDLE : (*stream)->device->error.load();
}

}  // namespace simcuda
