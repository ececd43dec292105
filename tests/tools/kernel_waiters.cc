// Has a second thread wait for a kernel that a first one compiles, whose limit then ends that: kernel_waiters.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "device/cuda/cuda_device.h"
#include "engine/tasks/making_limit.h"
#include "rtc/kernel.h"

namespace rondo {
namespace {

constexpr uint8_t kFamily = 255;

std::string text() {
  return "extern \"C\" __global__ void rondo_kernel(int* at) { *at = 7; }\n";
}

// A limit that is over as soon as a kernel is to be compiled.
class Over final : public MakingLimit {
 public:
  Over() : MakingLimit(1) {}

 private:
  bool over() const override { return true; }
};

// Returns whether the second has its kernel and the first is refused as wanted.
bool second_goes_on(cuda::CudaDevice& device, int number, const MakingLimit& limit, rondo_status wanted) {
  rtc::Signature signature(kFamily);
  signature.put(number);
  Status first, second;
  std::thread other;
  {
    const MakingLimit::Scope limited(&limit);
    const rtc::Kernel* kernel = nullptr;
    // The text is asked for while others already wait.
    const auto slowly = [&] {
      other = std::thread([&] {
        const rtc::Kernel* kernel = nullptr;
        second = rtc::find_kernel(device, signature, "second", text, &kernel);
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      return text() + "// " + std::to_string(number) + "\n";
    };
    first = rtc::find_kernel(device, signature, "first", slowly, &kernel);
  }
  other.join();
  std::printf("first: %d %s\nsecond: %d %s\n", first.code(), first.message(), second.code(), second.message());
  return first.code() == wanted && second.ok();
}

int run() {
  Device* opened = nullptr;
  if (!get_device({RONDO_CUDA, 0}, &opened).ok()) return 2;
  auto& device = static_cast<cuda::CudaDevice&>(*opened);
  const MakingLimit little(0, 1);
  const Over over;
  return second_goes_on(device, 1, little, RONDO_OUT_OF_MEMORY) && second_goes_on(device, 2, over, RONDO_TIMED_OUT) ? 0
                                                                                                                    : 1;
}

}  // namespace
}  // namespace rondo

int main() {
  return rondo::run();
}
