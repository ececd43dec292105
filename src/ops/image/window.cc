// Checks pooling and resizing, computes their windows, and tells tapes about them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/image/window.h"

#include "ops/program/infer.h"
#include "ops/task/nothing.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

Status check_image(const View& a, int n) {
  RONDO_TRY(check_inputs({{"a", &a}}));
  RONDO_TRY(check_float("a", a));
  if (n < 1 || n > kMostSpatial || a.layout.ndim != n + 2)
    return error(RONDO_INVALID_ARGUMENT, "n is %d and a has shape %s; [n, c] and n spatial axes, 1 to %d, are needed",
                 n, shape_text(a.layout).c_str(), kMostSpatial);
  for (int d = 2; d < a.layout.ndim; ++d)
    if (a.layout.shape[d] == 0)
      return error(RONDO_INVALID_ARGUMENT, "a has shape %s; its spatial axes must have elements",
                   shape_text(a.layout).c_str());
  return {};
}

// An entry of a list of numbers, one per spatial axis.
Status check_number(const char* name, int i, int64_t number, int64_t least, int64_t most) {
  if (number >= least && number <= most) return {};
  return error(RONDO_INVALID_ARGUMENT, "%s[%d] is %lld; %lld to %lld are possible", name, i,
               static_cast<long long>(number), static_cast<long long>(least), static_cast<long long>(most));
}

constexpr int64_t kMostWindowSize = int64_t{1} << 40;  // of a window, a stride, a result
constexpr int64_t kMostResized = int64_t{1} << 30;     // products of two sizes are exact

// How many results a fixed window has. up: one may begin in the image or its padding and end after it.
int64_t count_windows(const WindowAxis& axis, bool up) {
  const int64_t room = axis.in + axis.padding + axis.padding_end - (axis.size - 1) * axis.dilation - 1;
  if (room < 0) return 0;
  const int64_t count = (room + (up ? axis.stride - 1 : 0)) / axis.stride + 1;
  return up && (count - 1) * axis.stride >= axis.in + axis.padding ? count - 1 : count;
}
// The size of the largest part: parts begin and end at most one place from where they would.
int64_t size_of_parts(const WindowAxis& axis) {
  return axis.in % axis.out == 0 ? axis.in / axis.out : axis.in / axis.out + 2;
}

// True if pooling or resizing makes such windows.
bool is_possible(const WindowAxis& axis, bool largest) {
  const auto within = [](int64_t number, int64_t least, int64_t most) { return number >= least && number <= most; };
  if (!within(axis.in, 1, kMostWindowSize) || !within(axis.out, 1, kMostWindowSize)) return false;
  if (!within(axis.size, 1, kMostWindowSize) || !within(axis.stride, 1, kMostWindowSize)) return false;
  if (!within(axis.dilation, 1, kMostWindowSize / axis.size) || !within(axis.counts_padding, 0, 1)) return false;
  if (axis.rule == WindowRule::fixed) {
    const int64_t reach = (axis.size - 1) * axis.dilation;
    return axis.origin == device::WindowOrigin::half_pixel && (largest || axis.dilation == 1) &&
           within(axis.padding, 0, reach) && within(axis.padding_end, 0, reach) &&
           (axis.out == count_windows(axis, false) || axis.out == count_windows(axis, true));
  }
  if (axis.stride != 1 || axis.dilation != 1 || axis.padding != 0 || axis.padding_end != 0 || axis.counts_padding != 0)
    return false;
  if (axis.rule == WindowRule::adaptive)
    return axis.origin == device::WindowOrigin::half_pixel && axis.size == size_of_parts(axis);
  return !largest && within(static_cast<int>(axis.rule), 0, static_cast<int>(WindowRule::exact)) &&
         within(static_cast<int>(axis.origin), 0, static_cast<int>(device::WindowOrigin::asymmetric)) &&
         axis.size == 1 && axis.in <= kMostResized && axis.out <= kMostResized;
}

// Windows over an image of this shape. Those of gradients may count padding as those of their operators do.
Status check_windows(const Windows& windows, bool largest, const Layout& image) {
  if (windows.first < 0 || windows.count < 1 || windows.count > kMostSpatial ||
      windows.first > image.ndim - windows.count)
    return error(RONDO_INVALID_ARGUMENT, "windows over %d axes from %d on; an image of shape %s has not as many",
                 windows.count, windows.first, shape_text(image).c_str());
  for (int i = 0; i < windows.count; ++i) {
    const WindowAxis& axis = windows.axis[i];
    if (axis.in != image.shape[windows.first + i] || !is_possible(axis, largest))
      return error(RONDO_INVALID_ARGUMENT,
                   "windows along axis %d of an image of shape %s: in %lld, out %lld, size %lld, stride %lld, padding "
                   "%lld and %lld, dilation %lld do not go together",
                   windows.first + i, shape_text(image).c_str(), static_cast<long long>(axis.in),
                   static_cast<long long>(axis.out), static_cast<long long>(axis.size),
                   static_cast<long long>(axis.stride), static_cast<long long>(axis.padding),
                   static_cast<long long>(axis.padding_end), static_cast<long long>(axis.dilation));
  }
  return {};
}

Status submit_window(const WindowPlan& plan, std::initializer_list<Output*> outputs, const Describe& describe) {
  Engine& engine = plan.written().engine();
  if (plan.arguments.count == 0) return submit_nothing(plan.name, plan, outputs, describe);
  return plan.written().device().is_host() ? submit(engine, make_cpu_window(plan), outputs, describe)
                                           : submit_prepared(engine, make_cuda_window(plan), outputs, describe);
}

}  // namespace

Status infer(const WindowCall& call, InputTypes inputs, ResultTypes results) {
  const View& a = *inputs[0];
  RONDO_TRY(check_float("a", a));
  RONDO_TRY(check_type("a", a, a.dtype, call.image));
  RONDO_TRY(check_windows(call.windows, call.largest, a.layout));
  if (call.places && !call.largest)
    return error(RONDO_INVALID_ARGUMENT, "places is true; only the largest elements have places");
  const Layout shape = call.windows.result_shape(a.layout);
  results[0].set(a.dtype, shape);
  if (call.places) results[1].set(call.windows.place_dtype(), shape);
  return {};
}

Status infer(const WindowGradCall& call, InputTypes inputs, ResultTypes results) {
  const View& dy = *inputs[0];
  RONDO_TRY(check_float("dy", dy));
  RONDO_TRY(check_windows(call.windows, call.largest, call.image));
  if (call.places != call.largest)
    return error(RONDO_INVALID_ARGUMENT, "places is %d; the gradient of the largest elements, and no other, has them",
                 call.places);
  const Layout shape = call.windows.result_shape(call.image);
  RONDO_TRY(check_type("dy", dy, dy.dtype, shape));
  if (call.places) RONDO_TRY(check_type("places", *inputs[1], call.windows.place_dtype(), shape));
  results[0].set(dy.dtype, call.image);
  return {};
}

Status infer(const WindowPickCall& call, InputTypes inputs, ResultTypes results) {
  const View& a = *inputs[0];
  RONDO_TRY(check_float("a", a));
  RONDO_TRY(check_type("a", a, a.dtype, call.image));
  RONDO_TRY(check_windows(call.windows, true, a.layout));
  const Layout shape = call.windows.result_shape(a.layout);
  RONDO_TRY(check_type("places", *inputs[1], call.windows.place_dtype(), shape));
  results[0].set(a.dtype, shape);
  return {};
}

Status window_combine(const char* name, const Windows& windows, const View& a, Output& out) {
  WindowPlan plan;
  plan.name = name;
  plan.kind = WindowKind::combine;
  plan.image = a;
  const View* const inputs[] = {&a};
  const WindowCall call{windows, false, false, a.layout};
  ResultType made;
  RONDO_TRY(infer_one(call, inputs, &made));
  RONDO_TRY(out.resolve_as(a, made.shape, inputs, &plan.result));
  plan.arrange(windows);
  return submit_window(plan, {&out}, [&] { return Call{call}; });
}

Status window_largest(const char* name, const Windows& windows, const View& a, Output& out, Output* places) {
  WindowPlan plan;
  plan.name = name;
  plan.kind = WindowKind::largest;
  plan.image = a;
  const View* const inputs[] = {&a};
  const WindowCall of{windows, true, places != nullptr, a.layout};
  ResultType made[2];
  RONDO_TRY(infer(of, inputs, {made, places ? size_t{2} : size_t{1}}));
  RONDO_TRY(check_result("out", &made[0]));
  RONDO_TRY(out.resolve_as(a, made[0].shape, inputs, &plan.result));
  const auto call = [&] { return Call{of}; };
  if (!places) {
    plan.arrange(windows);
    return submit_window(plan, {&out}, call);
  }
  View like = plan.result;
  like.dtype = made[1].dtype;
  RONDO_TRY(places->resolve_as(like, like.layout, inputs, &plan.places.emplace()));
  plan.arrange(windows);
  return submit_window(plan, {&out, places}, call);
}

Status window_spread(const char* name, const Windows& windows, const View& dy, const View* places, const Layout& shape,
                     Output& out) {
  WindowPlan plan;
  plan.name = name;
  plan.kind = places ? WindowKind::spread_one : WindowKind::spread;
  plan.result = dy;
  if (places) plan.places = *places;
  const View* const inputs[] = {&dy, places};
  const WindowGradCall call{{windows, places != nullptr, places != nullptr, shape}};
  ResultType made;
  RONDO_TRY(infer_one(call, InputTypes(inputs, places ? 2 : 1), &made));
  RONDO_TRY(out.resolve_as(dy, made.shape, InputTypes(inputs, 1), &plan.image));
  plan.arrange(windows);
  return submit_window(plan, {&out}, [&] { return Call{call}; });
}

Status window_pick(const char* name, const Windows& windows, const View& a, const View& places, Output& out) {
  WindowPlan plan;
  plan.name = name;
  plan.kind = WindowKind::pick;
  plan.image = a;
  plan.places = places;
  const View* const inputs[] = {&a, &places};
  const WindowPickCall call{windows, a.layout};
  ResultType made;
  RONDO_TRY(infer_one(call, inputs, &made));
  RONDO_TRY(out.resolve_as(a, made.shape, InputTypes(inputs, 1), &plan.result));
  plan.arrange(windows);
  return submit_window(plan, {&out}, [&] { return Call{call}; });
}

Status pool(bool largest, const View& a, int n, const int64_t* kernel, const rondo_pool_options& options, Output& out) {
  RONDO_TRY(check_image(a, n));
  Windows windows;
  windows.count = n;
  for (int i = 0; i < n; ++i) {
    WindowAxis& axis = windows.axis[i];
    RONDO_TRY(check_number("kernel", i, kernel[i], 1, kMostWindowSize));
    RONDO_TRY(check_number("options->stride", i, options.stride[i], 0, kMostWindowSize));
    RONDO_TRY(check_number("options->dilation", i, options.dilation[i], 1, largest ? kMostWindowSize / kernel[i] : 1));
    const int64_t reach = (kernel[i] - 1) * options.dilation[i];
    RONDO_TRY(check_number("options->padding", i, options.padding[i], 0, reach));
    RONDO_TRY(check_number("options->padding_end", i, options.padding_end[i], -1, reach));
    axis.rule = WindowRule::fixed;
    axis.in = a.layout.shape[2 + i];
    axis.size = kernel[i];
    axis.stride = options.stride[i] ? options.stride[i] : kernel[i];
    axis.padding = options.padding[i];
    axis.padding_end = options.padding_end[i] < 0 ? axis.padding : options.padding_end[i];
    axis.dilation = options.dilation[i];
    axis.counts_padding = options.count_include_pad != 0;
    const int64_t room = axis.in + axis.padding + axis.padding_end - reach - 1;
    if (room < 0)
      return error(RONDO_INVALID_ARGUMENT, "kernel[%d] covers %lld places, but a has %lld there with its padding", i,
                   static_cast<long long>(reach + 1), static_cast<long long>(room + reach + 1));
    axis.out = count_windows(axis, options.ceil_mode != 0);
  }
  return largest ? window_largest("max_pool", windows, a, out) : window_combine("avg_pool", windows, a, out);
}

Status adaptive_pool(bool largest, const View& a, int n, const int64_t* sizes, Output& out) {
  RONDO_TRY(check_image(a, n));
  Windows windows;
  windows.count = n;
  for (int i = 0; i < n; ++i) {
    RONDO_TRY(check_number("sizes", i, sizes[i], 1, kMostWindowSize));
    WindowAxis& axis = windows.axis[i];
    axis.rule = WindowRule::adaptive;
    axis.in = a.layout.shape[2 + i];
    axis.out = sizes[i];
    axis.stride = axis.dilation = 1;
    axis.size = size_of_parts(axis);
  }
  return largest ? window_largest("adaptive_max_pool", windows, a, out)
                 : window_combine("adaptive_avg_pool", windows, a, out);
}

Status resize(const View& a, int n, const int64_t* sizes, rondo_resize_mode mode, rondo_resize_origin origin,
              Output& out) {
  RONDO_TRY(check_image(a, n));
  WindowRule rule;
  switch (mode) {
    case RONDO_RESIZE_NEAREST: rule = WindowRule::nearest; break;
    case RONDO_RESIZE_LINEAR: rule = WindowRule::linear; break;
    case RONDO_RESIZE_NEAREST_EXACT: rule = WindowRule::exact; break;
    default:
      return error(RONDO_INVALID_ARGUMENT,
                   "mode is %d; RONDO_RESIZE_NEAREST (%d), RONDO_RESIZE_LINEAR (%d) and "
                   "RONDO_RESIZE_NEAREST_EXACT (%d) are possible",
                   mode, RONDO_RESIZE_NEAREST, RONDO_RESIZE_LINEAR, RONDO_RESIZE_NEAREST_EXACT);
  }
  if (origin < RONDO_RESIZE_HALF_PIXEL || origin > RONDO_RESIZE_ASYMMETRIC)
    return error(RONDO_INVALID_ARGUMENT,
                 "origin is %d; RONDO_RESIZE_HALF_PIXEL (%d) to RONDO_RESIZE_ASYMMETRIC (%d) are possible", origin,
                 RONDO_RESIZE_HALF_PIXEL, RONDO_RESIZE_ASYMMETRIC);
  static_assert(static_cast<int>(device::WindowOrigin::align_corners) == RONDO_RESIZE_ALIGN_CORNERS &&
                static_cast<int>(device::WindowOrigin::asymmetric) == RONDO_RESIZE_ASYMMETRIC);
  Windows windows;
  windows.count = n;
  for (int i = 0; i < n; ++i) {
    RONDO_TRY(check_number("sizes", i, sizes[i], 1, kMostResized));
    RONDO_TRY(check_number("the spatial size of a", i, a.layout.shape[2 + i], 1, kMostResized));
    WindowAxis& axis = windows.axis[i];
    axis.rule = rule;
    axis.origin = static_cast<device::WindowOrigin>(origin);
    axis.in = a.layout.shape[2 + i];
    axis.out = sizes[i];
    axis.size = axis.stride = axis.dilation = 1;
  }
  return window_combine("resize", windows, a, out);
}

}  // namespace rondo::ops
