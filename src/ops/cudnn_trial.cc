// Trials. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/cudnn_trial.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/dtype.h"

namespace rondo::ops::dnn {

using namespace cuda;

namespace {

constexpr unsigned char kFill = 0x3c;  // small numbers in every dtype

size_t reach(const Problem& problem, const Operand& operand) {
  int64_t last = 0;
  for (int i = 0; i < problem.spatial + 2; ++i) last += (operand.size[i] - 1) * operand.stride[i];
  return static_cast<size_t>(last + 1) * dtype_size(static_cast<rondo_dtype>(problem.dtype));
}

Operand bias_of(const Problem& problem) {
  return {{1, problem.result.size[1], 1, 1, 1}, {1, 1, 1, 1, 1}};
}

Operand residual_of(const Problem& problem) {
  Operand residual = problem.result;
  std::copy_n(problem.residual_stride, 5, residual.stride);
  return residual;
}

bool all_nan(int32_t dtype, const std::vector<char>& bytes) {
  const size_t size = dtype_size(static_cast<rondo_dtype>(dtype));
  for (size_t at = 0; at + size <= bytes.size(); at += size) {
    uint16_t half = 0;
    float single = 0;
    if (size == 2) {
      std::memcpy(&half, bytes.data() + at, 2);
      single = dtype == RONDO_F16 ? half_to_float(half) : bf16_to_float(half);
    } else {
      std::memcpy(&single, bytes.data() + at, 4);
    }
    if (!std::isnan(single)) return false;
  }
  return true;
}

}  // namespace

Trial::~Trial() {
  for (void* address :
       {addresses_.image, addresses_.filter, addresses_.result, addresses_.residual, addresses_.bias, workspace_})
    if (address) device_.release(address);
  for (void* event : {begin_, end_})
    if (event) device_.event_destroy(event);
  if (stream_) device_.stream_destroy(stream_);
}

Status Trial::take() {
  RONDO_TRY(device_.stream_create(false, &stream_));
  RONDO_TRY(device_.event_create(true, &begin_));
  RONDO_TRY(device_.event_create(true, &end_));
  const auto one = [this](const Operand& operand, void** address) {
    const size_t bytes = reach(problem_, operand);
    RONDO_TRY(device_.allocate(bytes, address));
    return device_.fill_bytes(*address, kFill, bytes, stream_);
  };
  RONDO_TRY(one(problem_.image, &addresses_.image));
  RONDO_TRY(one(problem_.filter, &addresses_.filter));
  RONDO_TRY(one(problem_.result, &addresses_.result));
  if (problem_.residual) RONDO_TRY(one(residual_of(problem_), &addresses_.residual));
  if (problem_.bias) RONDO_TRY(one(bias_of(problem_), &addresses_.bias));
  return device_.stream_synchronize(stream_);
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
  const Status status = plan.run(device_, addresses_, workspace_, stream_);
  RONDO_TRY(device_.stream_synchronize(stream_));
  return status;
}

Status Trial::keeps_nan(const Plan& plan, bool* keeps) {
  constexpr unsigned char kNan = 0xff;  // in every dtype
  constexpr size_t kLooked = 4096;
  const bool by_bias = problem_.bias != 0;
  void* const added = by_bias ? addresses_.bias : addresses_.residual;
  const size_t added_bytes = by_bias ? reach(problem_, bias_of(problem_)) : reach(problem_, residual_of(problem_));
  const size_t bytes = reach(problem_, problem_.result);
  std::vector<char> seen(std::min(bytes, kLooked));
  RONDO_TRY(device_.fill_bytes(added, kNan, added_bytes, stream_));
  RONDO_TRY(device_.fill_bytes(addresses_.result, kNan, bytes, stream_));  // gaps are not to be mistaken for zeros
  RONDO_TRY(run(plan));
  RONDO_TRY(device_.copy(CopyKind::device_to_host, seen.data(), addresses_.result, seen.size(), stream_));
  RONDO_TRY(device_.fill_bytes(added, kFill, added_bytes, stream_));
  RONDO_TRY(device_.stream_synchronize(stream_));
  *keeps = all_nan(problem_.dtype, seen);
  return {};
}

Status Trial::time_graph(const std::function<Status(void* stream)>& body, float* microseconds) {
  NativeGraph graph;
  RONDO_TRY(device_.capture_begin(stream_));
  const Status enqueued = body(stream_);
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
        for (int i = 0; i < copies; ++i) RONDO_TRY(plan.run(device_, addresses_, workspace_, stream));
        return Status();
      },
      microseconds));
  *microseconds /= static_cast<float>(copies);
  return {};
}

}  // namespace rondo::ops::dnn
