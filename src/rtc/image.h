// Images: what is compiled for a device, kept on disk, and loaded as a module. Any thread may call; no lock is held
// while something compiles.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "device/cuda/cuda_device.h"
#include "rtc/compiler.h"
#include "rtc/disk_cache.h"

namespace rondo::rtc {

struct ImageRequest {
  const char* name;  // for messages and for people who look into the disk cache
  // Compiles for a target. Bytes behind the image are the maker's: the driver does not look at them.
  std::function<Status(const Target& target, std::string* image)> compile;
  // Adds what decides the image besides the target; null: the image is not kept on disk.
  std::function<void(KeyBuilder& key)> describe;
};

// Loads the image, found on disk or compiled, into the device: as a cubin, or as PTX where the driver refuses that.
// `image` (may be null) receives its bytes.
Status load_image(cuda::CudaDevice& device, const ImageRequest& request, std::string* image, cuda::CUmodule* module);

struct ImageStatistics {
  int64_t disk_hits, compiled;
  double compile_ms;
};
ImageStatistics image_statistics();

}  // namespace rondo::rtc
