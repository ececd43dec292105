// Convolutions by cuDNN. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/convolution_cudnn.h"

#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "ops/activation.h"
#include "ops/cuda_kernel.h"
#include "ops/cudnn_choice.h"
#include "ops/cudnn_pair.h"

namespace rondo::ops {

namespace {

constexpr int64_t kAlignment = 16;
constexpr float kWorthIt = 0.98f;  // of the time one after the other: below lies what a measurement can be wrong by

bool have_cudnn() {
  static const bool found = [] {
    const Status status = cuda::cudnn().open();
    if (!status.ok())
      log(RONDO_LOG_WARNING, "convolution: cuDNN cannot be used, convolutions on GPUs go to Rondo's own kernels: %s",
          status.message());
    return status.ok();
  }();
  return found;
}

// Sizes and strides with two spatial axes at least: one alone gets another, of size 1, in front.
bool describe(const View& view, dnn::Operand* operand) {
  const Layout& layout = view.layout;
  const int missing = layout.ndim == 3 ? 1 : 0;
  for (int i = 0; i < layout.ndim + missing; ++i) {
    const int from = i < 2 ? i : i - missing;
    const bool added = missing && i == 2;
    operand->size[i] = added ? 1 : layout.shape[from];
    operand->stride[i] = added ? 1 : layout.strides[from];
    if (operand->size[i] < 1 || (operand->size[i] > 1 && operand->stride[i] < 1)) return false;
  }
  return !layout.repeats() && alignment_of(view, kAlignment) >= kAlignment;
}

// Whether channels lie innermost; 0: the sizes leave that open.
int channels_last(const dnn::Operand& operand, int dims) {
  int64_t places = 1;
  for (int i = 2; i < dims; ++i) places *= operand.size[i];
  if (operand.size[1] == 1 || places == 1) return 0;
  return operand.stride[1] == 1 ? 1 : -1;
}

// Axes of size 1 have any stride in a view; the library wants those of packed memory.
void fill_in(int64_t* stride, const int64_t* size, int dims, bool last) {
  int order[5] = {};
  int count = 0;
  if (last) order[count++] = 1;
  for (int i = dims; i-- > 2;) order[count++] = i;
  if (!last) order[count++] = 1;
  order[count++] = 0;
  int64_t step = 1;
  for (int i = 0; i < count; ++i) {
    const int axis = order[i];
    if (size[axis] == 1) stride[axis] = step;
    step = stride[axis] * size[axis];
  }
}

bool is_packed(const dnn::Operand& operand, int dims) {
  int64_t elements = 1, last = 0;
  for (int i = 0; i < dims; ++i) {
    elements *= operand.size[i];
    last += (operand.size[i] - 1) * operand.stride[i];
  }
  return last + 1 == elements;
}

// The problem in cuDNN's words. False where it has none, or where what it does is not what is promised: sums are
// rounded once, so of 16 bits an activation other than limits, which follow a rounding as well, is not for it. Of f32,
// every activation may follow.
bool pose(const cuda::CudaDevice& device, const Convolution& c, dnn::Problem* p) {
  const rondo_dtype dtype = c.dtype();
  const bool relu = c.activation == RONDO_ACTIVATION_RELU;
  if (c.has_epilogue() && (c.way != ConvolutionWay::forward || dtype == RONDO_F64 || c.out().accumulate)) return false;
  if (c.scale.storage || (c.activation != RONDO_ACTIVATION_NONE && !only_limits(c.activation) && is_half(dtype)))
    return false;
  p->way = static_cast<int32_t>(c.way);
  p->dtype = dtype;
  p->device = device.id().index;
  p->spatial = std::max(c.spatial, 2);
  const int dims = p->spatial + 2;
  if (!describe(c.image, &p->image) || !describe(c.filter, &p->filter) || !describe(c.result, &p->result)) return false;
  int order = 0;
  for (const dnn::Operand* each : {&p->image, &p->result, &p->filter})
    if (order == 0) order = channels_last(*each, dims);
  const bool last = order >= 0;
  for (dnn::Operand* each : {&p->image, &p->filter, &p->result}) fill_in(each->stride, each->size, dims, last);
  for (int i = 0; i < p->spatial; ++i) {
    const int from = i - (p->spatial - c.spatial);
    p->stride[i] = from < 0 ? 1 : c.stride[from];
    p->dilation[i] = from < 0 ? 1 : c.dilation[from];
    p->before[i] = from < 0 ? 0 : c.before[from];
    p->after[i] = from < 0 ? 0 : c.after[from];
    if (p->before[i] < 0 || p->after[i] < 0) return false;
  }
  if (c.residual.storage) {
    dnn::Operand residual;
    if (c.residual.dtype != dtype || !describe(c.residual, &residual)) return false;
    fill_in(residual.stride, residual.size, dims, last);
    if (c.bias.storage) {
      std::copy_n(residual.stride, 5, p->residual_stride);
      p->residual = 1;
    } else {  // a residual alone is no pattern that is compiled ahead: it is put where the sum then is added to it
      if (!std::equal(residual.stride, residual.stride + dims, p->result.stride) || !is_packed(p->result, dims))
        return false;
      p->beta = 1;
    }
  }
  if (c.bias.storage) {
    if (c.bias.dtype != dtype || (c.bias.layout.shape[0] > 1 && c.bias.layout.strides[0] != 1) ||
        alignment_of(c.bias, kAlignment) < kAlignment)
      return false;
    p->bias = 1;
  }
  // A ReLU alone behind the sum is no such pattern either.
  p->relu = relu && p->bias;
  if (c.out().accumulate) p->beta = 1;
  p->tf32 = c.allow_tf32 && dtype == RONDO_F32;
  p->deterministic = c.deterministic;
  return true;
}
static_assert(static_cast<int>(ConvolutionWay::forward) == dnn::kForward &&
              static_cast<int>(ConvolutionWay::data) == dnn::kData &&
              static_cast<int>(ConvolutionWay::filter) == dnn::kFilter);

class CudnnConvolution final : public ConvolutionPlan {
 public:
  CudnnConvolution(const dnn::Choice& choice, bool leaves_activation)
      : choice_(choice), workspace_bytes_(choice.plan()->workspace_bytes()), leaves_activation_(leaves_activation) {}

  size_t workspace_bytes() const override { return workspace_bytes_; }
  bool capturable(const char** why) const override {
    if (!choice_.capturable()) *why = "no engine of cuDNN for this convolution can be captured";
    return choice_.capturable();
  }
  bool leaves_activation() const override { return leaves_activation_; }
  Status run(const Convolution& problem, const TaskContext& context) override {
    const auto address = [](const View& view) { return view.storage ? view.address() : nullptr; };
    auto& device = static_cast<cuda::CudaDevice&>(*context.device);
    if (problem.residual.storage && !problem.bias.storage) {
      RONDO_TRY(device.copy(CopyKind::device_to_device, problem.result.address(), problem.residual.address(),
                            problem.result.bytes(), context.stream));
    }
    const dnn::Addresses addresses = {address(problem.image), address(problem.filter), address(problem.result),
                                      address(problem.residual), address(problem.bias)};
    return choice_.run(device, addresses, context.workspace, workspace_bytes_, context.stream, context.capturing);
  }

 private:
  const dnn::Choice& choice_;
  const size_t workspace_bytes_;
  const bool leaves_activation_;
};

}  // namespace

Status find_cudnn_plan(cuda::CudaDevice& device, const Convolution& problem, std::unique_ptr<ConvolutionPlan>* plan) {
  plan->reset();
  dnn::Problem posed;
  if (!have_cudnn() || !pose(device, problem, &posed)) return {};
  const dnn::Choice* choice = nullptr;
  RONDO_TRY(dnn::find_choice(device, posed, &choice));
  if (!choice->plan() && posed.relu) {  // no engine with a ReLU that keeps NaN: the rest of it
    posed.relu = 0;
    RONDO_TRY(dnn::find_choice(device, posed, &choice));
  }
  const bool leaves_activation = problem.activation != RONDO_ACTIVATION_NONE && !posed.relu;
  if (choice->plan()) *plan = std::make_unique<CudnnConvolution>(*choice, leaves_activation);
  return {};
}

Status measure_side_by_side(cuda::CudaDevice& device, const Convolution& data, const Convolution& filter,
                            SideBySide* result) {
  *result = {};
  result->why_not = "not both are cuDNN's";
  dnn::Problem of_data, of_filter;
  if (!have_cudnn() || !pose(device, data, &of_data) || !pose(device, filter, &of_filter)) return {};
  const dnn::Choice* first = nullptr;
  const dnn::Choice* second = nullptr;
  RONDO_TRY(dnn::find_choice(device, of_data, &first));
  RONDO_TRY(dnn::find_choice(device, of_filter, &second));
  if (!first->plan() || !second->plan()) return {};
  dnn::PairTimes times;
  RONDO_TRY(dnn::time_pair(device, {of_data, first}, {of_filter, second}, &times));
  result->one_by_one_us = times.one_by_one_us;
  result->side_by_side_us = times.side_by_side_us;
  result->why_not = times.why_not;
  result->faster = times.side_by_side_us > 0 && times.side_by_side_us < times.one_by_one_us * kWorthIt;
  return {};
}

}  // namespace rondo::ops
