// Tries plans of convolutions out, and compares their results with sums that the host makes.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
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

constexpr unsigned char kFill = 0x2c;  // of bias and residual: small numbers in every dtype

size_t reach(const Problem& problem, const Operand& operand) {
  int64_t last = 0;
  for (int i = 0; i < problem.spatial + 2; ++i) last += (operand.size[i] - 1) * operand.stride[i];
  return static_cast<size_t>(last + 1) * dtype_size(static_cast<rondo_dtype>(problem.dtype));
}

// The margin around each operand of a trial, all NaN: as far as padding reaches, so that an engine that reads it is
// found out. It is not known whether engines may read anything else there.
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

bool all_nan(int32_t dtype, const std::vector<char>& bytes) {
  const size_t size = dtype_size(static_cast<rondo_dtype>(dtype));
  for (size_t at = 0; at + size <= bytes.size(); at += size)
    if (!std::isnan(number_at(dtype, bytes.data() + at))) return false;
  return true;
}

}  // namespace

Status ConvolutionTrial::take_operands() {
  const size_t margin = margin_of(problem_);
  const auto one = [&](const Operand& operand, void** address) {
    return take_memory(reach(problem_, operand), margin, address);
  };
  RONDO_TRY(one(problem_.image, &addresses_.image));
  RONDO_TRY(one(problem_.filter, &addresses_.filter));
  RONDO_TRY(one(problem_.result, &addresses_.result));
  if (problem_.residual) RONDO_TRY(one(residual_of(problem_), &addresses_.residual));
  if (problem_.bias) RONDO_TRY(one(bias_of(problem_), &addresses_.bias));
  pointers_ = pointers_of(problem_, addresses_);
  RONDO_TRY(fill_factors());
  return fill_added(kFill);
}

void* ConvolutionTrial::out() const {
  return problem_.way == kForward ? addresses_.result : problem_.way == kData ? addresses_.image : addresses_.filter;
}

std::array<std::pair<void*, const Operand*>, 2> ConvolutionTrial::factors() const {
  const std::pair image{addresses_.image, &problem_.image}, filter{addresses_.filter, &problem_.filter},
      result{addresses_.result, &problem_.result};
  if (problem_.way == kForward) return {image, filter};
  if (problem_.way == kData) return {result, filter};
  return {image, result};
}

Status ConvolutionTrial::fill_factors() {
  int64_t first = 0;
  for (const auto& [address, operand] : factors()) {
    RONDO_TRY(fill_numbers(problem_.dtype, first, address, reach(problem_, *operand)));
    first += kSecond;
  }
  return {};
}

Status ConvolutionTrial::fill_added(unsigned char byte) {
  if (problem_.bias) RONDO_TRY(device_.fill_bytes(addresses_.bias, byte, reach(problem_, bias_of(problem_)), stream_));
  if (problem_.residual)
    RONDO_TRY(device_.fill_bytes(addresses_.residual, byte, reach(problem_, residual_of(problem_)), stream_));
  return {};
}

Status ConvolutionTrial::examine(const Plan& plan, const char** flaw) {
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

Status ConvolutionTrial::sums_terms(const Plan& plan, bool* right) {
  constexpr size_t kWhole = size_t{1} << 20;  // up to so many bytes are read at once
  const size_t size = dtype_size(static_cast<rondo_dtype>(problem_.dtype)), bytes = reach(problem_, problem_.out());
  const bool whole = bytes <= kWhole;
  std::vector<char> seen(whole ? bytes : probes_.size() * size);
  // Elements that are not written stay NaN; operands that are added, or added to, are 0.
  RONDO_TRY(device_.fill_bytes(out(), problem_.beta ? 0 : kNan, bytes, stream_));
  RONDO_TRY(fill_added(0));
  RONDO_TRY(run(plan));
  const auto* from = static_cast<const char*>(out());
  if (whole) RONDO_TRY(device_.copy(CopyKind::device_to_host, seen.data(), from, bytes, stream_));
  for (size_t i = 0; i < probes_.size() && !whole; ++i)
    RONDO_TRY(device_.copy(CopyKind::device_to_host, &seen[i * size],
                           from + probes_[i].offset * static_cast<int64_t>(size), size, stream_));
  RONDO_TRY(fill_added(kFill));
  RONDO_TRY(synchronize());
  *right = true;
  for (size_t i = 0; i < probes_.size(); ++i) {
    const double wanted = probes_[i].sum;
    const double found =
        number_at(problem_.dtype, &seen[whole ? static_cast<size_t>(probes_[i].offset) * size : i * size]);
    const bool beyond = problem_.dtype == RONDO_F16 && wanted > 60000;
    const double bound = wanted / (size == 2 ? 128 : 512);  // of few digits, tensor cores' of floats as well
    *right = *right && (beyond || std::fabs(found - wanted) <= bound);
  }
  return {};
}

Status ConvolutionTrial::rounds_once(const Plan& plan, bool* once) {
  // The element with the fewest terms, whose sum has few roundings of its own.
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
    RONDO_TRY(synchronize());
    *once = *once && number_at(problem_.dtype, seen) >= static_cast<double>(least);
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
  return synchronize();
}

Status ConvolutionTrial::keeps_nan(const Plan& plan, bool* keeps) {
  constexpr size_t kLooked = 4096;
  const size_t bytes = reach(problem_, problem_.result);
  std::vector<char> seen(std::min(bytes, kLooked));
  RONDO_TRY(fill_added(kNan));
  RONDO_TRY(device_.fill_bytes(addresses_.result, kNan, bytes, stream_));  // gaps are not to be mistaken for zeros
  RONDO_TRY(run(plan));
  RONDO_TRY(device_.copy(CopyKind::device_to_host, seen.data(), addresses_.result, seen.size(), stream_));
  RONDO_TRY(fill_added(kFill));
  RONDO_TRY(synchronize());
  *keeps = all_nan(problem_.dtype, seen);
  return {};
}

}  // namespace rondo::ops::dnn
