// Checks and submits random operators: uniform and normal numbers, dropout and its gradient.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/random.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "ops/elementwise/elementwise_task.h"
#include "ops/elementwise/form.h"
#include "ops/operators/element.h"
#include "ops/operators/scalar.h"
#include "ops/ops.h"
#include "ops/program/infer.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

// The next value below in a 16-bit float, by its bits.
uint16_t step_down(uint16_t bits) {
  if ((bits & 0x7fff) == 0) return 0x8001;
  return static_cast<uint16_t>(bits & 0x8000 ? bits + 1 : bits - 1);
}
template <class Half, Half (*round)(float)>
double highest_below_half(double limit) {
  Half half = round(static_cast<float>(limit));
  while (static_cast<double>(device::to_float(half)) >= limit) half.bits = step_down(half.bits);
  return static_cast<double>(device::to_float(half));
}

// The highest value of the dtype that is less than `limit`: scaling and rounding must not produce the excluded end.
double highest_below(rondo_dtype dtype, double limit) {
  switch (dtype) {
    case RONDO_F64: return std::nextafter(limit, -INFINITY);
    case RONDO_F32: {
      const float nearest = static_cast<float>(limit);
      return static_cast<double>(nearest) < limit ? nearest : std::nextafter(nearest, -INFINITY);
    }
    case RONDO_F16: return highest_below_half<device::f16, device::to_f16>(limit);
    default: return highest_below_half<device::bf16, device::to_bf16>(limit);
  }
}

// The output for the numbers: the given one, which then decides shape, dtype and device, or a new one.
Status resolve(const NewTensor& made, Output& out, View* to) {
  const rondo_dtype dtype = out.given() ? out.given_view().dtype : made.dtype;
  if (!is_float(dtype))
    return error(RONDO_INVALID_ARGUMENT,
                 "dtype is %s; f16, bf16, f32 and f64 are possible (rondo_cast makes others of them)",
                 dtype_name(dtype));
  Device& device = out.given() ? out.given_view().device() : *made.device;
  return out.resolve(*made.engine, device, dtype, out.given() ? out.given_view().layout : made.shape, {}, false, to);
}

Status submit_random(const char* name, const NewTensor& made, const Expression& expression, const View& to,
                     const uint64_t* scalars, Output& out, const Describe& describe) {
  const View* views[] = {&to};
  return submit_prepared(*made.engine,
                         make_ref<ElementwiseTask>(name, to.device(), expression, to.layout, views, scalars), {&out},
                         describe);
}

// The largest finite value; float dtypes.
double highest(rondo_dtype dtype) {
  switch (dtype) {
    case RONDO_F64: return std::numeric_limits<double>::max();
    case RONDO_F32: return static_cast<double>(std::numeric_limits<float>::max());
    case RONDO_F16: return static_cast<double>(half_to_float(0x7bff));
    default: return static_cast<double>(bf16_to_float(0x7f7f));
  }
}

// `role`: what the dtype is to the operator.
Status check_holds(const char* name, double value, rondo_dtype dtype, const char* role) {
  const double most = highest(dtype);
  if (std::abs(value) <= most) return {};
  return error(RONDO_INVALID_ARGUMENT, "%s is %g, beyond what %s, %s, holds; -%g to %g are possible", name, value,
               dtype_name(dtype), role, most, most);
}

Status check_probability(double p) {
  if (p >= 0 && p < 1) return {};
  return error(RONDO_INVALID_ARGUMENT, "p is %g; it must be at least 0 and less than 1", p);
}

}  // namespace

Status random_uniform(const NewTensor& made, double low, double high, Output& out) {
  if (!std::isfinite(low) || !std::isfinite(high) || low > high)
    return error(RONDO_INVALID_ARGUMENT, "low is %g and high is %g; they must be finite and low not above high", low,
                 high);
  View to;
  RONDO_TRY(resolve(made, out, &to));
  const rondo_dtype dtype = compute_dtype(to.dtype);
  // An infinite bound or difference would make every number the same.
  RONDO_TRY(check_holds("low", low, to.dtype, "the dtype of the result"));
  RONDO_TRY(check_holds("high", high, to.dtype, "the dtype of the result"));
  RONDO_TRY(check_holds("high - low", high - low, dtype, "in which the numbers are computed"));
  Expression expression;
  const Value range = expression.scalar(dtype);
  const Value least = expression.scalar(dtype);
  const Value most = expression.scalar(dtype);
  const Value scaled = expression.apply(Op::mul, expression.uniform(dtype), range);
  const Value shifted = expression.apply(Op::add, scaled, least);
  expression.output(expression.apply(Op::minimum, shifted, most), to.dtype, to.accumulate);
  const uint64_t scalars[] = {float_word(dtype, high - low), float_word(dtype, low),
                              float_word(dtype, std::max(low, highest_below(to.dtype, high)))};
  return submit_random("random_uniform", made, expression, to, scalars, out, [&] {
    return Call{RandomUniformCall{low, high}};
  });
}

Status random_normal(const NewTensor& made, double mean, double deviation, Output& out) {
  if (!std::isfinite(mean) || !std::isfinite(deviation) || deviation < 0)
    return error(RONDO_INVALID_ARGUMENT,
                 "mean is %g and deviation is %g; they must be finite and deviation not negative", mean, deviation);
  View to;
  RONDO_TRY(resolve(made, out, &to));
  const rondo_dtype dtype = compute_dtype(to.dtype);
  Expression expression;
  const Value width = expression.scalar(dtype);
  const Value centre = expression.scalar(dtype);
  const Value scaled = expression.apply(Op::mul, expression.normal(dtype), width);
  expression.output(expression.apply(Op::add, scaled, centre), to.dtype, to.accumulate);
  const uint64_t scalars[] = {float_word(dtype, deviation), float_word(dtype, mean)};
  return submit_random("random_normal", made, expression, to, scalars, out, [&] {
    return Call{RandomNormalCall{mean, deviation}};
  });
}

Status infer(const DropoutCall& call, InputTypes inputs, ResultTypes results) {
  const View& a = *inputs[0];
  RONDO_TRY(check_probability(call.p));
  RONDO_TRY(check_float("a", a));
  results[0].set(a.dtype, a.layout);
  results[1].set(RONDO_U8, a.layout);
  return {};
}

Status infer(const DropoutGradCall& call, InputTypes inputs, ResultTypes results) {
  const View &dy = *inputs[0], &mask = *inputs[1];
  RONDO_TRY(check_probability(call.p));
  RONDO_TRY(check_float("dy", dy));
  if (mask.dtype != RONDO_U8)
    return error(RONDO_INVALID_ARGUMENT, "mask has dtype %s; u8 is needed, as rondo_dropout gives it",
                 dtype_name(mask.dtype));
  if (!mask.layout.same_shape(dy.layout))
    return error(RONDO_INVALID_ARGUMENT, "mask has shape %s; dy has %s", shape_text(mask.layout).c_str(),
                 shape_text(dy.layout).c_str());
  results[0].set(dy.dtype, dy.layout);
  return {};
}

Status dropout(const View& a, double p, Output& out, Output& mask) {
  RONDO_TRY(check_inputs({{"a", &a}}));
  const View* const inputs[] = {&a};
  ResultType made[2];
  RONDO_TRY(infer(DropoutCall{p}, inputs, made));
  View to;
  View kept;
  RONDO_TRY(out.resolve_elementwise(made[0].dtype, a.layout, {&a}, &to));
  const View* const beside[] = {&a, &to};
  RONDO_TRY(mask.resolve_as(a, made[1].dtype, a.layout, beside, false, &kept));
  const rondo_dtype dtype = compute_dtype(a.dtype);
  Expression expression;
  const Value x = expression.input(a.dtype);
  const Value dropped = expression.scalar(RONDO_F32);
  const Value rest = expression.scalar(dtype);
  const Value keep = expression.apply(Op::ge, expression.uniform(RONDO_F32), dropped);
  const Value masked = expression.apply(Op::mul, x, expression.cast(keep, dtype));
  expression.output(expression.apply(Op::div, masked, rest), to.dtype, to.accumulate);
  expression.output(expression.cast(keep, RONDO_U8), RONDO_U8, kept.accumulate);
  const uint64_t scalars[] = {float_word(RONDO_F32, p), float_word(dtype, 1 - p)};
  const View* views[] = {&a, &to, &kept};
  return submit_prepared(a.engine(),
                         make_ref<ElementwiseTask>("dropout", a.device(), expression, to.layout, views, scalars),
                         {&out, &mask}, [&] { return Call{DropoutCall{p}}; });
}

Status dropout_grad(const View& dy, const View& mask, double p, Output& out) {
  RONDO_TRY(check_inputs({{"dy", &dy}, {"mask", &mask}}));
  const DropoutGradCall call{p};
  ResultType made;
  RONDO_TRY(infer_one(call, {&dy, &mask}, &made));
  View to;
  RONDO_TRY(out.resolve_elementwise(made.dtype, dy.layout, {&dy, &mask}, &to));
  const View* const views[] = {&dy, &mask, &to};
  uint64_t word = 0;
  const Expression expression = expression_of(call, std::span(views, 2), to, &word);
  return submit_prepared(dy.engine(),
                         make_ref<ElementwiseTask>("dropout_grad", dy.device(), expression, to.layout, views, &word),
                         {&out}, [&] { return Call{call}; });
}

// --- a graph's state
// ------------------------------------------------------------------------------------------------------

namespace {

Status find_advance(cuda::CudaDevice& device, const rtc::Kernel** kernel) {
  return rtc::find_kernel(
      device, rtc::Signature(rtc::kRandomAdvance), "random_advance",
      [] {
        return std::string(
            "struct Arguments {\n  PhiloxState* state;\n  u64 count;\n};\n"
            "extern \"C\" __global__ void rondo_kernel(const Arguments a) { a.state->offset += a.count; }\n");
      },
      kernel);
}

}  // namespace

Status prepare_random_advance(cuda::CudaDevice& device) {
  const rtc::Kernel* kernel = nullptr;
  return find_advance(device, &kernel);
}

Status launch_random_advance(cuda::CudaDevice& device, void* stream, RandomState* state_on_device, uint64_t count) {
  const rtc::Kernel* kernel = nullptr;
  RONDO_TRY(find_advance(device, &kernel));
  const struct {
    RandomState* state;
    uint64_t count;
  } arguments = {state_on_device, count};
  return device.launch(kernel->function, {}, stream, &arguments);
}

}  // namespace rondo::ops
