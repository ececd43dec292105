// What the simulator's own tests share: the two libraries, opened as the product opens them, and small wrappers around
// common steps. The paths come from SIMCUDA_TEST_DRIVER and SIMCUDA_TEST_NVRTC: with a real libcuda there, the tests of
// plain CUDA behaviour run against it and show where the simulator differs. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "extra_types.h"

namespace simcuda_test {

using namespace rondo::cuda;

struct Api {
  void *driver = nullptr, *nvrtc = nullptr;
#define RONDO_FN(result, name, parameters, since) result(*name) parameters = nullptr;
#include "../../../src/dynlib/driver.def"
#include "../../../src/dynlib/nvrtc.def"
#include "extra.def"
#undef RONDO_FN
  long long (*simcuda_control)(const char*, const char*) = nullptr;
  const char* (*simcuda_report)(long long) = nullptr;
  long long (*simnvrtc_control)(const char*, const char*) = nullptr;

  bool simulated() const {
    return simcuda_control != nullptr;
  }
};

inline const Api& api() {
  static const Api* instance = [] {
    auto* made = new Api;
    const char *driver = std::getenv("SIMCUDA_TEST_DRIVER"), *nvrtc = std::getenv("SIMCUDA_TEST_NVRTC");
    if (driver == nullptr || nvrtc == nullptr) {
      std::fprintf(stderr, "SIMCUDA_TEST_DRIVER and SIMCUDA_TEST_NVRTC name the libraries to test\n");
      std::exit(2);
    }
    made->driver = dlopen(driver, RTLD_NOW | RTLD_LOCAL);
    if (made->driver == nullptr) std::fprintf(stderr, "%s\n", dlerror());
    made->nvrtc = dlopen(nvrtc, RTLD_NOW | RTLD_LOCAL);
    if (made->nvrtc == nullptr) std::fprintf(stderr, "%s\n", dlerror());
    if (made->driver == nullptr || made->nvrtc == nullptr) std::abort();
#define RONDO_FN(result, name, parameters, since) \
  made->name = reinterpret_cast<result(*) parameters>(dlsym(made->driver, #name));
#include "../../../src/dynlib/driver.def"
#include "extra.def"
#undef RONDO_FN
#define RONDO_FN(result, name, parameters, since) \
  made->name = reinterpret_cast<result(*) parameters>(dlsym(made->nvrtc, #name));
#include "../../../src/dynlib/nvrtc.def"
#undef RONDO_FN
    made->simcuda_control =
        reinterpret_cast<long long (*)(const char*, const char*)>(dlsym(made->driver, "simcuda_control"));
    made->simcuda_report = reinterpret_cast<const char* (*)(long long)>(dlsym(made->driver, "simcuda_report"));
    made->simnvrtc_control =
        reinterpret_cast<long long (*)(const char*, const char*)>(dlsym(made->nvrtc, "simnvrtc_control"));
    return made;
  }();
  return *instance;
}

#define CHECK_CU(call) ASSERT_EQ(call, CUDA_SUCCESS)

// A compiled kernel source. Fails the test with the log when it does not compile.
inline std::vector<char> compile(const std::string& source, nvrtcResult* result = nullptr, std::string* log = nullptr,
                                 std::vector<const char*> options = {"--std=c++17", "--fmad=false"}) {
  const Api& cu = api();
  static const std::string arch = [] {
    int major = 0, minor = 0;
    api().cuInit(0);
    api().cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0);
    api().cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0);
    return "--gpu-architecture=sm_" + std::to_string(major * 10 + minor);
  }();
  options.push_back(arch.c_str());
  std::string text = cu.simulated() ? source : "#define RONDO_SIMULATED 0\n" + source;
  nvrtcProgram program = nullptr;
  EXPECT_EQ(cu.nvrtcCreateProgram(&program, text.c_str(), "test.cu", 0, nullptr, nullptr), NVRTC_SUCCESS);
  nvrtcResult rc = cu.nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data());
  size_t bytes = 0;
  cu.nvrtcGetProgramLogSize(program, &bytes);
  std::string text_log(bytes, 0);
  cu.nvrtcGetProgramLog(program, text_log.data());
  if (result != nullptr)
    *result = rc;
  else
    EXPECT_EQ(rc, NVRTC_SUCCESS) << text_log;
  if (log != nullptr) *log = text_log;
  std::vector<char> cubin;
  if (rc == NVRTC_SUCCESS) {
    EXPECT_EQ(cu.nvrtcGetCUBINSize(program, &bytes), NVRTC_SUCCESS);
    cubin.resize(bytes);
    EXPECT_EQ(cu.nvrtcGetCUBIN(program, cubin.data()), NVRTC_SUCCESS);
  }
  cu.nvrtcDestroyProgram(&program);
  return cubin;
}

// A device with a stream, fresh for each test.
class Device : public ::testing::Test {
 protected:
  void SetUp() override {
    CHECK_CU(cu.cuInit(0));
    CHECK_CU(cu.cuDevicePrimaryCtxRetain(&context, 0));
    CHECK_CU(cu.cuCtxSetCurrent(context));
    CHECK_CU(cu.cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0));
    CHECK_CU(cu.cuStreamCreateWithPriority(&other, CU_STREAM_NON_BLOCKING, 0));
    if (cu.simulated()) cu.simcuda_control("clear-reports", nullptr);
  }
  void TearDown() override {
    if (cu.simulated()) {
      cu.simcuda_control("clear-faults", nullptr);
      cu.simcuda_control("resume", nullptr);
      cu.simcuda_control("restore-device", "0");
    }
    // Nothing may be freed under work in flight.
    EXPECT_EQ(cu.cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuStreamSynchronize(other), CUDA_SUCCESS);
    for (CUmodule module : modules) EXPECT_EQ(cu.cuModuleUnload(module), CUDA_SUCCESS);
    for (CUdeviceptr p : allocations) EXPECT_EQ(cu.cuMemFree_v2(p), CUDA_SUCCESS);
    for (void* p : pinned) EXPECT_EQ(cu.cuMemFreeHost(p), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuStreamDestroy_v2(stream), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuStreamDestroy_v2(other), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  }

  CUfunction load(const std::string& source, const char* name) {
    std::vector<char> cubin = compile(source);
    CUmodule module = nullptr;
    EXPECT_EQ(cu.cuModuleLoadDataEx(&module, cubin.data(), 0, nullptr, nullptr), CUDA_SUCCESS);
    modules.push_back(module);
    CUfunction function = nullptr;
    EXPECT_EQ(cu.cuModuleGetFunction(&function, module, name), CUDA_SUCCESS);
    return function;
  }
  CUdeviceptr allocate(size_t bytes) {
    CUdeviceptr p = 0;
    EXPECT_EQ(cu.cuMemAlloc_v2(&p, bytes), CUDA_SUCCESS);
    allocations.push_back(p);
    return p;
  }
  template <class T>
  T* allocate_pinned(size_t n) {
    void* p = nullptr;
    EXPECT_EQ(cu.cuMemHostAlloc(&p, n * sizeof(T), CU_MEMHOSTALLOC_PORTABLE), CUDA_SUCCESS);
    pinned.push_back(p);
    return static_cast<T*>(p);
  }
  template <class T>
  CUdeviceptr upload(const std::vector<T>& values) {
    CUdeviceptr p = allocate(values.size() * sizeof(T));
    EXPECT_EQ(cu.cuMemcpyHtoDAsync_v2(p, values.data(), values.size() * sizeof(T), stream), CUDA_SUCCESS);
    return p;
  }
  template <class T>
  std::vector<T> download(CUdeviceptr p, size_t n) {
    std::vector<T> values(n);
    EXPECT_EQ(cu.cuMemcpyDtoHAsync_v2(values.data(), p, n * sizeof(T), stream), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuStreamSynchronize(stream), CUDA_SUCCESS);
    return values;
  }
  template <class... Args>
  CUresult launch(CUfunction function, unsigned grid, unsigned block, unsigned shared, CUstream on, Args... arguments) {
    void* pointers[] = {&arguments..., nullptr};
    return cu.cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared, on, pointers, nullptr);
  }
  std::string last_report() const {
    long long n = cu.simcuda_control("reports", nullptr);
    return n > 0 ? cu.simcuda_report(n - 1) : "";
  }

  const Api& cu = api();
  CUcontext context = nullptr;
  CUstream stream = nullptr, other = nullptr;
  std::vector<CUmodule> modules;
  std::vector<CUdeviceptr> allocations;
  std::vector<void*> pinned;
};

inline const char* const kAddSource = R"(
  extern "C" __global__ void add(int* p, int value) { p[threadIdx.x] += value; })";

// For a child process, where a failed expectation would be lost: says what differs, and counts it.
class Comparison {
 protected:
  void expect(const char* what, int value, int expected) {
    if (value == expected) return;
    std::fprintf(stderr, "%s: %d, not %d\n", what, value, expected);
    ++differences_;
  }
  int differences_ = 0;
};

#define ONLY_SIMULATED() \
  if (!cu.simulated()) GTEST_SKIP() << "needs the simulated driver"

}  // namespace simcuda_test
