// Decides which attention cuDNN is asked for, and describes it in cuDNN's terms.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "ops/attention/attention.h"
#include "ops/attention/sdpa_problem.h"

namespace rondo::ops {

// cuDNN's way of one attention, or of its gradient: all at once, or one part after the other.
class CudnnAttention {
 public:
  CudnnAttention(const dnn::Sdpa& part, const dnn::Choice& choice, double scale)
      : problem_(part), choice_(choice), numbers_(problem_, static_cast<float>(scale)) {}
  size_t workspace_bytes() const { return choice_.plan() ? choice_.plan()->workspace_bytes() + sums_bytes() : 0; }
  int64_t parts(const AttentionPlan& plan) const {
    return plan.batch() / problem_.batch * (plan.heads() / problem_.heads);
  }
  bool capturable() const { return choice_.capturable(); }
  // RONDO_UNSUPPORTED and the like where none of its engines works any more.
  Status run(const AttentionPlan& plan, const TaskContext& context, size_t workspace_bytes) const;

 private:
  // At the beginning of the workspace.
  size_t sums_bytes() const {
    if (!problem_.has(dnn::kSdpaSums)) return 0;
    return (static_cast<size_t>(problem_.reach(dnn::kSdpaSums)) * sizeof(float) + 255) / 256 * 256;
  }

  const dnn::Sdpa problem_;  // of a part
  const dnn::Choice& choice_;
  const dnn::SdpaNumbers numbers_;
};

// Null if the library is absent or has no plan for it, and *why says so, unless none could be expected. An error only
// for what is no matter of this problem.
Status find_cudnn_attention(cuda::CudaDevice& device, const AttentionPlan& plan, std::unique_ptr<CudnnAttention>* found,
                            std::string* why);

}  // namespace rondo::ops
