// Checks of operands. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/output.h"

#include <algorithm>
#include <string>

#include "engine/views.h"

namespace rondo::ops {

bool overlap(const View& a, const View& b) {
  if (a.storage != b.storage) return false;
  int64_t low_a, high_a, low_b, high_b;
  a.layout.extent(&low_a, &high_a);
  b.layout.extent(&low_b, &high_b);
  if (low_a == high_a || low_b == high_b) return false;
  const auto size_a = static_cast<int64_t>(dtype_size(a.dtype));
  const auto size_b = static_cast<int64_t>(dtype_size(b.dtype));
  return a.offset + low_a * size_a < b.offset + high_b * size_b &&
         b.offset + low_b * size_b < a.offset + high_a * size_a;
}

bool identical(const View& a, const View& b) {
  if (a.storage != b.storage || a.offset != b.offset || a.dtype != b.dtype || !a.layout.same_shape(b.layout))
    return false;
  for (int i = 0; i < a.layout.ndim; ++i)
    if (a.layout.shape[i] > 1 && a.layout.strides[i] != b.layout.strides[i]) return false;
  return true;
}

Status check_inputs(const char* function, std::initializer_list<NamedView> inputs) {
  const NamedView* first = inputs.begin();
  for (const NamedView& input : inputs) {
    if (&input.view->engine() != &first->view->engine())
      return error(RONDO_INVALID_ARGUMENT, "%s: %s belongs to another engine than %s; operands must be of one engine",
                   function, input.name, first->name);
    if (&input.view->device() != &first->view->device())
      return error(RONDO_INVALID_ARGUMENT, "%s: %s is on %s but %s is on %s; copy one with rondo_copy_to first",
                   function, input.name, device_name(input.view->device().id()).c_str(), first->name,
                   device_name(first->view->device().id()).c_str());
    if (input.view->accumulate)
      return error(RONDO_INVALID_ARGUMENT,
                   "%s: %s is an accumulator view, which can only be an output; pass the tensor itself", function,
                   input.name);
  }
  return {};
}

Status check_writable(const char* function, const char* name, const View& view) {
  if (view.layout.repeats())
    return error(RONDO_INVALID_ARGUMENT,
                 "%s: %s shows an element twice (a broadcast view, or strides that overlap) and is read-only", function,
                 name);
  if (view.storage->read_only)
    return error(RONDO_INVALID_ARGUMENT, "%s: %s is memory that its owner exported as read-only; write to a copy",
                 function, name);
  return {};
}

Output::~Output() {
  if (created_) destroy_tensor(created_);
}

Status Output::resolve(Engine& engine, Device& device, rondo_dtype dtype, const Layout& shape,
                       std::initializer_list<const View*> inputs, bool inplace, View* view) {
  if (!given()) {
    // Shapes of inputs may each be possible and their product not: broadcast views have no memory behind their sizes.
    Layout possible;
    if (Status status = check_shape(shape.ndim, shape.shape, dtype, &possible); !status.ok())
      return status.with_context(std::string(function_) + ": " + name_);
    created_ = make_tensor(engine, device, dtype, shape);
    *view = created_->view;
    return {};
  }
  const View& out = (*slot_)->view;
  if (&out.engine() != &engine)
    return error(RONDO_INVALID_ARGUMENT, "%s: %s belongs to another engine than the inputs", function_, name_);
  if (&out.device() != &device)
    return error(RONDO_INVALID_ARGUMENT, "%s: %s is on %s; the result is on %s", function_, name_,
                 device_name(out.device().id()).c_str(), device_name(device.id()).c_str());
  if (out.dtype != dtype)
    return error(RONDO_INVALID_ARGUMENT, "%s: %s has dtype %s; the result is %s", function_, name_,
                 dtype_name(out.dtype), dtype_name(dtype));
  if (!out.layout.same_shape(shape))
    return error(RONDO_INVALID_ARGUMENT, "%s: %s has shape %s; the result is %s", function_, name_,
                 shape_text(out.layout).c_str(), shape_text(shape).c_str());
  RONDO_TRY(check_writable(function_, name_, out));
  for (const View* input : inputs) {
    if (!overlap(out, *input)) continue;
    View same = *input;
    same.accumulate = out.accumulate;
    if (inplace && identical(out, same)) continue;
    return error(RONDO_INVALID_ARGUMENT, "%s: %s overlaps the memory of an input%s; write to another tensor", function_,
                 name_, inplace ? " without being the same elements" : "");
  }
  *view = out;
  return {};
}

Status submit(Engine& engine, Ref<Task> task, std::initializer_list<Output*> outputs) {
  RONDO_TRY(engine.submit(std::move(task)));
  for (Output* output : outputs) output->commit();
  return {};
}

}  // namespace rondo::ops
