// Runs and times plans on memory of the trial's own, eagerly and as a captured graph.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/cudnn/trial.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/caught.h"
#include "base/dtype.h"
#include "base/room.h"

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

Trial::~Trial() {
  for (void* address : taken_) device_.release(address);
  if (workspace_) device_.release(workspace_);
  for (void* event : {begin_, end_})
    if (event) device_.event_destroy(event);
  if (stream_) device_.stream_destroy(stream_);
}

Status Trial::take() {
  RONDO_TRY(device_.stream_create(false, &stream_));
  RONDO_TRY(device_.event_create(true, &begin_));
  RONDO_TRY(device_.event_create(true, &end_));
  RONDO_TRY(take_operands());
  return synchronize();
}

Status Trial::take_memory(size_t bytes, size_t margin, void** address) {
  bytes = (bytes + 3) / 4 * 4;  // filled in words
  void* memory = nullptr;
  make_room(&taken_);
  RONDO_TRY(device_.allocate(margin + bytes + margin, &memory));
  taken_.push_back(memory);
  *address = static_cast<char*>(memory) + margin;
  return device_.fill_bytes(memory, kNan, margin + bytes + margin, stream_);
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

Status Trial::take_workspace(size_t bytes) {
  if (bytes <= workspace_bytes_) return {};
  if (workspace_) device_.release(workspace_);
  workspace_ = nullptr;
  workspace_bytes_ = 0;
  RONDO_TRY(device_.allocate(bytes, &workspace_));
  workspace_bytes_ = bytes;
  return {};
}

Status Trial::run(const Plan& plan) {
  RONDO_TRY(take_workspace(plan.workspace_bytes()));
  if (workspace_) RONDO_TRY(device_.fill_bytes(workspace_, kNan, workspace_bytes_, stream_));  // never cleared
  const Status status = plan.run(device_, pointers_, workspace_, stream_);
  RONDO_TRY(synchronize());
  return status;
}

Status Trial::time_graph(const std::function<Status(void* stream)>& body, float* microseconds) {
  NativeGraph graph;
  RONDO_TRY(device_.capture_begin(stream_));
  const Status enqueued = caught([&] { return body(stream_); });
  const Status sound = enqueued.ok() ? device_.capture_check(stream_) : enqueued;
  const Status ended = device_.capture_end(stream_, sound.ok(), &graph);
  if (!sound.ok()) return sound;
  RONDO_TRY(ended);
  Status status = device_.graph_instantiate(&graph, stream_);
  float milliseconds = 0;
  if (status.ok()) status = device_.graph_launch(graph, stream_);
  if (status.ok()) status = device_.event_record(begin_, stream_);
  if (status.ok()) status = device_.graph_launch(graph, stream_);
  if (status.ok()) status = device_.event_record(end_, stream_);
  const Status done = device_.stream_synchronize(stream_);
  if (status.ok()) status = done;
  if (status.ok()) status = device_.event_elapsed(begin_, end_, &milliseconds);
  device_.graph_destroy(&graph);
  *microseconds = milliseconds * 1000;
  return status;
}

Status Trial::time(const Plan& plan, int copies, float* microseconds) {
  RONDO_TRY(take_workspace(plan.workspace_bytes()));
  RONDO_TRY(time_graph(
      [&](void* stream) {
        for (int i = 0; i < copies; ++i) RONDO_TRY(plan.run(device_, pointers_, workspace_, stream));
        return Status();
      },
      microseconds));
  *microseconds /= static_cast<float>(copies);
  return {};
}

}  // namespace rondo::ops::dnn
