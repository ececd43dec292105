// Holds the table of features: each has a function that finds out whether this process has it, and why not.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "device/features.h"

#include <cstring>
#include <map>
#include <mutex>

#include "base/text.h"
#include "device/cuda/cuda_device.h"
#include "dynlib/blas.h"
#include "dynlib/cudnn.h"
#include "dynlib/nccl.h"
#include "dynlib/onednn.h"

namespace rondo {

namespace {

struct Finding {
  bool available;
  std::string reason;
};

Finding opened(Library& library) {
  const Status status = library.open();
  if (!status.ok()) return {false, status.message()};
  return {true, library.version() + " at " + library.path()};
}

Finding cuda_device() {
  std::string reason;
  const int count = cuda::device_count(&reason);
  return {count > 0, reason};
}

Finding graphs() {
  if (!cuda::driver().cuStreamBeginCapture_v2 || !cuda::driver().cuGraphLaunch)
    return {false, "the driver has no stream capture"};
  return {true, "stream capture, driver for " + cuda::driver().version()};
}

// Asks cuda:0 for an attribute of its own. An answer that does not come is a reason of its own.
Status first_device(cuda::CUdevice_attribute attribute, int* value) {
  return cuda::check(cuda::driver().cuDeviceGetAttribute(value, attribute, 0), "cuDeviceGetAttribute");
}

Finding memory_pools() {
  int supported = 0;
  const Status asked = first_device(cuda::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, &supported);
  if (!asked.ok()) return {false, asked.message()};
  return {supported != 0,
          supported ? "the driver and cuda:0 have stream-ordered allocation" : "cuda:0 or its driver has none"};
}

// Part of a graph that a value on the device decides about.
Finding conditional_nodes() {
  const int version = cuda::driver().driver_version();
  if (version < 12040)
    return {false, "conditional graph nodes need a driver for CUDA 12.4; this one is for " + cuda::driver().version()};
  return {true, version < 12080 ? "the driver has IF and WHILE nodes; ELSE and SWITCH need one for CUDA 12.8"
                                : "the driver has IF, ELSE, WHILE and SWITCH nodes"};
}

// A kernel that may start before the one it waits for has ended. Edges of graphs can say so since CUDA 12.3.
Finding programmatic_launch() {
  if (cuda::driver().driver_version() < cuda::kProgrammaticDriver)
    return {false, "programmatic edges need a driver for CUDA 12.3; this one is for " + cuda::driver().version()};
  int major = 0;
  const Status asked = first_device(cuda::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major);
  if (!asked.ok()) return {false, asked.message()};
  const bool enough = major * 10 >= cuda::kProgrammaticCapability;
  return {enough, enough ? "the driver and cuda:0 have it" : "cuda:0 is older than compute capability 9.0"};
}

struct FeatureProbe {
  const char* name;
  bool needs_gpu;  // without one, why there is none is the answer, and find is not asked
  Finding (*find)();
};

const FeatureProbe kFeatures[] = {
    {"cuda", false, cuda_device},
    {"nvrtc", true, [] { return opened(cuda::nvrtc()); }},
    {"cublaslt", true, [] { return opened(cuda::cublaslt()); }},
    {"cudnn", true, [] { return opened(cuda::cudnn()); }},
    {"nccl", true, [] { return opened(cuda::nccl()); }},
    {"blas", false, [] { return opened(blas()); }},
    {"onednn", false, [] { return opened(onednn()); }},
    {"graphs", true, graphs},
    {"memory_pools", true, memory_pools},
    {"conditional_nodes", true, conditional_nodes},
    {"programmatic_launch", true, programmatic_launch},
};

}  // namespace

std::vector<const char*> feature_names() {
  std::vector<const char*> names;
  for (const FeatureProbe& entry : kFeatures) names.push_back(entry.name);
  return names;
}

Status find_feature(const char* name, Feature* feature) {
  for (const FeatureProbe& entry : kFeatures) {
    if (std::strcmp(entry.name, name) != 0) continue;
    // Reasons are handed out as plain pointers, so each distinct text is kept.
    static auto* mutex = new std::mutex;
    static auto* texts = new std::map<std::string, std::string>;
    Finding finding{true, {}};
    if (entry.needs_gpu) finding = cuda_device();
    if (finding.available) finding = entry.find();
    std::lock_guard lock(*mutex);
    feature->available = finding.available;
    feature->reason = texts->emplace(finding.reason, finding.reason).first->second.c_str();
    return {};
  }
  std::string known;
  for (const FeatureProbe& entry : kFeatures) known += (known.empty() ? "" : ", ") + std::string(entry.name);
  return error(RONDO_INVALID_ARGUMENT, "name '%s' is no feature; known are %s", name, known.c_str());
}

}  // namespace rondo
