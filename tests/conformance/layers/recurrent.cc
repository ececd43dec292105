// Recurrent layers against a reference in higher precision, step by step: directions, layers, lengths at their edges,
// first states, strides; gradients against finite differences.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/tape.h"

namespace conformance {
namespace {

using Inputs = std::vector<Tensor>;

enum class Kind { lstm, gru, rnn };
enum class Place { plain, gaps, turned };

struct Problem {
  Kind kind = Kind::lstm;
  int64_t steps = 4, batch = 3, inputs = 5, hidden = 7, layers = 1;
  bool both = false, biased = true, batch_first = false, relu = false, first_h = false, first_c = false;
  std::vector<int32_t> lengths = {};
  Place place = Place::plain;

  int64_t directions() const { return both ? 2 : 1; }
  int64_t gates() const { return kind == Kind::lstm ? 4 : kind == Kind::gru ? 3 : 1; }
  Shape of_x() const { return batch_first ? Shape{batch, steps, inputs} : Shape{steps, batch, inputs}; }
  Shape of_out() const {
    return batch_first ? Shape{batch, steps, directions() * hidden} : Shape{steps, batch, directions() * hidden};
  }
  Shape of_states() const { return {layers * directions(), batch, hidden}; }
};

// x, the weights, first states and cells if there are any.
std::vector<Array> operands(rondo_dtype dtype, const Problem& p, uint32_t seed) {
  std::vector<Array> all = {random_array(dtype, p.of_x(), seed, -1, 1)};
  const auto weight = [&](const Shape& shape) { all.push_back(random_array(dtype, shape, ++seed, -0.6, 0.6)); };
  for (int64_t line = 0; line < p.layers * p.directions(); ++line) {
    weight({p.gates() * p.hidden, line < p.directions() ? p.inputs : p.directions() * p.hidden});
    weight({p.gates() * p.hidden, p.hidden});
    for (int i = 0; i < 2 && p.biased; ++i) weight({p.gates() * p.hidden});
  }
  if (p.first_h) weight(p.of_states());
  if (p.first_c) weight(p.of_states());
  return all;
}

Real sigmoid(Real x) {
  return 1 / (1 + std::exp(-x));
}

// The definition, one sequence after the other.
struct Exact {
  std::vector<Real> out, last_h, last_c;

  Exact(const Problem& p, const std::vector<Array>& of) {
    const auto steps = static_cast<size_t>(p.steps), batch = static_cast<size_t>(p.batch),
               hidden = static_cast<size_t>(p.hidden), directions = static_cast<size_t>(p.directions());
    const size_t lines = static_cast<size_t>(p.layers) * directions, weights = p.biased ? 4 : 2;
    out.resize(count(p.of_out()));
    last_h.resize(count(p.of_states()));
    last_c.resize(last_h.size());
    for (size_t b = 0; b < batch; ++b) {
      const auto length =
          p.lengths.empty() ? steps : static_cast<size_t>(std::clamp<int64_t>(p.lengths[b], 0, p.steps));
      std::vector<std::vector<Real>> below(steps);
      for (size_t t = 0; t < steps; ++t)
        for (size_t i = 0; i < static_cast<size_t>(p.inputs); ++i)
          below[t].push_back(
              of[0][((p.batch_first ? b * steps + t : t * batch + b)) * static_cast<size_t>(p.inputs) + i]);
      for (size_t line = 0; line < lines; line += directions) {
        std::vector<std::vector<Real>> above(steps, std::vector<Real>(directions * hidden));
        for (size_t d = 0; d < directions; ++d) {
          const Array* const w = &of[1 + (line + d) * weights];
          const size_t place = ((line + d) * batch + b) * hidden;
          std::vector<Real> h(hidden), c(hidden);
          for (size_t j = 0; j < hidden; ++j) {
            if (p.first_h) h[j] = of[1 + lines * weights][place + j];
            if (p.first_c) c[j] = of.back()[place + j];
          }
          for (size_t i = 0; i < length; ++i) {
            const size_t t = d == 0 ? i : length - 1 - i;
            // Row r of a weight by a vector, and its bias.
            const auto product = [&](size_t which, size_t r, const std::vector<Real>& vector) {
              Real sum = p.biased ? w[2 + which][r] : 0;
              for (size_t k = 0; k < vector.size(); ++k) sum += w[which][r * vector.size() + k] * vector[k];
              return sum;
            };
            std::vector<Real> next(hidden);
            for (size_t j = 0; j < hidden; ++j) {
              const auto both = [&](size_t gate) {
                return product(0, gate * hidden + j, below[t]) + product(1, gate * hidden + j, h);
              };
              if (p.kind == Kind::lstm) {
                c[j] = sigmoid(both(1)) * c[j] + sigmoid(both(0)) * std::tanh(both(2));
                next[j] = sigmoid(both(3)) * std::tanh(c[j]);
              } else if (p.kind == Kind::gru) {
                const Real r = sigmoid(both(0)), z = sigmoid(both(1));
                const Real n = std::tanh(product(0, 2 * hidden + j, below[t]) + r * product(1, 2 * hidden + j, h));
                next[j] = (1 - z) * n + z * h[j];
              } else {
                next[j] = p.relu ? std::max<Real>(both(0), 0) : std::tanh(both(0));
              }
            }
            h = next;
            std::copy(h.begin(), h.end(), above[t].begin() + static_cast<std::ptrdiff_t>(d * hidden));
          }
          std::copy(h.begin(), h.end(), last_h.begin() + static_cast<std::ptrdiff_t>(place));
          std::copy(c.begin(), c.end(), last_c.begin() + static_cast<std::ptrdiff_t>(place));
        }
        below = above;
      }
      for (size_t t = 0; t < steps; ++t)
        std::copy(below[t].begin(), below[t].end(),
                  out.begin() + static_cast<std::ptrdiff_t>((p.batch_first ? b * steps + t : t * batch + b) *
                                                            directions * hidden));
    }
  }
};

class Recurrent : public OnTape {
 protected:
  // As it lies in memory.
  Tensor placed(const Array& a, Place place) const {
    if (place == Place::plain) return up(a);
    const auto axes = static_cast<int32_t>(a.shape.size());
    if (place == Place::turned) {
      std::vector<int32_t> turned;
      for (int32_t d = axes; d-- > 0;) turned.push_back(d);
      return transpose(up(host_transpose(a, turned)), turned);
    }
    // Every other element, from the second on.
    Shape shape = a.shape;
    shape.back() *= 2;
    Array wide(a.dtype, shape);
    for (size_t i = 0; i < a.size(); ++i) wide.set(2 * i, 1e4L), wide.set(2 * i + 1, a[i]);
    return slice(up(wide), axes - 1, 1, shape.back(), 2);
  }
  struct Made {
    Tensor out, last_h, last_c;
  };
  static Made call(const Problem& p, const Inputs& in, rondo_tensor* lengths, bool last = true) {
    rondo_recurrent_options options = RONDO_RECURRENT_OPTIONS_INIT;
    options.layers = static_cast<int32_t>(p.layers);
    options.bidirectional = p.both, options.batch_first = p.batch_first, options.relu = p.relu;
    options.lengths = lengths;
    // Behind these there may be others.
    const auto operands =
        static_cast<std::ptrdiff_t>(p.layers * (p.both ? 2 : 1) * (p.biased ? 4 : 2)) + p.first_h + p.first_c;
    std::vector<rondo_tensor*> weights(in.begin() + 1, in.begin() + 1 + operands);
    if (p.first_c) options.first_c = weights.back(), weights.pop_back();
    if (p.first_h) options.first_h = weights.back(), weights.pop_back();
    const auto n = static_cast<int32_t>(weights.size());
    Made made;
    rondo_tensor** const h = last ? made.last_h.slot() : nullptr;
    if (p.kind == Kind::lstm)
      must(rondo_lstm(in[0], n, weights.data(), &options, made.out.slot(), h, last ? made.last_c.slot() : nullptr));
    else
      must((p.kind == Kind::gru ? rondo_gru : rondo_rnn)(in[0], n, weights.data(), &options, made.out.slot(), h));
    return made;
  }
  Tensor lengths_of(const Problem& p, rondo_device where) const {
    if (p.lengths.empty()) return {};
    Array lengths(RONDO_I32, {p.batch});
    for (size_t i = 0; i < p.lengths.size(); ++i) lengths.set(i, p.lengths[i]);
    return upload(engine(), where, lengths);
  }
  void check(rondo_dtype dtype, const Problem& p, uint32_t seed) {
    const std::vector<Array> of = operands(dtype, p, seed);
    run(
        [&](Results& results) {
          Inputs in;
          for (const Array& each : of) in.push_back(placed(each, p.place));
          const Tensor lengths = lengths_of(p, device());
          Made made = call(p, in, lengths);
          const auto keep = [&](const char* label, Tensor tensor, const Shape& shape,
                                std::vector<Real> Exact::*member) {
            results.keep(label, std::move(tensor), [=] {
              Expected expected(dtype, shape, is_half(dtype) ? 2 : 64);
              expected.values = Exact(p, of).*member;
              // States are rounded at each step.
              const Real share = is_half(dtype) ? std::ldexp(Real(1), -mantissa_bits(dtype)) : 64 * unit(dtype);
              expected.absolute.assign(expected.values.size(), 4 * share * Real(p.layers));
              return expected;
            });
          };
          keep("result", std::move(made.out), p.of_out(), &Exact::out);
          keep("last states", std::move(made.last_h), p.of_states(), &Exact::last_h);
          if (p.kind == Kind::lstm) keep("last cells", std::move(made.last_c), p.of_states(), &Exact::last_c);
        },
        {.nodes = p.batch == 0 ? 0 : 1});
  }
};
CONFORMANCE_SUITE(Recurrent);

TEST_P(Recurrent, StepsAreThoseOfTheDefinition) {
  const std::vector<Problem> problems = {
      {},
      {.kind = Kind::gru, .batch_first = true, .first_h = true},
      {.kind = Kind::rnn, .steps = 3, .batch = 1, .hidden = 1, .relu = true},
      {.steps = 5,
       .batch = 4,
       .hidden = 3,
       .layers = 2,
       .both = true,
       .first_h = true,
       .first_c = true,
       .lengths = {5, 1, 0, 3}},
      {.kind = Kind::gru,
       .steps = 3,
       .batch = 3,
       .layers = 2,
       .both = true,
       .biased = false,
       .batch_first = true,
       .lengths = {-1, 9, 2},
       .place = Place::turned},
      {.kind = Kind::rnn, .both = true, .first_h = true, .lengths = {4, 2, 1}, .place = Place::gaps},
      {.steps = 1, .batch = 1, .inputs = 1, .hidden = 1, .first_c = true},
      {.batch = 2, .inputs = 33, .hidden = 40, .biased = false, .first_h = true, .place = Place::gaps},
      {.kind = Kind::gru, .batch = 2, .hidden = 16, .lengths = {2, 4}, .place = Place::gaps},
      {.kind = Kind::rnn, .biased = false, .batch_first = true, .place = Place::turned},
      {.batch = 0},
      {.inputs = 0},
  };
  int turn = 0;
  for (const Problem& each : dealt(problems)) {
    SCOPED_TRACE("problem " + std::to_string(turn));
    for (const rondo_dtype dtype : covering({RONDO_F32, RONDO_F16, RONDO_F64, RONDO_BF16}, turn))
      check(dtype, each, 100 + 40 * static_cast<uint32_t>(turn));
    ++turn;
  }
}

// All sums of results, so that each has a gradient; and those of the results alone.
TEST_P(Recurrent, Gradients) {
  const std::vector<Problem> problems = {
      {.steps = 3, .batch = 2, .inputs = 2, .hidden = 3},
      {.kind = Kind::gru, .steps = 3, .batch = 2, .inputs = 2, .hidden = 2, .first_h = true},
      {.steps = 3,
       .batch = 3,
       .inputs = 2,
       .hidden = 2,
       .layers = 2,
       .both = true,
       .batch_first = true,
       .first_h = true,
       .first_c = true,
       .lengths = {3, 0, 2}},
      {.kind = Kind::rnn,
       .steps = 3,
       .batch = 2,
       .inputs = 1,
       .hidden = 2,
       .both = true,
       .first_h = true,
       .lengths = {1, 3}},
      {.kind = Kind::gru,
       .steps = 2,
       .batch = 2,
       .inputs = 2,
       .hidden = 2,
       .layers = 2,
       .biased = false,
       .first_h = true,
       .lengths = {1, 2}},
      {.kind = Kind::rnn, .steps = 2, .batch = 1, .inputs = 2, .hidden = 2, .batch_first = true, .relu = true},
      {.steps = 2, .batch = 2, .inputs = 2, .hidden = 1, .biased = false, .first_c = true},
  };
  run([&](Results& results) {
    for (size_t i = 0; i < problems.size(); i += sparing() ? 3 : 1) {
      const Problem& p = problems[i];
      for (const bool last : {true, false}) {
        if (!last && (sparing() || i > 1)) continue;
        keep_gradients(
            results, "problem " + std::to_string(i), operands(RONDO_F64, p, 900 + 40 * static_cast<uint32_t>(i)),
            [=, this](const Inputs& in) {
              const bool home = query(in[0]).device.kind == RONDO_CPU;
              const Tensor lengths = lengths_of(p, home ? kCpu : device());
              Made made = call(p, in, lengths, last);
              if (!last) return std::move(made.out);
              std::vector<Tensor> flat;
              flat.push_back(reshape(made.out, {-1}));
              flat.push_back(reshape(made.last_h, {-1}));
              if (p.kind == Kind::lstm) flat.push_back(reshape(made.last_c, {-1}));
              const std::vector<rondo_tensor*> all(flat.begin(), flat.end());
              return make(rondo_concat, static_cast<int32_t>(all.size()), all.data(), 0);
            },
            last ? Orders::two : Orders::one);
      }
    }
  });
}

// Against the gradient in f64.
TEST_P(Recurrent, GradientsInOtherDtypes) {
  const std::vector<Problem> problems = {
      {.steps = 5, .batch = 6, .inputs = 9, .hidden = 11, .both = true, .lengths = {5, 4, 3, 2, 1, 0}},
      {.kind = Kind::gru, .steps = 5, .batch = 4, .inputs = 8, .hidden = 16, .first_h = true},
      {.kind = Kind::rnn, .steps = 4, .batch = 4, .inputs = 8, .hidden = 5, .layers = 2}};
  int turn = 0;
  for (const Problem& p : some(problems, 2)) {
    const rondo_dtype dtype = covering({RONDO_BF16, RONDO_F32, RONDO_F16}, turn++)[0];
    const std::vector<Array> of = operands(dtype, p, 500);
    const Array dy = random_array(dtype, p.of_out(), 50, -1, 1);
    const auto gradients = [&](rondo_dtype in, rondo_device where) {
      const auto put = [&](const Array& a) { return make(rondo_cast, upload(engine(), where, a), in); };
      Inputs all;
      for (const Array& each : of) all.push_back(put(each));
      const Tensor lengths = lengths_of(p, where);
      const Tape tape(engine());
      for (const Tensor& each : all) tape.watch(each);
      const Made made = call(p, all, lengths);
      return tape.gradients(made.out, std::vector<rondo_tensor*>(all.begin(), all.end()), put(dy));
    };
    run([&](Results& results) {
      std::vector<Tensor> got = gradients(dtype, device());
      for (size_t i = 0; i < got.size(); ++i)
        results.keep("gradient " + std::to_string(i), std::move(got[i]), [&, i] {
          const Array exact = download(gradients(RONDO_F64, kCpu)[i]);
          Expected expected(dtype, exact.shape, 2);
          Real size = 0;
          for (size_t x = 0; x < exact.size(); ++x) size = std::max(size, std::fabs(exact[x]));
          const Real share = is_half(dtype) ? 4 * std::ldexp(Real(1), -mantissa_bits(dtype)) : 2e-5L;
          expected.absolute.assign(exact.size(), size * share);
          for (size_t x = 0; x < exact.size(); ++x) expected.values[x] = exact[x];
          return expected;
        });
    });
  }
}

TEST_P(Recurrent, WhatIsBehindTheLengthsChangesNothing) {
  const Problem p = {.steps = 3, .batch = 2, .inputs = 2, .hidden = 3, .layers = 2, .both = true, .lengths = {3, 1}};
  std::vector<Array> of = operands(RONDO_F32, p, 7);
  const auto out = [&] {
    Inputs in;
    for (const Array& each : of) in.push_back(up(each));
    const Tensor lengths = lengths_of(p, device());
    return download(call(p, in, lengths).out);
  };
  const Array before = out();
  for (const size_t t : {1, 2})
    for (size_t i = 0; i < 2; ++i) of[0].set((t * 2 + 1) * 2 + i, NAN);
  const Array behind = out();
  expect_same_bits(behind, before, "with NaN behind the end");
  for (const size_t t : {1, 2})
    for (size_t i = 0; i < 6; ++i) EXPECT_EQ(behind[(t * 2 + 1) * 6 + i], 0) << t << ", " << i;
}

TEST_P(Recurrent, AddsToAnAccumulator) {
  const Problem p = {.both = true};
  const std::vector<Array> of = operands(RONDO_F64, p, 3);
  run([&](Results& results) {
    Inputs in;
    for (const Array& each : of) in.push_back(up(each));
    Tensor sum = make(rondo_copy, up(full(RONDO_F64, p.of_out(), 2))), adding;
    must(rondo_tensor_accumulator(sum, adding.slot()));
    const std::vector<rondo_tensor*> weights(in.begin() + 1, in.end());
    rondo_recurrent_options options = RONDO_RECURRENT_OPTIONS_INIT;
    options.bidirectional = 1;
    must(rondo_lstm(in[0], static_cast<int32_t>(weights.size()), weights.data(), &options, adding.slot(), nullptr,
                    nullptr));
    results.keep("sum", std::move(sum), [=] {
      Expected expected(RONDO_F64, p.of_out(), 64);
      expected.values = Exact(p, of).out;
      for (Real& each : expected.values) each += 2;
      return expected;
    });
  });
}

TEST_P(Recurrent, MisuseIsNamed) {
  if (GetParam().graph) return;
  const auto tensor = [&](rondo_dtype dtype, const Shape& shape) { return up(full(dtype, shape, 1)); };
  const Tensor x = tensor(RONDO_F32, {3, 2, 5}), of_inputs = tensor(RONDO_F32, {16, 5}),
               of_states = tensor(RONDO_F32, {16, 4});
  const auto refuses = [&](const std::string& part, rondo_tensor* input, std::vector<rondo_tensor*> weights,
                           const std::function<void(rondo_recurrent_options&)>& change = {},
                           const char* function = "rondo_lstm") {
    rondo_recurrent_options options = RONDO_RECURRENT_OPTIONS_INIT;
    if (change) change(options);
    const auto n = static_cast<int32_t>(weights.size());
    rondo_tensor* out = nullptr;
    const std::string name = function;
    const rondo_status status = name == "rondo_lstm"
                                    ? rondo_lstm(input, n, weights.data(), &options, &out, nullptr, nullptr)
                                : name == "rondo_gru" ? rondo_gru(input, n, weights.data(), &options, &out, nullptr)
                                                      : rondo_rnn(input, n, weights.data(), &options, &out, nullptr);
    EXPECT_EQ(status, RONDO_INVALID_ARGUMENT) << part;
    const std::string said = rondo_last_error();
    EXPECT_NE(said.find(function), std::string::npos) << said;
    EXPECT_NE(said.find(part), std::string::npos) << said;
    EXPECT_EQ(out, nullptr);
  };
  const std::vector<rondo_tensor*> good = {of_inputs, of_states};
  const Tensor whole = tensor(RONDO_I32, {3, 2, 5}), flat = tensor(RONDO_F32, {2, 5}),
               none = tensor(RONDO_F32, {0, 2, 5}), half = tensor(RONDO_F16, {16, 4}),
               narrow = tensor(RONDO_F32, {16, 6}), line = tensor(RONDO_F32, {16}), bias = tensor(RONDO_F32, {15});
  refuses("x has dtype i32; a float dtype is needed", whole, good);
  refuses("x has shape [2, 5]; [steps, batch, inputs] is needed", flat, good);
  refuses("x has shape [0, 2, 5], no steps", none, good);
  refuses("x is NULL", nullptr, good);
  refuses("n_weights is 3; 1 layers of 1 directions have 2 weights, or 4 with biases", x, {of_inputs, of_states, line});
  refuses("n_weights is 0", x, {});
  refuses("weights[1] is NULL", x, {of_inputs, nullptr});
  refuses("weights[1] has shape [16]; [4 * hidden, hidden] is needed", x, {of_inputs, line});
  refuses("weights[0] has shape [16, 6]; [16, 5] is needed", x, {narrow, of_states});
  refuses("weights[1] has dtype f16 but x has f32", x, {of_inputs, half});
  refuses("weights[1] has shape [16, 4]; [12, 4] is needed", x, {tensor(RONDO_F32, {12, 5}), of_states}, {},
          "rondo_gru");
  refuses("weights[3] has shape [15]; [16] is needed", x, {of_inputs, of_states, line, bias});
  refuses("options->layers is 0; at least 1", x, good, [](auto& o) { o.layers = 0; });
  refuses("options->relu is 1; only rondo_rnn", x, good, [](auto& o) { o.relu = 1; });
  const Tensor states = tensor(RONDO_F32, {2, 2, 4}), longer = tensor(RONDO_I64, {2}), three = tensor(RONDO_I32, {3});
  refuses("options->first_h has shape [2, 2, 4]; [1, 2, 4] is needed", x, good, [&](auto& o) { o.first_h = states; });
  refuses("options->first_c has shape [2, 2, 4]; [1, 2, 4] is needed", x, good, [&](auto& o) { o.first_c = states; });
  refuses("options->lengths has dtype i64; i32 is needed", x, good, [&](auto& o) { o.lengths = longer; });
  refuses("options->lengths has shape [3]; [2] is needed", x, good, [&](auto& o) { o.lengths = three; });
  const Tensor gru = tensor(RONDO_F32, {12, 5}), gru_states = tensor(RONDO_F32, {12, 4}),
               one = tensor(RONDO_F32, {1, 2, 4});
  refuses(
      "options->first_c is given; only rondo_lstm has cells", x, {gru, gru_states}, [&](auto& o) { o.first_c = one; },
      "rondo_gru");
  refuses(
      "options->relu is 1", x, {gru, gru_states}, [](auto& o) { o.relu = 1; }, "rondo_gru");
  const auto pointers = [&](const std::string& part, rondo_tensor** out, rondo_tensor** h, rondo_tensor** c) {
    EXPECT_EQ(rondo_lstm(x, 2, good.data(), nullptr, out, h, c), RONDO_INVALID_ARGUMENT);
    EXPECT_NE(std::string(rondo_last_error()).find(part), std::string::npos) << rondo_last_error();
  };
  rondo_tensor *first = nullptr, *second = nullptr;
  pointers("out and last_h are one pointer", &first, &first, nullptr);
  pointers("out and last_c are one pointer", &first, nullptr, &first);
  pointers("last_h and last_c are one pointer", &first, &second, &second);
  pointers("out is NULL", nullptr, nullptr, nullptr);
  EXPECT_EQ(rondo_lstm(x, 2, nullptr, nullptr, &first, nullptr, nullptr), RONDO_INVALID_ARGUMENT);
  EXPECT_NE(std::string(rondo_last_error()).find("weights is NULL"), std::string::npos) << rondo_last_error();
  EXPECT_EQ(rondo_lstm(x, -1, good.data(), nullptr, &first, nullptr, nullptr), RONDO_INVALID_ARGUMENT);
  EXPECT_NE(std::string(rondo_last_error()).find("n_weights is -1"), std::string::npos) << rondo_last_error();
  // Results may be nowhere that is read, and last states are not added.
  first = x;
  EXPECT_EQ(rondo_lstm(x, 2, good.data(), nullptr, &first, nullptr, nullptr), RONDO_INVALID_ARGUMENT);
  Tensor adding;
  must(rondo_tensor_accumulator(one, adding.slot()));
  rondo_tensor *out = nullptr, *h = adding;
  EXPECT_EQ(rondo_lstm(x, 2, good.data(), nullptr, &out, &h, nullptr), RONDO_INVALID_ARGUMENT);
  EXPECT_NE(std::string(rondo_last_error()).find("last_h is an accumulator view"), std::string::npos)
      << rondo_last_error();
  EXPECT_EQ(out, nullptr);
}

}  // namespace
}  // namespace conformance
