// Convolutions by one loop over everything that meets. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
// Apache-2.0
#include "convolution/convolution.h"

namespace conformance {

namespace {

// Calls f(place in image, in filter, in result) for each product of the sum.
template <class F>
void each_term(const Convolution& problem, const F& f) {
  const Shape result = problem.result(), of_image = row_major(problem.image), of_filter = row_major(problem.filter),
              of_result = row_major(result);
  const int64_t kernels = problem.filter[0] / problem.groups, channels = problem.filter[1];
  Shape index(result.size(), 0);
  for (size_t i = 0; i < count(result); ++i) {
    const int64_t group = index[1] / kernels;
    Shape element(problem.filter.size(), 0);  // [ignored, channel, kernel...]
    const size_t elements = count({problem.filter.begin() + 1, problem.filter.end()});
    for (size_t e = 0; e < elements; ++e) {
      int64_t image = index[0] * of_image[0] + (group * channels + element[1]) * of_image[1];
      bool inside = true;
      for (size_t d = 0; d < problem.spatial(); ++d) {
        const int64_t at = index[2 + d] * problem.stride[d] + element[2 + d] * problem.dilation[d] - problem.before[d];
        inside = inside && at >= 0 && at < problem.image[2 + d];
        image += at * of_image[2 + d];
      }
      if (inside) f(static_cast<size_t>(image), static_cast<size_t>(index[1] * of_filter[0]) + e, i);
      for (size_t d = element.size(); d-- > 1 && ++element[d] == problem.filter[d];) element[d] = 0;
    }
    for (size_t d = result.size(); d-- > 0 && ++index[d] == result[d];) index[d] = 0;
  }
}

}  // namespace

Shape Convolution::result() const {
  Shape shape = image;
  shape[1] = filter[0];
  for (size_t d = 0; d < spatial(); ++d)
    shape[2 + d] = (image[2 + d] + before[d] + after[d] - dilation[d] * (filter[2 + d] - 1) - 1) / stride[d] + 1;
  return shape;
}

rondo_convolution_options Convolution::options() const {
  rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
  for (size_t d = 0; d < spatial(); ++d) {
    options.stride[d] = stride[d];
    options.padding[d] = before[d];
    if (after[d] != before[d]) options.padding_end[d] = after[d];
    options.dilation[d] = dilation[d];
  }
  options.groups = groups;
  return options;
}

rondo_convolution_options Convolution::transposed_options() const {
  rondo_convolution_options back = options();
  back.transposed = 1;
  const Shape made = result();
  for (size_t d = 0; d < spatial(); ++d)
    back.output_padding[d] =
        image[2 + d] - ((made[2 + d] - 1) * stride[d] - before[d] - after[d] + dilation[d] * (filter[2 + d] - 1) + 1);
  return back;
}

std::string Convolution::name() const {
  const auto text = [](const Shape& shape, size_t n) {
    std::string all;
    for (size_t i = 0; i < n; ++i) all += (i ? "," : "") + std::to_string(shape[i]);
    return all;
  };
  return "x " + text(image, image.size()) + " w " + text(filter, filter.size()) + " stride " + text(stride, spatial()) +
         " padding " + text(before, spatial()) + ";" + text(after, spatial()) + " dilation " +
         text(dilation, spatial()) + " groups " + std::to_string(groups);
}

Expected expect_convolution(const Convolution& problem, Way way, const Array& first, const Array& second) {
  const Shape made = way == Way::forward ? problem.result() : way == Way::data ? problem.image : problem.filter;
  Expected out(first.dtype, made, 1);
  std::vector<Real> magnitudes(out.values.size()), counts(out.values.size());
  each_term(problem, [&](size_t image, size_t filter, size_t result) {
    const size_t at = way == Way::forward ? result : way == Way::data ? image : filter;
    const Real term = first[way == Way::data ? result : image] * second[way == Way::filter ? result : filter];
    out.values[at] += term;
    magnitudes[at] += std::fabs(term);
    counts[at] += 1;
  });
  const Real epsilon = std::ldexp(Real(1), first.dtype == RONDO_F64 ? -52 : -23);
  out.absolute.resize(out.values.size());
  for (size_t i = 0; i < out.values.size(); ++i) out.absolute[i] = epsilon * magnitudes[i] * (2 + std::sqrt(counts[i]));
  return out;
}

Tensor with_channels_last(rondo_tensor* tensor) {
  const int32_t n = query(tensor).ndim;
  std::vector<int32_t> to_last = {0}, back = {0, n - 1};
  for (int32_t d = 2; d < n; ++d) to_last.push_back(d);
  to_last.push_back(1);
  for (int32_t d = 1; d < n - 1; ++d) back.push_back(d);
  return transpose(make(rondo_copy, transpose(tensor, to_last)), back);
}

bool has_channels_last(rondo_tensor* tensor) {
  const rondo_tensor_info info = query(tensor);
  int64_t step = info.shape[1];
  bool last = info.strides[1] == 1;
  for (int32_t d = info.ndim - 1; d >= 0; --d) {
    if (d == 1) continue;
    last = last && info.strides[d] == step;
    step *= info.shape[d];
  }
  return last;
}

std::vector<Convolution> convolution_problems() {
  return {
      {{2, 3, 11}, {5, 3, 3}},                                                            // one dimension
      {{2, 4, 12}, {6, 2, 4}, {3}, {1}, {2}, {2}, 2},                                     // with everything
      {{2, 3, 7, 9}, {4, 3, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},                       // the usual
      {{2, 3, 9, 8}, {10, 3, 3, 2}, {2, 2}, {1, 0}, {0, 1}, {1, 1}},                      // rest behind the stride
      {{1, 16, 6, 5}, {24, 16, 1, 1}, {1, 1}, {0, 0}, {0, 0}, {1, 1}},                    // a matrix product
      {{2, 12, 6, 7}, {20, 12, 1, 1}, {2, 3}, {0, 0}, {0, 0}, {1, 1}},                    // kernels below strides
      {{2, 6, 8, 8}, {6, 1, 3, 3}, {1, 2}, {1, 1}, {1, 1}, {1, 1}, 6},                    // depthwise
      {{1, 4, 9, 9}, {8, 1, 3, 3}, {1, 1}, {2, 2}, {2, 2}, {2, 2}, 4},                    // two kernels a channel
      {{2, 6, 5, 9}, {9, 2, 2, 3}, {2, 1}, {3, 0}, {0, 4}, {3, 2}, 3},                    // all of it
      {{1, 2, 5, 6, 4}, {3, 2, 3, 2, 1}, {1, 2, 1}, {1, 0, 1}, {1, 1, 0}, {1, 1, 1}},     // three dimensions
      {{2, 4, 4, 5, 6}, {4, 2, 2, 3, 2}, {2, 1, 3}, {1, 1, 1}, {0, 1, 2}, {2, 1, 1}, 2},  // and groups
      {{1, 2, 3, 4}, {3, 2, 5, 2}, {1, 1}, {4, 0}, {3, 0}, {1, 2}},                       // mostly padding
      {{3, 3, 14, 14}, {12, 3, 7, 7}, {9, 9}, {3, 3}, {3, 3}, {1, 1}},                    // strides beyond kernels
  };
}

std::vector<Convolution> random_convolutions(size_t count, uint32_t seed) {
  std::mt19937 bits(seed);
  const auto upto = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(bits() % static_cast<uint32_t>(high - low + 1));
  };
  std::vector<Convolution> all;
  while (all.size() < count) {
    Convolution each;
    const auto spatial = static_cast<size_t>(upto(1, 3));
    each.groups = upto(0, 1) ? 1 : upto(1, 4);
    const int64_t channels = upto(1, 4), kernels = upto(1, 5);
    each.image = {upto(1, 3), channels * each.groups};
    each.filter = {kernels * each.groups, channels};
    bool possible = true;
    for (size_t d = 0; d < spatial; ++d) {
      each.image.push_back(upto(1, spatial == 3 ? 6 : 12));
      each.filter.push_back(upto(1, spatial == 3 ? 3 : 4));
      each.stride[d] = upto(1, 3);
      each.before[d] = upto(0, 3);
      each.after[d] = upto(0, 3);
      each.dilation[d] = upto(1, 3);
      possible =
          possible && each.image[2 + d] + each.before[d] + each.after[d] > each.dilation[d] * (each.filter[2 + d] - 1);
    }
    if (possible) all.push_back(each);
  }
  return all;
}

}  // namespace conformance
