// Trying plans out: on memory of the trial's own, eagerly and captured, and timing them as a graph runs them, one
// behind the other without the host between.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <utility>

#include "ops/convolution/cudnn_plan.h"
#include "ops/convolution/cudnn_probes.h"

namespace rondo::ops::dnn {

// Scratch memory of a problem, and streams; gives them back at the end.
class Trial {
 public:
  Trial(cuda::CudaDevice& device, const Problem& problem) : device_(device), problem_(problem) {}
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // RONDO_OUT_OF_MEMORY if there is none.
  Status take();
  // Makes sure of as many bytes of workspace.
  Status take_workspace(size_t bytes);

  // Runs the plan once and waits. An error that is not RONDO_DEVICE_LOST is the plan's.
  Status run(const Plan& plan);
  // Looks at what the plan makes of numbers that give themselves away. *flaw says what is wrong with it; null: nothing.
  // A status of success proves none of that: libraries were seen to answer so and compute otherwise.
  Status examine(const Plan& plan, const char** flaw);
  // Whether a capture of it holds, and if so the microseconds of one run, from `copies` of them in a graph.
  Status time(const Plan& plan, int copies, float* microseconds);

  const Addresses& addresses() const { return addresses_; }
  void* workspace() const { return workspace_; }
  void* stream() const { return stream_; }
  // Times what `body` enqueues on a stream, as above.
  Status time_graph(const std::function<Status(void* stream)>& body, float* microseconds);

 private:
  // Whether sums are of the terms that they should have, where padding begins and ends and in the middle.
  Status sums_terms(const Plan& plan, bool* right);
  // Whether a ReLU at its end passes NaN on, as Rondo's does: runs it once with a bias, or a residual, of nothing else.
  Status keeps_nan(const Plan& plan, bool* keeps);
  // Whether sums of 16 bits are added to what is there, to bias and residual before they are rounded.
  Status rounds_once(const Plan& plan, bool* once);
  // The two operands whose products are added up.
  std::array<std::pair<void*, const Operand*>, 2> factors() const;
  Status fill_factors();
  // Bias and residual.
  Status fill_added(unsigned char byte);
  void* out() const;

  cuda::CudaDevice& device_;
  const Problem problem_;
  std::vector<Probe> probes_;  // made when the first plan is examined
  Addresses addresses_;
  std::vector<void*> taken_;  // the memory that they are in
  void* workspace_ = nullptr;
  size_t workspace_bytes_ = 0;
  void* stream_ = nullptr;
  void* begin_ = nullptr;
  void* end_ = nullptr;
};

}  // namespace rondo::ops::dnn
