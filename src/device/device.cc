// Names devices, parses their names and keeps the table of those that were opened.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "device/device.h"

#include <cstdlib>
#include <cstring>

#include "base/text.h"
#include "device/cpu/cpu_device.h"
#include "device/cuda/cuda_device.h"

namespace rondo {

std::string device_name(rondo_device id) {
  return format("%s:%d", id.kind == RONDO_CPU ? "cpu" : id.kind == RONDO_CUDA ? "cuda" : "unknown", id.index);
}

Status StreamDevice::zero(std::span<const Bytes> memory) {
  const Relaxed relaxed(*this);
  void* stream = nullptr;
  RONDO_TRY(stream_create(false, &stream));
  Status status;
  for (const Bytes& each : memory)
    if (status.ok()) status = fill_bytes(each.address, 0, each.count, stream);
  if (status.ok()) status = stream_synchronize(stream);
  stream_destroy(stream);
  return status;
}

Status parse_device(const char* text, rondo_device* device) {
  rondo_device parsed = {RONDO_CPU, 0};
  const char* rest = text;
  if (std::strncmp(text, "cpu", 3) == 0) {
    rest = text + 3;
  } else if (std::strncmp(text, "cuda", 4) == 0) {
    parsed.kind = RONDO_CUDA;
    rest = text + 4;
  } else {
    return error(RONDO_INVALID_ARGUMENT, "text '%s' is neither cpu nor cuda[:index]", text);
  }
  if (*rest == ':') {
    char* end = nullptr;
    const long index = std::strtol(rest + 1, &end, 10);
    if (rest[1] < '0' || rest[1] > '9' || *end != '\0' || index > 1023)
      return error(RONDO_INVALID_ARGUMENT, "text '%s' has no valid index after the colon (0 to 1023)", text);
    parsed.index = static_cast<int32_t>(index);
  } else if (*rest != '\0') {
    return error(RONDO_INVALID_ARGUMENT, "text '%s' is neither cpu nor cuda[:index]", text);
  }
  *device = parsed;
  return {};
}

int device_count(rondo_device_kind kind, std::string* reason) {
  return kind == RONDO_CPU ? 1 : cuda::device_count(reason);
}

Status get_device(rondo_device id, Device** device) {
  if (id.kind == RONDO_CPU) {
    if (id.index != 0) return error(RONDO_NOT_FOUND, "device cpu:%d does not exist; there is only cpu:0", id.index);
    *device = &cpu_device();
    return {};
  }
  if (id.kind == RONDO_CUDA) return cuda::get_device(id.index, device);
  return error(RONDO_INVALID_ARGUMENT, "device.kind is %d; RONDO_CPU (0) and RONDO_CUDA (1) are possible", id.kind);
}

}  // namespace rondo
