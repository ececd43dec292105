// Which plan of cuDNN computes a problem: the library's proposals, tried out and timed on scratch memory within a
// budget of time and workspace, once per problem. The best few are kept for the process, and their recipes in the
// folder of compiled kernels for the next, so that a convolution gives the same bits however and whenever it is run.
//
// A choice is shared by all tasks of its problem and never destroyed. All functions are thread-safe.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "ops/convolution/cudnn_plan.h"

namespace rondo::ops::dnn {

class Choice {
 public:
  // The best plan that has not failed; null if there is none: the library has no way of the problem.
  const Plan* plan() const;
  // Whether the plans can be captured. Those that cannot are taken only where there is no other.
  bool capturable() const { return capturable_; }
  // Runs the best plan whose workspace fits. One that fails is not asked again, which is logged once, and the next one
  // is taken.
  Status run(cuda::CudaDevice& device, const Addresses& addresses, void* workspace, size_t workspace_bytes,
             void* stream, bool capturing) const;
  const std::vector<std::unique_ptr<Plan>>& plans() const { return plans_; }

 private:
  friend class Chooser;
  std::vector<std::unique_ptr<Plan>> plans_;  // best first
  bool capturable_ = true;
  mutable std::atomic<size_t> first_{0};  // those before it have failed
};

// The choice for a problem, made when it is first asked for. An error only for what concerns more than this problem.
Status find_choice(cuda::CudaDevice& device, const Problem& problem, const Choice** choice);

// Bytes of workspace that plans may have.
size_t workspace_limit();
// What decides a choice beside the problem: device, driver, versions of the libraries.
std::string circumstances(cuda::CudaDevice& device);

}  // namespace rondo::ops::dnn
