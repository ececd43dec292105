// What a real device would not forgive, and what the simulator reports: bad accesses with the kernel's name, memory
// never written, faults on demand, lost devices, leaks. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
// Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "test/driver.h"

namespace simcuda_test {
namespace {

const char* const kFaultsSource = R"(
  struct Args { float* out; const float* in; int n; };
  extern "C" __global__ void copy_all(const Args args) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < args.n) args.out[i] = args.in[i];
  }
  extern "C" __global__ void misaligned(char* p) { *reinterpret_cast<float*>(p + 2) = 1.0f; }
  extern "C" __global__ void shared_past_the_end(float* p) {
    extern __shared__ float stage[];
    stage[threadIdx.x] = p[0];
  }
  extern "C" __global__ void divergent(float* p) {
    if (threadIdx.x < 10) __syncthreads();
    else { __shfl_sync(0xffffffffu, 1, 0); p[0] = 1.0f; }
  }
  extern "C" __global__ void stopped(float* p) { if (threadIdx.x == 3) __trap(); p[0] = 1.0f; }
  extern "C" __global__ void asserting(float* p) { assert(p[0] == 2.0f); }
  extern "C" __global__ void vectors(float4* to, const float4* from) { to[threadIdx.x] = from[threadIdx.x]; }
  struct Large { double v[9]; };
  extern "C" __global__ void structs(Large* to, const Large* from) { to[threadIdx.x] = from[threadIdx.x]; }
  extern "C" __global__ void bytes(char* to, const char* from, int n) { memcpy(to, from, n); }
  extern "C" __global__ void racy(int* p) {
    __shared__ int slot[64];
    slot[threadIdx.x] = threadIdx.x;
    p[threadIdx.x] = slot[63 - threadIdx.x];
  })";

class Faults : public Device {
 protected:
  void SetUp() override {
    Device::SetUp();
    if (!cu.simulated()) GTEST_SKIP() << "needs the simulated driver";
    copy_all = load(kFaultsSource, "copy_all");
    before_streams = live("streams");
  }
  void TearDown() override {
    if (cu.simulated()) cu.simcuda_control("seed", "0");
    Device::TearDown();
  }
  CUfunction get(const char* name) {
    CUfunction f = nullptr;
    EXPECT_EQ(cu.cuModuleGetFunction(&f, modules.back(), name), CUDA_SUCCESS);
    return f;
  }
  long long live(const char* what) const { return cu.simcuda_control("live", what); }
  struct Args {
    CUdeviceptr out, in;
    int n;
  };
  // Runs, expects the device lost with this code, and brings it back.
  void expect_loss(CUresult launched, CUresult code, const std::vector<std::string>& words) {
    EXPECT_EQ(launched, CUDA_SUCCESS);
    EXPECT_EQ(cu.cuStreamSynchronize(stream), code);
    EXPECT_EQ(cu.cuStreamQuery(other), code);
    CUdeviceptr p = 0;
    EXPECT_EQ(cu.cuMemAlloc_v2(&p, 16), code);
    for (const std::string& word : words)
      EXPECT_NE(last_report().find(word), std::string::npos) << last_report() << " has no " << word;
    cu.simcuda_control("restore-device", "0");
  }
  CUfunction copy_all = nullptr;
  long long before_streams = 0;
};

TEST_F(Faults, OutOfBounds) {
  CUdeviceptr in = upload(std::vector<float>(100, 1.0f)), out = allocate(400);
  expect_loss(launch(copy_all, 1, 128, 0, stream, Args{out, in, 101}), CUDA_ERROR_ILLEGAL_ADDRESS,
              {"kernel 'copy_all'", "thread 100,0,0", "read of 4 bytes", "0 bytes past the end", "(400 bytes)"});
  expect_loss(launch(copy_all, 1, 64, 0, stream, Args{out, out - 4, 1}), CUDA_ERROR_ILLEGAL_ADDRESS, {"copy_all"});
  expect_loss(launch(copy_all, 1, 64, 0, stream, Args{out, 0, 1}), CUDA_ERROR_ILLEGAL_ADDRESS,
              {"not memory of the device"});
  std::vector<float> host(100, 1.0f);
  expect_loss(launch(copy_all, 1, 64, 0, stream, Args{out, reinterpret_cast<CUdeviceptr>(host.data()), 1}),
              CUDA_ERROR_ILLEGAL_ADDRESS, {"not memory of the device"});
}

TEST_F(Faults, PinnedMemoryIsReachable) {
  float* host = allocate_pinned<float>(64);
  std::fill_n(host, 64, 4.0f);
  CUdeviceptr out = allocate(256);
  CHECK_CU(launch(copy_all, 1, 64, 0, stream, Args{out, reinterpret_cast<CUdeviceptr>(host), 64}));
  EXPECT_EQ(download<float>(out, 64), std::vector<float>(64, 4.0f));
}

TEST_F(Faults, PinnedMemoryFreedUnderACopy) {
  CUdeviceptr device = allocate(1024);
  CHECK_CU(cu.cuMemsetD8Async(device, 1, 1024, stream));
  CHECK_CU(cu.cuStreamSynchronize(stream));
  auto* source = allocate_pinned<unsigned char>(1024);
  auto* target = allocate_pinned<unsigned char>(1024);
  std::fill_n(source, 1024, 7);
  const long long before = live("pinned");
  cu.simcuda_control("stall", nullptr);
  CHECK_CU(cu.cuMemcpyDtoHAsync_v2(target + 100, device, 512, stream));
  CHECK_CU(cu.cuMemcpyHtoDAsync_v2(device, source, 1024, stream));
  for (void* each : {source, target}) CHECK_CU(cu.cuMemFreeHost(each));
  pinned.clear();
  EXPECT_EQ(live("pinned"), before - 2);
  EXPECT_EQ(cu.simcuda_control("reports", nullptr), 0) << last_report();
  cu.simcuda_control("resume", nullptr);
  EXPECT_EQ(download<unsigned char>(device, 1024), std::vector<unsigned char>(1024, 0xdb));
  ASSERT_EQ(cu.simcuda_control("reports", nullptr), 2);
  const std::string writes = cu.simcuda_report(0), reads = cu.simcuda_report(1);
  for (const char* words : {"copy of 512 bytes from device memory at byte 0 of allocation",
                            "to host memory writes pinned memory that was freed, at byte 100 of a block of 1024 bytes"})
    EXPECT_NE(writes.find(words), std::string::npos) << writes;
  for (const char* words : {"copy of 1024 bytes from host memory to device memory at byte 0 of allocation",
                            "reads pinned memory that was freed, at byte 0 of a block of 1024 bytes"})
    EXPECT_NE(reads.find(words), std::string::npos) << reads;
  // Passed to a copy after its free, and to a kernel.
  CHECK_CU(cu.cuMemcpyHtoDAsync_v2(device, source + 1020, 4, stream));
  ASSERT_EQ(cu.simcuda_control("reports", nullptr), 3);
  EXPECT_NE(last_report().find("at byte 1020 of a block"), std::string::npos) << last_report();
  expect_loss(launch(copy_all, 1, 64, 0, stream, Args{device, reinterpret_cast<CUdeviceptr>(target), 1}),
              CUDA_ERROR_ILLEGAL_ADDRESS, {"kernel 'copy_all'", "pinned memory that was freed"});
}

// More than the quarantine holds: memory goes back to the system, and a block in use stays what it is.
TEST_F(Faults, PinnedMemoryIsNotKeptForever) {
  constexpr std::size_t kBytes = std::size_t{24} << 20;
  auto* kept = allocate_pinned<unsigned char>(64);
  std::fill_n(kept, 64, 7);
  for (int turn = 0; turn < 8; ++turn) {
    void* block = nullptr;
    CHECK_CU(cu.cuMemHostAlloc(&block, kBytes, CU_MEMHOSTALLOC_PORTABLE));
    EXPECT_EQ(static_cast<unsigned char*>(block)[kBytes - 1], 0xff);
    CHECK_CU(cu.cuMemFreeHost(block));
    EXPECT_EQ(cu.cuMemFreeHost(block), CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_EQ(std::count(kept, kept + 64, 7), 64);
}

// Of every size: a large block shows the pattern without taking its size in memory.
TEST_F(Faults, FreshAndFreedMemoryIsPoisoned) {
  for (std::size_t bytes : {std::size_t{1} << 10, (std::size_t{16} << 20) + 1, (std::size_t{45} << 20) + 777}) {
    CUdeviceptr p = 0;
    CHECK_CU(cu.cuMemAlloc_v2(&p, bytes));
    const auto* memory = reinterpret_cast<const unsigned char*>(p);
    auto all = [&](unsigned char value) { return std::count(memory, memory + bytes, value) == std::ptrdiff_t(bytes); };
    EXPECT_TRUE(all(0xff)) << bytes;
    CHECK_CU(cu.cuMemsetD8Async(p, 1, bytes, stream));
    CHECK_CU(cu.cuStreamSynchronize(stream));
    EXPECT_TRUE(all(1)) << bytes;
    CHECK_CU(cu.cuMemFree_v2(p));
    EXPECT_TRUE(all(0xdb)) << bytes;
  }
}

TEST_F(Faults, UseAfterFree) {
  CUdeviceptr in = 0, out = allocate(400);
  CHECK_CU(cu.cuMemAlloc_v2(&in, 400));
  CHECK_CU(cu.cuMemsetD8Async(in, 0, 400, stream));
  CHECK_CU(cu.cuStreamSynchronize(stream));
  cu.simcuda_control("stall", nullptr);
  CHECK_CU(launch(copy_all, 1, 128, 0, stream, Args{out, in, 100}));
  CHECK_CU(cu.cuMemFree_v2(in));  // the kernel has not run
  cu.simcuda_control("resume", nullptr);
  expect_loss(CUDA_SUCCESS, CUDA_ERROR_ILLEGAL_ADDRESS, {"kernel 'copy_all'", "which was freed"});
  EXPECT_EQ(cu.cuMemFree_v2(in), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(last_report().find("cuMemFree"), std::string::npos);
}

TEST_F(Faults, NeverWritten) {
  CUdeviceptr in = allocate(400), out = allocate(400);
  CHECK_CU(cu.cuMemsetD8Async(in, 0, 396, stream));
  CHECK_CU(launch(copy_all, 1, 128, 0, stream, Args{out, in, 99}));
  CHECK_CU(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(cu.simcuda_control("reports", nullptr), 0) << last_report();
  CHECK_CU(launch(copy_all, 1, 128, 0, stream, Args{out, in, 100}));
  CHECK_CU(cu.cuStreamSynchronize(stream));
  ASSERT_EQ(cu.simcuda_control("reports", nullptr), 1);
  EXPECT_NE(last_report().find("kernel 'copy_all'"), std::string::npos);
  EXPECT_NE(last_report().find("never written, at byte 396"), std::string::npos) << last_report();
  // Copies carry "never written" along.
  CUdeviceptr copied = allocate(400);
  CHECK_CU(cu.cuMemcpyDtoDAsync_v2(copied, in, 400, stream));
  download<float>(copied, 99);
  EXPECT_EQ(cu.simcuda_control("reports", nullptr), 1);
  download<float>(copied, 100);
  EXPECT_EQ(cu.simcuda_control("reports", nullptr), 2);
}

TEST_F(Faults, VectorsAndAlignment) {
  CUdeviceptr in = upload(std::vector<float>(128, 1.0f)), out = allocate(512);
  CHECK_CU(launch(get("vectors"), 1, 32, 0, stream, out, in));
  EXPECT_EQ(download<float>(out, 128), std::vector<float>(128, 1.0f));
  expect_loss(launch(get("vectors"), 1, 1, 0, stream, out, in + 4), CUDA_ERROR_MISALIGNED_ADDRESS,
              {"kernel 'vectors'", "16 bytes"});
  expect_loss(launch(get("misaligned"), 1, 1, 0, stream, out), CUDA_ERROR_MISALIGNED_ADDRESS, {"kernel 'misaligned'"});
  expect_loss(launch(get("vectors"), 1, 33, 0, stream, out, in), CUDA_ERROR_ILLEGAL_ADDRESS, {"thread 32,0,0"});
}

TEST_F(Faults, StructsAndMemcpy) {
  CUdeviceptr in = upload(std::vector<double>(18, 1.0)), out = allocate(18 * 8);
  CHECK_CU(launch(get("structs"), 1, 2, 0, stream, out, in));
  EXPECT_EQ(download<double>(out, 18), std::vector<double>(18, 1.0));
  CHECK_CU(launch(get("bytes"), 1, 1, 0, stream, out, in, 144));
  EXPECT_EQ(cu.cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(cu.simcuda_control("reports", nullptr), 0) << last_report();
  expect_loss(launch(get("structs"), 1, 3, 0, stream, out, in), CUDA_ERROR_ILLEGAL_ADDRESS,
              {"kernel 'structs'", "past the end"});
  expect_loss(launch(get("bytes"), 1, 1, 0, stream, out, in, 145), CUDA_ERROR_ILLEGAL_ADDRESS,
              {"kernel 'bytes'", "145 bytes"});
}

TEST_F(Faults, SharedMemoryBarriersAndTraps) {
  CUdeviceptr p = upload(std::vector<float>(4, 1.0f));
  expect_loss(launch(get("shared_past_the_end"), 1, 32, 31 * 4, stream, p), CUDA_ERROR_ILLEGAL_ADDRESS,
              {"shared_past_the_end"});
  expect_loss(launch(get("divergent"), 1, 32, 0, stream, p), CUDA_ERROR_LAUNCH_FAILED, {"deadlock"});
  expect_loss(launch(get("stopped"), 1, 32, 0, stream, p), CUDA_ERROR_LAUNCH_FAILED, {"kernel 'stopped'", "__trap"});
  expect_loss(launch(get("asserting"), 1, 32, 0, stream, p), CUDA_ERROR_ASSERT, {"p[0] == 2.0f"});
  CHECK_CU(launch(copy_all, 1, 4, 0, stream, Args{p, p, 4}));  // the fibers left behind do no harm
  EXPECT_EQ(download<float>(p, 4), std::vector<float>(4, 1.0f));
}

// Without a barrier between the write and the read, another order of the threads gives another answer.
TEST_F(Faults, AMissingBarrierShows) {
  CUdeviceptr p = allocate(256);
  int wrong = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    cu.simcuda_control("seed", std::to_string(seed).c_str());
    CHECK_CU(launch(get("racy"), 1, 64, 0, stream, p));
    std::vector<int> got = download<int>(p, 64);
    bool good = true;
    for (int i = 0; i < 64; ++i) good = good && got[i] == 63 - i;
    wrong += !good;
  }
  EXPECT_EQ(wrong, 20);
}

TEST_F(Faults, OnDemand) {
  CUdeviceptr p = 0;
  ASSERT_EQ(cu.simcuda_control("fault", "cuMemAlloc_v2:2:2,cuStreamCreateWithPriority:1:999"), 0);
  CHECK_CU(cu.cuMemAlloc_v2(&p, 64));
  allocations.push_back(p);
  EXPECT_EQ(cu.cuMemAlloc_v2(&p, 64), CUDA_ERROR_OUT_OF_MEMORY);
  CHECK_CU(cu.cuMemAlloc_v2(&p, 64));
  allocations.push_back(p);
  CUstream s = nullptr;
  EXPECT_EQ(cu.cuStreamCreateWithPriority(&s, 0, 0), 999);
  EXPECT_EQ(live("streams"), before_streams);
  EXPECT_EQ(cu.simcuda_control("fault", "cuNothing:1:2"), -1);
  EXPECT_EQ(cu.simcuda_control("fault", "cuMemAlloc_v2:x:2"), -1);
  // A sticky code takes the device with it.
  ASSERT_EQ(cu.simcuda_control("fault", "cuLaunchKernel:1:719"), 0);
  EXPECT_EQ(launch(copy_all, 1, 1, 0, stream, Args{p, p, 0}), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cu.cuStreamSynchronize(other), CUDA_ERROR_LAUNCH_FAILED);
  cu.simcuda_control("restore-device", "0");
  EXPECT_EQ(cu.simnvrtc_control("fault", "nvrtcCompileProgram:1:11"), 0);
  nvrtcResult result = 0;
  compile("extern \"C\" __global__ void k() {}", &result);
  EXPECT_EQ(result, 11);
  EXPECT_EQ(cu.simnvrtc_control("live", nullptr), 0);
}

// A program that cleans up after a lost device is told of the loss, and what it gives back is given back.
TEST_F(Faults, ReleasingAfterALoss) {
  CUdeviceptr p = 0;
  CUevent event = nullptr;
  long long allocations_before = live("allocations"), events_before = live("events");
  CHECK_CU(cu.cuMemAlloc_v2(&p, 64));
  CHECK_CU(cu.cuEventCreate(&event, 0));
  EXPECT_EQ(cu.simcuda_control("lose-device", "0"), 0);
  EXPECT_EQ(cu.cuMemFree_v2(p), CUDA_ERROR_ECC_UNCORRECTABLE);
  EXPECT_EQ(cu.cuEventDestroy_v2(event), CUDA_ERROR_ECC_UNCORRECTABLE);
  EXPECT_EQ(live("allocations"), allocations_before);
  EXPECT_EQ(live("events"), events_before);
}

TEST_F(Faults, OutOfMemory) {
  std::size_t free = 0, total = 0, after = 0;
  CHECK_CU(cu.cuMemGetInfo_v2(&free, &total));
  CUdeviceptr p = 0;
  EXPECT_EQ(cu.cuMemAlloc_v2(&p, total + 1), CUDA_ERROR_OUT_OF_MEMORY);
  CHECK_CU(cu.cuMemAlloc_v2(&p, free / 2));
  CUdeviceptr q = 0;
  EXPECT_EQ(cu.cuMemAlloc_v2(&q, free), CUDA_ERROR_OUT_OF_MEMORY);
  CHECK_CU(cu.cuMemFree_v2(p));
  CHECK_CU(cu.cuMemGetInfo_v2(&after, &total));
  EXPECT_EQ(after, free);
  // Addresses do not run out before the bytes do.
  for (int i = 0; i < 12; ++i) {
    CHECK_CU(cu.cuMemAlloc_v2(&p, free - (1 << 20)));
    CHECK_CU(cu.cuMemFree_v2(p));
  }
}

TEST_F(Faults, ImagesThatAreRefused) {
  CUmodule module = nullptr;
  std::vector<char> cubin = compile("extern \"C\" __global__ void k() {}");
  EXPECT_EQ(cu.cuModuleLoadDataEx(&module, "no image at all", 0, nullptr, nullptr), CUDA_ERROR_INVALID_IMAGE);
  std::vector<char> cut(cubin.begin(), cubin.begin() + 64);
  cut.resize(cubin.size());
  EXPECT_EQ(cu.cuModuleLoadDataEx(&module, cut.data(), 0, nullptr, nullptr), CUDA_ERROR_INVALID_IMAGE);
  nvrtcResult result = 0;
  std::vector<char> old =
      compile("extern \"C\" __global__ void k() {}", &result, nullptr, {"--std=c++17", "--gpu-architecture=sm_80"});
  EXPECT_EQ(result, NVRTC_SUCCESS);
}

TEST_F(Faults, HandlesAfterTheirDestroy) {
  CUstream s = nullptr;
  CHECK_CU(cu.cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, 0));
  CHECK_CU(cu.cuStreamDestroy_v2(s));
  EXPECT_EQ(cu.cuStreamSynchronize(s), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cu.cuStreamDestroy_v2(s), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Faults, UnloadingAModuleInUseIsReported) {
  CUdeviceptr p = upload(std::vector<float>(4, 1.0f));
  CHECK_CU(cu.cuStreamSynchronize(stream));
  cu.simcuda_control("stall", nullptr);
  CHECK_CU(launch(copy_all, 1, 4, 0, stream, Args{p, p, 4}));
  CHECK_CU(cu.cuModuleUnload(modules.back()));
  modules.pop_back();
  EXPECT_NE(last_report().find("copy_all"), std::string::npos);
  cu.simcuda_control("resume", nullptr);
  CHECK_CU(cu.cuStreamSynchronize(stream));
}

TEST_F(Faults, AForkedChildIsRefused) {
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    CUdeviceptr p = 0;
    _exit(cu.cuMemAlloc_v2(&p, 64) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST_F(Faults, NoContext) {
  std::thread([&] {
    CUdeviceptr p = 0;
    EXPECT_EQ(cu.cuMemAlloc_v2(&p, 64), CUDA_ERROR_INVALID_CONTEXT);
  }).join();
}

TEST_F(Faults, CountersForLeakChecks) {
  long long allocations_before = live("allocations"), bytes_before = live("bytes"), events_before = live("events");
  long long calls_before = cu.simcuda_control("calls", "cuMemAlloc_v2");
  CUdeviceptr p = 0;
  CUevent event = nullptr;
  CHECK_CU(cu.cuMemAlloc_v2(&p, 1000));
  CHECK_CU(cu.cuEventCreate(&event, 0));
  EXPECT_EQ(live("allocations"), allocations_before + 1);
  EXPECT_EQ(live("bytes"), bytes_before + 1024);
  EXPECT_EQ(live("events"), events_before + 1);
  EXPECT_EQ(cu.simcuda_control("calls", "cuMemAlloc_v2"), calls_before + 1);
  EXPECT_EQ(live("nothing"), -1);
  CHECK_CU(cu.cuMemFree_v2(p));
  CHECK_CU(cu.cuEventDestroy_v2(event));
  EXPECT_EQ(live("allocations"), allocations_before);
}

}  // namespace
}  // namespace simcuda_test
