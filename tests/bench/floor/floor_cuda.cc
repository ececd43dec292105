// The floor on cuda: libcuda and NVRTC opened by the benchmark itself, not through Rondo; see floor.h. Only the list of
// signatures is shared with the library (src/dynlib/*.def).
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "../handles.h"
#include "dynlib/cuda_types.h"
#include "floor.h"

namespace bench {
namespace {

using namespace rondo::cuda;

// An already loaded library of that name, so that floor and Rondo use the same one, else what the loader finds.
void* open_first(std::initializer_list<const char*> names) {
  for (const int flags : {RTLD_NOW | RTLD_NOLOAD, RTLD_NOW}) {
    for (const char* name : names) {
      if (void* library = dlopen(name, flags)) return library;
    }
  }
  throw std::runtime_error(std::string("the floor needs ") + *names.begin() + ", which the loader does not find");
}

struct Driver {
#define RONDO_FN(result, name, parameters, since) result(*name) parameters = nullptr;
#include "dynlib/driver.def"
#undef RONDO_FN
  CUresult (*cuMemAllocAsync)(CUdeviceptr* address, size_t bytes, CUstream stream) = nullptr;
  CUresult (*cuMemFreeAsync)(CUdeviceptr address, CUstream stream) = nullptr;

  Driver() {
    void* library = open_first({"libcuda.so.1"});
#define RONDO_FN(result, name, parameters, since) name = reinterpret_cast<decltype(name)>(dlsym(library, #name));
#include "dynlib/driver.def"
#undef RONDO_FN
    cuMemAllocAsync = reinterpret_cast<decltype(cuMemAllocAsync)>(dlsym(library, "cuMemAllocAsync"));
    cuMemFreeAsync = reinterpret_cast<decltype(cuMemFreeAsync)>(dlsym(library, "cuMemFreeAsync"));
  }
};

struct Nvrtc {
#define RONDO_FN(result, name, parameters, since) result(*name) parameters = nullptr;
#include "dynlib/nvrtc.def"
#undef RONDO_FN
  Nvrtc() {
    int32_t available = 0;
    rondo_feature("nvrtc", &available, nullptr);  // makes Rondo load it from wherever it found it
    void* library =
        open_first({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so.11.1", "libnvrtc.so.11.0"});
#define RONDO_FN(result, name, parameters, since) name = reinterpret_cast<decltype(name)>(dlsym(library, #name));
#include "dynlib/nvrtc.def"
#undef RONDO_FN
  }
};

const Driver& driver() {
  static const Driver table;
  return table;
}

// A function is absent (null) in a driver older than it.
#define FLOOR_CALL(function, ...)                                                                \
  do {                                                                                           \
    if (driver().function == nullptr) throw std::runtime_error("this driver has no " #function); \
    if (const CUresult r = driver().function(__VA_ARGS__); r != CUDA_SUCCESS) {                  \
      throw std::runtime_error("the floor's " #function " returned " + std::to_string(r));       \
    }                                                                                            \
  } while (false)

constexpr int kMaxBranches = 8;

const char kSource[] = R"(
extern "C" __global__ void add(const float* a, const float* b, float* c, long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
)";

std::vector<char> compile(int capability) {
  const Nvrtc nvrtc;
  const auto demand = [](nvrtcResult result, const char* call) {
    if (result != NVRTC_SUCCESS)
      throw std::runtime_error(std::string("the floor's ") + call + " returned " + std::to_string(result));
  };
  if (nvrtc.nvrtcGetCUBIN == nullptr)
    throw std::runtime_error("the floor needs an NVRTC that makes cubins (11.1 or newer)");
  const std::string arch = "--gpu-architecture=sm_" + std::to_string(capability);
  const char* options[] = {arch.c_str(), "--std=c++14"};
  nvrtcProgram program = nullptr;
  demand(nvrtc.nvrtcCreateProgram(&program, kSource, "floor.cu", 0, nullptr, nullptr), "nvrtcCreateProgram");
  if (nvrtc.nvrtcCompileProgram(program, 2, options) != NVRTC_SUCCESS) {
    size_t length = 0;
    nvrtc.nvrtcGetProgramLogSize(program, &length);
    std::string log(length, '\0');
    nvrtc.nvrtcGetProgramLog(program, log.data());
    throw std::runtime_error("the floor's kernel did not compile: " + log.substr(0, log.find_last_not_of('\0') + 1));
  }
  size_t bytes = 0;
  demand(nvrtc.nvrtcGetCUBINSize(program, &bytes), "nvrtcGetCUBINSize");
  std::vector<char> cubin(bytes);
  demand(nvrtc.nvrtcGetCUBIN(program, cubin.data()), "nvrtcGetCUBIN");
  nvrtc.nvrtcDestroyProgram(&program);
  return cubin;
}

// The process's one context on the device and the kernel in it. Never released: it lives as long as the benchmark.
struct Card {
  CUcontext context = nullptr;
  CUfunction kernel = nullptr;

  explicit Card(int ordinal) {
    CUdevice device = 0;
    FLOOR_CALL(cuInit, 0);
    FLOOR_CALL(cuDeviceGet, &device, ordinal);
    FLOOR_CALL(cuDevicePrimaryCtxRetain, &context, device);
    FLOOR_CALL(cuCtxSetCurrent, context);
    rondo_device_info info = RONDO_DEVICE_INFO_INIT;
    BENCH_CHECK(rondo_device_query(rondo_device{RONDO_CUDA, ordinal}, &info));
    const std::vector<char> cubin = compile(info.capability);
    CUmodule module = nullptr;
    FLOOR_CALL(cuModuleLoadDataEx, &module, cubin.data(), 0, nullptr, nullptr);
    FLOOR_CALL(cuModuleGetFunction, &kernel, module, "add");
  }
};

class CudaFloor final : public Floor {
 public:
  explicit CudaFloor(const Card& card) : card_(card) {
    enter();
    FLOOR_CALL(cuStreamCreateWithPriority, &stream_, CU_STREAM_NON_BLOCKING, 0);
    FLOOR_CALL(cuEventCreate, &event_, CU_EVENT_DISABLE_TIMING);
    for (CUdeviceptr& operand : operands_) FLOOR_CALL(cuMemAlloc_v2, &operand, kElements * sizeof(float));
    for (const CUdeviceptr operand : operands_) FLOOR_CALL(cuMemsetD32Async, operand, 0, kElements, stream_);
    wait();
  }
  ~CudaFloor() override {
    driver().cuCtxSetCurrent(card_.context);
    driver().cuStreamSynchronize(stream_);
    for (const CUdeviceptr operand : operands_) driver().cuMemFree_v2(operand);
    for (const CUdeviceptr each : copied_) driver().cuMemFree_v2(each);
    driver().cuEventDestroy_v2(event_);
    driver().cuStreamDestroy_v2(stream_);
  }

  void add() override {
    enter();
    launch(operands_[0], operands_[1], operands_[2], stream_);
  }

  void add_new() override {
    enter();
    CUdeviceptr fresh = 0;
    FLOOR_CALL(cuMemAllocAsync, &fresh, kElements * sizeof(float), stream_);
    launch(operands_[0], operands_[1], fresh, stream_);
    FLOOR_CALL(cuMemFreeAsync, fresh, stream_);
  }

  void copy(size_t bytes) override {
    enter();
    if (copied_bytes_ < bytes) {
      wait();
      for (CUdeviceptr& each : copied_) {
        driver().cuMemFree_v2(each);
        each = 0;
        FLOOR_CALL(cuMemAlloc_v2, &each, bytes);
      }
      copied_bytes_ = bytes;
    }
    FLOOR_CALL(cuMemcpyDtoDAsync_v2, copied_[1], copied_[0], bytes, stream_);
  }

  void wait() override {
    enter();
    FLOOR_CALL(cuEventRecord, event_, stream_);
    FLOOR_CALL(cuEventSynchronize, event_);
  }

  std::unique_ptr<FloorGraph> graph(int nodes, int branches, bool to_change) override {
    enter();
    return std::make_unique<Captured>(*this, nodes, branches, to_change);
  }

 private:
  struct Captured final : FloorGraph {
    // Nothing but capture and instantiation for one branch, as this is also the floor of recording. Fork by an event
    // into one stream per branch, capture the chains, join by an event each.
    Captured(CudaFloor& floor, int nodes, int branches, bool to_change) : floor(floor) {
      if (branches > kMaxBranches) throw std::runtime_error("the floor has no more than 8 branches");
      std::vector<CUstream> side;
      std::vector<CUevent> events(1);
      FLOOR_CALL(cuEventCreate, &events[0], CU_EVENT_DISABLE_TIMING);
      for (int i = 1; i < branches; ++i) {
        FLOOR_CALL(cuStreamCreateWithPriority, &side.emplace_back(), CU_STREAM_NON_BLOCKING, 0);
        FLOOR_CALL(cuEventCreate, &events.emplace_back(), CU_EVENT_DISABLE_TIMING);
      }
      FLOOR_CALL(cuStreamBeginCapture_v2, floor.stream_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
      FLOOR_CALL(cuEventRecord, events[0], floor.stream_);
      for (int branch = 0; branch < branches; ++branch) {
        const CUstream stream = branch == 0 ? floor.stream_ : side[branch - 1];
        if (branch > 0) FLOOR_CALL(cuStreamWaitEvent, stream, events[0], 0);
        const int length = nodes / branches + (branch < nodes % branches ? 1 : 0);
        for (int i = 0; i < length; ++i)
          floor.launch(floor.operands_[2 + branch], floor.operands_[1], floor.operands_[2 + branch], stream);
        if (branch > 0) FLOOR_CALL(cuEventRecord, events[branch], stream);
      }
      for (int branch = 1; branch < branches; ++branch) FLOOR_CALL(cuStreamWaitEvent, floor.stream_, events[branch], 0);
      FLOOR_CALL(cuStreamEndCapture, floor.stream_, &graph);
      FLOOR_CALL(cuGraphInstantiateWithFlags, &exec, graph, 0);
      // Drivers hang over the upload of a graph with branches (docs/driver-faults.md).
      if (branches == 1) FLOOR_CALL(cuGraphUpload, exec, floor.stream_);
      if (to_change) {
        size_t count = 0;
        FLOOR_CALL(cuGraphGetNodes, graph, nullptr, &count);
        changed.resize(count);
        FLOOR_CALL(cuGraphGetNodes, graph, changed.data(), &count);
      } else {
        driver().cuGraphDestroy(graph);
        graph = nullptr;
      }
      for (const CUstream stream : side) driver().cuStreamDestroy_v2(stream);
      for (const CUevent event : events) driver().cuEventDestroy_v2(event);
    }
    ~Captured() override {
      driver().cuCtxSetCurrent(floor.card_.context);
      driver().cuStreamSynchronize(floor.stream_);
      driver().cuGraphExecDestroy(exec);
      if (graph) driver().cuGraphDestroy(graph);
    }
    void launch() override { FLOOR_CALL(cuGraphLaunch, exec, floor.stream_); }
    void launch_changed() override {
      which = 1 - which;
      set(changed.front(), floor.operands_[3 + which], floor.operands_[2]);
      set(changed.back(), floor.operands_[2], floor.operands_[3 + which]);
      launch();
    }
    void set(CUgraphNode node, CUdeviceptr from, CUdeviceptr to) {
      long long n = kElements;
      void* parameters[] = {&from, &floor.operands_[1], &to, &n};
      CUDA_KERNEL_NODE_PARAMS with = {};
      with.func = floor.card_.kernel;
      with.gridDimX = kElements / 256, with.gridDimY = with.gridDimZ = 1;
      with.blockDimX = 256, with.blockDimY = with.blockDimZ = 1;
      with.kernelParams = parameters;
      FLOOR_CALL(cuGraphExecKernelNodeSetParams, exec, node, &with);
    }

    CudaFloor& floor;
    CUgraph graph = nullptr;  // if it is to be changed
    std::vector<CUgraphNode> changed;
    int which = 0;
    CUgraphExec exec = nullptr;
  };

  // The context is a property of the thread; setting the one that is current costs some nanoseconds, so it is set only
  // once.
  void enter() const {
    static thread_local CUcontext current = nullptr;
    if (current == card_.context) return;
    FLOOR_CALL(cuCtxSetCurrent, card_.context);
    current = card_.context;
  }

  // As many blocks as 1024 elements need at 256 threads.
  void launch(CUdeviceptr a, CUdeviceptr b, CUdeviceptr c, CUstream stream) const {
    long long n = kElements;
    void* parameters[] = {&a, &b, &c, &n};
    FLOOR_CALL(cuLaunchKernel, card_.kernel, kElements / 256, 1, 1, 256, 1, 1, 0, stream, parameters, nullptr);
  }

  const Card& card_;
  CUstream stream_ = nullptr;
  CUevent event_ = nullptr;
  CUdeviceptr copied_[2] = {};
  size_t copied_bytes_ = 0;
  CUdeviceptr operands_[2 + kMaxBranches] = {};  // a, b, then what each branch adds to; c is that of the first
};

}  // namespace

std::unique_ptr<Floor> make_cuda_floor(int ordinal) {
  static const Card card(ordinal);  // one device per run
  return std::make_unique<CudaFloor>(card);
}

}  // namespace bench
