// Checks pooling and resizing, computes their windows, and tells tapes about them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/image/window.h"

#include "ops/task/nothing.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

Status check_image(const View& a, int n) {
  RONDO_TRY(check_inputs({{"a", &a}}));
  if (!is_float(a.dtype))
    return error(RONDO_INVALID_ARGUMENT, "a has dtype %s; a float dtype is needed (rondo_cast makes it)",
                 dtype_name(a.dtype));
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

Status submit_window(const WindowPlan& plan, std::initializer_list<Output*> outputs, const Describe& describe) {
  Engine& engine = plan.written().engine();
  if (plan.arguments.count == 0) return submit_nothing(plan.name, plan, outputs, describe);
  return plan.written().device().is_host() ? submit(engine, make_cpu_window(plan), outputs, describe)
                                           : submit_prepared(engine, make_cuda_window(plan), outputs, describe);
}

}  // namespace

Status window_combine(const char* name, const Windows& windows, const View& a, Output& out) {
  WindowPlan plan;
  plan.name = name;
  plan.kind = WindowKind::combine;
  plan.image = a;
  const View* const inputs[] = {&a};
  RONDO_TRY(out.resolve_as(a, windows.result_shape(a.layout), inputs, &plan.result));
  plan.arrange(windows);
  return submit_window(plan, {&out}, [&] { return Call{WindowCall{windows, false, false, a.layout}}; });
}

Status window_largest(const char* name, const Windows& windows, const View& a, Output& out, Output* places) {
  WindowPlan plan;
  plan.name = name;
  plan.kind = WindowKind::largest;
  plan.image = a;
  const View* const inputs[] = {&a};
  RONDO_TRY(out.resolve_as(a, windows.result_shape(a.layout), inputs, &plan.result));
  const auto call = [&] { return Call{WindowCall{windows, true, places != nullptr, a.layout}}; };
  if (!places) {
    plan.arrange(windows);
    return submit_window(plan, {&out}, call);
  }
  View like = plan.result;
  like.dtype = windows.place_dtype();
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
  const View* const inputs[] = {&dy};
  RONDO_TRY(out.resolve_as(dy, shape, inputs, &plan.image));
  plan.arrange(windows);
  return submit_window(plan, {&out}, [&] {
    return Call{WindowGradCall{{windows, places != nullptr, places != nullptr, shape}}};
  });
}

Status window_pick(const char* name, const Windows& windows, const View& a, const View& places, Output& out) {
  WindowPlan plan;
  plan.name = name;
  plan.kind = WindowKind::pick;
  plan.image = a;
  plan.places = places;
  const View* const inputs[] = {&a};
  RONDO_TRY(out.resolve_as(a, windows.result_shape(a.layout), inputs, &plan.result));
  plan.arrange(windows);
  return submit_window(plan, {&out}, [&] { return Call{WindowPickCall{windows, a.layout}}; });
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
    axis.out = room / axis.stride + 1;
    if (options.ceil_mode) {
      axis.out = (room + axis.stride - 1) / axis.stride + 1;
      if ((axis.out - 1) * axis.stride >= axis.in + axis.padding) --axis.out;
    }
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
    // The size of the largest part: parts begin and end at most one place from where they would.
    axis.size = axis.in % axis.out == 0 ? axis.in / axis.out : axis.in / axis.out + 2;
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
    constexpr int64_t most = int64_t{1} << 30;  // products of two sizes are exact
    RONDO_TRY(check_number("sizes", i, sizes[i], 1, most));
    RONDO_TRY(check_number("the spatial size of a", i, a.layout.shape[2 + i], 1, most));
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
