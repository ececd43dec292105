// Opens libraries as its arguments say and prints what happened, one `key<tab>value` a line. loader_test starts it with
// the environment of each case, because a process can open a library only once.
//
//   open driver|nvrtc|cublaslt|cudnn|nccl|blas|onednn   status, message, path, version and every probe
//   call NAME                         calls a function that the library lacks
//   threads N                         opens the driver from N threads at once
//   load FILE                         dlopens a file first, as another part of a program might
//   symbol SONAME NAME                calls int NAME(void) of a library that is in the process, or says `absent`
//   instructions                      the best that the processor has: baseline, avx2, avx512
//   environment NAME                  its value, or `absent`
//   device                            opens cuda:0, whatever comes of it
//   loaded FILE                       whether the file is in the process
//   secure                            whether the system runs this as a program with more rights than its user
//   ranges                            two ranges for a profiler, one in the other; whether there are any
//   compile                           compiles with NVRTC and prints the locale before and after
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/machine/instructions.h"
#include "device/device.h"
#include "dynlib/blas.h"
#include "dynlib/cuda_libraries.h"
#include "dynlib/cudnn.h"
#include "dynlib/nccl.h"
#include "dynlib/nvtx.h"
#include "dynlib/onednn.h"
#include "rtc/compiler.h"

namespace rondo {
namespace {

void print(const char* key, const std::string& value) {
  std::printf("%s\t%s\n", key, value.c_str());
}

Library& library(const std::string& name) {
  if (name == "driver") return cuda::driver();
  if (name == "nvrtc") return cuda::nvrtc();
  if (name == "cublaslt") return cuda::cublaslt();
  if (name == "cudnn") return cuda::cudnn();
  if (name == "nccl") return cuda::nccl();
  if (name == "blas") return blas();
  if (name == "onednn") return onednn();
  std::fprintf(stderr, "no library %s\n", name.c_str());
  std::exit(2);
}

void open(Library& which) {
  const Status status = which.open();
  print("status", std::to_string(status.code()));
  print("message", status.message());
  print("path", which.path());
  print("version", which.version());
  for (const Probe& probe : which.probes()) print("probe", probe.place + " => " + probe.result);
}

void call(const std::string& name) {
  int result = 0;
  if (name == "cuFuncLoad") result = cuda::driver().cuFuncLoad(nullptr);
  if (name == "cuLaunchKernel")
    result = cuda::driver().cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
  if (name == "nvrtcGetProgramLogSize") result = cuda::nvrtc().nvrtcGetProgramLogSize(nullptr, nullptr);
  if (name == "cudnnGetLastErrorString") {
    cuda::cudnn().cudnnGetLastErrorString(nullptr, 0);
    result = cuda::cudnn().cudnnGetLastErrorString.missing();
  }
  if (name == "ncclCommInitRankConfig")
    result = cuda::nccl().ncclCommInitRankConfig(nullptr, 1, cuda::ncclUniqueId(), 0, nullptr);
  if (name == "ncclAllReduce")
    result = cuda::nccl().ncclAllReduce(nullptr, nullptr, 0, cuda::ncclFloat32, cuda::ncclSum, nullptr, nullptr);
  if (name == "openblas_get_config") result = blas().openblas_get_config() ? 0 : blas().openblas_get_config.missing();
  // What else is called and absent before the error is asked for must not matter.
  cuda::driver().cuMemGetInfo_v2(nullptr, nullptr);
  print("missing", is_missing_function(result) ? "yes" : "no");
  print("why", missing_function_error(result).message());
}

void open_from_threads(int count) {
  std::vector<Status> seen(static_cast<size_t>(count));
  std::vector<std::thread> threads;
  for (Status& each : seen) threads.emplace_back([&each] { each = cuda::driver().open(); });
  for (std::thread& thread : threads) thread.join();
  int good = 0;
  for (const Status& each : seen) good += each.ok();
  print("opened", std::to_string(good));
}

void symbol(const char* soname, const char* name) {
  void* handle = dlopen(soname, RTLD_NOW | RTLD_NOLOAD);
  void* address = handle ? dlsym(handle, name) : nullptr;
  print("symbol", address ? std::to_string(reinterpret_cast<int (*)()>(address)()) : "absent");
}

int compare(dl_phdr_info* info, size_t, void* file) {
  return *static_cast<const std::string*>(file) == info->dlpi_name;
}

void loaded(std::string file) {
  print("loaded", dl_iterate_phdr(compare, &file) ? "yes" : "no");
}

void ranges() {
  const Nvtx* const there = Nvtx::of_process();
  print("ranges", there ? "yes" : "no");
  if (!there) return;
  print("version", there->version());
  there->push("outer");
  there->push("inner");
  there->pop();
  there->pop();
  void* handle = dlopen(there->path().c_str(), RTLD_NOW | RTLD_NOLOAD);
  char text[4096] = "";
  reinterpret_cast<void (*)(char*, size_t)>(dlsym(handle, "fake_nvtx_take"))(text, sizeof text);
  std::string said;
  for (char* line = std::strtok(text, "\n"); line; line = std::strtok(nullptr, "\n"))
    said += (said.empty() ? "" : ", ") + std::string(std::strchr(line, ' ') + 1);
  print("said", said);
}

void compile() {
  std::setlocale(LC_ALL, "");
  print("before", std::setlocale(LC_ALL, nullptr));
  rtc::Target target;
  target.options = {"--gpu-architecture=compute_90"};
  std::string image;
  const Status status = rtc::compile(target, "probe", "", &image);
  print("compiled", status.ok() ? image.c_str() : status.message());
  print("after", std::setlocale(LC_ALL, nullptr));
}

}  // namespace
}  // namespace rondo

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    auto next = [&]() -> const std::string& { return words.at(++i); };
    if (word == "open") {
      rondo::open(rondo::library(next()));
    } else if (word == "call") {
      rondo::call(next());
    } else if (word == "threads") {
      rondo::open_from_threads(std::stoi(next()));
    } else if (word == "load") {
      rondo::print("loaded", dlopen(next().c_str(), RTLD_NOW | RTLD_LOCAL) ? "yes" : dlerror());
    } else if (word == "symbol") {
      const std::string& soname = next();
      rondo::symbol(soname.c_str(), next().c_str());
    } else if (word == "instructions") {
      rondo::print("instructions", rondo::instructions_name(rondo::possible_instructions()));
    } else if (word == "environment") {
      const char* const value = std::getenv(next().c_str());
      rondo::print("environment", value ? value : "absent");
    } else if (word == "device") {
      rondo::Device* device = nullptr;
      rondo::print("device", rondo::get_device({RONDO_CUDA, 0}, &device).message());
    } else if (word == "loaded") {
      rondo::loaded(next());
    } else if (word == "secure") {
      rondo::print("secure", getauxval(AT_SECURE) ? "yes" : "no");
    } else if (word == "ranges") {
      rondo::ranges();
    } else if (word == "compile") {
      rondo::compile();
    } else {
      std::fprintf(stderr, "no command %s\n", word.c_str());
      return 2;
    }
  }
  return 0;
}
