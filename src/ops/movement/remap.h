// Moves elements by a map of coordinates (rtc/device/remap.h): the plan that the operators fill in, and its task.
//
// An operator goes through the dimensions of its result, outermost first, and says for each which coordinate of the
// source a coordinate shows. Dimensions that follow one another in every array are merged on the way, so concat along
// the first axis is one dimension, whatever follows.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ops/operators/element.h"
#include "ops/task/submit.h"
#include "rtc/device/remap.h"

namespace rondo::ops {

// A dimension that shows the source's as it is, at these strides. `shift`, `extent`, `repeat` and `outside` change it.
inline device::RemapDim plain_dim(int64_t size, int64_t out_stride) {
  return {size, out_stride, 0, size, 1, 0, device::kRemapFill, 0};
}

struct RemapPlan {
  using Arguments = device::RemapArguments<device::kRemapSources>;

  // At most kRemapSources of them, of the result's dtype; more than one are joined along an axis.
  RemapPlan(const char* name, const View& out, std::vector<View> from);

  // strides: of the dimension in each source. joins: this is the axis along which they are joined.
  void push(const device::RemapDim& dim, const int64_t* strides, bool joins = false);
  void push(const device::RemapDim& dim, int64_t stride) { push(dim, &stride); }
  // The axes of the result from the outermost in memory on: the order in which dimensions that do not depend on each
  // other are pushed, so that neighbours are moved one after the other.
  SmallVector<int, kMaxDims> axes() const;
  // Reads the coordinate of one axis from a tensor, whose strides are the dimensions' index_stride. That axis has no
  // stride among the dimensions.
  void index_by(const View& view, int64_t extent, int64_t step);
  void band(int64_t low, int64_t high);
  void constant(uint64_t value);

  void move_to(const Rebinding& memory) { memory.move_all(out, index, sources); }
  int64_t elements() const;
  // Largest number that indices reach; for choosing 32-bit ones.
  int64_t reach() const;

  const char* name;
  View out, index;
  std::vector<View> sources;
  Ref<Variable> checked;  // of a check of the index; null: there was none
  Arguments arguments = {};
  int features = 0;
  int dims = 0;
  int axis = -1;  // along which sources are joined

 private:
  bool continues(const device::RemapDim& dim, const int64_t* strides, bool joins) const;
};

void declare_remap(Task& task, const RemapPlan& plan);
void list_remap_operands(const RemapPlan& plan, std::vector<TaskOperand>* list);
Ref<OperatorTask> make_cuda_remap(const RemapPlan& plan);

// Submits the plan, unless the result has no elements, and commits the output if there is one. describe: as submit's,
// if there is anything to say.
Status submit_remap(const RemapPlan& plan, std::initializer_list<Output*> outputs, const Describe& describe = {});

// The bits that an element of the dtype has, of a scalar's word (scalar.h).
uint64_t element_bits(rondo_dtype dtype, uint64_t word);

}  // namespace rondo::ops
