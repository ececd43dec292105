// Planning an elementwise task: its space, and where random numbers come from.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise_task.h"

#include <algorithm>
#include <cstdlib>

#include "rtc/device/philox.h"

namespace rondo::ops {

namespace {

constexpr int kMaxOperands = Expression::kMaxInputs + Expression::kMaxOutputs;

struct Dimension {
  int64_t size;
  int64_t strides[kMaxOperands];
};

// Whether all operands are dense, of the task's very shape: the usual case, which needs no planning.
bool all_dense(const Layout& shape, const View* const* views, int operands) {
  for (int k = 0; k < operands; ++k)
    if (!views[k]->layout.same_shape(shape) || !views[k]->layout.contiguous()) return false;
  return true;
}

// Dimensions of size > 1 with the strides of all operands, outermost first.
int spread(const Layout& shape, const View* const* views, int operands, Dimension* dimensions) {
  int count = 0;
  for (int i = 0; i < shape.ndim; ++i) {
    if (shape.shape[i] == 1) continue;
    Dimension& dimension = dimensions[count++];
    dimension.size = shape.shape[i];
    for (int k = 0; k < operands; ++k) {
      const Layout& layout = views[k]->layout;
      const int own = i - (shape.ndim - layout.ndim);
      dimension.strides[k] = own >= 0 && layout.shape[own] != 1 ? layout.strides[own] : 0;
    }
  }
  return count;
}

// Joins a dimension with the one inside it where one step outside is a whole row inside, for every operand.
int collapse(Dimension* dimensions, int count, int operands) {
  int kept = 0;
  for (int i = 1; i < count; ++i) {
    Dimension& outer = dimensions[kept];
    const Dimension& inner = dimensions[i];
    bool joins = true;
    for (int k = 0; k < operands && joins; ++k) joins = outer.strides[k] == inner.strides[k] * inner.size;
    if (joins) {
      const int64_t size = outer.size * inner.size;
      outer = inner;
      outer.size = size;
    } else {
      dimensions[++kept] = inner;
    }
  }
  return count == 0 ? 0 : kept + 1;
}

void plan(const Layout& shape, const View* const* views, int inputs, int operands, bool keep_order, Space* space) {
  if (space->elements == 0) return;
  if (all_dense(shape, views, operands)) {
    space->ndim = 1;
    space->flat = true;
    space->dims.push_back(space->elements);
    for (int k = 0; k < operands; ++k) space->dims.push_back(1);
    space->wide = space->elements > INT32_MAX;
    return;
  }
  Dimension dimensions[kMaxDims];
  int count = spread(shape, views, operands, dimensions);
  // By the strides of the first output, so that writes are dense where they can be. Random numbers go by the element's
  // number.
  if (!keep_order)
    std::stable_sort(dimensions, dimensions + count, [inputs](const Dimension& a, const Dimension& b) {
      return std::abs(a.strides[inputs]) > std::abs(b.strides[inputs]);
    });
  count = collapse(dimensions, count, operands);
  if (count == 0) {
    dimensions[0].size = 1;
    for (int k = 0; k < operands; ++k) dimensions[0].strides[k] = k < inputs ? 0 : 1;
    count = 1;
  }
  space->ndim = count;
  space->flat = count == 1;
  space->wide = space->elements > INT32_MAX;
  for (int d = 0; d < count; ++d) space->dims.push_back(dimensions[d].size);
  for (int k = 0; k < operands; ++k) {
    int64_t reach = 0;
    for (int d = 0; d < count; ++d) {
      const int64_t stride = dimensions[d].strides[k];
      space->dims.push_back(stride);
      reach += (dimensions[d].size - 1) * std::abs(stride);
      if (stride != 0 && stride != 1) space->flat = false;
    }
    if (reach > INT32_MAX) space->wide = true;
  }
}

}  // namespace

uint64_t random_counters(rondo_dtype dtype, int64_t elements) {
  const uint64_t per_block = dtype == RONDO_F64 ? device::kDrawsPerBlock<double> : device::kDrawsPerBlock<float>;
  return (static_cast<uint64_t>(elements) + per_block - 1) / per_block;
}

ElementwiseTask::ElementwiseTask(const char* name, Device& device, const Expression& expression, const Layout& shape,
                                 const View* const* views, const uint64_t* scalars)
    : Task(name, device),
      n_inputs_(static_cast<uint8_t>(expression.inputs())),
      n_scalars_(static_cast<uint8_t>(expression.scalars())),
      n_generators_(static_cast<uint8_t>(expression.generators())) {
  uint8_t packed[Expression::kMaxPacked];
  packed_.assign(packed, static_cast<uint32_t>(expression.pack(packed)));

  const int operands = expression.operands();
  given_.push_back(shape.ndim);
  for (int i = 0; i < shape.ndim; ++i) given_.push_back(shape.shape[i]);
  for (int k = 0; k < operands; ++k) {
    const View& view = *views[k];
    operands_.push_back({view.storage, view.offset});
    const bool written = k >= n_inputs_;
    if (!written || expression.output(k - n_inputs_).accumulate) reads(*view.storage);
    if (written) declare_output(*this, view);
    const int added = shape.ndim - view.layout.ndim;
    for (int i = 0; i < shape.ndim; ++i) {
      const bool own = i >= added && view.layout.shape[i - added] == shape.shape[i];
      given_.push_back(own ? view.layout.strides[i - added] : 0);
    }
  }
  space_.elements = shape.elements();
  plan(shape, views, n_inputs_, operands, n_generators_ > 0, &space_);
  for (int i = 0; i < n_generators_; ++i)
    random_count_ += random_counters(expression.generator_dtype(i), space_.elements);

  for (int k = 0; k < operands; ++k) arguments_.push_back(0);
  for (int k = 0; k < n_scalars_; ++k) arguments_.push_back(scalars[k]);
  if (!device.is_host()) plan_cuda(expression);
}

Layout ElementwiseTask::shape() const {
  return Layout::row_major(static_cast<int>(given_[0]), given_.begin() + 1);
}

View ElementwiseTask::view(int i) const {
  View view;
  const Expression expression = this->expression();
  view.storage = operand(i).storage;
  view.offset = operand(i).offset;
  view.dtype = expression.operand_dtype(i);
  view.accumulate = i >= n_inputs_ && expression.output(i - n_inputs_).accumulate;
  view.layout = shape();
  const int ndim = view.layout.ndim;
  std::copy_n(given_.begin() + 1 + (1 + i) * ndim, ndim, view.layout.strides);
  return view;
}

void ElementwiseTask::list_operands(std::vector<TaskOperand>* list) const {
  for (int k = 0; k < operands(); ++k) list->push_back({view(k), k >= n_inputs_});
}

Status ElementwiseTask::run(const TaskContext& context) {
  if (space_.elements == 0) return {};
  if (!device().is_host()) return run_on_cuda(context);
  run_on_cpu(context);
  return {};
}

void ElementwiseTask::run_on_cpu(const TaskContext& context) {
  char* addresses[kMaxOperands];
  for (int k = 0; k < operands(); ++k) addresses[k] = address(k);
  RandomState start = random_;
  if (context.random) {
    start.seed = context.random->seed;
    start.offset += context.random->offset;
  }
  evaluate_on_cpu(expression(), space_, addresses, scalars(), start);
}

}  // namespace rondo::ops
