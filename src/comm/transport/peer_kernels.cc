// Finds and launches the kernels of Rondo's own all-reduce, for the operations and dtypes that they serve.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/transport/peer_kernels.h"

#include <algorithm>

#include "base/dtype.h"
#include "base/text.h"
#include "ops/task/cuda_kernel.h"
#include "rtc/device_text.h"
#include "rtc/kernel.h"

namespace rondo::comm {

using device::PeerMethod;

namespace {

// Follows definitions of M, kMethod, kOperation, kRanks.
constexpr const char* kEntry = R"(
extern "C" __global__ void __launch_bounds__(kPeerThreads) rondo_kernel(const PeerArguments args) {
  peer_all_reduce<M, kMethod, kOperation, kRanks>(args, peer_lane(args));
}
)";

device::PeerOperation operation_of(rondo_reduce_op reduction) {
  switch (reduction) {
    case RONDO_MEAN: return device::kPeerMean;
    case RONDO_PROD: return device::kPeerProd;
    case RONDO_MIN: return device::kPeerMin;
    case RONDO_MAX: return device::kPeerMax;
    default: return device::kPeerSum;
  }
}

struct Shape {
  int threads;
  int64_t blocks;
};

// Little is fastest in many small blocks; what is much wants many requests under way. Measured on two H200.
Shape shape_of(PeerMethod method, size_t bytes, int ranks, int max_blocks) {
  const bool slots = method == device::kPeerPush || method == device::kPeerStage;
  const int64_t most = std::min(slots ? device::peer_slot_blocks(ranks) : device::kPeerBlocks, max_blocks);
  const auto units = static_cast<int64_t>(method == device::kPeerPush ? (bytes + 7) / 8 : (bytes + 15) / 16);
  int threads = device::kPeerThreads;
  if (method == device::kPeerPush)
    while (threads > 128 && units <= threads / 2 * most) threads /= 2;
  return {threads, std::clamp<int64_t>((units + threads - 1) / threads, 1, most)};
}

}  // namespace

bool PeerKernels::serves(const Operation& operation) {
  if (operation.kind != Kind::all_reduce || operation.dtype == RONDO_BOOL || is_f8(operation.dtype)) return false;
  switch (operation.reduction) {
    case RONDO_SUM:
    case RONDO_PROD:
    case RONDO_MIN:
    case RONDO_MAX: return true;
    case RONDO_MEAN: return is_float(operation.dtype);
    default: return false;
  }
}

size_t PeerKernels::bytes_of(const Operation& operation) {
  return operation.count * dtype_size(operation.dtype);
}

Status PeerKernels::find(const Operation& operation, PeerMethod method, const rtc::Kernel** kernel) const {
  const device::PeerOperation reduction = operation_of(operation.reduction);
  const int ranks = buffers_.ranks();
  rtc::Signature signature(rtc::kPeer);
  signature.put(static_cast<uint8_t>(operation.dtype));
  signature.put(static_cast<uint8_t>(method));
  signature.put(static_cast<uint8_t>(reduction));
  signature.put(static_cast<uint8_t>(ranks));
  return rtc::find_kernel(
      device_, signature, "all_reduce",
      [&] {
        return format("using M = %s;\nconstexpr int kMethod = %d, kOperation = %d, kRanks = %d;\n",
                      ops::memory_type(operation.dtype), static_cast<int>(method), static_cast<int>(reduction), ranks) +
               rtc::text_of(rtc::kPeerText) + kEntry;
      },
      kernel);
}

Status PeerKernels::prepare(const Operation& operation, PeerMethod method) const {
  const rtc::Kernel* kernel = nullptr;
  return find(operation, method, &kernel);
}

bool PeerKernels::within_reach(const void* address) const {
  const cuda::CudaDevice::Current current(device_);
  if (!current.status().ok()) return false;
  int plain = 0;  // from cuMemAlloc: not of a driver's pool, nor mapped by hand for some devices only
  return cuda::driver().cuPointerGetAttribute(&plain, cuda::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
                                              reinterpret_cast<cuda::CUdeviceptr>(address)) == cuda::CUDA_SUCCESS &&
         plain != 0;
}

Status PeerKernels::launch(const Operation& operation, PeerMethod method, void* stream) const {
  const rtc::Kernel* kernel = nullptr;
  RONDO_TRY(find(operation, method, &kernel));
  device::PeerArguments arguments = {};
  buffers_.describe(&arguments);
  arguments.in = operation.input;
  arguments.out = operation.output;
  arguments.count = static_cast<int64_t>(operation.count);
  arguments.limit = limit_ns_;
  if (method == device::kPeerPull || method == device::kPeerExchange)
    arguments.within_reach = within_reach(operation.input) && within_reach(operation.output);
  const Shape shape = shape_of(method, bytes_of(operation), buffers_.ranks(), max_blocks_);
  cuda::CudaDevice::Launch launch;
  launch.grid[0] = static_cast<unsigned>(shape.blocks);
  launch.block[0] = static_cast<unsigned>(shape.threads);
  return device_.launch(kernel->function, launch, stream, &arguments);
}

}  // namespace rondo::comm
