// Recordings that want fewer roundings: rotary embeddings, GELU, batch normalisation, quantised products and residuals
// that are written as their parts become few tasks. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
// Apache-2.0
#include <random>

#include "passes/passes.h"

namespace conformance {
namespace {

class PatternNodes : public WithFewerRoundings {
 protected:
  static Tensor of(rondo_binary_op op, rondo_tensor* a, rondo_tensor* b) { return make(rondo_binary, op, a, b); }
  static Tensor scaled(rondo_binary_op op, rondo_tensor* x, double by) { return make(rondo_binary_scalar, op, x, by); }
  static Tensor mul(rondo_tensor* a, rondo_tensor* b) { return of(RONDO_MUL, a, b); }
  static Tensor add(rondo_tensor* a, rondo_tensor* b) { return of(RONDO_ADD, a, b); }
  static Tensor joined(rondo_tensor* a, rondo_tensor* b, int32_t axis) {
    rondo_tensor* const both[] = {a, b};
    return make(rondo_concat, 2, both, axis);
  }
  static int64_t size(rondo_tensor* x, int32_t axis) {
    rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
    must(rondo_tensor_query(x, &info));
    return info.shape[axis < 0 ? axis + info.ndim : axis];
  }
  static Tensor part(rondo_tensor* x, int32_t axis, int64_t parts, int64_t i) {
    const int64_t n = size(x, axis) / parts;
    return slice(x, axis, i * n, (i + 1) * n);
  }
  static Tensor cast(rondo_tensor* x, rondo_dtype dtype) { return make(rondo_cast, x, dtype); }
  static rondo_dtype computed(rondo_dtype dtype) { return is_half(dtype) ? RONDO_F32 : dtype; }
  // x, cosines and sines, as wide as x.
  static Tensor by_turned_halves(const std::vector<Tensor>& x, int32_t axis, bool exchanged) {
    const Tensor turned = joined(make(rondo_unary, RONDO_NEG, part(x[0], axis, 2, 1)), part(x[0], axis, 2, 0), axis);
    const Tensor one = mul(x[0], x[1]), other = exchanged ? mul(x[2], turned) : mul(turned, x[2]);
    return exchanged ? add(other, one) : add(one, other);
  }
  // The same with tables of one half; interleaved: of neighbours, and into views.
  enum class Halves { joined, written, written_last_first, neighbours, stacked };
  Tensor by_halves(const std::vector<Tensor>& x, int32_t axis, Halves how) const {
    const bool neighbours = how >= Halves::neighbours;
    const auto half = [&](rondo_tensor* of, int64_t i) {
      return neighbours ? slice(of, axis, i, size(of, axis), 2) : part(of, axis, 2, i);
    };
    const Tensor a = half(x[0], 0), b = half(x[0], 1);
    const auto first = [&] { return of(RONDO_SUB, mul(a, x[1]), mul(b, x[2])); };
    if (how == Halves::joined || how == Halves::stacked) {
      const Tensor one = first(), other = add(mul(b, x[1]), mul(a, x[2]));
      if (how == Halves::joined) return joined(one, other, axis);
      rondo_tensor* const both[] = {one, other};
      return make(rondo_stack, 2, both, -1);
    }
    rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
    must(rondo_tensor_query(x[0], &info));
    Tensor y = make(rondo_tensor_create, engine(), GetParam().device, info.dtype, info.ndim, info.shape);
    const auto write_first = [&] { into(half(y, 0), rondo_binary, RONDO_SUB, mul(a, x[1]), mul(b, x[2])); };
    if (how != Halves::written_last_first) write_first();
    into(half(y, 1), rondo_binary, RONDO_ADD, mul(a, x[2]), mul(b, x[1]));
    if (how == Halves::written_last_first) write_first();
    return y;
  }
  static std::vector<Tensor> each_cast(const std::vector<Tensor>& x, rondo_dtype dtype) {
    std::vector<Tensor> all;
    for (const Tensor& each : x) all.push_back(cast(each, dtype));
    return all;
  }
  static bool has_found(const Graph& graph, const char* name) {
    return std::string(graph_report(graph.get())).find(std::string("'") + name + "': ") != std::string::npos;
  }
  void expect_left(const std::vector<Array>& arrays, const Program& body, const char* name,
                   const std::string& label) const {
    const Graph graph = compare_nearly(arrays, body, 1e-5L, label);
    EXPECT_FALSE(has_found(graph, name)) << label << graph_report(graph.get());
  }
};
CONFORMANCE_ENGINE_SUITE(PatternNodes);

TEST_P(PatternNodes, RotaryByTurnedHalvesIsOneTask) {
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16, RONDO_BF16, RONDO_F64})
    for (const Shape& shape : {Shape{2, 3, 5, 8}, Shape{7, 34}, Shape{6}, Shape{3, 1, 130}})
      for (const bool wide : {true, false})
        for (const bool exchanged : {false, true}) {
          if (quick() && (dtype == RONDO_BF16 || (exchanged && shape.size() != 2))) continue;
          const Shape table = wide && shape.size() > 2 ? Shape(shape.begin() + 2, shape.end())
                              : wide                   ? shape
                                                       : Shape{shape.back()};
          const auto turn = [&](const std::vector<Tensor>& x) { return by_turned_halves(x, -1, exchanged); };
          const Graph graph = compare_with(
              {random_array(dtype, shape, 3, -2, 2), random_array(dtype, table, 4, -1, 1),
               random_array(dtype, table, 5, -1, 1)},
              [&](const auto& x) { return list(turn(x)); },
              [&](const auto& x) { return list(cast(turn(each_cast(x, computed(dtype))), dtype)); },
              rondo_dtype_name(dtype), 1);
          EXPECT_TRUE(has_found(graph, "rotary")) << graph_report(graph.get());
        }
}

TEST_P(PatternNodes, RotaryByHalvesIsOneTask) {
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16, RONDO_F64})
    for (const auto how :
         {Halves::joined, Halves::written, Halves::written_last_first, Halves::neighbours, Halves::stacked})
      for (const int32_t axis : {-1, 1}) {
        const Shape shape = {3, 10, 4, 14};
        const Shape table = axis == 1 ? Shape{5, 1, 1} : Shape{10, 1, 7};
        const auto turn = [&](const std::vector<Tensor>& x) { return by_halves(x, axis, how); };
        const Graph graph = compare_with(
            {random_array(dtype, shape, 3, -2, 2), random_array(dtype, table, 4, -1, 1),
             random_array(dtype, table, 5, -1, 1)},
            [&](const auto& x) { return list(turn(x)); },
            [&](const auto& x) { return list(cast(turn(each_cast(x, computed(dtype))), dtype)); },
            std::string(rondo_dtype_name(dtype)) + " way " + std::to_string(static_cast<int>(how)), 1);
        EXPECT_TRUE(has_found(graph, "rotary")) << graph_report(graph.get());
      }
}

// What is NaN, infinite or zero goes the way of the parts.
TEST_P(PatternNodes, RotaryOfOddNumbersHasBitsOfParts) {
  Array x = random_array(RONDO_F32, {4, 12}, 3, -2, 2), table = random_array(RONDO_F32, {12}, 4, -1, 1);
  const Real odd[] = {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity(),
                      -std::numeric_limits<Real>::infinity(), -0.0L, 0};
  for (size_t i = 0; i < x.size(); i += 2) x.set(i, odd[i / 2 % 5]);
  for (size_t i = 0; i < table.size(); i += 5) table.set(i, odd[i / 5 % 5]);
  const Program turn = [&](const auto& t) { return list(by_turned_halves(t, 1, false)); };
  compare_with({x, table, random_array(RONDO_F32, {12}, 5, -1, 1)}, turn, turn, "odd numbers", 1);
  for (const Shape& empty : {Shape{0, 12}, Shape{4, 0}}) {
    std::vector<Array> arrays = {random_array(RONDO_F32, empty, 3, -2, 2)};
    for (int i = 0; i < 2; ++i) arrays.push_back(random_array(RONDO_F32, {empty[1]}, 4, -1, 1));
    compare_nearly(arrays, turn, 0, "nothing");
  }
}

TEST_P(PatternNodes, WhatIsNoRotaryIsLeftAsItIs) {
  const std::vector<Array> arrays = {random_array(RONDO_F32, {6, 12}, 3, -2, 2),
                                     random_array(RONDO_F32, {12}, 4, -1, 1), random_array(RONDO_F32, {12}, 5, -1, 1),
                                     random_array(RONDO_F32, {6}, 6, -1, 1), random_array(RONDO_F32, {6}, 7, -1, 1)};
  const auto halves = [](const auto& x) { return std::pair(part(x[0], 1, 2, 0), part(x[0], 1, 2, 1)); };
  const auto turned = [](rondo_tensor* x, rondo_tensor* first, rondo_tensor* second, const auto& all) {
    return add(mul(joined(make(rondo_unary, RONDO_NEG, first), second, 1), all[2]), mul(x, all[1]));
  };
  expect_left(
      arrays,
      [&](const auto& x) {
        const auto [a, b] = halves(x);
        return list(turned(x[0], a, b, x));
      },
      "rotary", "the halves the other way round");
  expect_left(
      arrays, [&](const auto& x) { return list(turned(x[0], slice(x[0], 1, 4, 12), slice(x[0], 1, 0, 4), x)); },
      "rotary", "halves of other sizes");
  expect_left(
      arrays,
      [&](const auto& x) {
        const Tensor other = scaled(RONDO_MUL, x[0], 2);
        return list(turned(x[0], part(other, 1, 2, 1), part(other, 1, 2, 0), x));
      },
      "rotary", "halves of something else");
  expect_left(
      arrays,
      [&](const auto& x) {
        const auto [a, b] = halves(x);
        Tensor t = joined(make(rondo_unary, RONDO_NEG, b), a, 1);
        Tensor y = add(mul(t, x[2]), mul(x[0], x[1]));
        return list(std::move(t), std::move(y));
      },
      "rotary", "turned halves that are an output");
  expect_left(
      arrays,
      [&](const auto& x) {
        const auto [a, b] = halves(x);
        const Tensor t = joined(make(rondo_unary, RONDO_NEG, b), a, 1);
        must(rondo_fill(x[0], 3));
        return list(add(mul(t, x[2]), mul(x[0], x[1])));
      },
      "rotary", "what turns is written in between");
  expect_left(
      arrays,
      [&](const auto& x) {
        const auto [a, b] = halves(x);
        into(a, rondo_binary, RONDO_SUB, mul(a, x[3]), mul(b, x[4]));
        into(b, rondo_binary, RONDO_ADD, mul(b, x[3]), mul(a, x[4]));
        Tensor y = make(rondo_copy, x[0]);
        must(rondo_fill(x[0], 3));
        return list(std::move(y));
      },
      "rotary", "the second half reads the first result");
  expect_left(
      arrays,
      [&](const auto& x) {
        const auto [a, b] = halves(x);
        const Tensor one = of(RONDO_SUB, mul(a, x[3]), mul(b, x[4]));
        return list(joined(one, add(mul(b, scaled(RONDO_MUL, x[3], 2)), mul(a, x[4])), 1));
      },
      "rotary", "another table of one half");
  expect_left(
      arrays,
      [&](const auto& x) {
        const auto [a, b] = halves(x);
        Tensor one = of(RONDO_SUB, mul(a, x[3]), mul(b, x[4]));
        return list(std::move(one), add(mul(b, x[3]), mul(a, x[4])));
      },
      "rotary", "halves that are tensors of their own");
  expect_left(
      arrays,
      [&](const auto& x) {
        const Tensor column = slice(x[0], 1, 3, 4), b = part(x[0], 1, 2, 1);
        const Tensor one = of(RONDO_SUB, mul(column, column), mul(b, x[4]));
        return list(joined(one, add(mul(b, x[4]), mul(b, b)), 1));
      },
      "rotary", "a product that the difference repeats");
}

// Rotations whose spelling and neighbours are drawn by chance: some are found, and all are right.
TEST_P(PatternNodes, RandomRotationsAreRight) {
  size_t found = 0;
  const unsigned seeds = quick() && on_cuda() ? 10 : 80;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    std::mt19937 bits(seed);
    const auto chance = [&](int n) { return static_cast<int>(bits() % static_cast<unsigned>(n)); };
    const int64_t rows = 1 + chance(5), pairs = 1 + chance(20);
    const int spelling = chance(7), event = chance(7);
    const bool whole = spelling < 2;
    const Shape table = {chance(2) ? rows : 1, whole ? 2 * pairs : pairs};
    const std::vector<Array> arrays = {random_array(RONDO_F32, {rows, 2 * pairs}, seed, -2, 2),
                                       random_array(RONDO_F32, table, seed + 1, -1, 1),
                                       random_array(RONDO_F32, table, seed + 2, -1, 1)};
    const Program body = [&](const std::vector<Tensor>& given) {
      std::vector<Tensor> kept, x;
      x.push_back(event == 0 ? scaled(RONDO_MUL, given[0], 2) : make(rondo_copy, given[0]));
      for (int i = 1; i < 3; ++i)
        x.push_back(event == i ? scaled(RONDO_ADD, given[i], 1) : slice(given[i], 0, 0, table[0]));
      Tensor y = whole ? by_turned_halves(x, 1, spelling == 1) : by_halves(x, 1, static_cast<Halves>(spelling - 2));
      rondo_tensor* over = given[0];
      if (event == 3) must(rondo_copy(reshape(y, {rows, 2 * pairs}), &over));
      if (event == 4) y = make(rondo_unary, RONDO_TANH, y);
      if (event == 5) kept.push_back(by_halves(x, 1, Halves::joined));
      if (event == 6) must(rondo_fill(slice(y, 1, 0, 1), 5));
      kept.push_back(std::move(y));
      return kept;
    };
    if (event == 5 && whole) continue;
    const Graph graph = compare_nearly(arrays, body, 1e-6L, "seed " + std::to_string(seed));
    found += has_found(graph, "rotary");
  }
  EXPECT_GE(found, seeds / 2);
}

TEST_P(PatternNodes, EverySpellingOfGeluHasItsBits) {
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16, RONDO_F64})
    for (const bool by_tanh : {false, true})
      for (const int last : {0, 1, 2})
        for (const bool way : {false, true}) {
          const auto parts = [&](rondo_tensor* x) {
            Tensor factor;
            if (by_tanh) {
              const Tensor cube = way ? scaled(RONDO_POW, x, 3) : mul(x, mul(x, x));
              const Tensor sum = add(x, scaled(RONDO_MUL, cube, 0.044715));
              factor = make(rondo_unary, RONDO_TANH, scaled(RONDO_MUL, sum, std::sqrt(2 / 3.14159265358979323846)));
            } else {
              factor = make(rondo_unary, RONDO_ERF,
                            way ? scaled(RONDO_DIV, x, std::sqrt(2.0)) : scaled(RONDO_MUL, x, std::sqrt(0.5)));
            }
            factor = scaled(RONDO_ADD, factor, 1);
            if (last == 0) return scaled(RONDO_MUL, mul(x, factor), 0.5);
            return last == 1 ? mul(x, scaled(RONDO_MUL, factor, 0.5)) : mul(scaled(RONDO_MUL, x, 0.5), factor);
          };
          const Graph graph = compare_with(
              {random_array(dtype, {5, 33}, 3, -6, 6)}, [&](const auto& x) { return list(parts(x[0])); },
              [&](const auto& x) { return list(make(rondo_unary, by_tanh ? RONDO_GELU_TANH : RONDO_GELU, x[0])); },
              rondo_dtype_name(dtype), 1);
          EXPECT_TRUE(has_found(graph, by_tanh ? "gelu_tanh" : "gelu")) << graph_report(graph.get());
          if (!by_tanh || dtype == RONDO_F64) continue;
          const rondo_matmul_options plain = RONDO_MATMUL_OPTIONS_INIT;
          compare_with(
              {random_array(dtype, {19, 24}, 3, -2, 2), random_array(dtype, {24, 40}, 4, -2, 2),
               random_array(dtype, {40}, 5, -2, 2)},
              [&](const auto& x) { return list(parts(add(make(rondo_matmul, x[0], x[1], &plain), x[2]))); },
              [&](const auto& x) {
                rondo_matmul_options options = plain;
                options.bias = x[2];
                options.activation = RONDO_ACTIVATION_GELU;
                return list(make(rondo_matmul, x[0], x[1], &options));
              },
              "after a product", 1);
        }
  const Program sigmoid = [](const auto& x) {
    return list(mul(x[0], make(rondo_unary, RONDO_SIGMOID, scaled(RONDO_MUL, x[0], 1.702))));
  };
  compare_with({random_array(RONDO_F32, {5, 33}, 3, -6, 6)}, sigmoid, sigmoid, "by a sigmoid", 1);
}

// Image, filter, its bias, mean, variance, weight, bias and residual.
class BatchNormPatterns : public PatternNodes {
 protected:
  static constexpr double kEpsilon = 1e-3;
  struct Form {
    rondo_dtype dtype;
    bool biased, weight, bias;
    int way;  // 0: the operator; by parts: 1: a quotient, 2: the inverse root, 3: times the weight first
    bool residual = false, relu = false;
  };
  static std::vector<Array> arrays(rondo_dtype dtype) {
    const rondo_dtype statistics = computed(dtype);
    return {random_array(dtype, {2, 5, 9, 7}, 3, -2, 2), random_array(dtype, {6, 5, 3, 3}, 4, -1, 1),
            random_array(dtype, {6}, 5, -3, 3),          random_array(statistics, {6}, 6, -3, 3),
            random_array(statistics, {6}, 7, 0.5, 4),    random_array(dtype, {6}, 8, -2, 2),
            random_array(dtype, {6}, 9, -2, 2),          random_array(dtype, {2, 6, 7, 5}, 10, -3, 3)};
  }
  static Tensor convolution(const std::vector<Tensor>& x, const Form& form) {
    rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
    if (form.biased) options.bias = x[2];
    return make(rondo_convolution, x[0], x[1], &options);
  }
  static Tensor normalised(const std::vector<Tensor>& x, const Form& form) {
    Tensor y = convolution(x, form);
    if (form.way == 0) {
      rondo_norm_options options = RONDO_NORM_OPTIONS_INIT;
      options.epsilon = kEpsilon;
      if (form.weight) options.weight = x[5];
      if (form.bias) options.bias = x[6];
      if (form.residual) options.residual = x[7];
      if (form.relu) options.activation = RONDO_ACTIVATION_RELU;
      return make(rondo_batch_norm, y, x[3], x[4], &options);
    }
    const auto channels = [&](rondo_tensor* of) { return reshape(cast(of, form.dtype), {6, 1, 1}); };
    const Tensor shifted = scaled(RONDO_ADD, channels(x[4]), kEpsilon);
    y = of(RONDO_SUB, y, channels(x[3]));
    if (form.way == 1) {
      y = of(RONDO_DIV, y, make(rondo_unary, RONDO_SQRT, shifted));
    } else {
      Tensor inverse = make(rondo_unary, RONDO_RSQRT, shifted);
      if (form.way == 3 && form.weight) inverse = mul(channels(x[5]), inverse);
      y = mul(inverse, y);
    }
    if (form.weight && form.way != 3) y = mul(y, channels(x[5]));
    if (form.bias) y = add(y, channels(x[6]));
    if (form.residual) y = add(x[7], y);
    return form.relu ? make(rondo_unary, RONDO_RELU, y) : std::move(y);
  }
  // One factor and one summand for each channel.
  static Tensor expected(const std::vector<Tensor>& x, const Form& form) {
    const rondo_dtype wide = computed(form.dtype);
    const auto number = [&](rondo_tensor* of) { return cast(form.way ? cast(of, form.dtype) : cast(of, wide), wide); };
    Tensor shifted = scaled(RONDO_ADD, number(x[4]), kEpsilon);
    if (form.way) shifted = number(shifted);  // each of the parts is rounded
    Tensor scale =
        form.way == 1 ? number(make(rondo_unary, RONDO_SQRT, shifted)) : make(rondo_unary, RONDO_RSQRT, shifted);
    if (form.way == 1) scale = make(rondo_unary, RONDO_RECIPROCAL, scale);
    if (form.way > 1) scale = number(scale);
    if (form.weight) scale = mul(number(x[5]), scale);
    scale = cast(scale, form.dtype);
    Tensor shift = make(rondo_unary, RONDO_NEG, number(x[3]));
    if (form.biased) shift = add(shift, cast(x[2], wide));
    shift = mul(shift, cast(scale, wide));
    if (form.bias) shift = add(shift, number(x[6]));
    shift = cast(shift, form.dtype);
    rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
    options.scale = scale;
    options.bias = shift;
    if (form.residual) options.residual = x[7];
    if (form.relu) options.activation = RONDO_ACTIVATION_RELU;
    return make(rondo_convolution, x[0], x[1], &options);
  }
};
CONFORMANCE_ENGINE_SUITE(BatchNormPatterns);

TEST_P(BatchNormPatterns, StatisticsGoIntoTheConvolution) {
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16, RONDO_F64})
    for (int parts = 0; parts < 8; ++parts)
      for (const int way : {0, 1, 2, 3}) {
        // Parts of 16 bits are rounded where a kernel before ends.
        if ((way > 0 && dtype == RONDO_F16) || (quick() && dtype == RONDO_F64 && parts != 7)) continue;
        Form form = {dtype, (parts & 1) != 0, (parts & 2) != 0, (parts & 4) != 0, way};
        form.residual = form.relu = parts == 7 || parts == 4;
        const std::string label =
            std::string(rondo_dtype_name(dtype)) + " parts " + std::to_string(parts) + " way " + std::to_string(way);
        const Graph graph = compare_with(
            arrays(dtype), [&](const auto& x) { return list(normalised(x, form)); },
            [&](const auto& x) { return list(expected(x, form)); }, label, way == 0 ? 2 : 3);
        EXPECT_TRUE(has_found(graph, "batch_norm") || has_found(graph, "convolution")) << graph_report(graph.get());
      }
}

TEST_P(BatchNormPatterns, WhatDoesNotFitStaysBehind) {
  const Form form = {RONDO_F32, true, true, true, 0};
  const auto left = [&](const Program& body, const char* label) {
    const Graph graph = compare_nearly(arrays(RONDO_F32), body, 1e-5L, label);
    EXPECT_EQ(std::string(graph_report(graph.get())).find("pass patterns"), std::string::npos)
        << label << graph_report(graph.get());
  };
  const auto norm = [](rondo_tensor* y, const std::vector<Tensor>& x) {
    rondo_norm_options options = RONDO_NORM_OPTIONS_INIT;
    options.weight = x[5];
    return make(rondo_batch_norm, y, x[3], x[4], &options);
  };
  left(
      [&](const auto& x) {
        Tensor y = convolution(x, form);
        Tensor z = norm(y, x);
        return list(std::move(y), std::move(z));
      },
      "a convolution that is an output");
  left([&](const auto& x) { return list(norm(make(rondo_unary, RONDO_RELU, convolution(x, form)), x)); },
       "an activation in between");
  left(
      [&](const auto& x) {
        rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
        options.scale = x[2];
        return list(norm(make(rondo_convolution, x[0], x[1], &options), x));
      },
      "a scale in the call");
  left(
      [&](const auto& x) {
        const Tensor y = convolution(x, form);
        const int32_t axes[] = {0, 2, 3};
        const Tensor mean = make(rondo_reduce, RONDO_MEAN, y, 3, axes, 0);
        rondo_norm_options options = RONDO_NORM_OPTIONS_INIT;
        return list(make(rondo_batch_norm, y, mean, x[4], &options));
      },
      "a mean of the result");
  left(
      [&](const auto& x) {
        const Tensor rows = reshape(slice(x[7], 0, 0, 1), {6, 7, 5});
        const Tensor y = of(RONDO_SUB, convolution(x, form), rows);
        return list(mul(y, reshape(x[5], {6, 1, 1})));
      },
      "a mean of each element");
  left(
      [&](const auto& x) {
        const Tensor y = convolution(x, form);
        return list(of(RONDO_SUB, mul(y, reshape(x[5], {6, 1, 1})), reshape(x[3], {6, 1, 1})));
      },
      "a difference after the product");
  left(
      [&](const auto& x) {
        rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
        options.stride[1] = 5;
        const Tensor y = of(RONDO_SUB, make(rondo_convolution, x[0], x[1], &options), reshape(x[3], {6, 1, 1}));
        const int64_t wide[] = {6, 1, 5};
        return list(mul(y, make(rondo_tensor_broadcast, reshape(x[5], {6, 1, 1}), 3, wide)));
      },
      "a product that repeats the result");
  const auto last = [](rondo_tensor* of) {
    return transpose(make(rondo_copy, transpose(of, {0, 2, 3, 1})), {0, 3, 1, 2});
  };
  left(
      [&](const auto& x) {
        rondo_norm_options options = RONDO_NORM_OPTIONS_INIT;
        const Tensor residual = last(x[7]);
        options.residual = residual;
        return list(make(rondo_batch_norm, convolution(x, form), x[3], x[4], &options));
      },
      "a residual that lies otherwise");
  left(
      [&](const auto& x) {
        const Tensor y = last(x[7]);
        const rondo_norm_options options = RONDO_NORM_OPTIONS_INIT;
        into(y, rondo_batch_norm, convolution(x, form), x[3], x[4], &options);
        return list(make(rondo_copy, y));
      },
      "a result that lies otherwise");
}

TEST_P(BatchNormPatterns, WhatIsWrittenInBetweenIsInOrder) {
  const Form form = {RONDO_F32, true, true, true, 0};
  compare_nearly(
      arrays(RONDO_F32),
      [&](const auto& x) {
        const Tensor y = convolution(x, form);
        must(rondo_fill(x[5], 3));
        must(rondo_fill(x[0], 2));
        rondo_norm_options options = RONDO_NORM_OPTIONS_INIT;
        options.weight = x[5];
        Tensor z = make(rondo_batch_norm, y, x[3], x[4], &options);
        must(rondo_fill(x[3], 7));
        return list(std::move(z));
      },
      1e-5L, "written in between");
}

// In a section nothing covers what was there, so that each node stays.
TEST_P(BatchNormPatterns, WhatIsInASectionStaysAsItIs) {
  const std::vector<Tensor> x = copies(arrays(RONDO_F32));
  const Form form = {RONDO_F32, true, true, true, 0};
  const Tensor expected = normalised(x, form);
  Tensor y;
  const rondo_record_options options = fewer_roundings();
  const Graph graph = record(
      engine(),
      [&] {
        must(rondo_record_section_begin(engine(), "part", 0));
        y = normalised(x, form);
        must(rondo_record_section_end(engine()));
      },
      &options);
  for (const int32_t on : {0, 1}) {
    must(rondo_graph_enable(graph.get(), "part", on));
    must(rondo_graph_launch(graph.get()));
  }
  expect_same_bits(numbers(y), numbers(expected), "a section");
}

// Convolutions with what follows drawn by chance: some statistics go into them, and all are right.
TEST_P(BatchNormPatterns, RandomChainsAreRight) {
  size_t found = 0;
  const unsigned seeds = quick() && on_cuda() ? 8 : 60;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    std::mt19937 bits(seed);
    const auto chance = [&](int n) { return static_cast<int>(bits() % static_cast<unsigned>(n)); };
    const int64_t c = 1 + chance(5), k = 1 + chance(6), size = 2 + chance(6), n = 1 + chance(2);
    const Shape image = {n, k, size, size}, channels = {k, 1, 1};
    std::vector<Array> arrays = {random_array(RONDO_F32, {n, c, size, size}, seed, -1, 1),
                                 random_array(RONDO_F32, {k, c, 1, 1}, seed + 1, -1, 1)};
    for (unsigned i = 2; i < 6; ++i) arrays.push_back(random_array(RONDO_F32, {k}, seed + i, 0.5, 2));
    arrays.push_back(random_array(RONDO_F32, chance(3) ? channels : image, seed + 6, 0.5, 2));
    std::vector<int> steps = {chance(5), 2 + chance(2), chance(5), chance(7)};
    if (chance(2)) steps = {1, 2 + chance(2), 2, 0};
    const bool whole = chance(3) == 0, biased = chance(2), kept = chance(6) == 0, last = chance(4) == 0;
    const Program body = [&](const std::vector<Tensor>& x) {
      rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
      if (biased) options.bias = x[2];
      // The axes of a result of channels last, too.
      const Tensor turned =
          last ? transpose(make(rondo_copy, transpose(x[0], {0, 2, 3, 1})), {0, 3, 1, 2}) : make(rondo_copy, x[0]);
      Tensor y = make(rondo_convolution, turned, x[1], &options);
      std::vector<Tensor> results;
      if (whole) {
        rondo_norm_options norm = RONDO_NORM_OPTIONS_INIT;
        if (steps[0] % 2) norm.weight = x[4];
        if (steps[2] % 2) norm.bias = x[5];
        y = make(rondo_batch_norm, y, x[3], x[4], &norm);
      }
      for (size_t i = 0; i < steps.size() && !whole; ++i) {
        const Tensor other = steps[i] < 4 ? reshape(x[2 + i], channels) : make(rondo_copy, x[6]);
        if (steps[i] < 5) y = of(static_cast<rondo_binary_op>(steps[i] % 4), y, other);
        if (steps[i] == 5) y = make(rondo_unary, RONDO_RELU, y);
        if (steps[i] == 6) must(rondo_fill(x[3], 1));
        if (kept && i == 1) results.push_back(make(rondo_unary, RONDO_TANH, y));
      }
      results.push_back(std::move(y));
      return results;
    };
    const Graph graph = compare_nearly(arrays, body, 2e-5L, "seed " + std::to_string(seed));
    found += std::string(graph_report(graph.get())).find("pass patterns: ") != std::string::npos;
  }
  EXPECT_GE(found, seeds / 4);
  if (seeds > 8) {
    EXPECT_LT(found, seeds);
  }
}

// Quantised, multiplied and dequantised: what is before the product is one task, what follows it another, or a part of
// its own on the host.
TEST_P(PatternNodes, QuantisedProductsAreFewTasks) {
  const Program body = [](const auto& x) {
    const Tensor rounded = make(rondo_unary, RONDO_ROUND, scaled(RONDO_DIV, x[0], 0.02));
    const Tensor bytes = cast(make(rondo_ternary, RONDO_CLAMP, scaled(RONDO_ADD, rounded, 117), x[4], x[5]), RONDO_U8);
    const Tensor sums = make(rondo_matmul_integer, bytes, x[1], x[2], static_cast<rondo_tensor*>(nullptr));
    return list(add(mul(cast(sums, RONDO_F32), x[3]), x[6]));
  };
  compare_with({random_array(RONDO_F32, {9, 40}, 3, -2, 2), random_array(RONDO_I8, {40, 200}, 4, -128, 127),
                full(RONDO_U8, {1, 1}, 117), random_array(RONDO_F32, {200}, 5, 0.0001, 0.001), full(RONDO_F32, {1}, 0),
                full(RONDO_F32, {1}, 255), random_array(RONDO_F32, {200}, 6, -2, 2)},
               body, body, "quantised", on_cuda() ? 3 : 2);
}

TEST_P(PatternNodes, ResidualsJoinTheNormAfterThem) {
  for (const bool read_later : {false, true}) {
    const auto block = [&](const std::vector<Tensor>& x, bool parts) {
      const rondo_matmul_options plain = RONDO_MATMUL_OPTIONS_INIT;
      Tensor sum = add(x[2], make(rondo_matmul, x[0], x[1], &plain));
      Tensor y;
      if (parts) {
        const int32_t last = -1;
        const Tensor centred = of(RONDO_SUB, sum, make(rondo_reduce, RONDO_MEAN, sum, 1, &last, 1));
        const Tensor variance = make(rondo_reduce, RONDO_MEAN, mul(centred, centred), 1, &last, 1);
        y = of(RONDO_DIV, centred, make(rondo_unary, RONDO_SQRT, scaled(RONDO_ADD, variance, 1e-5)));
        y = add(mul(y, x[3]), x[4]);
      } else {
        y = make(rondo_layer_norm, sum, -1, x[3], x[4], 1e-5);
      }
      return read_later ? list(std::move(sum), std::move(y)) : list(std::move(y));
    };
    const Graph graph = compare_with(
        {random_array(RONDO_F32, {20, 30}, 3, -2, 2), random_array(RONDO_F32, {30, 48}, 4, -2, 2),
         random_array(RONDO_F32, {20, 48}, 5, -2, 2), random_array(RONDO_F32, {48}, 6, -2, 2),
         random_array(RONDO_F32, {48}, 7, -2, 2)},
        [&](const auto& x) { return block(x, true); }, [&](const auto& x) { return block(x, false); },
        read_later ? "read later" : "read once", read_later ? 3 : 2);
    EXPECT_TRUE(has_found(graph, "layer_norm")) << graph_report(graph.get());
  }
}

}  // namespace
}  // namespace conformance
