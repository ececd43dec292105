// Gives a library the operands of a convolution: all of them packed, in one order of axes, channels first or channels
// last, axes of size 1 included. cuDNN accepts descriptions of anything else without an error and computes them
// wrongly, so other operands are copied: into scratch memory before the library runs, and from there after it.
//
// Belongs to a plan, and is used as that is.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ops/convolution/convolution.h"
#include "ops/program/operator_task.h"

namespace rondo::ops {

// The strides of packed memory.
Layout packed_layout(const Layout& shape, bool channels_last);

class PackedOperands {
 public:
  enum Which : int { kImage, kFilter, kResult, kResidual, kBias, kOperands };

  // Chooses the order in which the fewest bytes are copied. A layout that reads as both is as good in either.
  explicit PackedOperands(const Convolution& problem);

  bool channels_last() const { return last_; }
  // Scratch memory for the copies; 0: everything is read and written where it is.
  size_t bytes() const { return bytes_; }
  // Makes the copies and their kernels.
  Status prepare(const Convolution& problem);
  // Copies what is read into scratch memory, 256-aligned.
  Status gather(const TaskContext& context, void* scratch);
  // Copies what was written there to where it belongs.
  Status scatter(const TaskContext& context) { return back_ ? back_->run(context) : Status(); }
  // The address at which the library finds an operand, from gather() on; null for an operand that does not exist.
  void* address(const Convolution& problem, Which which) const;
  // "image, filter copied to channels last"; empty if nothing is.
  std::string remark() const;

 private:
  struct Copy {
    Which which;
    size_t offset;         // in scratch memory
    Ref<Storage> memory;   // stands for that among the operands of tasks
    Ref<OperatorTask> in;  // null: the former contents are not read
  };

  bool last_ = false;
  size_t bytes_ = 0;
  std::vector<Copy> copies_;
  Ref<OperatorTask> back_;
};

}  // namespace rondo::ops
