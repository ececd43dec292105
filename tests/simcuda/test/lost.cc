// What each call answers after a kernel lost the device, in the middle of a capture. A real device stays lost until the
// process ends, so the calls are made in a child process; they run against a real driver too, where the codes were
// measured. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "test/driver.h"

namespace simcuda_test {
namespace {

class Lost : public Device, private Comparison {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // the child starts anew: a driver does not survive a fork
    Device::SetUp();
  }

  // Makes the calls; the number of answers that are not the expected ones.
  int differences() {
    CUfunction add = load(kAddSource, "add");
    CUdeviceptr a = upload(std::vector<int>(32, 1)), b = 0;
    CUevent event = nullptr, made = nullptr;
    CUgraph graph = nullptr, captured = nullptr, empty = nullptr;
    CUgraphExec exec = nullptr, second = nullptr;
    CUstream third = nullptr, fresh = nullptr;
    void* host = nullptr;
    CUmodule module = nullptr;
    std::vector<char> cubin = compile(kAddSource);
    std::size_t free_bytes = 0, total = 0, count = 0;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUcontext again = nullptr;
    int number = 0;
    expect("cuStreamCreateWithPriority", cu.cuStreamCreateWithPriority(&third, CU_STREAM_NON_BLOCKING, 0), 0);
    expect("cuEventCreate", cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), 0);
    expect("cuMemHostAlloc", cu.cuMemHostAlloc(&host, 64, CU_MEMHOSTALLOC_PORTABLE), 0);
    expect("begin", cu.cuStreamBeginCapture_v2(third, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), 0);
    expect("captured launch", launch(add, 1, 32, 0, third, a, 1), 0);
    expect("end", cu.cuStreamEndCapture(third, &graph), 0);
    expect("instantiate", cu.cuGraphInstantiateWithFlags(&exec, graph, 0), 0);

    // Two captures are under way when the device is lost, one of them invalid.
    expect("begin", cu.cuStreamBeginCapture_v2(other, CU_STREAM_CAPTURE_MODE_RELAXED), 0);
    expect("captured launch", launch(add, 1, 32, 0, other, a, 1), 0);
    expect("begin", cu.cuStreamBeginCapture_v2(third, CU_STREAM_CAPTURE_MODE_RELAXED), 0);
    expect("captured launch", launch(add, 1, 32, 0, third, a, 1), 0);
    expect("cuStreamSynchronize of a capture", cu.cuStreamSynchronize(third), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    expect("launch", launch(add, 1, 32, 0, stream, CUdeviceptr{64}, 1), 0);
    expect("cuStreamSynchronize", cu.cuStreamSynchronize(stream), kLost);

    expect("captured launch", launch(add, 1, 32, 0, other, a, 1), kLost);
    expect("cuStreamIsCapturing", cu.cuStreamIsCapturing(other, &status), kLost);
    expect("cuStreamEndCapture", cu.cuStreamEndCapture(other, &captured), kLost);
    expect("a graph of it", captured != nullptr, 0);
    expect("cuStreamEndCapture again", cu.cuStreamEndCapture(other, &captured), kLost);
    expect("cuStreamEndCapture of an invalid one", cu.cuStreamEndCapture(third, &captured), kLost);
    expect("cuStreamBeginCapture_v2", cu.cuStreamBeginCapture_v2(other, CU_STREAM_CAPTURE_MODE_RELAXED), kLost);
    expect("cuStreamEndCapture of none", cu.cuStreamEndCapture(stream, &captured), kLost);

    expect("cuGraphGetNodes", cu.cuGraphGetNodes(graph, nullptr, &count), 0);
    expect("cuGraphCreate", cu.cuGraphCreate(&empty, 0), 0);
    expect("cuGraphInstantiateWithFlags", cu.cuGraphInstantiateWithFlags(&second, graph, 0), kLost);
    expect("cuGraphUpload", cu.cuGraphUpload(exec, stream), kLost);
    expect("cuGraphLaunch", cu.cuGraphLaunch(exec, stream), kLost);
    expect("cuGraphExecDestroy", cu.cuGraphExecDestroy(exec), 0);
    expect("cuGraphDestroy", cu.cuGraphDestroy(graph), 0);
    expect("cuGraphDestroy", cu.cuGraphDestroy(empty), 0);

    expect("cuMemAlloc_v2", cu.cuMemAlloc_v2(&b, 64), kLost);
    expect("cuMemGetInfo_v2", cu.cuMemGetInfo_v2(&free_bytes, &total), kLost);
    expect("cuMemsetD8Async", cu.cuMemsetD8Async(a, 0, 64, stream), kLost);
    expect("cuMemcpyDtoHAsync_v2", cu.cuMemcpyDtoHAsync_v2(host, a, 64, stream), kLost);
    expect("cuLaunchKernel", launch(add, 1, 32, 0, stream, a, 1), kLost);
    expect("cuLaunchHostFunc",
           cu.cuLaunchHostFunc(
               stream, [](void*) {}, nullptr),
           kLost);
    expect("cuEventCreate", cu.cuEventCreate(&made, 0), kLost);
    expect("cuEventRecord", cu.cuEventRecord(event, stream), kLost);
    expect("cuEventQuery", cu.cuEventQuery(event), kLost);
    expect("cuEventSynchronize", cu.cuEventSynchronize(event), kLost);
    expect("cuStreamWaitEvent", cu.cuStreamWaitEvent(stream, event, 0), kLost);
    expect("cuStreamQuery", cu.cuStreamQuery(stream), kLost);
    expect("cuStreamCreateWithPriority", cu.cuStreamCreateWithPriority(&fresh, CU_STREAM_NON_BLOCKING, 0), kLost);
    expect("cuCtxSynchronize", cu.cuCtxSynchronize(), kLost);
    expect("cuModuleLoadDataEx", cu.cuModuleLoadDataEx(&module, cubin.data(), 0, nullptr, nullptr), kLost);
    expect("cuFuncGetAttribute", cu.cuFuncGetAttribute(&number, CU_FUNC_ATTRIBUTE_NUM_REGS, add), kLost);
    expect("cuDeviceGetAttribute", cu.cuDeviceGetAttribute(&number, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0), 0);
    expect("cuCtxSetCurrent", cu.cuCtxSetCurrent(context), 0);
    expect("cuDevicePrimaryCtxRetain", cu.cuDevicePrimaryCtxRetain(&again, 0), 0);

    expect("cuEventDestroy_v2", cu.cuEventDestroy_v2(event), kLost);
    expect("cuMemFreeHost", cu.cuMemFreeHost(host), kLost);
    expect("cuMemFree_v2", cu.cuMemFree_v2(a), kLost);
    expect("cuModuleUnload", cu.cuModuleUnload(modules.back()), kLost);
    expect("cuStreamDestroy_v2 of a capture", cu.cuStreamDestroy_v2(other), kLost);
    expect("cuStreamDestroy_v2", cu.cuStreamDestroy_v2(stream), kLost);
    for (int i = 0; i < 2; ++i) expect("cuDevicePrimaryCtxRelease_v2", cu.cuDevicePrimaryCtxRelease_v2(0), 0);
    expect("cuDevicePrimaryCtxRetain after the last release", cu.cuDevicePrimaryCtxRetain(&again, 0), kLost);
    expect("cuCtxSetCurrent", cu.cuCtxSetCurrent(again), 0);
    expect("cuMemAlloc_v2 after the last release", cu.cuMemAlloc_v2(&b, 64), kDestroyed);
    return differences_;
  }

  static constexpr int kLost = CUDA_ERROR_ILLEGAL_ADDRESS, kDestroyed = 709;
};

TEST_F(Lost, WhatEachCallAnswers) {
  EXPECT_EXIT(std::exit(differences() == 0 ? 0 : 1), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace simcuda_test
