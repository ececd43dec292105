// An operator's in/out parameter: the tensor the caller gave, checked, or a new one that the caller gets only on
// success.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "engine/tensor.h"

namespace rondo::ops {

class Output {
 public:
  // `slot` is the public rondo_tensor** (checked for null and liveness by the C API). `name` is the argument's name in
  // messages.
  Output(const char* function, rondo_tensor** slot, const char* name = "out")
      : function_(function), slot_(slot), name_(name) {}
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  bool given() const { return *slot_ != nullptr; }
  // Unchecked; only if given().
  const View& given_view() const { return (*slot_)->view; }
  // The view to write. A given tensor must be of this engine, device, dtype and shape, must not repeat elements, and
  // its memory must not overlap an input's, except that an `inplace` operator may write exactly the elements it reads.
  Status resolve(Engine& engine, Device& device, rondo_dtype dtype, const Layout& shape,
                 std::initializer_list<const View*> inputs, bool inplace, View* view);
  // Hands a new tensor to the caller. Call after submit succeeded.
  void commit() {
    if (created_) *slot_ = created_;
    created_ = nullptr;
  }

 private:
  const char* function_;
  rondo_tensor** slot_;
  const char* name_;
  rondo_tensor* created_ = nullptr;
};

// An error if a view cannot be written: it may show an element twice, or its memory is read-only.
Status check_writable(const char* function, const char* name, const View& view);

// Whether two views may touch the same byte (by their extents; views interleaved by strides count as overlapping).
bool overlap(const View& a, const View& b);
// Same storage, offset, dtype and strides.
bool identical(const View& a, const View& b);

// All inputs on one engine and device, none an accumulator; messages name `function` and the argument.
struct NamedView {
  const char* name;
  const View* view;
};
Status check_inputs(const char* function, std::initializer_list<NamedView> inputs);

// Submits a task whose outputs are `outputs`; on success commits them.
Status submit(Engine& engine, Ref<Task> task, std::initializer_list<Output*> outputs);

}  // namespace rondo::ops
