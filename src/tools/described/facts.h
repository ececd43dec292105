// The facts of a GPU that a description has, for the driver that stands in for it (driver.cc). Plain data, which goes
// from the command to the module that it opens.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace rondo::described {

struct DeviceFacts {
  char name[96];
  int32_t capability;  // times ten
  int32_t processors;
  int32_t shared_memory;  // of a block at most, in bytes, where a kernel asks for it
  int32_t driver;         // CUDA version, such as 12080
  int64_t memory;         // bytes
};
// The name and the type of the module's one function of its own.
inline constexpr const char* kDescribe = "rondo_describe_device";
using Describe = void(const DeviceFacts*);

}  // namespace rondo::described
