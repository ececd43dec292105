// A gradient that the user defined: three as every function of the user.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tape/node.h"

namespace rondo::tape {

class UserGradient final : public Custom {
 public:
  UserGradient(std::string name, rondo_gradient_fn gradient, void* arg, void (*destroy)(void*))
      : Custom(std::move(name)), gradient_(gradient), arg_(arg), destroy_(destroy) {}
  ~UserGradient() override {
    if (destroy_) destroy_(arg_);
  }
  Status run(Backward& backward) const override;

 private:
  rondo_gradient_fn const gradient_;
  void* const arg_;
  void (*const destroy_)(void*);
};

}  // namespace rondo::tape
