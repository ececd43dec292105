// Chooses elements of a convolution's output for a trial, and computes them on the host.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/cudnn_probes.h"

#include <algorithm>

namespace rondo::ops::dnn {

namespace {

constexpr int64_t kMostTerms = int64_t{1} << 20;  // that the host adds up for a problem, unless one probe has more

// The share of an axis of the output in the places of a product's factors.
struct ProductTerm {
  int64_t first, second;
};

// A place of an axis of the output.
struct OutputIndex {
  int64_t offset;
  std::vector<ProductTerm> terms;
};

// Batch and channels.
std::vector<ProductTerm> terms_of_channels(const Problem& p, int axis, int64_t place) {
  const Operand &image = p.image, &filter = p.filter, &result = p.result;
  const int64_t c_group = filter.size[1], k_group = filter.size[0] / (image.size[1] / c_group);
  if (axis == 0) {
    if (p.way == kForward) return {{place * image.stride[0], 0}};
    if (p.way == kData) return {{place * result.stride[0], 0}};
    return {{place / k_group * c_group * image.stride[1], place * result.stride[1]}};
  }
  std::vector<ProductTerm> terms;
  if (p.way == kForward)
    for (int64_t c = 0; c < c_group; ++c)
      terms.push_back(
          {(place / k_group * c_group + c) * image.stride[1], place * filter.stride[0] + c * filter.stride[1]});
  else if (p.way == kData)
    for (int64_t k = place / c_group * k_group, end = k + k_group; k < end; ++k)
      terms.push_back({k * result.stride[1], k * filter.stride[0] + place % c_group * filter.stride[1]});
  else
    for (int64_t n = 0; n < image.size[0]; ++n)
      terms.push_back({n * image.stride[0] + place * image.stride[1], n * result.stride[0]});
  return terms;
}

std::vector<ProductTerm> terms_of(const Problem& p, int axis, int64_t place) {
  if (axis < 2) return terms_of_channels(p, axis, place);
  const Operand &image = p.image, &filter = p.filter, &result = p.result;
  const int64_t stride = p.stride[axis - 2], dilation = p.dilation[axis - 2], before = p.before[axis - 2];
  std::vector<ProductTerm> terms;
  if (p.way == kData) {
    for (int64_t r = 0; r < filter.size[axis]; ++r) {
      const int64_t from = place + before - r * dilation;
      if (from >= 0 && from % stride == 0 && from / stride < result.size[axis])
        terms.push_back({from / stride * result.stride[axis], r * filter.stride[axis]});
    }
    return terms;
  }
  const bool forward = p.way == kForward;
  const Operand& second = forward ? filter : result;
  for (int64_t i = 0; i < second.size[axis]; ++i) {
    const int64_t at = (forward ? place : i) * stride + (forward ? i : place) * dilation - before;
    if (at >= 0 && at < image.size[axis]) terms.push_back({at * image.stride[axis], i * second.stride[axis]});
  }
  return terms;
}

// The places of each axis that are looked at.
std::vector<std::vector<OutputIndex>> places_of(const Problem& p) {
  std::vector<std::vector<OutputIndex>> all;
  const Operand& out = p.out();
  for (int axis = 0; axis < p.spatial + 2; ++axis) {
    const int64_t last = out.size[axis] - 1;
    std::vector<OutputIndex> places;
    const auto take = [&](int64_t place) { places.push_back({place * out.stride[axis], terms_of(p, axis, place)}); };
    take(0);
    if (last > 1) take(last / 2);
    if (last > 0) take(last);
    const auto nothing = [](const OutputIndex& place) { return place.terms.empty(); };
    for (int64_t place = 1; place < last && std::all_of(places.begin(), places.end(), nothing); ++place) {
      take(place);
      if (nothing(places.back())) places.pop_back();
    }
    all.push_back(std::move(places));
  }
  return all;
}

double sum_of(const std::vector<const OutputIndex*>& places, size_t axis, int64_t first, int64_t second) {
  if (axis == places.size()) return trial_number(first) * trial_number(second + kSecond);
  double sum = 0;
  for (const ProductTerm& term : places[axis]->terms)
    sum += sum_of(places, axis + 1, first + term.first, second + term.second);
  return sum;
}

}  // namespace

std::vector<Probe> probes_of(const Problem& problem) {
  const std::vector<std::vector<OutputIndex>> axes = places_of(problem);
  // Every combination of one place of each axis, the last axis first.
  const auto each = [&](auto visit) {
    std::vector<size_t> index(axes.size(), 0);
    for (size_t d = 0; d < axes.size();) {
      std::vector<const OutputIndex*> places;
      Probe probe{0, 1, 0};
      for (size_t axis = 0; axis < axes.size(); ++axis) {
        places.push_back(&axes[axis][index[axis]]);
        probe.offset += places[axis]->offset;
        probe.terms *= static_cast<int64_t>(places[axis]->terms.size());
      }
      visit(probe, places);
      for (d = 0; d < axes.size() && ++index[d] == axes[d].size(); ++d) index[d] = 0;
    }
  };
  int64_t terms = 0, number = 0;
  each([&](const Probe& probe, const auto&) { terms += probe.terms; });
  const int64_t one_of = terms / kMostTerms + 1;
  std::vector<Probe> probes;
  each([&](Probe probe, const std::vector<const OutputIndex*>& places) {
    if (number++ % one_of != 0) return;
    probe.sum = sum_of(places, 0, 0, 0);
    probes.push_back(probe);
  });
  return probes;
}

}  // namespace rondo::ops::dnn
