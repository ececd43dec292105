// What belongs to one device and not to another: modules, contexts of a peer copy, the error of a stream. A machine
// with one device skips these.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "test/driver.h"

namespace simcuda_test {
namespace {

class TwoDevices : public Device {
 protected:
  void SetUp() override {
    Device::SetUp();
    int count = 0;
    CHECK_CU(cu.cuDeviceGetCount(&count));
    if (count < 2) GTEST_SKIP() << "needs two devices";
    add = load(kAddSource, "add");
    a = upload(std::vector<int>(32, 1));
    CHECK_CU(cu.cuStreamSynchronize(stream));
    CHECK_CU(cu.cuDevicePrimaryCtxRetain(&second, 1));
    CHECK_CU(cu.cuCtxSetCurrent(second));
    CHECK_CU(cu.cuStreamCreateWithPriority(&far, CU_STREAM_NON_BLOCKING, 0));
    CHECK_CU(cu.cuMemAlloc_v2(&b, 128));
    CHECK_CU(cu.cuMemsetD8Async(b, 0, 128, far));
    CHECK_CU(cu.cuStreamSynchronize(far));
    CHECK_CU(cu.cuCtxSetCurrent(context));
  }
  void TearDown() override {
    if (cu.simulated()) cu.simcuda_control("restore-device", "1");
    if (second != nullptr) {
      EXPECT_EQ(cu.cuCtxSetCurrent(second), CUDA_SUCCESS);
      for (CUmodule module : far_modules) EXPECT_EQ(cu.cuModuleUnload(module), CUDA_SUCCESS);
      EXPECT_EQ(cu.cuStreamSynchronize(far), CUDA_SUCCESS);
      EXPECT_EQ(cu.cuStreamDestroy_v2(far), CUDA_SUCCESS);
      EXPECT_EQ(cu.cuMemFree_v2(b), CUDA_SUCCESS);
      EXPECT_EQ(cu.cuDevicePrimaryCtxRelease_v2(1), CUDA_SUCCESS);
    }
    CHECK_CU(cu.cuCtxSetCurrent(context));
    Device::TearDown();
  }
  // The same kernel in a module of the second device.
  CUfunction load_second() {
    EXPECT_EQ(cu.cuCtxSetCurrent(second), CUDA_SUCCESS);
    CUfunction f = load(kAddSource, "add");
    far_modules.push_back(modules.back());
    modules.pop_back();
    EXPECT_EQ(cu.cuCtxSetCurrent(context), CUDA_SUCCESS);
    return f;
  }
  CUfunction add = nullptr;
  CUcontext second = nullptr;
  CUstream far = nullptr;
  std::vector<CUmodule> far_modules;  // of the second: they go before its context does
  CUdeviceptr a = 0, b = 0;           // of the first, of the second
};

TEST_F(TwoDevices, AModuleBelongsToItsDevice) {
  for (CUcontext current : {context, second}) {
    CHECK_CU(cu.cuCtxSetCurrent(current));
    EXPECT_EQ(launch(add, 1, 32, 0, far, b, 1), CUDA_ERROR_INVALID_HANDLE);
  }
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = 32;
  config.hStream = far;
  int value = 1;
  void* arguments[] = {&b, &value};
  EXPECT_EQ(cu.cuLaunchKernelEx(&config, add, arguments, nullptr), CUDA_ERROR_INVALID_HANDLE);
  CHECK_CU(launch(load_second(), 1, 32, 0, far, b, 5));
  std::vector<int> got(32);
  CHECK_CU(cu.cuMemcpyDtoHAsync_v2(got.data(), b, 128, far));
  CHECK_CU(cu.cuStreamSynchronize(far));
  EXPECT_EQ(got, std::vector<int>(32, 5));
}

TEST_F(TwoDevices, NorDoesACaptureTakeIt) {
  CUgraph graph = nullptr;
  CHECK_CU(cu.cuStreamBeginCapture_v2(far, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(launch(add, 1, 32, 0, far, b, 1), CUDA_ERROR_INVALID_HANDLE);
  CHECK_CU(cu.cuStreamEndCapture(far, &graph));  // the capture goes on without it
  std::size_t count = 1;
  CHECK_CU(cu.cuGraphGetNodes(graph, nullptr, &count));
  EXPECT_EQ(count, 0u);
  CHECK_CU(cu.cuGraphDestroy(graph));
}

TEST_F(TwoDevices, NorAGraphsNode) {
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  CUgraphNode node = nullptr;
  std::size_t count = 1;
  CHECK_CU(cu.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  CHECK_CU(launch(add, 1, 32, 0, stream, a, 1));
  CHECK_CU(cu.cuStreamEndCapture(stream, &graph));
  CHECK_CU(cu.cuGraphGetNodes(graph, &node, &count));
  CHECK_CU(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
  int value = 10;
  void* arguments[] = {&a, &value};
  CUDA_KERNEL_NODE_PARAMS p{};
  p.gridDimX = p.gridDimY = p.gridDimZ = p.blockDimY = p.blockDimZ = 1;
  p.blockDimX = 32;
  p.kernelParams = arguments;
  p.func = load_second();
  EXPECT_EQ(cu.cuGraphExecKernelNodeSetParams(exec, node, &p), CUDA_ERROR_INVALID_VALUE);
  CHECK_CU(cu.cuGraphLaunch(exec, stream));
  EXPECT_EQ(download<int>(a, 32), std::vector<int>(32, 2));  // as it was
  p.func = add;
  CHECK_CU(cu.cuGraphExecKernelNodeSetParams(exec, node, &p));
  CHECK_CU(cu.cuGraphLaunch(exec, stream));
  EXPECT_EQ(download<int>(a, 32), std::vector<int>(32, 12));
  CHECK_CU(cu.cuGraphExecDestroy(exec));
  CHECK_CU(cu.cuGraphDestroy(graph));
}

TEST_F(TwoDevices, APeerCopyGoesByItsAddresses) {
  for (CUcontext to : {context, second})
    for (CUcontext from : {context, second}) {
      CHECK_CU(cu.cuMemsetD8Async(b, 0, 128, far));
      CHECK_CU(cu.cuStreamSynchronize(far));
      CHECK_CU(cu.cuMemcpyPeerAsync(b, to, a, from, 128, stream));
      CHECK_CU(cu.cuStreamSynchronize(stream));
      std::vector<int> got(32);
      CHECK_CU(cu.cuMemcpyDtoHAsync_v2(got.data(), b, 128, far));
      CHECK_CU(cu.cuStreamSynchronize(far));
      EXPECT_EQ(got, std::vector<int>(32, 1));
    }
}

// The stream says whose error it is, whatever device is current.
TEST_F(TwoDevices, AStreamAnswersForItsOwnDevice) {
  ONLY_SIMULATED();
  CUfunction there = load_second();
  CHECK_CU(cu.cuCtxSetCurrent(second));
  CUevent event = nullptr;
  CUgraph graph = nullptr, captured = nullptr;
  CUgraphExec exec = nullptr;
  CHECK_CU(cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  CHECK_CU(cu.cuEventRecord(event, far));
  CHECK_CU(cu.cuStreamBeginCapture_v2(far, CU_STREAM_CAPTURE_MODE_RELAXED));
  CHECK_CU(launch(there, 1, 32, 0, far, b, 1));
  CHECK_CU(cu.cuStreamEndCapture(far, &graph));
  CHECK_CU(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
  CHECK_CU(cu.cuStreamSynchronize(far));
  CHECK_CU(cu.cuCtxSetCurrent(context));
  auto* host = allocate_pinned<unsigned char>(128);
  std::memset(host, 1, 128);
  const CUresult kLost = CUDA_ERROR_ECC_UNCORRECTABLE;
  ASSERT_EQ(cu.simcuda_control("lose-device", "1"), 0);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  EXPECT_EQ(launch(there, 1, 32, 0, far, b, 1), kLost);
  EXPECT_EQ(cu.cuLaunchHostFunc(
                far, [](void*) {}, nullptr),
            kLost);
  EXPECT_EQ(cu.cuMemsetD8Async(b, 1, 128, far), kLost);
  EXPECT_EQ(cu.cuMemcpyHtoDAsync_v2(b, host, 128, far), kLost);
  EXPECT_EQ(cu.cuMemcpyDtoHAsync_v2(host, b, 128, far), kLost);
  EXPECT_EQ(cu.cuMemcpyPeerAsync(b, second, a, context, 128, far), kLost);
  EXPECT_EQ(cu.cuEventRecord(event, far), kLost);
  EXPECT_EQ(cu.cuStreamWaitEvent(far, event, 0), kLost);
  EXPECT_EQ(cu.cuStreamQuery(far), kLost);
  EXPECT_EQ(cu.cuStreamSynchronize(far), kLost);
  EXPECT_EQ(cu.cuGraphUpload(exec, far), kLost);
  EXPECT_EQ(cu.cuGraphLaunch(exec, far), kLost);
  EXPECT_EQ(cu.cuStreamIsCapturing(far, &status), kLost);
  EXPECT_EQ(cu.cuStreamBeginCapture_v2(far, CU_STREAM_CAPTURE_MODE_RELAXED), kLost);
  EXPECT_EQ(cu.cuStreamEndCapture(far, &captured), kLost);
  // The first device knows nothing of it.
  CHECK_CU(launch(add, 1, 32, 0, stream, a, 1));
  EXPECT_EQ(download<int>(a, 32), std::vector<int>(32, 2));
  CHECK_CU(cu.cuGraphExecDestroy(exec));
  CHECK_CU(cu.cuGraphDestroy(graph));
  EXPECT_EQ(cu.cuEventDestroy_v2(event), kLost);
}

// A graph's kernels run where their modules are, not where the graph is launched.
TEST_F(TwoDevices, AGraphLaunchedOnTheOtherDevice) {
  ONLY_SIMULATED();
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  CHECK_CU(cu.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  CHECK_CU(launch(add, 1, 32, 0, stream, a, 1));
  CHECK_CU(cu.cuStreamEndCapture(stream, &graph));
  CHECK_CU(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
  CHECK_CU(cu.cuGraphLaunch(exec, far));
  CHECK_CU(cu.cuStreamSynchronize(far));
  EXPECT_EQ(download<int>(a, 32), std::vector<int>(32, 2));
  EXPECT_EQ(cu.simcuda_control("reports", nullptr), 0) << last_report();
  CHECK_CU(cu.cuGraphExecDestroy(exec));
  CHECK_CU(cu.cuGraphDestroy(graph));
}

}  // namespace
}  // namespace simcuda_test
