// What an operation graph computes, read from its descriptors and checked: a convolution, or one of its gradients, and
// pointwise operations behind it; or attention. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include "attention.h"

namespace simcudnn {

struct Pattern {
  std::shared_ptr<const Attention> attention;  // then there is nothing of what follows
  int operation = 0;                           // descriptor type of the convolution
  Tensor image, filter, result;                // in the parts they have; one of them is what the operation writes
  std::vector<std::int64_t> stride, dilation, before, after;
  std::int64_t groups = 1;
  int compute = 0;
  double alpha = 1, beta = 0;
  struct Step {
    int mode = 0;
    bool keeps_nan = false;  // of a ReLU; without the attribute it does not
    bool has_b = false;
    Tensor b, y;
  };
  std::vector<Step> steps;

  const Tensor& written() const;  // by the convolution
  const Tensor& out() const { return steps.empty() ? written() : steps.back().y; }
  // All that is in memory, by unique id; the last is what is written.
  std::vector<const Tensor*> operands() const;
  // How many of those, at the end, are written.
  std::size_t written_operands() const { return attention ? attention->written() : 1; }
  int dtype() const { return image.dtype; }
};

// Checks of single descriptors, when they are finalised.
void check_tensor(const Object& object);
void check_convolution(const Object& object);
void check_operation(const Object& object);
// Of a graph of operations. Throws a Refusal.
Pattern read_pattern(const Object& graph);

}  // namespace simcudnn
