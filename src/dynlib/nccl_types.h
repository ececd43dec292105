// Declares the types and constants of NCCL, typed by hand: just what nccl.def needs. Names are NVIDIA's own, in
// namespace rondo::cuda.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <climits>

#include "dynlib/cuda_types.h"

namespace rondo::cuda {

using ncclComm_t = struct ncclComm*;

using ncclResult_t = int;
enum : ncclResult_t {
  ncclSuccess = 0,
  ncclUnhandledCudaError = 1,
  ncclSystemError = 2,
  ncclInternalError = 3,
  ncclInvalidArgument = 4,
  ncclInvalidUsage = 5,
  ncclRemoteError = 6,
  ncclInProgress = 7,
};

using ncclDataType_t = int;
enum : ncclDataType_t {
  ncclInt8 = 0,
  ncclUint8 = 1,
  ncclInt32 = 2,
  ncclUint32 = 3,
  ncclInt64 = 4,
  ncclUint64 = 5,
  ncclFloat16 = 6,
  ncclFloat32 = 7,
  ncclFloat64 = 8,
  ncclBfloat16 = 9,  // 2.10
};

using ncclRedOp_t = int;
enum : ncclRedOp_t { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3, ncclAvg = 4 /* 2.10 */ };

// Handed over by value.
struct ncclUniqueId {
  char internal[128];
};

// The options that a communicator is made with. The library copies as much as it knows and takes its own defaults for
// the rest, and for what came after `version`; so one layout, the newest, serves all versions.
struct ncclConfig_t {
  size_t size = sizeof(ncclConfig_t);
  unsigned magic = 0xcafebeef;
  unsigned version = 23005;
  int blocking = INT_MIN;
  int cgaClusterSize = INT_MIN;
  int minCTAs = INT_MIN;
  int maxCTAs = INT_MIN;
  const char* netName = nullptr;
  int splitShare = INT_MIN;
  int trafficClass = INT_MIN;      // 2.26
  const char* commName = nullptr;  // 2.27
  int collnetEnable = INT_MIN;
  int CTAPolicy = INT_MIN;
  int shrinkShare = INT_MIN;
  int nvlsCTAs = INT_MIN;
  int nChannelsPerNetPeer = INT_MIN;  // 2.28
  int nvlinkCentricSched = INT_MIN;
  int graphUsageMode = INT_MIN;  // 2.29
  int numRmaCtx = INT_MIN;
  int maxP2pPeers = INT_MIN;          // 2.30
  int graphStreamOrdering = INT_MIN;  // 2.30.5
};
static_assert(offsetof(ncclConfig_t, blocking) == 16 && offsetof(ncclConfig_t, netName) == 32 &&
              offsetof(ncclConfig_t, commName) == 48 && offsetof(ncclConfig_t, nvlsCTAs) == 68 &&
              offsetof(ncclConfig_t, graphUsageMode) == 80 && offsetof(ncclConfig_t, graphStreamOrdering) == 92 &&
              sizeof(ncclConfig_t) == 96);

}  // namespace rondo::cuda
