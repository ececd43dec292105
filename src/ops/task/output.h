// Resolves an operator's in/out parameter: it is the tensor the caller gave, checked, or a new one that the caller gets
// only on success.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <span>
#include <utility>

#include "engine/tensor.h"

namespace rondo::ops {

class Output {
 public:
  // `slot` is the public rondo_tensor** (checked for null and liveness by the C API). `name` is the argument's name in
  // messages.
  Output(rondo_tensor** slot, const char* name = "out") : slot_(slot), name_(name) {}
  ~Output();
  Output(Output&& other) noexcept
      : slot_(other.slot_), name_(other.name_), created_(std::exchange(other.created_, nullptr)) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  bool given() const { return *slot_ != nullptr; }
  // Unchecked; only if given().
  const View& given_view() const { return (*slot_)->view; }
  // The view to write. A given tensor must be of this engine, device, dtype and shape, must not repeat elements, and
  // its memory must not overlap an input's, except that an `inplace` operator may write exactly the elements it reads.
  Status resolve(Engine& engine, Device& device, rondo_dtype dtype, const Layout& shape,
                 std::span<const View* const> inputs, bool inplace, View* view);
  Status resolve(Engine& engine, Device& device, rondo_dtype dtype, const Layout& shape,
                 std::initializer_list<const View*> inputs, bool inplace, View* view) {
    return resolve(engine, device, dtype, shape, std::span(inputs.begin(), inputs.size()), inplace, view);
  }
  // The same of an elementwise operator, which may be inplace: a new tensor has its axes in memory as the first input
  // of this shape has them, row-major if there is none.
  Status resolve_elementwise(rondo_dtype dtype, const Layout& shape, std::span<const View* const> inputs, View* view);
  Status resolve_elementwise(rondo_dtype dtype, const Layout& shape, std::initializer_list<const View*> inputs,
                             View* view) {
    return resolve_elementwise(dtype, shape, std::span(inputs.begin(), inputs.size()), view);
  }
  // The same where a call with inputs and an output of these dtypes and layouts, given or not, went well before: looks
  // at what they do not tell. `strides`: of a new tensor. The view is view().
  RONDO_HOT Status resolve_known(rondo_dtype dtype, const Layout& shape, const int64_t* strides,
                                 std::span<const View* const> inputs);
  // Once it is resolved.
  const View& view() const { return created_ ? created_->view : given_view(); }
  // The same in dtype and on the device of the input `like`, with the sizes of `shape`. A new tensor has its axes in
  // memory as `like` has them: of an image with channels last, channels last.
  Status resolve_as(const View& like, const Layout& shape, std::span<const View* const> inputs, View* view) {
    return resolve_as(like, like.dtype, shape, inputs, false, view);
  }
  // In another dtype.
  Status resolve_as(const View& like, rondo_dtype dtype, const Layout& shape, std::span<const View* const> inputs,
                    bool inplace, View* view);
  // Hands a new tensor to the caller. Call after submit succeeded.
  void commit() {
    if (created_) *slot_ = created_;
    created_ = nullptr;
  }

 private:
  // Checks a given tensor: its owner; which tasks may write it, and what else is read there.
  Status check_place(Engine& engine, Device& device) const;
  Status check_contents(std::span<const View* const> inputs, bool inplace) const;

  rondo_tensor** slot_;
  const char* name_;
  rondo_tensor* created_ = nullptr;
};

// Owns a tensor on the way from one operator to another.
struct Handle {
  rondo_tensor* tensor = nullptr;
  explicit Handle(rondo_tensor* tensor = nullptr) : tensor(tensor) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (tensor) destroy_tensor(tensor);
  }
};

// Gives a row-major layout the order of axes in memory that `like` has: where the second of three or more, that of
// channels, is innermost, it is innermost here.
void arrange_like(const Layout& like, Layout* layout);

// An error if a view cannot be written: it may show an element twice, or its memory is read-only.
Status check_writable(const char* name, const View& view);

// RONDO_INVALID_STATE if nothing was ever written into the storage, which then has no contents to read. While the
// thread records, the launch is what counts.
RONDO_COLD Status check_blank(const char* name, const View& view);
inline Status check_written(const char* name, const View& view) {
  if (view.storage->has_contents()) [[likely]]
    return {};
  return check_blank(name, view);
}

// All inputs on one engine and device, with contents, none an accumulator, of dtypes to compute with; messages name
// `function` and the argument.
struct NamedView {
  const char* name;
  const View* view;
};
Status check_inputs(std::span<const NamedView> inputs);
// The same of operators that move elements and do not compute with them: 8-bit floats, which are for that, may come
// too.
RONDO_HOT Status check_moved(std::span<const NamedView> inputs);
inline Status check_moved(std::initializer_list<NamedView> inputs) {
  return check_moved(std::span(inputs.begin(), inputs.size()));
}
// An error if operators do not compute with a dtype.
Status check_computed(const char* name, rondo_dtype dtype);
inline Status check_inputs(std::initializer_list<NamedView> inputs) {
  return check_inputs(std::span(inputs.begin(), inputs.size()));
}

// The error for two dtypes that do not promote (base/dtype.h).
Status without_common_dtype(const char* name_a, rondo_dtype a, const char* name_b, rondo_dtype b);

}  // namespace rondo::ops
