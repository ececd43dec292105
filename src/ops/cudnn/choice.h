// Chooses the plan of cuDNN that computes a problem: the library's proposals are tried out and timed on scratch memory
// within a budget of time and workspace, once per problem. The best few are kept for the process, and their recipes in
// the folder of compiled kernels for the next, so that a problem gives the same bits however and whenever it is run.
//
// A choice is shared by all tasks of its problem and never destroyed. All functions are thread-safe.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "ops/cudnn/plan.h"
#include "ops/cudnn/trial.h"

namespace rondo::ops::dnn {

// The problem that a choice is made for.
class Question {
 public:
  virtual ~Question() = default;
  // The family of problems, and the properties that its engines may have.
  virtual Promises promises() const = 0;
  // The bytes that tell it from others of its family on the same device.
  virtual std::string_view bytes() const = 0;
  // For people.
  virtual std::string text() const = 0;
  // RONDO_UNSUPPORTED and the like where the library has no words for it.
  virtual Status describe(OperationGraph* graph) const = 0;
  virtual std::unique_ptr<Trial> trial(cuda::CudaDevice& device) const = 0;
  // Bytes of workspace that a plan may have.
  virtual size_t workspace_limit() const = 0;
  // How long its engines may be timed: 0 takes the first that works.
  virtual long long timing_us() const = 0;
  // True if an engine is accepted when there is no memory to try it.
  virtual bool taken_unseen() const = 0;
};

// The question in the library's words; with handles that the caller keeps for longer.
Status describe(Handles& handles, const Question& question, std::shared_ptr<const OperationGraph>* graph);

class Choice {
 public:
  explicit Choice(const char* family) : family_(family) {}
  // The best plan that has not failed; null if there is none: the library has no way of the problem.
  const Plan* plan() const;
  // True if the plans can be captured. Those that cannot are taken only where there is no other.
  bool capturable() const { return capturable_; }
  // Runs the best plan whose workspace fits. One that fails is not asked again, which is logged once, and the next one
  // is taken.
  Status run(cuda::CudaDevice& device, const Pointers& pointers, void* workspace, size_t workspace_bytes, void* stream,
             bool capturing) const;
  const std::vector<std::unique_ptr<Plan>>& plans() const { return plans_; }

 private:
  friend class PlanSelection;
  const char* const family_;
  std::vector<std::unique_ptr<Plan>> plans_;  // best first
  bool capturable_ = true;
  mutable std::atomic<size_t> first_{0};  // those before it have failed
};

// The choice for a question, made when it is first asked. An error only for what concerns more than this question.
Status find_choice(cuda::CudaDevice& device, const Question& question, const Choice** choice);

// Returns whether there is a cuDNN; if not, a warning says why, once.
bool available();
// The facts that decide a choice in addition to the question: device, driver, versions of the libraries.
std::string circumstances(cuda::CudaDevice& device);

}  // namespace rondo::ops::dnn
