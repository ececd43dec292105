// Runs a rule or a formula as operators one after the other, on temporaries. A step that fails leaves all after it
// undone; status() says so.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "tape/backward.h"

namespace rondo::tape {

class GradientBuilder {
 public:
  explicit GradientBuilder(Engine& engine) : engine_(engine) {}
  const Status& status() const { return status_; }

  // The result of an operator: make(out).
  template <class MakeIt>
  View make(const MakeIt& make_it) {
    rondo_tensor* const tensor = tensor_of(make_it);
    return tensor ? tensor->view : View{};
  }
  // The same, to write into it; null after a failure.
  template <class MakeIt>
  rondo_tensor* tensor_of(const MakeIt& make_it) {
    if (!status_.ok()) return nullptr;
    OwnedTensor& slot = made_.emplace_back();
    ops::Output out(&slot.tensor);
    status_ = make_it(out);
    return status_.ok() ? slot.tensor : nullptr;
  }
  // Anything else that may fail.
  template <class DoIt>
  void then(const DoIt& do_it) {
    if (status_.ok()) status_ = do_it();
  }

  View unary(rondo_unary_op op, const View& a);
  View binary(rondo_binary_op op, const View& a, const View& b);
  View scalar(rondo_binary_op op, const View& a, double number);
  View whole(rondo_binary_op op, const View& a, int64_t number);  // of integers
  View where(const View& condition, const View& a, const View& b);
  View where(const View& condition, const View& a, double b);
  View where(const View& condition, double a, const View& b);
  View cast(const View& a, rondo_dtype dtype);
  View reduce(rondo_reduce_op op, const View& a, std::span<const int32_t> axes);  // which stay, of size 1
  View cumulative(rondo_reduce_op op, const View& a, int axis, bool reverse);
  View reshape(const View& a, const Layout& shape);
  // One number, without dimensions.
  View number(Device& device, rondo_dtype dtype, double value);
  // A new tensor of one number everywhere.
  rondo_tensor* filled(Device& device, rondo_dtype dtype, const Layout& shape, double value);
  // The gradient of x through f, which is made of operators that have one; dy: of f(x). (formula.cc)
  View gradient(const View& x, const View& dy, const std::function<View(const View& x)>& f);
  // The gradients of several tensors, each with memory of its own, through outputs(); dys: of each output. All of them
  // depend on one of these tensors.
  std::vector<View> gradients(std::span<const View> xs, std::span<const View> dys,
                              const std::function<std::vector<View>()>& outputs);
  // A copy, in a dtype.
  View copy(const View& a, rondo_dtype dtype);
  // 0, 1, ...
  View places(Device& device, int64_t count);

 private:
  Engine& engine_;
  std::deque<OwnedTensor> made_;
  Status status_;
};

// All axes but one.
inline SmallVector<int32_t, 8> other_axes(int ndim, int axis) {
  SmallVector<int32_t, 8> axes;
  for (int d = 0; d < ndim; ++d)
    if (d != axis) axes.push_back(d);
  return axes;
}

}  // namespace rondo::tape
