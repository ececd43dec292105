// What a kernel may do: indices, shared memory, barriers, warps, atomics, mathematics, arguments; and what NVRTC
// refuses. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numeric>

#include "test/driver.h"

namespace simcuda_test {
namespace {

class Kernels : public Device {};

TEST_F(Kernels, OneStructArgument) {
  CUfunction saxpy = load(R"(
    struct Args { float* out; const float* in; float a; long long n; };
    extern "C" __global__ void __launch_bounds__(256) saxpy(const Args args) {
      long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
      if (i < args.n) args.out[i] = args.a * args.in[i] + 1.0f;
    })",
                          "saxpy");
  struct {
    CUdeviceptr out, in;
    float a;
    long long n;
  } args{allocate(4000), upload(std::vector<float>(1000, 3.0f)), 2.0f, 1000};
  CHECK_CU(launch(saxpy, 4, 256, 0, stream, args));
  for (float value : download<float>(args.out, 1000)) ASSERT_EQ(value, 7.0f);
  int threads = 0;
  CHECK_CU(cu.cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, saxpy));
  EXPECT_EQ(threads, 256);
}

TEST_F(Kernels, LargeArguments) {
  struct Large {
    CUdeviceptr out;
    int values[500];
  } large{allocate(2000), {}};
  for (int i = 0; i < 500; ++i) large.values[i] = i * i;
  CUfunction f = load(R"(
    struct Large { int* out; int values[500]; };
    extern "C" __global__ void spread(const Large large, int plus) {
      for (int i = threadIdx.x; i < 500; i += blockDim.x) large.out[i] = large.values[i] + plus;
    })",
                      "spread");
  CHECK_CU(launch(f, 1, 64, 0, stream, large, 7));
  std::vector<int> got = download<int>(large.out, 500);
  for (int i = 0; i < 500; ++i) ASSERT_EQ(got[i], i * i + 7);
}

TEST_F(Kernels, IndicesInThreeDimensions) {
  CUfunction f = load(R"(
    extern "C" __global__ void indices(unsigned* out) {
      unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
      unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
      unsigned i = block * blockDim.x * blockDim.y * blockDim.z + thread;
      out[i] = blockIdx.x | blockIdx.y << 4 | blockIdx.z << 8 | threadIdx.x << 12 | threadIdx.y << 16 | threadIdx.z << 20;
    })",
                      "indices");
  CUdeviceptr out = allocate(2 * 3 * 2 * 4 * 2 * 3 * 4);
  void* args[] = {&out};
  CHECK_CU(cu.cuLaunchKernel(f, 2, 3, 2, 4, 2, 3, 0, stream, args, nullptr));
  std::vector<unsigned> got = download<unsigned>(out, 2 * 3 * 2 * 4 * 2 * 3);
  for (unsigned i = 0; i < got.size(); ++i) {
    unsigned block = i / 24, thread = i % 24;
    ASSERT_EQ(got[i], (block % 2) | (block / 2 % 3) << 4 | (block / 6) << 8 | (thread % 4) << 12 |
                          (thread / 4 % 2) << 16 | (thread / 8) << 20);
  }
}

const char* const kReduce = R"(
  template <class T> __device__ __forceinline__ T warp_sum(T v) {
    #pragma unroll
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
  }
  extern "C" __global__ void reduce(float* out, const float* in, int n) {
    __shared__ float partial[32];
    extern __shared__ __align__(16) float stage[];
    float v = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) v += in[blockIdx.x * n + i];
    stage[threadIdx.x] = v;
    __syncthreads();
    v = warp_sum(stage[blockDim.x - 1 - threadIdx.x]);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
      v = warp_sum(threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.0f);
      if (threadIdx.x == 0) out[blockIdx.x] = v;
    }
  })";

TEST_F(Kernels, SharedMemoryBarriersAndShuffles) {
  CUfunction f = load(kReduce, "reduce");
  std::vector<float> values(8 * 1000);
  std::iota(values.begin(), values.end(), 0.0f);
  CUdeviceptr in = upload(values), out = allocate(8 * 4);
  for (unsigned block : {64u, 256u, 1024u}) {
    CHECK_CU(launch(f, 8, block, block * 4, stream, out, in, 1000));
    std::vector<float> got = download<float>(out, 8);
    for (int row = 0; row < 8; ++row) ASSERT_NEAR(got[row], 1000.0 * (row * 1000 + 499.5), 1000.0) << block;
  }
}

TEST_F(Kernels, WarpOperations) {
  CUfunction f = load(R"(
    extern "C" __global__ void warps(unsigned* out) {
      unsigned t = threadIdx.x, all = 0xffffffffu;
      out[t] = __shfl_sync(all, t, 5);
      out[64 + t] = __shfl_up_sync(all, t, 3);
      out[128 + t] = __shfl_xor_sync(all, t, 7);
      out[192 + t] = __shfl_down_sync(all, t, 2, 8);
      out[256 + t] = __ballot_sync(all, t % 3 == 0);
      out[320 + t] = __any_sync(all, t == 40) | __all_sync(all, t < 32) << 1;
      unsigned half = t % 32 < 16 ? 0xffffu : 0xffff0000u;
      out[384 + t] = __reduce_add_sync(half, t);
      unsigned long long wide = __shfl_xor_sync(all, 0x100000000ull * t, 1);
      out[448 + t] = static_cast<unsigned>(wide >> 32);
      out[512 + t] = __syncthreads_count(t < 10);
      out[576 + t] = __syncthreads_or(t == 63) | __syncthreads_and(t < 64) << 1;
    })",
                      "warps");
  CUdeviceptr out = allocate(640 * 4);
  CHECK_CU(launch(f, 1, 64, 0, stream, out));
  std::vector<unsigned> got = download<unsigned>(out, 640);
  for (unsigned t = 0; t < 64; ++t) {
    unsigned lane = t % 32, base = t - lane, ballot = 0, sum = 0;
    for (unsigned i = 0; i < 32; ++i) ballot |= ((base + i) % 3 == 0) << i;
    for (unsigned i = 0; i < 16; ++i) sum += base + (lane < 16 ? 0 : 16) + i;
    ASSERT_EQ(got[t], base + 5);
    ASSERT_EQ(got[64 + t], lane >= 3 ? t - 3 : t);
    ASSERT_EQ(got[128 + t], base + (lane ^ 7));
    ASSERT_EQ(got[192 + t], lane % 8 < 6 ? t + 2 : t);
    ASSERT_EQ(got[256 + t], ballot);
    ASSERT_EQ(got[320 + t], base == 32 ? 1u : 2u);
    ASSERT_EQ(got[384 + t], sum);
    ASSERT_EQ(got[448 + t], t ^ 1);
    ASSERT_EQ(got[512 + t], 10u);
    ASSERT_EQ(got[576 + t], 3u);
  }
}

TEST_F(Kernels, Atomics) {
  CUfunction f = load(R"(
    extern "C" __global__ void count(int* sum, float* real, unsigned long long* most, unsigned* bits) {
      atomicAdd(sum, 1);
      atomicAdd(real, 0.5f);
      atomicMax(most, static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x);
      atomicOr(bits, 1u << (threadIdx.x % 32));
      if (threadIdx.x == 0) atomicCAS(bits + 1, 0u, 7u);
    })",
                      "count");
  CUdeviceptr p = allocate(64);
  CHECK_CU(cu.cuMemsetD8Async(p, 0, 64, stream));
  CHECK_CU(launch(f, 10, 100, 0, stream, p, p + 8, p + 16, p + 24));
  std::vector<char> got = download<char>(p, 64);
  EXPECT_EQ(*reinterpret_cast<int*>(&got[0]), 1000);
  EXPECT_EQ(*reinterpret_cast<float*>(&got[8]), 500.0f);
  EXPECT_EQ(*reinterpret_cast<unsigned long long*>(&got[16]), 999u);
  EXPECT_EQ(*reinterpret_cast<unsigned*>(&got[24]), 0xffffffffu);
  EXPECT_EQ(*reinterpret_cast<unsigned*>(&got[28]), 7u);
}

TEST_F(Kernels, MathematicsAndVectors) {
  CUfunction f = load(R"(
    extern "C" __global__ void numbers(float4* out, double* wide, unsigned* whole) {
      float x = 0.5f + threadIdx.x;
      out[0] = make_float4(expf(x), tanhf(x), erff(x), rsqrtf(x));
      out[1] = make_float4(fmaxf(x, 2.0f), __fmaf_rn(x, 2.0f, 1.0f), powf(x, 3.0f), log1pf(x));
      wide[0] = exp(0.5);
      wide[1] = max(1.0, 2.5);
      whole[0] = __float_as_uint(1.0f);
      whole[1] = __umulhi(0x80000000u, 6u);
      whole[2] = static_cast<unsigned>(__double_as_longlong(1.0) >> 32);
      whole[3] = __popc(0xf0f0u) + __clz(1) + __ffs(8);
      whole[4] = static_cast<unsigned>(__float2int_rn(2.5f) + __float2int_rz(-3.7f) + 100);
      whole[5] = isnan(__uint_as_float(0x7fc00000u)) ? min(3, 4) : 0;
      whole[6] = __byte_perm(0x33221100u, 0x77665544u, 0x7410u);
      whole[7] = static_cast<unsigned>(__float2int_rz(1e20f)) + static_cast<unsigned>(__float2int_rz(__uint_as_float(0x7fc00000u)));
    })",
                      "numbers");
  CUdeviceptr out = allocate(32), wide = allocate(16), whole = allocate(32);
  CHECK_CU(launch(f, 1, 1, 0, stream, out, wide, whole));
  std::vector<float> reals = download<float>(out, 8);
  const float expected[] = {std::exp(0.5f), std::tanh(0.5f), std::erf(0.5f),  1 / std::sqrt(0.5f), 2.0f,
                            2.0f,           0.125f,          std::log1p(0.5f)};
  for (int i = 0; i < 8; ++i) EXPECT_NEAR(reals[i], expected[i], 1e-6f) << i;
  EXPECT_NEAR(download<double>(wide, 2)[0], std::exp(0.5), 1e-15);
  EXPECT_EQ(download<double>(wide, 2)[1], 2.5);
  EXPECT_EQ(download<unsigned>(whole, 8),
            (std::vector<unsigned>{0x3f800000u, 3, 0x3ff00000u, 8 + 31 + 4, 99, 3, 0x77441100u, 0x7fffffffu}));
}

TEST_F(Kernels, GlobalsAndConstants) {
  std::vector<char> cubin = compile(R"(
    __constant__ float table[4];
    __device__ int counter = 5;
    extern "C" __global__ void use(float* out) { out[threadIdx.x] = table[threadIdx.x] + counter; })");
  CUmodule module = nullptr;
  CHECK_CU(cu.cuModuleLoadDataEx(&module, cubin.data(), 0, nullptr, nullptr));
  modules.push_back(module);
  CUfunction f = nullptr;
  CHECK_CU(cu.cuModuleGetFunction(&f, module, "use"));
  CUdeviceptr table = 0, out = allocate(16);
  size_t bytes = 0;
  CHECK_CU(cu.cuModuleGetGlobal_v2(&table, &bytes, module, "table"));
  EXPECT_EQ(bytes, 16u);
  const float values[] = {1, 2, 3, 4};
  CHECK_CU(cu.cuMemcpyHtoDAsync_v2(table, values, 16, stream));
  CHECK_CU(launch(f, 1, 4, 0, stream, out));
  EXPECT_EQ(download<float>(out, 4), (std::vector<float>{6, 7, 8, 9}));
  EXPECT_EQ(cu.cuModuleGetGlobal_v2(&table, &bytes, module, "absent"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cu.cuModuleGetFunction(&f, module, "absent"), CUDA_ERROR_NOT_FOUND);
}

TEST_F(Kernels, NamedByExpressions) {
  const char* const text = R"(
    namespace own { template <class T, int n> __global__ void set(T* out, T value) { for (int i = 0; i < n; ++i) out[i] = value; } }
    __global__ void plain(int* out) { out[0] = 9; })";
  const char* const name = "own::set<int, 3>";
  nvrtcProgram program = nullptr;
  ASSERT_EQ(cu.nvrtcCreateProgram(&program, text, "named.cu", 0, nullptr, nullptr), NVRTC_SUCCESS);
  ASSERT_EQ(cu.nvrtcAddNameExpression(program, name), NVRTC_SUCCESS);
  ASSERT_EQ(cu.nvrtcAddNameExpression(program, "plain"), NVRTC_SUCCESS);
  const char* lowered[2] = {};
  EXPECT_EQ(cu.nvrtcGetLoweredName(program, name, &lowered[0]), NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
  const char* const options[] = {"--gpu-architecture=compute_75", "--std=c++17"};
  ASSERT_EQ(cu.nvrtcCompileProgram(program, 2, options), NVRTC_SUCCESS);
  EXPECT_EQ(cu.nvrtcAddNameExpression(program, "late"), NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
  EXPECT_EQ(cu.nvrtcGetLoweredName(program, "late", &lowered[0]), NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
  ASSERT_EQ(cu.nvrtcGetLoweredName(program, name, &lowered[0]), NVRTC_SUCCESS);
  ASSERT_EQ(cu.nvrtcGetLoweredName(program, "plain", &lowered[1]), NVRTC_SUCCESS);
  size_t bytes = 0;
  ASSERT_EQ(cu.nvrtcGetPTXSize(program, &bytes), NVRTC_SUCCESS);
  std::vector<char> ptx(bytes);
  ASSERT_EQ(cu.nvrtcGetPTX(program, ptx.data()), NVRTC_SUCCESS);
  CUmodule module = nullptr;
  CHECK_CU(cu.cuModuleLoadDataEx(&module, ptx.data(), 0, nullptr, nullptr));
  CUfunction set = nullptr, plain = nullptr;
  CHECK_CU(cu.cuModuleGetFunction(&set, module, lowered[0]));
  CHECK_CU(cu.cuModuleGetFunction(&plain, module, lowered[1]));
  CUfunction absent = nullptr;
  EXPECT_NE(cu.cuModuleGetFunction(&absent, module, name), CUDA_SUCCESS);
  EXPECT_EQ(cu.nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
  CUdeviceptr out = allocate(12);
  CHECK_CU(launch(set, 1, 1, 0, stream, out, 5));
  CHECK_CU(launch(plain, 1, 1, 0, stream, out));
  EXPECT_EQ(download<int>(out, 3), (std::vector<int>{9, 5, 5}));
  CHECK_CU(cu.cuModuleUnload(module));
}

TEST_F(Kernels, WhatNvrtcRefuses) {
  nvrtcResult result = 0;
  std::string log;
  const char* good = "extern \"C\" __global__ void k(float* p) { *p = 1.0f; }";
  compile("extern \"C\" __global__ void k(float* p) { *p = nowhere(1.0f); }", &result, &log);
  EXPECT_EQ(result, NVRTC_ERROR_COMPILATION);
  EXPECT_NE(log.find("nowhere"), std::string::npos) << log;
  EXPECT_NE(log.find("test.cu"), std::string::npos) << log;
  compile("#include <cstdint>\nextern \"C\" __global__ void k(float* p) { *p = 1.0f; }", &result, &log);
  EXPECT_EQ(result, NVRTC_ERROR_COMPILATION) << log;
  compile("extern \"C\" __global__ void k(uint32_t* p) { *p = 1; }", &result, &log);
  EXPECT_EQ(result, NVRTC_ERROR_COMPILATION) << log;
  compile("extern \"C\" __global__ void k(float* p) { *p = INFINITY; }", &result, &log);
  EXPECT_EQ(result, NVRTC_ERROR_COMPILATION) << log;
  compile("extern \"C\" __global__ void k(float* p) { *p = static_cast<float>(_Float16(1)); }", &result, &log);
  EXPECT_EQ(result, NVRTC_ERROR_COMPILATION) << log;
  compile(good, &result, &log, {"--std=c++17", "--no-such-option"});
  EXPECT_EQ(result, NVRTC_ERROR_INVALID_OPTION) << log;
  compile(good, &result, &log, {"--std=c++17", "-arch=sm_999"});
  EXPECT_EQ(result, NVRTC_ERROR_INVALID_OPTION) << log;
  compile(good, &result, &log, {"--std=c++17"});
  EXPECT_EQ(result, NVRTC_SUCCESS) << log;
  if (cu.simulated()) {
    compile(good, &result, &log, {});
    EXPECT_EQ(result, NVRTC_ERROR_COMPILATION);
    EXPECT_NE(log.find("--std"), std::string::npos);
  }
}

// What texts have in common before they use a namespace is read once; each is still a text of its own.
TEST_F(Kernels, OfACommonBeginning) {
  const std::string common = "namespace common {\n__device__ int twice(int x) {\n  return 2 * x;\n}\n}\n";
  CUdeviceptr out = allocate(4);
  for (const int more : {1, 2, 3}) {
    const std::string own = "using namespace common;\nextern \"C\" __global__ void k(int* p) { *p = twice(20) + " +
                            std::to_string(more) + "; }\n";
    CHECK_CU(launch(load(common + own, "k"), 1, 1, 0, stream, out));
    EXPECT_EQ(download<int>(out, 1)[0], 40 + more);
  }
  nvrtcResult result = 0;
  std::string log;
  compile(common + "using namespace common;\n\nextern \"C\" __global__ void k(int* p) { *p = nowhere(1); }\n", &result,
          &log);
  EXPECT_EQ(result, NVRTC_ERROR_COMPILATION);
  EXPECT_NE(log.find(cu.simulated() ? "test.cu:8:" : "test.cu(8)"), std::string::npos) << log;
  compile("namespace common {\n int two = nowhere(2);\n}\nusing namespace common;\n", &result, &log);
  EXPECT_EQ(result, NVRTC_ERROR_COMPILATION);
  EXPECT_NE(log.find(cu.simulated() ? "test.cu:2:" : "test.cu(2)"), std::string::npos) << log;
}

TEST_F(Kernels, LaunchesThatAreRefused) {
  CUfunction f = load("extern \"C\" __global__ void k(float* p) { *p = 1.0f; }", "k");
  CUdeviceptr p = allocate(4);
  EXPECT_EQ(launch(f, 1, 2048, 0, stream, p), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(f, 0, 32, 0, stream, p), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(f, 1, 32, 100 << 10, stream, p), CUDA_ERROR_INVALID_VALUE);
  CHECK_CU(cu.cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100 << 10));
  EXPECT_EQ(launch(f, 1, 32, 100 << 10, stream, p), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20),
            CUDA_ERROR_INVALID_VALUE);
}

// Static and dynamic shared memory count together, against 48 KiB and then against what the device has on request.
class SharedMemory : public Kernels, private Comparison {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    Kernels::SetUp();
  }
  // The number of answers that are not the expected ones; `expected` is what a block may ask for, 0 for any number.
  int differences(int expected) {
    CUfunction f = load(R"(
      extern "C" __global__ void shared(float* p) {
        __shared__ float mine[32], others[64];
        extern __shared__ float more[];
        mine[threadIdx.x] = others[threadIdx.x] = others[32 + threadIdx.x] = more[threadIdx.x] = 1.0f;
        __syncthreads();
        if (threadIdx.x == 0) *p = mine[1] + others[2] + others[33] + more[3];
      }
      extern "C" __global__ void beside(float* p) {
        __shared__ float mine[8];
        mine[threadIdx.x % 8] = 1.0f;
        __syncthreads();
        if (threadIdx.x == 0) *p = mine[1];
      })",
                        "shared"),
               beside = nullptr;
    expect("cuModuleGetFunction", cu.cuModuleGetFunction(&beside, modules.back(), "beside"), 0);
    CUdeviceptr p = allocate(4);
    int most = 0, plain = 0, bytes = 0;
    cu.cuDeviceGetAttribute(&plain, static_cast<CUdevice_attribute>(8), 0);
    cu.cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0);
    expect("shared memory per block", plain, 48 << 10);
    if (expected != 0) expect("shared memory per block on request", most, expected);
    cu.cuFuncGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f);
    expect("static bytes", bytes, 384);
    expect("all of 48 KiB", launch(f, 1, 32, static_cast<unsigned>(plain - 384), stream, p), 0);
    expect("a byte more", launch(f, 1, 32, static_cast<unsigned>(plain - 383), stream, p), CUDA_ERROR_INVALID_VALUE);
    cu.cuFuncGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, beside);
    expect("static bytes of the kernel beside", bytes, 32);
    expect("its 48 KiB", launch(beside, 1, 32, static_cast<unsigned>(plain - 32), stream, p), 0);
    const auto set = [&](int value) {
      return cu.cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, value);
    };
    expect("on request, a byte too many", set(most - 383), CUDA_ERROR_INVALID_VALUE);
    expect("refused, it stays as it is", launch(f, 1, 32, static_cast<unsigned>(plain - 383), stream, p),
           CUDA_ERROR_INVALID_VALUE);
    expect("on request", set(most - 384), 0);
    cu.cuFuncGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f);
    expect("the dynamic part now", bytes, most - 384);
    expect("all of it", launch(f, 1, 32, static_cast<unsigned>(most - 384), stream, p), 0);
    expect("a byte more", launch(f, 1, 32, static_cast<unsigned>(most - 383), stream, p), CUDA_ERROR_INVALID_VALUE);
    expect("the result", static_cast<int>(download<float>(p, 1)[0]), 4);
    return differences_;
  }
};

TEST_F(SharedMemory, StaticAndDynamicTogether) {
  EXPECT_EQ(differences(0), 0);
}

TEST_F(SharedMemory, OfEachArchitecture) {
  ONLY_SIMULATED();
  const std::pair<const char*, int> devices[] = {{"75", 64},  {"80", 163},  {"86", 99}, {"89", 99},
                                                 {"90", 227}, {"100", 227}, {"120", 99}};
  for (const auto& [arch, kilobytes] : devices) {
    // The setting is read once in a process; the child begins anew.
    setenv("SIMCUDA_ARCH", arch, 1);
    EXPECT_EXIT(std::exit(differences(kilobytes << 10) == 0 ? 0 : 1), testing::ExitedWithCode(0), "") << "sm_" << arch;
  }
  unsetenv("SIMCUDA_ARCH");
}

}  // namespace
}  // namespace simcuda_test
