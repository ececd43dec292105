// Stream-ordered allocation, graphs built by hand, conditional nodes, updates,
// programmatic launches, older drivers. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "test/driver.h"

namespace simcuda_test {
namespace {

const char* const kExtraSource = R"(
  #if !RONDO_SIMULATED
  extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle, unsigned value);
  #endif
  extern "C" __global__ void add(int* p, int value) { p[threadIdx.x] += value; }
  extern "C" __global__ void below(const int* p, int limit, unsigned long long handle) {
    if (threadIdx.x == 0) cudaGraphSetConditional(handle, p[0] < limit);
  }
  extern "C" __global__ void choose(const int* p, unsigned long long handle) {
    if (threadIdx.x == 0) cudaGraphSetConditional(handle, p[0]);
  }
  extern "C" __global__ void early(int* p) { p[threadIdx.x] += 1; }
  #if RONDO_SIMULATED
  extern "C" __global__ void patient(int* p) { simcuda_grid_dependency_wait(); p[threadIdx.x] += 1; }
  extern "C" __global__ void take(int* to, const int* from) {
    simcuda_grid_dependency_wait();
    to[blockIdx.x * 32 + threadIdx.x] = from[threadIdx.x];
  }
  extern "C" __global__ void peek(int* to, const int* early, const int* late) {
    const int first = early[threadIdx.x];
    simcuda_grid_dependency_wait();
    to[blockIdx.x * 32 + threadIdx.x] = first + late[threadIdx.x];
  }
  extern "C" __global__ void snatch(int* to, const int* from) { to[blockIdx.x * 32 + threadIdx.x] = from[threadIdx.x]; }
  #endif
  )";

class Extra : public Device {
 protected:
  void SetUp() override {
    Device::SetUp();
    add = load(kExtraSource, "add");
    a = upload(std::vector<int>(32, 0));
    CHECK_CU(cu.cuStreamSynchronize(stream));
    CHECK_CU(cu.cuGraphCreate(&graph, 0));
  }
  void TearDown() override {
    if (cu.simulated()) cu.simcuda_control("seed", "0");
    if (exec != nullptr) cu.cuGraphExecDestroy(exec);
    EXPECT_EQ(cu.cuGraphDestroy(graph), CUDA_SUCCESS);
    Device::TearDown();
  }
  CUfunction get(const char* name) {
    CUfunction f = nullptr;
    EXPECT_EQ(cu.cuModuleGetFunction(&f, modules.back(), name), CUDA_SUCCESS);
    return f;
  }
  template <class... Args>
  CUgraphNode kernel(CUgraph to, CUfunction f, std::vector<CUgraphNode> after, Args... arguments) {
    void* pointers[] = {&arguments..., nullptr};
    CUDA_KERNEL_NODE_PARAMS p{};
    p.func = f;
    p.gridDimX = p.gridDimY = p.gridDimZ = p.blockDimY = p.blockDimZ = 1;
    p.blockDimX = 32;
    p.kernelParams = pointers;
    CUgraphNode node = nullptr;
    EXPECT_EQ(cu.cuGraphAddKernelNode_v2(&node, to, after.data(), after.size(), &p), CUDA_SUCCESS);
    return node;
  }
  // Adds a conditional node and gives its bodies.
  std::vector<CUgraph> conditional(CUgraphConditionalNodeType type, unsigned size, CUgraphConditionalHandle handle,
                                   std::vector<CUgraphNode> after) {
    CUgraphNodeParams p{};
    p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    p.conditional = {handle, type, size, nullptr, context};
    CUgraphNode node = nullptr;
    EXPECT_EQ(cu.cuGraphAddNode_v2(&node, graph, after.data(), nullptr, after.size(), &p), CUDA_SUCCESS);
    return std::vector<CUgraph>(p.conditional.phGraph_out, p.conditional.phGraph_out + size);
  }
  int run() {
    if (exec == nullptr) {
      EXPECT_EQ(cu.cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
    }
    EXPECT_EQ(cu.cuGraphLaunch(exec, stream), CUDA_SUCCESS);
    return download<int>(a, 1)[0];
  }
  void set(int value) { CHECK_CU(cu.cuMemsetD32Async(a, static_cast<unsigned>(value), 32, stream)); }
  CUfunction add = nullptr;
  CUdeviceptr a = 0;
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
};

TEST_F(Extra, While) {
  CUgraphConditionalHandle handle = 0;
  CHECK_CU(cu.cuGraphConditionalHandleCreate(&handle, graph, context, 1, 1));
  std::vector<CUgraph> body = conditional(CU_GRAPH_COND_TYPE_WHILE, 1, handle, {});
  CUgraphNode step = kernel(body[0], add, {}, a, 3);
  kernel(body[0], get("below"), {step}, a, 20, handle);
  for (int seed = 0; seed < 5; ++seed) {
    if (cu.simulated()) cu.simcuda_control("seed", std::to_string(seed).c_str());
    set(0);
    EXPECT_EQ(run(), 21);
    EXPECT_EQ(run(), 24);  // the default lets it in once more
  }
}

TEST_F(Extra, IfAndSwitch) {
  CUgraphConditionalHandle yes = 0, which = 0;
  CHECK_CU(cu.cuGraphConditionalHandleCreate(&yes, graph, context, 0, 1));
  CHECK_CU(cu.cuGraphConditionalHandleCreate(&which, graph, context, 0, 1));
  CUgraphNode decide = kernel(graph, get("below"), {}, a, 2, yes),
              choice = kernel(graph, get("choose"), {decide}, a, which);
  std::vector<CUgraph> branches = conditional(CU_GRAPH_COND_TYPE_IF, 2, yes, {choice});
  kernel(branches[0], add, {}, a, 100);
  kernel(branches[1], add, {}, a, 1000);
  CUgraphNode nodes[3];
  std::size_t n = 3;
  CHECK_CU(cu.cuGraphGetNodes(graph, nodes, &n));
  std::vector<CUgraph> cases = conditional(CU_GRAPH_COND_TYPE_SWITCH, 3, which, {nodes[2]});
  for (int i = 0; i < 3; ++i) kernel(cases[i], add, {}, a, 10000 * (i + 1));
  set(0);
  EXPECT_EQ(run(), 10100);
  set(1);
  EXPECT_EQ(run(), 20101);
  set(2);
  EXPECT_EQ(run(), 31002);
  set(3);
  EXPECT_EQ(run(), 1003);  // no such case
  CUgraphExec second = nullptr;
  EXPECT_NE(cu.cuGraphInstantiateWithFlags(&second, graph, 0),
            CUDA_SUCCESS);  // one executable only
}

TEST_F(Extra, CaptureIntoABody) {
  CUgraphConditionalHandle handle = 0;
  CHECK_CU(cu.cuGraphConditionalHandleCreate(&handle, graph, context, 1, 1));
  std::vector<CUgraph> body = conditional(CU_GRAPH_COND_TYPE_IF, 1, handle, {});
  CHECK_CU(cu.cuStreamBeginCaptureToGraph(stream, body[0], nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  CHECK_CU(launch(add, 1, 32, 0, stream, a, 5));
  CHECK_CU(launch(add, 1, 32, 0, stream, a, 6));
  CUgraph same = nullptr;
  CHECK_CU(cu.cuStreamEndCapture(stream, &same));
  EXPECT_EQ(same, body[0]);
  EXPECT_EQ(run(), 11);
}

// Side by side with the node, in its body, and in a body of its body. Not on a real driver, which may never come back.
TEST_F(Extra, WorkSideBySideIsReportedWhereANodeChooses) {
  ONLY_SIMULATED();
  for (const int where : {-1, 0, 1, 2}) {  // -1: nowhere
    CUgraph made = nullptr;
    CHECK_CU(cu.cuGraphCreate(&made, 0));
    std::swap(graph, made);
    CUgraphConditionalHandle handle = 0, inner = 0;
    CHECK_CU(cu.cuGraphConditionalHandleCreate(&handle, graph, context, 1, 1));
    CUgraphNode first = kernel(graph, add, {}, a, 1);
    const CUgraph body = conditional(CU_GRAPH_COND_TYPE_IF, 1, handle, {first})[0];
    CHECK_CU(cu.cuGraphConditionalHandleCreate(&inner, body, context, 1, 1));
    CUgraphNodeParams p{};
    p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    p.conditional = {inner, CU_GRAPH_COND_TYPE_IF, 1, nullptr, context};
    CUgraphNode second = kernel(body, add, {}, a, 1), node = nullptr;
    CHECK_CU(cu.cuGraphAddNode_v2(&node, body, &second, nullptr, 1, &p));
    const CUgraph deeper = p.conditional.phGraph_out[0];
    CUgraphNode third = kernel(deeper, add, {}, a, 1);
    if (where == 0) kernel(graph, add, {first}, a, 1);
    if (where == 1) kernel(body, add, {}, a, 1);
    if (where == 2) {
      kernel(deeper, add, {third}, a, 1);
      kernel(deeper, add, {third}, a, 1);
    }
    CUgraphExec each = nullptr;
    CHECK_CU(cu.cuGraphInstantiateWithFlags(&each, graph, 0));
    EXPECT_EQ(last_report().find("side by side") != std::string::npos, where >= 0) << where << ": " << last_report();
    cu.simcuda_control("clear-reports", nullptr);
    CHECK_CU(cu.cuGraphExecDestroy(each));
    std::swap(graph, made);
    CHECK_CU(cu.cuGraphDestroy(made));
  }
}

// A node that is added to a graph while that is captured, and bodies inside of bodies.
TEST_F(Extra, NodesOfACaptureNest) {
  CUgraph captured = nullptr;
  CHECK_CU(cu.cuGraphDestroy(graph));
  CHECK_CU(cu.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  CUstreamCaptureStatus state = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUgraphNode* last = nullptr;
  std::size_t n = 0;
  CHECK_CU(cu.cuStreamGetCaptureInfo_v2(stream, &state, nullptr, &graph, nullptr, nullptr));
  CUgraphConditionalHandle handle = 0, inner = 0;
  CHECK_CU(cu.cuGraphConditionalHandleCreate(&handle, graph, context, 0, 1));
  CHECK_CU(launch(get("below"), 1, 32, 0, stream, a, 5, handle));
  CHECK_CU(cu.cuStreamGetCaptureInfo_v2(stream, &state, nullptr, &graph, &last, &n));
  ASSERT_EQ(n, 1u);
  CUgraphNodeParams p{};
  p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  p.conditional = {handle, CU_GRAPH_COND_TYPE_WHILE, 1, nullptr, context};
  CUgraphNode node = nullptr;
  CHECK_CU(cu.cuGraphAddNode_v2(&node, graph, last, nullptr, 1, &p));
  const CUgraph body = p.conditional.phGraph_out[0];
  CHECK_CU(cu.cuStreamUpdateCaptureDependencies(stream, &node, 1, 1));
  CHECK_CU(launch(add, 1, 32, 0, stream, a, 1000));
  CHECK_CU(cu.cuStreamEndCapture(stream, &captured));
  EXPECT_EQ(captured, graph);
  // In the body: one more while, in turns of 2, and the first one's value.
  CHECK_CU(cu.cuStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  CHECK_CU(cu.cuGraphConditionalHandleCreate(&inner, body, context, 0, 1));
  CHECK_CU(launch(get("below"), 1, 32, 0, stream, a, 4, inner));
  CHECK_CU(cu.cuStreamGetCaptureInfo_v2(stream, &state, nullptr, nullptr, &last, &n));
  p.conditional = {inner, CU_GRAPH_COND_TYPE_WHILE, 1, nullptr, context};
  CHECK_CU(cu.cuGraphAddNode_v2(&node, body, last, nullptr, 1, &p));
  const CUgraph deeper = p.conditional.phGraph_out[0];
  CHECK_CU(cu.cuStreamUpdateCaptureDependencies(stream, &node, 1, 1));
  CHECK_CU(launch(add, 1, 32, 0, stream, a, 1));
  CHECK_CU(launch(get("below"), 1, 32, 0, stream, a, 5, handle));
  CHECK_CU(cu.cuStreamEndCapture(stream, &captured));
  CHECK_CU(cu.cuStreamBeginCaptureToGraph(stream, deeper, nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  CHECK_CU(launch(add, 1, 32, 0, stream, a, 2));
  CHECK_CU(launch(get("below"), 1, 32, 0, stream, a, 4, inner));
  CHECK_CU(cu.cuStreamEndCapture(stream, &captured));
  for (int seed = 0; seed < 3; ++seed) {
    if (cu.simulated()) cu.simcuda_control("seed", std::to_string(seed).c_str());
    set(-1);
    EXPECT_EQ(run(), 1006);  // -1 1 3 5, 6
    set(7);
    EXPECT_EQ(run(), 1007);
  }
}

TEST_F(Extra, ValuesBelongToANode) {
  CUgraphConditionalHandle handle = 0, unused = 0;
  CHECK_CU(cu.cuGraphConditionalHandleCreate(&handle, graph, context, 1, 1));
  std::vector<CUgraph> body = conditional(CU_GRAPH_COND_TYPE_IF, 1, handle, {});
  kernel(body[0], add, {}, a, 3);
  CHECK_CU(cu.cuGraphConditionalHandleCreate(&unused, graph, context, 1, 1));
  EXPECT_EQ(cu.cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_ERROR_INVALID_VALUE) << "no node goes by it";
  exec = nullptr;
  conditional(CU_GRAPH_COND_TYPE_IF, 1, unused, {});
  ONLY_SIMULATED();
  EXPECT_EQ(run(), 3);
  CUgraph elsewhere = nullptr;
  CHECK_CU(cu.cuGraphCreate(&elsewhere, 0));
  CUgraphNodeParams p{};
  p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  p.conditional = {handle, CU_GRAPH_COND_TYPE_IF, 1, nullptr, context};
  CUgraphNode node = nullptr;
  EXPECT_EQ(cu.cuGraphAddNode_v2(&node, elsewhere, nullptr, nullptr, 0, &p), CUDA_ERROR_INVALID_VALUE)
      << "made for another graph";
  EXPECT_EQ(cu.cuGraphDestroy(body[0]), CUDA_ERROR_INVALID_VALUE) << "a part of its node";
  CHECK_CU(cu.cuGraphDestroy(elsewhere));
}

TEST_F(Extra, BodiesHoldNothingOfTheHost) {
  CUgraphConditionalHandle handle = 0;
  CHECK_CU(cu.cuGraphConditionalHandleCreate(&handle, graph, context, 1, 1));
  std::vector<CUgraph> body = conditional(CU_GRAPH_COND_TYPE_IF, 1, handle, {});
  CHECK_CU(cu.cuStreamBeginCaptureToGraph(stream, body[0], nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  CHECK_CU(cu.cuLaunchHostFunc(
      stream, [](void*) {}, nullptr));
  CUgraph same = nullptr;
  CHECK_CU(cu.cuStreamEndCapture(stream, &same));
  EXPECT_NE(cu.cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  exec = nullptr;
}

// What drivers crash over, or hang in, is reported.
TEST_F(Extra, FailedCapturesDestroyTheBody) {
  ONLY_SIMULATED();
  CUgraphConditionalHandle handle = 0;
  CHECK_CU(cu.cuGraphConditionalHandleCreate(&handle, graph, context, 1, 1));
  std::vector<CUgraph> body = conditional(CU_GRAPH_COND_TYPE_IF, 1, handle, {});
  CHECK_CU(cu.cuStreamBeginCaptureToGraph(stream, body[0], nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  EXPECT_EQ(cu.cuStreamQuery(stream), 900);
  CUgraph none = nullptr;
  EXPECT_EQ(cu.cuStreamEndCapture(stream, &none), 901);
  EXPECT_EQ(cu.cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_ERROR_INVALID_VALUE);
  exec = nullptr;
  CHECK_CU(cu.cuGraphDestroy(graph));
  EXPECT_NE(last_report().find("failed capture has destroyed"), std::string::npos) << last_report();
  cu.simcuda_control("clear-reports", nullptr);
  CHECK_CU(cu.cuGraphCreate(&graph, 0));
}

TEST_F(Extra, ChildGraphsEmptyNodesAndDependencies) {
  CUgraph child = nullptr;
  CHECK_CU(cu.cuGraphCreate(&child, 0));
  CUgraphNode one = kernel(child, add, {}, a, 1), two = kernel(child, add, {}, a, 2), first = nullptr, gate = nullptr;
  CHECK_CU(cu.cuGraphAddDependencies(child, &one, &two, 1));
  CHECK_CU(cu.cuGraphAddChildGraphNode(&first, graph, nullptr, 0, child));
  CHECK_CU(cu.cuGraphDestroy(child));  // the node has a copy
  CHECK_CU(cu.cuGraphAddEmptyNode(&gate, graph, &first, 1));
  kernel(graph, add, {gate}, a, 10);
  EXPECT_EQ(run(), 13);
}

TEST_F(Extra, UpdateAndEnable) {
  CUgraphNode first = kernel(graph, add, {}, a, 1), second = kernel(graph, add, {first}, a, 10);
  EXPECT_EQ(run(), 11);
  CHECK_CU(cu.cuGraphNodeSetEnabled(exec, second, 0));
  unsigned enabled = 1;
  CHECK_CU(cu.cuGraphNodeGetEnabled(exec, second, &enabled));
  EXPECT_EQ(enabled, 0u);
  EXPECT_EQ(run(), 12);
  CHECK_CU(cu.cuGraphNodeSetEnabled(exec, second, 1));
  CUgraph same = nullptr, other_shape = nullptr;
  CHECK_CU(cu.cuGraphCreate(&same, 0));
  CHECK_CU(cu.cuGraphCreate(&other_shape, 0));
  CUgraphNode again = kernel(same, add, {}, a, 2);
  kernel(same, add, {again}, a, 20);
  CUgraphExecUpdateResultInfo info{};
  CHECK_CU(cu.cuGraphExecUpdate_v2(exec, same, &info));
  EXPECT_EQ(run(), 34);
  kernel(other_shape, add, {}, a, 2);
  kernel(other_shape, add, {}, a, 2);
  EXPECT_EQ(cu.cuGraphExecUpdate_v2(exec, other_shape, &info), 910);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  CHECK_CU(cu.cuGraphDestroy(same));
  CHECK_CU(cu.cuGraphDestroy(other_shape));
}

TEST_F(Extra, PoolsAreOrderedByTheStream) {
  CUdeviceptr p = 0;
  CHECK_CU(cu.cuMemAllocAsync(&p, 128, stream));
  CHECK_CU(cu.cuMemsetD32Async(p, 4, 32, stream));
  CHECK_CU(launch(add, 1, 32, 0, stream, p, 1));
  CHECK_CU(cu.cuMemcpyDtoDAsync_v2(a, p, 128, stream));
  CHECK_CU(cu.cuMemFreeAsync(p, stream));
  EXPECT_EQ(download<int>(a, 32), std::vector<int>(32, 5));
  ONLY_SIMULATED();
  // Another stream that does not wait finds nothing there.
  cu.simcuda_control("stall", std::to_string(reinterpret_cast<unsigned long long>(stream)).c_str());
  CHECK_CU(cu.cuMemAllocAsync(&p, 128, stream));
  CHECK_CU(launch(add, 1, 32, 0, other, p, 1));
  EXPECT_EQ(cu.cuStreamSynchronize(other), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_NE(last_report().find("has not reached yet"), std::string::npos) << last_report();
  cu.simcuda_control("restore-device", "0");
  cu.simcuda_control("resume", nullptr);
  CHECK_CU(cu.cuMemFreeAsync(p, stream));
  CHECK_CU(cu.cuStreamSynchronize(stream));
}

TEST_F(Extra, ProgrammaticLaunchesMustWait) {
  ONLY_SIMULATED();
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attribute.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig config{1, 1, 1, 32, 1, 1, 0, stream, &attribute, 1};
  void* arguments[] = {&a};
  CHECK_CU(cu.cuLaunchKernelEx(&config, get("patient"), arguments, nullptr));
  EXPECT_EQ(download<int>(a, 1)[0], 1);
  EXPECT_EQ(cu.simcuda_control("reports", nullptr), 0) << last_report();
  CHECK_CU(cu.cuLaunchKernelEx(&config, get("early"), arguments, nullptr));
  EXPECT_EQ(download<int>(a, 1)[0], 2);
  ASSERT_EQ(cu.simcuda_control("reports", nullptr), 1);
  EXPECT_NE(last_report().find("kernel 'early'"), std::string::npos);
}

// a += 5, then b = a, then c = b, each behind the one before by a programmatic edge. What waits is right; what does not
// has run before the kernel that it follows, under every seed.
TEST_F(Extra, ProgrammaticConsumersRunFirstUntilTheyWait) {
  ONLY_SIMULATED();
  CUdeviceptr b = upload(std::vector<int>(64, 0)), c = upload(std::vector<int>(64, 0));
  CHECK_CU(cu.cuStreamSynchronize(stream));
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attribute.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig config{2, 1, 1, 32, 1, 1, 0, stream, &attribute, 1};
  int now = 0;
  for (const bool waits : {true, false}) {
    SCOPED_TRACE(waits);
    CUfunction kernel = get(waits ? "take" : "snatch");
    CHECK_CU(cu.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    CHECK_CU(launch(add, 1, 32, 0, stream, a, 5));
    void* first[] = {&b, &a};
    CHECK_CU(cu.cuLaunchKernelEx(&config, kernel, first, nullptr));
    void* second[] = {&c, &b};
    CHECK_CU(cu.cuLaunchKernelEx(&config, kernel, second, nullptr));
    CUgraph captured = nullptr;
    CHECK_CU(cu.cuStreamEndCapture(stream, &captured));
    CUgraphExec made = nullptr;
    CHECK_CU(cu.cuGraphInstantiateWithFlags(&made, captured, 0));
    for (int seed = 0; seed < 6; ++seed) {
      SCOPED_TRACE(seed);
      cu.simcuda_control("seed", std::to_string(seed).c_str());
      cu.simcuda_control("clear-reports", nullptr);
      // Launches of one graph never overlap, whatever its edges are.
      for (int i = 0; i < 2; ++i) CHECK_CU(cu.cuGraphLaunch(made, stream));
      now += 10;
      EXPECT_EQ(download<int>(a, 32), std::vector<int>(32, now));
      EXPECT_EQ(download<int>(b, 64), std::vector<int>(64, waits ? now : now - 5));
      if (waits) {
        EXPECT_EQ(download<int>(c, 64), std::vector<int>(64, now));
      }
      EXPECT_EQ(cu.simcuda_control("reports", nullptr) > 0, !waits) << last_report();
    }
    CHECK_CU(cu.cuGraphExecDestroy(made));
    CHECK_CU(cu.cuGraphDestroy(captured));
  }
}

// b = what the kernel before leaves alone + what it writes; then the other way round, which reads too early.
TEST_F(Extra, ConsumersReadEarlyWhatIsNotWritten) {
  ONLY_SIMULATED();
  CUdeviceptr b = upload(std::vector<int>(64, 0)), still = upload(std::vector<int>(32, 7));
  CHECK_CU(cu.cuStreamSynchronize(stream));
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attribute.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig config{2, 1, 1, 32, 1, 1, 0, stream, &attribute, 1};
  for (const bool right : {true, false}) {
    SCOPED_TRACE(right);
    CHECK_CU(cu.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    CHECK_CU(launch(add, 1, 32, 0, stream, a, 5));
    void* arguments[] = {&b, right ? &still : &a, right ? &a : &still};
    CHECK_CU(cu.cuLaunchKernelEx(&config, get("peek"), arguments, nullptr));
    CUgraph captured = nullptr;
    CHECK_CU(cu.cuStreamEndCapture(stream, &captured));
    CUgraphExec made = nullptr;
    CHECK_CU(cu.cuGraphInstantiateWithFlags(&made, captured, 0));
    const long long before = cu.simcuda_control("early-readers", nullptr);
    CHECK_CU(cu.cuGraphLaunch(made, stream));
    EXPECT_EQ(download<int>(b, 64)[0], 12);
    EXPECT_EQ(cu.simcuda_control("early-readers", nullptr), before + 1);
    EXPECT_EQ(cu.simcuda_control("reports", nullptr) > 0, !right) << last_report();
    CHECK_CU(cu.cuGraphExecDestroy(made));
    CHECK_CU(cu.cuGraphDestroy(captured));
  }
  EXPECT_NE(last_report().find("kernel 'peek'"), std::string::npos) << last_report();
  EXPECT_NE(last_report().find("reads what the kernels before it write"), std::string::npos) << last_report();
}

TEST_F(Extra, NoPrivateTableOfAnUnknownNumber) {
  const CUuuid unknown = {};
  const void* table = &unknown;
  EXPECT_EQ(cu.cuGetExportTable(&table, &unknown), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(table, nullptr);
  EXPECT_EQ(cu.cuGetExportTable(&table, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu.cuGetExportTable(nullptr, &unknown), CUDA_ERROR_INVALID_VALUE);
}

// Each older driver claims its version and lacks what came later. Looked at
// without calling anything but the version.
TEST(OlderDrivers, LackWhatIsNewer) {
  const char* folders = std::getenv("SIMCUDA_TEST_VARIANTS");
  if (folders == nullptr) GTEST_SKIP() << "SIMCUDA_TEST_VARIANTS is not set";
  struct Symbol {
    const char* name;
    int since;
  };
  const Symbol symbols[] = {
#define RONDO_FN(result, name, parameters, since) {#name, since},
#include "../../../src/dynlib/driver.def"
#include "extra.def"
#undef RONDO_FN
  };
  for (auto [folder, version] :
       {std::pair{"v11.2", 11020}, {"v11.4", 11040}, {"v12.0", 12000}, {"v12.4", 12040}, {"v12.8", 12080}}) {
    void* library = dlopen((std::string(folders) + "/" + folder + "/libcuda.so.1").c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    auto get_version = reinterpret_cast<CUresult (*)(int*)>(dlsym(library, "cuDriverGetVersion"));
    int claimed = 0;
    ASSERT_EQ(get_version(&claimed), CUDA_SUCCESS);
    EXPECT_EQ(claimed, version);
    for (const Symbol& symbol : symbols)
      EXPECT_EQ(dlsym(library, symbol.name) != nullptr, symbol.since <= version) << symbol.name;
    dlclose(library);
  }
}

}  // namespace
}  // namespace simcuda_test
