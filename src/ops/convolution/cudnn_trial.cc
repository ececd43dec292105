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

constexpr unsigned char kFill = 0x2c;  // small numbers in every dtype

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

// How many of `count` places i have i step + start within `size` and, divided by `divide` without rest, below it.
int64_t meeting(int64_t count, int64_t step, int64_t start, int64_t size, int64_t divide = 1) {
  int64_t met = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = i * step + start;
    met += at >= 0 && at % divide == 0 && at / divide < size;
  }
  return met;
}

// An element of the output: where it is, and of how many products it is the sum.
struct Probe {
  int64_t offset = 0, terms = 1;
};

// Of how many elements of a spatial axis a place of the result's is made.
int64_t met_at(const Problem& p, int d, int64_t place) {
  const int s = d - 2;
  const int64_t image = p.image.size[d], kernel = p.filter.size[d], result = p.result.size[d];
  if (p.way == kForward) return meeting(kernel, p.dilation[s], place * p.stride[s] - p.before[s], image);
  if (p.way == kData) return meeting(kernel, -p.dilation[s], place + p.before[s], result, p.stride[s]);
  return meeting(result, p.stride[s], place * p.dilation[s] - p.before[s], image);
}

// The first, a middle and the last place of each spatial axis, of the first and last batch entry and channel; and where
// these are made of nothing, between padding and steps, the first place of the axis that is not.
std::vector<Probe> probes_of(const Problem& p) {
  const Operand& out = p.out();
  const int64_t groups = p.image.size[1] / p.filter.size[1];
  std::vector<Probe> probes = {{0, p.way == kForward ? p.filter.size[1]
                                   : p.way == kData  ? p.filter.size[0] / groups
                                                     : p.image.size[0]}};
  for (int d = 0; d < p.spatial + 2; ++d) {
    const int64_t last = out.size[d] - 1;
    std::vector<int64_t> places = {0};
    if (d >= 2 && last > 1) places.push_back(last / 2);
    if (last > 0) places.push_back(last);
    const auto met = [&](int64_t place) { return d < 2 ? 1 : met_at(p, d, place); };
    const auto nothing = [&](int64_t place) { return met(place) == 0; };
    if (std::all_of(places.begin(), places.end(), nothing))
      for (int64_t place = 1; place < last; ++place)
        if (!nothing(place)) {
          places.push_back(place);
          break;
        }
    std::vector<Probe> more;
    for (const Probe& each : probes)
      for (const int64_t place : places) more.push_back({each.offset + place * out.stride[d], each.terms * met(place)});
    probes = std::move(more);
  }
  return probes;
}

bool all_nan(int32_t dtype, const std::vector<char>& bytes) {
  const size_t size = dtype_size(static_cast<rondo_dtype>(dtype));
  for (size_t at = 0; at + size <= bytes.size(); at += size)
    if (!std::isnan(number_of(dtype, bytes.data() + at))) return false;
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
    RONDO_TRY(device_.allocate((bytes + 3) / 4 * 4, address));  // filled in words
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

void* Trial::out() const {
  return problem_.way == kForward ? addresses_.result : problem_.way == kData ? addresses_.image : addresses_.filter;
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
  RONDO_TRY(counts_terms(plan, &good));
  if (!good) *flaw = "its sums have other terms than they should";
  if (good && problem_.relu) {
    RONDO_TRY(keeps_nan(plan, &good));
    if (!good) *flaw = "its ReLU makes 0 of NaN";
  }
  if (good && problem_.beta && is_half(static_cast<rondo_dtype>(problem_.dtype))) {
    RONDO_TRY(rounds_once(plan, &good));
    if (!good) *flaw = "it rounds before it adds";
  }
  return {};
}

Status Trial::counts_terms(const Plan& plan, bool* right) {
  constexpr size_t kWhole = size_t{1} << 20;  // up to so many bytes are read at once
  const size_t size = dtype_size(static_cast<rondo_dtype>(problem_.dtype)), bytes = reach(problem_, problem_.out());
  const bool whole = bytes <= kWhole;
  const std::vector<Probe> probes = probes_of(problem_);
  std::vector<char> seen(whole ? bytes : probes.size() * size);
  // What is not written stays NaN; what is added, or added to, is 0.
  RONDO_TRY(device_.fill_bytes(out(), problem_.beta ? 0 : 0xff, bytes, stream_));
  RONDO_TRY(fill_added(0));
  RONDO_TRY(run(plan));
  const auto* from = static_cast<const char*>(out());
  if (whole) RONDO_TRY(device_.copy(CopyKind::device_to_host, seen.data(), from, bytes, stream_));
  for (size_t i = 0; i < probes.size() && !whole; ++i)
    RONDO_TRY(device_.copy(CopyKind::device_to_host, &seen[i * size],
                           from + probes[i].offset * static_cast<int64_t>(size), size, stream_));
  RONDO_TRY(fill_added(kFill));
  RONDO_TRY(device_.stream_synchronize(stream_));
  constexpr char kOne[8] = {kFill, kFill, kFill, kFill, kFill, kFill, kFill, kFill};
  const double one = number_of(problem_.dtype, kOne);
  *right = true;
  for (size_t i = 0; i < probes.size(); ++i) {
    const double wanted = static_cast<double>(probes[i].terms) * one * one;
    const double found =
        number_of(problem_.dtype, &seen[whole ? static_cast<size_t>(probes[i].offset) * size : i * size]);
    const bool beyond = problem_.dtype == RONDO_F16 && wanted > 60000;
    const double bound = wanted / (size == 2 ? 128 : 512);  // of few digits, tensor cores' of floats as well
    *right = *right && (beyond || std::fabs(found - wanted) <= bound);
  }
  return {};
}

Status Trial::rounds_once(const Plan& plan, bool* once) {
  // Of few terms, whose sum has few roundings of its own.
  Probe probe{0, 0};
  for (const Probe& each : probes_of(problem_))
    if (each.terms > 0 && (probe.terms == 0 || each.terms < probe.terms)) probe = each;
  *once = true;
  if (probe.terms == 0) return {};
  const auto dtype = static_cast<rondo_dtype>(problem_.dtype);
  const RoundingWitness witness = rounding_witness(dtype, dtype, probe.terms);
  for (const auto& [address, operand] :
       {std::pair{addresses_.image, &problem_.image}, std::pair{addresses_.filter, &problem_.filter},
        std::pair{addresses_.result, &problem_.result}})
    RONDO_TRY(fill_with_halves(address, address == out() ? witness.addend : witness.element, reach(problem_, *operand),
                               stream_));
  RONDO_TRY(run(plan));
  char seen[2];
  RONDO_TRY(
      device_.copy(CopyKind::device_to_host, seen, static_cast<const char*>(out()) + probe.offset * 2, 2, stream_));
  for (const auto& [address, operand] :
       {std::pair{addresses_.image, &problem_.image}, std::pair{addresses_.filter, &problem_.filter},
        std::pair{addresses_.result, &problem_.result}})
    RONDO_TRY(device_.fill_bytes(address, kFill, reach(problem_, *operand), stream_));
  RONDO_TRY(device_.stream_synchronize(stream_));
  *once = number_of(problem_.dtype, seen) >= static_cast<double>(witness.rest) / 4;
  return {};
}

Status Trial::keeps_nan(const Plan& plan, bool* keeps) {
  constexpr unsigned char kNan = 0xff;  // in every dtype
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
