// Tells the graphs of a callable apart: by the inputs' devices, dtypes and shapes, the order of their axes in memory,
// which of them gradients are asked for, and the autocast scope that the call is in. Holds the inputs as calls of
// graphs take them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/small_vector.h"
#include "engine/tensor.h"
#include "tape/adjoint.h"

namespace rondo {

// An input, seen with its axes in the order in which they lie in memory, which makes it row-major. A tensor that is
// row-major in no order of its axes is copied.
class Arranged {
 public:
  Status arrange(const View& given);
  const View& view() const { return tensor_.tensor->view; }
  rondo_tensor* tensor() const { return tensor_.tensor; }
  // The view of a tensor of the same shape as view(), with its axes as they were given.
  Status as_given(const View& view, View* result) const;
  bool active() const { return active_; }
  const SmallVector<int32_t, 8>& order() const { return order_; }

 private:
  tape::OwnedTensor tensor_;
  SmallVector<int32_t, 8> order_;  // of given axes, outermost first; empty: as they are
  bool active_ = false;            // an open tape follows it
};

struct Signature {
  std::vector<int64_t> words;
  std::string autocast;  // ops::autocast_text
  static Signature of(const Engine& engine, std::span<const Arranged> inputs);
  bool operator==(const Signature& other) const = default;
  struct Hash {
    size_t operator()(const Signature& signature) const;
  };
};
// For people: "f32 [3, 4] on cpu:0, f32 [4] on cpu:0".
std::string signature_text(const Signature& signature, std::span<const Arranged> inputs);

}  // namespace rondo
