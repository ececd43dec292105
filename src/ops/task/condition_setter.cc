// Compiles and launches the kernel that sets the value of a conditional node.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/task/condition_setter.h"

#include <type_traits>

#include "rtc/kernel.h"

namespace rondo::ops {

namespace {

static_assert(std::is_standard_layout_v<ConditionSetter> && sizeof(ConditionSetter) == 88);

// The driver knows the function when it loads the kernel; no header declares it. The bodies' random numbers begin where
// random_of_body (engine/random_scope.cc) says.
const char* const kText = R"(extern "C" __device__ void cudaGraphSetConditional(u64 handle, unsigned value);
struct RunState {
  PhiloxState numbers, choices;
  u64 turn;
};
struct Chooser {
  const void* number;
  u64 value, opposite, limit;
  RunState* bodies;
  const PhiloxState* drawn;
  u64 offset, indices;
  u32 bytes, has_value, has_opposite, again, device, unused;
};
RONDO_INLINE u64 spread(u64 x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}
extern "C" __global__ void rondo_kernel(const Chooser a) {
  if (!a.number) return;
  long long number;
  if (a.bytes == 8)
    number = *static_cast<const long long*>(a.number);
  else if (a.bytes == 4)
    number = *static_cast<const int*>(a.number);
  else
    number = *static_cast<const unsigned char*>(a.number);
  u64 turn = 0;
  if (a.bodies) {
    if (a.again) turn = a.bodies->turn + 1;
    a.bodies->turn = turn;
    if (a.drawn) {
      const u64 seed = spread(spread(spread(a.drawn->key) ^ (a.drawn->offset + a.offset)) ^ turn);
      a.bodies->numbers = PhiloxState{spread(seed ^ a.device), 0};
      a.bodies->choices = PhiloxState{spread(seed), 0};
    }
  }
  const bool goes_on = a.limit == 0 || turn < a.limit;
  unsigned value = number != 0 && goes_on ? 1u : 0u;
  if (a.indices)
    value = number >= 0 && static_cast<u64>(number) < a.indices ? static_cast<unsigned>(number)
                                                                : static_cast<unsigned>(a.indices);
  if (a.has_value) cudaGraphSetConditional(a.value, value);
  if (a.has_opposite) cudaGraphSetConditional(a.opposite, value ? 0u : 1u);
}
)";

Status find(cuda::CudaDevice& device, const rtc::Kernel** kernel) {
  return rtc::find_kernel(
      device, rtc::Signature(rtc::kChooser), "chooser", [] { return std::string(kText); }, kernel);
}

}  // namespace

Status prepare_condition_setter(cuda::CudaDevice& device) {
  const rtc::Kernel* kernel = nullptr;
  return find(device, &kernel);
}

Status launch_condition_setter(cuda::CudaDevice& device, void* stream, const ConditionSetter& setter) {
  const rtc::Kernel* kernel = nullptr;
  RONDO_TRY(find(device, &kernel));
  return device.launch(kernel->function, {}, stream, &setter);
}

}  // namespace rondo::ops
