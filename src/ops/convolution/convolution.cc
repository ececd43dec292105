// Checks convolutions, infers their shapes, and brings all three ways to the common form.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/convolution.h"

#include "base/text.h"
#include "ops/convolution/convolution_onednn.h"
#include "ops/program/infer.h"
#include "ops/task/nothing.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

// Places that a kernel covers with its dilation; may exceed 63 bits.
__int128 reach_of(int64_t kernel, int64_t dilation) {
  return static_cast<__int128>(dilation) * (kernel - 1) + 1;
}

Status check_options(int spatial, const ConvolutionOptions& options) {
  struct Row {
    const char* name;
    const int64_t* values;
    int64_t least;
  };
  for (const Row& row :
       {Row{"stride", options.stride, 1}, Row{"dilation", options.dilation, 1}, Row{"padding", options.before, 0},
        Row{"padding_end", options.after, 0}, Row{"output_padding", options.output_padding, 0}})
    for (int d = 0; d < spatial; ++d)
      if (row.values[d] < row.least || row.values[d] > INT32_MAX)
        return error(RONDO_INVALID_ARGUMENT, "options->%s[%d] is %lld; %lld to %d is possible", row.name, d,
                     printable(row.values[d]), printable(row.least), INT32_MAX);
  for (int d = 0; d < spatial; ++d) {
    if (options.output_padding[d] != 0 && !options.transposed)
      return error(RONDO_INVALID_ARGUMENT,
                   "options->output_padding[%d] is %lld; only a transposed convolution has it (options->transposed)", d,
                   printable(options.output_padding[d]));
    if (options.output_padding[d] >= options.stride[d])
      return error(RONDO_INVALID_ARGUMENT, "options->output_padding[%d] is %lld; less than the stride, %lld, is needed",
                   d, printable(options.output_padding[d]), printable(options.stride[d]));
  }
  if (options.groups < 1)
    return error(RONDO_INVALID_ARGUMENT, "options->groups is %lld; 1 or more is needed", printable(options.groups));
  return {};
}

Status check_operand(const char* name, const View& view) {
  if (view.layout.ndim < 3 || view.layout.ndim > 2 + kMaxSpatial)
    return error(RONDO_INVALID_ARGUMENT,
                 "%s %s has %d dimensions; 3 to 5 are needed: one of the batch, one of channels, 1 to 3 of space", name,
                 shape_text(view.layout).c_str(), view.layout.ndim);
  return check_float(name, view);
}

Status check_pair(const NamedView& x, const NamedView& other) {
  RONDO_TRY(check_operand(x.name, *x.view));
  RONDO_TRY(check_operand(other.name, *other.view));
  RONDO_TRY(check_dtype_of(other.name, *other.view, x.name, *x.view));
  if (x.view->layout.ndim != other.view->layout.ndim)
    return error(RONDO_INVALID_ARGUMENT, "%s %s and %s %s differ in their number of dimensions", x.name,
                 shape_text(x.view->layout).c_str(), other.name, shape_text(other.view->layout).c_str());
  return {};
}

Status check_epilogue(const View& x, const ConvolutionEpilogue& epilogue, const Layout& shape) {
  for (const auto& [name, view] :
       {NamedView{"options->scale", epilogue.scale}, NamedView{"options->bias", epilogue.bias}})
    if (view && (view->dtype != x.dtype || view->layout.ndim != 1 || view->layout.shape[0] != shape.shape[1]))
      return error(RONDO_INVALID_ARGUMENT, "%s is %s %s; %s [%lld] is needed, one per channel of the result", name,
                   dtype_name(view->dtype), shape_text(view->layout).c_str(), dtype_name(x.dtype),
                   printable(shape.shape[1]));
  if (const View* residual = epilogue.residual)
    if (residual->dtype != x.dtype || !residual->layout.same_shape(shape))
      return error(RONDO_INVALID_ARGUMENT, "options->residual is %s %s; the result's dtype and shape are needed, %s %s",
                   dtype_name(residual->dtype), shape_text(residual->layout).c_str(), dtype_name(x.dtype),
                   shape_text(shape).c_str());
  return {};
}

Status divides(const char* what, int64_t channels, int64_t groups) {
  if (channels % groups == 0) return {};
  return error(RONDO_INVALID_ARGUMENT, "%s, %lld, is no multiple of options->groups, %lld", what, printable(channels),
               printable(groups));
}

// The size of an axis of the result, or transposed of the image.
Status infer_axis(const char* name, const ConvolutionOptions& options, int d, int64_t size, int64_t kernel,
                  int64_t* inferred) {
  const __int128 around = static_cast<__int128>(options.before[d]) + options.after[d];
  const __int128 reach = reach_of(kernel, options.dilation[d]);
  const auto axis = [&] { return format("axis %d of %s", d + 2, name); };
  if (kernel < 1)
    return error(RONDO_INVALID_ARGUMENT, "the kernel has size 0 or less on axis %d; 1 or more is needed", d + 2);
  if (options.transposed) {
    if (size < 1)
      return error(RONDO_INVALID_ARGUMENT, "%s has size 0; a transposed convolution needs 1 or more", axis().c_str());
    const __int128 result =
        static_cast<__int128>(size - 1) * options.stride[d] - around + reach + options.output_padding[d];
    if (result < 0 || result > INT64_MAX / 2)
      return error(RONDO_INVALID_ARGUMENT,
                   "%s would have size %s in the result, by stride %lld, padding %lld and %lld, dilation %lld, kernel "
                   "size %lld",
                   axis().c_str(), result < 0 ? "below 0" : "beyond 63 bits", printable(options.stride[d]),
                   printable(options.before[d]), printable(options.after[d]), printable(options.dilation[d]),
                   printable(kernel));
    *inferred = static_cast<int64_t>(result);
    return {};
  }
  if (size + around < reach)
    return error(RONDO_INVALID_ARGUMENT,
                 "the kernel is larger than %s: size %lld with dilation %lld, but %lld with padding %lld and %lld",
                 axis().c_str(), printable(kernel), printable(options.dilation[d]), printable(size),
                 printable(options.before[d]), printable(options.after[d]));
  *inferred = static_cast<int64_t>((size + around - reach) / options.stride[d]) + 1;
  return {};
}

ConvolutionCall call_of(const ConvolutionOptions& options, const ConvolutionEpilogue& epilogue) {
  return {options, epilogue.scale != nullptr, epilogue.bias != nullptr, epilogue.residual != nullptr};
}

Convolution problem_of(ConvolutionWay way, const ConvolutionOptions& options, int spatial) {
  Convolution problem;
  problem.way = way;
  problem.spatial = spatial;
  for (int d = 0; d < kMaxSpatial; ++d) {
    problem.stride[d] = d < spatial ? options.stride[d] : 1;
    problem.before[d] = d < spatial ? options.before[d] : 0;
    problem.after[d] = d < spatial ? options.after[d] : 0;
    problem.dilation[d] = d < spatial ? options.dilation[d] : 1;
  }
  problem.groups = options.groups;
  problem.activation = options.activation;
  problem.allow_tf32 = options.allow_tf32;
  problem.deterministic = options.deterministic;
  return problem;
}

Status submit_convolution(const Convolution& problem, Output& out, const Describe& describe) {
  if (problem.out().elements() == 0) return submit_nothing(problem.name(), problem, {&out}, describe);
  Engine& engine = problem.out().engine();
  return problem.out().device().is_host() ? submit(engine, make_cpu_convolution(problem), {&out}, describe)
                                          : submit_prepared(engine, make_cuda_convolution(problem), {&out}, describe);
}

}  // namespace

const char* Convolution::name() const {
  static const char* const names[] = {"convolution", "convolution_data", "convolution_filter_grad"};
  return names[static_cast<int>(way)];
}

void Convolution::declare(Task& task) const {
  for (const View* view : {&first(), &second(), &scale, &bias, &residual})
    if (view->storage) task.reads(*view->storage);
  declare_output(task, out());
}

void Convolution::list_operands(std::vector<TaskOperand>* list) const {
  for (const View* view : {&first(), &second(), &scale, &bias, &residual})
    if (view->storage) list->push_back({*view, false});
  list->push_back({out(), true});
}

Status infer(const ConvolutionCall& call, InputTypes inputs, ResultTypes results) {
  const View &x = *inputs[0], &w = *inputs[1];
  const ConvolutionOptions& options = call.options;
  RONDO_TRY(check_pair({"x", &x}, {"w", &w}));
  const int spatial = x.layout.ndim - 2;
  RONDO_TRY(check_options(spatial, options));
  const int64_t* of_x = x.layout.shape;
  const int64_t* of_w = w.layout.shape;
  Layout shape = x.layout;
  if (options.transposed) {
    if (of_x[1] != of_w[0])
      return error(RONDO_INVALID_ARGUMENT,
                   "x %s has %lld channels but w %s has %lld; transposed, w is [c, k / groups, ...]",
                   shape_text(x.layout).c_str(), printable(of_x[1]), shape_text(w.layout).c_str(), printable(of_w[0]));
    RONDO_TRY(divides("the number of channels of x", of_x[1], options.groups));
    if (__builtin_mul_overflow(of_w[1], options.groups, &shape.shape[1]))
      return error(RONDO_INVALID_ARGUMENT, "w %s for %lld groups has more channels than 63 bits count",
                   shape_text(w.layout).c_str(), printable(options.groups));
  } else {
    if (of_x[1] % options.groups != 0 || of_x[1] / options.groups != of_w[1])
      return error(RONDO_INVALID_ARGUMENT,
                   "x %s has %lld channels but w %s is for %lld in each of %lld groups; w is [k, c / groups, ...]",
                   shape_text(x.layout).c_str(), printable(of_x[1]), shape_text(w.layout).c_str(), printable(of_w[1]),
                   printable(options.groups));
    RONDO_TRY(divides("the number of kernels, the first size of w", of_w[0], options.groups));
    shape.shape[1] = of_w[0];
  }
  for (int d = 0; d < spatial; ++d)
    RONDO_TRY(infer_axis("x", options, d, of_x[2 + d], of_w[2 + d], &shape.shape[2 + d]));
  results[0].set(x.dtype, shape);
  return check_epilogue(
      x,
      {find_operand(call, inputs, "scale"), find_operand(call, inputs, "bias"), find_operand(call, inputs, "residual")},
      shape);
}

// The kernel's sizes are attributes: several kernels make the same result.
Status infer(const ConvolutionFilterGradCall& call, InputTypes inputs, ResultTypes results) {
  const View &x = *inputs[0], &dy = *inputs[1];
  const ConvolutionOptions& options = call.options;
  RONDO_TRY(check_pair({"x", &x}, {"dy", &dy}));
  const int spatial = x.layout.ndim - 2;
  RONDO_TRY(check_options(spatial, options));
  RONDO_TRY(divides("the number of channels of x", x.layout.shape[1], options.groups));
  RONDO_TRY(divides("the number of channels of dy", dy.layout.shape[1], options.groups));
  const bool back = options.transposed;
  Layout made = x.layout, expected = x.layout;
  made.shape[0] = (back ? x : dy).layout.shape[1];
  made.shape[1] = (back ? dy : x).layout.shape[1] / options.groups;
  expected.shape[1] = dy.layout.shape[1];
  for (int d = 0; d < spatial; ++d) {
    made.shape[2 + d] = call.kernel[d];
    RONDO_TRY(infer_axis("x", options, d, x.layout.shape[2 + d], call.kernel[d], &expected.shape[2 + d]));
  }
  if (!dy.layout.same_shape(expected))
    return error(RONDO_INVALID_ARGUMENT, "dy is %s; with x %s and these options the result is %s",
                 shape_text(dy.layout).c_str(), shape_text(x.layout).c_str(), shape_text(expected).c_str());
  results[0].set(x.dtype, made);
  return {};
}

bool is_depthwise(const Convolution& problem) {
  constexpr int64_t kMostTaps = 64, kMostReach = 32;
  const Layout& filter = problem.filter.layout;
  if (problem.way == ConvolutionWay::filter || filter.shape[1] != 1 || filter.shape[0] != problem.groups) return false;
  int64_t taps = 1;
  for (int d = 0; d < problem.spatial; ++d) {
    const int64_t own = filter.shape[2 + d];
    taps *= own;
    if (taps > kMostTaps || (own - 1) * problem.dilation[d] >= kMostReach || problem.stride[d] > kMostReach)
      return false;
    if (problem.way == ConvolutionWay::data && problem.stride[d] != 1) return false;
  }
  return true;
}

Status pose_convolution(const View& x, const View& w, const ConvolutionOptions& options,
                        const ConvolutionEpilogue& epilogue, Output& out, Convolution* posed) {
  SmallVector<NamedView, 5> inputs;
  inputs.push_back({"x", &x});
  inputs.push_back({"w", &w});
  if (epilogue.scale) inputs.push_back({"options->scale", epilogue.scale});
  if (epilogue.bias) inputs.push_back({"options->bias", epilogue.bias});
  if (epilogue.residual) inputs.push_back({"options->residual", epilogue.residual});
  RONDO_TRY(check_inputs(std::span(inputs.begin(), inputs.size())));
  SmallVector<const View*, 5> views;
  for (const NamedView& input : inputs) views.push_back(input.view);
  const InputTypes all(views.begin(), views.size());
  ResultType made;
  RONDO_TRY(infer_one(call_of(options, epilogue), all, &made));
  const Layout& shape = made.shape;
  const int spatial = x.layout.ndim - 2;

  Convolution problem =
      problem_of(options.transposed ? ConvolutionWay::data : ConvolutionWay::forward, options, spatial);
  problem.filter = w;
  (options.transposed ? problem.result : problem.image) = x;
  if (epilogue.scale) problem.scale = *epilogue.scale;
  if (epilogue.bias) problem.bias = *epilogue.bias;
  if (epilogue.residual) problem.residual = *epilogue.residual;
  RONDO_TRY(out.resolve_as(x, shape, all, options.transposed ? &problem.image : &problem.result));
  *posed = problem;
  return {};
}

Status convolution(const View& x, const View& w, const ConvolutionOptions& options, const ConvolutionEpilogue& epilogue,
                   Output& out) {
  Convolution problem;
  RONDO_TRY(pose_convolution(x, w, options, epilogue, out, &problem));
  return submit_convolution(problem, out, [&] { return Call{call_of(options, epilogue)}; });
}

Status pose_filter_grad(const View& x, const View& dy, int n, const int64_t* kernel, const ConvolutionOptions& options,
                        Output& out, Convolution* posed) {
  RONDO_TRY(check_inputs({{"x", &x}, {"dy", &dy}}));
  RONDO_TRY(check_pair({"x", &x}, {"dy", &dy}));
  const int spatial = x.layout.ndim - 2;
  if (n != spatial)
    return error(RONDO_INVALID_ARGUMENT,
                 "n is %d; x %s has %d spatial axes, which is how many sizes kernel_shape must have", n,
                 shape_text(x.layout).c_str(), spatial);
  ConvolutionFilterGradCall call{options, {}};
  std::copy_n(kernel, n, call.kernel);
  const View* views[] = {&x, &dy};
  ResultType made;
  RONDO_TRY(infer_one(call, views, &made));
  const View &image = options.transposed ? dy : x, &result = options.transposed ? x : dy;
  Convolution problem = problem_of(ConvolutionWay::filter, options, spatial);
  problem.image = image;
  problem.result = result;
  RONDO_TRY(out.resolve_as(x, made.shape, views, &problem.filter));
  *posed = problem;
  return {};
}

Status convolution_filter_grad(const View& x, const View& dy, int n, const int64_t* kernel,
                               const ConvolutionOptions& options, Output& out) {
  Convolution problem;
  RONDO_TRY(pose_filter_grad(x, dy, n, kernel, options, out, &problem));
  return submit_convolution(problem, out, [&] { return filter_grad_call(options, n, kernel); });
}

// Its operands are the image and the result, whichever of x and dy those are: it has no way round.
Call filter_grad_call(const ConvolutionOptions& options, int n, const int64_t* kernel) {
  ConvolutionFilterGradCall call{options, {}};
  call.options.transposed = false;
  std::fill_n(call.options.output_padding, kMaxSpatial, 0);
  std::copy_n(kernel, n, call.kernel);
  return {call};
}

ConvolutionOptions reversed(const ConvolutionOptions& options, const Layout& x, const Layout& w, const Layout& result) {
  ConvolutionOptions back = options;
  back.activation = RONDO_ACTIVATION_NONE;
  back.transposed = !options.transposed;
  for (int d = 0; d < kMaxSpatial; ++d) {
    back.output_padding[d] = 0;
    if (!back.transposed || d + 2 >= x.ndim) continue;
    const int64_t least = (result.shape[2 + d] - 1) * options.stride[d] - options.before[d] - options.after[d] +
                          options.dilation[d] * (w.shape[2 + d] - 1) + 1;
    back.output_padding[d] = x.shape[2 + d] - least;
  }
  return back;
}

}  // namespace rondo::ops
