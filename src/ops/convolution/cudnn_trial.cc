// Trials. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/cudnn_trial.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/caught.h"
#include "base/dtype.h"
#include "ops/task/rounding_witness.h"

namespace rondo::ops::dnn {

using namespace cuda;

namespace {

constexpr unsigned char kNan = 0xff;   // in every dtype
constexpr unsigned char kFill = 0x2c;  // of bias and residual: small numbers in every dtype

size_t reach(const Problem& problem, const Operand& operand) {
  int64_t last = 0;
  for (int i = 0; i < problem.spatial + 2; ++i) last += (operand.size[i] - 1) * operand.stride[i];
  return static_cast<size_t>(last + 1) * dtype_size(static_cast<rondo_dtype>(problem.dtype));
}

// What lies around each operand of a trial, all NaN: as far as padding reaches, so that an engine that reads it gives
// itself away. What else is there for it, nobody knows.
size_t margin_of(const Problem& problem) {
  int64_t most = 0;
  for (const Operand* each : {&problem.image, &problem.filter, &problem.result}) {
    int64_t elements = 0;
    for (int i = 0; i < problem.spatial; ++i)
      elements += std::max(problem.before[i], problem.after[i]) * each->stride[i + 2];
    most = std::max(most, elements);
  }
  const size_t bytes = static_cast<size_t>(most) * dtype_size(static_cast<rondo_dtype>(problem.dtype));
  return (bytes / 4096 + 1) * 4096;
}

Operand bias_of(const Problem& problem) {
  return {{1, problem.result.size[1], 1, 1, 1}, {1, 1, 1, 1, 1}};
}

Operand residual_of(const Problem& problem) {
  Operand residual = problem.result;
  std::copy_n(problem.residual_stride, 5, residual.stride);
  return residual;
}

double number_of(int32_t dtype, const char* bytes) {
  uint16_t half = 0;
  float single = 0;
  double wide = 0;
  switch (dtype) {
    case RONDO_F64: std::memcpy(&wide, bytes, sizeof wide); return wide;
    case RONDO_F32: std::memcpy(&single, bytes, sizeof single); return static_cast<double>(single);
    default:
      std::memcpy(&half, bytes, sizeof half);
      return static_cast<double>(float_of_half(static_cast<rondo_dtype>(dtype), half));
  }
}

// All numbers of a trial from `first` on.
std::vector<char> bytes_of_numbers(int32_t dtype, int64_t first) {
  const size_t size = dtype_size(static_cast<rondo_dtype>(dtype));
  std::vector<char> bytes(kNumbers * size);
  for (int64_t i = 0; i < kNumbers; ++i) {
    const double number = trial_number(first + i);
    const auto narrow = static_cast<float>(number);
    const uint16_t half = dtype == RONDO_F16 ? float_to_half(narrow) : float_to_bf16(narrow);
    std::memcpy(&bytes[static_cast<size_t>(i) * size],
                size == 8   ? static_cast<const void*>(&number)
                : size == 4 ? static_cast<const void*>(&narrow)
                            : &half,
                size);
  }
  return bytes;
}

bool all_nan(int32_t dtype, const std::vector<char>& bytes) {
  const size_t size = dtype_size(static_cast<rondo_dtype>(dtype));
  for (size_t at = 0; at + size <= bytes.size(); at += size)
    if (!std::isnan(number_of(dtype, bytes.data() + at))) return false;
  return true;
}

}  // namespace

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
  const size_t margin = margin_of(problem_);
  taken_.reserve(5);
  const auto one = [&](const Operand& operand, void** address) {
    const size_t bytes = (reach(problem_, operand) + 3) / 4 * 4;  // filled in words
    void* memory = nullptr;
    RONDO_TRY(device_.allocate(margin + bytes + margin, &memory));
    taken_.push_back(memory);
    *address = static_cast<char*>(memory) + margin;
    return device_.fill_bytes(memory, kNan, margin + bytes + margin, stream_);
  };
  RONDO_TRY(one(problem_.image, &addresses_.image));
  RONDO_TRY(one(problem_.filter, &addresses_.filter));
  RONDO_TRY(one(problem_.result, &addresses_.result));
  if (problem_.residual) RONDO_TRY(one(residual_of(problem_), &addresses_.residual));
  if (problem_.bias) RONDO_TRY(one(bias_of(problem_), &addresses_.bias));
  RONDO_TRY(fill_factors());
  RONDO_TRY(fill_added(kFill));
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

void* Trial::out() const {
  return problem_.way == kForward ? addresses_.result : problem_.way == kData ? addresses_.image : addresses_.filter;
}

std::array<std::pair<void*, const Operand*>, 2> Trial::factors() const {
  const std::pair image{addresses_.image, &problem_.image}, filter{addresses_.filter, &problem_.filter},
      result{addresses_.result, &problem_.result};
  if (problem_.way == kForward) return {image, filter};
  if (problem_.way == kData) return {result, filter};
  return {image, result};
}

Status Trial::fill_factors() {
  int64_t first = 0;
  for (const auto& [address, operand] : factors()) {
    const std::vector<char> numbers = bytes_of_numbers(problem_.dtype, first);
    const size_t bytes = reach(problem_, *operand);
    size_t filled = std::min(bytes, numbers.size());
    RONDO_TRY(device_.copy(CopyKind::host_to_device, address, numbers.data(), filled, stream_));
    for (size_t more = 0; filled < bytes; filled += more) {
      more = std::min(filled, bytes - filled);
      RONDO_TRY(device_.copy(CopyKind::device_to_device, static_cast<char*>(address) + filled, address, more, stream_));
    }
    RONDO_TRY(device_.stream_synchronize(stream_));  // the numbers go
    first += kSecond;
  }
  return {};
}

Status Trial::fill_added(unsigned char byte) {
  if (problem_.bias) RONDO_TRY(device_.fill_bytes(addresses_.bias, byte, reach(problem_, bias_of(problem_)), stream_));
  if (problem_.residual)
    RONDO_TRY(device_.fill_bytes(addresses_.residual, byte, reach(problem_, residual_of(problem_)), stream_));
  return {};
}

Status Trial::examine(const Plan& plan, const char** flaw) {
  bool good = false;
  *flaw = nullptr;
  if (probes_.empty()) probes_ = probes_of(problem_);
  RONDO_TRY(sums_terms(plan, &good));
  if (!good) *flaw = "its sums have other terms than they should";
  if (good && problem_.relu) {
    RONDO_TRY(keeps_nan(plan, &good));
    if (!good) *flaw = "its ReLU makes 0 of NaN";
  }
  const bool adds = problem_.beta || problem_.bias || problem_.residual;
  if (good && adds && is_half(static_cast<rondo_dtype>(problem_.dtype))) {
    RONDO_TRY(rounds_once(plan, &good));
    if (!good) *flaw = "it rounds before it adds";
  }
  return {};
}

Status Trial::sums_terms(const Plan& plan, bool* right) {
  constexpr size_t kWhole = size_t{1} << 20;  // up to so many bytes are read at once
  const size_t size = dtype_size(static_cast<rondo_dtype>(problem_.dtype)), bytes = reach(problem_, problem_.out());
  const bool whole = bytes <= kWhole;
  std::vector<char> seen(whole ? bytes : probes_.size() * size);
  // What is not written stays NaN; what is added, or added to, is 0.
  RONDO_TRY(device_.fill_bytes(out(), problem_.beta ? 0 : kNan, bytes, stream_));
  RONDO_TRY(fill_added(0));
  RONDO_TRY(run(plan));
  const auto* from = static_cast<const char*>(out());
  if (whole) RONDO_TRY(device_.copy(CopyKind::device_to_host, seen.data(), from, bytes, stream_));
  for (size_t i = 0; i < probes_.size() && !whole; ++i)
    RONDO_TRY(device_.copy(CopyKind::device_to_host, &seen[i * size],
                           from + probes_[i].offset * static_cast<int64_t>(size), size, stream_));
  RONDO_TRY(fill_added(kFill));
  RONDO_TRY(device_.stream_synchronize(stream_));
  *right = true;
  for (size_t i = 0; i < probes_.size(); ++i) {
    const double wanted = probes_[i].sum;
    const double found =
        number_of(problem_.dtype, &seen[whole ? static_cast<size_t>(probes_[i].offset) * size : i * size]);
    const bool beyond = problem_.dtype == RONDO_F16 && wanted > 60000;
    const double bound = wanted / (size == 2 ? 128 : 512);  // of few digits, tensor cores' of floats as well
    *right = *right && (beyond || std::fabs(found - wanted) <= bound);
  }
  return {};
}

Status Trial::rounds_once(const Plan& plan, bool* once) {
  // Of few terms, whose sum has few roundings of its own.
  Probe probe{0, 0};
  for (const Probe& each : probes_)
    if (each.terms > 0 && (probe.terms == 0 || each.terms < probe.terms)) probe = each;
  *once = true;
  if (probe.terms == 0) return {};
  const auto dtype = static_cast<rondo_dtype>(problem_.dtype);
  const RoundingWitness witness = rounding_witness(dtype, dtype, probe.terms);
  for (const auto& [address, operand] : factors())
    RONDO_TRY(fill_with_halves(address, witness.element, reach(problem_, *operand), stream_));
  std::vector<std::pair<void*, size_t>> added;
  if (problem_.beta) added.emplace_back(out(), reach(problem_, problem_.out()));
  if (problem_.bias) added.emplace_back(addresses_.bias, reach(problem_, bias_of(problem_)));
  if (problem_.residual) added.emplace_back(addresses_.residual, reach(problem_, residual_of(problem_)));
  const auto leaves = [&](float least) -> Status {
    RONDO_TRY(run(plan));
    char seen[2];
    RONDO_TRY(
        device_.copy(CopyKind::device_to_host, seen, static_cast<const char*>(out()) + probe.offset * 2, 2, stream_));
    RONDO_TRY(device_.stream_synchronize(stream_));
    *once = *once && number_of(problem_.dtype, seen) >= static_cast<double>(least);
    return {};
  };
  for (const auto& [address, bytes] : added) {
    RONDO_TRY(fill_added(0));
    RONDO_TRY(device_.fill_bytes(out(), 0, reach(problem_, problem_.out()), stream_));
    RONDO_TRY(fill_with_halves(address, witness.addend, bytes, stream_));
    RONDO_TRY(leaves(witness.rest / 4));
  }
  // Nor may the bias be added to the residual first, and their sum be rounded: half the rest would be lost in it.
  if (problem_.bias && problem_.residual) {
    RONDO_TRY(device_.fill_bytes(out(), 0, reach(problem_, problem_.out()), stream_));
    RONDO_TRY(fill_with_halves(addresses_.bias, witness.addend, reach(problem_, bias_of(problem_)), stream_));
    RONDO_TRY(fill_with_halves(addresses_.residual, half_of_float(dtype, witness.rest / 2),
                               reach(problem_, residual_of(problem_)), stream_));
    RONDO_TRY(leaves(witness.rest * 1.25f));
  }
  RONDO_TRY(fill_factors());
  RONDO_TRY(fill_added(kFill));
  return device_.stream_synchronize(stream_);
}

Status Trial::keeps_nan(const Plan& plan, bool* keeps) {
  constexpr size_t kLooked = 4096;
  const size_t bytes = reach(problem_, problem_.result);
  std::vector<char> seen(std::min(bytes, kLooked));
  RONDO_TRY(fill_added(kNan));
  RONDO_TRY(device_.fill_bytes(addresses_.result, kNan, bytes, stream_));  // gaps are not to be mistaken for zeros
  RONDO_TRY(run(plan));
  RONDO_TRY(device_.copy(CopyKind::device_to_host, seen.data(), addresses_.result, seen.size(), stream_));
  RONDO_TRY(fill_added(kFill));
  RONDO_TRY(device_.stream_synchronize(stream_));
  *keeps = all_nan(problem_.dtype, seen);
  return {};
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
        for (int i = 0; i < copies; ++i) RONDO_TRY(plan.run(device_, addresses_, workspace_, stream));
        return Status();
      },
      microseconds));
  *microseconds /= static_cast<float>(copies);
  return {};
}

}  // namespace rondo::ops::dnn
