// Tries plans of convolutions out: whether they give the right sums, rounded once, and keep NaN.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "ops/convolution/cudnn_probes.h"

namespace rondo::ops::dnn {

class ConvolutionTrial final : public Trial {
 public:
  ConvolutionTrial(cuda::CudaDevice& device, const Problem& problem) : Trial(device), problem_(problem) {}
  Status examine(const Plan& plan, const char** flaw) override;

 private:
  Status take_operands() override;
  // Sets *right to whether sums have the terms that they should have, where padding begins and ends and in the middle.
  Status sums_terms(const Plan& plan, bool* right);
  // Sets *keeps to whether a ReLU at its end passes NaN on, as Rondo's does: runs it once with a bias, or a residual,
  // of nothing else.
  Status keeps_nan(const Plan& plan, bool* keeps);
  // Sets *once to whether sums of 16 bits are added to the old contents, bias and residual before they are rounded.
  Status rounds_once(const Plan& plan, bool* once);
  // The two operands whose products are added up.
  std::array<std::pair<void*, const Operand*>, 2> factors() const;
  Status fill_factors();
  // Bias and residual.
  Status fill_added(unsigned char byte);
  void* out() const;

  const Problem problem_;
  std::vector<Probe> probes_;  // made when the first plan is examined
  Addresses addresses_;
};

}  // namespace rondo::ops::dnn
