// Declares the internals of pooling and resizing: windows over an image (rtc/device/window.h), as tasks and as
// operators that tapes note.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/pooling.h>

#include <optional>

#include "ops/operators/element.h"
#include "ops/operators/windows.h"
#include "ops/ops.h"
#include "ops/program/operator_task.h"
#include "rtc/device/window.h"

namespace rondo::ops {

struct WindowPlan {
  const char* name = nullptr;
  WindowKind kind = WindowKind::combine;
  View image, result;
  std::optional<View> places;
  device::WindowArguments arguments = {};  // but for addresses
  int axes = 0, outer = 0, inner = 0;
  int64_t reach = 0;  // of indices

  bool back() const { return kind == WindowKind::spread || kind == WindowKind::spread_one; }
  const View& written() const { return back() ? image : result; }
  void arrange(const Windows& windows);
  void move_to(const Rebinding& memory) { memory.move_all(image, result, places); }
  void declare(Task& task) const;
  void list_operands(std::vector<TaskOperand>* list) const;
};

Ref<OperatorTask> make_cpu_window(const WindowPlan& plan);
Ref<OperatorTask> make_cuda_window(const WindowPlan& plan);

// The image's mean or weighted sums; its largest elements, and where they are if `places` is given.
Status window_combine(const char* name, const Windows& windows, const View& a, Output& out);
Status window_largest(const char* name, const Windows& windows, const View& a, Output& out, Output* places = nullptr);
// The gradient of an image of a shape, like dy in its memory; places: of the largest.
Status window_spread(const char* name, const Windows& windows, const View& dy, const View* places, const Layout& shape,
                     Output& out);
// Picks the elements of an image at the places of another's largest.
Status window_pick(const char* name, const Windows& windows, const View& a, const View& places, Output& out);

// --- as the C API calls them (rondo/pooling.h)
Status pool(bool largest, const View& a, int n, const int64_t* kernel, const rondo_pool_options& options, Output& out);
Status adaptive_pool(bool largest, const View& a, int n, const int64_t* sizes, Output& out);
Status resize(const View& a, int n, const int64_t* sizes, rondo_resize_mode mode, rondo_resize_origin origin,
              Output& out);
Status local_response_norm(const View& a, int64_t size, double alpha, double beta, double k, Output& out);

}  // namespace rondo::ops
