// Makes images: the results of compiling for a device, which are kept on disk and loaded as modules. If NVRTC is
// missing or does not know the device, an image that another NVRTC compiled, and that was kept, is loaded. Any thread
// may call; no lock is held while something compiles.
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
  // Compiles for a target. Bytes after the image belong to `compile`: the driver does not look at them.
  std::function<Status(const Target& target, std::string* image)> compile;
  // Adds what decides the image besides the target; null: the image is not kept on disk.
  std::function<void(KeyBuilder& key)> describe;
};

// Loads the image, found on disk or compiled, into the device: as a cubin, or as PTX where the driver refuses that.
// RONDO_LIBRARY_MISSING and RONDO_UNSUPPORTED, where there is no compiler for the device and no image either, say what
// to install or import.
// `image` (may be null) receives its bytes. `architecture` (may be null): what it was compiled for, 90 for sm_90.
Status load_image(cuda::CudaDevice& device, const ImageRequest& request, std::string* image, cuda::CUmodule* module,
                  int* architecture = nullptr);

// The key over everything that an image is made from, whichever compiler makes it.
Key key_of(const ImageRequest& request);
// Finds whether load_image would find the image `name` of this key on disk: one of this compiler's, or where none is
// here any that the device takes. Nothing is compiled or loaded, and no file changes.
Status find_kept(const cuda::CudaDevice& device, const char* name, const Key& key, bool* kept);

struct ImageStatistics {
  int64_t disk_hits;         // images that were found on disk instead of compiled
  int64_t without_compiler;  // of those the ones that no NVRTC here could have compiled
  int64_t compiled;
  double compile_ms;
};
ImageStatistics image_statistics();

}  // namespace rondo::rtc
