// Counts devices, tells their facts, and converts between devices and their names.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "capi/capi.h"
#include "capi/structs.h"

using namespace rondo;
using capi::guard_whole;

extern "C" {

rondo_status rondo_device_count(rondo_device_kind kind, int32_t* count) {
  return guard_whole("rondo_device_count", [&]() -> Status {
    RONDO_NOT_NULL(count);
    if (kind != RONDO_CPU && kind != RONDO_CUDA)
      return error(RONDO_INVALID_ARGUMENT, "kind is %d; RONDO_CPU (0) and RONDO_CUDA (1) are possible", kind);
    *count = device_count(kind);
    return {};
  });
}

rondo_status rondo_device_query(rondo_device device, rondo_device_info* info) {
  return guard_whole("rondo_device_query", [&]() -> Status {
    Device* found = nullptr;
    RONDO_TRY(get_device(device, &found));
    rondo_device_info facts = RONDO_DEVICE_INFO_INIT;
    RONDO_TRY(found->query(&facts));
    return capi::write_info("info", info, facts);
  });
}

rondo_status rondo_device_parse(const char* text, rondo_device* device) {
  return guard_whole("rondo_device_parse", [&]() -> Status {
    RONDO_NOT_NULL(text);
    RONDO_NOT_NULL(device);
    return parse_device(text, device);
  });
}

rondo_status rondo_device_format(rondo_device device, char* buffer, size_t capacity) {
  return guard_whole("rondo_device_format", [&]() -> Status {
    RONDO_NOT_NULL(buffer);
    if (device.kind != RONDO_CPU && device.kind != RONDO_CUDA)
      return error(RONDO_INVALID_ARGUMENT, "device.kind is %d; RONDO_CPU (0) and RONDO_CUDA (1) are possible",
                   device.kind);
    if (device.index < 0)
      return error(RONDO_INVALID_ARGUMENT, "device.index is %d; indices are 0 or more", device.index);
    const std::string name = device_name(device);
    if (capacity <= name.size())
      return error(RONDO_INVALID_ARGUMENT, "capacity is %zu; '%s' needs %zu (16 is always enough)", capacity,
                   name.c_str(), name.size() + 1);
    std::memcpy(buffer, name.c_str(), name.size() + 1);
    return {};
  });
}

}  // extern "C"
