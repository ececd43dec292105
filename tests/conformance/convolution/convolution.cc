// Convolutions: all three ways, in one to three dimensions, every option, layouts, what follows the sum, given and
// accumulated outputs, sizes of 0, NaN and infinity.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <random>

#include "convolution/convolution.h"

#include "operators/activation_reference.h"

namespace conformance {
namespace {

class Convolutions : public OnEngine {
 protected:
  // One way of a problem. last: of the first operand, of the second.
  void keep(Results& results, const Convolution& problem, Way way, rondo_dtype dtype, bool first_last = false,
            bool second_last = false) {
    const Array a = random_array(dtype, way == Way::data ? problem.result() : problem.image, 1, -2, 2);
    const Array b = random_array(dtype, way == Way::filter ? problem.result() : problem.filter, 2, -2, 2);
    Tensor first = up(a), second = up(b);
    if (first_last) first = with_channels_last(first);
    if (second_last) second = with_channels_last(second);
    const rondo_convolution_options options = way == Way::data ? problem.transposed_options() : problem.options();
    Tensor out = way == Way::filter ? make(rondo_convolution_filter_grad, first, second,
                                           static_cast<int32_t>(problem.spatial()), problem.filter.data() + 2, &options)
                                    : make(rondo_convolution, first, second, &options);
    static const char* const ways[] = {"forward ", "data ", "filter "};
    results.keep(ways[static_cast<int>(way)] + std::string(rondo_dtype_name(dtype)) + " " + problem.name(),
                 std::move(out), [=] { return expect_convolution(problem, way, a, b); });
  }
  std::vector<rondo_dtype> dtypes(int turn) const {
    return covering({std::begin(kFloatDtypes), std::end(kFloatDtypes)}, turn);
  }
};
CONFORMANCE_SUITE(Convolutions);

TEST_P(Convolutions, Forward) {
  for (const rondo_dtype dtype : dtypes(0))
    run([&](Results& results) {
      for (const Convolution& problem : dealt(convolution_problems())) keep(results, problem, Way::forward, dtype);
    });
}

TEST_P(Convolutions, Transposed) {
  for (const rondo_dtype dtype : dtypes(1))
    run([&](Results& results) {
      for (const Convolution& problem : dealt(convolution_problems())) keep(results, problem, Way::data, dtype);
    });
}

TEST_P(Convolutions, FilterGradients) {
  for (const rondo_dtype dtype : dtypes(2))
    run([&](Results& results) {
      for (const Convolution& problem : dealt(convolution_problems())) keep(results, problem, Way::filter, dtype);
    });
}

TEST_P(Convolutions, ByChance) {
  const std::vector<Convolution> problems = random_convolutions(on_cuda() ? 10 : 60, 14);
  run([&](Results& results) {
    for (const Convolution& problem : dealt(problems))
      for (const Way way : {Way::forward, Way::data, Way::filter}) keep(results, problem, way, RONDO_F32);
    // Two groups that cuDNN does apart; a simulated device takes long.
    if (sparing() && (naive() || GetParam().graph)) return;
    keep(results, {{1, 144, 13, 12}, {144, 72, 5, 5}, {1, 1}, {2, 2}, {2, 2}, {1, 1}, 2}, Way::forward, RONDO_F32);
  });
}

// More than one tile, more than one block of the host's panels, sums in parts.
TEST_P(Convolutions, Larger) {
  const std::vector<Convolution> problems = {
      {{1, 17, 9, 8}, {66, 17, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{3, 10, 14, 14}, {9, 10, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 64, 3, 3}, {9, 64, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{2, 102, 9, 8}, {114, 34, 1, 1}, {1, 1}, {0, 0}, {0, 0}, {1, 1}, 3},
      {{3, 80, 11, 9}, {70, 40, 1, 1}, {2, 3}, {0, 0}, {0, 0}, {1, 1}, 2},
  };
  run([&](Results& results) {
    for (const Convolution& problem : dealt(problems))
      for (const Way way : {Way::forward, Way::data, Way::filter}) keep(results, problem, way, RONDO_F32);
  });
}

// What the host cuts into tiles: more kernels than are finished at once, sums too deep for a block of whole width,
// lines longer than a block and shorter than a vector, groups, steps of one to three, dilation, three axes. On the host
// also few columns, whose kernels are cut, sums that are made in parts, and depths in blocks of taps and of channels.
TEST_P(Convolutions, Tiles) {
  std::vector<Convolution> problems = {
      {{1, 20, 13, 11}, {130, 20, 3, 3}, {2, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{2, 230, 6, 7}, {13, 230, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{2, 6, 3, 140}, {39, 2, 1, 1}, {1, 1}, {0, 0}, {0, 0}, {1, 1}, 3},
      {{1, 3, 20, 31}, {24, 3, 5, 3}, {2, 3}, {3, 2}, {2, 3}, {1, 2}},
      {{1, 5, 4, 6, 19}, {14, 5, 2, 3, 3}, {1, 2, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}},
      {{1, 8, 1, 1}, {30, 8, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
  };
  std::vector<Way> ways = {Way::forward, Way::data};
  if (!on_cuda()) {
    problems.push_back({{1, 64, 4, 4}, {509, 64, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}});
    problems.push_back({{1, 700, 6, 7}, {14, 700, 5, 5}});
    problems.push_back({{1, 13, 5, 6}, {700, 13, 5, 5}});
    problems.push_back({{1, 80, 15, 14}, {26, 80, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}});
    problems.push_back({{2, 600, 9, 9}, {17, 600, 1, 1}});
    ways.push_back(Way::filter);
  }
  run([&](Results& results) {
    for (const Convolution& problem : dealt(problems))
      for (const Way way : ways)
        for (const bool last : {false, true}) keep(results, problem, way, RONDO_F32, last);
  });
}

TEST_P(Convolutions, ChannelsLast) {
  const Convolution problem{{2, 6, 7, 5}, {12, 3, 3, 3}, {2, 1}, {1, 1}, {1, 1}, {1, 1}, 2};
  const Convolution depthwise{{2, 12, 7, 5}, {12, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 12};
  const Convolution pointwise{{2, 36, 9, 8}, {44, 18, 1, 1}, {1, 1}, {0, 0}, {0, 0}, {1, 1}, 2};
  run([&](Results& results) {
    for (const Convolution& each : dealt<Convolution>({problem, depthwise, pointwise}))
      for (const Way way : {Way::forward, Way::data, Way::filter})
        for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16, RONDO_BF16})
          for (const int which : {1, 2, 3}) keep(results, each, way, dtype, which & 1, which & 2);
  });
  const rondo_convolution_options options = problem.options();
  const Tensor x = up(random_array(RONDO_F32, problem.image, 1, -2, 2)),
               w = up(random_array(RONDO_F32, problem.filter, 2, -2, 2));
  EXPECT_FALSE(has_channels_last(make(rondo_convolution, x, w, &options)));
  EXPECT_TRUE(has_channels_last(make(rondo_convolution, with_channels_last(x), w, &options)));
  EXPECT_FALSE(has_channels_last(make(rondo_convolution, x, with_channels_last(w), &options)));
  const Tensor wide_x = up(random_array(RONDO_F64, problem.image, 1, -2, 2)),
               wide_w = up(random_array(RONDO_F64, problem.filter, 2, -2, 2));
  EXPECT_FALSE(has_channels_last(make(rondo_convolution, wide_x, wide_w, &options)));
  for (const rondo_dtype dtype : {RONDO_F16, RONDO_BF16}) {
    const Tensor half_x = up(random_array(dtype, problem.image, 1, -2, 2)),
                 half_w = up(random_array(dtype, problem.filter, 2, -2, 2));
    EXPECT_FALSE(has_channels_last(make(rondo_convolution, half_x, half_w, &options)));
    const Tensor y = make(rondo_convolution, with_channels_last(half_x), half_w, &options);
    EXPECT_TRUE(has_channels_last(y));
    // What follows keeps the order.
    rondo_tensor* const both[] = {y, y};
    const int64_t widths[] = {0, 0, 0, 1, 1, 0, 0, 2};
    EXPECT_TRUE(has_channels_last(make(rondo_concat, 2, both, 1)));
    EXPECT_TRUE(has_channels_last(make(rondo_pad, y, RONDO_PAD_CONSTANT, 8, widths, 0.0)));
  }
  const rondo_convolution_options each_channel = depthwise.options();
  EXPECT_FALSE(has_channels_last(make(rondo_convolution, up(random_array(RONDO_F32, depthwise.image, 1, -2, 2)),
                                      up(random_array(RONDO_F32, depthwise.filter, 2, -2, 2)), &each_channel)));
}

// One channel a group, of either order: lines shorter and longer than a vector, steps of one, two and three, dilation,
// padding beyond the kernel, planes that workers share.
TEST_P(Convolutions, Depthwise) {
  const std::vector<Convolution> problems = {
      {{1, 70, 7, 7}, {70, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 70},
      {{2, 9, 19, 45}, {9, 1, 3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, 9},
      {{1, 5, 40, 39}, {5, 1, 5, 5}, {1, 1}, {4, 4}, {4, 4}, {2, 2}, 5},
      {{1, 5, 21, 70}, {5, 1, 2, 3}, {3, 2}, {2, 0}, {1, 3}, {1, 1}, 5},
      {{2, 6, 50}, {6, 1, 7}, {1}, {3}, {3}, {1}, 6},
      {{1, 4, 6, 7, 20}, {4, 1, 3, 3, 3}, {1, 2, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, 4},
      {{1, 3, 4, 4}, {3, 1, 1, 1}, {1, 1}, {3, 2}, {1, 2}, {1, 1}, 3},
      {{1, 9, 1, 8, 8}, {9, 1, 1, 3, 3}, {3, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, 9},
      {{2, 9, 1, 8, 7}, {9, 1, 1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {0, 1, 1}, {1, 1, 1}, 9},
      {{1, 3, 5, 33}, {3, 1, 3, 3}, {1, 1}, {1, 30}, {1, 30}, {1, 30}, 3},
      {{1, 48, 56, 56}, {48, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 48},
      {{2, 37, 14, 15}, {37, 1, 5, 5}, {1, 1}, {2, 2}, {2, 2}, {1, 1}, 37},
      {{1, 17, 12, 31}, {17, 1, 3, 2}, {3, 2}, {2, 1}, {1, 3}, {2, 3}, 17},
  };
  for (const rondo_dtype dtype : dtypes(1))
    run([&](Results& results) {
      for (const Convolution& problem : dealt(problems))
        for (const Way way : {Way::forward, Way::data})
          for (const bool last : {false, true}) keep(results, problem, way, dtype, last);
    });
  // So many that a lane of a GPU has several results; a simulated one takes long.
  if (!sparing() || !(naive() || GetParam().graph))
    run([&](Results& results) {
      const Convolution many{{1, 64, 130, 131}, {64, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 64};
      for (const bool last : {false, true}) keep(results, many, Way::forward, RONDO_F32, last);
    });
}

// The same of sizes that are drawn: windows whose lines share what they read on the host and others, images of one
// column, and planes that are copied in bands.
TEST_P(Convolutions, DepthwiseByChance) {
  std::mt19937 bits(21);
  const auto upto = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(bits() % static_cast<uint32_t>(high - low + 1));
  };
  std::vector<Convolution> problems = {
      {{1, 2, 150, 131}, {2, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 2},
      {{1, 2, 150, 131}, {2, 1, 3, 3}, {2, 2}, {1, 0}, {1, 2}, {1, 1}, 2},
      {{1, 2, 130, 140}, {2, 1, 7, 5}, {1, 2}, {9, 2}, {2, 9}, {2, 1}, 2},
  };
  while (problems.size() < (on_cuda() ? 5U : 60U)) {
    const int64_t channels = upto(2, 9), kind = upto(0, 3), step = upto(1, 3);
    Convolution each{{upto(1, 2), channels}, {channels, 1}};
    each.groups = channels;
    bool possible = true;
    for (size_t d = 0; d < 2; ++d) {
      each.image.push_back(upto(0, 5) ? upto(1, 40) : 1);
      each.filter.push_back(kind == 0 ? upto(1, 7) : kind == 1 ? 5 : 3);
      each.stride[d] = kind == 0 ? upto(1, 3) : step;
      each.dilation[d] = upto(0, 3) ? 1 : 2;
      each.before[d] = upto(0, 4), each.after[d] = upto(0, 4);
      possible =
          possible && each.image[2 + d] + each.before[d] + each.after[d] > each.dilation[d] * (each.filter[2 + d] - 1);
    }
    if (possible) problems.push_back(each);
  }
  run([&](Results& results) {
    for (const Convolution& problem : dealt(problems))
      for (const Way way : {Way::forward, Way::data})
        for (const rondo_dtype dtype : {RONDO_F32, RONDO_F64}) keep(results, problem, way, dtype);
  });
}

// A filter that is written between launches counts as it is then, if a library keeps it in another order too; so does
// one that a graph writes itself.
TEST_P(Convolutions, FiltersWrittenBetweenLaunches) {
  const Convolution problem{{1, 32, 9, 8}, {48, 32, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
  const Array image = random_array(RONDO_F32, problem.image, 1, -2, 2);
  Array filter = random_array(RONDO_F32, problem.filter, 2, -2, 2);
  const rondo_convolution_options options = problem.options();
  const Tensor x = with_channels_last(up(image)), w = up(filter);
  Tensor before, after;
  const Graph graph = record(engine(), [&] {
    before = make(rondo_convolution, x, w, &options);
    into(w, rondo_unary, RONDO_NEG, w);
    after = make(rondo_convolution, x, w, &options);
  });
  for (int turn = 0; turn < 4; ++turn) {
    if (turn == 2) {
      filter = random_array(RONDO_F32, problem.filter, 3, -2, 2);
      into(w, rondo_copy, up(filter));
    }
    const Array was = download(w);
    must(rondo_graph_launch(graph.get()));
    const Array first = download(before), second = download(after),
                eager = download(make(rondo_convolution, x, w, &options));
    expect_as(first, expect_convolution(problem, Way::forward, image, was), "turn " + std::to_string(turn));
    int different = 0;
    for (size_t i = 0; i < first.size(); ++i) different += second[i] != -first[i] || eager[i] != second[i];
    EXPECT_EQ(different, 0) << "in turn " << turn;
  }
}

// A filter that lies tap by tap, as some frameworks keep it: the bits of an image are the same in a batch and alone,
// and those of a graph, which keeps a copy of the kernels, are those of the call.
TEST_P(Convolutions, FiltersThatLieByTaps) {
  const Convolution problem{{3, 32, 5, 7}, {40, 32, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
  const Array image = random_array(RONDO_F32, problem.image, 1, -2, 2),
              filter = random_array(RONDO_F32, problem.filter, 2, -2, 2);
  const rondo_convolution_options options = problem.options();
  const Tensor w = transpose(up(host_transpose(filter, {2, 3, 1, 0})), {3, 2, 0, 1});
  for (const bool last : {false, true}) {
    const Tensor x = last ? with_channels_last(up(image)) : up(image);
    Tensor recorded;
    const Graph graph = record(engine(), [&] { recorded = make(rondo_convolution, x, w, &options); });
    must(rondo_graph_launch(graph.get()));
    const Array all = download(make(rondo_convolution, x, w, &options)), of_graph = download(recorded),
                one = download(make(rondo_convolution, slice(x, 0, 1, 2), w, &options));
    expect_as(all, expect_convolution(problem, Way::forward, image, filter), last ? "channels last" : "channels first");
    int different = 0;
    for (size_t i = 0; i < all.size(); ++i) different += of_graph[i] != all[i];
    for (size_t i = 0; !on_cuda() && i < one.size(); ++i) different += one[i] != all[one.size() + i];
    EXPECT_EQ(different, 0);
  }
}

// Every second channel and place of something larger, backwards; written into such a view as well.
TEST_P(Convolutions, Views) {
  const Convolution problem{{2, 4, 5, 6}, {3, 4, 2, 3}, {1, 2}, {1, 1}, {0, 1}, {1, 1}};
  const Array wide_x = random_array(RONDO_F32, {2, 8, 5, 12}, 1, -2, 2),
              wide_w = random_array(RONDO_F32, {6, 4, 2, 3}, 2, -2, 2);
  const Array x = host_slice(host_slice(wide_x, 1, 0, 4, 2), 3, 11, 6, -2), w = host_slice(wide_w, 0, 1, 3, 2);
  const Shape made = problem.result();
  run([&](Results& results) {
    const Tensor whole_x = up(wide_x), whole_w = up(wide_w);
    const Tensor a = slice(slice(whole_x, 1, 0, 8, 2), 3, 11, -13, -2), b = slice(whole_w, 0, 1, 6, 2);
    const rondo_convolution_options options = problem.options();
    Tensor target = empty(RONDO_F32, {2 * made[0], made[1], made[2], made[3]});
    must(rondo_fill(target, 7));
    into(slice(target, 0, 0, 4, 2), rondo_convolution, a, b, &options);
    results.keep("into a view", std::move(target), [=] {
      const Expected inner = expect_convolution(problem, Way::forward, x, w);
      Expected out(RONDO_F32, {4, made[1], made[2], made[3]}, 1);
      const size_t half = inner.values.size() / 2;
      out.absolute.resize(out.values.size());
      for (size_t i = 0; i < out.values.size(); ++i) {
        const size_t entry = i / half, at = entry / 2 * half + i % half;
        out.values[i] = entry % 2 ? 7 : inner.values[at];
        out.absolute[i] = entry % 2 ? 0 : inner.absolute[at];
      }
      return out;
    });
    Tensor sum = empty(RONDO_F32, made);
    into(sum, rondo_convolution, a, b, &options);
    into(make(rondo_tensor_accumulator, sum), rondo_convolution, a, b, &options);
    results.keep("accumulated", std::move(sum), [=] {
      Expected out = expect_convolution(problem, Way::forward, x, w);
      for (size_t i = 0; i < out.values.size(); ++i) out.values[i] *= 2, out.absolute[i] *= 4;
      return out;
    });
  });
}

// activation(sum * scale + bias + residual), in all combinations, both ways round.
TEST_P(Convolutions, WhatFollowsTheSum) {
  const Convolution problems[] = {{{2, 4, 6, 5}, {10, 4, 3, 3}, {2, 1}, {1, 1}, {1, 1}, {1, 1}},
                                  {{2, 20, 6, 5}, {24, 10, 1, 1}, {1, 1}, {0, 0}, {0, 0}, {1, 1}, 2}};
  std::vector<int> combinations;
  for (int each = 1; each < 56; ++each) combinations.push_back(each);
  int turn = 0;
  for (const rondo_dtype dtype : dtypes(3)) {
    const Convolution& problem = problems[turn / 2 % 2];
    const Way way = turn++ % 2 ? Way::data : Way::forward;
    const Shape made = way == Way::data ? problem.image : problem.result();
    const Array a = random_array(dtype, way == Way::data ? problem.result() : problem.image, 1, -1, 1);
    const Array b = random_array(dtype, problem.filter, 2, -1, 1), scales = random_array(dtype, {made[1]}, 3, -2, 2);
    const Array biases = random_array(dtype, {made[1]}, 4, -2, 2), residuals = random_array(dtype, made, 5, -2, 2);
    run([&](Results& results) {
      const Tensor first = up(a), second = up(b), scale = up(scales), bias = up(biases), residual = up(residuals);
      for (const int each : dealt(combinations)) {
        rondo_convolution_options options = way == Way::data ? problem.transposed_options() : problem.options();
        const auto activation = static_cast<rondo_activation>(each / 8);
        if (each & 1) options.scale = scale;
        if (each & 2) options.bias = bias;
        if (each & 4) options.residual = residual;
        options.activation = activation;
        results.keep(std::string(rondo_dtype_name(dtype)) + " combination " + std::to_string(each),
                     make(rondo_convolution, first, second, &options), [=] {
                       Expected out = expect_convolution(problem, way, a, b);
                       const auto plane = static_cast<size_t>(made[2] * made[3]),
                                  channels = static_cast<size_t>(made[1]);
                       const Real epsilon = std::ldexp(Real(1), dtype == RONDO_F64 ? -52 : -23);
                       for (size_t i = 0; i < out.values.size(); ++i) {
                         const size_t channel = i / plane % channels;
                         const Real factor = each & 1 ? scales[channel] : 1, added = each & 2 ? biases[channel] : 0,
                                    beside = each & 4 ? residuals[i] : 0;
                         const Real z = out.values[i] * factor + added + beside;
                         out.absolute[i] = 1.5L * (out.absolute[i] * std::fabs(factor) +
                                                   epsilon * (std::fabs(out.values[i] * factor) + std::fabs(added) +
                                                              std::fabs(beside) + 8 * std::fabs(z)));
                         out.values[i] = activated(activation, z);
                       }
                       return out;
                     });
      }
    });
  }
}

// Nothing to sum gives what follows it; nothing to write is no task.
TEST_P(Convolutions, SizesOfZero) {
  const Array biases = random_array(RONDO_F32, {3}, 4, -2, 2);
  run([&](Results& results) {
    const Tensor bias = up(biases), none = empty(RONDO_F32, {2, 0, 4, 4}), kernel = empty(RONDO_F32, {3, 0, 2, 2});
    rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
    options.bias = bias;
    results.keep("no channels", make(rondo_convolution, none, kernel, &options), [=] {
      Expected out(RONDO_F32, {2, 3, 3, 3});
      for (size_t i = 0; i < out.values.size(); ++i) out.values[i] = biases[i / 9 % 3];
      return out;
    });
    const Tensor no_entries = empty(RONDO_F32, {0, 2, 4, 4}), no_changes = empty(RONDO_F32, {0, 3, 3, 3});
    const Tensor filter = up(full(RONDO_F32, {3, 2, 2, 2}, 1));
    results.keep("no batch", make(rondo_convolution, no_entries, filter, nullptr), [] {
      return Expected(RONDO_F32, {0, 3, 3, 3});
    });
    const int64_t sizes[] = {2, 2};
    results.keep("gradient of no batch", make(rondo_convolution_filter_grad, no_entries, no_changes, 2, sizes, nullptr),
                 [] {
                   return Expected(RONDO_F32, {3, 2, 2, 2});
                 });
    results.keep("no kernels",
                 make(rondo_convolution, up(full(RONDO_F32, {1, 2, 4, 4}, 1)), empty(RONDO_F32, {0, 2, 2, 2}), nullptr),
                 [] {
                   return Expected(RONDO_F32, {1, 0, 3, 3});
                 });
    rondo_convolution_options padded = RONDO_CONVOLUTION_OPTIONS_INIT;
    padded.padding[0] = padded.padding[1] = 1;
    results.keep("only padding", make(rondo_convolution, empty(RONDO_F32, {1, 2, 0, 0}), filter, &padded), [] {
      return Expected(RONDO_F32, {1, 3, 1, 1});
    });
  });
}

// What is not finite is in the results that it has a part in, and in no other.
TEST_P(Convolutions, NanAndInfinity) {
  const Convolution problem{{1, 1, 5, 5}, {2, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
  Array x = full(RONDO_F32, problem.image, 1);
  const Array w = full(RONDO_F32, problem.filter, 1);
  x.set(0, NAN), x.set(24, INFINITY);
  run([&](Results& results) {
    const rondo_convolution_options options = problem.options();
    results.keep("passed on", make(rondo_convolution, up(x), up(w), &options),
                 [=] { return expect_convolution(problem, Way::forward, x, w); });
  });
}

// An activation keeps NaN, whoever does it: a library in one with the sum, or Rondo behind it.
TEST_P(Convolutions, NanBehindActivations) {
  const Convolution problem{{2, 8, 5, 5}, {8, 8, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16}) {
    Array x = random_array(dtype, problem.image, 1, -1, 1);
    x.set(0, NAN), x.set(399, -INFINITY);
    const Array w = full(dtype, problem.filter, 0.5), biases = random_array(dtype, {8}, 2, -1, 1);
    const Array residuals = random_array(dtype, problem.result(), 3, -1, 1);
    run([&](Results& results) {
      const Tensor first = up(x), second = up(w), bias = up(biases), residual = up(residuals);
      for (int each = 4; each < 28; ++each) {
        if (each % 4 == 2) continue;  // a residual alone
        const auto activation = static_cast<rondo_activation>(each / 4);
        rondo_convolution_options options = problem.options();
        options.activation = activation;
        if (each & 1) options.bias = bias;
        if (each & 2) options.residual = residual;
        results.keep(std::string(rondo_dtype_name(dtype)) + " behind " + std::to_string(each),
                     make(rondo_convolution, first, second, &options), [=] {
                       Expected out = expect_convolution(problem, Way::forward, x, w);
                       for (size_t i = 0; i < out.values.size(); ++i) {
                         const Real z =
                             out.values[i] + (each & 1 ? biases[i / 25 % 8] : 0) + (each & 2 ? residuals[i] : 0);
                         out.absolute[i] = 2 * out.absolute[i] + std::ldexp(Real(1), -20);
                         out.values[i] = activated(activation, z);
                       }
                       return out;
                     });
      }
    });
  }
}

// Full f32 unless TF32 is asked for: 1 + 2^-12 would lose its last bit in a 10-bit mantissa.
TEST_P(Convolutions, FullPrecisionByDefault) {
  const Array x = full(RONDO_F32, {1, 16, 8, 8}, 1 + std::ldexp(Real(1), -12));
  Array w = full(RONDO_F32, {16, 16, 1, 1}, 0);
  for (size_t i = 0; i < 16; ++i) w.set(i * 17, 1);
  run([&](Results& results) {
    results.keep("f32", make(rondo_convolution, up(x), up(w), nullptr), [=] { return Expected(x); });
  });
}

}  // namespace
}  // namespace conformance
