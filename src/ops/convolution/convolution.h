// Declares the internals of convolutions. Each of the three ways makes one of image, filter and result from the others:
//   result[n, k, o] = sum over c, r of image[n, c, o stride + r dilation - before] filter[k, c, r]
// forward writes the result, data the image (the gradient of the data, or a transposed convolution), filter the filter.
// So gradients of convolutions are convolutions, of any order.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ops/operators/convolution_options.h"
#include "ops/operators/element.h"
#include "ops/ops.h"
#include "ops/program/kinds.h"
#include "ops/program/operator_task.h"

namespace rondo::ops {

// The operands of the steps that follow the sum; null: none.
struct ConvolutionEpilogue {
  const View* scale = nullptr;
  const View* bias = nullptr;
  const View* residual = nullptr;
};

Status convolution(const View& x, const View& w, const ConvolutionOptions& options, const ConvolutionEpilogue& epilogue,
                   Output& out);
// The gradient of the filter. kernel: its spatial sizes. Transposed, the image is the result's gradient.
Status convolution_filter_grad(const View& x, const View& dy, int n, const int64_t* kernel,
                               const ConvolutionOptions& options, Output& out);
// Options with which a convolution the other way round gives a tensor of x's shape back from one of the result's.
ConvolutionOptions reversed(const ConvolutionOptions& options, const Layout& x, const Layout& w, const Layout& result);
// The same up to the task: checked, with the output resolved.
struct Convolution;
Status pose_convolution(const View& x, const View& w, const ConvolutionOptions& options,
                        const ConvolutionEpilogue& epilogue, Output& out, Convolution* posed);
Status pose_filter_grad(const View& x, const View& dy, int n, const int64_t* kernel, const ConvolutionOptions& options,
                        Output& out, Convolution* posed);
// The call by which a tape knows a gradient of the filter.
Call filter_grad_call(const ConvolutionOptions& options, int n, const int64_t* kernel);
// Both gradients of one convolution, before its scale, bias, residual and activation.
Status convolution_gradients(const View& x, const View& w, const View& dy, const ConvolutionOptions& options,
                             Output& dx, Output& dw);

enum class ConvolutionWay : uint8_t { forward, data, filter };

// When a device sees one, what it writes has elements, shapes fit and kernels have a size; there may be nothing to sum.
struct Convolution {
  ConvolutionWay way = ConvolutionWay::forward;
  View image;   // [n, c, spatial...]
  View filter;  // [k, c / groups, kernel...]
  View result;  // [n, k, spatial...]
  int spatial = 0;
  int64_t stride[kMaxSpatial], before[kMaxSpatial], after[kMaxSpatial], dilation[kMaxSpatial];
  int64_t groups = 1;
  View scale, bias, residual;  // storage null: none. Not of way filter
  rondo_activation activation = RONDO_ACTIVATION_NONE;
  bool allow_tf32 = false, deterministic = false;

  const View& out() const {
    return way == ConvolutionWay::forward ? result : way == ConvolutionWay::data ? image : filter;
  }
  // The two that are read, in the order of the operator's operands.
  const View& first() const { return way == ConvolutionWay::data ? result : image; }
  const View& second() const { return way == ConvolutionWay::filter ? result : filter; }
  rondo_dtype dtype() const { return image.dtype; }
  bool has_epilogue() const {
    return scale.storage || bias.storage || residual.storage || activation != RONDO_ACTIVATION_NONE;
  }
  void move_to(const Rebinding& memory) { memory.move_all(image, filter, result, scale, bias, residual); }
  const char* name() const;
  void declare(Task& task) const;
  void list_operands(std::vector<TaskOperand>* list) const;
};

// True if each group has one channel and one kernel, of few elements, and makes one product
// (convolution_products.h): a GPU makes these by a kernel of Rondo's.
bool is_depthwise(const Convolution& problem);

Ref<OperatorTask> make_cpu_convolution(const Convolution& problem);
Ref<OperatorTask> make_cuda_convolution(const Convolution& problem);

// A library's way of doing one problem, all of it, epilogue and accumulation included, but for an activation that it
// may leave. Belongs to a task; is run once or often, never twice at a time.
class ConvolutionPlan {
 public:
  ConvolutionPlan() = default;
  ConvolutionPlan(const ConvolutionPlan&) = delete;
  ConvolutionPlan& operator=(const ConvolutionPlan&) = delete;
  virtual ~ConvolutionPlan() = default;
  virtual size_t workspace_bytes() const = 0;
  virtual bool capturable(const char** why) const {
    (void)why;
    return true;
  }
  // True if the remaining steps are exact after the rounding of the sum.
  virtual bool leaves_activation() const { return false; }
  // A remark for reports; empty: none.
  virtual std::string remark() const { return {}; }
  virtual Status run(const Convolution& problem, const TaskContext& context) = 0;
};

}  // namespace rondo::ops
