// Stream capture and graphs: what is recorded, the rules and their error codes, replay, patching, queries. The codes
// are those of a real driver 13.0; the tests pass there too. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdio>
#include <fstream>
#include <functional>
#include <thread>

#include "test/driver.h"

namespace simcuda_test {
namespace {

const char* const kGraphsSource = R"(
  extern "C" __global__ void add(int* p, int value) { p[threadIdx.x] += value; }
  extern "C" __global__ void twice(int* p) { p[threadIdx.x] *= 2; }
  extern "C" __global__ void sum(int* to, const int* a, const int* b) { to[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; })";

class Graphs : public Device {
 protected:
  void SetUp() override {
    Device::SetUp();
    add = load(kGraphsSource, "add");
    CHECK_CU(cu.cuModuleGetFunction(&twice, modules.back(), "twice"));
    CHECK_CU(cu.cuModuleGetFunction(&sum, modules.back(), "sum"));
    a = upload(std::vector<int>(32, 1));
    b = upload(std::vector<int>(32, 10));
    c = upload(std::vector<int>(32, 0));
    CHECK_CU(cu.cuStreamSynchronize(stream));
    for (CUevent* event : {&forked, &joined}) CHECK_CU(cu.cuEventCreate(event, CU_EVENT_DISABLE_TIMING));
  }
  void TearDown() override {
    if (cu.simulated()) cu.simcuda_control("seed", "0");
    for (CUevent event : {forked, joined}) EXPECT_EQ(cu.cuEventDestroy_v2(event), CUDA_SUCCESS);
    Device::TearDown();
  }
  // c = (a += 1) + (b *= 2), the two halves on two streams.
  void capture_diamond(CUgraph* graph) {
    CHECK_CU(cu.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    CHECK_CU(cu.cuEventRecord(forked, stream));
    CHECK_CU(cu.cuStreamWaitEvent(other, forked, 0));
    CHECK_CU(launch(add, 1, 32, 0, stream, a, 1));
    CHECK_CU(launch(twice, 1, 32, 0, other, b));
    CHECK_CU(cu.cuEventRecord(joined, other));
    CHECK_CU(cu.cuStreamWaitEvent(stream, joined, 0));
    CHECK_CU(launch(sum, 1, 32, 0, stream, c, a, b));
    CHECK_CU(cu.cuStreamEndCapture(stream, graph));
  }
  CUstreamCaptureStatus status(CUstream of) {
    CUstreamCaptureStatus value = -1;
    EXPECT_EQ(cu.cuStreamIsCapturing(of, &value), CUDA_SUCCESS);
    return value;
  }
  // Begins a capture, lets `call` do something, and says what came of it: the call's code and that of the end.
  std::pair<CUresult, CUresult> within_capture(CUstreamCaptureMode mode, const std::function<CUresult()>& call) {
    EXPECT_EQ(cu.cuStreamBeginCapture_v2(stream, mode), CUDA_SUCCESS);
    EXPECT_EQ(launch(twice, 1, 32, 0, stream, a), CUDA_SUCCESS);
    CUresult code = call();
    CUgraph graph = nullptr;
    CUresult end = cu.cuStreamEndCapture(stream, &graph);
    EXPECT_EQ(graph != nullptr, end == CUDA_SUCCESS);
    if (graph != nullptr) cu.cuGraphDestroy(graph);
    EXPECT_EQ(status(stream), CU_STREAM_CAPTURE_STATUS_NONE);
    EXPECT_EQ(status(other), CU_STREAM_CAPTURE_STATUS_NONE);
    return {code, end};
  }
  using Codes = std::pair<CUresult, CUresult>;

  CUfunction add = nullptr, twice = nullptr, sum = nullptr;
  CUdeviceptr a = 0, b = 0, c = 0;
  CUevent forked = nullptr, joined = nullptr;
};

TEST_F(Graphs, ForkJoinAndReplay) {
  CUgraph graph = nullptr;
  capture_diamond(&graph);
  EXPECT_EQ(download<int>(a, 1)[0], 1);  // captured, not run
  std::size_t nodes = 0, edges = 0;
  CHECK_CU(cu.cuGraphGetNodes(graph, nullptr, &nodes));
  CHECK_CU(cu.cuGraphGetEdges(graph, nullptr, nullptr, &edges));
  EXPECT_EQ(nodes, 3u);
  EXPECT_EQ(edges, 2u);
  CUgraphExec exec = nullptr;
  CHECK_CU(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
  int expected_a = 1, expected_b = 10;
  for (int seed = 0; seed < 10; ++seed) {
    if (cu.simulated()) cu.simcuda_control("seed", std::to_string(seed).c_str());
    for (int i = 0; i < 2; ++i) {
      CHECK_CU(cu.cuGraphLaunch(exec, stream));
      ++expected_a;
      expected_b *= 2;
    }
    ASSERT_EQ(download<int>(c, 32), std::vector<int>(32, expected_a + expected_b));
  }
  CHECK_CU(cu.cuGraphExecDestroy(exec));
  CHECK_CU(cu.cuGraphDestroy(graph));
}

// Not on a real driver, which may never come back.
TEST_F(Graphs, AnUploadIsReportedUnlessTheGraphIsAChain) {
  ONLY_SIMULATED();
  for (const bool chain : {true, false}) {
    CUgraph graph = nullptr;
    if (chain) {
      CHECK_CU(cu.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
      for (int i = 0; i < 3; ++i) CHECK_CU(launch(add, 1, 32, 0, stream, a, 1));
      CHECK_CU(cu.cuStreamEndCapture(stream, &graph));
    } else {
      capture_diamond(&graph);
    }
    CUgraphExec exec = nullptr;
    CHECK_CU(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
    EXPECT_EQ(last_report(), "");
    CHECK_CU(cu.cuGraphUpload(exec, stream));
    EXPECT_EQ(last_report().find("cuGraphUpload") != std::string::npos, !chain) << last_report();
    cu.simcuda_control("clear-reports", nullptr);
    CHECK_CU(cu.cuGraphExecDestroy(exec));
    CHECK_CU(cu.cuGraphDestroy(graph));
  }
}

// Graphs, streams, kernels and events name their context; whether one is current does not matter.
TEST_F(Graphs, WithoutACurrentContext) {
  CUgraph graph = nullptr;
  capture_diamond(&graph);
  CUgraphExec exec = nullptr;
  CHECK_CU(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
  std::thread([&] {
    CHECK_CU(cu.cuGraphLaunch(exec, stream));
    CHECK_CU(cu.cuEventRecord(forked, stream));
    CHECK_CU(cu.cuStreamWaitEvent(other, forked, 0));
    CHECK_CU(launch(add, 1, 32, 0, other, a, 5));
    CHECK_CU(cu.cuEventRecord(joined, other));
    CHECK_CU(cu.cuEventSynchronize(joined));
    CHECK_CU(cu.cuEventQuery(joined));
    CUdeviceptr memory = 0;
    EXPECT_EQ(cu.cuMemAlloc_v2(&memory, 64), CUDA_ERROR_INVALID_CONTEXT);
    CUcontext now = context;
    CHECK_CU(cu.cuCtxGetCurrent(&now));
    EXPECT_EQ(now, nullptr);
  }).join();
  EXPECT_EQ(download<int>(c, 32), std::vector<int>(32, 2 + 20));
  EXPECT_EQ(download<int>(a, 32), std::vector<int>(32, 2 + 5));
  CHECK_CU(cu.cuGraphExecDestroy(exec));
  CHECK_CU(cu.cuGraphDestroy(graph));
}

TEST_F(Graphs, OneExecutableRunsOnceAtATime) {
  CUgraph graph = nullptr;
  capture_diamond(&graph);
  CUgraphExec exec = nullptr;
  CHECK_CU(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
  if (cu.simulated()) cu.simcuda_control("seed", "3");
  for (int i = 0; i < 10; ++i) {
    CHECK_CU(cu.cuGraphLaunch(exec, stream));
    CHECK_CU(cu.cuGraphLaunch(exec, other));
  }
  CHECK_CU(cu.cuStreamSynchronize(other));
  EXPECT_EQ(download<int>(a, 1)[0], 21);
  CHECK_CU(cu.cuGraphExecDestroy(exec));
  CHECK_CU(cu.cuGraphDestroy(graph));
}

TEST_F(Graphs, KernelNodesCanBeReadAndPatched) {
  CUgraph graph = nullptr;
  CHECK_CU(cu.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  CHECK_CU(launch(add, 1, 32, 0, stream, a, 5));
  CHECK_CU(cu.cuStreamEndCapture(stream, &graph));
  CUgraphNode node = nullptr;
  std::size_t n = 1;
  CHECK_CU(cu.cuGraphGetNodes(graph, &node, &n));
  CUgraphNodeType type = -1;
  CHECK_CU(cu.cuGraphNodeGetType(node, &type));
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_KERNEL);
  CUDA_KERNEL_NODE_PARAMS p{};
  CHECK_CU(cu.cuGraphKernelNodeGetParams(node, &p));
  EXPECT_EQ(p.blockDimX, 32u);
  EXPECT_EQ(*static_cast<CUdeviceptr*>(p.kernelParams[0]), a);
  EXPECT_EQ(*static_cast<int*>(p.kernelParams[1]), 5);
  CUgraphExec exec = nullptr;
  CHECK_CU(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
  CHECK_CU(cu.cuGraphLaunch(exec, stream));
  int value = 100;
  void* arguments[] = {&b, &value};
  p.kernelParams = arguments;
  p.extra = nullptr;
  CHECK_CU(cu.cuGraphExecKernelNodeSetParams(exec, node, &p));  // of launches to come only
  value = 7;
  CHECK_CU(cu.cuGraphLaunch(exec, stream));
  EXPECT_EQ(download<int>(a, 32), std::vector<int>(32, 6));
  EXPECT_EQ(download<int>(b, 32), std::vector<int>(32, 110));
  p.blockDimX = 0;
  EXPECT_EQ(cu.cuGraphExecKernelNodeSetParams(exec, node, &p), CUDA_ERROR_INVALID_VALUE);
  CHECK_CU(cu.cuGraphExecDestroy(exec));
  CHECK_CU(cu.cuGraphDestroy(graph));
}

TEST_F(Graphs, CopiesFillsAndHostFunctions) {
  int* pinned_value = allocate_pinned<int>(32);
  std::atomic<int> calls{0};
  CUgraph graph = nullptr;
  CHECK_CU(cu.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  CHECK_CU(cu.cuMemsetD32Async(a, 3, 32, stream));
  CHECK_CU(cu.cuMemcpyDtoDAsync_v2(b, a, 128, stream));
  CHECK_CU(cu.cuLaunchHostFunc(
      stream, [](void* p) { ++*static_cast<std::atomic<int>*>(p); }, &calls));
  CHECK_CU(cu.cuMemcpyDtoHAsync_v2(pinned_value, b, 128, stream));
  CHECK_CU(cu.cuStreamEndCapture(stream, &graph));
  CUgraphExec exec = nullptr;
  CHECK_CU(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
  CHECK_CU(cu.cuGraphLaunch(exec, stream));
  CHECK_CU(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(std::vector<int>(pinned_value, pinned_value + 32), std::vector<int>(32, 3));
  CUgraphNode nodes[4];
  std::size_t n = 4;
  CHECK_CU(cu.cuGraphGetNodes(graph, nodes, &n));
  ASSERT_EQ(n, 4u);
  const CUgraphNodeType expected[] = {CU_GRAPH_NODE_TYPE_MEMSET, CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_HOST,
                                      CU_GRAPH_NODE_TYPE_MEMCPY};
  for (int i = 0; i < 4; ++i) {
    CUgraphNodeType type = -1;
    CHECK_CU(cu.cuGraphNodeGetType(nodes[i], &type));
    EXPECT_EQ(type, expected[i]);
  }
  CHECK_CU(cu.cuGraphExecDestroy(exec));
  CHECK_CU(cu.cuGraphDestroy(graph));
}

TEST_F(Graphs, ProgrammaticEdges) {
  CUgraph graph = nullptr;
  CHECK_CU(cu.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  CHECK_CU(launch(twice, 1, 32, 0, stream, a));
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attribute.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig config{1, 1, 1, 32, 1, 1, 0, stream, &attribute, 1};
  void* arguments[] = {&a};
  CHECK_CU(cu.cuLaunchKernelEx(&config, twice, arguments, nullptr));
  CHECK_CU(cu.cuStreamEndCapture(stream, &graph));
  CUgraphNode from[1], to[1];
  CUgraphEdgeData data[1];
  std::size_t n = 1;
  EXPECT_EQ(cu.cuGraphGetEdges(graph, from, to, &n), 402);  // lossy query
  n = 1;
  CHECK_CU(cu.cuGraphGetEdges_v2(graph, from, to, data, &n));
  EXPECT_EQ(n, 1u);
  EXPECT_EQ(data[0].from_port, 1);
  EXPECT_EQ(data[0].type, 1);
  CHECK_CU(cu.cuGraphDestroy(graph));
}

TEST_F(Graphs, CaptureInfo) {
  CHECK_CU(cu.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  CHECK_CU(launch(twice, 1, 32, 0, stream, a));
  CUstreamCaptureStatus state = -1;
  cuuint64_t id = 0;
  CUgraph during = nullptr, graph = nullptr;
  const CUgraphNode* dependencies = nullptr;
  std::size_t n = 0;
  CHECK_CU(cu.cuStreamGetCaptureInfo_v2(stream, &state, &id, &during, &dependencies, &n));
  EXPECT_EQ(state, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  ASSERT_EQ(n, 1u);
  CUgraphNode first = dependencies[0];
  CHECK_CU(launch(twice, 1, 32, 0, stream, b));
  // Put the frontier back to the first node: the third does not depend on the second.
  CHECK_CU(cu.cuStreamUpdateCaptureDependencies(stream, &first, 1, 1));
  CHECK_CU(launch(twice, 1, 32, 0, stream, c));
  CHECK_CU(cu.cuStreamEndCapture(stream, &graph));
  EXPECT_EQ(graph, during);
  CUgraphNode from[4], to[4];
  n = 4;
  CHECK_CU(cu.cuGraphGetEdges(graph, from, to, &n));
  ASSERT_EQ(n, 2u);
  EXPECT_EQ(from[0], first);
  EXPECT_EQ(from[1], first);
  CHECK_CU(cu.cuGraphDestroy(graph));
}

TEST_F(Graphs, UnsafeCallsBreakACapture) {
  CUgraph graph = nullptr;
  capture_diamond(&graph);
  CUgraphExec exec = nullptr;
  CHECK_CU(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
  CUevent plain = nullptr;
  CHECK_CU(cu.cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING));
  CHECK_CU(cu.cuEventRecord(plain, other));
  CHECK_CU(cu.cuStreamSynchronize(other));
  CUdeviceptr p = 0;
  void* host = nullptr;
  const std::function<CUresult()> unsafe[] = {
      [&] { return cu.cuMemAlloc_v2(&p, 64); },      [&] { return cu.cuMemHostAlloc(&host, 64, 0); },
      [&] { return cu.cuEventQuery(plain); },        [&] { return cu.cuEventSynchronize(plain); },
      [&] { return cu.cuStreamSynchronize(other); }, [&] { return cu.cuStreamQuery(other); },
      [&] { return cu.cuGraphExecDestroy(exec); },
  };
  for (const auto& call : unsafe) {
    EXPECT_EQ(within_capture(CU_STREAM_CAPTURE_MODE_GLOBAL, call), Codes(900, 901));
    EXPECT_EQ(within_capture(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, call), Codes(900, 901));
    // Another thread is stopped by a global capture only.
    auto elsewhere = [&] {
      CUresult code = -1;
      std::thread([&] {
        cu.cuCtxSetCurrent(context);
        code = call();
      }).join();
      return code;
    };
    EXPECT_EQ(within_capture(CU_STREAM_CAPTURE_MODE_GLOBAL, elsewhere), Codes(900, 901));
  }
  auto query_elsewhere = [&] {
    CUresult code = -1;
    std::thread([&] {
      cu.cuCtxSetCurrent(context);
      code = cu.cuEventQuery(plain);
    }).join();
    return code;
  };
  EXPECT_EQ(within_capture(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, query_elsewhere), Codes(0, 0));
  // A thread in relaxed mode may do them all.
  auto relaxed = [&] {
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    EXPECT_EQ(cu.cuThreadExchangeStreamCaptureMode(&mode), CUDA_SUCCESS);
    CUresult code = cu.cuMemAlloc_v2(&p, 64);
    EXPECT_EQ(cu.cuThreadExchangeStreamCaptureMode(&mode), CUDA_SUCCESS);
    return code;
  };
  EXPECT_EQ(within_capture(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, relaxed), Codes(0, 0));
  CHECK_CU(cu.cuMemFree_v2(p));
  CHECK_CU(cu.cuEventDestroy_v2(plain));
  CHECK_CU(cu.cuGraphExecDestroy(exec));
  CHECK_CU(cu.cuGraphDestroy(graph));
}

TEST_F(Graphs, RulesThatHoldInEveryMode) {
  CUevent plain = nullptr;
  CHECK_CU(cu.cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING));
  CHECK_CU(cu.cuEventRecord(plain, other));
  CHECK_CU(cu.cuStreamSynchronize(other));
  for (CUstreamCaptureMode mode :
       {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_RELAXED}) {
    EXPECT_EQ(within_capture(mode, [&] { return cu.cuStreamSynchronize(stream); }), Codes(900, 901));
    EXPECT_EQ(within_capture(mode, [&] { return cu.cuStreamQuery(stream); }), Codes(900, 901));
    EXPECT_EQ(within_capture(mode, [&] { return cu.cuStreamWaitEvent(stream, plain, 0); }), Codes(905, 901));
    EXPECT_EQ(within_capture(mode,
                             [&] {
                               cu.cuEventRecord(forked, stream);
                               return cu.cuEventQuery(forked);
                             }),
              Codes(907, 901));
    EXPECT_EQ(within_capture(mode,
                             [&] {
                               cu.cuEventRecord(forked, stream);
                               cu.cuStreamWaitEvent(other, forked, 0);
                               return launch(twice, 1, 32, 0, other, b);
                             }),
              Codes(0, 904));
    EXPECT_EQ(within_capture(mode,
                             [&] {
                               cu.cuEventRecord(forked, stream);
                               cu.cuStreamWaitEvent(other, forked, 0);
                               CUgraph graph = nullptr;
                               return cu.cuStreamEndCapture(other, &graph);
                             }),
              Codes(903, 901));
    EXPECT_EQ(within_capture(mode, [&] { return launch(twice, 0, 32, 0, stream, b); }), Codes(1, 901));
    EXPECT_EQ(within_capture(mode, [&] { return cu.cuStreamBeginCapture_v2(stream, mode); }), Codes(401, 0));
    CUresult wrong_thread = mode == CU_STREAM_CAPTURE_MODE_RELAXED ? CUDA_SUCCESS : 908;
    EXPECT_EQ(within_capture(mode,
                             [&] {
                               CUresult code = -1;
                               std::thread([&] {
                                 cu.cuCtxSetCurrent(context);
                                 CUgraph graph = nullptr;
                                 code = cu.cuStreamEndCapture(stream, &graph);
                                 if (graph != nullptr) cu.cuGraphDestroy(graph);
                               }).join();
                               return code;
                             }),
              Codes(wrong_thread, 401));
    EXPECT_EQ(within_capture(mode,
                             [&] {
                               CUgraph graph = nullptr;
                               cu.cuStreamBeginCapture_v2(other, mode);
                               cu.cuEventRecord(forked, other);
                               CUresult code = cu.cuStreamWaitEvent(stream, forked, 0);
                               EXPECT_EQ(cu.cuStreamEndCapture(other, &graph), 901);
                               return code;
                             }),
              Codes(902, 901));
  }
  EXPECT_EQ(cu.cuStreamBeginCapture_v2(nullptr, CU_STREAM_CAPTURE_MODE_RELAXED), 900);
  CHECK_CU(cu.cuEventDestroy_v2(plain));
}

TEST_F(Graphs, TheLegacyStreamAndBlockingStreams) {
  CUstream blocking = nullptr;
  CHECK_CU(cu.cuStreamCreateWithPriority(&blocking, 0, 0));
  CHECK_CU(cu.cuStreamBeginCapture_v2(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(launch(twice, 1, 32, 0, nullptr, a), 906);
  CUgraph graph = nullptr;
  EXPECT_EQ(cu.cuStreamEndCapture(blocking, &graph), 901);
  CHECK_CU(cu.cuStreamDestroy_v2(blocking));
}

TEST_F(Graphs, DotFile) {
  CUgraph graph = nullptr;
  capture_diamond(&graph);
  std::string path = ::testing::TempDir() + "simcuda.dot";
  CHECK_CU(cu.cuGraphDebugDotPrint(graph, path.c_str(), 0));
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(text.rfind("digraph", 0), 0u);
  EXPECT_NE(text.find("twice"), std::string::npos);
  std::remove(path.c_str());
  CHECK_CU(cu.cuGraphDestroy(graph));
}

}  // namespace
}  // namespace simcuda_test
