// An NVRTC that writes down what Rondo wants to have compiled, in the folder RONDO_TEST_KERNELS. It stands in front of
// the simulated driver's and gives it a kernel that does nothing instead: so programs come by all their kernels in
// seconds, and compute nothing.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
//
// It defines the one function that it changes. A look-up of another goes on to the library it is linked with.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "dynlib/cuda_types.h"
#include "nvrtc_kernels.h"
#include "rtc/device_text.h"

namespace {

using rondo::cuda::nvrtcProgram;
using rondo::cuda::nvrtcResult;

// The program that Rondo runs in has failed for a reason that is not its own.
[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "nvrtc recorder: %s\n", why.c_str());
  std::_Exit(2);
}

void record(const std::string& name, const std::string& source) {
  const char* folder = std::getenv("RONDO_TEST_KERNELS");
  if (!folder || !*folder) stop("RONDO_TEST_KERNELS names no folder");
  const std::string before = rondo::rtc::text_of(rondo::rtc::kPreludeText) + toolkits::kBeforeText;
  if (source.compare(0, before.size(), before) != 0) stop("the source of " + name + " begins in an unknown way");
  if (!toolkits::write_kernel(folder, name, source.substr(before.size())))
    stop(std::string("cannot write to ") + folder);
}

}  // namespace

extern "C" {

nvrtcResult nvrtcVersion(int* major, int* minor);
// Keeps the linker from dropping a library of which nothing else is used by name.
[[gnu::used]] decltype(&nvrtcVersion) const nvrtc_recorder_needs = &nvrtcVersion;

__attribute__((visibility("default"))) nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source,
                                                                      const char* name, int n_headers,
                                                                      const char* const* headers,
                                                                      const char* const* header_names) {
  static const auto behind = reinterpret_cast<decltype(&nvrtcCreateProgram)>(dlsym(RTLD_NEXT, "nvrtcCreateProgram"));
  if (!behind) stop("there is no NVRTC behind it");
  // A module of the user's is as it is: its kernels are looked up by their names.
  if (std::strstr(source, "rondo_declared_0")) return behind(program, source, name, n_headers, headers, header_names);
  record(name, source);
  return behind(program, "extern \"C\" __global__ void rondo_kernel() {}\n", "nothing", n_headers, headers,
                header_names);
}

}  // extern "C"
