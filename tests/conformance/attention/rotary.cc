// Rotary positions against their definition: layouts, parts of a head, positions counted and told, views and in place;
// gradients; a graph that goes on with what is written into its positions.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "tape/tape.h"

namespace conformance {
namespace {

enum class Place { plain, part, gaps, in_place, added };

struct Problem {
  Shape shape = {2, 5, 3, 8};
  int64_t channels = 0;
  double base = 10000;
  int32_t axis = 1;
  bool interleaved = false, inverse = false;
  Place place = Place::plain;
  std::optional<Shape> positions = {};
  rondo_dtype of_positions = RONDO_I64;
  Real first = 0;  // about where told positions are
};

class Rotary : public OnTape {
 protected:
  static rondo_rotary_options options_of(const Problem& p, rondo_tensor* positions) {
    rondo_rotary_options options = RONDO_ROTARY_OPTIONS_INIT;
    options.positions = positions;
    options.channels = p.channels, options.base = p.base, options.axis = p.axis;
    options.interleaved = p.interleaved, options.inverse = p.inverse;
    return options;
  }
  static Array positions_of(const Problem& p, uint32_t seed) {
    Array told = random_array(p.of_positions, *p.positions, seed, -20, 20);
    for (size_t i = 0; i < told.size(); ++i) told.set(i, told[i] + p.first);
    return told;
  }
  // The definition. told: null, or the positions.
  static Expected turned(const Problem& p, const Array& x, const Array* told, double ulps) {
    Expected expected(x.dtype, p.shape, ulps);
    expected.absolute.assign(expected.values.size(), 0);
    const auto ndim = static_cast<int32_t>(p.shape.size());
    const int32_t axis = p.axis < 0 ? p.axis + ndim : p.axis;
    const int64_t size = p.shape.back(), channels = p.channels == 0 ? size : p.channels, pairs = channels / 2;
    Shape rows(p.shape.begin(), p.shape.end() - 1);
    const int32_t along = told ? axis - (ndim - 1 - static_cast<int32_t>(told->shape.size())) : -1;
    const bool counted = along < 0 || told->shape[static_cast<size_t>(along)] == 1;
    const Array all = told ? host_broadcast(*told, rows) : full(RONDO_I64, rows, 0);
    int64_t inner = 1;
    for (int32_t d = axis + 1; d < ndim - 1; ++d) inner *= p.shape[static_cast<size_t>(d)];
    for (size_t row = 0; row < count(rows); ++row) {
      const int64_t place = static_cast<int64_t>(row) / inner % p.shape[static_cast<size_t>(axis)];
      const Real position = all[row] + (counted ? Real(place) : 0);
      const size_t at = row * static_cast<size_t>(size);
      for (int64_t c = channels; c < size; ++c)
        expected.values[at + static_cast<size_t>(c)] = x[at + static_cast<size_t>(c)];
      for (int64_t i = 0; i < pairs; ++i) {
        const size_t one = at + static_cast<size_t>(p.interleaved ? 2 * i : i),
                     other = at + static_cast<size_t>(p.interleaved ? 2 * i + 1 : i + pairs);
        const Real angle = (p.inverse ? -1 : 1) * position * std::pow(Real(p.base), -Real(i) / Real(pairs));
        const Real a = x[one], b = x[other], c = std::cos(angle), s = std::sin(angle);
        expected.values[one] = a * c - b * s;
        expected.values[other] = b * c + a * s;
        // As the header promises.
        const Real off = std::hypot(a, b) *
                         (x.dtype == RONDO_F64 ? std::ldexp(1 + std::fabs(position), -48) : std::ldexp(Real(1), -21));
        expected.absolute[one] = expected.absolute[other] =
            off + (is_half(x.dtype) ? ulps_of(x.dtype, expected.values[one], expected.values[other]) : 0);
      }
    }
    return expected;
  }
  // Half a unit, for the rounding of a 16-bit result.
  static Real ulps_of(rondo_dtype dtype, Real a, Real b) {
    return last_place(dtype, std::max(std::fabs(a), std::fabs(b))) / 2;
  }
  static Tensor turn(rondo_tensor* x, const rondo_rotary_options& options) {
    Tensor out;
    must(rondo_rotary(x, &options, out.slot()));
    return out;
  }
  // In the middle of three parts of the axis before the last.
  Tensor part_of(const Array& x) const {
    Shape shape = x.shape;
    const int64_t n = shape[shape.size() - 2], row = n * shape.back();
    shape[shape.size() - 2] = 3 * n;
    Array packed = full(x.dtype, shape, 9);
    for (size_t i = 0; i < x.size(); ++i)
      packed.set(i / static_cast<size_t>(row) * static_cast<size_t>(3 * row) + static_cast<size_t>(row) +
                     i % static_cast<size_t>(row),
                 x[i]);
    return slice(up(packed), static_cast<int32_t>(shape.size()) - 2, n, 2 * n);
  }
  Tensor gaps_of(const Array& x) const {
    Shape shape = x.shape;
    shape.back() *= 2;
    Array wide = full(x.dtype, shape, 9);
    for (size_t i = 0; i < x.size(); ++i) wide.set(2 * i, x[i]);
    return slice(up(wide), static_cast<int32_t>(shape.size()) - 1, 0, shape.back(), 2);
  }
  void check(rondo_dtype dtype, const Problem& p, uint32_t seed) {
    const Array x = random_array(dtype, p.shape, seed, -2, 2);
    const auto told = p.positions ? std::make_shared<Array>(positions_of(p, seed + 1)) : nullptr;
    const bool any = count(p.shape) > 0;
    run(
        [&](Results& results) {
          const Tensor positions = told ? up(*told) : Tensor();
          const rondo_rotary_options options = options_of(p, positions);
          const Tensor from = p.place == Place::part ? part_of(x) : p.place == Place::gaps ? gaps_of(x) : up(x);
          Tensor out;
          if (p.place == Place::added) {
            out = make(rondo_copy, from);
            Tensor adding;
            must(rondo_tensor_accumulator(out, adding.slot()));
            must(rondo_rotary(from, &options, adding.slot()));
          } else if (p.place == Place::in_place) {
            out = make(rondo_copy, from);
            rondo_tensor* same = out;
            must(rondo_rotary(out, &options, &same));
            EXPECT_EQ(same, static_cast<rondo_tensor*>(out));
          } else {
            out = turn(from, options);
          }
          results.keep("turned", std::move(out), [=] {
            Expected expected = turned(p, x, told.get(), is_half(dtype) ? 1 : 0);
            if (p.place == Place::added)
              for (size_t i = 0; i < expected.values.size(); ++i) {
                expected.values[i] += x[i];
                expected.absolute[i] += last_place(dtype, std::fabs(expected.values[i]));
              }
            return expected;
          });
        },
        {.nodes = any ? 1 : 0});
  }
};
CONFORMANCE_SUITE(Rotary);

TEST_P(Rotary, Options) {
  const std::vector<Problem> problems = {
      {},
      {.interleaved = true},
      {.shape = {2, 7, 4, 32}, .channels = 16, .place = Place::in_place},
      {.shape = {2, 7, 4, 32}, .channels = 16, .interleaved = true},
      {.shape = {1, 6, 2, 64}, .base = 500000, .place = Place::part, .positions = Shape{1}, .first = 1000},
      {.shape = {3, 1, 2, 16},
       .interleaved = true,
       .positions = Shape{3, 1, 1},
       .of_positions = RONDO_I32,
       .first = 77},
      {.shape = {3, 4, 2, 16}, .place = Place::gaps, .positions = Shape{3, 4, 1}},
      {.shape = {2, 3, 5, 6}, .axis = 2, .interleaved = true, .place = Place::part, .positions = Shape{5}},
      {.shape = {2, 3, 5, 6}, .axis = -2, .inverse = true, .place = Place::in_place, .positions = Shape{2, 1, 1}},
      {.shape = {9, 10}, .channels = 2, .axis = 0, .place = Place::added},
      {.shape = {2, 4, 2, 16}, .channels = 8, .interleaved = true, .place = Place::added, .positions = Shape{}},
      {.shape = {2, 4, 3, 7}, .channels = 4, .interleaved = true},
      {.shape = {2, 4, 3, 7}, .channels = 6, .place = Place::in_place, .first = 0},
      {.shape = {1, 3, 70, 8}, .base = 3, .positions = Shape{1, 3, 70}},
      {.shape = {2, 2, 2, 2, 4}, .axis = 2, .positions = Shape{2, 1, 2, 1}},
      {.shape = {2, 3, 2, 256}, .interleaved = true, .place = Place::in_place},
      {.shape = {1, 4, 1, 64}, .positions = Shape{1}, .first = 1'000'000'000},
      // Beyond what an angle of f64 can tell; with a base of 1 the reference is exact at any position.
      {.shape = {1, 4, 1, 64}, .positions = Shape{1}, .first = 25'769'803'777},
      {.shape = {1, 4, 1, 32}, .inverse = true, .positions = Shape{1}, .first = -68'719'476'737},
      {.shape = {1, 4, 1, 8}, .base = 1, .positions = Shape{1}, .first = 4'000'000'000'000'000'123},
      {.shape = {0, 4, 2, 8}},
      {.shape = {2, 4, 2, 0}},
  };
  int turn = 0;
  for (const Problem& each : dealt(problems)) {
    SCOPED_TRACE("problem " + std::to_string(turn));
    check(covering({RONDO_F32, RONDO_F16, RONDO_F64, RONDO_BF16}, turn)[0], each, 100 + static_cast<uint32_t>(turn));
    ++turn;
  }
}

TEST_P(Rotary, ByChance) {
  std::mt19937 bits(3);
  const auto below = [&](int64_t n) { return static_cast<int64_t>(bits() % static_cast<uint64_t>(n)); };
  for (int turn = 0; turn < (on_cuda() ? 6 : 60); ++turn) {
    Problem p;
    p.shape.clear();
    const int64_t ndim = 2 + below(3);
    for (int64_t d = 0; d < ndim; ++d) p.shape.push_back(1 + below(5));
    p.shape.back() = 2 * (1 + below(20));
    p.channels = 2 * below(p.shape.back() / 2 + 1);
    p.axis = static_cast<int32_t>(below(ndim - 1));
    p.interleaved = below(2) == 0, p.inverse = below(2) == 0;
    p.place = static_cast<Place>(below(5));
    p.base = 2 + static_cast<double>(below(20000));
    if (below(3) != 0) {
      Shape told(p.shape.begin() + below(ndim), p.shape.end() - 1);
      if (told.size() > p.shape.size()) told.clear();
      for (int64_t& each : told)
        if (below(2) == 0) each = 1;
      p.positions = told, p.of_positions = below(2) == 0 ? RONDO_I32 : RONDO_I64;
      p.first = Real(below(5000));
    }
    const rondo_dtype dtype = kFloatDtypes[below(4)];
    SCOPED_TRACE("problem " + std::to_string(turn));
    check(dtype, p, 1000 + static_cast<uint32_t>(turn));
  }
}

// Enough rows that share their angles for a lane to turn several.
TEST_P(Rotary, ManyHeadsShareTheirAngles) {
  if (sparing() && share() > 0) return;
  check(RONDO_F16, {.shape = {2, 64, 40, 64}}, 5);
}

TEST_P(Rotary, TurnsQueriesAndKeysInPlace) {
  const Array packed = random_array(RONDO_F32, {2, 4, 3, 2, 8}, 9, -2, 2);
  const Problem p = {.shape = {2, 4, 4, 8}, .interleaved = true};
  run([&](Results& results) {
    Tensor all = make(rondo_copy, up(packed));
    // Heads of queries and of keys lie behind one another.
    const Tensor rows = slice(reshape(all, {2, 4, 6, 8}), 2, 0, 4);
    const rondo_rotary_options options = options_of(p, nullptr);
    rondo_tensor* same = rows;
    must(rondo_rotary(rows, &options, &same));
    results.keep("packed", std::move(all), [=] {
      Array part(RONDO_F32, p.shape);
      for (size_t i = 0; i < part.size(); ++i) part.set(i, packed[i / 32 * 48 + i % 32]);
      const Expected made = turned(p, part, nullptr, 0);
      Expected expected(packed);
      expected.absolute.assign(expected.values.size(), 0);
      for (size_t i = 0; i < part.size(); ++i) {
        expected.values[i / 32 * 48 + i % 32] = made.values[i];
        expected.absolute[i / 32 * 48 + i % 32] = made.absolute[i];
      }
      return expected;
    });
  });
}

TEST_P(Rotary, GraphGoesOnWithWhatItsPositionsBecome) {
  if (!GetParam().graph) return;
  const Problem p = {.shape = {2, 1, 2, 8}, .positions = Shape{1}};
  const Array x = random_array(RONDO_F64, p.shape, 4, -2, 2);
  const Tensor from = up(x), position = up(full(RONDO_I64, {1}, 41));
  const Tensor out = up(full(RONDO_F64, p.shape, 0));
  const rondo_rotary_options options = options_of(p, position);
  const Graph graph = record(engine(), [&] {
    rondo_tensor *to = out, *next = position;
    must(rondo_rotary(from, &options, &to));
    must(rondo_binary_scalar(RONDO_ADD, position, 1, &next));
  });
  for (int launch = 0; launch < 3; ++launch) {
    must(rondo_graph_launch(graph.get()));
    const Array now = full(RONDO_I64, {1}, 41 + launch);
    expect_as(download(out), turned(p, x, &now, 0), "launch " + std::to_string(launch));
  }
  EXPECT_EQ(graph_info(graph.get()).segments, 1);
}

TEST_P(Rotary, BitsAreThoseOfTheHost) {
  if (!on_cuda() || GetParam().graph) return;
  for (const rondo_dtype dtype : covering({RONDO_F32, RONDO_BF16, RONDO_F64}, 0)) {
    const Problem p = {.shape = {2, 9, 2, 32}, .positions = Shape{1}};
    const Array x = random_array(dtype, p.shape, 6, -2, 2), first = full(RONDO_I32, {1}, 31234);
    const Tensor here = up(first), home = upload(engine(), kCpu, first);
    const Array made = download(turn(up(x), options_of(p, here)));
    expect_same_bits(made, download(turn(upload(engine(), kCpu, x), options_of(p, home))), rondo_dtype_name(dtype));
  }
}

// A turn and the turn back leave what was there; the length of each pair stays.
TEST_P(Rotary, TurningBackGivesWhatWasThere) {
  if (GetParam().graph) return;
  Problem p = {.shape = {2, 6, 3, 16}, .channels = 12, .positions = Shape{1}};
  const Array x = random_array(RONDO_F64, p.shape, 8, -2, 2);
  const Tensor position = up(full(RONDO_I64, {1}, 12345));
  rondo_rotary_options options = options_of(p, position);
  const Tensor there = turn(up(x), options);
  options.inverse = 1;
  const Array back = download(turn(there, options)), turned = download(there);
  bool moved = false;
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(back[i]), static_cast<double>(x[i]), 1e-14) << i;
    moved |= std::fabs(turned[i] - x[i]) > 0.1L;
  }
  EXPECT_TRUE(moved);
}

TEST_P(Rotary, Gradients) {
  const std::vector<Problem> problems = {
      {.shape = {2, 3, 2, 4}},
      {.shape = {2, 3, 1, 6}, .channels = 4, .interleaved = true, .positions = Shape{2, 1, 1}},
      {.shape = {3, 4}, .axis = 0, .inverse = true, .positions = Shape{3}},
  };
  run([&](Results& results) {
    for (size_t i = 0; i < problems.size(); i += sparing() ? 2 : 1) {
      const Problem& p = problems[i];
      const auto told = p.positions ? std::make_shared<Array>(positions_of(p, 6)) : nullptr;
      keep_gradients(results, "problem " + std::to_string(i), {random_array(RONDO_F64, p.shape, 30, -2, 2)},
                     [=, this](const std::vector<Tensor>& in) {
                       const Tensor positions = told ? upload(engine(), query(in[0]).device, *told) : Tensor();
                       // A square, so that there is a gradient of the gradient.
                       return make(rondo_unary, RONDO_SQUARE, turn(in[0], options_of(p, positions)));
                     });
    }
  });
}

TEST_P(Rotary, GradientIsTheTurnTheOtherWay) {
  const Problem p = {.shape = {2, 5, 2, 8}, .interleaved = true};
  const Array x = random_array(RONDO_F32, p.shape, 1, -2, 2), dy = random_array(RONDO_F32, p.shape, 2, -2, 2);
  run([&](Results& results) {
    const Tensor from = up(x);
    const Tape tape(engine());
    tape.watch(from);
    const Tensor out = turn(from, options_of(p, nullptr));
    results.keep("gradient", tape.gradient(out, from, up(dy)), [=] {
      Problem back = p;
      back.inverse = true;
      return turned(back, dy, nullptr, 0);
    });
  });
}

TEST_P(Rotary, MisuseIsNamed) {
  if (GetParam().graph) return;
  const auto tensor = [&](rondo_dtype dtype, const Shape& shape) { return up(full(dtype, shape, 1)); };
  const auto refuses = [&](const std::string& part, rondo_tensor* x, const rondo_rotary_options* options,
                           rondo_tensor* given = nullptr) {
    rondo_tensor* out = given;
    EXPECT_EQ(rondo_rotary(x, options, &out), RONDO_INVALID_ARGUMENT) << part;
    const std::string said = rondo_last_error();
    EXPECT_NE(said.find("rondo_rotary"), std::string::npos) << said;
    EXPECT_NE(said.find(part), std::string::npos) << said;
    EXPECT_EQ(out, given);
  };
  const Tensor x = tensor(RONDO_F32, {2, 3, 4, 8});
  const auto with = [&](const std::string& part, const std::function<void(rondo_rotary_options&)>& change) {
    rondo_rotary_options options = RONDO_ROTARY_OPTIONS_INIT;
    change(options);
    refuses(part, x, &options);
  };
  refuses("x is NULL", nullptr, nullptr);
  refuses("x has dtype i32; a float dtype is needed", tensor(RONDO_I32, {2, 3, 4, 8}), nullptr);
  refuses("x has shape [8]; an axis of places", tensor(RONDO_F32, {8}), nullptr);
  refuses("options->axis is 1, which x of shape [3, 8] has its channels along", tensor(RONDO_F32, {3, 8}), nullptr);
  refuses("options->channels is 0 and x has 7; an even number", tensor(RONDO_F32, {2, 3, 4, 7}), nullptr);
  with("options->axis is 4", [](auto& o) { o.axis = 4; });
  with("options->axis is 3, which x of shape [2, 3, 4, 8]", [](auto& o) { o.axis = -1; });
  with("options->channels is 3 and x has 8", [](auto& o) { o.channels = 3; });
  with("options->channels is 10 and x has 8", [](auto& o) { o.channels = 10; });
  with("options->channels is -2", [](auto& o) { o.channels = -2; });
  with("options->base is 0; a finite number above 0", [](auto& o) { o.base = 0; });
  with("options->base is nan", [](auto& o) { o.base = NAN; });
  const Tensor floats = tensor(RONDO_F32, {3, 1}), wrong = tensor(RONDO_I32, {2, 4}),
               longer = tensor(RONDO_I64, {1, 2, 3, 4});
  with("options->positions has dtype f32; i32 or i64 is needed", [&](auto& o) { o.positions = floats; });
  with("options->positions has shape [2, 4]; one that broadcasts to x's without its last axis, [2, 3, 4]",
       [&](auto& o) { o.positions = wrong; });
  with("options->positions has shape [1, 2, 3, 4]", [&](auto& o) { o.positions = longer; });
  Tensor gone = tensor(RONDO_I32, {1});
  rondo_tensor* dead = gone.release();
  rondo_tensor_destroy(dead);
  with("options->positions", [&](auto& o) { o.positions = dead; });
  if (on_cuda()) {
    const Tensor elsewhere = upload(engine(), kCpu, full(RONDO_I32, {1}, 1));
    with("options->positions is on cpu:0", [&](auto& o) { o.positions = elsewhere; });
  }
  refuses("out has dtype f16", x, nullptr, tensor(RONDO_F16, {2, 3, 4, 8}));
  const Tensor wide = tensor(RONDO_F32, {2, 3, 4, 9});
  refuses("out shares elements with an input", slice(wide, 3, 0, 8), nullptr, slice(wide, 3, 1, 9));
  EXPECT_EQ(rondo_rotary(x, nullptr, nullptr), RONDO_INVALID_ARGUMENT);
  EXPECT_NE(std::string(rondo_last_error()).find("out is NULL"), std::string::npos) << rondo_last_error();
}

}  // namespace
}  // namespace conformance
