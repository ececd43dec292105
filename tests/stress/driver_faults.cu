// Asks a driver, without Rondo, whether it stands still over graphs of one shape (docs/driver-faults.md).
//
//   nvcc -O2 -std=c++17 -arch=native tests/stress/driver_faults.cu -o driver_faults -lcuda -lnvrtc
//   for i in 1 2 3 4 5 6 7 8; do ./driver_faults SHAPE --seed $i & done; wait
//
// SHAPE is one of
//   chain     conditional nodes; the graph and each body are one node behind the other; uploaded
//   body      the same, with work side by side in bodies that hold a conditional node
//   root      bodies are chains; the graph itself has branches, with conditional nodes on them
//   leaves    as root, with bodies that hold no conditional node side by side
//   branches  no conditional node; branches; not uploaded
//   upload    the same, uploaded
// Options: --threads N (4), --seconds S (20), --seed N (1), and what goes on meanwhile: --two-streams (launches go to
// two streams in turn), --memory (allocations), --modules (kernels that are compiled and loaded), --sync-destroy (a
// graph's last launch is waited for before it is destroyed).
//
// Graphs are captured, launched six times and destroyed, each of another form. Ends with 0, with 1 after an error, with
// 2 when a thread makes no progress for ten seconds.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cuda.h>
#include <cuda_runtime.h>
#include <nvrtc.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kStreams = 4, kBuffers = 12, kElements = 3000;

struct Options {
  std::string shape;
  int threads = 4;
  double seconds = 20;
  unsigned seed = 1;
  bool two_streams = false, memory = false, modules = false, sync_destroy = false;
};
Options options;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
const double begun = now();
std::atomic<long> launches{0}, graphs{0};

void check(cudaError_t result, const char* call, int line) {
  if (result == cudaSuccess) return;
  std::printf("%s seed %u: %s in line %d: %s, after %.1f s and %ld launches\n", options.shape.c_str(), options.seed,
              call, line, cudaGetErrorString(result), now() - begun, launches.load());
  std::fflush(stdout);
  _exit(1);
}
#define CHECK(call) check(call, #call, __LINE__)

__global__ void add_to(float* to, const float* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = to[i] * 0.5f + from[i];
}
// Needs memory of its own for each thread.
__global__ void shuffle(float* to, const float* from, int n) {
  float kept[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 64; ++k) kept[k] = from[(i + k) % n];
  float sum = 0;
  for (int k = 0; k < 64; ++k) sum += kept[(i * 7 + k * 5) & 63];
  if (i < n) to[i] = sum / 64;
}
__global__ void choose(cudaGraphConditionalHandle handle, const float* of, unsigned bodies, int* turns, int limit) {
  const unsigned number = static_cast<unsigned>(__float_as_int(of[0])) >> 7;
  if (turns) {
    if (limit > 0) *turns = limit;
    *turns -= 1;
    cudaGraphSetConditional(handle, *turns >= 0 ? 1 : 0);
  } else {
    cudaGraphSetConditional(handle, number % (bodies + 1));
  }
}

using Random = std::mt19937;
unsigned below(Random& random, unsigned bound) {
  return static_cast<unsigned>(random()) % bound;
}

class Worker {
 public:
  explicit Worker(unsigned seed) : seed_(seed) {
    for (cudaStream_t& each : launch_) CHECK(cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking));
    for (float*& each : buffers_) {
      CHECK(cudaMalloc(&each, kElements * sizeof(float)));
      CHECK(cudaMemsetAsync(each, 1, kElements * sizeof(float), launch_[0]));
    }
    CHECK(cudaMalloc(&turns_, kTurns * sizeof(int)));
    CHECK(cudaMemsetAsync(turns_, 0, kTurns * sizeof(int), launch_[0]));
    CHECK(cudaEventCreateWithFlags(&order_, cudaEventDisableTiming));
    CHECK(cudaStreamSynchronize(launch_[0]));  // not the device, of which other threads are capturing streams
    chooses_ = options.shape != "branches" && options.shape != "upload";
    uploads_ = options.shape == "upload" || options.shape == "chain";
    spread_ = options.shape != "chain" && options.shape != "body";
  }

  void round(long number) {
    Random random(seed_ + static_cast<unsigned>(number) * 2654435761U);
    if (options.modules && number % 16 == 0) load_kernel(random);
    void* memory = nullptr;
    if (options.memory) CHECK(cudaMalloc(&memory, 4096 << below(random, 12)));
    cudaStream_t streams[kStreams];
    for (cudaStream_t& each : streams) CHECK(cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking));
    cudaGraph_t graph = capture(random, streams);
    cudaGraphExec_t exec = nullptr;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    if (uploads_) CHECK(cudaGraphUpload(exec, streams[0]));
    CHECK(cudaStreamSynchronize(streams[0]));
    for (cudaStream_t& each : streams) CHECK(cudaStreamDestroy(each));
    for (int i = 0; i < 6; ++i) {
      const int on = options.two_streams ? i % 2 : 0;
      if (options.two_streams) {
        CHECK(cudaEventRecord(order_, launch_[1 - on]));
        CHECK(cudaStreamWaitEvent(launch_[on], order_, 0));
      }
      CHECK(cudaGraphLaunch(exec, launch_[on]));
      ++launches;
    }
    if (options.sync_destroy || chooses_) {
      for (cudaStream_t each : launch_) CHECK(cudaStreamSynchronize(each));
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    if (memory) CHECK(cudaFree(memory));
    for (cudaStream_t each : launch_) CHECK(cudaStreamSynchronize(each));
    ++graphs;
  }

 private:
  static constexpr int kTurns = 256;
  struct Body {
    cudaGraph_t graph;
    int depth;
    int* turns;                         // of a loop: what it counts down
    cudaGraphConditionalHandle handle;  // of a loop
  };

  void load_kernel(Random& random) {
    const std::string text = "extern \"C\" __global__ void fresh(float* to, const float* from, int n) { int i = blockIdx.x "
                             "* blockDim.x + threadIdx.x; if (i < n) to[i] = from[i] * 0.5f + " +
                             std::to_string(below(random, 1000000)) + "e-6f; }";
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    const std::string architecture =
        "--gpu-architecture=sm_" + std::to_string(properties.major * 10 + properties.minor);
    const char* flags[] = {architecture.c_str()};
    nvrtcProgram program;
    size_t bytes = 0;
    if (nvrtcCreateProgram(&program, text.c_str(), "fresh.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS ||
        nvrtcCompileProgram(program, 1, flags) != NVRTC_SUCCESS || nvrtcGetCUBINSize(program, &bytes) != NVRTC_SUCCESS)
      return;
    std::vector<char> cubin(bytes);
    nvrtcGetCUBIN(program, cubin.data());
    nvrtcDestroyProgram(&program);
    CUmodule module = nullptr;
    if (cuModuleLoadData(&module, cubin.data()) != CUDA_SUCCESS) return;
    cuModuleGetFunction(&fresh_, module, "fresh");
  }

  void work(Random& random, cudaStream_t stream) {
    float* const to = buffers_[below(random, kBuffers)];
    const float* const from = buffers_[below(random, kBuffers)];
    int n = kElements;
    switch (below(random, 6)) {
      case 0: CHECK(cudaMemsetAsync(to, 0, 1024, stream)); return;
      case 1: CHECK(cudaMemcpyAsync(to, to + 1024, 1024, cudaMemcpyDeviceToDevice, stream)); return;
      case 2: shuffle<<<12, 256, 0, stream>>>(to, from, n); return;
      case 3:
        if (fresh_) {
          void* arguments[] = {const_cast<float**>(&to), const_cast<float**>(&from), &n};
          if (cuLaunchKernel(fresh_, 12, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr) != CUDA_SUCCESS)
            CHECK(cudaErrorLaunchFailure);
          return;
        }
        [[fallthrough]];
      default: add_to<<<12, 256, 0, stream>>>(to, from, n);
    }
    CHECK(cudaGetLastError());
  }

  // A node that chooses, behind what the stream holds.
  void condition(Random& random, cudaStream_t stream, int depth, std::vector<Body>* bodies) {
    cudaStreamCaptureStatus status;
    cudaGraph_t graph = nullptr;
    const cudaGraphNode_t* last = nullptr;
    size_t count = 0;
    info(stream, &status, &graph, &last, &count);
    const unsigned kind = below(random, 3), n = kind == 2 ? 1 + below(random, 3) : kind == 0 ? 1 + below(random, 2) : 1;
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, kind == 2 ? n : 0, cudaGraphCondAssignDefault));
    int* const turns = kind == 1 ? turns_ + next_turns_++ % kTurns : nullptr;
    choose<<<1, 1, 0, stream>>>(handle, buffers_[below(random, kBuffers)], n, turns, 1 + static_cast<int>(below(random, 3)));
    CHECK(cudaGetLastError());
    info(stream, &status, &graph, &last, &count);
    cudaGraphNodeParams node = {};
    node.type = cudaGraphNodeTypeConditional;
    node.conditional.handle = handle;
    node.conditional.type = static_cast<cudaGraphConditionalNodeType>(kind);
    node.conditional.size = n;
    cudaGraphNode_t added;
#if CUDART_VERSION >= 13000
    CHECK(cudaGraphAddNode(&added, graph, last, nullptr, count, &node));
    CHECK(cudaStreamUpdateCaptureDependencies(stream, &added, nullptr, 1, cudaStreamSetCaptureDependencies));
#else
    CHECK(cudaGraphAddNode(&added, graph, last, count, &node));
    CHECK(cudaStreamUpdateCaptureDependencies(stream, &added, 1, cudaStreamSetCaptureDependencies));
#endif
    for (unsigned i = 0; i < n; ++i) bodies->push_back({node.conditional.phGraph_out[i], depth, turns, handle});
  }

  static void info(cudaStream_t stream, cudaStreamCaptureStatus* status, cudaGraph_t* graph, const cudaGraphNode_t** last,
                   size_t* count) {
#if CUDART_VERSION >= 13000
    CHECK(cudaStreamGetCaptureInfo(stream, status, nullptr, graph, last, nullptr, count));
#else
    CHECK(cudaStreamGetCaptureInfo(stream, status, nullptr, graph, last, count));
#endif
  }

  // On one stream, or on several that wait for each other here and there.
  void fill(Random& random, cudaStream_t* streams, int width, int length, int depth, bool may_choose,
            std::vector<Body>* bodies) {
    std::vector<cudaEvent_t> events;
    const auto join = [&](cudaStream_t from, cudaStream_t to) {
      cudaEvent_t event;
      CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
      events.push_back(event);
      CHECK(cudaEventRecord(event, from));
      CHECK(cudaStreamWaitEvent(to, event, 0));
    };
    for (int i = 1; i < width; ++i) join(streams[0], streams[i]);
    for (int i = 0; i < length; ++i) {
      const auto on = below(random, static_cast<unsigned>(width));
      if (width > 1 && below(random, 3) == 0) {
        const auto from = below(random, static_cast<unsigned>(width));
        if (from != on) join(streams[from], streams[on]);
      }
      if (may_choose && depth < 3 && below(random, 3) == 0)
        condition(random, streams[on], depth + 1, bodies);
      else
        work(random, streams[on]);
    }
    for (int i = 1; i < width; ++i) join(streams[i], streams[0]);
    for (cudaEvent_t each : events) CHECK(cudaEventDestroy(each));
  }

  cudaGraph_t capture(Random& random, cudaStream_t* streams) {
    std::vector<Body> bodies;
    next_turns_ = 0;
    CHECK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal));
    fill(random, streams, spread_ ? 1 + static_cast<int>(below(random, kStreams)) : 1, 2 + static_cast<int>(below(random, 9)),
         0, chooses_, &bodies);
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(streams[0], &graph));
    for (size_t i = 0; i < bodies.size(); ++i) {
      const Body body = bodies[i];
      CHECK(cudaStreamBeginCaptureToGraph(streams[0], body.graph, nullptr, nullptr, 0, cudaStreamCaptureModeThreadLocal));
      const bool chooses = bodies.size() < 30 && body.depth < 3 && below(random, 2) == 0;
      const bool wide = options.shape == "body" || (options.shape == "leaves" && !chooses);
      fill(random, streams, wide ? 1 + static_cast<int>(below(random, 3)) : 1, 1 + static_cast<int>(below(random, 3)),
           body.depth, chooses, &bodies);
      if (body.turns) choose<<<1, 1, 0, streams[0]>>>(body.handle, buffers_[0], 1, body.turns, 0);
      CHECK(cudaStreamEndCapture(streams[0], nullptr_graph()));
    }
    return graph;
  }
  cudaGraph_t* nullptr_graph() { return &ended_; }

  const unsigned seed_;
  cudaStream_t launch_[2] = {};
  float* buffers_[kBuffers] = {};
  int* turns_ = nullptr;
  int next_turns_ = 0;
  cudaEvent_t order_ = nullptr;
  CUfunction fresh_ = nullptr;
  cudaGraph_t ended_ = nullptr;
  bool chooses_ = false, uploads_ = false, spread_ = false;
};

}  // namespace

int main(int count, char** words) {
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto value = [&] { return i + 1 < count ? std::atof(words[++i]) : 0; };
    if (word == "--threads")
      options.threads = static_cast<int>(value());
    else if (word == "--seconds")
      options.seconds = value();
    else if (word == "--seed")
      options.seed = static_cast<unsigned>(value());
    else if (word == "--two-streams")
      options.two_streams = true;
    else if (word == "--memory")
      options.memory = true;
    else if (word == "--modules")
      options.modules = true;
    else if (word == "--sync-destroy")
      options.sync_destroy = true;
    else
      options.shape = word;
  }
  const std::string known = " chain body root leaves branches upload ";
  if (options.shape.empty() || known.find(" " + options.shape + " ") == std::string::npos) {
    std::fprintf(stderr, "usage: driver_faults chain|body|root|leaves|branches|upload [options]; see the source\n");
    return 2;
  }
  std::vector<std::atomic<double>> last(static_cast<size_t>(options.threads));
  std::vector<std::thread> threads;
  for (int t = 0; t < options.threads; ++t) {
    last[static_cast<size_t>(t)] = now();
    threads.emplace_back([&, t] {
      Worker worker(options.seed * 7919 + static_cast<unsigned>(t) * 104729);
      for (long i = 0; now() - begun < options.seconds; ++i) {
        worker.round(i);
        last[static_cast<size_t>(t)] = now();
      }
      last[static_cast<size_t>(t)] = -1;
    });
  }
  for (bool done = false; !done;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    done = true;
    for (const std::atomic<double>& each : last) {
      if (each < 0) continue;
      done = false;
      if (now() - each < 10) continue;
      std::printf("%s seed %u: stands still after %.1f s and %ld launches\n", options.shape.c_str(), options.seed,
                  now() - begun, launches.load());
      std::fflush(stdout);
      _exit(2);
    }
  }
  std::printf("%s seed %u: %ld graphs, %ld launches, fine\n", options.shape.c_str(), options.seed, graphs.load(),
              launches.load());
  std::fflush(stdout);
  _exit(0);
}
