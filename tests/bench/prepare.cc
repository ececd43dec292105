// prepare: what a kernel costs before its first launch, and on the way to each later one.
//
//   prepare [ARCHITECTURE]     for sm_ARCHITECTURE (90)
//
// Compiling: the text that Rondo makes for an expression, beside a kernel written by hand for the same expression, both
// with the NVRTC that Rondo opens, one of each in turn. That needs no device. Finding: a kernel that the memory cache
// has, by its signature, as each operator does. That needs a driver, the simulated one too. Looks inside the library,
// because through its interface neither can be told apart from what is around it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/rondo.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "base/text.h"
#include "dynlib/cuda_libraries.h"
#include "engine/tensor.h"
#include "ops/elementwise/elementwise_task.h"
#include "ops/task/kernel_spec.h"
#include "rtc/compiler.h"
#include "rtc/device_text.h"
#include "stats.h"

namespace {

using namespace rondo;

void demand(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "prepare: %s\n", status.message());
  std::exit(1);
}
void demand(rondo_status status) {
  if (status == RONDO_OK) return;
  std::fprintf(stderr, "prepare: %s\n", rondo_last_error());
  std::exit(1);
}

double now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double time_us(const std::function<void()>& body) {
  const double begin = now_us();
  body();
  return now_us() - begin;
}

// --- compiling
struct Case {
  const char* name;
  ops::Expression expression;
  int inputs;
  const char* by_hand;  // y of a and b at i
};

std::vector<Case> cases() {
  using ops::Expression, ops::Op, ops::Value;
  std::vector<Case> all;
  Expression add;
  const Value a = add.input(RONDO_F32), b = add.input(RONDO_F32);
  add.output(add.apply(Op::add, a, b), RONDO_F32, false);
  all.push_back({"a + b", add, 2, "a[i] + b[i]"});
  Expression tanh;
  tanh.output(tanh.apply(Op::tanh, tanh.input(RONDO_F32)), RONDO_F32, false);
  all.push_back({"tanh(a)", tanh, 1, "tanhf(a[i])"});
  Expression chain;
  Value value = chain.input(RONDO_F32);
  const Value other = chain.input(RONDO_F32);
  std::string text = "a[i]";
  for (int k = 0; k < 8; ++k) {
    value = chain.apply(k % 2 ? Op::mul : Op::add, value, other);
    text = "(" + text + (k % 2 ? " * " : " + ") + "b[i])";
  }
  chain.output(value, RONDO_F32, false);
  static const std::string kept = text;
  all.push_back({"8 operations", chain, 2, kept.c_str()});
  return all;
}

std::string hand_written(const Case& each) {
  return format(
      "extern \"C\" __global__ void kernel(const float* a, const float* b, float* y, unsigned n) {\n"
      "  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = %s;\n"
      "}\n",
      each.by_hand);
}

// NVRTC alone, with the options of `target`.
void compile_bare(const rtc::Target& target, const std::string& text) {
  cuda::Nvrtc& nvrtc = cuda::nvrtc();
  cuda::nvrtcProgram program = nullptr;
  std::vector<const char*> options;
  for (const std::string& option : target.options) options.push_back(option.c_str());
  size_t bytes = 0;
  std::string image;
  bool ok = nvrtc.nvrtcCreateProgram(&program, text.c_str(), "kernel", 0, nullptr, nullptr) == cuda::NVRTC_SUCCESS &&
            nvrtc.nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data()) == cuda::NVRTC_SUCCESS;
  ok = ok && nvrtc.nvrtcGetCUBINSize(program, &bytes) == cuda::NVRTC_SUCCESS;
  image.resize(bytes);
  ok = ok && nvrtc.nvrtcGetCUBIN(program, image.data()) == cuda::NVRTC_SUCCESS;
  nvrtc.nvrtcDestroyProgram(&program);
  if (!ok) demand(error(RONDO_COMPILE_FAILED, "the kernel written by hand did not compile"));
}

void compiling(int architecture) {
  rtc::Target target;
  demand(rtc::choose_target(architecture, false, &target));
  if (!target.binary) demand(error(RONDO_UNSUPPORTED, "NVRTC does not know sm_%d", architecture));
  std::printf("compiling for sm_%d with NVRTC %s, ms (goal: 3 above the floor)\n", architecture,
              cuda::nvrtc().version().c_str());
  std::printf("  %-14s %8s %8s %8s\n", "", "rondo", "floor", "above");
  for (const Case& each : cases()) {
    ops::Space space;
    space.ndim = 1;
    space.flat = true;
    space.vector = 4;
    space.elements = 1024;
    space.dims.append() = space.elements;
    for (int k = 0; k < each.expression.operands(); ++k) space.dims.append() = 1;
    const std::string floor_text = hand_written(each);
    std::string image;
    std::vector<double> ours, floor;
    for (int i = 0; i < 12; ++i) {
      const double bare = time_us([&] { compile_bare(target, floor_text); });
      const double made = time_us(
          [&] { demand(rtc::compile(target, "kernel", ops::elementwise_text(each.expression, space), &image)); });
      if (i < 2) continue;  // the first open what they need
      floor.push_back(bare / 1000);
      ours.push_back(made / 1000);
    }
    const double mine = bench::quantile(ours, 0.5), theirs = bench::quantile(floor, 0.5);
    std::printf("  %-14s %8.2f %8.2f %8.2f %s\n", each.name, mine, theirs, mine - theirs,
                mine - theirs <= 3 ? "met" : "missed");
  }
}

// --- finding
void finding() {
  rondo_engine* engine = nullptr;
  rondo_tensor* tensor = nullptr;
  const int64_t shape[] = {1024};
  demand(rondo_engine_create(nullptr, &engine));
  demand(rondo_tensor_create(engine, {RONDO_CUDA, 0}, RONDO_F32, 1, shape, &tensor));
  demand(rondo_fill(tensor, 1));
  demand(rondo_tensor_wait(tensor));
  auto& device = static_cast<cuda::CudaDevice&>(tensor->view.device());
  ops::KernelSpec spec(rtc::kReduce, 0, false, "prepare");
  for (const char* constant : {"k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9"}) spec.constant(constant, 7);
  spec.text({"extern \"C\" __global__ void rondo_kernel(int* at) { *at = 1; }\n"});
  const rtc::Kernel* found = nullptr;
  const auto find = [&] {
    return rtc::find_kernel(
        device, spec.signature(), spec.name(), [&spec] { return spec.source(); }, &found);
  };
  demand(find());
  constexpr int kFinds = 10000;
  std::vector<double> samples;
  for (int i = 0; i < 31; ++i)
    samples.push_back(time_us([&] {
                        for (int k = 0; k < kFinds; ++k)
                          if (!find().ok()) std::abort();
                      }) /
                      kFinds);
  const double us = bench::quantile(samples, 0.5);
  std::printf("finding a kernel in the memory cache, by a signature of ten parts: %.3f us (goal: 0.1) %s\n", us,
              us <= 0.1 ? "met" : "missed");
  rondo_tensor_destroy(tensor);
  rondo_engine_destroy(engine);
}

}  // namespace

int main(int argc, char** argv) {
  compiling(argc > 1 ? std::atoi(argv[1]) : 90);
  if (const Status status = cuda::driver().open(); !status.ok()) {
    std::printf("finding a kernel: cannot run: %s\n", status.message());
    return 0;
  }
  finding();
  return 0;
}
