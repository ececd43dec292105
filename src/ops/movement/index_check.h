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

// A view's elements on the host, for a check that reads them there: itself, or a copy, which *copy keeps.
Status bring_to_host(const View& view, View* on_host, Ref<Storage>* copy);

}  // namespace rondo::ops
