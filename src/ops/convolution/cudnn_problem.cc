// Describes convolutions to cuDNN as operation graphs, and refuses those that are known to end the process.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/cudnn_problem.h"

#include <algorithm>

#include "base/dtype.h"
#include "base/settings.h"
#include "base/text.h"
#include "ops/convolution/cudnn_trial.h"

namespace rondo::ops::dnn {

using namespace cuda;

namespace {

constexpr int64_t kImage = 1, kFilterId = 2, kResult = 3, kResidual = 4, kBias = 5, kFirstVirtual = 10;

// The attribute names of the same things in the three operations.
struct Names {
  cudnnBackendDescriptorType_t type;
  cudnnBackendAttributeName_t alpha, beta, convolution, filter, image, result;
};

Names names_of(int32_t way) {
  switch (way) {
    case kData:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY};
    case kFilter:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY};
    default:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y};
  }
}

Status set_scalar(Descriptor& descriptor, cudnnBackendAttributeName_t name, bool wide, double value) {
  const auto narrow = static_cast<float>(value);
  return wide ? descriptor.set(name, CUDNN_TYPE_DOUBLE, 1, &value) : descriptor.set(name, CUDNN_TYPE_FLOAT, 1, &narrow);
}

// If cuDNN 9 (seen on an H200) divides by zero while it proposes engines, or runs one that never ends, it is not asked:
// the process could not go on. All that were seen step in three dimensions, over a filter that leaves out some of the
// image, or adding in 16 bits.
bool is_deadly(const Problem& problem) {
  if (problem.way != kData || problem.spatial != 3) return false;
  bool leaves_out = false;
  for (int i = 0; i < 3; ++i) {
    if (problem.stride[i] == 1) return false;
    leaves_out |= problem.filter.size[i + 2] < problem.stride[i];
  }
  return leaves_out || (problem.beta && is_half(static_cast<rondo_dtype>(problem.dtype)));
}

Status add_pointwise(OperationGraph* graph, int mode, int precision, const Descriptor& x, const Descriptor* b,
                     const Descriptor& y) {
  Descriptor* what = nullptr;
  RONDO_TRY(graph->create(CUDNN_BACKEND_POINTWISE_DESCRIPTOR, &what));
  RONDO_TRY(what->set_enum(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode));
  RONDO_TRY(what->set_enum(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, precision));
  // Engines that do not mind it are found out when they are tried (Trial::keeps_nan).
  if (mode == CUDNN_POINTWISE_RELU_FWD)
    RONDO_TRY(what->set_enum(CUDNN_ATTR_POINTWISE_NAN_PROPAGATION, CUDNN_TYPE_NAN_PROPOGATION, CUDNN_PROPAGATE_NAN));
  RONDO_TRY(what->finalize());
  Descriptor* operation = nullptr;
  RONDO_TRY(graph->create(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, &operation));
  RONDO_TRY(operation->set_descriptor(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, *what));
  RONDO_TRY(operation->set_descriptor(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x));
  if (b) RONDO_TRY(operation->set_descriptor(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, *b));
  RONDO_TRY(operation->set_descriptor(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y));
  return graph->add_operation(*operation);
}

}  // namespace

std::string text_of(const Problem& problem) {
  constexpr const char* kWays[] = {"forward", "data gradient", "filter gradient"};
  const auto dims = static_cast<size_t>(problem.spatial) + 2, spatial = dims - 2;
  const auto list = [](const int64_t* values, size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += format(i ? ",%lld" : "%lld", static_cast<long long>(values[i]));
    return text;
  };
  std::string text = format("%s of %s", kWays[problem.way], dtype_name(static_cast<rondo_dtype>(problem.dtype)));
  const Operand* const operands[] = {&problem.image, &problem.filter, &problem.result};
  const char* const names[] = {"image", "filter", "result"};
  for (int i = 0; i < 3; ++i)
    text += format(", %s %s by %s", names[i], list(operands[i]->size, dims).c_str(),
                   list(operands[i]->stride, dims).c_str());
  text += ", steps " + list(problem.stride, spatial) + ", dilation " + list(problem.dilation, spatial) + ", padding " +
          list(problem.before, spatial) + " and " + list(problem.after, spatial);
  if (problem.residual) text += ", residual";
  if (problem.bias) text += ", bias";
  if (problem.relu) text += ", ReLU";
  if (problem.beta) text += ", added";
  return text;
}

Pointers pointers_of(const Problem& problem, const Addresses& addresses) {
  Pointers pointers;
  pointers.add(kImage, addresses.image);
  pointers.add(kFilterId, addresses.filter);
  pointers.add(kResult, addresses.result);
  if (problem.residual) pointers.add(kResidual, addresses.residual);
  if (problem.bias) pointers.add(kBias, addresses.bias);
  return pointers;
}

size_t workspace_limit() {
  static const auto bytes = static_cast<size_t>(setting_number(Setting::convolution_workspace_mb)) << 20;
  return bytes;
}

Promises ConvolutionQuestion::promises() const {
  const bool single = problem_.dtype == RONDO_F32;
  Promises promises{"convolution"};
  promises.tensor_cores = !single || problem_.tf32;
  promises.narrowed = single && problem_.tf32;
  promises.deterministic = problem_.deterministic;
  return promises;
}

size_t ConvolutionQuestion::workspace_limit() const {
  return dnn::workspace_limit();
}

long long ConvolutionQuestion::timing_us() const {
  return setting_number(Setting::trial_ms) * 1000;
}

// Engines of the kinds that were often seen to go wrong are not taken unseen.
bool ConvolutionQuestion::taken_unseen() const {
  const bool half = is_half(static_cast<rondo_dtype>(problem_.dtype));
  const bool grouped = problem_.way == kFilter && problem_.image.size[1] != problem_.filter.size[1] && half;
  return !problem_.relu && !(problem_.beta && half) && !grouped;
}

std::unique_ptr<Trial> ConvolutionQuestion::trial(CudaDevice& device) const {
  return std::make_unique<ConvolutionTrial>(device, problem_);
}

// Convolution, residual, bias, ReLU: in this order, with what lies between in the wide type, the library has engines
// that are compiled ahead. In any other it compiles for seconds.
Status ConvolutionQuestion::describe(OperationGraph* graph) const {
  if (is_deadly(problem_)) return error(RONDO_UNSUPPORTED, "cuDNN does not survive it");
  const Problem& p = problem_;
  const bool wide = p.dtype == RONDO_F64;
  const cudnnDataType_t type = data_type(p.dtype);
  const cudnnDataType_t compute = wide ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
  const auto spatial = static_cast<size_t>(p.spatial);

  Descriptor* convolution = nullptr;
  RONDO_TRY(graph->create(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, &convolution));
  RONDO_TRY(convolution->set_enum(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, compute));
  RONDO_TRY(
      convolution->set_enum(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION));
  RONDO_TRY(convolution->set_int64(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, p.spatial));
  RONDO_TRY(convolution->set_int64s(CUDNN_ATTR_CONVOLUTION_DILATIONS, {p.dilation, spatial}));
  RONDO_TRY(convolution->set_int64s(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, {p.stride, spatial}));
  RONDO_TRY(convolution->set_int64s(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, {p.before, spatial}));
  RONDO_TRY(convolution->set_int64s(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, {p.after, spatial}));
  RONDO_TRY(convolution->finalize());

  const auto add = [&](int64_t id, int dtype, const Operand& operand, bool is_virtual, const Descriptor** tensor) {
    return graph->add_tensor({id, dtype, {operand.size, spatial + 2}, {operand.stride, spatial + 2}, is_virtual},
                             tensor);
  };
  // The operations that follow, and with them the number of intermediate results.
  struct Step {
    int mode;
    const Descriptor* b;
  };
  std::vector<Step> steps;
  const Descriptor* b = nullptr;
  if (p.residual) {
    Operand residual = p.result;
    std::copy_n(p.residual_stride, 5, residual.stride);
    RONDO_TRY(add(kResidual, type, residual, false, &b));
    steps.push_back({CUDNN_POINTWISE_ADD, b});
  }
  if (p.bias) {
    const int64_t k = p.result.size[1];
    RONDO_TRY(add(kBias, type, {{1, k, 1, 1, 1}, {k, 1, k, k, k}}, false, &b));
    steps.push_back({CUDNN_POINTWISE_ADD, b});
  }
  if (p.relu) steps.push_back({CUDNN_POINTWISE_RELU_FWD, nullptr});

  const bool fused = !steps.empty();
  const Descriptor* image = nullptr;
  const Descriptor* filter = nullptr;
  const Descriptor* result = nullptr;
  RONDO_TRY(add(kImage, type, p.image, false, &image));
  RONDO_TRY(add(kFilterId, type, p.filter, false, &filter));
  RONDO_TRY(add(fused ? kFirstVirtual : kResult, fused ? compute : type, p.result, fused, &result));

  const Names names = names_of(p.way);
  Descriptor* operation = nullptr;
  RONDO_TRY(graph->create(names.type, &operation));
  RONDO_TRY(set_scalar(*operation, names.alpha, wide, 1));
  RONDO_TRY(set_scalar(*operation, names.beta, wide, p.beta ? 1 : 0));
  RONDO_TRY(operation->set_descriptor(names.convolution, *convolution));
  RONDO_TRY(operation->set_descriptor(names.filter, *filter));
  RONDO_TRY(operation->set_descriptor(names.image, *image));
  RONDO_TRY(operation->set_descriptor(names.result, *result));
  RONDO_TRY(graph->add_operation(*operation));

  for (size_t i = 0; i < steps.size(); ++i) {
    const bool last = i + 1 == steps.size();
    const Descriptor* y = nullptr;
    RONDO_TRY(
        add(last ? kResult : kFirstVirtual + 1 + static_cast<int64_t>(i), last ? type : compute, p.result, !last, &y));
    RONDO_TRY(add_pointwise(graph, steps[i].mode, compute, *result, steps[i].b, *y));
    result = y;
  }
  return {};
}

}  // namespace rondo::ops::dnn
