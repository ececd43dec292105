// Poses one convolution to cuDNN: the problem, and the question that it is to cuDNN.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>

#include "ops/cudnn/choice.h"

namespace rondo::ops::dnn {

enum ConvolutionDirection : int32_t { kForward, kData, kFilter };

// N, C, then two or three spatial dimensions; of the filter the first is that of the result's channels.
struct Operand {
  int64_t size[5] = {};
  int64_t stride[5] = {};
};

// result = convolution(image, filter), or one of its gradients, which is what `way` says; then, forward only,
// + residual + bias and the larger of that and 0. No padding: problems are hashed, compared and kept as bytes.
struct Problem {
  int32_t way = kForward;
  int32_t dtype = 0;    // rondo_dtype of everything
  int32_t spatial = 0;  // 2 or 3
  int32_t filler = 0;
  Operand image, filter, result;
  int64_t residual_stride[5] = {};
  int64_t stride[3] = {}, dilation[3] = {}, before[3] = {}, after[3] = {};
  int32_t residual = 0, bias = 0, relu = 0;  // whether there is one
  int32_t beta = 0;                          // adds to what the output holds
  int32_t tf32 = 0;
  int32_t deterministic = 0;

  const Operand& out() const { return way == kForward ? result : way == kData ? image : filter; }
};
static_assert(std::has_unique_object_representations_v<Problem>);

std::string text_of(const Problem& problem);

struct Addresses {
  void* image = nullptr;
  void* filter = nullptr;
  void* result = nullptr;
  void* residual = nullptr;
  void* bias = nullptr;
};
// Those that the problem has.
Pointers pointers_of(const Problem& problem, const Addresses& addresses);

class ConvolutionQuestion final : public Question {
 public:
  explicit ConvolutionQuestion(const Problem& problem) : problem_(problem) {}
  Promises promises() const override;
  std::string_view bytes() const override { return {reinterpret_cast<const char*>(&problem_), sizeof problem_}; }
  std::string text() const override { return text_of(problem_); }
  Status describe(OperationGraph* graph) const override;
  std::unique_ptr<Trial> trial(cuda::CudaDevice& device) const override;
  size_t workspace_limit() const override;
  long long timing_us() const override;
  bool taken_unseen() const override;

 private:
  const Problem& problem_;
};

// Bytes of workspace that plans of convolutions may have, copies of operands included.
size_t workspace_limit();

}  // namespace rondo::ops::dnn
