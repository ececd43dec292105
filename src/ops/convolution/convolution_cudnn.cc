// Poses convolutions to cuDNN, and runs the plans that it has chosen for them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/convolution_cudnn.h"

#include <algorithm>
#include <cstring>

#include "engine/views.h"
#include "ops/convolution/convolution_packed.h"
#include "ops/convolution/cudnn_pair.h"
#include "ops/operators/activation.h"
#include "ops/task/cuda_kernel.h"

namespace rondo::ops {

namespace {

constexpr float kWorthIt = 0.98f;  // of the time one after the other: below lies what a measurement can be wrong by

// Packed, with two spatial axes at least: one alone gets another, of size 1, in front.
dnn::Operand describe(const Layout& shape, bool channels_last) {
  Layout wide = shape;
  if (shape.ndim == 3) {
    wide.ndim = 4;
    wide.shape[3] = shape.shape[2];
    wide.shape[2] = 1;
  }
  wide = packed_layout(wide, channels_last);
  dnn::Operand operand;
  std::copy_n(wide.shape, wide.ndim, operand.size);
  std::copy_n(wide.strides, wide.ndim, operand.stride);
  return operand;
}

// The scratch memory that the elements take, rounded up so that the memory after them is aligned.
size_t scratch_bytes(int64_t elements, rondo_dtype dtype) {
  return (static_cast<size_t>(elements) * dtype_size(dtype) + 255) / 256 * 256;
}

// The problem in cuDNN's words. False where it has none, or where what it does is not what is promised: sums are
// rounded once, so of 16 bits an activation other than limits, which follow a rounding as well, is not for it. With
// f32, every activation may follow.
bool pose(const Convolution& c, bool channels_last, dnn::Problem* p) {
  const rondo_dtype dtype = c.dtype();
  const bool relu = c.activation == RONDO_ACTIVATION_RELU;
  if (c.has_epilogue() && (c.way != ConvolutionWay::forward || c.out().accumulate)) return false;
  if (c.scale.storage || !library_may_end_with(false, c.bias.storage || c.residual.storage, c.activation, dtype))
    return false;
  for (const View* each : {&c.image, &c.filter, &c.result})
    if (each->elements() == 0) return false;
  p->way = static_cast<int32_t>(c.way);
  p->dtype = dtype;
  p->spatial = std::max(c.spatial, 2);
  p->image = describe(c.image.layout, channels_last);
  p->filter = describe(c.filter.layout, channels_last);
  p->result = describe(c.result.layout, channels_last);
  for (int i = 0; i < p->spatial; ++i) {
    const int from = i - (p->spatial - c.spatial);
    p->stride[i] = from < 0 ? 1 : c.stride[from];
    p->dilation[i] = from < 0 ? 1 : c.dilation[from];
    p->before[i] = from < 0 ? 0 : c.before[from];
    p->after[i] = from < 0 ? 0 : c.after[from];
    if (p->before[i] < 0 || p->after[i] < 0) return false;
  }
  // A residual alone is no pattern that is compiled ahead. With 16 bits, a bias of zeros makes it one; other residuals
  // are put where the sum is then added to them, which would round 16 bits twice.
  p->residual = c.residual.storage && (c.bias.storage || is_half(dtype));
  p->bias = c.bias.storage || p->residual;
  if (p->residual) std::copy_n(p->result.stride, 5, p->residual_stride);
  // A ReLU alone after the sum is no such pattern either.
  p->relu = relu && p->bias;
  p->beta = c.out().accumulate || (c.residual.storage && !p->residual);
  p->tf32 = c.allow_tf32 && dtype == RONDO_F32;
  p->deterministic = c.deterministic;
  return true;
}
static_assert(static_cast<int>(ConvolutionWay::forward) == dnn::kForward &&
              static_cast<int>(ConvolutionWay::data) == dnn::kData &&
              static_cast<int>(ConvolutionWay::filter) == dnn::kFilter);

class CudnnConvolution final : public ConvolutionPlan {
 public:
  CudnnConvolution(const dnn::Problem& posed, const dnn::Choice& choice, PackedOperands operands, size_t zeros_bytes,
                   bool leaves_activation)
      : posed_(posed),
        choice_(choice),
        operands_(std::move(operands)),
        zeros_bytes_(zeros_bytes),
        workspace_bytes_(choice.plan()->workspace_bytes()),
        leaves_activation_(leaves_activation) {}

  Status prepare(const Convolution& problem) { return operands_.prepare(problem); }
  size_t workspace_bytes() const override { return operands_.bytes() + zeros_bytes_ + workspace_bytes_; }
  bool capturable(const char** why) const override {
    if (!choice_.capturable()) *why = "no engine of cuDNN for this convolution can be captured";
    return choice_.capturable();
  }
  bool leaves_activation() const override { return leaves_activation_; }
  std::string remark() const override { return operands_.remark(); }
  Status run(const Convolution& problem, const TaskContext& context) override {
    auto& device = static_cast<cuda::CudaDevice&>(*context.device);
    // Copies of operands, a bias of zeros, the library's own.
    char* scratch = static_cast<char*>(context.workspace);
    RONDO_TRY(operands_.gather(context, scratch));
    const auto address = [&](PackedOperands::Which which) { return operands_.address(problem, which); };
    dnn::Addresses addresses = {address(PackedOperands::kImage), address(PackedOperands::kFilter),
                                address(PackedOperands::kResult), address(PackedOperands::kResidual),
                                address(PackedOperands::kBias)};
    scratch += operands_.bytes();
    if (zeros_bytes_) {
      addresses.bias = scratch;
      RONDO_TRY(device.fill_bytes(scratch, 0, zeros_bytes_, context.stream));
    } else if (problem.residual.storage && !problem.bias.storage) {
      RONDO_TRY(device.copy(CopyKind::device_to_device, addresses.result, addresses.residual, problem.result.bytes(),
                            context.stream));
    }
    scratch += zeros_bytes_;
    RONDO_TRY(choice_.run(device, dnn::pointers_of(posed_, addresses), scratch, workspace_bytes_, context.stream,
                          context.capturing));
    return operands_.scatter(context);
  }

 private:
  const dnn::Problem posed_;
  const dnn::Choice& choice_;
  PackedOperands operands_;
  const size_t zeros_bytes_, workspace_bytes_;
  const bool leaves_activation_;
};

// A convolution of few groups as one for each, on parts of the operands that are packed for it.
class GroupsApart final : public ConvolutionPlan {
 public:
  // False: it leaves more or less than those before it, or cannot be captured as they can.
  bool add(const Convolution& group, std::unique_ptr<ConvolutionPlan> plan) {
    const char* why = nullptr;
    if (!groups_.empty() &&
        (plan->leaves_activation() != leaves_activation() || plan->capturable(&why) != capturable(&why)))
      return false;
    bytes_ = std::max(bytes_, plan->workspace_bytes());
    groups_.push_back({group, std::move(plan)});
    return true;
  }
  size_t workspace_bytes() const override { return bytes_; }
  bool capturable(const char** why) const override { return groups_[0].plan->capturable(why); }
  bool leaves_activation() const override { return groups_[0].plan->leaves_activation(); }
  std::string remark() const override {
    const std::string copied = groups_[0].plan->remark();
    return "groups apart" + (copied.empty() ? "" : ", " + copied);
  }
  Status run(const Convolution&, const TaskContext& context) override {
    for (const Group& group : groups_) RONDO_TRY(group.plan->run(group.problem, context));
    return {};
  }

 private:
  struct Group {
    Convolution problem;
    std::unique_ptr<ConvolutionPlan> plan;
  };
  std::vector<Group> groups_;
  size_t bytes_ = 0;
};

// The library's engines for groups are made for many of them: for two with 2^24 multiplications or more they took 1.3
// to 47 times as long as those for one, on an H200.
bool is_faster_apart(const Convolution& problem) {
  constexpr int64_t kFewGroups = 4;
  // Without tensor cores one group alone leaves most of a GPU idle until there is more to do.
  const int64_t many = is_half(problem.dtype()) ? 1 << 24 : 1 << 27;
  if (problem.way != ConvolutionWay::forward || problem.groups == 1 || problem.groups > kFewGroups ||
      problem.dtype() == RONDO_F64)
    return false;
  const int64_t products = problem.filter.elements() / problem.groups;
  const int64_t places = problem.result.elements() / problem.filter.layout.shape[0];
  return static_cast<double>(products) * static_cast<double>(places) >= static_cast<double>(many);
}

// Makes the problem of one of the groups.
Status part_of(const Convolution& problem, int64_t group, Convolution* part) {
  *part = problem;
  part->groups = 1;
  const std::pair<View*, int> all[] = {
      {&part->image, 1}, {&part->filter, 0}, {&part->result, 1}, {&part->residual, 1}, {&part->bias, 0}};
  for (const auto& [view, axis] : all) {
    if (!view->storage) continue;
    const View whole = *view;
    const int64_t size = whole.layout.shape[axis] / problem.groups;
    RONDO_TRY(slice_view(whole, axis, group * size, (group + 1) * size, 1, view));
  }
  return {};
}

Status find_plan(cuda::CudaDevice& device, const Convolution& problem, std::unique_ptr<ConvolutionPlan>* plan) {
  PackedOperands operands(problem);
  // Rondo's own kernels copy nothing, so they are for what copies would be too large.
  const auto fits = [&](size_t more) {
    return operands.bytes() == 0 || operands.bytes() + more <= dnn::workspace_limit();
  };
  dnn::Problem posed;
  if (!dnn::available() || !pose(problem, operands.channels_last(), &posed) || !fits(0)) return {};
  const dnn::Choice* choice = nullptr;
  RONDO_TRY(dnn::find_choice(device, dnn::ConvolutionQuestion(posed), &choice));
  if (!choice->plan() && posed.relu) {  // no engine with a ReLU that keeps NaN: the rest of it
    posed.relu = 0;
    RONDO_TRY(dnn::find_choice(device, dnn::ConvolutionQuestion(posed), &choice));
  }
  if (!choice->plan() || !fits(choice->plan()->workspace_bytes())) return {};
  const bool leaves_activation = problem.activation != RONDO_ACTIVATION_NONE && !posed.relu;
  const bool zeros = posed.bias && !problem.bias.storage;
  const size_t zeros_bytes = zeros ? scratch_bytes(problem.result.layout.shape[1], problem.dtype()) : 0;
  auto made = std::make_unique<CudnnConvolution>(posed, *choice, std::move(operands), zeros_bytes, leaves_activation);
  RONDO_TRY(made->prepare(problem));
  *plan = std::move(made);
  return {};
}

}  // namespace

Status find_cudnn_plan(cuda::CudaDevice& device, const Convolution& problem, std::unique_ptr<ConvolutionPlan>* plan) {
  plan->reset();
  if (is_depthwise(problem)) return {};
  if (!is_faster_apart(problem)) return find_plan(device, problem, plan);
  auto apart = std::make_unique<GroupsApart>();
  for (int64_t i = 0; i < problem.groups; ++i) {
    Convolution part;
    std::unique_ptr<ConvolutionPlan> found;
    RONDO_TRY(part_of(problem, i, &part));
    RONDO_TRY(find_plan(device, part, &found));
    if (!found || !apart->add(part, std::move(found))) return find_plan(device, problem, plan);
  }
  *plan = std::move(apart);
  return {};
}

Status measure_side_by_side(cuda::CudaDevice& device, const Convolution& data, const Convolution& filter,
                            SideBySide* result) {
  *result = {};
  result->why_not = "not both are cuDNN's";
  dnn::Problem of_data, of_filter;
  if (is_depthwise(data) || !dnn::available() || !pose(data, PackedOperands(data).channels_last(), &of_data) ||
      !pose(filter, PackedOperands(filter).channels_last(), &of_filter))
    return {};
  const dnn::Choice* first = nullptr;
  const dnn::Choice* second = nullptr;
  RONDO_TRY(dnn::find_choice(device, dnn::ConvolutionQuestion(of_data), &first));
  RONDO_TRY(dnn::find_choice(device, dnn::ConvolutionQuestion(of_filter), &second));
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
