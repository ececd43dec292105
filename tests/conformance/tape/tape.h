// What the tests of tapes share: an owning tape, and gradients compared with finite differences in f64.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness.h"

namespace conformance {

// Of the last digit of numbers around 1, in the dtype they are computed in.
inline Real unit(rondo_dtype dtype) {
  return std::ldexp(Real(1), dtype == RONDO_F64 ? -52 : -23);
}

class Tape {
 public:
  explicit Tape(rondo_engine* engine, uint32_t flags = RONDO_TAPE_DEFAULT) {
    must(rondo_tape_begin(engine, flags, &handle_));
  }
  Tape(Tape&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  ~Tape() { rondo_tape_destroy(handle_); }
  operator rondo_tape*() const { return handle_; }
  void watch(rondo_tensor* tensor) const { must(rondo_tape_watch(handle_, tensor)); }
  rondo_tape_info info() const {
    rondo_tape_info info = RONDO_TAPE_INFO_INIT;
    must(rondo_tape_query(handle_, &info));
    return info;
  }
  // Of one output, each gradient a new tensor. dy null: of a scalar.
  std::vector<Tensor> gradients(rondo_tensor* output, const std::vector<rondo_tensor*>& sources,
                                rondo_tensor* dy = nullptr) const {
    std::vector<rondo_tensor*> made(sources.size(), nullptr);
    must(rondo_tape_gradients(handle_, 1, &output, dy ? &dy : nullptr, static_cast<int32_t>(sources.size()),
                              sources.data(), made.data()));
    std::vector<Tensor> owned;
    for (rondo_tensor* each : made) owned.emplace_back(each);
    return owned;
  }
  Tensor gradient(rondo_tensor* output, rondo_tensor* source, rondo_tensor* dy = nullptr) const {
    return std::move(gradients(output, {source}, dy)[0]);
  }

 private:
  rondo_tape* handle_ = nullptr;
};

// A function of tensors; those that are f64 are differentiated.
using Function = std::function<Tensor(const std::vector<Tensor>& inputs)>;

// The gradient of the sum of weights * f with respect to input k, by central differences on the cpu. Where the slopes
// of both sides differ, anything is right.
Expected by_differences(rondo_engine* engine, const Function& f, std::vector<Array> inputs, size_t k,
                        const Array& weights);

class OnTape : public OnEngine {
 protected:
  // Where each distinct kernel costs a compile: every step-th, the same ones in each run.
  template <class T>
  std::vector<T> some(const std::vector<T>& all, size_t step) const {
    if (!sparing()) return all;
    std::vector<T> chosen;
    for (size_t i = 0; i < all.size(); i += step) chosen.push_back(all[i]);
    return chosen;
  }
  // Uploads [n, c, spatial...]; with `last`, its channels lie innermost in memory.
  Tensor image(const Array& a, bool last) const {
    if (!last) return up(a);
    std::vector<int32_t> to = {0}, back = {0, static_cast<int32_t>(a.shape.size()) - 1};
    for (int32_t d = 2; d < static_cast<int32_t>(a.shape.size()); ++d) to.push_back(d), back.push_back(d - 1);
    to.push_back(1);
    return transpose(up(host_transpose(a, to)), back);
  }
  // Puts into results the gradients of f by a tape, with differences as reference; then those of its gradients, but
  // where there are none, or differences say nothing of them.
  enum class Orders { one, two };
  void keep_gradients(Results& results, const std::string& label, const std::vector<Array>& inputs, const Function& f,
                      Orders orders = Orders::two);
  // Of an f that is a gradient itself: where kernels cost a compile, its own are enough.
  Orders of_gradients() const { return sparing() ? Orders::one : Orders::two; }

 private:
  void keep_second(Results& results, const std::string& label, std::vector<Array> inputs, const Array& dy,
                   const Function& f);
};

}  // namespace conformance
