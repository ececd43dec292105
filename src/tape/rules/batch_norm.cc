// Gradients of batch, group and instance normalisation. With n = (a - mean) * inverse, where the mean is what it was
// rounded to and the rest, and g the incoming gradient
// where the activation passes it, times the weight, that of a is (g - mean of g - n * mean of g * n) * inverse, means
// being over the group; of given statistics, g * inverse. Those of weight and bias are sums of g * n and of g.
//
// One kernel makes the sums, one the rest. The statistics are constants in none of it: they are nodes of their own, to
// which gradients of these gradients come.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/batch_norm/batch_norm.h"
#include "ops/operators/scalar.h"
#include "tape/gradient_builder.h"
#include "tape/rules/kinds.h"

namespace rondo::tape {

namespace {

// The place of each operand; 0: it is not there, but for a.
struct Inputs {
  size_t a = 0, weight, bias, residual, mean, second, rest;
  explicit Inputs(const ops::BatchNormCall& call) {
    const auto of = [&call](const char* name) { return ops::input_of(call, name).value_or(0); };
    weight = of("weight"), bias = of("bias"), residual = of("residual");
    mean = of("mean"), second = of("second"), rest = of("rest");
  }
};

SmallVector<int32_t, 8> listed(unsigned axes) {
  SmallVector<int32_t, 8> list;
  for (int d = 0; d < kMaxDims; ++d)
    if ((axes >> d) & 1) list.push_back(d);
  return list;
}

View root(GradientBuilder& steps, const View& variance, double epsilon) {
  return steps.unary(RONDO_RSQRT, steps.scalar(RONDO_ADD, variance, epsilon));
}

struct Rule {
  const ops::BatchNormCall& call;
  Backward& backward;
  const Inputs in;
  const View& out;
  const Layout& shape;
  const rondo_dtype dtype;  // it is computed in
  GradientBuilder steps;
  View dy, y;  // y: the result, if the activation needs it

  Rule(const ops::BatchNormCall& call, Backward& backward)
      : call(call),
        backward(backward),
        in(call),
        out(backward.node().outputs[0].view),
        shape(out.layout),
        dtype(compute_dtype(out.dtype)),
        steps(backward.engine()) {}

  bool masked() const { return call.activation == RONDO_ACTIVATION_RELU; }
  bool wants_line(size_t input) const { return input != 0 && backward.wants(input); }
  const View& value(size_t input) const { return backward.input(input); }
  View computed(size_t input) { return steps.cast(value(input), dtype); }
  View total(const View& of, unsigned axes) {
    const auto list = listed(axes);
    return steps.reduce(RONDO_SUM, of, {list.begin(), list.size()});
  }
  unsigned beside_channels() const { return ((1u << shape.ndim) - 1) & ~call.channels; }
  Status pass(size_t input, const View& gradient) {
    RONDO_TRY(steps.status());
    return backward.pass(input, gradient.layout, Value::of(gradient));
  }

  // A result that was added to a tensor is not there: it is computed again.
  void result_again() {
    View z = steps.binary(RONDO_SUB, computed(in.a), value(in.mean));
    if (in.rest) z = steps.binary(RONDO_SUB, z, value(in.rest));
    z = steps.binary(RONDO_MUL, z, call.given ? root(steps, value(in.second), call.epsilon) : value(in.second));
    if (call.weight) z = steps.binary(RONDO_MUL, z, computed(in.weight));
    if (call.bias) z = steps.binary(RONDO_ADD, z, computed(in.bias));
    if (call.residual) z = steps.binary(RONDO_ADD, z, value(in.residual));
    y = steps.cast(z, out.dtype);
  }

  Status run() {
    RONDO_TRY(backward.incoming_view(&dy));
    if (masked()) {
      if (out.accumulate)
        result_again();
      else
        y = backward.output(0);
    }
    RONDO_TRY(steps.status());
    return gradients();
  }

  // The two sums over the axes, as tensors that have size 1 there.
  Status sums(const View& inverse, bool weighted, unsigned axes, OwnedTensor* sum, OwnedTensor* dot) {
    return ops::norm_sums(value(in.a), dy, masked() ? &y : nullptr, value(in.mean), inverse,
                          in.rest ? &value(in.rest) : nullptr, weighted ? &value(in.weight) : nullptr, axes,
                          &sum->tensor, &dot->tensor);
  }
  Status gradients() {
    const unsigned wanted = backward.wanted();
    const bool statistics = call.given && (backward.wants(in.mean) || backward.wants(in.second));
    const bool lines = wants_line(in.weight) || wants_line(in.bias) || statistics;
    const bool wants_a = backward.wants(in.a);
    const bool apart = (((1u << shape.ndim) - 1) & ~call.axes) != call.channels;  // groups are not channels
    View inverse;
    if (needed_inputs(wanted)) inverse = call.given ? root(steps, value(in.second), call.epsilon) : value(in.second);
    RONDO_TRY(steps.status());
    OwnedTensor sum, dot, of_group, dot_of_group;
    if (wants_line(in.bias) && !wants_line(in.weight) && !statistics && (call.given || apart || !wants_a)) {
      RONDO_TRY(bias_alone());
    } else if (lines || (wants_a && !call.given && !apart)) {
      RONDO_TRY(sums(inverse, false, beside_channels(), &sum, &dot));
      if (wants_line(in.weight)) RONDO_TRY(pass(in.weight, dot.tensor->view));
      if (wants_line(in.bias)) RONDO_TRY(pass(in.bias, sum.tensor->view));
    }
    if (statistics) RONDO_TRY(of_statistics(sum.tensor->view, dot.tensor->view, inverse));
    if (wants_a && !call.given && apart) RONDO_TRY(sums(inverse, call.weight, call.axes, &of_group, &dot_of_group));
    const OwnedTensor &first = apart ? of_group : sum, &second = apart ? dot_of_group : dot;
    return elements(inverse, wants_a && !call.given ? &first.tensor->view : nullptr,
                    wants_a && !call.given ? &second.tensor->view : nullptr, apart);
  }
  Status bias_alone() {
    View g = steps.cast(dy, dtype);
    if (masked()) g = steps.where(steps.scalar(RONDO_GT, y, 0), g, 0.0);
    return pass(in.bias, total(g, beside_channels()));
  }
  // The gradients of a given mean and variance, with the sums over everything but channels.
  Status of_statistics(const View& sum, const View& dot, const View& inverse) {
    const auto weighted = [&](const View& view) {
      return call.weight ? steps.binary(RONDO_MUL, view, computed(in.weight)) : view;
    };
    if (backward.wants(in.mean))
      RONDO_TRY(pass(in.mean, steps.unary(RONDO_NEG, steps.binary(RONDO_MUL, weighted(sum), inverse))));
    if (!backward.wants(in.second)) return {};
    const View square = steps.unary(RONDO_SQUARE, inverse);
    return pass(in.second, steps.scalar(RONDO_MUL, steps.binary(RONDO_MUL, weighted(dot), square), -0.5));
  }

  // The gradients that have a's shape, by one kernel. sum and dot: null where a is not asked for or has given
  // statistics.
  Status elements(const View& inverse, const View* sum, const View* dot, bool apart) {
    const bool wants_a = backward.wants(in.a);
    bool residual = call.residual && backward.wants(in.residual);
    if (residual && !masked()) {
      RONDO_TRY(backward.pass(in.residual, shape, backward.incoming()));
      residual = false;
    }
    if (!wants_a && !residual) return {};
    using ops::Op;
    ops::Expression e;
    std::vector<const View*> operands;
    std::vector<size_t> inputs;
    const auto input = [&](const View& view) {
      operands.push_back(&view);
      return e.cast(e.input(view.dtype), dtype);
    };
    ops::Value g = input(dy);
    const ops::Value share = e.scalar(dtype);
    if (masked()) {
      const ops::Value zero = e.scalar(dtype);
      g = e.where(e.apply(Op::gt, input(y), zero), g, zero);
    }
    if (wants_a) {
      const ops::Value weight = call.weight ? input(value(in.weight)) : ops::Value{};
      ops::Value change = call.weight ? e.apply(Op::mul, g, weight) : g;
      const ops::Value root = input(inverse);
      if (sum) {
        ops::Value distance = e.apply(Op::sub, input(value(in.a)), input(value(in.mean)));
        if (in.rest) distance = e.apply(Op::sub, distance, input(value(in.rest)));
        const ops::Value n = e.apply(Op::mul, distance, root);
        ops::Value rest = e.apply(Op::add, input(*sum), e.apply(Op::mul, n, input(*dot)));
        rest = e.apply(Op::mul, rest, share);
        if (call.weight && !apart) rest = e.apply(Op::mul, rest, weight);  // the channel's
        change = e.apply(Op::sub, change, rest);
      }
      e.output(e.apply(Op::mul, change, root), out.dtype, false);
      inputs.push_back(in.a);
    }
    if (residual) {
      e.output(g, out.dtype, false);
      inputs.push_back(in.residual);
    }
    double length = 1;
    for (int d = 0; d < shape.ndim; ++d)
      if ((call.axes >> d) & 1) length *= static_cast<double>(shape.shape[d]);
    const uint64_t words[] = {ops::float_word(dtype, 1 / length), 0};
    return backward.give_all("norm_grad", e, operands, words, inputs);
  }

  // The operands whose values are needed, but for those of a result that is computed again.
  unsigned needed_inputs(unsigned wanted) const { return needed(call, wanted).inputs; }
};

}  // namespace

unsigned flowing(const ops::BatchNormCall& call, unsigned active) {
  const Inputs in(call);
  return call.given ? active : active & ~((1u << in.mean) | (1u << in.second) | (1u << in.rest));
}

Needs needed(const ops::BatchNormCall& call, unsigned wanted) {
  const Inputs in(call);
  const auto bit = [](size_t input) { return 1u << input; };
  const auto asked = [&](size_t input) { return input != 0 && (wanted & bit(input)); };
  Needs needs;
  if (call.activation == RONDO_ACTIVATION_RELU) needs.outputs |= 1;
  const bool statistics = call.given && (asked(in.mean) || asked(in.second));
  const unsigned both = bit(in.mean) | bit(in.second) | (call.given ? 0 : bit(in.rest));
  if (wanted & bit(in.a)) needs.inputs |= call.given ? bit(in.second) : bit(in.a) | both;
  if (asked(in.weight) || statistics) needs.inputs |= bit(in.a) | both;
  if (call.weight && ((wanted & bit(in.a)) || statistics)) needs.inputs |= bit(in.weight);
  return needs;
}

Status run(const ops::BatchNormCall& call, Backward& backward) {
  return Rule(call, backward).run();
}

Status run(const ops::BatchNormStatisticsCall& call, Backward& backward) {
  return backward.differentiate([&](GradientBuilder& steps, std::span<const View> inputs, std::span<View> outputs) {
    const View a = steps.cast(inputs[0], compute_dtype(inputs[0].dtype));
    const auto axes = listed(call.axes);
    outputs[0] = steps.reduce(RONDO_MEAN, a, {axes.begin(), axes.size()});
    outputs[1] = root(steps, steps.reduce(RONDO_VAR, a, {axes.begin(), axes.size()}), call.epsilon);
  });
}

Status run(const ops::BatchNormSumsCall& call, Backward& backward) {
  return backward.differentiate([&](GradientBuilder& steps, std::span<const View> inputs, std::span<View> outputs) {
    const rondo_dtype dtype = compute_dtype(inputs[0].dtype);
    const View x = steps.cast(inputs[0], dtype);
    View g = steps.cast(inputs[1], dtype);
    const auto of = [&](const char* name) { return inputs[*ops::input_of(call, name)]; };
    if (call.masked) g = steps.where(steps.scalar(RONDO_GT, of("y"), 0), g, 0.0);
    const View mean = of("mean"), inverse = of("inverse");
    View distance = steps.binary(RONDO_SUB, x, mean);
    if (call.rest) distance = steps.binary(RONDO_SUB, distance, of("rest"));
    if (call.weight) g = steps.binary(RONDO_MUL, g, steps.cast(of("weight"), dtype));
    const View n = steps.binary(RONDO_MUL, distance, inverse);
    const auto axes = listed(call.axes);
    outputs[0] = steps.reduce(RONDO_SUM, g, {axes.begin(), axes.size()});
    outputs[1] = steps.reduce(RONDO_SUM, steps.binary(RONDO_MUL, g, n), {axes.begin(), axes.size()});
  });
}

}  // namespace rondo::tape
