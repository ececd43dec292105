// Plans windows over images, and launches their kernel on a GPU or their loops on the host.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/image/window.h"
#include "ops/task/cuda_kernel.h"
#include "ops/task/kernel_task.h"
#include "rtc/device_text.h"

namespace rondo::ops {

namespace {

using device::kWindowArrays;
using device::kWindowImage;
using device::kWindowPlaces;
using device::kWindowResult;

// How many neighbours in the innermost dimension around the windows a lane takes: those that lie side by side in every
// array, where every window begins at a multiple.
int widest_vector(const WindowPlan& plan) {
  const device::WindowArguments& arguments = plan.arguments;
  if (plan.inner == 0) return 1;
  const View* const views[kWindowArrays] = {&plan.image, &plan.result, plan.places ? &*plan.places : nullptr};
  const auto fits = [&](int array, int64_t vector) {
    const View* view = views[array];
    if (!view) return true;
    const int64_t bytes = vector * static_cast<int64_t>(dtype_size(view->dtype));
    if (bytes > 16 || alignment_of(*view, 16) < bytes) return false;
    for (int d = 0; d < plan.inner; ++d)
      if (d == plan.inner - 1 ? arguments.inner.stride[array][d] != 1 || arguments.inner.size[d] % vector != 0
                              : arguments.inner.stride[array][d] % vector != 0)
        return false;
    for (int d = 0; d < plan.outer; ++d)
      if (arguments.outer.stride[array][d] % vector != 0) return false;
    for (int a = 0; a < plan.axes; ++a) {
      const WindowAxis& axis = arguments.axis[a];
      const int64_t step = array == kWindowImage    ? axis.in_step
                           : array == kWindowResult ? axis.out_step
                                                    : axis.place_step;
      if (step % vector != 0) return false;
    }
    return true;
  };
  for (int vector = 8; vector > 1; vector /= 2)
    if (fits(kWindowImage, vector) && fits(kWindowResult, vector) && fits(kWindowPlaces, vector)) return vector;
  return 1;
}

// True if all windows are of a size, and of neighbours.
bool is_dense(const WindowPlan& plan) {
  const WindowAxis* const axes = plan.arguments.axis;
  return std::all_of(axes, axes + plan.axes,
                     [](const WindowAxis& axis) { return axis.rule == WindowRule::fixed && axis.dilation == 1; });
}

// The size of windows whose results lie side by side as their elements do, if lanes take some of them; else 0.
int size_along(const WindowPlan& plan, int64_t vector) {
  constexpr int64_t kMostSize = 16;
  const WindowAxis& axis = plan.arguments.axis[0];
  const bool along = plan.kind == WindowKind::combine && plan.axes == 1 && plan.inner == 0 && is_dense(plan) &&
                     axis.stride == 1 && axis.in_step == 1 && axis.out_step == 1 && axis.size <= kMostSize;
  if (!along || axis.out % vector != 0 || alignment_of(plan.result, 16) < 16) return 0;
  for (int d = 0; d < plan.outer; ++d)
    if (plan.arguments.outer.stride[kWindowResult][d] % vector != 0) return 0;
  return static_cast<int>(axis.size);
}

constexpr const char* kText = R"(
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const WindowArguments args) {
  const Index i = static_cast<Index>(blockIdx.x) * 256 + threadIdx.x;
  using Kernel = WindowKernel<Element, Place, Index, static_cast<WindowKind>(kKind), kAxes, kOuter, kInner, kVector, (kDense != 0), kSize>;
  if (i >= args.count) return;
  if constexpr (kSize > 0)
    Kernel{args}.run_along(i);
  else
    Kernel{args}.run(i);
}
)";

class CudaWindow final : public KernelTask {
 public:
  explicit CudaWindow(const WindowPlan& plan)
      : KernelTask(plan.name, plan.written().device()), plan_(plan), arguments_(plan.arguments) {
    plan.declare(*this);
    const int packed = 16 / static_cast<int>(dtype_size(plan.image.dtype)), size = size_along(plan, packed);
    const int vector = size > 0 ? packed : widest_vector(plan);
    device::WindowArguments& arguments = arguments_;
    if (size == 0) arguments.inner_count /= vector;
    arguments.count /= vector;
    KernelSpec spec(rtc::kWindow, 0, needs_wide(plan.reach), name());
    spec.type("Element", plan.image.dtype).type("Place", plan.places ? plan.places->dtype : RONDO_U8);
    spec.constant("kKind", static_cast<int>(plan.kind)).constant("kAxes", plan.axes);
    spec.constant("kOuter", plan.outer).constant("kInner", plan.inner).constant("kVector", vector);
    spec.constant("kDense", is_dense(plan)).constant("kSize", size);
    add_launch(add_kernel(spec.text({rtc::kWindowText, kText})), arguments, blocks_for(arguments.count, kThreads));
    add_address(&arguments.image, plan.image);
    add_address(&arguments.result, plan.result);
    if (plan.places) add_address(&arguments.places, *plan.places);
  }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CudaWindow>(memory.moved(plan_)); }

 private:
  const WindowPlan plan_;
  device::WindowArguments arguments_;  // with addresses
};

}  // namespace

void WindowPlan::arrange(const Windows& windows) {
  const bool has_places = places.has_value();
  const auto strides = [&](int d, int64_t(&steps)[kWindowArrays]) {
    steps[kWindowImage] = image.layout.strides[d];
    steps[kWindowResult] = result.layout.strides[d];
    steps[kWindowPlaces] = has_places ? places->layout.strides[d] : 0;
  };
  axes = windows.count;
  int64_t count = 1, inner_count = 1, innermost = INT64_MAX;
  reach = 1;
  for (int a = 0; a < kMostSpatial; ++a) {
    WindowAxis& axis = arguments.axis[a];
    axis = windows.axis[a];
    if (a >= axes) {
      axis = {};
      axis.in = axis.out = axis.size = axis.stride = axis.dilation = 1;
      continue;
    }
    int64_t steps[kWindowArrays];
    strides(windows.first + a, steps);
    axis.in_step = steps[kWindowImage];
    axis.out_step = steps[kWindowResult];
    axis.place_step = steps[kWindowPlaces];
    count *= back() ? axis.in : axis.out;
    if (axis.in > 1) innermost = std::min(innermost, std::abs(written().layout.strides[windows.first + a]));
    const int64_t most = std::max<int64_t>({axis.in, axis.out * axis.stride + axis.size * axis.dilation, axis.out});
    reach += most * std::max({std::abs(steps[0]), std::abs(steps[1]), std::abs(steps[2]), int64_t{1}});
  }
  // Elements that are closer together in memory than those of a window go to neighbouring lanes.
  Dims<kWindowArrays> around, within;
  for (int d = 0; d < image.layout.ndim; ++d) {
    if (d >= windows.first && d < windows.first + axes) continue;
    int64_t steps[kWindowArrays];
    strides(d, steps);
    const bool close = std::abs(written().layout.strides[d]) < innermost;
    (close ? within : around).push(image.layout.shape[d], {steps[0], steps[1], steps[2]});
    count *= image.layout.shape[d];
    if (close) inner_count *= image.layout.shape[d];
  }
  outer = around.count;
  inner = within.count;
  arguments.outer = KernelDims<kWindowArrays>(around);
  arguments.inner = KernelDims<kWindowArrays>(within);
  arguments.inner_count = inner_count;
  arguments.count = count;
  arguments.accumulate = written().accumulate;
  for (int a = 0; a < kWindowArrays; ++a) reach += around.reach(a) + within.reach(a);
  reach = std::max(reach, count);
}

void WindowPlan::declare(Task& task) const {
  if (kind == WindowKind::largest) {
    task.reads(*image.storage);
    if (places) declare_output(task, *places);
  } else {
    task.reads(*(back() ? result : image).storage);
    if (places) task.reads(*places->storage);
  }
  declare_output(task, written());
}

void WindowPlan::list_operands(std::vector<TaskOperand>* list) const {
  const bool makes_places = kind == WindowKind::largest;
  list->push_back({back() ? result : image, false});
  if (places && !makes_places) list->push_back({*places, false});
  list->push_back({written(), true});
  if (places && makes_places) list->push_back({*places, true});
}

Ref<OperatorTask> make_cuda_window(const WindowPlan& plan) {
  return make_ref<CudaWindow>(plan);
}

}  // namespace rondo::ops
