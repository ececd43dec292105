// Order on streams: events, copies, host functions; what the hostile scheduler does to a program that forgets a wait.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <thread>

#include "test/driver.h"

namespace simcuda_test {
namespace {

const char* const kStreamsSource = R"(
  extern "C" __global__ void fill(int* p, int n, int value) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = value;
  }
  extern "C" __global__ void copy(int* to, const int* from, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = from[i];
  })";

class Streams : public Device {
 protected:
  void SetUp() override {
    Device::SetUp();
    fill = load(kStreamsSource, "fill");
    CHECK_CU(cu.cuModuleGetFunction(&copy, modules.back(), "copy"));
    for (CUevent* event : {&first, &second}) CHECK_CU(cu.cuEventCreate(event, CU_EVENT_DEFAULT));
  }
  void TearDown() override {
    if (cu.simulated()) cu.simcuda_control("seed", "0");
    for (CUevent event : {first, second}) EXPECT_EQ(cu.cuEventDestroy_v2(event), CUDA_SUCCESS);
    Device::TearDown();
  }
  CUfunction fill = nullptr, copy = nullptr;
  CUevent first = nullptr, second = nullptr;
};

TEST_F(Streams, EventsOrderStreams) {
  CUdeviceptr a = allocate(4096), b = allocate(4096);
  for (int seed = 0; seed < 20; ++seed) {
    if (cu.simulated()) cu.simcuda_control("seed", std::to_string(seed).c_str());
    for (int round = 0; round < 10; ++round) {
      int value = seed * 100 + round;
      CHECK_CU(launch(fill, 1, 128, 0, stream, a, 1024, value));
      CHECK_CU(cu.cuEventRecord(first, stream));
      CHECK_CU(cu.cuStreamWaitEvent(other, first, 0));
      CHECK_CU(launch(copy, 1, 128, 0, other, b, a, 1024));
      CHECK_CU(cu.cuEventRecord(second, other));
      CHECK_CU(cu.cuStreamWaitEvent(stream, second, 0));
      ASSERT_EQ(download<int>(b, 1024), std::vector<int>(1024, value));
    }
  }
}

// The same without the wait: with every seed, some round must read too early.
TEST_F(Streams, AMissingWaitShows) {
  ONLY_SIMULATED();
  CUdeviceptr a = allocate(4096), b = allocate(4096);
  int wrong = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    cu.simcuda_control("seed", std::to_string(seed).c_str());
    bool seen = false;
    for (int round = 0; round < 60 && !seen; ++round) {
      int value = seed * 100 + round;
      CHECK_CU(launch(fill, 1, 128, 0, stream, a, 1024, value));
      CHECK_CU(launch(copy, 1, 128, 0, other, b, a, 1024));
      CHECK_CU(cu.cuStreamSynchronize(stream));
      CHECK_CU(cu.cuStreamSynchronize(other));
      seen = seen || download<int>(b, 1024) != std::vector<int>(1024, value);
    }
    wrong += seen;
  }
  EXPECT_EQ(wrong, 20);
}

TEST_F(Streams, EventStates) {
  EXPECT_EQ(cu.cuEventQuery(first), CUDA_SUCCESS);  // never recorded
  CHECK_CU(cu.cuStreamWaitEvent(other, first, 0));
  float ms = 0;
  EXPECT_EQ(cu.cuEventElapsedTime(&ms, first, second), CUDA_ERROR_INVALID_HANDLE);
  CHECK_CU(cu.cuEventRecord(first, stream));
  CHECK_CU(cu.cuEventRecord(second, stream));
  CHECK_CU(cu.cuEventSynchronize(second));
  CHECK_CU(cu.cuEventElapsedTime(&ms, first, second));
  EXPECT_GE(ms, 0.0f);
  CUevent untimed = nullptr;
  CHECK_CU(cu.cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
  CHECK_CU(cu.cuEventRecord(untimed, stream));
  CHECK_CU(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(cu.cuEventElapsedTime(&ms, first, untimed), CUDA_ERROR_INVALID_HANDLE);
  CHECK_CU(cu.cuEventDestroy_v2(untimed));
}

TEST_F(Streams, WorkIsAsynchronousAndAStallHoldsIt) {
  ONLY_SIMULATED();
  CUdeviceptr a = allocate(64);
  cu.simcuda_control("stall", std::to_string(reinterpret_cast<unsigned long long>(stream)).c_str());
  CHECK_CU(launch(fill, 1, 16, 0, stream, a, 16, 5));
  CHECK_CU(cu.cuEventRecord(first, stream));
  CHECK_CU(cu.cuStreamWaitEvent(other, first, 0));
  CHECK_CU(launch(fill, 1, 16, 0, other, a, 16, 6));
  EXPECT_EQ(cu.cuEventQuery(first), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cu.cuStreamQuery(other), CUDA_ERROR_NOT_READY);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(cu.cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  cu.simcuda_control("resume", nullptr);
  CHECK_CU(cu.cuStreamSynchronize(other));
  EXPECT_EQ(download<int>(a, 16), std::vector<int>(16, 6));
}

// Pageable sources are read before the call returns, pinned ones when the copy runs.
TEST_F(Streams, PinnedSourcesAreReadLate) {
  ONLY_SIMULATED();
  CUdeviceptr a = allocate(64), b = allocate(64);
  int* pinned_source = allocate_pinned<int>(16);
  std::vector<int> pageable(16, 1);
  std::fill_n(pinned_source, 16, 1);
  cu.simcuda_control("stall", nullptr);
  CHECK_CU(cu.cuMemcpyHtoDAsync_v2(a, pageable.data(), 64, stream));
  CHECK_CU(cu.cuMemcpyHtoDAsync_v2(b, pinned_source, 64, stream));
  std::fill_n(pageable.begin(), 16, 2);
  std::fill_n(pinned_source, 16, 2);
  cu.simcuda_control("resume", nullptr);
  EXPECT_EQ(download<int>(a, 16), std::vector<int>(16, 1));
  EXPECT_EQ(download<int>(b, 16), std::vector<int>(16, 2));
}

TEST_F(Streams, HostFunctionsRunInOrder) {
  struct State {
    const Api& cu = api();
    std::vector<int> order;
    CUresult inside = -1;
  } state;
  CHECK_CU(cu.cuLaunchHostFunc(
      stream, [](void* p) { static_cast<State*>(p)->order.push_back(1); }, &state));
  CHECK_CU(cu.cuLaunchHostFunc(
      stream,
      [](void* p) {
        auto* s = static_cast<State*>(p);
        s->order.push_back(2);
        std::size_t free = 0, total = 0;
        s->inside = s->cu.cuMemGetInfo_v2(&free, &total);
      },
      &state));
  CHECK_CU(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(state.order, (std::vector<int>{1, 2}));
  EXPECT_NE(state.inside, CUDA_SUCCESS);
}

TEST_F(Streams, ManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      cu.cuCtxSetCurrent(context);
      CUstream mine = nullptr;
      CUdeviceptr a = 0;
      cu.cuStreamCreateWithPriority(&mine, CU_STREAM_NON_BLOCKING, 0);
      cu.cuMemAlloc_v2(&a, 4096);
      for (int i = 0; i < 50; ++i) {
        int n = 1024, value = t * 1000 + i, got[1024];
        void* args[] = {&a, &n, &value};
        cu.cuLaunchKernel(fill, 2, 1, 1, 64, 1, 1, 0, mine, args, nullptr);
        cu.cuMemcpyDtoHAsync_v2(got, a, sizeof got, mine);
        cu.cuStreamSynchronize(mine);
        for (int x : got) wrong += x != value;
      }
      cu.cuMemFree_v2(a);
      cu.cuStreamDestroy_v2(mine);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Streams, PeerCopies) {
  int count = 0;
  CHECK_CU(cu.cuDeviceGetCount(&count));
  if (count < 2) GTEST_SKIP() << "needs two devices";
  CUcontext second_context = nullptr;
  CHECK_CU(cu.cuDevicePrimaryCtxRetain(&second_context, 1));
  CUdeviceptr here = upload(std::vector<int>(16, 7)), there = 0;
  CHECK_CU(cu.cuStreamSynchronize(stream));
  CHECK_CU(cu.cuCtxSetCurrent(second_context));
  CHECK_CU(cu.cuMemAlloc_v2(&there, 64));
  CUstream second_stream = nullptr;
  CHECK_CU(cu.cuStreamCreateWithPriority(&second_stream, CU_STREAM_NON_BLOCKING, 0));
  CHECK_CU(cu.cuMemcpyPeerAsync(there, second_context, here, context, 64, second_stream));
  int got[16];
  CHECK_CU(cu.cuMemcpyDtoHAsync_v2(got, there, 64, second_stream));
  CHECK_CU(cu.cuStreamSynchronize(second_stream));
  EXPECT_EQ(std::vector<int>(got, got + 16), std::vector<int>(16, 7));
  CHECK_CU(cu.cuMemFree_v2(there));
  CHECK_CU(cu.cuStreamDestroy_v2(second_stream));
  CHECK_CU(cu.cuCtxSetCurrent(context));
  CHECK_CU(cu.cuDevicePrimaryCtxRelease_v2(1));
}

}  // namespace
}  // namespace simcuda_test
