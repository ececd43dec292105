// The base of the suites about single kinds of operators in program files: an operator and its gradients, in one
// recording. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model_files/programs.h"

namespace conformance {

class ProgramKinds : public ProgramFiles {
 protected:
  using Body = std::function<Tensor()>;
  // The gradients of what `body` makes, in the recording.
  std::vector<Tensor> gradients(const std::vector<rondo_tensor*>& of, const Body& body) const {
    rondo_tape* tape = nullptr;
    must(rondo_tape_begin(engine(), 0, &tape));
    for (rondo_tensor* each : of) must(rondo_tape_watch(tape, each));
    const Tensor y = body();
    const Tensor sum = reduce(RONDO_SUM, y, {});
    must(rondo_tape_end(tape));
    std::vector<rondo_tensor*> made(of.size(), nullptr);
    rondo_tensor* const outputs[] = {sum};
    must(rondo_tape_gradients(tape, 1, outputs, nullptr, static_cast<int32_t>(of.size()), of.data(), made.data()));
    rondo_tape_destroy(tape);
    std::vector<Tensor> owned;
    for (rondo_tensor* each : made) owned.emplace_back(each);
    return owned;
  }
  static std::vector<Tensor> with(Tensor first, std::vector<Tensor> others) {
    others.insert(others.begin(), std::move(first));
    return others;
  }
  // The result of an operator over the inputs, and its gradients.
  void same_with_gradients(const std::vector<Tensor>& inputs,
                           const std::function<Tensor(const std::vector<Tensor>&)>& f) const {
    std::vector<Kind> kinds;
    std::vector<rondo_tensor*> given;
    for (const Tensor& each : inputs) {
      const rondo_tensor_info info = query(each);
      kinds.push_back({info.dtype, Shape(info.shape, info.shape + info.ndim)});
      given.push_back(each);
    }
    same_from_file(kinds, given, 1 + inputs.size(), [&](const std::vector<Tensor>& in) {
      std::vector<rondo_tensor*> watched;
      for (const Tensor& each : in) watched.push_back(each);
      Tensor y = f(in);
      return with(std::move(y), gradients(watched, [&] { return f(in); }));
    });
  }
};

}  // namespace conformance
