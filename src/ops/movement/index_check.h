// Checks indices, on an engine that was asked for it: before an operator runs, a host task looks at its indices, and
// fails if one is outside. The operator reads that task's variable, so it is skipped then, and leaves the cause on its
// outputs: eager, recorded, on any device. An engine that was not asked submits nothing.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor.h"

namespace rondo::ops {

// The range of indices: so many elements along an axis of a tensor, or with no axis so many classes.
struct Indexed {
  const char* task;  // the operator's name
  const char* of;    // the tensor that has the axis
  int axis;          // -1: none
  int64_t extent;
  bool from_end;  // negative ones count from the end
};

// *checked is what the operator must read; null: nothing is checked. device: that of the operator.
Status check_inside(const Indexed& indexed, const View& indices, const Device& device, Ref<Variable>* checked);

// While it exists, the operators that the thread calls check no indices: they come after a check that is done, if it is
// given.
class ScopedChecked {
 public:
  explicit ScopedChecked(const Ref<Variable>& checked);
  ~ScopedChecked();
  ScopedChecked(const ScopedChecked&) = delete;
  ScopedChecked& operator=(const ScopedChecked&) = delete;
  // True if the thread has one; *checked is what it was given.
  static bool find(Ref<Variable>* checked);

 private:
  const Ref<Variable>& checked_;
  const ScopedChecked* const before_;
};

// A view's elements on the host, for a check that reads them there: itself, or a copy, which *copy keeps.
Status bring_to_host(const View& view, View* on_host, Ref<Storage>* copy);

}  // namespace rondo::ops
