// The table of entry points. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "entries.h"

namespace faults {

const std::vector<Entry>& entries() {
  using enum When;
  using enum Shows;
  static const std::vector<Entry> all = {
      // libraries and devices
      {"cuDriverGetVersion", first_use, missing},
      {"cuInit", first_use, missing},
      {"cuDeviceGetCount", first_use, missing},
      {.name = "cuDeviceGet", .when = first_use, .opens = true},
      {.name = "cuDeviceGetAttribute", .when = first_use, .opens = true},
      {.name = "cuDevicePrimaryCtxRetain", .when = first_use, .opens = true},
      {"cuCtxGetCurrent", each_run, depends},
      {"cuCtxSetCurrent", each_run, depends},
      {"cuDeviceGetName", each_run},
      {"cuMemGetInfo_v2", each_run},
      {"cuGetErrorName", after, nothing, "", "cuLaunchKernel:1:1"},
      {"cuGetErrorString", after, nothing, "", "cuLaunchKernel:1:1"},
      // memory
      {"cuMemAlloc_v2", each_run},
      {"cuMemFree_v2", each_run, nothing, "allocations"},
      {"cuMemHostAlloc", each_run, depends},
      {"cuMemFreeHost", each_run, nothing, "pinned"},
      {"cuMemcpyHtoDAsync_v2", each_run},
      {"cuMemcpyDtoHAsync_v2", each_run},
      {"cuMemsetD8Async", each_run},
      // streams and events
      {"cuCtxGetStreamPriorityRange", each_run},
      {"cuStreamCreateWithPriority", each_run},
      {"cuStreamDestroy_v2", each_run, nothing, "streams"},
      {"cuStreamSynchronize", each_run},
      {"cuStreamWaitEvent", each_run},
      {"cuEventCreate", each_run, depends},
      {"cuEventDestroy_v2", each_run, nothing, "events"},
      {"cuEventRecord", each_run, depends},
      {.name = "cuEventQuery", .when = each_run, .shows = nothing, .by_chance = true},
      {"cuEventSynchronize", each_run, depends},
      {"cuEventElapsedTime", each_run, nothing},
      // kernels
      {"cuModuleLoadDataEx", first_use},
      {"cuModuleGetFunction", first_use},
      {"cuModuleUnload", after, reported, "modules", "cuModuleGetFunction:1:1"},
      {"cuFuncLoad", first_use},
      {"cuFuncGetAttribute", first_use},
      {"cuLaunchKernel", each_run},
      {"cuLaunchKernelEx", each_run},
      {"nvrtcVersion", first_use, missing},
      {"nvrtcGetNumSupportedArchs", first_use},
      {"nvrtcGetSupportedArchs", first_use},
      {"nvrtcCreateProgram", first_use},
      {"nvrtcCompileProgram", first_use},
      {"nvrtcDestroyProgram", first_use, nothing, "programs"},
      {"nvrtcGetCUBINSize", first_use},
      {"nvrtcGetCUBIN", first_use},
      {"nvrtcGetPTXSize", after, reported, "", "cuModuleLoadDataEx:1:200"},
      {"nvrtcGetPTX", after, reported, "", "cuModuleLoadDataEx:1:200"},
      {"nvrtcGetProgramLogSize", after, stays, "", "nvrtcCompileProgram:1:6"},
      {"nvrtcGetProgramLog", after, stays, "", "nvrtcCompileProgram:1:6"},
      // graphs
      {"cuThreadExchangeStreamCaptureMode", each_run, nothing},
      {"cuStreamBeginCapture_v2", each_run},
      {"cuStreamIsCapturing", each_run},
      {"cuStreamGetCaptureInfo_v2", each_run},
      {"cuGraphExecKernelNodeSetParams", each_run},
      {"cuStreamEndCapture", each_run},
      {"cuGraphConditionalHandleCreate", each_run},
      {"cuGraphAddNode_v2", each_run},
      {"cuStreamUpdateCaptureDependencies", each_run},
      {"cuStreamBeginCaptureToGraph", each_run},
      {"cuGraphNodeGetType", each_run},
      {"cuGraphGetNodes", each_run},
      {"cuGraphGetEdges_v2", each_run},
      {"cuGraphGetEdges", each_run, reported, "", "", "v11.4"},
      {"cuGraphInstantiateWithFlags", each_run},
      {"cuGraphInstantiate_v2", each_run, reported, "", "", "v11.2"},
      {"cuGraphUpload", each_run},
      {"cuGraphLaunch", each_run},
      {"cuGraphExecDestroy", each_run, nothing, "execs"},
      {"cuGraphDestroy", each_run, nothing, "graphs"},
      // not called here
      {.name = "cuMemcpyPeerAsync", .when = never, .why = "copies between two GPUs; devices.cc has them"},
      {.name = "cuMemsetD32Async", .when = never, .why = "scratch memory of cuBLASLt, which has no stand-in"},
      {.name = "nvrtcAddNameExpression", .when = never, .why = "of the user's modules only, which conformance has"},
      {.name = "nvrtcGetLoweredName", .when = never, .why = "of the user's modules only, which conformance has"},
      {.name = "nvrtcGetErrorString", .when = never, .why = "gives text, no code, when another has failed"},
      {.name = "cuDeviceTotalMem_v2", .when = never, .why = "cuMemGetInfo tells it"},
      {.name = "cuDeviceCanAccessPeer", .when = never, .why = "of communicators, which have tests of their own"},
      {.name = "cuCtxEnablePeerAccess", .when = never, .why = "of communicators, which have tests of their own"},
      {.name = "cuPointerGetAttribute", .when = never, .why = "of communicators, which have tests of their own"},
      {.name = "cuIpcGetMemHandle", .when = never, .why = "of communicators, which have tests of their own"},
      {.name = "cuIpcOpenMemHandle_v2", .when = never, .why = "of communicators, which have tests of their own"},
      {.name = "cuIpcCloseMemHandle", .when = never, .why = "of communicators, which have tests of their own"},
      {.name = "cuDevicePrimaryCtxRelease_v2", .when = never, .why = "contexts stay until the process ends"},
      {.name = "cuMemcpyDtoDAsync_v2", .when = never, .why = "a copy on one device is an operator"},
      {.name = "cuStreamQuery", .when = never, .why = "events are asked instead"},
      {.name = "cuModuleGetGlobal_v2", .when = never, .why = "kernels have no globals"},
      {.name = "cuFuncSetAttribute",
       .when = never,
       .why = "of kernels of the user's modules only, which conformance has"},
      {.name = "cuOccupancyMaxActiveBlocksPerMultiprocessor", .when = never, .why = "not used yet"},
      {.name = "cuLaunchHostFunc", .when = never, .why = "host functions run on workers"},
      {.name = "cuStreamGetCaptureInfo_v3", .when = never, .why = "cuStreamIsCapturing is enough"},
      {.name = "cuGraphCreate", .when = never, .why = "graphs are captured"},
      {.name = "cuGraphNodeSetEnabled", .when = never, .why = "of sections of a recording, which conformance has"},
      {.name = "cuGraphKernelNodeGetParams", .when = never, .why = "not used yet"},
      {.name = "cuGraphDebugDotPrint", .when = never, .why = "the picture is drawn from the recording"},
  };
  return all;
}

std::vector<std::string> entries_of_the_product() {
  return {
#define RONDO_FN(result, name, parameters, since) #name,
#include "driver.def"
#include "nvrtc.def"
#undef RONDO_FN
  };
}

}  // namespace faults
