// Convolutions whose operands lie in memory in every way (placement.h), each operand by itself, because libraries have
// words for all of that and honour few of them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "convolution/convolution.h"
#include "placement.h"

namespace conformance {
namespace {

// Of tensors with n axes: both orders that libraries know, others, and such with gaps.
std::vector<Placement> placements(size_t n) {
  std::vector<Placement> all = {
      Placement(axes({0, 1}, 2, n)),                        // channels first
      Placement(axes({0}, 2, n, false, {1})),               // channels last
      Placement(axes({}, 0, n, true)),                      // all the other way round
      Placement(axes({}, 2, n, false, {1, 0})),             // a filter as r, s, c, k
      Placement(axes({1, 0}, 2, n)),                        // the batch inside channels
      Placement(axes({0, 1}, 2, n, true)),                  // columns before rows
      Placement(axes({0, 2, 1}, 3, n)),                     // channels in the middle
      Placement(axes({0, 1}, 2, n), n - 1, 2, 0),           // every other element
      Placement(axes({0}, 2, n, false, {1}), 1, 1, 3),      // some channels of more
      Placement(axes({0, 1}, 2, n), n - 1, 1, 2),           // parts of rows
      Placement(axes({0}, 2, n, false, {1}), n - 1, -1, 0)  // mirrored
  };
  all.emplace_back(axes({0, 1}, 2, n));
  all.back().offset = 1;
  return all;
}

// Kernels, channels, batches and places of one, in one to three dimensions.
std::vector<Convolution> problems() {
  return {
      {{2, 4, 9}, {6, 4, 3}, {1}, {1}, {1}, {1}},
      {{2, 4, 9}, {6, 4, 1}},
      {{2, 8, 7}, {8, 4, 3}, {2}, {1}, {0}, {1}, 2},
      {{2, 8, 7, 5}, {16, 8, 3, 1}, {1, 1}, {1, 0}, {1, 0}, {1, 1}},
      {{2, 8, 7, 5}, {16, 8, 1, 3}, {1, 1}, {0, 1}, {0, 1}, {1, 1}},
      {{2, 8, 7, 5}, {16, 8, 3, 3}, {2, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{2, 8, 7, 5}, {16, 8, 1, 1}},
      {{2, 8, 9, 5}, {8, 4, 3, 1}, {2, 1}, {2, 0}, {1, 0}, {2, 1}, 2},
      {{2, 6, 7, 5}, {6, 1, 3, 1}, {1, 1}, {1, 0}, {1, 0}, {1, 1}, 6},
      {{2, 1, 7, 5}, {4, 1, 3, 1}},
      {{2, 4, 5, 6}, {1, 4, 1, 3}},
      {{1, 3, 6, 5}, {5, 3, 3, 1}},
      {{2, 3, 1, 1}, {4, 3, 1, 1}},
      {{2, 3, 6, 1}, {4, 3, 3, 1}},
      {{2, 3, 3, 2}, {4, 3, 3, 2}},
      {{1, 1, 4, 1}, {1, 1, 2, 1}},
      {{1, 4, 4, 3, 5}, {4, 4, 3, 1, 1}, {1, 1, 1}, {1, 0, 0}, {1, 0, 0}, {1, 1, 1}},
      {{2, 2, 3, 4, 3}, {4, 2, 1, 3, 3}, {1, 2, 1}, {0, 1, 1}, {0, 1, 1}, {1, 1, 1}},
      {{1, 4, 3, 3, 2}, {4, 2, 1, 2, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, {1, 1, 1}, 2},
  };
}

constexpr Way kWays[] = {Way::forward, Way::data, Way::filter};
constexpr const char* kWayNames[] = {"forward ", "data ", "filter "};

class ConvolutionLayouts : public OnEngine {
 protected:
  // One way of a problem, with numbers and with what they give.
  struct Sum {
    Convolution problem;
    Way way = Way::forward;
    Array first, second;
    Expected expected;
    Sum(const Convolution& problem, Way way, rondo_dtype dtype)
        : problem(problem),
          way(way),
          first(random_array(dtype, way == Way::data ? problem.result() : problem.image, 1, -2, 2)),
          second(random_array(dtype, way == Way::filter ? problem.result() : problem.filter, 2, -2, 2)),
          expected(expect_convolution(problem, way, first, second)) {}
    std::string name() const {
      return kWayNames[static_cast<int>(way)] + std::string(rondo_dtype_name(first.dtype)) + " " + problem.name();
    }
    rondo_convolution_options options() const {
      return way == Way::data ? problem.transposed_options() : problem.options();
    }
  };

  Placed place(const Array& array, const Placement& at) const {
    Placed placed(engine(), device(), array.dtype, array.shape, at);
    into(placed.view, rondo_copy, up(array));
    return placed;
  }

  // Into memory of such a place; `adds`: to what is there. `expected`: with what follows the sum.
  void keep(Results& results, const std::string& label, const Sum& sum, rondo_tensor* first, rondo_tensor* second,
            const Placement& at, bool adds, const rondo_convolution_options& options, Expected expected) const {
    Placed out(engine(), device(), expected.dtype, expected.shape, at);
    const Tensor adding = adds ? make(rondo_tensor_accumulator, out.view) : Tensor();
    rondo_tensor* const to = adds ? adding : out.view;
    if (sum.way == Way::filter)
      into(to, rondo_convolution_filter_grad, first, second, static_cast<int32_t>(sum.problem.spatial()),
           sum.problem.filter.data() + 2, &options);
    else
      into(to, rondo_convolution, first, second, &options);
    for (size_t i = 0; adds && i < expected.values.size(); ++i) {
      expected.values[i] += kAround;
      expected.absolute[i] += std::ldexp(kAround, expected.dtype == RONDO_F64 ? -52 : -23);
    }
    const auto all = out.expect(expected);
    results.keep(label + " to " + at.name() + (adds ? ", added" : ""), std::move(out.base), all);
  }
  void keep(Results& results, const Sum& sum, const Placed& first, const Placement& first_at, const Placed& second,
            const Placement& second_at, const Placement& at, bool adds) const {
    keep(results, sum.name() + " from " + first_at.name() + " and " + second_at.name(), sum, first.view, second.view,
         at, adds, sum.options(), sum.expected);
  }

  // Of how many combinations one is taken here; which, changes with the flavour and the share.
  size_t one_of() const { return seconds() > 0 ? 1 : sparing() ? 4001 : 211; }
  size_t turn() const { return seed() % one_of(); }
  size_t seed() const {
    const auto flavour = static_cast<size_t>(GetParam().mode) * 2 + (GetParam().graph ? 1 : 0);
    return flavour * 97 + static_cast<size_t>(share() + 1) * 389;
  }
};
CONFORMANCE_SUITE(ConvolutionLayouts);

// All of them where there is time (RONDO_TEST_LAYOUTS_S), otherwise a sample.
TEST_P(ConvolutionLayouts, EveryCombination) {
  const auto begin = std::chrono::steady_clock::now();
  size_t number = 0, taken = 0, next = turn();
  for (const Convolution& problem : problems()) {
    const std::vector<Placement> all = placements(problem.image.size());
    const size_t n = all.size();
    for (const Way way : kWays)
      for (const rondo_dtype dtype : kFloatDtypes) {
        if (one_of() == 1 && elapsed(begin, 0.7)) continue;
        const size_t end = number + n * n * n;
        std::vector<size_t> chosen;
        for (; next < end; next += one_of()) chosen.push_back(next - number);
        number = end;
        if (chosen.empty()) continue;
        taken += chosen.size();
        const Sum sum(problem, way, dtype);
        run([&](Results& results) {
          std::vector<std::unique_ptr<Placed>> first(n), second(n);
          const auto placed = [&](std::vector<std::unique_ptr<Placed>>& list, size_t i, const Array& array) -> Placed& {
            if (!list[i]) list[i] = std::make_unique<Placed>(place(array, all[i]));
            return *list[i];
          };
          for (const size_t each : chosen) {
            const size_t a = each % n, b = each / n % n, c = each / n / n;
            keep(results, sum, placed(first, a, sum.first), all[a], placed(second, b, sum.second), all[b], all[c],
                 each % 5 == 0);
          }
        });
      }
  }
  if (one_of() == 1) std::printf("%zu combinations\n", taken);
}

// Sizes, places and what follows, drawn.
TEST_P(ConvolutionLayouts, ByChance) {
  std::mt19937 bits(static_cast<uint32_t>(1 + seed()));
  const auto upto = [&](size_t most) { return static_cast<size_t>(bits() % (most + 1)); };
  const auto begin = std::chrono::steady_clock::now();
  size_t taken = 0;
  for (uint32_t round = 0; seconds() > 0 ? !elapsed(begin, 0.3) : round < (sparing() ? 4 : 20); ++round) {
    Convolution problem = random_convolutions(1, bits())[0];
    // Axes of size 1 are where layouts can be read in several ways.
    const size_t d = upto(problem.spatial() - 1);
    if (upto(2) == 0) problem.filter[2 + d] = 1;
    if (upto(3) == 0) problem.image[0] = 1;
    if (upto(3) == 0) problem.image[1] = problem.groups, problem.filter[1] = 1;
    if (upto(3) == 0) problem.image[1] *= 8, problem.filter[1] *= 8, problem.filter[0] *= 8;  // for tensor cores
    const Sum sum(problem, kWays[upto(2)], kFloatDtypes[upto(3)]);
    const rondo_dtype dtype = sum.expected.dtype;
    const Shape made = sum.expected.shape;
    const size_t n = made.size();
    const Array biases = random_array(dtype, {made[1]}, 3, -2, 2), residuals = random_array(dtype, made, 4, -2, 2);
    const Real epsilon = std::ldexp(Real(1), dtype == RONDO_F64 ? -52 : -23);
    std::vector<std::array<Placement, 4>> places;
    for (int i = 0; i < (sparing() ? 2 : 8); ++i)
      places.push_back({somewhere(bits, n), somewhere(bits, n), somewhere(bits, n), somewhere(bits, n)});
    const uint32_t follows = bits();
    taken += places.size();
    run([&](Results& results) {
      Placement beside(axes({}, 0, 1));
      beside.step[0] = follows >> 8 & 1 ? 2 : 1;
      beside.offset = follows >> 9 & 1;
      for (size_t i = 0; i < places.size(); ++i) {
        const auto& [a, b, c, r] = places[i];
        const Placed first = place(sum.first, a), second = place(sum.second, b), bias = place(biases, beside),
                     residual = place(residuals, r);
        rondo_convolution_options options = sum.options();
        Expected expected = sum.expected;
        const size_t kind = sum.way == Way::filter ? 0 : (follows + i) % 8;  // 0: nothing, 4: it is added
        const bool biased = kind & 1, beside_it = kind & 2, limited = kind > 4;
        if (biased) options.bias = bias.view;
        if (beside_it) options.residual = residual.view;
        if (limited) options.activation = RONDO_ACTIVATION_RELU;
        const size_t plane = expected.values.size() / static_cast<size_t>(made[0] * made[1]);
        for (size_t e = 0; e < expected.values.size(); ++e) {
          Real& value = expected.values[e];
          const Real more = biased ? biases[e / plane % static_cast<size_t>(made[1])] : 0,
                     also = beside_it ? residuals[e] : 0;
          expected.absolute[e] += epsilon * (std::fabs(value) + std::fabs(more) + std::fabs(also));
          value += more + also;
          if (limited) value = std::max<Real>(value, 0);
        }
        keep(results,
             sum.name() + " from " + a.name() + " and " + b.name() + (biased ? ", bias " + beside.name() : "") +
                 (beside_it ? ", residual " + r.name() : "") + (limited ? ", ReLU" : ""),
             sum, first.view, second.view, c, kind == 4, options, std::move(expected));
      }
    });
  }
  if (seconds() > 0) std::printf("%zu by chance\n", taken);
}

// Depthwise, over places between wide steps, with unequal padding: few of cuDNN's engines are right about these.
TEST_P(ConvolutionLayouts, DepthwiseInThreeDimensions) {
  const Convolution problem{{3, 4, 1, 4, 5}, {16, 1, 2, 2, 2}, {3, 3, 2}, {1, 3, 1}, {1, 3, 3}, {1, 1, 1}, 4};
  Placement mirrored({3, 2, 4, 0, 1});
  mirrored.margin[3] = 1;
  mirrored.step[0] = -1;
  const Placement first(axes({0, 1}, 2, 5)), last(axes({0}, 2, 5, false, {1})), other({0, 4, 2, 1, 3});
  for (const Way way : kWays)
    for (const rondo_dtype dtype : kFloatDtypes) {
      const Sum sum(problem, way, dtype);
      run([&](Results& results) {
        for (const Placement& a : {first, last, mirrored})
          for (const Placement& b : {first, last})
            for (const Placement& c : {first, last, other})
              keep(results, sum, place(sum.first, a), a, place(sum.second, b), b, c, false);
      });
    }
}

// The first two taps and the last one lie as they would in row-major order, those between them elsewhere.
TEST_P(ConvolutionLayouts, DepthwiseWithTapsExchanged) {
  const Convolution problem{{2, 4, 4, 3, 5}, {4, 1, 3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, 4};
  const Placement plain(axes({}, 0, 5)), exchanged({0, 1, 3, 2, 4});
  for (const Way way : kWays)
    for (const rondo_dtype dtype : kFloatDtypes) {
      const Sum sum(problem, way, dtype);
      run([&](Results& results) {
        keep(results, sum, place(sum.first, plain), plain, place(sum.second, exchanged), exchanged, plain, false);
      });
    }
}

// Steps in all three dimensions over a filter that is smaller: cuDNN does not survive some of these gradients.
TEST_P(ConvolutionLayouts, StepsBeyondTheFilterIn3d) {
  const Convolution problems[] = {{{3, 4, 4, 2, 5}, {3, 4, 1, 1, 1}, {2, 2, 3}, {3, 2, 1}, {0, 3, 1}, {2, 2, 2}},
                                  {{1, 2, 6, 2, 6}, {2, 2, 2, 1, 3}, {2, 2, 3}, {3, 2, 1}, {1, 2, 3}, {2, 3, 1}},
                                  {{3, 8, 6, 6, 6}, {40, 8, 1, 2, 3}, {2, 3, 3}, {0, 2, 3}, {2, 3, 3}, {2, 1, 3}},
                                  {{2, 1, 4, 3, 3}, {2, 1, 1, 1, 2}, {2, 3, 2}, {1, 3, 0}, {0, 3, 1}, {2, 1, 1}}};
  const Placement first(axes({0, 1}, 2, 5)), last(axes({0}, 2, 5, false, {1}));
  for (const Convolution& problem : problems)
    for (const rondo_dtype dtype : kFloatDtypes) {
      const Sum sum(problem, Way::data, dtype);
      run([&](Results& results) {
        for (const Placement& at : {first, last})
          for (const bool adds : {false, true})
            keep(results, sum, place(sum.first, at), at, place(sum.second, at), at, at, adds);
      });
    }
}

// One number for many elements is no library's word either.
TEST_P(ConvolutionLayouts, BroadcastOperands) {
  const Convolution problem{{3, 4, 5, 4}, {6, 4, 3, 1}, {1, 1}, {1, 0}, {1, 0}, {1, 1}};
  const Array x = random_array(RONDO_F32, {1, 4, 5, 1}, 1, -2, 2), w = random_array(RONDO_F32, {6, 1, 3, 1}, 2, -2, 2);
  const Array wide_x = host_broadcast(x, problem.image), wide_w = host_broadcast(w, problem.filter);
  run([&](Results& results) {
    const rondo_convolution_options options = problem.options();
    results.keep("broadcast",
                 make(rondo_convolution, broadcast(up(x), problem.image), broadcast(up(w), problem.filter), &options),
                 [=] { return expect_convolution(problem, Way::forward, wide_x, wide_w); });
  });
}

// As the gradient of a sum is, which convolutions are then given.
TEST_P(ConvolutionLayouts, OperandsOfOneElement) {
  const Convolution problem{{2, 4, 6, 5}, {6, 4, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
  const Array x = random_array(RONDO_F32, problem.image, 1, -2, 2), one = full(RONDO_F32, {1, 1, 1, 1}, 1.5),
              filter = full(RONDO_F32, problem.filter, 1.5), result = full(RONDO_F32, problem.result(), 1.5);
  run([&](Results& results) {
    const rondo_convolution_options options = problem.options();
    const Tensor image = up(x), all = broadcast(up(one), problem.result());
    results.keep("filter", make(rondo_convolution, image, broadcast(up(one), problem.filter), &options),
                 [=] { return expect_convolution(problem, Way::forward, x, filter); });
    results.keep("gradient of the filter",
                 make(rondo_convolution_filter_grad, image, all, 2, problem.filter.data() + 2, &options),
                 [=] { return expect_convolution(problem, Way::filter, x, result); });
  });
}

// A graph's report says what a library was given copies of. The fewest bytes are copied, and none of what lies in one
// order.
TEST_P(ConvolutionLayouts, ReportSaysWhatIsCopied) {
  int32_t library = 0;
  must(rondo_feature("cudnn", &library, nullptr));
  if (!on_cuda() || !library || !GetParam().graph)
    GTEST_SKIP() << "copies are for cuDNN, and said in reports of graphs";
  const auto copied = [&](const Shape& image, const Shape& filter, rondo_dtype dtype, size_t x_at, size_t w_at,
                          size_t y_at, bool scaled = false) {
    const Convolution problem{image, filter, {1, 1}, {1, 0}, {1, 0}, {1, 1}};
    const std::vector<Placement> all = placements(4);
    const Placed x = place(random_array(dtype, image, 1, -1, 1), all[x_at]),
                 w = place(random_array(dtype, filter, 2, -1, 1), all[w_at]),
                 y(engine(), device(), dtype, problem.result(), all[y_at]);
    rondo_convolution_options options = problem.options();
    const Tensor scale = up(full(dtype, {filter[0]}, 2));
    if (scaled) options.scale = scale;
    const Graph graph = record(engine(), [&] { into(y.view, rondo_convolution, x.view, w.view, &options); });
    const std::string report = graph_report(graph.get()), sign = "'convolution': ";
    const size_t at = report.find(sign);
    return at == std::string::npos ? "" : report.substr(at + sign.size(), report.find('\n', at) - at - sign.size());
  };
  const Shape image = {2, 8, 6, 5}, filter = {8, 8, 3, 1}, large = {64, 8, 3, 1};
  EXPECT_EQ(copied(image, filter, RONDO_F32, 0, 0, 0), "");
  EXPECT_EQ(copied(image, filter, RONDO_F16, 1, 1, 1), "");
  EXPECT_EQ(copied(image, filter, RONDO_F16, 0, 0, 0), "");
  EXPECT_EQ(copied(image, {8, 8, 1, 1}, RONDO_F16, 1, 0, 1), "") << "a filter of one place lies in both orders";
  EXPECT_EQ(copied(image, filter, RONDO_F32, 1, 0, 1), "filter copied to channels last");
  EXPECT_EQ(copied(image, filter, RONDO_F32, 0, 1, 0), "filter copied to channels first");
  EXPECT_EQ(copied(image, filter, RONDO_F32, 1, 0, 0), "image copied to channels first");
  EXPECT_EQ(copied({1, 8, 3, 2}, large, RONDO_F32, 1, 0, 0), "image copied to channels first");
  EXPECT_EQ(copied({1, 8, 3, 2}, large, RONDO_F32, 0, 1, 1), "image copied to channels last");
  EXPECT_EQ(copied(image, filter, RONDO_F16, 3, 3, 3), "image, filter, result copied to channels last");
  EXPECT_EQ(copied(image, filter, RONDO_F32, 3, 3, 3), "image, filter, result copied to channels first");
  EXPECT_EQ(copied(image, filter, RONDO_F32, 9, 11, 7), "image, filter, result copied to channels first");
  EXPECT_EQ(copied(image, filter, RONDO_F32, 1, 0, 1, true), "filter copied to channels last");
  EXPECT_EQ(copied(image, filter, RONDO_F16, 1, 0, 1, true), "") << "of 16 bits a scale comes before the rounding";
}

}  // namespace
}  // namespace conformance
