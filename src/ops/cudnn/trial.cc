// Runs and times plans on memory of the trial's own, eagerly and as a captured graph.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/cudnn/trial.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/dtype.h"

namespace rondo::ops::dnn {

using namespace cuda;

double trial_number(int64_t i) {
  constexpr double kSome[] = {0x1p-4, 0x1p-4, 0x1p-3, 0x1p-2};
  static const std::array<uint8_t, kNumbers> which = [] {
    std::array<uint8_t, kNumbers> made;
    uint32_t bits = 1;
    for (uint8_t& each : made) {
      bits = bits * 1664525 + 1013904223;
      each = static_cast<uint8_t>(bits >> 30);
    }
    return made;
  }();
  return kSome[which[static_cast<size_t>(i % kNumbers)]];
}

double number_at(int32_t dtype, const void* bytes) {
  uint16_t half = 0;
  float single = 0;
  double wide = 0;
  switch (dtype) {
    case RONDO_F64: std::memcpy(&wide, bytes, sizeof wide); return wide;
    case RONDO_F32: std::memcpy(&single, bytes, sizeof single); return static_cast<double>(single);
    default:
      std::memcpy(&half, bytes, sizeof half);
      return static_cast<double>(dtype == RONDO_F16 ? half_to_float(half) : bf16_to_float(half));
  }
}

void put_number(int32_t dtype, double number, void* bytes) {
  const auto narrow = static_cast<float>(number);
  const uint16_t half = dtype == RONDO_F16 ? float_to_half(narrow) : float_to_bf16(narrow);
  const size_t size = dtype_size(static_cast<rondo_dtype>(dtype));
  std::memcpy(bytes,
              size == 8   ? static_cast<const void*>(&number)
              : size == 4 ? static_cast<const void*>(&narrow)
                          : &half,
              size);
}

Status Trial::take() {
  RONDO_TRY(open());
  RONDO_TRY(take_operands());
  return synchronize();
}

Status Trial::fill_numbers(int32_t dtype, int64_t first, void* address, size_t bytes, double factor) {
  const size_t size = dtype_size(static_cast<rondo_dtype>(dtype));
  std::vector<char> numbers(kNumbers * size);
  for (int64_t i = 0; i < kNumbers; ++i)
    put_number(dtype, trial_number(first + i) * factor, &numbers[static_cast<size_t>(i) * size]);
  size_t filled = std::min(bytes, numbers.size());
  RONDO_TRY(device_.copy(CopyKind::host_to_device, address, numbers.data(), filled, stream_));
  for (size_t more = 0; filled < bytes; filled += more) {
    more = std::min(filled, bytes - filled);
    RONDO_TRY(device_.copy(CopyKind::device_to_device, static_cast<char*>(address) + filled, address, more, stream_));
  }
  return synchronize();  // the numbers go
}

Status Trial::run(const Plan& plan) {
  RONDO_TRY(take_workspace(plan.workspace_bytes()));
  if (workspace()) RONDO_TRY(device_.fill_bytes(workspace(), kNan, workspace_bytes_, stream_));  // never cleared
  const Status status = plan.run(device_, pointers_, workspace(), stream_);
  RONDO_TRY(synchronize());
  return status;
}

Status Trial::time(const Plan& plan, int copies, float* microseconds) {
  RONDO_TRY(take_workspace(plan.workspace_bytes()));
  RONDO_TRY(time_graph(
      [&](void* stream) {
        for (int i = 0; i < copies; ++i) RONDO_TRY(plan.run(device_, pointers_, workspace(), stream));
        return Status();
      },
      microseconds));
  *microseconds /= static_cast<float>(copies);
  return {};
}

}  // namespace rondo::ops::dnn
