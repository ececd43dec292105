// Checks the operands of operators, and resolves their outputs: shape, dtype, device and memory.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/task/output.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "engine/views.h"
#include "ops/program/overlap.h"

namespace rondo::ops {

Status check_computed(const char* name, rondo_dtype dtype) {
  if (!is_f8(dtype)) [[likely]]
    return {};
  return error(RONDO_INVALID_ARGUMENT,
               "%s has dtype %s, which is stored, moved and cast, not computed with; cast it to f32 or another dtype "
               "first (rondo_cast)",
               name, dtype_name(dtype));
}

Status without_common_dtype(const char* name_a, rondo_dtype a, const char* name_b, rondo_dtype b) {
  return error(RONDO_INVALID_ARGUMENT,
               "%s has dtype %s and %s %s; an 8-bit float is not promoted: cast one of them first (rondo_cast)", name_a,
               dtype_name(a), name_b, dtype_name(b));
}

Status check_inputs(std::span<const NamedView> inputs) {
  for (const NamedView& input : inputs) RONDO_TRY(check_computed(input.name, input.view->dtype));
  return check_moved(inputs);
}

Status check_moved(std::span<const NamedView> inputs) {
  const NamedView* first = inputs.data();
  for (const NamedView& input : inputs) {
    if (&input.view->engine() != &first->view->engine())
      return error(RONDO_INVALID_ARGUMENT, "%s belongs to another engine than %s; operands must be of one engine",
                   input.name, first->name);
    if (&input.view->device() != &first->view->device())
      return error(RONDO_INVALID_ARGUMENT, "%s is on %s but %s is on %s; copy one with rondo_copy_to first", input.name,
                   device_name(input.view->device().id()).c_str(), first->name,
                   device_name(first->view->device().id()).c_str());
    if (input.view->accumulate)
      return error(RONDO_INVALID_ARGUMENT,
                   "%s is an accumulator view, which can only be an output; pass the tensor itself", input.name);
    RONDO_TRY(check_written(input.name, *input.view));
  }
  return {};
}

Status check_blank(const char* name, const View& view) {
  Engine& engine = view.engine();
  const Sink* sink = Engine::thread_sink();
  // A tensor that belongs to a recording of another thread is refused as such.
  if ((sink && &sink->engine == &engine) || Engine::owner(*view.storage) || view.elements() == 0) return {};
  RONDO_TRY(engine.usable());
  if (!engine.blank(*view.storage)) return {};
  return error(RONDO_INVALID_STATE,
               "%s, %s %s on %s, was never written; write to it first, or accept what is in its memory with "
               "rondo_tensor_accept",
               name, dtype_name(view.dtype), shape_text(view.layout).c_str(), device_name(view.device().id()).c_str());
}

static inline Status check_owner(const char* name, const View& view) {
  if (!view.storage->read_only) [[likely]]
    return {};
  return error(RONDO_INVALID_ARGUMENT,
               "%s is memory that its owner exported as read-only; write to a copy (rondo_copy makes it)", name);
}

static Status check_distinct(const char* name, const View& view) {
  if (view.layout.repeats())
    return error(RONDO_INVALID_ARGUMENT,
                 "%s shows an element twice (a broadcast view, or strides that overlap) and is read-only; write to "
                 "a copy (rondo_copy makes it)",
                 name);
  return {};
}

Status check_writable(const char* name, const View& view) {
  RONDO_TRY(check_distinct(name, view));
  return check_owner(name, view);
}

Output::~Output() {
  if (created_) destroy_tensor(created_);
}

[[gnu::always_inline]] inline Status Output::check_place(Engine& engine, Device& device) const {
  const View& out = given_view();
  if (&out.engine() != &engine)
    return error(RONDO_INVALID_ARGUMENT, "%s belongs to another engine than the inputs", name_);
  if (&out.device() != &device)
    return error(RONDO_INVALID_ARGUMENT,
                 "%s is on %s; the result is on %s: give none for a new tensor, which rondo_copy moves", name_,
                 device_name(out.device().id()).c_str(), device_name(device.id()).c_str());
  return {};
}

[[gnu::always_inline]] inline Status Output::check_contents(std::span<const View* const> inputs, bool inplace) const {
  const View& out = given_view();
  RONDO_TRY(check_owner(name_, out));
  if (out.accumulate) RONDO_TRY(check_written(name_, out));
  for (const View* input : inputs) {
    if (out.storage != input->storage || (inplace && identical(out, *input)) || !overlap(out, *input)) continue;
    return error(RONDO_INVALID_ARGUMENT,
                 "%s shares elements with an input%s; write to another tensor, or read a copy (rondo_copy makes it)",
                 name_, inplace ? " without being the same, element for element" : "");
  }
  return {};
}

Status Output::resolve(Engine& engine, Device& device, rondo_dtype dtype, const Layout& shape,
                       std::span<const View* const> inputs, bool inplace, View* view) {
  if (!given()) {
    // Shapes of inputs may each be possible and their product not: broadcast views have less memory than their sizes
    // say.
    Layout possible;
    if (Status status = check_shape(shape.ndim, shape.shape, dtype, &possible); !status.ok())
      return status.with_context(name_);
    created_ = make_tensor(engine, device, dtype, shape);
    *view = created_->view;
    return {};
  }
  RONDO_TRY(check_place(engine, device));
  const View& out = given_view();
  if (out.dtype != dtype)
    return error(RONDO_INVALID_ARGUMENT,
                 "%s has dtype %s; the result is %s: give none for a new tensor, which rondo_cast turns into %s", name_,
                 dtype_name(out.dtype), dtype_name(dtype), dtype_name(out.dtype));
  if (!out.layout.same_shape(shape))
    return error(RONDO_INVALID_ARGUMENT, "%s has shape %s; the result is %s: give none for a new tensor", name_,
                 shape_text(out.layout).c_str(), shape_text(shape).c_str());
  RONDO_TRY(check_distinct(name_, out));
  RONDO_TRY(check_contents(inputs, inplace));
  *view = out;
  return {};
}

Status Output::resolve_known(rondo_dtype dtype, const Layout& shape, const int64_t* strides,
                             std::span<const View* const> inputs) {
  Engine& engine = inputs[0]->engine();
  Device& device = inputs[0]->device();
  if (!given()) {
    created_ = make_tensor(engine, device, dtype, shape);
    std::copy_n(strides, shape.ndim, created_->view.layout.strides);
    return {};
  }
  RONDO_TRY(check_place(engine, device));
  return check_contents(inputs, true);
}

static bool channels_last(const Layout& layout) {
  // With one channel it may be anywhere; strides of axes of size 1 say where. One channel shown as many is nowhere.
  bool last = layout.ndim > 2 && (layout.strides[1] != 0 || layout.shape[1] == 1), extended = layout.shape[1] > 1;
  for (int d = 2; d < layout.ndim; ++d) {
    const int64_t channel = std::abs(layout.strides[1]), other = std::abs(layout.strides[d]);
    last &= channel < other || (layout.shape[1] == 1 && channel == other);
    extended |= layout.shape[d] > 1;
  }
  return last && extended;
}

void arrange_like(const Layout& like, Layout* layout) {
  if (!channels_last(like)) return;
  int64_t step = std::max<int64_t>(layout->shape[1], 1);
  layout->strides[1] = 1;
  for (int d = layout->ndim - 1; d >= 0; --d) {
    if (d == 1) continue;
    layout->strides[d] = step;
    step *= std::max<int64_t>(layout->shape[d], 1);
  }
}

Status Output::resolve_as(const View& like, rondo_dtype dtype, const Layout& shape, std::span<const View* const> inputs,
                          bool inplace, View* view) {
  const bool made = !given();
  RONDO_TRY(resolve(like.engine(), like.device(), dtype, shape, inputs, inplace, view));
  if (!made) return {};
  arrange_like(like.layout, &created_->view.layout);
  *view = created_->view;
  return {};
}

Status Output::resolve_elementwise(rondo_dtype dtype, const Layout& shape, std::span<const View* const> inputs,
                                   View* view) {
  for (const View* input : inputs)
    if (input->layout.same_shape(shape)) return resolve_as(*input, dtype, shape, inputs, true, view);
  return resolve(inputs[0]->engine(), inputs[0]->device(), dtype, shape, inputs, true, view);
}

}  // namespace rondo::ops
