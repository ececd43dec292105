// Batch, group and instance normalisation against references in higher precision: layouts, dtypes, running statistics,
// what comes after, special values, and gradients against finite differences, of first and second order.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/tape.h"

namespace conformance {
namespace {

using Inputs = std::vector<Tensor>;

struct Image {
  Shape shape;
  bool last;  // channels last in memory
};

class Normalisation : public OnTape {
 protected:
  static rondo_norm_options with(rondo_tensor* weight, rondo_tensor* bias, rondo_tensor* residual = nullptr,
                                 rondo_activation activation = RONDO_ACTIVATION_NONE) {
    rondo_norm_options options = RONDO_NORM_OPTIONS_INIT;
    options.weight = weight, options.bias = bias, options.residual = residual, options.activation = activation;
    options.epsilon = 1e-3;
    return options;
  }
  static Tensor batch_norm(rondo_tensor* a, const rondo_norm_options& options) {
    Tensor out;
    must(rondo_batch_norm_training(a, nullptr, nullptr, 0, &options, out.slot(), nullptr, nullptr));
    return out;
  }
  static rondo_dtype computed(rondo_dtype dtype) { return dtype == RONDO_F64 ? RONDO_F64 : RONDO_F32; }
};
CONFORMANCE_SUITE(Normalisation);

// Mean and variance of the group of each element, by number; groups 0: of a batch's channels.
struct Statistics {
  std::vector<Real> mean, variance;
  size_t group(const Shape& shape, int64_t groups, size_t i) const {
    const size_t inner = count(shape) / static_cast<size_t>(shape[0] * shape[1]), c = i / inner % shape[1];
    if (groups == 0) return c;
    return i / inner / shape[1] * static_cast<size_t>(groups) + c / static_cast<size_t>(shape[1] / groups);
  }
  Statistics(const Array& x, int64_t groups) {
    const size_t n = static_cast<size_t>(groups == 0 ? x.shape[1] : x.shape[0] * groups);
    mean.resize(n), variance.resize(n);
    const Real each = Real(x.size()) / Real(n);
    for (size_t i = 0; i < x.size(); ++i) mean[group(x.shape, groups, i)] += x[i] / each;
    for (size_t i = 0; i < x.size(); ++i) {
      const size_t k = group(x.shape, groups, i);
      variance[k] += (x[i] - mean[k]) * (x[i] - mean[k]) / each;
    }
  }
};

Expected normalised(const Array& x, const Statistics& of, int64_t groups, const Array& w, const Array& b,
                    const Array& residual, bool relu) {
  Expected out(x.dtype, x.shape, is_half(x.dtype) ? 1 : 32);
  const size_t inner = x.size() / static_cast<size_t>(x.shape[0] * x.shape[1]);
  out.absolute.resize(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t c = i / inner % x.shape[1], k = of.group(x.shape, groups, i);
    Real y = (x[i] - of.mean[k]) / std::sqrt(of.variance[k] + 1e-3L);
    if (!w.bytes.empty()) y = y * w[c] + b[c];
    if (!residual.bytes.empty()) y += residual[i];
    out.values[i] = relu && y < 0 ? 0 : y;
    out.absolute[i] = 64 * unit(x.dtype) * (1 + std::fabs(y)) + (is_half(x.dtype) ? 1e-6L : 0);
  }
  return out;
}

TEST_P(Normalisation, Training) {
  const std::vector<Image> images = {{{5, 3, 4, 7}, false}, {{5, 8, 3, 3}, true},     {{4, 33, 6}, true},
                                     {{37, 5}, false},      {{2, 2, 97, 101}, false}, {{9, 4, 31, 33}, true},
                                     {{1, 1, 1}, false}};
  int turn = 0;
  for (const Image& each : some(images, 2)) {
    const rondo_dtype dtype = covering({RONDO_F32, RONDO_F16, RONDO_F64, RONDO_BF16}, turn++)[0];
    run(
        [&](Results& results) {
          const Shape shape = each.shape;
          const Array x = random_array(dtype, shape, 1, 3, 7), w = random_array(computed(dtype), {shape[1]}, 2, 0.5, 2),
                      b = random_array(dtype, {shape[1]}, 3, -1, 1), r = random_array(dtype, shape, 4, -1, 1),
                      old = random_array(computed(dtype), {shape[1]}, 5, 1, 2);
          const Tensor a = image(x, each.last), weight = up(w), bias = up(b), residual = image(r, !each.last),
                       was = up(old);
          for (const bool plain : {true, false}) {
            const rondo_norm_options options =
                plain ? with(nullptr, nullptr) : with(weight, bias, residual, RONDO_ACTIVATION_RELU);
            Tensor mean = make(rondo_copy, was), variance = make(rondo_copy, was), out, batch, inverse;
            must(
                rondo_batch_norm_training(a, mean, variance, 0.25, &options, out.slot(), batch.slot(), inverse.slot()));
            const auto facts = [=](const std::function<Real(const Statistics&, size_t)>& of) {
              return [=] {
                const Statistics exact(x, 0);
                Expected expected(computed(dtype), {shape[1]}, 256);
                for (size_t k = 0; k < expected.values.size(); ++k) expected.values[k] = of(exact, k);
                return expected;
              };
            };
            const Array none;
            results.keep("result", std::move(out), [=] {
              return normalised(x, Statistics(x, 0), 0, plain ? none : w, plain ? none : b, plain ? none : r, !plain);
            });
            results.keep("mean", std::move(batch), facts([](const Statistics& of, size_t k) { return of.mean[k]; }));
            results.keep("inverse deviation", std::move(inverse),
                         facts([](const Statistics& of, size_t k) { return 1 / std::sqrt(of.variance[k] + 1e-3L); }));
            results.keep("running mean", std::move(mean),
                         facts([old](const Statistics& of, size_t k) { return 0.75L * old[k] + 0.25L * of.mean[k]; }));
            const Real each_channel = Real(x.size()) / Real(shape[1]);
            results.keep("running variance", std::move(variance), facts([=](const Statistics& of, size_t k) {
                           const Real unbiased = each_channel > 1 ? each_channel / (each_channel - 1) : 0;
                           return 0.75L * old[k] + 0.25L * of.variance[k] * unbiased;
                         }));
          }
        },
        {.nodes = 2});
  }
}

TEST_P(Normalisation, Inference) {
  for (const bool last : {false, true}) {
    run([&](Results& results) {
      const rondo_dtype dtype = last ? RONDO_F16 : RONDO_F32;
      const Shape shape = {3, 5, 4, 3};
      const Array x = random_array(dtype, shape, 1, -2, 2), w = random_array(dtype, {5}, 2, 0.5, 2),
                  b = random_array(dtype, {5}, 3, -1, 1), m = random_array(RONDO_F32, {5}, 4, -1, 1),
                  v = random_array(RONDO_F32, {5}, 5, 0.5, 2), r = random_array(dtype, shape, 6, -1, 1), none;
      const Tensor a = image(x, last), weight = up(w), bias = up(b), mean = up(m), variance = up(v),
                   residual = image(r, last);
      Statistics given(x, 0);
      for (size_t k = 0; k < 5; ++k) given.mean[k] = m[k], given.variance[k] = v[k];
      const rondo_norm_options plain = with(nullptr, nullptr),
                               all = with(weight, bias, residual, RONDO_ACTIVATION_RELU);
      results.keep("plain", make(rondo_batch_norm, a, mean, variance, &plain),
                   [=] { return normalised(x, given, 0, none, none, none, false); });
      results.keep("all", make(rondo_batch_norm, a, mean, variance, &all),
                   [=] { return normalised(x, given, 0, w, b, r, true); });
      // Written over the operand, and added to what is there.
      Tensor again = make(rondo_copy, a), sum = make(rondo_copy, residual);
      into(again, rondo_batch_norm, again, mean, variance, &plain);
      results.keep("in place", std::move(again), [=] { return normalised(x, given, 0, none, none, none, false); });
      into(make(rondo_tensor_accumulator, sum), rondo_batch_norm, a, mean, variance, &plain);
      results.keep("added", std::move(sum), [=] { return normalised(x, given, 0, none, none, r, false); });
    });
  }
}

TEST_P(Normalisation, GroupsAndInstances) {
  struct Case {
    Image image;
    int64_t groups;  // 0: instances
  };
  const std::vector<Case> cases = {{{{3, 6, 4, 5}, false}, 2}, {{{3, 6, 5}, true}, 3},       {{{2, 4, 3, 3}, true}, 0},
                                   {{{2, 5}, false}, 1},       {{{2, 4, 90, 95}, false}, 1}, {{{3, 7, 11}, false}, 0}};
  int turn = 0;
  for (const Case& each : some(cases, 3)) {
    const rondo_dtype dtype = covering({RONDO_F32, RONDO_F16, RONDO_F64, RONDO_BF16}, turn++)[0];
    run([&](Results& results) {
      const Shape shape = each.image.shape;
      const int64_t groups = each.groups ? each.groups : shape[1];
      const Array x = random_array(dtype, shape, 1, 3, 7), w = random_array(dtype, {shape[1]}, 2, 0.5, 2),
                  b = random_array(dtype, {shape[1]}, 3, -1, 1), none;
      const Tensor a = image(x, each.image.last), weight = up(w), bias = up(b);
      const rondo_norm_options options = with(weight, bias, nullptr, RONDO_ACTIVATION_RELU);
      results.keep("result",
                   each.groups ? make(rondo_group_norm, a, groups, &options) : make(rondo_instance_norm, a, &options),
                   [=] { return normalised(x, Statistics(x, groups), groups, w, b, none, true); });
    });
  }
}

// Far from zero; NaN and infinity stay in their channel.
TEST_P(Normalisation, SpecialValues) {
  run([&](Results& results) {
    Array x = random_array(RONDO_F32, {4, 3, 50}, 1, -1, 1);
    for (size_t i = 0; i < x.size(); ++i)
      if (i / 50 % 3 == 0) x.set(i, 30000 + x[i]);
    x.set(51, NAN), x.set(100, INFINITY);
    const Tensor a = up(x);
    const rondo_norm_options options = with(nullptr, nullptr, nullptr, RONDO_ACTIVATION_RELU);
    results.keep("result", batch_norm(a, options), [=] {
      Expected expected = normalised(x, Statistics(x, 0), 0, {}, {}, {}, true);
      for (size_t i = 0; i < x.size(); ++i) {
        expected.absolute[i] = i / 50 % 3 == 0 ? 5e-3L : 1e-5L;  // a unit of 30000 is 2e-3
        if (i / 50 % 3 != 0) expected.values[i] = NAN;
      }
      return expected;
    });
  });
}

TEST_P(Normalisation, NothingToDo) {
  if (GetParam().graph) return;
  const Tensor none = up(full(RONDO_F32, {0, 3, 4}, 0)), line = up(full(RONDO_F32, {3}, 1)),
               no_channels = up(full(RONDO_F32, {2, 0, 4}, 0));
  const rondo_norm_options options = with(nullptr, nullptr);
  EXPECT_EQ(download(make(rondo_batch_norm, none, line, line, &options)).shape, (Shape{0, 3, 4}));
  EXPECT_EQ(download(make(rondo_group_norm, none, 3, &options)).shape, (Shape{0, 3, 4}));
  EXPECT_EQ(download(make(rondo_instance_norm, no_channels, &options)).shape, (Shape{2, 0, 4}));
  EXPECT_EQ(download(batch_norm(no_channels, options)).shape, (Shape{2, 0, 4}));
  rondo_tensor* out = nullptr;
  expect_refused(rondo_batch_norm_training(none, nullptr, nullptr, 0, &options, &out, nullptr, nullptr),
                 RONDO_INVALID_ARGUMENT, "rondo_batch_norm_training", "a");
}

// --- gradients ---

struct Differentiated {
  const char* name;
  std::function<Tensor(const Inputs&)> f;  // of an image, two lines, another image
};

std::vector<Differentiated> differentiated() {
  const auto options = [](const Inputs& in, bool all) {
    rondo_norm_options with = RONDO_NORM_OPTIONS_INIT;
    with.epsilon = 1e-2;
    with.weight = in[1];
    if (all) with.bias = in[2], with.residual = in[3], with.activation = RONDO_ACTIVATION_RELU;
    return with;
  };
  const auto training = [](rondo_tensor* a, const rondo_norm_options& with) {
    Tensor out;
    must(rondo_batch_norm_training(a, nullptr, nullptr, 0, &with, out.slot(), nullptr, nullptr));
    return out;
  };
  return {
      {"training", [=](const Inputs& in) { return training(in[0], options(in, true)); }},
      {"training, weight alone", [=](const Inputs& in) { return training(in[0], options(in, false)); }},
      {"group",
       [=](const Inputs& in) {
         const rondo_norm_options with = options(in, true);
         return make(rondo_group_norm, in[0], 2, &with);
       }},
      {"instance",
       [=](const Inputs& in) {
         rondo_norm_options with = options(in, true);
         with.weight = nullptr, with.residual = nullptr;
         return make(rondo_instance_norm, in[0], &with);
       }},
      {"channels last",
       [=](const Inputs& in) {
         const Tensor a = transpose(in[0], {0, 2, 1});
         const Tensor other = transpose(make(rondo_copy, a), {0, 2, 1});  // the same numbers, channels last
         return training(other, options(in, true));
       }},
      {"inference",
       [=](const Inputs& in) {
         rondo_norm_options with = options(in, true);
         return make(rondo_batch_norm, in[0], in[2], make(rondo_unary, RONDO_SQUARE, in[1]), &with);
       }},
      {"inference, with fixed statistics",
       [=](const Inputs& in) {
         const rondo_norm_options with = options(in, true);
         return make(rondo_batch_norm, in[0], in[4], in[4], &with);
       }},
      {"statistics",
       [=](const Inputs& in) {
         const rondo_norm_options with = options(in, true);
         Tensor out, mean, inverse;
         must(rondo_batch_norm_training(in[0], nullptr, nullptr, 0, &with, out.slot(), mean.slot(), inverse.slot()));
         const Tensor both = make(rondo_binary, RONDO_MUL, mean, inverse);
         return make(rondo_binary, RONDO_MUL, out, reshape(both, {4, 1}));
       }},
      {"added",
       [=](const Inputs& in) {
         Tensor sum = make(rondo_unary, RONDO_SQUARE, in[3]);
         rondo_tensor* slot = nullptr;
         const Tensor adds = make(rondo_tensor_accumulator, sum);
         slot = adds;
         rondo_norm_options with = options(in, true);
         with.residual = nullptr;
         must(rondo_batch_norm_training(in[0], nullptr, nullptr, 0, &with, &slot, nullptr, nullptr));
         return sum;
       }},
  };
}

std::vector<Array> operands() {
  const Shape shape = {3, 4, 2};
  return {random_array(RONDO_F64, shape, 1, -2, 2), random_array(RONDO_F64, {4}, 2, 0.5, 2),
          random_array(RONDO_F64, {4}, 3, -1, 1), random_array(RONDO_F64, shape, 4, -1, 1),
          random_array(RONDO_F64, {4}, 5, 0.5, 1)};
}

TEST_P(Normalisation, Gradients) {
  run([&](Results& results) {
    for (const Differentiated& each : some(differentiated(), 2)) keep_gradients(results, each.name, operands(), each.f);
  });
}

TEST_P(Normalisation, GradientsOfGradients) {
  run([&](Results& results) {
    for (const Differentiated& each : some(differentiated(), 4))
      keep_gradients(
          results, each.name, operands(),
          [this, f = each.f](const Inputs& in) {
            const Tape inner(engine());
            inner.watch(in[0]);
            const Tensor y = make(rondo_unary, RONDO_SQUARE, f(in));
            const Tensor first = inner.gradient(reduce(RONDO_SUM, y, {}), in[0]);
            Tensor sum = make(rondo_binary, RONDO_ADD, first, in[3]);  // so that all have a gradient
            for (const size_t line : {1, 2, 4})
              sum = make(rondo_binary, RONDO_ADD, sum, reduce(RONDO_SUM, in[line], {}));
            return sum;
          },
          of_gradients());
  });
}

// In 16 and 32 bits, large enough to be split, into more parts than a lane joins at once too, against the gradient in
// f64.
TEST_P(Normalisation, GradientsInOtherDtypes) {
  const std::vector<Image> images = {{{2, 2, 97, 101}, false}, {{9, 4, 31, 33}, true}, {{1, 36, 61, 71}, true}};
  int turn = 0;
  for (const Image& each : some(images, 2)) {
    const rondo_dtype dtype = covering({RONDO_F16, RONDO_F32, RONDO_BF16}, turn++)[0];
    run([&](Results& results) {
      const Shape shape = each.shape;
      const Array x = random_array(dtype, shape, 1, -2, 2), w = random_array(dtype, {shape[1]}, 2, 0.5, 2),
                  dy = random_array(dtype, shape, 3, -1, 1);
      const auto gradients = [=, this](rondo_dtype in, rondo_device where, int64_t groups) {
        const auto cast = [&](const Array& a) { return make(rondo_cast, upload(engine(), where, a), in); };
        const Tensor weight = cast(w);
        Tensor a = cast(x), change = cast(dy);
        if (each.last && in == dtype) a = image(x, true), change = image(dy, true);
        const Tape tape(engine());
        tape.watch(a), tape.watch(weight);
        const rondo_norm_options options = with(weight, nullptr);
        const Tensor y = groups ? make(rondo_group_norm, a, groups, &options) : batch_norm(a, options);
        return tape.gradients(y, {a, weight}, change);
      };
      for (const int64_t groups : {0, 2}) {
        std::vector<Tensor> got = gradients(dtype, device(), groups);
        for (size_t i = 0; i < got.size(); ++i)
          results.keep("gradient " + std::to_string(i), std::move(got[i]), [=] {
            const Array exact = download(gradients(RONDO_F64, kCpu, groups)[i]);
            Expected expected(dtype, exact.shape, 2);
            expected.absolute.resize(exact.size());
            Real size = 0;
            for (size_t k = 0; k < exact.size(); ++k) size = std::max(size, std::fabs(exact[k]));
            for (size_t k = 0; k < exact.size(); ++k) {
              expected.values[k] = exact[k];
              expected.absolute[k] = size * 2e-5L;
            }
            return expected;
          });
      }
    });
  }
}

// The statistics that the library wrote must still be there when a gradient needs them.
TEST_P(Normalisation, StatisticsThatChanged) {
  if (GetParam().graph) return;
  const Tensor a = up(random_array(RONDO_F64, {3, 2, 2}, 1, -1, 1));
  const Tape tape(engine());
  tape.watch(a);
  const rondo_norm_options options = with(nullptr, nullptr);
  Tensor out, mean;
  must(rondo_batch_norm_training(a, nullptr, nullptr, 0, &options, out.slot(), mean.slot(), nullptr));
  must(rondo_fill(mean, 0));
  const Tensor total = reduce(RONDO_SUM, out, {});
  rondo_tensor *output = total, *source = a, *gradient = nullptr;
  EXPECT_EQ(rondo_tape_gradients(tape, 1, &output, nullptr, 1, &source, &gradient), RONDO_INVALID_STATE);
}

TEST_P(Normalisation, Misuse) {
  if (GetParam().graph) return;
  const Tensor a = up(full(RONDO_F16, {2, 4, 3}, 1)), line = up(full(RONDO_F32, {4}, 1)),
               half = up(full(RONDO_F16, {4}, 1)), wide = up(full(RONDO_F64, {4}, 1)),
               three = up(full(RONDO_F32, {3}, 1)), integers = up(full(RONDO_I32, {2, 4, 3}, 1)),
               flat = up(full(RONDO_F16, {4}, 1)), other = up(full(RONDO_F16, {2, 4, 2}, 1)),
               deep = up(full(RONDO_F32, {1, 2, 1, 1, 1, 1, 1, 1}, 1));
  rondo_tensor* out = nullptr;
  const auto refused = [&](const char* function, const char* argument, const auto& call) {
    expect_refused(call(), RONDO_INVALID_ARGUMENT, function, argument);
    EXPECT_EQ(out, nullptr);
  };
  const auto inference = [&](const char* argument, rondo_tensor* x, rondo_tensor* mean, rondo_tensor* variance,
                             const rondo_norm_options& options) {
    refused("rondo_batch_norm", argument, [&] { return rondo_batch_norm(x, mean, variance, &options, &out); });
  };
  const rondo_norm_options plain = with(nullptr, nullptr);
  inference("a", nullptr, line, line, plain);
  inference("a", integers, line, line, plain);
  inference("a", flat, line, line, plain);
  inference("mean", a, nullptr, line, plain);
  inference("mean", a, half, line, plain);
  inference("mean", a, three, line, plain);
  inference("variance", a, line, nullptr, plain);
  inference("variance", a, line, wide, plain);
  inference("weight", a, line, line, with(wide, nullptr));
  inference("weight", a, line, line, with(three, nullptr));
  inference("bias", a, line, line, with(line, a));
  inference("residual", a, line, line, with(line, half, other));
  inference("activation", a, line, line, with(nullptr, nullptr, nullptr, RONDO_ACTIVATION_GELU));
  for (const double epsilon : {-1.0, double(NAN), HUGE_VAL}) {
    rondo_norm_options options = plain;
    options.epsilon = epsilon;
    inference("epsilon", a, line, line, options);
  }
  refused("rondo_batch_norm", "out", [&] { return rondo_batch_norm(a, line, line, nullptr, nullptr); });
  const auto training = [&](const char* argument, rondo_tensor* mean, rondo_tensor* variance, double momentum,
                            rondo_tensor** batch = nullptr) {
    refused("rondo_batch_norm_training", argument,
            [&] { return rondo_batch_norm_training(a, mean, variance, momentum, &plain, &out, batch, nullptr); });
  };
  training("running_variance", line, nullptr, 0.1);
  training("running_mean", nullptr, line, 0.1);
  training("running_mean", half, line, 0.1);
  training("running_variance", line, three, 0.1);
  training("momentum", line, line, 1.5);
  training("momentum", line, line, NAN);
  training("mean", nullptr, nullptr, 0, &out);
  const Tensor adds = make(rondo_tensor_accumulator, line), shown = broadcast(up(full(RONDO_F32, {1}, 1)), {4});
  rondo_tensor* slot = adds;
  training("mean", nullptr, nullptr, 0, &slot);
  training("running_mean", adds, line, 0.1);
  training("running_mean", shown, line, 0.1);
  refused("rondo_group_norm", "groups", [&] { return rondo_group_norm(a, 3, &plain, &out); });
  refused("rondo_group_norm", "groups", [&] { return rondo_group_norm(a, 0, &plain, &out); });
  refused("rondo_group_norm", "a", [&] { return rondo_group_norm(deep, 1, &plain, &out); });
  refused("rondo_instance_norm", "a", [&] { return rondo_instance_norm(flat, &plain, &out); });
  refused("rondo_instance_norm", "out", [&] { return rondo_instance_norm(a, &plain, nullptr); });
  rondo_norm_options small = plain;
  small.size = 8;
  refused("rondo_group_norm", "size", [&] { return rondo_group_norm(a, 2, &small, &out); });
}

}  // namespace
}  // namespace conformance
