// Tries cuDNN's plans of attention out, and compares their results with sums that the host makes.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/attention/sdpa_trial.h"

#include <cmath>
#include <cstring>

#include "base/dtype.h"

namespace rondo::ops::dnn {

using namespace cuda;

namespace {

constexpr int64_t kMostWork = int64_t{1} << 25;  // products that the host adds up, but for one row at least
constexpr int64_t kMarginPlaces = 256;           // what a kernel's tile may reach beyond its rows
constexpr size_t kLeastMargin = 4096, kMostMargin = size_t{8} << 20;
constexpr size_t kLookedAt = size_t{8} << 20;               // of what was written
constexpr size_t kWhole = size_t{1} << 20;                  // up to here gaps between rows are looked at
constexpr double kExact = 1.0 / 64, kLogarithm = 1.0 / 64;  // relative; absolute

// A score without weight is scale * size * (mean of numbers)^2: the square root of the size, by 8.
float trial_scale(int64_t size) {
  return 8 / std::sqrt(static_cast<float>(size));
}

std::set<int64_t> some_of(int64_t count) {
  return {0, count / 2, count - 1};
}

int64_t first_number(int tensor) {
  return tensor * 557;
}

// The result is a quarter of the others: no gradient's sum is a difference of like numbers.
double factor_of(int tensor) {
  return tensor == kSdpaO ? 0.25 : 1;
}

// The amount added to each element of a heavy key, so that it weighs as much as `count` others.
double heavier(int64_t size, double count) {
  return std::round(16 * std::log(count) / std::sqrt(static_cast<double>(size))) / 16;
}

double wide(const Sdpa& p) {
  return static_cast<double>(std::clamp<int64_t>(std::max(p.keys, p.queries * (p.heads / p.key_heads)), 2, 1024));
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

SdpaTrial::SdpaTrial(CudaDevice& device, const Sdpa& problem)
    : Trial(device),
      problem_(problem),
      numbers_(problem_, trial_scale(problem.size)),
      light_(std::log(wide(problem)) + std::sqrt(static_cast<double>(problem.size)) / 8) {
  const Sdpa& p = problem_;
  queries_ = some_of(p.queries);
  keys_ = some_of(p.keys);
  const int64_t shared = p.heads / p.key_heads;
  for (const int64_t b : some_of(p.batch)) {
    for (const int64_t head : some_of(p.heads)) of_queries_.insert({b, head});
    for (const int64_t head : some_of(p.key_heads)) of_keys_.insert({b, head});
  }
  // Large problems are tried with fewer products.
  int64_t work = p.queries * shared * p.size * static_cast<int64_t>(keys_.size());
  while (of_keys_.size() > 1 && work * static_cast<int64_t>(of_keys_.size()) > kMostWork)
    of_keys_.erase(std::prev(of_keys_.end(), of_keys_.size() > 2 ? 2 : 1));
  work = p.keys * p.size * static_cast<int64_t>(queries_.size());
  while (of_queries_.size() > 1 && work * static_cast<int64_t>(of_queries_.size()) > kMostWork)
    of_queries_.erase(std::prev(of_queries_.end(), of_queries_.size() > 2 ? 2 : 1));
  const auto add_edges = [](Sdpa::Span span, int64_t count, std::set<int64_t>* edges) {
    for (const int64_t each : {span.first - 1, span.first, span.last, span.last + 1})
      if (each >= 0 && each < count) edges->insert(each);
  };
  for (const int64_t query : queries_) add_edges(p.keys_of(query), p.keys, &edge_keys_);
  for (const int64_t key : keys_) add_edges(p.queries_of(key), p.queries, &edge_queries_);
}

Status SdpaTrial::take_operands() {
  for (int t = 0; t < kSdpaTensors; ++t) {
    if (!problem_.has(t)) continue;
    const size_t size = dtype_size(static_cast<rondo_dtype>(problem_.dtype_of(t)));
    const auto tile = static_cast<size_t>(kMarginPlaces * problem_.stride[t][2]) * size;
    const size_t margin = std::clamp((tile + 255) / 256 * 256, kLeastMargin, kMostMargin);
    RONDO_TRY(take_memory(static_cast<size_t>(problem_.reach(t)) * size, margin, &addresses_[static_cast<size_t>(t)]));
  }
  pointers_ = pointers_of(problem_, addresses_, numbers_);
  return fill(true, {});
}

Status SdpaTrial::fill(bool keys, const std::set<int64_t>& heavy) {
  const Sdpa& p = problem_;
  heavy_keys_ = keys;
  heavy_ = heavy;
  const auto put = [&](int t, int64_t b, int64_t head, int64_t place, const Row& numbers) {
    const size_t size = dtype_size(static_cast<rondo_dtype>(p.dtype_of(t)));
    std::vector<char> bytes(numbers.size() * size);
    for (size_t i = 0; i < numbers.size(); ++i) put_number(p.dtype_of(t), numbers[i], &bytes[i * size]);
    char* const to = static_cast<char*>(addresses_[static_cast<size_t>(t)]) +
                     p.offset(t, b, head, place) * static_cast<int64_t>(size);
    RONDO_TRY(device_.copy(CopyKind::host_to_device, to, bytes.data(), bytes.size(), stream_));
    return synchronize();
  };
  for (int t = 0; t < kSdpaTensors; ++t) {
    if (!p.has(t) || p.writes(t)) continue;
    const size_t size = dtype_size(static_cast<rondo_dtype>(p.dtype_of(t)));
    void* const to = addresses_[static_cast<size_t>(t)];
    const auto bytes = static_cast<size_t>(p.reach(t)) * size;
    if (t != kSdpaStats) {
      RONDO_TRY(fill_numbers(p.dtype, first_number(t), to, bytes, factor_of(t)));
      continue;
    }
    // One number after the other, as logarithm() has them: few enough to be made here.
    std::vector<float> all(static_cast<size_t>(p.reach(t)));
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = static_cast<float>(light_ + trial_number(first_number(t) + static_cast<int64_t>(i)));
    RONDO_TRY(device_.copy(CopyKind::host_to_device, to, all.data(), bytes, stream_));
    RONDO_TRY(synchronize());
  }
  const int64_t shared = p.heads / p.key_heads;
  if (keys) {
    std::set<Pair> of;
    for (const Pair& each : of_queries_) of.insert({each.b, each.head / shared});
    for (const Pair& each : of)
      for (const int64_t key : heavy)
        RONDO_TRY(put(kSdpaK, each.b, each.head, key, row(kSdpaK, each.b, each.head, key)));
  } else {
    for (const Pair& each : of_keys_)
      for (int64_t head = each.head * shared; head < (each.head + 1) * shared; ++head)
        for (const int64_t query : heavy)
          RONDO_TRY(put(kSdpaStats, each.b, head, query, {logarithm(each.b, head, query)}));
  }
  return empty();
}

Status SdpaTrial::empty() {
  for (int t = 0; t < kSdpaTensors; ++t) {
    if (!problem_.has(t) || !problem_.writes(t)) continue;
    const size_t size = dtype_size(static_cast<rondo_dtype>(problem_.dtype_of(t)));
    const size_t bytes = (static_cast<size_t>(problem_.reach(t)) * size + 3) / 4 * 4;
    // The memory around it as well: another plan may have written there.
    RONDO_TRY(device_.fill_bytes(static_cast<char*>(addresses_[static_cast<size_t>(t)]) - kLeastMargin, kNan,
                                 kLeastMargin + bytes + kLeastMargin, stream_));
  }
  return {};
}

double SdpaTrial::logarithm(int64_t b, int64_t head, int64_t query) const {
  const double number = light_ + trial_number(first_number(kSdpaStats) + problem_.offset(kSdpaStats, b, head, query));
  const bool heavy = !heavy_keys_ && heavy_.count(query);
  return static_cast<double>(static_cast<float>(heavy ? number - std::log(wide(problem_)) : number));
}

SdpaTrial::Row SdpaTrial::row(int t, int64_t b, int64_t head, int64_t place) const {
  const Sdpa& p = problem_;
  const int64_t first = first_number(t) + p.offset(t, b, head, place);
  const bool heavy = t == kSdpaK && heavy_keys_ && heavy_.count(place);
  const double most = p.gradient ? wide(p) : static_cast<double>(p.keys);
  const double more = heavy ? heavier(p.size, std::min(static_cast<double>(p.keys), most)) : 0;
  Row numbers(static_cast<size_t>(p.size));
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = trial_number(first + static_cast<int64_t>(i)) * factor_of(t) + more;
  return numbers;
}

SdpaTrial::Row SdpaTrial::result(int64_t b, int64_t head, int64_t query, double* logarithm) const {
  const Sdpa& p = problem_;
  const int64_t key_head = head / (p.heads / p.key_heads);
  const Row q = row(kSdpaQ, b, head, query);
  const Sdpa::Span seen = p.keys_of(query);
  Row sum(q.size(), 0);
  double weights = 0;
  for (int64_t key = seen.first; key <= seen.last; ++key) {
    const double weight = std::exp(static_cast<double>(numbers_.scale) * dot(q, row(kSdpaK, b, key_head, key)));
    const Row v = row(kSdpaV, b, key_head, key);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += weight * v[i];
    weights += weight;
  }
  for (double& each : sum) each /= weights;
  *logarithm = std::log(weights);
  return sum;
}

void SdpaTrial::weigh(const Row& q, const Row& k, const Row& v, const Row& dy, double delta, double logarithm,
                      double* weight, double* slope) const {
  const auto scale = static_cast<double>(numbers_.scale);
  *weight = std::exp(scale * dot(q, k) - logarithm);
  *slope = *weight * (dot(dy, v) - delta) * scale;
}

SdpaTrial::Row SdpaTrial::query_gradient(int64_t b, int64_t head, int64_t query) const {
  const Sdpa& p = problem_;
  const int64_t key_head = head / (p.heads / p.key_heads);
  const Row q = row(kSdpaQ, b, head, query), dy = row(kSdpaDo, b, head, query);
  const double delta = dot(dy, row(kSdpaO, b, head, query)), of_query = logarithm(b, head, query);
  const Sdpa::Span seen = p.keys_of(query);
  Row sum(q.size(), 0);
  for (int64_t key = seen.first; key <= seen.last; ++key) {
    const Row k = row(kSdpaK, b, key_head, key);
    double weight = 0, slope = 0;
    weigh(q, k, row(kSdpaV, b, key_head, key), dy, delta, of_query, &weight, &slope);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += slope * k[i];
  }
  return sum;
}

void SdpaTrial::key_gradients(int64_t b, int64_t key_head, int64_t key, Row* dk, Row* dv) const {
  const Sdpa& p = problem_;
  const int64_t shared = p.heads / p.key_heads;
  const Row k = row(kSdpaK, b, key_head, key), v = row(kSdpaV, b, key_head, key);
  const Sdpa::Span seen = p.queries_of(key);
  dk->assign(k.size(), 0);
  dv->assign(k.size(), 0);
  for (int64_t head = key_head * shared; head < (key_head + 1) * shared; ++head)
    for (int64_t query = seen.first; query <= seen.last; ++query) {
      const Row q = row(kSdpaQ, b, head, query), dy = row(kSdpaDo, b, head, query);
      double weight = 0, slope = 0;
      weigh(q, k, v, dy, dot(dy, row(kSdpaO, b, head, query)), logarithm(b, head, query), &weight, &slope);
      for (size_t i = 0; i < k.size(); ++i) {
        (*dk)[i] += slope * q[i];
        (*dv)[i] += weight * dy[i];
      }
    }
}

Status SdpaTrial::compare(int t, int64_t b, int64_t head, int64_t place, const Row& wanted, bool* right) {
  const size_t size = dtype_size(static_cast<rondo_dtype>(problem_.dtype_of(t)));
  std::vector<char> seen(wanted.size() * size);
  const char* const from = static_cast<const char*>(addresses_[static_cast<size_t>(t)]) +
                           problem_.offset(t, b, head, place) * static_cast<int64_t>(size);
  RONDO_TRY(device_.copy(CopyKind::device_to_host, seen.data(), from, seen.size(), stream_));
  RONDO_TRY(synchronize());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const double bound = t == kSdpaStats ? kLogarithm : std::fabs(wanted[i]) * kExact + 1e-6;
    *right = *right && std::fabs(number_at(problem_.dtype_of(t), &seen[i * size]) - wanted[i]) <= bound;
  }
  return {};
}

Status SdpaTrial::compare_results(bool* right) {
  for (const Pair& each : of_queries_)
    for (const int64_t query : queries_) {
      double logarithm = 0;
      const Row wanted = result(each.b, each.head, query, &logarithm);
      RONDO_TRY(compare(kSdpaO, each.b, each.head, query, wanted, right));
      RONDO_TRY(compare(kSdpaStats, each.b, each.head, query, {logarithm}, right));
    }
  return {};
}

Status SdpaTrial::compare_query_gradients(bool* right) {
  for (const Pair& each : of_queries_)
    for (const int64_t query : queries_)
      RONDO_TRY(compare(kSdpaDq, each.b, each.head, query, query_gradient(each.b, each.head, query), right));
  return {};
}

Status SdpaTrial::compare_key_gradients(bool* right) {
  for (const Pair& each : of_keys_)
    for (const int64_t key : keys_) {
      Row dk, dv;
      key_gradients(each.b, each.head, key, &dk, &dv);
      RONDO_TRY(compare(kSdpaDk, each.b, each.head, key, dk, right));
      RONDO_TRY(compare(kSdpaDv, each.b, each.head, key, dv, right));
    }
  return {};
}

Status SdpaTrial::stayed_within(bool* within) {
  const Sdpa& p = problem_;
  const auto all_nan = [](const std::vector<char>& bytes, size_t begin, size_t end) {
    return std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                       bytes.begin() + static_cast<std::ptrdiff_t>(end),
                       [](char each) { return static_cast<unsigned char>(each) == kNan; });
  };
  *within = true;
  for (int t = 0; t < kSdpaTensors; ++t) {
    if (!p.has(t) || !p.writes(t)) continue;
    const size_t size = dtype_size(static_cast<rondo_dtype>(p.dtype_of(t)));
    const auto bytes = static_cast<size_t>(p.reach(t)) * size;
    const char* const at = static_cast<const char*>(addresses_[static_cast<size_t>(t)]);
    std::vector<char> seen(kLeastMargin);
    for (const char* from : {at - kLeastMargin, at + bytes}) {
      RONDO_TRY(device_.copy(CopyKind::device_to_host, seen.data(), from, seen.size(), stream_));
      RONDO_TRY(synchronize());
      *within = *within && all_nan(seen, 0, seen.size());
    }
    if (bytes > kWhole) continue;
    seen.resize(bytes);
    RONDO_TRY(device_.copy(CopyKind::device_to_host, seen.data(), at, bytes, stream_));
    RONDO_TRY(synchronize());
    // The elements that belong to the operand are skipped.
    const size_t of_row = static_cast<size_t>(p.elements(t)) * size;
    for (int64_t b = 0; b < p.batch; ++b)
      for (int64_t head = 0; head < p.heads_of(t); ++head)
        for (int64_t place = 0; place < p.places(t); ++place)
          std::memset(&seen[static_cast<size_t>(p.offset(t, b, head, place)) * size], kNan, of_row);
    *within = *within && all_nan(seen, 0, bytes);
  }
  return {};
}

Status SdpaTrial::read_written(std::vector<char>* bytes) {
  for (int t = 0; t < kSdpaTensors; ++t) {
    if (!problem_.has(t) || !problem_.writes(t)) continue;
    const size_t size = dtype_size(static_cast<rondo_dtype>(problem_.dtype_of(t)));
    const size_t count = std::min(static_cast<size_t>(problem_.reach(t)) * size, kLookedAt), before = bytes->size();
    bytes->resize(before + count);
    RONDO_TRY(device_.copy(CopyKind::device_to_host, bytes->data() + before, addresses_[static_cast<size_t>(t)], count,
                           stream_));
    RONDO_TRY(synchronize());
  }
  return {};
}

Status SdpaTrial::repeats(const Plan& plan, bool* same) {
  constexpr int kTimes = 2;
  std::vector<char> first;
  RONDO_TRY(read_written(&first));
  *same = true;
  for (int i = 0; i < kTimes && *same; ++i) {
    std::vector<char> again;
    RONDO_TRY(empty());
    RONDO_TRY(run(plan));
    RONDO_TRY(read_written(&again));
    *same = first == again;
  }
  return {};
}

Status SdpaTrial::examine(const Plan& plan, const char** flaw) {
  bool right = true, within = true, same = true;
  *flaw = nullptr;
  RONDO_TRY(fill(true, edge_keys_));
  RONDO_TRY(run(plan));
  RONDO_TRY(problem_.gradient ? compare_query_gradients(&right) : compare_results(&right));
  if (right && problem_.gradient) {
    RONDO_TRY(fill(false, edge_queries_));
    RONDO_TRY(run(plan));
    RONDO_TRY(compare_key_gradients(&right));
  }
  if (right) RONDO_TRY(stayed_within(&within));
  if (right && within) RONDO_TRY(repeats(plan, &same));
  *flaw = !right    ? "its sums have other terms than they should"
          : !within ? "it writes beside its results"
          : !same   ? "its results change between runs"
                    : nullptr;
  return {};
}

}  // namespace rondo::ops::dnn
